"""Device binaries: ELF sections, the kernels' code, what `.ze_info` says of arguments, relocations."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping

from xetile.errors import Location
from xetile.records import dataclass

from .errors import UnsupportedError
from .isa import Instruction
from .lines import LineTable, Row, places_of_products, rows_behind

HELPERS = frozenset({"Intel_Symbol_Table_Void_Program"})
DATA_SECTIONS = (".data.const", ".data.global", ".data.const.string", ".bss.const", ".bss.global")
CROSS_THREAD_OFFSET = "__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0"
"""Where the arguments begin, counted from what r0.0 says: 0."""
# Relocation types of Intel's zebin specification.
ADDRESS_64, ADDRESS_LOW, ADDRESS_HIGH = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Argument:
    """One piece of a kernel's payload: of a kernel argument (`index`), or an implicit one."""

    kind: str
    offset: int
    size: int
    index: int | None
    addrmode: str
    addrspace: str


@dataclass(frozen=True, slots=True)
class Relocation:
    """A place in the code or in data that holds a symbol's address: in which section the symbol is, and where there."""

    offset: int
    kind: int
    symbol: str
    section: str
    value: int


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an ELF file; `link` is the number of a related one."""

    name: str
    data: bytes
    link: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of a device binary; sizes in bytes.

    inline_size   of the arguments that arrive in a register.
    private_size  of a work-item's part of global memory, for arrays of its own.
    data          constants and variables of the program, by section.
    lines         places in the source by offset in the code; products: those of matrix products, which have no place there.
    workgroup     the size that the kernel requires; None where the launch says it.
    """

    name: str
    code: bytes
    grf_count: int
    simd_size: int
    slm_size: int
    scratch_size: int
    private_size: int
    inline_size: int
    arguments: tuple[Argument, ...]
    thread_arguments: tuple[Argument, ...]
    workgroup: tuple[int, int, int] | None
    relocations: tuple[Relocation, ...]
    data: Mapping[str, bytes]
    lines: LineTable
    products: tuple[Location, ...]

    def places_of(self, inst: Instruction) -> tuple[Location, ...]:
        """Where in the source an instruction comes from, or may come from, for kernels that were compiled with lines."""
        if not self.lines:
            return ()
        if inst.opcode == "dpas":
            return self.products
        found = self.lines.at(inst.address)
        return () if found is None else (found,)


def read_sections(data: bytes) -> list[Section]:
    """The sections of an ELF file.  Raises UnsupportedError for anything else."""
    if data[:4] != b"\x7fELF" or data[4] != 2:
        raise UnsupportedError("the compiler's output is no 64-bit ELF file")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQII", data, table + i * size) for i in range(count)]
    start = headers[names][4]
    found = []
    for name, kind, _, _, at, length, link, _ in headers:
        text = data[start + name : data.index(b"\0", start + name)].decode()
        # ELF: a section without bytes in the file (.bss) is zeros.
        found.append(Section(text, bytes(length) if kind == 8 else data[at : at + length], link))
    return found


def read_kernel(data: bytes, name: str | None = None) -> Kernel:
    """A kernel of a device binary: the only one, or by name.  Raises UnsupportedError."""
    sections = read_sections(data)
    by_name = {s.name: s for s in sections}
    found = [n[6:] for n in by_name if n.startswith(".text.") and n[6:] not in HELPERS]
    if not found or (name is not None and name not in found) or ".ze_info" not in by_name:
        raise UnsupportedError(f"the device binary has no kernel {name or ''}")
    name = name or found[0]
    text = _entry(by_name[".ze_info"].data.decode().rstrip("\0"), name)
    group = _numbers(text, "required_work_group_size")
    return Kernel(
        name=name,
        code=by_name[f".text.{name}"].data,
        grf_count=_number(text, "grf_count", 128),
        simd_size=_number(text, "simd_size", 16),
        slm_size=_number(text, "slm_size"),
        private_size=_private(text),
        scratch_size=sum(
            int(n) for n in re.findall(r"^      - type:\s*scratch\s.*?size:\s*(\d+)", text, re.DOTALL | re.MULTILINE)
        ),
        inline_size=_number(text, "inline_data_payload_size"),
        arguments=_arguments(text, "payload_arguments"),
        thread_arguments=_arguments(text, "per_thread_payload_arguments"),
        workgroup=(group[0], group[1], group[2]) if group else None,
        relocations=_relocations(sections, f".text.{name}"),
        data={n: by_name[n].data for n in DATA_SECTIONS if n in by_name and by_name[n].data},
        lines=_lines(by_name, rows_behind(data)),
        products=places_of_products(by_name[".spv"].data) if ".spv" in by_name else (),
    )


