//! Bits to requests.

use super::encode::second;
use super::rows::{reads, row_of, writes};
use super::sampler_block::{self, Block};
use super::{CHILD_END, has_op};
use crate::isa::{ChannelMask, Platform};
use crate::math::unit::{Control, Function};
use crate::message::Sfid;
use crate::message::bits::{
    DecodeError, Decoded, Message, MessageForm, refuse_data_size, refuse_unknown, reserved,
};
use crate::message::extended::says_the_same;
use crate::message::fields::{
    Field, extended_gen5, gateway, gen5_math as math, gen5_media_header, gen5_read as read,
    gen5_sampler as sampler, gen5_sampler_header as sampler_header, gen5_target_header as target,
    gen5_unorm_header as unorm, gen5_vertex_header as vertex, gen5_write as write, offset_header,
    outer, outer_gen5, spawner,
};
use crate::message::request::{
    Access, Cache, DataPath, DualOword, FieldSelect, GatewayOp, LoopFilter, MediaBlock, OwordBlock,
    PixelForm, PixelHeader, PixelWrite, Request, ReturnFormat, SamplerOp, SamplerRequest,
    Scattered, TargetUnorm, VertexWrite,
};

/// Turns bits back into the request.
///
/// # Errors
/// [`DecodeError`] naming the bit or field that makes no sense.
pub fn decode(message: &Message) -> Result<Decoded, DecodeError> {
    // The descriptor has an end of thread, too: PRM 2.6.8.
    let ends = outer_gen5::EOT.get(&[message.desc]) != 0;
    let message = &match ends {
        true => Message {
            desc: message.desc & !outer_gen5::EOT.mask(),
            ex_desc: message.ex_desc | extended_gen5::EOT.mask(),
            eot: true,
            ..*message
        },
        false => *message,
    };
    refuse_unknown(&outer::LAYOUT, &[message.desc])?;
    refuse_data_size(message)?;
    refuse_unknown(&extended_gen5::LAYOUT, &[message.ex_desc])?;
    says_the_same(message, Platform::OF_SENDS)?;
    let desc = [message.desc];
    let form = MessageForm {
        header: outer::HEADER.get(&desc) != 0,
        first: outer::LENGTH.get(&desc),
        second: message.extended_length,
        response: outer::RESPONSE.get(&desc),
    };
    let control = outer::CONTROL.get(&desc);
    let word = [control];
    let request = match message.sfid {
        Sfid::Sampler => decode_sampler(message, control, &form)?,
        Sfid::DataRead => decode_read(message, control)?,
        Sfid::DataWrite => decode_write(message, control)?,
        Sfid::Math => {
            refuse_unknown(&math::LAYOUT, &word)?;
            let code = math::FUNCTION.get(&word);
            Request::Math(Control {
                function: reserved(math::FUNCTION, code, Function::from_code(code))?,
                signed: math::SIGNED.get(&word) != 0,
                partial: math::PARTIAL.get(&word) != 0,
                saturate: math::SATURATE.get(&word) != 0,
                scalar: math::SCALAR.get(&word) != 0,
            })
        }
        Sfid::Gateway => {
            refuse_unknown(&gateway::LAYOUT, &word)?;
            let (opcode, end) = (gateway::OPCODE.get(&word), gateway::END.get(&word));
            reserved(gateway::END, end, (end == 0).then_some(()))?;
            let op = GatewayOp::ALL.get(opcode as usize).copied();
            let (op, eot) = (reserved(gateway::OPCODE, opcode, op)?, message.eot);
            Request::Gateway { op, eot }
        }
        Sfid::Ts => {
            refuse_unknown(&spawner::LAYOUT, &word)?;
            let opcode = spawner::OPCODE.get(&word);
            reserved(spawner::OPCODE, opcode, (opcode == 0).then_some(()))?;
            // A child keeps its URB handle, a root frees it: the two bits go together.
            let end = match control {
                0 => Some(Request::EndOfThread),
                CHILD_END => Some(Request::EndOfChild),
                _ => None,
            };
            let end = reserved(spawner::REQUEST, spawner::REQUEST.get(&word), end)?;
            reserved(extended_gen5::EOT, 0, message.eot.then_some(end))?
        }
        // What goes nowhere has no control to look at.
        Sfid::Null if message.eot => Request::NullEnd,
        other => return Err(DecodeError::UnknownFunction(other)),
    };
    let row = row_of(&request).ok_or(DecodeError::UnknownFunction(message.sfid))?;
    if form.second != 0 || form.first == 0 {
        let what = "one payload, of at least one register";
        return Err(DecodeError::Length(what.into()));
    }
    let header = row.header.unwrap_or(form.header);
    if header != form.header {
        let name = request.name();
        return Err(DecodeError::Length(match header {
            true => format!("{name} begins with a header: header present (bit 19) must be 1"),
            false => format!("{name} takes no header: header present (bit 19) must be 0"),
        }));
    }
    if message.eot && !row.may_end {
        let what = format!("the message ({}) cannot end the thread", request.name());
        return Err(DecodeError::Length(what));
    }
    Ok(Decoded { request, form })
}

