"""Functions made from tables: ops that move data or multiply, of each level and with each attribute, with what they give in numpy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from tests.mlir.op_table import Case, by

SG = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16]>"
ROUND = "#xegpu.layout<sg_layout = [2, 1], sg_data = [8, 16]>"
COLUMNS = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16], order = [0, 1]>"
INST = "#xegpu.layout<sg_layout = [2, 2], sg_data = [8, 16], inst_data = [8, 16]>"
LANES = "#xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>"
HINTS = ("", " <{l1_hint = #xegpu.cache_hint<cached>, l2_hint = #xegpu.cache_hint<uncached>}>")
WRITES = " <{l1_hint = #xegpu.cache_hint<write_back>, l2_hint = #xegpu.cache_hint<write_through>}>"


def desc(shape: tuple[int, ...], element: str, *parts: str) -> str:
    return f"!xegpu.tensor_desc<{', '.join(['x'.join(map(str, (*shape, element))), *(p for p in parts if p)])}>"


def kernel(arguments: str, body: str) -> str:
    return f"func.func @f({arguments}) {{\n  %c0 = arith.constant 0 : index\n{body}\n  return\n}}"


def blocks() -> Iterator[Case]:
    """Copies: offsets at the descriptor, at the access and at both; layouts; hints; elements; moved descriptors."""
    for layout, element, where, hint in product(
        ("", SG, ROUND, COLUMNS, INST, LANES), ("f32", "f16", "i8"), ("desc", "access", "both"), HINTS
    ):
        if hint and (layout or where == "both"):
            continue
        d = desc((16, 32), element, layout)
        made, at = {"desc": ("[%c8, %c16]", ""), "access": ("", "[8, 16]"), "both": ("[%c8, %c0]", "[0, 16]")}[where]
        body = f"""  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %a = xegpu.create_nd_tdesc %A{made} : memref<64x64x{element}> -> {d}
  %r = xegpu.create_nd_tdesc %R : memref<16x32x{element}> -> {d}
  xegpu.prefetch_nd %a{at}{hint} : {d}
  %v = xegpu.load_nd %a{at}{hint} : {d} -> {by((16, 32), element)}
  xegpu.store_nd %v, %r[0, 0]{WRITES if hint else ""} : {by((16, 32), element)}, {d}"""
        text = kernel(f"%A: memref<64x64x{element}>, %R: memref<16x32x{element}>", body)
        level = "workgroup" if "sg_layout" in layout else "subgroup"
        yield Case(f"copy {element} {where} {layout[14:]}{hint[:10]}", text, lambda A: {"R": A[8:24, 16:48]}, level)


def moves() -> Iterator[Case]:
    for layout, rows in product(("", SG, ROUND, COLUMNS), (16, 24)):
        d = desc((16, 32), "f32", layout)
        body = f"""  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %cr = arith.constant {rows} : index
  %a = xegpu.create_nd_tdesc %A[%c0, %c0] : memref<64x32xf32> -> {d}
  %r = xegpu.create_nd_tdesc %R : memref<16x32xf32> -> {d}
  %z = xegpu.load_nd %a : {d} -> vector<16x32xf32>
  %s:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %z, %t = %a) -> (vector<16x32xf32>, {d}) {{
    %n = xegpu.update_nd_offset %t, [%cr, %c0] : {d}
    %v = xegpu.load_nd %n : {d} -> vector<16x32xf32>
    %y = arith.addf %x, %v : vector<16x32xf32>
    scf.yield %y, %n : vector<16x32xf32>, {d}
  }}
  xegpu.store_nd %s#0, %r[0, 0] : vector<16x32xf32>, {d}"""
        text = kernel("%A: memref<64x32xf32>, %R: memref<16x32xf32>", body)
        yield Case(f"moved by {rows} {layout[14:]}", text, _sum_of_blocks(rows), "workgroup" if layout else "subgroup")


def _sum_of_blocks(rows: int) -> Any:
    def meaning(A: Any) -> dict[str, Any]:
        whole = np.pad(A, ((0, 64), (0, 0)))
        return {"R": sum(whole[i * rows : i * rows + 16] for i in range(4))}

    return meaning


