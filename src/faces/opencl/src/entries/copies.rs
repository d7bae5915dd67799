//! Commands that move bytes and texels: reads, writes, copies, fills, maps.

use super::commands::{queued, waits};
use crate::event::Event;
use crate::host::{self, Callback, Freed, HostMemory};
use crate::memory::{Block, Mem, Region, Texels, buffer_block};
use crate::object::{Object, Result, find};
use crate::queue::{self, Order, Queue};
use crate::sys::*;
use std::ffi::c_void;
use std::sync::Arc;

/// Everything that commands have in common.
struct Call {
    queue: Arc<Object<Queue>>,
    waits: Vec<Arc<Object<Event>>>,
    place: *mut cl_event,
}

impl Call {
    /// # Safety
    /// The wait list and the event's place are as OpenCL says.
    unsafe fn new(
        own: cl_command_queue,
        (count, list, place): (cl_uint, *const cl_event, *mut cl_event),
    ) -> Result<Call> {
        Ok(Call {
            queue: find::<Queue>(own)?,
            // SAFETY: the caller's promise.
            waits: unsafe { waits(count, list) }?,
            place,
        })
    }

    /// A memory object of the queue's context.
    fn memory(&self, handle: cl_mem) -> Result<Arc<Object<Mem>>> {
        let mem = find::<Mem>(handle)?;
        match Arc::ptr_eq(&mem.context, &self.queue.context) {
            true => Ok(mem),
            false => Err(CL_INVALID_CONTEXT),
        }
    }

    fn queue(self, command: cl_command_type, blocking: cl_bool, work: queue::Work) -> Result<()> {
        let order = Order::after(self.waits, blocking != CL_FALSE);
        // SAFETY: `new` was promised that the place is null or has room for a handle.
        unsafe { queued(&self.queue, command, order, self.place, work) }
    }
}

/// A range of a buffer.
fn inside(mem: &Mem, offset: usize, size: usize) -> Result<()> {
    let bytes = mem.as_buffer()?.bytes;
    match offset.checked_add(size) {
        Some(end) if end <= bytes => Ok(()),
        _ => Err(CL_INVALID_VALUE),
    }
}

/// What moves from a block to another when a command runs; the objects live until then.
fn copying(to: Block, from: Block, size: [usize; 3], keep: Vec<Arc<Object<Mem>>>) -> queue::Work {
    Box::new(move || {
        to.copy(&from, size);
        drop(keep);
        Ok(())
    })
}

pub unsafe extern "C" fn clEnqueueReadBuffer(
    own: cl_command_queue,
    mem: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    pointer: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        let mem = call.memory(mem)?;
        inside(&mem, offset, size)?;
        if pointer.is_null() || size == 0 {
            return Err(CL_INVALID_VALUE);
        }
        mem.host_may(true, false)?;
        // SAFETY: the host's promise: `size` bytes until the command ends.
        let host = unsafe { HostMemory::new(pointer, size) };
        let from = buffer_block(mem.as_buffer()?, offset, [0, 0]);
        let to = Block::of_host(host, 0, [0, 0]);
        let work = copying(to, from, [size, 1, 1], vec![mem]);
        call.queue(CL_COMMAND_READ_BUFFER, blocking, work)
    })
}

pub unsafe extern "C" fn clEnqueueWriteBuffer(
    own: cl_command_queue,
    mem: cl_mem,
    blocking: cl_bool,
    offset: usize,
    size: usize,
    pointer: *const c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        let mem = call.memory(mem)?;
        inside(&mem, offset, size)?;
        if pointer.is_null() || size == 0 {
            return Err(CL_INVALID_VALUE);
        }
        mem.host_may(false, true)?;
        // SAFETY: the host's promise: `size` bytes until the command ends.
        let host = unsafe { HostMemory::new(pointer, size) };
        let to = buffer_block(mem.as_buffer()?, offset, [0, 0]);
        let from = Block::of_host(host, 0, [0, 0]);
        let work = copying(to, from, [size, 1, 1], vec![mem]);
        call.queue(CL_COMMAND_WRITE_BUFFER, blocking, work)
    })
}

