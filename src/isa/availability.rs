//! Which platform has which instruction: a column of the instruction table, read by checks, runs and lowering.
//!
//! Source: vISA text reference 5.14 and 7.8; lowering reference 4 and, for Ironlake, 18.3 to 18.5, which
//! name the messages that this part does not have.

use super::generations::Span;
use super::platforms::Platform;

/// The platforms that have an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Availability {
    /// Their generations.
    pub generations: Span,
    /// What to use on earlier platforms, and on later ones if that is something else; none if nothing does it.
    instead: &'static [&'static str],
}

/// Flags of `rt_write_3d` for which Ironlake's message has no place, and what they ask for.
/// Source: lowering reference 18.6.
pub const NOT_ON_IRONLAKE: &[(&str, &str)] = &[
    ("PS", "per-sample writes"),
    ("CM", "coarse pixels"),
    ("CPS", "coarse pixels"),
    ("NULLRT", "null render target"),
    ("A", "source-0 alpha"),
    ("O", "output mask of samples"),
    ("ST", "stencil that the shader computes"),
];

impl Availability {
    /// From the optional column of a row; without it every platform has the instruction.
    pub(super) const fn of_row(column: &[(Span, &'static [&'static str])]) -> Availability {
        let (generations, instead) = match column {
            [(generations, instead), ..] => (*generations, *instead),
            [] => (Span::EVERY, [].as_slice()),
        };
        Availability {
            generations,
            instead,
        }
    }

    /// What to use on a platform without the instruction; empty if nothing does it.
    pub fn instead(&self, platform: Platform) -> &'static str {
        let later = Some(platform.generation) > self.generations.first();
        let side = self
            .instead
            .get(usize::from(later))
            .or(self.instead.first());
        side.copied().unwrap_or_default()
    }

    /// Whether an earlier platform has the instruction and this one does not.
    pub fn was_lost_on(&self, platform: Platform) -> bool {
        !self.on(platform) && Some(platform.generation) > self.generations.first()
    }

    /// Whether a platform has the instruction.
    pub fn on(&self, platform: Platform) -> bool {
        self.generations.contains(platform.generation)
    }
}

/// The platforms with a property, in words: "skl has it", "icl to dg2 and bmg and later have it".
pub fn who_has(has: impl Fn(Platform) -> bool) -> String {
    let all = Platform::ALL;
    let mut runs: Vec<&[Platform]> = Vec::new();
    for run in all.chunk_by(|a, b| has(*a) == has(*b)) {
        if has(run[0]) {
            runs.push(run);
        }
    }
    let (oldest, newest) = (all.first(), all.last());
    match runs[..] {
        [] => "no platform has it".to_string(),
        [[only]] => format!("only {only} has it"),
        [[first, .., last]] if Some(first) == oldest && Some(last) != newest => {
            format!("the last platform that has it is {last}")
        }
        _ => {
            let words = runs.iter().map(|run| match run {
                [first, ..] if run.last() == newest => format!("{first} and later"),
                [first, .., last] => format!("{first} to {last}"),
                [only] => only.to_string(),
                [] => String::new(),
            });
            format!("{} have it", words.collect::<Vec<_>>().join(", and "))
        }
    }
}

/// The platform to choose for something that `platform` does not have: the first that has it, or the last of those
/// that had it from the beginning.
pub fn who_to_ask(has: impl Fn(Platform) -> bool) -> Option<Platform> {
    let first = Platform::ALL.iter().position(|p| has(*p))?;
    let run = Platform::ALL[first..].iter().take_while(|p| has(**p));
    match first {
        0 => run.last().copied(),
        first => Some(Platform::ALL[first]),
    }
}
