"""The tests.  What is imported first: it says where bytecode goes, before anything large is imported."""

import os
import sys
from pathlib import Path

# An environment that wants no bytecode beside the sources gets it elsewhere: tests run in several processes and start many more, which
# import the same.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# As many processes run as there are cores: threads of BLAS beside them would wait for each other, and take longer than the products.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
