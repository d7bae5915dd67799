//! Coalesced messages: the lanes of a gather or scatter at once, without an observer.
//!
//! ```text
//!  addresses  a₀ a₁ a₂ …  ─┬─ each the bytes of a lane after the last: one copy
//!  registers  R₀ R₁ R₂ …   ├─ all the same: one read for all
//!                          └─ anything else: a copy for each lane, in order
//!             G₀ G₁ G₂ …  ◀─▶ R₀G₀ R₁G₁ R₂G₂ … in memory
//! ```
//!
//! What a message does is defined by [`super::memory`], lane by lane; what cannot be done here in the same
//! way is left to it, before anything has changed.

use super::dwords::{DwordPlan, Dwords};
use super::lsc::lsc_addresses;
use super::memory::{Space, atomic_values};
use super::site_plans::is_constant;
use crate::dataport::untyped::{AtomicType, Window};
use crate::exec::compute::general;
use crate::exec::message::call::{Call, base, read_raw, state};
use crate::exec::message::environment::Environment;
use crate::exec::state::lanes::{MAX_LANES, active};
use crate::exec::state::observer::Observer;
use crate::exec::state::thread::Thread;
use crate::isa::{AtomicOp, Platform};
use crate::lower::{SLM, STATELESS};
use crate::message::{Layout, Lsc, LscModel, LscOp, Request, Scalar, Sfid};
use crate::program::{Raw, Registers, Send};
use crate::surface::Memory;
use std::ops::Range;

/// The first address of each lane. All are read before anything is written, as a message's payload is.
pub(crate) fn lane_addresses(
    thread: &Thread<'_>,
    request: &Request,
    call: &Call<'_>,
) -> [u64; MAX_LANES] {
    let mut out = [0; MAX_LANES];
    let count = call.count as usize;
    let lanes = &mut out[..count.min(MAX_LANES)];
    if let Request::Lsc(r) = request {
        lsc_addresses(thread, r, call, lanes);
        return out;
    }
    let registers = call.registers;
    let Some(&Some(raw)) = registers.params().first() else {
        return out;
    };
    let base = call.base;
    if registers.address_bytes == 8 {
        with_bytes::<{ 8 * MAX_LANES }>(thread, raw, 8 * count, |bytes| {
            for (address, qword) in lanes.iter_mut().zip(bytes.as_chunks::<8>().0) {
                *address = base.wrapping_add(u64::from_le_bytes(*qword));
            }
        });
        return out;
    }
    with_bytes::<{ 4 * MAX_LANES }>(thread, raw, 4 * count, |bytes| {
        let offsets = bytes.as_chunks::<4>().0.iter();
        let offsets = offsets.map(|dword| u32::from_le_bytes(*dword));
        if is_flat(request) {
            for (address, offset) in lanes.iter_mut().zip(offsets) {
                *address = base.wrapping_add(u64::from(offset));
            }
        } else {
            let (base, unit) = (base as u32, u64::from(registers.unit));
            for (address, offset) in lanes.iter_mut().zip(offsets) {
                *address = u64::from(base.wrapping_add(offset)) * unit;
            }
        }
    });
    out
}

/// The first bytes of a raw operand, `N` at most; copied only where some lie past the end of its variable, where
/// they are zero.
pub(crate) fn with_bytes<const N: usize>(
    thread: &Thread<'_>,
    raw: Raw,
    count: usize,
    f: impl FnOnce(&[u8]),
) {
    let count = count.min(N);
    if raw.end.saturating_sub(raw.offset) as usize >= count {
        f(&thread.arena[raw.offset as usize..][..count]);
    } else {
        let mut bytes = [0; N];
        read_raw(thread, raw, &mut bytes[..count]);
        f(&bytes[..count]);
    }
}

/// Whether addresses have 64 bits.
const fn is_flat(request: &Request) -> bool {
    matches!(
        request,
        Request::SvmUntyped(_) | Request::SvmScattered(_) | Request::SvmAtomic(_)
    )
}

/// What each lane moves.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// To memory.
    pub(super) write: bool,
    /// Bytes of an element in memory: 1, 2, 4 or 8.
    pub(super) unit: usize,
    /// Bytes of its place in registers: 4 or 8, the rest of it zero.
    pub(super) slot: usize,
    /// Elements of a lane, which follow each other in memory.
    pub(super) rows: usize,
    /// Bytes from a lane's element to its next one in registers.
    pub(super) pitch: usize,
    /// Bytes in front of the first element.
    pub(super) skipped: u64,
    /// The registers.
    pub(super) data: Raw,
}

