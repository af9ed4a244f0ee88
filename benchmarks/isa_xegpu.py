"""What `benchmarks.isa` compiles of XeGPU modules of each level, as users write them: none prefetches, stages or chooses registers itself.

`TWINS` are the kernels of XeTile that do the same job with the same tiles: a module takes no more instructions than its twin.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xetile import mlir
from xetile.cli import mlir_modules
from xetile.estimate import estimate
from xetile.passes.named import lower_to
from xetile.runtime.artifact import Binary
from xetile.target import Target, get_target

from .isa_cases import CASES, Case

EVERYWHERE = ("pvc", "bmg", "dg2")
XE, DG2 = EVERYWHERE[:2], EVERYWHERE[2:]


@dataclass(frozen=True)
class Compiled:
    """A module for one target."""

    text: str
    target: Target
    binary: Binary

    @property
    def spirv(self) -> bytes:
        """The bytes."""
        return self.binary.spirv

    @property
    def build_options(self) -> str:
        """What the driver must be given."""
        return self.binary.build_options

    @property
    def grf(self) -> int:
        """Registers of a thread."""
        return self.binary.grf

    @cached_property
    def estimate(self) -> Any:
        """What it asks of the hardware."""
        return estimate(lower_to(mlir.parse(self.text, "module.mlir"), self.target, "lane").kernel, self.target)


@dataclass(frozen=True)
class Module:
    """MLIR text in the place of a Python kernel."""

    text: str

    def compile(self, *types: Any, target: str, num_subgroups: int | None = None) -> Compiled:
        """For a target."""
        known = get_target(target)
        return Compiled(self.text, known, mlir_modules.compile_module(mlir.parse(self.text, "module.mlir"), known))


def module(arguments: str, body: str, aliases: Mapping[str, str] | None = None, said: str = "") -> str:
    """A kernel of these ops; constants of any number are written %cN."""
    numbers = sorted({int(n) for n in re.findall(r"%c(\d+)\b", body)})
    head = "\n".join(f"    %c{n} = arith.constant {n} : index" for n in numbers)
    layouts = "\n".join(f"#{name} = #xegpu.layout<{said}>" for name, said in (aliases or {}).items())
    return f"{layouts}\ngpu.module @m {{\n  gpu.func @k({arguments}) kernel {said} {{\n{head}\n{body}\n    gpu.return\n  }}\n}}\n"


def _desc(shape: Sequence[int], element: str, layout: str = "") -> str:
    return f"!xegpu.tensor_desc<{'x'.join(map(str, (*shape, element)))}{layout and f', #{layout}'}>"


def _vector(shape: Sequence[int], element: str) -> str:
    return f"vector<{'x'.join(map(str, (*shape, element)))}>"


def _gemm(a: str, c: str, m: int, n: int, k: int, grid: tuple[int, int], size: int = 4096) -> str:
    """A workgroup's m x n of A times B, k at a time."""
    zero = "0.0" if c.startswith("f") else "0"
    rows, columns = m // grid[0], n // grid[1]
    shapes = {"a": (m, k), "b": (k, n), "c": (m, n)}
    layouts = {"a": (rows, k), "b": (k, columns), "c": (rows, columns)}
    d = {name: _desc(shape, c if name == "c" else a, name) for name, shape in shapes.items()}
    v = {name: _vector(shape, c if name == "c" else a) for name, shape in shapes.items()}
    return module(f"%A: memref<{size}x{size}x{a}>, %B: memref<{size}x{size}x{a}>, %C: memref<{size}x{size}x{c}>", f"""
    %y = gpu.block_id y
    %x = gpu.block_id x
    %m = arith.muli %y, %c{m} : index
    %n = arith.muli %x, %c{n} : index
    %ta = xegpu.create_nd_tdesc %A : memref<{size}x{size}x{a}> -> {d["a"]}
    %tb = xegpu.create_nd_tdesc %B : memref<{size}x{size}x{a}> -> {d["b"]}
    %tc = xegpu.create_nd_tdesc %C : memref<{size}x{size}x{c}> -> {d["c"]}
    %z = arith.constant {{layout_result_0 = #c}} dense<{zero}> : {v["c"]}
    %s = scf.for %k = %c0 to %c{size} step %c{k} iter_args(%acc = %z) -> ({v["c"]}) {{
      %a = xegpu.load_nd %ta[%m, %k] <{{layout = #a}}> : {d["a"]} -> {v["a"]}
      %b = xegpu.load_nd %tb[%k, %n] <{{layout = #b}}> : {d["b"]} -> {v["b"]}
      %p = xegpu.dpas %a, %b, %acc {{layout_a = #a, layout_b = #b, layout_cd = #c}} : {v["a"]}, {v["b"]}, {v["c"]} -> {v["c"]}
      scf.yield %p : {v["c"]}
    }} {{layout_result_0 = #c}}
    xegpu.store_nd %s, %tc[%m, %n] <{{layout = #c}}> : {v["c"]}, {d["c"]}""",
        {name: f"sg_layout = {list(grid)}, sg_data = {list(data)}" for name, data in layouts.items()})  # fmt: skip


