//! Requests to bits.

use super::rows::{Row, row_of};
use super::{CHILD_END, has_op, sampler_block};
use crate::isa::{ChannelMask, Platform};
use crate::message::Sfid;
use crate::message::bits::{EncodeError, Message, MessageForm, descriptor};
use crate::message::dataport::field_bits;
use crate::message::extended::{Extended, extended_descriptor};
use crate::message::fields::{
    Field, gateway, gen5_math as math, gen5_media_header as media, gen5_read as read,
    gen5_sampler as sampler, gen5_sampler_header as sampler_header, gen5_target_header as target,
    gen5_unorm_header as unorm, gen5_vertex_header as vertex, gen5_write as write, offset_header,
};
use crate::message::request::{
    Cache, MediaBlock, PixelHeader, Request, ReturnFormat, SamplerRequest,
};
use crate::message::sampler::header_bits;

fn bad(text: &str) -> EncodeError {
    EncodeError::Unencodable(text.into())
}

/// A message while it is put together.
struct Draft {
    platform: Platform,
    control: [u32; 1],
    header: [u32; 8],
    payload: [u32; 8],
    eot: bool,
}

impl Draft {
    fn absent(&self, what: &'static str) -> EncodeError {
        let platform = self.platform;
        EncodeError::Absent { what, platform }
    }

    /// The function control of the data port, `specific` as the type has it.
    fn data_control(
        &mut self,
        row: &Row,
        specific: u32,
        request: &Request,
    ) -> Result<(), EncodeError> {
        let c = &mut self.control;
        let (surface, path) = (request.surface().unwrap_or(0), request.path());
        if row.sfid == Sfid::DataRead {
            if path.commit {
                return Err(bad("only writes have a commit"));
            }
            read::CACHE.put(c, path.cache as u32)?;
            read::TYPE.put(c, row.code)?;
            read::SPECIFIC.put(c, specific)?;
            read::BINDING.put(c, surface)?;
            return Ok(());
        }
        if path.cache != Cache::Render {
            return Err(bad("writes go through the render cache"));
        }
        write::COMMIT.put(c, path.commit.into())?;
        write::TYPE.put(c, row.code)?;
        write::SPECIFIC.put(c, specific)?;
        write::BINDING.put(c, surface)?;
        Ok(())
    }

    /// Global offset and stateless base.
    fn offsets(&mut self, global: u32, base: u32) -> Result<(), EncodeError> {
        if base & 0x3ff != 0 {
            return Err(bad("a stateless base that is a multiple of 1024"));
        }
        offset_header::GLOBAL.put(&mut self.header, global)?;
        offset_header::BASE.put(&mut self.header, base >> 10)?;
        Ok(())
    }

    fn block(&mut self, block: &MediaBlock) -> Result<(), EncodeError> {
        if block.width == 0 || block.height == 0 || block.width > 32 {
            return Err(bad("1 to 32 bytes wide, 1 row at least"));
        }
        if block.path.base != 0 {
            return Err(bad("media blocks have no stateless base"));
        }
        let header = &mut self.header;
        media::X.put(header, block.x as u32)?;
        media::Y.put(header, block.y as u32)?;
        media::WIDTH.put(header, block.width - 1)?;
        media::HEIGHT.put(header, block.height - 1)?;
        Ok(())
    }

    fn pixels(&mut self, h: &PixelHeader) -> Result<(), EncodeError> {
        if h.calculator & 0x3f != 0 {
            return Err(bad(
                "a color calculator state pointer that is a multiple of 64",
            ));
        }
        target::DISPATCHED.put(&mut self.header, h.dispatched)?;
        target::ENABLES.put(&mut self.header, h.enables)?;
        target::CALCULATOR.put(&mut self.header, h.calculator >> 6)?;
        let fields: [(Field, u32); 8] = [
            (target::VIEWPORT, h.viewport),
            (target::INDEX, h.index),
            (target::CLIPPED, h.clipped),
            (target::BACK, h.back.into()),
            (target::SOURCE_DEPTH, h.source_depth.into()),
            (target::DESTINATION_DEPTH, h.destination_depth.into()),
            (target::STENCIL, h.stencil.into()),
            (target::ANTIALIAS, h.antialias.into()),
        ];
        for (field, value) in fields {
            second(field).put(&mut self.payload, value)?;
        }
        for (i, (x, y)) in h.corners.into_iter().enumerate() {
            self.payload[2 + i] = u32::from(y) << 16 | u32::from(x);
        }
        Ok(())
    }
}

/// A field of the second header register, whose dwords are counted on from those of the first.
pub(super) const fn second(field: Field) -> Field {
    Field {
        dw: field.dw - 8,
        ..field
    }
}

