//! Messages of Ironlake: what the sampler, the data port, the math unit and the gateway of this part
//! are asked, and the bits.
//!
//! Much is as on later parts, but the sampler's parameters stand in another order, the data port has
//! one function for reads and one for writes, and extended math is a message.
//!
//! Source: lowering reference 18; PRM 2.6, 4.11, 5.10, 6.1.

use super::Sfid;
use super::bits::{
    DecodeError, Decoded, EncodeError, Extended, Form, Message, descriptor, extended_descriptor,
    refuse_unknown, refuse_unknown_in, reserved,
};
use super::dataport::field_bits;
use super::fields::{
    self, extended_gen5, gateway, gen5_math as math, gen5_read as read, gen5_sampler as sampler,
    gen5_write as write, media_block_header, offset_header, outer, sampler_header,
};
use super::request::{
    Access, FieldSelect, MediaBlock, OwordBlock, Request, ReturnFormat, SamplerOp, SamplerRequest,
    Scattered,
};
use crate::isa::{ChannelMask, Platform};
use crate::math::unit::{Control, Function};

/// Which cache a read goes through. Source: lowering reference 18.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cache {
    /// Data cache.
    Data = 0,
    /// Render cache: sees the thread's own writes.
    Render = 1,
    /// Sampler cache.
    Sampler = 2,
    /// Sampler cache in field mode: media blocks of every line only.
    SamplerField = 3,
}

/// What Ironlake can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// SIMD8 and SIMD16 sampling and loading; parameters in this part's order.
    Sampler(SamplerRequest),
    /// SIMD32/64 message of the sampler: 0xB scaler 8x8, 8 deinterlace, 0xC unorm.
    SamplerBlock {
        /// Message type.
        kind: u32,
        /// Binding table index.
        surface: u32,
        /// Sampler state index.
        sampler: u32,
        /// Channels returned.
        channels: ChannelMask,
    },
    /// Media block read.
    MediaRead(MediaBlock, Cache),
    /// Media block write; answers when `commit`.
    MediaWrite {
        /// The block.
        block: MediaBlock,
        /// A register comes back.
        commit: bool,
    },
    /// Oword block; the offset counts bytes.
    Oword {
        /// The block.
        block: OwordBlock,
        /// Where reads go through.
        cache: Cache,
        /// Writes answer.
        commit: bool,
    },
    /// Two oword blocks at two offsets.
    DualOword {
        /// Binding table index.
        surface: u32,
        /// Direction.
        access: Access,
        /// Where reads go through.
        cache: Cache,
        /// 1 or 4 owords in each.
        owords: u32,
    },
    /// One dword for each lane at byte offsets.
    DwordScattered(Scattered, Cache),
    /// Render target write: 0 SIMD16, 1 replicated, 2 and 3 dual source, 4 SIMD8.
    Target {
        /// Binding table index.
        surface: u32,
        /// Which form.
        form: u32,
        /// The last target.
        last: bool,
        /// The thread ends with it.
        eot: bool,
    },
    /// The render cache is emptied.
    FlushRender {
        /// A register comes back.
        commit: bool,
    },
    /// Extended math.
    Math(Control),
    /// Gateway: 0 open, 1 close, 2 forward.
    Gateway(u32),
    /// A root or child thread ends.
    EndOfThread {
        /// It is a child thread.
        child: bool,
    },
}

/// Read types. Source: lowering reference 18.5.
mod reads {
    pub const OWORD: u32 = 0;
    pub const DUAL_OWORD: u32 = 2;
    pub const MEDIA: u32 = 4;
    pub const DWORD: u32 = 6;
}

/// Write types. Source: lowering reference 18.5.
mod writes {
    pub const OWORD: u32 = 0;
    pub const DUAL_OWORD: u32 = 1;
    pub const MEDIA: u32 = 2;
    pub const DWORD: u32 = 3;
    pub const TARGET: u32 = 4;
    pub const FLUSH: u32 = 7;
}

/// A child thread's end frees no URB handle. Source: lowering reference 18.8.
const CHILD_END: u32 = 0x12;

fn bad(text: &str) -> EncodeError {
    EncodeError::Form(text.into())
}