pub unsafe extern "C" fn clEnqueueCopyBuffer(
    own: cl_command_queue,
    from: cl_mem,
    to: cl_mem,
    from_offset: usize,
    to_offset: usize,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        let (from, to) = (call.memory(from)?, call.memory(to)?);
        inside(&from, from_offset, size)?;
        inside(&to, to_offset, size)?;
        if size == 0 {
            return Err(CL_INVALID_VALUE);
        }
        let (source, target) = (from.as_buffer()?, to.as_buffer()?);
        let (start, other) = (source.offset + from_offset, target.offset + to_offset);
        if Arc::ptr_eq(&source.memory, &target.memory)
            && start < other + size
            && other < start + size
        {
            return Err(CL_MEM_COPY_OVERLAP);
        }
        let a = buffer_block(source, from_offset, [0, 0]);
        let b = buffer_block(target, to_offset, [0, 0]);
        let work = copying(b, a, [size, 1, 1], vec![from.clone(), to.clone()]);
        call.queue(CL_COMMAND_COPY_BUFFER, CL_FALSE, work)
    })
}

pub unsafe extern "C" fn clEnqueueFillBuffer(
    own: cl_command_queue,
    mem: cl_mem,
    pattern: *const c_void,
    pattern_size: usize,
    offset: usize,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        let mem = call.memory(mem)?;
        inside(&mem, offset, size)?;
        let sized = pattern_size.is_power_of_two() && pattern_size <= 128;
        if pattern.is_null()
            || !sized
            || size == 0
            || !offset.is_multiple_of(pattern_size)
            || !size.is_multiple_of(pattern_size)
        {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promise: `pattern_size` bytes.
        let pattern = unsafe { host::bytes(pattern, pattern_size) };
        let to = buffer_block(mem.as_buffer()?, offset, [0, 0]);
        let work: queue::Work = Box::new(move || {
            to.fill(&pattern, [size, 1, 1]);
            drop(mem);
            Ok(())
        });
        call.queue(CL_COMMAND_FILL_BUFFER, CL_FALSE, work)
    })
}

/// A box of bytes with its pitches.
struct Rectangle {
    start: usize,
    pitches: [usize; 2],
    /// The byte after its last one.
    end: usize,
}

impl Rectangle {
    /// Of a buffer, or of bytes that are copied from or to one.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: pitches that are too small, or slices that do not begin where a row would.
    fn new(origin: [usize; 3], size: [usize; 3], pitches: [usize; 2]) -> Result<Rectangle> {
        let rectangle = Rectangle::at_any_pitch(origin, size, pitches)?;
        let [row, slice] = rectangle.pitches;
        match slice.is_multiple_of(row) {
            true => Ok(rectangle),
            false => Err(CL_INVALID_VALUE),
        }
    }

    /// Of texels: rows and slices are no nearer than they are long, and that is all.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: pitches that are too small.
    fn at_any_pitch(
        origin: [usize; 3],
        size: [usize; 3],
        [row, slice]: [usize; 2],
    ) -> Result<Rectangle> {
        let wrong = CL_INVALID_VALUE;
        if size.contains(&0) {
            return Err(wrong);
        }
        let row = if row == 0 { size[0] } else { row };
        let least = size[1].checked_mul(row).ok_or(wrong)?;
        let slice = if slice == 0 { least } else { slice };
        if row < size[0] || slice < least {
            return Err(wrong);
        }
        let at = |[x, y, z]: [usize; 3]| {
            let y = y.checked_mul(row)?;
            z.checked_mul(slice)?.checked_add(y)?.checked_add(x)
        };
        let start = at(origin).ok_or(wrong)?;
        let last = at([size[0], size[1] - 1, size[2] - 1]).ok_or(wrong)?;
        Ok(Rectangle {
            start,
            pitches: [row, slice],
            end: start.checked_add(last).ok_or(wrong)?,
        })
    }

    fn of_buffer(&self, mem: &Mem) -> Result<Block> {
        let buffer = mem.as_buffer()?;
        match self.end <= buffer.bytes {
            true => Ok(buffer_block(buffer, self.start, self.pitches)),
            false => Err(CL_INVALID_VALUE),
        }
    }

