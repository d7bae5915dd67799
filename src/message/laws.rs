//! Laws of the message bits: encode then decode is the identity, and no bits panic.

use super::bits::{Message, MessageForm};
use super::codec::{decode, encode};
use super::dataport::BINDLESS;
use super::default_lengths::{form, through};
use super::extended::{Extended, extended_descriptor};
use super::request::*;
use super::sfid::Sfid;
use crate::isa::{AtomicOp, AvsControl, AvsMode, ChannelMask, Platform};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

const MODERN: &[Platform] = &[
    Platform::Skl,
    Platform::Icl,
    Platform::Tgl,
    Platform::Dg2,
    Platform::Pvc,
];

/// encode ∘ decode for one request and form.
fn there_and_back(request: Request, form: MessageForm, platform: Platform) {
    let message = encode(&request, &form, platform)
        .unwrap_or_else(|e| panic!("{request:?} {form:?} {platform}: {e}"));
    let back = decode(&message, platform)
        .unwrap_or_else(|e| panic!("{request:?} {form:?} {platform} {message:x?}: {e}"));
    assert_eq!(back.request, request, "{platform} {message:x?}");
    assert_eq!(back.form, form, "{platform} {message:x?}");
}

fn data(header: bool, first: u32, second: u32, response: u32) -> MessageForm {
    MessageForm {
        header,
        first: first + u32::from(header),
        second,
        response,
    }
}

#[test]
fn every_sampler_request_survives_its_bits() {
    for &platform in MODERN.iter().chain(&[Platform::Bdw, Platform::Bmg]) {
        for &(op, _) in SamplerOp::ALL {
            if op.code_on(platform).is_none() {
                continue;
            }
            for mask in 1..16 {
                let no_channel = op.names_no_channel();
                let channels = ChannelMask(mask);
                if op.is_gather() && channels.count() != 1 || no_channel && mask != 1 {
                    continue;
                }
                for bits in 0..16 {
                    let r = SamplerRequest {
                        op,
                        surface: 0xa5,
                        sampler: if op.uses_sampler() { 0xc } else { 0 },
                        channels,
                        lanes: platform.native_lanes() << (bits & 1),
                        offsets: [[0; 3], [-8, 7, -1]][bits >> 1 & 1],
                        coarse: false,
                        pixel_null_mask: bits & 4 != 0,
                        params16: bits & 8 != 0,
                        returns: if bits & 8 != 0 {
                            ReturnFormat::Bits16
                        } else {
                            ReturnFormat::Bits32
                        },
                        params: if op == SamplerOp::Sampleinfo { 0 } else { 4 },
                    };
                    there_and_back(Request::Sampler(r), r.form(platform), platform);
                }
            }
        }
    }
}

#[test]
fn gen8_masks_every_channel_set_but_the_full_one() {
    for (platform, with_header) in [(Platform::Bdw, 14), (Platform::Skl, 11)] {
        let headers = (1..16).filter(|&mask| {
            let channels = ChannelMask(mask);
            super::sampler::channels_need_header(SamplerOp::Sample, channels, platform)
        });
        assert_eq!(headers.count(), with_header, "{platform}");
    }
}

#[test]
fn every_media_block_survives_its_bits() {
    for &platform in MODERN {
        for width in 1..=64 {
            for height in [1, 2, 63, 64] {
                for field in [FieldSelect::State, FieldSelect::Top, FieldSelect::Bottom] {
                    let r = MediaBlock {
                        surface: 7,
                        field,
                        x: -5,
                        y: i32::MAX,
                        width,
                        height,
                        path: DataPath::DEFAULT,
                    };
                    there_and_back(Request::MediaRead(r), data(true, 0, 0, 3), platform);
                    there_and_back(Request::MediaWrite(r), data(true, 0, 4, 0), platform);
                }
            }
        }
    }
}

#[test]
fn typed_blocks_of_xe2_survive_their_bits() {
    for (width, height) in [(1, 1), (4, 64), (32, 8), (64, 4)] {
        for surface in [0, 5, 251, BINDLESS] {
            let r = MediaBlock {
                surface,
                field: FieldSelect::State,
                x: -5,
                y: i32::MAX,
                width,
                height,
                path: DataPath::DEFAULT,
            };
            for request in [Request::MediaRead(r), Request::MediaWrite(r)] {
                let form = form(&request, Platform::Bmg);
                assert_eq!((form.header, form.first), (false, 1));
                there_and_back(request, form, Platform::Bmg);
            }
        }
    }
    let field = MediaBlock {
        surface: 0,
        field: FieldSelect::Top,
        x: 0,
        y: 0,
        width: 4,
        height: 1,
        path: DataPath::DEFAULT,
    };
    let field = Request::MediaRead(field);
    let message = encode(&field, &form(&field, Platform::Bmg), Platform::Bmg);
    assert!(message.is_err(), "a typed block has no field mode");
}

