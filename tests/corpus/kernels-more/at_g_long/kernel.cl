#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void at_g_long(__global const long *a, __global long *g, __global long *o)
{
    int i = get_global_id(0), n = get_global_size(0); long v = a[i];
    o[i + 0*n] = atom_add(&g[i + 0*n], v);
    o[i + 1*n] = atom_sub(&g[i + 1*n], v);
    o[i + 2*n] = atom_xchg(&g[i + 2*n], v);
    o[i + 3*n] = atom_min(&g[i + 3*n], v);
    o[i + 4*n] = atom_max(&g[i + 4*n], v);
    o[i + 5*n] = atom_and(&g[i + 5*n], v);
    o[i + 6*n] = atom_or(&g[i + 6*n], v);
    o[i + 7*n] = atom_xor(&g[i + 7*n], v);
    o[i + 8*n] = atom_inc(&g[i + 8*n]); o[i + 9*n] = atom_dec(&g[i + 9*n]); o[i + 10*n] = atom_cmpxchg(&g[i + 10*n], (i & 1) ? g[i + 10*n] : v, v ^ 5);
}
