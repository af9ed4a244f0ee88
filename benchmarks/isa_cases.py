"""What `benchmarks.isa` compiles, and the reference counts that its table stands beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import xetile as xt
from xetile.ops.kernels import attention, matmul, norms, rows

if TYPE_CHECKING:
    from xetile.runtime.compiled import CompiledKernel

XE = ("pvc", "bmg", "lnl")


@dataclass(frozen=True)
class Case:
    """One kernel to compile: types of its parameters, constants, subgroups, for which targets.

    step_dpas   dpas of one K step: the loop's counts are given for so many, so that unrolled loops compare; 0: the loop as it is.
    step        what one step is, in words.
    bars        the most instructions per step that this project allows itself, by target.
    shares      the least share of dpas in them that it asks of itself, by target.
    """

    name: str
    kernel: Any
    types: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    num_subgroups: int | None = None
    targets: tuple[str, ...] = XE
    step_dpas: int = 0
    step: str = "one round of the hot loop"
    bars: Mapping[str, int] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)

    def compile(self, target: str) -> CompiledKernel:
        """The kernel for a target."""
        types = [None if text == "None" else text for text in self.types]
        compiled: CompiledKernel = self.kernel.compile(*types, target=target, num_subgroups=self.num_subgroups, **self.constants)
        return compiled


def _gemm(name: str, a: str = "f16", b: str | None = None, c: str = "f32", bk: int = 32, *, kernel: Any = matmul.matmul,
          a_order: str = "", b_order: str = "", extra: tuple[str, ...] = (), bars: Mapping[str, int] | None = None,
          step_dpas: int = 32, **constants: Any) -> Case:  # fmt: skip
    """C 256x256 of one workgroup in 32 subgroups."""
    types = (f"{a}[?,?{a_order}]", f"{b or a}[?,?{b_order}]", *extra, f"{c}[?,?]")
    return Case(name, kernel, types, {"BK": bk, **constants}, 32, step_dpas=step_dpas, step=f"K step of {bk}", bars=bars or {})


def _xe(pvc: int, bmg: int) -> dict[str, int]:
    return {"pvc": pvc, "bmg": bmg, "lnl": bmg}


def _integers() -> list[Case]:
    pairs = [(a, b) for a in ("i8", "u8") for b in ("i8", "u8")]
    return [_gemm(f"matmul {a} x {b}", a, b, "i32", 64, ACC=xt.i32, bars=_xe(53, 48)) for a, b in pairs]


def _epilogues() -> list[Case]:
    bias: dict[str, Any] = {"kernel": matmul.matmul_bias, "extra": ("f32[?]",), "bars": _xe(57, 48)}
    return [
        _gemm("matmul f16, bias", **bias),
        _gemm("matmul f16, bias, relu", **bias, ACTIVATION="relu"),
        _gemm("matmul f16, bias, gelu", **{**bias, "bars": _xe(53, 48)}, ACTIVATION="gelu"),
        _gemm("matmul f16, bias, relu, stored as f16", **bias, c="f16", ACTIVATION="relu"),
        _gemm("matmul f16, residual", kernel=matmul.matmul_residual, extra=("f32[?,?]",), bars=_xe(57, 48)),
        _gemm("matmul f16, stored as f16", c="f16", bars=_xe(53, 48)),
        _gemm("matmul bf16, stored as bf16", "bf16", c="bf16", bars=_xe(53, 48)),
    ]


def _others() -> list[Case]:
    """What is bound by memory, and the matrix products of other shapes."""
    f32 = "f32[?,?]"
    everywhere = (*XE, "dg2")
    batched = ("f16[?,?,?]", "f16[?,?,?]", "f32[?,?,?]")
    return [
        Case("matmul f16, batched", matmul.matmul_batched, batched, {}, 32, step_dpas=32, step="K step of 32",
             bars=_xe(53, 48)),
        Case("matmul f16, K split 128x128", matmul.matmul_split_k, ("f16[?,?]", "f16[?,?]", "f32[?,?,?]"), {}, 8, step_dpas=32,
             step="K step of 32", bars=_xe(54, 50)),
        Case("sum of slices f32", matmul.sum_slices, ("f32[?,?,?]", f32), targets=everywhere, bars=_xe(36, 35) | {"dg2": 96}),
        Case("softmax f16", rows.softmax, ("f16[?,?]", f32), targets=everywhere, bars=_xe(455, 417) | {"dg2": 1020}),
        Case("layer norm f16", norms.layer_norm, ("f16[?,?]", "f32[?]", "f32[?]", f32), targets=everywhere,
             bars=_xe(346, 282) | {"dg2": 780}),
        Case("sums of rows f32", rows.row_sum, (f32, f32), targets=everywhere, bars=_xe(155, 87) | {"dg2": 211}),
        Case("transpose f32", rows.transpose, (f32, f32), step="the kernel", targets=everywhere, bars=_xe(90, 87) | {"dg2": 820}),
        Case("vector add f32", rows.vector_add, (f32, f32, f32), step="the kernel", targets=everywhere,
             bars=_xe(118, 114) | {"dg2": 460}),
    ]  # fmt: skip


def _attention() -> list[Case]:
    """Rounds of 32 keys: for 16 queries of each subgroup, for 8 of heads wider than 64."""
    types = ("f16[?,?,?]",) * 3 + ("f32[?,?,?]",)
    shares = {(64, False): (0.22, 0.28), (64, True): (0.22, 0.28), (96, False): (0.25, 0.3), (128, False): (0.24, 0.29),
              (128, True): (0.21, 0.29), (192, False): (0.18, 0.28), (256, False): (0.14, 0.19)}  # fmt: skip
    return [
        Case(f"attention D={d}{', causal' if causal else ''}", attention.attention, types,
             {"D": d, "causal": causal, "scale": d**-0.5}, step="32 keys", shares={"pvc": pvc, "bmg": bmg, "lnl": bmg})
        for (d, causal), (pvc, bmg) in shares.items()
    ]  # fmt: skip


def _dg2() -> list[Case]:
    """Half as large registers: 256x128 of C, 32x32 in each subgroup."""
    types = [("f16", "f32", xt.f32, 32), ("bf16", "f32", xt.f32, 32), ("i8", "i32", xt.i32, 64)]
    return [
        Case(f"matmul {a} 256x128x{bk}", matmul.matmul, (f"{a}[?,?]", f"{a}[?,?]", f"{c}[?,?]"),
             {"BM": 256, "BN": 128, "BK": bk, "ACC": acc}, 32, ("dg2",), 32, f"K step of {bk}", {"dg2": 130} if a != "i8" else {})
        for a, c, acc, bk in types
    ]  # fmt: skip


CASES: tuple[Case, ...] = (
    _gemm("matmul f16", bars=_xe(53, 48)),
    _gemm("matmul bf16", "bf16", bars=_xe(53, 48)),
    *_integers(),
    # 256x256x16: half as deep as f16 in elements, the same in bytes.
    _gemm("matmul tf32", "tf32", bk=16, bars=_xe(57, 50)),
    _gemm("matmul f16, summed in f16", c="f16", ACC=xt.f16),
    _gemm("matmul bf16, summed in bf16", "bf16", c="bf16", ACC=xt.bf16),
    _gemm("matmul f16, B transposed", b_order=";F", bars=_xe(74, 54)),
    _gemm("matmul f16, A transposed", a_order=";F", bars=_xe(91, 77)),
    _gemm("matmul f16, A and B transposed", a_order=";F", b_order=";F", bars=_xe(53, 48)),
    _gemm("matmul bf16, A transposed", "bf16", a_order=";F", bars=_xe(91, 77)),
    _gemm("matmul i8 x i8, A transposed", "i8", c="i32", bk=64, a_order=";F", ACC=xt.i32, bars=_xe(91, 77)),
    _gemm("matmul tf32, A transposed", "tf32", bk=16, a_order=";F", bars=_xe(95, 75)),
    *_epilogues(),
    *_attention(),
    *_others(),
    *_dg2(),
)  # fmt: skip


@dataclass(frozen=True)
class Reference:
    """Counts per step of somebody else's code for the same work, from the same compiler (IGC 2.40.14)."""

    case: str
    target: str
    source: str
    dpas: float
    loads: float
    prefetch: float
    scratch: float
    mov: float
    alu: float
    sync: float
    total: float


