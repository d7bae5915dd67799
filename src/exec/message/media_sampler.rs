//! Messages of the media sampler: the scaler, `sample_unorm`, denoising and deinterlacing.
//!
//! Each reads a block's position from the request, finds surfaces and state by number, and writes what the
//! shared function returns. Masks do not matter: a block is always whole.

use crate::dataport::untyped::Window;
use crate::diagnostic::{Code, Diagnostic};
use crate::exec::message::call::{Call, no_sampler, read_raw, refuse, surface, write_raw};
use crate::exec::state::bindings::{Resources, Sampler};
use crate::exec::state::observer::{Access, AccessKind, Edge, Instead, Observer, SpaceName, Spot};
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::message::{AvsRequest, DeinterlaceRequest, Request, Scale8x8Request, UnormRequest};
use crate::program::Raw;
use crate::sampler::avs::{self, AvsError, AvsSampler, Kernels};
use crate::sampler::deinterlace::block::{self, DeinterlaceError, Inputs};
use crate::sampler::deinterlace::writeback;
use crate::sampler::settings::{self, Filter, MipFilter};
use crate::sampler::unorm::{self, UnormSampler, Writeback};
use crate::sampler::{Read, SamplerState};
use crate::source::Span;
use crate::surface::{Refused, Surface};
use std::collections::BTreeSet;

/// The greatest block of the scaler: 16x8 pixels of four 16-bit channels, AVS reference 2.2.
const MAX_AVS: usize = 1024;
/// The greatest block of `sample_unorm`: 8x4 pixels of four 16-bit channels, and the mask.
const MAX_UNORM: usize = 260;
/// Bytes of a register of the part that deinterlaces.
const GRF: u32 = 32;

/// A message and where its result goes.
pub struct Media<'c> {
    /// Its registers, and the op.
    pub call: &'c Call<'c>,
}

