//! Programs.

use super::objects::devices;
use crate::context::Context;
use crate::device;
use crate::host::{self, Callback, Ended};
use crate::object::{Object, Result, find, release, retain};
use crate::program::{self, MadeOf, Program};
use crate::sys::*;
use std::collections::BTreeMap;
use std::ffi::{c_char, c_uchar, c_void};
use std::sync::Arc;

pub unsafe extern "C" fn clCreateProgramWithSource(
    own: cl_context,
    count: cl_uint,
    texts: *mut *const c_char,
    lengths: *const usize,
    status: *mut cl_int,
) -> cl_program {
    // SAFETY: the host's promises: for the status; `count` texts, each as long as `lengths` says or ended by a 0.
    unsafe {
        host::made(status, || {
            let context = find::<Context>(own)?;
            if count == 0 || texts.is_null() {
                return Err(CL_INVALID_VALUE);
            }
            let texts = host::array(texts.cast_const(), count as usize, CL_INVALID_VALUE)?;
            let lengths = match lengths.is_null() {
                true => vec![0; texts.len()],
                false => host::array(lengths, texts.len(), CL_INVALID_VALUE)?,
            };
            let mut source = String::new();
            for (text, length) in texts.into_iter().zip(lengths) {
                if text.is_null() {
                    return Err(CL_INVALID_VALUE);
                }
                source += &match length {
                    0 => host::text(text),
                    length => {
                        let bytes = host::bytes(text.cast(), length);
                        let end = bytes.iter().position(|&b| b == 0).unwrap_or(length);
                        String::from_utf8_lossy(&bytes[..end]).into_owned()
                    }
                };
            }
            let devices = context.devices.clone();
            Ok(Program::new(context, devices, MadeOf::Source(source)))
        })
    }
}

pub unsafe extern "C" fn clCreateProgramWithIL(
    own: cl_context,
    il: *const c_void,
    length: usize,
    status: *mut cl_int,
) -> cl_program {
    // SAFETY: the host's promises: for the status; `il` has `length` bytes.
    unsafe {
        host::made(status, || {
            let context = find::<Context>(own)?;
            if il.is_null() || length == 0 {
                return Err(CL_INVALID_VALUE);
            }
            let bytes = host::bytes(il, length);
            if !bytes.starts_with(&crate::compiler::SPIRV.to_le_bytes()) {
                return Err(CL_INVALID_VALUE);
            }
            let devices = context.devices.clone();
            Ok(Program::new(context, devices, MadeOf::Il(bytes)))
        })
    }
}

pub unsafe extern "C" fn clCreateProgramWithBinary(
    own: cl_context,
    count: cl_uint,
    list: *const cl_device_id,
    lengths: *const usize,
    binaries: *mut *const c_uchar,
    each: *mut cl_int,
    status: *mut cl_int,
) -> cl_program {
    // SAFETY: the host's promises: for the status; `count` devices, lengths, binaries and statuses.
    unsafe {
        host::made(status, || {
            let context = find::<Context>(own)?;
            if count == 0 || lengths.is_null() || binaries.is_null() {
                return Err(CL_INVALID_VALUE);
            }
            let devices = context.of_its(devices(list, count)?)?;
            let lengths = host::array(lengths, devices.len(), CL_INVALID_VALUE)?;
            let binaries = host::array(binaries.cast_const(), devices.len(), CL_INVALID_VALUE)?;
            let program = Program::new(context, devices.clone(), MadeOf::Binaries);
            let mut result = Ok(());
            let all = devices.into_iter().zip(lengths.into_iter().zip(binaries));
            for (at, (device, (length, bytes))) in all.enumerate() {
                let one = match bytes.is_null() || length == 0 {
                    true => Err(CL_INVALID_VALUE),
                    false => program.set_binary(device, host::bytes(bytes.cast(), length)),
                };
                if !each.is_null() {
                    host::put(each.add(at), one.err().unwrap_or(CL_SUCCESS));
                }
                result = result.and(one);
            }
            match result {
                Ok(()) => Ok(program),
                Err(error) => {
                    release::<Program>(program.handle())?;
                    Err(error)
                }
            }
        })
    }
}

pub unsafe extern "C" fn clCreateProgramWithBuiltInKernels(
    own: cl_context,
    _count: cl_uint,
    _list: *const cl_device_id,
    _names: *const c_char,
    status: *mut cl_int,
) -> cl_program {
    // SAFETY: the host's promise for the status.
    unsafe {
        host::made::<Program>(status, || {
            find::<Context>(own)?;
            Err(CL_INVALID_VALUE)
        })
    }
}

pub unsafe extern "C" fn clRetainProgram(own: cl_program) -> cl_int {
    host::status(|| retain::<Program>(own))
}

pub unsafe extern "C" fn clReleaseProgram(own: cl_program) -> cl_int {
    host::status(|| release::<Program>(own))
}

/// The devices that a program is to be built for.
///
/// # Safety
/// `list` is null or points to `count` handles.
unsafe fn targets(
    program: &Program,
    count: cl_uint,
    list: *const cl_device_id,
) -> Result<Vec<&'static device::Device>> {
    // SAFETY: the caller's promise.
    let given = unsafe { devices(list, count) }?;
    let own = |device: &device::Device| program.devices.iter().any(|d| std::ptr::eq(*d, device));
    match given.is_empty() {
        true => Ok(program.devices.clone()),
        false if given.iter().all(|device| own(device)) => Ok(given),
        false => Err(CL_INVALID_DEVICE),
    }
}

