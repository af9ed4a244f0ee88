"""LLVM 22's own tool as the reader of MLIR's custom forms: it gives the generic form, with the place of every op.

Text that older or newer versions of the xegpu dialect wrote is refused by the name that gives it away.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache

from xetile.errors import Location, MlirTextError
from xetile.ir.core import OPS
from xetile.mlir import child
from xetile.mlir.limits import check_text, shortened
from xetile.mlir.scan import Scanner

VERSION = 22
TOOLS = ("mlir-opt-22", "mlir-opt")
SECONDS = 120
_FLAGS = ("--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-print-elementsattrs-with-hex-if-larger=-1",
          "--allow-unregistered-dialect")  # fmt: skip
_UNCHECKED = ("--mlir-very-unsafe-disable-verifier-on-parsing", "--verify-each=false")
_INSTALL = f"install LLVM {VERSION}'s tools (Debian and Ubuntu: apt-get install mlir-{VERSION}-tools), or write the generic form"
_DIAGNOSTIC = re.compile(r"^(.*?):(\d+):(\d+): error: (.*)$", re.M)
_BOUNDS = re.compile(r"[\n<{]")
_OP = re.compile(r"xegpu\.\w+")
_KEY = re.compile(r"[\w.]+")
_GENERIC_ONLY = ("const_", "operandSegmentSizes")
_UNKNOWN = re.compile(
    r"unknown (?:attribute|type) ?`(\w+)[`'] in dialect|custom op '([\w.]+)' is unknown"
    r"|unregistered operation '([\w.]+)'|unknown key|has no property|unknown property"
)

OLDER: tuple[tuple[str, str], ...] = (
    (r"#xegpu\.sg_map\b", "write #xegpu.layout<lane_layout = [..], lane_data = [..]> for the wi_layout and wi_data of sg_map"),
    (r"#xegpu\.wg_map\b", "write #xegpu.layout<sg_layout = [..], sg_data = [..]>"),
    (r"#xegpu\.tdesc_attr\b", "write #xegpu.block_tdesc_attr<..> or #xegpu.scatter_tdesc_attr<..>"),
    (r"\bmemory_scope\s*=(?!\s*#spirv)", "write memory_space"),
    (r"\bvnni_axis\s*=", "write packed"),
    (r"\bmode\s*=\s*(?:vc|simt)\b", "leave it out: layouts tell"),
    (r"\bchunk_size_per_lane\s*=", "write chunk_size in #xegpu.scatter_tdesc_attr<..>"),
    (r"\bxegpu\.compile_hint\b", "leave it out"),
    (r"\bxegpu\.mfence\b", "write xegpu.fence"),
    (r"\bxegpu\.creat_nbarrier\b|\bxegpu\.create_nbarrier\b", "write xegpu.init_nbarrier"),
    (r"\bxegpu\.(?:load_gather|store_scatter)\b", "write xegpu.load and xegpu.store"),
    (r"\bxegpu\.update_offsets\b", "write xegpu.update_offset"),
)
"""What versions before LLVM 22 wrote, and what LLVM 22 writes for it."""


@cache
def find_tool() -> str:
    """mlir-opt of LLVM 22; raises MlirTextError with how to get it."""
    seen = []
    for name in TOOLS:
        path = shutil.which(name)
        if path is None:
            continue
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=SECONDS).stdout
        found = re.search(r"LLVM version (\d+)[.\d]*", said)
        if found and int(found[1]) == VERSION:
            return path
        seen.append(f"{name} is of {found[0] if found else 'an unknown version'}")
    why = "; ".join(seen) or f"neither {' nor '.join(TOOLS)} is on PATH"
    raise MlirTextError(f"reading MLIR's custom form takes mlir-opt of LLVM {VERSION}, and {why}", hint=_INSTALL)


def refuse_older(text: str, file: str) -> None:
    """Raise MlirTextError at the first name that only versions before LLVM 22 have."""
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        for pattern, hint in OLDER:
            found = re.search(pattern, code)
            if found:
                at = Location(file, number, found.start(), found.end())
                raise MlirTextError(f"{found[0]} is older than LLVM {VERSION}, whose text xetile reads", hint=hint, at=at)


def refuse_unknown_properties(text: str, file: str) -> None:
    """Raise MlirTextError at a property (`<{...}>`) that an xegpu op has not: mlir-opt would leave it out without a word."""
    scanner = Scanner(text, file)
    for name, position in _properties(text):
        kind = OPS.get(name)
        if kind is None:
            continue
        known = {f.name for f in kind.attribute_fields}
        scanner.position = position
        while not scanner.accept("}") and (key := scanner.match(_KEY)):
            if key[0] not in known and not key[0].startswith(_GENERIC_ONLY):
                hint = f"the text is older or newer: in LLVM {VERSION} it has {', '.join(sorted(known)) or 'none'}"
                raise MlirTextError(f"{name} has no property {key[0]}", hint=hint, at=scanner.place(key.start()))
            scanner.piece(",}")
            scanner.accept(",")


def _properties(text: str) -> Iterator[tuple[str, int]]:
    """Ops of xegpu with properties: the name, and where the first property stands.  Looks at each character once or twice."""
    line, start = 0, 0
    for bound in _BOUNDS.finditer(text):
        at = bound.start()
        if text.startswith("<{", at) and (found := _OP.search(text, start, at)) and "//" not in text[line : found.start()]:
            yield found[0], at + 2
        start = at + 1
        if bound[0] == "\n":
            line = start


class _CrashError(MlirTextError):
    """mlir-opt did not end as it should."""


def judged(text: str, file: str, check: Callable[[str], object]) -> str:
    """The generic form of a text. Raises as `to_generic` does; where mlir-opt crashes at its own checks, what `check` raises of the text
    that it read without them.
    """
    try:
        return to_generic(text, file)
    except _CrashError as crash:
        with suppress(_CrashError):
            check(to_generic(text, file, *_UNCHECKED))
        raise MlirTextError(crash.message) from None


def to_generic(text: str, file: str, *passes: str) -> str:
    """The generic form of a text; raises MlirTextError where mlir-opt refuses it, at the place that it names."""
    lowered = ("--lower-affine",) if "affine." in text else ()  # the only dialect whose ops are read after a pass
    done = child.run([find_tool(), *_FLAGS, *lowered, *passes], text)
    if done.over:
        raise (_CrashError if done.status < 0 else MlirTextError)(f"mlir-opt of LLVM {VERSION} gave up on {file}: {done.over}")
    if done.status < 0:
        raise _CrashError(f"mlir-opt of LLVM {VERSION} crashed on {file} (signal {-done.status})")
    if done.status:
        raise _refusal(done.errors, text, file)
    check_text(done.output, f"what mlir-opt makes of {file}")
    return re.sub(r'"(?:<stdin>|-)":(?=\d)', lambda _: f'"{_escaped(file)}":', done.output)


def _escaped(file: str) -> str:
    return file.replace("\\", "\\\\").replace('"', '\\"')


def _slice_of_descriptor(text: str, file: str) -> Location | None:
    """The first descriptor whose layout is a slice, which mlir-opt refuses without a word; None where there is none."""
    names = ["#xegpu.slice", *re.findall(r"^(#[\w.$-]+)\s*=\s*#xegpu\.slice", text, re.MULTILINE)]
    pattern = re.compile(rf"tensor_desc<[^>\n]*(?:{'|'.join(map(re.escape, names))})(?![\w.$-])")
    for number, line in enumerate(text.splitlines(), 1):
        if found := pattern.search(line):
            return Location(file, number, found.start(), found.end())
    return None


def _refusal(said: str, text: str, file: str) -> MlirTextError:
    found = _DIAGNOSTIC.search(said)
    if not found and not said.strip():
        at = _slice_of_descriptor(text, file)
        if at is not None:
            return MlirTextError(f"mlir-opt of LLVM {VERSION} takes no descriptor whose layout is a slice",
                                 hint="give the accesses the slice, and the descriptor no layout", at=at)  # fmt: skip
        return MlirTextError(f"mlir-opt of LLVM {VERSION} refuses {file} and does not say why")
    if not found:
        return MlirTextError(f"mlir-opt of LLVM {VERSION} cannot read {file}:\n{shortened(said.strip(), 2000)}")
    at = Location(file, int(found[2]), int(found[3]) - 1)
    why = shortened(found[4].strip(), 500)
    unknown = _UNKNOWN.search(why)
    if unknown:
        hint = f"LLVM {VERSION} has no such thing: the text is older or newer, or not MLIR's"
        return MlirTextError(f"{why} (LLVM {VERSION})", hint=hint, at=at)
    known = file.endswith((".mlir", ".mlirbc", ".txt", ">")) or "." not in file
    return MlirTextError(why, hint=None if known else f"{file} is read as MLIR text, whose files end in .mlir", at=at)
