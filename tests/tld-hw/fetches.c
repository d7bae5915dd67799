// Texel fetches on a real GPU, one JSON object each: see README.md beside this file.
//
//   host: upload ─▶ CUDA array ─▶ texture object ─▶ kernel (PTX: tex.* with .s32 coordinates) ─▶ JSON
//
// Only the public CUDA driver API, opened by dlopen; the few types it needs are declared here.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef unsigned long long Ptr;
typedef void *Handle;

// CUarray_format
enum { UINT8 = 1, UINT16 = 2, SINT8 = 8, SINT16 = 9, HALF = 0x10 };

typedef struct { size_t width, height, depth; unsigned format, channels, flags; } ArrayDesc;

typedef struct {
    size_t src_x, src_y, src_z, src_lod;
    unsigned src_type;
    const void *src_host;
    Ptr src_device;
    Handle src_array;
    void *reserved0;
    size_t src_pitch, src_height;
    size_t dst_x, dst_y, dst_z, dst_lod;
    unsigned dst_type;
    void *dst_host;
    Ptr dst_device;
    Handle dst_array;
    void *reserved1;
    size_t dst_pitch, dst_height;
    size_t width_bytes, height, depth;
} Copy3d;

typedef struct {
    unsigned type;
    union { Handle array; int reserved[32]; } res;
    unsigned flags;
} ResourceDesc;

typedef struct {
    unsigned address[3], filter, flags, anisotropy, mip_filter;
    float mip_bias, mip_min, mip_max, border[4];
    int reserved[12];
} TextureDesc;

enum { RESOURCE_ARRAY = 0, RESOURCE_MIPMAPPED = 1, ADDRESS_BORDER = 3, MEMORY_HOST = 1, MEMORY_ARRAY = 3, LAYERED = 1 };

#define FUNCTIONS(F)                                                                        \
    F(Init, "cuInit", (unsigned))                                                           \
    F(DriverGetVersion, "cuDriverGetVersion", (int *))                                      \
    F(DeviceGet, "cuDeviceGet", (int *, int))                                               \
    F(DeviceGetName, "cuDeviceGetName", (char *, int, int))                                 \
    F(DeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int))                        \
    F(CtxRetain, "cuDevicePrimaryCtxRetain", (Handle *, int))                               \
    F(CtxSetCurrent, "cuCtxSetCurrent", (Handle))                                           \
    F(CtxSynchronize, "cuCtxSynchronize", (void))                                           \
    F(ModuleLoadData, "cuModuleLoadData", (Handle *, const void *))                         \
    F(ModuleGetFunction, "cuModuleGetFunction", (Handle *, Handle, const char *))           \
    F(MemAlloc, "cuMemAlloc_v2", (Ptr *, size_t))                                           \
    F(MemFree, "cuMemFree_v2", (Ptr))                                                       \
    F(MemcpyHtoD, "cuMemcpyHtoD_v2", (Ptr, const void *, size_t))                           \
    F(MemcpyDtoH, "cuMemcpyDtoH_v2", (void *, Ptr, size_t))                                 \
    F(MemsetD32, "cuMemsetD32_v2", (Ptr, unsigned, size_t))                                 \
    F(Array3DCreate, "cuArray3DCreate_v2", (Handle *, const ArrayDesc *))                   \
    F(MipmappedCreate, "cuMipmappedArrayCreate", (Handle *, const ArrayDesc *, unsigned))   \
    F(MipmappedGetLevel, "cuMipmappedArrayGetLevel", (Handle *, Handle, unsigned))          \
    F(Memcpy3D, "cuMemcpy3D_v2", (const Copy3d *))                                          \
    F(TexObjectCreate, "cuTexObjectCreate",                                                 \
      (Ptr *, const ResourceDesc *, const TextureDesc *, const void *))                     \
    F(TexObjectDestroy, "cuTexObjectDestroy", (Ptr))                                        \
    F(LaunchKernel, "cuLaunchKernel",                                                       \
      (Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **, void **))

#define DECLARE(name, symbol, args) static Result(*name) args;
FUNCTIONS(DECLARE)

