//! Messages of the 3D sampler: registers become lanes, the sampler is asked, lanes become registers.

use crate::dataport::untyped::Window;
use crate::exec::message::call::{Call, no_sampler, read_raw, refuse, surface, write_raw};
use crate::exec::message::environment::Environment;
use crate::exec::message::site_plans;
use crate::exec::state::bindings::{Resources, Sampler};
use crate::exec::state::lanes;
use crate::exec::state::observer::{
    Access, AccessKind, At, Edge, Instead, Observer, SpaceName, Spot,
};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::message::{Request, ReturnFormat, SamplerOp, SamplerRequest};
use crate::program::{MOST_PARAMS, Program, Raw, Send};
use crate::sampler::sample::{self, LanePlan, Taken, TexelObserver};
use crate::sampler::{Channels, Lanes, fetch, info};

use crate::surface::{Surface, TexelPosition};

/// Serves a message of the 3D sampler.
///
/// SIMD4x2 has two samples, each with its parameters side by side, four to half a register; one is active if one
/// of its four lanes is. Source: PRM 4.11.1.8, 4.11.2.3.
///
/// ```text
///  M1.0  u₀ v₀ r₀ ai₀ | u₁ v₁ r₁ ai₁      W0.0  R₀ G₀ B₀ A₀ | R₁ G₁ B₁ A₁
///  M2.0  parameters 4 to 7 …
/// ```
pub fn sampler<O: Observer>(
    thread: &mut Thread<'_>,
    environment: &Environment<'_>,
    asked: &SamplerRequest,
    call: &Call<'_>,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let resources = environment.resources;
    let &Call {
        pc,
        mask,
        registers,
        ..
    } = call;
    let surface = surface(thread, resources, call, asked.surface)?;
    if O::ACTIVE {
        observer.message(thread.at(pc), &Request::Sampler(*asked));
    }
    let mask = match asked.lanes {
        2 => u32::from(mask & 0xf != 0) | u32::from(mask & 0xf0 != 0) << 1,
        _ => mask,
    };
    // Most messages have few parameters, and zeros cost time.
    let (mut few, mut many) = ([[0; 32]; 4], None);
    let count = registers.params().len();
    let params = match few.get_mut(..count) {
        Some(few) => few,
        None => &mut many.insert([[0; 32]; MOST_PARAMS])[..count],
    };
    for (lanes, raw) in params.iter_mut().zip(registers.params()) {
        match asked.lanes {
            2 => read_pair(thread, *raw, lanes),
            _ => read_lanes(thread, *raw, asked.params16, asked.lanes, lanes),
        }
    }
    let mut channels = [[0; 32]; 4];
    let call = &Call { mask, ..*call };
    let tail = answer(
        thread,
        (resources, surface),
        (asked, site_plans::lanes(environment, asked, pc)),
        params,
        call,
        &mut channels,
        observer,
    )?;
    let Some(dst) = registers.answer else {
        return Ok(());
    };
    if asked.lanes == 2 {
        for sample in lanes::active(mask, 2) {
            for channel in (0..4).filter(|c| asked.channels.0 >> c & 1 == 1) {
                let dst = dst.skip(4 * (4 * sample + channel) as u32);
                let value = channels[channel][sample];
                write_raw(thread, dst, &value.to_le_bytes(), pc, observer);
            }
        }
        return Ok(());
    }
    write_channels(thread, dst, asked, &channels, call, observer);
    if O::ACTIVE {
        padding(thread, dst, asked, call, observer);
    }
    if let Some(word) = tail {
        let rows = match registers.in_place {
            true => 4,
            false => asked.returned_channels(),
        };
        let at = rows * channel_bytes(thread.program, asked);
        write_raw(thread, dst.skip(at), &word.to_le_bytes(), pc, observer);
    }
    Ok(())
}

