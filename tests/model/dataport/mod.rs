//! The data port: blocks, buffers, atomics, render targets, by hand.

mod block;
mod buffer;
mod deblock;
mod target;
mod unorm;
mod untyped;
