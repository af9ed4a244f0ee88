/* Runs a kernel that xetile has compiled ahead of time, with OpenCL alone.

       cc -I FOLDER launch.c -lOpenCL -o launch && ./launch FOLDER/axpy.spv

   FOLDER holds axpy.spv and kernel.h, which tutorials/15_ahead_of_time.py writes from the kernel's manifest.
   The kernel's arguments, in the manifest's order: alpha, X, the length of X, Y, the length of Y. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel.h"

enum { N = 1000 };

static void check(cl_int code, const char *what) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL returned %d\n", what, code);
        exit(1);
    }
}

/* The first device whose driver takes SPIR-V. */
static cl_device_id find_device(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        char il[256] = "";
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
            clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof il, il, NULL) == CL_SUCCESS && il[0])
            return device;
    }
    fprintf(stderr, "no device takes SPIR-V\n");
    exit(2);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size);
    if (!bytes || fread(bytes, 1, *size, file) != *size)
        exit(1);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s axpy.spv\n", argv[0]);
        return 1;
    }
    cl_int code;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    check(code, "clCreateCommandQueueWithProperties");

    size_t size;
    char *module = read_file(argv[1], &size);
    cl_program program = clCreateProgramWithIL(context, module, size, &code);
    check(code, "clCreateProgramWithIL");
    check(clBuildProgram(program, 1, &device, KERNEL_BUILD_OPTIONS, NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, KERNEL_NAME, &code);
    check(code, "clCreateKernel");

    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1.0f;
    }
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
    cl_mem device_x = clCreateBuffer(context, flags, sizeof x, x, &code);
    check(code, "clCreateBuffer");
    cl_mem device_y = clCreateBuffer(context, flags, sizeof y, y, &code);
    check(code, "clCreateBuffer");

    const float alpha = 2.0f;
    const cl_int length = N;
    check(clSetKernelArg(kernel, 0, sizeof alpha, &alpha), "alpha");
    check(clSetKernelArg(kernel, 1, sizeof device_x, &device_x), "X");
    check(clSetKernelArg(kernel, 2, sizeof length, &length), "the length of X");
    check(clSetKernelArg(kernel, 3, sizeof device_y, &device_y), "Y");
    check(clSetKernelArg(kernel, 4, sizeof length, &length), "the length of Y");

    const size_t programs = (N + KERNEL_TILE - 1) / KERNEL_TILE;
    const size_t local = KERNEL_LOCAL_SIZE, global = programs * local;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, device_y, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "clEnqueueReadBuffer");

    for (int i = 0; i < N; i++) {
        if (y[i] != 2.0f * (float)i + 1.0f) {
            fprintf(stderr, "y[%d] is %g\n", i, y[i]);
            return 1;
        }
    }
    printf("%d elements are right, the last one is %g\n", N, y[N - 1]);
    return 0;
}
