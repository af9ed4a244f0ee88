"""What a kernel sees outside of itself where that is much: libraries in any folder, huge numbers, more objects than can be looked at."""

import numpy as np
import pytest

import xetile as xt
from xetile import source_text
from xetile.errors import CompileError

pytestmark = pytest.mark.device


def body_of(X, Y, number):
    tile = xt.init_tile(Y, (0,), (16,))
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0,), (16,))) * number, tile)


def test_what_was_installed_into_a_folder_is_a_librarys_and_what_lies_beside_it_is_not(tmp_path):
    (tmp_path / "lib-1.0.dist-info").mkdir()
    (tmp_path / "lib-1.0.dist-info" / "RECORD").write_text("lib/__init__.py,sha256=x,1\nsingle.py,,\n../bin/lib,,\n")
    installed = {
        name: source_text.is_installed(str(tmp_path / name))
        for name in ("lib/__init__.py", "lib/a/b.py", "single.py", "own.py", "own/c.py")
    }
    assert installed == {"lib/__init__.py": True, "lib/a/b.py": True, "single.py": True, "own.py": False, "own/c.py": False}


HUGE = [2**100_000, -(10**30)]


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def of_huge(X, Y):
    body_of(X, Y, len(HUGE))


def test_huge_numbers_are_seen(device):
    with xt.device(device):
        np.testing.assert_array_equal(of_huge(np.ones(16, np.float32)), [2] * 16)


MANY = [[] for _ in range(100_001)]


@xt.jit(out={"Y": lambda X: xt.empty(X.shape, X.dtype)}, grid=1)
def of_many(X, Y):
    body_of(X, Y, len(MANY))


def test_more_objects_than_a_launch_can_look_at_are_refused(device):
    with xt.device(device), pytest.raises(CompileError, match="sees more than 100,000 objects"):
        of_many(np.ones(16, np.float32))
