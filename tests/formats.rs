//! Surfaces as a whole: what the formats suite of the corpus, which looks at vectors, does not say.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use visim::surface::texel::encode;
use visim::surface::{Description, Format, Memory, Surface, Tiling};

#[test]
fn texels_stored_through_a_surface_come_back() {
    let colour = [0.2f32, 0.4, 0.6, 0.8].map(f32::to_bits);
    for tiling in [Tiling::Linear, Tiling::X, Tiling::Y] {
        for format in [
            Format::R8G8B8A8_UNORM,
            Format::R32G32B32A32_FLOAT,
            Format::R16_FLOAT,
        ] {
            let description = Description {
                tiling,
                ..Description::d2_array(format, 33, 9, 2)
            };
            let surface = Surface::zeroed(description).expect("surface");
            assert!(surface.store_texel(0, 1, 32, 8, colour));
            let decoder = surface.decoder().expect("decoder");
            let expected = decoder.decode(&encode(format, colour).expect("encoded"), 0, 0);
            assert_eq!(surface.load_texel(0, 1, 32, 8, 0), Some(expected));
            assert_eq!(surface.load_texel(0, 0, 32, 8, 0).map(|t| t[0]), Some(0));
        }
    }
    let memory = Arc::new(Memory::from_bytes(&[0; 8]));
    let yuyv = Surface::new(Description::d2(Format::YCRCB_NORMAL, 4, 1), memory).expect("surface");
    assert!(yuyv.store_texel(0, 0, 3, 0, [1.0f32, 0.2, 1.0, 1.0].map(f32::to_bits)));
    assert!(yuyv.store_texel(0, 0, 0, 0, [0.0f32, 0.4, 1.0, 1.0].map(f32::to_bits)));
    assert_eq!(yuyv.memory().to_vec(), [102, 255, 0, 0, 0, 0, 51, 0]);
}
