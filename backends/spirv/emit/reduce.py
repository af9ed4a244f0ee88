"""Combining values: the kinds of reductions, over a fragment's elements and over the lanes of a subgroup."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from xetile.dialects import gpu, vector
from xetile.dialects.types import F16, F32, I1, I8, I16, I32, ScalarType

from ..module.encode import Id
from ..module.errors import SpirvError
from .arith import COMPUTED_IN_F32, compute, extreme
from .cast import convert_float, extend, truncate
from .emitter import Emitter
from .gpu import exchange
from .table import emits
from .values import Fragment, concatenate, from_scalar, mapped, one_by_one

_INSTRUCTIONS = {"mul": "OpIMul", "and": "OpBitwiseAnd", "or": "OpBitwiseOr", "xor": "OpBitwiseXor"}
_INTEGER_EXT = {"maxsi": "s_max", "maxui": "u_max", "minsi": "s_min", "minui": "u_min"}
_FLOAT_EXT = {"maxnumf": "fmax", "minnumf": "fmin"}
_PROPAGATING = {"maximumf": "OpFOrdLessThan", "minimumf": "OpFOrdGreaterThan"}
_BOOLEAN = {
    "add": "OpLogicalNotEqual", "xor": "OpLogicalNotEqual", "mul": "OpLogicalAnd", "and": "OpLogicalAnd", "or": "OpLogicalOr",
    "maxui": "OpLogicalOr", "minui": "OpLogicalAnd", "maxsi": "OpLogicalAnd", "minsi": "OpLogicalOr",
}  # fmt: skip


def combine(e: Emitter, kind: str, a: Fragment, b: Fragment) -> Fragment:
    """`a kind b`, element by element."""
    element = a.element
    if element.is_float:
        return compute(e, _float_function(e, kind, element), a, b)
    form = e.form(element)
    if kind in _INTEGER_EXT and element is not I1:
        return mapped(e, element, lambda n, x, y: e.ext(e.vector(form, n), _INTEGER_EXT[kind], x, y), a, b)
    name = _BOOLEAN.get(kind) if element is I1 else "OpIAdd" if kind == "add" else _INSTRUCTIONS.get(kind)
    if name is None:
        raise SpirvError(f"no reduction {kind} of {element}")
    return mapped(e, element, lambda n, x, y: e.emit(name, e.vector(form, n), x, y), a, b)


def _float_function(e: Emitter, kind: str, element: ScalarType) -> Callable[[Id, int], Callable[..., Id]]:
    if kind in ("add", "mul"):
        name = "OpFAdd" if kind == "add" else "OpFMul"
        return lambda form, n: lambda x, y: e.emit(name, e.vector(form, n), x, y)
    if kind in _FLOAT_EXT:
        return lambda form, n: lambda x, y: e.ext(e.vector(form, n), _FLOAT_EXT[kind], x, y)
    if kind in _PROPAGATING:
        return extreme(e, _PROPAGATING[kind])
    raise SpirvError(f"no reduction {kind} of {element}")


def reduce_fragment(e: Emitter, kind: str, value: Fragment) -> Fragment:
    """All elements combined to one, halves at a time: a tree, so that instructions do not wait for each other."""
    while value.count > 1:
        half = value.count // 2
        combined = combine(e, kind, value.slice(e, 0, half), value.slice(e, half, half))
        rest = value.slice(e, 2 * half, value.count % 2)
        value = concatenate(value.element, [combined, rest]) if rest.count else combined
    return value


@emits(vector.MultiReduction)
def emit_reduction(e: Emitter, op: vector.MultiReduction) -> Fragment:
    """The elements of a fragment along some dimensions, and `acc`, combined."""
    shape, dims = op.source.type.shape, tuple(op.dims)
    source, start = concatenate(e[op.source].element, [e[op.source]]), e[op.acc]
    made = []
    for number, line in enumerate(_lines(shape, dims)):
        reduced = reduce_fragment(
            e,
            op.kind,
            concatenate(source.element, [source.slice(e, at, 1) for at in line]) if len(line) < source.count else source,
        )
        pair = concatenate(reduced.element, [from_scalar(e, reduced.element, reduced.scalar(e)), start.slice(e, number, 1)])
        made.append(reduce_fragment(e, op.kind, pair))
    return concatenate(source.element, made)


def _lines(shape: tuple[int, ...], dims: tuple[int, ...]) -> list[list[int]]:
    """For each result of a reduction, row-major, the places of what it is made of."""
    lines: dict[tuple[int, ...], list[int]] = {}
    for place, at in enumerate(product(*map(range, shape))):
        lines.setdefault(tuple(n for d, n in enumerate(at) if d not in dims), []).append(place)
    return list(lines.values())


# Over lanes.

_GROUP_INTEGER = {
    "add": "OpGroupNonUniformIAdd", "mul": "OpGroupNonUniformIMul", "and": "OpGroupNonUniformBitwiseAnd",
    "or": "OpGroupNonUniformBitwiseOr", "xor": "OpGroupNonUniformBitwiseXor", "maxsi": "OpGroupNonUniformSMax",
    "maxui": "OpGroupNonUniformUMax", "minsi": "OpGroupNonUniformSMin", "minui": "OpGroupNonUniformUMin",
}  # fmt: skip
_GROUP_FLOAT = {
    "add": "OpGroupNonUniformFAdd", "mul": "OpGroupNonUniformFMul",
    "maxnumf": "OpGroupNonUniformFMax", "minnumf": "OpGroupNonUniformFMin",
}  # fmt: skip
# Group instructions say nothing of NaN: the driver's whole reductions drop it, clustered ones need not.
_NAN_MATTERS = {"maxnumf": "maxnumf", "minnumf": "minnumf", "maximumf": "maxnumf", "minimumf": "minnumf"}


def _group_type(element: ScalarType) -> ScalarType:
    """The type in which lanes are combined: narrow types in 32 bits, which is exact for integers and better for floats."""
    if element in COMPUTED_IN_F32 or element is F16:
        return F32
    return I32 if element in (I1, I8, I16) else element


@emits(gpu.SubgroupReduce)
def emit_subgroup_reduce(e: Emitter, op: gpu.SubgroupReduce) -> Fragment:
    """One reduction of the group instructions for each element; by exchanging lanes where these have no form."""
    value: Fragment = e[op.value]
    wide = _group_type(value.element)
    if value.element.is_float:
        return convert_float(e, _over_lanes(e, op, convert_float(e, value, wide)), value.element)
    signed = op.kind.endswith("si")
    return truncate(e, _over_lanes(e, op, extend(e, value, wide, signed=signed)), value.element)


def _over_lanes(e: Emitter, op: gpu.SubgroupReduce, value: Fragment) -> Fragment:
    size, stride = op.cluster_size or e.subgroup_size, op.cluster_stride or 1
    whole = size == e.subgroup_size
    if stride != 1 or (not whole and op.kind in _NAN_MATTERS):
        return _by_exchange(e, op.kind, value, size, stride)
    if op.kind in _PROPAGATING:
        return _propagated(e, value, _grouped(e, _NAN_MATTERS[op.kind], value, ()))
    return _grouped(e, op.kind, value, () if whole else (e.number(size),))


def _grouped(e: Emitter, kind: str, value: Fragment, cluster: tuple[Id, ...]) -> Fragment:
    """Group instructions, one for each element: the driver reduces many at a time."""
    name = (_GROUP_FLOAT if value.element.is_float else _GROUP_INTEGER).get(kind)
    if name is None:
        raise SpirvError(f"no reduction {kind} of {value.element}")
    form, scope, group = e.form(value.element), e.module.scope("Subgroup"), "ClusteredReduce" if cluster else "Reduce"
    return one_by_one(e, value.element, lambda n, x: e.emit(name, form, scope, group, x, *cluster), value)


def _propagated(e: Emitter, value: Fragment, reduced: Fragment) -> Fragment:
    """NaN where any lane has NaN, which the group instructions drop."""
    form, scope = e.form(value.element), e.module.scope("Subgroup")

    def choose(n: int, x: Id, r: Id) -> Id:
        strange = e.emit("OpGroupNonUniformAny", e.bool, scope, e.emit("OpUnordered", e.bool, x, x))
        return e.emit("OpSelect", form, strange, e.constant(form, float("nan")), r)

    return one_by_one(e, value.element, choose, value, reduced)


def _by_exchange(e: Emitter, kind: str, value: Fragment, size: int, stride: int) -> Fragment:
    """Lanes that differ in one bit of their number exchange and combine: log2(size) steps."""
    step = stride
    while step < stride * size:
        value = combine(e, kind, value, exchange(e, "xor", value, e.number(step)))
        step *= 2
    return value
