"""A cache whose files were damaged in every way: right results or made again; no crash, no hang, no other entry's contents."""

import os
import random
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import xetile as xt
from tests.runtime.sample import scale
from xetile.runtime import cache
from xetile.runtime.jit import Kernel

MANY = [pytest.param(1, id="few"), pytest.param(100, id="many", marks=pytest.mark.slow)]
SECONDS = 120


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    yield
    signal.alarm(0)


def in_time(damages: Sequence[Callable[..., None]]) -> Iterator[Callable[..., None]]:
    """Each damage, with so many seconds for what is done with it: what hangs, in the driver too, ends the process."""
    for damage in damages:
        signal.alarm(SECONDS)
        yield damage


def flip(path: Path, other: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 1, 2, 50))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def truncate(path: Path, other: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(path.stat().st_size))


def append(path: Path, other: Path, chance: random.Random) -> None:
    path.write_bytes(path.read_bytes() + chance.randbytes(chance.choice((1, 100))))


def zero(path: Path, other: Path, chance: random.Random) -> None:
    """A block that the disk had not written yet."""
    data = bytearray(path.read_bytes())
    start = chance.randrange(len(data))
    data[start : start + 512] = bytes(len(data[start : start + 512]))
    path.write_bytes(data)


def swap(path: Path, other: Path, chance: random.Random) -> None:
    third = path.with_name("third")
    path.rename(third)
    other.rename(path)
    third.rename(other)


def replaced(make: Callable[[Path, Path], None]) -> Callable[[Path, Path, random.Random], None]:
    def damage(path: Path, other: Path, chance: random.Random) -> None:
        path.unlink()
        make(path, other)

    damage.__name__ = make.__name__
    return damage


@replaced
def garbage(path: Path, other: Path) -> None:
    path.write_bytes(random.Random(0).randbytes(1000))


@replaced
def pipe(path: Path, other: Path) -> None:
    os.mkfifo(path)


@replaced
def folder(path: Path, other: Path) -> None:
    path.mkdir()


@replaced
def huge(path: Path, other: Path) -> None:
    path.write_bytes(cache.MAGIC)
    os.truncate(path, 1 << 40)


@replaced
def link_to_itself(path: Path, other: Path) -> None:
    path.symlink_to(path)


@replaced
def link_to_the_other(path: Path, other: Path) -> None:
    path.symlink_to(other)


@replaced
def link_to_endless_zeros(path: Path, other: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_the_same_contents(path: Path, other: Path, chance: random.Random) -> None:
    away = path.with_name("away")
    path.rename(away)
    path.symlink_to(away)


def written_by_everyone(path: Path, other: Path, chance: random.Random) -> None:
    path.chmod(0o666)


def unreadable(path: Path, other: Path, chance: random.Random) -> None:
    path.chmod(0)  # nothing that root would mind


def foreign(path: Path, other: Path, chance: random.Random) -> None:
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)


DAMAGES = (flip, flip, truncate, append, zero, swap, garbage, pipe, folder, huge, link_to_itself, link_to_the_other,
           link_to_endless_zeros, link_to_the_same_contents, written_by_everyone, unreadable, foreign)  # fmt: skip
REFUSED = {swap, garbage, pipe, folder, huge, link_to_itself, link_to_the_other, link_to_endless_zeros,
           link_to_the_same_contents, written_by_everyone}  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.filterwarnings("ignore::xetile.runtime.cache.CacheWarning")
@pytest.mark.parametrize("rounds", MANY)
@pytest.mark.parametrize("kind", cache.KINDS)
def test_what_is_got_is_what_was_put_or_nothing(kind, rounds):
    chance = random.Random(kind)
    contents = {f"{i:02x}" * 32: chance.randbytes(chance.choice((1, 30, 900))) for i in range(4)}
    for damage in in_time(DAMAGES * 2 * rounds):
        for key, wanted in contents.items():
            cache.put(kind, key, wanted)
        key, other = chance.sample(sorted(contents), 2)
        damage(cache.path_of(kind, key), cache.path_of(kind, other), chance)
        got = cache.get(kind, key)
        assert got in (None, contents[key]), damage.__name__
        assert got is None or damage not in REFUSED, damage.__name__
        list(cache.entries())
        cache.clean(0)
        cache.put(kind, key, contents[key])
        assert cache.get(kind, key) == contents[key], damage.__name__


def test_the_first_damage_is_told_and_the_others_are_not():
    for key in ("aa" * 32, "bb" * 32):
        cache.put("tuning", key, b"x")
        os.truncate(cache.path_of("tuning", key), 20)
    with pytest.warns(cache.CacheWarning, match="is damaged, or holds another entry; it is made again"):
        assert cache.get("tuning", "aa" * 32) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.get("tuning", "bb" * 32) is None


def test_nothing_is_told_of_what_is_not_there():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.get("tuning", "aa" * 32) is None


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_entries_of_other_users_are_left_alone():
    cache.put("tuning", "aa" * 32, b"x")
    os.chown(cache.path_of("tuning", "aa" * 32), 12345, -1)
    with pytest.warns(cache.CacheWarning, match="belongs to another user"):
        assert cache.get("tuning", "aa" * 32) is None
    assert cache.path_of("tuning", "aa" * 32).exists()


# The whole way: a kernel whose SPIR-V and whose native binary are in the cache.


def call(factor: float) -> np.ndarray:
    with xt.device("cpu"):
        return Kernel(scale.fn, scale.head.out, scale.head.grid, 1)(np.ones((16, 16), np.float32), alpha=factor)


@pytest.mark.every(2)
@pytest.mark.device
@pytest.mark.filterwarnings("ignore::xetile.runtime.cache.CacheWarning")
@pytest.mark.parametrize(
    "rounds", [pytest.param(1, id="few"), pytest.param(20, id="many", marks=pytest.mark.slow)]
)  # three builds each
@pytest.mark.parametrize("kind", ["kernels", "native"])
def test_kernels_compute_the_same_from_a_damaged_cache(cpu, kind, rounds):
    chance = random.Random(kind)
    some = (flip, truncate, swap, pipe, huge)
    for damage in in_time(DAMAGES * rounds if rounds > 1 else some):
        call(2.0)
        with xt.device("cpu"):  # another kernel, so that there are two to swap
            Kernel(scale.fn, scale.head.out, scale.head.grid, 1)(np.ones((16, 16), np.float16), alpha=2.0)
        entries = sorted(cache.entries((kind,)), key=lambda entry: entry.key)
        first, second = chance.sample(entries, 2)
        damage(first.path, second.path, chance)
        assert (call(3.0) == 3).all(), damage.__name__
