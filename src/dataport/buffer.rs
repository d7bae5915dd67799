//! Buffers as the messages of Gen5 see them: oword blocks, pairs of them, scattered dwords, vertices.
//!
//! ```text
//!  oword block          dual block             scattered            vertex
//!  W0 │ o+1 │ o   │     W0 │ b1   │ b0   │     lane i ◀─▶ o[i]     R G B A ─▶ element n
//!  W1 │ o+3 │ o+2 │     W1 │ b1+1 │ b0+1 │
//! ```
//!
//! Registers come in and go out whole: what a mask leaves out keeps its bytes. The surface format is
//! not asked, except for how many channels a vertex has.
//!
//! Source: PRM 5.3, 5.5, 5.10.3, 5.10.4, 5.10.6, 5.10.9.

use super::touch::{Spot, Touch, TouchLog};
use super::untyped::Window;
use crate::diagnostic::Class;
use crate::surface::format::Use;
use crate::surface::{Kind, Memory, Refused, Surface, Tiling};

/// A register of Gen5.
pub type Register = [u8; 32];

/// Bytes that buffer messages reach.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'a> {
    window: Window<'a>,
    /// Bytes in front of offset 0.
    base: u64,
    /// Bytes from offset 0 on; what lies after reads 0 and is not written.
    len: u64,
    stateless: bool,
    watch: TouchLog<'a>,
}

/// Where an access lies: an offset in bytes, taken down to a multiple of `align`, and the lane that asks.
#[derive(Clone, Copy)]
struct At {
    /// May be beyond 32 bits: a block that runs over them does not come back to byte 0.
    offset: u64,
    align: u32,
    lane: Option<u8>,
}

impl At {
    const fn oword(offset: u64) -> At {
        At {
            offset,
            align: 16,
            lane: None,
        }
    }

    const fn dword(offset: u64, lane: Option<u8>) -> At {
        At {
            offset,
            align: 4,
            lane,
        }
    }
}

impl<'a> Buffer<'a> {
    /// The same bytes, every access noted.
    pub fn watched(self, watch: TouchLog<'a>) -> Buffer<'a> {
        Buffer { watch, ..self }
    }

    /// The buffer of a binding table index below 255.
    ///
    /// * `align`: what the base address must be a multiple of: 16 for owords, 4 for dwords.
    ///
    /// The pitch is ignored: an element counts 16 bytes when an access is held against the size.
    ///
    /// # Errors
    /// [`Refused`] if the surface is not a buffer, is tiled, or its base is not aligned.
    pub fn of(surface: &'a Surface, align: u64, see: &'static str) -> Result<Buffer<'a>, Refused> {
        let d = surface.description();
        if d.kind != Kind::Buffer {
            let what = format!(
                "the message requires a buffer (SURFTYPE_BUFFER), not {:?}",
                d.kind
            );
            return Err(Refused::error(what, see));
        }
        if d.tiling != Tiling::Linear {
            return Err(Refused::error("the surface cannot be tiled", see));
        }
        if !d.base.is_multiple_of(align) {
            let what = format!("base address {:#x} is not a multiple of {align}", d.base);
            return Err(Refused::error(what, see));
        }
        let window = Window::whole(surface.memory());
        let len = 16 * u64::from(d.width);
        let there = (window.len() as u64).saturating_sub(d.base);
        if there < len.min(d.owords_end().saturating_sub(d.base)) {
            return Err(Refused {
                class: Class::Limit,
                what: format!(
                    "an element counts 16 bytes, {len} together; the surface was given {there}"
                ),
                see,
            });
        }
        Ok(Buffer {
            window,
            base: d.base,
            len: len.min(there),
            stateless: false,
            watch: TouchLog::NONE,
        })
    }

