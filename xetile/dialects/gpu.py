"""gpu: kernels, ids, barriers and exchange between lanes (MLIR's gpu dialect, LLVM 22), with memref.alloca and cf.assert."""

from __future__ import annotations

from typing import Any

from xetile.dialects.types import I1, I32, INDEX, MemRefType, ScalarType, VectorType
from xetile.errors import LayoutError
from xetile.failures import FAILURE_WORDS
from xetile.ir.core import Block, Op, Type, Typed, Value, attribute, operand, region, result
from xetile.records import dataclass


class GpuModule(Op, name="gpu.module"):
    """The outermost op: holds kernels."""

    sym_name: str = attribute("symbol")
    body: Block = region()

    def print(self, p: Any) -> str:
        """`gpu.module @name { ... }`."""
        return f"gpu.module @{self.sym_name} {p.block(self.body)}"

    @property
    def kernel(self) -> GpuFunc:
        """The only kernel."""
        (func,) = [op for op in self.body.ops if isinstance(op, GpuFunc)]
        return func


_ARGS = "xetile.args"
FAILURES = "failures"
FAILURES_TYPE = MemRefType((FAILURE_WORDS,), I32)


@dataclass(frozen=True)
class KernelArg:
    """What one argument of a kernel is at launch.

    `kind`: "array" (address of parameter `param`), "dim" or "stride" (in elements) of its axis `axis`, "scalar", or "failures"
    (memory of the launcher's own, see `add_failures`).
    `dtype`: the user's element type, for arrays and scalars.
    """

    kind: str
    param: str
    axis: int = 0
    dtype: str = ""

    @classmethod
    def parse(cls, text: str) -> KernelArg:
        """The inverse of `str()`: `array A f16`, `dim A 0`, `stride A 1`, `scalar n i32`.  Raises ValueError."""
        kind, param, last = text.split()
        if kind not in ("array", "dim", "stride", "scalar", FAILURES):
            raise ValueError(f"an argument is array, dim, stride, scalar or failures, not {kind}")
        return cls(kind, param, int(last)) if kind in ("dim", "stride") else cls(kind, param, dtype=last)

    def __str__(self) -> str:
        return f"{self.kind} {self.param} {self.axis if self.kind in ('dim', 'stride') else self.dtype}"

    @property
    def is_plain(self) -> bool:
        """Whether name and type of the IR's argument say all."""
        return self.kind in ("array", "scalar") and not self.dtype.startswith("u")


class GpuFunc(Op, name="gpu.func"):
    """A kernel: what is passed at launch for each argument, and what is known of it."""

    sym_name: str = attribute("symbol")
    args: tuple[KernelArg, ...] = attribute()
    level: str | None = attribute(optional=True)  # of the pipeline
    num_subgroups: int | None = attribute(optional=True)
    subgroup_size: int | None = attribute(optional=True)
    index_bits: int = attribute(default=32)
    fast_math: bool = attribute(default=False)  # sums of products contract, quotients and roots are off by some ulp: `xt.jit`
    requires: str | None = attribute(optional=True)  # what it states of its arguments, as xetile.requirements writes it
    # Names of array parameters.
    scattered: tuple[str, ...] = attribute(default=())  # break the rules of 2D block messages: accessed element by element
    ragged: tuple[str, ...] = attribute(default=())  # rows are no whole runs of a lane
    close: tuple[str, ...] = attribute(default=())  # rows lie so close that no block message writes a few columns alone
    lines: tuple[str, ...] = attribute(default=())  # of one dimension, whole lines of the cache
    long: tuple[str, ...] = attribute(default=())  # of one dimension, scattered for their length alone
    free: tuple[str, ...] = attribute(default=())  # of three and more, planes of any two axes obey the rules of block messages
    far: tuple[str, ...] = attribute(default=())  # rows lie so far apart that no block message reaches every n-th alone
    flat: tuple[str, ...] = attribute(default=())  # "X 0 1": places in X are counted as if its axes 0 and 1 lay row by row
    # What passes have found out.
    multiples: tuple[str, ...] = attribute(default=())  # "W 0 1": the size of W along axis 0 is a multiple of 2**1
    same: tuple[str, ...] = attribute(
        default=()
    )  # "stride A 0 dim B 1": the stride of A along axis 0 is the size of B along axis 1
    lane_runs: bool = attribute(default=False)  # lanes take runs of elements that follow each other
    grf: int | None = attribute(optional=True)
    live_bytes: int | None = attribute(optional=True)  # of values of a thread, at most at once
    pairs: Any = attribute("unit", optional=True)  # tables of f32 for products are looked up by two codes at once, in all pairs
    reloads: Any = attribute("unit", optional=True)  # what products take twice is loaded twice: registers do not hold it between
    crowded: Any = attribute("unit", optional=True)  # IGC alone can order its arithmetic to fit the registers: none is assembly
    body: Block = region()

    @property
    def specs(self) -> dict[Value, KernelArg]:
        """What is passed at launch for each argument."""
        return dict(zip(self.body.args, self.args))

    @property
    def arrays(self) -> dict[Value, str]:
        """The arguments that are arrays, with the names of their parameters."""
        return {value: spec.param for value, spec in self.specs.items() if spec.kind == "array"}

    def verify(self) -> None:
        """Passes tell each other nothing that is not declared."""
        unknown = self.attributes.keys() - {field.name for field in self.attribute_fields}
        if unknown:
            raise self.fail(f"no kernel has the attribute {min(unknown)}")

    def print(self, p: Any) -> str:
        """`gpu.func @name(%A: type, ...) kernel attributes {...} { ... }`."""
        args = ", ".join(f"{p.name(a)}: {a.type}" for a in self.body.args)
        extra = p.attr_dict(self, {"sym_name", "args"}, before=" attributes ", prefix="xetile.")
        if not all(spec.is_plain for spec in self.args):
            known = f"{_ARGS} = [{', '.join(p.string(str(spec)) for spec in self.args)}]"
            extra = f" attributes {{{known}{', ' if extra else ''}{extra.removeprefix(' attributes {') or '}'}"
        return f"gpu.func @{self.sym_name}({args}) kernel{extra} {p.block(self.body)}"


