"""`xetile.ops.distributed` against dask.array's own numpy blocks, on a local cluster of processes, in turns in one run."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from .environment import describe, write_results
from .tables import Table

ALLOWED = 1e-4  # of the largest magnitude, f32


@dataclass
class Row:
    """Seconds of one case by both, and how far the results lie apart over the largest magnitude."""

    case: str
    ours: float
    numpy: float
    difference: float


def _softmax(x: Any) -> Any:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _attention(q: Any, k: Any, v: Any) -> Any:
    return _softmax(q @ k.swapaxes(-1, -2) * np.float32(q.shape[-1] ** -0.5)) @ v


def _cases(scale: int) -> Iterator[tuple[str, Callable[[], Any], Callable[[], Any]]]:
    """Name, ours and numpy's, each of which makes a dask array."""
    import dask.array as da

    from xetile.ops import distributed as ours

    def normal(*shape: int, chunks: Any) -> Any:
        return da.random.default_rng(0).standard_normal(shape, dtype=np.float32, chunks=chunks).persist()

    n = 1024 * scale
    a, b = normal(n, n, chunks=n // 2), normal(n, n, chunks=n // 2)
    yield f"matmul {n}, blocks of {n // 2}", lambda: ours.matmul(a, b), lambda: a @ b
    x = normal(2 * n, n, chunks=(n // 2, n))
    yield f"softmax {2 * n}x{n}", lambda: ours.softmax(x), lambda: x.map_blocks(_softmax, dtype=x.dtype)
    q, k, v = (normal(1, 8, n, 64, chunks=(1, 4, n // 2, 64)) for _ in range(3))
    whole_k, whole_v = k.rechunk({2: -1}), v.rechunk({2: -1})
    yield (f"attention 8 heads of 64, {n} long", lambda: ours.scaled_dot_product_attention(q, k, v),
           lambda: da.blockwise(_attention, "bhnd", q, "bhnd", whole_k, "bhmd", whole_v, "bhmd", concatenate=True, dtype=q.dtype,
                                align_arrays=False))  # fmt: skip


def _seconds(make: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = make().compute()
    return time.perf_counter() - start, result


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m xetile benchmarks dask", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="cpu", help="of the workers (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: %(default)s)")
    parser.add_argument("--scale", type=int, default=2, help="sizes are multiples of 1024 (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each, in turns (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="write results with machine, versions and date")
    options = parser.parse_args(arguments)
    try:
        from dask.distributed import Client, LocalCluster
    except ImportError:
        parser.error("dask is not installed: pip install -e '.[dask]'")
    rows = []
    settings = {
        "n_workers": options.workers,
        "threads_per_worker": 1,
        "env": {"XETILE_DEVICE": options.device},
        "dashboard_address": None,
    }
    with LocalCluster(**settings) as cluster, Client(cluster):
        for name, ours, numpys in _cases(options.scale):
            (_, found), (_, exact) = _seconds(ours), _seconds(numpys)
            difference = float(np.abs(found - exact).max() / np.abs(exact).max())
            times = [(_seconds(ours)[0], _seconds(numpys)[0]) for _ in range(options.repeat)]
            rows.append(Row(name, median(t for t, _ in times), median(t for _, t in times), difference))
    table = Table(("case", "ms", "numpy blocks, ms", "x numpy", "difference"))
    for row in rows:
        table.add(
            row.case, f"{row.ours * 1e3:.0f}", f"{row.numpy * 1e3:.0f}", f"{row.numpy / row.ours:.2f}", f"{row.difference:.0e}"
        )
    table.show()
    if options.json:
        found = describe(benchmark="dask", load=os.getloadavg()[0], workers=options.workers, rows=[asdict(row) for row in rows])
        page = f"{table.markdown()}\nMedians of {options.repeat} runs in turns, {options.workers} processes of one thread, f32.\n"
        write_results(options.json, found, "dask.array: our blocks and numpy's", page)
    return 1 if any(not row.difference <= ALLOWED for row in rows) else 0
