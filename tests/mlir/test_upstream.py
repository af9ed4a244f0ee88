"""Workgroup to subgroups as LLVM 22 does it: each subgroup loads, computes and stores the same elements in its module and in ours.

Upstream's text is read back, and both modules are executed on the reference backend, which notes who does what.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret
from xetile.backends.reference.values import storage

from tests import tools
from tests.mlir.record import recording
from tests.mlir.workgroup import MODULES, UPSTREAM_REFUSES, UPSTREAM_WRONG
from xetile import mlir
from xetile.dialects import gpu
from xetile.dialects.types import MemRefType
from xetile.errors import LaunchError
from xetile.passes.named import lower_to
from xetile.passes.pipeline import level_to_run
from xetile.target import get_target

PASS = "--xegpu-wg-to-sg-distribute"
GRID = (2, 2)
AGREED = [name for name in MODULES if name not in UPSTREAM_REFUSES and name not in UPSTREAM_WRONG]


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def upstream(name: str, subgroups: int, *passes: str) -> Any:
    """Upstream's module for subgroups; it says nowhere how many there are."""
    module = mlir.parse(tools.mlir_opt(MODULES[name], PASS, *passes), "upstream.mlir")
    for value, original in zip(module.kernel.body.args, mlir.parse(MODULES[name]).kernel.body.args, strict=True):
        value.name = original.name
    module.kernel.attributes.update(num_subgroups=subgroups, level="subgroup")  # it keeps what the text says of the level
    return module


def arrays(module: Any) -> list[np.ndarray[Any, Any]]:
    """For A and B numbers that are all different or small enough for sums to be exact; R has nothing."""
    found = []
    for value in module.kernel.body.args:
        assert isinstance(value.type, MemRefType)
        dtype = storage(value.type.element)
        count = int(np.prod(value.type.shape))
        numbers = np.full(count, -1) if value.name == "R" else np.arange(count) % 2048 - 1024
        if dtype == np.float16:
            numbers = np.arange(count) * 7 % 13 - 6
        found.append(numbers.astype(dtype).reshape(value.type.shape))
    return found


def run(module: Any, monkeypatch: Any) -> tuple[Any, np.ndarray[Any, Any]]:
    given = arrays(module)
    with recording(monkeypatch) as runs:
        interpret(module, GRID, given, debug=True)
    return runs[0], given[-1]


def programs(name: str) -> tuple[Any, Any]:
    """Our subgroup-level module, and the workgroup-level one it came from."""
    ours = lower_to(mlir.parse(MODULES[name]), get_target("pvc"), "subgroup")
    return ours, mlir.parse(MODULES[name])


def as_a_whole(module: Any) -> bool:
    """Whether a workgroup-level module says what it does without its subgroups: none asks who it is."""
    return level_to_run(module) == "xetile"


def computed(recorder: Any, written: set[str]) -> dict[Any, Any]:
    """The results of ops of these names, for each subgroup."""
    return {who: {name: values for name, values in ops.items() if name in written} for who, ops in recorder.made_by.items()}


@pytest.mark.every(40, 10)
@pytest.mark.parametrize("name", AGREED)
def test_each_subgroup_does_the_same(name, monkeypatch):
    """A workgroup-level module in which somebody asks who he is has no meaning as a whole: running it is refused, and upstream's module
    alone says what is right.
    """
    ours, whole = programs(name)
    theirs = upstream(name, ours.kernel.attributes["num_subgroups"])
    (mine, result), (other, expected) = run(ours, monkeypatch), run(theirs, monkeypatch)
    assert mine.stores == other.stores and mine.stores, "stores"
    assert mine.loads == other.loads, "loads"
    # Reductions are made of other ops here than there; all that the user wrote himself is compared value by value.
    written = {op.opname for op in whole.walk()} - {"vector.multi_reduction"}
    assert computed(mine, written) == computed(other, written)
    assert (result == expected).all()
    if as_a_whole(whole):
        assert (result == run(whole, monkeypatch)[1]).all()
    else:
        assert any(isinstance(op, gpu.SubgroupId) for op in whole.walk())
        with pytest.raises(LaunchError, match="run the module at subgroup level"):
            run(whole, monkeypatch)


def test_the_comparison_sees_another_owner(monkeypatch):
    """The same copy, numbered column by column: the result is the same, and who made it is not."""
    rows, columns = (run(upstream(name, 8), monkeypatch) for name in ("even", "column-major order"))
    assert (rows[1] == columns[1]).all()
    assert rows[0].stores != columns[0].stores and rows[0].loads != columns[0].loads and rows[0].made_by != columns[0].made_by


@pytest.mark.every(12, 3)
@pytest.mark.parametrize("name", AGREED)
def test_all_subgroups_take_part(name, monkeypatch):
    """The comparison above sees every subgroup: none of them is idle, and together they cover what one workgroup does."""
    ours, whole = programs(name)
    mine, _ = run(ours, monkeypatch)
    subgroups = ours.kernel.attributes["num_subgroups"]
    assert {who[3] for who in mine.stores} == set(range(subgroups)) and subgroups > 1
    if not as_a_whole(whole):  # then what upstream's module does is the whole
        whole = upstream(name, subgroups)
    alone, _ = run(whole, monkeypatch)
    assert set().union(*mine.stores.values()) == set().union(*alone.stores.values())
    assert set().union(*mine.loads.values()) == set().union(*alone.loads.values()) if alone.loads else not mine.loads


@pytest.mark.parametrize("name", UPSTREAM_REFUSES)
def test_what_upstream_does_not_do_yet_is_right_by_our_own_meaning(name, monkeypatch):
    with pytest.raises(AssertionError, match=f"failed to legalize operation '{UPSTREAM_REFUSES[name]}'"):
        tools.mlir_opt(MODULES[name], PASS)
    ours, whole = programs(name)
    assert (run(ours, monkeypatch)[1] == run(whole, monkeypatch)[1]).all()


@pytest.mark.every(2)
@pytest.mark.parametrize("name", sorted(UPSTREAM_WRONG))
def test_where_upstream_is_wrong_the_meaning_of_the_whole_decides(name, monkeypatch):
    """When this fails, upstream is fixed: compare with it again."""
    ours, whole = programs(name)
    theirs = upstream(name, ours.kernel.attributes["num_subgroups"])
    _, expected = run(whole, monkeypatch)
    assert (run(ours, monkeypatch)[1] == expected).all()
    assert (run(theirs, monkeypatch)[1] != expected).any()


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("name", ["product of matrices", "convert_layout of instructions", "inst_data and lanes"])
def test_what_upstream_blocks_means_the_same(name, monkeypatch):
    """Its next pass cuts ops into instructions; that text is read and executed too."""
    ours, whole = programs(name)
    blocked = upstream(name, ours.kernel.attributes["num_subgroups"], "--xegpu-blocking")
    assert (run(blocked, monkeypatch)[1] == run(whole, monkeypatch)[1]).all()
