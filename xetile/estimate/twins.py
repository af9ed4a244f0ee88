"""Registers that are copied: assembly takes pairs of them, and other arithmetic each by itself."""

from __future__ import annotations

from collections.abc import Mapping

from xetile.dialects import arith, gpu, math
from xetile.dialects.types import F32, VectorType, element_of
from xetile.estimate.parts import Atom
from xetile.estimate.spread import takers
from xetile.ir.core import Elementwise, Op, Value

_BY_ASSEMBLY = (arith.MulF, arith.AddF, arith.SubF, arith.MaxNumF, arith.MinNumF, math.Exp, math.Exp2, math.Tanh)
_BY_REGISTERS = (arith.DivF, arith.CmpF, math.Sqrt, math.Rsqrt)
"""What is never computed by assembly."""
PAIR = 2
"""Registers that one instruction computes."""


def lies_twice(value: Value) -> bool:
    """Whether IGC (2.40.14) has a result as a vector and each register of it by itself: assembly computes what a loop carries on, and other
    arithmetic takes it register by register, of copies (32 states of a scan: 114 registers, 84 without the copies).
    """
    return _is_in_pairs(value) and any(user.terminator for user in value.users) and any(
        isinstance(user, Elementwise) for user in value.users
    )  # fmt: skip


def is_copied(value: Value) -> bool:
    """Whether assembly takes pairs of a result, and other arithmetic registers of it: these IGC copies where the result is computed."""
    found = [*takers(value)] if _is_in_pairs(value) else []
    return any(isinstance(op, _BY_REGISTERS) for op in found) and any(isinstance(op, _BY_ASSEMBLY) for op in found)


def carries_twins(kernel: gpu.GpuFunc) -> bool:
    """Whether a loop carries values that lie twice: copies that stay lie between pairs of registers, and IGC finds few side by side."""
    given = (value for op in kernel.walk() if op.repeats for block in op.regions for value in block.terminator.operands)
    return any(map(lies_twice, given))


def has_twins(kernel: gpu.GpuFunc) -> bool:
    """Whether some value of a kernel lies twice, or is copied."""
    made = (value for op in kernel.walk() if isinstance(op, _BY_ASSEMBLY) for value in op.results)
    return any(lies_twice(value) or is_copied(value) for value in made)


def _is_in_pairs(value: Value) -> bool:
    kind = value.type
    by_assembly = isinstance(value.op, _BY_ASSEMBLY) and element_of(kind) is F32
    return by_assembly and isinstance(kind, VectorType) and kind.count % PAIR == 0


def with_copies(
    op: Op, needs: tuple[Atom, ...], makes: tuple[Atom, ...], copies: Mapping[Atom, Atom]
) -> tuple[tuple[Atom, ...], ...]:
    """What an op needs and makes with `copies` of single registers: made where what they are of is, and taken by arithmetic on these."""
    if isinstance(op, _BY_REGISTERS):
        needs = tuple(dict.fromkeys([copies.get(atom, atom) for atom in needs]))
    return needs, (*makes, *[copies[atom] for atom in makes if atom in copies])
