//! The project about itself: imports between modules, documents that run, and what the tables, grammars and
//! diagnostics have cases of.

mod audit;
mod course;
mod coverage;
mod docs;
mod grammar;
mod layers;
mod pasted;
mod photo;
mod refusals;
mod unsafety;
