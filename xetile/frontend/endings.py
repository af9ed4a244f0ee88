"""Ifs in which a function, or an iteration of a loop, may end: what stands after them runs where it did not.

Each statement is traced once. Where both branches may go on, they leave a bool that says whether they ended, beside what the
function returns then, and what follows is a region that this guards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from xetile.errors import CompileError
from xetile.frontend.branches import UNASSIGNED, emit_if, joined_later, left, merge_variable
from xetile.frontend.carry import Unbound, rebuild, unify
from xetile.frontend.frame import Frame, Jump, Returned
from xetile.frontend.liveness import assigned_names
from xetile.frontend.objects import watching
from xetile.frontend.stand_ins import NoStandInError, stand_in
from xetile.ir.core import Block
from xetile.language.values import Value
from xetile.records import dataclass

MOST_REPEATED = 256
TOO_OFTEN = (
    "too many nested branches return parts of arrays that are made in them",
    "return the places, such as row and column, and make the tile where the function is called",
)
NO_RETURN = ("a function cannot return from inside a loop", "set a variable, leave the loop with break, and return after it")


@dataclass
class _Branch:
    """A region, the variables at its end, and whether it ended more than itself."""

    block: Block
    names: dict[str, Any]
    ended: Returned | Jump


def at_the_end(frame: Frame) -> Returned | Jump:
    """What the end of some statements ends: nothing where others follow, else the function, or the iteration."""
    gone = not _others_follow(frame)
    return Jump(gone=gone) if frame.loops else Returned(gone=gone)


def _others_follow(frame: Frame) -> bool:
    return bool(frame.ends) and frame.ends[-1][0] == len(frame.loops)


def if_that_ends(
    frame: Frame, node: ast.If, rest: Sequence[ast.stmt], condition: Value, kept: frozenset[str] = frozenset()
) -> Returned | Jump:
    """Trace an if and the statements after it. `kept`: variables that are read where an iteration has ended."""
    names, said = dict(frame.names), len(frame.kernel.messages)
    try:
        return _in_turn(frame, node, rest, condition, kept)
    except NoStandInError:
        # Views, and tiles of what memory says, cannot be made of nothing: what follows is traced in each branch.
        frame.names = names
        frame.kernel.repeated += 1
        if frame.kernel.repeated > MOST_REPEATED:
            frame.unsupported(node, *TOO_OFTEN)
        del frame.kernel.messages[said:]
    branches = [_trace(frame, node, [*body, *rest]) for body in (node.body, node.orelse)]
    return _merge(frame, node, condition, branches, _assigned(frame, [node, *rest]), _live(frame, kept), kept)


def _in_turn(frame: Frame, node: ast.If, rest: Sequence[ast.stmt], condition: Value, kept: frozenset[str]) -> Returned | Jump:
    after = frame.source.liveness.after[node]
    with _followed(frame, after) if rest else nullcontext():
        branches = [_trace(frame, node, body) for body in (node.body, node.orelse)]
    if any(branch.ended.gone is True for branch in branches):
        for branch in branches:
            if branch.ended.gone is not True:
                _go_on(frame, node, branch, rest, kept)
        return _merge(frame, node, condition, branches, _assigned(frame, [node, *rest]), _live(frame, kept), kept)
    ended = _merge(frame, node, condition, branches, _assigned(frame, [node]), after if rest else _live(frame, kept), kept)
    return _guarded(frame, node, rest, ended, kept) if rest else ended


def _assigned(frame: Frame, nodes: Sequence[ast.stmt]) -> frozenset[str]:
    return assigned_names(nodes) | ({left(frame.loops[-1])} if frame.loops else set())


@contextmanager
def _followed(frame: Frame, live: frozenset[str]) -> Iterator[None]:
    """While statements are traced after which others stand that read `live`."""
    frame.ends.append((len(frame.loops), live))
    try:
        yield
    finally:
        frame.ends.pop()


def _live(frame: Frame, kept: frozenset[str]) -> frozenset[str]:
    """Variables that are read after all statements at hand, where nothing has ended."""
    return frame.ends[-1][1] if _others_follow(frame) else kept


def _trace(frame: Frame, node: ast.If, body: Sequence[ast.stmt]) -> _Branch:
    branch = _Branch(Block(), dict(frame.names), Returned(gone=False))
    with _inside(frame, branch), watching(frame, node):
        branch.ended = frame.run(body) or at_the_end(frame)
    return branch


def _go_on(frame: Frame, node: ast.If, branch: _Branch, rest: Sequence[ast.stmt], kept: frozenset[str]) -> None:
    """The statements after the if, where only this branch may come to them."""
    # A kernel ends behind them; of a function its caller goes on.
    with _inside(frame, branch), watching(frame, node) if frame.depth else nullcontext():
        branch.ended = _guarded(frame, node, rest, branch.ended, kept)


@contextmanager
def _inside(frame: Frame, branch: _Branch) -> Iterator[None]:
    outer, frame.names = frame.names, branch.names
    try:
        with frame.kernel.build.at(branch.block):
            yield
        branch.names = frame.names
    finally:
        frame.names = outer


def _guarded(
    frame: Frame, node: ast.If, rest: Sequence[ast.stmt], ended: Returned | Jump, kept: frozenset[str]
) -> Returned | Jump:
    """The statements after an if, where that has not ended."""
    gone = ended.gone
    if not isinstance(gone, Value):
        return frame.run(rest) or at_the_end(frame)
    going = _trace(frame, node, rest)
    gone_before = _Branch(Block(), dict(frame.names), replace(ended, gone=True))
    condition = frame.apply(node, lambda: ~gone)
    return _merge(frame, node, condition, [going, gone_before], _assigned(frame, rest), _live(frame, kept), kept)


def _merge(frame: Frame, node: ast.If, condition: Value, branches: Sequence[_Branch], assigned: frozenset[str],
           live: frozenset[str], kept: frozenset[str]) -> Returned | Jump:  # fmt: skip
    """One scf.if of two branches: whether they ended, with what, and their variables: those that are `live` where neither has ended, or
    `kept` where one has.
    """
    a, b = branches
    if type(a.ended) is not type(b.ended):
        frame.unsupported(node, *NO_RETURN)
    live = live | ({left(frame.loops[-1])} if frame.loops else set())
    names = sorted(assigned & (kept if a.ended.gone is b.ended.gone is True else live | kept))
    gone = frame.apply(node, _flag, condition, a.ended.gone, b.ended.gone)
    pairs = [gone if isinstance(gone, tuple) else (None, None), _results(frame, node, a, b)]
    for name in names:
        unseen = tuple(isinstance(each.ended.gone, bool) and name not in (kept if each.ended.gone else live) for each in branches)
        held = a.names.get(name, UNASSIGNED), b.names.get(name, UNASSIGNED)
        pairs.append(_stood_in(frame, branches, held, unseen) or merge_variable(frame, node, name, *held, (a.block, b.block)))
    first, second = (tuple(held) for held in zip(*pairs))
    op = frame.apply(node, emit_if, frame.kernel.build, condition, (a.block, b.block), (first, second))
    flag, value, *merged = rebuild(first, iter(op.results))
    for name in assigned:
        frame.names[name] = UNASSIGNED
    for name, each in zip(names, merged):
        frame.assign(name, each)
    flag = flag if isinstance(gone, tuple) else gone
    return Returned(value, flag) if isinstance(a.ended, Returned) else Jump(flag)


def _flag(condition: Value, a: Value | bool, b: Value | bool) -> Any:
    """Whether a branch ended; a pair of what each says where only the scf.if tells."""
    if not isinstance(a, Value) and not isinstance(b, Value):
        return a if a is b else condition if a else ~condition
    return unify(a, b)


def _results(frame: Frame, node: ast.If, *branches: _Branch) -> tuple[Any, Any]:
    a, b = (branch.ended for branch in branches)
    if not isinstance(a, Returned) or not isinstance(b, Returned) or a.gone is b.gone is False:
        return None, None
    held = _stood_in(frame, branches, (a.value, b.value), (a.gone is False, b.gone is False)) or (a.value, b.value)
    try:
        blocks = branches[0].block, branches[1].block
        return joined_later(frame, *held, blocks) or unify(*held, blocks)
    except CompileError as error:
        message = f"the function returns {error.message}"
        raise frame.error(node.test, message, "return the same shape and dtype everywhere") from None


def _stood_in(frame: Frame, branches: Sequence[_Branch], held: tuple[Any, Any], unseen: Sequence[bool]) -> tuple[Any, Any] | None:
    """What two branches give for something that is never looked at after one of them; None where it is after both, or neither."""
    (a, b), blocks = held, tuple(branch.block for branch in branches)
    if unseen[0] and not unseen[1]:
        return (UNASSIGNED, UNASSIGNED) if isinstance(b, Unbound) else (stand_in(frame, a, b, blocks), b)
    if unseen[1] and not unseen[0]:
        return (UNASSIGNED, UNASSIGNED) if isinstance(a, Unbound) else (a, stand_in(frame, b, a, blocks))
    return None
