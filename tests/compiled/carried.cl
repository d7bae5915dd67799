__attribute__((noinline)) int triangle(int n) { return n < 1 ? 0 : n + triangle(n - 1); }
kernel void twice(global const int *in, global int *out) { int i = get_global_id(0); out[i] = 2 * in[i]; }
kernel void sums(global int *out) { int i = get_global_id(0); out[i] = triangle(i); }
