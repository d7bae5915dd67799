//! Surface memory, shared local memory, scratch and 64-bit addresses: registers in, registers out.
//!
//! Each instruction of the vISA text reference 5.9 and 5.10 is one arm here: per-lane addresses are
//! computed, [`Space`] serves them. Active lanes go in order, so that lanes with equal addresses
//! behave as one order the reference allows.

use super::coalesced::{self, lane_addresses};
use crate::dataport::untyped::{AtomicType, Window};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::message::call::{Call, read_raw, write_raw};
use crate::exec::state::bindings::{FlatMemory, OwnMemory};
use crate::exec::state::lanes;
use crate::exec::state::observer::{Access, AccessKind, Observer, SpaceName, Spot};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::exec::state::windows::SHARED_BITS;
use crate::isa::{AtomicOp, ChannelMask};
use crate::message::{self, Atomic, Request};
use crate::program::{Raw, Registers};

/// Where a message reads and writes.
pub enum Space<'a> {
    /// A surface, by binding table index: what lies outside reads 0.
    Surface(u32, Window<'a>),
    /// Shared local memory: as a surface, upper address bits ignored (launch reference 7).
    Shared(Window<'a>),
    /// The thread's own scratch memory: what lies outside is over a limit.
    Scratch(Window<'a>),
    /// 64-bit addresses, those of the thread's own memory among them: what lies outside is a fault.
    Flat(&'a FlatMemory, Option<&'a OwnMemory>),
}

/// An address without memory.
pub(crate) struct Fault {
    address: u64,
    bytes: usize,
}

/// Where a message goes.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    /// The first byte.
    address: u64,
    /// The lane that asks; `None` for a block.
    lane: Option<usize>,
    /// What the program said, which the message may have rounded.
    asked: u64,
    /// What it ought to be a multiple of.
    align: u32,
}

impl Address {
    pub(crate) fn by(lane: usize, address: u64, align: u32) -> Address {
        Address {
            lane: Some(lane),
            ..Address::block(address, align)
        }
    }

    /// The same, with no alignment required.
    pub(crate) fn at_any(self) -> Address {
        Address { align: 1, ..self }
    }

    pub(crate) fn block(address: u64, align: u32) -> Address {
        Address {
            address,
            lane: None,
            asked: address,
            align,
        }
    }
}

impl<'a> Space<'a> {
    /// Whether every address can be asked for.
    pub(crate) fn endless(&self) -> bool {
        matches!(self, Space::Surface(..) | Space::Shared(_))
    }

    /// What is read and written by offsets, if addresses are no more than that.
    pub(crate) fn window(&self) -> Option<Window<'a>> {
        match self {
            Space::Surface(_, window) | Space::Shared(window) => Some(*window),
            Space::Scratch(_) | Space::Flat(..) => None,
        }
    }

    /// The bits of an address that count.
    pub(crate) fn address_bits(&self) -> u64 {
        match self {
            Space::Shared(_) => u64::from(SHARED_BITS),
            _ => u64::MAX,
        }
    }

    /// The window that `bytes` bytes at `address` lie in, and their offset.
    pub(crate) fn find(&self, address: u64, bytes: usize) -> Result<(Window<'a>, u64), Fault> {
        match self {
            Space::Surface(_, window) => Ok((*window, address)),
            Space::Shared(window) => Ok((*window, address & u64::from(SHARED_BITS))),
            Space::Scratch(window) => {
                let end = address.saturating_add(bytes as u64);
                let inside = end <= window.len() as u64;
                inside
                    .then_some((*window, address))
                    .ok_or(Fault { address, bytes })
            }
            Space::Flat(flat, own) => flat
                .find(address, bytes)
                .or_else(|| own.and_then(|own| own.find(address, bytes)))
                .ok_or(Fault { address, bytes }),
        }
    }

    /// The one window that `bytes` bytes at each address from `low` to `high` lie in, and the offset of the first.
    pub(crate) fn span(&self, low: u64, high: u64, bytes: usize) -> Option<(Window<'a>, u64)> {
        match self {
            Space::Flat(flat, _) => flat.find_span(low, high, bytes),
            _ => self.find(low, bytes).ok(),
        }
    }

    /// As [`Space::find`], for reads.
    fn find_readable(&self, address: u64, bytes: usize) -> Result<(Window<'a>, u64), Fault> {
        self.find(address, bytes).or_else(|fault| match self {
            Space::Flat(flat, _) => flat.find_readable(address, bytes).ok_or(fault),
            _ => Err(fault),
        })
    }

    /// What it is called; 64-bit addresses may be those of the thread's own memory.
    fn name_at(&self, address: u64, bytes: usize) -> SpaceName {
        match self {
            Space::Flat(flat, Some(own))
                if flat.find(address, bytes).is_none() && own.find(address, bytes).is_some() =>
            {
                SpaceName::Private
            }
            Space::Surface(index, _) => SpaceName::Surface(*index),
            Space::Shared(_) => SpaceName::Shared,
            Space::Scratch(_) => SpaceName::Scratch,
            Space::Flat(..) => SpaceName::Flat,
        }
    }

    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Fault> {
        let (window, offset) = self.find_readable(address, out.len())?;
        window.read(offset, out);
        Ok(())
    }

    fn write(&self, address: u64, data: &[u8]) -> Result<(), Fault> {
        let (window, offset) = self.find(address, data.len())?;
        window.write(offset, data);
        Ok(())
    }

    fn atomic(
        &self,
        op: AtomicOp,
        ty: AtomicType,
        address: u64,
        src: [u64; 2],
    ) -> Result<u64, Fault> {
        let (window, offset) = self.find(address, usize::from(ty.bits) / 8)?;
        Ok(window.atomic(op, ty, offset, src))
    }
}

