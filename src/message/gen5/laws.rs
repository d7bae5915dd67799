//! Laws of Ironlake's bits: what is encoded comes back, and no bits panic.

use super::{Ask, Cache, TargetHeader, decode_ask, encode_ask, has_op, header_layout, layout};
use crate::isa::ChannelMask;
use crate::math::unit::{Control, Function};
use crate::message::bits::{Form, Message};
use crate::message::fields::Layout;
use crate::message::request::{
    Access, FieldSelect, MediaBlock, OwordBlock, ReturnFormat, SamplerOp, SamplerRequest, Scattered,
};
use crate::message::sfid::Sfid;
use proptest::prelude::*;

fn there_and_back(ask: Ask) {
    let header = !matches!(
        ask,
        Ask::Math(_) | Ask::Gateway { .. } | Ask::EndOfThread { .. }
    );
    let guess = Form {
        header,
        first: 1,
        second: 0,
        response: 0,
    };
    let (first, response) = ask.lengths(&guess);
    let form = Form {
        first,
        response,
        ..guess
    };
    let message = encode_ask(&ask, &form).unwrap_or_else(|e| panic!("{ask:?}: {e}"));
    let back = decode_ask(&message).unwrap_or_else(|e| panic!("{ask:?} {message:x?}: {e}"));
    assert_eq!(back, (ask, form), "{message:x?}");
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
        (Access::Write, _) | (_, 0) => Cache::Data,
        (_, 1) => Cache::Render,
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
            there_and_back(Ask::Math(Control {
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
        for opcode in 0..3 {
            there_and_back(Ask::Gateway { opcode, eot });
        }
        there_and_back(Ask::EndOfThread { child: eot });
    }
    there_and_back(Ask::NullEnd);
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
                    channels: ChannelMask(mask),
                    lanes,
                    offsets: if header { [-8, 7, -1] } else { [0; 3] },
                    coarse: false,
                    pixel_null_mask: false,
                    params16: false,
                    returns: ReturnFormat::Bits32,
                    params,
                };
                let ask = Ask::Sampler(request);
                let form = Form {
                    header,
                    first: first + u32::from(header),
                    second: 0,
                    response: 4,
                };
                let message = encode_ask(&ask, &form).unwrap_or_else(|e| panic!("{ask:?}: {e}"));
                assert_eq!(decode_ask(&message), Ok((ask, form)), "{message:x?}");
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
        let (base, cache) = (base << 10, cache(access, number));
        let commit = commit && access == Access::Write;
        let (owords, high) = [(1, false), (1, true), (2, false), (4, false), (8, false)][size];
        let block = OwordBlock { surface, access, owords, high, unaligned: false, offset: global };
        there_and_back(Ask::Oword { block, base, cache, commit });
        let owords = if high { 4 } else { 1 };
        there_and_back(Ask::DualOword { surface, access, global, base, cache, owords, commit });
        let lanes = if high { 16 } else { 8 };
        let request = Scattered { surface, access, element_bytes: 4, lanes, global: Some(global) };
        there_and_back(Ask::DwordScattered { request, base, cache, commit });
        there_and_back(Ask::LoopFilter { surface, cache, global });
        there_and_back(Ask::Vertex { surface, index: global, data: [base, 1, 2, 3], commit });
        there_and_back(Ask::FlushRender { commit });
    }

    #[test]
    fn blocks_survive_their_bits(
        access in accesses(), surface in 0..256u32, x: i32, y: i32, width in 1..=32u32,
        height in 1..=64u32, field in fields(), number in 0..4u8, mask: u32, flag: bool,
    ) {
        let block = MediaBlock { surface, field, x, y, width, height };
        let commit = flag && access == Access::Write;
        // A response of 32 registers does not fit its field; the manual has no such block.
        if block.bytes() <= 256 {
            there_and_back(Ask::MediaRead(block, cache(Access::Read, number)));
            there_and_back(Ask::MediaWrite { block, commit });
        }
        // The sampler cache in field mode is for media blocks.
        let cache = cache(access, number % 3);
        there_and_back(Ask::Unorm { surface, access, cache, field, x, y, mask, commit, eot: commit });
    }

    #[test]
    fn targets_survive_their_bits(
        surface in 0..256u32, form in 0..5u32, last: bool, commit: bool, eot: bool,
        words in any::<[u16; 4]>(), index in 0..1u32 << 11, viewport in 0..16u32,
        flags in any::<[bool; 5]>(), corners in any::<[(u16, u16); 4]>(),
    ) {
        let header = TargetHeader {
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
        there_and_back(Ask::Target { surface, form, last, commit, header, eot });
    }

    #[test]
    fn ignored_bits_change_nothing_and_are_written_as_zeros(
        desc: u32, header: [u32; 8], junk: u32, sfid in 0..8u32,
    ) {
        let sfid = Sfid::from_number(sfid, crate::isa::Platform::Ilk).unwrap_or(Sfid::Null);
        let desc = desc & 0x1fff_ffff;
        let (control, m0) = (layout(sfid), header_layout(sfid, desc));
        let ignored = |layout: Option<&Layout>, dw| {
            let fields = layout.map_or(&[][..], |l| l.fields).iter();
            fields.filter(|f| f.name == "ignored" && f.dw == dw).fold(0, |bits, f| bits | f.mask())
        };
        let clean = Message {
            sfid,
            desc: desc & !ignored(control, 0),
            ex_desc: 0,
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
        let decoded = decode_ask(&clean);
        prop_assert_eq!(decode_ask(&dirty), decoded.clone());
        if let Ok((ask, form)) = decoded
            && let Ok(again) = encode_ask(&ask, &form)
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
        let sfid = Sfid::from_number(sfid, crate::isa::Platform::Ilk).unwrap_or(Sfid::Null);
        let message = Message { sfid, desc, ex_desc, extended_length: 0, eot, header, payload };
        for desc in [desc, desc & 0x1fff_ffff] {
            let message = Message { desc, ex_desc: ex_desc & 0x2f, ..message };
            if let Ok((ask, form)) = decode_ask(&message) {
                let _ = (ask.lengths(&form), ask.check(), ask.name(), ask.surface());
                // What has bits of its own is a fixed point.
                if let Ok(again) = encode_ask(&ask, &form) {
                    prop_assert_eq!(decode_ask(&again), Ok((ask, form)));
                }
            }
        }
        let _ = decode_ask(&message);
    }
}
