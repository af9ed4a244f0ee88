"""Reading MLIR text: XeGPU modules (LLVM 22's text), and all that xetile prints, into modules of ours.

    module = xetile.mlir.read("gemm.mlir")             # one kernel, verified; every op knows its line
    module = xetile.mlir.parse(text, kernel="gemm")

The generic form, and what xetile prints, are read by this package alone; MLIR's custom forms, as others write them, go through
`mlir-opt-22` first, which must be on PATH. Where it is, it judges all custom forms.
Ops of the dialects arith, math, scf, vector, gpu, memref (shared local memory), xegpu and xetile are read; anything else is an
error that names it, as is text of an older or newer xegpu dialect. Nothing is left out silently, but flags that only permit
something (fastmath, overflow flags).
"""

from __future__ import annotations

import linecache
import os
from typing import TYPE_CHECKING

from xetile.errors import MlirTextError
from xetile.mlir.functions import Functions
from xetile.mlir.generic import RawOp, is_generic, parse_generic
from xetile.mlir.limits import MOST_TEXT, check_text
from xetile.mlir.modules import to_module
from xetile.mlir.printed import parse_printed
from xetile.mlir.seed_ops import as_unregistered
from xetile.mlir.upstream import find_tool, judged, refuse_older, refuse_unknown_properties

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
        raise MlirTextError(f"cannot read {path!s}: {getattr(error, 'strerror', None) or error}") from error
    return parse(text, str(path), kernel=kernel)


def parse(text: str, file: str = "<text>", *, kernel: str | None = None) -> GpuModule:
    """The kernel of an MLIR text; `file` is the name that errors give it.

    Functions that it calls become part of it; a function that takes or gives vectors, descriptors, matrices or barriers becomes a
    kernel on arrays (see `xetile.mlir.entry`). What else stands in the text is left alone.

    Raises MlirTextError and VerifyError with file, line, op and reason.
    """
    check_text(text, file)
    if not os.path.exists(file):
        # Errors quote lines, and values keep their names, as those of files do.
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    refuse_older(text, file)
    refuse_unknown_properties(text, file)

    def made(ops: list[RawOp]) -> GpuModule:
        functions = Functions.of(ops, file)
        return to_module(functions.kernel(kernel), functions)

    def read_generic(generic: str) -> GpuModule:
        return made(parse_generic(generic, file))

    if is_generic(text):
        return read_generic(text)
    try:
        find_tool()
    except MlirTextError as missing:
        try:
            return made(parse_printed(text, file))
        except MlirTextError:
            raise missing from None  # the text is another's
    return read_generic(judged(as_unregistered(text, file), file, read_generic))
