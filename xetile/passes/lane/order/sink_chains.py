"""Between products, chains of functions are computed one vector after the other: the code of a function needs registers of its own."""

from __future__ import annotations

from xetile.dialects import arith, math, vector, xegpu
from xetile.dialects.arith import constant_of
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import F16, I1, VectorType, element_of
from xetile.ir.core import Block, Elementwise, Op, Value, of_kind, type_of
from xetile.ir.rewriter import Rewriter
from xetile.target import Target


def sink_chains(module: GpuModule, target: Target) -> GpuModule:
    """Move elementwise ops down to the one elementwise op that uses them, in chains with a quotient or a function, in blocks with DPAS.

    Masks of several conditions go down too, with what they are computed of: there are few flags, and a mask that waits is moved out of
    them and back. So do other signs of numbers that products take both ways: the writer turns them as assembly, which IGC moves nowhere.

    Before and after: xegpu at lane level. Op by op over all vectors of a tile, what is live between the steps of each function's
    code is live beside all others': IGC orders nothing across the branches that quotients have. Blocks without DPAS are left to
    order_for_registers.
    """
    _sink(module.kernel.body)
    return module


_JOINING = (arith.AndI, arith.OrI)
_OF_COORDINATES = (arith.SIToFP, arith.UIToFP)
_ENDS = (*_JOINING, *_OF_COORDINATES)
_FUNCTIONS = (arith.DivF, math.Function, math.PowF)


def _sink(block: Block) -> None:
    for op in block.ops:
        for region in op.regions:
            _sink(region)
    if not of_kind(block.ops, xegpu.Dpas):
        return
    late = _of_functions(block) | _of_conditions(block) | _of_signs(block)
    if late:
        Rewriter().set_block(block, ordered(block, late))


def only_user(op: Op, position: dict[Op, int]) -> Op | None:
    """The op of the same block that an elementwise op may wait for with no more registers held."""
    if not isinstance(op, Elementwise) or len(op.results) != 1 or not op.results[0].has_one_use:
        return None
    (user,) = op.results[0].users
    if user not in position or not isinstance(user, Elementwise) or not isinstance(op.results[0].type, VectorType):
        return None
    last = [value for value in dict.fromkeys(op.operands) if _ends_at(value, op, position)]
    return user if sum(map(_bits, last)) <= _bits(op.results[0]) else None


def _of_conditions(block: Block) -> set[Op]:
    """Conditions that are made of others and taken once, and what they are computed of, where that is coordinates and constants."""
    if not of_kind(block.ops, _ENDS):
        return set()
    found: set[Op] = set()
    for op in block.ops:
        kind = op.results[0].type if len(op.results) == 1 else None
        if (
            isinstance(op, Elementwise)
            and isinstance(kind, VectorType)
            and (op.results[0].has_one_use or _is_made_positive(op.results[0]))
            and all(user.parent is block for user in op.results[0].users)
            and all(_is_shared(v, block, found) for v in op.operands)
        ):
            found.add(op)
    ends: set[Op] = {op for op in found if isinstance(op, _JOINING) and element_of(op.results[0].type) is I1}
    for op in block.ops:  # numbers made of coordinates, and what is computed of them
        if op in found and (isinstance(op, _OF_COORDINATES) or any(value.op in ends for value in op.operands)):
            ends.add(op)
    for op in reversed(block.ops):  # what they use
        if op in found and not ends.isdisjoint(op.results[0].users):
            ends.add(op)
    return ends


def _of_signs(block: Block) -> set[Op]:
    """Floats of 16 bits with other signs, and their parts, where the numbers themselves are taken after the first product that takes these."""
    signed = [op for op in of_kind(block.ops, (arith.NegF, math.AbsF)) if element_of(op.results[0].type).bits == F16.bits]
    position = {op: at for at, op in enumerate(block.ops)} if signed else {}
    late: set[Op] = set()
    for op in signed:
        parts, first = _parts_and_takers(op.results[0], position)
        _, others = _parts_and_takers(op.operands[0], position)
        if parts is not None and first and others and min(first) < max(others):
            late |= {op, *parts}
    return late


def _parts_and_takers(value: Value, position: dict[Op, int]) -> tuple[set[Op] | None, list[int]]:
    """The ops of a block that take parts of a value apart, None where others do too, and the places of those that take the parts."""
    parts: set[Op] | None = set()
    takers: list[int] = []
    for user in value.users:
        if user not in position:
            return None, []
        if not isinstance(user, vector.ExtractStridedSlice):
            takers.append(position[user])
            continue
        further, found = _parts_and_takers(user.results[0], position)
        takers += found
        parts = None if parts is None or further is None else {*parts, user, *further}
    return parts, takers


def _is_made_positive(value: Value) -> bool:
    """Whether nothing but an absolute value is made of an integer: the larger of it and its negative."""
    users = set(value.users)
    negative = {op for op in users if isinstance(op, arith.SubI) and constant_of(op.lhs) == 0}
    larger = users - negative
    return len(negative) == len(larger) == 1 and all(
        isinstance(op, arith.MaxSI) and {v.op for v in op.operands} >= negative for op in larger
    )


def _is_shared(value: Value, block: Block, found: set[Op]) -> bool:
    """Whether a value is there beside the rows, or is computed of such ones alone."""
    made = value.op
    shared = isinstance(made, (arith.Constant, vector.Broadcast, vector.ExtractStridedSlice))
    return shared or made in found or (made is not None and made.parent is not block) or not isinstance(value.type, VectorType)


def _ends_at(value: Value, op: Op, position: dict[Op, int]) -> bool:
    """Whether a vector may not be needed behind an op of its block."""
    if not isinstance(value.type, VectorType) or constant_of(value) is not None:
        return False
    if value.op is not None and value.op.parent is not op.parent:
        return False  # a loop's body needs it again
    return all(position.get(user, -1) <= position[op] for user in value.users)


def _bits(value: Value) -> int:
    return type_of(value, VectorType).count * element_of(value.type).bits


def _of_functions(block: Block) -> set[Op]:
    """The ops that may wait for their only user and are in a chain with a function."""
    found: set[Op] = set(filter(is_long, of_kind(block.ops, _FUNCTIONS)))
    if not found:
        return found
    position = {op: at for at, op in enumerate(block.ops)}
    user = {op: taken for op in block.ops if (taken := only_user(op, position)) is not None}
    for op in block.ops:  # what uses them
        if op in found and op in user:
            found.add(user[op])
    for op in reversed(block.ops):  # what they use
        if user.get(op) in found:
            found.add(op)
    return found & user.keys()


def is_long(op: Op) -> bool:
    """Whether IGC has many instructions for an op of f32: `emit/math` counts them; powers of 2 are one."""
    if isinstance(op, arith.DivF):
        return arith.APPROXIMATE not in op.attributes
    return isinstance(op, (math.Function, math.PowF)) and not isinstance(op, (math.Exp, math.Exp2))


def ordered(block: Block, late: set[Op]) -> list[Op]:
    """The ops of a block with each of some right before the first of the others that takes it."""
    ops: list[Op] = []

    def place(op: Op) -> None:
        for value in op.operands:
            if value.op in late and value.op not in placed:
                place(value.op)
        placed.add(op)
        ops.append(op)

    placed: set[Op] = set()
    for op in block.ops:
        if op not in late:
            place(op)
    return ops
