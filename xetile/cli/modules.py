"""`python -m xetile opt` and `run`: MLIR text in, MLIR text or results out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from xetile.cli.guard import SECONDS, limited
from xetile.errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
MEMORY = 1024
EMITS = ("mlir", "spirv", "spirv-text", "isa")
NAMES = "passes and levels, one after the other, with commas: subgroup, lane, canonicalize, ... (a wrong name lists them)"


def add_commands(commands: Any, write: Callable[[str | bytes, str | None], None], emit: Callable[..., str | bytes]) -> None:
    """Add both commands; `write` puts content in a file or on standard output, `emit` gives a binary's form by its name."""
    opt = commands.add_parser("opt", help="read an MLIR module, run passes, write it", description=_OPT)
    _add_source(opt)
    opt.add_argument(
        "--emit", choices=EMITS, default="mlir", help="what to write; all but mlir lower it fully (default: %(default)s)"
    )
    opt.add_argument("-o", "--output", metavar="OUT", help="file to write (default: standard output)")
    opt.set_defaults(run=lambda options: write(_within(options, lambda: _opt(options, emit)), options.output))
    run = commands.add_parser("run", help="run the kernel of an MLIR module", description=_RUN)
    _add_source(run)
    run.add_argument("--arg", action="append", default=[], metavar="[NAME=]VALUE",
                     help="random, zeros, ones or arange, with :64x32xf16 where the text gives no size; FILE.npy; a number; "
                          "those without a name go to the other arguments in order")  # fmt: skip
    run.add_argument("--grid", default="1", metavar="X[,Y[,Z]]", help="workgroups to run (default: %(default)s)")
    run.add_argument("--device", help="gpu, cpu, numpy or a number of `xetile devices` (default: the best)")
    run.add_argument(
        "--seed", type=_from(int, 0, (1 << 63) - 1), default=0, help="of random elements, which are whole numbers from -4 to 3"
    )
    run.add_argument(
        "--out", action="append", default=[], metavar="NAME[=FILE.npy]", help="print an array after the run, or save it"
    )
    run.add_argument(
        "--memory", type=_from(int, 0, 1 << 30), default=MEMORY, metavar="MIB", help="what arrays may take (default: %(default)s)"
    )
    run.set_defaults(run=_run)


_OPT = "Reads a module of XeGPU or XeTile ops (custom forms take mlir-opt-22 on PATH), runs passes, and writes LLVM 22's text."
_RUN = "Runs a kernel of XeGPU or XeTile ops on a device and prints what became of each array that changed."


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.mlir")
    parser.add_argument("--kernel", metavar="NAME", help="which one, where the file has several")
    parser.add_argument("--target", default="pvc", help="pvc, bmg, lnl, dg2 (default: %(default)s)")
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
    from xetile.runtime import modules
    from xetile.runtime.modules import find_target

    target = find_target(options.target)
    module = modules.read(options.file, kernel=options.kernel, num_subgroups=options.num_subgroups)
    names = [name.strip() for name in options.pipeline.split(",") if name.strip()]
    return modules.lower(module, target, names), target


def _opt(options: argparse.Namespace, emit: Callable[..., str | bytes]) -> str | bytes:
    from xetile.runtime import modules

    module, target = _lowered(options)
    if options.emit == "mlir":
        return modules.text(module)
    return emit(modules.compile_module(module, target), options.emit)


def _run(options: argparse.Namespace) -> None:
    from xetile.runtime import devices, module_args, modules

    grid = _grid(options.grid)
    module, target = _within(options, lambda: _lowered(options))
    values = module_args.values(module, options.arg, options.seed, most=options.memory << 20)
    arrays: dict[str, np.ndarray[Any, Any]] = {name: value for name, value in values.items() if hasattr(value, "shape")}
    outputs = [_output(word, arrays) for word in options.out]
    before = {name: array.copy() for name, array in arrays.items()}
    device = devices.find_device(options.device) if options.device else devices.current_device()
    modules.launch(module, target, device, grid, values, options.seconds or None)
    for name, file in outputs:
        if file is None:
            print(f"{name} =\n{arrays[name]}")
        else:
            modules.save(file, arrays[name])
    for name, array in arrays.items():
        if array.tobytes() != before[name].tobytes():
            print(modules.summary(name, array))


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
