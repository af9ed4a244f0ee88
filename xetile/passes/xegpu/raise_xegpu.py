"""xegpu as XeTile's tiles, which the passes of XeTile kernels lower from here on: seed 001's blocked form is one of tiles, and blocking knows
the target's instructions, which block each takes, how lanes hold it, which messages move it, what has none.

One table says what each op becomes, at both levels. A kernel of products whose every op has a counterpart for tiles of two dimensions, and
whose every layout XeTile gives back, is raised whole at workgroup level: prefetches, staging and layouts are XeTile's then. All others
are raised when subgroups have their parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xetile.dialects import arith, gpu, scf, vector, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.levels import executed_by
from xetile.dialects.types import MemRefType, VectorType, shape_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.dispatch import Table
from xetile.layout import Layout, derive_mma
from xetile.passes.analysis.owners import plain_shape, same_owners
from xetile.passes.analysis.products import mma_uses
from xetile.passes.xegpu import raised_memory, raised_values
from xetile.passes.xegpu.check_messages import broken_rules
from xetile.passes.xegpu.columns import columns_of, part_constants
from xetile.passes.xegpu.raiser import Raiser
from xetile.target import Target

RAISE = Table(raised_memory.RAISE, raised_values.RAISE)
_BLOCKS = (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd, xegpu.CreateNdTdesc, xegpu.UpdateNdOffset, xegpu.Dpas)
_VALUES = (Elementwise, arith.Constant, vector.Broadcast, vector.Transpose, vector.Step)
_SHARED = (gpu.Alloca, gpu.ReinterpretCast, xegpu.CreateMemDesc, xegpu.MemDescSubview, xegpu.UpdateOffset)
_CONTROL = (scf.For, scf.If, scf.Yield, gpu.Return, gpu.BlockId, gpu.GridDim, gpu.Barrier)


def raise_xegpu(module: GpuModule, target: Target) -> GpuModule:
    """Make tiles of descriptors, and values of two dimensions of vectors.

    Before: workgroup-level xegpu with layouts everywhere (see propagate_layouts), or subgroup-level xegpu; XeTile's ops among them stay as
    they are. After: xetile of the same level, with xegpu's accesses of whole chunks; a workgroup's module that is not raised whole
    stays as it is. Products, stores and what is loaded for other ops have the user's layouts as maps; those of operands follow from the
    products'. Which lane holds what changes no value of the subgroup: blocks and operands are held as the target's messages bring them
    and its DPAS takes them, whatever lanes their layouts state. Raises LayoutError for ops that have no rule.
    """
    kernel = module.kernel
    whole = executed_by(kernel) == "workgroup"
    if whole and not is_raised(module):
        return module
    attributes = {"level": "xetile" if whole else "subgroup", "num_subgroups": kernel.num_subgroups or 1}
    scattered = _scattered(module, target)
    part_constants(kernel)
    return _Raising(module, target).convert_function(module, attributes | ({"scattered": scattered} if scattered else {}))


def _scattered(module: GpuModule, target: Target) -> tuple[str, ...]:
    """The arrays that 2D block messages cannot reach, as far as constant sizes tell (SPV_INTEL_2d_block_io)."""
    kernel = module.kernel
    names = kernel.arrays
    found = set(kernel.scattered)
    for op in kernel.walk():
        if isinstance(op, xegpu.CreateNdTdesc) and op.source in names and broken_rules(op, target, dense=True):
            found.add(names[op.source])
    return tuple(sorted(found))


def is_raised(module: GpuModule) -> bool:
    """Whether a kernel whose values have their layouts is one of products of blocks that XeTile says as well."""
    ops = [op for op in module.kernel.walk() if op is not module.kernel]
    products, subgroups = [op for op in ops if isinstance(op, xegpu.Dpas)], module.kernel.attributes.get("num_subgroups", 1)
    return bool(products) and all(map(_derived, products)) and all(_is_plain(op, subgroups) for op in ops)


def _operands(module: GpuModule) -> dict[Value, bool]:
    """Values that only products take as operands, by themselves or through elementwise ops and transposes."""
    feeding: dict[Value, bool] = {}

    def feeds(value: Value) -> bool:
        if value not in feeding:
            feeding[value] = False  # what a loop carries
            feeding[value] = bool(value.uses) and all(_into(op, at) for op, at in value.uses)
        return feeding[value]

    def _into(op: Op, at: int) -> bool:
        if isinstance(op, xegpu.Dpas):
            return at < 2
        return isinstance(op, (Elementwise, vector.Transpose)) and all(map(feeds, op.results))

    for op in module.kernel.walk():
        for result in op.results:
            if isinstance(result.type, VectorType):
                feeds(result)
    return feeding


def _layout(value: Value) -> Any:
    return value.op.attributes.get(f"layout_result_{value.index}") if value.op is not None else None


def _derived(op: xegpu.Dpas) -> bool:
    """Whether the operands are distributed as XeTile derives it from the result (seed 001, tile_mma), pieces along k apart."""
    result = _layout(op.result)
    if not isinstance(result, Layout) or len(plain_shape(op.rhs)) != 2 or len(op.lhs.type.shape) != 2:
        return False
    (m, n), k = op.result.type.shape, op.lhs.type.shape[1]
    return all(
        isinstance(have := _layout(value), Layout) and have.num_subgroups == result.num_subgroups
        and same_owners(_whole(have, dim, k), _whole(wanted, dim, k), plain_shape(value))
        for value, wanted, dim in zip((op.lhs, op.rhs), derive_mma(result, m, n, k), (1, 0))
    )  # fmt: skip


def _whole(layout: Layout, dim: int, extent: int) -> Layout:
    """With all of a dimension that no subgroup has a part of in one piece."""
    if not layout.sg_data or layout.sg_layout[dim] != 1:
        return layout
    return layout.with_sg(layout.sg_layout, [extent if d == dim else n for d, n in enumerate(layout.sg_data)])


def _is_plain(op: Op, subgroups: int) -> bool:
    """Whether XeTile has an op that does the same, on tiles of two dimensions, rows and columns among them."""
    if any(isinstance(v.type, VectorType) and not 0 < v.type.rank <= 2 for v in op.results) or "sg_id_range" in op.attributes:
        return isinstance(op, xegpu.LoadNd) and op.packed is not None and set(mma_uses(op.value)).isdisjoint({None})
    if any(layout.root.num_subgroups not in (1, subgroups) for layout in xegpu.layouts_of(op)):
        return False
    rule = _LIMITS.get(type(op))
    return (
        rule(op)
        if rule is not None
        else isinstance(op, (*_BLOCKS, *_VALUES, *_SHARED, *_CONTROL)) or op.opname.startswith("xetile.")
    )


def _is_matrix(op: xegpu.CreateNdTdesc) -> bool:
    kind = op.result.type
    return kind.rank <= 2 and kind.array_length == 1 and (kind.layout is None or isinstance(kind.layout, Layout))


def _is_scattered(op: Any) -> bool:
    """Whether each lane moves one element, of an array."""
    memory = op.desc if isinstance(op, xegpu.AtomicRmw) else op.dest if isinstance(op, xegpu.Store) else op.source
    value = op.operands[0] if isinstance(op, xegpu.Store) else op.results[0]
    alike = not isinstance(value.type, VectorType) or shape_of(op.mask.type) == shape_of(value.type) != ()
    return isinstance(memory.type, (MemRefType, xegpu.TensorDescType)) and alike


def _squeezed(value: Value) -> list[int]:
    return [n for n in shape_of(value.type) if n != 1]


# Ops of which XeTile has some alone.
_LIMITS: dict[type[Op], Callable[[Any], bool]] = {
    xegpu.CreateNdTdesc: _is_matrix,
    xegpu.LoadNd: lambda op: op.packed is None and op.transpose_bit_width is None,
    arith.Constant: lambda op: not isinstance(op.value, tuple),
    xegpu.ConvertLayout: lambda op: isinstance(op.target_layout, Layout) and op.result.type.rank == 2,
    gpu.ElementCast: lambda op: isinstance(op.operands[0].type, MemRefType),
    vector.MultiReduction: lambda op: op.source.type.rank == 2 and isinstance(op.result.type, VectorType),
    vector.ShapeCast: lambda op: _squeezed(op.source) == _squeezed(op.result),
    xegpu.CreateTdesc: lambda op: isinstance(op.source.type, MemRefType) and op.result.type.chunk_size == 1,
    **dict.fromkeys((xegpu.Load, xegpu.Store, xegpu.AtomicRmw), _is_scattered),
    xegpu.LoadMatrix: lambda op: isinstance(op.value.type, VectorType),
    xegpu.StoreMatrix: lambda op: isinstance(op.data.type, VectorType),
}


class _Raising(Raiser):
    """Blocks and products with the maps of their layouts."""

    def __init__(self, module: GpuModule, target: Target) -> None:
        super().__init__(RAISE, target, columns_of(module.kernel))
        self.feeding = _operands(module)

    def map_of(self, op: Any) -> Layout | None:
        """The layout of the block that an op moves or makes, as the value has it."""
        if isinstance(op, (xegpu.LoadNd, xegpu.Dpas)):
            found = None if self.feeding.get(op.results[0]) else _layout(op.results[0])
        elif isinstance(op, xegpu.ConvertLayout):
            found = op.target_layout
        elif isinstance(op, xegpu.StoreNd):
            found = op.layout or op.desc.type.layout or _layout(op.value)
        else:
            found = op.layout or op.desc.type.layout
        return found if isinstance(found, Layout) and found.is_workgroup and found.rank == 2 else None
