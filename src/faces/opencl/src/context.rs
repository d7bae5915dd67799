//! Contexts: devices that share objects, and whom to tell what went wrong.

use crate::device::Device;
use crate::host::{Callback, Ending, Told};
use crate::info::{self, Info};
use crate::object::{Object, Result, class};
use crate::svm::Allocations;
use crate::sys::*;
use std::ffi::CString;

/// A context.
pub struct Context {
    /// Its devices.
    pub devices: Vec<&'static Device>,
    /// Shared virtual memory of it.
    pub svm: Allocations,
    /// As the host gave them, with the 0 at the end.
    properties: Vec<cl_context_properties>,
    told: Option<Callback<Told>>,
    /// Whom to tell when it ends.
    pub ending: Ending,
}

class!(Context, CL_INVALID_CONTEXT);

impl Context {
    /// A context.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, `CL_INVALID_PLATFORM`, `CL_INVALID_PROPERTY`.
    pub fn create(
        devices: Vec<&'static Device>,
        properties: Vec<cl_context_properties>,
        told: Option<Callback<Told>>,
    ) -> Result<std::sync::Arc<Object<Context>>> {
        if devices.is_empty() {
            return Err(CL_INVALID_VALUE);
        }
        let mut seen = Vec::new();
        for pair in properties.chunks_exact(2) {
            if seen.contains(&pair[0]) {
                return Err(CL_INVALID_PROPERTY);
            }
            seen.push(pair[0]);
            match pair[0] {
                CL_CONTEXT_PLATFORM if crate::platform::is_ours(pair[1].cast_unsigned()) => {}
                CL_CONTEXT_PLATFORM => return Err(CL_INVALID_PLATFORM),
                CL_CONTEXT_INTEROP_USER_SYNC if matches!(pair[1], 0 | 1) => {}
                _ => return Err(CL_INVALID_PROPERTY),
            }
        }
        let context = Object::new(Context {
            devices,
            svm: Allocations::default(),
            properties,
            told,
            ending: Ending::default(),
        });
        context.ending.of(context.handle());
        Ok(context)
    }

    /// Whether a device is one of its own.
    pub fn has(&self, device: &Device) -> bool {
        self.devices.iter().any(|own| std::ptr::eq(*own, device))
    }

    /// Its devices, or those of a list.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE`: one is of another context.
    pub fn of_its(&self, list: Vec<&'static Device>) -> Result<Vec<&'static Device>> {
        match list.is_empty() {
            true => Ok(self.devices.clone()),
            false if list.iter().all(|device| self.has(device)) => Ok(list),
            false => Err(CL_INVALID_DEVICE),
        }
    }

    /// Says what went wrong: to the log, and to the host's function.
    pub fn tell(&self, what: &str) {
        crate::report::say(what);
        if let Some(told) = &self.told {
            let plain = what.replace('\0', " ");
            if let Ok(text) = CString::new(plain) {
                told.call(&text);
            }
        }
    }
}

/// `clGetContextInfo`.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query.
pub fn query(context: &Object<Context>, name: cl_context_info) -> Result<Info> {
    Ok(match name {
        CL_CONTEXT_REFERENCE_COUNT => info::uint(context.references()),
        CL_CONTEXT_NUM_DEVICES => info::uint(context.devices.len() as u32),
        CL_CONTEXT_DEVICES => info::pointers(context.devices.iter().map(|d| d.handle())),
        CL_CONTEXT_PROPERTIES => {
            let own = context.properties.iter().map(|p| p.cast_unsigned());
            info::sizes(&own.collect::<Vec<usize>>())
        }
        _ => return Err(CL_INVALID_VALUE),
    })
}
