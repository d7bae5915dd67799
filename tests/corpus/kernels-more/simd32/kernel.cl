
__kernel void simd32(__global const int *a, __global int *d)
{
    __local uchar l[64];
    int i = get_global_id(0), m = get_local_id(0), v = a[i], r = 0; char t[20];
    l[m] = v; barrier(CLK_LOCAL_MEM_FENCE);
    for (int q = 0; q < 20; q++) t[q] = v >> q;
    while (v) { r += t[v & 15] + l[(v & 31)]; if (v & 64) r ^= 5; v = (uint)v >> 3; }
    float x = convert_float(r) * 1.25f; long y = (long)r * a[i];
    d[i] = r + (int)x + (int)(y >> 7) + (short)(r * 7) + (uchar)(r << 3);
}