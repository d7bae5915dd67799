//! Lanes of operands: in as dwords, widened as their type says, out as the low bytes.

use super::Step;
use crate::exec::lanes::{self, MAX_LANES};
use crate::exec::thread::Thread;
use crate::isa::{Modifier, Type};
use crate::math::simd::Wide;
use crate::program::{CompareDest, Dest, Op, Program, Region, Source};

/// Lanes of a loop, `R` rows of `L`. Rows are as long as a wide register, so that the compiler keeps them in
/// registers; a longer array it keeps in memory.
pub type Rows<T, const L: usize, const R: usize> = [[T; L]; R];

/// Lanes of a row: of a wide register.
pub const ROW: usize = 8;

/// What `of` makes of each lane. Closures are to be inlined: vector code calls nothing.
#[inline(always)]
pub fn each_lane<T: Copy, U: Copy + Default, const L: usize, const R: usize>(
    rows: &Rows<T, L, R>,
    of: impl Fn(T) -> U,
) -> Rows<U, L, R> {
    let mut out = [[U::default(); L]; R];
    for r in 0..R {
        for i in 0..L {
            out[r][i] = of(rows[r][i]);
        }
    }
    out
}

/// A source, decoded.
#[derive(Clone, Copy)]
pub struct Operand {
    /// Where it lies in the arena, or its value.
    at: u32,
    form: Form,
    /// Source modifier.
    pub modifier: Option<Modifier>,
    /// The modifier in bits: what a float keeps and flips; what an integer flips and then is lessened by.
    pub keep: u32,
    /// As `keep`.
    pub flip: u32,
    /// As `keep`.
    pub minus: u32,
}

/// How lanes find their dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// All have the same value: a dword that a narrower constant becomes.
    Value,
    /// All read the same dword, be it a constant.
    Scalar,
    /// Dwords follow each other.
    Dense,
    /// Elements so many bytes apart.
    Strided(Element, u16),
    /// As the op says.
    Listed(Element),
}

/// What an element becomes a dword from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// Zero-extended.
    U8,
    /// Sign-extended.
    S8,
    /// Zero-extended.
    U16,
    /// Sign-extended.
    S16,
    /// As it stands.
    Dword,
}

impl Element {
    /// The element of a type, with the sign of the type.
    pub fn of(ty: Type) -> Option<Element> {
        Element::sized(ty.bytes(), ty.is_signed())
    }

    /// The element of that many bytes.
    pub fn sized(bytes: u32, signed: bool) -> Option<Element> {
        Some(match (bytes, signed) {
            (1, false) => Element::U8,
            (1, true) => Element::S8,
            (2, false) => Element::U16,
            (2, true) => Element::S16,
            (4, _) => Element::Dword,
            _ => return None,
        })
    }

    const fn bytes(self) -> usize {
        match self {
            Element::U8 | Element::S8 => 1,
            Element::U16 | Element::S16 => 2,
            Element::Dword => 4,
        }
    }

    #[inline]
    fn get(self, arena: &[u8], at: usize) -> u32 {
        match self {
            Element::U8 => u32::from(arena[at]),
            Element::S8 => arena[at] as i8 as u32,
            Element::U16 => u32::from(u16::from_le_bytes([arena[at], arena[at + 1]])),
            Element::S16 => i16::from_le_bytes([arena[at], arena[at + 1]]) as u32,
            Element::Dword => dword(arena, at),
        }
    }
}

/// A destination, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// Dwords that follow each other.
    Dense(u32),
    /// Elements of this many bytes, so many bytes apart.
    Strided { at: u32, bytes: u8, stride: u16 },
    /// As the op says.
    Listed(u8),
    /// Bits of the predicate at this offset.
    Flags(u32),
}

impl Operand {
    /// Never read.
    pub const NONE: Operand = Operand {
        at: 0,
        form: Form::Value,
        modifier: None,
        keep: u32::MAX,
        flip: 0,
        minus: 0,
    };