#[test]
fn every_atomic_survives_its_bits() {
    for &(op, _, _) in AtomicOp::ALL {
        let float = super::dataport::is_float(op);
        for returns in [false, true] {
            for bits in [16, 32, 64] {
                let mut r = Atomic {
                    surface: 9,
                    op,
                    bits,
                    lanes: 16,
                    returns,
                };
                for &platform in MODERN {
                    if bits < 64 {
                        there_and_back(Request::Atomic(r), data(false, 2, 2, 2), platform);
                    }
                    r.lanes = 8;
                    if bits < 64 {
                        there_and_back(Request::Atomic(r), data(false, 1, 1, 1), platform);
                    }
                    if bits < 64 && !float {
                        there_and_back(Request::TypedAtomic(r), data(false, 1, 1, 1), platform);
                    }
                    if bits < 64 || !float {
                        let far = Atomic { surface: 255, ..r };
                        there_and_back(Request::SvmAtomic(far), data(false, 2, 1, 1), platform);
                    }
                    r.lanes = 16;
                }
            }
        }
    }
}

#[test]
fn every_block_and_scattered_request_survives_its_bits() {
    for &platform in MODERN {
        for access in [Access::Read, Access::Write] {
            for lanes in [8, 16] {
                for global in [None, Some(0xdead_beef)] {
                    for element_bytes in [1, 2, 4] {
                        let r = Scattered {
                            surface: 255,
                            access,
                            element_bytes,
                            lanes,
                            global,
                            path: DataPath::DEFAULT,
                        };
                        let form = data(global.is_some(), 2, 2, 2);
                        there_and_back(Request::ByteScattered(r), form, platform);
                        if element_bytes == 4 {
                            there_and_back(Request::DwordScattered(r), form, platform);
                        }
                    }
                }
                for mask in 1..16 {
                    let r = Untyped {
                        surface: 255,
                        access,
                        lanes,
                        channels: ChannelMask(mask),
                    };
                    there_and_back(Request::Untyped(r), data(false, 2, 3, 4), platform);
                    there_and_back(Request::SvmUntyped(r), data(false, 4, 3, 4), platform);
                }
                for block_bytes in [1, 4, 8] {
                    for blocks in [1, 2, 4, 8] {
                        let r = SvmScattered {
                            access,
                            block_bytes,
                            blocks,
                            lanes,
                        };
                        there_and_back(Request::SvmScattered(r), data(false, 4, 8, 8), platform);
                    }
                }
            }
            for owords in [1, 2, 4, 8, 16] {
                let mut r = OwordBlock {
                    surface: 3,
                    access,
                    owords,
                    high: false,
                    unaligned: false,
                    offset: 0x1234_5678,
                    path: DataPath::DEFAULT,
                };
                let second = if access == Access::Write { 2 } else { 0 };
                let form = data(true, 0, second, 2);
                there_and_back(Request::Oword(r), form, platform);
                r.high = owords == 1;
                r.unaligned = access == Access::Read;
                if !(r.high && r.unaligned) {
                    there_and_back(Request::Oword(r), form, platform);
                }
                if owords < 16 {
                    for unaligned in [false, true] {
                        let r = SvmBlock {
                            access,
                            owords,
                            unaligned,
                            address: 0x0123_4567_89ab_cdef,
                        };
                        there_and_back(Request::SvmBlock(r), form, platform);
                    }
                }
            }
            for mask in 1..16 {
                for coordinates in 1..=4 {
                    let channels = ChannelMask(mask);
                    let stored = if access == Access::Write {
                        channels.count()
                    } else {
                        0
                    };
                    let r = Typed {
                        surface: 200,
                        access,
                        channels,
                        coordinates,
                    };
                    there_and_back(
                        Request::Typed(r),
                        data(false, coordinates, stored, 0),
                        platform,
                    );
                }
            }
        }
    }
}

