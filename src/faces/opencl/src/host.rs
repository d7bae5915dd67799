//! Everything that reads or writes memory of the host program: all the rest of this library is safe code.
//!
//! OpenCL lets a host hand over plain pointers. The functions here are `unsafe` where they trust one, and each says what
//! the specification makes the host promise; checks that can be made (null, size) are made here.

use crate::info::Info;
use crate::object::{Class, Object, Result, Status, lock};
use crate::sys::*;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock};

/// Runs the work of an entry; a panic is this library's fault and never reaches the host.
pub fn status(work: impl FnOnce() -> Result<()>) -> cl_int {
    match guarded(work) {
        Ok(()) => CL_SUCCESS,
        Err(status) => status,
    }
}

/// As [`status`], with a value.
pub fn guarded<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        eprintln!(
            "visim: a call ended in a panic, which is a fault of visim: please report the lines above"
        );
        Err(CL_OUT_OF_RESOURCES)
    })
}

/// Runs the work of an entry that makes a value; `none` where it does not.
///
/// # Safety
/// `status` is null or points to a `cl_int`.
pub unsafe fn valued<T>(status: *mut cl_int, none: T, work: impl FnOnce() -> Result<T>) -> T {
    let (value, number) = match guarded(work) {
        Ok(value) => (value, CL_SUCCESS),
        Err(number) => (none, number),
    };
    if !status.is_null() {
        // SAFETY: the caller's promise.
        unsafe { status.write(number) };
    }
    value
}

/// As [`valued`], for a new object.
///
/// # Safety
/// As [`valued`].
pub unsafe fn made<T: Class>(
    status: *mut cl_int,
    work: impl FnOnce() -> Result<Arc<Object<T>>>,
) -> *mut c_void {
    let handle = || work().map(|object| object.handle());
    // SAFETY: the caller's promise.
    unsafe { valued(status, std::ptr::null_mut(), handle) }
}

/// Gives the answer of a query.
///
/// # Errors
/// `CL_INVALID_VALUE`: there is less room than it takes.
///
/// # Safety
/// `value` is null or has room for `size` bytes; `needed` is null or points to a `size_t`.
pub unsafe fn give(
    answer: Info,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> Result<()> {
    let bytes = &answer.0;
    if !value.is_null() {
        if size < bytes.len() {
            return Err(CL_INVALID_VALUE);
        }
        // SAFETY: there is room for `size` bytes, which are no fewer.
        unsafe { value.cast::<u8>().copy_from(bytes.as_ptr(), bytes.len()) };
    }
    if !needed.is_null() {
        // SAFETY: the caller's promise.
        unsafe { needed.write(bytes.len()) };
    }
    Ok(())
}

/// Gives as many of a list as there is room for, and how many there are.
///
/// # Errors
/// `CL_INVALID_VALUE`: neither is asked for, or no room is said to be there.
///
/// # Safety
/// `list` is null or has room for `room` elements; `count` is null or points to a `cl_uint`.
pub unsafe fn list<T: Copy>(
    values: &[T],
    room: cl_uint,
    list: *mut T,
    count: *mut cl_uint,
) -> Result<()> {
    if (room == 0 && !list.is_null()) || (list.is_null() && count.is_null()) {
        return Err(CL_INVALID_VALUE);
    }
    if !list.is_null() {
        let given = values.len().min(room as usize);
        // SAFETY: there is room for `room` elements, which are no fewer.
        unsafe { list.copy_from(values.as_ptr(), given) };
    }
    if !count.is_null() {
        // SAFETY: the caller's promise.
        unsafe { count.write(values.len() as cl_uint) };
    }
    Ok(())
}

unsafe extern "C" {
    /// Standard output of the C library.
    static stdout: *mut libc::FILE;
}

/// Prints on the host's standard output, behind what the host has printed: the C library keeps that until much has come
/// together.
pub fn print(text: &str) {
    // SAFETY: the C library has made its stream before anything else ran; as many bytes as the text has.
    unsafe {
        libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout);
        libc::fflush(stdout);
    }
}

/// Writes a value, where the host wants it.
///
/// # Safety
/// `place` is null or points to a value of its type.
pub unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller's promise.
        unsafe { place.write(value) };
    }
}

