"""`python -m xetile`."""

from __future__ import annotations

import sys

from xetile.cli import main

sys.exit(main())