    /// # Safety
    /// `pointer` has so many bytes until the command ends.
    unsafe fn of_host(&self, pointer: *const c_void) -> Result<Block> {
        if pointer.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the caller's promise.
        let host = unsafe { HostMemory::new(pointer, self.end) };
        Ok(Block::of_host(host, self.start, self.pitches))
    }
}

pub unsafe extern "C" fn clEnqueueReadBufferRect(
    own: cl_command_queue,
    mem: cl_mem,
    blocking: cl_bool,
    origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
    host_row: usize,
    host_slice: usize,
    pointer: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each; the bytes of the rectangle.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let mem = call.memory(mem)?;
            mem.as_buffer()?;
            let size = sizes(region)?;
            let from = Rectangle::new(sizes(origin)?, size, [row, slice])?.of_buffer(&mem)?;
            let to = Rectangle::new(sizes(host_origin)?, size, [host_row, host_slice])?;
            let to = to.of_host(pointer)?;
            mem.host_may(true, false)?;
            let work = copying(to, from, size, vec![mem]);
            call.queue(CL_COMMAND_READ_BUFFER_RECT, blocking, work)
        }
    })
}

pub unsafe extern "C" fn clEnqueueWriteBufferRect(
    own: cl_command_queue,
    mem: cl_mem,
    blocking: cl_bool,
    origin: *const usize,
    host_origin: *const usize,
    region: *const usize,
    row: usize,
    slice: usize,
    host_row: usize,
    host_slice: usize,
    pointer: *const c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each; the bytes of the rectangle.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let mem = call.memory(mem)?;
            mem.as_buffer()?;
            let size = sizes(region)?;
            let to = Rectangle::new(sizes(origin)?, size, [row, slice])?.of_buffer(&mem)?;
            let from = Rectangle::new(sizes(host_origin)?, size, [host_row, host_slice])?;
            let from = from.of_host(pointer)?;
            mem.host_may(false, true)?;
            let work = copying(to, from, size, vec![mem]);
            call.queue(CL_COMMAND_WRITE_BUFFER_RECT, blocking, work)
        }
    })
}

pub unsafe extern "C" fn clEnqueueCopyBufferRect(
    own: cl_command_queue,
    from: cl_mem,
    to: cl_mem,
    from_origin: *const usize,
    to_origin: *const usize,
    region: *const usize,
    from_row: usize,
    from_slice: usize,
    to_row: usize,
    to_slice: usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let (from, to) = (call.memory(from)?, call.memory(to)?);
            let size = sizes(region)?;
            let (at, other) = (sizes(from_origin)?, sizes(to_origin)?);
            let a = Rectangle::new(at, size, [from_row, from_slice])?;
            let b = Rectangle::new(other, size, [to_row, to_slice])?;
            let (source, target) = (a.of_buffer(&from)?, b.of_buffer(&to)?);
            let same = Arc::ptr_eq(&from.as_buffer()?.memory, &to.as_buffer()?.memory);
            if same {
                if Arc::ptr_eq(&from, &to) && a.pitches != b.pitches {
                    return Err(CL_INVALID_VALUE);
                }
                let starts = (
                    from.as_buffer()?.offset + a.start,
                    to.as_buffer()?.offset + b.start,
                );
                if a.pitches == b.pitches && overlap(starts, a.pitches, size) {
                    return Err(CL_MEM_COPY_OVERLAP);
                }
            }
            let work = copying(target, source, size, vec![from.clone(), to.clone()]);
            call.queue(CL_COMMAND_COPY_BUFFER_RECT, CL_FALSE, work)
        }
    })
}

/// Whether two boxes of bytes with the same pitches have one in common: not, if all of one comes after the other, or if
/// its rows, or its slices, lie in the gaps between those of the other.
fn overlap((a, b): (usize, usize), [row, slice]: [usize; 2], size: [usize; 3]) -> bool {
    let one_slice = (size[1] - 1) * row + size[0];
    let whole = (size[2] - 1) * slice + one_slice;
    let in_gaps = |pitch: usize, length: usize| {
        let (a, b) = (a % pitch, b % pitch);
        let fits = |a: usize, b: usize| a >= b + length && a + length <= b + pitch;
        fits(a, b) || fits(b, a)
    };
    let apart = a + whole <= b || b + whole <= a;
    !(apart || in_gaps(row, size[0]) || in_gaps(slice, one_slice))
}

