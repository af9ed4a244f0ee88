"""`xt.ops` imports a function when it is asked for."""

from __future__ import annotations

import pickle
import subprocess
import sys

import xetile as xt

ONE = """
import sys
from xetile.ops.kernels.matmul import matmul
print(sorted(name for name in sys.modules if name.startswith("xetile.ops.kernels.")))
"""


def test_whoever_takes_one_kernel_loads_no_others():
    done = subprocess.run([sys.executable, "-c", ONE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['xetile.ops.kernels.matmul']"


def test_each_function_is_one_object_with_its_public_name():
    for name in xt.ops.__all__:
        function = getattr(xt.ops, name)
        assert (function.__module__, function.__qualname__) == ("xetile.ops", name)
        assert pickle.loads(pickle.dumps(function)) is function
    assert set(xt.ops.__all__) <= set(dir(xt.ops))
