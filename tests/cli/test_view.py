"""`xetile view`: what came of each line of a kernel is marked on each level, in a page that a browser shows."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import pytest

from tests import tools
from xetile import cli
from xetile.layout import Layout, draw

KERNEL = """
import numpy as np
import xetile as xt


@xt.jit
def twice(x):
    return x * 2


@xt.jit(grid=(1,), num_subgroups=4)
def product(A, B, C, N: xt.constexpr = 64):
    a = xt.load_tile(xt.init_tile(A, (0, 0), (N, 32)))
    b = xt.load_tile(xt.init_tile(B, (0, 0), (32, N)))
    c = twice(a @ b)
    xt.store_tile(c, xt.init_tile(C, (0, 0), (N, N)))


if __name__ == "__main__":
    product(np.ones((32, 32), np.float16), np.ones((32, 32), np.float16), np.zeros((32, 32), np.float32), N=32)
"""
PRODUCT = KERNEL.splitlines().index("    c = twice(a @ b)") + 1
DOUBLED = KERNEL.splitlines().index("    return x * 2") + 1
LEVELS = ["source", "xetile", "layout", "subgroup", "blocked", "xegpu", "lane", "SPIR-V", "machine code"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("view")
    (folder / "kernel.py").write_text(KERNEL)
    types = "f16[?,?],f16[?,?],f32[?,?]"
    assert cli.main(["view", f"{folder}/kernel.py:product", "--signature", types, "-o", str(folder / "out.html")]) == 0
    return folder / "out.html"


def columns(page: Path) -> dict[str, list[tuple[str, set[int]]]]:
    """The lines of each column, with the lines of the source that they come from."""
    found = {}
    for name, body in re.findall(
        r"<section.*?<h2>(.*?)\s*(?:<small>.*?</small>)?</h2>(.*?)</section>", page.read_text(), re.DOTALL
    ):
        rows = re.findall(r'<div(?: data-lines="([\d ]*)")?>(.*?)</div>', body, re.DOTALL)
        found[name] = [(unescape(text), set(map(int, lines.split()))) for lines, text in rows]
    return found


def test_every_level_marks_what_became_of_the_product(page):
    found = columns(page)
    assert list(found) == LEVELS
    words = {"xetile": "tile_mma", "layout": "tile_mma", "subgroup": "tile_mma", "blocked": "tile_mma", "xegpu": "xegpu.dpas",
             "lane": "xegpu.dpas", "SPIR-V": "OpSubgroupMatrixMultiplyAccumulateINTEL"}  # fmt: skip
    for level, word in words.items():
        products = [lines for text, lines in found[level] if word in text and "= " in text]
        assert products, level
        assert all(PRODUCT in lines for lines in products), level


def test_what_another_kernel_does_is_marked_at_both_lines(page):
    doubled = [lines for text, lines in columns(page)["xetile"] if "arith.mulf" in text]
    assert doubled == [{PRODUCT, DOUBLED}]


def test_machine_code_is_marked_where_the_compiler_is(page):
    tools.require_tool("ocloc")
    tools.require_tool("iga64")
    products = [lines for text, lines in columns(page)["machine code"] if " dpas" in text]
    assert products
    assert all(PRODUCT in lines for lines in products)


def test_without_the_compiler_the_page_says_so(tmp_path, monkeypatch):
    (tmp_path / "kernel.py").write_text(KERNEL)
    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "out.html"
    assert cli.main(["view", f"{tmp_path}/kernel.py:product", "--signature", "f16[?,?],f16[?,?],f32[?,?]", "-o", str(out)]) == 0
    assert "needs ocloc and iga64 on PATH" in out.read_text()
    assert columns(out)["machine code"] == []


def test_types_and_constants_are_those_of_the_first_call_where_none_are_given(tmp_path):
    (tmp_path / "kernel.py").write_text(KERNEL)
    out = tmp_path / "out.html"
    assert cli.main(["view", f"{tmp_path}/kernel.py:product", "-o", str(out)]) == 0
    found = columns(out)
    assert any("tile_mma" in text and "vector<32x32xf32>" in text for text, _ in found["xetile"])
    assert not [level for level, rows in found.items() if rows and not any(lines for _, lines in rows)]


def test_so_are_those_of_compile(tmp_path, capsys):
    (tmp_path / "kernel.py").write_text(KERNEL)
    assert cli.main(["compile", f"{tmp_path}/kernel.py:product", "--emit", "xetile"]) == 0
    text = capsys.readouterr().out
    assert "xetile.tile_mma" in text and "vector<32x32xf32>" in text


def test_a_file_that_does_not_call_the_kernel_is_told(tmp_path, capsys):
    (tmp_path / "kernel.py").write_text(KERNEL.partition("if __name__")[0])
    assert cli.main(["view", f"{tmp_path}/kernel.py:product"]) == 1
    said = capsys.readouterr().err
    assert "does not call product where it runs" in said
    assert "--signature" in said


def test_registers_reach_what_the_estimate_says_at_least(page):
    text = page.read_text()
    tallest = max(float(n) for n in re.findall(r", ([\d.]+) registers", text))
    least = int(re.search(r"at least (\d+)", text)[1])
    assert tallest >= least - 1


def test_layouts_are_drawn(page):
    titles = re.findall(r"<figcaption>(.*?)</figcaption>", page.read_text())
    assert any(title.startswith("layout: 64x64") for title in titles)
    assert any("lane_layout" in title for title in titles)


@pytest.mark.parametrize("layout,shape", [
    (Layout((4, 1), (8, 32)), (64, 32)),
    (Layout((2, 2), (16, 32)), (32, 32)),
    (Layout((2, 4), (8, 8), order=(0, 1)), (32, 32)),
])  # fmt: skip
def test_a_drawing_shows_each_element_with_its_owners(layout, shape):
    owners = layout.owners(shape)
    seen = {}
    for rows, columns_, named in re.findall(r"<title>\[([\d:]+), ([\d:]+)\] of (.*?)</title>", draw.subgroups(layout, shape)):
        held = {int(n) for n in re.findall(r"sg(\d+)", named)}
        for i in span(rows):
            for j in span(columns_):
                assert (i, j) not in seen
                seen[i, j] = held
    assert seen == {at: {subgroup for subgroup, _ in pairs} for at, pairs in owners.items()}


def test_a_drawing_of_lanes_shows_each_element_with_its_lane_and_place():
    layout = Layout(inst_data=(8, 16), lane_layout=(1, 16), lane_data=(1, 1))
    found = re.findall(r"<title>\[(\d+), (\d+)\]: element (\d+) of lane (\d+)</title>", draw.lanes(layout, (16, 16)))
    assert len(found) == 8 * 16
    for i, j, place, lane in (map(int, row) for row in found):
        assert layout.lane_elements((16, 16), lane)[place] == (i, j)


def span(text: str) -> range:
    first, _, last = text.partition(":")
    return range(int(first), int(last) if last else int(first) + 1)


def test_a_browser_shows_it_and_marks_lines(page, tmp_path):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        tools.missing("chromium", "apt-get install chromium")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
               f"--user-data-dir={tmp_path}", "--dump-dom", f"file://{page}#L{PRODUCT}"]  # fmt: skip
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout
    marked = re.findall(r'<div data-lines="([\d ]+)" class="on">', dom)
    assert marked  # the script ran
    assert all(str(PRODUCT) in lines.split() for lines in marked)
    assert len(marked) == sum(PRODUCT in lines for rows in columns(page).values() for _, lines in rows)
    assert re.search(r'<rect class="step depth\d on"', dom)
    assert "<figure data-lines=" in dom


def test_targets_without_machine_code_of_ocloc_have_a_page_too(tmp_path):
    file, page = tmp_path / "kernel.py", tmp_path / "cpu.html"
    file.write_text(KERNEL, encoding="utf-8")
    assert cli.main(["view", f"{file}:product", "--target", "cpu", "-o", str(page)]) == 0
    shown = columns(page)
    assert list(shown) == ["source", "xetile", "vectors", "SPIR-V", "machine code"]
    assert all(any(PRODUCT in lines for _, lines in shown[level]) for level in ("xetile", "vectors", "SPIR-V"))
    assert "made by the device" in page.read_text(encoding="utf-8")
    assert f'data-first="{DOUBLED + 3}"' in page.read_text(encoding="utf-8")  # the kernel, not the head of the file


def test_levels_that_a_target_has_not_are_named(tmp_path, capsys):
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, encoding="utf-8")
    signature = ["--signature", "f16[?,?],f16[?,?],f32[?,?]"]
    assert cli.main(["compile", f"{file}:product", "--target", "cpu", *signature, "--emit", "lane"]) != 0
    assert "cpu has no level lane" in (told := capsys.readouterr().err) and "xetile, vectors" in told
    assert cli.main(["compile", f"{file}:product", "--target", "cpu", *signature, "--emit", "vectors"]) == 0
    assert "vector.store" in capsys.readouterr().out
