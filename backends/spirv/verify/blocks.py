"""Rules of the 2D block instructions (SPV_INTEL_2d_block_io rev 2; OpenCL-Docs, cl_intel_subgroup_2d_block_io 1.1.0)."""

from __future__ import annotations

from xetile.target.block_rules import XE_BLOCK_RULES

from ..module.binary import Instruction
from ..module.opcodes import enum_value
from ..module.shapes import BLOCK_INSTRUCTIONS, BLOCK_SUBGROUP_SIZE, BlockInstruction, describe_shapes
from .checker import Checker

_FUNCTION, _CROSS_WORKGROUP = enum_value("StorageClass", "Function"), enum_value("StorageClass", "CrossWorkgroup")
_STORAGE_NAMES = {_FUNCTION: "Function (private)", _CROSS_WORKGROUP: "CrossWorkgroup (global)"}
_RULES = XE_BLOCK_RULES
_SIZES = ("element size", "block width", "block height", "block count")


def check_block(checker: Checker, i: Instruction) -> None:
    """All rules of one 2D block instruction."""
    operation = BLOCK_INSTRUCTIONS[i.name]
    block = _shape(checker, i, operation)
    if checker.subgroup_size != BLOCK_SUBGROUP_SIZE:
        needed, size = BLOCK_SUBGROUP_SIZE, checker.subgroup_size
        checker.report(f"2D block instructions need subgroups of {needed}, this module has {size}", at=i)
    if operation == "store":
        private, base, *region = i.args[4:]
    else:
        base, *region = i.args[4:9]
        private = i.args[9] if operation != "prefetch" else 0
    _check_region(checker, i, block, *region)
    _check_base(checker, i, block, base)
    if private:
        _check_private(checker, i, block, private)


def _shape(checker: Checker, i: Instruction, operation: str) -> BlockInstruction | None:
    """The block's shape if its four operands are constants; reports what the published table does not have."""
    sizes: list[int | None] = []
    for value, what in zip(i.args[:4], _SIZES, strict=True):
        number = checker.binary.constant(value)
        if number is None or not checker.is_int(checker.type_of(value)):
            checker.report(f"the {what} must be a constant of type i32, {checker.name(value)} is not", at=i)
        sizes.append(number)
    if None in sizes:
        return None
    block = BlockInstruction(operation, *(size for size in sizes if size is not None))
    if block.element_bytes not in (1, 2, 4, 8):
        message = f"the element size is {block.element_bytes} bytes; it must be 1, 2, 4 or 8"
        checker.report(message, "it is in bytes, not bits", at=i)
    elif not block.is_portable:
        hint = f"for {block.element_bytes}-byte elements there are {describe_shapes(operation, block.element_bytes)}"
        checker.report(f"a {block} is not in the published table of shapes", hint, at=i)
    return block


def _check_region(
    checker: Checker, i: Instruction, block: BlockInstruction | None, width: int, height: int, pitch: int, at: int
) -> None:
    """Memory width and pitch in bytes, height in rows, and the pair (x in elements, y in rows)."""
    numbers: dict[str, int | None] = {}
    for value, what in ((width, "memory width"), (height, "memory height"), (pitch, "memory pitch")):
        if not checker.is_int(checker.type_of(value)):
            checker.report(f"the {what} must be an i32, not {checker.show_type(value)}", at=i)
        numbers[what] = checker.binary.constant(value)
    kind = checker.type_of(at)
    is_pair = kind is not None and kind.name == "OpTypeVector" and kind.words[2] == 2
    if not (is_pair and kind and checker.is_int(checker.binary.definition.get(kind.words[1]))):
        checker.report(f"the coordinate must be a vector of two i32, not {checker.show_type(at)}", at=i)
    elif block:
        _check_column(checker, i, block, at)
    _check_constant_region(checker, i, block, numbers)


def _check_constant_region(
    checker: Checker, i: Instruction, block: BlockInstruction | None, numbers: dict[str, int | None]
) -> None:
    """The restrictions of the extension on region sizes, as far as these are constants."""
    width, height, pitch = (numbers[f"memory {what}"] for what in ("width", "height", "pitch"))
    step = max(_RULES.width_multiple, block.element_bytes) if block else _RULES.width_multiple
    if width is not None and not (_RULES.min_width_bytes <= width <= _RULES.max_extent and width % step == 0):
        checker.report(
            f"the memory width is {width} bytes; it must be {_RULES.min_width_bytes} to 2^24 and a multiple of {step}", at=i
        )
    if height is not None and not 0 < height <= _RULES.max_extent:
        checker.report(f"the memory height is {height} rows; it must be 1 to 2^24", at=i)
    if pitch is not None and (pitch % _RULES.pitch_multiple or (width is not None and pitch < width)):
        checker.report(
            f"the memory pitch is {pitch} bytes; it must be a multiple of {_RULES.pitch_multiple} and not less than the width",
            at=i,
        )


def _check_column(checker: Checker, i: Instruction, block: BlockInstruction, at: int) -> None:
    """x is a multiple of 4 bytes for elements of 1 and 2 bytes, as far as it is constant."""
    step = {1: 4, 2: 2}.get(block.element_bytes, 1)
    made = checker.binary.definition.get(at)
    if made is None or made.name not in ("OpConstantComposite", "OpCompositeConstruct"):
        return
    column = checker.binary.constant(made.args[0])
    if column is not None and column % step:
        checker.report(f"x is {column}; for {block.element_bytes}-byte elements it must be a multiple of {step} elements", at=i)


