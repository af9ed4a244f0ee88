"""Values, operations, blocks and regions.

An op class declares its parts (`operand()`, `result()`, `attribute()`, `region()`); this file turns the declarations into
accessors, and knows nothing of tiles or GPUs. Control flow is structured: a region is one block. Values know their uses, which
`Op.set_operands` keeps; passes change modules through `xetile.ir.rewriter` alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count, repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, NamedTuple, TypeAlias, TypeVar

from xetile.errors import Location, VerifyError
from xetile.ir.attributes import UNIT as UNIT
from xetile.ir.attributes import Attribute as Attribute
from xetile.ir.attributes import Type as Type
from xetile.ir.fields import ACCESSORS
from xetile.ir.fields import Field as Field
from xetile.ir.fields import attribute as attribute
from xetile.ir.fields import operand as operand
from xetile.ir.fields import region as region
from xetile.ir.fields import result as result
from xetile.ir.kinds import classes_of, forget

_changes = 0
_orders = 0


def changes() -> int:
    """How often any IR has changed: analyses of then hold as long as it is the same."""
    return _changes


def changes_but_of_order() -> int:
    """The same without changes that put the ops of a block in another order."""
    return _changes - _orders


class Value:
    """A result of an op or an argument of a block. `name` is a hint for the printer.

    `op`: the op that makes it; None for a block argument. `users`: the ops that take it, each with how many of its operands it is, in no
    particular order.
    """

    __slots__ = ("index", "name", "op", "owner", "type", "users")

    def __init__(self, type: Type, owner: Op | Block, index: int, name: str = "") -> None:
        self.users: dict[Op, int] = {}
        self.type = type
        self.owner = owner
        self.op: Op | None = None if owner.__class__ is Block else owner  # type: ignore[assignment]
        self.index = index
        self.name = name

    @property
    def uses(self) -> list[tuple[Op, int]]:
        """The ops that take it, and at which operand, in no particular order of ops."""
        return [(op, i) for op in self.users for i, value in enumerate(op.operands) if value is self]

    def set_type(self, type: Type) -> None:
        """Give it another type."""
        global _changes
        _changes += 1
        self.type = type

    @property
    def has_one_use(self) -> bool:
        """Whether one operand of one op is this value."""
        return list(self.users.values()) == [1]

    def __repr__(self) -> str:
        made = self.owner.opname if isinstance(self.owner, Op) else "argument"
        return f"<%{self.name or self.index} : {self.type} of {made}>"


TypeT = TypeVar("TypeT", bound=Type)
OpT = TypeVar("OpT", bound="Op")
Kinds: TypeAlias = "type[OpT] | tuple[type[OpT], ...]"
"""A class of ops, or several."""


def type_of(value: Value, kind: type[TypeT]) -> TypeT:
    """The type of a value that is known to be of a kind."""
    type = value.type
    assert isinstance(type, kind), f"{value!r} is no {kind.__name__}"
    return type


class Typed(Value, Generic[TypeT]):
    """For type checkers alone: a value whose type an op declares. What runs are plain values."""

    __slots__ = ()

    type: TypeT


def of_kind(ops: Iterable[Op], kind: Kinds[OpT]) -> list[OpT]:
    """The ops of a class, or of one of several."""
    every: Any = list(ops)
    return list(compress(every, map(classes_of(kind).__contains__, map(type, every))))


class _Searched:
    """What ops can be looked for in."""

    __slots__ = ()

    def walk(self) -> Iterator[Op]:
        """The ops, in order."""
        raise NotImplementedError

    def find(self, kind: Kinds[OpT]) -> list[OpT]:
        """Those of a class, or of one of several, in the same order."""
        return of_kind(self.walk(), kind)

    def has(self, kind: Kinds[Op]) -> bool:
        """Whether there is one of these."""
        return not classes_of(kind).isdisjoint(map(type, self.walk()))


_BACK = 64
"""How many ops before the one that was found last a search in a block begins."""


class Block(_Searched):
    """A list of ops with arguments; the last op is the terminator where the parent op asks for one."""

    __slots__ = ("_near", "args", "ops", "parent")

    if TYPE_CHECKING:  # a plain attribute, which is faster to read; the methods below alone change it

        @property
        def ops(self) -> Sequence[Op]:
            """The ops, in order."""

    def __init__(self, arg_types: Sequence[Type] = (), names: Sequence[str] = ()) -> None:
        self.args = [Value(t, self, i, names[i] if i < len(names) else "") for i, t in enumerate(arg_types)]
        self.ops = []  # type: ignore[misc]
        self.parent: Op | None = None
        self._near = 0

    def place_of(self, op: Op) -> int:
        """Where an op stands. Passes ask in the order of the ops, and change what is near: a search begins at what was found last."""
        try:
            self._near = self.ops.index(op, max(0, self._near - _BACK))
        except ValueError:
            self._near = self.ops.index(op)
        return self._near

    def add_arg(self, type: Type, name: str = "") -> Value:
        """Append an argument."""
        global _changes
        _changes += 1
        self.args.append(Value(type, self, len(self.args), name))
        return self.args[-1]

    def append(self, op: Op) -> None:
        """Add an op at the end."""
        global _changes
        _changes += 1
        op.parent = self
        self.ops.append(op)  # type: ignore[attr-defined]

    def insert(self, position: int, ops: Sequence[Op]) -> None:
        """Put ops, which stand nowhere, before the one at a position."""
        global _changes
        _changes += 1
        for op in ops:
            op.parent = self
        self.ops[position:position] = ops  # type: ignore[index]

    def remove(self, op: Op) -> None:
        """Take out one op, which then stands nowhere."""
        global _changes
        _changes += 1
        del self.ops[self.place_of(op)]  # type: ignore[attr-defined]
        op.parent = None

    def keep_args(self, keep: Sequence[int]) -> None:
        """Of the arguments only some: nobody takes the others."""
        global _changes
        _changes += 1
        self.args = [self.args[i] for i in keep]
        for i, arg in enumerate(self.args):
            arg.index = i

    def take(self) -> Sequence[Op]:
        """All ops, which then stand nowhere."""
        global _changes
        _changes += 1
        ops, self.ops = self.ops, []  # type: ignore[misc]
        return ops

    def reorder(self, ops: Sequence[Op]) -> None:
        """Let the same ops stand in another order."""
        global _changes, _orders
        _changes += 1
        _orders += 1
        self.ops = list(ops)  # type: ignore[misc]

    @property
    def terminator(self) -> Op:
        """The last op."""
        return self.ops[-1]

    def walk(self) -> Iterator[Op]:
        """All ops that stand in here now, outer before inner, in order."""
        found: list[Op] = []
        self._collect(found)
        return iter(found)

    def _collect(self, found: list[Op]) -> None:
        ops, start = self.ops, 0
        for op in filter(regions_of, ops):
            end = ops.index(op, start) + 1
            found += ops[start:end]
            start = end
            for block in op.regions:
                block._collect(found)
        found += ops[start:]


Attributes = dict[str, Any]
"""Attributes of an op by name: numbers, strings, tuples of these, and values of `Attribute` classes."""

OPS: dict[str, type[Op]] = {}
"""Every op class that has been declared, by its full name."""


class Op(_Searched):
    """An operation. Make one through `Builder`.

    Class variables: `opname` full MLIR name; `terminator` ends a block; `format` the assembly format (see printer.py); `pure` no
    effect besides its results, so it may be removed, moved or merged; the others say what `ir.interfaces` tells of.
    """

    __slots__ = ("attributes", "loc", "operands", "parent", "regions", "results", "segments")

    operands: Final[tuple[Value, ...]]
    """All operands, one after the other; `set_operands` alone writes it."""

    opname: ClassVar[str] = ""
    pure: ClassVar[bool] = False
    terminator: ClassVar[bool] = False
    reads: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ()
    fetches: ClassVar[tuple[str, ...]] = ()
    accesses: ClassVar[bool] = False
    """Whether it does one of these three."""
    allocates: ClassVar[bool] = False
    acts: ClassVar[bool] = True
    constant_like: ClassVar[bool] = False
    repeats: ClassVar[bool] = False
    format: ClassVar[str] = ""
    operand_fields: ClassVar[tuple[Field, ...]] = ()
    result_fields: ClassVar[tuple[Field, ...]] = ()
    attribute_fields: ClassVar[tuple[Field, ...]] = ()
    region_fields: ClassVar[tuple[Field, ...]] = ()
    only_result: ClassVar[Field | None] = None
    """The result of an op that has one."""
    segmented: ClassVar[bool] = False
    takes: ClassVar[int] = 0
    """How many operands it has; -1 where that depends on the op."""

    def __init_subclass__(cls, name: str = "", **flags: Any) -> None:
        super().__init_subclass__()
        forget()
        for flag, value in flags.items():
            setattr(cls, flag, value)
        cls.accesses = bool(cls.reads or cls.writes or cls.fetches)
        cls.acts = not (cls.pure or cls.terminator or cls.allocates or (cls.reads and not cls.writes))
        if not name:
            return
        cls.opname = name
        fields: dict[str, list[Field]] = {kind: [] for kind in ACCESSORS}
        for key, field in vars(cls).items():
            if isinstance(field, Field):
                field.name = key
                fields[field.kind].append(field)
        for kind, found in fields.items():
            setattr(cls, f"{kind}_fields", tuple(found))
        operands, results = cls.operand_fields, cls.result_fields
        cls.only_result = results[0] if len(results) == 1 and not results[0].variadic else None
        cls.segmented = any(f.optional or f.variadic for f in operands)
        cls.takes = -1 if cls.segmented else len(operands)
        for kind, found in fields.items():
            for i, field in enumerate(found):
                setattr(cls, field.name, ACCESSORS[kind](operands, field, i))
        OPS[name] = cls

    def __init__(self, operands: Sequence[Value], segments: tuple[int, ...] | None, attributes: dict[str, Any],
                 result_types: Sequence[Type], regions: list[Block], loc: Location | None) -> None:  # fmt: skip
        self.operands = tuple(operands)
        for value in operands:
            users = value.users
            users[self] = users[self] + 1 if self in users else 1
        self.segments = segments
        self.attributes = attributes
        self.results = list(map(Value, result_types, repeat(self), count())) if result_types else []
        self.regions = regions
        self.loc = loc
        self.parent: Block | None = None
        for block in regions:
            block.parent = self

    def flow(self) -> Iterator[Variable]:
        """What the regions of an op pass on, to each other and to its results."""
        return iter(())

    def counters(self) -> Iterator[tuple[Value, tuple[Value, ...]]]:
        """Arguments of the regions that count iterations, each with what it begins at and operands whose multiples are added to that."""
        return iter(())

    def control(self) -> tuple[Use, ...]:
        """The operands, of the op or of a terminator in it, that decide which of its regions run, and how often."""
        return ()

    def verify(self) -> None:
        """Raise through `self.fail` where a rule of this op is broken (operand kinds are checked before)."""

    def fail(self, why: str, hint: str | None = None) -> VerifyError:
        """An error about this op, to be raised."""
        return VerifyError(f"{self.opname}: {why}", hint=hint, at=self.loc)

    def set_operands(self, operands: Sequence[Value], segments: tuple[int, ...] | None = None) -> None:
        """Give it other operands; `segments`: how many each declared field has, where that changes."""
        global _changes
        _changes += 1
        self.drop_operands()
        self.operands = tuple(operands)  # type: ignore[misc]
        for value in operands:
            users = value.users
            users[self] = users[self] + 1 if self in users else 1
        if segments is not None:
            self.segments = segments

    def drop_operands(self) -> None:
        """Let an op that stands nowhere take nothing any more."""
        for value in self.operands:
            value.users.pop(self, None)
        self.operands = ()  # type: ignore[misc]

    def set_results(self, results: list[Value]) -> None:
        """Give it other results: fewer of its own, which nobody takes any more, or more."""
        global _changes
        _changes += 1
        self.results = results
        for i, value in enumerate(results):
            value.index = i

    def set_operand(self, position: int, value: Value) -> None:
        """Give it another operand at a position."""
        operands = self.operands
        if operands[position] is not value:
            self.set_operands((*operands[:position], value, *operands[position + 1 :]))

    def operand_range(self, field: int) -> tuple[int, int]:
        """Where the operands of a declared field stand in `operands`."""
        if self.segments is None:
            return field, field + 1
        start = sum(self.segments[:field])
        return start, start + self.segments[field]

    @property
    def result(self) -> Value:
        """The only result."""
        return self.results[0]

    def walk(self) -> Iterator[Op]:
        """This op and all that stand inside it now."""
        return iter(self._walked()[0])

    def find(self, kind: Kinds[OpT]) -> list[OpT]:
        """Those of a class, or of one of several, in the same order."""
        (every, classes), wanted = self._walked(), classes_of(kind)
        return [] if wanted.isdisjoint(classes) else list(compress(every, map(wanted.__contains__, map(type, every))))  # type: ignore[arg-type]

    def has(self, kind: Kinds[Op]) -> bool:
        """Whether there is one of these."""
        return not classes_of(kind).isdisjoint(self._walked()[1])

    def _walked(self) -> tuple[list[Op], set[type[Op]]]:
        """All ops and their classes, until IR changes: most passes ask for what a kernel does not have, and change nothing."""
        if not self.regions:
            return [self], {type(self)}
        known: tuple[int, list[Op], set[type[Op]]] | None = vars(self).get("_walked_at")
        if known is None or known[0] != _changes:
            found: list[Op] = [self]
            for block in self.regions:
                block._collect(found)
            known = vars(self)["_walked_at"] = _changes, found, set(map(type, found))
        return known[1:]

    def discard(self) -> None:
        """Let go of all that an op holds, where nobody needs it any more: its memory is free at once, without a search for cycles."""
        nothing: list[Any] = []
        for op in self.walk():
            op.operands = ()  # type: ignore[misc]
            op.results = nothing
            if op.regions:
                for block in op.regions:
                    block.parent, block.args, block.ops = None, nothing, nothing  # type: ignore[misc]
                op.regions = nothing
                vars(op).clear()  # analyses

    def __repr__(self) -> str:
        return f"<{self.opname} {list(self.operands)!r}>"


regions_of = attrgetter("regions")
Use = tuple[Op, int]


class Variable(NamedTuple):
    """What structured control flow passes on under one name.

    holders: the block arguments and results that are the variable; sources: the operands, as (op, position), that give it its values.
    """

    holders: tuple[Value, ...]
    sources: tuple[Use, ...]

    @property
    def given(self) -> tuple[Value, ...]:
        """The values that the sources give it."""
        return tuple([op.operands[position] for op, position in self.sources])

    @property
    def values(self) -> tuple[Value, ...]:
        """All values that meet in it: those that it is given first, then its holders."""
        return (*self.given, *self.holders)


class Elementwise(Op):
    """An op whose results have each element from the same element of its operands; scalars are one element."""

    __slots__ = ()
