"""A kernel's machine code, ready to run: instructions, straight pieces of code, and each instruction as a function."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from operator import attrgetter
from threading import RLock

import numpy as np

from xetile.collection import paused
from xetile.records import dataclass

from . import arithmetic as a
from .errors import SimulationError, UnsupportedError
from .isa import BRANCHES, SENDS, Array, Code, Instruction
from .math_unit import steps as macro_steps
from .matrix import Kept, Key, dpas
from .reuse import kept_operands
from .scoreboard import DISTANCE, TOKEN, Occupied, Use, occupied, use_of
from .sends import changes_memory, is_atomic, message
from .state import Layout, Step
from .written import watched

Maker = Callable[[Layout, Instruction], Step]
Block = tuple[list[tuple[int, Step]], int]

MAKERS: dict[str, Maker] = {
    "mov": a.moved, "cmp": a.compared, "sel": a.selected, "csel": a.conditionally_selected, "addc": a.with_carry, "subb": a.with_carry,
    "dpas": dpas, **dict.fromkeys(SENDS, message),
}  # fmt: skip


OPTIONS = frozenset({"AccWrEn", "Atomic", "Compacted", "EOT", "ExBSO"})
"""Words in an instruction's braces, beside tokens and distances."""
SYNCS = frozenset({"nop", "allrd", "allwr", "bar"})
_MEANING = attrgetter(
    "opcode", "suffix", "width", "channel", "nomask", "predicate", "condition", "operands", "desc", "ex_desc", "offset"
)
"""What an instruction's function follows from, beside its options."""
MOST_SHARED = 1 << 14
"""Functions that kernels of one layout share: half of all instructions are those of another kernel, or of the same one, once more."""


def make_step(layout: Layout, inst: Instruction) -> Step:
    """What an instruction does, as a function of threads.  Raises UnsupportedError."""
    _refuse_what_would_be_ignored(inst)
    if inst.opcode == "madm" or (inst.opcode == "math" and inst.suffix in ("invm", "rsqtm")):
        return macro_steps(layout, inst)
    if "AccWrEn" in inst.swsb and inst.opcode not in ("addc", "subb"):
        return a.with_accumulator(layout, inst)
    if inst.operands and inst.operands[0].file == "cr0":
        return a.control(layout, inst)
    return MAKERS.get(inst.opcode, a.plain)(layout, inst)


def _refuse_what_would_be_ignored(inst: Instruction) -> None:
    """Raises UnsupportedError for parts of an instruction that its function does not look at."""
    if inst.condition is not None and (inst.opcode in SENDS or inst.opcode == "dpas"):
        raise UnsupportedError(f"{inst.opcode} with a condition")
    if inst.opcode == "sel" and inst.condition is not None and inst.predicate is not None:
        raise UnsupportedError("sel with a condition and a flag")
    unknown = [item for item in _options(inst.swsb) if item not in OPTIONS]
    if unknown:
        raise UnsupportedError(f"the option {unknown[0]}")


@lru_cache(maxsize=4096)
def _options(swsb: tuple[str, ...]) -> tuple[str, ...]:
    """What the braces say beside what an instruction waits for."""
    return tuple(item for item in swsb if not TOKEN.match(item) and not DISTANCE.match(item))


@dataclass(slots=True)
class Shared:
    """What instructions that say the same have in common: the first of them, its function, and the registers that it occupies.

    What they wait for changes neither.
    """

    inst: Instruction
    step: Step | None = None
    occupied: Occupied | None = None


def shared(layout: Layout, inst: Instruction) -> Shared:
    """The one for all instructions that do the same."""
    key = (inst.text.partition("{")[0], *_options(inst.swsb))
    found: Shared | None = layout.shared.get(key)
    if found is None:
        if len(layout.shared) >= MOST_SHARED:
            layout.shared.clear()
        found = layout.shared[key] = Shared(inst)
    # Whoever changes an instruction may have left its text as it was.
    return found if found.inst is inst or _MEANING(found.inst) == _MEANING(inst) else Shared(inst)


START = -1
"""In the place of a barrier: where threads begin."""


class Sharing(Enum):
    """By what threads may see each other's work: not at all; by shared local memory or atomics; by stores to arrays too."""

    NOTHING = 0
    MEMORY = 1
    ARRAYS = 2


