//! What is kept of messages from one thread of a run to the next: most send the same message each time, with
//! other coordinates or addresses.

use super::blocks::scales_again;
use super::coalesced::Work;
use super::sampling::channel_bytes;
use crate::dataport::block::BlockRows;
use crate::dataport::typed::Writer;
use crate::exec::compute::decoded::{Cut, Decoded};
use crate::exec::compute::general;
use crate::exec::compute::native::LeftAt;
use crate::exec::message::call::state;
use crate::exec::message::environment::Environment;
use crate::exec::state::bindings::Sampler;
use crate::exec::state::texel_sites::TexelSite;
use crate::exec::state::thread::Thread;
use crate::message::request::texel_offsets;
use crate::message::{Parameter, Request, SamplerRequest, parameters};
use crate::program::{Program, Raw, Region, Send, Source};
use crate::sampler::plan::{Places, RegisterPlan, SamplePlan, TexelBytes};
use crate::sampler::sample::LanePlan;
use crate::surface::{Memory, Surface};
use std::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Places at most where code is entered that no jump leads to: there are few in all.
const MOST_ENTERED: usize = 6;

/// Threads whose registers are handed over together at most.
const MOST: usize = 8;

/// The messages of a program, by op.
pub struct SitePlans {
    sites: Vec<OnceLock<Site>>,
    /// What native code has to know of them.
    texels: Vec<TexelSite>,
    /// Of typed writes and media blocks: the memory that code then reaches is kept alive.
    written: Vec<OnceLock<Option<Arc<Memory>>>>,
    /// Of messages to memory; `None`: lanes are served one by one.
    works: Vec<OnceLock<Option<Work>>>,
    scales_again: bool,
    /// The cut of native code, by number; and whether more is known of messages since it was chosen.
    cut: AtomicUsize,
    knows_more: AtomicBool,
    choosing: Mutex<()>,
    /// How often threads have left native code in front of messages.
    left_at: LeftAt,
}

/// A message as the first thread sent it.
struct Site {
    /// Binding table index.
    surface: u32,
    /// Sampler index.
    sampler: u32,
    /// `None`: only the reference serves it.
    plan: Option<SamplePlan>,
    /// Where a level of detail lies that lanes have in common, and it.
    level: Option<(usize, u32)>,
    /// Whether native code can do it.
    is_code: bool,
    /// Keeps alive what native code reads.
    _memory: Option<Arc<Memory>>,
}

impl SitePlans {
    /// Nothing has been sent yet.
    pub fn new(program: &Program) -> SitePlans {
        SitePlans {
            sites: program.ops.iter().map(|_| OnceLock::new()).collect(),
            texels: program.ops.iter().map(|_| TexelSite::default()).collect(),
            written: program.ops.iter().map(|_| OnceLock::new()).collect(),
            works: program.ops.iter().map(|_| OnceLock::new()).collect(),
            scales_again: scales_again(program),
            cut: AtomicUsize::new(usize::MAX),
            knows_more: AtomicBool::new(false),
            choosing: Mutex::default(),
            left_at: LeftAt::new(program.ops.len()),
        }
    }

    /// The cut of native code that was chosen, in this run or else in the one before.
    pub(crate) fn cut(&self, code: &Decoded) -> usize {
        match self.cut.load(Relaxed) {
            usize::MAX => code.last_cut(),
            own => own,
        }
    }

    /// Chooses the cut that leaves out those messages of which is known that no code does them here, is entered behind those
    /// for which threads have often left code, and makes NaN once they have often left it for one. Of messages that have not
    /// been sent it is taken to be as it was. Asked when threads begin: then those before them have sent all.
    pub(crate) fn choose_cut(&self, code: &Decoded) {
        if !self.knows_more.load(Relaxed) && !self.is_left_often(code) {
            return;
        }
        let _alone = self.choosing.lock().unwrap_or_else(PoisonError::into_inner);
        let knows_more = self.knows_more.swap(false, Acquire);
        if !knows_more && !self.is_left_often(code) {
            return;
        }
        let has_many_nan = code.has_many_nan();
        // Code that makes them is not left for them.
        code.left_for_nan().store(0, Relaxed);
        let before = code.cut(self.cut(code));
        let ops = 0..self.sites.len() as u32;
        let left_out = ops.filter(|&pc| {
            let known = self.is_code(pc as usize);
            let was_left_out = || before.left_out.binary_search(&pc).is_ok();
            known.map_or_else(was_left_out, |is_code| !is_code)
        });
        let left_out = left_out.collect();
        let behind = self.left_at.take().into_iter().map(|pc| pc + 1);
        let mut entered = before.entered;
        // Others may have left code of the cut before.
        let new: Vec<u32> = behind.filter(|pc| !entered.contains(pc)).collect();
        entered.extend(new);
        entered.truncate(MOST_ENTERED);
        entered.sort_unstable();
        let cut = Cut {
            left_out,
            entered,
            makes_nan: before.makes_nan || has_many_nan,
        };
        self.cut.store(code.number_of_cut(cut), Relaxed);
    }

