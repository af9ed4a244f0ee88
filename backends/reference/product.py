"""Matrix products of factored values.

A batch axis that both operands have stays a batch axis; one that only A has joins the rows, one that only B has joins the
columns. So the products of a whole grid are one call of BLAS: (grid y * M, K) @ (K, grid x * N). Products that are added up
one after another (a loop over K) are kept waiting side by side until there is enough K for BLAS to run at full speed.

Accumulation is in float32 (float64 for f64), in an order of BLAS's own; a device adds in another order. Sums of integers are
exact modulo the width of the accumulator.
"""

# numpy's type information gives Any for most results.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from dataclasses import field
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from xetile.dialects.types import F64, TF32, ScalarType
from xetile.records import dataclass

from .values import BATCH, Array, Deferred, force, narrow, round_tf32, storage, unsigned

ENOUGH = 512
"""K from which waiting longer gains nothing: BLAS is within a tenth of its best."""

WAITING = 4 << 20
"""Elements of both operands that may wait: products that share batch axes would otherwise hold many times what their values do."""

_EXACT_IN_F32 = 1 << 24


@dataclass(frozen=True)
class Factoring:
    """How the axes of A and B become one product: permutations of their axes, and shapes before and after merging."""

    a_order: tuple[int, ...]
    a_shape: tuple[int, ...]
    a_matrix: tuple[int, ...]
    b_order: tuple[int, ...]
    b_shape: tuple[int, ...]
    b_matrix: tuple[int, ...]
    c_shape: tuple[int, ...]
    c_order: tuple[int, ...]
    c_full: tuple[int, ...]

    @property
    def but_for_k(self) -> tuple[tuple[int, ...], ...]:
        """All that products side by side along K have in common."""
        k = self.b_order.index(BATCH)
        return self.a_order, self.a_shape[:-1], self.b_order, (*self.b_shape[:k], *self.b_shape[k + 1 :]), self.c_full

    def merge_a(self, a: Array) -> Array:
        """A as (shared..., rows, K)."""
        return a.transpose(self.a_order).reshape(self.a_matrix)

    def merge_b(self, b: Array) -> Array:
        """B as (shared..., K, columns)."""
        return b.transpose(self.b_order).reshape(self.b_matrix)

    def split(self, c: Array) -> Array:
        """(shared..., rows, columns) as a value again: a view."""
        return c.reshape(self.c_shape).transpose(self.c_order).reshape(self.c_full)


@lru_cache(maxsize=1024)
def factoring(a: tuple[int, ...], b: tuple[int, ...]) -> Factoring:
    """The factoring of values of shapes (batch..., M, K) and (batch..., K, N)."""
    axes = range(BATCH)
    shared = [i for i in axes if a[i] > 1 and b[i] > 1]
    of_a = [i for i in axes if a[i] > 1 and b[i] == 1]
    of_b = [i for i in axes if a[i] == 1 and b[i] > 1]
    ones = [i for i in axes if a[i] == 1 and b[i] == 1]
    (m, k), n = a[BATCH:], b[BATCH + 1]
    common = [a[i] for i in shared]
    rows, columns = [a[i] for i in of_a], [b[i] for i in of_b]
    # Places of the result's axes in (ones, shared, A's, M, B's, N).
    places = {axis: i for i, axis in enumerate([*ones, *shared, *of_a, BATCH, *of_b, BATCH + 1])}
    a_order = (*ones, *of_b, *shared, *of_a, BATCH, BATCH + 1)
    b_order = (*ones, *of_a, *shared, BATCH, *of_b, BATCH + 1)
    return Factoring(
        a_order=a_order,
        a_shape=tuple(a[i] for i in a_order),
        a_matrix=(*common, prod(rows) * m, k),
        b_order=b_order,
        b_shape=tuple(b[i] for i in b_order),
        b_matrix=(*common, k, prod(columns) * n),
        c_shape=(*(1 for _ in ones), *common, *rows, m, *columns, n),
        c_order=tuple(places[i] for i in range(BATCH + 2)),
        c_full=(*(max(x, y) for x, y in zip(a[:BATCH], b[:BATCH])), m, n),
    )


@dataclass
class _Waiting:
    """Space for products side by side along K; `used` of it is taken."""

    a: Array
    b: Array
    used: int = 0


