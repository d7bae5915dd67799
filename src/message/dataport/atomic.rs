//! Read-modify-write of one element for each lane: dword, typed and 64-bit atomics.
//!
//! Source: lowering reference 12.

use super::super::Sfid;
use super::super::bits::{DecodeError, Draft, EncodeError, reserved};
use super::super::fields;
use super::super::request::{Atomic, Request};
use super::{
    STATELESS, atomic_code, atomic_op, atomic_type, bad, is_float, stateless, svm_atomic_type,
    types, wide,
};

fn atomic_common(r: &Atomic, message_type: u32) -> Result<Draft, EncodeError> {
    use fields::atomic as c;
    let mut d = Draft::new(Sfid::Dc1);
    d.put(c::TYPE, message_type)?;
    d.put(c::RETURN, r.returns.into())?;
    d.put(c::OP, atomic_code(r.op))?;
    d.put(c::BINDING, r.surface)?;
    Ok(d)
}

pub(super) fn atomic(r: &Atomic) -> Result<Draft, EncodeError> {
    if r.bits != 16 && r.bits != 32 {
        return Err(bad("16 or 32 bits"));
    }
    let mut d = atomic_common(r, atomic_type(r.op, r.bits == 16))?;
    d.put(fields::atomic::LANES, u32::from(!wide(r.lanes)?))?;
    Ok(d)
}

pub(super) fn typed_atomic(r: &Atomic) -> Result<Draft, EncodeError> {
    let message_type = match r.bits {
        16 => types::TYPED_ATOMIC_16,
        32 => types::TYPED_ATOMIC,
        _ => return Err(bad("16 or 32 bits")),
    };
    if is_float(r.op) || r.lanes != 8 {
        return Err(bad("integer operation on eight lanes"));
    }
    atomic_common(r, message_type)
}

pub(super) fn svm_atomic(r: &Atomic) -> Result<Draft, EncodeError> {
    if r.lanes != 8 || r.surface != STATELESS {
        return Err(bad("eight lanes, binding 255"));
    }
    if !matches!(r.bits, 16 | 32 | 64) || is_float(r.op) && r.bits == 64 {
        return Err(bad("16, 32 or 64 bits, floats 16 or 32"));
    }
    let mut d = atomic_common(r, svm_atomic_type(r.op, r.bits == 16))?;
    d.put(fields::atomic::LANES, (r.bits == 64).into())?;
    Ok(d)
}

pub(super) fn decode_atomic(control: u32, message_type: u32) -> Result<Request, DecodeError> {
    use fields::atomic as c;
    let word = [control];
    use types as t;
    let float = matches!(
        message_type,
        t::ATOMIC_FLOAT | t::ATOMIC_HALF | t::SVM_ATOMIC_FLOAT | t::SVM_ATOMIC_HALF
    );
    let half = matches!(
        message_type,
        t::ATOMIC_16 | t::ATOMIC_HALF | t::TYPED_ATOMIC_16 | t::SVM_ATOMIC_16 | t::SVM_ATOMIC_HALF
    );
    let code = c::OP.get(&word);
    let flag = c::LANES.get(&word);
    let mut r = Atomic {
        surface: c::BINDING.get(&word),
        op: reserved(c::OP, code, atomic_op(code, float))?,
        bits: if half { 16 } else { 32 },
        lanes: 8,
        returns: c::RETURN.get(&word) != 0,
    };
    Ok(match message_type {
        types::TYPED_ATOMIC | types::TYPED_ATOMIC_16 => {
            reserved(c::LANES, flag, (flag == 0).then_some(()))?;
            Request::TypedAtomic(r)
        }
        t::SVM_ATOMIC | t::SVM_ATOMIC_16 | t::SVM_ATOMIC_FLOAT | t::SVM_ATOMIC_HALF => {
            stateless(control)?;
            let narrow = half || float;
            reserved(c::LANES, flag, (flag == 0 || !narrow).then_some(()))?;
            if flag != 0 {
                r.bits = 64;
            }
            Request::SvmAtomic(r)
        }
        _ => {
            r.lanes = 16 >> flag;
            Request::Atomic(r)
        }
    })
}
