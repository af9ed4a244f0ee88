"""Operands of products that are worked out element by element: by each subgroup that takes them, or once, to change hands.

A product's operand is needed by all subgroups of a row or a column of the grid. Where it is loaded, each loads it; where ops work it out
of what is loaded, each would repeat these for every element of it. Through shared memory it costs some messages and a barrier.
"""

from __future__ import annotations

from math import prod

from xetile.dialects import arith, math, xetile
from xetile.dialects.types import VectorType, element_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.layout import Layout
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.workgroup.layouts.graph import Graph, Node, shape_of_node
from xetile.target import Target
from xetile.target.blocks import WORD_BYTES

FUNCTION = 4
"""Instructions that a function of `math` counts as: its unit takes a quarter of the lanes in each clock."""

FEWEST = 3
"""Ops for each element from which on it may pay: types are converted where the elements are."""

GAIN = 1.5
"""How many times fewer instructions it must take: a barrier makes subgroups wait for each other."""


def worked_once(graph: Graph, root: Node, follows: Layout, subgroups: int, target: Target) -> bool:
    """Whether a class of values should be worked out once and change hands, where products take it as `follows` says."""
    ops, size = ops_of_class(graph, root, target)
    elements, whole = prod(follows.sg_data), prod(shape_of_node(root))
    return bool(ops) and handed_on(ops, elements, (whole, size), subgroups, target) < ops * elements / target.subgroup_size


def handed_on(ops: int, elements: int, operand: tuple[int, int], subgroups: int, target: Target) -> float:
    """By how many instructions a subgroup must have less where an operand, so many elements of so many bytes, is worked out once.

    `elements`: those that one subgroup takes. A message counts twice, for its address.
    """
    whole, size = operand
    share = max(whole // subgroups, target.subgroup_size)
    messages = -(-share * size // target.slm_block_bytes) - (-elements * size // target.slm_block_bytes)
    return GAIN * (ops * share / target.subgroup_size + target.barrier_instructions + 2 * messages)


def ops_of_class(graph: Graph, root: Node, target: Target) -> tuple[int, int]:
    """The ops for each element of a class that can be worked out once, and the bytes of its operands; (0, 0) of others.

    Those are classes in loops of loads and elementwise ops alone, whose operands are narrow, as those are that DPAS takes by block
    messages from shared memory.
    """
    members = [node for node in graph.members[root] if isinstance(node, Value)]
    made = [value.op for value in members]
    alone = all(isinstance(op, (Elementwise, xetile.LoadTile)) for op in made) and len(made) == len(graph.members[root])
    if target.block2d is None or not alone:
        return 0, 0
    taken = [value for value in members if isinstance(value.op, Elementwise) and _multiplied(value)]
    sizes = {element_bytes(element_of(value.type)) for value in taken}
    if len(sizes) != 1 or not all(1 < size < WORD_BYTES for size in sizes):
        return 0, 0
    if any(isinstance(op, xetile.LoadTile) and element_bytes(op.tile.type.element) == 1 for op in made):
        return 0, 0  # several of them are worked out at a time, in the words that they come in
    ops = sum(instructions(op) for op in made if op is not None and graph.depth[op])
    return (ops, sizes.pop()) if ops >= FEWEST else (0, 0)


def _multiplied(value: Value) -> bool:
    """Whether a product takes a value, or its transpose."""
    for op, position in value.uses:
        if isinstance(op, xetile.TileMma) and position < 2:
            return True
        if isinstance(op, xetile.TileTranspose) and any(isinstance(user, xetile.TileMma) for user in op.result.users):
            return True
    return False


def instructions(op: Op) -> int:
    """What an op costs for as many elements as there are lanes."""
    if not isinstance(op, Elementwise) or isinstance(op, arith.Bitcast) or not isinstance(op.results[0].type, VectorType):
        return 0
    return FUNCTION if isinstance(op, math.Function) else 1