def turned() -> Iterator[Case]:
    """Loads that transpose, pack, or bring several blocks; stores of what came."""
    for element in ("f32", "f16"):
        a, r = desc((16, 16), element), desc((16, 16), element)
        body = f"""  %a = xegpu.create_nd_tdesc %A : memref<16x16x{element}> -> {a}
  %r = xegpu.create_nd_tdesc %R : memref<16x16x{element}> -> {r}
  %v = xegpu.load_nd %a[0, 0] <{{transpose = array<i64: 1, 0>}}> : {a} -> {by((16, 16), element)}
  xegpu.store_nd %v, %r[0, 0] : {by((16, 16), element)}, {r}"""
        yield Case(f"transposed {element}", kernel(f"%A: memref<16x16x{element}>, %R: memref<16x16x{element}>", body),
                   lambda A: {"R": A.T}, "subgroup")  # fmt: skip
    two = desc((8, 16), "f16", "#xegpu.block_tdesc_attr<array_length = 2>")
    body = f"""  %a = xegpu.create_nd_tdesc %A : memref<8x32xf16> -> {two}
  %r = xegpu.create_nd_tdesc %R : memref<8x16xf16> -> {desc((8, 16), "f16")}
  %v = xegpu.load_nd %a[0, 0] : {two} -> vector<2x8x16xf16>
  %x = vector.extract %v[0] : vector<8x16xf16> from vector<2x8x16xf16>
  %y = vector.extract %v[1] : vector<8x16xf16> from vector<2x8x16xf16>
  %s = arith.subf %x, %y : vector<8x16xf16>
  xegpu.store_nd %s, %r[0, 0] : vector<8x16xf16>, {desc((8, 16), "f16")}"""
    yield Case(
        "two blocks",
        kernel("%A: memref<8x32xf16>, %R: memref<8x16xf16>", body),
        lambda A: {"R": A[:, :16] - A[:, 16:]},
        "subgroup",
    )
    for rank1, element in product((16, 32, 64), ("f32", "f16")):
        d = desc((rank1,), element)
        body = f"""  %a = xegpu.create_nd_tdesc %A : memref<128x{element}> -> {d}
  %r = xegpu.create_nd_tdesc %R : memref<{rank1}x{element}> -> {d}
  %v = xegpu.load_nd %a[32] : {d} -> {by((rank1,), element)}
  xegpu.store_nd %v, %r[0] : {by((rank1,), element)}, {d}"""
        yield Case(f"line {rank1} {element}", kernel(f"%A: memref<128x{element}>, %R: memref<{rank1}x{element}>", body),
                   _line(rank1), "subgroup")  # fmt: skip


def _line(count: int) -> Any:
    return lambda A: {"R": A[32 : 32 + count]}


def scattered() -> Iterator[Case]:
    """Offsets beside a base and on a descriptor, with chunks and masks."""
    for chunk, way, element in product((1, 2, 4, 8), ("base", "descriptor", "moved"), ("f32", "f16", "i32")):
        kind = by((16, chunk) if chunk > 1 else (16,), element)
        said = f" <{{chunk_size = {chunk} : i64}}>" if chunk > 1 else ""
        attr = f"#xegpu.scatter_tdesc_attr<{f'chunk_size = {chunk}' if chunk > 1 else ''}>"
        d = desc((16, chunk) if chunk > 1 else (16,), element, attr)
        head = f"""  %s = vector.step : vector<16xindex>
  %k = arith.constant dense<{chunk * 2}> : vector<16xindex>
  %o = arith.muli %s, %k : vector<16xindex>
  %t = arith.constant dense<{chunk}> : vector<16xindex>
  %p = arith.muli %s, %t : vector<16xindex>
  %l = arith.constant dense<12> : vector<16xindex>
  %m = arith.cmpi ult, %s, %l : vector<16xindex>
  %all = arith.constant dense<true> : vector<16xi1>"""
        memory = f"memref<512x{element}>"
        if way == "base":
            load = f"  %v = xegpu.load %A[%o], %all{said} : {memory}, vector<16xindex>, vector<16xi1> -> {kind}"
            store = f"  xegpu.store %v, %R[%p], %m{said} : {kind}, {memory}, vector<16xindex>, vector<16xi1>"
        else:
            moved = "  %d = xegpu.update_offset %e, %t : " + f"{d}, vector<16xindex>" if way == "moved" else ""
            start = "%e" if way == "moved" else "%d"
            load = f"""  {start} = xegpu.create_tdesc %A, %o : {memory}, vector<16xindex> -> {d}
{moved}
  xegpu.prefetch %d : {d}
  %v = xegpu.load %d, %all : {d}, vector<16xi1> -> {kind}
  %r = xegpu.create_tdesc %R, %p : {memory}, vector<16xindex> -> {d}"""
            store = f"  xegpu.store %v, %r, %m : {kind}, {d}, vector<16xi1>"
        text = kernel(f"%A: {memory}, %R: {memory}", f"{head}\n{load}\n{store}")
        yield Case(f"scattered {chunk} {way} {element}", text, _gathered(chunk, chunk if way == "moved" else 0), "subgroup")


