"""Which values must share one layout, which are cheap enough to be rematerialized in each layout, and what the user fixed."""

from __future__ import annotations

from collections.abc import Iterator

from xetile.dialects import arith, vector, xetile
from xetile.dialects.gpu import GpuModule
from xetile.dialects.rows import StoreRows
from xetile.dialects.types import VectorType
from xetile.errors import LayoutError
from xetile.ir import analyses
from xetile.ir.classes import Classes
from xetile.ir.core import Block, Elementwise, Op, Value
from xetile.ir.variables import variables
from xetile.layout import Layout
from xetile.passes.analysis.alias_classes import AliasClasses
from xetile.passes.analysis.owners import same_owners, shares
from xetile.passes.workgroup.layouts.rules import operand_layouts, reduced, shape_of, words
from xetile.records import dataclass

Node = Value | Op
"""A value, or a store: an op that wants its value in one layout."""

STORES = (xetile.StoreTile, xetile.StoreScatter, StoreRows)
_REMATERIALIZED = (arith.Constant, vector.Broadcast, xetile.TileIota)
_CHEAP_IF_SOURCE_IS = (Elementwise, xetile.TileTranspose)


@dataclass(frozen=True)
class Pin:
    """A layout that the user gave, and the op that says so."""

    layout: Layout
    op: Op


class Graph:
    """The value nodes of a kernel in classes of one layout each.

    `cheap` values belong to no class: constants, splats, coordinates, broadcasts, and elementwise ops of only such values are
    made again in each layout that a use asks for.
    """

    def __init__(self, module: GpuModule) -> None:
        self.module = module
        self.alias_classes = analyses.get(AliasClasses, module)
        self.kernel = module.kernel
        self.ops: list[Op] = []
        self.depth: dict[Op, int] = {}
        self.cheap: set[Value] = set()
        self.pins: dict[Node, Pin] = {}
        self.members: dict[Node, list[Node]] = {}
        self._classes = Classes[Node]()
        self._collect(self.kernel.body, 0)
        self.carried_to = {use: variable.holders[0] for use, variable in variables(self.kernel).given.items()}
        self._order = {op: i for i, op in enumerate(self.ops)}
        for op in self.ops:
            for group in _one_layout(op):
                self._unite([n for n in group if n not in self.cheap])
        for node in self._nodes():
            self.members.setdefault(self.root(node), []).append(node)

    def root(self, node: Node) -> Node:
        """The node that stands for a class."""
        return self._classes.root(node)

    def uses(self, value: Value) -> list[tuple[Op, int]]:
        """The uses of a value, in the order of the kernel."""
        return sorted(value.uses, key=lambda use: self._order[use[0]])

    def pin(self, node: Node) -> Pin | None:
        """What the user fixed for a class."""
        return self.pins.get(self.root(node))

    def _collect(self, block: Block, depth: int) -> None:
        for op in block.ops:
            self.ops.append(op)
            self.depth[op] = depth
            self._pin(op)
            if op.results and op.results[0] not in self.pins and _is_cheap(op, self.cheap):
                self.cheap.add(op.results[0])
            for inner in op.regions:
                self._collect(inner, depth + op.repeats)

    def _pin(self, op: Op) -> None:
        for node, given in _given_maps(op):
            layout = complete(given, shape_of_node(node), op)
            self.pins[node] = Pin(layout, op)

    def _unite(self, group: list[Node]) -> None:
        for node in group[1:]:
            one, other = self.root(group[0]), self.root(node)
            if one is other:
                continue
            first, second = self.pins.get(one), self.pins.get(other)
            if first and second and not same_owners(first.layout, second.layout, shape_of_node(one)):
                raise _contradiction(first, second)
            self._classes.unite(one, other)
            if second and not first:
                self.pins[one] = second

    def _nodes(self) -> Iterator[Node]:
        for op in self.ops:
            if isinstance(op, STORES):
                yield op
            yield from (r for r in op.results if isinstance(r.type, VectorType) and r not in self.cheap)
            for block in op.regions:
                yield from (a for a in block.args if isinstance(a.type, VectorType))


def complete(given: Layout, shape: tuple[int, int], op: Op) -> Layout:
    """A user's map with its defaults filled in, pieces of one owner along a dimension as one.

    Raises LayoutError at `op` where it does not fit the tile.
    """
    try:
        layout = Layout(given.sg_layout, order=given.order if given.sg_layout else ())
        layout = layout.with_sg(given.sg_layout, given.sg_data)
        return layout.with_sg(given.sg_layout, [s.extent if s.distinct == 1 else s.size for s in shares(layout, shape)])
    except LayoutError as error:
        error.message = f"the {shape[0]}x{shape[1]} tile cannot be mapped by {words(given)}: {error.message}"
        raise error.located(op.loc) from None


