//! What the vectors do not show: borders by format, keys, faces, reductions, bindings that are refused.

use super::surfaces;
use pretty_assertions::assert_eq;
use std::sync::Arc;
use visim::internals::diagnostic::Class;
use visim::internals::message::{SamplerOp, SamplerRequest};
use visim::internals::sampler::sample::{border, sample};
use visim::internals::sampler::settings::{
    Address, Border, ChromaKey, Filter, KeyMode, MipFilter, Reduction, SamplerState, Shadow,
};
use visim::internals::surface::{
    Description, Format, Generation, LineStride, Memory, Pattern, Refused, Sampled, Select,
    Surface, TexelPosition,
};

fn format(name: &str) -> Format {
    Format::named(name).unwrap()
}

fn surface(description: Description, bytes: &[u8]) -> Surface {
    let mut all = vec![0; 1 << 12];
    all[..bytes.len()].copy_from_slice(bytes);
    Surface::new(description, Arc::new(Memory::from_bytes(&all))).unwrap()
}

/// What one lane gets, as floats.
fn one(
    surface: &Surface,
    state: &SamplerState,
    op: SamplerOp,
    params: &[f32],
) -> Result<[f32; 4], Refused> {
    let channels = if op.is_gather() { 1 } else { 15 };
    let request = SamplerRequest {
        params: params.len() as u32,
        ..surfaces::request(op, channels, 8)
    };
    let params: Vec<_> = params.iter().map(|p| [p.to_bits(); 32]).collect();
    let mut out = [[0; 32]; 4];
    sample(surface, state, &request, &params, 1, &mut out)?;
    Ok(out.map(|channel| f32::from_bits(channel[0])))
}

fn linear() -> SamplerState {
    SamplerState::default().filtered(Filter::Linear, Filter::Linear)
}

#[test]
fn the_border_has_six_encodings_on_gen5() {
    let mut words = [0; 12];
    words[0] = 0x40ff_8000;
    words[2..6].copy_from_slice(&[1.5f32, 2.5, 3.5, 4.5].map(f32::to_bits));
    (words[6], words[7]) = (0x4000_3c00, 0x4400_4200);
    (words[8], words[9]) = (0x8000_ffff, 0x0000_4000);
    (words[10], words[11]) = (0x8001_7fff, 0x4000_0000);
    words[1] = 0x7f81_807f;
    let border = Border::Encodings(words);
    let seen = |name: &str| border::colour(&border, format(name)).map(f32::from_bits);
    assert_eq!(
        seen("R8G8B8A8_UNORM"),
        [0.0, 128.0 / 255.0, 1.0, 64.0 / 255.0]
    );
    assert_eq!(seen("R32G32B32A32_FLOAT"), [1.5, 2.5, 3.5, 4.5]);
    assert_eq!(seen("R16G16B16A16_FLOAT"), [1.0, 2.0, 3.0, 4.0]);
    let unorm = |v: f32| v / 65535.0;
    let wanted = [1.0, unorm(32768.0), unorm(16384.0), 0.0];
    assert_eq!(seen("R16G16B16A16_UNORM"), wanted);
    assert_eq!(seen("R16G16B16A16_SNORM")[..2], [1.0, -1.0]);
    assert_eq!(seen("R8G8B8A8_SNORM"), [1.0, -1.0, -1.0, 1.0]);
    // Missing channels keep their defaults; L takes red, A alpha, I red.
    assert_eq!(seen("R32_FLOAT"), [1.5, 0.0, 0.0, 1.0]);
    assert_eq!(seen("L32_FLOAT"), [1.5, 1.5, 1.5, 1.0]);
    assert_eq!(seen("A32_FLOAT"), [0.0, 0.0, 0.0, 4.5]);
    assert_eq!(seen("I32_FLOAT"), [1.5; 4]);
    assert_eq!(
        border::colour(&border, format("R8G8B8A8_UINT")),
        [0, 0, 0, 0]
    );
}

