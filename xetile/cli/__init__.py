"""The command line: `python -m xetile compile|view|opt|run|devices|doctor|settings|cache|benchmarks`."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from xetile import __version__, internal
from xetile.cli import module_commands
from xetile.cli.guard import guarded
from xetile.errors import ArgumentError, BuildError, DeviceError, XetileError

if TYPE_CHECKING:
    from xetile.runtime.artifact import Binary
    from xetile.runtime.compiled import CompiledKernel

IR_LEVELS = ("xetile", "layout", "subgroup", "blocked", "xegpu", "lane")
CPU_LEVELS = ("vectors",)  # those that CPUs alone have
EMITS = (*IR_LEVELS, *CPU_LEVELS, "spirv", "spirv-text", "isa", "estimate", "profile", "report")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; errors go to stderr without a traceback. Returns the exit status."""
    words = sys.argv[1:] if argv is None else list(argv)

    def run() -> int:
        if words[:1] == ["benchmarks"]:  # they have a command line of their own
            return int(importlib.import_module("xetile.benchmarks.__main__").main(words[1:]))
        options = _parser().parse_args(words)
        with internal.stage("this command"):
            options.run(options)
        return 0

    return guarded(run)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="xetile", description="Matrix and tensor kernels for Intel GPUs, written in Python.")
    parser.add_argument("--version", action="version", version=f"xetile {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    compile_ = commands.add_parser("compile", help="compile a kernel of a file, without a device")
    _add_kernel(compile_)
    compile_.add_argument("--emit", choices=EMITS, default="xegpu", help="what to write (default: %(default)s)")
    compile_.add_argument("-o", "--output", metavar="OUT", help="file to write (default: standard output)")
    compile_.set_defaults(run=_compile)
    view = commands.add_parser("view", help="a page that shows a kernel of a file at each level", description=_VIEW)
    _add_kernel(view)
    view.add_argument("-o", "--output", default="view.html", metavar="OUT.html", help="file to write (default: %(default)s)")
    view.set_defaults(run=_view)
    module_commands.add_commands(commands, _write, _emit_binary)
    commands.add_parser("devices", help="list devices, and why some are passed over").set_defaults(run=_devices)
    commands.add_parser("doctor", help="say what works on this machine, and what to install for what does not").set_defaults(
        run=_doctor
    )
    commands.add_parser("settings", help="list settings, their values and meanings").set_defaults(run=_settings)
    cache = commands.add_parser("cache", help="compiled kernels and tuning results on disk")
    cache.add_argument("action", choices=("list", "clear", "path"))
    cache.add_argument("--tuning", action="store_true", help="clear: tuning results too")
    cache.set_defaults(run=_cache)
    commands.add_parser("benchmarks", help="measure kernels; without a name, list what there is")
    return parser


_VIEW = "Writes a page: source, each level of the IR, SPIR-V and (with ocloc and iga64 on PATH) machine code side by side."


def _add_kernel(parser: argparse.ArgumentParser) -> None:
    """What names a kernel, its types and constants."""
    parser.add_argument("kernel", metavar="FILE.py:KERNEL")
    parser.add_argument("--target", default="pvc", help="pvc, bmg, lnl, dg2; cpu, avx512, avx2, amx (default: %(default)s)")
    shown = 'types of the parameters: "f16[?,?],f16[?,?],f32[?,?]" (default: those of the first call that the file makes where it runs)'
    parser.add_argument("--signature", metavar="TYPES", help=shown)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="value of a constant; may be repeated")
    parser.add_argument("--num-subgroups", type=int, help="subgroups of a workgroup (default: from the tiles)")


def _view(options: argparse.Namespace) -> None:
    from xetile.cli.view import view
    from xetile.cli.view_page import page

    kernel, compiled = _compiled(options)
    _write(page(view(kernel, compiled.request)), options.output)
    print(f"wrote {options.output}")


def _compile(options: argparse.Namespace) -> None:
    kernel, compiled = _compiled(options)
    _write(_emit(compiled, options.emit, kernel), options.output)


def _compiled(options: argparse.Namespace) -> tuple[Any, Any]:
    """The kernel that the options name, and what they compile it to."""
    kernel, types = _find_kernel(options.kernel), options.signature
    constants = {name: _fitting(kernel, name, value) for name, value in map(_constant, options.set)}
    if types is None:
        types, called = importlib.import_module("xetile.cli.view").first_call(
            options.kernel.rpartition(":")[0], kernel.fn.__name__
        )
        constants = {**called, **constants}
    return kernel, kernel.compile(*_split_types(types), target=options.target, num_subgroups=options.num_subgroups, **constants)


def _fitting(kernel: Any, name: str, value: Any) -> Any:
    """A constant's value; raises ArgumentError for a word where the kernel has a number."""
    parameter = inspect.signature(kernel.fn).parameters.get(name)
    default = parameter.default if parameter is not None else None
    if isinstance(value, str) and isinstance(default, (int, float)):
        raise ArgumentError(
            f"--set {name}={value[:40]}: {name} is a number, {default} by default", hint=f"write --set {name}={default}"
        )
    return value


def _find_kernel(place: str) -> Any:
    path, _, name = place.rpartition(":")
    if not path or Path(place).is_file():
        file = place if Path(place).is_file() else "FILE.py"
        raise ArgumentError(f"{place!r} names no kernel of a file", hint=f"write {file}:KERNEL")
    if not Path(path).is_file():
        folder = Path(path).parent
        near = get_close_matches(Path(path).name, [file.name for file in folder.glob("*.py")], n=1)
        hint = f"did you mean {folder / near[0]}:{name}?" if near else "write FILE.py:KERNEL"
        raise ArgumentError(f"{place!r} names no kernel: there is no file {path}", hint=hint)
    module = _imported(path)
    kernel = getattr(module, name, None)
    if not hasattr(kernel, "compile"):
        known = [n for n, v in vars(module).items() if getattr(v, "__xetile_kernel__", False)]
        raise ArgumentError(f"{path} has no kernel {name!r}", hint=f"kernels: {', '.join(known) or 'none'}")
    return kernel


