"""The library over dask.array, on a local cluster of processes; kernels that travel, and one disk cache for all.

Starting the cluster takes longer than the rest of the library's tests: `.ci/run` runs all of it.
"""

import importlib
import pickle

import numpy as np
import pytest

import xetile as xt
from tests import tools
from tests.library.numbers import assert_near, normal, wide
from tests.library.test_attention import exact
from xetile.errors import ArgumentError
from xetile.ops.kernels import rows


def dask(module):
    """A module of dask's, imported where it is needed: that takes a second, and most runs leave the tests out that do."""
    try:
        return importlib.import_module(f"dask.{module}")
    except ImportError:
        return tools.missing("dask", "pip install -e '.[dask]'")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two processes on the numpy device and one cache."""
    distributed = dask("distributed")
    environment = {"XETILE_DEVICE": "cpu" if any(d.kind == "cpu" for d in xt.devices()) else "numpy", "XETILE_CPU": "",
                   "XETILE_CACHE_DIR": str(tmp_path_factory.mktemp("cache"))}  # fmt: skip
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None, "env": environment}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as found:
        found.wait_for_workers(2)
        yield found


def counts():
    """How many kernels this process has compiled, and taken from the disk cache."""
    import xetile as xt

    found = xt.stats()
    return found.compiles, found.cache_hits


def chunked(x, *chunks):
    return dask("array").from_array(x, chunks=chunks)


@pytest.mark.slow
@pytest.mark.every(2)
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_product_of_blocks(client, dtype):
    a, b = normal(0, (130, 90), dtype), normal(1, (90, 70), dtype)
    result = xt.ops.distributed.matmul(chunked(a, 64, 40), chunked(b, 40, 33))
    assert result.chunks == ((64, 64, 2), (33, 33, 4)) and result.dtype == a.dtype
    assert_near(result.compute(), wide(a) @ wide(b), dtype, 4)


@pytest.mark.slow
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_of_blocks(client, axis):
    x = normal(0, (50, 20, 30))
    e = np.exp(wide(x))
    result = xt.ops.distributed.softmax(chunked(x, 20, 7, 16), axis)
    assert_near(result.compute(), e / e.sum(axis, keepdims=True), factor=4)


@pytest.mark.slow
@pytest.mark.covering
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("keys", [16, 7, 50])
def test_attention_of_blocks(client, causal, keys):
    q, k, v = normal(0, (2, 4, 40, 16)), normal(1, (2, 2, 50, 16)), normal(2, (2, 2, 50, 16))
    result = xt.ops.distributed.scaled_dot_product_attention(
        chunked(q, 1, 4, 16, 16), chunked(k, 2, 1, keys, 16), chunked(v, 2, 2, 25, 16), is_causal=causal
    )
    assert_near(result.compute(), exact(q, k, v, causal), factor=10)


@pytest.mark.slow
def test_what_one_worker_compiled_no_other_compiles(client):
    x = normal(0, (9, 33))
    exact_sum = wide(x).sum(1)
    before = client.run(counts)
    first, second = before
    assert_near(client.submit(xt.ops.sum, x, 1, workers=first, pure=False).result(), exact_sum, factor=4)
    between = client.run(counts)
    assert_near(client.submit(xt.ops.sum, x, 1, workers=second, pure=False).result(), exact_sum, factor=4)
    after = client.run(counts)
    assert between[first][0] == before[first][0] + 1
    assert after[second][0] == between[second][0] and after[second][1] == between[second][1] + 1


@pytest.mark.slow
def test_kernels_and_compiled_kernels_travel(client):
    """By where they are defined, and a compiled one by what it was compiled from."""
    assert pickle.loads(pickle.dumps(rows.softmax)) is rows.softmax
    compiled = rows.softmax.compile("f32[?,?]", "f32[?,?]", target="cpu")
    assert pickle.loads(pickle.dumps(compiled)).spirv == compiled.spirv
    assert client.submit(lambda kernel: len(kernel.spirv), compiled).result() == len(compiled.spirv)


def test_what_does_not_fit_is_refused():
    x = dask("array").ones((4, 6), chunks=2)
    with pytest.raises(ArgumentError, match=r"matmul: dask arrays of shapes \(4, 6\) and \(4, 6\)"):
        xt.ops.distributed.matmul(x, x)
    with pytest.raises(ArgumentError, match="axis 2 of an array with 2 axes"):
        xt.ops.distributed.softmax(x, 2)
    with pytest.raises(ArgumentError, match="dask arrays of shapes"):
        xt.ops.distributed.scaled_dot_product_attention(x, x, x)
