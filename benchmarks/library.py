"""Functions of `xetile.ops` beside the best peer that is installed: PyTorch's function of that name, else numpy's, in turns in one run."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

import xetile as xt
from xetile import ops
from xetile.errors import XetileError

from .cases import Array, normal
from .environment import describe, kept_on_interrupt, memory_objection, write_results
from .tables import Table

TEMPORARIES = 8  # times its arguments is what a case may take at most, numpy's intermediate arrays among it
SAMPLES, SECONDS = 30, 2.0  # of each, as many as go into these seconds and at least 5


@dataclass(frozen=True)
class Case:
    """A call: ours, numpy's of the same arrays, PyTorch's of tensors, and the largest difference over the largest magnitude."""

    name: str
    arrays: tuple[Array, ...]
    ours: Callable[..., Any]
    numpy: Callable[..., Any]
    torch: Callable[..., Any] | None = None
    allowed: float = 1e-4


@dataclass
class Row:
    """Milliseconds of each, wall clock and CPU time of all threads; the peer that is compared with is the fastest."""

    case: str
    ours: float
    ours_cpu: float
    peers: dict[str, tuple[float, float]]
    difference: float
    wrong: bool


def softmax_of(x: Array) -> Array:
    """Of rows, in numpy."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(np.divide(e, e.sum(-1, keepdims=True)))


def _attention(q: Array, k: Array, v: Array) -> Array:
    return np.asarray(np.matmul(softmax_of(q @ k.swapaxes(-1, -2) * np.float32(q.shape[-1] ** -0.5)), v))


def layer_norm_of(x: Array, w: Array, b: Array) -> Array:
    """Of rows, in numpy."""
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * w + b)


def _rms_norm(x: Array, w: Array) -> Array:
    return np.asarray(x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w)


def _gelu_linear(a: Array, b: Array, bias: Array) -> Array:
    x = a @ b + bias
    return np.asarray(0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x))))


def _rotated(x: Array, cos: Array, sin: Array) -> Array:
    first, second = np.split(x, 2, -1)
    c, s = cos[None, :, None], sin[None, :, None]
    return np.concatenate([first * c - second * s, second * c + first * s], -1)


def _losses(x: Array, target: Array) -> Array:
    largest = x.max(1, keepdims=True)
    return np.asarray(np.log(np.exp(x - largest).sum(1)) + largest[:, 0] - x[np.arange(len(x)), target])


def _convolution(x: Array, w: Array) -> Array:
    """By windows that are copied into a matrix, which is the fastest way in numpy alone."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    rows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, w[0].size)
    return np.asarray((rows @ w.reshape(len(w), -1).T).reshape(x.shape[0], *x.shape[2:], -1).transpose(0, 3, 1, 2))


def _rows(rng: np.random.Generator) -> Iterator[Case]:
    x, w, b = normal(rng, (4096, 4096), "f32"), normal(rng, (4096,), "f32"), normal(rng, (4096,), "f32")
    yield Case("softmax 4096x4096", (x,), ops.softmax, softmax_of, lambda t, x: t.softmax(x, -1))
    yield Case("softmax, axis 0", (x,), lambda x: ops.softmax(x, 0), lambda x: softmax_of(x.T).T, lambda t, x: t.softmax(x, 0))
    yield Case("layer_norm 4096x4096", (x, w, b), lambda x, w, b: ops.layer_norm(x, 4096, w, b), layer_norm_of,
               lambda t, x, w, b: t.nn.functional.layer_norm(x, (4096,), w, b))  # fmt: skip
    yield Case("rms_norm 4096x4096", (x, w), lambda x, w: ops.rms_norm(x, 4096, w), _rms_norm,
               lambda t, x, w: t.nn.functional.rms_norm(x, (4096,), w, 1e-6))  # fmt: skip
    yield Case("sum, axis 1", (x,), lambda x: ops.sum(x, 1), lambda x: x.sum(1), lambda t, x: x.sum(1))
    yield Case("sum, axis 0", (x,), lambda x: ops.sum(x, 0), lambda x: x.sum(0), lambda t, x: x.sum(0), 1e-3)
    yield Case("sum of all", (x,), ops.sum, np.sum, lambda t, x: x.sum(), 1e-2)
    yield Case("max, axis 1", (x,), lambda x: ops.max(x, 1), lambda x: x.max(1), lambda t, x: x.amax(1))
    yield Case("argmax, axis 1", (x,), lambda x: ops.argmax(x, 1), lambda x: x.argmax(1), lambda t, x: x.argmax(1))
    yield Case("cumsum 4096x4096", (x,), lambda x: ops.cumsum(x, 1), lambda x: x.cumsum(1), lambda t, x: x.cumsum(1), 1e-3)
    yield Case("transpose 4096x4096", (x,), ops.transpose, lambda x: np.ascontiguousarray(x.T), lambda t, x: x.t().contiguous())
    yield Case("topk 8 of 4096x4096", (x,), lambda x: ops.topk(x, 8)[0], lambda x: -np.sort(np.partition(-x, 7, 1)[:, :8], 1),
               lambda t, x: t.topk(x, 8)[0])  # fmt: skip
    yield Case("histogram of 16 M", (x,), lambda x: ops.histogram(x, 100, (-4, 4))[0], lambda x: np.histogram(x, 100, (-4, 4))[0])
    target = rng.integers(0, 4096, 4096)
    yield Case("cross_entropy 4096x4096", (x, target), lambda x, c: ops.cross_entropy(x, c, reduction="none"), _losses,
               lambda t, x, c: t.nn.functional.cross_entropy(x, c, reduction="none"))  # fmt: skip
    yield Case(
        "embedding 4096 of 4096x4096",
        (target, x),
        ops.embedding,
        lambda i, x: x[i],
        lambda t, i, x: t.nn.functional.embedding(i, x),
    )


def common_rows(rng: np.random.Generator) -> Iterator[tuple[str, Array, Array, Array]]:
    """Rows as models have them, with a weight and a bias of each column, and their size as text: 4 MB, which a CPU's last cache holds."""
    for columns in (768, 1000, 1024):
        rows = (1 << 20) // columns
        x, w, b = (normal(rng, shape, "f32") for shape in ((rows, columns), (columns,), (columns,)))
        yield f"{rows}x{columns}", x, w, b


