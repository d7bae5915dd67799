//! Laws of Ironlake's bits: what is encoded comes back, and no bits panic.

use super::rules::{self, default_form};
use super::{decode, encode, has_op, header_layout, layout};
use crate::isa::{ChannelMask, Platform};
use crate::math::unit::{Control, Function};
use crate::message::bits::{Decoded, Message, MessageForm};
use crate::message::fields::Layout;
use crate::message::request::*;
use crate::message::sfid::Sfid;
use proptest::prelude::*;

const ILK: Platform = Platform::Ilk;

fn there_and_back(request: Request) {
    let form = default_form(&request, ILK);
    let message = encode(&request, &form, ILK).unwrap_or_else(|e| panic!("{request:?}: {e}"));
    let back = decode(&message).unwrap_or_else(|e| panic!("{request:?} {message:x?}: {e}"));
    assert_eq!(back, Decoded { request, form }, "{message:x?}");
}

fn accesses() -> impl Strategy<Value = Access> {
    prop_oneof![Just(Access::Read), Just(Access::Write)]
}

fn fields() -> impl Strategy<Value = FieldSelect> {
    prop_oneof![
        Just(FieldSelect::State),
        Just(FieldSelect::Frame),
        Just(FieldSelect::Top),
        Just(FieldSelect::Bottom)
    ]
}

/// The cache of a read; writes go through one only.
fn cache(access: Access, number: u8) -> Cache {
    match (access, number) {
        (Access::Write, _) | (_, 1) => Cache::Render,
        (_, 0) => Cache::Data,
        (_, 2) => Cache::Sampler,
        _ => Cache::SamplerField,
    }
}

#[test]
fn every_math_message_survives_its_bits() {
    let mut count = 0;
    for function in (0..16).filter_map(Function::from_code) {
        for bits in 0..16 {
            let on = |bit: u32| bits >> bit & 1 != 0;
            there_and_back(Request::Math(Control {
                function,
                signed: on(0),
                partial: on(1),
                saturate: on(2),
                scalar: on(3),
            }));
            count += 1;
        }
    }
    // Twelve functions: lowering reference 18.7.
    assert_eq!(count, 12 * 16);
}

#[test]
fn gateway_and_ends_survive_their_bits() {
    for eot in [false, true] {
        for op in GatewayOp::ALL {
            there_and_back(Request::Gateway { op, eot });
        }
    }
    there_and_back(Request::EndOfThread);
    there_and_back(Request::EndOfChild);
    there_and_back(Request::NullEnd);
}

