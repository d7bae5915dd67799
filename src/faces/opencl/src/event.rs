//! Events: how far a command has come, and who waits for it.
//!
//! ```text
//!  CL_QUEUED 3 ─▶ CL_SUBMITTED 2 ─▶ CL_RUNNING 1 ─▶ CL_COMPLETE 0, or an error below 0
//! ```

use crate::context::Context;
use crate::host::{Callback, Changed};
use crate::info::{self, Info};
use crate::object::{Object, Result, Status, class, lock, look_a_while};
use crate::queue::{Engine, Queue};
use crate::sys::*;
use std::sync::atomic::{
    AtomicBool,
    Ordering::{Acquire, Release},
};
use std::sync::{Arc, Condvar, Mutex};

/// An event of a command, or of the host.
pub struct Event {
    /// Its context.
    pub context: Arc<Object<Context>>,
    /// Its queue; none of an event of the host.
    pub queue: Option<Arc<Object<Queue>>>,
    /// What its command does: `CL_COMMAND_…`.
    pub command: cl_command_type,
    state: Mutex<State>,
    changed: Condvar,
    /// Whether it has ended: said before those who wait are.
    done: AtomicBool,
}

class!(Event, CL_INVALID_EVENT);

struct State {
    status: cl_int,
    /// When it was queued, submitted, started and ended, in nanoseconds of the host's clock.
    times: [u64; 4],
    callbacks: Vec<(cl_int, Arc<Callback<Changed>>)>,
    /// Somebody sleeps until it ends.
    sleeps: bool,
    /// Queues with commands that wait for it.
    waiting: Vec<Arc<Engine>>,
}

/// The host's clock in nanoseconds.
pub fn now() -> u64 {
    use std::sync::OnceLock;
    use std::time::{Instant, SystemTime, UNIX_EPOCH};
    static START: OnceLock<(Instant, u64)> = OnceLock::new();
    let (start, at) = START.get_or_init(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        (Instant::now(), since.map_or(0, |d| d.as_nanos() as u64))
    });
    at + start.elapsed().as_nanos() as u64
}

impl Event {
    /// An event of a command that is queued now.
    pub fn of_command(queue: &Arc<Object<Queue>>, command: cl_command_type) -> Arc<Object<Event>> {
        Event::with(
            Arc::clone(&queue.context),
            Some(Arc::clone(queue)),
            command,
            CL_QUEUED,
        )
    }

    /// An event that the host ends.
    pub fn of_host(context: Arc<Object<Context>>) -> Arc<Object<Event>> {
        Event::with(context, None, CL_COMMAND_USER, CL_SUBMITTED)
    }

    fn with(
        context: Arc<Object<Context>>,
        queue: Option<Arc<Object<Queue>>>,
        command: cl_command_type,
        status: cl_int,
    ) -> Arc<Object<Event>> {
        Object::new(Event {
            context,
            queue,
            command,
            state: Mutex::new(State {
                status,
                times: [now(), 0, 0, 0],
                callbacks: Vec::new(),
                sleeps: false,
                waiting: Vec::new(),
            }),
            changed: Condvar::new(),
            done: AtomicBool::new(false),
        })
    }

    /// How far it is.
    pub fn status(&self) -> cl_int {
        lock(&self.state).status
    }

    /// Whether it has ended, well or not.
    pub fn has_ended(&self) -> bool {
        self.status() <= CL_COMPLETE
    }

