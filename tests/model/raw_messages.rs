//! Raw messages of Ironlake's media sampler and Skylake's data port with any payload, state and surface: each is
//! served or refused, and none sees or changes a byte outside its surfaces.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::sync::Arc;
use visim::internals::check::{CheckOptions, check};
use visim::internals::exec::Bindings;
use visim::internals::exec::bindings::Sampler;
use visim::internals::isa::{AtomicOp, ChannelMask, Platform};
use visim::internals::launch::{Grid, RunOptions, Silent, run};
use visim::internals::lower::{LowerOptions, lower};

use visim::internals::message::{
    Access, Atomic, DataPath, FieldSelect, MediaBlock, OwordBlock, Request, Scattered, Typed,
    Untyped, default_lengths, encode,
};
use visim::internals::sampler::avs::AvsSampler;
use visim::internals::sampler::avs::packed::Gen5State;
use visim::internals::sampler::deinterlace::DeinterlaceState;
use visim::internals::sampler::settings::{Filter, MipFilter, SamplerState};
use visim::internals::source::Source;
use visim::internals::surface::{Description, Format, Memory, Surface};
use visim::internals::syntax::{ParseOptions, parse};

/// Bytes before and after each surface in its memory.
const AROUND: usize = 256;

const FORMATS: [Format; 10] = [
    Format::Y8_UNORM,
    Format::R8_UNORM,
    Format::R8B8_UNORM,
    Format::R8G8B8A8_UNORM,
    Format::R10G10B10A2_UNORM,
    Format::YCRCB_NORMAL,
    Format::YCRCB_SWAPUVY,
    Format::PLANAR_420_8,
    Format::PLANAR_422_8,
    Format::PLANAR_411_8,
];

/// A message: type, registers of the response, by what is asked.
#[derive(Clone, Copy, Debug)]
enum Message {
    Scale,
    Unorm,
    UnormRg,
    UnormRgKill,
    Deinterlace,
}

impl Message {
    const ALL: [Message; 5] = [
        Message::Scale,
        Message::Unorm,
        Message::UnormRg,
        Message::UnormRgKill,
        Message::Deinterlace,
    ];

    /// Type of the descriptor, and registers of the response. Source: PRM 4.11.1.1.
    const fn shape(self, channels: u32, state: &DeinterlaceState) -> (u32, u32) {
        match self {
            Message::Scale => (0xb, 4 * channels),
            Message::Unorm => (0xc, 8),
            Message::UnormRg => (0x1, 4),
            Message::UnormRgKill => (0x3, 5),
            Message::Deinterlace => (
                0x8,
                match (state.di_enable, state.dn_enable) {
                    (true, true) => 12,
                    (true, false) => 9,
                    (false, _) => 5,
                },
            ),
        }
    }
}

/// A program of one message: `send` is its mask, lanes and extended descriptor.
fn program(send: &str, rows: u32, descriptor: u32, response: u32) -> String {
    format!(
        ".version 4.1\n.kernel \"k\"\n\
         .decl M v_type=G type=ud num_elts=128 align=GRF\n\
         .decl OUT v_type=G type=ub num_elts=512 align=GRF\n\
         .decl S0 v_type=S num_elts=1\n.decl T6 v_type=T num_elts=1\n\
         .decl T7 v_type=T num_elts=1\n.decl T8 v_type=T num_elts=1\n\
         raw_send {send} {rows} {response} {descriptor:#x}:ud M.0 OUT.0\n\
         ret (M1, 1)\n"
    )
}

/// A surface of noise with `around` before and after it; `None` if there is no such surface.
fn surface(format: Format, size: (u32, u32), seed: u32, around: u8) -> Option<Arc<Surface>> {
    let description = Description {
        base: AROUND as u64,
        ..Description::d2(format, size.0, size.1)
    };
    let end = Surface::check(description.clone()).ok()? as usize;
    let mut bytes = vec![around; end + AROUND];
    for (i, byte) in bytes[AROUND..end].iter_mut().enumerate() {
        *byte = ((i as u32 ^ seed).wrapping_mul(0x9e37_79b9) >> 24) as u8;
    }
    let memory = Arc::new(Memory::from_bytes(&bytes));
    Surface::new(description, memory).ok().map(Arc::new)
}

/// A number near the picture, or any.
fn scalar() -> impl Strategy<Value = u32> {
    prop_oneof![
        (-2.0..3.0f32).prop_map(f32::to_bits),
        (-0.2..0.2f32).prop_map(f32::to_bits),
        (0..12u32).prop_map(|n| 8 * n),
        prop::sample::select(vec![f32::NAN, f32::INFINITY, -f32::INFINITY, 3e38, -3e38])
            .prop_map(f32::to_bits),
        any::<u32>(),
    ]
}

