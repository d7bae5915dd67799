//! Packed states, field by field, with the rules they break.

use crate::diagnostic::{Code, nearest};
use crate::exec::Bindings;
use crate::exec::bindings::Sampler;
use crate::message::Request;
use crate::sampler::avs::packed::{fields as scaler, rules as scaler_rules};
use crate::sampler::deinterlace::packed as deinterlace;
use crate::sampler::state as sampler;
use crate::surface::state::{self as surface, StateField, Structure, binding, media, rules};
use crate::surface::{Description, Generation, Invalid, Kind, Surface, Tiling};
use serde_json::{Value, json};
use std::collections::BTreeMap;
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
    /// The same in the order that drivers write.
    BorderOfDriver,
    /// BINDING_TABLE_STATE.
    Binding,
    /// SAMPLER_STATE for the `sample_8x8` message, or SAMPLER_STATE_8x8_AVS.
    Sample8x8,
    /// SAMPLER_8x8_STATE: coefficients, adaptive scaling.
    Tables8x8,
    /// SAMPLER_STATE for the `deinterlace` message.
    Deinterlace,
    /// Commands that load palettes, chroma keys, the size of the monochrome filter.
    Command,
}

impl What {
    /// Every kind, by the word that names it.
    pub const ALL: [(What, &'static str); 10] = [
        (What::Surface, "surface"),
        (What::Media, "media"),
        (What::Sampler, "sampler"),
        (What::Border, "border"),
        (What::BorderOfDriver, "border-driver"),
        (What::Binding, "binding"),
        (What::Sample8x8, "sample-8x8"),
        (What::Tables8x8, "sampler-8x8"),
        (What::Deinterlace, "deinterlace"),
        (What::Command, "command"),
    ];

    /// The layout of a generation; `first` is the first dword, which tells commands apart.
    ///
    /// # Errors
    /// `N0752` for a generation whose layout is not known here, `E0748` for an unknown command.
    pub fn structure(
        self,
        generation: Generation,
        first: u32,
    ) -> Result<&'static Structure, Invalid> {
        match self {
            What::Surface => surface::structure(generation),
            What::Media => media::structure(generation),
            What::Sampler => Ok(sampler::structure(generation)),
            What::Border => Ok(sampler::border_structure(generation)),
            What::BorderOfDriver => Ok(match sampler::border_structure(generation) {
                prm if prm.dwords == sampler::BORDER_DRIVER.dwords => sampler::BORDER_DRIVER,
                own => own,
            }),
            What::Binding => Ok(binding::structure(generation)),
            What::Sample8x8 => scaler::structure(generation),
            What::Tables8x8 => scaler::tables(generation),
            What::Deinterlace => deinterlace::structure(generation),
            What::Command => Ok(sampler::commands::Command::of(first)?.0.structure()),
        }
    }

    /// Every rule that packed words break.
    ///
    /// # Errors
    /// As [`What::structure`].
    pub fn check(self, generation: Generation, words: &[u32]) -> Result<Vec<Invalid>, Invalid> {
        let first = words.first().copied().unwrap_or_default();
        let structure = self.structure(generation, first)?;
        Ok(match self {
            What::Surface => rules::check(generation, words),
            What::Media => media::check(generation, words),
            What::Sampler => sampler::rules::check(generation, words),
            What::Command => sampler::commands::check(generation, words),
            What::Sample8x8 => scaler_rules::check(generation, words)?,
            What::Tables8x8 => scaler_rules::check_tables(words, None),
            What::Deinterlace => deinterlace::check(generation, words),
            What::Border | What::BorderOfDriver | What::Binding => {
                structure.check(generation, words)
            }
        })
    }