/// Sampler messages by lanes and parameters, with a header and without.
#[test]
fn every_sampler_message_survives_its_bits() {
    for &(op, _) in SamplerOp::ALL.iter().filter(|(op, _)| has_op(*op)) {
        for (lanes, params, first) in [(8, 3, 3), (8, 1, 1), (16, 2, 4), (2, 4, 1), (2, 8, 2)] {
            for mask in 1..16 {
                let header = mask != 15;
                let request = SamplerRequest {
                    op,
                    surface: 0x5a,
                    sampler: u32::from(mask),
                    channels: match op.is_gather() {
                        true => ChannelMask::R,
                        false => ChannelMask(mask),
                    },
                    lanes,
                    offsets: if header { [-8, 7, -1] } else { [0; 3] },
                    coarse: false,
                    pixel_null_mask: false,
                    params16: false,
                    returns: ReturnFormat::Bits32,
                    params,
                };
                let request = Request::Sampler(request);
                let form = MessageForm {
                    header,
                    first: first + u32::from(header),
                    second: 0,
                    response: 4,
                };
                let message =
                    encode(&request, &form, ILK).unwrap_or_else(|e| panic!("{request:?}: {e}"));
                assert_eq!(
                    decode(&message),
                    Ok(Decoded { request, form }),
                    "{message:x?}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn buffer_messages_survive_their_bits(
        access in accesses(), surface in 0..256u32, global: u32, base in 0..1u32 << 22,
        size in 0..5usize, number in 0..3u8, commit: bool,
    ) {
        let commit = commit && access == Access::Write;
        let cache = cache(access, number);
        let path = DataPath { cache, base: base << 10, commit };
        let (owords, high) = [(1, false), (1, true), (2, false), (4, false), (8, false)][size];
        let unaligned = false;
        let block = OwordBlock { surface, access, owords, high, unaligned, offset: global, path };
        there_and_back(Request::Oword(block));
        let owords = if high { 4 } else { 1 };
        there_and_back(Request::DualOword(DualOword { surface, access, owords, offset: global, path }));
        let lanes = if high { 16 } else { 8 };
        let (element_bytes, offset) = (4, Some(global));
        let lanes = Scattered { surface, access, element_bytes, lanes, global: offset, path };
        there_and_back(Request::DwordScattered(lanes));
        there_and_back(Request::LoopFilter(LoopFilter { surface, cache, offset: global }));
        let data = [base, 1, 2, 3];
        there_and_back(Request::Vertex(VertexWrite { surface, index: global, data, commit }));
        there_and_back(Request::FlushRender { commit });
    }

    #[test]
    fn blocks_survive_their_bits(
        access in accesses(), surface in 0..256u32, x: i32, y: i32, width in 1..=32u32,
        height in 1..=64u32, field in fields(), number in 0..4u8, mask: u32, flag: bool,
    ) {
        let commit = flag && access == Access::Write;
        let path = DataPath { cache: cache(access, number), base: 0, commit };
        let block = MediaBlock { surface, field, x, y, width, height, path };
        // A response of 32 registers does not fit its field; the manual has no such block.
        if block.bytes() <= 256 {
            there_and_back(match access {
                Access::Read => Request::MediaRead(block),
                Access::Write => Request::MediaWrite(block),
            });
        }
        // The sampler cache in field mode is for media blocks.
        let cache = cache(access, number % 3);
        let (mask, eot) = (mask, commit);
        let block = TargetUnorm { surface, access, cache, field, x, y, mask, commit, eot };
        there_and_back(Request::TargetUnorm(block));
    }

    #[test]
    fn blocks_of_the_sampler_survive_their_bits(
        surface in 0..256u32, sampler in 0..16u32, mask in 1..16u8, place: [i16; 5],
        killpix: bool, only_rg: bool, shader: bool, x: u32, y: u32,
    ) {
        let channels = ChannelMask(mask);
        let [u, v, delta_u, delta_v, u2d] = place.map(f32::from);
        there_and_back(Request::Scale8x8(Scale8x8Request {
            surface, sampler, channels, u, v, delta_u, delta_v, u2d,
        }));
        there_and_back(Request::Deinterlace(DeinterlaceRequest { surface, sampler, x, y }));
        // The same comes back whatever the mask. Source: PRM 4.11.1.2.
        let channels = ChannelMask::RGBA;
        there_and_back(Request::Unorm(UnormRequest {
            surface, sampler, channels, u, v, delta_u, delta_v, killpix, only_rg,
            shader_payload: shader || only_rg,
        }));
    }

    #[test]
    fn targets_survive_their_bits(
        surface in 0..256u32, form in 0..5usize, last: bool, commit: bool, eot: bool,
        words in any::<[u16; 4]>(), index in 0..1u32 << 11, viewport in 0..16u32,
        flags in any::<[bool; 5]>(), corners in any::<[(u16, u16); 4]>(),
    ) {
        let header = PixelHeader {
            dispatched: words[0].into(),
            enables: words[1].into(),
            calculator: u32::from(words[2]) << 6,
            viewport,
            index,
            clipped: words[3].into(),
            back: flags[0],
            source_depth: flags[1],
            destination_depth: flags[2],
            stencil: flags[3],
            antialias: flags[4],
            corners,
        };
        let form = PixelForm::ALL[form];
        there_and_back(Request::Pixels(PixelWrite { surface, form, last, commit, header, eot }));
    }

    #[test]
    fn ignored_bits_change_nothing_and_are_written_as_zeros(
        desc: u32, header: [u32; 8], junk: u32, sfid in 0..8u32,
    ) {
        let sfid = Sfid::from_number(sfid, ILK).unwrap_or(Sfid::Null);
        let desc = desc & 0x1fff_ffff;
        let (control, m0) = (layout(sfid), header_layout(sfid, desc));
        let ignored = |layout: Option<&Layout>, dw| {
            let fields = layout.map_or(&[][..], |l| l.fields).iter();
            fields.filter(|f| f.name == "ignored" && f.dw == dw).fold(0, |bits, f| bits | f.mask())
        };
        let clean = Message {
            sfid,
            desc: desc & !ignored(control, 0),
            ex_desc: sfid.number(ILK).unwrap_or(0).into(),
            extended_length: 0,
            eot: false,
            header: std::array::from_fn(|dw| header[dw] & !ignored(m0, dw)),
            payload: [0; 8],
        };
        let dirty = Message {
            desc: clean.desc | junk & ignored(control, 0),
            header: std::array::from_fn(|dw| clean.header[dw] | junk & ignored(m0, dw)),
            ..clean
        };
        // As text: a payload may hold a NaN.
        let decoded = decode(&clean);
        prop_assert_eq!(format!("{:?}", decode(&dirty)), format!("{decoded:?}"));
        if let Ok(Decoded { request, form }) = decoded
            && let Ok(again) = encode(&request, &form, ILK)
        {
            prop_assert_eq!(again.desc & ignored(control, 0), 0);
            for dw in 0..8 {
                prop_assert_eq!(again.header[dw] & ignored(m0, dw), 0);
            }
        }
    }

    #[test]
    fn any_bits_are_decoded_or_refused(
        desc: u32, ex_desc: u32, eot: bool, header: [u32; 8], payload: [u32; 8], sfid in 0..8u32,
    ) {
        let sfid = Sfid::from_number(sfid, ILK).unwrap_or(Sfid::Null);
        let message = Message { sfid, desc, ex_desc, extended_length: 0, eot, header, payload };
        for desc in [desc, desc & 0x1fff_ffff] {
            let number = u32::from(sfid.number(ILK).unwrap_or(0));
            let ex_desc = number | u32::from(eot) << 5;
            let message = Message { desc, ex_desc, ..message };
            if let Ok(decoded) = decode(&message) {
                let Decoded { request, form } = &decoded;
                let _ = (rules::lengths(request, form, ILK), rules::check(request), request.name());
                // What has bits of its own is a fixed point.
                if let Ok(again) = encode(request, form, ILK) {
                    prop_assert_eq!(format!("{:?}", decode(&again)), format!("{:?}", Ok::<_, ()>(decoded)));
                }
            }
        }
        let _ = decode(&message);
    }
}
