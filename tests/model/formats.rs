//! Surfaces as a whole: what the formats suite of the corpus, which looks at vectors, does not say.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use visim::internals::check::{CheckOptions, check};
use visim::internals::exec::Bindings;
use visim::internals::exec::bindings::Sampler;
use visim::internals::launch::{Grid, RunOptions, Silent, run};
use visim::internals::lower::{LowerOptions, lower};
use visim::internals::program::Program;
use visim::internals::sampler::SamplerState;
use visim::internals::source::Source;
use visim::internals::surface::format::{Access, Channel, ChannelType, Use};
use visim::internals::surface::texel::{Decoder, encode};
use visim::internals::surface::{Description, Format, Generation, Memory, Surface, Tiling};
use visim::internals::syntax::{ParseOptions, parse};

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

#[test]
fn rows_that_a_sampler_reads_are_decoded_or_say_why_not() {
    let (mut decoded, mut reasons) = (0, 0);
    for format in Format::all().filter(|f| f.sample.is_some()) {
        let decoder = Decoder::new(format, None).is_some() || format.is_planar();
        assert_eq!(decoder, format.not_modelled().is_none(), "{format}");
        decoded += usize::from(decoder);
        reasons += usize::from(!decoder);
    }
    // 51 of ETC2, EAC and ASTC are optional: surface reference 2.10.
    assert!(decoded > 120 && reasons > 40, "{decoded} {reasons}");
    for format in Format::all().filter(|f| f.used_for(Use::Sample)) {
        assert_eq!(format.not_modelled(), None, "{format} is Ironlake's");
    }
    let written = Format::all().filter(|f| f.used_for(Use::RenderTarget));
    for format in written {
        let pair = format.is_packed_422();
        assert!(encode(format, [0; 4]).is_some() || pair, "{format}");
    }
}

/// Puts a code into a channel of an empty cell.
fn with_code(channel: Channel, code: u32) -> [u8; 32] {
    let mut cell = [0; 32];
    for bit in (0..u16::from(channel.bits)).filter(|bit| code >> bit & 1 == 1) {
        let at = channel.shift + bit;
        cell[usize::from(at / 8)] |= 1 << (at % 8);
    }
    cell
}

#[test]
fn every_code_of_every_channel_survives_decoding_and_encoding() {
    let mut codes = 0u32;
    for format in Format::all() {
        let Some(decoder) = Decoder::new(format, None) else {
            continue;
        };
        if encode(format, [0; 4]).is_none() {
            continue;
        }
        for channel in format
            .channels
            .into_iter()
            .filter(|c| (1..=16).contains(&c.bits))
        {
            let output = format.out.iter().position(|&letter| letter == channel.name);
            let Some(output) = output else { continue };
            for code in 0..1u32 << channel.bits {
                let cell = with_code(channel, code);
                let rgba = decoder.decode(&cell, 0, 0);
                let least = 1 << (channel.bits - 1);
                let float = matches!(channel.ty, ChannelType::Float | ChannelType::Ufloat);
                // Two codes stand for -1, and one NaN for all.
                if channel.ty == ChannelType::Snorm && code == least
                    || float && f32::from_bits(rgba[output]).is_nan()
                {
                    continue;
                }
                let scaled = matches!(channel.ty, ChannelType::Uscaled | ChannelType::Sscaled);
                if scaled || channel.ty == ChannelType::Sfixed {
                    continue;
                }
                assert_eq!(
                    encode(format, rgba),
                    Some(cell),
                    "{format} {} {code:#x}",
                    channel.name as char
                );
                codes += 1;
            }
        }
    }
    assert!(codes > 2_000_000, "{codes}");
}

