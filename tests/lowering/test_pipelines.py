"""Named barriers and specialised subgroups; races and divergent barriers are reported at subgroup and at lane level."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.checks import DivergentBarrierError, RaceError
from xetile.backends.reference.interpret import interpret
from xetile.backends.spirv.emit.emitter import emit

import xetile as xt
from tests.lowering import pipelines
from tests.parity.run import arguments, request
from tests.tools import isa_counts, ocloc_compile
from xetile.dialects import scf
from xetile.errors import CompileError, DeviceError, LaunchError, LayoutError
from xetile.ir.verifier import verify
from xetile.runtime.compiler import lower
from xetile.runtime.devices import find_device
from xetile.target import get_target

TYPES = {"A": "f32[?,?]", "C": "f32[?,?]"}
LOWER_LEVELS = ("subgroup", "blocked", "xegpu", "lane")


def levels(kernel: Any, target: str = "pvc") -> Iterator[tuple[str, Any]]:
    for level, module in lower(request(kernel, TYPES, target, kernel.num_subgroups)):
        verify(module)
        yield level, module


def run(module: Any, blocks: int = 3, **options: Any) -> dict[str, np.ndarray]:
    values = {
        "A": np.random.default_rng(0).standard_normal((64 * blocks, 64)).astype(np.float32),
        "C": np.zeros((64, 64), np.float32),
    }
    interpret(module, (1, 1, 1), arguments(module.kernel, values), **options)
    return values


def test_the_pipeline_sums_at_every_level_that_says_what_subgroups_hold() -> None:
    """Above, the branches of some subgroups are about values that all of them share: a run of one program cannot take one branch and
    the other, so that the reference refuses it instead of giving the number of whichever it took.
    """
    for level, module in levels(pipelines.pipeline):
        if level in ("workgroup", "layout"):
            with pytest.raises(LaunchError, match="run the module at subgroup level"):
                run(module)
            continue
        values = run(module, debug=level in LOWER_LEVELS)
        np.testing.assert_allclose(values["C"], values["A"].reshape(3, 64, 64).sum(0), rtol=1e-5, atol=1e-5, err_msg=level)


def test_ranges_stay_on_their_branches() -> None:
    for _, module in levels(pipelines.pipeline):
        ranges = [
            op.attributes["sg_id_range"] for op in module.walk() if isinstance(op, scf.If) and "sg_id_range" in op.attributes
        ]
        assert [(r.start, r.end) for r in ranges] == [(0, 4), (4, 8)]


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
def test_the_pipeline_compiles_for_gpus(target: str) -> None:
    chip = get_target(target)
    module = dict(levels(pipelines.pipeline, target))["lane"]
    emitted = emit(module, chip)
    assert emitted.spins and emitted.slm_bytes == 64 * 64 * 4 + 2 * 4
    grf = module.kernel.attributes["grf"]
    code = isa_counts(ocloc_compile(emitted.spirv, target, chip.grf_mode(grf).build_option), target)
    assert code.whole.scratch == 0


def test_devices(device: str) -> None:
    """numpy and simulated GPUs run it; the CPU runtime, which runs subgroups one after the other, says that it cannot."""
    a, c = np.ones((192, 64), np.float32), np.zeros((64, 64), np.float32)
    with xt.device(device):
        if find_device(device).kind == "cpu":
            with pytest.raises(DeviceError, match="named barriers that only some subgroups reach"):
                pipelines.pipeline(a, c)
        else:
            pipelines.pipeline(a, c)
            assert (c == 3).all()


def line_at_fault(kernel: Any) -> int:
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if line.rstrip().endswith("# here"))


@pytest.mark.covering
@pytest.mark.every(2, 1)
@pytest.mark.parametrize("level", LOWER_LEVELS)
@pytest.mark.parametrize(
    ("kernel", "error"),
    [
        (pipelines.no_barrier, RaceError),
        (pipelines.overlapping_writes, RaceError),
        (pipelines.impatient_producers, RaceError),
        (pipelines.never_freed, DivergentBarrierError),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_mistakes_are_reported(kernel: Any, error: Any, level: str) -> None:
    module = dict(levels(kernel))[level] if level == "lane" else next(m for name, m in levels(kernel) if name == level)
    with pytest.raises(error) as caught:
        run(module, debug=True)
    if kernel is not pipelines.impatient_producers:  # either side may come too early
        assert caught.value.at is not None and caught.value.at.line == line_at_fault(kernel)


def test_a_barrier_that_some_do_not_reach_is_refused() -> None:
    """Before it runs, as in XeTile kernels."""
    with pytest.raises(CompileError, match="only some subgroups reach it") as caught:
        list(levels(pipelines.divergent_barrier))
    assert caught.value.at is not None and caught.value.at.line == line_at_fault(pipelines.divergent_barrier)


@pytest.mark.every(2)
@pytest.mark.parametrize("level", LOWER_LEVELS)
def test_the_correct_twin_is_silent(level: str) -> None:
    module = next(m for name, m in levels(pipelines.turned) if name == level)
    values = run(module, 1, debug=True)
    np.testing.assert_array_equal(values["C"], values["A"])


def test_layouts_are_of_the_range() -> None:
    @xt.jit(grid=(1,), num_subgroups=8)
    def wrong(A, C):
        if xt.xegpu.sg_id_range(0, 4):
            value = xt.xegpu.load_nd(xt.xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=pipelines.ALL))
            xt.xegpu.store_nd(value, xt.xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=pipelines.ALL))

    with pytest.raises(LayoutError, match=r"has 8 subgroups; sg_id_range .* has 4"):
        list(levels(wrong))


def test_exchanges_do_not_stand_in_ranges() -> None:
    """They would need a barrier that the others do not reach."""

    @xt.jit(grid=(1,), num_subgroups=8)
    def exchange(A, C):
        if xt.xegpu.sg_id_range(0, 4):
            value = xt.xegpu.load_nd(xt.xegpu.create_nd_tdesc(A, (0, 0), (64, 64), layout=pipelines.PRODUCERS))
            xt.xegpu.store_nd(value, xt.xegpu.create_nd_tdesc(C, (0, 0), (64, 64), layout=pipelines.CONSUMERS))

    with pytest.raises(LayoutError, match="branch or loop that not all subgroups take"):
        list(levels(exchange))
