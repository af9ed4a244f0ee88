"""Functions and basic blocks of a module under construction."""

from __future__ import annotations

from collections.abc import Sequence

from .encode import Id, Operand
from .errors import SpirvError
from .lines import Lines, Place
from .opcodes import opcode, opencl_std
from .sections import Sections

TERMINATORS = frozenset(("OpBranch", "OpBranchConditional", "OpSwitch", "OpReturn", "OpReturnValue", "OpUnreachable"))
_ENDS = TERMINATORS | {"OpLoopMerge", "OpSelectionMerge"}

# OpenCL environment specification, 2.9: these are vectors of size_t, the others are 32-bit integers or size_t scalars.
_VECTOR_BUILTINS = frozenset(
    (
        "NumWorkgroups",
        "WorkgroupSize",
        "WorkgroupId",
        "LocalInvocationId",
        "GlobalInvocationId",
        "GlobalSize",
        "EnqueuedWorkgroupSize",
        "GlobalOffset",
    )
)
_SIZE_BUILTINS = frozenset(("GlobalLinearId", "LocalInvocationIndex"))


class Phi(Id):
    """The result of a phi; its operands come when they are known: `phi.add(value, block)`."""

    incoming: list[Id]
    repeats: bool = False
    """Whether it is of a loop that is being written: it has two ways then."""

    def add(self, value: Id, block: BasicBlock) -> None:
        """`value` is this phi's when control comes from `block`."""
        self.incoming += (value, block.label)


class Function:
    """A function: its parameters, variables and blocks.  The first block is its entry.

    lines, place  for a function with source lines: who writes them, and where the next instructions come from.
    """

    def __init__(self, module: Sections, name: str, result: Id, params: Sequence[Id], param_names: Sequence[str]) -> None:
        self.module = module
        self.name = name
        self.entry_name = ""
        self.blocks: list[BasicBlock] = []
        self.result = result
        self._head: list[int] = []
        self.id = module.encode(self._head, "OpFunction", (result, "None", module.type.function(result, *params)))
        self.params = tuple(module.encode(self._head, "OpFunctionParameter", (p,)) for p in params)
        self._variables: list[int] = []
        self._prologue: list[int] = []
        self._interface: list[Id] = []
        self._builtins: dict[str, Id] = {}
        self._callees: list[Function] = []
        self.lines: Lines | None = None
        self.place: Place | None = None
        module.name(self.id, name)
        for param, text in zip(self.params, param_names, strict=False):
            module.name(param, text)

    def block(self, name: str = "") -> BasicBlock:
        """A new block.

        It takes its place behind the others when its first instruction is written, so targets of forward branches can be made
        early (SPIR-V 2.16: a block comes after the blocks that dominate it).
        """
        return BasicBlock(self, name)

    def variable(self, element: Id, name: str = "", initial: Id | None = None) -> Id:
        """A private variable of type `element`: a Function pointer.  SPIR-V 2.4: variables stand first in the entry block."""
        pointer = self.module.type.pointer("Function", element)
        operands = (pointer, "Function") if initial is None else (pointer, "Function", initial)
        variable = self.module.encode(self._variables, "OpVariable", operands)
        self.module.name(variable, name)
        return variable

    def workgroup_variable(self, element: Id, name: str = "", alignment: int = 0) -> Id:
        """Memory shared by the workgroup (SLM) of type `element`, `alignment` in bytes: a Workgroup pointer."""
        variable = self.module.global_variable("Workgroup", element, name)
        if alignment:
            self.module.decorate(variable, "Alignment", alignment)
        self._interface.append(variable)
        return variable

    def constant_variable(self, element: Id, value: Id, name: str = "") -> Id:
        """A constant in memory (UniformConstant), such as the text of a printf: a pointer to `value` of type `element`."""
        variable = self.module.global_variable("UniformConstant", element, name, value)
        self._interface.append(variable)
        return variable

    def builtin(self, name: str) -> Id:
        """The value of a built-in, loaded once at the function's entry: "SubgroupId", "WorkgroupId"...

        i32 for subgroup built-ins and WorkDim, i64 for GlobalLinearId and LocalInvocationIndex, 3 x i64 for the rest.
        """
        if name not in self._builtins:
            module, width = self.module, 64 if name in _VECTOR_BUILTINS or name in _SIZE_BUILTINS else 32
            element = module.type.int(width)
            if name in _VECTOR_BUILTINS:
                element = module.type.vector(element, 3)
            variable = module.builtin_variable(name, element)
            self._interface.append(variable)
            self._builtins[name] = module.encode(self._prologue, "OpLoad", (element, variable))
        return self._builtins[name]

    def interface(self) -> list[Id]:
        """The global variables used by this function and those it calls (SPIR-V 1.4: the entry point lists them all)."""
        seen: list[Id] = []
        for fn in [self, *self._callees]:
            seen += (v for v in (fn._interface if fn is self else fn.interface()) if v not in seen)
        return seen

    def note_call(self, callee: Function) -> None:
        if callee not in self._callees:
            self._callees.append(callee)

    def words(self) -> list[int]:
        """The finished function; raises SpirvError if a block has no end."""
        words = list(self._head)
        for position, block in enumerate(self.blocks):
            before = [*self._variables, *self._prologue] if position == 0 else []
            words += block.words(before)
        words.append(opcode("OpFunctionEnd").number | 1 << 16)
        return words


