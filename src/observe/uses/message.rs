//! What a message reads of registers, by kind: blocks, samplers, scatters, atomics, the load/store pipe.

use super::{OperandRole, Use, Uses, What};
use crate::exec::lanes::active;
use crate::message::layout::{data_name, params_name};
use crate::message::{Layout, LscBlock2d, Request};
use crate::program::{Raw, Registers, Send};

/// The lanes a message reads for: those that run, and how many the instruction has.
#[derive(Clone, Copy)]
pub(super) struct On {
    pub mask: u32,
    pub count: u32,
}

impl<F: FnMut(Use)> Uses<'_, F> {
    pub(super) fn message(&mut self, send: &Send, mask: u32) {
        // What each lane gives; such messages do nothing when no lane is on.
        if mask == 0 && !send.request.is_block() {
            return;
        }
        for (scalar, source) in &send.operands.scalars {
            self.scalar(scalar.name(), source);
        }
        let count = u32::from(send.lanes.count);
        let on = On { mask, count };
        self.request(&send.request, &send.operands.registers, on);
    }

    /// The registers of a request, as its layout has them.
    pub(super) fn request(&mut self, request: &Request, registers: &Registers, on: On) {
        let layout = Layout::of(request, on.count, self.facts.platform);
        if let Some(header) = registers.header.filter(|_| on.mask != 0) {
            // X and Y of four subspans, and the array index.
            self.raw("header", header, None, 8, 24);
        }
        let mut params = layout.params;
        let addresses = !matches!(
            request,
            Request::Sampler(_) | Request::Typed(_) | Request::TypedAtomic(_) | Request::Lsc(_)
        );
        if addresses {
            (params.slot, params.used) = (registers.address_bytes, registers.address_bytes);
        }
        // A transposed message is that of the first active lane.
        let first = on.mask & on.mask.wrapping_neg();
        let whole = on;
        let on = match request {
            Request::Lsc(r) if r.transposed => On { mask: first, ..on },
            _ => on,
        };
        for raw in registers.params().iter().flatten() {
            let size = [params.used, params.slot];
            self.each_lane(params_name(request), *raw, on, size);
        }
        let (name, data) = (data_name(request), layout.data);
        let on = whole;
        let alone = matches!(request, Request::Target(_)) || request.is_atomic();
        // The value of a slot may begin in its middle.
        let skipped = match request {
            Request::Lsc(r) => r.data.register_offset(),
            _ => 0,
        };
        for raw in registers.data.iter().flatten() {
            let raw = &raw.skip(skipped);
            if let Request::LscBlock2d(block) = request {
                self.block2d(block, *raw);
                continue;
            }
            if alone {
                // Colours of one write may differ in their type.
                let size = match request {
                    Request::Target(_) => [raw.ty.bytes(); 2],
                    _ => [data.used, data.slot],
                };
                self.each_lane(name, *raw, on, size);
                continue;
            }
            for value in 0..data.count {
                match !request.is_by_lane() {
                    true => self.raw(name, *raw, None, value * data.pitch, data.used),
                    false => {
                        let row = raw.skip(value * data.pitch);
                        self.each_lane(name, row, on, [data.used, data.slot]);
                    }
                }
            }
        }
    }

    /// The elements that a 2D block stores.
    fn block2d(&mut self, block: &LscBlock2d, data: Raw) {
        for row in 0..block.height {
            for column in 0..block.width {
                let at = block.place(column, row) * block.element;
                self.raw("data", data, None, at, block.element);
            }
        }
    }

    /// Bytes of a raw operand; what lies past the variable's end was judged before the run.
    fn raw(&mut self, name: &'static str, raw: Raw, lane: Option<usize>, at: u32, size: u32) {
        let raw = raw.skip(at);
        let size = size.min(raw.end.saturating_sub(raw.offset));
        if size > 0 {
            let offset = raw.offset;
            self.tell(
                OperandRole::Message(name),
                lane,
                What::Bytes { offset, size },
            );
        }
    }

    /// One element for each lane: its bytes, and those from lane to lane.
    fn each_lane(&mut self, name: &'static str, raw: Raw, on: On, [size, step]: [u32; 2]) {
        for lane in active(on.mask, on.count as usize) {
            self.raw(name, raw, Some(lane), lane as u32 * step, size);
        }
    }
}
