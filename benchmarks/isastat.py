"""What Intel's GPU compiler made of a kernel: counts of its instructions by kind, in the hot loop and in the whole kernel.

    python -m benchmarks.isastat KERNEL.bin -d pvc --kstep-dpas 32

reads the binary that `ocloc` wrote, disassembles it with `iga64` (on PATH), and prints JSON.  The hot loop is, of the loops that
hold dpas and hold no smaller loop that does, the one with most dpas: of several the shortest, since a loop that xetile splits leaves
its few iterations with masks to longer ones; where no loop holds dpas, the innermost loop with most instructions.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from .zebin import Kernel, ZebinError, read_kernels

# Device as ocloc names it (a prefix is enough: `bmg-g21`), platform as iga64 does.
PLATFORMS = {"pvc": "xehpc", "dg2": "xehpg", "acm": "xehpg", "ats-m": "xehpg", "bmg": "xe2", "lnl": "xe2", "ptl": "xe3"}

# What a send does is told by its opcode and by iga64's comment behind it; the first pattern that matches decides.
MESSAGES: tuple[tuple[str, str], ...] = (
    (r"end of thread|\bEOT\b", "send_eot"),
    (r"(?=.*(scratch|\.ss\[)).*(read|load)", "scratch_read"),
    (r"scratch|\.ss\[", "scratch_write"),
    (r"load_block2d", "load_block2d"),
    (r"store_block2d", "store_block2d"),
    (r"signal barrier|gtwy.*barrier", "send_barrier"),
    (r"fence", "send_fence"),
    (r"(?=.*\.slm).*load", "slm_load"),
    (r"(?=.*\.slm).*store", "slm_store"),
    (r"\.slm", "slm_other"),
    (r"atomic", "send_atomic"),
    (r"load|read", "load_other"),
    (r"store|write", "store_other"),
    (r"", "send_other"),
)
MESSAGE_PATTERNS = tuple((re.compile(pattern), kind) for pattern, kind in MESSAGES)
# A load that keeps nothing only brings the data nearer.
PREFETCHES = frozenset({"load_block2d", "load_other"})

SENDS = frozenset({"send", "sendc", "sends", "sendsc"})
JUMPS = frozenset({"jmpi", "jmp", "djmpi", "goto", "while", "brc", "brd", "if", "else", "break", "cont", "halt"})
# These name labels too, but make no loop when it lies before them.
BRANCHES = JUMPS | {"call", "calla", "ret", "join", "endif"}
PLAIN_KINDS = {"dpas": "dpas", "dpasw": "dpas", "mov": "mov", "sync": "sync", "nop": "nop", "illegal": "nop"}

# `L3352:` and `/* [0FF0] */ (W&f0.0) jmpi  L3352  // comment`
LABEL = re.compile(r"(\w+):\s*")
ADDRESSED = "/* ["
LINE = re.compile(r"/\* \[([0-9A-Fa-f]+)\]\s*\*/\s*(?:\([^)|]*\)\s*)?([a-z][\w.]*)(?:\.\([^)]*\))?\s*(.*)")
INSTRUCTION_BYTES = 16


class IsaError(Exception):
    """A kernel could not be disassembled."""


@dataclass(frozen=True)
class Instruction:
    """One instruction: its address, opcode with suffixes, operands, iga64's comment, and its kind (a key of `Counts`)."""

    address: int
    opcode: str
    operands: str
    comment: str
    kind: str

    @property
    def name(self) -> str:
        """Opcode without suffixes."""
        return self.opcode.partition(".")[0]


