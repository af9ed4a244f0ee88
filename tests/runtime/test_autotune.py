"""Autotuning: only right candidates are timed, bad ones are listed, and nothing is measured twice."""

import pickle
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import xetile as xt
from benchmarks.tuning import broken
from tests.runtime.sample import scale
from tests.runtime.tuned import BAD, CONFIGS, double
from xetile.errors import ArgumentError
from xetile.runtime.autotune.arrays import Raw, copied
from xetile.runtime.autotune.decorator import Autotuned, TuningWarning
from xetile.runtime.autotune.outcome import compare
from xetile.runtime.autotune.worker import make_runner
from xetile.runtime.devices import find_device
from xetile.runtime.specialize import PerformanceWarning

pytestmark = [pytest.mark.device, pytest.mark.filterwarnings("ignore::xetile.runtime.specialize.PerformanceWarning")]
X = np.arange(200, dtype=np.float32)


def tuned(configs=CONFIGS, **options) -> Autotuned:
    return xt.autotune(configs=list(configs), **{"samples": 3, "isolate": False, **options})(double)


@pytest.fixture
def on_cpu(cpu):
    with xt.device(cpu):
        yield


def statuses(kernel: Autotuned) -> dict[str, str]:
    return {dict(outcome.config.items)["MODE"]: outcome.status for outcome in kernel.outcomes}


def test_the_fastest_is_used(on_cpu):
    kernel = tuned()
    assert np.array_equal(kernel(X), X * 2)
    assert statuses(kernel) == {"right": "ok", "wide": "ok"}
    best = min(kernel.outcomes, key=lambda outcome: outcome.seconds)
    assert kernel.best_config(X) == best.config
    assert best.low <= best.seconds <= best.high
    lines = kernel.table().splitlines()
    assert repr(best.config) in lines[0]
    assert eval(repr(best.config), {"xt": xt}) == best.config


def test_all_that_can_go_wrong_is_listed(on_cpu):
    kernel = tuned([*CONFIGS, *BAD.values()], isolate=True, timeout=3)
    assert np.array_equal(kernel(X), X * 2)
    assert statuses(kernel) == {
        "right": "ok",
        "wide": "ok",
        "refused": "refused",
        "wrong": "wrong",
        "partial": "wrong",
        "crashed": "crashed",
        "hung": "hung",
    }
    reasons = {outcome.status: outcome.reason for outcome in kernel.outcomes}
    assert "static assertion failed" in reasons["refused"]
    assert "SIGSEGV" in reasons["crashed"]
    assert "killed after 3 s" in reasons["hung"]
    assert "crashed  xt.Config(MODE='crashed')" in kernel.table()
    again = tuned([*CONFIGS, *BAD.values()], isolate=True)
    assert np.array_equal(again(X), X * 2)
    assert all(outcome.known for outcome in again.outcomes)


def test_results_that_differ_are_told_unless_a_reference_decides(on_cpu):
    for _ in range(2):  # in another process, too, which finds what was measured
        kernel = tuned([*CONFIGS[:1], BAD["wrong"]])
        with pytest.warns(
            TuningWarning, match=r"MODE='wrong'\) does not compute what .*MODE='right'\) does, which is used: Y differs"
        ):
            kernel(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TuningWarning)
        tuned([BAD["wrong"], *CONFIGS], reference=lambda X: X * 2)(X)


def test_one_more_configuration_measures_that_one(on_cpu):
    first = tuned(CONFIGS[:1])
    first(X)
    more = tuned([*CONFIGS[:1], BAD["wrong"], *CONFIGS[1:]])
    more(X)
    assert [outcome.known for outcome in more.outcomes] == [True, False, False]
    assert statuses(more) == {"right": "ok", "wrong": "wrong", "wide": "ok"}
    assert more.outcomes[0].seconds == first.outcomes[0].seconds
    fewer = tuned(CONFIGS)
    fewer(X)
    assert all(outcome.known for outcome in fewer.outcomes)


