"""Ahead of time: a kernel for programs that have neither Python nor xetile, such as the one in aot/launch.c.

    python tutorials/15_ahead_of_time.py

`compile(...).save(path)` writes path.spv, SPIR-V that any OpenCL driver with SPIR-V takes, and path.json, a manifest: the kernel's name,
build options, size of a workgroup, and its arguments in order. This program saves a kernel, writes what the C program needs of the
manifest as a header, and builds and runs it where there is a C compiler and OpenCL's header (Debian: `apt-get install gcc
ocl-icd-opencl-dev`). `xt.load` does the same from Python.

The types say `scattered`: such a kernel holds no block messages and runs on any device, also on those that lack Intel's extensions.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import xetile as xt

HERE = Path(__file__).parent
TILE = 64


@xt.jit(grid=lambda X: (xt.cdiv(X.shape[0], TILE),))
def axpy(alpha: float, X: xt.Array, Y: xt.Array) -> None:
    """Y += alpha * X, vectors of f32."""
    assert X.shape[0] == Y.shape[0], "vectors of one length"
    i = xt.program_id(0) * TILE
    y = xt.init_tile(Y, i, (TILE,))
    xt.store_tile(alpha * xt.load_tile(xt.init_tile(X, i, (TILE,))) + xt.load_tile(y), y)


def header(manifest: dict[str, object], tile: int) -> str:
    """What a C program needs to know of a kernel."""
    local_size = manifest["local_size"]
    assert isinstance(local_size, list)
    return (
        f'#define KERNEL_NAME "{manifest["name"]}"\n'
        f'#define KERNEL_BUILD_OPTIONS "{manifest["build_options"]}"\n'
        f"#define KERNEL_LOCAL_SIZE {local_size[0]}\n"
        f"#define KERNEL_TILE {tile}\n"
    )


def save(folder: Path) -> None:
    """Write axpy.spv, axpy.json and kernel.h."""
    axpy.compile("f32", "f32[?;scattered]", "f32[?;scattered]", target="pvc").save(folder / "axpy")
    manifest = json.loads((folder / "axpy.json").read_text())["kernel"]
    print("arguments:", ", ".join(f"{a['kind']} {a['param']}" for a in manifest["args"]))
    # Options for Intel's GPU driver; others need not know them.
    (folder / "kernel.h").write_text(header({**manifest, "build_options": ""}, TILE))


def compiles(words: list[str], text: str = "") -> bool:
    """Whether a C compiler is here and takes these arguments, with a text on its standard input."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return False
    return subprocess.run([compiler, *words], input=text, text=True, capture_output=True, check=False).returncode == 0


def build_is_possible() -> bool:
    """Whether there are a C compiler and OpenCL's header and library."""
    words = ["-x", "c", "-", "-lOpenCL", "-o", "/dev/null"]
    return compiles(words, "#define CL_TARGET_OPENCL_VERSION 300\n#include <CL/cl.h>\nint main(void) { return 0; }\n")


def build(folder: Path) -> None:
    """Compile launch.c with the header."""
    words = ["-Wall", "-Werror", "-I", str(folder), str(HERE / "aot/launch.c"), "-lOpenCL", "-o", str(folder / "launch")]
    if not compiles(words):
        raise SystemExit("launch.c cannot be compiled")


def main() -> None:
    """Save, build, run."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save(folder)
        if not build_is_possible():
            print("the C program was not built: it takes a C compiler and OpenCL's header (gcc, ocl-icd-opencl-dev)")
            return
        build(folder)
        if not any(
            info.kind in ("cpu", "gpu") and info.usable for info in xt.devices()
        ):  # makes Intel's CPU runtime visible, too
            print("the C program was built; there is no OpenCL device to run it on")
            return
        done = subprocess.run([str(folder / "launch"), str(folder / "axpy.spv")], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"the result is wrong: {done.stderr}")
        print("the C program says:", done.stdout.strip())


if __name__ == "__main__":
    main()
