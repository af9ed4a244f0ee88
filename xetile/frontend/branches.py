"""Run-time choices: two regions traced side by side, whose results are brought to one type."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from xetile.dialects import arith, scf
from xetile.frontend.carry import ir_types, ir_values, rebuild, unify
from xetile.frontend.frame import Frame
from xetile.ir.builder import Builder
from xetile.ir.core import Block, Op
from xetile.language.values import Value


def splice(build: Builder, block: Block) -> None:
    """Move a block's ops to the insertion point."""
    for op in block.take():
        build.place(op)


def choose(frame: Frame, node: ast.AST, condition: Value, then: Callable[[], Any], otherwise: Callable[[], Any], *,
           select: bool = False, merge: Callable[[Any, Any], tuple[Any, Any]] = unify) -> Any:  # fmt: skip
    """What `then()` gives where the condition holds, else what `otherwise()` gives: an scf.if around both.

    With `select`, scalars that are computed without effects are both computed and one is selected. `merge` brings the two
    results to one kind. Raises CompileError without a place where they differ in kind.
    """
    build = frame.kernel.build
    blocks, results = (Block(), Block()), []
    for block, trace in zip(blocks, (then, otherwise)):
        names, frame.names = frame.names, dict(frame.names)
        with build.at(block):
            results.append(trace())
        frame.names = names
    a, b = merge(*results)
    if select and _can_select(blocks, a):
        for block in blocks:
            splice(build, block)
        picked = frame.apply(node, lambda: [build(arith.Select, condition.ir, x, y) for x, y in zip(ir_values(a), ir_values(b))])
        return rebuild(a, iter(picked))
    op = frame.apply(node, _emit_if, build, condition, blocks, (a, b))
    return rebuild(a, iter(op.results))


def _can_select(blocks: tuple[Block, Block], result: Any) -> bool:
    scalars = all(not isinstance(part, Value) or not part.shape for part in (result if isinstance(result, tuple) else (result,)))
    return scalars and isinstance(result, Value) and all(op.pure for block in blocks for op in block.walk())


def _emit_if(build: Builder, condition: Value, blocks: tuple[Block, Block], results: tuple[Any, Any]) -> scf.If:
    types = ir_types(results[0])
    for block, held in zip(blocks, results):
        if types or block.ops or block is blocks[0]:
            with build.at(block):
                build(scf.Yield, ir_values(held))
    # Which subgroups go in, where the condition says it (xegpu.sg_id_range).
    chosen = condition.ir.owner.attributes.get("sg_id_range") if isinstance(condition.ir.owner, Op) else None
    return build.op(scf.If, condition.ir, regions=list(blocks), values=types, sg_id_range=chosen)
