//! Messages of the 3D sampler: registers become lanes, the sampler is asked, lanes become registers.

use super::bindings::{Resources, Sampler};
use super::lanes;
use super::message::{no_sampler, read_raw, refuse, surface, write_raw};
use super::observer::Observer;
use super::thread::Thread;
use super::trap::Trap;
use crate::message::{Request, ReturnFormat, SamplerOp, SamplerRequest};
use crate::program::{Raw, Send};
use crate::sampler::sample::{self, Taken, Watch};
use crate::sampler::{Channels, Lanes, fetch, info};

/// The registers of a message for lanes.
pub struct Registers<'a> {
    /// Parameters, one element for each lane; `None` is zeros.
    pub params: &'a [Option<Raw>],
    /// Where channels go.
    pub dst: Option<Raw>,
    /// Active lanes.
    pub mask: u32,
}

/// The greatest number of parameters an instruction may have: vISA text reference 5.8.
const MOST_PARAMS: usize = 15;

/// Serves a message of the 3D sampler.
pub fn sampler<O: Observer>(
    thread: &mut Thread<'_>,
    resources: &Resources,
    send: &Send,
    request: &Request,
    registers: &Registers<'_>,
    pc: u32,
    observer: &mut O,
) -> Result<(), Box<Trap>> {
    let Request::Sampler(asked) = request else {
        return Ok(());
    };
    let mask = registers.mask;
    let surface = surface(thread, resources, send, asked.surface, pc)?;
    if O::ACTIVE {
        observer.message(thread.at(pc), request);
    }
    let mut params = [[0; 32]; MOST_PARAMS];
    let count = registers.params.len().min(MOST_PARAMS);
    for (lanes, raw) in params.iter_mut().zip(registers.params) {
        read_lanes(thread, *raw, asked.params16, asked.lanes, lanes);
    }
    let params = &params[..count];
    let mut channels = [[0; 32]; 4];
    let mut tail = None;
    let served = match asked.op {
        op if op.is_load() => {
            fetch::load(surface, asked, params, mask, &mut channels).map(|reply| reply.null_mask)
        }
        SamplerOp::Resinfo | SamplerOp::Sampleinfo => {
            info::info(surface, asked, params, mask, &mut channels);
            Ok(u32::MAX)
        }
        _ => {
            let number = asked.sampler;
            let Some(Sampler::Texture(state)) = resources.sampler(number) else {
                let kind = "a 3D sampler";
                return Err(no_sampler(thread, resources, send, number, kind, pc));
            };
            let reply = if O::ACTIVE {
                let at = thread.at(pc);
                let mut watch = Told { at, observer };
                sample::reference(
                    surface,
                    state,
                    asked,
                    params,
                    mask,
                    &mut channels,
                    &mut watch,
                )
            } else {
                sample::sample(surface, state, asked, params, mask, &mut channels)
            };
            reply.map(|reply| {
                if asked.op == SamplerOp::SampleKillpix {
                    tail = Some(reply.alive);
                }
                reply.null_mask
            })
        }
    };
    let null_mask =
        served.map_err(|refused| refuse(thread, send, asked.surface, pc, mask, refused))?;
    let Some(dst) = registers.dst else {
        return Ok(());
    };
    write_channels(thread, dst, asked, &channels, mask, pc, observer);
    // One register more: the kill mask, or the null mask.
    let tail = tail.or(asked.pixel_null_mask.then_some(null_mask));
    if let Some(word) = tail {
        let at = asked.returned_channels() * channel_bytes(thread, asked);
        write_raw(thread, dst.skip(at), &word.to_le_bytes(), pc, observer);
    }
    Ok(())
}

/// Passes the texels of a sample on to the run's observer.
struct Told<'o, O> {
    at: super::observer::At,
    observer: &'o mut O,
}

impl<O: Observer> Watch for Told<'_, O> {
    fn texel(&mut self, lane: usize, taken: Taken) {
        self.observer.texel(self.at, lane, &taken);
    }
}

/// Bits 11:8, 7:4, 3:0 as signed offsets U, V, R. Source: vISA text reference 5.8, aoffimmi.
pub fn texel_offsets(bits: u32) -> [i8; 3] {
    let field = |low: u32| ((bits >> low) as u8) << 4;
    [8, 4, 0].map(|low| field(low) as i8 >> 4)
}

/// One element for each lane of a parameter; `%null` reads as zeros.
fn read_lanes(thread: &Thread<'_>, raw: Option<Raw>, narrow: bool, lanes: u32, out: &mut Lanes) {
    let Some(raw) = raw else {
        return;
    };
    let lanes = (lanes as usize).min(out.len());
    let mut bytes = [0; 128];
    let size = if narrow { 2 } else { 4 };
    let bytes = &mut bytes[..lanes * size];
    read_raw(thread, raw, bytes);
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
fn channel_bytes(thread: &Thread<'_>, request: &SamplerRequest) -> u32 {
    let element = match request.returns {
        ReturnFormat::Bits32 => 4,
        ReturnFormat::Bits16 => 2,
    };
    (request.lanes * element).next_multiple_of(thread.program.platform.grf_bytes())
}

/// Writes enabled channels without gaps; inactive lanes keep their content.
fn write_channels<O: Observer>(
    thread: &mut Thread<'_>,
    dst: Raw,
    request: &SamplerRequest,
    channels: &Channels,
    mask: u32,
    pc: u32,
    observer: &mut O,
) {
    let step = channel_bytes(thread, request);
    let count = request.lanes as usize;
    let narrow = request.returns == ReturnFormat::Bits16;
    let set = if request.op.is_gather() {
        0xf
    } else {
        request.channels.0
    };
    let whole = (mask | !(u32::MAX >> (32 - count.clamp(1, 32)))) == u32::MAX;
    for (row, channel) in (0..4).filter(|c| set >> c & 1 == 1).enumerate() {
        let dst = dst.skip(row as u32 * step);
        let values = &channels[channel][..count.min(32)];
        if whole && !narrow {
            let mut bytes = [0; 128];
            let (dwords, _) = bytes.as_chunks_mut::<4>();
            for (dword, value) in dwords.iter_mut().zip(values) {
                *dword = value.to_le_bytes();
            }
            write_raw(thread, dst, &bytes[..4 * values.len()], pc, observer);
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
