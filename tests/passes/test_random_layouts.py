"""Random kernels with random maps: whatever layouts meet, subgroups together do what the workgroup does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from xetile.backends.reference.interpret import interpret

from tests.passes.parity import races
from tests.reference.build import Kernel, passed
from tests.sampling import few
from xetile.dialects import arith, vector, xetile
from xetile.dialects.types import F32, I32, INDEX, VectorType
from xetile.errors import LayoutError
from xetile.ir.printer import print_op
from xetile.ir.verifier import verify
from xetile.layout import Layout
from xetile.passes.cleanup.canonicalize import canonicalize
from xetile.passes.distribute.distribute_to_subgroups import distribute_to_subgroups
from xetile.passes.workgroup.layouts.infer_layouts import infer_layouts
from xetile.target import get_target

PVC = get_target("pvc")
SIZES = (1, 4, 16, 32)


class Draft:
    """A random kernel: values of small shapes, combined at random, all stored at the end."""

    def __init__(self, draw):
        self.draw = draw
        self.subgroups = draw(st.sampled_from((1, 2, 4, 8)))
        self.kernel = Kernel({"A": F32, "B": F32}, (INDEX,), num_subgroups=self.subgroups)
        self.zero = self.kernel.const(0)
        self.values = [self.load(), self.load()]

    def map(self, shape):
        """A random map that fits, or none."""
        rows = self.draw(st.sampled_from([d for d in (1, 2, 4, 8) if self.subgroups % d == 0]))
        grid = (rows, self.subgroups // rows)
        data = tuple(self.draw(st.sampled_from([d for d in (1, 2, 4, 8, 16, 32) if n % d == 0])) for n in shape)
        layout = Layout(grid, data, order=self.draw(st.sampled_from([(), (), (0, 1)])))
        try:
            layout.sg_spread(shape)
        except LayoutError:
            return None
        return layout

    def maybe_map(self, shape):
        return self.map(shape) if self.draw(st.booleans()) else None

    def shape(self):
        return self.draw(st.sampled_from(SIZES)), self.draw(st.sampled_from(SIZES))

    def load(self, shape=None):
        shape = shape or self.shape()
        place = [self.kernel.const(self.draw(st.integers(-3, 40))) for _ in range(2)]
        return self.kernel.build(xetile.LoadTile, self.kernel.tile("A", place, shape, wg_map=self.maybe_map(shape)))

    def pick(self):
        return self.draw(st.sampled_from(self.values))

    def step(self):
        kind = self.draw(
            st.sampled_from(("add", "add", "convert", "turn", "reduce", "scan", "stretch", "mma", "place", "loop", "load"))
        )
        self.values.append(getattr(self, kind)())

    def partner(self, shape):
        same = [v for v in self.values if v.type.shape == shape]
        return self.draw(st.sampled_from(same)) if same else self.load(shape)

    def add(self):
        x = self.pick()
        return self.kernel.build(arith.AddF, x, self.partner(x.type.shape))

    def convert(self):
        x = self.pick()
        layout = self.map(x.type.shape)
        return self.kernel.build(xetile.TileConvLayout, x, wg_map=layout) if layout else x

    def turn(self):
        return self.kernel.build(xetile.TileTranspose, self.pick())

    def reduce(self):
        kind = self.draw(st.sampled_from(("add", "maxnumf")))
        return self.kernel.build(xetile.TileReduce, self.pick(), kind=kind, dims=(self.draw(st.integers(0, 1)),))

    def scan(self):
        return self.kernel.build(xetile.TileScan, self.pick(), kind="add", dim=self.draw(st.integers(0, 1)))

    def stretch(self):
        x = self.pick()
        dims = tuple(d for d in (0, 1) if x.type.shape[d] == 1)
        shape = tuple(self.draw(st.sampled_from(SIZES)) if d in dims else n for d, n in enumerate(x.type.shape))
        return self.kernel.build(xetile.TileBroadcast, x, dims=dims, result=VectorType(shape, F32)) if dims else x

    def mma(self):
        a = self.pick()
        m, k = a.type.shape
        n = self.draw(st.sampled_from(SIZES))
        acc = self.partner((m, n)) if self.draw(st.booleans()) else None
        return self.kernel.build(xetile.TileMma, a, self.partner((k, n)), acc, result=VectorType((m, n), F32))

    def place(self):
        build, shape = self.kernel.build, self.shape()
        number = build(xetile.TileIota, dim=self.draw(st.integers(0, 1)), result=VectorType(shape, INDEX))
        number = build(arith.AddI, number, build(vector.Broadcast, self.kernel.scalars[0], result=number.type))
        return build(arith.SIToFP, build(arith.IndexCast, number, result=VectorType(shape, I32)), result=VectorType(shape, F32))

    def loop(self):
        x = self.pick()
        y, half = self.partner(x.type.shape), self.kernel.const(0.5, x.type)

        def body(i, value):
            return [self.kernel.build(arith.AddF, self.kernel.build(arith.MulF, value, half), y)]

        (result,) = self.kernel.loop(self.zero, self.kernel.scalars[0], self.kernel.const(1), [x], body)
        return result

    def finish(self):
        """Store everything, each value at rows of its own."""
        for i, value in enumerate(self.values):
            place = [self.kernel.const(40 * i), self.zero]
            shape = value.type.shape
            layout = self.map(shape) if value.op is not None and self.draw(st.integers(0, 9)) == 0 else None
            self.kernel.build(xetile.StoreTile, value, self.kernel.tile("B", place, shape, wg_map=layout))
        return self.kernel.done()


@st.composite
def kernels(draw):
    draft = Draft(draw)
    for _ in range(draw(st.integers(1, 8))):
        draft.step()
    return draft.finish(), len(draft.values)


def run(module, rows, level):
    a = np.random.default_rng(5).integers(-4, 4, (40, 40)).astype(np.float32)
    b = np.zeros((40 * rows, 32), np.float32)
    interpret(module, (1,), [*passed(a, b), 2], level=level)
    return b


def agree(module, rows):
    expected = run(module, rows, "workgroup")
    try:
        layout = infer_layouts(module, PVC)
    except LayoutError:
        assume(False)
    verify(layout)
    subgroup = distribute_to_subgroups(layout, PVC)
    assert not races(subgroup.kernel), print_op(subgroup)
    for what, made in (("subgroup", subgroup), ("canonical", None)):
        made = made or canonicalize(distribute_to_subgroups(layout, PVC), PVC)
        verify(made)
        found = run(made, rows, "subgroup")
        assert np.allclose(found, expected, rtol=1e-3, atol=1e-2), (
            f"{what}\n{print_op(module)}\n{print_op(layout)}\n{print_op(made)}"
        )
    np.testing.assert_allclose(run(layout, rows, "workgroup"), expected, rtol=1e-3, atol=1e-2)


@few(3)
@given(kernels())
def test_subgroups_together_do_what_the_workgroup_does(case):
    agree(*case)


@pytest.mark.slow
@given(kernels())
def test_subgroups_together_do_it_on_more(case):
    agree(*case)