impl Draft {
    /// What goes to the data port: the header, and the type's own bits of the function control.
    fn data(&mut self, request: &Request) -> Result<u32, EncodeError> {
        Ok(match request {
            Request::MediaRead(r) | Request::MediaWrite(r) => {
                self.block(r)?;
                field_bits(r.field)
            }
            Request::Oword(r) => {
                if r.unaligned {
                    return Err(self.absent("an unaligned oword block"));
                }
                self.offsets(r.offset, r.path.base)?;
                match (r.owords, r.high) {
                    (1, high) => u32::from(high),
                    (2, false) => 2,
                    (4, false) => 3,
                    (8, false) => 4,
                    _ => return Err(bad("1, 2, 4 or 8 owords")),
                }
            }
            Request::DualOword(r) => {
                self.offsets(r.offset, r.path.base)?;
                match r.owords {
                    1 => 0,
                    4 => 2,
                    _ => return Err(bad("1 or 4 owords")),
                }
            }
            Request::DwordScattered(r) => {
                if r.element_bytes != 4 {
                    return Err(self.absent("scattered bytes and words"));
                }
                self.offsets(r.global.unwrap_or(0), r.path.base)?;
                match r.lanes {
                    8 => 2,
                    16 => 3,
                    _ => return Err(bad("8 or 16 lanes")),
                }
            }
            Request::LoopFilter(r) => {
                offset_header::GLOBAL.put(&mut self.header, r.offset)?;
                0
            }
            Request::Pixels(r) => {
                self.eot = r.eot;
                self.pixels(&r.header)?;
                r.form as u32 | u32::from(r.last) << 3
            }
            Request::TargetUnorm(r) => {
                unorm::X.put(&mut self.header, r.x as u32)?;
                unorm::Y.put(&mut self.header, r.y as u32)?;
                unorm::MASK.put(&mut self.header, r.mask)?;
                self.eot = r.eot;
                field_bits(r.field)
            }
            Request::Vertex(r) => {
                let fields = [vertex::R, vertex::G, vertex::B, vertex::A];
                for (field, value) in fields.into_iter().zip(r.data) {
                    field.put(&mut self.header, value)?;
                }
                vertex::INDEX.put(&mut self.header, r.index)?;
                0
            }
            _ => 0,
        })
    }

    /// What has neither surface nor sampler: math, and what ends a thread.
    fn thread(&mut self, request: &Request) -> Result<(), EncodeError> {
        let c = &mut self.control;
        match request {
            Request::Math(control) => {
                math::FUNCTION.put(c, control.function as u32)?;
                math::SIGNED.put(c, control.signed.into())?;
                math::PARTIAL.put(c, control.partial.into())?;
                math::SATURATE.put(c, control.saturate.into())?;
                math::SCALAR.put(c, control.scalar.into())?;
            }
            Request::Gateway { op, eot } => {
                gateway::OPCODE.put(c, *op as u32)?;
                self.eot = *eot;
            }
            Request::EndOfThread | Request::EndOfChild => {
                let child = *request == Request::EndOfChild;
                self.control = [if child { CHILD_END } else { 0 }];
                self.eot = true;
            }
            _ => self.eot = true,
        }
        Ok(())
    }

    fn sampler_block(&mut self, request: &Request) -> Result<(), EncodeError> {
        let block = sampler_block::encode(request)?;
        let c = &mut self.control;
        sampler::SIMD_MODE.put(c, sampler_block::SIMD_MODE)?;
        sampler::TYPE.put(c, block.kind)?;
        sampler::SAMPLER.put(c, block.sampler)?;
        sampler::BINDING.put(c, block.surface)?;
        let disable = u32::from(!block.channels.0 & 0xf);
        sampler_header::DISABLE.put(&mut self.header, disable)?;
        self.payload = block.payload;
        Ok(())
    }
}

/// Turns a request into bits.
///
/// # Errors
/// [`EncodeError`] if a value does not fit or the part has no such message.
pub fn encode(
    request: &Request,
    form: &MessageForm,
    platform: Platform,
) -> Result<Message, EncodeError> {
    let mut d = Draft {
        platform,
        control: [0],
        header: [0; 8],
        payload: [0; 8],
        eot: false,
    };
    let row = row_of(request).ok_or(d.absent("this request"))?;
    match request {
        Request::Sampler(r) => encode_sampler(r, form, &mut d)?,
        Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) => {
            d.sampler_block(request)?;
        }
        _ if matches!(row.sfid, Sfid::DataRead | Sfid::DataWrite) => {
            let specific = d.data(request)?;
            d.data_control(row, specific, request)?;
        }
        _ => d.thread(request)?,
    }
    let header = row.header.unwrap_or(form.header);
    if form.header != header || form.second != 0 || form.first == 0 {
        return Err(bad("one payload; a header for every data port message"));
    }
    let extended = Extended {
        eot: d.eot,
        ..Extended::default()
    };
    Ok(Message {
        sfid: row.sfid,
        desc: descriptor(form, d.control[0])?,
        ex_desc: extended_descriptor(row.sfid, &extended, platform),
        extended_length: 0,
        eot: d.eot,
        header: d.header,
        payload: d.payload,
    })
}

fn encode_sampler(
    r: &SamplerRequest,
    form: &MessageForm,
    d: &mut Draft,
) -> Result<(), EncodeError> {
    if !has_op(r.op) || r.params16 || r.returns == ReturnFormat::Bits16 || r.pixel_null_mask {
        return Err(d.absent("this sampler message"));
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
    // A gather has one channel, red, and no mask.
    let channels = match r.op.is_gather() && r.channels == ChannelMask::R {
        true => ChannelMask::RGBA,
        false => r.channels,
    };
    let partial = channels.0 != 0xf || r.offsets != [0; 3];
    let torn = r.op.is_gather() && channels != ChannelMask::RGBA;
    if partial && !form.header || torn || channels.0 == 0 || channels.0 > 0xf {
        return Err(bad("a channel mask or offset needs a header"));
    }
    let c = &mut d.control;
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
        d.header[2] = header_bits(Some(channels), None, false, offsets);
    }
    Ok(())
}
