"""From ops of the generic form to ops of ours: names of properties that differ, numbers of enumerations, constants among operands."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from xetile.dialects import arith, dot, gpu, joint_matrix, math, memory, rows, scf, tables, vector, xegpu, xetile
from xetile.dialects.types import INDEX, MemRefType, ScalarType, VectorType
from xetile.errors import MlirTextError
from xetile.ir.builder import Builder
from xetile.ir.core import OPS, UNIT, Block, Field, Op, Type, Value, attribute
from xetile.layout import Layout, Slice
from xetile.mlir.addresses import on_addresses, refuse_places
from xetile.mlir.attributes import Dense, Opaque
from xetile.mlir.generic import RawOp
from xetile.mlir.limits import MOST_SHARED, check_size, shortened
from xetile.mlir.types import unsigned
from xetile.mlir.views import CASTS, DIM, RESHAPES, SUBVIEW, VIEW, on_parts

DIALECTS = (arith, dot, gpu, joint_matrix, math, memory, rows, scf, tables, vector, xegpu, xetile)
"""All are imported here, so that text may hold the ops of each."""
DYNAMIC = -(2**63)
"""MLIR's mark for "among the operands" in a list of constants."""

# Flags that allow the compiler something, and what only the generic form needs.
_DROPPED = {"operandSegmentSizes", "resultSegmentSizes", "overflowFlags", "fastmath", "isExact", "nonNeg", "in_bounds",
            "alignment", "upper_bound", "uniform", "execution_scope", "memory_scope", "memory_semantics"}  # fmt: skip

RENAMED: dict[str, dict[str, str]] = {
    "vector.multi_reduction": {"reduction_dims": "dims"},
    "vector.extract": {"static_position": "position"},
    "vector.insert": {"static_position": "position"},
    "gpu.subgroup_reduce": {"op": "kind"},
    "gpu.printf": {"format": "message"},
    "cf.assert": {"msg": "message"},
}

_ENUMERATIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("arith.cmpi", "predicate"): arith.CMPI,
    ("arith.cmpf", "predicate"): arith.CMPF,
    **dict.fromkeys([("xegpu.atomic_rmw", "kind"), ("memref.atomic_rmw", "kind")], xegpu.ATOMIC_KINDS),
}

# Lists of which some are constants and the others operands: the operand, and the property with the constants.
_MIXED: dict[str, tuple[tuple[str, str], ...]] = {
    "xegpu.create_nd_tdesc": (("offsets", "const_offsets"), ("shape", "const_shape"), ("strides", "const_strides")),
    **{f"xegpu.{name}": (("offsets", "const_offsets"),)
       for name in ("load_nd", "store_nd", "prefetch_nd", "update_nd_offset", "load_matrix", "store_matrix", "mem_desc_subview")},
}  # fmt: skip

# What the op takes when it is not said.
_DEFAULTS: dict[tuple[str, str], Any] = {("gpu.subgroup_reduce", "cluster_stride"): 1, ("scf.for", "unsignedCmp"): None}

_KEPT_ANYWHERE = ("layout_", "sg_id_range", "wg_map", "input_map")
"""Attributes that any op may have, by how their names start."""
_ALIGNED = ("xegpu", "alignment")
"""Bytes that an access of xegpu lies on; other dialects say it of memory whose accesses need no such promise."""
_WHOLE = attribute("i64")
_WHOLE.name = "alignment"


class Attributes(dict[str, Any]):
    """Attributes by name; `discardable`: those that the op does not declare, which MLIR lets anybody drop."""

    def __init__(self, values: dict[str, Any], discardable: frozenset[str] = frozenset()) -> None:
        super().__init__(values)
        self.discardable = discardable


PLACES = (*CASTS, *RESHAPES, SUBVIEW, VIEW, DIM)
"""Ops that say where in memory something lies, or how much there is."""
Made = Op | tuple[Value, ...]
"""The op that has the results, or these where several have them."""
Maker = Callable[[Builder, RawOp, list[Value], dict[str, Any], list[Type]], Made]
MAKERS: dict[str, Maker] = {}
"""Ops that are made in a way of their own."""
Joiner = Callable[[Builder, RawOp, list[Value], dict[str, Any], list[Type], list[Block]], Op]
JOINERS: dict[str, Joiner] = {}
"""The same for those with regions."""
_UNSIGNED = "unsignedCmp"