#[test]
fn keyed_texels_turn_black_before_they_are_filtered() {
    let red = surface(
        Description::d2(format("B8G8R8A8_UNORM"), 2, 1),
        &[0, 0, 255, 255, 0, 255, 0, 255],
    );
    let keyed = |mode, low, high| SamplerState {
        key: Some(ChromaKey { mode, low, high }),
        ..linear()
    };
    // Half way between red and green; green is keyed.
    let green = keyed(KeyMode::Black, 0x0000_ff00, 0xff00_ff00);
    let got = one(&red, &green, SamplerOp::SampleLz, &[0.5, 0.5]).unwrap();
    assert_eq!(got, [0.5, 0.0, 0.0, 0.5]);
    // Bounds that miss it by one.
    let missed = keyed(KeyMode::Black, 0x0001_ff00, 0xff01_ff00);
    let got = one(&red, &missed, SamplerOp::SampleLz, &[0.5, 0.5]).unwrap();
    assert_eq!(got, [0.5, 0.5, 0.0, 1.0]);
    // A format without a key, bounds in the wrong order, bounds of a channel that is not there.
    let other = surface(
        Description::d2(format("R8G8B8A8_UNORM"), 1, 1),
        &[0, 255, 0, 255],
    );
    let reversed = keyed(KeyMode::Black, 0x0002_ff00, 0xff01_ff00);
    let opaque = surface(Description::d2(format("B5G6R5_UNORM"), 1, 1), &[0, 0]);
    let narrow = keyed(KeyMode::Black, 0x0100_0000, 0xffff_ffff);
    for (map, state, why) in [
        (&other, green, "none of its formats"),
        (&red, reversed, "high below low"),
        (&opaque, narrow, "has no such channel"),
    ] {
        let refused = one(map, &state, SamplerOp::SampleLz, &[0.5, 0.5]).unwrap_err();
        assert!(refused.what.contains(why), "{}", refused.what);
        assert_eq!(refused.class, Class::Undefined);
    }
}

#[test]
fn least_and_greatest_count_texels_of_some_weight() {
    let ramp: Vec<u8> = [1.0f32, 2.0, 4.0, 8.0]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let ramp = surface(Description::d2(format("R32_FLOAT"), 4, 1), &ramp);
    let reduced = |reduction, u| {
        let state = SamplerState {
            reduction,
            ..linear()
        };
        one(&ramp, &state, SamplerOp::SampleLz, &[u, 0.5]).unwrap()[0]
    };
    // Between texels 1 and 2; on texel 1 the next one has no weight.
    assert_eq!(reduced(Reduction::Minimum, 0.5), 2.0);
    assert_eq!(reduced(Reduction::Maximum, 0.5), 4.0);
    assert_eq!(reduced(Reduction::Maximum, 0.375), 2.0);
}

#[test]
fn weights_of_zero_keep_infinities_out() {
    let bytes: Vec<u8> = [3.0f32, f32::INFINITY]
        .iter()
        .flat_map(|v| v.to_le_bytes())
        .collect();
    let two = surface(Description::d2(format("R32_FLOAT"), 2, 1), &bytes);
    let at = |u| one(&two, &linear(), SamplerOp::SampleLz, &[u, 0.5]).unwrap()[0];
    assert_eq!((at(0.25), at(0.5)), (3.0, f32::INFINITY));
}

#[test]
fn disabled_states_and_null_surfaces_read_zero_and_alpha_too() {
    let white = surface(Description::d2(format("R8G8B8A8_UNORM"), 1, 1), &[255; 4]);
    let off = SamplerState {
        disable: true,
        ..linear()
    };
    let lz = SamplerOp::SampleLz;
    assert_eq!(one(&white, &off, lz, &[0.5, 0.5]).unwrap(), [0.0; 4]);
    assert_eq!(
        one(&Surface::null(), &linear(), lz, &[0.5]).unwrap(),
        [0.0; 4]
    );
}

#[test]
fn disabled_faces_and_selected_channels() {
    let sampled = Sampled {
        cube_faces: 0x3e,
        select: [Select::Alpha, Select::One, Select::Zero, Select::Red],
        ..Sampled::default()
    };
    let cube = surface(
        Description {
            sampled,
            ..Description::cube(format("R8G8B8A8_UNORM"), 1)
        },
        &[255; 64],
    );
    let state = SamplerState {
        border: Border::Channels([0.25f32, 0.5, 0.75, 1.0].map(f32::to_bits)),
        ..SamplerState::default()
    };
    let at = |x: f32| one(&cube, &state, SamplerOp::SampleLz, &[x, 0.0, 0.0]).unwrap();
    // +X is disabled: border alpha, one, zero, border red.
    assert_eq!(at(1.0), [1.0, 1.0, 0.0, 0.25]);
    assert_eq!(at(-1.0), [1.0, 1.0, 0.0, 1.0]);
}

