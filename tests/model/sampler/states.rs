//! Whatever the state: a message gives with kernels what it gives without.

use super::plan::served;
use super::surfaces::{Noise, described, noisy, request};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use visim::internals::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest, parameters};
use visim::internals::sampler::Lanes;
use visim::internals::sampler::sample::{Unwatched, reference, sample};
use visim::internals::sampler::settings::{
    Address, Border, ChromaKey, Filter, KeyMode, MipFilter, Reduction, SamplerState, Shadow,
};
use visim::internals::surface::float::f32_to_half_nearest;
use visim::internals::surface::{Description, Kind};

fn filter() -> impl Strategy<Value = Filter> {
    prop_oneof![
        4 => Just(Filter::Nearest),
        4 => Just(Filter::Linear),
        1 => Just(Filter::Anisotropic),
        1 => Just(Filter::Mono),
    ]
}

fn address() -> impl Strategy<Value = Address> {
    (0u32..7).prop_map(|code| Address::from_code(code).expect("seven modes"))
}

fn border() -> impl Strategy<Value = Border> {
    prop_oneof![
        prop::array::uniform4(-2f32..2.0).prop_map(|c| Border::Channels(c.map(f32::to_bits))),
        prop::array::uniform12(any::<u32>()).prop_map(Border::Encodings),
    ]
}

fn key() -> impl Strategy<Value = Option<ChromaKey>> {
    let key = (any::<bool>(), any::<u32>()).prop_map(|(kill, low)| ChromaKey {
        mode: if kill { KeyMode::Kill } else { KeyMode::Black },
        low: low & 0x3f3f_3f3f,
        high: low | 0xc0c0_c0c0,
    });
    prop_oneof![6 => Just(None), 1 => key.prop_map(Some)]
}

/// Any state whose fields go together.
fn state() -> impl Strategy<Value = SamplerState> {
    let filters = (
        filter(),
        filter(),
        prop::sample::select(vec![MipFilter::None, MipFilter::Nearest, MipFilter::Linear]),
        prop::array::uniform3(any::<bool>()),
        prop::array::uniform3(any::<bool>()),
        1u32..=8,
    );
    let levels = (
        prop_oneof![1 => Just(0i32), 1 => -900i32..900],
        prop_oneof![2 => Just(0i32), 1 => 0i32..700],
        0i32..1500,
        prop_oneof![2 => Just(0i32), 1 => 0i32..700],
        any::<bool>(),
        any::<bool>(),
    );
    let places = (
        prop::array::uniform3(address()),
        border(),
        prop::bool::weighted(0.2),
    );
    let texels = (
        key(),
        0u32..8,
        prop_oneof![
            6 => Just(Reduction::Standard),
            1 => Just(Reduction::Minimum),
            1 => Just(Reduction::Maximum)
        ],
        (1u32..8, 1u32..8),
        any::<bool>(),
        prop::bool::weighted(0.03),
    );
    (filters, levels, places, texels).prop_map(|(filters, levels, places, texels)| {
        let (min, mag, mip, round_min, round_mag, ratio) = filters;
        let (lod_bias, min_lod, max_lod, base_level, preclamp, clamp_magnified) = levels;
        let (address, border, unnormalized) = places;
        let (key, shadow, reduction, mono, cube_override, disable) = texels;
        let flat = |mode| match mode {
            Address::Border | Address::HalfBorder => mode,
            _ => Address::Clamp,
        };
        let state = SamplerState {
            disable,
            min,
            mag,
            mip: if unnormalized { MipFilter::None } else { mip },
            address: if unnormalized {
                address.map(flat)
            } else {
                address
            },
            round_mag,
            round_min,
            border,
            lod_bias,
            min_lod,
            max_lod,
            base_level,
            preclamp,
            clamp_magnified,
            max_anisotropy: 2 * ratio,
            shadow: Shadow::from_code(shadow).expect("eight functions"),
            key,
            cube_override,
            mono,
            unnormalized,
            reduction,
        };
        assert_eq!(state.check(), Ok(()));
        state
    })
}

/// Every operation of the sampler; those with kernels most of all.
fn op() -> impl Strategy<Value = SamplerOp> {
    let all = SamplerOp::ALL.iter().map(|row| row.0);
    let all: Vec<SamplerOp> = all.filter(|op| op.uses_sampler()).collect();
    let hot = vec![
        SamplerOp::Sample,
        SamplerOp::SampleB,
        SamplerOp::SampleL,
        SamplerOp::SampleD,
        SamplerOp::SampleLz,
        SamplerOp::SampleKillpix,
        SamplerOp::Gather4,
        SamplerOp::Gather4Po,
    ];
    prop_oneof![3 => prop::sample::select(hot), 2 => prop::sample::select(all)]
}

