//! Threads side by side: those that are at the same op run it one after the other, so that finding out what
//! to do is paid once for all of them.
//!
//! ```text
//!  thread 0  pc 12 ┐
//!  thread 1  pc 12 ├ the least pc, the front:  step 12 on 0, 1, 3; step 13 on 0, 1, 3; …
//!  thread 3  pc 12 ┘
//!  thread 2  pc 31   waits until the front has come to 31
//! ```
//!
//! What lanes are to a thread (`flow`), threads are in lockstep. Each does what it would do alone, to
//! the byte, as long as no thread sees what another one does between two barriers: [`may_lockstep`]. Those of a
//! group rest at its barrier until [`wake`].

use super::run::{After, BLOCK, is_bookkeeping, run_steps, steps};
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::native::{Native, Seen, Whole};
use crate::exec::message::blocks::Kept;
use crate::exec::message::coalesced::Coalesced;
use crate::exec::message::environment::Environment;
use crate::exec::message::site_plans;
use crate::exec::message::texels::Rows;
use crate::exec::message::transfers;
use crate::exec::order::shows_order_of_threads;
use crate::exec::state::float_mode::FloatMode;
use crate::exec::state::frame::ENDED;
use crate::exec::state::observer::{Observer, Silent};
use crate::exec::state::thread::{Stop, Thread};
use crate::exec::state::trap::Trap;

use crate::message::Request;
use crate::program::{Barrier, Guard, Lanes, Op, Program};
use std::slice;

/// Whether threads of a program may run side by side: they wait for each other at the barrier of the group
/// alone, and nothing else tells one what another has done before.
pub fn may_lockstep(program: &Program) -> bool {
    program.ops.iter().all(keeps_to_itself) && !shows_order_of_threads(program)
}

fn keeps_to_itself(op: &Op) -> bool {
    match op {
        Op::Barrier(Barrier::NamedSignal(_) | Barrier::NamedWait(_)) | Op::RawSend(_) => false,
        Op::Send(send) => !matches!(send.request, Request::Target(_)),
        _ => true,
    }
}

/// Whether threads of a group wait for each other.
pub fn has_barrier(program: &Program) -> bool {
    let is_barrier = |op: &Op| match op {
        Op::Barrier(_) => true,
        Op::Send(send) => matches!(send.request, Request::Barrier),
        _ => false,
    };
    program.ops.iter().any(is_barrier)
}

/// Lets threads go on that rest at the barrier of their group, if none of them is on its way there. Says whether
/// there is anything left to run.
pub fn wake(threads: &mut [Thread<'_>]) -> bool {
    if threads.iter().any(|t| t.frame.pc != ENDED) {
        return true;
    }
    let mut woken = false;
    for thread in threads {
        if let Some(pc) = thread.rests.take() {
            thread.frame.pc = pc;
            woken = true;
        }
    }
    woken
}

/// Ends threads for good, wherever they are.
pub fn end<'t, 'p: 't>(threads: impl Iterator<Item = &'t mut Thread<'p>>) {
    for thread in threads {
        thread.frame.pc = ENDED;
        thread.rests = None;
    }
}

/// Runs threads of a program that [`may_lockstep`] to their ends, to the barrier of their group, or for as long as
/// the environment says. They come back in the order of their numbers.
///
/// # Errors
/// The [`Trap`] of the first thread, by number, that could not go on; those after it have not ended.
///
/// * `observers`: those of the threads, in their order; they are told of messages that nobody counts.
/// * `kept`: of the same program and environment.
/// * `everyone`: these are all threads that meet at the barrier, so that it opens once all are there.
pub fn run<'e, 'p: 'e, O: Observer>(
    threads: &mut [Thread<'p>],
    observers: &mut [O],
    (environment, kept): (&Environment<'e>, &mut Kept<'e>),
    everyone: bool,
) -> Result<(), Box<Trap>> {
    if let Some(tally) = environment.tally {
        tally.begin(threads);
    }
    environment.plans.choose_cut(environment.code);
    let least = match environment.turn {
        u64::MAX => u64::MAX,
        _ => {
            let going = threads.iter().filter(|t| t.frame.pc != ENDED);
            going.map(turn).min().unwrap_or(0)
        }
    };
    let (mut first, mut ordered) = (None, true);
    loop {
        let count = line_up(threads, &mut ordered);
        let Some(leader) = threads.first().filter(|_| count > 0) else {
            break;
        };
        if turn(leader) > least {
            break;
        }
        let pc = leader.frame.pc;
        let (front, rest) = threads.split_at_mut(count);
        // Those at the same place in another mode have their turn later.
        let join = rest.iter().map(|t| t.frame.pc).filter(|&at| at > pc);
        let join = join.min().unwrap_or(ENDED);
        // Of those that rest, none has passed the barrier.
        let is_over = |t: &Thread<'_>| t.frame.pc == ENDED && t.rests.is_none();
        let everyone = everyone && rest.iter().all(is_over);
        let ran = advance(front, observers, (join, everyone), (environment, kept));
        match ran {
            Ok(true) if rest.is_empty() => break,
            Ok(_) => {}
            Err(trap) => {
                // Whoever comes after would not have started; those in front may yet have a trap of their own.
                end(threads.iter_mut().filter(|t| t.id >= trap.thread));
                first = Some(trap);
            }
        }
    }
    if !ordered {
        threads.sort_unstable_by_key(|t| t.id.index);
    }
    first.map_or(Ok(()), Err)
}