    /// A predicate, which whoever takes it reads as a whole.
    pub const fn predicate(at: u32) -> Operand {
        Operand {
            at,
            form: Form::Scalar,
            ..Operand::NONE
        }
    }

    /// Where it lies in the arena, unless it is a value.
    pub const fn at(&self) -> u32 {
        self.at
    }

    /// Decodes a source for a loop of `lanes` lanes; `None` if its elements are wider than a dword or the
    /// loop would read outside the arena.
    pub fn new(
        program: &Program,
        source: &Source,
        element: Element,
        lanes: usize,
    ) -> Option<Operand> {
        let end = program.image.len();
        let fits = |at: u32, stride: u32| {
            at as usize + stride as usize * (lanes - 1) + element.bytes() <= end
        };
        let (at, form) = match source.region {
            Region::Scalar(at) if fits(at, 0) => {
                if element == Element::Dword {
                    (at, Form::Scalar)
                } else if program.is_constant(at) {
                    (element.get(&program.image, at as usize), Form::Value)
                } else {
                    (at, Form::Strided(element, 0))
                }
            }
            Region::Dense(at) if fits(at, element.bytes() as u32) => match element {
                Element::Dword => (at, Form::Dense),
                _ => (at, Form::Strided(element, element.bytes() as u16)),
            },
            Region::Strided { offset, stride } if stride <= 256 && fits(offset, stride) => {
                (offset, Form::Strided(element, stride as u16))
            }
            Region::List(_) | Region::Indirect(_) => (0, Form::Listed(element)),
            _ => return None,
        };
        // What has no sign is its own absolute value.
        let unsigned = source.ty.is_integer() && !source.ty.is_signed();
        let modifier = match source.modifier {
            Some(Modifier::Abs) if unsigned => None,
            Some(Modifier::NegAbs) if unsigned => Some(Modifier::Neg),
            modifier => modifier,
        };
        let float = source.ty.is_float();
        let sign = 1 << 31;
        let (keep, flip, minus) = match modifier {
            None => (u32::MAX, 0, 0),
            Some(Modifier::Not) if float => (u32::MAX, 0, 0),
            Some(Modifier::Not) => (u32::MAX, u32::MAX, 0),
            Some(Modifier::Neg) if float => (u32::MAX, sign, 0),
            Some(Modifier::Neg) => (u32::MAX, u32::MAX, u32::MAX),
            // Integers are asked for their sign.
            Some(Modifier::Abs) => (!sign, 0, 0),
            Some(Modifier::NegAbs) => (!sign, sign, 0),
        };
        Some(Operand {
            at,
            form,
            modifier,
            keep,
            flip,
            minus,
        })
    }
}

impl Put {
    /// Where dwords go that follow each other.
    #[inline(always)]
    const fn first(self) -> usize {
        match self {
            Put::Dense(at) => at as usize,
            _ => 0,
        }
    }

    /// Decodes a destination for a loop of `lanes` lanes; `None` as for sources.
    pub fn new(program: &Program, dst: &Dest, lanes: usize) -> Option<Put> {
        let bytes = dst.ty.bytes();
        if bytes > 4 {
            return None;
        }
        let end = program.image.len();
        let fits = |at: u32, stride: u32| {
            at as usize + stride as usize * (lanes - 1) + bytes as usize <= end
        };
        Some(match dst.region {
            Region::Dense(at) if bytes == 4 && fits(at, 4) => Put::Dense(at),
            Region::Dense(at) if fits(at, bytes) => Put::Strided {
                at,
                bytes: bytes as u8,
                stride: bytes as u16,
            },
            Region::Strided { offset, stride } if stride <= 256 && fits(offset, stride) => {
                Put::Strided {
                    at: offset,
                    bytes: bytes as u8,
                    stride: stride as u16,
                }
            }
            Region::List(_) | Region::Indirect(_) => Put::Listed(bytes as u8),
            _ => return None,
        })
    }
}

