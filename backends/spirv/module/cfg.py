"""The control flow of a function read from a binary: successors, post-dominators, and what a branch governs."""

from __future__ import annotations

from functools import cached_property

from .binary import FunctionBody, Instruction

EXIT = 0  # the block behind all returns; no label is 0


class ControlFlow:
    """Blocks are named by their labels."""

    def __init__(self, function: FunctionBody) -> None:
        self.blocks = function.blocks
        self.successors: dict[int, list[int]] = {label: _targets(body[-1]) for label, body in self.blocks.items() if body}

    @cached_property
    def post_dominators(self) -> dict[int, set[int]]:
        """For each block, those that every way to the end passes, itself included."""
        every = {*self.blocks, EXIT}
        result = {label: set(every) for label in self.blocks}
        result[EXIT] = {EXIT}
        changed = True
        while changed:
            changed = False
            for label in reversed(self.blocks):
                after = [result[s] for s in self.successors.get(label, [EXIT])]
                now = after[0].intersection(*after) | {label}
                if now != result[label]:
                    result[label], changed = now, True
        return result

    def region(self, label: int) -> tuple[set[int], int]:
        """What the branch at the end of `label` governs: the blocks before all its ways meet again, and where they meet.

        `label` itself is in the region exactly if the branch can be reached again from it: a loop that the branch may leave.
        """
        meet = self._nearest(self.post_dominators[label] - {label})
        seen: set[int] = set()
        todo = list(self.successors[label])
        while todo:
            block = todo.pop()
            if block not in seen and block != meet:
                seen.add(block)
                todo += self.successors.get(block, [])
        return seen - {EXIT}, meet

    def _nearest(self, candidates: set[int]) -> int:
        """Of blocks that all post-dominate one block, the first to be reached: all the others post-dominate it."""
        return max(candidates, key=lambda block: len(self.post_dominators[block]))


def _targets(end: Instruction) -> list[int]:
    """The labels an instruction that ends a block may go to."""
    if end.name == "OpBranch":
        return [end.words[0]]
    if end.name == "OpBranchConditional":
        return list(dict.fromkeys(end.words[1:3]))
    if end.name == "OpSwitch":
        return list(dict.fromkeys(end.ids()[1:]))
    return [EXIT]
