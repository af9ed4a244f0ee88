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
