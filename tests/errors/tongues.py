"""Words of Triton, CUDA, Numba, Pallas, JAX, numpy and torch that xetile does not have, in the form of `whole.py`: each hint, taken to
the letter, runs."""

from __future__ import annotations

from tests.errors.whole import COPY, Whole, kernel, of

INTS = "z = np.ones(4, np.int32)\n"
VECTOR = "@xt.jit(grid=1)\ndef k(X, N: xt.constexpr = 8): X[0:N] = xt.load_tile(X[0:N])\nz = np.ones(32, np.float32)\n"
COUNT = "Y[0:8, 0:32] = xt.zeros((8, 32), xt.f32) + "
PRODUCT = {"call": "k(x, H=half)", "head": "X, Y, H", "out": "xt.empty((8, 16), xt.f32)"}
HALF = "a, h = xt.load_tile(X[0:8, 0:32]).to(xt.f16), xt.load_tile(H[0:32, 0:16])\n"


def absent(name: str, body: str, word: str, hint: str, expected: object = 1, **options: str) -> Whole:
    """A word that is not there; the message names it, and points to it."""
    return Whole(name, kernel(body, **options), f"no attribute {word!r}", hint, expected)


TRITON = (
    absent("Triton's assume", "§«xt.assume(X.shape[0] > 0)»«assert X.shape[0] > 0»\n" + COPY, "assume", "assert X.shape[0] > 0"),
    absent("Triton's range", "s = xt.zeros((8, 32), xt.f32)\nfor i in §«xt.range(0, 8, num_stages=2)»«range(0, 8)»:\n    s += 1\n"
           "Y[0:8, 0:32] = s", "range", "Python's own range", 8),
    Whole("stages of a loop", kernel("s = xt.zeros((8, 32), xt.f32)\nfor i in §range(0, 8«, num_stages=2»«»):\n    s += 1\n"
          "Y[0:8, 0:32] = s"), "range() got an unexpected keyword argument 'num_stages'", "leave it out: how far ahead", 8),
    Whole("Triton's compare and swap", "@xt.jit(grid=1)\ndef k(X): §«xt.atomic_cas(X, 1, 5)»"
          '«xt.atomic_rmw_tile("assign", xt.full((1,), 5, xt.i32), X[0:1])»\n' + INTS + "k(z)\nr = z[0]\n", "'atomic_cas'",
          'xt.atomic_rmw_tile("assign", value, tile)', 5),
    absent("Triton's random numbers", "i = xt.arange(32).to(xt.u32)\n" + COUNT + "§«xt.rand(0, i)»"
           "«xt.mulhi(i * 2654435761, xt.full((32,), 1, xt.u32)).to(xt.f32)»[None, :] + 1", "rand", "xt.mulhi(a, b)"),
    absent("inline assembly", 'x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.inline_asm_elementwise("mov", "=r", [x], xt.f32)»«x»',
           "inline_asm_elementwise", "kernels have no assembly"),
    Whole("the element type of a dtype", of("x.to(§X.dtype«.element_ty»«»)"), "DType has no attribute 'element_ty'", "X.dtype"),
    Whole("Triton's warmup", VECTOR + "§k.«warmup(z)»«compile(z)»\nr = 1\n", "no attribute 'warmup'", "kernel.compile(A, B)"),
    Whole("Triton's run", VECTOR + "§k«.run(z)»«(z)»\nr = z\n", "no attribute 'run'", "kernel(A, B)"),
    Whole("a launch by its name", VECTOR + "§k«.launch((1,), z)»«[(1,)](z)»\nr = z\n", "no attribute 'launch'", "kernel[grid](A, B)"),
    Whole("the kind of a reduction behind", of('x / §xt.tile_reduce(«x, "add"»«"add", x», 1) * 32'), "takes a value with elements, not str",
          'xt.tile_reduce("add", value, axis)'),
    Whole("a sum by its name", of('x / §xt.tile_reduce("«sum»«add»", x, 1) * 32'), "no reduction 'sum'", "one of add"),
    absent("a product of elements", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = x * §«xt.prod(x, 1)»"
           '«xt.tile_reduce("mul", x, 1)»', "prod", 'xt.tile_reduce("mul", x, axis)'),
    absent("a reduction by a function", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = x / §«xt.reduce(x, 1, lambda a, b: a + b)»"
           '«xt.tile_reduce("add", x, 1)» * 32', "reduce", 'xt.tile_reduce("add", x, axis)'),
    absent("a shape to broadcast to", "x = xt.load_tile(X[0:8, 0:1])\nY[0:8, 0:32] = §xt.«broadcast_to»«tile_broadcast»(x, (8, 32))",
           "broadcast_to", "xt.tile_broadcast(x, shape)"),
    Whole("an annotation that is called", "@xt.jit(grid=1)\ndef k(X, N«=§xt.constexpr(8)»«: xt.constexpr = 8»): X[0:N] = "
          "xt.load_tile(X[0:N])\nz = np.ones(32, np.float32)\nk(z)\nr = z\n", "constexpr is an annotation", "N: xt.constexpr = 8"),
    Whole("an annotation with a type", "@xt.jit(grid=1)\ndef k(X, N: §xt.constexpr«[int]»«» = 8): X[0:N] = "
          "xt.load_tile(X[0:N])\nz = np.ones(32, np.float32)\nk(z)\nr = z\n", "constexpr is an annotation", "N: xt.constexpr = 8"),
)  # fmt: skip

