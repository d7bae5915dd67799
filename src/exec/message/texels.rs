//! Typed messages: texels one by one, by their coordinates. Source: vISA text reference 5.9, 6.8.

use super::memory::atomic_values;
use crate::dataport::typed::{Row, Writer};
use crate::dataport::untyped::{AtomicType, Window};
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::compute::native::transfer::TexelWrite;
use crate::exec::message::call::{Call, read_raw, state, write_raw};
use crate::exec::message::environment::Environment;
use crate::exec::state::lanes;
use crate::exec::state::observer::{Access, AccessKind, Observer, SpaceName, Spot};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::isa::ChannelMask;
use crate::message::{self, Atomic, Typed};
use crate::program::{Program, Raw, Registers, Send};
use crate::surface::{Kind, Refused, Surface, TexelPosition, format};

/// Where the texel of a lane lies, if inside.
fn texel(surface: &Surface, [u, v, r, lod]: [u32; 4]) -> Option<(u32, u32, u32, u32)> {
    let d = surface.description();
    if lod >= d.levels {
        return None;
    }
    let level = lod + d.min_lod;
    let size = |n: u32| (n >> level).max(1);
    let slices = if d.array { d.slices() } else { 1 };
    let (y, height, slice, slices) = match d.kind {
        Kind::Null => return None,
        Kind::Buffer => (0, 1, 0, 1),
        Kind::D1 => (0, 1, if d.array { v } else { 0 }, slices),
        Kind::D3 => (v, size(d.height), r, size(d.depth)),
        Kind::Cube => (v, size(d.height), r, 6 * d.depth.max(1)),
        Kind::D2 => (v, size(d.height), if d.array { r } else { 0 }, slices),
    };
    let inside = u < size(d.width) && y < height && slice < slices;
    inside.then_some((level, slice, u, y))
}

/// Refuses formats that the surface's generation does not read or write so.
pub fn allowed(surface: &Surface, access: message::Access) -> Result<(), Refused> {
    match access {
        message::Access::Write => surface.allow(format::Access::TypedWrite, "a typed write to"),
        message::Access::Read => surface.allow(format::Access::TypedRead, "a typed read of"),
    }
}

/// The coordinates of a message: U, V, R, LOD; those beyond the first `count` are 0.
fn coordinates(registers: &Registers, count: u32) -> [Option<Raw>; 4] {
    let mut out = [None; 4];
    let given = registers.params().iter().take(count as usize);
    for (to, from) in out.iter_mut().zip(given) {
        *to = *from;
    }
    out
}

/// `gather4_typed`, `scatter4_typed`; the message is [`allowed`]. Source: vISA text reference 5.9, 6.8.
pub fn typed<O: Observer>(
    thread: &mut Thread<'_>,
    surface: &Surface,
    writer: Option<&Writer>,
    request: &Typed,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let &Call {
        count, registers, ..
    } = call;
    let channels = request.channels;
    let write = request.access == message::Access::Write;
    let coordinates = coordinates(registers, request.coordinates);
    let data = match write {
        true => registers.data[0],
        false => registers.answer,
    };
    let data = data.unwrap_or(Raw::NOWHERE);
    let index = request.surface;
    let grf = thread.program.platform.grf_bytes();
    let row = (4 * count).next_multiple_of(grf);
    if !O::ACTIVE
        && write
        && let Some(writer) = writer
    {
        let mut texels = Row::new(call.mask, count);
        if take(thread, channels, &coordinates, (data, row), &mut texels).is_some()
            && writer.write(surface, &texels)
        {
            return Ok(());
        }
    }
    let dword = |thread: &Thread<'_>, raw: Raw, byte: u32| {
        let mut bytes = [0; 4];
        read_raw(thread, raw.skip(byte), &mut bytes);
        u32::from_le_bytes(bytes)
    };
    for lane in lanes::active(call.mask, call.count as usize) {
        let lane = 4 * lane as u32;
        let place = coordinates.map(|raw| raw.map_or(0, |raw| dword(thread, raw, lane)));
        let inside = texel(surface, place);
        if O::ACTIVE {
            let kind = if write {
                AccessKind::Write
            } else {
                AccessKind::Read
            };
            watch_texel(
                thread,
                surface,
                kind,
                lane / 4,
                place,
                inside,
                index,
                call.pc,
                observer,
            );
        }
        let slots = channels.iter().enumerate();
        if write {
            let Some((level, slice, x, y)) = inside else {
                continue;
            };
            let mut rgba = [0; 4];
            for (slot, channel) in slots {
                rgba[channel] = dword(thread, data, slot as u32 * row + lane);
            }
            if !surface.store_texel(level, slice, x, y, rgba) {
                return Err(no_texel(thread, surface, call));
            }
        } else {
            let rgba = match inside {
                Some((level, slice, x, y)) => surface
                    .load_texel(level, slice, x, y, 0)
                    .ok_or_else(|| no_texel(thread, surface, call))?,
                // Surface reference 4.14.
                None if surface.kind() == Kind::Null => [0; 4],
                // Out of range: 0, alpha 1, in the number type of the format.
                None => [0, 0, 0, surface.decoder().map_or(0, |d| d.one)],
            };
            for (slot, channel) in slots {
                let dst = data.skip(slot as u32 * row + lane);
                write_raw(thread, dst, &rgba[channel].to_le_bytes(), call.pc, observer);
            }
        }
    }
    Ok(())
}

