"""Machine code of the benchmark kernels against what the project allows itself: counts of Intel's GPU compiler, which repeat.

Timeless: nothing runs on a device. `python -m xetile benchmarks isa` shows all kernels with all columns.
"""

import re
from dataclasses import replace

import pytest

import xetile as xt
from benchmarks.isa_cases import CASES, Case
from benchmarks.isa_library import LIBRARY
from tests.tools import isa_counts, ocloc_compile
from xetile.target import get_target

BY_NAME = {case.name: case for case in CASES}


def counts(case: Case, target: str):
    """(statistics of the kernel, counts of one step)."""
    compiled = case.compile(target)
    device = get_target(target).ocloc_device or target
    found = isa_counts(ocloc_compile(compiled.spirv, device, compiled.build_options), device)
    if case.step_dpas:
        return found, found.per_kstep(case.step_dpas)
    return found, found.hot.counts if found.hot is not None else found.whole


def check_product(name: str, target: str, *, loads: int):
    case = BY_NAME[name]
    found, step = counts(case, target)
    assert step.total <= case.bars[target]
    assert (step["dpas"], step.loads, step["prefetch"]) == (32, loads, 1)
    assert step.scratch == found.whole.scratch == found.kernel.spill_size == 0


@pytest.mark.covering
@pytest.mark.every(4, 1)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", ["matmul f16, bias, gelu", "matmul f16, residual", "matmul f16, stored as f16",
                                  "matmul f16, batched", "matmul f16, K split 128x128"])  # fmt: skip
def test_step_of_a_product_with_an_epilogue_in_batches_and_with_k_split(name, target):
    check_product(name, target, loads=3)


@pytest.mark.covering
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize(("name", "loads"), [("matmul f16", 3), ("matmul i8 x u8", 3), ("matmul f16, B transposed", 9)])
def test_step_of_a_product(name, loads, target):
    check_product(name, target, loads=loads)


@xt.jit
def matmul_in_plain_words(A, B, C, ADD: xt.constexpr, BM: xt.constexpr = 256, BN: xt.constexpr = 256, BK: xt.constexpr = 32):
    """C[M, N] = A[M, K] @ B[K, N], without prefetches; ADD says how a step is added."""
    m, n = xt.program_id(1) * BM, xt.program_id(0) * BN
    a, b = xt.init_tile(A, (m, 0), (BM, BK)), xt.init_tile(B, (0, n), (BK, BN))
    acc = xt.zeros((BM, BN), xt.f32)
    for _ in range(0, A.shape[1], BK):
        acc = ADD(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, BK)), xt.update_tile_offset(b, (BK, 0))
    xt.store_tile(acc, xt.init_tile(C, (m, n), (BM, BN)))


SUMS = {
    "acc += a @ b": lambda a, b, acc: acc + a @ b,
    "tile_mma(a, b) + acc": lambda a, b, acc: xt.tile_mma(a, b) + acc,
}


@pytest.mark.every(4, 1)
@pytest.mark.parametrize(
    ("form", "target"),
    [("acc += a @ b", "pvc"), ("acc += a @ b", "bmg"), ("acc += a @ b", "dg2"), ("tile_mma(a, b) + acc", "pvc")],
)
def test_sums_of_products_cost_what_the_accumulating_product_costs(form, target):
    types = ("f16[?,?]", "f16[?,?]", "f32[?,?]")
    constants = {"BN": 128} if target == "dg2" else {}

    def step(add):
        case = Case("matmul", matmul_in_plain_words, types, {"ADD": add, **constants}, 32, step_dpas=32)
        found, each = counts(case, target)
        assert found.whole.scratch == found.kernel.spill_size == 0
        return each.total

    assert step(SUMS[form]) == step(lambda a, b, acc: xt.tile_mma(a, b, acc))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["pvc", "bmg", "lnl"])
@pytest.mark.parametrize(
    ("name", "loads"),
    [("matmul bf16", 3), ("matmul i8 x i8", 3), ("matmul u8 x i8", 3), ("matmul u8 x u8", 3), ("matmul tf32", 5)],
)
def test_step_of_a_product_in_other_types(name, loads, target):
    check_product(name, target, loads=loads)


@pytest.mark.every(2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("dtype", ["f16", *(pytest.param(t, marks=pytest.mark.slow) for t in ("bf16", "i8 x i8", "tf32"))])
def test_step_of_a_product_whose_first_operand_is_transposed_in_shared_memory(dtype, target):
    """One load of the next step's share, its store, eight reads of 256 bytes, one barrier."""
    case = BY_NAME[f"matmul {dtype}, A transposed"]
    found, step = counts(case, target)
    assert step.total <= case.bars[target]
    assert (step["dpas"], step.loads, step.slm, step["send_barrier"]) == (32, 5 if dtype == "tf32" else 3, 9, 1)
    assert step.scratch == found.whole.scratch == found.kernel.spill_size == 0


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["matmul f16, summed in f16", "matmul f16, bias, gelu", "matmul f16, residual"])
def test_what_follows_a_product_stays_in_registers(name):
    found, step = counts(BY_NAME[name], "pvc")
    assert (step["dpas"], step.loads, step.scratch) == (32, 3, 0)
    assert found.whole.scratch == found.kernel.spill_size == 0


