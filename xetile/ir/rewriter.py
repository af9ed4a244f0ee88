"""Changing a module in place: passes do it through `Rewriter` alone, so that every value knows its uses at all times."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from xetile.ir.builder import Builder, operands_of
from xetile.ir.core import Block, Op, Value, Variable


class Rewriter(Builder):
    """A builder that also replaces, moves and erases. New ops go to the insertion point, which `before`, `after` and `at` set."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(Block())

    @contextmanager
    def before(self, op: Op) -> Iterator[None]:
        """Insert before an op for a while, at its place in the source."""
        assert op.parent is not None
        saved = self.block, self.anchor, self.loc
        self.block, self.anchor, self.loc = op.parent, op, op.loc
        try:
            yield
        finally:
            self.block, self.anchor, self.loc = saved

    @contextmanager
    def after(self, value: Value) -> Iterator[None]:
        """Insert where a value is known for a while: after its op, or at the head of the block that it is an argument of."""
        owner = value.owner
        block = owner if isinstance(owner, Block) else owner.parent
        assert block is not None
        following = 0 if isinstance(owner, Block) else block.place_of(owner) + 1
        saved = self.block, self.anchor, self.loc
        self.block, self.anchor = block, block.ops[following] if following < len(block.ops) else None
        self.loc = None if isinstance(owner, Block) else owner.loc
        try:
            yield
        finally:
            self.block, self.anchor, self.loc = saved

    def replace_uses(self, old: Value, new: Value, where: Callable[[Op], bool] | None = None) -> None:
        """Let all ops that take a value, or those of them that `where` picks, take another."""
        for op in list(old.users):
            if where is None or where(op):
                op.set_operands([new if v is old else v for v in op.operands])

    def replace(self, op: Op, *values: Value) -> None:
        """Let values stand for the results of an op, and erase it."""
        for result, value in zip(op.results, values, strict=True):
            self.replace_uses(result, value)
        self.erase(op)

    def erase(self, op: Op) -> None:
        """Remove an op, and all in it, whose results nobody outside of it takes."""
        assert op.parent is not None
        op.parent.remove(op)
        drop(op)

    def move_before(self, op: Op, anchor: Op) -> None:
        """Put an op before another one."""
        assert op.parent is not None
        assert anchor.parent is not None
        op.parent.remove(op)
        anchor.parent.insert(anchor.parent.place_of(anchor), [op])

    def set_operand(self, op: Op, position: int, value: Value) -> None:
        """Give an op another operand at a position."""
        op.set_operand(position, value)

    def set_operands(self, op: Op, *operands: Any) -> None:
        """Give an op other operands, in the declared order as for a builder: a sequence for a variadic one, None for an absent one."""
        op.set_operands(*operands_of(type(op), operands))

    def append_operands(self, op: Op, values: Iterable[Value]) -> None:
        """More values for the last operand of an op, which is variadic."""
        added = tuple(values)
        segments = op.segments and (*op.segments[:-1], op.segments[-1] + len(added))
        op.set_operands((*op.operands, *added), segments)

    def remove_variables(self, variables: Iterable[Variable]) -> None:
        """Let control flow pass on less: variables that nobody reads any more."""
        sources: dict[Op, set[int]] = {}
        args: dict[Block, set[int]] = {}
        results: dict[Op, set[int]] = {}
        for variable in variables:
            for op, position in variable.sources:
                sources.setdefault(op, set()).add(position)
            for holder in variable.holders:
                if isinstance(holder.owner, Block):
                    args.setdefault(holder.owner, set()).add(holder.index)
                else:
                    results.setdefault(holder.owner, set()).add(holder.index)
        for op, gone in sources.items():
            assert op.segments is not None
            left = [value for i, value in enumerate(op.operands) if i not in gone]
            op.set_operands(left, (*op.segments[:-1], op.segments[-1] - len(gone)))
        for block, gone in args.items():
            self.keep_args(block, [i for i in range(len(block.args)) if i not in gone])
        for op, gone in results.items():
            self.keep_results(op, [i for i in range(len(op.results)) if i not in gone])

    def keep_results(self, op: Op, keep: Sequence[int]) -> None:
        """Of the results of an op only some: nobody takes the others."""
        op.set_results([op.results[i] for i in keep])

    def keep_args(self, block: Block, keep: Sequence[int]) -> None:
        """Of the arguments of a block only some: nobody takes the others."""
        block.keep_args(keep)

    def add_result(self, op: Op, type: Any) -> Value:
        """One more result at the end of an op."""
        op.set_results([*op.results, Value(type, op, len(op.results))])
        return op.results[-1]

    def set_block(self, block: Block, ops: Sequence[Op]) -> None:
        """Let a block hold these ops: in another order, with those that stood nowhere, or without some, which are dropped."""
        kept = set(ops)
        gone = [op for op in block.ops if op not in kept]
        if not gone and len(ops) == len(block.ops):
            block.reorder(ops)
            return
        block.take()
        for op in gone:
            drop(op)
            op.results = []  # its memory is free at once
        block.insert(0, ops)


def drop_strays(root: Op) -> None:
    """Let the values of a module forget ops that were made beside it and never became part of it."""
    ops = set(root.walk())
    for op in ops:
        for value in (*op.results, *(a for block in op.regions for a in block.args)):
            for user in [user for user in value.users if user not in ops]:
                user.drop_operands()
                user.results = []


def drop(op: Op) -> None:
    """Let an op that stands nowhere, and all in it, take nothing any more."""
    for inner in op.walk() if op.regions else (op,):
        inner.drop_operands()
    op.parent = None
