"""What a target cannot do is refused in the user's words, at the user's line."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import xetile as xt
from tests.passes.parity import signature
from xetile.errors import CompileError, DtypeError, LayoutError, ResourceError, TileShapeError
from xetile.frontend.tracer import trace
from xetile.passes.distribute.distribute_to_subgroups import distribute_to_subgroups
from xetile.passes.workgroup.forms.check_tiles import check_tiles
from xetile.passes.workgroup.layouts.infer_layouts import infer_layouts
from xetile.target import get_target

F16, F32 = np.zeros((4, 4), np.float16), np.zeros((4, 4), np.float32)


@xt.jit
def product(A, B, C, M: xt.constexpr, N: xt.constexpr, K: xt.constexpr, A_MAP: xt.constexpr = None, MAP: xt.constexpr = None):
    a = xt.load_tile(xt.init_tile(A, (0, 0), (M, K), wg_map=A_MAP))
    b = xt.load_tile(xt.init_tile(B, (0, 0), (K, N)))
    c = xt.tile_mma(a, b, wg_map=MAP)  # product
    xt.store_tile(c, xt.init_tile(C, (0, 0), (M, N)))


@xt.jit
def atomic(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (8, 16)))
    xt.atomic_rmw_tile("add", x, xt.init_tile(Y, (0, 0), (8, 16)))  # atomic


@xt.jit
def shared(X):
    a = xt.alloc_slm((128, 256), xt.f32)
    b = xt.alloc_slm((16, 16), xt.f32)  # alloc
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (16, 16))), xt.init_tile(b, (0, 0), (16, 16)))
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (16, 16))), xt.init_tile(a, (0, 0), (16, 16)))


@xt.jit
def some_wait(X):
    if xt.subgroup_id() == 0:
        xt.barrier()  # barrier
    xt.store_tile(xt.zeros((8, 16), xt.f32), xt.init_tile(X, (0, 0), (8, 16)))


@xt.jit
def some_store(X):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (4, 16)))
    if xt.subgroup_id() == 3:
        xt.store_tile(x, xt.init_tile(X, (8, 0), (4, 16)))  # store


@xt.jit
def some_add(X):
    for _ in range(xt.subgroup_id()):
        xt.atomic_rmw_tile("add", 1.0, xt.init_tile(X, (0, 0), (1, 1)))  # add


@xt.jit
def some_store_theirs(X):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 16), wg_map=xt.wg_map((4, 1), (8, 16))))
    if xt.subgroup_id() == 3:
        xt.store_tile(x * 2, xt.init_tile(X, (0, 0), (32, 16)))
    if xt.subgroup_id() != 0:
        xt.store_tile(x, xt.init_tile(X, (0, 0), (32, 16), wg_map=xt.wg_map((4, 1), (8, 16))))
    else:
        X[0, 0] = 1.0


@xt.jit
def some_move(X):
    t = xt.init_tile(X, (0, 0), (32, 64), wg_map=xt.wg_map((2, 2), (16, 32)))
    if xt.subgroup_id() == 0:
        x = xt.tile_conv_layout(xt.load_tile(t), wg_map=xt.wg_map((4, 1), (8, 64)))
        xt.store_tile(x, xt.init_tile(X, (0, 0), (32, 64)))


@xt.jit
def split_barrier(X):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=xt.wg_map((2, 2), (16, 32))))
    xt.barrier_arrive()
    x = xt.tile_conv_layout(x, wg_map=xt.wg_map((4, 1), (8, 64)))  # convert
    xt.barrier_wait()
    xt.store_tile(x, xt.init_tile(X, (0, 0), (32, 64)))


@xt.jit
def two_maps(X):
    a = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=xt.wg_map((4, 2), (8, 32))))
    b = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=xt.wg_map((8, 1), (4, 64))))  # second
    xt.store_tile(a + b, xt.init_tile(X, (0, 0), (32, 64)))


@xt.jit
def mapped(X, MAP: xt.constexpr):
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=MAP)), xt.init_tile(X, (0, 0), (32, 64)))  # map


@xt.jit
def large(X):
    """The kernel's own memory leaves no room for the smallest part."""
    kept = xt.alloc_slm((500, 64), xt.f32)
    xt.store_tile(xt.load_tile(xt.init_tile(kept, (0, 0), (8, 64))), xt.init_tile(X, (0, 0), (8, 64)))
    x = xt.load_tile(xt.init_tile(X, (0, 0), (256, 256), wg_map=xt.wg_map((8, 4), (32, 64)))) * 2.0
    xt.store_tile(xt.tile_conv_layout(x, wg_map=xt.wg_map((32, 1), (8, 256))), xt.init_tile(X, (0, 0), (256, 256)))


@xt.jit
def reduced(X, Y):
    x = xt.load_tile(xt.init_tile(X, (0, 0), (32, 64), wg_map=xt.wg_map((4, 2), (8, 32))))
    y = xt.tile_reduce("add", x, 1, wg_map=xt.wg_map((8, 1), (4, 1)))  # reduce
    xt.store_tile(y, xt.init_tile(Y, (0, 0), (32, 1)))


def products(m, n, k, types=(F16, F16, F32), **maps):
    return product, dict(zip("ABC", types)), {"M": m, "N": n, "K": k, **maps}


def lowered(fn, args, constants):
    target = get_target("pvc")
    module = check_tiles(trace(fn, signature(args), constants), target)
    return distribute_to_subgroups(infer_layouts(module, target), target)


