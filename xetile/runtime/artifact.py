"""What a compiler hands to a backend: a finished kernel, and what each of its arguments is.

`Binary` is the SPIR-V form (for OpenCL), `Program` the IR form (for backends that execute modules, such as the numpy reference).
Both say the same about their arguments, so a backend derives run-time dims and strides from the arrays that a call passes.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, field
from math import prod
from typing import Any, Literal

from xetile import schema
from xetile.dtypes import DTYPES
from xetile.errors import Location
from xetile.failures import SHOWN_TYPES, Assertion
from xetile.index_ranges import RANGES, UNCHECKED, IndexRanges
from xetile.records import dataclass
from xetile.requirements import NONE, REQUIREMENTS, Requirements
from xetile.schema import SchemaError
from xetile.signature import ArrayType, ParamType

ArgKind = Literal["array", "dim", "stride", "scalar", "failures"]

MANIFEST_VERSION = 5

SPINS = "xetile: subgroups wait for each other"
"""What OpModuleProcessed says of modules whose subgroups wait for each other in loops: they need a device on which subgroups go on
independently."""


@dataclass(frozen=True)
class ArgSpec:
    """One argument of a compiled kernel, in the order in which the kernel takes them.

    kind    "array": a pointer to the first element; "dim": `param.shape[axis]`; "stride": elements between neighbours along
            `axis`; "scalar": the value itself; "failures": FAILURE_WORDS words of the launcher's own, zero before the launch, into
            which a kernel with device_asserts writes 1 + the number of one that failed, the program's x, y, z, and values.
    param   name of the Python parameter that it belongs to.
    dtype   element type of an array or type of a scalar (f16, i32, u8, ...); "index32" or "index64" for dims and strides.
    """

    kind: ArgKind
    param: str
    axis: int = 0
    dtype: str = ""


def parameters(args: tuple[ArgSpec, ...]) -> tuple[str, ...]:
    """Names of the Python parameters behind `args`, each once, in order: what `launch` takes values for."""
    return tuple(dict.fromkeys(spec.param for spec in args if spec.kind != "failures"))


_SAID_ONLY = ("asks", "asserts", "flat", "overlaps", "ranges", "read_first", "requires", "slow", "stored", "tiled")
"""Fields of a manifest that change nothing of what is built."""


@dataclass(frozen=True)
class Binary:
    """A kernel compiled to SPIR-V for one target.

    name           entry point in the module.
    spirv          the module's bytes, little endian.
    target         name of the target that it was compiled for ("pvc", "bmg", ...).
    local_size     work-items of a workgroup along x, y, z.
    grf            registers of a hardware thread: 128 or 256.
    slm_bytes      shared local memory that a workgroup declares.
    build_options  what the driver must be given for exactly this module.
    args           the kernel's arguments in order.
    written        names of the array parameters that the kernel may write; None when unknown: then all of them count.
    asks           axes of the grid of which a program asks for its number or theirs, such as "xy"; None when unknown.
    read_first     array parameters that a program reads before it stores to them, and where: no memory that was never written.
    stored         how many elements a program stores to array parameters at most, by their names; those of which it is known.
    overlaps       stores of neighbouring programs that meet: to which array parameter, along which axis of the grid, how far apart their tiles
                   begin, how long these are, and where.
    flat           array parameters and axes whose elements it counts as if they lay row by row, such as "X 0 1".
    spill_bytes    memory of a hardware thread that the driver will need for values that find no register, as estimated.
    ranges         what must hold at a launch so that its index arithmetic is right.
    requires       what it states of its arguments with `assert`, to be checked before a launch.
    asserts        its device_asserts, in the order of the numbers that it notes in its "failures".
    slow           tiles that are moved element by element because of what the kernel says: why, what to do, and where.
    tiled          names of the array parameters with tiles of several elements: what is slow where block messages cannot move them.
    """

    name: str
    spirv: bytes = field(repr=False)
    target: str
    subgroup_size: int
    num_subgroups: int
    local_size: tuple[int, int, int]
    grf: int
    slm_bytes: int
    build_options: str
    args: tuple[ArgSpec, ...]
    written: frozenset[str] | None = None
    asks: str | None = None
    read_first: tuple[tuple[str, Location], ...] = ()
    stored: tuple[tuple[str, int], ...] = ()
    overlaps: tuple[tuple[str, str, int, int, Location], ...] = ()
    flat: tuple[str, ...] = ()
    spill_bytes: int = 0
    ranges: IndexRanges = UNCHECKED
    slow: tuple[tuple[str, str, Location], ...] = ()
    tiled: frozenset[str] = frozenset()
    asserts: tuple[Assertion, ...] = ()
    requires: Requirements = NONE

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what a call passes, in order."""
        return parameters(self.args)

    @property
    def digest(self) -> str:
        """Identity of the built kernel: the same for equal binaries in every process."""
        built_from = {name: value for name, value in self.manifest().items() if name not in _SAID_ONLY}
        text = json.dumps(built_from, sort_keys=True).encode()
        return hashlib.sha256(text + self.spirv).hexdigest()

    def manifest(self) -> dict[str, Any]:
        """All but the SPIR-V, as plain JSON values: what a launcher in another language needs to know."""
        fields: dict[str, Any] = {k: getattr(self, k) for k in self.__dataclass_fields__ if k != "spirv"}
        fields["local_size"] = list(self.local_size)
        fields["args"] = [asdict(spec) for spec in self.args]
        fields["written"] = None if self.written is None else sorted(self.written)
        fields["ranges"] = self.ranges.to_json()
        fields["read_first"] = [[name, at.to_json()] for name, at in self.read_first]
        fields["stored"] = [list(each) for each in self.stored]
        fields["overlaps"] = [[*each, at.to_json()] for *each, at in self.overlaps]
        fields["flat"] = list(self.flat)
        fields["slow"] = [[why, hint, at.to_json()] for why, hint, at in self.slow]
        fields["tiled"] = sorted(self.tiled)
        fields["requires"] = self.requires.to_json()
        fields["asserts"] = [[message, list(kinds), None if at is None else at.to_json()] for message, kinds, at in self.asserts]
        return {"version": MANIFEST_VERSION, **fields}

    @classmethod
    def from_manifest(cls, manifest: Any, spirv: bytes) -> Binary:
        """The inverse of `manifest`.  Raises SchemaError (a ValueError) for what is none, or one of another version."""
        found = dict(manifest) if isinstance(manifest, dict) else {}
        if (version := found.pop("version", None)) != MANIFEST_VERSION:
            raise SchemaError(f"kernel manifest has version {version!r}; this xetile reads version {MANIFEST_VERSION}")
        binary = cls(spirv=spirv, **MANIFEST(found, "kernel"))
        _check(binary)
        return binary

    def to_json(self) -> str:
        """One self-contained text: the manifest with the SPIR-V in base64."""
        return json.dumps({**self.manifest(), "spirv": base64.b64encode(self.spirv).decode()}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Binary:
        """The inverse of `to_json`.  Raises SchemaError (a ValueError) for text that is not such a document."""
        fields = schema.parse_json(text, "the kernel")
        spirv = fields.pop("spirv", None) if isinstance(fields, dict) else None
        if not isinstance(spirv, str):
            raise SchemaError("not a compiled kernel: no SPIR-V in it")
        try:
            code = base64.b64decode(spirv, validate=True)
        except (binascii.Error, ValueError) as error:
            raise SchemaError(f"the kernel's SPIR-V is not in base64: {error}") from error
        return cls.from_manifest(fields, code)


# What a manifest may hold.

MOST_ARGUMENTS = 4096
_INDEX = ("index32", "index64")
_ARGUMENT = schema.record(
    ArgSpec,
    kind=schema.one_of("array", "dim", "stride", "scalar", "failures"),
    param=schema.NAME,
    axis=schema.whole(0, 63),  # numpy's arrays have at most 64 dimensions
    dtype=schema.one_of(*DTYPES, *_INDEX),
)


def _names(value: Any, at: str) -> frozenset[str]:
    return frozenset(schema.many(schema.NAME, MOST_ARGUMENTS)(value, at))


_OPTION = r"-[\w.:=+-]+"
MANIFEST: schema.Reader[dict[str, Any]] = schema.record(
    dict,
    name=schema.SYMBOL,
    target=schema.SYMBOL,
    subgroup_size=schema.whole(1, 64),
    num_subgroups=schema.whole(1, 1024),
    local_size=schema.row(*[schema.whole(1, 2**16)] * 3),
    grf=schema.whole(0, 512),
    slm_bytes=schema.whole(0, 2**30),
    build_options=schema.text(rf"(?:{_OPTION}(?: +{_OPTION})*)?"),
    args=schema.many(_ARGUMENT, MOST_ARGUMENTS),
    written=schema.optional(_names),
    asks=schema.optional(schema.text("x?y?z?", 3)),
    read_first=schema.many(schema.row(schema.NAME, schema.PLACE), MOST_ARGUMENTS),
    stored=schema.many(schema.row(schema.NAME, schema.COUNT), MOST_ARGUMENTS),
    overlaps=schema.many(
        schema.row(schema.NAME, schema.one_of("x", "y", "z"), schema.COUNT, schema.COUNT, schema.PLACE), MOST_ARGUMENTS
    ),
    flat=schema.many(schema.text(r"\w+( \d+)+", 300), MOST_ARGUMENTS),
    spill_bytes=schema.COUNT,
    ranges=RANGES,
    requires=REQUIREMENTS,
    tiled=_names,
    slow=schema.many(schema.row(schema.WORDS, schema.WORDS, schema.PLACE), 10_000),
    asserts=schema.many(
        schema.row(schema.WORDS, schema.many(schema.one_of(*SHOWN_TYPES), 32), schema.optional(schema.PLACE)), 10_000
    ),
)
"""All fields of `Binary.manifest` but the version, as `Binary` takes them."""


def _check(binary: Binary) -> None:
    """What must agree between the fields of a manifest.  Raises SchemaError."""
    if prod(binary.local_size) != binary.subgroup_size * binary.num_subgroups:
        raise SchemaError(f"kernel.local_size {binary.local_size} is not {binary.num_subgroups} x {binary.subgroup_size}")
    arrays = {spec.param for spec in binary.args if spec.kind == "array"}
    scalars = {spec.param for spec in binary.args if spec.kind == "scalar"}
    if [spec.kind for spec in binary.args].count("failures") > 1:
        raise SchemaError("kernel.args has failures more than once")
    for i, spec in enumerate(binary.args):
        if spec.kind != "scalar" and (spec.dtype in _INDEX) != (spec.kind in ("dim", "stride")):
            raise SchemaError(f"kernel.args[{i}] is a {spec.kind} of type {spec.dtype}")
        if spec.kind in ("dim", "stride") and spec.param not in arrays:
            raise SchemaError(f"kernel.args[{i}] is a {spec.kind} of {spec.param}, which is no array")
    if both := arrays & scalars:
        raise SchemaError(f"{min(both)} is an array and a number")
    if binary.written is not None and (unknown := binary.written - arrays):
        raise SchemaError(f"kernel.written names {min(unknown)}, which is no array")
    for step in (*binary.ranges.steps, *binary.requires.steps):
        known = {"dim": arrays, "stride": arrays, "pitch": arrays, "scalar": scalars}.get(step[0])
        if known is not None and step[1] not in known:
            what = "ranges" if step in binary.ranges.steps else "requires"
            raise SchemaError(f"kernel.{what} speaks of the {step[0]} of {step[1]}, which the kernel does not take")


def misfit(binary: Binary, types: Mapping[str, ParamType]) -> str:
    """How a kernel's arguments differ from the types of its Python parameters; empty where they do not."""
    ranks = {name: type.rank for name, type in types.items() if isinstance(type, ArrayType)}
    for spec in binary.args:
        if spec.kind == "failures":
            continue
        if spec.param not in types:
            return f"it takes {spec.param}, which is no parameter"
        type = types[spec.param]
        if (spec.kind != "scalar") != isinstance(type, ArrayType):
            return f"{spec.param} is {type}, and the kernel takes the {spec.kind} of it"
        if spec.kind in ("array", "scalar") and spec.dtype not in (type.dtype.name, *_INDEX):
            return f"{spec.param} is {type}, and the kernel takes {spec.dtype}"
    sized = [(spec.param, spec.axis) for spec in binary.args if spec.kind in ("dim", "stride")]
    sized += [
        (step[1], step[2]) for step in (*binary.ranges.steps, *binary.requires.steps) if step[0] in ("dim", "stride", "pitch")
    ]
    wrong = next((f"{name} has no dimension {axis}" for name, axis in sized if axis >= ranks[name]), "")
    return wrong or next((f"the kernel takes no {name}" for name in ranks if name not in binary.parameters), "")


@dataclass(frozen=True, eq=False)
class Program:
    """A kernel as IR, for backends that execute modules: `module` is an IR module of any level, `name` its gpu.func."""

    name: str
    module: Any
    target: str
    args: tuple[ArgSpec, ...]
    written: frozenset[str] | None = None
    ranges: IndexRanges = UNCHECKED
    requires: Requirements = NONE
    asks: str | None = None
    read_first: tuple[tuple[str, Location], ...] = ()
    stored: tuple[tuple[str, int], ...] = ()
    overlaps: tuple[tuple[str, str, int, int, Location], ...] = ()
    flat: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what a call passes, in order."""
        return parameters(self.args)


Artifact = Binary | Program


def written_parameters(artifact: Artifact) -> frozenset[str]:
    """Array parameters whose contents may change when the kernel runs."""
    if artifact.written is not None:
        return artifact.written
    return frozenset(spec.param for spec in artifact.args if spec.kind == "array")
