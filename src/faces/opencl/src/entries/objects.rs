//! Platforms, devices, contexts, queues, samplers.

use crate::context::{self, Context};
use crate::device::{self, Device};
use crate::host::{self, Callback, Ended, Told};
use crate::object::{Result, find, release, retain};
use crate::queue::{self, Queue};
use crate::sampler::{self, Sampler};
use crate::sys::*;
use crate::{event, platform};
use std::ffi::c_void;

/// The devices of a list of handles.
///
/// # Errors
/// `CL_INVALID_DEVICE`; `CL_INVALID_VALUE`: a list without a length, or a length without a list.
///
/// # Safety
/// `list` is null or points to `count` handles.
pub unsafe fn devices(list: *const cl_device_id, count: cl_uint) -> Result<Vec<&'static Device>> {
    // SAFETY: the caller's promise.
    let handles = unsafe { host::array(list, count as usize, CL_INVALID_VALUE) }?;
    handles.into_iter().map(device::find).collect()
}

pub unsafe extern "C" fn clGetPlatformIDs(
    room: cl_uint,
    list: *mut cl_platform_id,
    count: *mut cl_uint,
) -> cl_int {
    // SAFETY: the host's promise for lists.
    host::status(|| unsafe { host::list(&[platform::handle()], room, list, count) })
}

pub unsafe extern "C" fn clGetPlatformInfo(
    own: cl_platform_id,
    name: cl_platform_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        platform::find(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(platform::query(name)?, size, value, needed) }
    })
}

pub unsafe extern "C" fn clGetDeviceIDs(
    own: cl_platform_id,
    kind: cl_device_type,
    room: cl_uint,
    list: *mut cl_device_id,
    count: *mut cl_uint,
) -> cl_int {
    host::status(|| {
        platform::find(own)?;
        let of_kind = of_kind(kind)?;
        let handles: Vec<_> = of_kind.iter().map(|device| device.handle()).collect();
        // SAFETY: the host's promise for lists.
        unsafe { host::list(&handles, room, list, count) }
    })
}

/// The devices of a kind: all are GPUs.
fn of_kind(kind: cl_device_type) -> Result<Vec<&'static Device>> {
    let known = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    if kind != CL_DEVICE_TYPE_ALL && (kind == 0 || kind & !known != 0) {
        return Err(CL_INVALID_DEVICE_TYPE);
    }
    let all = device::all();
    let found: Vec<&Device> = match kind & CL_DEVICE_TYPE_GPU {
        0 if kind & CL_DEVICE_TYPE_DEFAULT != 0 => all.iter().take(1).collect(),
        0 => Vec::new(),
        _ => all.iter().collect(),
    };
    match found.is_empty() {
        true => Err(CL_DEVICE_NOT_FOUND),
        false => Ok(found),
    }
}

pub unsafe extern "C" fn clGetDeviceInfo(
    own: cl_device_id,
    name: cl_device_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let answer = device::find(own)?.query(name)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(answer, size, value, needed) }
    })
}

pub unsafe extern "C" fn clCreateSubDevices(
    own: cl_device_id,
    _properties: *const cl_device_partition_property,
    _room: cl_uint,
    _list: *mut cl_device_id,
    _count: *mut cl_uint,
) -> cl_int {
    host::status(|| {
        device::find(own)?;
        Err(CL_DEVICE_PARTITION_FAILED)
    })
}

pub unsafe extern "C" fn clRetainDevice(own: cl_device_id) -> cl_int {
    host::status(|| device::find(own).map(drop))
}

pub unsafe extern "C" fn clReleaseDevice(own: cl_device_id) -> cl_int {
    host::status(|| device::find(own).map(drop))
}

pub unsafe extern "C" fn clCreateContext(
    properties: *const cl_context_properties,
    count: cl_uint,
    list: *const cl_device_id,
    told: Option<Told>,
    data: *mut c_void,
    status: *mut cl_int,
) -> cl_context {
    // SAFETY: the host's promise for the status.
    unsafe {
        host::made(status, || {
            if told.is_none() && !data.is_null() {
                return Err(CL_INVALID_VALUE);
            }
            let properties = host::properties(properties);
            let devices = devices(list, count)?;
            let told = told.map(|told| Callback::new(told, data));
            Context::create(devices, properties, told)
        })
    }
}

pub unsafe extern "C" fn clCreateContextFromType(
    properties: *const cl_context_properties,
    kind: cl_device_type,
    told: Option<Told>,
    data: *mut c_void,
    status: *mut cl_int,
) -> cl_context {
    // SAFETY: the host's promise for the status.
    unsafe {
        host::made(status, || {
            if told.is_none() && !data.is_null() {
                return Err(CL_INVALID_VALUE);
            }
            let properties = host::properties(properties);
            let told = told.map(|told| Callback::new(told, data));
            Context::create(of_kind(kind)?, properties, told)
        })
    }
}

pub unsafe extern "C" fn clRetainContext(own: cl_context) -> cl_int {
    host::status(|| retain::<Context>(own))
}

pub unsafe extern "C" fn clReleaseContext(own: cl_context) -> cl_int {
    host::status(|| release::<Context>(own))
}

pub unsafe extern "C" fn clGetContextInfo(
    own: cl_context,
    name: cl_context_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Context>(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(context::query(&own, name)?, size, value, needed) }
    })
}

