"""`assert` on what a launch gives: sizes, strides and scalar arguments become steps that the host evaluates at each launch."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import field
from typing import Any

from xetile.dialects import arith, gpu
from xetile.dialects.types import ScalarType
from xetile.frontend.frame import Frame
from xetile.ir.core import Op
from xetile.ir.core import Value as IRValue
from xetile.language.texts import Template
from xetile.language.values import Value
from xetile.records import dataclass
from xetile.requirements import Requirement, Requirements, Step

_RULES = {
    "arith.addi": "add", "arith.addf": "add", "arith.subi": "sub", "arith.subf": "sub", "arith.muli": "mul", "arith.mulf": "mul",
    "arith.divf": "divide", "arith.negf": "neg", "arith.floordivsi": "floordiv", "arith.ceildivsi": "ceildiv",
    "arith.divsi": "div", "arith.remsi": "rem", "arith.andi": "and", "arith.ori": "or", "arith.xori": "xor",
    "arith.minsi": "min", "arith.maxsi": "max", "arith.minimumf": "min", "arith.maximumf": "max", "arith.select": "select",
    "arith.sitofp": "float", "arith.uitofp": "float",
}  # fmt: skip
_SAME = {"arith.extsi", "arith.index_cast", "arith.extf"}
"""Casts that keep the number, whatever it is."""
_PREDICATES = {"eq": "eq", "ne": "ne", "slt": "lt", "sle": "le", "sgt": "gt", "sge": "ge", "oeq": "eq", "une": "ne", "olt": "lt",
               "ole": "le", "ogt": "gt", "oge": "ge"}  # fmt: skip


class NotAtLaunchError(Exception):
    """A number that no launch gives."""


@dataclass
class Written:
    """Steps written so far; those of a kernel's assertions share them."""

    func: gpu.GpuFunc
    steps: list[Step] = field(default_factory=list)
    asserted: list[Requirement] = field(default_factory=list)

    def number(self, value: IRValue) -> int:
        """The step of a value.  Raises NotAtLaunchError."""
        step = self._step(value)
        known = [repr(one) for one in self.steps]  # which tells 1 from True
        if repr(step) not in known:
            self.steps.append(step)
            return len(known)
        return known.index(repr(step))

    def _step(self, value: IRValue) -> Step:
        if not isinstance(value.type, ScalarType):
            raise NotAtLaunchError
        owner = value.owner
        if not isinstance(owner, Op):
            return self._argument(value)
        if isinstance(owner, arith.Constant):
            return "const", owner.value
        if owner.opname in _SAME:
            return self.steps[self.number(owner.operands[0])]
        name = _RULES.get(owner.opname)
        if isinstance(owner, (arith.CmpI, arith.CmpF)):
            name = _PREDICATES.get(owner.predicate)
        if name is None:
            raise NotAtLaunchError
        return name, *(self.number(v) for v in owner.operands)

    def _argument(self, value: IRValue) -> Step:
        if value.owner is not self.func.body:
            raise NotAtLaunchError
        spec = self.func.args[value.index]
        if spec.kind == "scalar" and not spec.dtype.startswith("u"):
            return "scalar", spec.param
        if spec.kind in ("dim", "stride"):
            return spec.kind, spec.param, spec.axis
        raise NotAtLaunchError


def state(frame: Frame, node: ast.Assert, held: Value) -> bool:
    """Write an assertion that every launch can decide; False where that cannot be, or where not every program comes to it."""
    message = frame.eval(node.msg) if node.msg is not None else ""
    parts: Any = message.flat() if isinstance(message, Template) else (str(message),)
    return require(frame, node.test, ast.unparse(node.test), held, parts)


def require(frame: Frame, node: ast.expr, text: str, held: Value, parts: Iterable[Any]) -> bool:
    """`state` for any condition: `text` is how it reads, `node` what the user wrote, `parts` the message's texts and scalars."""
    func = getattr(frame.kernel.build.block, "parent", None)
    if not isinstance(func, gpu.GpuFunc):
        return False
    known = Requirements.parse(func.attributes["requires"]) if "requires" in func.attributes else Requirements()
    written = Written(func, list(known.steps), list(known.asserted))
    try:
        step = written.number(held.ir)
        shown = tuple(written.number(part.ir) if isinstance(part, Value) else str(part) for part in parts if part != "")
    except NotAtLaunchError:
        return False
    written.asserted.append(Requirement(step, text, shown, frame.location(node)))
    func.attributes["requires"] = str(Requirements(tuple(written.steps), tuple(written.asserted)))
    return True
