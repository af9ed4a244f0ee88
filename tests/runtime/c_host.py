"""A host as one would write it in C: OpenCL's C functions, the .spv and its manifest; nothing of xetile.

    python c_host.py LIBRARY PATH GROUPS SHAPE...

fills f32 arrays of the shape given for each array parameter with 1, 2, 3, ..., passes 2 for scalars, and prints the last array.
"""

import ctypes
import json
import struct
import sys
from ctypes import byref, c_int, c_size_t, c_uint64, c_void_p
from pathlib import Path

DEFAULT_DEVICES, READ_WRITE, COPY_HOST = 0xFFFFFFFF, 1, 32
FORMATS = {"index32": "i", "i32": "i", "index64": "q", "f32": "f"}


class Host:
    """One context and queue of the first device that takes SPIR-V."""

    def __init__(self, library):
        self.cl = ctypes.CDLL(library)
        for name in ("clCreateContext", "clCreateCommandQueueWithProperties", "clCreateProgramWithIL", "clCreateKernel",
                     "clCreateBuffer"):  # fmt: skip
            getattr(self.cl, name).restype = c_void_p
        platforms, count = (c_void_p * 8)(), ctypes.c_uint()
        self.check(self.cl.clGetPlatformIDs(8, platforms, byref(count)))
        self.device = next(found for p in platforms[: count.value] if (found := self.first_device(p)))
        self.context = c_void_p(self.cl.clCreateContext(None, 1, byref(self.device), None, None, None))
        self.queue = c_void_p(self.cl.clCreateCommandQueueWithProperties(self.context, self.device, None, None))

    def first_device(self, platform):
        device = c_void_p()
        failed = self.cl.clGetDeviceIDs(c_void_p(platform), c_uint64(DEFAULT_DEVICES), 1, byref(device), None)
        text = ctypes.create_string_buffer(256)
        return device if not failed and not self.cl.clGetDeviceInfo(device, 0x105B, 256, text, None) and text.value else None

    def check(self, code):
        assert code == 0, f"OpenCL returned {code}"

    def kernel(self, spirv, name, options):
        program = c_void_p(self.cl.clCreateProgramWithIL(self.context, spirv, c_size_t(len(spirv)), None))
        self.check(self.cl.clBuildProgram(program, 1, byref(self.device), options, None, None))
        return c_void_p(self.cl.clCreateKernel(program, name, None))

    def buffer(self, contents):
        flags = c_uint64(READ_WRITE | COPY_HOST)
        return c_void_p(self.cl.clCreateBuffer(self.context, flags, c_size_t(len(contents)), contents, None))


def main(library, path, groups, *shapes):
    manifest = json.loads(Path(path).with_suffix(".json").read_text())["kernel"]
    host = Host(library)
    kernel = host.kernel(Path(path).with_suffix(".spv").read_bytes(), manifest["name"].encode(), b"")
    arrays = dict(zip(dict.fromkeys(a["param"] for a in manifest["args"] if a["kind"] == "array"), shapes, strict=True))
    buffers = {}
    for index, arg in enumerate(manifest["args"]):
        name, shape = arg["param"], arrays.get(arg["param"])
        if arg["kind"] == "array":
            size = shape[0] * shape[1]
            buffers[name] = host.buffer(struct.pack(f"{size}f", *range(1, size + 1))), size
            value = struct.pack("P", buffers[name][0].value)
        elif arg["kind"] == "scalar":
            value = struct.pack(FORMATS[arg["dtype"]], 2)
        else:
            value = struct.pack(FORMATS[arg["dtype"]], {"dim": shape, "stride": (shape[1], 1)}[arg["kind"]][arg["axis"]])
        host.check(host.cl.clSetKernelArg(kernel, index, c_size_t(len(value)), value))
    local = (c_size_t * 3)(*manifest["local_size"])
    whole = (c_size_t * 3)(*(count * size for count, size in zip((*groups, 1, 1)[:3], manifest["local_size"], strict=True)))
    host.check(host.cl.clEnqueueNDRangeKernel(host.queue, kernel, 3, None, whole, local, 0, None, None))
    buffer, size = buffers[list(buffers)[-1]]
    out = (ctypes.c_float * size)()
    host.check(host.cl.clEnqueueReadBuffer(host.queue, buffer, c_int(1), c_size_t(0), c_size_t(4 * size), out, 0, None, None))
    print(json.dumps(list(out)))


if __name__ == "__main__":
    main(*sys.argv[1:3], *(tuple(map(int, text.split("x"))) for text in sys.argv[3:]))
