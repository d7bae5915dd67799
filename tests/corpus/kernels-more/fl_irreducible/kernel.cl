
__kernel void fl_irreducible(__global const int *a, __global int *d)
{
    int i = get_global_id(0), v = a[i], r = 0, c = 0;
    if (v & 1) goto B;
A:  r += 3; c++;
    if (c > 20) goto E;
B:  r = r * 2 + 1; c++;
    if ((v >> (c & 15)) & 1) goto A;
    if (c < 18) { r ^= c; goto B; }
    if (c < 30 && (v & 4)) goto A;
E:  d[i] = r * 31 + c;
}