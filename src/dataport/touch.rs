//! What a message touches in memory, reported to whoever watches.
//!
//! The messages of Gen5 find their addresses while they are served, so they are given a list to write
//! into. Without one nothing is noted.

use super::untyped::Window;
use crate::surface::Surface;
use std::cell::RefCell;

/// What a touch names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A byte offset, as the message says it.
    Byte(u64),
    /// The texel x, y, slice of a level.
    Texel([u32; 4]),
}

/// A run of bytes read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Written, not read.
    pub write: bool,
    /// The lane that asked; `None` for a block.
    pub lane: Option<u8>,
    /// What was asked.
    pub spot: Spot,
    /// The multiple that a byte offset is to be of.
    pub align: u32,
    /// Bytes asked for.
    pub bytes: u32,
    /// How many of them exist, counted from the first.
    pub inside: u32,
    /// Which memory.
    pub memory: usize,
    /// The first byte in it.
    pub start: u64,
}

/// The list of touches; [`TouchLog::NONE`] notes nothing.
#[derive(Clone, Copy, Debug)]
pub struct TouchLog<'a>(Option<&'a RefCell<Vec<Touch>>>);

impl<'a> TouchLog<'a> {
    /// Without an observer.
    pub const NONE: TouchLog<'static> = TouchLog(None);

    /// Touches go onto the list.
    pub fn onto(list: &'a RefCell<Vec<Touch>>) -> TouchLog<'a> {
        TouchLog(Some(list))
    }

    /// Notes a touch.
    pub fn note(self, touch: impl FnOnce() -> Touch) {
        if let Some(list) = self.0 {
            list.borrow_mut().push(touch());
        }
    }

    /// Notes the texel `[x, y, slice, level]` of a surface; `at` is its address, `None` outside.
    pub fn texel(
        self,
        surface: &Surface,
        write: bool,
        lane: Option<u8>,
        texel: [u32; 4],
        at: Option<usize>,
    ) {
        self.note(|| {
            let bytes = u32::from(surface.format().bits).div_ceil(8);
            Touch {
                write,
                lane,
                spot: Spot::Texel(texel),
                align: 1,
                bytes,
                inside: at.map_or(0, |_| bytes),
                memory: Window::whole(surface.memory()).memory(),
                start: at.unwrap_or_default() as u64,
            }
        });
    }
}