def _lines(sections: Mapping[str, Section], rows: list[Row]) -> LineTable:
    """The table of lines, of a program with one kernel: addresses of others cannot be told apart."""
    alone = sum(n.startswith(".text.") and n[6:] not in HELPERS for n in sections) == 1
    found = [sections[name].data for name in (".debug_line", ".debug_info", ".debug_abbrev") if name in sections]
    table = LineTable(*found) if alone and len(found) == 3 else LineTable()
    return table.corrected(rows, sections[".spv"].data if ".spv" in sections else b"") if rows and alone else table


def _entry(info: str, name: str) -> str:
    entry = re.search(rf"^  - name:\s*(['\"]?){re.escape(name)}\1\s*$(.*?)(?=^  - name:|^\S|\Z)", info, re.DOTALL | re.MULTILINE)
    if entry is None:
        raise UnsupportedError(f".ze_info says nothing of kernel {name}")
    return entry[2]


def _private(text: str) -> int:
    found = re.search(
        r"^      - type:\s*global\s+usage:\s*private_space\s+size:\s*(\d+)\s+is_simt_thread:\s*true", text, re.MULTILINE
    )
    return int(found[1]) if found else 0


def _number(text: str, key: str, default: int = 0) -> int:
    match = re.search(rf"\b{key}:\s*(\d+)", text)
    return int(match[1]) if match else default


def _numbers(text: str, key: str) -> tuple[int, ...] | None:
    match = re.search(rf"\b{key}:\s*\[([^\]]*)\]", text)
    return tuple(int(n) for n in match[1].split(",")) if match else None


def _arguments(text: str, key: str) -> tuple[Argument, ...]:
    block = re.search(rf"^    {key}:\s*$(.*?)(?=^    \w|\Z)", text, re.DOTALL | re.MULTILINE)
    if block is None:
        return ()
    made = []
    for item in re.split(r"^      - ", block[1], flags=re.MULTILINE)[1:]:
        fields = dict(re.findall(r"(\w+):\s*(\S+)", item))
        index = fields.get("arg_index")
        made.append(Argument(fields["arg_type"], int(fields["offset"]), int(fields["size"]), None if index is None else int(index),
                             fields.get("addrmode", ""), fields.get("addrspace", "")))  # fmt: skip
    return tuple(made)


def _relocations(sections: list[Section], of: str) -> tuple[Relocation, ...]:
    by_name = {s.name: s for s in sections}
    out = []
    for prefix, size in ((".rel", 16), (".rela", 24)):
        found = by_name.get(prefix + of)
        if found is None:
            continue
        symbols, strings = sections[found.link], sections[sections[found.link].link].data
        for at in range(0, len(found.data), size):
            offset, info = struct.unpack_from("<QQ", found.data, at)
            addend = struct.unpack_from("<q", found.data, at + 16)[0] if size == 24 else 0
            name, _, _, section, value, _ = struct.unpack_from("<IBBHQQ", symbols.data, (info >> 32) * 24)
            symbol = strings[name : strings.index(b"\0", name)].decode()
            place = sections[section].name if 0 < section < len(sections) else ""
            out.append(Relocation(offset, info & 0xFFFFFFFF, symbol, place, value + addend))
    return tuple(out)


def relocated(kernel: Kernel, addresses: Mapping[str, int]) -> bytes:
    """The kernel's code with the addresses of the sections that it refers to.  Raises UnsupportedError for other symbols."""
    code = bytearray(kernel.code)
    for relocation in kernel.relocations:
        if relocation.symbol == CROSS_THREAD_OFFSET:
            continue
        if relocation.section not in addresses:
            raise UnsupportedError(f"the code refers to {relocation.symbol} in {relocation.section or 'no section'}")
        value = addresses[relocation.section] + relocation.value
        form = {ADDRESS_64: ("<Q", value), ADDRESS_LOW: ("<I", value & 0xFFFFFFFF), ADDRESS_HIGH: ("<I", value >> 32)}
        if relocation.kind not in form:
            raise UnsupportedError(f"a relocation of type {relocation.kind}")
        struct.pack_into(form[relocation.kind][0], code, relocation.offset, form[relocation.kind][1])
    return bytes(code)
