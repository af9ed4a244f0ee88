"""The assembly format of an op as tokens: the printer writes by them, the reader of our own text reads by them.

A small part of MLIR's assembly format language (ODS, "declarative assembly format"): `` `literal` ``, `$operand`, `$attribute`,
`type($operand)`, `attr-dict`, `prop-dict` (what the op declares; the other dictionary then holds the rest), an empty literal for
"no space here", and an optional group ``(`,` $acc^)?`` that is there where the anchored operand is. Ours besides: `others($operand)`,
the types of those operands that are no plain `index`.
"""

from __future__ import annotations

import re
from functools import cache

from xetile.records import dataclass

_TOKEN = re.compile(r"(`)([^`]*)`|(type|others)\(\$(\w+)\)|\$(\w+)(\^?)|(attr-dict|prop-dict)|(\()|(\)\?)")
_NO_SPACE_BEFORE = (",", "]", ">")
_NO_SPACE_AFTER = ("[", "<")


@dataclass(frozen=True, slots=True)
class Token:
    """One part of a format. kind: "literal", "name", "type", "others", "attr-dict", "prop-dict" or "group"; `text`: the literal, or the field.

    A group has its own tokens in `parts`, and the index of its anchor among them.
    """

    kind: str
    text: str = ""
    parts: tuple[Token, ...] = ()
    anchor: int = 0


@cache
def tokens_of(format: str) -> tuple[Token, ...]:
    """The tokens of a format."""
    tokens: list[Token] = []
    group: list[Token] | None = None
    anchor = 0
    for found in _TOKEN.finditer(format):
        quote, literal, typed, of, name, caret, dictionary, opened, closed = found.groups()
        if opened:
            group, anchor = [], 0
            continue
        if closed:
            assert group is not None
            tokens.append(Token("group", "", tuple(group), anchor))
            group = None
            continue
        token = Token("literal", literal) if quote else Token(typed, of) if typed else Token("name", name)
        target = tokens if group is None else group
        target.append(Token(dictionary) if dictionary else token)
        if group is not None and (caret or format.startswith("^", found.end())):
            anchor = len(group) - 1
    return tuple(tokens)


@cache
def mentioned(format: str) -> frozenset[str]:
    """The operands and attributes that a format names, which the dictionary then leaves out."""
    flat = [part for token in tokens_of(format) for part in (token.parts or (token,))]
    return frozenset(token.text for token in flat if token.kind == "name")


GLUE = "\0"
"""Between two parts: no space here."""


def joined(parts: list[str]) -> str:
    """Parts with the spaces that MLIR puts between them."""
    text, last = "", GLUE
    for part in parts:
        if part == GLUE:
            last = GLUE
        elif part:
            close = last in (GLUE, *_NO_SPACE_AFTER) or part in _NO_SPACE_BEFORE
            text += part if close else " " + part
            last = part
    return text
