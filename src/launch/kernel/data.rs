//! The data of a program: where kernels find its constants, writable globals and texts, and pointers among them.
//!
//! ```text
//!  .data.const,  .bss.const    constants ─┐        token 42
//!  .data.global, .bss.global   globals    ├─▶ ProgramData    token 41
//!  .data.const.string          texts ─────┘
//!  .rel.data.*: a pointer, the symbol it leads to            tokens 48, 47: a pointer, the data it leads to
//! ```
//!
//! A compiler leaves in place of a pointer how far past its target it leads; the address of the target is added
//! when the data get theirs. Source: launch reference 8; the sections and tokens of programs.

use super::json::limited;
use super::payload::{CONSTANTS, GLOBALS, STRINGS};
use super::{Refused, refuse};
use crate::diagnostic::Code;
use crate::surface::Memory;
use object::elf::RelocationType;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What lies at the addresses of the program's data.
#[derive(Clone, Debug, Default)]
pub struct ProgramData {
    /// Constants.
    pub constants: Option<Vec<u8>>,
    /// Writable globals.
    pub globals: Option<Vec<u8>>,
    /// Texts, which only symbols lead to.
    pub strings: Option<Vec<u8>>,
    /// Pointers in the data have their addresses; what `launch.json` names is as the compiler left it.
    pub relocated: bool,
}

/// The data of a program in memory. Who keeps it keeps the values of variables from launch to launch.
#[derive(Clone, Debug)]
pub struct ProgramMemory {
    /// Constants.
    pub constants: Arc<Memory>,
    /// Writable globals.
    pub globals: Arc<Memory>,
    /// Texts.
    pub strings: Option<Arc<Memory>>,
    /// Pointers in the data lead nowhere: `launch.json` names it as the compiler left it.
    pub unrelocated: bool,
}

/// One of the data of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataKind {
    Constants,
    Globals,
    Strings,
}

impl DataKind {
    const ALL: [DataKind; 3] = [DataKind::Constants, DataKind::Globals, DataKind::Strings];

    /// The sections that hold it, one after the other: what has values, and what begins as zeros.
    const fn sections(self) -> &'static [&'static str] {
        match self {
            DataKind::Constants => &[".data.const", ".bss.const"],
            DataKind::Globals => &[".data.global", ".bss.global"],
            DataKind::Strings => &[".data.const.string"],
        }
    }

    /// Where kernels find it.
    pub const fn address(self) -> u64 {
        match self {
            DataKind::Constants => CONSTANTS,
            DataKind::Globals => GLOBALS,
            DataKind::Strings => STRINGS,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            DataKind::Constants => "constants",
            DataKind::Globals => "globals",
            DataKind::Strings => "texts",
        }
    }
}

/// Bytes of a pointer.
const POINTER: usize = 8;

/// The 64-bit address of a symbol, the kind of a relocation in data.
const SYMBOL_ADDRESS: RelocationType = RelocationType(1);

impl ProgramData {
    /// The data in memory of its own.
    pub fn memory(&self) -> ProgramMemory {
        let memory = |bytes: &Option<Vec<u8>>| match bytes {
            Some(bytes) => Memory::from_bytes(bytes),
            // Some library functions name data that they do not use: launch reference 8.
            None => Memory::zeroed(64),
        };
        let strings = self.strings.as_ref();
        ProgramMemory {
            constants: Arc::new(memory(&self.constants)),
            globals: Arc::new(memory(&self.globals)),
            strings: strings.map(|bytes| Arc::new(Memory::from_bytes(bytes))),
            unrelocated: !self.relocated && (self.constants.is_some() || self.globals.is_some()),
        }
    }

    fn part(&mut self, part: DataKind) -> &mut Option<Vec<u8>> {
        match part {
            DataKind::Constants => &mut self.constants,
            DataKind::Globals => &mut self.globals,
            DataKind::Strings => &mut self.strings,
        }
    }

