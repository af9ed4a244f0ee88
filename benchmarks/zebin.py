"""Kernels out of a device binary as `ocloc` writes it: a zebin ELF, whose `.ze_info` section describes each kernel in YAML."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

ELF_MAGIC = b"\x7fELF"
CLASS_64 = 2
CODE_PREFIX = ".text."
# Not a kernel: the symbol table that IGC adds for functions called by address.
HELPER_KERNELS = frozenset({"Intel_Symbol_Table_Void_Program"})


class ZebinError(Exception):
    """The file is no zebin, or has no kernel."""


@dataclass(frozen=True)
class Section:
    """One section of an ELF file."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Kernel:
    """One compiled kernel and what the compiler says of it; sizes in bytes.

    grf_count      registers per thread: 128 or 256 (fixed by an option), other numbers where the compiler chose.
    scratch_size   memory per thread for spilled registers and private arrays together; spill_size, private_size: either part.
    """

    name: str
    code: bytes
    grf_count: int = 0
    simd_size: int = 0
    scratch_size: int = 0
    spill_size: int = 0
    private_size: int = 0
    slm_size: int = 0
    barrier_count: int = 0


def read_kernels(data: bytes) -> tuple[Kernel, ...]:
    """All kernels of a device binary.  Raises ZebinError when it is no zebin or holds no kernel."""
    kernels = _kernels(read_sections(data))
    if not kernels:
        raise ZebinError("the device binary holds no kernel")
    return kernels


def read_sections(data: bytes) -> tuple[Section, ...]:
    """The sections of a 64-bit little-endian ELF file.  Raises ZebinError for anything else."""
    if data[:4] != ELF_MAGIC or data[4] != CLASS_64:
        raise ZebinError("not a 64-bit ELF file: ocloc of a current compiler writes zebin, older ones another format")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    strings = headers[names][4]
    return tuple(Section(_string(data, strings + name), data[at : at + length]) for name, _, _, _, at, length in headers)


def _string(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode(errors="replace")


def _kernels(sections: tuple[Section, ...]) -> tuple[Kernel, ...]:
    info = next((section.data.decode(errors="replace") for section in sections if section.name == ".ze_info"), "")
    found = tuple(_kernel(name, section.data, info) for name, section in _code(sections))
    if found:
        return found
    # A binary of the OpenCL runtime wraps the zebin in an ELF file of its own.
    wrapped = (section.data for section in sections if section.data[:4] == ELF_MAGIC)
    return next((kernels for data in wrapped if (kernels := _kernels(read_sections(data)))), ())


def _code(sections: tuple[Section, ...]) -> Iterator[tuple[str, Section]]:
    for section in sections:
        name = section.name.removeprefix(CODE_PREFIX)
        if section.name.startswith(CODE_PREFIX) and section.data and name not in HELPER_KERNELS:
            yield name, section


def _kernel(name: str, code: bytes, info: str) -> Kernel:
    entry = _entry(info, name)
    keys = ("grf_count", "simd_size", "spill_size", "private_size", "slm_size", "barrier_count")
    buffers = re.findall(r"type:\s*scratch\b.*?\bsize:\s*(\d+)", entry, re.DOTALL)
    return Kernel(name, code, scratch_size=sum(map(int, buffers)), **{key: _number(entry, key) for key in keys})


def _entry(info: str, kernel: str) -> str:
    """The lines of `.ze_info` under `kernels:` that describe one kernel."""
    match = re.search(rf"^  - name:\s*'?{re.escape(kernel)}'?\s*$(.*?)(?=^  - name:|^\S|\Z)", info, re.DOTALL | re.MULTILINE)
    return match[1] if match else ""


def _number(entry: str, key: str) -> int:
    match = re.search(rf"\b{key}:\s*(\d+)", entry)
    return int(match[1]) if match else 0
