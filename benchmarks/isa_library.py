"""What `benchmarks.isa` compiles of the kernels of `xetile.ops` that `isa_cases` does not hold."""

from __future__ import annotations

from typing import Any

import xetile as xt
from xetile.ops.kernels import (
    attention,
    attention_backward,
    convolution,
    decoding,
    linear,
    losses,
    masked_attention,
    norms,
    reductions,
    rows,
    selection,
    tokens,
)

from .isa_cases import XE, Case

EVERYWHERE = (*XE, "dg2")
F32, F16 = "f32[?,?]", "f16[?,?]"

BARS: dict[str, dict[str, int]] = {
    "softmax backward f32": {"pvc": 284, "bmg": 131, "dg2": 440},
    "cumsum f32": {"pvc": 579, "bmg": 472, "dg2": 1334},
    "RMS norm f16": {"pvc": 151, "bmg": 133, "dg2": 668},
    "layer norm backward f32": {"pvc": 538, "bmg": 301, "dg2": 759},
    "layer norm backward, weight f32": {"pvc": 196, "bmg": 195, "dg2": 927},
    "sum f32": {"pvc": 148, "bmg": 83, "dg2": 200},
    "max f32": {"pvc": 417, "bmg": 313, "dg2": 533},
    "argmax f32": {"pvc": 533, "bmg": 458, "dg2": 218},
    "RMS norm backward f32": {"pvc": 381, "bmg": 233, "dg2": 694},
    "RMS norm backward, weight f32": {"pvc": 165, "bmg": 164, "dg2": 762},
    "mean f32": {"pvc": 148, "bmg": 83, "dg2": 206},
    "min f32": {"pvc": 417, "bmg": 313, "dg2": 533},
    "argmin f32": {"pvc": 533, "bmg": 458, "dg2": 218},
    "argmax of parts f32": {"pvc": 171, "bmg": 80, "dg2": 201},
    "matmul i8, scales, bias": {"pvc": 53, "bmg": 48, "dg2": 274},
    "matmul f16, f8 weights": {"pvc": 92, "bmg": 84, "dg2": 330},
    "matmul f16, int4 weights": {"pvc": 260, "bmg": 249, "dg2": 501},
    "matmul f16, int4 weights, scales of f16": {"pvc": 220, "bmg": 210, "dg2": 549},
    "matmul f16, int4 weights, groups of any size": {"pvc": 268, "bmg": 257, "dg2": 522},
    "grouped matmul f16": {"pvc": 34, "bmg": 30, "dg2": 177},
    "attention, heads and logarithms": {"pvc": 128, "bmg": 115},
    "attention, several lengths": {"pvc": 131, "bmg": 118},
    "attention, a mask": {"pvc": 417, "bmg": 394},
    "attention, a bias": {"pvc": 391, "bmg": 364},
    "attention backward, queries": {"pvc": 116, "bmg": 109},
    # Fuller by the estimate since what loops carry for each lane is counted: a header less is kept.
    "attention backward, keys": {"pvc": 253, "bmg": 215},
    # Six and four of them for the number of a page, which counts from the end where it is negative.
    "attention, paged": {"pvc": 262, "bmg": 258},
    "cross entropy f16, gradient": {"pvc": 618, "bmg": 550, "dg2": 1175},
    # DG2 loads the table's pitch, by which block messages number rows, beside its width: 3 instructions.
    "embedding f16": {"pvc": 189, "bmg": 187, "dg2": 938},
    "embedding gradient f16": {"pvc": 443, "bmg": 394, "dg2": 1538},
    "rotary embedding f16": {"pvc": 210, "bmg": 208, "dg2": 462},
    "rotary embedding f16, interleaved": {"pvc": 227, "bmg": 225, "dg2": 412},
    "rotary embedding f32, interleaved": {"pvc": 453, "bmg": 377, "dg2": 1404},
    "conv2d f16": {"pvc": 76, "bmg": 72, "dg2": 418},
    "conv2d by pixels f16": {"pvc": 23, "bmg": 19},
    "top k f32": {"pvc": 566, "bmg": 507, "dg2": 1206},
    "histogram f32": {"pvc": 339, "bmg": 315, "dg2": 1931},
}
"""The most instructions of a round of the hot loop, by target: what there were when they were first counted, so that none gets longer
unseen."""


def _case(name: str, kernel: Any, *types: str, targets: tuple[str, ...] = EVERYWHERE, **constants: Any) -> Case:
    return Case(f"ops: {name}", kernel, types, constants, targets=targets, bars=BARS[name])