    /// Lets the pointer at byte `offset` of a part lead to `target`, and as far after it as it says; or `addend`
    /// bytes after it, where that is elsewhere.
    ///
    /// # Errors
    /// `E0640`: the part has no such bytes.
    pub(super) fn relocate(
        &mut self,
        part: DataKind,
        offset: u64,
        target: u64,
        addend: Option<u64>,
    ) -> Result<(), Refused> {
        let bytes = self.part(part).as_deref_mut().unwrap_or_default();
        let len = bytes.len();
        let pointer = usize::try_from(offset)
            .ok()
            .and_then(|offset| bytes.get_mut(offset..)?.first_chunk_mut::<POINTER>());
        let Some(pointer) = pointer else {
            let name = part.name();
            let what =
                format!("a pointer at byte {offset} of the program's {name}, which have {len}");
            return Err(refuse(Code::E0640, what));
        };
        let distance = addend.unwrap_or(u64::from_le_bytes(*pointer));
        *pointer = target.wrapping_add(distance).to_le_bytes();
        Ok(())
    }
}

/// The data of a program with its pointers, and the addresses of symbols.
///
/// # Errors
/// `E0640`: it says what cannot be; `E0652`: a pointer leads to what has no address; `L0640`: too much data; `N0640`:
/// an address of another kind.
pub(super) fn of_program(
    file: &object::File,
) -> Result<(ProgramData, BTreeMap<String, u64>), Refused> {
    let mut data = ProgramData {
        relocated: true,
        ..ProgramData::default()
    };
    // Where sections lie in the address space.
    let mut starts = BTreeMap::new();
    for part in DataKind::ALL {
        for name in part.sections() {
            let Some(section) = file.section_by_name(name) else {
                continue;
            };
            let bytes = data.part(part).get_or_insert_default();
            let start = bytes
                .len()
                .next_multiple_of(section.align().clamp(1, 64) as usize);
            let end = limited((start as u64).saturating_add(section.size()))?;
            bytes.resize(start, 0);
            bytes.extend(section.data().unwrap_or_default());
            bytes.resize(end, 0);
            starts.insert(section.index().0, part.address() + start as u64);
        }
    }
    let address = |symbol: &object::Symbol| {
        let start = starts.get(&symbol.section_index()?.0)?;
        Some(start.wrapping_add(symbol.address()))
    };
    let named = |symbol: &object::Symbol| symbol.name().unwrap_or_default().to_string();
    for part in DataKind::ALL {
        let section = part.sections().first();
        let Some(section) = section.and_then(|name| file.section_by_name(name)) else {
            continue;
        };
        for (offset, relocation) in section.relocations() {
            let RelocationFlags::Elf {
                r_type: SYMBOL_ADDRESS,
            } = relocation.flags()
            else {
                let (name, flags) = (part.name(), relocation.flags());
                let what = format!("an address in the program's {name} of another kind: {flags:?}");
                return Err(refuse(Code::N0640, what));
            };
            let symbol = match relocation.target() {
                RelocationTarget::Symbol(index) => file.symbol_by_index(index).ok(),
                _ => None,
            };
            let Some(target) = symbol.as_ref().and_then(address) else {
                let (name, symbol) = (part.name(), symbol.as_ref().map(named).unwrap_or_default());
                let what = format!("the program's {name} point to `{symbol}`, which is not data");
                let mut refused = refuse(Code::E0652, what);
                refused.see = Some("launch reference 8".to_string());
                return Err(refused);
            };
            let addend = relocation.addend().cast_unsigned();
            let addend = (!relocation.has_implicit_addend()).then_some(addend);
            data.relocate(part, offset, target, addend)?;
        }
    }
    let symbols = file.symbols();
    let symbols = symbols.filter_map(|symbol| Some((named(&symbol), address(&symbol)?)));
    let symbols = symbols.collect();
    Ok((data, symbols))
}
