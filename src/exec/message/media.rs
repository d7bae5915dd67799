//! Media blocks: rectangles of a surface, to and from registers.

use super::call::{Call, read_raw, refuse, surface, write_raw};
use crate::dataport::block;
use crate::dataport::untyped::Window;
use crate::exec::state::bindings::Resources;
use crate::exec::state::observer::{Access, AccessKind, Observer, SpaceName, Spot};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::message::{MediaBlock, Request};
use crate::program::Raw;
use crate::surface::Surface;

/// The greatest media block: lowering reference 2.4.
pub const MAX_BLOCK: usize = 256;

/// Serves a media block, read or written.
pub(crate) fn media<O: Observer>(
    thread: &mut Thread<'_>,
    resources: &Resources,
    request: &Request,
    (write, block): (bool, &MediaBlock),
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let pc = call.pc;
    let surface = surface(thread, resources, call, block.surface)?;
    if O::ACTIVE {
        observer.message(thread.at(pc), request);
    }
    let data = match write {
        true => call.registers.data[0],
        false => call.registers.answer,
    };
    let data = data.unwrap_or(Raw::NOWHERE);
    let bytes = (block.bytes() as usize).min(MAX_BLOCK);
    let failed =
        |thread: &Thread<'_>, refused| refuse(thread, call, block.surface, u32::MAX, refused);
    // A variable that holds the whole block is its place, without an observer.
    if !O::ACTIVE && data.end.saturating_sub(data.offset) as usize >= bytes {
        let registers = &mut thread.arena[data.offset as usize..][..bytes];
        let done = match write {
            true => block::media_write(surface, block, registers),
            false => block::media_read(surface, block, registers),
        };
        return done.map(drop).map_err(|refused| failed(thread, refused));
    }
    // Registers past the variable's end read as zero and take nothing.
    let mut pixels = [0; MAX_BLOCK];
    let pixels = &mut pixels[..bytes];
    read_raw(thread, data, pixels);
    if O::ACTIVE {
        watch_block(thread, surface, write, block, pixels, pc, observer);
    }
    let done = if write {
        block::media_write(surface, block, pixels)
    } else {
        block::media_read(surface, block, pixels)
    };
    done.map_err(|refused| failed(thread, refused))?;
    if !write {
        write_raw(thread, data, pixels, pc, observer);
        if O::ACTIVE && block.width < block.pitch() {
            // Source: lowering reference 2.4, "Bytes width..pitch-1 of each row".
            for row in 0..block.height {
                let padding = data.skip(row * block.pitch() + block.width);
                let end = data.skip((row + 1) * block.pitch()).offset;
                let range = padding.offset..end.min(padding.end);
                observer.undefined(thread.at(pc), &range);
            }
        }
    }
    Ok(())
}

/// Tells the observer which bytes of the surface a media block touches.
fn watch_block<O: Observer>(
    thread: &Thread<'_>,
    surface: &Surface,
    write: bool,
    media: &MediaBlock,
    pixels: &[u8],
    pc: u32,
    observer: &mut O,
) {
    let memory = Window::whole(surface.memory()).memory();
    // Writes start at a multiple of 4 bytes, which is reported with the first piece. Source: vISA text
    // reference 5.6.
    let mut misaligned =
        (write && media.x.rem_euclid(4) != 0).then_some((u64::from(media.x.cast_unsigned()), 4));
    block::pieces(surface, media, |piece| {
        let data = if write {
            pixels.get(piece.block.clone()).unwrap_or_default()
        } else {
            &[]
        };
        let bytes = piece.block.len() as u32;
        let access = Access {
            space: SpaceName::Surface(media.surface),
            kind: if write {
                AccessKind::Write
            } else {
                AccessKind::Read
            },
            lane: None,
            spot: Spot::Block(piece.x, piece.y),
            bytes,
            inside: piece.address.map_or(0, |_| bytes),
            misaligned: misaligned.take(),
            memory,
            start: piece.address.unwrap_or_default() as u64,
            data,
            past_end: None,
        };
        observer.access(thread.at(pc), &access);
    });
}
