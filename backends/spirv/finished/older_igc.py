"""Give a GPU's module to an older driver, whose compiler (IGC before 2.1 and 2.2) lacks the SPIR-V extensions for blocks and matrices.

The hardware's instructions stay the same.  A block instruction becomes its messages as vISA text (SPV_INTEL_inline_assembly), a matrix
instruction and a rounding to tf32 a call of the function by which that compiler knows it: its `__builtin_IB_...`, imported by
name.  Names, operands and types: igc's IGCBiF headers.  All other instructions stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from ..module.binary import Binary, Instruction
from ..module.errors import SpirvError
from ..module.opcodes import EXTENSION_OF, enum_value
from ..module.rewrite import instruction
from ..module.shapes import BLOCK_INSTRUCTIONS, BlockInstruction, lane_vectors
from .emulator import Emulator, block_of, matrix_of
from .prefetch_headers import as_messages

Handler = Callable[[Emulator, Instruction], list[Instruction]]

REPLACED_EXTENSIONS = frozenset(
    (
        "SPV_INTEL_2d_block_io",
        "SPV_INTEL_subgroup_matrix_multiply_accumulate",
        "SPV_INTEL_tensor_float32_conversion",
        "SPV_INTEL_subgroup_buffer_prefetch",
        "SPV_INTEL_cache_controls",
    )
)
"""What older compilers lack; prefetches of buffers and cache hints are left out."""

_SUFFIXES = {"load": "nn", "load_transform": "nt", "load_transpose": "tn", "prefetch": "nn", "store": "nn"}
_LETTERS = {"f16": "hf", "bf16": "bf", "tf32": "tf32", "f32": "f"}
_REGISTER = 64  # bytes on GPUs with block messages: a message fills whole registers
_ROWS_OF_A_PRODUCT, _BYTES_OF_A_COLUMN = 8, 32  # dpas: rows of its first operand, bytes of a column of its second one


def for_older_igc(module: bytes, device_extensions: Collection[str] = ()) -> bytes:
    """The module without what an older compiler lacks; one that needs nothing of it comes back unchanged.

    `device_extensions` are the SPIR-V extensions that the device takes as they are.  Raises SpirvError for an instruction that has
    no form there.
    """
    binary = Binary(module if "SPV_INTEL_2d_block_io" in device_extensions else as_messages(module))
    missing = (binary.extensions & REPLACED_EXTENSIONS) - set(device_extensions)
    if not missing and not any(old.name in _HANDLERS for old in binary.instructions):
        return module
    emulator = Emulator(binary, missing)
    body: list[Instruction] = []
    for old in binary.instructions:
        extension = EXTENSION_OF.get(old.op.capability)
        if extension not in missing and (extension or old.name not in _HANDLERS):
            body.append(old)
        elif old.name in _HANDLERS:
            body += _HANDLERS[old.name](emulator, old)
        else:
            raise SpirvError(f"{old.name} has no form for a compiler without {extension}")
    return emulator.finish(body, missing)


# 2D blocks


def pieces_of(block: BlockInstruction) -> tuple[BlockInstruction, ...]:
    """The messages for a block, in the order of a lane's data.

    An older IGC copies the parts of a large result that products take: they are loaded one by one, each what one operand holds.
    """
    if block.operation in ("prefetch", "store", "load_transpose"):
        return (block,)
    most = _BYTES_OF_A_COLUMN // block.element_bytes if block.operation == "load_transform" else _ROWS_OF_A_PRODUCT
    rows = min(block.height, most)
    return (replace(block, height=rows, count=1),) * (block.count * (block.height // rows))


def message(block: BlockInstruction) -> tuple[str, str]:
    """A block's message as vISA text, and the constraints of its operands.

    Operands: the result of a load, then base, width, height and pitch in bytes less one, column, row, then what is stored.
    """
    count = f"{block.count}x" if block.count > 1 else ""
    shape = f"d{8 * block.element_bytes}.{count}{block.width}x{block.height}{_SUFFIXES[block.operation]}"
    first = 1 if block.operation.startswith("load") else 0
    surface = f"flat[{','.join(f'${n}' for n in range(first, first + 6))}]"
    uniform = ",".join(["rw.u"] * 6)
    if block.operation == "store":
        return f"lsc_store_block2d.ugm (M1, 1) {surface} $6:{shape}", f"{uniform},rw"
    if block.operation == "prefetch":
        return f"lsc_load_block2d.ugm.ca.ca (M1, 1) %null:{shape} {surface}", uniform
    return f"lsc_load_block2d.ugm (M1, 1) $0:{shape} {surface}", f"=rw,{uniform}"


class _Surface:
    """The operands that all messages of one block instruction share."""

    def __init__(self, emulator: Emulator, old: Instruction, block: BlockInstruction) -> None:
        self.emulator = emulator
        self.done: list[Instruction] = []
        first = 5 if block.operation == "store" else 4
        base, *sizes, place = old.args[first : first + 5]
        self.word, address = emulator.int_type(32), emulator.int_type(64)
        self.kinds = (address, *(self.word,) * 5)
        self.address = self.made("OpConvertPtrToU", address, base)
        self.sizes = [self.made("OpISub", self.word, size, emulator.constant(1)) for size in sizes]
        self.column, self.row = (self.made("OpCompositeExtract", self.word, place, n) for n in range(2))

    def made(self, name: str, kind: int, *operands: int) -> int:
        result = self.emulator.id()
        self.done.append(instruction(name, kind, result, *operands))
        return result

    def operands(self, columns: int, rows: int) -> list[int]:
        """Operands of a message that begins so many columns and rows further."""
        place = [
            self.made("OpIAdd", self.word, start, self.emulator.constant(by)) if by else start
            for start, by in ((self.column, columns), (self.row, rows))
        ]
        return [self.address, *self.sizes, *place]

    def call(self, block: BlockInstruction, kind: int, operands: list[int], more: tuple[int, ...] = ()) -> int:
        """Send a block's message; `more` are the types of the operands behind the surface's."""
        code = self.emulator.assembly(*message(block), kind, (*self.kinds, *more))
        return self.made("OpAsmCallINTEL", kind, code, *operands)


def _block(emulator: Emulator, old: Instruction) -> list[Instruction]:
    block = block_of(emulator, old)
    surface = _Surface(emulator, old, block)
    if block.operation == "prefetch":
        surface.call(block, emulator.void(), surface.operands(0, 0))
        return surface.done
    private = old.args[4] if block.operation == "store" else old.args[9]
    pieces = pieces_of(block)
    bits, count, _ = lane_vectors(pieces[0], emulator.subgroup_size)
    element = emulator.int_type(bits)
    vector = emulator.vector(element, count)
    # What is smaller than a register is moved as the first components of one that fills it.
    padded = max(count, 8 * _REGISTER // (bits * emulator.subgroup_size))
    moved = emulator.vector(element, padded)
    pointer = emulator.pointer("Function", vector)
    start = surface.made("OpBitcast", pointer, private)
    aligned = (enum_value("MemoryAccess", "Aligned"), block.element_bytes)
    side_by_side = block.height // pieces[0].height
    for n, piece in enumerate(pieces):
        operands = surface.operands(n // side_by_side * piece.width, n % side_by_side * piece.height)
        at = surface.made("OpInBoundsPtrAccessChain", pointer, start, emulator.constant(n))
        if block.operation == "store":
            value = surface.made("OpLoad", vector, at, *aligned)
            operands.append(_padded(surface, value, count, padded, moved))
            surface.call(piece, emulator.void(), operands, (moved,))
        else:
            value = surface.call(piece, moved, operands)
            if padded > count:
                value = _first(surface, value, count, vector)
            surface.done.append(instruction("OpStore", at, value, *aligned))
    return surface.done


def _padded(surface: _Surface, value: int, count: int, padded: int, kind: int) -> int:
    """A vector whose first components are those of a shorter one, or a scalar; the others are its first one again."""
    if padded == count:
        return value
    if count == 1:
        return surface.made("OpCompositeConstruct", kind, *(value,) * padded)
    return surface.made("OpVectorShuffle", kind, value, value, *range(count), *(0,) * (padded - count))


def _first(surface: _Surface, value: int, count: int, kind: int) -> int:
    """The first components of a vector."""
    if count == 1:
        return surface.made("OpCompositeExtract", kind, value, 0)
    return surface.made("OpVectorShuffle", kind, value, value, *range(count))


# Matrices and conversions


def _matrix(emulator: Emulator, old: Instruction) -> list[Instruction]:
    matrix, rows = matrix_of(emulator, old)
    size = "16" if emulator.subgroup_size == 16 else ""
    if matrix.c == "s32":
        operation = f"idpas_{matrix.a}_{matrix.b}"
    else:
        a, b, c = (_LETTERS[name] for name in (matrix.a, matrix.b, matrix.c))
        operation = f"fdpas_{c}_{c}_{a}_{b}" if size else f"fdpas_{a}_{b}"
    first, second, sum = (emulator.number(value) for value in old.args[1:4])
    name = f"__builtin_IB_sub_group{size}_{operation}_8_{rows}"
    function = emulator.imported(name, old.type_id, [kind for kind, _ in (sum, first, second)])
    return [instruction("OpFunctionCall", old.type_id, old.result, function, *(value for _, value in (sum, first, second)))]


def _to_tf32(emulator: Emulator, old: Instruction) -> list[Instruction]:
    """The function gave words before it gave floats; both are named alike."""
    count = emulator.components(old.type_id)
    words = emulator.vector(emulator.int_type(32), count)
    function = emulator.imported(f"__builtin_IB_ftotf32_{count}", words, [emulator.number(old.args[0])[0]])
    made = emulator.id()
    return [
        instruction("OpFunctionCall", words, made, function, old.args[0]),
        instruction("OpBitcast", old.type_id, old.result, made),
    ]


def _not(emulator: Emulator, old: Instruction) -> list[Instruction]:
    """The reader of IGC 1.0.12504 ends the process at OpLogicalNot."""
    false = _false(emulator, old.type_id)
    return [instruction("OpLogicalEqual", old.type_id, old.result, old.args[0], false)]


def _false(emulator: Emulator, kind: int) -> int:
    """False, or a vector of it."""
    made = emulator.definition(kind)
    if made is None or made.name != "OpTypeVector":
        return emulator.declare("OpConstantFalse", type_id=kind)
    element, count = made.words[1:]
    false = emulator.declare("OpConstantFalse", type_id=element)
    return emulator.declare("OpConstantComposite", *(false,) * count, type_id=kind)


_HANDLERS: dict[str, Handler] = {
    "OpLogicalNot": _not,
    **dict.fromkeys(BLOCK_INSTRUCTIONS, _block),
    "OpSubgroupMatrixMultiplyAccumulateINTEL": _matrix,
    "OpRoundFToTF32INTEL": _to_tf32,
    "OpSubgroupBlockPrefetchINTEL": lambda emulator, old: [],
}
