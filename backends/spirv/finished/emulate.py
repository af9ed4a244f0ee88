"""Run a GPU's module on a device without Intel's tile extensions.

Each instruction of an extension that the device lacks becomes a call of an imported function with the same operands; the
functions, in OpenCL C, are defined by backends/opencl/emulation.cl.  All other instructions stay as they are, so that operand
order, lane layouts, packing and bounds are those that a GPU gets.  A driver compiles both and joins them by clLinkProgram.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from importlib import resources

from ..assembly import (  # noqa: F401 (their pieces are read back)
    both_halves,
    byte_masks,
    byte_powers,
    byte_steps,
    chosen_rows,
    code_pairs,
    float_codes,
    gather,
    lane_masks,
    lane_shifts,
    packed,
    pairs,
    shared,
    singles,
    tangents,
    trees,
    wide,
)
from ..assembly.call import Call, call_of
from ..module.binary import Binary, Instruction
from ..module.errors import SpirvError
from ..module.opcodes import EXTENSION_OF, enum_value, opencl_std
from ..module.rewrite import instruction
from ..module.shapes import BLOCK_INSTRUCTIONS, BlockInstruction, MatrixInstruction, lane_vectors
from . import subgroups
from .emulator import Emulator, block_of, matrix_of
from .negations import Negations, keeps_together
from .prefetch_headers import as_messages

Handler = Callable[[Emulator, Instruction], list[Instruction]]
_HANDLERS: dict[str, Handler] = dict(subgroups.HANDLERS)


def emulate(module: bytes, device_extensions: Collection[str] = ()) -> tuple[bytes, str]:
    """Replace what a device lacks; returns the module and the OpenCL C source of the functions it now imports.

    `device_extensions` are the SPIR-V extensions that the device takes as they are.  Approximate quotients become whole ones: the
    GPU's have one ulp, those of CPUs 12 bits; negations that may live across a barrier change a bit.  A module that needs nothing of
    it comes back unchanged, with an empty source.  Raises SpirvError for an instruction that cannot be emulated.
    """
    binary = Binary(module if "SPV_INTEL_2d_block_io" in device_extensions else as_messages(module))
    missing = {extension for extension in binary.extensions if extension in EMULATED_EXTENSIONS} - set(device_extensions)
    if any(
        _piece(i) is not None for i in binary.instructions if i.name == "OpAsmINTEL"
    ):  # of a GPU, whatever assembly a device takes
        missing.add(EXTENSION_OF["AsmINTEL"])
    negations = Negations(binary)
    if not missing and not negations.values and not any(map(_is_approximate, binary.instructions)):
        return module, ""
    emulator = Emulator(binary, missing)
    body: list[Instruction] = []
    rest: list[Instruction] = []
    for old in binary.instructions:
        rest += _replaced(emulator, old, negations)
        if old.name == "OpFunctionEnd":
            body += negations.declare(rest)
            rest = []
    body += rest
    source = emulation_source(emulator.functions.values()) if emulator.functions else ""
    return emulator.finish(body, missing), source


@cache
def _definitions() -> str:
    return resources.files("xetile.backends.opencl").joinpath("emulation.cl").read_text()


def emulation_source(instances: Collection[str]) -> str:
    """emulation.cl followed by the lines that instantiate functions: `block_instance(...)`, `matrix_instance(...)`."""
    return _definitions() + "\n" + "\n".join(instances) + "\n"


def _replaced(emulator: Emulator, old: Instruction, negations: Negations) -> list[Instruction]:
    """The instructions in the place of `old`."""
    if old.result in negations.values:
        return negations.flip_sign(emulator, old)
    if _is_approximate(old):
        return [instruction("OpFDiv", *old.words[:2], *old.args[2:])]
    if EXTENSION_OF.get(old.op.capability) not in emulator.missing:
        return [] if keeps_together(emulator.binary, old) else [old]
    if old.name not in _HANDLERS:
        raise SpirvError(f"{old.name} cannot be emulated for a device without {EXTENSION_OF[old.op.capability]}")
    return _HANDLERS[old.name](emulator, old)


def _is_approximate(one: Instruction) -> bool:
    """Whether an instruction is native_divide; OpenCL.std is the only set of instructions that kernels import."""
    return one.name == "OpExtInst" and one.args[1] == opencl_std("native_divide")


def _handles(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        _HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


# 2D blocks


def block_name(block: BlockInstruction, subgroup_size: int) -> str:
    """The name of the function of a block instruction: it encodes the shape."""
    return f"xetile_2d_{block.operation}_{block.element_bytes}b_{block.width}x{block.height}x{block.count}_sg{subgroup_size}"


def block_instance(block: BlockInstruction, subgroup_size: int) -> str:
    """The line of OpenCL C that defines the function of a block instruction."""
    macro = f"XETILE_2D_{block.operation.upper()}"
    shape = f"{block.element_bytes}, {block.width}, {block.height}, {block.count}, {subgroup_size}"
    bits, count, _ = lane_vectors(block, subgroup_size)
    return f"{macro}({block_name(block, subgroup_size)}, {_c_type(('int', bits))}, {count}, {shape})"


@_handles(*BLOCK_INSTRUCTIONS)
def _block(emulator: Emulator, old: Instruction) -> list[Instruction]:
    block = block_of(emulator, old)
    if block.operation == "prefetch":
        return []
    rest = list(old.args[4:])
    private, base = (rest[0], rest[1]) if block.operation == "store" else (rest[5], rest[0])
    numbers = rest[2:6] if block.operation == "store" else rest[1:5]
    casts, base_operand = emulator.typed_pointer(base, "CrossWorkgroup", 8)
    common = [base_operand, *map(emulator.number, numbers)]
    return casts + _pieces(emulator, block, private, common)


def _pieces(emulator: Emulator, block: BlockInstruction, private: int, common: list[tuple[int, int]]) -> list[Instruction]:
    """Move a lane's data in vectors, by value, so that private arrays need not be addressed and can live in registers."""
    size = emulator.subgroup_size
    bits, count, pieces = lane_vectors(block, size)
    element = emulator.int_type(bits)
    vector = emulator.vector(element, count)
    pointer = emulator.pointer("Function", vector)
    aligned = (enum_value("MemoryAccess", "Aligned"), block.element_bytes)
    name, line = block_name(block, size), block_instance(block, size)
    start = emulator.id()
    done = [instruction("OpBitcast", pointer, start, private)]
    for piece in range(pieces):
        number = emulator.constant(piece)
        at, value = emulator.id(), emulator.id()
        done.append(instruction("OpInBoundsPtrAccessChain", pointer, at, start, number))
        operands = [*common, emulator.number(number)]
        if block.operation == "store":
            done.append(instruction("OpLoad", vector, value, at, *aligned))
            done.append(emulator.call(name, line, 0, emulator.void(), [*operands, (vector, value)]))
        else:
            done.append(emulator.call(name, line, value, vector, operands))
            done.append(instruction("OpStore", at, value, *aligned))
    return done


