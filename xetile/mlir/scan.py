"""Walking through MLIR text character by character: literals, names, and pieces with balanced brackets."""

from __future__ import annotations

import re
from bisect import bisect_right

from xetile.errors import Location, MlirTextError
from xetile.mlir.limits import MOST_DIGITS, shortened

_BLANK = re.compile(r"(?:\s|//[^\n]*)*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2}|.)")
_OPENING, _CLOSING = "([{<", ")]}>"


class Scanner:
    """A position in a text of a file; without a file errors have no place (whoever asked for a piece of text knows it)."""

    def __init__(self, text: str, file: str = "") -> None:
        self.text = text
        self.file = file
        self.position = 0
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))] if file else [0]

    def skip(self) -> None:
        """Past blanks and comments."""
        found = _BLANK.match(self.text, self.position)
        assert found
        self.position = found.end()

    def peek(self, literal: str) -> bool:
        """Whether this comes next."""
        self.skip()
        return self.text.startswith(literal, self.position)

    def accept(self, literal: str) -> bool:
        """Past this, if it comes next."""
        if not self.peek(literal):
            return False
        self.position += len(literal)
        return True

    def expect(self, literal: str) -> None:
        """Past this, which must come next."""
        if not self.accept(literal):
            raise self.error(f"expected {literal!r}")

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Past what the pattern matches here, if it does."""
        self.skip()
        found = pattern.match(self.text, self.position)
        if found:
            self.position = found.end()
        return found

    def need(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Past what the pattern matches here; `what` it is, for the error."""
        found = self.match(pattern)
        if not found:
            raise self.error(f"expected {what}")
        return found

    def string(self) -> str:
        """A quoted string, without quotes and escapes."""
        return unquoted(self.quoted())

    def quoted(self) -> str:
        """A quoted string as it is written."""
        return self.need(_STRING, "a string")[0]

    def piece(self, stops: str) -> str:
        """The text up to one of `stops` outside of brackets and strings (or to the end), which stays."""
        self.skip()
        start, depth = self.position, 0
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == '"':
                self.string()
                continue
            if depth == 0 and char in stops and not self._arrow():
                break
            depth += (char in _OPENING) - (char in _CLOSING and not self._arrow())
            self.position += 1
        return self.text[start : self.position].strip()

    def _arrow(self) -> bool:
        return self.text[self.position] == ">" and self.text[self.position - 1] == "-"

    def rest(self) -> str:
        """All that follows."""
        self.skip()
        return self.text[self.position :]

    def end(self) -> None:
        """Nothing may follow."""
        if self.rest():
            raise self.error("expected the end")

    def place(self, position: int | None = None) -> Location:
        """File, line and column of a position (by default of this one)."""
        where = self.position if position is None else position
        line = bisect_right(self._lines, where)
        return Location(self.file, line, where - self._lines[line - 1])

    def error(self, why: str) -> MlirTextError:
        """An error at this place that quotes what comes next."""
        self.skip()
        shown = self.text[self.position : self.position + 30].split("\n")[0]
        what = f"{why} at {shown!r}" if shown else f"{why}, not the end"
        if not self.file:
            return MlirTextError(f"cannot read {shortened(self.text)}: {what}")
        return MlirTextError(f"cannot read MLIR text: {what}", at=self.place())


def whole(digits: str, base: int = 10) -> int:
    """A whole number; raises MlirTextError (without a place) for one that no type holds."""
    if len(digits) > MOST_DIGITS:
        raise MlirTextError(f"the number {shortened(digits, MOST_DIGITS)} has {len(digits)} digits; no type holds it")
    try:
        return int(digits, base)
    except ValueError:
        raise MlirTextError(f"{digits!r} is no whole number") from None


def unquoted(text: str) -> str:
    """A string without quotes and escapes (MLIR: two hexadecimal digits, or the character itself)."""
    named = {"n": "\n", "t": "\t"}
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else named.get(m[1], m[1]), text[1:-1])
