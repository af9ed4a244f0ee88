"""Which values are the same in all invocations of a subgroup, or of a workgroup: a conservative analysis of a whole module.

"Varying" is what is not proven uniform.  Sources: lane and work-item ids, memory read at varying addresses, private memory that
holds varying values, results of atomics, of tile instructions and of imported functions, and phis where varying branches meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from .binary import Binary, FunctionBody, Instruction
from .cfg import ControlFlow
from .opcodes import enum_value


class Level(Enum):
    """The group that values are to be uniform over."""

    SUBGROUP = "subgroup"
    WORKGROUP = "workgroup"


_LANE_BUILTINS = frozenset(
    (
        "SubgroupLocalInvocationId",
        "LocalInvocationId",
        "GlobalInvocationId",
        "LocalInvocationIndex",
        "GlobalLinearId",
        "SubgroupEqMask",
        "SubgroupGeMask",
        "SubgroupGtMask",
        "SubgroupLeMask",
        "SubgroupLtMask",
    )
)
_SUBGROUP_BUILTINS = frozenset(("SubgroupId",))

# Every lane gets the same, whatever goes in.  Operand 0 is the scope.
_BROADCASTS = frozenset(
    (
        "OpGroupNonUniformBroadcast",
        "OpGroupNonUniformBroadcastFirst",
        "OpGroupNonUniformAll",
        "OpGroupNonUniformAny",
        "OpGroupNonUniformAllEqual",
        "OpGroupNonUniformBallot",
        "OpGroupBroadcast",
        "OpGroupAll",
        "OpGroupAny",
    )
)
# Each lane gets the value of the lane that the last operand names.
_SHUFFLES = frozenset(("OpGroupNonUniformShuffle", "OpSubgroupShuffleINTEL"))
_VARYING_PREFIXES = ("OpAtomic", "OpSubgroup", "OpGroupNonUniform", "OpGroup", "OpCooperativeMatrix", "OpAsmCall")
_PREDICATED_LOAD = "OpPredicatedLoadINTEL"
_FUNCTION_STORAGE = enum_value("StorageClass", "Function")
_REDUCE = enum_value("GroupOperation", "Reduce")
_SCOPE_WORKGROUP = enum_value("Scope", "Workgroup")


class Uniformity:
    """The result: `varying` values and `varying_blocks` (labels of blocks that not all invocations need to reach together)."""

    def __init__(self, binary: Binary, level: Level) -> None:
        self._binary = binary
        self._level = level
        self.varying: set[int] = set()
        self.varying_blocks: set[int] = set()
        self._functions = {f.id: f for f in binary.functions()}
        self._flows = {f.id: ControlFlow(f) for f in self._functions.values() if f.blocks}
        self._called_varying: set[int] = set()
        self._seed()
        before = -1
        while before != self._size():
            before = self._size()
            for function in self._functions.values():
                self._visit(function)

    def is_uniform(self, value: int) -> bool:
        return value not in self.varying

    def _size(self) -> int:
        return len(self.varying) + len(self.varying_blocks) + len(self._called_varying)

    def _seed(self) -> None:
        names = _LANE_BUILTINS | (_SUBGROUP_BUILTINS if self._level is Level.WORKGROUP else frozenset[str]())
        self.varying |= {variable for variable, name in self._binary.builtins.items() if name in names}

    # one pass over a function

    def _visit(self, function: FunctionBody) -> None:
        if not function.blocks:
            return
        flow = self._flows[function.id]
        if function.id in self._called_varying:
            self.varying_blocks |= set(flow.blocks)
        for label, body in flow.blocks.items():
            for i in body:
                self._value(i, label, function)
            end = body[-1]
            if end.name in ("OpBranchConditional", "OpSwitch") and end.words[0] in self.varying:
                self._diverge(flow, label)

    def _diverge(self, flow: ControlFlow, label: int) -> None:
        """The branch that ends `label` goes different ways: mark what it governs."""
        region, meet = flow.region(label)
        self.varying_blocks |= region
        for block in region | {meet}:
            self.varying |= {i.result for i in flow.blocks.get(block, []) if i.name == "OpPhi"}
        if label in region:  # invocations leave a loop in different iterations: its values differ outside
            for block in region:
                self.varying |= {i.result for i in flow.blocks[block] if i.result}

    def _value(self, i: Instruction, label: int, function: FunctionBody) -> None:
        if i.name == "OpStore":
            self._store(i.words[0], i.words[1], label)
        elif i.name == "OpFunctionCall":
            self._call(i, label)
        elif i.name == "OpReturnValue" and (i.words[0] in self.varying or label in self.varying_blocks):
            self.varying.add(function.id)
        elif i.result and self._is_varying(i):
            self.varying.add(i.result)
        if i.name.startswith(("OpSubgroup2DBlock", "OpCopyMemory", "OpFunctionCall")):
            for operand in filter(self._is_private, i.ids()):
                self._taint(operand)

    def _store(self, pointer: int, value: int, label: int) -> None:
        if {pointer, value} & self.varying or label in self.varying_blocks:
            self._taint(pointer)

    def _taint(self, pointer: int) -> None:
        """The private memory behind a pointer holds varying values; all of it, if the pointer's origin is not known."""
        root = self._root(pointer)
        if self._is_variable(root):
            self.varying.add(root)
        elif self._is_private(root):
            self.varying |= {v for v in self._binary.definition if self._is_variable(v) and self._is_private(v)}

    def _call(self, i: Instruction, label: int) -> None:
        callee = self._functions.get(i.args[0])
        if callee is None or not callee.blocks:
            self.varying.add(i.result)
            return
        self.varying |= {p for p, value in zip(callee.params, i.args[1:], strict=False) if value in self.varying}
        if label in self.varying_blocks:
            self._called_varying.add(callee.id)
        if callee.id in self.varying:
            self.varying.add(i.result)

    def _is_varying(self, i: Instruction) -> bool:
        if i.name in _BROADCASTS or self._is_reduction(i):
            spans_workgroup = self._binary.constant(i.args[0]) == _SCOPE_WORKGROUP
            return self._level is Level.WORKGROUP and not spans_workgroup and self._any_varying(i)
        if i.name in _SHUFFLES:
            return i.args[-1] in self.varying or (self._level is Level.WORKGROUP and self._any_varying(i))
        if i.name.startswith(_VARYING_PREFIXES):
            return True
        if i.name in ("OpLoad", _PREDICATED_LOAD):
            root = self._root(i.args[0])
            if root in self.varying or (self._is_private(root) and not self._is_variable(root)):
                return True
        return self._any_varying(i)

    def _any_varying(self, i: Instruction) -> bool:
        return not self.varying.isdisjoint(i.ids())

    def _is_reduction(self, i: Instruction) -> bool:
        return i.name.startswith(("OpGroupNonUniform", "OpGroup")) and "GroupOperation" in i.op.operands and i.args[1] == _REDUCE

    # private memory

    def _root(self, pointer: int) -> int:
        """The variable, parameter or other value that a pointer is derived from."""
        for step in self._derivation(pointer):
            pointer = step
        return pointer

    def _derivation(self, pointer: int) -> Iterator[int]:
        made = self._binary.definition.get(pointer)
        while made is not None and (made.name in ("OpBitcast", "OpCopyObject") or "AccessChain" in made.name):
            yield made.args[0]
            made = self._binary.definition.get(made.args[0])

    def _is_variable(self, value: int) -> bool:
        made = self._binary.definition.get(value)
        return made is not None and made.name == "OpVariable"

    def _is_private(self, value: int) -> bool:
        """Whether a value is a pointer to private memory."""
        kind = self._binary.definition.get(self._binary.type_id_of(value))
        return kind is not None and kind.name == "OpTypePointer" and kind.words[1] == _FUNCTION_STORAGE