#[test]
fn targets_fences_and_thread_messages_survive_their_bits() {
    for &platform in MODERN {
        for flags in 0..1 << 13_u32 {
            let on = |bit: u32| flags >> bit & 1 != 0;
            let header = on(5);
            // Only a header tells of these.
            if !header && (on(10) || on(11) || on(12)) {
                continue;
            }
            let r = TargetWrite {
                surface: 1,
                lanes: if on(0) { 8 } else { 16 },
                second_half: on(1),
                last: on(2),
                per_sample: on(3),
                coarse: on(4),
                half: on(6),
                target: 5,
                alpha: on(7),
                null: on(8),
                eot: on(9),
                omask: on(10),
                depth: on(11),
                stencil: on(12),
            };
            there_and_back(Request::Target(r), data(header, 4, 0, 0), platform);
        }
        for flags in 0..8 {
            let r = UrbWrite {
                offset: 0x7ff,
                per_slot: flags & 1 != 0,
                masked: flags & 2 != 0,
                eot: flags & 4 != 0,
            };
            there_and_back(Request::Urb(r), data(true, 0, 4, 0), platform);
        }
        fences(platform);
        there_and_back(Request::Barrier, data(false, 1, 0, 0), platform);
        there_and_back(Request::EndOfThread, data(false, 1, 0, 0), platform);
        there_and_back(Request::SamplerFlush, data(true, 0, 0, 1), platform);
    }
}

/// Every fence of the part; of the load/store pipe all codes.
fn fences(platform: Platform) {
    if platform.place() >= Platform::Dg2.place() {
        let local = LscFence {
            sfid: Sfid::Slm,
            flush: 0,
            scope: 0,
        };
        there_and_back(Request::LscFence(local), data(false, 1, 0, 1), platform);
        for sfid in [Sfid::Ugm, Sfid::Ugml, Sfid::Tgm] {
            for (flush, scope) in (0..7).flat_map(|flush| (0..7).map(move |scope| (flush, scope))) {
                let r = LscFence { sfid, flush, scope };
                there_and_back(Request::LscFence(r), data(false, 1, 0, 1), platform);
            }
        }
        return;
    }
    for local in [false, true] {
        if local && platform.place() < Platform::Icl.place() {
            continue;
        }
        let r = Fence {
            local,
            commit: true,
            l3: 9,
            l1: true,
        };
        there_and_back(Request::Fence(r), data(true, 0, 0, 1), platform);
    }
}

fn any_float() -> impl Strategy<Value = f32> {
    any::<f32>().prop_filter("a number", |f| !f.is_nan())
}

fn since_gen8() -> impl Strategy<Value = Platform> {
    let platforms = Platform::ALL.iter().copied().filter(|p| !p.is_gen5());
    prop::sample::select(platforms.collect::<Vec<_>>())
}

/// A platform and a message of its 3D sampler.
fn sampler_op() -> impl Strategy<Value = (Platform, SamplerOp)> {
    let here = |platform: Platform, op: SamplerOp| op.code_on(platform).is_some();
    let all = MODERN
        .iter()
        .chain(&[Platform::Bmg, Platform::Ptl])
        .flat_map(|&p| SamplerOp::ALL.iter().map(move |row| (p, row.0)));
    prop::sample::select(all.filter(|&(p, op)| here(p, op)).collect::<Vec<_>>())
}

