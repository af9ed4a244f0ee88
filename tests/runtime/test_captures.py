"""What a kernel sees outside of itself may change between calls: the next call sees the new value, whatever way leads there."""

import dataclasses
import functools
import re
import sys
import types
from collections import deque

import numpy as np
import pytest

import xetile as xt
from xetile.errors import CompileError
from xetile.runtime.specialize import PerformanceWarning

pytestmark = pytest.mark.device


def grid_of(X):
    return (1,)


OUT = {"Y": lambda X: xt.empty(X.shape, X.dtype)}


def body_of(X, Y, number):
    tile = xt.init_tile(Y, (0,), (16,))
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0,), (16,))) * number, tile)


body = xt.jit(body_of)

NUMBER = 2.0
TABLE = [1.0, 2.0]
SETTINGS = {"number": 2.0, "deep": {"number": 2.0}}
ARRAY = np.array([1.0, 2.0])


class Config:
    number = 2.0
    table = [2.0]

    def __init__(self):
        self.own = 2.0

    @property
    def computed(self):
        return self._hidden

    _hidden = 2.0

    def method(self):
        return self.own

    @staticmethod
    def fixed():
        return NUMBER

    def __getitem__(self, key):
        return self.own


class Dynamic:
    values = {"number": 2.0}

    def __getattr__(self, name):
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


class Slotted:
    __slots__ = ("number",)


@dataclasses.dataclass
class Data:
    number: float = 2.0


CONFIG, DYNAMIC, SLOTTED, DATA, SPACE = Config(), Dynamic(), Slotted(), Data(), types.SimpleNamespace(number=2.0)
SLOTTED.number = 2.0
QUEUE = deque([2.0])
MODULE = types.ModuleType("settings_of_the_user")
MODULE.number = 2.0


def helper():
    return NUMBER


def outer():
    return helper()


def with_default(number=2.0):
    return number


@xt.jit
def called():
    return NUMBER


@functools.cache
def remembered(n):
    return n


def times(factor, number=1.0):
    return factor * number


PARTIAL = functools.partial(times, number=2.0)
LAMBDA = lambda: NUMBER  # noqa: E731

CASES = []


def case(change, name=None):
    """Register a kernel; `change` makes what it multiplies by 3 instead of 2, `back` undoes that."""

    def register(fn):
        CASES.append(pytest.param(xt.jit(fn, out=OUT, grid=grid_of), change, id=fn.__name__))
        return fn

    return register


def put(place, name, value):
    return lambda patch: (patch.setitem if isinstance(place, dict) else patch.setattr)(place, name, value)


THIS = sys.modules[__name__]


@case(put(THIS, "NUMBER", 3.0))
def a_global(X, Y):
    body(X, Y, NUMBER)


@case(put(THIS, "NUMBER", 3.0))
def through_a_helper(X, Y):
    body(X, Y, helper())


@case(put(THIS, "NUMBER", 3.0))
def through_two_helpers(X, Y):
    body(X, Y, outer())


@case(put(THIS, "NUMBER", 3.0))
def through_a_called_kernel(X, Y):
    body(X, Y, called())


@case(put(THIS, "NUMBER", 3.0))
def through_a_lambda(X, Y):
    body(X, Y, LAMBDA())


@case(put(THIS, "NUMBER", 3.0))
def through_a_static_method(X, Y):
    body(X, Y, Config.fixed())


@case(put(THIS, "helper", lambda: 3.0))
def another_helper(X, Y):
    body(X, Y, helper())


@case(put(with_default, "__code__", (lambda number=2.0: 3.0).__code__))
def other_code_of_a_helper(X, Y):
    body(X, Y, with_default())


@case(put(with_default, "__defaults__", (3.0,)))
def another_default_of_a_helper(X, Y):
    body(X, Y, with_default())


@case(lambda patch: patch.setitem(SETTINGS, "number", 3.0))
def a_dictionary(X, Y):
    body(X, Y, SETTINGS["number"])


