//! The lowest floor: bit fields.

mod bits;
