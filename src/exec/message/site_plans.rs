//! What is kept of sampler messages from one thread of a run to the next: most send the same message each
//! time, with other coordinates.

use super::sampling::channel_bytes;
use crate::exec::compute::general;
use crate::exec::message::call::state;
use crate::exec::message::environment::Environment;
use crate::exec::state::bindings::Sampler;
use crate::exec::state::thread::Thread;
use crate::message::request::texel_offsets;
use crate::message::{Parameter, Request, SamplerRequest, parameters};
use crate::program::{Program, Raw, Region, Send, Source};
use crate::sampler::plan::{MOST, Places, RegisterPlan, SamplePlan};
use crate::sampler::sample::LanePlan;
use std::sync::OnceLock;

/// The messages of a program, by op.
pub struct SitePlans {
    sites: Vec<OnceLock<Site>>,
}

/// A message as the first thread sent it.
struct Site {
    /// Binding table index.
    surface: u32,
    /// Sampler index.
    sampler: u32,
    /// `None`: only the reference serves it.
    plan: Option<SamplePlan>,
}

impl SitePlans {
    /// Nothing has been sent yet.
    pub fn new(program: &Program) -> SitePlans {
        SitePlans {
            sites: program.ops.iter().map(|_| OnceLock::new()).collect(),
        }
    }
}

/// Serves the sampler message of threads that have reached it if it has a plan. If not, nothing
/// has happened and false comes back.
pub(crate) fn serve(
    threads: &mut [Thread<'_>],
    environment: &Environment<'_>,
    send: &Send,
    pc: u32,
) -> bool {
    let (Some(site), Some(leader)) = (environment.plans.sites.get(pc as usize), threads.first())
    else {
        return false;
    };
    let named = |thread: &Thread<'_>| (state(thread, send.surface), state(thread, send.sampler));
    let (surface, sampler) = named(leader);
    let site = site.get_or_init(|| Site {
        surface,
        sampler,
        plan: plan(leader, environment, send, (surface, sampler)),
    });
    let (Some(SamplePlan::Registers(plan)), Some(surface)) =
        (&site.plan, environment.resources.surface(surface))
    else {
        return false;
    };
    let all = send.lanes.all();
    let same = |thread: &Thread<'_>| {
        named(thread) == (site.surface, site.sampler)
            && thread.active(send.lanes, send.guard) == all
    };
    if !threads.iter().all(same) {
        return false;
    }
    for threads in threads.chunks_mut(MOST) {
        let count = threads.len();
        let mut bytes: [&mut [u8]; MOST] = Default::default();
        for (bytes, thread) in bytes.iter_mut().zip(threads) {
            *bytes = &mut thread.arena;
        }
        plan.serve(surface.memory(), &mut bytes[..count]);
    }
    true
}

/// The plan of a sample's lanes, once a thread has made it and while the message names the same states.
pub(crate) fn lanes<'e>(
    environment: &Environment<'e>,
    request: &SamplerRequest,
    pc: u32,
) -> Option<&'e LanePlan> {
    let site = environment.plans.sites.get(pc as usize)?.get()?;
    let same = (site.surface, site.sampler) == (request.surface, request.sampler);
    match &site.plan {
        Some(SamplePlan::Lanes(plan)) if same => Some(plan),
        _ => None,
    }
}

/// The plan of a message; `None` where there is nothing to keep.
fn plan(
    thread: &Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    (surface, sampler): (u32, u32),
) -> Option<SamplePlan> {
    let Request::Sampler(template) = &send.request else {
        return None;
    };
    if environment.through_bits {
        return None;
    }
    // Offsets that a thread computes may be other ones next time.
    let offsets = match send.operands.scalars.first() {
        Some((_, source)) => is_constant(thread.program, source)
            .then(|| texel_offsets(general::scalar(thread, source) as u32)),
        None => Some([0; 3]),
    };
    let request = SamplerRequest {
        surface,
        sampler,
        offsets: offsets.unwrap_or_default(),
        ..*template
    };
    let places = offsets.and_then(|_| places(thread, send, &request));
    let resources = environment.resources;
    let surface = resources.surface(surface)?;
    if request.op.is_load() {
        return RegisterPlan::load(surface, &request, places?).map(SamplePlan::Registers);
    }
    let Some(Sampler::Texture(state)) = resources.sampler(sampler) else {
        return None;
    };
    SamplePlan::sample(surface, state, &request, places)
}

/// Where the registers of a message lie, if all of them are whole.
fn places(thread: &Thread<'_>, send: &Send, request: &SamplerRequest) -> Option<Places> {
    let operands = &send.operands;
    let params = operands.registers.params();
    if u32::from(send.lanes.count) != request.lanes {
        return None;
    }
    let bytes = 4 * request.lanes;
    let whole = |raw: &Raw| {
        let end = raw.offset.checked_add(bytes)?;
        (end <= raw.end && end as usize <= thread.arena.len()).then_some(raw.offset as usize)
    };
    let order = parameters::order(request.op, request.params16);
    let sent = |p: Parameter| {
        let at = order.iter().position(|q| *q == p)?;
        params.get(at).filter(|_| at < request.params as usize)
    };
    let v = match sent(Parameter::V) {
        Some(Some(raw)) => Some(whole(raw)?),
        _ => None,
    };
    let pitch = channel_bytes(thread, request);
    let rows = request.returned_channels();
    let dst = operands.registers.answer?;
    // All rows are there if the last one is.
    whole(&dst.skip(rows.checked_sub(1)? * pitch))?;
    Some(Places {
        u: whole(sent(Parameter::U)?.as_ref()?)?,
        v,
        to: dst.offset as usize,
        pitch: pitch as usize,
    })
}

fn is_constant(program: &Program, source: &Source) -> bool {
    matches!(source.region, Region::Scalar(at) if program.is_constant(at))
}
