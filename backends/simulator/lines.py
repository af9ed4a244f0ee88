"""Which place in the source each instruction comes from: IGC's listing, and DWARF's table of lines (DWARF 4, sections 6.2 and 7.5).

IGC (2.40.14) does not count matrix products where it numbers instructions for DWARF: they have no place there, and what stands behind n
products has the place of what stands n instructions before it, so that a second loop has lines of what follows it.  The listing, which it
writes from its own instructions, is right but for the products: it goes on with the line before them.  Theirs are read off the module, where
each stands behind its OpLine.  The listing has no columns: they are DWARF's where both say the same line, else that of the line's first op
in the module.
"""

from __future__ import annotations

import json
import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from xetile.errors import Location
from xetile.records import dataclass

VERSIONS = (2, 3, 4)
# Standard opcodes, and extended ones behind a zero byte.
COPY, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, CONST_ADD_PC, FIXED_ADVANCE_PC = 1, 2, 3, 4, 5, 8, 9
END_SEQUENCE, SET_ADDRESS = 1, 2
COMP_DIR, FORM_STRING = 0x1B, 0x08
# Opcodes of SPIR-V (3.52 and SPV_INTEL_subgroup_matrix_multiply_accumulate).
OP_STRING, OP_LINE, OP_LABEL, OP_NO_LINE, OP_PRODUCT = 7, 8, 248, 317, 6237
FORM_SIZES = {0x01: 8, 0x05: 2, 0x06: 4, 0x07: 8, 0x0B: 1, 0x0C: 1, 0x0E: 4, 0x17: 4, 0x19: 0}
"""Bytes of an attribute by its form, of those that have a fixed size."""


Row = tuple[int, str, int]
"""Where a place begins in the code, its file, and its line; no line, 0, where there is none."""
_MARK = b"\nlines of the listing\n"
_LINE = re.compile(r"// (?:File: (?P<file>.+)|Line (?P<line>\d+)\b.*)")
_COMPACTED = re.compile(r"\{[^}]*\bCompacted\b")


def rows_of_listing(listing: str) -> tuple[list[Row], int]:
    """Where places begin in IGC's listing of a kernel, and the size of its code: 16 bytes an instruction, 8 of a compacted one."""
    rows: list[Row] = []
    at, file, line = 0, "", 0
    for text in map(str.strip, listing.splitlines()):
        if (said := _LINE.fullmatch(text)) is not None:
            file, line = (said["file"], 0) if said["file"] else (file, int(said["line"]))
            continue
        code = text.partition("//")[0].strip()
        if not code or code[0] == "." or code[-1] == ":":
            continue
        if not rows or rows[-1][1:] != (file, line):
            rows.append((at, file, line))
        at += 8 if _COMPACTED.search(code) else 16
    return rows, at


def with_rows(binary: bytes, rows: Sequence[Row]) -> bytes:
    """A device binary with rows behind it, where readers of ELF look at nothing."""
    return binary + _MARK + json.dumps(rows).encode()


def rows_behind(binary: bytes) -> list[Row]:
    """What `with_rows` has put behind a device binary."""
    _, mark, rows = binary.rpartition(_MARK)
    return [(at, file, line) for at, file, line in json.loads(rows)] if mark else []


class LineTable:
    """Places by offset in the code."""

    def __init__(self, lines: bytes = b"", info: bytes = b"", abbreviations: bytes = b"") -> None:
        """The sections .debug_line, with one program in it, .debug_info and .debug_abbrev."""
        rows = sorted(_rows(_Bytes(lines), _folder(info, abbreviations)), key=lambda row: row[0]) if lines else []
        self._offsets = [row[0] for row in rows]
        self._places = [row[1] for row in rows]

    def corrected(self, rows: Sequence[Row], spirv: bytes) -> LineTable:
        """The lines that rows say, with this table's columns where it says the same line, else of the line's first op in the module."""
        starts, columns = [row[0] for row in rows], _first_columns(spirv)
        made = LineTable()
        for offset in sorted({*starts, *(at for at in self._offsets if at >= starts[0])}):
            _, file, line = rows[bisect_right(starts, offset) - 1]
            place = self.at(offset)
            if place is None or (place.file, place.line) != (file, line):
                place = Location(file, line, columns.get((file, line), 0)) if line else None
            made._offsets.append(offset)
            made._places.append(place)
        return made

    def __bool__(self) -> bool:
        return bool(self._places)

    def at(self, offset: int) -> Location | None:
        """The place of the instruction at an offset; None where the compiler says none."""
        found = bisect_right(self._offsets, offset)
        return self._places[found - 1] if found else None


def places_of_products(spirv: bytes) -> tuple[Location, ...]:
    """Where the matrix products of a module come from, each place once, in their order."""
    return tuple(dict.fromkeys(place for kind, place in _placed(spirv) if kind == OP_PRODUCT and place is not None))


