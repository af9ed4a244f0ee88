"""Machine code of every benchmark kernel: what Intel's GPU compiler makes of our SPIR-V, counted, beside reference counts.

    python -m xetile benchmarks isa [--only TEXT] [--target pvc,bmg] [--jobs N] [--results FOLDER]
    python -m xetile benchmarks isa --tune "BM=64,128,256 BN=128,256 num_subgroups=16,32" --only "matmul f16" --target bmg --size 4096

compiles offline (no GPU is needed; `ocloc` and `iga64` on PATH, which tools/fetch_gpu_compiler.sh fetches), prints a table of
instructions per step of the hot loop, and writes `isa.json` and `isa.md` into benchmarks/results/.  With `--tune` it ranks
configurations of one kernel by the roofline model (xetile.roofline), and compiles the best.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from xetile.errors import XetileError
from xetile.runtime import devices, loading
from xetile.target import get_target

from . import choosing, gpu_compiler
from .environment import RESULTS, describe, write_json
from .isa_cases import CASES, REFERENCES, Case, Reference
from .isa_library import LIBRARY
from .isa_plain import plain_cases
from .isa_tuning import add_tuning_options, tune
from .isa_xegpu import MODULES
from .isastat import Counts, IsaError, analyse, disassemble, parse
from .tables import Table
from .zebin import read_kernels

if TYPE_CHECKING:
    from xetile.runtime.compiled import CompiledKernel

HEADERS = ("kernel", "target", "GRF", "dpas", "loads", "prefetch", "stores", "SLM", "scratch", "mov", "ALU", "sync", "other", "total",
           "bar", "dpas share", "least", "spill", "estimated", "reported", "threads", "clocks", "dpas busy", "waits",
           "SLM bytes", "L1 bytes", "L2 bytes", "memory bytes")  # fmt: skip
CLOCKS = 8  # columns of estimated clocks and bytes


@dataclass(frozen=True)
class Row:
    """Counts of one kernel for one target, per step of its hot loop; `error` instead where it does not compile.

    registers  that xetile's estimate says are taken; reported: that Intel's compiler says live at once at most.
    clocks     that an engine takes for a step of all its threads, as estimated by the simulator; busy: share of them in which the
               XMX works; waits: what a thread waits for, in clocks.
    moved      bytes of a thread, by memory.
    beyond     bytes of a workgroup from the second cache and from memory, by a launch on zeros (`runtime.machine_code.on_zeros`).
    """

    case: str
    target: str
    step: str = ""
    grf: int = 0
    dpas: float = 0
    loads: float = 0
    prefetch: float = 0
    stores: float = 0
    slm: float = 0
    scratch: float = 0
    mov: float = 0
    alu: float = 0
    sync: float = 0
    other: float = 0
    total: float = 0
    whole: float = 0
    spill_bytes: int = 0
    registers: int = 0
    reported: int | None = None
    bar: int | None = None
    least_share: float | None = None
    threads: int = 0
    clocks: float | None = None
    busy: float = 0
    waits: Mapping[str, float] = field(default_factory=dict)
    moved: Mapping[str, float] = field(default_factory=dict)
    beyond: Mapping[str, float] = field(default_factory=dict)
    error: str = ""

    @property
    def dpas_share(self) -> float:
        """Share of dpas in all instructions of the step."""
        return self.dpas / self.total if self.total else 0.0

    @property
    def met(self) -> bool:
        """Whether it compiles and keeps its bars."""
        enough = self.least_share is None or self.dpas_share >= self.least_share
        return not self.error and enough and (self.bar is None or self.total <= self.bar)


def measure(case: Case, target: str, *, clocks: bool = True) -> Row:
    """Compile one kernel for one target and count; `clocks`: those that the simulator estimates too, which takes longer."""
    try:
        compiled = case.compile(target)
        device = get_target(target).ocloc_device or target
        built = gpu_compiler.build(compiled.spirv, device, compiled.build_options)
        reported = built.report.pressure if built.report is not None else None
        estimated = compiled.estimate
        known = {"grf": compiled.grf, "registers": estimated.registers, "reported": reported}
        estimates = _clocks(case, target, built.binary, compiled) if clocks else {}
        return _count(case, target, device, built.binary, {**known, **estimates})
    except (XetileError, gpu_compiler.CompilerError, IsaError) as error:
        return Row(case.name, target, case.step, error=f"{type(error).__name__}: {error}".splitlines()[0])


def _count(case: Case, target: str, device: str, binary: bytes, known: Mapping[str, Any]) -> Row:
    kernel = read_kernels(binary)[0]
    found = analyse(kernel, parse(disassemble(kernel.code, device)))
    if case.step_dpas and found.hot is not None and found.hot.counts["dpas"]:
        counts = found.per_kstep(case.step_dpas)
    else:
        counts = found.hot.counts if found.hot is not None else found.whole
    return Row(case.name, target, case.step, whole=found.whole.total, spill_bytes=kernel.spill_size, bar=case.bars.get(target),
               least_share=case.shares.get(target), **known, **_columns(counts))  # type: ignore[arg-type]  # fmt: skip


def _clocks(case: Case, target: str, binary: bytes, compiled: CompiledKernel) -> dict[str, Any]:
    """Of one step of the hot loop: rolled and unrolled loops compare, as their counts do."""
    found = importlib.import_module("xetile.backends.simulator.profile").profile_binary(
        binary, target, compiled.binary.num_subgroups
    )
    if found is None:
        return {}
    products = sum(inst.opcode == "dpas" for inst in found.instructions)
    steps = products / case.step_dpas if case.step_dpas and products else 1
    waits = {cause: round(n / steps) for cause, n in found.cycles.stalls.items() if round(n / steps)}
    beyond = {memory: round(n / steps) for memory, n in _beyond(case, target, compiled).items()}
    return {"beyond": beyond,
            "threads": found.cycles.threads, "clocks": round(found.cycles.cycles / steps), "busy": round(found.cycles.dpas_share, 4),
            "waits": waits, "moved": {memory: round(n / steps) for memory, n in found.cycles.moved.items() if n}}  # fmt: skip


def _beyond(case: Case, target: str, compiled: CompiledKernel) -> Mapping[str, float]:
    """Of a round of the hot loop; nothing where the kernel does not run on zeros, as no module of text does."""
    if not hasattr(case.kernel, "head"):
        return {}
    machine_code = importlib.import_module("xetile.runtime.machine_code")
    device = devices.find_device(f"sim:{target}")
    try:
        loaded = loading.build(compiled.binary, device, devices.backend_of(device))
        found: Mapping[str, float] = machine_code.on_zeros(loaded, case.kernel.head, compiled.request).each_round
        return found
    except XetileError:
        return {}


def _columns(counts: Counts) -> dict[str, float]:
    stores = counts["store_block2d"] + counts["store_other"]
    named = {"dpas": counts["dpas"], "loads": counts.loads, "prefetch": counts["prefetch"], "stores": stores, "slm": counts.slm,
             "scratch": counts.scratch, "mov": counts["mov"], "alu": counts["alu"], "sync": counts["sync"]}  # fmt: skip
    columns = {**named, "other": counts.total - sum(named.values()), "total": counts.total}
    return {name: round(value, 4) for name, value in columns.items()}


def measure_all(pairs: Sequence[tuple[str, str]], jobs: int) -> list[Row]:
    """Rows in the order of `pairs`, names of cases and targets; several processes at once."""
    rows: list[Row] = []
    with ProcessPoolExecutor(jobs) as pool:
        for (name, target), row in zip(pairs, pool.map(_measured, pairs), strict=True):
            rows.append(row)
            _tell(f"[{len(rows)}/{len(pairs)}] {name} for {target}")
    _tell("")
    return rows


def _tell(progress: str) -> None:
    """In one line of a terminal; not in files and pipes, which have no lines that are written again."""
    if sys.stderr.isatty():
        print(f"\r\033[K{progress}", end="", file=sys.stderr, flush=True)


def _measured(pair: tuple[str, str]) -> Row:
    name, target = pair
    return measure(_by_name()[name], target)


@cache
def _by_name() -> dict[str, Case]:
    """Each process finds the cases for itself: kernels do not travel."""
    return {case.name: case for case in (*CASES, *LIBRARY, *MODULES, *plain_cases())}


def table(rows: Iterable[Row], references: Iterable[Reference] = REFERENCES) -> Table:
    """Rows, each group of one kernel followed by the reference rows for the same work."""
    out = Table(HEADERS)
    seen = [(row.case, row.target) for row in rows]
    for case in dict.fromkeys(name for name, _ in seen):
        for row in rows:
            if row.case == case:
                _add(out, row)
        for reference in references:
            if (reference.case, reference.target) in seen and reference.case == case:
                out.add(f"  {reference.source}", reference.target, None, reference.dpas, reference.loads, reference.prefetch, None,
                        None, reference.scratch, reference.mov, reference.alu, reference.sync, None, reference.total, None,
                        f"{reference.dpas / reference.total:.1%}", *[None] * (4 + CLOCKS))  # fmt: skip
        out.rule()
    return out


def _add(out: Table, row: Row) -> None:
    if row.error:
        out.add(row.case, row.target, *[None] * (len(HEADERS) - 3), row.error[:60])
        return
    out.add(row.case, row.target, row.grf, row.dpas, row.loads, row.prefetch, row.stores, row.slm, row.scratch, row.mov, row.alu,
            row.sync, row.other, row.total, row.bar, f"{row.dpas_share:.1%}" if row.dpas else None,
            f"{row.least_share:.0%}" if row.least_share else None, row.spill_bytes or None, row.registers, row.reported,
            row.threads or None, row.clocks, f"{row.busy:.0%}" if row.busy else None,
            ", ".join(f"{cause} {n:.0f}" for cause, n in sorted(row.waits.items(), key=lambda w: -w[1])[:2]) or None,
            row.moved.get("shared local memory"), row.moved.get("first cache"),
            row.beyond.get("second cache"), row.beyond.get("memory"))  # fmt: skip


def document(rows: Sequence[Row], compiler: str) -> dict[str, Any]:
    """All of it for JSON."""
    shown = [{**asdict(row), "dpas_share": round(row.dpas_share, 4), "met": row.met} for row in rows]
    return describe(benchmark="isa", compiler=compiler, rows=shown, references=[asdict(r) for r in REFERENCES])


def markdown(found: dict[str, Any], shown: Table) -> str:
    """The table with what was measured, when and how."""
    return (
        "# Machine code of the benchmark kernels\n\n"
        f"Static counts, nothing ran on a GPU. {found['compiler']}, xetile {found['revision']}, {found['date']}.\n"
        "Matrix products: 256x256 of C per workgroup, 32 subgroups of 16 lanes, any M, N and K; counts per K step (32 elements of "
        "16 bits, 64 of 8, 16 of 32). The others: one round of the hot loop (attention: 32 keys for 16 queries a subgroup, for 8 of heads "
        "wider than 64). "
        "`bar`: the most instructions, and `least` the least share of dpas, that the project allows itself; `spill`: bytes of a thread. "
        "`estimated`: registers taken, as xetile says; `reported`: registers that live at once, as the compiler says. "
        "Indented rows: other people's code for the same work, same compiler. "
        "`clocks`: of an engine, for one step of all its `threads`, estimated from published rates and latencies and not calibrated on "
        "hardware (docs/evidence.md); `dpas busy`: share of them in which XMX works; `waits`: the two things for which a "
        "thread waits longest, in clocks (`pipe`: for a unit that another thread or instruction has); "
        "`SLM bytes`, `L1 bytes`: that a thread moves in a step; `L2 bytes`, `memory bytes`: cache lines that a workgroup takes from the "
        "second cache in it, each once, and its share of those that the launch takes from memory, on arrays of zeros with 512 for each "
        "open size.\n\n"
        f"{shown.markdown()}"
    )


def _chosen(only: str, targets: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, case in _by_name().items():
        if only.lower() in name.lower():
            yield from ((name, target) for target in case.targets if not targets or target in targets)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m xetile benchmarks isa", description=(__doc__ or "").partition("\n")[0])
    choosing.add_options(parser, "isa")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    add_tuning_options(parser)
    options = parser.parse_args(arguments)
    try:
        compiler = gpu_compiler.version()
    except gpu_compiler.CompilerError as error:
        print(f"isa: {error}", file=sys.stderr)
        return 1
    if options.tune:
        options.results = options.results or RESULTS
        return tune(options, compiler)
    targets = choosing.targets_of(parser, options.target, (target for case in _by_name().values() for target in case.targets))
    pairs = list(_chosen(options.only, targets))
    choosing.check_chosen(parser, options.only, pairs, _by_name())
    rows = measure_all(pairs, options.jobs)
    shown, found = table(rows), document(rows, compiler)
    shown.show()
    print(f"{compiler}; xetile {found['revision']}")
    if (folder := choosing.folder_of(options)) is not None:
        write_json(folder / "isa.json", found)
        (folder / "isa.md").write_text(markdown(found, shown), encoding="utf-8")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
