//! Programs made of sends.

mod grammar;
mod parse;