/// Three sizes that have to be there.
///
/// # Safety
/// `list` is null or points to three sizes.
unsafe fn sizes(list: *const usize) -> Result<[usize; 3]> {
    match list.is_null() {
        true => Err(CL_INVALID_VALUE),
        // SAFETY: the caller's promise.
        false => Ok(unsafe { host::three(list, 3, 0) }),
    }
}

/// A region of an image.
///
/// # Errors
/// `CL_INVALID_VALUE`: outside, or nothing.
///
/// # Safety
/// Both are null or point to three sizes.
unsafe fn region(texels: &Texels, origin: *const usize, size: *const usize) -> Result<Region> {
    // SAFETY: the caller's promise.
    let region = unsafe {
        Region {
            origin: sizes(origin)?,
            size: sizes(size)?,
        }
    };
    texels.check(&region)?;
    Ok(region)
}

/// Texels of the host's.
///
/// # Errors
/// `CL_INVALID_VALUE`: none, or pitches that are too small.
///
/// # Safety
/// `pointer` is null or has the texels of the region until the command ends.
unsafe fn host_texels(
    texels: &Texels,
    region: &Region,
    [row, slice]: [usize; 2],
    pointer: *const c_void,
) -> Result<Block> {
    let size = texels.rows(region);
    let layered = texels.sizes.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    let flat = !matches!(
        texels.sizes.kind,
        CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D
    );
    if flat && slice != 0 || row != 0 && row < size[0] {
        return Err(CL_INVALID_VALUE);
    }
    // The layers of a 1D array are rows here, as far apart as its slices.
    let pitches = match (layered, row, slice) {
        (true, row, 0) => [row, 0],
        (true, row, slice) if slice >= row.max(size[0]) => [slice, 0],
        (true, ..) => return Err(CL_INVALID_VALUE),
        (false, row, slice) => [row, slice],
    };
    // SAFETY: the caller's promise.
    unsafe { Rectangle::at_any_pitch([0; 3], size, pitches)?.of_host(pointer) }
}

pub unsafe extern "C" fn clEnqueueReadImage(
    own: cl_command_queue,
    mem: cl_mem,
    blocking: cl_bool,
    origin: *const usize,
    size: *const usize,
    row: usize,
    slice: usize,
    pointer: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each; the texels of the region.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let mem = call.memory(mem)?;
            let texels = mem.as_image()?;
            let region = region(texels, origin, size)?;
            let to = host_texels(texels, &region, [row, slice], pointer)?;
            mem.host_may(true, false)?;
            let (from, size) = (texels.block(&region), texels.rows(&region));
            let work = copying(to, from, size, vec![mem.clone()]);
            call.queue(CL_COMMAND_READ_IMAGE, blocking, work)
        }
    })
}

pub unsafe extern "C" fn clEnqueueWriteImage(
    own: cl_command_queue,
    mem: cl_mem,
    blocking: cl_bool,
    origin: *const usize,
    size: *const usize,
    row: usize,
    slice: usize,
    pointer: *const c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each; the texels of the region.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let mem = call.memory(mem)?;
            let texels = mem.as_image()?;
            let region = region(texels, origin, size)?;
            let from = host_texels(texels, &region, [row, slice], pointer)?;
            mem.host_may(false, true)?;
            let (to, size) = (texels.block(&region), texels.rows(&region));
            let work = copying(to, from, size, vec![mem.clone()]);
            call.queue(CL_COMMAND_WRITE_IMAGE, blocking, work)
        }
    })
}

pub unsafe extern "C" fn clEnqueueFillImage(
    own: cl_command_queue,
    mem: cl_mem,
    colour: *const c_void,
    origin: *const usize,
    size: *const usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each; a colour of 16 bytes, or 4 of a
        // depth.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let mem = call.memory(mem)?;
            let texels = mem.as_image()?;
            let region = region(texels, origin, size)?;
            if colour.is_null() {
                return Err(CL_INVALID_VALUE);
            }
            let depth = texels.format.image_channel_order == CL_DEPTH;
            let colour = host::bytes(colour, if depth { 4 } else { 16 });
            let texel = texels.texel(&colour)?;
            let (to, size) = (texels.block(&region), texels.rows(&region));
            let work: queue::Work = Box::new(move || {
                to.fill(&texel, size);
                drop(mem);
                Ok(())
            });
            call.queue(CL_COMMAND_FILL_IMAGE, CL_FALSE, work)
        }
    })
}

