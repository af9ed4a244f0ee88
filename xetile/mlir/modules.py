"""From the tree of a text to modules of ours: kernels with their arguments, values by name, a place for every op."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from xetile import schema, source_text
from xetile.dialects import gpu, xegpu
from xetile.dialects.levels import EXECUTED_BY
from xetile.dialects.types import MemRefType
from xetile.dtypes import DTYPES
from xetile.errors import LayoutError, Location, MlirTextError, XetileError
from xetile.ir.builder import Builder, create
from xetile.ir.core import OPS, UNIT, Block, Type, Value
from xetile.ir.verifier import verify
from xetile.mlir import addresses, bits, elements, foreign, transfers  # noqa: F401  (their ops enter the reader's table)
from xetile.mlir.attributes import Opaque, read_attribute
from xetile.mlir.entry import as_kernel
from xetile.mlir.function_attributes import FUNCTION, no_attribute
from xetile.mlir.functions import CALL, MOST_CALLS, RETURNS, Function, Functions, inputs
from xetile.mlir.generic import RawBlock, RawOp
from xetile.mlir.names import name_in_source, results_in_source, written
from xetile.mlir.ops import (
    JOINERS,
    MAKERS,
    PLACES,
    Attributes,
    Made,
    gpu_shared,
    make,
    not_reserved,
    unknown_attribute,
    unknown_op,
)
from xetile.mlir.seed_ops import PREFIX
from xetile.mlir.sizes import Sizes
from xetile.mlir.threads import NAMES as THREADS
from xetile.mlir.threads import Threads
from xetile.mlir.types import read_type, unsigned
from xetile.mlir.views import (
    DIM,
    RESHAPES,
    SUBVIEW,
    VIEW,
    View,
    by_one_index,
    bytes_as,
    cast,
    dim,
    matrix_part,
    reshaped,
    subview,
)
from xetile.requirements import Requirements
from xetile.target.names import DEFAULT_LANES

# What these ops say beside our attributes and changes nothing here.
_IGNORED = {"kernel", "gpu.kernel", "function_type", "workgroup_attributions", "private_attributions", "sym_visibility",
            "gpu.known_grid_size", "spirv.entry_point_abi", "spirv.target_env", "gpu.container_module", "targets", "known_grid_size",
            "VectorComputeFunctionINTEL", "arg_attrs", "res_attrs", "no_inline"}  # fmt: skip
_VECTOR_COMPUTE = "VectorComputeFunctionINTEL"
"""Marks functions of which each thread is a subgroup."""
_OURS = "xetile."
_BLOCK_SIZE = ("gpu.known_block_size", "known_block_size")
_SUBGROUP_SIZE = ("intel_reqd_sub_group_size", "gpu.intel_reqd_sub_group_size")


def to_module(function: Function, functions: Functions) -> gpu.GpuModule:
    """A module with one kernel, verified; raises MlirTextError or VerifyError at the place of the op at fault."""
    return _Importer(function, functions).module(function.module)


class _Importer:
    """Builds one kernel. `values`: what each name stands for; `given`: what the function around gives when it returns."""

    def __init__(self, function: Function, functions: Functions) -> None:
        self.function = function.op
        self.launched = function.threads
        self.functions = functions
        self.values: dict[str, Any] = {}
        self.given: list[Value] = []
        self.sizes = Sizes(Block())
        self.within: list[RawOp] = [function.op]
        self.joins: list[addresses.Joins | None] = [None]
        self.lanes = DEFAULT_LANES
        self.by_lanes = False
        self.reached = functions.reached(function)
        self.files: dict[str, list[str]] = {}
        self.build = Builder(Block())
        self.threads = Threads(self.build, DEFAULT_LANES, DEFAULT_LANES, None)

    def module(self, name: str) -> gpu.GpuModule:
        """Read all, then check all: nothing that is half right comes out."""
        function = self.function
        attributes = self._function_attributes()
        block_size = attributes.pop("block_size", self.launched)
        self.lanes = attributes.get("subgroup_size", DEFAULT_LANES)
        each = 1 if _VECTOR_COMPUTE in function.attributes else self.lanes
        self.by_lanes = any(transfers.by_lanes(f.op, each) for f in self.reached)
        self.threads = Threads(self.build, self.lanes, each, block_size)
        body = self.block(function.regions[0])
        said = attributes.pop("args", None)
        arguments = self._said(said, body) if said is not None else ()
        self._check_required(attributes.get("requires"), arguments, body)
        func = create(gpu.GpuFunc, args=arguments, regions=[body], loc=function.loc, **attributes)
        module = create(gpu.GpuModule, sym_name=name, regions=[Block()], loc=function.loc)
        module.body.append(func)
        verify(module)  # first: all that follows looks at types
        if "level" not in attributes:  # what passes have made stays as they made it
            elements.select_by_branches(func)
        _complete(func, each, prod(block_size or (0,)))
        self.threads.settle(func.num_subgroups)
        if said is None:
            as_kernel(func, self.given, self.lanes, inputs(function), self._unsigned(function), self.sizes.specs)
        if "level" not in attributes:  # of a kernel, which stores what its function gives
            elements.pick_by_parts(func)
        verify(module)
        return module

    @staticmethod
    def _unsigned(function: RawOp) -> frozenset[int]:
        """Which arguments are arrays of integers without a sign."""
        texts = [text for _, text, _ in function.regions[0].arguments]
        return frozenset(i for i, text in enumerate(texts) if text.startswith("memref") and unsigned(text))

    def _function_attributes(self) -> dict[str, Any]:
        raw, found = self.function, {}
        for key, text in raw.attributes.items():
            value = self.attribute(text, raw.loc)
            ours = key == "sym_name" or key in _SUBGROUP_SIZE or key.startswith(_OURS)
            name = "subgroup_size" if key in _SUBGROUP_SIZE else key.removeprefix(_OURS)
            try:
                if ours:
                    found[name] = FUNCTION.get(name, no_attribute)(value, key)
                elif key in _BLOCK_SIZE:
                    found["block_size"] = schema.many(schema.whole(1, 1024), 3)(value, key)
            except schema.SchemaError as error:
                raise MlirTextError(f"{raw.name}: {error}", at=raw.loc) from None
            others = key in raw.discardable and "." in key
            if not ours and not others and key not in _BLOCK_SIZE and key not in _IGNORED:
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
            fits = memory == (arg.kind in ("array", gpu.FAILURES)) and (not sized or 0 <= arg.axis < ranks.get(arg.param, 0))
            if arg.kind == gpu.FAILURES:
                fits = value.type == gpu.FAILURES_TYPE and value is body.args[-1]
            if not (named and fits):
                raise MlirTextError(f"xetile.args: {value.name} of type {value.type} is not {arg}", at=self.function.loc)
        return found

    def _check_required(self, required: str | None, arguments: Sequence[gpu.KernelArg], body: Block) -> None:
        """What a kernel states of its arguments speaks of arguments that it has."""
        known: set[tuple[Any, ...]] = {("scalar", arg.param) for arg in arguments if arg.kind == "scalar"}
        for value, name in zip(body.args, [arg.param for arg in arguments] or [v.name for v in body.args]):
            if isinstance(value.type, MemRefType):
                known |= {(kind, name, axis) for kind in ("dim", "stride") for axis in range(value.type.rank)}
            elif not arguments:
                known.add(("scalar", name))
        steps = Requirements.parse(required).steps if required is not None else ()
        unknown = next((step for step in steps if step[0] in ("dim", "stride", "scalar") and step not in known), None)
        if unknown is not None:
            said = " ".join(map(str, unknown))
            raise MlirTextError(f"xetile.requires speaks of {said}, which the kernel does not take", at=self.function.loc)

    def block(self, raw: RawBlock, joins: addresses.Joins | None = None, counters: int = 0) -> Block:
        """The ops of one region; `joins`: the addresses that go through it, behind so many counters."""
        names = [name_in_source(self.line(at), at, name) for name, _, at in raw.arguments]
        block = Block([self.type(text, at) for _, text, at in raw.arguments], names)
        given = [*block.args[:counters], *joins.arrived(block.args[counters:])] if joins is not None else block.args
        self.values.update(zip((name for name, _, _ in raw.arguments), given))
        if raw is self.function.regions[0]:
            self.sizes = Sizes(block, told=f"{_OURS}args" in self.function.attributes)
        self.joins.append(joins)
        with self.build.at(block):
            for op in raw.ops:
                self.op(op)
        self.joins.pop()
        return block

    def op(self, raw: RawOp) -> None:
        """Append one op."""
        discardable = raw.discardable if not raw.name.startswith(PREFIX) else frozenset()
        raw.name = raw.name.removeprefix(PREFIX)
        special = _SPECIAL.get(raw.name)
        if special is not None:
            special(self, raw)
        else:
            self.plain(raw, discardable)

    def plain(self, raw: RawOp, discardable: frozenset[str] = frozenset()) -> None:
        """Append what an op of the text means."""
        whole = raw.name in transfers.NAMES and not (self.by_lanes and raw.name in transfers.BY_LANES)
        if not whole and raw.name not in OPS and raw.name not in MAKERS and raw.name not in JOINERS:
            raise unknown_op(raw.name).located(raw.loc)
        operands = self.operands(raw)
        if raw.name in RETURNS:  # places in memory go nowhere
            operands = self.given = [item for item in operands if isinstance(item, Value)]
        if raw.name.startswith(("arith.", "index.")) and any(isinstance(item, addresses.Address) for item in operands):
            self.address(raw, operands)
            return
        try:
            values = Attributes({key: read_attribute(text) for key, text in raw.attributes.items()}, discardable)
            results = [read_type(text) for text in raw.result_types]
            _refuse_parts(results)
            made: Made
            counters, joins = _PASSED.get(raw.name), None
            if counters is not None:
                joins, operands = self._joined(raw, operands, counters)
            regions = [self.block(region, joins, counters=1) for region in raw.regions]
            with self.build.located(raw.loc):
                if whole:
                    made = transfers.transfer(self.build, raw, operands, values, results, self.sizes, self.by_lanes)
                else:
                    made = make(self.build, raw, by_one_index(self.build, raw.name, operands), values, results, regions)
        except LayoutError as error:
            raise MlirTextError(f"{raw.name}: {error.message}", hint=error.hint, at=raw.loc) from None
        except XetileError as error:
            if error.at is None and not error.message.startswith(raw.name):
                error.message = f"{raw.name}: {error.message}"
            raise error.located(raw.loc) from None
        self._define(raw, made if isinstance(made, tuple) else tuple(made.results))
        if joins is not None and joins.addresses:
            self.values.update(zip(raw.results, joins.arrived(made.results)))  # type: ignore[union-attr]

    def _joined(self, raw: RawOp, operands: list[Any], bounds: int) -> tuple[addresses.Joins | None, list[Any]]:
        """The addresses that a loop or branch passes on, and its operands, or those of what ends its region, with numbers in their place."""
        with self.build.located(raw.loc):
            if raw.name != "scf.yield":
                joins = addresses.Joins(operands[bounds:])
                return joins, [*operands[:bounds], *joins.yielded(self.build, operands[bounds:])]
            around = self.joins[-1]
            return None, operands if around is None else around.yielded(self.build, operands)

    def operands(self, raw: RawOp) -> list[Any]:
        """What its operands stand for."""
        try:
            return [self.values[name] for name in raw.operands]
        except KeyError as missing:
            raise MlirTextError(f"{raw.name}: {missing.args[0]} is not defined here", at=raw.loc) from None

    def call(self, raw: RawOp) -> None:
        """The ops of the function that is called, in its place.  Raises MlirTextError for recursion, and types that differ."""
        called = self.functions.called(raw, raw.loc)
        if called.op in self.within or len(self.within) > MOST_CALLS:
            raise MlirTextError(f"{raw.name}: @{called.name} calls itself, or is called too deep", at=raw.loc)
        arguments, operands = called.op.regions[0].arguments, self.operands(raw)
        if [text for _, text, _ in arguments] != raw.operand_types or len(operands) != len(arguments):
            wanted = ", ".join(text for _, text, _ in arguments)
            raise MlirTextError(f"{raw.name}: @{called.name} takes ({wanted}), not ({', '.join(raw.operand_types)})", at=raw.loc)
        outer, self.values = self.values, dict(zip((name for name, _, _ in arguments), operands))
        self.within.append(called.op)
        *body, last = called.op.regions[0].ops
        if last.name not in RETURNS or any(op.name in RETURNS for op in body):
            raise MlirTextError(f"{raw.name}: @{called.name} has a return that is not its last op, or none", at=last.loc)
        for op in body:
            self.op(op)
        given = self.operands(last)
        self.within.pop()
        self.values = outer
        if [str(v.type) for v in given] != [str(self.type(text, raw.loc)) for text in raw.result_types]:
            raise MlirTextError(
                f"{raw.name}: @{called.name} gives {', '.join(str(v.type) for v in given) or 'nothing'}", at=raw.loc
            )
        self.values.update(zip(raw.results, given))

    def here(self, raw: RawOp) -> None:
        """The ops of a region that runs once, in its place.  Raises MlirTextError for one of several blocks."""
        if len(raw.regions) != 1 or raw.operands or not raw.regions[0].ops or raw.regions[0].arguments:
            raise MlirTextError(f"{raw.name} has one region, without arguments", at=raw.loc)
        *body, last = raw.regions[0].ops
        if last.name != "scf.yield" or len(last.operands) != len(raw.results):
            raise MlirTextError(f"{raw.name} does not end in an scf.yield of its results", at=raw.loc)
        for op in body:
            self.op(op)
        self.values.update(zip(raw.results, self.operands(last)))

    def part(self, raw: RawOp) -> None:
        """A part of an array, the same memory with another type or shape, or a size of it."""
        source, *rest = self._checked(raw, 2 if raw.name in (VIEW, DIM) else 1)
        result = self.type(raw.result_types[0], raw.loc)
        try:
            with self.build.located(raw.loc):
                made: Any
                if raw.name == SUBVIEW:
                    values = {key: read_attribute(text) for key, text in raw.attributes.items()}
                    made = subview(self.build, source, rest, values, result)
                elif raw.name == VIEW:
                    made = bytes_as(self.build, source, rest[0], result)
                elif raw.name == DIM:
                    made = self.sizes.of(source, rest[0]) or dim(self.build, source, rest[0])
                elif raw.name in RESHAPES:
                    made = reshaped(source, result)
                else:
                    made = cast(source, result)
        except XetileError as error:
            error.message = f"{raw.name}: {error.message}"
            raise error.located(raw.loc) from None
        self.values[raw.results[0]] = made

    def address(self, raw: RawOp, operands: Sequence[Any]) -> None:
        """What is computed of addresses of arrays is one."""
        try:
            results = [self.type(text, raw.loc) for text in raw.result_types]
            self.values[raw.results[0]] = addresses.computed(raw.name, operands, results)
        except XetileError as error:
            raise error.located(raw.loc) from None

    def pointer(self, raw: RawOp) -> None:
        """Where an array begins."""
        (source,) = self._checked(raw, 1)
        self.values[raw.results[0]] = addresses.pointer(source)

    def metadata(self, raw: RawOp) -> None:
        """An array, and the sizes and strides of its type."""
        (source,) = self.operands(raw)
        try:
            with self.build.located(raw.loc):
                made = addresses.metadata(self.build, source)
        except XetileError as error:
            raise error.located(raw.loc) from None
        self.values.update(zip(raw.results, made, strict=True))

    def _checked(self, raw: RawOp, least: int) -> list[Any]:
        """The operands of an op that has so many at least, the first of them memory, and one result."""
        operands = self.operands(raw)
        if (
            not least <= len(operands) <= (2 if raw.name == DIM else len(operands))
            or len(raw.result_types) != 1
            or len(raw.results) != 1
            or not isinstance(operands[0].type, MemRefType)
        ):
            raise MlirTextError(f"{raw.name} takes memory and gives memory or a matrix", at=raw.loc)
        return operands

    def mem_desc(self, raw: RawOp) -> None:
        """A matrix over shared local memory, or over a part of it."""
        source, *_ = self._checked(raw, 1)
        if not isinstance(source, View):
            self.plain(raw)
            return
        with self.build.located(raw.loc):
            self.values[raw.results[0]] = matrix_part(self.build, source, self.type(raw.result_types[0], raw.loc))

    def thread(self, raw: RawOp) -> None:
        """A number or a count of threads."""
        dimension = getattr(self.attribute(raw.attributes.get("dimension", "unit"), raw.loc), "keyword", None) or ""
        try:
            with self.build.located(raw.loc):
                self.values[raw.results[0]] = self.threads.value(raw.name, dimension)
        except XetileError as error:
            raise error.located(raw.loc) from None

    def _define(self, raw: RawOp, results: tuple[Value, ...]) -> None:
        if len(results) != len(raw.results):
            raise MlirTextError(f"{raw.name} has {len(results)} results, not {len(raw.results)}", at=raw.loc)
        hints = results_in_source(self.line(raw.loc), raw.loc)
        for i, (name, value) in enumerate(zip(raw.results, results)):
            value.name = hints[i] if len(hints) == len(raw.results) else written(name)
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


HERE = "scf.execute_region"
_PASSED = {"scf.for": 3, "scf.if": 1, "scf.yield": 0}
"""Ops that pass addresses on, and how many operands stand before what they pass."""

_SPECIAL: dict[str, Callable[[_Importer, RawOp], None]] = {
    CALL: _Importer.call,
    HERE: _Importer.here,
    **dict.fromkeys(PLACES, _Importer.part),
    "xegpu.create_mem_desc": _Importer.mem_desc,
    addresses.POINTER: _Importer.pointer,
    addresses.METADATA: _Importer.metadata,
    **dict.fromkeys(THREADS, _Importer.thread),
}
"""Ops that stand for values without being one of ours."""


def _refuse_parts(results: list[Type]) -> None:
    """Only memref.subview makes memory that starts elsewhere; raises MlirTextError."""
    for type in results:
        if isinstance(type, MemRefType) and type.offset != 0:
            raise MlirTextError(f"{type} starts at an offset, and only memref.subview makes such parts here")


# What the text does not say in so many words: the level, and how many subgroups there are.


def _complete(func: gpu.GpuFunc, each: int, size: int) -> None:
    """each: threads of a subgroup; size: of a workgroup, 0 where it is not known."""
    attributes = func.attributes
    count = max(_subgroups(func), default=0)
    if "level" not in attributes and any(op.opname.startswith(_OURS) for op in func.walk()):
        attributes["level"] = "xetile"
    if "level" not in attributes:
        attributes["level"] = xegpu.derived_level(func)
    xegpu.check_level(func, EXECUTED_BY[attributes["level"]])
    for op in func.walk():
        if isinstance(op, gpu.Alloca) and op.result.type.space != gpu_shared() and attributes["level"] != "vectors":
            raise not_reserved(op.result.type).located(op.loc)
    if "num_subgroups" not in attributes and (count or size):
        attributes["num_subgroups"] = count or max(1, size // each)


def _subgroups(func: gpu.GpuFunc) -> Iterator[int]:
    """How many subgroups each layout is for; parts of a workgroup have fewer than all."""
    yield from (prod(layout.root.sg_layout) for op in func.walk() for layout in xegpu.layouts_of(op) if layout.is_workgroup)
    yield from (op.attributes["sg_id_range"].end for op in func.walk() if "sg_id_range" in op.attributes)


__all__ = ["UNIT", "Opaque", "to_module"]
