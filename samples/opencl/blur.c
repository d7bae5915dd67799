// A host program as others write them: it knows nothing of visim. It blurs a row of numbers, and has a mistake.
//     cc blur.c -o blur -lOpenCL
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 1000

static const char *source =
    "kernel void blur(global const float *in, global float *out, int count)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= count)\n"
    "        return;\n"
    "    float left = i > 0 ? in[i - 1] : in[0];\n"
    "    float right = in[i + 1];\n"
    "    out[i] = (left + 2.0f * in[i] + right) / 4.0f;\n"
    "}\n";

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: error %d\n", what, status);
    exit(1);
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");

    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s", log);
        return 1;
    }
    cl_kernel kernel = clCreateKernel(program, "blur", &status);
    check(status, "clCreateKernel");

    static float numbers[COUNT];
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (float)(i % 10);
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &status);
    check(status, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof numbers, NULL, &status);
    check(status, "clCreateBuffer");

    cl_int count = COUNT;
    size_t global = 1024, local = 64;
    check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof count, &count), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL), "clEnqueueReadBuffer");

    printf("first %.2f, middle %.2f, last %.2f\n", numbers[0], numbers[500], numbers[COUNT - 1]);
    clReleaseMemObject(out);
    clReleaseMemObject(in);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
