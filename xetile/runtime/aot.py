"""Kernels that run without their source: `kernel.compile(...).save("matmul")`, later `xt.load("matmul")`.

Two files.  `matmul.spv` is a SPIR-V module for clCreateProgramWithIL.  `matmul.json` says how to use it, from any language:

    kernel.name                the entry point, for clCreateKernel
    kernel.build_options       for clBuildProgram
    kernel.local_size          work-items of a workgroup: x, y, z
    kernel.args                the kernel's arguments in order; each has a `kind`:
        array                  a pointer to the first element of `param` (clSetKernelArg with a buffer, or an SVM or USM address)
        dim                    the size of `param` along `axis`, as a 32- or 64-bit integer (`dtype` index32 or index64)
        stride                 elements from one neighbour along `axis` of `param` to the next, likewise
        scalar                 a number of type `dtype`
        failures               64 zeroed 32-bit words for a kernel with device_asserts; where one failed, the first word is then
                               1 + its number in kernel.asserts, the next three the program's x, y, z, and each pair after them a
                               value that the message shows
    kernel.ranges              what must hold of a launch, so that the kernel's index arithmetic stays within its bits: `steps` are
                               intervals, each made of earlier ones (xetile.index_ranges); those of `checks` must fit so many bits
    kernel.requires            what the kernel states of its arguments with `assert`: `steps` as above (xetile.requirements), and of
                               each assertion the step that must be true, with a message
    kernel.subgroup_size, kernel.grf, kernel.slm_bytes, kernel.target     what it was compiled for
    signature                  types of the Python parameters, such as "f16[?,?]"; an array without "scattered" must obey the
                               rules of 2-D block messages, without ";F" its last dimension must be contiguous; for dg2, without
                               "ragged", its rows must be a multiple of 8 elements long and begin at multiples of 4 bytes;
                               what else must hold of its strides without "close" and "far", kernel.requires says; with "lines",
                               its length must be a multiple of 64 bytes; with "long", it must begin at a multiple of 64 bytes and be a
                               multiple of 4 bytes long, from 64 on and less than 1 GiB; with "free", all strides but that of the contiguous
                               dimension must be multiples of 64 bytes, and no less than that is long
    constants                  values of the constexpr parameters, as Python writes them
    sha256                     of the .spv file
    digest                     SHA-256 of the other fields, as Python's json.dumps(fields, sort_keys=True) writes them

The digests tell a damaged file, not a hostile one: the module is machine code in all but name, so load only whom you trust.

A launch over `grid` workgroups is clEnqueueNDRangeKernel with the global size grid * local_size.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xetile import schema
from xetile.errors import ArgumentError, DeviceError, XetileError
from xetile.runtime import devices, files, loading, queues
from xetile.runtime.arrays import as_host_array, check_no_overlap, is_array, is_device_array
from xetile.runtime.artifact import MOST_ARGUMENTS, Binary, misfit, written_parameters
from xetile.runtime.backend import takes_spirv
from xetile.runtime.call_site import errors_at_the_call
from xetile.runtime.head import Rule, three
from xetile.runtime.index_checks import check_launch
from xetile.runtime.scalars import check
from xetile.runtime.specialize import Specialization, specialize
from xetile.signature import ArrayType, ParamType, ScalarParam, parse
from xetile.target.names import KNOWN

if TYPE_CHECKING:
    from xetile.runtime.backend import DeviceInfo, Grid, LoadedKernel
    from xetile.runtime.request import Request

FORMAT = 2


def save(request: Request, binary: Binary, path: str | os.PathLike[str]) -> None:
    """Write `path`.spv and `path`.json; a suffix .spv or .json of `path` is dropped."""
    document = {
        "format": FORMAT,
        "kernel": binary.manifest(),
        "signature": {name: str(kind) for name, kind in request.signature.items()},
        "constants": {name: repr(value) for name, value in request.constexprs.items()},
        "sha256": hashlib.sha256(binary.spirv).hexdigest(),
    }
    document["digest"] = _digest(document)
    stem = _stem(path)
    _replace(stem.with_name(stem.name + ".spv"), binary.spirv)
    _replace(stem.with_name(stem.name + ".json"), (json.dumps(document, indent=1) + "\n").encode())


def load(path: str | os.PathLike[str], *, grid: Rule | Grid | int | None = None) -> SavedKernel:
    """The kernel that `save` wrote to `path`.

    grid: the rule of its calls, as for `xt.jit`, of the kernel's arguments by name; without one, calls are `kernel[grid](...)`.
    Raises ArgumentError for files that are missing, damaged, or do not belong together.

    Example:
        @xt.jit(grid=(1,))
        def doubled(X, Y):
            xt.store_tile(xt.load_tile(xt.init_tile(X, 0, (16,))) * 2, xt.init_tile(Y, 0, (16,)))

        doubled.compile("f32[?]", "f32[?]", target="pvc").save("doubled")        # writes doubled.spv and doubled.json
        saved = xt.load("doubled", grid=(1,))
        X, Y = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
        with xt.device("cpu"):
            saved(X, Y)
        print(Y[:4])

    Prints:
        [0. 2. 4. 6.]
    """
    stem = _stem(path)
    manifest, module = stem.with_name(stem.name + ".json"), stem.with_name(stem.name + ".spv")
    try:
        spirv = files.read(module, files.MOST_MODULE)
        found = schema.parse_json(files.read(manifest, files.MOST_MANIFEST), "it")
        binary, signature = _understood(found, spirv)
    except OSError as error:
        raise ArgumentError(
            f"there is no saved kernel {stem}: {error.strerror or error}", hint="kernel.compile(...).save(path) writes one"
        ) from error
    except (schema.SchemaError, XetileError) as error:
        raise ArgumentError(f"{stem}.json describes no saved kernel: {error}", hint="save the kernel again") from error
    return SavedKernel(binary, signature, grid)


def _understood(found: Any, spirv: bytes) -> tuple[Binary, dict[str, ParamType]]:
    """What a document says of a module.  Raises SchemaError, or what `parse` does for a type."""
    if isinstance(found, dict) and found.get("format", FORMAT) != FORMAT:
        raise schema.SchemaError(f"it has format {found['format']!r}; this xetile reads {FORMAT}")
    document = DOCUMENT(found, "it")
    if document["sha256"] != hashlib.sha256(spirv).hexdigest():
        raise schema.SchemaError("the .spv file beside it is another one")
    if document["digest"] != _digest(document):
        raise schema.SchemaError("it was changed after it had been saved")
    binary = Binary.from_manifest(document["kernel"], spirv)
    signature = {name: parse(text) for name, text in document["signature"].items()}
    if why := misfit(binary, signature):
        raise schema.SchemaError(why)
    return binary, signature


def _digest(document: Mapping[str, Any]) -> str:
    """SHA-256 of all that the document says besides."""
    said = {name: value for name, value in document.items() if name != "digest"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


DOCUMENT: schema.Reader[dict[str, Any]] = schema.record(
    dict,
    format=schema.one_of(FORMAT),
    kernel=lambda value, at: value,  # Binary.from_manifest reads it
    signature=schema.table(schema.NAME, schema.WORDS, MOST_ARGUMENTS),
    constants=schema.table(schema.NAME, schema.text(most=1 << 20)),
    sha256=schema.DIGEST,
    digest=schema.DIGEST,
)
"""What the .json file holds."""


class SavedKernel:
    """A kernel without its source: `kernel[grid](A, B, C)` with every array, outputs included.

    Arguments are checked against the types that it was compiled for. `binary` is what was saved, `signature` the types.
    """

    def __init__(self, binary: Binary, signature: Mapping[str, ParamType], grid: Any = None) -> None:
        self.binary = binary
        self.signature = dict(signature)
        self.grid = grid
        self._loaded: dict[DeviceInfo, LoadedKernel] = {}

    def __getitem__(self, grid: Any) -> SavedKernel:
        """The kernel with a grid."""
        other = SavedKernel(self.binary, self.signature, grid)
        other._loaded = self._loaded
        return other

    def __call__(self, /, *args: Any, queue: Any = None, **named: Any) -> Any:
        """Run it, in place, on arguments in order or by name; the event for device arrays, None for numpy.

        Raises ArgumentError before anything has run.
        """
        grid, values, queue, loaded = self._prepare(args, named, queue)
        return loaded.launch(grid, values, queue=queue)

    def bind(self, /, *args: Any, queue: Any = None, **named: Any) -> Any:
        """A function that repeats the call on the same arrays, with no inspection."""
        grid, values, queue, loaded = self._prepare(args, named, queue)
        return loaded.bind(grid, values, queue=queue)

    def __repr__(self) -> str:
        types = ", ".join(f"{name}: {kind}" for name, kind in self.signature.items())
        return f"<saved kernel {self.binary.name}({types}) for {self.binary.target}>"

    @errors_at_the_call()
    def _prepare(
        self, args: tuple[Any, ...], named: Mapping[str, Any], queue: Any
    ) -> tuple[Grid, tuple[Any, ...], Any, LoadedKernel]:
        names = self.binary.parameters
        given = dict(zip(names, args))
        for name in named:
            if name in given or name not in names:
                why = f"was given {name} twice" if name in given else f"has no parameter {name}: constants were compiled in"
                raise ArgumentError(f"{self.binary.name} {why}", hint=f"it takes {', '.join(names)}")
        given.update(named)
        if len(args) + len(named) != len(names):
            count = len(args) + len(named)
            raise ArgumentError(f"{self.binary.name} takes {', '.join(names)}: {len(names)} arguments, not {count}")
        values = {n: _host(given[n], n) for n in names}
        remote = queues.first_device_array(values.values())
        chosen = devices.chosen_device()
        device = chosen or (queues.device_of(remote) if remote is not None else None) or devices.current_device()
        self._check(specialize(self.binary.name, values, device, self.binary.target), values)
        check_no_overlap({n: v for n, v in values.items() if is_array(v)}, written_parameters(self.binary))
        grid = self._grid_of(values)
        self.binary.requires.check(self.binary.name, values)
        check_launch(self.binary.name, self.binary.ranges, grid, values)
        return grid, tuple(values.values()), queues.native(queue), self._load(device)

    def _grid_of(self, values: Mapping[str, Any]) -> Grid:
        if self.grid is None:
            raise ArgumentError(f"{self.binary.name} has no grid", hint=f"call {self.binary.name}[grid](...)")
        shape = self.grid
        if callable(shape):
            import inspect

            shape = shape(**{name: values[name] for name in inspect.signature(shape).parameters if name in values})
        grid = three(shape)
        if grid is None:
            raise ArgumentError(f"{self.binary.name}: the grid is {shape!r}", hint="one to three whole numbers, each below 2**31")
        return grid

    def _check(self, call: Specialization, values: Mapping[str, Any]) -> None:
        """Whether the kernel serves these arguments: it may be more general than they need, not less."""
        if call.index_bits == 64 and any(spec.dtype == "index32" for spec in self.binary.args):
            raise ArgumentError(
                f"{self.binary.name} takes arrays of less than 2**31 elements", hint="compile it with index_bits=64"
            )
        for name, kind in call.types:
            wanted = self.signature[name]
            if isinstance(wanted, ScalarParam) and not is_array(values[name]):
                check(self.binary.name, name, wanted.dtype.name, values[name])
                continue
            why = _misfit(wanted, kind, call.slow.get(name, ""))
            if why:
                raise ArgumentError(
                    f"{self.binary.name}: {name} is {kind}, and the kernel was compiled for {wanted}: {why}",
                    hint=_how_to_compile(name, wanted, kind),
                )

    def _load(self, device: DeviceInfo) -> LoadedKernel:
        if device not in self._loaded:
            backend = devices.backend_of(device)
            if not takes_spirv(backend, self.binary.target):
                raise DeviceError(
                    f"{device.name} runs IR, and a saved kernel is SPIR-V", hint='choose another: with xt.device("cpu")'
                )
            self._loaded[device] = loading.build(self.binary, device, backend)
        return self._loaded[device]


def _misfit(wanted: ParamType, given: ParamType, broken: str) -> str:
    if not isinstance(wanted, ArrayType) or not isinstance(given, ArrayType):
        return "" if type(wanted) is type(given) else "one is an array, the other a number"
    if wanted.dtype is not given.dtype:
        return f"convert it to {wanted.dtype}"
    if wanted.rank != given.rank:
        return f"it must have {wanted.rank} dimensions"
    if wanted.contiguous != given.contiguous:
        return f"its {'last' if wanted.contiguous == 'C' else 'last but one'} dimension must be contiguous"
    if given.ragged and not (wanted.ragged or wanted.scattered):
        return f"its rows must be a multiple of {max(known.lane_run for known in KNOWN.values())} elements long, and begin at whole words"
    if wanted.lines and not given.lines:
        return 'its length must be whole lines of 64 bytes: compile it without ";lines"'
    if wanted.long and given.scattered and not given.long:
        return broken
    if wanted.free and not given.free:
        return (
            "its strides must be multiples of 64 bytes, and no less than its contiguous dimension is long: "
            'compile it with ";any" instead of ";free"'
        )
    return broken if given.scattered and not wanted.scattered else ""


def _how_to_compile(name: str, wanted: ParamType, given: ParamType) -> str:
    """What to do where an array is laid out in a way that the kernel was not compiled for."""
    if not isinstance(wanted, ArrayType) or not isinstance(given, ArrayType):
        return ""
    if (wanted.dtype, wanted.rank) != (given.dtype, given.rank):
        return ""
    return f'compile it with "{given.in_full}" for {name}: that takes every such array'


def _host(value: Any, name: str) -> Any:
    return as_host_array(value, name) if is_array(value) and not is_device_array(value) else value


def _stem(path: str | os.PathLike[str]) -> Path:
    found = Path(path)
    return found.with_suffix("") if found.suffix in (".spv", ".json") else found


def _replace(path: Path, contents: bytes) -> None:
    """Write a file whole or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_bytes(contents)
        os.replace(unfinished, path)
    except OSError as error:
        raise files.unwritable(path, error) from error
