"""Named barriers and fences."""

from __future__ import annotations

from typing import Any

from xetile.dialects.types import I8
from xetile.dialects.xegpu.rules import XeOp
from xetile.dialects.xegpu.types import FENCE_SCOPES, MEMORY_SPACES, NbarrierType
from xetile.ir.core import Typed, attribute, operand, result


class AllocNbarrier(XeOp, name="xegpu.alloc_nbarrier"):
    """Reserve named barriers for the workgroup."""

    nbarrier_num: int = attribute("i64")

    def rules(self) -> None:
        if self.nbarrier_num < 1:
            raise self.fail(f"reserves {self.nbarrier_num} barriers")

    def print(self, p: Any) -> str:
        """`xegpu.alloc_nbarrier 8`."""
        return f"xegpu.alloc_nbarrier {self.nbarrier_num}{p.discardable(self)}"


class InitNbarrier(XeOp, name="xegpu.init_nbarrier"):
    """Join a named barrier of so many participants."""

    # `xegpu.init_nbarrier %id, %participants : i8, i8 -> !xegpu.nbarrier`.
    format = "$nbarrier_id `,` $participant_thread_num attr-dict `:` type($nbarrier_id) `,` type($participant_thread_num) `->` type($result)"
    nbarrier_id: Any = operand()
    participant_thread_num: Any = operand()
    result: Typed[NbarrierType] = result(NbarrierType, infer=lambda op: NbarrierType())

    def rules(self) -> None:
        for value in self.operands:
            if value.type is not I8:
                raise self.fail(f"barriers and participants are numbered by i8, not {value.type}")


class NbarrierArrive(XeOp, name="xegpu.nbarrier_arrive"):
    """Signal a named barrier."""

    format = "$nbarrier attr-dict `:` type($nbarrier)"
    nbarrier: Typed[NbarrierType] = operand(NbarrierType)


class NbarrierWait(XeOp, name="xegpu.nbarrier_wait"):
    """Wait for a named barrier."""

    format = "$nbarrier attr-dict `:` type($nbarrier)"
    nbarrier: Typed[NbarrierType] = operand(NbarrierType)


class Fence(XeOp, name="xegpu.fence"):
    """Order memory accesses: `memory_kind` global or slm, `fence_scope` workgroup or gpu."""

    # `xegpu.fence memory_kind = slm, fence_scope = workgroup`.
    format = "`memory_kind` `=` $memory_kind `,` `fence_scope` `=` $fence_scope attr-dict"
    memory_kind: str = attribute("keyword")
    fence_scope: str = attribute("keyword")

    def rules(self) -> None:
        for name, known in (("memory_kind", MEMORY_SPACES), ("fence_scope", FENCE_SCOPES)):
            value = self.attributes[name]
            if value not in known:
                raise self.fail(f"{name} {value} is none of {', '.join(known)}")
