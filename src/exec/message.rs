//! Messages: the template becomes a [`Request`] with the values of the moment, the shared function is
//! called, and what it returns lands in registers.

use super::bindings::Resources;
use super::general;
use super::observer::Observer;
use super::thread::Thread;
use super::trap::Trap;
use crate::dataport::block;
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::message::{MediaBlock, Request};
use crate::program::{Raw, Send, SendBody};
use crate::surface::{Refused, Surface};

/// Serves one message.
pub fn send<O: Observer>(
    thread: &mut Thread<'_>,
    resources: &Resources,
    send: &Send,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    match &send.body {
        SendBody::Media {
            write,
            field,
            plane,
            width,
            height,
            x,
            y,
            data,
        } => {
            let index = state(thread, send.surface).wrapping_add(*plane);
            let surface = surface(thread, resources, send, index, pc)?;
            let request = MediaBlock {
                surface: index,
                field: *field,
                x: general::scalar(thread, x) as i32,
                y: general::scalar(thread, y) as i32,
                width: *width,
                height: *height,
            };
            if O::ACTIVE {
                let request = if *write {
                    Request::MediaWrite(request)
                } else {
                    Request::MediaRead(request)
                };
                observer.message(thread.at(pc), &request);
            }
            let bytes = request.bytes() as usize;
            // Registers behind the variable's end read as zero and take nothing.
            let mut block = [0; MAX_BLOCK];
            let block = &mut block[..bytes];
            read_raw(thread, *data, block);
            let done = if *write {
                block::media_write(surface, &request, block)
            } else {
                block::media_read(surface, &request, block)
            };
            done.map_err(|refused| refuse(thread, send, index, pc, u32::MAX, refused))?;
            if !*write {
                write_raw(thread, *data, block, pc, observer);
            }
            Ok(())
        }
        _ => {
            let section = thread.section(pc);
            let diagnostic = Diagnostic::new(Code::N0601)
                .note(format!("{section} defines it; visim reads and checks it"))
                .see(section);
            let mask = thread.active(send.lanes, send.guard);
            Err(thread.trap(pc, mask, diagnostic))
        }
    }
}

/// The greatest media block: lowering reference 2.4.
const MAX_BLOCK: usize = 256;

/// The value of a state variable.
fn state(thread: &Thread<'_>, slot: Option<u32>) -> u32 {
    slot.map_or(0, |at| thread.dword(at))
}

/// The surface behind a binding table index, or the trap that says how to bind one.
fn surface<'r>(
    thread: &Thread<'_>,
    resources: &'r Resources,
    send: &Send,
    index: u32,
    pc: u32,
) -> Result<&'r Surface, Box<Trap>> {
    resources.surface(index).ok_or_else(|| {
        let name = name(&thread.program.surface_names, send.surface);
        let bound: Vec<String> = resources.bound().map(|i| i.to_string()).collect();
        let bound = if bound.is_empty() {
            "nothing is bound in this run".to_string()
        } else {
            format!("bound indices: {}", bound.join(", "))
        };
        let diagnostic = Diagnostic::with_message(
            Code::E0603,
            format!("no surface is bound at index {index}"),
        )
        .note(format!("`{name}` holds {index} here; {bound}"))
        .help(format!(
            "bind one to the name or to the number, as in `// SURFACE {name}: R8_UNORM 64x32`"
        ))
        .see("vISA text reference 3, built-in surfaces, and 4.8");
        let mask = thread.active(send.lanes, send.guard);
        thread.trap(pc, mask, diagnostic)
    })
}

/// The name of a state variable.
fn name(names: &[(u32, String)], slot: Option<u32>) -> &str {
    let found = names.iter().find(|(at, _)| Some(*at) == slot);
    found.map_or("?", |(_, name)| name)
}

/// What a shared function refuses, as a trap.
fn refuse(
    thread: &Thread<'_>,
    send: &Send,
    index: u32,
    pc: u32,
    mask: u32,
    refused: Refused,
) -> Box<Trap> {
    let code = match refused.class {
        Class::Undefined => Code::U0601,
        Class::Unsupported => Code::N0602,
        _ => Code::E0607,
    };
    let name = name(&thread.program.surface_names, send.surface);
    let diagnostic = Diagnostic::with_message(code, refused.what)
        .note(format!("surface `{name}`, binding table index {index}"))
        .see(refused.see);
    thread.trap(pc, mask, diagnostic)
}

/// Copies registers out; what lies behind the variable's end is zero.
fn read_raw(thread: &Thread<'_>, raw: Raw, out: &mut [u8]) {
    let have = (raw.end.saturating_sub(raw.offset) as usize).min(out.len());
    out[..have].copy_from_slice(&thread.arena[raw.offset as usize..][..have]);
}

/// Copies into registers; what lies behind the variable's end vanishes.
fn write_raw<O: Observer>(
    thread: &mut Thread<'_>,
    raw: Raw,
    bytes: &[u8],
    pc: u32,
    observer: &mut O,
) {
    let have = (raw.end.saturating_sub(raw.offset) as usize).min(bytes.len());
    if have == 0 {
        return;
    }
    thread.arena[raw.offset as usize..][..have].copy_from_slice(&bytes[..have]);
    if O::ACTIVE {
        observer.wrote(thread.at(pc), raw.offset, &bytes[..have]);
    }
}
