"""`python -m xetile opt`, `run` and `bisect`: MLIR text in, MLIR text, results, or the pass that changes them out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xetile.cli.guard import SECONDS, limited
from xetile.errors import ArgumentError
from xetile.runtime.watching import show_times, words

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
MEMORY = 1024
TOLERANCE = 1e-3  # sums of f16 products in another order
EMITS = ("mlir", "spirv", "spirv-text", "isa", "estimate")
NAMES = "passes and levels, one after the other, with commas: subgroup, lane, canonicalize, ... (a wrong name lists them)"


def add_commands(commands: Any, write: Callable[[str | bytes, str | None], None], emit: Callable[..., str | bytes]) -> None:
    """Add these commands; `write` puts content in a file or on standard output, `emit` gives a binary's form by its name."""
    opt = commands.add_parser("opt", help="read an MLIR module, run passes, write it", description=_OPT)
    _add_source(opt)
    opt.add_argument(
        "--emit", choices=EMITS, default="mlir", help="what to write; all but mlir lower it fully (default: %(default)s)"
    )
    opt.add_argument("-o", "--output", metavar="OUT", help="file to write (default: standard output)")
    opt.add_argument("--print-before", default="", metavar="NAMES", help="print the IR on stderr before these passes, or `all`")
    opt.add_argument("--print-after", default="", metavar="NAMES", help="the same after these passes")
    opt.add_argument("--stop-after", default="", metavar="NAME", help="end after this pass, with what there is")
    opt.add_argument("--times", action="store_true", help="print on stderr how long each pass took")
    opt.set_defaults(run=lambda options: write(_within(options, lambda: _opt(options, emit)), options.output))
    run = commands.add_parser("run", help="run the kernel of an MLIR module", description=_RUN)
    _add_source(run, target=None)
    _add_arguments(run)
    run.add_argument("--device", help="gpu, cpu, numpy or a number of `xetile devices` (default: the best)")
    run.add_argument(
        "--out", action="append", default=[], metavar="NAME[=FILE.npy]", help="print an array after the run, or save it"
    )
    run.set_defaults(run=_run)
    bisect = commands.add_parser("bisect", help="find the pass that changes what a kernel computes", description=_BISECT)
    _add_source(bisect)
    _add_arguments(bisect)
    bisect.add_argument("--tolerance", type=_from(float, 0, 1), default=TOLERANCE, metavar="SHARE",
                        help="by how much floats may differ, of the largest in their array (default: %(default)g)")  # fmt: skip
    bisect.set_defaults(run=_bisect)


def _add_arguments(run: argparse.ArgumentParser) -> None:
    run.add_argument("--arg", action="append", default=[], metavar="[NAME=]VALUE",
                     help="random, zeros, ones or arange, with :64x32xf16 where the text gives no size; FILE.npy; a number; "
                          "those without a name go to the other arguments in order")  # fmt: skip
    run.add_argument("--grid", default="1", metavar="X[,Y[,Z]]", help="workgroups to run (default: %(default)s)")
    run.add_argument(
        "--seed", type=_from(int, 0, (1 << 63) - 1), default=0, help="of random elements, which are whole numbers from -4 to 3"
    )
    run.add_argument(
        "--memory", type=_from(int, 0, 1 << 30), default=MEMORY, metavar="MIB", help="what arrays may take (default: %(default)s)"
    )


_OPT = "Reads a module of XeGPU or XeTile ops (custom forms take mlir-opt-22 on PATH), runs passes, and writes LLVM 22's text."
_BISECT = (
    "Runs a kernel on the numpy device as it is, and after each pass that lowers it, with the same arguments; names the first pass after"
    " which arrays differ."
)
_RUN = "Runs a kernel of XeGPU or XeTile ops on a device and prints what became of each array that changed."


def _add_source(parser: argparse.ArgumentParser, target: str | None = "pvc") -> None:
    parser.add_argument("file", metavar="FILE.mlir")
    parser.add_argument("--kernel", metavar="NAME", help="which one, where the file has several")
    parser.add_argument(
        "--target",
        default=target,
        help=f"pvc, bmg, lnl, dg2; cpu, avx512, avx2, amx (default: {target or 'that of a GPU device, else pvc'})",
    )
    parser.add_argument(
        "--num-subgroups", type=int, metavar="N", help="subgroups of a workgroup, where no layout tells (default: 1)"
    )
    parser.add_argument("--pipeline", default="", metavar="NAMES", help=NAMES)
    parser.add_argument(
        "--seconds", type=_from(float, 0, 1e6), default=SECONDS, metavar="N",
        help="of the processor's time that reading and passes may take, and again the kernel (default: %(default)g; 0: any)",
    )  # fmt: skip


