"""Pieces on f32 in pairs of rows, as second operands of products have them.

Two registers hold two rows: of the first half of the lanes, each lane's two numbers beside each other, and of the second half. Numbers of a
table come so by the bytes as they lie, and are narrowed where they are. For rows by themselves (`singles`) the bytes would be taken
apart and the numbers put together.
"""

from __future__ import annotations

from xetile.records import dataclass

from .call import WORDS, Call, declared, part_of

PAIRS = WORDS // 2
"""Pairs of rows in eight registers of f32."""
CODES = 16
"""Numbers of a table, one for each lane."""


@dataclass(frozen=True)
class PairTableCall(Call, name="pairs table"):
    """Eight rows of a table of f32, the first or the `second` ones of sixteen: each lane has one number `b`, bytes are places, four bytes to
    a number.
    """

    second: bool
    first: int
    words: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly; addresses for one instruction at a time."""
        lines = [declared("O", WORDS * lanes, 0, "d")]
        lines += [declared("A", 4 * self.words * lanes, 1, "ub"), declared("B", lanes, 2, "d")]
        lines += [f".decl P{register} v_type=A num_elts={lanes}" for register in range(WORDS)]
        for register in range(WORDS):
            pair, part = register // 2, register % 2
            place = f"A({self._word(pair)},{pair % 2 * 2 + part * 2 * lanes})<4;2,1>"
            lines.append(f"addr_add (M1_NM, {lanes}) P{register}(0)<1> &B {place}")
            lines.append(f"mov (M1_NM, {lanes}) O({register},0)<1> r[P{register}(0),0]<1,0>:d")
        return lines

    def _word(self, pair: int) -> int:
        """Which word has the bytes of a pair of rows."""
        return self.first + (self.second * PAIRS + pair) // 2

    def function(self) -> str:
        """That function in OpenCL C: every lane is handed the word of the lane whose numbers it holds, and each of its numbers."""
        lines = []
        for register in range(WORDS):
            pair, part = register // 2, register % 2
            word = f"sub_group_shuffle(x.s{(self.second * PAIRS + pair) // 2}, l / 2 + h * {part})"
            place = f"(({word} >> ({pair % 2 * 16}u + l % 2 * 8u)) & 255u) >> 2"
            lines.append(f"o.s{register} = sub_group_shuffle(one, {place});")
        x = f"const uint4 x = {part_of(self.first, self.words)}; {_LANE}"
        return f"float8 {self.symbol}(uint{self.words} a, float one) {{ float8 o; {x} {' '.join(lines)} return o; }}"


@dataclass(frozen=True)
class PairsOfSinglesCall(Call, name="pairs pairs"):
    """All pairs of a table of f32, of which each lane has one number: the first number by lanes, the second by words of 64 bits."""

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", 2 * CODES * lanes, 0, "d"), declared("A", lanes, 1, "d")]
        for code in range(CODES):
            lines.append(f"mov (M1_NM, {lanes}) O({2 * code},0)<2> A(0,0)<1;1,0>")
            lines.append(f"mov (M1_NM, {lanes}) O({2 * code},1)<2> A(0,{code})<0;1,0>")
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        words = ", ".join(f"as_uint(a) | (ulong)as_uint(sub_group_shuffle(a, {code}u)) << 32" for code in range(CODES))
        return f"ulong{CODES} {self.symbol}(float a) {{ return (ulong{CODES})({words}); }}"


@dataclass(frozen=True)
class LookUpSinglesCall(Call, name="pairs look_up"):
    """Eight rows of a table of f32, the first or the `second` ones of sixteen, by places of two codes in four of `words` words from the
    `first` on, eight bytes to a pair (`code_pairs.HalvesCall`): an address for both numbers of a lane.
    """

    second: bool
    first: int
    words: int

    def _place(self, pair: int) -> tuple[int, int]:
        """The word of a pair of rows, and which half of the lanes' words."""
        row = self.second * PAIRS + pair
        return self.first + row // 4 * 2 + row % 2, row // 2 % 2

    def lines(self, lanes: int) -> list[str]:
        """The assembly; addresses for one instruction at a time."""
        lines = [declared("O", WORDS * lanes, 0, "d")]
        lines += [declared("A", 2 * self.words * lanes, 1, "uw"), declared("B", 2 * CODES * lanes, 2, "d")]
        lines += [f".decl P{pair} v_type=A num_elts={lanes}" for pair in range(PAIRS)]
        for pair in range(PAIRS):
            word, half = self._place(pair)
            lines.append(f"addr_add (M1_NM, {lanes}) P{pair}(0)<1> &B A({word},{half * lanes})<1;1,0>")
            lines.append(f"mov (M1_NM, {2 * lanes}) O({2 * pair},0)<1> r[P{pair}(0),0]<2,1>:d")
        return lines

    def function(self) -> str:
        """That function in OpenCL C: the first word of a lane has its number of the table in the lower half."""
        lines = []
        for pair in range(PAIRS):
            word, half = self._place(pair)
            for part in range(2):
                # The place of lane `m`, whose numbers this one holds: two places to a word of a lane.
                lines.append(
                    f"m = l / 2 + h * {part}; p = sub_group_shuffle(a.s{word}, m / 2 + {half}u * h) >> (m % 2 * 16u + 3u);"
                )
                lines.append(f"o.s{2 * pair + part} = sub_group_shuffle(one, (l % 2 == 0 ? p : p >> 4) & 15u);")
        one = "const float one = as_float((uint)b.s0);"
        return (
            f"float8 {self.symbol}(uint{self.words} a, ulong{CODES} b) "
            f"{{ float8 o; uint m, p; {one} {_LANE} {' '.join(lines)} return o; }}"
        )


