// The kernels over images that benches/kernels.rs runs, the same work as that of tools/peers: their results have the
// same sums. Compiled for skl and bmg, each with the compiler of its time:
//   IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=. IGC_DumpToCurrentDir=1 ocloc compile -file kernels.cl -device skl
//       -options "-cl-std=CL1.2 -cl-kernel-arg-info" -internal_options -ze-allow-zebin
// NAME.DEVICE.visaasm is the text of one kernel, kernels.DEVICE.zeinfo the section .ze_info of the program.
#pragma OPENCL FP_CONTRACT OFF

__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

// Texel (x, y) as four floats, in order.
__kernel void copy(__read_only image2d_t src, __global float4 *dst, int width)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    dst[at.y * width + at.x] = read_imagef(src, edge, at);
}

// The same in the order of a permutation: x in the low half, y in the high half.
__kernel void scattered(__read_only image2d_t src, __global float4 *dst, int width, __global const uint *order)
{
    int i = get_global_id(1) * width + get_global_id(0);
    uint at = order[i];
    dst[i] = read_imagef(src, edge, (int2)(at & 0xffff, at >> 16));
}

// Filtered, at a scale of 1.3.
__kernel void bilinear(__read_only image2d_t src, __global float4 *dst, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    float u = (x + 0.5f) / width * 1.3f - 0.15f, v = (y + 0.5f) / height * 1.3f - 0.15f;
    dst[y * width + x] = read_imagef(src, smooth, (float2)(u, v));
}

// A binomial blur of 5 by 5.
__kernel void gauss5(__read_only image2d_t src, __write_only image2d_t dst)
{
    const float weight[5] = { 1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f };
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0.0f;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += weight[i + 2] * weight[j + 2] * read_imagef(src, edge, (int2)(x + i, y + j));
    write_imagef(dst, (int2)(x, y), sum);
}

// The gradient of the luma, its length.
__kernel void sobel(__read_only image2d_t src, __global float *dst, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    float l[9];
    for (int i = 0; i < 9; i++) {
        if (i == 4) continue;
        float4 texel = read_imagef(src, edge, (int2)(x + i % 3 - 1, y + i / 3 - 1));
        l[i] = 0.299f * texel.x + 0.587f * texel.y + 0.114f * texel.z;
    }
    float across = l[2] - l[0] + 2 * (l[5] - l[3]) + l[8] - l[6];
    float down = l[6] - l[0] + 2 * (l[7] - l[1]) + l[8] - l[2];
    dst[y * width + x] = sqrt(across * across + down * down);
}

// NV12 to RGBA, BT.601 of limited range, chroma of the nearest.
__kernel void nv12(__read_only image2d_t luma, __read_only image2d_t chroma, __write_only image2d_t dst)
{
    int x = get_global_id(0), y = get_global_id(1);
    float light = 1.164f * (read_imagef(luma, edge, (int2)(x, y)).x - 16 / 255.0f);
    float4 colour = read_imagef(chroma, edge, (int2)(x >> 1, y >> 1));
    float u = colour.x - 0.5f, v = colour.y - 0.5f;
    float4 rgb = (float4)(light + 1.596f * v, light - 0.813f * v - 0.391f * u, light + 2.018f * u, 1.0f);
    write_imagef(dst, (int2)(x, y), rgb);
}

// Steps until z leaves the circle of radius 2, at most `limit`.
__kernel void mandelbrot(__global uint *dst, int width, int limit)
{
    int px = get_global_id(0), py = get_global_id(1);
    float cx = -2.0f + px * (3.0f / width), cy = -1.5f + py * (3.0f / width);
    float x = 0.0f, y = 0.0f;
    uint steps = 0;
    for (int i = 0; i < limit; i++) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        steps++;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
    }
    dst[py * width + px] = steps;
}
