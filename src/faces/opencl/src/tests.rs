//! The entries as a host calls them, without a loader and without a compiler: programs come as binaries.

use crate::entries::*;
use crate::sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// A context of the first device with a queue.
struct Host {
    device: cl_device_id,
    context: cl_context,
    queue: cl_command_queue,
}

/// What a call that makes something has made.
fn made(call: impl FnOnce(*mut cl_int) -> *mut c_void) -> *mut c_void {
    let mut status = 1;
    let handle = call(&mut status);
    assert_eq!((status, handle.is_null()), (CL_SUCCESS, false));
    handle
}

fn refused(call: impl FnOnce(*mut cl_int) -> *mut c_void) -> cl_int {
    let mut status = 1;
    assert!(call(&mut status).is_null());
    status
}

impl Host {
    fn new(properties: cl_command_queue_properties) -> Host {
        let mut device = null_mut();
        // SAFETY: room for one device.
        let status =
            unsafe { clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 1, &mut device, null_mut()) };
        assert_eq!(status, CL_SUCCESS);
        // SAFETY: one device; no function of the host's.
        let context =
            made(|status| unsafe { clCreateContext(null(), 1, &device, None, null_mut(), status) });
        // SAFETY: a place for the status.
        let queue =
            made(|status| unsafe { clCreateCommandQueue(context, device, properties, status) });
        Host {
            device,
            context,
            queue,
        }
    }

    fn buffer(&self, bytes: &[u8]) -> cl_mem {
        let pointer = bytes.as_ptr().cast_mut().cast();
        // SAFETY: as many bytes as are said.
        made(|status| unsafe {
            clCreateBuffer(
                self.context,
                CL_MEM_COPY_HOST_PTR,
                bytes.len(),
                pointer,
                status,
            )
        })
    }

    fn bytes(&self, mem: cl_mem, count: usize) -> Vec<u8> {
        let mut out = vec![0; count];
        // SAFETY: room for `count` bytes until the call ends.
        let status = unsafe {
            let to = out.as_mut_ptr().cast();
            clEnqueueReadBuffer(
                self.queue,
                mem,
                CL_TRUE,
                0,
                count,
                to,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(status, CL_SUCCESS);
        out
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // SAFETY: handles of this host.
        unsafe {
            assert_eq!(clReleaseContext(self.context), CL_SUCCESS);
            assert_eq!(clFinish(self.queue), CL_SUCCESS);
            assert_eq!(clReleaseCommandQueue(self.queue), CL_SUCCESS);
        }
    }
}

#[test]
fn any_number_is_refused_as_a_handle() {
    let host = Host::new(0);
    let buffer = host.buffer(&[1, 2, 3, 4]);
    let numbers = [
        null_mut(),
        64 as *mut c_void,
        host.context,
        usize::MAX as *mut c_void,
    ];
    for number in numbers {
        // SAFETY: nothing else of the host's is read.
        unsafe {
            assert_eq!(clRetainMemObject(number), CL_INVALID_MEM_OBJECT);
            assert_eq!(clReleaseEvent(number), CL_INVALID_EVENT);
            assert_eq!(clReleaseKernel(number), CL_INVALID_KERNEL);
            assert_eq!(clReleaseProgram(number), CL_INVALID_PROGRAM);
            assert_eq!(clReleaseSampler(number), CL_INVALID_SAMPLER);
            assert_eq!(clFlush(number), CL_INVALID_COMMAND_QUEUE);
        }
    }
    // SAFETY: handles alone.
    unsafe {
        assert_eq!(clReleaseContext(buffer), CL_INVALID_CONTEXT);
        assert_eq!(clRetainMemObject(buffer), CL_SUCCESS);
        assert_eq!(clReleaseMemObject(buffer), CL_SUCCESS);
        assert_eq!(clReleaseMemObject(buffer), CL_SUCCESS);
        assert_eq!(clReleaseMemObject(buffer), CL_INVALID_MEM_OBJECT);
    }
}

#[test]
fn bytes_move_between_host_buffers_and_parts() {
    let host = Host::new(0);
    let content: Vec<u8> = (0..=255).collect();
    let buffer = host.buffer(&content);
    let region = cl_buffer_region {
        origin: 128,
        size: 64,
    };
    let about = std::ptr::from_ref(&region).cast();
    // SAFETY: a region; a place for the status.
    let part = made(|status| unsafe {
        clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, about, status)
    });
    assert_eq!(host.bytes(part, 4), [128, 129, 130, 131]);
    let wrong = cl_buffer_region {
        origin: 4,
        size: 64,
    };
    let about = std::ptr::from_ref(&wrong).cast();
    // SAFETY: the same.
    let status = refused(|status| unsafe {
        clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, about, status)
    });
    assert_eq!(status, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    let pattern = [7_u8, 9];
    // SAFETY: a pattern of two bytes; no events.
    let status = unsafe {
        let pattern = pattern.as_ptr().cast();
        clEnqueueFillBuffer(host.queue, part, pattern, 2, 2, 4, 0, null(), null_mut())
    };
    assert_eq!(status, CL_SUCCESS);
    assert_eq!(host.bytes(part, 7), [128, 129, 7, 9, 7, 9, 134]);
    // A box of 2x2 bytes from row 1, column 1 to row 4, column 0, in rows of 16.
    let (from, to, size) = ([1_usize, 1, 0], [0_usize, 4, 0], [2_usize, 2, 1]);
    let copy = |target: &[usize; 3]| {
        // SAFETY: three sizes each; no events.
        unsafe {
            clEnqueueCopyBufferRect(
                host.queue,
                buffer,
                buffer,
                from.as_ptr(),
                target.as_ptr(),
                size.as_ptr(),
                16,
                0,
                16,
                0,
                0,
                null(),
                null_mut(),
            )
        }
    };
    assert_eq!(copy(&to), CL_SUCCESS);
    assert_eq!(copy(&[2, 2, 0]), CL_MEM_COPY_OVERLAP);
    let all = host.bytes(buffer, 82);
    assert_eq!((&all[64..66], &all[80..82]), (&[17, 18][..], &[33, 34][..]));
    let mut status = 1;
    // SAFETY: no events; a place for the status.
    let mapped = unsafe {
        clEnqueueMapBuffer(
            host.queue,
            part,
            CL_TRUE,
            CL_MAP_WRITE,
            1,
            2,
            0,
            null(),
            null_mut(),
            &mut status,
        )
    };
    assert_eq!(status, CL_SUCCESS);
    // SAFETY: two bytes are mapped.
    unsafe { mapped.cast::<[u8; 2]>().write([50, 51]) };
    // SAFETY: no events.
    let unmap =
        || unsafe { clEnqueueUnmapMemObject(host.queue, part, mapped, 0, null(), null_mut()) };
    assert_eq!((unmap(), unmap()), (CL_SUCCESS, CL_INVALID_VALUE));
    assert_eq!(host.bytes(part, 4), [128, 50, 51, 9]);
    // The whole is released first: its part keeps it.
    // SAFETY: handles alone.
    unsafe {
        assert_eq!(clReleaseMemObject(buffer), CL_SUCCESS);
        assert_eq!(host.bytes(part, 2), [128, 50]);
        assert_eq!(clReleaseMemObject(part), CL_SUCCESS);
    }
}