#[test]
fn volumes_blend_eight_texels() {
    let values: Vec<u8> = (0..8).flat_map(|v| (v as f32).to_le_bytes()).collect();
    let description = Description {
        generation: Generation::Gen9,
        ..Description::d3(format("R32_FLOAT"), 2, 2, 2)
    };
    let volume = Surface::zeroed(description).unwrap();
    for (n, value) in values.chunks(4).enumerate() {
        let n = n as u32;
        volume.write_cell(
            volume.place(TexelPosition {
                level: 0,
                slice: n / 4,
                x: n % 2,
                y: n / 2 % 2,
                sample: 0,
            }),
            value,
        );
    }
    let got = one(&volume, &linear(), SamplerOp::SampleLz, &[0.5, 0.5, 0.5]).unwrap();
    assert_eq!(got[0], 3.5);
    let got = one(&volume, &linear(), SamplerOp::SampleLz, &[0.25, 0.75, 0.75]).unwrap();
    assert_eq!(got[0], 6.0);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let refused = |surface: &Surface, state: &SamplerState, op| {
        let why = one(surface, state, op, &[0.5; 3]).unwrap_err();
        (why.class, why.what)
    };
    let buffer = surface(Description::buffer(format("R8_UNORM"), 4), &[]);
    let (class, what) = refused(&buffer, &linear(), SamplerOp::SampleLz);
    assert!(
        class == Class::Error && what.starts_with("a sample from a buffer"),
        "{what}"
    );
    let plain = surface(Description::d2(format("R8G8B8A8_UNORM"), 2, 2), &[]);
    let mono = SamplerState::default().filtered(Filter::Mono, Filter::Mono);
    let (class, what) = refused(&plain, &mono, SamplerOp::SampleLz);
    assert!(
        class == Class::Error && what.starts_with("the monochrome filter on"),
        "{what}"
    );
    let shadow = SamplerState {
        shadow: Shadow::Less,
        ..linear()
    };
    let (class, what) = refused(&plain, &shadow, SamplerOp::SampleCLz);
    assert!(
        class == Class::Undefined && what.starts_with("shadow comparison with"),
        "{what}"
    );
    let volume = surface(Description::d3(format("R8_UNORM"), 2, 2, 2), &[]);
    let (_, what) = refused(&volume, &linear(), SamplerOp::Gather4);
    assert_eq!(what, "gather4 from a 3D surface");
    let samples = Description {
        samples: 4,
        ..Description::d2(format("R8_UNORM"), 2, 2)
    };
    let (_, what) = refused(&surface(samples, &[]), &linear(), SamplerOp::SampleLz);
    assert!(
        what.starts_with("a sample from a multisampled surface"),
        "{what}"
    );
    let field = Description {
        line_stride: LineStride::BottomField,
        ..Description::d2(format("R8_UNORM"), 2, 2)
    };
    let field = surface(field, &[]);
    let wraps = SamplerState {
        address: [Address::Clamp, Address::Wrap, Address::Clamp],
        ..linear()
    };
    let mips = SamplerState {
        mip: MipFilter::Nearest,
        ..linear()
    };
    for state in [wraps, mips] {
        let (class, what) = refused(&field, &state, SamplerOp::SampleLz);
        let named = what.starts_with("a sample from every second line");
        assert!(class == Class::Error && named, "{what}");
    }
    assert!(one(&field, &linear(), SamplerOp::SampleLz, &[0.5; 3]).is_ok());
}