_UPSTREAM = "upstream MLIR 22.1.8, workgroup pipeline as shipped"
_EXPERT = "expert's OpenCL C with Intel's published functions"
_BY_HAND = "hand-written SPIR-V"
_RAW = "expert's raw messages, payloads kept in registers"

REFERENCES: tuple[Reference, ...] = (
    Reference("matmul f16", "pvc", _UPSTREAM, 32, 16, 4, 0, 88.1, 16.4, 25.8, 182.5),
    Reference("matmul f16", "bmg", _UPSTREAM, 32, 16, 4, 0, 29.5, 3.4, 4.0, 89.1),
    Reference("matmul f16", "pvc", _EXPERT, 32, 3, 2, 0, 21, 5, 5, 69),
    Reference("matmul f16", "bmg", _EXPERT, 32, 3, 2, 0, 14, 4, 2, 58),
    Reference("matmul f16", "pvc", _BY_HAND, 32, 3, 2, 0, 20, 5, 5, 68),
    Reference("matmul f16", "bmg", _BY_HAND, 32, 3, 2, 0, 14, 4, 2, 58),
    Reference("matmul f16", "lnl", _BY_HAND, 32, 3, 2, 0, 14, 4, 2, 58),
    Reference("matmul f16", "pvc", _RAW, 32, 3, 2, 0, 3, 7, 8, 57),
    Reference("matmul f16", "bmg", _RAW, 32, 3, 2, 0, 0, 7, 8, 54),
    Reference("matmul i8 x i8", "pvc", _EXPERT, 32, 3, 2, 0, 18, 5, 5, 66),
    Reference("matmul i8 x i8", "bmg", _EXPERT, 32, 3, 2, 0, 14, 4, 3, 59),
    Reference("matmul f16, B transposed", "pvc", _EXPERT, 32, 9, 2, 0, 28, 14, 6, 92),
    Reference("matmul f16, B transposed", "bmg", _EXPERT, 32, 9, 2, 0, 15, 4, 3, 66),
    Reference(
        "matmul f16 256x128x32", "dg2", "expert's OpenCL C, double-buffered local memory", 32, 0, 0, 0, 4.1, 34.7, 19.2, 117.9
    ),
)