def _imported(path: str) -> ModuleType:
    """A file's module.  Raises ArgumentError, with the line, for whatever it raises."""
    name, root = _dotted(Path(path).absolute())
    known = sys.modules.get(name) if "." in name else None
    if known is not None and os.path.abspath(known.__file__ or "") == os.path.abspath(path):
        return known  # of xetile's own, say
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ArgumentError(f"{path} is no Python file", hint="its name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))  # as Python does for a script: its neighbours can be imported
    if root not in sys.path:
        sys.path.append(root)
    try:
        spec.loader.exec_module(module)
    except XetileError:
        raise
    except (Exception, SystemExit) as error:
        trace = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == os.path.abspath(path)]
        where = f" (line {trace[-1].lineno})" if trace else ""
        raise ArgumentError(f"{path} cannot be imported: {type(error).__name__}: {error}{where}") from error
    return module


def _dotted(file: Path) -> tuple[str, str]:
    """A file's name as a module of the packages that it lies in, for its relative imports, and the folder of the outermost."""
    names, folder = [file.stem], file.parent
    while (folder / "__init__.py").is_file():
        names, folder = [folder.name, *names], folder.parent
    return ".".join(names), str(folder)


def _split_types(text: str) -> list[str]:
    """Types at the commas outside brackets."""
    parts, depth = [""], 0
    for char in text.replace(" ", ""):
        depth += (char == "[") - (char == "]")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _constant(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ArgumentError(f"--set {text!r} gives no value", hint="write --set NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
    except (MemoryError, RecursionError):
        raise ArgumentError(f"--set {name}: brackets in brackets in brackets") from None


def _emit(compiled: CompiledKernel, form: str, kernel: Any) -> str | bytes:
    if form in (*IR_LEVELS, *CPU_LEVELS):
        if form not in compiled.ir:
            raise ArgumentError(f"{compiled.binary.target} has no level {form}", hint=f"its levels are {', '.join(compiled.ir)}")
        return compiled.ir[form]
    if form == "estimate":
        return f"{compiled.estimate}\n"
    if form == "report":
        return str(compiled.report)
    if form == "profile":
        return str(importlib.import_module("xetile.runtime.machine_code").hot_loop(compiled, kernel.head))
    return _emit_binary(compiled.binary, form)


def _emit_binary(binary: Binary, form: str) -> str | bytes:
    if form == "spirv":
        return binary.spirv
    if form == "spirv-text":
        from xetile.runtime.dump import DISASSEMBLER

        disassemble = importlib.import_module(DISASSEMBLER).disassemble
        return str(disassemble(binary.spirv))
    return isa(binary)


def isa(binary: Binary) -> str:
    """The target's machine code, by Intel's offline compiler `ocloc` and its disassembler `iga64`, both on PATH.

    Raises DeviceError where they are not there, BuildError with ocloc's whole output.
    """
    from xetile.cli.mlir_modules import find_target

    device = find_target(binary.target).ocloc_device
    if device is None:
        raise DeviceError(f"{binary.target} has no machine code that ocloc makes", hint="use pvc, bmg, lnl or dg2")
    for tool in ("ocloc", "iga64"):
        if shutil.which(tool) is None:
            raise DeviceError(
                f"{tool} is not on PATH", hint="tools/fetch_gpu_compiler.sh FOLDER fetches it; then PATH=FOLDER/bin:$PATH"
            )
    with tempfile.TemporaryDirectory(prefix="xetile-") as folder:
        Path(folder, "kernel.spv").write_bytes(binary.spirv)
        command = ["ocloc", "compile", "-spirv_input", "-file", "kernel.spv", "-device", device, "-output", "kernel",
                   "-out_dir", ".", "-options", binary.build_options]  # fmt: skip
        environment = {"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": f"{folder}/dump"}
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
        listings = sorted(Path(folder, "dump").rglob("*.asm"))
        if done.returncode or not listings:
            raise BuildError(
                f"ocloc refused the kernel for {device} with options {binary.build_options!r}:\n{done.stdout}{done.stderr}"
            )
        return max(listings, key=lambda p: p.stat().st_size).read_text()


def _write(content: str | bytes, output: str | None) -> None:
    if output is not None:
        try:
            Path(output).write_bytes(content if isinstance(content, bytes) else content.encode())
        except OSError as error:
            raise ArgumentError(f"cannot write {output}: {error.strerror}") from error
    elif sys.stdout is None:
        raise ArgumentError("there is no standard output", hint="-o FILE")
    elif isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        print(content)


def _devices(options: argparse.Namespace) -> None:
    from xetile.runtime import devices

    print(devices.table())


def _doctor(options: argparse.Namespace) -> None:
    from xetile.cli import doctor

    doctor.run()


def _settings(options: argparse.Namespace) -> None:
    from xetile.runtime import settings

    print(settings.table())


def _cache(options: argparse.Namespace) -> None:
    from xetile.cli import cache_table
    from xetile.runtime import cache

    if options.action == "path":
        print(cache.directory())
    elif options.action == "list":
        print(cache_table.table())
    else:
        count, size = cache.clear(cache.KINDS if options.tuning else (*cache.BOUNDED, "compiler"))
        print(f"removed {count} entries, {size / 2**20:.1f} MiB")
