//! Answers to queries, as the bytes that a host reads.

use std::ffi::c_void;

/// The bytes of an answer.
pub struct Info(pub Vec<u8>);

/// `cl_uint`, `cl_int` and all other numbers of 32 bits.
pub fn uint(value: u32) -> Info {
    Info(value.to_ne_bytes().to_vec())
}

/// `cl_bool`.
pub fn boolean(value: bool) -> Info {
    uint(u32::from(value))
}

/// `cl_ulong` and bit fields.
pub fn ulong(value: u64) -> Info {
    Info(value.to_ne_bytes().to_vec())
}

/// `size_t`.
pub fn size(value: usize) -> Info {
    Info(value.to_ne_bytes().to_vec())
}

/// Several `size_t`.
pub fn sizes(values: &[usize]) -> Info {
    Info(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
}

/// Several 64-bit numbers: properties.
pub fn ulongs(values: &[u64]) -> Info {
    Info(values.iter().flat_map(|v| v.to_ne_bytes()).collect())
}

/// A text, ended by a byte of 0.
pub fn text(value: &str) -> Info {
    Info([value.as_bytes(), &[0]].concat())
}

/// A handle or another pointer.
pub fn pointer(value: *mut c_void) -> Info {
    size(value.expose_provenance())
}

/// Several handles.
pub fn pointers(values: impl IntoIterator<Item = *mut c_void>) -> Info {
    let all: Vec<usize> = values.into_iter().map(|p| p.expose_provenance()).collect();
    sizes(&all)
}

/// Names with versions: `cl_name_version`. Source: OpenCL 3.0, `CL_DEVICE_EXTENSIONS_WITH_VERSION`.
pub fn versions(names: &[(&str, u32)]) -> Info {
    let one = |(name, version): &(&str, u32)| {
        let mut bytes = [0; 68];
        bytes[..4].copy_from_slice(&version.to_ne_bytes());
        let length = name.len().min(63);
        bytes[4..4 + length].copy_from_slice(&name.as_bytes()[..length]);
        bytes
    };
    Info(names.iter().flat_map(one).collect())
}

/// A version as one number: `CL_MAKE_VERSION`.
pub const fn version(major: u32, minor: u32, patch: u32) -> u32 {
    major << 22 | minor << 12 | patch
}

/// Nothing: a query that is known and has no bytes.
pub fn nothing() -> Info {
    Info(Vec::new())
}
