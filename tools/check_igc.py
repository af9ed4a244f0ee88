"""Find what IGC does wrong without a word, in its code of every kernel.

    python tools/check_igc.py [--only TEXT] [--target pvc,bmg,dg2] [--every N] [--spirv FILE]

Writes beyond a variable: IGC gives registers out after it has chosen instructions, and one that writes more than its variable holds changes
other values. Writes of messages and through address registers are not looked at. Effects in another order: its vectorizer moves what
stands between the instructions that it joins, stores and barriers too. Block messages that store from the middle of a register. Numbers of
other lanes that are read where lanes are apart (`igc_lanes.py`), what all lanes have to do at once in branches that IGC makes of two
conditions (LogicalAndToBranch), and vectors of which it writes the first element alone (`igc_vectors.py`).

The simulator finds these where a launch gets to them and they matter; this looks at the code alone, which IGC writes as text when asked to
(IGC_ShaderDumpEnable: *.visaasm, *.visa.ll, *.asm; IGC_ShaderDumpEnableAll: LLVM's IR behind each pass). Kernels: `tools/compared_kernels.py`;
--spirv: one module instead. Ends with 1 where there is any.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from igc_lanes import BYTES, Apart, apart
from igc_vectors import Lost, lost, other_functions

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 600
REGISTER = {"dg2": 32}
"""Bytes of a register, where they are not 64: the first of two numbers behind a variable counts registers."""
VARIABLE = re.compile(r"\.decl (\S+) v_type=G type=(\w+) num_elts=(\d+)")
WRITE = re.compile(r"(?:\([^)]*\) )?([\w.]+) \(\w+, (\d+)\) ([\w%]+)\((\d+),(\d+)\)<(\d+)>")
VECTORIZER = "after_IGCVectorizer"
BRANCHES = "after_LogicalAndToBranch"
THEN = re.compile(r"^if\.then\w*:.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
AT_ONCE = re.compile(r"Wave|[sS]imdShuffle|QuickScan|2DBlock|dpas|sub_group")
"""Functions of GenISA that need all lanes of a subgroup."""
CALL = re.compile(r"\bcall\b[^@]*@([\w.$]+)\(")
SENT = re.compile(r"^\s*lsc_store_block2d\S* .*V\d+\.(\d+):\S+", re.MULTILINE)
DECLARED = re.compile(r"^declare\b.*@([\w.$]+)\(.*?\)[^#\n]*#(\d+)", re.MULTILINE)
ATTRIBUTES = re.compile(r"^attributes #(\d+) = \{(.*)\}", re.MULTILINE)
PURE = re.compile(r"\breadnone\b|memory\(none\)")
OF_LANES = re.compile(r"Wave|[sS]imdShuffle|[sS]imdLane|QuickScan")
"""Functions of GenISA that may not be moved to other branches, and have no effect."""
PRODUCT = re.compile(r"(dpasw?\.\S+?\.\d+\.(\d+)) \(\w+, (\d+)\) ([\w%]+)(?:\((\d+),(\d+)\)|\.(\d+)) ")


@dataclass(frozen=True)
class Outside:
    """An instruction that writes behind its variable: up to byte `end` of `size`."""

    text: str
    end: int
    size: int

    def __str__(self) -> str:
        return f"{self.text}  (up to byte {self.end} of a variable of {self.size})"


def outside(code: str, register: int) -> list[Outside]:
    """The instructions of a *.visaasm that do so.  register: bytes of one."""
    variables: dict[str, tuple[int, int]] = {}
    found: list[Outside] = []
    together: set[str] = set()
    for line in (line.partition("///")[0].strip() for line in code.splitlines()):
        # Pieces of assembly declare their names again, each in its own block; one text has all declarations at its head, and does not
        # tell which is meant: the largest there, and the smallest elements.
        for name, kind, count in VARIABLE.findall(line):
            if kind in BYTES:
                element, size = BYTES[kind], int(count) * BYTES[kind]
                if name in together:
                    element, size = min(element, variables[name][0]), max(size, variables[name][1])
                variables[name] = element, size
                together.add(name)
        for name, end in _written(line, register, variables):
            together.clear()
            if end > variables[name][1]:
                found.append(Outside(" ".join(line.split()), end, variables[name][1]))
    return found


def _written(line: str, register: int, variables: dict[str, tuple[int, int]]) -> Iterator[tuple[str, int]]:
    """The variable that an instruction writes, and the byte behind its last element."""
    if (product := PRODUCT.match(line)) and (name := product[4]) in variables:
        size = variables[name][0]
        start = int(product[7]) if product[7] else int(product[5]) * register + int(product[6]) * size
        yield name, start + int(product[2]) * int(product[3]) * size
    elif (write := WRITE.match(line)) and (name := write[3]) in variables:
        size, (lanes, row, column, step) = variables[name][0], (int(n) for n in write.group(2, 4, 5, 6))
        yield name, row * register + (column + (lanes - 1) * step + 1) * size


@dataclass(frozen=True)
class Inside:
    """A message that sends what begins inside of a register: messages take whole ones, and IGC moves a single element to another."""

    text: str
    behind: int

    def __str__(self) -> str:
        return f"{self.text}  (begins {self.behind} bytes behind a register's)"


def inside(code: str, register: int) -> list[Inside]:
    """The block messages of virtual code that store from the middle of a register."""
    found = ((" ".join(sent[0].split()), int(sent[1]) % register) for sent in SENT.finditer(code))
    return [Inside(text, behind) for text, behind in found if behind]


@dataclass(frozen=True)
class Moved:
    """Effects that had an order of their own before the vectorizer: the first that comes earlier or later."""

    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.after}  (in the place of: {self.before})"


def moved(before: str, after: str) -> list[Moved]:
    """Whether the effects of LLVM's IR have another order behind a pass. Loads may change places with each other."""
    pairs = zip_longest(_effects(before), _effects(after), fillvalue="nothing")
    return [Moved(one, other) for one, other in pairs if one != other][:1]


