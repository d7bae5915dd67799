//! Typed writes a row at a time against one texel at a time.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use visim::internals::dataport::typed::{Row, Writer};
use visim::internals::surface::{Description, Format, Surface, Tiling};

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![
        2 => any::<u32>(),
        3 => (-0.5f32..1.5).prop_map(f32::to_bits),
        1 => (0u32..512).prop_map(|n| (n as f32 / 510.0).to_bits()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_row_equals_its_texels(
        values in prop::collection::vec(number(), 128),
        name in prop::sample::select(vec![
            "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "R8_UNORM", "R8G8_UNORM", "A8_UNORM",
            "R32G32B32A32_FLOAT", "R32_FLOAT", "R32G32_UINT", "R32_SINT", "R16G16B16A16_FLOAT",
            "R8G8B8A8_UNORM_SRGB", "R8G8B8A8_UINT", "B5G6R5_UNORM", "R10G10B10A2_UNORM", "L8_UNORM",
        ]),
        (x, y, lanes) in (0u32..12, 0u32..3, prop::sample::select(vec![8usize, 16, 32])),
        (low, on, holes) in (0u32..32, 0u32..33, prop_oneof![Just(0u32), any::<u32>()]),
    ) {
        let format = Format::named(name).unwrap();
        let mask = (((1u64 << on) - 1) << low) as u32 & !holes;
        let u = register(|i| x + i);
        let v = register(|_| y);
        let channels: [Vec<u8>; 4] =
            std::array::from_fn(|c| register(|i| values[32 * c + i as usize]));
        let row = Row {
            mask,
            lanes,
            coordinates: [&u, &v, &[], &[]],
            channels: channels.each_ref().map(|c| &c[..]),
        };
        let surface = || {
            let surface = Surface::zeroed(Description::d2(format, 40, 3)).unwrap();
            surface.memory().write(0, &[0x5a; 64]);
            surface
        };
        let (whole, each) = (surface(), surface());
        if Writer::new(&whole).is_some_and(|w| w.write(&whole, &row)) {
            for lane in (0..lanes).filter(|l| mask >> l & 1 == 1) {
                let rgba = row.channels.map(|c| dword(c, lane));
                prop_assert!(each.store_texel(0, 0, x + lane as u32, y, rgba));
            }
        }
        prop_assert_eq!(whole.memory().to_vec(), each.memory().to_vec());
    }
}

/// The dword of a lane.
fn dword(register: &[u8], lane: usize) -> u32 {
    let (dwords, _) = register.as_chunks::<4>();
    dwords.get(lane).map_or(0, |d| u32::from_le_bytes(*d))
}

/// A dword for each of 32 lanes.
fn register(value: impl Fn(u32) -> u32) -> Vec<u8> {
    (0..32).flat_map(|i| value(i).to_le_bytes()).collect()
}

#[test]
fn rows_that_leave_the_image_are_left_to_others() {
    let surface = Surface::zeroed(Description::d2(Format::R8_UNORM, 16, 2)).unwrap();
    let writer = Writer::new(&surface).unwrap();
    let red = register(|_| 0x3f80_0000);
    let write = |x: u32, y: u32, mask: u32| {
        let (u, v) = (register(|i| x.wrapping_add(i)), register(|_| y));
        let row = Row {
            mask,
            lanes: 16,
            coordinates: [&u, &v, &[], &[]],
            channels: [&red, &[], &[], &[]],
        };
        writer.write(&surface, &row)
    };
    assert!(!write(1, 0, 0xffff));
    assert!(!write(0, 2, 0xffff));
    assert!(!write(1, 0, 0xff0f));
    assert!(!write(u32::MAX - 3, 0, 0xff));
    assert!(surface.memory().to_vec().iter().all(|&b| b == 0));
    assert!(write(1, 1, 0x7ff8));
    let written = surface
        .memory()
        .to_vec()
        .iter()
        .filter(|&&b| b == 255)
        .count();
    assert_eq!(written, 12);
    assert!(write(0, 0, 0xff0f));
    assert_eq!(surface.memory().to_vec()[3..9], [255, 0, 0, 0, 0, 255]);
    let tiled = Description {
        tiling: Tiling::Y,
        ..Description::d2(Format::R8_UNORM, 16, 2)
    };
    assert!(Writer::new(&Surface::zeroed(tiled).unwrap()).is_none());
}
