"""Run-time choices: two regions traced side by side, whose results are brought to one type."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from xetile.dialects import arith, scf
from xetile.errors import CompileError
from xetile.frontend.carry import LATER, Unbound, how_to_join, ir_types, ir_values, of_two_kinds, rebuild, two_kinds, unify
from xetile.frontend.frame import Frame
from xetile.frontend.objects import watched_in
from xetile.frontend.stand_ins import stand_in
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op
from xetile.language.values import Value

Blocks = tuple[Block, Block]
UNASSIGNED = Unbound("may have no value: only one branch of an if assigns it", "assign it before the if, or in both branches")


def left(loop: ast.For | ast.While) -> str:
    """A variable of the tracer's own: whether a `break` has left a loop."""
    return f"break (line {loop.lineno})"


def splice(build: Builder, block: Block) -> None:
    """Move a block's ops to the insertion point."""
    for op in block.take():
        build.place(op)


def choose(frame: Frame, node: ast.AST, condition: Value, then: Callable[[], Any], otherwise: Callable[[], Any], *,
           select: bool = False, merge: Callable[[Any, Any, Blocks], tuple[Any, Any]] = unify) -> Any:  # fmt: skip
    """What `then()` gives where the condition holds, else what `otherwise()` gives: an scf.if around both.

    With `select`, scalars that are computed without effects are both computed and one is selected. `merge` brings the two
    results to one kind, at the ends of the regions. Raises CompileError without a place where they differ in kind.
    """
    build = frame.kernel.build
    blocks, results = (Block(), Block()), []
    for block, trace in zip(blocks, (then, otherwise)):
        names, frame.names = frame.names, dict(frame.names)
        with build.at(block):
            results.append(watched_in(frame, node, trace)())
        frame.names = names
    a, b = merge(results[0], results[1], blocks)
    if select and _can_select(blocks, a):
        for block in blocks:
            splice(build, block)
        picked = frame.apply(node, lambda: [build(arith.Select, condition.ir, x, y) for x, y in zip(ir_values(a), ir_values(b))])
        return rebuild(a, iter(picked))
    op = frame.apply(node, emit_if, build, condition, blocks, (a, b))
    return rebuild(a, iter(op.results))


def _can_select(blocks: tuple[Block, Block], result: Any) -> bool:
    scalars = all(not isinstance(part, Value) or not part.shape for part in (result if isinstance(result, tuple) else (result,)))
    return scalars and isinstance(result, Value) and all(op.pure for block in blocks for op in block.walk())


def emit_if(build: Builder, condition: Value, blocks: tuple[Block, Block], results: tuple[Any, Any]) -> scf.If:
    """An scf.if of two regions, each yielding what it gives."""
    types = ir_types(results[0])
    for block, held in zip(blocks, results):
        if types or block.ops or block is blocks[0]:
            with build.at(block):
                build(scf.Yield, ir_values(held))
    # Which subgroups go in, where the condition says it (xegpu.sg_id_range).
    chosen = condition.ir.owner.attributes.get("sg_id_range") if isinstance(condition.ir.owner, Op) else None
    return build.op(scf.If, condition.ir, regions=list(blocks), values=types, sg_id_range=chosen)


def merge_variable(frame: Frame, node: ast.stmt | ast.expr, name: str, a: Any, b: Any, blocks: Blocks) -> tuple[Any, Any]:
    """What two branches give for a variable, brought to one kind; raises CompileError at the node."""
    if isinstance(a, Unbound) or isinstance(b, Unbound):
        return UNASSIGNED, UNASSIGNED
    try:
        return joined_later(frame, a, b, blocks) or unify(a, b, blocks)
    except CompileError:
        message = f"{name} is {two_kinds(a, b)}"
        hint = how_to_join(a, b, "give it the same shape and dtype in both, such as with .to(...)")
        at = frame.location(node.test if isinstance(node, ast.If) else node)
        raise of_two_kinds(a, b)(message, hint=hint, at=at) from None


def joined_later(frame: Frame, a: Any, b: Any, blocks: Blocks) -> tuple[Any, Any] | None:
    """Two sides of which one has not been given what the other has; None where both have."""
    if a is LATER or b is LATER:
        return (stand_in(frame, a, b, blocks), b) if a is LATER else (a, stand_in(frame, b, a, blocks))
    return None
