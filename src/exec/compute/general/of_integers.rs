//! Results of integer instructions: exact sources in, exact values out.

use super::{Bits, integers};
use crate::exec::compute::alu::{self, Wide};
use crate::exec::state::lanes::MAX_LANES;
use crate::exec::state::thread::Thread;
use crate::isa::{Modifier, Opcode};
use crate::program::Alu;

/// One value for each lane. Source: vISA text reference 5.2 and 5.3.
pub(super) fn integer_results<W: Wide>(
    thread: &Thread<'_>,
    op: &Alu,
    count: usize,
) -> [W; MAX_LANES] {
    let source = |k: usize| match op.src.get(k) {
        Some(source) => integers::<W>(thread, source, count),
        None => [W::default(); MAX_LANES],
    };
    let ty = op.dst.ty;
    let (a, b) = (source(0), source(1));
    let mut out = [W::default(); MAX_LANES];
    macro_rules! each {
        ($f:expr) => {{
            let f = $f;
            for i in 0..count {
                out[i] = f(a[i], b[i]);
            }
        }};
    }
    // The width at which a shifted value counts as (un)signed: its own, or 32 bits at least once a
    // modifier has made a wider intermediate of it.
    let shifted = op.src.first().map_or(32, |s| {
        let own = 8 * s.ty.bytes();
        if s.modifier.is_some() {
            own.max(32)
        } else {
            own
        }
    });
    let own = op.src.first().map_or(32, |s| 8 * s.ty.bytes());
    let signed = |k: usize| op.src.get(k).is_some_and(|s| s.ty.is_signed());
    match op.opcode {
        Opcode::Add => each!(W::add),
        Opcode::Mul => each!(W::mul),
        Opcode::Mad => {
            let c = source(2);
            for i in 0..count {
                out[i] = a[i].mul(b[i]).add(c[i]);
            }
        }
        Opcode::And => each!(W::and),
        Opcode::Or => each!(W::or),
        Opcode::Xor => each!(W::xor),
        Opcode::Not => each!(|a: W, _| a.not()),
        Opcode::Min => each!(|a: W, b: W| a.min(b)),
        Opcode::Max => each!(|a: W, b: W| a.max(b)),
        Opcode::Shl => each!(|a, b| alu::shl(a, b, ty)),
        Opcode::Shr => each!(|a, b| alu::shr(a, b, ty, shifted)),
        Opcode::Asr => each!(|a, b| alu::asr(a, b, ty, shifted)),
        Opcode::Avg => each!(alu::avg),
        Opcode::Div => each!(alu::quotient),
        Opcode::Mod => each!(alu::remainder),
        Opcode::Mulh => each!(alu::mulh),
        Opcode::Rol => each!(|a, b| alu::rotate_left(a, b, own)),
        Opcode::Ror => each!(|a, b| alu::rotate_right(a, b, own)),
        Opcode::Cbit => each!(|a, _| alu::count_ones(a, own)),
        Opcode::Fbl => each!(|a, _| alu::first_low(a, own)),
        Opcode::Fbh => each!(|a, _| alu::first_high(a, signed(0))),
        Opcode::Lzd => each!(|a: W, _| W::new(i64::from((a.low() as u32).leading_zeros()))),
        Opcode::Bfrev => each!(|a: W, _| W::new(i64::from((a.low() as u32).reverse_bits()))),
        Opcode::Add3 | Opcode::Add3O | Opcode::Bfn | Opcode::Dp4a | Opcode::Bfe | Opcode::Bfi => {
            let (c, d) = (source(2), source(3));
            for i in 0..count {
                out[i] = match op.opcode {
                    Opcode::Add3 | Opcode::Add3O => a[i].add(b[i]).add(c[i]),
                    Opcode::Bfn => alu::boolean(op.function, a[i], b[i], c[i]),
                    Opcode::Dp4a => alu::dp4a(a[i], b[i], c[i], [signed(1), signed(2)]),
                    Opcode::Bfe => alu::extract(a[i], b[i], c[i], signed(2)),
                    _ => alu::insert(a[i], b[i], c[i], d[i]),
                };
            }
        }
        Opcode::Sad2 | Opcode::Sad2Add => {
            let c = source(2);
            let distance = |i: usize| alu::modify(a[i].sub(b[i]), Modifier::Abs);
            for i in (0..count).step_by(2) {
                let next = (i + 1).min(MAX_LANES - 1);
                out[i] = distance(i).add(distance(next)).add(c[i]);
            }
        }
        other => unreachable!("lowering lets no integer `{other}` through"),
    }
    out
}

/// `addc`, `subb`, `madw`: results and what did not fit into them. Source: vISA text reference 5.2.
pub(super) fn double_results(thread: &Thread<'_>, op: &Alu, count: usize) -> (Bits, Bits) {
    let source = |k: usize| match op.src.get(k) {
        Some(source) => integers::<i128>(thread, source, count),
        None => [0; MAX_LANES],
    };
    let (a, b, c) = (source(0), source(1), source(2));
    let (mut low, mut high) = ([0; MAX_LANES], [0; MAX_LANES]);
    for i in 0..count {
        let dwords = (u64::from(a[i] as u32), u64::from(b[i] as u32));
        (low[i], high[i]) = match op.opcode {
            Opcode::Addc => (dwords.0 + dwords.1, (dwords.0 + dwords.1) >> 32),
            Opcode::Subb => (
                dwords.0.wrapping_sub(dwords.1),
                u64::from(dwords.0 < dwords.1),
            ),
            _ => {
                let sum = a[i].wrapping_mul(b[i]).wrapping_add(c[i]);
                (sum as u64, (sum >> 32) as u64)
            }
        };
    }
    (low, high)
}