def by_lanes() -> Iterator[Case]:
    """A lane's one offset."""
    for chunk in (1, 2, 4):
        kind = f"vector<{chunk}xf32>" if chunk > 1 else "f32"
        said = f" <{{chunk_size = {chunk} : i64}}>" if chunk > 1 else ""
        body = f"""  %lane = gpu.lane_id
  %k = arith.constant {chunk * 2} : index
  %o = arith.muli %lane, %k : index
  %t = arith.constant {chunk} : index
  %p = arith.muli %lane, %t : index
  %l = arith.constant 12 : index
  %m = arith.cmpi ult, %lane, %l : index
  %v = xegpu.load %A[%o], %m{said} : memref<512xf32>, index, i1 -> {kind}
  xegpu.store %v, %R[%p], %m{said} : {kind}, memref<512xf32>, index, i1"""
        yield Case(f"a lane's {chunk}", kernel("%A: memref<512xf32>, %R: memref<512xf32>", body), _gathered(chunk, 0), "lane")


def _gathered(chunk: int, moved: int) -> Any:
    return lambda A: {"R": np.concatenate([A[moved + i * 2 * chunk : moved + i * 2 * chunk + chunk] for i in range(12)])}


def atomics() -> Iterator[Case]:
    kinds = {"addi": np.add, "maxs": np.maximum, "mins": np.minimum, "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor,
             "addf": np.add, "maximumf": np.maximum, "minimumf": np.minimum}  # fmt: skip
    for kind, of in kinds.items():
        element = "f32" if kind.endswith("f") else "i32"
        d = desc((16,), element, "#xegpu.scatter_tdesc_attr<>")
        body = f"""  %s = vector.step : vector<16xindex>
  %m = arith.constant dense<true> : vector<16xi1>
  %d = xegpu.create_tdesc %R, %s : memref<16x{element}>, vector<16xindex> -> {d}
  %o = xegpu.atomic_rmw {kind} %d, %m, %v : {d}, vector<16xi1>, vector<16x{element}> -> vector<16x{element}>
  xegpu.store %o, %Rold[%s], %m : vector<16x{element}>, memref<16x{element}>, vector<16xindex>, vector<16xi1>"""
        text = kernel(f"%v: vector<16x{element}>, %R: memref<16x{element}>, %Rold: memref<16x{element}>", body)
        yield Case(f"atomic {kind}", text, _updated(of), "subgroup")


def _updated(of: Any) -> Any:
    """R starts as `everywhere.numbers` draws it, after the array of v."""

    def meaning(v: Any) -> dict[str, Any]:
        rng = np.random.default_rng(0)
        rng.integers(-4, 4, v.shape)
        before = rng.integers(50, 90, v.shape).astype(v.dtype)
        return {"R": of(before, v), "Rold": before}

    return meaning


PRODUCTS = [("f16", "f32", 16), ("bf16", "f32", 16), ("tf32", "f32", 8), ("i8", "i32", 32)]


