"""Products of pairs and of fours by the processor's own instructions, which OpenCL has no functions for."""

from __future__ import annotations

from xetile.dialects.dot import DotPairs, DotQuads
from xetile.dialects.types import BF16

from ..module.encode import Id
from .emitter import Emitter
from .table import emits
from .values import Fragment, from_chunks, spans

# Operands in LLVM's order for x86: the destination, which may be read too, then sources from right to left.
_TEXT, _CONSTRAINTS = "{name} $3, $2, $0", "=v,0,v,v"
_PRODUCTS_TEXT, _PRODUCTS_CONSTRAINTS = "vpmaddwd $2, $1, $0", "=v,v,v"


@emits(DotPairs)
def emit_dot_pairs(e: Emitter, op: DotPairs) -> Fragment:
    """One instruction for each vector, or two where the sum takes one of its own."""
    if op.a.type.element is BF16:
        return _dot(e, op, "vdpbf16ps", e.f32)
    return _dot(e, op, "vpdpwssd", e.i32) if e.target.adds_pairs else _products_and_sum(e, op)


def _products_and_sum(e: Emitter, op: DotPairs) -> Fragment:
    """Two products of i16 in each word, added up; then the sum, which wraps as theirs does."""
    acc, a, b = (e[v] for v in op.operands)
    made = []
    for start, count in spans(acc.count, e.chunk):
        words = e.vector(e.i32, count)
        code = e.module.assembly(_PRODUCTS_TEXT, _PRODUCTS_CONSTRAINTS, words, words, words)
        pairs = e.emit("OpAsmCallINTEL", words, code, *(v.get(e, e.i32, start, count) for v in (a, b)))
        made.append(e.emit("OpIAdd", words, acc.get(e, e.i32, start, count), pairs))
    return from_chunks(e, acc.element, acc.count, made)


@emits(DotQuads)
def emit_dot_quads(e: Emitter, op: DotQuads) -> Fragment:
    """One instruction for each vector."""
    return _dot(e, op, "vpdpbusd", e.i32)


def _dot(e: Emitter, op: DotPairs | DotQuads, name: str, form: Id) -> Fragment:
    """The instruction on words that hold the factors."""
    acc, a, b = (e[v] for v in op.operands)
    made = []
    for start, count in spans(acc.count, e.chunk):
        kind, words = e.vector(form, count), e.vector(e.i32, count)
        code = e.module.assembly(_TEXT.format(name=name), _CONSTRAINTS, kind, kind, words, words)
        parts = [acc.get(e, form, start, count), a.get(e, e.i32, start, count), b.get(e, e.i32, start, count)]
        made.append(e.emit("OpAsmCallINTEL", kind, code, *parts))
    return from_chunks(e, acc.element, acc.count, made)