class Return(Op, name="gpu.return", terminator=True):
    """Ends a kernel."""

    format = "attr-dict"


def _index(op: Op) -> Type:
    return INDEX


DIMENSIONS = ("x", "y", "z")


class _ByDimension(Op):
    def verify(self) -> None:
        if self.attributes["dimension"] not in DIMENSIONS:
            raise self.fail(f"dimension {self.attributes['dimension']} is none of {', '.join(DIMENSIONS)}")


class BlockId(_ByDimension, name="gpu.block_id", pure=True):
    """Which program (workgroup) this is, along x, y or z."""

    format = "$dimension"
    dimension: str = attribute("keyword")
    result: Value = result(infer=_index)


class GridDim(_ByDimension, name="gpu.grid_dim", pure=True):
    """How many programs there are along x, y or z."""

    format = "$dimension"
    dimension: str = attribute("keyword")
    result: Value = result(infer=_index)


class SubgroupId(Op, name="gpu.subgroup_id", pure=True):
    """Which subgroup of the workgroup this is; the same in all its lanes."""

    format = "attr-dict `:` type($result)"
    result: Value = result(infer=_index)


class LaneId(Op, name="gpu.lane_id", pure=True):
    """Which lane of the subgroup this is."""

    format = "attr-dict"
    result: Value = result(infer=_index)


class Barrier(Op, name="gpu.barrier"):
    """All subgroups of the workgroup wait here; shared local memory written before is seen after."""

    format = "attr-dict"


class BarrierArrive(Op, name="spirv.INTEL.ControlBarrierArrive"):
    """First half of a split barrier of the workgroup (SPV_INTEL_split_barrier)."""

    format = "`<Workgroup>` `<Workgroup>` `<AcquireRelease|WorkgroupMemory>`"


class BarrierWait(Op, name="spirv.INTEL.ControlBarrierWait"):
    """Second half of a split barrier of the workgroup (SPV_INTEL_split_barrier)."""

    format = "`<Workgroup>` `<Workgroup>` `<AcquireRelease|WorkgroupMemory>`"


class Shuffle(Op, name="gpu.shuffle", pure=True):
    """A value of another lane: `mode` xor, up, down or idx with `offset`; `width` is the subgroup size."""

    # `gpu.shuffle xor %v, %offset, %width : f32`.
    format = "$mode $value `,` $offset `,` $width `:` type($value)"
    value: Value = operand()
    offset: Value = operand()
    width: Value = operand()
    mode: str = attribute("keyword")
    shuffled: Value = result(infer=lambda op: op.value.type)
    valid: Value = result(infer=lambda op: I1)


class SubgroupReduce(Op, name="gpu.subgroup_reduce", pure=True):
    """Reduction over the lanes, each element of a vector by itself; all lanes get the result. `cluster_size` lanes if given."""

    value: Value = operand()
    kind: str = attribute("keyword")
    cluster_size: int | None = attribute("i32", optional=True)
    cluster_stride: int | None = attribute("i32", optional=True)
    result: Value = result(infer=lambda op: op.value.type)

    def print(self, p: Any) -> str:
        """`gpu.subgroup_reduce add %v : (f32) -> f32`."""
        cluster = f" cluster(size = {self.cluster_size}" if self.cluster_size else ""
        cluster += f", stride = {self.cluster_stride}" if self.cluster_size and self.cluster_stride else ""
        cluster += ")" if self.cluster_size else ""
        kind = {"maxnumf": "maxnumf", "minnumf": "minnumf"}.get(self.kind, self.kind)
        return f"gpu.subgroup_reduce {kind} {p.name(self.value)}{cluster} : ({self.value.type}) -> {self.result.type}"


