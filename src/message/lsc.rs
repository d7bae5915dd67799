//! Messages of the load/store pipe up to Xe3: one descriptor has lengths and function, the extended one has the
//! surface and, from Xe2 on, an immediate offset. There is no header.
//!
//! ```text
//!  30:29  28:25   24:20     19:16  15 14:12   11:9       8:7           5:0
//!  model  length  response  cache  t  vector  data size  address size  opcode
//!                                  [channels]                                 quad
//!                                  t          data size  0, VNNI              2D block
//! ```
//!
//! Source: Xe2 messages reference 7.

use super::Sfid;
use super::bits::{
    DecodeError, Decoded, EncodeError, Message, MessageForm, refuse_unknown, refuse_unknown_in,
    reserved,
};
use super::dataport::BINDLESS;
use super::default_lengths::form as default_form;
use super::fields::lsc_typed_block_payload as t;
use super::fields::{self, Field, Layout, extended_lsc as x, extended_lsc_bti as bti, lsc as c};
use super::request::{
    Access, DataPath, FieldSelect, Lsc, LscBlock2d, LscData, LscModel, LscOp, MediaBlock, Request,
    Strided,
};
use crate::isa::platforms::{Dialect, Lsc as Pipe};
use crate::isa::{AtomicOp, ChannelMask, Platform};

/// Opcodes of the operations, but for the 2D blocks and the fence. Source: Xe2 messages reference 7.
#[rustfmt::skip]
static OPCODES: &[(LscOp, u32)] = &[
    (LscOp::Load,              0x00), (LscOp::LoadStrided,  0x01), (LscOp::LoadQuad,  0x02),
    (LscOp::Store,             0x04), (LscOp::StoreStrided, 0x05), (LscOp::StoreQuad, 0x06),
    (LscOp::Atomic(AtomicOp::Inc),     0x08), (LscOp::Atomic(AtomicOp::Dec),     0x09),
    (LscOp::AtomicLoad,                0x0a), (LscOp::Atomic(AtomicOp::Xchg),    0x0b),
    (LscOp::Atomic(AtomicOp::Add),     0x0c), (LscOp::Atomic(AtomicOp::Sub),     0x0d),
    (LscOp::Atomic(AtomicOp::MinSint), 0x0e), (LscOp::Atomic(AtomicOp::MaxSint), 0x0f),
    (LscOp::Atomic(AtomicOp::Min),     0x10), (LscOp::Atomic(AtomicOp::Max),     0x11),
    (LscOp::Atomic(AtomicOp::CmpXchg), 0x12),
    (LscOp::Atomic(AtomicOp::FAdd),    0x13), (LscOp::Atomic(AtomicOp::FSub),    0x14),
    (LscOp::Atomic(AtomicOp::FMin),    0x15), (LscOp::Atomic(AtomicOp::FMax),    0x16),
    (LscOp::Atomic(AtomicOp::FCmpWr),  0x17),
    (LscOp::Atomic(AtomicOp::And),     0x18), (LscOp::Atomic(AtomicOp::Or),      0x19),
    (LscOp::Atomic(AtomicOp::Xor),     0x1a),
    (LscOp::StoreUncompressed,         0x1c), (LscOp::ReadState,                 0x1e),
    (LscOp::BfAtomic(AtomicOp::FAdd),  0x21), (LscOp::BfAtomic(AtomicOp::FSub),  0x22),
    (LscOp::BfAtomic(AtomicOp::FMin),  0x23), (LscOp::BfAtomic(AtomicOp::FMax),  0x24),
    (LscOp::BfAtomic(AtomicOp::FCmpWr), 0x25),
    (LscOp::AppendCounter(AtomicOp::Add),  0x28), (LscOp::AppendCounter(AtomicOp::Sub), 0x29),
    (LscOp::AppendCounter(AtomicOp::Xchg), 0x2a),
];

/// Opcodes of the 2D blocks and of the fence.
pub(super) const LOAD_BLOCK2D: u32 = 0x03;
pub(super) const STORE_BLOCK2D: u32 = 0x07;
pub(super) const FENCE: u32 = 0x1f;