impl Media<'_> {
    /// Serves a message of the media sampler.
    pub fn serve<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        resources: &Resources,
        request: &Request,
        observer: &mut O,
    ) -> Result<(), Box<Trap>> {
        if let Request::Avs(AvsRequest { surface: at, .. })
        | Request::Unorm(UnormRequest { surface: at, .. }) = request
        {
            surface(thread, resources, self.call, *at)?;
        }
        if O::ACTIVE {
            observer.message(thread.at(self.call.pc), request);
        }
        match request {
            Request::Avs(asked) => self.scale(thread, resources, asked, observer),
            Request::Unorm(asked) => self.unorm(thread, resources, asked, observer),
            Request::Scale8x8(asked) => self.scale_8x8(thread, resources, asked, observer),
            Request::Deinterlace(asked) => self.deinterlace(thread, resources, asked, observer),
            _ => Ok(()),
        }
    }

    fn dst(&self) -> Raw {
        self.call.registers.answer.unwrap_or(Raw::NOWHERE)
    }

    fn scale<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        resources: &Resources,
        asked: &AvsRequest,
        observer: &mut O,
    ) -> Result<(), Box<Trap>> {
        let read = (asked.surface, asked.sampler, asked.delta_v);
        let (surface, sampler) = self.scaler(thread, resources, read, "an AVS")?;
        note_group(thread, resources, asked, self.call.pc);
        if O::ACTIVE
            && let Ok(reads) = avs::reads(surface, sampler, asked)
        {
            self.tell(thread, (asked.surface, surface), &reads, observer);
        }
        // Bytes that the message leaves alone keep their content, so the block starts as it is.
        let mut block = [0; MAX_AVS];
        read_raw(thread, self.dst(), &mut block);
        avs::run(surface, sampler, asked, &mut block)
            .map_err(|error| self.refuse_avs(thread, asked.surface, &error))?;
        let bytes = avs::packed_bytes(asked, sampler.output_shuffle).min(MAX_AVS);
        self.holds(thread, bytes, sampler.output_shuffle)?;
        write_raw(thread, self.dst(), &block[..bytes], self.call.pc, observer);
        Ok(())
    }

    /// Whether the destination holds a block, which with output shuffle takes room for channels that are not there:
    /// only the sampler's state says so.
    fn holds(&self, thread: &Thread<'_>, bytes: usize, shuffled: bool) -> Result<(), Box<Trap>> {
        let Some(dst) = self.call.registers.answer else {
            return Ok(());
        };
        let room = dst.end.saturating_sub(dst.offset) as usize;
        if bytes <= room {
            return Ok(());
        }
        let shuffle = if shuffled { " with output shuffle" } else { "" };
        let small = Diagnostic::new(Code::U0320)
            .note(format!(
                "the block takes {bytes} bytes{shuffle}, {room} are there"
            ))
            .help(format!("declare {bytes} bytes or more for it"))
            .see("AVS reference 2.1");
        Err(thread.trap(self.call.pc, u32::MAX, small))
    }

    /// The surface and the state that a message of the scaler reads, of `kind`; steps that are too long are reported.
    fn scaler<'r>(
        &self,
        thread: &Thread<'_>,
        resources: &'r Resources,
        (index, number, delta_v): (u32, u32, f32),
        kind: &str,
    ) -> Result<(&'r Surface, &'r AvsSampler), Box<Trap>> {
        let surface = surface(thread, resources, self.call, index)?;
        let Some(Sampler::Avs(sampler)) = resources.sampler(number) else {
            return Err(self.no_sampler(thread, resources, number, kind));
        };
        if let Some(what) = avs::outer_taps(surface, sampler) {
            let see = "PRM 4.10.4, Table 0X Filter Coefficient";
            let refused = Refused::undefined(what, see);
            return Err(refuse(thread, self.call, index, u32::MAX, refused));
        }
        let why = avs::limits(surface, delta_v);
        self.remark(thread, resources, Code::W0882, why);
        Ok((surface, sampler))
    }

    fn scale_8x8<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        resources: &Resources,
        asked: &Scale8x8Request,
        observer: &mut O,
    ) -> Result<(), Box<Trap>> {
        self.whole_state(thread, "sample_8x8", asked.sampler, 4)?;
        let read = (asked.surface, asked.sampler, asked.delta_v);
        let (surface, sampler) = self.scaler(thread, resources, read, "a sample_8x8")?;
        if O::ACTIVE
            && let Ok(reads) = avs::reads_8x8(surface, sampler, asked)
        {
            self.tell(thread, (asked.surface, surface), &reads, observer);
        }
        let mut block = [0; MAX_AVS];
        avs::run_8x8(surface, sampler, asked, Kernels::Fast, &mut block)
            .map_err(|error| self.refuse_avs(thread, asked.surface, &error))?;
        let bytes = avs::bytes_8x8(asked).min(MAX_AVS);
        write_raw(thread, self.dst(), &block[..bytes], self.call.pc, observer);
        Ok(())
    }

    fn unorm<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        resources: &Resources,
        asked: &UnormRequest,
        observer: &mut O,
    ) -> Result<(), Box<Trap>> {
        let surface = surface(thread, resources, self.call, asked.surface)?;
        let sampler = &match resources.sampler(asked.sampler) {
            Some(Sampler::Unorm(state)) => *state,
            Some(Sampler::Texture(state)) => {
                unorm_state(state).map_err(|why| self.refuse_state(thread, asked.sampler, &why))?
            }
            _ => return Err(self.no_sampler(thread, resources, asked.sampler, "a sample_unorm")),
        };
        let writeback =
            match self.call.registers.response.is_some() && thread.program.platform.is_gen5() {
                true => Writeback::Groups,
                false => Writeback::Raster(self.call.registers.elements),
            };
        self.remark(
            thread,
            resources,
            Code::W0883,
            unorm::limits(surface, asked),
        );
        if O::ACTIVE
            && let Ok(reads) = unorm::reads(surface, sampler, asked)
        {
            self.tell(thread, (asked.surface, surface), &reads, observer);
        }
        let mut block = [0; MAX_UNORM];
        unorm::run(surface, sampler, asked, writeback, &mut block).map_err(|error| {
            let refused = Refused::error(error.to_string(), "PRM 4.11.1.4; AVS reference 6.1");
            refuse(thread, self.call, asked.surface, u32::MAX, refused)
        })?;
        let bytes = unorm::packed_bytes(asked, writeback).min(MAX_UNORM);
        write_raw(thread, self.dst(), &block[..bytes], self.call.pc, observer);
        Ok(())
    }

    fn deinterlace<O: Observer>(
        &self,
        thread: &mut Thread<'_>,
        resources: &Resources,
        asked: &DeinterlaceRequest,
        observer: &mut O,
    ) -> Result<(), Box<Trap>> {
        self.whole_state(thread, "deinterlace", asked.sampler, 2)?;
        let current = surface(thread, resources, self.call, asked.surface)?;
        let Some(Sampler::Deinterlace(state)) = resources.sampler(asked.sampler) else {
            return Err(self.no_sampler(thread, resources, asked.sampler, "a deinterlace"));
        };
        if state.walker {
            let what = "VDI Walker Enable is set: X and Y come from the unit, and those of the message say nothing";
            let refused = Refused::undefined(what, "PRM 4.10.3.2, VDI Walker Enable");
            return Err(refuse(thread, self.call, asked.surface, u32::MAX, refused));
        }
        self.place(thread, block::rows(state) as u32, (asked.x, asked.y))?;
        let conflicts = state.conflicts();
        let why = (!conflicts.is_empty()).then(|| conflicts.join("; "));
        self.remark(thread, resources, Code::W0890, why);
        // Consecutive entries: the frame, the one before, statistics (AVS reference 5.1).
        let inputs = Inputs {
            current,
            previous: resources.surface(asked.surface.saturating_add(1)),
            statistics: resources.surface(asked.surface.saturating_add(2)),
        };
        self.remark(
            thread,
            resources,
            Code::W0891,
            block::limits(state, &inputs),
        );
        if O::ACTIVE
            && let Ok(reads) = block::reads(state, &inputs, (asked.x, asked.y))
        {
            let surfaces = [Some(current), inputs.previous, inputs.statistics];
            for (reads, (surface, index)) in
                reads.iter().zip(surfaces.into_iter().zip(asked.surface..))
            {
                if let Some(surface) = surface {
                    self.tell(thread, (index, surface), reads, observer);
                }
            }
        }
        let made = block::block(state, &inputs, (asked.x, asked.y))
            .map_err(|error| self.refuse_frame(thread, asked.surface, &error))?;
        let input = writeback::Input::of(current.format());
        let layout = current.description().generation.deinterlace;
        let registers = writeback::registers(state, &made, layout, input);
        self.length(thread, registers.len() as u32)?;
        for (register, at) in registers.iter().zip(0..) {
            if let Some(bytes) = register {
                write_raw(
                    thread,
                    self.dst().skip(at * GRF),
                    bytes,
                    self.call.pc,
                    observer,
                );
            }
        }
        Ok(())
    }

    /// The descriptor asks for as many registers as come back, which the state and the frame decide.
    fn length(&self, thread: &Thread<'_>, registers: u32) -> Result<(), Box<Trap>> {
        let Some(asked) = self
            .call
            .registers
            .response
            .filter(|&asked| asked != registers)
        else {
            return Ok(());
        };
        let note = format!(
            "deinterlace answers with {registers} registers for this state and frame, the descriptor says {asked}"
        );
        let diagnostic = Diagnostic::new(Code::U0926)
            .note(note)
            .see("PRM 4.11.2.4 and 2.6.11, \"Incorrect response length\"");
        Err(thread.trap(self.call.pc, u32::MAX, diagnostic))
    }

    /// A block of so many rows begins where a message can name it, and on its grid.
    fn place(&self, thread: &Thread<'_>, rows: u32, (x, y): (u32, u32)) -> Result<(), Box<Trap>> {
        let (columns, (last_x, last_y)) = (block::WIDTH as u32, block::LAST);
        let (why, note, see) = if x > last_x || y > last_y {
            let why = "lies beyond what the message addresses".to_string();
            let note = format!("X is 0 to {last_x}, Y is 0 to {last_y}");
            (why, note, "PRM 4.11.1.9; AVS reference 5.1")
        } else if !x.is_multiple_of(columns) || !y.is_multiple_of(rows) {
            let why = format!("is not on the grid of {columns} x {rows}");
            let note = "history is kept for 4x4 pixels, and blocks are 16 wide".to_string();
            (why, note, "AVS reference 5.1")
        } else {
            return Ok(());
        };
        let what = format!("a deinterlace block at ({x}, {y}) {why}");
        let diagnostic = Diagnostic::with_message(Code::U0881, what)
            .note(note)
            .see(see);
        Err(thread.trap(self.call.pc, u32::MAX, diagnostic))
    }

    /// Tells the observer of the texels that the message reads of a surface, by its index.
    fn tell<O: Observer>(
        &self,
        thread: &Thread<'_>,
        (index, surface): (u32, &Surface),
        reads: &BTreeSet<Read>,
        observer: &mut O,
    ) {
        let memory = Window::whole(surface.memory()).memory();
        let at = thread.at(self.call.pc);
        let mut before = None;
        for read in reads {
            let (x, y) = read.at;
            let (column, row) = read.asked;
            if (i64::from(column), i64::from(row)) != (i64::from(x), i64::from(y)) {
                let edge = Edge {
                    surface: index,
                    lane: None,
                    asked: [column.into(), row.into(), 0, 0],
                    instead: Instead::Texel(x, y),
                };
                observer.edge(at, &edge);
            }
            // The same texel may be asked for in several places outside.
            if before.replace(read.start) == Some(read.start) {
                continue;
            }
            let access = Access {
                space: SpaceName::Surface(index),
                kind: AccessKind::Read,
                lane: None,
                spot: Spot::Texel([x, y, 0, 0]),
                bytes: read.bytes,
                inside: read.bytes,
                misaligned: None,
                memory,
                start: read.start as u64,
                data: &[],
                past_end: None,
            };
            observer.access(at, &access);
        }
    }

    /// Says that the message goes beyond what its manual allows, if it does; it is served all the same.
    fn remark(&self, thread: &Thread<'_>, resources: &Resources, code: Code, why: Option<String>) {
        let Some(why) = why else { return };
        let site = thread.program.sites[self.call.pc as usize];
        let thread = thread.id;
        resources
            .remarks
            .add((thread.index, self.call.pc), code, || {
                let see = match code {
                    Code::W0882 => "PRM 4.11.1.4; AVS reference 1.5",
                    Code::W0891 => "PRM 4.7.5.1.1; AVS reference 5.9",
                    Code::W0890 => "PRM 4.10.3.2, programming notes; AVS reference 5.2",
                    _ => "PRM 4.11.1.4; AVS reference 6.1",
                };
                let remark = Diagnostic::new(code).note(format!("in {thread}")).see(see);
                match site.span == Span::default() {
                    true => remark.note(why),
                    false => remark.at(site.span, why),
                }
            });
    }

    /// A state of several elements counts as that many samplers: an index between two is not a state.
    fn whole_state(
        &self,
        thread: &Thread<'_>,
        message: &str,
        index: u32,
        elements: u32,
    ) -> Result<(), Box<Trap>> {
        if index.is_multiple_of(elements) {
            return Ok(());
        }
        let what =
            format!("sampler index {index} of a {message} message is not a multiple of {elements}");
        let diagnostic = Diagnostic::with_message(Code::U0880, what)
            .note(format!(
                "state {} would be index {}",
                index / elements,
                index / elements * elements
            ))
            .see("PRM 4.10.3; lowering reference 18.2");
        Err(thread.trap(self.call.pc, u32::MAX, diagnostic))
    }

    fn no_sampler(
        &self,
        thread: &Thread<'_>,
        resources: &Resources,
        number: u32,
        kind: &str,
    ) -> Box<Trap> {
        no_sampler(thread, resources, self.call, number, kind)
    }

    /// A 3D sampler state that `sample_unorm` does not take, as a trap.
    fn refuse_state(&self, thread: &Thread<'_>, number: u32, why: &str) -> Box<Trap> {
        let what = format!("the 3D sampler state at index {number} is none for sample_unorm");
        let diagnostic = Diagnostic::with_message(Code::E0604, what)
            .note(why)
            .see("PRM 4.11.1.4, programming notes of sample_unorm");
        thread.trap(self.call.pc, u32::MAX, diagnostic)
    }

    /// What the scaler refuses, as a trap.
    fn refuse_avs(&self, thread: &Thread<'_>, index: u32, error: &AvsError) -> Box<Trap> {
        let refused = Refused::error(error.to_string(), "AVS reference 3.3");
        refuse(thread, self.call, index, u32::MAX, refused)
    }

    /// What the deinterlacer refuses, as a trap.
    fn refuse_frame(&self, thread: &Thread<'_>, index: u32, error: &DeinterlaceError) -> Box<Trap> {
        let what = error.to_string();
        if matches!(error, DeinterlaceError::Partial) {
            let diagnostic = Diagnostic::with_message(Code::N0880, what).see("AVS reference 5.9");
            return thread.trap(self.call.pc, u32::MAX, diagnostic);
        }
        let refused = Refused::error(what, "AVS reference 5.1 and 5.3; PRM 4.10.2.2");
        let index = index.saturating_add(error.entry());
        refuse(thread, self.call, index, u32::MAX, refused)
    }
}

