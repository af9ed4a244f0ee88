"""`opt` and `run` on modules with something changed at random: results or an error of the user's text, never an accident of ours."""

from __future__ import annotations

import contextlib
import io
import random
from functools import cache
from pathlib import Path

import pytest

from tests import tools
from tests.kernels import matmul
from tests.mlir import test_functions, test_views, users_transfers, users_whole
from tests.mlir.everywhere import generic_forms
from tests.mlir.mutations import mutated
from tests.mlir.workgroup import MODULES
from tests.xegpu import valid
from xetile.cli import main
from xetile.errors import XetileError
from xetile.ir.printer import print_op

HERE = Path(__file__).parents[2]
SECONDS = "4"


@cache
def texts() -> dict[str, str]:
    """Custom and generic text of every level, of every op of the dialect, and of functions as others write them."""
    compiled = matmul.matmul.compile("f16[?,?]", "f16[?,?]", "f32[?,?]", BM=32, BN=32)
    found = {level: compiled.ir[level] for level in ("xetile", "blocked", "lane")}
    found |= {name: text if isinstance(text, str) else text[0] for name, text in list(MODULES.items())[:4]}
    found |= {f"function: {name}": text for name, (text, _) in test_functions.ALONE.items()} | {"calls": test_functions.CALLED}
    found |= {f"view: {name}": text for name, text in (("lanes", test_views.LANES), ("shared", test_views.SHARED))}
    found |= {f"op: {name}": print_op(valid.module(name)) for name in valid.VALID}
    found |= {
        f"transfer: {name}": users_transfers.TRANSFERS[name].text
        for name in ("masked and transposed", "rank 3", "neighbours", "of a part")
    }
    found |= {
        f"whole: {name}": users_whole.WHOLE[name].text for name in ("a product of a product", "a buffer of two halves by turns")
    }
    found["tutorial"] = (HERE / "tutorials" / "xegpu_gemm.mlir").read_text()
    generic = generic_forms([*found.values()])
    return found | {f"generic: {name}": text for name, text in zip(found, generic, strict=True)}


def escaped(seed: int, known: dict[str, str], folder: Path) -> str:
    """What came out of one case that must not: the case and the exception; else empty."""
    chance = random.Random(seed)
    name = chance.choice(sorted(known))
    file = folder / "mutated.mlir"
    file.write_text(mutated(known[name], chance))
    words = chance.choice((
        ["opt", str(file)], ["opt", str(file), "--pipeline", chance.choice(("canonicalize", "subgroup", "lane", "xegpu"))],
        ["opt", str(file), "--emit", "spirv", "-o", str(folder / "out")],
        ["run", str(file), "--device", "numpy", "--arg", "random:32x32", "--arg", "random:32x32", "--arg", "zeros:32x32"],
        ["run", str(file), "--device", "numpy", "--arg", "random", "--arg", "random", "--arg", "zeros"],
    ))  # fmt: skip
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            main([*words, "--seconds", SECONDS])
        if "InternalError" in said.getvalue():
            return f"{seed} ({name}) {' '.join(words[:4])}: {said.getvalue().splitlines()[0]}"
    except Exception as error:
        where = error.__traceback__
        while where is not None and where.tb_next is not None:
            where = where.tb_next
        at = f"{where.tb_frame.f_code.co_filename}:{where.tb_lineno}" if where is not None else ""
        return f"{seed} ({name}) {' '.join(words[:4])}: {type(error).__name__}: {error} at {at}"
    return ""


@pytest.mark.parametrize("seed", [
    *(pytest.param(i, id=f"{i}") for i in range(1)), *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, 400)),
])  # fmt: skip
def test_no_mutation_gets_through(seed, tmp_path, capsys):
    tools.require_tool("mlir-opt")
    known = texts()
    found = [said for i in range(60) if (said := escaped(1000 * seed + i, known, tmp_path))]
    assert not found, "\n".join(found)
    assert "Traceback" not in capsys.readouterr().err


def test_the_texts_are_right_before():
    tools.require_tool("mlir-opt")
    from xetile import mlir

    for name, text in texts().items():
        with contextlib.suppress(XetileError):
            assert mlir.parse(text, name).kernel is not None
            continue
        pytest.fail(name)
