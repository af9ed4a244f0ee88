"""What a kernel is specialised on, per parameter, and its text: `f16[?,?]`, `f16[4096,4096]`, `f32[?,?;F]`, `i32`.

Warm starts read signatures, so this file imports no compiler module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from xetile import dtypes
from xetile.dtypes import DType
from xetile.errors import ArgumentError
from xetile.records import dataclass
from xetile.target.block_rules import MARKS

if TYPE_CHECKING:
    from xetile.dialects.types import MemRefType

ANY_STRIDES = "any"
"""In a text given to `compile`: nothing may be taken for granted of the strides of an array of three axes or more."""
_TEXT = re.compile(r"\s*(\w+)\s*(?:\[([^\];]*)(?:;([^\]]*))?\])?\s*")
_DIM = re.compile(r"\?|\d+")
_MOST_DIGITS = 18  # of sizes below 2**63
_FORM = (
    'such as "f16[?,?]", "f16[4096,4096]", "f32[?,?;F]" (column-major), "f32[?,?;scattered]", "f32[?,?;ragged]", '
    '"f32[?,?;close]", "f32[?;lines]", "f32[?,?,?;free]", "f32[?,?,?;any]", "f32[?,?;far]", "f32[?;scattered,long]" or "i32"'
)


@dataclass(frozen=True)
class ArrayType:
    """An array parameter: element type and shape, `None` for a size that is known at run time only.

    `contiguous`: "C", neighbours along the last dimension lie side by side; "F", those along the last but one.
    `scattered`: the array breaks the rules of 2D block messages (address, pitch, width) and is accessed element by element.
    `ragged`: its rows are no whole runs of a lane (`target.names`), so that rows are accessed element by element.
    `close`: its rows lie so close that no block message writes a few columns of them alone (`target.names.is_close`).
    `lines`: one dimension, whose length is whole lines of the cache (`target.names`): one block message brings several of them.
    `free`: three dimensions or more, any of which may be dropped (`A[:, h]`): planes of any two axes obey the rules of block messages.
    `long`: one dimension, longer than a row of block messages may be and `scattered` for that alone: they reach it line by line.
    `far`: its rows lie so far apart that no block message reaches every n-th of them alone (`target.names.is_far`).
    """

    dtype: DType
    shape: tuple[int | None, ...]
    contiguous: str = "C"
    scattered: bool = False
    ragged: bool = False
    close: bool = False
    lines: bool = False
    free: bool = False
    far: bool = False
    long: bool = False

    def __post_init__(self) -> None:
        if self.contiguous not in ("C", "F"):
            raise ArgumentError(f'contiguous is "C" or "F", not {self.contiguous!r}')
        if self.contiguous == "F" and len(self.shape) < 2:
            raise ArgumentError("an array of rank 1 has no column-major form", hint='leave ";F" out')
        if self.lines and len(self.shape) != 1:
            raise ArgumentError("lines are of an array of rank 1", hint='leave ";lines" out')
        if self.long and (len(self.shape) != 1 or not self.scattered):
            raise ArgumentError("a long array is of rank 1 and scattered", hint='leave ";long" out, or write ";scattered,long"')
        if self.free and len(self.shape) < 3:
            raise ArgumentError("the axes of an array of rank 1 or 2 are none to choose from", hint='leave ";free" out')

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def unit_axis(self) -> int:
        """The dimension whose neighbours lie side by side in memory."""
        return self.rank - (1 if self.contiguous == "C" else 2)

    @property
    def strides(self) -> tuple[int | None, ...]:
        """Strides in elements, `None` where known at run time only; arrays of static shape are compact."""
        if any(n is None for n in self.shape):
            return tuple(1 if axis == self.unit_axis else None for axis in range(self.rank))
        order = list(range(self.rank))
        if self.contiguous == "F":
            order[-1], order[-2] = order[-2], order[-1]
        strides, step = [0] * self.rank, 1
        for axis in reversed(order):
            strides[axis] = step
            step *= self.shape[axis] or 1
        return tuple(strides)

    def memref(self) -> MemRefType:
        """The type of the kernel's argument: `memref<?x?xf16, strided<[?, 1]>>`; without axes it is an element's."""
        from xetile.dialects.types import MemRefType

        return MemRefType(self.shape or (1,), self.dtype.ir, self.strides or (1,))

    def __str__(self) -> str:
        return self._text(())

    @property
    def in_full(self) -> str:
        """The text that `compile` takes for this very type, and for nothing that promises more."""
        open_ones = len(self.shape) > 2 and not (self.free or self.scattered)
        return self._text((ANY_STRIDES,) if open_ones else ())

    def _text(self, more: tuple[str, ...]) -> str:
        dims = ",".join("?" if n is None else str(n) for n in self.shape)
        marks = [*["F"] * (self.contiguous == "F"), *(mark for mark in MARKS if getattr(self, mark)), *more]
        return f"{self.dtype}[{dims}{';' + ','.join(marks) if marks else ''}]"


@dataclass(frozen=True)
class ScalarParam:
    """A number given at launch."""

    dtype: DType

    def __str__(self) -> str:
        return str(self.dtype)


ParamType = ArrayType | ScalarParam


def parse(text: str) -> ParamType:
    """The parameter type of a text such as "f16[?,?]".

    Raises ArgumentError for text of another form, DtypeError for an unknown element type.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ArgumentError(f"{text[:100]!r} is not a parameter type", hint=_FORM)
    name, dims, marks = match.groups()
    element = dtypes.dtype(name)
    if dims is None:
        return ScalarParam(element)
    sizes = [d.strip() for d in dims.split(",")] if dims.strip() else []
    flags = _flags(marks)
    if not all(_DIM.fullmatch(d) and len(d) <= _MOST_DIGITS for d in sizes) or not set(flags) <= {"C", "F", ANY_STRIDES, *MARKS}:
        raise ArgumentError(f"{text[:100]!r} is not a parameter type", hint=_FORM)
    shape = tuple(None if d == "?" else int(d) for d in sizes)
    return ArrayType(element, shape, "F" if "F" in flags else "C", *(mark in flags for mark in MARKS))


def marks_of(text: str) -> set[str]:
    """The marks behind the sizes of a type's text; none in one of another form."""
    match = _TEXT.fullmatch(text)
    return set(_flags(match.group(3))) if match is not None else set()


def _flags(marks: str | None) -> list[str]:
    return [m.strip() for m in (marks or "").split(",") if m.strip()]


@dataclass(frozen=True)
class Signature(Mapping[str, ParamType]):
    """The run-time parameters of a kernel in order, with their types."""

    items_: tuple[tuple[str, ParamType], ...]

    @classmethod
    def of(cls, **types: str | ParamType) -> Signature:
        """`Signature.of(A="f16[?,?]", n="i32")`; raises as `parse` does."""
        return cls(tuple((name, parse(t) if isinstance(t, str) else t) for name, t in types.items()))

    def __getitem__(self, name: str) -> ParamType:
        for key, value in self.items_:
            if key == name:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(name for name, _ in self.items_)

    def __len__(self) -> int:
        return len(self.items_)

    def __hash__(self) -> int:
        return hash(self.items_)

    def __str__(self) -> str:
        return ", ".join(f"{name}: {type}" for name, type in self.items_)
