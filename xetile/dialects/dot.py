"""Products of pairs, which CPUs have for 16-bit types (AVX512_BF16, AVX512_VNNI)."""

from __future__ import annotations

from xetile.dialects.types import BF16, F32, I16, I32, VectorType
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
