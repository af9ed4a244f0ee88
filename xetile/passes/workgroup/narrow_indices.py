"""Index arithmetic on numbers from memory of which 32 bits are stored is integer arithmetic: `Y[...] = x + xt.arange(16)`, where x is of i32.

Nothing is known of numbers from memory, so that an index made of them needs 64 bits, and with it each address and counter of the kernel. The
lower 32 bits of sums, products and bits are those of the operands' lower 32 bits: a loop of 94 instructions on pvc takes 36 with them.
"""

from __future__ import annotations

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I1, I32, INDEX, VectorType, element_of, like
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.unused import erase_unused

_MODULAR = (arith.AddI, arith.SubI, arith.MulI, arith.AndI, arith.OrI, arith.XOrI)
_SAME_ELEMENTS = (vector.Broadcast, vector.ShapeCast, xetile.TileBroadcast, xetile.TileTranspose)
_FROM_INTEGERS = (arith.IndexCast, arith.IndexCastUI)


def narrow_indices(module: GpuModule) -> bool:
    """Compute in i32 what is an index of numbers from memory, and of which nothing takes more than 32 bits.

    Before and after: a traced module, before it is known how many bits its index has. Integers that stand for a whole index
    (`arith.WHOLE`) keep it; after this pass nothing says so. Gives whether anything was found.
    """
    casts = module.find(arith.IndexCast)
    found = _of_data(module, _asked_for_words(module)) if any(_takes_word(op, set()) for op in casts) else set()
    rewrite = Rewriter()
    made: dict[Value, Value] = {}
    for op in [op for op in casts if op.operand in found and _takes_word(op, found)]:
        with rewrite.before(op), rewrite.located(op.loc):
            value, kind = _as_word(op.operand, found, made, rewrite), element_of(op.result.type)
            if kind is not I32:
                value = rewrite(arith.TruncI, value, result=op.result.type)
        given = op.operand
        rewrite.replace(op, value)
        erase_unused([given], rewrite)
    for op in casts:
        op.attributes.pop(arith.WHOLE, None)
    return bool(found)


def _asked_for_words(module: GpuModule) -> set[Value]:
    """Indices that are worked out of others, of which only the lower 32 bits go on."""
    found: set[Value] = set()
    for op in reversed(list(module.walk())):
        if isinstance(op, (*_MODULAR, *_SAME_ELEMENTS, arith.Select)) and element_of(op.results[0].type) is INDEX:
            value = op.results[0]
            if value.uses and all(_takes_word(user, found) for user in value.users):
                found.add(value)
    return found


def _takes_word(op: Op, found: set[Value]) -> bool:
    if isinstance(op, arith.IndexCast):
        return _is_narrow(op.result) and element_of(op.result.type) is not I1 and arith.WHOLE not in op.attributes
    return bool(op.results) and op.results[0] in found


def _of_data(module: GpuModule, candidates: set[Value]) -> set[Value]:
    """Those that are made of integers of 32 bits and fewer: others have the bits that their launch needs as they are."""
    found: set[Value] = set()
    for op in module.walk() if candidates else ():
        if op.results and op.results[0] in candidates and any(_is_data(v, found) for v in op.operands):
            found.add(op.results[0])
    return found


def _is_data(value: Value, found: set[Value]) -> bool:
    op = value.op
    if value in found:
        return True
    return isinstance(op, _FROM_INTEGERS) and _is_narrow(op.operand) and _is_unknown(op.operand)


def _is_unknown(value: Value) -> bool:
    """Whether no launch knows a number: it is a vector's, or an element of one. Arguments, and what is worked out of them, it knows."""
    return isinstance(value.type, VectorType) or (value.op is not None and not isinstance(value.op, Elementwise))


def _is_narrow(value: Value) -> bool:
    kind = element_of(value.type)
    return kind is not INDEX and kind.bits <= I32.bits


def _as_word(value: Value, found: set[Value], made: dict[Value, Value], build: Rewriter) -> Value:
    """The lower 32 bits, where their user stands, or where they were made before."""
    op = value.op
    if value not in found or op is None:
        return _narrowed(value, build)
    if value not in made:
        with build.before(op), build.located(op.loc):
            operands = [_as_word(v, found, made, build) if element_of(v.type) is INDEX else v for v in op.operands]
            made[value] = build.clone(op, operands, [like(value.type, I32)]).results[0]
    return made[value]


def _narrowed(value: Value, build: Rewriter) -> Value:
    op, kind = value.op, like(value.type, I32)
    if not isinstance(op, _FROM_INTEGERS) or not _is_narrow(op.operand):
        return build(arith.IndexCast, value, result=kind)
    if element_of(op.operand.type) is I32:
        return op.operand
    return build(arith.ExtUI if isinstance(op, arith.IndexCastUI) else arith.ExtSI, op.operand, result=kind)
