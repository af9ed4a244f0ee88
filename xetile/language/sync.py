"""Synchronisation of the subgroups of a workgroup: barriers and fences."""

from __future__ import annotations

from typing import Any

from xetile import dtypes
from xetile.dialects import gpu, xegpu
from xetile.errors import CompileError
from xetile.ir.core import Value as IRValue
from xetile.language.context import current
from xetile.language.elementwise import as_value, plain
from xetile.language.values import describe, is_integer


def barrier() -> None:
    """All subgroups of the workgroup wait here for each other; what they wrote before to shared local memory is seen after.

    Must be reached by all of them: where the conditions and loops around it depend on `subgroup_id`, compiling raises CompileError, and debug
    mode DivergentBarrierError.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((8, 8), xt.f32)}, grid=(1,), num_subgroups=4)
        def example(X, Y):
            shared = xt.alloc_slm((8, 8), xt.f32)
            xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 8))), xt.init_tile(shared, (0, 0), (8, 8)))
            xt.barrier()                                # a subgroup reads below what others have stored above
            xt.store_tile(xt.load_tile(xt.init_tile(shared.T, (0, 0), (8, 8))), xt.init_tile(Y, (0, 0), (8, 8)))

        print(example(np.arange(64, dtype=np.float32).reshape(8, 8))[1])

    Prints:
        [ 1.  9. 17. 25. 33. 41. 49. 57.]
    """
    current().build(gpu.Barrier)


def barrier_arrive() -> None:
    """First half of a split barrier: say that this subgroup has come so far, and go on. Each arrival needs one `barrier_wait`.

    Compiling raises CompileError where a kernel has the one half only.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((8, 8), xt.f32)}, grid=(1,), num_subgroups=4)
        def example(X, Y):
            shared = xt.alloc_slm((8, 8), xt.f32)
            xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 8))), xt.init_tile(shared, (0, 0), (8, 8)))
            xt.barrier_arrive()                         # its part is stored; work that needs no others' part goes here
            more = xt.load_tile(xt.init_tile(X, (0, 0), (8, 8)))
            xt.barrier_wait()                           # all parts are stored
            transposed = xt.load_tile(xt.init_tile(shared.T, (0, 0), (8, 8)))
            xt.store_tile(more - transposed, xt.init_tile(Y, (0, 0), (8, 8)))

        print(example(np.arange(64, dtype=np.float32).reshape(8, 8))[1])

    Prints:
        [  7.   0.  -7. -14. -21. -28. -35. -42.]
    """
    current().build(gpu.BarrierArrive)


def barrier_wait() -> None:
    """Second half of a split barrier: wait until all subgroups have arrived.

    Compiling raises CompileError where a kernel has the one half only.

    Example:
        @xt.jit(out={"Y": lambda X: xt.empty((8, 8), xt.f32)}, grid=(1,), num_subgroups=4)
        def example(X, Y):
            shared = xt.alloc_slm((8, 8), xt.f32)
            xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (8, 8))), xt.init_tile(shared, (0, 0), (8, 8)))
            xt.barrier_arrive()                         # its part is stored; work that needs no others' part goes here
            more = xt.load_tile(xt.init_tile(X, (0, 0), (8, 8)))
            xt.barrier_wait()                           # all parts are stored
            transposed = xt.load_tile(xt.init_tile(shared.T, (0, 0), (8, 8)))
            xt.store_tile(more - transposed, xt.init_tile(Y, (0, 0), (8, 8)))

        print(example(np.arange(64, dtype=np.float32).reshape(8, 8))[1])

    Prints:
        [  7.   0.  -7. -14. -21. -28. -35. -42.]
    """
    current().build(gpu.BarrierWait)


_KINDS = ("slm", "global")
_SCOPES = ("workgroup", "gpu")


