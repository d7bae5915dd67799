//! Binding tables: from the index in a message to a surface state.
//!
//! ```text
//!   message ─ index ─▶ table[index] ─ offset from Surface State Base ─▶ SURFACE_STATE ─▶ surface
//! ```
//!
//! Source: surface reference 5.1; PRM 4.10.1.

use super::super::{Generation, Invalid};
use super::field::Structure;
use super::tables::{BINDING_GEN5, BINDING_GEN9};
use crate::diagnostic::Code;

/// Most entries of a binding table.
pub const ENTRIES: usize = 256;

/// The structure of an entry.
pub fn structure(generation: Generation) -> &'static Structure {
    match BINDING_GEN9.generations.contains(generation) {
        true => BINDING_GEN9,
        false => BINDING_GEN5,
    }
}

/// Offset of a surface state from Surface State Base, from a table's entry.
pub fn offset(generation: Generation, entry: u32) -> u32 {
    let pointer = structure(generation).field("Surface State Pointer");
    pointer.map_or(0, |f| (f.raw(&[entry]) << f.shift()) as u32)
}

/// The entry that points to a surface state.
///
/// # Errors
/// `E0754` if the offset is not a multiple of 32 bytes, of 64 from Gen8 on.
pub fn entry(generation: Generation, offset: u32) -> Result<u32, Invalid> {
    let unit = unit(generation);
    match offset % unit {
        0 => Ok(offset),
        _ => Err(Invalid::new(
            Code::E0754,
            format!("a surface state at offset {offset}; a multiple of {unit} is needed"),
        )),
    }
}

fn unit(generation: Generation) -> u32 {
    let pointer = structure(generation).field("Surface State Pointer");
    pointer.map_or(1, |f| 1 << f.shift())
}

/// The surface state that entry number `index` of a table points to, as words of the state heap.
///
/// # Errors
/// `E0754` if the table has no such entry, or the heap ends before the state does.
pub fn state<'a>(
    generation: Generation,
    table: &[u32],
    index: usize,
    heap: &'a [u32],
) -> Result<&'a [u32], Invalid> {
    let dwords = super::describe::structure(generation)?.dwords;
    let entry = table
        .get(index)
        .filter(|_| index < ENTRIES)
        .ok_or_else(|| {
            let what = format!("entry {index} of a table of {}", table.len().min(ENTRIES));
            Invalid::new(Code::E0754, what)
        })?;
    let first = offset(generation, *entry) as usize / 4;
    heap.get(first..first + dwords).ok_or_else(|| {
        let what = format!(
            "entry {index} points to byte {}; the states end at byte {}",
            4 * first,
            4 * heap.len()
        );
        Invalid::new(Code::E0754, what)
    })
}

/// Every rule that an entry breaks: its low bits are reserved.
pub fn check(generation: Generation, words: &[u32]) -> Vec<Invalid> {
    structure(generation).check(generation, words)
}
