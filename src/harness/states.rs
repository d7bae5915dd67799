//! Packed states in directives, and what is beside them: surfaces and samplers from the words of a
//! dump, memory as it lies, palettes, control words of samples.
//!
//! ```text
//!   SURFACE T6: state 231c003f 12345000 … memory=rock.bin         SURFACE_STATE over a memory dump
//!   SURFACE T6: media-state words.txt memory=rock.bin at=0x8000   the media sampler's; the dump's address
//!   SAMPLER S1: avs state words.txt tables=tables.txt gen=5       the scaler's; Gen5 has its tables elsewhere
//!   SAMPLER S2: deinterlace state words.txt gen=5                 the deinterlacer's
//!   SAMPLER S0: state 00124000 0d00d000 00000000 00780000 border=3f800000/0/0/3f800000 commands=key.txt
//! ```
//!
//! Words are dwords in hexadecimal, with blanks or `/` between them, or a file of them: a text as
//! [`dump`] reads it, or the dwords themselves if its name ends in `.bin`. Which generation's structures
//! they are follows from the platform, or from `gen=`.

use super::bind::{Layer, Wrong, wrong};
use super::contents;
use super::directive::{SamplerBinding, StateWords, SurfaceBinding};
use super::dump;
use super::load::{self, FileError};
use super::shape;
use super::words;
use crate::diagnostic::{Code, Diagnostic};
use crate::sampler::SamplerState;
use crate::sampler::avs::AvsSampler;
use crate::sampler::avs::packed::{self, Gen5State};
use crate::sampler::deinterlace::{self, state::DeinterlaceState};
use crate::sampler::packed::Beside;
use crate::sampler::settings::Address;
use crate::sampler::state::{self as sampler_state, commands::Loaded};
use crate::source::{Span, Spanned};
use crate::surface::file::CHECK_NAME;
use crate::surface::state::{self as surface_state, media};
use crate::surface::{Description, Generation, Invalid, MAX_BYTES, Memory, Surface};
use indexmap::IndexMap;
use std::sync::Arc;

/// A surface or state from words, and what its words deserve to be said of.
type Made<T> = Result<(T, Vec<Diagnostic>), Wrong>;

/// The largest file of words.
const MAX_FILE: u64 = 1 << 20;

/// The bytes of a file that a word names.
fn bytes(layer: &Layer, path: &Spanned<String>, most: u64) -> Result<Vec<u8>, Wrong> {
    let full = layer.folder.join(path.node.trim_matches('"'));
    load::bytes_from(&*layer.files, &full, most).map_err(|error| {
        let code = match error {
            FileError::TooLong { .. } => Code::L0713,
            _ => Code::E0702,
        };
        let unusable = Diagnostic::new(code).at(path.span, error.to_string());
        Box::new(match error {
            FileError::TooLong { .. } => unusable.help("a smaller file"),
            _ => unusable.help(CHECK_NAME),
        })
    })
}

/// The dwords that a word gives: its own, or those of the file it names.
fn dwords(layer: &Layer, word: &Spanned<String>) -> Result<Vec<u32>, Wrong> {
    let text = word.node.trim_matches('"');
    let is_file = text.contains('.');
    if is_file && text.ends_with(".bin") {
        let bytes = bytes(layer, word, MAX_FILE)?;
        if !bytes.len().is_multiple_of(4) {
            let what = format!(
                "the file has {} bytes, no whole number of dwords",
                bytes.len()
            );
            return Err(Box::new(Diagnostic::new(Code::E0702).at(word.span, what)));
        }
        let dwords = bytes.as_chunks::<4>().0.iter();
        return Ok(dwords.map(|dword| u32::from_le_bytes(*dword)).collect());
    }
    if is_file {
        let bytes = bytes(layer, word, MAX_FILE)?;
        let text = String::from_utf8_lossy(&bytes);
        let found = dump::dwords(&text);
        let unusable = |why| Box::new(Diagnostic::new(Code::E0702).at(word.span, why));
        return Ok(found.map_err(unusable)?.iter().map(|d| d.value).collect());
    }
    text.split('/')
        .map(|digits| {
            let digits = digits.strip_prefix("0x").unwrap_or(digits);
            let value = u32::from_str_radix(digits, 16);
            value.map_err(|_| wrong(word.span, "expected a dword in hexadecimal, or a file"))
        })
        .collect()
}

