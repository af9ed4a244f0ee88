"""Single instructions on registers: what no compiler's program is sure to have."""

from unittest.mock import Mock

import numpy as np
import pytest
from xetile.backends.simulator.errors import UnsupportedError
from xetile.backends.simulator.parse import parse
from xetile.backends.simulator.program import make_step
from xetile.backends.simulator.state import Layout, Threads

NUMBERS = np.array([0, 1, -1, 5, -5, 2**31 - 1, -(2**31), -2], np.int32)
CONDITIONS = {
    "eq": np.equal, "ne": np.not_equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less, "le": np.less_equal
}  # fmt: skip
# The number of sources, and what is compared with 0.
OPERATIONS = {
    "mov": (1, lambda a, b: a), "add": (2, lambda a, b: a + b), "addc": (2, lambda a, b: a + b), "subb": (2, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b), "and": (2, lambda a, b: a & b), "or": (2, lambda a, b: a | b), "xor": (2, lambda a, b: a ^ b),
    "not": (1, lambda a, b: ~a),
}  # fmt: skip


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_flags_tell_of_the_low_32_bits(operation, condition):
    """Of unsigned numbers, with and without a destination."""
    sources, function = OPERATIONS[operation]
    for destination in ("null<1>:ud", "r4.0<1>:ud"):
        text = f"{operation} (8|M0) ({condition})f0.1 {destination} " + " ".join(f"r{2 + i}.0<1;1,0>:ud" for i in range(sources))
        a, b = NUMBERS.view(np.uint32), np.roll(NUMBERS, 3).view(np.uint32)
        threads = Threads(Layout(128, 32, "dg2"), Mock(), np.zeros(1, np.int64))
        threads.views["ud"][2, 0], threads.views["ud"][3, 0] = a, b
        make_step(threads.layout, parse(f"/* [0000] */ {text}").instructions[0])(threads)
        with np.errstate(over="ignore"):
            result = function(a, b)
        np.testing.assert_array_equal(threads.flag(0, 16, 8)[0], CONDITIONS[condition](result, 0), err_msg=text)
        if destination.startswith("r"):
            np.testing.assert_array_equal(threads.views["ud"][4, 0], result, err_msg=text)


def test_four_floats_of_an_immediate():
    """Sign, three bits of exponent and four of mantissa each: one after the other for the channels, and again."""
    threads = Threads(Layout(128, 32, "pvc"), Mock(), np.zeros(1, np.int64))
    make_step(threads.layout, parse("/* [0000] */ mov (8|M0) r4.0<1>:f 0xC8403000:vf").instructions[0])(threads)
    np.testing.assert_array_equal(threads.views["f"][4, 0][:8], [0, 1, 2, -3, 0, 1, 2, -3])


@pytest.mark.parametrize(("kind", "stride", "width", "text"), [("uw", 1, 8, "76543210"), ("ub", 2, 8, "76543210"), ("uw", 2, 4, "3020100"),
                                                                ("ud", 1, 4, "3020100"), ("d", 1, 2, "F1F0")])  # fmt: skip
def test_packed_integers_lie_as_words(kind, stride, width, text):
    """A channel takes the word of the immediate that lies where it writes: IGC spreads numbers for channels of four bytes."""
    threads = Threads(Layout(128, 32, "dg2"), Mock(), np.zeros(1, np.int64))
    make_step(threads.layout, parse(f"/* [0000] */ mov ({width}|M0) r4.0<{stride}>:{kind} 0x{text}:uv").instructions[0])(threads)
    np.testing.assert_array_equal(threads.views[kind][4, 0][: width * stride : stride], np.arange(width))


def test_packed_integers_that_no_row_of_words_has():
    with pytest.raises(UnsupportedError, match="packed integers for 8 channels"):
        parse("/* [0000] */ mov (8|M0) r4.0<1>:ud 0x76543210:uv")