/// Codes of the vector sizes.
const VECTORS: [u32; 8] = [1, 2, 3, 4, 8, 16, 32, 64];

/// Codes of address types.
const BSS: u32 = 1;
const SS: u32 = 2;
const BTI: u32 = 3;

/// The code of an operation; `None` of what is not modelled.
pub(super) fn opcode(op: LscOp) -> Option<u32> {
    OPCODES.iter().find(|row| row.0 == op).map(|row| row.1)
}

/// The operation of a code.
pub(super) fn operation(code: u32) -> Option<LscOp> {
    OPCODES.iter().find(|row| row.1 == code).map(|row| row.0)
}

/// The vector size of a code of three bits.
pub(super) fn vector_of(code: u32) -> u32 {
    VECTORS[code as usize & 7]
}

/// The code of a vector size.
pub(super) fn vector_code(count: u32) -> Option<u32> {
    VECTORS
        .iter()
        .position(|&known| known == count)
        .map(|at| at as u32)
}

/// Whether a request goes to the load/store pipe; its fences have the outer fields of other messages.
pub fn is_served(request: &Request, platform: Platform) -> bool {
    match request {
        Request::Lsc(_) | Request::LscBlock2d(_) => true,
        // Blocks of texels have moved here. Source: Xe2 messages reference 9.
        Request::MediaRead(_) | Request::MediaWrite(_) => !platform.data_caches,
        _ => false,
    }
}

/// Whether a descriptor to a function of the pipe is one of these.
pub(super) fn is_meant(sfid: Sfid, desc: u32) -> bool {
    sfid.is_lsc() && c::OPCODE.get(&[desc]) != FENCE
}

/// The layout of a descriptor; none for the fence and for opcodes that are not known.
pub(super) fn layout(sfid: Sfid, desc: u32) -> Option<&'static Layout> {
    let opcode = c::OPCODE.get(&[desc]);
    if is_typed_block(sfid, opcode) {
        return Some(&fields::lsc_typed_block::LAYOUT);
    }
    if matches!(opcode, LOAD_BLOCK2D | STORE_BLOCK2D) {
        return Some(&fields::lsc_block2d::LAYOUT);
    }
    let (op, _) = OPCODES.iter().find(|row| row.1 == opcode)?;
    Some(match op.is_quad() {
        true => &fields::lsc_quad::LAYOUT,
        false => &c::LAYOUT,
    })
}

/// The layouts of both descriptors of a message; none of other messages than these, and where one descriptor has all.
pub fn layouts(sfid: Sfid, desc: u32, platform: Platform) -> Option<[&'static Layout; 2]> {
    let two = is_meant(sfid, desc) && platform.dialect != Dialect::Xe3p;
    Some([
        layout(sfid, desc).filter(|_| two)?,
        extended_layout(sfid, desc),
    ])
}

/// The layout of the extended descriptor that belongs to a descriptor.
fn extended_layout(sfid: Sfid, desc: u32) -> &'static Layout {
    match (c::OPCODE.get(&[desc]), c::MODEL.get(&[desc])) {
        (opcode, BTI) if is_typed_block(sfid, opcode) => &fields::extended_lsc_typed_block::LAYOUT,
        (opcode, _) if is_typed_block(sfid, opcode) => &fields::extended_lsc_handle::LAYOUT,
        (LOAD_BLOCK2D | STORE_BLOCK2D, _) => &fields::extended_lsc_block2d::LAYOUT,
        (_, BTI) => &bti::LAYOUT,
        (_, BSS | SS) => &fields::extended_lsc_handle::LAYOUT,
        _ => &x::LAYOUT,
    }
}

/// A cache policy: the word for each level, and its code.
type Policy = (&'static [&'static str], u32);

