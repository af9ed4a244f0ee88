"""The pass manager: passes are verified, printed, timed and stopped, and the one that changes what a kernel computes is found."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import traced
from xetile import cli
from xetile.dialects import arith
from xetile.errors import InternalError
from xetile.ir.core import Value
from xetile.ir.printer import print_op
from xetile.ir.rewriter import Rewriter
from xetile.ir.verifier import VerifyError, verify
from xetile.passes import manager, pipeline
from xetile.passes.instruments import Print, Snapshots, StopAfter, Stopped, Times, Verify
from xetile.passes.named import lower_to
from xetile.target import get_target

PVC = get_target("pvc")


@xt.jit
def doubled(X, Y):
    tile = xt.load_tile(xt.init_tile(X, (0, 0), (16, 16)))
    xt.store_tile(tile + tile * 2.0, xt.init_tile(Y, (0, 0), (16, 16)))


def module() -> Any:
    zeros = np.zeros((16, 16), np.float32)
    return traced(doubled.fn, {"X": zeros, "Y": zeros}, subgroups=1)


def lowered(*instruments: manager.Instrument) -> Any:
    with manager.watched(*instruments):
        return lower_to(module(), PVC, "lane")


def names() -> list[str]:
    return [step.__name__ for _, steps in pipeline.PIPELINE for step in steps]


def test_times_and_texts_of_all_passes():
    times, texts = Times(), Snapshots()
    lowered(times, texts)
    assert times.seconds.keys() == set(names())
    assert [text.split(" ")[1] for text in texts.texts] == names()
    assert times.table().splitlines()[-1].endswith("all passes")


def test_prints_before_and_after_passes_by_name():
    out = io.StringIO()
    lowered(Print(before=("infer_layouts",), after=("infer_layouts", "distribute_to_lanes"), to=out))
    heads = [line for line in out.getvalue().splitlines() if line.startswith("//")]
    assert heads == ["// before infer_layouts", "// after infer_layouts", "// after distribute_to_lanes"]


def test_stops_after_a_pass_with_what_there_is():
    with pytest.raises(Stopped) as stopped:
        lowered(StopAfter("block_to_hardware"))
    assert stopped.value.module.kernel.attributes["level"] == "blocked"


def test_nothing_watches_outside_of_the_block():
    with manager.watched(Times()):
        pass
    assert not [i for i in manager.instruments() if isinstance(i, Times)]


def forgets_a_use(module: Any, target: Any) -> Any:
    """A pass that goes around the rewriter."""
    op = next(op for op in module.walk() if isinstance(op, arith.AddF))
    op.operands[0].users.clear()
    return module


def uses_too_early(module: Any, target: Any) -> Any:
    add, multiply = (next(op for op in module.walk() if isinstance(op, kind)) for kind in (arith.AddF, arith.MulF))
    Rewriter().move_before(add, multiply)
    return module


@pytest.mark.parametrize("broken", [forgets_a_use, uses_too_early])
def test_the_verifier_names_the_pass_that_left_an_invalid_module(broken):
    with (
        manager.watched(Verify()),
        pytest.raises(InternalError, match=f"in the pass {broken.__name__}, which left an invalid module"),
    ):
        manager.run([broken], module(), PVC)


def test_values_know_their_uses_after_replacing_and_erasing():
    made = module()
    verify(made)
    add = next(op for op in made.walk() if isinstance(op, arith.AddF))
    product: Value = next(op for op in made.walk() if isinstance(op, arith.MulF)).result
    loaded = next(v for v in add.operands if v is not product)
    assert dict(loaded.users) == {add: 1, product.op: 1}
    Rewriter().replace_uses(product, loaded)
    assert loaded.users[add] == 2
    assert not product.users
    Rewriter().replace(product.op, loaded)
    assert dict(loaded.users) == {add: 2}
    verify(made)


def test_a_copy_with_a_mapping_is_the_same_text():
    made = module()
    text = print_op(made)
    became: dict[Value, Value] = {}
    build = Rewriter()
    ops = [build.copy(op, became) for op in made.kernel.body.ops]
    assert len(ops) == len(made.kernel.body.ops)
    assert all(type(became[r].op) is type(r.op) for op in made.kernel.body.ops for r in op.results)
    assert print_op(made) == text
    with pytest.raises(VerifyError):  # the copies take the values of the kernel's arguments, and stand outside of it
        verify(made)


def adds_one_less(module: Any, target: Any) -> Any:
    """A pass that miscompiles: one product becomes a difference."""
    rewrite = Rewriter()
    op = next(op for op in module.walk() if isinstance(op, arith.AddF))
    with rewrite.before(op):
        rewrite.replace(op, rewrite(arith.SubF, *op.operands))
    return module


def test_bisect_names_the_first_pass_that_changes_results(tmp_path, monkeypatch, capsys):
    file = tmp_path / "kernel.mlir"
    file.write_text(print_op(module()))
    words = ["bisect", str(file), "--arg", "X=random:16x16xf32", "--arg", "Y=zeros:16x16xf32"]
    assert cli.main(words) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "no pass changes the results"
    (layout, first), *others = pipeline.PIPELINE
    monkeypatch.setattr(pipeline, "PIPELINE", ((layout, (*first[:3], adds_one_less, *first[3:])), *others))
    monkeypatch.setattr("xetile.passes.named.PIPELINE", pipeline.PIPELINE)
    assert cli.main(words) == 0
    assert "4 adds_one_less: FIRST DIFFERENCE, in Y" in capsys.readouterr().out.splitlines()[-1]


def test_opt_stops_prints_and_times(tmp_path, capsys):
    file = tmp_path / "kernel.mlir"
    file.write_text(print_op(module()))
    command = ["opt", str(file), "--pipeline", "lane", "--print-before", "infer_layouts"]
    assert cli.main([*command, "--stop-after", "infer_layouts"]) == 0
    said = capsys.readouterr()
    assert "wg_map" in said.out
    assert said.err.startswith("// before infer_layouts")
    assert cli.main([*command, "--times"]) == 0
    assert "distribute_to_lanes" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--stop-after", "--print-before", "--print-after"])
def test_opt_tells_of_a_pass_that_did_not_run(tmp_path, capsys, option):
    file = tmp_path / "kernel.mlir"
    file.write_text(print_op(module()))
    assert cli.main(["opt", str(file), "--pipeline", "layout", option, "infer_layout"]) == 1
    said = capsys.readouterr()
    assert "no pass 'infer_layout' ran" in said.err
    assert "infer_layouts" in said.err
    assert said.out == ""


def test_opt_prints_passes_of_all_that_it_lowers(tmp_path, capsys):
    file = tmp_path / "kernel.mlir"
    file.write_text(print_op(module()))
    assert cli.main(["opt", str(file), "--emit", "spirv-text", "--print-after", "infer_layouts"]) == 0
    assert capsys.readouterr().err.startswith("// after infer_layouts")