fn decode_sampler(
    message: &Message,
    control: u32,
    form: &MessageForm,
) -> Result<Request, DecodeError> {
    let word = [control];
    refuse_unknown(&sampler::LAYOUT, &word)?;
    let (mode, code) = (sampler::SIMD_MODE.get(&word), sampler::TYPE.get(&word));
    let (surface, index) = (sampler::BINDING.get(&word), sampler::SAMPLER.get(&word));
    let m0 = &message.header;
    // The mask is ignored by `deinterlace` and by the forms that return red and green anyway.
    let disable = match (mode, code) {
        _ if !form.header => 0,
        (sampler_block::SIMD_MODE, code) if sampler_block::ignores_mask(code) => 0,
        _ => sampler_header::DISABLE.get(m0),
    };
    let channels = (disable != 0xf).then_some(ChannelMask(!disable as u8 & 0xf));
    let mut channels = reserved(sampler_header::DISABLE, disable, channels)?;
    if mode == sampler_block::SIMD_MODE {
        return sampler_block::decode(&Block {
            kind: code,
            surface,
            sampler: index,
            channels,
            payload: message.payload,
        });
    }
    // SIMD4x2: two samples, the parameters of each side by side (PRM 4.11.1.8).
    let (lanes, each) = match mode {
        0 => (2, 1),
        1 => (8, 1),
        _ => (16, 2),
    };
    let op = SamplerOp::from_code(code).filter(|op| has_op(*op));
    let op = reserved(sampler::TYPE, code, op)?;
    if op.is_gather() {
        // The four texels of one channel: a mask of channels has no meaning.
        let red = (disable == 0).then_some(ChannelMask::R);
        channels = reserved(sampler_header::DISABLE, disable, red)?;
    }
    let mut offsets = [0; 3];
    if form.header {
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
    Ok(Request::Sampler(SamplerRequest {
        op,
        surface,
        sampler: index,
        channels,
        lanes,
        offsets,
        coarse: false,
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
        // Without the override the two bits below are ignored, without a stride the lowest one.
        0..=3 => Some(FieldSelect::State),
        0b100 | 0b101 => Some(FieldSelect::Frame),
        0b110 => Some(FieldSelect::Top),
        0b111 => Some(FieldSelect::Bottom),
        _ => None,
    }
}

fn decode_block(
    message: &Message,
    field: FieldSelect,
    surface: u32,
    path: DataPath,
) -> Result<MediaBlock, DecodeError> {
    use gen5_media_header as h;
    Ok(MediaBlock {
        surface,
        field,
        x: h::X.get(&message.header) as i32,
        y: h::Y.get(&message.header) as i32,
        width: h::WIDTH.get(&message.header) + 1,
        height: h::HEIGHT.get(&message.header) + 1,
        path,
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

/// What both directions of a buffer message have in common.
struct Reach {
    surface: u32,
    access: Access,
    global: u32,
    path: DataPath,
}

impl Reach {
    fn oword(self, (owords, high): (u32, bool)) -> Request {
        Request::Oword(OwordBlock {
            surface: self.surface,
            access: self.access,
            owords,
            high,
            unaligned: false,
            offset: self.global,
            path: self.path,
        })
    }

    fn dual(self, owords: u32) -> Request {
        Request::DualOword(DualOword {
            surface: self.surface,
            access: self.access,
            owords,
            offset: self.global,
            path: self.path,
        })
    }

    fn dwords(self, lanes: u32) -> Request {
        Request::DwordScattered(Scattered {
            surface: self.surface,
            access: self.access,
            element_bytes: 4,
            lanes,
            global: Some(self.global),
            path: self.path,
        })
    }
}

fn decode_read(message: &Message, control: u32) -> Result<Request, DecodeError> {
    let word = [control];
    refuse_unknown(&read::LAYOUT, &word)?;
    let cache = match read::CACHE.get(&word) {
        0 => Cache::Data,
        1 => Cache::Render,
        2 => Cache::Sampler,
        _ => Cache::SamplerField,
    };
    let (specific, surface) = (read::SPECIFIC.get(&word), read::BINDING.get(&word));
    let path = DataPath {
        cache,
        ..DataPath::DEFAULT
    };
    let reach = Reach {
        surface,
        access: Access::Read,
        global: offset_header::GLOBAL.get(&message.header),
        path: DataPath {
            base: offset_header::BASE.get(&message.header) << 10,
            ..path
        },
    };
    let code = read::TYPE.get(&word);
    // "Only allowed if the resulting Vertical Line Stride is 1 … only for Media Block Read".
    if cache == Cache::SamplerField && code != reads::MEDIA {
        return reserved(read::CACHE, cache as u32, None);
    }
    Ok(match code {
        reads::MEDIA => {
            let field = reserved(read::SPECIFIC, specific, field_of(specific))?;
            Request::MediaRead(decode_block(message, field, surface, path)?)
        }
        reads::OWORD => reach.oword(reserved(read::SPECIFIC, specific, owords_of(specific))?),
        // Bit 10 is ignored.
        reads::DUAL_OWORD => reach.dual(reserved(read::SPECIFIC, specific, dual_of(specific & 3))?),
        reads::DWORD => reach.dwords(reserved(read::SPECIFIC, specific, lanes_of(specific & 3))?),
        reads::UNORM => {
            let field = reserved(read::SPECIFIC, specific, field_of(specific))?;
            unorm_block(message, surface, Access::Read, field, path)
        }
        reads::LOOP_FILTER => Request::LoopFilter(LoopFilter {
            surface,
            cache,
            offset: reach.global,
        }),
        value => {
            return Err(DecodeError::UnknownType {
                sfid: Sfid::DataRead,
                value,
            });
        }
    })
}

fn unorm_block(
    message: &Message,
    surface: u32,
    access: Access,
    field: FieldSelect,
    path: DataPath,
) -> Request {
    Request::TargetUnorm(TargetUnorm {
        surface,
        access,
        cache: path.cache,
        field,
        x: unorm::X.get(&message.header) as i32,
        y: unorm::Y.get(&message.header) as i32,
        mask: unorm::MASK.get(&message.header),
        commit: path.commit,
        eot: message.eot,
    })
}

fn decode_write(message: &Message, control: u32) -> Result<Request, DecodeError> {
    let word = [control];
    refuse_unknown(&write::LAYOUT, &word)?;
    let commit = write::COMMIT.get(&word) != 0;
    let (specific, surface) = (write::SPECIFIC.get(&word), write::BINDING.get(&word));
    let path = DataPath {
        commit,
        ..DataPath::DEFAULT
    };
    let reach = Reach {
        surface,
        access: Access::Write,
        global: offset_header::GLOBAL.get(&message.header),
        path: DataPath {
            base: offset_header::BASE.get(&message.header) << 10,
            ..path
        },
    };
    // Bit 11 is ignored by all but render target writes.
    let low = specific & 7;
    Ok(match write::TYPE.get(&word) {
        writes::MEDIA => {
            let field = reserved(write::SPECIFIC, specific, field_of(specific))?;
            Request::MediaWrite(decode_block(message, field, surface, path)?)
        }
        writes::OWORD => reach.oword(reserved(write::SPECIFIC, specific, owords_of(low))?),
        writes::DUAL_OWORD => reach.dual(reserved(write::SPECIFIC, specific, dual_of(low & 3))?),
        writes::DWORD => reach.dwords(reserved(write::SPECIFIC, specific, lanes_of(low & 3))?),
        writes::TARGET => {
            let form = PixelForm::ALL.get(low as usize).copied();
            Request::Pixels(PixelWrite {
                surface,
                form: reserved(write::SPECIFIC, specific, form)?,
                last: specific & 8 != 0,
                commit,
                header: decode_target(message),
                eot: message.eot,
            })
        }
        writes::VERTEX => Request::Vertex(VertexWrite {
            surface,
            index: vertex::INDEX.get(&message.header),
            data: [vertex::R, vertex::G, vertex::B, vertex::A].map(|f| f.get(&message.header)),
            commit,
        }),
        writes::UNORM => {
            let field = reserved(write::SPECIFIC, specific, field_of(low))?;
            unorm_block(message, surface, Access::Write, field, path)
        }
        // The type has three bits: only the flush is left.
        _ => Request::FlushRender { commit },
    })
}

fn decode_target(message: &Message) -> PixelHeader {
    let first = |field: Field| field.get(&message.header);
    let later = |field: Field| second(field).get(&message.payload);
    PixelHeader {
        dispatched: first(target::DISPATCHED),
        enables: first(target::ENABLES),
        calculator: first(target::CALCULATOR) << 6,
        viewport: later(target::VIEWPORT),
        index: later(target::INDEX),
        clipped: later(target::CLIPPED),
        back: later(target::BACK) != 0,
        source_depth: later(target::SOURCE_DEPTH) != 0,
        destination_depth: later(target::DESTINATION_DEPTH) != 0,
        stencil: later(target::STENCIL) != 0,
        antialias: later(target::ANTIALIAS) != 0,
        corners: std::array::from_fn(|i| {
            let word = message.payload[2 + i];
            (word as u16, (word >> 16) as u16)
        }),
    }
}
