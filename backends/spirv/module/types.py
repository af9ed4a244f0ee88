"""The types of a module: one id per type, and what each id stands for."""

from __future__ import annotations

from collections.abc import Callable

from xetile.records import dataclass

from .encode import Id, Operand
from .errors import SpirvError

Number = int  # the methods `int` and `bool` of Types shadow the builtins in its annotations


NO_ID = Id(0)


@dataclass(frozen=True, slots=True)
class Type:
    """What a type id stands for.

    `kind` is void, bool, int, float, vector, matrix, array, struct, pointer or function.  `width` is in bits (int, float), `count` in
    components, `element` the component, element or pointee type, `members` the types of a struct, or result and parameters of a
    function, `storage` the storage class of a pointer.
    """

    kind: str
    width: int = 0
    count: int = 0
    element: Id = NO_ID
    members: tuple[Id, ...] = ()
    storage: str = ""


_INT_CAPABILITIES = {8: "Int8", 16: "Int16", 32: "", 64: "Int64"}
_FLOAT_CAPABILITIES = {16: "Float16", 32: "", 64: "Float64"}
# OpenCL environment specification, 2.2: vectors have 2, 3, 4, 8 or 16 components; the last two need Vector16.
_VECTOR_COUNTS = {2: "", 3: "", 4: "", 8: "Vector16", 16: "Vector16"}


class Types:
    """Makes types.  SPIR-V 2.8: two identical OpType instructions are invalid, so ids are cached."""

    def __init__(self, declare: Callable[..., Id], require: Callable[[str], None], length: Callable[[int], Id]) -> None:
        self._declare = declare
        self._require = require
        self._length = length
        self._ids: dict[Type, Id] = {}
        self._known: dict[tuple[str, Number], Id] = {}  # numbers and pointers, which are asked for most
        self._types: dict[Id, Type] = {}

    def __getitem__(self, type_id: Id) -> Type:
        """What `type_id` stands for; raises SpirvError if it is not a type of this module."""
        if type_id not in self._types:
            raise SpirvError(f"{type_id!r} is not a type of this module")
        return self._types[type_id]

    def __contains__(self, type_id: Id) -> bool:
        return type_id in self._types

    def _get(self, key: Type, capability: str, name: str, *operands: Operand) -> Id:
        found = self._ids.get(key)
        if found is None:
            if capability:
                self._require(capability)
            found = self._ids[key] = self._declare(name, *operands)
            self._types[found] = key
        return found

    def _keep(self, known: tuple[str, Number], type_id: Id) -> Id:
        self._known[known] = type_id
        return type_id

    def _number(self, kind: str, name: str, width: Number, capabilities: dict[Number, str], *sign: Number) -> Id:
        if width not in capabilities:
            raise SpirvError(f"no {name} type has {width} bits")
        made = self._get(Type(kind, width), capabilities[width], f"OpType{kind.title()}", width, *sign)
        return self._keep((kind, width), made)

    @property
    def void(self) -> Id:
        return self._get(Type("void"), "", "OpTypeVoid")

    @property
    def bool(self) -> Id:
        return self._get(Type("bool"), "", "OpTypeBool")

    def int(self, width: Number) -> Id:
        """A signless integer of 8, 16, 32 or 64 bits (OpenCL kernels have signedness 0 throughout)."""
        return self._known.get(("int", width)) or self._number("int", "integer", width, _INT_CAPABILITIES, 0)

    def float(self, width: Number) -> Id:
        """A float of 16, 32 or 64 bits.  bfloat16 is carried as int(16): drivers take no bf16 type (SPV_KHR_bfloat16)."""
        return self._known.get(("float", width)) or self._number("float", "float", width, _FLOAT_CAPABILITIES)

    def vector(self, element: Id, count: Number) -> Id:
        """A vector of 2, 3, 4, 8 or 16 numbers."""
        if count not in _VECTOR_COUNTS:
            raise SpirvError(f"no vector type has {count} components", hint="use 2, 3, 4, 8 or 16, or an array of vectors")
        return self._get(Type("vector", count=count, element=element), _VECTOR_COUNTS[count], "OpTypeVector", element, count)

    def array(self, element: Id, count: Number) -> Id:
        key = Type("array", count=count, element=element)
        return self._ids.get(key) or self._get(key, "", "OpTypeArray", element, self._length(count))

    def struct(self, *members: Id) -> Id:
        return self._get(Type("struct", members=members), "", "OpTypeStruct", *members)

    def matrix(self, component: Id, scope: Id, rows: Id, columns: Id, use: Id) -> Id:
        """A cooperative matrix (SPV_KHR_cooperative_matrix); all but the component are constants."""
        key = Type("matrix", element=component, members=(scope, rows, columns, use))
        return self._get(key, "CooperativeMatrixKHR", "OpTypeCooperativeMatrixKHR", component, scope, rows, columns, use)

    def pointer(self, storage: str, element: Id) -> Id:
        """A pointer into `storage`: Function, Workgroup, CrossWorkgroup, UniformConstant, Input or Generic."""
        known = (storage, element)
        return self._known.get(known) or self._keep(
            known, self._get(Type("pointer", element=element, storage=storage), "", "OpTypePointer", storage, element)
        )

    def function(self, result: Id, *parameters: Id) -> Id:
        return self._get(Type("function", members=(result, *parameters)), "", "OpTypeFunction", result, *parameters)
