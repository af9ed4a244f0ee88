"""What users read when control flow, names or constants of a kernel are wrong."""

import pytest

import xetile as xt
from tests.frontend.messages import Cases, check_message
from xetile import errors

wrong = Cases()


@wrong(errors.UnsupportedSyntaxError, n="i32")
def tries(n):
    """
    try is not supported in kernels
      hint: a kernel cannot raise; device_assert checks conditions at run time
      in tries:
        try:
        ^^^^
    """
    try:
        n += 1
    except ValueError:
        n = 0


@wrong(errors.UnsupportedSyntaxError, n="i32")
def defines(n):
    """
    functions inside of kernels take no decorators
      hint: leave it out: the function is part of the kernel
      in defines:
        @staticmethod
         ^^^^^^^^^^^^
    """

    @staticmethod
    def inner(x):
        return x

    return inner(n)


@wrong(errors.UnsupportedSyntaxError, n="i32")
def match_takes_apart(n):
    """
    match compares with constants in kernels, and takes nothing apart
      hint: use if, elif and else
      in match_takes_apart:
        match (n, 1):
        ^^^^^^^^^^^^^
    """
    match (n, 1):
        case (0, m):
            n += m


@wrong(errors.ConstexprError, A="f16[?,?]")
def lacks_constant(A, BM: xt.constexpr):
    """
    lacks_constant needs BM
      hint: give its value: BM=..., or give it a default
      in lacks_constant:
        def lacks_constant(A, BM: xt.constexpr):
                              ^^^^^^^^^^^^^^^^
    """


@wrong(errors.ConstexprError, {"BX": 3}, A="f16[?,?]")
def unknown_constant(A, BM: xt.constexpr = 1):
    """
    unknown_constant has no parameter BX
      hint: its parameters are A, BM
      in unknown_constant:
        def unknown_constant(A, BM: xt.constexpr = 1):
        ^^^^^^^^^^^^^^^^^^^^
    """


@wrong(errors.DtypeError, n="i32")
def changes_shape(n):
    """
    loop-carried value changes type: acc is 0.0 before and f32[4,4] after an iteration
      hint: start with xt.zeros((4, 4), xt.f32), or keep the shape
      in changes_shape:
        acc = acc + xt.zeros((4, 4), xt.f32)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    acc = 0.0
    for _ in range(n):
        acc = acc + xt.zeros((4, 4), xt.f32)
    return acc


@wrong(errors.DtypeError, n="i32")
def changes_dtype(n):
    """
    loop-carried value changes type: acc is f16[4,4] before and f32[4,4] after an iteration
      hint: convert it in the loop: .to(xt.f16), or before the loop: .to(xt.f32)
      in changes_dtype:
        acc += xt.zeros((4, 4), xt.f32)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    acc = xt.zeros((4, 4), xt.f16)
    while n > 0:
        acc += xt.zeros((4, 4), xt.f32)
        n -= 1
    return acc


@wrong(errors.CompileError, n="i32")
def branches_differ(n):
    """
    v is f32[4,4] in one branch and f32[4,8] in the other
      hint: give it the same shape and dtype in both, such as with .to(...)
      in branches_differ:
        if n > 3:
           ^^^^^
    """
    if n > 3:
        v = xt.zeros((4, 4))
    else:
        v = xt.zeros((4, 8))
    return v


@wrong(errors.CompileError, A="f16[?,?]", B="f16[?,?]", n="i32")
def branches_of_two_arrays(A, B, n):
    """
    tile is tile f16[8,16] of A in one branch and tile f16[8,16] of B, transposed, in the other
      hint: tiles that go on have one shape, dtype and order: load in each branch and let the values go on
      in branches_of_two_arrays:
        if n > 3:
           ^^^^^
    """
    if n > 3:
        tile = xt.init_tile(A, (0, 0), (8, 16))
    else:
        tile = xt.init_tile(B.T, (0, 0), (8, 16))
    return xt.load_tile(tile)


@wrong(errors.CompileError, n="i32")
def sides_differ(n):
    """
    the two sides differ: f32[4] in one branch and f32[8] in the other
      hint: convert one with .to(...)
      in sides_differ:
        return xt.zeros(4) if n > 3 else xt.zeros(8)
               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.zeros(4) if n > 3 else xt.zeros(8)


@xt.jit
def differs(n):
    if n > 3:
        return xt.zeros(4)
    return None


@wrong(errors.CompileError, n="i32")
def results_differ(n):
    """
    the function returns f32[4] in one branch and None in the other
      hint: return the same shape and dtype everywhere
      in differs:
        if n > 3:
           ^^^^^
      called from
      in results_differ:
        differs(n)
        ^^^^^^^^^^
    """
    differs(n)


@wrong(errors.CompileError, A="f32[?]")
def returns_a_value(A):
    """
    returns_a_value is launched over a grid and cannot return f32[8]
      hint: store results: xt.store_tile(value, tile); kernels that others call return values
      in returns_a_value:
        return xt.load_tile(xt.init_tile(A, (0,), (8,)))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    return xt.load_tile(xt.init_tile(A, (0,), (8,)))