/// Where the addresses of lanes lie, one after the other.
#[derive(Clone, Copy)]
pub(super) struct Addresses {
    /// Arena offset of the first.
    pub(super) at: u32,
    /// Bytes of each: 4, or 8 where they are not offsets into one memory.
    pub(super) bytes: usize,
    /// Bytes that one unit of an address means.
    pub(super) unit: u32,
    /// What is added to every address, in units.
    pub(super) added: u64,
}

/// Bytes of a lane at most.
const MOST: usize = 16;

impl Shape {
    fn of(
        request: &Request,
        registers: &Registers,
        count: usize,
        platform: Platform,
    ) -> Option<Shape> {
        // Enabled channels that follow each other, and how many are in front of them.
        let channels = |mask: u8| {
            let first = mask.trailing_zeros();
            let run = u32::from(mask).checked_shr(first)?;
            (run & (run + 1) == 0).then_some((run.count_ones() as usize, u64::from(first)))
        };
        let (write, (rows, first)) = match request {
            Request::ByteScattered(r) | Request::DwordScattered(r) => (r.access.is_write(), (1, 0)),
            Request::Untyped(r) | Request::SvmUntyped(r) => {
                (r.access.is_write(), channels(r.channels.0)?)
            }
            Request::SvmScattered(r) if r.block_bytes > 1 => {
                (r.access.is_write(), (r.blocks as usize, 0))
            }
            Request::Lsc(r) if !r.transposed && r.data.register_offset() == 0 => {
                let rows = match r.op {
                    LscOp::LoadQuad | LscOp::StoreQuad => channels(r.channels.0)?,
                    op if op.is_atomic() || op == LscOp::ReadState => return None,
                    _ => (r.vector as usize, 0),
                };
                (r.op.is_store(), rows)
            }
            _ => return None,
        };
        let layout = Layout::of(request, count as u32, platform);
        let (part, data) = match write {
            true => (layout.data, registers.data[0]?),
            false => (layout.answer, registers.answer?),
        };
        let (unit, slot, pitch) = (part.used as usize, part.slot as usize, part.pitch as usize);
        let shape = Shape {
            write,
            unit,
            slot,
            rows,
            pitch,
            skipped: first * unit as u64,
            data,
        };
        let sizes = matches!((unit, slot), (1 | 2 | 4, 4) | (4 | 8, 8));
        (sizes && rows > 0 && shape.bytes() <= MOST).then_some(shape)
    }

    /// The plan for whole registers of dwords.
    fn dwords(&self, request: &Request, registers: &Registers, count: usize) -> Option<DwordPlan> {
        let addresses = self.addresses(request, registers, count)?;
        if (self.unit, self.slot) != (4, 4) {
            return None;
        }
        let dwords = Dwords {
            write: self.write,
            rows: self.rows,
            pitch: self.pitch,
            skipped: self.skipped as u32,
            added: addresses.added,
            address_bytes: addresses.bytes,
            unit: addresses.unit,
            addresses: addresses.at as usize,
            data: self.data.offset as usize,
        };
        DwordPlan::new(dwords, count)
    }

    /// Bytes of a lane in memory.
    const fn bytes(&self) -> usize {
        self.unit * self.rows
    }

    /// Bytes of registers that the lanes take.
    pub(super) const fn registers(&self, count: usize) -> usize {
        (self.rows - 1) * self.pitch + self.slot * count
    }

    /// Where the addresses are, if they and the data lie in their variables from end to end.
    pub(super) fn addresses(
        &self,
        request: &Request,
        registers: &Registers,
        count: usize,
    ) -> Option<Addresses> {
        let addresses = Addresses::of(request, registers, count)?;
        holds(self.data, self.registers(count)).then_some(addresses)
    }
}

/// Whether so many bytes of a register are in its variable.
pub(super) const fn holds(raw: Raw, bytes: usize) -> bool {
    raw.end.saturating_sub(raw.offset) as usize >= bytes
}

impl Addresses {
    /// Where the addresses of a message are, if they lie in their variable from end to end.
    pub(super) fn of(request: &Request, registers: &Registers, count: usize) -> Option<Addresses> {
        let raw = (*registers.params().first()?)?;
        let (bytes, unit, added) = match request {
            Request::Lsc(r) if r.address_bits == 64 => (r.extend.is_none()
                && r.scale == 1
                && !r.op.is_strided())
            .then_some((8, 1, r.offset as u64))?,
            Request::Lsc(r) => offset_of_dwords(r).map(|added| (4, 1, added))?,
            _ if registers.address_bytes == 8 => (8, 1, 0),
            _ if is_flat(request) => return None,
            _ => (4, registers.unit, 0),
        };
        let whole = holds(raw, bytes * count);
        (whole && unit > 0).then_some(Addresses {
            at: raw.offset,
            bytes,
            unit,
            added,
        })
    }
}