/// What a message left in `OUT`, or the code of its refusal.
fn outcome(text: &str, platform: Platform, bindings: &Bindings) -> Result<Vec<u8>, String> {
    let parsed = parse(&Source::new("k.visa", text), &ParseOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let options = CheckOptions {
        platform,
        ..CheckOptions::default()
    };
    let (checked, _) = check(&parsed.module, &options);
    let lowered =
        lower(&checked, "k", &LowerOptions::default()).map_err(|d| format!("lower {d:?}"))?;
    let outcome = run(
        &lowered,
        bindings,
        &Grid::single(),
        &RunOptions::default(),
        |_| Silent,
    )
    .map_err(|trap| format!("{:?}", trap.diagnostic.code))?;
    Ok(outcome.threads[0]
        .bytes(&lowered, "OUT")
        .map(<[u8]>::to_vec)
        .unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_message_is_served_or_refused(
        message in 0..Message::ALL.len(),
        format in 0..FORMATS.len(),
        alike in prop::bool::weighted(0.8),
        size in prop_oneof![Just((1, 1)), Just((1, 8)), (1u32..24, 1u32..24), (8u32..12, 2u32..9).prop_map(|(w, h)| (4 * w, 2 * h))],
        (mask, seed) in (0u32..16, any::<u32>()),
        payload in prop::collection::vec(scalar(), 16),
        (words, tables) in (prop::collection::vec(any::<u32>(), 15), prop::collection::vec(any::<u32>(), 138)),
        (deinterlace, partial) in (any::<[u32; 8]>(), prop::bool::weighted(0.1)),
        (linear, x, y) in (any::<bool>(), 0u32..4, 0u32..6),
    ) {
        let message = Message::ALL[message];
        let mut state = DeinterlaceState::unpack(&deinterlace).expect("eight dwords");
        state.di_partial = partial;
        let (kind, response) = message.shape(4 - mask.count_ones(), &state);
        if response == 0 {
            return Ok(());
        }
        let descriptor = 2 << 25 | response << 20 | 1 << 19 | 3 << 16 | kind << 12 | 6;
        let text = program("(M1_NM, 8) 0x2", 2, descriptor, response);
        let mut payload = payload;
        payload[2] = mask << 12;
        if matches!(message, Message::Deinterlace) {
            // On the grid, inside and outside; other places are refused.
            (payload[8 + 2], payload[8 + 6]) = (16 * x, 8 * y);
        }
        let format = FORMATS[format];
        let seen = [0x00, 0xee].map(|around| {
            let mut bindings = Bindings::default();
            let other = if alike { (format, size) } else { (Format::Y8_UNORM, (20, 6)) };
            let surfaces = [(format, size), other, (Format::R8_UNORM, (2 * size.0, size.1))];
            for (index, (format, size)) in (6..).zip(surfaces) {
                if let Some(surface) = surface(format, size, seed + index, around) {
                    bindings.surfaces.insert(index, surface);
                }
            }
            let filter = if linear { Filter::Linear } else { Filter::Nearest };
            let sampler = match message {
                Message::Scale => {
                    let packed = Gen5State { sampler: words.clone(), tables: tables.clone() };
                    Sampler::Avs(Arc::new(AvsSampler::unpack_gen5(&packed).expect("whole")))
                }
                Message::Deinterlace => Sampler::Deinterlace(Arc::new(state.clone())),
                _ => Sampler::Texture(Arc::new(SamplerState {
                    mip: MipFilter::None,
                    ..SamplerState::default().filtered(filter, filter)
                })),
            };
            bindings.samplers.insert(0, sampler);
            let bytes = payload.iter().flat_map(|word| word.to_le_bytes()).collect();
            bindings.variables.insert("M".to_string(), bytes);
            outcome(&text, Platform::Ilk, &bindings)
        });
        prop_assert_eq!(&seen[0], &seen[1], "{:?} {} {:?}", message, format, size);
    }
}

/// Places in a small surface, around it, and any.
fn place() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => (0..20u32).prop_map(|n| 16 * n),
        3 => 0..64u32,
        1 => (-20..0i32).prop_map(|n| n as u32),
        1 => any::<u32>(),
    ]
}

