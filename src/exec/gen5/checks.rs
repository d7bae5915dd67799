//! What a message is held against before it is served: places, answers in flight, lengths, rules.

use super::super::observer::Observer;
use super::super::trap::Trap;
use super::{Done, Served};
use crate::diagnostic::{Code, Diagnostic};
use crate::message::gen5::rules::{self, Violation};
use crate::message::{Cache, FieldSelect, MediaBlock};
use crate::program::{Raw, registers};
use crate::surface::{LineStride, Refused, Surface, Tiling};

/// Bytes of a register.
const REGISTER: u32 = 32;

impl<O: Observer> Served<'_, '_, '_, O> {
    /// Registers there are none of, and answers that have no place: the text shows them only where the
    /// descriptor stands in it.
    fn places(&self) -> Done {
        let form = &self.decoded.form;
        let room = |raw: Raw| raw.end.saturating_sub(raw.offset) / REGISTER;
        if let Some(raw) = self.raw.payload[0] {
            self.keep(rules::payload_fits(form.first, room(raw)))?;
        }
        let answer = rules::answer_fits(form.response, self.raw.dst.map(room), self.message.eot);
        self.keep(answer)
    }

    /// A rule as a trap.
    fn keep(&self, rule: Result<(), Violation>) -> Done {
        rule.map_err(|wrong| {
            let note = Diagnostic::new(wrong.code).note(wrong.what);
            self.trap(note.see(wrong.see))
        })
    }

    /// Answers of earlier messages that nobody has waited for, where lengths are known only now.
    fn in_flight(&mut self) -> Done {
        let Some(waited) = self.raw.waited else {
            return Ok(());
        };
        let first = self.raw.dst.map_or(0, |dst| dst.offset / REGISTER);
        let count = self.raw.dst.map_or(0, |_| self.decoded.form.response);
        let here = registers(first, count);
        let pending = &mut self.thread.pending;
        for (answer, _) in pending.iter_mut() {
            *answer &= !waited;
        }
        // No two of them meet, so there are no more than registers.
        pending.retain(|(answer, _)| *answer != 0);
        let Some(&(answer, op)) = pending.iter().find(|(answer, _)| answer & here != 0) else {
            pending.push((here, self.pc));
            return Ok(());
        };
        let note = format!(
            "r{} may still be written for an earlier message, which nothing waits for",
            (answer & here).trailing_zeros()
        );
        let [now, before] = [self.pc, op].map(|op| self.thread.at(op).site.span);
        let overlap = Diagnostic::new(Code::U0932)
            .at(now, "the answer to this message")
            .and_at(before, "and the one to this message")
            .note(note)
            .see("PRM 2.6.3, 2.6.11");
        Err(self.trap(overlap))
    }

    /// Lengths and the rules of the message's own fields. Source: PRM 2.6.11.
    pub(super) fn check(&mut self) -> Done {
        self.places()?;
        self.in_flight()?;
        self.keep(rules::miscounted(&self.decoded).next().map_or(Ok(()), Err))?;
        let request = &self.decoded.request;
        if let Err(violation) = rules::check(request) {
            return Err(self.broken(&violation.what, violation.see));
        }
        match rules::unmodelled(request) {
            Some(why) => Err(self.unmodelled(&why.what, why.see)),
            None => Ok(()),
        }
    }

    /// A rule of the message that its values break.
    fn broken(&self, what: &str, see: &'static str) -> Box<Trap> {
        let name = self.decoded.request.name();
        let wrong = Diagnostic::with_message(Code::E0935, format!("{name}: {what}"));
        self.trap(wrong.see(see))
    }

    /// The dwords of M1 and M2 that enabled channels take as offsets: multiples of `to`.
    pub(super) fn offsets(
        &self,
        offsets: impl IntoIterator<Item = (usize, u32)>,
        to: u32,
        see: &'static str,
    ) -> Done {
        for (dw, offset) in offsets {
            if !offset.is_multiple_of(to) {
                let (register, dw) = (1 + dw / 8, dw % 8);
                let what = format!("M{register}.{dw}, {offset:#x}, is not a multiple of {to}");
                return Err(self.broken(&what, see));
            }
        }
        Ok(())
    }

    /// What media blocks want of a surface beyond what later parts do.
    pub(super) fn media_surface(&mut self, surface: &Surface, block: &MediaBlock) -> Done {
        let field = block.field;
        let see = "PRM 5.10.5, \"Restrictions\"";
        let d = surface.description();
        if !d.base.is_multiple_of(32) {
            let what = format!("base address {:#x} is not a multiple of 32", d.base);
            return self.answered(Err(Refused::error(what, see)));
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
            return self.answered(Err(Refused::error(what, see)));
        }
        let skips = skips(surface, field);
        if block.path.cache == Cache::SamplerField && !skips {
            let what = "the sampler cache in field mode wants a line stride of 1";
            let see = "PRM 5.10.2.1.2, \"Target Cache\"";
            return self.answered(Err(Refused::error(what, see)));
        }
        self.mixes(surface, field)
    }

    /// Memory behind the render cache is tiled in X by frames or by fields, not by both until the cache is
    /// flushed. Source: PRM 5.10.5, 5.10.8, "Restrictions".
    pub(super) fn mixes(&mut self, surface: &Surface, field: FieldSelect) -> Done {
        let request = &self.decoded.request;
        let d = surface.description();
        let (Some(index), Tiling::X, true) = (
            request.surface(),
            d.tiling,
            rules::through_render_cache(request),
        ) else {
            return Ok(());
        };
        let skips = skips(surface, field);
        let cached = &mut self.thread.cached;
        match cached.iter().find(|(other, _)| *other == index) {
            Some((_, before)) if *before != skips => {
                let what =
                    "lines of fields and of frames of an X-tiled surface in the render cache";
                let see = "PRM 5.10.5, 5.10.8, \"Restrictions\"";
                self.answered(Err(Refused::undefined(what, see)))
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