#[test]
fn commands_wait_for_events_and_fail_with_them() {
    for (properties, end) in [
        (0, CL_COMPLETE),
        (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_COMPLETE),
        (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, -7),
    ] {
        let host = Host::new(properties);
        let buffer = host.buffer(&[0; 8]);
        // SAFETY: a place for the status.
        let gate = made(|status| unsafe { clCreateUserEvent(host.context, status) });
        let (one, mut event) = ([1_u8; 8], null_mut());
        // SAFETY: eight bytes until the event ends; one event before it, and a place for its own.
        let status = unsafe {
            let from = one.as_ptr().cast();
            clEnqueueWriteBuffer(
                host.queue, buffer, CL_FALSE, 0, 8, from, 1, &gate, &mut event,
            )
        };
        assert_eq!(status, CL_SUCCESS);
        let mut how_far: cl_int = 9;
        let mut ask = || {
            let value = std::ptr::from_mut(&mut how_far).cast();
            let name = CL_EVENT_COMMAND_EXECUTION_STATUS;
            // SAFETY: room for the status.
            let status = unsafe { clGetEventInfo(event, name, 4, value, null_mut()) };
            assert_eq!(status, CL_SUCCESS);
            how_far
        };
        assert_eq!(ask(), CL_SUBMITTED as cl_int);
        // SAFETY: handles, and one event.
        unsafe {
            assert_eq!(clSetUserEventStatus(gate, end), CL_SUCCESS);
            assert_eq!(clSetUserEventStatus(gate, end), CL_INVALID_OPERATION);
            let failed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
            let wanted = if end < 0 { failed } else { CL_SUCCESS };
            assert_eq!(clWaitForEvents(1, &event), wanted);
            assert_eq!(ask(), if end < 0 { failed } else { CL_COMPLETE });
            assert_eq!(host.bytes(buffer, 1), [u8::from(end == CL_COMPLETE)]);
            for event in [event, gate] {
                assert_eq!(clReleaseEvent(event), CL_SUCCESS);
            }
            assert_eq!(clReleaseMemObject(buffer), CL_SUCCESS);
        }
    }
}

