"""Kernels of a few ops, built by hand, cleaned up, and what is left of them."""

from __future__ import annotations

from tests.reference.build import Kernel
from xetile.dialects import gpu
from xetile.dialects.types import F32
from xetile.ir.verifier import verify
from xetile.passes.cleanup.canonicalize import canonicalize


def kernel(*scalars, **attributes):
    return Kernel({"A": F32}, scalars, **attributes)


def keep(k, value):
    """Give a value an effect."""
    k.build.op(gpu.Printf, [value], message="%d\n")


def cleaned(k):
    module = canonicalize(k.done())
    verify(module)
    return module


def names(module):
    return [op.opname for op in module.walk()][2:-1]


def printed(module):
    """What the kernel's only printf prints."""
    (op,) = [op for op in module.walk() if isinstance(op, gpu.Printf)]
    return op.operands[0]
