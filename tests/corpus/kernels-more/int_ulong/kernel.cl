__kernel void int_ulong(__global const ulong *a, __global const ulong *b, __global const ulong *c, __global ulong *d)
{
    int i = get_global_id(0), n = get_global_size(0);
    ulong x = a[i], y = b[i], z = c[i];
    d[i + 0 * n] = (ulong)abs(x);
    d[i + 1 * n] = (ulong)abs_diff(x, y);
    d[i + 2 * n] = add_sat(x, y);
    d[i + 3 * n] = sub_sat(x, y);
    d[i + 4 * n] = hadd(x, y);
    d[i + 5 * n] = rhadd(x, y);
    d[i + 6 * n] = clz(x);
    d[i + 7 * n] = clamp(x, min(y, z), max(y, z));
    d[i + 8 * n] = mad_hi(x, y, z);
    d[i + 9 * n] = mul_hi(x, y);
    d[i + 10 * n] = max(x, y);
    d[i + 11 * n] = min(x, y);
    d[i + 12 * n] = rotate(x, y);
    d[i + 13 * n] = popcount(x);
    d[i + 14 * n] = bitselect(x, y, z);
    d[i + 15 * n] = (ulong)(x + y);
    d[i + 16 * n] = (ulong)(x - y);
    d[i + 17 * n] = (ulong)(x * y);
    d[i + 18 * n] = (ulong)((ulong)x / (ulong)(y ? y : (ulong)1));
    d[i + 19 * n] = (ulong)((ulong)x % (ulong)(y ? y : (ulong)1));
    d[i + 20 * n] = (ulong)(x << (y & 63));
    d[i + 21 * n] = (ulong)(x >> (y & 63));
    d[i + 22 * n] = x & ~y;
    d[i + 23 * n] = x | y ^ z;
    d[i + 24 * n] = x < y ? z : x;
    d[i + 25 * n] = (ulong)(x == y);
    d[i + 26 * n] = (ulong)(x >= z);
    d[i + 27 * n] = (ulong)-x;
    d[i + 28 * n] = (ulong)~x;
    d[i + 29 * n] = (ulong)!z;
    d[i + 30 * n] = mad_sat(x, y, z);
    d[i + 31 * n] = (ulong)(x * y + z);
    d[i + 32 * n] = select(x, y, (ulong)z);
}
