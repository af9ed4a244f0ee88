"""Reading MLIR text: XeGPU modules (LLVM 22's text), and all that xetile prints, into modules of ours.

    module = xetile.mlir.read("gemm.mlir")             # one kernel, verified; every op knows its line
    module = xetile.mlir.parse(text, kernel="gemm")

The generic form is read by this package alone; MLIR's custom forms go through `mlir-opt-22` first, which must be on PATH.
Ops of the dialects arith, math, scf, vector, gpu, memref (shared local memory), xegpu and xetile are read; anything else is an
error that names it, as is text of an older or newer xegpu dialect. Nothing is left out silently, but flags that only permit
something (fastmath, overflow flags).
"""

from __future__ import annotations

import linecache
import os
from typing import TYPE_CHECKING

from xetile.errors import MlirTextError
from xetile.mlir.generic import is_generic, parse_generic
from xetile.mlir.limits import MOST_TEXT, check_text
from xetile.mlir.modules import kernels, to_module
from xetile.mlir.seed_ops import as_unregistered
from xetile.mlir.upstream import refuse_older, refuse_unknown_properties, to_generic

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuModule

__all__ = ["MlirTextError", "parse", "read"]


def read(path: str | os.PathLike[str], *, kernel: str | None = None) -> GpuModule:
    """The kernel of an MLIR file; `kernel` names it where the file has several.

    Raises MlirTextError and VerifyError with file, line, op and reason.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read(MOST_TEXT + 1)
    except (OSError, ValueError) as error:
        raise MlirTextError(f"cannot read {path!s}: {error}") from error
    return parse(text, str(path), kernel=kernel)


def parse(text: str, file: str = "<text>", *, kernel: str | None = None) -> GpuModule:
    """The kernel of an MLIR text; `file` is the name that errors give it.

    Raises MlirTextError and VerifyError with file, line, op and reason.
    """
    check_text(text, file)
    if not os.path.exists(file):
        # Errors quote lines, and values keep their names, as those of files do.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    refuse_older(text, file)
    refuse_unknown_properties(text, file)
    generic = text if is_generic(text) else to_generic(as_unregistered(text, file), file)
    found = [*kernels(parse_generic(generic, file))]
    names = [read_name(function.attributes) for function, _ in found]
    if kernel is None and len(found) != 1:
        raise MlirTextError(f"{file} has {len(found)} kernels{': ' + ', '.join(names) if names else ''}",
                            hint="name the one that is meant" if found else "a kernel is a gpu.func or func.func with a body")  # fmt: skip
    if kernel is not None and kernel not in names:
        raise MlirTextError(f"{file} has no kernel {kernel}", hint=f"kernels: {', '.join(names) or 'none'}")
    function, module = found[names.index(kernel) if kernel is not None else 0]
    return to_module(function, module)


def read_name(attributes: dict[str, str]) -> str:
    """The name of a function."""
    return attributes.get("sym_name", '""').strip('"')