#[test]
fn states_that_do_not_go_together_are_refused() {
    let read = |text: &str| serde_json::from_str::<SamplerState>(text).map_err(|e| e.to_string());
    let state =
        read(r#"{"filter": "linear", "address_v": "mirror", "border": "0/0.5/1/0x3f800000"}"#);
    let state = state.unwrap();
    assert_eq!(
        state.address,
        [Address::Clamp, Address::Mirror, Address::Clamp]
    );
    assert_eq!((state.min, state.round_mag), (Filter::Linear, [true; 3]));
    assert_eq!(
        state.border,
        Border::Channels([0.0f32, 0.5, 1.0, 1.0].map(f32::to_bits))
    );
    for (text, wanted) in [
        (
            r#"{"normalized": false, "address": "wrap"}"#,
            "coordinates in texels need address mode",
        ),
        (
            r#"{"normalized": false, "mip": "linear"}"#,
            "coordinates in texels need mip filter none",
        ),
        (
            r#"{"filter": "mono", "mono_width": 8}"#,
            "the monochrome filter is 1 to 7 texels",
        ),
        (r#"{"max_anisotropy": 3}"#, "the anisotropy ratio is 2, 4"),
        (
            r#"{"max_lod": 15}"#,
            "minimum and maximum LOD lie between 0 and 14",
        ),
        (r#"{"lod_bias": 16}"#, "the LOD bias is at least -16"),
        (r#"{"border": "1/2/3"}"#, "a border colour is four numbers"),
        (r#"{"filter": "cubic"}"#, "unknown variant `cubic`"),
        (r#"{"filtre": "linear"}"#, "unknown field `filtre`"),
    ] {
        let why = read(text).unwrap_err();
        assert!(why.contains(wanted), "{text}: {why}");
    }
}

#[test]
fn offsets_travel_beside_a_level() {
    let texels: Vec<u8> = (0..16).flat_map(|v| (v as f32).to_le_bytes()).collect();
    let map = surface(Description::d2(format("R32_FLOAT"), 4, 4), &texels);
    // U one to the right, V one up: 1 in bits 3:0, -1 in bits 7:4, below the float.
    let packed = |level: f32| f32::from_bits(level.to_bits() & !0xfff | 0x0f1);
    let state = SamplerState::default();
    let at = |op, params: &[f32]| one(&map, &state, op, params).unwrap()[0];
    // Texel (1, 2) moves to (2, 1) = 6.
    assert_eq!(
        at(SamplerOp::SamplePo, &[0.375, 0.625, 0.0, packed(0.0)]),
        6.0
    );
    assert_eq!(at(SamplerOp::SamplePoL, &[packed(3.0), 0.375, 0.625]), 6.0);
    assert_eq!(at(SamplerOp::SamplePoB, &[packed(-2.0), 0.375, 0.625]), 6.0);
    assert_eq!(
        at(SamplerOp::SamplePoLz, &[0.375, 0.625, 0.0, packed(0.0)]),
        6.0
    );
    // Beside an array index, which takes the low twelve bits: 1 in 15:12, -1 in 19:16, nothing in 23:20.
    let index = f32::from_bits(0x000f_1000);
    let [flat, zero] = [0.0; 2];
    let gradients = [0.375, flat, flat, 0.625, flat, flat, index];
    assert_eq!(at(SamplerOp::SamplePoD, &gradients), 6.0);
    // Six bits each below a level: two left in 5:0, one down in 11:6.
    let six = |level: f32| f32::from_bits(level.to_bits() & !0xfff | 1 << 6 | 62);
    let wanted = [8.0, 8.0, 4.0, 4.0];
    for (op, params) in [
        (SamplerOp::Gather4PoL, vec![six(0.0), 0.5, 0.25]),
        (SamplerOp::Gather4PoB, vec![six(-1.0), 0.5, 0.25]),
        (SamplerOp::Gather4PoI, vec![0.5, 0.25, zero, six(0.0)]),
    ] {
        assert_eq!(one(&map, &state, op, &params).unwrap(), wanted, "{op:?}");
    }
    // gather4_po has integers of its own, six bits each: two left, one down.
    let own = [f32::from_bits(62), f32::from_bits(1)];
    let got = one(
        &map,
        &state,
        SamplerOp::Gather4Po,
        &[0.5, 0.25, own[0], own[1]],
    )
    .unwrap();
    // The footprint (1, 0) to (2, 1) moves to (−1, 1) to (0, 2); −1 clamps to 0.
    assert_eq!(got, [8.0, 8.0, 4.0, 4.0]);
}

#[test]
fn a_least_level_raises_the_computed_one() {
    // Level n holds n; the gradients are zero, so that the computed level is the most detailed one.
    let levels = Description {
        levels: 3,
        ..Description::d2_array(format("R32_FLOAT"), 4, 4, 2)
    };
    let map = Surface::zeroed(levels).unwrap();
    Pattern::parse("float = l + 10*z")
        .unwrap()
        .fill(&map)
        .unwrap();
    let state = SamplerState {
        mip: MipFilter::Linear,
        shadow: Shadow::Never,
        ..SamplerState::default()
    };
    let at = |op, params: &[f32]| one(&map, &state, op, params).unwrap()[0];
    assert_eq!(at(SamplerOp::SampleMlod, &[0.0, 0.5, 0.5, 1.0]), 10.0);
    assert_eq!(at(SamplerOp::SampleMlod, &[1.5, 0.5, 0.5, 0.0]), 1.5);
    // A level of -3 is below what is computed with a bias of none, which is -32.
    assert_eq!(at(SamplerOp::SampleMlod, &[-3.0, 0.5, 0.5, 0.0]), 0.0);
    // Slice 1 in the low bits of offuvr_r, level 2 at least.
    let index = f32::from_bits(1);
    let params = [0.5, 0.0, 0.0, 0.5, 0.0, 0.0, index, 2.0];
    assert_eq!(at(SamplerOp::SamplePoD, &params), 12.0);
    // Compared with the least level and the slice in one register: all texels give 1 (NEVER).
    let both = f32::from_bits(1.0f32.to_bits() | 1);
    let params = [0.5, 0.5, 0.0, 0.0, 0.5, 0.0, 0.0, both];
    assert_eq!(at(SamplerOp::SampleDCMlod, &params), 1.0);
    let volume = Surface::zeroed(Description::d3(format("R32_FLOAT"), 4, 4, 4)).unwrap();
    let refused = one(&volume, &state, SamplerOp::SamplePoC, &[0.0; 4]).unwrap_err();
    assert!(
        refused.what.contains("sample_po_c from a D3"),
        "{}",
        refused.what
    );
}

#[test]
fn what_is_not_compared_is_refused() {
    let state = SamplerState {
        shadow: Shadow::Less,
        ..SamplerState::default()
    };
    let refused = |description| {
        let map = Surface::zeroed(description).unwrap();
        let reply = one(&map, &state, SamplerOp::SampleC, &[0.5; 4]);
        reply.err().map(|refused| (refused.class, refused.what))
    };
    let gen5 = |description| Description {
        generation: Generation::Gen5,
        ..description
    };
    let depth = format("R16_UNORM");
    let (class, what) = refused(Description::d3(depth, 2, 2, 2)).unwrap();
    assert_eq!(class, Class::Error);
    assert!(what.contains("3D"), "{what}");
    let array = Description::d2_array(depth, 2, 2, 2);
    assert_eq!(refused(array.clone()), None);
    assert!(refused(gen5(array)).unwrap().1.contains("array"));
    let cube = gen5(Description::cube(format("L32_FLOAT"), 2));
    let (class, what) = refused(cube).unwrap();
    assert_eq!(class, Class::Undefined);
    assert!(what.contains("a cube of L32_FLOAT"), "{what}");
    assert_eq!(refused(gen5(Description::cube(depth, 2))), None);
    assert_eq!(refused(gen5(Description::d2(depth, 2, 2))), None);
    let boxes = SamplerState {
        mono: (3, 3),
        ..SamplerState::default().filtered(Filter::Mono, Filter::Mono)
    };
    let array = Surface::zeroed(Description::d1(Format::MONO8, 32)).unwrap();
    let refused = one(&array, &boxes, SamplerOp::SampleL, &[0.0; 4]).unwrap_err();
    assert!(refused.what.contains("it is for 2D"), "{}", refused.what);
}

#[test]
fn what_the_manual_leaves_undefined_is_refused() {
    let map = surface(Description::d2(format("R8_UNORM"), 2, 1), &[0, 255]);
    let cube = SamplerState {
        address: [Address::Cube; 3],
        ..linear()
    };
    let solid = Surface::zeroed(Description::d3(format("R8_UNORM"), 2, 2, 2)).unwrap();
    let anisotropic = linear().filtered(Filter::Linear, Filter::Anisotropic);
    let bits = Surface::zeroed(Description::d2(Format::MONO8, 32, 8)).unwrap();
    let op = SamplerOp::SampleL;
    for (map, state, why) in [
        (&map, &cube, "only used for cube maps"),
        (&solid, &anisotropic, "not supported on"),
        (&bits, &linear(), "only the monochrome filter"),
    ] {
        let refused = one(map, state, op, &[0.5; 4]).unwrap_err();
        assert!(refused.what.contains(why), "{}", refused.what);
        assert_eq!(refused.class, Class::Undefined);
    }
    let biased = |bias| one(&map, &linear(), SamplerOp::SampleB, &[bias, 0.5, 0.5]);
    assert!(biased(-16.0).is_ok() && biased(15.99).is_ok());
    assert!(biased(16.0).unwrap_err().what.contains("range"));
}

#[test]
fn integers_are_not_filtered() {
    let map = surface(Description::d2(format("R8_UINT"), 2, 1), &[10, 20]);
    let at = |u| one(&map, &linear(), SamplerOp::SampleLz, &[u, 0.5]).unwrap()[0].to_bits();
    assert_eq!([0.2, 0.49, 0.51].map(at), [10, 10, 20]);
}
