"""The layout of each class of values: what the user fixed, what follows from it, and choices where nothing follows."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from functools import cached_property
from math import lcm
from typing import Any

from xetile.dialects import arith, scf, vector, xetile
from xetile.dialects.rows import StoreRows
from xetile.dialects.types import VectorType, element_of
from xetile.errors import LayoutError
from xetile.ir import analyses
from xetile.ir.core import Elementwise, Op, Value
from xetile.ir.interfaces import enclosing, op_around
from xetile.ir.reach import reached
from xetile.layout import Layout
from xetile.passes.analysis.block_access import BlockAccess
from xetile.passes.analysis.block_sizes import element_bytes
from xetile.passes.analysis.products import mma_types, passes_by
from xetile.passes.analysis.rearranged import rearranged
from xetile.passes.analysis.staying import loaded
from xetile.passes.common.slm import before_exchange
from xetile.passes.workgroup.layouts.choose import (
    Product,
    Together,
    Traffic,
    choose_num_subgroups,
    choose_plain,
    choose_product,
    choose_with_whole_columns,
    other_numbers,
)
from xetile.passes.workgroup.layouts.graph import STORES, Graph, Node, shape_of_node, stored
from xetile.passes.workgroup.layouts.once import ops_of_class, worked_once
from xetile.passes.workgroup.layouts.rules import operand_layouts, result_layout, shape_of, words
from xetile.target import DTYPE_BITS, Target

SHARE = 1 / 8
"""The part of the registers that sums may take that several subgroups work out alike."""

_WORKED = (Elementwise, vector.Shuffle)
"""What lanes do with what they hold."""
_REWORKED = (xetile.TileMma, xetile.TileReduce, xetile.TileScan)
"""What values come from whose layouts other rules shape."""


class LayoutPlan:
    """`home[class]`: the layout of every class of a graph; `num_subgroups` of the workgroup."""

    def __init__(self, graph: Graph, target: Target, num_subgroups: int | None = None) -> None:
        self.graph = graph
        self.target = target
        self.home: dict[Node, Layout] = {}
        self._queue: deque[Node] = deque()
        self._passed: set[tuple[Value, Layout, bool]] = set()  # through which cheap values layouts have been passed on
        self._once: dict[Node, bool] = {}  # classes that products ask for: whether they are worked out once
        self._sums: dict[Node, tuple[int | None, list[int]]] = {}  # what products of a class have in common
        self._products: dict[Op, Product] = {op: self._product(op) for op in graph.ops if isinstance(op, xetile.TileMma)}
        self._blocks = self._matrix_blocks()
        self.num_subgroups = num_subgroups or self._num_subgroups()
        self._check_pins()
        for node in graph.members:
            pin = graph.pin(node)
            if pin is not None:
                self._set(node, pin.layout)
        self._follow()
        self._choose()

    def layout(self, node: Node) -> Layout:
        """The layout of the class of a node that is not cheap."""
        return self.home[self.graph.root(node)]

    @cached_property
    def _access(self) -> BlockAccess:
        return analyses.get(BlockAccess, self.graph.module, self.target)

    # Numbers of subgroups.

    def _num_subgroups(self) -> int:
        given = self.graph.kernel.num_subgroups
        if given is not None:
            return int(given)
        for layout, _ in self._given():
            return layout.num_subgroups
        largest = self._largest()
        if largest is not None and any(shape_of_node(root) == largest[0] for root in self._moved_rows):
            with_rows = choose_with_whole_columns(*largest, self.target)
            if with_rows is not None:
                return with_rows
        return choose_num_subgroups(self._together, largest, self.target)

    @property
    def other_numbers(self) -> list[int]:
        """Numbers of subgroups that are no powers of two and may be less work; none where it is given how many there are."""
        given = self.graph.kernel.num_subgroups is not None or next(self._given(), None) is not None
        return [] if given else other_numbers(self._together, self.target)

    @property
    def _together(self) -> Together:
        together: dict[tuple[Hashable, Hashable], list[Product]] = {}
        for op, product in self._products.items():
            around = [each for each in enclosing(op) if each is not self.graph.kernel]
            together.setdefault((self.graph.root(op.result), around[-1] if around else None), []).append(product)
        return together

    def _given(self) -> Iterator[tuple[Layout, Op]]:
        yield from ((pin.layout, pin.op) for pin in self.graph.pins.values())
        tiles = [op for op in self.graph.ops if isinstance(op, xetile.InitTile)]
        yield from ((op.result.type.wg_map, op) for op in tiles if op.result.type.wg_map is not None)

    def _check_pins(self) -> None:
        for layout, op in self._given():
            try:
                _check_count(layout, self.num_subgroups)
            except LayoutError as error:
                raise error.located(op.loc) from None

    def _largest(self) -> tuple[tuple[int, int], int] | None:
        # All pairs of a row and a column belong to no class, and are computed all the same.
        cheap = [
            value.type for value in self.graph.cheap if isinstance(value.op, Elementwise) and element_of(value.type).is_float
        ]
        types = [*(_type(node) for node in self.graph.members), *cheap]
        if not types:
            return None
        sizes = [(t.shape, DTYPE_BITS.get(t.element.name, 64) // 8) for t in types]
        return max(sizes, key=lambda item: item[0][0] * item[0][1] * item[1])

    @cached_property
    def _moved_rows(self) -> set[Node]:
        """Classes of which whole rows change places through shared memory, as in scans and rotations along columns: where a subgroup has
        whole columns, registers only take other names. None in kernels of products, which say who has what, and where lanes hold runs of
        rows, which narrow parts of a tile are not.
        """
        found = set[Node]()
        loads = self.graph.kernel.find((xetile.LoadGather, xetile.LoadTile))
        for op in () if self._products or self.target.block2d is None else loads:
            moved = rearranged(op.results[0]) if _type(op.operands[0]).space else None
            if moved is not None and moved.picked(0) is not None:
                values = [v for v in (op.results[0], *moved.sources) if v not in self.graph.cheap and shape_of(v)[0] > 1]
                roots = {self.graph.root(value) for value in values}
                apart = [root for root in roots if shape_of_node(root)[1] > self.target.subgroup_size]
                found |= roots if all(self._bound(root, 0) != 1 for root in apart) else set()
        return found

    # What follows.

    def _set(self, node: Node, layout: Layout) -> None:
        root = self.graph.root(node)
        if root not in self.home:
            self.home[root] = layout
            self._queue.append(root)

    def _follow(self) -> None:
        """Derive from every class that has a layout what follows for others, nearest first."""
        while self._queue:
            root = self._queue.popleft()
            layout = self.home[root]
            for node in self.graph.members[root]:
                if isinstance(node, StoreRows):
                    self._suggest_stored(node, layout)
                elif isinstance(node, Op):
                    self._suggest(node.value, layout)  # type: ignore[attr-defined]
                else:
                    self._suggest_operands(node, layout)
                    self._suggest_results(node, layout)

    def _suggest(self, value: Value, layout: Layout) -> None:
        if value in self.graph.cheap:
            if self._first(value, layout, backward=True):
                self._suggest_operands(value, layout)
        elif self._fits(value, layout):
            self._set(value, layout)

    def _suggest_stored(self, op: StoreRows, layout: Layout) -> None:
        for operand, follows in zip(op.operands, operand_layouts(op, layout)):
            if follows is not None:
                self._suggest(operand, follows)

    def _suggest_operands(self, value: Value, layout: Layout) -> None:
        op = value.op
        if op is None or op.regions:
            return
        for operand, follows in zip(op.operands, operand_layouts(op, layout)):
            if follows is not None and isinstance(operand.type, VectorType) and not self._worked_once(op, operand, follows):
                self._suggest(operand, follows)

    def _worked_once(self, op: Op, operand: Value, follows: Layout) -> bool:
        """Whether an operand's class had better be worked out once, and change hands, than by each subgroup that multiplies by it."""
        root = self.graph.root(operand)
        if operand in self.graph.cheap or not isinstance(op, (xetile.TileMma, xetile.TileTranspose)):
            return False
        if root not in self._once:
            self._once[root] = root not in self.home and worked_once(self.graph, root, follows, self.num_subgroups, self.target)
        return self._once[root]

    def _suggest_results(self, value: Value, layout: Layout) -> None:
        for op, position in self.graph.uses(value):
            if not op.results or not isinstance(op.results[0].type, VectorType) or op.regions:
                continue
            if isinstance(op, xetile.TileTranspose) and self._once.get(self.graph.root(value)):
                continue  # it goes to where it is taken on the way
            result = op.results[0]
            follows = layout if result in self.graph.cheap else None
            follows = result_layout(op, position, layout) or follows
            if follows is None:
                continue
            if result in self.graph.cheap:
                if self._first(result, follows, backward=False):
                    self._suggest_results(result, follows)
            elif self._fits(result, follows):
                self._set(result, follows)

    def _first(self, value: Value, layout: Layout, *, backward: bool) -> bool:
        key = (value, layout, backward)
        seen = key in self._passed
        self._passed.add(key)
        return not seen

    def _fits(self, value: Value, layout: Layout) -> bool:
        """Whether DPAS can make the products of a value's class in pieces of this size, and registers hold these."""
        rows, columns = self._blocks.get(self.graph.root(value), (1, 1))
        return layout.sg_data[0] % rows == 0 and layout.sg_data[1] % columns == 0 and not self._too_many(value, layout)

    def _too_many(self, value: Value, layout: Layout) -> bool:
        """Whether subgroups would work the same products out, each more of them than a part of its registers holds.

        Such sums change hands through shared memory where all of them are an operand: by block messages, which are fewer.
        """
        if self.graph.root(value) not in self._blocks or not self.target.grf_modes:
            return False
        (rows, columns), shape = layout.sg_data, shape_of(value)
        if self.num_subgroups * rows * columns <= shape[0] * shape[1]:
            return False
        return rows * columns * max(1, element_bytes(element_of(value.type))) > SHARE * self.target.largest_grf

    def _matrix_blocks(self) -> dict[Node, tuple[int, int]]:
        """For each class with products: the rows and columns that DPAS makes at a time, at the least."""
        found: dict[Node, tuple[int, int]] = {}
        for op, product in self._products.items():
            mma, root = self.target.find_mma(*product.types), self.graph.root(op.results[0])
            rows, columns = found.get(root, (1, 1))
            if mma is not None:
                found[root] = lcm(rows, min(mma.m)), lcm(columns, mma.n)
            else:
                found[root] = rows, columns
        return found

    # Choices.

    def _choose(self) -> None:
        products = sorted(self._products, key=lambda op: self._products[op].bound is None)
        for op in products:
            if self.graph.root(op.results[0]) not in self.home:
                self._set(op.results[0], choose_product(self._products[op], self.num_subgroups, self.target))
                self._follow()
        for root in sorted(self.graph.members, key=self._importance):
            if root not in self.home:
                bound, traffic = self._bound(root, 0), tuple(self._traffic(root))
                if bound is None and root in self._moved_rows:
                    bound = 0 if shape_of_node(root)[1] >= self.num_subgroups * self.target.subgroup_size else None
                if self._once.get(root):
                    bound = self._reduced(root)
                self._set(root, choose_plain(shape_of_node(root), self.num_subgroups, self.target, bound, traffic))
                self._follow()

    def _traffic(self, root: Node) -> Iterator[Traffic]:
        """The accesses of a class to global memory by block messages: those of rows, and loads of columns."""
        for node in self.graph.members[root]:
            op = node if isinstance(node, Op) else node.op
            if not isinstance(op, (xetile.LoadTile, xetile.StoreTile)) or op.tile.type.space:
                continue
            size = element_bytes(op.tile.type.element)
            if op.tile.type.order == (1, 0):
                valid = op.attributes.get("valid") or (-1, -1)
                written = valid[1] if valid[1] >= 0 else None
                yield Traffic("load" if op.results else "store", size, written)
            elif op.results:
                yield Traffic("transpose", size)

    def _importance(self, root: Node) -> tuple[bool, int]:
        rows, columns = shape_of_node(root)
        return self._bound(root, 0) is None, -rows * columns

    def _product(self, op: xetile.TileMma) -> Product:
        (m, k), n = shape_of(op.a), shape_of(op.b)[1]
        bound, moved = self._sum(self.graph.root(op.result))
        worked = [self._ops(before_exchange(operand), self.graph.depth[op]) for operand in (op.a, op.b)]
        ops = worked[0] + moved[0], worked[1] + moved[1]
        made = op.b.op  # what a constant repeats takes one register
        stays = made is not None and not made.constant_like and self.graph.depth[made] < self.graph.depth[op]
        goes_on = self._goes_on(op, any(ops))
        passes = ops[1] > 0 and not ops[0] and self.target.block2d is not None and passes_by(op)
        once = self._ops_once(before_exchange(op.a)), self._ops_once(before_exchange(op.b))
        load = loaded(before_exchange(op.a))
        comes = load is not None or (isinstance(op.a.op, arith.Select) and any(map(loaded, op.a.op.operands)))
        again = load is not None and self.target.block2d is not None and self.graph.depth[load] < self.graph.depth[op]
        return Product(m, n, k, mma_types(op), bound, ops, stays, goes_on, passes, comes, again, once)

    def _sum(self, root: Node) -> tuple[int | None, list[int]]:
        """Of a class that products add up in: the dimension that should not be split, and how many loads of each operand are moved."""
        if root not in self._sums:
            makers = [v.op for v in self.graph.members[root] if isinstance(v, Value) and isinstance(v.op, xetile.TileMma)]
            depth = min(self.graph.depth[maker] for maker in makers if maker is not None)
            moved = [
                max(self._moved(before_exchange(maker.operands[i]), depth) for maker in makers if maker is not None)
                for i in range(2)
            ]
            self._sums[root] = self._bound(root, depth), moved
        return self._sums[root]

    def _ops_once(self, operand: Value) -> int:
        """The ops of an operand, or of what it is the transpose of, that can be worked out once."""
        source = operand.op.source if isinstance(operand.op, xetile.TileTranspose) else operand
        return 0 if source in self.graph.cheap else ops_of_class(self.graph, self.graph.root(source), self.target)[0]

    def _goes_on(self, op: xetile.TileMma, worked_out: bool) -> bool:
        """Whether another product alone adds to a product's sums, and the operands of both come by block messages: what is loaded
        element by element takes registers for addresses and masks. Beside it, where they are worked out; behind the loop, always.
        """
        sums: Value = op.result
        if not worked_out:
            loop = op_around(op)
            given = list(sums.uses)
            if not isinstance(loop, scf.For) or len(given) != 1 or given[0][0] is not loop.body.terminator:
                return False
            sums = loop.results[given[0][1]]
        users = list(sums.users)
        if len(users) != 1 or not isinstance(users[0], xetile.TileMma) or users[0].acc is not sums:
            return False
        access = self._access
        loads = [load for product in (op, users[0]) for value in (product.a, product.b) for load in _loads(value)]
        return all(access.aligned(load.tile) and all(map(access.reaches, access.made_by(load.tile))) for load in loads)

    def _ops(self, value: Value, depth: int) -> int:
        """By how many ops as deep in loops a tile is worked out from what is loaded; 0 where it comes from something else."""
        found: dict[Value, None] = {}
        queue = [value]
        while queue:
            op = queue.pop().op
            if isinstance(op, arith.Select) and _ends_at(op.condition) and self.graph.depth[op] >= depth:
                queue.append(op.true_value)  # of all blocks only the one that the end cuts is worked out
            elif isinstance(op, _WORKED) and self.graph.depth[op] >= depth:
                if op.results[0] not in found:
                    found[op.results[0]] = None
                    queue += op.operands
            elif isinstance(op, _REWORKED):
                return 0
        return len(found)

    def _moved(self, value: Value, depth: int) -> int:
        """How many of the loads that a tile is worked out from bring it with its elements in other lanes: from inside of a word on."""
        loads = [load for load in _loads(value) if self.graph.depth[load] >= depth]
        return sum(self._access.begins_in_words(load.tile) for load in loads)

    def _reduced(self, root: Node) -> int | None:
        """The dimension over which a class is reduced, if any."""
        uses = [use for node in self.graph.members[root] if isinstance(node, Value) for use in self.graph.uses(node)]
        return next((int(op.dims[0]) for op, _ in uses if isinstance(op, xetile.TileReduce) and len(op.dims) == 1), None)

    def _bound(self, root: Node, depth: int) -> int | None:
        """The dimension of a class that should not be split, since ops as deep in loops reduce it or multiply over it."""
        for node in self.graph.members[root]:
            for op, position in self.graph.uses(node) if isinstance(node, Value) else ():
                if self.graph.depth[op] < depth:
                    continue
                if isinstance(op, xetile.TileReduce):
                    return int(op.dims[0]) if len(op.dims) == 1 else None
                if isinstance(op, xetile.TileScan):
                    return 0 if self._is_scanned(root, 1 - op.dim, depth) else op.dim
                if isinstance(op, xetile.TileMma) and position < 2:
                    return 1 - position
        return None

    def _is_scanned(self, root: Node, dim: int, depth: int) -> bool:
        """Whether ops as deep in loops scan a class along a dimension.

        Along both, columns are kept together as far as they are long: of the rows' sums subgroups then hand on one number a row.
        """
        values = (node for node in self.graph.members[root] if isinstance(node, Value))
        uses = (op for value in values for op, _ in self.graph.uses(value))
        return any(isinstance(op, xetile.TileScan) and op.dim == dim and self.graph.depth[op] >= depth for op in uses)


def _ends_at(condition: Value) -> bool:
    """Whether a mask holds in front of a certain row or column of a tile."""
    op = condition.op
    return isinstance(op, arith.CmpI) and isinstance(op.lhs.op, xetile.TileIota) and isinstance(op.rhs.op, arith.Constant)


def _loads(value: Value) -> Iterator[xetile.LoadTile]:
    """The loads that a value is worked out from in registers."""
    worked = reached([value], lambda v: v.op.operands if isinstance(v.op, _WORKED) else ())
    return (v.op for v in worked if isinstance(v.op, xetile.LoadTile))


def _check_count(layout: Layout, subgroups: int) -> None:
    if layout.num_subgroups != subgroups:
        raise LayoutError(
            f"the map {words(layout)} is for {layout.num_subgroups} subgroups; the workgroup has {subgroups}",
            hint=f"make the product of sg_layout {subgroups}, or compile with num_subgroups={layout.num_subgroups}",
        )


def _type(node: Node) -> Any:
    if isinstance(node, Value):
        return node.type
    assert isinstance(node, STORES)
    return stored(node).type
