// One kernel for Battlemage: compiled by
//     ocloc compile -file 61-soften.cl -device bmg -output_no_suffix -output 61-soften \
//         -internal_options -ze-emit-zebin-visa-sections
// The program carries its own text. Watch its messages: a load of sixteen lanes at 64-bit addresses is one register
// of the load/store pipe's descriptor.
kernel void soften(global const float *in, global float *out)
{
    int i = get_global_id(0);
    int last = get_global_size(0) - 1;
    float left = in[max(i - 1, 0)], right = in[min(i + 1, last)];
    out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
    if (i == 0)
        printf("%d values, the first becomes %.2f\n", last + 1, out[0]);
}