# Bytes that a subgroup loads in one round, at most: 512 columns of one row, or 64 of 8; for a kernel without a loop all its share.
ROWS = {"softmax f16": 1024, "layer norm f16": 1024 + 2 * 2048, "sums of rows f32": 2048, "sum of slices f32": 2048,
        "vector add f32": 4096}  # fmt: skip


@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
@pytest.mark.parametrize("name", ROWS)
def test_rows(name, target):
    """No scratch, loads of at least a line of memory, and no more instructions than the project allows itself."""
    case = BY_NAME[name]
    found, step = counts(case, target)
    assert found.whole.scratch == found.kernel.spill_size == 0
    # One more: the arguments, in a kernel without a loop.
    assert step.loads <= ROWS[name] / get_target(target).cache_line + (found.hot is None)
    assert step.total <= case.bars[target]


@pytest.mark.parametrize("target", ["pvc", "bmg", "dg2"])
def test_a_row_is_summed_over_the_lanes_in_halves(target):
    """One addition for each register of data but the first; then the lanes' sums, and the total so far."""
    lanes = get_target(target).subgroup_size
    found, _ = counts(BY_NAME["sums of rows f32"], target)
    sums = [i.operands for i in found.hot.instructions if i.name == "add" and re.search(r"<1>:f\b", i.operands)]
    of_all_lanes = [one for one in sums if f"({lanes}|" in one]
    assert len(of_all_lanes) == 512 // lanes - 1
    # log2(lanes) halvings, of which that of four is two of single numbers, and one more for the total.
    assert len(sums) - len(of_all_lanes) <= lanes.bit_length() + 1


@pytest.mark.covering
@pytest.mark.every(3, 2)
@pytest.mark.parametrize("target", ["pvc", "bmg"])
@pytest.mark.parametrize("name", [name for name in BY_NAME if name.startswith("attention")])
def test_attention_without_scratch(name, target):
    """32 keys: a product with them, one with values, one that sums but of the widest heads; exp2 and a conversion for each 16 scores."""
    case = BY_NAME[name]
    found, step = counts(case, target)
    assert found.whole.scratch == found.kernel.spill_size == 0
    width, rows = case.constants["D"], 16 if case.constants["D"] <= 64 else 8
    assert step["dpas"] == rows // 8 * (2 * width // 8 + (2 if width <= 192 else 0))
    assert step.dpas_share >= case.shares[target]


@pytest.mark.covering
@pytest.mark.every(2)
@pytest.mark.parametrize("width", [32, 64])
def test_attention_without_scratch_on_dg2(width):
    """Keys and values go through shared memory, also those of blocks that are masked."""
    case = BY_NAME["attention D=64"]
    found, _ = counts(replace(case, constants={**case.constants, "D": width}), "dg2")
    assert found.whole.scratch == found.kernel.spill_size == 0
    loops = [loop for loop in found.loops if loop.counts["dpas"] > 0]
    assert sum(loop.counts.slm > 0 for loop in loops) >= 4


@pytest.mark.covering
@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("kernel", "target", "share"),
    [
        ("queries", "pvc", 0.16),
        ("queries", "bmg", 0.16),
        ("keys", "pvc", 0.109),
        ("keys", "bmg", 0.13),
        ("keys D=128", "bmg", 0.1),
    ],
)
def test_gradients_of_attention_without_scratch(kernel, target, share):
    """Nothing goes through shared memory where registers leave room for a head, and scores that no mask hides take no mask."""
    name, _, wide = kernel.partition(" D=")
    case = next(case for case in LIBRARY if case.name == f"ops: attention backward, {name}")
    case = replace(case, constants={**case.constants, "D": int(wide or 64)})
    found, step = counts(case, target)
    assert found.whole.scratch == found.kernel.spill_size == 0
    assert wide or found.whole.slm == 0
    assert step.dpas_share >= share
    assert wide or step.total <= case.bars[target]


def test_step_of_a_product_through_shared_memory():
    """DG2: 16 loads and 3 stores of shared memory, 4 loads of global memory, one barrier."""
    case = BY_NAME["matmul f16 256x128x32"]
    found, _ = counts(case, "dg2")
    step = found.hot.counts.per(2)  # the loop holds two steps
    assert found.hot.counts["dpas"] in range(64, 70)  # and a few without operands, which keep a hardware rule
    assert step.total <= case.bars["dg2"]
    assert (step.slm, step.loads, step["send_barrier"]) == (19, 4, 1)
    assert found.whole.scratch == found.kernel.spill_size == 0


@pytest.mark.slow
@pytest.mark.parametrize(("case", "target"), [
    pytest.param(case, target, id=f"{case.name.removeprefix('ops: ')} on {target}") for case in LIBRARY for target in case.bars
])  # fmt: skip
def test_kernels_of_the_library(case, target):
    assert counts(case, target)[1].total <= case.bars[target]
