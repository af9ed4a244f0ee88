"""Identities of kernels: the same while the code means the same, another one as soon as it may not."""

import importlib.util
import sys
from pathlib import Path

import pytest

import xetile as xt
from xetile.runtime import fingerprint
from xetile.runtime.fingerprint import Unknown, exact

HELPERS = "LIMIT = {limit}\nTABLE = (1, 2.5)\n\ndef unused():\n    return 1\n"
KERNEL = """
import {helpers} as helpers
import xetile as xt
SCALE = {scale}

def inner(x):
    return x * {factor}

@xt.jit
def called(x):
    return inner(x) + 1

def kernel(A, n, BM: xt.constexpr = {default}):
    {comment}
    def local(x):
        return x + SCALE
    return local(called(A)) + helpers.LIMIT
"""
VALUES = {"limit": 3, "scale": 1.5, "factor": 2, "default": 64, "comment": "pass"}
_number = iter(range(1000))


def made(folder: Path, decorator: str = "", **changes: object) -> object:
    """The kernel of a module with these values."""
    values = {**VALUES, **changes}
    name = f"xt_fingerprint_{next(_number)}"
    for module, text in (("helpers", HELPERS), ("kernel", KERNEL.replace("def kernel", f"{decorator}\ndef kernel"))):
        file = folder / f"{name}_{module}.py"
        file.write_text(text.format(**{**values, "helpers": f"{name}_helpers"}))
        spec = importlib.util.spec_from_file_location(f"{name}_{module}", file)
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = loaded
        spec.loader.exec_module(loaded)
    kernel = loaded.kernel
    # Modules are told apart by name, and these are the same but for their contents.
    for fn in (kernel, loaded.inner, loaded.called.fn):
        fn.__module__ = "user"
    sys.modules[f"{name}_helpers"].__name__ = "helpers"
    return kernel


def test_equal_modules_have_equal_fingerprints(tmp_path):
    assert fingerprint.of_function(made(tmp_path)) == fingerprint.of_function(made(tmp_path))


@pytest.mark.parametrize("name,value", [("limit", 4), ("scale", 2), ("factor", 3), ("default", 32), ("comment", "A = A + 1")])
def test_everything_that_a_kernel_sees_counts(tmp_path, name, value):
    assert fingerprint.of_function(made(tmp_path)) != fingerprint.of_function(made(tmp_path, **{name: value}))


def test_decorators_do_not_count(tmp_path):
    one = made(tmp_path, decorator="@(lambda f: f)")
    other = made(tmp_path, decorator="@(lambda f:\n  f)")
    assert fingerprint.of_function(one) == fingerprint.of_function(other)


def closing_over(value: object) -> object:
    def kernel(A):
        return A + value

    return kernel


@pytest.mark.parametrize(
    "one,other",
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("a", "b"),
        ((1, (2,)), (1, (3,))),
        (frozenset({1}), frozenset({2})),
        (xt.f16, xt.bf16),
    ],
)
def test_captured_values_count_with_their_types(one, other):
    assert fingerprint.of_function(closing_over(one)) == fingerprint.of_function(closing_over(one))
    assert fingerprint.of_function(closing_over(one)) != fingerprint.of_function(closing_over(other))
    assert fingerprint.of_constants({"v": one}) != fingerprint.of_constants({"v": other})
    assert exact(one) != exact(other)


def test_lambdas_of_one_line_are_told_apart():
    functions = [lambda x: x + 1, lambda x: x + 2, lambda x: x - 1, lambda x: x + 1.0, lambda y: y + 1]  # fmt: skip
    assert len({fingerprint.of_function(f) for f in functions}) == len(functions)
    one, same = [lambda x: x + 1 for _ in range(2)]
    assert fingerprint.of_function(one) == fingerprint.of_function(same)


def test_a_set_has_one_fingerprint_however_it_is_ordered():
    one, other = {8, 0}, {0, 8}  # equal hashes: listed in the order in which they came
    assert list(one) != list(other)
    assert fingerprint.of_function(closing_over(one)) == fingerprint.of_function(closing_over(other))


def test_objects_without_a_value_are_not_guessed():
    with pytest.raises(Unknown, match="cannot compare"):
        fingerprint.of_function(closing_over(object()))
    with pytest.raises(Unknown):
        fingerprint.of_constants({"v": object()})


def test_recursion_ends():
    def one(x):
        return two(x)

    def two(x):
        return one(x)

    assert fingerprint.of_function(one) != fingerprint.of_function(two)


def test_functions_without_source_are_not_kept():
    scope: dict[str, object] = {}
    exec("def kernel(A): return A", scope)
    with pytest.raises(Unknown, match="source"):
        fingerprint.of_function(scope["kernel"])
