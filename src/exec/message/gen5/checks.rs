//! What a message is checked for before it is served: places, answers in flight, lengths, rules.

use super::{Done, refused};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::message::call;
use crate::exec::message::environment::Environment;
use crate::exec::message::raw::Call;
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::message::gen5::rules::{self, Violation};
use crate::message::{Cache, DecodeError, FieldSelect, MediaBlock, Request};
use crate::program::{Raw, Registers, registers};
use crate::surface::{LineStride, Refused, Surface, Tiling};

/// Bytes of a register.
const REGISTER: u32 = 32;

/// The trap of a descriptor that is not a message.
pub(in crate::internals::exec) fn undecoded(
    thread: &Thread<'_>,
    pc: u32,
    desc: u32,
    why: &DecodeError,
) -> Box<Trap> {
    let code = match why.is_unmodelled() {
        true => Code::N0937,
        false => Code::E0934,
    };
    let title = match code {
        Code::E0934 => why.title(),
        other => other.info().title,
    };
    let diagnostic = Diagnostic::with_message(code, title)
        .note(format!("descriptor {desc:#010x}: {why}"))
        .see("lowering reference 18; PRM 2.6.11");
    thread.trap(pc, u32::MAX, diagnostic)
}

fn unmodelled(request: &Request) -> Diagnostic {
    let what = format!("the message {} is not modelled", request.name());
    Diagnostic::with_message(Code::N0937, what)
}

/// The trap of a message whose payload is not there in one piece.
pub(in crate::internals::exec) fn unserved(thread: &Thread<'_>, call: &Call<'_>) -> Box<Trap> {
    let raw = call.raw;
    let mask = thread.active(raw.lanes, raw.guard) & 0xffff;
    let diagnostic = unmodelled(&call.decoded.request).note("or not with this payload");
    thread.trap(call.pc, mask, diagnostic.see("lowering reference 18.2"))
}

/// Checks a message against the manual's rules. Source: PRM 2.6, 4.11, 5.10, 6.1.
pub(in crate::internals::exec) fn check(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    call: &Call<'_>,
    eot: bool,
) -> Done {
    let mut checked = Checked {
        mask: thread.active(call.raw.lanes, call.raw.guard) & 0xffff,
        thread,
        environment,
        call,
        request: call.decoded.request,
        eot,
    };
    checked.places()?;
    checked.in_flight()?;
    checked.rules()?;
    checked.operands()
}

/// A message being checked.
struct Checked<'t, 'p, 'e> {
    thread: &'t mut Thread<'p>,
    environment: &'t Environment<'e>,
    call: &'t Call<'t>,
    request: Request,
    mask: u32,
    eot: bool,
}

impl<'e> Checked<'_, '_, 'e> {
    fn trap(&self, diagnostic: Diagnostic) -> Box<Trap> {
        self.thread.trap(self.call.pc, self.mask, diagnostic)
    }

    /// A rule as a trap.
    fn keep(&self, rule: Result<(), Violation>) -> Done {
        rule.map_err(|wrong| {
            let diagnostic = Diagnostic::new(wrong.code).note(wrong.what);
            self.trap(diagnostic.see(wrong.see))
        })
    }

    /// A refusal as a trap.
    fn refuse(&self, why: Refused) -> Done {
        Err(refused(
            self.thread,
            &self.request,
            (self.call.pc, self.mask),
            why,
        ))
    }

    /// Registers there are none of, and answers that have no place: the text shows them only where the
    /// descriptor is in it.
    fn places(&self) -> Done {
        let (form, raw) = (&self.call.decoded.form, self.call.raw);
        let room = |raw: Raw| raw.end.saturating_sub(raw.offset) / REGISTER;
        if let Some(payload) = raw.payload[0] {
            self.keep(rules::payload_fits(form.first, room(payload)))?;
        }
        let answer = rules::answer_fits(form.response, raw.dst.map(room), self.eot);
        self.keep(answer)
    }

    /// Answers of earlier messages that nothing has waited for, where lengths are known only now.
    fn in_flight(&mut self) -> Done {
        let Some(waited) = self.call.raw.waited else {
            return Ok(());
        };
        let first = self.call.raw.dst.map_or(0, |dst| dst.offset / REGISTER);
        let count = self
            .call
            .raw
            .dst
            .map_or(0, |_| self.call.decoded.form.response);
        let here = registers(first, count);
        let pending = &mut self.thread.rare.pending;
        for (answer, _) in pending.iter_mut() {
            *answer &= !waited;
        }
        // No two of them meet, so there are no more than registers.
        pending.retain(|(answer, _)| *answer != 0);
        let Some(&(answer, op)) = pending.iter().find(|(answer, _)| answer & here != 0) else {
            pending.push((here, self.call.pc));
            return Ok(());
        };
        let note = format!(
            "r{} may still be written for an earlier message, which nothing waits for",
            (answer & here).trailing_zeros()
        );
        let [now, before] = [self.call.pc, op].map(|op| self.thread.at(op).site.span);
        let overlap = Diagnostic::new(Code::U0932)
            .at(now, "the answer to this message")
            .and_at(before, "and the one to this message")
            .note(note)
            .see("PRM 2.6.3, 2.6.11");
        Err(self.trap(overlap))
    }