def _check_storage(checker: Checker, i: Instruction, value: int, what: str, storage: int) -> Instruction | None:
    """The pointer type of an operand, if it points into `storage`."""
    kind = checker.type_of(value)
    if kind is None or kind.name != "OpTypePointer" or kind.words[1] != storage:
        order = (
            "a store takes the private pointer first, then the base"
            if BLOCK_INSTRUCTIONS[i.name] == "store"
            else "the base comes fifth, the private pointer last"
        )
        checker.report(f"the {what} must be a {_STORAGE_NAMES[storage]} pointer, not {checker.show_type(value)}", order, at=i)
        return None
    return kind


def _check_base(checker: Checker, i: Instruction, block: BlockInstruction | None, base: int) -> None:
    kind = _check_storage(checker, i, base, "base", _CROSS_WORKGROUP)
    if kind is None or block is None:
        return
    pointee = checker.binary.definition.get(kind.words[2])
    if not (checker.is_int(pointee, 8) or checker.is_int(pointee, 8 * block.element_bytes)):
        checker.report(
            f"the base must point to integers of 1 or {block.element_bytes} bytes, not {checker.show_type(base)}",
            "bit-cast the pointer",
            at=i,
        )
    alignment = enum_value("Decoration", "Alignment")
    for decoration in checker.binary.instructions:
        if (
            decoration.name == "OpDecorate"
            and decoration.words[:2] == (base, alignment)
            and decoration.words[2] % _RULES.base_alignment
        ):
            checker.report(
                f"the base is aligned to {decoration.words[2]} bytes; it must be a multiple of {_RULES.base_alignment}", at=i
            )


def _check_private(checker: Checker, i: Instruction, block: BlockInstruction | None, private: int) -> None:
    """The lane's own memory: private, large enough, of components that hold whole elements."""
    kind = _check_storage(checker, i, private, "private pointer", _FUNCTION)
    if kind is None or block is None:
        return
    leaf = _leaf(checker, kind.words[2])
    if leaf is None:
        checker.report(f"the private pointer must point to integers or floats, not {checker.show_type(private)}", at=i)
        return
    if block.operation == "load_transform" and not checker.is_int(leaf):
        message = f"a transforming load gives 32-bit integers, not {checker.show_type(private)}"
        checker.report(message, "use an array of i32", at=i)
    elif block.operation != "load_transform" and leaf.words[1] < 8 * block.element_bytes:
        message = f"components of {leaf.words[1]} bits are not aligned to elements of {block.element_bytes} bytes"
        checker.report(message, at=i)
    left = private_bytes(checker, private)
    if left is not None and left < block.lane_bytes():
        checker.report(f"a {block} moves {block.lane_bytes()} bytes per lane, but the private memory has {left}", at=i)


def _leaf(checker: Checker, type_id: int) -> Instruction | None:
    """The scalar that a type is made of, None if there are several or none."""
    kind = checker.binary.definition.get(type_id)
    while kind is not None and kind.name in ("OpTypeVector", "OpTypeArray"):
        kind = checker.binary.definition.get(kind.words[1])
    return kind if kind is not None and kind.name in ("OpTypeInt", "OpTypeFloat") else None


def size_of(checker: Checker, type_id: int) -> int | None:
    """Bytes of a scalar, vector or array, None if unknown.  OpenCL: three components take the space of four."""
    kind = checker.binary.definition.get(type_id)
    if kind is None:
        return None
    if kind.name in ("OpTypeInt", "OpTypeFloat"):
        return kind.words[1] // 8
    if kind.name not in ("OpTypeVector", "OpTypeArray"):
        return None
    element = size_of(checker, kind.words[1])
    count = kind.words[2] if kind.name == "OpTypeVector" else checker.binary.constant(kind.words[2])
    if kind.name == "OpTypeVector" and count == 3:
        count = 4
    return None if element is None or count is None else element * count


def private_bytes(checker: Checker, pointer: int) -> int | None:
    """Bytes from a private pointer to the end of its variable, None if not known."""
    made = checker.binary.definition.get(pointer)
    if made is None:
        return None
    if made.name == "OpVariable":
        kind = checker.binary.definition.get(made.type_id)
        return size_of(checker, kind.words[2]) if kind else None
    if made.name in ("OpBitcast", "OpCopyObject"):
        return private_bytes(checker, made.args[0])
    if made.name not in ("OpAccessChain", "OpInBoundsAccessChain"):
        return None
    left, kind = private_bytes(checker, made.args[0]), checker.type_of(made.args[0])
    inner = kind.words[2] if kind else 0
    for index in made.args[1:]:
        number, outer = checker.binary.constant(index), checker.binary.definition.get(inner)
        if left is None or number is None or outer is None or outer.name not in ("OpTypeVector", "OpTypeArray"):
            return None
        inner = outer.words[1]
        step = size_of(checker, inner)
        left = None if step is None else left - number * step
    return left


RULES = dict.fromkeys(BLOCK_INSTRUCTIONS, check_block)
