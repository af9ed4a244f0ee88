"""`python -m xetile view FILE.py:KERNEL -o out.html`: a kernel at each level, side by side, on one page.

Here is gathered what the page shows: the text of each level with the source lines that each of its lines comes from, layouts to draw,
registers over the program, the estimate.  `view_page` writes it as HTML.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import runpy
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xetile.errors import ArgumentError, LayoutError, Location, XetileError
from xetile.ir.core import Op
from xetile.ir.printer import Printer
from xetile.layout import Distribution, draw
from xetile.records import dataclass

if TYPE_CHECKING:
    from xetile.estimate.profile import Step
    from xetile.runtime.request import Request
    from xetile.target import Target

MOST_PICTURES = 16
_MARK = re.compile("\x01([\\d ]*)\x02")
# What a launch needs, which hides what a reader looks for.
_LAUNCH = re.compile(r" kernel attributes \{.*\} \{$")
_OP_LINE = re.compile(r"\s*OpLine \S+ (\d+) \d+")
_ADDRESS = re.compile(r"\[([0-9A-Fa-f]{4,})\]")

Line = tuple[str, tuple[int, ...]]
"""A line of a level, and the lines of the source that it comes from."""


@dataclass(frozen=True)
class Column:
    """One level: its name, a remark, its lines."""

    name: str
    lines: tuple[Line, ...]
    remark: str = ""


@dataclass(frozen=True)
class Picture:
    """A layout as SVG, with its text and the lines of the source whose values have it."""

    title: str
    svg: str
    lines: tuple[int, ...]


@dataclass(frozen=True)
class View:
    """All that a page shows of a kernel; `first`: the line of the source that the page begins at."""

    title: str
    columns: tuple[Column, ...]
    pictures: tuple[Picture, ...] = ()
    steps: tuple[Step, ...] = ()
    grf: int = 0
    estimate: str = ""
    buffers: tuple[str, ...] = field(default=())
    first: int = 1


def view(kernel: Any, request: Request) -> View:
    """Compile a kernel, level by level, and gather what a page shows.  Raises what compiling raises."""
    from xetile.cli.mlir_modules import find_target
    from xetile.estimate import estimate
    from xetile.estimate.profile import over_program
    from xetile.runtime import compiler

    file, target = kernel.fn.__code__.co_filename, find_target(request.target)
    columns, pictures, buffers = [_source(file)], [], []
    module = None
    for level, lowered in compiler.lower(request):
        module = lowered
        columns.append(Column(level, _marked_lines(_Marking(file).op(module))))
        pictures += list(_pictures(level, module.kernel, file))
        if level == "subgroup":
            buffers = [str(op.results[0].type) for op in module.kernel.walk() if op.opname == "memref.alloca"]
    assert module is not None
    columns += _binary_columns(request, target, file)
    steps = over_program(module.kernel, target)
    told = str(estimate(module.kernel, target)) if target.grf_bytes else ""
    title = f"{kernel.fn.__name__} for {request.target}"
    grf, first = int(module.kernel.grf or 0), kernel.fn.__code__.co_firstlineno
    return View(title, tuple(columns), _distinct(pictures), steps, grf, told, tuple(buffers), first)


def _source(file: str) -> Column:
    text = Path(file).read_text(encoding="utf-8")
    return Column("source", tuple((line, (number,)) for number, line in enumerate(text.splitlines(), 1)), os.path.basename(file))


class _Marking(Printer):
    """Prints ops with a mark before each that holds its lines in one file of the source."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self._file = file

    def op(self, op: Op) -> str:
        return f"\x01{' '.join(map(str, places(op.loc, self._file)))}\x02{super().op(op)}"


def places(at: Location | None, file: str) -> tuple[int, ...]:
    """Lines of a file that a place and the calls that led there stand on."""
    found: list[int] = []
    while at is not None:
        if os.path.abspath(at.file) == os.path.abspath(file):
            found.append(at.line)
        at = at.caller
    return tuple(dict.fromkeys(found))


def _marked_lines(text: str) -> tuple[Line, ...]:
    lines = []
    for line in text.splitlines():
        found = _MARK.search(line)
        numbers = tuple(map(int, found[1].split())) if found else ()
        lines.append((_LAUNCH.sub(" kernel {", _MARK.sub("", line)), numbers))
    return tuple(lines)


