//! Messages of Gen5: the question is decoded, held against the manual's rules, and served.
//!
//! ```text
//!  m3 m4 …  payload ─┐
//!  descriptor ───────┴─ decode_ask ─▶ Ask ─ lengths, rules ─▶ dataport, sampler, math ─▶ registers
//! ```
//!
//! The execution mask goes with the message; each message says what it makes of it. Source: PRM 2.6.7,
//! 5.10, 6.1.

use super::bindings::Environment;
use super::message::{self, read_raw, write_raw};
use super::observer::{Observer, SpaceName};
use super::raw::{self, Payload};
use super::thread::Thread;
use super::touched::Touched;
use super::trap::Trap;
use crate::dataport::buffer::{self, Buffer, Owords, Register};
use crate::dataport::target::{Pixels, SLOTS};
use crate::dataport::touch::Watch;
use crate::dataport::{deblock, target, unorm};
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::isa::Platform;
use crate::math::unit::Control;
use crate::message::gen5::{Ask, Cache, TargetHeader, decode_ask};
use crate::message::gen5_media;
use crate::message::{Access, Decoded, FieldSelect, Form, Message, Request};
use crate::program::{Answer, Raw, RawMessage, Send, registers};
use crate::surface::{LineStride, Memory, Refused, Surface};
use std::sync::Arc;

/// Bytes of a register.
const REGISTER: u32 = Platform::Ilk.grf_bytes();

/// Serves a message of Gen5.
pub(super) fn send<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    raw: &RawMessage,
    message: &Message,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let (ask, form) = decode_ask(message).map_err(|why| {
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
        mask: thread.active(send.lanes, send.guard) & 0xffff,
        thread,
        environment,
        send,
        raw,
        message,
        form,
        pc,
        observer,
    };
    served.check(&ask)?;
    served.ask(&ask)
}

/// A message being served.
struct Served<'t, 'p, 'e, O> {
    thread: &'t mut Thread<'p>,
    environment: &'t Environment<'e>,
    send: &'t Send,
    raw: &'t RawMessage,
    message: &'t Message,
    form: Form,
    mask: u32,
    pc: u32,
    observer: &'t mut O,
}

type Done = Result<(), Box<Trap>>;

impl<'e, O: Observer> Served<'_, '_, 'e, O> {
    fn trap(&self, diagnostic: Diagnostic) -> Box<Trap> {
        self.thread.trap(self.pc, self.mask, diagnostic)
    }

    /// Registers there are none of, and answers that have no place: the text shows them only where the
    /// descriptor stands in it.
    fn places(&self) -> Done {
        let form = &self.form;
        let beyond = |raw: &Raw, count: u32| {
            u64::from(raw.offset) + 32 * u64::from(count) > u64::from(raw.end)
        };
        if self.raw.payload[0].is_some_and(|raw| beyond(&raw, form.first)) {
            let note = format!("a message of {} registers ends behind m15", form.first);
            let wrong = Diagnostic::new(Code::E0924).note(note);
            return Err(self.trap(wrong.see("PRM 2.6, 2.6.1")));
        }
        let (code, note) = match &self.raw.dst {
            Some(dst) if beyond(dst, form.response) => {
                let note = format!("a response of {} registers ends behind r127", form.response);
                (Code::E0924, note)
            }
            Some(_) if form.response == 0 && !self.raw.eot => {
                let note = "nothing comes back: the response length is 0";
                (Code::E0927, note.to_string())
            }
            None if form.response > 0 && !self.raw.eot => {
                let note = format!(
                    "{} registers come back, and the destination is null",
                    form.response
                );
                (Code::E0927, note)
            }
            _ => return Ok(()),
        };
        let wrong = Diagnostic::new(code).note(note);
        Err(self.trap(wrong.see("PRM 2.6.5")))
    }

    /// Answers of earlier messages that nobody has waited for, where lengths are known only now.
    fn in_flight(&mut self) -> Done {
        let (Some(earlier), Some(dst)) = (&self.raw.earlier, &self.raw.dst) else {
            return Ok(());
        };
        let sent = &mut self.thread.answers;
        let here = registers(dst.offset / REGISTER, self.form.response);
        for earlier in earlier {
            let count = match earlier.answer {
                Answer::Known(count) => count,
                Answer::Sent => {
                    let found = sent.iter().find(|(op, _)| *op == earlier.op);
                    found.map_or(0, |(_, count)| *count)
                }
            };
            let pending = registers(earlier.first, count) & !earlier.waited;
            if pending & here != 0 {
                let note = format!(
                    "r{} may still be written for an earlier message, which nothing waits for",
                    (pending & here).trailing_zeros()
                );
                let mut overlap = Diagnostic::new(Code::U0932).note(note);
                let (now, before) = (self.thread.at(self.pc), self.thread.at(earlier.op));
                overlap = overlap.at(now.site.span, "the answer to this message");
                overlap = overlap.and_at(before.site.span, "and the one to this message");
                return Err(self.trap(overlap.see("PRM 2.6.3, 2.6.11")));
            }
        }
        sent.push((self.pc, self.form.response));
        Ok(())
    }

