"""Dumps, overrides, messages: what one can see of the compiler, and put in its place."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

import xetile as xt
from tests.runtime.sample import matmul, scale
from xetile.errors import BuildError, XetileError
from xetile.runtime import settings
from xetile.runtime.jit import Kernel

LEVELS = ["xetile", "layout", "subgroup", "blocked", "xegpu", "lane"]
pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")]


def run(alpha: float = 2.0) -> np.ndarray:
    """A call by a kernel that has compiled nothing yet."""
    fresh = Kernel(scale.fn, scale.head.out, scale.head.grid, 1)
    with xt.device("cpu"):
        return fresh(np.ones((16, 16), np.float32), alpha=alpha)


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    return tmp_path / "dumps"


def test_every_level_is_dumped(cpu, dumps):
    run()  # now it is in the cache: dumping compiles again
    with settings.override(dump_dir=dumps):
        run()
    (folder,) = dumps.iterdir()
    assert folder.name.startswith("scale-pvc-")
    assert sorted(file.name for file in folder.glob("*.mlir")) == [f"{i}-{level}.mlir" for i, level in enumerate(LEVELS)]
    assert "xetile.load_tile" in (folder / "0-xetile.mlir").read_text()
    assert "OpEntryPoint" in (folder / "kernel.spvasm").read_text()
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["name"] == "scale"
    assert (folder / "kernel.spv").read_bytes()[:4] == b"\x03\x02\x23\x07"
    compiles = xt.stats().compiles
    with settings.override(dump_dir=dumps):
        run()  # dumped already
    assert xt.stats().compiles == compiles


def test_an_override_is_run_instead(cpu, dumps):
    with settings.override(dump_dir=dumps):
        assert (run() == 2).all()
    (folder,) = dumps.iterdir()
    other = scale.compile("f32[?,?]", "f32[?,?]", "f32", num_subgroups=1)
    assert (folder / "kernel.spv").read_bytes() == other.spirv

    @xt.jit(num_subgroups=1)
    def doubled(X, Y, alpha, BM: xt.constexpr = 16, BN: xt.constexpr = 16):
        m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
        x = xt.load_tile(xt.init_tile(X, (m, n), (BM, BN)))
        xt.store_tile(x * (alpha * 2), xt.init_tile(Y, (m, n), (BM, BN)))

    edited = doubled.compile("f32[?,?]", "f32[?,?]", "f32")
    (folder / "kernel.spv").write_bytes(edited.spirv)
    (folder / "manifest.json").write_text(json.dumps(edited.binary.manifest()))
    with settings.override(override_dir=dumps):
        assert (run() == 4).all()
    assert (run() == 2).all()
    (folder / "manifest.json").write_text("{")
    with settings.override(override_dir=dumps), pytest.raises(BuildError, match="cannot be used"):
        run()


def test_messages_tell_of_compiles(cpu, caplog):
    caplog.set_level(logging.INFO, "xetile")
    run()
    run()
    said = [record.message for record in caplog.records]
    assert "scale(X: f32[?,?;close], Y: f32[?,?;close], alpha: f32)" in said[0]
    assert "compiled in" in said[0]
    assert "disk in" in said[1]


def test_messages_reach_stderr_by_the_setting(cpu, capfd, monkeypatch):
    from xetile.runtime import hooks

    log = hooks.log
    monkeypatch.setattr(log, "handlers", [logging.NullHandler()])
    monkeypatch.setattr(log, "level", logging.NOTSET)
    with settings.override(log="info"):
        run()
    assert "xetile: scale(" in capfd.readouterr().err
    logging.Logger.manager._clear_cache()


def test_errors_are_told_too(cpu, caplog):
    caplog.set_level(logging.INFO, "xetile")
    with pytest.raises(XetileError):
        matmul(np.ones(4, np.float32), np.ones((4, 4), np.float32), np.ones((4, 4), np.float32))
    assert "2 offsets for A" in caplog.text


def test_stats_count_what_calls_cost(cpu):
    run()
    counts = xt.stats()
    assert (counts.compiles, counts.builds, counts.loads, counts.cache_misses, counts.cache_hits) == (1, 1, 1, 1, 0)
    assert counts.compile_seconds > 0 and counts.build_seconds > 0
    run()
    counts = xt.stats()
    assert (counts.compiles, counts.builds, counts.loads, counts.cache_hits, counts.native_hits) == (1, 1, 2, 1, 1)
    xt.reset_stats()
    assert xt.stats() == type(counts)()
