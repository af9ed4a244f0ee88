"""Control flow means what it means in Python: each function runs as a kernel and as plain Python, on the same integers."""

import itertools
import re

import pytest

import xetile as xt
from tests.language.running import body_of, ops_of, scalars
from xetile.errors import CompileError

PAIRS = list(itertools.product((-3, 0, 1, 4, 9), (-2, 2, 5)))


def loop(a, b):
    total = 0
    for i in range(a):
        total += i * b
    return total


def loop_with_bounds(a, b):
    total = 7
    for i in range(b, a):
        total = total * 3 % 1000 + i
    return total


def loop_with_step(a, b):
    total, last = 0, -1
    for i in range(1, a + 5, 3):
        total, last = total + i, i
    return total, last


def loop_down(a, b):
    total = 0
    for i in range(a, b, -2):
        total = total * 10 + i
    return total


def loop_either_way(a, b):
    total = 0
    for i in range(a, 3, b):
        total = total * 10 + i
    for i in range(2, a + 4, b * b - 5):
        total = total * 3 + i
        if total > 200:
            break
    return total


def constant_loop_down(a, b):
    total = a
    for i in range(10, 0, -3):
        total = total * 2 + i
    return total


def nested_loops(a, b):
    total = 0
    for i in range(a):
        row = 0
        for j in range(b + i):
            row += i * j
        total += row
    return total


def conditions(a, b):
    if a > b:
        c = a - b
    elif a == b:
        c = 100
    else:
        c = b
    return c


def nested_conditions(a, b):
    c, d = 0, 1
    if a > 0:
        if b > 0:
            c = a
        else:
            d = b
        c += 1
    else:
        d = -a
    return c, d


def condition_in_loop(a, b):
    odd, even = 0, 0
    for i in range(a):
        if i % 2:
            odd += i
        else:
            even += i * b
    return odd, even


def early_return(a, b):
    if a < 0:
        return -1
    if b < 0:
        if a > 3:
            return a * b
        b = -b
    c = a + b
    if c > 10:
        return c
    return c * 2


def early_return_in_a_branch_known_beforehand(a, b):
    c = 3
    if a < b:
        if c > 0:
            if a > 0:
                return a
            c = b
        else:
            return 100
    if c == 3 and b > 4:
        return 7
    return c * 2


def while_loop(a, b):
    n, steps = a * 7 + 1, 0
    while n > 1 and steps < 50:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps, n


def while_in_for(a, b):
    total = 0
    for i in range(a):
        j = i
        while j > 0:
            total += j
            j -= 2
    return total


def while_of_constants(a, b):
    n, k = 5, 1
    while n > 0:
        n, k = n - 1, k * 2
    return n + a, k


def flag(a, b):
    first, total = True, 0
    for i in range(a):
        if first:
            total += 100
        first = i % 3 == 2
    return total


def conditional_expression(a, b):
    return (a if a > b else b * 2), (1 if b > 0 else 2)


def chained_comparison(a, b):
    c = 0
    if -2 < a <= b < 9:
        c = 1
    return c, (5 if a < b < 3 else 6)


def logic(a, b):
    return (
        1 if a > 0 and b > 0 else 0,
        1 if a > 0 or b > 0 else 0,
        1 if not a else 0,
        1 if a > 0 and not (b > 2 or a == 4) else 0,
    )


def unrolled(a, b):
    total = a
    for i in xt.static_range(4):
        if i == 2:
            total *= b
        total += i
    return total


def over_tuples(a, b):
    total = 0
    for x, (y, z) in ((a, (1, 2)), (b, (3, 4))):
        total += x * y + z
    return total


def tuples_carried(a, b):
    pair = (0, (1, b))
    for i in range(a):
        x, (y, z) = pair
        pair = (y, (x + y, z + i))
    return pair[0], pair[1][0], pair[1][1]


def swap(a, b):
    for _ in range(3):
        a, b = b, a
    return a, b


