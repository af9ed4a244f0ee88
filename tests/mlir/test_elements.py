"""Ops that are said with others are refused as they are, before anything is made of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from xetile import mlir
from xetile.errors import XetileError

HEAD = """"builtin.module"() ({ "gpu.module"() <{sym_name="m"}> ({
"gpu.func"() <{function_type = (vector<4xf32>, vector<4x8xf32>, index, f32) -> ()}> ({
^bb0(%a: vector<4xf32>, %b: vector<4x8xf32>, %i: index, %f: f32):
"""
TAIL = """
"gpu.return"() : () -> () }) {gpu.kernel, sym_name="k"} : () -> () }) : () -> () }) : () -> ()"""
REFUSED = [
    '%r = "vector.extract"(%f, %i) <{static_position = array<i64: DYNAMIC>}> : (f32, index) -> f32',
    '%r = "vector.extract"(%a, %i) <{static_position = array<i64: DYNAMIC, 3>}> : (vector<4xf32>, index) -> f32',
    '%r = "vector.extract"(%a, %f) <{static_position = array<i64: DYNAMIC>}> : (vector<4xf32>, f32) -> f32',
    '%r = "vector.extract"(%a, %i) <{static_position = array<i64: DYNAMIC>}> : (vector<4xf32>, index) -> i32',
    '%r = "vector.extract"(%b, %i) <{static_position = array<i64: DYNAMIC>}> : (vector<4x8xf32>, index) -> f32',
    '%r = "vector.insert"(%a, %b, %i) <{static_position = array<i64: DYNAMIC>}> : (vector<4xf32>, vector<4x8xf32>, index) -> vector<4x8xf32>',
    '%r = "vector.insert"(%b, %i) <{static_position = array<i64: DYNAMIC>}> : (vector<4x8xf32>, index) -> vector<4x8xf32>',
    '%r = "vector.extract"() : () -> f32',
    '%r = "vector.shuffle"(%a, %b) <{mask = array<i64: 0, 1>}> : (vector<4xf32>, vector<4x8xf32>) -> vector<2xf32>',
    '%r = "vector.shuffle"(%b, %a) <{mask = array<i64: 0, 5>}> : (vector<4x8xf32>, vector<4xf32>) -> vector<2x8xf32>',
    '%r = "vector.shuffle"(%a) <{mask = array<i64: 0>}> : (vector<4xf32>) -> vector<1xf32>',
    '%r = "vector.interleave"(%a, %b) : (vector<4xf32>, vector<4x8xf32>) -> vector<8xf32>',
    '%r = "vector.interleave"(%f, %f) : (f32, f32) -> vector<2xf32>',
    '%r, %s = "vector.deinterleave"(%f) : (f32) -> (f32, f32)',
    '%r = "vector.deinterleave"(%a) : (vector<4xf32>) -> (vector<2xf32>)',
    '%r = "vector.fma"(%a, %a) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>',
    '%r = "vector.fma"(%a, %b, %a) : (vector<4xf32>, vector<4x8xf32>, vector<4xf32>) -> vector<4xf32>',
    '%r = "scf.index_switch"(%i) <{cases = array<i64: 1>}> ({ YIELD }) : (index) -> f32',
    '%r = "scf.index_switch"(%f) <{cases = array<i64: 1>}> ({ YIELD }, { YIELD }) : (f32) -> f32',
    '%r = "scf.index_switch"(%i) <{cases = array<i64: 1>}> ({ YIELD }, { OTHER }) : (index) -> f32',
    '"scf.index_switch"(%i) <{cases = array<i64>}> ({ "scf.yield"() : () -> () }) : (index) -> ()',
    '%r = "vector.extract"(%a) <{static_position = array<i64: 4>}> : (vector<4xf32>) -> f32',
    '%r = "vector.extract"(%a) <{static_position = array<i64: 1>}> : (vector<4xf32>) -> i32',
    '%r = "vector.to_elements"(%f) : (f32) -> f32',
    '%r, %s = "vector.to_elements"(%a) : (vector<4xf32>) -> (f32, f32)',
    '%r = "vector.from_elements"(%f, %f) : (f32, f32) -> vector<4xf32>',
    '%r = "vector.from_elements"(%i, %i, %i, %i) : (index, index, index, index) -> vector<4xf32>',
    '%r = "vector.from_elements"(%f) : (f32) -> f32',
    '%r = "vector.outerproduct"(%a) : (vector<4xf32>) -> vector<4x4xf32>',
    '%r = "vector.outerproduct"(%b, %a) : (vector<4x8xf32>, vector<4xf32>) -> vector<4x4xf32>',
    '%r = "vector.outerproduct"(%a, %a) : (vector<4xf32>, vector<4xf32>) -> vector<8x4xf32>',
    '%r = "vector.outerproduct"(%a, %a, %b) : (vector<4xf32>, vector<4xf32>, vector<4x8xf32>) -> vector<4x4xf32>',
    '%r = "vector.outerproduct"(%a, %f) : (vector<4xf32>, f32) -> vector<4x8x2xf32>',
    '%r, %s = "arith.addui_extended"(%f, %f) : (f32, f32) -> (f32, i1)',
    '%r, %s = "arith.addui_extended"(%i) : (index) -> (index, i1)',
    '%r, %s = "arith.mulsi_extended"(%f, %f) : (f32, f32) -> (f32, f32)',
    '%r, %s = "arith.mulsi_extended"(%i, %i) : (index, index) -> (index, index)',
    '%r, %s = "arith.mulsi_extended"(%i) : (index) -> (index, index)',
    '%r = "memref.dim"(%f, %i) : (f32, index) -> index',
    '%r = "memref.collapse_shape"(%f) : (f32) -> memref<4xf32>',
    '%r = "memref.load"(%f, %i, %i) : (f32, index, index) -> f32',
    '%r = "memref.load"(%f) : (f32) -> f32',
]  # fmt: skip

MEMORY = [
    '%r = "memref.collapse_shape"(%m) : (memref<4x8xf32>) -> memref<31xf32>',
    '%r = "memref.expand_shape"(%m) : (memref<4x8xf32>) -> memref<4x8x1xi32>',
    '%r = "memref.dim"(%m) : (memref<4x8xf32>) -> index',
    '%r = "memref.dim"(%m, %i, %i) : (memref<4x8xf32>, index, index) -> index',
    '%r = "memref.load"(%m, %i) : (memref<4x8xf32>, index) -> f32',
    '%r = "memref.load"(%m, %f, %f) : (memref<4x8xf32>, f32, f32) -> f32',
    '"memref.store"(%f, %m, %i) : (f32, memref<4x8xf32>, index) -> ()',
    '%r = "vector.load"(%m, %i, %i) : (memref<4x8xf32>, index, index) -> vector<4xi32>',
]

WORDS = {
    "DYNAMIC": "-9223372036854775808",
    "YIELD": '"scf.yield"(%f) : (f32) -> ()',
    "OTHER": '"scf.yield"(%a) : (vector<4xf32>) -> ()',
}


def parse(text):
    for word, meaning in WORDS.items():
        text = text.replace(word, meaning)
    return mlir.parse(HEAD + text + TAIL, "generic")


@pytest.mark.parametrize("text", REFUSED, ids=[f"{n} {text.split(chr(34))[1]}" for n, text in enumerate(REFUSED)])
def test_malformed_ops_are_refused(text):
    with pytest.raises(XetileError) as caught:
        parse(text)
    assert caught.value.at is not None and "internal" not in type(caught.value).__name__.lower()


@pytest.mark.parametrize("text", MEMORY, ids=[f"{n} {text.split(chr(34))[1]}" for n, text in enumerate(MEMORY)])
def test_malformed_ops_on_memory_are_refused(text):
    head = HEAD.replace("f32) -> ()", "f32, memref<4x8xf32>) -> ()").replace("%f: f32)", "%f: f32, %m: memref<4x8xf32>)")
    with pytest.raises(XetileError) as caught:
        mlir.parse(head + text + TAIL, "generic")
    assert caught.value.at is not None and "internal" not in type(caught.value).__name__.lower()


def test_packed_elements_of_one_dimension_are_warned_of():
    """Upstream's verifier does so too."""
    text = """"xegpu.load_nd"(%t) <{packed}> : (!xegpu.tensor_desc<32xf16>) -> vector<32xf16>"""
    head = HEAD.replace("f32) -> ()", "f32, !xegpu.tensor_desc<32xf16>) -> ()").replace(
        "%f: f32)", "%f: f32, %t: !xegpu.tensor_desc<32xf16>)"
    )
    with pytest.warns(UserWarning, match="packed means nothing for the one dimension"):
        assert mlir.parse(head + "%r = " + text + TAIL, "generic").kernel


def test_the_same_without_mistakes_is_read():
    text = '%r = "vector.extract"(%a, %i) <{static_position = array<i64: DYNAMIC>}> : (vector<4xf32>, index) -> f32'
    assert parse(text).kernel


def test_a_process_that_has_loaded_nothing_else_reads_memory_by_indices():
    text = HEAD.replace("f32) -> ()", "f32, memref<4x8xf32>) -> ()").replace("%f: f32)", "%f: f32, %m: memref<4x8xf32>)")
    text += """%r = "memref.load"(%m, %i, %i) : (memref<4x8xf32>, index, index) -> f32""" + TAIL
    code = f"from xetile import mlir; assert mlir.parse({text!r}, 'generic').kernel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
