"""Wrong programs as newcomers write them: where the mistake is shown, what the message says, and the fix.

Each is an expression in a kernel; `§` stands before the place that the message must point to.  X is f32[8, 32], x a tile of it,
h one of H, f16[32, 16], I i32[8] with numbers below 8, n the number 3; the value is stored to Y, f32[8, 32].  The fixed expression
must run, and give `expected` of the arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Wrong:
    """A wrong line and what is expected of it."""

    name: str
    wrong: str
    message: str
    hint: str
    fixed: str
    expected: Callable[..., Any]


def same(X: Any, **others: Any) -> Any:
    return X


PROGRAMS = (
    # Tiles.
    Wrong("a row as a matrix",
          "xt.load_tile(§xt.init_tile(X[0], (0, 0), (4, 8), base_shape=(4, 8), base_strides=(8, 1))).reshape((1, 32)) + 0 * x",
          "base_shape has 2 entries", "xt.reshape(x, (4, -1))",
          "xt.reshape(xt.load_tile(X[0, 0:32]), (4, -1)).reshape((1, 32)) + 0 * x", lambda X, **_: X[:1] + 0 * X),
    # Names.
    Wrong("exp alone", "§exp(x)", "there is no exp here", "did you mean xt.exp?", "xt.exp(x)", lambda X, **_: np.exp(X)),
    Wrong("load_tile alone", "§load_tile(X[0:8, 0:32])", "there is no load_tile here", "did you mean xt.load_tile?",
          "xt.load_tile(X[0:8, 0:32])", same),
    Wrong("misspelt", "§xt.lod_tile(X[0:8, 0:32])", "xetile has no attribute 'lod_tile'", "did you mean load_tile?",
          "xt.load_tile(X[0:8, 0:32])", same),
    Wrong("sort", "§xt.sort(x)", "xetile has no attribute 'sort'", "xt.max", "xt.max(x, axis=1) + xt.zeros((8, 32))",
          lambda X, **_: X.max(1, keepdims=True) + 0 * X),
    Wrong("numpy's exp", "§np.exp(x)", "numpy's exp cannot take f32[8,32]", "use xt.exp", "xt.exp(x)", lambda X, **_: np.exp(X)),
    Wrong("math's sqrt", "§math.sqrt(xt.abs(x))", "math's sqrt cannot take", "use xt.sqrt", "xt.sqrt(xt.abs(x))",
          lambda X, **_: np.sqrt(np.abs(X))),
    Wrong("relu", "§xt.relu(x)", "no attribute 'relu'", "xt.maximum(x, 0)", "xt.maximum(x, 0)", lambda X, **_: np.maximum(X, 0)),
    Wrong("mean", "§xt.mean(x, axis=1)", "no attribute 'mean'", "xt.sum(x, axis) / n", "xt.sum(x, axis=1) / 32 + x * 0",
          lambda X, **_: X.sum(1, keepdims=True) / 32 + 0 * X),
    Wrong("astype", "§x.astype(xt.f16)", "no attribute 'astype'", "x.to(dtype)", "x.to(xt.f16).to(xt.f32)",
          lambda X, **_: X.astype(np.float16).astype(np.float32)),
    Wrong("float32", "x.to(§xt.float32)", "no attribute 'float32'", "xt.f32", "x.to(xt.f32)", same),
    Wrong("clip", "§xt.clip(x, 0, 1)", "no attribute 'clip'", "xt.clamp(x, low, high)", "xt.clamp(x, 0, 1)",
          lambda X, **_: np.clip(X, 0, 1)),
    Wrong("method sum", "§x.sum(axis=1)", "no attribute 'sum'", "xt.sum(x, ...)", "xt.sum(x, axis=1) + 0 * x",
          lambda X, **_: X.sum(1, keepdims=True) + 0 * X),
    Wrong("flatten", "§x.flatten()", "no attribute 'flatten'", "x.reshape(-1)", "x.reshape(-1).reshape(8, 32)", same),
    Wrong("transpose", "§xt.trans(x)", "no attribute 'trans'", "x.T", "x.T.T", same),
    Wrong("cat", "§xt.cat((x[0:4], x[4:8]))", "no attribute 'cat'", "xt.concatenate",
          "xt.concatenate((x[0:4], x[4:8]), 0)", same),
    Wrong("flip", "§xt.flip(x, 0)", "no attribute 'flip'", "x[::-1]", "x[::-1]", lambda X, **_: X[::-1]),
    Wrong("a variable misspelt", "xt.abs(§xx)", "there is no xx here", "did you mean x?", "xt.abs(x)", lambda X, **_: np.abs(X)),
    # Triton's ways.
    Wrong("pointer arithmetic", "§X + xt.arange(32)", "add does not take X: f32[?,?]", "arrays are no pointers",
          "xt.load_gather(xt.init_tile(X, xt.arange(32))) + 0 * x", lambda X, **_: X[0] + 0 * X),
    Wrong("xt.load", "§xt.load(X, n)", "xt.load reads a kernel from a file", "xt.load_tile", "xt.load_tile(X[0:8, 0:32])", same),
    Wrong("xt.dot", "§xt.dot(x, h)", "no attribute 'dot'", "a @ b multiplies matrices",
          "xt.concatenate((x.to(xt.f16) @ h,) * 2, 1)",
          lambda X, H, **_: np.concatenate((X.astype(np.float16).astype(np.float32) @ H.astype(np.float32),) * 2, 1)),
    Wrong("arithmetic on an array", "§X * 2", "mul does not take X: f32[?,?] and 2", "arrays are no pointers", "x * 2",
          lambda X, **_: X * 2),
    Wrong("a sum of arrays", "§X + X", "add does not take X: f32[?,?] and X", "load a tile of each first", "x + x",
          lambda X, **_: X + X),
    Wrong("a tile as a value", "§xt.init_tile(X, (0, 0), (8, 32)) * 2", "mul does not take tile", "load it first", "x * 2",
          lambda X, **_: X * 2),
    Wrong("scattered with load_tile", "§xt.load_tile(xt.init_tile(X, xt.arange(32)))", "does not take a scattered tile",
          "use xt.load_gather", "xt.load_gather(xt.init_tile(X, xt.arange(32))) + 0 * x", lambda X, **_: X[0] + 0 * X),
    Wrong("make_block_ptr", "§xt.make_block_ptr(X)", "no attribute 'make_block_ptr'", "xt.init_tile",
          "xt.load_tile(xt.init_tile(X, (0, 0), (8, 32)))", same),
    # Shapes.
    Wrong("a whole array as a tile", "§xt.load_tile(X)", "is no tile: a size is not constant", "X[m:m + 64, 0:32]",
          "xt.load_tile(X[0:8, 0:32])", same),
    Wrong("a size that comes with the call", "§xt.zeros((n, 32))", "a size of the shape is known at run time only",
          "annotate the parameter: n: xt.constexpr", "xt.zeros((8, 32))", lambda X, **_: 0 * X),
    Wrong("the array's own size", "§xt.zeros((X.shape[0], 32))", "known at run time only", "N: xt.constexpr", "xt.zeros((M, 32))",
          lambda X, **_: 0 * X),
    Wrong("a range that comes with the call", "§xt.arange(n)", "the bounds must be constants", "annotate the parameter: n",
          "xt.arange(32) * n + 0 * x", lambda X, n, **_: np.arange(32) * n + 0 * X),
    Wrong("a slice that comes with the call", "§xt.load_tile(X[0:n, 0:32])", "a size is not constant", "of constant size",
          "xt.load_tile(xt.init_tile(X[0:n], (0, 0), (8, 32)))", lambda X, n, **_: X * (np.arange(8) < n)[:, None]),
    Wrong("a slice that begins in front", "§xt.load_tile(X[-1:7, 0:32])", "a size is not constant",
          "a negative bound counts from the end; in front of an array begins xt.init_tile(A, (-1, 0), (64, 32))",
          "xt.load_tile(xt.init_tile(X, (-1, 0), (8, 32)))", lambda X, **_: np.concatenate((0 * X[:1], X[:7]))),
    Wrong("shapes that do not broadcast", "§x + h", "shapes 8x32 and 32x16 do not go together", "or size 1",
          "x + h.to(xt.f32)[0:8, 0:1]",
          lambda X, H, **_: X + H[:8, :1].astype(np.float32)),
    Wrong("a row where a column is meant", "§x - xt.max(x, axis=1, keepdims=False)", "shapes 8x32 and 8 do not go together",
          "v[:, None]", "x - xt.max(x, axis=1)",
          lambda X, **_: X - X.max(1, keepdims=True)),
    Wrong("an axis too many", "§xt.sum(x, axis=2)", "f32[8,32] has no axis 2", "its axes are 0, 1", "xt.sum(x, axis=0) + 0 * x",
          lambda X, **_: X.sum(0) + 0 * X),
    Wrong("inner sizes that differ", "§x @ x", "the inner sizes 32 and 8 differ", "transpose b: b.T", "(x @ x.T) @ x", None),
    Wrong("a mask as an index", "§x[x > 0]", "bool[8,32] is no subscript", "xt.where(mask, value, other)",
          "xt.where(x > 0, x, 0)",
          lambda X, **_: np.where(X > 0, X, 0)),
    Wrong("an index beyond", "§x[8, 0] + x", "index 8 is outside axis 0 of 8 elements", "", "x[7, 0] + x",
          lambda X, **_: X[7, 0] + X),
    Wrong("a subscript too many", "§x[0, 0, 0] + x", "has 2 axes, the subscript has 3", "", "x[0, 0] + x",
          lambda X, **_: X[0, 0] + X),
    Wrong("a run-time slice of a value", "§x[0:n]", "the bounds of a slice must be a constant apart", "x[begin : begin + 16]",
          "x[n : n + 2][0] + 0 * x", lambda X, n, **_: X[n] + 0 * X),
    Wrong("a slice that a number halves", "§x[:, 0 : 32 >> n]",
          "the bounds of a slice must be a constant apart", "xt.static_range",
          "sum((xt.sum(x[:, 0 : 32 >> i]) for i in xt.static_range(2)), 0 * x)",
          lambda X, **_: X.sum() + X[:, :16].sum() + 0 * X),
    Wrong("several buffers", "xt.load_tile(xt.init_tile(§xt.alloc_slm((2, 8, 32), xt.f32)[0], (0, 0), (8, 32)))", "one or two sizes",
          "one below the other", "x * (xt.alloc_slm((2 * 8, 32), xt.f32).shape[0] // 16)", same),
    Wrong("a slice of a value by half", "§x[n : n + 4 / 2]", "a bound of the slice is f32 scalar", "divided by //",
          "x[n : n + 4 // 2][0] + 0 * x", lambda X, n, **_: X[n] + 0 * X),
    Wrong("a run-time step through a value", "§x[0:8:n]", "the step of a slice from a run-time place is i32 scalar", "a positive constant",
          "x[0:8:2][0] + 0 * x", lambda X, **_: X[0] + 0 * X),
    Wrong("reshape to a size that comes with the call", "§xt.reshape(x, (n, -1))", "a size of the shape is known at run time only",
          "annotate the parameter: n", "xt.reshape(x, (8, -1))", same),
    Wrong("reshape to another number", "§xt.reshape(x, (8, 16))", "has 256 elements, (8, 16) has 128", "",
          "xt.reshape(x, (8, 32))", same),
    Wrong("join of matrices", "§xt.join(x, x)", "join takes two rows", "xt.interleave", "xt.interleave(x, x)[:, ::2]", same),
    Wrong("split of wide rows", "§xt.split(x)[0]", "two columns", "x[:, ::2]", "xt.interleave(x[:, ::2], x[:, 1::2])", same),
    Wrong("an offset too few", "xt.load_tile(§xt.init_tile(X, (0,), (8, 32)))", "1 offsets for X", "give 2",
          "xt.load_tile(xt.init_tile(X, (0, 0), (8, 32)))", same),
    Wrong("a negative offset into a part", "xt.load_tile(§xt.init_tile(X[1:8], (n - 4, 0), (8, 32)))", "may be negative",
          "xt.maximum(offset, 0)", "xt.load_tile(xt.init_tile(X[1:8], (xt.maximum(n - 4, 0), 0), (8, 32)))",
          lambda X, **_: np.concatenate((X[1:], 0 * X[:1]))),
    Wrong("a negative offset into a part from the start", "xt.load_tile(§xt.init_tile(X[:n], (n - 4, 0), (8, 32)))", "may be empty",
          "xt.maximum(offset, 0)", "xt.load_tile(xt.init_tile(X[:n], (xt.maximum(n - 4, 0), 0), (8, 32)))",
          lambda X, n, **_: X * (np.arange(8) < n)[:, None]),
    Wrong("a sum stored to a row", "§xt.store_tile(xt.sum(x, axis=1), Y[0:8, 0]) or x", "the value is f32[8,1], the tile is f32[8]",
          "keepdims=False", "xt.store_tile(xt.sum(x, axis=1, keepdims=False), Y[0:8, 0]) or x", same),
    # Conditions and loops.
    Wrong("an if on a mask", "x if §x > 0 else -x", "its elements may differ", "xt.where", "xt.where(x > 0, x, -x)",
          lambda X, **_: np.abs(X)),
    Wrong("and of masks", "xt.where((§x > 0) and (x < 1), x, 0)", "its elements may differ", "combine masks with &",
          "xt.where((x > 0) & (x < 1), x, 0)", lambda X, **_: np.where((X > 0) & (X < 1), X, 0)),
    Wrong("not of a mask", "xt.where(not (§x > 0), x, 0)", "its elements may differ", "~mask", "xt.where(~(x > 0), x, 0)",
          lambda X, **_: np.where(X > 0, 0, X)),
    Wrong("max of one value", "§max(x)", "takes two values or more", "xt.max(x, axis)", "xt.max(x) + 0 * x",
          lambda X, **_: X.max() + 0 * X),
    Wrong("Python's sum", "§sum(x)", "cannot loop over the elements of f32[8,32]", "", "xt.sum(x) + 0 * x", None),
    Wrong("float of a tile", "§float(x)", "float makes one number", "x.to(xt.f32)", "x.to(xt.f32)", same),
    Wrong("a tuple by a run-time index", "x * §(1, 2, 3, 4)[n]", "the index of a tuple", "xt.static_range", "x * (1, 2, 3, 4)[3]",
          lambda X, **_: X * 4),
    Wrong("len of an array", "x * §len(X)", "len() of X", "A.shape[0]", "x * X.shape[0]", lambda X, **_: X * 8),
    Wrong("a list by a run-time index", "x * §[1, 2, 3, 4][n]", "the index of a list", "xt.static_range", "x * [1, 2, 3, 4][3]",
          lambda X, **_: X * 4),
    Wrong("enumerate of a range", "x * sum(i * 0 for i, j in §enumerate(range(n)))", "known at run time only", "a range alone",
          "x * sum(i * 0 for i, j in enumerate(range(3)))", lambda X, **_: X * 0),
    Wrong("three axes", "§xt.reshape(x, (8, 16, 2))[:, :, 0]", "one or two sizes", "x[:, ::2]", "xt.interleave(x[:, ::2], x[:, 1::2])",
          same),
    Wrong("a scan of a pair in Triton's way", "§xt.associative_scan(lambda a, b, c, d: (a + c, b + d), (x, x), 0)[0]",
          "takes two tuples, not 4 values", "def combine(left, right)",
          "xt.associative_scan(lambda left, right: (left[0] + right[0], left[1]), (x, x), 0)[0]", None),
    # dtypes and numbers.
    Wrong("the opposite of floats", "§~x", "~ works on integers and masks, not on f32[8,32]", ".to(xt.i32)", "(~x.to(xt.i32)).to(xt.f32)",
          lambda X, **_: (~X.astype(np.int32)).astype(np.float32)),
    Wrong("a number that f16 lacks", "(§h * 1e6)[0:8, 0:1].to(xt.f32) + x", "does not fit f16",
          "convert the other operand: .to(xt.f32)", "(h.to(xt.f32) * 1e6)[0:8, 0:1] + x",
          lambda X, H, **_: H[:8, :1].astype(np.float32) * np.float32(1e6) + X),
    Wrong("a shift of floats", "§x << 1", "works on integers and masks", ".to(xt.i32)", "(x.to(xt.i32) << 1).to(xt.f32)",
          lambda X, **_: (X.astype(np.int32) << 1).astype(np.float32)),
    Wrong("mulhi of floats", "§xt.mulhi(x, x)", "it takes integers", "",
          "xt.mulhi(x.to(xt.i32), x.to(xt.i32)).to(xt.f32) + x", None),
    Wrong("Python's float as a dtype", "§x.to(float)", "not a dtype of kernels", "xt.f32", "x.to(xt.f32)", same),
    Wrong("a dtype by name", '§x.to("float32")', "not a dtype of kernels", "xt.f32", "x.to(xt.f32)", same),
    Wrong("bits of another width", "§x.bitcast(xt.i16)", "cannot be read as i16", "a dtype of 32 bits",
          "x.bitcast(xt.i32).bitcast(xt.f32)", same),
    Wrong("an atomic that is not there", '§xt.atomic_rmw_tile("sub", x, Y[0:8, 0:32])', "there is no kind 'sub'", "one of add",
          'xt.atomic_rmw_tile("add", x, X[0:8, 0:32])', same),
    Wrong("a scan that changes the dtype", "§xt.associative_scan(lambda a, b: (a + b).to(xt.f16), x, 0)",
          "f16[8,32] of f32[8,32]",
          "convert: .to(xt.f32)", "xt.associative_scan(lambda a, b: a + b, x, 0)", None),
    Wrong("concatenate of two dtypes", "§xt.concatenate((x, h))", "concatenate of f32[8,32] and f16[32,16]",
          "convert: .to(xt.f32)",
          "xt.concatenate((x[0:4], x[4:8]))", same),
    # Places.
    Wrong("a bound of a view", "§X[0, 0, 0] + x", "has 2 axes, the subscript has 3", "", "X[0, 0] + x",
          lambda X, **_: X[0, 0] + X),
    Wrong("a float as an index", "§X[0.5] + x", "the subscript 0.5 is not an integer", "", "X[0, 5] + x",
          lambda X, **_: X[0, 5] + X),
    Wrong("a step back", "xt.load_tile(§X[8:0:-1, 0:32])", "the step of a slice is -1", "x[::-1]",
          "xt.load_tile(X[0:8, 0:32])[::-1]",
          lambda X, **_: X[::-1]),
    Wrong("an empty slice", "xt.load_tile(§X[8:8, 0:32])", "has no elements", "", "xt.load_tile(X[0:8, 0:32])", same),
    Wrong("axes too many for a tile", "§xt.load_tile(X.T.T[0:8])", "a size is not constant", "",
          "xt.load_tile(X[0:8, 0:32])", same),
    Wrong("a loop over an array", "xt.zeros((8, 32)) + sum(row for row in §X)", "a comprehension cannot run over X", "",
          "x", same),
)  # fmt: skip