# matrices


def matrix_name(matrix: MatrixInstruction, m: int) -> str:
    """The name of the function of a matrix instruction of `m` rows: it encodes types, rows and subgroup size."""
    return f"xetile_mma_{matrix.a}_{matrix.b}_{matrix.c}_m{m}_sg{matrix.subgroup_size}"


def matrix_instance(matrix: MatrixInstruction, m: int) -> str:
    """The line of OpenCL C that defines the function of a matrix instruction of `m` rows."""
    words = f"{_c_type(matrix.a_type)}, {matrix.a_components(m)}, {_c_type(matrix.b_type)}"
    shape = f"{m}, {matrix.k}, {matrix.subgroup_size}"
    return f"XETILE_MMA({matrix_name(matrix, m)}, {words}, {matrix.a}, {matrix.b}, {matrix.c}, {shape})"


def _c_type(kind: tuple[str, int]) -> str:
    return {("int", 8): "uchar", ("int", 16): "ushort", ("int", 32): "uint", ("int", 64): "ulong", ("float", 32): "float"}[kind]


@_handles("OpSubgroupMatrixMultiplyAccumulateINTEL")
def _matrix(emulator: Emulator, old: Instruction) -> list[Instruction]:
    matrix, rows = matrix_of(emulator, old)
    operands = [emulator.number(value) for value in old.args[1:4]]
    return [emulator.call(matrix_name(matrix, rows), matrix_instance(matrix, rows), old.result, old.type_id, operands)]


# conversions, barriers, hints


def _convert(name: str, c_function: str) -> None:
    """Emulate a conversion by a call; one function for each number of components."""

    @_handles(name)
    def handler(emulator: Emulator, old: Instruction) -> list[Instruction]:
        count = emulator.components(old.type_id)
        symbol = f"xetile_{c_function}_{count}"
        line = f"XETILE_{c_function.upper()}({symbol}, {count})"
        return [emulator.call(symbol, line, old.result, old.type_id, [emulator.number(old.args[0])])]


_convert("OpConvertFToBF16INTEL", "float_to_bf16")
_convert("OpConvertBF16ToFINTEL", "bf16_to_float")
_convert("OpRoundFToTF32INTEL", "float_to_tf32")


# assembly


def _piece(assembly: Instruction) -> Call | None:
    return call_of(next(str(operand.value) for operand in assembly.operands() if operand.kind == "S"))


@_handles("OpAsmCallINTEL")
def _packed(emulator: Emulator, old: Instruction) -> list[Instruction]:
    assembly = emulator.definition(old.args[0])
    piece = _piece(assembly) if assembly is not None else None
    if piece is None:
        raise SpirvError("assembly of another processor cannot be emulated")
    operands = [emulator.number(value) for value in old.args[1:]]
    return [emulator.call(piece.symbol, piece.function(), old.result, old.type_id, operands)]


@_handles("OpControlBarrierWaitEXT")
def _wait(emulator: Emulator, old: Instruction) -> list[Instruction]:
    """The whole barrier stands where the wait stood: later than arrive, so it orders at least as much."""
    semantics = emulator.binary.constant(old.args[2]) or 0
    both = semantics & ~enum_value("MemorySemantics", "Acquire|Release") | enum_value("MemorySemantics", "AcquireRelease")
    return [instruction("OpControlBarrier", old.args[0], old.args[1], emulator.constant(both))]


@_handles("OpAsmTargetINTEL", "OpAsmINTEL", "OpControlBarrierArriveEXT", "OpSubgroupBlockPrefetchINTEL")
def _left_out(emulator: Emulator, old: Instruction) -> list[Instruction]:
    return []


EMULATED_EXTENSIONS = frozenset(
    (
        "SPV_INTEL_2d_block_io",
        "SPV_INTEL_subgroup_matrix_multiply_accumulate",
        "SPV_INTEL_bfloat16_conversion",
        "SPV_INTEL_tensor_float32_conversion",
        "SPV_INTEL_split_barrier",
        "SPV_INTEL_subgroup_buffer_prefetch",
        "SPV_INTEL_cache_controls",
        "SPV_INTEL_subgroups",
    )
)
