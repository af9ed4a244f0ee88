"""Every setting of xetile in one table: its name, environment variable, type, default and meaning.

`get(name)` reads the environment each time, so a setting may change while a process runs; `override` replaces settings within
a `with` block, for the calling thread or task alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from xetile.errors import XetileError
from xetile.records import dataclass

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"", "0", "false", "no", "off"})


@dataclass(frozen=True)
class Setting:
    """One setting; `choices` limits a text setting to these words."""

    name: str
    variable: str
    type: type
    default: Any
    doc: str
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> Any:
        """The value that `text` spells.  Raises XetileError naming the variable when it spells none."""
        if self.type is bool:
            return self._parse_bool(text)
        if self.choices and text not in self.choices:
            raise self._refusal(text, f"one of {', '.join(repr(c) for c in self.choices)}")
        try:
            value = self.type(text)
            if self.type in (int, float) and not 0 <= value < float("inf"):
                raise self._refusal(text, "a number from 0 on")
            return value
        except ValueError:
            raise self._refusal(text, f"a value of type {self.type.__name__}") from None

    def _parse_bool(self, text: str) -> bool:
        word = text.strip().lower()
        if word not in TRUE_WORDS | FALSE_WORDS:
            raise self._refusal(text, "1 or 0")
        return word in TRUE_WORDS

    def _refusal(self, text: str, wanted: str) -> XetileError:
        return XetileError(f"{self.variable}={text!r} cannot be used: expected {wanted}", hint=self.doc)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "device", "XETILE_DEVICE", str, "",
        "Device that kernels run on: gpu, cpu, numpy, or a number of `xetile devices`; empty: an Intel GPU, else Intel's CPU "
        "runtime, else numpy."),
    Setting(
        "cpu", "XETILE_CPU", str, "",
        "How kernels run on a CPU device. `emulate`: the GPU's module with its instructions emulated; `avx2`, `avx512`, `avx512_bf16` "
        "(products by BF16 and VNNI) or `amx` (by tiles): loops over vectors of that width, emulated where there is no such code "
        "yet; `vector`: loops over the CPU's own vectors, and an error where there is no such code yet; empty: what suits best.",
        choices=("", "emulate", "vector", "avx2", "avx512", "avx512_bf16", "amx")),
    Setting("cache", "XETILE_CACHE", bool, True, "Keep compiled kernels on disk."),
    Setting("cache_dir", "XETILE_CACHE_DIR", Path, None, "Directory of compiled kernels; unset: the user's cache directory."),
    Setting("cache_size", "XETILE_CACHE_SIZE", int, 1 << 30, "Bytes that the cache may take; the least recently used go first."),
    Setting("dump_dir", "XETILE_DUMP_DIR", Path, None, "Directory that receives each kernel's IR at every level and its SPIR-V."),
    Setting(
        "override_dir", "XETILE_OVERRIDE_DIR", Path, None,
        "Directory whose IR or SPIR-V replaces what the compiler made, under the names of the dump directory."),
    Setting("verify_passes", "XETILE_VERIFY_PASSES", bool, False, "Check the IR after each pass of the compiler."),
    Setting(
        "print_before", "XETILE_PRINT_BEFORE", str, "",
        "Passes, with commas, before which the IR is printed on stderr; `all`: each of them."),
    Setting("print_after", "XETILE_PRINT_AFTER", str, "", "The same for the IR after passes."),
    Setting("tracebacks", "XETILE_TRACEBACKS", bool, False, "Show xetile's own frames in the tracebacks of its errors."),
    Setting("pass_times", "XETILE_PASS_TIMES", bool, False, "Print on stderr how long each pass of a compilation took."),
    Setting(
        "debug", "XETILE_DEBUG", bool, False,
        "Debug mode, as within `xt.debug()`: kernels run on numpy unless another device is chosen, with every access checked."),
    Setting(
        "log", "XETILE_LOG", str, "", "Level of messages on stderr about compiling and launching.",
        choices=("", "debug", "info", "warning", "error")),
    Setting(
        "code_size", "XETILE_CODE_SIZE", int, 2 << 20,
        "Bytes of SPIR-V that a driver is given at most: larger modules keep it busy for minutes; 0: any."),
    Setting(
        "seconds", "XETILE_SECONDS", float, 0.0,
        "Seconds of the processor's time after which a kernel on the numpy device is given up; 0: never."),
    Setting("profiling", "XETILE_PROFILING", bool, False, "Create queues with profiling, so that events carry times."),
    Setting(
        "require_tools", "XETILE_REQUIRE_TOOLS", bool, False,
        "In tests: a missing outside tool (mlir-opt, spirv-val, ocloc) is a failure instead of a skip."),
)  # fmt: skip
BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}

_overrides: ContextVar[Mapping[str, Any]] = ContextVar("xetile_settings", default={})  # noqa: B039 (never mutated)


def get(name: str) -> Any:
    """The present value of a setting: an override, else its environment variable, else its default.

    Raises XetileError when the environment holds something the setting cannot be, KeyError for an unknown name.
    """
    overrides = _overrides.get()
    if name in overrides:
        return overrides[name]
    setting = BY_NAME[name]
    text = os.environ.get(setting.variable)
    if text is None or (text == "" and setting.type is Path):
        return setting.default
    return setting.parse(text)


@contextmanager
def override(**values: Any) -> Iterator[None]:
    """Within the block these settings have these values: `with settings.override(cpu="emulate"): ...`"""
    if unknown := values.keys() - BY_NAME.keys():
        raise XetileError(f"unknown setting {', '.join(sorted(unknown))}", hint=f"settings: {', '.join(BY_NAME)}")
    token = _overrides.set({**_overrides.get(), **values})
    try:
        yield
    finally:
        _overrides.reset(token)


def cache_directory() -> Path:
    """Where xetile keeps files of its own: XETILE_CACHE_DIR, else the user's cache directory for `xetile`; not yet created."""
    if (chosen := get("cache_dir")) is not None:
        return Path(chosen)
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~/AppData/Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "xetile"


def table() -> str:
    """All settings as text: variable, present value, where it came from, meaning."""
    rows = [(s.variable, _shown(s), s.doc.replace("\n", " ")) for s in SETTINGS]
    left, middle = (max(len(row[i]) for row in rows) for i in (0, 1))
    lines = [f"{variable:<{left}}  {value:<{middle}}  {doc}" for variable, value, doc in rows]
    return "\n".join([*lines, *unknown()])


def unknown() -> list[str]:
    """Variables of the environment that are named as settings are, and are none: a line for each."""
    from difflib import get_close_matches  # for those who ask only

    known = [s.variable for s in SETTINGS]
    lines = []
    for name in sorted(n for n in os.environ if n.startswith("XETILE_") and n not in known):
        close = get_close_matches(name, known, 1)
        lines.append(f"{name} is set, and is no setting{f': did you mean {close[0]}?' if close else ''}")
    return lines


def _shown(setting: Setting) -> str:
    value = get(setting.name)
    text = "unset" if value in (None, "") else str(int(value) if setting.type is bool else value)
    return text if value == setting.default else f"{text} (set)"