    /// Lengths and the rules of the message's own fields. Source: PRM 2.6.11.
    fn rules(&self) -> Done {
        let mut miscounted = rules::miscounted(self.call.decoded, self.thread.program.platform);
        self.keep(miscounted.next().map_or(Ok(()), Err))?;
        if let Err(violation) = rules::check(&self.request) {
            return Err(self.broken(&violation.what, violation.see));
        }
        match rules::unmodelled(&self.request) {
            Some(why) => {
                let wrong = unmodelled(&self.request).note(why.what);
                Err(self.trap(wrong.see(why.see)))
            }
            None => Ok(()),
        }
    }

    /// The rules of what is beside the message's fields: offsets in the payload, the surface.
    fn operands(&mut self) -> Done {
        match self.request {
            Request::DualOword(_) => {
                let mask = self.mask;
                let enabled = [0, 4].into_iter().filter(|dw| mask >> dw & 0xf != 0);
                self.offsets(enabled, 16, "PRM 5.10.4.2")
            }
            Request::DwordScattered(r) => {
                let mask = self.mask;
                let enabled = (0..r.lanes as usize).filter(|lane| mask >> lane & 1 != 0);
                self.offsets(enabled, 4, "PRM 5.10.6.2")
            }
            Request::MediaRead(block) | Request::MediaWrite(block) => {
                self.media_surface(self.surface(block.surface)?, &block)
            }
            Request::TargetUnorm(r) => self.mixes(self.surface(r.surface)?, r.field),
            _ => Ok(()),
        }
    }

    fn surface(&self, index: u32) -> Result<&'e Surface, Box<Trap>> {
        let lanes = self.call.raw.lanes;
        let call = call::Call {
            pc: self.call.pc,
            surface: None,
            sampler: None,
            count: lanes.count.into(),
            offset: lanes.offset,
            mask: self.mask,
            base: 0,
            registers: &Registers::NONE,
        };
        call::surface(self.thread, self.environment.resources, &call, index)
    }

    /// A rule of the message that its values break.
    fn broken(&self, what: &str, see: &'static str) -> Box<Trap> {
        let name = self.request.name();
        let wrong = Diagnostic::with_message(Code::E0935, format!("{name}: {what}"));
        self.trap(wrong.see(see))
    }

    /// The dwords of M1 and M2 that enabled channels take as offsets: multiples of `to`.
    fn offsets(
        &self,
        enabled: impl IntoIterator<Item = usize>,
        to: u32,
        see: &'static str,
    ) -> Done {
        let payload = self.call.payload;
        let offsets = [1, 2].map(|at| payload.dwords(self.thread, at));
        for dw in enabled {
            let offset = offsets[dw / 8 % 2][dw % 8];
            if !offset.is_multiple_of(to) {
                let (register, dw) = (1 + dw / 8, dw % 8);
                let what = format!("M{register}.{dw}, {offset:#x}, is not a multiple of {to}");
                return Err(self.broken(&what, see));
            }
        }
        Ok(())
    }

    /// What media blocks require of a surface beyond what later parts do.
    fn media_surface(&mut self, surface: &Surface, block: &MediaBlock) -> Done {
        let field = block.field;
        let see = "PRM 5.10.5, \"Restrictions\"";
        let d = surface.description();
        if !d.base.is_multiple_of(32) {
            let what = format!("base address {:#x} is not a multiple of 32", d.base);
            return self.refuse(Refused::error(what, see));
        }
        let pixel = match d.format.is_packed_422() {
            true => 4,
            false => u32::from(d.format.bits / 8).clamp(1, 4),
        };
        if !(block.x as u32).is_multiple_of(pixel) || !block.width.is_multiple_of(pixel) {
            let what = format!(
                "{} bytes from byte {} on: pixels of {} are {pixel} bytes",
                block.width, block.x, d.format
            );
            return self.refuse(Refused::error(what, see));
        }
        let skips = skips(surface, field);
        if block.path.cache == Cache::SamplerField && !skips {
            let what = "the sampler cache in field mode requires a line stride of 1";
            let see = "PRM 5.10.2.1.2, \"Target Cache\"";
            return self.refuse(Refused::error(what, see));
        }
        self.mixes(surface, field)
    }

    /// Memory of the render cache is tiled in X by frames or by fields, not by both until the cache is
    /// flushed. Source: PRM 5.10.5, 5.10.8, "Restrictions".
    fn mixes(&mut self, surface: &Surface, field: FieldSelect) -> Done {
        let request = &self.request;
        let d = surface.description();
        let (Some(index), Tiling::X, true) = (
            request.surface(),
            d.tiling,
            rules::through_render_cache(request),
        ) else {
            return Ok(());
        };
        let skips = skips(surface, field);
        let cached = &mut self.thread.rare.cached;
        match cached.iter().find(|(other, _)| *other == index) {
            Some((_, before)) if *before != skips => {
                let what =
                    "lines of fields and of frames of an X-tiled surface in the render cache";
                let see = "PRM 5.10.5, 5.10.8, \"Restrictions\"";
                self.refuse(Refused::undefined(what, see))
            }
            Some(_) => Ok(()),
            None => {
                cached.push((index, skips));
                Ok(())
            }
        }
    }
}

/// Whether every second line is touched.
fn skips(surface: &Surface, field: FieldSelect) -> bool {
    match field {
        FieldSelect::State => surface.description().line_stride != LineStride::Frame,
        FieldSelect::Frame => false,
        FieldSelect::Top | FieldSelect::Bottom => true,
    }
}
