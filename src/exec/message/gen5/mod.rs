//! What only Gen5 is asked, served; the rules of its manual are in [`checks`].
//!
//! ```text
//!  m3 m4 …  payload ─┐                          ╭─▶ message::serve, as on later parts
//!  descriptor ───────┴─ decode ─▶ Request ─ rules ─▶ here: data port by the manual's masks, math, vertices
//! ```
//!
//! The execution mask goes with the message; each message says what it makes of it. Source: PRM 2.6.7,
//! 5.10, 6.1.

mod checks;

pub(super) use checks::{check, undecoded, unserved};

use super::call::{self, Call, read_raw, write_raw};
use crate::dataport::buffer::{self, Buffer, Owords, Register};
use crate::dataport::target::{Pixels, SLOTS};
use crate::dataport::touch::TouchLog;
use crate::dataport::{deblock, target, unorm};
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::exec::message::environment::Environment;
use crate::exec::state::access_log::Touched;
use crate::exec::state::observer::{Observer, SpaceName};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::lower::STATELESS;
use crate::math::unit::Control;
use crate::message::gen5::rules::through_render_cache;
use crate::message::{Access, PixelForm, PixelWrite, Request};
use crate::program::Raw;
use crate::surface::{Kind, Memory, Refused, Surface};

type Done = Result<(), Box<Trap>>;

/// Whether messages of descriptors are served here: their masks and bounds are those of the manual.
pub(crate) const fn serves(request: &Request) -> bool {
    matches!(
        request,
        Request::Oword(_)
            | Request::DualOword(_)
            | Request::DwordScattered(_)
            | Request::LoopFilter(_)
            | Request::Vertex(_)
            | Request::Pixels(_)
            | Request::TargetUnorm(_)
            | Request::FlushRender { .. }
            | Request::Math(_)
            | Request::Gateway { .. }
            | Request::EndOfChild
            | Request::NullEnd
    )
}

/// Serves a request of those that [`serves`] names.
pub(crate) fn serve<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    request: &Request,
    call: &Call<'_>,
    observer: &mut O,
) -> Done {
    let mut served = Served {
        thread,
        environment,
        request,
        call,
        observer,
    };
    served.serve()
}

/// What a shared function refuses, as a trap that names the message.
fn refused(
    thread: &Thread<'_>,
    request: &Request,
    (pc, mask): (u32, u32),
    refused: Refused,
) -> Box<Trap> {
    let code = match refused.class {
        Class::Undefined => Code::U0601,
        Class::Unsupported => Code::N0602,
        Class::Limit => Code::L0605,
        _ => Code::E0607,
    };
    let mut wrong = Diagnostic::with_message(code, refused.what).see(refused.see);
    if let Some(index) = request.surface() {
        wrong = wrong.note(format!("{}, binding table index {index}", request.name()));
    }
    thread.trap(pc, mask, wrong)
}

/// Two sources are there for a blend factor, and no target of visim blends.
fn second_source() -> Refused {
    Refused::undefined(
        "a dual source write with Color Buffer Blend Enable disabled is undefined, and visim's targets do not blend; \
         send the first source alone",
        "PRM 5.7.2",
    )
}

/// A message being served.
struct Served<'t, 'p, 'e, O> {
    thread: &'t mut Thread<'p>,
    environment: &'t Environment<'e>,
    request: &'t Request,
    call: &'t Call<'t>,
    observer: &'t mut O,
}

