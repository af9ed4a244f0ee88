"""Masks of several conditions are computed where they are taken, between products as well."""

import re

import xetile as xt


@xt.jit(grid=(1,))
def window(Q, K, V, Out, W):
    q = xt.load_tile(xt.init_tile(Q, (0, 0), (16, 16)))
    acc = xt.zeros((16, 16), xt.f32)
    for n in range(0, K.shape[0], 32):
        r, c = xt.arange(16)[:, None], n + xt.arange(32)[None, :]
        seen = (c <= r) & (c > r - W)
        s = xt.where(seen, q @ xt.load_tile(xt.init_tile(K, (n, 0), (32, 16))).T, 0.0)
        acc += s.to(xt.f16) @ xt.load_tile(xt.init_tile(V, (n, 0), (32, 16)))
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), (16, 16)))


def test_masks_come_one_by_one_before_their_choices():
    compiled = window.compile("f16[?,?]", "f16[?,?]", "f16[?,?]", "f32[?,?]", "i32", target="pvc", num_subgroups=1)
    loop = compiled.ir["lane"].split("scf.for")[1].split("scf.yield")[0]
    found = re.findall(r"arith.andi .*xi1|arith.select .*xf32|xegpu.dpas", loop)
    signs = "".join({"arith.andi": "&", "arith.select": "?", "xegpu.dpas": "D"}[op.split()[0]] for op in found)
    assert re.fullmatch(r"D+(&\?){2,}D+", signs), signs


@xt.jit(grid=(1,))
def distances(Q, K, V, Out):
    q = xt.load_tile(xt.init_tile(Q, (0, 0), (16, 16)))
    acc = xt.zeros((16, 16), xt.f32)
    for n in range(0, K.shape[0], 32):
        r, c = xt.arange(16)[:, None], n + xt.arange(32)[None, :]
        s = q @ xt.load_tile(xt.init_tile(K, (n, 0), (32, 16))).T + 0.5 * xt.abs(c - r).to(xt.f32)
        acc += s.to(xt.f16) @ xt.load_tile(xt.init_tile(V, (n, 0), (32, 16)))
    xt.store_tile(acc, xt.init_tile(Out, (0, 0), (16, 16)))


def test_distances_are_made_one_by_one():
    """The difference is taken twice, by its negative and by the larger of both."""
    compiled = distances.compile("f16[?,?]", "f16[?,?]", "f16[?,?]", "f32[?,?]", target="pvc", num_subgroups=1)
    loop = compiled.ir["lane"].split("scf.for")[1].split("scf.yield")[0]
    found = re.findall(r"arith.(subi|maxsi|sitofp) .*vector<8x", loop)
    assert len(found) > 4
    assert "subi subi subi" not in " ".join(found)
    assert "maxsi maxsi" not in " ".join(found)