/// Turns a question into bits.
///
/// # Errors
/// [`EncodeError`] if a value does not fit or the part has no such message.
pub fn encode_ask(ask: &Ask, form: &Form) -> Result<Message, EncodeError> {
    let mut control = [0];
    let mut header = [0; 8];
    let c = &mut control;
    let mut eot = false;
    let sfid = match ask {
        Ask::Sampler(r) => {
            encode_sampler(r, form, c, &mut header)?;
            Sfid::Sampler
        }
        Ask::SamplerBlock {
            kind,
            surface,
            sampler: index,
            channels,
        } => {
            sampler::SIMD_MODE.put(c, 3)?;
            sampler::TYPE.put(c, *kind)?;
            sampler::SAMPLER.put(c, *index)?;
            sampler::BINDING.put(c, *surface)?;
            let disable = u32::from(!channels.0 & 0xf);
            sampler_header::DISABLE.put(&mut header, disable)?;
            Sfid::Sampler
        }
        Ask::MediaRead(block, cache) => {
            read_control(
                c,
                *cache,
                reads::MEDIA,
                field_bits(block.field),
                block.surface,
            )?;
            encode_block(block, &mut header)?;
            Sfid::DataRead
        }
        Ask::MediaWrite { block, commit } => {
            write_control(
                c,
                *commit,
                writes::MEDIA,
                field_bits(block.field),
                block.surface,
            )?;
            encode_block(block, &mut header)?;
            Sfid::DataWrite
        }
        Ask::Oword {
            block,
            cache,
            commit,
        } => {
            let size = match (block.owords, block.high) {
                (1, high) => u32::from(high),
                (2, false) => 2,
                (4, false) => 3,
                (8, false) => 4,
                _ => return Err(bad("1, 2, 4 or 8 owords")),
            };
            if block.unaligned {
                return Err(EncodeError::Absent {
                    what: "an unaligned oword block",
                    platform: Platform::Ilk,
                });
            }
            offset_header::GLOBAL.put(&mut header, block.offset)?;
            match block.access {
                Access::Read => {
                    read_control(c, *cache, reads::OWORD, size, block.surface)?;
                    Sfid::DataRead
                }
                Access::Write => {
                    write_control(c, *commit, writes::OWORD, size, block.surface)?;
                    Sfid::DataWrite
                }
            }
        }
        Ask::DualOword {
            surface,
            access,
            cache,
            owords,
        } => {
            let size = match owords {
                1 => 0,
                4 => 2,
                _ => return Err(bad("1 or 4 owords")),
            };
            match access {
                Access::Read => {
                    read_control(c, *cache, reads::DUAL_OWORD, size, *surface)?;
                    Sfid::DataRead
                }
                Access::Write => {
                    write_control(c, false, writes::DUAL_OWORD, size, *surface)?;
                    Sfid::DataWrite
                }
            }
        }
        Ask::DwordScattered(r, cache) => {
            let lanes = match r.lanes {
                8 => 2,
                16 => 3,
                _ => return Err(bad("8 or 16 lanes")),
            };
            if r.element_bytes != 4 {
                return Err(EncodeError::Absent {
                    what: "scattered bytes and words",
                    platform: Platform::Ilk,
                });
            }
            offset_header::GLOBAL.put(&mut header, r.global.unwrap_or(0))?;
            match r.access {
                Access::Read => {
                    read_control(c, *cache, reads::DWORD, lanes, r.surface)?;
                    Sfid::DataRead
                }
                Access::Write => {
                    write_control(c, false, writes::DWORD, lanes, r.surface)?;
                    Sfid::DataWrite
                }
            }
        }
        Ask::Target {
            surface,
            form: kind,
            last,
            eot: ends,
        } => {
            eot = *ends;
            if *kind > 4 {
                return Err(bad("forms 0 to 4"));
            }
            let specific = kind | u32::from(*last) << 3;
            write_control(c, false, writes::TARGET, specific, *surface)?;
            Sfid::DataWrite
        }
        Ask::FlushRender { commit } => {
            write_control(c, *commit, writes::FLUSH, 0, 0)?;
            Sfid::DataWrite
        }
        Ask::Math(control) => {
            math::FUNCTION.put(c, control.function as u32)?;
            math::SIGNED.put(c, control.signed.into())?;
            math::PARTIAL.put(c, control.partial.into())?;
            math::SATURATE.put(c, control.saturate.into())?;
            math::SCALAR.put(c, control.scalar.into())?;
            Sfid::Math
        }
        Ask::Gateway(opcode) => {
            if *opcode > 2 {
                return Err(bad("open, close or forward"));
            }
            gateway::OPCODE.put(c, *opcode)?;
            Sfid::Gateway
        }
        Ask::EndOfThread { child } => {
            eot = true;
            control = [if *child { CHILD_END } else { 0 }];
            Sfid::Ts
        }
    };
    let wants_header = match ask {
        Ask::Sampler(_) => form.header,
        Ask::Math(_) | Ask::Gateway(_) | Ask::EndOfThread { .. } => false,
        _ => true,
    };
    if form.header != wants_header || form.second != 0 || form.first == 0 {
        return Err(bad("one payload; a header for every data port message"));
    }
    let extended = Extended {
        eot,
        ..Extended::default()
    };
    Ok(Message {
        sfid,
        desc: descriptor(form, control[0])?,
        ex_desc: extended_descriptor(sfid, &extended, Platform::Ilk),
        extended_length: 0,
        eot,
        header,
        payload: [0; 8],
    })
}

