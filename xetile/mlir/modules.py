"""From the tree of a text to modules of ours: kernels with their arguments, values by name, a place for every op."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from xetile import schema, source_text
from xetile.dialects import gpu, xegpu
from xetile.dialects.types import MemRefType, ScalarType, VectorType
from xetile.dtypes import DTYPES
from xetile.errors import LayoutError, Location, MlirTextError, XetileError
from xetile.ir.builder import Builder, create
from xetile.ir.core import OPS, UNIT, Block, Op, Type, Value
from xetile.ir.verifier import verify
from xetile.mlir import foreign  # noqa: F401  (its ops enter the reader's table)
from xetile.mlir.attributes import Opaque, read_attribute
from xetile.mlir.generic import RawBlock, RawOp
from xetile.mlir.ops import MAKERS, make, unknown_attribute, unknown_op
from xetile.mlir.seed_ops import PREFIX
from xetile.mlir.types import read_type

_CONTAINERS = ("builtin.module", "gpu.module")
_FUNCTIONS = ("gpu.func", "func.func")
# What these ops say beside our attributes and changes nothing here.
_IGNORED = {"kernel", "gpu.kernel", "function_type", "workgroup_attributions", "private_attributions", "sym_visibility",
            "gpu.known_grid_size", "spirv.entry_point_abi", "spirv.target_env", "gpu.container_module", "targets", "known_grid_size",
            "VectorComputeFunctionINTEL", "arg_attrs", "res_attrs", "no_inline"}  # fmt: skip
_OURS = "xetile."
_BLOCK_SIZE = ("gpu.known_block_size", "known_block_size")
_SUBGROUP_SIZE = ("intel_reqd_sub_group_size", "gpu.intel_reqd_sub_group_size")
SUBGROUP_SIZE = 16  # of all targets with block messages but dg2, whose kernels say 8
_RESULTS = re.compile(r"(%[\w.$-]+(?:\s*,\s*%[\w.$-]+)*)\s*=\s*$")
_LOOK_BACK = 4096  # characters before an op in which the names of its results stand
_ANONYMOUS = re.compile(r"\d+")


def kernels(tree: Sequence[RawOp]) -> Iterator[tuple[RawOp, str]]:
    """Each function of a text, and the name of the module that it stands in."""
    for op in tree:
        if op.name in _CONTAINERS:
            name = read_attribute(op.attributes.get("sym_name", '"module"'))
            for function, inner in kernels(op.regions[0].ops if op.regions else ()):
                yield function, inner if inner != "module" else name
        elif op.name in _FUNCTIONS:
            if op.regions and op.regions[0].ops:
                yield op, "module"
        else:
            raise unknown_op(op.name).located(op.loc) if op.name not in ("spirv.module",) else unknown_op(op.name)


def to_module(function: RawOp, module_name: str) -> gpu.GpuModule:
    """A module with one kernel, verified; raises MlirTextError or VerifyError at the place of the op at fault."""
    return _Importer(function).module(module_name)


class _Importer:
    """Builds one kernel. `values`: what each name stands for."""

    def __init__(self, function: RawOp) -> None:
        self.function = function
        self.values: dict[str, Value] = {}
        self.files: dict[str, list[str]] = {}
        self.build = Builder(Block())

    def module(self, name: str) -> gpu.GpuModule:
        """Read all, then check all: nothing that is half right comes out."""
        function = self.function
        attributes = self._function_attributes()
        body = self.block(function.regions[0])
        said = attributes.pop("args", None)
        places = [at for _, _, at in function.regions[0].arguments]
        arguments = tuple(self._argument(v, at) for v, at in zip(body.args, places)) if said is None else self._said(said, body)
        func = create(gpu.GpuFunc, args=arguments, regions=[body], loc=function.loc, **attributes)
        module = create(gpu.GpuModule, sym_name=name, regions=[Block()], loc=function.loc)
        module.body.append(func)
        _complete(func)
        verify(module)
        return module

    def _function_attributes(self) -> dict[str, Any]:
        raw, found = self.function, {}
        for key, text in raw.attributes.items():
            value = self.attribute(text, raw.loc)
            ours = key == "sym_name" or key in _SUBGROUP_SIZE or key.startswith(_OURS)
            name = "subgroup_size" if key in _SUBGROUP_SIZE else key.removeprefix(_OURS)
            try:
                if ours:
                    found[name] = FUNCTION.get(name, _no_attribute)(value, key)
                elif key in _BLOCK_SIZE:
                    found["block_size"] = prod(schema.many(schema.whole(1, 1024), 3)(value, key))
            except schema.SchemaError as error:
                raise MlirTextError(f"{raw.name}: {error}", at=raw.loc) from None
            if not ours and key not in _BLOCK_SIZE and key not in _IGNORED:
                raise unknown_attribute(raw.name, key, value).located(raw.loc)
        return found

    def _said(self, texts: tuple[str, ...], body: Block) -> tuple[gpu.KernelArg, ...]:
        """What `xetile.args` says of the arguments."""
        try:
            found = tuple(map(gpu.KernelArg.parse, texts))
        except ValueError as error:
            raise MlirTextError(f"cannot read xetile.args: {error}", at=self.function.loc) from None
        if len(found) != len(body.args):
            raise MlirTextError(f"xetile.args speaks of {len(found)} arguments, not {len(body.args)}", at=self.function.loc)
        ranks = {arg.param: v.type.rank for arg, v in zip(found, body.args) if isinstance(v.type, MemRefType)}
        for arg, value in zip(found, body.args):
            sized, memory = arg.kind in ("dim", "stride"), isinstance(value.type, MemRefType)
            named = arg.param.isidentifier() and (sized or arg.dtype in DTYPES)
            fits = memory == (arg.kind == "array") and (not sized or 0 <= arg.axis < ranks.get(arg.param, 0))
            if not (named and fits):
                raise MlirTextError(f"xetile.args: {value.name} of type {value.type} is not {arg}", at=self.function.loc)
        return found

    def _argument(self, value: Value, at: Location) -> gpu.KernelArg:
        """A memref is an array; anything else a number."""
        element = value.type.element if isinstance(value.type, MemRefType) else value.type
        if not isinstance(element, ScalarType):
            raise MlirTextError(f"argument {value.name} has type {value.type}, and kernels take memrefs and numbers", at=at)
        dtype = next(name for name, d in DTYPES.items() if d.ir_name == element.name.removeprefix("u"))
        return gpu.KernelArg("array" if isinstance(value.type, MemRefType) else "scalar", value.name, dtype=dtype)

    def block(self, raw: RawBlock) -> Block:
        """The ops of one region."""
        names = [_name_in_source(self.line(at), at) or _written(name) for name, _, at in raw.arguments]
        block = Block([self.type(text, at) for _, text, at in raw.arguments], names)
        self.values.update(zip((name for name, _, _ in raw.arguments), block.args))
        with self.build.at(block):
            for op in raw.ops:
                self.op(op)
        return block

    def op(self, raw: RawOp) -> None:
        """Append one op."""
        raw.name = raw.name.removeprefix(PREFIX)
        if raw.name not in OPS and raw.name not in MAKERS:
            raise unknown_op(raw.name).located(raw.loc)
        try:
            operands = [self.values[name] for name in raw.operands]
        except KeyError as missing:
            raise MlirTextError(f"{raw.name}: {missing.args[0]} is not defined here", at=raw.loc) from None
        try:
            values = {key: read_attribute(text) for key, text in raw.attributes.items()}
            results = [read_type(text) for text in raw.result_types]
            regions = [self.block(region) for region in raw.regions]
            with self.build.located(raw.loc):
                op = make(self.build, raw, operands, values, results, regions)
        except LayoutError as error:
            raise MlirTextError(f"{raw.name}: {error.message}", hint=error.hint, at=raw.loc) from None
        except XetileError as error:
            if error.at is None and not error.message.startswith(raw.name):
                error.message = f"{raw.name}: {error.message}"
            raise error.located(raw.loc) from None
        self._define(raw, op)

    def _define(self, raw: RawOp, op: Op) -> None:
        if len(op.results) != len(raw.results):
            raise MlirTextError(f"{raw.name} has {len(op.results)} results, not {len(raw.results)}", at=raw.loc)
        hints = _results_in_source(self.line(raw.loc), raw.loc)
        for i, (name, value) in enumerate(zip(raw.results, op.results)):
            value.name = hints[i] if len(hints) == len(raw.results) else _written(name)
            self.values[name] = value

    def line(self, at: Location) -> str:
        """The line of the user's file that a place is in; empty where it is not there."""
        lines = self.files.get(at.file)
        if lines is None:
            lines = self.files[at.file] = source_text.lines(at.file)
        return lines[at.line - 1] if 0 < at.line <= len(lines) else ""

    def type(self, text: str, at: Location) -> Type:
        try:
            return read_type(text)
        except XetileError as error:
            raise error.located(at) from None

    def attribute(self, text: str, at: Location) -> Any:
        try:
            return read_attribute(text)
        except XetileError as error:
            raise error.located(at) from None


