//! Buffers, sub-buffers, shared virtual memory.

use crate::context::Context;
use crate::host::{self, Callback, Ended, HostMemory};
use crate::memory::{self, Mem};
use crate::object::{Result, find, release, retain};
use crate::sys::*;
use std::ffi::c_void;
use std::sync::Arc;

/// A buffer of a host's call.
///
/// # Safety
/// `pointer` is null or has `size` bytes, for the life of the buffer if the flags lend them.
unsafe fn create(
    own: cl_context,
    properties: Vec<cl_mem_properties>,
    flags: cl_mem_flags,
    size: usize,
    pointer: *mut c_void,
) -> Result<Arc<crate::object::Object<Mem>>> {
    let context = find::<Context>(own)?;
    if properties.first().is_some_and(|&first| first != 0) {
        return Err(CL_INVALID_PROPERTY);
    }
    memory::check_flags(flags)?;
    memory::check_host(flags, pointer)?;
    // SAFETY: the caller's promise.
    let host = (!pointer.is_null()).then(|| unsafe { HostMemory::new(pointer, size) });
    Mem::buffer(context, flags, size, host, properties)
}

pub unsafe extern "C" fn clCreateBuffer(
    own: cl_context,
    flags: cl_mem_flags,
    size: usize,
    pointer: *mut c_void,
    status: *mut cl_int,
) -> cl_mem {
    // SAFETY: the host's promises: for the status, and for the bytes of a buffer.
    unsafe { host::made(status, || create(own, Vec::new(), flags, size, pointer)) }
}

pub unsafe extern "C" fn clCreateBufferWithProperties(
    own: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    size: usize,
    pointer: *mut c_void,
    status: *mut cl_int,
) -> cl_mem {
    // SAFETY: the host's promises: for the status, lists of properties, and the bytes of a buffer.
    unsafe {
        host::made(status, || {
            create(own, host::properties(properties), flags, size, pointer)
        })
    }
}

pub unsafe extern "C" fn clCreateSubBuffer(
    own: cl_mem,
    flags: cl_mem_flags,
    kind: cl_buffer_create_type,
    about: *const c_void,
    status: *mut cl_int,
) -> cl_mem {
    // SAFETY: the host's promises: for the status; `about` is null or a region.
    unsafe {
        host::made(status, || {
            let parent = find::<Mem>(own)?;
            if kind != CL_BUFFER_CREATE_TYPE_REGION || about.is_null() {
                return Err(CL_INVALID_VALUE);
            }
            let region: cl_buffer_region = about.cast::<cl_buffer_region>().read_unaligned();
            Mem::part(parent, flags, region.origin, region.size)
        })
    }
}

pub unsafe extern "C" fn clRetainMemObject(own: cl_mem) -> cl_int {
    host::status(|| retain::<Mem>(own))
}

pub unsafe extern "C" fn clReleaseMemObject(own: cl_mem) -> cl_int {
    host::status(|| release::<Mem>(own))
}

pub unsafe extern "C" fn clGetMemObjectInfo(
    own: cl_mem,
    name: cl_mem_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Mem>(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(memory::query(&own, name)?, size, value, needed) }
    })
}

/// There are no pipes: no handle is one.
pub unsafe extern "C" fn clGetPipeInfo(
    _own: cl_mem,
    _name: cl_pipe_info,
    _size: usize,
    _value: *mut c_void,
    _needed: *mut usize,
) -> cl_int {
    CL_INVALID_MEM_OBJECT
}

pub unsafe extern "C" fn clSetMemObjectDestructorCallback(
    own: cl_mem,
    ended: Option<Ended>,
    data: *mut c_void,
) -> cl_int {
    host::status(|| {
        let own = find::<Mem>(own)?;
        let ended = ended.ok_or(CL_INVALID_VALUE)?;
        // SAFETY: the host gave it to be called once, when the object ends.
        own.ending.tell(unsafe { Callback::new(ended, data) });
        Ok(())
    })
}

pub unsafe extern "C" fn clSVMAlloc(
    own: cl_context,
    flags: cl_svm_mem_flags,
    size: usize,
    alignment: cl_uint,
) -> *mut c_void {
    let allocate = || {
        let context = find::<Context>(own)?;
        let fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
        let most = context.devices.iter().map(|d| d.limits.buffer).max();
        if flags & fine != 0 || size == 0 || size as u64 > most.unwrap_or(0) {
            return Err(CL_INVALID_VALUE);
        }
        memory::check_flags(flags)?;
        let block = context.svm.allocate(size, alignment as usize);
        block.ok_or(CL_OUT_OF_RESOURCES)
    };
    host::guarded(allocate).unwrap_or(std::ptr::null_mut())
}

pub unsafe extern "C" fn clSVMFree(own: cl_context, pointer: *mut c_void) {
    let free = || {
        find::<Context>(own)?.svm.free(pointer);
        Ok(())
    };
    let _ = host::guarded(free);
}
