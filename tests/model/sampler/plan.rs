//! The plan of a message gives what the definition gives.

use super::surfaces::{Noise, noisy, plain_format, request};
use proptest::prelude::*;
use visim::internals::message::{Parameter, SamplerOp, SamplerRequest, parameters};
use visim::internals::sampler::fetch::load_reference;
use visim::internals::sampler::plan::{Places, RegisterPlan};
use visim::internals::sampler::{Channels, Lanes, SamplerState};
use visim::internals::surface::{Description, Format, Kind, Surface, Tiling};

/// What no message writes.
const UNTOUCHED: u8 = 0x5a;

/// The channels of a message that has a plan, sent by two threads at once; those not asked for are 0.
/// A load has no state.
pub fn served(
    surface: &Surface,
    state: Option<&SamplerState>,
    request: &SamplerRequest,
    params: &[Lanes],
) -> Option<Channels> {
    let sent = |p: Parameter| {
        let order = parameters::order(request.op, request.params16);
        let at = order.iter().position(|q| *q == p)?;
        params.get(at).filter(|_| at < request.params as usize)
    };
    let u = sent(Parameter::U)?;
    // The coordinates, one register more, the channels, and one more again.
    let row = 4 * request.lanes as usize;
    let mut registers = vec![UNTOUCHED; 8 * row];
    let v = sent(Parameter::V);
    for (to, lanes) in registers.chunks_exact_mut(row).zip([Some(u), v]) {
        for (slot, value) in to
            .as_chunks_mut::<4>()
            .0
            .iter_mut()
            .zip(lanes.into_iter().flatten())
        {
            *slot = value.to_le_bytes();
        }
    }
    let places = Places {
        u: 0,
        v: v.map(|_| row),
        to: 3 * row,
        pitch: row,
    };
    let plan = match state {
        Some(state) => RegisterPlan::sample(surface, state, request, places),
        None => {
            // Lanes on other levels have no plan in common.
            let levels =
                sent(Parameter::Lod).map_or(&[0][..], |lanes| &lanes[..request.lanes as usize]);
            let level = levels
                .iter()
                .all(|level| *level == levels[0])
                .then_some(levels[0])?;
            RegisterPlan::load(surface, request, level, places)
        }
    }?;
    let before = registers.clone();
    let mut same = registers.clone();
    plan.serve(surface.memory(), &mut [&mut registers, &mut same]);
    assert_eq!(registers, same);
    let mut some = [before.clone(), before.clone()];
    let masks = [0x9c70_5a3c, 0x00e1];
    let [first, second] = &mut some;
    plan.serve_some(surface.memory(), &mut [first, second], &masks);
    for (some, mask) in some.iter().zip(masks) {
        let dwords = |bytes: &[u8]| bytes.as_chunks::<4>().0.to_vec();
        let all = dwords(&registers).into_iter().zip(dwords(&before));
        for (i, (own, (served, kept))) in dwords(some).into_iter().zip(all).enumerate() {
            let on = mask >> (i % request.lanes as usize) & 1 == 1;
            assert_eq!(own, if on { served } else { kept });
        }
    }
    let behind = (3 + request.returned_channels() as usize) * row;
    assert_eq!(
        (&registers[..3 * row], &registers[behind..]),
        (&before[..3 * row], &before[behind..])
    );
    let mut channels = [[0; 32]; 4];
    let asked = (0..4).filter(|c| request.channels.0 >> c & 1 == 1);
    for (c, row) in asked.zip(registers[3 * row..].chunks_exact(row)) {
        for (value, slot) in channels[c].iter_mut().zip(row.as_chunks::<4>().0) {
            *value = u32::from_le_bytes(*slot);
        }
    }
    Some(channels)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn loads(
        (name, seed) in (plain_format(), any::<u32>()),
        (width, height, levels, first) in (1u32..70, 1u32..50, 1u32..4, 0u32..3),
        tiling in prop::sample::select(vec![Tiling::Linear, Tiling::X, Tiling::Y]),
        (kind, array) in (prop::sample::select(vec![Kind::D1, Kind::D2, Kind::Buffer]), prop::bool::weighted(0.1)),
        (channels, lanes) in (1u8..16, prop::sample::select(vec![8u32, 16, 32])),
        offsets in prop_oneof![Just([0i8; 3]), prop::array::uniform3(-8i8..8)],
        (given, beside) in (1u32..4, any::<bool>()),
        (op, level) in (prop::sample::select(vec![SamplerOp::Ld, SamplerOp::LdLz]), 0u32..4),
    ) {
        let format = Format::named(name).unwrap();
        let levels = levels.min(width.max(height).ilog2() + 1);
        let description = match kind {
            Kind::Buffer => Description::buffer(format, width),
            Kind::D1 => Description::d1(format, width),
            _ => Description {
                tiling,
                levels,
                array,
                min_lod: first.min(levels - 1),
                ..Description::d2(format, width, height)
            },
        };
        prop_assume!(Surface::zeroed(description.clone()).is_ok());
        let surface = noisy(&description, seed);
        let mut noise = Noise(seed ^ 0x5a5a);
        // Inside mostly, at times side by side.
        let mut params: Vec<Lanes> = [width, height, 3].map(|most| {
            let from = noise.below(most + 2).wrapping_sub(1);
            std::array::from_fn(|lane| match beside {
                true => from.wrapping_add(lane as u32 % most),
                false if noise.below(20) == 0 => noise.next(),
                false => noise.below(most),
            })
        }).to_vec();
        if op == SamplerOp::Ld {
            params[2] = [level; 32];
        }
        params.truncate(given as usize);
        let request = SamplerRequest {
            offsets,
            params: params.len() as u32,
            ..request(op, channels, lanes)
        };
        let got = served(&surface, None, &request, &params);
        let d = surface.description();
        let leveled = op == SamplerOp::Ld && given == 3;
        let there = !leveled || level < d.levels;
        prop_assert_eq!(got.is_some(), !d.array && there);
        let Some(got) = got else { return Ok(()) };
        let mut wanted = [[0; 32]; 4];
        load_reference(&surface, &request, &params, u32::MAX, &mut wanted).unwrap();
        prop_assert_eq!(got, wanted);
    }
}

/// Long messages are served in halves: one whose answer covers coordinates that the second half has yet to read has
/// no plan.
#[test]
fn an_answer_over_coordinates_of_the_other_half_has_no_plan() {
    let surface = noisy(&Description::d2(Format::R8_UNORM, 64, 32), 1);
    let request = SamplerRequest {
        params: 2,
        ..request(SamplerOp::LdLz, 1, 32)
    };
    let plan = |to: usize| {
        let places = Places {
            u: 256,
            v: Some(512),
            to,
            pitch: 128,
        };
        RegisterPlan::load(&surface, &request, 0, places).is_some()
    };
    if visim::internals::math::simd::wide().is_none() {
        return;
    }
    let wanted = [
        (0, true),
        (256, true),
        (512, true),
        (320, false),
        (576, false),
        (192, true),
    ];
    for (to, has) in wanted {
        assert_eq!(plan(to), has, "{to}");
    }
}
