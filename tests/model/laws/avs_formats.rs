//! The media scaler in every format: flat areas stay flat, and the identity changes nothing.

use crate::sampler::avs::plain;
use pretty_assertions::assert_eq;
use visim::internals::isa::{AvsControl, AvsMode, ChannelMask};
use visim::internals::message::AvsRequest;
use visim::internals::sampler::avs::ief::{IefFilter, IefState};
use visim::internals::sampler::avs::plan::Kernels;
use visim::internals::sampler::avs::state::AvsSampler;
use visim::internals::sampler::avs::view::{self, FORMATS, Grid, MediaView};
use visim::internals::sampler::avs::{packed_bytes, run_view};
use visim::internals::surface::{Format, Memory};

/// Columns and rows of the pictures: even, as 4:2:0 needs, and no multiples of a block.
const SIZE: (u32, u32) = (22, 14);

/// Bytes from row to row, enough for texels of eight bytes.
const PITCH: u32 = 8 * 22;

/// The formats that the scaler reads, each with a picture of these bytes.
fn pictures(byte: impl Fn(usize) -> u8) -> Vec<(Memory, Format)> {
    let bytes: Vec<u8> = (0..PITCH as usize * 3 * SIZE.1 as usize)
        .map(byte)
        .collect();
    FORMATS
        .iter()
        .filter(|format| format.grid != Grid::Planar411)
        .map(|format| (Memory::from_bytes(&bytes), format.format))
        .collect()
}

/// A block at the middle of the picture, `scale` output pixels for each texel.
fn request(scale: f32, first: (u32, u32)) -> AvsRequest {
    AvsRequest {
        u: first.0 as f32 / SIZE.0 as f32,
        v: first.1 as f32 / SIZE.1 as f32,
        delta_u: 1.0 / (scale * SIZE.0 as f32),
        delta_v: 1.0 / (scale * SIZE.1 as f32),
        ief_bypass: false,
        ..AvsRequest::ORIGIN
    }
}

fn words(
    view: &MediaView,
    sampler: &AvsSampler,
    request: &AvsRequest,
    kernels: Kernels,
) -> Vec<u16> {
    let mut dst = vec![0; packed_bytes(request, sampler.output_shuffle)];
    run_view(view, sampler, request, kernels, &mut dst).unwrap();
    let (words, _) = dst.as_chunks();
    words.iter().map(|&w| u16::from_le_bytes(w)).collect()
}

/// States of all kinds: tables, tap modes, weights, enhancement filters.
fn samplers() -> Vec<AvsSampler> {
    let mut samplers = Vec::new();
    for table in [
        "identity",
        "bilinear",
        "polyphase 0.5",
        "polyphase 1.5",
        "lanczos 0.7",
        "lanczos 2",
    ] {
        // Four taps of a table of eight, which tap mode 0 takes for luma, need not sum to one.
        let least = if table.contains(' ') { 1 } else { 0 };
        for tap_mode in least..4 {
            for (bypass, sharpness) in [(true, 255), (true, 100), (false, 255)] {
                let name = |key: &str| (key.to_string(), serde_json::json!(table));
                let mut fields: serde_json::Map<_, _> =
                    ["table0x", "table0y", "table1x", "table1y"]
                        .map(name)
                        .into_iter()
                        .collect();
                fields.insert("tap_mode".into(), serde_json::json!(tap_mode));
                fields.insert("default_sharpness".into(), serde_json::json!(sharpness));
                fields.insert("bypass_x".into(), serde_json::json!(bypass));
                fields.insert("bypass_y".into(), serde_json::json!(bypass));
                fields.insert("adaptive_all_channels".into(), serde_json::json!(true));
                samplers.push(serde_json::from_value(fields.into()).unwrap());
            }
        }
    }
    let filters = [
        IefFilter::Combination,
        IefFilter::Detail3x3,
        IefFilter::Detail5x5,
        IefFilter::Smooth3x3,
    ];
    samplers.extend(filters.map(|filter| AvsSampler {
        ief_enable: true,
        ief: IefState {
            filter,
            ..IefState::default()
        },
        ..AvsSampler::default()
    }));
    samplers
}

