"""The layouts of a kernel with the number of subgroups that is least work: that of its plan, or one that is no power of two.

A product of 80 rows and columns has ten blocks by five: of two, four, eight subgroups each would work out what others do.
"""

from __future__ import annotations

from math import prod

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Op, Value
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.owners import same_owners, shares
from xetile.passes.analysis.products import mma_types
from xetile.passes.workgroup.layouts.choose import mma_blocks
from xetile.passes.workgroup.layouts.graph import Graph
from xetile.passes.workgroup.layouts.needs import Needs
from xetile.passes.workgroup.layouts.once import handed_on, instructions
from xetile.passes.workgroup.layouts.plan import LayoutPlan
from xetile.passes.workgroup.layouts.rules import shape_of
from xetile.target import Target

CLEARLY = 0.9
"""Another number of subgroups than a power of two is taken where all of them have at most so much of the work."""
ITERATIONS = 8
"""How often a loop is taken to run its body."""
DPAS = 8
"""Instructions of other units that one of DPAS takes as long as: eight steps of its array."""


def layout_plan(module: GpuModule, target: Target) -> LayoutPlan:
    """The layouts of a module as it is now. Raises LayoutError where the user's contradict each other."""
    graph = Graph(module)
    plan = LayoutPlan(graph, target)
    others = plan.other_numbers
    least = _work(plan) * CLEARLY if others else 0
    for other in (LayoutPlan(graph, target, count) for count in others):
        if (work := _work(other)) < least:
            plan, least = other, work
    return plan


def odd_shares(module: GpuModule, target: Target) -> list[int]:
    """Odd numbers by which the blocks of a kernel's products can be divided, more of their rows or columns than by powers of two."""
    blocks = {
        count for op in module.kernel.find(xetile.TileMma) for count in mma_blocks(shape_of(op.result), mma_types(op), target)
    }
    return [odd for odd in range(3, max(blocks, default=0) + 1, 2) if any(count % odd == 0 for count in blocks)]


def planned_subgroups(module: GpuModule, target: Target) -> int:
    """The subgroups of a workgroup: as many as the kernel says, else as its products suggest."""
    given = module.kernel.num_subgroups
    return int(given) if given is not None else layout_plan(module, target).num_subgroups


def _work(plan: LayoutPlan) -> float:
    """The instructions of all subgroups; more of them by how much of the machine is left free, since cores run whole workgroups."""
    needs, subgroups, graph, target = Needs(plan), plan.num_subgroups, plan.graph, plan.target
    found = 0.0
    for op, depth in graph.depth.items():
        for value in op.results:
            if isinstance(value.type, VectorType) and value not in graph.cheap:
                found += ITERATIONS**depth * _instructions(op, value, needs)
    most = target.max_subgroups(target.most_registers)
    return found * subgroups * most / (most // subgroups * subgroups)


def _instructions(op: Op, value: Value, needs: Needs) -> float:
    """Those of one subgroup for what an op gives, in all layouts in which that is needed."""
    plan, wanted = needs.plan, needs.of.get(value, [])
    if isinstance(op, xetile.LoadTile) and needs.can_reload(value):
        return sum(_messages(value, layout, plan.target) for layout in wanted)
    home = plan.layout(value)
    elements, lanes = prod(home.sg_data), plan.target.subgroup_size
    others = [layout for layout in wanted if not same_owners(layout, home, shape_of(value))]
    found = sum(_exchange(value, layout, plan) for layout in others)
    if isinstance(op, xetile.TileReduce):
        found += _joined(op, home, needs)
    if not isinstance(op, xetile.TileMma):
        return found + max(1, instructions(op)) * elements / lanes
    mma = plan.target.find_mma(*mma_types(op))
    steps = elements * op.a.type.shape[1]
    return found + (DPAS * steps / (max(mma.m) * mma.n * mma.k) if mma is not None else steps / lanes)


def _messages(value: Value, layout: Layout, target: Target) -> float:
    """Of block messages, each of a cache line's width and a block's rows; where there are none, of a row of each lane's element."""
    size = element_bytes(element_of(value.type))
    each = target.cache_line // size * target.block_rows if target.block2d is not None else target.subgroup_size
    return prod(layout.sg_data) / each


def _exchange(value: Value, layout: Layout, plan: LayoutPlan) -> float:
    """What it takes a subgroup to get its part of a value in another layout."""
    size = element_bytes(element_of(value.type))
    return handed_on(0, prod(layout.sg_data), (prod(shape_of(value)), size), plan.num_subgroups, plan.target)


def _joined(op: xetile.TileReduce, home: Layout, needs: Needs) -> float:
    """What it takes to join what several subgroups have reduced: numbers lie in a register each, and move one by one."""
    source = needs.reduced_source(op)
    if source in needs.graph.cheap:
        return 0
    parts = shares(needs.plan.layout(source), shape_of(source))
    count = prod(parts[dim].distinct for dim in op.dims)
    return _exchange(op.result, home, needs.plan) + (1 + count) * prod(home.sg_data) if count > 1 else 0