def makes(*names: str) -> Callable[[Maker], Maker]:
    """Register how ops of these names are made."""

    def register(maker: Maker) -> Maker:
        MAKERS.update(dict.fromkeys(names, maker))
        return maker

    return register


def make(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type], regions: Any) -> Made:
    """Append the op of ours that a generic one means; raises MlirTextError where there is none, by what it lacks."""
    if raw.name in MAKERS or raw.name in JOINERS:
        refuse_places(raw.name, operands)
    try:
        if raw.name in MAKERS:
            return MAKERS[raw.name](build, raw, operands, values, results)
        if raw.name in JOINERS:
            return JOINERS[raw.name](build, raw, operands, values, results, regions)
    except IndexError:  # they take operands and results by their places
        found = f"{len(operands)} operands and {len(results)} results"
        raise MlirTextError(f"{raw.name} has too few operands or results: {found}") from None
    kind = OPS[raw.name]
    _drop_unsigned(raw, operands, values)
    _drop_packed(raw, operands, values)
    _take_signs(raw, values)
    groups = _groups(kind, operands, values.get("operandSegmentSizes"))
    groups = on_parts(build, kind, [*_with_constants(build, raw.name, kind, groups, values)])
    groups = on_addresses(build, kind, groups, values, results)
    refuse_places(raw.name, [item for group in groups if isinstance(group, list) for item in group])
    groups = _one_for_all(build, kind, groups)
    attributes = attributes_of(kind, raw.name, values)
    given = results if len(kind.result_fields) != 1 or not kind.result_fields[0].variadic else [results]
    types = {f.name: t for f, t in zip(kind.result_fields, given)}
    if any(f.infer is None and not f.variadic and f.name not in types for f in kind.result_fields):
        raise MlirTextError(f"{kind.opname} gives {len(kind.result_fields)} results, not {len(results)}")
    blocks = [*regions] + [type(build.block)() for _ in range(len(kind.region_fields) - len(regions))]
    return build.op(kind, *groups, regions=blocks, **attributes, **types)


def _drop_packed(raw: RawOp, operands: list[Value], values: dict[str, Any]) -> None:
    """Elements of one dimension lie side by side already: upstream's verifier warns of `packed` there, and takes it."""
    kind = operands[0].type if raw.name == xegpu.LoadNd.opname and operands else None
    if isinstance(kind, xegpu.TensorDescType) and kind.rank == 1 and "packed" in values:
        del values["packed"]
        warnings.warn(f"{raw.name}: packed means nothing for the one dimension of {kind}\n  {raw.loc}", stacklevel=2)


def _drop_unsigned(raw: RawOp, operands: list[Value], values: dict[str, Any]) -> None:
    """A loop that counts numbers without a sign counts as one with signs where its bounds have none. Raises MlirTextError for others."""
    if raw.name == scf.For.opname and values.get(_UNSIGNED) is not None:
        numbers = [arith.constant_of(v) for v in operands[:3]]
        if any(n is None or n < 0 for n in numbers):
            raise MlirTextError(
                "scf.for unsigned: its bounds and step are known when it is compiled here", hint="leave unsigned out"
            )
        del values[_UNSIGNED]


def _take_signs(raw: RawOp, values: dict[str, Any]) -> None:
    """Products alone look at the signs that types say."""
    if raw.name == xegpu.Dpas.opname:
        signs = zip(("lhs_unsigned", "rhs_unsigned"), raw.operand_types)
        values.update((name, UNIT) for name, text in signs if unsigned(text))


def unknown_op(name: str) -> MlirTextError:
    """An op that no dialect of ours declares."""
    dialect = name.split(".")[0]
    known = sorted(n for n in {*OPS, *MAKERS, *JOINERS, *PLACES} if n.split(".")[0] == dialect)
    hint = f"xetile reads {', '.join(known)}" if known else f"xetile reads {', '.join(sorted({n.split('.')[0] for n in OPS}))}"
    return MlirTextError(f"xetile has no op {name}", hint=hint)