    /// Dwords from one element of an array to the next; `None` for commands, which say so themselves.
    fn stride(self, structure: &Structure) -> usize {
        match self {
            // Each element is aligned to 32 or 64 bytes.
            What::Surface | What::Media => structure.dwords.next_multiple_of(8),
            What::Sample8x8 | What::Tables8x8 => structure.dwords.next_multiple_of(16),
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
    /// Its words; after those of a palette load its entries.
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
        let structure = what.structure(generation, rest[0])?;
        let length = match what {
            What::Command => sampler::commands::Command::of(rest[0])?.1,
            _ => what.stride(structure),
        };
        let own = &rest[..rest.len().min(length)];
        let broken = what.check(generation, own)?;
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

/// Sets a field of packed words: `Width=64`, `Min LOD=1.5`, `Table 0X Filter Coefficient[0,3]=1`.
///
/// # Errors
/// `E0749` if there is no such field, or its bits cannot stand for the value.
pub fn set(structure: &Structure, words: &mut [u32], ask: &str) -> Result<(), Invalid> {
    let wrong = |what: String| Invalid::new(Code::E0749, what);
    let (name, value) = ask.rsplit_once('=').ok_or_else(|| {
        wrong(format!("`{ask}` is not FIELD=VALUE")).fix(&[], "FIELD=VALUE, as `Width=64`")
    })?;
    let name = name.trim();
    let in_table = scaler::coefficients(structure)
        .find(|at| at.name().eq_ignore_ascii_case(name))
        .map(|at| at.field);
    let single = |f: &&StateField| {
        f.name.eq_ignore_ascii_case(name) && !scaler::COEFFICIENTS.contains(&f.name)
    };
    let field = in_table.or_else(|| structure.fields.iter().find(single));
    let field = field.ok_or_else(|| {
        let names = || structure.fields.iter().map(|f| f.name);
        let help = match nearest(name, names()) {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("fields: {}", names().collect::<Vec<_>>().join(", ")),
        };
        wrong(format!("{} has no field {name}", structure.name)).fix(&[], help)
    })?;
    field.set_raw(words, field.parsed(value)?);
    Ok(())
}

/// The packed states that a message reads: of its surface, and of its sampler. A state without a place for
/// what is bound is a sentence that says so.
pub fn states_of(request: &Request, bindings: &Bindings) -> (Vec<State>, Vec<Invalid>) {
    let (surface, sampler) = match request {
        Request::Sampler(asked) => (
            asked.surface,
            asked.op.uses_sampler().then_some(asked.sampler),
        ),
        Request::MediaRead(block) | Request::MediaWrite(block) => (block.surface, None),
        Request::Avs(asked) => (asked.surface, Some(asked.sampler)),
        Request::Scale8x8(asked) => (asked.surface, Some(asked.sampler)),
        Request::Unorm(asked) => (asked.surface, Some(asked.sampler)),
        Request::Deinterlace(asked) => (asked.surface, Some(asked.sampler)),
        _ => return Default::default(),
    };
    let Some(bound) = bindings.surfaces.get(&surface) else {
        return Default::default();
    };
    let description = bound.description();
    let generation = description.generation;
    let mut states = Vec::new();
    let packed = surface::pack(description).map(|words| (What::Surface, words));
    let packed = packed.or_else(|_| media::pack(description).map(|words| (What::Media, words)));
    if let Ok((what, words)) = packed {
        states.extend(decode(what, generation, &words).unwrap_or_default());
    }
    let mut refused = Vec::new();
    if let Some(state) = sampler.and_then(|index| bindings.samplers.get(&index)) {
        match of_sampler(state, generation) {
            Ok(packed) => states.extend(packed),
            Err(why) => refused.push(why),
        }
    }
    (states, refused)
}

/// The structures of a sampler state.
///
/// # Errors
/// `N0752` or `E0780`: the generation has no structure, or no place for what the state says.
pub fn of_sampler(state: &Sampler, generation: Generation) -> Result<Vec<State>, Invalid> {
    let mut states = Vec::new();
    let mut add = |what, words: &[u32]| -> Result<(), Invalid> {
        states.extend(decode(what, generation, words)?);
        Ok(())
    };
    match state {
        Sampler::Texture(state) => {
            // What the structure has no place for is reported where messages travel as bits.
            if let Ok(packed) = state.pack(generation) {
                add(What::Sampler, &packed.words)?;
                add(What::Border, &packed.border)?;
            }
        }
        Sampler::Avs(state) if scaler::tables(generation).is_ok() => {
            let packed = state.pack_gen5(0)?;
            add(What::Sample8x8, &packed.sampler)?;
            add(What::Tables8x8, &packed.tables)?;
        }
        Sampler::Avs(state) => add(What::Sample8x8, &state.pack(generation)?)?,
        Sampler::Deinterlace(state) => add(What::Deinterlace, &state.pack()?)?,
        Sampler::Unorm(_) => {}
    }
    Ok(states)
}

/// The structure of a surface of the media sampler.
///
/// # Errors
/// As [`media::pack`].
pub fn of_media(description: &Description) -> Result<Vec<State>, Invalid> {
    decode(
        What::Media,
        description.generation,
        &media::pack(description)?,
    )
}

/// `X tiles`, or `linear`.
fn tiles(tiling: Tiling) -> String {
    match tiling {
        Tiling::Linear => "linear".to_string(),
        tiled => format!("{tiled:?} tiles"),
    }
}

/// `2D, R8G8B8A8_UNORM, 64×32, pitch 256, X tiles, 7 levels: 12288 bytes`.
pub fn summary(d: Description) -> String {
    let mut text = format!("{}, {}, {}×{}", d.kind, d.format, d.width, d.height);
    match d.kind {
        Kind::Null => return "the null surface".to_string(),
        Kind::Buffer => text = format!("buffer of {} elements, {}", d.width, d.format),
        Kind::D3 => text += &format!("×{}", d.depth),
        Kind::Cube if d.array => text += &format!(", {} cubes", d.depth),
        _ if d.array => text += &format!(", {} slices", d.slices()),
        _ => {}
    }
    text += &format!(", pitch {}, {}", d.pitch, tiles(d.tiling));
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
        let names: BTreeMap<_, _> = scaler::coefficients(self.structure)
            .map(|at| ((at.field.dw, at.field.lo), at.name()))
            .collect();
        let field = |f: &StateField| {
            let name = names.get(&(f.dw, f.lo)).map_or(f.name, String::as_str);
            json!({
                "name": name, "dword": f.dw, "low": f.lo, "high": f.hi,
                "stored": f.raw(&self.words), "value": f.spelled(&self.words),
            })
        };
        let broken = |b: &Invalid| {
            json!({
                "code": b.code.info().name, "what": b.what, "help": b.help, "see": b.see,
            })
        };
        json!({
            "structure": self.structure.name,
            "source": self.structure.source,
            "generation": self.generation.to_string(),
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
            "{name} of {generation}, dword {}  ({})",
            self.first, self.structure.source
        )?;
        let mut dw = usize::MAX;
        let in_tables = |field: &&StateField| scaler::COEFFICIENTS.contains(&field.name);
        for field in self.fields().filter(|field| !in_tables(field)) {
            if field.dw != dw {
                dw = field.dw;
                let word = self.words.get(dw).copied().unwrap_or_default();
                writeln!(f, "  {dw:>2}  {word:08x}")?;
            }
            writeln!(f, "      {}", field.line(&self.words, 40))?;
        }
        // Coefficients are tables: a row for each phase.
        let (mut phase, mut table) = (usize::MAX, usize::MAX);
        for at in scaler::coefficients(self.structure) {
            if at.phase != phase {
                (phase, table) = (at.phase, usize::MAX);
                write!(
                    f,
                    "{}  phase {phase:>2}",
                    if phase == 0 { "" } else { "\n" }
                )?;
            }
            if at.table != table {
                table = at.table;
                write!(f, "  {}", ["0X", "0Y", "1X", "1Y"][table])?;
            }
            write!(f, " {:>4}", at.value(&self.words))?;
        }
        if phase != usize::MAX {
            writeln!(f)?;
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