@case(lambda patch: patch.setitem(SETTINGS["deep"], "number", 3.0))
def a_dictionary_in_a_dictionary(X, Y):
    body(X, Y, SETTINGS["deep"]["number"])


@case(lambda patch: TABLE.append(0.0))
def the_length_of_a_list(X, Y):
    body(X, Y, float(len(TABLE)))


@case(put(THIS, "TABLE", (1.0, 3.0)))
def an_element(X, Y):
    body(X, Y, TABLE[1])


@case(lambda patch: ARRAY.__setitem__(1, 3.0))
def an_array(X, Y):
    body(X, Y, float(ARRAY[1]))


@case(lambda patch: QUEUE.__setitem__(0, 3.0))
def an_object_written_in_c(X, Y):
    body(X, Y, QUEUE[0])


@case(put(Config, "number", 3.0))
def an_attribute_of_a_class(X, Y):
    body(X, Y, Config.number)


@case(put(Config, "number", 3.0))
def a_class_attribute_of_an_object(X, Y):
    body(X, Y, CONFIG.number)


@case(put(CONFIG, "number", 3.0))
def an_attribute_that_hides_the_class(X, Y):
    body(X, Y, CONFIG.number)


@case(put(CONFIG, "own", 3.0))
def an_attribute(X, Y):
    body(X, Y, CONFIG.own)


@case(put(CONFIG, "own", 3.0))
def a_method(X, Y):
    body(X, Y, CONFIG.method())


@case(put(CONFIG, "own", 3.0))
def an_operator(X, Y):
    body(X, Y, CONFIG[0])


@case(put(Config, "_hidden", 3.0))
def a_property(X, Y):
    body(X, Y, CONFIG.computed)


@case(put(Config, "method", lambda self: 3.0))
def another_method(X, Y):
    body(X, Y, CONFIG.method())


@case(put(SLOTTED, "number", 3.0))
def a_slot(X, Y):
    body(X, Y, SLOTTED.number)


@case(put(DATA, "number", 3.0))
def a_dataclass(X, Y):
    body(X, Y, DATA.number)


@case(put(SPACE, "number", 3.0))
def a_namespace(X, Y):
    body(X, Y, SPACE.number)


@case(lambda patch: patch.setitem(Dynamic.values, "number", 3.0))
def an_attribute_made_when_asked_for(X, Y):
    body(X, Y, DYNAMIC.number)


@case(put(MODULE, "number", 3.0))
def an_attribute_of_a_module(X, Y):
    body(X, Y, MODULE.number)


@case(put(THIS, "PARTIAL", functools.partial(times, number=3.0)))
def a_partial(X, Y):
    body(X, Y, PARTIAL(1.0))


@case(put(THIS, "times", lambda factor, number: 3.0))
def through_a_comprehension(X, Y):
    body(X, Y, sum(times(1.0, 2.0) for _ in range(1)))


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    before, array, queue = list(TABLE), ARRAY.copy(), list(QUEUE)
    yield
    monkeypatch.undo()
    TABLE[:] = before
    ARRAY[:] = array
    QUEUE.extend(queue)
    QUEUE.popleft()


@pytest.mark.every(2)
@pytest.mark.parametrize("kernel,change", CASES)
def test_a_changed_value_is_seen(kernel, change, monkeypatch):
    x = np.ones(16, np.float32)
    with xt.device("numpy"):
        assert kernel(x)[0] == 2 and kernel(x)[0] == 2
        change(monkeypatch)
        assert kernel(x)[0] == 3 and kernel(x)[0] == 3


@pytest.mark.parametrize("kernel,change", CASES)
def test_calls_without_a_change_stay_warm(kernel, change):
    x = np.ones(16, np.float32)
    with xt.device("numpy"):
        kernel(x)
        misses = xt.stats().fast_misses
        kernel(x)
        assert xt.stats().fast_misses == misses