def shape_of_node(node: Node) -> tuple[int, int]:
    """Rows and columns of a node's value."""
    return shape_of(node if isinstance(node, Value) else stored(node))


def stored(op: Op) -> Value:
    """What a store writes, in memory's type: its tile, or its value where it has none."""
    found: Value = op.value if isinstance(op, StoreRows) else op.tile  # type: ignore[attr-defined]
    return found


def _is_cheap(op: Op, cheap: set[Value]) -> bool:
    if not isinstance(op.results[0].type, VectorType):
        return False
    if isinstance(op, (*_REMATERIALIZED, xetile.TileBroadcast)):
        return True
    return isinstance(op, _CHEAP_IF_SOURCE_IS) and all(v in cheap for v in op.operands if isinstance(v.type, VectorType))


def _given_maps(op: Op) -> Iterator[tuple[Node, Layout]]:
    """The user's maps by the node they fix: an op's own, or that of the tile it accesses."""
    given = op.attributes.get("wg_map")
    if given is not None and op.results and isinstance(op.results[0].type, VectorType):
        yield op.results[0], given
    if isinstance(op, (xetile.LoadTile, xetile.LoadGather, xetile.AtomicRmwTile)) and op.tile.type.wg_map is not None:
        yield op.results[0], op.tile.type.wg_map
    if isinstance(op, (xetile.StoreTile, xetile.StoreScatter)) and op.tile.type.wg_map is not None:
        yield op, op.tile.type.wg_map


def _one_layout(op: Op) -> Iterator[list[Node]]:
    """Groups of nodes of an op that must have the same layout."""
    groups: list[tuple[Node, ...]] = []
    if isinstance(op, Elementwise):
        groups = [(op.results[0], *op.operands)]
    elif isinstance(op, xetile.TileMma):
        groups = [(op.result, *op.operands[2:])]
    elif isinstance(op, (xetile.TileScan, xetile.LoadGather)):
        groups = [(op.results[0], *(v for v in op.operands))]
    elif isinstance(op, StoreRows):
        groups = [(op, op.value)]
    elif isinstance(op, (*STORES, xetile.AtomicRmwTile)):
        groups = [((op.results[0] if op.results else op), *op.operands)]
    elif op.regions:
        groups = [variable.values for variable in op.flow()]
    for group in groups:
        yield [n for n in group if isinstance(n, Op) or isinstance(n.type, VectorType)]


def _contradiction(first: Pin, second: Pin) -> LayoutError:
    later, earlier = (first, second) if _line(first.op) > _line(second.op) else (second, first)
    return LayoutError(
        f"two maps meet: {words(earlier.layout)} (line {_line(earlier.op)}) and {words(later.layout)}",
        hint="give both the same map, or convert one value with tile_conv_layout",
        at=later.op.loc,
    )


_ROLES = {xetile.TileMma: ("a", "b", "acc"), xetile.StoreTile: ("the value", "the tile")}


def check_operands(graph: Graph, op: Op) -> None:
    """Maps of the user must agree where they meet; only what the compiler chose is converted silently. Raises LayoutError."""
    result = graph.pin(op.results[0])
    if result is None:
        return
    for position, (value, follows) in enumerate(zip(op.operands, operand_layouts(op, result.layout))):
        given = graph.pin(value) if isinstance(value.type, VectorType) and value not in graph.cheap else None
        if given is not None and follows is not None and not _agree(op, value, given.layout, follows, result.layout):
            name = op.opname.split(".")[1]
            role = _ROLES.get(type(op), ("the source",) * 3)[position]
            raise LayoutError(
                f"{name}: {role} is mapped {words(given.layout)}; from the result's {words(result.layout)} follows {words(follows)}",
                hint="map it so, or convert it with tile_conv_layout",
                at=op.loc,
            )


def _agree(op: Op, value: Value, given: Layout, follows: Layout, result: Layout) -> bool:
    """Whether an operand's layout fits the result's, from which another one follows."""
    if isinstance(op, xetile.TileReduce):
        return same_owners(reduced(op, (0, given)), result, shape_of(op.result))
    # A transposition may also swap the map and move pieces between subgroups (seed 001, tile_transpose).
    swapped = [Layout(result.sg_layout[::-1], result.sg_data[::-1])] if isinstance(op, xetile.TileTranspose) else []
    return any(same_owners(given, other, shape_of(value)) for other in (follows, *swapped))


def _line(op: Op) -> int:
    return op.loc.line if op.loc is not None else 0