def _no_attribute(value: Any, at: str) -> Any:
    raise schema.SchemaError(f"xetile knows no attribute {at}")


_names = schema.many(schema.NAME, 4096)
FUNCTION: dict[str, schema.Reader[Any]] = {
    "sym_name": schema.SYMBOL,
    "args": schema.many(schema.text(most=1024), 4096),
    "level": schema.one_of("xetile", "layout", "workgroup", "subgroup", "blocked", "xegpu", "lane"),
    "num_subgroups": schema.whole(1, 1024),
    "subgroup_size": schema.one_of(8, 16, 32),
    "index_bits": schema.one_of(32, 64),
    "grf": schema.whole(0, 512),
    "live_bytes": schema.COUNT,
    **dict.fromkeys(("fast_math", "lane_runs", "turned"), schema.truth),
    "scattered": lambda value, at: frozenset(_names(value, at)),
    "ragged": lambda value, at: frozenset(_names(value, at)),
}
"""What our attributes of a function may be."""


def _written(name: str) -> str:
    """The name in the generic text, where it is more than a number."""
    bare = name.removeprefix("%").split("#")[0]
    return "" if _ANONYMOUS.fullmatch(bare) else bare


def _name_in_source(line: str, at: Location) -> str:
    """The name that an argument has in the user's file, which the generic form does not keep."""
    found = re.match(r"%([A-Za-z_][\w.$-]*)", line[at.column :])
    return found[1] if found else ""


