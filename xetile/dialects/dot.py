"""Products of pairs and of fours, which CPUs have for types of 16 and 8 bits (AVX512_BF16, AVX512_VNNI)."""

from __future__ import annotations

from xetile.dialects.types import BF16, F32, I8, I16, I32, VectorType
from xetile.ir.core import Op, Typed, operand, result


class DotPairs(Op, name="xetile.dot_pairs", pure=True):
    """`acc[i] + a[2i] * b[2i] + a[2i + 1] * b[2i + 1]`: bf16 in f32, or signed i16 in i32 (which wraps).

    As the processors do it, bf16 that is subnormal counts as zero, and so do sums that are.
    """

    format = "$acc `,` $a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($acc)"
    acc: Typed[VectorType] = operand(VectorType)
    a: Typed[VectorType] = operand(VectorType)
    b: Typed[VectorType] = operand(VectorType)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.acc.type)

    def verify(self) -> None:
        kinds = {v.type for v in (self.a, self.b)}
        if len(kinds) != 1 or self.a.type.count != 2 * self.acc.type.count:
            raise self.fail(f"{self.a.type} by {self.b.type} into {self.acc.type}")
        if (self.a.type.element, self.acc.type.element) not in ((BF16, F32), (I16, I32)):
            raise self.fail(
                f"no product of {self.a.type.element} into {self.acc.type.element}", hint="bf16 into f32, i16 into i32"
            )


class DotQuads(Op, name="xetile.dot_quads", pure=True):
    """`acc[i] +` the sum over four j of `a[4i + j] * b[4i + j]`: unsigned bytes by signed ones, in i32 (which wraps)."""

    format = "$acc `,` $a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($acc)"
    acc: Typed[VectorType] = operand(VectorType)
    a: Typed[VectorType] = operand(VectorType)
    b: Typed[VectorType] = operand(VectorType)
    result: Typed[VectorType] = result(VectorType, infer=lambda op: op.acc.type)

    def verify(self) -> None:
        bytes_of = VectorType((4 * self.acc.type.count,), I8)
        if self.acc.type.element is not I32 or {self.a.type, self.b.type} != {bytes_of}:
            raise self.fail(f"{self.a.type} by {self.b.type} into {self.acc.type}", hint="four i8 for each i32")
