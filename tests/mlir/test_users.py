"""Modules as users write them, of each level: what numpy gives, at every level, on the CPU device and as machine code.

What is printed at each level is read back as it was, and mlir-opt takes all that has no op of xetile or of the seeds alone.
"""

from __future__ import annotations

import linecache

import numpy as np
import pytest

from tests import tools
from tests.conftest import SIMULATED
from tests.mlir.everywhere import GUARD, agree, left_by, numbers, parser
from tests.mlir.users import User
from tests.mlir.users_columns import COLUMNS
from tests.mlir.users_control import CONTROL
from tests.mlir.users_exchanges import EXCHANGES
from tests.mlir.users_joins import JOINS
from tests.mlir.users_lane import LANE
from tests.mlir.users_lane_ops import LANE_OPS
from tests.mlir.users_memory import MEMORY
from tests.mlir.users_odd import ODD
from tests.mlir.users_parts import PARTS
from tests.mlir.users_products import PRODUCTS
from tests.mlir.users_ranks import RANKS
from tests.mlir.users_strange import STRANGE
from tests.mlir.users_subgroup import SUBGROUP
from tests.mlir.users_subgroup_ops import SUBGROUP_OPS
from tests.mlir.users_transfers import TRANSFERS
from tests.mlir.users_values import VALUES
from tests.mlir.users_whole import WHOLE
from tests.mlir.users_workgroup import WORKGROUP
from tests.mlir.users_workgroup_ops import WORKGROUP_OPS
from xetile import mlir
from xetile.errors import XetileError
from xetile.ir.printer import print_op
from xetile.mlir.seed_ops import as_unregistered
from xetile.passes.named import lower_on
from xetile.target import get_target

USERS: dict[str, User] = {
    f"{level} {name}": user
    for level, all in (
        ("lane", LANE),
        ("subgroup", SUBGROUP),
        ("workgroup", WORKGROUP),
        ("joins", JOINS),
        ("values", VALUES),
        ("memory", MEMORY),
        ("control", CONTROL),
        ("lanes:", LANE_OPS),
        ("subgroups:", SUBGROUP_OPS),
        ("workgroups:", WORKGROUP_OPS),
        ("ranks:", RANKS),
        ("strange:", STRANGE),
        ("products:", PRODUCTS),
        ("transfers:", TRANSFERS),
        ("parts:", PARTS),
        ("odd:", ODD),
        ("columns:", COLUMNS),
        ("exchanges:", EXCHANGES),
        ("whole:", WHOLE),
    )
    for name, user in all.items()
}
GPUS = [gpu for gpu in SIMULATED if gpu != "sim:dg2"]


@pytest.fixture(autouse=True)
def _needs_mlir_opt():
    tools.require_tool("mlir-opt")


def check(user: User, given: dict, left: dict) -> None:
    expected = user.meaning({name: array.copy() for name, array in given.items()})
    for name, array in given.items():
        got = left[name].reshape(array.shape)
        wanted = np.asarray(expected.get(name, array)).astype(got.dtype)
        if user.near:
            np.testing.assert_allclose(got.astype(float), wanted.astype(float), rtol=user.near, atol=user.near)
        else:
            assert (got == wanted).all(), f"{name}: {(got != wanted).sum()} of {got.size} differ"


@pytest.mark.every(360, 225)
@pytest.mark.parametrize("name", USERS)
def test_every_level_and_the_cpu_give_what_numpy_gives(name):
    user = USERS[name]
    found = agree(user.text, user.grid, user.scalars, cpu=not (user.rounded or user.spins), near=user.near)
    assert isinstance(found, dict), found
    check(user, numbers(mlir.parse(user.text)), found)
    if user.rounded:
        check_on(user, "cpu")


def check_on(user: User, device: str) -> None:
    """What a device leaves. Raises the error that it refuses the module with."""
    parse = parser(user.text)
    left = left_by(parse(), device, user.grid, user.scalars)
    if isinstance(left, XetileError):
        raise left
    check(user, numbers(parse()), {array: values[GUARD:-GUARD] for array, values in left.items()})


@pytest.mark.every(6)
@pytest.mark.simulated
@pytest.mark.parametrize("name, device", [
    pytest.param(name, device, marks=() if i % len(GPUS) == j else pytest.mark.slow)
    for i, name in enumerate(USERS) for j, device in enumerate(GPUS)
])  # fmt: skip
def test_machine_code_gives_what_numpy_gives(name, device):
    for tool in ("ocloc", "iga64"):
        tools.require_tool(tool)
    check_on(USERS[name], device)


@pytest.mark.every(684, 178)
@pytest.mark.parametrize("name", USERS)
def test_what_is_printed_is_read_back(name):
    for_upstream = []
    for level, module in lower_on(parser(USERS[name].text)(), get_target("pvc")):
        text = print_op(module)
        linecache.cache.pop("again", None)
        assert print_op(mlir.parse(text, "again")) == text, level
        if as_unregistered(text, "again") == text:  # ops and forms of the seeds that LLVM 22 has not
            for_upstream.append(text)
    for answer in tools.mlir_opt_each(tuple(for_upstream)) if for_upstream else ():
        assert answer.printed, answer.said
