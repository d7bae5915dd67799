__kernel void at_l_int(__global const int *a, __global int *g, __global int *o)
{
    __local int l[352]; int i = get_global_id(0), m = get_local_id(0), w = get_group_id(0); int v = a[i];
    for (int q = 0; q < 11; q++) l[m + q*32] = g[w*352 + m + q*32];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[w*352 + m + 0*32] = atomic_add(&l[m + 0*32], v);
    o[w*352 + m + 1*32] = atomic_sub(&l[m + 1*32], v);
    o[w*352 + m + 2*32] = atomic_xchg(&l[m + 2*32], v);
    o[w*352 + m + 3*32] = atomic_min(&l[m + 3*32], v);
    o[w*352 + m + 4*32] = atomic_max(&l[m + 4*32], v);
    o[w*352 + m + 5*32] = atomic_and(&l[m + 5*32], v);
    o[w*352 + m + 6*32] = atomic_or(&l[m + 6*32], v);
    o[w*352 + m + 7*32] = atomic_xor(&l[m + 7*32], v);
    o[w*352 + m + 8*32] = atomic_inc(&l[m + 8*32]); o[w*352 + m + 9*32] = atomic_dec(&l[m + 9*32]); o[w*352 + m + 10*32] = atomic_cmpxchg(&l[m + 10*32], (m & 1) ? l[m + 10*32] : v, v ^ 5);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int q = 0; q < 11; q++) g[w*352 + m + q*32] = l[m + q*32];
}
