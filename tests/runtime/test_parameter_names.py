"""Parameters may have any names: code that is made for calls has none of its own that a user's could be."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import ArgumentError

TAKEN = ("grid", "key", "id", "type", "keep", "known", "self", "_hooks")
MORE = ("found", "recent", "three", "most", "device", "hooks", "launch", "event", "dict", "getattr", "defaults", "hold", "__key", "args",
        "kwargs", "MISS")  # fmt: skip


def kernels(folder, name):
    """A kernel with a number of that name, one with an array."""
    heads = (("number", f"lambda {name}, X", f"lambda X, {name}", name), ("array", "lambda X", f"lambda {name}", "loaded"))
    lines = ["import xetile as xt"]
    for kind, out, grid, factor in heads:
        load = f"    loaded = xt.load_tile(xt.init_tile({name}, i, (8,)))" if kind == "array" else ""
        lines += [f"@xt.jit(out={{'Y': {out}: xt.empty(X.shape, xt.f32)}}, grid={grid}: (2,))", f"def {kind}(X, {name}, Y):",
                  f"    assert {name}{'.shape[0]' if kind == 'array' else ''} > 0", "    i = xt.program_id(0) * 8", load,
                  f"    xt.store_tile(xt.load_tile(xt.init_tile(X, i, (8,))) * {factor}, xt.init_tile(Y, i, (8,)))"]  # fmt: skip
    path = folder / f"of_{name}.py"
    path.write_text("\n".join(lines))
    space = {"__name__": path.stem, "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["number"], space["array"]


@pytest.mark.parametrize("device, names", [("numpy", TAKEN), *(pytest.param(device, names, marks=pytest.mark.slow) for device, names
                                           in (("numpy", MORE), ("cpu", TAKEN), ("cpu", MORE)))])  # fmt: skip
def test_every_call_takes_them(tmp_path, device, names):
    x = np.arange(11, dtype=np.float32)
    for name in names:
        number, array = kernels(tmp_path, name)
        with xt.device(device):
            for n in range(1, 4):  # the first is looked at, the others go by the code for calls like it
                for y in (number(x, float(n)), number(x, **{name: float(n)}), array(x, x * 0 + n), array(x, **{name: x * 0 + n})):
                    np.testing.assert_array_equal(y, x * n, err_msg=name)
            y = np.zeros_like(x)
            number.bind(x, Y=y, **{name: 5.0})()
            np.testing.assert_array_equal(y, x * 5, err_msg=name)


def test_rules_may_have_defaults_of_their_own():
    """As closures in a loop are written, also before a parameter of the kernel."""
    kinds = {"Half": xt.f16, "Whole": xt.i32}
    rules = {name: lambda kind=kind, X=None: xt.empty(X.shape, kind) for name, kind in kinds.items()}

    @xt.jit(out=rules, grid=lambda X, size=8: (xt.cdiv(X.shape[0], size),))
    def both(X, Half, Whole):
        i = xt.program_id(0) * 8
        x = xt.load_tile(xt.init_tile(X, i, (8,)))
        xt.store_tile(x.to(xt.f16), xt.init_tile(Half, i, (8,)))
        xt.store_tile(x.to(xt.i32), xt.init_tile(Whole, i, (8,)))

    x = np.arange(11, dtype=np.float32)
    with xt.device("numpy"):
        for _ in range(3):
            half, whole = both(x)
            assert half.dtype == np.float16 and whole.dtype == np.int32
            np.testing.assert_array_equal(half, x)
            np.testing.assert_array_equal(whole, x)


def test_what_rules_need_and_the_call_does_not_give_is_said():
    @xt.jit(out={"Y": lambda X, other: xt.empty(X.shape, xt.f32)}, grid=1)
    def kernel(X, Y):
        xt.store_tile(xt.load_tile(X[0:8]), Y[0:8])

    with xt.device("numpy"), pytest.raises(ArgumentError, match="out rule of Y asks for other, which the call does not give"):
        kernel(np.ones(8, np.float32))
