//! Media blocks and blocks of the scaler, for the threads that send one message one after the other: what they have in
//! common is worked out once.

use super::environment::Environment;
use super::media::MAX_BLOCK;
use super::media_sampler::note_group;
use super::site_plans::is_constant;
use crate::dataport::block::BlockRows;
use crate::exec::compute::general;
use crate::exec::compute::native::transfer::Rectangle;
use crate::exec::state::arena::{dword, room};
use crate::exec::state::bindings::{Resources, Sampler};
use crate::exec::state::thread::Thread;
use crate::isa::Type;
use crate::message::{Request, Scalar};
use crate::program::{Op, Program, Region, Send, Source};
use crate::sampler::avs::{self, Scaler};
use std::ops::Range;

/// Operands that say numbers, at most: those of the scaler.
const MOST_SCALARS: usize = 9;

/// Messages of a program, for the next threads that send them.
#[derive(Default)]
pub struct Kept<'s>(Vec<Blocks<'s>>);

impl<'s> Kept<'s> {
    /// The message of `send` to the states that `thread` names; `None` if each thread is served by itself.
    pub(crate) fn of(
        &mut self,
        thread: &Thread<'_>,
        environment: &Environment<'s>,
        send: &'s Send,
        pc: u32,
    ) -> Option<&mut Blocks<'s>> {
        let known = self.0.iter().position(|blocks| blocks.pc == pc);
        let at = match known {
            Some(at) if self.0[at].is_named(&thread.arena) => at,
            _ => {
                let blocks = Blocks::new(thread, environment, send, pc)?;
                self.0.retain(|blocks| blocks.pc != pc);
                self.0.push(blocks);
                self.0.len() - 1
            }
        };
        self.0.get_mut(at)
    }

    /// Serves the message at an op for a thread of which only bytes are made, if that is all it takes and the message is one
    /// of these. If not, nothing has happened and false comes back.
    pub(crate) fn serve(&mut self, bytes: &mut [u8], pc: u32) -> bool {
        let found = self.0.iter_mut().find(|blocks| blocks.pc == pc);
        found.is_some_and(|blocks| blocks.serve_bytes(bytes))
    }
}

