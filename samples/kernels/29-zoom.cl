// Lesson 29: a launch by options. A part of a picture, as large as the output says, through a sampler.
//
// Arguments are named as the source names them (or numbered from 0): an image that is read, a sampler, an image
// that is made, and a structure by value, whose bytes are those of OpenCL: `from` is 110.0, 100.0 and `step`
// a quarter of a texel, 0.25.
//
//   visim run 29-zoom.visaasm --global 96x96 --local 16x16 \
//       --arg src=image:../images/photo.png --arg how=sampler:clamp_to_edge:linear:normalized \
//       --arg dst=image:zoomed.png:size=96x96 --arg part=hex:0000dc420000c8420000803e00000000
//
// `--arg how=sampler:clamp_to_edge:nearest:normalized` shows the texels as squares. What is wrong in an option is told
// with the argument's name and what would do: --arg how=int:5 is refused because "the kernel takes a sampler".
typedef struct {
    float2 from;
    float step;
} Part;

__kernel void zoom(__read_only image2d_t src, sampler_t how, __write_only image2d_t dst, Part part)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float2 size = (float2)(get_image_width(src), get_image_height(src));
    float2 texel = part.from + (convert_float2(at) + 0.5f) * part.step;
    write_imagef(dst, at, read_imagef(src, how, texel / size));
}