@dataclass(eq=False)
class Product(Deferred):
    """`base + A @ B`, where A and B are the first `length` columns and rows of what waits."""

    how: Factoring
    waiting: _Waiting
    length: int
    base: Array | None
    element: ScalarType
    done: Array | None = field(default=None)

    def value(self) -> Array:
        """The sum."""
        if self.done is None:
            a, b = self.waiting.a[..., : self.length], self.waiting.b[..., : self.length, :]
            self.done = add_up(self.how.split(a @ b), self.base, self.element)
        return self.done

    def takes(self, how: Factoring, k: int, dtype: Any) -> bool:
        """Whether another product can join."""
        capacity = self.waiting.a.shape[-1] - self.length
        same = self.how is how or self.how.but_for_k == how.but_for_k
        # Where another sum has already gone on from here, the space is not ours.
        return self.done is None and same and k <= capacity and self.waiting.used == self.length and self.waiting.a.dtype == dtype


def add_up(product: Array, base: Array | None, element: ScalarType) -> Array:
    """A product (float, freshly made) plus what was there, rounded once."""
    if element.is_int:
        dtype = storage(element)
        whole = product.astype(np.int64).astype(dtype)
        return whole if base is None else np.add(whole, base)
    if base is not None:
        fits = np.broadcast_shapes(product.shape, base.shape) == product.shape
        product = np.add(product, base.astype(product.dtype, copy=False), out=product if fits else None)
    return narrow(product, element)


def multiply(
    a: Array, b: Array, acc: Any, element: ScalarType, *, signs: tuple[bool, bool] = (True, True), depth: int = 0
) -> Array | Product:
    """`acc + a @ b` of values (batch..., M, K) and (batch..., K, N); `acc` may be None or deferred; `signs`: which are signed.

    Operands are taken as their types hold them (tf32 rounded before, by `rounded_operand`). A sum narrower than f32 is rounded
    after each `depth` of K; 0: once.
    """
    if element.is_int:
        a, b = (x if s else unsigned(x) for x, s in zip((a, b), signs))
        if max(a.dtype.itemsize, b.dtype.itemsize) > 1:
            dtype = storage(element)
            exact = np.matmul(a.astype(dtype), b.astype(dtype))
            return exact if acc is None else exact + force(acc)
    dtype, capacity = _compute_in(a, b, element)
    how, k = factoring(a.shape, b.shape), a.shape[-1]
    capacity = min(capacity, WAITING // max(1, prod(how.a_matrix[:-1]) + prod(how.b_matrix) // max(1, k)))
    if element.bits < 32 and 0 < depth < k:
        for start in range(0, k, depth):
            acc = _at_once(a[..., start : start + depth], b[..., start : start + depth, :], acc, element, dtype)
        return force(acc)
    if element.bits < 32 or 2 * k > capacity:
        return _at_once(a, b, acc, element, dtype)
    if not (isinstance(acc, Product) and acc.takes(how, k, dtype)):
        acc = _start(how, _nonzero(force(acc)), capacity, dtype, element)
    return _join(acc, how, a, b)


def _at_once(a: Array, b: Array, acc: Any, element: ScalarType, dtype: Any) -> Array:
    how = factoring(a.shape, b.shape)
    whole = how.merge_a(a.astype(dtype, copy=False)) @ how.merge_b(b.astype(dtype, copy=False))
    return add_up(how.split(whole), _nonzero(force(acc)), element)


def _compute_in(a: Array, b: Array, element: ScalarType) -> tuple[Any, int]:
    """The float type in which products are exact enough, and how much K may wait."""
    if element is F64:
        return np.float64, ENOUGH
    if element.is_float:
        return np.float32, ENOUGH
    largest = [255 if x.dtype.kind == "u" else 128 for x in (a, b)]
    capacity = min(ENOUGH, _EXACT_IN_F32 // prod(largest))
    return (np.float32, capacity) if a.shape[-1] <= capacity else (np.float64, 0)


def _start(how: Factoring, base: Array | None, capacity: int, dtype: Any, element: ScalarType) -> Product:
    a = np.empty((*how.a_matrix[:-1], capacity), dtype)
    b = np.empty((*how.b_matrix[:-2], capacity, how.b_matrix[-1]), dtype)
    return Product(how, _Waiting(a, b), 0, base, element)


def _join(acc: Product, how: Factoring, a: Array, b: Array) -> Product:
    start, stop = acc.length, acc.length + a.shape[-1]
    # Copied (and widened) now: the memory that they are views of may change.
    acc.waiting.a[..., start:stop].reshape(how.a_shape)[...] = a.transpose(how.a_order)
    rows = acc.waiting.b[..., start:stop, :]
    rows.reshape(how.b_shape)[...] = b.transpose(how.b_order)
    acc.waiting.used = stop
    return Product(how, acc.waiting, stop, acc.base, acc.element)


def _nonzero(acc: Array | None) -> Array | None:
    """None for a splat of zero."""
    if acc is None or (not any(acc.strides) and acc.flat[0] == 0):
        return None
    return acc


def rounded_operand(value: Array, element: ScalarType) -> Array:
    """An operand as DPAS sees it."""
    return round_tf32(value) if element is TF32 else value
