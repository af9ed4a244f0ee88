"""xetile.xegpu: kernels at workgroup, subgroup and lane level on the numpy reference at every level, and emulated on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xetile.backends.reference.interpret import interpret

import xetile as xt
from tests.lowering import kernels
from tests.parity.run import arguments, request
from tests.tools import mlir_opt
from xetile import xegpu
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.runtime.compiler import lower
from xetile.runtime.devices import find_device
from xetile.target import get_target

SEED = 0


def random(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(SEED).standard_normal(shape).astype(dtype)


def half(*shape: int) -> np.ndarray:
    return random(*shape, dtype=np.float16)


def empty(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def wide(a: np.ndarray) -> np.ndarray:
    return a.astype(np.float32)


def relu_and_sums(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    total = np.maximum(wide(a) @ wide(b), 0)
    # The sums are those of the program's own columns.
    return np.concatenate([p + p.sum(1, keepdims=True) for p in np.split(total, range(128, total.shape[1], 128), axis=1)], axis=1)


def gathered(a: np.ndarray) -> np.ndarray:
    places = np.arange(16) * 3
    plain = np.where(places < 30, a[places], 0)
    chunks = np.stack([a[8 * i + 1 : 8 * i + 9] for i in range(16)])
    return np.concatenate([plain, chunks.ravel()])


def by_lanes(a: np.ndarray) -> np.ndarray:
    result = empty(256)
    result[:20] = a[127 - np.arange(20)]
    result[128:] = a[:128]
    return result


CASES: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "workgroup": (kernels.workgroup, {"A": half(256, 64), "B": half(64, 256), "C": empty(256, 256)},
                  lambda v: {"C": relu_and_sums(v["A"], v["B"])}),
    "workgroup with edges": (kernels.workgroup, {"A": half(200, 64), "B": half(64, 136), "C": empty(200, 136)},
                             lambda v: {"C": relu_and_sums(v["A"], v["B"])}),
    "XeTile at workgroup level": (
        kernels.mixed_workgroup, {"A": half(128, 32), "B": half(128, 32), "C": empty(128, 128)},
        lambda v: {"C": 2 * wide(v["A"]) @ wide(v["B"]).T + np.arange(128)}),
    "XeTile at subgroup level": (kernels.mixed_subgroup, {"A": half(32, 32), "B": half(32, 64), "C": empty(32, 64)},
                                 lambda v: {"C": wide(v["A"]) @ wide(v["B"]) + 1}),
    "lanes": (kernels.lanes, {"A": half(64, 64), "B": half(64, 64), "C": empty(8, 16)},
              lambda v: {"C": 2 * wide(v["A"][:8, :16]) @ wide(v["B"][:16, :16]) + np.arange(16)}),
    "scattered lanes": (kernels.scattered_lanes, {"A": random(128), "R": empty(256)}, lambda v: {"R": by_lanes(v["A"])}),
    "gathers": (kernels.gathers, {"A": random(256), "R": empty(144), "N": empty(4, dtype=np.int32)},
                lambda v: {"R": gathered(v["A"]), "N": np.array([120, 0, 0, 0])}),
    "convert_layout": (kernels.converted, {"A": random(64, 64), "C": empty(64, 64)}, lambda v: {"C": v["A"] + 1}),
    "round robin": (kernels.round_robin, {"A": random(64, 64), "C": empty(64, 64)}, lambda v: {"C": v["A"] * 3}),
    "array_length": (kernels.blocks_side_by_side, {"A": half(16, 32), "C": empty(16, 16)},
                     lambda v: {"C": wide(v["A"][:, :16]) + wide(v["A"][:, 16:])}),
    "transpose": (kernels.turned_words, {"A": half(16, 32), "C": empty(32, 16, dtype=np.float16)}, lambda v: {"C": v["A"].T}),
    "1-D blocks": (kernels.rows_of_memory, {"A": random(256), "R": empty(128)}, lambda v: {"R": v["A"][128:] ** 2}),
}  # fmt: skip
for _name, _layout in {"row-major": ((), ()), "column-major": ((1, 64), ()), "blocked": ((), (8, 16)),
                       "blocked columns": ((1, 64), (16, 8))}.items():  # fmt: skip
    CASES[f"matrix, {_name}"] = (kernels.turned_in_memory, {
        "A": random(64, 64), "C": empty(32, 64), "STRIDE": _layout[0], "BLOCK": _layout[1]},
        lambda v: {"C": v["A"][32:]})  # fmt: skip

EACH = pytest.mark.parametrize("name", CASES)


def arrays_of(values: dict[str, Any]) -> dict[str, np.ndarray]:
    return {n: v.copy() for n, v in values.items() if isinstance(v, np.ndarray)}


def constants_of(values: dict[str, Any]) -> dict[str, Any]:
    return {n: v for n, v in values.items() if not isinstance(v, np.ndarray)}


def check(expected: dict[str, np.ndarray], after: dict[str, np.ndarray], what: str) -> None:
    for name, array in expected.items():
        np.testing.assert_allclose(wide(after[name]), array, rtol=2e-3, atol=2e-3, err_msg=f"{name}, {what}")


@pytest.mark.every(32, 8)
@pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")  # small arrays go element by element
@EACH
def test_on_devices(device: str, name: str) -> None:
    kernel, values, expected = CASES[name]
    arrays = arrays_of(values)
    if name == "scattered lanes" and get_target(find_device(device).target).subgroup_size != 16:
        pytest.skip("the kernel counts 16 lanes to a subgroup")
    with xt.device(device):
        kernel(**arrays, **constants_of(values))
    check(expected(values), arrays, device)


@pytest.mark.every(5, 1)
@EACH
def test_every_level_computes_the_same(name: str) -> None:
    kernel, values, expected = CASES[name]
    types = {n: f"{'i32' if v.dtype == np.int32 else 'f' + str(8 * v.itemsize)}[{','.join('?' * v.ndim)}]"
             for n, v in arrays_of(values).items()}  # fmt: skip
    what = request(kernel, types, num_subgroups=kernel.num_subgroups, **constants_of(values))
    found = expected(values)
    grid = (-(-values["C"].shape[1] // 128), -(-values["C"].shape[0] // 128), 1) if name.startswith("workgroup") else (1, 1, 1)
    levels = []
    for level, module in lower(what):
        verify(module)
        after = arrays_of(values)
        interpret(module, grid, arguments(module.kernel, after), debug=level != "workgroup")
        check(found, after, f"level {level}")
        levels.append(level)
    assert levels[-1] == "lane" and levels[0] in ("workgroup", "subgroup", "lane")


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["workgroup", "convert_layout", "1-D blocks", "lanes"])
def test_upstream_reads_what_is_printed(name: str) -> None:
    kernel, values, _ = CASES[name]
    types = {n: f"f{8 * v.itemsize}[{','.join('?' * v.ndim)}]" for n, v in arrays_of(values).items()}
    for _, module in lower(request(kernel, types, num_subgroups=kernel.num_subgroups)):
        text = print_op(module)
        if "xetile." not in text.replace("attributes {xetile.", "").replace(", xetile.", ""):
            mlir_opt(text)


def test_every_function_is_documented() -> None:
    for name in xegpu.__all__:
        assert getattr(xegpu, name).__doc__, name
    assert xt.xegpu is xegpu
