"""Tools as child processes: what they say, and how they are ended."""

from __future__ import annotations

import sys
import time

import pytest

from xetile.mlir import child


def test_a_tool_that_waits_is_ended_by_the_clock(monkeypatch):
    monkeypatch.setattr(child, "SECONDS", 0.3)
    done = child.run([sys.executable, "-c", "import sys, time; sys.stdin.read(); print('begun', flush=True); time.sleep(50)"], "")
    assert done.over == "it took more than 0.3 s" and done.status < 0


def test_what_a_tool_says_is_kept_and_no_clock_is_left():
    done = child.run([sys.executable, "-c", "import sys; print(sys.stdin.read()[::-1]); sys.exit(3)"], "abc")
    assert (done.status, done.output, done.errors, done.over) == (3, "cba\n", "", "")


def test_nobody_sleeps_for_a_tool_that_ends_at_once(monkeypatch):
    """Python's own wait with a timeout does, up to 50 ms at a time."""
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail(f"slept {seconds} s"))
    assert child.run([sys.executable, "-c", "pass"], "").status == 0