def _by_subgroup(m: int, n: int, k: int, size: int = 4096) -> str:
    """A subgroup's m x n of A times B, k at a time."""
    a, b, c = (m, k), (k, n), (m, n)
    of = f"memref<{size}x{size}x"
    return module(f"%A: {of}f16>, %B: {of}f16>, %C: {of}f32>", f"""
    %y = gpu.block_id y
    %x = gpu.block_id x
    %m = arith.muli %y, %c{m} : index
    %n = arith.muli %x, %c{n} : index
    %ta = xegpu.create_nd_tdesc %A : {of}f16> -> {_desc(a, "f16")}
    %tb = xegpu.create_nd_tdesc %B : {of}f16> -> {_desc(b, "f16")}
    %tc = xegpu.create_nd_tdesc %C : {of}f32> -> {_desc(c, "f32")}
    %z = arith.constant dense<0.0> : {_vector(c, "f32")}
    %s = scf.for %k = %c0 to %c{size} step %c{k} iter_args(%acc = %z) -> ({_vector(c, "f32")}) {{
      %a = xegpu.load_nd %ta[%m, %k] : {_desc(a, "f16")} -> {_vector(a, "f16")}
      %b = xegpu.load_nd %tb[%k, %n] : {_desc(b, "f16")} -> {_vector(b, "f16")}
      %p = xegpu.dpas %a, %b, %acc : {_vector(a, "f16")}, {_vector(b, "f16")}, {_vector(c, "f32")} -> {_vector(c, "f32")}
      scf.yield %p : {_vector(c, "f32")}
    }}
    xegpu.store_nd %s, %tc[%m, %n] : {_vector(c, "f32")}, {_desc(c, "f32")}""")  # fmt: skip


def _by_lanes(lanes: int, size: int = 4096) -> str:
    """A lane's part of 8 x `lanes` of A times B, 16 at a time: each op is one message or DPAS."""
    of, each = f"memref<{size}x{size}x", 8 * 16 // lanes
    a, b, c = _desc((8, 16), "f16"), _desc((16, lanes), "f16"), _desc((8, lanes), "f32")
    return module(f"%A: {of}f16>, %B: {of}f16>, %C: {of}f32>", f"""
    %y = gpu.block_id y
    %x = gpu.block_id x
    %m = arith.muli %y, %c8 : index
    %n = arith.muli %x, %c{lanes} : index
    %ta = xegpu.create_nd_tdesc %A : {of}f16> -> {a}
    %tb = xegpu.create_nd_tdesc %B : {of}f16> -> {b}
    %tc = xegpu.create_nd_tdesc %C : {of}f32> -> {c}
    %z = arith.constant dense<0.0> : vector<8xf32>
    %s = scf.for %k = %c0 to %c{size} step %c16 iter_args(%acc = %z) -> (vector<8xf32>) {{
      %a = xegpu.load_nd %ta[%m, %k] : {a} -> vector<{each}xf16>
      %b = xegpu.load_nd %tb[%k, %n] <{{packed}}> : {b} -> vector<16xf16>
      %p = xegpu.dpas %a, %b, %acc : vector<{each}xf16>, vector<16xf16>, vector<8xf32> -> vector<8xf32>
      scf.yield %p : vector<8xf32>
    }}
    xegpu.store_nd %s, %tc[%m, %n] : vector<8xf32>, {c}""")  # fmt: skip