/// The elements of an array of the host's; none if there are to be none.
///
/// # Errors
/// `error`: a count without an array, or an array without a count.
///
/// # Safety
/// `array` is null or points to `count` elements.
pub unsafe fn array<T: Copy>(array: *const T, count: usize, error: Status) -> Result<Vec<T>> {
    if array.is_null() != (count == 0) {
        return Err(error);
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the caller's promise; not null. Elements may lie unaligned.
    Ok((0..count)
        .map(|at| unsafe { array.add(at).read_unaligned() })
        .collect())
}

/// Three sizes; `usual` without an array.
///
/// # Safety
/// `array` is null or points to `count` elements, at most three of which are read.
pub unsafe fn three(array: *const usize, count: usize, usual: usize) -> [usize; 3] {
    std::array::from_fn(|at| match !array.is_null() && at < count {
        // SAFETY: the caller's promise; not null.
        true => unsafe { array.add(at).read_unaligned() },
        false => usual,
    })
}

/// A text, ended by a byte of 0; empty where there is none.
///
/// # Safety
/// `text` is null or points to a text that ends.
pub unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise; not null.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Bytes of the host's.
///
/// # Safety
/// `bytes` points to so many.
pub unsafe fn bytes(bytes: *const c_void, count: usize) -> Vec<u8> {
    let mut copy = vec![0; count];
    if count > 0 && !bytes.is_null() {
        // SAFETY: the caller's promise; the copy has as many.
        unsafe { copy.as_mut_ptr().copy_from(bytes.cast(), count) };
    }
    copy
}

/// A list of properties, pairs of a name and a value that a 0 ends; with the 0.
///
/// # Safety
/// `list` is null or points to such a list.
pub unsafe fn properties<T: Copy + Default + PartialEq>(list: *const T) -> Vec<T> {
    let mut all = Vec::new();
    if list.is_null() {
        return all;
    }
    loop {
        // SAFETY: the list goes on until its 0, which was not read yet.
        let name = unsafe { list.add(all.len()).read_unaligned() };
        all.push(name);
        if name == T::default() {
            return all;
        }
        // SAFETY: a value follows each name.
        all.push(unsafe { list.add(all.len()).read_unaligned() });
    }
}

/// Memory of the host's that a command reads or writes when it runs.
#[derive(Clone, Copy, Debug)]
pub struct HostMemory {
    address: usize,
    bytes: usize,
}

impl HostMemory {
    /// `bytes` bytes from `start` on.
    ///
    /// # Safety
    /// They are there, and nothing else is done with them, until the command that gets this has ended: what OpenCL asks
    /// of the pointers of commands that read, write or map.
    pub unsafe fn new(start: *const c_void, bytes: usize) -> HostMemory {
        HostMemory {
            address: start.expose_provenance(),
            bytes,
        }
    }

    /// Where it begins.
    pub fn start(self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.address)
    }

    /// A part of it.
    pub fn after(self, offset: usize, bytes: usize) -> HostMemory {
        let start = self.part(offset, bytes);
        HostMemory {
            address: start.expose_provenance(),
            bytes,
        }
    }

    fn part(self, offset: usize, bytes: usize) -> *mut u8 {
        let end = offset.checked_add(bytes);
        assert!(
            end.is_some_and(|end| end <= self.bytes),
            "{offset}+{bytes} of {}",
            self.bytes
        );
        std::ptr::with_exposed_provenance_mut(self.address + offset)
    }

    /// Copies out of it.
    pub fn read(self, offset: usize, out: &mut [u8]) {
        let from = self.part(offset, out.len());
        // SAFETY: `part` has checked the range; `new` was promised that it is there.
        unsafe { out.as_mut_ptr().copy_from(from, out.len()) };
    }

    /// Copies into it.
    pub fn write(self, offset: usize, bytes: &[u8]) {
        let to = self.part(offset, bytes.len());
        // SAFETY: `part` has checked the range; `new` was promised that it is there and nobody else uses it.
        unsafe { to.copy_from(bytes.as_ptr(), bytes.len()) };
    }
}

/// What a host wants to be told, with its own word for it.
pub struct Callback<F> {
    function: F,
    data: usize,
}

impl<F: Copy> Callback<F> {
    /// A function of the host's; `data` is handed back to it.
    ///
    /// # Safety
    /// `function` may be called from any thread with `data`, as long as OpenCL would call it.
    pub unsafe fn new(function: F, data: *mut c_void) -> Callback<F> {
        Callback {
            function,
            data: data.expose_provenance(),
        }
    }

    fn data(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.data)
    }
}

/// Of an object that ends, or a program that is built.
pub type Ended = unsafe extern "C" fn(*mut c_void, *mut c_void);
/// Of an event.
pub type Changed = unsafe extern "C" fn(cl_event, cl_int, *mut c_void);
/// Of a context.
pub type Told = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);
/// Of SVM that a queue frees.
pub type Freed = unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void);

impl Callback<Ended> {
    /// Calls it.
    pub fn call(&self, object: *mut c_void) {
        // SAFETY: `new` was promised that it may be called.
        unsafe { (self.function)(object, self.data()) };
    }
}

impl Callback<Changed> {
    /// Calls it.
    pub fn call(&self, event: cl_event, status: cl_int) {
        // SAFETY: `new` was promised that it may be called.
        unsafe { (self.function)(event, status, self.data()) };
    }
}

impl Callback<Told> {
    /// Calls it.
    pub fn call(&self, what: &CStr) {
        // SAFETY: `new` was promised that it may be called; the text ends.
        unsafe { (self.function)(what.as_ptr(), std::ptr::null(), 0, self.data()) };
    }
}

impl Callback<Freed> {
    /// Calls it.
    pub fn call(&self, queue: cl_command_queue, pointers: &mut [*mut c_void]) {
        let count = pointers.len() as cl_uint;
        // SAFETY: `new` was promised that it may be called; there are so many pointers.
        unsafe { (self.function)(queue, count, pointers.as_mut_ptr(), self.data()) };
    }
}

/// Whom to tell when an object ends: the last who asked first.
#[derive(Default)]
pub struct Ending {
    handle: OnceLock<usize>,
    told: Mutex<Vec<Callback<Ended>>>,
}

impl Ending {
    /// Remembers the object's handle.
    pub fn of(&self, handle: *mut c_void) {
        self.handle.get_or_init(|| handle.expose_provenance());
    }

    /// Tells one more.
    pub fn tell(&self, callback: Callback<Ended>) {
        lock(&self.told).push(callback);
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let handle = self.handle.get().copied().unwrap_or_default();
        let handle = std::ptr::with_exposed_provenance_mut(handle);
        let told = std::mem::take(&mut *lock(&self.told));
        told.iter().rev().for_each(|callback| callback.call(handle));
    }
}
