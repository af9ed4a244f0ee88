"""Blocks of subgroups that no message fills, lines that are no whole number of lanes, and what else is written seldom."""

from __future__ import annotations

import numpy as np

from tests.mlir.users import User
from tests.mlir.users_parts import block_user

ODD: dict[str, User] = {}

for _r, _c in ((12, 20), (3, 5), (7, 16), (5, 33), (1, 16), (16, 1), (9, 48)):
    for _e in ("f32", "i8", "f16"):
        ODD[f"{_r}x{_c}x{_e} turned"] = block_user(f"    %y = vector.transpose %x, [1, 0] : vector<{_r}x{_c}x{_e}> to vector<{_c}x{_r}x{_e}>",
                 lambda a: a.T, e=_e, shape=f"{_r}x{_c}", out=f"{_c}x{_r}")  # fmt: skip
for _r, _c in ((12, 20), (5, 33), (9, 48)):
    ODD[f"sums and maxima of {_r}x{_c}"] = block_user(f"""
    %z = arith.constant dense<1.0> : vector<{_c}xf32>
    %s = vector.multi_reduction <add>, %x, %z [0] : vector<{_r}x{_c}xf32> to vector<{_c}xf32>
    %b = vector.broadcast %s : vector<{_c}xf32> to vector<{_r}x{_c}xf32>
    %o = arith.constant dense<1.0> : vector<{_r}xf32>
    %m = vector.multi_reduction <maximumf>, %x, %o [1] : vector<{_r}x{_c}xf32> to vector<{_r}xf32>
    %q = vector.shape_cast %m : vector<{_r}xf32> to vector<{_r}x1xf32>
    %d = vector.broadcast %q : vector<{_r}x1xf32> to vector<{_r}x{_c}xf32>
    %y = arith.subf %b, %d : vector<{_r}x{_c}xf32>""",
        lambda a: a.sum(0) + 1 - np.maximum(a.max(1, keepdims=True), 1), shape=f"{_r}x{_c}")  # fmt: skip
ODD["masks swapped by a loop"] = block_user("""
    %z = arith.constant dense<0.0> : vector<8x16xf32>
    %p = arith.cmpf ogt, %x, %z : vector<8x16xf32>
    %q = arith.cmpf olt, %x, %z : vector<8x16xf32>
    %r:2 = scf.for unsigned %i = %c0 to %c1 step %c1 iter_args(%a = %p, %b = %q) -> (vector<8x16xi1>, vector<8x16xi1>) {
      scf.yield %b, %a : vector<8x16xi1>, vector<8x16xi1>
    }
    %s = arith.select %r#0, %x, %z : vector<8x16xi1>, vector<8x16xf32>
    %o = arith.constant dense<1.0> : vector<8x16xf32>
    %y = arith.select %r#1, %o, %s : vector<8x16xi1>, vector<8x16xf32>""", lambda a: np.where(a > 0, 1, np.minimum(a, 0)))  # fmt: skip
ODD["a table by its bits"] = block_user("""
    %a = arith.constant dense<"0x0000803F000000400000404000008040"> : vector<4xf32>
    %b = vector.shape_cast %a : vector<4xf32> to vector<4x1xf32>
    %c = vector.broadcast %b : vector<4x1xf32> to vector<4x16xf32>
    %y = vector.insert_strided_slice %c, %x {offsets = [2, 0], strides = [1, 1]} : vector<4x16xf32> into vector<8x16xf32>""",
    lambda a: np.vstack([a[:2], np.repeat(np.arange(1, 5)[:, None], 16, 1), a[6:]]))  # fmt: skip
ODD["a number for each row, of some rows alone"] = block_user("""
    %i = vector.step : vector<8xindex>
    %w = arith.constant dense<16> : vector<8xindex>
    %o = arith.muli %i, %w : vector<8xindex>
    %oc = vector.shape_cast %o : vector<8xindex> to vector<8x1xindex>
    %ow = vector.broadcast %oc : vector<8x1xindex> to vector<8x16xindex>
    %five = arith.constant dense<5> : vector<8xindex>
    %c = arith.cmpi ult, %i, %five : vector<8xindex>
    %cc = vector.shape_cast %c : vector<8xi1> to vector<8x1xi1>
    %m = vector.broadcast %cc : vector<8x1xi1> to vector<8x16xi1>
    %flat = memref.collapse_shape %A [[0, 1]] : memref<8x16xf32> into memref<128xf32>
    %v = xegpu.load %flat[%ow], %m : memref<128xf32>, vector<8x16xindex>, vector<8x16xi1> -> vector<8x16xf32>
    %z = arith.constant dense<3.0> : vector<8x16xf32>
    %q = arith.select %m, %v, %z : vector<8x16xi1>, vector<8x16xf32>
    %y = arith.addf %x, %q : vector<8x16xf32>""",
    lambda a: a + np.where(np.arange(8)[:, None] < 5, a[:, :1], 3))  # fmt: skip
ODD["numbers of every kind in turn"] = block_user("""
    %a = arith.fptosi %x : vector<8x16xf32> to vector<8x16xi32>
    %b = arith.trunci %a : vector<8x16xi32> to vector<8x16xi16>
    %c = arith.extsi %b : vector<8x16xi16> to vector<8x16xi64>
    %d = arith.sitofp %c : vector<8x16xi64> to vector<8x16xf64>
    %e = arith.truncf %d : vector<8x16xf64> to vector<8x16xf16>
    %f = arith.extf %e : vector<8x16xf16> to vector<8x16xf32>
    %g = arith.truncf %f : vector<8x16xf32> to vector<8x16xbf16>
    %y = arith.extf %g : vector<8x16xbf16> to vector<8x16xf32>""", lambda a: a)  # fmt: skip
ODD["words as halves and bytes"] = block_user("""
    %a = vector.bitcast %x : vector<8x16xi32> to vector<8x32xi16>
    %b = vector.bitcast %a : vector<8x32xi16> to vector<8x64xi8>
    %o = arith.constant dense<1> : vector<8x64xi8>
    %c = arith.addi %b, %o : vector<8x64xi8>
    %y = vector.bitcast %c : vector<8x64xi8> to vector<8x16xi32>""", lambda a: (a.view(np.int8) + np.int8(1)).view(np.int32), e="i32")  # fmt: skip
