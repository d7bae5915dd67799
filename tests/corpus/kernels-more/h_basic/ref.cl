#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void h_basic(__global const half *a, __global const half *b, __global const half *c, __global half *d, __global int *e)
{
    int i = get_global_id(0), n = get_global_size(0);
    float x = vload_half(i, a), y = vload_half(i, b), z = vload_half(i, c);
    vstore_half_rte(x + y, i + 0 * n, d);
    vstore_half_rte(x - y, i + 1 * n, d);
    vstore_half_rte(x * y, i + 2 * n, d);
    vstore_half_rte(fmin(x, y), i + 3 * n, d);
    vstore_half_rte(fmax(x, y), i + 4 * n, d);
    vstore_half_rte(fabs(x), i + 5 * n, d);
    vstore_half_rte(-x, i + 6 * n, d);
    vstore_half_rte(copysign(x, y), i + 7 * n, d);
    vstore_half_rte(x < y ? z : x, i + 8 * n, d);
    vstore_half_rte(floor(x), i + 9 * n, d);
    vstore_half_rte(ceil(x), i + 10 * n, d);
    vstore_half_rte(trunc(x), i + 11 * n, d);
    vstore_half_rte(rint(x), i + 12 * n, d);
    vstore_half_rte(sign(x), i + 13 * n, d);
    vstore_half_rte(round(x), i + 14 * n, d);
    vstore_half_rte(fdim(x, y), i + 15 * n, d);
    vstore_half_rte((double)x * y + z, i + 16 * n, d);
    vstore_half_rte(sqrt(x), i + 17 * n, d);
    vstore_half_rte(x, i + 18 * n, d);
    vstore_half_rte(clamp(x, -1.0f, 1.0f), i + 19 * n, d);
    vstore_half_rte(clamp(x, 0.0f, 1.0f), i + 20 * n, d);
    e[i + 0 * n] = x == y;
    e[i + 1 * n] = x != y;
    e[i + 2 * n] = x < y;
    e[i + 3 * n] = x <= y;
    e[i + 4 * n] = x > y;
    e[i + 5 * n] = x >= y;
    e[i + 6 * n] = isnan(x);
    e[i + 7 * n] = isinf(x);
    e[i + 8 * n] = isfinite(x);
    e[i + 9 * n] = signbit(x);
    e[i + 10 * n] = convert_int_sat(x);
    e[i + 11 * n] = convert_short_sat_rte(x);
    e[i + 12 * n] = convert_uchar_sat(x);
    e[i + 13 * n] = convert_uint_sat_rtp(x);
    e[i + 14 * n] = convert_char_sat_rtn(x);
}
