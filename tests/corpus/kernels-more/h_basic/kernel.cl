#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void h_basic(__global const half *a, __global const half *b, __global const half *c, __global half *d, __global int *e)
{
    int i = get_global_id(0), n = get_global_size(0);
    half x = a[i], y = b[i], z = c[i];
    d[i + 0 * n] = x + y;
    d[i + 1 * n] = x - y;
    d[i + 2 * n] = x * y;
    d[i + 3 * n] = fmin(x, y);
    d[i + 4 * n] = fmax(x, y);
    d[i + 5 * n] = fabs(x);
    d[i + 6 * n] = -x;
    d[i + 7 * n] = copysign(x, y);
    d[i + 8 * n] = x < y ? z : x;
    d[i + 9 * n] = floor(x);
    d[i + 10 * n] = ceil(x);
    d[i + 11 * n] = trunc(x);
    d[i + 12 * n] = rint(x);
    d[i + 13 * n] = sign(x);
    d[i + 14 * n] = round(x);
    d[i + 15 * n] = fdim(x, y);
    d[i + 16 * n] = fma(x, y, z);
    d[i + 17 * n] = sqrt(x);
    d[i + 18 * n] = (half)(float)x;
    d[i + 19 * n] = clamp(x, (half)-1, (half)1);
    d[i + 20 * n] = clamp(x, (half)0, (half)1);
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
