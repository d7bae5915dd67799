//! Which threads of the host run which groups: how many help the caller, and who takes what.
//!
//! ```text
//!  caller      alone ──▶ long enough? ──▶ own stripes ──▶ those of others
//!  helpers                            └─▶ own stripes ──▶ those of others
//! ```
//!
//! Start with [`work`]; [`Turns`] gives out groups.

use crate::base::cores;
use crate::diagnostic::{Code, Diagnostic, counted};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Groups that a worker takes at a time, at most, and how many times one of several takes some if there are few: so many that
/// all end at about the same time.
const MAX_BATCH: u64 = 256;
const BATCHES: u64 = 16;

/// Stripes of each worker: few, so that most neighbours of a group are run by the same core, but so many that what is run in the
/// end lies behind what was run first.
const STRIPES: u64 = 4;

/// Which groups are next, and the first that could not go on.
///
/// Groups in stripes, and stripe after stripe to each worker in turn: whoever runs a program again finds in the caches of a core
/// what it has left there. A worker that has done its own helps others with theirs.
pub struct Turns {
    groups: u64,
    /// Those that the caller has taken alone.
    begun: AtomicU64,
    /// Groups in a batch, and batches in a stripe.
    batch: u64,
    stripe: u64,
    /// Batches that were taken of those of each worker.
    taken: Vec<AtomicU64>,
    /// The first of those that could not go on.
    pub failed: AtomicU64,
}

/// Who takes groups.
pub enum Taker<'m> {
    /// The caller alone, so many at most; `most` is told how many it has taken, and 0 ends it.
    Alone(&'m mut dyn FnMut(u64) -> u64),
    /// A worker with this number.
    Worker(usize),
}

impl Turns {
    /// All groups for so many workers.
    pub fn new(groups: u64, workers: u64) -> Turns {
        let batch = match workers {
            1 => MAX_BATCH,
            _ => (groups / (BATCHES * workers)).clamp(1, MAX_BATCH),
        };
        Turns {
            groups,
            begun: AtomicU64::new(0),
            batch,
            stripe: (groups / (STRIPES * workers * batch)).max(1),
            taken: (0..workers).map(|_| AtomicU64::new(0)).collect(),
            failed: AtomicU64::new(u64::MAX),
        }
    }

    /// The next groups, none once there are no more, or none in front of one that has failed.
    pub fn take(&self, taker: &mut Taker<'_>) -> Range<u64> {
        let begun = self.begun.load(Relaxed);
        match taker {
            Taker::Alone(most) => {
                let end = self.groups.min(begun + most(begun).min(MAX_BATCH));
                self.begun.store(end, Relaxed);
                begun..end
            }
            Taker::Worker(worker) => {
                let workers = self.taken.len();
                let mut owners = (0..workers).map(|next| (*worker + next) % workers);
                owners
                    .find_map(|owner| self.next_of(owner, begun))
                    .unwrap_or(0..0)
            }
        }
    }

    /// The next batch of a worker, without those that the caller has taken alone.
    fn next_of(&self, owner: usize, begun: u64) -> Option<Range<u64>> {
        let workers = self.taken.len() as u64;
        loop {
            let turn = self.taken[owner].fetch_add(1, Relaxed);
            let (stripes, batches) = (turn / self.stripe, turn % self.stripe);
            let stripe = owner as u64 + workers * stripes;
            let first = (stripe * self.stripe + batches) * self.batch;
            if first >= self.groups || first > self.failed.load(Relaxed) {
                return None;
            }
            let end = self.groups.min(first + self.batch);
            if begun < end {
                return Some(first.max(begun)..end);
            }
        }
    }
}

/// Threads of the host that a run may have at most.
pub const MOST_WORKERS: u64 = 1024;

/// What the caller looks for before others help: how long it has worked, and how long it would go on alone. To wake them up
/// takes about as long.
const ALONE: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(100)];

