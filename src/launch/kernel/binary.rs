//! What the compiler says of a kernel in its own files: a program it wrote (ELF with `.ze_info`, ELF with
//! patch tokens, bare patch tokens) or the text of `.ze_info` alone. Source: launch reference 1.

use super::data::{self, ProgramData};
use super::description::{Compiler, Description, Piece};
use super::json::{self, Entry};
use super::{Refused, patch, refuse, zeinfo};
use crate::diagnostic::Code;
use crate::isa::Platform;
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What the compiler calls the functions that kernels of a program share: they are where a kernel would.
pub const SHARED: &str = "Intel_Symbol_Table_Void_Program";

/// What the source says of an argument, as far as the compiler tells it on (`-cl-kernel-arg-info`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgumentInfo {
    /// Its name.
    pub name: String,
    /// Its type: `float4`, `int*`, `image2d_t`.
    pub type_name: String,
    /// Its bytes; 0 if that is unknown.
    pub bytes: u32,
    /// `__global`, `__constant`, `__local`, `__private`.
    pub address_qualifier: String,
    /// `__read_only`, `__write_only`, `__read_write`, `NONE`.
    pub access_qualifier: String,
    /// `const`, `restrict`, `volatile`, `pipe` with blanks between them; `NONE`.
    pub type_qualifiers: String,
}

/// What a program says of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// The kernel's name.
    pub name: String,
    /// Arguments by number, where their names are known.
    pub names: BTreeMap<u32, String>,
    /// Types of arguments by number, where they are known.
    pub types: BTreeMap<u32, String>,
    /// What is known of arguments by number, where anything is.
    pub arguments: BTreeMap<u32, ArgumentInfo>,
    /// How many arguments the kernel has, as far as the file tells.
    pub argument_count: u32,
    /// The attributes in the source, with blanks between them.
    pub attributes: String,
    /// Data of the program.
    pub data: ProgramData,
    /// Addresses of the program's data by symbol.
    pub symbols: BTreeMap<String, u64>,
    pub(super) facts: Facts,
}

/// The description before it is joined with the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// All but the pieces.
    pub description: Description,
    /// The cross-thread data.
    pub payload: Vec<Entry>,
    /// Local ids are handed over.
    pub local_ids: bool,
    /// Bytes of the rows of local ids, where the file says so; 0: three rows.
    pub local_id_bytes: u32,
    /// Bytes of the first part of the payload, which travels in the dispatch.
    pub inline_bytes: u32,
    /// A register in front of the payload stays unused; `None` where the file does not say.
    pub unused_register: Option<bool>,
}

/// Which platform a program was compiled for; `None` where it does not say.
///
/// # Errors
/// `E0651`: a device that visim does not know.
pub fn platform(bytes: &[u8]) -> Result<Option<Platform>, Refused> {
    let known = |found: Option<Platform>, number: u32, what: &str| {
        found.map(Some).ok_or_else(|| {
            let what = format!(
                "the program was compiled for {what} {number}, a device that visim does not know"
            );
            let mut refused = refuse(Code::E0651, what);
            refused.help = Some("`visim check --platform ?` lists those that it knows".into());
            refused
        })
    };
    if let Some(core) = program_of(bytes).and_then(|program| word(program, 8)) {
        return known(Platform::from_core(core), core, "core");
    }
    let product = object::File::parse(bytes).ok().and_then(|file| {
        let section = file.section_by_name(".note.intelgt.compat")?;
        zeinfo::product(section.data().ok()?)
    });
    // Programs of the vector compiler say 0: Xe2 reference 1.
    let product = product.filter(|&product| product != 0);
    product.map_or(Ok(None), |product| {
        known(Platform::from_product(product), product, "product")
    })
}

pub(super) fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// How a device program begins.
const MAGIC: &[u8] = b"CTNI";

/// The device program in a file of patch tokens: all of it, or a section of an ELF file.
fn program_of(bytes: &[u8]) -> Option<&[u8]> {
    if bytes.starts_with(MAGIC) {
        return Some(bytes);
    }
    let file = object::File::parse(bytes).ok()?;
    file.sections()
        .filter_map(|section| section.data().ok())
        .find(|data| data.starts_with(MAGIC))
}

