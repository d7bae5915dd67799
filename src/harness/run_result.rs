//! What a run leaves, whichever front end the program came through.

use super::contents;
use super::directive::{Dump, Location, Save, ViewWords};
use super::session::{Session, Table};
use super::tld;
use crate::diagnostic::Diagnostic;
use crate::source::Spanned;
use crate::surface::Surface;
use crate::tld::machine::Machine;
use std::sync::Arc;

/// Registers and surfaces that can be looked at by name.
pub trait RunResult {
    /// The rows that a place names, with the view that its declaration and `words` give.
    ///
    /// # Errors
    /// `E0703`, `E0704`, `E0705`: no such name or thread, or nothing after it.
    fn table(&self, place: &Location, words: ViewWords) -> Result<Table, Box<Diagnostic>>;

    /// What is held against a picture.
    ///
    /// # Errors
    /// As [`RunResult::table`]; the name is that of no surface.
    fn surface(&self, name: &Spanned<String>) -> Result<Arc<Surface>, Box<Diagnostic>>;

    /// A surface as the bytes of a file, the kind of which follows from its name.
    ///
    /// # Errors
    /// As [`RunResult::surface`]; `E0702`: the format has no picture; `E0757`: no such part.
    fn saved(&self, save: &Save) -> Result<Vec<u8>, Box<Diagnostic>>;

    /// A dump as text, a title and the rows, and as a table.
    ///
    /// # Errors
    /// As [`RunResult::table`].
    fn dump(&self, dump: &Dump) -> Result<(String, Table), Box<Diagnostic>> {
        let table = self.table(&dump.place, dump.view)?;
        let mut text = dump.place.name.node.clone();
        if dump.place.offset > 0 {
            text.push_str(&format!(".{}", dump.place.offset));
        }
        if let Some((x, y)) = dump.place.thread {
            text.push_str(&format!("@{x},{y}"));
        }
        let (ty, pitch) = (table.view.ty, table.view.pitch);
        text.push_str(&format!(": {ty}, {pitch} bytes to a row\n"));
        for row in table.view.rows(&table.bytes) {
            text.push_str(&format!("  {row}\n"));
        }
        Ok((text, table))
    }
}

impl<O> RunResult for Session<O> {
    fn table(&self, place: &Location, words: ViewWords) -> Result<Table, Box<Diagnostic>> {
        self.table(place, words)
    }

    fn surface(&self, name: &Spanned<String>) -> Result<Arc<Surface>, Box<Diagnostic>> {
        self.surface(name).map(Arc::clone)
    }

    fn saved(&self, save: &Save) -> Result<Vec<u8>, Box<Diagnostic>> {
        contents::save(self.surface(&save.name)?, save)
    }
}

impl RunResult for Machine {
    fn table(&self, place: &Location, words: ViewWords) -> Result<Table, Box<Diagnostic>> {
        tld::table(self, place, words)
    }

    fn surface(&self, name: &Spanned<String>) -> Result<Arc<Surface>, Box<Diagnostic>> {
        tld::eight_bits(self, name).map(Arc::new)
    }

    fn saved(&self, save: &Save) -> Result<Vec<u8>, Box<Diagnostic>> {
        contents::save(&tld::picture(self, &save.name)?, save)
    }
}