CUDA = (
    absent("a thread's number", COUNT + "§«xt.threadIdx.x»«xt.program_id(0)» + 1", "threadIdx", "xt.program_id(axis)"),
    absent("a block's number", COUNT + "§«xt.blockIdx.x»«xt.program_id(0)» + 1", "blockIdx", "xt.program_id(axis)"),
    absent("a lane's number", COUNT + "§«xt.lane_id()»«xt.arange(32)[None, :] * 0» + 1", "lane_id", "xt.arange(n)"),
    absent("OpenCL's number", COUNT + "§«xt.get_global_id(0)»«xt.program_id(0)» + 1", "get_global_id", "xt.program_id(axis)"),
    absent("Numba's number", COUNT + "§«xt.grid(1)»«xt.program_id(0)» + 1", "grid", "xt.program_id(axis)"),
    absent("Numba's shared memory", "s = §«xt.shared.array((8, 32), xt.f32)»«xt.alloc_slm((8, 32), xt.f32)»\n"
           "xt.store_tile(xt.load_tile(X[0:8, 0:32]), s)\nxt.barrier()\nY[0:8, 0:32] = xt.load_tile(s)", "shared",
           "xt.alloc_slm(shape, dtype)"),
    Whole("bytes of shared memory", kernel("s = §xt.alloc_slm(«1024»«(8, 32), xt.f32»)\nxt.store_tile(xt.load_tile(X[0:8, 0:32]), s)\n"
          "xt.barrier()\nY[0:8, 0:32] = xt.load_tile(s)"), "missing 1 required positional argument: 'dtype'",
          "its parameters are shape, dtype"),
    absent("a shuffle", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.shuffle_down(x, 1)»«xt.roll(x, -1, 1)»", "shuffle_down",
           "xt.roll(x, -1, axis)"),
    Whole("Numba's atomics", "@xt.jit(grid=1)\ndef k(X): §«xt.atomic.add(X, 0, 1)»"
          '«xt.atomic_rmw_tile("add", xt.full((1,), 1, xt.i32), X[0:1])»\n' + INTS + "k(z)\nr = z[0]\n", "'atomic'",
          'xt.atomic_rmw_tile("add", value, tile)', 2),
    Whole("a barrier with a name", kernel(COPY + "\n§xt.barrier(«'a'»«»)"), "takes 0 positional arguments but 1 was given",
          "it takes no arguments"),
)  # fmt: skip

JAX = (
    Whole("an update in JAX's way", of("§«x.at[0].set(2)»«xt.where(xt.arange(8)[:, None] < 8, 2, x)»"), "no attribute 'at'",
          "xt.where(mask, new, x)", 2),
    absent("JAX's loop", "x = xt.load_tile(X[0:8, 0:32])\n§«x = xt.fori_loop(0, 2, lambda i, s: s * 2, x)»"
           "«for i in range(0, 2): x = x * 2»\nY[0:8, 0:32] = x".replace("§«x = ", "«x = §"), "fori_loop", "for i in range(n)", 4),
    absent("Pallas' slice", "i = xt.program_id(0)\nY[0:8, 0:32] = xt.load_tile(X[§«xt.ds(i, 8)»«i : i + 8», 0:32])", "ds", "A[m:m + 64]"),
    Whole("a condition above a function", kernel("«@§xt.when(xt.program_id(0) == 0)\ndef _():»«if xt.program_id(0) == 0:»\n    " + COPY),
          "take no decorators", "if condition: ..."),
    Whole("static arguments by name", '@§xt.jit(«static_argnames="N", »«»grid=1)\ndef k(X, N«»«: xt.constexpr»): X[0:N] = '
          "xt.load_tile(X[0:N])\nz = np.ones(32, np.float32)\nk(z, 8)\nr = z\n", "no option static_argnames", "N: xt.constexpr"),
    Whole("static arguments by number", '@§xt.jit(«static_argnums=1, »«»grid=1)\ndef k(X, N«»«: xt.constexpr»): X[0:N] = '
          "xt.load_tile(X[0:N])\nz = np.ones(32, np.float32)\nk(z, 8)\nr = z\n", "no option static_argnums", "N: xt.constexpr"),
    Whole("JAX's dtype of a product", kernel(HALF + "Y[0:8, 0:16] = §xt.tile_mma(a, h«, preferred_element_type=xt.f32»"
          "«, xt.zeros((8, 16), xt.f32)»)", **PRODUCT), "'preferred_element_type'", "the accumulator says it", 32),
)  # fmt: skip