def _groups(kind: type[Op], operands: list[Value], segments: Any) -> list[Any]:
    """Operands by declared field: a value, None or a list."""
    fields = kind.operand_fields
    if segments is not None:
        if (
            not is_numbers(segments)
            or len(segments) > len(fields)
            or min(segments, default=0) < 0
            or sum(segments) != len(operands)
        ):
            raise MlirTextError(f"{kind.opname}: operandSegmentSizes {segments} do not fit {len(operands)} operands")
        counts = [*segments, *[0] * (len(fields) - len(segments))]
    else:
        counts = [*_counts(kind, fields, len(operands))]
    groups: list[Any] = []
    start = 0
    for field, count in zip(fields, counts):
        part = operands[start : start + count]
        if not field.variadic and count > 1:
            raise MlirTextError(f"{kind.opname} takes one operand {field.name}, not {count}")
        if not part and not field.variadic and not field.optional:
            raise MlirTextError(f"{kind.opname} lacks its operand {field.name}")
        groups.append(part if field.variadic else part[0] if part else None)
        start += count
    return groups


def _counts(kind: type[Op], fields: tuple[Field, ...], total: int) -> Iterator[int]:
    """One group at most may vary where no sizes are written."""
    loose = [f for f in fields if f.variadic or f.optional]
    spare = total - (len(fields) - len(loose))
    if spare < 0 or len(loose) > 1 or (not loose and spare):
        raise MlirTextError(f"{kind.opname} takes {', '.join(f.name for f in fields)}, not {total} operands")
    return (spare if f in loose else 1 for f in fields)


def _with_constants(build: Builder, name: str, kind: type[Op], groups: list[Any], values: dict[str, Any]) -> Iterator[Any]:
    mixed = dict(_MIXED.get(name, ()))
    for field, group in zip(kind.operand_fields, groups):
        constants = values.pop(mixed[field.name], None) if field.name in mixed else None
        yield group if constants is None else _merged(build, list(group), constants)


def _merged(build: Builder, dynamic: list[Value], constants: tuple[int, ...]) -> list[Value]:
    """The list with its constants as values; a run-time one takes the next operand."""
    if not is_numbers(constants) or constants.count(DYNAMIC) != len(dynamic):
        raise MlirTextError(f"the list {shortened(str(constants))} does not fit {len(dynamic)} operands")
    waiting = iter(dynamic)
    return [next(waiting) if n == DYNAMIC else build(arith.Constant, value=n, result=INDEX) for n in constants]


def attributes_of(kind: type[Op], name: str, values: dict[str, Any]) -> dict[str, Any]:
    """What the op of ours is given of the attributes of the text; raises MlirTextError for properties that mean nothing to us."""
    declared = {f.name: f for f in kind.attribute_fields}
    found: dict[str, Any] = {}
    for written, value in values.items():
        key = RENAMED.get(name, {}).get(written, written)
        if (name.split(".")[0], key) == _ALIGNED or key == xegpu.HEADER:
            check_kind(_WHOLE, value)
            found[key] = value
            continue
        if written in _DROPPED or _DEFAULTS.get((name, key), DYNAMIC) == value:
            continue
        if key not in declared and not key.startswith(_KEPT_ANYWHERE) and not arith.promises(name, key, value):
            if written in getattr(values, "discardable", ()):
                continue
            raise unknown_attribute(name, written, value)
        found[key] = _plain(name, key, value)
        if key in declared:
            check_kind(declared[key], found[key])
    return found


def is_numbers(value: Any) -> bool:
    """Whether this is a list of whole numbers."""
    return isinstance(value, tuple) and all(type(item) is int for item in value)


_KINDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    "[i64]": ("a list of whole numbers", is_numbers),
    "array": ("a list of whole numbers", is_numbers),
    **dict.fromkeys(("i32", "i64"), ("a whole number", lambda value: type(value) is int)),
    **dict.fromkeys(("str", "symbol"), ("a word", lambda value: isinstance(value, str))),
    "keyword": ("a word or a number", lambda value: isinstance(value, str | int)),
    "layout": ("a layout", lambda value: isinstance(value, Layout | Slice)),
    "unit": ("no value", lambda value: value is UNIT),
}
"""What attributes of each declared kind are."""


def check_kind(field: Field, value: Any) -> None:
    """Raise MlirTextError for a value of another kind than an attribute is declared with."""
    what, fits = _KINDS.get(field.constraint, ("", lambda value: True))
    if not fits(value):
        raise MlirTextError(f"attribute {field.name} is {what}, not {shortened(str(value))}")


def _plain(name: str, key: str, value: Any) -> Any:
    known = _ENUMERATIONS.get((name, key))
    if known is not None and isinstance(value, int):
        if not 0 <= value < len(known):
            raise MlirTextError(f"{name}: {key} is a number from 0 to {len(known) - 1}, not {value}")
        return known[value]
    if isinstance(value, Opaque):
        if value.keyword is None:
            raise unknown_attribute(name, key, value)
        return value.keyword
    if isinstance(value, tuple):
        return tuple(None if item is UNIT else item for item in value)
    return value


