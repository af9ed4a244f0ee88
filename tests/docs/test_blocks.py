"""Every code block of README, of the documentation and of docstrings runs, and prints what the page says."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

import xetile as xt
from docs.extensions.docstrings import examples
from docs.extensions.names import public_names, types
from tests import tools
from tests.docs.blocks import Block, Session, blocks

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [path for path in PAGES if "names" not in path.parts]
NAMES = [name for name in (*public_names(), *types()) if name.is_described]
# What only its callers or the compiler make: an example of it is one of theirs.
WITHOUT_EXAMPLE = re.compile(
    r"(?:xt\.)?(Value|Array|Tile|NamedBarrier|Layout|Kernel|Bound|CompiledKernel|xegpu\.(MemDesc|TensorDesc))$"
)


def require_devices(codes: Iterable[str]) -> None:
    """Skip, or fail where tools are required, if code runs on a device, or needs a package, that is not here."""
    codes = list(codes)
    if any("import dask" in code for code in codes) and importlib.util.find_spec("dask") is None:
        tools.missing("dask", "pip install -e '.[dask]'")
    if any('"cpu"' in code for code in codes) and not any(info.kind == "cpu" and info.usable for info in xt.devices()):
        tools.missing("a CPU OpenCL device", "pip install -e '.[cpu]'")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_blocks_of_pages_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # pages may write files
    for folder in ("tutorials", "benchmarks"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    session, found = Session(tmp_path, page.stem), blocks(page.read_text(encoding="utf-8"))
    require_devices(block.code for block in found if block.word == "python")
    with xt.device("numpy"):
        for block in found:
            session.run(block)
    session.check_done()


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.text)
def test_examples_of_docstrings_run(name, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = examples(name.value)
    assert shown or WITHOUT_EXAMPLE.fullmatch(name.text), f"{name.text} shows no example"
    session = Session(tmp_path, name.page)
    exec("import numpy as np, xetile as xt; from xetile import errors, xegpu", session.names)
    require_devices(code for code, _ in shown)
    for number, (code, printed) in enumerate(shown):
        with xt.device("numpy"):
            session.run(Block("python", code + "\n", number))
            session.check_done()
            session.run(Block("output", printed, number))
