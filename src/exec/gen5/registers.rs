//! The registers of a message: those it takes and those it answers with.

use super::super::message::{read_raw, write_raw};
use super::super::observer::Observer;
use super::Served;
use crate::dataport::buffer::Register;
use crate::dataport::target::SLOTS;
use crate::program::Raw;
use crate::surface::Refused;

impl<O: Observer> Served<'_, '_, '_, O> {
    /// Register `at` of the payload; zeros where there is none.
    pub(super) fn register(&self, at: u32) -> Register {
        let mut register = [0; 32];
        if at < self.decoded.form.first
            && let Some(raw) = self.raw.payload[0]
        {
            read_raw(self.thread, raw.skip(32 * at), &mut register);
        }
        register
    }

    /// The payload from register `at` on.
    pub(super) fn payload(&self, at: u32) -> [Register; 8] {
        std::array::from_fn(|i| self.register(at + i as u32))
    }

    pub(super) fn dwords(&self, at: u32) -> [u32; 8] {
        let register = self.register(at);
        std::array::from_fn(|i| {
            let byte = |k: usize| register[4 * i + k];
            u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
        })
    }

    /// A dword for each of sixteen lanes, from register `at` on.
    pub(super) fn lanes(&self, at: u32) -> [u32; SLOTS] {
        let (low, high) = (self.dwords(at), self.dwords(at + 1));
        std::array::from_fn(|lane| if lane < 8 { low[lane] } else { high[lane - 8] })
    }

    /// Register `at` of the response.
    pub(super) fn dst(&self, at: usize) -> Option<Raw> {
        self.raw.dst.map(|raw| raw.skip(32 * at as u32))
    }

    /// Writes the response.
    pub(super) fn put(&mut self, registers: &[Register]) {
        for (at, register) in registers.iter().enumerate() {
            if let Some(dst) = self.dst(at) {
                write_raw(self.thread, dst, register, self.pc, self.observer);
            }
        }
    }

    /// Lets `fill` change the registers of the response by the mask.
    pub(super) fn change_dst(
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
    pub(super) fn put_lanes(&mut self, at: usize, values: &[u32], mask: u32) {
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
}