/// Policies of loads for two levels. The codes have three bits on top of one that only later parts have.
/// Source: Xe2 messages reference 7, "Cache control".
#[rustfmt::skip]
static LOADS: &[Policy] = &[
    (&["df", "df"], 0), (&["uc", "uc"], 2), (&["uc", "ca"], 4), (&["ca", "uc"], 6), (&["ca", "ca"], 8),
    (&["st", "uc"], 10), (&["st", "ca"], 12), (&["ri", "ca"], 14),
    (&["uc", "cc"], 5), (&["ca", "cc"], 9), (&["ri", "ri"], 14),
];
/// Policies of stores and atomics for two levels.
#[rustfmt::skip]
static STORES: &[Policy] = &[
    (&["df", "df"], 0), (&["uc", "uc"], 2), (&["uc", "wb"], 4), (&["wt", "uc"], 6), (&["wt", "wb"], 8),
    (&["st", "uc"], 10), (&["st", "wb"], 12), (&["wb", "wb"], 14),
];
/// Policies of loads for three levels. Source: Xe2 messages reference 8.
#[rustfmt::skip]
static LOADS_OF_THREE: &[Policy] = &[
    (&["df", "df", "df"], 0), (&["uc", "uc", "uc"], 2), (&["uc", "uc", "ca"], 3), (&["uc", "ca", "uc"], 4),
    (&["uc", "ca", "ca"], 5), (&["ca", "uc", "uc"], 6), (&["ca", "uc", "ca"], 7), (&["ca", "ca", "uc"], 8),
    (&["ca", "ca", "ca"], 9), (&["st", "uc", "uc"], 10), (&["st", "uc", "ca"], 11), (&["st", "ca", "uc"], 12),
    (&["st", "ca", "ca"], 13), (&["ri", "ri", "ri"], 14),
];
/// Policies of stores and atomics for three levels.
#[rustfmt::skip]
static STORES_OF_THREE: &[Policy] = &[
    (&["df", "df", "df"], 0), (&["uc", "uc", "uc"], 2), (&["uc", "uc", "wb"], 3), (&["uc", "wb", "uc"], 4),
    (&["uc", "wb", "wb"], 5), (&["wt", "uc", "uc"], 6), (&["wt", "uc", "wb"], 7), (&["wt", "wb", "uc"], 8),
    (&["wt", "wb", "wb"], 9), (&["st", "uc", "uc"], 10), (&["st", "uc", "wb"], 11), (&["st", "wb", "uc"], 12),
    (&["wb", "uc", "uc"], 13), (&["wb", "wb", "uc"], 14), (&["wb", "uc", "wb"], 15),
];

/// The cache policies of a pipe, default first.
fn cache_policies(store: bool, pipe: &Pipe) -> impl Iterator<Item = Policy> {
    let (policies, known) = match (store, pipe.cache_levels) {
        (false, 3) => (LOADS_OF_THREE, LOADS_OF_THREE.len()),
        (true, 3) => (STORES_OF_THREE, STORES_OF_THREE.len()),
        // The last three need the fourth bit.
        (false, _) => (LOADS, if pipe.cache_bits == 4 { LOADS.len() } else { 8 }),
        (true, _) => (STORES, STORES.len()),
    };
    policies[..known].iter().copied()
}

/// The code of a cache policy by the words of the text; `None` if the pipe has no such policy.
pub fn cache_code(words: &[impl AsRef<str>], store: bool, pipe: &Pipe) -> Option<u32> {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let mut policies = cache_policies(store, pipe);
    match words.is_empty() {
        true => Some(0),
        false => policies.find(|row| row.0 == words).map(|row| row.1),
    }
}

/// The words of a cache policy, none for the default one.
pub fn cache_words(code: u32, store: bool, pipe: &Pipe) -> Vec<&'static str> {
    let mut policies = cache_policies(store, pipe).skip(1);
    let policy = policies.find(|row| row.1 == code);
    policy.map(|row| row.0.to_vec()).unwrap_or_default()
}

/// The immediate offset in bytes that an extended descriptor has room for; `None` for others.
/// Source: Xe2 messages reference 7, "Extended descriptor".
pub fn immediate_offset(offset: i64, model: &LscModel, pipe: &Pipe) -> Option<i32> {
    let field = match model {
        _ if !pipe.immediate_offsets => return None,
        LscModel::Flat => x::OFFSET,
        LscModel::Bti(_) => bti::OFFSET,
        LscModel::Bss(_) | LscModel::Ss(_) => return None,
    };
    let offset = i32::try_from(offset).ok()?;
    let fits = signed(field, offset as u32 & field.max()) == offset;
    (fits && offset % 4 == 0).then_some(offset)
}

