//! Messages of the 3D sampler as raw sends, with descriptors put together by hand.

use super::{as_dwords, program, program_for, run_with, singles};
use std::sync::Arc;
use visim::internals::isa::Platform;
use visim::internals::launch::{Bindings, Sampler};
use visim::internals::sampler::settings::{ChromaKey, KeyMode, SamplerState};
use visim::internals::surface::{Description, Format, Generation, Memory, Surface};

const MORE: &str = ".decl H v_type=G type=f num_elts=64 align=GRF
.decl D v_type=G type=ud num_elts=64 align=GRF
";

/// A 4×4 surface at 6 whose texel (x, y) has R = 4x + 16y and G, B, A one more each, and a state at 0.
fn bound(format: &str, state: SamplerState) -> Bindings {
    let bytes: Vec<u8> = (0..64).collect();
    let description = Description {
        generation: Generation::Gen5,
        ..Description::d2(Format::named(format).unwrap(), 4, 4)
    };
    let surface = Surface::new(description, Arc::new(Memory::from_bytes(&bytes))).unwrap();
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::new(surface));
    bindings
        .samplers
        .insert(0, Sampler::Texture(Arc::new(state)));
    bindings
}

/// What eight bits read as.
fn unorm(code: u32) -> u32 {
    (code as f32 / 255.0).to_bits()
}

/// Source: lowering reference 3.1, 3.3.
#[test]
fn a_raw_sample_is_served_like_its_instruction() {
    // Two registers of parameters, four back; SIMD8, sample_lz, sampler 0, binding 6.
    let desc: u32 = 2 << 25 | 4 << 20 | 1 << 17 | 24 << 12 | 6;
    let program = program(&format!(
        "{MORE}raw_send (M1, 8) 0x2 2 4 0x{desc:x}:ud H.0 D.0\n"
    ));
    let mut bindings = bound("R8G8B8A8_UNORM", SamplerState::default());
    let u = [0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 2.0];
    let v = [0.125, 0.125, 0.125, 0.125, 0.375, 0.375, 0.875, 2.0];
    bindings
        .variables
        .insert("H".into(), singles(u.into_iter().chain(v)));
    let outcome = run_with(&program, &bindings).expect("runs");
    let d = as_dwords(outcome.threads[0].bytes(&program, "D").unwrap());
    assert_eq!(d[..8], [0, 4, 8, 12, 16, 20, 56, 60].map(unorm));
    assert_eq!(d[24..32], [3, 7, 11, 15, 19, 23, 59, 63].map(unorm));
}

/// Two samples side by side: u v r ai of each, then lod of each. Source: PRM 4.11.1.8, 4.11.2.3.
#[test]
fn two_samples_share_a_register_on_ironlake() {
    // Two registers, one back; SIMD4x2, sample_l, sampler 0, binding 6.
    let desc: u32 = 2 << 25 | 1 << 20 | 2 << 12 | 6;
    let text = format!("{MORE}raw_send (M1, 8) 0x2 2 1 0x{desc:x}:ud H.0 D.0\n");
    let program = program_for(Platform::Ilk, &text);
    let mut bindings = bound("R8G8B8A8_UNORM", SamplerState::default());
    let first = [0.375, 0.625, 0.0, 0.0, 0.875, 0.125, 0.0, 0.0];
    let lods = [0.0; 8];
    bindings
        .variables
        .insert("H".into(), singles(first.into_iter().chain(lods)));
    let outcome = run_with(&program, &bindings).expect("runs");
    let d = as_dwords(outcome.threads[0].bytes(&program, "D").unwrap());
    // Texels (1, 2) and (3, 0).
    assert_eq!(d[..8], [36, 37, 38, 39, 12, 13, 14, 15].map(unorm));
    assert_eq!(d[8], 0);
}

/// Masked channels keep their places on Gen5, and the kill mask lies after all four. Source: PRM 4.11.2.2.
#[test]
fn killed_pixels_are_clear_in_the_mask() {
    // Header and three registers of parameters, five back; SIMD8, sample+killpix, sampler 0, binding 6.
    let desc: u32 = 4 << 25 | 5 << 20 | 1 << 19 | 1 << 16 | 12 << 12 | 6;
    let text = format!(
        "{MORE}.decl HD v_type=G type=ud num_elts=64 align=GRF alias=<H,0>
mov (M1, 1) HD(0,2)<1> 0x9000:ud
raw_send (M1, 8) 0x2 4 5 0x{desc:x}:ud H.0 D.0\n"
    );
    let program = program_for(Platform::Ilk, &text);
    let state = SamplerState {
        key: Some(ChromaKey {
            mode: KeyMode::Kill,
            // Green 20 to 40; the other channels anything.
            low: 0x0000_1400,
            high: 0xffff_28ff,
        }),
        ..SamplerState::default()
    };
    let mut bindings = bound("B8G8R8A8_UNORM", state);
    // B = 4x + 16y, G one more: 1, 5, 9, 13, 17, 21, 25, 29 for the first eight texels.
    let u = [0.125, 0.375, 0.625, 0.875, 0.125, 0.375, 0.625, 0.875];
    let v = [0.125, 0.125, 0.125, 0.125, 0.375, 0.375, 0.375, 0.375];
    let all = [0.0; 8].into_iter().chain(u).chain(v).chain([0.0; 8]);
    bindings.variables.insert("H".into(), singles(all));
    let outcome = run_with(&program, &bindings).expect("runs");
    let d = as_dwords(outcome.threads[0].bytes(&program, "D").unwrap());
    // Red and alpha are disabled: green in register 1, blue in 2, nothing in 0 and 3.
    assert_eq!(d[..8], [0; 8]);
    assert_eq!(d[8..16], [1, 5, 9, 13, 17, 21, 25, 29].map(unorm));
    assert_eq!(d[16..24], [0, 4, 8, 12, 16, 20, 24, 28].map(unorm));
    assert_eq!(d[24..32], [0; 8]);
    assert_eq!(d[32], 0xffff_ff1f);
}

#[test]
fn a_state_of_another_kind_is_refused_by_name() {
    let text = ".decl H v_type=G type=f num_elts=64 align=GRF
.decl D v_type=G type=f num_elts=64 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
sample_lz.R (M1, 8)  0x0:uw S0 T6 D.0 H.0 H.0
";
    let program = program(text);
    let mut bindings = bound("R8G8B8A8_UNORM", SamplerState::default());
    bindings.samplers.clear();
    let trap = run_with(&program, &bindings).expect_err("no state");
    assert_eq!(trap.diagnostic.code.to_string(), "E0604");
    let wanted = "no sampler state for a 3D sampler message is bound at index 0";
    assert_eq!(trap.diagnostic.message, wanted);
}