/// An atomic on the lanes of a message.
#[derive(Clone, Copy)]
pub(super) struct Update {
    pub(super) op: AtomicOp,
    pub(super) ty: AtomicType,
    /// Bytes of an operand's place in registers: 4 or 8.
    pub(super) slot: usize,
    /// What is written, and what is compared with.
    pub(super) values: [Option<Raw>; 2],
    pub(super) answer: Option<Raw>,
}

/// What a message does in memory that is the same each time it is sent.
#[derive(Clone, Copy)]
pub(super) enum Work {
    /// Elements are moved; those of whole registers of dwords in vector code.
    Move(Shape, Option<DwordPlan>),
    /// Elements are changed where they are.
    Update(Update),
    /// Owords that follow each other are moved, whichever lanes are on.
    Block(Block),
}

/// Owords in memory and in registers.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// To memory.
    write: bool,
    bytes: usize,
    data: usize,
    /// What the place is a multiple of, and what it counts.
    align: u64,
    unit: u64,
}

impl Block {
    /// The block of a message whose one value is its place.
    fn of(send: &Send) -> Option<Block> {
        let [(Scalar::Offset | Scalar::Address, _)] = send.operands.scalars[..] else {
            return None;
        };
        let (access, owords, align, unit) = match &send.request {
            Request::Oword(r) if r.unaligned => (r.access, r.owords, 4, 1),
            Request::Oword(r) => (r.access, r.owords, 1, 16),
            Request::SvmBlock(r) => (r.access, r.owords, 1, 1),
            _ => return None,
        };
        let registers = &send.operands.registers;
        let write = access.is_write();
        let data = if write {
            registers.data[0]
        } else {
            registers.answer
        }?;
        let bytes = 16 * owords as usize;
        let whole = data.end.saturating_sub(data.offset) as usize >= bytes;
        whole.then_some(Block {
            write,
            bytes,
            data: data.offset as usize,
            align,
            unit,
        })
    }

    /// The first byte that a thread asks for.
    fn address(&self, thread: &Thread<'_>, space: &Space<'_>, send: &Send) -> Option<u64> {
        let (_, place) = send.operands.scalars.first()?;
        let place = general::scalar(thread, place);
        let place = match space {
            Space::Flat(..) => place,
            _ => u64::from(place as u32),
        };
        Some((place & !(self.align - 1)) * self.unit)
    }

    /// Moves the owords if there is memory for all of them. If not, nothing has happened.
    fn serve(&self, thread: &mut Thread<'_>, space: &Space<'_>, send: &Send) -> bool {
        let Some(address) = self.address(thread, space, send) else {
            return false;
        };
        let Ok((window, offset)) = space.find(address, self.bytes) else {
            return false;
        };
        let own = &mut thread.arena[self.data..][..self.bytes];
        match self.write {
            true => window.write(offset, own),
            false => window.read(offset, own),
        }
        true
    }
}

impl Work {
    /// What the lanes of a message do; `None` if it is not served here.
    pub(super) fn of(
        request: &Request,
        registers: &Registers,
        count: usize,
        platform: Platform,
    ) -> Option<Work> {
        let update = |op, ty, slot, returns: bool| Update {
            op,
            ty,
            slot,
            values: atomic_values(op, registers),
            answer: registers.answer.filter(|_| returns),
        };
        let update = match request {
            // Words travel in dword slots.
            Request::Atomic(r) | Request::SvmAtomic(r) => {
                let slot = if r.bits == 64 { 8 } else { 4 };
                update(r.op, AtomicType::of_bits(r.bits), slot, r.returns)
            }
            Request::Lsc(r) if !r.transposed => match r.op {
                LscOp::Atomic(op) => {
                    let ty = AtomicType::of_bits(8 * r.data.memory_bytes());
                    update(op, ty, r.data.register_bytes() as usize, true)
                }
                _ => return Work::moves(request, registers, count, platform),
            },
            _ => return Work::moves(request, registers, count, platform),
        };
        matches!(update.slot, 4 | 8).then_some(Work::Update(update))
    }

    fn moves(
        request: &Request,
        registers: &Registers,
        count: usize,
        platform: Platform,
    ) -> Option<Work> {
        let shape = Shape::of(request, registers, count, platform)?;
        let plan = shape.dwords(request, registers, count);
        Some(Work::Move(shape, plan))
    }
}

/// Serves a message on the lanes of `call.mask` if it can be served whole. If not, nothing has happened.
pub(crate) fn serve(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    request: &Request,
    call: &Call<'_>,
) -> bool {
    let count = (call.count as usize).min(MAX_LANES);
    let platform = thread.program.platform;
    Work::of(request, call.registers, count, platform)
        .is_some_and(|work| worked(thread, space, request, &work, call))
}