/// A message, and where it goes.
pub(crate) struct Blocks<'s> {
    send: &'s Send,
    pc: u32,
    resources: &'s Resources,
    /// Binding table index.
    surface: u32,
    sampler: u32,
    /// As the last thread has it; what threads change each of them says anew.
    request: Request,
    /// What threads change.
    scalars: [Option<(Scalar, Value<'s>)>; MOST_SCALARS],
    /// Its registers.
    data: Range<usize>,
    work: Work<'s>,
}

/// Where a number is found.
#[derive(Clone, Copy)]
enum Value<'s> {
    /// The dword at this arena offset.
    Dword(u32),
    /// The word there, and whether it is signed.
    Word(u32, bool),
    /// What an operand says.
    Operand(&'s Source),
}

enum Work<'s> {
    Read(BlockRows<'s>),
    Write(BlockRows<'s>),
    Scale {
        scaler: Box<Scaler<'s>>,
        /// Other messages of the thread may have the same group.
        grouped: bool,
    },
}

impl Work<'_> {
    /// Whether threads remember that they were served.
    const fn is_noted(&self) -> bool {
        matches!(self, Work::Scale { grouped: true, .. })
    }
}

impl<'s> Blocks<'s> {
    /// The message of `send` to the states that `thread` names; `None` if each thread is served by itself.
    pub(crate) fn new(
        thread: &Thread<'_>,
        environment: &Environment<'s>,
        send: &'s Send,
        pc: u32,
    ) -> Option<Blocks<'s>> {
        let block = matches!(
            send.request,
            Request::MediaRead(_) | Request::MediaWrite(_) | Request::Avs(_)
        );
        if !block || environment.through_bits {
            return None;
        }
        let mut request = send.request;
        let [surface, sampler] = named(&thread.arena, send);
        let index = request.surface_mut()?;
        *index = index.wrapping_add(surface);
        let resources = environment.resources;
        let image = resources.surface(*index)?;
        let mut scalars = [None; MOST_SCALARS];
        let mut free = scalars.iter_mut();
        for (scalar, source) in &send.operands.scalars {
            match is_constant(thread.program, source) {
                true => set(&mut request, *scalar, Value::Operand(source), thread),
                false => *free.next()? = Some((*scalar, Value::of(*scalar, source))),
            }
        }
        let registers = &send.operands.registers;
        let (raw, bytes, work) = match &mut request {
            Request::MediaRead(block) => {
                let rows = BlockRows::new(image, block)?;
                let plans = environment.plans;
                plans.note_rows(pc, block.surface, &rows, image.memory());
                (registers.answer?, block.bytes() as usize, Work::Read(rows))
            }
            Request::MediaWrite(block) => {
                let rows = BlockRows::new(image, block)?;
                let plans = environment.plans;
                plans.note_rows(pc, block.surface, &rows, image.memory());
                (
                    registers.data[0]?,
                    block.bytes() as usize,
                    Work::Write(rows),
                )
            }
            Request::Avs(asked) => {
                let Some(Sampler::Avs(state)) = resources.sampler(sampler) else {
                    return None;
                };
                asked.sampler = sampler;
                if avs::outer_taps(image, state).is_some() {
                    return None;
                }
                let scaler = Scaler::new(image, state, asked)?;
                let scaler = Box::new(scaler.made_by(environment.native.makes_blocks()));
                let bytes = scaler.bytes();
                let grouped = environment.plans.scales_again();
                let work = Work::Scale { scaler, grouped };
                (registers.answer?, bytes, work)
            }
            _ => return None,
        };
        if environment.tally.is_some() {
            // Counted lane by lane, or by native code.
            return None;
        }
        let data = raw.offset as usize..raw.offset as usize + bytes;
        (data.end <= raw.end as usize && data.end <= thread.arena.len()).then_some(Blocks {
            send,
            pc,
            resources,
            surface,
            sampler,
            request,
            scalars,
            data,
            work,
        })
    }

    /// Whether a thread with these bytes names the states of these.
    #[inline]
    fn is_named(&self, bytes: &[u8]) -> bool {
        named(bytes, self.send) == [self.surface, self.sampler]
    }

    /// Serves the message of a thread if it is one of these. If not, nothing has happened and false comes back.
    pub(crate) fn serve(&mut self, thread: &mut Thread<'_>) -> bool {
        if !self.is_named(&thread.arena) {
            return false;
        }
        for (scalar, value) in self.scalars.iter().map_while(|scalar| *scalar) {
            set(&mut self.request, scalar, value, thread);
        }
        if self.work.is_noted()
            && let (Work::Scale { scaler, .. }, Request::Avs(asked)) = (&self.work, &self.request)
            && scaler.fits(asked)
        {
            note_group(thread, self.resources, asked, self.pc);
        }
        self.serve_request(&mut thread.arena)
    }

    /// The same for a thread of which only bytes are made; false as well where that is not enough.
    fn serve_bytes(&mut self, bytes: &mut [u8]) -> bool {
        if self.work.is_noted() || !self.is_named(bytes) {
            return false;
        }
        for (scalar, value) in self.scalars.iter().map_while(|scalar| *scalar) {
            let Some(bits) = value.read(bytes) else {
                return false;
            };
            self.request.set(scalar, bits);
        }
        self.serve_request(bytes)
    }

    /// Serves what is asked, if it can be.
    #[inline]
    fn serve_request(&self, bytes: &mut [u8]) -> bool {
        match (&self.work, &self.request) {
            (Work::Read(rows), Request::MediaRead(block)) => {
                rows.read((block.x, block.y), &mut bytes[self.data.clone()])
            }
            (Work::Write(rows), Request::MediaWrite(block)) => {
                rows.write((block.x, block.y), &bytes[self.data.clone()])
            }
            (Work::Scale { scaler, .. }, Request::Avs(asked)) => {
                let fits = scaler.fits(asked);
                if fits {
                    scaler.run(asked, &mut bytes[self.data.clone()]);
                }
                fits
            }
            _ => false,
        }
    }
}