def _binary_columns(request: Request, target: Target, file: str) -> Iterator[Column]:
    from xetile.runtime import loading
    from xetile.runtime.dump import DISASSEMBLER

    binary = loading.binary(replace(request, lines=True))[0]
    text = importlib.import_module(DISASSEMBLER).disassemble(binary.spirv)
    yield Column("SPIR-V", tuple(_spirv_lines(text)))
    if target.ocloc_device is None:
        yield Column("machine code", (), "made by the device's driver where the kernel runs")
        return
    tools = [tool for tool in ("ocloc", "iga64") if shutil.which(tool) is None]
    if tools:
        yield Column("machine code", (), f"needs {' and '.join(tools)} on PATH: tools/fetch_gpu_compiler.sh")
        return
    try:
        yield Column("machine code", tuple(_machine_lines(binary, file)))
    except XetileError as error:
        yield Column("machine code", (), error.message.splitlines()[0])


def _spirv_lines(text: str) -> Iterator[Line]:
    """Instructions with the line that the OpLine before them names, which is left out."""
    now: tuple[int, ...] = ()
    for line in text.splitlines():
        found = _OP_LINE.match(line)
        if found:
            now = (int(found[1]),)
            continue
        if "OpLabel" in line or "OpNoLine" in line or "OpFunctionEnd" in line:
            now = ()
        if "OpNoLine" not in line:
            yield line, now


def _machine_lines(binary: Any, file: str) -> Iterator[Line]:
    """Instructions with the lines that the compiler's own table gives them; products have none there, but for the only one."""
    from xetile.cli.mlir_modules import find_target

    toolchain = importlib.import_module("xetile.backends.simulator.toolchain")
    zebin = importlib.import_module("xetile.backends.simulator.zebin")
    device = find_target(binary.target).ocloc_device
    found = zebin.read_kernel(toolchain.compile_spirv(binary.spirv, device, binary.build_options))
    products = {line for place in found.products for line in places(place, file)}
    for text in toolchain.disassemble(found.code, binary.target).splitlines():
        address = _ADDRESS.search(text)
        at = found.lines.at(int(address[1], 16)) if address else None
        numbers = places(at, file) if at is not None else ()
        if " dpas" in text and len(products) == 1:
            numbers = tuple(products)
        yield text, numbers


def _pictures(level: str, kernel: Op, file: str) -> Iterator[Picture]:
    """Drawings of the layouts that ops of a level have, or their types."""
    if level not in ("layout", "xegpu"):
        return
    for op in kernel.walk():
        for layout, shape in _layouts(op):
            if len(shape) != layout.rank:
                continue
            with contextlib.suppress(LayoutError):  # larger than a picture
                svg = draw.picture(layout, shape)
                yield Picture(f"{level}: {'x'.join(map(str, shape))}  {layout}", svg, places(op.loc, file))


def _layouts(op: Op) -> Iterator[tuple[Distribution, tuple[int, ...]]]:
    for result in op.results:
        layout, shape = (getattr(result.type, name, None) for name in ("layout", "shape"))
        if isinstance(layout, Distribution) and shape:
            yield layout, tuple(shape)
    shaped = [shape for v in (*op.results, *op.operands) if isinstance(shape := getattr(v.type, "shape", None), tuple)]
    for value in op.attributes.values():
        if isinstance(value, Distribution) and shaped:
            yield value, shaped[0]


def _distinct(pictures: Sequence[Picture]) -> tuple[Picture, ...]:
    found: dict[str, Picture] = {}
    for picture in pictures:
        known = found.get(picture.title)
        lines = (*(known.lines if known else ()), *picture.lines)
        found[picture.title] = replace(picture, lines=tuple(dict.fromkeys(lines)))
    return tuple(found.values())[:MOST_PICTURES]


def first_call(path: str, name: str) -> tuple[str, dict[str, Any]]:
    """Types and constants of the first call of a kernel that a file makes where it runs as a program, on numpy.

    Raises ArgumentError where it calls none, with the reason where it fails.
    """
    from xetile.runtime import devices, hooks, settings

    events: list[Any] = []
    failure = ""
    with (settings.override(cache=False), devices.device("numpy"), hooks.added(before_compile=events.append),
          contextlib.redirect_stdout(io.StringIO())):  # fmt: skip
        try:
            runpy.run_path(os.path.abspath(path), run_name="__main__")
        except (Exception, SystemExit) as error:
            failure = f": it fails with {type(error).__name__}: {error}"
    for event in events:
        if event.kernel == name:
            return _without_names(event.signature), dict(event.constants)
    raise ArgumentError(
        f"{path} does not call {name} where it runs{failure}", hint='give the types: --signature "f16[?,?],f32[?,?]"'
    )


def _without_names(signature: str) -> str:
    """`X:f32[?,?],Y:f32[?,?]` without the parameters' names."""
    return re.sub(r"(^|,\s*)\w+:\s*", r"\1", signature)
