"""Target: every number of the hardware that a pass, the runtime or a benchmark asks for."""

from __future__ import annotations

from dataclasses import field
from functools import cache

from xetile.errors import DtypeError, ResourceError
from xetile.records import dataclass
from xetile.target.blocks import Block2D
from xetile.target.mma import DTYPE_BITS, Mma

MOST_SUBGROUPS = 1024
"""Of a workgroup of any target: so many work-items, were each a subgroup."""
MOST_LANES = 64
"""Of a subgroup of any target."""


@dataclass(frozen=True, slots=True)
class GrfMode:
    """One size of the register file: registers per hardware thread, threads that fit, and the option that asks for it."""

    registers: int
    threads_per_engine: int
    build_option: str = ""


@dataclass(frozen=True, slots=True)
class CacheHints:
    """Legal pairs (level 1, level 3) of cache hints by kind of access, in xegpu's words."""

    load: tuple[tuple[str, str], ...] = ()
    store: tuple[tuple[str, str], ...] = ()
    atomic: tuple[tuple[str, str], ...] = ()

    def is_legal(self, access: str, l1: str | None, l3: str | None) -> bool:
        """Whether a load, prefetch, store or atomic may carry these hints; None leaves the choice to the driver."""
        if l1 is None and l3 is None:
            return True
        pairs = {"load": self.load, "prefetch": self.load, "store": self.store, "atomic": self.atomic}[access]
        return any(l1 in (None, a) and l3 in (None, b) for a, b in pairs)


