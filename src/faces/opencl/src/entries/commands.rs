//! Launches, events, markers, and waiting.

use crate::context::Context;
use crate::event::{self, Event};
use crate::host::{self, Callback, Changed};
use crate::kernel::Kernel;
use crate::launch::{Launch, Range};
use crate::object::{Object, Result, find, release, retain};
use crate::queue::{self, Order, Queue};
use crate::sys::*;
use std::ffi::c_void;
use std::sync::Arc;

/// The events of a wait list.
///
/// # Errors
/// `CL_INVALID_EVENT_WAIT_LIST`.
///
/// # Safety
/// `list` is null or points to `count` handles.
pub unsafe fn waits(count: cl_uint, list: *const cl_event) -> Result<Vec<Arc<Object<Event>>>> {
    let wrong = CL_INVALID_EVENT_WAIT_LIST;
    // SAFETY: the caller's promise.
    let handles = unsafe { host::array(list, count as usize, wrong) }?;
    let events = handles.into_iter().map(find::<Event>);
    events.collect::<Result<_>>().map_err(|_| wrong)
}

/// Hands the event of a command to the host, if it wants it.
///
/// # Safety
/// `place` is null or has room for a handle.
pub unsafe fn hand_out(event: &Arc<Object<Event>>, place: *mut cl_event) -> Result<()> {
    match place.is_null() {
        // Nobody else holds the host's reference.
        true => release::<Event>(event.handle()),
        false => {
            // SAFETY: the caller's promise.
            unsafe { host::put(place, event.handle()) };
            Ok(())
        }
    }
}

/// Queues work and hands its event out.
///
/// # Safety
/// As [`hand_out`].
pub unsafe fn queued(
    queue: &Arc<Object<Queue>>,
    command: cl_command_type,
    order: Order,
    place: *mut cl_event,
    work: queue::Work,
) -> Result<()> {
    let blocking = order.blocking;
    let order = Order {
        blocking: false,
        ..order
    };
    let event = queue::enqueue(queue, command, order, work)?;
    let ended = blocking.then(|| event.wait());
    // SAFETY: the caller's promise.
    unsafe { hand_out(&event, place) }?;
    match ended {
        Some(status) if status < 0 => Err(status),
        _ => Ok(()),
    }
}

pub unsafe extern "C" fn clEnqueueNDRangeKernel(
    own: cl_command_queue,
    kernel: cl_kernel,
    work_dim: cl_uint,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        let queue = find::<Queue>(own)?;
        let kernel = find::<Kernel>(kernel)?;
        if !Arc::ptr_eq(&kernel.program.context, &queue.context) {
            return Err(CL_INVALID_CONTEXT);
        }
        if !(1..=3).contains(&work_dim) {
            return Err(CL_INVALID_WORK_DIMENSION);
        }
        let dims = work_dim as usize;
        // SAFETY: the host's promises: `work_dim` sizes each, or null; for the wait list.
        let (range, waits) = unsafe {
            let range = Range {
                work_dim,
                global: match global.is_null() {
                    true => [0, 1, 1],
                    false => host::three(global, dims, 1),
                },
                local: (!local.is_null()).then(|| host::three(local, dims, 1)),
                offset: host::three(offset, dims, 0),
            };
            (range, waits(count, list)?)
        };
        let launch = Launch::new(&kernel, queue.device, &range)?;
        let order = Order::after(waits, false);
        let work: queue::Work = Box::new(move || launch.run());
        // SAFETY: the host's promise for the event.
        unsafe { queued(&queue, CL_COMMAND_NDRANGE_KERNEL, order, place, work) }
    })
}

pub unsafe extern "C" fn clEnqueueTask(
    own: cl_command_queue,
    kernel: cl_kernel,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    let one: [usize; 1] = [1];
    let (none, one) = (std::ptr::null(), one.as_ptr());
    // SAFETY: the host's promises are those of the other entry; one size each.
    unsafe { clEnqueueNDRangeKernel(own, kernel, 1, none, one, one, count, list, place) }
}

pub unsafe extern "C" fn clEnqueueNativeKernel(
    own: cl_command_queue,
    _function: Option<unsafe extern "C" fn(*mut c_void)>,
    _arguments: *mut c_void,
    _size: usize,
    _count: cl_uint,
    _memory: *const cl_mem,
    _places: *mut *const c_void,
    _events: cl_uint,
    _list: *const cl_event,
    _place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        find::<Queue>(own)?;
        Err(CL_INVALID_OPERATION)
    })
}