    /// Waits for its end; its status then.
    pub fn wait(&self) -> cl_int {
        look_a_while(|| self.done.load(Acquire));
        let mut state = lock(&self.state);
        while state.status > CL_COMPLETE {
            state.sleeps = true;
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        state.status
    }

    /// Tells a queue when it ends; `false` if it has ended.
    pub fn wake(&self, engine: &Arc<Engine>) -> bool {
        let mut state = lock(&self.state);
        if state.status <= CL_COMPLETE {
            return false;
        }
        state.waiting.push(Arc::clone(engine));
        true
    }
}

/// Moves an event on; everybody who waits is told. A status that is not further is left out.
pub fn advance(event: &Object<Event>, status: cl_int) {
    let mut called = Vec::new();
    let mut waiting = Vec::new();
    {
        let mut state = lock(&event.state);
        if status >= state.status {
            return;
        }
        // What lies between is passed, too, unless it failed before it ran.
        let from = state.status;
        let at = now();
        for (index, passed) in [(1, CL_SUBMITTED), (2, CL_RUNNING), (3, CL_COMPLETE)] {
            if passed < from && (status <= passed) {
                state.times[index] = at;
            }
        }
        state.status = status;
        state.callbacks.retain(|(at, callback)| {
            let due = status <= *at;
            if due {
                called.push((*at, Arc::clone(callback)));
            }
            !due
        });
        if status <= CL_COMPLETE {
            waiting.append(&mut state.waiting);
            event.done.store(true, Release);
            if state.sleeps {
                event.changed.notify_all();
            }
        }
    }
    called.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (at, callback) in called {
        let told = if status < 0 { status } else { at };
        callback.call(event.handle(), told);
    }
    for engine in waiting {
        engine.wake();
    }
}

/// Calls back when an event has come to a status, now if it has.
pub fn call_back(event: &Object<Event>, at: cl_int, callback: Callback<Changed>) {
    let callback = Arc::new(callback);
    let status = {
        let mut state = lock(&event.state);
        if state.status > at {
            state.callbacks.push((at, callback));
            return;
        }
        state.status
    };
    callback.call(event.handle(), if status < 0 { status } else { at });
}

/// Ends an event of the host.
///
/// # Errors
/// `CL_INVALID_EVENT`: it is that of a command; `CL_INVALID_VALUE`: not an end; `CL_INVALID_OPERATION`: it has ended.
pub fn set_status(event: &Object<Event>, status: cl_int) -> Result<()> {
    if event.queue.is_some() {
        return Err(CL_INVALID_EVENT);
    }
    if status > CL_COMPLETE {
        return Err(CL_INVALID_VALUE);
    }
    if event.has_ended() {
        return Err(CL_INVALID_OPERATION);
    }
    advance(event, status);
    Ok(())
}

/// `clGetEventInfo`.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query.
pub fn query(event: &Object<Event>, name: cl_event_info) -> Result<Info> {
    Ok(match name {
        CL_EVENT_COMMAND_QUEUE => {
            let queue = event.queue.as_ref();
            info::pointer(queue.map_or(std::ptr::null_mut(), |queue| queue.handle()))
        }
        CL_EVENT_CONTEXT => info::pointer(event.context.handle()),
        CL_EVENT_COMMAND_TYPE => info::uint(event.command),
        CL_EVENT_COMMAND_EXECUTION_STATUS => info::uint(event.status().cast_unsigned()),
        CL_EVENT_REFERENCE_COUNT => info::uint(event.references()),
        _ => return Err(CL_INVALID_VALUE),
    })
}

/// `clGetEventProfilingInfo`.
///
/// # Errors
/// `CL_PROFILING_INFO_NOT_AVAILABLE`: its queue does not measure, or it has not ended; `CL_INVALID_VALUE`: no such query.
pub fn profile(event: &Object<Event>, name: cl_profiling_info) -> Result<Info> {
    let measures = |queue: &Arc<Object<Queue>>| queue.has(CL_QUEUE_PROFILING_ENABLE);
    let state = lock(&event.state);
    if !event.queue.as_ref().is_some_and(measures) || state.status != CL_COMPLETE {
        return Err(CL_PROFILING_INFO_NOT_AVAILABLE);
    }
    let index = match name {
        CL_PROFILING_COMMAND_QUEUED => 0,
        CL_PROFILING_COMMAND_SUBMIT => 1,
        CL_PROFILING_COMMAND_START => 2,
        CL_PROFILING_COMMAND_END | CL_PROFILING_COMMAND_COMPLETE => 3,
        _ => return Err(CL_INVALID_VALUE),
    };
    Ok(info::ulong(state.times[index]))
}

/// The status of the first event that failed.
pub fn failed(events: &[Arc<Object<Event>>]) -> Option<Status> {
    events.iter().map(|e| e.status()).find(|&status| status < 0)
}