pub unsafe extern "C" fn clEnqueueCopyImage(
    own: cl_command_queue,
    from: cl_mem,
    to: cl_mem,
    from_origin: *const usize,
    to_origin: *const usize,
    size: *const usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let (from, to) = (call.memory(from)?, call.memory(to)?);
            let (source, target) = (from.as_image()?, to.as_image()?);
            let (a, b) = (&source.format, &target.format);
            if a.image_channel_order != b.image_channel_order
                || a.image_channel_data_type != b.image_channel_data_type
            {
                return Err(CL_IMAGE_FORMAT_MISMATCH);
            }
            let here = region(source, from_origin, size)?;
            let there = region(target, to_origin, size)?;
            if Arc::ptr_eq(&from, &to) && here.meets(&there) {
                return Err(CL_MEM_COPY_OVERLAP);
            }
            let size = source.rows(&here);
            let (a, b) = (source.block(&here), target.block(&there));
            let work = copying(b, a, size, vec![from.clone(), to.clone()]);
            call.queue(CL_COMMAND_COPY_IMAGE, CL_FALSE, work)
        }
    })
}

pub unsafe extern "C" fn clEnqueueCopyImageToBuffer(
    own: cl_command_queue,
    from: cl_mem,
    to: cl_mem,
    origin: *const usize,
    size: *const usize,
    offset: usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let (from, to) = (call.memory(from)?, call.memory(to)?);
            let texels = from.as_image()?;
            let region = region(texels, origin, size)?;
            let size = texels.rows(&region);
            let target = Rectangle::new([offset, 0, 0], size, [0, 0])?.of_buffer(&to)?;
            let work = copying(
                target,
                texels.block(&region),
                size,
                vec![from.clone(), to.clone()],
            );
            call.queue(CL_COMMAND_COPY_IMAGE_TO_BUFFER, CL_FALSE, work)
        }
    })
}

pub unsafe extern "C" fn clEnqueueCopyBufferToImage(
    own: cl_command_queue,
    from: cl_mem,
    to: cl_mem,
    offset: usize,
    origin: *const usize,
    size: *const usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let (from, to) = (call.memory(from)?, call.memory(to)?);
            let texels = to.as_image()?;
            let region = region(texels, origin, size)?;
            let size = texels.rows(&region);
            let source = Rectangle::new([offset, 0, 0], size, [0, 0])?.of_buffer(&from)?;
            let work = copying(
                texels.block(&region),
                source,
                size,
                vec![from.clone(), to.clone()],
            );
            call.queue(CL_COMMAND_COPY_BUFFER_TO_IMAGE, CL_FALSE, work)
        }
    })
}

/// Flags of a map go together, and the host may do what they say.
fn check_map(mem: &Mem, flags: cl_map_flags) -> Result<()> {
    let known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    let both =
        flags & CL_MAP_WRITE_INVALIDATE_REGION != 0 && flags & (CL_MAP_READ | CL_MAP_WRITE) != 0;
    if flags & !known != 0 || both {
        return Err(CL_INVALID_VALUE);
    }
    mem.host_may(flags & CL_MAP_READ != 0, flags & !CL_MAP_READ != 0)
}

/// Maps a region, and queues what lets the host see it.
fn map(
    call: Call,
    mem: Arc<Object<Mem>>,
    (flags, blocking): (cl_map_flags, cl_bool),
    command: cl_command_type,
    region: Region,
) -> Result<(*mut c_void, [usize; 2])> {
    let mapped = mem.map(flags, region);
    let own = Arc::clone(&mem);
    let work: queue::Work = Box::new(move || {
        own.show(flags, &region);
        Ok(())
    });
    match call.queue(command, blocking, work) {
        Ok(()) => Ok(mapped),
        Err(error) => {
            mem.unmap(mapped.0)?;
            Err(error)
        }
    }
}

