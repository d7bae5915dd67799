//! What a host program holds: objects behind handles, counted.
//!
//! A handle is the address of a [`Header`], since the loader reads the table of entries at its first bytes. Nothing else
//! is ever read through a handle that comes from the host: it is looked up in the [`Registry`] of its class, so that a
//! handle of another class, one that was released for the last time, or any number at all is an error and no more.

use crate::sys::cl_icd::cl_icd_dispatch;
use crate::sys::cl_int;
use crate::table;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::thread::{available_parallelism, yield_now};
use std::time::{Duration, Instant};

/// A number of an OpenCL error.
pub type Status = cl_int;

/// A result whose errors are numbers of OpenCL.
pub type Result<T> = std::result::Result<T, Status>;

/// Takes a lock, whoever panicked while having it: what is locked here is whole after every line.
pub fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// How long to look for what is about to come: to be woken takes longer than a short launch.
const A_WHILE: Duration = Duration::from_micros(30);

/// Looks for a while whether something has come, where another core can bring it; whoever waits on then sleeps.
pub fn look_a_while(has_come: impl Fn() -> bool) {
    static ALONE: OnceLock<bool> = OnceLock::new();
    if *ALONE.get_or_init(|| available_parallelism().map_or(1, usize::from) == 1) {
        return;
    }
    let start = Instant::now();
    while !has_come() && start.elapsed() < A_WHILE {
        // Whoever else is ready to run here goes first.
        yield_now();
    }
}

/// What a handle points to. Source: `cl_khr_icd`, "Application and ICD loader".
#[repr(C)]
pub struct Header {
    dispatch: &'static cl_icd_dispatch,
}

impl Header {
    /// A header at an address of its own.
    pub fn new() -> Box<Header> {
        Box::new(Header {
            dispatch: &table::ENTRIES,
        })
    }

    /// The handle.
    pub fn handle(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast()
    }
}

/// A class of objects.
pub trait Class: Send + Sync + Sized + 'static {
    /// The error of a handle that names no object of the class.
    const INVALID: Status;

    /// All objects of the class.
    fn registry() -> &'static Registry<Self>;
}

/// An object of a class.
pub struct Object<T: Class> {
    /// Ends first: whoever is told then is told a handle that no other object has yet.
    value: T,
    header: Box<Header>,
}

struct Entry<T: Class> {
    object: Weak<Object<T>>,
    /// The object, as long as the host holds references.
    held: Option<Arc<Object<T>>>,
    references: u32,
}

/// The objects of a class by their handles.
pub struct Registry<T: Class>(Mutex<Option<HashMap<usize, Entry<T>>>>);

impl<T: Class> Registry<T> {
    /// Without objects.
    pub const fn new() -> Registry<T> {
        Registry(Mutex::new(None))
    }

    fn with<R>(&self, work: impl FnOnce(&mut HashMap<usize, Entry<T>>) -> R) -> R {
        work(lock(&self.0).get_or_insert_default())
    }
}

impl<T: Class> Object<T> {
    /// A new object with one reference of the host's.
    pub fn new(value: T) -> Arc<Object<T>> {
        let object = Arc::new(Object {
            value,
            header: Header::new(),
        });
        let entry = Entry {
            object: Arc::downgrade(&object),
            held: Some(Arc::clone(&object)),
            references: 1,
        };
        let key = object.handle().addr();
        T::registry().with(|all| all.insert(key, entry));
        object
    }

    /// What the host calls it.
    pub fn handle(&self) -> *mut c_void {
        self.header.handle()
    }

    /// References that the host holds.
    pub fn references(&self) -> u32 {
        let key = self.handle().addr();
        T::registry().with(|all| all.get(&key).map_or(0, |entry| entry.references))
    }
}

impl<T: Class> Deref for Object<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Class> Drop for Object<T> {
    fn drop(&mut self) {
        let key = self.handle().addr();
        // The address is this object's as long as the header lives.
        let entry = T::registry().with(|all| all.remove(&key));
        drop(entry);
    }
}

/// The object of a handle.
///
/// # Errors
/// [`Class::INVALID`]: there is none.
pub fn find<T: Class>(handle: *mut c_void) -> Result<Arc<Object<T>>> {
    let found = T::registry().with(|all| all.get(&handle.addr())?.object.upgrade());
    found.ok_or(T::INVALID)
}

/// One more reference of the host's.
///
/// # Errors
/// As [`find`].
pub fn retain<T: Class>(handle: *mut c_void) -> Result<()> {
    let object = find::<T>(handle)?;
    T::registry().with(|all| {
        if let Some(entry) = all.get_mut(&handle.addr()) {
            entry.references = entry.references.saturating_add(1);
            entry.held = Some(Arc::clone(&object));
        }
    });
    Ok(())
}

/// One reference of the host's less; without any, the object ends when nothing else needs it.
///
/// # Errors
/// As [`find`]; the same if the host has none.
pub fn release<T: Class>(handle: *mut c_void) -> Result<()> {
    // Dropped after the lock is given back: the end of an object takes it again.
    let held = T::registry().with(|all| {
        let entry = all.get_mut(&handle.addr())?;
        entry.references = entry.references.checked_sub(1)?;
        Some(match entry.references {
            0 => entry.held.take(),
            _ => None,
        })
    });
    held.map(drop).ok_or(T::INVALID)
}

/// Makes a type a class of objects.
macro_rules! class {
    ($class:ty, $invalid:expr) => {
        impl $crate::object::Class for $class {
            const INVALID: $crate::object::Status = $invalid;

            fn registry() -> &'static $crate::object::Registry<$class> {
                static ALL: $crate::object::Registry<$class> = $crate::object::Registry::new();
                &ALL
            }
        }
    };
}
pub(crate) use class;
