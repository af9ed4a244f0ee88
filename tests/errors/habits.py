"""Whole programs with one mistake, in the form of `whole.py`: habits of numpy, Triton and C, parts of arrays taken for values, what a call
leaves out, Python's containers, types for `compile`, outputs without axes.
"""

from __future__ import annotations

from tests.errors.whole import COPY, Whole, kernel, of

TILE = "xt.load_tile(X[0:8, 0:32])"
ROW = "k(row, np.zeros_like(row))"

PARTS = (
    Whole("a part copied to a part", kernel("§Y[0:8, 0:32] = «X[0:8, 0:32]»«xt.load_tile(X[0:8, 0:32])»"),
          "store_tile: X: f32[8,32] is not a value", "load a tile of it first"),
    Whole("arithmetic on a part", kernel("Y[0:8, 0:32] = §«X[0:8, 0:32]»«xt.load_tile(X[0:8, 0:32])» * 1.0"),
          "mul does not take X: f32[8,32] and 1.0", "load it first: xt.load_tile(X[...]), with the same subscript"),
    Whole("arithmetic on all of an array", kernel("Y[0:8, 0:32] = §«X[:]»«xt.load_tile(X[0:8, 0:32])» * 1"),
          "mul does not take X: f32[?,?] and 1", "load a tile of constant size first: xt.load_tile(X[m:m + 64, 0:32])"),
    Whole("an array that adds up", kernel("«§Y += 1»«Y[0:8, 0:32] += 1»", out="xt.zeros(X.shape, X.dtype)"),
          "add does not take Y: f32[?,?] and 1", "load a tile of constant size first"),
    Whole("all of an array assigned", kernel(f"§«Y[:]»«Y[0:8, 0:32]» = {TILE}"), "Y: f32[?,?] is no tile: a size is not constant",
          "Y[m:m + 64, 0:32]"),
    Whole("a part as an operand of a product", kernel(f"Y[0:8, 0:8] = §{TILE} @ «X[0:8, 0:32].T»«{TILE}.T»",
          "k(x) / 32", out="xt.empty((8, 8), xt.f32)"), "X: f32[32,8]", ""),
    Whole("a part in a function", kernel("Y[0:8, 0:32] = §xt.exp(«X[0:8, 0:32]»«xt.load_tile(X[0:8, 0:32]) - 1»)"),
          "X: f32[8,32] is not a value to compute with", "load a tile of it first"),
    Whole("numpy's gather of rows", kernel("i = xt.arange(8)\nY[0:8, 0:32] = §«X[i]»«xt.load_gather(xt.init_tile(X, i[:, None] * X.stride(0) "
          "+ xt.arange(32)[None, :]))»"), "X: f32[?,?]: the subscript index[8] is not an integer or a slice",
          "a row of numbers makes a scattered tile"),
    Whole("a gather by a pair of offsets", kernel("i = xt.arange(8)\nY[0:8, 0:32] = xt.load_gather(§xt.init_tile(X, «(i, 0)»"
          "«i[:, None] * X.stride(0) + xt.arange(32)[None, :]»))"), "init_tile: an offset is index[8], not one number",
          "xt.init_tile(X, rows[:, None] * X.stride(0) + xt.arange(32)[None, :])"),
    Whole("a gather from a row by a tuple", kernel("Y[0:32] = xt.load_gather(§xt.init_tile(X, «(xt.arange(32),)»«xt.arange(32)»)) * 0 + 1",
          "k(row)"), "init_tile: an offset is index[32], not one number", "without a tuple around them: xt.init_tile(X, offsets)"),
    Whole("a quotient as the number of an element", kernel(f"Y[0:8, 0:32] = {TILE} * §X[X.shape[0] «/»«//» 2, 0]"),
          "X: f32[?,?]: the subscript f32 scalar is not an integer or a slice", "divided by //"),
    Whole("a float as a bound", kernel(f"Y[0:8, 0:32] = {TILE}\nt = §X[0:N «/»«//» 2]\nY[0:4, 0:32] = xt.load_tile(t[0:4, 0:32])"),
          "a bound of the slice is 4.0, not an integer", "divided by //"),
    Whole("a size of run time", kernel("Y[0:8, 0:32] = xt.load_tile(§xt.init_tile(X, (0, 0), (8, «X.shape[1]»«32»)))"),
          "init_tile: a size of the shape is known at run time only", "sizes of tiles are constants"),
    Whole("values side by side without a tuple", kernel(f"h = {TILE}[:, 0:16]\nY[0:8, 0:32] = §xt.concatenate(«h, h»«(h, h), 1»)"),
          "concatenate takes a tuple of values, not f32[8,16]", "xt.concatenate((a, b), axis)"),
    Whole("elements stored as a list", kernel(f"Y[0:8, 0:32] = {TILE}\n§Y[0, «0:2»«0»] = «[1.0, 1.0]»«1.0»"),
          "store_tile: a list is not a value", "elements are stored one by one"),
    Whole("the larger of two numbers", of("x * §xt.«max»«maximum»(n, 1) / 3"), "max takes a value with elements, not i32 scalar",
          "the larger of two is xt.maximum(x, y)"),
    Whole("an element of a number", of("x * §n«[0]»«» / 3"), "i32 scalar has 0 axes, the subscript has 1", "a number has no elements"),
)  # fmt: skip

