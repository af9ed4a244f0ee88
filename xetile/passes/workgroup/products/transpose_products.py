"""What products give and kernels use transposed is worked out transposed: `f(a @ b).T` is `f(b.T @ a.T)`.

Gradients of keys and values multiply by transposes of scores (`dv += p.to(do.dtype).T @ do`), which lanes hold the other way and would
exchange through shared memory: 498 instructions for 16 DPAS on pvc, where transposed scores took 194. Tiles that are loaded come
transposed by themselves.
"""

from __future__ import annotations

from xetile.dialects import xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.types import VectorType
from xetile.ir.core import Op, Value
from xetile.ir.reach import reached
from xetile.ir.rewriter import Rewriter
from xetile.passes.analysis.products import IN_ANY_ORDER
from xetile.passes.analysis.staying import loaded
from xetile.passes.common.unused import erase_unused
from xetile.passes.workgroup.memory.reload_transposes import Transposed, can_be_transposed
from xetile.target import Target


def transpose_products(module: GpuModule, target: Target) -> GpuModule:
    """Exchange the operands of products of which nothing is used but transposes, and of what is worked out of them.

    Before and after: xetile at workgroup level. Both operands of these products are loaded. For devices
    whose messages transpose what they load.
    """
    if target.block2d is None:
        return module
    chains = {op: chain for op in module.find(xetile.TileTranspose) if (chain := _chain(op)) is not None}
    while escaping := [op for op, chain in chains.items() if not _is_closed(chain, chains)]:
        for op in escaping:
            del chains[op]
    rewrite = Rewriter()
    transposed = Transposed(rewrite)
    for op in chains:
        rewrite.replace_uses(op.result, transposed.get(op.source))
    erase_unused([op.result for op in chains], rewrite)
    return module


def _chain(transpose: xetile.TileTranspose) -> set[Op] | None:
    """The products that a transpose is made of, and what is worked out of these; None where some of it cannot be transposed."""
    if transpose.wg_map is not None:
        return None
    found, products = dict[Op, None](), set[Op]()
    ahead: list[Value] = [transpose.source]
    while ahead:
        value = ahead.pop()
        op = value.op
        if not isinstance(value.type, VectorType) or op in found:
            continue
        if op is None or not can_be_transposed(op):
            return None
        found[op] = None
        if isinstance(op, xetile.TileMma):
            products.add(op)
            if not _is_plain(op):
                return None
            ahead += [] if op.acc is None else [op.acc]
        elif not isinstance(op, (xetile.LoadTile, xetile.TileTranspose)):
            ahead += op.operands
    return _made_of(products, found) if products else None


def _is_plain(product: xetile.TileMma) -> bool:
    """Whether a product of floats may be summed in any order, and has operands that come transposed as they are."""
    kind = product.result.type.element
    return kind.is_float and kind in IN_ANY_ORDER and all(_is_loaded(v) for v in (product.a, product.b))


def _is_loaded(value: Value) -> bool:
    load = loaded(value)
    return load is not None and can_be_transposed(load)


def _made_of(products: set[Op], among: dict[Op, None]) -> set[Op]:
    """The products and all ops among some that take what they give."""
    return set(reached(products, lambda op: (user for value in op.results for user in value.users if user in among)))


def _is_closed(chain: set[Op], chains: dict[xetile.TileTranspose, set[Op]]) -> bool:
    """Whether nothing but chains and their transposes takes anything of a chain."""
    inside: set[Op] = set().union(*chains.values())
    return all(user in inside or user in chains for op in chain for value in op.results for user in value.users)
