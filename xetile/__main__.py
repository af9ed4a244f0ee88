"""`python -m xetile`."""

from __future__ import annotations

from xetile.cli import main
from xetile.cli.guard import leave

leave(main())