pub unsafe extern "C" fn clEnqueueMapBuffer(
    own: cl_command_queue,
    mem: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    offset: usize,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
    status: *mut cl_int,
) -> *mut c_void {
    let work = || {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        let mem = call.memory(mem)?;
        inside(&mem, offset, size)?;
        if size == 0 {
            return Err(CL_INVALID_VALUE);
        }
        check_map(&mem, flags)?;
        let region = Region::bytes(offset, size);
        let mapped = map(call, mem, (flags, blocking), CL_COMMAND_MAP_BUFFER, region)?;
        Ok(mapped.0)
    };
    // SAFETY: the host's promise for the status.
    unsafe { host::valued(status, std::ptr::null_mut(), work) }
}

pub unsafe extern "C" fn clEnqueueMapImage(
    own: cl_command_queue,
    mem: cl_mem,
    blocking: cl_bool,
    flags: cl_map_flags,
    origin: *const usize,
    size: *const usize,
    row: *mut usize,
    slice: *mut usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
    status: *mut cl_int,
) -> *mut c_void {
    let work = || {
        // SAFETY: the host's promises: for the wait list and the event; three sizes each; places for the pitches.
        unsafe {
            let call = Call::new(own, (count, list, place))?;
            let mem = call.memory(mem)?;
            let texels = mem.as_image()?;
            let region = region(texels, origin, size)?;
            let layered = matches!(
                texels.sizes.kind,
                CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D
            );
            if row.is_null() || layered && slice.is_null() {
                return Err(CL_INVALID_VALUE);
            }
            check_map(&mem, flags)?;
            let (pointer, pitches) = map(
                call,
                Arc::clone(&mem),
                (flags, blocking),
                CL_COMMAND_MAP_IMAGE,
                region,
            )?;
            let own_row = match texels.sizes.kind {
                CL_MEM_OBJECT_IMAGE1D_ARRAY => mem.mapped_row(),
                _ => pitches[0],
            };
            host::put(row, own_row);
            host::put(slice, if layered { pitches[1] } else { 0 });
            Ok(pointer)
        }
    };
    // SAFETY: the host's promise for the status.
    unsafe { host::valued(status, std::ptr::null_mut(), work) }
}

pub unsafe extern "C" fn clEnqueueUnmapMemObject(
    own: cl_command_queue,
    mem: cl_mem,
    pointer: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        let mem = call.memory(mem)?;
        let map = mem.unmap(pointer)?;
        let work: queue::Work = Box::new(move || {
            mem.take_back(&map);
            Ok(())
        });
        call.queue(CL_COMMAND_UNMAP_MEM_OBJECT, CL_FALSE, work)
    })
}

pub unsafe extern "C" fn clEnqueueMigrateMemObjects(
    own: cl_command_queue,
    memories: cl_uint,
    objects: *const cl_mem,
    flags: cl_mem_migration_flags,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; `memories` handles.
        let (call, objects) = unsafe {
            let call = Call::new(own, (count, list, place))?;
            (
                call,
                host::array(objects, memories as usize, CL_INVALID_VALUE)?,
            )
        };
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        if objects.is_empty() || flags & !known != 0 {
            return Err(CL_INVALID_VALUE);
        }
        objects
            .into_iter()
            .try_for_each(|mem| call.memory(mem).map(drop))?;
        call.queue(
            CL_COMMAND_MIGRATE_MEM_OBJECTS,
            CL_FALSE,
            Box::new(|| Ok(())),
        )
    })
}

pub unsafe extern "C" fn clEnqueueSVMFree(
    own: cl_command_queue,
    pointers: cl_uint,
    blocks: *mut *mut c_void,
    freed: Option<Freed>,
    data: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises: for the wait list and the event; `pointers` pointers.
        let (call, blocks) = unsafe {
            let call = Call::new(own, (count, list, place))?;
            let blocks = host::array(blocks.cast_const(), pointers as usize, CL_INVALID_VALUE)?;
            (call, blocks)
        };
        let blocks: Vec<usize> = blocks.into_iter().map(|b| b.expose_provenance()).collect();
        // SAFETY: the host gave it to be called once, when the command runs.
        let freed = freed.map(|freed| unsafe { Callback::new(freed, data) });
        let context = Arc::clone(&call.queue.context);
        let handle = own.expose_provenance();
        let work: queue::Work = Box::new(move || {
            let pointer = |at: &usize| std::ptr::with_exposed_provenance_mut(*at);
            let mut blocks: Vec<*mut c_void> = blocks.iter().map(pointer).collect();
            match freed {
                Some(freed) => freed.call(pointer(&handle), &mut blocks),
                None => blocks.into_iter().for_each(|block| {
                    context.svm.free(block);
                }),
            }
            Ok(())
        });
        call.queue(CL_COMMAND_SVM_FREE, CL_FALSE, work)
    })
}