pub unsafe extern "C" fn clBuildProgram(
    own: cl_program,
    count: cl_uint,
    list: *const cl_device_id,
    options: *const c_char,
    ended: Option<Ended>,
    data: *mut c_void,
) -> cl_int {
    host::status(|| {
        let program = find::<Program>(own)?;
        if ended.is_none() && !data.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promises: `count` devices; options end with a 0.
        let (devices, options) = unsafe { (targets(&program, count, list)?, host::text(options)) };
        let result = program.build(&devices, &options);
        if let Some(ended) = ended {
            // SAFETY: the host gave it to be called once, when the program is built.
            unsafe { Callback::new(ended, data) }.call(own);
        }
        result
    })
}

pub unsafe extern "C" fn clCompileProgram(
    own: cl_program,
    count: cl_uint,
    list: *const cl_device_id,
    options: *const c_char,
    headers: cl_uint,
    programs: *const cl_program,
    names: *mut *const c_char,
    ended: Option<Ended>,
    data: *mut c_void,
) -> cl_int {
    host::status(|| {
        let program = find::<Program>(own)?;
        if ended.is_none() && !data.is_null() || names.is_null() != (headers == 0) {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promises: `count` devices, `headers` programs and names; texts end with a 0.
        let (devices, options, given) = unsafe {
            let devices = targets(&program, count, list)?;
            let programs = host::array(programs, headers as usize, CL_INVALID_VALUE)?;
            let names = host::array(names.cast_const(), headers as usize, CL_INVALID_VALUE)?;
            let names: Vec<String> = names.into_iter().map(|name| host::text(name)).collect();
            (
                devices,
                host::text(options),
                names.into_iter().zip(programs),
            )
        };
        let mut all = BTreeMap::new();
        for (name, header) in given {
            let MadeOf::Source(text) = &find::<Program>(header)?.made_of else {
                return Err(CL_INVALID_PROGRAM);
            };
            all.insert(name, text.clone());
        }
        let result = program.compile(&devices, &options, &all);
        if let Some(ended) = ended {
            // SAFETY: the host gave it to be called once, when the program is compiled.
            unsafe { Callback::new(ended, data) }.call(own);
        }
        result
    })
}

pub unsafe extern "C" fn clLinkProgram(
    own: cl_context,
    count: cl_uint,
    list: *const cl_device_id,
    options: *const c_char,
    programs: cl_uint,
    objects: *const cl_program,
    ended: Option<Ended>,
    data: *mut c_void,
    status: *mut cl_int,
) -> cl_program {
    let mut failed = None;
    let link = || {
        let context = find::<Context>(own)?;
        if ended.is_none() && !data.is_null() || programs == 0 {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promises: `count` devices, `programs` programs; options end with a 0.
        let (devices, options, objects) = unsafe {
            let devices = context.of_its(devices(list, count)?)?;
            let objects = host::array(objects, programs as usize, CL_INVALID_VALUE)?;
            (devices, host::text(options), objects)
        };
        let objects = objects.into_iter().map(find::<Program>);
        let objects: Vec<Arc<Object<Program>>> = objects.collect::<Result<_>>()?;
        let program = Program::new(context, devices, MadeOf::Objects);
        let result = program.link(&objects, &options);
        match result {
            // A program that did not link is there for its log.
            Err(CL_LINK_PROGRAM_FAILURE) => failed = Some(CL_LINK_PROGRAM_FAILURE),
            Err(error) => {
                release::<Program>(program.handle())?;
                return Err(error);
            }
            Ok(()) => {}
        }
        if let Some(ended) = ended {
            // SAFETY: the host gave it to be called once, when the program is linked.
            unsafe { Callback::new(ended, data) }.call(program.handle());
        }
        Ok(program)
    };
    // SAFETY: the host's promise for the status.
    unsafe {
        let handle = host::made(status, link);
        if let Some(failed) = failed {
            host::put(status, failed);
        }
        handle
    }
}

pub unsafe extern "C" fn clGetProgramInfo(
    own: cl_program,
    name: cl_program_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let program = find::<Program>(own)?;
        if name != CL_PROGRAM_BINARIES {
            // SAFETY: the host's promise for queries.
            return unsafe { host::give(program::query(&program, name)?, size, value, needed) };
        }
        let binaries = program::binaries(&program);
        let bytes = binaries.len() * size_of::<*mut u8>();
        if !value.is_null() {
            if size < bytes {
                return Err(CL_INVALID_VALUE);
            }
            let places: *const *mut u8 = value.cast_const().cast();
            // SAFETY: the host's promise: a pointer for each device, null or to as many bytes as its program has.
            unsafe {
                let places = host::array(places, binaries.len(), CL_INVALID_VALUE)?;
                for (place, binary) in places.into_iter().zip(&binaries) {
                    if !place.is_null() {
                        place.copy_from(binary.as_ptr(), binary.len());
                    }
                }
            }
        }
        // SAFETY: the host's promise for queries.
        unsafe { host::put(needed, bytes) };
        Ok(())
    })
}

pub unsafe extern "C" fn clGetProgramBuildInfo(
    own: cl_program,
    device: cl_device_id,
    name: cl_program_build_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let program = find::<Program>(own)?;
        let answer = program::query_build(&program, device::find(device)?, name)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(answer, size, value, needed) }
    })
}

pub unsafe extern "C" fn clSetProgramReleaseCallback(
    own: cl_program,
    ended: Option<Ended>,
    data: *mut c_void,
) -> cl_int {
    host::status(|| {
        find::<Program>(own)?;
        let _ = (ended, data);
        Err(CL_INVALID_OPERATION)
    })
}

pub unsafe extern "C" fn clSetProgramSpecializationConstant(
    own: cl_program,
    _number: cl_uint,
    _size: usize,
    _value: *const c_void,
) -> cl_int {
    host::status(|| {
        find::<Program>(own)?;
        Err(CL_INVALID_OPERATION)
    })
}
