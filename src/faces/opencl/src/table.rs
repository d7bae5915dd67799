//! The table of entries that the loader calls, and how it finds them.
//!
//! Entries for what is not there (OpenGL, Direct3D, EGL, pipes) are called all the same: they return an error.

use crate::entries;
use crate::sys::cl_icd::cl_icd_dispatch;
use crate::sys::*;
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

/// An entry of something that is not there.
unsafe extern "C" fn refused() -> cl_int {
    CL_INVALID_OPERATION
}

/// An entry that makes nothing, and says so where its last parameter points.
macro_rules! none {
    ($name:ident $(, $before:ident)*) => {
        unsafe extern "C" fn $name($($before: usize,)* status: *mut cl_int) -> *mut c_void {
            $(let _ = $before;)*
            // SAFETY: the host's promise: null or a place for the status.
            unsafe { crate::host::put(status, CL_INVALID_OPERATION) };
            null_mut()
        }
    };
}
none!(none_of_3, a, b);
none!(none_of_4, a, b, c);
none!(none_of_5, a, b, c, d);
none!(none_of_6, a, b, c, d, e);

/// The entry of a function that is not there: one that returns a number, or one that makes an object.
macro_rules! refused {
    () => {
        // SAFETY: it takes no notice of what is passed, which the C calling convention lets the caller take away again.
        unsafe { transmute::<unsafe extern "C" fn() -> cl_int, Option<_>>(refused) }
    };
    ($none:ident) => {
        // SAFETY: as many parameters, all of them numbers or pointers, the last one a place for the status.
        unsafe { transmute::<*const c_void, Option<_>>($none as *const c_void) }
    };
}

