"""Writing a pass: find a pattern in the IR, replace it, and prove that nothing else changed.

    python tutorials/16_writing_a_pass.py

A pass is a function of a module and a target that gives a module. It reads ops, and changes them through the `Rewriter` alone, so that
every value knows its uses. This one replaces `x * 2` by `x + x`, which is the same number for every x. Then it is shown right as
xetile's own passes are: the module is verified, and executed before and after on the same array. Last it goes through the passes that
follow, with `lower`, down to the lanes.

MLIR's names are used for everything: `docs/dialects.md` has examples, and each level of a kernel can be printed.
"""

from collections.abc import Iterator
from importlib import import_module

import numpy as np

import xetile as xt
from xetile.dialects import arith
from xetile.dialects.gpu import GpuModule
from xetile.ir.core import Op
from xetile.ir.printer import print_op
from xetile.ir.rewriter import Rewriter
from xetile.ir.verifier import verify
from xetile.passes import pipeline
from xetile.runtime.compiler import trace
from xetile.target import Target, get_target

interpret = import_module("xetile.backends.reference.interpret").interpret  # backends are parts that nothing imports by itself


@xt.jit(grid=(1,))
def scaled(X: xt.Array, Y: xt.Array) -> None:
    """Y = 2 * X + X * 3, both of 16 x 32."""
    x = xt.load_tile(xt.init_tile(X, (0, 0), (16, 32)))
    xt.store_tile(2 * x + x * 3, xt.init_tile(Y, (0, 0), (16, 32)))


def add_instead_of_doubling(module: GpuModule, target: Target) -> GpuModule:
    """Replace x * 2 by x + x.

    Before and after: any level. The sum of a float and itself is exact but for overflow, as its double is.
    """
    rewriter = Rewriter()
    for op in list(doublings(module)):  # a list: the module changes while we go
        left, right = op.operands
        x = left if arith.constant_of(right) == 2.0 else right
        with rewriter.before(op):  # new ops go there, and have its place in the source
            total = rewriter(arith.AddF, x, x)
        rewriter.replace(op, total)
    return module


def doublings(module: GpuModule) -> Iterator[Op]:
    """Products with a constant 2."""
    for op in module.walk():
        if isinstance(op, arith.MulF) and any(arith.constant_of(value) == 2.0 for value in op.operands):
            yield op


def main() -> None:
    """Trace, rewrite, verify, execute, lower."""
    target = get_target("pvc")
    request = scaled.compile("f32[16,32]", "f32[16,32]", target="pvc").request
    x = np.random.default_rng(0).standard_normal((16, 32), dtype=np.float32)

    results = {}
    for name in ("before", "after"):
        module = trace(request)
        if name == "after":
            module = add_instead_of_doubling(module, target)
        verify(module)
        text = print_op(module)
        print(f"{name}: {text.count('arith.mulf')} products, {text.count('arith.addf')} sums")
        results[name] = np.zeros_like(x)
        interpret(module, (1, 1, 1), [x, results[name]])
    if not (results["before"] == results["after"]).all():
        raise SystemExit("the pass changed the result")
    print("the same bits before and after")

    for level, lowered in pipeline.lower(add_instead_of_doubling(trace(request), target), target):
        verify(lowered)
        print(f"  {level}: {sum(1 for _ in lowered.walk())} ops, verified")


if __name__ == "__main__":
    main()
