"""Invalid twins: for each rule a module that breaks it, what we say, what upstream says, and the sentence of the seeds.

`upstream` None: LLVM 22 has no such check, so only our verifier refuses the twin; `\\A\\Z`: it refuses it without a word.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.xegpu.build import Kernel


@dataclass(frozen=True)
class Twin:
    """A broken rule. `ours` and `upstream`: patterns of the two messages; `seed`: what the seed says, `where`: which part."""

    build: Callable[[Kernel], Any]
    ours: str
    upstream: str | None
    seed: str
    where: str

    def module(self) -> Any:
        k = Kernel()
        self.build(k)
        return k.done()


TWINS: dict[str, Twin] = {}


def twin(name: str, ours: str, upstream: str | None, seed: str, where: str) -> Any:
    def register(build: Callable[[Kernel], Any]) -> Any:
        TWINS[name] = Twin(build, ours, upstream, seed, where)
        return build

    return register


def table() -> dict[str, Twin]:
    """All twins."""
    from tests.xegpu import twins_block, twins_others, twins_scattered

    assert twins_block and twins_others and twins_scattered
    return TWINS
