"""The programs as OpenCL C, the SPIR-V that Intel's front end made of them, and how to run them.

The SPIR-V of all but the small programs on elements is kept beside the sources, so that their tests need no OpenCL C compiler;
`python -m tests.simulator.opencl.sources` makes it anew (ocloc with Intel's front end, as tools/fetch_gpu_compiler.sh fetches it).
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from xetile.backends.simulator.execute import Executable, decode, execute

from tests.simulator.opencl import elements
from tests.tools import ocloc_compile

FOLDER = Path(__file__).parent
OPTIONS = "-cl-std=CL2.0 -DSIMD={}"
DEVICE = {16: "pvc", 8: "dg2"}
"""For which device the front end compiles programs for subgroups of so many work-items."""

ELEMENT = {8: "ushort", 16: "ushort", 32: "uint"}
"""In what type a built-in function hands over blocks with elements of so many bits."""


@dataclass(frozen=True)
class Block:
    """A built-in for 2D blocks: "read", "transform", "transpose" or "write"; bits of an element, rows, columns, blocks."""

    kind: str
    bits: int
    rows: int
    columns: int
    count: int = 1

    @property
    def name(self) -> str:
        """Its kernel's."""
        return f"{self.kind}_{self.bits}b_{self.rows}r{self.columns}x{self.count}"

    @property
    def values(self) -> int:
        """Elements that each work-item has."""
        rows = self.rows * self.bits // 32 if self.kind == "transform" else self.rows
        return self.columns if self.kind == "transpose" else rows * self.count

    @property
    def type(self) -> str:
        """Of a work-item's elements."""
        return "uint" if self.kind in ("transform", "transpose") else ELEMENT[self.bits]

    @property
    def source(self) -> str:
        """Its kernel."""
        infix = "" if self.kind in ("read", "write") else f"_{self.kind}"
        verb, shape = "write" if self.kind == "write" else "read", f"{self.bits}b_{self.rows}r{self.columns}x{self.count}c"
        call = f"intel_sub_group_2d_block_{verb}{infix}_{shape}(p, W, H, P, (int2)(x, y), d);"
        lane, n = "v[i * 16 + get_sub_group_local_id()]", self.values
        before, after = (
            (f"for (int i = 0; i < {n}; i++) d[i] = {lane};", "")
            if verb == "write"
            else ("", f"for (int i = 0; i < {n}; i++) {lane} = d[i];")
        )
        return (f"{_head(16)} {self.name}(global void *p, int W, int H, int P, int x, int y, global {self.type} *v) {{\n"
                f"  {self.type} d[{n}]; {before}\n  {call} {after}\n}}\n")  # fmt: skip


def _head(simd: int) -> str:
    return f"__attribute__((intel_reqd_sub_group_size({simd}))) __attribute__((reqd_work_group_size({simd}, 1, 1))) kernel void"


_READS = [(8, 1, 32, 1), (8, 8, 32, 1), (8, 32, 32, 1), (8, 8, 32, 2), (8, 32, 32, 2), (16, 1, 16, 1), (16, 8, 16, 1), (16, 16, 16, 1),
          (16, 32, 16, 1), (16, 8, 16, 2), (16, 32, 16, 2), (32, 1, 16, 1), (32, 8, 16, 1), (32, 16, 16, 1), (32, 32, 16, 1)]  # fmt: skip
_TRANSFORMS = [(8, 32, 16, 1), (8, 32, 16, 2), (8, 32, 16, 4), (16, 16, 16, 1), (16, 32, 16, 1), (16, 16, 16, 2), (16, 32, 16, 2)]
_WRITES = [(8, 1, 32), (8, 4, 32), (8, 8, 32), (16, 1, 16), (16, 8, 16), (32, 1, 16), (32, 4, 16), (32, 8, 16)]
BLOCKS = (
    *(Block("read", *shape) for shape in _READS), *(Block("transform", *shape) for shape in _TRANSFORMS),
    Block("transpose", 32, 16, 8), *(Block("write", *shape) for shape in _WRITES),
)  # fmt: skip