def test_retune_measures_what_is_known(on_cpu):
    kernel = tuned()
    kernel(X)
    best = kernel.retune(X)  # may be another one than before: it measures
    assert best in CONFIGS and best == kernel.best_config(X)
    assert not any(outcome.known for outcome in kernel.outcomes)
    seconds = {outcome.config: outcome.seconds for outcome in kernel.outcomes}
    later = tuned()
    later(X)
    assert {outcome.config: outcome.seconds for outcome in later.outcomes} == seconds  # the newer ones are kept
    y = np.zeros_like(X)
    assert kernel[lambda X, MODE: xt.cdiv(X.shape[0], 64 if MODE == "wide" else 16)].retune(X, y) in CONFIGS


def test_results_travel_as_a_file(on_cpu, tmp_path, monkeypatch):
    kernel, file = tuned(), tmp_path / "double.json"
    kernel(X)
    assert kernel.export_tuning(file) == len(CONFIGS)
    monkeypatch.setenv("XETILE_CACHE_DIR", str(tmp_path / "elsewhere"))
    other = tuned()
    with pytest.raises(ArgumentError, match="nothing is known yet about the configurations of double"):
        other.export_tuning(file)
    assert other.import_tuning(file) == len(CONFIGS)
    other(X)
    assert all(outcome.known for outcome in other.outcomes)
    assert [outcome.seconds for outcome in other.outcomes] == [outcome.seconds for outcome in kernel.outcomes]


@pytest.mark.every(2)
@pytest.mark.parametrize(
    "change,words",
    [
        (lambda text: text[:-9], "no JSON"),
        (lambda text: text.replace("tuning 1", "tuning 9"), "format is 'xetile tuning 9'"),
        (lambda text: text.replace("tuned.double", "tuned.triple"), "results of tests.runtime.tuned.triple, not of"),
        (lambda text: text.replace('"ok"', '"fine"'), "status is 'fine'"),
        (lambda text: text.replace('"key": "', '"key": "../'), "is '../"),
    ],
)
def test_files_that_hold_no_results_are_refused(on_cpu, tmp_path, change, words):
    kernel, file = tuned(), tmp_path / "double.json"
    kernel(X)
    kernel.export_tuning(file)
    file.write_text(change(file.read_text()))
    with pytest.raises(ArgumentError, match=words):
        kernel.import_tuning(file)
    with pytest.raises(ArgumentError, match="holds no tuning results"):
        kernel.import_tuning(tmp_path / "missing")
    with pytest.raises(ArgumentError, match="cannot be written: No such file or directory") as raised:
        kernel.export_tuning(tmp_path / "missing" / "double.json")
    assert raised.value.hint == f"make its folder first: {tmp_path / 'missing'}"


def test_keys_tell_calls_apart(on_cpu):
    by_shape = tuned()
    by_shape(X)
    by_shape(X[:100])
    assert not by_shape.outcomes[0].known
    chosen = tuned(key=lambda X: X.shape[0] > 50)
    chosen(X[:80])
    outcomes = chosen.outcomes
    chosen(X[:90])
    assert chosen.outcomes is outcomes
    chosen(X[:20])
    assert chosen.outcomes is not outcomes
    with pytest.raises(ArgumentError, match="no parameter Z"):
        tuned(key=["Z"])


@pytest.mark.every(2, 1)
@pytest.mark.parametrize("key", [None, ["X"], ["X", "Y"]])
def test_warm_calls_do_not_work_the_key_out(on_cpu, key, monkeypatch):
    kernel = tuned(key=key)
    y = np.zeros_like(X)
    calls = [lambda: kernel(X), lambda: kernel(X, y), lambda: kernel(X=X[:100])]
    configs = [kernel.best_config(X), kernel.best_config(X[:100])]
    for call in calls:
        call()
    monkeypatch.setattr(kernel, "_key_of", None)
    for call in calls:
        call()
    assert [kernel.best_config(X), kernel.best_config(X=X[:100])] == configs
    with pytest.raises(TypeError):
        kernel(X[:50])  # another key


