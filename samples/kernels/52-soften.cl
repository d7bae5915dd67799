// Lesson 52: one kernel for Battlemage: its text, its messages, its result. Compiled by
//     ocloc compile -file 52-soften.cl -device bmg -output_no_suffix -output 52-soften \
//         -internal_options -ze-emit-zebin-visa-sections
// so that the program carries its own text. With `ocloc` installed `visim run 52-soften.cl --device bmg …` compiles too.
//
// The text: `visim fmt 52-soften.bin`. in[i] is one statement, for 32 work-items with addresses of 64 bits:
//     lsc_load.ugm (M1, 32)  V0076:d32  flat[V0075]:a64
//
// The message: `visim explain 52-soften.bin:158`, or `visim lower 52-soften.bin` for all of them. Registers of
// Battlemage have 64 bytes: 32 addresses of 8 bytes are four of them, 32 floats come back in two. There is no header;
// one descriptor has the lengths and what to do:
//     load.ugm.d32.a64 (32|M0) to ugm: 4 + 0 registers of 64 bytes, 2 back
//     load/store descriptor 0x08200580
//       28:25  message length 4     24:20  response length 2     11:9  data size 2: d32     8:7  address size 3: 64 bits
//
// The result: `visim run 52-soften.bin` takes arguments and sizes from 52-soften.launch.json, prints what the kernel
// prints and compares the output; `--trace` shows every register on the way. The same source for Panther Lake
// (`--device ptl`) sends the same descriptors, for Crescent Island (`cri`) a single one of 47 bits.
kernel void soften(global const float *in, global float *out)
{
    int i = get_global_id(0);
    int last = get_global_size(0) - 1;
    float left = in[max(i - 1, 0)], right = in[min(i + 1, last)];
    out[i] = 0.25f * left + 0.5f * in[i] + 0.25f * right;
    if (i == 0)
        printf("%d values, the first becomes %.2f\n", last + 1, out[0]);
}
