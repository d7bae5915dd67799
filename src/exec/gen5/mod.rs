//! Messages of Gen5: decoded, checked against the manual's rules, and served.
//!
//! ```text
//!  m3 m4 …  payload ─┐
//!  descriptor ───────┴─ decode ─▶ Request ─ lengths, rules ─▶ dataport, sampler, math ─▶ registers
//! ```
//!
//! The execution mask goes with the message; each message says what it makes of it. Source: PRM 2.6.7,
//! 5.10, 6.1.

mod checks;
mod registers;

use super::bindings::Environment;
use super::message;
use super::observer::{Observer, SpaceName};
use super::raw::{self, Payload};
use super::thread::Thread;
use super::touched::Touched;
use super::trap::Trap;
use crate::dataport::buffer::{self, Buffer, Owords};
use crate::dataport::target::{Pixels, SLOTS};
use crate::dataport::touch::Watch;
use crate::dataport::{deblock, target, unorm};
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::math::unit::Control;
use crate::message::gen5;
use crate::message::gen5::rules::through_render_cache;
use crate::message::{Access, Decoded, Message, PixelForm, PixelWrite, Request};
use crate::program::{RawMessage, Registers};
use crate::surface::{Memory, Refused, Surface};
use std::sync::Arc;

/// Serves a message of Gen5.
pub(super) fn send<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    raw: &RawMessage,
    message: &Message,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let decoded = gen5::decode(message).map_err(|why| {
        let code = if why.is_unmodelled() {
            Code::N0937
        } else {
            Code::E0934
        };
        let diagnostic = Diagnostic::new(code)
            .note(format!("descriptor {:#010x}: {why}", message.desc))
            .see("lowering reference 18; PRM 2.6.11");
        thread.trap(pc, u32::MAX, diagnostic)
    })?;
    let mut served = Served {
        mask: thread.active(raw.lanes, raw.guard) & 0xffff,
        thread,
        environment,
        raw,
        message,
        decoded,
        pc,
        observer,
    };
    served.check()?;
    served.serve()
}

/// A message being served.
struct Served<'t, 'p, 'e, O> {
    thread: &'t mut Thread<'p>,
    environment: &'t Environment<'e>,
    raw: &'t RawMessage,
    message: &'t Message,
    decoded: Decoded,
    mask: u32,
    pc: u32,
    observer: &'t mut O,
}

type Done = Result<(), Box<Trap>>;

impl<'e, O: Observer> Served<'_, '_, 'e, O> {
    fn trap(&self, diagnostic: Diagnostic) -> Box<Trap> {
        self.thread.trap(self.pc, self.mask, diagnostic)
    }

