//! Two ops as one: compilers print the halves of a wide kernel one after the other, on registers that
//! lie side by side.
//!
//! ```text
//!  add (M1, 16) V47(0,0)<1> V47(0,0)<1;1,0> V36(0,0)<0;1,0>     V47 │ V48   one step of 32 lanes
//!  add (M5, 16) V48(0,0)<1> V48(0,0)<1;1,0> V36(0,0)<0;1,0>
//! ```

use crate::program::{Alu, CompareDest, Dest, Lanes, Op, Region, Source};
use std::ops::Range;

/// The op that does what `a` and then `b` do, if there is one.
pub fn join(a: &Op, b: &Op) -> Option<Op> {
    match (a, b) {
        (Op::Alu(a), Op::Alu(b)) => alu(a, b),
        (
            Op::Compare {
                relation,
                lanes,
                dst: CompareDest::Predicate(dst),
                src,
            },
            Op::Compare {
                relation: relation_b,
                lanes: lanes_b,
                dst: CompareDest::Predicate(dst_b),
                src: src_b,
            },
        ) if relation == relation_b && dst == dst_b => Some(Op::Compare {
            relation: *relation,
            lanes: both(*lanes, *lanes_b)?,
            dst: CompareDest::Predicate(*dst),
            src: Box::new([
                source(&src[0], &src_b[0], *lanes)?,
                source(&src[1], &src_b[1], *lanes)?,
            ]),
        }),
        _ => None,
    }
}

fn alu(a: &Alu, b: &Alu) -> Option<Op> {
    let same = a.opcode == b.opcode
        && a.guard == b.guard
        && a.saturate == b.saturate
        && a.function == b.function
        && a.src.len() == b.src.len()
        && a.dst.ty == b.dst.ty;
    let second = |alu: &Alu| alu.dst2.is_some() || alu.overflow.is_some();
    // Moves of 8-byte elements ask their own op.
    if !same || second(a) || second(b) || a.dst.ty.bytes() == 8 {
        return None;
    }
    let written = extent(&a.dst.region, a.dst.ty.bytes(), a.lanes)?;
    for source in &b.src {
        let read = extent(&source.region, source.ty.bytes(), b.lanes)?;
        if read.start < written.end && written.start < read.end {
            return None;
        }
    }
    let sources = a.src.iter().zip(&b.src);
    let src = sources.map(|(s, t)| source(s, t, a.lanes));
    Some(Op::Alu(Box::new(Alu {
        opcode: a.opcode,
        lanes: both(a.lanes, b.lanes)?,
        guard: a.guard,
        dst: Dest {
            region: region(&a.dst.region, &b.dst.region, a.dst.ty.bytes(), a.lanes)?,
            ty: a.dst.ty,
        },
        dst2: None,
        overflow: None,
        src: src.collect::<Option<_>>()?,
        saturate: a.saturate,
        function: a.function,
        precisions: None,
    })))
}

/// The lanes of both, if those of `b` follow those of `a`.
fn both(a: Lanes, b: Lanes) -> Option<Lanes> {
    let follow = a.count == b.count && b.offset == a.offset + a.count && a.no_mask == b.no_mask;
    (follow && matches!(a.count, 8 | 16)).then_some(Lanes {
        count: 2 * a.count,
        ..a
    })
}

fn source(a: &Source, b: &Source, lanes: Lanes) -> Option<Source> {
    if a.ty != b.ty || a.modifier != b.modifier {
        return None;
    }
    Some(Source {
        region: region(&a.region, &b.region, a.ty.bytes(), lanes)?,
        ty: a.ty,
        modifier: a.modifier,
    })
}

/// The walk of `a` that goes on as `b`.
fn region(a: &Region, b: &Region, size: u32, lanes: Lanes) -> Option<Region> {
    let count = u32::from(lanes.count);
    let goes_on = match (a, b) {
        (Region::Scalar(a), Region::Scalar(b)) => a == b,
        (Region::Dense(a), Region::Dense(b)) => *b == a + count * size,
        (
            Region::Strided { offset, stride },
            Region::Strided {
                offset: b,
                stride: stride_b,
            },
        ) => stride == stride_b && *b == offset + count * stride,
        _ => false,
    };
    goes_on.then(|| a.clone())
}

/// The bytes between the first and the last that a walk touches.
pub(super) fn extent(region: &Region, size: u32, lanes: Lanes) -> Option<Range<u32>> {
    let last = u32::from(lanes.count).checked_sub(1)?;
    let (start, stride) = match *region {
        Region::Scalar(at) => (at, 0),
        Region::Dense(at) => (at, size),
        Region::Strided { offset, stride } => (offset, stride),
        Region::List(_) | Region::Indirect(_) => return None,
    };
    Some(start..start + last * stride + size)
}