fn read_control(
    c: &mut [u32; 1],
    cache: Cache,
    message_type: u32,
    specific: u32,
    surface: u32,
) -> Result<(), EncodeError> {
    read::CACHE.put(c, cache as u32)?;
    read::TYPE.put(c, message_type)?;
    read::SPECIFIC.put(c, specific)?;
    read::BINDING.put(c, surface)?;
    Ok(())
}

fn write_control(
    c: &mut [u32; 1],
    commit: bool,
    message_type: u32,
    specific: u32,
    surface: u32,
) -> Result<(), EncodeError> {
    write::COMMIT.put(c, commit.into())?;
    write::TYPE.put(c, message_type)?;
    write::SPECIFIC.put(c, specific)?;
    write::BINDING.put(c, surface)?;
    Ok(())
}

fn encode_block(block: &MediaBlock, header: &mut [u32; 8]) -> Result<(), EncodeError> {
    if block.width == 0 || block.height == 0 || block.width > 32 {
        return Err(bad("1 to 32 bytes wide, 1 row at least"));
    }
    media_block_header::X.put(header, block.x as u32)?;
    media_block_header::Y.put(header, block.y as u32)?;
    media_block_header::WIDTH.put(header, block.width - 1)?;
    media_block_header::HEIGHT.put(header, block.height - 1)?;
    Ok(())
}

/// Whether the part has the operation. Source: lowering reference 18.2.
pub const fn has_op(op: SamplerOp) -> bool {
    matches!(
        op,
        SamplerOp::Sample
            | SamplerOp::SampleB
            | SamplerOp::SampleL
            | SamplerOp::SampleC
            | SamplerOp::SampleD
            | SamplerOp::SampleBC
            | SamplerOp::SampleLC
            | SamplerOp::Ld
            | SamplerOp::Resinfo
            | SamplerOp::Sampleinfo
            | SamplerOp::SampleKillpix
    )
}

fn encode_sampler(
    r: &SamplerRequest,
    form: &Form,
    c: &mut [u32; 1],
    header: &mut [u32; 8],
) -> Result<(), EncodeError> {
    if !has_op(r.op) || r.params16 || r.returns == ReturnFormat::Bits16 || r.pixel_null_mask {
        return Err(EncodeError::Absent {
            what: "this sampler message",
            platform: Platform::Ilk,
        });
    }
    let (mode, rows) = match r.lanes {
        2 => (0, r.params.div_ceil(4)),
        8 => (1, r.params),
        16 => (2, r.params.saturating_mul(2)),
        _ => return Err(bad("8 or 16 lanes, or two samples")),
    };
    let registers = u32::from(form.header).saturating_add(rows);
    if form.first != registers || registers > 11 {
        return Err(bad(
            "the parameters do not fill the message, or exceed 11 registers",
        ));
    }
    let partial = r.channels.0 != 0xf || r.offsets != [0; 3];
    if partial && !form.header || r.channels.0 == 0 || r.channels.0 > 0xf {
        return Err(bad("a channel mask or offset needs a header"));
    }
    sampler::SIMD_MODE.put(c, mode)?;
    sampler::TYPE.put(c, r.op.code())?;
    sampler::SAMPLER.put(c, r.sampler)?;
    sampler::BINDING.put(c, r.surface)?;
    if form.header {
        let mut offsets = 0;
        for offset in r.offsets {
            if !(-8..=7).contains(&offset) {
                return Err(bad("a texel offset outside -8 to 7"));
            }
            offsets = offsets << 4 | u32::from(offset as u8) & 0xf;
        }
        header[2] = super::sampler::header_bits(Some(r.channels), None, false, offsets);
    }
    Ok(())
}

