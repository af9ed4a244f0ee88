"""Objects of other libraries as arrays, debuggers in kernels, what compiled kernels of others have: in the form of `whole.py`."""

from __future__ import annotations

from tests.errors.whole import COPY, Whole, kernel

DOUBLE = "@xt.jit(grid=1)\ndef k(X): X[0:4] = xt.load_tile(X[0:4]) * 2\nz = np.ones(4, np.float32)\n"
CUDA = ("class Tensor:\n    __dlpack__ = lambda self, **_: None\n    __dlpack_device__ = lambda self: (2, 0)\n"
        "    cpu = lambda self: z\nt = Tensor()\n")  # fmt: skip
FRAME = "class Frame:\n    to_numpy = lambda self: z\nt = Frame()\n"

PROGRAMS = (
    Whole("a buffer", DOUBLE + "§k(«memoryview(z)»«np.asarray(memoryview(z))»)\nr = z\n", "k: X is a memoryview", "np.asarray(X)", 2),
    Whole("Python's own array", DOUBLE + "import array\na = array.array('f', z)\n§k(«a»«np.asarray(a)»)\nr = a\n", "k: X is an array",
          "np.asarray(X)", 2),
    Whole("a frame of pandas", DOUBLE + FRAME + "§k(t«»«.to_numpy()»)\nr = z\n", "k: X is a Frame", "X.to_numpy()", 2),
    Whole("a tensor of another device", DOUBLE + CUDA + "§k(t«»«.cpu()»)\nr = z\n",
          "X: Tensor lies in memory of a device of kind CUDA", "X.cpu()", 2),
    Whole("pdb", "import pdb\n" + kernel("§«pdb.Pdb().set_trace»«breakpoint»()\n" + COPY), "Pdb of pdb would stop the compiler",
          "breakpoint(), within with xt.debug():"),
    Whole("Triton's listings", DOUBLE + "c = k.compile(z)\n§c.«asm['ptx']»«ir['xegpu']»\nr = 1\n", "k compiled for pvc has no attribute 'asm'",
          "--emit isa"),
    Whole("Triton's registers", DOUBLE + "c = k.compile(z)\n§c.«n_spills»«report»\nr = 1\n", "no attribute 'n_spills'", ".report says"),
    Whole("Triton's shared memory", DOUBLE + "c = k.compile(z)\n§c.«shared»«slm_bytes»\nr = 1\n", "no attribute 'shared'", ".slm_bytes"),
    Whole("a level misspelt", DOUBLE + "c = k.compile(z)\n§c.«spriv»«spirv»\nr = 1\n", "no attribute 'spriv'", "did you mean spirv?"),
)  # fmt: skip
