"""Wrong programs around kernels (decorators, rules, calls): what the message says; with the fix they run."""

import textwrap
from dataclasses import dataclass

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, XetileError

HEAD = """
    import functools, random, time, os
    import numpy as np, xetile as xt
    x = np.ones(8, np.float32)
    log, numbers, W = [], iter(range(9)), np.ones(8, np.float32)
    rng = np.random.default_rng(0)
    def chance(): return random.random()
    def numpy_chance(): return float(np.random.rand())
    def drawn(): return float(rng.standard_normal())
    def now(): return time.time()
    def surroundings(): return len(os.getenv("PATH", ""))
"""
KERNEL = """
    @xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
    def k(X, Y, n=1, N: xt.constexpr = 8, W=None):
        @
    r = k(x)
"""
PLAIN = KERNEL.replace("@\n", "xt.store_tile(xt.load_tile(X[0:8]), Y[0:8])\n")


@dataclass(frozen=True)
class Case:
    """A program that is wrong, what its message and hint hold, and the program as the hint fixes it, which gives `r`."""

    name: str
    wrong: str
    message: str
    hint: str
    fixed: str
    r: float = 1.0


def inside(line: str) -> str:
    return KERNEL.replace("@\n", line + "\n")


def times(what: str) -> str:
    return inside(f"xt.store_tile(xt.load_tile(X[0:8]) * {what}, Y[0:8])")


ON_THE_HOST = "call it on the host, and pass what it gives as an argument"
ANEW = "gives something else each time"

CASES = [
    Case("out as a list", PLAIN.replace('{"Y": lambda X: xt.empty(X.shape, X.dtype)}', '["Y"]'), "which gives no rule",
         'out={"Y": lambda X: xt.empty(X.shape, X.dtype)}', PLAIN),
    Case("out as a shape", PLAIN.replace("lambda X: xt.empty(X.shape, X.dtype)", "(8,)"), "which gives no rule",
         'out={"Y": lambda X: xt.empty(X.shape, X.dtype)}', PLAIN),
    Case("a rule that gives a shape", PLAIN.replace("xt.empty(X.shape, X.dtype)", "X.shape"), "the out rule of Y gives (8,)",
         "xt.empty(shape, dtype)", PLAIN),
    Case("Triton's meta", PLAIN.replace("grid=1", 'grid=lambda meta: (meta["N"] // 8,)'), "asks for meta",
         "by their names: lambda X, Y, n, N: ...", PLAIN.replace("grid=1", "grid=lambda X, N: (N // 8,)")),
    Case("num_warps", PLAIN.replace("k(x)", "k(x, num_warps=4)"), "num_warps is no parameter", "num_subgroups=n",
         PLAIN.replace("k(x)", "k(x, num_subgroups=1)")),
    Case("num_stages", PLAIN.replace("k(x)", "k(x, num_stages=2)"), "num_stages is no parameter", "leave it out", PLAIN),
    Case("a configuration like Triton's", PLAIN + '    c = xt.Config({"N": 8})\n', "constants by name", "xt.Config(BLOCK=64",
         PLAIN + "    c = xt.Config(N=8)\n"),
    Case("num_warps to be tuned", PLAIN + "    xt.autotune(configs=[xt.Config(num_warps=8)])(k)\n", "no constant num_warps",
         "num_subgroups=n", PLAIN + "    xt.autotune(configs=[xt.Config(num_subgroups=1)])(k)\n"),
    Case("a size that is no constant", inside("xt.store_tile(xt.load_tile(X[0:n]), Y[0:n])"), "a size is not constant",
         "annotate the parameter: n: xt.constexpr", inside("xt.store_tile(xt.load_tile(X[0:N]), Y[0:N])")),
    Case("a number that no integer holds", times("2**70").replace("x)", "x.astype(np.int64))"), "does not fit i64",
         ".to(xt.f64)", times("1")),
    Case("a number for u64", times("2**63").replace("x)", "x.astype(np.int64))"), "does not fit i64", ".to(xt.u64)", times("1")),
    Case("a scalar beyond 64 bits", times("n").replace("k(x)", "k(x.astype(np.int64), n=2**64)"), "18446744073709551616",
         "at most 64 bits", times("n")),
    Case("an array of numpy's", times("W").replace("W=None", "U=None"), "mul does not take f32[8] and ndarray",
         "arrays of numpy's are arguments", times("xt.load_tile(W[0:8])").replace("k(x)", "k(x, W=W)")),
    Case("a list outside", inside("log.append(1); xt.store_tile(xt.load_tile(X[0:8]), Y[0:8])"), "log is changed in the kernel",
         "kernels change nothing outside", PLAIN),
    Case("a scan in Triton's order", inside("Y[0:8] = xt.associative_scan(xt.load_tile(X[0:8]), 0, xt.maximum)"), "does not combine",
         "the function comes first", inside("Y[0:8] = xt.associative_scan(xt.maximum, xt.load_tile(X[0:8]), 0)")),
    Case("an element of a value", inside("""v = xt.load_tile(X[0:8])
        v[3] = 0
        Y[0:8] = v"""), "elements of values cannot be assigned", "xt.where(row == 3, new, old)",
         inside("v = xt.load_tile(X[0:8]); Y[0:8] = xt.where(xt.arange(8) == 30, 0, v)")),
    Case("a word for a scalar", times('1 if n == "a" else 2').replace("k(x)", 'k(x, n="a")'), "n is a str", "n: xt.constexpr",
         times('1 if N == "a" else 2').replace("N: xt.constexpr = 8", 'N: xt.constexpr = "a"')),
    Case("a scalar in an output's place", times("n").replace("n=1", "n").replace("k(x)", "k(x, 1.0)"), "k needs n", "or k(X, n=...",
         times("n").replace("n=1", "n").replace("k(x)", "k(x, n=1.0)")),
    Case("a part of no constant size", inside("Y[0:n] = xt.load_tile(X[0:8])"), "a size is not constant", "a part of constant size",
         inside("Y[0:8] = xt.load_tile(X[0:8])")),
    Case("chance", times("random.random()"), f"Random.random of random {ANEW}", ON_THE_HOST,
         times("n").replace("k(x)", "k(x, n=0.5)"), 0.5),
    Case("chance in a function", times("chance()"), ANEW, ON_THE_HOST, times("n").replace("k(x)", "k(x, n=0.5)"), 0.5),
    Case("numpy's chance", times("np.random.rand()"), ANEW, ON_THE_HOST, times("n"), 1.0),
    Case("numpy's chance in a function", times("numpy_chance()"), ANEW, ON_THE_HOST, times("n"), 1.0),
    Case("a generator's method in a function", times("drawn()"), f"Generator.standard_normal of numpy.random._generator {ANEW}",
         ON_THE_HOST, times("n"), 1.0),
    Case("the clock", times("time.perf_counter()"), f"perf_counter of time {ANEW}", ON_THE_HOST, times("n"), 1.0),
    Case("the clock in a function", times("now()"), f"time of time {ANEW}", ON_THE_HOST, times("n"), 1.0),
    Case("the surroundings", times("surroundings()"), f"getenv of os {ANEW}", ON_THE_HOST, times("n"), 1.0),
    Case("an iterator outside", times("next(numbers)"), f"next(numbers) {ANEW}", ON_THE_HOST, times("next(iter((1, 2)))"), 1.0),
    Case("exp of an array", "    r = xt.exp(x)\n", "works only inside a kernel", "numpy and xt.ops", "    r = np.exp(x) / np.exp(1)\n"),
    Case("sum of an array", "    r = xt.sum(x)\n", "sum works only inside a kernel", "numpy and xt.ops", "    r = xt.ops.sum(x) / 8\n"),
    Case("where of arrays", "    r = xt.where(x > 0, x, 0)\n", "where works only inside a kernel", "numpy and xt.ops",
         "    r = np.where(x > 0, x, 0)\n"),
    Case("arange outside", "    r = xt.arange(4)\n", "arange works only inside a kernel", "numpy and xt.ops", "    r = np.ones(4)\n"),
    Case("two axes", "    r = xt.ops.sum(x.reshape(2, 4), axis=(0, 1))\n", "the axis is (0, 1), not a whole number", "one by one",
         "    r = xt.ops.sum(xt.ops.sum(x.reshape(2, 4), axis=1), axis=0) / 8\n"),
]  # fmt: skip


