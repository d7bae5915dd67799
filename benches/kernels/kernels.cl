// The kernels that benches/kernels.rs runs, compiled for skl:
//   IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=. IGC_DumpToCurrentDir=1 ocloc compile -file kernels.cl -device skl
//       -options "-cl-std=CL1.2 -cl-kernel-arg-info" -internal_options -ze-allow-zebin
// NAME.skl.visaasm is the text of one kernel, kernels.skl.zeinfo the section .ze_info of the program.

__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void copy(__read_only image2d_t src, __global float4 *dst)
{
    int x = get_global_id(0), y = get_global_id(1);
    dst[y * (int)get_global_size(0) + x] = read_imagef(src, edge, (int2)(x, y));
}

__kernel void sobel(__read_only image2d_t src, __write_only image2d_t dst)
{
    int x = get_global_id(0), y = get_global_id(1);
    float p[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            p[3 * j + i] = read_imagef(src, edge, (int2)(x + i - 1, y + j - 1)).x;
    float gx = p[2] + 2.0f * p[5] + p[8] - p[0] - 2.0f * p[3] - p[6];
    float gy = p[6] + 2.0f * p[7] + p[8] - p[0] - 2.0f * p[1] - p[2];
    float g = sqrt(gx * gx + gy * gy);
    write_imagef(dst, (int2)(x, y), (float4)(g, g, g, 1.0f));
}

__kernel void gauss5(__read_only image2d_t src, __write_only image2d_t dst)
{
    int x = get_global_id(0), y = get_global_id(1);
    const float w[5] = { 1.0f / 16, 4.0f / 16, 6.0f / 16, 4.0f / 16, 1.0f / 16 };
    float4 sum = 0.0f;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            sum += w[i] * w[j] * read_imagef(src, edge, (int2)(x + i - 2, y + j - 2));
    write_imagef(dst, (int2)(x, y), sum);
}

__kernel void nv12(__read_only image2d_t luma, __read_only image2d_t chroma, __write_only image2d_t dst)
{
    int x = get_global_id(0), y = get_global_id(1);
    float l = 1.1643f * (read_imagef(luma, edge, (int2)(x, y)).x - 0.0625f);
    float2 c = read_imagef(chroma, edge, (int2)(x >> 1, y >> 1)).xy - 0.5f;
    float4 rgb = (float4)(l + 1.5958f * c.y, l - 0.39173f * c.x - 0.8129f * c.y, l + 2.017f * c.x, 1.0f);
    write_imagef(dst, (int2)(x, y), clamp(rgb, 0.0f, 1.0f));
}

__kernel void mandelbrot(__global uint *dst, float2 origin, float step, int limit)
{
    int px = get_global_id(0), py = get_global_id(1);
    float x0 = origin.x + px * step, y0 = origin.y + py * step;
    float x = 0.0f, y = 0.0f;
    int n = 0;
    while (n < limit && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = t;
        n++;
    }
    dst[py * (int)get_global_size(0) + px] = n;
}