/// A media block that native code does where it is inside of a surface made of rows.
pub(super) fn rectangle(program: &Program, send: &Send) -> Option<Rectangle> {
    let (write, block) = match &send.request {
        Request::MediaRead(block) => (false, block),
        Request::MediaWrite(block) => (true, block),
        _ => return None,
    };
    let [(Scalar::X, x), (Scalar::Y, y)] = &send.operands.scalars[..] else {
        return None;
    };
    let dword = |scalar, source| match Value::of(scalar, source) {
        Value::Dword(at) => Some(at),
        Value::Word(..) | Value::Operand(_) => None,
    };
    let registers = &send.operands.registers;
    let raw = if write {
        registers.data[0]?
    } else {
        registers.answer?
    };
    let tight = block.width.is_power_of_two() && matches!(block.width, 4..=64);
    let bytes = block.width * block.height;
    // Registers of the host may be larger than a row.
    let end = raw.offset.checked_add(bytes)?;
    let holds = end <= raw.end && end + 64 <= room(program.image.len()) as u32;
    let is_plain = tight && bytes as usize <= MAX_BLOCK && block.height > 0;
    (is_plain && holds && !program.platform.is_gen5()).then_some(Rectangle {
        write,
        surface: send.surface?,
        index: block.surface,
        place: [dword(Scalar::X, x)?, dword(Scalar::Y, y)?],
        width: block.width,
        height: block.height,
        data: raw.offset,
    })
}

/// What the variables of surface and sampler hold.
fn named(bytes: &[u8], send: &Send) -> [u32; 2] {
    [send.surface, send.sampler].map(|at| at.map_or(0, |at| dword(bytes, at as usize)))
}

impl<'s> Value<'s> {
    fn of(scalar: Scalar, source: &'s Source) -> Value<'s> {
        let at = match (&source.region, source.modifier) {
            (&Region::Scalar(at) | &Region::Dense(at), None) => at,
            _ => return Value::Operand(source),
        };
        match (scalar.is_float(), source.ty) {
            (true, Type::F) | (false, Type::D | Type::Ud) => Value::Dword(at),
            (false, Type::W | Type::Uw) => Value::Word(at, source.ty == Type::W),
            _ => Value::Operand(source),
        }
    }

    /// What it is in these bytes, if that is all it takes.
    #[inline(always)]
    fn read(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Value::Dword(at) => Some(dword(bytes, at as usize).into()),
            Value::Word(at, signed) => {
                let word = *bytes.get(at as usize..)?.first_chunk()?;
                Some(match signed {
                    true => i64::from(i16::from_le_bytes(word)) as u64,
                    false => u16::from_le_bytes(word).into(),
                })
            }
            Value::Operand(_) => None,
        }
    }
}

/// Says a number of a request, as a thread has it.
#[inline(always)]
fn set(request: &mut Request, scalar: Scalar, value: Value<'_>, thread: &Thread<'_>) {
    let bits = match value {
        Value::Dword(_) | Value::Word(..) => value.read(&thread.arena).unwrap_or_default(),
        Value::Operand(source) if scalar.is_float() => {
            general::scalar_float(thread, source).to_bits().into()
        }
        Value::Operand(source) => general::scalar(thread, source),
    };
    request.set(scalar, bits);
}

/// Whether a thread may ask the scaler more than once, by several messages or by one that it comes to again: then they
/// may be of one group, and differ.
pub(super) fn scales_again(program: &Program) -> bool {
    let scales = |op: &&Op| matches!(op, Op::Send(send) if matches!(send.request, Request::Avs(_)));
    program.ops.iter().filter(scales).count() > 1 || program.may_go_back()
}