def _attention(rows: int, keys: int, d: int, size: int = 4096) -> str:
    """Eight subgroups with so many queries each, by the running maximum and sum of each row."""
    m = 8 * rows
    q, o, s, row = (m, d), (m, d), (m, keys), _vector((m,), "f32")
    of = f"memref<{size}x{d}x"
    vk, vkt = _vector((keys, d), "f16"), _vector((d, keys), "f16")
    vs, vo, k, v = _vector(s, "f32"), _vector(o, "f32"), _desc((keys, d), "f16", "k"), _desc((keys, d), "f16", "v")
    return module(f"%Q: {of}f16>, %K: {of}f16>, %V: {of}f16>, %O: {of}f32>", f"""
    %x = gpu.block_id x
    %m = arith.muli %x, %c{m} : index
    %tq = xegpu.create_nd_tdesc %Q : {of}f16> -> {_desc(q, "f16", "q")}
    %tk = xegpu.create_nd_tdesc %K : {of}f16> -> {k}
    %tv = xegpu.create_nd_tdesc %V : {of}f16> -> {v}
    %to = xegpu.create_nd_tdesc %O : {of}f32> -> {_desc(o, "f32", "o")}
    %q = xegpu.load_nd %tq[%m, %c0] <{{layout = #q}}> : {_desc(q, "f16", "q")} -> {_vector(q, "f16")}
    %low = arith.constant {{layout_result_0 = #row}} dense<-1.0e30> : {row}
    %none = arith.constant {{layout_result_0 = #row}} dense<0.0> : {row}
    %zo = arith.constant {{layout_result_0 = #o}} dense<0.0> : {vo}
    %zs = arith.constant {{layout_result_0 = #s}} dense<0.0> : {vs}
    %r:3 = scf.for %n = %c0 to %c{size} step %c{keys} iter_args(%max = %low, %sum = %none, %acc = %zo) -> ({row}, {row}, {vo}) {{
      %k = xegpu.load_nd %tk[%n, %c0] <{{layout = #k}}> : {k} -> {vk}
      %kt = vector.transpose %k, [1, 0] {{layout_result_0 = #kt}} : {vk} to {vkt}
      %scores = xegpu.dpas %q, %kt, %zs {{layout_a = #q, layout_b = #kt, layout_cd = #s}} : {_vector(q, "f16")}, {vkt}, {vs} -> {vs}
      %new = vector.multi_reduction <maximumf>, %scores, %max {{layout_result_0 = #row}} [1] : {vs} to {row}
      %one = vector.shape_cast %new {{layout_result_0 = #column}} : {row} to vector<{m}x1xf32>
      %wide = vector.broadcast %one {{layout_result_0 = #s}} : vector<{m}x1xf32> to {vs}
      %less = arith.subf %scores, %wide {{layout_result_0 = #s}} : {vs}
      %e = math.exp2 %less fastmath<fast> {{layout_result_0 = #s}} : {vs}
      %old = arith.subf %max, %new {{layout_result_0 = #row}} : {row}
      %down = math.exp2 %old fastmath<fast> {{layout_result_0 = #row}} : {row}
      %before = arith.mulf %sum, %down {{layout_result_0 = #row}} : {row}
      %total = vector.multi_reduction <add>, %e, %before {{layout_result_0 = #row}} [1] : {vs} to {row}
      %p = arith.truncf %e {{layout_result_0 = #s}} : {vs} to {_vector(s, "f16")}
      %v = xegpu.load_nd %tv[%n, %c0] <{{layout = #v}}> : {v} -> {vk}
      %dc = vector.shape_cast %down {{layout_result_0 = #column}} : {row} to vector<{m}x1xf32>
      %dw = vector.broadcast %dc {{layout_result_0 = #o}} : vector<{m}x1xf32> to {vo}
      %scaled = arith.mulf %acc, %dw {{layout_result_0 = #o}} : {vo}
      %next = xegpu.dpas %p, %v, %scaled {{layout_a = #s, layout_b = #v, layout_cd = #o}} : {_vector(s, "f16")}, {vk}, {vo} -> {vo}
      scf.yield %new, %total, %next : {row}, {row}, {vo}
    }}
    %tc = vector.shape_cast %r#1 {{layout_result_0 = #column}} : {row} to vector<{m}x1xf32>
    %tw = vector.broadcast %tc {{layout_result_0 = #o}} : vector<{m}x1xf32> to {vo}
    %out = arith.divf %r#2, %tw {{layout_result_0 = #o}} : {vo}
    xegpu.store_nd %out, %to[%m, %c0] <{{layout = #o}}> : {vo}, {_desc(o, "f32", "o")}""", {
        "q": f"sg_layout = [8, 1], sg_data = [{rows}, {d}]", "k": f"sg_layout = [1, 8], sg_data = [{keys}, {d}]",
        "kt": f"sg_layout = [8, 1], sg_data = [{d}, {keys}], order = [0, 1]", "s": f"sg_layout = [8, 1], sg_data = [{rows}, {keys}]",
        "v": f"sg_layout = [8, 1], sg_data = [{keys}, {d}]", "o": f"sg_layout = [8, 1], sg_data = [{rows}, {d}]",
        "column": f"sg_layout = [8, 1], sg_data = [{rows}, 1]",
    }).replace("#row", f"#xegpu.slice<#xegpu.layout<sg_layout = [8, 1], sg_data = [{rows}, {keys}]>, dims = [1]>")  # fmt: skip


