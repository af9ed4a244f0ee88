"""What to write instead of functions and quotients that take many instructions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xetile.estimate.costs import Costly
    from xetile.target import Target

_WAVES = ("math.sin", "math.cos", "math.tan")
_INTEGERS = ("arith.floordivsi", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui")
_NAMES = {
    "math.powf": "a power", "arith.divf": "a quotient", "arith.remf": "a remainder",
    **dict.fromkeys(("arith.remsi", "arith.remui"), "a remainder of integers"),
    **dict.fromkeys(_INTEGERS[:3], "a quotient of integers"),
}  # fmt: skip
_FAST = "@xt.jit(fast_math=True) takes fewer instructions where the last bits do not matter"
_INSTEAD = {
    **dict.fromkeys(_WAVES, "load it from a table that is passed, where it depends on places alone, or compute it of fewer numbers, "
                            "before they are broadcast"),
    "math.powf": "constant exponents that are whole, from -4 to 16, make products; xt.exp2(y * xt.log2(x)) takes fewer instructions "
                 "where x is positive",
    "arith.remf": "x - xt.floor(x * (1 / y)) * y takes fewer instructions where the last bits do not matter",
    "arith.divf": f"where many are divided by one, multiply by 1 / y; {_FAST}",
    "math.sqrt": f"xt.rsqrt takes fewer instructions; {_FAST}",
    **dict.fromkeys(("math.log", "math.log2"), "compute it of fewer numbers, such as the sum of a row or a product of several"),
    **dict.fromkeys(_INTEGERS, "by constants (xt.constexpr) it takes fewer instructions, and of places that a loop counts along "
                               "xt.where(i == n, 0, i) none"),
}  # fmt: skip


def named(costly: Costly) -> str:
    """What takes the instructions, and how many for a register."""
    name = _NAMES.get(costly.opname, costly.opname.rpartition(".")[2])
    wide = " of 64 bits" if costly.bits == 64 else ""
    return f"{name}{wide}, {costly.each:.0f} for {costly.lanes} numbers"


def instead(costly: Costly, target: Target) -> str:
    """What takes fewer instructions."""
    hint = _INSTEAD.get(costly.opname, "compute it of fewer numbers, before they are broadcast")
    if costly.opname in _INTEGERS and costly.bits == 64:
        hint = f"integers of 32 bits take fewer instructions; {hint}"
    share = f"{costly.instructions:,.0f} instructions for {named(costly)}"
    return f"{share}: {hint}" if target.exact_steps or costly.opname != "arith.divf" else f"{share}, on {target.name}: {hint}"
