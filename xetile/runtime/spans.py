"""Where functions stand in their files: what a kept kernel says of its source must name the copy that is running.

A kernel that another clone of a project compiled, or that has moved down its file since, is the same kernel in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xetile import schema
from xetile.errors import Location
from xetile.records import dataclass

if TYPE_CHECKING:
    from xetile.runtime.artifact import Binary


@dataclass(frozen=True)
class Span:
    """The lines of a function's definition, from its `def` on, and the spaces before it."""

    file: str
    first: int
    lines: int
    indent: int

    def holds(self, at: Location) -> bool:
        """Whether a place is in the function."""
        return at.file == self.file and 0 <= at.line - self.first < self.lines

    def to_json(self) -> list[Any]:
        """`Span(*span.to_json())` is the span."""
        return [self.file, self.first, self.lines, self.indent]


_NUMBER = schema.whole(0, 2**31)
SPANS: schema.Reader[Sequence[Span]] = schema.many(
    lambda value, at: Span(*schema.row(schema.WORDS, _NUMBER, _NUMBER, _NUMBER)(value, at)), 100_000
)
"""What `Span.to_json` writes, of several."""


def moved(made: Binary, was: Sequence[Span], now: Sequence[Span]) -> Binary:
    """A kernel whose places in functions that stood at `was` are where these stand `now`; others stay.

    Raises SchemaError where these cannot be the same functions.
    """
    if [span.lines for span in was] != [span.lines for span in now]:
        raise schema.SchemaError("it was made from other functions")
    pairs = [(old, new) for old, new in zip(was, now, strict=True) if old != new]
    if not pairs:
        return made

    def place(at: Location) -> Location:
        old, new = next((pair for pair in pairs if pair[0].holds(at)), (None, None))
        if old is None or new is None:
            return at
        deeper = new.indent - old.indent
        return Location(new.file, at.line - old.first + new.first, max(0, at.column + deeper),
                        max(0, at.end_column + deeper), at.function)  # fmt: skip

    return replace(
        made,
        slow=tuple((why, hint, place(at)) for why, hint, at in made.slow),
        read_first=tuple((name, place(at)) for name, at in made.read_first),
        asserts=tuple((message, kinds, at and place(at)) for message, kinds, at in made.asserts),
    )