def _effects(text: str) -> list[str]:
    """What a module's functions do to memory and to other threads, in order: the loads between two of these as one."""
    attributes = dict(ATTRIBUTES.findall(text))
    pure = {name for name, number in DECLARED.findall(text) if PURE.search(attributes.get(number, ""))}
    found: list[str] = []
    loads: list[str] = []
    for line in (line.partition(", !dbg")[0].strip().split(" = ", 1)[-1] for line in text.splitlines()):
        call = CALL.search(line)
        intrinsic = call is not None and call[1].startswith("llvm.") and not call[1].startswith("llvm.genx.")
        if line.startswith("load "):
            loads.append(_unnamed(line))
        elif line.startswith(("store ", "atomicrmw ", "cmpxchg ", "fence ", "define ")) or (
            call and not intrinsic and call[1] not in pure and not OF_LANES.search(call[1])
        ):
            found += [*sorted(loads), _unnamed(line.partition("(")[0] if call else line)]
            loads.clear()
    return found + sorted(loads)


def _unnamed(line: str) -> str:
    return re.sub(r"[%@][\w.$]+", "%", line) if not line.startswith("define") else "define"


@dataclass(frozen=True)
class Branched:
    """What all lanes have to do at once, in a branch."""

    text: str

    def __str__(self) -> str:
        return f"{self.text}  (in a branch that IGC has made)"


def branched(text: str) -> list[Branched]:
    """Calls of such functions in branches that LogicalAndToBranch has made of conditions."""
    lines = (line.partition(", !dbg")[0].strip() for way in THEN.findall(text) for line in way.splitlines())
    return [Branched(line) for line in lines if (call := CALL.search(line)) and AT_ONCE.search(call[1])]


Found = Outside | Inside | Moved | Branched | Apart | Lost