#[inline(always)]
fn dword(arena: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&arena[at..at + 4]);
    u32::from_le_bytes(bytes)
}

/// Where operands of so many bytes begin, which lie in the arena: [`Operand::new`] and [`Put::new`] have seen to
/// it. Said in this way the compiler asks it once for all threads.
#[inline(always)]
fn inside(arena: &[u8], at: usize, bytes: usize) -> usize {
    at.min(arena.len().saturating_sub(bytes))
}

/// Dwords that follow each other.
#[inline(always)]
fn dense<const L: usize, const R: usize>(arena: &[u8], at: usize) -> Rows<u32, L, R> {
    let at = inside(arena, at, 4 * L * R);
    let (dwords, _) = arena[at..at + 4 * L * R].as_chunks::<4>();
    let mut out = [[0; L]; R];
    for r in 0..R {
        for i in 0..L {
            out[r][i] = u32::from_le_bytes(dwords[L * r + i]);
        }
    }
    out
}

/// What a kernel knows of its operands beforehand: bit `k` is set if source `k` has one value for all
/// lanes, clear if its dwords follow each other; those of the destination do. No absolute values, and no
/// denormals to flush. Without [`DRESSED`] there is nothing but values, lanes and the execution mask.
pub type Shape = u8;

/// Set in a shape where there may be modifiers, single elements that are no dwords in the arena, a predicate or
/// `.sat`: the kernel looks when it runs.
pub const DRESSED: Shape = 1 << 3;

/// Nothing is known.
pub const ANY: Shape = u8::MAX;

/// The shape of operands, if they have one.
pub fn shape(sources: &[Operand], dst: Put) -> Option<Shape> {
    if matches!(dst, Put::Strided { .. } | Put::Listed(_)) {
        return None;
    }
    let mut shape = 0;
    for (k, operand) in sources.iter().enumerate() {
        if operand.keep != u32::MAX {
            return None;
        }
        if operand.modifier.is_some() {
            shape |= DRESSED;
        }
        match operand.form {
            Form::Scalar => shape |= 1 << k,
            Form::Value | Form::Strided(_, 0) => shape |= 1 << k | DRESSED,
            Form::Dense => {}
            Form::Strided(..) | Form::Listed(_) => return None,
        }
    }
    Some(shape)
}

/// The one value of a source.
#[inline(always)]
fn one<const SHAPE: Shape>(arena: &[u8], operand: &Operand) -> u32 {
    match operand.form {
        Form::Value if SHAPE & DRESSED != 0 => operand.at,
        Form::Strided(element, _) if SHAPE & DRESSED != 0 => {
            element.get(arena, operand.at as usize)
        }
        _ => dword(arena, inside(arena, operand.at as usize, 4)),
    }
}

/// The lanes of source `k`, without its modifier.
#[inline(always)]
pub fn load<const L: usize, const R: usize, const SHAPE: Shape>(
    thread: &Thread<'_>,
    step: &Step,
    k: usize,
) -> Rows<u32, L, R> {
    let operand = &step.src[k];
    if SHAPE == ANY {
        return load_any(thread, step, k);
    }
    if SHAPE >> k & 1 == 1 {
        [[one::<SHAPE>(step.bytes(thread), operand); L]; R]
    } else {
        dense(step.bytes(thread), operand.at as usize)
    }
}

#[inline(always)]
fn load_any<const L: usize, const R: usize>(
    thread: &Thread<'_>,
    step: &Step,
    k: usize,
) -> Rows<u32, L, R> {
    let operand = &step.src[k];
    let at = operand.at as usize;
    let mut out = [[0; L]; R];
    match operand.form {
        Form::Value => return [[operand.at; L]; R],
        Form::Scalar => return [[dword(&thread.arena, at); L]; R],
        Form::Dense => return dense(&thread.arena, at),
        Form::Strided(element, stride) => strided(
            &thread.arena[at..],
            (element, stride.into()),
            step.wide,
            out.as_flattened_mut(),
        ),
        Form::Listed(element) => listed(
            thread,
            step.op,
            (k, element),
            step.lanes.count.into(),
            out.as_flattened_mut(),
        ),
    }
    out
}

