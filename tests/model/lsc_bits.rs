//! Messages of the load/store pipe: what is encoded is decoded as the same request, and no descriptor to the pipe
//! brings the decoder down.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use visim::internals::isa::platforms::Dialect;
use visim::internals::isa::{AtomicOp, ChannelMask, Extension, Platform};
use visim::internals::message::default_lengths::{form, through};
use visim::internals::message::{
    Access, Lsc, LscBlock2d, LscData, LscModel, LscOp, Message, Request, Sfid, Strided, decode,
    encode,
};

/// Platforms whose pipe is asked by a descriptor of 32 bits.
fn platforms() -> Vec<Platform> {
    let pipes = |p: &&Platform| p.lsc.is_some() && p.dialect != Dialect::Xe3p;
    Platform::ALL.iter().filter(pipes).copied().collect()
}

fn survives(request: Request, platform: Platform) -> Result<(), TestCaseError> {
    let lengths = form(&request, platform);
    // Five and four bits of the descriptor count registers.
    prop_assume!(lengths.first < 16 && lengths.second < 32 && lengths.response < 32);
    let message = encode(&request, &lengths, platform)
        .map_err(|why| TestCaseError::fail(format!("{request:?} on {platform}: {why}")))?;
    let back = decode(&message, platform)
        .map_err(|why| TestCaseError::fail(format!("{request:?} {message:x?}: {why}")))?;
    // Lanes are counted by registers alone: narrow ones may have the same number for two counts.
    let expected = match (request, back.request) {
        (Request::Lsc(r), Request::Lsc(Lsc { lanes, .. })) => Request::Lsc(Lsc { lanes, ..r }),
        (request, _) => request,
    };
    prop_assert_eq!(back.request, expected, "{} {:x?}", platform, message);
    prop_assert_eq!(form(&back.request, platform), lengths);
    prop_assert_eq!(back.form, lengths);
    Ok(())
}

