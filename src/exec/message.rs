//! Messages: the template becomes a [`Request`] with the values of the moment, the shared function is
//! called, and what it returns lands in registers.

use super::bindings::{Environment, OwnMemory, Resources};
use super::bits::{self, Asked};
use super::media_sampler::Media;
use super::memory::{self, Space};
use super::observer::{Access, AccessKind, Observer, SpaceName, Spot};
use super::sampling::{self, Registers, texel_offsets};
use super::thread::Thread;
use super::trap::Trap;
use super::{general, raw, ready, target, texels};
use crate::dataport::block;
use crate::dataport::untyped::Window;
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::isa::{Platform, UnormFormat};
use crate::lower::{SLM, STATELESS};
use crate::message::{AvsRequest, DataPath, MediaBlock, Request, SamplerRequest, UnormRequest};
use crate::program::{LscPlace, Raw, Send, SendBody};
use crate::surface::{Memory, Refused, Surface};
use std::borrow::Cow;
use std::sync::Arc;

/// Serves one message.
pub fn send<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let resources = environment.resources;
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
            let block = MediaBlock {
                surface: index,
                field: *field,
                x: general::scalar(thread, x) as i32,
                y: general::scalar(thread, y) as i32,
                width: *width,
                height: *height,
                path: DataPath::DEFAULT,
            };
            surface(thread, resources, send, index, pc)?;
            let request = if *write {
                Request::MediaWrite(block)
            } else {
                Request::MediaRead(block)
            };
            let request = bits::heard(thread, environment, request, pc)?;
            media(thread, resources, send, &request, *data, pc, observer)
        }
        SendBody::Sampler {
            template,
            offsets,
            params,
            dst,
        } => {
            let alone = std::slice::from_mut(thread);
            if !O::ACTIVE && ready::serve(alone, environment, send, pc) {
                return Ok(());
            }
            let mask = thread.active(send.lanes, send.guard);
            if mask == 0 {
                return Ok(());
            }
            let index = state(thread, send.surface);
            let request = SamplerRequest {
                surface: index,
                sampler: state(thread, send.sampler),
                offsets: offsets.as_ref().map_or([0; 3], |source| {
                    texel_offsets(general::scalar(thread, source) as u32)
                }),
                ..*template
            };
            surface(thread, resources, send, index, pc)?;
            let request = bits::heard(thread, environment, Request::Sampler(request), pc)?;
            let registers = Registers {
                params,
                dst: *dst,
                mask,
                in_place: false,
            };
            sampling::sampler(thread, resources, send, &request, &registers, pc, observer)
        }
        SendBody::Avs {
            channels,
            control,
            mode,
            coordinates,
            group_id,
            vertical_block,
            ief_bypass,
            dst,
        } => {
            let index = state(thread, send.surface);
            let number = state(thread, send.sampler);
            let [u, v, delta_u, delta_v, u2d, v2d] =
                std::array::from_fn(|i| general::scalar_float(thread, &coordinates[i]));
            let request = AvsRequest {
                surface: index,
                sampler: number,
                channels: *channels,
                control: *control,
                mode: *mode,
                u,
                v,
                delta_u,
                delta_v,
                u2d,
                v2d,
                group_id: general::scalar(thread, group_id) as u32,
                vertical_block: general::scalar(thread, vertical_block) as u32,
                // The page: bypass is active when bit 0 is zero. AVS reference D1.
                ief_bypass: general::scalar(thread, ief_bypass) & 1 == 0,
            };
            surface(thread, resources, send, index, pc)?;
            let request = bits::heard(thread, environment, Request::Avs(request), pc)?;
            let media = Media {
                send,
                pc,
                dst: *dst,
                elements: UnormFormat::Full16,
                response: None,
            };
            media.serve(thread, resources, &request, observer)
        }
        SendBody::Unorm {
            channels,
            format,
            coordinates,
            dst,
        } => {
            let index = state(thread, send.surface);
            let [u, v, delta_u, delta_v] =
                std::array::from_fn(|i| general::scalar_float(thread, &coordinates[i]));
            let request = UnormRequest {
                surface: index,
                sampler: state(thread, send.sampler),
                channels: *channels,
                u,
                v,
                delta_u,
                delta_v,
                killpix: false,
                only_rg: false,
                shader_payload: false,
            };
            surface(thread, resources, send, index, pc)?;
            let request = bits::heard(thread, environment, Request::Unorm(request), pc)?;
            let media = Media {
                send,
                pc,
                dst: *dst,
                elements: *format,
                response: None,
            };
            media.serve(thread, resources, &request, observer)
        }
        SendBody::Typed { .. } | SendBody::TypedAtomic { .. } => {
            let mask = thread.active(send.lanes, send.guard);
            if mask == 0 {
                return Ok(());
            }
            let asked = bits::asked(thread, environment, send, pc)?;
            image(thread, resources, send, &asked, mask, pc, observer)
        }
        SendBody::Lsc(message) => lsc(thread, environment, send, &message.place, pc, observer),
        SendBody::LscBlock(_) => lsc(thread, environment, send, &LscPlace::Flat, pc, observer),
        SendBody::Target { .. } => target::send(thread, environment, send, pc, observer),
        SendBody::Raw(message) => raw::send(thread, environment, send, message, pc, observer),
        SendBody::SvmBlock { .. }
        | SendBody::SvmScatter { .. }
        | SendBody::SvmScatter4 { .. }
        | SendBody::SvmAtomic { .. } => {
            let mask = thread.active(send.lanes, send.guard);
            let asked = bits::asked(thread, environment, send, pc)?;
            stateless(thread, resources, send, &asked, mask, pc, observer)
        }
        SendBody::Oword { .. } | SendBody::Scatter { .. } | SendBody::Atomic { .. } => {
            // Block messages ignore masks; the others do nothing when no lane is on.
            let block = matches!(send.body, SendBody::Oword { .. });
            let mask = thread.active(send.lanes, send.guard);
            if !block && mask == 0 {
                return Ok(());
            }
            let asked = bits::asked(thread, environment, send, pc)?;
            bound(thread, environment, send, &asked, mask, pc, observer)
        }
    }
}

