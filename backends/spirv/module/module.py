"""A SPIR-V module under construction.

    m = Module()
    f32, i32 = m.type.float(32), m.type.int(32)
    fn = m.kernel("scale", [m.type.pointer("CrossWorkgroup", f32), f32], subgroup_size=16, local_size=(16, 1, 1))
    data, factor = fn.params
    b = fn.block()
    p = b.emit("OpInBoundsPtrAccessChain", m.type_of(data), data, fn.builtin("SubgroupLocalInvocationId"))
    x = b.load(f32, p)
    b.store(p, b.emit("OpFMul", f32, x, factor))
    b.ret()
    spirv = m.finish()

Ids are `Id`, literals plain integers and strings, enumerants their names ("Aligned", "A|B" for masks), in the order of the
specification.  Types and constants are cached; capabilities and extensions follow from what is used (grammar.py).  Wrong operands
raise SpirvError where they are written.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from .encode import Id, Operand
from .errors import SpirvError
from .function import BasicBlock, Function, Phi
from .opcodes import ENUMERATIONS, opcode, string_words
from .sections import MAX_VERSION, Sections

__all__ = ["BasicBlock", "Function", "Id", "Module", "Phi"]

MAGIC = 0x07230203


class Module(Sections):
    """Collects the sections of a module in any order; `finish` puts them in the order of SPIR-V 2.4."""

    def __init__(self, version: tuple[int, int] = MAX_VERSION, debug_names: bool = True) -> None:
        """`version`: SPIR-V version, at most 1.4.  `debug_names`: whether `name` writes OpName."""
        super().__init__(version, debug_names)
        self.functions: list[Function] = []

    # functions

    def kernel(
        self,
        name: str,
        params: Sequence[Id],
        *,
        subgroup_size: int,
        local_size: Sequence[int] = (),
        param_names: Sequence[str] = (),
        contract: bool = False,
    ) -> Function:
        """A kernel: `params` are type ids; `local_size` is the required workgroup size (x, y, z) in work-items, if given.

        Without `contract` products and sums keep a rounding each: drivers join them where nothing forbids it.

        SubgroupSize is set unless it is 0, for a kernel that asks for no subgroups: without it a
        16-lane device may compile an 8-lane matrix instruction silently.
        """
        fn = self.function(name, self.type.void, params, param_names=param_names)
        fn.entry_name = name
        if subgroup_size:
            self.execution_mode(fn, "SubgroupSize", subgroup_size)
        if not contract:
            self.execution_mode(fn, "ContractionOff")
        if local_size:
            self.execution_mode(fn, "LocalSize", *local_size)
        return fn

    def function(
        self, name: str, result: Id, params: Sequence[Id], *, linkage: str = "", param_names: Sequence[str] = ()
    ) -> Function:
        """A function with a body; `linkage` is "" or "Export"."""
        fn = Function(self, name, result, params, param_names)
        self.functions.append(fn)
        if linkage:
            self.decorate(fn.id, "LinkageAttributes", name, linkage)
        return fn

    def import_function(self, name: str, result: Id, params: Sequence[Id]) -> Id:
        """A function defined in another module that is linked to this one; cached by name."""
        if name not in self._imports:
            fn = Function(self, name, result, params, ())
            self.decorate(fn.id, "LinkageAttributes", name, "Import")
            self._imports[name] = fn.id
            self._import_words += fn.words()
        return self._imports[name]

    def execution_mode(self, fn: Function, mode: str, *operands: Operand) -> None:
        self.encode(self._modes, "OpExecutionMode", (fn.id, mode, *operands))

    # the end

    def finish(self) -> bytes:
        """The module as bytes, little-endian.  Raises SpirvError when a block lacks its end."""
        functions: list[int] = list(self._import_words)
        for fn in self.functions:
            if not fn.blocks:
                raise SpirvError(f"function {fn.name} has no end, nor anything before it", hint="write its blocks")
            functions += fn.words()
        head: list[int] = []
        model = ("Physical64", "OpenCL")
        self.encode(head, "OpMemoryModel", model)
        for fn in self.functions:
            if fn.entry_name:
                self.encode(head, "OpEntryPoint", ("Kernel", fn.id, fn.entry_name, *fn.interface()))
        capabilities: list[int] = []
        for value in sorted(ENUMERATIONS["Capability"][name].value for name in self.capabilities):
            capabilities += (opcode("OpCapability").number | 2 << 16, value)
        extensions: list[int] = []
        for extension in sorted(self.extensions):
            text = string_words(extension)
            extensions += (opcode("OpExtension").number | (1 + len(text)) << 16, *text)
        header = [MAGIC, self.version[0] << 16 | self.version[1] << 8, 0, self._bound, 0]
        words = array(
            "I",
            header
            + capabilities
            + extensions
            + self._ext_imports
            + head
            + self._modes
            + self._strings
            + self._names
            + self._processed
            + self._decorations
            + self._globals
            + functions,
        )
        if array("H", [1]).tobytes() != b"\1\0":
            words.byteswap()
        return words.tobytes()
