"""Random expressions of elements over all dtypes: numpy arithmetic, the numpy device, every level and the CPU give the same bits.

    python -m tests.generators.expressions --cases 100000 --jobs 64

A case is one kernel with several expressions: building it costs more than running it. Of a NaN only that it is one is compared; functions
such as `exp`, whose last bits are open, are the last in an expression but for what keeps their error (`close.py`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np

import xetile as xt
from tests.generators.close import CLOSE, bound, drawn_close, is_near
from tests.generators.expression_ops import FLOATS, INTEGERS, KINDS, NUMBERS, OPERATIONS, Operation, dtype, is_float, to
from tests.generators.runner import main
from tests.parity.run import request, run_levels
from xetile.dtypes import DTYPES
from xetile.runtime.settings import override
from xetile.runtime.specialize import PerformanceWarning
from xetile.target import get_target

SHAPE = (4, 64)
PLANES = 3  # inputs of each dtype
EXPRESSIONS = 16
EMULATED = 0.15
FUNCTIONS = 0.3  # of expressions of floats
TARGETS = ("pvc", "pvc", "bmg")
Node = tuple[Any, ...]
"""(a leaf of PARTS, dtype, plane), ("full", dtype, number), ("number", dtype, number) for a Python number, ("to", dtype, node),
("bits", dtype, node), or (operation, dtype, *nodes)."""
PARTS = {"in": (SHAPE[0], SHAPE[1]), "column": (SHAPE[0], 1), "row": (1, SHAPE[1]), "one": (1, 1)}
"""What of a plane is taken, and spread over the rest: lanes have a column or one element alike, which drivers compute in other ways."""


@xt.jit
def kernel(B, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, PB, P8, P16, P32, P64, Q8, Q16, Q32, Q64, R16, RB16, R32, R64,
           PROGRAM: xt.constexpr):  # fmt: skip
    """For each dtype, P[i, M, N] = its i-th expression of the planes of B to F64."""
    carry_out(PROGRAM, (B, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64),
              (PB, P8, P16, P32, P64, Q8, Q16, Q32, Q64, R16, RB16, R32, R64))  # fmt: skip


NAMES = ("B", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "F16", "BF16", "F32", "F64")
RESULTS = ("PB", "P8", "P16", "P32", "P64", "Q8", "Q16", "Q32", "Q64", "R16", "RB16", "R32", "R64")


def carry_out(program: tuple[Node, ...], sources: Any, results: Any) -> None:
    """Store each expression in the array of its dtype."""
    made: dict[Node, Any] = {}
    count = dict.fromkeys(KINDS, 0)
    for node in program:
        kind = node[1]
        value = xt.tile_broadcast(emitted(node, sources, made), SHAPE)
        xt.store_tile(value, xt.init_tile(results[KINDS.index(kind)][count[kind]], (0, 0), SHAPE))
        count[kind] += 1


def emitted(node: Node, sources: Any, made: dict[Node, Any]) -> Any:
    key = (node, str(node))  # 0.0 and -0.0 are equal to Python
    if key not in made:
        made[key] = _emitted(node, sources, made)
    return made[key]


def _emitted(node: Node, sources: Any, made: dict[Node, Any]) -> Any:
    what, kind, *rest = node
    if what == "one":
        return xt.full((1, 1), sources[KINDS.index(kind)][rest[0], 0, 0], dtype(kind))
    if what in PARTS:
        return xt.load_tile(xt.init_tile(sources[KINDS.index(kind)][rest[0]], (0, 0), PARTS[what]))
    if what == "full":
        return xt.full(SHAPE, rest[0], dtype(kind))
    if what == "number":
        return rest[0]
    operands = [emitted(child, sources, made) for child in rest]
    if what == "to":
        return operands[0].to(dtype(kind))
    if what == "bits":
        return operands[0].bitcast(dtype(kind))
    return (OPERATIONS | CLOSE)[what].emit(*operands)


def computed(node: Node, inputs: dict[str, Any]) -> Any:
    """What numpy makes of it."""
    what, kind, *rest = node
    if what in PARTS:
        rows, columns = PARTS[what]
        return np.broadcast_to(inputs[kind][rest[0], :rows, :columns], SHAPE).copy()
    if what in ("full", "number"):
        return np.full(SHAPE, rest[0], np.float64 if is_float(kind) else None).astype(dtype(kind).numpy)
    operands = [computed(child, inputs) for child in rest]
    if what == "to":
        return to(operands[0], kind)
    if what == "bits":
        return operands[0].view(dtype(kind).numpy)
    return (OPERATIONS | CLOSE)[what].numpy(*operands)


# Drawing.


def numbers(random: Random, kind: str) -> Any:
    """A number of a dtype: one in two is special."""
    special = random.random() < 0.6
    if kind == "bool":
        return random.random() < 0.5
    if is_float(kind):
        number = (
            random.choice(_special_floats(kind)) if special else random.uniform(-8, 8) * 10.0 ** random.choice((0, 0, 0, -3, 3))
        )
        with np.errstate(all="ignore"):
            return float(np.asarray(number).astype(dtype(kind).numpy))
    limits = np.iinfo(dtype(kind).numpy)
    width = dtype(kind).bits
    if special:
        edges = (0, 0, 1, 1, 2, 3, 7, width - 1, width, limits.max, limits.max - 1, limits.min, limits.min + 1, limits.max // 2)
        number = random.choice((*edges, *((-1, -1, -2, -7) if limits.min else ())))
        return int(number)
    return random.randint(limits.min, limits.max) if random.random() < 0.5 else random.randint(-20 if limits.min else 0, 40)


def _related(random: Random, planes: Any) -> Any:
    """Planes whose numbers are, here and there, those of the first, or their negations: sums and differences that are 0, or wrap to it."""
    rng = np.random.default_rng(random.randrange(2**32))
    for other in planes[1:]:
        which = rng.integers(0, 8, other.shape)
        np.copyto(other, planes[0], where=which == 0)
        if other.dtype != np.bool_:
            np.copyto(other, -planes[0], where=which == 1)
    return planes


def _special_floats(kind: str) -> tuple[float, ...]:
    import ml_dtypes

    limits = ml_dtypes.finfo(dtype(kind).numpy)
    largest, smallest, tiny = float(limits.max), float(limits.tiny), float(limits.smallest_subnormal)
    return (0.0, -0.0, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5, 3.0, float("inf"), -float("inf"), float("nan"), largest, -largest,
            smallest, -smallest, tiny, -tiny, smallest * 0.75, 255.0, 32768.0, -129.0, 2147483648.0, 4294967296.0,
            9223372036854775808.0, 448.0, 57344.0)  # fmt: skip


def drawn(random: Random, kind: str, depth: int) -> Node:
    """An expression of a dtype."""
    if depth == 0 or random.random() < 0.08:
        return ("full", kind, numbers(random, kind)) if random.random() < 0.2 else ("in", kind, random.randrange(PLANES))
    if random.random() < 0.18:
        return _converted(random, kind, depth)
    if kind != "bool" and random.random() < 0.08:
        return _chosen(random, kind, depth)
    if kind in INTEGERS and random.random() < 0.08:
        return _idiom(random, kind, depth)
    op = random.choice(_BY_RESULT[kind])
    operand = kind if op.result != "bool" or kind != "bool" else random.choice(op.on)
    children = [drawn(random, own or operand, depth - 1) for own in (op.operands or ("",) * op.arity)]
    # A Python number takes the other operand's dtype.
    if op.arity == 2 and random.random() < 0.2 and _takes_numbers(op, operand):
        number = numbers(random, operand)
        place = random.randrange(2)
        if place == 0 or op.name not in ("//", "%", "cdiv") or number != 0:
            children[place] = ("number", operand, number)
    return (op.name, kind, *children)


def _chosen(random: Random, kind: str, depth: int) -> Node:
    """One expression or a number, by how they compare; converted before, in the choice, or not at all: what compilers know by heart."""
    source = random.choice([kind, *(FLOATS if is_float(kind) else INTEGERS)])
    value = drawn(random, source, depth - 1)
    number = random.choice((0.0, -0.0, 0.0, 1.0)) if is_float(kind) else random.choice((0, 0, 1, 7))
    tested = random.choice((value, ("to", kind, value)))
    compared = [tested, ("number", tested[1], number)]
    random.shuffle(compared)
    ways = [random.choice((("to", kind, value), drawn(random, kind, depth - 1))), ("full", kind, number)]
    random.shuffle(ways)
    condition: Node = (random.choice(("<", "<", ">", ">", "<=", ">=", "==", "!=")), "bool", *compared)
    return ("where", kind, ("~", "bool", condition) if random.random() < 0.2 else condition, *ways)


def _idiom(random: Random, kind: str, depth: int) -> Node:
    """A byte or more of a number with its sign, or a choice by one bit of a product: compilers have instructions and rules for both."""
    value, width = drawn(random, kind, depth - 1), dtype(kind).bits
    if random.random() < 0.5:
        up = width - random.choice((1, 2, 4, 8, 8, 8, 16)) % width
        down = min(width - 1, up + random.choice((0, 0, 1, 4)))
        return (">>", kind, ("<<", kind, value, ("number", kind, up % width)), ("number", kind, down))
    bit = random.randrange(width - 1)
    product = ("*", kind, value, ("number", kind, random.choice((3, 7, 15, 19, 23, 31, 47, 63, 79))))
    tested = ("&", kind, random.choice((product, product, ("neg", kind, value))), ("number", kind, 1 << bit))
    condition = (random.choice(("==", "!=")), "bool", tested, ("number", kind, 0))
    ways = [("full", kind, -1 if kind[0] == "i" else 1), ("full", kind, 0)]
    random.shuffle(ways)
    return ("where", kind, condition, *ways)


def _takes_numbers(op: Operation, kind: str) -> bool:
    return kind != "bool"


def _converted(random: Random, kind: str, depth: int) -> Node:
    """From another dtype, or of the same bits."""
    same = [n for n in KINDS if n not in (kind, "bool") and kind != "bool" and dtype(n).bits == dtype(kind).bits]
    if same and random.random() < 0.3:
        source = random.choice(same)
        child = drawn(random, source, depth - 1)
        if is_float(source):  # nothing tells the bits of a NaN
            child = ("where", source, ("==", "bool", child, child), child, ("full", source, 0.0))
        return ("bits", kind, child)
    source = random.choice([n for n in KINDS if n != kind])
    return ("to", kind, drawn(random, source, depth - 1))


_BY_RESULT = {kind: [op for op in OPERATIONS.values() if (op.result == kind if op.result else kind in op.on)] for kind in KINDS}


def parted(random: Random, node: Node, parts: tuple[str, ...]) -> Node:
    """The expression with other parts of the planes: for equal operands the same."""
    made: dict[str, Node] = {}

    def part(node: Node) -> Node:
        what, kind, *rest = node
        key = str(node)
        if key not in made:
            made[key] = (random.choice(parts), kind, *rest) if what == "in" else (
                what, kind, *(part(child) if isinstance(child, tuple) else child for child in rest))  # fmt: skip
        return made[key]

    return part(node)


def names(node: Node) -> set[str]:
    """Of all dtypes and operations."""
    return set(node[:2]).union(*(names(child) for child in node[2:] if isinstance(child, tuple)))


@dataclass
class Expressions:
    """Expressions, and the seed of the arrays that they are of."""

    program: tuple[Node, ...]
    seed: int
    target: str
    emulated: bool = True
    """On the CPU device by the target's module too, which takes its driver long."""

    @property
    def programs(self) -> int:
        return len(self.program)

    def alone(self) -> list[Expressions]:
        return [replace(self, program=(node,)) for node in self.program]

    def inputs(self) -> dict[str, Any]:
        random, found = Random(self.seed), {}
        count = PLANES * SHAPE[0] * SHAPE[1]
        with np.errstate(all="ignore"):
            for kind in KINDS:
                values = np.array([numbers(random, kind) for _ in range(count)])
                found[kind] = _related(random, values.astype(dtype(kind).numpy).reshape(PLANES, *SHAPE))
        return found

    def describe(self) -> str:
        lines = [f"{self.target}, numbers of seed {self.seed}"]
        return "\n".join([*lines, *(f"  {node[1]}: {text(node)}" for node in self.program)])

    def check(self) -> None:
        lacks = {"f64", "tf32"} - get_target(self.target).dtypes
        if any(lacks & names(node) for node in self.program):
            replace(self, program=tuple(node for node in self.program if not lacks & names(node))).check()
            return
        inputs = self.inputs()
        with np.errstate(all="ignore"):
            expected = [computed(node, inputs) for node in self.program]
        for where, results in self.results(inputs):
            wrong = [self.difference(i, expected[i], result, inputs) for i, result in enumerate(results)]
            if any(wrong):
                raise AssertionError(f"{where}:\n" + "\n".join(filter(None, wrong)))

    def results(self, inputs: dict[str, Any]) -> Iterator[tuple[str, list[Any]]]:
        """What comes out where."""
        yield "numpy device", self.on_device("numpy", inputs)
        yield "CPU with its own code", self.on_device("cpu", inputs, "vector")
        if self.emulated:
            yield f"CPU with the module for {self.target}", self.on_device("cpu", inputs, "emulate")
        types = {n: f"{DTYPES[k].name}[?,?,?]" for group in (NAMES, RESULTS) for n, k in zip(group, KINDS)}
        values = {**{n: inputs[k] for n, k in zip(NAMES, KINDS)}, **dict(zip(RESULTS, self.empty()))}
        with np.errstate(all="ignore"):
            for level, after in run_levels(request(kernel, types, self.target, PROGRAM=self.program), (1, 1, 1), values):
                yield f"level {level}", self.in_order([after[name] for name in RESULTS])

    def on_device(self, device: str, inputs: dict[str, Any], way: str = "") -> list[Any]:
        outputs, options = self.empty(), {} if way == "vector" else {"target": self.target}
        with override(cpu=way), xt.device(device), warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceWarning)
            kernel[(1,)](*(inputs[k] for k in KINDS), *outputs, PROGRAM=self.program, **options)
        return self.in_order(outputs)

    def empty(self) -> list[Any]:
        counts = [max(1, sum(node[1] == kind for node in self.program)) for kind in KINDS]
        return [np.zeros((n, *SHAPE), dtype(kind).numpy) for n, kind in zip(counts, KINDS)]

    def in_order(self, outputs: list[Any]) -> list[Any]:
        next_of = {kind: iter(output) for kind, output in zip(KINDS, outputs)}
        return [next(next_of[node[1]]) for node in self.program]

    @staticmethod
    def is_near(node: Node, expected: Any, got: Any, inputs: dict[str, Any]) -> Any:
        """Which elements differ by bits that are open."""
        if not is_float(node[1]):
            return False
        with np.errstate(all="ignore"):
            return is_near(expected, got, bound(node, lambda part: computed(part, inputs)))

    def difference(self, i: int, expected: Any, got: Any, inputs: dict[str, Any]) -> str | None:
        """The first element that differs, with what every part of the expression should be there."""
        places = np.argwhere(differs(expected, got) & ~self.is_near(self.program[i], expected, got, inputs))
        if not len(places):
            return None
        at = tuple(int(n) for n in places[0])
        head = f"{text(self.program[i])}\n  is {got[at]!r}, not {expected[at]!r}, at {at} and {len(places) - 1} more"
        return "\n".join([head, *steps(self.program[i], inputs, at)])


