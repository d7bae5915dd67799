//! Threads side by side: those that stand at the same op run it one after the other, so that finding out what
//! to do is paid once for all of them.
//!
//! ```text
//!  thread 0  pc 12 ┐
//!  thread 1  pc 12 ├ the least pc, the front:  step 12 on 0, 1, 3; step 13 on 0, 1, 3; …
//!  thread 3  pc 12 ┘
//!  thread 2  pc 31   waits until the front has come to 31
//! ```
//!
//! What lanes are to a thread (`flow`), threads are to a gang. Each does what it would do alone, to
//! the byte, as long as no thread sees what another one does: [`may_gang`].

use super::bindings::Environment;
use super::observer::Silent;
use super::run::{After, run_steps};
use super::thread::Thread;
use super::trap::Trap;
use crate::program::{LscAction, LscPlace, Op, Program, SendBody};

/// The place of a thread that has ended.
const ENDED: u32 = u32::MAX;

/// Whether threads of a program may run side by side: nothing in it makes threads wait for each other, or
/// tells one what another has done before.
pub fn may_gang(program: &Program) -> bool {
    program.slm_bytes == 0 && program.ops.iter().all(keeps_to_itself)
}

fn keeps_to_itself(op: &Op) -> bool {
    match op {
        Op::Barrier(_) => false,
        Op::Send(send) => match &send.body {
            SendBody::Atomic { .. }
            | SendBody::SvmAtomic { .. }
            | SendBody::TypedAtomic { .. }
            | SendBody::Target { .. }
            | SendBody::Raw(_) => false,
            SendBody::Lsc(message) => {
                matches!(message.action, LscAction::Load | LscAction::Store)
                    && !matches!(message.place, LscPlace::Shared)
            }
            _ => true,
        },
        _ => true,
    }
}

/// Runs threads of a program that [`may_gang`] to their ends. They come back in the order of their numbers.
///
/// # Errors
/// The [`Trap`] of the first thread, by number, that could not go on; those behind it have not ended.
pub fn run(threads: &mut [Thread<'_>], environment: &Environment<'_>) -> Result<(), Box<Trap>> {
    for thread in threads.iter_mut() {
        thread.load_control(environment.code);
    }
    let mut first = None;
    loop {
        threads.iter_mut().for_each(settle);
        threads.sort_unstable_by_key(|t| (t.frame.pc, t.id.index));
        let Some((leader, _)) = threads.split_first().filter(|t| t.0.frame.pc != ENDED) else {
            break;
        };
        let (pc, mode) = (leader.frame.pc, leader.mode);
        let stands = |t: &Thread<'_>| t.frame.pc == pc && t.mode == mode;
        let count = threads.iter().take_while(|t| stands(t)).count();
        let (front, rest) = threads.split_at_mut(count);
        let join = rest.first().map_or(ENDED, |t| t.frame.pc);
        if let Err(trap) = advance(front, join, environment) {
            // Whoever comes behind would not have started; those in front may yet have a trap of their own.
            for thread in threads.iter_mut() {
                if thread.id >= trap.thread {
                    thread.frame.pc = ENDED;
                }
            }
            first = Some(trap);
        }
    }
    threads.sort_unstable_by_key(|t| t.id.index);
    first.map_or(Ok(()), Err)
}

/// Runs threads that stand at one op in one float mode until they part or come to `join`.
fn advance(
    front: &mut [Thread<'_>],
    join: u32,
    environment: &Environment<'_>,
) -> Result<(), Box<Trap>> {
    let (code, limit) = (environment.code, environment.limit);
    let Some(leader) = front.first() else {
        return Ok(());
    };
    let (program, mode) = (leader.program, leader.mode);
    let steps = code.joined(program, mode);
    let mut pc = leader.frame.pc;
    loop {
        let run = code.run(pc);
        if run > 0 {
            let most = front.iter().map(|t| t.executed).max().unwrap_or_default();
            let run = u64::from(run).min(limit.saturating_sub(most));
            if run == 0 {
                let over = |t: &&mut Thread<'_>| t.executed >= limit;
                let thread = front.iter_mut().find(over);
                return thread.map_or(Ok(()), |t| Err(t.over_limit(limit)));
            }
            run_steps(front, &steps[pc as usize..][..run as usize]);
            for thread in front.iter_mut() {
                thread.executed += run;
                thread.frame.pc = pc + run as u32;
            }
        } else {
            let op = program.ops.get(pc as usize);
            for thread in front.iter_mut() {
                let Some(op) = op else {
                    thread.frame.pc = ENDED;
                    continue;
                };
                thread.count(op, limit)?;
                match thread.act(environment, op, pc, &mut Silent)? {
                    After::Next | After::NextInMode => {}
                    After::Stop(_) => thread.frame.pc = ENDED,
                }
            }
        }
        front.iter_mut().for_each(settle);
        pc = front[0].frame.pc;
        let together = front.iter().all(|t| t.frame.pc == pc && t.mode == mode);
        if !together || pc >= join {
            return Ok(());
        }
    }
}

/// Lets lanes that wait where a thread stands join the others.
fn settle(thread: &mut Thread<'_>) {
    if thread.frame.pc >= thread.frame.join && thread.frame.pc != ENDED {
        thread.frame.rejoin();
    }
}
