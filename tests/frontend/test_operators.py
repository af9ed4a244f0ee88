"""What operators do is known as soon as a kernel is traced, whatever other functions were used before."""

import re
import subprocess
import sys
from pathlib import Path

import xetile.language

FOLDER = Path(xetile.language.__file__).parent


def test_tracing_knows_all_operators():
    names = {name for file in FOLDER.glob("*.py") for each in re.findall(r"^@operator\((.*)\)", file.read_text(), re.M)
             for name in re.findall(r'"(\w+)"', each)}  # fmt: skip
    assert "element" in names
    code = "import xetile.frontend.tracer; from xetile.language.values import OPERATORS; print(*OPERATORS)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert names <= set(found)
