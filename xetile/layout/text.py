"""Printing and parsing of layout attributes, in the exact text of LLVM 22's xegpu dialect and of the XeTile RFC."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xetile.errors import LayoutError

_DIGITS = 10  # of the largest sizes
Parameters = dict[str, tuple[int, ...]]

# Older names of the same parameters: seed 000 (xegpu.sg_map) and seed 003 (sg_order).
_OLD_NAMES = {"wi_layout": "lane_layout", "wi_data": "lane_data", "sg_order": "order"}

_TOKEN = re.compile(r"\s*(#?[A-Za-z_][\w.]*|-?\d+|[<>\[\],=:])")


def print_parameters(name: str, parameters: Sequence[tuple[str, Sequence[int]]]) -> str:
    """`#name<key = [1, 2], ...>`; empty lists are left out, as LLVM does."""
    shown = (f"{key} = [{', '.join(map(str, values))}]" for key, values in parameters if values)
    return f"#{name}<{', '.join(shown)}>"


def shape_text(shape: Sequence[int]) -> str:
    """`256x32`."""
    return "x".join(map(str, shape))


class Reader:
    """Reads one attribute from text, token by token; errors quote the text and the place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def peek(self) -> str:
        """The next token, without taking it; empty at the end."""
        match = _TOKEN.match(self.text, self.position)
        return match.group(1) if match else ""

    def take(self, expected: str = "") -> str:
        """Takes the next token, which must be `expected` if that is given."""
        match = _TOKEN.match(self.text, self.position)
        token = match.group(1) if match else ""
        if not match or (expected and token != expected):
            raise self.error(f"expected {expected!r}" if expected else "expected more")
        self.position = match.end()
        return token

    def error(self, message: str) -> LayoutError:
        """An error that quotes the text and says where in it."""
        text = self.text.strip()
        return LayoutError(f"cannot read the layout {text[:200]!r}: {message} at column {self.position + 1}")

    def skip(self, *tokens: str) -> None:
        """Takes these tokens one after another; "" is any."""
        for token in tokens:
            self.take(token)

    def integer(self) -> int:
        """Takes an integer."""
        token = self.take()
        try:
            if len(token) <= _DIGITS:
                return int(token)
        except ValueError:
            pass
        raise self.error(f"expected an integer below 2**31, not {token[:40]!r}")

    def integers(self) -> tuple[int, ...]:
        """`[1, 2]`, or the generic form `array<i32: 1, 2>` that seed 001 uses for inner_blocks."""
        closing = "]"
        if self.peek() == "array":
            self.skip("array", "<", "", ":")
            closing = ">"
        else:
            self.take("[")
        values: list[int] = []
        while self.peek() != closing:
            values.append(self.integer())
            if self.peek() != closing:
                self.take(",")
        self.take(closing)
        return tuple(values)

    def parameters(self, known: Sequence[str]) -> Parameters:
        """`<key = [..], ...>` with the keys in any order; old names become today's."""
        found: Parameters = {}
        self.take("<")
        while self.peek() != ">":
            key = self.take()
            name = _OLD_NAMES.get(key, key)
            if name not in known:
                raise self.error(f"{key!r} is no parameter of this attribute (known: {', '.join(known)})")
            if name in found:
                raise self.error(f"{key!r} is given twice")
            self.take("=")
            found[name] = self.integers()
            if self.peek() != ">":
                self.take(",")
        self.take(">")
        return found

    def end(self) -> None:
        """Raises LayoutError unless all is read."""
        if self.text[self.position :].strip():
            raise self.error("expected the end")