/// A typed write to one image, for the threads that send it one after the other.
pub(crate) struct Rows<'s> {
    send: &'s Send,
    channels: ChannelMask,
    coordinates: [Option<Raw>; 4],
    data: Raw,
    index: u32,
    surface: &'s Surface,
    writer: &'s Writer,
}

impl<'s> Rows<'s> {
    /// The write of `send` to the image that `thread` names; `None` if it is not a write of rows.
    pub(crate) fn new(
        thread: &Thread<'_>,
        environment: &Environment<'s>,
        send: &'s Send,
        pc: u32,
    ) -> Option<Rows<'s>> {
        let (request, operands) = (send.request.typed()?, &send.operands);
        if request.access == message::Access::Read {
            return None;
        }
        let index = state(thread, send.surface);
        let resources = environment.resources;
        if environment.through_bits {
            return None;
        }
        let (surface, writer) = (resources.surface(index)?, resources.writer(index));
        environment.plans.note_write(pc, index, surface, writer);
        Some(Rows {
            send,
            channels: request.channels,
            coordinates: coordinates(&operands.registers, request.coordinates),
            data: operands.registers.data[0]?,
            index,
            surface,
            writer: writer?,
        })
    }

    /// As [`Rows::write`]; how many bytes were moved in memory and returned.
    pub(crate) fn write_counted(&self, thread: &Thread<'_>) -> Option<(u64, u64)> {
        let lanes = thread.active(self.send.lanes, self.send.guard).count_ones();
        let texel = u32::from(self.surface.format().bits).div_ceil(8);
        // All texels of a row are inside.
        self.write(thread).then_some((u64::from(lanes * texel), 0))
    }

    /// Writes the texels of a thread if they are a row of that image. If not, nothing has happened and false
    /// comes back.
    pub(crate) fn write(&self, thread: &Thread<'_>) -> bool {
        let count = u32::from(self.send.lanes.count);
        let mask = thread.active(self.send.lanes, self.send.guard);
        if mask == 0 || state(thread, self.send.surface) != self.index {
            return false;
        }
        let pitch = (4 * count).next_multiple_of(thread.program.platform.grf_bytes());
        let mut texels = Row::new(mask, count);
        let data = (self.data, pitch);
        take(thread, self.channels, &self.coordinates, data, &mut texels).is_some()
            && self.writer.write(self.surface, &texels)
    }
}

/// A typed write that native code does where the image allows it: two coordinates, all channels, whole registers.
pub(crate) fn write_of(program: &Program, send: &Send) -> Option<TexelWrite> {
    let request = send.request.typed()?;
    let count = u32::from(send.lanes.count);
    if request.access == message::Access::Read
        || request.channels.0 & 0xf != 0xf
        || !matches!(count, 8 | 16 | 32)
    {
        return None;
    }
    let [u, v, _, None] = coordinates(&send.operands.registers, request.coordinates) else {
        return None;
    };
    let register = |raw: Raw| {
        let end = raw.offset.checked_add(4 * count)?;
        (end <= raw.end && end as usize <= program.image.len()).then_some(raw.offset)
    };
    let data = send.operands.registers.data[0]?;
    let pitch = (4 * count).next_multiple_of(program.platform.grf_bytes());
    let channel = |slot: u32| register(data.skip(slot * pitch));
    Some(TexelWrite {
        lanes: send.lanes,
        guard: send.guard,
        surface: send.surface?,
        coordinates: [register(u?)?, register(v?)?],
        channels: [channel(0)?, channel(1)?, channel(2)?, channel(3)?],
    })
}