def differs(expected: Any, got: Any) -> Any:
    same = np.ascontiguousarray(expected).view(f"u{got.dtype.itemsize}") == np.ascontiguousarray(got).view(
        f"u{got.dtype.itemsize}"
    )
    return ~(same | ((expected != expected) & (got != got)))


def steps(node: Node, inputs: dict[str, Any], at: tuple[int, ...]) -> Iterator[str]:
    """Each part of an expression with its value at a place, innermost first."""
    seen: set[str] = set()

    def walk(part: Node) -> Iterator[str]:
        for child in part[2:]:
            if isinstance(child, tuple):
                yield from walk(child)
        if part[0] not in ("number", "full") and str(part) not in seen:
            seen.add(str(part))
            with np.errstate(all="ignore"):
                yield f"    {part[1]} {text(part)} = {computed(part, inputs)[at]!r}"

    return walk(node)


def text(node: Node) -> str:
    what, kind, *rest = node
    if what in PARTS:
        return f"{kind}_{rest[0]}{'' if what == 'in' else f' ({what})'}"
    if what == "full":
        return f"{kind}({rest[0]!r})"
    if what == "number":
        return repr(rest[0])
    if what in ("to", "bits"):
        return f"{what}_{kind}({text(rest[0])})"
    parts = [text(child) for child in rest]
    return f"({parts[0]} {what} {parts[1]})" if len(parts) == 2 and not what.isalpha() else f"{what}({', '.join(parts)})"


def _root(random: Random, kind: str, depth: int) -> Node:
    if is_float(kind) and random.random() < FUNCTIONS:
        return drawn_close(random, kind, depth, drawn)
    return drawn(random, kind, depth)


def expressions(random: Random) -> Expressions:
    """A case: expressions of results in all dtypes, most of them floats."""
    pool = (*KINDS, *NUMBERS, *FLOATS, *FLOATS, "f32", "f32", "i32", *INTEGERS[:4])
    program = tuple(_root(random, random.choice(pool), random.choice((2, 3, 3, 4))) for _ in range(EXPRESSIONS))
    made = Expressions(program, random.randrange(2**32), random.choice(TARGETS), random.random() < EMULATED)
    alike, mixed = ("column", "column", "one"), ("in", "in", *PARTS)
    return replace(made, program=tuple(parted(random, node, random.choice((("in",), alike, mixed))) for node in program))


if __name__ == "__main__":
    main(expressions)
