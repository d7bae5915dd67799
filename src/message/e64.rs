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
use super::bits::{DecodeError, EncodeError, Message, MessageForm, refuse_unknown, reserved, rows};
use super::fields::{
    Field, Layout, e64_block2d as block, e64_fence as fence, e64_gateway as gateway,
    e64_sampler as sampler, e64_stateful as stateful, e64_stateless as stateless,
    e64_typed as typed,
};
use super::lsc::{self, opcode};
use super::request::{
    Access, Lsc, LscBlock2d, LscData, LscFence, LscModel, LscOp, MediaBlock, Request, ReturnFormat,
    SamplerOp, SamplerRequest,
};
use crate::isa::{ChannelMask, Extension, Platform};

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
    // Where a descriptor of 47 bits has an append counter's surface is not published.
    let counter = matches!(r.op, LscOp::AppendCounter(_));
    if r.op.is_strided() || r.op == LscOp::StoreUncompressed || counter {
        return Err(bad("a message that descriptors of 47 bits no longer have"));
    }
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

/// The offset in bytes that a descriptor of 47 bits has room for, in elements; `None` for others.
pub fn immediate_offset(offset: i64, model: &LscModel, size: LscData) -> Option<i32> {
    let step = i64::from(size.memory_bytes());
    let limit = 1 << if *model == LscModel::Flat { 21 } else { 16 };
    let fits = offset % step == 0 && (-limit..limit).contains(&(offset / step));
    fits.then(|| i32::try_from(offset).ok()).flatten()
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

/// What the instruction says of a message, and not its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fields {
    /// Lanes of the message.
    pub lanes: u32,
    /// Registers out and back.
    pub form: MessageForm,
}

/// Turns bits back into the request.
///
/// # Errors
/// [`DecodeError`] naming the field or length that makes no sense.
pub fn decode(
    message: &Message,
    fields: &Fields,
    platform: Platform,
) -> Result<Request, DecodeError> {
    let words = [message.desc, message.ex_desc];
    let code = stateless::OPCODE.get(&words);
    let layout =
        layout(message.sfid, message.desc).ok_or(DecodeError::UnknownFunction(message.sfid))?;
    refuse_unknown(layout, &words)?;
    match message.sfid {
        Sfid::Sampler if sampler::TYPE.get(&words) == FLUSH => Ok(Request::SamplerFlush),
        Sfid::Sampler => sampler_request(&words, fields, platform),
        Sfid::Gateway => gateway_request(&words, message.eot),
        _ if code == lsc::FENCE => Ok(Request::LscFence(LscFence {
            sfid: message.sfid,
            flush: fence::OPERATION.get(&words),
            scope: fence::SCOPE.get(&words),
        })),
        Sfid::Tgm if matches!(code, lsc::LOAD_BLOCK2D | lsc::STORE_BLOCK2D) => {
            Ok(texels_request(&message.header, code))
        }
        _ if matches!(code, lsc::LOAD_BLOCK2D | lsc::STORE_BLOCK2D) => {
            let size = block::DATA.get(&words);
            let element = [1, 2, 4, 8].get(size as usize).copied();
            let bits = lsc::BlockBits {
                store: code == lsc::STORE_BLOCK2D,
                returns: fields.form.response > 0,
                element: reserved(block::DATA, size, element)?,
                transposed: block::TRANSPOSED.get(&words) != 0,
                vnni: block::VNNI.get(&words) != 0,
                cache: block::CACHE.get(&words),
                offset: [signed(block::X, &words), signed(block::Y, &words)],
            };
            lsc::block_request(&bits, &message.header, platform)
        }
        sfid => lanes_request(sfid, message, fields, platform),
    }
}

/// The value of a field as a signed number.
fn signed(field: Field, words: &[u32; 2]) -> i32 {
    let unused = 32 - field.width();
    (field.get(words) << unused).cast_signed() >> unused
}

fn gateway_request(words: &[u32; 2], eot: bool) -> Result<Request, DecodeError> {
    let (code, active) = (gateway::OPCODE.get(words), gateway::ACTIVE.get(words));
    match (code, active, eot) {
        (0, 0, true) => Ok(Request::EndOfThread),
        (4, 1, false) => Ok(Request::Barrier),
        (0 | 4, active, _) => reserved(gateway::ACTIVE, active, None),
        (code, ..) => reserved(gateway::OPCODE, code, None),
    }
}

