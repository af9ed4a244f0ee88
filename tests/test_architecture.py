"""The rules that keep the tree readable: who may import whom, how long files and functions are, what no source file holds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ("xetile", "backends")
FOLDERS = (*LIBRARY, "benchmarks", "docs", "tests", "tools", "tutorials")
TEXTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "pyproject.toml", ".ci/run")
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)

MAX_FILE_LINES = 450
MAX_FUNCTION_LINES = 60  # without the docstring
# Data that tools/ wrote: as long as what it lists.
GENERATED = {"backends/spirv/module/grammar.py"}

COMPILER = {
    "collection",
    "records",
    "requirements",
    "internal",
    "errors",
    "source_text",
    "failures",
    "schema",
    "index_ranges",
    "ir",
    "layout",
    "target",
    "dialects",
    "dtypes",
}
# Part of xetile: the parts that it may import besides itself.  The lower never know the higher; passes and frontend never meet.
MAY_IMPORT: dict[str, set[str]] = {
    "source_text": set(),
    "collection": set(),
    "records": set(),
    "errors": {"source_text", "records"},
    "failures": {"errors"},
    "internal": {"errors"},
    "tracebacks": {"errors", "internal", "runtime", "source_text"},
    "requirements": {"errors", "records", "schema", "index_ranges"},  # both know what a launch passes
    "schema": {"errors"},
    "index_ranges": {"errors", "records", "schema", "target"},
    "ir": {"errors", "records"},
    "layout": {"errors", "records"},
    "target": {"errors", "records"},
    "dialects": {"errors", "failures", "index_ranges", "ir", "layout", "records"},
    "dtypes": {"errors", "dialects"},
    "signature": {"errors", "dialects", "dtypes", "records", "target"},
    "language": COMPILER,
    "frontend": COMPILER | {"language", "signature"},
    "estimate": COMPILER,
    "roofline": {"errors", "records", "target", "estimate"},
    "passes": COMPILER | {"estimate"},
    "runtime": COMPILER | {"language", "frontend", "passes", "signature", "estimate", "roofline", "mlir"},
    "mlir": COMPILER,
    "joint_matrix": COMPILER | {"language"},
    "xegpu": COMPILER | {"language"},
    "ops": {"errors", "dtypes", "runtime"},
    "cli": COMPILER | {"runtime", "passes", "mlir", "estimate"},
    "benchmarks": set(),
    "__main__": {"cli"},
    "__init__": COMPILER | {"language", "frontend", "runtime", "xegpu", "ops", "tracebacks"},
    "backends": COMPILER | {"runtime"},
}
# Folder of `passes`: the others that it may import. Each stage may use what stages before it say of their results.
PASSES_MAY_IMPORT: dict[str, set[str]] = {
    "analysis": set(),
    "common": {"analysis"},
    "cleanup": {"analysis", "common"},
    "workgroup": {"analysis", "common"},
    "distribute": {"analysis", "common"},
    "block": {"analysis", "common", "workgroup"},
    "lane": {"analysis", "common", "block"},
    "vectors": {"analysis", "common"},
    "xegpu": {"analysis", "common", "cleanup", "workgroup", "distribute", "block"},
}
# Files of `passes` itself: they put the stages in order.
PASSES_ORDER = {"order", "xegpu_order", "pipeline", "named", "manager", "instruments", "__init__"}
# What a backend sees of the runtime: the interface it implements, and what that interface hands it.
BACKEND_INTERFACE = {"artifact", "reproducer", "backend", "arrays", "scalars", "settings"}
# The library's kernels say which tiles are good where, as users' kernels do (`xt.jit(defaults=)`).
KERNELS = "xetile/ops/kernels/"
# The OpenCL driver emulates finished modules.
BACKEND_USES = {("opencl", "spirv")}

# Where a machine keeps people's files: a path of this kind works on one machine only.
MACHINE_PATH = re.compile(r"(?<![\w.~}])/(?:work|root|home|Users|mnt)/\w")


def sources(*folders: str) -> list[str]:
    """Python files below folders of the repository, by their path in it."""
    return sorted(str(file.relative_to(ROOT)) for folder in folders for file in (ROOT / folder).rglob("*.py"))


@cache
def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def tree(path: str) -> ast.Module:
    return ast.parse(text(path), path)


@cache
def nodes_of(path: str) -> tuple[ast.AST, ...]:
    """All nodes of a file: several rules look at each."""
    return tuple(ast.walk(tree(path)))


def assert_none(offenders: Iterable[str]) -> None:
    """Fail with all the places that break a rule, one a line."""
    found = sorted(offenders)
    assert not found, "\n".join(["", *found])


def module_name(path: str) -> tuple[str, ...]:
    """Dotted name of a source file, as a tuple; a package's own file ends in `__init__`."""
    parts = Path(path).with_suffix("").parts
    return ("xetile", *parts) if parts[0] == "backends" else parts


