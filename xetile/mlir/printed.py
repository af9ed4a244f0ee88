"""What xetile prints, read without mlir-opt: by the formats that ops declare, and by functions for those that are printed by methods."""

from __future__ import annotations

import re
from collections.abc import Callable

from xetile.errors import Location
from xetile.ir.core import OPS
from xetile.mlir.formats import FormatReader
from xetile.mlir.generic import GenericParser, RawBlock, RawOp
from xetile.mlir.ops import DYNAMIC, RENAMED, unknown_op

_NAME = re.compile(r"[A-Za-z_][\w.]*")
_VALUE = re.compile(r"%[\w$.-]+")
_SYMBOL = re.compile(r"@([\w.$-]+)")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


def parse_printed(text: str, file: str) -> list[RawOp]:
    """All ops of a text that xetile has printed; raises MlirTextError at the place of what is something else."""
    return PrintedParser(text, file).top()


class PrintedParser(GenericParser):
    """Reads ops as `ir.printer` writes them; `known`: types of the values so far, by name."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text, file)
        self.known: dict[str, str] = {}

    def op(self) -> RawOp:
        """One op, in the form that is printed or in the generic one."""
        begin = self.position
        results = self.results()
        if self.peek('"'):
            self.position = begin
            made = super().op()
        else:
            made = self._op(results)
        self.known.update(zip(made.results, made.result_types))
        return made

    def _op(self, results: list[str]) -> RawOp:
        self.skip()
        at = self.place()
        name = self.need(_NAME, "the name of an op")[0]
        special, kind = FORMS.get(name), OPS.get(name)
        if special is not None:
            return special(self, results, at)
        if kind is None or not kind.format:
            raise unknown_op(name).located(at)
        made = FormatReader(self, kind, self.known).raw(results, at)
        upstream = {ours: its for its, ours in RENAMED.get(name, {}).items()}
        made.attributes = {upstream.get(key, key): text for key, text in made.attributes.items()}
        if name == "memref.reinterpret_cast":  # the size alone is an operand
            lists = {"offsets": 0, "sizes": DYNAMIC, "strides": 1}
            made.attributes |= {f"static_{what}": f"array<i64: {n}>" for what, n in lists.items()}
        return made

    # Parts of forms.

    def value(self) -> str:
        """The name of a value."""
        return self.need(_VALUE, "the name of a value")[0]

    def names(self, closing: str) -> list[str]:
        """Names of values up to a literal, which is passed."""
        found: list[str] = []
        while not self.accept(closing):
            found.append(self.value())
            self.accept(",")
        return found

    def type_of(self, name: str) -> str:
        """The type of a value that has been defined."""
        if name not in self.known:
            raise self.error(f"{name} is not defined here, before")
        return self.known[name]

    def typed(self, count: int) -> list[str]:
        """So many types behind a colon."""
        self.expect(":")
        found = [self.type()]
        while len(found) < count and self.accept(","):
            found.append(self.type())
        return found

    def extra(self) -> dict[str, str]:
        """A dictionary of attributes, if one follows."""
        return self.dictionary("{", "}") if self.peek("{") else {}

    def carried(self, opening: str) -> list[tuple[str, str]]:
        """`%a = %b, ...)`: arguments with what they begin with."""
        found: list[tuple[str, str]] = []
        self.expect(opening)
        while not self.accept(")"):
            name = self.value()
            self.expect("=")
            found.append((name, self.value()))
            self.accept(",")
        return found

    def body(self, arguments: list[tuple[str, str]], at: Location) -> RawBlock:
        """`{ ... }` with arguments, as (name, type), that stand elsewhere; an empty yield is left out of the text."""
        self.known.update(arguments)
        block = self.region()
        self.known.update((name, type) for name, type, _ in block.arguments)
        block.arguments = block.arguments or [(name, type, at) for name, type in arguments]
        if not block.ops or block.ops[-1].name not in ("scf.yield", "scf.condition", "gpu.return"):
            block.ops.append(RawOp("scf.yield", [], [], {}, [], [], [], at))
        return block

    def arguments(self) -> list[tuple[str, str, Location]]:
        """Those of a label, which the ops behind it know."""
        found = super().arguments()
        self.known.update((name, type) for name, type, _ in found)
        return found


# Ops that are printed by a method.


def _module(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    name = p.need(_SYMBOL, "the name of a module")[1]
    return RawOp("gpu.module", results, [], {"sym_name": f'"{name}"'}, [p.region()], [], [], at)


def _func(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    name = p.need(_SYMBOL, "the name of a kernel")[1]
    arguments = p.arguments()
    p.expect("kernel")
    said = p.dictionary("{", "}") if p.accept("attributes") else {}
    block = p.region()
    block.arguments = arguments
    types = ", ".join(type for _, type, _ in arguments)
    attributes = {"sym_name": f'"{name}"', "function_type": f"({types}) -> ()", "gpu.kernel": "", **said}
    return RawOp("gpu.func", results, [], attributes, [block], [], [], at, frozenset(("gpu.kernel", *said)))


def _constant(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    attributes = p.extra()
    value = p.piece("\n}")
    type = value.rpartition(" : ")[2] if " : " in value else "i1"
    return RawOp("arith.constant", results, [], {**attributes, "value": p.expand(value)}, [], [], [p.expand(type)], at)


def _select(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    operands = [p.value()]
    while p.accept(","):
        operands.append(p.value())
    attributes = p.extra()
    *_, type = p.typed(2)
    return RawOp("arith.select", results, operands, attributes, [], [p.type_of(v) for v in operands], [type], at)


def _subgroup_reduce(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    attributes = {"kind": f'"{p.need(_WORD, "what is reduced")[0]}"'}
    operand = p.value()
    if p.accept("cluster"):
        for key in p.piece(":").strip("() ").split(","):
            what, _, number = key.partition("=")
            attributes[f"cluster_{what.strip()}"] = f"{number.strip()} : i32"
    p.expect(":")
    operand_types = p.types()
    p.expect("->")
    return RawOp("gpu.subgroup_reduce", results, [operand], attributes, [], operand_types, [p.type()], at)


def _assert(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    condition = p.value()
    p.expect(",")
    return RawOp("cf.assert", results, [condition], {"msg": p.quoted()}, [], ["i1"], [], at)


def _for(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    counter = p.value()
    bounds = []
    for literal in ("=", "to", "step"):
        p.expect(literal)
        bounds.append(p.value())
    pairs = p.carried("(") if p.accept("iter_args") else []
    types = p.types() if p.accept("->") else []
    count_type = p.type() if p.accept(":") else "index"
    block = p.body([(counter, count_type), *((name, type) for (name, _), type in zip(pairs, types))], at)
    operands = [*bounds, *(start for _, start in pairs)]
    return RawOp("scf.for", results, operands, p.extra(), [block], [count_type] * 3 + types, types, at)


def _if(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    condition = p.value()
    types = p.types() if p.accept("->") else []
    then = p.body([], at)
    otherwise = p.body([], at) if p.accept("else") else RawBlock()
    return RawOp("scf.if", results, [condition], p.extra(), [then, otherwise], ["i1"], types, at)


def _while(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    pairs = p.carried("(")
    p.expect(":")
    types = p.types()
    p.expect("->")
    given = p.types()
    before = p.body([(name, type) for (name, _), type in zip(pairs, types)], at)
    p.expect("do")
    after = p.body([], at)
    attributes = p.dictionary("{", "}") if p.accept("attributes") else {}
    return RawOp("scf.while", results, [start for _, start in pairs], attributes, [before, after], types, given, at)


def _scattered(p: PrintedParser, name: str, results: list[str], at: Location) -> RawOp:
    """`%v, %base[%offsets], %mask <{...}> {...} : types -> type`."""
    operands = [p.value()]
    if name == "xegpu.store":
        p.expect(",")
        operands.append(p.value())
    offsets = p.accept("[")
    if offsets:
        operands += p.names("]")
    p.expect(",")
    operands.append(p.value())
    properties = p.dictionary("<{", "}>") if p.peek("<{") else {}
    loose = p.extra()
    types = p.typed(len(operands))
    given = [p.type()] if p.accept("->") else []
    counts = ", ".join(map(str, (*[1] * (len(operands) - 1 - offsets), int(offsets), 1)))
    attributes = {**properties, **loose, "operandSegmentSizes": f"array<i32: {counts}>"}
    return RawOp(name, results, operands, attributes, [], types, given, at, frozenset(loose))


def _nbarriers(p: PrintedParser, results: list[str], at: Location) -> RawOp:
    number = p.need(_NUMBER, "a number of barriers")[0]
    return RawOp("xegpu.alloc_nbarrier", results, [], {"nbarrier_num": f"{number} : i64", **p.extra()}, [], [], [], at)


FORMS: dict[str, Callable[[PrintedParser, list[str], Location], RawOp]] = {
    "gpu.module": _module,
    "gpu.func": _func,
    "arith.constant": _constant,
    "arith.select": _select,
    "gpu.subgroup_reduce": _subgroup_reduce,
    "cf.assert": _assert,
    "scf.for": _for,
    "scf.if": _if,
    "scf.while": _while,
    "xegpu.load": lambda p, results, at: _scattered(p, "xegpu.load", results, at),
    "xegpu.store": lambda p, results, at: _scattered(p, "xegpu.store", results, at),
    "xegpu.alloc_nbarrier": _nbarriers,
}
"""Readers of the ops that are printed by a method of theirs."""
