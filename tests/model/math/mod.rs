//! Extended math: the functions, the unit, and the error of both.

mod errors;
mod functions;
mod special;
mod unit;