/// Serves an untyped message on the lanes of `call.mask`.
pub(crate) fn untyped<O: Observer>(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    request: &Request,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    if !O::ACTIVE && coalesced::serve(thread, space, request, call) {
        return Ok(());
    }
    let mut port = Port {
        thread,
        space,
        count: call.count as usize,
        call,
        observer,
    };
    port.serve(request)
        .map_err(|fault| no_memory(port.thread, space, call, &fault))
}

fn no_memory(thread: &Thread<'_>, space: &Space<'_>, at: &Call<'_>, fault: &Fault) -> Box<Trap> {
    let Fault { address, bytes } = fault;
    if let Space::Scratch(window) = space {
        let note = format!(
            "{bytes} bytes are required at {address:#x}, a thread has {:#x}",
            window.len()
        );
        return thread.trap(at.pc, at.mask, Diagnostic::new(Code::L0605).note(note));
    }
    let mut diagnostic =
        Diagnostic::with_message(Code::E0608, format!("no memory at address {address:#x}"))
            .note(format!("{bytes} bytes are required there"))
            .see(thread.section(at.pc));
    if let Space::Flat(memory, _) = space {
        diagnostic.notes.extend(memory.near(*address, *bytes));
    }
    thread.trap(at.pc, at.mask, diagnostic)
}

/// One message being served.
pub(crate) struct Port<'t, 'p, 's, O> {
    pub(crate) thread: &'t mut Thread<'p>,
    space: &'s Space<'s>,
    pub(crate) count: usize,
    pub(crate) call: &'s Call<'s>,
    observer: &'s mut O,
}

