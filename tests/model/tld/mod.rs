//! Texture loads of Maxwell: text, words, headers, memory.

mod block_linear;
mod component;
mod header;
mod laws;
mod packing;
mod rules;
