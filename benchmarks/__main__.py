"""`python -m xetile benchmarks NAME [options]`: run a benchmark; without a name, list them all."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Sequence

from xetile.cli.guard import guarded

from .registry import BY_NAME, listing

USAGE = "usage: python -m xetile benchmarks NAME [options]; NAME --help shows a benchmark's options"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one benchmark. Returns its exit status: 1 where a result is wrong or misses its bar, 2 for a wrong command line."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"{USAGE}\n\n{listing()}")
        return 0
    name, *rest = arguments
    found = BY_NAME.get(name.replace("-", "_"))
    if found is None:
        close = difflib.get_close_matches(name, BY_NAME, n=1)
        print(f"there is no benchmark {name!r}{f'; did you mean {close[0]!r}?' if close else ''}\n{listing()}", file=sys.stderr)
        return 2
    return guarded(lambda: found.load()(rest))


if __name__ == "__main__":
    raise SystemExit(guarded(main))
