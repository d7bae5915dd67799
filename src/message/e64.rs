//! The descriptor of 47 bits that messages of Xe3p have.
//!
//! ```text
//!  46        22 21   16 15         6 5      0
//!  offsets      cache   sizes, kind  opcode     lengths and lanes are in the instruction
//! ```
//!
//! Addresses of surface and sampler states are operands of the instruction; the descriptor adds an index to each.
//! Its low dword is [`Message::desc`], the rest is [`Message::ex_desc`].
//!
//! Source: Xe2 messages reference 6 and 8.

use super::Sfid;
use super::bits::{EncodeError, Message, MessageForm};
use super::fields::{
    Field, Layout, e64_block2d as block, e64_fence as fence, e64_gateway as gateway,
    e64_sampler as sampler, e64_stateful as stateful, e64_stateless as stateless,
    e64_typed as typed,
};
use super::lsc::{self, opcode};
use super::request::{
    Access, Lsc, LscBlock2d, LscModel, LscOp, MediaBlock, Request, ReturnFormat, SamplerRequest,
};
use crate::isa::{Extension, Platform};

/// Address types of the load/store pipe.
const A32U: u32 = 0;
const A32S: u32 = 1;
const A64: u32 = 2;
const STATE: u32 = 3;

/// The type of the sampler's cache flush.
const FLUSH: u32 = 0x1f;

fn bad(text: &str) -> EncodeError {
    EncodeError::Unencodable(text.into())
}

/// The bits of a request; `form` has the lengths, which are no part of them.
pub(super) fn encode(
    request: &Request,
    form: &MessageForm,
    platform: Platform,
) -> Result<Message, EncodeError> {
    let mut words = [0; 2];
    let mut payload = [0; 8];
    let mut eot = false;
    let sfid = match request {
        Request::Sampler(r) => {
            put_sampler(&mut words, r, platform)?;
            Sfid::Sampler
        }
        Request::SamplerFlush => {
            sampler::TYPE.put(&mut words, FLUSH)?;
            sampler::CHANNELS.put(&mut words, 1)?;
            Sfid::Sampler
        }
        Request::Lsc(r) => {
            put_lanes(&mut words, r)?;
            payload = lsc::strided(r);
            r.sfid
        }
        Request::LscBlock2d(r) => {
            put_block(&mut words, r)?;
            payload = lsc::block_payload(r, [r.x, r.y])?;
            Sfid::Ugm
        }
        Request::MediaRead(r) => {
            payload = put_texels(&mut words, r, lsc::LOAD_BLOCK2D)?;
            Sfid::Tgm
        }
        Request::MediaWrite(r) => {
            payload = put_texels(&mut words, r, lsc::STORE_BLOCK2D)?;
            Sfid::Tgm
        }
        Request::LscFence(r) => {
            fence::OPCODE.put(&mut words, lsc::FENCE)?;
            fence::OPERATION.put(&mut words, r.flush)?;
            fence::SCOPE.put(&mut words, r.scope)?;
            r.sfid
        }
        Request::Barrier => {
            gateway::OPCODE.put(&mut words, 4)?;
            gateway::ACTIVE.put(&mut words, 1)?;
            Sfid::Gateway
        }
        Request::EndOfThread => {
            eot = true;
            Sfid::Gateway
        }
        _ => {
            return Err(EncodeError::Absent {
                what: request.name(),
                platform,
            });
        }
    };
    Ok(Message {
        sfid,
        desc: words[0],
        ex_desc: words[1],
        extended_length: form.second,
        eot,
        header: payload,
        payload: [0; 8],
    })
}

fn put_sampler(
    words: &mut [u32; 2],
    r: &SamplerRequest,
    platform: Platform,
) -> Result<(), EncodeError> {
    let code = r.op.code_on(platform).ok_or(EncodeError::Absent {
        what: r.op.name(),
        platform,
    })?;
    if r.channels.0 == 0 || r.channels.0 > 0xf || r.op.is_gather() && r.channels.count() != 1 {
        return Err(bad("channel set"));
    }
    sampler::TYPE.put(words, code)?;
    // A gather has the number of its channel in the upper bits.
    let channels = match r.op.is_gather() {
        true => r.channels.0.trailing_zeros() << 2,
        false => r.channels.0.into(),
    };
    sampler::CHANNELS.put(words, channels)?;
    sampler::PARAMS16.put(words, r.params16.into())?;
    sampler::RETURN16.put(words, (r.returns == ReturnFormat::Bits16).into())?;
    sampler::NULL_STATUS.put(words, r.pixel_null_mask.into())?;
    for (field, offset) in [sampler::OFFSET_U, sampler::OFFSET_V, sampler::OFFSET_R]
        .into_iter()
        .zip(r.offsets)
    {
        put_signed(field, words, offset.into())?;
    }
    sampler::SURFACE.put(words, r.surface)?;
    Ok(sampler::SAMPLER.put(words, r.sampler)?)
}

const fn is_load(op: LscOp) -> bool {
    matches!(op, LscOp::Load | LscOp::LoadQuad | LscOp::LoadStrided)
}