    /// The null surface, of which no byte exists.
    ///
    /// * `nothing`: memory without bytes.
    pub fn null(nothing: &'a Memory) -> Buffer<'a> {
        Buffer {
            window: Window::whole(nothing),
            base: 0,
            len: 0,
            stateless: false,
            watch: TouchLog::NONE,
        }
    }

    /// Binding table index 255 with a buffer: general state memory from `base` on, which ends where the buffer does.
    ///
    /// # Errors
    /// [`Refused`] if the surface is not a buffer or is tiled.
    ///
    /// Source: PRM 5.3.2, "checked only against General State Access Upper Bound".
    pub fn general_state(surface: &'a Surface, base: u32) -> Result<Buffer<'a>, Refused> {
        let whole = Buffer::of(surface, 1, "PRM 5.3.2, \"Stateless Model\"")?;
        let end = whole.base + whole.len;
        let base = whole.base + u64::from(base);
        Ok(Buffer {
            base,
            len: end.saturating_sub(base),
            ..whole
        })
    }

    /// Binding table index 255 without: a run's own memory from `base` on.
    ///
    /// Source: PRM 5.3.2; `base` is M0.5 31:10 of the header.
    pub fn stateless(memory: &'a Memory, base: u32) -> Buffer<'a> {
        let window = Window::whole(memory);
        Buffer {
            window,
            base: base.into(),
            len: (window.len() as u64).saturating_sub(base.into()),
            stateless: true,
            watch: TouchLog::NONE,
        }
    }

    /// Stateless memory ends where the run's scratch memory does, which is not a rule of the hardware.
    fn within(&self, offset: u64, bytes: usize) -> Result<(), Refused> {
        if !self.stateless || offset + bytes as u64 <= self.len {
            return Ok(());
        }
        Err(Refused {
            class: Class::Limit,
            what: format!(
                "{bytes} bytes are required at {offset:#x} above base {:#x}, the run has {:#x}; a buffer at T255 says how many there are",
                self.base,
                self.window.len()
            ),
            see: "PRM 5.3.2, \"Stateless Model\"",
        })
    }

    /// How many of the bytes at an offset exist; the access is noted.
    fn inside(&self, write: bool, at: At, bytes: usize) -> Result<(u64, usize), Refused> {
        let offset = at.offset & !(u64::from(at.align) - 1);
        self.within(offset, bytes)?;
        let inside = self.len.saturating_sub(offset).min(bytes as u64);
        self.watch.note(|| Touch {
            write,
            lane: at.lane,
            spot: Spot::Byte(at.offset),
            align: at.align,
            bytes: bytes as u32,
            inside: inside as u32,
            memory: self.window.memory(),
            start: self.window.start(self.base + offset),
        });
        Ok((offset, inside as usize))
    }

    fn read(&self, at: At, out: &mut [u8]) -> Result<(), Refused> {
        let (offset, inside) = self.inside(false, at, out.len())?;
        let (own, outside) = out.split_at_mut(inside);
        outside.fill(0);
        if !own.is_empty() {
            self.window.read(self.base + offset, own);
        }
        Ok(())
    }

    fn write(&self, at: At, bytes: &[u8]) -> Result<(), Refused> {
        let (offset, inside) = self.inside(true, at, bytes.len())?;
        if inside > 0 {
            let start = self.base + offset;
            self.window.write(start, &bytes[..inside]);
        }
        Ok(())
    }
}

/// The execution mask bits of a register's eight dwords: the low ones for the first and third
/// register, the high ones for the second and fourth. Source: PRM 5.10.3, "Execution Mask".
const fn lanes_of(mask: u32, register: usize) -> u32 {
    if register.is_multiple_of(2) {
        mask & 0xff
    } else {
        mask >> 8 & 0xff
    }
}

/// A run of owords in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owords {
    /// Where it begins in bytes.
    pub offset: u32,
    /// How many.
    pub count: u32,
    /// A single one, in the upper half of its register.
    pub high: bool,
}

impl Owords {
    /// Register, first byte in it, mask bits and offset in memory of each oword.
    fn each(self, mask: u32) -> impl Iterator<Item = (usize, usize, u32, u64)> {
        (0..self.count).map(move |i| {
            let place = i as usize + usize::from(self.high);
            let (register, half) = (place / 2, place % 2);
            let lanes = lanes_of(mask, register) >> (4 * half) & 0xf;
            let offset = u64::from(self.offset) + 16 * u64::from(i);
            (register, 16 * half, lanes, offset)
        })
    }
}

/// Reads owords: `put` is given each with its first byte of the response. Any mask bit of a group of four brings
/// the whole oword; others are not given.
///
/// # Errors
/// [`Refused`] of class limit, past the end of stateless memory.
pub fn read_owords(
    buffer: &Buffer<'_>,
    block: Owords,
    mask: u32,
    mut put: impl FnMut(usize, &[u8; 16]),
) -> Result<(), Refused> {
    for (register, byte, lanes, offset) in block.each(mask) {
        if lanes != 0 {
            let mut oword = [0; 16];
            buffer.read(At::oword(offset), &mut oword)?;
            put(32 * register + byte, &oword);
        }
    }
    Ok(())
}

/// Writes owords, each dword by its own mask bit.
///
/// # Errors
/// As [`read_owords`].
pub fn write_owords(
    buffer: &Buffer<'_>,
    block: Owords,
    mask: u32,
    registers: &[Register],
) -> Result<(), Refused> {
    for (register, byte, lanes, offset) in block.each(mask) {
        if let Some(register) = registers.get(register) {
            write_dwords_of(buffer, offset, lanes, &register[byte..byte + 16])?;
        }
    }
    Ok(())
}

fn write_dwords_of(
    buffer: &Buffer<'_>,
    offset: u64,
    lanes: u32,
    oword: &[u8],
) -> Result<(), Refused> {
    for (lane, dword) in (0..4u32).zip(oword.chunks_exact(4)) {
        if lanes >> lane & 1 == 1 {
            buffer.write(At::dword(offset + 4 * u64::from(lane), None), dword)?;
        }
    }
    Ok(())
}

/// Reads two blocks of `owords` each: block 0 into lower halves, block 1 into upper ones.
///
/// # Errors
/// As [`read_owords`].
pub fn read_dual(
    buffer: &Buffer<'_>,
    offsets: [u32; 2],
    owords: u32,
    mask: u32,
    mut put: impl FnMut(usize, &[u8; 16]),
) -> Result<(), Refused> {
    for i in 0..owords {
        for (half, offset) in offsets.into_iter().enumerate() {
            if mask >> (4 * half) & 0xf != 0 {
                let at = At::oword(u64::from(offset) + 16 * u64::from(i));
                let mut oword = [0; 16];
                buffer.read(at, &mut oword)?;
                put(32 * i as usize + 16 * half, &oword);
            }
        }
    }
    Ok(())
}

/// Writes two blocks, each dword by its own mask bit.
///
/// # Errors
/// As [`read_owords`]; undefined if the blocks overlap with different values.
pub fn write_dual(
    buffer: &Buffer<'_>,
    offsets: [u32; 2],
    owords: u32,
    mask: u32,
    registers: &[Register],
) -> Result<(), Refused> {
    let mut writes = Writes::default();
    for (i, register) in (0..owords).zip(registers) {
        for (half, offset) in offsets.into_iter().enumerate() {
            let at = u64::from(offset & !15) + 16 * u64::from(i);
            for lane in (0..4).filter(|lane| mask >> (4 * half + lane) & 1 == 1) {
                let byte = 16 * half + 4 * lane;
                let mut dword = [0; 4];
                dword.copy_from_slice(&register[byte..byte + 4]);
                let at = At::dword(at + 4 * lane as u64, None);
                writes.add(at, u32::from_le_bytes(dword));
            }
        }
    }
    writes.carry_out(buffer, "PRM 5.10.4, \"Programming Restrictions\"")
}

/// Reads a dword for each lane of the mask.
///
/// # Errors
/// As [`read_owords`].
pub fn read_dwords(
    buffer: &Buffer<'_>,
    offsets: &[u32],
    mask: u32,
    data: &mut [u32],
) -> Result<(), Refused> {
    for (lane, (offset, slot)) in offsets.iter().zip(data).enumerate() {
        if mask >> lane & 1 == 1 {
            let mut bytes = [0; 4];
            buffer.read(At::dword((*offset).into(), Some(lane as u8)), &mut bytes)?;
            *slot = u32::from_le_bytes(bytes);
        }
    }
    Ok(())
}

/// Reads bytes as they lie, a multiple of four of them.
///
/// # Errors
/// As [`read_owords`].
pub fn read_bytes(buffer: &Buffer<'_>, offset: u32, bytes: &mut [u8]) -> Result<(), Refused> {
    for (i, dword) in (0..).zip(bytes.chunks_exact_mut(4)) {
        buffer.read(At::dword(u64::from(offset) + 4 * i, None), dword)?;
    }
    Ok(())
}

/// Writes a dword for each lane of the mask.
///
/// # Errors
/// As [`read_owords`]; undefined if two lanes write different values to one place.
pub fn write_dwords(
    buffer: &Buffer<'_>,
    offsets: &[u32],
    mask: u32,
    data: &[u32],
) -> Result<(), Refused> {
    let mut writes = Writes::default();
    for (lane, (offset, value)) in offsets.iter().zip(data).enumerate() {
        if mask >> lane & 1 == 1 {
            writes.add(At::dword((*offset).into(), Some(lane as u8)), *value);
        }
    }
    writes.carry_out(buffer, "PRM 5.10.6, \"Programming Restrictions\"")
}

/// The dwords that one message writes; sixteen lanes or two blocks of four owords at most.
struct Writes {
    list: [(At, u32); 32],
    count: usize,
}

impl Default for Writes {
    fn default() -> Writes {
        Writes {
            list: [(At::dword(0, None), 0); 32],
            count: 0,
        }
    }
}

impl Writes {
    fn add(&mut self, at: At, value: u32) {
        if let Some(slot) = self.list.get_mut(self.count) {
            *slot = (at, value);
            self.count += 1;
        }
    }

    /// "Writes to overlapping addresses will have undefined write ordering": equal values hide it.
    fn carry_out(&self, buffer: &Buffer<'_>, see: &'static str) -> Result<(), Refused> {
        let writes = &self.list[..self.count];
        for (i, (at, value)) in writes.iter().enumerate() {
            let offset = at.offset & !3;
            let earlier = writes[..i].iter().find(|(at, _)| at.offset & !3 == offset);
            if let Some((_, other)) = earlier.filter(|(_, other)| other != value) {
                let what = format!(
                    "offset {offset:#x} is written twice, with {other:#x} and {value:#x}: the order is undefined"
                );
                return Err(Refused::undefined(what, see));
            }
        }
        for (at, value) in writes {
            buffer.write(*at, &value.to_le_bytes())?;
        }
        Ok(())
    }
}

const VERTEX: &str = "PRM 5.10.9, \"Streamed Vertex Buffer Write\"";

/// Writes one vertex at a destination index; the low four mask bits enable R, G, B, A.
///
/// The surface format says how many channels there are; their bits are stored unchanged.
///
/// # Errors
/// [`Refused`] if the surface is not a buffer with a format for vertices, or is not aligned.
pub fn write_vertex(
    surface: &Surface,
    index: u32,
    rgba: [u32; 4],
    mask: u32,
    watch: TouchLog<'_>,
) -> Result<(), Refused> {
    let d = surface.description();
    if d.kind == Kind::Null {
        return Ok(());
    }
    if d.kind != Kind::Buffer || d.tiling != Tiling::Linear {
        let what = format!("vertices go to linear buffers, not to {:?}", d.kind);
        return Err(Refused::error(what, VERTEX));
    }
    if !d.format.used_for(Use::StreamOut) {
        let what = format!("{} is not a format for streamed vertices", d.format);
        return Err(Refused::error(what, VERTEX));
    }
    if !d.base.is_multiple_of(4) || !d.pitch.is_multiple_of(4) {
        let what = format!(
            "base {:#x} and pitch {} must be multiples of 4",
            d.base, d.pitch
        );
        return Err(Refused::error(what, VERTEX));
    }
    let window = Window::of(surface);
    let start = u64::from(index) * u64::from(d.pitch);
    let channels = d.format.channels.iter().filter(|c| c.bits > 0).count();
    for (channel, value) in rgba.iter().take(channels).enumerate() {
        if mask >> channel & 1 == 0 {
            continue;
        }
        let at = start + 4 * channel as u64;
        let inside = index < d.width;
        watch.note(|| Touch {
            write: true,
            lane: None,
            spot: Spot::Byte(at),
            align: 4,
            bytes: 4,
            inside: if inside { 4 } else { 0 },
            memory: window.memory(),
            start: window.start(at),
        });
        if inside {
            window.write(at, &value.to_le_bytes());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Description, Format, Generation};
    use pretty_assertions::assert_eq;
    use std::sync::Arc;

    #[test]
    fn buffers_are_linear_and_aligned() {
        let d2 = Surface::zeroed(Description::d2(Format::R8_UNORM, 16, 16)).unwrap();
        assert_eq!(Buffer::of(&d2, 16, "").unwrap_err().class, Class::Error);
        let odd = Description {
            base: 4,
            ..Description::buffer(Format::R32G32B32A32_FLOAT, 4)
        };
        let odd = Surface::new(odd, Arc::new(Memory::zeroed(256))).unwrap();
        assert!(Buffer::of(&odd, 16, "").is_err());
        assert!(Buffer::of(&odd, 4, "").is_ok());
        // Elements of 4 bytes count 16 each.
        let narrow = Description {
            generation: Generation::Gen5,
            ..Description::buffer(Format::R32_FLOAT, 4)
        };
        let given = Surface::new(narrow.clone(), Arc::new(Memory::zeroed(16))).unwrap();
        assert_eq!(Buffer::of(&given, 4, "").unwrap_err().class, Class::Limit);
        let narrow = Surface::zeroed(narrow).unwrap();
        assert_eq!(Buffer::of(&narrow, 4, "").unwrap().len, 64);
    }
}
