"""Instructions that elementwise ops take for one register of results, as the SPIR-V writer and IGC make them, and where many are taken.

Counted in IGC's code (2.40) of one op on 64 numbers, less the code without it.
"""

from __future__ import annotations

from math import frexp, isfinite

from xetile.dialects import arith, gpu
from xetile.dialects.types import INDEX, ScalarType, VectorType, element_of
from xetile.errors import Location
from xetile.ir.core import Op
from xetile.records import dataclass
from xetile.target import Target

Cost = tuple[float, float]
"""Instructions of the arithmetic pipe, and of the pipe for functions."""

_COSTS: dict[str, Cost] = {
    "math.exp2": (0, 1), "math.exp": (1, 1), "math.sqrt": (0, 1), "math.rsqrt": (0, 1), "math.log": (35, 1), "math.log2": (35, 1),
    "math.sin": (250, 2), "math.cos": (250, 2), "math.tan": (200, 2), "math.tanh": (6, 2), "math.erf": (24, 1), "math.powf": (460, 2),
    "arith.divf": (13, 1), "arith.remf": (176, 2), "arith.maximumf": (3, 0), "arith.minimumf": (3, 0), "gpu.shuffle": (2, 0),
    "gpu.subgroup_reduce": (8, 0),
    **dict.fromkeys(("arith.floordivsi", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui"), (38, 2)),
}  # fmt: skip
_EXACT: dict[str, Cost] = {"arith.divf": (19, 2), "math.sqrt": (16, 2)}
"""Rounded as IEEE 754 says, beside what is taken above, where nothing says that less will do."""
_WITHOUT_STEPS: dict[str, Cost] = {"arith.divf": (160, 8), "math.sqrt": (47, 2), "math.powf": (115, 3)}
"""The same on DG2, whose unit for functions has no steps of exact quotients."""
_WIDE: dict[str, Cost] = {
    "math.exp": (30, 0), "math.exp2": (47, 0), "math.log": (70, 0), "math.log2": (129, 0), "math.sin": (145, 0), "math.cos": (145, 0),
    "math.tan": (171, 0), "math.tanh": (41, 0), "math.powf": (270, 0), "arith.remf": (90, 0), "arith.divf": (10, 0),
    **dict.fromkeys(("arith.floordivsi", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui"), (70, 0)),
}  # fmt: skip
"""Of numbers of 64 bits: of those of one element half."""
_RECIPROCAL = (4, 1)
"""Of a known number by others."""
_BY_CONSTANTS = (9, 0)
"""Of integers by a known one: shifts, and the upper half of a product."""
_INTEGERS = (arith.FloorDivSI, arith.DivSI, arith.DivUI, arith.RemSI, arith.RemUI)

MANY = 15
"""Instructions for one register from which on an op is told of."""


def pipes(op: Op) -> Cost:
    """The instructions of an op for one register of its result, where little is known of how it is asked for."""
    if isinstance(op, arith.DivF) and arith.constant_of(op.lhs) is not None:
        return _RECIPROCAL
    if isinstance(op, arith.DivF) and _is_power_of_two(arith.constant_of(op.rhs)):
        return (1, 0)
    if isinstance(op, _INTEGERS) and arith.constant_of(op.operands[1]) is not None:
        return _BY_CONSTANTS
    if _bits(op) == 64 and op.opname in _WIDE:
        return _WIDE[op.opname]
    return _COSTS.get(op.opname, (1, 0))


def _is_power_of_two(number: object) -> bool:
    """Whether a quotient by it is a product, as LLVM writes it."""
    return isinstance(number, float) and isfinite(number) and frexp(abs(number))[0] == 0.5


def registers_of(op: Op) -> float:
    """How many registers an elementwise op's result fills, by words."""
    kind = op.results[0].type
    return kind.count * max(1, kind.element.bits // 32) if isinstance(kind, VectorType) else 1


def _bits(op: Op, index_bits: int = 32) -> int:
    element = element_of(op.results[0].type)
    return index_bits if element is INDEX or not isinstance(element, ScalarType) else element.bits


def _whole(op: Op, target: Target, fast: bool) -> float:
    """The instructions of an op for one register, with those of exact rounding."""
    if isinstance(op, arith.DivF) and _is_power_of_two(arith.constant_of(op.rhs)):
        return 1
    exact = not fast and arith.APPROXIMATE not in op.attributes and _bits(op) <= 32
    if exact and op.opname in _EXACT:
        return sum((_EXACT if target.exact_steps else _WITHOUT_STEPS)[op.opname])
    if not target.exact_steps and op.opname in _WITHOUT_STEPS and op.opname not in _EXACT:
        return sum(_WITHOUT_STEPS[op.opname])
    return sum(pipes(op))


@dataclass(frozen=True)
class Costly:
    """Ops of one kind of a source line that take many instructions.

    opname        of the op, such as `math.sin`; `bits` of its numbers.
    each          instructions for one register of `lanes` numbers; `registers`: so many times.
    """

    at: Location | None
    opname: str
    bits: int
    each: float
    registers: float
    lanes: int

    @property
    def instructions(self) -> float:
        """Of all registers, each once: not times the rounds of a loop."""
        return self.each * self.registers


def costly_ops(kernel: gpu.GpuFunc, target: Target) -> tuple[Costly, ...]:
    """The ops of a kernel at lane level that take MANY instructions for a register, by source line, those of most instructions first."""
    found: dict[tuple[Location | None, str, int], Costly] = {}
    for op in kernel.walk():
        if op.regions or len(op.results) != 1 or op.opname not in _COSTS or op.opname.startswith("gpu."):
            continue
        each, at = _whole(op, target, kernel.fast_math), op.loc
        if each < MANY:
            continue
        bits = _bits(op, kernel.index_bits)
        line = at and Location(at.file, at.line)
        known = found.get((line, op.opname, bits))
        registers = registers_of(op) + (known.registers if known else 0)
        found[line, op.opname, bits] = Costly(at, op.opname, bits, each, registers, target.subgroup_size)
    return tuple(sorted(found.values(), key=lambda x: -x.instructions))


__all__ = ["Costly", "costly_ops", "pipes", "registers_of"]
