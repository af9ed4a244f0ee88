"""What a kernel does, loop by loop: matrix products, messages with the memory that each touches, arithmetic, barriers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field
from math import prod
from typing import Any

from xetile.dialects import arith, gpu, scf, vector, xegpu
from xetile.dialects.types import MemRefType, ScalarType, VectorType, element_of
from xetile.errors import Location
from xetile.estimate.costs import pipes, registers_of
from xetile.estimate.expressions import UNKNOWN, Expr, Expressions, ceildiv, constant, minus
from xetile.estimate.parts import is_sign
from xetile.estimate.spread import MOVES
from xetile.estimate.storage import storage_of
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.records import dataclass
from xetile.target import Target

# Moves that fill the header of a block message, and those that change its coordinates: IGC keeps the headers of
# loads in loops, those of prefetches and stores it makes again each time.
HEADER, HEADER_UPDATE = 7, 2
# Instructions that make the address of a message to shared local memory, and what a barrier tells the others.
ADDRESS, BARRIER = 1, 3


# Bits of a word, and how many of them the second operand of a product has in each lane.
WORD, OPERAND = 32, 8


@dataclass(frozen=True)
class Message:
    """One message of a subgroup to memory.

    kind         "load", "store", "prefetch" or "atomic"; "slm_load" and "slm_store" for shared local memory.
    array        the kernel's parameter, the first of those that subgroups choose from; "" for shared local memory.
    coordinates  of the block's first element, outermost first, the last in bytes; None where lanes have an address each.
    rows, row_bytes  of the block; bytes: all that it moves.
    """

    kind: str
    array: str
    bytes: int
    coordinates: tuple[Expr, ...] | None = None
    rows: int = 1
    row_bytes: int = 0
    at: Location | None = None


@dataclass(frozen=True)
class Section:
    """A loop, a branch or the whole kernel: what one round of it does in one subgroup, without the sections inside.

    kind      "kernel", "loop" or "branch".
    trips     how often it runs for each time that it is reached; for a branch its condition, 0 or 1.
    symbol    name of the loop's variable in expressions; it begins at `start`.
    products  operations (a multiply-add counts as two) of matrix products, by dtype of the operands.
    dpas      matrix instructions.
    simple, math  vector instructions, one register of results each: arithmetic with the moves that put operands and messages'
                  headers together; functions such as exp2.
    """

    kind: str
    trips: Expr
    symbol: str = ""
    start: Expr = UNKNOWN
    messages: tuple[Message, ...] = ()
    products: tuple[tuple[str, int], ...] = ()
    dpas: int = 0
    simple: float = 0
    math: float = 0
    barriers: int = 0
    inner: tuple[Section, ...] = field(default=(), repr=False)
    at: Location | None = None

    def walk(self) -> Iterator[Section]:
        """This section and all inside it."""
        yield self
        for section in self.inner:
            yield from section.walk()

    @property
    def hot(self) -> Section:
        """The innermost loop with most matrix products, else with most messages; the kernel itself where there is no loop."""
        loops = [s for s in self.walk() if s.kind == "loop" and not any(i.kind == "loop" for i in s.inner)]
        return max(loops, key=lambda s: (s.dpas, len(s.messages)), default=self)

    def count(self, kind: str) -> int:
        """Messages of a kind in one round, branches inside included."""
        own = sum(m.kind == kind for m in self.messages)
        return own + sum(s.count(kind) for s in self.inner if s.kind == "branch")

    def bytes(self, kind: str) -> int:
        """Bytes that these move."""
        own = sum(m.bytes for m in self.messages if m.kind == kind)
        return own + sum(s.bytes(kind) for s in self.inner if s.kind == "branch")

    def lines(self, indent: str = "  ") -> list[str]:
        """As text, a line for each section."""
        kinds = Counter(m.kind for m in self.messages)
        parts = [f"{n} {kind} ({_size(sum(m.bytes for m in self.messages if m.kind == kind))})" for kind, n in kinds.items()]
        parts = [*([f"{self.dpas} dpas"] if self.dpas else []), *parts, f"{self.simple:.0f} vector", f"{self.math:.0f} math"]
        parts += [f"{self.barriers} barriers"] if self.barriers else []
        where = f" at line {self.at.line}" if self.at is not None else ""
        head = {"kernel": "once", "loop": f"{self.trips} times", "branch": f"if {self.trips}"}[self.kind]
        return [f"{indent}{head}{where}: {', '.join(parts)}", *(line for s in self.inner for line in s.lines(indent + "  "))]


def _size(count: int) -> str:
    return f"{count} bytes" if count < 1024 else f"{count / 1024:g} KiB"


def work_of(kernel: gpu.GpuFunc, target: Target) -> Section:
    """The work of a kernel at lane level."""
    return _Counter(kernel, target).section(kernel.body, "kernel", constant(1))


class _Counter:
    def __init__(self, kernel: gpu.GpuFunc, target: Target) -> None:
        self.expressions = Expressions(kernel)
        self.arrays = {a: spec.param for a, spec in kernel.specs.items() if isinstance(a.type, MemRefType)}
        self.lanes = target.subgroup_size
        self.storage = storage_of(kernel, target)
        self.block_bytes, self.operand_bytes = target.slm_block_bytes, target.slm_operand_bytes
        self.register_bits = 8 * max(1, target.grf_bytes)  # CPUs: the compiler's own matter
        self.joined: set[Value] = set()
        self.block_offsets = target.block_offsets
        self.loops = 0

    def section(self, block: Block, kind: str, trips: Expr, **more: Any) -> Section:
        messages: list[Message] = []
        inner: list[Section] = []
        products: Counter[str] = Counter()
        dpas, barriers, simple, slow = 0, 0, 0.0, 0.0
        headers: set[Value] = set()
        for op in block.ops:
            simple += self._moves(op, kind, headers)
            if op.regions:
                inner += self._inside(op)
            elif isinstance(op, xegpu.Dpas):
                dpas += 1
                products[element_of(op.lhs.type).name] += 2 * prod(self._shape(op))
            elif isinstance(op, _BARRIERS):
                barriers += 1
                simple += BARRIER
            elif isinstance(op, (xegpu.LoadMatrix, xegpu.StoreMatrix)):
                found = self.matrix(op)
                messages += found
                simple += ADDRESS * len(found)
            elif type(op) in _MESSAGES:
                messages.append(_MESSAGES[type(op)](self, op))
            else:
                plain, function = _cost(op)
                simple, slow = simple + plain, slow + function
        return Section(kind, trips, messages=tuple(messages), products=tuple(products.items()), dpas=dpas, simple=simple, math=slow,
                       barriers=barriers, inner=tuple(inner), **more)  # fmt: skip

    def _moves(self, op: Op, kind: str, headers: set[Value]) -> float:
        """Instructions that put operands made of several pieces together, and the header of a block message.

        `headers`: descriptors of the loads so far, whose header serves another one where messages have offsets of their own.
        """
        if _is_free(op) or op.regions:
            return 0
        moves = 0.0
        for value in op.operands:
            parts = self.storage.parts.get(value, ())
            if not isinstance(value.type, VectorType) or value in self.joined:
                continue
            if len(parts) > -(-value.type.count // self.storage.components):
                self.joined.add(value)
                # Arithmetic takes registers from anywhere, DPAS and messages only such as lie side by side.
                whole = isinstance(op, Elementwise) and all(bits * self.lanes % self.register_bits == 0 for _, bits in parts)
                moves += 0 if whole else len(parts)
        if isinstance(op, (xegpu.LoadNd, xegpu.StoreNd, xegpu.PrefetchNd)):
            kept = kind == "loop" and isinstance(op, xegpu.LoadNd)
            if not (kept and self.block_offsets and op.desc in headers):
                moves += HEADER_UPDATE if kept else HEADER
            if kept:
                headers.add(op.desc)
        return moves

    def _shape(self, op: xegpu.Dpas) -> tuple[int, int, int]:
        """(m, n, k): a lane holds a column of the result, and its share of each operand."""
        m = op.result.type.count
        return m, self.lanes, op.lhs.type.count * self.lanes // m

    def _inside(self, op: Op) -> Iterator[Section]:
        if isinstance(op, scf.For):
            symbol = f"loop {self.loops}"
            self.loops += 1
            self.expressions.known[op.body.args[0]] = Expr(symbol)
            lower, upper, step = map(self.expressions.of, op.operands[:3])
            trips = Expr("max", (constant(0), ceildiv(minus(upper, lower), step)))
            yield self.section(op.body, "loop", trips, symbol=symbol, start=lower, at=op.loc)
        elif isinstance(op, scf.If):
            condition = self.expressions.of(op.condition)
            yield self.section(op.then, "branch", condition, at=op.loc)
            if any(not o.terminator for o in op.otherwise.ops):
                yield self.section(op.otherwise, "branch", Expr("not", (condition,)), at=op.loc)
        else:  # how often a while loop runs only the run knows
            for region in op.regions:
                yield self.section(region, "loop", UNKNOWN, at=op.loc)

    def block(self, kind: str, op: Any) -> Message:
        """A block message through a tensor descriptor."""
        desc = op.desc.type
        made = op.desc.op
        while isinstance(made, xegpu.UpdateNdOffset):
            made = made.desc.op
        element = desc.element.bits // 8
        width = desc.shape[-1] * desc.array_length * element
        rows = prod(desc.shape[:-1])
        if not isinstance(made, xegpu.CreateNdTdesc) or made is not op.desc.op:
            return Message(kind, self._array(made), rows * width, None, rows, width, op.loc)
        if _is_outside(op, made):
            return Message(kind, self._array(made), 0, None, 1, 0, op.loc)
        size = rows * width
        own = [self.expressions.of(v) for v in op.offsets]
        base = [self.expressions.of(v) for v in made.offsets]
        padded = [constant(0)] * max(0, len(base) - len(own)) + own
        if base:
            padded = [*padded[: len(padded) - len(base)], *[Expr("add", pair) for pair in zip(base, padded[-len(base) :])]]
        place = (*padded[:-1], Expr("mul", (padded[-1], constant(element))))
        return Message(kind, self._array(made), size, place, rows, width, op.loc)

    def scattered(self, kind: str, op: Any, source: Value, value: Value | None) -> Message:
        """A message with an address for each lane."""
        kind_of = value.type if value is not None else None
        count = kind_of.count if isinstance(kind_of, VectorType) else 1
        bits = element_of(kind_of).bits if kind_of is not None else 8 * 64
        space, root = self._root(source)
        lanes = self.lanes if kind_of is not None else 1
        name = f"slm_{kind}" if space == 3 and kind in ("load", "store") else kind
        return Message(name, root, count * max(8, bits) // 8 * lanes, at=op.loc)

    def matrix(self, op: Any) -> list[Message]:
        """Messages to shared local memory: a block takes as many as it needs."""
        kind, value = ("load", op.value) if isinstance(op, xegpu.LoadMatrix) else ("store", op.data)
        count = value.type.count if isinstance(value.type, VectorType) else 1
        size = count * max(8, element_of(value.type).bits) // 8 * self.lanes
        most = self.operand_bytes if count % OPERAND == 0 and element_of(value.type).bits == WORD else self.block_bytes
        parts = 1 if op.subgroup_block_io is None else max(1, size // most)
        return [Message(f"slm_{kind}", "", size // parts, at=op.loc)] * parts

    def _array(self, made: Op | None) -> str:
        return self._root(made.results[0])[1] if made is not None else ""

    def _root(self, value: Value) -> tuple[int, str]:
        """The memory space and the parameter behind a memref, an address or a descriptor."""
        while value not in self.arrays and value.op is not None and value.op.operands:
            value = value.op.operands[isinstance(value.op, arith.Select)]
        space = value.type.space if isinstance(value.type, MemRefType) else 0
        return space, self.arrays.get(value, "")


def _is_outside(op: Any, made: xegpu.CreateNdTdesc) -> bool:
    """Whether a block of several rows is of memory that has one, which lies in the block of one subgroup of all: where an array ends."""
    rows = arith.constant_of(made.shape[-2]) if len(made.shape) > 1 else None
    return rows == 1 < op.desc.type.shape[0] and arith.constant_of(op.offsets[-2]) is None


_FREE = (*MOVES, vector.Bitcast, xegpu.CreateNdTdesc, xegpu.CreateMemDesc, gpu.BlockId, gpu.GridDim, gpu.SubgroupId)
_BARRIERS = (gpu.Barrier, gpu.BarrierWait, xegpu.NbarrierWait)


def _is_free(op: Op) -> bool:
    """Whether an op is no instruction, or a part of others."""
    return op.terminator or op.constant_like or isinstance(op, _FREE) or is_sign(op)


def instructions_of(op: Op) -> float:
    """Vector instructions for one register of an elementwise op's result."""
    return 0 if _is_free(op) else sum(pipes(op))


def _cost(op: Op) -> tuple[float, float]:
    if _is_free(op) or not op.results:
        return 0, 0
    kind = op.results[0].type
    if not isinstance(kind, (VectorType, ScalarType)):
        return 1, 0
    (plain, function), registers = pipes(op), registers_of(op)
    return plain * registers, function * registers


_MESSAGES: dict[type[Op], Callable[[_Counter, Any], Message]] = {
    xegpu.LoadNd: lambda c, op: c.block("load", op),
    xegpu.StoreNd: lambda c, op: c.block("store", op),
    xegpu.PrefetchNd: lambda c, op: c.block("prefetch", op),
    xegpu.Load: lambda c, op: c.scattered("load", op, op.source, op.value),
    xegpu.Store: lambda c, op: c.scattered("store", op, op.dest, op.value),
    xegpu.Prefetch: lambda c, op: c.scattered("prefetch", op, op.source, None),
    xegpu.AtomicRmw: lambda c, op: c.scattered("atomic", op, op.desc, op.value),
}

__all__ = ["Message", "Section", "instructions_of", "work_of"]