    /// Lengths and the rules of the message's own fields. Source: PRM 2.6.11.
    fn check(&mut self, ask: &Ask) -> Done {
        self.places()?;
        self.in_flight()?;
        let (first, response) = ask.lengths(&self.form);
        let form = &self.form;
        if form.first != first {
            let note = format!(
                "{} takes {first} registers with these fields, the descriptor says {}",
                ask.name(),
                form.first
            );
            let wrong = Diagnostic::new(Code::E0925).note(note);
            return Err(self.trap(wrong.see("PRM 2.6.11, \"Incorrect message length\"")));
        }
        if form.response != response {
            let note = format!(
                "{} answers with {response} registers, the descriptor says {}",
                ask.name(),
                form.response
            );
            let wrong = Diagnostic::new(Code::U0926).note(note);
            return Err(self.trap(wrong.see("PRM 2.6.11, \"Incorrect response length\"")));
        }
        if let Err(violation) = ask.check() {
            let wrong = Diagnostic::with_message(
                Code::E0935,
                format!("{}: {}", ask.name(), violation.what),
            );
            return Err(self.trap(wrong.see(violation.see)));
        }
        match ask.unmodelled() {
            Some(why) => Err(self.unmodelled(ask, &why.what, why.see)),
            None => Ok(()),
        }
    }

