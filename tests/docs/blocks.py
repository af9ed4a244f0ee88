"""Code blocks of documents, run: the blocks of one page share their names, and what a page shows as printed is compared.

```python     runs; the next block says what comes of it:
```output     what it printed, `...` standing for any text
```error      the message of the XetileError that ended it, file names left out
```sh         lines `python -m xetile ...` run through the command line; others (pip, apt-get, git) are not run
```mlir       a module that the reader takes
```text       is only shown
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import tools
from xetile import cli, mlir
from xetile.errors import XetileError

FENCE = re.compile(r"^(?P<fence>```+)(?P<word>[^\n`]*)\n(?P<code>.*?)^(?P=fence)[ ]*$", re.MULTILINE | re.DOTALL)
SHOWN_ONLY = {"text", "c", "toml", ""}
# Programs that a page may tell readers to run and that tests do not: they change the machine.
NOT_RUN = {
    "pip",
    "apt-get",
    "sudo",
    "git",
    "PATH",
    "pytest",
    "tools/fetch_gpu_compiler.sh",
    "pre-commit",
    "python3",
    ".",
    "export",
    "cc",
}
# Files of blocks have names that depend on the run.
_FILE = re.compile(r'(?<=File ")[^"]*(?=")|(?<=at )\S+\.py(?=:\d)')


@dataclass(frozen=True)
class Block:
    """A fenced block: the word after the fence, its text, and its line in the page."""

    word: str
    code: str
    line: int


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page but Sphinx's directives."""
    found = (Block(m["word"].strip(), m["code"], text.count("\n", 0, m.start()) + 2) for m in FENCE.finditer(text))
    return [block for block in found if not block.word.startswith("{")]


@dataclass
class Session:
    """What the blocks of one page share: names, and a folder that files are written to."""

    folder: Path
    name: str = "page"
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str = ""
    error: XetileError | None = None

    def run(self, block: Block) -> None:
        """Run a block, or compare it with what came of the one before.  Raises AssertionError and what the block raises."""
        if block.word == "output":
            assert matches(block.code, self.printed), f"line {block.line}: printed was\n{self.printed}"
            self.printed = ""
        elif block.word == "error":
            assert self.error is not None, f"line {block.line}: no error was raised"
            said = f"{type(self.error).__name__}: {self.error}"
            assert matches(_FILE.sub("", block.code), _FILE.sub("", said)), f"line {block.line}: the message was\n{said}"
            self.error = None
        else:
            self.check_done()
            self._execute(block)

    def check_done(self) -> None:
        """Raises an error that no block after it has shown."""
        if self.error is not None:
            raise self.error

    def _execute(self, block: Block) -> None:
        with captured() as out:
            if block.word == "python":
                self._python(block)
            elif block.word == "sh":
                _shell(block.code)
            elif block.word == "mlir":
                _mlir(block.code)
            else:
                assert block.word in SHOWN_ONLY, f"line {block.line}: what is a block of {block.word!r}?"
        self.printed = out.getvalue()

    def _python(self, block: Block) -> None:
        file = self.folder / f"{self.name}_{block.line}.py"
        file.write_text(block.code, encoding="utf-8")
        try:
            exec(compile(block.code, str(file), "exec", dont_inherit=True), self.names)
        except XetileError as error:
            self.error = error


@contextlib.contextmanager
def captured() -> Iterator[io.StringIO]:
    """What is printed within the block."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        yield out


def matches(expected: str, printed: str) -> bool:
    """Whether a text is what is expected; `...` stands for anything, white space at line ends does not count."""
    pattern = ".*?".join(re.escape(part) for part in _tidy(expected).split("..."))
    return re.fullmatch(pattern, _tidy(printed), re.DOTALL) is not None


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _shell(code: str) -> None:
    for line in code.replace("\\\n", " ").splitlines():
        command = line.split(" # ")[0].strip()
        words = shlex.split(command, comments=True)
        if words[:3] == ["python", "-m", "xetile"]:
            if ".mlir" in command:
                tools.require_tool("mlir-opt")
            if "isa" in words:
                tools.require_tool("ocloc")
            assert cli.main(words[3:]) == 0, f"{command} failed"
        elif words:
            assert words[0].split("=")[0] in NOT_RUN or words[0] == "python" or "=" in words[0], f"what does `{command}` do?"


def _mlir(code: str) -> None:
    tools.require_tool("mlir-opt")
    module = mlir.parse(code)
    assert module.kernel.body.ops
