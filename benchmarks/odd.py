"""What tiles of odd sizes cost beside those of the next power of two in each direction, counted by Intel's GPU compiler (offline).

    python -m xetile benchmarks odd [--only TEXT] [--target pvc,bmg] [--dtypes f32,f16,i8] [--shapes 7x7,9x300] [--over 1.0]

Instructions are those of the whole kernel, one subgroup's code; `subgroups` says how many run it. Arrays are larger than the tile
and keep the rules of 2D block messages; with `--arrays scattered` they break them.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xetile.errors import XetileError
from xetile.runtime.specialize import SpillWarning
from xetile.target import get_target
from xetile.target.table import TARGETS as ALL

from . import choosing, gpu_compiler
from .isastat import analyse, disassemble, parse
from .kernels import tiles
from .tables import Table
from .zebin import read_kernels

Shape = tuple[int, int]
SHAPES: tuple[Shape, ...] = (
    (7, 7), (5, 33), (9, 300), (33, 17), (64, 129), (64, 255), (13, 100), (1, 1000), (24, 48), (31, 31),
)  # fmt: skip
DTYPES = ("f32", "f16", "i8")
TARGETS = ("pvc", "bmg")


@dataclass(frozen=True)
class Case:
    """An op of a tile: its kernel, and the dtype of what it writes where that is another one than the tile's."""

    kernel: Any
    arrays: int = 2
    out: Callable[[str], str] = lambda dtype: dtype


def _summed(dtype: str) -> str:
    return "i32" if dtype == "i8" else dtype


CASES: dict[str, Case] = {
    "x*3+1": Case(tiles.scaled),
    "x+y": Case(tiles.added, 3),
    "row sums": Case(tiles.row_sums, out=_summed),
    "column sums": Case(tiles.column_sums, out=_summed),
    "transpose": Case(tiles.transposed),
    "softmax": Case(tiles.softmax),
    "cumsum": Case(tiles.cumulated, out=_summed),
    "product": Case(tiles.multiplied, 3, lambda dtype: "i32" if dtype == "i8" else "f32"),
}


@dataclass(frozen=True)
class Count:
    """Instructions of one subgroup's code, the number of subgroups, bytes spilled."""

    instructions: int
    subgroups: int
    spilled: int = 0


def next_powers(shape: Shape) -> Shape:
    """The next power of two in each direction."""
    rows, columns = (1 << (n - 1).bit_length() for n in shape)
    return rows, columns


def count(op: str, dtype: str, shape: Shape, target: str, array: str = "") -> Count:
    """What the compiler makes of an op on a tile. Raises XetileError, CompilerError."""
    case, mark = CASES[op], f";{array}" if array else ""
    types = [f"{dtype}[?,?{mark}]"] * (case.arrays - 1) + [f"{case.out(dtype)}[?,?{mark}]"]
    device = get_target(target).ocloc_device or target
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpillWarning)
        compiled = case.kernel.compile(*types, SHAPE=shape, target=target)
    binary = gpu_compiler.build(compiled.spirv, device, compiled.build_options).binary
    kernel = read_kernels(binary)[0]
    found = analyse(kernel, parse(disassemble(kernel.code, device)))
    subgroups = compiled.local_size[0] // get_target(target).subgroup_size
    return Count(int(found.whole.total), subgroups, kernel.spill_size)


def measured(options: argparse.Namespace) -> Iterator[tuple[str, str, str, Shape, Count | str, Count | str]]:
    """Op, dtype, target and shape of each row, and the counts of the tile and of the next powers of two, or what went wrong."""
    known: dict[tuple[str, str, str, Shape], Count | str] = {}

    def found(op: str, dtype: str, target: str, shape: Shape) -> Count | str:
        key = op, dtype, target, shape
        if key not in known:
            try:
                known[key] = count(op, dtype, shape, target, options.arrays)
            except (XetileError, gpu_compiler.CompilerError) as error:
                known[key] = str(error).splitlines()[0]
        return known[key]

    for op in (op for op in CASES if options.only in op):
        for dtype in options.dtypes.split(","):
            for target in options.target.split(","):
                for shape in options.shapes:
                    yield op, dtype, target, shape, found(op, dtype, target, shape), found(op, dtype, target, next_powers(shape))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. Returns 1 where a tile of either size does not compile."""
    parser = argparse.ArgumentParser(prog="odd", description="tiles of odd sizes beside those of the next power of two")
    parser.add_argument("--only", default="", metavar="TEXT", help="ops whose names hold the text")
    parser.add_argument("--dtypes", default=",".join(DTYPES))
    parser.add_argument("--target", default=",".join(TARGETS))
    parser.add_argument("--shapes", type=_shapes, default=SHAPES, help='"7x7,9x300"')
    parser.add_argument("--arrays", default="", help='marks of the arrays\' types, such as "scattered"')
    parser.add_argument("--over", type=float, default=0.0, help="only ratios over this one")
    options = parser.parse_args(arguments)
    table = Table(("op", "dtype", "target", "tile", "instructions", "subgroups", "next", "its subgroups", "ratio", "spilled"))
    choosing.targets_of(parser, options.target, (name for name, target in ALL.items() if target.ocloc_device))
    choosing.check_chosen(parser, options.only, (op for op in CASES if options.only in op), CASES)
    failed = False
    for op, dtype, target, shape, odd, even in measured(options):
        head = op, dtype, target, "x".join(map(str, shape))
        if isinstance(odd, str) or isinstance(even, str):
            failed = True
            table.add(*head, odd if isinstance(odd, str) else even, *[None] * 5)
            continue
        ratio = odd.instructions / even.instructions
        if ratio > options.over:
            table.add(*head, odd.instructions, odd.subgroups, even.instructions, even.subgroups, ratio, odd.spilled)
    table.show()
    return int(failed)


def _shapes(text: str) -> tuple[Shape, ...]:
    found = [tuple(map(int, part.split("x"))) for part in text.split(",")]
    return tuple((rows, columns) for rows, columns in found)
