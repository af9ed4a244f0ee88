"""What `python -m xetile cache list` shows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from xetile import schema
from xetile.runtime import cache, loading
from xetile.runtime.autotune import outcome


def table() -> str:
    """All kernels and tuning results on disk, the most recently used first, and what everything takes."""
    lines = []
    found = sorted(cache.entries(), key=lambda entry: -entry.used)
    for entry in found:
        if entry.kind in _ABOUT:
            contents = cache.get(entry.kind, entry.key, touch=False)
            said = "damaged" if contents is None else _said(entry.kind, contents)
            used = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.used))
            lines.append(f"{used}  {entry.size:>8}  {entry.key[:12]}  {entry.kind:<8} {said}")
    sizes = {kind: [entry.size for entry in found if entry.kind == kind] for kind in cache.KINDS}
    lines += [f"{kind}: {len(of_kind)} entries, {sum(of_kind) / 2**20:.1f} MiB" for kind, of_kind in sizes.items() if of_kind]
    return "\n".join(lines) or f"{cache.directory()} holds nothing"


def _said(kind: str, contents: bytes) -> str:
    reader, describe = _ABOUT[kind]
    try:
        return describe(reader(schema.parse_json(contents, kind), kind))
    except schema.SchemaError as error:
        return f"damaged: {error}"


def _kernel(document: Mapping[str, Any]) -> str:
    about = document["about"]
    types = ", ".join(f"{name}={value}" for name, value in about["constants"].items())
    return f"{about['kernel']}({about['signature']}) for {about['target']} {types}"


def _tuning(document: Mapping[str, Any]) -> str:
    seconds = document["seconds"]
    return f"{document['status'] if seconds is None else f'{seconds * 1e3:.3f} ms'}  {document['config']}"


_ABOUT = {"kernels": (loading.ENTRY, _kernel), "tuning": (outcome.ENTRY, _tuning)}