pub unsafe extern "C" fn clEnqueueSVMMemcpy(
    own: cl_command_queue,
    blocking: cl_bool,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        if to.is_null() || from.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        let (start, other) = (from.addr(), to.addr());
        let meets = start < other.saturating_add(size) && other < start.saturating_add(size);
        if size > 0 && meets {
            return Err(CL_MEM_COPY_OVERLAP);
        }
        // SAFETY: the host's promise: `size` bytes each until the command ends.
        let (from, to) = unsafe { (HostMemory::new(from, size), HostMemory::new(to, size)) };
        let work: queue::Work = Box::new(move || {
            let (from, to) = (
                Block::of_host(from, 0, [0, 0]),
                Block::of_host(to, 0, [0, 0]),
            );
            to.copy(&from, [size, 1, 1]);
            Ok(())
        });
        call.queue(CL_COMMAND_SVM_MEMCPY, blocking, work)
    })
}

pub unsafe extern "C" fn clEnqueueSVMMemFill(
    own: cl_command_queue,
    to: *mut c_void,
    pattern: *const c_void,
    pattern_size: usize,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        let sized = pattern_size.is_power_of_two() && pattern_size <= 128;
        if to.is_null() || pattern.is_null() || !sized || !size.is_multiple_of(pattern_size) {
            return Err(CL_INVALID_VALUE);
        }
        if !to.addr().is_multiple_of(pattern_size) {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: the host's promise: the pattern now, `size` bytes until the command ends.
        let (pattern, to) = unsafe {
            (
                host::bytes(pattern, pattern_size),
                HostMemory::new(to, size),
            )
        };
        let work: queue::Work = Box::new(move || {
            Block::of_host(to, 0, [0, 0]).fill(&pattern, [size, 1, 1]);
            Ok(())
        });
        call.queue(CL_COMMAND_SVM_MEMFILL, CL_FALSE, work)
    })
}

pub unsafe extern "C" fn clEnqueueSVMMap(
    own: cl_command_queue,
    blocking: cl_bool,
    _flags: cl_map_flags,
    pointer: *mut c_void,
    size: usize,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        if pointer.is_null() || size == 0 {
            return Err(CL_INVALID_VALUE);
        }
        // The host and kernels see the same bytes.
        call.queue(CL_COMMAND_SVM_MAP, blocking, Box::new(|| Ok(())))
    })
}

pub unsafe extern "C" fn clEnqueueSVMUnmap(
    own: cl_command_queue,
    pointer: *mut c_void,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        if pointer.is_null() {
            return Err(CL_INVALID_VALUE);
        }
        call.queue(CL_COMMAND_SVM_UNMAP, CL_FALSE, Box::new(|| Ok(())))
    })
}

pub unsafe extern "C" fn clEnqueueSVMMigrateMem(
    own: cl_command_queue,
    pointers: cl_uint,
    blocks: *mut *const c_void,
    _sizes: *const usize,
    flags: cl_mem_migration_flags,
    count: cl_uint,
    list: *const cl_event,
    place: *mut cl_event,
) -> cl_int {
    host::status(|| {
        // SAFETY: the host's promises for the wait list and the event.
        let call = unsafe { Call::new(own, (count, list, place)) }?;
        let known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
        if pointers == 0 || blocks.is_null() || flags & !known != 0 {
            return Err(CL_INVALID_VALUE);
        }
        call.queue(CL_COMMAND_SVM_MIGRATE_MEM, CL_FALSE, Box::new(|| Ok(())))
    })
}
