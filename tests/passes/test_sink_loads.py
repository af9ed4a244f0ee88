"""Loads for the products of a later stage stand behind the stage before where all of it does not fit the registers."""

import re

import xetile as xt
from tests.kernels.plain_variants import CASES
from tests.parity.run import uncompiled


def compiled(cap: bool, keys: int):
    @xt.jit(grid=(1,))
    def scores(Q, K, V, Out, c):
        q = xt.load_tile(xt.init_tile(Q, (0, 0), (64, 64)))
        acc = xt.zeros((64, 64), xt.f32)
        for n in range(0, K.shape[0], keys):
            v = xt.load_tile(xt.init_tile(V, (n, 0), (keys, 64)))
            s = q @ xt.load_tile(xt.init_tile(K, (n, 0), (keys, 64))).T
            p = s / (c + xt.abs(s)) if cap else s * c
            acc = acc * c + p.to(xt.f16) @ v
        xt.store_tile(acc, xt.init_tile(Out, (0, 0), (64, 64)))

    return scores.compile("f16[?,?]", "f16[?,?]", "f16[?,?]", "f32[?,?]", "f32", target="pvc", num_subgroups=4)


def order(kernel) -> str:
    """Loads of values (V), products (D) and divisions (/) of the loop, as they come, each run once."""
    loop = kernel.ir["lane"].split("scf.for")[1].split("scf.yield")[0]
    signs = {"packed": "V", "xegpu.dpas": "D", "arith.divf": "/"}
    found = "".join(signs[sign] for sign in re.findall("packed|xegpu.dpas|arith.divf", loop))
    return re.sub(r"(.)\1+", r"\1", found)


def test_values_come_behind_the_scores_where_not_all_fits():
    assert order(compiled(cap=True, keys=64)).startswith("D/V")


def test_they_come_early_where_all_fits():
    assert order(compiled(cap=True, keys=16)).startswith("VD")


def test_each_comes_before_its_products_where_the_compiler_puts_them_in_order_and_not_all_fits():
    """This is `order_for_registers`: products keep their order."""
    assert order(compiled(cap=False, keys=64)).startswith("DVDV")


def test_loads_of_what_nobody_writes_pass_barriers():
    """Attention backward: second operands of the last products come behind the exchange of what they multiply."""
    case = CASES["attention backward"]
    lane = uncompiled(case.kernel, *case.types, target="pvc").ir["lane"]
    loop = lane.split("scf.for")[1].split("scf.yield")[0]
    found = "".join("V" if sign == "packed" else "|" for sign in re.findall("packed|gpu.barrier", loop))
    assert found.index("|") < found.index("V")