/// Asks the sampler. What comes back is the one word after the channels, if the message has one: the kill
/// mask, or the null mask.
fn answer<O: Observer>(
    thread: &Thread<'_>,
    (resources, surface): (&Resources, &Surface),
    (asked, plan): (&SamplerRequest, Option<&LanePlan>),
    params: &[Lanes],
    call: &Call<'_>,
    channels: &mut Channels,
    observer: &mut O,
) -> Result<Option<u32>, Box<Trap>> {
    let &Call { pc, mask, .. } = call;
    let null_mask = |mask: u32| asked.pixel_null_mask.then_some(mask);
    let served = match asked.op {
        op if op.is_load() => {
            let served = fetch::load(surface, asked, params, mask, channels);
            if O::ACTIVE && served.is_ok() {
                let mut reporter = TexelReporter {
                    at: thread.at(pc),
                    surface,
                    index: asked.surface,
                    observer,
                };
                for (lane, taken) in fetch::taken(surface, asked, params, mask) {
                    reporter.texel(lane, taken);
                }
                for (lane, place) in fetch::missed(surface, asked, params, mask) {
                    let edge = Edge {
                        surface: asked.surface,
                        lane: Some(lane),
                        asked: place,
                        instead: Instead::Zeros,
                    };
                    observer.edge(thread.at(pc), &edge);
                }
            }
            served.map(|r| null_mask(r.null_mask))
        }
        SamplerOp::Resinfo | SamplerOp::Sampleinfo => {
            info::info(surface, asked, params, mask, channels);
            Ok(null_mask(u32::MAX))
        }
        _ => {
            let number = asked.sampler;
            let Some(Sampler::Texture(state)) = resources.sampler(number) else {
                let kind = "a 3D sampler";
                return Err(no_sampler(thread, resources, call, number, kind));
            };
            let reply = if O::ACTIVE {
                let mut watch = TexelReporter {
                    at: thread.at(pc),
                    surface,
                    index: asked.surface,
                    observer,
                };
                sample::reference(surface, state, asked, params, mask, channels, &mut watch)
            } else {
                let message = sample::Asked {
                    surface,
                    state,
                    request: asked,
                    params,
                };
                match plan {
                    Some(_) => sample::planned(plan, &message, mask, channels),
                    None => sample::sample(surface, state, asked, params, mask, channels),
                }
            };
            reply.map(|r| match asked.op {
                SamplerOp::SampleKillpix => Some(r.alive),
                _ => null_mask(r.null_mask),
            })
        }
    };
    served.map_err(|refused| refuse(thread, call, asked.surface, mask, refused))
}

/// Passes the texels of a sample on to the run's observer, each as a read of memory as well, of a planar
/// surface one of every plane.
struct TexelReporter<'o, O> {
    at: At,
    surface: &'o Surface,
    /// Binding table index.
    index: u32,
    observer: &'o mut O,
}

impl<O: Observer> TexelReporter<'_, O> {
    /// Tells of the cell at a column and row of memory.
    fn cell(&mut self, surface: &Surface, (x, y): (u32, u32), lane: usize, spot: Spot) {
        let bytes = surface.cell_bytes();
        let access = Access {
            space: SpaceName::Surface(self.index),
            kind: AccessKind::Read,
            lane: Some(lane as u8),
            spot,
            bytes,
            inside: bytes,
            misaligned: None,
            memory: Window::whole(surface.memory()).memory(),
            start: surface.address(x, y) as u64,
            data: &[],
            past_end: None,
        };
        self.observer.access(self.at, &access);
    }
}

impl<O: Observer> TexelObserver for TexelReporter<'_, O> {
    fn texel(&mut self, lane: usize, taken: Taken) {
        self.observer.texel(self.at, lane, &taken);
        if let Some([x, y, slice]) = taken.outside {
            let level = taken
                .level
                .saturating_sub(self.surface.description().min_lod);
            let edge = Edge {
                surface: self.index,
                lane: Some(lane as u8),
                asked: [x, y, slice, level.into()],
                instead: taken
                    .at
                    .map_or(Instead::Border, |(x, y)| Instead::Texel(x, y)),
            };
            self.observer.edge(self.at, &edge);
        }
        let Some((x, y)) = taken.at else { return };
        let spot = Spot::Texel([x, y, taken.slice, taken.level]);
        let d = self.surface.description();
        if !d.format.is_planar() {
            let place = self.surface.place(TexelPosition {
                level: taken.level,
                slice: taken.slice,
                x,
                y,
                sample: taken.sample,
            });
            self.cell(self.surface, (place.x, place.y), lane, spot);
            return;
        }
        let (across, down) = d.chroma_shift();
        for (number, plane) in (0..).map_while(|n| Some((n, self.surface.plane(n)?))) {
            let (x, y) = match number {
                0 => (x, y),
                _ => (x >> across, y >> down),
            };
            let place = plane.place(TexelPosition {
                level: 0,
                slice: 0,
                x,
                y,
                sample: 0,
            });
            self.cell(&plane, (place.x, place.y), lane, spot);
        }
    }
}

/// A parameter of both samples of SIMD4x2, half a register apart.
fn read_pair(thread: &Thread<'_>, raw: Option<Raw>, out: &mut Lanes) {
    let Some(raw) = raw else {
        return;
    };
    for (sample, value) in (0..2).zip(out) {
        let mut bytes = [0; 4];
        read_raw(thread, raw.skip(16 * sample), &mut bytes);
        *value = u32::from_le_bytes(bytes);
    }
}

/// One element for each lane of a parameter; `%null` reads as zeros.
fn read_lanes(thread: &Thread<'_>, raw: Option<Raw>, narrow: bool, lanes: u32, out: &mut Lanes) {
    let Some(raw) = raw else {
        return;
    };
    let size = if narrow { 2 } else { 4 };
    let wanted = (lanes as usize).min(out.len()) * size;
    // What lies past the variable's end is zero.
    let have = (raw.end.saturating_sub(raw.offset) as usize).min(wanted);
    let bytes = thread.arena.get(raw.offset as usize..).unwrap_or_default();
    let bytes = &bytes[..have.min(bytes.len())];
    if narrow {
        let (words, _) = bytes.as_chunks::<2>();
        for (value, word) in out.iter_mut().zip(words) {
            *value = u32::from(u16::from_le_bytes(*word));
        }
    } else {
        let (dwords, _) = bytes.as_chunks::<4>();
        for (value, dword) in out.iter_mut().zip(dwords) {
            *value = u32::from_le_bytes(*dword);
        }
    }
}

