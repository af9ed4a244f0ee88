"""Operands of products that take many instructions to work out: each subgroup makes a part of them, and all take what they need.

Several subgroups multiply by the same rows of A, or columns of B. What is worked out on the way from memory (rotations of keys, numbers
that are quantized by a division) each of them would work out again; through shared local memory it is done once.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xetile.dialects import gpu, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType, element_of
from xetile.estimate.work import instructions_of
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.common.slm import bytes_of
from xetile.passes.workgroup.layouts.graph import Graph
from xetile.passes.workgroup.layouts.plan import LayoutPlan
from xetile.passes.workgroup.layouts.planned import layout_plan
from xetile.passes.workgroup.layouts.rules import operand_layouts, shape_of
from xetile.records import dataclass
from xetile.target import Target

EXCHANGED = 14
"""Instructions for a register of an operand that must be saved: so many bring it to shared memory and back."""
BUFFERS = 2
"""That an exchange in a loop takes in turn."""
_PLACES = (xetile.TileTranspose, xetile.TileBroadcast)


def share_operands(module: GpuModule, target: Target) -> GpuModule:
    """Let operands change their layout before products, where subgroups would do the same work again and registers do not hold it.

    Before and after: xetile at workgroup level. A `tile_conv_layout` without maps stands between an operand and its products: the operand
    gets a layout of its own. Where registers hold what each subgroup works out by itself that is better, unless its operands come through
    shared memory anyway: subgroups that wait for each other multiply at the same time, and leave DPAS alone at the same time. Kernels
    whose subgroups go ways of their own stay as they are, and what has a map by the user.
    """
    products = module.find(xetile.TileMma)
    if not products or not target.grf_modes or module.has(gpu.SubgroupId):
        return module
    budget = (target.slm_bytes - sum(bytes_of(op.result.type) for op in module.find(gpu.Alloca))) // BUFFERS
    registers = target.largest_grf if target.block2d else 0
    rewrite, shared = Rewriter(), dict[tuple[Value, int], Value]()
    for found in list(_worked_out(analyses.get(layout_plan, module, target), products)):
        key, size = (found.value, found.role), _bytes(found.value)
        if key not in shared and size <= budget and found.saved >= EXCHANGED and found.live > registers:
            budget -= size
            with rewrite.before(found.product), rewrite.located(found.product.loc):
                shared[key] = rewrite(xetile.TileConvLayout, found.value)
        if key in shared:
            rewrite.set_operand(found.product, found.role, shared[key])
    return module


@dataclass(frozen=True)
class _Operand:
    """The operand of a product in a role.

    saved   instructions for each of its registers that other subgroups do too.
    live    bytes of a subgroup's part: of what it is worked out from, of its widest form, and of the product's sums.
    """

    product: xetile.TileMma
    role: int
    value: Value
    saved: float
    live: float


def _worked_out(plan: LayoutPlan, products: list[xetile.TileMma]) -> Iterator[_Operand]:
    """The operands that are worked out in each step, from what is loaded or comes from outside of the loop."""
    graph = plan.graph
    for product in products:
        layout = plan.layout(product.result)
        sums = _bytes(product.result) * prod(layout.sg_data) / prod(shape_of(product.result))
        for role, own in enumerate(operand_layouts(product, layout)[:2]):
            value = product.operands[role]
            chain = _chain(value, graph, graph.depth[product])
            if own is None or graph.pin(value) is not None or not chain:
                continue
            part = prod(own.sg_data) / prod(shape_of(value))
            made = [v for v in chain if not isinstance(v.op, xetile.LoadTile)]
            work = sum(instructions_of(v.op) * prod(shape_of(v)) for v in made if v.op is not None) / prod(shape_of(value))
            held = sum(_bytes(v) for v in chain if v not in made) + max(map(_bytes, made), default=0)
            yield _Operand(product, role, value, (plan.num_subgroups * part - 1) * work, held * part + sums)


def _chain(value: Value, graph: Graph, depth: int) -> list[Value]:
    """What a value is worked out from as deep in loops, down to loads; empty where some of it comes from something else, as products."""
    found, queue = {value: None}, [value]
    while queue:
        op = queue.pop().op
        if isinstance(op, xetile.LoadTile):
            continue
        if not isinstance(op, (Elementwise, *_PLACES)):
            return []
        for v in op.operands:
            outside = v in graph.cheap or (v.op is not None and graph.depth[v.op] < depth)
            if isinstance(v.type, VectorType) and v not in found and not outside:
                found[v] = None
                queue.append(v)
    return list(found)


def _bytes(value: Value) -> int:
    return prod(shape_of(value)) * max(1, element_bytes(element_of(value.type)))
