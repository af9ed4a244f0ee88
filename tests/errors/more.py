"""More whole programs with one mistake, in the form of `whole.py`: about outputs, dtypes, lists, loops, outputs of `xt.empty`, options,
functions that kernels call, tuning and the library."""

from __future__ import annotations

from tests.errors.whole import COPY, Whole, kernel, of

ADDED = '@xt.jit(out={"Y": lambda X: xt.«empty»«zeros»((32,), X.dtype)}, grid=lambda X: X.shape[0])\ndef k(X, Y):\n'
HELD = "xt.load_tile(X[0:8, 0:32])"
COUNTS = "np.ones((8, 32), np.int32)"

OUTPUTS = (
    Whole("atomics on memory as it is found", ADDED + '    §xt.atomic_rmw_tile("add", xt.load_tile(X[xt.program_id(0), 0:32]), Y[0:32])\n'
          "r = k(x) / 8\n", "k reads its output Y before anything is stored to it", "xt.zeros(shape, dtype)"),
    Whole("a sum with memory as it is found", ADDED.replace("X.shape[0]", "1") + "    for i in range(8):\n        §Y[0:32] += "
          "xt.load_tile(X[i, 0:32])\n"
          "r = k(x) / 8\n", "k reads its output Y before anything is stored to it", "xt.zeros(shape, dtype)"),
    Whole("a fraction stored as an integer", kernel(f"§Y[0:8, 0:32] = {HELD} * 0.5", f"k({COUNTS})", out="xt.empty(X.shape, "
          "«xt.i32»«xt.f32»)"),
          "the value is f32[8,32], the tile is i32[8,32] of Y", "which cuts off fractions; or make Y of f32", 0.5),
    Whole("a sum that is wider than its input", kernel("§Y[0:8, 0:1] = xt.sum(xt.load_tile(B[0:8, 0:32]) * 4, 1)", "k(x, B=bytes_)",
          head="X, Y, B", out="xt.empty((8, 1), «xt.i8»«xt.i32»)"), "i32[8,1], the tile is i8[8,1]", "which wraps numbers that i8 does "
          "not hold", 128),
    Whole("a number beyond i32", kernel(f"§Y[0:8, 0:32] = {HELD} + n", f"k({COUNTS}, n=2**40)", out="xt.empty(X.shape, «xt.i32»«xt.i64»)"),
          "the value is i64[8,32], the tile is i32[8,32]", "or make Y of i64", 2**40 + 1),
    Whole("a row stored to a tile", kernel("§xt.store_tile(«xt.load_tile(X[0, 0:32])»«xt.tile_broadcast(xt.load_tile(X[0, 0:32]), (8, 32))», "
          "Y[0:8, 0:32])"), "the value is f32[32], the tile is f32[8,32]", "xt.tile_broadcast(value, (8, 32))"),
    Whole("minus infinity beside integers", kernel("Y[0:8, 0:32] = §xt.load_tile(X[0:8, 0:32], padding=«float('-inf')»«-2**31»)",
          f"k({COUNTS})",
          out="xt.empty(X.shape, xt.i32)"), "padding -inf is not a number of dtype i32", "the tile is i32"),
    Whole("padding beyond the type", kernel("Y[0:8, 0:32] = §xt.load_tile(X[0:8, 0:32], padding=«-1»«0»)", "k(np.ones((8, 32), np.uint8))",
          out="xt.empty(X.shape, xt.u8)"), "padding -1 does not fit u8 (0 to 255)", "the tile is u8"),
    Whole("a rule of what there is not", f'@xt.jit(out={{"Y": lambda X«, m»«»: xt.empty((8, 32), X.dtype)}}, grid=1)\ndef k(X, '
          f'Y):\n    {COPY}\n'
          "r = §k(x)\n", "the out rule of Y asks for m", "lambda X: ..."),
    Whole("outputs in a list", f'@§«xt.jit(out=["Y"], grid=1)»«xt.jit(out={{"Y": lambda X: xt.empty(X.shape, X.dtype)}}, grid=1)»\ndef '
          f'k(X, Y):\n    {COPY}\n'
          "r = k(x)\n", "which gives no rule for each output", "out={"),
    Whole("an output made on the host", f'@§«xt.jit(out={{"Y": np.ones((8, 32))}}, grid=1)»«xt.jit(out={{"Y": lambda X: '
          f'xt.empty(X.shape, X.dtype)}}, grid=1)»'
          f"\ndef k(X, Y):\n    {COPY}\nr = k(x)\n", "which gives no rule for each output", "out={"),
)  # fmt: skip

