"""What a kernel is compiled for so that what it gathers are tiles: sizes that are the same, and places inside of arrays."""

from __future__ import annotations

from dataclasses import field

from xetile.dialects.gpu import GpuFunc, GpuModule
from xetile.ir import analyses
from xetile.passes.analysis.equal_scalars import named_scalars
from xetile.passes.analysis.gathered_tiles import ASSUMED, Access, GatheredTiles, Pair, Sides, accesses
from xetile.passes.analysis.index_ranges import are_known
from xetile.records import dataclass


def assume_tiles(module: GpuModule) -> bool:
    """Note in the kernel's `same` which of its arrays' sizes must be the same for more of its gathers and scatters to be tiles, and at
    these ops of which sides of their arrays they must not reach beyond.

    Before and after: a traced module. People mask columns of A by the number of rows of B, which is the same where a product is one, count
    elements of whole arrays by the length of their rows, which is their pitch, and mask no places that they know to be there. A launch
    checks it (`index_ranges`); where it does not hold, it gets a kernel with an index of 64 bits, for which nothing is assumed. Gives whether
    anything was noted.
    """
    kernel = module.kernel
    if kernel.index_bits > 32 or not accesses(kernel):
        return False
    state = _Assumed(module)
    without = state.tiles()
    while state.grow():
        found = state.tiles()
    if not state.pairs and not state.sides:
        return False
    state.keep(found if found > without else without)
    return bool(state.pairs or state.sides)


_NONE = Sides(frozenset(), frozenset())


@dataclass
class _Assumed:
    """What is assumed, and noted in the module."""

    module: GpuModule
    pairs: list[Pair] = field(default_factory=list)
    sides: dict[Access, Sides] = field(default_factory=dict)
    _found: GatheredTiles | None = None

    @property
    def kernel(self) -> GpuFunc:
        return self.module.kernel

    def tiles(self) -> set[Access]:
        """The accesses that are tiles with that."""
        self._note()
        self._found = GatheredTiles(self.kernel)
        return {op for op in self._found.ops if self._found.tile_of(op) is not None}

    def grow(self) -> bool:
        """Assume what accesses lack that are no tiles yet, and of places only what sizes and masks leave open; whether there was anything."""
        assert self._found is not None
        pairs = [pair for pair in self._found.others if pair not in self.pairs]
        sides = {} if pairs else {op: sides for op, sides in self._found.open.items() if op not in self.sides}
        self.pairs += pairs
        self.sides |= sides
        return bool(pairs or sides)

    def keep(self, wanted: set[Access]) -> None:
        """Assume no more than what makes some accesses tiles, nor what no launch can find out."""
        self.sides = {op: sides for op, sides in self.sides.items() if op in wanted}
        wanted = wanted & self.tiles()
        unknown = {op for op in self.sides if not are_known(self.module, op)}
        self.sides = {op: sides for op, sides in self.sides.items() if op not in unknown}
        wanted -= unknown
        for pair in tuple(self.pairs):
            kept = self.pairs
            self.pairs = [other for other in kept if other is not pair]
            if not self.tiles() >= wanted:
                self.pairs = kept
        self._note()

    def _note(self) -> None:
        names = {value: " ".join(map(str, name)) for name, value in named_scalars(self.kernel).items()}
        self.kernel.attributes.pop("same", None)
        if self.pairs:
            self.kernel.attributes["same"] = tuple(
                f"{names[one]} {f'number {other}' if isinstance(other, int) else names[other]}" for one, other in self.pairs
            )
        for op in accesses(self.kernel):
            for name, axes in zip(ASSUMED, self.sides.get(op, _NONE)):
                op.attributes.pop(name, None)
                if axes:
                    op.attributes[name] = tuple(sorted(axes))
        analyses.forget(self.module, self.kernel)


__all__ = ["assume_tiles"]
