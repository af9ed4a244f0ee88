"""Pieces that select numbers by an element's place in a tile, or make numbers of such places: 32 at a time.

A place is the sum of a number of each lane and one of each row, which one of the lanes holds. A piece compares both as they are. IGC makes
a number of 16 lanes for each row, compares those, and moves flags to registers and back where many wait for their selects.

A piece is an expression in words, operators first. Operands are named by a letter and their number: `o` an integer of each lane, `u` one
that is uniform, `r` one that lane `first + row` holds for a row, `v` and `f` vectors of integers and of f32, `b` 1 where something holds
in a lane and 0 elsewhere, `c` an integer that is known, `z` the bits of an f32.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xetile.records import dataclass

from .call import Call, declared

REGISTERS = 2
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_SUMS = {"add": "+", "sub": "-"}
_DECISIONS = {"and": "&&", "or": "||"}


@dataclass(frozen=True)
class TreeCall(Call, name="tree"):
    """`count` f32 of each lane, an even number, by an expression."""

    count: int
    words: tuple[str, ...]

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        return _Writer(self, lanes).lines

    def to_words(self) -> list[str]:
        """The expression behind the count."""
        return [str(self.count), *self.words]

    @classmethod
    def of_words(cls, words: Sequence[str]) -> TreeCall:
        """The piece of these."""
        return cls(int(words[0]), tuple(words[1:]))

    def function(self) -> str:
        """That function in OpenCL C."""
        vectors = {"v": f"int{self.count}", "f": f"float{self.count}"}
        params = ", ".join(f"{vectors.get(word[0], 'int')} x{number_of(word)}" for word in self.operands)
        rows = ", ".join(_in_c(iter(self.words), row) for row in range(self.count))
        return f"float{self.count} {self.symbol}({params}) {{ return (float{self.count})({rows}); }}"

    @property
    def operands(self) -> list[str]:
        """The words that name operands, one for each, in their order."""
        named = {number_of(word): word for word in self.words if is_operand(word)}
        return [named[number] for number in sorted(named)]


def is_operand(word: str) -> bool:
    """Whether a word of an expression names an operand."""
    return word[0] in "ourvfb" and word[1:2].isdigit()


def number_of(word: str) -> int:
    """The number of an operand."""
    return int(word[1:].partition(".")[0])


class _Writer:
    """The text of one piece, row pair by row pair."""

    def __init__(self, call: TreeCall, lanes: int) -> None:
        self.lanes, self.wide = lanes, f"M1_NM, {REGISTERS * lanes}"
        self.head = [declared("O", call.count * lanes, 0)]
        self.body: list[str] = []
        self.held: dict[str, str] = {}
        sizes = {"u": 1, "v": call.count * lanes, "f": call.count * lanes}
        for word in call.operands:
            size, kind = sizes.get(word[0], lanes), "f" if word[0] == "f" else "d"
            self.head.append(declared(f"X{number_of(word)}", size, number_of(word) + 1, kind))
        for row in range(0, call.count, REGISTERS):
            self._root(iter(call.words), row)
        self.lines = [*self.head, *self.body]

    def _root(self, words: Iterator[str], row: int) -> None:
        result, word = f"O({row},0)<1>", next(words)
        if word == "float":
            self._line(f"mov ({self.wide}) {result} {self._number(words, row)}")
            return
        keeps, own, other = self._decision(words, row), self._float(next(words), row), self._float(next(words), row)
        self._line(f"({keeps}) sel ({self.wide}) {result} {own} {other}")

    def _float(self, word: str, row: int) -> str:
        return f"0x{word[1:]}:f" if word[0] == "z" else f"X{number_of(word)}({row},0)<1;1,0>"

    def _decision(self, words: Iterator[str], row: int) -> str:
        """The predicate of a condition."""
        word = next(words)
        if word[0] == "b" and is_operand(word):  # the same for all rows
            if word not in self.held:
                self.held[word] = self._predicate()
                self._line(f"cmp.ne ({self.wide}) {self.held[word]} X{number_of(word)}(0,0)<0;{self.lanes},1> 0:d")
            return self.held[word]
        if word in _DECISIONS:
            one, other = self._decision(words, row), self._decision(words, row)
            made = self._predicate()
            self._line(f"{word} ({self.wide}) {made} {one} {other}")
            return made
        first, second = self._number(words, row), self._number(words, row)
        if first.endswith(":d"):
            word, first, second = _MIRRORED[word], second, first
        made = self._predicate()
        self._line(f"cmp.{word} ({self.wide}) {made} {first} {second}")
        return made

    def _number(self, words: Iterator[str], row: int) -> str:
        """An integer as an instruction's operand."""
        word = next(words)
        if word == "abs":
            return f"(abs){self._number(words, row)}"
        if word in _SUMS:
            one, other = self._number(words, row), self._number(words, row)
            made = f"T{len(self.head)}"
            self.head.append(declared(made, REGISTERS * self.lanes, None, "d"))
            less = f"(-){other}" if word == "sub" else other
            one, less = (less, one) if one.endswith(":d") else (one, less)  # a number that is known comes last
            self._line(f"add ({self.wide}) {made}(0,0)<1> {one} {less}")
            return f"{made}(0,0)<1;1,0>"
        kind, (name, _, first) = word[0], word[1:].partition(".")
        if kind == "c":
            return f"{name}:d"
        if kind == "r":
            return f"X{name}(0,{int(first) + row})<1;{self.lanes},0>"
        place, region = {"o": (0, f"0;{self.lanes},1"), "u": (0, "0;1,0"), "v": (row, "1;1,0")}[kind]
        return f"X{name}({place},0)<{region}>"

    def _predicate(self) -> str:
        name = f"P{len(self.head)}"
        self.head.append(f".decl {name} v_type=P num_elts={REGISTERS * self.lanes}")
        return name

    def _line(self, line: str) -> None:
        self.body.append(line)


def _in_c(words: Iterator[str], row: int) -> str:
    word = next(words)
    if word == "sel":
        return f"({_in_c(words, row)} ? {_in_c(words, row)} : {_in_c(words, row)})"
    if word in ("float", "abs"):
        return f"({'float' if word == 'float' else 'int'})({'abs' if word == 'abs' else ''}({_in_c(words, row)}))"
    sign = (COMPARISONS | _SUMS | _DECISIONS).get(word)
    if sign is not None:
        return f"({_in_c(words, row)} {sign} {_in_c(words, row)})"
    kind, (name, _, first) = word[0], word[1:].partition(".")
    if kind == "c":
        return name
    if kind == "z":
        return f"as_float(0x{name}u)"
    if kind == "r":
        return f"sub_group_shuffle(x{name}, {int(first) + row}u)"
    return f"x{name}.s{row:x}" if kind in "vf" else f"x{name}"
