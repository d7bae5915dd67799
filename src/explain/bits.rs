//! The fields of message words, as the layouts name them.

use crate::isa::Platform;
use crate::message::Sfid;
use crate::message::e64;
use crate::message::extended::extended_layout;
use crate::message::fields::{self, Layout, dataport, outer};
use crate::message::gen5;
use crate::message::lsc;
use crate::message::sampler::BLOCK_MODE;
use crate::message::text::{control_layout, fields_of, outer_layout, ruler};
use serde_json::{Value, json};
use std::fmt;

/// A part of a message, taken apart.
#[derive(Clone, Debug)]
pub struct ListedPart {
    /// What the part is.
    pub layout: &'static Layout,
    /// Its fields, those of the message's receiver and platform alone.
    pub fields: Vec<fields::Field>,
    /// Its words.
    pub words: Vec<u32>,
}

impl ListedPart {
    /// The fields as JSON: name, bits, value, meaning.
    pub fn json(&self) -> Value {
        let field = |f: &fields::Field| {
            json!({
                "name": f.name, "dword": f.dw, "low": f.lo, "high": f.hi,
                "value": f.get(&self.words), "meaning": f.doc,
            })
        };
        json!({
            "part": self.layout.name,
            "source": self.layout.source,
            "words": self.words.iter().map(|w| format!("{w:#010x}")).collect::<Vec<_>>(),
            "fields": self.fields.iter().map(field).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for ListedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.words.iter().map(|w| format!("{w:#010x}")).collect();
        writeln!(
            f,
            "{} {}  ({})",
            self.layout.name,
            words.join(" "),
            self.layout.source
        )?;
        if let [word] = self.words[..] {
            write!(f, "{}", ruler(&self.fields, word))?;
        }
        for field in &self.fields {
            writeln!(f, "  {}", field.line(&self.words, 22))?;
        }
        for (dw, word) in self.words.iter().enumerate() {
            let known = self.fields.iter().fold(0, |bits, f| bits | f.mask_in(dw));
            // A function control is a part of the word that it is in.
            let whole = match known & !outer::CONTROL.mask() {
                0 => outer::CONTROL.mask(),
                _ => u32::MAX,
            };
            let unknown = word & whole & !known;
            if unknown != 0 {
                writeln!(f, "  {unknown:#010x}  in no field")?;
            }
        }
        Ok(())
    }
}

/// The descriptor, what the shared function reads in it, and the extended descriptor.
pub fn descriptors(
    desc: u32,
    ex_desc: u32,
    sfid: Option<Sfid>,
    platform: Platform,
) -> Vec<ListedPart> {
    let part = |layout: &'static Layout, words| ListedPart {
        layout,
        fields: fields_of(layout, sfid, platform),
        words,
    };
    if let Some([layout, extended]) = sfid.and_then(|sfid| lsc::layouts(sfid, desc, platform)) {
        return vec![part(layout, vec![desc]), part(extended, vec![ex_desc])];
    }
    if platform.dialect.state_addresses() {
        let layout = sfid.and_then(|sfid| e64::layout(sfid, desc));
        let whole = layout.map(|layout| part(layout, vec![desc, ex_desc]));
        return whole.into_iter().collect();
    }
    let mut parts = vec![part(outer_layout(platform), vec![desc])];
    if let Some(layout) = sfid.and_then(|s| control_layout(s, desc, platform)) {
        let own = outer::CONTROL.mask() | layout.known(0);
        parts.push(part(layout, vec![desc & own]));
    }
    parts.push(part(extended_layout(platform), vec![ex_desc]));
    parts
}

/// The layout of the header that a message has, if it has a header with fields of its own.
pub fn header(sfid: Sfid, desc: u32, platform: Platform) -> Option<&'static Layout> {
    use crate::message::dataport::types as t;
    if outer::HEADER.get(&[desc]) == 0 {
        return None;
    }
    if platform.is_gen5() {
        return gen5::header_layout(sfid, desc);
    }
    let desc = [desc];
    Some(match (sfid, dataport::TYPE.get(&desc)) {
        (Sfid::Sampler, _) if fields::sampler::SIMD_MODE.get(&desc) == BLOCK_MODE => {
            &fields::media_sampler_header::LAYOUT
        }
        (Sfid::Sampler, _) if platform.sampler.paired_surface => {
            &fields::sampler_xe2_header::LAYOUT
        }
        (Sfid::Sampler, _) => &fields::sampler_header::LAYOUT,
        (Sfid::Dc1, t::MEDIA_READ | t::MEDIA_WRITE) => &fields::media_block_header::LAYOUT,
        (Sfid::Dc1, t::SVM_BLOCK_READ | t::SVM_BLOCK_WRITE) => &fields::svm_block_header::LAYOUT,
        (Sfid::Dc0, t::FENCE) => return None,
        (Sfid::Dc0, _) => &fields::offset_header::LAYOUT,
        (Sfid::Rc, _) => &fields::render_target_header::LAYOUT,
        _ => return None,
    })
}