def test_closures_constants_and_values_that_come_back(device):
    number = 2.0

    @xt.jit(out=OUT, grid=grid_of)
    def kernel(X, Y, f: xt.constexpr):
        body(X, Y, f(number))

    config = Config()
    x = np.ones(16, np.float32)
    with xt.device(device):
        assert kernel(x, f=lambda n: n * 2)[0] == 4

        def own(n):
            return n * config.own

        assert kernel(x, f=own)[0] == 4
        config.own = 3.0
        assert kernel(x, f=own)[0] == 6
        number = 3.0
        assert kernel(x, f=own)[0] == 9
        loads, number = xt.stats().loads, 2.0
        assert kernel(x, f=own)[0] == 6
        assert xt.stats().loads == loads  # seen before


def test_the_disk_cache_and_compiled_kernels_see_it(monkeypatch, tmp_path):
    kernel = next(p.values[0] for p in CASES if p.id == "an_attribute_of_a_class")
    types_ = ("f32[?]", "f32[?]")
    before = kernel.compile(*types_)
    first = before.spirv
    monkeypatch.setattr(Config, "number", 3.0)
    assert kernel.compile(*types_).spirv != first
    before.save(tmp_path / "saved")
    assert (tmp_path / "saved.spv").read_bytes() == first
    for later in (lambda: before.ir["lane"], lambda: before.estimate, lambda: before.program):
        with pytest.raises(CompileError, match="changed since it was compiled"):
            later()
    monkeypatch.undo()
    assert "2.0" in before.ir["lane"]


def test_large_attributes_that_nobody_asks_for_cost_nothing():
    class Model:
        def __init__(self):
            self.weights, self.scale = Asked(), 2.0

    class Asked:
        def __getattribute__(self, name):
            raise AssertionError("looked at")

    model = Model()

    @xt.jit(out=OUT, grid=grid_of)
    def kernel(X, Y):
        body(X, Y, model.scale)

    x = np.ones(16, np.float32)
    with xt.device("numpy"):
        assert kernel(x)[0] == 2
        model.scale = 3.0
        assert kernel(x)[0] == 3


def test_what_changes_at_every_call_is_told():
    count = [0]

    @xt.jit(out=OUT, grid=grid_of)
    def kernel(X, Y):
        body(X, Y, float(count[0]))

    def calls():
        with xt.device("numpy"):
            for count[0] in range(40):
                assert kernel(np.ones(16, np.float32))[0] == count[0]

    with pytest.warns(PerformanceWarning, match="keeps changing"):
        calls()


def test_a_wrapper_is_no_kernel():
    @functools.wraps(body_of)
    def wrapper(*args, **kwargs):
        return body_of(*args, **kwargs)

    with pytest.raises(CompileError, match="below other decorators"):
        xt.jit(wrapper)


PATTERN = re.compile("a+")
UPPER = str.upper


def number_of_names():
    return 3.0 if PATTERN.match(UPPER("a").lower()) else 1.0


def test_objects_and_methods_of_classes_written_in_c():
    kernel = xt.jit(lambda_free_kernel, grid=grid_of)
    with xt.device("numpy"):
        Y = np.zeros(16, np.float32)
        kernel(np.ones(16, np.float32), Y)
    assert (Y == 3).all()


def lambda_free_kernel(X, Y):
    number = number_of_names()
    xt.store_tile(xt.load_tile(xt.init_tile(X, (0,), (16,))) * number, xt.init_tile(Y, (0,), (16,)))


class Link:
    def __init__(self, rest, number):
        self.rest, self.number = rest, number


CHAIN = functools.reduce(Link, range(5000), None)


def test_objects_that_hold_each_other_too_deeply_are_told():
    def kernel(X, Y):
        body(X, Y, CHAIN.number + (0 if CHAIN.rest is None else 1))

    with xt.device("numpy"), pytest.raises(CompileError, match="too deeply to be followed"):
        xt.jit(kernel, grid=grid_of)(np.ones(16, np.float32), np.zeros(16, np.float32))