def fence(memory: str = "slm", scope: str = "workgroup") -> None:
    """Order accesses: what was written to `memory` ("slm" or "global") before is seen before what comes after.

    scope   "workgroup" or "gpu": who sees it so. Raises CompileError for other words.

    Example:
        @xt.jit(grid=(4,))
        def example(X, Parts, Done, Total):
            part = xt.load_tile(xt.init_tile(X, xt.program_id(0) * 4, (4,)))
            xt.store_tile(xt.full((1,), xt.sum(part)), xt.init_tile(Parts, xt.program_id(0), (1,)))
            xt.fence("global", "gpu")                   # the part is seen by all before the count is
            before = xt.atomic_rmw_tile("add", 1, xt.init_tile(Done, 0, (1,))).item()
            if before == xt.num_programs(0) - 1:        # the last program adds the parts up
                xt.fence("global", "gpu")
                xt.store_tile(xt.full((1,), xt.sum(xt.load_tile(xt.init_tile(Parts, 0, (4,))))), xt.init_tile(Total, 0, (1,)))

        Total = np.zeros(1, np.float32)
        example(np.ones(16, np.float32), np.zeros(4, np.float32), np.zeros(1, np.int32), Total)
        print(Total)

    Prints:
        [16.]
    """
    if memory not in _KINDS or scope not in _SCOPES:
        raise CompileError(f"fence({memory!r}, {scope!r})", hint='memory is "slm" or "global", scope is "workgroup" or "gpu"')
    current().build(xegpu.Fence, memory_kind=memory, fence_scope=scope)


class NamedBarrier:
    """A barrier of a number of subgroups: `arrive()` says that this one has come so far, `wait()` waits for the others."""

    def __init__(self, ir: IRValue) -> None:
        self.ir = ir

    def arrive(self) -> None:
        """Say that this subgroup has come so far, and go on."""
        current().build(xegpu.NbarrierArrive, self.ir)

    def wait(self) -> None:
        """Wait until all participants have arrived."""
        current().build(xegpu.NbarrierWait, self.ir)


def alloc_named_barriers(count: int) -> None:
    """Reserve named barriers for the workgroup; once, at the head of the kernel. Raises CompileError for what is no number.

    Example:
        @xt.jit(grid=(1,), num_subgroups=2)
        def example(X):
            xt.alloc_named_barriers(1)
            both = xt.named_barrier(0, 2)
            both.arrive()
            both.wait()
            if xt.subgroup_id() == 0:
                xt.device_print("both subgroups have come")

        example(np.zeros(4, np.float32))

    Prints:
        both subgroups have come
    """
    if not isinstance(count, int) or count < 1:
        raise CompileError(f"alloc_named_barriers({describe(count)}): the number must be a positive constant")
    current().build(xegpu.AllocNbarrier, nbarrier_num=count)


def named_barrier(number: Any, participants: Any) -> NamedBarrier:
    """Join the named barrier `number` (0 is the first) of so many participating subgroups.

    Raises CompileError where these are no integers.

    Example:
        @xt.jit(grid=(1,), num_subgroups=4)
        def example(X, Y):
            xt.alloc_named_barriers(2)
            me, shared = xt.subgroup_id(), xt.alloc_slm((4, 16), xt.f32)
            rows = xt.wg_map(sg_layout=(4, 1), sg_data=(1, 16))         # a row for each subgroup
            x = xt.load_tile(xt.init_tile(X, (0, 0), (4, 16), wg_map=rows))
            xt.store_tile(x, xt.init_tile(shared, (0, 0), (4, 16), wg_map=rows))
            pair = xt.named_barrier(me // 2, 2)         # 0 and 1 meet at barrier 0, 2 and 3 at barrier 1
            xt.fence()
            pair.arrive()
            pair.wait()
            xt.store_tile(x, xt.init_tile(Y, (0, 0), (4, 16), wg_map=rows))

        X, Y = np.ones((4, 16), np.float32), np.zeros((4, 16), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    operands = []
    for what, given, dtype in (("number", number, dtypes.i8), ("participants", participants, dtypes.i8)):
        if not is_integer(plain(given)):
            raise CompileError(f"named_barrier: {what} is {describe(given)}, not an integer")
        operands.append(as_value(given, dtype).to(dtype).ir)
    return NamedBarrier(current().build(xegpu.InitNbarrier, *operands))