/// Elements so many bytes apart. Not part of kernels: it is the same for all of them.
#[inline(never)]
fn strided(bytes: &[u8], walk: (Element, usize), wide: Option<Wide>, out: &mut [u32]) {
    match wide {
        Some(wide) => wide.run(
            #[inline(always)]
            || walk_lanes(bytes, walk, out),
        ),
        None => walk_lanes(bytes, walk, out),
    }
}

#[inline(always)]
fn walk_lanes(bytes: &[u8], (element, stride): (Element, usize), out: &mut [u32]) {
    // A row as a whole where elements follow each other.
    macro_rules! packed {
        ($size:literal, $value:expr) => {{
            let (elements, _) = bytes.as_chunks::<$size>();
            let (rows, rest) = out.as_chunks_mut::<ROW>();
            let done = ROW * rows.len();
            for (row, elements) in rows.iter_mut().zip(elements.as_chunks::<ROW>().0) {
                for i in 0..ROW {
                    row[i] = $value(elements[i]);
                }
            }
            for (out, element) in rest.iter_mut().zip(elements.iter().skip(done)) {
                *out = $value(*element);
            }
        }};
    }
    match (element, stride) {
        (_, 0) => out.fill(element.get(bytes, 0)),
        (Element::U16, 2) => packed!(2, |b| u32::from(u16::from_le_bytes(b))),
        (Element::S16, 2) => packed!(2, |b| i16::from_le_bytes(b) as u32),
        (Element::U8, 1) => packed!(1, |[b]: [u8; 1]| u32::from(b)),
        (Element::S8, 1) => packed!(1, |[b]: [u8; 1]| b as i8 as u32),
        _ => {
            for (i, out) in out.iter_mut().enumerate() {
                *out = element.get(bytes, stride * i);
            }
        }
    }
}

/// Lanes that the op itself lists, or that go through addresses.
#[inline(never)]
fn listed(
    thread: &Thread<'_>,
    op: u32,
    (k, element): (usize, Element),
    count: usize,
    out: &mut [u32],
) {
    let source = match thread.program.ops.get(op as usize) {
        Some(Op::Alu(alu)) => alu.src.get(k),
        Some(Op::Compare { src, .. }) => src.get(k),
        _ => None,
    };
    let mut all = [0; MAX_LANES];
    if let Some(source) = source {
        let (arena, limit) = (&thread.arena, thread.program.general_bytes);
        macro_rules! read {
            ($value:expr) => {
                lanes::read(arena, &source.region, limit, count, &mut all, $value)
            };
        }
        match element {
            Element::U8 => read!(|[b]: [u8; 1]| u32::from(b)),
            Element::S8 => read!(|[b]: [u8; 1]| b as i8 as u32),
            Element::U16 => read!(|b| u32::from(u16::from_le_bytes(b))),
            Element::S16 => read!(|b| i16::from_le_bytes(b) as u32),
            Element::Dword => read!(u32::from_le_bytes),
        }
    }
    for (out, value) in out.iter_mut().zip(all) {
        *out = value;
    }
}

/// The mask of `N` lanes that are all on.
pub const fn full(lanes: usize) -> u32 {
    if lanes >= 32 {
        u32::MAX
    } else {
        (1 << lanes) - 1
    }
}

/// Writes the low bytes of the lanes of `mask`.
#[inline(always)]
pub fn store<const L: usize, const R: usize, const SHAPE: Shape>(
    thread: &mut Thread<'_>,
    step: &Step,
    mask: u32,
    values: &Rows<u32, L, R>,
) {
    match step.dst {
        Put::Strided { .. } | Put::Listed(_) if SHAPE == ANY => {
            let place = (step.op, step.lanes.count.into());
            store_other(thread, place, step.dst, mask, values.as_flattened());
        }
        // No known shape has any other destination.
        dst => store_dense(step.bytes_mut(thread), dst.first(), mask, values),
    }
}

