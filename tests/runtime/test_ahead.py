"""What is found of kernels before they are compiled ahead of time, and kept for that."""

from __future__ import annotations

import xetile as xt

SCALE = 1.0


@xt.jit
def scaled_rows(X, Y):
    h = xt.program_id(0)
    xt.store_tile(xt.load_tile(xt.init_tile(X[h], (0, 0), (8, 16))) * SCALE, xt.init_tile(Y[h], (0, 0), (8, 16)))


def test_a_trace_that_nobody_took_is_not_taken_for_other_globals(monkeypatch, tmp_path):
    """The axes are known from the disk for the second one, and the first one's code is: nobody traces between them."""
    monkeypatch.setenv("XETILE_CACHE_DIR", str(tmp_path))
    types = ("f32[?,?,?]",) * 2

    def spirv(scale):
        monkeypatch.setitem(globals(), "SCALE", scale)
        return scaled_rows.compile(*types).spirv

    first = spirv(2.0)
    axes_of_first = set((tmp_path / "axes").rglob("*.entry"))
    kernels_of_first = set((tmp_path / "kernels").rglob("*.entry"))
    second = spirv(3.0)
    assert first != second
    for entry in {*axes_of_first, *(set((tmp_path / "kernels").rglob("*.entry")) - kernels_of_first)}:
        entry.unlink()
    assert spirv(2.0) == first
    assert spirv(3.0) == second
