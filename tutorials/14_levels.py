"""Reading what the compiler makes: one line of a kernel, level by level.

    python tutorials/14_levels.py

    python -m xetile view tutorials/14_levels.py:scaled_product --signature "f16[?,?],f16[?,?],f32[?,?]" -o levels.html

A kernel goes through six levels of IR. At each one an operation handles less: a tile of the workgroup, a subgroup's part, a block for
one instruction, a lane's share. This program compiles a small product and follows `tile_mma` down: what there is in its place, how many
operations, and on which type. The second command draws the same as a page where a click on a line shows what it became.
"""

import re

import xetile as xt

SIGNATURE = ("f16[?,?]", "f16[?,?]", "f32[?,?]")


@xt.jit(grid=lambda C: (xt.cdiv(C.shape[1], 64), xt.cdiv(C.shape[0], 64)))
def scaled_product(A: xt.Array, B: xt.Array, C: xt.Array) -> None:
    """C = 2 * A @ B, 64 x 64 of C for each program of four subgroups."""
    m, n = xt.program_id(1) * 64, xt.program_id(0) * 64
    a, b = xt.init_tile(A, (m, 0), (64, 32)), xt.init_tile(B, (0, n), (32, 64))
    acc = xt.zeros((64, 64), xt.f32)
    for _ in range(0, A.shape[1], 32):
        acc = xt.tile_mma(xt.load_tile(a), xt.load_tile(b), acc)
        a, b = xt.update_tile_offset(a, (0, 32)), xt.update_tile_offset(b, (32, 0))
    xt.store_tile(acc * 2, xt.init_tile(C, (m, n), (64, 64)))


# What the line `acc = xt.tile_mma(...)` is at each level, and what to see there.
LEVELS = {
    "xetile": ("xetile.tile_mma", "tiles of the workgroup, as written"),
    "layout": ("xetile.tile_mma", "the same; its map says which subgroup has which part"),
    "subgroup": ("xetile.tile_mma", "the part of one subgroup: a quarter of 64 x 64"),
    "blocked": ("xetile.tile_mma", "4-D: 4 x 2 blocks of 8 x 16, what one dpas makes"),
    "xegpu": ("xegpu.dpas", "one op for each instruction"),
    "lane": ("xegpu.dpas", "what one of 16 lanes holds of it"),
}


def main() -> None:
    """Print, for each level, how many products there are and the first one's type."""
    compiled = scaled_product.compile(*SIGNATURE, num_subgroups=4, target="pvc")
    for level, (op, comment) in LEVELS.items():
        found = re.findall(rf"{re.escape(op)} .*-> (\S+)", compiled.ir[level])
        if not found:
            raise SystemExit(f"there is no {op} at level {level}")
        print(f"{level:>9}: {len(found):2} {op:16} -> {found[0]:24} {comment}")
    print(f"   SPIR-V: {len(compiled.spirv)} bytes for {compiled.local_size[0]} work-items, {compiled.grf} registers a thread")
    print(compiled.estimate)


if __name__ == "__main__":
    main()
