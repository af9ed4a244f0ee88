"""What Python prints of an error that nobody catches: the user's frames and the message."""

import os
import subprocess
import sys

import pytest

PROGRAMS = {
    "a call": "k(x, x, x)",
    "a device": "with xt.device('cuda'): pass",
    "a function of the library": "xt.ops.softmax(x, axis=3)",
    "a decorator": "xt.jit(out=['Y'])(lambda X, Y: None)",
    "compiling": "k.compile('f33[?]', 'f32[?]')",
    "a rule of the user's": "k[lambda X: undefined](x, x)",
    "a file": "xt.load('nothing')",
    "tuning": "xt.Config({'N': 8})",
}
HEAD = """import numpy as np, xetile as xt
x = np.ones(8, np.float32)
@xt.jit(grid=1)
def k(X, Y):
    xt.store_tile(xt.load_tile(X[0:8]), Y[0:8])
"""


def printed(line, folder, **environment):
    file = folder / "program.py"
    file.write_text(f"{HEAD}{line}\n", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, env={**os.environ, "XETILE_DEVICE": "numpy", **environment}
    )
    assert run.returncode == 1
    return [line.split('"')[1] for line in run.stderr.splitlines() if line.startswith('  File "')], run.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_only_the_users_frames_are_shown(name, tmp_path):
    files, text = printed(PROGRAMS[name], tmp_path)
    assert files and set(files) == {str(tmp_path / "program.py")}, text
    assert "Error: " in text


def test_a_setting_shows_all(tmp_path):
    files, _ = printed(PROGRAMS["a device"], tmp_path, XETILE_TRACEBACKS="1")
    assert any("devices.py" in file for file in files)


def test_errors_of_others_are_left_as_they_are(tmp_path):
    files, text = printed("import json; json.loads('{')", tmp_path)
    assert any("json" in file for file in files) and "JSONDecodeError" in text
