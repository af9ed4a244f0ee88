"""The insertion point of the emitter: instructions, types, constants, and values remembered as long as they are in scope."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from xetile.dialects.types import ScalarType

from .encode import Id, Operand
from .module import BasicBlock, Function, Module
from .opcodes import opencl_std

KeyT = TypeVar("KeyT")

# How an element type is carried in registers: ("int" or "float" or "bool", bits).  Drivers have no bf16, f8 or tf32 types
# (facts of SPV_KHR_bfloat16): the bits travel in integers, tf32 in f32.
_CARRIERS: dict[str, tuple[str, int]] = {
    "i1": ("bool", 1), "i8": ("int", 8), "i16": ("int", 16), "i32": ("int", 32), "i64": ("int", 64),
    "f16": ("float", 16), "bf16": ("int", 16), "tf32": ("float", 32), "f32": ("float", 32), "f64": ("float", 64),
    "f8E4M3FN": ("int", 8), "f8E5M2": ("int", 8), "ui32": ("int", 32), "ui64": ("int", 64),
}  # fmt: skip


class _Forms(dict[str, Id]):
    """By name of an element type, as kernels have come to need them, the scalar types that carry these."""

    def __init__(self, code: Code) -> None:
        super().__init__(index=code.index)
        self._code = code

    def __missing__(self, name: str) -> Id:
        kind, bits = _CARRIERS[name]
        code = self._code
        found = self[name] = code.bool if kind == "bool" else code.integer(bits) if kind == "int" else code.real(bits)
        return found


class Code:
    """Where instructions go.

    `chunk`  components of the widest vector in arithmetic.

    `whole`   whether one work-item runs a whole workgroup, on a CPU.

    `block`  the block that instructions are appended to.
    `entry`  the kernel's first block, open until the end: values made there are good everywhere.
    A *form* is the id of a scalar type that a register component has; `form(element)` is that of an element type, `forms` by its name.
    """

    def __init__(self, module: Module, index_bits: int, chunk: int) -> None:
        self.module = module
        self.chunk, self.whole = chunk, False
        self.index_bits = index_bits
        self.type = module.type
        self.bool = module.type.bool
        self.i8, self.i16, self.i32, self.i64 = (module.type.int(width) for width in (8, 16, 32, 64))
        self.f32 = module.type.float(32)
        self.index = self.i64 if index_bits == 64 else self.i32
        self.width: dict[Id, int] = {self.bool: 1, self.i8: 8, self.i16: 16, self.i32: 32, self.i64: 64, self.f32: 32}
        self.forms = _Forms(self)
        self._vectors: dict[tuple[Id, int], Id] = {}
        self._constants: dict[tuple[Id, int, Any], Id] = {}
        self._constant_ids: set[Id] = set()
        self._numbers: dict[int, Id] = {}
        self.hidden_floats: set[Id] = set()
        self.hidden_of: dict[Id, tuple[Id, tuple[str, int]]] = {}
        """What hidden vectors hide, with the kind of zero and its number."""
        self.given_to: dict[tuple[Id, int], Any] = {}
        """What a branch gives vectors to that are hidden by zeros of a number."""
        self.same_as: dict[Id, Id] = {}
        """Of vectors that were made before, in another form or where they are not known any more, the id that they had there."""
        self._memo: dict[Any, Id] = {}
        self._scopes: list[list[tuple[dict[Any, Id], Any]]] = []
        self._forgotten: dict[tuple[int, Any], tuple[dict[Any, Id], Id]] = {}
        self.function: Function
        self.entry: BasicBlock
        self.block: BasicBlock

    def open(self, function: Function) -> None:
        """Start writing the body of a function."""
        self.function = function
        self.entry = function.block("entry")
        self.entry.place()
        self.enter(function.block("body"))

    def enter(self, block: BasicBlock) -> None:
        """Go on in a block: it follows those written so far (SPIR-V 2.16: behind the blocks that dominate it)."""
        block.place()
        self.block = block

    # Types.

    def form(self, element: ScalarType) -> Id:
        """The scalar type that carries an element type."""
        return self.forms[element.name]

    def integer(self, bits: int) -> Id:
        """The integer type of so many bits."""
        return {8: self.i8, 16: self.i16, 32: self.i32, 64: self.i64}[bits]

    def real(self, bits: int) -> Id:
        """The float type of so many bits."""
        found = self.type.float(bits)
        self.width[found] = bits
        return found

    def vector(self, form: Id, count: int) -> Id:
        """A vector of `count` components; the scalar type itself for one."""
        if count == 1:
            return form
        key = (form, count)
        found = self._vectors.get(key)
        if found is None:
            found = self._vectors[key] = self.type.vector(form, count)
        return found

    def components(self, form: Id, kind: Id) -> int:
        """How many components of a form a type has; 0 for one of another form."""
        return 1 if kind == form else next((n for (of, n), found in self._vectors.items() if of == form and found == kind), 0)

    def vector_of(self, kind: Id) -> tuple[Id, int]:
        """The form and the components of a type."""
        return next((key for key, found in self._vectors.items() if found == kind), (kind, 1))

    def is_constant(self, value: Id) -> bool:
        """Whether an id is a constant of `constant`."""
        return value in self._constant_ids

    def pointer(self, storage: str, kind: Id) -> Id:
        """The type of pointers to a type."""
        return self.type.pointer(storage, kind)

    # Instructions.

    def emit(self, name: str, *operands: Operand) -> Id:
        """Append an instruction: the result type first where there is a result."""
        return self.block.emit(name, *operands)

    def ext(self, type_id: Id, name: str, *operands: Id) -> Id:
        """Append an instruction of OpenCL.std."""
        return self.block.emit("OpExtInst", type_id, self.module.opencl_std, opencl_std(name), *operands)

    def constant(self, form: Id, value: Any, count: int = 1) -> Id:
        """A number, or a vector of `count` times that number."""
        key = (form, count, value if value == value and value != 0 else repr(value))  # -0.0, 0 and NaN are told apart
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self.module.constant(self.vector(form, count), value)
            self._constant_ids.add(found)
        return found

    def number(self, value: int) -> Id:
        """A 32-bit integer constant."""
        found = self._numbers.get(value)
        if found is None:
            found = self._numbers[value] = self.constant(self.i32, value)
        return found

    def splat(self, form: Id, value: Id, count: int) -> Id:
        """A vector whose components all are `value`."""
        return value if count == 1 else self.emit("OpCompositeConstruct", self.vector(form, count), *(value,) * count)

    def load_here(self, kind: Id, pointer: Id) -> Id:
        """The value of a variable now."""
        return self.emit("OpLoad", kind, pointer)

    def load_element(self, kind: Id, array: Id, index: int) -> Id:
        """An element of a private array now."""
        pointer = self.emit("OpInBoundsAccessChain", self.pointer("Function", kind), array, self.number(index))
        return self.emit("OpLoad", kind, pointer)

    # Scopes: a value made inside a region is not known outside (SPIR-V 2.16, dominance).

    @contextmanager
    def scope(self) -> Iterator[None]:
        """What is remembered inside is forgotten at the end."""
        self._scopes.append([])
        try:
            yield
        finally:
            for table, key in self._scopes.pop():
                value = table.pop(key, None)
                if value is not None:
                    self._forgotten.setdefault((id(table), key), (table, value))

    def remember(self, table: dict[KeyT, Id], key: KeyT, value: Id) -> Id:
        """Put a value in a table for as long as this scope lasts."""
        table[key] = value
        before = self._forgotten.get((id(table), key))
        if before is not None and before[1] < value:  # what is made once is as old as itself
            self.same_as[value] = before[1]
        if self._scopes:
            self._scopes[-1].append((table, key))
        return value

    def once(self, key: Any, make: Callable[[], Id]) -> Id:
        """The value of `make()`, made at its first use in each scope."""
        found = self._memo.get(key)
        return self.remember(self._memo, key, make()) if found is None else found

    def at_entry(self, key: Any, make: Callable[[], Id]) -> Id:
        """The value of `make()`, made once in the entry block: of the kernel's arguments and built-ins only."""
        found = self._memo.get(key)
        if found is None:
            here, self.block = self.block, self.entry
            try:
                found = self._memo[key] = make()
            finally:
                self.block = here
        return found

    @property
    def lane(self) -> Id:
        """The lane's number in the subgroup, as i32."""
        return self.function.builtin("SubgroupLocalInvocationId")

    def is_entry_value(self, value: Id) -> bool:
        """Whether a value is a parameter of the kernel, and so good in the entry block."""
        return value in self.function.params

    # Integers.

    def add(self, form: Id, a: Id, b: Id) -> Id:
        """a + b."""
        return self.emit("OpIAdd", form, a, b)

    def multiply(self, form: Id, a: Id, factor: int) -> Id:
        """a times a constant."""
        return a if factor == 1 else self.emit("OpIMul", form, a, self.constant(form, factor))

    def resize(self, value: Id, source: Id, target: Id) -> Id:
        """A signed integer in another width."""
        return value if source == target else self.emit("OpSConvert", target, value)

    def join(self, form: Id, parts: Sequence[Id], counts: Sequence[int]) -> Id:
        """One vector of the components of several (vectors or scalars) laid end to end."""
        if len(parts) == 1:
            return parts[0]
        total, half = sum(counts), len(parts) // 2
        kind = self.vector(form, total)
        if min(counts) > 1 and (len(parts) == 2 or (len(set(counts)) == 1 and len(parts) == 2 * half)):
            pair = [self.join(form, parts[:half], counts[:half]), self.join(form, parts[half:], counts[half:])]
            return self.emit("OpVectorShuffle", kind, *pair, *range(total))
        # Intel's CPU runtime miscompiles OpCompositeConstruct of vectors: scalars only.
        scalars = [
            part if count == 1 else self.emit("OpCompositeExtract", form, part, i)
            for part, count in zip(parts, counts, strict=True)
            for i in range(count)
        ]
        return self.emit("OpCompositeConstruct", kind, *scalars)
