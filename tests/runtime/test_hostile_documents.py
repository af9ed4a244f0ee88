"""Whatever a file holds: an error of ours or a miss; nothing in it is run, nothing escapes raw."""

import contextlib
import json
import random
import warnings
from pathlib import Path

import pytest
from xetile.backends.opencl import arguments

import xetile as xt
from tests.runtime import hostile
from tests.runtime.sample import matmul, scale
from xetile.cli import cache_table
from xetile.errors import ArgumentError, BuildError
from xetile.runtime import aot, cache, dump, loading, settings
from xetile.runtime.artifact import Binary, written_parameters
from xetile.runtime.autotune import outcome

TYPES = ("f16[?,?]", "f16[?,?]", "f32[?,?]")
EACH = [pytest.param(2, id="few"), pytest.param(200, id="many", marks=pytest.mark.slow)]


@pytest.fixture(autouse=True)
def _nothing_is_run(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    yield
    assert not list(Path().iterdir())


@pytest.fixture(scope="module")
def compiled():
    with settings.override(cache=False):
        made = matmul.compile(*TYPES, BM=16)
        assert made.binary.ranges.steps
    return made


@pytest.fixture
def saved(tmp_path, compiled):
    compiled.save(tmp_path / "matmul")
    return tmp_path / "matmul"


def generated(binary: Binary) -> arguments.ArgumentCode:
    return arguments.generate(binary.args, binary.parameters, written_parameters(binary), binary.local_size)


def test_an_axis_that_is_code_is_refused_and_not_run(saved):
    document = json.loads(saved.with_suffix(".json").read_text())
    document["kernel"]["args"][1]["axis"] = hostile.CODE
    document["digest"] = aot._digest(document)
    saved.with_suffix(".json").write_text(json.dumps(document))
    with pytest.raises(ArgumentError, match=r"kernel.args\[1\].axis is .*, not a whole number from 0 to 63"):
        xt.load(saved)


@pytest.mark.parametrize("each", EACH)
@pytest.mark.parametrize("sealed", [False, True], ids=["damaged", "with a digest that fits"])
def test_any_change_of_a_manifest_is_an_error_of_ours_or_harmless(saved, each, sealed):
    manifest = saved.with_suffix(".json")
    original = json.loads(manifest.read_text())
    for path, document in hostile.mutations(original, each):
        if sealed and isinstance(document, dict):
            document["digest"] = aot._digest(document)
        same = json.dumps(document) == json.dumps(original)
        manifest.write_text(json.dumps(document))
        with contextlib.suppress(ArgumentError):
            kernel = xt.load(saved)
            assert sealed or same, path
            generated(kernel.binary)


@pytest.mark.parametrize("each", EACH)
def test_any_change_of_a_cached_kernel_is_a_miss_or_harmless(compiled, each):
    request = compiled.request
    original = json.loads(loading._document(request, compiled.binary))
    binary = json.loads(original["binary"])
    for document in [
        *(document for _, document in hostile.mutations({**original, "binary": ""}, 5 * each)),
        *({**original, "binary": json.dumps(inner)} for _, inner in hostile.mutations(binary, each)),
    ]:
        cache.put("kernels", "ab" * 32, json.dumps(document).encode())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cache.CacheWarning)
            found = loading._from_disk("ab" * 32, request)
        if found is not None:
            assert set(found.parameters) <= set(request.signature)
            generated(found)


@pytest.mark.filterwarnings("ignore::xetile.runtime.cache.CacheWarning")
@pytest.mark.parametrize("each", EACH)
def test_any_change_of_a_tuning_result_is_a_miss_or_harmless(each):
    store = object.__new__(outcome.Store)
    store._name, store._parts, store._choice = "tuned", ["any", "thing"], None
    config = xt.Config(BM=16)
    store.put(outcome.Outcome(config, "ok", 0.5, 0.25, 0.75, "why"))
    assert store.get(config) == outcome.Outcome(config, "ok", 0.5, 0.25, 0.75, "why", known=True)
    original = json.loads(cache.get("tuning", store._key(config)))
    for _, document in hostile.mutations(original, 20 * each):
        cache.put("tuning", store._key(config), json.dumps(document).encode())
        assert "tuning" in cache_table.table()
        found = store.get(config)
        if found is not None:
            outcome.table([found])


@pytest.mark.filterwarnings("ignore::xetile.runtime.cache.CacheWarning")
@pytest.mark.parametrize("contents", [b"", b"\xff" * 64, b"[" * 100_000, b"9" * 10_000, b"{}", b"\0"])
@pytest.mark.parametrize("kind", ["kernels", "tuning"])
def test_contents_that_are_no_document(compiled, kind, contents):
    key = "cd" * 32
    cache.put(kind, key, contents)
    assert "damaged" in cache_table.table()
    if kind == "kernels":
        assert loading._from_disk(key, compiled.request) is None
        assert cache.get(kind, key) is None


def test_an_entry_for_another_signature_is_a_miss(compiled):
    other = scale.compile("f32[?,?]", "f32[?,?]", "f32")
    cache.put("kernels", "ab" * 32, loading._document(compiled.request, other.binary))
    with pytest.warns(cache.CacheWarning, match="cannot be used: it takes"):
        assert loading._from_disk("ab" * 32, compiled.request) is None


@pytest.mark.parametrize("each", [1])
def test_any_change_of_an_overriding_manifest_is_an_error_of_ours_or_harmless(tmp_path, compiled, each):
    request = compiled.request
    folder = tmp_path / dump.folder_name(request)
    folder.mkdir()
    (folder / "kernel.spv").write_bytes(compiled.spirv)
    for _, document in hostile.mutations(compiled.binary.manifest(), each, seed=1):
        (folder / "manifest.json").write_text(json.dumps(document))
        with settings.override(override_dir=tmp_path), contextlib.suppress(BuildError):
            generated(dump.overridden(request))


def test_real_documents_are_read(compiled):
    """Of kernels with scalars, index numbers and checks; the same as what was written."""
    chance = random.Random(0)
    for made in (compiled, scale.compile("f32[?,?]", "f32[?,?]", "f32"), scale.compile("f16[64,64]", "f16[64,64]", "i64")):
        cache.put("kernels", key := f"{chance.randrange(1 << 60):064x}", loading._document(made.request, made.binary))
        assert loading._from_disk(key, made.request) == made.binary
