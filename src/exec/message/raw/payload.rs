//! The registers of a raw message.

use crate::exec::message::call::read_raw;
use crate::exec::state::thread::Thread;
use crate::isa::Platform;
use crate::message::MessageForm;
use crate::program::{Raw, RawMessage};

/// The registers of both payloads as one row.
pub(in crate::internals::exec) struct Payload {
    parts: [(Option<Raw>, u32); 2],
    grf: u32,
}

impl Payload {
    /// Payloads of as many registers as the message counts.
    pub(in crate::internals::exec) fn new(
        raw: &RawMessage,
        form: &MessageForm,
        platform: Platform,
    ) -> Payload {
        let [first, second] = raw.payload;
        Payload {
            parts: [(first, form.first), (second, form.second)],
            grf: platform.grf_bytes(),
        }
    }

    /// `count` registers from register `at` on; none if they are not there in one piece.
    pub(super) fn at(&self, at: u32, count: u32) -> Option<Raw> {
        let mut at = at;
        for (raw, length) in self.parts {
            if at < length {
                let inside = at.checked_add(count)? <= length;
                let bytes = count.checked_mul(self.grf)?;
                return inside.then_some(raw?.skip(at * self.grf).first(bytes));
            }
            at -= length;
        }
        None
    }

    /// Whether the payload is `%null`.
    pub(super) fn is_null(&self) -> bool {
        self.parts.iter().all(|(raw, _)| raw.is_none())
    }

    /// Registers that the message takes of `%null`.
    pub(super) fn of_null(&self) -> u32 {
        let absent = self.parts.iter().filter(|(raw, _)| raw.is_none());
        absent.map(|(_, length)| length).sum()
    }

    /// The eight dwords of a register; zeros where there is none.
    pub(in crate::internals::exec) fn dwords(&self, thread: &Thread<'_>, at: u32) -> [u32; 8] {
        let mut bytes = [0; 32];
        if let Some(raw) = self.at(at, 1) {
            read_raw(thread, raw, &mut bytes);
        }
        std::array::from_fn(|dw| {
            let byte = |k: usize| bytes[4 * dw + k];
            u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
        })
    }
}