    fn serve(&mut self) -> Done {
        let request = self.decoded.request;
        match request {
            Request::MediaRead(block) | Request::MediaWrite(block) => {
                let surface = self.surface(block.surface)?;
                self.media_surface(surface, &block)?;
                self.through_request()
            }
            Request::Oword(r) => {
                let owords = Owords {
                    offset: r.offset,
                    count: r.owords,
                    high: r.high,
                };
                let rows = r.owords.div_ceil(2) as usize;
                self.in_buffer(r.surface, 16, |served, buffer| match r.access {
                    Access::Read => served.change_dst(rows, |mask, registers| {
                        buffer::read_owords(buffer, owords, mask, registers)
                    }),
                    Access::Write => {
                        let data = served.payload(1);
                        let data = &data[..rows.min(data.len())];
                        buffer::write_owords(buffer, owords, served.mask, data)
                    }
                })
            }
            Request::DualOword(r) => {
                let blocks = self.dwords(1);
                let enabled = [0, 4].into_iter().filter(|dw| self.mask >> dw & 0xf != 0);
                let enabled = enabled.map(|dw| (dw, blocks[dw]));
                self.offsets(enabled, 16, "PRM 5.10.4.2")?;
                self.in_buffer(r.surface, 16, |served, buffer| {
                    let offsets = [blocks[0], blocks[4]].map(|o| o.wrapping_add(r.offset));
                    match r.access {
                        Access::Read => served.change_dst(r.owords as usize, |mask, registers| {
                            buffer::read_dual(buffer, offsets, r.owords, mask, registers)
                        }),
                        Access::Write => {
                            let data = served.payload(2);
                            buffer::write_dual(buffer, offsets, r.owords, served.mask, &data)
                        }
                    }
                })
            }
            Request::DwordScattered(r) => {
                let rows = r.lanes / 8;
                let lanes = r.lanes as usize;
                let global = r.global.unwrap_or(0);
                let slots = self.lanes(1);
                let enabled = (0..lanes).filter(|lane| self.mask >> lane & 1 != 0);
                let enabled = enabled.map(|lane| (lane, slots[lane]));
                self.offsets(enabled, 4, "PRM 5.10.6.2")?;
                self.in_buffer(r.surface, 4, |served, buffer| {
                    let offsets = slots.map(|o| o.wrapping_add(global));
                    let offsets = &offsets[..lanes];
                    match r.access {
                        Access::Read => {
                            let mut data = [0; SLOTS];
                            let mask = served.mask;
                            buffer::read_dwords(buffer, offsets, mask, &mut data[..lanes])?;
                            served.put_lanes(0, &data[..lanes], mask);
                            Ok(())
                        }
                        Access::Write => {
                            let data = served.lanes(1 + rows);
                            buffer::write_dwords(buffer, offsets, served.mask, &data[..lanes])
                        }
                    }
                })
            }
            Request::Pixels(r) => {
                let pixels = self.pixels(&r);
                self.on_surface(r.surface, |_, surface, watch| {
                    target::write(surface, &pixels, watch)
                })
            }
            Request::TargetUnorm(r) => {
                let corner = unorm::Corner {
                    x: r.x,
                    y: r.y,
                    field: r.field,
                };
                let bound = self.surface(r.surface)?;
                self.mixes(bound, r.field)?;
                self.on_surface(r.surface, |served, surface, watch| match r.access {
                    Access::Read => {
                        let registers = unorm::read(surface, corner, watch)?;
                        served.put(&registers);
                        Ok(())
                    }
                    Access::Write => {
                        let data = served.payload(1);
                        let block = [data[0], data[1], data[2], data[3]];
                        unorm::write(surface, corner, r.mask, &block, watch)
                    }
                })
            }
            Request::Vertex(r) => self.on_surface(r.surface, |served, surface, watch| {
                buffer::write_vertex(surface, r.index, r.data, served.mask, watch)
            }),
            Request::LoopFilter(r) => self.in_buffer(r.surface, 4, |served, buffer| {
                let mut source = [0; deblock::SOURCE_BYTES];
                buffer::read_bytes(buffer, r.offset, &mut source)?;
                let registers = deblock::expand(&source)?;
                served.put(&registers);
                Ok(())
            }),
            // The caches of a simulator hold nothing back; a commit does not change its register.
            Request::FlushRender { .. } => {
                self.thread.cached.clear();
                Ok(())
            }
            Request::Math(control) => {
                self.math(&control);
                Ok(())
            }
            // Opening and closing a gateway says which messages may arrive, and none do.
            Request::Gateway { .. } | Request::EndOfChild | Request::NullEnd => Ok(()),
            // Messages that later parts have too go the way of theirs.
            _ => self.through_request(),
        }
    }

    fn unmodelled(&self, note: &str, see: &'static str) -> Box<Trap> {
        let name = self.decoded.request.name();
        let what = format!("the message {name} is not modelled");
        self.trap(
            Diagnostic::with_message(Code::N0937, what)
                .note(note)
                .see(see),
        )
    }

    /// Serves a message as that of later parts is.
    fn through_request(&mut self) -> Done {
        let decoded = self.decoded;
        let payload = Payload::new(self.raw, &decoded.form, self.thread.program.platform);
        let call = raw::Call {
            raw: self.raw,
            decoded: &decoded,
            payload: &payload,
            pc: self.pc,
        };
        match call.serve(self.thread, self.environment, self.observer) {
            Some(done) => done,
            None => Err(self.unmodelled("or not with this payload", "lowering reference 18.2")),
        }
    }