/// The table.
pub static ENTRIES: cl_icd_dispatch = cl_icd_dispatch {
    clGetPlatformIDs: Some(entries::clGetPlatformIDs),
    clGetPlatformInfo: Some(entries::clGetPlatformInfo),
    clGetDeviceIDs: Some(entries::clGetDeviceIDs),
    clGetDeviceInfo: Some(entries::clGetDeviceInfo),
    clCreateContext: Some(entries::clCreateContext),
    clCreateContextFromType: Some(entries::clCreateContextFromType),
    clRetainContext: Some(entries::clRetainContext),
    clReleaseContext: Some(entries::clReleaseContext),
    clGetContextInfo: Some(entries::clGetContextInfo),
    clCreateCommandQueue: Some(entries::clCreateCommandQueue),
    clRetainCommandQueue: Some(entries::clRetainCommandQueue),
    clReleaseCommandQueue: Some(entries::clReleaseCommandQueue),
    clGetCommandQueueInfo: Some(entries::clGetCommandQueueInfo),
    clSetCommandQueueProperty: Some(entries::clSetCommandQueueProperty),
    clCreateBuffer: Some(entries::clCreateBuffer),
    clCreateImage2D: Some(entries::clCreateImage2D),
    clCreateImage3D: Some(entries::clCreateImage3D),
    clRetainMemObject: Some(entries::clRetainMemObject),
    clReleaseMemObject: Some(entries::clReleaseMemObject),
    clGetSupportedImageFormats: Some(entries::clGetSupportedImageFormats),
    clGetMemObjectInfo: Some(entries::clGetMemObjectInfo),
    clGetImageInfo: Some(entries::clGetImageInfo),
    clCreateSampler: Some(entries::clCreateSampler),
    clRetainSampler: Some(entries::clRetainSampler),
    clReleaseSampler: Some(entries::clReleaseSampler),
    clGetSamplerInfo: Some(entries::clGetSamplerInfo),
    clCreateProgramWithSource: Some(entries::clCreateProgramWithSource),
    clCreateProgramWithBinary: Some(entries::clCreateProgramWithBinary),
    clRetainProgram: Some(entries::clRetainProgram),
    clReleaseProgram: Some(entries::clReleaseProgram),
    clBuildProgram: Some(entries::clBuildProgram),
    clUnloadCompiler: Some(entries::clUnloadCompiler),
    clGetProgramInfo: Some(entries::clGetProgramInfo),
    clGetProgramBuildInfo: Some(entries::clGetProgramBuildInfo),
    clCreateKernel: Some(entries::clCreateKernel),
    clCreateKernelsInProgram: Some(entries::clCreateKernelsInProgram),
    clRetainKernel: Some(entries::clRetainKernel),
    clReleaseKernel: Some(entries::clReleaseKernel),
    clSetKernelArg: Some(entries::clSetKernelArg),
    clGetKernelInfo: Some(entries::clGetKernelInfo),
    clGetKernelWorkGroupInfo: Some(entries::clGetKernelWorkGroupInfo),
    clWaitForEvents: Some(entries::clWaitForEvents),
    clGetEventInfo: Some(entries::clGetEventInfo),
    clRetainEvent: Some(entries::clRetainEvent),
    clReleaseEvent: Some(entries::clReleaseEvent),
    clGetEventProfilingInfo: Some(entries::clGetEventProfilingInfo),
    clFlush: Some(entries::clFlush),
    clFinish: Some(entries::clFinish),
    clEnqueueReadBuffer: Some(entries::clEnqueueReadBuffer),
    clEnqueueWriteBuffer: Some(entries::clEnqueueWriteBuffer),
    clEnqueueCopyBuffer: Some(entries::clEnqueueCopyBuffer),
    clEnqueueReadImage: Some(entries::clEnqueueReadImage),
    clEnqueueWriteImage: Some(entries::clEnqueueWriteImage),
    clEnqueueCopyImage: Some(entries::clEnqueueCopyImage),
    clEnqueueCopyImageToBuffer: Some(entries::clEnqueueCopyImageToBuffer),
    clEnqueueCopyBufferToImage: Some(entries::clEnqueueCopyBufferToImage),
    clEnqueueMapBuffer: Some(entries::clEnqueueMapBuffer),
    clEnqueueMapImage: Some(entries::clEnqueueMapImage),
    clEnqueueUnmapMemObject: Some(entries::clEnqueueUnmapMemObject),
    clEnqueueNDRangeKernel: Some(entries::clEnqueueNDRangeKernel),
    clEnqueueTask: Some(entries::clEnqueueTask),
    clEnqueueNativeKernel: Some(entries::clEnqueueNativeKernel),
    clEnqueueMarker: Some(entries::clEnqueueMarker),
    clEnqueueWaitForEvents: Some(entries::clEnqueueWaitForEvents),
    clEnqueueBarrier: Some(entries::clEnqueueBarrier),
    clGetExtensionFunctionAddress: Some(address_of),
    clCreateFromGLBuffer: refused!(none_of_4),
    clCreateFromGLTexture2D: refused!(none_of_6),
    clCreateFromGLTexture3D: refused!(none_of_6),
    clCreateFromGLRenderbuffer: refused!(none_of_4),
    clGetGLObjectInfo: refused!(),
    clGetGLTextureInfo: refused!(),
    clEnqueueAcquireGLObjects: refused!(),
    clEnqueueReleaseGLObjects: refused!(),
    clGetGLContextInfoKHR: refused!(),
    clGetDeviceIDsFromD3D10KHR: refused!(),
    clCreateFromD3D10BufferKHR: refused!(none_of_4),
    clCreateFromD3D10Texture2DKHR: refused!(none_of_5),
    clCreateFromD3D10Texture3DKHR: refused!(none_of_5),
    clEnqueueAcquireD3D10ObjectsKHR: refused!(),
    clEnqueueReleaseD3D10ObjectsKHR: refused!(),
    clSetEventCallback: Some(entries::clSetEventCallback),
    clCreateSubBuffer: Some(entries::clCreateSubBuffer),
    clSetMemObjectDestructorCallback: Some(entries::clSetMemObjectDestructorCallback),
    clCreateUserEvent: Some(entries::clCreateUserEvent),
    clSetUserEventStatus: Some(entries::clSetUserEventStatus),
    clEnqueueReadBufferRect: Some(entries::clEnqueueReadBufferRect),
    clEnqueueWriteBufferRect: Some(entries::clEnqueueWriteBufferRect),
    clEnqueueCopyBufferRect: Some(entries::clEnqueueCopyBufferRect),
    clCreateSubDevicesEXT: refused!(),
    clRetainDeviceEXT: Some(entries::clRetainDevice),
    clReleaseDeviceEXT: Some(entries::clReleaseDevice),
    clCreateEventFromGLsyncKHR: refused!(none_of_3),
    clCreateSubDevices: Some(entries::clCreateSubDevices),
    clRetainDevice: Some(entries::clRetainDevice),
    clReleaseDevice: Some(entries::clReleaseDevice),
    clCreateImage: Some(entries::clCreateImage),
    clCreateProgramWithBuiltInKernels: Some(entries::clCreateProgramWithBuiltInKernels),
    clCompileProgram: Some(entries::clCompileProgram),
    clLinkProgram: Some(entries::clLinkProgram),
    clUnloadPlatformCompiler: Some(entries::clUnloadPlatformCompiler),
    clGetKernelArgInfo: Some(entries::clGetKernelArgInfo),
    clEnqueueFillBuffer: Some(entries::clEnqueueFillBuffer),
    clEnqueueFillImage: Some(entries::clEnqueueFillImage),
    clEnqueueMigrateMemObjects: Some(entries::clEnqueueMigrateMemObjects),
    clEnqueueMarkerWithWaitList: Some(entries::clEnqueueMarkerWithWaitList),
    clEnqueueBarrierWithWaitList: Some(entries::clEnqueueBarrierWithWaitList),
    clGetExtensionFunctionAddressForPlatform: Some(clGetExtensionFunctionAddressForPlatform),
    clCreateFromGLTexture: refused!(none_of_6),
    clGetDeviceIDsFromD3D11KHR: refused!(),
    clCreateFromD3D11BufferKHR: refused!(none_of_4),
    clCreateFromD3D11Texture2DKHR: refused!(none_of_5),
    clCreateFromD3D11Texture3DKHR: refused!(none_of_5),
    clCreateFromDX9MediaSurfaceKHR: refused!(none_of_6),
    clEnqueueAcquireD3D11ObjectsKHR: refused!(),
    clEnqueueReleaseD3D11ObjectsKHR: refused!(),
    clGetDeviceIDsFromDX9MediaAdapterKHR: refused!(),
    clEnqueueAcquireDX9MediaSurfacesKHR: refused!(),
    clEnqueueReleaseDX9MediaSurfacesKHR: refused!(),
    clCreateFromEGLImageKHR: refused!(none_of_6),
    clEnqueueAcquireEGLObjectsKHR: refused!(),
    clEnqueueReleaseEGLObjectsKHR: refused!(),
    clCreateEventFromEGLSyncKHR: refused!(none_of_4),
    clCreateCommandQueueWithProperties: Some(entries::clCreateCommandQueueWithProperties),
    clCreatePipe: refused!(none_of_6),
    clGetPipeInfo: Some(entries::clGetPipeInfo),
    clSVMAlloc: Some(entries::clSVMAlloc),
    clSVMFree: Some(entries::clSVMFree),
    clEnqueueSVMFree: Some(entries::clEnqueueSVMFree),
    clEnqueueSVMMemcpy: Some(entries::clEnqueueSVMMemcpy),
    clEnqueueSVMMemFill: Some(entries::clEnqueueSVMMemFill),
    clEnqueueSVMMap: Some(entries::clEnqueueSVMMap),
    clEnqueueSVMUnmap: Some(entries::clEnqueueSVMUnmap),
    clCreateSamplerWithProperties: Some(entries::clCreateSamplerWithProperties),
    clSetKernelArgSVMPointer: Some(entries::clSetKernelArgSVMPointer),
    clSetKernelExecInfo: Some(entries::clSetKernelExecInfo),
    clGetKernelSubGroupInfoKHR: Some(entries::clGetKernelSubGroupInfo),
    clCloneKernel: Some(entries::clCloneKernel),
    clCreateProgramWithIL: Some(entries::clCreateProgramWithIL),
    clEnqueueSVMMigrateMem: Some(entries::clEnqueueSVMMigrateMem),
    clGetDeviceAndHostTimer: Some(entries::clGetDeviceAndHostTimer),
    clGetHostTimer: Some(entries::clGetHostTimer),
    clGetKernelSubGroupInfo: Some(entries::clGetKernelSubGroupInfo),
    clSetDefaultDeviceCommandQueue: Some(entries::clSetDefaultDeviceCommandQueue),
    clSetProgramReleaseCallback: Some(entries::clSetProgramReleaseCallback),
    clSetProgramSpecializationConstant: Some(entries::clSetProgramSpecializationConstant),
    clCreateBufferWithProperties: Some(entries::clCreateBufferWithProperties),
    clCreateImageWithProperties: Some(entries::clCreateImageWithProperties),
    clSetContextDestructorCallback: Some(entries::clSetContextDestructorCallback),
    clGetKernelSuggestedLocalWorkSize: Some(entries::clGetKernelSuggestedLocalWorkSize),
};

