//! What the sampler says of a surface.

use super::surfaces::request;
use pretty_assertions::assert_eq;
use visim::internals::message::{SamplerOp, SamplerRequest};
use visim::internals::sampler::info::info;
use visim::internals::surface::texel::Rgba;
use visim::internals::surface::{Description, Format, Generation, Surface};

fn resinfo(description: Description, lod: u32) -> Rgba {
    let request = SamplerRequest {
        params: 1,
        ..request(SamplerOp::Resinfo, 15, 8)
    };
    let surface = Surface::zeroed(description).unwrap();
    let mut out = [[0; 32]; 4];
    info(&surface, &request, &[[lod; 32]], 1, &mut out);
    out.map(|channel| channel[0])
}

#[test]
fn the_first_parts_tell_sizes_as_floats() {
    let levels = |generation| Description {
        generation,
        levels: 3,
        ..Description::d2(Format::R8_UNORM, 20, 9)
    };
    assert_eq!(resinfo(levels(Generation::Gen5), 1), [10, 4, 0, 3]);
    let floats = [10.0f32, 4.0, 0.0, 3.0].map(f32::to_bits);
    assert_eq!(resinfo(levels(Generation::Gen4), 1), floats);
    // A level that is not there: the number of levels all the same.
    assert_eq!(resinfo(levels(Generation::Gen5), 3), [0, 0, 0, 3]);
}

#[test]
fn arrays_volumes_cubes_and_buffers_tell_what_they_have() {
    let array = Description {
        generation: Generation::Gen5,
        ..Description::d2_array(Format::R8_UNORM, 8, 4, 5)
    };
    assert_eq!(resinfo(array, 0), [8, 4, 5, 1]);
    // The Depth field of an array of one slice is 0, as that of no array.
    for (generation, slices) in [(Generation::Gen5, 0), (Generation::Gen9, 1)] {
        let one = Description {
            generation,
            ..Description::d2_array(Format::R8_UNORM, 8, 4, 1)
        };
        assert_eq!(resinfo(one, 0), [8, 4, slices, 1]);
    }
    let volume = Description {
        levels: 2,
        ..Description::d3(Format::R8_UNORM, 8, 4, 6)
    };
    assert_eq!(resinfo(volume, 1), [4, 2, 3, 2]);
    assert_eq!(
        resinfo(Description::cube(Format::R8_UNORM, 4), 0),
        [4, 4, 0, 1]
    );
    assert_eq!(
        resinfo(Description::buffer(Format::R8_UNORM, 300), 0),
        [300, 0, 0, 0]
    );
    assert_eq!(resinfo(Description::null(), 0), [0; 4]);
}