/// All words of a state, and where they are.
fn all(layer: &Layer, words: &[Spanned<String>], ask: Span) -> Result<(Vec<u32>, Span), Wrong> {
    let mut values = Vec::new();
    for word in words {
        values.extend(dwords(layer, word)?);
    }
    match words {
        [first, .., last] => Ok((values, first.span.to(last.span))),
        [one] => Ok((values, one.span)),
        [] => Err(wrong(ask, "the words of the state are missing")),
    }
}

/// The rules that words break: remarks, or the first of the others.
fn judged(broken: Vec<Invalid>, at: Span) -> Result<Vec<Diagnostic>, Wrong> {
    let (remarks, faults): (Vec<_>, Vec<_>) = broken.into_iter().partition(Invalid::is_remark);
    match faults.first() {
        Some(fault) => Err(Box::new(fault.at(at))),
        None => Ok(remarks.iter().map(|remark| remark.at(at)).collect()),
    }
}

fn unknown_key(key: &Spanned<String>, keys: &[&str]) -> Wrong {
    let unknown = wrong(
        key.span,
        "a packed state has no such key; its words define the rest",
    );
    Box::new(unknown.help(words::key_help(&key.node, keys)))
}

/// The surface that packed words describe, over the memory that the directive names or over zeros.
///
/// # Errors
/// The rule that the words break, at them; `E0702` for files, `E0705` for keys.
pub fn surface(
    layer: &Layer,
    ask: &SurfaceBinding,
    state: &StateWords,
    generation: Generation,
) -> Made<Surface> {
    let (values, at) = all(layer, &state.words, ask.span)?;
    let (mut generation, mut memory, mut start) = (generation, None, None);
    let (mut swizzle, mut colours) = (false, None);
    for (key, value) in &ask.keys {
        match key.node.as_str() {
            "gen" => generation = shape::generation(value)?,
            "memory" => memory = Some(bytes(layer, value, MAX_BYTES)?),
            "at" => start = Some(address(value)?),
            "swizzle" => swizzle = shape::switch(value)?,
            "palette" => colours = Some(palette(layer, value, generation)?),
            _ => {
                return Err(unknown_key(
                    key,
                    &["gen", "memory", "at", "swizzle", "palette"],
                ));
            }
        }
    }
    let broken = match state.media {
        true => media::check(generation, &values),
        false => surface_state::rules::check(generation, &values),
    };
    let remarks = judged(broken, at)?;
    let invalid = |why: Invalid| Box::new(why.at(at));
    let (said, control) = match state.media {
        true => (media::describe(generation, &values).map_err(invalid)?, None),
        false => (
            surface_state::describe(generation, &values).map_err(invalid)?,
            surface_state::control_words(generation, &values).map_err(invalid)?,
        ),
    };
    // Without an address of its own the memory begins where the surface does.
    let start = start.unwrap_or(said.base);
    let place = |d: Description| match d.base.checked_sub(start) {
        Some(base) => Ok(Description { base, ..d }),
        None => {
            let what = format!(
                "the memory begins at {start:#x}, past the address {:#x} in the state",
                d.base
            );
            Err(wrong(at, what))
        }
    };
    let said = Description {
        bit6_swizzle: swizzle,
        palette: colours.or(said.palette.clone()),
        ..place(said)?
    };
    let control = control.map(place).transpose()?;
    let memory = match memory {
        Some(bytes) => Memory::copy_of(&bytes),
        None => {
            let ends = [Some(&said), control.as_ref()].into_iter().flatten();
            let ends = ends.map(|d| Surface::check(d.clone()));
            let end = ends.collect::<Result<Vec<_>, _>>().map_err(invalid)?;
            Memory::allot(end.into_iter().max().unwrap_or(0) as usize)
        }
    };
    let memory = Arc::new(memory.map_err(|short| invalid(short.into()))?);
    let made = |d: Description| Surface::new(d, Arc::clone(&memory)).map_err(invalid);
    let mcs = control.map(made).transpose()?.map(Arc::new);
    let surface = made(Description { mcs, ..said })?;
    Ok((surface, remarks))
}