CASES = [
    (products(16, 20, 16, MAP=xt.wg_map((1, 1), (16, 20))), TileShapeError, "20 columns of b", "use 32", "product"),
    (products(16, 16, 24, A_MAP=xt.wg_map((1, 1), (16, 24))), TileShapeError, "24 columns of a and rows of b", "leave maps out", "product"),
    (products(64, 64, 32, MAP=xt.wg_map((8, 8), (8, 8))), LayoutError, "has 8 columns", "multiple of 16", "product"),
    (products(64, 64, 32, MAP=xt.wg_map((4, 2), (16, 32)), A_MAP=xt.wg_map((2, 4), (32, 8))), LayoutError,
     "a is mapped sg_layout=[2, 4], sg_data=[32, 8]", "tile_conv_layout", "product"),
    (products(64, 64, 32, MAP=xt.wg_map((4, 2), (48, 32))), LayoutError, "sg_data=[48, 32]", "divides 64", "product"),
    ((atomic, {"X": np.zeros((4, 4), np.int16), "Y": np.zeros((4, 4), np.int16)}, {}), DtypeError, "no atomic addi of i16",
     "32 or 64 bits", "atomic"),
    ((shared, {"X": F32}, {}), ResourceError, "132096 bytes", "smaller", "alloc"),
    ((some_wait, {"X": F32}, {}), CompileError, "only some subgroups", "move the barrier", "barrier"),
    ((some_store, {"X": F32}, {}), CompileError, "only some subgroups reach it", "by a wg_map", "store"),
    ((some_add, {"X": F32}, {}), CompileError, "distributed over all of them", "by a wg_map", "add"),
    ((some_move, {"X": F32}, {}), LayoutError, "not all subgroups", "move the", ""),
    ((split_barrier, {"X": F32}, {}), LayoutError, "after barrier_arrive", "out of there", "convert"),
    ((two_maps, {"X": F32}, {}), LayoutError, "sg_layout=[4, 2], sg_data=[8, 32]", "tile_conv_layout", ""),
    ((mapped, {"X": F32}, {"MAP": xt.wg_map((3, 2), (8, 32))}), LayoutError, "3 * 8 = 24", "divides 4", "map"),
    ((large, {"X": F32}, {}), ResourceError, "262144 bytes", "same wg_map", ""),
    ((reduced, {"X": F32, "Y": F32}, {}), LayoutError, "the source is mapped sg_layout=[4, 2]", "tile_conv_layout", "reduce"),
]  # fmt: skip


@pytest.mark.device
def test_maps_that_contradict_each_other_are_refused_where_no_subgroups_run():
    """A kernel that runs on CPUs is not refused on GPUs for what it says about maps."""
    with pytest.raises(LayoutError, match="two maps meet"), xt.device("cpu"):
        two_maps[1](np.zeros((32, 64), np.float32))
    with pytest.raises(LayoutError, match=r"tile_reduce: the source is mapped sg_layout=\[4, 2\]"), xt.device("cpu"):
        reduced[1](np.zeros((64, 64), np.float32), np.zeros((64, 64), np.float32))
    a, b, c = np.zeros((64, 32), np.float16), np.zeros((32, 64), np.float16), np.zeros((64, 64), np.float32)
    with pytest.raises(LayoutError, match=r"tile_mma: a is mapped sg_layout=\[2, 4\]"), xt.device("cpu"):
        product[1](a, b, c, M=64, N=64, K=32, MAP=xt.wg_map((4, 2), (16, 32)), A_MAP=xt.wg_map((2, 4), (32, 8)))


@pytest.mark.parametrize("case,kind,message,hint,line", CASES, ids=[f"{c[0][0].fn.__name__}-{c[2]}" for c in CASES])
def test_errors_name_the_place_and_the_cure(case, kind, message, hint, line):
    fn, args, constants = case
    with pytest.raises(kind) as caught:
        lowered(fn.fn, args, constants)
    error = caught.value
    assert message in error.message and hint in error.hint
    assert error.at is not None and error.at.file == __file__
    assert f"# {line}" in linecache.getline(__file__, error.at.line) or not line


@pytest.mark.parametrize("target,dtype", [("dg2", np.float64)])
def test_dtypes_that_a_target_lacks(target, dtype):
    module = trace(mapped.fn, signature({"X": np.zeros((4, 4), dtype)}), {"MAP": None})
    with pytest.raises(DtypeError, match="dg2 has no f64"):
        check_tiles(module, get_target(target))


def test_what_subgroups_move_for_themselves_passes():
    """Parts that maps give, and one element of subgroup 0."""
    check_tiles(trace(some_store_theirs.fn, signature({"X": F32}), {}, num_subgroups=4), get_target("pvc"))


def test_more_subgroups_than_a_core_runs():
    module = trace(mapped.fn, signature({"X": F32}), {"MAP": None}, num_subgroups=128)
    with pytest.raises(ResourceError, match="num_subgroups=128"):
        check_tiles(module, get_target("pvc"))


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2", "cpu"])
def test_only_dtypes_that_users_can_write_are_named(target):
    @xt.jit
    def kernel(X, Y):
        xt.store_tile(xt.load_tile(X[0:8, 0:16]), Y[0:8, 0:16])

    lacking = [name for name in ("f64", "tf32") if not get_target(target).supports(name)]
    for name in lacking:
        with pytest.raises(DtypeError, match=f"{target} has no {name}") as error:
            kernel.compile(f"{name}[?,?]", f"{name}[?,?]", target=target)
        named = error.value.hint.removeprefix("it has ").split(", ")
        assert {"f32", "f16"} <= set(named) and all(hasattr(xt, each) for each in named)
    assert lacking or target != "dg2"