OPTIONS = (
    Whole("no subgroups", kernel(COPY, "§k(x, num_subgroups=«0»«1»)"), "num_subgroups is 0", "a whole number from 1 on"),
    Whole("a grid below zero", kernel(COPY, "§k[«-1»«1»](x)"), "the grid is -1", "whole numbers"),
    Whole("a lambda as a kernel",
          "«k = xt.jit(§lambda X: X, grid=1)»«@xt.jit(grid=1)\ndef k(X): X[0] = X[0]»\nk(row)\nr = 1\n".replace("§", ""),
          "not defined by a plain def", "made with def"),
    Whole("a text without constexpr", kernel(f'Y[0:8, 0:32] = {HELD}', '§k(x, n=«"double"»«2»)'), "n is a str", "n: xt.constexpr"),
    Whole("tuning below jit",
          "«@xt.jit(grid=1)\n@§xt.autotune(configs=[xt.Config(N=8)])»«@xt.autotune(configs=[xt.Config(N=8)])\n@xt.jit(grid=1)»\n"
          "def k(X, N: xt.constexpr = 8):\n    X[0:N, 0:32] = xt.load_tile(X[0:N, 0:32])\nk(x)\nr = x\n", "autotune takes a kernel",
          "above @xt.jit"),
    Whole("nothing to tune", "@§xt.autotune(configs=[«»«xt.Config(N=8)»])\n" + kernel("Y[0:N, 0:32] = xt.load_tile(X[0:N, 0:32])"),
          "autotune needs a list of configurations", "xt.Config("),
    Whole("Triton's Config", 'xt.Config(«{"N": 8}»«N=8»)\nr = 1\n', "a configuration gives constants by name", "xt.Config(BLOCK=64"),
    Whole("Triton's warps", "@§xt.autotune(configs=[xt.Config(N=8, «num_warps=4»«num_subgroups=4»)])\n"
          + kernel("Y[0:N, 0:32] = xt.load_tile(X[0:N, 0:32])"), "k has no constant num_warps", "num_subgroups=n"),
    Whole("a key that is no parameter", "@§xt.autotune(configs=[xt.Config(N=8)], key=[«\"M\"»«\"n\"»])\n"
          + kernel("Y[0:N, 0:32] = xt.load_tile(X[0:N, 0:32])"), "autotune key: k has no parameter M", "k(X, Y, n, N)"),
    Whole("a constant that one configuration lacks", "@xt.autotune(configs=[xt.Config(«»«N=8, »num_subgroups=2), xt.Config(N=8)])\n"
          + kernel("Y[0:N, 0:32] = xt.load_tile(X[0:N, 0:32])", head="X, Y, N: xt.constexpr"), "k needs a value for N", "pass N=..."),
)  # fmt: skip