impl<'e, O: Observer> Served<'_, '_, 'e, O> {
    fn serve(&mut self) -> Done {
        let mask = self.call.mask;
        match *self.request {
            Request::Oword(r) => {
                let owords = Owords {
                    offset: r.offset,
                    count: r.owords,
                    high: r.high,
                };
                self.in_buffer(r.surface, 16, |served, buffer| match r.access {
                    Access::Read => buffer::read_owords(buffer, owords, mask, |byte, oword| {
                        served.put_oword(byte, oword);
                    }),
                    Access::Write => {
                        let data = served.data();
                        let rows = r.owords.div_ceil(2) as usize;
                        buffer::write_owords(buffer, owords, mask, &data[..rows.min(data.len())])
                    }
                })
            }
            Request::DualOword(r) => {
                let places = self.params(0);
                let offsets = [places[0], places[4]].map(|o| o.wrapping_add(r.offset));
                self.in_buffer(r.surface, 16, |served, buffer| match r.access {
                    Access::Read => {
                        buffer::read_dual(buffer, offsets, r.owords, mask, |byte, oword| {
                            served.put_oword(byte, oword);
                        })
                    }
                    Access::Write => {
                        buffer::write_dual(buffer, offsets, r.owords, mask, &served.data())
                    }
                })
            }
            Request::DwordScattered(r) => {
                let lanes = r.lanes as usize;
                let global = r.global.unwrap_or(0);
                let offsets = self.params(0).map(|o| o.wrapping_add(global));
                let offsets = &offsets[..lanes.min(SLOTS)];
                self.in_buffer(r.surface, 4, |served, buffer| match r.access {
                    Access::Read => {
                        let mut data = [0; SLOTS];
                        buffer::read_dwords(buffer, offsets, mask, &mut data[..offsets.len()])?;
                        served.put_lanes(0, &data[..offsets.len()], mask);
                        Ok(())
                    }
                    Access::Write => {
                        let data = dwords(served.thread, served.call.registers.data[0]);
                        buffer::write_dwords(buffer, offsets, mask, &data[..offsets.len()])
                    }
                })
            }
            Request::Pixels(r) => {
                let pixels = self.pixels(&r);
                self.on_surface(r.surface, |_, surface, watch| {
                    if r.form.is_dual() {
                        return Err(second_source());
                    }
                    target::write(surface, &pixels, watch)
                })
            }
            Request::TargetUnorm(r) => {
                let corner = unorm::Corner {
                    x: r.x,
                    y: r.y,
                    field: r.field,
                };
                self.on_surface(r.surface, |served, surface, watch| match r.access {
                    Access::Read => {
                        let registers = unorm::read(surface, corner, watch)?;
                        served.put(&registers);
                        Ok(())
                    }
                    Access::Write => {
                        let data = served.data();
                        let block = [data[0], data[1], data[2], data[3]];
                        unorm::write(surface, corner, r.mask, &block, watch)
                    }
                })
            }
            Request::Vertex(r) => self.on_surface(r.surface, |_, surface, watch| {
                buffer::write_vertex(surface, r.index, r.data, mask, watch)
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
                self.thread.rare.cached.clear();
                Ok(())
            }
            Request::Math(control) => {
                self.math(&control);
                Ok(())
            }
            // Opening and closing a gateway says which messages may arrive, and none do; a thread's end is the
            // instruction's.
            _ => Ok(()),
        }
    }

    fn surface(&self, index: u32) -> Result<&'e Surface, Box<Trap>> {
        let resources = self.environment.resources;
        call::surface(self.thread, resources, self.call, index)
    }

    /// A refusal as a trap.
    fn answered(&self, done: Result<(), Refused>) -> Done {
        let at = (self.call.pc, self.call.mask);
        done.map_err(|why| refused(self.thread, self.request, at, why))
    }