def _block(
    grid: tuple[int, int], data: tuple[int, int], body: str, arguments: str, *, more: Mapping[str, str] | None = None
) -> str:
    """A workgroup's block at (%m, %n) of arrays of 4096 x 4096."""
    m, n = grid[0] * data[0], grid[1] * data[1]
    head = f"""
    %y = gpu.block_id y
    %x = gpu.block_id x
    %m = arith.muli %y, %c{m} : index
    %n = arith.muli %x, %c{n} : index"""
    return module(arguments, head + body, {"l": f"sg_layout = {list(grid)}, sg_data = {list(data)}", **(more or {})})


_F = "memref<4096x4096xf32>"


def _load(
    name: str, array: str, shape: tuple[int, int], layout: str, at: str = "%m, %n", element: str = "f32", of: str = _F
) -> str:
    d = _desc(shape, element, layout)
    return f"""
    %t{name} = xegpu.create_nd_tdesc %{array} : {of} -> {d}
    %{name} = xegpu.load_nd %t{name}[{at}] : {d} -> {_vector(shape, element)}"""


def _store(
    name: str, array: str, shape: tuple[int, int], layout: str, at: str = "%m, %n", element: str = "f32", of: str = _F
) -> str:
    d = _desc(shape, element, layout)
    return f"""
    %s{name} = xegpu.create_nd_tdesc %{array} : {of} -> {d}
    xegpu.store_nd %{name}, %s{name}[{at}] : {_vector(shape, element)}, {d}"""


def _transposed() -> str:
    swap = "\n    %w = vector.transpose %v, [1, 0] {layout_result_0 = #t} : vector<64x64xf32> to vector<64x64xf32>"
    body = _load("v", "A", (64, 64), "l") + swap + _store("w", "C", (64, 64), "t", "%n, %m")
    return _block(
        (2, 4), (32, 16), body, f"%A: {_F}, %C: {_F}", more={"t": "sg_layout = [4, 2], sg_data = [16, 32], order = [0, 1]"}
    )


def _added() -> str:
    add = "\n    %c = arith.addf %a, %b : vector<32x128xf32>"
    body = _load("a", "A", (32, 128), "l") + _load("b", "B", (32, 128), "l") + add + _store("c", "C", (32, 128), "l")
    return _block((1, 8), (32, 16), body, f"%A: {_F}, %B: {_F}, %C: {_F}")


def _row_sums() -> str:
    """Eight rows of a workgroup, 512 columns a round."""
    row = "#xegpu.slice<#xegpu.layout<sg_layout = [8, 1], sg_data = [1, 512]>, dims = [1]>"
    return module(f"%A: {_F}, %C: memref<4096xf32>", f"""
    %x = gpu.block_id x
    %m = arith.muli %x, %c8 : index
    %z = arith.constant {{layout_result_0 = {row}}} dense<0.0> : vector<8xf32>
    %t = xegpu.create_nd_tdesc %A : {_F} -> {_desc((8, 512), "f32", "l")}
    %s = scf.for %n = %c0 to %c4096 step %c512 iter_args(%acc = %z) -> (vector<8xf32>) {{
      %v = xegpu.load_nd %t[%m, %n] : {_desc((8, 512), "f32", "l")} -> vector<8x512xf32>
      %r = vector.multi_reduction <add>, %v, %acc {{layout_result_0 = {row}}} [1] : vector<8x512xf32> to vector<8xf32>
      scf.yield %r : vector<8xf32>
    }}
    %i = vector.step {{layout_result_0 = {row}}} : vector<8xindex>
    %b = vector.broadcast %m {{layout_result_0 = {row}}} : index to vector<8xindex>
    %o = arith.addi %i, %b {{layout_result_0 = {row}}} : vector<8xindex>
    %mask = arith.constant {{layout_result_0 = {row}}} dense<true> : vector<8xi1>
    xegpu.store %s, %C[%o], %mask <{{layout = {row}}}> : vector<8xf32>, memref<4096xf32>, vector<8xindex>, vector<8xi1>""",
        {"l": "sg_layout = [8, 1], sg_data = [1, 512]"})  # fmt: skip


