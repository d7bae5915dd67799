// The kernels over buffers that benches/kernels.rs runs, compiled for skl and bmg as kernels.cl is: buffers, local
// memory, barriers, atomics.
#define T 16
__kernel __attribute__((reqd_work_group_size(T, T, 1)))
void matmul(__global const float *a, __global const float *b, __global float *c, int n)
{
    __local float ta[T][T], tb[T][T];
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    float s = 0.0f;
    for (int k = 0; k < n; k += T) {
        ta[ly][lx] = a[y * n + k + lx];
        tb[ly][lx] = b[(k + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < T; i++) s += ta[ly][i] * tb[i][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = s;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce(__global const float *src, __global float *dst, int n)
{
    __local float t[256];
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = src[g] + src[g + n / 2];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int o = 128; o > 0; o >>= 1) {
        if (l < o) t[l] += t[l + o];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) dst[get_group_id(0)] = t[0];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(__global const uchar *src, __global uint *hist, int n)
{
    __local uint h[256];
    int l = get_local_id(0);
    h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++) atomic_inc(&h[src[get_group_id(0) * 4096 + i * 256 + l]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (h[l]) atomic_add(&hist[l], h[l]);
}

__kernel void rowfilter(__global const float *src, __global float *dst, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    float s = 0.0f;
    for (int i = -4; i <= 4; i++) s += src[y * w + clamp(x + i, 0, w - 1)] * (5 - abs(i));
    dst[y * w + x] = s * (1.0f / 25.0f);
}

__kernel __attribute__((reqd_work_group_size(T, T, 1)))
void transpose(__global const float *src, __global float *dst, int n)
{
    __local float t[T][T + 1];
    int lx = get_local_id(0), ly = get_local_id(1), gx = get_group_id(0) * T, gy = get_group_id(1) * T;
    t[ly][lx] = src[(gy + ly) * n + gx + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    dst[(gx + ly) * n + gy + lx] = t[lx][ly];
}

__kernel void nbody(__global const float4 *p, __global float4 *v, int n)
{
    int i = get_global_id(0);
    float4 me = p[i], f = (float4)(0.0f);
    for (int j = 0; j < n; j++) {
        float4 d = p[j] - me;
        float r = rsqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
        f += d * (p[j].w * r * r * r);
    }
    v[i] = f;
}

__kernel void crc(__global const uchar *src, __global uint *dst, int len)
{
    int i = get_global_id(0);
    uint c = 0xffffffffu;
    for (int k = 0; k < len; k++) {
        c ^= src[i * len + k];
        for (int b = 0; b < 8; b++) c = (c >> 1) ^ (0xedb88320u & (0u - (c & 1u)));
    }
    dst[i] = ~c;
}

// A bilateral filter of 5 by 5 over floats between 0 and 1: near values count more.
__kernel void bilateral(__global const float *src, __global float *dst, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float here = src[y * w + x], sum = 0.0f, all = 0.0f;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float there = src[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)];
            float step = there - here;
            float weight = native_exp(-0.125f * (i * i + j * j) - 20.0f * step * step);
            sum += weight * there;
            all += weight;
        }
    dst[y * w + x] = sum / all;
}