BODIES = (
    Whole("a list that grows in a loop", kernel("parts = []\n§for i in range(«X.shape[1] // 8»«4»):\n"
          "    parts.append(xt.load_tile(X[0:8, i * 8 : i * 8 + 8]))\nY[0:8, 0:32] = xt.concatenate(parts, 1)"),
          "parts is () before and (f32[8,8]) after", "xt.static_range"),
    Whole("a dict that changes for two", kernel(f'd = {{"x": {HELD}}}\ne = «d»«dict(d)»\n§e["y"] = d["x"] * 2\nY[0:8, 0:32] = e["y"] / 2'),
          "e is a dict that another variable or object holds too", "e = dict(e)"),
    Whole("a list in a list", kernel(f"a = [{HELD}, 1.0]\nb = [«a»«list(a)», 2.0]\n§a[1] = 1.0\nY[0:8, 0:32] = b[0][0] * a[1]"),
          "a is a list that another variable or object holds too", "a = list(a)"),
    Whole("nonlocal", kernel(f"acc = xt.zeros((8, 32), xt.f32)\ndef add(v):\n    «nonlocal acc»«total = acc + v»\n    «acc += v»«return "
          f"total»\n"
          f"«add({HELD})»«acc = add({HELD})»\nY[0:8, 0:32] = acc").replace("«nonlocal acc»", "«§nonlocal acc»", 1), "variables of an "
          "enclosing function",
          "return the value"),
    Whole("a function that changes a list around it", kernel(f"parts = [{HELD}, {HELD}]\ndef double(i):\n    "
          "«parts[i] = »«return »§parts[i] * 2\n«double(1)»«parts[1] = double(1)»\nY[0:8, 0:32] = parts[1]"),
          "parts belongs to the function around double", "parts[i] = double(...)", 2),
    Whole("axes in a tuple", of("x * §xt.sum(x«, axis=(0, 1)»«») / 256"), "f32[8,32] has no axis (0, 1)", "xt.sum(x) goes over all of them"),
    Whole("max of two values", of("§xt.«max»«maximum»(x, 0.0)"), "f32[8,32] has no axis 0.0", "the larger of two values is xt.maximum(x, y)"),
    Whole("min of two values", of("§xt.«min»«minimum»(x, 3.0)"), "f32[8,32] has no axis 3.0", "the smaller of two values is xt.minimum(x, y)"),
    Whole("where without values", of("§xt.where(x > 0«»«, x, 0»)"), "where() missing 2 required positional arguments", "condition, a, b"),
    Whole("complex numbers in a kernel", of("§«x * 1j»«x * 1»"), "mul does not take f32[8,32] and complex", "real and imaginary parts"),
    Whole("a dtype called", of("x * §«xt.f32(1)»«xt.cast(1, xt.f32)»"), "f32 is an element type, and cannot be called", "xt.cast(1, xt.f32)"),
    Whole("numpy's dtype called", of("§«np.float32(x)»«x.to(xt.f32)»"), "numpy's float32 cannot take f32[8,32]", ".to(xt.f32)"),
    Whole("a method of numpy", of("§«(x * 0).exp()»«xt.exp(x * 0)»"), "f32[8,32] has no attribute 'exp'", "xt.exp(x, ...)"),
    Whole("half a range", of("x").replace("    xt.store", "    for i in §«range(n / 1)»«range(n // 1)»:\n        x = x * 1\n    xt.store"),
          "range takes integers, not f32 scalar", "convert it: .to(xt.i32)"),
    Whole("half a static range", of("x").replace("    xt.store", "    for i in §xt.static_range(4 «/»«//» 2):\n        x = x * 1\n    "
          "xt.store"),
          "static_range takes whole numbers, not 2.0", "divide with //"),
    Whole("half a range of constants", of("x").replace("    xt.store", "    for i in §range(4 «/»«//» 2):\n        x = x * 1\n    xt.store"),
          "range takes integers, not", "divided by //"),
    Whole("an array as a bound", of("x", "k(x, n=np.array([3]))").replace("    xt.store", "    for i in §range(«n»«n[0]»):\n        x = "
          "x * 1\n    xt.store"),
          "range takes integers, not n: i64[?]", "n[0]"),
    Whole("no step", kernel("Y[0:8, 0:32] = xt.zeros((8, 32))\nfor i in §range(0, 8, n):\n    Y[i, 0:32] = xt.load_tile(X[i, 0:32])",
          "k(x, n=«0»«1»)"),
          "range with step 0", ""),
    Whole("a kernel that is launched in a kernel", "@xt.jit(grid=1)\ndef one(X):\n    X[0, 0:32] = xt.zeros((32,)) + 1\n\n"
          + kernel(f"«one[1](X)»«one(X)»\n{COPY}"), "one[grid](...) launches a kernel", "without a grid it is part of this kernel"),
    Whole("an output of a function of kernels", '@xt.jit(out={"Z": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)\ndef one(X, Z):\n'
          "    Z[0:8, 0:32] = xt.load_tile(X[0:8, 0:32])\n\n" + kernel("§one(X«»«, Y»)"), "one needs Z", "one(..., Z)"),
    Whole("shared memory larger than it is", kernel("s = §xt.alloc_slm((1024, «1024»«8»), xt.f32)\nY[0:8, 0:32] = xt.load_tile(X[0:8, 0:32])\n"
          "s[0, 0:8] = xt.zeros((8,))"), "bytes of shared local memory", "smaller arrays"),
    Whole("the accumulator first",
          of("xt.tile_mma(«xt.zeros((8, 8)), x.T, x»«x, x.T, xt.zeros((8, 8))») @ x / 256").replace("xt.tile_mma(", "§xt.tile_mma("),
          "the inner sizes 8 and 32 differ", "a is (M, K) and b is (K, N)"),
    Whole("a vector times a matrix", of("x * xt.sum(§«xt.load_tile(X[0, 0:8]) @ x»«xt.load_tile(X[0, 0:8])[None, :] @ x») / 256"),
          "a is f32[8], not a 2-D value", "v[None, :]"),
    Whole("integers multiplied as matrices", kernel("Y[0:8, 0:8] = §xt.load_tile(X[0:8, 0:32])«»«.to(xt.i8)» @ xt.load_tile(X[0:8, "
          "0:32])«»«.to(xt.i8)».T",
          f"k({COUNTS}) / 32", out="xt.empty((8, 8), xt.i32)"), "i32 and i32 cannot be multiplied", "i8 and u8"),
    Whole("a product that nobody keeps", of("xt.zeros((8, 8)) @ x + 1").replace("    xt.store",
          "    acc = xt.zeros((8, 8))\n    «»«acc = »§xt.tile_mma(x, x.T, acc)\n    xt.store"), "nothing uses the result", "use it, or "
          "leave it out"),
    Whole("time in a kernel", "import time\n" + of("x * «§time.time()»«1.0»"), "gives something else each time", "pass what it gives as "
          "an argument"),
    Whole("a list of the module", "log = []\n" + of("x").replace("    xt.store", "    «§log.append(x)»«log_ = [x]»\n    xt.store"),
          "log is changed in the kernel", "kernels change nothing outside of themselves"),
    Whole("a size of numpy's", of("x * §X.«size»«shape[0]» / 8"), "has no attribute 'size'", "the sizes are A.shape"),
    Whole("strides of numpy's", of("x * §X.«strides[0]»«stride(0)» / 32"), "has no attribute 'strides'", "A.stride(axis)"),
    Whole("deleted", of("x").replace("    xt.store", "    «del X»«pass»\n    xt.store"), "del is not supported", "leave the variable alone"),
    Whole("match", of("x").replace(
          "    xt.store", "    «match (N, 1):\n        case (8, _): x = x * 1»«match N:\n        case 8: x = x * 1»\n    xt.store"),
          "match compares with constants", "use if, elif and else"),
)  # fmt: skip

