"""What can go wrong, one class for each kind of mistake, and where: every error knows its place in the user's source.

An error says what is wrong, why, and how to fix it (`hint`), with the source line and a caret under the expression.
"""

from __future__ import annotations

from typing import Any

from xetile import source_text
from xetile.records import dataclass

_SHOWN = 200  # characters of a line


@dataclass(frozen=True)
class Location:
    """A place in the user's source; `caller` is the call that led there when a kernel calls another one."""

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    function: str = ""
    caller: Location | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"

    def to_json(self) -> list[Any]:
        """The place without the calls that led there: `Location(*place.to_json())`."""
        return [self.file, self.line, self.column, self.end_column, self.function]

    @property
    def _line(self) -> str:
        lines = source_text.lines(self.file)
        return lines[self.line - 1] if 0 < self.line <= len(lines) else ""

    @property
    def text(self) -> str:
        """The source text of the expression, as far as it stands on its line; empty where the source is not there."""
        line = self._line
        return line[self.column : self.end_column].strip() or line[self.column :].strip()

    def render(self) -> str:
        """File, line, the source line and a caret below the expression, then the chain of calls."""
        where = f'  File "{self.file}", line {self.line}' + (f", in {self.function}" if self.function else "")
        text, column, end = _cut(self._line.rstrip("\n"), self.column, self.end_column)
        lines = [where]
        if text:
            lead = len(text) - len(text.lstrip())
            width = max(1, min(end, len(text)) - column)
            lines += ["    " + text.lstrip(), "    " + " " * max(0, column - lead) + "^" * width]
        again, caller = 0, self.caller
        while caller is not None and caller.caller is not None and (caller.file, caller.line) == (self.file, self.line):
            again, caller = again + 1, caller.caller
        if again:
            lines.append(f"  called from itself, {again} times")
        if caller is not None:
            lines += ["  called from", caller.render()]
        return "\n".join(lines)


def counted(number: Any, noun: str) -> str:
    """A number of things: "1 axis", "2 axes"."""
    return f"{number} {noun if number == 1 else 'axes' if noun == 'axis' else f'{noun}s'}"


def _cut(text: str, column: int, end: int) -> tuple[str, int, int]:
    """The part of a long line that people read, and where columns are in it."""
    if len(text) <= _SHOWN:
        return text, column, end
    first = max(0, min(column - _SHOWN // 4, len(text) - _SHOWN))
    return text[first : first + _SHOWN], max(0, column - first), max(0, end - first)


class XetileError(Exception):
    """Base of all errors of this project: `message`, an optional `hint` how to fix it, and `at`, where."""

    def __init__(self, message: str, *, hint: str | None = None, at: Location | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.at = at

    def __str__(self) -> str:
        parts = [self.message]
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        if self.at is not None:
            parts.append(self.at.render())
        return "\n".join(parts)

    def located(self, at: Location | None) -> XetileError:
        """The same error with a place, if it had none."""
        if self.at is None:
            self.at = at
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.hint, self.at)


def _rebuild(kind: type[XetileError], message: str, hint: str | None, at: Location | None) -> XetileError:
    return kind(message, hint=hint, at=at)


class CompileError(XetileError):
    """The kernel cannot be compiled as written."""


class UnsupportedSyntaxError(CompileError):
    """A Python construct that kernels cannot use."""


class TileShapeError(CompileError):
    """Shapes of tiles or values that do not fit each other, the op or the hardware."""


class DtypeError(CompileError):
    """Element types that do not fit each other, the op or the target."""


class LayoutError(CompileError):
    """A distribution over subgroups or lanes that cannot be, or that contradicts another."""


class ConstexprError(CompileError):
    """A value that must be known when the kernel is compiled is missing or is not known."""


class ResourceError(CompileError):
    """The kernel needs more of the hardware (registers, shared memory, work-items) than there is."""


class UncoveredError(CompileError):
    """The kernel has something that is not compiled for this kind of target yet; another kind of target can run it."""


class VerifyError(CompileError):
    """A module breaks the rules of its dialects: a compiler's mistake, or IR written by hand."""


class MlirTextError(CompileError):
    """MLIR text that cannot be read: malformed, of another version of MLIR, or with ops that xetile does not have."""


class InternalError(XetileError):
    """A mistake in xetile itself, in a `stage` of its work.

    `reproducer`: a file with the IR before that stage, how to run it again, versions and the traceback.
    """

    def __init__(
        self, message: str, *, hint: str | None = None, at: Location | None = None, stage: str = "", reproducer: str = ""
    ) -> None:
        super().__init__(message, hint=hint, at=at)
        self.stage = stage
        self.reproducer = reproducer


class ArgumentError(XetileError):
    """A kernel was called with arguments that do not fit it; nothing has run."""


class DeviceError(XetileError):
    """There is no device of the kind asked for, or it cannot run kernels."""


class BuildError(XetileError):
    """A driver refused a module; the message holds its whole log, the target and the options used."""


class LaunchError(XetileError):
    """A kernel could not be started, or failed while running."""


class LimitError(XetileError):
    """It takes more time or memory than it was given."""


class KernelAssertionError(XetileError):
    """A `device_assert` of a kernel did not hold."""