@dataclass(frozen=True)
class Product:
    """A built-in matrix product: types of A and B, rows of A, the K of one instruction, work-items of a subgroup."""

    a: str
    b: str
    rows: int
    depth: int
    simd: int

    @property
    def name(self) -> str:
        """Its kernel's."""
        return f"mad_{self.a}_{self.b}_{self.rows}"

    @property
    def source(self) -> str:
        """Its kernel."""
        vector = "" if self.rows == 1 else str(self.rows)
        left = "float" if self.a == "tf32" else ("u" if self.a == "u8" else "") + ("int" if self.simd == 8 else "short")
        right = "float" if self.b == "tf32" else "uint" if self.b == "u8" else "int"
        sums = "int" if self.depth == 32 else "float"
        packed = {1: "", 2: "", 4: "2", 8: "4"}[self.rows] if self.a == "tf32" else vector
        call = f"intel_sub_group_{self.a}_{self.b}_matrix_mad_k{self.depth}(a[l], b[l], c[l])"
        return (f"{_head(self.simd)} {self.name}(global {left}{packed} *a, global {right}8 *b, global {sums}{vector} *c, "
                f"global {sums}{vector} *out) {{\n  int l = get_sub_group_local_id(); out[l] = {call};\n}}\n")  # fmt: skip


_PAIRS = [("f16", "f16", 16), ("bf16", "bf16", 16), ("i8", "i8", 32), ("u8", "u8", 32), ("i8", "u8", 32), ("u8", "i8", 32)]


def products(simd: int) -> tuple[Product, ...]:
    """All of a subgroup size; tf32 only with 16 work-items."""
    pairs = _PAIRS + ([("tf32", "tf32", 8)] if simd == 16 else [])
    return tuple(Product(a, b, rows, depth, simd) for a, b, depth in pairs for rows in (1, 2, 4, 8))


def source(name: str, simd: int) -> str:
    """OpenCL C of "blocks", "products", "programs" or a family of programs on elements."""
    if name == "programs":
        return (FOLDER / "programs.cl").read_text()
    if name in elements.FAMILIES:
        return elements.source(name)
    return "".join(one.source for one in (BLOCKS if name == "blocks" else products(simd)))


MODULES = (("blocks", 16), ("products", 16), ("products", 8), ("programs", 16), ("programs", 8))


def kept(name: str, simd: int) -> Path:
    """Where a module's SPIR-V is."""
    return FOLDER / f"{name}_{simd}.spv"


@cache
def front_end(name: str, simd: int) -> bytes:
    """The SPIR-V that Intel's front end makes of a module."""
    return spirv_of(source(name, simd), simd)


def spirv_of(text: str, simd: int) -> bytes:
    """The same of a text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "module.cl"
        file.write_text(text)
        command = ["ocloc", "compile", "-file", str(file), "-device", DEVICE[simd], "-output", "module", "-out_dir", folder,
                   "-options", OPTIONS.format(simd), "-spv_only"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = list(Path(folder).glob("module*.spv"))
        assert found, f"ocloc writes no SPIR-V: {done.stdout}{done.stderr}"
        return found[0].read_bytes()


@cache
def executable(name: str, simd: int, target: str, kernel: str, options: str = "") -> Executable:
    """A kernel of a module, compiled for a target."""
    spirv = front_end(name, simd) if name in elements.FAMILIES else kept(name, simd).read_bytes()
    return decode(ocloc_compile(spirv, target, options).read_bytes(), target, kernel)


def run(what: Executable, args: Sequence[Any], grid: tuple[int, ...] = (1,), local_size: tuple[int, ...] | None = None, *,
        debug: bool = False) -> None:  # fmt: skip
    """Run it on numpy arrays in place."""
    given = [value.tobytes() if isinstance(value, np.generic) else value for value in args]
    execute(what, grid, given, local_size=local_size, debug=debug)


if __name__ == "__main__":
    for module, simd in MODULES:
        kept(module, simd).write_bytes(front_end(module, simd))
