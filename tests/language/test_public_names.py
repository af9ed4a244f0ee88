"""The public names: all there, documented, and imported no sooner than they are used."""

import subprocess
import sys

import pytest

import xetile as xt

COMPILER = (
    "xetile.ir",
    "xetile.frontend",
    "xetile.passes",
    "xetile.layout",
    "xetile.target.model",
    "xetile.dialects.arith",
    "numpy",
)
# What the RFC names, and what every such language has.
LANGUAGE = """
init_tile load_tile store_tile prefetch_tile update_tile_offset tile_mma atomic_rmw_tile tile_transpose
tile_reduce tile_broadcast tile_conv_layout load_gather store_scatter wg_map where zeros full arange sum max
min argmax cumsum exp exp2 log log2 sqrt rsqrt sin cos tan tanh erf sigmoid abs floor ceil round fma maximum
minimum clamp isnan cdiv program_id num_programs subgroup_id static_range static_print static_assert
device_print device_assert alloc_slm barrier fence constexpr empty jit bitcast bool i8 i16 i32 i64 u8 u16 u32
u64 f16 bf16 tf32 f32 f64 f8e4m3 f8e5m2
"""


@pytest.mark.parametrize("name", LANGUAGE.split())
def test_exists_and_is_documented(name):
    thing = getattr(xt, name)
    assert name in dir(xt)
    assert callable(thing) or isinstance(thing, xt.DType)
    assert thing.__doc__


def test_unknown_names_are_unknown():
    with pytest.raises(AttributeError, match="has no attribute 'load_tiles'"):
        xt.load_tiles


def loaded_after(code: str) -> set[str]:
    script = f"import sys; {code}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split())


def test_import_loads_no_compiler():
    modules = loaded_after("import xetile")
    # What errors show is set up at once, whoever raises them: a few lines, which import what they need when there is an error.
    assert not [m for m in modules if (m.startswith("xetile.") and m != "xetile.tracebacks") or m == "numpy"]


def test_decorating_loads_no_compiler():
    modules = loaded_after("import xetile as xt; xt.constexpr, xt.empty, xt.cdiv(3, 2), xt.jit(xt.cdiv)")
    assert not [m for m in modules if m.startswith(COMPILER[:-1])]