/// Native code that takes threads which begin at an op in a mode to their ends, if there is such.
///
/// * `thread`: the bytes of one of them.
/// * `kept`: somebody looks at their bytes then.
pub fn whole<'e>(
    (program, thread): (&Program, &[u8]),
    begins: (u32, FloatMode),
    environment: &Environment<'e>,
    kept: bool,
) -> Option<Whole<'e>> {
    let seen = Seen::by(environment.tally, kept);
    let native = environment.native_code((program, thread), begins.1, seen)?;
    // A thread that others have to wait for leaves code in time for their turn.
    let bounds = [environment.limit.min(environment.turn), BLOCK];
    Whole::new(native, environment.memories(), begins, bounds).filter(|_| native.is_whole())
}

/// Does what a thread does first if that only sets its float mode: others that begin with the same bytes do the same.
pub fn set_mode(thread: &mut Thread<'_>, code: &Decoded) {
    let program = thread.program;
    while let Some(op) = program.ops.get(thread.frame.pc as usize) {
        let pc = thread.frame.pc;
        match op {
            Op::LoadControl => thread.load_control(code),
            Op::Alu(alu) if code.sets_mode(program, alu) => {
                let steps = &code.steps(program, thread.mode)[pc as usize..][..1];
                run_steps(slice::from_mut(thread), steps, (pc, None));
                thread.executed += 1;
            }
            _ => break,
        }
        thread.frame.pc = pc + 1;
    }
}

