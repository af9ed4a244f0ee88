"""What `tools/compare_code.py` compiles: every kernel of the tests, the benchmarks and the tutorials.

One that is missing here fails `tests/test_compare_code.py`.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("tests/kernels", "tests/lowering", "benchmarks/kernels", "xetile/ops/kernels", "tutorials")
TARGETS = ("pvc", "bmg", "dg2")


@dataclass(frozen=True)
class Case:
    """One kernel with the types of its parameters and its constants."""

    name: str
    kernel: Any
    types: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    num_subgroups: int | None = None

    def compile(self, target: str) -> Any:
        """The kernel for a target."""
        types = [None if text == "None" else text for text in self.types]
        return self.kernel.compile(*types, target=target, num_subgroups=self.num_subgroups, **self.constants)


GEMM = "f16[?,?] f16[?,?] f32[?,?]"
ATTENTION = "f16[?,?,?] f16[?,?,?] f16[?,?,?] f32[?,?,?]"
BLOCK = "f32[?,?] f32[?,?]"
HALVES = "f16[?,?] f32[?,?]"

PLAIN = "f16[?,?,?] f16[?,?,?] f16[?,?,?] f32[?,?,?] f32"
HEADS = "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free]"
BACKWARD = "f16[?,?,?] f16[?,?,?] f16[?,?,?] f16[?,?,?] f32[?,?] f32[?,?]"

# file: (kernel, types of its parameters, constants such as "BM=128").
SIGNATURES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "tests/kernels/attention.py": (("attention", ATTENTION, ""), ("attention", ATTENTION, "causal=True D=128")),
    "tests/kernels/layer_norm.py": (("layer_norm", "f32[?,?] f32[?] f32[?] f32[?,?]", ""),),
    "tests/kernels/matmul.py": (
        ("matmul", GEMM, ""),
        ("matmul", GEMM, "BM=64 BN=64"),
        ("matmul", "f16[?,?;F] f16[?,?] f32[?,?]", ""),
        ("matmul", "f16[?,?] f16[?,?;F] f32[?,?]", ""),
        ("matmul_bias_relu", "f16[?,?] f16[?,?] f32[?] f32[?,?]", ""),
        ("matmul_prefetch", GEMM, ""),
        ("powers", BLOCK, ""),
        ("matmul_by_one", GEMM, ""),
    ),
    "tests/kernels/rfc_cooperative.py": (("gemm_cooperative", GEMM, ""),),
    "tests/kernels/rfc_fused.py": (
        ("transpose_broadcast_reduce", "f16[?,?] f16[?,?] f32[?] f32[?]", ""),
        ("transpose_in_place", "f16[?,?] f16[?,?] f32[?] f32[?]", ""),
    ),
    "tests/kernels/rfc_gemm.py": (("gemm_prefetch", GEMM, ""), ("gemm_two_level_prefetch", GEMM, "")),
    "tests/kernels/rfc_transposed.py": (("row_major", GEMM, ""), ("column_major", GEMM, ""), ("transposed_value", GEMM, "")),
    "tests/kernels/test_scaled_products.py": (("scaled", "f16[?,?] f16[?,?] f32[?,?] f32 f32 i32", "HOW=chosen"),),
    "tests/kernels/test_rows_of_bytes.py": (("added", "f32[?,?] u8[?,?] f32[?,?] i32", ""),),
    "tests/kernels/softmax.py": (("softmax", BLOCK, ""), ("softmax", HALVES, "")),
    "tests/lowering/kernels.py": (
        ("workgroup", GEMM, ""),
        ("mixed_workgroup", GEMM, ""),
        ("mixed_subgroup", GEMM, ""),
        ("lanes", GEMM, ""),
        ("scattered_lanes", "f32[?] f32[?]", ""),
        ("gathers", "f32[?] f32[?] i32[?]", ""),
        ("turned_in_memory", BLOCK, "STRIDE=(1,64) BLOCK=(16,16)"),
        ("converted", BLOCK, ""),
        ("round_robin", BLOCK, ""),
        ("blocks_side_by_side", HALVES, ""),
        ("turned_words", "f16[?,?] f16[?,?]", ""),
        ("rows_of_memory", "f32[?] f32[?]", ""),
    ),
    "tests/kernels/plain_attention.py": (
        ("forward", PLAIN, ""),
        ("forward", PLAIN, "CAUSAL=True"),
        ("window", PLAIN, ""),
        ("any_length", "f16[?,?,?] f16[?,?,?] f16[?,?,?] f16[?,?,?] i32[?] f32", "H=4 G=2 MOST=128"),
        ("paged", "f16[?,?,?] f16[?,?,?,?] f16[?,?,?,?] i32[?,?] i32[?] f32[?,?,?] f32", ""),
        ("backward_keys", f"{BACKWARD} f32[?,?,?] f32[?,?,?] f32", ""),
        ("backward_queries", f"{BACKWARD} f32[?,?,?] f32", ""),
        ("backward_scores", f"{BACKWARD} f32[?,?,?] f32[?,?,?] f32", ""),
    ),
    "tests/kernels/plain_conditions.py": (
        ("causal", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32", ""),
        ("listed", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] i32[?] i32[?,?] f32[?,?,?;free] f32", ""),
        ("sigmoid", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free] f32 f32", ""),
        ("added", "f16[?,?] f16[?,?] f16[?,?] f32 f32", ""),
        ("added", "f16[?,?] f16[?,?] f16[?,?] f32 f32", "TURNED=True"),
        ("doubled", "f16[?,?] f16[?,?] f32[?,?] i32", ""),
    ),
    "tests/kernels/plain_dropout.py": (
        ("gradients", "f16[?,?,?;free] " * 4 + "f32[?,?] f32[?,?] f32[?,?,?;free] f32[?,?,?;free] f32 u32", ""),
    ),
    "tests/kernels/plain_halves.py": (
        ("rows", "f16[?,?] u8[?,?] f32[?,?] f32[?,?]", ""),
        ("rows_by_table", "f16[?,?] u8[?,?] f32[?] f32[?,?] f32[?,?]", ""),
        ("columns", "f16[?,?] u8[?,?] f16[?,?] f32[?,?]", ""),
    ),
    "tests/kernels/plain_codes.py": (
        ("two_of_four", "f16[?,?] f16[?,?] u8[?,?] f32[?,?]", ""),
        ("awq", "f16[?,?] u8[?,?] f16[?,?] f16[?,?] f16[?,?]", ""),
        ("awq_sliced", "f16[?,?] u8[?,?] f16[?,?] f16[?,?]", ""),
        ("interleaved", "f16[?,?] u8[?,?] f16[?,?] f16[?,?]", ""),
        ("by_bits", "f16[?,?] u8[?,?] f16[?,?] f32[?,?]", ""),
        ("signed", "f16[?,?] i8[?,?] f32[?] f32[?,?]", ""),
        ("columns_by_turns", "f16[?,?] u8[?,?] f32[?] f16[?,?]", ""),
        ("nf4_double", "f16[?,?] u8[?,?] f32[?] i8[?,?] f32[?] f16[?,?] f32", ""),
        ("ternary", "i8[?,?] u8[?,?] f32[?] f32[?,?]", ""),
        ("zeros_and_scales", "f16[?,?] u8[?,?] f32[?,?] u8[?,?] f16[?,?]", ""),
        ("zeros_as_words", "f16[?,?] u8[?,?] f32[?,?] u8[?,?] f16[?,?]", ""),
    ),
    "tests/kernels/plain_floats.py": (
        ("mxfp4", "f16[?,?] u8[?,?] u8[?,?] f32[?,?]", "DECODE=by_powers"),
        ("mxfp4_behind", "f16[?,?] u8[?,?] u8[?,?] f32[?,?]", "DECODE=by_powers"),
    ),
    "tests/kernels/plain_layers.py": (
        ("classifier", "f16[?,?] f16[?,?] f32[?] f32[?,?] i32[?,?]", ""),
        ("grouped_epilogue", "f16[?,?] f16[?,?,?;free] f16[?,?] f16[?,?] i32[?] f16[?,?]", "MOST=128"),
        ("epilogue", "f16[?,?] f16[?,?] f32[?] f32[?,?] f32[?,?]", ""),
        ("syrk", "f16[?,?] f32[?,?] f32 f32", ""),
        ("block_sparse", "f16[?,?,?;free] i32[?] i32[?] f16[?,?] f32[?,?]", ""),
        ("linear_loss", "f16[?,?] f16[?,?] i32[?] f32[?,?]", ""),
        ("norm_backward", "f16[?,?] f32[?] f16[?,?] f16[?,?] f32", ""),
        ("two_layers", "f16[?,?] f16[?,?] f32[?] f16[?,?] f32[?] f16[?,?]", ""),
        ("lstm", "f16[?,?] f16[?,?] f32[?,?] f16[?,?,?;free] f16[?,?,?;free] f32[?,?] f16[?,?] f32[?,?]", ""),
        ("elu_attention", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free]", ""),
        ("depthwise2d", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free]", ""),
        ("selective_scan", "f16[?,?,?;free] f16[?,?,?;free] f32[?,?] f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free]", ""),
        ("lora_backward", "f16[?,?] f16[?,?] f32[?,?] f32", ""),
        ("softmax_backward", "f16[?,?] f16[?,?] f16[?,?]", ""),
        ("norm_swiglu", "f16[?,?] f32[?] f16[?,?] f16[?,?] f16[?,?] f32", ""),
    ),
    "tests/kernels/plain_algorithms.py": (
        ("viterbi", "f32[?,?,?] f32[?,?] i32[?,?,?] i32[?,?]", ""),
        ("ctc", "f32[?,?,?] i32[?,?] f32[?]", ""),
        ("levenshtein", "u8[?,?] u8[?,?] i32[?]", ""),
        ("cholesky", "f32[?,?,?] f32[?,?,?]", ""),
        ("gram_schmidt", "f32[?,?,?] f32[?,?,?] f32[?,?,?]", ""),
        ("kalman", "f32[?,?] f32[?,?] f32 f32", ""),
        ("wkv", "f32[?,?,?] f32[?,?,?] f32[?] f32[?] f32[?,?,?]", ""),
        ("breadth_first", "u8[?,?] i32[?] i32", ""),
        ("nucleus", "f32[?,?] f32[?] i32[?] f32", ""),
        ("first_largest", "f32[?,?] i32[?,?]", ""),
    ),
    "tests/kernels/plain_linear.py": (
        ("chunks", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free]", ""),
        ("heads", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f32", ""),
        ("decay", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free] f32", ""),
        ("decay", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free] f32", "D=128 T=32"),
        ("token_gates", f"{HEADS} f32[?,?,?] f16[?,?,?,?;free] f32", ""),
        ("column_gates", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free] f32[?,?,?;free]", ""),
    ),
    "tests/kernels/plain_activations.py": (
        ("by_groups", "f8e4m3[?,?] f32[?,?] f8e4m3[?,?] f32[?,?] bf16[?,?]", ""),
        ("narrow", "f8e4m3[?,?] f8e4m3[?,?] f32[?] f32[?] f16[?,?]", ""),
        ("activated", "f16[?,?] f16[?,?] f32[?,?]", ""),
        ("by_tokens", "i8[?,?] f32[?] f16[?,?] f32[?,?]", ""),
        ("normed", "f16[?,?] f32[?] f32[?] f32[?] f32[?] f16[?,?] f32[?,?]", ""),
    ),
    "tests/kernels/plain_bits.py": (
        ("checksums", "u8[?,?] u32[?] u32[?]", ""),
        ("hashes", "u8[?,?] u64[?]", ""),
        ("signs", "f32[?,?] u8[?,?]", ""),
        ("binary_product", "u32[?,?] u32[?,?] i32[?,?]", ""),
        ("runs", "i32[?] i32[?] i32[?] i32[?]", ""),
        ("capacity", "i32[?,?] i32[?,?] i32[?]", ""),
    ),
    "tests/kernels/plain_caches.py": (
        ("joint_cache", "f16[?,?,?;free] f16[?,?,?;free] i32[?] f16[?,?,?;free] f32", ""),
        (
            "cache",
            "f16[?,?,?,?;free] i8[?,?,?,?;free] f32[?,?,?] i8[?,?,?,?;free] f32[?,?,?] i32[?] f32[?,?,?,?;free] f32",
            "WIDEN=by_f32",
        ),
        (
            "scaled_cache",
            "f16[?,?,?,?;free] f8e4m3[?,?,?,?;free] f8e4m3[?,?,?,?;free] f32[?] f32[?] i32[?] f16[?,?,?,?;free] f32",
            "",
        ),
        (
            "latent_cache",
            "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] i32[?] f16[?,?,?;free] f32",
            "",
        ),
        (
            "latent_cache",
            "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] i32[?] f16[?,?,?;free] f32",
            "D=512",
        ),
    ),
    "tests/kernels/plain_numbers.py": (
        ("clusters", "f16[?,?] f16[?,?] i32[?,?] f32[?,?] f32[?,?]", ""),
        ("three_products", "f32[?,?] f32[?,?] f32[?,?]", ""),
        ("orthogonal", "bf16[?,?,?;free] bf16[?,?,?;free]", ""),
    ),
    "tests/kernels/plain_pictures.py": (
        ("every_second", "f16[?,?,?,?] f16[?,?,?,?] f32[?] f16[?,?,?,?]", ""),
        ("escape", "i32[?,?] f32 f32 f32", ""),
        ("bilateral", BLOCK, ""),
        ("walsh", BLOCK, ""),
    ),
    "tests/kernels/plain_rows.py": (
        *(("slots", f"{kind}[?,?] i32[?] {kind}[?,?]", "") for kind in ("f32", "f16")),
        ("added", "f32[?;lines] f32[?;lines] f32[?;lines]", ""),
        *((name, GEMM, "") for name in ("multiplied", "moving", "wrapping")),
        *((name, GEMM + n * " index", "") for name, n in (("counted", 5), ("strided", 9))),
        ("softened", "f32[?,?] f32[?,?]" + 4 * " index", ""),
        ("normed", "f16[?,?] f16[?] f16[?,?]", ""),
        ("attended", " ".join(["f16[?,?,?,?]"] * 4 + ["f32"]), ""),
        ("combined", "f16[?,?] f16[?,?] i32[?] f32[?] f32[?,?]", ""),
    ),
    "tests/kernels/test_gathered_tiles.py": (("rows_by_places", "f32[?,?] f32[?] f32[?,?]", ""),),
    "tests/kernels/plain_words.py": (
        ("gptq_rows", "f16[?,?] i32[?,?] i32[?,?] f16[?,?] i32[?] f32[?,?]", ""),
        ("gptq_order", "f16[?,?] i32[?,?] i32[?,?] f16[?,?] i32[?] f32[?,?]", ""),
        ("gptq_gathered", "f16[?,?] i32[?,?] i32[?,?] f16[?,?] f32[?,?]", ""),
        ("gptq_columns", "f16[?,?] i32[?,?] i32[?,?] f16[?,?] f32[?,?]", ""),
        ("gptq_turns", "f16[?,?] i32[?,?] i32[?,?] f16[?,?] f32[?,?]", ""),
    ),
    "tests/kernels/plain_windows.py": (
        ("in_two_loops", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32", ""),
        ("window_sinks", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f32", ""),
        (
            "differential",
            "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f32 f32",
            "",
        ),
        ("cross_bias", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f32[?] i32[?] f16[?,?,?,?;free] f32", ""),
        ("paged_groups", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] i32[?,?] i32[?] f16[?,?,?,?;free] f32", ""),
        ("grouped_lengths", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] i32[?] i32[?] f32", "MOST=128"),
        ("rotary", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f32[?,?] f32[?,?] f16[?,?,?,?;free] f32", ""),
        ("tree", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] u8[?,?,?;free] f16[?,?,?,?;free] f32", ""),
    ),
    "tests/kernels/plain_memory.py": (
        ("add", "f32[?;lines] f32[?;lines] f32[?]", ""),
        ("adam", "f32[?;lines] f32[?;lines] f32[?;lines] f32[?;lines] f32", ""),
        ("row_sums", "f16[?,?] f32[?,?]", ""),
        ("softmax", "f16[?,?] f16[?,?]", ""),
        ("stencil", BLOCK, ""),
        ("transpose", BLOCK, ""),
        ("symmetric", BLOCK, ""),
        ("rotary", "f16[?,?] f32[?,?] f32[?,?] f16[?,?]", ""),
        ("gelu", BLOCK, ""),
        ("embedding", "i32[?] f16[?,?] f16[?,?]", ""),
        ("histogram", "f32[?] i32[?] f32 f32", ""),
        ("top", "f32[?,?] f32[?,?] i32[?,?]", ""),
        ("norm_row", "f16[?,?,?;free] f16[?] f16[?,?,?;free]", ""),
    ),
    "tests/kernels/plain_neighbours.py": (
        ("life", "u8[?,?] u8[?,?] i32", ""),
        ("bitonic", BLOCK, ""),
        ("gravity", "f32[?,?] f32[?] f32[?,?] f32", ""),
    ),
    "tests/kernels/plain_operands.py": (
        ("rotated", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] f32[?,?] f32[?,?] f16[?,?,?,?;free] f32", ""),
        ("sinks", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?] f16[?,?,?;free] f32 i32", ""),
        ("rows_to_bytes", "f16[?,?] i8[?,?] f32[?] f16[?,?]", ""),
        ("normed", "f16[?,?] f32[?] f32[?] f16[?,?] f16[?,?] f32", ""),
        ("gated_bytes", "f16[?,?] i8[?,?] i8[?,?] f32[?] f32[?] f16[?,?]", ""),
        ("narrow_rows", "f16[?,?] i8[?,?] f32[?] f32[?,?]", ""),
        ("decode_bytes", "f16[?,?,?;free] i8[?,?,?;free] i8[?,?,?;free] f32[?,?] f32[?,?] f16[?,?,?;free] i32 f32", ""),
        ("to_f8", "f16[?,?] f8e4m3[?,?] f32[?,?]", ""),
        ("router", "f16[?,?] f16[?,?] i32[?,?] f32[?,?]", ""),
        ("time_mixing", "f32[?,?,?;free] f32[?,?,?;free] f32[?,?,?;free] f32[?,?,?;free] f32[?,?] f32[?,?,?;free]", ""),
    ),
    "tests/kernels/plain_parts.py": (
        ("pairs", "f16[?,?] f32[?,?] f32[?,?] f16[?,?]", ""),
        ("scan", "f32[?,?] f32[?,?] f32[?,?]", ""),
        ("triangular", "f32[?,?] f32[?,?] f32[?,?]", ""),
        ("shortest", "f32[?,?] f32[?,?] f32[?,?]", ""),
        ("gated", "f32[?,?,?;free] f32[?,?,?;free] f32[?,?,?;free] f32[?,?,?;free] f32[?,?,?;free]", ""),
    ),
    "tests/kernels/plain_products.py": (
        ("sums_beside", "u8[?,?] i8[?,?] i32[?,?] i32[?,?] i32[?,?]", ""),
        *((name, GEMM, "") for name in ("masked", "second_turned")),
        ("left_out", "f16[?,?] f16[?,?] i32[?] f32[?,?]", ""),
        ("int4_halves", "f16[?,?] u8[?,?] f32[?] f32[?,?]", "HALF=256"),
        *((name, GEMM, "") for name in ("a_step_ahead", "two_steps_ahead", "both_turned")),
        ("gated", "f16[?,?] f16[?,?] f16[?,?] f16[?,?]", ""),
        ("low_rank", "f16[?,?] f16[?,?] f16[?,?] f16[?,?] f16[?,?]", ""),
        ("rank_one", "f16[?,?] f16[?,?] f32[?] f32[?] f32[?,?]", ""),
        ("grouped", "f16[?,?] f16[?,?,?;free] i32[?] f16[?,?]", "MOST=128"),
        ("bias_first", "f16[?,?] f16[?,?] f32[?] f32[?,?]", ""),
    ),
    "tests/kernels/plain_quantized.py": (
        ("fp8_columns", "f16[?,?] f8e4m3[?,?] f32[?] f32[?,?]", ""),
        ("fp8_blocks", "f16[?,?] f8e4m3[?,?] f32[?,?] f32[?,?]", ""),
        ("int4_groups", "f16[?,?] u8[?,?] f16[?,?] f32[?,?]", ""),
        ("table4", "f16[?,?] u8[?,?] f32[?] f32[?,?] f32[?,?]", ""),
        ("table4_halves", "f16[?,?] u8[?,?] f16[?] f16[?,?] f32[?,?]", ""),
        ("int4_chosen", "f16[?,?] u8[?,?] f16[?,?] f32[?,?]", "HOW=by_condition"),
        ("zero_points", "i8[?,?] i8[?,?] i32[?] i32[?] f32[?] f32[?,?]", ""),
        ("as_type", "f32[?,?] f32[?,?] f32[?,?]", ""),
        ("lower_as_tf32", "f32[?,?] f32[?,?] f32[?,?]", ""),
    ),
    "tests/kernels/plain_sequences.py": (
        ("conv1d", "f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free]", ""),
        ("conv2d", "f16[?,?,?,?;free] f16[?,?,?,?;free] f32[?,?,?,?;free]", ""),
        ("depthwise", "f32[?,?] f32[?,?] f32[?,?]", ""),
        ("fourier", "f16[?,?] f16[?,?] f16[?,?] f32[?,?] f32[?,?]", ""),
        ("gru", "f16[?,?] f16[?,?] f16[?,?] f16[?,?] f32[?,?]", ""),
        ("recurrent", "f16[?,?,?;free] f16[?,?] f16[?,?,?;free]", ""),
        ("retention", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free] f32", ""),
        ("retention", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free] f32", "B=16"),
    ),
    "tests/kernels/plain_solvers.py": (("substituted", "f32[?,?] f32[?,?] f32[?,?]", ""),),
    "tests/kernels/plain_states.py": (
        ("state_space", "f16[?,?,?;free] f32[?,?] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free]", ""),
        ("scan_of_rows", "f16[?,?,?;free] f16[?,?,?;free] f32[?,?] f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free]", ""),
        ("experts", "f16[?,?] f16[?,?,?;free] i32[?] i32[?] f32[?,?]", ""),
        ("nine_products", "f16[?,?,?,?;free] f16[?,?,?,?;free] f32[?,?,?,?;free]", ""),
        ("complex_product", "f16[?,?] f16[?,?] f16[?,?] f16[?,?] f32[?,?] f32[?,?]", ""),
        ("linear_attention", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f32[?,?,?;free]", ""),
    ),
    "tests/kernels/plain_variants.py": (
        ("alibi", f"{HEADS} f32[?] f16[?,?,?,?;free] f32", ""),
        ("softcap", f"{HEADS} f16[?,?,?,?;free] f32 f32", ""),
        ("packed_alibi", "f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] i32[?] f32[?] f16[?,?,?;free] f32", ""),
        ("lengths", f"{HEADS} i32[?] f16[?,?,?,?;free] f32", ""),
        ("latent", "f16[?,?,?,?;free] f16[?,?,?,?;free] f16[?,?,?;free] f16[?,?,?;free] f16[?,?,?,?;free] f32", ""),
        ("backward", f"{BACKWARD} f32[?,?,?] f32[?,?,?] f32[?,?,?] f32", ""),
        ("blocks", f"{HEADS} i32[?] i32[?,?] f16[?,?,?,?;free] f32", ""),
        ("paged_rows", "f16[?,?,?;free] f16[?,?,?,?;free] f16[?,?,?,?;free] i32[?,?] i32[?] f32[?,?,?;free] f32", ""),
    ),
    "tests/kernels/test_float_codes.py": (("whole_numbers", "f16[?,?] i8[?,?] f32[?,?]", ""),),
    "tests/lowering/pipelines.py": (
        ("pipeline", BLOCK, ""),
        ("impatient_producers", BLOCK, ""),
        ("never_freed", BLOCK, ""),
        ("turned", BLOCK, ""),
        ("no_barrier", BLOCK, ""),
        ("overlapping_writes", BLOCK, ""),
        ("divergent_barrier", BLOCK, ""),
    ),
    "xetile/ops/kernels/columns.py": (("column_sum", BLOCK, ""), ("function", BLOCK, "NAME='exp'")),
    "benchmarks/kernels/peak.py": (("mma_peak", f"{GEMM} i32", ""),),
    "benchmarks/kernels/small.py": (
        ("combine", "f32[?,?] f32[?,?] f32[?,?] f32 f32 f32", ""),
        ("product", "f16[16,16] f16[16,16] f32[16,16]", ""),
    ),
    "benchmarks/kernels/steps.py": (("steps", BLOCK, "N=4"),),
    "tests/lowering/test_mixed.py": (
        ("padded", "f32[?,?] f32[?] f32[?,?]", ""),
        ("rows", "f32[?,?] f32[?] f32[?,?]", ""),
        ("moved", "f32[?,?] f32[?] f32[?,?]", ""),
        ("gathered", "f32[64,64] f32[64] f32[64,64]", ""),
        ("counted", "f32[64,64] f32[64] f32[64,64]", ""),
        ("running", "f32[?,?] f32[?] f32[?,?]", ""),
        ("staged", "f32[?,?] f32[?] f32[?,?]", ""),
        ("shared", "f32[?,?] f32[?] f32[?,?]", ""),
        ("joined", "f32[?,?] f32[?,?] i32 i32", ""),
    ),
    "tests/lowering/test_skipped_rounds.py": (("fading", "f16[?,?,?;free] f16[?,?,?;free] i32[?] f32[?,?]", ""),),
    "tests/lowering/test_slabs.py": tuple(
        (name, "f32[?,?] f32[?,?]", "") for name in ("tiles", "descriptors", "dealt", "turned")
    ),
    "tutorials/01_vector_add.py": (("add", "f32[?] f32[?] f32[?]", ""),),
    "tutorials/02_softmax.py": (("whole_rows", BLOCK, ""), ("softmax", BLOCK, "")),
    "tutorials/03_matmul.py": (("matmul", GEMM, ""),),
    "tutorials/04_attention.py": (("attention", ATTENTION, ""),),
    "tutorials/05_debugging.py": (
        ("normalized", BLOCK, ""),
        ("shifted", "f32[?] f32[?]", ""),
        ("histogram", "i32[?] i32[?]", ""),
        ("transposed", BLOCK, ""),
        ("summed", "f32[?] f32[?]", ""),
        ("checked", "f32[?]", ""),
    ),
    "tutorials/06_autotuning.py": (("matmul", GEMM, "BM=128 BN=128"),),
    "tutorials/07_layouts.py": (("sums", "f32[?,?] f32[?,?] f32[?,?]", ""),),
    "tutorials/08_shared_memory.py": (("smoothed", BLOCK, ""),),
    "tutorials/09_grid_reductions.py": (
        ("partial_sums", "f32[?] f32[?]", ""),
        ("atomic_sum", "f32[?] f32[?]", ""),
        ("last_sums", "f32[?] f32[?] i32[?] f32[?]", ""),
        ("extremes", "i32[?] i64[?]", ""),
    ),
    "tutorials/10_split_k.py": (("split_k", GEMM, ""), ("persistent", GEMM, "")),
    "tutorials/11_int8.py": (
        ("quantize", "f32[?,?] i8[?,?] f32[?]", ""),
        ("matmul", "i8[?,?] f32[?] i8[?,?] f32[?] f32[?,?]", ""),
    ),
    "tutorials/12_gather_scatter.py": (
        ("embed", "i32[?] f32[?,?] f32[?,?]", ""),
        ("embed_gradient", "i32[?] f32[?,?] f32[?,?]", ""),
        ("move_to_groups", "f32[?,?] i32[?] i32[?] i32[?] f32[?,?] i32[?]", ""),
    ),
    "tutorials/13_xegpu.py": (("product", GEMM, ""), ("pairs", "f16[?,?] f16[?,?] f16[?,?] f32[?,?]", "")),
    "tutorials/14_levels.py": (("scaled_product", GEMM, ""),),
    "tutorials/15_ahead_of_time.py": (("axpy", "f32 f32[?] f32[?]", ""),),
    "tutorials/16_writing_a_pass.py": (("scaled", BLOCK, ""),),
}

# Compiled by the benchmarks' own table (`benchmarks.isa_cases`), or by nobody: they print or stop, on numpy.
ELSEWHERE = {str(path.relative_to(ROOT)) for path in (ROOT / "xetile/ops/kernels").glob("*.py")} - {
    "xetile/ops/kernels/columns.py"
}
# Refused by the compiler, as its tutorial or test shows.
REFUSED = {"tutorials/08_shared_memory.py:halfway", "tests/lowering/test_mixed.py:chosen"}
TAKE_FUNCTIONS = {"tests/kernels/test_loaded_scales.py:scaled", "tests/kernels/test_places.py:chosen"}
NOT_COMPILED = {"tutorials/05_debugging.py:printing", *TAKE_FUNCTIONS, *REFUSED}


def cases() -> Iterator[Case]:
    """All of them, in a fixed order."""
    for file, kernels in SIGNATURES.items():
        module = load(file)
        for name, types, constants in kernels:
            shown = f"{file}:{name} {types} {constants}".strip()
            yield Case(shown, getattr(module, name), tuple(types.split()), _constants(constants, module))
    from benchmarks.isa_cases import CASES
    from benchmarks.isa_library import LIBRARY

    for case in (*CASES, *LIBRARY):
        yield Case(f"benchmarks: {case.name}", case.kernel, case.types, case.constants, case.num_subgroups)


def load(file: str) -> ModuleType:
    """A file of the repository as a module; tutorials have no package."""
    path = ROOT / file
    if path.parent.joinpath("__init__.py").exists() or not file.startswith("tutorials"):
        return importlib.import_module(file.removesuffix(".py").replace("/", "."))
    name = f"tutorial_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _constants(text: str, module: ModuleType) -> dict[str, Any]:
    """Constants by name, as literals or by names of the module."""
    named = vars(module)
    return {
        name: named[value] if value in named else ast.literal_eval(value)
        for name, value in (pair.split("=") for pair in text.split())
    }
