//! What the data port noted of a message's memory, reported to the observer.

use super::observer::{Access, AccessKind, At, Observer, SpaceName, Spot};
use crate::dataport::touch::{self, Touch, TouchLog};
use std::cell::RefCell;

/// The touches of one message; empty, and never filled, without an observer.
#[derive(Default)]
pub struct Touched(RefCell<Vec<Touch>>);

impl Touched {
    /// For the functions of the data port.
    pub fn watch<O: Observer>(&self) -> TouchLog<'_> {
        match O::ACTIVE {
            true => TouchLog::onto(&self.0),
            false => TouchLog::NONE,
        }
    }

    /// Tells what was noted, in order. Written bytes are not given: the memory has them.
    pub fn tell<O: Observer>(self, space: SpaceName, at: At, observer: &mut O) {
        for touch in self.0.into_inner() {
            let spot = match touch.spot {
                touch::Spot::Byte(byte) => Spot::Byte(byte),
                touch::Spot::Texel(texel) => Spot::Texel(texel),
            };
            let misaligned = match spot {
                Spot::Byte(byte) if !byte.is_multiple_of(touch.align.into()) => {
                    Some((byte, touch.align))
                }
                _ => None,
            };
            let access = Access {
                space,
                kind: match touch.write {
                    true => AccessKind::Write,
                    false => AccessKind::Read,
                },
                lane: touch.lane,
                spot,
                bytes: touch.bytes,
                inside: touch.inside,
                misaligned,
                memory: touch.memory,
                start: touch.start,
                data: &[],
                past_end: None,
            };
            observer.access(at, &access);
        }
    }
}
