"""Types from their MLIR text."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from xetile.dialects.joint_matrix import USES, JointMatrixType, RowSliceType
from xetile.dialects.types import SCALARS, MemRefType, ScalarType, VectorType
from xetile.dialects.xegpu import BlockAttr, MemDescType, MemLayoutAttr, NbarrierType, ScatterAttr, TensorDescType
from xetile.dialects.xetile import TileType
from xetile.errors import LayoutError, MlirTextError
from xetile.ir.core import Type
from xetile.layout import BlockOrder, Layout, Slice, parse_block_order
from xetile.mlir.attributes import Opaque, read_attribute, read_parameters
from xetile.mlir.limits import MOST_RANK, MOST_SHARED, check_size, shortened
from xetile.mlir.scan import Scanner, whole

_DIMENSION = re.compile(r"(\?|\d+)x")
_WORD = re.compile(r"[\w.]+")
_SIGNED = re.compile(r"[us](i(?:8|16|32|64))")
_STRIDE = re.compile(r"\?|-?\d+")
SHARED = 3
# gpu.address_space; 3 and 0 are the numbers that xegpu gives them, and 1 is SPIR-V's and LLVM's of global memory.
_SPACES = {"workgroup": SHARED, "global": 0}
_GLOBAL = 1


@lru_cache(maxsize=4096)
def read_type(text: str) -> Type:
    """The type that a text names; raises MlirTextError (without a place) where xetile has no such type."""
    scanner = Scanner(text)
    name = text.split("<")[0].strip()
    name = name if name in SCALARS else signless(name)  # an address is of ui64 or ui32
    if name in SCALARS:
        return SCALARS[name]
    if name == "!xegpu.nbarrier":
        return NbarrierType()
    reader = _READERS.get(name)
    if reader is None:
        raise MlirTextError(f"there is no type {shortened(text)} here")
    scanner.expect(name)
    scanner.expect("<")
    found = reader(scanner)
    scanner.expect(">")
    scanner.end()
    return found


def signless(name: str) -> str:
    """The integer of so many bits: a sign in a type tells what ops do that look at it (`unsigned`), and here ops say it themselves."""
    found = _SIGNED.fullmatch(name)
    return name if found is None else found[1]


def unsigned(text: str) -> bool:
    """Whether a type's elements are integers without a sign."""
    return re.search(r"(?<![\w.])(?:[\d?]+x)*ui\d+\b", text) is not None


_NARROW = "keep several in an i8 and take them apart, such as 4 bits by arith.shli and arith.shrsi"


def _shape(scanner: Scanner) -> tuple[tuple[int | None, ...], ScalarType]:
    """`4x?xf16`."""
    shape: list[int | None] = []
    while found := scanner.match(_DIMENSION):
        shape.append(None if found[1] == "?" else whole(found[1]))
    name = signless(scanner.need(_WORD, "an element type")[0])
    if name not in SCALARS:
        raise MlirTextError(
            f"there is no element type {name} here, in {shortened(scanner.text)}",
            hint=_NARROW if re.fullmatch("[us]?i[2-7]", name) else f"one of {', '.join(SCALARS)}",
        )
    if len(shape) > MOST_RANK:
        raise MlirTextError(f"{shortened(scanner.text)} has {len(shape)} dimensions; at most {MOST_RANK} are read")
    return tuple(shape), SCALARS[name]


def _static(scanner: Scanner) -> tuple[tuple[int, ...], ScalarType]:
    shape, element = _shape(scanner)
    known = tuple(n for n in shape if n is not None)
    if len(known) < len(shape):
        raise scanner.error("expected sizes that are known, not ?,")
    check_size(known, scanner.text)
    return known, element


def _parts(scanner: Scanner) -> list[str]:
    """What follows the element type, at its commas."""
    parts = []
    while scanner.accept(","):
        parts.append(scanner.piece(",>"))
    return parts


def _vector(scanner: Scanner) -> Type:
    return VectorType(*_static(scanner))


def _memref(scanner: Scanner) -> Type:
    shape, element = _shape(scanner)
    strides: tuple[int | None, ...] | None = None
    space, offset, order = 0, "0", None
    for part in _parts(scanner):
        if part.startswith("strided<"):
            strides, offset = _strided(part, scanner.text)
        elif part.startswith("affine_map<"):
            order = _order(part)
        else:
            space = _space(part, scanner.text)
    if order is not None and space != SHARED:
        raise scanner.error("expected strided<[..]> of memory that is not shared,")
    if space == SHARED:
        check_size([n for n in shape if n is not None], scanner.text, MOST_SHARED)
    return MemRefType(shape, element, strides, space, None if offset == "?" else whole(offset), order)