/// Serves a media block.
pub fn media<O: Observer>(
    thread: &mut Thread<'_>,
    resources: &Resources,
    send: &Send,
    request: &Request,
    data: Raw,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let (write, block) = match request {
        Request::MediaRead(block) => (false, block),
        Request::MediaWrite(block) => (true, block),
        _ => return Ok(()),
    };
    let surface = surface(thread, resources, send, block.surface, pc)?;
    if O::ACTIVE {
        observer.message(thread.at(pc), request);
    }
    let bytes = (block.bytes() as usize).min(MAX_BLOCK);
    let failed =
        |thread: &Thread<'_>, refused| refuse(thread, send, block.surface, pc, u32::MAX, refused);
    // A variable that holds the whole block is its place, if nobody watches.
    if !O::ACTIVE && data.end.saturating_sub(data.offset) as usize >= bytes {
        let registers = &mut thread.arena[data.offset as usize..][..bytes];
        let done = match write {
            true => block::media_write(surface, block, registers),
            false => block::media_read(surface, block, registers),
        };
        return done.map(drop).map_err(|refused| failed(thread, refused));
    }
    // Registers behind the variable's end read as zero and take nothing.
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
    // Writes start at a multiple of 4 bytes, which is told with the first piece. Source: vISA text
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
        };
        observer.access(thread.at(pc), &access);
    });
}

/// Serves a memory message on the lanes of `mask`, in the space its kind and binding name.
pub fn memory<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    asked: &Asked<'_>,
    mask: u32,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    match &*asked.body {
        SendBody::Typed { .. } | SendBody::TypedAtomic { .. } => {
            let resources = environment.resources;
            image(thread, resources, send, asked, mask, pc, observer)
        }
        SendBody::SvmBlock { .. }
        | SendBody::SvmScatter { .. }
        | SendBody::SvmScatter4 { .. }
        | SendBody::SvmAtomic { .. } => {
            let resources = environment.resources;
            stateless(thread, resources, send, asked, mask, pc, observer)
        }
        _ => bound(thread, environment, send, asked, mask, pc, observer),
    }
}

