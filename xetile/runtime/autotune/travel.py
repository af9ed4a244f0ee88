"""Tuning results as a file, which another machine with the same device and driver reads: what it holds is not measured again there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xetile import schema
from xetile.errors import ArgumentError
from xetile.runtime import cache, files
from xetile.runtime.autotune.outcome import ENTRY, named

if TYPE_CHECKING:
    from xetile.runtime.autotune.candidates import Tuned

FORMAT = "xetile tuning 1"
MOST_BYTES, MOST_ENTRIES = 64 << 20, 100_000

_RESULT: schema.Reader[dict[str, Any]] = schema.record(dict, key=schema.DIGEST, entry=ENTRY)
_DOCUMENT: schema.Reader[dict[str, Any]] = schema.record(
    dict, format=schema.one_of(FORMAT), kernel=schema.WORDS, results=schema.many(_RESULT, MOST_ENTRIES)
)


def export(tuned: Tuned, path: str | os.PathLike[str]) -> int:
    """Write what is on disk about a kernel's configurations. Returns how many results; raises ArgumentError where there is none."""
    results = []
    for entry in sorted(cache.entries(("tuning",)), key=lambda entry: entry.key):
        found = _read(entry.key)
        if found is not None and found["about"][:1] == (named(tuned),):
            results.append({"key": entry.key, "entry": found})
    if not results:
        why = (
            "call it first, or best_config, on a device that measures (numpy does not)"
            if cache.enabled()
            else "the cache is off: XETILE_CACHE=1"
        )
        raise ArgumentError(f"nothing is known yet about the configurations of {tuned.head.name}", hint=why)
    document = {"format": FORMAT, "kernel": named(tuned), "results": results}
    try:
        Path(path).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise files.unwritable(Path(path), error) from error
    return len(results)


def load(tuned: Tuned, path: str | os.PathLike[str]) -> int:
    """Keep the results of a file that `export` wrote. Returns how many; raises ArgumentError for a file that holds something else."""
    try:
        document = _DOCUMENT(schema.parse_json(files.read(Path(path), MOST_BYTES), "the file"), "the file")
    except (OSError, schema.SchemaError) as error:
        why = getattr(error, "strerror", None) or error
        raise ArgumentError(f"{os.fspath(path)!r} holds no tuning results: {why}", hint="kernel.export_tuning(path) writes them"
                            ) from error  # fmt: skip
    if document["kernel"] != named(tuned):
        raise ArgumentError(f"{os.fspath(path)!r} holds results of {document['kernel']}, not of {named(tuned)}")
    if not cache.enabled():
        raise ArgumentError("tuning results are kept in the cache, which is off", hint="XETILE_CACHE=1")
    for result in document["results"]:
        cache.put("tuning", result["key"], json.dumps(result["entry"]).encode())
    return len(document["results"])


def _read(key: str) -> dict[str, Any] | None:
    contents = cache.get("tuning", key, touch=False)
    try:
        return None if contents is None else ENTRY(schema.parse_json(contents, "the entry"), "the entry")
    except schema.SchemaError:
        return None