/// How a message was served that was not left to [`super::memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// No lane is on.
    Nothing,
    /// In one piece.
    Block,
    /// Dwords of all lanes in vector code.
    Vectors,
    /// Lanes at once where they follow each other, or one after the other.
    Lanes,
}

/// A gather, scatter or atomic in one memory, for the threads that send it one after the other.
pub(crate) struct Coalesced<'s> {
    send: &'s Send,
    /// What the variable of the surface holds.
    state: u32,
    /// `None`: shared local memory, of which every group has its own.
    space: Option<Space<'s>>,
    work: &'s Work,
    /// What is added to every address, where the program says it.
    base: Option<u64>,
}

impl<'s> Coalesced<'s> {
    /// The message of `send` in the memory that `thread` names; `None` if it is not such a message, or one that
    /// threads serve each for itself.
    pub(crate) fn new(
        thread: &Thread<'_>,
        environment: &Environment<'s>,
        send: &'s Send,
        pc: u32,
    ) -> Option<Coalesced<'s>> {
        let (request, operands) = (&send.request, &send.operands);
        if environment.through_bits {
            return None;
        }
        let work = environment.plans.work(pc, || {
            if request.is_block() {
                return Block::of(send).map(Work::Block);
            }
            // Other values than addresses make another message of it.
            let plain = operands.scalars.iter().all(|(scalar, _)| scalar.is_base());
            let count = usize::from(send.lanes.count).min(MAX_LANES);
            let platform = thread.program.platform;
            plain.then(|| Work::of(request, &operands.registers, count, platform))?
        })?;
        let resources = environment.resources;
        let state = state(thread, send.surface);
        let index = match request {
            Request::ByteScattered(r) | Request::DwordScattered(r) => Some(r.surface),
            Request::Untyped(r) => Some(r.surface),
            Request::Atomic(r) => Some(r.surface),
            Request::Oword(r) => Some(r.surface),
            Request::SvmScattered(_)
            | Request::SvmUntyped(_)
            | Request::SvmAtomic(_)
            | Request::SvmBlock(_) => None,
            Request::Lsc(r) if r.typed().is_some() || r.typed_atomic().is_some() => return None,
            Request::Lsc(r) if r.sfid == Sfid::Slm => Some(SLM),
            Request::Lsc(r) => match r.model {
                LscModel::Flat => None,
                LscModel::Bti(index) | LscModel::Bss(index) => Some(index),
                LscModel::Ss(_) => return None,
            },
            _ => return None,
        };
        let is_lsc_slm = matches!(request, Request::Lsc(r) if r.sfid == Sfid::Slm);
        let space = match index.map(|index| match is_lsc_slm {
            true => index,
            false => index.wrapping_add(state),
        }) {
            Some(SLM) => None,
            Some(STATELESS) => return None,
            Some(index) => {
                let window = Window::of(resources.surface(index)?);
                Some(Space::Surface(index, window))
            }
            // A thread's own memory is where nothing else is, and left to it.
            None => Some(Space::Flat(&resources.flat, None)),
        };
        let mut bases = operands.bases();
        let known = bases.all(|source| is_constant(thread.program, source));
        Some(Coalesced {
            send,
            state,
            space,
            work,
            base: known.then(|| base(thread, send)),
        })
    }

    /// As [`Coalesced::serve`], if all bytes that the lanes ask for are there, and lie in registers as in memory: how
    /// many were moved in memory and returned.
    pub(crate) fn serve_counted(
        &self,
        thread: &mut Thread<'_>,
        environment: &Environment<'_>,
    ) -> Option<(u64, u64)> {
        let send = self.send;
        if state(thread, send.surface) != self.state {
            return None;
        }
        let mask = thread.active(send.lanes, send.guard);
        let own;
        let space = match &self.space {
            Some(space) => space,
            None => {
                own = Space::Shared(Window::whole(thread.slm.unwrap_or(environment.slm)));
                &own
            }
        };
        let (size, returns) = match self.work {
            Work::Block(block) => (block.bytes, !block.write),
            Work::Move(shape, _) if shape.unit == shape.slot => (shape.bytes(), !shape.write),
            Work::Update(update) if usize::from(update.ty.bits) / 8 == update.slot => {
                (update.slot, update.answer.is_some())
            }
            _ => return None,
        };
        let lanes = match self.work {
            Work::Block(block) => {
                let (window, offset) =
                    space.find(block.address(thread, space, send)?, size).ok()?;
                window.part(offset, size)?;
                1
            }
            _ if mask == 0 => 0,
            work => {
                let base = self.base.unwrap_or_else(|| base(thread, send));
                let call = Call::with_base(send, base, mask, 0);
                let mut addresses = lane_addresses(thread, &send.request, &call);
                if let Work::Move(shape, _) = work {
                    addresses = addresses.map(|address| address.wrapping_add(shape.skipped));
                }
                let on = mask.trailing_zeros() as usize..32 - mask.leading_zeros() as usize;
                Part::around(space, &addresses, on, mask, size)?;
                mask.count_ones()
            }
        };
        let moved = size as u64 * u64::from(lanes);
        self.serve(thread, environment)?;
        Some((moved, if returns { moved } else { 0 }))
    }

    /// As [`Coalesced::serve`], of dwords and qwords at multiples of their size, all inside a surface or memory that
    /// threads share, each written by one lane alone: nothing about it is worth a report. So it is in shared local memory
    /// if all of that has been written. Tells what it returns.
    pub(crate) fn serve_plain<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        environment: &Environment<'_>,
        pc: u32,
        observer: &mut O,
    ) -> bool {
        let (send, Work::Move(shape, _)) = (self.send, self.work) else {
            return false;
        };
        let mask = thread.active(send.lanes, send.guard);
        if shape.unit != shape.slot || mask == 0 || state(thread, send.surface) != self.state {
            return false;
        }
        let shared;
        let space = match &self.space {
            Some(space) => space,
            None => {
                let memory = thread.slm.unwrap_or(environment.slm);
                if !observer.knows_shared(memory.len() as u64) {
                    return false;
                }
                shared = Space::Shared(Window::whole(memory));
                &shared
            }
        };
        let base = self.base.unwrap_or_else(|| base(thread, send));
        let call = Call::with_base(send, base, mask, pc);
        let addresses = lane_addresses(thread, &send.request, &call);
        let counts = space.address_bits();
        let addresses = addresses.map(|address| address.wrapping_add(shape.skipped) & counts);
        let on = mask.trailing_zeros() as usize..32 - mask.leading_zeros() as usize;
        let mut free = 0;
        for lane in active(mask, on.end) {
            let address = addresses[lane];
            let alone = !shape.write || address >= free;
            if !alone || !address.is_multiple_of(shape.unit as u64) {
                return false;
            }
            free = address.saturating_add(shape.bytes() as u64);
        }
        if Part::around(space, &addresses, on.clone(), mask, shape.bytes()).is_none()
            || self.serve(thread, environment).is_none()
        {
            return false;
        }
        if !shape.write {
            let whole = mask.count_ones() as usize == on.len();
            for row in 0..shape.rows {
                let row = shape.data.offset as usize + row * shape.pitch;
                let mut told = |lanes: Range<usize>| {
                    let at = row + shape.slot * lanes.start..row + shape.slot * lanes.end;
                    observer.wrote(thread.at(pc), at.start as u32, &thread.arena[at]);
                };
                match whole {
                    true => told(on.clone()),
                    false => active(mask, on.end).for_each(|lane| told(lane..lane + 1)),
                }
            }
        }
        true
    }

    /// Serves the message of a thread if it is in that memory and can be served whole, and says how. If not, nothing
    /// has happened.
    pub(crate) fn serve(
        &self,
        thread: &mut Thread<'_>,
        environment: &Environment<'_>,
    ) -> Option<Way> {
        let send = self.send;
        if state(thread, send.surface) != self.state {
            return None;
        }
        let mask = thread.active(send.lanes, send.guard);
        if mask == 0 && !matches!(self.work, Work::Block(_)) {
            return Some(Way::Nothing);
        }
        let own;
        let space = match &self.space {
            Some(space) => space,
            None => {
                own = Space::Shared(Window::whole(thread.slm.unwrap_or(environment.slm)));
                &own
            }
        };
        if let Work::Block(block) = self.work {
            return block.serve(thread, space, send).then_some(Way::Block);
        }
        // Nothing is refused here that would name the op.
        let base = self.base.unwrap_or_else(|| base(thread, send));
        if let Work::Move(_, Some(plan)) = self.work
            && plan.serve(space, base, mask, &mut thread.arena)
        {
            return Some(Way::Vectors);
        }
        let call = Call::with_base(send, base, mask, 0);
        let served = worked(thread, space, &send.request, self.work, &call);
        served.then_some(Way::Lanes)
    }
}