/// What `share` makes on so many threads of the host, the caller's among them; with what is to be said where
/// there are fewer.
///
/// * `alone`: how many groups there are, if the caller begins alone, with few of them, and others help once that pays.
pub fn work<S: Send>(
    workers: u64,
    alone: Option<u64>,
    share: impl Fn(Taker<'_>) -> S + Sync,
) -> (Vec<S>, Option<Diagnostic>) {
    let mut shares = Vec::new();
    if let Some(all) = alone.filter(|_| workers > 1) {
        let (start, mut groups, mut is_long) = (Instant::now(), 1u64, false);
        shares.push(share(Taker::Alone(&mut |taken| {
            let worked = start.elapsed();
            let left = all.saturating_sub(taken) as f64 / taken.max(1) as f64;
            is_long = taken > 0 && worked >= ALONE[0] && worked.mul_f64(left) >= ALONE[1];
            if is_long {
                return 0;
            }
            let most = groups;
            groups = most.saturating_mul(2);
            most
        })));
        if !is_long {
            return (shares, None);
        }
    }
    if workers == 1 {
        shares.push(share(Taker::Worker(0)));
        return (shares, None);
    }
    let own = Mutex::new(shares);
    let run = |worker: u64| {
        let share = share(Taker::Worker(worker as usize));
        own.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(share);
    };
    let run = &run;
    let (mut count, mut refused) = (1, None);
    cores::with_others(|others| {
        while count < workers && refused.is_none() {
            if count == MOST_WORKERS {
                refused = Some("a run uses no more".to_string());
                break;
            }
            match others.run(count as usize - 1, move || run(count)) {
                Ok(()) => count += 1,
                Err(error) => refused = Some(format!("the system gives no more: {error}")),
            }
        }
        run(0);
    });
    // Whoever meets a trap leaves the rest to others: of groups whose worker was refused, to nobody.
    for worker in count..workers.min(MOST_WORKERS) {
        run(worker);
    }
    let fewer = refused.map(|why| {
        let what = format!(
            "{} run in place of {workers}",
            counted(count, "host thread")
        );
        Diagnostic::with_message(Code::W0980, what)
            .note(why)
            .help(format!("--jobs {count}"))
    });
    let shares = own.into_inner().unwrap_or_else(PoisonError::into_inner);
    (shares, fewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups that each worker has taken, where each of them takes so long.
    fn taken(groups: u64, alone: Option<u64>, each: Duration) -> Vec<u64> {
        let turns = Turns::new(groups, 3);
        let (shares, fewer) = work(3, alone, |mut taker| {
            let mut own = 0;
            loop {
                let batch = turns.take(&mut taker);
                let count = batch.end - batch.start;
                if count == 0 {
                    return own;
                }
                std::thread::sleep(each * count as u32);
                own += count;
            }
        });
        assert!(fewer.is_none());
        assert_eq!(shares.iter().sum::<u64>(), groups);
        shares
    }

    #[test]
    fn others_help_once_there_is_enough_to_do() {
        let long = Duration::from_millis(2);
        assert_eq!(taken(60, None, long).len(), 3);
        // The caller has two shares, of what it has done alone and of the rest.
        assert_eq!(taken(60, Some(60), long).len(), 4);
        // Nothing is left once it is known how long it takes.
        assert_eq!(taken(1, Some(1), long).len(), 1);
        assert_eq!(taken(0, Some(0), long).len(), 1);
    }

    #[test]
    fn workers_are_there_at_the_same_time() {
        let (turns, there) = (Turns::new(300, 3), AtomicU64::new(0));
        let (shares, _) = work(3, None, |mut taker| {
            let own = turns.take(&mut taker);
            there.fetch_add(1, Relaxed);
            // Whoever never meets the others has waited long enough to say so.
            let met = (0..20_000).any(|_| {
                std::thread::sleep(Duration::from_millis(1));
                there.load(Relaxed) == 3
            });
            (own.start, met)
        });
        let mut starts: Vec<u64> = shares.iter().map(|(start, _)| *start).collect();
        starts.sort_unstable();
        assert!(shares.iter().all(|(_, met)| *met), "{shares:?}");
        // Each in its own first stripe.
        assert_eq!(starts, [0, 24, 48]);
    }

    /// All groups that are taken by workers in turn, behind those that one has taken alone.
    fn all_taken(turns: &Turns, alone: u64, workers: usize) -> Vec<u64> {
        let mut groups: Vec<u64> = turns.take(&mut Taker::Alone(&mut |_| alone)).collect();
        for worker in (0..workers).cycle() {
            let batch = turns.take(&mut Taker::Worker(worker));
            if batch.is_empty() {
                return groups;
            }
            assert!(batch.end - batch.start <= MAX_BATCH);
            groups.extend(batch);
        }
        groups
    }

    #[test]
    fn each_group_is_taken_once() {
        for groups in [0, 1, 2, 31, 97, 1000, 100_003] {
            for workers in [1, 2, 3, 64] {
                for alone in [0, 1, 5, 98, 1000] {
                    // Of fewer workers than there are turns, one does what the others would.
                    for there in [1, workers] {
                        let turns = Turns::new(groups, workers);
                        let mut taken = all_taken(&turns, alone, there as usize);
                        taken.sort_unstable();
                        assert!(
                            taken.into_iter().eq(0..groups),
                            "{groups} {workers} {alone}"
                        );
                    }
                }
            }
        }
    }
}