/// A surface over the bytes of a file, which hold its memory as it lies.
///
/// # Errors
/// `E0702` for the file; the rule that the description breaks.
pub fn memory(
    layer: &Layer,
    ask: &SurfaceBinding,
    path: &Spanned<String>,
    description: Description,
) -> Result<Surface, Wrong> {
    let memory = Memory::from_bytes(&bytes(layer, path, MAX_BYTES)?);
    Surface::new(description, Arc::new(memory)).map_err(|why| contents::broken(ask, &why))
}

/// An address, decimal or hexadecimal.
fn address(value: &Spanned<String>) -> Result<u64, Wrong> {
    let parsed = match value.node.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => value.node.parse(),
    };
    parsed.map_err(|_| wrong(value.span, "expected an address such as 0x12345000"))
}

/// A palette: up to 256 entries A, R, G, B from the high byte down, or the commands that load one (of
/// palette 0 and palette 1 the one loaded last). Source: surface reference 2.3, 5.7.
///
/// # Errors
/// `E0705` for what is not a palette, `E0702` for files.
pub fn palette(
    layer: &Layer,
    word: &Spanned<String>,
    generation: Generation,
) -> Result<Arc<[u32; 256]>, Wrong> {
    let values = dwords(layer, word)?;
    let mut rest = &values[..];
    let mut loaded = Loaded::default();
    let is_load = |first: u32| {
        use sampler_state::commands::Command;
        matches!(Command::of(first), Ok((Command::Palette(_), length)) if length <= values.len())
    };
    let mut last = None;
    while let Some(first) = rest.first().copied().filter(|first| is_load(*first)) {
        let length = loaded.run(generation, rest);
        let length = length.map_err(|why| Box::new(why.at(word.span)))?;
        last = Some(usize::from(first >> 16 & 0xff == 0x0c));
        rest = &rest[length..];
    }
    if let (Some(number), true) = (last, rest.is_empty()) {
        return Ok(Arc::clone(&loaded.palettes[number]));
    }
    if values.is_empty() || values.len() > 256 {
        let what = format!("{} entries; a palette has 1 to 256", values.len());
        return Err(wrong(word.span, what));
    }
    let mut entries = [0; 256];
    entries[..values.len()].copy_from_slice(&values);
    Ok(Arc::new(entries))
}

/// The control words of a multisampled surface, from a formula or from a file of plain rows.
///
/// # Errors
/// `E0705` if the surface has no place for them; as those of formulas and files.
pub fn control_words(
    layer: &Layer,
    word: &Spanned<String>,
    of: &Description,
) -> Result<Arc<Surface>, Wrong> {
    let Some(description) = of.control_words() else {
        let what = "control words are for surfaces of 2, 4, 8 or 16 samples in array storage";
        return Err(wrong(word.span, what));
    };
    let text = word.node.trim_matches('"');
    if !text.contains('=') {
        let path = Spanned::new(text.to_string(), word.span);
        return contents::plain(layer, None, &path, description, 0).map(Arc::new);
    }
    let surface = Surface::zeroed(description).map_err(|why| Box::new(why.at(word.span)))?;
    let quote = u32::from(word.node.starts_with('"'));
    let at = Span::new(word.span.start + quote, word.span.end - quote);
    contents::fill(&surface, &Spanned::new(text.to_string(), at))?;
    Ok(Arc::new(surface))
}

