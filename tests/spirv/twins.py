"""Kernels in pairs for the verifier: one that keeps a rule, and its twin that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xetile.backends.spirv.module.module import Id, Module
from xetile.backends.spirv.module.opcodes import enum_value

from tests.spirv.kernels import OPCODE_OF, i32

F16_OPERANDS = "MatrixAPackedFloat16INTEL|MatrixBPackedFloat16INTEL"

Make = Callable[["Bench"], Any]


class Bench:
    """A kernel(base, other, width, height, pitch) of one subgroup of 16, with what block and matrix instructions need at hand."""

    def __init__(self, subgroup_size: int = 16, local_size: tuple[int, ...] = (16, 1, 1)) -> None:
        self.m = m = Module()
        self.word, self.half, self.f32 = m.type.int(32), m.type.int(16), m.type.float(32)
        pointer = m.type.pointer("CrossWorkgroup", m.type.int(8))
        self.fn = m.kernel(
            "k",
            [pointer, pointer, self.word, self.word, self.word],
            subgroup_size=subgroup_size,
            local_size=local_size,
            param_names=["base", "other", "width", "height", "pitch"],
        )
        self.base, self.other, self.width, self.height, self.pitch = self.fn.params
        self.b = self.fn.block("entry")

    def private(self, bits: int = 16, count: int = 64) -> Id:
        return self.fn.variable(self.m.type.array(self.m.type.int(bits), count))

    def pair(self, x: int = 0, y: int = 0) -> Id:
        return self.m.constant(self.m.type.vector(self.word, 2), [x, y])

    def lane(self) -> Id:
        return self.fn.builtin("SubgroupLocalInvocationId")

    def is_first_lane(self) -> Id:
        return self.b.emit("OpIEqual", self.m.type.bool, self.lane(), i32(self.m, 0))

    def block(self, operation: str = "load", shape: tuple[int, int, int, int] = (2, 16, 8, 1), **other: Any) -> None:
        """One block instruction; `other` replaces operands by name, `sizes` all four ids of the shape."""
        bits = 32 if operation == "load_transform" else {1: 8, 4: 32}.get(shape[0], 16)
        sizes = other.pop("sizes", None) or [i32(self.m, n) for n in shape]
        region = [other.pop("width", self.width), other.pop("height", self.height), other.pop("pitch", self.pitch)]
        region.append(other.pop("at", None) or self.pair())
        base = other.pop("base", self.base)
        private = other.pop("private", None) or self.private(bits)
        assert not other
        tail = {"store": [private, base, *region], "prefetch": [base, *region]}.get(operation, [base, *region, private])
        self.b.emit(OPCODE_OF[operation], *sizes, *tail)

    def undefined(self, kind: Id) -> Id:
        return self.m.undef(kind)

    def matrix(
        self,
        *,
        k: Any = 16,
        rows: int = 8,
        result: Id | None = None,
        operands: Any = F16_OPERANDS,
        a: Id | None = None,
        b: Id | None = None,
        c: Id | None = None,
    ) -> Id:
        """One matrix instruction; `k` is a number or an id, `a`, `b`, `c` are types."""
        t = self.m.type
        c = c or t.vector(self.f32, rows)
        a, b = a or t.vector(self.half, rows), b or t.vector(self.word, 8)
        depth = k if isinstance(k, Id) else i32(self.m, k)
        mask = [] if operands is None else [operands]
        return self.b.emit(
            "OpSubgroupMatrixMultiplyAccumulateINTEL",
            result or c,
            depth,
            self.undefined(a),
            self.undefined(b),
            self.undefined(c),
            *mask,
        )

    def barrier(self) -> None:
        self.b.control_barrier("Workgroup", "Workgroup", "AcquireRelease|WorkgroupMemory")

    def under(self, condition: Id, inside: Callable[[], Any]) -> None:
        """`inside` in a block that is reached where `condition` holds."""
        then, after = self.fn.block("then"), self.fn.block("after")
        self.b.selection_merge(after)
        self.b.branch_if(condition, then, after)
        self.b = then
        inside()
        self.b.branch(after)
        self.b = after

    def loop(self, bound: Id, inside: Callable[[Id], Any]) -> None:
        """`inside(i)` for i below `bound`."""
        head, body, proceed, leave = (self.fn.block(name) for name in ("head", "body", "continue", "leave"))
        entry = self.b
        entry.branch(head)
        i = head.phi(self.word, (i32(self.m, 0), entry))
        more = head.emit("OpULessThan", self.m.type.bool, i, bound)
        head.loop_merge(leave, proceed)
        head.branch_if(more, body, leave)
        self.b = body
        inside(i)
        self.b.branch(proceed)
        i.add(proceed.emit("OpIAdd", self.word, i, i32(self.m, 1)), proceed)
        proceed.branch(head)
        self.b = leave

    def finish(self) -> bytes:
        self.b.ret()
        return self.m.finish()


def module(make: Make, **options: Any) -> bytes:
    """The module that `make` fills."""
    bench = Bench(**options)
    make(bench)
    return bench.finish()


def without(data: bytes, name: str, *words: int) -> bytes:
    """A module with the first instruction of this name, whose words start with `words`, left out."""
    from xetile.backends.spirv.module.binary import Binary

    binary = Binary(data)
    binary.instructions.remove(next(i for i in binary.instructions if i.name == name and i.words[: len(words)] == words))
    return binary.write()


def capability(name: str) -> int:
    return enum_value("Capability", name)