def test_what_is_looked_at_is_the_same_written_out(on_cpu):
    """From the second call of its types on a look is code of its own: equal for equal calls, another one for others."""
    kernel = tuned()
    wide, other = np.arange(300, dtype=np.float32), np.arange(200, dtype=np.float16)
    device = xt.Queue().to_device(X)
    calls = [(X,), (wide,), (other,), (device,), (X, 3), (X, 3.0, None), (np.float32(1), X), (np.zeros((), np.float32),)]
    first = [kernel._look_of(call, {}) for call in calls]
    for call, look in zip(calls, first, strict=True):
        kernel._look_of(call, {})
        assert kernel._look_of(call, {}) == look
    assert len({*first[:4]}) == 4
    with xt.device("numpy"):
        assert kernel._look_of((X,), {}) != first[0]


def test_numbers_in_the_key_count(on_cpu):
    kernel = xt.autotune(configs=[xt.Config(BM=16), xt.Config(BM=32)], key=["alpha"], samples=3, isolate=False)(scale)
    x = X.reshape(10, 20)
    kernel(x, alpha=2.0)
    first = kernel.outcomes
    kernel(x, alpha=2.0)
    assert kernel.outcomes is first
    kernel(x, alpha=3.0)
    assert kernel.outcomes is not first and not kernel.outcomes[0].known


def test_a_reference_of_the_users_own(on_cpu):
    kernel = tuned([BAD["wrong"], *CONFIGS], reference=lambda X: X * 2)
    assert np.array_equal(kernel(X), X * 2)
    assert statuses(kernel) == {"wrong": "wrong", "right": "ok", "wide": "ok"}


def test_none_that_runs_is_an_error(on_cpu):
    with pytest.raises(ArgumentError, match=r"none of the 2 configurations of double runs:\n.*refused"):
        tuned([BAD["refused"], BAD["wrong"]], reference=lambda X: X * 2)(X)


def test_models_prune(on_cpu):
    seen = []

    def model(config, binary, grid):
        seen.append((config, binary.name, grid))
        return {"right": 2.0, "wide": 1.0, "wrong": None}[config.values["MODE"]]

    kernel = tuned([*CONFIGS, BAD["wrong"]], model=model, keep=1)
    kernel(X)
    assert statuses(kernel) == {"right": "pruned", "wide": "ok", "wrong": "pruned"}
    assert (CONFIGS[0], "double", (13, 1, 1)) in seen
    without = tuned([*CONFIGS, BAD["wrong"]])
    without(X)  # what the model left out was not measured, so it is now
    assert statuses(without) == {"right": "ok", "wide": "ok", "wrong": "wrong"}


def test_a_budget_ends_the_search(on_cpu):
    kernel = tuned(budget=0.0)
    with pytest.warns(PerformanceWarning, match=r"nothing was measured within 0.0 s; xt.Config\(MODE='right'\) is used") as seen:
        assert np.array_equal(kernel(X), X * 2)
    assert all(warning.filename == __file__ for warning in seen)
    assert set(statuses(kernel).values()) == {"budget"}
    assert np.array_equal(tuned()(X), X * 2)


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_executors_compile(on_cpu, kind):
    make = {"threads": ThreadPoolExecutor, "processes": lambda n: ProcessPoolExecutor(n, mp_context=get_context("spawn"))}[kind]
    with make(2) as executor:
        kernel = tuned([*CONFIGS, BAD["refused"]], executor=executor)
        assert np.array_equal(kernel(X), X * 2)
    assert statuses(kernel) == {"right": "ok", "wide": "ok", "refused": "refused"}


def test_a_broken_executor_is_no_obstacle(on_cpu):
    class Broken(ThreadPoolExecutor):
        def submit(self, *args, **kwargs):
            return super().submit(lambda: 1 / 0)

    with Broken(1) as executor:
        kernel = tuned(executor=executor)
        assert np.array_equal(kernel(X), X * 2)


