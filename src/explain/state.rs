//! Packed states, field by field, with the rules they break.

use crate::exec::Bindings;
use crate::exec::bindings::Sampler;
use crate::message::Request;
use crate::sampler::state as sampler;
use crate::surface::state::{self as surface, StateField, Structure, binding, media, rules};
use crate::surface::{Description, Generation, Invalid, Kind, Surface};
use serde_json::{Value, json};
use std::fmt;

/// What a dump holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// SURFACE_STATE.
    Surface,
    /// The surface state of the media sampler's messages.
    Media,
    /// SAMPLER_STATE.
    Sampler,
    /// SAMPLER_BORDER_COLOR_STATE.
    Border,
    /// BINDING_TABLE_STATE.
    Binding,
    /// Commands that load palettes, chroma keys, the size of the monochrome filter.
    Command,
}

impl What {
    /// Every kind, by the word that names it.
    pub const ALL: [(What, &'static str); 6] = [
        (What::Surface, "surface"),
        (What::Media, "media"),
        (What::Sampler, "sampler"),
        (What::Border, "border"),
        (What::Binding, "binding"),
        (What::Command, "command"),
    ];

    /// Dwords from one element of an array to the next; `None` for commands, which say so themselves.
    fn stride(self, structure: &Structure) -> usize {
        match self {
            // Each element is aligned to 32 or 64 bytes.
            What::Surface | What::Media => structure.dwords.next_multiple_of(8),
            _ => structure.dwords,
        }
    }
}

/// One structure of a dump.
#[derive(Clone, Debug)]
pub struct State {
    /// Its layout.
    pub structure: &'static Structure,
    /// Whose.
    pub generation: Generation,
    /// Its words; behind those of a palette load its entries.
    pub words: Vec<u32>,
    /// First dword of it in the dump.
    pub first: usize,
    /// What it amounts to, in a sentence.
    pub summary: Option<String>,
    /// The rules it breaks.
    pub broken: Vec<Invalid>,
}

/// The structures of a dump, one after another.
///
/// # Errors
/// [`Invalid`] for a generation whose layout is not known here, or a command that is not the sampler's.
pub fn decode(what: What, generation: Generation, words: &[u32]) -> Result<Vec<State>, Invalid> {
    let mut states = Vec::new();
    let mut first = 0;
    while first < words.len() {
        let rest = &words[first..];
        let (structure, length) = match what {
            What::Surface => with_stride(what, surface::structure(generation)?),
            What::Media => with_stride(what, media::structure(generation)?),
            What::Sampler => with_stride(what, sampler::structure(generation)),
            What::Border => with_stride(what, sampler::border_structure(generation)),
            What::Binding => with_stride(what, binding::structure(generation)),
            What::Command => {
                let (command, length) = sampler::commands::Command::of(rest[0])?;
                (command.structure(), length)
            }
        };
        let own = &rest[..rest.len().min(length)];
        let broken = match what {
            What::Surface => rules::check(generation, own),
            What::Media => media::check(generation, own),
            What::Sampler => sampler::rules::check(generation, own),
            What::Command => sampler::commands::check(generation, own),
            What::Border | What::Binding => structure.check(generation, own),
        };
        let summary = match what {
            What::Surface => surface::describe(generation, own).ok().map(summary),
            What::Media => media::describe(generation, own).ok().map(summary),
            _ => None,
        };
        states.push(State {
            structure,
            generation,
            words: own.to_vec(),
            first,
            summary,
            broken,
        });
        first += own.len();
    }
    Ok(states)
}

/// The packed states that a message reads: of its surface, and of its sampler.
pub fn behind(request: &Request, bindings: &Bindings) -> Vec<State> {
    let (surface, sampler) = match request {
        Request::Sampler(asked) => (
            asked.surface,
            asked.op.uses_sampler().then_some(asked.sampler),
        ),
        Request::MediaRead(block) | Request::MediaWrite(block) => (block.surface, None),
        Request::Avs(asked) => (asked.surface, None),
        Request::Unorm(asked) => (asked.surface, None),
        _ => return Vec::new(),
    };
    let Some(bound) = bindings.surfaces.get(&surface) else {
        return Vec::new();
    };
    let description = bound.description();
    let generation = description.generation;
    let mut states = Vec::new();
    let packed = surface::pack(description).map(|words| (What::Surface, words));
    let packed = packed.or_else(|_| media::pack(description).map(|words| (What::Media, words)));
    if let Ok((what, words)) = packed {
        states.extend(decode(what, generation, &words).unwrap_or_default());
    }
    let state = sampler.and_then(|index| bindings.samplers.get(&index));
    if let Some(Sampler::Texture(state)) = state
        && let Ok(packed) = state.pack(generation)
    {
        states.extend(decode(What::Sampler, generation, &packed.words).unwrap_or_default());
        states.extend(decode(What::Border, generation, &packed.border).unwrap_or_default());
    }
    states
}

fn with_stride(what: What, structure: &'static Structure) -> (&'static Structure, usize) {
    (structure, what.stride(structure))
}

/// `2D, R8G8B8A8_UNORM, 64×32, pitch 256, X tiles, 7 levels: 12288 bytes`.
pub fn summary(d: Description) -> String {
    let mut text = format!("{:?}, {}, {}×{}", d.kind, d.format, d.width, d.height);
    match d.kind {
        Kind::Null => return "the null surface".to_string(),
        Kind::Buffer => text = format!("buffer of {} elements, {}", d.width, d.format),
        Kind::D3 => text += &format!("×{}", d.depth),
        _ if d.array => text += &format!(", {} slices", d.slices()),
        _ => {}
    }
    text += &format!(", pitch {}, {:?}", d.pitch, d.tiling);
    if d.levels > 1 || d.min_lod > 0 {
        text += &format!(", {} levels from {} on", d.levels, d.min_lod);
    }
    if d.samples > 1 {
        text += &format!(", {} samples", d.samples);
    }
    let base = d.base;
    match Surface::check(Description { base: 0, ..d }) {
        Ok(bytes) => text + &format!(": {bytes} bytes from {base:#x} on"),
        Err(why) => text + &format!(": {why}"),
    }
}

impl State {
    /// The fields that have their place in these words.
    fn fields(&self) -> impl Iterator<Item = &'static StateField> {
        self.structure.present(self.generation, &self.words)
    }