/// As [`serve`], for a message whose work is known.
fn worked(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    request: &Request,
    work: &Work,
    call: &Call<'_>,
) -> bool {
    match work {
        Work::Move(shape, plan) => {
            let registers = &mut thread.arena;
            plan.is_some_and(|plan| plan.serve(space, call.base, call.mask, registers))
                || shaped(thread, space, request, shape, call)
        }
        Work::Update(update) => updated(thread, space, request, update, call),
        Work::Block(_) => false,
    }
}

/// Changes an element for each lane, in order.
fn updated(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    request: &Request,
    update: &Update,
    call: &Call<'_>,
) -> bool {
    let count = (call.count as usize).min(MAX_LANES);
    let (slot, size) = (update.slot, usize::from(update.ty.bits) / 8);
    let whole = |raw: &Option<Raw>| {
        raw.is_none_or(|raw| raw.end.saturating_sub(raw.offset) as usize >= slot * count)
    };
    if !update.values.iter().chain([&update.answer]).all(whole) {
        return false;
    }
    let addresses = lane_addresses(thread, request, call);
    let missing = |lane: usize| space.find(addresses[lane], size).is_err();
    if !space.endless() && active(call.mask, count).any(missing) {
        return false;
    }
    let at = |raw: Raw, lane: usize| raw.offset as usize + slot * lane;
    for lane in active(call.mask, count) {
        let values = update.values.map(|raw| {
            let mut value = [0; 8];
            if let Some(raw) = raw {
                value[..slot].copy_from_slice(&thread.arena[at(raw, lane)..][..slot]);
            }
            u64::from_le_bytes(value)
        });
        let Ok((window, offset)) = space.find(addresses[lane], size) else {
            return false;
        };
        let old = window.atomic(update.op, update.ty, offset, values);
        if let Some(answer) = update.answer {
            let to = at(answer, lane);
            thread.arena[to..to + slot].copy_from_slice(&old.to_le_bytes()[..slot]);
        }
    }
    true
}