    /// Runs `serve` on a surface; the observer gets what it touched.
    fn on_surface(
        &mut self,
        index: u32,
        serve: impl FnOnce(&mut Self, &Surface, TouchLog<'_>) -> Result<(), Refused>,
    ) -> Done {
        let surface = self.surface(index)?;
        let touched = Touched::default();
        let done = serve(self, surface, touched.watch::<O>());
        let at = self.thread.at(self.call.pc);
        touched.tell(SpaceName::Surface(index), at, self.observer);
        self.answered(done)
    }

    /// Runs `serve` on the buffer of a binding table index; 255 is stateless memory above the message's base: the
    /// buffer that is bound there, whose end is General State Access Upper Bound, or the run's.
    fn in_buffer(
        &mut self,
        index: u32,
        align: u64,
        serve: impl FnOnce(&mut Self, &Buffer<'_>) -> Result<(), Refused>,
    ) -> Done {
        let touched = Touched::default();
        let resources = self.environment.resources;
        let done = if index == STATELESS {
            let base = self.request.path().base;
            let buffer = match resources.surface(index) {
                Some(surface) => Buffer::general_state(surface, base),
                None => {
                    let memory = resources.general_state(self.environment.scratch_bytes);
                    Ok(Buffer::stateless(memory, base))
                }
            };
            buffer.and_then(|buffer| serve(self, &buffer.watched(touched.watch::<O>())))
        } else {
            let surface = self.surface(index)?;
            let see = "PRM 5.10.3, 5.10.4, 5.10.6, \"Restrictions\"";
            // Reads of the null surface are zeros, writes vanish. Source: PRM 4.10.2.1, SURFTYPE_NULL.
            if surface.kind() == Kind::Null {
                let nothing = Memory::zeroed(0);
                let done = serve(self, &Buffer::null(&nothing));
                return self.answered(done);
            }
            match Buffer::of(surface, align, see) {
                Ok(_)
                    if through_render_cache(self.request)
                        && !surface.description().render_reads =>
                {
                    let what = "the Render Cache Read Write Mode of the surface is write only";
                    Err(Refused::error(what, see))
                }
                Ok(buffer) => serve(self, &buffer.watched(touched.watch::<O>())),
                Err(refused) => Err(refused),
            }
        };
        touched.tell(
            SpaceName::Surface(index),
            self.thread.at(self.call.pc),
            self.observer,
        );
        self.answered(done)
    }

    /// The pixels of a render target write.
    ///
    /// No color calculator state exists in a run, whatever the header points to: blending is off for single
    /// source; for dual source, which requires it on, it is as if the factors were one and zero: source 0 is
    /// stored.
    fn pixels(&self, request: &PixelWrite) -> Pixels {
        let PixelWrite { form, header, .. } = request;
        let mut colours = [[0; 4]; SLOTS];
        let mut enables = header.enables;
        let data = self.data();
        let mut take = |first: usize, slot: usize| {
            for (channel, register) in data[first..first + 4].iter().enumerate() {
                for (rgba, value) in colours[slot..].iter_mut().zip(words(register)) {
                    rgba[channel] = value;
                }
            }
        };
        match form {
            // R G B A of subspans 1/0, then of 3/2.
            PixelForm::Simd16 => {
                take(0, 0);
                take(4, 8);
            }
            PixelForm::Replicated => {
                let rgba = words(&data[0]);
                colours = [[rgba[0], rgba[1], rgba[2], rgba[3]]; SLOTS];
            }
            PixelForm::DualHigh => {
                take(0, 8);
                enables &= 0xff00;
            }
            PixelForm::DualLow | PixelForm::Simd8 => {
                take(0, 0);
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
        let lanes = self.call.count as usize;
        let operands = [self.params(0), self.params(1)];
        let mask = self.call.mask & (u32::MAX >> (32 - lanes.clamp(1, SLOTS)));
        let mut results = [[0; SLOTS]; 2];
        let alt = self.thread.mode.alt;
        if O::ACTIVE {
            let at = self.thread.at(self.call.pc);
            self.observer.math(at, control, control.elements(mask), alt);
        }
        control.compute(alt, mask as u16, &operands, &mut results);
        let results = results.iter().take(control.function.results() as usize);
        for (i, values) in results.enumerate() {
            // Both results are whole: first all of the first, then all of the second.
            self.put_lanes(i * lanes / 8, &values[..lanes.min(SLOTS)], mask);
        }
    }

    /// A dword for each of sixteen lanes of a parameter; zeros where there is none.
    fn params(&self, at: usize) -> [u32; SLOTS] {
        let raw = self.call.registers.params().get(at).copied().flatten();
        dwords(self.thread, raw)
    }

    /// The registers of data; zeros where there are none.
    fn data(&self) -> [Register; 8] {
        std::array::from_fn(|at| {
            let mut register = [0; 32];
            if let Some(raw) = self.call.registers.data[0] {
                read_raw(self.thread, raw.skip(32 * at as u32), &mut register);
            }
            register
        })
    }

    /// Register `at` of the answer.
    fn answer(&self, at: usize) -> Option<Raw> {
        let answer = self.call.registers.answer;
        answer.map(|raw| raw.skip(32 * at as u32))
    }

    /// Writes the answer.
    fn put(&mut self, registers: &[Register]) {
        for (at, register) in registers.iter().enumerate() {
            if let Some(place) = self.answer(at) {
                write_raw(self.thread, place, register, self.call.pc, self.observer);
            }
        }
    }

    /// Writes an oword into the answer from byte `at` on.
    fn put_oword(&mut self, at: usize, oword: &[u8; 16]) {
        if let Some(answer) = self.call.registers.answer {
            let place = answer.skip(at as u32);
            write_raw(self.thread, place, oword, self.call.pc, self.observer);
        }
    }

    /// Writes a dword of each lane of `mask` into the answer from register `at` on.
    fn put_lanes(&mut self, at: usize, values: &[u32], mask: u32) {
        let lanes = values.iter().enumerate();
        for (lane, value) in lanes.filter(|(lane, _)| mask >> lane & 1 == 1) {
            if let Some(place) = self.answer(at) {
                let place = place.skip(4 * lane as u32);
                let bytes = value.to_le_bytes();
                write_raw(self.thread, place, &bytes, self.call.pc, self.observer);
            }
        }
    }
}

/// The eight dwords of a register.
fn words(register: &Register) -> [u32; 8] {
    std::array::from_fn(|i| {
        let byte = |k: usize| register[4 * i + k];
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
    })
}

/// A dword for each of sixteen lanes; zeros where there is none.
fn dwords(thread: &Thread<'_>, raw: Option<Raw>) -> [u32; SLOTS] {
    let mut registers = [[0; 32]; 2];
    for (at, register) in registers.iter_mut().enumerate() {
        if let Some(raw) = raw {
            read_raw(thread, raw.skip(32 * at as u32), register);
        }
    }
    let [low, high] = [words(&registers[0]), words(&registers[1])];
    std::array::from_fn(|lane| if lane < 8 { low[lane] } else { high[lane - 8] })
}
