"""Emulation of SPV_INTEL_subgroups: shuffles, and block reads and writes of buffers and shared memory."""

from __future__ import annotations

from collections.abc import Callable

from ..module.binary import Instruction
from ..module.errors import SpirvError
from ..module.opcodes import enum_value
from ..module.rewrite import instruction
from .emulator import Emulator

_SPACES = {
    enum_value("StorageClass", "CrossWorkgroup"): ("CrossWorkgroup", "global"),
    enum_value("StorageClass", "Workgroup"): ("Workgroup", "local"),
}
_C_TYPES = {
    "OpTypeInt": {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"},
    "OpTypeFloat": {16: "half", 32: "float", 64: "double"},
}


def _lane_type(emulator: Emulator, type_id: int) -> tuple[str, int, int]:
    """OpenCL C's name of a scalar's or vector's component, the component's bits, and the number of components."""
    kind = emulator.definition(type_id)
    element = emulator.definition(kind.words[1]) if kind and kind.name == "OpTypeVector" else kind
    if element is None or element.name not in _C_TYPES:
        raise SpirvError("subgroup instructions move integers and floats only")
    return _C_TYPES[element.name][element.words[1]], element.words[1], emulator.components(type_id)


def _core_shuffle(name: str) -> Callable[[Emulator, Instruction], list[Instruction]]:
    """The core instruction of the same meaning takes the scope first."""

    def handler(emulator: Emulator, old: Instruction) -> list[Instruction]:
        emulator.capabilities.add("GroupNonUniformShuffle")
        scope = emulator.constant(enum_value("Scope", "Subgroup"))
        return [instruction(name, old.type_id, old.result, scope, *old.args)]

    return handler


def _broadcast(emulator: Emulator, old: Instruction) -> list[Instruction]:
    """Not all lanes need to come to the core's shuffle, nor do the GPU's compilers ask that of broadcasts."""
    emulator.capabilities.add("GroupNonUniformShuffle")
    return [instruction("OpGroupNonUniformShuffle", old.type_id, old.result, *old.args)]


def _relative_shuffle(direction: str) -> Callable[[Emulator, Instruction], list[Instruction]]:
    """The core's relative shuffles leave undefined what these take from their second operand."""

    def handler(emulator: Emulator, old: Instruction) -> list[Instruction]:
        name, _, count = _lane_type(emulator, old.type_id)
        size = emulator.subgroup_size
        symbol = f"xetile_shuffle_{direction}_{name}{count}_sg{size}"
        line = f"XETILE_SHUFFLE_{direction.upper()}({symbol}, {name}, {count}, {size})"
        return [emulator.call(symbol, line, old.result, old.type_id, [emulator.number(value) for value in old.args])]

    return handler


def _block(direction: str) -> Callable[[Emulator, Instruction], list[Instruction]]:
    """Component j of lane l is element l + j * subgroup size of the memory."""

    def handler(emulator: Emulator, old: Instruction) -> list[Instruction]:
        pointer = emulator.type_of(old.args[0])
        data_type = old.type_id or emulator.number(old.args[1])[0]
        name, bits, count = _lane_type(emulator, data_type)
        if pointer is None or pointer.words[1] not in _SPACES:
            raise SpirvError(f"{old.name} takes a pointer to global or shared memory")
        storage, space = _SPACES[pointer.words[1]]
        casts, base = emulator.typed_pointer(old.args[0], storage, bits)
        size = emulator.subgroup_size
        symbol = f"xetile_block_{direction}_{space}_{name}{count}_sg{size}"
        line = f"XETILE_BLOCK_{direction.upper()}({symbol}, {space}, {name}, {count}, {size})"
        operands = [base, *map(emulator.number, old.args[1:])]
        return [*casts, emulator.call(symbol, line, old.result, old.type_id or emulator.void(), operands)]

    return handler


HANDLERS = {
    "OpGroupBroadcast": _broadcast,
    "OpSubgroupShuffleINTEL": _core_shuffle("OpGroupNonUniformShuffle"),
    "OpSubgroupShuffleXorINTEL": _core_shuffle("OpGroupNonUniformShuffleXor"),
    "OpSubgroupShuffleDownINTEL": _relative_shuffle("down"),
    "OpSubgroupShuffleUpINTEL": _relative_shuffle("up"),
    "OpSubgroupBlockReadINTEL": _block("read"),
    "OpSubgroupBlockWriteINTEL": _block("write"),
}
