//! Kernels and their arguments.

use crate::device::{self, Device};
use crate::host;
use crate::kernel::{self, Given, Kernel, Kind};
use crate::memory::{Content, Mem};
use crate::object::{Result, find, release, retain};
use crate::program::Program;
use crate::queue::Queue;
use crate::sampler::Sampler;
use crate::sys::*;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

pub unsafe extern "C" fn clCreateKernel(
    own: cl_program,
    name: *const c_char,
    status: *mut cl_int,
) -> cl_kernel {
    // SAFETY: the host's promises: for the status; the name ends with a 0.
    unsafe {
        host::made(status, || {
            let program = find::<Program>(own)?;
            if name.is_null() {
                return Err(CL_INVALID_VALUE);
            }
            Kernel::create(&program, &host::text(name))
        })
    }
}

pub unsafe extern "C" fn clCreateKernelsInProgram(
    own: cl_program,
    room: cl_uint,
    list: *mut cl_kernel,
    count: *mut cl_uint,
) -> cl_int {
    host::status(|| {
        let program = find::<Program>(own)?;
        let codes = program.codes();
        let names = &codes.first().ok_or(CL_INVALID_PROGRAM_EXECUTABLE)?.names;
        if !list.is_null() {
            if (room as usize) < names.len() {
                return Err(CL_INVALID_VALUE);
            }
            for (at, name) in names.iter().enumerate() {
                let kernel = Kernel::create(&program, name)?;
                // SAFETY: the host's promise: room for `room` handles, which are no fewer.
                unsafe { host::put(list.add(at), kernel.handle()) };
            }
        }
        // SAFETY: the host's promise: null or a place for a number.
        unsafe { host::put(count, names.len() as cl_uint) };
        Ok(())
    })
}

pub unsafe extern "C" fn clCloneKernel(own: cl_kernel, status: *mut cl_int) -> cl_kernel {
    // SAFETY: the host's promise for the status.
    unsafe { host::made(status, || Ok(find::<Kernel>(own)?.copy())) }
}

pub unsafe extern "C" fn clRetainKernel(own: cl_kernel) -> cl_int {
    host::status(|| retain::<Kernel>(own))
}

pub unsafe extern "C" fn clReleaseKernel(own: cl_kernel) -> cl_int {
    host::status(|| release::<Kernel>(own))
}

pub unsafe extern "C" fn clSetKernelArg(
    own: cl_kernel,
    number: cl_uint,
    size: usize,
    value: *const c_void,
) -> cl_int {
    host::status(|| {
        let own = find::<Kernel>(own)?;
        let kind = own.kind(number)?;
        if kind == Kind::Local {
            match (size, value.is_null()) {
                (0, _) => return Err(CL_INVALID_ARG_SIZE),
                (_, false) => return Err(CL_INVALID_ARG_VALUE),
                (size, true) => own.set(number, Given::Local(size)),
            }
            return Ok(());
        }
        match kind {
            Kind::Value(_) if value.is_null() => return Err(CL_INVALID_ARG_VALUE),
            Kind::Sampler if value.is_null() => return Err(CL_INVALID_SAMPLER),
            _ => {}
        }
        let wrong = match kind {
            Kind::Value(0) => size == 0,
            Kind::Value(bytes) => size != bytes,
            _ => size != size_of::<*const c_void>(),
        };
        if wrong {
            return Err(CL_INVALID_ARG_SIZE);
        }
        // SAFETY: the host's promise: null or `size` bytes.
        let bytes = unsafe { host::bytes(value, size) };
        let handle = kernel::handle_of(&bytes).unwrap_or(std::ptr::null_mut());
        let given = match kind {
            Kind::Pointer | Kind::Image if value.is_null() || handle.is_null() => {
                Given::Memory(None)
            }
            Kind::Pointer | Kind::Image => {
                let mem = find::<Mem>(handle)?;
                let is_image = matches!(mem.content, Content::Image(_));
                if is_image != (kind == Kind::Image) {
                    return Err(CL_INVALID_MEM_OBJECT);
                }
                own.may_take(number, &mem)?;
                Given::Memory(Some(Arc::downgrade(&mem)))
            }
            Kind::Sampler => Given::Sampler(find::<Sampler>(handle)?),
            Kind::Value(_) | Kind::Local => Given::Value(bytes),
        };
        own.set(number, given);
        Ok(())
    })
}

pub unsafe extern "C" fn clSetKernelArgSVMPointer(
    own: cl_kernel,
    number: cl_uint,
    value: *const c_void,
) -> cl_int {
    host::status(|| {
        let own = find::<Kernel>(own)?;
        if own.kind(number)? != Kind::Pointer {
            return Err(CL_INVALID_ARG_VALUE);
        }
        own.set(number, Given::Pointer(value.expose_provenance()));
        Ok(())
    })
}