    /// Whether threads have left code so often for what other code would not be left for that a cut is to be chosen.
    #[inline]
    pub(crate) fn is_left_often(&self, code: &Decoded) -> bool {
        code.has_many_nan() || self.left_at.are_many()
    }

    /// Where it is counted how often they leave in front of messages.
    pub(crate) fn left_at(&self) -> &LeftAt {
        &self.left_at
    }

    /// What is known of a message, worked out when it is asked for the first time.
    fn learn<'s, T>(&self, known: &'s OnceLock<T>, of: impl FnOnce() -> T) -> &'s T {
        let mut is_new = false;
        let found = known.get_or_init(|| {
            is_new = true;
            of()
        });
        if is_new {
            self.knows_more.store(true, Release);
        }
        found
    }

    /// Whether code can do the message at an op, if that has been seen.
    fn is_code(&self, pc: usize) -> Option<bool> {
        let sampled = self.sites[pc].get().map(|site| site.is_code);
        sampled.or_else(|| self.written[pc].get().map(Option::is_some))
    }

    /// What native code has to know of sampler messages, by op.
    pub(crate) fn texels(&self) -> &[TexelSite] {
        &self.texels
    }

    /// Whether a thread may ask the scaler more than once.
    pub(super) fn scales_again(&self) -> bool {
        self.scales_again
    }

    /// Notes what the typed write at an op reaches, which the surface of this index and its writer, if it has one, say.
    pub(super) fn note_write(
        &self,
        pc: u32,
        index: u32,
        surface: &Surface,
        writer: Option<&Writer>,
    ) {
        let pc = pc as usize;
        let (Some(written), Some(texels)) = (self.written.get(pc), self.texels.get(pc)) else {
            return;
        };
        self.learn(written, || {
            let bytes = writer?.written_bytes(surface.memory())?;
            texels.note_write(index, &bytes, surface.memory());
            Some(Arc::clone(surface.memory()))
        });
    }

    /// The same of a media block.
    pub(super) fn note_rows(
        &self,
        pc: u32,
        index: u32,
        rows: &BlockRows<'_>,
        memory: &Arc<Memory>,
    ) {
        let pc = pc as usize;
        if let (Some(written), Some(texels)) = (self.written.get(pc), self.texels.get(pc)) {
            self.learn(written, || {
                let noted = texels.note_rows(index, rows);
                noted.then(|| Arc::clone(memory))
            });
        }
    }

    /// What the message at an op does in memory, worked out when it is asked for the first time.
    pub(super) fn work(&self, pc: u32, work: impl FnOnce() -> Option<Work>) -> Option<&Work> {
        self.works.get(pc as usize)?.get_or_init(work).as_ref()
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
    if site.get().is_none() && leader.active(send.lanes, send.guard) == 0 {
        // Nothing is said of levels by lanes that are off.
        return false;
    }
    let plans = environment.plans;
    let site = plans.learn(site, || {
        let texels = plans.texels.get(pc as usize);
        Site::new(leader, environment, send, (surface, sampler), texels)
    });
    let (Some(SamplePlan::Registers(plan)), Some(surface)) =
        (&site.plan, environment.resources.surface(surface))
    else {
        return false;
    };
    let all = send.lanes.all();
    let same = |thread: &Thread<'_>| named(thread) == (site.surface, site.sampler);
    let whole = |thread: &Thread<'_>| thread.active(send.lanes, send.guard) == all;
    if site.level.is_some() || !threads.iter().all(|t| same(t) && whole(t)) {
        return threads.iter().all(same) && site.serve_some(plan, surface, threads, send);
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

/// Bytes that a message that has a plan returns to the lanes of a thread.
pub(crate) fn returned(thread: &Thread<'_>, send: &Send) -> u64 {
    let Request::Sampler(request) = &send.request else {
        return 0;
    };
    let lanes = thread.active(send.lanes, send.guard).count_ones();
    u64::from(lanes * request.returned_channels() * request.returns.bytes())
}

impl Site {
    fn new(
        thread: &Thread<'_>,
        environment: &Environment<'_>,
        send: &Send,
        (surface, sampler): (u32, u32),
        texels: Option<&TexelSite>,
    ) -> Site {
        let planned = plan(thread, environment, send, (surface, sampler));
        let nearest = planned.and_then(|planned| planned.nearest);
        let mut memory = None;
        if let (Some(nearest), Some(texels)) = (nearest, texels)
            && let Some(read) = environment.resources.surface(surface)
        {
            texels.note((surface, sampler), &nearest, read.memory());
            memory = Some(Arc::clone(read.memory()));
        }
        Site {
            surface,
            sampler,
            plan: planned.and_then(|planned| planned.plan),
            level: planned.and_then(|planned| planned.level),
            is_code: memory.is_some(),
            _memory: memory,
        }
    }

    /// As [`serve`], where lanes are off or have a level of detail.
    #[inline(never)]
    fn serve_some(
        &self,
        plan: &RegisterPlan,
        surface: &Surface,
        threads: &mut [Thread<'_>],
        send: &Send,
    ) -> bool {
        let active = |thread: &Thread<'_>| thread.active(send.lanes, send.guard);
        if !threads.iter().all(|t| self.has_level(t, active(t))) {
            return false;
        }
        let all = send.lanes.all();
        for threads in threads.chunks_mut(MOST) {
            let mut bytes: [&mut [u8]; MOST] = Default::default();
            let (mut masks, mut count) = ([0; MOST], 0);
            // A thread without lanes sends nothing.
            for thread in threads.iter_mut().filter(|t| active(t) != 0) {
                (masks[count], bytes[count]) = (active(thread), &mut thread.arena);
                count += 1;
            }
            let (bytes, masks) = (&mut bytes[..count], &masks[..count]);
            match masks.iter().all(|mask| *mask == all) {
                true => plan.serve(surface.memory(), bytes),
                false => plan.serve_some(surface.memory(), bytes, masks),
            }
        }
        true
    }

    /// Whether the lanes of a mask have the level of detail of the plan.
    fn has_level(&self, thread: &Thread<'_>, mask: u32) -> bool {
        let Some((at, level)) = self.level else {
            return true;
        };
        let (levels, _) = thread.arena[at..].as_chunks::<4>();
        let other = |(lane, own): (usize, &[u8; 4])| {
            u32::from(*own != level.to_le_bytes()) & mask.checked_shr(lane as u32).unwrap_or(0)
        };
        let lanes = (u32::BITS - mask.leading_zeros()) as usize;
        levels[..lanes]
            .iter()
            .enumerate()
            .map(other)
            .fold(0, |all, one| all | one)
            & 1
            == 0
    }
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

/// What is worked out when a message is sent for the first time.
#[derive(Clone, Copy)]
struct Planned {
    /// `None`: native code alone serves it, or the reference.
    plan: Option<SamplePlan>,
    /// Where a level of detail lies that lanes have in common, and it.
    level: Option<(usize, u32)>,
    /// What native code has to know.
    nearest: Option<TexelBytes>,
}

/// The plan of a message; `None` where there is nothing to keep.
fn plan(
    thread: &Thread<'_>,
    environment: &Environment<'_>,
    send: &Send,
    (surface, sampler): (u32, u32),
) -> Option<Planned> {
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
    let places = offsets.and_then(|_| places(thread.program, send, &request));
    let resources = environment.resources;
    let surface = resources.surface(surface)?;
    if request.op.is_load() {
        // The level of whoever comes first is that of the plan.
        let mask = thread.active(send.lanes, send.guard);
        let first = mask.trailing_zeros().min(request.lanes.saturating_sub(1));
        let level = sent(thread.program, send, &request, Parameter::Lod)?;
        let level = level.map(|at| (at, thread.dword(at as u32 + 4 * first)));
        let of_all = level.map_or(0, |(_, level)| level);
        let plan = RegisterPlan::of_load(surface, &request, of_all, places?)?;
        let nearest = plan.texel_bytes(surface, || [0; 4]);
        return Some(Planned {
            plan: plan.serves().then_some(SamplePlan::Registers(plan)),
            level,
            nearest,
        });
    }
    let Some(Sampler::Texture(state)) = resources.sampler(sampler) else {
        return None;
    };
    let (plan, nearest) = SamplePlan::sample(surface, state, &request, places)?;
    Some(Planned {
        plan: Some(plan),
        level: None,
        nearest,
    })
}

/// Where the register of a parameter lies; the inner `None` if the message has none, the outer one if it is not
/// whole.
pub(super) fn sent(
    program: &Program,
    send: &Send,
    request: &SamplerRequest,
    parameter: Parameter,
) -> Option<Option<usize>> {
    let order = parameters::order(request.op, request.params16);
    let params = send.operands.registers.params();
    let at = order.iter().position(|own| *own == parameter);
    let Some(Some(raw)) =
        at.and_then(|at| params[..params.len().min(request.params as usize)].get(at))
    else {
        return Some(None);
    };
    whole(program, raw, 4 * request.lanes).map(Some)
}

/// Where a register lies, if all of its bytes do.
fn whole(program: &Program, raw: &Raw, bytes: u32) -> Option<usize> {
    let end = raw.offset.checked_add(bytes)?;
    (end <= raw.end && end as usize <= program.image.len()).then_some(raw.offset as usize)
}

/// Where the registers of a message lie, if all of them are whole.
pub(super) fn places(program: &Program, send: &Send, request: &SamplerRequest) -> Option<Places> {
    if u32::from(send.lanes.count) != request.lanes {
        return None;
    }
    let pitch = channel_bytes(program, request);
    let rows = request.returned_channels();
    let dst = send.operands.registers.answer?;
    // All rows are there if the last one is.
    let last = dst.skip(rows.checked_sub(1)? * pitch);
    whole(program, &last, 4 * request.lanes)?;
    Some(Places {
        u: sent(program, send, request, Parameter::U)??,
        v: sent(program, send, request, Parameter::V)?,
        to: dst.offset as usize,
        pitch: pitch as usize,
    })
}

pub(super) fn is_constant(program: &Program, source: &Source) -> bool {
    matches!(source.region, Region::Scalar(at) if program.is_constant(at))
}
