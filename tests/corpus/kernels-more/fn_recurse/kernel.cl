
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int odd(int n); 
__attribute__((noinline)) int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { int t[3] = {n, n + 1, n + 2}; return n == 0 ? 0 : even(t[n % 3] - (n % 3) - 1); }
__kernel void fn_recurse(__global const int *a, __global int *d)
{
    int i = get_global_id(0), v = a[i] & 7;
    d[i] = fib(v) * 2 + even(v + 3);
}