//! The fields of message words, as the layouts name them.

use crate::isa::Platform;
use crate::message::Sfid;
use crate::message::bits::extended_layout;
use crate::message::dataport;
use crate::message::fields::{Layout, outer};
use serde_json::{Value, json};
use std::fmt;

/// A part of a message, taken apart.
#[derive(Clone, Debug)]
pub struct Part {
    /// What the part is.
    pub layout: &'static Layout,
    /// Its words.
    pub words: Vec<u32>,
}

impl Part {
    /// The words, and the bits that no field explains.
    fn unknown(&self) -> u32 {
        let word = self.words.first().copied().unwrap_or(0);
        word & !self.layout.known(0)
    }

    /// The fields as JSON: name, bits, value, meaning.
    pub fn json(&self) -> Value {
        let field = |f: &crate::message::fields::Field| {
            json!({
                "name": f.name, "dword": f.dw, "low": f.lo, "high": f.hi,
                "value": f.get(&self.words), "meaning": f.doc,
            })
        };
        json!({
            "part": self.layout.name,
            "source": self.layout.source,
            "words": self.words.iter().map(|w| format!("{w:#010x}")).collect::<Vec<_>>(),
            "fields": self.layout.fields.iter().map(field).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.words.iter().map(|w| format!("{w:#010x}")).collect();
        writeln!(
            f,
            "{} {}  ({})",
            self.layout.name,
            words.join(" "),
            self.layout.source
        )?;
        for field in self.layout.fields {
            let bits = if field.lo == field.hi {
                format!("{}", field.lo)
            } else {
                format!("{}:{}", field.hi, field.lo)
            };
            let value = field.get(&self.words);
            writeln!(
                f,
                "  {bits:>5}  {:<22} {value:<8} {}",
                field.name, field.doc
            )?;
        }
        Ok(())
    }
}

/// Who receives a message, if its extended descriptor says so: up to Gen11.
pub fn receiver(ex_desc: u32, platform: Platform) -> Option<Sfid> {
    let field = extended_layout(platform)
        .fields
        .iter()
        .find(|f| f.name == "shared function")?;
    Sfid::from_number(field.get(&[ex_desc]), platform)
}

/// The descriptor, what the shared function reads in it, and the extended descriptor.
pub fn descriptors(desc: u32, ex_desc: u32, sfid: Option<Sfid>, platform: Platform) -> Vec<Part> {
    let mut parts = vec![Part {
        layout: &outer::LAYOUT,
        words: vec![desc],
    }];
    if let Some(layout) = sfid.and_then(|s| dataport::layout(s, desc)) {
        parts.push(Part {
            layout,
            words: vec![desc],
        });
    }
    parts.push(Part {
        layout: extended_layout(platform),
        words: vec![ex_desc],
    });
    parts
}

/// Bits of a set of parts over the same word that none of them explains.
pub fn unexplained(parts: &[Part]) -> Option<(&'static str, u32)> {
    let odd = parts
        .iter()
        .find(|p| std::ptr::eq(p.layout, &outer::LAYOUT) && p.unknown() != 0)?;
    Some((odd.layout.name, odd.unknown()))
}
