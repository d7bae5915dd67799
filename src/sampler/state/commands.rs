//! The commands that load what sampler states share: palettes, chroma keys, the monochrome filter's size.
//!
//! ```text
//!   bit   31:29  28:27  26:24   23:16        15:8   7:0
//!         type   sub-   opcode  sub-opcode   zero   length - 2
//!          3      3       1     02h palette 0, 0Ch palette 1, 04h chroma key, 11h mono filter
//! ```
//!
//! Source: surface reference 5.7; PRM 4.10.6 to 4.10.9.

use super::tables::{CHROMA_KEY, MONO_FILTER, PALETTE_LOAD};
use crate::diagnostic::Code;
use crate::surface::state::Structure;
use crate::surface::{Generation, Invalid};
use std::sync::Arc;

/// What the commands have loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// Palette 0 and palette 1: entries A\[31:24\] R\[23:16\] G\[15:8\] B\[7:0\].
    pub palettes: [Arc<[u32; 256]>; 2],
    /// Low and high value of each entry of the chroma key table, channels as in a palette.
    pub keys: [(u32, u32); 4],
    /// Width and height of the monochrome filter, if a command gave them; else SAMPLER_STATE has them.
    pub mono: Option<(u32, u32)>,
}

/// All zero, as after reset (a model choice of surface reference 5.7).
impl Default for Loaded {
    fn default() -> Loaded {
        let empty = Arc::new([0; 256]);
        Loaded {
            palettes: [empty.clone(), empty],
            keys: [(0, 0); 4],
            mono: None,
        }
    }
}

/// A command of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// 3DSTATE_SAMPLER_PALETTE_LOAD0 or LOAD1.
    Palette(usize),
    /// 3DSTATE_CHROMA_KEY.
    ChromaKey,
    /// 3DSTATE_MONOFILTER_SIZE.
    MonoFilter,
}

impl Command {
    const ALL: [(Command, u32); 4] = [
        (Command::Palette(0), 0x02),
        (Command::Palette(1), 0x0c),
        (Command::ChromaKey, 0x04),
        (Command::MonoFilter, 0x11),
    ];

    /// The command that starts with this dword, and its length in dwords.
    ///
    /// # Errors
    /// `E0748` if it is none of the four.
    pub fn of(first: u32) -> Result<(Command, usize), Invalid> {
        let row = Command::ALL
            .iter()
            .find(|(_, sub)| first & 0xffff_0000 == 0x7900_0000 | sub << 16);
        let Some((command, _)) = row else {
            let what = format!("{first:#010x} begins no command that the sampler reads");
            return Err(Invalid::new(Code::E0748, what));
        };
        Ok((*command, (first & 0xff) as usize + 2))
    }

    /// Its layout.
    pub const fn structure(self) -> &'static Structure {
        match self {
            Command::Palette(_) => PALETTE_LOAD,
            Command::ChromaKey => CHROMA_KEY,
            Command::MonoFilter => MONO_FILTER,
        }
    }

    /// Its first dword, for a command of `length` dwords.
    fn first(self, length: usize) -> u32 {
        let sub = Command::ALL.iter().find(|c| c.0 == self).map_or(0, |c| c.1);
        0x7900_0000 | sub << 16 | (length as u32).saturating_sub(2)
    }
}

/// Loads the first entries of a palette.
///
/// # Errors
/// `E0749` unless there are 1 to 256 entries and the palette is 0 or 1.
pub fn palette_load(palette: usize, entries: &[u32]) -> Result<Vec<u32>, Invalid> {
    if palette > 1 || entries.is_empty() || entries.len() > 256 {
        let what = format!("{} entries of palette {palette}", entries.len());
        return Err(Invalid::new(Code::E0749, what));
    }
    let mut words = vec![Command::Palette(palette).first(entries.len() + 1)];
    words.extend(entries);
    Ok(words)
}

/// Loads an entry of the chroma key table.
///
/// # Errors
/// `E0749` if there is no such entry.
pub fn chroma_key(index: u32, low: u32, high: u32) -> Result<[u32; 4], Invalid> {
    if index > 3 {
        let what = format!("chroma key {index}; 0 to 3 are there");
        return Err(Invalid::new(Code::E0749, what));
    }
    Ok([Command::ChromaKey.first(4), index << 30, low, high])
}

/// Sets the size of the monochrome filter.
///
/// # Errors
/// `E0749` unless width and height are 1 to 7.
pub fn mono_filter(width: u32, height: u32) -> Result<[u32; 2], Invalid> {
    let words = [Command::MonoFilter.first(2), width << 3 | height];
    match (1..=7).contains(&width) && (1..=7).contains(&height) {
        true => Ok(words),
        false => Err(mono_size(width, height)),
    }
}

fn mono_size(width: u32, height: u32) -> Invalid {
    let what = format!("a monochrome filter of {width}×{height}; 1 to 7 are allowed");
    Invalid::new(Code::E0749, what)
}

/// Every rule that the command at the start of `words` breaks.
pub fn check(generation: Generation, words: &[u32]) -> Vec<Invalid> {
    let (command, length) = match words.first().map(|first| Command::of(*first)) {
        Some(Ok(found)) => found,
        Some(Err(why)) => return vec![why],
        None => return vec![Invalid::new(Code::E0750, "a command has a first dword")],
    };
    let structure = command.structure();
    let short = |wanted: &str| {
        let what = format!("{} of {length} dwords; {wanted}", structure.name);
        vec![Invalid::new(Code::E0750, what)]
    };
    if words.len() < length {
        return short(&format!("{} are there", words.len()));
    }
    let entries = match (command, generation.short_palette) {
        // Broadwater and Crestline have one palette of 16 entries.
        (Command::Palette(_), true) => 17,
        _ => 257,
    };
    let fits = match command {
        Command::Palette(_) => (2..=entries).contains(&length),
        _ => length == structure.dwords,
    };
    if !fits {
        return short("its length is another");
    }
    let mut broken = structure.check(generation, &words[..structure.dwords]);
    if command == Command::MonoFilter {
        let (width, height) = (words[1] >> 3 & 7, words[1] & 7);
        if width == 0 || height == 0 {
            broken.push(mono_size(width, height));
        }
    }
    broken
}

impl Loaded {
    /// Carries out the command at the start of `words`; its length in dwords.
    ///
    /// Entries after a partial palette load keep their values. Up to Crestline entries have no alpha,
    /// which reads FFh.
    ///
    /// # Errors
    /// The first rule that is broken; nothing has been loaded then.
    pub fn run(&mut self, generation: Generation, words: &[u32]) -> Result<usize, Invalid> {
        if let Some(why) = check(generation, words)
            .into_iter()
            .find(|b| !b.is_remark())
        {
            return Err(why);
        }
        let first = words.first().copied().unwrap_or_default();
        let (command, length) = Command::of(first)?;
        let data = &words[1..length];
        match command {
            Command::Palette(number) => {
                let palette = Arc::make_mut(&mut self.palettes[number]);
                let opaque = match generation.short_palette {
                    true => 0xff00_0000,
                    false => 0,
                };
                for (entry, value) in palette.iter_mut().zip(data) {
                    *entry = value | opaque;
                }
            }
            Command::ChromaKey => self.keys[(data[0] >> 30) as usize] = (data[1], data[2]),
            Command::MonoFilter => self.mono = Some((data[0] >> 3 & 7, data[0] & 7)),
        }
        Ok(length)
    }
}
