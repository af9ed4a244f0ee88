"""What products take twice is loaded twice where it would lie in registers between that nobody has."""

import pytest

from tests.kernels.plain_linear import CASES


def compiled(name, target, **options):
    case = CASES[name]
    return case.kernel.compile(*case.types, target=target, **case.constants, **options)


@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
def test_operands_of_two_products_are_loaded_for_each_where_registers_are_short():
    """Linear attention with 8 subgroups: keys of the scores would wait for the state's product. With 16 they fit, and none is loaded twice."""
    few, more = (compiled("linear attention, heads", "pvc", num_subgroups=count) for count in (8, 16))
    assert "xetile.reloads" in few.ir["lane"]
    assert "xetile.reloads" not in more.ir["lane"]


@pytest.mark.parametrize(("width", "subgroups"), [(80, 10), (96, 24)])
@pytest.mark.filterwarnings("error::xetile.runtime.specialize.SpillWarning")
def test_linear_attention_of_heads_that_are_no_power_of_two_fits(width, subgroups):
    """48 and 35 KB were spilled with 32 subgroups: several held the same rows of the state, and keys lay in registers from the scores on."""
    found = compiled(f"linear attention by chunks, heads of {width} columns", "pvc")
    assert found.binary.num_subgroups == subgroups