def test_a_configuration_that_crashes_the_build_is_listed(on_cpu):
    class Breaking(ThreadPoolExecutor):
        def submit(self, compile_, tuned, types, constants, *rest):
            after = broken if constants["MODE"] == "wide" else str
            return super().submit(lambda: after(compile_(tuned, types, constants, *rest)))

    with Breaking(1) as executor:
        kernel = tuned(executor=executor, isolate=True)
        assert np.array_equal(kernel(X), X * 2)
    found = statuses(kernel)
    assert found["right"] == "ok"
    assert found["wide"] in ("crashed", "refused")  # a later driver may say what is wrong with it


def test_the_callers_arrays_are_not_touched(on_cpu):
    kernel = tuned([*CONFIGS, BAD["wrong"]])
    y = np.full(200, 7, np.float32)
    before = X.copy()
    kernel.best_config(X, y)
    assert (y == 7).all()
    assert np.array_equal(X, before)
    kernel(X, y)
    assert np.array_equal(y, X * 2)


def test_given_constants_are_not_tuned(on_cpu):
    kernel = tuned()
    assert np.array_equal(kernel(X, MODE="wide"), X * 2)
    assert not kernel.outcomes


def test_device_arrays(on_cpu):
    queue = xt.Queue()
    kernel = tuned(isolate=True)
    assert np.array_equal(kernel(queue.to_device(X)).get(), X * 2)
    assert statuses(kernel) == {"right": "ok", "wide": "ok"}


def test_the_numpy_device_takes_the_first():
    kernel = tuned(CONFIGS[::-1])
    assert kernel.table() == "nothing is measured before the first call"
    with xt.device("numpy"):
        assert np.array_equal(kernel(X), X * 2)
        assert kernel.best_config(X) == CONFIGS[1]
    assert not kernel.outcomes
    assert kernel.table() == f"times mean nothing on numpy: {CONFIGS[1]}, the first configuration, is used"


def test_a_tuned_kernel_is_a_kernel(on_cpu):
    kernel = tuned()
    y = np.zeros(200, np.float32)
    kernel[lambda X, MODE: xt.cdiv(X.shape[0], 64 if MODE == "wide" else 16)](X, y)
    assert np.array_equal(y, X * 2)
    y[:] = 0
    kernel.bind(X, y)()
    assert np.array_equal(y, X * 2)
    assert kernel.compile("f32[?]", "f32[?]").binary.name == "double"
    assert kernel.__doc__ == double.__doc__


def test_spaces_are_products():
    space = xt.autotune_space(BM=(64, 128), BN=(64, 128), num_subgroups=(8,), where=lambda BM, BN, num_subgroups: BM >= BN)
    assert [repr(config) for config in space] == [
        "xt.Config(BM=64, BN=64, num_subgroups=8)",
        "xt.Config(BM=128, BN=64, num_subgroups=8)",
        "xt.Config(BM=128, BN=128, num_subgroups=8)",
    ]
    assert space[0].values == {"BM": 64, "BN": 64, "num_subgroups": 8}
    assert pickle.loads(pickle.dumps(space[0])) == space[0] != space[1]


@pytest.mark.parametrize(
    "configs,words", [([], "list of configurations"), ([{"BM": 1}], "list of"), ([xt.Config(BM=1)], "no constant BM")]
)
def test_wrong_configurations_are_refused(configs, words):
    with pytest.raises(ArgumentError, match=words):
        tuned(configs)
    with pytest.raises(ArgumentError, match="takes a kernel"):
        xt.autotune(configs=CONFIGS)(lambda X: X)


@pytest.mark.parametrize(("options", "words"), [
    ({"keep": 0}, "keep=0"), ({"keep": "2"}, "keep='2'"), ({"keep": 1.5}, "keep=1.5"), ({"samples": 0}, "samples=0"),
    ({"budget": -1}, "budget=-1"), ({"timeout": "1"}, "timeout='1'"),
])  # fmt: skip
def test_numbers_that_limit_nothing_are_refused(options, words):
    with pytest.raises(ArgumentError, match=words):
        xt.autotune(configs=list(CONFIGS), **options)


