//! LSC messages: registers in, registers out. Source: vISA text reference 5.11.

use super::memory::{Address, Fault, Port, atomic_values};
use crate::dataport::untyped::AtomicType;
use crate::exec::message::call::{Call, read_raw};
use crate::exec::state::observer::Observer;
use crate::exec::state::thread::Thread;
use crate::isa::{AtomicOp, Extension};
use crate::message::{Layout, Lsc, LscOp, Request, Sfid};
use crate::program::Raw;

/// Elements that a transposed access moves at most.
const MAX_VECTOR: usize = 64;

impl<O: Observer> Port<'_, '_, '_, O> {
    /// Serves a message on the active lanes, in order.
    pub(crate) fn lsc(&mut self, r: &Lsc, addresses: &[u64]) -> Result<(), Fault> {
        if r.transposed {
            return self.transposed(r, addresses);
        }
        let (memory, register) = (r.data.memory_bytes(), r.data.register_bytes() as usize);
        let layout = Layout::of(
            &Request::Lsc(*r),
            self.count as u32,
            self.thread.program.platform,
        );
        let part = if r.op.is_store() {
            layout.data
        } else {
            layout.answer
        };
        let row = part.pitch as usize;
        // Compiled kernels gather one element a lane from wherever it lies; vectors, blocks, atomics and shared
        // local memory have the alignment of the element.
        let lone = r.vector == 1 && !r.op.is_quad() && r.sfid != Sfid::Slm;
        for lane in self.lanes() {
            if r.op.is_atomic() {
                let asked = Address::by(lane, addresses[lane], memory);
                self.lsc_atomic(r, asked, lane)?;
                continue;
            }
            let mut slot = 0;
            for component in 0..if r.op.is_quad() { 4 } else { r.vector } {
                if r.op.is_quad() && !r.channels.has(component as usize) {
                    continue;
                }
                let place = addresses[lane].wrapping_add(u64::from(component * memory));
                let asked = match lone {
                    true => Address::by(lane, place, memory).at_any(),
                    false => Address::by(lane, place, memory),
                };
                self.move_element(r, asked, slot * row + lane * register)?;
                slot += 1;
            }
        }
        Ok(())
    }

    /// One address, consecutive elements.
    fn transposed(&mut self, r: &Lsc, addresses: &[u64]) -> Result<(), Fault> {
        let (memory, register) = (r.data.memory_bytes(), r.data.register_bytes() as usize);
        let Some(lane) = self.lanes().next() else {
            return Ok(());
        };
        let address = addresses[lane];
        for element in 0..(r.vector as usize).min(MAX_VECTOR) {
            let place = address.wrapping_add(element as u64 * u64::from(memory));
            self.move_element(r, Address::by(lane, place, memory), element * register)?;
        }
        Ok(())
    }

    /// Moves an element between memory and the registers from `byte` on: the upper half of a dword, or its lower
    /// part; of a loaded one the rest is zero.
    fn move_element(&mut self, r: &Lsc, asked: Address, byte: usize) -> Result<(), Fault> {
        let (memory, register) = (
            r.data.memory_bytes() as usize,
            r.data.register_bytes() as usize,
        );
        let from = r.data.register_offset() as usize;
        let mut value = [0; 8];
        if r.op.is_store() {
            if let Some(data) = self.call.registers.data[0] {
                read_raw(self.thread, data.skip(byte as u32), &mut value[..register]);
            }
            return self.store(asked, &value[from..from + memory]);
        }
        self.load(asked, &mut value[from..from + memory])?;
        if let Some(answer) = self.call.registers.answer {
            self.put(answer, byte, &value[..register]);
        }
        Ok(())
    }

    fn lsc_atomic(&mut self, r: &Lsc, asked: Address, lane: usize) -> Result<(), Fault> {
        let size = r.data.register_bytes() as usize;
        let op = match r.op {
            LscOp::Atomic(op) | LscOp::BfAtomic(op) => op,
            // Or with nothing: read in one step.
            _ => AtomicOp::Or,
        };
        let values = atomic_values(op, self.call.registers).map(|raw| {
            let mut value = [0; 8];
            if let Some(raw) = raw {
                let at = raw.skip((size * lane) as u32);
                read_raw(self.thread, at, &mut value[..size]);
            }
            u64::from_le_bytes(value)
        });
        let ty = AtomicType {
            bits: 8 * r.data.memory_bytes() as u8,
            bfloat: matches!(r.op, LscOp::BfAtomic(_)),
        };
        let old = self.exchange(op, ty, asked, values)?;
        if let Some(answer) = self.call.registers.answer {
            self.put(answer, size * lane, &old.to_le_bytes()[..size]);
        }
        Ok(())
    }
}

/// Where lanes go: their addresses times the scale, and what is added.
pub(crate) fn lsc_addresses(thread: &Thread<'_>, r: &Lsc, call: &Call<'_>, lanes: &mut [u64]) {
    let added = call.base.wrapping_add(r.offset as u64);
    // Plain 32-bit addresses wrap in 32 bits, as the offset is part of the address; so do offsets into a surface.
    let wide = r.address_bits == 64 || r.is_widened();
    let kept = if wide { u64::MAX } else { 0xffff_ffff };
    if r.op.is_strided() {
        let (base, stride) = (r.strided.base, u64::from(r.strided.stride));
        for (lane, address) in (0..).zip(lanes) {
            *address = base.wrapping_add(stride * lane).wrapping_add(added) & kept;
        }
        return;
    }
    let size = r.address_bits as usize / 8;
    let raw = call.registers.params().first().copied().flatten();
    let raw = raw.unwrap_or(Raw::NOWHERE);
    for (lane, address) in lanes.iter_mut().enumerate() {
        let mut bytes = [0; 8];
        read_raw(thread, raw.skip((size * lane) as u32), &mut bytes[..size]);
        let own = u64::from_le_bytes(bytes);
        let own = match r.extend {
            Some(Extension::Signed) => i64::from(own as i32) as u64,
            _ => own,
        };
        *address = own.wrapping_mul(u64::from(r.scale)).wrapping_add(added) & kept;
    }
}
