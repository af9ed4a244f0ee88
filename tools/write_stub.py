"""Write xetile/__init__.pyi from the names in xetile/__init__.py: `python tools/write_stub.py`."""

from __future__ import annotations

import argparse
from pathlib import Path

import xetile as xt

HEAD = '"""The public names for editors and type checkers; the same as in `__init__.py`, which imports each when it is first used."""'


def main() -> None:
    """Write the file; `ruff check --fix` and `ruff format` order and break its lines."""
    argparse.ArgumentParser(description=__doc__).parse_args()  # it takes nothing, and says so
    (Path(xt.__file__).parent / "__init__.pyi").write_text(stub(), encoding="utf-8")


def stub() -> str:
    """Imports by module, then `__all__`."""
    homes: dict[str, list[str]] = {}
    for name, (home, there) in xt._NAMES.items():
        homes.setdefault(home, []).append(name if name == there else f"{there} as {name}")
    lines = [f"from xetile import {name} as {name}" for name in xt._MODULES]
    lines += [f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(homes.items())]
    lines += ["", "__version__: str", "", "__all__ = [", *(f'    "{name}",' for name in sorted(xt.__all__)), "]"]
    return "\n".join([HEAD, "", *lines, ""])


if __name__ == "__main__":
    main()