/// Finds the registers of a typed write, whose channels are so many bytes apart; `None` if one is not whole.
fn take<'t>(
    thread: &'t Thread<'_>,
    channels: ChannelMask,
    coordinates: &[Option<Raw>; 4],
    (data, pitch): (Raw, u32),
    texels: &mut Row<'t>,
) -> Option<()> {
    let bytes = 4 * texels.lanes;
    let register = |raw: Raw| {
        let have = raw.end.saturating_sub(raw.offset) as usize;
        let bytes = thread.arena.get(raw.offset as usize..)?.get(..bytes)?;
        (have >= bytes.len()).then_some(bytes)
    };
    for (place, raw) in texels.coordinates.iter_mut().zip(coordinates) {
        if let Some(raw) = raw {
            *place = register(*raw)?;
        }
    }
    for (slot, channel) in (0..).zip(channels.iter()) {
        *texels.channels.get_mut(channel)? = register(data.skip(slot * pitch))?;
    }
    Some(())
}

/// Tells the observer of the texel that a lane is about to access.
#[expect(clippy::too_many_arguments, reason = "what one call tells")]
fn watch_texel<O: Observer>(
    thread: &Thread<'_>,
    surface: &Surface,
    kind: AccessKind,
    lane: u32,
    coordinates: [u32; 4],
    inside: Option<(u32, u32, u32, u32)>,
    index: u32,
    pc: u32,
    observer: &mut O,
) {
    let bytes = u32::from(surface.format().bits).div_ceil(8);
    let start = inside.map_or(0, |(level, slice, x, y)| {
        let cell = surface.place(TexelPosition {
            level,
            slice,
            x,
            y,
            sample: 0,
        });
        surface.address(cell.x, cell.y) as u64
    });
    let window = Window::whole(surface.memory());
    let access = Access {
        space: SpaceName::Surface(index),
        kind,
        lane: Some(lane as u8),
        spot: Spot::Texel(coordinates),
        bytes,
        inside: inside.map_or(0, |_| bytes),
        misaligned: None,
        memory: window.memory(),
        start,
        data: &[],
        past_end: None,
    };
    observer.access(thread.at(pc), &access);
}

/// `typed_atomic`: on texels of 32 bits; outside nothing is written and 0 comes back.
pub fn typed_atomic<O: Observer>(
    thread: &mut Thread<'_>,
    surface: &Surface,
    request: &Atomic,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let index = request.surface;
    let coordinates = coordinates(call.registers, 4);
    let operands = atomic_values(request.op, call.registers);
    let answer = call.registers.answer.filter(|_| request.returns);
    if surface.format().bits != 32 {
        return Err(no_texel(thread, surface, call));
    }
    let dword = |thread: &Thread<'_>, raw: Raw, byte: u32| {
        let mut bytes = [0; 4];
        read_raw(thread, raw.skip(byte), &mut bytes);
        u32::from_le_bytes(bytes)
    };
    let window = Window::whole(surface.memory());
    for lane in lanes::active(call.mask, call.count as usize) {
        let lane = 4 * lane as u32;
        let place = coordinates.map(|raw| raw.map_or(0, |raw| dword(thread, raw, lane)));
        let values = operands.map(|raw| raw.map_or(0, |raw| u64::from(dword(thread, raw, lane))));
        let inside = texel(surface, place);
        if O::ACTIVE {
            let kind = AccessKind::Atomic;
            watch_texel(
                thread,
                surface,
                kind,
                lane / 4,
                place,
                inside,
                index,
                call.pc,
                observer,
            );
        }
        let old = inside.map_or(0, |(level, slice, x, y)| {
            let cell = surface.place(TexelPosition {
                level,
                slice,
                x,
                y,
                sample: 0,
            });
            let address = surface.address(cell.x, cell.y) as u64;
            window.atomic(
                request.op,
                AtomicType::of_bits(request.bits),
                address,
                values,
            ) as u32
        });
        if let Some(dst) = answer {
            write_raw(
                thread,
                dst.skip(lane),
                &old.to_le_bytes(),
                call.pc,
                observer,
            );
        }
    }
    Ok(())
}

fn no_texel(thread: &Thread<'_>, surface: &Surface, at: &Call<'_>) -> Box<Trap> {
    let diagnostic = Diagnostic::with_message(
        Code::E0607,
        format!(
            "texels of {} cannot be read and written one by one",
            surface.format()
        ),
    )
    .see(thread.section(at.pc));
    thread.trap(at.pc, at.mask, diagnostic)
}