def _order(text: str) -> BlockOrder:
    try:
        return parse_block_order(text)
    except LayoutError as error:
        raise MlirTextError(error.message, hint=error.hint) from None


def _strided(text: str, whole_text: str) -> tuple[tuple[int | None, ...], str]:
    """The strides, and the offset as it is written."""
    found = re.fullmatch(r"strided<\[([^\]]*)\](?:,\s*offset:\s*(\?|-?\d+))?>", text)
    if not found:
        raise MlirTextError(f"cannot read {shortened(text)} of {shortened(whole_text)}")
    strides = [s.strip() for s in found[1].split(",")]
    if not all(_STRIDE.fullmatch(s) for s in strides if s):
        raise MlirTextError(f"cannot read {shortened(text)} of {shortened(whole_text)}")
    return tuple(None if s == "?" else whole(s) for s in strides if s), found[2] or "0"


def _space(text: str, whole_text: str) -> int:
    value = read_attribute(text)
    number = _SPACES.get(str(value).split("<")[-1].rstrip(">").split()[-1]) if isinstance(value, (str, Opaque)) else value
    if isinstance(number, bool) or not isinstance(number, int):
        raise MlirTextError(f"{shortened(whole_text)} has a layout or memory space that xetile does not have: {text}",
                            hint="strided<[...]>, and the memory space 3 or #gpu.address_space<workgroup>")  # fmt: skip
    return 0 if number == _GLOBAL else number


def _tensor_desc(scanner: Scanner) -> Type:
    shape, element = _static(scanner)
    encoding: BlockAttr | ScatterAttr | None = None
    layout: Layout | Slice | None = None
    for part in _parts(scanner):
        value = read_attribute(part)
        if isinstance(value, (BlockAttr, ScatterAttr)):
            encoding = value
        elif isinstance(value, (Layout, Slice)):
            layout = value
        else:
            raise MlirTextError(f"{shortened(scanner.text)} has an attribute that LLVM 22 does not have: {shortened(part)}")
    return TensorDescType(shape, element, encoding, layout)


def _mem_desc(scanner: Scanner) -> Type:
    shape, element = _static(scanner)
    layout: MemLayoutAttr | None = None
    for part in _parts(scanner):
        value = read_attribute(part)
        if not isinstance(value, MemLayoutAttr):
            raise MlirTextError(f"{shortened(scanner.text)} has an attribute that LLVM 22 does not have: {shortened(part)}")
        layout = value
    return MemDescType(shape, element, layout)


def _tile(scanner: Scanner) -> Type:
    shape, element = _static(scanner)
    parts = _parts(scanner)
    found: dict[str, object] = {}
    for part in parts:
        if not part.startswith("#xetile.tile_attr"):
            raise MlirTextError(f"{shortened(scanner.text)} has an attribute that tiles do not have: {shortened(part)}")
        found = read_parameters(part.removeprefix("#xetile.tile_attr"), part)
    wg_map = found.pop("wg_map", None)
    space = found.pop("memory_space", 0)
    try:
        return TileType(shape, element, wg_map, space=space, **found)  # type: ignore[arg-type]
    except (TypeError, LayoutError) as error:
        raise MlirTextError(f"cannot read {shortened(scanner.text)}: {error}") from None


def _joint_matrix(scanner: Scanner) -> Type:
    shape, element = _static(scanner)
    scanner.expect(",")
    use = scanner.string()
    if len(shape) != 2 or use not in USES:
        raise MlirTextError(f"{shortened(scanner.text)} is no matrix", hint=f"rows, columns and one of {', '.join(USES)}")
    return JointMatrixType(shape, element, use)


def _row_slice(scanner: Scanner) -> Type:
    matrix = read_type(scanner.piece(">"))
    if not isinstance(matrix, JointMatrixType):
        raise MlirTextError(f"{shortened(scanner.text)} is a row slice of no matrix")
    return RowSliceType(matrix)


_READERS: dict[str, Callable[[Scanner], Type]] = {
    "vector": _vector,
    "memref": _memref,
    "!xegpu.tensor_desc": _tensor_desc,
    "!xegpu.mem_desc": _mem_desc,
    "!xetile.tile": _tile,
    "!joint_matrix.matrix": _joint_matrix,
    "!joint_matrix.row_slice": _row_slice,
}