_LANE = "const uint l = get_sub_group_local_id(), h = get_sub_group_size() / 2;"


@dataclass(frozen=True)
class PairCall(Call, name="pairs twice"):
    """One number of each lane for two rows, moved as integers: arithmetic on floats takes each number from the lane's own place."""

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", 2 * lanes, 0, "d"), declared("A", lanes, 1, "d")]
        return [*lines, f"mov (M1_NM, {2 * lanes}) O(0,0)<1> A(0,0)<1;2,0>"]

    def function(self) -> str:
        """The same in OpenCL C."""
        made = "(float2)(sub_group_shuffle(a, l / 2), sub_group_shuffle(a, l / 2 + h))"
        return f"float2 {self.symbol}(float a) {{ {_LANE} return {made}; }}"


@dataclass(frozen=True)
class NarrowPairsCall(Call, name="pairs narrow"):
    """Two times eight rows of f32 as f16 or bf16, two to a word."""

    name: str

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        kind = {"f16": "hf", "bf16": "bf"}[self.name]
        lines = [declared("O", 2 * WORDS * lanes, 0, kind)]
        lines += [declared(letter, WORDS * lanes, at, "f") for at, letter in ((1, "A"), (2, "B"))]
        for row in range(WORDS):
            for part in range(2):
                given = f"{'AB'[row // PAIRS]}({row % PAIRS * 2 + part},0)<1;1,0>"
                lines.append(f"mov (M1_NM, {lanes}) O({row},{part * lanes})<1> {given}")
        return lines

    def function(self) -> str:
        """That function in OpenCL C: a lane's two numbers are those of two lanes of one half."""
        lines = []
        for row in range(WORDS):
            given, at = "ab"[row // PAIRS], row % PAIRS * 2
            for half in range(2):
                both = [f"sub_group_shuffle({given}.s{at + part:x}, l % h * 2 + {half}u)" for part in range(2)]
                lines.append(f"p = {both[0]}; q = {both[1]}; o.s{2 * row + half:x} = {self._narrowed('l < h ? p : q')};")
        kind = "half16" if self.name == "f16" else "ushort16"
        return (
            f"uint8 {self.symbol}(float8 a, float8 b) {{ {kind} o; float p, q; {_LANE} {' '.join(lines)} return as_uint8(o); }}"
        )

    def _narrowed(self, x: str) -> str:
        return f"convert_half({x})" if self.name == "f16" else f"bf16_of({x})"
