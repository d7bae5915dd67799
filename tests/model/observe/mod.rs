//! What watches a run: races, counts, bytes never written.

mod stats;