/// Moves an element or more for each lane.
fn shaped(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    request: &Request,
    shape: &Shape,
    call: &Call<'_>,
) -> bool {
    let count = (call.count as usize).min(MAX_LANES);
    let (data, size) = (shape.data, shape.bytes());
    if (data.end.saturating_sub(data.offset) as usize) < shape.registers(count) {
        return false;
    }
    let mask = call.mask & (u32::MAX >> (32 - count.max(1)));
    if mask == 0 {
        return true;
    }
    // Lanes from the first to the last that is on.
    let span = mask.trailing_zeros() as usize..32 - mask.leading_zeros() as usize;
    let whole = mask.count_ones() as usize == span.len();
    if whole && let Some(start) = row(thread, request, span.clone(), call, size) {
        let start = start.wrapping_add(shape.skipped);
        return in_one_piece(thread, space, shape, span, start);
    }
    let mut addresses = lane_addresses(thread, request, call);
    for address in &mut addresses[..count] {
        *address = address.wrapping_add(shape.skipped);
    }
    if whole && follow(&addresses[span.clone()], size) {
        let start = addresses[span.start];
        return in_one_piece(thread, space, shape, span, start);
    }
    in_pieces(thread, space, shape, span, mask, &addresses)
}

/// The first address of lanes whose offsets, a dword each, say that every lane's `size` bytes follow those of the
/// lane before: the others need not be computed.
fn row(
    thread: &Thread<'_>,
    request: &Request,
    lanes: Range<usize>,
    call: &Call<'_>,
    size: usize,
) -> Option<u64> {
    let registers = call.registers;
    let (base, unit) = match request {
        Request::Lsc(r) => (call.base.wrapping_add(offset_of_dwords(r)?), 1),
        _ if registers.address_bytes == 8 => return None,
        _ => (call.base, registers.unit as usize),
    };
    let raw = (*registers.params().first()?)?;
    let step = size.checked_div(unit).filter(|step| step * unit == size)? as u32;
    let register = &thread.arena[raw.offset as usize..raw.end.max(raw.offset) as usize];
    let offsets = register.as_chunks::<4>().0.get(lanes)?;
    let first = u32::from_le_bytes(*offsets.first()?);
    let mut misses = 0;
    for (i, offset) in (0..).zip(offsets) {
        misses |= u32::from_le_bytes(*offset) ^ first.wrapping_add(step.wrapping_mul(i));
    }
    let far = step.checked_mul(offsets.len() as u32)?;
    let start = if is_flat(request) {
        first.checked_add(far)?;
        base.wrapping_add(u64::from(first))
    } else {
        let start = (base as u32).wrapping_add(first);
        start.checked_add(far)?;
        u64::from(start) * unit as u64
    };
    (misses == 0).then_some(start)
}

/// What is added to the address of every lane, if those of the load/store pipe are a dword each and wrap as such.
fn offset_of_dwords(r: &Lsc) -> Option<u64> {
    let plain = r.address_bits == 32 && !r.is_widened() && r.scale == 1 && !r.op.is_strided();
    plain.then_some(r.offset as u64)
}

