//! The platform.

use crate::device;
use crate::info::{self, Info};
use crate::object::{Header, Result};
use crate::sys::*;
use std::ffi::c_void;
use std::sync::OnceLock;

/// Extensions that all devices have, and those of the platform alone.
const OWN_EXTENSIONS: &[(&str, u32)] = &[
    ("cl_khr_icd", info::version(1, 0, 0)),
    ("cl_khr_extended_versioning", info::version(1, 0, 0)),
];

/// What the host calls the platform.
pub fn handle() -> *mut c_void {
    struct Shared(Box<Header>);
    static HEADER: OnceLock<Shared> = OnceLock::new();
    HEADER.get_or_init(|| Shared(Header::new())).0.handle()
}

/// Whether a number is the platform's handle.
pub fn is_ours(platform: usize) -> bool {
    platform == handle().addr()
}

/// The platform of a handle; null is this one, too.
///
/// # Errors
/// `CL_INVALID_PLATFORM`.
pub fn find(platform: cl_platform_id) -> Result<()> {
    match platform.is_null() || is_ours(platform.addr()) {
        true => Ok(()),
        false => Err(CL_INVALID_PLATFORM),
    }
}

fn extensions() -> Vec<(&'static str, u32)> {
    let all = device::COMMON_EXTENSIONS.iter().copied();
    OWN_EXTENSIONS.iter().copied().chain(all).collect()
}

/// `clGetPlatformInfo`.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query.
pub fn query(name: cl_platform_info) -> Result<Info> {
    Ok(match name {
        CL_PLATFORM_PROFILE => info::text("FULL_PROFILE"),
        CL_PLATFORM_VERSION => info::text(concat!("OpenCL 3.0 visim ", env!("CARGO_PKG_VERSION"))),
        CL_PLATFORM_NUMERIC_VERSION => info::uint(info::version(3, 0, 0)),
        CL_PLATFORM_NAME => info::text("visim"),
        CL_PLATFORM_VENDOR => info::text("The visim project"),
        CL_PLATFORM_EXTENSIONS => info::text(&device::names(&extensions())),
        CL_PLATFORM_EXTENSIONS_WITH_VERSION => info::versions(&extensions()),
        CL_PLATFORM_ICD_SUFFIX_KHR => info::text("VISIM"),
        CL_PLATFORM_HOST_TIMER_RESOLUTION => info::ulong(1),
        _ => return Err(CL_INVALID_VALUE),
    })
}