/// Turns bits back into the question.
///
/// # Errors
/// [`DecodeError`] naming the bit or field that makes no sense.
pub fn decode_ask(message: &Message) -> Result<(Ask, Form), DecodeError> {
    refuse_unknown(&outer::LAYOUT, &[message.desc])?;
    super::bits::refuse_data_size(message)?;
    refuse_unknown(&extended_gen5::LAYOUT, &[message.ex_desc])?;
    let desc = [message.desc];
    let form = Form {
        header: outer::HEADER.get(&desc) != 0,
        first: outer::LENGTH.get(&desc),
        second: message.extended_length,
        response: outer::RESPONSE.get(&desc),
    };
    let control = outer::CONTROL.get(&desc);
    let word = [control];
    let ask = match message.sfid {
        Sfid::Sampler => decode_sampler(message, control, &form)?,
        Sfid::DataRead => decode_read(message, control)?,
        Sfid::DataWrite => decode_write(message, control)?,
        Sfid::Math => {
            refuse_unknown(&math::LAYOUT, &word)?;
            let code = math::FUNCTION.get(&word);
            let known = Function::from_code(code);
            Ask::Math(Control {
                function: reserved(math::FUNCTION, code, known)?,
                signed: math::SIGNED.get(&word) != 0,
                partial: math::PARTIAL.get(&word) != 0,
                saturate: math::SATURATE.get(&word) != 0,
                scalar: math::SCALAR.get(&word) != 0,
            })
        }
        Sfid::Gateway => reserved(
            gateway::OPCODE,
            control,
            (control <= 2).then_some(Ask::Gateway(control)),
        )?,
        Sfid::Ts => {
            let ends = message.eot && (control == 0 || control == CHILD_END);
            let child = control == CHILD_END;
            reserved(
                fields::spawner::OPCODE,
                control,
                ends.then_some(Ask::EndOfThread { child }),
            )?
        }
        other => return Err(DecodeError::UnknownFunction(other)),
    };
    let header = match ask {
        Ask::Sampler(_) => form.header,
        Ask::Math(_) | Ask::Gateway(_) | Ask::EndOfThread { .. } => false,
        _ => true,
    };
    if header != form.header || form.second != 0 || form.first == 0 {
        return Err(DecodeError::Length(
            "one payload; a header for every data port message".into(),
        ));
    }
    Ok((ask, form))
}

fn decode_sampler(message: &Message, control: u32, form: &Form) -> Result<Ask, DecodeError> {
    let word = [control];
    refuse_unknown(&sampler::LAYOUT, &word)?;
    let (mode, code) = (sampler::SIMD_MODE.get(&word), sampler::TYPE.get(&word));
    let (surface, index) = (sampler::BINDING.get(&word), sampler::SAMPLER.get(&word));
    let m0 = &message.header;
    let disable = sampler_header::DISABLE.get(m0);
    let channels = if form.header {
        reserved(
            sampler_header::DISABLE,
            disable,
            (disable != 0xf).then_some(ChannelMask(!disable as u8 & 0xf)),
        )?
    } else {
        ChannelMask::RGBA
    };
    if mode == 3 {
        return Ok(Ask::SamplerBlock {
            kind: code,
            surface,
            sampler: index,
            channels,
        });
    }
    // SIMD4x2: two samples, the parameters of each side by side (PRM 4.11.1.8).
    let (lanes, each) = match mode {
        0 => (2, 1),
        1 => (8, 1),
        _ => (16, 2),
    };
    let op = SamplerOp::from_code(code).filter(|op| has_op(*op));
    let mut offsets = [0; 3];
    if form.header {
        refuse_unknown_in(&sampler_header::LAYOUT, m0, 2)?;
        for field in [sampler_header::NULL_MASK, sampler_header::GATHER] {
            let value = field.get(m0);
            reserved(field, value, (value == 0).then_some(()))?;
        }
        let fields = [
            sampler_header::OFFSET_U,
            sampler_header::OFFSET_V,
            sampler_header::OFFSET_R,
        ];
        offsets = fields.map(|f| ((f.get(m0) as i8) << 4) >> 4);
    }
    let registers = form.first.saturating_sub(form.header.into());
    if !registers.is_multiple_of(each) || form.first > 11 {
        return Err(DecodeError::Length(
            "the parameters do not divide among the lanes, or exceed 11 registers".into(),
        ));
    }
    Ok(Ask::Sampler(SamplerRequest {
        op: reserved(sampler::TYPE, code, op)?,
        surface,
        sampler: index,
        channels,
        lanes,
        offsets,
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: if lanes == 2 {
            4 * registers
        } else {
            registers / each
        },
    }))
}