/// The value of a field as a signed number.
fn signed(field: Field, value: u32) -> i32 {
    let unused = 31 - (field.hi - field.lo);
    (value << unused).cast_signed() >> unused
}

fn put_signed(field: Field, words: &mut [u32; 1], value: i32) -> Result<(), EncodeError> {
    let bits = value as u32 & field.max();
    if signed(field, bits) != value {
        return Err(bad(format!("{} of {value} does not fit", field.name)));
    }
    Ok(field.put(words, bits)?)
}

fn bad(text: impl Into<String>) -> EncodeError {
    EncodeError::Unencodable(text.into())
}

pub(super) fn encode(
    request: &Request,
    form: &MessageForm,
    platform: Platform,
) -> Result<Message, EncodeError> {
    let absent = |what| EncodeError::Absent { what, platform };
    let pipe = platform.lsc.ok_or(absent("the load/store pipe"))?;
    if form.header || form.first == 0 {
        return Err(bad("the first payload has addresses, and no header"));
    }
    let (sfid, desc, ex_desc, payload) = match request {
        Request::Lsc(r) => {
            let (desc, ex_desc) = lanes(r, &pipe)?;
            (r.sfid, desc, ex_desc, strided(r))
        }
        Request::LscBlock2d(r) if pipe.block2d => {
            let (desc, ex_desc, payload) = block(r, &pipe)?;
            (Sfid::Ugm, desc, ex_desc, payload)
        }
        Request::LscBlock2d(_) => return Err(absent("2D blocks of memory")),
        Request::MediaRead(r) | Request::MediaWrite(r) => {
            let store = matches!(request, Request::MediaWrite(_));
            let (desc, ex_desc, payload) = typed_block(r, store)?;
            (Sfid::Tgm, desc, ex_desc, payload)
        }
        _ => return Err(bad("a message of the load/store pipe")),
    };
    let mut desc = [desc];
    c::LENGTH.put(&mut desc, form.first)?;
    c::RESPONSE.put(&mut desc, form.response)?;
    Ok(Message {
        sfid,
        desc: desc[0],
        ex_desc,
        extended_length: form.second,
        eot: false,
        header: payload,
        payload: [0; 8],
    })
}

/// Base and stride in the first register of the payload.
pub(super) fn strided(r: &Lsc) -> [u32; 8] {
    let Strided { base, stride } = r.strided;
    [base as u32, (base >> 32) as u32, stride, 0, 0, 0, 0, 0]
}

/// Base and stride of the strided forms.
pub(super) fn strided_of(op: LscOp, header: &[u32; 8]) -> Strided {
    match op.is_strided() {
        true => Strided {
            base: u64::from(header[1]) << 32 | u64::from(header[0]),
            stride: header[2],
        },
        false => Strided::default(),
    }
}

fn put_cache(words: &mut [u32; 1], cache: u32, pipe: &Pipe) -> Result<(), EncodeError> {
    if cache & 1 != 0 && pipe.cache_bits != 4 {
        return Err(bad("a cache policy of Xe2 and later"));
    }
    c::CACHE.put(words, cache >> 1)?;
    Ok(c::CACHE_LOW.put(words, cache & 1)?)
}

