"""Formats in the f-strings of `device_print` and `device_assert`: what Python and C mean alike is written, everything else refused."""

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError, KernelAssertionError

X = np.float32([0.25, 1.5, -2, 7])


@xt.jit(grid=1)
def shown(X, n):
    s, u = xt.sum(xt.load_tile(X[0:4])), xt.cast(n, xt.u32)
    xt.device_print(
        f"[{s:.2f}] [{s:8.1f}] [{s:<9.3e}] [{s:.3}] [{s:+.0f}] [{n:5d}] [{n:05}] [{-n:<6}] [{u:x}] 100% [{xt.program_id(0):3}]"
    )
    xt.device_assert(s > 100, f"{s:.1f} of {n:4d}, {u:#X}")


@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_numbers_are_written_as_python_writes_them(device, capfd):
    with xt.device(device), pytest.raises(KernelAssertionError, match=r"^6.8 of  171, 0XAB"):
        shown(X, 171)
    s, n = 6.75, 171
    expected = f"[{s:.2f}] [{s:8.1f}] [{s:<9.3e}] [{s:.3}] [{s:+.0f}] [{n:5d}] [{n:05}] [{-n:<6}] [{n:x}] 100% [{0:3}]"
    assert capfd.readouterr().out == expected + "\n"


@pytest.mark.parametrize(
    ("spec", "message"),
    [("d", "'d' is no format of f32 scalar"), (",", "',' is no format"), ("^8", "no format"), (".2x", "no format")],
)
def test_what_c_writes_otherwise_is_refused(spec, message):

    @xt.jit(grid=1)
    def refused(X, SPEC: xt.constexpr):
        xt.device_print(f"{xt.sum(xt.load_tile(X[0:4])):{SPEC}}")

    with xt.device("numpy"), pytest.raises(CompileError, match=message) as raised:
        refused(X, SPEC=spec)
    assert "{x:8.3f}" in raised.value.hint


def test_a_tile_takes_no_format():
    @xt.jit(grid=1)
    def tile(X):
        xt.device_print(f"{xt.load_tile(X[0:4]):.2f}")

    with xt.device("numpy"), pytest.raises(CompileError, match=r"f32\[4\] cannot be written as '.2f'") as raised:
        tile(X)
    assert "xt.max(x)" in raised.value.hint


TEXTS = [
    '"{} {:3d} {n:{w}.2f}".format(i, 7, n=s, w=6)',
    '"{0!r} {{}} {0}".format(i)',
    '"i is " + str(i) + "."',
    'repr(i), format(i, "4d")',
    '", ".join(map(str, [i, 2]))',
    '", ".join(str(k) for k in (i, 2))',
    '(i, 2), [i, "a"], (i,), {"a": (i, s)}',
    "X.shape",
    'f"{X.shape}"',
    '"{i}".format_map({"i": i})',
    '"{} of {}".format([1, 2], (i, [2]))',
    "str([1, (2,)]), str(X.dtype)",
    'f"{i}" + " and " + f"{s:.1f}"',
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("device", ["numpy", "cpu"])
def test_run_time_values_show_as_they_are_however_a_text_is_made(device, text, capfd, tmp_path):
    """They showed as their types, `index scalar`."""
    source = f"@xt.jit(grid=1)\ndef shown(X):\n    i, s = xt.program_id(0), xt.sum(xt.load_tile(X[0:4]))\n    xt.device_print({text})\n"
    file = tmp_path / "shown.py"
    file.write_text(source)
    scope = {"xt": xt}
    exec(compile(source, str(file), "exec"), scope)
    with xt.device(device):
        scope["shown"](X)
    told = eval(f"lambda i, s, X: print({text})", {"__builtins__": __builtins__})
    found = capfd.readouterr().out
    told(0, 6.75, type("X", (), {"shape": (4,), "dtype": "f32"}))
    assert found.replace("6.750000", "6.75") == capfd.readouterr().out


@pytest.mark.parametrize("given", ["i", "(i, 2)", "[i]"])
def test_text_is_not_filled_by_percent(given, tmp_path):
    file = tmp_path / "shown.py"
    file.write_text(f'@xt.jit(grid=1)\ndef shown(X):\n    i = xt.program_id(0)\n    xt.device_print("%s" % {given})\n')
    scope = {"xt": xt}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    with xt.device("numpy"), pytest.raises(CompileError, match="filled by %") as raised:
        scope["shown"](X)
    assert 'f"n is {n}"' in raised.value.hint