/// A message for lanes. The compiler asks for more than the lanes need where the first level caches.
fn put_lanes(words: &mut [u32; 2], r: &Lsc) -> Result<(), EncodeError> {
    let code = opcode(r.op).ok_or_else(|| bad("an operation of the load/store pipe"))?;
    stateless::OPCODE.put(words, code)?;
    stateless::CACHE.put(words, r.cache)?;
    if r.op.is_quad() {
        typed::CHANNELS.put(words, r.channels.0.into())?;
    } else {
        stateless::VECTOR.put(
            words,
            lsc::vector_code(r.vector).ok_or_else(|| bad("vector size"))?,
        )?;
        stateless::TRANSPOSED.put(words, r.transposed.into())?;
    }
    let texels = r.sfid == Sfid::Tgm;
    if !(texels && r.op.is_quad()) {
        stateless::DATA.put(words, r.data as u32)?;
    }
    let step = r.data.memory_bytes().cast_signed();
    let elements = r.offset / step;
    if elements * step != r.offset {
        return Err(bad("the offset is not a multiple of the element"));
    }
    let overfetch = !texels && is_load(r.op) && (6..=9).contains(&r.cache);
    stateless::OVERFETCH.put(words, overfetch.into())?;
    match r.model {
        LscModel::Flat => {
            let kind = match (r.sfid, r.address_bits) {
                (Sfid::Slm, _) => A32U,
                (_, 64) => A64,
                _ => match r.extend {
                    Some(Extension::Signed) => A32S,
                    _ => A32U,
                },
            };
            stateless::ADDRESS.put(words, kind)?;
            put_signed(stateless::OFFSET, words, elements)?;
            let element = r.vector.max(1) * r.data.memory_bytes();
            let scale = match r.scale {
                1 => 0,
                scale if scale == element => 1,
                scale if scale == 2 * element => 2,
                scale if scale == 4 * element => 3,
                _ => return Err(bad("addresses are scaled by 1, 2 or 4 elements")),
            };
            stateless::SCALE.put(words, scale)?;
        }
        LscModel::Bss(index) | LscModel::Ss(index) | LscModel::Bti(index) => {
            let quad = texels && r.op.is_quad();
            stateful::ADDRESS.put(words, if quad { 0 } else { STATE })?;
            stateful::SURFACE.put(words, index)?;
            if !texels {
                put_signed(stateful::OFFSET, words, elements)?;
            }
        }
    }
    Ok(())
}

fn put_block(words: &mut [u32; 2], r: &LscBlock2d) -> Result<(), EncodeError> {
    let code = match r.access {
        Access::Read => lsc::LOAD_BLOCK2D,
        Access::Write => lsc::STORE_BLOCK2D,
    };
    block::OPCODE.put(words, code)?;
    block::VNNI.put(words, r.vnni.into())?;
    block::TRANSPOSED.put(words, r.transposed.into())?;
    let size = [1, 2, 4, 8].iter().position(|&bytes| bytes == r.element);
    let size = size.ok_or_else(|| bad("elements of 1, 2, 4 or 8 bytes"))?;
    block::DATA.put(words, size as u32)?;
    block::ADDRESS.put(words, A64)?;
    block::CACHE.put(words, r.cache)?;
    put_signed(block::X, words, r.offset[0])?;
    put_signed(block::Y, words, r.offset[1])
}

/// A block of texels; its payload.
fn put_texels(words: &mut [u32; 2], r: &MediaBlock, code: u32) -> Result<[u32; 8], EncodeError> {
    let (_, _, payload) = lsc::typed_block(r, code == lsc::STORE_BLOCK2D)?;
    block::OPCODE.put(words, code)?;
    block::DATA.put(words, 2)?;
    block::ADDRESS.put(words, STATE)?;
    Ok(payload)
}

fn put_signed(field: Field, words: &mut [u32; 2], value: i32) -> Result<(), EncodeError> {
    let limit = 1_i64 << (field.width() - 1);
    if !(-limit..limit).contains(&i64::from(value)) {
        return Err(bad(&format!("{} of {value} does not fit", field.name)));
    }
    let bits = i64::from(value) as u64 & ((1 << field.width()) - 1);
    Ok(field.put_raw(words, bits)?)
}

/// The layout of a descriptor.
pub fn layout(sfid: Sfid, desc: u32) -> Option<&'static Layout> {
    let code = stateless::OPCODE.get(&[desc]);
    Some(match sfid {
        Sfid::Sampler => &sampler::LAYOUT,
        Sfid::Gateway => &gateway::LAYOUT,
        _ if !sfid.is_lsc() => return None,
        _ if code == lsc::FENCE => &fence::LAYOUT,
        _ if matches!(code, lsc::LOAD_BLOCK2D | lsc::STORE_BLOCK2D) => &block::LAYOUT,
        Sfid::Tgm => &typed::LAYOUT,
        _ if stateless::ADDRESS.get(&[desc]) == STATE => &stateful::LAYOUT,
        _ => &stateless::LAYOUT,
    })
}
