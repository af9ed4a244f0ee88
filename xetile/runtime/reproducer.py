"""Files that show a mistake of xetile's own: the IR before the pass that failed, how to run it again, and versions."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from xetile import __version__, internal
from xetile.errors import InternalError
from xetile.runtime import settings

P = ParamSpec("P")
R = TypeVar("R")
_KEPT = 50
_PACKAGES = ("numpy", "ml_dtypes", "pyopencl", "intel-opencl-rt")
_HINT = "this is a mistake in xetile, not in your code: please report it with the file"


def guarded(stage: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that can be called twice: what it raises by accident becomes an InternalError with a reproducer."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                with internal.stage(stage):
                    return function(*args, **kwargs)
            except InternalError as error:
                if not error.reproducer:
                    keep(error, _target_of(args), lambda: function(*args, **kwargs))
                raise

        return wrapper

    return decorate


def behind_passes(module: Any) -> None:
    """Note the module behind all passes, where a failure is run once more."""
    from xetile.passes.manager import instruments

    if watching := instruments():
        from xetile.passes.instruments import Record

        for recording in watching:
            if isinstance(recording, Record):
                recording.begin("", module)


def keep(error: InternalError, target: str, again: Callable[[], Any] | None = None, text: str = "") -> None:
    """Write the reproducer of an error, and tell of it in the error; `again` does once more what failed, `text` is the IR."""
    rest: tuple[str, ...] = ()
    if again is not None:
        from xetile.passes.instruments import Record
        from xetile.passes.manager import watched

        found = Record()
        try:
            with watched(found):
                again()
        except Exception:  # as it did before, if it comes so far
            if found.text:
                text, rest = found.text, (found.step, *found.rest)
    contents = _contents(error, target, text, [name for name in rest if name and " " not in name])
    try:
        path = _folder() / f"{hashlib.sha256((error.message + text).encode()).hexdigest()[:16]}.mlir"
        path.write_text(contents, encoding="utf-8")
        error.reproducer = str(path)
        error.hint = f"{_HINT} {path}"
        for old in sorted(path.parent.glob("*.mlir"), key=lambda p: p.stat().st_mtime)[:-_KEPT]:
            old.unlink()
    except OSError:
        error.hint = _HINT.removesuffix(" with the file")


def _folder() -> Path:
    import tempfile

    base = settings.cache_directory() if settings.get("cache") else Path(tempfile.gettempdir()) / "xetile"
    folder = base / "reproducers"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _contents(error: InternalError, target: str, text: str, pipeline: list[str]) -> str:
    import traceback

    rest = f"--pipeline {','.join(pipeline)}" if pipeline else "--emit spirv"
    command = f"python -m xetile opt FILE --target {target} {rest}" if text else "(there is no IR of it)"
    cause = error.__cause__ if error.__cause__ is not None else error
    lines = [error.message, f"again: {command}", *versions(), "", *"".join(traceback.format_exception(cause)).splitlines()]
    return "".join(f"// {line}".rstrip() + "\n" for line in lines) + "\n" + text + ("\n" if text else "")


def versions() -> list[str]:
    """What is installed, a line each."""
    import platform
    from importlib import metadata

    found = [f"xetile {__version__}, Python {sys.version.split()[0]}, {platform.platform()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return found


def _target_of(args: tuple[Any, ...]) -> str:
    target = next((a for a in args if hasattr(a, "grf_modes")), None) or getattr(args[0] if args else None, "target", "pvc")
    return str(getattr(target, "name", target))