pub unsafe extern "C" fn clSetKernelExecInfo(
    own: cl_kernel,
    name: cl_kernel_exec_info,
    size: usize,
    value: *const c_void,
) -> cl_int {
    host::status(|| {
        find::<Kernel>(own)?;
        let pointers = name == CL_KERNEL_EXEC_INFO_SVM_PTRS;
        // No pointers at all are a list, too.
        if value.is_null() != (size == 0) || size == 0 && !pointers {
            return Err(CL_INVALID_VALUE);
        }
        match name {
            // All memory of the context is there for every kernel.
            CL_KERNEL_EXEC_INFO_SVM_PTRS if size.is_multiple_of(size_of::<usize>()) => Ok(()),
            CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM => {
                // SAFETY: the host's promise: `size` bytes.
                let bytes = unsafe { host::bytes(value, size) };
                match bytes.iter().all(|&byte| byte == 0) {
                    true => Ok(()),
                    false => Err(CL_INVALID_OPERATION),
                }
            }
            _ => Err(CL_INVALID_VALUE),
        }
    })
}

pub unsafe extern "C" fn clGetKernelInfo(
    own: cl_kernel,
    name: cl_kernel_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Kernel>(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(kernel::query(&own, name)?, size, value, needed) }
    })
}

pub unsafe extern "C" fn clGetKernelArgInfo(
    own: cl_kernel,
    number: cl_uint,
    name: cl_kernel_arg_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Kernel>(own)?;
        let answer = kernel::query_argument(&own, number, name)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(answer, size, value, needed) }
    })
}

/// The device of a query; the only one of the program without it.
fn device_of(kernel: &Kernel, device: cl_device_id) -> Result<&'static Device> {
    let own = &kernel.program.devices;
    if device.is_null() {
        return match own[..] {
            [one] => Ok(one),
            _ => Err(CL_INVALID_DEVICE),
        };
    }
    let device = device::find(device)?;
    match own.iter().any(|d| std::ptr::eq(*d, device)) {
        true => Ok(device),
        false => Err(CL_INVALID_DEVICE),
    }
}

pub unsafe extern "C" fn clGetKernelWorkGroupInfo(
    own: cl_kernel,
    device: cl_device_id,
    name: cl_kernel_work_group_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Kernel>(own)?;
        let answer = kernel::query_group(&own, device_of(&own, device)?, name)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(answer, size, value, needed) }
    })
}

pub unsafe extern "C" fn clGetKernelSubGroupInfo(
    own: cl_kernel,
    device: cl_device_id,
    name: cl_kernel_sub_group_info,
    input_size: usize,
    input: *const c_void,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Kernel>(own)?;
        let device = device_of(&own, device)?;
        let count = match input.is_null() {
            true => 0,
            false => input_size / size_of::<usize>(),
        };
        // SAFETY: the host's promise: `input_size` bytes.
        let input = unsafe { host::array(input.cast::<usize>(), count, CL_INVALID_VALUE) };
        let room = size / size_of::<usize>();
        let answer = kernel::query_subgroup(&own, device, name, &input.unwrap_or_default(), room)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(answer, size, value, needed) }
    })
}

pub unsafe extern "C" fn clGetKernelSuggestedLocalWorkSize(
    queue: cl_command_queue,
    own: cl_kernel,
    work_dim: cl_uint,
    _offset: *const usize,
    global: *const usize,
    suggested: *mut usize,
) -> cl_int {
    host::status(|| {
        let queue = find::<Queue>(queue)?;
        let own = find::<Kernel>(own)?;
        if !(1..=3).contains(&work_dim) {
            return Err(CL_INVALID_WORK_DIMENSION);
        }
        if global.is_null() || suggested.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        own.given()?;
        let code = own.code(queue.device)?;
        let runs = code.runs.as_ref().map_err(|_| CL_OUT_OF_RESOURCES)?;
        // SAFETY: the host's promise: `work_dim` sizes.
        let global = unsafe { host::three(global, work_dim as usize, 1) };
        let global = global.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let sizes = kernel::suggested(
            runs,
            global,
            queue.device.limits.group,
            own.program_for(queue.device)?.partial_groups,
        );
        for (at, size) in sizes.iter().take(work_dim as usize).enumerate() {
            // SAFETY: the host's promise: room for `work_dim` sizes.
            unsafe { host::put(suggested.add(at), *size as usize) };
        }
        Ok(())
    })
}