/// Queues a command that does nothing.
///
/// # Safety
/// As [`queued`], and `list` as for [`waits`].
unsafe fn marker(
    own: cl_command_queue,
    command: cl_command_type,
    barrier: bool,
    (count, list): (cl_uint, *const cl_event),
    place: *mut cl_event,
) -> Result<()> {
    let queue = find::<Queue>(own)?;
    // SAFETY: the caller's promise.
    let waits = unsafe { waits(count, list) }?;
    let order = Order {
        after_all: waits.is_empty(),
        before_all: barrier,
        ..Order::after(waits, false)
    };
    // SAFETY: the caller's promise.
    unsafe { queued(&queue, command, order, place, Box::new(|| Ok(()))) }
}

pub unsafe extern "C" fn clEnqueueMarkerWithWaitList(
    own: cl_command_queue,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    // SAFETY: the host's promises for the wait list and the event.
    host::status(|| unsafe { marker(own, CL_COMMAND_MARKER, false, (count, list), place) })
}

pub unsafe extern "C" fn clEnqueueBarrierWithWaitList(
    own: cl_command_queue,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    // SAFETY: the host's promises for the wait list and the event.
    host::status(|| unsafe { marker(own, CL_COMMAND_BARRIER, true, (count, list), place) })
}

pub unsafe extern "C" fn clEnqueueMarker(own: cl_command_queue, place: *mut cl_event) -> cl_int {
    let none = std::ptr::null();
    host::status(|| {
        if place.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promise for the event.
        unsafe { marker(own, CL_COMMAND_MARKER, false, (0, none), place) }
    })
}

pub unsafe extern "C" fn clEnqueueBarrier(own: cl_command_queue) -> cl_int {
    let (none, nowhere) = (std::ptr::null(), std::ptr::null_mut());
    // SAFETY: nothing of the host's is read.
    host::status(|| unsafe { marker(own, CL_COMMAND_BARRIER, true, (0, none), nowhere) })
}

pub unsafe extern "C" fn clEnqueueWaitForEvents(
    own: cl_command_queue,
    count: cl_uint,
    list: *const cl_event,
) -> cl_int {
    let nowhere = std::ptr::null_mut();
    host::status(|| {
        if count == 0 {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promise for the wait list.
        unsafe { marker(own, CL_COMMAND_BARRIER, true, (count, list), nowhere) }
    })
}

pub unsafe extern "C" fn clFlush(own: cl_command_queue) -> cl_int {
    host::status(|| find::<Queue>(own).map(drop))
}

pub unsafe extern "C" fn clFinish(own: cl_command_queue) -> cl_int {
    host::status(|| find::<Queue>(own)?.finish())
}

pub unsafe extern "C" fn clWaitForEvents(count: cl_uint, list: *const cl_event) -> cl_int {
    host::status(|| {
        if count == 0 || list.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promise for the list.
        let handles = unsafe { host::array(list, count as usize, CL_INVALID_VALUE) }?;
        let events = handles.into_iter().map(find::<Event>);
        let events: Vec<Arc<Object<Event>>> = events.collect::<Result<_>>()?;
        if let Some((first, others)) = events.split_first()
            && others
                .iter()
                .any(|e| !Arc::ptr_eq(&e.context, &first.context))
        {
            return Err(CL_INVALID_CONTEXT);
        }
        let failed = events.iter().filter(|event| event.wait() < 0).count();
        match failed {
            0 => Ok(()),
            _ => Err(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        }
    })
}

pub unsafe extern "C" fn clGetEventInfo(
    own: cl_event,
    name: cl_event_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Event>(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(event::query(&own, name)?, size, value, needed) }
    })
}

pub unsafe extern "C" fn clGetEventProfilingInfo(
    own: cl_event,
    name: cl_profiling_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Event>(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(event::profile(&own, name)?, size, value, needed) }
    })
}

pub unsafe extern "C" fn clRetainEvent(own: cl_event) -> cl_int {
    host::status(|| retain::<Event>(own))
}

pub unsafe extern "C" fn clReleaseEvent(own: cl_event) -> cl_int {
    host::status(|| release::<Event>(own))
}

pub unsafe extern "C" fn clCreateUserEvent(own: cl_context, status: *mut cl_int) -> cl_event {
    // SAFETY: the host's promise for the status.
    unsafe { host::made(status, || Ok(Event::of_host(find::<Context>(own)?))) }
}

pub unsafe extern "C" fn clSetUserEventStatus(own: cl_event, status: cl_int) -> cl_int {
    host::status(|| event::set_status(&*find::<Event>(own)?, status))
}

pub unsafe extern "C" fn clSetEventCallback(
    own: cl_event,
    at: cl_int,
    changed: Option<Changed>,
    data: *mut c_void,
) -> cl_int {
    host::status(|| {
        let own = find::<Event>(own)?;
        let changed = changed.ok_or(CL_INVALID_VALUE)?;
        if !(CL_COMPLETE..=CL_SUBMITTED).contains(&at) {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host gave it to be called once, when the event comes to the status.
        event::call_back(&own, at, unsafe { Callback::new(changed, data) });
        Ok(())
    })
}
