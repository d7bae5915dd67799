//! Built-in variables and surfaces. Source: vISA text reference, section 3.

use super::types::Type;

macro_rules! predefined {
    ($($id:literal $name:literal $ty:ident $elements:literal $writable:expr;)+) => {
        /// Every built-in general variable, in the order of its id.
        pub static PREDEFINED: &[PredefinedRow] = &[$(($id, $name, Type::$ty, $elements, $writable)),+];
    };
}

/// Id, name, type, elements, and the range of writable elements (first, last) if any.
pub type PredefinedRow = (u8, &'static str, Type, u32, Option<(u32, u32)>);

#[rustfmt::skip]
predefined! {
    0  "null"             Ud 1   Some((0, 0));
    1  "thread_x"         Uw 1   None;
    2  "thread_y"         Uw 1   None;
    3  "group_id_x"       Ud 1   None;
    4  "group_id_y"       Ud 1   None;
    5  "group_id_z"       Ud 1   None;
    6  "tsc"              Ud 5   Some((4, 4));
    7  "r0"               Ud 8   None;
    8  "arg"              Ud 256 Some((0, 255));
    9  "retval"           Ud 96  Some((0, 95));
    10 "sp"               Uq 1   Some((0, 0));
    11 "fp"               Uq 1   Some((0, 0));
    12 "hw_id"            Ud 1   None;
    13 "sr0"              Ud 4   Some((1, 2));
    14 "cr0"              Ud 1   Some((0, 0));
    15 "ce0"              Ud 1   None;
    16 "dbg0"             Ud 2   Some((0, 1));
    17 "color"            Uw 1   None;
    18 "impl_arg_buf_ptr" Uq 1   Some((0, 0));
    19 "local_id_buf_ptr" Uq 1   Some((0, 0));
    20 "msg0"             Ud 3   None;
    21 "scratchloc"       Uq 1   None;
}

/// Elements of a built-in where a register has `grf_bytes`: the header, arguments and return values are whole
/// registers, which the table counts in dwords of 32-byte ones.
pub fn elements(row: &PredefinedRow, grf_bytes: u32) -> u32 {
    match row.1 {
        "r0" | "arg" | "retval" => row.3 * (grf_bytes / 32),
        _ => row.3,
    }
}

/// Built-in surfaces: index and name as written (`%slm`, but plain `T1`).
pub static SURFACES: &[(u32, &str)] = &[
    (0, "%slm"),
    (1, "T1"),
    (2, "T2"),
    (3, "TSS"),
    (4, "%bss"),
    (5, "%scratch"),
];

/// Index of the first user surface.
pub const FIRST_USER_SURFACE: u32 = 6;

/// Name of the bindless sampler.
pub const BINDLESS_SAMPLER: &str = "S31";