    /// The same as fields.
    pub fn json(&self) -> Value {
        let field = |f: &StateField| {
            json!({
                "name": f.name, "dword": f.dw, "low": f.bits.1, "high": f.bits.0,
                "stored": f.raw(&self.words), "value": f.spelled(&self.words),
            })
        };
        let broken = |b: &Invalid| json!({ "code": b.code.info().name, "what": b.what });
        json!({
            "structure": self.structure.name,
            "source": self.structure.source,
            "generation": format!("{:?}", self.generation),
            "first_dword": self.first,
            "words": self.words.iter().map(|w| format!("{w:#010x}")).collect::<Vec<_>>(),
            "fields": self.fields().map(field).collect::<Vec<_>>(),
            "summary": self.summary,
            "broken": self.broken.iter().map(broken).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, generation) = (self.structure.name, self.generation);
        writeln!(
            f,
            "{name} of {generation:?}, dword {}  ({})",
            self.first, self.structure.source
        )?;
        let mut dw = u32::MAX;
        for field in self.fields() {
            if field.dw != dw {
                dw = field.dw;
                let word = self.words.get(dw as usize).copied().unwrap_or_default();
                writeln!(f, "  {dw:>2}  {word:08x}")?;
            }
            let bits = match field.bits {
                (high, low) if high == low => format!("{low}"),
                (high, low) => format!("{high}:{low}"),
            };
            let (stored, value) = (field.raw(&self.words), field.spelled(&self.words));
            let value = match value == stored.to_string() {
                true => String::new(),
                false => value,
            };
            let line = format!("      {bits:>5}  {:<40} {stored:<8} {value}", field.name);
            writeln!(f, "{}", line.trim_end())?;
        }
        let entries = self.words.iter().enumerate().skip(self.structure.dwords);
        for (n, word) in entries.filter(|(_, w)| **w != 0 || self.structure.dwords == 1) {
            writeln!(f, "  {n:>2}  {word:08x}")?;
        }
        if let Some(summary) = &self.summary {
            writeln!(f, "  = {summary}")?;
        }
        Ok(())
    }
}
