"""Arrays of modules whose rows block messages do not reach, as a launch sees them; compiling a kernel in Python looks at its arrays itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuFunc, GpuModule
    from xetile.ir.core import Value
    from xetile.target import Target


def mark_short_rows(module: GpuModule, target: Target, values: Mapping[str, Any]) -> None:
    """Note as `scattered` the arrays of which this launch makes descriptors that break the rules of 2D block messages.

    Sizes and strides that are more than sums of arguments stay the user's promise.
    """
    from xetile.dialects import xegpu
    from xetile.passes.analysis.block_sizes import element_bytes

    kernel = module.kernel
    found = set(kernel.scattered)
    for op in module.walk() if target.block2d is not None else ():
        if not isinstance(op, xegpu.CreateNdTdesc) or op.result.type.rank != 2:
            continue
        name = _array(op.source, kernel)
        numbers = [*_sizes(op, kernel, values)] if name is not None else [None]
        if name is None or None in numbers:
            continue
        (height, width), pitch, size = numbers[-4:-2], numbers[-2], element_bytes(op.result.type.element)
        if target.check_2d_block(0, width * size, height, pitch * size, elem_bytes=size):  # type: ignore[operator, arg-type]
            found.add(name)
    if found:
        kernel.attributes["scattered"] = tuple(sorted(found))


def _array(memory: Value, kernel: GpuFunc) -> str | None:
    """The argument that memory is, in another form or not."""
    while memory.op is not None and memory.op.operands and memory.op.opname.startswith(("memref.", "gpu.")):
        memory = memory.op.operands[0]
    args = kernel.body.args
    return next((spec.param for arg, spec in zip(args, kernel.args) if arg is memory and spec.kind == "array"), None)


def _sizes(op: Any, kernel: GpuFunc, values: Mapping[str, Any]) -> Iterator[int | None]:
    """Rows and columns, then how far they lie apart, in elements; None for what is not known."""
    given = values.get(_array(op.source, kernel) or "")
    if op.shape:
        yield from (_number(v, kernel, values) for v in (*op.shape[-2:], *op.strides[-2:]))
    elif isinstance(given, np.ndarray) and given.ndim >= 2:
        yield from (*given.shape[-2:], *(n // given.itemsize for n in given.strides[-2:]))
    else:
        yield None


def _number(value: Value, kernel: GpuFunc, values: Mapping[str, Any]) -> int | None:
    from xetile.dialects.affine import affine_of

    specs, read = kernel.specs, affine_of(value)
    total = read.constant
    for symbol, times in read.coefficients.items():
        spec = specs.get(symbol)
        array = None if spec is None else values.get(spec.param)
        if spec is not None and spec.kind == "scalar":
            total += times * int(values[spec.param])
        elif spec is not None and isinstance(array, np.ndarray) and spec.kind in ("dim", "stride"):
            total += times * (array.shape[spec.axis] if spec.kind == "dim" else array.strides[spec.axis] // array.itemsize)
        else:
            return None
    return total