def _rows() -> list[Case]:
    weights = ("f32[?]", "f32[?]")
    return [
        _case("softmax backward f32", rows.softmax_backward, F32, F32, F32),
        _case("cumsum f32", rows.cumsum, F32, F32),
        _case("RMS norm f16", norms.layer_norm, F16, "f32[?]", "None", F16, CENTER=False),
        _case("layer norm backward f32", norms.norm_backward, F32, F32, weights[0], F32, F32, F32),
        _case("layer norm backward, weight f32", norms.norm_backward_weight, F32, F32, F32, F32, F32, F32),
        _case("sum f32", reductions.reduce, F32, F32, "i32", "i32"),
        _case("max f32", reductions.reduce, F32, F32, "i32", "i32", KIND="max", FIRST=float("-inf")),
        _case("argmax f32", reductions.where_extreme, F32, "i64[?,?]", "None", "i32", FIRST=float("-inf")),
        _case("argmax of parts f32", reductions.place_of_best, F32, "i32[?,?]", "i64[?,?]", FIRST=float("-inf")),
        _case("RMS norm backward f32", norms.norm_backward, F32, F32, weights[0], F32, F32, F32, CENTER=False),
        _case("RMS norm backward, weight f32", norms.norm_backward_weight, F32, F32, F32, F32, F32, "None"),
        _case("mean f32", reductions.reduce, F32, F32, "i32", "i32", MEAN=True),
        _case("min f32", reductions.reduce, F32, F32, "i32", "i32", KIND="min", FIRST=float("inf")),
        _case("argmin f32", reductions.where_extreme, F32, "i64[?,?]", "None", "i32", LARGEST=False, FIRST=float("inf")),
    ]


def _products() -> list[Case]:
    scaled = ("i8[?,?]", "i8[?,?]", "f32[?]", "f32[?,?]", "f32[?]", "None", F32)
    return [
        _case("matmul i8, scales, bias", linear.linear, *scaled, BK=64, SUM=xt.i32),
        _case("matmul f16, f8 weights", linear.wide_weights, F16, "f8e4m3[?,?]", "f32[?]", "None", F16),
        _case("matmul f16, int4 weights", linear.matmul_int4, F16, "i8[?,?]", F32, F16, GROUP=64),
        _case("matmul f16, int4 weights, scales of f16", linear.matmul_int4, F16, "i8[?,?]", F16, F16, GROUP=64),
        _case("matmul f16, int4 weights, groups of any size", linear.matmul_int4, F16, "i8[?,?]", F32, F16),
        _case("grouped matmul f16", linear.grouped_matmul, F16, "f16[?,?,?;free]", "i32[?]", F16),
    ]


def _attention() -> list[Case]:
    heads, logs, wanted = "f16[?,?,?,?;free]", "f32[?,?,?,1]", {"scale": 0.125, "causal": True}
    ragged = ("f16[?,?,?;free]",) * 3 + ("i32[?]", "i32[?]", "f16[?,?,?;free]", "i32")
    return [
        _case("attention, heads and logarithms", attention.attention_heads, *[heads] * 4, logs, targets=XE, **wanted),
        _case("attention, several lengths", attention.attention_ragged, *ragged, targets=XE, **wanted),
        _case("attention, a mask", masked_attention.attention_masked, *[heads] * 3, "bool[?,?,?,?;free]", heads, targets=XE, scale=0.125),
        _case("attention, a bias", masked_attention.attention_masked, *[heads] * 5, targets=XE, scale=0.125),
        _case("attention backward, queries", attention_backward.query_gradient, *[heads] * 5, logs, heads, logs, targets=XE, **wanted),
        _case("attention backward, keys", attention_backward.key_gradient, *[heads] * 4, logs, logs, heads, heads, targets=XE, **wanted),
        _case("attention, paged", decoding.paged_decoding, ragged[0], heads, heads, "i32[?,?]", "i32[?]", ragged[0], targets=XE,
              scale=0.125),
    ]  # fmt: skip


def _models() -> list[Case]:
    images, x, words, wide = (f"{kind}[?,?,?,?;free]" for kind in ("f16", "f16", "u32", "f32"))
    numbers = ("i32",) * 6
    return [
        _case("cross entropy f16, gradient", losses.cross_entropy, F16, "i32[?,1]", "f32[?,1]", F16, "i32"),
        _case("embedding f16", tokens.embedding, "i32[?,1]", F16, F16),
        _case("embedding gradient f16", tokens.embedding_gradient, F16, "i32[?,1]", F32),
        _case("rotary embedding f16", tokens.rotary, x, F32, F32, x),
        _case("rotary embedding f16, interleaved", tokens.rotary_pairs, words, F32, F32, words),
        _case("rotary embedding f32, interleaved", tokens.rotary, wide, F32, F32, wide, INTERLEAVED=True),
        _case("conv2d f16", convolution.conv2d, images, "f16[?,?,?;free]", "None", images, *numbers),
        _case(
            "conv2d by pixels f16",
            convolution.conv2d_pixels,
            "f16[?,?,?,?,?;free]",
            "f16[?,?,?;free]",
            "None",
            images,
            *numbers,
            targets=XE,
        ),
        _case("top k f32", selection.topk, F32, F32, "i64[?,?]"),
        _case("histogram f32", selection.histogram, "f32[?]", "f32[?]", "i32[?]"),
    ]


LIBRARY: tuple[Case, ...] = (*_rows(), *_products(), *_attention(), *_models())
