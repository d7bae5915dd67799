//! Messages of Ironlake. Source: lowering reference 18.

use super::bits::{DecodeError, Decoded, EncodeError, Form, Message};
use super::request::Request;
use crate::isa::Platform;

pub(super) fn encode(_request: &Request, _form: &Form) -> Result<Message, EncodeError> {
    Err(EncodeError::Absent {
        what: "this request",
        platform: Platform::Ilk,
    })
}

pub(super) fn decode(message: &Message) -> Result<Decoded, DecodeError> {
    Err(DecodeError::UnknownFunction(message.sfid))
}