/// Lanes of a parameter: numbers that mean something, mostly.
fn lanes(parameter: Parameter, texels: bool, noise: &mut Noise) -> Lanes {
    use Parameter::*;
    let alike = noise.below(3) == 0;
    let strange = noise.below(5) == 0;
    let mut one = || {
        let mut between =
            |low: f32, high: f32| low + (high - low) * (noise.next() as f32 / 4_294_967_296.0);
        let number = match parameter {
            U | V | R if texels => between(-20.0, 90.0),
            U | V | R => between(-0.3, 1.4),
            Ai => between(-1.0, 4.0),
            Bias | Lod | Mlod => between(-4.0, 6.0),
            Dudx | Dudy | Dvdx | Dvdy | Drdx | Drdy => between(-0.3, 0.3),
            Ref => between(-0.5, 1.5),
            // Integers, or floats with offsets in their low bits.
            BiasOff | LodOff | LodOffUv | BiasOff6 | LodOff6 => between(-4.0, 6.0),
            _ => return noise.next() >> 4,
        };
        match strange && noise.below(4) == 0 {
            true => noise.next(),
            false => number.to_bits(),
        }
    };
    let first = one();
    std::array::from_fn(|_| if alike { first } else { one() })
}

/// The state without what the manual leaves undefined for such a surface.
fn defined(state: SamplerState, description: &Description) -> SamplerState {
    let mode = |mode| match mode {
        Address::Cube if description.kind != Kind::Cube => Address::Clamp,
        mode => mode,
    };
    let filter = |filter| match filter {
        Filter::Anisotropic if description.kind == Kind::D3 => Filter::Linear,
        filter => filter,
    };
    SamplerState {
        address: state.address.map(mode),
        min: filter(state.min),
        mag: filter(state.mag),
        ..state
    }
}

/// Operation, channels, lanes, active ones, texel offsets; 16-bit parameters, 16-bit results, parameters left out.
type Message = (SamplerOp, u8, u32, u32, [i8; 3], (bool, bool, usize));

#[test]
fn every_state_gives_the_same_with_kernels() {
    let kinds = vec![Kind::D1, Kind::D2, Kind::D2, Kind::D2, Kind::D3, Kind::Cube];
    let message = (
        op(),
        1u8..16,
        prop::sample::select(vec![1u32, 2, 8, 16, 32]),
        any::<u32>(),
        prop_oneof![2 => Just([0i8; 3]), 1 => prop::array::uniform3(-8i8..8)],
        (
            prop::bool::weighted(0.2),
            prop::bool::weighted(0.2),
            0usize..4,
        ),
    );
    let all = (described(kinds), state(), message, any::<u32>());
    let (answered, kernels) = (Cell::new(0), Cell::new(0));
    let config = Config {
        cases: 1000,
        max_global_rejects: 100_000,
        max_local_rejects: 200_000,
        failure_persistence: None,
        ..Config::default()
    };
    let law = |all: (Description, SamplerState, Message, u32)| {
        let (description, state, message, seed) = all;
        // Some are left as they are, to be refused.
        let state = match seed % 4 {
            0 => state,
            _ => defined(state, &description),
        };
        let surface = noisy(&description, seed);
        let (op, channels, lanes_of, active, offsets, (params16, narrow, missing)) = message;
        let channels = if SamplerOp::is_gather(op) {
            1 << (channels % 4)
        } else {
            channels
        };
        let mut noise = Noise(seed ^ 0x5a5a);
        let order = parameters::order(op, false);
        let mut params: Vec<Lanes> = order
            .iter()
            .map(|p| lanes(*p, state.unnormalized, &mut noise))
            .collect();
        params.truncate(order.len() - missing.min(order.len() - 1));
        if params16 {
            for lane in params.iter_mut().flatten() {
                *lane = u32::from(f32_to_half_nearest(*lane));
            }
        }
        let request = SamplerRequest {
            offsets,
            params16,
            returns: if narrow {
                ReturnFormat::Bits16
            } else {
                ReturnFormat::Bits32
            },
            params: params.len() as u32,
            ..request(op, channels, lanes_of)
        };
        let (mut fast, mut slow) = ([[9; 32]; 4], [[9; 32]; 4]);
        let reply = sample(&surface, &state, &request, &params, active, &mut fast);
        let wanted = reference(
            &surface,
            &state,
            &request,
            &params,
            active,
            &mut slow,
            &mut Unwatched,
        );
        prop_assert_eq!(fast, slow);
        if let Some(got) = served(&surface, Some(&state), &request, &params) {
            let mut all = [[0; 32]; 4];
            prop_assert!(
                reference(
                    &surface,
                    &state,
                    &request,
                    &params,
                    u32::MAX,
                    &mut all,
                    &mut Unwatched
                )
                .is_ok()
            );
            prop_assert_eq!(got, all);
        }
        match (reply, wanted) {
            (Ok(reply), Ok(wanted)) => {
                answered.set(answered.get() + 1);
                kernels.set(kernels.get() + u32::from(reply.kernel.is_some()));
                prop_assert_eq!(reply.alive, wanted.alive);
                prop_assert_eq!(reply.null_mask, wanted.null_mask);
            }
            (reply, wanted) => prop_assert_eq!(reply.err(), wanted.err()),
        }
        Ok(())
    };
    TestRunner::new(config)
        .run(&all, law)
        .unwrap_or_else(|e| panic!("{e}"));
    // What is tried must be more than refusals, and more than the reference against itself.
    assert!(answered.get() > 350, "{} answers", answered.get());
    assert!(kernels.get() > 30, "{} kernels", kernels.get());
}