def unknown_attribute(name: str, key: str, value: Any) -> MlirTextError:
    """An attribute that means nothing to us: to leave it out might change what the module means."""
    return MlirTextError(f"{name}: xetile knows no attribute {key} = {value}",
                         hint="the text is older or newer than LLVM 22, or of another dialect: remove it, or lower it before")  # fmt: skip


# Ops whose generic form is built in another way than ours.


def _one_for_all(build: Builder, kind: type[Op], groups: list[Any]) -> list[Any]:
    """One offset for many lanes (upstream's verifier takes it) as the same offset for each."""
    names = [field.name for field in kind.operand_fields]
    if "mask" not in names or "offsets" not in names:
        return groups
    where, mask = names.index("offsets"), groups[names.index("mask")]
    offset = groups[where]
    if isinstance(offset, Value) and offset.type is INDEX and isinstance(mask.type, VectorType) and mask.type.count > 1:
        groups[where] = build(vector.Broadcast, offset, result=mask.type.with_element(INDEX))
    return groups


@makes("arith.constant")
def _constant(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    value = values.pop("value", None)
    if isinstance(value, Dense):
        value = value.value
        if isinstance(value, tuple) and len(value) == 1:
            value = value[0]
    if isinstance(value, Opaque) or value is None:
        raise MlirTextError(f"arith.constant: cannot read the constant {shortened(str(value))} of type {results[0]}")
    if isinstance(value, tuple) and len(value) != prod(getattr(results[0], "shape", ())):
        raise MlirTextError(f"arith.constant: {len(value)} elements for {results[0]}")
    for item in value if isinstance(value, tuple) else (value,):
        _check_number(item, results[0])
    return build.op(arith.Constant, value=value, result=results[0], **attributes_of(arith.Constant, raw.name, values))


def _check_number(value: Any, type: Type) -> None:
    """Raise MlirTextError for what is no number of a type."""
    element = getattr(type, "element", type)
    if not isinstance(element, ScalarType) or not isinstance(value, int | float):
        raise MlirTextError(f"arith.constant: {shortened(str(value))} is no number of type {type}")
    if element.is_float:
        return
    bits = 64 if element is INDEX else element.bits
    if isinstance(value, float) or not -(1 << (bits - 1)) <= value < 1 << bits:
        raise MlirTextError(f"arith.constant: {type} has no number {shortened(str(value))}")


@makes("memref.alloc", "memref.alloca")
def _alloc(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    type = results[0]
    if operands or not isinstance(type, MemRefType) or None in type.shape:
        raise not_reserved(type)
    check_size([n for n in type.shape if n is not None], f"{raw.name} of {type}", MOST_SHARED)
    return build.op(gpu.Alloca, result=type, **attributes_of(gpu.Alloca, raw.name, values))


def not_reserved(type: Type) -> MlirTextError:
    """Memory that a kernel cannot reserve."""
    return MlirTextError(
        f"memref.alloc: only shared local memory of constant size can be reserved, not {type}", hint="memref<4096xi8, 3>"
    )


def gpu_shared() -> int:
    """The memory space of shared local memory."""
    return xegpu.types.MEMORY_SPACES["slm"]


@makes("memref.reinterpret_cast")
def _reinterpret(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    """To one dimension from the first element on, the one form that scattered access needs; its size is an operand always."""
    offsets, sizes, strides = (values.pop(f"static_{name}", ()) for name in ("offsets", "sizes", "strides"))
    if not all(map(is_numbers, (offsets, sizes, strides))) or tuple(offsets) != (0,) or tuple(strides) != (1,) or len(sizes) != 1:
        raise MlirTextError("memref.reinterpret_cast: only to one dimension, with offset 0 and stride 1")
    size = operands[1] if sizes[0] == DYNAMIC else build(arith.Constant, value=sizes[0], result=INDEX)
    return build.op(gpu.ReinterpretCast, operands[0], size, **attributes_of(gpu.ReinterpretCast, raw.name, values))


@makes("gpu.return", "func.return")
def _return(build: Builder, raw: RawOp, operands: list[Value], values: dict[str, Any], results: list[Type]) -> Op:
    return build.op(gpu.Return)  # what a function gives is stored before (entry.py)
