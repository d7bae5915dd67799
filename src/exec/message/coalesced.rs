//! Coalesced messages: the lanes of a gather or scatter at once, without an observer.
//!
//! ```text
//!  addresses  a₀ a₁ a₂ …  ─┬─ each the bytes of a lane after the last: one copy
//!  registers  R₀ R₁ R₂ …   └─ anything else: a copy for each lane, in order
//!             G₀ G₁ G₂ …  ◀─▶ R₀G₀ R₁G₁ R₂G₂ … in memory
//! ```
//!
//! What a message does is defined by [`super::memory`], lane by lane; what cannot be done here in the same
//! way is left to it, before anything has changed.

use super::lsc::lsc_addresses;
use super::memory::Space;
use crate::dataport::untyped::Window;
use crate::exec::message::call::{Call, read_raw, state};
use crate::exec::message::environment::Environment;
use crate::exec::state::lanes::{MAX_LANES, active};
use crate::exec::state::thread::Thread;
use crate::isa::Platform;
use crate::lower::{SLM, STATELESS};
use crate::message::{Layout, LscOp, Request};
use crate::program::{Raw, Registers, Send};
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
        let mut bytes = [0; 8 * MAX_LANES];
        let bytes = &mut bytes[..8 * lanes.len()];
        read_raw(thread, raw, bytes);
        for (address, qword) in lanes.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *address = base.wrapping_add(u64::from_le_bytes(*qword));
        }
    } else if is_flat(request) {
        for (address, offset) in lanes.iter_mut().zip(dwords(thread, raw, count)) {
            *address = base.wrapping_add(u64::from(offset));
        }
    } else {
        let (base, unit) = (base as u32, u64::from(registers.unit));
        for (address, offset) in lanes.iter_mut().zip(dwords(thread, raw, count)) {
            *address = u64::from(base.wrapping_add(offset)) * unit;
        }
    }
    out
}

/// Whether addresses have 64 bits.
const fn is_flat(request: &Request) -> bool {
    matches!(
        request,
        Request::SvmUntyped(_) | Request::SvmScattered(_) | Request::SvmAtomic(_)
    )
}

/// A dword for each lane.
fn dwords(thread: &Thread<'_>, raw: Raw, count: usize) -> [u32; MAX_LANES] {
    let mut bytes = [0; 4 * MAX_LANES];
    read_raw(thread, raw, &mut bytes[..4 * count.min(MAX_LANES)]);
    let mut out = [0; MAX_LANES];
    for (out, dword) in out.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *out = u32::from_le_bytes(*dword);
    }
    out
}

/// What each lane moves.
#[derive(Clone, Copy)]
struct Shape {
    /// To memory.
    write: bool,
    /// Bytes of an element in memory: 1, 2, 4 or 8.
    unit: usize,
    /// Bytes of its place in registers: 4 or 8, the rest of it zero.
    slot: usize,
    /// Elements of a lane, which follow each other in memory.
    rows: usize,
    /// Bytes from a lane's element to its next one in registers.
    pitch: usize,
    /// Bytes in front of the first element.
    skipped: u64,
    /// The registers.
    data: Raw,
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

    /// Bytes of a lane in memory.
    const fn bytes(&self) -> usize {
        self.unit * self.rows
    }

    /// Bytes of registers that the lanes take.
    const fn registers(&self, count: usize) -> usize {
        (self.rows - 1) * self.pitch + self.slot * count
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
    Shape::of(request, call.registers, count, platform)
        .is_some_and(|shape| shaped(thread, space, request, &shape, call))
}

/// A gather or scatter in one memory, for the threads that send it one after the other.
pub(crate) struct Coalesced<'s> {
    send: &'s Send,
    /// Binding table index.
    index: u32,
    space: Space<'s>,
    shape: Shape,
}

impl<'s> Coalesced<'s> {
    /// The message of `send` in the memory that `thread` names; `None` if it is not such a message, or one that
    /// threads serve each for itself.
    pub(crate) fn new(
        thread: &Thread<'_>,
        environment: &Environment<'s>,
        send: &'s Send,
    ) -> Option<Coalesced<'s>> {
        let (request, operands) = (&send.request, &send.operands);
        let resources = environment.resources;
        let index = state(thread, send.surface);
        let space = match request {
            Request::ByteScattered(_) | Request::DwordScattered(_) | Request::Untyped(_)
                if index != SLM && index != STATELESS =>
            {
                Space::Surface(index, Window::of(resources.surface(index)?))
            }
            Request::SvmScattered(_) | Request::SvmUntyped(_) if resources.own.is_none() => {
                Space::Flat(&resources.flat, None)
            }
            _ => return None,
        };
        let count = usize::from(send.lanes.count).min(MAX_LANES);
        let platform = thread.program.platform;
        let shape = Shape::of(request, &operands.registers, count, platform)?;
        (!environment.through_bits).then_some(Coalesced {
            send,
            index,
            space,
            shape,
        })
    }

    /// Serves the message of a thread if it is in that memory and can be served whole. If not, nothing has
    /// happened and false comes back.
    pub(crate) fn serve(&self, thread: &mut Thread<'_>) -> bool {
        let send = self.send;
        if state(thread, send.surface) != self.index {
            return false;
        }
        let mask = thread.active(send.lanes, send.guard);
        // Nothing is refused here that would name the op.
        let call = Call::new(thread, send, mask, 0);
        shaped(thread, &self.space, &send.request, &self.shape, &call)
    }
}

/// As [`serve`], for a message whose shape is known.
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
    if registers.address_bytes == 8 || matches!(request, Request::Lsc(_)) {
        return None;
    }
    let raw = (*registers.params().first()?)?;
    let unit = registers.unit as usize;
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
        call.base.wrapping_add(u64::from(first))
    } else {
        let start = (call.base as u32).wrapping_add(first);
        start.checked_add(far)?;
        u64::from(start) * unit as u64
    };
    (misses == 0).then_some(start)
}

/// Moves the bytes of some lanes, all on, which follow each other from `start` on.
fn in_one_piece(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    shape: &Shape,
    lanes: Range<usize>,
    start: u64,
) -> bool {
    let mut bytes = [0; MOST * MAX_LANES];
    let bytes = &mut bytes[..shape.bytes() * lanes.len()];
    if start.checked_add(bytes.len() as u64).is_none() {
        return false;
    }
    let Ok((window, offset)) = space.find(start, bytes.len()) else {
        return false;
    };
    let registers = &mut thread.arena[shape.data.offset as usize..][..shape.registers(lanes.end)];
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
            (false, 4) => own.copy_from_slice(&window.load::<4>(offset)),
            (false, _) => window.read(offset, own),
        }
    }
    if !shape.write {
        unpack(shape, registers, lanes.start, mask, bytes);
    }
    true
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
