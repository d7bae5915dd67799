//! Questions to bits.

use super::{Ask, CHILD_END, Cache, TargetHeader, has_op, reads, writes};
use crate::isa::Platform;
use crate::message::Sfid;
use crate::message::bits::{EncodeError, Form, Message, descriptor};
use crate::message::dataport::field_bits;
use crate::message::extended::{Extended, extended_descriptor};
use crate::message::fields::{
    Field, gateway, gen5_math as math, gen5_media_header as media, gen5_read as read,
    gen5_sampler as sampler, gen5_sampler_header as sampler_header, gen5_target_header as target,
    gen5_unorm_header as unorm, gen5_vertex_header as vertex, gen5_write as write, offset_header,
};
use crate::message::request::{Access, MediaBlock, ReturnFormat, SamplerRequest};
use crate::message::sampler::header_bits;

fn bad(text: &str) -> EncodeError {
    EncodeError::Form(text.into())
}

fn absent(what: &'static str) -> EncodeError {
    EncodeError::Absent {
        what,
        platform: Platform::Ilk,
    }
}

/// A message while it is put together.
struct Draft {
    control: [u32; 1],
    header: [u32; 8],
    payload: [u32; 8],
    eot: bool,
}

impl Draft {
    fn read(
        &mut self,
        cache: Cache,
        message_type: u32,
        specific: u32,
        surface: u32,
    ) -> Result<Sfid, EncodeError> {
        let c = &mut self.control;
        read::CACHE.put(c, cache as u32)?;
        read::TYPE.put(c, message_type)?;
        read::SPECIFIC.put(c, specific)?;
        read::BINDING.put(c, surface)?;
        Ok(Sfid::DataRead)
    }

    fn write(
        &mut self,
        commit: bool,
        message_type: u32,
        specific: u32,
        surface: u32,
    ) -> Result<Sfid, EncodeError> {
        let c = &mut self.control;
        write::COMMIT.put(c, commit.into())?;
        write::TYPE.put(c, message_type)?;
        write::SPECIFIC.put(c, specific)?;
        write::BINDING.put(c, surface)?;
        Ok(Sfid::DataWrite)
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
        let header = &mut self.header;
        media::X.put(header, block.x as u32)?;
        media::Y.put(header, block.y as u32)?;
        media::WIDTH.put(header, block.width - 1)?;
        media::HEIGHT.put(header, block.height - 1)?;
        Ok(())
    }

    fn target(&mut self, h: &TargetHeader) -> Result<(), EncodeError> {
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
    /// What goes to the sampler.
    fn sampler(&mut self, ask: &Ask, form: &Form) -> Result<Sfid, EncodeError> {
        Ok(match ask {
            Ask::Sampler(r) => {
                encode_sampler(r, form, self)?;
                Sfid::Sampler
            }
            Ask::SamplerBlock {
                kind,
                surface,
                sampler: index,
                channels,
            } => {
                let c = &mut self.control;
                sampler::SIMD_MODE.put(c, 3)?;
                sampler::TYPE.put(c, *kind)?;
                sampler::SAMPLER.put(c, *index)?;
                sampler::BINDING.put(c, *surface)?;
                let disable = u32::from(!channels.0 & 0xf);
                sampler_header::DISABLE.put(&mut self.header, disable)?;
                Sfid::Sampler
            }
            _ => return Err(absent("another family's message")),
        })
    }

    /// What reads and writes surfaces and buffers.
    fn memory(&mut self, ask: &Ask) -> Result<Sfid, EncodeError> {
        Ok(match ask {
            Ask::MediaRead(block, cache) => {
                self.block(block)?;
                self.read(*cache, reads::MEDIA, field_bits(block.field), block.surface)?
            }
            Ask::MediaWrite { block, commit } => {
                self.block(block)?;
                self.write(
                    *commit,
                    writes::MEDIA,
                    field_bits(block.field),
                    block.surface,
                )?
            }
            Ask::Oword {
                block,
                base,
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
                    return Err(absent("an unaligned oword block"));
                }
                self.offsets(block.offset, *base)?;
                match block.access {
                    Access::Read => self.read(*cache, reads::OWORD, size, block.surface)?,
                    Access::Write => self.write(*commit, writes::OWORD, size, block.surface)?,
                }
            }
            Ask::DualOword {
                surface,
                access,
                global,
                base,
                cache,
                owords,
                commit,
            } => {
                let size = match owords {
                    1 => 0,
                    4 => 2,
                    _ => return Err(bad("1 or 4 owords")),
                };
                self.offsets(*global, *base)?;
                match access {
                    Access::Read => self.read(*cache, reads::DUAL_OWORD, size, *surface)?,
                    Access::Write => self.write(*commit, writes::DUAL_OWORD, size, *surface)?,
                }
            }
            Ask::DwordScattered {
                request: r,
                base,
                cache,
                commit,
            } => {
                let lanes = match r.lanes {
                    8 => 2,
                    16 => 3,
                    _ => return Err(bad("8 or 16 lanes")),
                };
                if r.element_bytes != 4 {
                    return Err(absent("scattered bytes and words"));
                }
                self.offsets(r.global.unwrap_or(0), *base)?;
                match r.access {
                    Access::Read => self.read(*cache, reads::DWORD, lanes, r.surface)?,
                    Access::Write => self.write(*commit, writes::DWORD, lanes, r.surface)?,
                }
            }
            Ask::LoopFilter {
                surface,
                cache,
                global,
            } => {
                offset_header::GLOBAL.put(&mut self.header, *global)?;
                self.read(*cache, reads::LOOP_FILTER, 0, *surface)?
            }
            _ => return Err(absent("another family's message")),
        })
    }

