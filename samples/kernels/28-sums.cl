// Lesson 28: a launch in a file. Each group adds up 64 numbers in shared local memory, halving the number of
// work-items that add from barrier to barrier.
//
// 28-sums.launch.json says what the kernel is given and what must come out: 28-in.bin holds the numbers 1 to 128,
// so the sums are 64 * 65 / 2 = 2080 and 128 * 129 / 2 - 2080 = 6176, which is what 28-out.bin holds.
// 28-sums.zeinfo, the compiler's description (lesson 26), says where each argument goes:
//
//   visim run 28-sums.visaasm --launch 28-sums.launch.json
//       argument 1, `out`: 8 bytes, as expected
//
// Options replace parts of the file, and then nothing is expected:
//
//   --arg in=buffer:other.bin --arg out=buffer:sums.bin:size=8
//
// The fields are those of grammar/launch.schema.json; `devices` may hold what the compiler says, for several
// devices, and then no other description is looked for.
//
// --sanitize and --check-races find nothing here.
__kernel void sums(__global const int *in, __global int *out, __local int *part)
{
    int i = get_local_id(0);
    part[i] = in[get_global_id(0)];
    for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < step)
            part[i] += part[i + step];
    }
    if (i == 0)
        out[get_group_id(0)] = part[0];
}
