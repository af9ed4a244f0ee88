"""Options and fixtures that all tests share."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from tests import tools
from xetile.errors import DeviceError
from xetile.runtime.devices import find_device

GOLDEN = Path(__file__).parent / "golden"
# Everywhere that kernels can run without a GPU.
DEVICES = ("numpy", "cpu")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("xetile")
    group.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing with them")
    group.addoption(
        "--sweep", type=_fraction, default=0.0, metavar="SHARE", help="run this share of the slow tests, 0 to 1 (default: none)"
    )
    group.addoption("--hypothesis-examples", type=int, default=50, metavar="N", help="random examples per property (default: 50)")


def _fraction(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise ValueError(f"{text} is not between 0 and 1")
    return share


def pytest_configure(config: pytest.Config) -> None:
    examples = config.getoption("--hypothesis-examples")
    # No deadline: a first example that compiles a kernel takes long.  Derandomized: a run can be repeated.
    hypothesis_settings.register_profile("xetile", max_examples=examples, deadline=None, derandomize=True, print_blob=True)
    hypothesis_settings.load_profile("xetile")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the share of the slow tests that --sweep asks for, spread evenly over each sweep."""
    share = config.getoption("--sweep")
    slow = [item for item in items if item.get_closest_marker("slow")]
    left_out = {item for i, item in enumerate(slow) if int((i + 1) * share) == int(i * share)}
    if left_out:
        config.hook.pytest_deselected(items=sorted(left_out, key=items.index))
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """`golden(name, text)`: `text` must be what the file tests/golden/NAME holds; --update-golden writes it there."""

    def check(name: str, text: str) -> None:
        file = GOLDEN / name
        text = text.rstrip("\n") + "\n"
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            return
        assert file.exists(), f"tests/golden/{name} does not exist: run pytest --update-golden, and read what it wrote"
        expected = file.read_text(encoding="utf-8")
        if text != expected:
            lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), f"tests/golden/{name}", "now", lineterm="")
            pytest.fail("\n".join([*lines, "", "if the change is meant: pytest --update-golden"]), pytrace=False)

    return check


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.device) for name in DEVICES])
def device(request: pytest.FixtureRequest) -> str:
    """The name of each kind of device that can run kernels here: "numpy" and "cpu"."""
    name: str = request.param
    try:
        find_device(name)
    except DeviceError as error:
        tools.missing(f"a {name} device", str(error))
    return name