/// The words of a sampler state, and the keys after them.
struct SamplerWords {
    values: Vec<u32>,
    at: Span,
    generation: Generation,
    /// Values of the keys that are there, `gen` aside.
    keys: IndexMap<String, Spanned<String>>,
}

impl SamplerWords {
    /// Reads `words`, of which those without `=` come first; `known` are the keys beside `gen`.
    fn read(
        layer: &Layer,
        words: &[Spanned<String>],
        ask: Span,
        (mut generation, known): (Generation, &[&str]),
    ) -> Result<SamplerWords, Wrong> {
        let plain = words.iter().take_while(|w| !w.contains('=')).count();
        let (own, rest) = words.split_at(plain);
        let (values, at) = all(layer, own, ask)?;
        let mut keys = IndexMap::new();
        for word in rest {
            let Some((key, value)) = words::clause(word.as_word()) else {
                return Err(wrong(word.span, "the words of the state come first"));
            };
            let (key, value) = (key.map(str::to_string), value.map(str::to_string));
            if key.node == "gen" {
                generation = shape::generation(&value)?;
            } else if known.contains(&key.node.as_str()) {
                keys.insert(key.node, value);
            } else {
                return Err(unknown_key(&key, &[known, &["gen"]].concat()));
            }
        }
        Ok(SamplerWords {
            values,
            at,
            generation,
            keys,
        })
    }
}

/// What the commands of a key `commands=` load beside sampler states.
fn loaded(layer: &Layer, word: &Spanned<String>, generation: Generation) -> Result<Loaded, Wrong> {
    use sampler_state::commands::Command;
    let mut loaded = Loaded::default();
    let values = dwords(layer, word)?;
    let mut rest = &values[..];
    while !rest.is_empty() {
        if let Ok((Command::Palette(_), _)) = Command::of(rest[0]) {
            let loads = wrong(
                word.span,
                "a palette is the surface's, and no sampler has one",
            );
            let help = "SURFACE T6: … P8_UNORM … palette=FILE takes these commands";
            return Err(Box::new(loads.help(help)));
        }
        let length = loaded.run(generation, rest);
        rest = &rest[length.map_err(|why| Box::new(why.at(word.span)))?..];
    }
    Ok(loaded)
}

/// The state of the scaler that packed words say, after `avs state`: SAMPLER_STATE for sample_8x8 and, of Gen5, the
/// SAMPLER_8x8_STATE that it points to; what commands load beside it.
///
/// # Errors
/// As [`sampler`].
pub fn scaler(layer: &Layer, ask: &SamplerBinding, generation: Generation) -> Made<AvsSampler> {
    let words = ask.words.get(2..).unwrap_or_default();
    let read = SamplerWords::read(
        layer,
        words,
        ask.span,
        (generation, &["tables", "commands"]),
    )?;
    let (generation, at) = (read.generation, read.at);
    let invalid = |at: Span| move |why: Invalid| Box::new(why.at(at));
    let mut remarks = judged(
        packed::rules::check(generation, &read.values).map_err(invalid(at))?,
        at,
    )?;
    let mut state = match (packed::fields::tables(generation), read.keys.get("tables")) {
        (Ok(_), None) => {
            let missing = wrong(at, "the state points to its tables, which are not here");
            let help = "tables=FILE: the dwords of SAMPLER_8x8_STATE";
            return Err(Box::new(missing.help(help).see("PRM 4.10.4")));
        }
        (Ok(_), Some(word)) => {
            let tables = dwords(layer, word)?;
            let broken = packed::rules::check_tables(&tables, None);
            remarks.extend(judged(broken, word.span)?);
            let sampler = read.values;
            AvsSampler::unpack_gen5(&Gen5State { sampler, tables })
        }
        (Err(_), Some(word)) => {
            let inside = wrong(
                word.span,
                "the tables of this generation are in the state itself",
            );
            return Err(Box::new(inside.help("no tables=")));
        }
        (Err(_), None) => AvsSampler::unpack(generation, &read.values),
    }
    .map_err(invalid(at))?;
    if let Some(word) = read.keys.get("commands") {
        let keys = loaded(layer, word, generation)?.keys;
        (state.chroma_key_low, state.chroma_key_high) =
            keys[usize::from(state.chroma_key_index) & 3];
    }
    Ok((state, remarks))
}