LIBRARY = (
    Whole("a weight where sizes are", "r = §xt.ops.rms_norm(x, «np.ones(32, np.float32)»«32, np.ones(32, np.float32)»)\n",
          "normalized_shape is an array of shape (32,)", "rms_norm(x, x.shape[-1], weight", None),
    Whole("several axes at once", "r = §xt.ops.sum(«x, axis=(0, 1)»«xt.ops.sum(x, axis=0)») / 256\n", "the axis is (0, 1)", "one by one"),
    Whole("two dtypes", "r = §xt.ops.matmul(x, x.T«.astype(np.float16)»«») / 32\n", "a is float32 and b is float16", "a.astype(b.dtype)"),
    Whole("more than there are", "r = §xt.ops.topk(x, «33»«32»)[0]\n", "k is 33, of 32 elements", ""),
    Whole("heads that do not share", "q, kv = np.ones((1, «3»«4», 4, 32), np.float16), np.ones((1, 2, 4, 32), np.float16)\n"
          "r = §xt.ops.scaled_dot_product_attention(q, kv, kv)\n", "heads of queries and 2 of keys", "multiple of the second"),
    Whole("a class that is not there", "r = §xt.ops.cross_entropy(x, np.array([0, 1, 2, 3, 4, 5, 6, «32»«31»]))\n", "classes from 0 to 32",
          "", None),
    Whole("channels last", "r = §xt.ops.conv2d(«np.ones((1, 8, 8, 3), np.float32)»«np.ones((1, 3, 8, 8), np.float32)», np.ones((4, 3, 3, "
          "3), np.float32)) / 27\n",
          "8 channels and a weight of shape (4, 3, 3, 3)", ""),
    Whole("softmax of integers", "r = §xt.ops.softmax(x.astype(np.«int32»«float32»)) * 32\n", "x is int32", ".astype(...)", None),
    Whole("a masked array", "r = §xt.ops.sum(«np.ma.masked_array(x, x > 2)»«np.ma.masked_array(x, x > 2).filled(0)») / 256\n",
          "would not see its mask",
          "array.filled"),
)  # fmt: skip

PROGRAMS = (*OUTPUTS, *OPTIONS, *BODIES, *LIBRARY)
