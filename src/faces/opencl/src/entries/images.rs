//! Images.

use crate::context::Context;
use crate::host::{self, HostMemory};
use crate::memory::{self, Content, Mem, Sizes};
use crate::object::{Object, Result, find};
use crate::sys::*;
use std::ffi::c_void;
use std::sync::Arc;
use visim::internals::launch::kernel::image::Shape;

/// An image of a host's call.
///
/// # Safety
/// `format` and `about` are null or what they are called; `pointer` is null or has the texels that they say, for the
/// life of the image if the flags lend them.
unsafe fn create(
    own: cl_context,
    properties: Vec<cl_mem_properties>,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    about: *const cl_image_desc,
    pointer: *mut c_void,
) -> Result<Arc<Object<Mem>>> {
    let context = find::<Context>(own)?;
    if properties.first().is_some_and(|&first| first != 0) {
        return Err(CL_INVALID_PROPERTY);
    }
    memory::check_flags(flags)?;
    if format.is_null() {
        return Err(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    if about.is_null() {
        return Err(CL_INVALID_IMAGE_DESCRIPTOR);
    }
    // SAFETY: the caller's promise; neither is null.
    let (format, about) = unsafe { (format.read_unaligned(), about.read_unaligned()) };
    let sizes = Sizes {
        kind: about.image_type,
        texels: [about.image_width, about.image_height, about.image_depth],
        layers: about.image_array_size,
        pitches: [about.image_row_pitch, about.image_slice_pitch],
        levels: about.num_mip_levels,
        samples: about.num_samples,
    };
    let source = about.buffer;
    if !source.is_null() {
        let source = find::<Mem>(source).map_err(|_| CL_INVALID_IMAGE_DESCRIPTOR)?;
        let fits = match (&source.content, sizes.kind) {
            (Content::Buffer(_), CL_MEM_OBJECT_IMAGE1D_BUFFER | CL_MEM_OBJECT_IMAGE2D) => true,
            (Content::Image(texels), CL_MEM_OBJECT_IMAGE2D) => {
                texels.sizes.kind == CL_MEM_OBJECT_IMAGE2D
            }
            _ => false,
        };
        if !fits || !pointer.is_null() {
            return Err(CL_INVALID_IMAGE_DESCRIPTOR);
        }
        let access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
        let flags = match flags & access {
            0 => flags | source.flags & access,
            _ => flags,
        };
        return Mem::image(
            context,
            flags,
            format,
            sizes,
            Some(source),
            None,
            properties,
        );
    }
    if sizes.kind == CL_MEM_OBJECT_IMAGE1D_BUFFER {
        return Err(CL_INVALID_IMAGE_DESCRIPTOR);
    }
    let offered = memory::formats(sizes.kind, CL_MEM_READ_ONLY);
    let same = |own: &cl_image_format| {
        own.image_channel_order == format.image_channel_order
            && own.image_channel_data_type == format.image_channel_data_type
    };
    let known = Shape::named(format.image_channel_order, format.image_channel_data_type);
    known.ok_or(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    if !offered.iter().any(same) {
        return Err(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    }
    memory::check_host(flags, pointer)?;
    let host = match pointer.is_null() {
        true if sizes.pitches != [0, 0] => return Err(CL_INVALID_IMAGE_DESCRIPTOR),
        true => None,
        false => {
            let bytes = lent_bytes(&format, &sizes)?;
            // SAFETY: the caller's promise.
            Some(unsafe { HostMemory::new(pointer, bytes) })
        }
    };
    Mem::image(context, flags, format, sizes, None, host, properties)
}

/// Bytes of the texels that a host lends, with the gaps between them.
fn lent_bytes(format: &cl_image_format, sizes: &Sizes) -> Result<usize> {
    let (width, height) = (sizes.texels[0], sizes.texels[1].max(1));
    let texel = memory::texel_bytes(format)?;
    let tight = width.checked_mul(texel).ok_or(CL_INVALID_IMAGE_SIZE)?;
    let [row, slice] = sizes.pitches;
    if row != 0 && (row < tight || !row.is_multiple_of(texel)) {
        return Err(CL_INVALID_IMAGE_DESCRIPTOR);
    }
    let row = if row == 0 { tight } else { row };
    let (rows, slices) = match sizes.kind {
        CL_MEM_OBJECT_IMAGE1D => (1, 1),
        CL_MEM_OBJECT_IMAGE1D_ARRAY => (1, sizes.layers),
        CL_MEM_OBJECT_IMAGE2D => (height, 1),
        CL_MEM_OBJECT_IMAGE2D_ARRAY => (height, sizes.layers),
        _ => (height, sizes.texels[2]),
    };
    let whole = row.checked_mul(rows).ok_or(CL_INVALID_IMAGE_SIZE)?;
    if slice != 0 && (slice < whole || !slice.is_multiple_of(row)) {
        return Err(CL_INVALID_IMAGE_DESCRIPTOR);
    }
    let slice = if slice == 0 { whole } else { slice };
    let bytes = slice.checked_mul(slices.max(1));
    bytes.ok_or(CL_INVALID_IMAGE_SIZE)
}

pub unsafe extern "C" fn clCreateImage(
    own: cl_context,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    about: *const cl_image_desc,
    pointer: *mut c_void,
    status: *mut cl_int,
) -> cl_mem {
    // SAFETY: the host's promises: for the status, and for what an image is made of.
    unsafe {
        host::made(status, || {
            create(own, Vec::new(), flags, format, about, pointer)
        })
    }
}

pub unsafe extern "C" fn clCreateImageWithProperties(
    own: cl_context,
    properties: *const cl_mem_properties,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    about: *const cl_image_desc,
    pointer: *mut c_void,
    status: *mut cl_int,
) -> cl_mem {
    // SAFETY: the host's promises: for the status, lists of properties, and what an image is made of.
    unsafe {
        host::made(status, || {
            let properties = host::properties(properties);
            create(own, properties, flags, format, about, pointer)
        })
    }
}

/// A description of the two sizes that OpenCL 1.0 had.
fn described(kind: cl_mem_object_type, texels: [usize; 3], pitches: [usize; 2]) -> cl_image_desc {
    cl_image_desc {
        image_type: kind,
        image_width: texels[0],
        image_height: texels[1],
        image_depth: texels[2],
        image_array_size: 0,
        image_row_pitch: pitches[0],
        image_slice_pitch: pitches[1],
        num_mip_levels: 0,
        num_samples: 0,
        buffer: std::ptr::null_mut(),
    }
}

pub unsafe extern "C" fn clCreateImage2D(
    own: cl_context,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    width: usize,
    height: usize,
    pitch: usize,
    pointer: *mut c_void,
    status: *mut cl_int,
) -> cl_mem {
    let about = described(CL_MEM_OBJECT_IMAGE2D, [width, height, 1], [pitch, 0]);
    // SAFETY: the host's promises: for the status, and for what an image is made of.
    unsafe {
        host::made(status, || {
            create(own, Vec::new(), flags, format, &about, pointer)
        })
    }
}

pub unsafe extern "C" fn clCreateImage3D(
    own: cl_context,
    flags: cl_mem_flags,
    format: *const cl_image_format,
    width: usize,
    height: usize,
    depth: usize,
    row: usize,
    slice: usize,
    pointer: *mut c_void,
    status: *mut cl_int,
) -> cl_mem {
    let about = described(CL_MEM_OBJECT_IMAGE3D, [width, height, depth], [row, slice]);
    // SAFETY: the host's promises: for the status, and for what an image is made of.
    unsafe {
        host::made(status, || {
            create(own, Vec::new(), flags, format, &about, pointer)
        })
    }
}

pub unsafe extern "C" fn clGetImageInfo(
    own: cl_mem,
    name: cl_image_info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> cl_int {
    host::status(|| {
        let own = find::<Mem>(own)?;
        // SAFETY: the host's promise for queries.
        unsafe { host::give(memory::query_image(&own, name)?, size, value, needed) }
    })
}

pub unsafe extern "C" fn clGetSupportedImageFormats(
    own: cl_context,
    flags: cl_mem_flags,
    kind: cl_mem_object_type,
    room: cl_uint,
    list: *mut cl_image_format,
    count: *mut cl_uint,
) -> cl_int {
    host::status(|| {
        find::<Context>(own)?;
        memory::check_flags(flags)?;
        let images = [
            CL_MEM_OBJECT_IMAGE1D,
            CL_MEM_OBJECT_IMAGE1D_ARRAY,
            CL_MEM_OBJECT_IMAGE1D_BUFFER,
            CL_MEM_OBJECT_IMAGE2D,
            CL_MEM_OBJECT_IMAGE2D_ARRAY,
            CL_MEM_OBJECT_IMAGE3D,
        ];
        if !images.contains(&kind) || room == 0 && !list.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let formats = memory::formats(kind, flags);
        let given = formats.len().min(room as usize);
        if !list.is_null() {
            // SAFETY: the host's promise: room for `room` formats, which are no fewer.
            unsafe { list.copy_from(formats.as_ptr(), given) };
        }
        // SAFETY: the host's promise: null or a place for a number.
        unsafe { host::put(count, formats.len() as cl_uint) };
        Ok(())
    })
}
