"""What kernels in xegpu ops hold besides values: descriptors, matrices in shared local memory; and layouts.

The level of a kernel, workgroup, subgroup or lane, is that of its layouts: sg_layout is for workgroups (MLIR's xegpu dialect, LayoutAttr).
Lane-level kernels say so by `level("lane")` before anything else, since each of their values is then one lane's share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xetile.dialects import vector, xegpu
from xetile.dialects.types import VectorType
from xetile.dtypes import DType
from xetile.errors import CompileError, LayoutError, TileShapeError
from xetile.ir.core import Value as IRValue
from xetile.language.arrays import Array, Handle
from xetile.language.context import current
from xetile.language.elementwise import as_value, plain
from xetile.language.values import Shape, Value, describe
from xetile.layout import Layout, Slice

AnyLayout = Layout | Slice
LEVELS = ("workgroup", "subgroup", "lane")


def level(name: str) -> None:
    """Say at which level this kernel is written: "workgroup", "subgroup" or "lane". Once, before the first op of xegpu.

    Needed for "lane" only: the others follow from the layouts. Raises CompileError for another word, or where ops stand before.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            xegpu.level("lane")
            lane = xegpu.lane_id()
            x = xegpu.load(X, lane)                     # each lane one element
            xegpu.store(x * 2, Y, lane)

        X, Y = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
        example(X, Y)
        print(Y[:4])

    Prints:
        [0. 2. 4. 6.]
    """
    kernel = current()
    if name not in LEVELS:
        raise CompileError(f"level({name!r})", hint=f"one of {', '.join(LEVELS)}")
    if kernel.level not in (None, name):
        raise CompileError(f"level({name!r}): ops before it have made this a {kernel.level}-level kernel")
    kernel.level = name


def level_now() -> str:
    """The level so far; workgroup-level layouts may still come."""
    kernel = current()
    kernel.level = kernel.level or "subgroup"
    return kernel.level


def layout(*, sg_layout: Sequence[int] = (), sg_data: Sequence[int] = (), inst_data: Sequence[int] = (),
           lane_layout: Sequence[int] = (), lane_data: Sequence[int] = (), order: Sequence[int] = ()) -> Layout:  # fmt: skip
    """How tiles are distributed to subgroups, instructions and lanes (MLIR's xegpu dialect, #xegpu.layout); `.slice(dims)` for lower ranks.

    Raises LayoutError where the numbers contradict each other.

    Example:
        layout = xegpu.layout(sg_layout=(8, 4), sg_data=(32, 32), inst_data=(8, 16), lane_layout=(1, 16), lane_data=(1, 1))
        print(layout)
        print(layout.elements((256, 128), sg=5, lane=3)[:2])

    Prints:
        #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32], inst_data = [8, 16], lane_layout = [1, 16], lane_data = [1, 1]>
        [(32, 35), (33, 35)]
    """
    return Layout(*map(tuple, (sg_layout, sg_data, inst_data, lane_layout, lane_data, order)))


def mem_layout(*, stride: Sequence[int] = (), block: Sequence[int] = ()) -> xegpu.MemLayoutAttr:
    """How a matrix lies in shared local memory (MLIR's xegpu dialect, #xegpu.mem_layout): strides in elements, shape of contiguous blocks.

    `create_mem_desc` raises LayoutError where the numbers contradict each other or its shape.

    Example:
        @xt.jit(grid=(1,))
        def example(X, Y):
            by_columns = xegpu.mem_layout(stride=(1, 8))
            matrix = xegpu.create_mem_desc(xt.alloc_slm((8, 16), xt.f32), (8, 16), layout=by_columns)
            xegpu.store_matrix(xegpu.load_nd(xegpu.create_nd_tdesc(X, (0, 0), (8, 16))), matrix, (0, 0))
            xt.barrier()
            xegpu.store_nd(xegpu.load_matrix(matrix, (0, 0), (8, 16)), xegpu.create_nd_tdesc(Y, (0, 0), (8, 16)))

        X, Y = np.ones((8, 16), np.float32), np.zeros((8, 16), np.float32)
        example(X, Y)
        print((Y == X).all())

    Prints:
        True
    """
    return xegpu.MemLayoutAttr(tuple(stride), tuple(block))


class TensorDesc(Handle):
    """A descriptor of a block of memory, or of scattered elements. `shape`: of the block; `dtype`: of its elements."""

    __slots__ = ()

    @property
    def type(self) -> xegpu.TensorDescType:
        """The type in the IR."""
        assert isinstance(self.ir.type, xegpu.TensorDescType)
        return self.ir.type

    @property
    def described(self) -> str:
        """For messages: `tensor_desc f16[32,32] of A`."""
        kind = "scattered tensor_desc" if self.type.scattered else "tensor_desc"
        return f"{kind} {self.dtype}[{','.join(map(str, self.shape))}] of {self.array}"


class MemDesc(Handle):
    """A matrix in shared local memory."""

    __slots__ = ()

    @property
    def type(self) -> xegpu.MemDescType:
        """The type in the IR."""
        assert isinstance(self.ir.type, xegpu.MemDescType)
        return self.ir.type

    @property
    def described(self) -> str:
        """For messages: `mem_desc f16[128,128]`."""
        return f"mem_desc {self.dtype}[{','.join(map(str, self.shape))}]"


# What functions check, in the user's words.


def check_layout(given: Any, op: str, shape: Sequence[int]) -> AnyLayout | None:
    """A layout that can distribute a value of `shape`. Raises LayoutError."""
    if given is None:
        return None
    if not isinstance(given, (Layout, Slice)):
        raise LayoutError(f"{op}: the layout is {given!r}", hint="make one: xegpu.layout(sg_layout=(8, 4), sg_data=(32, 32))")
    kernel = current()
    if given.is_workgroup and kernel.level != "workgroup":
        if kernel.level == "lane":
            raise LayoutError(f"{op}: sg_layout in a lane-level kernel", hint="lanes' layouts have no sg_layout")
        kernel.level = "workgroup"
    wrong = xegpu.not_distributable(tuple(shape), given)
    if wrong:
        raise LayoutError(f"{op}: {wrong}")
    return given


def check_desc(given: Any, op: str, *, scattered: bool = False) -> TensorDesc:
    """A descriptor of the kind that an op takes. Raises CompileError."""
    make = "create_tdesc(A, offsets)" if scattered else "create_nd_tdesc(A, offsets, shape)"
    if not isinstance(given, TensorDesc):
        raise CompileError(f"{op} takes a tensor_desc, not {describe(given)}", hint=f"make one: xegpu.{make}")
    if given.type.scattered != scattered:
        raise CompileError(f"{op} does not take a {given.described}", hint=f"make one by xegpu.{make}")
    return given


def check_matrix(given: Any, op: str) -> MemDesc:
    """A matrix. Raises CompileError."""
    if not isinstance(given, MemDesc):
        raise CompileError(f"{op} takes a mem_desc, not {describe(given)}", hint="make one: xegpu.create_mem_desc(slm, shape)")
    return given


def check_value(given: Any, op: str, dtype: DType, shape: Shape, what: str) -> Value:
    """A value of a dtype and shape. Raises CompileError, TileShapeError."""
    value = as_value(plain(given), dtype)
    if value.dtype is not dtype:
        raise CompileError(
            f"{op}: the value is {describe(value)}, {what} has elements of {dtype}", hint=f"convert: .to(xt.{dtype})"
        )
    if value.shape != shape:
        raise TileShapeError(f"{op}: the value is {describe(value)}, {what} takes {dtype}[{','.join(map(str, shape))}]")
    return value


def cache_hints(op: str, **given: str | None) -> dict[str, xegpu.CacheHint]:
    """Cache hints by level. Raises CompileError for an unknown word; which fit a load or a store its op checks."""
    hints = {}
    for name, word in given.items():
        if word is None:
            continue
        if word not in xegpu.CACHE_HINTS:
            raise CompileError(f"{op}: {name} is {word!r}", hint=f"one of {', '.join(xegpu.CACHE_HINTS)}")
        hints[name] = xegpu.CacheHint(word)
    return hints


def static_shape(shape: Any, op: str, ranks: tuple[int, ...]) -> Shape:
    """A shape of constants. Raises TileShapeError."""
    items = (shape,) if isinstance(shape, int) else shape
    good = isinstance(items, (tuple, list)) and all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in items)
    if not good or len(items) not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise TileShapeError(f"{op}: the shape is {shape!r}", hint=f"give {wanted} positive constants, such as (32, 16)")
    return tuple(items)


def index_list(offsets: Any, op: str, count: int, what: str) -> list[IRValue]:
    """Offsets as index values. Raises TileShapeError for another number of them."""
    from xetile.language.tiles import as_index

    items = offsets if isinstance(offsets, (tuple, list)) else (offsets,)
    if len(items) != count:
        raise TileShapeError(f"{op}: {len(items)} offsets for {what}", hint=f"give {count}")
    return [as_index(x, f"{op}: an offset") for x in items]


# Values of one dimension are rows in the language, vectors of one dimension in xegpu.


def to_vector(value: Value) -> IRValue:
    """A value as xegpu takes it."""
    if len(value.shape) != 1:
        return value.ir
    kind = VectorType(value.shape, value.ir.type.element)  # type: ignore[attr-defined]
    return current().build(vector.ShapeCast, value.ir, result=kind)


def from_vector(ir: IRValue, dtype: DType) -> Value:
    """What xegpu gives, as a value."""
    if not isinstance(ir.type, VectorType):
        return Value(ir, dtype)
    shape = ir.type.shape
    if len(shape) == 1:
        ir = current().build(vector.ShapeCast, ir, result=ir.type.with_shape(1, *shape))
    return Value(ir, dtype, shape)


def check_array(given: Any, op: str) -> Array:
    """An array. Raises CompileError."""
    if not isinstance(given, Array):
        raise CompileError(f"{op}: the base is {describe(given)}, not an array")
    return given