#[inline(always)]
fn store_dense<const L: usize, const R: usize>(
    arena: &mut [u8],
    at: usize,
    mask: u32,
    values: &Rows<u32, L, R>,
) {
    let at = inside(arena, at, 4 * L * R);
    let bytes = &mut arena[at..at + 4 * L * R];
    let values = match mask == full(L * R) {
        true => *values,
        false => blend(mask, values, &dense(bytes, 0)),
    };
    let (dwords, _) = bytes.as_chunks_mut::<4>();
    for r in 0..R {
        for i in 0..L {
            dwords[L * r + i] = values[r][i].to_le_bytes();
        }
    }
}

/// The lanes of `on` where `mask` has a bit, else those of `off`. In arithmetic: the compiler makes vector code
/// of it, which it does not of a choice.
#[inline(always)]
pub fn blend<const L: usize, const R: usize>(
    mask: u32,
    on: &Rows<u32, L, R>,
    off: &Rows<u32, L, R>,
) -> Rows<u32, L, R> {
    let mut out = [[0; L]; R];
    for r in 0..R {
        for i in 0..L {
            let all = (mask >> (L * r + i) & 1).wrapping_neg();
            out[r][i] = on[r][i] & all | off[r][i] & !all;
        }
    }
    out
}

#[inline(never)]
fn store_other(
    thread: &mut Thread<'_>,
    (op, count): (u32, usize),
    dst: Put,
    mask: u32,
    values: &[u32],
) {
    match dst {
        Put::Strided { at, bytes, stride } => {
            let (at, stride) = (at as usize, usize::from(stride));
            let whole = mask == full(values.len());
            let size = usize::from(bytes);
            let arena = &mut thread.arena[at..at + stride * (values.len() - 1) + size];
            if whole && size == 2 && stride == 2 {
                for (bytes, value) in arena.as_chunks_mut::<2>().0.iter_mut().zip(values) {
                    *bytes = (*value as u16).to_le_bytes();
                }
                return;
            }
            for lane in lanes::active(mask, values.len()) {
                let value = values[lane].to_le_bytes();
                let place = &mut arena[stride * lane..][..size];
                match size {
                    1 => place.copy_from_slice(&value[..1]),
                    2 => place.copy_from_slice(&value[..2]),
                    _ => place.copy_from_slice(&value),
                }
            }
        }
        Put::Listed(bytes) => {
            let program = thread.program;
            let region = match program.ops.get(op as usize) {
                Some(Op::Alu(alu)) => &alu.dst.region,
                Some(Op::Compare {
                    dst: CompareDest::General(dst),
                    ..
                }) => &dst.region,
                _ => return,
            };
            let mut all = [0; MAX_LANES];
            all[..values.len()].copy_from_slice(values);
            let (arena, limit) = (&mut thread.arena, program.general_bytes);
            match bytes {
                1 => lanes::write(arena, region, limit, count, mask, &all, |v| [v as u8]),
                2 => lanes::write(arena, region, limit, count, mask, &all, |v| {
                    (v as u16).to_le_bytes()
                }),
                _ => lanes::write(arena, region, limit, count, mask, &all, u32::to_le_bytes),
            }
        }
        Put::Dense(_) | Put::Flags(_) => {}
    }
}

/// Writes one bit for each lane: to a predicate, or as all ones and zeros.
#[inline(always)]
pub fn store_flags<const L: usize, const R: usize, const SHAPE: Shape>(
    thread: &mut Thread<'_>,
    step: &Step,
    mask: u32,
    bits: u32,
) {
    let Put::Flags(at) = step.dst else {
        let values = blend(bits, &[[u32::MAX; L]; R], &[[0; L]; R]);
        return store::<L, R, SHAPE>(thread, step, mask, &values);
    };
    thread.write_predicate(at, bits, mask, step.lanes.offset);
}
