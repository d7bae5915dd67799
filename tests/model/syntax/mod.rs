//! Text to tree and back.

mod round_trip;
