"""The writer's table of ops loads the files that write an op when the op occurs."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module

from xetile.backends.spirv import emit
from xetile.backends.spirv.emit import table

LOADED = """
import sys
from xetile.backends.spirv.emit.table import find_handler
from xetile.dialects import math, scf
assert find_handler(scf.For) is not None
before = "xetile.backends.spirv.emit.math" in sys.modules
assert find_handler(math.Tanh) is not None
print(before, "xetile.backends.spirv.emit.math" in sys.modules)
"""


def test_every_function_is_in_a_file_that_the_table_names_for_its_op():
    for file in pkgutil.iter_modules(emit.__path__):
        import_module(f"{emit.__name__}.{file.name}")
    assert table.registered()
    for kind, function in table.registered().items():
        assert function.__module__.rpartition(".")[2] in table.themes_of(kind), kind


def test_files_that_write_what_does_not_occur_are_not_loaded():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"], done.stderr