def products() -> Iterator[Case]:
    for (element, acc, k), (m, n, steps), with_acc in product(PRODUCTS, ((8, 16, 1), (16, 32, 2)), (True, False)):
        x, y, z = by((m, k * steps), element), by((k * steps, n), element), by((m, n), acc)
        operands = f"%a, %b, %c : {x}, {y}, {z}" if with_acc else f"%a, %b : {x}, {y}"
        text = f"func.func @f(%a: {x}, %b: {y}, %c: {z}) -> {z} {{\n  %r = xegpu.dpas {operands} -> {z}\n  return %r : {z}\n}}"
        yield Case(f"dpas {element} {m}x{n}x{k * steps} {with_acc}", text, _product(with_acc), "subgroup")
    for layout in (SG, COLUMNS):
        text = f"""func.func @f(%a: vector<16x32xf16>, %b: vector<32x32xf16>, %c: vector<16x32xf32>) -> vector<16x32xf32> {{
  %r = xegpu.dpas %a, %b, %c {{layout_cd = {layout}}} : vector<16x32xf16>, vector<32x32xf16>, vector<16x32xf32> -> vector<16x32xf32>
  return %r : vector<16x32xf32>
}}"""
        yield Case(f"dpas {layout[14:]}", text, _product(True), "workgroup")


def _product(with_acc: bool) -> Any:
    return lambda a, b, c: a.astype(np.float64) @ b.astype(np.float64) + (c if with_acc else 0)


def matrices() -> Iterator[Case]:
    """Shared local memory: each layout of a matrix, blocks written and read elsewhere."""
    kinds = {"rows": "", "columns": ", #xegpu.mem_layout<stride = [1, 32]>", "blocks": ", #xegpu.mem_layout<block = [8, 16]>",
             "blocks of columns": ", #xegpu.mem_layout<stride = [1, 32], block = [8, 16]>"}  # fmt: skip
    for (name, layout), element in product(kinds.items(), ("f32", "f16", "i8")):
        m = f"!xegpu.mem_desc<32x64x{element}{layout}>"
        v = by((16, 32), element)
        text = f"""func.func @f(%m: {m}, %a: {v}) -> {by((8, 16), element)} {{
  xegpu.store_matrix %a, %m[8, 16] : {v}, {m}
  gpu.barrier
  %r = xegpu.load_matrix %m[16, 32] : {m} -> {by((8, 16), element)}
  return %r : {by((8, 16), element)}
}}"""
        yield Case(f"matrix of {name} {element}", text, lambda a: a[8:16, 16:32], "subgroup")
    for one, other in product((SG, ROUND, COLUMNS), repeat=2):
        if one != other and {one, other} & {ROUND}:
            continue  # of other numbers of subgroups
        text = f"""func.func @f(%a: vector<16x32xf32>) -> vector<16x32xf32> {{
  %v = arith.addf %a, %a {{layout_result_0 = {one}}} : vector<16x32xf32>
  %r = xegpu.convert_layout %v <{{input_layout = {one}, target_layout = {other}}}> : vector<16x32xf32>
  return %r : vector<16x32xf32>
}}"""
        yield Case(f"convert {one[14:]} {other[14:]}", text, lambda a: 2 * a, "workgroup")


def synchronised() -> Iterator[Case]:
    for kind, scope in product(("global", "slm"), ("workgroup", "gpu")):
        text = f"""func.func @f(%n: !xegpu.nbarrier, %a: vector<16xf32>) -> vector<16xf32> {{
  xegpu.fence memory_kind = {kind}, fence_scope = {scope}
  xegpu.nbarrier_arrive %n : !xegpu.nbarrier
  xegpu.nbarrier_wait %n : !xegpu.nbarrier
  gpu.barrier
  %r = arith.addf %a, %a : vector<16xf32>
  return %r : vector<16xf32>
}}"""
        yield Case(f"fence {kind} {scope}", text, lambda a: 2 * a, "subgroup")


_MAKERS = (blocks, moves, turned, scattered, by_lanes, atomics, products, matrices, synchronised)
CASES = {case.name: case for make in _MAKERS for case in make()}