#[test]
fn flat_areas_stay_flat_in_every_format() {
    for (memory, format) in pictures(|_| 77) {
        let view = plain(&memory, format, SIZE, PITCH);
        // Each channel is what one texel says, whatever the depth: 77 in bytes, other codes in 10 bits.
        let texel = |channel| match view.place(channel) {
            Some((plane, component)) => view.texel(plane, 0, 0)[component],
            None => MediaView::missing(channel),
        };
        for (number, sampler) in samplers().iter().enumerate() {
            for (scale, first) in [(0.5, (0, 0)), (1.0, (3, 3)), (1.7, (5, 2))] {
                let block = words(&view, sampler, &request(scale, first), Kernels::Fast);
                for (channel, samples) in block.chunks(64).enumerate() {
                    // Sharpened luma has ten bits.
                    let mask = if sampler.ief_enable && channel == view::G {
                        !0x3f
                    } else {
                        !0
                    };
                    let expected = vec![texel(channel) & mask; 64];
                    assert_eq!(
                        samples, expected,
                        "{format} state {number} channel {channel}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_identity_at_scale_one_changes_nothing_in_any_format() {
    let identity = serde_json::json!({
        "table0x": "identity", "table0y": "identity", "table1x": "identity", "table1y": "identity",
    });
    let adaptive: AvsSampler = serde_json::from_value(identity).unwrap();
    for (memory, format) in pictures(|i| (i * 151 % 253 + i / 97) as u8) {
        let view = plain(&memory, format, SIZE, PITCH);
        for first in [(0, 0), (2, 4), (6, 10)] {
            let request = request(1.0, first);
            let fast = words(&view, &adaptive, &request, Kernels::Fast);
            assert_eq!(
                words(&view, &adaptive, &request, Kernels::Reference),
                fast,
                "{format}"
            );
            for (at, &found) in fast.iter().enumerate() {
                let (channel, x, y) = (at / 64, at % 16, at % 64 / 16);
                let expected = match view.place(channel) {
                    Some((plane, component)) => {
                        // Chroma is shown for both of its columns, or rows.
                        let halved = |at: usize, by: usize| at as i32 / by as i32;
                        let across = if plane.subsampled { 2 } else { 1 };
                        let down = if plane.subsampled && view.format.grid == Grid::Planar420 {
                            2
                        } else {
                            1
                        };
                        let column = halved(x + first.0 as usize, across).min(plane.size.0 - 1);
                        let row = halved(y + first.1 as usize, down).min(plane.size.1 - 1);
                        view.texel(plane, column, row)[component].min(view.ceiling())
                    }
                    None => MediaView::missing(channel),
                };
                assert_eq!(
                    found, expected,
                    "{format} channel {channel} at ({x}, {y}) of {first:?}"
                );
            }
        }
    }
}

#[test]
fn surfaces_of_one_texel_and_of_one_column_repeat_it() {
    for (memory, format) in pictures(|i| (i * 89 % 241) as u8) {
        for size in [(1, 1), (1, 9), (9, 1), (2, 2), (3, 5)] {
            let view = plain(&memory, format, size, PITCH);
            for (u, delta) in [
                (0.0, 0.0),
                (-5.0, 0.3),
                (0.7, -9.0),
                (f32::NAN, 1.0),
                (1.0, f32::INFINITY),
            ] {
                let request = AvsRequest {
                    u,
                    v: u,
                    delta_u: delta,
                    delta_v: delta,
                    mode: AvsMode::M16x8,
                    control: AvsControl::DownSample8,
                    channels: ChannelMask::RGBA,
                    ..AvsRequest::ORIGIN
                };
                let block = |kernels| {
                    let mut dst = vec![0; packed_bytes(&request, false)];
                    run_view(&view, &AvsSampler::default(), &request, kernels, &mut dst).unwrap();
                    dst
                };
                let fast = block(Kernels::Fast);
                assert_eq!(fast, block(Kernels::Reference), "{format} {size:?}");
                if size == (1, 1) {
                    // R, G, B and A of the upper four rows: one code each.
                    for part in [0..32, 32..96, 96..128, 128..192] {
                        let part = &fast[part];
                        assert!(
                            part.iter().all(|&code| code == part[0]),
                            "{format} {u} {delta}"
                        );
                    }
                }
            }
        }
    }
}