pub unsafe extern "C" fn clSetContextDestructorCallback(
    own: cl_context,
    ended: Option<Ended>,
    data: *mut c_void,
) -> cl_int {
    host::status(|| {
        let own = find::<Context>(own)?;
        let ended = ended.ok_or(CL_INVALID_VALUE)?;
        // SAFETY: the host gave it to be called once, when the context ends.
        own.ending.tell(unsafe { Callback::new(ended, data) });
        Ok(())
    })
}

pub unsafe extern "C" fn clCreateCommandQueue(
    own: cl_context,
    device: cl_device_id,
    properties: cl_command_queue_properties,
    status: *mut cl_int,
) -> cl_command_queue {
    // SAFETY: the host's promise for the status.
    unsafe {
        host::made(status, || {
            let context = find::<Context>(own)?;
            Queue::create(context, device::find(device)?, properties, None)
        })
    }
}

pub unsafe extern "C" fn clCreateCommandQueueWithProperties(
    own: cl_context,
    device: cl_device_id,
    properties: *const cl_queue_properties,
    status: *mut cl_int,
) -> cl_command_queue {
    // SAFETY: the host's promise for the status, and for lists of properties.
    unsafe {
        host::made(status, || {
            let context = find::<Context>(own)?;
            let device = device::find(device)?;
            let list = host::properties(properties);
            let mut bits = 0;
            for pair in list.chunks_exact(2) {
                match u32::try_from(pair[0]).unwrap_or(0) {
                    CL_QUEUE_PROPERTIES => bits = pair[1],
                    CL_QUEUE_SIZE => return Err(CL_INVALID_QUEUE_PROPERTIES),
                    _ => return Err(CL_INVALID_VALUE),
                }
            }
            let list = (!properties.is_null()).then_some(list);
            Queue::create(context, device, bits, list)
        })
    }
}

pub unsafe extern "C" fn clRetainCommandQueue(own: cl_command_queue) -> cl_int {
    host::status(|| retain::<Queue>(own))
}

pub unsafe extern "C" fn clReleaseCommandQueue(own: cl_command_queue) -> cl_int {
    host::status(|| release::<Queue>(own))
}

pub unsafe extern "C" fn clGetCommandQueueInfo(
    own: cl_command_queue,
    name: cl_command_queue_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Queue>(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(queue::query(&own, name)?, size, value, needed) }
    })
}

pub unsafe extern "C" fn clSetCommandQueueProperty(
    own: cl_command_queue,
    properties: cl_command_queue_properties,
    on: cl_bool,
    old: *mut cl_command_queue_properties,
) -> cl_int {
    host::status(|| {
        let own = find::<Queue>(own)?;
        // SAFETY: the host's promise: null, or a place for the properties.
        unsafe { host::put(old, own.properties()) };
        own.set(properties, on != CL_FALSE)
    })
}

pub unsafe extern "C" fn clSetDefaultDeviceCommandQueue(
    own: cl_context,
    device: cl_device_id,
    _queue: cl_command_queue,
) -> cl_int {
    host::status(|| {
        find::<Context>(own)?;
        device::find(device)?;
        Err(CL_INVALID_OPERATION)
    })
}

pub unsafe extern "C" fn clCreateSampler(
    own: cl_context,
    normalized: cl_bool,
    addressing: cl_addressing_mode,
    filter: cl_filter_mode,
    status: *mut cl_int,
) -> cl_sampler {
    // SAFETY: the host's promise for the status.
    unsafe {
        host::made(status, || {
            let context = find::<Context>(own)?;
            Sampler::create(context, normalized, addressing, filter, Vec::new())
        })
    }
}

pub unsafe extern "C" fn clCreateSamplerWithProperties(
    own: cl_context,
    properties: *const cl_sampler_properties,
    status: *mut cl_int,
) -> cl_sampler {
    // SAFETY: the host's promise for the status, and for lists of properties.
    unsafe {
        host::made(status, || {
            let context = find::<Context>(own)?;
            Sampler::of_properties(context, host::properties(properties))
        })
    }
}

pub unsafe extern "C" fn clRetainSampler(own: cl_sampler) -> cl_int {
    host::status(|| retain::<Sampler>(own))
}

pub unsafe extern "C" fn clReleaseSampler(own: cl_sampler) -> cl_int {
    host::status(|| release::<Sampler>(own))
}

pub unsafe extern "C" fn clGetSamplerInfo(
    own: cl_sampler,
    name: cl_sampler_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Sampler>(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(sampler::query(&own, name)?, size, value, needed) }
    })
}

pub unsafe extern "C" fn clGetDeviceAndHostTimer(
    own: cl_device_id,
    device_time: *mut cl_ulong,
    host_time: *mut cl_ulong,
) -> cl_int {
    host::status(|| {
        device::find(own)?;
        if device_time.is_null() || host_time.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let now = event::now();
        // SAFETY: the host's promise: places for two numbers.
        unsafe {
            host::put(device_time, now);
            host::put(host_time, now);
        }
        Ok(())
    })
}

pub unsafe extern "C" fn clGetHostTimer(own: cl_device_id, host_time: *mut cl_ulong) -> cl_int {
    host::status(|| {
        device::find(own)?;
        if host_time.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promise: a place for a number.
        unsafe { host::put(host_time, event::now()) };
        Ok(())
    })
}

pub unsafe extern "C" fn clUnloadCompiler() -> cl_int {
    CL_SUCCESS
}

pub unsafe extern "C" fn clUnloadPlatformCompiler(own: cl_platform_id) -> cl_int {
    host::status(|| match own.is_null() {
        true => Err(CL_INVALID_PLATFORM),
        false => platform::find(own),
    })
}
