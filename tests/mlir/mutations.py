"""Modules with something changed at random: what a slip of the pen, or a generator with a mistake, makes of a text."""

from __future__ import annotations

import random
import re

_TOKEN = re.compile(r'"[^"\n]*"|[%#!@^]?[\w.$-]+|[^\s\w]')
NUMBERS = ("0", "1", "-1", "2", "3", "7", "16", "17", "64", "1000", "65536", "4294967296", "-9223372036854775808", "1.5", "?",
           "true", "0x7F")  # fmt: skip
WORDS = ("f16", "f32", "i8", "i32", "i1", "index", "tf32", "vector", "memref", "cached", "unit", "none", "add", "i64", "bf16")


def mutated(text: str, chance: random.Random) -> str:
    """The text with one to three tokens removed, doubled, swapped, or replaced by others of their kind."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        tokens = list(_TOKEN.finditer(text))
        if not tokens:
            return text
        found = chance.choice(tokens)
        text = text[: found.start()] + _instead(found[0], tokens, chance) + text[found.end() :]
    if chance.random() < 0.1:
        lines = text.split("\n")
        first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
        lines[first] = chance.choice((lines[second], "", lines[first][: chance.randrange(1 + len(lines[first]))]))
        text = "\n".join(lines)
    return text


def _instead(token: str, tokens: list[re.Match[str]], chance: random.Random) -> str:
    how = chance.random()
    if how < 0.1:
        return ""
    if how < 0.2:
        return f"{token} {token}"
    if re.fullmatch(r"-?[\d.]+", token):
        return chance.choice(NUMBERS)
    if re.fullmatch(r"(?:\d+x)+\w+", token):  # a shape
        parts = token.split("x")
        parts[chance.randrange(len(parts))] = chance.choice((*NUMBERS[:9], *WORDS[:6]))
        return "x".join(parts)
    alike = [t[0] for t in tokens if t[0][0] == token[0] or (t[0][0].isalpha() and token[0].isalpha())]
    return chance.choice(alike if how < 0.8 else [*WORDS, *NUMBERS, *(t[0] for t in tokens)])