def _converted() -> str:
    change = "\n    %w = xegpu.convert_layout %v <{input_layout = #l, target_layout = #t}> : vector<64x64xf32>"
    body = _load("v", "A", (64, 64), "l") + change + _store("w", "C", (64, 64), "t")
    return _block((2, 4), (32, 16), body, f"%A: {_F}, %C: {_F}", more={"t": "sg_layout = [8, 1], sg_data = [8, 64]"})


def _through_matrix() -> str:
    """Each of four subgroups stores a quarter and reads another one."""
    return module(f"%A: {_F}, %C: {_F}", f"""
    %x = gpu.block_id x
    %sg = gpu.subgroup_id : index
    %row = arith.muli %sg, %c16 : index
    %at = arith.muli %x, %c64 : index
    %m = arith.addi %at, %row : index
    %other = arith.subi %c48, %row : index
    %slm = memref.alloca() : memref<8192xi8, 3>
    %q = xegpu.create_mem_desc %slm : memref<8192xi8, 3> -> !xegpu.mem_desc<64x32xf32>
    {_load("v", "A", (16, 32), "", "%m, %c0")}
    xegpu.store_matrix %v, %q[%row, 0] : vector<16x32xf32>, !xegpu.mem_desc<64x32xf32>, index
    gpu.barrier
    %w = xegpu.load_matrix %q[%other, 0] : !xegpu.mem_desc<64x32xf32>, index -> vector<16x32xf32>
    {_store("w", "C", (16, 32), "", "%m, %c0")}""", said="attributes {known_block_size = array<i32: 64, 1, 1>}")  # fmt: skip


def _scattered(chunk: int) -> str:
    """Twice the elements that a lane finds at places apart, stored there; chunk: how many neighbours it moves at once."""
    kind, said = (f"vector<16x{chunk}xf32>", f"<{{chunk_size = {chunk} : i64}}>") if chunk > 1 else ("vector<16xf32>", "")
    return module("%A: memref<65536xf32>, %C: memref<65536xf32>", f"""
    %lane = vector.step : vector<16xindex>
    %mask = arith.constant dense<true> : vector<16xi1>
    %by = arith.constant dense<{2 * chunk}> : vector<16xindex>
    scf.for %i = %c0 to %c4096 step %c16 {{
      %b = vector.broadcast %i : index to vector<16xindex>
      %o = arith.addi %lane, %b : vector<16xindex>
      %from = arith.muli %o, %by : vector<16xindex>
      %v = xegpu.load %A[%from], %mask {said} : memref<65536xf32>, vector<16xindex>, vector<16xi1> -> {kind}
      %w = arith.addf %v, %v : {kind}
      xegpu.store %w, %C[%from], %mask {said} : {kind}, memref<65536xf32>, vector<16xindex>, vector<16xi1>
    }}""")  # fmt: skip


def _atomics() -> str:
    """A histogram: each of 16 lanes adds to the place that a number in memory names."""
    tile = "!xegpu.tensor_desc<16xi32, #xegpu.scatter_tdesc_attr<>>"
    return module("%A: memref<65536xi32>, %C: memref<256xi32>", f"""
    %lane = vector.step : vector<16xindex>
    %mask = arith.constant dense<true> : vector<16xi1>
    %one = arith.constant dense<1> : vector<16xi32>
    scf.for %i = %c0 to %c65536 step %c16 {{
      %b = vector.broadcast %i : index to vector<16xindex>
      %o = arith.addi %lane, %b : vector<16xindex>
      %v = xegpu.load %A[%o], %mask : memref<65536xi32>, vector<16xindex>, vector<16xi1> -> vector<16xi32>
      %p = arith.index_cast %v : vector<16xi32> to vector<16xindex>
      %t = xegpu.create_tdesc %C, %p : memref<256xi32>, vector<16xindex> -> {tile}
      %old = xegpu.atomic_rmw addi %t, %mask, %one : {tile}, vector<16xi1>, vector<16xi32> -> vector<16xi32>
    }}""")  # fmt: skip