/// Reads what a program says of `kernel`.
///
/// # Errors
/// `E0640`: no such file, or it ends too soon; `E0645`: it has no kernel of that name.
pub fn read(bytes: &[u8], kernel: &str) -> Result<Compiled, Refused> {
    if let Some(program) = program_of(bytes) {
        return patch::read(program, kernel);
    }
    if !bytes.starts_with(b"\x7fELF") {
        let text = std::str::from_utf8(bytes).map_err(|_| {
            refuse(
                Code::E0640,
                "neither a compiled program nor its description",
            )
        })?;
        return zeinfo::read(text, kernel);
    }
    let file = object::File::parse(bytes)
        .map_err(|error| refuse(Code::E0640, format!("compiled program: {error}")))?;
    let text = file.section_by_name(".ze_info");
    let Some(text) = text.and_then(|section| section.data().ok()) else {
        return Err(refuse(
            Code::E0640,
            "the compiled program has neither `.ze_info` nor patch tokens",
        ));
    };
    // Almost always valid UTF-8, and checking that is much faster than the lossy conversion.
    let text = match std::str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(text),
    };
    let mut compiled = zeinfo::read(text.trim_end_matches('\0'), kernel)?;
    (compiled.data, compiled.symbols) = data::of_program(&file)?;
    Ok(compiled)
}

/// An input of the text: its register offset and its size.
pub type TextInput = (u32, u32);

impl Compiled {
    /// Joins the description with the inputs of the text.
    ///
    /// # Errors
    /// `E0640`: a payload after all registers; `N0640`: an entry that visim does not fill.
    pub fn description(
        &self,
        platform: Platform,
        inputs: &[TextInput],
    ) -> Result<Description, Refused> {
        let facts = &self.facts;
        let mut description = facts.description.clone();
        description.names.clone_from(&self.names);
        description.types.clone_from(&self.types);
        let grf = platform.grf_bytes();
        let vector = description.compiler == Compiler::Vector;
        let row = description.local_id_row(platform);
        let rows = match facts.local_id_bytes / row {
            0 => 3,
            rows => rows,
        };
        let own = if vector {
            grf
        } else if facts.local_ids {
            rows * row
        } else {
            // A register is left unused unless data travels in the dispatch: launch reference 2.
            let earlier = facts.inline_bytes == 0 && platform.payload.unused_register;
            match facts.unused_register.unwrap_or(earlier) {
                true => grf,
                false => 0,
            }
        };
        let base = grf + own;
        let entries = &facts.payload;
        let correction = match facts.inline_bytes {
            // Inline data take whole registers: Xe2 reference 3.1.
            inline if !inline.is_multiple_of(grf) => {
                let next = inline.next_multiple_of(grf);
                Some((next, next - inline))
            }
            0 => None,
            inline => aligned(entries, inputs, base, inline),
        };
        description.pieces = json::pieces(entries, base, correction)?;
        if facts.local_ids || vector {
            let own: Vec<Piece> = json::local_ids(&description, platform, rows);
            description.pieces.extend(own);
        }
        Ok(description)
    }

    /// A thread of it is one work-item, whatever lanes its text has.
    pub fn is_vector(&self) -> bool {
        self.facts.description.compiler == Compiler::Vector
    }

    /// Lanes of a thread.
    pub fn simd(&self) -> u32 {
        self.facts.description.simd
    }
}

/// Where the compiler moved what follows the inline data, as its first part has to be aligned more than they are:
/// from which register byte after `base`, and how far. The text decides: that part is an input of it.
/// Source: Xe2 reference 3.1, family B.
fn aligned(entries: &[Entry], inputs: &[TextInput], base: u32, inline: u32) -> Option<(u32, u32)> {
    let after = entries.iter().filter(|e| e.offset >= inline);
    let first = after.min_by_key(|e| e.offset)?;
    let moved = base.checked_add(first.offset)?.checked_add(inline)?;
    let is_input = |offset: u32| inputs.iter().any(|&(start, _)| start == offset);
    (first.size > inline && is_input(moved) && !is_input(moved - inline))
        .then_some((first.offset.saturating_add(inline), inline))
}