def _from(kind: Callable[[str], Any], low: float, high: float) -> Callable[[str], Any]:
    """Numbers of a command line within limits."""

    def read(text: str) -> Any:
        try:
            found = kind(text)
        except ValueError:
            found = None
        if found is None or not low <= found <= high:
            raise argparse.ArgumentTypeError(f"{text[:50]!r} is not a number from {low:g} to {high:g}")
        return found

    return read


def _within(options: argparse.Namespace, work: Callable[[], T]) -> T:
    with limited(options.seconds):
        return work()


def _lowered(options: argparse.Namespace) -> tuple[Any, Any]:
    """The module after its pipeline, and the target."""
    from xetile.cli import mlir_modules
    from xetile.cli.mlir_modules import find_target

    target = find_target(options.target)
    module = mlir_modules.read(options.file, kernel=options.kernel, num_subgroups=options.num_subgroups)
    return mlir_modules.lower(module, target, words(options.pipeline)), target


def _opt(options: argparse.Namespace, emit: Callable[..., str | bytes]) -> str | bytes:
    from xetile.cli import mlir_modules
    from xetile.passes.instruments import Print, StopAfter, Stopped, Times
    from xetile.passes.manager import watched

    times = Times()
    shown = words(options.print_before), words(options.print_after)
    try:
        with watched(times, Print(*shown), StopAfter(options.stop_after)):
            module, target = _lowered(options)
            if options.emit == "estimate":
                made: str | bytes = mlir_modules.estimate(module, target)
            elif options.emit != "mlir":
                made = emit(mlir_modules.compile_module(module, target), options.emit)
            else:
                made = mlir_modules.text(module)
    except Stopped as stopped:
        return mlir_modules.text(stopped.module)
    _check_ran((*shown[0], *shown[1], *words(options.stop_after)), tuple(times.seconds))
    if options.times:
        show_times(options.file, times)
    return made


def _check_ran(named: Sequence[str], ran: Sequence[str]) -> None:
    """Raise ArgumentError for passes to print or to stop after that this pipeline does not have."""
    from xetile.passes.instruments import ALL

    if missing := [name for name in named if name not in (*ran, ALL)]:
        hint = f"those that ran: {', '.join(ran)}" if ran else "--pipeline names passes and levels to run"
        raise ArgumentError(f"no pass {missing[0]!r} ran", hint=hint)


def _run(options: argparse.Namespace) -> None:
    from xetile.cli import arguments, mlir_modules
    from xetile.runtime import devices

    grid = _grid(options.grid)
    device = devices.find_device(options.device) if options.device else devices.current_device()
    options.target = options.target or (device.target if device.kind in ("gpu", "sim") else "") or "pvc"
    module, target = _within(options, lambda: _lowered(options))
    values = arguments.values(module, options.arg, options.seed, most=options.memory << 20)
    arrays: dict[str, np.ndarray[Any, Any]] = {name: value for name, value in values.items() if hasattr(value, "shape")}
    outputs = [_output(word, arrays) for word in options.out]
    before = {name: array.copy() for name, array in arrays.items()}
    mlir_modules.launch(module, target, device, grid, values, options.seconds or None)
    for name, file in outputs:
        if file is None:
            print(f"{name} =\n{arrays[name]}")
        else:
            mlir_modules.save(file, arrays[name])
    for name, array in arrays.items():
        if array.tobytes() != before[name].tobytes():
            print(mlir_modules.summary(name, array))


def _bisect(options: argparse.Namespace) -> None:
    from xetile.cli import arguments
    from xetile.cli.bisect import bisect

    grid = _grid(options.grid)
    module, target = _within(options, lambda: _lowered(options))
    values = arguments.values(module, options.arg, options.seed, most=options.memory << 20)
    for line in bisect(module, target, grid, values, options.tolerance):
        print(line)


def _output(word: str, arrays: dict[str, Any]) -> tuple[str, Path | None]:
    name, _, file = word.partition("=")
    if name not in arrays:
        raise ArgumentError(f"--out {word}: the kernel has no array {name!r}", hint=f"arrays: {', '.join(arrays) or 'none'}")
    return name, Path(file) if file else None


def _grid(text: str) -> tuple[int, ...]:
    try:
        sizes = tuple(int(n) for n in text.split(","))
    except ValueError:
        sizes = ()
    if not 1 <= len(sizes) <= 3 or min(sizes) < 1 or max(sizes) >= 1 << 31:
        raise ArgumentError(f"--grid {text[:100]} is no grid", hint="one to three whole numbers from 1 to 2147483647: 4,2")
    return (*sizes, 1, 1)[:3]
