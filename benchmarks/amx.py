"""Products by AMX, and attention made of them: right, and how fast beside PyTorch and vectors; `python -m benchmarks amx`.

For a machine whose CPU has AMX (Sapphire Rapids and later). Correctness first: whole, ragged and signed cases, then times.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import xetile as xt
from xetile.errors import XetileError
from xetile.ops.kernels.matmul import matmul
from xetile.runtime.devices import find_device
from xetile.runtime.settings import override

from . import amx_attention
from .cases import normal, torch_of
from .environment import cpu_name, describe, write_results
from .tables import Table
from .timing import Subject, compare

SHAPES = ((64, 64, 64), (256, 512, 512), (70, 90, 130), (300, 513, 1000), (1000, 1000, 1000))
SIZES = (1024, 2048, 4096)
TILES = tuple(
    dict(zip(("BM", "BN", "BK"), sizes)) for sizes in ((256, 256, 1024), (256, 512, 256), (256, 512, 512), (512, 128, 1024))
)
WIDE = {"bf16": (np.float32, xt.f32), "i8": (np.int32, xt.i32)}
SAMPLES = 12


def main(arguments: Sequence[str]) -> int:
    """Check, time, write; 1 where a result is wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks amx", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write results with machine, versions and date")
    parser.add_argument("--size", type=int, nargs="*", default=SIZES, help="sizes of square products (%(default)s)")
    parser.add_argument("--only", choices=("products", "attention"), help="one of the two parts")
    options = parser.parse_args(arguments)
    products, attention = options.only != "attention", options.only != "products"
    try:
        with override(cpu="amx"), xt.device(find_device("cpu")) as device:
            checks = [*(_checks() if products else ()), *(amx_attention.checks() if attention else ())]
            times = list(_times(options.size)) if products else []
            heads = list(amx_attention.times()) if attention else []
    except XetileError as error:
        print(f"amx: {error}", file=sys.stderr)
        return 2
    found = describe(benchmark="amx", load=os.getloadavg()[0], device=device.name, checks=checks, rows=times, attention=heads)
    page = _page(checks, times, heads)
    print(page)
    if options.json:
        write_results(options.json, found, f"Products by AMX on {cpu_name()}", page)
    return 0 if all(check["error"] <= check["allowed"] for check in checks) else 1


def _operands(rng: np.random.Generator, shape: tuple[int, int, int], dtype: str) -> tuple[Any, Any]:
    m, n, k = shape
    if dtype == "u8":
        return rng.integers(0, 256, (m, k), np.uint8), rng.integers(0, 256, (k, n), np.uint8)
    return normal(rng, (m, k), dtype), normal(rng, (k, n), dtype)


def _checks() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    for dtype, (wide, acc) in {**WIDE, "u8": WIDE["i8"]}.items():
        for shape in SHAPES:
            for turned in ("", "A", "B"):
                a, b = _operands(rng, shape, dtype)
                a = np.asfortranarray(a) if turned == "A" else a
                b = np.asfortranarray(b) if turned == "B" else b
                c = np.zeros((shape[0], shape[1]), wide)
                matmul(a, b, C=c, ACC=acc, BM=64, BN=128, BK=128)
                wanted = a.astype(np.float64) @ b.astype(np.float64)
                error = float(np.abs(c - wanted).max() / np.abs(wanted).max())
                yield {
                    "dtype": dtype,
                    "shape": shape,
                    "transposed": turned,
                    "error": error,
                    "allowed": 1e-5 if dtype == "bf16" else 0.0,
                }


def _times(sizes: Sequence[int]) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    for dtype, (wide, acc) in WIDE.items():
        for n in sizes:
            a, b = _operands(rng, (n, n, n), dtype)
            c = np.zeros((n, n), wide)
            runs = {f"amx {tuple(t.values())}": _bound(a, b, c, acc, t) for t in TILES}
            with override(cpu="avx512_bf16"), xt.device(find_device("cpu")):
                runs["vectors"] = _bound(a, b, c, acc, {"BM": 256, "BN": 512, "BK": 256})
            if importlib.util.find_spec("torch") is not None:
                runs["torch"] = _torch(a, b, dtype)
            timings = compare({name: Subject([run], None, SAMPLES, 2.0) for name, run in runs.items()})
            rates = {name: 2.0 * n**3 / t.median / 1e9 for name, t in timings.items()}
            yield {"dtype": dtype, "size": n, "GFLOP/s": {name: round(rate, 1) for name, rate in rates.items()}}


def _bound(a: Any, b: Any, c: Any, acc: Any, tiles: dict[str, int]) -> Any:
    return matmul.bind(a, b, C=c, ACC=acc, **tiles)


def _torch(a: Any, b: Any, dtype: str) -> Any:
    import torch

    x, y = torch_of(a), torch_of(b)
    return (lambda: x @ y) if dtype == "bf16" else (lambda: torch._int_mm(x, y))


def _page(checks: Sequence[dict[str, Any]], times: Sequence[dict[str, Any]], heads: Sequence[dict[str, Any]]) -> str:
    worst: dict[str, float] = {}
    for check in checks:
        name = "attention" if "attention" in check else f"products in {check['dtype']}"
        worst[name] = max(worst.get(name, 0.0), check["error"])
    right = f"{len(checks)} results checked; largest difference, of products over the largest magnitude: {worst}"
    parts = [right]
    if times:
        parts += ["GFLOP/s by medians of wall time, all cores:", _table("product", "GFLOP/s", times)]
    if heads:
        parts += ["Milliseconds of attention in bf16, likewise:", _table("attention", "ms", heads)]
    return "\n\n".join(parts) + "\n"


def _table(what: str, unit: str, rows: Sequence[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row[unit]))
    table = Table((what, *names))
    for row in rows:
        case = row.get("case") or f"{row['dtype']} {row['size']}"
        table.add(case, *(str(row[unit].get(name, "")) for name in names))
    return table.markdown()
