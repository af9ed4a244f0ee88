"""What users read of loops that cannot be."""

import pytest

import xetile as xt
from tests.frontend.messages import Cases, check_message
from xetile import errors

wrong = Cases()


@wrong(errors.CompileError, n="i32")
def never_ends(n):
    """
    this condition never changes
      hint: a loop ends when its condition, computed in the kernel, is false, or by break
      in never_ends:
        while True:
              ^^^^
    """
    while True:
        n += 1


@wrong(errors.CompileError, A="f32[?,?]", n="i32")
def waits_for_what_it_leaves(A, n):
    """
    this condition never changes
      hint: a loop ends when its condition, computed in the kernel, is false, or by break
      in waits_for_what_it_leaves:
        while n * 2 < m:
              ^^^^^^^^^
    """
    m, x = xt.program_id(0), xt.load_tile(A[0:8, 0:16])
    while n * 2 < m:
        x += m
        n, m = n, m
    A[0:8, 0:16] = x


@wrong(errors.CompileError, A="f32[?,?]", n="i32")
def part_made_in_a_loop(A, n):
    """
    row is a part of an array, or a tile, that is made in this loop and used behind it
      hint: keep the place, such as row and column, and make the tile behind the loop
      in part_made_in_a_loop:
        while True:
        ^^^^^^^^^^^
    """
    while True:
        row, n = A[n], n + 1
        if row[0] > 2:
            break
    xt.store_tile(xt.zeros((4,), xt.f32), xt.init_tile(row, 0, (4,)))


@wrong(errors.CompileError, n="i32")
def wrong_inside_a_loop_that_starts_true(n):
    """
    there is no step here
      hint: define or import it
      in wrong_inside_a_loop_that_starts_true:
        n += step
             ^^^^
    """
    again = True
    while again:
        n += step  # noqa: F821
        again = n < 5


@wrong(errors.CompileError, n="i32")
def shared_arrays_change_places(n):
    """
    loop-carried value changes type: a is a view of slm: f32[4,8] before and a view of another array after an iteration
      hint: loops carry tiles, also of several arrays: source = xt.init_tile(A, ...) before, xt.update_tile_offset(source, (1, 0)) in it
      in shared_arrays_change_places:
        a, b = b, a
        ^^^^^^^^^^^
    """
    a, b = xt.alloc_slm((4, 8), xt.f32), xt.alloc_slm((4, 8), xt.f32)
    for _ in range(n):
        a, b = b, a


@wrong(errors.CompileError, A="f16[?,?]", B="f16[?,?]", n="i32")
def arrays_change_places(A, B, n):
    """
    loop-carried value changes type: source is a view of A: f16[?,?] before and a view of B: f16[?,?] after an iteration
      hint: loops carry tiles, also of several arrays: source = xt.init_tile(A, ...) before, xt.update_tile_offset(source, (1, 0)) in it
      in arrays_change_places:
        source, result = result, source
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    source, result = A, B
    for _ in range(n):
        result[0:8, 0:16] = xt.load_tile(source[0:8, 0:16])
        source, result = result, source


@wrong(errors.CompileError, A="f16[?,?]", B="f16[?,?]", n="i32")
def one_array_or_the_other(A, B, n):
    """
    the two sides differ: a view of A: f16[?,?] in one branch and a view of B: f16[?,?] in the other
      hint: tiles of several arrays go on, arrays do not: make the tile in each branch, tile = xt.init_tile(A, (m, 0), (64, 32))
      in one_array_or_the_other:
        source = A if n > 0 else B
                 ^^^^^^^^^^^^^^^^^
    """
    source = A if n > 0 else B
    return xt.load_tile(source[0:8, 0:16])


@pytest.mark.parametrize("kernel,kind,constants,types", wrong)
def test_message(kernel, kind, constants, types):
    check_message(kernel, kind, constants, types)