fn field_of(specific: u32) -> Option<FieldSelect> {
    match specific {
        0 => Some(FieldSelect::State),
        0b110 => Some(FieldSelect::Top),
        0b111 => Some(FieldSelect::Bottom),
        _ => None,
    }
}

fn decode_block(
    message: &Message,
    field: FieldSelect,
    surface: u32,
) -> Result<MediaBlock, DecodeError> {
    use media_block_header as h;
    refuse_unknown_in(&h::LAYOUT, &message.header, 2)?;
    let width = h::WIDTH.get(&message.header);
    Ok(MediaBlock {
        surface,
        field,
        x: h::X.get(&message.header) as i32,
        y: h::Y.get(&message.header) as i32,
        width: reserved(h::WIDTH, width, (width < 32).then_some(width + 1))?,
        height: h::HEIGHT.get(&message.header) + 1,
    })
}

fn owords_of(specific: u32) -> Option<(u32, bool)> {
    match specific {
        0 => Some((1, false)),
        1 => Some((1, true)),
        2..=4 => Some((1 << (specific - 1), false)),
        _ => None,
    }
}

fn decode_read(message: &Message, control: u32) -> Result<Ask, DecodeError> {
    let word = [control];
    refuse_unknown(&read::LAYOUT, &word)?;
    let cache = match read::CACHE.get(&word) {
        0 => Cache::Data,
        1 => Cache::Render,
        2 => Cache::Sampler,
        _ => Cache::SamplerField,
    };
    let (specific, surface) = (read::SPECIFIC.get(&word), read::BINDING.get(&word));
    let offset = offset_header::GLOBAL.get(&message.header);
    Ok(match read::TYPE.get(&word) {
        reads::MEDIA => {
            let field = reserved(read::SPECIFIC, specific, field_of(specific))?;
            Ask::MediaRead(decode_block(message, field, surface)?, cache)
        }
        reads::OWORD => {
            let (owords, high) = reserved(read::SPECIFIC, specific, owords_of(specific))?;
            Ask::Oword {
                block: OwordBlock {
                    surface,
                    access: Access::Read,
                    owords,
                    high,
                    unaligned: false,
                    offset,
                },
                cache,
                commit: false,
            }
        }
        reads::DUAL_OWORD => Ask::DualOword {
            surface,
            access: Access::Read,
            cache,
            owords: reserved(read::SPECIFIC, specific, dual_of(specific))?,
        },
        reads::DWORD => {
            let lanes = reserved(read::SPECIFIC, specific, lanes_of(specific))?;
            Ask::DwordScattered(
                Scattered {
                    surface,
                    access: Access::Read,
                    element_bytes: 4,
                    lanes,
                    global: Some(offset),
                },
                cache,
            )
        }
        value => {
            return Err(DecodeError::UnknownType {
                sfid: Sfid::DataRead,
                value,
            });
        }
    })
}

fn dual_of(specific: u32) -> Option<u32> {
    match specific {
        0 => Some(1),
        2 => Some(4),
        _ => None,
    }
}

fn lanes_of(specific: u32) -> Option<u32> {
    match specific {
        2 => Some(8),
        3 => Some(16),
        _ => None,
    }
}

fn decode_write(message: &Message, control: u32) -> Result<Ask, DecodeError> {
    let word = [control];
    refuse_unknown(&write::LAYOUT, &word)?;
    let commit = write::COMMIT.get(&word) != 0;
    let (specific, surface) = (write::SPECIFIC.get(&word), write::BINDING.get(&word));
    let offset = offset_header::GLOBAL.get(&message.header);
    let ask = match write::TYPE.get(&word) {
        writes::MEDIA => {
            let field = reserved(write::SPECIFIC, specific, field_of(specific))?;
            let block = decode_block(message, field, surface)?;
            return Ok(Ask::MediaWrite { block, commit });
        }
        writes::OWORD => {
            let (owords, high) = reserved(write::SPECIFIC, specific, owords_of(specific))?;
            return Ok(Ask::Oword {
                block: OwordBlock {
                    surface,
                    access: Access::Write,
                    owords,
                    high,
                    unaligned: false,
                    offset,
                },
                cache: Cache::Data,
                commit,
            });
        }
        writes::FLUSH => {
            let clear = specific == 0 && surface == 0;
            return reserved(
                write::SPECIFIC,
                specific,
                clear.then_some(Ask::FlushRender { commit }),
            );
        }
        writes::DUAL_OWORD => Ask::DualOword {
            surface,
            access: Access::Write,
            cache: Cache::Data,
            owords: reserved(write::SPECIFIC, specific, dual_of(specific))?,
        },
        writes::DWORD => Ask::DwordScattered(
            Scattered {
                surface,
                access: Access::Write,
                element_bytes: 4,
                lanes: reserved(write::SPECIFIC, specific, lanes_of(specific))?,
                global: Some(offset),
            },
            Cache::Data,
        ),
        writes::TARGET => {
            let form = specific & 7;
            Ask::Target {
                surface,
                form: reserved(write::SPECIFIC, specific, (form <= 4).then_some(form))?,
                last: specific & 8 != 0,
                eot: message.eot,
            }
        }
        value => {
            return Err(DecodeError::UnknownType {
                sfid: Sfid::DataWrite,
                value,
            });
        }
    };
    reserved(write::COMMIT, commit.into(), (!commit).then_some(ask))
}

