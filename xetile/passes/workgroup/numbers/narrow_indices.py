"""Index arithmetic on numbers from memory of which 32 bits are stored is integer arithmetic: `Y[...] = x + xt.arange(16)`, where x is of i32.

Nothing is known of numbers from memory, so that an index made of them needs 64 bits, and with it each address and counter of the kernel. The
lower 32 bits of sums, products and bits are those of the operands' lower 32 bits: a loop of 94 instructions on pvc takes 36 with them.
"""

from __future__ import annotations

from collections.abc import Sequence

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import I1, I32, INDEX, VectorType, element_of, like
from xetile.ir.core import Elementwise, Op, Value, Variable
from xetile.ir.interfaces import variables_of
from xetile.ir.rewriter import Rewriter
from xetile.passes.common.unused import erase_unused

_MODULAR = (arith.AddI, arith.SubI, arith.MulI, arith.AndI, arith.OrI, arith.XOrI)
_SAME_ELEMENTS = (vector.Broadcast, vector.ShapeCast, xetile.TileBroadcast, xetile.TileTranspose)
_NAMES = frozenset(kind.opname for kind in (*_MODULAR, *_SAME_ELEMENTS, arith.Select))


def narrow_indices(module: GpuModule) -> bool:
    """Compute in i32 what is an index of numbers from memory, and of which nothing takes more than 32 bits.

    Before and after: a traced module, before it is known how many bits its index has. Integers that stand for a whole index
    (`arith.WHOLE`) keep it; after this pass nothing says so. Gives whether anything was found.
    """
    casts = [op for op in module.find(arith.IndexCast) if _is_word(op)]
    found: set[Value] = set()
    if casts:
        variables = [v for v in variables_of(module) if isinstance(v.holders[0].type, VectorType) and _is_index(v.holders[0])]
        found = _of_data(module, _asked_for_words(module, variables), variables)
        made = _narrowed_values(module, [v for v in variables if v.holders[0] in found], found)
        _take_words([op for op in casts if op.operand in found], made)
    for op in module.find(arith.IndexCast):
        op.attributes.pop(arith.WHOLE, None)
    return bool(found)


def _narrowed_values(module: GpuModule, variables: Sequence[Variable], found: set[Value]) -> dict[Value, Value]:
    """The lower 32 bits of each value: in program order, so that what control flow passes on comes first."""
    rewrite, made = Rewriter(), dict[Value, Value]()
    for holder in (holder for variable in variables for holder in variable.holders):
        holder.set_type(like(holder.type, I32))
        made[holder] = holder
    for op in [op for op in module.walk() if op.opname in _NAMES and op.results[0] in found]:
        with rewrite.before(op), rewrite.located(op.loc):
            operands = [_as_word(v, made, rewrite) if _is_index(v) else v for v in op.operands]
            made[op.results[0]] = rewrite.clone(op, operands, [like(op.results[0].type, I32)]).results[0]
    for variable in variables:
        given = variable.given
        for (op, position), value in zip(variable.sources, given):
            with rewrite.before(op), rewrite.located(op.loc):
                rewrite.set_operand(op, position, _as_word(value, made, rewrite))
        erase_unused(given, rewrite)
    return made


def _take_words(casts: Sequence[Op], made: dict[Value, Value]) -> None:
    rewrite = Rewriter()
    for op in casts:
        given = op.operands[0]
        with rewrite.before(op), rewrite.located(op.loc):
            value = made[given]
            if element_of(op.results[0].type) is not I32:
                value = rewrite(arith.TruncI, value, result=op.results[0].type)
        rewrite.replace(op, value)
        erase_unused([given], rewrite)


def _is_index(value: Value) -> bool:
    return element_of(value.type) is INDEX


def _is_word(op: Op) -> bool:
    """Whether a cast takes no more than 32 bits of an index."""
    kind = op.results[0].type
    return _is_narrow(op.results[0]) and element_of(kind) is not I1 and arith.WHOLE not in op.attributes


def _asked_for_words(module: GpuModule, variables: Sequence[Variable]) -> set[Value]:
    """Indices that are worked out of others or passed on by control flow, of which only the lower 32 bits go on."""
    passed = {source: v.holders for v in variables for source in v.sources}
    found = {op.results[0] for op in module.find((*_MODULAR, *_SAME_ELEMENTS, arith.Select)) if _is_index(op.results[0])}
    found |= {holder for v in variables for holder in v.holders}
    groups = {holder: v.holders for v in variables for holder in v.holders}

    def goes_on(user: Op, position: int) -> bool:
        if isinstance(user, arith.IndexCast):
            return _is_word(user)
        if (user, position) in passed:
            return all(holder in found for holder in passed[user, position])
        return user.opname in _NAMES and user.results[0] in found

    new = list(found)
    while new:
        value = new.pop()
        if (
            value not in found
            or (value.uses and all(goes_on(*use) for use in value.uses))
            or (not value.users and value in groups)
        ):
            continue
        gone = groups.get(value, (value,))
        found.difference_update(gone)
        new += [v for each in gone for v in _feeding(each, variables)]
    return found


def _feeding(value: Value, variables: Sequence[Variable]) -> list[Value]:
    """What a value is made of: the operands of its op, or what control flow gives it."""
    given = [v for variable in variables if value in variable.holders for v in variable.given]
    return given or (list(value.op.operands) if value.op is not None else [])


def _of_data(module: GpuModule, candidates: set[Value], variables: Sequence[Variable]) -> set[Value]:
    """Those that are made of integers of 32 bits and fewer: others have the bits that their launch needs as they are."""
    found: set[Value] = set()
    before = -1
    while candidates and len(found) > before:
        before = len(found)
        for op in module.walk():
            if op.opname in _NAMES and op.results[0] in candidates and any(_is_data(v, found) for v in op.operands):
                found.add(op.results[0])
        for v in variables:
            if v.holders[0] in candidates and any(_is_data(given, found) for given in v.given):
                found.update(v.holders)
    return found


def _is_data(value: Value, found: set[Value]) -> bool:
    op = value.op
    if value in found:
        return True
    return isinstance(op, arith.INDEX_CASTS) and _is_narrow(op.operand) and _is_unknown(op.operand)


def _is_unknown(value: Value) -> bool:
    """Whether no launch knows a number: it is a vector's, or an element of one. Arguments, and what is worked out of them, it knows."""
    return isinstance(value.type, VectorType) or (value.op is not None and not isinstance(value.op, Elementwise))


def _is_narrow(value: Value) -> bool:
    kind = element_of(value.type)
    return kind is not INDEX and kind.bits <= I32.bits


def _as_word(value: Value, made: dict[Value, Value], build: Rewriter) -> Value:
    """The lower 32 bits: as they were made, of a number from memory the number itself, else of the index."""
    if value in made:
        return made[value]
    op, kind = value.op, like(value.type, I32)
    if not isinstance(op, arith.INDEX_CASTS) or not _is_narrow(op.operand):
        return build(arith.IndexCast, value, result=kind)
    if element_of(op.operand.type) is I32:
        return op.operand
    return build(arith.ExtUI if isinstance(op, arith.IndexCastUI) else arith.ExtSI, op.operand, result=kind)