def _results_in_source(line: str, at: Location) -> list[str]:
    """The names of an op's results in the user's file; "" for those that are numbers."""
    found = _RESULTS.search(line[max(0, at.column - _LOOK_BACK) : at.column])
    return [_written(name.strip()) for name in found[1].split(",")] if found else []


# What the text does not say in so many words: the level, and how many subgroups there are.


def _complete(func: gpu.GpuFunc) -> None:
    attributes = func.attributes
    count = max(_subgroups(func), default=0)
    size = attributes.pop("block_size", None)
    if "level" not in attributes and any(op.opname.startswith(_OURS) for op in func.walk()):
        attributes["level"] = "xetile"
    if "level" not in attributes:
        attributes["level"] = "workgroup" if count else "lane" if _of_lanes(func) else "subgroup"
    if "num_subgroups" not in attributes and (count or size):
        attributes["num_subgroups"] = count or max(1, size // attributes.get("subgroup_size", SUBGROUP_SIZE))


def _subgroups(func: gpu.GpuFunc) -> Iterator[int]:
    """How many subgroups each layout is for; parts of a workgroup have fewer than all."""
    yield from (prod(layout.root.sg_layout) for op in func.walk() for layout in xegpu.layouts_of(op) if layout.is_workgroup)
    yield from (op.attributes["sg_id_range"].end for op in func.walk() if "sg_id_range" in op.attributes)


def _of_lanes(func: gpu.GpuFunc) -> bool:
    """Whether values are a lane's share: fewer elements than the block they come from."""
    for op in func.walk():
        if isinstance(op, (xegpu.LoadNd, xegpu.StoreNd)):
            desc, value = op.desc.type, op.value.type
            if value.count < desc.count * desc.array_length:
                return True
        if isinstance(op, xegpu.Dpas) and op.lhs.type.rank == 1:
            return True
        if isinstance(op, (xegpu.Load, xegpu.Store)) and not isinstance(op.mask.type, VectorType):
            return True
        if isinstance(op, gpu.LaneId):
            return True
    return False


__all__ = ["UNIT", "Opaque", "kernels", "to_module"]