/// Both descriptors of a message for lanes, without its lengths.
fn lanes(r: &Lsc, pipe: &Pipe) -> Result<(u32, u32), EncodeError> {
    let opcode = OPCODES.iter().find(|row| row.0 == r.op);
    let opcode = opcode.ok_or(bad("an operation of the load/store pipe"))?.1;
    if matches!(r.op, LscOp::AppendCounter(_)) && !r.is_plain() {
        return Err(bad(
            "an append counter: one element of 32-bit addresses, of a surface that is not typed",
        ));
    }
    if matches!(r.op, LscOp::BfAtomic(_)) {
        return Err(bad("no bfloat16, which descriptors of 47 bits have"));
    }
    if (r.extend, r.scale) != (None, 1) {
        return Err(bad("addresses as they are: scales are of Xe3p"));
    }
    if !r.sfid.is_lsc() {
        return Err(bad("a function of the load/store pipe"));
    }
    let mut desc = [0];
    c::OPCODE.put(&mut desc, opcode)?;
    put_cache(&mut desc, r.cache, pipe)?;
    let (model, ex_desc) = model(r)?;
    c::MODEL.put(&mut desc, model)?;
    if r.op == LscOp::ReadState {
        return Ok((desc[0], ex_desc));
    }
    let address = match r.address_bits {
        // The counter's place is in the surface state.
        _ if matches!(r.op, LscOp::AppendCounter(_)) => 0,
        16 => 1,
        32 => 2,
        64 => 3,
        _ => return Err(bad("addresses of 16, 32 or 64 bits")),
    };
    c::ADDRESS.put(&mut desc, address)?;
    c::DATA.put(&mut desc, r.data as u32)?;
    if r.op.is_quad() {
        fields::lsc_quad::CHANNELS.put(&mut desc, r.channels.0.into())?;
        return Ok((desc[0], ex_desc));
    }
    let vector = VECTORS.iter().position(|&count| count == r.vector);
    let vector = vector.ok_or(bad("1, 2, 3, 4, 8, 16, 32 or 64 elements"))?;
    c::VECTOR.put(&mut desc, vector as u32)?;
    c::TRANSPOSED.put(&mut desc, r.transposed.into())?;
    Ok((desc[0], ex_desc))
}

/// The address type, and what the extended descriptor has.
fn model(r: &Lsc) -> Result<(u32, u32), EncodeError> {
    let mut word = [0];
    let model = match r.model {
        LscModel::Flat => {
            put_signed(x::OFFSET, &mut word, r.offset)?;
            0
        }
        LscModel::Bti(index) => {
            bti::BTI.put(&mut word, index)?;
            put_signed(bti::OFFSET, &mut word, r.offset)?;
            BTI
        }
        LscModel::Bss(handle) | LscModel::Ss(handle) => {
            if r.offset != 0 {
                return Err(bad(
                    "an address without an offset: the handle has its place",
                ));
            }
            word = [handle];
            let bindless = matches!(r.model, LscModel::Bss(_));
            if bindless { BSS } else { SS }
        }
    };
    Ok((model, word[0]))
}

/// Both descriptors of a 2D block without its lengths, and its payload.
fn block(r: &LscBlock2d, pipe: &Pipe) -> Result<(u32, u32, [u32; 8]), EncodeError> {
    use fields::lsc_block2d as b;
    let mut desc = [0];
    c::OPCODE.put(
        &mut desc,
        match r.access {
            Access::Read => LOAD_BLOCK2D,
            Access::Write => STORE_BLOCK2D,
        },
    )?;
    put_cache(&mut desc, r.cache, pipe)?;
    let size = [1, 2, 4, 8].iter().position(|&bytes| bytes == r.element);
    let size = size.ok_or(bad("elements of 1, 2, 4 or 8 bytes"))?;
    c::DATA.put(&mut desc, size as u32)?;
    b::VNNI.put(&mut desc, r.vnni.into())?;
    c::TRANSPOSED.put(&mut desc, r.transposed.into())?;
    let (mut word, [mut x, mut y]) = ([0], [r.x, r.y]);
    if pipe.immediate_offsets {
        put_signed(fields::extended_lsc_block2d::X, &mut word, r.offset[0])?;
        put_signed(fields::extended_lsc_block2d::Y, &mut word, r.offset[1])?;
    } else {
        x = x.wrapping_add(r.offset[0]);
        y = y.wrapping_add(r.offset[1]);
    }
    Ok((desc[0], word[0], block_payload(r, [x, y])?))
}

/// The payload register of a 2D block at an element of its surface.
pub(super) fn block_payload(r: &LscBlock2d, [x, y]: [i32; 2]) -> Result<[u32; 8], EncodeError> {
    if r.blocks == 0 || r.width == 0 || r.height == 0 {
        return Err(bad("at least one block of one element"));
    }
    use fields::lsc_block2d_payload as p;
    let mut payload = [0; 8];
    p::BASE_LOW.put(&mut payload, r.address as u32)?;
    p::BASE_HIGH.put(&mut payload, (r.address >> 32) as u32)?;
    p::WIDTH.put(&mut payload, r.surface_width)?;
    p::HEIGHT.put(&mut payload, r.surface_height)?;
    p::PITCH.put(&mut payload, r.surface_pitch)?;
    p::X.put(&mut payload, x as u32)?;
    p::Y.put(&mut payload, y as u32)?;
    p::BLOCKS.put(&mut payload, r.blocks - 1)?;
    p::BLOCK_HEIGHT.put(&mut payload, r.height - 1)?;
    p::BLOCK_WIDTH.put(&mut payload, r.width - 1)?;
    Ok(payload)
}

