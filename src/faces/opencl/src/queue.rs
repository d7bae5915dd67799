//! Command queues. Each has a thread of its own, which runs what is ready: in the order of the calls, or, out of order,
//! the first command whose events have ended.
//!
//! ```text
//!  clEnqueue… ─▶ Command ─▶ Engine: pending … ─▶ the queue's thread: wait list, work ─▶ Event
//! ```

use crate::context::Context;
use crate::device::Device;
use crate::event::{self, Event};
use crate::info::{self, Info};
use crate::launch;
use crate::object::{Object, Result, Status, class, lock, look_a_while};
use crate::sys::*;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{Arc, Condvar, Mutex};

/// A command queue.
pub struct Queue {
    /// Its context.
    pub context: Arc<Object<Context>>,
    /// Its device.
    pub device: &'static Device,
    properties: Mutex<cl_command_queue_properties>,
    /// As the host gave them.
    list: Option<Vec<cl_queue_properties>>,
    engine: Arc<Engine>,
}

class!(Queue, CL_INVALID_COMMAND_QUEUE);

/// What a command does.
pub type Work = Box<dyn FnOnce() -> Result<()> + Send>;

/// A command that has not run.
struct Command {
    event: Arc<Object<Event>>,
    /// Those that the host named: it fails with them.
    waits: Vec<Arc<Object<Event>>>,
    /// Others that come before it.
    after: Vec<Arc<Object<Event>>>,
    work: Work,
}

/// The commands of a queue, shared with its thread.
pub struct Engine {
    state: Mutex<State>,
    changed: Condvar,
    /// How often something has changed that the thread may wait for.
    changes: AtomicU64,
    in_order: AtomicBool,
}

#[derive(Default)]
struct State {
    pending: VecDeque<Command>,
    /// The event of the command that runs.
    running: Option<Arc<Object<Event>>>,
    /// The barrier that all later commands wait for.
    barrier: Option<Arc<Object<Event>>>,
    /// The first error since the queue was last waited for.
    error: Option<Status>,
    closing: bool,
    /// The thread has to be woken.
    sleeps: bool,
}

impl Engine {
    /// Looks again for a command that is ready.
    pub fn wake(&self) {
        self.tell(&lock(&self.state));
    }

    /// Tells the thread that there is something new.
    fn tell(&self, state: &State) {
        self.changes.fetch_add(1, Release);
        if state.sleeps {
            self.changed.notify_all();
        }
    }

    /// Runs commands until the queue is gone.
    fn run(&self) {
        loop {
            let mut state = lock(&self.state);
            let mut has_looked = false;
            let command = loop {
                let ready = |command: &Command| {
                    let mut before = command.waits.iter().chain(&command.after);
                    before.all(|event| event.has_ended())
                };
                let first = match self.in_order.load(Relaxed) {
                    true => state.pending.front().filter(|c| ready(c)).map(|_| 0),
                    false => state.pending.iter().position(ready),
                };
                if let Some(command) = first.and_then(|at| state.pending.remove(at)) {
                    break command;
                }
                if state.closing && state.pending.is_empty() {
                    return;
                }
                if !has_looked {
                    let seen = self.changes.load(Acquire);
                    drop(state);
                    look_a_while(|| self.changes.load(Acquire) != seen);
                    has_looked = true;
                    state = lock(&self.state);
                    continue;
                }
                state.sleeps = true;
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(|poisoned| poisoned.into_inner());
                state.sleeps = false;
            };
            state.running = Some(Arc::clone(&command.event));
            drop(state);
            let event = Arc::clone(&command.event);
            let status = finish(command);
            // What only waited for a failure is no failure of the queue's own.
            if status < 0 && status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {
                lock(&self.state).error.get_or_insert(status);
            }
            event::advance(&event, status);
            let mut state = lock(&self.state);
            let is_own = |own: &mut Arc<Object<Event>>| Arc::ptr_eq(own, &event);
            let done = (state.running.take(), state.barrier.take_if(is_own));
            // The event may be the last that knows the queue, whose end takes the lock.
            drop(state);
            drop((done, event));
        }
    }
}

/// Held by the command that runs, where launches are sanitized: a launch with something to report is undone and run again,
/// and what other commands do to the same memory meanwhile would be undone with it.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs a command; its status.
fn finish(command: Command) -> Status {
    let Command {
        event, waits, work, ..
    } = command;
    if event::failed(&waits).is_some() {
        return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    event::advance(&event, CL_RUNNING);
    let _alone = launch::is_sanitized().then(|| lock(&ALONE));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => CL_COMPLETE,
        Ok(Err(status)) => status,
        Err(_) => {
            let own = "visim: a command ended in a panic, which is a fault of visim: please report the lines above";
            event.context.tell(own);
            CL_OUT_OF_RESOURCES
        }
    }
}

/// Everything a queue may be asked to be.
const KNOWN: cl_command_queue_properties = OUT_OF_ORDER | CL_QUEUE_PROFILING_ENABLE;
const OUT_OF_ORDER: cl_command_queue_properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

