// Lesson 26: a whole kernel as Intel's compiler prints it.
//
// Each work-item multiplies one pixel by a gain and counts those that came out bright. 26-grade.visaasm and
// 26-grade.zeinfo were made from this file:
//
//   IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=. IGC_DumpToCurrentDir=1 \
//   ocloc compile -file 26-grade.cl -device skl -options -cl-kernel-arg-info -internal_options -ze-allow-zebin
//
// The .visaasm dump is the text; the program holds the description (.ze_info), here a file of its own: which
// register bytes hold which argument, which binding table index is which image. visim finds it beside the text:
//
//   visim run 26-grade.visaasm --global 256x192 --local 16x16 \
//       --arg src=image:../images/photo.png --arg dst=image:graded.png:size=256x192 \
//       --arg gain=float4:1.4,1.1,0.8,1 --arg bright=buffer:bright.bin:size=4
__kernel void grade(__read_only image2d_t src, __write_only image2d_t dst, float4 gain, __global uint *bright)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 pixel = clamp(read_imagef(src, at) * gain, 0.0f, 1.0f);
    if (pixel.x + pixel.y + pixel.z > 2.0f)
        atomic_inc(bright);
    write_imagef(dst, at, pixel);
}