/// Serves a message for texels.
fn image<O: Observer>(
    thread: &mut Thread<'_>,
    resources: &Resources,
    send: &Send,
    asked: &Asked<'_>,
    mask: u32,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let surface = surface(thread, resources, send, asked.surface, pc)?;
    let count = u32::from(send.lanes.count);
    let at = Place {
        pc,
        mask,
        surface: asked.surface,
        uniform: asked.uniform,
    };
    let writer = resources.writer(asked.surface);
    texels::allowed(surface, &asked.body)
        .map_err(|refused| refuse(thread, send, asked.surface, pc, mask, refused))?;
    texels::typed(thread, surface, writer, &asked.body, count, at, observer)
}

/// Serves an untyped message at a binding table index, two of which are not surfaces.
fn bound<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    asked: &Asked<'_>,
    mask: u32,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    match asked.surface {
        SLM => {
            let space = Space::Shared(Window::whole(environment.slm));
            untyped(thread, &space, send, asked, mask, pc, observer)
        }
        STATELESS => {
            let bytes = environment.scratch_bytes;
            let scratch = thread
                .scratch
                .get_or_insert_with(|| Arc::new(Memory::zeroed(bytes)));
            let scratch = Arc::clone(scratch);
            let space = Space::Scratch(Window::whole(&scratch));
            untyped(thread, &space, send, asked, mask, pc, observer)
        }
        index => {
            let surface = surface(thread, environment.resources, send, index, pc)?;
            let space = Space::Surface(index, Window::of(surface));
            untyped(thread, &space, send, asked, mask, pc, observer)
        }
    }
}

/// Serves an LSC message in the memory that it names.
fn lsc<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    place: &LscPlace,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let mask = thread.active(send.lanes, send.guard);
    if mask == 0 {
        return Ok(());
    }
    let resources = environment.resources;
    let at = |surface| Asked {
        body: Cow::Borrowed(&send.body),
        surface,
        uniform: 0,
    };
    match place {
        LscPlace::Flat => stateless(thread, resources, send, &at(0), mask, pc, observer),
        LscPlace::Shared => bound(thread, environment, send, &at(SLM), mask, pc, observer),
        LscPlace::Scratch => bound(
            thread,
            environment,
            send,
            &at(STATELESS),
            mask,
            pc,
            observer,
        ),
        LscPlace::Table(index) => {
            let index = general::scalar(thread, index) as u32;
            bound(thread, environment, send, &at(index), mask, pc, observer)
        }
    }
}

/// Serves a message with 64-bit addresses.
fn stateless<O: Observer>(
    thread: &mut Thread<'_>,
    resources: &Resources,
    send: &Send,
    asked: &Asked<'_>,
    mask: u32,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let own = resources.own.map(|range| {
        let own = thread
            .own
            .get_or_insert_with(|| Arc::new(OwnMemory::new(range)));
        Arc::clone(own)
    });
    let space = Space::Flat(&resources.flat, own.as_deref());
    untyped(thread, &space, send, asked, mask, pc, observer)
}

/// Serves an untyped message in its space, on the lanes of `mask`.
fn untyped<O: Observer>(
    thread: &mut Thread<'_>,
    space: &Space<'_>,
    send: &Send,
    asked: &Asked<'_>,
    mask: u32,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let at = Place {
        pc,
        mask,
        surface: asked.surface,
        uniform: asked.uniform,
    };
    let count = u32::from(send.lanes.count);
    memory::untyped(thread, space, &asked.body, count, at, observer)
}

/// Which op a message belongs to, and its lanes.
#[derive(Clone, Copy)]
pub struct Place {
    /// Index of the op.
    pub pc: u32,
    /// Active lanes.
    pub mask: u32,
    /// Binding table index.
    pub surface: u32,
    /// What is added to the address of every lane, in the unit of the offsets; the address of a block.
    pub uniform: u64,
}

/// The greatest media block: lowering reference 2.4.
pub const MAX_BLOCK: usize = 256;