def run(program, folder):
    file = folder / f"program_{abs(hash(program))}.py"
    file.write_text(textwrap.dedent(HEAD) + textwrap.dedent(program), encoding="utf-8")
    scope = {"__name__": "program"}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
    return scope["r"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_message_says_what_and_why(case, tmp_path):
    with xt.device("numpy"), pytest.raises(XetileError) as raised:
        run(case.wrong, tmp_path)
    assert case.message in raised.value.message, raised.value
    assert case.hint in (raised.value.hint or ""), raised.value


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_with_the_fix_it_runs(case, tmp_path):
    with xt.device("numpy"):
        assert np.allclose(run(case.fixed, tmp_path), case.r)


@pytest.mark.parametrize(
    "name,hint", [("float32", "it is xt.f32"), ("load_til", "did you mean xt.load_tile"), ("dot", "a @ b multiplies matrices")]
)
def test_names_that_are_not_there_are_told_outside_of_kernels_too(name, hint):
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; .*{hint}"):
        getattr(xt, name)
    assert not hasattr(xt, "__wrapped__")


def test_functions_that_always_give_the_same_may_be_called(tmp_path):
    program = HEAD + times("int(np.sqrt(4.0)) * len([1, 2]) // max(1, 4)")
    with xt.device("numpy"):
        assert np.allclose(run(program, tmp_path), 1)


def test_a_function_that_calls_itself_is_shown_once(tmp_path):
    file = tmp_path / "deep.py"
    file.write_text("import xetile as xt\n\n@xt.jit(grid=1)\ndef k(X):\n    def f(n): return f(n - 1)\n    X[0] = f(3)\n")
    scope = {"__name__": "deep"}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    with xt.device("numpy"), pytest.raises(CompileError, match="calls are nested more than 40 deep") as raised:
        scope["k"](np.ones(4, np.float32))
    told = str(raised.value)
    assert told.count("def f(n)") == 1 and "X[0] = f(3)" in told
    assert "called from itself, " in told