static void open_driver(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "fetches: %s\n", dlerror());
        exit(2);
    }
    // A data pointer becomes a function pointer through memcpy: ISO C has no cast for it.
#define LOAD(name, symbol, args)                                                            \
    {                                                                                       \
        void *found = dlsym(library, symbol);                                               \
        if (!found) {                                                                       \
            fprintf(stderr, "fetches: the driver has no %s\n", symbol);                     \
            exit(2);                                                                        \
        }                                                                                   \
        memcpy(&name, &found, sizeof found);                                                \
    }
    FUNCTIONS(LOAD)
}

static void must(Result result, const char *what) {
    if (result != 0) {
        fprintf(stderr, "fetches: %s: error %d\n", what, result);
        exit(1);
    }
}

// Every kernel: (texture, inputs x y z w of each thread, results of each thread, number of threads).
#define KERNEL(name, fetch)                                                                 \
    ".visible .entry " name "(.param .u64 t, .param .u64 i, .param .u64 o, .param .u32 n) {\n"       \
    ".reg .u64 tex, in, out, off; .reg .u32 id, b, d, count; .reg .s32 x, y, z, w; .reg .b32 r, g, v, a; .reg .pred p;\n" \
    "ld.param.u64 tex, [t]; ld.param.u64 in, [i]; ld.param.u64 out, [o]; ld.param.u32 count, [n];\n" \
    "mov.u32 id, %tid.x; mov.u32 b, %ctaid.x; mov.u32 d, %ntid.x; mad.lo.u32 id, b, d, id;\n"         \
    "setp.ge.u32 p, id, count; @p ret;\n"                                                             \
    "mul.wide.u32 off, id, 16; add.u64 in, in, off; add.u64 out, out, off;\n"                        \
    "ld.global.v4.s32 {x, y, z, w}, [in];\n" fetch                                                    \
    "st.global.v4.b32 [out], {r, g, v, a}; ret; }\n"

