"""Small kernels around single instructions, written with the module writer."""

from __future__ import annotations

from collections.abc import Iterable

from xetile.backends.spirv.module.function import BasicBlock as Code
from xetile.backends.spirv.module.module import Function, Id, Module
from xetile.backends.spirv.module.shapes import BLOCK_INSTRUCTIONS, BlockInstruction, MatrixInstruction

OPCODE_OF = {operation: name for name, operation in BLOCK_INSTRUCTIONS.items()}


def i32(m: Module, value: int) -> Id:
    return m.constant(m.type.int(32), value)


def byte_pointer(m: Module) -> Id:
    return m.type.pointer("CrossWorkgroup", m.type.int(8))


def group_id(fn: Function, b: Code, axis: int = 0) -> Id:
    """The workgroup's number as i32."""
    m = fn.module
    wide = b.emit("OpCompositeExtract", m.type.int(64), fn.builtin("WorkgroupId"), axis)
    return b.emit("OpUConvert", m.type.int(32), wide)


def subgroup_offset(fn: Function, b: Code, bytes_each: int) -> Id:
    """(workgroup * subgroup size + lane) * bytes_each, for workgroups of one subgroup."""
    m = fn.module
    word = m.type.int(32)
    size = b.emit("OpIMul", word, group_id(fn, b), fn.builtin("SubgroupMaxSize"))
    item = b.emit("OpIAdd", word, size, fn.builtin("SubgroupLocalInvocationId"))
    return b.emit("OpIMul", word, item, i32(m, bytes_each))


def at(b: Code, base: Id, offset: Id, pointee: Id | None = None) -> Id:
    """base + offset bytes, as a pointer to `pointee`."""
    m = b.module
    moved = b.emit("OpInBoundsPtrAccessChain", byte_pointer(m), base, offset)
    return moved if pointee is None else b.emit("OpBitcast", m.type.pointer("CrossWorkgroup", pointee), moved)


def coordinate(fn: Function, b: Code, coordinates: Id) -> Id:
    """The pair of i32 that this workgroup finds in the buffer `coordinates`."""
    m = fn.module
    pair = m.type.vector(m.type.int(32), 2)
    eight = b.emit("OpIMul", m.type.int(32), group_id(fn, b), i32(m, 8))
    return b.load(pair, at(b, coordinates, eight, pair), 8)


def block_kernel_name(block: BlockInstruction) -> str:
    return f"{block.operation}_{block.element_bytes}b_{block.width}x{block.height}x{block.count}"


def add_block_kernel(m: Module, block: BlockInstruction, step: int = 0) -> None:
    """kernel(memory, width, height, pitch, coordinates, lanes): one block message per workgroup of 16.

    Loads write each lane's private bytes to `lanes`; stores take them from there and write to `memory + workgroup * step`.
    """
    word, byte = m.type.int(32), byte_pointer(m)
    fn = m.kernel(
        block_kernel_name(block),
        [byte, word, word, word, byte, byte],
        subgroup_size=16,
        local_size=(16, 1, 1),
        param_names=["memory", "width", "height", "pitch", "coordinates", "lanes"],
    )
    memory, width, height, pitch, coordinates, lanes = fn.params
    size = block.lane_bytes()
    bits = 32 if block.operation == "load_transform" else 8 * block.element_bytes
    private = fn.variable(m.type.array(m.type.int(bits), size * 8 // bits))
    b = fn.block()
    if block.operation == "store":
        memory = at(b, memory, b.emit("OpIMul", word, group_id(fn, b), i32(m, step)))
    pair = coordinate(fn, b, coordinates)
    mine = at(b, lanes, subgroup_offset(fn, b, size))
    view = b.emit("OpBitcast", m.type.pointer("Function", m.type.int(8)), private)
    shape = [i32(m, n) for n in (block.element_bytes, block.width, block.height, block.count)]
    region = [width, height, pitch, pair]
    if block.operation == "store":
        b.emit("OpCopyMemorySized", view, mine, m.constant(m.type.int(64), size), "Aligned", 1)
        b.emit(OPCODE_OF["store"], *shape, private, memory, *region)
    elif block.operation == "prefetch":
        b.emit(OPCODE_OF["prefetch"], *shape, memory, *region)
    else:
        b.emit(OPCODE_OF[block.operation], *shape, memory, *region, private)
        b.emit("OpCopyMemorySized", mine, view, m.constant(m.type.int(64), size), "Aligned", 1)
    b.ret()


def block_module(blocks: Iterable[BlockInstruction], step: int = 0) -> bytes:
    m = Module()
    for block in blocks:
        add_block_kernel(m, block, step)
    return m.finish()


def component(m: Module, kind: tuple[str, int]) -> Id:
    return m.type.int(kind[1]) if kind[0] == "int" else m.type.float(kind[1])


def vector(m: Module, kind: tuple[str, int], count: int) -> Id:
    element = component(m, kind)
    return element if count == 1 else m.type.vector(element, count)


def matrix_kernel_name(matrix: MatrixInstruction, rows: int) -> str:
    return f"mma_{matrix.a}_{matrix.b}_{matrix.c}_m{rows}_sg{matrix.subgroup_size}"


def add_matrix_kernel(m: Module, matrix: MatrixInstruction, rows: int) -> None:
    """kernel(a, b, c): c = a @ b + c, each buffer holding every lane's vector, lane after lane."""
    byte = byte_pointer(m)
    fn = m.kernel(
        matrix_kernel_name(matrix, rows),
        [byte] * 3,
        subgroup_size=matrix.subgroup_size,
        local_size=(matrix.subgroup_size, 1, 1),
        param_names="abc",
    )
    b = fn.block()
    kinds = ((matrix.a_type, matrix.a_components(rows)), (matrix.b_type, 8), (matrix.c_type, rows))
    pointers, values = [], []
    for base, (kind, count) in zip(fn.params, kinds, strict=True):
        pointee = vector(m, kind, count)
        pointers.append(at(b, base, subgroup_offset(fn, b, kind[1] // 8 * count), pointee))
        values.append(b.load(pointee, pointers[-1], kind[1] // 8 * count))
    result = b.emit(
        "OpSubgroupMatrixMultiplyAccumulateINTEL", vector(m, matrix.c_type, rows), i32(m, matrix.k), *values, matrix.operands
    )
    b.store(pointers[2], result, matrix.c_type[1] // 8 * rows)
    b.ret()


def matrix_module(matrices: Iterable[tuple[MatrixInstruction, int]]) -> bytes:
    m = Module()
    for matrix, rows in matrices:
        add_matrix_kernel(m, matrix, rows)
    return m.finish()
