//! Messages: the template becomes a [`Request`] with the values of the moment, the shared function is
//! called, and what it returns lands in registers.

use super::bindings::{Environment, OwnMemory, Resources};
use super::media_sampler::Media;
use super::memory::{self, Space};
use super::observer::{Access, AccessKind, Observer, SpaceName, Spot};
use super::round_trip::round_trip;
use super::thread::Thread;
use super::trap::Trap;
use super::{gen5, general, ready, sampling, target, texels};
use crate::dataport::block;
use crate::dataport::untyped::Window;
use crate::diagnostic::{Class, Code, Diagnostic};
use crate::lower::{SLM, STATELESS};
use crate::message::{
    Atomic, Lsc, LscModel, MediaBlock, OwordBlock, Request, Scattered, Sfid, Untyped,
};
use crate::program::{Raw, Registers, Send};
use crate::surface::{Memory, Refused, Surface};
use std::sync::Arc;

/// A request's way to registers: which op asks on which lanes, and what stands beside it.
#[derive(Clone, Copy)]
pub struct Call<'s> {
    /// Index of the op.
    pub pc: u32,
    /// Arena offset of the surface index; `None` where a descriptor has it.
    pub surface: Option<u32>,
    /// Arena offset of the sampler index.
    pub sampler: Option<u32>,
    /// Lanes of rows of registers.
    pub count: u32,
    /// Execution-mask bit of lane 0.
    pub offset: u8,
    /// Active lanes.
    pub mask: u32,
    /// What is added to the address of every lane, in the unit of the offsets.
    pub base: u64,
    /// Registers of the payload and of the answer.
    pub registers: &'s Registers,
}

impl<'s> Call<'s> {
    /// That of an instruction on the lanes of `mask`.
    pub fn new(thread: &Thread<'_>, send: &'s Send, mask: u32, pc: u32) -> Call<'s> {
        let operands = &send.operands;
        let bases = operands.bases();
        let base = bases.map(|source| general::scalar(thread, source));
        Call {
            pc,
            surface: send.surface,
            sampler: send.sampler,
            count: send.lanes.count.into(),
            offset: send.lanes.offset,
            mask,
            base: base.fold(0, u64::wrapping_add),
            registers: &operands.registers,
        }
    }
}

/// Serves one message.
pub fn send<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let template = &send.request;
    if let Request::Sampler(_) = template {
        let alone = std::slice::from_mut(thread);
        if !O::ACTIVE && ready::serve(alone, environment, send, pc) {
            return Ok(());
        }
    }
    let mask = thread.active(send.lanes, send.guard);
    if mask == 0 && !template.is_block() {
        return Ok(());
    }
    let request = filled(thread, send);
    let request = round_trip(thread, environment, request, pc)?;
    let call = Call::new(thread, send, mask, pc);
    serve(thread, environment, &request, &call, observer)
}

/// The request with the values of the moment.
fn filled(thread: &Thread<'_>, send: &Send) -> Request {
    let mut request = send.request;
    if let (Some(at), Some(surface)) = (send.surface, request.surface_mut()) {
        *surface = surface.wrapping_add(thread.dword(at));
    }
    if let (Some(at), Some(sampler)) = (send.sampler, request.sampler_mut()) {
        *sampler = thread.dword(at);
    }
    for (scalar, source) in &send.operands.scalars {
        if scalar.is_base() {
            continue;
        }
        let bits = match scalar.is_float() {
            true => general::scalar_float(thread, source).to_bits().into(),
            false => general::scalar(thread, source),
        };
        request.set(*scalar, bits);
    }
    request
}

/// Serves a request: those of instructions, and those that descriptors of raw messages ask.
pub fn serve<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    request: &Request,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let resources = environment.resources;
    match request {
        Request::MediaRead(block) => {
            media(thread, resources, request, (false, block), call, observer)
        }
        Request::MediaWrite(block) => {
            media(thread, resources, request, (true, block), call, observer)
        }
        Request::Sampler(r) => sampling::sampler(thread, resources, r, call, observer),
        Request::Avs(_) | Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) => {
            Media { call }.serve(thread, resources, request, observer)
        }
        Request::Typed(r) => image(thread, resources, request, r.surface, call, observer),
        Request::Lsc(r) => lsc(thread, environment, request, r, call, observer),
        Request::TypedAtomic(r) => image(thread, resources, request, r.surface, call, observer),
        Request::Oword(OwordBlock { surface, .. })
        | Request::ByteScattered(Scattered { surface, .. })
        | Request::DwordScattered(Scattered { surface, .. })
        | Request::Untyped(Untyped { surface, .. })
        | Request::Atomic(Atomic { surface, .. }) => {
            bound(thread, environment, request, *surface, call, observer)
        }
        Request::SvmBlock(_)
        | Request::SvmScattered(_)
        | Request::SvmUntyped(_)
        | Request::SvmAtomic(_)
        | Request::LscBlock2d(_) => stateless(thread, resources, request, call, observer),
        Request::Target(r) => target::serve(thread, environment, r, call, observer),
        // As `sbarrier.signal`: the thread goes on, and a wait will stop it.
        Request::Barrier => {
            thread.signalled += 1;
            Ok(())
        }
        // The caches of a simulator hold nothing back.
        Request::SamplerFlush
        | Request::Fence(_)
        | Request::LscFence(_)
        | Request::EndOfThread
        // Refused where it is decoded: no instruction asks it.
        | Request::Urb(_) => Ok(()),
        Request::EndOfChild
        | Request::NullEnd
        | Request::DualOword(_)
        | Request::LoopFilter(_)
        | Request::Vertex(_)
        | Request::Pixels(_)
        | Request::TargetUnorm(_)
        | Request::FlushRender { .. }
        | Request::Math(_)
        | Request::Gateway { .. } => gen5::serve(thread, environment, request, call, observer),
    }
}