fn texels_request(payload: &[u32; 8], code: u32) -> Request {
    let block = lsc::texels(payload, 0);
    match code {
        lsc::STORE_BLOCK2D => Request::MediaWrite(block),
        _ => Request::MediaRead(block),
    }
}

fn sampler_request(
    words: &[u32; 2],
    fields: &Fields,
    platform: Platform,
) -> Result<Request, DecodeError> {
    let code = sampler::TYPE.get(words);
    let op = SamplerOp::from_code_on(code, platform).ok_or(DecodeError::UnknownType {
        sfid: Sfid::Sampler,
        value: code,
    })?;
    for field in [
        sampler::FEEDBACK,
        sampler::CACHE,
        sampler::BACKING,
        sampler::KIND,
    ] {
        let value = field.get(words);
        reserved(field, value, (value == 0).then_some(()))?;
    }
    let bits = sampler::CHANNELS.get(words);
    let channels = match op.is_gather() {
        true => (bits & 3 == 0).then(|| ChannelMask(1 << (bits >> 2))),
        false => (bits != 0).then_some(ChannelMask(bits as u8)),
    };
    let mut r = SamplerRequest {
        op,
        surface: sampler::SURFACE.get(words),
        sampler: sampler::SAMPLER.get(words),
        channels: reserved(sampler::CHANNELS, bits, channels)?,
        lanes: fields.lanes,
        offsets: [sampler::OFFSET_U, sampler::OFFSET_V, sampler::OFFSET_R]
            .map(|field| signed(field, words) as i8),
        coarse: false,
        pixel_null_mask: sampler::NULL_STATUS.get(words) != 0,
        params16: sampler::PARAMS16.get(words) != 0,
        returns: match sampler::RETURN16.get(words) {
            0 => ReturnFormat::Bits32,
            _ => ReturnFormat::Bits16,
        },
        params: 0,
    };
    if op != SamplerOp::Sampleinfo {
        r.params = fields.form.registers() / r.parameter_rows(platform);
    }
    Ok(Request::Sampler(r))
}

fn lanes_request(
    sfid: Sfid,
    message: &Message,
    fields: &Fields,
    platform: Platform,
) -> Result<Request, DecodeError> {
    let words = [message.desc, message.ex_desc];
    let code = stateless::OPCODE.get(&words);
    let op = reserved(stateless::OPCODE, code, lsc::operation(code))?;
    let texels = sfid == Sfid::Tgm;
    let quad = op.is_quad();
    let size = stateless::DATA.get(&words);
    let data = match texels && quad {
        true => (size == 0).then_some(LscData::D32),
        false => LscData::ALL.get(size as usize).copied(),
    };
    let data = reserved(stateless::DATA, size, data)?;
    let vector = match quad {
        true => 1,
        false => lsc::vector_of(stateless::VECTOR.get(&words)),
    };
    let kind = stateless::ADDRESS.get(&words);
    let stateful = kind == STATE || texels;
    let index = stateful::SURFACE.get(&words);
    let elements = match (stateful, texels) {
        (_, true) => 0,
        (true, _) => signed(stateful::OFFSET, &words),
        (false, _) => signed(stateless::OFFSET, &words),
    };
    let element = vector.max(1) * data.memory_bytes();
    let scale = match stateful {
        true => 0,
        false => stateless::SCALE.get(&words),
    };
    let (address_bits, extend) = match (sfid, kind) {
        (Sfid::Slm | Sfid::Tgm, _) => (32, None),
        (_, A64) => (64, None),
        (_, A32S) => (32, Some(Extension::Signed)),
        _ => (32, Some(Extension::Unsigned)),
    };
    let one = rows(fields.lanes * 4, platform);
    Ok(Request::Lsc(Lsc {
        sfid,
        model: match stateful {
            true => LscModel::Bss(index),
            false => LscModel::Flat,
        },
        op,
        data,
        vector,
        transposed: !quad && stateless::TRANSPOSED.get(&words) != 0,
        channels: match quad {
            true => ChannelMask(typed::CHANNELS.get(&words) as u8),
            false => ChannelMask(0),
        },
        returns: fields.form.response > 0,
        address_bits,
        extend,
        scale: if scale == 0 {
            1
        } else {
            element << (scale - 1)
        },
        offset: elements.wrapping_mul(data.memory_bytes().cast_signed()),
        lanes: fields.lanes,
        coordinates: if texels { fields.form.first / one } else { 1 },
        cache: stateless::CACHE.get(&words),
        strided: lsc::strided_of(op, &message.header),
    }))
}
