"""What all structured control flow in a module passes on, found once for everybody who follows values through loops and branches."""

from __future__ import annotations

from functools import cached_property

from xetile.ir import analyses
from xetile.ir.core import Op, Use, Value, Variable, regions_of
from xetile.ir.interfaces import variables_of


class Variables:
    """The variables in an op: `all` of them, and by what they hold, by what gives them values. Not to be changed."""

    any_order = True

    def __init__(self, root: Op) -> None:
        self._root = root
        self.all: tuple[Variable, ...] = tuple(variables_of(root))

    @cached_property
    def holding(self) -> dict[Value, Variable]:
        """The variable that a block argument or a result is."""
        return {holder: variable for variable in self.all for holder in variable.holders}

    @cached_property
    def given(self) -> dict[Use, Variable]:
        """The variable that an operand gives a value to."""
        return {use: variable for variable in self.all for use in variable.sources}

    @cached_property
    def controlled(self) -> dict[Op, list[tuple[int, Op]]]:
        """For the ops that decide which regions run: at which operand, and the op with the regions."""
        found: dict[Op, list[tuple[int, Op]]] = {}
        for op in filter(regions_of, self._root.walk()):
            for user, position in op.control():
                found.setdefault(user, []).append((position, op))
        return found


def variables(root: Op) -> Variables:
    """The variables in a module, kernel or other op, as it is now."""
    return analyses.get(Variables, root)