NUMPY = (
    absent("the unit matrix", COUNT + "§«xt.eye(8)»«xt.where(xt.arange(8)[:, None] == xt.arange(32)[None, :], 1.0, 1.0)»", "eye",
           "xt.where(rows == columns, 1, 0)"),
    absent("a triangle", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.tril(x)»"
           "«xt.where(xt.arange(8)[:, None] >= xt.arange(32)[None, :], x, 1.0)»", "tril", "xt.where(rows >= columns, x, 0)"),
    absent("a sign", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.sign(x)»«xt.where(x > 0, 1, xt.where(x < 0, -1, x))»", "sign",
           "xt.where(x > 0, 1, xt.where(x < 0, -1, x))"),
    absent("one over it", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.reciprocal(x)»«1 / x»", "reciprocal", "1 / x"),
    absent("infinity", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = xt.minimum(x, §«xt»«math».inf)", "inf", "math.inf"),
    absent("not a number", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = xt.where(x > 0, x, §«xt»«math».nan)", "nan", "math.nan"),
    absent("a new axis", COUNT + "xt.arange(32)[§«xt.newaxis»«None», :] * 0 + 1", "newaxis", "None: x[:, None]"),
    absent("a logarithm to 10", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.log10(x)»«xt.log(x) / math.log(10)» + 1", "log10",
           "xt.log(x) / math.log(10)"),
    absent("a logarithm near 1", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.log1p(x - 1)»«xt.log(1 + x - 1)» + 1", "log1p",
           "xt.log(1 + x)"),
    absent("an exponential near 0", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.expm1(x - 1)»«(xt.exp(x - 1) - 1)» + 1", "expm1",
           "xt.exp(x) - 1"),
    absent("what is finite", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = xt.where(§«xt.isfinite(x)»«~(xt.isnan(x) | xt.isinf(x))», x, 0)",
           "isfinite", "~(xt.isnan(x) | xt.isinf(x))"),
    absent("two masks", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = xt.where(§«xt.logical_and(x > 0, x < 2)»«(x > 0) & (x < 2)», x, 0)",
           "logical_and", "a & b"),
    absent("a product of vectors", "u, v = xt.load_tile(X[0, 0:8]), xt.load_tile(X[0, 0:32])\nY[0:8, 0:32] = "
           "§«xt.outer(u, v)»«u[:, None] * v[None, :]»", "outer", "a[:, None] * b[None, :]"),
    absent("a remainder by name", "x = xt.load_tile(X[0:8, 0:32])\nY[0:8, 0:32] = §«xt.fmod(x, 2)»«x % 2»", "fmod", "x % y"),
    absent("a hyperbolic sine", "x = xt.load_tile(X[0:8, 0:32]) * 0\nY[0:8, 0:32] = §«xt.sinh(x)»«(xt.exp(x) - xt.exp(-x)) / 2»", "sinh",
           "(xt.exp(x) - xt.exp(-x)) / 2", 0),
    absent("rows again and again", "x = xt.load_tile(X[0:1, 0:32])\nY[0:8, 0:32] = §xt.«tile(x, (8, 1))»«tile_broadcast(x, (8, 32))»", "tile",
           "xt.tile_broadcast(x, shape)"),
    absent("a list of numbers", COUNT + "§«xt.array([1, 1])»«xt.full((1,), 1, xt.f32)»", "array", "xt.full((n,), number, dtype)"),
    absent("values above each other", "x = xt.load_tile(X[0:4, 0:32])\nY[0:8, 0:32] = §«xt.vstack((x, x))»«xt.concatenate((x, x), 0)»",
           "vstack", "xt.concatenate((a, b), axis)"),
    Whole("a copy", of("§x«.copy()»«»"), "no attribute 'copy'", "values do not change"),
    Whole("a reduction of an array", of("x * 256 / §«X.sum()»«xt.sum(xt.load_tile(X[0:8, 0:32]))»"),
          "X: f32[?,?] has no attribute 'sum'", "load it first: xt.sum(xt.load_tile(X[m:m + 64, 0:32]), axis)"),
    Whole("the number of several elements", of("x * 0 + §x«.item()»«[0, 0]»"), "item() takes the only element", "x[0, 0]"),
    Whole("torch's view", of("xt.sum(§x.«view»«reshape»(32, 8)) / 256 * x"), "no attribute 'view'", "x.reshape(rows, columns)"),
    Whole("torch's size", kernel("Y[0:8, 0:32] = xt.load_tile(X[0:8, 0:32]) + §X.shape«(0)»«[0]» - 7"), "tuple cannot be called",
          "X.shape[0]", 2),
    Whole("the names of numpy's bounds", of("§xt.clamp(x, «min»«low»=0, «max»«high»=1)"), "unexpected keyword argument 'min'", "low="),
)  # fmt: skip

PLACES = (
    Whole("a tile by load_tile alone", kernel("Y[0:8, 0:32] = §xt.load_tile(«X, (0, 0), (8, 32)»«xt.init_tile(X, (0, 0), (8, 32))»)"),
          "takes from 1 to 2 positional arguments but 3 were given", "xt.load_tile(xt.init_tile(A, offsets, shape))"),
    Whole("offsets one by one", kernel("Y[0:8, 0:32] = xt.load_tile(§xt.init_tile(X, «0, 0»«(0, 0)», (8, 32)))"),
          "takes from 2 to 3 positional arguments but 4 were given", "xt.init_tile(A, (row, column), (64, 32))"),
    Whole("the shape before the offsets", kernel("Y[0:8, 0:32] = xt.load_tile(§xt.init_tile(X, «(8, 32), (0, 0)»«(0, 0), (8, 32)»))"),
          "0 is not a size", "offsets stand before the shape"),
    Whole("an output like the input", '@xt.jit(out={"Y": lambda X: «xt.empty_like(X)»«xt.empty(X.shape, X.dtype)»}, grid=1)\n'
          f"def k(X, Y): {COPY}\nr = §k(x)\n", "no attribute 'empty_like'; xt.empty(X.shape, X.dtype)", "", 1),
    Whole("the library's attention by its short name", "q = np.ones((1, 2, 16, 16), np.float32)\n"
          "r = xt.ops.scaled_dot_product_attention(q, q, q, §«causal»«is_causal»=True)\n".replace("§", "").replace("r = ", "r = §"),
          "unexpected keyword argument 'causal'", "did you mean is_causal?"),
    Whole("the dtype of a result", "r = §xt.ops.matmul(x, x.T, «out_dtype»«dtype»=np.float32)\n", "unexpected keyword argument 'out_dtype'",
          "dtype=", 32),
    Whole("a transposed operand", "r = §xt.ops.matmul(x, «x, trans_b=True»«x.T»)\n", "unexpected keyword argument 'trans_b'",
          "a.T and b.T", 32),
    Whole("configurations as dicts", "@§xt.autotune(configs=[«{'N': 8}»«xt.Config(N=8)»])\n" + VECTOR + "k(z)\nr = z\n",
          "autotune needs a list of configurations, configs[0] is a dict", "xt.Config(N=8)"),
)  # fmt: skip

LOADED = "xt.load_tile(X[0:8, 0:32])"
PARTS = (
    Whole("a part where a value is limited", kernel(f"Y[0:8, 0:32] = §xt.clamp(«X[0:8, 0:32]»«{LOADED}», 0, 1)"),
          "X: f32[8,32] is not a value to compute with", "load a tile of it first"),
    Whole("a part in a fused sum", kernel(f"Y[0:8, 0:32] = §xt.fma(«X[0:8, 0:32]»«{LOADED}», 2.0, 1.0)"),
          "X: f32[8,32] is not a value to compute with", "load a tile of it first", 3),
    Whole("a part that is stretched", kernel("Y[0:8, 0:32] = §xt.tile_broadcast(«X[0:1, 0:32]»«xt.load_tile(X[0:1, 0:32])», (8, 32))"),
          "tile_broadcast takes a value, not X: f32[1,32]", "load a tile of it first"),
    Whole("a part that is moved in vain", kernel("§«»«tile = »xt.update_tile_offset(X[0:8, 0:16], (0, 16))\n«" + COPY + "»«Y[0:8, 0:16] = "
          "xt.load_tile(tile)\nY[0:8, 16:32] = xt.load_tile(tile)»"), "nothing uses the result of this",
          "write tile = xt.update_tile_offset(X[0:8, 0:16], (0, 16))"),
    Whole("a part in a product of halves", kernel("Y[0:8, 0:32] = §xt.mulhi(«B[0:8, 0:32], B[0:8, 0:32]»«xt.load_tile(B[0:8, 0:32]), 1»)",
          "k(x, B=bytes_)", head="X, Y, B", out="xt.empty((8, 32), xt.i8)"), "mulhi takes a value, not B: i8[8,32]",
          "load a tile of it first", 0),
)  # fmt: skip

PROGRAMS = (*PARTS, *TRITON, *CUDA, *JAX, *NUMPY, *PLACES)
