"""Text made to break its reader: an error of ours, soon, whatever it is; each in a process with 2 GB and some seconds."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests import tools
from xetile import cli, mlir
from xetile.cli import arguments
from xetile.errors import MlirTextError, XetileError

MEMORY = 2 << 30
DEEP = 100_000


def kernel(body: str, arguments: str = "%A: memref<64x64xf32>, %n: index") -> str:
    return f"gpu.module @m {{\n  gpu.func @k({arguments}) kernel {{\n    {body}\n    gpu.return\n  }}\n}}\n"


def generic(body: str, types: str = "", aliases: str = "") -> str:
    return (
        f'{aliases}"builtin.module"() ({{\n"gpu.module"() <{{sym_name = "m"}}> ({{\n"gpu.func"() <{{function_type = ({types}) -> ()}}>'
        f' ({{\n^bb0:\n{body}\n"gpu.return"() : () -> ()\n}}) {{sym_name = "k", gpu.kernel}} : () -> ()\n}}) : () -> ()\n'
        "}) : () -> ()\n"
    )


def constant(value: str, type: str = "i32", aliases: str = "") -> str:
    return generic(f'%0 = "arith.constant"() <{{value = {value}}}> : () -> {type}', aliases=aliases)


BOMB = "".join(f"#a{i} = [#a{i + 1}, #a{i + 1}, #a{i + 1}, #a{i + 1}]\n" for i in range(40)) + "#a40 = 1 : i32\n"
CHAIN = "".join(f"#a{i} = #a{i + 1}\n" for i in range(DEEP)) + f"#a{DEEP} = 1 : i32\n"
IF = '"scf.if"(%c) ({\n'

TEXTS: dict[str, Callable[[], str]] = {
    "brackets": lambda: "(" * DEEP,
    "brackets of a list": lambda: constant("[" * DEEP + "]" * DEEP),
    "brackets of a custom op": lambda: kernel(f"%x = arith.constant {'[' * DEEP}"),
    "brackets of types": lambda: generic("", types="(" * DEEP),
    "brackets of attributes": lambda: constant("#a<" * DEEP),
    "regions": lambda: generic('%c = "arith.constant"() <{value = true}> : () -> i1\n' + IF * DEEP),
    "regions of a custom form": lambda: kernel("scf.if %c {\n" * DEEP, "%c: i1"),
    "a hundred regions": lambda: kernel("scf.if %c {\n" * 100 + "}\n" * 100, "%c: i1"),
    "a ring of aliases": lambda: constant("#a", aliases="#a = #b\n#b = [#a]\n"),
    "an alias of itself": lambda: constant("#a", aliases="#a = #a\n"),
    "a bomb of aliases": lambda: constant("#a0", aliases=BOMB),
    "a bomb of aliases, custom": lambda: BOMB + kernel('"x.y"() {a = #a0} : () -> ()'),
    "a chain of aliases": lambda: constant("#a0", aliases=CHAIN),
    "digits": lambda: constant("9" * 1_000_000),
    "digits of a float": lambda: constant("9" * 1_000_000 + ".0"),
    "hexadecimal digits": lambda: constant("0x" + "f" * 1_000_000),
    "digits in a custom form": lambda: kernel(f"%x = arith.constant {'9' * 1_000_000} : i32"),
    "digits of a shape": lambda: constant("dense<0>", f"vector<{'9' * 1_000_000}xi32>"),
    "digits of a layout": lambda: constant(f"#xegpu.layout<sg_layout = [{'9' * 1_000_000}, 1]>"),
    "results": lambda: generic('%0:99999999999 = "scf.if"(%c) ({}) : (i1) -> ()'),
    "many results": lambda: generic('%0:99999999 = "scf.if"(%c) ({}) : (i1) -> ()'),
    "a large vector": lambda: constant("dense<0>", f"vector<{2**62}xi32>"),
    "a large vector in two dimensions": lambda: constant("dense<0>", f"vector<{2**31}x{2**31}xi32>"),
    "a large vector in a custom form": lambda: kernel(f"%x = arith.constant dense<0.0> : vector<{2**62}xf32>"),
    "an empty vector": lambda: constant("dense<0>", "vector<0xi32>"),
    "many dimensions": lambda: constant("dense<0>", f"vector<{'1x' * 10_000}i32>"),
    "large shared memory": lambda: kernel(f"%x = memref.alloca() : memref<{2**62}xi8, 3>"),
    "a large descriptor": lambda: kernel(f"%d = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> "
                                         f"!xegpu.tensor_desc<{2**31}x{2**31}xf32>"),
    "a large workgroup": lambda: kernel("%d = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32, "
                                        f"#xegpu.layout<sg_layout = [{2**30}, 1], sg_data = [8, 16]>>"),
    "zero characters": lambda: kernel("") + "\0",
    "nothing but zeros": lambda: "\0" * 1000,
    "no text": lambda: "",
    "blanks": lambda: " " * 1_000_000,
    "50 MB": lambda: "// x\n" * 10_000_000,
    "one line": lambda: "xegpu.load_nd " * 200_000,
    "many ops": lambda: kernel('%x = arith.constant 1 : i32\n' * 60_000),
    "quotes": lambda: '"' * 100_001,
    "backslashes": lambda: '"' + "\\" * 1_000_001,
    "a place in a device": lambda: kernel('%x = arith.addi %n, %n : index \n"a.b"() : () -> () loc("/dev/zero":1:1)'),
    "a place with a zero": lambda: kernel('%x = arith.addi %n, %n : index \n"a.b"() : () -> () loc("a\\00b":1:1)'),
    "unknown numbers": lambda: constant("10000000000000000000000000000"),
}  # fmt: skip


def command(*words: str, stdin: str | None = None, seconds: float = 60) -> subprocess.CompletedProcess[str]:
    """A command of ours in a process with 2 GB.  (Seconds are not measured: other tests run beside it.)"""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

    return subprocess.run([sys.executable, "-m", "xetile", *words], input=stdin, capture_output=True, text=True, check=False,
                          timeout=seconds, preexec_fn=limit)  # fmt: skip


def is_ours(done: subprocess.CompletedProcess[str]) -> bool:
    return done.returncode in (1, 2) and "Traceback" not in done.stderr and "Error: " in done.stderr and len(done.stderr) < 5000


@pytest.mark.every(3)
@pytest.mark.parametrize("name", TEXTS)
def test_a_reader_says_what_is_wrong(name):
    """In this process, which must live on."""
    tools.require_tool("mlir-opt")
    with pytest.raises(XetileError) as found:
        mlir.parse(TEXTS[name](), "bad.mlir")
    assert len(str(found.value)) < 5000 or name == "one line"


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("what", ["opt", "run"])
def test_a_command_ends_with_an_error(tmp_path, name, what):
    tools.require_tool("mlir-opt")
    file = tmp_path / "bad.mlir"
    file.write_text(TEXTS[name]())
    done = command(what, str(file))
    assert is_ours(done), done.stderr[-2000:]


ENDLESS = {
    "while": "scf.while : () -> () {\n%t = arith.constant true\nscf.condition(%t)\n} do {\nscf.yield\n}",
    "for": "%a = arith.constant 0 : index\n%b = arith.constant 4611686018427387904 : index\n%s = arith.constant 1 : index\n"
           "scf.for %i = %a to %b step %s {\n%x = arith.addi %i, %i : index\n}",
    "grid": "",
}  # fmt: skip


@pytest.mark.parametrize("device", ["numpy", pytest.param("cpu", marks=pytest.mark.device)])
@pytest.mark.parametrize("name", ["while", pytest.param("for", marks=pytest.mark.slow)])
def test_a_kernel_that_never_ends_is_given_up(tmp_path, name, device):
    tools.require_tool("mlir-opt")
    file = tmp_path / "endless.mlir"
    store = "%v = arith.constant dense<1.0> : vector<8x16xf32>\n" \
            "%d = xegpu.create_nd_tdesc %A : memref<64x64xf32> -> !xegpu.tensor_desc<8x16xf32>\n" \
            "xegpu.store_nd %v, %d[0, 0] : vector<8x16xf32>, !xegpu.tensor_desc<8x16xf32>"  # fmt: skip
    file.write_text(kernel(ENDLESS[name] + "\n" + store, "%A: memref<64x64xf32>"))
    done = command("run", str(file), "--arg", "zeros", "--device", device, "--seconds", "1")
    if device == "cpu" and done.returncode == 0:
        return  # the driver saw that the loop does nothing
    assert is_ours(done) and "LimitError" in done.stderr, done.stderr


def test_a_grid_that_never_ends_is_given_up(tmp_path):
    tools.require_tool("mlir-opt")
    file = tmp_path / "endless.mlir"
    file.write_text(kernel("%x = gpu.block_id x"))
    done = command("run", str(file), "--arg", "zeros", "--arg", "1", "--device", "numpy", "--seconds", "1",
                   "--grid", "2147483647,2147483647,2147483647")  # fmt: skip
    assert is_ours(done) and "LimitError" in done.stderr, done.stderr


ARGUMENTS = {
    "more than there is": ("zeros:4611686018427387904xf32", "would take"),
    "more than one may take": ("random:100000x100000xf32", "would take"),
    "more together": ("ones:1000000x10000xf32", "would take"),
    "many digits": (f"zeros:{'9' * 5000}xf32", "no array has such sizes"),
    "many dimensions": (f"zeros:{'x'.join('1' * 100)}xf32", "at most 32 dimensions"),
    "no file": ("nowhere.npy", "cannot read"),
    "a folder": (".npy", "cannot read"),
    "no array": ("text.npy", "cannot read"),
    "cut off": ("cut.npy", "cannot read"),
    "a number": ("9" * 5000, "pass an array, not"),
    "another shape": ("zeros:3xf32", "does not fit"),
}  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_are_looked_at_before_memory_is_taken(tmp_path, monkeypatch, capsys, name):
    tools.require_tool("mlir-opt")
    monkeypatch.chdir(tmp_path)
    Path("k.mlir").write_text(kernel("", "%A: memref<?x?xf32>"))
    Path("text.npy").write_text("hello")
    Path(".npy").mkdir()
    np.save("whole.npy", np.zeros((100, 100), np.float32))
    Path("cut.npy").write_bytes(Path("whole.npy").read_bytes()[:-100])
    word, why = ARGUMENTS[name]
    assert cli.main(["run", "k.mlir", "--arg", word, "--device", "numpy"]) == 1
    assert why in capsys.readouterr().err


def test_random_numbers_drawn_in_parts_are_those_of_one_draw(monkeypatch):
    from xetile.dtypes import DTYPES

    whole = arguments._random((70, 33), DTYPES["f32"], np.random.default_rng(3))
    assert (whole == np.random.default_rng(3).integers(-4, 4, (70, 33)).astype(np.float32)).all()
    monkeypatch.setattr(arguments, "_PART", 101)
    assert (arguments._random((70, 33), DTYPES["f32"], np.random.default_rng(3)) == whole).all()


def test_a_tool_that_takes_too_much_is_ended(monkeypatch):
    from xetile.mlir import child

    monkeypatch.setattr(child, "CPU_SECONDS", 1)
    monkeypatch.setattr(child, "MOST_OUTPUT", 1 << 20)
    assert "more than 1 s" in child.run([sys.executable, "-c", "while True: pass"], "").over
    assert "wrote more" in child.run(["cat", "/dev/zero"], "").over
    assert child.run([sys.executable, "-c", "x = 'x' * (4 << 30)"], "").status
    assert child.run(["cat"], "text") == child.Done(0, "text", "")


def test_aliases_that_mean_something_are_read():
    aliases = "#a = #b\n#b = 7 : i32\n"
    module = mlir.parse(constant("#a", aliases=aliases))
    assert [op.value for op in module.walk() if op.opname == "arith.constant"] == [7]
    with pytest.raises(MlirTextError, match="stands for itself: #a -> #b -> #a"):
        mlir.parse(TEXTS["a ring of aliases"]())