/// The trap of a message whose sampler index has no state of the kind it needs.
pub fn no_sampler(
    thread: &Thread<'_>,
    resources: &Resources,
    send: &Send,
    number: u32,
    kind: &str,
    pc: u32,
) -> Box<Trap> {
    // A message made of words names its sampler by index alone.
    let raw = send.sampler.is_none();
    let own = format!("S{number}");
    let name = match raw {
        true => own.as_str(),
        false => name(&thread.program.sampler_names, send.sampler),
    };
    let bound = match resources.sampler(number) {
        None => "nothing is bound there".to_string(),
        Some(other) => format!("{} is bound there", other.kind()),
    };
    let diagnostic = Diagnostic::with_message(
        Code::E0604,
        format!("no sampler state for {kind} message is bound at index {number}"),
    )
    .note(match raw {
        true => format!("the descriptor names sampler index {number}; {bound}"),
        false => format!("`{name}` holds {number} here; {bound}"),
    })
    .help(format!(
        "bind a state to the name or to the number, as in `// SAMPLER {name}: …` or `// SAMPLER {number}: …`"
    ))
    .see(match thread.program.platform {
        Platform::Ilk => "lowering reference 18.2; PRM 4.11.1.1",
        _ => "vISA text reference 4.8",
    });
    thread.trap(pc, thread.active(send.lanes, send.guard), diagnostic)
}

/// The value of a state variable.
pub fn state(thread: &Thread<'_>, slot: Option<u32>) -> u32 {
    slot.map_or(0, |at| thread.dword(at))
}

/// The surface behind a binding table index, or the trap that says how to bind one.
pub fn surface<'r>(
    thread: &Thread<'_>,
    resources: &'r Resources,
    send: &Send,
    index: u32,
    pc: u32,
) -> Result<&'r Surface, Box<Trap>> {
    resources.surface(index).ok_or_else(|| {
        // A message made of words names its surface by binding table index alone.
        let raw = send.surface.is_none();
        let own = format!("T{index}");
        let name = match raw {
            true => own.as_str(),
            false => name(&thread.program.surface_names, send.surface),
        };
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
        .note(match raw {
            true => format!("the descriptor names binding table index {index}; {bound}"),
            false => format!("`{name}` holds {index} here; {bound}"),
        })
        .help(match resources.flat.absent(index) {
            Some(argument) => format!("give {argument} memory: it is null"),
            None => format!(
                "bind one to the name or to the number, as in `// SURFACE {name}: R8_UNORM 64x32` or `// SURFACE {index}: …`"
            ),
        })
        .see(if raw && thread.program.platform == Platform::Ilk {
            "lowering reference 18.5; PRM 5.10.2.1"
        } else {
            "vISA text reference 3, built-in surfaces, and 4.8"
        });
        let mask = thread.active(send.lanes, send.guard);
        thread.trap(pc, mask, diagnostic)
    })
}

/// The name of a state variable.
fn name(names: &[(u32, String)], slot: Option<u32>) -> &str {
    let found = names.iter().find(|(at, _)| Some(*at) == slot);
    found.map_or("?", |(_, name)| name)
}

/// The trap of a message, called `name`, that takes registers of `%null`, so many if that is known.
pub fn takes_null(thread: &Thread<'_>, name: &str, registers: Option<u32>, pc: u32) -> Box<Trap> {
    let count = match registers {
        None => "registers".to_string(),
        Some(1) => "1 register".to_string(),
        Some(n) => format!("{n} registers"),
    };
    let diagnostic = Diagnostic::with_message(
        Code::U0322,
        format!("{name} takes {count} of %null, which has none"),
    )
    .note("what the receiver is sent in their place is not defined")
    .see("lowering reference 1.8");
    thread.trap(pc, u32::MAX, diagnostic)
}

/// What a shared function refuses, as a trap.
pub fn refuse(
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
    let name = match send.surface {
        None => String::new(),
        slot => format!("surface `{}`, ", name(&thread.program.surface_names, slot)),
    };
    let diagnostic = Diagnostic::with_message(code, refused.what)
        .note(format!("{name}binding table index {index}"))
        .see(refused.see);
    thread.trap(pc, mask, diagnostic)
}

/// Copies registers out; what lies behind the variable's end is zero.
pub fn read_raw(thread: &Thread<'_>, raw: Raw, out: &mut [u8]) {
    let have = (raw.end.saturating_sub(raw.offset) as usize).min(out.len());
    if have > 0 {
        out[..have].copy_from_slice(&thread.arena[raw.offset as usize..][..have]);
    }
}

/// Copies into registers; what lies behind the variable's end vanishes.
pub fn write_raw<O: Observer>(
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
