"""Slips of the hand and of the mind in whole programs, in the form of `whole.py`: the decorator, sizes, comparisons, XeGPU's ops, files,
tuning, the library and the clock."""

from __future__ import annotations

from tests.errors.whole import COPY, Whole, kernel, of

ROW = "\ndef k(X): X[0:32] = xt.load_tile(X[0:32])\nz = np.ones(32, np.float32)\n"
HELD = "xt.load_tile(X[0:8, 0:32])"
TUNED = "@xt.autotune(configs=[xt.Config(N=8), xt.Config(N=16)])\n"
VECTOR = "@xt.jit(grid=1)\ndef k(X, N: xt.constexpr = 8): X[0:N] = xt.load_tile(X[0:N])\nz = np.ones(32, np.float32)\n"

DECORATORS = (
    Whole("decorated twice", "§@xt.jit(grid=1)\n«@xt.jit\n»«»".replace("§@xt", "@§xt") + ROW + "k(z)\nr = z\n", "k is a kernel already",
          "one @xt.jit is enough"),
    Whole("the grid alone", "@§xt.jit(«(1, 1)»«grid=(1, 1)»)" + ROW + "k(z)\nr = z\n", "takes options by name, not (1, 1) alone",
          "@xt.jit(grid=...)"),
    Whole("an option misspelt", '@§xt.jit(«outs»«out»={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)\ndef k(X, Y): ' + COPY
          + "\nr = k(x)\n", "xt.jit has no option outs", "did you mean out?"),
    Whole("Triton's stages", "@§xt.jit(grid=1«, num_stages=3»«»)" + ROW + "k(z)\nr = z\n", "no option num_stages", "leave it out"),
    Whole("parameters that have no names", "@§xt.jit(grid=1)\ndef k(«*X»«X»): " + "X[0] = X[0] * 2\nz = np.ones(4, np.float32)\nk(z)\n"
          "r = z[0]\n", "k has * or ** parameters", "named parameters", 2),
    Whole("an option at the call", "@xt.jit(grid=1«»«, fast_math=True»)" + ROW + "§k(z«, fast_math=True»«»)\nr = z\n",
          "fast_math is no parameter", "@xt.jit(fast_math=...)"),
    Whole("a method without its object", "class A:\n    @xt.jit(grid=1)\n    def k(«»«self, »X): X[0:4] = xt.load_tile(X[0:4]) * 2\n"
          "z = np.ones(4, np.float32)\n§A().k(z)\nr = z\n", "k takes 1 argument, 2 were given", "def k(self, ...)", 2),
    Whole("a type that the call does not give", "@xt.jit(grid=1)\ndef k(X: «xt.f16»«xt.Array»): X[0:4] = xt.load_tile(X[0:4]) * 2\n"
          "z = np.ones(4, np.float32)\n§k(z)\nr = z\n", "X is f32, and its annotation says f16", "X: xt.Array", 2),
    Whole("a grid by halves", '@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=lambda X: «X.shape[0] / 8»'
          "«xt.cdiv(X.shape[0], 8)»)\ndef k(X, Y): " + COPY + "\nr = §k(x)\n", "the grid is 1.0", "xt.cdiv(n, size)"),
)  # fmt: skip

