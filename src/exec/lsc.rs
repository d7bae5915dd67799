//! LSC messages: registers in, registers out. Source: vISA text reference 5.11.

use super::general;
use super::memory::{Asked, Fault, Port};
use super::message::read_raw;
use super::observer::Observer;
use super::thread::Thread;
use crate::isa::{AtomicOp, Extension};
use crate::program::{Lsc, LscAction, LscPlace, Raw};

/// Bytes that a transposed access moves at most: 64 elements of 8 bytes.
const MAX_VECTOR: usize = 64;

impl<O: Observer> Port<'_, '_, '_, O> {
    /// Serves a message on the active lanes, in order.
    pub(super) fn lsc(&mut self, message: &Lsc, addresses: &[u64]) -> Result<(), Fault> {
        if message.transposed {
            return self.transposed(message, addresses);
        }
        let (memory, register) = (
            message.memory_bytes as usize,
            message.register_bytes as usize,
        );
        let align = message.memory_bytes;
        let grf = self.register_bytes();
        let row = (register * self.count).next_multiple_of(grf);
        // Which components: those of a quad by their bits, those of a vector from the first on.
        let mask = message.channels.0;
        let components = if mask == 0 {
            message.vector as usize
        } else {
            4
        };
        for lane in self.lanes() {
            let address = addresses[lane];
            let mut slot = 0;
            for component in 0..components {
                if mask != 0 && mask >> component & 1 == 0 {
                    continue;
                }
                let place = address.wrapping_add((component * memory) as u64);
                let asked = Asked::by(lane, place, align);
                let byte = slot * row + lane * register;
                slot += 1;
                match message.action {
                    LscAction::Load => {
                        let mut value = [0; 8];
                        // The upper half of a dword, or its lower one; the rest is zero.
                        let from = if message.high { 2 } else { 0 };
                        self.load(asked, &mut value[from..from + memory])?;
                        if let Some(data) = message.data {
                            self.put(data, byte, &value[..register]);
                        }
                    }
                    LscAction::Store => {
                        let value: [u8; 8] = self.element_of(message, byte);
                        let from = if message.high { 2 } else { 0 };
                        self.store(asked, &value[from..from + memory])?;
                    }
                    LscAction::Atomic(_) | LscAction::AtomicLoad => {
                        self.lsc_atomic(message, asked, lane)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// One address, consecutive elements.
    fn transposed(&mut self, message: &Lsc, addresses: &[u64]) -> Result<(), Fault> {
        let (memory, register) = (
            message.memory_bytes as usize,
            message.register_bytes as usize,
        );
        let Some(lane) = self.lanes().next() else {
            return Ok(());
        };
        let address = addresses[lane];
        for element in 0..(message.vector as usize).min(MAX_VECTOR) {
            let place = address.wrapping_add((element * memory) as u64);
            let asked = Asked::by(lane, place, message.memory_bytes);
            let byte = element * register;
            if message.action == LscAction::Load {
                let mut value = [0; 8];
                self.load(asked, &mut value[..memory])?;
                if let Some(data) = message.data {
                    self.put(data, byte, &value[..register]);
                }
            } else {
                let value: [u8; 8] = self.element_of(message, byte);
                self.store(asked, &value[..memory])?;
            }
        }
        Ok(())
    }

    /// The register bytes of an element to be stored.
    fn element_of(&self, message: &Lsc, byte: usize) -> [u8; 8] {
        let mut value = [0; 8];
        let Some(data) = message.data else {
            return value;
        };
        match message.register_bytes {
            8 => value = self.get(data, byte),
            n => {
                let low: [u8; 4] = self.get(data, byte);
                value[..n as usize].copy_from_slice(&low[..n as usize]);
            }
        }
        value
    }

    fn lsc_atomic(&mut self, message: &Lsc, asked: Asked, lane: usize) -> Result<(), Fault> {
        let size = message.register_bytes as usize;
        let op = match message.action {
            LscAction::Atomic(op) => op,
            // Or with nothing: read in one step.
            _ => AtomicOp::Or,
        };
        let mut values = message.src.map(|raw| match (raw, size) {
            (None, _) => 0,
            (Some(raw), 8) => u64::from_le_bytes(self.get(raw, 8 * lane)),
            (Some(raw), 2) => u64::from(u16::from_le_bytes(self.get(raw, 2 * lane))),
            (Some(raw), _) => u64::from(self.dword(raw, lane)),
        });
        if op == AtomicOp::CmpXchg {
            // Source 1 is compared, source 2 is new: the reverse of `dword_atomic`.
            values.swap(0, 1);
        }
        let bits = 8 * message.memory_bytes as u8;
        let old = self.exchange(op, bits, asked, values)?;
        if let Some(dst) = message.data {
            self.put(dst, size * lane, &old.to_le_bytes()[..size]);
        }
        Ok(())
    }
}

/// Where a lane goes: its address times the scale, and the offset behind it.
pub(super) fn lsc_address(thread: &Thread<'_>, message: &Lsc, lane: usize) -> u64 {
    let get = |raw: Raw, size: usize, lane: usize| {
        let mut bytes = [0; 8];
        let byte = (size * lane) as u32;
        read_raw(thread, raw.skip(byte), &mut bytes[..size]);
        u64::from_le_bytes(bytes)
    };
    let own = |lane: usize| match message.address_bits {
        64 => get(message.addresses, 8, lane),
        16 => get(message.addresses, 2, lane),
        _ => get(message.addresses, 4, lane),
    };
    let (address, behind) = match message.stride {
        None => (own(lane), 0),
        Some(stride) => (own(0), get(stride, 4, 0) * lane as u64),
    };
    let address = match message.extend {
        Some(Extension::Signed) => i64::from(address as i32) as u64,
        _ => address,
    };
    let base = message.base.as_ref();
    let base = base.map_or(0, |base| general::scalar(thread, base));
    let address = address
        .wrapping_mul(u64::from(message.scale))
        .wrapping_add(behind)
        .wrapping_add(message.offset as u64)
        .wrapping_add(base);
    // Plain 32-bit addresses wrap in 32 bits, as the offset is part of the address; so do offsets into a surface.
    match (message.address_bits, message.extend, &message.place) {
        (64, ..) | (32, Some(_), LscPlace::Flat) => address,
        _ => address & 0xffff_ffff,
    }
}
