"""Look into the compiler, and put something else in its place.

XETILE_DUMP_DIR receives a folder for each kernel that is compiled, `NAME-TARGET-HASH`, in it
    0-xetile.mlir ... 5-lane.mlir      the IR at every level
    kernel.spv  kernel.spvasm          the module, and its text
    manifest.json                      what a launch needs: arguments, workgroup, options (artifact.Binary)
XETILE_OVERRIDE_DIR is looked into for folders of the same names: `kernel.spv` there is used instead of what the compiler makes,
with the `manifest.json` beside it.  HASH stands for types, constants and options, not for the code, so that an override outlives
an edit of the kernel.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xetile import schema
from xetile.errors import BuildError
from xetile.runtime import files, settings
from xetile.runtime.artifact import Binary, misfit
from xetile.runtime.hooks import log

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuModule
    from xetile.runtime.request import Request

Observer = Callable[[str, "GpuModule"], None]
DISASSEMBLER = "xetile.backends.spirv.module.disassemble"  # found by name: nobody imports a backend statically


def folder_name(request: Request) -> str:
    """The name of a kernel's folder."""
    parts = [
        str(request.signature),
        {n: repr(v) for n, v in request.constexprs.items()},
        request.num_subgroups,
        request.index_bits,
        request.fast_math,
    ]
    return f"{request.fn.__name__}-{request.target}-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:10]}"


def wanted(request: Request) -> bool:
    """Whether the kernel is to be compiled, though it may be in the cache, because its levels were not dumped yet."""
    folder = _folder("dump_dir", request)
    return folder is not None and not (folder / "manifest.json").exists()


def observer(request: Request) -> Observer | None:
    """What the compiler shows each level to; None when nothing is dumped."""
    folder = _folder("dump_dir", request)
    if folder is None:
        return None
    from xetile.ir.printer import print_op

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.mlir"):
        old.unlink()
    count = iter(range(100))

    def write(level: str, module: GpuModule) -> None:
        (folder / f"{next(count)}-{level}.mlir").write_text(print_op(module) + "\n", encoding="utf-8")

    return write


def finished(request: Request, binary: Binary) -> None:
    """Write the module and its manifest; the manifest last: it says that the folder is whole."""
    folder = _folder("dump_dir", request)
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernel.spv").write_bytes(binary.spirv)
    disassemble: Callable[[bytes], Any] = importlib.import_module(DISASSEMBLER).disassemble
    (folder / "kernel.spvasm").write_text(str(disassemble(binary.spirv)), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(binary.manifest(), indent=1), encoding="utf-8")
    log.info("%s: every level is in %s", request.fn.__name__, folder)


def overridden(request: Request) -> Binary | None:
    """What XETILE_OVERRIDE_DIR has for the kernel.  Raises BuildError for a folder that cannot be used."""
    folder = _folder("override_dir", request)
    if folder is None or not (folder / "kernel.spv").exists():
        return None
    try:
        manifest = schema.parse_json(files.read(folder / "manifest.json", files.MOST_MANIFEST), "manifest.json")
        binary = Binary.from_manifest(manifest, files.read(folder / "kernel.spv", files.MOST_MODULE))
        if why := misfit(binary, request.signature):
            raise schema.SchemaError(why)
    except (OSError, ValueError) as error:
        raise BuildError(f"the override in {folder} cannot be used: {error}", hint="copy the whole folder of the dump") from error
    log.warning("%s: using %s instead of compiling", request.fn.__name__, folder / "kernel.spv")
    return binary


def _folder(setting: str, request: Request) -> Path | None:
    base = settings.get(setting)
    return None if base is None else Path(base) / folder_name(request)
