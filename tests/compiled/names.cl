// Two kernels whose texts are both called `kernel`, and a function behind both of them: what IGC 1.0 writes, for Skylake by
//     ocloc compile -file names.cl -device skl -output_no_suffix -output names -options -cl-std=CL2.0 \
//         -internal_options "-ze-allow-zebin -ze-emit-zebin-visa-sections"
int fib(int n);
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

kernel void first(global int *out) { out[get_global_id(0)] = fib(get_global_id(0)); }
kernel void second(global int *out) { out[get_global_id(0)] = 7 * get_global_id(0); }