LEFT_OUT = (
    Whole("an array that the call leaves out", kernel("Y[0:8, 0:32] = xt.load_tile(§«B»«X»[0:8, 0:32])", head="X, Y, B=None"),
          "B is None, and has no elements", "if B is not None"),
    Whole("arithmetic on what is left out", kernel(f"Y[0:8, 0:32] = §{TILE} * «scale»«(1 if scale is None else scale)»",
          head="X, Y, scale=None"),
          "mul does not take f32[8,32] and None", "if A is not None"),
    Whole("a part as a condition", kernel(f"if §«B»«B is not None»:\n    Y[0:8, 0:32] = {TILE}\nelse:\n    Y[0:8, 0:32] = {TILE} * 0",
          "k(x, B=x)", head="X, Y, B=None"), "B: f32[?,?], an array, which is neither true nor false", "A is not None"),
    Whole("a list of sizes", kernel("Y[0:8, 0:32] = xt.load_tile(xt.init_tile(X, (0, 0), shape))", "§k(x, shape=«[8, 32]»«[8, 32]»)",
          head="X, Y, shape«»«: xt.constexpr»"), "shape is a list", "shape: xt.constexpr"),
    Whole("a dict of options", kernel(f"Y[0:8, 0:32] = {TILE} * «options['scale']»«options»", "§k(x, options=«{'scale': 1.0}»«1.0»)",
          head="X, Y, options"), "options is a dict", "pass what the kernel needs, one by one"),
    Whole("an object without constexpr", "class Options:\n    scale = 1.0\n\n" + kernel(f"Y[0:8, 0:32] = {TILE} * options.scale",
          "§k(x, options=Options())", head="X, Y, options«»«: xt.constexpr»"), "options is an Options", "one by one"),
    Whole("the grid in parentheses", f"@xt.jit\ndef k(X, Y):\n    {COPY}\nr = np.zeros_like(x)\n«§k(1)»«k[1]»(x, r)\n", "k needs Y",
          "the grid stands in brackets: k[grid](...)"),
    Whole("Triton's grid", "@xt.jit\ndef k(X, Y, BLOCK: xt.constexpr):\n    i = xt.program_id(0) * BLOCK\n"
          "    Y[i : i + BLOCK] = xt.load_tile(X[i : i + BLOCK])\nr = np.zeros_like(row)\n"
          "§k[«lambda meta: (xt.cdiv(32, meta['BLOCK']),)»«lambda BLOCK: (xt.cdiv(32, BLOCK),)»](row, r, BLOCK=8)\n",
          "the grid rule asks for meta", "by their names: lambda X, Y, BLOCK", None),
    Whole("half a program", "@xt.jit(grid=lambda X: (X.shape[0] «/»«//» 8,))\n" f"def k(X, Y):\n    {COPY}\nr = np.zeros_like(x)\n§k(x, r)\n",
          "the grid is (1.0,)", "whole numbers"),
    Whole("an argument too many", kernel(COPY, "§k(x, x.copy(), 3, 8«, 1»«»)") + "r = x\n", "k takes 4 arguments, 5 were given",
          "k(X, Y, n, N)"),
    Whole("an output of the same memory", kernel(COPY, "§k(x, «x»«x.copy()»)") + "r = x\n", "Y is written by the kernel and shares memory",
          "a separate array for Y"),
    Whole("complex numbers", kernel(COPY, "§k(x«.astype(np.complex64)»«»)", out="xt.empty(X.shape, X.dtype)"),
          "the out rule of Y failed: kernels have no element type like numpy's complex64", "pass array.real"),
    Whole("an output without a parameter",
          f'@§xt.jit(out={{"«Z»«Y»": lambda X: xt.empty(X.shape, X.dtype)}}, grid=1)\ndef k(X, Y):\n    {COPY}\n'
          "r = k(x)\n", "out names 'Z', which is no array parameter", "('X', 'Y')"),
    Whole("a size of numpy's that is no whole number", kernel(COPY, "§k(x)", out="xt.empty((X.shape[0] «/»«//» 1, 32), xt.f32)"),
          "the out rule of Y failed: empty: (8.0, 32) is not a shape", "sizes are whole numbers"),
)  # fmt: skip