@dataclass(frozen=True)
class Listing:
    """A disassembled kernel: instructions by rising address, and the address of each label."""

    instructions: tuple[Instruction, ...]
    labels: Mapping[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> Counts:
        return Counts.of(self.instructions)


@dataclass(frozen=True)
class Counts:
    """How many instructions there are of each kind: dpas, mov, alu, sync, branch, nop, prefetch, and the kinds in `MESSAGES`.

    `messages` counts the sends by iga64's description of them.  Numbers are whole except after `per`.
    """

    by_kind: Mapping[str, float]
    messages: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, instructions: Iterable[Instruction]) -> Counts:
        instructions = tuple(instructions)
        sends = (i for i in instructions if i.name in SENDS)
        return cls(Counter(i.kind for i in instructions), Counter(i.comment.rpartition(";")[2].strip() for i in sends))

    def __getitem__(self, kind: str) -> float:
        return self.by_kind.get(kind, 0)

    def _sum(self, *prefixes: str) -> float:
        return sum(count for kind, count in self.by_kind.items() if kind.startswith(prefixes))

    @property
    def total(self) -> float:
        return sum(self.by_kind.values())

    @property
    def loads(self) -> float:
        """Loads from global memory that keep what they read."""
        return self._sum("load_")

    @property
    def scratch(self) -> float:
        return self._sum("scratch_")

    @property
    def slm(self) -> float:
        return self._sum("slm_")

    @property
    def sends(self) -> float:
        return self._sum("load_", "store_", "slm_", "scratch_", "send_", "prefetch")

    @property
    def dpas_share(self) -> float:
        """Share of dpas in all instructions, 0 to 1."""
        return self["dpas"] / self.total if self.total else 0.0

    def per(self, steps: float) -> Counts:
        """The same counts for one of `steps` equal parts."""
        return Counts({kind: count / steps for kind, count in self.by_kind.items()})

    def as_dict(self) -> dict[str, Any]:
        """Every kind that occurs and the sums, for JSON."""
        sums = {name: getattr(self, name) for name in ("loads", "scratch", "slm", "sends", "total", "dpas_share")}
        counts = {name: round(value, 4) for name, value in {**self.by_kind, **sums}.items()}
        return {**counts, **({"messages": dict(self.messages)} if self.messages else {})}


@dataclass(frozen=True)
class Loop:
    """The instructions from a loop's first to its back edge, both included."""

    instructions: tuple[Instruction, ...]

    @property
    def first(self) -> int:
        return self.instructions[0].address

    @property
    def last(self) -> int:
        return self.instructions[-1].address

    @cached_property
    def counts(self) -> Counts:
        return Counts.of(self.instructions)

    def encloses(self, other: Loop) -> bool:
        return self is not other and self.first <= other.first and other.last <= self.last


@dataclass(frozen=True)
class Statistics:
    """One kernel: what the compiler reports, counts over the whole kernel, every loop, and which of them is the hot one."""

    kernel: Kernel
    whole: Counts
    loops: tuple[Loop, ...]
    hot: Loop | None

    def per_kstep(self, dpas: int) -> Counts:
        """Counts of the hot loop for each `dpas` matrix instructions: rolled and unrolled loops compare.

        Raises IsaError when there is no loop that holds dpas.
        """
        if self.hot is None or not self.hot.counts["dpas"]:
            raise IsaError(f"no loop of {self.kernel.name} holds dpas")
        return self.hot.counts.per(self.hot.counts["dpas"] / dpas)

    def as_dict(self, kstep_dpas: int | None = None) -> dict[str, Any]:
        """All of it for JSON; `kstep_dpas` adds `per_kstep`."""
        about = {name: value for name, value in asdict(self.kernel).items() if name != "code"}
        out = {**about, "code_size": len(self.kernel.code), "whole": self.whole.as_dict(), "hot_loop": None}
        out["loops"] = [{"first": loop.first, "last": loop.last, "total": loop.counts.total} for loop in self.loops]
        if self.hot is not None:
            out["hot_loop"] = self.hot.counts.as_dict()
        if kstep_dpas and self.hot is not None:
            out["per_kstep"] = self.per_kstep(kstep_dpas).as_dict()
        return out


def statistics(binary: bytes | Path, device: str, kernel: str | None = None) -> Statistics:
    """Statistics of a kernel in a device binary: of `kernel`, or of the only one.

    Raises ZebinError when the binary cannot be read or has no such kernel, IsaError when iga64 is missing or fails.
    """
    kernels = read_kernels(binary if isinstance(binary, bytes) else binary.read_bytes())
    chosen = [k for k in kernels if kernel in (None, k.name)]
    if len(chosen) != 1:
        raise ZebinError(f"which kernel? {kernel!r} of {', '.join(k.name for k in kernels)}")
    return analyse(chosen[0], parse(disassemble(chosen[0].code, device)))


def analyse(kernel: Kernel, listing: Listing) -> Statistics:
    """Count a disassembled kernel and find its loops."""
    loops = find_loops(listing)
    return Statistics(kernel, listing.counts, loops, hot_loop(loops))