static const char PTX[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    KERNEL("plain", "tex.2d.v4.f32.s32 {r, g, v, a}, [tex, {x, y}];\n")
    KERNEL("level", "tex.level.2d.v4.f32.s32 {r, g, v, a}, [tex, {x, y}], w;\n")
    KERNEL("layer", "tex.a2d.v4.f32.s32 {r, g, v, a}, [tex, {z, x, y, y}];\n");

typedef struct { int32_t x, y, z, w; } Input;

static Handle module;
static char board[256];
static int driver;

// Fetches `count` texels twice; `stable[i]` says whether both times gave the same.
static void fetch(const char *kernel, Ptr texture, const Input *inputs, unsigned count, uint32_t *out, char *stable) {
    Handle function;
    Ptr in, results;
    size_t bytes = (size_t)count * 16;
    must(ModuleGetFunction(&function, module, kernel), kernel);
    must(MemAlloc(&in, bytes), "memory for inputs");
    must(MemAlloc(&results, bytes), "memory for results");
    must(MemcpyHtoD(in, inputs, bytes), "inputs");
    uint32_t *again = malloc(bytes);
    for (int turn = 0; turn < 2; turn++) {
        must(MemsetD32(results, 0xdeadbeef, bytes / 4), "fill");
        void *args[] = {&texture, &in, &results, &count};
        must(LaunchKernel(function, (count + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, args, NULL), "launch");
        must(CtxSynchronize(), "run");
        must(MemcpyDtoH(turn ? again : out, results, bytes), "results");
    }
    for (unsigned i = 0; i < count; i++) {
        stable[i] = memcmp(out + 4 * i, again + 4 * i, 16) == 0;
    }
    free(again);
    MemFree(in);
    MemFree(results);
}

static void upload(Handle array, const void *texels, size_t row, size_t height, size_t depth) {
    Copy3d copy;
    memset(&copy, 0, sizeof copy);
    copy.src_type = MEMORY_HOST;
    copy.src_host = texels;
    copy.src_pitch = row;
    copy.src_height = height;
    copy.dst_type = MEMORY_ARRAY;
    copy.dst_array = array;
    copy.width_bytes = row;
    copy.height = height;
    copy.depth = depth;
    must(Memcpy3D(&copy), "upload");
}

static Ptr texture_of(Handle array, unsigned type) {
    ResourceDesc resource;
    TextureDesc texture;
    memset(&resource, 0, sizeof resource);
    memset(&texture, 0, sizeof texture);
    resource.type = type;
    resource.res.array = array;
    for (int axis = 0; axis < 3; axis++) {
        texture.address[axis] = ADDRESS_BORDER;
    }
    texture.mip_max = 15;
    Ptr object;
    must(TexObjectCreate(&object, &resource, &texture, NULL), "texture object");
    return object;
}

static void report(const char *question, const char *format, Input at, const char *texel, const uint32_t *out, int stable) {
    printf("{\"question\": \"%s\", \"format\": \"%s\", \"at\": [%d, %d], \"layer\": %d, \"lod\": %u, \"texel\": %s, "
           "\"expect\": {\"R0\": \"0x%08x\", \"R1\": \"0x%08x\", \"R2\": \"0x%08x\", \"R3\": \"0x%08x\"}, "
           "\"stable\": %s, \"provenance\": \"hardware: %s, driver %d\"}\n",
           question, format, at.x, at.y, at.z, (uint32_t)at.w, texel, out[0], out[1], out[2], out[3],
           stable ? "true" : "false", board, driver);
}

static void run(const char *question, const char *format, const char *kernel, Ptr texture, const Input *inputs,
                unsigned count, const char *(*texel)(Input)) {
    uint32_t *out = malloc((size_t)count * 16);
    char *stable = malloc(count);
    fetch(kernel, texture, inputs, count, out, stable);
    for (unsigned i = 0; i < count; i++) {
        report(question, format, inputs[i], texel(inputs[i]), out + 4 * i, stable[i]);
    }
    free(out);
    free(stable);
}

// Questions 9 and 10: an image whose texel number n holds the code n.
static const char *code_texel(Input at) {
    static char text[16];
    snprintf(text, sizeof text, "\"0x%x\"", (unsigned)(at.x + 256 * at.y));
    return text;
}

static void values(const char *name, unsigned format, unsigned codes) {
    unsigned size = codes > 256 ? 2 : 1, rows = codes / 256;
    ArrayDesc desc = {256, rows, 0, format, 1, 0};
    Handle array;
    must(Array3DCreate(&array, &desc), name);
    uint8_t *texels = malloc((size_t)codes * size);
    Input *inputs = calloc(codes, sizeof *inputs);
    for (unsigned n = 0; n < codes; n++) {
        texels[n * size] = n & 255;
        if (size == 2) {
            texels[n * size + 1] = n >> 8;
        }
        inputs[n].x = n % 256;
        inputs[n].y = n / 256;
    }
    upload(array, texels, 256 * size, rows, 1);
    Ptr texture = texture_of(array, RESOURCE_ARRAY);
    run("values", name, "plain", texture, inputs, codes, code_texel);
    TexObjectDestroy(texture);
    free(texels);
    free(inputs);
}

enum { W = 16, H = 12, LAYERS = 3, LEVELS = 4 };

// A texel of the other images: column, row, layer or level, and 0xa5.
static uint32_t word(int x, int y, int z) { return 0xa5000000u | (uint32_t)z << 16 | (uint32_t)y << 8 | (uint32_t)x; }

static const char *word_text(int inside, uint32_t value) {
    static char text[16];
    snprintf(text, sizeof text, inside ? "\"0x%08x\"" : "null", value);
    return text;
}

static const char *edge_texel(Input at) {
    return word_text(at.x >= 0 && at.x < W && at.y >= 0 && at.y < H, word(at.x, at.y, 0));
}

static const char *level_texel(Input at) {
    uint32_t lod = (uint32_t)at.w;
    int inside = lod < LEVELS && at.x < W >> lod && (at.y < H >> lod || at.y == 0);
    return word_text(inside, word(at.x, at.y, (int)(lod & 15)));
}

static const char *layer_texel(Input at) {
    return word_text(at.z >= 0 && at.z < LAYERS, word(at.x, at.y, at.z & 255));
}

static void fill(uint32_t *texels, int w, int h, int z) {
    for (int y = 0; y < h; y++) {
        for (int x = 0; x < w; x++) {
            texels[y * w + x] = word(x, y, z);
        }
    }
}

static void edges(void) {
    ArrayDesc desc = {W, H, 0, UINT8, 4, 0};
    Handle array;
    uint32_t texels[W * H];
    must(Array3DCreate(&array, &desc), "image");
    fill(texels, W, H, 0);
    upload(array, texels, W * 4, H, 1);
    int32_t xs[] = {INT32_MIN, -9, -8, -1, 0, 1, W - 1, W, W + 7, INT32_MAX};
    int32_t ys[] = {INT32_MIN, -9, -8, -1, 0, 1, H - 1, H, H + 7, INT32_MAX};
    Input inputs[100];
    memset(inputs, 0, sizeof inputs);
    for (int i = 0; i < 100; i++) {
        inputs[i].x = xs[i % 10];
        inputs[i].y = ys[i / 10];
    }
    run("edges", "UNORM8x4", "plain", texture_of(array, RESOURCE_ARRAY), inputs, 100, edge_texel);
}

static void levels(void) {
    ArrayDesc desc = {W, H, 0, UINT8, 4, 0};
    Handle image;
    uint32_t texels[W * H];
    must(MipmappedCreate(&image, &desc, LEVELS), "mipmapped image");
    for (int level = 0; level < LEVELS; level++) {
        Handle array;
        int w = W >> level, h = H >> level;
        must(MipmappedGetLevel(&array, image, level), "level");
        fill(texels, w, h, level);
        upload(array, texels, w * 4, h, 1);
    }
    uint32_t lods[] = {0, 1, LEVELS - 1, LEVELS, 15, 16, 0x80000000u, 0xffffffffu};
    Input inputs[16];
    memset(inputs, 0, sizeof inputs);
    for (int i = 0; i < 16; i++) {
        inputs[i].w = (int32_t)lods[i % 8];
        inputs[i].x = i / 8;
    }
    run("levels", "UNORM8x4", "level", texture_of(image, RESOURCE_MIPMAPPED), inputs, 16, level_texel);
}

static void layers(void) {
    ArrayDesc desc = {W, H, LAYERS, UINT8, 4, LAYERED};
    Handle array;
    uint32_t texels[W * H * LAYERS];
    must(Array3DCreate(&array, &desc), "layers");
    for (int z = 0; z < LAYERS; z++) {
        fill(texels + z * W * H, W, H, z);
    }
    upload(array, texels, W * 4, H, LAYERS);
    int32_t zs[] = {0, 1, LAYERS - 1, LAYERS, 0xffff, 0x10000, 0x10001, -1};
    Input inputs[8];
    memset(inputs, 0, sizeof inputs);
    for (int i = 0; i < 8; i++) {
        inputs[i].z = zs[i];
        inputs[i].x = 5;
        inputs[i].y = 3;
    }
    run("layers", "UNORM8x4", "layer", texture_of(array, RESOURCE_ARRAY), inputs, 8, layer_texel);
}

int main(void) {
    int device, major, minor;
    Handle context;
    open_driver();
    must(Init(0), "cuInit");
    must(DriverGetVersion(&driver), "driver version");
    must(DeviceGet(&device, 0), "device 0");
    must(DeviceGetName(board, sizeof board, device), "name");
    must(DeviceGetAttribute(&major, 75, device), "compute capability");
    must(DeviceGetAttribute(&minor, 76, device), "compute capability");
    must(CtxRetain(&context, device), "context");
    must(CtxSetCurrent(context), "context");
    must(ModuleLoadData(&module, PTX), "PTX");
    printf("{\"board\": \"%s\", \"capability\": \"%d.%d\", \"driver\": %d}\n", board, major, minor, driver);
    values("UNORM8", UINT8, 256);
    values("SNORM8", SINT8, 256);
    values("UNORM16", UINT16, 65536);
    values("SNORM16", SINT16, 65536);
    values("FLOAT16", HALF, 65536);
    edges();
    levels();
    layers();
    return 0;
}