#[test]
fn a_program_of_bytes_runs() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../samples/kernels");
    let binary = std::fs::read(format!("{folder}/52-soften.bin")).expect("a sample");
    let host = Host::new(CL_QUEUE_PROFILING_ENABLE);
    let (length, pointer) = (binary.len(), binary.as_ptr());
    let mut pointers = [pointer];
    // SAFETY: one device with its bytes; a place for the status.
    let program = made(|status| unsafe {
        clCreateProgramWithBinary(
            host.context,
            1,
            &host.device,
            &length,
            pointers.as_mut_ptr(),
            null_mut(),
            status,
        )
    });
    // SAFETY: no devices, options or function.
    let status = unsafe { clBuildProgram(program, 0, null(), null(), None, null_mut()) };
    assert_eq!(status, CL_SUCCESS);
    // SAFETY: a name that ends; a place for the status.
    let kernel = made(|status| unsafe { clCreateKernel(program, c"soften".as_ptr(), status) });
    let values: Vec<u8> = [0.0_f32, 8.0, 8.0, 0.0]
        .iter()
        .flat_map(|v| v.to_ne_bytes())
        .collect();
    let (from, to) = (host.buffer(&values), host.buffer(&[0; 16]));
    let launch = |global: usize| {
        let mut event = null_mut();
        // SAFETY: one size; no events before it, a place for its own.
        let status = unsafe {
            clEnqueueNDRangeKernel(
                host.queue,
                kernel,
                1,
                null(),
                &global,
                null(),
                0,
                null(),
                &mut event,
            )
        };
        (status, event)
    };
    assert_eq!(launch(4).0, CL_INVALID_KERNEL_ARGS);
    for (sizes, wanted) in [
        ([64_usize, 2, 1], CL_SUCCESS),
        ([usize::MAX; 3], CL_INVALID_VALUE),
    ] {
        let mut count = 0_usize;
        // SAFETY: three sizes; room for one.
        let status = unsafe {
            clGetKernelSubGroupInfo(
                kernel,
                host.device,
                CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                24,
                sizes.as_ptr().cast(),
                8,
                std::ptr::from_mut(&mut count).cast(),
                null_mut(),
            )
        };
        assert_eq!((status, count > 0), (wanted, wanted == CL_SUCCESS));
    }
    for (number, mem) in (0..).zip([from, to]) {
        let value = std::ptr::from_ref(&mem).cast();
        // SAFETY: the value is a handle.
        let status = unsafe { clSetKernelArg(kernel, number, 8, value) };
        assert_eq!(status, CL_SUCCESS);
    }
    for (size, offset, wanted) in [
        (usize::MAX, 0, CL_INVALID_GLOBAL_WORK_SIZE),
        (4, usize::MAX, CL_INVALID_GLOBAL_OFFSET),
        (4, (1 << 32) - 1, CL_INVALID_GLOBAL_OFFSET),
    ] {
        // SAFETY: one size each; no events.
        let status = unsafe {
            let (queue, none) = (host.queue, null());
            clEnqueueNDRangeKernel(
                queue,
                kernel,
                1,
                &offset,
                &size,
                none,
                0,
                null(),
                null_mut(),
            )
        };
        assert_eq!(status, wanted, "{size} work-items from {offset} on");
    }
    let (status, event) = launch(4);
    assert_eq!(status, CL_SUCCESS);
    // SAFETY: one event.
    assert_eq!(unsafe { clWaitForEvents(1, &event) }, CL_SUCCESS);
    let soft = host.bytes(to, 16);
    assert_eq!(soft[4..8], 6.0_f32.to_ne_bytes());
    let mut times = [0_u64; 2];
    for (time, name) in times
        .iter_mut()
        .zip([CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END])
    {
        let value = std::ptr::from_mut(time).cast();
        // SAFETY: room for a number.
        let status = unsafe { clGetEventProfilingInfo(event, name, 8, value, null_mut()) };
        assert_eq!(status, CL_SUCCESS);
    }
    assert!(times[0] <= times[1]);
    // Arguments are not kept: the launch after their end is refused.
    // SAFETY: handles alone.
    unsafe {
        for mem in [from, to] {
            assert_eq!(clReleaseMemObject(mem), CL_SUCCESS);
        }
        assert_eq!(launch(4).0, CL_INVALID_KERNEL_ARGS);
        assert_eq!(clReleaseEvent(event), CL_SUCCESS);
        assert_eq!(clReleaseProgram(program), CL_SUCCESS);
        assert_eq!(clReleaseKernel(kernel), CL_SUCCESS);
    }
}