    fn ask(&mut self, ask: &Ask) -> Done {
        match ask {
            Ask::Sampler(r) => self.through_request(Request::Sampler(*r), ask),
            Ask::SamplerBlock { .. } => match gen5_media::request(ask, self.message, &self.form) {
                Ok(request) => self.through_request(request, ask),
                Err(why) => Err(self.unmodelled(ask, &why.to_string(), "PRM 4.11.1.9")),
            },
            Ask::MediaRead(block, cache) => {
                let surface = self.surface(block.surface)?;
                self.media_surface(surface, block.field, *cache, ask)?;
                self.through_request(Request::MediaRead(*block), ask)
            }
            Ask::MediaWrite { block, .. } => {
                let surface = self.surface(block.surface)?;
                self.media_surface(surface, block.field, Cache::Render, ask)?;
                self.through_request(Request::MediaWrite(*block), ask)
            }
            Ask::Oword { block, base, .. } => {
                let owords = Owords {
                    offset: block.offset,
                    count: block.owords,
                    high: block.high,
                };
                let rows = block.owords.div_ceil(2) as usize;
                self.in_buffer(
                    block.surface,
                    *base,
                    16,
                    ask,
                    |served, buffer| match block.access {
                        Access::Read => served.change_dst(rows, |mask, registers| {
                            buffer::read_owords(buffer, owords, mask, registers)
                        }),
                        Access::Write => {
                            let data = served.payload(1);
                            let data = &data[..rows.min(data.len())];
                            buffer::write_owords(buffer, owords, served.mask, data)
                        }
                    },
                )
            }
            Ask::DualOword {
                surface,
                access,
                global,
                base,
                owords,
                ..
            } => {
                let (surface, global, count) = (*surface, *global, *owords);
                self.in_buffer(surface, *base, 16, ask, |served, buffer| {
                    let offsets = served.dwords(1);
                    let offsets = [offsets[0], offsets[4]].map(|o| o.wrapping_add(global));
                    match access {
                        Access::Read => served.change_dst(count as usize, |mask, registers| {
                            buffer::read_dual(buffer, offsets, count, mask, registers)
                        }),
                        Access::Write => {
                            let data = served.payload(2);
                            buffer::write_dual(buffer, offsets, count, served.mask, &data)
                        }
                    }
                })
            }
            Ask::DwordScattered { request, base, .. } => {
                let rows = request.lanes / 8;
                let lanes = request.lanes as usize;
                let global = request.global.unwrap_or(0);
                self.in_buffer(request.surface, *base, 4, ask, |served, buffer| {
                    let offsets = served.lanes(1).map(|o| o.wrapping_add(global));
                    let offsets = &offsets[..lanes];
                    match request.access {
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
            Ask::Target {
                surface,
                form,
                header,
                ..
            } => {
                let pixels = self.pixels(*form, header);
                self.on_surface(*surface, ask, |_, surface, watch| {
                    target::write(surface, &pixels, watch)
                })
            }
            Ask::Unorm {
                surface,
                access,
                field,
                x,
                y,
                mask,
                ..
            } => {
                let corner = unorm::Corner {
                    x: *x,
                    y: *y,
                    field: *field,
                };
                self.on_surface(*surface, ask, |served, surface, watch| match access {
                    Access::Read => {
                        let registers = unorm::read(surface, corner, watch)?;
                        served.put(&registers);
                        Ok(())
                    }
                    Access::Write => {
                        let data = served.payload(1);
                        let block = [data[0], data[1], data[2], data[3]];
                        unorm::write(surface, corner, *mask, &block, watch)
                    }
                })
            }
            Ask::Vertex {
                surface,
                index,
                data,
                ..
            } => self.on_surface(*surface, ask, |served, surface, watch| {
                buffer::write_vertex(surface, *index, *data, served.mask, watch)
            }),
            Ask::LoopFilter {
                surface, global, ..
            } => {
                let global = *global;
                self.in_buffer(*surface, 0, 4, ask, |served, buffer| {
                    let mut source = [0; deblock::SOURCE_BYTES];
                    buffer::read_bytes(buffer, global, &mut source)?;
                    let registers = deblock::expand(&source)?;
                    served.put(&registers);
                    Ok(())
                })
            }
            // The caches of a simulator hold nothing back; a commit does not change its register.
            Ask::FlushRender { .. } | Ask::EndOfThread { .. } | Ask::NullEnd => Ok(()),
            Ask::Math(control) => {
                self.math(control);
                Ok(())
            }
            // Opening and closing a gateway says which messages may arrive, and none do.
            Ask::Gateway { .. } => Ok(()),
        }
    }

    fn unmodelled(&self, ask: &Ask, note: &str, see: &'static str) -> Box<Trap> {
        let what = format!("the message {} is not modelled", ask.name());
        self.trap(
            Diagnostic::with_message(Code::N0937, what)
                .note(note)
                .see(see),
        )
    }

    /// Messages that later parts have too go the way of theirs.
    fn through_request(&mut self, request: Request, ask: &Ask) -> Done {
        let decoded = Decoded {
            request,
            form: self.form,
        };
        let payload = Payload::new(self.raw, self.thread.program.platform);
        let done = raw::serve(
            self.thread,
            self.environment,
            self.send,
            self.raw,
            &decoded,
            &payload,
            self.pc,
            self.observer,
        );
        match done {
            Some(done) => done,
            None => {
                Err(self.unmodelled(ask, "or not with this payload", "lowering reference 18.2"))
            }
        }
    }

    fn surface(&self, index: u32) -> Result<&'e Surface, Box<Trap>> {
        let resources = self.environment.resources;
        message::surface(self.thread, resources, self.send, index, self.pc)
    }

    /// What media blocks want of a surface beyond what later parts do.
    fn media_surface(
        &self,
        surface: &Surface,
        field: FieldSelect,
        cache: Cache,
        ask: &Ask,
    ) -> Done {
        let see = "PRM 5.10.5, \"Restrictions\"";
        let d = surface.description();
        if !d.base.is_multiple_of(32) {
            let what = format!("base address {:#x} is not a multiple of 32", d.base);
            return self.answered(ask, Err(Refused::error(what, see)));
        }
        let skips = match field {
            FieldSelect::State => d.line_stride != LineStride::Frame,
            FieldSelect::Frame => false,
            FieldSelect::Top | FieldSelect::Bottom => true,
        };
        if cache == Cache::SamplerField && !skips {
            let what = "the sampler cache in field mode wants a line stride of 1";
            let see = "PRM 5.10.2.1.2, \"Target Cache\"";
            return self.answered(ask, Err(Refused::error(what, see)));
        }
        Ok(())
    }

    /// A refusal as a trap.
    fn answered(&self, ask: &Ask, done: Result<(), Refused>) -> Done {
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
        if let Some(index) = ask.surface() {
            wrong = wrong.note(format!("{}, binding table index {index}", ask.name()));
        }
        Err(self.trap(wrong))
    }

    /// Runs `serve` on a surface; the observer hears what it touched.
    fn on_surface(
        &mut self,
        index: u32,
        ask: &Ask,
        serve: impl FnOnce(&mut Self, &Surface, Watch<'_>) -> Result<(), Refused>,
    ) -> Done {
        let surface = self.surface(index)?;
        let touched = Touched::default();
        let done = serve(self, surface, touched.watch::<O>());
        let at = self.thread.at(self.pc);
        touched.tell(SpaceName::Surface(index), at, self.observer);
        self.answered(ask, done)
    }

    /// Runs `serve` on the buffer of a binding table index; 255 is stateless memory above `base`.
    fn in_buffer(
        &mut self,
        index: u32,
        base: u32,
        align: u64,
        ask: &Ask,
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
            let buffer = Buffer::stateless(&scratch, base).watched(touched.watch::<O>());
            serve(self, &buffer)
        } else {
            let surface = self.surface(index)?;
            match Buffer::of(
                surface,
                align,
                "PRM 5.10.3, 5.10.4, 5.10.6, \"Restrictions\"",
            ) {
                Ok(buffer) => serve(self, &buffer.watched(touched.watch::<O>())),
                Err(refused) => Err(refused),
            }
        };
        let space = match index {
            255 => SpaceName::Scratch,
            index => SpaceName::Surface(index),
        };
        touched.tell(space, self.thread.at(self.pc), self.observer);
        self.answered(ask, done)
    }

    /// Register `at` of the payload; zeros where there is none.
    fn register(&self, at: u32) -> Register {
        let mut register = [0; 32];
        if at < self.form.first
            && let Some(raw) = self.raw.payload[0]
        {
            read_raw(self.thread, raw.skip(32 * at), &mut register);
        }
        register
    }

    /// The payload from register `at` on.
    fn payload(&self, at: u32) -> [Register; 8] {
        std::array::from_fn(|i| self.register(at + i as u32))
    }

    fn dwords(&self, at: u32) -> [u32; 8] {
        let register = self.register(at);
        std::array::from_fn(|i| {
            let byte = |k: usize| register[4 * i + k];
            u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
        })
    }

    /// A dword for each of sixteen lanes, from register `at` on.
    fn lanes(&self, at: u32) -> [u32; SLOTS] {
        let (low, high) = (self.dwords(at), self.dwords(at + 1));
        std::array::from_fn(|lane| if lane < 8 { low[lane] } else { high[lane - 8] })
    }

    /// Register `at` of the response.
    fn dst(&self, at: usize) -> Option<Raw> {
        self.raw.dst.map(|raw| raw.skip(32 * at as u32))
    }

    /// Writes the response.
    fn put(&mut self, registers: &[Register]) {
        for (at, register) in registers.iter().enumerate() {
            if let Some(dst) = self.dst(at) {
                write_raw(self.thread, dst, register, self.pc, self.observer);
            }
        }
    }

    /// Lets `fill` change the registers of the response by the mask.
    fn change_dst(
        &mut self,
        rows: usize,
        fill: impl FnOnce(u32, &mut [Register]) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let mut registers = [[0; 32]; 8];
        for (at, register) in registers.iter_mut().take(rows).enumerate() {
            if let Some(raw) = self.dst(at) {
                read_raw(self.thread, raw, register);
            }
        }
        let registers = &mut registers[..rows.min(8)];
        fill(self.mask, registers)?;
        self.put(registers);
        Ok(())
    }

    /// Writes a dword of each lane of `mask` into the response from register `at` on.
    fn put_lanes(&mut self, at: usize, values: &[u32], mask: u32) {
        for (lane, value) in values
            .iter()
            .enumerate()
            .filter(|(l, _)| mask >> l & 1 == 1)
        {
            if let Some(dst) = self.dst(at) {
                let dst = dst.skip(4 * lane as u32);
                write_raw(
                    self.thread,
                    dst,
                    &value.to_le_bytes(),
                    self.pc,
                    self.observer,
                );
            }
        }
    }

    /// The pixels of a render target write.
    ///
    /// Without a color calculator blending is off for single source; for dual source, which wants it
    /// on, it is as if the factors were one and zero: source 0 is stored.
    fn pixels(&self, form: u32, header: &TargetHeader) -> Pixels {
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
            0 => {
                take(2, 0);
                take(6, 8);
            }
            1 => {
                let rgba = self.dwords(2);
                colours = [[rgba[0], rgba[1], rgba[2], rgba[3]]; SLOTS];
            }
            3 => {
                take(2, 8);
                enables &= 0xff00;
            }
            _ => {
                take(2, 0);
                enables &= 0x00ff;
            }
        }
        Pixels {
            enables,
            corners: header.corners.map(|(x, y)| (x.into(), y.into())),
            index: header.index,
            colours,
            replicated: form == 1,
        }
    }

    /// Source: PRM 6.1.1.3, 6.1.2.
    fn math(&mut self, control: &Control) {
        let two = control.function.takes_two();
        let wide = !two && self.form.first == 2;
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