/// A request to the data port.
fn request() -> impl Strategy<Value = Request> {
    let numbers = (
        place(),
        place(),
        1..65u32,
        1..65u32,
        0..5u32,
        1..16u8,
        0..2u8,
    );
    (0..6u8, any::<[bool; 4]>(), 6..9u32, numbers).prop_map(|(kind, on, surface, n)| {
        let (x, y, width, height, size, mask, own) = n;
        let access = if on[0] { Access::Read } else { Access::Write };
        let lanes = if on[1] { 16 } else { 8 };
        let channels = ChannelMask(mask);
        // Half of them go to the surface they want: a buffer, a plane of bytes, texels of a dword.
        let wanted = match kind {
            0 => 7,
            4 => 8,
            _ => 6,
        };
        let surface = if own == 0 { wanted } else { surface };
        match kind {
            0 => {
                let field = FieldSelect::State;
                let (x, y) = (x as i32, y as i32);
                let block = MediaBlock {
                    surface,
                    field,
                    x,
                    y,
                    width,
                    height,
                    path: DataPath::DEFAULT,
                };
                match access {
                    Access::Read => Request::MediaRead(block),
                    Access::Write => Request::MediaWrite(block),
                }
            }
            1 => Request::Oword(OwordBlock {
                surface,
                access,
                owords: 1 << size,
                high: size == 0 && on[2],
                unaligned: size > 0 && on[0] && on[3],
                offset: x,
                path: DataPath::DEFAULT,
            }),
            2 => Request::DwordScattered(Scattered {
                surface,
                access,
                element_bytes: 4,
                lanes,
                global: on[2].then_some(x),
                path: DataPath::DEFAULT,
            }),
            3 => Request::Untyped(Untyped {
                surface,
                access,
                lanes,
                channels,
            }),
            4 => Request::Typed(Typed {
                surface,
                access,
                channels,
                coordinates: 1 + size % 4,
            }),
            _ => Request::Atomic(Atomic {
                surface,
                op: [AtomicOp::Inc, AtomicOp::Add, AtomicOp::CmpXchg][size as usize % 3],
                bits: 32,
                lanes,
                returns: on[3],
            }),
        }
    })
}

/// Messages of the data port, most of them whole, some with a bit of the descriptor turned over.
#[test]
fn any_message_of_the_data_port_stays_in_its_surfaces() {
    let flip = prop_oneof![4 => Just(0), 1 => (0..19u32).prop_map(|bit| 1 << bit)];
    let payload = prop::collection::vec(place(), 128);
    let config = ProptestConfig {
        cases: 1500,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (served, written) = (Cell::new(0), Cell::new(0));
    let strategy = (request(), flip, payload, any::<u32>());
    let done = TestRunner::new(config).run(&strategy, |(request, flip, mut payload, seed)| {
        let form = default_lengths::form(&request, Platform::Skl);
        let Ok(message) = encode(&request, &form, Platform::Skl) else {
            return Ok(());
        };
        let desc = message.desc ^ flip;
        // The message to surface 9 is not sent.
        let desc = if desc & 0xff == 9 { desc ^ flip } else { desc };
        let (rows, response) = (desc >> 25 & 0xf, desc >> 20 & 0x1f);
        if form.header {
            payload[..8].copy_from_slice(&message.header);
        }
        let send = format!("(M1_NM, 16) {:#x}", message.ex_desc);
        let text = program(&send, rows, desc, response);
        let mut bindings = Bindings::default();
        let buffer = Description::buffer(Format::R32_UINT, 80);
        let shapes = [
            buffer,
            Description::d2(Format::R8_UNORM, 40, 12),
            Description::d2(Format::R32_UINT, 20, 12),
            Description::d2(Format::R32_UINT, 20, 12),
        ];
        for (index, shape) in (6..).zip(shapes) {
            let shape = Description {
                base: AROUND as u64,
                ..shape
            };
            let end = Surface::check(shape.clone()).expect("a surface") as usize;
            let memory = Arc::new(Memory::from_bytes(&vec![seed as u8; end + AROUND]));
            let surface = Arc::new(Surface::new(shape, memory).expect("a surface"));
            bindings.surfaces.insert(index, surface);
        }
        let bytes = payload.iter().flat_map(|word| word.to_le_bytes()).collect();
        bindings.variables.insert("M".to_string(), bytes);
        let ran = outcome(&text, Platform::Skl, &bindings).is_ok();
        served.set(served.get() + u32::from(ran));
        for (index, surface) in &bindings.surfaces {
            let memory = surface.memory();
            let mut bytes = vec![0; memory.len()];
            memory.read(0, &mut bytes);
            let changed = bytes.iter().position(|byte| *byte != seed as u8);
            let named = desc & 0xff == *index;
            let own = AROUND..memory.len() - AROUND;
            let kept = changed.is_none_or(|_| named)
                && bytes[..own.start].iter().all(|byte| *byte == seed as u8)
                && bytes[own.end..].iter().all(|byte| *byte == seed as u8);
            prop_assert!(
                kept,
                "surface {index} at {changed:?}: {request:?} {desc:#x}"
            );
            written.set(written.get() + u32::from(changed.is_some()));
        }
        Ok(())
    });
    done.unwrap();
    assert!(served.get() > 350, "{} messages were served", served.get());
    assert!(written.get() > 50, "{} messages wrote", written.get());
}