@pytest.mark.parametrize(("make", "words"), [
    (lambda: xt.autotune_space(N=32), r"N is 32, not several values\n  hint: N=\(32,\)"),
    (lambda: xt.autotune_space(MODE="right"), "MODE is 'right', not several"),
    (lambda: xt.autotune_space(lambda M: True, N=(1, 2)), "where takes M; the choices are N"),
    (lambda: xt.rank(lambda X: None, list(CONFIGS), "f32[8]"), "rank takes a kernel"),
])  # fmt: skip
def test_what_spaces_and_ranks_are_not_made_of_is_told(make, words):
    with pytest.raises(ArgumentError, match=words):
        make()


def test_a_configuration_for_which_a_rule_fails_is_listed_wherever_it_stands(on_cpu):
    kernel = tuned([xt.Config(MODE="right", num_subgroups=0), CONFIGS[0]])
    assert np.array_equal(kernel(X), X * 2)
    assert [outcome.status for outcome in kernel.outcomes] == ["refused", "ok"]

    @xt.autotune(configs=[xt.Config(N=0), xt.Config(N=32)], samples=3, isolate=False)
    @xt.jit(out={"Y": lambda X: xt.empty(X.shape, xt.f32)}, grid=lambda X, N: X.shape[0] // N)
    def divided(X, Y, N: xt.constexpr):
        i = xt.program_id(0) * N
        xt.store_tile(xt.load_tile(xt.init_tile(X, i, (N,))), xt.init_tile(Y, i, (N,)))

    assert np.array_equal(divided(X[:192]), X[:192])
    assert [outcome.status for outcome in divided.outcomes] == ["refused", "ok"]


def test_progress_is_shown(on_cpu, capsys):
    tuned(progress=True)(X)
    shown = capsys.readouterr().err
    assert "tuning double" in shown
    assert "the best of 2 is xt.Config(MODE=" in shown


# Its parts


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        lambda a: a.T,
        lambda a: a[::2, 3:9],
        lambda a: a[::-1],
        lambda a: a[:0],
        lambda a: np.broadcast_to(a[0], (3, 20)),
    ],
    ids=["whole", "transposed", "strided", "reversed", "empty", "broadcast"],
)
def test_copies_lie_as_the_original(make):
    array = make(np.arange(400, dtype=np.float16).reshape(20, 20))
    copy = copied(array, fresh=False)
    assert np.array_equal(copy, array)
    assert (copy.shape, copy.strides, copy.dtype) == (array.shape, array.strides, array.dtype)
    assert not np.shares_memory(copy, array)
    assert np.isnan(copied(array, fresh=True)).all()
    assert Raw.from_fields(Raw.of(array).fields()) == Raw.of(array)


@pytest.mark.parametrize(
    "given,wanted,words",
    [
        ([1.0, 2.0], [1.0, 2.00001], ""),
        ([1.0, 2.0], [1.0, 2.1], "differs by"),
        ([1.0, np.nan], [1.0, np.nan], ""),
        ([1.0, np.nan], [1.0, 2.0], "NaN in other places"),
        ([1.0, np.inf], [1.0, np.inf], ""),
        ([1.0, -np.inf], [1.0, np.inf], "other places"),
        ([1, 2], [1, 3], "differs in 1 of 2"),
        ([], [], ""),
        ([0.0], [0.0], ""),
        ([[1.0]], [1.0], "has shape"),
    ],
)
def test_comparing(given, wanted, words):
    said = compare(np.array(given), np.array(wanted, np.array(given).dtype), 1e-4)
    assert said == "" if words == "" else words in said


def test_a_worker_is_killed_with_its_runner(cpu):
    with make_runner(find_device(cpu), isolate=True, timeout=60) as runner:
        process = runner._started()
        assert process.poll() is None
    assert process.poll() is not None
    assert not runner.folder.exists()