class Printf(Op, name="gpu.printf"):
    """Print a line with C's format and scalar arguments."""

    # `gpu.printf "x %d\n", %x : i32`.
    format = "$message (`,` $arguments^ `:` type($arguments))?"
    arguments: tuple[Value, ...] = operand(variadic=True)
    message: str = attribute("str")


class Alloca(Op, name="memref.alloca", allocates=True):
    """Shared local memory of a workgroup (memory space 3); lives as long as the workgroup."""

    # `memref.alloca() : memref<1024xi8, 3>`.
    format = "`` `(` `` `)` attr-dict `:` type($result)"
    result: Typed[MemRefType] = result(MemRefType)

    def verify(self) -> None:
        """A matrix that lies in blocks consists of whole ones."""
        if self.result.type.order is not None:
            try:
                self.result.type.order.check(self.result.type.shape)
            except LayoutError as error:
                raise self.fail(error.message) from None


class ReinterpretCast(Op, name="memref.reinterpret_cast", pure=True):
    """The same memory as one dimension of `size` elements; scattered access counts offsets from its start."""

    # `memref.reinterpret_cast %A to offset: [0], sizes: [%n], strides: [1] : memref<...> to memref<?xf16, strided<[1]>>`.
    format = (
        "$source `to` `offset` `` `:` `[` `0` `]` `,` `sizes` `` "
        "`:` `[` $size `]` `,` `strides` `` `:` `[` `1` `]` `:` type($source) `to` type($result)"
    )
    source: Typed[MemRefType] = operand(MemRefType)
    size: Value = operand()
    result: Typed[MemRefType] = result(
        MemRefType, infer=lambda op: MemRefType((None,), op.source.type.element, (1,), op.source.type.space)
    )


class ElementCast(Op, name="builtin.unrealized_conversion_cast", pure=True):
    """The same memory as elements of another width (what 32-bit transposing loads make of narrower elements), or that at an address."""

    format = "$source attr-dict `:` type($source) `to` type($result)"
    source: Typed[MemRefType | ScalarType] = operand((MemRefType, ScalarType))
    result: Typed[MemRefType] = result(MemRefType)

    def verify(self) -> None:
        kind = self.source.type
        if isinstance(kind, ScalarType) and kind.name not in ("i32", "i64", "ui32", "ui64"):
            raise self.fail(f"takes a memref or an address, not {kind}")


class Assert(Op, name="cf.assert"):
    """Stop with a message where the condition does not hold: a text, or with values C's format of them."""

    condition: Typed[ScalarType] = operand(ScalarType)
    values: tuple[Value, ...] = operand(variadic=True)
    message: str = attribute("str")

    def print(self, p: Any) -> str:
        """`cf.assert %c, "message"`; with values in the generic form."""
        if not self.values:
            return f"cf.assert {p.name(self.condition)}, {p.string(self.message)}"
        names, types = ", ".join(map(p.name, self.operands)), ", ".join(str(v.type) for v in self.operands)
        return f'"cf.assert"({names}) {{message = {p.string(self.message)}}} : ({types}) -> ()'


def add_failures(func: GpuFunc) -> None:
    """An argument more: where a failed assertion is noted."""
    func.body.add_arg(FAILURES_TYPE, FAILURES)
    func.attributes["args"] = (*func.args, KernelArg(FAILURES, "__failures__", 0, "i32"))


def failures_of(func: GpuFunc) -> Value | None:
    """That argument; None of kernels without assertions."""
    return next((a for a, spec in func.specs.items() if spec.kind == FAILURES), None)


def kernel_of(module: Op) -> GpuFunc:
    """The kernel of a module."""
    assert isinstance(module, GpuModule)
    return module.kernel


def new_module(name: str, arg_types: list[Type], args: list[KernelArg], names: list[str], **attributes: Any) -> GpuModule:
    """A module with one empty kernel."""
    from xetile.ir.builder import create

    func = create(GpuFunc, sym_name=name, args=tuple(args), regions=[Block(arg_types, names)], **attributes)
    module = create(GpuModule, sym_name=name, regions=[Block()])
    module.body.append(func)
    return module


__all__ = [n for n in dir() if n[0].isupper()] + ["VectorType", "kernel_of", "new_module"]