def check(spirv: bytes, target: str, options: str = "") -> list[Found]:
    """What IGC makes of a module for a target.  Raises RuntimeError with its log where it refuses the module."""
    with tempfile.TemporaryDirectory(prefix="xetile-igc-") as folder:
        module = Path(folder) / "module.spv"
        module.write_bytes(spirv)
        command = ["ocloc", "compile", "-spirv_input", "-file", str(module), "-device", _device(target), "-output", "kernel",
                   "-out_dir", folder, *(["-options", options] if options else [])]  # fmt: skip
        dumps = {"IGC_ShaderDumpEnable": "1", "IGC_ShaderDumpEnableAll": "1", "IGC_DumpToCustomDir": folder}
        environment = {**os.environ, **dumps}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
        texts = [path.read_text() for path in sorted(Path(folder).rglob("*.visaasm"))]
        if done.returncode or not texts:
            raise RuntimeError(f"ocloc writes no virtual code:\n{done.stdout}{done.stderr}")
        register = REGISTER.get(target, 64)
        beyond = [one for text in texts for one in (*outside(text, register), *inside(text, register))]
        passes = sorted(Path(folder).rglob("*_[0-9][0-9][0-9][0-9]_*.ll"))
        around = [pair for pair in pairwise(passes) if VECTORIZER in pair[1].name]
        codes = [path.read_text() for path in sorted(Path(folder).rglob("*.asm"))]
        lanes = [one for code in codes for one in apart(code, register)]
        numbered = [(path, path.with_name(path.name.replace(".visa.ll", ".visaasm"))) for path in Path(folder).rglob("*.visa.ll")]
        vectors = [one for pair in numbered for one in lost(*(path.read_text(errors="replace") for path in pair))]
        written = [(path.with_suffix(".visaasm"), path) for path in sorted(Path(folder).rglob("*.asm"))]
        pairs = [pair for pair in written if pair[0].exists()]
        vectors += [one for pair in pairs for one in other_functions(*(path.read_text(errors="replace") for path in pair))]
        made = [one for path in passes if BRANCHES in path.name for one in branched(path.read_text(errors="replace"))]
        return [
            *beyond,
            *lanes,
            *vectors,
            *made,
            *(one for pair in around for one in moved(*(path.read_text(errors="replace") for path in pair))),
        ]


def _device(target: str) -> str:
    from xetile.target import get_target

    return get_target(target).ocloc_device or target


def _kernels(options: argparse.Namespace) -> Iterator[tuple[str, str, Any]]:
    from compared_kernels import TARGETS, cases

    targets = options.target.split(",") if options.target else TARGETS
    chosen = [(case, target) for case in cases() if options.only in case.name for target in targets]
    for case, target in chosen[:: options.every]:
        yield case.name, target, case


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose name holds TEXT")
    parser.add_argument("--target", default="", metavar="NAMES", help="targets, separated by commas (default: pvc,bmg,dg2)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth pair of kernel and target")
    parser.add_argument("--spirv", type=Path, metavar="FILE", help="a module in place of the kernels")
    options = parser.parse_args()
    if options.spirv:
        results = [(str(options.spirv), t, check(options.spirv.read_bytes(), t)) for t in (options.target or "pvc").split(",")]
        return _report(results)
    sys.path[:0] = [str(ROOT), str(ROOT / "tools")]
    warnings.simplefilter("ignore")
    return _report(_check_kernels(options))


def _check_kernels(options: argparse.Namespace) -> Iterator[tuple[str, str, list[Found]]]:
    from xetile.errors import XetileError

    for name, target, case in _kernels(options):
        try:
            compiled = case.compile(target)
            yield name, target, check(compiled.spirv, target, compiled.build_options)
        except XetileError as error:
            print(f"{name} for {target}: refused: {str(error).splitlines()[0]}", flush=True)


def _report(results: Any) -> int:
    count = wrong = 0
    for name, target, found in results:
        count, wrong = count + 1, wrong + bool(found)
        for one in found or ("none",):
            print(f"{name} for {target}: {one}", flush=True)
    print(f"{wrong} of {count} are wrong", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