_KNOWN = {case.name: case for case in CASES}
TWINS: dict[str, Case] = {
    "workgroup gemm f16": _KNOWN["matmul f16"],
    "workgroup gemm bf16": _KNOWN["matmul bf16"],
    "workgroup gemm i8": _KNOWN["matmul i8 x i8"],
    "workgroup gemm f16, 256x128": _KNOWN["matmul f16 256x128x32"],
    "workgroup gemm bf16, 256x128": _KNOWN["matmul bf16 256x128x32"],
    "workgroup gemm i8, 256x128": _KNOWN["matmul i8 256x128x64"],
    "transpose f32": _KNOWN["transpose f32"],
    "sums of rows f32": _KNOWN["sums of rows f32"],
    "sum f32": _KNOWN["vector add f32"],
}
"""A module, and the XeTile kernel of the same job with the same tiles."""
BARS: dict[str, dict[str, int]] = {
    "workgroup gemm i8, 256x128": {"dg2": 140},
    "subgroup gemm f16": {"pvc": 45, "bmg": 43},
    "subgroup gemm f16, 8x16": {"dg2": 526},
    "lane gemm f16": {"pvc": 12, "bmg": 12},
    "attention D=64": {"pvc": 306, "bmg": 284},
    "attention D=32": {"dg2": 985},
    "convert_layout f32": {"pvc": 313, "bmg": 244, "dg2": 283},
    "matrices f32": {"pvc": 375, "bmg": 306, "dg2": 324},
    "scattered f32": {"pvc": 18, "bmg": 14, "dg2": 19},
    "scattered f32, chunks of 4": {"pvc": 21, "bmg": 17, "dg2": 24},
    "atomics i32": {"pvc": 19, "bmg": 14, "dg2": 32},
}
"""Of the others, and where the twin has none: what there were when they were first counted, so that none gets longer unseen."""

_TEXTS: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "workgroup gemm f16": (_gemm("f16", "f32", 256, 256, 32, (8, 4)), 32, XE),
    "workgroup gemm bf16": (_gemm("bf16", "f32", 256, 256, 32, (8, 4)), 32, XE),
    "workgroup gemm i8": (_gemm("i8", "i32", 256, 256, 64, (8, 4)), 32, XE),
    "workgroup gemm f16, 256x128": (_gemm("f16", "f32", 256, 128, 32, (8, 4)), 32, DG2),
    "workgroup gemm bf16, 256x128": (_gemm("bf16", "f32", 256, 128, 32, (8, 4)), 32, DG2),
    "workgroup gemm i8, 256x128": (_gemm("i8", "i32", 256, 128, 64, (8, 4)), 32, DG2),
    "subgroup gemm f16": (_by_subgroup(32, 64, 32), 32, XE),
    "subgroup gemm f16, 8x16": (_by_subgroup(8, 16, 16), 0, DG2),
    "lane gemm f16": (_by_lanes(16), 0, XE),
    "attention D=64": (_attention(16, 32, 64), 0, XE),
    "attention D=32": (_attention(8, 16, 32), 0, DG2),
    "transpose f32": (_transposed(), 0, EVERYWHERE),
    "sums of rows f32": (_row_sums(), 0, EVERYWHERE),
    "sum f32": (_added(), 0, EVERYWHERE),
    "convert_layout f32": (_converted(), 0, EVERYWHERE),
    "matrices f32": (_through_matrix(), 0, EVERYWHERE),
    "scattered f32": (_scattered(1), 0, EVERYWHERE),
    "scattered f32, chunks of 4": (_scattered(4), 0, EVERYWHERE),
    "atomics i32": (_atomics(), 0, EVERYWHERE),
}


def _bars(name: str) -> Mapping[str, int]:
    return {**(TWINS[name].bars if name in TWINS else {}), **BARS.get(name, {})}


MODULES: tuple[Case, ...] = tuple(
    Case(f"xegpu: {name}", Module(text), (), targets=targets, step_dpas=step, bars=_bars(name))
    for name, (text, step, targets) in _TEXTS.items()
)
"""As `benchmarks.isa` compiles them."""