/// The platform, as the loader asks for it. Source: `cl_khr_icd`.
unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    room: cl_uint,
    list: *mut cl_platform_id,
    count: *mut cl_uint,
) -> cl_int {
    // SAFETY: the same promises.
    unsafe { entries::clGetPlatformIDs(room, list, count) }
}

/// A function by its name: those of the loader, and of the extensions that have any.
fn named(name: &CStr) -> *mut c_void {
    match name.to_bytes() {
        b"clIcdGetPlatformIDsKHR" => clIcdGetPlatformIDsKHR as *mut c_void,
        b"clGetPlatformInfo" => entries::clGetPlatformInfo as *mut c_void,
        b"clCreateProgramWithILKHR" => entries::clCreateProgramWithIL as *mut c_void,
        b"clGetKernelSubGroupInfoKHR" => entries::clGetKernelSubGroupInfo as *mut c_void,
        b"clGetKernelSuggestedLocalWorkSizeKHR" => {
            entries::clGetKernelSuggestedLocalWorkSize as *mut c_void
        }
        b"clCreateCommandQueueWithPropertiesKHR" => {
            entries::clCreateCommandQueueWithProperties as *mut c_void
        }
        _ => null_mut(),
    }
}

/// How the loader finds everything else. The table has [`address_of`]: the loader exports a function of this name, too,
/// which a call by it would find.
///
/// # Safety
/// `name` is null or ends with a 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    // SAFETY: the same promise.
    unsafe { address_of(name) }
}

unsafe extern "C" fn address_of(name: *const c_char) -> *mut c_void {
    if name.is_null() {
        return null_mut();
    }
    // SAFETY: the caller's promise; not null.
    named(unsafe { CStr::from_ptr(name) })
}

unsafe extern "C" fn clGetExtensionFunctionAddressForPlatform(
    platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    match crate::platform::find(platform) {
        // SAFETY: the same promise.
        Ok(()) => unsafe { address_of(name) },
        Err(_) => null_mut(),
    }
}