@wrong(errors.CompileError, A="f32[?,?]")
def drops_a_moved_tile(A):
    """
    nothing uses the result of this: tiles do not change
      hint: write a = xt.update_tile_offset(a, (0, 8))
      in drops_a_moved_tile:
        xt.update_tile_offset(a, (0, 8))
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    a = xt.init_tile(A, (0, 0), (8, 8))
    for _ in range(4):
        xt.update_tile_offset(a, (0, 8))


@xt.jit
def sums(a):
    return xt.sum(xt.load_tile(a))


@wrong(errors.CompileError, A="f32[?,?]")
def drops_a_number(A):
    """
    nothing uses the result of this: it has no other effect
      hint: use it, or leave it out
      in drops_a_number:
        sums(a)
        ^^^^^^^
    """
    a = xt.init_tile(A, (0, 0), (8, 8))
    sums(a)


@wrong(errors.TileShapeError, A="f32[?]")
def truth_of_a_mask(A):
    """
    bool makes one number, and bool[8] has 8 elements
      hint: xt.any or xt.all reduce a mask
      in truth_of_a_mask:
        n = bool(x > 0)
            ^^^^^^^^^^^
    """
    x = xt.load_tile(xt.init_tile(A, (0,), (8,)))
    n = bool(x > 0)
    xt.store_tile(xt.where(n, x, 0.0), xt.init_tile(A, (0,), (8,)))


@wrong(errors.TileShapeError, A="f32[?]")
def a_number_of_a_tile(A):
    """
    int makes one number, and f32[8] has 8 elements
      hint: x.to(xt.i32) converts each element
      in a_number_of_a_tile:
        n = int(x)
            ^^^^^^
    """
    x = xt.load_tile(xt.init_tile(A, (0,), (8,)))
    n = int(x)
    xt.store_tile(n.to(xt.f32), xt.init_tile(A, (0,), (8,)))


@wrong(errors.DtypeError, A="f32[?]")
def number_beyond_f32(A):
    """
    1e+300 does not fit f32 (up to 3.40282e+38)
      hint: an infinity is float('inf'); for larger numbers convert the other operand: .to(xt.f64)
      in number_beyond_f32:
        xt.store_tile(x * 1e300, xt.init_tile(A, (0,), (8,)))
                      ^^^^^^^^^
    """
    x = xt.load_tile(xt.init_tile(A, (0,), (8,)))
    xt.store_tile(x * 1e300, xt.init_tile(A, (0,), (8,)))


@wrong(errors.CompileError, n="i32")
def one_branch_only(n):
    """
    v may have no value: only one branch of an if assigns it
      hint: assign it before the if, or in both branches
      in one_branch_only:
        return v
               ^
    """
    if n > 3:
        v = 3
    return v


@wrong(errors.CompileError, n="i32")
def in_loop_only(n):
    """
    v has no value here: it is assigned in a loop only, which may run no time
      hint: assign it before the loop
      in in_loop_only:
        return v + n
               ^
    """
    for i in range(n):
        v = i
    return v + n


@wrong(errors.CompileError, n="i32")
def read_too_early(n):
    """
    later is read before it has a value
      hint: assign it above
      in read_too_early:
        n = later
            ^^^^^
    """
    n = later  # noqa: F821
    later = n  # noqa: F841


@wrong(errors.CompileError, number="i32")
def misspelt(number):
    """
    there is no nmuber here
      hint: did you mean number?
      in misspelt:
        return nmuber + 1
               ^^^^^^
    """
    return nmuber + 1  # noqa: F821


@wrong(errors.CompileError, A="f16[?,?]")
def misspelt_function(A):
    """
    xetile has no attribute 'lod_tile'
      hint: did you mean load_tile?
      in misspelt_function:
        return xt.lod_tile(A)
               ^^^^^^^^^^^
    """
    return xt.lod_tile(A)


@wrong(errors.CompileError, A="f16[?,?]")
def truth_of_mask(A):
    """
    the condition is bool[4,4]: its elements may differ
      hint: reduce it with xt.any or xt.all, or choose elements with xt.where
      in truth_of_mask:
        if v > 0:
           ^^^^^
    """
    v = xt.load_tile(xt.init_tile(A, (0, 0), (4, 4)))
    if v > 0:
        v = v + 1


@wrong(errors.ConstexprError, n="i32")
def plain_function_decides(n):
    """
    the truth of this bool is known at run time only, and plain Python asks for it at compile time
      hint: decide on it in the kernel itself, or decorate the function that asks with @xetile.jit
      in plain_function_decides:
        return sign(n)
               ^^^^^^^
    """
    return sign(n)


def sign(n):
    return 1 if n > 0 else -1


@wrong(errors.CompileError, n="i32")
def prints(n):
    """
    print is not available in kernels
      hint: xt.static_print prints while compiling, xt.device_print while running
      in prints:
        print(n)
        ^^^^^^^^
    """
    print(n)


@wrong(errors.CompileError, n="i32")
def asserts(n):
    """
    assert is decided at a launch or before, and this is known while the kernel runs only
      hint: xt.device_assert(condition, message) checks it then; outside of run-time branches and loops, assert takes sizes, strides and scalar arguments
      in asserts:
        assert xt.program_id(0) > n
               ^^^^^^^^^^^^^^^^^^^^
    """  # noqa: E501
    assert xt.program_id(0) > n


@wrong(errors.CompileError)
def fails(BM: xt.constexpr = 5):
    """
    assertion failed: BM is 5
      in fails:
        assert BM % 2 == 0, f"BM is {BM}"
               ^^^^^^^^^^^
    """
    assert BM % 2 == 0, f"BM is {BM}"


@pytest.mark.parametrize("kernel,kind,constants,types", wrong)
def test_message(kernel, kind, constants, types):
    check_message(kernel, kind, constants, types)