BODIES = (
    Whole("two indices of a row", "@xt.jit(grid=1)\ndef k(X): X[0:8] = xt.load_tile(§X[«0, 0:8»«0:8»]) * 2\nk(row)\nr = row[1]\n",
          "X: f32[?] has 1 axis, the subscript has 2", "X[m:m + 64]", 2),
    Whole("an array compared with a number", kernel(f"if §«X == 0»«X.shape[0] == 8»:\n    {COPY}"), "eq does not take X: f32[?,?] and 0",
          "xt.load_tile(X[m:m + 64, 0:32])"),
    Whole("a tile compared with a number", kernel(f"t = X[0:8, 0:32]\nif §«t != 0»«xt.all(xt.load_tile(t) != 0)»:\n    {COPY}"),
          "ne does not take X", "load it first: xt.load_tile(X[...])"),
    Whole("tiles in a list of run-time length", kernel("ts = [xt.load_tile(X[i, 0:32]) for i in §«range(X.shape[0])»«range(8)»]\n"
          "Y[0:8, 0:32] = ts[0] + xt.zeros((8, 32), xt.f32)"), "how often this range runs is known at run time only", "for i in range(n)"),
    Whole("a tile that is moved in place", kernel("t, s = xt.init_tile(X, (0, 0), (1, 32)), xt.zeros((1, 32), xt.f32)\nfor i in range(8):\n"
          "    s += xt.load_tile(t)\n    «t.update((1, 0))»«t = xt.update_tile_offset(t, (1, 0))»\n"
          "Y[0:8, 0:32] = s + xt.zeros((8, 32), xt.f32)").replace("«t.up", "§«t.up"), "has no attribute 'update'",
          "tile = xt.update_tile_offset(tile, (rows, columns))", 8),
    Whole("sorted", of("§«sorted(x)»«xt.max(x) + 0 * x»"), "cannot loop over the elements of f32[8,32]", "kernels do not sort"),
    Whole("both axes of a program", kernel("m, n = §«xt.program_id(0, 1)»«(xt.program_id(0), xt.program_id(1))»\n"
          "Y[m:m + 8, n:n + 32] = xt.load_tile(X[m:m + 8, n:n + 32])"), "program_id() takes 1 positional argument but 2 were given",
          "its only parameter is axis"),
    Whole("the size of a number", kernel("Y[0:8, 0:32] = " + HELD + " * §«n.shape[0]»«n»"), "index 0 of a tuple of 0",
          "a number has no axes", 3),
    Whole("texts to choose from", of('§xt.where(x > 0, «"a"»«1.0», «"b"»«0.0»)'), "'a' is not a value to compute with", "a number"),
    Whole("nothing to compare with", of("§xt.maximum(x, «None»«0.0»)"), "None is not a value to compute with", "a number"),
    Whole("a remainder by zero", kernel("Y[0:8, 0:32] = §xt.load_tile(B[0:8, 0:32]) % «0»«2»", "k(x, B=bytes_)", head="X, Y, B",
          out="xt.empty((8, 32), xt.i8)"), "% of i8 by zero", "floats have infinity"),
    Whole("a step of nothing", kernel("s = xt.zeros((8, 32), xt.f32)\nfor i in §range(0, X.shape[0]«, 0»«»):\n    s += 1\n"
          "Y[0:8, 0:32] = s"), "range with step 0", "counts by 1", 8),
    Whole("a tile as large as a disk", kernel("Y[0:8, 0:32] = " + HELD + " + xt.sum(§xt.zeros((«100000»«8», «100000»«8»), xt.f32))"),
          "10000000000 elements, and 16777216 are the most", "loop over the array by tiles"),
    Whole("a dtype where the shape is", kernel(f"s = §xt.alloc_slm(«xt.f32, (8, 32)»«(8, 32), xt.f32»)\nxt.store_tile({HELD}, s)\n"
          "xt.barrier()\nY[0:8, 0:32] = xt.load_tile(s)"), "f32 is not a size", "the shape comes first, then the dtype"),
    Whole("an accumulator on its side", kernel("h = xt.load_tile(H[0:32, 0:16])\nacc = xt.zeros((«16, 8»«8, 16»), xt.f32)\n"
          "Y[0:8, 0:16] = §xt.tile_mma(xt.load_tile(X[0:8, 0:32]).to(xt.f16), h, acc)", "k(x, H=half)", head="X, Y, H",
          out="xt.empty((8, 16), xt.f32)"), "acc is f32[16,8], a @ b is f32[8,16]", "start with xt.zeros((8, 16), xt.f32)", 32),
    Whole("an element beyond", of("x + §x[0][«40»«31»]"), "index 40 is outside axis 0 of 32 elements", "from -32 to 31", 2),
    Whole("another number of elements", of("§x[0].reshape(«5, 7»«8, -1»)[0, 0] + 0 * x"), "f32[32] has 32 elements, (5, 7) has 35",
          "x.reshape(8, -1)"),
)  # fmt: skip