/// Moves the bytes of some lanes, all on, which follow each other from `start` on.
fn in_one_piece(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    shape: &Shape,
    lanes: Range<usize>,
    start: u64,
) -> bool {
    let count = shape.bytes() * lanes.len();
    if start.checked_add(count as u64).is_none() {
        return false;
    }
    let Ok((window, offset)) = space.find(start, count) else {
        return false;
    };
    let registers = &mut thread.arena[shape.data.offset as usize..][..shape.registers(lanes.end)];
    if shape.rows == 1 && shape.unit == shape.slot {
        // They lie in registers as in memory.
        let own = &mut registers[shape.slot * lanes.start..shape.slot * lanes.end];
        match shape.write {
            true => window.write(offset, own),
            false => window.read(offset, own),
        }
        return true;
    }
    let mut bytes = [0; MOST * MAX_LANES];
    let bytes = &mut bytes[..count];
    if shape.write {
        pack(shape, registers, lanes.start, bytes);
        window.write(offset, bytes);
    } else {
        window.read(offset, bytes);
        unpack(shape, registers, lanes.start, u32::MAX, bytes);
    }
    true
}

/// Moves the bytes of the lanes of `mask`, which lie among some lanes, each to or from its own address.
fn in_pieces(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    shape: &Shape,
    lanes: Range<usize>,
    mask: u32,
    addresses: &[u64; MAX_LANES],
) -> bool {
    if let Some(memory) = Part::around(space, addresses, lanes.clone(), mask, shape.bytes()) {
        let registers = &mut thread.arena[shape.data.offset as usize..];
        match (shape.write, shape.unit, shape.slot) {
            (false, 4, 4) => return memory.gather(registers, shape, lanes, mask),
            (true, 4, 4) => return memory.scatter(registers, shape, lanes, mask),
            _ => {}
        }
    }
    let size = shape.bytes();
    // A lane without memory is a fault, which is reported where lanes are served one by one.
    let missing = |lane: usize| space.find(addresses[lane], size).is_err();
    if !space.endless() && active(mask, lanes.end).any(missing) {
        return false;
    }
    let mut bytes = [0; MOST * MAX_LANES];
    let bytes = &mut bytes[..size * lanes.len()];
    let registers = &mut thread.arena[shape.data.offset as usize..][..shape.registers(lanes.end)];
    if shape.write {
        pack(shape, registers, lanes.start, bytes);
    }
    for lane in active(mask, lanes.end) {
        let own = &mut bytes[size * (lane - lanes.start)..][..size];
        let Ok((window, offset)) = space.find(addresses[lane], size) else {
            return false;
        };
        match (shape.write, size) {
            (true, _) => window.write(offset, own),
            (false, 1) => own.copy_from_slice(&window.load::<1>(offset)),
            (false, 2) => own.copy_from_slice(&window.load::<2>(offset)),
            (false, 8) => own.copy_from_slice(&window.load::<8>(offset)),
            (false, _) => window.read(offset, own),
        }
    }
    if !shape.write {
        unpack(shape, registers, lanes.start, mask, bytes);
    }
    true
}

/// Where the elements of lanes lie in one memory, all of them inside.
struct Part<'m> {
    memory: &'m Memory,
    at: [usize; MAX_LANES],
    /// All lanes read the same.
    same: bool,
}

impl<'m> Part<'m> {
    /// The memory that holds the bytes of all lanes of `mask`, if there is one; lanes that are off are where one
    /// that is on is.
    fn around(
        space: &Space<'m>,
        addresses: &[u64; MAX_LANES],
        lanes: Range<usize>,
        mask: u32,
        size: usize,
    ) -> Option<Part<'m>> {
        let kept = space.address_bits();
        let own = addresses[lanes.start] & kept;
        let (mut low, mut high) = (own, own);
        let mut whole = [own; MAX_LANES];
        for lane in lanes {
            let on = 0u64.wrapping_sub(u64::from(mask >> lane & 1));
            let address = addresses[lane] & kept & on | own & !on;
            (low, high) = (low.min(address), high.max(address));
            whole[lane] = address;
        }
        let span = usize::try_from(high - low).ok()?.checked_add(size)?;
        let (window, offset) = space.span(low, high, size)?;
        let (memory, start) = window.part(offset, span)?;
        Some(Part {
            memory,
            at: whole.map(|address| start.wrapping_add((address - low) as usize)),
            same: low == high,
        })
    }

    /// Reads dwords, those of each lane into rows of registers.
    fn gather(&self, registers: &mut [u8], shape: &Shape, lanes: Range<usize>, mask: u32) -> bool {
        for row in 0..shape.rows {
            let (slots, _) = registers[row * shape.pitch..].as_chunks_mut::<4>();
            let slots = &mut slots[..lanes.end];
            let one = self.memory.load::<4>(self.at[lanes.start] + 4 * row);
            for (lane, slot) in slots.iter_mut().enumerate().skip(lanes.start) {
                if mask >> lane & 1 != 0 {
                    *slot = match self.same {
                        true => one,
                        false => self.memory.load::<4>(self.at[lane] + 4 * row),
                    };
                }
            }
        }
        true
    }

    /// Writes dwords, those of a lane after those of the lane before.
    fn scatter(&self, registers: &[u8], shape: &Shape, lanes: Range<usize>, mask: u32) -> bool {
        let mut rows: [&[[u8; 4]]; MOST / 4] = [&[]; MOST / 4];
        for (row, slots) in rows.iter_mut().enumerate().take(shape.rows) {
            *slots = &registers[row * shape.pitch..].as_chunks().0[..lanes.end];
        }
        for lane in active(mask, lanes.end) {
            let mut own = [[0; 4]; MOST / 4];
            for (element, slots) in own.iter_mut().zip(&rows[..shape.rows]) {
                *element = slots[lane];
            }
            let own = own.as_flattened();
            self.memory.write(self.at[lane], &own[..4 * shape.rows]);
        }
        true
    }
}

