//! Sampler states from their packed structure, and back.

use visim::internals::sampler::packed::Beside;
use visim::internals::sampler::settings::{
    Address, Border, ChromaKey, Filter, KeyMode, MipFilter, SamplerState, Shadow,
};
use visim::internals::surface::Generation;
#[test]
fn states_come_back_from_their_words() {
    let plain = SamplerState::default();
    let full = SamplerState {
        mip: MipFilter::Linear,
        address: [Address::Wrap, Address::Border, Address::Mirror],
        lod_bias: -0x340,
        min_lod: 0x180,
        max_lod: 0x5c0,
        preclamp: true,
        max_anisotropy: 6,
        shadow: Shadow::Gequal,
        key: Some(ChromaKey {
            mode: KeyMode::Black,
            low: 0x1020_3040,
            high: 0x5060_7080,
        }),
        cube_override: true,
        ..plain.filtered(Filter::Anisotropic, Filter::Linear)
    };
    for generation in [Generation::Gen4, Generation::Gen9] {
        for state in [plain, full] {
            let packed = state.pack(generation).unwrap();
            assert_eq!(packed.unpack(generation), Ok(state), "{generation:?}");
        }
    }
    let gen5 = SamplerState {
        border: Border::Encodings([7; 12]),
        base_level: 0x180,
        ..full
    };
    assert_eq!(
        gen5.pack(Generation::Gen5)
            .unwrap()
            .unpack(Generation::Gen5),
        Ok(gen5)
    );
    assert!(gen5.pack(Generation::Gen9).is_err());
    let texels = SamplerState {
        unnormalized: true,
        ..plain
    };
    assert!(texels.pack(Generation::Gen9).is_ok());
    let reserved = SamplerState::unpack(Generation::Gen9, [3 << 14, 0, 0, 0], &Beside::default());
    assert_eq!(reserved, Err("Min Mode Filter 3 is reserved".to_string()));
}