class BasicBlock:
    """A basic block: straight-line code with one end."""

    def __init__(self, function: Function, name: str) -> None:
        self.function = function
        self.module = function.module
        self.label = self.module.id()
        self.ended = False
        self._placed = False
        self._merged = False
        self._open = False  # begun, and without an end or a merge instruction by now
        self._together = False
        self._phis: list[tuple[Phi, Id]] = []
        self._words: list[int] = []
        self._line: Place | None = None
        self.module.name(self.label, name)

    def place(self) -> None:
        """Take its place behind the others now, before an instruction is written."""
        if self.ended:
            raise SpirvError("an instruction is written behind the end of its block")
        if not self._placed:
            self._placed = True
            self.function.blocks.append(self)

    def emit(self, name: str, *operands: Operand) -> Id:
        """Any instruction: `emit("OpIAdd", i32, a, b)`: result type first where there is one.  Returns the result (0 if none)."""
        if not self._open:
            self._open_for(name)
        if self.function.place is not self._line:
            self._locate(self.function.place)
        result = self.module.encode(self._words, name, operands)
        if name in _ENDS:
            self.ended, self._merged, self._open = name in TERMINATORS, True, False
        return result

    def _open_for(self, name: str) -> None:
        """Begin the block with an instruction, or let one follow its merge instruction: SPIR-V 2.16, that is the second-to-last."""
        self.place()
        if self._merged and name not in TERMINATORS:
            raise SpirvError(f"{name} stands between a merge instruction and the branch that must follow it")
        self._open = not self._merged

    def _locate(self, place: Place | None) -> None:
        """The place in the source that the next instructions come from (SPIR-V 3.32.2: until the block ends)."""
        before, self._line, lines = self._line, place, self.function.lines
        if place is None or lines is None or place == before or self._merged:
            return
        if before is None or before[0] != place[0]:
            self._words += lines.scope(place)
        self.module.encode(self._words, "OpLine", (self.module.string(place[0]), *place[1:]))

    def phi(self, type_id: Id, *incoming: tuple[Id, BasicBlock]) -> Phi:
        """A phi at the head of this block; more operands by `Phi.add`, any time before `finish`."""
        self.place()
        phi = Phi(self.module.id())
        phi.incoming = []
        self.module.note_type(phi, type_id)
        self._phis.append((phi, type_id))
        for value, block in incoming:
            phi.add(value, block)
        return phi

    @property
    def joins(self) -> bool:
        """Whether values of several ways meet at the head of this block."""
        return bool(self._phis)

    def ext(self, type_id: Id, name: str, *operands: Operand) -> Id:
        """An instruction of OpenCL.std: `ext(f32, "exp2", x)`."""
        return self.emit("OpExtInst", type_id, self.module.opencl_std, opencl_std(name), *operands)

    def load(self, type_id: Id, pointer: Id, aligned: int = 0) -> Id:
        """Load; `aligned` in bytes."""
        return self.emit("OpLoad", type_id, pointer, *(("Aligned", aligned) if aligned else ()))

    def store(self, pointer: Id, value: Id, aligned: int = 0) -> None:
        """Store; `aligned` in bytes."""
        self.emit("OpStore", pointer, value, *(("Aligned", aligned) if aligned else ()))

    def call(self, function: Function | Id, *operands: Id, result: Id | None = None) -> Id:
        """Call a function of this module, or an imported one, whose `result` type must then be given."""
        if isinstance(function, Function):
            self.function.note_call(function)
            return self.emit("OpFunctionCall", function.result, function.id, *operands)
        return self.emit("OpFunctionCall", self.module.type.void if result is None else result, function, *operands)

    def control_barrier(self, execution: str, memory: str, semantics: str) -> None:
        """`control_barrier("Workgroup", "Workgroup", "AcquireRelease|WorkgroupMemory")`."""
        module = self.module
        self.emit("OpControlBarrier", module.scope(execution), module.scope(memory), module.semantics(semantics))

    def keep_together(self) -> None:
        """Let no compiler have this block twice, once for each part of a subgroup: a barrier of the subgroup stands at its head.

        IGC (2.40.14) makes no instruction of it. Where a branch follows from an earlier one, its jump threading has what stands between
        them once for each way; 2-D block messages and assembly are no convergent calls to it, barriers are.
        """
        if not self._together:
            self._together, module = True, self.module
            head: list[int] = []
            module.encode(head, "OpControlBarrier", (*[module.scope("Subgroup")] * 2, module.semantics("None")))
            self._words[:0] = head

    def loop_merge(self, exit: BasicBlock, proceed: BasicBlock, control: str = "None", *operands: Operand) -> None:
        """Declare this block a loop header: `exit` follows the loop, `proceed` branches back.  The branch comes next."""
        self.emit("OpLoopMerge", exit.label, proceed.label, control, *operands)

    def selection_merge(self, merge: BasicBlock, control: str = "None") -> None:
        """Declare where the two ways of the branch that comes next meet again."""
        self.emit("OpSelectionMerge", merge.label, control)

    def branch(self, target: BasicBlock) -> None:
        self.emit("OpBranch", target.label)

    def branch_if(self, condition: Id, then: BasicBlock, otherwise: BasicBlock) -> None:
        self.emit("OpBranchConditional", condition, then.label, otherwise.label)

    def ret(self, value: Id | None = None) -> None:
        """Return, with a value or without."""
        self.emit("OpReturn") if value is None else self.emit("OpReturnValue", value)

    def words(self, before: list[int]) -> list[int]:
        """The finished block; `before` stands between its label and its own instructions (variables of the entry block)."""
        if not self.ended:
            raise SpirvError(f"block {self.label!r} of {self.function.name} has no end", hint="branch or return from it")
        words = [opcode("OpLabel").number | 2 << 16, self.label]
        for phi, type_id in self._phis:
            words += (opcode("OpPhi").number | (3 + len(phi.incoming)) << 16, type_id, phi, *phi.incoming)
        return words + before + self._words
