"""What users read of loops that cannot be."""

import pytest

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


@pytest.mark.parametrize("kernel,kind,constants,types", wrong)
def test_message(kernel, kind, constants, types):
    check_message(kernel, kind, constants, types)
