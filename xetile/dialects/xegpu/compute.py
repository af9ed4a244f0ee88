"""dpas and convert_layout: what happens to vectors in registers, and to what products give."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, math
from xetile.dialects.types import VectorType
from xetile.dialects.xegpu.rules import XeOp, check_layout
from xetile.dialects.xegpu.types import PACKED_BITS
from xetile.ir.core import Op, Typed, attribute, operand, result


class Dpas(XeOp, name="xegpu.dpas", pure=True):
    """One matrix instruction: A (m, k) by B (k, n) (or B packed 3-D) plus acc. Integers are signed unless marked.

    `layout_a`, `layout_b`, `layout_cd`: how operands and result are distributed.
    """

    format = "$lhs `,` $rhs (`,` $acc^)? attr-dict `:` type($lhs) `,` type($rhs) (`,` type($acc)^)? `->` type($result)"
    lhs: Typed[VectorType] = operand(VectorType)
    rhs: Typed[VectorType] = operand(VectorType)
    acc: Typed[VectorType] | None = operand(VectorType, optional=True)
    lhs_unsigned: object = attribute("unit", optional=True)
    rhs_unsigned: object = attribute("unit", optional=True)
    layout_a: Any = attribute("layout", optional=True)
    layout_b: Any = attribute("layout", optional=True)
    layout_cd: Any = attribute("layout", optional=True)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.acc.type)

    def rules(self) -> None:
        lhs, rhs, out = self.lhs.type, self.rhs.type, self.result.type
        if self.acc is not None and self.acc.type != out:
            raise self.fail(f"the accumulator, {self.acc.type}, must have the type of the result, {out}")
        if lhs.element is not rhs.element:
            raise self.fail(f"{lhs} and {rhs} must have the same element type")
        if lhs.rank == rhs.rank == out.rank == 1:
            if rhs.count * rhs.element.bits % PACKED_BITS:
                raise self.fail(f"a lane's share of B, {rhs}, must fill a multiple of {PACKED_BITS} bits")
            return
        self._check_shapes(lhs.shape, rhs.shape, out.shape)
        for name, type in (("layout_a", lhs), ("layout_b", rhs), ("layout_cd", out)):
            check_layout(self, name, _plain(type.shape))

    def _check_shapes(self, a: tuple[int, ...], b: tuple[int, ...], c: tuple[int, ...]) -> None:
        # Seed 000 also has A in three dimensions, a mere reshape; LLVM 22 takes it in two only.
        if len(a) not in (2, 3) or len(b) not in (2, 3) or len(c) != 2 or (len(a) == 3 and len(b) != 3):
            raise self.fail("A and the result are 2-D, B is 2-D or 3-D (packed)")
        (m, k), (k2, n) = _plain_a(a), _plain(b)
        if k != k2:
            raise self.fail(f"K-dimension mismatch: {k} of A, {k2} of B")
        if m != c[0]:
            raise self.fail(f"M-dimension mismatch: {m} of A, {c[0]} of the result")
        if n != c[1]:
            raise self.fail(f"N-dimension mismatch: {n} of B, {c[1]} of the result")


def _plain_a(shape: tuple[int, ...]) -> tuple[int, int]:
    return (shape[0], shape[1] * shape[2]) if len(shape) == 3 else (shape[0], shape[1])


def _plain(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (shape[0] * shape[2], shape[1]) if len(shape) == 3 else shape


class ConvertLayout(XeOp, name="xegpu.convert_layout", pure=True):
    """The same value distributed in another way."""

    # `xegpu.convert_layout %v <{input_layout = ..., target_layout = ...}> : vector<...>`.
    format = "$source prop-dict attr-dict `:` type($source)"
    source: Typed[VectorType] = operand(VectorType)
    input_layout: Any = attribute("layout")
    target_layout: Any = attribute("layout")
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.source.type)

    def rules(self) -> None:
        source, target = self.input_layout, self.target_layout
        if source.is_workgroup != target.is_workgroup:
            raise self.fail("both layouts must be for a workgroup (with sg_layout), or both for a subgroup")
        check_layout(self, "input_layout", self.source.type.shape)
        check_layout(self, "target_layout", self.source.type.shape)
        if self.result.type != self.source.type:
            raise self.fail(f"converting {self.source.type} does not give {self.result.type}")


def only_sums(loop: Op) -> bool:
    """Whether all that a loop does with what products give is to sum it up, or multiples of it, to what the next iteration begins with."""
    products = [op for region in loop.regions for op in region.find(Dpas)]
    return all(isinstance(user, Dpas) or _ends(user) for op in products for user in op.result.users)


def _ends(op: Op) -> bool:
    """Whether an op ends an iteration, or adds to what the next one begins with."""
    sums = isinstance(op, (arith.AddF, arith.AddI, math.Fma))
    return op.terminator or (sums and all(user.terminator for user in op.results[0].users))
