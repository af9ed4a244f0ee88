"""More subgroups for kernels that spill with as many as their products suggest.

What a kernel holds beside the operands and sums of products is known only once it is lowered; where that does not fit, and nobody
has said how many subgroups there are, twice, four or eight times as many are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from xetile.errors import XetileError

if TYPE_CHECKING:
    from xetile.dialects.gpu import GpuModule
    from xetile.runtime.request import Request
    from xetile.target import Target

DOUBLINGS = 3
FULL, FULL_BESIDE_PRODUCTS, FULL_BY_LANES = 0.975, 0.92, 0.84
"""The share of the registers from which on IGC may spill, that beside products, whose order it keeps, and that of kernels for whose products
each lane loads by itself.
"""
LESS = 0.85
"""The least that kernels need of what two other numbers of subgroups suggest: of those of tests for DG2 that do not fit 0.89 to 1.5."""
KEPT = 64
_counts: list[tuple[Request, int | None]] = []
"""What was found for the last requests that left the number open, for the kernel's IR and its estimate."""


def known(request: Request) -> Request | None:
    """What is compiled for a request, which may be itself; None where that has not been found out."""
    if request.num_subgroups is not None:
        return request
    found = [count for asked, count in _counts if asked == request]
    return replace(request, num_subgroups=found[-1]) if found else None


def fitting(request: Request, module: GpuModule, target: Target, lower: Callable[[Request], GpuModule]) -> Request:
    """The request with as many subgroups as it takes not to spill; where none of them do, with those that spill least, the fewest of these.

    More subgroups are also taken where so little is left of the registers that IGC may spill, if they leave more.

    module: the kernel at lane level, as the request says. lower: gives that of another request; for numbers alone that may be the answer.
    """
    answer = request
    least = (spilled(module, target), is_tight(module, target), 0) if request.num_subgroups is None else (0, False, 0)
    wider = list(_wider(request, module, target)) if least[:2] > (0, False) else []
    # Those first that may fit, the fewest subgroups before others; of those that do not the most, which take least time to lower.
    wider = [*(found for found in wider if not found[0]), *(found for found in reversed(wider) if found[0])]
    live = {module.kernel.attributes["num_subgroups"]: _live(module)} if wider else {}
    for at_least, other in wider:
        count = other.num_subgroups or 0
        if (max(at_least, _expected(live, count, target)), False, count) >= least:
            continue
        made = _lowered(other, lower)
        if made is not None:
            live[count] = _live(made)
        if made is not None and (found := (spilled(made, target), is_tight(made, target), count)) < least:
            answer, least = other, found
        if least[:2] == (0, False):
            break
    _counts.append((request, answer.num_subgroups))
    del _counts[:-KEPT]
    return answer


def spilled(module: GpuModule, target: Target) -> int:
    """Bytes that find no register, of a kernel at lane level; 0 for targets without a register file."""
    if target.vector_lanes or not target.grf_modes:
        return 0
    return target.spilled_bytes(_live(module), module.kernel.attributes.get("grf", target.grf_modes[0].registers))


def _live(module: GpuModule) -> int:
    live: int = module.kernel.attributes.get("live_bytes", 0)
    return live


def _expected(live: dict[int, int], count: int, target: Target) -> int:
    """What a number of subgroups between two that were lowered spills at least: of what these need one part is each subgroup's, the other
    is shared out. Kernels need up to a fifth less than that; where more subgroups need more, nothing is expected.
    """
    fewer, more = (pick((n for n in live if (n > count) is larger), default=0) for pick, larger in ((max, False), (min, True)))
    if not fewer or not more or live[more] >= live[fewer]:
        return 0
    shared = (live[fewer] - live[more]) / (1 / fewer - 1 / more)
    registers = max(mode.registers for mode in target.grf_modes)
    return target.spilled_bytes(round(LESS * (live[more] + shared * (1 / count - 1 / more))), registers)


def is_tight(module: GpuModule, target: Target) -> bool:
    """Whether the values of a kernel at lane level leave less of the registers than IGC may need to put them in order."""
    if target.vector_lanes or not target.grf_modes:
        return False
    from xetile.dialects.xegpu import Dpas
    from xetile.estimate.registers import gathers_memory, in_words, is_rematerialized

    kernel = module.kernel
    if spilled(module, target) or is_rematerialized(kernel, target):
        return True
    size = kernel.attributes.get("grf", target.grf_modes[0].registers) * target.grf_bytes
    beside = target.grf_overhead * target.grf_bytes
    taken = kernel.attributes.get("live_bytes", 0) + beside
    if not kernel.has(Dpas):
        # What lanes load by themselves is counted in words, which IGC packs where it must.
        return bool(taken > FULL * size) and not gathers_memory(kernel, target)
    if target.block2d is None:
        return bool(taken > FULL_BY_LANES * size)
    # IGC begins gathers of an operand together, and packs them when all have come.
    full = FULL_BESIDE_PRODUCTS * size
    return bool(taken > full) or (gathers_memory(kernel, target) and in_words(kernel, target) + beside > full)


def _wider(request: Request, module: GpuModule, target: Target) -> Iterator[tuple[int, Request]]:
    """Requests of more subgroups, each behind what it spills at least: a subgroup's part of no tile shrinks faster than its number grows."""
    kernel, registers = module.kernel, max(mode.registers for mode in target.grf_modes)
    count, live = kernel.attributes["num_subgroups"], _live(module)
    for _ in range(DOUBLINGS):
        count, live = count * 2, live // 2
        if count <= target.max_subgroups(registers):
            yield target.spilled_bytes(live, registers), replace(request, num_subgroups=count)


def _lowered(request: Request, lower: Callable[[Request], GpuModule]) -> GpuModule | None:
    """The kernel with so many subgroups; None where its own maps say how many there are."""
    try:
        return lower(request)
    except XetileError:
        return None