/// Bytes from one returned channel to the next: each starts in a new register.
/// Source: lowering reference 3.3.
pub(crate) fn channel_bytes(program: &Program, request: &SamplerRequest) -> u32 {
    (request.lanes * request.returns.bytes()).next_multiple_of(program.platform.grf_bytes())
}

/// Writes enabled channels without gaps; inactive lanes keep their content.
fn write_channels<O: Observer>(
    thread: &mut Thread<'_>,
    dst: Raw,
    request: &SamplerRequest,
    channels: &Channels,
    call: &Call<'_>,
    observer: &mut O,
) {
    let &Call { pc, mask, .. } = call;
    let step = channel_bytes(thread.program, request);
    let count = request.lanes as usize;
    let narrow = request.returns == ReturnFormat::Bits16;
    let set = if request.op.is_gather() {
        0xf
    } else {
        request.channels.0
    };
    let whole = (mask | !(u32::MAX >> (32 - count.clamp(1, 32)))) == u32::MAX;
    for (row, channel) in (0..4).filter(|c| set >> c & 1 == 1).enumerate() {
        let row = if call.registers.in_place {
            channel
        } else {
            row
        };
        let dst = dst.skip(row as u32 * step);
        let values = &channels[channel][..count.min(32)];
        if whole && !narrow {
            // A variable that holds all lanes takes them as they are, without an observer.
            let room = dst.end.saturating_sub(dst.offset) as usize >= 4 * values.len();
            if room && !O::ACTIVE {
                let registers = &mut thread.arena[dst.offset as usize..][..4 * values.len()];
                store(registers, values);
            } else {
                let mut bytes = [0; 128];
                store(&mut bytes, values);
                write_raw(thread, dst, &bytes[..4 * values.len()], pc, observer);
            }
            continue;
        }
        for lane in lanes::active(mask, values.len()) {
            let value = values[lane];
            if narrow {
                let dst = dst.skip(2 * lane as u32);
                write_raw(thread, dst, &(value as u16).to_le_bytes(), pc, observer);
            } else {
                let dst = dst.skip(4 * lane as u32);
                write_raw(thread, dst, &value.to_le_bytes(), pc, observer);
            }
        }
    }
}

/// Tells the observer, who wants no texels, what a message that has a plan returned.
pub(crate) fn tell_planned<O: Observer>(
    thread: &Thread<'_>,
    send: &Send,
    pc: u32,
    observer: &mut O,
) {
    let (Request::Sampler(request), Some(dst)) = (&send.request, send.operands.registers.answer)
    else {
        return;
    };
    let mask = thread.active(send.lanes, send.guard);
    if mask == 0 {
        return;
    }
    let at = thread.at(pc);
    let (size, step) = (
        request.returns.bytes(),
        channel_bytes(thread.program, request),
    );
    let told = |observer: &mut O, dst: Raw, bytes: u32| {
        let own = &thread.arena[dst.offset as usize..][..bytes as usize];
        observer.wrote(at, dst.offset, own);
    };
    for row in 0..request.returned_channels() {
        let dst = dst.skip(row * step);
        if mask == send.lanes.all() {
            told(observer, dst, size * request.lanes);
            continue;
        }
        for lane in lanes::active(mask, request.lanes as usize) {
            told(observer, dst.skip(size * lane as u32), size);
        }
    }
    let call = &Call::new(thread, send, mask, pc);
    padding(thread, dst, request, call, observer);
}

/// Tells the observer what a register has beyond the lanes of each channel returned: nothing is promised of it.
/// Source: vISA 3D_LOAD, "the remaining portions of the register have undefined values".
fn padding<O: Observer>(
    thread: &Thread<'_>,
    dst: Raw,
    request: &SamplerRequest,
    call: &Call<'_>,
    observer: &mut O,
) {
    let narrow = request.returns == ReturnFormat::Bits16;
    let used = request.lanes * if narrow { 2 } else { 4 };
    let step = channel_bytes(thread.program, request);
    for row in 0..request.returned_channels() {
        let end = dst.skip((row + 1) * step).offset.min(dst.end);
        let range = dst.skip(row * step + used).offset..end;
        if range.start < range.end {
            observer.undefined(thread.at(call.pc), &range);
        }
    }
}

/// Dwords as bytes.
fn store(bytes: &mut [u8], values: &[u32]) {
    let (dwords, _) = bytes.as_chunks_mut::<4>();
    for (dword, value) in dwords.iter_mut().zip(values) {
        *dword = value.to_le_bytes();
    }
}
