"""Kernels in XeGPU's own ops: layouts given by hand, and pairs of subgroups that meet at named barriers.

    python tutorials/13_xegpu.py

`xetile.xegpu` holds the ops of MLIR's xegpu dialect. They say what the hardware is to do: which block a message loads, in which order its
elements come (`packed` is what dpas wants of its second operand), what lies in shared memory and how. Arithmetic and reductions are
those of `xt`. A kernel whose layouts have an `sg_layout` is one of workgroups (`product`); without, it says what one subgroup does, and
asks `xt.subgroup_id()` which one it is (`pairs`).
"""

import numpy as np

import xetile as xt
from xetile import xegpu
from xetile.errors import DeviceError


@xt.jit(
    out={"C": lambda A, B: xt.empty((A.shape[0], B.shape[1]), xt.f32)},
    grid=lambda C: (xt.cdiv(C.shape[1], 64), xt.cdiv(C.shape[0], 64)),
)
def product(A: xt.Array, B: xt.Array, C: xt.Array) -> None:
    """C[M, N] f32 = A[M, K] @ B[K, N], f16: 64 x 64 for a workgroup, 32 x 32 for each of its four subgroups."""
    assert A.shape[1] == B.shape[0], "the columns of A are the rows of B"
    part = xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32), inst_data=(8, 16))
    part_b = xegpu.layout(sg_layout=(2, 2), sg_data=(32, 32), inst_data=(16, 16))
    m, n = xt.program_id(1) * 64, xt.program_id(0) * 64
    a = xegpu.create_nd_tdesc(A, shape=(64, 32), layout=part)
    b = xegpu.create_nd_tdesc(B, shape=(32, 64), layout=part_b)
    acc = xt.zeros((64, 64), xt.f32)
    for k in range(0, A.shape[1], 32):
        acc = xegpu.dpas(xegpu.load_nd(a, (m, k)), xegpu.load_nd(b, (k, n)), acc, layout_a=part, layout_b=part_b, layout_cd=part)
    xegpu.store_nd(acc, xegpu.create_nd_tdesc(C, (m, n), (64, 64), layout=part))


@xt.jit(
    out={"C": lambda A: xt.empty(A.shape, xt.f32)},
    grid=lambda A: (xt.cdiv(A.shape[0], 32),),
    num_subgroups=8,
)
def pairs(A: xt.Array, S: xt.Array, B: xt.Array, C: xt.Array) -> None:
    """C[M, 32] f32 = (A * S) @ B of A, S[M, 32] and B[32, 32], f16.

    Subgroups work in pairs: an even one scales 8 rows of A and leaves them in shared memory, its neighbour multiplies them by B. A pair
    meets at a named barrier of its own, so that no pair waits for another one, as it would at `xt.barrier()`.
    """
    xegpu.alloc_nbarrier(4)
    me = xt.subgroup_id()
    pair = me // 2
    row = xt.program_id(0) * 32 + pair * 8
    scaled = xegpu.create_mem_desc(xt.alloc_slm((32, 32), xt.f16), (32, 32))
    ready = xegpu.init_nbarrier(pair, 2)
    if me % 2 == 0:
        a = xegpu.load_nd(xegpu.create_nd_tdesc(A, (row, 0), (8, 32)))
        s = xegpu.load_nd(xegpu.create_nd_tdesc(S, (row, 0), (8, 32)))
        xegpu.store_matrix(a * s, scaled, (pair * 8, 0))
        xegpu.fence("slm", "workgroup")  # what was stored is seen before this subgroup says that it has come
    xegpu.nbarrier_arrive(ready)
    xegpu.nbarrier_wait(ready)
    if me % 2 == 1:
        b = xegpu.load_nd(xegpu.create_nd_tdesc(B, (0, 0), (32, 32)), packed=True)
        a = xegpu.load_matrix(scaled, (pair * 8, 0), (8, 32))
        xegpu.store_nd(xegpu.dpas(a, b), xegpu.create_nd_tdesc(C, (row, 0), (8, 32)))


def main() -> None:
    """Both against numpy."""
    rng = np.random.default_rng(0)

    def f16(*shape: int) -> np.ndarray:
        return rng.integers(-3, 4, shape).astype(np.float16)

    a, b = f16(100, 96), f16(96, 80)
    first = (product(a, b) == a.astype(np.float32) @ b.astype(np.float32)).all()
    print("product of workgroups:", "right" if first else "wrong")

    a, s, b = f16(100, 32), f16(100, 32), f16(32, 32)
    try:
        c = pairs(a, s, b)
    except DeviceError as error:  # Intel's CPU runtime has no subgroups that wait for each other
        print(f"on numpy, for {error.message}")
        with xt.device("numpy"):
            c = pairs(a, s, b)
    second = (c == (a * s).astype(np.float32) @ b.astype(np.float32)).all()
    print("pairs of subgroups:", "right" if second else "wrong")
    if not (first and second):
        raise SystemExit("the result is wrong")


if __name__ == "__main__":
    main()
