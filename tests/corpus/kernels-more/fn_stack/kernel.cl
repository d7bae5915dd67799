
__attribute__((noinline)) int fa(int v, int w) { int r = v; for (int q = 0; q < (w & 7); q++) { if (r & 1) r = r * 3 + q; else r >>= 1; if (r == 1) return q; } return r; }
__attribute__((noinline)) long fb(long v, float f) { return v * 3 + (long)f; }
__attribute__((noinline)) float4 fc(float4 x, int n, __global const int *a) { if (n & 1) return x.wzyx; return x * (float)(a[n & 15] & 255) + (float)fa(n, n >> 2); }
__attribute__((noinline)) void fd(int *p, int n) { for (int q = 0; q < 6; q++) p[q] += fa(n + q, p[(q + 1) % 6]); }
__kernel void fn_stack(__global const int *a, __global int *d)
{
    int i = get_global_id(0), v = a[i]; int t[6];
    for (int q = 0; q < 6; q++) t[q] = v >> q;
    int r = fa(v & 0xffff, i);
    if (v & 4) { r += (int)fb(v, r & 0xff); if (v & 8) fd(t, i); }
    float4 x = fc((float4)(v & 3, 1, 2, i), v & 0xff, a);
    d[i] = r + t[i % 6] + (int)(x.x + x.y * 2 + x.w * 3);
}