"""tanh on GPUs: `1 - 2 / (exp(2 x) + 1)`, and near zero, where that difference loses digits, x times a polynomial of x squared.

Neither needs the size of x or its sign: the power is 0 or infinite at the ends, and the polynomial's last term is 1, so that zeros and
subnormal numbers stay what they are. Off by 3 units in the last place at most with a power and a reciprocal that are rounded right, by 7
with a power that is off by 3.
"""

from __future__ import annotations

from xetile.records import dataclass

from .call import Call, bits_of, declared
from .wide import REGISTERS

NEAR = 0.55
"""From here on the difference is taken."""
POWER = 2.8853900817779268
"""2 log2(e)."""
POLYNOMIAL = (0.01645874, -0.05268414, 0.13320942, -0.33332957, 1.0)
"""tanh(x) / x in powers of x squared up to there, the highest first: the best by its largest relative error, 4e-8."""
CONSTANTS = (*POLYNOMIAL, -2.0)
"""What instructions of three operands take, which have no room for numbers: the lanes of one register hold them."""

_LINES = (
    "mul ({wide}) T{row}(0,0)<1> {a} {power}:f",
    "exp ({wide}) T{row}(0,0)<1> T{row}(0,0)<1;1,0>",
    "add ({wide}) T{row}(0,0)<1> T{row}(0,0)<1;1,0> 0x3F800000:f",
    "inv ({wide}) T{row}(0,0)<1> T{row}(0,0)<1;1,0>",
    "mul ({wide}) S{row}(0,0)<1> {a} {a}",
    "mad ({wide}) O({row},0)<1> K(0,0)<0;1,0> S{row}(0,0)<1;1,0> K(0,1)<0;1,0>",
    *(
        f"mad ({{wide}}) O({{row}},0)<1> O({{row}},0)<1;1,0> S{{row}}(0,0)<1;1,0> K(0,{at})<0;1,0>"
        for at in range(2, len(POLYNOMIAL))
    ),
    "mad ({wide}) T{row}(0,0)<1> T{row}(0,0)<1;1,0> K(0,5)<0;1,0> K(0,4)<0;1,0>",
    "mul ({wide}) O({row},0)<1> O({row},0)<1;1,0> {a}",
    "cmp.ge ({wide}) P{row} (abs){a} {near}:f",
    "(P{row}) sel ({wide}) O({row},0)<1> T{row}(0,0)<1;1,0> O({row},0)<1;1,0>",
)


@dataclass(frozen=True)
class TanhCall(Call, name="tanh"):
    """tanh of `count` f32 of each lane, an even number; the second operand is the register of `CONSTANTS`."""

    count: int

    def lines(self, lanes: int) -> list[str]:
        """The assembly."""
        lines = [declared("O", self.count * lanes, 0), declared("A", self.count * lanes, 1)]
        lines.append(declared("K", lanes, 2))
        for row in range(0, self.count, REGISTERS):
            lines += [declared(f"{letter}{row}", REGISTERS * lanes, None) for letter in "TS"]
            lines.append(f".decl P{row} v_type=P num_elts={REGISTERS * lanes}")
        fields = {"wide": f"M1_NM, {REGISTERS * lanes}", "power": f"0x{bits_of(POWER)}", "near": f"0x{bits_of(NEAR)}"}
        for line in _LINES:
            for row in range(0, self.count, REGISTERS):
                lines.append(line.format(**fields, row=row, a=f"A({row},0)<1;1,0>"))
        return lines

    def function(self) -> str:
        """That function in OpenCL C."""
        kind = f"float{self.count}"
        numbers = [f"({kind})(as_float(0x{bits_of(number)}u))" for number in (POWER, NEAR, *POLYNOMIAL)]
        power, near, total, *others = numbers
        for number in others:
            total = f"fma({total}, a * a, {number})"
        far = f"1.0f - 2.0f / (exp2(a * {power}) + 1.0f)"
        return f"{kind} {self.symbol}({kind} a, float k) {{ return select({total} * a, {far}, fabs(a) >= {near}); }}"