def _first_columns(spirv: bytes) -> dict[tuple[str, int], int]:
    """The leftmost column of each line that a module names."""
    found: dict[tuple[str, int], int] = {}
    for kind, place in _placed(spirv):
        if kind == OP_LINE and place is not None:
            key = place.file, place.line
            found[key] = min(found.get(key, place.column), place.column)
    return found


def _placed(spirv: bytes) -> Iterator[tuple[int, Location | None]]:
    """The instructions of a module, each with the place that holds for it."""
    words, at = struct.unpack(f"<{len(spirv) // 4}I", spirv[: len(spirv) // 4 * 4]), 5
    files: dict[int, str] = {}
    place: Location | None = None
    while at < len(words) and words[at] >> 16:
        count, kind = words[at] >> 16, words[at] & 0xFFFF
        if kind == OP_STRING:
            files[words[at + 1]] = struct.pack(f"<{count - 2}I", *words[at + 2 : at + count]).split(b"\0")[0].decode()
        elif kind == OP_LINE:
            place = Location(files[words[at + 1]], words[at + 2], max(0, words[at + 3] - 1))
        elif kind in (OP_LABEL, OP_NO_LINE):
            place = None
        yield kind, place
        at += count


@dataclass
class _Bytes:
    data: bytes
    at: int = 0

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return int(value)

    def leb(self, *, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.number("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value

    def text(self) -> str:
        end = self.data.index(b"\0", self.at)
        found, self.at = self.data[self.at : end].decode(), end + 1
        return found


@dataclass(frozen=True)
class _Header:
    step: int
    line_base: int
    line_range: int
    first_special: int
    lengths: tuple[int, ...]
    files: tuple[str, ...]


def _folder(info: bytes, abbreviations: bytes) -> str:
    """Where files without a folder lie: an attribute of the first entry, the compilation unit."""
    if not info:
        return ""
    r, form = _Bytes(info, 11), _Bytes(abbreviations)
    if r.leb() != form.leb():
        return ""
    form.leb(), form.number("B")  # its tag, and whether it has children
    while (attribute := form.leb()) | (kind := form.leb()):
        if kind != FORM_STRING and kind not in FORM_SIZES:
            return ""
        if kind != FORM_STRING:
            r.at += FORM_SIZES[kind]
        elif attribute == COMP_DIR:
            return r.text()
        else:
            r.text()
    return ""


def _header(r: _Bytes, folder: str) -> tuple[_Header, int]:
    """The header of a program, and where that ends."""
    end = r.number("I") + r.at
    version = r.number("H")
    if version not in VERSIONS:
        raise ValueError(f"a table of lines of DWARF {version}")
    program = r.number("I") + r.at
    step = r.number("B")
    r.at += 2 if version == 4 else 1  # operations of an instruction, and whether rows begin statements
    base, range_, first = r.number("b"), r.number("B"), r.number("B")
    lengths = tuple(r.number("B") for _ in range(first - 1))
    folders, files = [folder], []
    while name := r.text():
        folders.append(name)
    while name := r.text():
        files.append(str(PurePosixPath(folder, folders[r.leb()], name)))
        r.leb(), r.leb()  # its time and its size
    r.at = program
    return _Header(step, base, range_, first, lengths, tuple(files)), end


def _rows(r: _Bytes, folder: str) -> Iterator[tuple[int, Location | None]]:
    """Where places begin in the code; None where a sequence ends."""
    head, end = _header(r, folder)
    address, file, line, column = 0, 1, 1, 0

    def row() -> tuple[int, Location | None]:
        return address, Location(head.files[file - 1], line, max(0, column - 1)) if line else None

    while r.at < end:
        code = r.number("B")
        if code >= head.first_special:
            code -= head.first_special
            address += code // head.line_range * head.step
            line += head.line_base + code % head.line_range
            yield row()
        elif code == 0:
            size = r.leb()
            after, kind = r.at + size, r.number("B")
            if kind == END_SEQUENCE:
                yield address, None
                address, file, line, column = 0, 1, 1, 0
            elif kind == SET_ADDRESS:
                address = r.number("Q")
            r.at = after
        elif code == COPY:
            yield row()
        elif code == ADVANCE_PC:
            address += r.leb() * head.step
        elif code == ADVANCE_LINE:
            line += r.leb(signed=True)
        elif code == SET_FILE:
            file = r.leb()
        elif code == SET_COLUMN:
            column = r.leb()
        elif code == CONST_ADD_PC:
            address += (255 - head.first_special) // head.line_range * head.step
        elif code == FIXED_ADVANCE_PC:
            address += r.number("H")
        else:
            for _ in range(head.lengths[code - 1]):
                r.leb()
