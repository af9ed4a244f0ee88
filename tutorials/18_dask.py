"""Arrays larger than one machine: the library over dask.array, on a cluster of two processes.

    pip install -e '.[dask]' && python tutorials/18_dask.py

Dask cuts an array into blocks and sends work to them. `xt.ops.distributed` gives it our kernels as the functions of blocks:

- a product sums up a row of blocks times a column of blocks, the sum so far being the next product's residual;
- softmax takes whole rows, so its axis becomes one chunk;
- attention keeps for each block of queries the result so far and the logarithm of the sum of its weights: two results over
  different keys become one over all of them by these, so that no worker ever sees all keys.

Workers run kernels on their own device (`XETILE_DEVICE`), and take what another has compiled from the cache on disk, which they share.
A cluster's workers import this file: what it does stands behind `__name__ == "__main__"`.
"""

import importlib
import importlib.util
import os
from typing import Any

import numpy as np

import xetile as xt

Array = np.ndarray[Any, Any]


def check(name: str, found: Array, exact: Array) -> None:
    error = np.abs(found - exact).max() / np.abs(exact).max()
    print(f"{name}: off by {error:.1e}")
    if not error < 1e-4:
        raise SystemExit(f"{name} is wrong")


def main() -> None:
    da: Any = importlib.import_module("dask.array")
    cluster_of: Any = importlib.import_module("dask.distributed").LocalCluster
    usable = {info.kind for info in xt.devices() if info.usable}
    device = os.environ.get("XETILE_DEVICE") or ("cpu" if "cpu" in usable else "numpy")
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((300, 200), dtype=np.float32), rng.standard_normal((200, 250), dtype=np.float32)
    product = xt.ops.distributed.matmul(da.from_array(a, chunks=128), da.from_array(b, chunks=128))
    rows = xt.ops.distributed.softmax(product)  # nothing is computed before it is asked for
    q, k, v = (rng.standard_normal((1, 2, 100, 32), dtype=np.float32) for _ in range(3))
    blocks = [da.from_array(x, chunks=(1, 2, 50, 32)) for x in (q, k, v)]
    attention = xt.ops.distributed.scaled_dot_product_attention(*blocks, is_causal=True)
    print(f"{product.npartitions} blocks of {product.chunksize}")

    # Once in this process: the workers take what it compiles from the cache, where both would compile it for themselves.
    with xt.device(device):
        here = da.compute(product, rows, attention, scheduler="synchronous")

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "env": {"XETILE_DEVICE": device}}
    with cluster_of(**options) as cluster, cluster.get_client():
        found = da.compute(product, rows, attention)
    print("the cluster computes the same bits:", all(np.array_equal(x, y) for x, y in zip(found, here)))

    exact = a @ b.astype(np.float64)
    check("matmul", found[0], exact)
    check("softmax of the product", found[1], np.exp(exact) / np.exp(exact).sum(1, keepdims=True))
    scores = np.where(np.tri(100, dtype=bool), q.astype(np.float64) @ k.swapaxes(-1, -2) / np.sqrt(32), -np.inf)
    weights = np.exp(scores)
    check("causal attention", found[2], weights / weights.sum(-1, keepdims=True) @ v)


if __name__ == "__main__":
    if importlib.util.find_spec("distributed") is None:
        print("this tutorial needs dask: pip install -e '.[dask]'")
    else:
        main()