ORDERS = (
    Whole("the tile before the value", kernel("§xt.store_tile(«Y[0:8, 0:32], " + HELD + "»«" + HELD + ", Y[0:8, 0:32]»)"),
          "store_tile takes a tile, not f32[8,32]", "the value comes first, then the tile"),
    Whole("the kind of an atomic at the end", "@xt.jit(grid=1)\ndef k(X): §xt.atomic_rmw_tile(«xt.load_tile(X[0:4]), X[0:4], 'add'»"
          "«'add', xt.load_tile(X[0:4]), X[0:4]») \nz = np.ones(4, np.float32)\nk(z)\nr = z\n", "takes a tile, not str",
          'xt.atomic_rmw_tile("add", value, tile)', 2),
    Whole("an axis that the array has not", "@xt.jit(grid=1)\ndef k(X):\n    for i in range(§X.shape[«1»«0»]): X[i] = X[i] * 2\n"
          "z = np.ones(4, np.float32)\nk(z)\nr = z\n", "index 1 of a tuple of 1", "the array has 1 axis; pass one of rank 2", 2),
    Whole("a function within that calls itself", kernel("def f(n): return §«f(n - 1)»«n * 2»\nY[0:8, 0:32] = " + HELD + " * f(2)"),
          "calls are nested more than 40 deep", "ends where constants decide it", 4),
    Whole("an array where a gather takes a tile", kernel("i = xt.arange(32)\nY[0:8, 0:32] = " + HELD + " + §xt.load_gather("
          "«X[0], i»«xt.init_tile(X[0], i)»)"), "load_gather takes a scattered tile, not X: f32[?]", "xt.init_tile(X, index) is one", 2),
    Whole("half of a barrier", kernel(COPY + "\n§«xt.barrier_wait()»«xt.barrier()»"), "the kernel has no barrier_arrive",
          "xt.barrier() is both"),
    Whole("the other half", kernel(COPY + "\n§«xt.barrier_arrive()»«xt.barrier()»"), "the kernel has no barrier_wait",
          "xt.barrier() is both"),
    Whole("a number for a queue", kernel(COPY, "§k(x, queue=«3»«None»)"), "queue is 3", "queue=xt.Queue()"),
)  # fmt: skip

XEGPU = "from xetile import xegpu\n"
LEVELS = (
    Whole("scattered in a matrix", XEGPU + kernel("Y[0:32] = §xegpu.load(X, xt.arange(32))", "k(«x»«row * 0 + 1»)",
          head="X, Y", out="xt.empty((32,), xt.f32)"), "counts offsets in an array of rank 1", "A.reshape(-1)"),
    Whole("a layout by its class", XEGPU + kernel("t = xegpu.create_nd_tdesc(X, (0, 0), (8, 32), layout=«xt.Layout»«xegpu.layout»"
          "(sg_layout=(1, 2), sg_data=(8, 16)))\nY[0:8, 0:32] = xegpu.load_nd(t)").replace("«xt.L", "§«xt.L"),
          "xetile has no attribute 'Layout'", "xegpu.layout(sg_layout=..., sg_data=...)"),
)  # fmt: skip

HOST = (
    Whole("tuning again what is not tuned", "«»«" + TUNED + "»" + VECTOR + "§k.retune(z)\nr = z\n", "k has no retune",
          "@xt.autotune(configs="),
    Whole("results of what is not tuned", "«»«" + TUNED + "»" + VECTOR + "§k.«export_tuning('a')»«best_config(z)»\nr = z\n",
          "k has no export_tuning", "@xt.autotune(configs="),
    Whole("a kernel's method misspelt", VECTOR + "§k.«compiled»«compile»('f32[?]')\nk(z)\nr = z\n", "has no attribute 'compiled'",
          "did you mean compile?"),
    Whole("saved nowhere", VECTOR + "import tempfile\nf = tempfile.mkdtemp()\nk.compile('f32[?]').save(f + '/«none/»«»a')\nr = 1\n",
          "cannot be written: No such file or directory", "make its folder first"),
    Whole("a saved kernel that is not there", VECTOR + "import tempfile\nf = tempfile.mkdtemp() + '/a'\n«»«k.compile('f32[?]').save(f)\n»"
          "xt.load(f)\nr = 1\n", "there is no saved kernel", "kernel.compile(...).save(path)"),
    Whole("torch's axis", "r = §xt.ops.softmax(np.zeros((2, 4), np.float32), «dim»«axis»=1)\n", "unexpected keyword argument 'dim'",
          "axis=; softmax(x, axis=-1, out=None)", 0.25),
    Whole("a matrix that lies on its side", "r = §xt.ops.matmul(x, «x»«x.T»)\n", "(8, 32) @ (8, 32)", "b.T", 32),
    Whole("more than there is", "r = §xt.ops.topk(x, «100»«1»)[0]\n", "k is 100, of 32 elements", "from 0 to 32"),
    Whole("a matrix for an image", "w = np.ones((1, 1, 1, 1), np.float32)\nr = §xt.ops.conv2d(x«»«.reshape(1, 1, 8, 32)», w)\n",
          "input has shape (8, 32)", "input.reshape(...)"),
    Whole("Triton's clock", "r = §xt.bench(lambda: 1, «warmup=2»«samples=2»).samples > 0\n", "unexpected keyword argument 'warmup'",
          "the first runs do not count"),
    Whole("arguments for the clock", VECTOR + "r = §xt.bench(«k, z»«lambda: k(z)», samples=1).samples\n", "takes 1 positional argument",
          "bench(run, samples=30"),
)  # fmt: skip