class Program:
    """The code of one kernel for registers of one layout; functions are made when first needed, and kept.

    watched: they also check that registers are written before they are read.
    """

    def __init__(self, code: Code, layout: Layout, *, watched: bool = False) -> None:
        self.code, self.layout, self.watched = code, layout, watched
        self.is_flow = [_is_flow(inst) for inst in code.instructions] + [True]
        self._notable = [at for at, inst in enumerate(code.instructions) if self.is_flow[at] or inst.opcode in SENDS]
        self._leaders: Array = np.zeros(len(code.instructions) + 1, bool)
        self._leaders[-1] = True
        self._leaders[list(code.labels.values())] = True
        self._steps: dict[int, Step] = {}
        self._uses: dict[int, Use] = {}
        self._shared_by: dict[int, Shared] = {}
        self._blocks: dict[int, Block] = {}
        self._waits: dict[tuple[int, int], bool] = {}
        self._changes: dict[int, Sharing] = {}
        self._lock = RLock()

    @property
    def uses_barriers(self) -> bool:
        """Whether threads of a workgroup wait for each other."""
        return any(i.opcode == "sync" and i.suffix == "bar" for i in self.code.instructions)

    @property
    def orders_by_atomics(self) -> bool:
        """Whether a loop waits for other threads by an atomic."""
        loops = ((self.code.labels[label], at) for at, inst in enumerate(self.code.instructions) for label in inst.labels)
        return any(self.waits_in_loop(first, last) for first, last in loops if first <= last)

    def waits_in_loop(self, first: int, last: int) -> bool:
        """Whether a loop, from its first instruction to its last, looks at memory by an atomic: what others do may end it."""
        found = self._waits.get((first, last))
        if found is None:
            body = self.code.instructions[first:last]
            found = self._waits[first, last] = any(i.opcode in SENDS and is_atomic(i) for i in body)
        return found

    def changes_behind(self, at: int) -> Sharing:
        """What threads may change between a barrier (or START) and the next one, on whatever way."""
        found = self._changes.get(at)
        if found is None:
            sends = [i for i in self._reached(at + 1) if i.opcode in SENDS and changes_memory(i)]
            shared = any(i.suffix == "slm" or is_atomic(i) for i in sends)
            found = self._changes[at] = Sharing.MEMORY if shared else Sharing.ARRAYS if sends else Sharing.NOTHING
        return found

    def _reached(self, at: int) -> Iterator[Instruction]:
        """Messages and branches from a position on, up to barriers."""
        code, to_do, seen = self.code.instructions, [at], set[int]()
        while to_do:
            where = bisect_left(self._notable, to_do.pop())
            while where < len(self._notable) and (here := self._notable[where]) not in seen:
                seen.add(here)
                inst = code[here]
                yield inst
                if inst.opcode == "sync":
                    break
                to_do += [self.code.labels[label] for label in inst.labels]
                where += 1

    def block(self, at: int) -> Block:
        """The functions of the straight code from a position on with their positions, and where it ends."""
        found = self._blocks.get(at)
        if found is None:
            with self._lock, paused():
                found = self._blocks[at] = self._make_block(at)
        return found

    def _make_block(self, at: int) -> Block:
        code, end = self.code.instructions, at
        while not self.is_flow[end] and (end == at or not self._leaders[end]):
            end += 1
        shared = {} if self.watched else self._shared(at, end)
        steps = []
        for place in range(at, end):
            inst = code[place]
            if place in shared:
                steps.append((place, dpas(self.layout, inst, shared[place])))
            elif inst.opcode not in ("nop", "sync") or (inst.opcode == "sync" and inst.suffix not in SYNCS):
                steps.append((place, self.step(place)))
        return steps, end

    def _shared(self, first: int, end: int) -> Mapping[int, Mapping[Key, Kept]]:
        try:
            return kept_operands(self.layout, self.code.instructions, first, end, self.use)
        except UnsupportedError:  # which the instruction's own function says, with its place
            return {}

    def use(self, at: int) -> Use:
        """What an instruction does with registers."""
        found = self._uses.get(at)
        if found is None:
            common = self._common(at)
            common.occupied = common.occupied or occupied(self.layout, common.inst)
            found = self._uses[at] = use_of(self.layout, self.code.instructions[at], common.occupied)
        return found

    def _common(self, at: int) -> Shared:
        found = self._shared_by.get(at)
        if found is None:
            found = self._shared_by[at] = shared(self.layout, self.code.instructions[at])
        return found

    def step(self, at: int) -> Step:
        """One instruction as a function.  Raises SimulationError."""
        if at not in self._steps:
            inst = self.code.instructions[at]
            try:
                if inst.opcode in ("illegal", "sync"):
                    raise UnsupportedError(f"{inst.opcode}.{inst.suffix}" if inst.suffix else "an illegal instruction")
                if self.watched:  # the function names its instruction
                    self._steps[at] = watched(self.layout, inst, make_step(self.layout, inst))
                else:
                    common = self._common(at)
                    self._steps[at] = common.step = common.step or make_step(self.layout, common.inst)
            except SimulationError as error:
                error.inst = inst
                raise
        return self._steps[at]


def _is_flow(inst: Instruction) -> bool:
    if inst.opcode in SENDS:
        return inst.ends_thread
    return inst.opcode in BRANCHES or (inst.opcode == "sync" and inst.suffix == "bar")
