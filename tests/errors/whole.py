"""Whole programs with one mistake, as people write them who know numpy and Triton and have read README: where it is shown, what is
said, and the fix.

In a program `«wrong»«fixed»` stands where the mistake is: the program is run with the first, which must fail, and with the second,
which must leave `expected` in `r`. `§` stands before the place that the message must point to; without it that is the mistake.
All begin with HEAD.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

HEAD = """import math
import numpy as np, xetile as xt
rng = np.random.default_rng(0)
x, row = np.ones((8, 32), np.float32), np.arange(32, dtype=np.float32)
half, bytes_ = np.ones((32, 16), np.float16), np.ones((8, 32), np.int8)
"""


@dataclass(frozen=True)
class Whole:
    """A program with a mistake and its fix."""

    name: str
    program: str
    message: str
    hint: str
    expected: Any = 1

    @property
    def wrong(self) -> str:
        """The program with the mistake, without the mark of the place."""
        return _MISTAKE.sub(lambda m: m[1], HEAD + self.program).replace("§", "")

    @property
    def fixed(self) -> str:
        """The program with the fix."""
        return _MISTAKE.sub(lambda m: m[2], HEAD + self.program).replace("§", "")

    @property
    def place(self) -> tuple[int, int]:
        """Line and column that the message must point to."""
        shown = _MISTAKE.sub(lambda m: m[1] if "§" in self.program else "§" + m[1], HEAD + self.program)
        before = shown[: shown.index("§")]
        return before.count("\n") + 1, len(before.rpartition("\n")[2])


_MISTAKE = re.compile("«([^»]*)»«([^»]*)»", re.DOTALL)


def kernel(
    body: str, call: str = "k(x)", head: str = "X, Y, n=3, N: xt.constexpr = 8", out: str = "xt.empty(X.shape, xt.f32)"
) -> str:
    """A program with one kernel, of whose result the first element, or all where they are alike, is looked at."""
    lines = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    return f'@xt.jit(out={{"Y": lambda X: {out}}}, grid=1)\ndef k({head}):\n{lines}r = {call}\n'


def of(value: str, call: str = "k(x)", **options: str) -> str:
    """A kernel that stores an expression of x, a tile of X."""
    return kernel(f"x = xt.load_tile(X[0:8, 0:32])\nxt.store_tile({value}, Y[0:8, 0:32])", call, **options)


COPY = "xt.store_tile(xt.load_tile(X[0:8, 0:32]), Y[0:8, 0:32])"

CALLS = (
    Whole("no grid", "@xt.jit\ndef k(X):\n    X[0:8, 0:32] = xt.load_tile(X[0:8, 0:32]) * 2\n§«k(x)»«k[1](x)»\nr = x\n", "k has no grid",
          "k[grid](...)", 2),
    Whole("no decorator", "«»«@xt.jit(grid=1)\n»def k(X):\n    X[0:8, 0:32] = xt.load_tile(X[0:8, 0:32]) * 3\nk(x)\nr = x\n",
          "works only inside a kernel", "a function decorated with @xetile.jit", 3),
    Whole("an output that is not stored", kernel("y = xt.load_tile(X[0:8, 0:32]) * 2«»«\nY[0:8, 0:32] = y»", head="X, §Y"),
          "stores nothing to its output Y", "xt.store_tile(value, xt.init_tile(Y", 2),
    Whole("a list for an array", "@xt.jit(grid=1)\ndef k(X, Y):\n    Y[0] = X[0] + 1\nr = np.zeros(1, np.float32)\n"
          "§k(«[1.0, 2.0]»«np.float32([1.0, 2.0])», r)\n", "X is a list", "np.asarray", 2),
    Whole("an argument too many", kernel(COPY, "§k(«x, None, 3, 8, 5»«x, None, 3, 8»)"), "k takes 4 arguments, 5 were given",
          "k(X, Y, n, N)"),
    Whole("a parameter misspelt", kernel(COPY, "§k(x, «M»«N»=8)"), "M is no parameter", "k(X, Y, n, N)"),
    Whole("an argument twice", kernel(COPY, "§k(x«, X=x»«»)"), "X was given twice", "k(X, Y, n, N)"),
    Whole("a float as a grid", kernel(COPY, "§k[«32 / 32»«32 // 32»](x)"), "the grid is 1.0", "whole numbers"),
    Whole("four axes of a grid", kernel(COPY, "§k[«1, 1, 1, 1»«1, 1, 1»](x)"), "the grid is (1, 1, 1, 1)", "one to three"),
    Whole("a grid rule with another name",
          f'@xt.jit(out={{"Y": lambda X: xt.empty(X.shape, X.dtype)}}, grid=lambda «A»«X»: 1)\ndef k(X, Y):\n    {COPY}\nr = §k(x)\n',
          "the grid rule asks for A", "lambda X, Y: ..."),
    Whole("an out rule with another name",
          f'@xt.jit(out={{"Y": lambda «A»«X»: xt.empty((8, 32), xt.f32)}}, grid=1)\ndef k(X, Y):\n    {COPY}\nr = §k(x)\n',
          "the out rule of Y asks for A", "lambda X: ..."),
    Whole("complex numbers", kernel(COPY, "§k(x.astype(«np.complex64»«np.float32»))"), "no element type like numpy's complex64",
          "pass array.real and array.imag"),
    Whole("an array of records", "s = np.zeros((8, 32), [('a', 'f4'), ('b', 'i4')])\ns['a'] = 1\n" + kernel(COPY, "§k(s«»«['a']»)"),
          "no element type like numpy's void64", "array['a']"),
    Whole("a time", kernel(COPY, "§k(x.astype(«'M8[s]'»«'f4'»))"), "no element type like numpy's datetime64", "array.view(np.int64)"),
    Whole("a buffer without a dtype", kernel(COPY, "§k(«memoryview(x)»«x»)", out="xt.empty(X.shape, X.dtype)"),
          "the out rule of Y failed", "pass arrays: np.asarray(X)"),
    Whole("two digits", of("§round(x«, 2»«»)"), "values are rounded to whole numbers", "xt.round(x * 100) / 100"),
    Whole("bytes in the other order", kernel(COPY, "§k(«x.astype('>f4')»«x»)"), "bytes are in the other order", "newbyteorder"),
    Whole("a read-only array", "@xt.jit(grid=1)\ndef k(X):\n    X[0:8, 0:32] = xt.load_tile(X[0:8, 0:32]) + 1\n"
          "x.flags.writeable = False\nr = «x»«x.copy()»\n§k(r)\n", "X is written by the kernel, and the array is read-only", "pass a copy",
          2),
    Whole("the output over the input", "@xt.jit(grid=1)\ndef k(X, Y):\n    Y[0:4, 0:32] = xt.load_tile(X[0:4, 0:32]) + 1\n"
          "r = «x[2:6]»«np.empty((4, 32), np.float32)»\n§k(x, r)\n", "shares memory with", "", 2),
    Whole("an array for a constant", kernel(COPY, "§k(x, N=«np.ones(3)»«8»)"), "the constant N is a ndarray",
          "a number, a string or a tuple"),
    Whole("a constant left out", kernel("Y[0:N, 0:32] = xt.load_tile(X[0:N, 0:32])", "§k(x«»«, N=8»)", head="X, Y, N: xt.constexpr"),
          "k needs a value for N", "pass N=..."),
    Whole("too few types", kernel(COPY, '§k.compile(«"f32[?,?]"»«"f32[?,?]", "f32[?,?]", "i32"») and 1'), "k has 3 parameters, 1 types",
          "give types for X, Y, n"),
    Whole("numpy's name of a type", kernel(COPY, '§k.compile("«float32»«f32»[?,?]", "f32[?,?]", "i32") and 1'),
          "there is no dtype 'float32'", "f32"),
    Whole("a GPU by its name in shops", kernel(COPY, 'k.compile("f32[?,?]", "f32[?,?]", "i32", target="«a770»«dg2»") and 1'),
          "there is no target 'a770'", "dg2 (Arc A770", None),
    Whole("another constant", kernel(COPY, '§k.compile("f32[?,?]", "f32[?,?]", "i32", «BM»«N»=8) and 1'), "k has no constant BM",
          "constants: N"),
    Whole("a device that is none", kernel(COPY, 'None\nwith xt.device("«cpuu»«numpy»"):\n    r = k(x)'), "'cpuu' is no device", "'numpy'",
          None),
    Whole("a kernel that was not saved", kernel(COPY, '«xt.load("nowhere", grid=1)»«1»'), "there is no saved kernel nowhere", "", None),
    Whole("an option of the tuner", kernel(COPY) + "§xt.autotune(configs=[xt.Config(«BQ»«N»=8)])(k)\n", "k has no constant BQ",
          "constants: N", None),
)  # fmt: skip

BODIES = (
    Whole("Triton's vector addition", kernel("off = xt.arange(32)\n"
          "Y[0, 0:32] = «xt.load(§X + off, mask=off < n)»«xt.load_gather(xt.init_tile(X, off), mask=off < n)»",
          out="xt.zeros(X.shape, xt.f32)"),
          "add does not take X: f32[?,?] and index[32]", "xt.load_gather(xt.init_tile(A, offsets), mask)", None),
    Whole("a tile of three axes", kernel("Y[1, 0:8, 0:32] = xt.load_tile(X[1, 0:8, 0:32])\n"
          "Y[0, 0:8, 0:32] = xt.load_tile(«xt.init_tile(X, (1, 0, 0), (1, 8, 32))»«xt.init_tile(X[1], (0, 0), (8, 32))»)",
          "k(np.ones((2, 8, 32), np.float32))"), "3 offsets for X: f32[?,?,?]", "drop leading axes with A[i]"),
    Whole("one offset for two axes", kernel("Y[0:8, 0:32] = xt.load_tile(«xt.init_tile(X, 0, (8, 32))»«xt.init_tile(X, (0, 0), (8, 32))»)"),
          "1 offsets for X: f32[?,?]", "give 2, one for each axis"),
    Whole("the tile first", kernel("§xt.store_tile(«xt.init_tile(Y, (0, 0), (8, 32)), xt.load_tile(X[0:8, 0:32])»«xt.load_tile(X[0:8, "
          "0:32]), xt.init_tile(Y, (0, 0), (8, 32))»)"), "store_tile takes a tile, not f32[8,32]", "xt.init_tile(A, offsets, shape)"),
    Whole("the whole array", kernel("§xt.store_tile(xt.load_tile(X[0:8, 0:32]), «Y»«Y[0:8, 0:32]»)"), "Y: f32[?,?] is no tile",
          "Y[m:m + 64, 0:32]"),
    Whole("a number in an array's place", kernel("Y[0:8, 0:32] = xt.load_tile(«xt.init_tile(n, 0, (8,))»«X[0:8, 0:32]»)"),
          "the base is i32 scalar, not an array", "pass an array to the kernel"),
    Whole("an array from outside", kernel("Y[0:8, 0:32] = xt.load_tile(X[0:8, 0:32]) * xt.load_tile(«xt.init_tile(row, 0, "
          "(32,))»«xt.init_tile(W, 0, (32,))»)", "k(x, W=row)", head="X, Y, W"), "the base is ndarray", "pass it to the kernel", None),
    Whole("numpy's zeros", kernel("acc = «np.zeros((8, 32), np.float32)»«xt.zeros((8, 32), xt.f32)»\n§acc += xt.load_tile(X[0:8, 0:32])\n"
          "Y[0:8, 0:32] = acc"), "add does not take ndarray and f32[8,32]", "xt.zeros"),
    Whole("two sizes without a tuple", of("x + §xt.zeros(«8, 32»«(8, 32)»)"), "dtype is 32, not a dtype", "sizes stand in one tuple"),
    Whole("half of a size", kernel("Y[0:8, 0:32] = xt.load_tile(§xt.init_tile(X, (0, 0), (N «/»«//» 1, 32)))"), "8.0 is not a size",
          "divided by //"),
    Whole("half of an offset", kernel("Y[0:8, 0:32] = xt.load_tile(§xt.init_tile(X, (xt.program_id(0) «/»«//» 2, 0), (8, 32)))"),
          "an offset is f32 scalar, not an integer", "divided by //"),
    Whole("a size without a sign", kernel("Y[0:8, 0:32] = xt.load_tile(§xt.init_tile(X, (0, 0), («-8»«8», 32)))"), "-8 is not a size",
          "sizes are positive"),
    Whole("other instead of padding", of("§xt.load_tile(X[0:8, 0:32], «other»«padding»=0)"), "unexpected keyword argument 'other'",
          "padding=0"),
    Whole("a mask for a tile", of("§xt.load_tile(X[0:8, 0:32]«, mask=x > 0»«»)"), "unexpected keyword argument 'mask'", "leave it out"),
    Whole("boundary_check", of("§xt.load_tile(X[0:8, 0:32]«, boundary_check=(0, 1)»«»)"), "'boundary_check'", "tiles may reach outside"),
    Whole("a keyword misspelt", kernel("Y[0:8, 0:32] = xt.load_tile(§xt.init_tile(X, «offset»«offsets»=(0, 0), shape=(8, 32)))"),
          "unexpected keyword argument 'offset'", "did you mean offsets?"),
    Whole("torch's dim", of("x / §xt.sum(x, «dim»«axis»=1) * 32"), "unexpected keyword argument 'dim'", "axis="),
    Whole("torch's keepdim", of("x / §xt.sum(x, axis=1, «keepdim»«keepdims»=True) * 32"), "unexpected keyword argument 'keepdim'",
          "did you mean keepdims?"),
    Whole("unsqueeze", of("x * §xt.load_tile(X[0, 0:32])«.unsqueeze(0)»«[None, :]»"), "f32[32] has no attribute 'unsqueeze'", "x[None, :]"),
    Whole("load of a tile", kernel("t = xt.init_tile(X, (0, 0), (8, 32))\nY[0:8, 0:32] = «t.load()»«xt.load_tile(t)»"),
          "has no attribute 'load'", "xt.load_tile(tile)"),
    Whole("store of an array", kernel("«Y.store(xt.load_tile(X[0:8, 0:32]))»«Y[0:8, 0:32] = xt.load_tile(X[0:8, 0:32])»"),
          "has no attribute 'store'", "A[m:m + 64, 0:32] = value"),
    Whole("the library in a kernel", of("«xt.ops.softmax(x)»«xt.exp(x - xt.max(x, 1)) / xt.sum(xt.exp(x - xt.max(x, 1)), 1)» * 32"),
          "xt.ops.softmax takes whole arrays", "e / xt.sum(e, axis)"),
    Whole("the library's sum in a kernel", of("«xt.ops.sum(x)»«xt.sum(x)» / 256 * x"), "xt.ops.sum takes whole arrays",
          "in kernels xt.sum"),
    Whole("in of a tile", of("xt.where(«x in (1, 2)»«(x == 1) | (x == 2)», x, 0)"), "in does not take f32[8,32]", "(x == 1) | (x == 2)"),
    Whole("a list of numbers added", of("«x + [0] * 32»«x + xt.full((32,), 0)»"), "add does not take f32[8,32] and a list",
          "xt.full((n,), number)"),
    Whole("print", of('x').replace("    xt.store", "    «print(x)»«xt.static_print(x)»\n    xt.store"), "print is not available",
          "xt.static_print"),
    Whole("an exception", of('x').replace("    xt.store", "    «raise ValueError()»«xt.device_assert(x > 0)»\n    xt.store"),
          "raise is not supported", "xt.device_assert"),
    Whole("with", of('x').replace("    xt.store", "    «with open('x') as f: pass»«pass»\n    xt.store"), "with is not supported",
          "outside of the kernel"),
    Whole("an import", of('x').replace("    xt.store", "    «import math»«pass»\n    xt.store"), "import is not supported",
          "top of the module"),
    Whole("a global counter", "count = 0\n" + of('x').replace("    x =", "    «global count»«pass»\n    x ="), "global variables",
          "store results"),
    Whole("a sum that begins as a number",
          kernel("acc = «0»«xt.zeros((8, 32), xt.f32)»\nfor i in range(n):\n    §acc += xt.load_tile(X[0:8, 0:32])\n"
          "Y[0:8, 0:32] = acc / 3"), "acc is 0 before and f32[8,32] after", "start with xt.zeros((8, 32), xt.f32)"),
    Whole("another dtype after a round", kernel("acc = xt.zeros((8, 32), «xt.f16»«xt.f32»)\nfor i in range(n):\n"
          "    §acc = acc + xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = (acc / 3).to(xt.f32)"), "f16[8,32] before and f32[8,32] after", ""),
    Whole("a value of one branch",
          kernel("«»«y = xt.zeros((8, 32), xt.f32)\n»if n > 2:\n    y = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §y"),
          "y may have no value", "assign it before the if"),
    Whole("a tile that stays", kernel("t = xt.init_tile(X, (0, 0), (8, 8))\nacc = xt.zeros((8, 8), xt.f32)\nfor i in range(4):\n"
          "    acc += xt.load_tile(t)\n    «»«t = »§xt.update_tile_offset(t, (0, 8))\n"
          "Y[0:8, 0:32] = xt.concatenate((acc, acc, acc, acc), 1) / 4"), "nothing uses the result of this: tiles do not change",
          "t = xt.update_tile_offset(t, (0, 8))"),
    Whole("a value that nobody uses", of('x').replace("    xt.store", "    «x + 1»«y = x + 1»\n    xt.store"), "nothing uses the result",
          "use it, or leave it out"),
    Whole("static_range of a number of the call", of('x').replace("    xt.store",
          "    for i in «xt.static_range(n)»«range(n)»:\n        x = x * 1\n    xt.store"), "static_range takes constants", "with range"),
    Whole("an axis of the grid too many", of("x + §xt.program_id(«3»«2»)"), "grids have the axes 0, 1 and 2", ""),
    Whole("a product of two dtypes",
          of("xt.concatenate((§«x @ xt.load_tile(H[0:32, 0:16])»«x.to(xt.f16) @ xt.load_tile(H[0:32, 0:16])»,) * 2, 1) / 32",
          "k(x, H=half)", head="X, Y, H"), "f32 and f16 cannot be multiplied", "convert with .to(...)"),
    Whole("bytes with floats",
          of("xt.concatenate((§«x @ xt.load_tile(B[0:8, 0:32])»«x @ xt.load_tile(B[0:8, 0:32]).T.to(xt.f32)»,) * 4, 1) / 32",
          "k(x, B=bytes_)", head="X, Y, B"), "", "", None),
    Whole("the sum's dtype stored as another", kernel("§xt.store_tile(xt.load_tile(X[0:8, 0:32])«»«.to(xt.f16)», Y[0:8, 0:32])",
          out="xt.empty(X.shape, xt.f16)"), "the value is f32[8,32], the tile is f16[8,32] of Y", ".to(xt.f16)"),
    Whole("a map as a tuple", kernel("t = §xt.init_tile(X, (0, 0), (8, 32), wg_map=«(1, 2)»«xt.wg_map((1, 2), (8, 16))»)\n"
          "Y[0:8, 0:32] = xt.load_tile(t)"), "wg_map is (1, 2)", "xt.wg_map(sg_layout="),
    Whole("a map that does not divide", kernel("t = §xt.init_tile(X, (0, 0), (8, 32), wg_map=xt.wg_map((2, 1), («3»«4», 32)))\n"
          "Y[0:8, 0:32] = xt.load_tile(t)"), "does not divide dimension 0", "use a sg_data[0] that divides 8"),
    Whole("a map for a load", kernel("m = xt.wg_map((2, 1), (4, 32))\nt = xt.init_tile(X, (0, 0), (8, 32)«»«, wg_map=m»)\n"
          "Y[0:8, 0:32] = §xt.load_tile(t«, wg_map=m»«»)"), "unexpected keyword argument 'wg_map'", "its parameters are tile"),
    Whole("two numbers of subgroups", kernel("t = xt.init_tile(X, (0, 0), (8, 32), wg_map=xt.wg_map((2, 1), (4, 32)))\n"
          "u = §xt.init_tile(Y, (0, 0), (8, 32), wg_map=xt.wg_map(«(4, 1), (2, 32)»«(2, 1), (4, 32)»))\n"
          "xt.store_tile(xt.load_tile(t), u)"), "has 4 subgroups, the kernel has 2", "multiply to 2"),
    Whole("shared memory of a size of the call", kernel("s = §xt.alloc_slm((«X.shape[0]»«N», 32), xt.f32)\n"
          "xt.store_tile(xt.load_tile(X[0:8, 0:32]), s[0:8, 0:32])\nxt.barrier()\n" "Y[0:8, 0:32] = xt.load_tile(s[0:8, 0:32])"),
          "known at run time only", "N: xt.constexpr"),
    Whole("atomic_add", kernel("Y[0:8, 0:32] = xt.zeros((8, 32), xt.f32)\n"
          '§«xt.atomic_add(Y[0:8, 0:32], xt.load_tile(X[0:8, 0:32]))»«xt.atomic_rmw_tile("add", '
          "xt.load_tile(X[0:8, 0:32]), Y[0:8, 0:32])»"), "no attribute 'atomic_add'", 'xt.atomic_rmw_tile("add"'),
    Whole("cdiv alone", of("x * «cdiv»«xt.cdiv»(8, 8)"), "there is no cdiv here", "did you mean xt.cdiv?"),
    Whole("a function that calls itself", "@xt.jit\ndef f(v, n):\n    if n <= 0:\n        return v\n    return §f(v, n - 1)\n\n"
          + of("f(x, «n»«3»)"), "nested more than 40 deep", "ends where constants decide it"),
    Whole("a plain function with a run-time if", "«»«@xt.jit\n»def f(v, n):\n    if n > 2:\n        return v\n    return v * 0\n\n"
          + of("§f(x, n)"), "plain Python asks for it at compile time", "@xetile.jit"),
)  # fmt: skip

LIBRARY = (
    Whole("axis of the library", "r = §xt.ops.softmax(x, axis=«2»«1») * 32\n", "axis 2 of an array with 2 axes", "from -2 to 1", None),
    Whole("a list for the library", "r = §xt.ops.sum(«[[1.0]]»«np.asarray([[1.0]])»)\n", "x is list, not an array", "numpy.asarray", None),
    Whole("the most of masks", "r = §xt.ops.max(«x > 0»«(x > 0).view('uint8')») * 1.0\n", "x is bool; it takes", "pass x.view('uint8')", None),
    Whole("integers for a product", "r = §xt.ops.matmul(x.astype(«int»«np.float32»), x.T) / 32\n", "a is int64; it takes",
          "a.astype('float64')", None),
    Whole("an activation", 'r = §xt.ops.matmul(x, x.T, activation="«rely»«relu»") / 32\n', "activation is 'rely'", "one of none, relu",
          None),
    Whole("a bias of rows", "r = §xt.ops.matmul(x, x.T, bias=np.zeros(«32»«8»)) / 32\n", "bias has shape (32,), and must have (8,)", "",
          None),
    Whole("sizes that differ", "r = §xt.ops.matmul(x, «x»«x.T») / 32\n", "a has 32 columns and b has 8 rows", "", None),
    Whole("a row that is not there", "r = §xt.ops.embedding(np.array([1, «8»«7»]), x)\n", "rows from 1 to 8; there are 8", "", None),
    Whole("heads of two sizes", "q = np.ones((1, 1, 4, 32), np.float16)\n"
          "r = §xt.ops.scaled_dot_product_attention(q, «q[..., :16]»«q», q)\n", "key has shape (1, 1, 4, 16)", "", None),
)  # fmt: skip

PROGRAMS = (*CALLS, *BODIES, *LIBRARY)