#[test]
fn texels_move_with_their_pitches() {
    let host = Host::new(0);
    let format = cl_image_format {
        image_channel_order: CL_RG,
        image_channel_data_type: CL_UNSIGNED_INT8,
    };
    // Two rows of three texels, each row 8 bytes after the other.
    let texels: Vec<u8> = (0..16).collect();
    let flags = CL_MEM_COPY_HOST_PTR;
    let pointer = texels.as_ptr().cast_mut().cast();
    // SAFETY: a format; as many texels as are said.
    let image = made(|status| unsafe {
        clCreateImage2D(host.context, flags, &format, 3, 2, 8, pointer, status)
    });
    let (origin, size) = ([1_usize, 0, 0], [2_usize, 2, 1]);
    let mut out = [0_u8; 8];
    let read_to = |origin: &[usize; 3], row: usize, out: &mut [u8]| {
        // SAFETY: three sizes each; room for the texels.
        unsafe {
            clEnqueueReadImage(
                host.queue,
                image,
                CL_TRUE,
                origin.as_ptr(),
                size.as_ptr(),
                row,
                0,
                out.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        }
    };
    let read = |origin: &[usize; 3], out: &mut [u8; 8]| read_to(origin, 0, out);
    assert_eq!(read(&origin, &mut out), CL_SUCCESS);
    assert_eq!(out, [2, 3, 4, 5, 10, 11, 12, 13]);
    // Rows of the host's may lie as far apart as it likes, and no nearer than they are long.
    let mut wide = [0_u8; 9];
    assert_eq!(read_to(&origin, 5, &mut wide), CL_SUCCESS);
    assert_eq!(wide, [2, 3, 4, 5, 0, 10, 11, 12, 13]);
    assert_eq!(read_to(&origin, 3, &mut wide), CL_INVALID_VALUE);
    assert_eq!(read(&[2, 0, 0], &mut out), CL_INVALID_VALUE);
    let colour = [300_u32, 6, 0, 0];
    // SAFETY: a colour of 16 bytes; three sizes each.
    let status = unsafe {
        clEnqueueFillImage(
            host.queue,
            image,
            colour.as_ptr().cast(),
            origin.as_ptr(),
            size.as_ptr(),
            0,
            null(),
            null_mut(),
        )
    };
    assert_eq!(status, CL_SUCCESS);
    assert_eq!(read(&origin, &mut out), CL_SUCCESS);
    assert_eq!(out, [255, 6, 255, 6, 255, 6, 255, 6]);
    // SAFETY: a handle.
    assert_eq!(unsafe { clReleaseMemObject(image) }, CL_SUCCESS);
}

#[test]
fn shared_memory_has_one_address() {
    let host = Host::new(0);
    // SAFETY: a context.
    let block = unsafe { clSVMAlloc(host.context, CL_MEM_READ_WRITE, 100, 128) };
    assert_eq!(block.addr() % 128, 0);
    let pattern = 5_u32;
    let from = std::ptr::from_ref(&pattern).cast();
    // SAFETY: 100 bytes are there; a pattern of four; no events.
    unsafe {
        let status = clEnqueueSVMMemFill(host.queue, block, from, 4, 100, 0, null(), null_mut());
        assert_eq!((status, clFinish(host.queue)), (CL_SUCCESS, CL_SUCCESS));
        assert_eq!(block.cast::<[u32; 25]>().read(), [5; 25]);
        clSVMFree(host.context, block);
        assert!(clSVMAlloc(host.context, 0, 16, 3).is_null());
        assert!(clSVMAlloc(host.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 16, 0).is_null());
    }
}
