"""iga64's listing of machine code, parsed into instructions.  What it cannot read is an error, never skipped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from .errors import UnsupportedError
from .isa import BRANCHES, FLOATS, SENDS, TYPES, Code, Condition, Indirect, Instruction, Operand, Predicate

LABEL = re.compile(r"^(\w+):\s*$")
LINE = re.compile(r"^/\* \[([0-9A-Fa-f]+)\]\s*\*/\s*(.*)$")
PREDICATE = re.compile(r"^\((W)?&?(?:(~)?f(\d)\.(\d)(?:\.(\w+))?)?\)\s*")
OPCODE = re.compile(r"^([a-z]\w*)((?:\.\(.*?\)(?=\s+\(\d+\|)|\.\w+)*)\s*")
EXECUTION = re.compile(r"^\((\d+)\|M(\d+)\)\s*")
CONDITION = re.compile(r"^\((\w\w)\)f(\d)\.(\d)\s+")
BRACES = re.compile(r"\{([^}]*)\}\s*$")
MODIFIERS = r"^(?P<sat>\(sat\))?(?P<neg>-)?(?P<inv>~)?(?P<abs>\(abs\))?"
REGION = r"(?:<(?P<region>[\d;,]+)>)?(?::(?P<type>\w+))?$"
REGISTER = re.compile(
    MODIFIERS + r"(?P<file>null|acc|a|f|cr|sr|ce|tm|dbg|ip|r|s)(?P<reg>\d*)(?:\.(?P<sub>\d+|mme\d|nomme))?" + REGION
)
INDIRECT = re.compile(MODIFIERS + r"r\[a0\.(?P<address>\d+)(?:,\s*(?P<offset>-?\d+))?\]" + REGION)
IMMEDIATE = re.compile(r"^(-?(?:0x[0-9A-Fa-f]+|[\d.]+(?:e[-+]?\d+)?|inf|nan|qnan|snan)):(\w+)$")
SEND_REGISTER = re.compile(r"^(?:null|r(\d+))(?:\.(\d+))?$")
DPAS = re.compile(r"\bdpas\b")
PACKED = {"v": "w", "uv": "w", "vf": "f"}
"""Immediates of several numbers, by the type that the numbers have."""
NUMBERED = frozenset({"r", "acc", "f"})
NO_MACRO = 8
"""The accumulator that `nomme` stands for."""


def parse(text: str) -> Code:
    """Instructions of a listing.  Raises UnsupportedError for text that it cannot read; `inst` of it is then the text alone."""
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    for line in text.splitlines():
        if found := LABEL.match(line.strip()):
            labels[found[1]] = len(instructions)
        elif found := LINE.match(line):
            instructions.append(_read(int(found[1], 16), found[2]))
        elif line.strip():
            raise UnsupportedError(f"a line of the disassembly that cannot be read: {line.strip()}")
    return Code(tuple(instructions), labels)


def _read(address: int, text: str) -> Instruction:
    try:
        return _instruction(address, text)
    except UnsupportedError as error:
        opcode = "dpas" if DPAS.search(text) else ""
        error.inst = Instruction(address, opcode, "", 0, 0, False, None, None, (), (), "", text.partition("//")[0].strip())
        raise


def _instruction(address: int, text: str) -> Instruction:
    body, _, comment = text.partition("//")
    rest = body = body.strip()
    swsb: tuple[str, ...] = ()
    if found := BRACES.search(rest):
        swsb = tuple(item.strip() for item in found[1].split(",") if item.strip())
        rest = rest[: found.start()].strip()
    nomask, predicate, rest = _predicate(rest)
    head = OPCODE.match(rest)
    if head is None:
        raise UnsupportedError("an instruction of this form")
    opcode, suffix, rest = head[1], head[2][1:], rest[head.end() :]
    width, channel, condition = 1, 0, None
    if found := EXECUTION.match(rest):
        width, channel, rest = int(found[1]), int(found[2]), rest[found.end() :]
    if found := CONDITION.match(rest):
        condition, rest = Condition(found[1], int(found[2]), int(found[3])), rest[found.end() :]
    special = _operands(opcode, rest)
    operands = _spread(special.pop("operands", ()), width)
    return Instruction(address, opcode, suffix, width, channel, nomask, predicate, condition, operands, swsb, comment.strip(),
                       body, **special)  # fmt: skip


def _predicate(text: str) -> tuple[bool, Predicate | None, str]:
    found = PREDICATE.match(text)
    if found is None:
        return False, None, text
    predicate = None
    if found[3] is not None:
        predicate = Predicate(int(found[3]), int(found[4]), found[2] is not None, found[5] or "")
    return found[1] is not None, predicate, text[found.end() :]


def _operands(opcode: str, text: str) -> dict[str, Any]:
    """The fields of an instruction that its operands fill."""
    words = re.sub(r"(\[a0\.\d+),\s+", r"\1,", text).split()
    if opcode in BRANCHES:
        return {"labels": tuple(words)}
    if opcode == "sync":
        return {"sync": text.strip()}
    if opcode in ("nop", "illegal"):
        return {}
    if opcode in SENDS:
        return _send(words)
    return {"operands": tuple(map(_operand, words))}


def _spread(operands: tuple[Operand, ...], width: int) -> tuple[Operand, ...]:
    """Operands with packed integers as the channels take them.

    Such an immediate stands for a row of eight words, and a channel reads the word that lies where it writes (PRM volume 2a,
    numeric types): for results of four bytes that is each second one, and IGC spreads the numbers so.
    """
    packed = [operand for operand in operands[1:] if isinstance(operand.value, tuple) and operand.type not in FLOATS]
    if not packed or not operands[0].type:
        return operands
    step = operands[0].dtype.itemsize * (operands[0].region or (0, 0, 1))[2] // 2
    if step == 1:
        return operands
    if not step or step * width > 8:
        raise UnsupportedError(f"packed integers for {width} channels, in results that lie like this")
    return tuple(replace(operand, value=operand.value[::step]) if operand in packed else operand for operand in operands)


def _send(words: Sequence[str]) -> dict[str, Any]:
    if len(words) != 5:
        raise UnsupportedError("a send with other than three operands and two descriptors")
    dst, src0, src1, ex_desc, desc = words
    if not desc.startswith("0x"):
        raise UnsupportedError("a message descriptor in a register")
    operands = tuple(_send_operand(word) for word in (dst, src0, src1))
    number, _, register = ex_desc.rpartition(":")
    if number:
        # Xe2: 17 bits of an offset stand beside the register that names the surface.
        return {"operands": operands, "desc": int(desc, 16), "ex_desc": register, "offset": _signed(int(number, 16) >> 15, 17)}
    return {"operands": operands, "desc": int(desc, 16), "ex_desc": int(ex_desc, 16) if ex_desc.startswith("0x") else ex_desc}


def _signed(bits: int, width: int) -> int:
    return bits - (1 << width) if bits >> (width - 1) else bits


@lru_cache(maxsize=4096)
def _send_operand(word: str) -> Operand:
    name, _, length = word.partition(":")
    found = SEND_REGISTER.match(name)
    if found is None:
        raise UnsupportedError(f"operand of a send: {word}")
    size = int(length) if length else None
    return Operand("null", length=size) if found[1] is None else Operand("r", int(found[1]), int(found[2] or 0), length=size)


@lru_cache(maxsize=1 << 15)
def _operand(word: str) -> Operand:
    if found := IMMEDIATE.match(word):
        return Operand("imm", type=PACKED.get(found[2], found[2]), value=_number(found[1], found[2]))
    if found := INDIRECT.match(word):
        region = found["region"]
        by_row = bool(region) and ";" not in region and "," in region
        shape = _row(region) if by_row else _region(region)
        indirect = Indirect(int(found["address"]), int(found["offset"] or 0), by_row)
        return Operand("r", 0, 0, shape, found["type"] or "", indirect=indirect, **_modifiers(found))
    found = REGISTER.match(word)
    if found is None:
        raise UnsupportedError(f"operand {word}")
    file = found["file"]
    name = file if file in NUMBERED or file in ("null", "ip") else f"{file}{found['reg'] or 0}"
    sub = found["sub"] or "0"
    macro = None if sub.isdecimal() else NO_MACRO if sub == "nomme" else int(sub[3:])
    return Operand(name, int(found["reg"] or 0) if file in NUMBERED else 0, int(sub) if macro is None else 0,
                   _region(found["region"]), found["type"] or "", macro=macro, **_modifiers(found))  # fmt: skip


def _row(text: str) -> tuple[int, int, int]:
    """<W,H> of an indirect source with an address for each row."""
    width, horizontal = (int(n) for n in text.split(","))
    return (0, width, horizontal)


def _modifiers(found: re.Match[str]) -> dict[str, Any]:
    return {
        "negate": bool(found["neg"]),
        "absolute": bool(found["abs"]),
        "invert": bool(found["inv"]),
        "saturate": bool(found["sat"]),
    }


def _region(text: str | None) -> tuple[int, int, int] | None:
    """<H> of a destination or a third source, <V;H> of sources of three-source instructions, <V;W,H> of the others."""
    if text is None:
        return None
    numbers = [int(n) for n in re.split("[;,]", text)]
    if len(numbers) == 1:
        return (0, 0, numbers[0])
    if len(numbers) == 2:
        vertical, horizontal = numbers
        return (vertical, max(1, vertical // horizontal) if horizontal else 1, horizontal)
    vertical, width, horizontal = numbers
    return (vertical, width, horizontal)


def _small_float(bits: int) -> float:
    """A number of 8 bits: sign, three of the exponent (bias 3), four of the mantissa; without a subnormal."""
    size = 0.0 if not bits & 127 else 2.0 ** ((bits >> 4 & 7) - 3) * (1 + (bits & 15) / 16)
    return -size if bits & 128 else size


def _number(text: str, kind: str) -> Any:
    """The value of an immediate: a number, or eight or four of them for the packed kinds."""
    if kind == "vf":
        return tuple(_small_float(int(text, 16) >> 8 * i & 255) for i in range(4))
    if kind in PACKED:
        nibbles = [int(text, 16) >> 4 * i & 15 for i in range(8)]
        return tuple(n - 16 if kind == "v" and n > 7 else n for n in nibbles)
    if kind not in TYPES:
        raise UnsupportedError(f"an immediate of type {kind}")
    if kind not in FLOATS:
        return int(text, 0)
    dtype = TYPES[kind]
    if text.startswith(("0x", "-0x")):
        return np.array([int(text, 16)], f"u{dtype.itemsize}").view(dtype)[0]
    return dtype.type(float(text.replace("qnan", "nan").replace("snan", "nan")))