/// A block of texels, which takes the place of the media block: descriptors without lengths, and its register.
/// Source: Xe2 messages reference 9.
pub(super) fn typed_block(
    r: &MediaBlock,
    store: bool,
) -> Result<(u32, u32, [u32; 8]), EncodeError> {
    if r.field != FieldSelect::State || r.path != DataPath::DEFAULT {
        return Err(bad("a typed block has no field mode and one path"));
    }
    if r.width == 0 || r.height == 0 {
        return Err(bad("at least one byte"));
    }
    let (mut desc, mut word, mut payload) = ([0], [0], [0; 8]);
    c::OPCODE.put(&mut desc, if store { STORE_BLOCK2D } else { LOAD_BLOCK2D })?;
    match r.surface {
        BINDLESS => c::MODEL.put(&mut desc, BSS)?,
        index => {
            c::MODEL.put(&mut desc, BTI)?;
            bti::BTI.put(&mut word, index)?;
        }
    }
    t::X.put(&mut payload, r.x as u32)?;
    t::Y.put(&mut payload, r.y as u32)?;
    t::BLOCK_HEIGHT.put(&mut payload, r.height - 1)?;
    t::BLOCK_WIDTH.put(&mut payload, r.width - 1)?;
    Ok((desc[0], word[0], payload))
}

fn decode_typed_block(message: &Message) -> Result<Request, DecodeError> {
    let (desc, word, payload) = ([message.desc], [message.ex_desc], &message.header);
    let surface = match c::MODEL.get(&desc) {
        BSS => BINDLESS,
        BTI => {
            refuse_unknown(&fields::extended_lsc_typed_block::LAYOUT, &word)?;
            bti::BTI.get(&word)
        }
        model => return reserved(c::MODEL, model, None),
    };
    for dw in 5..8 {
        refuse_unknown_in(&t::LAYOUT, payload, dw)?;
    }
    let block = texels(payload, surface);
    Ok(match c::OPCODE.get(&desc) {
        STORE_BLOCK2D => Request::MediaWrite(block),
        _ => Request::MediaRead(block),
    })
}

/// A block of texels from its register.
pub(super) fn texels(payload: &[u32; 8], surface: u32) -> MediaBlock {
    MediaBlock {
        surface,
        field: FieldSelect::State,
        x: t::X.get(payload) as i32,
        y: t::Y.get(payload) as i32,
        width: t::BLOCK_WIDTH.get(payload) + 1,
        height: t::BLOCK_HEIGHT.get(payload) + 1,
        path: DataPath::DEFAULT,
    }
}

/// Whether a message is for a block of texels.
const fn is_typed_block(sfid: Sfid, opcode: u32) -> bool {
    matches!(sfid, Sfid::Tgm) && matches!(opcode, LOAD_BLOCK2D | STORE_BLOCK2D)
}

pub(super) fn decode(message: &Message, platform: Platform) -> Result<Decoded, DecodeError> {
    let Some(pipe) = platform.lsc else {
        return Err(DecodeError::UnknownFunction(message.sfid));
    };
    let desc = [message.desc];
    let opcode = c::OPCODE.get(&desc);
    let layout = layout(message.sfid, message.desc).ok_or(DecodeError::LoadStore {
        sfid: message.sfid,
        opcode,
    })?;
    refuse_unknown(layout, &desc)?;
    let low = c::CACHE_LOW.get(&desc);
    reserved(
        c::CACHE_LOW,
        low,
        (low == 0 || pipe.cache_bits == 4).then_some(()),
    )?;
    let form = MessageForm {
        header: false,
        first: c::LENGTH.get(&desc),
        second: message.extended_length,
        response: c::RESPONSE.get(&desc),
    };
    if form.first == 0 {
        let text = "a message has one register at least";
        return Err(DecodeError::Length(text.into()));
    }
    let request = match opcode {
        _ if is_typed_block(message.sfid, opcode) => decode_typed_block(message)?,
        LOAD_BLOCK2D | STORE_BLOCK2D => decode_block(message, &pipe, &form, platform)?,
        _ => decode_lanes(message, &pipe, &form, platform)?,
    };
    Ok(Decoded { request, form })
}

