// Lesson 51: data of a program. Constants and globals at program scope travel in the compiler's program, not in
// arguments. The text asks for their addresses by name (faddr), and `curves` holds addresses itself: in the
// program stand offsets, and beside them what they lead to (sections .rel.data.const and .rel.data.global).
//
//   visim run 51-curves.visaasm --zebin 51-curves.zebin --global 8 --arg out=buffer:bent.bin:size=32
//
// Even work-items read `rise` and odd ones `fall` from its second number on; each adds `lift`, 0.5:
//
//   1.5 30.5 2.5 20.5 3.5 10.5 4.5 0.5
//
// A program that lies beside the text is found, so that --zebin may be left out. Without any the addresses are
// nowhere, and visim says so: E0652.
__constant float rise[4] = { 1, 2, 3, 4 };
__constant float fall[5] = { 40, 30, 20, 10, 0 };
__constant float *__constant curves[2] = { rise, fall + 1 };
__global float lift = 0.5f;
__global float *__global lifts = &lift;

__kernel void bend(__global float *out)
{
    int i = get_global_id(0);
    out[i] = curves[i & 1][i >> 1] + *lifts;
}
