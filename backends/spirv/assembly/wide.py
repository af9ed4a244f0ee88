"""Pieces that compute on two registers of f32 at a time: 32 numbers for 16 lanes.

SPIR-V's arithmetic takes one number of each lane, which is one register; the hardware's instructions take two. `OPERATIONS` has what a
piece computes, in vISA and in OpenCL C.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xetile.records import dataclass

from .call import Call, bits_of, declared, number_of

REGISTERS = 2
"""Registers that one instruction writes."""

OPERATIONS = {
    "add": ("add ({wide}) {o} {a} {b}", "a + b"),
    "sub": ("add ({wide}) {o} {a} (-){b}", "a - b"),
    "sub_from": ("add ({wide}) {o} (-){a} {b}", "b - a"),
    "mul": ("mul ({wide}) {o} {a} {b}", "a * b"),
    "fma": ("mad ({wide}) {o} {a} {b} {c}", "fma(a, b, c)"),
    "max": ("max ({wide}) {o} {a} {b}", "fmax(a, b)"),
    "min": ("min ({wide}) {o} {a} {b}", "fmin(a, b)"),
    "exp2": ("exp ({wide}) {o} {a}", "exp2(a)"),
    "exp2_less": ("exp ({wide}) {o} (-){a}", "exp2(-a)"),
    "tf32": (
        "fcvt ({wide}) {bits} {a}",
        "as_float{n}(select((as_uint{n}(a) + (0xfffu + (as_uint{n}(a) >> 13 & 1u))) & 0xffffe000u, as_uint{n}(a),"
        " (as_uint{n}(a) & 0x7f800000u) == 0x7f800000u))",
    ),
}
"""What is computed of {wide} numbers, in vISA and in OpenCL C; {bits}: the result as integers of 32 bits."""


@dataclass(frozen=True)
class Vector:
    """Some of the `size` f32 of an operand, from the `first` on."""

    size: int
    first: int = 0


@dataclass(frozen=True)
class One:
    """One number of each lane; `alike`: the same in all of them."""

    alike: bool


@dataclass(frozen=True)
class Pair:
    """Two registers for any two of the others' (`pairs`)."""


Given = Vector | One | Pair | float
"""What an operand is; a number that is known is none."""