def disassemble(code: bytes, device: str) -> str:
    """iga64's text for a kernel's code.  Raises IsaError when the tool is missing or refuses the code or the device."""
    iga = shutil.which("iga64")
    if iga is None:
        raise IsaError("iga64 is not on PATH: tools/fetch_gpu_compiler.sh fetches it")
    with tempfile.NamedTemporaryFile(suffix=".krn") as file:
        file.write(code)
        file.flush()
        done = subprocess.run(
            [iga, f"-p={platform(device)}", "-d", "-Xprint-pc", file.name], capture_output=True, text=True, check=False
        )
    if done.returncode or not done.stdout:
        raise IsaError(f"iga64 failed for {device}: {done.stderr.strip()}")
    return done.stdout


def platform(device: str) -> str:
    """iga64's name for a device of ocloc's; an unknown one is handed on as it is."""
    return next((name for prefix, name in PLATFORMS.items() if device.lower().startswith(prefix)), device)


def parse(text: str) -> Listing:
    """Read iga64's text with addresses (`-Xprint-pc`); padding behind the last instruction is left out.

    Raises IsaError for a line that has an address and is no instruction.
    """
    instructions: list[Instruction] = []
    labels: dict[str, int] = {}
    pending: list[str] = []
    for line in text.splitlines():
        if label := LABEL.fullmatch(line):
            pending.append(label[1])
        elif match := LINE.match(line):
            instructions.append(_instruction(match))
            labels.update(dict.fromkeys(pending, instructions[-1].address))
            pending.clear()
        elif line.startswith(ADDRESSED):
            raise IsaError(f"not an instruction as iga64 writes it: {line}")
    end = instructions[-1].address + INSTRUCTION_BYTES if instructions else 0
    labels.update(dict.fromkeys(pending, end))
    while instructions and instructions[-1].kind == "nop":
        instructions.pop()
    return Listing(tuple(instructions), labels)


def _instruction(match: re.Match[str]) -> Instruction:
    address, opcode, rest = match.groups()
    operands, _, comment = (part.strip() for part in rest.partition("//"))
    return Instruction(int(address, 16), opcode, operands, comment, classify(opcode, operands, comment))


def classify(opcode: str, operands: str, comment: str) -> str:
    """Kind of an instruction: a key of `Counts`."""
    name = opcode.partition(".")[0]
    if name in SENDS:
        return _message(opcode, operands, comment)
    if name in BRANCHES:
        return "branch"
    return PLAIN_KINDS.get(name, "alu")


def _message(opcode: str, operands: str, comment: str) -> str:
    text = f"{opcode} {operands if 'EOT' in operands else ''} {comment}"
    kind = next(kind for pattern, kind in MESSAGE_PATTERNS if pattern.search(text))
    destination = re.sub(r"^\([^)]*\)\s*", "", operands)
    return "prefetch" if kind in PREFETCHES and destination.startswith("null") else kind


def find_loops(listing: Listing) -> tuple[Loop, ...]:
    """One loop for each label that a later branch goes back to, up to the last such branch."""
    ends: dict[int, int] = {}
    for branch in listing.instructions:
        if branch.name not in JUMPS:
            continue
        for word in re.findall(r"\b[A-Za-z_]\w*\b", branch.operands):
            start = listing.labels.get(word)
            if start is not None and start <= branch.address:
                ends[start] = max(ends.get(start, 0), branch.address)
    return tuple(Loop(tuple(i for i in listing.instructions if start <= i.address <= end)) for start, end in sorted(ends.items()))


def hot_loop(loops: Sequence[Loop]) -> Loop | None:
    """The loop where the time goes, as this module's docstring defines it; None when there is none."""
    with_dpas = [loop for loop in loops if loop.counts["dpas"]]
    pool = with_dpas or loops
    innermost = [loop for loop in pool if not any(loop.encloses(other) for other in pool)]
    return max(innermost, key=lambda loop: (loop.counts["dpas"], loop.counts.total * (-1 if with_dpas else 1)), default=None)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.isastat", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("binary", type=Path, help="device binary that ocloc wrote")
    parser.add_argument("-d", "--device", default="pvc", help="device it was compiled for (default: pvc)")
    parser.add_argument("-k", "--kernel", help="which kernel, where there are several")
    parser.add_argument("--kstep-dpas", type=int, metavar="N", help="also give the hot loop's counts for each N dpas")
    parser.add_argument("--asm", type=Path, metavar="FILE", help="write the disassembly to FILE")
    options = parser.parse_args(arguments)
    try:
        stat = statistics(options.binary, options.device, options.kernel)
        if options.asm:
            options.asm.write_text(disassemble(stat.kernel.code, options.device))
        print(json.dumps(stat.as_dict(options.kstep_dpas), indent=1))
    except (OSError, ZebinError, IsaError) as error:
        print(f"isastat: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