@dataclass(frozen=True, slots=True)
class Roofline:
    """Peak rates, for models and percent-of-peak; None where no source is known.

    ops_per_clock: multiply and add count as two, per core, by dtype of the operands; hertz: the clock they are quoted at;
    bandwidths in bytes per second, cache sizes in bytes (level 1 per core, shared with local memory).
    """

    cores: int | None = None
    engines_per_core: int | None = None
    hertz: float | None = None
    matrix_ops_per_clock: tuple[tuple[str, int], ...] = ()
    vector_ops_per_clock: tuple[tuple[str, int], ...] = ()
    memory_bytes_per_second: float | None = None
    last_level_bytes_per_second: float | None = None
    l1_bytes_per_second: float | None = None
    l1_bytes: int | None = None
    last_level_bytes: int | None = None
    core_bytes_per_clock: int | None = None  # between registers and the first cache or shared local memory
    mma_cycles: int | None = None  # cycles of the largest 16-bit product on one engine
    function_clocks: int = 1  # clocks of exp2, sqrt and their like, for one of an addition
    cache_latency: int | None = None  # clocks until a load has its data, from the last cache
    memory_latency: int | None = None  # and from memory

    def peak(self, dtype: str, *, matrix: bool = True) -> float | None:
        """Operations per second of the whole device, or None where unknown."""
        rates = dict(self.matrix_ops_per_clock if matrix else self.vector_ops_per_clock)
        if dtype not in rates or self.cores is None or self.hertz is None:
            return None
        return rates[dtype] * self.cores * self.hertz


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of device. Sizes are bytes unless the name says otherwise; dtypes are strings such as "f16".

    Passes ask here and hold no number of their own. `block2d` is None where 2-D block messages do not exist.
    """

    name: str
    family: str
    description: str
    subgroup_size: int
    subgroup_sizes: tuple[int, ...]
    grf_bytes: int
    grf_modes: tuple[GrfMode, ...]
    grf_reserve: int
    grf_doubt: int  # registers by which IGC may need more than values are counted to: spilling costs more than the larger mode
    grf_overhead: int  # registers that every kernel takes beside its values: thread header, arguments, message headers
    engines_per_core: int | None
    max_workgroup: int
    slm_bytes: int
    barriers: int
    dtypes: frozenset[str]
    mma: tuple[Mma, ...] = ()
    block2d: Block2D | None = None
    block_payload_bytes: int = 32  # the header of a block message: 8 words
    block_offsets: bool = False  # block messages take constants that are added to coordinates (Xe2)
    block_rows: int = 8  # of the largest block that is stored, or that DPAS gives
    block1d_counts: tuple[int, ...] = ()
    chunk_sizes: tuple[int, ...] = (1,)
    max_scatter_bytes: int = 512
    lane_run: int = 1  # neighbours in a row that one lane holds, where lanes have no block messages to load rows with
    message_registers: int = 8  # that one message without block shape fills
    vector_components: int = 8  # of a vector in arithmetic, where lanes share work: wider ones gain nothing in the machine code
    slm_block_bytes: int = 256  # that one block message of shared memory moves
    slm_operand_bytes: int = 512  # the same of words as second operands of products have them
    slm_message_instructions: int = 2  # of such a message, with its address
    barrier_instructions: int = 7  # that IGC makes of a barrier with its fence
    cache_line: int = 64  # memory of a kernel's own begins at one: block messages of shared memory ask for 16 bytes at least
    prefetch_distance: int = 0  # loop steps ahead that hide memory's latency (facts of measured GEMMs); 0: do not prefetch
    cache_hints: CacheHints = field(default_factory=CacheHints)
    atomics: tuple[tuple[str, frozenset[str]], ...] = ()
    cas_bytes: tuple[int, ...] = ()
    roofline: Roofline = field(default_factory=Roofline)
    ocloc_device: str | None = None
    iga_platform: str = ""  # what Intel's assembler calls it; empty where it has no machine code of that kind
    divides: bool = True  # instructions begin and refine exact quotients; without them the compiler's function branches by lanes
    exact_division_option: str = ""  # asks the driver for f32 quotients and roots rounded as IEEE 754 says
    exact_steps: bool = True  # whether its unit for functions has steps of exact quotients and roots: IGC's own code is long
    vector_lanes: int = 0  # 32-bit elements of a vector register, where one work-item runs a whole workgroup; 0: lanes share it
    pair_products: frozenset[str] = frozenset()  # types whose neighbours are multiplied and added: of 16 bits two, of 8 bits four
    adds_pairs: bool = True  # whether one instruction multiplies pairs of i16 and adds them to a sum, too
    scales_by_powers: bool = False  # whether an instruction multiplies vectors of f32 by powers of 2
    stream_bytes: int = 0  # of an array from which on stores go past the caches, which it does not fit; 0: never
    cache_way_bytes: int = 4096  # addresses so far apart share the lines of a set of the first cache
    product_rows: int = 0  # of a register tile, with two vectors of columns: what leaves registers for the operands

    def __hash__(self) -> int:
        """Of the name alone: analyses are kept by target, and looked up often."""
        return hash(self.name)

    # DPAS.

    @property
    def has_2d_block(self) -> bool:
        """Whether 2-D block messages exist."""
        return self.block2d is not None

    @property
    def has_mma(self) -> bool:
        """Whether there is DPAS."""
        return bool(self.mma)

    def find_mma(self, lhs: str, rhs: str | None = None, acc: str | None = None, transposed: bool = False) -> Mma | None:
        """The product of those element types, or None; without `acc`, the widest accumulator.

        transposed: worked out as B^T times A^T (`Mma.transposed`).
        """
        return _find_mma(self, lhs, lhs if rhs is None else rhs, acc, transposed)

    def get_mma(self, lhs: str, rhs: str | None = None, acc: str | None = None, transposed: bool = False) -> Mma:
        """As `find_mma`; raises DtypeError, naming what DPAS takes, where there is none."""
        found = self.find_mma(lhs, rhs, acc, transposed)
        if found is not None:
            return found
        rhs = lhs if rhs is None else rhs
        asked = f"{lhs} by {rhs}" + (f" into {acc}" if acc else "")
        known = sorted({f"{p.lhs} by {p.rhs} into {p.acc}" for p in self.mma})
        raise DtypeError(
            f"DPAS of {self.name} does not multiply {asked}",
            hint=f"it multiplies {'; '.join(known)}" if known else f"{self.name} has no DPAS: use elementwise operations",
        )

    # Registers and work-items.

    def grf_mode(self, registers: int) -> GrfMode:
        """The mode with that many registers; raises ResourceError where there is none."""
        for mode in self.grf_modes:
            if mode.registers == registers:
                return mode
        known = ", ".join(str(mode.registers) for mode in self.grf_modes)
        raise ResourceError(f"{self.name} has no mode with {registers} registers", hint=f"it has {known}")

    def grf_capacity(self, registers: int) -> int:
        """Bytes of values that fit one thread's registers; `grf_reserve` registers hold addresses and arguments."""
        return (self.grf_mode(registers).registers - self.grf_reserve) * self.grf_bytes

    @property
    def largest_grf(self) -> int:
        """Bytes of values that fit one thread's registers where it has the most; 0 where a thread has none that are counted."""
        return max((self.grf_capacity(mode.registers) for mode in self.grf_modes), default=0)

    @property
    def smallest_grf(self) -> int:
        """The same where it has the fewest."""
        return min((self.grf_capacity(mode.registers) for mode in self.grf_modes), default=0)

    def spilled_bytes(self, live_bytes: int, registers: int) -> int:
        """Bytes of values that find no register of a thread: 0 where they fit with what every kernel takes besides.

        `grf_capacity` leaves registers free, so that IGC can allocate; this asks only whether they fit.
        """
        if live_bytes + self.grf_overhead * self.grf_bytes <= self.grf_mode(registers).registers * self.grf_bytes:
            return 0
        return live_bytes - self.grf_capacity(registers)

    def choose_grf(self, live_bytes: int, workgroup_items: int = 0) -> GrfMode | None:
        """The smallest mode that holds `live_bytes` of values per subgroup and allows the workgroup; None if none does.

        Where a larger mode allows it, too, the smaller one must hold `grf_doubt` registers besides.
        """
        modes = sorted(self.grf_modes, key=lambda mode: mode.registers)
        allowed = [mode for mode in modes if workgroup_items <= self.max_workgroup_items(mode.registers)]
        for mode in allowed:
            besides = self.grf_reserve if mode is allowed[-1] else max(self.grf_reserve, self.grf_doubt)
            if live_bytes <= (mode.registers - besides) * self.grf_bytes:
                return mode
        return None

    def max_workgroup_items(self, registers: int | None = None) -> int:
        """Work-items of the largest workgroup in a register mode: it must fit one core's hardware threads."""
        if self.engines_per_core is None or not self.grf_modes:
            return self.max_workgroup
        mode = self.grf_mode(registers) if registers is not None else self.grf_modes[0]
        threads = self.engines_per_core * mode.threads_per_engine
        return min(self.max_workgroup, threads * self.subgroup_size)

    @property
    def most_registers(self) -> int:
        """Registers of a thread in the mode that has most; 0 without modes."""
        return max((mode.registers for mode in self.grf_modes), default=0)

    def max_subgroups(self, registers: int | None = None) -> int:
        """Subgroups of the largest workgroup in a register mode."""
        return self.max_workgroup_items(registers) // self.subgroup_size

    # Messages.

    def check_2d_block(
        self, base_address: int, width_bytes: int, height: int, pitch_bytes: int, *, elem_bytes: int = 1
    ) -> list[str]:
        """Why 2-D block messages cannot reach an array, each reason in words; empty if they can (`Block2D.check`)."""
        if self.block2d is None:
            return [f"{self.name} has no 2-D block messages"]
        return self.block2d.check(base_address, width_bytes, height, pitch_bytes, elem_bytes=elem_bytes)

    def legal_chunks(self, elem_bytes: int) -> tuple[int, ...]:
        """Elements per lane that one scattered message takes (seed 000, scatter_tdesc_attr).

        More than one element must fill whole 32-bit units, and all lanes together take at most `max_scatter_bytes`.
        """
        capacity = self.max_scatter_bytes // self.subgroup_size
        return tuple(c for c in self.chunk_sizes if c == 1 or (c * elem_bytes % 4 == 0 and c * elem_bytes <= capacity))

    @property
    def run_bytes(self) -> int:
        """Neighbours that a lane takes in one message, in bytes."""
        return self.message_registers * self.grf_bytes // self.subgroup_size

    def atomic(self, kind: str, dtype: str) -> str | None:
        """How a read-modify-write works: "native", "cas" (a compare-and-swap loop), or None (not at all).

        kind: a name of arith's AtomicRMWKind, such as "addf".
        """
        if kind in dict(self.atomics).get(dtype, ()):
            return "native"
        return "cas" if DTYPE_BITS[dtype] // 8 in self.cas_bytes else None

    def supports(self, dtype: str) -> bool:
        """Whether values of that type can be held and computed with, at least by way of a wider type."""
        return dtype in self.dtypes


@cache
def _find_mma(target: Target, lhs: str, rhs: str, acc: str | None, transposed: bool) -> Mma | None:
    fitting = [p for p in target.mma if (p.lhs, p.rhs) == (lhs, rhs) and acc in (None, p.acc)]
    found = max(fitting, key=lambda p: DTYPE_BITS[p.acc], default=None)
    return found.transposed() if found is not None and transposed else found
