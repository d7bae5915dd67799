//! Pictures of what an instruction touches.

mod picture;