fn cache_of(desc: &[u32; 1]) -> u32 {
    c::CACHE.get(desc) << 1 | c::CACHE_LOW.get(desc)
}

fn decode_lanes(
    message: &Message,
    pipe: &Pipe,
    form: &MessageForm,
    platform: Platform,
) -> Result<Request, DecodeError> {
    let mut desc = [message.desc];
    let opcode = c::OPCODE.get(&desc);
    let op = OPCODES.iter().find(|row| row.1 == opcode).map(|row| row.0);
    let op = reserved(c::OPCODE, opcode, op)?;
    if matches!(op, LscOp::BfAtomic(_)) {
        return Err(DecodeError::Reserved {
            field: c::OPCODE,
            value: opcode,
        });
    }
    if op == LscOp::ReadState {
        // A state has no elements: what these say is not looked at.
        desc[0] &= !(c::DATA.mask() | c::VECTOR.mask() | c::TRANSPOSED.mask());
    }
    let state = matches!(op, LscOp::ReadState | LscOp::AppendCounter(_));
    let size = c::DATA.get(&desc);
    let address = c::ADDRESS.get(&desc);
    let (model, offset) = decode_model(message, pipe)?;
    let transposed = !op.is_quad() && c::TRANSPOSED.get(&desc) != 0;
    let header = &message.header;
    let strided = strided_of(op, header);
    let known = (state && address == 0).then_some(32);
    let bits = known.or((address > 0 && !state).then_some(8 << address));
    let r = Lsc {
        sfid: message.sfid,
        model,
        op,
        data: reserved(c::DATA, size, LscData::ALL.get(size as usize).copied())?,
        vector: match op.is_quad() {
            true => 1,
            false => VECTORS[c::VECTOR.get(&desc) as usize],
        },
        transposed,
        channels: match op.is_quad() {
            true => ChannelMask(fields::lsc_quad::CHANNELS.get(&desc) as u8),
            false => ChannelMask(0),
        },
        returns: form.response > 0,
        address_bits: reserved(c::ADDRESS, address, bits)?,
        extend: None,
        scale: 1,
        offset,
        lanes: 1,
        coordinates: 1,
        cache: cache_of(&desc),
        strided,
    };
    by_lengths(r, pipe, form, platform)
        .map(Request::Lsc)
        .ok_or_else(|| {
            DecodeError::Length(format!(
                "{} and {} registers out, {} back: no number of lanes has these lengths",
                form.first, form.second, form.response
            ))
        })
}

/// The request with the lanes and coordinates that its lengths tell. Source: Xe2 messages reference 7, "Lengths".
fn by_lengths(mut r: Lsc, pipe: &Pipe, form: &MessageForm, platform: Platform) -> Option<Lsc> {
    let typed = r.sfid == Sfid::Tgm && r.op != LscOp::ReadState;
    let least = if typed {
        pipe.typed_lanes
    } else {
        pipe.untyped_lanes
    };
    let counts: &[u32] = match r.transposed || r.op == LscOp::ReadState {
        true => &[1],
        false => &[8, 16, 32],
    };
    let coordinates = 1..=if typed { 4 } else { 1 };
    for coordinates in coordinates {
        for &lanes in counts.iter().filter(|&&n| n == 1 || n >= least) {
            (r.lanes, r.coordinates) = (lanes, coordinates);
            if default_form(&Request::Lsc(r), platform) == *form {
                return Some(r);
            }
        }
    }
    None
}