/// The columns of first generations, in the order of time, with what each holds on Gen5, Gen9 and Gen12.
#[test]
fn each_generation_has_the_formats_that_the_table_gives_it() {
    let generations = [Generation::Gen5, Generation::Gen9, Generation::Gen12];
    // Counted in the published table.
    for (access, wanted) in [
        (Access::Sample, [125, 186, 203]),
        (Access::Filter, [101, 152, 169]),
        (Access::Render, [57, 61, 64]),
        (Access::TypedWrite, [0, 46, 46]),
        (Access::TypedRead, [0, 24, 37]),
    ] {
        let count = |g| Format::all().filter(|f| f.allows(access, g)).count();
        assert_eq!(generations.map(count), wanted, "{access:?}");
    }
}

/// A program of one message on surface 6.
fn message(line: &str) -> Program {
    let text = format!(
        ".version 4.1\n.kernel \"k\"\n.decl U v_type=G type=ud num_elts=8 align=GRF\n\
         .decl F v_type=G type=f num_elts=8 alias=<U, 0>\n.decl OUT v_type=G type=ud num_elts=8 align=GRF\n\
         .decl S0 v_type=S num_elts=1\n.decl T6 v_type=T num_elts=1\n    {line}\n    ret (M1, 1)\n"
    );
    let parsed = parse(&Source::new("k.visa", text), &ParseOptions::default());
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let (checked, wrong) = check(&parsed.module, &CheckOptions::default());
    assert!(wrong.is_empty(), "{wrong:?}");
    lower(&checked, "k", &LowerOptions::default()).expect("lowered")
}

/// Code and words of the trap that a program ends with.
fn trap(program: &Program, surface: Surface) -> Option<(String, String)> {
    let mut bindings = Bindings::default();
    bindings.surfaces.insert(6, Arc::new(surface));
    let state = Arc::new(SamplerState::default());
    bindings.samplers.insert(0, Sampler::Texture(state));
    let options = RunOptions::default();
    let ended = run(program, &bindings, &Grid::single(), &options, |_| Silent);
    let trap = ended.err()?;
    Some((
        trap.diagnostic.code.to_string(),
        trap.diagnostic.message.clone(),
    ))
}

/// A message on a format that its generation does not have so is refused by the row's column; on any other it
/// is served, or refused for another reason.
#[test]
fn messages_hold_formats_to_their_generation() {
    let column = |format: Format, access| match access {
        Access::Sample => format.sample,
        Access::TypedWrite => format.typed_write,
        _ => format.typed_read,
    };
    let (mut refused, mut served) = (0, 0);
    for (line, access) in [
        ("sample_lz.R (M1, 8) 0x0:uw S0 T6 OUT.0 F.0", Access::Sample),
        ("load_lz.R (M1, 8) 0x0:uw T6 OUT.0 U.0", Access::Sample),
        (
            "gather4_typed.R (M1, 8) T6 U.0 %null.0 %null.0 %null.0 OUT.0",
            Access::TypedRead,
        ),
        (
            "scatter4_typed.R (M1, 8) T6 U.0 %null.0 %null.0 %null.0 OUT.0",
            Access::TypedWrite,
        ),
    ] {
        let program = message(line);
        for generation in [Generation::Gen5, Generation::Gen9, Generation::Gen12] {
            for format in Format::all() {
                let description = Description {
                    generation,
                    ..Description::d2(format, 32, 8)
                };
                let Ok(surface) = Surface::zeroed(description) else {
                    continue;
                };
                let first = column(format, access);
                let has = first.is_some_and(|first| first <= generation);
                let why = trap(&program, surface);
                let at = || format!("{line}\n{format} on {generation}: {why:?}");
                let by_row = why.as_ref().is_some_and(|(_, words)| {
                    words.contains("which no ") && words.contains(format.name)
                });
                assert_eq!(by_row, !has, "{}", at());
                match &why {
                    None => served += 1,
                    Some((code, words)) if by_row => {
                        assert_eq!(code, "E0607", "{}", at());
                        let later = first.is_some();
                        let named = words.ends_with(&format!("the surface is {generation}'s"));
                        assert_eq!(named, later, "{}", at());
                        refused += 1;
                    }
                    Some(_) => {}
                }
            }
        }
    }
    assert!(served > 800 && refused > 1200, "{served} {refused}");
}