OTHERS = (
    Whole("no brackets around comparisons", of("xt.where(«x > 0 §& x < 5»«(x > 0) & (x < 5)», x, 0)".replace("x > 0 §& x", "x > §0 & x")),
          "& works on integers and masks, not on 0 and f32[8,32]", "(x > 0) & (x < 5)"),
    Whole("torch's half", of("§x«.half()»«.to(xt.f16)».to(xt.f32)"), "has no attribute 'half'", "x.to(xt.f16)"),
    Whole("a transpose that is called", of("§x.T«()»«».T"), "f32[32,8] cannot be called", "leave the brackets out: x.T"),
    Whole("a stride in square brackets", of("x * §X.stride«[0]»«(0)» / 32"), "X.stride is a function", "call it: X.stride(0)"),
    Whole("a stride of no axis", of("x * §X.stride(«»«1»)"), "missing 1 required positional argument: 'axis'", "its only parameter is axis"),
    Whole("a helper that forgets to return", kernel("§Y[0:8, 0:32] = same(" + HELD + ")").replace(
          "@xt", "def same(x):\n    «x * 2»«return x»\n\n@xt"), "NoneType is not a value", "a function without return gives None"),
    Whole("the identity of a value", of("x + 0 * «§id(x)»«X.shape[0]»"), "id of builtins gives something else each time", "on the host"),
    Whole("a text that is added", of("x + «§'a' * X.shape[0]»«0»"), "mul does not take str", "xt.device_print"),
    Whole("whether any is", of("§x * «any(x > 0)»«xt.any(x > 0)»".replace("§x * «any", "x * «§any")), "cannot loop over", "xt.any(x > 0)"),
    Whole("an axis by its letter", of("x * §xt.num_programs(«'x'»«0»)"), "the axes 0, 1 and 2", "xt.num_programs(0) is that along x"),
    Whole("a type for an array", VECTOR + "§k(«np.float32»«z»)\nr = z\n", "k: X is a type", "pass an array or a number"),
    Whole("a product of integers in a kernel", kernel("a = " + HELD + "«.to(xt.i32)»«»\n"
          "Y[0:8, 0:32] = (§a @ a.T)[0:8, 0:1] / 32 + 0 * " + HELD),
          "i32 and i32 cannot be multiplied", "products of f64 are exact below 2**53"),
    Whole("configurations as dicts", "@§xt.autotune([«dict»«xt.Config»(N=8)])\n" + VECTOR + "k(z)\nr = z\n", "configs[0] is a dict",
          "xt.Config(N=8)"),
    Whole("a configuration of another constant", "@§xt.autotune([xt.Config(«M»«N»=8)])\n" + VECTOR + "k(z)\nr = z\n", "k has no constant M",
          "constants: N"),
    Whole("debug mode by a truth value", VECTOR + "with §xt.debug(«True»«»): k(z)\nr = z\n", "xt.debug(True): it takes a function",
          "with xt.debug()"),
    Whole("a target for a device", "with §xt.device(«'bmg'»«'numpy'»): r = 1\n", "'bmg' is no device", "target='bmg'"),
)  # fmt: skip

PROGRAMS = (*DECORATORS, *BODIES, *ORDERS, *LEVELS, *HOST, *OTHERS)
