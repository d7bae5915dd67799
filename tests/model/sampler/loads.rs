//! Whatever the surface: a load gives with kernels what it gives without.

use super::plan::served;
use super::surfaces::{Noise, described, noisy, request};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::sync::Arc;
use visim::internals::message::{Parameter, ReturnFormat, SamplerOp, SamplerRequest, parameters};
use visim::internals::sampler::Lanes;
use visim::internals::sampler::fetch::{Kernel, load, load_reference};
use visim::internals::surface::{Description, Kind, Surface};

/// Lanes of a parameter: inside the surface mostly, at times side by side.
fn lanes(parameter: Parameter, surface: &Surface, noise: &mut Noise) -> Lanes {
    use Parameter::*;
    let d = surface.description();
    let most = match parameter {
        U => d.width,
        V => d.height,
        R => d.depth,
        Lod => d.levels,
        Si => d.samples,
        _ => return std::array::from_fn(|_| noise.next()),
    };
    let first = noise.below(most + 2);
    let way = noise.below(4);
    std::array::from_fn(|lane| match way {
        0 => first,
        1 if parameter == U => first + lane as u32,
        1 => first,
        _ if noise.below(9) == 0 => noise.next(),
        _ => noise.below(most + 1),
    })
}

/// Operation, channels, lanes, active ones, texel offsets; 16-bit parameters, 16-bit results, parameters left out.
type Message = (SamplerOp, u8, u32, u32, [i8; 3], (bool, bool, usize));

#[test]
fn every_surface_loads_the_same_with_kernels() {
    let ops = vec![
        SamplerOp::Ld,
        SamplerOp::Ld,
        SamplerOp::LdLz,
        SamplerOp::LdL,
        SamplerOp::Ld2dmsW,
        SamplerOp::LdMcs,
    ];
    let kinds = vec![
        Kind::D1,
        Kind::D2,
        Kind::D2,
        Kind::D3,
        Kind::Buffer,
        Kind::Cube,
    ];
    let message = (
        prop::sample::select(ops),
        1u8..16,
        prop::sample::select(vec![1u32, 2, 8, 16, 32]),
        any::<u32>(),
        prop_oneof![2 => Just([0i8; 3]), 1 => prop::array::uniform3(-8i8..8)],
        (any::<bool>(), prop::bool::weighted(0.2), 0usize..4),
    );
    let all = (described(kinds), message, any::<bool>(), any::<u32>());
    let (answered, kernels) = (Cell::new(0), Cell::new(0));
    let config = Config {
        cases: 1000,
        max_global_rejects: 100_000,
        max_local_rejects: 200_000,
        failure_persistence: None,
        ..Config::default()
    };
    let law = |all: (Description, Message, bool, u32)| {
        let (mut description, message, compressed, seed) = all;
        let (op, channels, lanes_of, active, offsets, (params16, narrow, missing)) = message;
        if let Some(words) = description.control_words().filter(|_| compressed) {
            let words = Surface::zeroed(words).expect("as large as the surface");
            let bytes = Noise(seed).bytes(words.memory().len());
            words.memory().write(0, &bytes);
            description.mcs = Some(Arc::new(words));
            description.clear_colour = [1, 2, 3, 4];
        }
        let surface = noisy(&description, seed);
        let mut noise = Noise(seed ^ 0x5a5a);
        let order = parameters::order(op, params16);
        let mut params: Vec<Lanes> = order
            .iter()
            .map(|p| lanes(*p, &surface, &mut noise))
            .collect();
        params.truncate(order.len() - missing.min(order.len() - 1));
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
        let reply = load(&surface, &request, &params, active, &mut fast);
        let wanted = load_reference(&surface, &request, &params, active, &mut slow);
        prop_assert_eq!(fast, slow);
        if let Some(got) = served(&surface, None, &request, &params) {
            let mut all = [[0; 32]; 4];
            prop_assert!(load_reference(&surface, &request, &params, u32::MAX, &mut all).is_ok());
            prop_assert_eq!(got, all);
        }
        match (reply, wanted) {
            (Ok(reply), Ok(wanted)) => {
                answered.set(answered.get() + 1);
                kernels.set(kernels.get() + u32::from(matches!(reply.kernel, Kernel::Lanes(_))));
                prop_assert_eq!(reply.null_mask, wanted.null_mask);
            }
            (reply, wanted) => prop_assert_eq!(reply.err(), wanted.err()),
        }
        Ok(())
    };
    TestRunner::new(config)
        .run(&all, law)
        .unwrap_or_else(|e| panic!("{e}"));
    assert!(answered.get() > 300, "{} answers", answered.get());
    assert!(kernels.get() > 150, "{} kernels", kernels.get());
}
