"""Which instructions a CPU is taken to have."""

from __future__ import annotations

import pytest
from numpy._core import _multiarray_umath as umath

from xetile.errors import DeviceError
from xetile.runtime import cpus
from xetile.runtime.backend import DeviceInfo
from xetile.runtime.loading import device_identity
from xetile.runtime.settings import override

AMX = "fpu avx512f avx512bw amx_tile amx_bf16 amx_int8"


@pytest.fixture
def machine(monkeypatch):
    """Makes a machine of what Linux would say of it."""

    def make(flags: str, family: str = "", model: str = "") -> None:
        told = {"flags": flags, "cpu family": family, "model": model}
        monkeypatch.setattr(cpus, "_told", told.__getitem__)
        cpus.host_target.cache_clear()

    yield make
    cpus.host_target.cache_clear()


def test_sapphire_rapids_has_amx(machine):
    machine(AMX, "6", "143")
    assert cpus.host_target() == "amx"
    cpus.check("amx")


@pytest.mark.parametrize("way, target", [("avx512_bf16", "cpu"), ("avx512", "avx512"), ("avx2", "avx2"), ("", "amx")])
def test_vectors_are_a_choice_beside_amx(machine, way, target):
    machine(AMX, "6", "143")
    info = DeviceInfo(backend="opencl", name="a CPU", kind="cpu", target="pvc", emulated=True)
    cpus._with_target.cache_clear()
    with override(cpu=way):
        assert cpus.as_chosen(info).target == target
    cpus._with_target.cache_clear()


def test_products_of_pairs_are_refused_where_no_instruction_makes_them(monkeypatch):
    monkeypatch.setattr(cpus, "_features", lambda *names: "AVX512VNNI" not in names)
    cpus.check("avx512")
    with pytest.raises(DeviceError, match="BF16 and VNNI"):
        cpus.check("cpu")


@pytest.mark.parametrize(
    ("flags", "family", "model"), [(AMX, "6", "167"), ("fpu avx512f", "6", "143"), (AMX, "25", "1"), ("", "", "")]
)
def test_amx_that_the_runtime_does_not_know_of_is_not_taken(machine, monkeypatch, flags, family, model):
    machine(flags, family, model)
    monkeypatch.setattr(cpus, "_features", lambda *names: True)
    assert cpus.host_target() != "amx"
    cpus.check("avx512")
    with pytest.raises(DeviceError, match=f"family {family or 'unknown'}, model {model or 'unknown'}.*Sapphire Rapids") as caught:
        cpus.check("amx")
    assert "XETILE_CPU" in caught.value.hint


@pytest.mark.parametrize(("architecture", "target"), [("corei7", "avx2"), ("core-avx2", "avx2"), ("skx", "avx512")])
def test_the_target_is_one_that_the_runtime_compiles_for(machine, monkeypatch, architecture, target):
    """Told of a CPU without AVX-512, it takes instructions of AVX-512 and gives them wrong registers."""
    machine(AMX, "6", "143")
    monkeypatch.setattr(umath, "__cpu_features__", dict.fromkeys((*cpus._AVX512, *cpus._PAIRS), True))
    monkeypatch.setenv("CL_CONFIG_CPU_TARGET_ARCH", architecture)
    assert cpus.host_target() == target
    refused = {"avx2": ("avx512", "cpu", "amx"), "avx512": ("cpu", "amx")}[target]
    for name in refused:
        with pytest.raises(DeviceError, match=f"a {architecture}, which Intel's runtime is told to compile for"):
            cpus.check(name)


@pytest.mark.parametrize("name", ["CL_CONFIG_CPU_TARGET_ARCH", "CL_CONFIG_LLVM_OPTIONS"])
def test_builds_are_kept_for_what_the_driver_was_told(monkeypatch, name):
    info = DeviceInfo(backend="opencl", name="a CPU", kind="cpu", target="pvc", driver_version="1")
    monkeypatch.delenv(name, raising=False)
    before = device_identity(info)
    monkeypatch.setenv(name, "other")
    assert device_identity(info) != before
    monkeypatch.delenv(name)
    assert device_identity(info) == before