/// Whether each address is `size` bytes after the one before.
fn follow(span: &[u64], size: usize) -> bool {
    let mut next = span[0];
    let mut differs = 0;
    for &address in span {
        differs |= address ^ next;
        next = next.wrapping_add(size as u64);
    }
    differs == 0
}

/// Brings the elements of each lane together, lanes from `first` on.
fn pack(shape: &Shape, registers: &[u8], first: usize, bytes: &mut [u8]) {
    match (shape.unit, shape.slot, shape.rows) {
        (4, 4, 1) => pack_dwords::<1>(shape, registers, first, bytes),
        (4, 4, 2) => pack_dwords::<2>(shape, registers, first, bytes),
        (4, 4, 3) => pack_dwords::<3>(shape, registers, first, bytes),
        (4, 4, 4) => pack_dwords::<4>(shape, registers, first, bytes),
        (unit, slot, _) => {
            for (i, own) in bytes.chunks_exact_mut(shape.bytes()).enumerate() {
                for (row, element) in own.chunks_exact_mut(unit).enumerate() {
                    let from = row * shape.pitch + slot * (first + i);
                    for (byte, register) in element.iter_mut().zip(&registers[from..]) {
                        *byte = *register;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn pack_dwords<const R: usize>(shape: &Shape, registers: &[u8], first: usize, bytes: &mut [u8]) {
    let lanes = bytes.len() / (4 * R);
    let rows: [&[[u8; 4]]; R] = std::array::from_fn(|row| {
        let from = row * shape.pitch + 4 * first;
        registers[from..from + 4 * lanes].as_chunks().0
    });
    let (dwords, _) = bytes.as_chunks_mut::<4>();
    let (lanes, _) = dwords.as_chunks_mut::<R>();
    // Eight lanes at a time, a size that the compiler knows; then the others.
    let (eights, rest) = lanes.as_chunks_mut::<8>();
    let done = 8 * eights.len();
    for (n, lanes) in eights.iter_mut().enumerate() {
        let rows = rows.map(|row| &row.as_chunks::<8>().0[n]);
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane = rows.map(|row| row[i]);
        }
    }
    for (i, lane) in rest.iter_mut().enumerate() {
        *lane = rows.map(|row| row[done + i]);
    }
}

/// The other way round, on the lanes of `mask`; the rest of each slot becomes zero.
fn unpack(shape: &Shape, registers: &mut [u8], first: usize, mask: u32, bytes: &[u8]) {
    let mask = mask >> first;
    for row in 0..shape.rows {
        let from = row * shape.pitch + shape.slot * first;
        match (shape.unit, shape.slot) {
            (4, 4) => {
                let (slots, _) = registers[from..].as_chunks_mut::<4>();
                let lanes = bytes.as_chunks::<4>().0.chunks_exact(shape.rows);
                let all = mask.trailing_ones() as usize >= lanes.len();
                for (i, (slot, own)) in slots.iter_mut().zip(lanes).enumerate() {
                    if all || mask >> i & 1 != 0 {
                        *slot = own[row];
                    }
                }
            }
            (unit, slot) => {
                let slots = registers[from..].chunks_exact_mut(slot);
                let lanes = bytes.chunks_exact(shape.bytes());
                for (i, (slot, own)) in slots.zip(lanes).enumerate() {
                    if mask >> i & 1 != 0 {
                        slot.fill(0);
                        slot[..unit].copy_from_slice(&own[unit * row..][..unit]);
                    }
                }
            }
        }
    }
}
