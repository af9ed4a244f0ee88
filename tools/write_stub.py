"""Write xetile/__init__.pyi from the names in xetile/__init__.py: `python tools/write_stub.py`."""

from __future__ import annotations

import argparse
import ast
from pathlib import Path

import xetile as xt

HEAD = '"""The public names for editors and type checkers; the same as in `__init__.py`, which imports each when it is first used."""'


def main() -> None:
    """Write the file, or only say whether it is as it would be written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; end with status 1 where the file would be another one"
    )
    options = parser.parse_args()
    path, text = Path(xt.__file__).parent / "__init__.pyi", stub()
    if not options.check:
        path.write_text(text, encoding="utf-8")
    elif ast.dump(ast.parse(path.read_text(encoding="utf-8"))) != ast.dump(ast.parse(text)):  # ruff breaks its lines
        raise SystemExit(f"{path} is not up to date: run python tools/write_stub.py")


def stub() -> str:
    """Imports by module, then `__all__`; `ruff format` breaks the lines."""
    homes: dict[str, list[str]] = {}
    for name, (home, there) in xt._NAMES.items():
        homes.setdefault(home, []).append(name if name == there else f"{there} as {name}")
    lines = [f"from xetile import {name} as {name}" for name in xt._MODULES]
    lines += [f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(homes.items())]
    lines += ["", "__version__: str", "", "__all__ = [", *(f'    "{name}",' for name in sorted(xt.__all__)), "]"]
    return "\n".join([HEAD, "", *lines, ""])


if __name__ == "__main__":
    main()
