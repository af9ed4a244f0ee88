"""What a variable, or a result, holds where nobody looks at it: something of the type that it has elsewhere."""

from __future__ import annotations

from typing import Any

from xetile.dialects import arith, xegpu, xetile
from xetile.frontend.carry import same_kind
from xetile.frontend.frame import Frame
from xetile.ir.core import Block, Op
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array, Handle
from xetile.language.containers import alike, parts_of, same_form
from xetile.language.elementwise import constant
from xetile.language.values import Value, Weak

_MAKERS = (xetile.InitTile, xegpu.CreateNdTdesc)
_MOVES = (xetile.UpdateTileOffset, xegpu.UpdateNdOffset)


class NoStandInError(Exception):
    """There is nothing that a variable, or a result, could hold where nobody looks at it."""


def stand_in(frame: Frame, held: Any, like: Any, inside: tuple[Block, ...]) -> Any:
    """`held` where it can take the place of `like`, else zeros, or a tile of the same array, written where the frame stands.

    `inside`: blocks that come after this place. Raises NoStandInError.
    """
    if (wanted := parts_of(like)) is not None:
        parts = (parts_of(held) if same_form(held, like) else None) or (None,) * len(wanted)
        return alike(like, [stand_in(frame, *pair, inside) for pair in zip(parts, wanted)])
    if not isinstance(like, (Value, Handle, Array)) or same_kind(held, like):
        return held if same_kind(held, like) else like
    if isinstance(like, Handle):
        return like.with_ir(_Hoisted(frame, inside).handle(like.ir))
    if isinstance(like, Array):
        if any(_is_inside(part.ir, inside) for part in like.parts if isinstance(part, Value)) or _is_inside(like.base, inside):
            raise NoStandInError
        return like
    zeros = constant(0, like.dtype, like.shape)
    if zeros.ir.type != like.ir.type:
        raise NoStandInError
    return Weak(zeros.ir, like.dtype) if isinstance(like, Weak) else zeros


def _is_inside(value: IRValue, blocks: tuple[Block, ...]) -> bool:
    """Whether a value is made in one of these blocks, or in a region of theirs."""
    owner: Any = value.owner
    block = owner.parent if isinstance(owner, Op) else owner
    while block is not None:
        if block in blocks:
            return True
        block = block.parent.parent if block.parent is not None else None
    return False


def _given(value: IRValue) -> IRValue:
    """What a loop or branch first gives for a value that it passes on."""
    owner: Any = value.owner if isinstance(value.owner, Op) else value.owner.parent
    for variable in owner.flow() if owner is not None else ():
        if value in variable.holders:
            op, number = variable.sources[0]
            return op.operands[number]  # type: ignore[no-any-return]
    raise NoStandInError


class _Hoisted:
    """What describes memory inside of branches, made again in front of them."""

    def __init__(self, frame: Frame, inside: tuple[Block, ...]) -> None:
        self._build = frame.kernel.build
        self._inside = inside
        self._made: dict[IRValue, IRValue] = {}

    def handle(self, tile: IRValue) -> IRValue:
        """The tile, or descriptor, that another one was moved from, at the array's first element."""
        seen: set[IRValue] = set()
        while _is_inside(tile, self._inside) and not isinstance(tile.op, _MAKERS):
            if tile in seen:
                raise NoStandInError
            seen.add(tile)
            tile = tile.op.operands[0] if isinstance(tile.op, _MOVES) else _given(tile)
        if not _is_inside(tile, self._inside):
            return tile
        op = tile.op
        if not isinstance(op, _MAKERS):
            raise NoStandInError
        operands = [
            self._build(arith.Constant, value=0, result=v.type) if 0 < n <= len(op.offsets) else self._value(v)
            for n, v in enumerate(op.operands)
        ]
        return self._build.clone(op, operands).results[0]

    def _value(self, value: IRValue) -> IRValue:
        """A value of pure ops on others; an op that is not needed harms nobody then."""
        if not _is_inside(value, self._inside):
            return value
        if value not in self._made:
            op = value.op
            if op is None or not op.pure or op.regions:
                raise NoStandInError
            self._made[value] = self._build.clone(op, [self._value(v) for v in op.operands]).results[op.results.index(value)]
        return self._made[value]