/// The part's own question for a request of the newer parts.
fn ask_of(request: &Request) -> Option<Ask> {
    Some(match *request {
        Request::Sampler(r) => Ask::Sampler(r),
        Request::MediaRead(block) => Ask::MediaRead(block, Cache::Render),
        Request::MediaWrite(block) => Ask::MediaWrite {
            block,
            commit: false,
        },
        Request::Oword(block) => Ask::Oword {
            block,
            cache: match block.access {
                Access::Read => Cache::Render,
                Access::Write => Cache::Data,
            },
            commit: false,
        },
        Request::DwordScattered(r) => Ask::DwordScattered(
            r,
            match r.access {
                Access::Read => Cache::Render,
                Access::Write => Cache::Data,
            },
        ),
        Request::EndOfThread => Ask::EndOfThread { child: false },
        _ => return None,
    })
}

pub(super) fn encode(request: &Request, form: &Form) -> Result<Message, EncodeError> {
    let ask = ask_of(request).ok_or(EncodeError::Absent {
        what: "this request",
        platform: Platform::Ilk,
    })?;
    encode_ask(&ask, form)
}

pub(super) fn decode(message: &Message) -> Result<Decoded, DecodeError> {
    let (ask, form) = decode_ask(message)?;
    let request = match ask {
        Ask::Sampler(r) => Request::Sampler(r),
        Ask::MediaRead(block, _) => Request::MediaRead(block),
        Ask::MediaWrite { block, .. } => Request::MediaWrite(block),
        Ask::Oword { block, .. } => Request::Oword(block),
        Ask::DwordScattered(r, _) => Request::DwordScattered(r),
        Ask::EndOfThread { .. } => Request::EndOfThread,
        _ => return Err(DecodeError::UnknownFunction(message.sfid)),
    };
    Ok(Decoded { request, form })
}

/// The read control of a lowered message: render cache, so that the thread sees its own writes.
pub fn read_function(message_type: ReadType, specific: u32) -> u32 {
    let code = match message_type {
        ReadType::Media => reads::MEDIA,
        ReadType::Oword => reads::OWORD,
        ReadType::Dword => reads::DWORD,
    };
    (Cache::Render as u32) << read::CACHE.lo | code << read::TYPE.lo | specific << read::SPECIFIC.lo
}

/// The write control of a lowered message.
pub fn write_function(message_type: ReadType, specific: u32) -> u32 {
    let code = match message_type {
        ReadType::Media => writes::MEDIA,
        ReadType::Oword => writes::OWORD,
        ReadType::Dword => writes::DWORD,
    };
    code << write::TYPE.lo | specific << write::SPECIFIC.lo
}

/// The block and scattered messages both directions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadType {
    /// Media block.
    Media,
    /// Oword block.
    Oword,
    /// Scattered dwords.
    Dword,
}

/// The layout of a message's function control.
pub fn layout(sfid: Sfid) -> Option<&'static fields::Layout> {
    Some(match sfid {
        Sfid::Sampler => &sampler::LAYOUT,
        Sfid::DataRead => &read::LAYOUT,
        Sfid::DataWrite => &write::LAYOUT,
        Sfid::Math => &math::LAYOUT,
        Sfid::Gateway => &gateway::LAYOUT,
        Sfid::Ts => &fields::spawner::LAYOUT,
        _ => return None,
    })
}

/// Type of the block message that `sample_unorm` becomes. Source: lowering reference 18.4.
pub const UNORM_TYPE: u32 = super::sampler::UNORM_TYPE;