/// Serves a media block, read or written.
fn media<O: Observer>(
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

/// Serves a message for texels.
fn image<O: Observer>(
    thread: &mut Thread<'_>,
    resources: &Resources,
    request: &Request,
    index: u32,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let surface = surface(thread, resources, call, index)?;
    let refused = |thread: &Thread<'_>, why| refuse(thread, call, index, call.mask, why);
    match request {
        Request::Typed(r) => {
            texels::allowed(surface, r.access).map_err(|why| refused(thread, why))?;
            let writer = resources.writer(index);
            texels::typed(thread, surface, writer, r, call, observer)
        }
        Request::TypedAtomic(r) => texels::typed_atomic(thread, surface, r, call, observer),
        _ => Ok(()),
    }
}

/// Serves an untyped message at a binding table index, two of which are not surfaces.
fn bound<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    request: &Request,
    index: u32,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    match index {
        SLM => {
            let space = Space::Shared(Window::whole(environment.slm));
            memory::untyped(thread, &space, request, call, observer)
        }
        STATELESS => {
            let bytes = environment.scratch_bytes;
            let scratch = thread
                .scratch
                .get_or_insert_with(|| Arc::new(Memory::zeroed(bytes)));
            let scratch = Arc::clone(scratch);
            let space = Space::Scratch(Window::whole(&scratch));
            memory::untyped(thread, &space, request, call, observer)
        }
        index => {
            let surface = surface(thread, environment.resources, call, index)?;
            let space = Space::Surface(index, Window::of(surface));
            memory::untyped(thread, &space, request, call, observer)
        }
    }
}

/// Serves a message of the load/store pipe in the memory that it names.
fn lsc<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    request: &Request,
    r: &Lsc,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let index = match (r.typed(), r.sfid, r.model) {
        (Some(typed), ..) => {
            let request = Request::Typed(typed);
            let resources = environment.resources;
            return image(thread, resources, &request, typed.surface, call, observer);
        }
        (None, Sfid::Slm, _) => SLM,
        (None, _, LscModel::Flat) => {
            return stateless(thread, environment.resources, request, call, observer);
        }
        (None, _, LscModel::Ss(_)) => STATELESS,
        (None, _, LscModel::Bti(index) | LscModel::Bss(index)) => index,
    };
    bound(thread, environment, request, index, call, observer)
}

/// Serves a message with 64-bit addresses.
fn stateless<O: Observer>(
    thread: &mut Thread<'_>,
    resources: &Resources,
    request: &Request,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let own = resources.own.map(|range| {
        let own = thread
            .own
            .get_or_insert_with(|| Arc::new(OwnMemory::new(range)));
        Arc::clone(own)
    });
    let space = Space::Flat(&resources.flat, own.as_deref());
    memory::untyped(thread, &space, request, call, observer)
}

/// The greatest media block: lowering reference 2.4.
pub const MAX_BLOCK: usize = 256;

/// The trap of a message whose sampler index has no state of the kind it needs.
pub fn no_sampler(
    thread: &Thread<'_>,
    resources: &Resources,
    call: &Call<'_>,
    number: u32,
    kind: &str,
) -> Box<Trap> {
    // A message made of words names its sampler by index alone.
    let raw = call.sampler.is_none();
    let own = format!("S{number}");
    let name = match raw {
        true => own.as_str(),
        false => name(&thread.program.sampler_names, call.sampler),
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
    .see(match thread.program.platform.is_gen5() {
        true => "lowering reference 18.2; PRM 4.11.1.1",
        false => "vISA text reference 4.8",
    });
    thread.trap(call.pc, call.mask, diagnostic)
}

/// The value of a state variable.
pub fn state(thread: &Thread<'_>, slot: Option<u32>) -> u32 {
    slot.map_or(0, |at| thread.dword(at))
}

/// The surface behind a binding table index, or the trap that says how to bind one.
pub fn surface<'r>(
    thread: &Thread<'_>,
    resources: &'r Resources,
    call: &Call<'_>,
    index: u32,
) -> Result<&'r Surface, Box<Trap>> {
    resources.surface(index).ok_or_else(|| {
        // A message made of words names its surface by binding table index alone.
        let raw = call.surface.is_none();
        let own = format!("T{index}");
        let name = match raw {
            true => own.as_str(),
            false => name(&thread.program.surface_names, call.surface),
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
        .see(if raw && thread.program.platform.is_gen5() {
            "lowering reference 18.5; PRM 5.10.2.1"
        } else {
            "vISA text reference 3, built-in surfaces, and 4.8"
        });
        thread.trap(call.pc, call.mask, diagnostic)
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
    call: &Call<'_>,
    index: u32,
    mask: u32,
    refused: Refused,
) -> Box<Trap> {
    let code = match refused.class {
        Class::Undefined => Code::U0601,
        Class::Unsupported => Code::N0602,
        _ => Code::E0607,
    };
    let name = match call.surface {
        None => String::new(),
        slot => format!("surface `{}`, ", name(&thread.program.surface_names, slot)),
    };
    let diagnostic = Diagnostic::with_message(code, refused.what)
        .note(format!("{name}binding table index {index}"))
        .see(refused.see);
    thread.trap(call.pc, mask, diagnostic)
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
