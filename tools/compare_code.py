"""Compare what a base commit and the working tree make of every kernel: the IR of each level, and the SPIR-V.

    python tools/compare_code.py [BASE] [--new COMMIT] [--only TEXT] [--keep FOLDER] [--jobs N]

BASE is a commit, HEAD by default; what it makes is kept in the folder of temporary files for the next comparison with it. --new is a
commit in place of the working tree, which may then be edited meanwhile. Kernels: `tools/compared_kernels.py` of each side, for pvc,
bmg and dg2. Says for each kernel that differs from which level on it does, shows the first lines of the difference, and ends with 1
where there is any. --keep writes both sides' texts to FOLDER/base and FOLDER/new.
"""

from __future__ import annotations

import argparse
import difflib
import json
import subprocess
import sys
import tempfile
import warnings
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHOWN_LINES = 12
Texts = dict[str, dict[str, str]]  # case and target: level: text


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", nargs="?", default="HEAD", help="the commit to compare with")
    parser.add_argument("--new", help="the commit to compare; default: the working tree")
    parser.add_argument("--only", default="", help="only kernels whose name holds this")
    parser.add_argument("--keep", type=Path, help="write the texts of both sides here")
    parser.add_argument("--jobs", type=int, default=2, help="processes for each side")
    parser.add_argument("--collect", type=Path, help=argparse.SUPPRESS)  # the tree to compile, in a process of its own
    options = parser.parse_args()
    if options.collect is not None:
        json.dump(_collect(options.collect, options.only, options.jobs), sys.stdout)
        return 0
    sides = [_of_commit(options.base, options), _of_commit(options.new, options) if options.new else _in_process(ROOT, options)]
    if options.keep:
        for name, texts in zip(("base", "new"), sides):
            _write(options.keep / name, texts)
    return _report(*sides)


def _of_commit(commit: str, options: argparse.Namespace) -> Texts:
    """The texts of a commit: from an earlier run, else in a tree of its own."""
    name = subprocess.run(["git", "-C", ROOT, "rev-parse", commit], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    kept = Path(tempfile.gettempdir()) / "xetile-compare" / f"{name}-{options.only.replace('/', '_') or 'all'}.json"
    if kept.exists():
        found: Texts = json.loads(kept.read_text())
        return found
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "tree"
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--detach", tree, name], check=True)
        try:
            found = _in_process(tree, options)
        finally:
            subprocess.run(["git", "-C", ROOT, "worktree", "remove", "--force", tree], check=True)
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(found))
    for old in sorted(kept.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)[:-6]:
        old.unlink()
    return found


def _in_process(root: Path, options: argparse.Namespace) -> Texts:
    """The texts of one tree: each side needs an interpreter of its own, and its own modules before all others."""
    code = [sys.executable, __file__, "--collect", root, "--only", options.only, "--jobs", options.jobs]
    done = subprocess.run([str(part) for part in code], cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    found: Texts = json.loads(done.stdout)
    return found


def _collect(root: Path, only: str, jobs: int) -> Texts:
    _use_tree(root)
    from compared_kernels import TARGETS, cases

    names = [case.name for case in cases() if only in case.name]
    with ProcessPoolExecutor(jobs, initializer=_use_tree, initargs=(root,)) as pool:
        keys = [(name, target) for name in names for target in TARGETS]
        return {f"{name} for {target}": texts for (name, target), texts in zip(keys, pool.map(_compile, keys, chunksize=4))}


def _use_tree(root: Path) -> None:
    """Let `import xetile` find a tree's compiler; `backends/` lies beside the package that it belongs to."""
    sys.path[:0] = [str(root), str(root / "tools")]
    import xetile

    xetile.__path__.append(str(root))
    assert Path(xetile.__file__).is_relative_to(root), xetile.__file__
    warnings.simplefilter("ignore")


def _compile(key: tuple[str, str]) -> dict[str, str]:
    """The text of each level and of the SPIR-V; a refusal is a text too."""
    from compared_kernels import cases

    from xetile.errors import XetileError
    from xetile.ir.printer import print_op
    from xetile.runtime.compiler import build
    from xetile.runtime.dump import DISASSEMBLER

    disassemble = import_module(DISASSEMBLER).disassemble
    name, target = key
    texts: dict[str, str] = {}
    try:
        compiled = next(case for case in cases() if case.name == name).compile(target)
        # Not from the cache on disk, which another tree may have filled.
        made = build(compiled.request, lambda level, module: texts.update({level: print_op(module).replace(sys.path[0], "")}))
    except XetileError as error:
        return {**texts, "refused": str(error).replace(sys.path[0], "")}
    return {**texts, "launch": f"{made.local_size} {made.build_options} {made.slm_bytes}", "spirv": disassemble(made.spirv)}


def _report(base: Texts, new: Texts) -> int:
    different = 0
    for key in sorted(base.keys() | new.keys()):
        if key not in base or key not in new:
            print(f"{key}: only in the {'working tree' if key in new else 'base'}")
            continue
        levels = [level for level in {**base[key], **new[key]} if base[key].get(level) != new[key].get(level)]
        if not levels:
            continue
        different += 1
        print(f"{key}: differs at {', '.join(levels)}")
        first = levels[0]
        lines = difflib.unified_diff(
            *(side[key].get(first, "").splitlines() for side in (base, new)), "base", "new", n=1, lineterm=""
        )
        for line, _ in zip(lines, range(SHOWN_LINES)):
            print("    " + line[:180])
    print(f"{len(base.keys() & new.keys()) - different} of {len(base.keys() & new.keys())} are identical")
    return 1 if different else 0


def _write(folder: Path, texts: Texts) -> None:
    for key, levels in texts.items():
        where = folder / "".join(c if c.isalnum() or c in "._-" else "_" for c in key)
        where.mkdir(parents=True, exist_ok=True)
        for level, text in levels.items():
            (where / f"{level}.txt").write_text(text)


if __name__ == "__main__":
    sys.exit(main())
