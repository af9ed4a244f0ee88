"""The cache on disk: whole or absent, bounded, and safe for processes that die at any time."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from xetile import cli
from xetile.runtime import cache, settings, stats

KEY = "ab" * 32


def test_what_is_put_is_got():
    assert cache.get("kernels", KEY) is None
    cache.put("kernels", KEY, b"contents")
    assert cache.get("kernels", KEY) == b"contents"
    cache.put("kernels", KEY, b"")
    assert cache.get("kernels", KEY) == b""
    cache.remove("kernels", KEY)
    assert cache.get("kernels", KEY) is None


def test_kinds_do_not_meet():
    cache.put("kernels", KEY, b"spirv")
    assert cache.get("native", KEY) is None


def test_a_cache_that_is_off_keeps_nothing(own_cache):
    with settings.override(cache=False):
        cache.put("kernels", KEY, b"contents")
        assert cache.get("kernels", KEY) is None
    assert not own_cache.exists()


DAMAGES = {
    "truncated": lambda data: data[:-1],
    "only its head": lambda data: data[: len(cache.MAGIC)],
    "empty": lambda data: b"",
    "one bit": lambda data: data[:-2] + bytes([data[-2] ^ 4]) + data[-1:],
    "longer": lambda data: data + b"\0",
    "another format": lambda data: b"xetile cache 0\n" + data[len(cache.MAGIC) :],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_damaged_entries_count_as_absent_and_go(damage):
    cache.put("native", KEY, b"contents of an entry")
    path = cache.path_of("native", KEY)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get("native", KEY) is None
    assert not path.exists()
    assert stats.stats().cache_corrupt == 1


def test_the_least_recently_used_go_first():
    keys = [f"{i:02}" * 32 for i in range(10)]
    for i, key in enumerate(keys):
        cache.put("kernels", key, b"x" * 1000)
        os.utime(cache.path_of("kernels", key), (1000 + i, 1000 + i))
    assert cache.get("kernels", keys[0]) is not None  # used now
    cache.clean(limit=5 * 1100)
    kept = {entry.key for entry in cache.entries()}
    assert keys[0] in kept
    assert kept == {keys[0], *keys[-3:]}
    assert sum(entry.size for entry in cache.entries()) <= 5 * 1100


def test_writing_holds_the_cache_to_its_size(monkeypatch):
    monkeypatch.setenv("XETILE_CACHE_SIZE", "20000")
    for i in range(100):
        cache.put("native", f"{i:02}" * 32, bytes(1000))
    assert sum(entry.size for entry in cache.entries()) <= 20000 + 20000 // 16 + 1100


def test_tuning_results_are_not_bounded(monkeypatch):
    cache.put("tuning", KEY, b"dear")
    cache.clean(limit=0)
    assert cache.get("tuning", KEY) == b"dear"


def unfinished(process: object, host: str | None = None, age: float = 0) -> Path:
    import platform

    path = cache.path_of("kernels", KEY).with_name(f"{KEY[:16]}.{host or platform.node()}.{process}.0{cache.UNFINISHED}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"half")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_files_of_dead_processes_are_removed():
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True)
    gone = unfinished(int(dead.stdout))
    old = unfinished(1, host="another.host", age=2 * cache.FOREIGN_SECONDS)
    alive = unfinished(os.getppid())
    foreign = unfinished(2, host="another.host")
    cache.clean()
    assert not gone.exists()
    assert not old.exists()
    assert alive.exists()
    assert foreign.exists()


def test_a_directory_that_cannot_be_written_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XETILE_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(cache, "_told", False)
    with pytest.warns(cache.CacheWarning, match="cannot be kept in .*: (Not a directory|File exists)"):
        cache.put("kernels", KEY, b"contents")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put("kernels", KEY, b"contents")  # told once
    assert cache.get("kernels", KEY) is None
    assert stats.stats().cache_failures == 2


def test_command_line(capsys, own_cache):
    assert cli.main(["cache", "path"]) == 0
    assert capsys.readouterr().out.strip() == str(own_cache)
    cache.put("native", KEY, b"x" * 100)
    outcome = {
        "status": "ok",
        "seconds": 0.001,
        "low": 0.001,
        "high": 0.002,
        "reason": "",
        "config": "xt.Config(BM=64)",
        "about": [],
    }
    cache.put("tuning", KEY, json.dumps(outcome).encode())
    assert cli.main(["cache", "list"]) == 0
    out = capsys.readouterr().out
    assert "native: 1 entries" in out
    assert "1.000 ms  xt.Config(BM=64)" in out
    assert cli.main(["cache", "clear"]) == 0
    assert "removed 1 entries" in capsys.readouterr().out
    assert cache.get("tuning", KEY) is not None
    assert cli.main(["cache", "clear", "--tuning"]) == 0
    assert not list(cache.entries())


# Many processes, killed at random.

WORKER = """
import hashlib, random, sys
from xetile.runtime import cache, stats
seed = random.Random(int(sys.argv[1]))
while True:
    key = hashlib.sha256(str(seed.randrange(40)).encode()).hexdigest()
    wanted = key.encode() * seed.choice((1, 100, 3000))
    found = cache.get("native", key)
    if found is not None and (not found or found.replace(key.encode(), b"")):
        print("WRONG", key, flush=True)
        sys.exit(1)
    if seed.random() < 0.05:
        cache.remove("native", key)
    cache.put("native", key, wanted)
    if stats.stats().cache_corrupt:
        print("TORN", key, flush=True)
        sys.exit(1)
"""


def start(seed: int) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", WORKER, str(seed)], stdout=subprocess.PIPE, text=True)


def killed_at_random(kills: int, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XETILE_CACHE_SIZE", str(limit))
    chance = random.Random(1)
    processes = [start(i) for i in range(8)]
    try:
        for i in range(kills):
            time.sleep(chance.uniform(0.02, 0.2))
            victim = chance.randrange(len(processes))
            processes[victim].send_signal(signal.SIGKILL)
            assert processes[victim].communicate()[0] == ""
            processes[victim] = start(100 + i)
        time.sleep(0.5)
    finally:
        for process in processes:
            process.kill()
        said = [process.communicate()[0] for process in processes]
    assert said == [""] * len(processes)
    cache.clean()
    assert not list(settings.cache_directory().rglob(f"*{cache.UNFINISHED}"))
    for entry in cache.entries():
        assert cache.get(entry.kind, entry.key) is not None
    assert sum(entry.size for entry in cache.entries()) <= limit


def test_killed_writers_leave_nothing_torn_and_no_growth(monkeypatch):
    killed_at_random(12, 1_000_000, monkeypatch)


@pytest.mark.slow
def test_killed_writers_for_long(monkeypatch):
    killed_at_random(100, 1_000_000, monkeypatch)
