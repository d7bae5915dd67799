//! The layouts that messages name by number.

use super::record::{Layout, LayoutField, Part};
use crate::base::bits;
use crate::explain::bits::ListedPart;
use crate::explain::manual;
use crate::isa::Platform;

/// Layouts in the order in which they were first seen.
pub struct Layouts {
    all: Vec<Layout>,
    platform: Platform,
    /// How many have been handed out.
    told: usize,
}

impl Layouts {
    /// None, for messages of a platform.
    pub fn new(platform: Platform) -> Layouts {
        Layouts {
            all: Vec::new(),
            platform,
            told: 0,
        }
    }

    /// A part of a message by the number of its layout.
    pub fn part(&mut self, part: &ListedPart) -> Part {
        Part {
            layout: self.number(part.layout, part.fields.iter()),
            words: part.words.clone(),
        }
    }

    /// The number of a layout with all its fields.
    pub fn whole(&mut self, layout: &bits::Layout) -> usize {
        self.number(layout, layout.fields.iter())
    }

    fn number<'f>(
        &mut self,
        layout: &bits::Layout,
        fields: impl Iterator<Item = &'f bits::Field>,
    ) -> usize {
        let layout = Layout {
            name: layout.name.to_owned(),
            source: layout.source.to_owned(),
            page: Some(manual::messages(self.platform).to_owned()),
            fields: fields.map(LayoutField::of).collect(),
        };
        let known = self.all.iter().position(|own| *own == layout);
        known.unwrap_or_else(|| {
            self.all.push(layout);
            self.all.len() - 1
        })
    }

    /// A layout by its number.
    pub fn get(&self, number: usize) -> Option<&Layout> {
        self.all.get(number)
    }

    /// Those that are new since the last call.
    pub fn news(&mut self) -> Vec<Layout> {
        let new = self.all[self.told..].to_vec();
        self.told = self.all.len();
        new
    }
}
