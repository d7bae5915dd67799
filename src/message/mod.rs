//! Messages to the shared functions: typed requests, and their bits.

pub mod request;

pub use request::{
    AvsRequest, FieldSelect, MediaBlock, Request, ReturnFormat, SamplerOp, SamplerRequest,
};