fn operations() -> impl Strategy<Value = LscOp> {
    let atomics = AtomicOp::ALL.iter().map(|row| LscOp::Atomic(row.0));
    let others = [
        LscOp::Load,
        LscOp::LoadQuad,
        LscOp::LoadStrided,
        LscOp::Store,
        LscOp::StoreQuad,
        LscOp::StoreStrided,
        LscOp::StoreUncompressed,
        LscOp::AtomicLoad,
        LscOp::AppendCounter(AtomicOp::Add),
        LscOp::AppendCounter(AtomicOp::Sub),
        LscOp::AppendCounter(AtomicOp::Xchg),
        LscOp::BfAtomic(AtomicOp::FAdd),
        LscOp::BfAtomic(AtomicOp::FSub),
        LscOp::BfAtomic(AtomicOp::FMin),
        LscOp::BfAtomic(AtomicOp::FMax),
        LscOp::BfAtomic(AtomicOp::FCmpWr),
    ];
    proptest::sample::select(others.into_iter().chain(atomics).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: Some(Box::new(FileFailurePersistence::Off)), max_global_rejects: 1 << 20, ..ProptestConfig::default() })]

    #[test]
    fn lanes_survive_their_bits(
        platform in proptest::sample::select(platforms()),
        op in operations(),
        data in proptest::sample::select(LscData::ALL.to_vec()),
        (vector, mask) in (0_usize..8, 1_u8..16),
        (model, index) in (0..4, 0_u32..256),
        (bits, wide, transposed) in (0_usize..3, any::<bool>(), any::<bool>()),
        offset in -512_i32..512,
        (cache, coordinates) in (0_u32..8, 1_u32..5),
        typed in any::<bool>(),
        strided in any::<(u64, u32)>(),
    ) {
        let pipe = platform.lsc.expect("chosen for it");
        let typed = typed && op.is_quad();
        let transposed = transposed && matches!(op, LscOp::Load | LscOp::Store);
        let least = if typed { pipe.typed_lanes } else { pipe.untyped_lanes };
        let one = op.is_quad() || op.is_atomic();
        let counter = matches!(op, LscOp::AppendCounter(_));
        let bits = if typed || counter { 32 } else { [16, 32, 64][bits] };
        // bfloat16 came with descriptors of 47 bits.
        prop_assume!(!matches!(op, LscOp::BfAtomic(_)));
        let model = match model {
            _ if typed => LscModel::Bti(index),
            0 => LscModel::Flat,
            1 => LscModel::Bti(index),
            2 => LscModel::Bss(index << 6),
            _ => LscModel::Ss(index << 6),
        };
        let handle = matches!(model, LscModel::Bss(_) | LscModel::Ss(_));
        let request = Lsc {
            sfid: if typed { Sfid::Tgm } else { Sfid::Ugm },
            model,
            op,
            data: if op.is_quad() { LscData::D32 } else { data },
            vector: if one { 1 } else { [1, 2, 3, 4, 8, 16, 32, 64][vector] },
            transposed,
            channels: ChannelMask(if op.is_quad() { mask } else { 0 }),
            returns: !op.is_store(),
            address_bits: bits,
            extend: None,
            scale: 1,
            offset: if pipe.immediate_offsets && !handle { 4 * offset } else { 0 },
            lanes: if transposed { 1 } else { least << u32::from(wide && least < 32) },
            coordinates: if typed { coordinates } else { 1 },
            cache: if pipe.cache_bits == 4 { cache } else { 2 * cache },
            strided: match op.is_strided() {
                true => Strided { base: strided.0, stride: strided.1 },
                false => Strided::default(),
            },
        };
        survives(Request::Lsc(request), platform)?;
    }

    #[test]
    fn lanes_survive_47_bits(
        op in operations(),
        data in proptest::sample::select(LscData::ALL.to_vec()),
        (vector, mask, index) in (0_usize..8, 1_u8..16, 0_u32..32),
        (kind, scale, wide, transposed) in (0..4, 0_u32..4, any::<bool>(), any::<bool>()),
        (offset, cache) in (-0x8000_i32..0x8000, 0_u32..16),
    ) {
        let counter = matches!(op, LscOp::AppendCounter(_));
        let gone = op.is_strided() || op == LscOp::StoreUncompressed || counter;
        let (model, address_bits, extend) = match kind {
            0 => (LscModel::Flat, 64, None),
            1 => (LscModel::Flat, 32, Some(Extension::Signed)),
            2 => (LscModel::Flat, 32, Some(Extension::Unsigned)),
            _ => (LscModel::Bss(index), 32, Some(Extension::Unsigned)),
        };
        let transposed = transposed && matches!(op, LscOp::Load | LscOp::Store);
        let data = if op.is_quad() { LscData::D32 } else { data };
        let one = op.is_quad() || op.is_atomic();
        let vector = if one { 1 } else { [1, 2, 3, 4, 8, 16, 32, 64][vector] };
        let element = vector * data.memory_bytes();
        let scaled = model == LscModel::Flat && scale > 0;
        let request = Request::Lsc(Lsc {
            sfid: Sfid::Ugm,
            model,
            op,
            data,
            vector,
            transposed,
            channels: ChannelMask(if op.is_quad() { mask } else { 0 }),
            returns: !op.is_store(),
            address_bits,
            extend,
            scale: if scaled { element << (scale - 1) } else { 1 },
            offset: offset * data.memory_bytes() as i32,
            lanes: if transposed { 1 } else { 16 << u32::from(wide) },
            coordinates: 1,
            cache,
            strided: Strided::default(),
        });
        match through(&request, Platform::Cri) {
            Ok(back) => prop_assert_eq!(back, request),
            Err(why) => prop_assert!(gone, "{request:?}: {why}"),
        }
    }

    #[test]
    fn blocks_survive_47_bits(
        (write, transposed, vnni) in any::<(bool, bool, bool)>(),
        (element, blocks, width, height) in (0_u32..4, 1_u32..5, 1_u32..65, 1_u32..33),
        (address, surface) in any::<(u64, [u32; 3])>(),
        (x, y, offset) in (any::<i32>(), any::<i32>(), [-2048_i32..2048, -2048_i32..2048]),
    ) {
        let block = LscBlock2d {
            access: if write { Access::Write } else { Access::Read },
            returns: !write,
            element: 1 << element,
            blocks,
            width,
            height,
            transposed,
            vnni,
            cache: 0,
            offset,
            address,
            surface_width: surface[0],
            surface_height: surface[1],
            surface_pitch: surface[2],
            x,
            y,
        };
        prop_assume!(block.bytes(64) as usize <= LscBlock2d::MOST_BYTES);
        let block = Request::LscBlock2d(block);
        prop_assert_eq!(through(&block, Platform::Cri), Ok(block));
    }

    #[test]
    fn blocks_survive_their_bits(
        platform in proptest::sample::select(platforms()),
        (write, transposed, vnni) in any::<(bool, bool, bool)>(),
        (element, blocks, width, height) in (0_u32..4, 1_u32..5, 1_u32..65, 1_u32..33),
        (address, surface) in any::<(u64, [u32; 3])>(),
        (x, y, offset) in (any::<i32>(), any::<i32>(), [-512_i32..512, -512_i32..512]),
    ) {
        let pipe = platform.lsc.expect("chosen for it");
        prop_assume!(pipe.block2d);
        let block = LscBlock2d {
            access: if write { Access::Write } else { Access::Read },
            returns: !write,
            element: 1 << element,
            blocks,
            width,
            height,
            transposed,
            vnni,
            cache: 0,
            offset: if pipe.immediate_offsets { offset } else { [0; 2] },
            address,
            surface_width: surface[0],
            surface_height: surface[1],
            surface_pitch: surface[2],
            x,
            y,
        };
        prop_assume!(block.bytes(platform.grf_bytes()) as usize <= LscBlock2d::MOST_BYTES);
        survives(Request::LscBlock2d(block), platform)?;
    }

    #[test]
    fn any_descriptor_is_decoded_or_refused(
        platform in proptest::sample::select(Platform::ALL.to_vec()),
        (desc, ex_desc, second) in (any::<u32>(), any::<u32>(), 0_u32..32),
        sfid in proptest::sample::select(vec![Sfid::Ugm, Sfid::Ugml, Sfid::Slm, Sfid::Tgm]),
        header in any::<[u32; 8]>(),
    ) {
        let message = Message {
            sfid,
            desc,
            ex_desc,
            extended_length: second,
            eot: false,
            header,
            payload: [0; 8],
        };
        if let Ok(decoded) = decode(&message, platform) {
            // What was understood means the same when it is sent again.
            let again = encode(&decoded.request, &decoded.form, platform);
            let again = again.map_err(|why| TestCaseError::fail(format!("{decoded:?}: {why}")))?;
            let back = decode(&again, platform).map(|back| back.request);
            prop_assert_eq!(back.ok(), Some(decoded.request));
        }
    }
}