    fn surface(&self, index: u32) -> Result<&'e Surface, Box<Trap>> {
        let resources = self.environment.resources;
        let call = message::Call {
            pc: self.pc,
            surface: None,
            sampler: None,
            count: self.raw.lanes.count.into(),
            offset: self.raw.lanes.offset,
            mask: self.mask,
            base: 0,
            registers: &Registers::NONE,
        };
        message::surface(self.thread, resources, &call, index)
    }

    /// A refusal as a trap.
    fn answered(&self, done: Result<(), Refused>) -> Done {
        let Err(refused) = done else {
            return Ok(());
        };
        let code = match refused.class {
            Class::Undefined => Code::U0601,
            Class::Unsupported => Code::N0602,
            Class::Limit => Code::L0605,
            _ => Code::E0607,
        };
        let mut wrong = Diagnostic::with_message(code, refused.what).see(refused.see);
        let request = &self.decoded.request;
        if let Some(index) = request.surface() {
            wrong = wrong.note(format!("{}, binding table index {index}", request.name()));
        }
        Err(self.trap(wrong))
    }

    /// Runs `serve` on a surface; the observer hears what it touched.
    fn on_surface(
        &mut self,
        index: u32,
        serve: impl FnOnce(&mut Self, &Surface, Watch<'_>) -> Result<(), Refused>,
    ) -> Done {
        let surface = self.surface(index)?;
        let touched = Touched::default();
        let done = serve(self, surface, touched.watch::<O>());
        let at = self.thread.at(self.pc);
        touched.tell(SpaceName::Surface(index), at, self.observer);
        self.answered(done)
    }

    /// Runs `serve` on the buffer of a binding table index; 255 is stateless memory above the message's base.
    fn in_buffer(
        &mut self,
        index: u32,
        align: u64,
        serve: impl FnOnce(&mut Self, &Buffer<'_>) -> Result<(), Refused>,
    ) -> Done {
        let touched = Touched::default();
        let done = if index == 255 {
            let bytes = self.environment.scratch_bytes;
            let scratch = self
                .thread
                .scratch
                .get_or_insert_with(|| Arc::new(Memory::zeroed(bytes)));
            let scratch = Arc::clone(scratch);
            let buffer = Buffer::stateless(&scratch, self.decoded.request.path().base)
                .watched(touched.watch::<O>());
            serve(self, &buffer)
        } else {
            let surface = self.surface(index)?;
            let see = "PRM 5.10.3, 5.10.4, 5.10.6, \"Restrictions\"";
            match Buffer::of(surface, align, see) {
                Ok(_)
                    if through_render_cache(&self.decoded.request)
                        && !surface.description().render_reads =>
                {
                    let what = "the Render Cache Read Write Mode of the surface is write only";
                    Err(Refused::error(what, see))
                }
                Ok(buffer) => serve(self, &buffer.watched(touched.watch::<O>())),
                Err(refused) => Err(refused),
            }
        };
        let space = match index {
            255 => SpaceName::Scratch,
            index => SpaceName::Surface(index),
        };
        touched.tell(space, self.thread.at(self.pc), self.observer);
        self.answered(done)
    }

    /// The pixels of a render target write.
    ///
    /// No color calculator state exists in a run, whatever the header points to: blending is off for single
    /// source; for dual source, which wants it on, it is as if the factors were one and zero: source 0 is
    /// stored.
    fn pixels(&self, request: &PixelWrite) -> Pixels {
        let PixelWrite { form, header, .. } = request;
        let mut colours = [[0; 4]; SLOTS];
        let mut enables = header.enables;
        let mut take = |first: u32, slot: usize| {
            for (channel, at) in (first..first + 4).enumerate() {
                for (rgba, value) in colours[slot..].iter_mut().zip(self.dwords(at)) {
                    rgba[channel] = value;
                }
            }
        };
        match form {
            // R G B A of subspans 1/0, then of 3/2.
            PixelForm::Simd16 => {
                take(2, 0);
                take(6, 8);
            }
            PixelForm::Replicated => {
                let rgba = self.dwords(2);
                colours = [[rgba[0], rgba[1], rgba[2], rgba[3]]; SLOTS];
            }
            PixelForm::DualHigh => {
                take(2, 8);
                enables &= 0xff00;
            }
            PixelForm::DualLow | PixelForm::Simd8 => {
                take(2, 0);
                enables &= 0x00ff;
            }
        }
        Pixels {
            enables,
            corners: header.corners.map(|(x, y)| (x.into(), y.into())),
            index: header.index,
            colours,
            replicated: *form == PixelForm::Replicated,
        }
    }

    /// Source: PRM 6.1.1.3, 6.1.2.
    fn math(&mut self, control: &Control) {
        let two = control.function.takes_two();
        let wide = !two && self.decoded.form.first == 2;
        let lanes = if wide { 16 } else { 8 };
        let second = if two { self.lanes(1) } else { [0; SLOTS] };
        let operands = [self.lanes(0), second];
        let mask = self.mask & ((1 << lanes) - 1);
        let mut results = [[0; SLOTS]; 2];
        let alt = self.thread.mode.alt;
        if O::ACTIVE {
            let at = self.thread.at(self.pc);
            self.observer.math(at, control, control.elements(mask), alt);
        }
        control.compute(alt, mask as u16, &operands, &mut results);
        for (i, values) in results
            .iter()
            .take(control.function.results() as usize)
            .enumerate()
        {
            // Both results are whole: first all of the first, then all of the second.
            self.put_lanes(i * lanes / 8, &values[..lanes], mask);
        }
    }
}