impl<O: Observer> Port<'_, '_, '_, O> {
    pub(crate) fn lanes(&self) -> impl Iterator<Item = usize> + use<O> {
        lanes::active(self.call.mask, self.count)
    }

    pub(crate) fn get<const B: usize>(&self, raw: Raw, byte: usize) -> [u8; B] {
        let mut out = [0; B];
        read_raw(self.thread, raw.skip(byte as u32), &mut out);
        out
    }

    /// Bytes from the start of a raw operand on.
    pub(crate) fn get_all(&self, raw: Raw, out: &mut [u8]) {
        read_raw(self.thread, raw, out);
    }

    pub(crate) fn dword(&self, raw: Raw, index: usize) -> u32 {
        u32::from_le_bytes(self.get(raw, 4 * index))
    }

    pub(crate) fn put(&mut self, raw: Raw, byte: usize, bytes: &[u8]) {
        write_raw(
            self.thread,
            raw.skip(byte as u32),
            bytes,
            self.call.pc,
            self.observer,
        );
    }

    /// Reads memory; what lies outside is reported and served as the space has it.
    pub(crate) fn load(&mut self, from: Address, out: &mut [u8]) -> Result<(), Fault> {
        self.watch(AccessKind::Read, from, out.len(), &[]);
        self.space.read(from.address, out)
    }

    pub(crate) fn store(&mut self, to: Address, data: &[u8]) -> Result<(), Fault> {
        self.watch(AccessKind::Write, to, data.len(), data);
        self.space.write(to.address, data)
    }

    /// Tells the observer what is about to be accessed.
    #[inline]
    fn watch(&mut self, kind: AccessKind, asked: Address, bytes: usize, data: &[u8]) {
        if !O::ACTIVE {
            return;
        }
        let found = match kind {
            AccessKind::Read => self.space.find_readable(asked.address, bytes),
            AccessKind::Write | AccessKind::Atomic => self.space.find(asked.address, bytes),
        };
        let found = found.ok();
        let (memory, start, inside) = found.map_or((0, 0, 0), |(window, offset)| {
            let inside = window.inside(offset, bytes);
            (window.memory(), window.start(offset), inside)
        });
        let wanted = u64::from(asked.align.max(1));
        // Only the padding of a page is found without being inside.
        let past_end = match self.space {
            Space::Flat(flat, _) if found.is_some() && inside < bytes => {
                Some(flat.near(asked.address, bytes).join("; "))
            }
            _ => None,
        };
        let access = Access {
            space: self.space.name_at(asked.address, bytes),
            kind,
            lane: asked.lane.map(|lane| lane as u8),
            spot: Spot::Byte(asked.address),
            bytes: bytes as u32,
            inside: inside as u32,
            misaligned: (!asked.asked.is_multiple_of(wanted)).then_some((asked.asked, asked.align)),
            memory,
            start,
            data,
            past_end: past_end.as_deref(),
        };
        self.observer.access(self.thread.at(self.call.pc), &access);
    }

    /// Reads and writes in one step; the old value.
    pub(crate) fn exchange(
        &mut self,
        op: AtomicOp,
        ty: AtomicType,
        at: Address,
        values: [u64; 2],
    ) -> Result<u64, Fault> {
        self.watch(AccessKind::Atomic, at, usize::from(ty.bits) / 8, &[]);
        self.space.atomic(op, ty, at.address, values)
    }

    /// Moves bytes between memory and registers.
    fn transfer(
        &mut self,
        write: bool,
        asked: Address,
        raw: Raw,
        byte: usize,
        size: usize,
    ) -> Result<(), Fault> {
        let mut bytes = [0; 256];
        let bytes = &mut bytes[..size];
        if write {
            read_raw(self.thread, raw.skip(byte as u32), bytes);
            self.store(asked, bytes)
        } else {
            self.load(asked, bytes)?;
            self.put(raw, byte, bytes);
            Ok(())
        }
    }

    /// Bytes from one channel's row of dwords to the next. Source: vISA text reference 5.8, "Result".
    fn row(&self) -> usize {
        (4 * self.count).next_multiple_of(self.register_bytes())
    }

    pub(crate) fn register_bytes(&self) -> usize {
        self.thread.program.platform.grf_bytes() as usize
    }

    fn serve(&mut self, request: &Request) -> Result<(), Fault> {
        let addresses = lane_addresses(self.thread, request, self.call);
        let registers = self.call.registers;
        let data = |access: message::Access| {
            let (write, raw) = match access {
                message::Access::Read => (false, registers.answer),
                message::Access::Write => (true, registers.data[0]),
            };
            (write, raw.unwrap_or(Raw::NOWHERE))
        };
        match request {
            Request::Oword(r) => {
                let (write, data) = data(r.access);
                // Aligned forms count owords, the other one bytes, in dwords.
                let offset = u64::from(r.offset);
                let address = if r.unaligned {
                    offset & !3
                } else {
                    offset * 16
                };
                let asked = Address {
                    address,
                    lane: None,
                    asked: if r.unaligned { offset } else { address },
                    align: 4,
                };
                self.transfer(write, asked, data, 0, 16 * r.owords as usize)
            }
            Request::SvmBlock(r) => {
                let (write, data) = data(r.access);
                let asked = Address::block(r.address, 16);
                self.transfer(write, asked, data, 0, 16 * r.owords as usize)
            }
            Request::ByteScattered(r) | Request::DwordScattered(r) => {
                let (write, data) = data(r.access);
                for lane in self.lanes() {
                    let (address, bytes) = (addresses[lane], r.element_bytes as usize);
                    self.element(write, bytes, ChannelMask(1), address, data, lane)?;
                }
                Ok(())
            }
            Request::Untyped(r) | Request::SvmUntyped(r) => {
                let (write, data) = data(r.access);
                for lane in self.lanes() {
                    self.element(write, 4, r.channels, addresses[lane], data, lane)?;
                }
                Ok(())
            }
            Request::SvmScattered(r) => {
                let (write, data) = data(r.access);
                let (bytes, count) = (r.block_bytes as usize, r.blocks as usize);
                for lane in self.lanes() {
                    let address = addresses[lane];
                    if bytes == 1 {
                        // A lane owns its bytes, four at least: vISA text reference 5.10.
                        let first = lane * count.max(4);
                        let asked = Address::by(lane, address, 1);
                        self.transfer(write, asked, data, first, count)?;
                        continue;
                    }
                    for block in 0..count {
                        let address = address.wrapping_add((block * bytes) as u64);
                        let byte = (block * self.count + lane) * bytes;
                        let asked = Address::by(lane, address, bytes as u32);
                        self.transfer(write, asked, data, byte, bytes)?;
                    }
                }
                Ok(())
            }
            Request::Atomic(r) | Request::SvmAtomic(r) => {
                for lane in self.lanes() {
                    self.atomic(r, addresses[lane], lane)?;
                }
                Ok(())
            }
            Request::Lsc(r) => self.lsc(r, &addresses),
            Request::LscBlock2d(r) => self.block2d(r),
            _ => Ok(()),
        }
    }

    /// One lane of a gather or scatter: a dword slot for each enabled channel, or one of a qword.
    fn element(
        &mut self,
        write: bool,
        bytes: usize,
        channels: ChannelMask,
        address: u64,
        data: Raw,
        lane: usize,
    ) -> Result<(), Fault> {
        for (row, channel) in channels.iter().enumerate() {
            let address = address.wrapping_add(4 * channel as u64);
            let size = bytes.max(4);
            let byte = row * self.row() + size * lane;
            let asked = Address::by(lane, address, bytes as u32);
            let mut slot = [0; 8];
            let slot = &mut slot[..size];
            if write {
                match size {
                    8 => slot.copy_from_slice(&self.get::<8>(data, byte)),
                    _ => slot.copy_from_slice(&self.get::<4>(data, byte)),
                }
                self.store(asked, &slot[..bytes])?;
            } else {
                // Bytes and words fill a dword: the rest of it is zero, vISA text reference 6.8.
                self.load(asked, &mut slot[..bytes])?;
                self.put(data, byte, slot);
                if O::ACTIVE && bytes < 4 {
                    let rest = data.skip((byte + bytes) as u32);
                    let end = rest.offset.saturating_add(4 - bytes as u32).min(rest.end);
                    let at = self.thread.at(self.call.pc);
                    self.observer.undefined(at, &(rest.offset..end));
                }
            }
        }
        Ok(())
    }

    fn atomic(&mut self, r: &Atomic, address: u64, lane: usize) -> Result<(), Fault> {
        // Words travel in dword slots.
        let slot = if r.bits == 64 { 8 } else { 4 };
        let registers = self.call.registers;
        let values = atomic_values(r.op, registers).map(|raw| {
            raw.map_or(0, |raw| match slot {
                8 => u64::from_le_bytes(self.get(raw, 8 * lane)),
                _ => u64::from(self.dword(raw, lane)),
            })
        });
        let asked = Address::by(lane, address, r.bits / 8);
        let old = self.exchange(r.op, AtomicType::of_bits(r.bits), asked, values)?;
        if let Some(answer) = registers.answer.filter(|_| r.returns) {
            self.put(answer, slot * lane, &old.to_le_bytes()[..slot]);
        }
        Ok(())
    }
}

/// The operands of an atomic as memory takes them: what is written, then what is compared with, which the payload
/// of compare-and-exchange has first. Source: lowering reference 12.1.
pub(crate) const fn atomic_values(op: AtomicOp, registers: &Registers) -> [Option<Raw>; 2] {
    let [first, second, ..] = registers.data;
    match op {
        AtomicOp::CmpXchg => [second, first],
        _ => [first, second],
    }
}