def imports(path: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Line and full name of everything that a file imports from xetile, also inside functions and for types alone."""
    package = module_name(path)[:-1]
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = (*base, *(node.module.split(".") if node.module else ()))
            names = [(*module, alias.name) for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name[0] == "xetile" and len(name) > 1)


def allowed(importer: tuple[str, ...], imported: tuple[str, ...]) -> bool:
    part, other = importer[1], imported[1]
    if part == "backends":
        return backend_allowed(importer, imported)
    return other in {part, "__version__"} or other in MAY_IMPORT.get(part, set())


def backend_allowed(importer: tuple[str, ...], imported: tuple[str, ...]) -> bool:
    if imported[1] == "backends":
        return imported[2] == importer[2] or (importer[2], imported[2]) in BACKEND_USES
    if imported[1] == "runtime":
        return len(imported) > 2 and imported[2] in BACKEND_INTERFACE
    return imported[1] in MAY_IMPORT["backends"]


def test_every_part_has_a_rule() -> None:
    assert_none({module_name(path)[1] for path in sources(*LIBRARY)} - MAY_IMPORT.keys())


def test_imports_follow_the_layers() -> None:
    assert_none(
        f"{path}:{line} imports {'.'.join(name)}"
        for path in sources(*LIBRARY)
        for line, name in imports(path)
        if not allowed(module_name(path), name)
    )


def test_stages_of_the_passes_keep_their_order() -> None:
    files = [path for path in sources("xetile") if module_name(path)[1] == "passes"]
    assert {module_name(path)[2] for path in files} <= PASSES_MAY_IMPORT.keys() | PASSES_ORDER
    assert_none(
        f"{path}:{line} imports {'.'.join(name)}"
        for path in files
        for line, name in imports(path)
        if name[1] == "passes" and not stage_allowed(module_name(path)[2], name)
    )


def stage_allowed(stage: str, imported: tuple[str, ...]) -> bool:
    return stage in PASSES_ORDER or (len(imported) > 2 and imported[2] in {stage} | PASSES_MAY_IMPORT[stage])


def test_folders_that_are_installed_elsewhere_import_their_own_relatively() -> None:
    """backends/ and benchmarks/ are packages of their own in a checkout, and parts of xetile where they are installed."""
    assert_none(
        f"{path}:{node.lineno} imports its own package by its full name"
        for folder in ("backends", "benchmarks")
        for path in sources(folder)
        for node in nodes_of(path)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and names_a_folder(node, folder)
    )


def names_a_folder(node: ast.Import | ast.ImportFrom, folder: str) -> bool:
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [] if node.level else [f"{node.module}"]
    return any(f"{name}.".startswith((f"{folder}.", f"xetile.{folder}.")) for name in names)


def test_no_files_import_each_other_in_a_circle() -> None:
    """Nowhere: neither while they are loaded, nor for types, nor inside functions."""
    edges: dict[str, set[str]] = {}
    for path, other in file_imports():
        if path != other:
            edges.setdefault(path, set()).add(other)
    assert_none(" -> ".join(circle) for circle in circles_in(edges))


def test_folders_import_each_other_in_one_direction() -> None:
    """Sub-packages too, also for types and inside functions; files of `xetile` itself are parts of their own."""
    edges: dict[str, set[str]] = {}
    for path, other in file_imports():
        own, its = folder_of(path), folder_of(other)
        if "xetile" not in (own, its) and own != its:
            edges.setdefault(own, set()).add(its)
    assert_none(" -> ".join(circle) for circle in circles_in(edges))


def folder_of(path: str) -> str:
    return str(Path(path).parent)


def file_of() -> dict[tuple[str, ...], str]:
    """The files of the library by the names that imports give them."""
    files = {module_name(path): path for path in sources(*LIBRARY)}
    return files | {name[:-1]: path for name, path in files.items() if name[-1] == "__init__"}


@cache
def file_imports() -> frozenset[tuple[str, str]]:
    """Each file with each of the others that it imports, wherever it does."""
    files = file_of()
    found = ((path, files.get(name) or files.get(name[:-1])) for path in set(files.values()) for _, name in imports(path))
    return frozenset((path, other) for path, other in found if other is not None)


def circles_in(edges: dict[str, set[str]]) -> Iterator[list[str]]:
    """The circles that a walk from each node closes."""
    done: set[str] = set()

    def visit(node: str, way: list[str]) -> Iterator[list[str]]:
        if node in way:
            yield [*way[way.index(node) :], node]
        elif node not in done:
            for other in sorted(edges.get(node, ())):
                yield from visit(other, [*way, node])
            done.add(node)

    for node in sorted(edges):
        yield from visit(node, [])


def test_tables_by_target_are_properties_of_the_target() -> None:
    """A dictionary, set or list that names two targets stands in `xetile/target`: a new target is added there alone."""
    names = {ast.literal_eval(ast.unparse(value)) for value in _keys_of("xetile/target/names.py", "KNOWN")}
    assert {"pvc", "dg2", "cpu"} <= names
    assert_none(
        f"{path}:{node.lineno} names targets: {', '.join(sorted(named))}"
        for path in sources(*LIBRARY)
        if not path.startswith(("xetile/target/", KERNELS))
        for node in nodes_of(path)
        if isinstance(node, (ast.Dict, ast.Set, ast.Tuple, ast.List))
        and len(named := names & {n.value for n in _members(node) if isinstance(n, ast.Constant)}) > 1
        and not named <= SETTINGS_OF_CPUS
        and not named <= DEVICE_KINDS
    )


# What a user may say in XETILE_CPU, and kinds of devices; some are called as targets are.
SETTINGS_OF_CPUS = {"avx2", "avx512", "amx"}
DEVICE_KINDS = {"cpu"}


def _members(node: ast.Dict | ast.Set | ast.Tuple | ast.List) -> list[ast.expr | None]:
    return list(node.keys) if isinstance(node, ast.Dict) else list(node.elts)


def _keys_of(path: str, name: str) -> Iterator[ast.expr]:
    """The keys of a dictionary that a file defines."""
    for node in nodes_of(path):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name and isinstance(node.value, ast.Dict):
            yield from (key for key in node.value.keys if key is not None)


# Documents that tell where things are.
GUIDES = (
    "CONTRIBUTING.md",
    *(f"docs/{name}.md" for name in ("architecture", "debugging-a-pass", "adding-an-op", "levels", "dialects")),
)
NAMED_FILE = re.compile(r"`([\w./]+)`")
WHERE = ("", "xetile/", "xetile/passes/", "backends/spirv/")


def test_documents_name_files_that_are_there() -> None:
    """Names with a slash or an ending, from the repository's root, from xetile/, or of the passes and the SPIR-V writer."""
    named = ((path, name) for path in GUIDES for name in NAMED_FILE.findall(text(path)) if is_of_ours(name))
    assert_none(f"{path} names {name}" for path, name in named if not any(is_there(f"{base}{name}") for base in WHERE))


def is_there(path: str) -> bool:
    return (ROOT / path).exists() or (ROOT / f"{path}.py").exists()


def is_of_ours(name: str) -> bool:
    """Whether a word is the name of a file or a folder of the repository, which begins with a folder or ends in .py; not what is built."""
    first = name.split("/")[0]
    if first == "build":
        return False
    return name.endswith(".py") or ("/" in name and name.islower() and any((ROOT / f"{base}{first}").is_dir() for base in WHERE))


def test_classes_of_data_are_declared_by_records() -> None:
    """Python's own decorator compiles six functions for each class, whether or not an object is ever made."""
    nodes = ((path, node) for path in sources(*LIBRARY) for node in nodes_of(path) if isinstance(node, ast.ImportFrom))
    assert_none(
        f"{path}:{node.lineno}"
        for path, node in nodes
        if node.module == "dataclasses" and path != "xetile/records.py" and any(alias.name == "dataclass" for alias in node.names)
    )


def test_no_star_imports() -> None:
    nodes = ((path, node) for path in sources(*FOLDERS) for node in nodes_of(path) if isinstance(node, ast.ImportFrom))
    assert_none(f"{path}:{node.lineno}" for path, node in nodes if node.names[0].name == "*")


def test_files_are_short() -> None:
    lengths = {path: len(text(path).splitlines()) for path in sources(*FOLDERS) if path not in GENERATED}
    assert_none(f"{path} has {length} lines: split it by theme" for path, length in lengths.items() if length > MAX_FILE_LINES)


def test_functions_are_short() -> None:
    functions = ((path, node) for path in sources(*FOLDERS) for node in nodes_of(path) if isinstance(node, FUNCTION))
    assert_none(
        f"{path}:{f.lineno} {f.name}: {body_lines(f)} lines" for path, f in functions if body_lines(f) > MAX_FUNCTION_LINES
    )


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function from `def` to its end, without its docstring."""
    first = function.body[0]
    documented = ast.get_docstring(function, clean=False) is not None
    docstring = (first.end_lineno or first.lineno) - first.lineno + 1 if documented else 0
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring


def test_no_paths_of_one_machine() -> None:
    files = [path for path in (*sources(*FOLDERS), *TEXTS) if path != "tests/test_architecture.py"]
    lines = ((path, number, line) for path in files for number, line in enumerate(text(path).splitlines(), 1))
    assert_none(f"{path}:{number}: {line.strip()}" for path, number, line in lines if MACHINE_PATH.search(line))


def test_every_file_says_what_it_is() -> None:
    assert_none(path for path in sources(*LIBRARY) if ast.get_docstring(tree(path)) is None)


def test_every_folder_of_modules_is_a_package() -> None:
    """A folder without `__init__.py` is left out of what is installed."""
    folders = {(ROOT / path).parent for path in sources(*LIBRARY)}
    assert_none(str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists())