/// The state of the deinterlacer that packed words say, after `deinterlace state`.
///
/// # Errors
/// As [`sampler`].
pub fn deinterlacer(
    layer: &Layer,
    ask: &SamplerBinding,
    generation: Generation,
) -> Made<DeinterlaceState> {
    let words = ask.words.get(2..).unwrap_or_default();
    let read = SamplerWords::read(layer, words, ask.span, (generation, &[]))?;
    let invalid = |why: Invalid| Box::new(why.at(read.at));
    deinterlace::packed::structure(read.generation).map_err(invalid)?;
    let broken = deinterlace::packed::check(read.generation, &read.values);
    let remarks = judged(broken, read.at)?;
    let state = DeinterlaceState::unpack(&read.values).map_err(invalid)?;
    Ok((state, remarks))
}

/// The sampler state that packed words say: SAMPLER_STATE, with its border colour and what commands load
/// beside it.
///
/// # Errors
/// The rule that the words break, at them; `E0702` for files, `E0705` for keys.
pub fn sampler(layer: &Layer, ask: &SamplerBinding, generation: Generation) -> Made<SamplerState> {
    let words = ask.words.get(1..).unwrap_or_default();
    let known = ["border", "border_order", "commands"];
    let read = SamplerWords::read(layer, words, ask.span, (generation, &known))?;
    let SamplerWords {
        values,
        at,
        generation,
        keys,
    } = read;
    let [border, order, commands] = known.map(|key| keys.get(key));
    let mut remarks = judged(sampler_state::rules::check(generation, &values), at)?;
    let mut colour = Vec::new();
    let mut in_doubt = None;
    if let Some(word) = border {
        colour = dwords(layer, word)?;
        let structure = sampler_state::border_structure(generation);
        let packed = structure.dwords == sampler_state::BORDER_DRIVER.dwords;
        let differ = packed && sampler_state::border_orders_differ(&colour);
        match order.map(|order| order.node.as_str()) {
            Some("driver") if packed => colour = sampler_state::border_of_driver(&colour),
            Some("prm" | "driver") => {}
            Some(other) => {
                let span = order.map_or(word.span, |order| order.span);
                let unknown = wrong(span, format!("`{other}` is no order of dwords"));
                return Err(Box::new(
                    unknown.help("border_order=prm, or border_order=driver"),
                ));
            }
            None => in_doubt = differ.then_some(word.span),
        }
        remarks.extend(judged(structure.check(generation, &colour), word.span)?);
    }
    let loaded = match commands {
        Some(word) => loaded(layer, word, generation)?,
        None => Loaded::default(),
    };
    let beside = Beside {
        border: &colour,
        keys: loaded.keys,
        mono: loaded.mono,
    };
    // The rules have looked at the length.
    let words = std::array::from_fn(|i| values.get(i).copied().unwrap_or(0));
    match SamplerState::unpack(generation, words, &beside) {
        Ok(state) => {
            let shown = state.address.contains(&Address::Border);
            remarks.extend(in_doubt.filter(|_| shown).map(|span| {
                Diagnostic::new(Code::W0760)
                    .at(span, "read in the order of the PRM")
                    .help("border_order=driver reads what a driver has packed, border_order=prm says so aloud")
                    .see("surface reference 4.9 and 5.6")
            }));
            Ok((state, remarks))
        }
        Err(why) => Err(Box::new(Diagnostic::new(Code::E0756).at(at, why))),
    }
}
