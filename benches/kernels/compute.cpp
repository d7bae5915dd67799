// The kernels of compute.cl on an OpenCL device, with the inputs of kernels/work.rs: the peer of benches/kernels.rs.
// It prints a line of JSON for each, in the form that tools/peers describes.
//   g++ -O2 -o BIN/compute compute.cpp -lOpenCL
//   BIN/compute --peer pocl --cl compute.cl [--reps N] [--threads N] [--only compute.nbody,…]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static uint32_t mixed(size_t i, uint32_t seed) { return mix(uint32_t(i) + seed * 0x9e3779b9u); }

static std::vector<uint8_t> noise(size_t bytes, uint32_t seed)
{
    std::vector<uint8_t> v(bytes);
    for (size_t i = 0; i < bytes; i++) v[i] = uint8_t(mixed(i, seed) >> 24);
    return v;
}

static std::vector<uint8_t> floats(size_t count, uint32_t seed)
{
    std::vector<uint8_t> v(4 * count);
    for (size_t i = 0; i < count; i++) {
        float f = float(mixed(i, seed) >> 8) * 0x1p-24f;
        memcpy(&v[4 * i], &f, 4);
    }
    return v;
}

static double now(clockid_t clock)
{
    timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS) return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, error);
    exit(1);
}

struct Work {
    const char *name;
    size_t global[2], local[2];
    std::vector<std::vector<uint8_t>> inputs;
    size_t result;             // bytes
    std::vector<cl_int> sizes; // behind the buffers
    bool counts;
};

int main(int argc, char **argv)
{
    auto option = [&](const char *name, const char *otherwise) {
        for (int i = 1; i + 1 < argc; i++)
            if (!strcmp(argv[i], name)) return (const char *)argv[i + 1];
        return otherwise;
    };
    const char *peer = option("--peer", "opencl"), *path = option("--cl", "compute.cl");
    std::string only = std::string(option("--only", "")) + ",";
    int reps = atoi(option("--reps", "5")), threads = atoi(option("--threads", "1"));
    double least = atof(option("--min-s", "0.02"));

    cl_int e;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, nullptr), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &e);
    check(e, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &e);
    check(e, "queue");
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); return 1; }
    std::string text;
    char part[4096];
    for (size_t n; (n = fread(part, 1, sizeof part, file));) text.append(part, n);
    fclose(file);
    const char *source = text.c_str();
    cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, &e);
    check(e, "program");
    check(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", nullptr, nullptr), "build");

    const size_t n = 1024, row = 1 << 20;
    std::vector<Work> all = {
        {"matmul", {256, 256}, {16, 16}, {floats(65536, 11), floats(65536, 12)}, 4 * 65536, {256}, false},
        {"reduce", {row, 1}, {256, 1}, {floats(2 * row, 13)}, row / 64, {2 * row}, false},
        {"histogram", {1 << 18, 1}, {256, 1}, {noise(16 << 18, 14)}, 1024, {16 << 18}, true},
        {"rowfilter", {n, n}, {32, 1}, {floats(n * n, 15)}, 4 * n * n, {n}, false},
        {"transpose", {n, n}, {16, 16}, {floats(n * n, 16)}, 4 * n * n, {n}, false},
        {"nbody", {1024, 1}, {64, 1}, {floats(4096, 17)}, 16384, {1024}, false},
        {"crc", {1 << 16, 1}, {64, 1}, {noise(64 << 16, 18)}, 4 << 16, {64}, true},
        {"bilateral", {512, 512}, {32, 1}, {floats(512 * 512, 19)}, 4 * 512 * 512, {512, 512}, false},
    };
    for (const Work &work : all) {
        std::string name = std::string("compute.") + work.name;
        bool wanted = only == ",";
        for (size_t at = 0, end; (end = only.find(',', at)) != std::string::npos; at = end + 1)
            wanted |= end > at && name.compare(0, end - at, only, at, end - at) == 0;
        if (!wanted) continue;
        cl_kernel kernel = clCreateKernel(program, work.name, &e);
        check(e, work.name);
        cl_uint index = 0;
        auto buffer = [&](std::vector<uint8_t> bytes) {
            cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &e);
            check(e, "buffer");
            check(clSetKernelArg(kernel, index++, sizeof memory, &memory), "argument");
            return memory;
        };
        for (const auto &input : work.inputs) buffer(input);
        cl_mem result = buffer(std::vector<uint8_t>(work.result));
        for (cl_int size : work.sizes) check(clSetKernelArg(kernel, index++, sizeof size, &size), "argument");
        auto run = [&] {
            check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, work.global, work.local, 0, nullptr, nullptr), work.name);
            check(clFinish(queue), work.name);
        };
        double start = now(CLOCK_MONOTONIC);
        run();
        double first = now(CLOCK_MONOTONIC) - start;
        std::vector<uint32_t> words(work.result / 4);
        check(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, work.result, words.data(), 0, nullptr, nullptr), "read");
        uint64_t fnv = 0xcbf29ce484222325u;
        double sum = 0;
        for (uint32_t word : words) {
            fnv = (fnv ^ word) * 0x100000001b3u;
            float f;
            memcpy(&f, &word, 4);
            sum += work.counts ? double(word) : double(f);
        }
        start = now(CLOCK_MONOTONIC);
        run();
        int inner = std::max(1, int(least / std::max(now(CLOCK_MONOTONIC) - start, 1e-9)));
        std::vector<double> wall, cpu;
        for (int r = 0; r < reps; r++) {
            double w = now(CLOCK_MONOTONIC), c = now(CLOCK_PROCESS_CPUTIME_ID);
            for (int i = 0; i < inner; i++) run();
            wall.push_back((now(CLOCK_MONOTONIC) - w) / inner);
            cpu.push_back((now(CLOCK_PROCESS_CPUTIME_ID) - c) / inner);
        }
        std::vector<double> sorted = wall;
        std::sort(sorted.begin(), sorted.end());
        double median = sorted[sorted.size() / 2], items = double(work.global[0]) * work.global[1];
        auto list = [](const std::vector<double> &values) {
            std::string text;
            for (double v : values) text += (text.empty() ? "" : ",") + std::to_string(v * 1e9) + "e-9";
            return "[" + text + "]";
        };
        printf("{\"peer\":\"%s\",\"workload\":\"%s\",\"threads\":%d,\"item\":%.0f,\"seconds\":%s,\"cpu\":%s,\"first\":%.6g,"
               "\"median\":%.6g,\"ns_per_item\":%.6g,\"fnv\":\"%016llx\",\"sum\":%.6f}\n",
               peer, name.c_str(), threads, items, list(wall).c_str(), list(cpu).c_str(), first, median, median / items * 1e9,
               (unsigned long long)fnv, sum);
        fflush(stdout);
    }
}
