//! Messages: the template becomes a [`Request`] with the values of the moment, the shared function is
//! called, and what it returns lands in registers.

use super::call::{Call, refuse, surface};
use super::coalesced::Coalesced;
use super::environment::Environment;
use super::media::media;
use super::media_sampler::Media;
use super::memory::{self, Space};
use super::round_trip::round_trip;
use super::{gen5, sampling, site_plans, target, texels};
use crate::dataport::untyped::Window;
use crate::exec::compute::general;
use crate::exec::state::bindings::{OwnMemory, Resources};
use crate::exec::state::observer::{Observer, Wants};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::lower::{SLM, STATELESS};
use crate::message::{Atomic, Lsc, LscModel, OwordBlock, Request, Scattered, Sfid, Untyped};
use crate::program::Send;
use std::sync::Arc;

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
        let untold = !O::ACTIVE || observer.wants() < Wants::All;
        if untold && site_plans::serve(alone, environment, send, pc) {
            if O::ACTIVE && observer.wants() >= Wants::Steps {
                sampling::tell_planned(thread, send, pc, observer);
            }
            return Ok(());
        }
    } else if !O::ACTIVE
        && let Some(message) = Coalesced::new(thread, environment, send, pc)
        && message.serve(thread, environment).is_some()
    {
        return Ok(());
    }
    if O::ACTIVE
        && matches!(observer.wants(), Wants::Doubts | Wants::Steps)
        && let Some(message) = Coalesced::new(thread, environment, send, pc)
        && message.serve_plain(thread, environment, pc, observer)
    {
        return Ok(());
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
        Request::Sampler(r) => sampling::sampler(thread, environment, r, call, observer),
        Request::Avs(_) | Request::Unorm(_) | Request::Scale8x8(_) | Request::Deinterlace(_) => {
            Media { call }.serve(thread, resources, request, observer)
        }
        Request::Typed(r) => image(thread, environment, request, r.surface, call, observer),
        Request::Lsc(r) => lsc(thread, environment, request, r, call, observer),
        Request::TypedAtomic(r) => image(thread, environment, request, r.surface, call, observer),
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

/// Serves a message for texels.
fn image<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    request: &Request,
    index: u32,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let resources = environment.resources;
    let surface = surface(thread, resources, call, index)?;
    let refused = |thread: &Thread<'_>, why| refuse(thread, call, index, call.mask, why);
    match request {
        Request::Typed(r) => {
            texels::allowed(surface, r.access).map_err(|why| refused(thread, why))?;
            let writer = resources.writer(index);
            if !environment.through_bits {
                let plans = environment.plans;
                plans.note_write(call.pc, index, surface, writer);
            }
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
            let space = Space::Shared(Window::whole(thread.slm.unwrap_or(environment.slm)));
            memory::untyped(thread, &space, request, call, observer)
        }
        STATELESS => {
            let scratch = match thread.rare.scratch(environment.scratch_bytes) {
                Ok(scratch) => scratch,
                Err(short) => return Err(thread.trap(call.pc, call.mask, short.diagnostic())),
            };
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
    if let Some(atomic) = r.typed_atomic() {
        let request = Request::TypedAtomic(atomic);
        return image(
            thread,
            environment,
            &request,
            atomic.surface,
            call,
            observer,
        );
    }
    let index = match (r.typed(), r.sfid, r.model) {
        (Some(typed), ..) => {
            let request = Request::Typed(typed);
            return image(thread, environment, &request, typed.surface, call, observer);
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
            .rare
            .own
            .get_or_insert_with(|| Arc::new(OwnMemory::new(range)));
        Arc::clone(own)
    });
    let space = Space::Flat(&resources.flat, own.as_deref());
    memory::untyped(thread, &space, request, call, observer)
}