/// Puts threads in front that are to run next. Says how many stand at one op in one mode; none if all have ended.
///
/// * `ordered`: whether they are in the order of their numbers.
fn line_up(threads: &mut [Thread<'_>], ordered: &mut bool) -> usize {
    let Some((leader, others)) = threads.split_first_mut() else {
        return 0;
    };
    settle(leader);
    let (pc, now, mode) = (leader.frame.pc, turn(leader), leader.mode);
    let (mut alike, mut before) = (true, leader.id.index);
    // Mostly all are at one op in the order of their numbers, so that there is nothing to sort.
    for thread in others {
        settle(thread);
        let same = thread.frame.pc == pc && turn(thread) == now && thread.mode == mode;
        alike &= same && before < thread.id.index;
        before = thread.id.index;
    }
    if alike {
        return if pc == ENDED { 0 } else { threads.len() };
    }
    *ordered = false;
    threads.sort_unstable_by_key(|t| (t.frame.pc == ENDED, turn(t), t.frame.pc, t.id.index));
    let (pc, mode) = (threads[0].frame.pc, threads[0].mode);
    let stands = |t: &&Thread<'_>| t.frame.pc == pc && t.mode == mode && pc != ENDED;
    threads.iter().take_while(stands).count()
}

/// How often a thread has run for so long that others have their turn: one that waits for them in a loop would never
/// come to the place where they are.
#[inline(always)]
const fn turn(thread: &Thread<'_>) -> u64 {
    thread.executed / BLOCK
}

/// Runs threads that are at one op in one float mode until they part or come to `join`, or have had their turn. Says
/// whether all are known to have ended.
fn advance<'e, 'p: 'e, O: Observer>(
    front: &mut [Thread<'p>],
    observers: &mut [O],
    (join, everyone): (u32, bool),
    (environment, kept): (&Environment<'e>, &mut Kept<'e>),
) -> Result<bool, Box<Trap>> {
    let Some((mode, now)) = front.first().map(|leader| (leader.mode, turn(leader))) else {
        return Ok(true);
    };
    loop {
        match stride(front, (join, everyone), environment) {
            Some(ENDED) => return Ok(true),
            Some(pc) => act(front, observers, pc, (environment, kept))?,
            None => {}
        }
        settle(&mut front[0]);
        let (pc, mut together) = (front[0].frame.pc, true);
        for thread in front.iter_mut() {
            settle(thread);
            together &= thread.frame.pc == pc && thread.mode == mode;
        }
        let turned = turn(&front[0]) != now;
        if turned {
            for thread in front.iter_mut() {
                thread.pay(environment)?;
            }
        }
        if !together || pc >= join || turned {
            return Ok(false);
        }
    }
}

/// Runs what threads that are at one op do alike: steps, branches, and messages served for all of them. Says
/// at which op they are that each does for itself, or that is one too many for one of them, or that they have ended;
/// `None` if they have parted, or have come to `join` or to where lanes of one of them wait.
///
/// * `everyone`: the barrier opens once these are there.
fn stride(
    front: &mut [Thread<'_>],
    (join, everyone): (u32, bool),
    environment: &Environment<'_>,
) -> Option<u32> {
    let Environment { code, limit, .. } = *environment;
    let leader = front.first()?;
    let (program, mut pc) = (leader.program, leader.frame.pc);
    let mode = leader.mode;
    let watched = environment.through_bits || environment.tally.is_some();
    let steps = steps(program, environment, mode, false);
    let seen = Seen::by(environment.tally, front.iter().any(|thread| thread.kept));
    let mut native = environment.native_code((program, &front[0].arena), mode, seen);
    let (mut waits, mut most) = where_they_are(front, join);
    let mut left = limit.saturating_sub(most).min(BLOCK);
    let (mut done, mut together, mut worked) = (0, true, 0);
    while together && pc < waits && done < left {
        if environment.plans.is_left_often(code) {
            environment.plans.choose_cut(code);
            native = environment.native_code((program, &front[0].arena), mode, seen);
        }
        if let Some(native) = native
            && native.until(pc) == 0
        {
            (left, most) = (left - done, most + done);
            place(front, pc, &mut done);
            let bounds = [limit, BLOCK];
            if let Some(stands) = native.run(front, environment.memories(), pc, bounds, everyone) {
                if stands.ended {
                    return Some(ENDED);
                }
                let before = (pc, most);
                (pc, together) = (stands.pc, stands.together);
                (waits, most) = (stands.join.min(join), stands.most);
                left = left.saturating_sub(most.saturating_sub(before.1));
                // The first op may be one that only a step does.
                if !together || (pc, most) != before {
                    continue;
                }
            }
        }
        let mut run = u64::from(code.run(pc)).min(left - done);
        if let Some(native) = native {
            run = run.min(ops_before(native, pc));
        } else if worked > MOST_BEFORE {
            code.has_worked(worked, front.len());
            native = environment.native_code((program, &front[0].arena), mode, seen);
            worked = 0;
        }
        worked += run;
        if run > 0 {
            let run_of = &steps[pc as usize..][..run as usize];
            run_steps(front, run_of, (pc, environment.tally));
            (pc, done) = (pc + run as u32, done + run);
            continue;
        }
        let op = program.ops.get(pc as usize);
        let counted = match op {
            Some(Op::Goto { .. }) => true,
            Some(Op::Barrier(Barrier::Whole)) => everyone,
            Some(Op::Return { lanes, guard: None }) => front.iter().all(|t| t.ends(*lanes)),
            _ => false,
        };
        if let Some(tally) = environment.tally.filter(|_| counted) {
            tally.ran(front, pc..pc + 1);
        }
        match op {
            Some(Op::Goto {
                lanes,
                guard,
                target,
            }) => {
                if guard.is_none() && lanes.count == 1 {
                    pc = *target;
                } else {
                    (together, waits) = branch(front, pc, join, (*lanes, *guard, *target));
                    pc = front[0].frame.pc;
                }
            }
            // All are there.
            Some(Op::Barrier(_)) if counted => pc += 1,
            Some(Op::Return { .. }) if counted => pc = ENDED,
            Some(Op::LoadControl) => {
                front.iter_mut().for_each(|t| t.load_control(code));
                (pc, together) = (pc + 1, front.iter().all(|t| t.mode == mode));
                if !together {
                    place(front, pc, &mut done);
                }
                continue;
            }
            Some(Op::Send(send))
                if matches!(send.request, Request::Sampler(_))
                    && site_plans::serve(front, environment, send, pc) =>
            {
                if let Some(tally) = environment.tally {
                    tally.ran(front, pc..pc + 1);
                    for thread in front.iter() {
                        let returned = site_plans::returned(thread, send);
                        tally.moved(thread, pc, 0, returned);
                    }
                }
                pc += 1;
            }
            Some(Op::Send(send)) if transfers::is_idle(&send.request) && !watched => pc += 1,
            _ => break,
        }
        done += 1;
    }
    if native.is_none() && worked > 0 {
        code.has_worked(worked, front.len());
    }
    for thread in front {
        thread.executed += done;
        if together {
            thread.frame.pc = pc;
        }
    }
    (together && pc < waits).then_some(pc)
}

/// Ops after which it is asked whether native code pays.
pub(super) const MOST_BEFORE: u64 = 256;

/// Ops up to the next one at which code may be entered; where it was not, as far as they follow each other.
pub(super) fn ops_before(native: &Native, pc: u32) -> u64 {
    match native.until(pc) {
        0 => u64::MAX,
        ops => u64::from(ops),
    }
}

/// Where threads or lanes of one of them have to wait, and the most instructions that one has run.
fn where_they_are(front: &[Thread<'_>], join: u32) -> (u32, u64) {
    front.iter().fold((join, 0), |(waits, most), t| {
        (waits.min(t.frame.join), most.max(t.executed))
    })
}

/// Tells threads where they are and what they have done, of which then nothing is left to tell.
fn place(front: &mut [Thread<'_>], pc: u32, done: &mut u64) {
    for thread in front {
        thread.executed += *done;
        thread.frame.pc = pc;
    }
    *done = 0;
}

/// Lets threads take the branch that all are at. Says whether all are at one op then, and where they or
/// lanes of one of them have to wait. By itself, so that what is known of the branch stays in registers.
#[inline(never)]
fn branch(
    front: &mut [Thread<'_>],
    pc: u32,
    join: u32,
    (lanes, guard, target): (Lanes, Option<Guard>, u32),
) -> (bool, u32) {
    let (mut least, mut most, mut waits) = (u32::MAX, 0, join);
    for thread in front {
        thread.frame.pc = pc + 1;
        thread.goto(lanes, guard, target);
        (least, most) = (least.min(thread.frame.pc), most.max(thread.frame.pc));
        waits = waits.min(thread.frame.join);
    }
    (least == most, waits)
}

/// Lets threads do, one after the other, the op that all are at.
fn act<'e, 'p: 'e, O: Observer>(
    front: &mut [Thread<'p>],
    observers: &mut [O],
    pc: u32,
    (environment, kept): (&Environment<'e>, &mut Kept<'e>),
) -> Result<(), Box<Trap>> {
    let limit = environment.limit;
    let Some(op) = front
        .first()
        .and_then(|leader| leader.program.ops.get(pc as usize))
    else {
        front.iter_mut().for_each(|t| t.frame.pc = ENDED);
        return Ok(());
    };
    if environment.code.run(pc) > 0 {
        // A step that is one too many for one of them; those before it will come here again.
        let over = front.iter().find(|t| t.executed >= limit);
        return over.map_or(Ok(()), |t| Err(t.over_limit(limit)));
    }
    let (mut rows, mut blocks, mut coalesced) = (None, None, None);
    if let Op::Send(send) = op {
        rows = Rows::new(&front[0], environment, send, pc);
        if rows.is_none() {
            blocks = kept.of(&front[0], environment, send, pc);
        }
        if rows.is_none() && blocks.is_none() {
            coalesced = Coalesced::new(&front[0], environment, send, pc);
        }
    }
    for thread in front {
        thread.count(op, limit)?;
        let observer = &mut observers[thread.slot];
        if let Some(tally) = environment.tally.filter(|_| !is_bookkeeping(op)) {
            tally.ran(slice::from_ref(thread), pc..pc + 1);
        }
        let served = match environment.tally {
            None => {
                rows.as_ref().is_some_and(|rows| rows.write(thread))
                    || blocks.as_mut().is_some_and(|blocks| blocks.serve(thread))
                    || coalesced
                        .as_ref()
                        .is_some_and(|message| message.serve(thread, environment).is_some())
            }
            Some(tally) => {
                let row = rows.as_ref().and_then(|rows| rows.write_counted(thread));
                let moved = row.or_else(|| coalesced.as_ref()?.serve_counted(thread, environment));
                if let Some((moved, returned)) = moved {
                    tally.moved(thread, pc, moved, returned);
                }
                moved.is_some()
            }
        };
        if served {
            thread.frame.pc = pc + 1;
            continue;
        }
        let after = match environment.tally {
            Some(_) => thread.act(environment, op, pc, observer)?,
            None => thread.act(environment, op, pc, &mut Silent)?,
        };
        match after {
            After::Next => {}
            After::Stop(stop) => {
                thread.rests = (stop == Stop::Barrier).then_some(thread.frame.pc);
                thread.frame.pc = ENDED;
            }
        }
    }
    Ok(())
}

/// Lets lanes that wait where a thread is join the others.
#[inline(always)]
fn settle(thread: &mut Thread<'_>) {
    if thread.frame.pc >= thread.frame.join && thread.frame.pc != ENDED {
        thread.frame.rejoin();
    }
}
