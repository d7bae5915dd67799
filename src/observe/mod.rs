//! What a run can be watched for: undefined behaviour, races, counts, single steps.
//!
//! ```text
//!  exec ─ Observer calls ─▶ Watch ─┬─ sanitize   undefined registers, memory, barriers   ─▶ diagnostics
//!                                  ├─ races      accesses that nothing orders            ─▶ diagnostics
//!                                  ├─ stats      counts by opcode
//!                                  └─ trace      each instruction, stops                 ─▶ a sink
//! ```
//!
//! All of it is [`crate::exec::Observer`]s: the executor knows none of them, and a run that is not watched
//! pays nothing. [`uses`] says what an instruction reads, [`Watcher`] is what the command line
//! makes of its options. Not here: how findings and events are printed.

mod clocks;
mod known;
pub mod races;
pub mod sanitize;
mod shadow;
pub mod stats;
pub mod trace;
pub mod uses;

pub use known::{space, spot};
pub use races::Races;
pub use sanitize::Sanitizer;
pub use stats::Stats;
pub use trace::Tracer;

use crate::diagnostic::Diagnostic;
use crate::exec::observer::{
    Access, At, Edge, MeetingStep, Observer, OpCount, Payload, Running, Start, Wants, each_call,
};
use crate::exec::{Meeting, ThreadId};
use crate::math::unit::Control;
use crate::message::Request;
use crate::program::{Op, Program};
use crate::sampler::sample::Taken;
use std::ops::Range;

/// What a run is watched for, all of it at once.
#[derive(Default)]
pub struct Watcher<'s> {
    /// Undefined behaviour.
    pub sanitizer: Option<Sanitizer>,
    /// Races.
    pub races: Option<Races>,
    /// Counts.
    pub stats: Option<Stats>,
    /// Steps and stops.
    pub tracer: Option<Tracer<'s>>,
}

impl<'s> Watcher<'s> {
    /// Whether nothing is watched for.
    pub fn is_idle(&self) -> bool {
        self.sanitizer.is_none()
            && self.races.is_none()
            && self.stats.is_none()
            && self.tracer.is_none()
    }

    /// Watches one thread.
    pub fn thread(&self) -> ThreadObserver<'_, 's> {
        ThreadObserver {
            sanitizer: self.sanitizer.as_ref().map(Sanitizer::thread),
            races: self.races.as_ref().map(Races::thread),
            stats: self.stats.as_ref().map(Stats::thread),
            tracer: self.tracer.as_ref().map(Tracer::thread),
        }
    }

    /// What was found, the sanitizer's findings first, by place in the text.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let sanitizer = self.sanitizer.as_ref().map(Sanitizer::diagnostics);
        let races = self.races.as_ref().map(Races::diagnostics);
        let found = sanitizer.into_iter().chain(races);
        found.flatten().collect()
    }
}

/// Watches one thread for everything that is asked.
pub struct ThreadObserver<'w, 's> {
    sanitizer: Option<sanitize::Checker<'w>>,
    races: Option<races::RaceObserver<'w>>,
    stats: Option<stats::Counter<'w>>,
    tracer: Option<trace::TraceObserver<'w, 's>>,
}

/// An observer of one thread, and perhaps another one, which is told after it.
pub struct Beside<A, B>(pub A, pub Option<B>);

macro_rules! to_all {
    ($($name:ident($($arg:ident: $ty:ty),*);)+) => {
        impl Observer for ThreadObserver<'_, '_> {
            const KEPT: bool = false;

            fn wants(&self) -> Wants {
                let all = [
                    self.tracer.as_ref().map(Observer::wants),
                    self.sanitizer.as_ref().map(Observer::wants),
                    self.races.as_ref().map(Observer::wants),
                    self.stats.as_ref().map(Observer::wants),
                ];
                let most = all.into_iter().flatten().max().unwrap_or(Wants::Nothing);
                // Who counts beside one that wants steps counts accesses.
                match self.stats {
                    Some(_) if most > Wants::Counts => Wants::All,
                    _ => most,
                }
            }

            fn halts(&mut self) -> bool {
                self.sanitizer.as_mut().is_some_and(Observer::halts)
            }

            fn doubts(&mut self, cut_short: bool) -> bool {
                // Nobody else is content with so little.
                self.sanitizer.as_mut().is_some_and(|own| own.doubts(cut_short))
            }

            fn knows_shared(&mut self, bytes: u64) -> bool {
                self.sanitizer.as_mut().is_some_and(|own| own.knows_shared(bytes))
            }

            fn lets_run(&mut self, ops: Range<u32>, mask: u32, arena: &[u8]) -> u32 {
                match self {
                    // The others are told of each.
                    ThreadObserver {
                        sanitizer: Some(sanitizer),
                        races: None,
                        stats: None,
                        tracer: None,
                    } => sanitizer.lets_run(ops, mask, arena),
                    _ => 0,
                }
            }

            $(fn $name(&mut self, $($arg: $ty),*) {
                if let Some(watch) = &mut self.tracer {
                    watch.$name($($arg),*);
                }
                if let Some(watch) = &mut self.sanitizer {
                    watch.$name($($arg),*);
                }
                if let Some(watch) = &mut self.races {
                    watch.$name($($arg),*);
                }
                if let Some(watch) = &mut self.stats {
                    watch.$name($($arg),*);
                }
            })+
        }

        impl<A: Observer, B: Observer> Observer for Beside<A, B> {
            const KEPT: bool = A::KEPT || B::KEPT;

            fn wants(&self) -> Wants {
                let second = self.1.as_ref().map_or(Wants::Nothing, Observer::wants);
                self.0.wants().max(second)
            }

            fn halts(&mut self) -> bool {
                self.0.halts() | self.1.as_mut().is_some_and(Observer::halts)
            }

            fn doubts(&mut self, cut_short: bool) -> bool {
                let second = self.1.as_mut().is_some_and(|second| second.doubts(cut_short));
                self.0.doubts(cut_short) | second
            }

            fn knows_shared(&mut self, bytes: u64) -> bool {
                let second = self.1.as_mut().is_none_or(|second| second.knows_shared(bytes));
                self.0.knows_shared(bytes) && second
            }

            $(fn $name(&mut self, $($arg: $ty),*) {
                self.0.$name($($arg),*);
                if let Some(second) = &mut self.1 {
                    second.$name($($arg),*);
                }
            })+
        }
    };
}

each_call!(to_all);
