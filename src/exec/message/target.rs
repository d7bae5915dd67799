//! `rt_write_3d`: colours of 8 or 16 lanes become pixels.
//!
//! The header operand is the register that follows `%r0` in a pixel shader's payload: X and Y of the four
//! subspans in dwords 2 to 5, the array index in dword 7. Lanes are the slots of a message; those the
//! mask turns off write nothing.
//!
//! Source: PRM 5.10.7; lowering reference 14.

use super::round_trip::no_bits;
use crate::dataport::target::{Pixels, SLOTS, write};
use crate::exec::message::call::{Call, read_raw, refuse, surface};
use crate::exec::message::environment::Environment;
use crate::exec::state::access_log::Touched;
use crate::exec::state::observer::{Observer, SpaceName};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::isa::{Platform, Type};
use crate::lower::UNMODELLED;
use crate::message::fields::gen5_target_header as h;
use crate::message::{NoBits, PixelForm, PixelHeader, PixelWrite, Request, TargetWrite, through};
use crate::program::Raw;
use crate::surface::{Refused, float};

const SEE: &str = "lowering reference 14; PRM 5.10.7";

/// What a request asks that is not modelled.
pub(crate) fn unmodelled(r: &TargetWrite) -> Option<&'static str> {
    if r.second_half {
        return Some("the second group of sixteen slots");
    }
    let asked = [
        (r.per_sample, "PS"),
        (r.coarse, "CM"),
        (r.alpha, "A"),
        (r.omask, "O"),
        (r.depth, "Z"),
        (r.stencil, "ST"),
    ];
    let found = asked.iter().find(|(on, _)| *on)?;
    let mut rows = UNMODELLED.iter();
    rows.find(|row| row.0 == found.1).map(|row| row.1)
}

/// Serves a render target write on the lanes of `call.mask`.
pub(crate) fn serve<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    request: &TargetWrite,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let &Call {
        pc,
        mask,
        offset,
        registers: operands,
        ..
    } = call;
    let index = request.surface;
    let refused = |thread: &Thread<'_>, refused| refuse(thread, call, index, mask, refused);
    if let Some(what) = unmodelled(request) {
        let what = format!("render target write with {what}: not modelled");
        return Err(refused(thread, Refused::unsupported(what, SEE)));
    }
    let count = call.count as usize;
    if !matches!(count, 8 | 16) || usize::from(offset) + count > SLOTS {
        let what = format!("{count} lanes from M{offset}: lanes 0 to 15 are modelled");
        return Err(refused(thread, Refused::unsupported(what, SEE)));
    }
    if request.null {
        return Ok(());
    }
    let surface = surface(thread, environment.resources, call, index)?;
    if O::ACTIVE {
        observer.message(thread.at(pc), &Request::Target(*request));
    }
    let Some(header) = operands.header else {
        let what = "a render target write without header: pixel positions are in its dwords 2 to 5";
        return Err(refused(thread, Refused::unsupported(what, SEE)));
    };
    let dwords = registers(thread, header);
    let slot = usize::from(offset);
    let mut pixels = Pixels {
        enables: mask << slot,
        corners: std::array::from_fn(|i| (dwords[2 + i] & 0xffff, dwords[2 + i] >> 16)),
        // The dwords of the field count on from those of the first header register.
        index: dwords[7] >> h::INDEX.lo & h::INDEX.max(),
        colours: [[0; 4]; SLOTS],
        replicated: false,
    };
    if environment.through_bits && is_gen5(thread) {
        let platform = thread.program.platform;
        let sent = through_header(&mut pixels, index, count, request.last, platform);
        sent.map_err(|why| no_bits(thread, &why, pc))?;
    }
    for (channel, raw) in operands.data.iter().enumerate() {
        let Some(raw) = raw else {
            continue;
        };
        for lane in 0..count {
            pixels.colours[slot + lane][channel] = colour(thread, *raw, lane as u32);
        }
    }
    let touched = Touched::default();
    let done = write(surface, &pixels, touched.watch::<O>());
    touched.tell(SpaceName::Surface(index), thread.at(pc), observer);
    done.map_err(|why| refused(thread, why))
}

/// Whether the part has a header of its own for these messages, which needs the pixels.
fn is_gen5(thread: &Thread<'_>) -> bool {
    thread.program.platform.is_gen5()
}

/// The pixels by way of Gen5's bits: what its descriptor and its two header registers hold.
/// Source: lowering reference 18.6.
fn through_header(
    pixels: &mut Pixels,
    surface: u32,
    lanes: usize,
    last: bool,
    platform: Platform,
) -> Result<(), NoBits> {
    let header = PixelHeader {
        dispatched: pixels.enables,
        enables: pixels.enables,
        index: pixels.index,
        corners: pixels.corners.map(|(x, y)| (x as u16, y as u16)),
        ..PixelHeader::default()
    };
    // The upper slots are reached by a message of sixteen alone.
    let wide = lanes == SLOTS || pixels.enables >> 8 != 0;
    let sent = Request::Pixels(PixelWrite {
        surface,
        form: PixelForm::of_slots(wide),
        last,
        commit: false,
        header,
        eot: false,
    });
    if let Request::Pixels(PixelWrite { form, header, .. }) = through(&sent, platform)? {
        let slots = match form {
            PixelForm::Simd16 => 0xffff,
            _ => 0xff,
        };
        pixels.enables = header.enables & slots;
        pixels.index = header.index;
        pixels.corners = header.corners.map(|(x, y)| (x.into(), y.into()));
    }
    Ok(())
}

fn registers(thread: &Thread<'_>, raw: Raw) -> [u32; 8] {
    let mut bytes = [0; 32];
    read_raw(thread, raw, &mut bytes);
    std::array::from_fn(|i| {
        let byte = |k: usize| bytes[4 * i + k];
        u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
    })
}

/// One lane of a colour; halves become singles.
fn colour(thread: &Thread<'_>, raw: Raw, lane: u32) -> u32 {
    if raw.ty == Type::Hf {
        let mut bytes = [0; 2];
        read_raw(thread, raw.skip(2 * lane), &mut bytes);
        return float::half_to_f32(u16::from_le_bytes(bytes));
    }
    let mut bytes = [0; 4];
    read_raw(thread, raw.skip(4 * lane), &mut bytes);
    u32::from_le_bytes(bytes)
}
