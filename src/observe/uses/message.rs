//! What a message reads of registers, by kind: blocks, samplers, scatters, atomics, the load/store pipe.

use super::{Part, Use, Uses, What};
use crate::exec::lanes::active;
use crate::program::{
    ExtendedWord, Lanes, Lsc, LscAction, LscBlock, LscPlace, Raw, SendBody, Source,
};

/// The lanes a message reads for: those that run, and how many the instruction has.
#[derive(Clone, Copy)]
struct On {
    mask: u32,
    count: u32,
}

impl<F: FnMut(Use)> Uses<'_, F> {
    pub(super) fn message(&mut self, body: &SendBody, lanes: Lanes, mask: u32) {
        let count = u32::from(lanes.count);
        self.block(body);
        // What each lane gives; such messages do nothing when no lane is on.
        if mask != 0 {
            let on = On { mask, count };
            self.shaded(body, on);
            self.scattered(body, on);
            self.updated(body, on);
            match body {
                SendBody::Lsc(lsc) => self.lsc(lsc, on),
                SendBody::LscBlock(block) => self.lsc_block(block),
                _ => {}
            }
        }
    }

    /// Messages that take no heed of lanes: scalars, and a block of registers.
    fn block(&mut self, body: &SendBody) {
        match body {
            SendBody::Media {
                write,
                width,
                height,
                x,
                y,
                data,
                ..
            } => {
                self.scalars(&["x offset", "y offset"], [x, y]);
                let pitch = width.next_multiple_of(4).next_power_of_two();
                for row in (0..*height).filter(|_| *write) {
                    self.raw("data", *data, None, row * pitch, *width);
                }
            }
            SendBody::Avs {
                coordinates,
                group_id,
                vertical_block,
                ief_bypass,
                ..
            } => {
                let names = ["u", "v", "deltaU", "deltaV", "u2d", "v2d"];
                self.scalars(&names, coordinates.iter());
                let names = ["groupID", "verticalBlockNumber", "IEFBypass"];
                self.scalars(&names, [group_id, vertical_block, ief_bypass]);
            }
            SendBody::Unorm { coordinates, .. } => {
                self.scalars(&["u", "v", "deltaU", "deltaV"], coordinates.iter());
            }
            SendBody::Oword {
                write,
                count,
                offset,
                data,
                ..
            } => self.owords("offset", offset, write.then_some(*data), *count),
            SendBody::SvmBlock {
                write,
                count,
                address,
                data,
            } => self.owords("address", address, write.then_some(*data), *count),
            SendBody::Raw(raw) => {
                if let ExtendedWord::Operand(source) = &raw.ex_desc {
                    self.scalar("extended descriptor", source);
                }
                self.scalar("descriptor", &raw.desc);
            }
            _ => {}
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

    fn owords(&mut self, name: &'static str, place: &Source, stored: Option<Raw>, count: u32) {
        self.scalar(name, place);
        if let Some(data) = stored {
            self.raw("data", data, None, 0, 16 * count);
        }
    }

    /// What shaders send: the 3D sampler's parameters, a render target's colours.
    fn shaded(&mut self, body: &SendBody, on: On) {
        match body {
            SendBody::Target {
                header, colours, ..
            } => {
                if let Some(header) = header {
                    // X and Y of four subspans, and the array index.
                    self.raw("header", *header, None, 8, 24);
                }
                for raw in colours.iter().flatten() {
                    let size = raw.ty.bytes();
                    self.each_lane("colours", Some(*raw), on, [size, size]);
                }
            }
            SendBody::Sampler {
                template,
                offsets,
                params,
                ..
            } => {
                if let Some(offsets) = offsets {
                    self.scalar("texel offsets", offsets);
                }
                let size = if template.params16 { 2 } else { 4 };
                for raw in params {
                    self.each_lane("parameters", *raw, on, [size, size]);
                }
            }
            _ => {}
        }
    }

    /// An address for each lane, and what it stores.
    fn scattered(&mut self, body: &SendBody, on: On) {
        match body {
            SendBody::Scatter {
                write,
                bytes,
                channels,
                base,
                offsets,
                data,
                ..
            } => {
                self.scalar("global offset", base);
                self.each_lane("offsets", Some(*offsets), on, [4, 4]);
                if *write {
                    self.rows("data", *data, on, channels.count(), *bytes);
                }
            }
            SendBody::Typed {
                write,
                channels,
                coordinates,
                data,
            } => {
                self.coordinates(coordinates, on);
                if *write {
                    self.rows("data", *data, on, channels.count(), 4);
                }
            }
            SendBody::SvmScatter {
                write,
                bytes,
                count: blocks,
                addresses,
                data,
            } => {
                self.each_lane("addresses", Some(*addresses), on, [8, 8]);
                if !*write {
                    return;
                }
                if *bytes == 1 {
                    let step = (*blocks).max(4);
                    self.each_lane("data", Some(*data), on, [*blocks, step]);
                    return;
                }
                for block in 0..*blocks {
                    let row = data.skip(block * on.count * bytes);
                    self.each_lane("data", Some(row), on, [*bytes, *bytes]);
                }
            }
            SendBody::SvmScatter4 {
                write,
                channels,
                base,
                offsets,
                data,
            } => {
                self.scalar("base address", base);
                let size = if offsets.ty.bytes() == 8 { 8 } else { 4 };
                self.each_lane("offsets", Some(*offsets), on, [size, size]);
                if *write {
                    self.rows("data", *data, on, channels.count(), 4);
                }
            }
            _ => {}
        }
    }

    /// Atomics: places and operands.
    fn updated(&mut self, body: &SendBody, on: On) {
        match body {
            SendBody::Atomic {
                bits, offsets, src, ..
            } => {
                self.each_lane("offsets", Some(*offsets), on, [4, 4]);
                self.operands(*src, *bits, on);
            }
            SendBody::TypedAtomic {
                bits,
                coordinates,
                src,
                ..
            } => {
                self.coordinates(coordinates, on);
                self.operands(*src, *bits, on);
            }
            SendBody::SvmAtomic {
                bits,
                addresses,
                src,
                ..
            } => {
                self.each_lane("addresses", Some(*addresses), on, [8, 8]);
                self.operands(*src, *bits, on);
            }
            _ => {}
        }
    }

    /// An LSC message: addresses, and what it stores or updates with.
    fn lsc(&mut self, lsc: &Lsc, on: On) {
        if let LscPlace::Table(index) = &lsc.place {
            self.scalar("surface index", index);
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
        self.each_lane("addresses", Some(lsc.addresses), asking, [size; 2]);
        self.each_lane("stride", lsc.stride, On { mask: 1, count: 1 }, [4; 2]);
        let (memory, register) = (lsc.memory_bytes, lsc.register_bytes);
        for raw in lsc.src {
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
        let row = (register * on.count).next_multiple_of(self.facts.grf);
        let rows = match lsc.channels.count() {
            0 => lsc.vector,
            channels => channels,
        };
        for k in 0..rows {
            let data = Some(data.skip(k * row));
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
    fn each_lane(&mut self, name: &'static str, raw: Option<Raw>, on: On, [size, step]: [u32; 2]) {
        let Some(raw) = raw else { return };
        for lane in active(on.mask, on.count as usize) {
            self.raw(name, raw, Some(lane), lane as u32 * step, size);
        }
    }

    /// Rows of one dword slot for each lane, each row in registers of its own; `size` bytes count.
    fn rows(&mut self, name: &'static str, raw: Raw, on: On, rows: u32, size: u32) {
        let row = (4 * on.count).next_multiple_of(self.facts.grf);
        for k in 0..rows {
            let step = size.max(4);
            self.each_lane(name, Some(raw.skip(k * row)), on, [size, step]);
        }
    }

    fn coordinates(&mut self, coordinates: &[Option<Raw>], on: On) {
        for raw in coordinates {
            self.each_lane("coordinates", *raw, on, [4, 4]);
        }
    }

    /// The values of an atomic operation; words stand in dword slots.
    fn operands(&mut self, src: [Option<Raw>; 2], bits: u8, on: On) {
        let size = u32::from(bits) / 8;
        for raw in src {
            self.each_lane("operands", raw, on, [size, size.max(4)]);
        }
    }
}