fn any_sfid() -> impl Strategy<Value = Sfid> {
    prop::sample::select(Sfid::all().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/seeds/message.txt"))), ..ProptestConfig::default() })]

    #[test]
    fn block_messages_of_the_sampler_survive_their_bits(
        (platform, mask, surface, sampler) in (0..MODERN.len(), 1..16_u8, 0..256_u32, 0..16_u32),
        floats in prop::array::uniform6(any_float()),
        (control, mode, group_id, vertical_block, ief_bypass) in
            (0..4_u8, 0..4_u8, 0..1_u32 << 23, any::<u32>(), any::<bool>()),
    ) {
        let platform = MODERN[platform];
        let [u, v, delta_u, delta_v, u2d, v2d] = floats;
        let channels = ChannelMask(mask);
        let form = data(true, 1, 0, 4);
        let avs = AvsRequest {
            surface, sampler, channels,
            control: AvsControl::from_value(control).expect("four controls"),
            mode: AvsMode::from_value(mode).expect("four modes"),
            u, v, delta_u, delta_v, u2d, v2d, group_id, vertical_block, ief_bypass,
        };
        there_and_back(Request::Avs(avs), form, platform);
        for killpix in [false, true] {
            let unorm = UnormRequest {
                surface, sampler, channels, u, v, delta_u, delta_v, killpix,
                only_rg: false, shader_payload: false,
            };
            there_and_back(Request::Unorm(unorm), form, platform);
            let ilk = Platform::Ilk;
            // The same comes back whatever the mask, which is written as if all did.
            let channels = ChannelMask::RGBA;
            there_and_back(Request::Unorm(UnormRequest { channels, ..unorm }), form, ilk);
            for only_rg in [false, true] {
                let unorm = UnormRequest { channels, only_rg, shader_payload: true, ..unorm };
                there_and_back(Request::Unorm(unorm), form, ilk);
            }
        }
        let scale = Scale8x8Request { surface, sampler, channels, u, v, delta_u, delta_v, u2d };
        there_and_back(Request::Scale8x8(scale), form, Platform::Ilk);
        let block = DeinterlaceRequest { surface, sampler, x: group_id, y: vertical_block };
        there_and_back(Request::Deinterlace(block), form, Platform::Ilk);
    }

    #[test]
    fn random_messages_of_the_data_port_survive_their_bits(
        (platform, surface, mask, flags) in (0..MODERN.len(), 0..256_u32, 1..16_u8, any::<u32>()),
        (offset, address, x, y) in (any::<u32>(), any::<u64>(), any::<i32>(), any::<i32>()),
        (size, width, height) in (0..5_u32, 1..=64_u32, 1..=64_u32),
        (target, place) in (0..8_u32, 0..0x800_u32),
    ) {
        let platform = MODERN[platform];
        let on = |bit: u32| flags >> bit & 1 != 0;
        let access = if on(0) { Access::Read } else { Access::Write };
        let lanes = if on(1) { 8 } else { 16 };
        let channels = ChannelMask(mask);
        let there = |request, form| there_and_back(request, form, platform);
        let field = [FieldSelect::State, FieldSelect::Top, FieldSelect::Bottom][size as usize % 3];
        let path = DataPath::DEFAULT;
        let block = MediaBlock { surface, field, x, y, width, height, path };
        there(Request::MediaRead(block), data(true, 0, 0, 3));
        there(Request::MediaWrite(block), data(true, 0, 4, 0));
        let unaligned = on(2) && on(0);
        let owords = 1 << size;
        let high = owords == 1 && on(3) && !unaligned;
        let block = OwordBlock { surface, access, owords, high, unaligned, offset, path };
        let second = if access == Access::Write { 2 } else { 0 };
        there(Request::Oword(block), data(true, 0, second, 2));
        let block = SvmBlock { access, owords: 1 << (size % 4), unaligned: on(2), address };
        there(Request::SvmBlock(block), data(true, 0, second, 2));
        let global = on(4).then_some(offset);
        let element_bytes = 1 << (size % 3);
        let bytes = Scattered { surface, access, element_bytes, lanes, global, path };
        there(Request::ByteScattered(bytes), data(global.is_some(), 2, 2, 2));
        let dwords = Scattered { element_bytes: 4, ..bytes };
        there(Request::DwordScattered(dwords), data(global.is_some(), 2, 2, 2));
        there(Request::Untyped(Untyped { surface, access, lanes, channels }), data(false, 2, 3, 4));
        let write = TargetWrite {
            surface, lanes, target,
            second_half: on(5), last: on(6), per_sample: on(7), coarse: on(8), half: on(9),
            alpha: on(13), null: on(14), eot: on(15),
            omask: on(10) && on(16), depth: on(10) && on(17), stencil: on(10) && on(18),
        };
        there(Request::Target(write), data(on(10), 4, 0, 0));
        let urb = UrbWrite { offset: place, per_slot: on(11), masked: on(12), eot: on(15) };
        there(Request::Urb(urb), data(true, 0, 4, 0));
    }

    #[test]
    fn random_sampler_messages_survive_47_bits(
        at in 0..SamplerOp::ALL.len(),
        (surface, sampler, mask) in (0..32_u32, 0..8_u32, 1..16_u8),
        (flags, params) in (0..16_u32, 1..5_u32),
        offsets in prop::array::uniform3(-8..8_i8),
    ) {
        let (platform, op) = (Platform::NvlP, SamplerOp::ALL[at].0);
        let on = |bit: u32| flags >> bit & 1 != 0;
        let r = SamplerRequest {
            op, surface, sampler, offsets,
            channels: ChannelMask(if op.is_gather() { 1 << (mask % 4) } else { mask }),
            lanes: platform.native_lanes() << u32::from(on(0)),
            coarse: false, pixel_null_mask: on(1), params16: on(2),
            returns: if on(3) { ReturnFormat::Bits16 } else { ReturnFormat::Bits32 },
            params: if op == SamplerOp::Sampleinfo { 0 } else { params },
        };
        prop_assert_eq!(through(&Request::Sampler(r), platform), Ok(Request::Sampler(r)));
    }

    #[test]
    fn random_sampler_messages_survive_their_bits(
        ((platform, op), surface, sampler) in (sampler_op(), 0..256_u32, 0..16_u32),
        (mask, flags, params) in (1..16_u8, 0..16_u32, 1..5_u32),
        offsets in prop::array::uniform3(-8..8_i8),
    ) {
        let first_only = op.names_no_channel();
        let channels = match op.is_gather() {
            true if first_only => ChannelMask(1),
            true => ChannelMask(1 << (mask % 4)),
            false => ChannelMask(mask),
        };
        let on = |bit: u32| flags >> bit & 1 != 0;
        let r = SamplerRequest {
            op, surface, channels, offsets,
            sampler: if op.uses_sampler() { sampler } else { 0 },
            lanes: platform.native_lanes() << u32::from(on(0)),
            coarse: false, pixel_null_mask: on(1),
            params16: on(2),
            returns: if on(3) { ReturnFormat::Bits16 } else { ReturnFormat::Bits32 },
            params: if op == SamplerOp::Sampleinfo { 0 } else { params },
        };
        there_and_back(Request::Sampler(r), r.form(platform), platform);
    }

    /// Any bits at all: a request or a refusal, and what decodes encodes to the same bits again. Ironlake, which
    /// ignores bits, has a law of its own.
    #[test]
    fn no_bits_panic_and_what_decodes_is_canonical(
        (platform, sfid) in (since_gen8(), any_sfid()),
        (desc, ex_desc, extended_length) in (any::<u32>(), any::<u32>(), 0..32_u32),
        header in any::<[u32; 8]>(),
        payload in any::<[u32; 8]>(),
        eot in any::<bool>(),
    ) {
        // One bit that may mean something, in a word that says what it must.
        let must = Extended { length: extended_length, eot, ..Extended::default() };
        let must = extended_descriptor(sfid, &must, platform);
        for ex_desc in [0, ex_desc, must, must ^ 1 << (ex_desc & 31)] {
            // With few high bits set more descriptors mean something.
            for desc in [desc, desc & 0x1fff_ffff] {
                let message =
                    Message { sfid, desc, ex_desc, extended_length, eot, header, payload };
                if let Ok(decoded) = decode(&message, platform)
                    && let Ok(again) = encode(&decoded.request, &decoded.form, platform)
                {
                    prop_assert_eq!(again.desc, message.desc);
                    prop_assert_eq!(again.ex_desc, message.ex_desc);
                    prop_assert_eq!(again.eot, message.eot);
                    prop_assert_eq!(again.extended_length, message.extended_length);
                }
            }
        }
    }

    /// Any request at all is encoded or refused, without a panic.
    #[test]
    fn no_request_panics(
        (x, y, width, height) in (any::<i32>(), any::<i32>(), any::<u32>(), any::<u32>()),
        (surface, lanes, params, first) in (any::<u32>(), any::<u32>(), any::<u32>(), any::<u32>()),
        (second, response, header, mask) in (any::<u32>(), any::<u32>(), any::<bool>(), any::<u8>()),
        offsets in any::<[i8; 3]>(),
    ) {
        let form = MessageForm { header, first, second, response };
        for &platform in Platform::ALL {
            let path = DataPath { base: height, commit: header, ..DataPath::DEFAULT };
            let block = MediaBlock { surface, field: FieldSelect::Top, x, y, width, height, path };
            let _ = encode(&Request::MediaRead(block), &form, platform);
            for &(op, _) in SamplerOp::ALL {
                let r = SamplerRequest {
                    op, surface, sampler: width, channels: ChannelMask(mask), lanes, offsets,
                    coarse: false, pixel_null_mask: header, params16: header, returns: ReturnFormat::Bits16, params,
                };
                let _ = encode(&Request::Sampler(r), &form, platform);
            }
        }
    }
}
