"""Options and fixtures that all tests share."""

from __future__ import annotations

import difflib
import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import settings as hypothesis_settings

from tests import kept_builds, sampling, tools
from tests.progress import USED, Progress
from tests.stand_in import lacking, stand_in
from xetile.cli import guard
from xetile.errors import BuildError, DeviceError, DtypeError, ResourceError, UncoveredError
from xetile.mlir import child, upstream
from xetile.runtime.cpus import has_amx
from xetile.runtime.devices import find_device

# The CPU stands in for a GPU, and runs the module that a GPU gets, unless a test asks for more (the fixture `device` of a folder).
os.environ.setdefault("XETILE_CPU", "emulate")
os.environ.setdefault("XETILE_VERIFY_PASSES", "1")

GOLDEN = Path(__file__).parent / "golden"
# Everywhere that kernels can run without a GPU.
DEVICES = ("numpy", "cpu")
# Machine code on simulated GPUs: of each test that runs on "cpu" a sample (--simulated), or all by --on.
SIMULATED = ("sim:pvc", "sim:bmg", "sim:dg2")
SAMPLE = 0.002
# Half of what the CPU's driver takes for a module is better registers, order, addresses and vectors than tests need.
FAST_BUILDS = (
    "-optimize-regalloc=false -pre-RA-sched=source -post-RA-scheduler=false -disable-lsr -disable-cgp -disable-machine-licm "
    "-disable-machine-cse -vectorize-slp=false -vectorize-loops=false"
)
# Folders whose tests run with the CPU's own code too ("vectors"); the others are about the GPU's module.
WITH_VECTORS = ("ops", "language", "rfc")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("xetile")
    group.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing with them")
    group.addoption(
        "--sweep", type=_fraction, default=0.0, metavar="SHARE", help="run this share of the slow tests, 0 to 1 (default: none)"
    )
    group.addoption(
        "--simulated", type=_fraction, default=SAMPLE, metavar="SHARE",
        help=f"run this share of the device tests on simulated GPUs too, 0 to 1 (default: {SAMPLE})",
    )  # fmt: skip
    group.addoption("--on", default="", metavar="DEVICE", help='run what runs on "cpu" on another device, such as sim:bmg')
    group.addoption("--progress", type=Path, metavar="FILE", help="note each outcome in FILE, and leave out what passed there")
    group.addoption("--hypothesis-examples", type=int, default=50, metavar="N", help="random examples per property (default: 50)")


def _fraction(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 1:
        raise ValueError(f"{text} is not between 0 and 1")
    return share


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("--sweep") and not has_amx():
        # Sweeps run what the driver makes by its own settings. Registers of AMX are configured by its own allocation alone.
        os.environ.setdefault("CL_CONFIG_LLVM_OPTIONS", FAST_BUILDS)
    # Fewer collections of cycles: those of Python's own choice look at all modules and tests again and again, a fifth of the time.
    gc.set_threshold(100_000, 20, 20)
    examples = config.getoption("--hypothesis-examples")
    # No deadline: a first example that compiles a kernel takes long.  Derandomized: a run can be repeated.
    hypothesis_settings.register_profile("xetile", max_examples=examples, deadline=None, derandomize=True, print_blob=True)
    hypothesis_settings.load_profile("xetile")
    if other := config.getoption("--on"):
        stand_in(other, _asked.append)
        guard._failed = partial(_note_printed, guard._failed)
    if file := config.getoption("--progress"):
        config.pluginmanager.register(Progress(file, writes=not hasattr(config, "workerinput")), "xetile-progress")
    _asked.clear()
    if not hasattr(config, "workerinput"):
        kept_builds.forget()


_asked: list[str] = []
"""The devices that stood in for "cpu" since the running test began."""


_printed: list[str] = []
"""Errors that commands printed since the running test began, where all runs on another device."""


def _note_printed(failed: Callable[[str], int], why: str) -> int:
    _printed.append(why)
    return failed(why)


def pytest_collection_finish() -> None:
    """What is there by now stays: no collection of cycles looks at it again."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Keep the share of the slow tests that --sweep asks for, and of the simulated ones, spread evenly over each sweep.

    Before others look at the items: of three tests two are left out.
    """
    tests, elsewhere = Path(__file__).parent, bool(config.getoption("--on"))
    own_code = [item for item in items if item.get_closest_marker("vectors")]
    left_out = {item for item in items if elsewhere and item.get_closest_marker("cpus")}
    left_out |= {item for item in own_code if elsewhere or item.path.relative_to(tests).parts[0] not in WITH_VECTORS}
    kept = [item for item in items if item not in left_out]
    if not elsewhere:
        sampling.leave_to_the_sweep(kept)
    left_out |= _beyond([item for item in kept if item.get_closest_marker("slow")], config.getoption("--sweep"))
    simulated = [item for item in kept if item.get_closest_marker("simulated")]
    share = 0.0 if elsewhere else config.getoption("--simulated")
    left_out |= _beyond(simulated, share)
    left_out -= sampling.without_another(kept, left_out) if share else set()
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
    return (yield)


def _beyond(items: list[pytest.Item], share: float) -> set[pytest.Item]:
    return {item for i, item in enumerate(items) if int((i + 1) * share) == int(i * share)}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A target that lacks what a test was written with says so when it compiles: no failure of a test for another one.

    Dtypes, room, matrices of CPUs, messages of a module that was made for another target.
    """
    try:
        return (yield)
    except (DtypeError, ResourceError, UncoveredError, BuildError, AssertionError) as error:
        if item.config.getoption("--on") or item.get_closest_marker("simulated"):
            skip_if_lacking(error, _printed)
        raise
    finally:
        _printed.clear()
        if _asked:
            item.user_properties.append((USED, _asked[-1]))
            _asked.clear()


def skip_if_lacking(error: Exception, printed: Sequence[str]) -> None:
    """Skip where a target said that it lacks something."""
    if line := lacking(error, printed):
        pytest.skip(line)


@pytest.fixture(scope="session", autouse=True)
def _mlir_opt_is_asked_once() -> Iterator[None]:
    """What it made of a text is known to later tests of this process: it takes longer to start than all else takes."""
    kept = lru_cache(1024)(child.run)

    def run(command: Sequence[str], text: str) -> child.Done:
        return kept(tuple(command), text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(upstream, "child", SimpleNamespace(run=run))
        yield


@pytest.fixture(scope="session", autouse=True)
def _builds_are_kept() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        with suppress(ImportError):  # no pyopencl
            kept_builds.of_drivers(patch)
        kept_builds.of_gpu_compiler(patch)
        yield


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


@pytest.fixture(params=[
    *(pytest.param(name, marks=pytest.mark.device) for name in DEVICES),
    pytest.param("vectors", marks=(pytest.mark.device, pytest.mark.vectors)),
    *(pytest.param(name, marks=(pytest.mark.device, pytest.mark.simulated)) for name in SIMULATED),
])  # fmt: skip
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of each kind of device that can run kernels here: "numpy" and "cpu", the latter with the GPU's module and, in some
    folders, as users meet it; and for a sample of tests simulated GPUs.
    """
    name: str = request.param
    if name == "vectors":
        monkeypatch.setenv("XETILE_CPU", "")
        name = "cpu"
    try:
        find_device(name)
    except DeviceError as error:
        tools.missing(f"a {name} device", str(error))
    return name
