
int fib(int n) { int a = 0, b = 1; for (int q = 0; q < n; q++) { int t = a + b; a = b; b = t; } return a; }
int even(int n) { int who = 1; while (1) { if (who) { if (n == 0) return 1; n = n - 1; who = 0; } else { if (n == 0) return 0; int t[3] = {n, n + 1, n + 2}; n = t[n % 3] - (n % 3) - 1; who = 1; } } }
__kernel void fn_recurse(__global const int *a, __global int *d)
{
    int i = get_global_id(0), v = a[i] & 7;
    d[i] = fib(v) * 2 + even(v + 3);
}