def _common_widths(rng: np.random.Generator) -> Iterator[Case]:
    for size, x, w, b in common_rows(rng):
        yield Case(f"softmax {size}", (x,), ops.softmax, softmax_of, lambda t, x: t.softmax(x, -1))
        yield Case(f"layer_norm {size}", (x, w, b), lambda x, w, b: ops.layer_norm(x, x.shape[1], w, b), layer_norm_of,
                   lambda t, x, w, b: t.nn.functional.layer_norm(x, w.shape, w, b))  # fmt: skip
        yield Case(f"rms_norm {size}", (x, w), lambda x, w: ops.rms_norm(x, x.shape[1], w), _rms_norm,
                   lambda t, x, w: t.nn.functional.rms_norm(x, w.shape, w, 1e-6))  # fmt: skip
        yield Case(f"argmax {size}", (x,), lambda x: ops.argmax(x, 1), lambda x: x.argmax(1), lambda t, x: x.argmax(1))
        yield Case(f"sum {size}, axis 0", (x,), lambda x: ops.sum(x, 0), lambda x: x.sum(0), lambda t, x: x.sum(0), 1e-3)
    small = normal(rng, (256, 64, 64), "f32")
    yield Case("matmul 256 of 64", (small, small), ops.matmul, np.matmul, lambda t, a, b: a @ b)


def _products(rng: np.random.Generator) -> Iterator[Case]:
    a, b, bias = normal(rng, (2048, 2048), "f32"), normal(rng, (2048, 2048), "f32"), normal(rng, (2048,), "f32")
    yield Case("matmul 2048", (a, b), ops.matmul, np.matmul, lambda t, a, b: a @ b)
    yield Case("matmul 2048, bias, gelu", (a, b, bias), lambda a, b, c: ops.matmul(a, b, bias=c, activation="gelu"), _gelu_linear,
               lambda t, a, b, c: t.nn.functional.gelu(t.addmm(c, a, b), approximate="tanh"))  # fmt: skip
    batch = normal(rng, (16, 512, 512), "f32")
    yield Case("matmul 16 of 512", (batch, batch), ops.matmul, np.matmul, lambda t, a, b: a @ b)
    one = a[:1].copy()
    yield Case("matmul 1x2048x2048", (one, b), ops.matmul, np.matmul, lambda t, a, b: a @ b)
    q = normal(rng, (1, 16, 1024, 64), "f32")
    yield Case("attention 16x1024x64", (q, q, q), ops.scaled_dot_product_attention, _attention,
               lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v))  # fmt: skip
    angles = normal(rng, (1024, 32), "f32")
    heads = normal(rng, (4, 1024, 16, 64), "f32")
    yield Case("rotary_embedding 4x1024x16x64", (heads, np.cos(angles), np.sin(angles)), ops.rotary_embedding, _rotated)
    image, filters = normal(rng, (4, 64, 56, 56), "f32"), normal(rng, (64, 64, 3, 3), "f32")
    yield Case("conv2d 4x64x56x56, 3x3", (image, filters), lambda x, w: ops.conv2d(x, w, padding=1), _convolution,
               lambda t, x, w: t.nn.functional.conv2d(x, w, padding=1))  # fmt: skip


