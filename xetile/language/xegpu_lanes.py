"""What only lanes ask."""

from __future__ import annotations

from xetile import dtypes
from xetile.dialects import gpu
from xetile.errors import CompileError
from xetile.language.context import current
from xetile.language.values import Value
from xetile.language.xegpu_values import level_now


def lane_id() -> Value:
    """Which lane of its subgroup executes this, as index. Raises CompileError outside of lane-level kernels.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            xegpu.level("lane")
            lane = xegpu.lane_id()
            x = xegpu.load(X, lane)                     # each lane one element
            xegpu.store(x * 2, Y, lane)

        X, Y = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
        example(X, Y)
        print(Y[:4])

    Prints:
        [0. 2. 4. 6.]
    """
    if level_now() != "lane":
        raise CompileError("lane_id is for lane-level kernels", hint='begin the kernel with xegpu.level("lane")')
    return Value(current().build(gpu.LaneId), dtypes.index)