@dataclass(frozen=True)
class WideCall(Call, name="wide"):
    """An operation on `count` f32 of each lane, an even number."""

    name: str
    count: int
    given: tuple[Given, ...]

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        as_bits = [("OB", "ud")] if "{bits}" in OPERATIONS[self.name][0] else []
        lines = [declared(name, self.count * lanes, 0, kind) for name, kind in (("O", "f"), *as_bits)]
        taken = [given for given in self.given if not isinstance(given, float)]
        for at, (letter, given) in enumerate(zip("ABC", taken, strict=False)):
            lines.append(declared(letter, _size(given, lanes), at + 1))
        for row in range(0, self.count, REGISTERS):
            letters = iter("ABC")
            operands = [_operand(given, letters, row, lanes) for given in self.given]
            fields = dict(zip("abc", operands, strict=False), wide=f"M1_NM, {REGISTERS * lanes}")
            fields |= {"o": f"O({row},0)<1>", "bits": f"OB({row},0)<1>"}
            lines.append(OPERATIONS[self.name][0].format(**fields))
        return lines

    def to_words(self) -> list[str]:
        """A word for each operand behind the name and the count."""
        return [self.name, str(self.count), *map(_key, self.given)]

    @classmethod
    def of_words(cls, words: Sequence[str]) -> WideCall:
        """The piece of these."""
        return cls(words[0], int(words[1]), tuple(map(_given, words[2:])))

    def function(self) -> str:
        """That function in OpenCL C."""
        kind, params, values = f"float{self.count}", [], []
        for letter, given in zip("abc", self.given, strict=False):
            if isinstance(given, float):
                values.append(f"const {kind} {letter} = ({kind})(as_float(0x{bits_of(given)}u));")
                continue
            if isinstance(given, Pair):
                params.append(f"float2 given_{letter}")
                both = ", ".join([f"given_{letter}"] * (self.count // REGISTERS))
                values.append(f"const {kind} {letter} = ({kind})({both});")
                continue
            params.append(f"float{given.size if isinstance(given, Vector) else ''} given_{letter}")
            part = f".s{''.join(f'{given.first + i:x}' for i in range(self.count))}" if isinstance(given, Vector) else ""
            values.append(f"const {kind} {letter} = ({kind})(given_{letter}{part});")
        result = OPERATIONS[self.name][1].format(n=self.count)
        return f"{kind} {self.symbol}({', '.join(params)}) {{ {' '.join(values)} return {result}; }}"


def _size(given: Vector | One | Pair, lanes: int) -> int:
    """Numbers in an operand's registers."""
    if isinstance(given, Pair):
        return REGISTERS * lanes
    return given.size * lanes if isinstance(given, Vector) else 1 if given.alike else lanes


def _operand(given: Given, letters: Iterator[str], row: int, lanes: int) -> str:
    if isinstance(given, float):
        return f"0x{bits_of(given)}:f"
    letter = next(letters)
    if isinstance(given, Pair):
        return f"{letter}(0,0)<1;1,0>"
    if isinstance(given, One):
        return f"{letter}(0,0){'<0;1,0>' if given.alike else f'<0;{lanes},1>'}"
    return f"{letter}({given.first + row},0)<1;1,0>"


def _key(given: Given) -> str:
    if isinstance(given, float):
        return bits_of(given)
    if isinstance(given, Pair):
        return "pair"
    if isinstance(given, One):
        return "alike" if given.alike else "own"
    return f"{given.size}from{given.first}"


@dataclass(frozen=True)
class LinesCall(Call, name="wide lines"):
    """As many f32 of each lane as there are lanes, in pairs, each reduced over the lanes: lane l gets the l-th."""

    name: str
    count: int

    def lines(self, lanes: int) -> list[str]:
        """Registers next to each other pair by pair: of both the halves that begin with the first number, and the others.

        They are moved as integers: arithmetic on floats takes each lane's number from the lane's own place.
        """
        half = self.count // 2
        lines = [declared("R", lanes, 0)]
        lines += [declared(f"X{at}", 2 * lanes, at + 1, "d") for at in range(half)]
        for letter in "TU":
            lines += [declared(letter, half * lanes, None), declared(f"{letter}D", half * lanes, letter, "d")]
        count, width = half, lanes // 2
        while count:
            for row in range(count):
                source = f"TD({2 * row}," if count < half else f"X{row}(0,"
                for letter, column in (("UD", width), ("TD", 0)):
                    lines.append(f"mov (M1_NM, {lanes}) {letter}({row},0)<1> {source}{column})<{2 * width};{width},1>")
            step = min(REGISTERS, count)
            for row in range(0, count, step):
                place = f"({row},0)"
                fields = {"wide": f"M1_NM, {step * lanes}", "a": f"T{place}<1;1,0>", "b": f"U{place}<1;1,0>"}
                fields["o"] = f"T{place}<1>" if count > 1 else "R(0,0)<1>"
                lines.append(OPERATIONS[self.name][0].format(**fields))
            count, width = count // 2, width // 2
        return lines

    def function(self) -> str:
        """That function in OpenCL C: in each step a lane keeps the half of the numbers that its number's bit names."""
        half = self.count // 2
        params = ", ".join(f"float2 x{i}" for i in range(half))
        numbers = ", ".join(f"x{i}.s{at}" for i in range(half) for at in (0, 1))
        return f"""float {self.symbol}({params}) {{
  float v[{self.count}] = {{{numbers}}};
  for (uint d = {half}; d; d /= 2)
    for (uint i = 0; i < d; i++) {{
      const bool upper = get_sub_group_local_id() & d;
      const float a = upper ? v[i + d] : v[i];
      const float b = sub_group_shuffle_xor(upper ? v[i] : v[i + d], d);
      v[i] = {OPERATIONS[self.name][1]};
    }}
  return v[0];
}}"""


@dataclass(frozen=True)
class SpreadCall(Call, name="wide spread"):
    """Of one number of each lane the `count` from lane `first` on, or of every `step`-th, each in all lanes.

    They are moved as integers, as `LinesCall` does.
    """

    count: int
    first: int
    step: int = 1

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", self.count * lanes, 0, "d"), declared("A", lanes, 1, "d")]
        for row in range(0, self.count, REGISTERS):
            place = f"A(0,{self.first + row * self.step})<{self.step};{lanes},0>"
            lines.append(f"mov (M1_NM, {REGISTERS * lanes}) O({row},0)<1> {place}")
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        numbers = ", ".join(f"sub_group_shuffle(a, {self.first + i * self.step}u)" for i in range(self.count))
        return f"float{self.count} {self.symbol}(float a) {{ return (float{self.count})({numbers}); }}"


@dataclass(frozen=True)
class FillCall(Call, name="wide fill"):
    """`count` f32 of each lane that are one number. `which` tells it from others, which IGC would take for the same."""

    count: int
    number: float
    which: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", self.count * lanes, 0)]
        lines += [
            f"mov (M1_NM, {REGISTERS * lanes}) O({row},0)<1> 0x{bits_of(self.number)}:f"
            for row in range(0, self.count, REGISTERS)
        ]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = f"float{self.count}"
        return f"{kind} {self.symbol}() {{ return ({kind})(as_float(0x{bits_of(self.number)}u)); }}"


@dataclass(frozen=True)
class RepeatCall(Call, name="wide repeat"):
    """One number of each lane, `count` times. It is moved as an integer, as `LinesCall` does."""

    count: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", self.count * lanes, 0, "d"), declared("A", lanes, 1, "d")]
        lines += [
            f"mov (M1_NM, {REGISTERS * lanes}) O({row},0)<1> A(0,0)<0;{lanes},1>" for row in range(0, self.count, REGISTERS)
        ]
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        return f"float{self.count} {self.symbol}(float a) {{ return (float{self.count})(a); }}"


@dataclass(frozen=True)
class WholeCall(Call, name="wide whole"):
    """`count` f32 as they are, in the registers where they lie. The compiler does not take apart what it has from assembly."""

    count: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly, which does nothing: the operand is to lie where the result does."""
        return []

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = f"float{self.count}"
        return f"{kind} {self.symbol}({kind} a) {{ return a; }}"


def _given(key: str) -> Given:
    if key == "pair":
        return Pair()
    if key in ("alike", "own"):
        return One(key == "alike")
    if "from" in key:
        return Vector(*map(int, key.split("from")))
    return number_of(key)
