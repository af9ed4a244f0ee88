"""The writer's table of ops is filled at first use: by one thread, while others wait."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys, threading
from xetile.backends.spirv.emit import table
from xetile.dialects import arith
import xetile.dialects.gpu, xetile.dialects.xegpu
found, start = [], threading.Barrier(8)
def look():
    start.wait()
    found.append(table.find_handler(arith.Constant) is not None)
sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=look) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
print(found.count(True))
"""


def test_threads_that_write_first_at_once_find_every_op():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["8"], done.stderr