    /// What goes to render targets and vertex buffers.
    fn output(&mut self, ask: &Ask) -> Result<Sfid, EncodeError> {
        Ok(match ask {
            Ask::Target {
                surface,
                form: kind,
                last,
                commit,
                header,
                eot,
            } => {
                if *kind > 4 {
                    return Err(bad("forms 0 to 4"));
                }
                self.eot = *eot;
                self.target(header)?;
                let specific = kind | u32::from(*last) << 3;
                self.write(*commit, writes::TARGET, specific, *surface)?
            }
            Ask::Unorm {
                surface,
                access,
                cache,
                field,
                x,
                y,
                mask,
                commit,
                eot,
            } => {
                unorm::X.put(&mut self.header, *x as u32)?;
                unorm::Y.put(&mut self.header, *y as u32)?;
                unorm::MASK.put(&mut self.header, *mask)?;
                self.eot = *eot;
                let field = field_bits(*field);
                match access {
                    Access::Read => self.read(*cache, reads::UNORM, field, *surface)?,
                    Access::Write => self.write(*commit, writes::UNORM, field, *surface)?,
                }
            }
            Ask::Vertex {
                surface,
                index,
                data,
                commit,
            } => {
                for (field, value) in [vertex::R, vertex::G, vertex::B, vertex::A]
                    .into_iter()
                    .zip(data)
                {
                    field.put(&mut self.header, *value)?;
                }
                vertex::INDEX.put(&mut self.header, *index)?;
                self.write(*commit, writes::VERTEX, 0, *surface)?
            }
            Ask::FlushRender { commit } => self.write(*commit, writes::FLUSH, 0, 0)?,
            _ => return Err(absent("another family's message")),
        })
    }

    /// Math, and what ends a thread.
    fn thread(&mut self, ask: &Ask) -> Result<Sfid, EncodeError> {
        Ok(match ask {
            Ask::Math(control) => {
                let c = &mut self.control;
                math::FUNCTION.put(c, control.function as u32)?;
                math::SIGNED.put(c, control.signed.into())?;
                math::PARTIAL.put(c, control.partial.into())?;
                math::SATURATE.put(c, control.saturate.into())?;
                math::SCALAR.put(c, control.scalar.into())?;
                Sfid::Math
            }
            Ask::Gateway { opcode, eot } => {
                if *opcode > 2 {
                    return Err(bad("open, close or forward"));
                }
                gateway::OPCODE.put(&mut self.control, *opcode)?;
                self.eot = *eot;
                Sfid::Gateway
            }
            Ask::EndOfThread { child } => {
                self.eot = true;
                self.control = [if *child { CHILD_END } else { 0 }];
                Sfid::Ts
            }
            Ask::NullEnd => {
                self.eot = true;
                Sfid::Null
            }
            _ => return Err(absent("another family's message")),
        })
    }
}

/// Turns a question into bits.
///
/// # Errors
/// [`EncodeError`] if a value does not fit or the part has no such message.
pub fn encode_ask(ask: &Ask, form: &Form) -> Result<Message, EncodeError> {
    let mut d = Draft {
        control: [0],
        header: [0; 8],
        payload: [0; 8],
        eot: false,
    };
    let sfid = match ask {
        Ask::Sampler(_) | Ask::SamplerBlock { .. } => d.sampler(ask, form)?,
        Ask::MediaRead(..)
        | Ask::MediaWrite { .. }
        | Ask::Oword { .. }
        | Ask::DualOword { .. }
        | Ask::DwordScattered { .. }
        | Ask::LoopFilter { .. } => d.memory(ask)?,
        Ask::Target { .. } | Ask::Unorm { .. } | Ask::Vertex { .. } | Ask::FlushRender { .. } => {
            d.output(ask)?
        }
        Ask::Math(_) | Ask::Gateway { .. } | Ask::EndOfThread { .. } | Ask::NullEnd => {
            d.thread(ask)?
        }
    };
    if form.header != ask.header(form) || form.second != 0 || form.first == 0 {
        return Err(bad("one payload; a header for every data port message"));
    }
    let extended = Extended {
        eot: d.eot,
        ..Extended::default()
    };
    Ok(Message {
        sfid,
        desc: descriptor(form, d.control[0])?,
        ex_desc: extended_descriptor(sfid, &extended, Platform::Ilk),
        extended_length: 0,
        eot: d.eot,
        header: d.header,
        payload: d.payload,
    })
}

fn encode_sampler(r: &SamplerRequest, form: &Form, d: &mut Draft) -> Result<(), EncodeError> {
    if !has_op(r.op) || r.params16 || r.returns == ReturnFormat::Bits16 || r.pixel_null_mask {
        return Err(absent("this sampler message"));
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
        d.header[2] = header_bits(Some(r.channels), None, false, offsets);
    }
    Ok(())
}