HABITS = (
    Whole("Triton's program id", of("x * §xt.«get_program_id»«program_id»(0) + x"), "no attribute 'get_program_id'",
          "did you mean program_id?"),
    Whole("CUDA's barrier", of("x").replace("    xt.store", "    §xt.«syncthreads»«barrier»()\n    xt.store"), "no attribute 'syncthreads'",
          "xt.barrier()"),
    Whole("a set", of("x").replace("    xt.store", "    kinds = «{1, 2}»«(1, 2)»\n    x = x * len(kinds) / 2\n    xt.store"),
          "sets are not supported in kernels", "use a tuple"),
    Whole("try", of("x").replace("    xt.store", "    «try: x = x * 1\n    except Exception: pass»«x = x * 1»\n    xt.store"),
          "try is not supported", "device_assert"),
    Whole("rows of a value", of("x").replace("    xt.store", "    rows = [r for r in §«x»«[x]»]\n    x = rows[0]\n    xt.store"),
          "a comprehension cannot run over f32[8,32]", "a tuple or a range"),
    Whole("an assert on elements", of("x").replace("    xt.store", "    «assert §x > 0»«xt.device_assert(x > 0)»\n    xt.store"),
          "assert is decided at a launch or before", "xt.device_assert(condition, message)"),
    Whole("elements set by a mask", of("x").replace("    xt.store", "    «§x[x < 0] = 0»«x = xt.where(x < 0, 0, x)»\n    xt.store"),
          "elements of values cannot be assigned", "xt.where"),
    Whole("a mask stored as numbers", kernel(f"§Y[0:8, 0:32] = ({TILE} > 0)«»«.to(xt.f32)»"), "the value is bool[8,32], the tile is f32[8,32]",
          ".to(xt.f32)"),
    Whole("a negative power of integers", kernel("Y[0:8, 0:32] = §xt.load_tile(X[0:8, 0:32])«»«.to(xt.f32)» ** -1",
          "k(np.ones((8, 32), np.int32))"), "integers have powers with constant exponents from 0 to 16", ".to(xt.f32)"),
    Whole("an offset of half programs",
          kernel("i = xt.program_id(0) * «0.5»«1 // 2»\nY[0:8, 0:32] = xt.load_tile(§xt.init_tile(X, (i, 0), (8, 32)))"),
          "an offset is f32 scalar, not an integer", "divided by //"),
    Whole("f64 stored to f32", kernel("§Y[0:8, 0:32] = xt.load_tile(X[0:8, 0:32])«»«.to(xt.f32)»", "k(x.astype(np.float64))"),
          "the value is f64[8,32], the tile is f32[8,32]", ".to(xt.f32)"),
    Whole("an element of an output without axes", kernel(f"Y§[«0»«()»] = xt.sum({TILE}) / 256".replace("Y§", "§Y"),
          out="xt.empty((), xt.f32)"),
          "Y: f32[] has 0 axes, the subscript has 1", "Y[()] is its one element"),
    Whole("a tile of an output without axes", kernel(f"«xt.store_tile(xt.sum({TILE}, keepdims=True), §xt.init_tile(Y, (0,), (1,)))»"
          f"«Y[()] = xt.sum({TILE}) / 256»", out="xt.empty((), xt.f32)"), "init_tile: 1 offsets for Y: f32[]", "Y[()] = value stores"),
    Whole("a number as an output", f"@xt.jit(grid=1)\ndef k(X, Y):\n    §Y[«()»«0»] = xt.sum({TILE}) / 256\n"
          "r = np.zeros(«()»«1», np.float32)\nk(x, r)\n", "f32 scalar is a value", "an array of shape (1,)"),
)  # fmt: skip

COMPILED = (
    Whole("numpy's name of a type", kernel(COPY) + '§k.compile("«float32»«f32»[?,?]", "f32[?,?]", "i32")\n', "there is no dtype 'float32'",
          "float32 is f32"),
    Whole("an element type for an array", kernel("Y[0:8, 0:32] = xt.load_tile(§X[0:8, 0:32])", head="X, Y")
          + 'k.compile(«xt.f32»«"f32[?,?]"», "f32[?,?]")\n', "f32 scalar has 0 axes", 'its type, "f32[?,?]"'),
    Whole("a shape for a type", kernel(COPY) + '§k.compile(«(8, 32)»«"f32[8,32]"», "f32[?,?]", "i32")\n', "(8, 32) is not a parameter type",
          "an example array"),
    Whole("a target by its market name", kernel(COPY) + '§k.compile("f32[?,?]", "f32[?,?]", "i32", target="«battlemage»«bmg»")\n',
          "there is no target 'battlemage'", "bmg (Arc B580 (Battlemage))"),
)  # fmt: skip

PROGRAMS = (*PARTS, *LEFT_OUT, *HABITS, *COMPILED)
