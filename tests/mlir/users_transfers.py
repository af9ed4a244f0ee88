"""Reads and writes by indices (MLIR's vector dialect, before `--convert-vector-to-xegpu`): edges, maps, masks, ranks, layouts, parts, offsets."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User, kernel
from tests.mlir.users_workgroup_ops import lay

TRANSFERS: dict[str, User] = {}
_MAPS = {
    "t": "permutation_map = affine_map<(d0, d1) -> (d1, d0)>", "row": "permutation_map = affine_map<(d0, d1) -> (0, d1)>",
    "column": "permutation_map = affine_map<(d0, d1) -> (d0, 0)>", "down": "permutation_map = affine_map<(d0, d1) -> (d0)>",
    "outer": "permutation_map = affine_map<(d0, d1, d2) -> (d0, d2)>", "turned": "permutation_map = affine_map<(d0, d1, d2) -> (d2, d0)>",
}  # fmt: skip


def _inside(count: int, *more: str) -> str:
    return "{" + ", ".join((f"in_bounds = [{', '.join(['true'] * count)}]", *more)) + "}"


def moved(name, memory, read, shape, result, meaning, *, e="f32", at="%c0, %c0", to="", write="", aliases=""):
    """A vector that is read, doubled and written. memory, result: shapes of A and R; read, write: attributes; at, to: indices."""
    of, r = f"vector<{shape}x{e}>", len(result.split("x"))
    layout = "{layout_result_0 = #l}" if aliases else ""
    TRANSFERS[name] = User(kernel(f"%A: memref<{memory}x{e}>, %R: memref<{result}x{e}>", f"""
    %pad = arith.constant {"0.0" if e.startswith(("f", "b")) else "0"} : {e}
    %x = vector.transfer_read %A[{at}], %pad {read} : memref<{memory}x{e}>, {of}
    %y = arith.add{"f" if e.startswith(("f", "b")) else "i"} %x, %x {layout} : {of}
    vector.transfer_write %y, %R[{to or ", ".join(["%c0"] * r)}] {write or _inside(len(shape.split("x")))} : {of}, memref<{result}x{e}>""", aliases=aliases),
    lambda g: {"R": meaning(g["A"], g["R"])})  # fmt: skip


moved("a block", "64x64", _inside(2), "8x16", "8x16", lambda a, r: 2 * a[8:16, 16:32], at="%c8, %c16")
for _e in ("f16", "bf16", "i8", "i64", "f64"):
    moved(f"a block of {_e}", "64x64", _inside(2), "16x16", "16x16", lambda a, r: 2 * a[:16, 16:32], at="%c0, %c16", e=_e)
moved(
    "over the edges, zeros", "20x40", "", "16x32", "16x32", lambda a, r: 2 * np.pad(a[8:, 16:], ((0, 4), (0, 8))), at="%c8, %c16"
)
moved("over the edges, written", "32x64", _inside(2), "16x32", "20x40",
      lambda a, r: np.block([[r[:8]], [r[8:, :16], 2 * a[:12, :24]]]), to="%c8, %c16", write="{}")  # fmt: skip
moved("transposed", "32x64", _inside(2, _MAPS["t"]), "16x8", "16x8", lambda a, r: 2 * a[8:16, 16:32].T, at="%c8, %c16")
moved("written transposed", "32x64", _inside(2), "16x8", "32x64", lambda a, r: np.block([
    [r[:8]], [r[8:16, :16], 2 * a[:16, :8].T, r[8:16, 32:]], [r[16:]]]), to="%c8, %c16", write=_inside(2, _MAPS["t"]))  # fmt: skip
moved(
    "a row for all",
    "32x64",
    _inside(2, _MAPS["row"]),
    "8x16",
    "8x16",
    lambda a, r: 2 * np.tile(a[4, 16:32], (8, 1)),
    at="%c4, %c16",
)
moved(
    "a column for all",
    "32x64",
    _inside(2, _MAPS["column"]),
    "8x16",
    "8x16",
    lambda a, r: 2 * np.tile(a[4:12, 16:17], (1, 16)),
    at="%c4, %c16",
)
moved(
    "a line",
    "32x64",
    _inside(1),
    "16",
    "64",
    lambda a, r: np.hstack([r[:16], 2 * a[4, 16:32], r[32:]]),
    at="%c4, %c16",
    to="%c16",
)
moved("a line over the edge", "32x40", "", "16", "64", lambda a, r: np.hstack([2 * a[4, 32:], [0] * 8, r[16:]]), at="%c4, %c32")
moved("down a column", "32x64", _inside(1, _MAPS["down"]), "16", "16", lambda a, r: 2 * a[4:20, 8], at="%c4, %c8")
moved("a plane of rank 3", "4x16x32", _inside(2), "8x16", "4x8x16", lambda a, r: np.stack([r[0], r[1], 2 * a[2, 8:, 16:], r[3]]),
      at="%c2, %c8, %c16", to="%c2, %c0, %c0")  # fmt: skip
moved(
    "two of three dimensions",
    "16x4x32",
    _inside(2, _MAPS["outer"]),
    "8x16",
    "8x16",
    lambda a, r: 2 * a[4:12, 2, 16:],
    at="%c4, %c2, %c16",
)
moved(
    "two of three, turned",
    "16x4x32",
    _inside(2, _MAPS["turned"]),
    "16x8",
    "16x8",
    lambda a, r: 2 * a[4:12, 2, 16:].T,
    at="%c4, %c2, %c16",
)
moved("rank 3", "4x16x32", _inside(3), "2x8x16", "2x8x16", lambda a, r: 2 * a[2:, 8:, 16:], at="%c2, %c8, %c16")
moved(
    "rank 3 over the edge",
    "3x12x20",
    "",
    "2x8x16",
    "2x8x16",
    lambda a, r: 2 * np.pad(a[2:, 8:, 16:], ((0, 1), (0, 4), (0, 12))),
    at="%c2, %c8, %c16",
)
for _name, _i in (("in a loop", "%i"), ("in a loop, twice", "%j")):
    TRANSFERS[_name] = User(kernel("%A: memref<64x32xf32>, %R: memref<64x32xf32>", f"""
    %pad = arith.constant 0.0 : f32
    scf.for %i = %c0 to %c64 step %c8 {{
      %c56 = arith.constant 56 : index
      %j = arith.subi %c56, %i : index
      %x = vector.transfer_read %A[{_i}, %c16], %pad {_inside(2)} : memref<64x32xf32>, vector<8x16xf32>
      vector.transfer_write %x, %R[%i, %c0] {_inside(2)} : vector<8x16xf32>, memref<64x32xf32>
    }}"""), lambda g, back=_i == "%j": {"R": np.hstack([(g["A"][:, 16:].reshape(8, 8, 16)[::-1] if back else g["A"][:, 16:]).reshape(64, 16), g["R"][:, 16:]])})  # fmt: skip
moved("to subgroups", "32x64", "{in_bounds = [true, true], layout_result_0 = #l}", "32x64", "32x64", lambda a, r: 2 * a,
      write="{in_bounds = [true, true], layout_operand_0 = #l}", aliases=f"#l = {lay('[2, 2]', '[16, 32]')}")  # fmt: skip
moved(
    "to subgroups, the layout at one op",
    "32x64",
    _inside(2),
    "32x64",
    "32x64",
    lambda a, r: 2 * a,
    aliases=f"#l = {lay('[2, 2]', '[16, 32]')}",
)
moved("to subgroups, transposed over the edge", "60x24", "{permutation_map = affine_map<(d0, d1) -> (d1, d0)>}", "32x64", "32x64",
      lambda a, r: 2 * np.pad(a.T, ((0, 8), (0, 4))), aliases=f"#l = {lay('[2, 2]', '[16, 32]')}")  # fmt: skip
moved("to subgroups, a column for all", "32x64", _inside(2, _MAPS["column"]), "32x64", "32x64",
      lambda a, r: 2 * np.tile(a[:, :1], (1, 64)), aliases=f"#l = {lay('[2, 2]', '[16, 32]')}")  # fmt: skip


def picked(name, arguments, body, meaning, **more):
    TRANSFERS[name] = User(kernel(arguments, body), meaning, **more)


picked("a number where nothing is", "%A: memref<12x24xf32>, %R: memref<16x32xf32>", """
    %pad = arith.constant 7.0 : f32
    %x = vector.transfer_read %A[%c0, %c0], %pad : memref<12x24xf32>, vector<16x32xf32>
    vector.transfer_write %x, %R[%c0, %c0] : vector<16x32xf32>, memref<16x32xf32>""",
    lambda g: {"R": np.pad(g["A"], ((0, 4), (0, 8)), constant_values=7)})  # fmt: skip
picked("masked", "%A: memref<16x32xf32>, %R: memref<16x32xf32>, %n: index", """
    %pad = arith.constant 3.0 : f32
    %m = vector.create_mask %n, %c16 : vector<8x32xi1>
    %x = vector.transfer_read %A[%c8, %c0], %pad, %m {in_bounds = [true, true]} : memref<16x32xf32>, vector<8x32xf32>
    %w = vector.create_mask %c4, %c32 : vector<8x32xi1>
    vector.transfer_write %x, %R[%c0, %c0], %w {in_bounds = [true, true]} : vector<8x32xf32>, memref<16x32xf32>""",
    lambda g: {"R": np.vstack([np.hstack([g["A"][8:11, :16], np.full((3, 16), 3)]), np.full((1, 32), 3), g["R"][4:]])}, scalars={"n": 3})  # fmt: skip
picked("masked and transposed", "%A: memref<16x32xf32>, %R: memref<16x8xf32>", """
    %pad = arith.constant 0.0 : f32
    %m = vector.constant_mask [3, 9] : vector<8x16xi1>
    %x = vector.transfer_read %A[%c8, %c4], %pad, %m {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<16x32xf32>, vector<16x8xf32>
    vector.transfer_write %x, %R[%c0, %c0] : vector<16x8xf32>, memref<16x8xf32>""",
    lambda g: {"R": np.pad(g["A"][8:11, 4:13].T, ((0, 7), (0, 5)))})  # fmt: skip
picked("neighbours", "%A: memref<4x64xf16>, %R: memref<4x64xf16>", """
    %x = vector.load %A[%c2, %c16] : memref<4x64xf16>, vector<32xf16>
    %y = arith.addf %x, %x : vector<32xf16>
    vector.store %y, %R[%c1, %c32] : memref<4x64xf16>, vector<32xf16>
    %b = vector.load %A[%c0, %c0] : memref<4x64xf16>, vector<2x16xf16>
    vector.store %b, %R[%c2, %c16] : memref<4x64xf16>, vector<2x16xf16>""",
    lambda g: {"R": np.vstack([g["R"][0], np.hstack([g["R"][1, :32], 2 * g["A"][2, 16:48]]),
        np.hstack([g["R"][2:, :16], g["A"][:2, :16], g["R"][2:, 32:]])])})  # fmt: skip
picked("neighbours behind a mask", "%A: memref<64xf32>, %R: memref<64xf32>", """
    %m = vector.constant_mask [11] : vector<16xi1>
    %other = arith.constant dense<5.0> : vector<16xf32>
    %x = vector.maskedload %A[%c8], %m, %other : memref<64xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    vector.maskedstore %R[%c32], %m, %x : memref<64xf32>, vector<16xi1>, vector<16xf32>
    vector.store %x, %R[%c0] : memref<64xf32>, vector<16xf32>""",
    lambda g: {"R": np.hstack([g["A"][8:19], [5] * 5, g["R"][16:32], g["A"][8:19], g["R"][43:]])})  # fmt: skip
picked("gathered and scattered", "%A: memref<4x64xf32>, %I: memref<16xi32>, %R: memref<64xf32>", """
    %i = vector.load %I[%c0] : memref<16xi32>, vector<16xi32>
    %four = arith.constant dense<4> : vector<16xi32>
    %o = arith.addi %i, %four : vector<16xi32>
    %m = vector.constant_mask [13] : vector<16xi1>
    %other = arith.constant dense<5.0> : vector<16xf32>
    %x = vector.gather %A[%c2, %c8] [%o], %m, %other : memref<4x64xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
    %s = vector.step : vector<16xindex>
    %t = arith.addi %s, %s : vector<16xindex>
    vector.scatter %R[%c4] [%t], %m, %x : memref<64xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32>
    vector.store %x, %R[%c48] : memref<64xf32>, vector<16xf32>""",
    lambda g: {"R": _scattered(g)})  # fmt: skip
picked("of a part", "%A: memref<64x64xf32>, %R: memref<8x16xf32>, %i: index", """
    %p = memref.subview %A[%i, 8] [16, 16] [2, 1] : memref<64x64xf32> to memref<16x16xf32, strided<[128, 1], offset: ?>>
    %pad = arith.constant 0.0 : f32
    %x = vector.transfer_read %p[%c4, %c0], %pad {in_bounds = [true, true]} : memref<16x16xf32, strided<[128, 1], offset: ?>>, vector<8x16xf32>
    vector.transfer_write %x, %R[%c0, %c0] : vector<8x16xf32>, memref<8x16xf32>""",
    lambda g: {"R": g["A"][5::2, 8:24][4:12]}, scalars={"i": 5})  # fmt: skip
picked("of a part, over its edge", "%A: memref<64x64xf32>, %R: memref<8x16xf32>, %i: index", """
    %p = memref.subview %A[%i, 8] [10, 12] [1, 1] : memref<64x64xf32> to memref<10x12xf32, strided<[64, 1], offset: ?>>
    %pad = arith.constant 0.0 : f32
    %x = vector.transfer_read %p[%c4, %c0], %pad : memref<10x12xf32, strided<[64, 1], offset: ?>>, vector<8x16xf32>
    vector.transfer_write %x, %R[%c0, %c0] : vector<8x16xf32>, memref<8x16xf32>""",
    lambda g: {"R": np.pad(g["A"][9:15, 8:20], ((0, 2), (0, 4)))}, scalars={"i": 5})  # fmt: skip
picked("columns of a part", "%A: memref<64x64xf32>, %R: memref<8x16xf32>", """
    %p = memref.subview %A[0, 1] [64, 32] [1, 2] : memref<64x64xf32> to memref<64x32xf32, strided<[64, 2], offset: 1>>
    %pad = arith.constant 0.0 : f32
    %x = vector.transfer_read %p[%c4, %c8], %pad {in_bounds = [true, true]} : memref<64x32xf32, strided<[64, 2], offset: 1>>, vector<8x16xf32>
    vector.transfer_write %x, %R[%c0, %c0] : vector<8x16xf32>, memref<8x16xf32>""",
    lambda g: {"R": g["A"][4:12, 1::2][:, 8:24]})  # fmt: skip
picked("sizes of a run", "%A: memref<20x40xf32>, %R: memref<10x20xf32>", """
    %d = memref.cast %A : memref<20x40xf32> to memref<?x?xf32>
    %q = memref.cast %R : memref<10x20xf32> to memref<?x?xf32>
    %pad = arith.constant 0.0 : f32
    %x = vector.transfer_read %d[%c16, %c32], %pad : memref<?x?xf32>, vector<8x16xf32>
    %y = vector.transfer_read %d[%c16, %c0], %pad {permutation_map = affine_map<(d0, d1) -> (d0, 0)>} : memref<?x?xf32>, vector<8x16xf32>
    %s = arith.addf %x, %y : vector<8x16xf32>
    vector.transfer_write %s, %q[%c4, %c8] : vector<8x16xf32>, memref<?x?xf32>""",
    lambda g: {"R": np.block([[g["R"][:4]], [g["R"][4:, :8], np.pad(np.pad(g["A"][16:, 32:], ((0, 0), (0, 8))) + g["A"][16:, :1], ((0, 4), (0, 0)))[:6, :12]]])})  # fmt: skip
picked("shared memory", "%A: memref<8x16xf32>, %R: memref<16x8xf32>", """
    %s = memref.alloca() : memref<8x16xf32, 3>
    %pad = arith.constant 0.0 : f32
    %x = vector.transfer_read %A[%c0, %c0], %pad {in_bounds = [true, true]} : memref<8x16xf32>, vector<8x16xf32>
    vector.transfer_write %x, %s[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xf32>, memref<8x16xf32, 3>
    gpu.barrier
    %y = vector.transfer_read %s[%c0, %c0], %pad {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<8x16xf32, 3>, vector<16x8xf32>
    vector.transfer_write %y, %R[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>""",
    lambda g: {"R": g["A"].T})  # fmt: skip
picked("a product", "%A: memref<32x64xf16>, %B: memref<64x32xf16>, %R: memref<32x32xf32>", """
    %pad = arith.constant 0.0 : f16
    %z = arith.constant dense<0.0> : vector<8x16xf32>
    %r = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %z) -> (vector<8x16xf32>) {
      %a = vector.transfer_read %A[%c8, %k], %pad {in_bounds = [true, true]} : memref<32x64xf16>, vector<8x16xf16>
      %b = vector.transfer_read %B[%k, %c16], %pad {in_bounds = [true, true]} : memref<64x32xf16>, vector<16x16xf16>
      %d = xegpu.dpas %a, %b, %acc : vector<8x16xf16>, vector<16x16xf16>, vector<8x16xf32> -> vector<8x16xf32>
      scf.yield %d : vector<8x16xf32>
    }
    vector.transfer_write %r, %R[%c8, %c16] {in_bounds = [true, true]} : vector<8x16xf32>, memref<32x32xf32>""",
    lambda g: {"R": _placed(g["R"], g["A"][8:16].astype(np.float32) @ g["B"][:, 16:].astype(np.float32))})  # fmt: skip
picked("a lane's neighbours", "%A: memref<16x8xf32>, %R: memref<16x8xf32>", """
    %lane = gpu.lane_id
    %pad = arith.constant 0.0 : f32
    %v = vector.transfer_read %A[%lane, %c4], %pad {in_bounds = [true]} : memref<16x8xf32>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.transfer_write %w, %R[%lane, %c0] {in_bounds = [true]} : vector<4xf32>, memref<16x8xf32>""",
    lambda g: {"R": np.hstack([2 * g["A"][:, 4:], g["R"][:, 4:]])})  # fmt: skip


def _scattered(g):
    r, x = g["R"].copy(), np.full(16, 5, np.float32)
    x[:13] = g["A"].ravel()[2 * 64 + 8 + 4 + g["I"][:13]]
    r[4:30:2] = x[:13]
    r[48:] = x
    return r


def _placed(r, block):
    r = r.copy()
    r[8:16, 16:] = block
    return r