fn decode_model(message: &Message, pipe: &Pipe) -> Result<(LscModel, i32), DecodeError> {
    let word = [message.ex_desc];
    let field = c::MODEL.get(&[message.desc]);
    let (model, offset) = match field {
        BSS => return Ok((LscModel::Bss(message.ex_desc), 0)),
        SS => return Ok((LscModel::Ss(message.ex_desc), 0)),
        BTI => {
            refuse_unknown(&fields::extended_lsc_bti::LAYOUT, &word)?;
            (LscModel::Bti(bti::BTI.get(&word)), bti::OFFSET)
        }
        _ => {
            refuse_unknown(&x::LAYOUT, &word)?;
            (LscModel::Flat, x::OFFSET)
        }
    };
    let value = offset.get(&word);
    let known = (value == 0 || pipe.immediate_offsets).then(|| signed(offset, value));
    Ok((model, reserved(offset, value, known)?))
}

fn decode_block(
    message: &Message,
    pipe: &Pipe,
    form: &MessageForm,
    platform: Platform,
) -> Result<Request, DecodeError> {
    use fields::lsc_block2d as b;
    let desc = [message.desc];
    if !pipe.block2d || message.sfid != Sfid::Ugm {
        let (sfid, opcode) = (message.sfid, c::OPCODE.get(&desc));
        return Err(DecodeError::LoadStore { sfid, opcode });
    }
    let model = c::MODEL.get(&desc);
    reserved(c::MODEL, model, (model == 0).then_some(()))?;
    let size = c::DATA.get(&desc);
    let element = reserved(c::DATA, size, (size < 4).then_some(1 << size))?;
    let word = [message.ex_desc];
    refuse_unknown(&fields::extended_lsc_block2d::LAYOUT, &word)?;
    let offset = [
        fields::extended_lsc_block2d::X,
        fields::extended_lsc_block2d::Y,
    ]
    .map(|field| (field, field.get(&word)));
    for (field, value) in offset {
        let known = (value == 0 || pipe.immediate_offsets).then_some(());
        reserved(field, value, known)?;
    }
    let bits = BlockBits {
        store: c::OPCODE.get(&desc) == STORE_BLOCK2D,
        returns: form.response > 0,
        element,
        transposed: c::TRANSPOSED.get(&desc) != 0,
        vnni: b::VNNI.get(&desc) != 0,
        cache: cache_of(&desc),
        offset: offset.map(|(field, value)| signed(field, value)),
    };
    block_request(&bits, &message.header, platform)
}

/// What descriptors say of a 2D block.
pub(super) struct BlockBits {
    pub store: bool,
    pub returns: bool,
    /// Bytes.
    pub element: u32,
    pub transposed: bool,
    pub vnni: bool,
    pub cache: u32,
    /// Elements.
    pub offset: [i32; 2],
}

/// A 2D block from its descriptors and its register.
pub(super) fn block_request(
    bits: &BlockBits,
    payload: &[u32; 8],
    platform: Platform,
) -> Result<Request, DecodeError> {
    use fields::lsc_block2d_payload as p;
    refuse_unknown(&p::LAYOUT, &payload[..])?;
    let low = u64::from(p::BASE_LOW.get(payload));
    let r = LscBlock2d {
        access: if bits.store {
            Access::Write
        } else {
            Access::Read
        },
        returns: bits.returns,
        element: bits.element,
        blocks: p::BLOCKS.get(payload) + 1,
        width: p::BLOCK_WIDTH.get(payload) + 1,
        height: p::BLOCK_HEIGHT.get(payload) + 1,
        transposed: bits.transposed,
        vnni: bits.vnni,
        cache: bits.cache,
        offset: bits.offset,
        address: u64::from(p::BASE_HIGH.get(payload)) << 32 | low,
        surface_width: p::WIDTH.get(payload),
        surface_height: p::HEIGHT.get(payload),
        surface_pitch: p::PITCH.get(payload),
        x: p::X.get(payload) as i32,
        y: p::Y.get(payload) as i32,
    };
    if r.bytes(platform.grf_bytes()) as usize > LscBlock2d::MOST_BYTES {
        return Err(DecodeError::Length(format!(
            "{} blocks of {} by {} elements do not fit in registers",
            r.blocks, r.width, r.height
        )));
    }
    Ok(Request::LscBlock2d(r))
}