def lists(a, b):
    xs = [a, b, 3]
    xs[1] += 5
    xs[-1] = a * b
    first, *rest = xs
    return first, sum(rest), len(xs), max(xs[0], 4)


def comprehension(a, b):
    return sum([x * i for i in range(4) if i != 1 for x in (a, b)])


def walrus(a, b):
    return (c := a + b) * c


def function_values(a, b):
    pick = lambda x, y: x if x > y else y  # noqa: E731
    return pick(a, b), pick(1, 2), (lambda x: x * b)(a)


def lambdas_with_defaults(a, b):
    """Worked out where the lambda stands: what `a` becomes later does not matter."""
    scaled = lambda x, by=a, *, plus=1: x * by + plus  # noqa: E731
    first = lambda x, /, y=2: x - y  # noqa: E731
    a = a + 7
    return scaled(b) + scaled(a, 3, plus=b) + scaled(b, by=2) + first(a) + first(a, y=b)


def lambdas_by_name(a, b):
    less = lambda x, y: x - y  # noqa: E731
    return less(a, y=b), less(y=a, x=b), (lambda: a * 2)()


def dictionaries(a, b):
    table = {"a": a, "b": b}
    return table["a"] * 2 + table["b"]


def shadowed_after_loop(a, b):
    c = a
    for i in range(3):
        c = i * b  # nothing of the last iteration is read by the next one
    return c


def loop_variable_read_after_the_loop(a, b):
    i = 42
    for i in range(a):
        if i * 2 > b:
            i += 100
    j = k = -7
    for j in range(b, a, 3):
        for k in range(j, a):
            if k > 3:
                break
    last = 0
    for last in range(6, b, -2):  # noqa: B007 - the last one is what is asked for
        pass
    return i, j, k, last


def dead_variable_changes_type(a, b):
    x = 3
    total = 0
    for i in range(4):
        x = (i, total)
        total += x[0]
    x = total * 2
    return x


FUNCTIONS = [
    loop, loop_with_bounds, loop_with_step, loop_down, loop_either_way, constant_loop_down, nested_loops, conditions,
    nested_conditions, condition_in_loop, early_return,
    early_return_in_a_branch_known_beforehand, while_loop, while_in_for, while_of_constants, flag,
    conditional_expression, chained_comparison, logic, unrolled, over_tuples, loop_variable_read_after_the_loop, lambdas_by_name,
    lambdas_with_defaults, tuples_carried, swap, lists,
    comprehension, walrus, function_values, dictionaries, shadowed_after_loop, dead_variable_changes_type,
]  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_means_what_python_means(function):
    kernel = xt.jit(function)
    for a, b in PAIRS:
        expected = function(a, b)
        expected = expected if isinstance(expected, tuple) else (expected,)
        assert scalars(kernel, a, b, n=len(expected), given=xt.index) == list(expected), (a, b)


def test_of_two_tiles_that_look_alike_the_message_says_which_is_transposed():
    def kernel(A, n):
        if n > 3:
            tile = xt.init_tile(A, (0, 0), (8, 16))
        else:
            tile = xt.init_tile(A.T, (0, 0), (8, 16))
        return xt.load_tile(tile)

    message = "tile is tile f16[8,16] of A in one branch and tile f16[8,16] of A, transposed, in the other"
    with pytest.raises(CompileError, match=re.escape(message)):
        ops_of(kernel, A="f16[?,?]", n="i32")


def test_a_loop_carries_just_what_its_body_changes_and_later_code_reads():
    def kernel(A, n):
        kept, changed, dead = A.shape[0] + 1, A.shape[0] + 2, n + 3
        for i in range(n):
            dead = i + kept
            changed = changed + dead
        xt.store_tile(xt.full((1,), changed, xt.i32), xt.init_tile(A, 0, (1,)))

    (line,) = [line for line in body_of(kernel, A="i32[?]", n="i32") if "scf.for" in line]
    assert line.split(" = ", 1)[1].partition("step")[2] == " %c1 iter_args(%changed_1 = %changed) -> (index) {"


