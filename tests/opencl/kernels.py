"""Small kernels in SPIR-V, written by hand: what the OpenCL backend is tested with, without any compiler of ours in between."""

from functools import cache

from xetile.backends.spirv.module.module import Module

from xetile.runtime.artifact import ArgSpec, Binary

SUBGROUP = 16
FLOATS = {"f32": 32, "f64": 64, "f16": 16}


def array(param, dtype, rank=2):
    """The arguments of an array parameter whose last dimension is contiguous: pointer, dims, strides but the last."""
    dims = [ArgSpec("dim", param, axis, "index32") for axis in range(rank)]
    strides = [ArgSpec("stride", param, axis, "index32") for axis in range(rank - 1)]
    return (ArgSpec("array", param, dtype=dtype), *dims, *strides)


@cache
def scale_kernel(written=frozenset({"Y"}), build_options="", target="pvc", local=SUBGROUP, name="scale"):
    """Y[i, j] = X[i, j] * factor for every element, whatever the strides; grid (columns / local rounded up, rows)."""
    m = Module()
    f32, i32, i64 = m.type.float(32), m.type.int(32), m.type.int(64)
    pointer = m.type.pointer("CrossWorkgroup", f32)
    params = [pointer, i32, i32, i32, pointer, i32, i32, i32, f32]
    kernel = m.kernel(name, params, subgroup_size=SUBGROUP, local_size=(local, 1, 1))
    x, rows, columns, x_pitch, y, _, _, y_pitch, factor = kernel.params
    entry, inside, end = kernel.block(), kernel.block(), kernel.block()
    item = kernel.builtin("GlobalInvocationId")
    column = entry.emit("OpUConvert", i32, entry.emit("OpCompositeExtract", i64, item, 0))
    row = entry.emit("OpUConvert", i32, entry.emit("OpCompositeExtract", i64, item, 1))
    truth = m.type.bool
    valid = entry.emit(
        "OpLogicalAnd", truth, entry.emit("OpSLessThan", truth, column, columns), entry.emit("OpSLessThan", truth, row, rows)
    )
    entry.selection_merge(end)
    entry.branch_if(valid, inside, end)

    def element(base, pitch):
        offset = inside.emit("OpIAdd", i32, inside.emit("OpIMul", i32, row, pitch), column)
        return inside.emit("OpInBoundsPtrAccessChain", pointer, base, offset)

    value = inside.load(f32, element(x, x_pitch), 4)
    inside.store(element(y, y_pitch), inside.emit("OpFMul", f32, value, factor), 4)
    inside.branch(end)
    end.ret()
    args = (*array("X", "f32"), *array("Y", "f32"), ArgSpec("scalar", "factor", dtype="f32"))
    return Binary(name, m.finish(), target, SUBGROUP, 1, (local, 1, 1), 128, 0, build_options, args, written)


def scale_grid(array, local=SUBGROUP):
    """The grid of `scale_kernel` for a result like `array`."""
    return (-(-array.shape[1] // local), array.shape[0], 1)


@cache
def address_kernel():
    """Writes the address of X to Y[0]: where the kernel sees an array."""
    m = Module()
    i64 = m.type.int(64)
    pointer = m.type.pointer("CrossWorkgroup", i64)
    kernel = m.kernel("address", [m.type.pointer("CrossWorkgroup", m.type.float(32)), pointer], subgroup_size=SUBGROUP)
    body = kernel.block()
    body.store(kernel.params[1], body.emit("OpConvertPtrToU", i64, kernel.params[0]), 8)
    body.ret()
    args = (ArgSpec("array", "X", dtype="f32"), ArgSpec("array", "Y", dtype="u64"))
    return Binary("address", m.finish(), "pvc", SUBGROUP, 1, (1, 1, 1), 128, 0, "", args, frozenset({"Y"}))


@cache
def block_copy_kernel():
    """Copies the block of 8 rows and 16 columns at (0, 0) of X to Y by 2D block messages, clipped at each one's edges."""
    m = Module()
    u32, byte = m.type.int(32), m.type.int(8)
    pointer = m.type.pointer("CrossWorkgroup", byte)
    local_size = (SUBGROUP, 1, 1)
    params = [pointer, u32, u32, u32, pointer, u32, u32, u32]
    kernel = m.kernel("block_copy", params, subgroup_size=SUBGROUP, local_size=local_size)
    x, x_rows, x_columns, x_pitch, y, y_rows, y_columns, y_pitch = kernel.params
    body = kernel.block()
    registers = kernel.variable(m.type.vector(u32, 8))
    size, width, height, one = (m.constant(u32, n) for n in (4, 16, 8, 1))
    origin = m.constant(m.type.vector(u32, 2), (0, 0))

    def in_bytes(elements):
        return body.emit("OpIMul", u32, elements, size)

    shape = (size, width, height, one)
    bounds = (in_bytes(x_columns), x_rows, in_bytes(x_pitch), origin)
    body.emit("OpSubgroup2DBlockLoadINTEL", *shape, x, *bounds, registers)
    bounds = (in_bytes(y_columns), y_rows, in_bytes(y_pitch), origin)
    body.emit("OpSubgroup2DBlockStoreINTEL", *shape, registers, y, *bounds)
    body.ret()
    args = (*array("X", "f32"), *array("Y", "f32"))
    options, written = "-ze-opt-large-register-file", frozenset({"Y"})
    return Binary("block_copy", m.finish(), "pvc", SUBGROUP, 1, local_size, 256, 0, options, args, written)