def _once(call: Callable[[], Any]) -> tuple[float, float]:
    wall, cpu = perf_counter(), process_time()
    call()
    return (perf_counter() - wall) * 1e3, (process_time() - cpu) * 1e3


def _median(samples: list[tuple[float, float]]) -> tuple[float, float]:
    walls, cpus = zip(*samples, strict=True)
    return float(np.median(walls)), float(np.median(cpus))


def measure(case: Case) -> Row:
    """Check the result, then time ours and the peers in turns."""
    calls: dict[str, Callable[[], Any]] = {"numpy": lambda: case.numpy(*case.arrays)}
    if case.torch is not None and importlib.util.find_spec("torch"):
        torch: Any = importlib.import_module("torch")
        tensors, theirs = [torch.from_numpy(x) for x in case.arrays], case.torch
        calls["torch"] = lambda: theirs(torch, *tensors)
    found, exact = np.asarray(case.ours(*case.arrays), np.float64), np.asarray(calls["numpy"](), np.float64)
    difference = float(np.abs(found - exact).max() / max(1.0, float(np.abs(exact).max())))
    calls["ours"] = lambda: case.ours(*case.arrays)
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
    start = perf_counter()
    while len(samples["ours"]) < 5 or (len(samples["ours"]) < SAMPLES and perf_counter() - start < SECONDS * len(calls)):
        for name, call in calls.items():
            samples[name].append(_once(call))
    times = {name: _median(found) for name, found in samples.items()}
    ours = times.pop("ours")
    return Row(case.name, *ours, times, difference, not difference <= case.allowed)


def table(rows: Sequence[Row]) -> Table:
    """A row for each case."""
    out = Table(("function", "ms", "peer", "peer, ms", "x peer", "x peer, by CPU time", "difference"))
    for row in rows:
        name, (wall, cpu) = min(row.peers.items(), key=lambda peer: peer[1])
        faster, by_cpu = f"{wall / row.ours:.2f}", f"{cpu / row.ours_cpu:.2f}" if row.ours_cpu else None
        out.add(row.case, f"{row.ours:.3f}", name, f"{wall:.3f}", faster, by_cpu, f"{row.difference:.0e}")
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    return run("ops", "xetile.ops", (_rows, _common_widths, _products), (__doc__ or "").partition("\n")[0], arguments)


def run(name: str, what: str, families: Sequence[Callable[[np.random.Generator], Iterator[Case]]], description: str,
        arguments: Sequence[str] | None) -> int:  # fmt: skip
    """The command line of a benchmark: all cases of some families, in a table and, where it is asked for, in a file."""
    parser = argparse.ArgumentParser(prog=f"python -m xetile benchmarks {name}", description=description)
    parser.add_argument("--device", metavar="D", default="cpu", help="gpu, cpu or numpy (default: %(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name holds TEXT")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write results with machine, versions and date")
    options = parser.parse_args(arguments)
    rng, rows, chosen = np.random.default_rng(0), [], 0
    try:
        with xt.device(options.device), kept_on_interrupt() as ending:
            for case in (case for family in families for case in family(rng) if options.only in case.name):
                chosen += 1
                if why := memory_objection(TEMPORARIES * sum(array.nbytes for array in case.arrays)):
                    print(f"{case.name}: left out, {why}", file=sys.stderr)
                    continue
                rows.append(measure(case))
    except XetileError as error:
        parser.error(str(error))
    if not chosen and not ending.early:
        parser.error(f"no case has {options.only!r} in its name")
    shown = table(rows)
    shown.show()
    print(f"load {os.getloadavg()[0]:.1f}")
    if options.json:
        found = describe(benchmark=name, device=options.device, load=os.getloadavg()[0], rows=[asdict(row) for row in rows],
                         interrupted=ending.early)  # fmt: skip
        page = (
            f"{shown.markdown()}\nf32; medians of up to {SAMPLES} calls in turns; peer: the fastest that is installed. x peer: how many times"
            " as fast; on a machine that others use too, read the column by the processor's time.\n"
        )
        write_results(options.json, found, f"{what} on {options.device}", page)
    return ending.status(1 if any(row.wrong for row in rows) else 0)