impl Queue {
    /// A queue with its thread.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE`: not one of the context; `CL_INVALID_VALUE`, `CL_INVALID_QUEUE_PROPERTIES`;
    /// `CL_OUT_OF_RESOURCES`: the system gives no thread.
    pub fn create(
        context: Arc<Object<Context>>,
        device: &'static Device,
        properties: cl_command_queue_properties,
        list: Option<Vec<cl_queue_properties>>,
    ) -> Result<Arc<Object<Queue>>> {
        if !context.has(device) {
            return Err(CL_INVALID_DEVICE);
        }
        let device_queue = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
        if properties & !(KNOWN | device_queue) != 0 {
            return Err(CL_INVALID_VALUE);
        }
        if properties & device_queue != 0 {
            return Err(CL_INVALID_QUEUE_PROPERTIES);
        }
        let engine = Arc::new(Engine {
            state: Mutex::default(),
            changed: Condvar::new(),
            changes: AtomicU64::new(0),
            in_order: AtomicBool::new(properties & OUT_OF_ORDER == 0),
        });
        let own = Arc::clone(&engine);
        let thread = std::thread::Builder::new().name("visim queue".to_string());
        let started = thread.spawn(move || own.run());
        started.map_err(|_| CL_OUT_OF_RESOURCES)?;
        Ok(Object::new(Queue {
            context,
            device,
            properties: Mutex::new(properties),
            list,
            engine,
        }))
    }

    /// Whether it has a property.
    pub fn has(&self, property: cl_command_queue_properties) -> bool {
        *lock(&self.properties) & property != 0
    }

    /// `CL_QUEUE_…`.
    pub fn properties(&self) -> cl_command_queue_properties {
        *lock(&self.properties)
    }

    /// Changes properties.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: one that is not known.
    pub fn set(&self, properties: cl_command_queue_properties, on: bool) -> Result<()> {
        if properties & !KNOWN != 0 {
            return Err(CL_INVALID_VALUE);
        }
        let mut own = lock(&self.properties);
        *own = match on {
            true => *own | properties,
            false => *own & !properties,
        };
        let in_order = *own & OUT_OF_ORDER == 0;
        self.engine.in_order.store(in_order, Relaxed);
        Ok(())
    }

    /// Waits until every command has ended.
    ///
    /// # Errors
    /// The error of the first command that failed since the last call.
    pub fn finish(&self) -> Result<()> {
        for event in self.unfinished() {
            event.wait();
        }
        let error = lock(&self.engine.state).error.take();
        error.map_or(Ok(()), Err)
    }

    fn unfinished(&self) -> Vec<Arc<Object<Event>>> {
        let state = lock(&self.engine.state);
        let pending = state.pending.iter().map(|c| Arc::clone(&c.event));
        state.running.iter().cloned().chain(pending).collect()
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let mut state = lock(&self.engine.state);
        state.closing = true;
        self.engine.tell(&state);
    }
}

/// Whom a command waits for, and whether the host waits for it.
pub struct Order {
    /// The events of its wait list.
    pub waits: Vec<Arc<Object<Event>>>,
    /// The call returns when the command has ended.
    pub blocking: bool,
    /// It waits for everything before it.
    pub after_all: bool,
    /// Everything behind it waits for it.
    pub before_all: bool,
}

impl Order {
    /// After the events of a wait list.
    pub fn after(waits: Vec<Arc<Object<Event>>>, blocking: bool) -> Order {
        Order {
            waits,
            blocking,
            after_all: false,
            before_all: false,
        }
    }
}

/// Queues a command.
///
/// # Errors
/// `CL_INVALID_CONTEXT`: an event of another context; of a blocking command what it ended with.
pub fn enqueue(
    queue: &Arc<Object<Queue>>,
    command: cl_command_type,
    order: Order,
    work: Work,
) -> Result<Arc<Object<Event>>> {
    let waits = order.waits;
    if waits
        .iter()
        .any(|e| !Arc::ptr_eq(&e.context, &queue.context))
    {
        return Err(CL_INVALID_CONTEXT);
    }
    let event = Event::of_command(queue, command);
    let engine = &queue.engine;
    event::advance(&event, CL_SUBMITTED);
    {
        let mut state = lock(&engine.state);
        let mut after = Vec::new();
        if !engine.in_order.load(Relaxed) {
            if order.after_all {
                let pending = state.pending.iter().map(|c| Arc::clone(&c.event));
                after.extend(state.running.iter().cloned().chain(pending));
            }
            after.extend(state.barrier.clone());
            if order.before_all {
                state.barrier = Some(Arc::clone(&event));
            }
        }
        for before in waits.iter().chain(&after) {
            before.wake(engine);
        }
        state.pending.push_back(Command {
            event: Arc::clone(&event),
            waits,
            after,
            work,
        });
        engine.tell(&state);
    }
    if order.blocking {
        let status = event.wait();
        if status < 0 {
            return Err(status);
        }
    }
    Ok(event)
}

/// `clGetCommandQueueInfo`.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query; `CL_INVALID_COMMAND_QUEUE`: one of queues on a device.
pub fn query(queue: &Object<Queue>, name: cl_command_queue_info) -> Result<Info> {
    Ok(match name {
        CL_QUEUE_CONTEXT => info::pointer(queue.context.handle()),
        CL_QUEUE_DEVICE => info::pointer(queue.device.handle()),
        CL_QUEUE_REFERENCE_COUNT => info::uint(queue.references()),
        CL_QUEUE_PROPERTIES => info::ulong(*lock(&queue.properties)),
        CL_QUEUE_PROPERTIES_ARRAY => info::ulongs(queue.list.as_deref().unwrap_or_default()),
        CL_QUEUE_SIZE => return Err(CL_INVALID_COMMAND_QUEUE),
        CL_QUEUE_DEVICE_DEFAULT => info::pointer(std::ptr::null_mut()),
        _ => return Err(CL_INVALID_VALUE),
    })
}
