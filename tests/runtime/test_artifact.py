"""Compiled kernels survive being written as JSON, and say what a launcher needs to know."""

import json
from dataclasses import replace

import pytest

from xetile.runtime.artifact import ArgSpec, Binary, written_parameters

BINARY = Binary(
    "matmul", b"\x03\x02\x23\x07rest", "pvc", 16, 32, (64, 8, 1), 256, 4096, "-ze-opt-large-register-file",
    (ArgSpec("array", "A", dtype="f16"), ArgSpec("dim", "A", 1, "index32"), ArgSpec("stride", "A", 0, "index32"),
     ArgSpec("array", "C", dtype="f32"), ArgSpec("scalar", "alpha", dtype="f32")), frozenset({"C"}),
)  # fmt: skip


@pytest.mark.parametrize("binary", [BINARY, replace(BINARY, written=None), replace(BINARY, args=(), written=None, spirv=b"")])
def test_json_and_back(binary):
    assert Binary.from_json(binary.to_json()) == binary
    assert Binary.from_manifest(json.loads(json.dumps(binary.manifest())), binary.spirv) == binary


def test_parameters_are_named_once_in_order():
    assert BINARY.parameters == ("A", "C", "alpha")


def test_unknown_writes_count_every_array():
    assert written_parameters(BINARY) == {"C"}
    assert written_parameters(replace(BINARY, written=None)) == {"A", "C"}


def test_the_digest_tells_binaries_apart():
    others = [
        replace(BINARY, spirv=b"x"),
        replace(BINARY, grf=128),
        replace(BINARY, written=frozenset()),
        replace(BINARY, args=()),
    ]
    assert len({b.digest for b in [BINARY, *others]}) == 5
    assert replace(BINARY).digest == BINARY.digest


NO_KERNELS = ["{}", "[]", '"x"', "nothing", '{"spirv": "AA"}', '{"spirv": "====", "version": 1}', '{"spirv": 3}']


@pytest.mark.parametrize("text", NO_KERNELS)
def test_other_text_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 (json's and base64's own messages among them)
        Binary.from_json(text)


def test_another_version_is_refused():
    with pytest.raises(ValueError, match="version 99"):
        Binary.from_manifest({**BINARY.manifest(), "version": 99}, b"")
