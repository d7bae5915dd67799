//! What a message reads of registers, by kind: blocks, samplers, scatters, atomics, the load/store pipe.

use super::{Part, Use, Uses, What};
use crate::exec::lanes::active;
use crate::message::layout::{data_name, params_name};
use crate::message::{Layout, Request};
use crate::program::{Lanes, Lsc, LscAction, LscBlock, LscPlace, Raw, Registers, SendBody, Source};

/// The lanes a message reads for: those that run, and how many the instruction has.
#[derive(Clone, Copy)]
pub(super) struct On {
    pub mask: u32,
    pub count: u32,
}

impl<F: FnMut(Use)> Uses<'_, F> {
    pub(super) fn message(&mut self, body: &SendBody, lanes: Lanes, mask: u32) {
        let count = u32::from(lanes.count);
        let on = On { mask, count };
        match body {
            // What each lane gives; such messages do nothing when no lane is on.
            SendBody::Request(request, operands) if mask != 0 || request.is_block() => {
                for (scalar, source) in &operands.scalars {
                    self.scalar(scalar.name(), source);
                }
                self.request(request, &operands.registers, on);
            }
            SendBody::Lsc(lsc) if mask != 0 => self.lsc(lsc, on),
            SendBody::LscBlock(block) if mask != 0 => self.lsc_block(block),
            SendBody::Request(..) | SendBody::Lsc(_) | SendBody::LscBlock(_) => {}
        }
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
            Request::Sampler(_) | Request::Typed(_) | Request::TypedAtomic(_)
        );
        if addresses {
            (params.slot, params.used) = (registers.address_bytes, registers.address_bytes);
        }
        for raw in registers.params().iter().flatten() {
            let size = [params.used, params.slot];
            self.each_lane(params_name(request), *raw, on, size);
        }
        let (name, data) = (data_name(request), layout.data);
        let alone = matches!(request, Request::Target(_)) || request.atomic().is_some();
        for raw in registers.data.iter().flatten() {
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
                match request.is_block() {
                    true => self.raw(name, *raw, None, value * data.pitch, data.used),
                    false => {
                        let row = raw.skip(value * data.pitch);
                        self.each_lane(name, row, on, [data.used, data.slot]);
                    }
                }
            }
        }
    }

    fn scalars<'s>(
        &mut self,
        names: &[&'static str],
        sources: impl IntoIterator<Item = &'s Source>,
    ) {
        for (name, source) in names.iter().zip(sources) {
            self.scalar(name, source);
        }
    }

    /// An LSC message: addresses, and what it stores or updates with.
    fn lsc(&mut self, lsc: &Lsc, on: On) {
        if let LscPlace::Table(index) = &lsc.place {
            self.scalar("surface index", index);
        }
        if let Some(base) = &lsc.base {
            self.scalar("base", base);
        }
        // A transposed message is that of the first active lane; strides start from lane 0.
        let first = on.mask & on.mask.wrapping_neg();
        let asking = match (lsc.transposed, lsc.stride) {
            (_, Some(_)) => 1,
            (true, None) => first,
            (false, None) => on.mask,
        };
        let asking = On { mask: asking, ..on };
        let size = lsc.address_bits / 8;
        self.each_lane("addresses", lsc.addresses, asking, [size; 2]);
        if let Some(stride) = lsc.stride {
            self.each_lane("stride", stride, On { mask: 1, count: 1 }, [4; 2]);
        }
        let (memory, register) = (lsc.memory_bytes, lsc.register_bytes);
        for raw in lsc.src.into_iter().flatten() {
            self.each_lane("operands", raw, on, [memory, register]);
        }
        let Some(data) = lsc.data.filter(|_| lsc.action == LscAction::Store) else {
            return;
        };
        let data = data.skip(if lsc.high { 2 } else { 0 });
        if lsc.transposed {
            for element in 0..lsc.vector {
                self.raw("data", data, None, element * register, memory);
            }
            return;
        }
        let row = (register * on.count).next_multiple_of(self.facts.platform.grf_bytes());
        let rows = match lsc.channels.count() {
            0 => lsc.vector,
            channels => channels,
        };
        for k in 0..rows {
            let data = data.skip(k * row);
            self.each_lane("data", data, on, [memory, register]);
        }
    }

    /// A 2D block: its surface and place, and the elements that it stores.
    fn lsc_block(&mut self, block: &LscBlock) {
        let names = ["address", "width", "height", "pitch", "column", "row"];
        self.scalars(&names, block.address.iter());
        let Some(data) = block.data.filter(|_| block.write) else {
            return;
        };
        for row in 0..block.height {
            for column in 0..block.width {
                let at = block.place(column, row) * block.element;
                self.raw("data", data, None, at, block.element);
            }
        }
    }

    /// Bytes of a raw operand; what lies behind the variable's end was judged before the run.
    fn raw(&mut self, name: &'static str, raw: Raw, lane: Option<usize>, at: u32, size: u32) {
        let raw = raw.skip(at);
        let size = size.min(raw.end.saturating_sub(raw.offset));
        if size > 0 {
            let offset = raw.offset;
            self.tell(Part::Message(name), lane, What::Bytes { offset, size });
        }
    }

    /// One element for each lane: its bytes, and those from lane to lane.
    fn each_lane(&mut self, name: &'static str, raw: Raw, on: On, [size, step]: [u32; 2]) {
        for lane in active(on.mask, on.count as usize) {
            self.raw(name, raw, Some(lane), lane as u32 * step, size);
        }
    }
}
