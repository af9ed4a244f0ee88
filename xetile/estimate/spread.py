"""Numbers that one lane gives to all, of which the SPIR-V writer fills registers: arithmetic on two registers at a time takes two of them.

Other instructions read such a number where it lies, in the register of that lane.
"""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import arith, gpu, math, vector, xegpu
from xetile.dialects.types import BF16, F32, I16, I32, ScalarType, element_of
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.reach import reached

MOVES = (vector.ExtractStridedSlice, vector.InsertStridedSlice, vector.Insert, vector.Extract, vector.Broadcast,
         vector.ShapeCast)  # fmt: skip
"""The parts of one value in another."""
SAME_NUMBER = (arith.IndexCast, arith.IndexCastUI)
"""One number by another type."""
_SUMS = (arith.AddF, arith.SubF)
_BITWISE = (arith.AndI, arith.OrI, arith.XOrI, arith.ShLI, arith.ShRUI, arith.ShRSI)


def gives_one_lane(op: gpu.Shuffle) -> bool:
    """Whether an exchange fills vectors with what a known lane has: instructions read it as one element of a register."""
    if op.mode != "idx" or arith.constant_of(op.offset) is None:
        return False
    return isinstance(op.value.type, ScalarType) and _fills_vectors(op.shuffled)


def is_compared(op: gpu.Shuffle) -> bool:
    """Whether an exchange gives what a known lane has to comparisons alone, which read it where it lies."""
    return op.mode == "idx" and arith.constant_of(op.offset) is not None and _goes_to_comparisons(op.shuffled)


def _goes_to_comparisons(value: Value) -> bool:
    return all(
        isinstance(u, arith.CmpI) or (isinstance(u, SAME_NUMBER) and _goes_to_comparisons(u.results[0])) for u in value.users
    )


def _fills_vectors(value: Value) -> bool:
    """Whether a number is taken only to be put into vectors, or by another name."""
    return all(
        isinstance(u, (vector.Insert, vector.Broadcast)) or (isinstance(u, SAME_NUMBER) and _fills_vectors(u.results[0]))
        for u in value.users
    )


def fills_registers(value: Value) -> bool:
    """Whether some op that takes a number of f32 in all lanes computes on two registers at a time (`backends/spirv/emit/wide`)."""
    return element_of(value.type) is F32 and any(_is_wide(op) for op in takers(value))


def _is_wide(op: Op) -> bool:
    """Whether arithmetic is not left to IGC: to make one instruction of a product and a sum, or what goes on as a whole."""
    if not isinstance(op, Elementwise) or isinstance(op, math.Fma) or element_of(op.results[0].type) is not F32:
        return False
    made = op.results[0]
    if isinstance(op, arith.MulF) and all(isinstance(user, _SUMS) for user in takers(made)):
        return False
    if isinstance(op, _SUMS) and any(map(_is_product, op.operands)):
        return False
    return _starts_product(op) or _is_second_operand(made) or not any(map(_takes_whole, takers(made)))


def _is_second_operand(value: Value) -> bool:
    """Whether products take a number, narrowed, as second operands, which are worked out in f32 (`backends/spirv/assembly/singles`)."""
    made = reached([value], lambda v: (op.results[0] for op in v.users if isinstance(op, (arith.TruncF, *MOVES))))
    return any(isinstance(op, xegpu.Dpas) and position == 1 for v in made for op, position in v.uses)


def _takes_whole(op: Op) -> bool:
    return isinstance(op, arith.TruncF) or not isinstance(op, Elementwise)


def _is_product(value: Value) -> bool:
    """Whether all that takes a product are sums."""
    op = value.op
    if isinstance(op, arith.MulF):
        return all(isinstance(user, _SUMS) for user in takers(value))
    return isinstance(op, MOVES) and any(map(_is_product, op.operands))


def _starts_product(op: Op) -> bool:
    """Whether the next op is a product that adds to the result, and nothing else takes it."""
    assert op.parent is not None
    made = op.results[0]
    (user, *others) = made.users or (None,)
    if others or not isinstance(user, xegpu.Dpas) or user.acc is not made:
        return False
    ops = op.parent.ops
    return ops[ops.index(op) + 1] is user


def takers(value: Value) -> Iterator[Op]:
    """The ops that take a value or parts of it."""
    moved = reached([value], lambda v: (op.results[0] for op in v.users if isinstance(op, MOVES)))
    return (op for v in moved for op in v.users if not isinstance(op, MOVES))


def is_taken_by(value: Value, kind: type[Op]) -> bool:
    """Whether an op of a kind takes a value, or a vector that it is put into."""
    return any(isinstance(op, kind) for op in takers(value))


def is_of_bits(op: Op) -> bool:
    """Whether an op computes bits of 16, or makes numbers of what is computed so: for products the SPIR-V writer packs what is computed of
    bytes and of floats, not these.
    """
    if isinstance(op, arith.Bitcast):
        made = op.operands[0].op
        return made is not None and is_of_bits(made)
    return isinstance(op, _BITWISE) and all(element_of(value.type) is I16 for value in (*op.operands, *op.results))


def is_by_rows(op: Op, beside_products: bool = False) -> bool:
    """Whether the SPIR-V writer leaves numbers of 16 bits to IGC, which computes them row by row: bits, and beside products functions and
    what comparisons of floats choose. Choices by whole numbers, as masks are, LLVM moves to the product that takes them.
    """
    if not beside_products:
        return is_of_bits(op)
    if isinstance(op, arith.Select):
        made = op.condition.op
        while isinstance(made, MOVES):
            made = made.operands[0].op
        return isinstance(made, arith.CmpF)
    return is_of_bits(op) or (isinstance(op, math.OfFloats) and not isinstance(op, math.AbsF))


def is_single(element: ScalarType, op: Op) -> bool:
    """Whether narrow numbers that are computed lie in registers of their own until they are put together for a product.

    Vectors are rounded to bf16 as they are.
    """
    if isinstance(op, arith.TruncF) and element is BF16:
        return False
    return isinstance(op, (Elementwise, gpu.Shuffle)) and 1 < element.bits < I32.bits