/// The state of `sample_unorm` in that of the 3D sampler, which the message shares, if it says nothing that the
/// message does not know; else the rule. Source: PRM 4.11.1.4, `sample_unorm`, programming notes.
fn unorm_state(texture: &SamplerState) -> Result<UnormSampler, String> {
    let address = |mode, axis| match mode {
        settings::Address::Wrap => Ok(unorm::Address::Wrap),
        settings::Address::Mirror => Ok(unorm::Address::Mirror),
        settings::Address::Clamp => Ok(unorm::Address::Clamp),
        other => Err(format!(
            "addresses wrap, mirror or clamp; {axis} is {other:?}"
        )),
    };
    let (min, mag, mip) = (texture.min, texture.mag, texture.mip);
    if mip != MipFilter::None {
        return Err(format!(
            "there is no filter between levels; this one is {mip:?}"
        ));
    }
    // Each filter is nearest or linear by itself. The message has no level of detail, so that nothing is minified: the
    // filter is that of magnification (a model choice). Source: PRM 4.2.1.5, 4.11.1.4, sample_unorm.
    let plain = |filter| matches!(filter, Filter::Nearest | Filter::Linear);
    if !plain(min) || !plain(mag) {
        return Err(format!(
            "the filters are Nearest or Linear; these are {min:?} (min) and {mag:?} (mag)"
        ));
    }
    let linear = mag == Filter::Linear;
    let [u, v, _] = texture.address;
    let state = UnormSampler {
        linear,
        address_u: address(u, "U")?,
        address_v: address(v, "V")?,
        ..UnormSampler::default()
    };
    Ok(match &texture.key {
        None => state,
        Some(key) => UnormSampler {
            chroma_key_enable: true,
            chroma_key_mode: match key.mode {
                settings::KeyMode::Kill => unorm::KeyMode::KillOnAnyMatch,
                settings::KeyMode::Black => unorm::KeyMode::ReplaceBlack,
            },
            chroma_key_low: key.low,
            chroma_key_high: key.high,
            ..state
        },
    })
}

/// Says that a message is not of the group whose number it has, if so; the number has no effect on the result.
pub(super) fn note_group(
    thread: &mut Thread<'_>,
    resources: &Resources,
    asked: &AvsRequest,
    pc: u32,
) {
    let sent = (*asked, pc);
    let Some((other, op)) = thread.rare.groups.insert(asked.group_id, sent) else {
        return;
    };
    let Some(name) = asked.differs_from(&other) else {
        return;
    };
    let [now, before] = [pc, op].map(|op| thread.at(op).site.span);
    let id = thread.id;
    resources.remarks.add((id.index, pc), Code::W0389, || {
        Diagnostic::new(Code::W0389)
            .at(now, format!("{name} is another one"))
            .and_at(
                before,
                format!("than in this message of group {}", asked.group_id),
            )
            .note(format!("in {id}"))
            .help("a group ID of its own for each group")
            .see("vISA AVS, groupID; AVS reference 1.1")
    });
}
