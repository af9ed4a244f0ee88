"""Loads of products' operands stand together in groups.

A message that brings an operand where products have read the one before waits for them, and the products wait for it: an instruction each,
as a message names one thing that it waits for. Of several that stand together the first alone does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from xetile.dialects import vector, xegpu
from xetile.dialects.gpu import GpuModule
from xetile.dialects.tables import Choose, LookUp
from xetile.dialects.types import VectorType
from xetile.estimate import fullness
from xetile.ir.core import Block, Op, Value, of_kind
from xetile.ir.rewriter import Rewriter
from xetile.records import dataclass
from xetile.target import Target

MOST = 4
"""Loads that stand together: IGC spills with more. Their registers hold nothing else until the products have taken all of them."""
PAIR = 2
"""The same where registers do not hold more."""
FULL, FULL_BESIDE_HEADERS = 0.96, 0.93
"""The share of the registers up to which IGC takes the order that it finds; less where loads have headers of their own."""
FULL_OF_PAIRS = 0.953
"""The same for pairs in loops of products alone: they save more than the headers do that would take these registers."""
EMPTY = 0.5
"""The share up to which IGC brings everything early by itself."""
_PARTS = (vector.ExtractStridedSlice, vector.Bitcast)
_LOOK_UPS = (LookUp, Choose)


def group_loads(module: GpuModule, target: Target) -> GpuModule:
    """Let loads that come one by one between the products of a loop stand together, where registers hold them.

    Before and after: xegpu at lane level. A load passes only products and what takes parts of operands: nothing that writes memory, waits,
    or computes with what products give. Loops of products alone IGC puts in order by itself, but for loads of several operands that registers
    do not hold together: it brings these one by one. There nothing moves where numbers are looked up: tables of pairs take what is left.
    """
    if target.block2d is None:
        return module
    kernel, rewrite, most = module.kernel, Rewriter(), FULL if target.block_offsets else FULL_BESIDE_HEADERS
    blocks = [op.regions[-1] for op in kernel.walk() if op.repeats]
    alone = {block for block in blocks if not _computes_with_products(block)}
    found = {block: [run for run in _runs(block, block in alone) if len(run.loads) > 1] for block in blocks}
    waiting = {block: (tuple(block.ops), runs) for block, runs in found.items() if runs}
    for size in (MOST, PAIR):
        for block, (ops, runs) in waiting.items():
            rewrite.set_block(block, _grouped(ops, runs, len(ops) if size == MOST and block in alone else size))
        full = fullness(kernel, target) if waiting else {}
        pairs = max(most, FULL_OF_PAIRS) if size == PAIR else most
        fit = {block for block in waiting if full[block] <= (pairs if block in alone else most)}
        if size == MOST:
            _restore({block: ops for block, (ops, _) in waiting.items() if block in alone and full[block] <= EMPTY}, rewrite)
        waiting = {block: known for block, known in waiting.items() if block not in fit}
    _restore({block: ops for block, (ops, _) in waiting.items()}, rewrite)
    return module


def _restore(orders: dict[Block, tuple[Op, ...]], rewrite: Rewriter) -> None:
    for block, ops in orders.items():
        rewrite.set_block(block, ops)


def _computes_with_products(block: Block) -> bool:
    return any(
        not user.terminator and not isinstance(user, xegpu.Dpas)
        for op in block.ops
        if isinstance(op, xegpu.Dpas)
        for user in op.result.users
    )


@dataclass
class _Run:
    """Loads of operands between which nothing but products stands, and the numbers between them that they need."""

    loads: list[Op] = field(default_factory=list)
    numbers: list[Op] = field(default_factory=list)
    behind: set[Op] = field(default_factory=set)
    """What stands behind the first load and stays there."""

    def may_lead(self, op: Op) -> bool:
        """Whether all that an op takes is there when the first load stands."""
        return not any(value.op in self.behind for value in op.operands)


def _runs(block: Block, alone: bool) -> Iterator[_Run]:
    if alone and of_kind(block.ops, _LOOK_UPS):
        return
    run = _Run()
    for op in block.ops:
        if _brings(op, several=alone) and run.may_lead(op):
            run.loads.append(op)
        elif run.loads and _is_number(op) and run.may_lead(op):
            run.numbers.append(op)
        elif run.loads and not isinstance(op, (xegpu.Dpas, *_PARTS)):
            yield run
            run = _Run([op] if _brings(op, several=alone) else [])
        if run.loads and op not in run.numbers:
            run.behind.add(op)
    yield run


def _brings(op: Op, *, several: bool) -> bool:
    """Whether an op loads one operand of products beside it, as these take it, or several, of which they take parts."""
    if not isinstance(op, xegpu.LoadNd):
        return False
    users = list(op.value.users)
    if len(users) == 1 and isinstance(users[0], vector.Bitcast):
        users = list(users[0].result.users)
    if several:
        return bool(users) and all(isinstance(user, _PARTS) and _is_taken(user.result, op) for user in users)
    return _is_operands(users, op)


def _is_taken(value: Value, load: Op) -> bool:
    """Whether products beside a load, and nothing else, take a value or parts of it."""
    users = list(value.users)
    return _is_operands(users, load) or (
        bool(users) and all(isinstance(user, _PARTS) and _is_taken(user.result, load) for user in users)
    )


def _is_operands(users: list[Op], load: Op) -> bool:
    return bool(users) and all(isinstance(user, xegpu.Dpas) and user.parent is load.parent for user in users)


def _is_number(op: Op) -> bool:
    """Whether an op computes single numbers and does nothing to memory."""
    return op.pure and not op.regions and not any(isinstance(value.type, VectorType) for value in op.results)


def _grouped(ops: tuple[Op, ...], runs: list[_Run], size: int) -> list[Op]:
    """Ops with loads in as few groups as `size` allows, all of about as many."""
    lead, follow = dict[Op, list[Op]](), dict[Op, list[Op]]()
    for run in runs:
        lead[run.loads[0]] = run.numbers
        groups = -(-len(run.loads) // size)
        for number in range(groups):
            first, *others = run.loads[len(run.loads) * number // groups : len(run.loads) * (number + 1) // groups]
            follow[first] = others
    moved = {op for found in (lead, follow) for several in found.values() for op in several}
    order: list[Op] = []
    for op in ops:
        if op not in moved:
            order += (*lead.get(op, ()), op, *follow.get(op, ()))
    return order