def test_a_number_that_no_iteration_changes_stays_a_constant():
    def kernel(A, n):
        size = 16
        for i in range(n):
            tile = xt.init_tile(A, i, (size,))
            xt.store_tile(0, tile)
            size = 8 * 2

    (line,) = [line for line in body_of(kernel, A="i32[?]", n="i32") if "scf.for" in line]
    assert "iter_args" not in line


def test_an_if_without_results_has_no_else():
    def kernel(A, n):
        if n > 3:
            xt.store_tile(0, xt.init_tile(A, 0, (4,)))

    assert body_of(kernel, A="i32[?]", n="i32")[-1] == "}"
    assert "} else {" not in body_of(kernel, A="i32[?]", n="i32")


def test_known_conditions_leave_no_trace_of_the_other_branch():
    def kernel(A, DEBUG: xt.constexpr = False):
        if DEBUG and undefined_name:  # noqa: F821
            xt.no_such_function()
        x = undefined_name if DEBUG else 1  # noqa: F821
        while DEBUG:
            x += 1

    assert ops_of(kernel, A="i32[?]") == ["gpu.return"]


def test_the_right_side_of_and_runs_only_where_it_decides():
    """A load has an effect that cannot be computed in vain: it stands in a region."""

    def kernel(A, n):
        if n > 0 and xt.load_tile(xt.init_tile(A, n, (1,))).item() > 3:
            xt.store_tile(0, xt.init_tile(A, 0, (1,)))

    ops = ops_of(kernel, A="i32[?]", n="i32")
    assert ops.index("scf.if") < ops.index("xetile.load_tile")


def test_pure_conditional_expressions_of_scalars_are_selects():
    def kernel(A, n):
        xt.store_tile(n if n > 3 else -n, xt.init_tile(A, 0, (4,)))

    ops = ops_of(kernel, A="i32[?]", n="i32")
    assert "arith.select" in ops and "scf.if" not in ops


def test_tiles_and_values_are_carried():
    def kernel(A):
        tile = xt.init_tile(A, (0, 0), (8, 16))
        acc = xt.zeros((8, 16), xt.f16)
        for _ in range(0, A.shape[1], 16):
            acc += xt.load_tile(tile)
            tile = xt.update_tile_offset(tile, (0, 16))
        if A.shape[0] > 8:
            tile = xt.update_tile_offset(tile, (8, 0))
        xt.store_tile(acc, tile)

    text = "\n".join(body_of(kernel, A="f16[?,?]"))
    assert "-> (!xetile.tile<8x16xf16>, vector<8x16xf16>) {" in text
    assert re.search(r"scf.if %\d+ -> \(!xetile.tile<8x16xf16>\) {", text)


def test_a_carried_number_takes_the_dtype_that_the_body_gives_it():
    def kernel(A, x):
        total, count = 0, 0.0
        for i in range(10):
            total = x + total
            count = count + i
        xt.store_tile(total, xt.init_tile(A, 0, (4,)))
        xt.store_tile(count.to(xt.i16), xt.init_tile(A, 4, (4,)))

    (line,) = [line for line in body_of(kernel, A="i16[?]", x="i16") if "scf.for" in line]
    assert line.endswith(("-> (f32, i16) {", "-> (i16, f32) {"))


def test_wide_bounds_make_wide_loops():
    def kernel(A, n):
        for i in range(n):
            xt.store_tile(i.to(xt.i32), xt.init_tile(A, i.to(xt.i32), (1,)))

    (line,) = [line for line in body_of(kernel, A="i32[?]", n="i64") if "scf.for" in line]
    assert line.endswith(": i64{") or ": i64 {" in line


def test_static_print_speaks_once_though_a_body_is_traced_twice(capsys):
    def kernel(A, n):
        count = 0
        while count < n:
            xt.static_print(f"in the loop: {count} of {n}")
            count += 1

    ops_of(kernel, A="i32[?]", n="i32")
    assert capsys.readouterr().out == "in the loop: index scalar of i32 scalar\n"
