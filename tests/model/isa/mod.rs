//! Which platform has what.

mod availability;
