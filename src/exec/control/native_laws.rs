//! Native code leaves the same bytes, lanes and counts as steps do.

use super::lockstep;
use super::reset::Reset;
use crate::exec::compute::decoded::Decoded;
use crate::exec::compute::laws::{
    FLOATS, INTEGERS, TYPES, cases, dword, lowered, modifier, program, sources,
};
use crate::exec::compute::native::{Native, NativeCode, Rounds, Seen};
use crate::exec::message::blocks::Kept;
use crate::exec::message::environment::{Allowance, Environment};
use crate::exec::message::site_plans::SitePlans;
use crate::exec::state::bindings::{Bindings, Resources};
use crate::exec::state::float_mode::{FloatMode, Rounding};
use crate::exec::state::named::NamedBarriers;
use crate::exec::state::observer::Silent;
use crate::exec::state::thread::{Stop, Thread, ThreadId};
use crate::isa::{Condition, Modifier, Opcode, Type};
use crate::program::{
    Alu, CompareDest, Dest, Group, Guard, Indirect, Lanes, Op, Program, Region, Source,
};
use crate::surface::Memory;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of an arena: rows, then predicates, then constants.
const BYTES: usize = 2048;
const PREDICATES: u32 = 1600;
const CONSTANTS: u32 = 1664;
/// Address elements, 32 of them.
const ADDRESSES: u32 = 1856;

/// Types that all operands of an op have together.
const SAME: &[Type] = &[Type::Ud, Type::D, Type::D, Type::Ud, Type::Q, Type::Uq];

/// Integer ops that no step of its own does.
const BEYOND_STEPS: &[Opcode] = &[
    Opcode::Mulh,
    Opcode::Dp4a,
    Opcode::Div,
    Opcode::Mod,
    Opcode::Addc,
    Opcode::Subb,
    Opcode::Madw,
    Opcode::Lzd,
    Opcode::Cbit,
    Opcode::Fbl,
    Opcode::Fbh,
    Opcode::Bfrev,
];

/// Ops of halves that are code.
const HALVES: &[Opcode] = &[
    Opcode::Add,
    Opcode::Mul,
    Opcode::Mad,
    Opcode::Min,
    Opcode::Max,
    Opcode::Rnde,
    Opcode::Div,
    Opcode::Inv,
    Opcode::Sqrt,
    Opcode::Rsqrt,
    Opcode::Exp,
    Opcode::Log,
    Opcode::Pow,
    Opcode::Sin,
    Opcode::Cos,
    Opcode::Mov,
    Opcode::Mov,
    Opcode::Mov,
];

/// Ops of doubles that are code.
const DOUBLES: &[Opcode] = &[
    Opcode::Add,
    Opcode::Mul,
    Opcode::Mad,
    Opcode::Div,
    Opcode::Invm,
    Opcode::Sqrtm,
    Opcode::Min,
    Opcode::Max,
    Opcode::Sel,
    Opcode::Mov,
    Opcode::Mov,
    Opcode::Mov,
    Opcode::Mov,
];

/// What becomes doubles, and become of them.
const DOUBLE_MOVES: &[Type] = &[
    Type::F,
    Type::F,
    Type::D,
    Type::Ud,
    Type::Q,
    Type::Uq,
    Type::Df,
    Type::W,
    Type::Ub,
];

/// What halves become, and become of.
const HALF_MOVES: &[Type] = &[
    Type::F,
    Type::F,
    Type::Hf,
    Type::Hf,
    Type::D,
    Type::Ud,
    Type::W,
    Type::Ub,
];

/// Numbers that an op is made of.
#[derive(Clone, Debug)]
struct Seed {
    kind: u8,
    opcode: prop::sample::Index,
    types: [prop::sample::Index; 4],
    shapes: [u8; 4],
    modifiers: [u8; 3],
    width: u8,
    flags: u8,
    target: u8,
}

fn seed() -> impl Strategy<Value = Seed> {
    let ops = (
        any::<u8>(),
        any::<prop::sample::Index>(),
        any::<[prop::sample::Index; 4]>(),
    );
    let operands = (any::<[u8; 4]>(), any::<[u8; 3]>());
    (ops, operands, any::<[u8; 3]>()).prop_map(|((kind, opcode, types), operands, rest)| Seed {
        kind,
        opcode,
        types,
        shapes: operands.0,
        modifiers: operands.1,
        width: rest[0],
        flags: rest[1],
        target: rest[2],
    })
}

/// A way through the rows. Most are whole registers, so that code finds what it holds; some overlap them.
fn region(n: u8, size: u32, count: u8, destination: bool) -> Region {
    let row = 128 * u32::from(n / 16 % 8);
    match n % 16 {
        0..=7 => Region::Dense(row),
        8 => Region::Dense(row + size),
        9 => Region::Dense(row + 64),
        10 | 11 if !destination => Region::Scalar(row),
        12 if !destination => Region::Scalar(CONSTANTS + 8 * u32::from(n / 16)),
        13 => Region::Strided {
            offset: row,
            stride: size
                * if size > 4 {
                    2
                } else {
                    2 + u32::from(n / 16 % 3)
                },
        },
        14 => Region::Strided {
            offset: row
                + match size {
                    // Parts of dwords, and words that no single dword has.
                    ..4 => u32::from(n / 16 % 4),
                    _ => 0,
                },
            stride: size.max(4),
        },
        15 if n / 16 % 4 == 3 => Region::List(
            (0..u32::from(count))
                .map(|i| row + size * [i ^ 1, i / 2][usize::from(n / 64 % 2)])
                .collect(),
        ),
        10 | 11 | 15 => through(n / 16, size, count),
        _ => Region::Dense(row),
    }
}

/// A way through addresses: one for all lanes, for each its own, or for each four.
fn through(n: u8, size: u32, count: u8) -> Region {
    let lanes = 0..u32::from(count);
    let address = |lane: u32| match n % 4 {
        0 => 0,
        1 => lane / 4,
        _ => lane,
    };
    let step = |lane: u32| match n % 4 {
        0 | 1 => size * (lane % 4 + lane / 4 * u32::from(n / 4 % 4)),
        _ => 0,
    };
    let first = [0, 64, -32, 2][usize::from(n / 4 % 4)];
    Region::Indirect(Box::new(Indirect {
        address: lanes
            .clone()
            .map(|lane| ADDRESSES + 2 * address(lane))
            .collect(),
        displacement: lanes.map(|lane| first + step(lane).cast_signed()).collect(),
    }))
}

/// Addresses: most of dwords, some of anything.
fn address() -> impl Strategy<Value = u16> {
    prop_oneof![
        4 => (0..PREDICATES as u16 / 4).prop_map(|n| 4 * n),
        1 => 0..PREDICATES as u16 + 8,
        1 => any::<u16>(),
    ]
}

/// Puts them into an arena.
fn place_addresses(arena: &mut [u8], addresses: &[u16]) {
    let words = arena[ADDRESSES as usize..].chunks_exact_mut(2);
    for (word, address) in words.zip(addresses) {
        word.copy_from_slice(&address.to_le_bytes());
    }
}

/// An op of a program of `ops` ops.
fn op(seed: &Seed, ops: u32, wide: bool) -> Op {
    let float = seed.kind.is_multiple_of(2);
    let count = match seed.width % 16 {
        0 => 1,
        1 => 2,
        2 => 4,
        3 | 4 => 8,
        5..=7 if wide => 32,
        _ => 16,
    };
    let no_mask = seed.width >= 200 || count == 1 && seed.width >= 64;
    let lanes = Lanes {
        count,
        offset: match seed.width / 16 % 4 {
            1 if count <= 16 && wide => 16,
            2 if count <= 8 => 8,
            3 if count <= 4 => 4,
            _ => 0,
        },
        no_mask,
    };
    let guard = Guard {
        offset: PREDICATES + 4 * u32::from(seed.flags % 3),
        bits: 16 + 16 * u8::from(wide),
        inverted: seed.flags & 4 != 0,
        group: [Group::Each, Group::Each, Group::Any, Group::All][usize::from(seed.flags / 8 % 4)],
    };
    let guarded = seed.flags >= 128;
    let beyond = !float && seed.kind % 4 == 3;
    let half = float && seed.kind / 32 < 2;
    let double = float && seed.kind / 32 == 2;
    let opcode = *seed.opcode.get(match (float, beyond) {
        (true, _) if half => HALVES,
        (true, _) if double => DOUBLES,
        (true, _) => FLOATS,
        (false, false) => INTEGERS,
        (false, true) => BEYOND_STEPS,
    });
    let same = seed.flags & 64 != 0;
    let saturate = seed.flags % 8 == 7;
    // Only moves convert.
    let computes = seed.kind / 2 % 16 > 7;
    let moves = opcode == Opcode::Mov && float && computes && !seed.target.is_multiple_of(4);
    let ty = |k: usize| match (float, same) {
        (true, _) if half && moves && k == 3 * usize::from(same) => *seed.types[k].get(HALF_MOVES),
        (true, _) if half => Type::Hf,
        (true, _) if double && moves && k == 3 * usize::from(same) => {
            *seed.types[k].get(DOUBLE_MOVES)
        }
        (true, _) if double => Type::Df,
        (true, _) if moves && k == usize::from(same) => *seed.types[k].get(TYPES),
        (true, _) => Type::F,
        (false, true) if beyond => *seed.types[0].get(&TYPES[..2]),
        (false, true) if saturate => *seed.types[0].get(&TYPES[1..5]),
        (false, true) => *seed.types[0].get(SAME),
        // Dwords from dwords and less.
        (false, false) if beyond => *seed.types[k].get(&TYPES[..if k == 3 { 2 } else { 6 }]),
        (false, false) => *seed.types[k].get(TYPES),
    };
    let logic = matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not);
    let source = |k: usize| Source {
        region: region(seed.shapes[k], ty(k).bytes(), count, false),
        ty: ty(k),
        modifier: modifier(seed.modifiers[k] / 2, logic)
            .filter(|_| seed.modifiers[k].is_multiple_of(2)),
    };
    // Words become addresses now and then.
    let addresses = ty(3) == Type::Uw && seed.target.is_multiple_of(2);
    let dst = Dest {
        region: match addresses {
            true => Region::Dense(ADDRESSES),
            false => region(seed.shapes[3], ty(3).bytes(), count, true),
        },
        ty: ty(3),
    };
    let two = matches!(opcode, Opcode::Addc | Opcode::Subb | Opcode::Madw);
    let dst2 = two.then(|| Dest {
        region: region(seed.target, 4, count, true),
        ty: Type::Ud,
    });
    let predicate = PREDICATES + 4 * u32::from(seed.types[3].index(3) as u8);
    match seed.kind / 2 % 16 {
        0 | 1 => Op::Goto {
            lanes,
            guard: guarded.then_some(guard),
            // Mostly forward, or programs hardly end.
            target: u32::from(seed.target) % (ops + 1),
        },
        2 => Op::Jump {
            lanes: Lanes { count: 1, ..lanes },
            guard: Some(guard),
            target: u32::from(seed.target) % (ops + 1),
        },
        3 => {
            let opcodes = [Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Not];
            Op::PredicateLogic {
                opcode: opcodes[usize::from(seed.shapes[0] % 4)],
                lanes,
                dst: predicate,
                src: [guard.offset, PREDICATES],
            }
        }
        4..=6 => Op::Compare {
            relation: Condition::ALL[usize::from(seed.shapes[2]) % Condition::ALL.len()].0,
            lanes,
            dst: match seed.flags & 32 != 0 {
                true => CompareDest::General(dst),
                false => CompareDest::Predicate(predicate),
            },
            src: Box::new([source(0), source(1)]),
        },
        7 if seed.flags.is_multiple_of(4) => Op::Nothing,
        7 => {
            let src = match source(0) {
                // One value, or one for each lane.
                src if seed.flags & 2 == 0 => src,
                src => Source {
                    region: Region::Scalar(128 * u32::from(seed.shapes[0] % 8)),
                    ..src
                },
            };
            Op::SetPredicate {
                lanes,
                dst: predicate,
                scalar: matches!(src.region, Region::Scalar(_)),
                src,
            }
        }
        _ => Op::Alu(Box::new(Alu {
            opcode,
            lanes,
            guard: (guarded || opcode == Opcode::Sel).then_some(guard),
            dst,
            dst2,
            overflow: None,
            src: (0..sources(opcode)).map(source).collect(),
            saturate,
            function: seed.target,
            precisions: None,
        })),
    }
}

/// What threads of a law have around them.
pub(super) fn environment<'a>(
    (code, plans, resources): (&'a Decoded, &'a SitePlans, &'a Resources),
    (slm, named, allowance): (&'a Memory, &'a NamedBarriers, &'a Allowance),
    native: NativeCode,
) -> Environment<'a> {
    Environment {
        code,
        resources,
        plans,
        slm,
        named,
        scratch_bytes: 512,
        limit: 400,
        turn: u64::MAX,
        allowance,
        through_bits: false,
        tally: None,
        native,
    }
}

/// Mostly to nearest.
fn rounding() -> impl Strategy<Value = Rounding> {
    prop_oneof![
        4 => Just(Rounding::Nearest),
        2 => Just(Rounding::Zero),
        1 => Just(Rounding::Up),
        1 => Just(Rounding::Down),
    ]
}

/// What is left of a thread.
type Left = (Vec<u8>, u64, u32);

/// Runs threads, several at once or each alone, and says what is left of them, and of the trap. Code that makes NaN leaves the
/// same.
///
/// * `kept`: somebody looks at what they leave.
fn left(
    program: &Program,
    masks: &[u32],
    mode: FloatMode,
    (native, kept): (NativeCode, bool),
    together: bool,
) -> (Vec<Left>, Option<String>) {
    let run = |makes_nan| left_by(program, masks, mode, (native, makes_nan, kept), together);
    let left = run(false);
    if native == NativeCode::Always && kept {
        let (threads, trap) = run(true);
        assert_eq!(trap, left.1);
        for (own, other) in threads.iter().zip(&left.0) {
            let differ = (0..BYTES).find(|&i| own.0[i] != other.0[i]);
            assert_eq!((differ, own.1, own.2), (None, other.1, other.2), "NaN");
        }
    }
    left
}

/// The same of code that makes NaN, or leaves them to the steps.
fn left_by(
    program: &Program,
    masks: &[u32],
    mode: FloatMode,
    (native, makes_nan, kept): (NativeCode, bool, bool),
    together: bool,
) -> (Vec<Left>, Option<String>) {
    let (code, plans) = (Decoded::new(program), SitePlans::new(program));
    if makes_nan {
        // As if many had left code for one.
        code.left_for_nan().store(u32::MAX, Relaxed);
    }
    let resources = Resources::new(&Bindings::default());
    let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
    let allowance = Allowance::new(u64::MAX, None);
    let environment = environment(
        (&code, &plans, &resources),
        (&slm, &named, &allowance),
        native,
    );
    let mut threads: Vec<Thread<'_>> = (0..)
        .zip(masks)
        .map(|(index, &em)| {
            let id = ThreadId {
                index,
                ..ThreadId::default()
            };
            let mut thread = Thread::new(program, id, em);
            (thread.mode, thread.kept) = (mode, kept);
            thread.arena[..PREDICATES as usize].rotate_left(64 * index as usize);
            thread
        })
        .collect();
    let mut observers: Vec<Silent> = masks.iter().map(|_| Silent).collect();
    let mut trap = None;
    if together {
        let around = (&environment, &mut Kept::default());
        trap = lockstep::run(&mut threads, &mut observers, around, true).err();
    } else {
        for thread in &mut threads {
            match thread.run(&environment, &mut Silent) {
                Ok(stop) => assert_eq!(stop, Stop::Ended),
                Err(found) => {
                    trap = Some(found);
                    break;
                }
            }
        }
    }
    let left = |t: Thread<'_>| {
        let em = if together { 0 } else { t.frame.em };
        (t.arena[..BYTES].to_vec(), t.executed, em)
    };
    // What those behind the one that cannot go on have done so far is nobody's business.
    let last = trap.as_ref().map_or(u32::MAX, |t| t.thread.index);
    let trap = trap.map(|t| format!("{} {:#x} {:?}", t.thread, t.mask, t.diagnostic.notes));
    let threads = threads.into_iter().filter(|t| t.id.index <= last);
    (threads.map(left).collect(), trap)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(6_000), max_shrink_iters: 3000, failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/seeds/native.txt"))), ..ProptestConfig::default() })]

    #[test]
    fn native_code_leaves_what_steps_leave(
        words in prop::collection::vec(dword(), BYTES / 4),
        addresses in prop::collection::vec(address(), 32),
        tame in prop::bool::weighted(0.7),
        seeds in prop::collection::vec(seed(), 3..24),
        wide in prop::bool::weighted(0.3),
        keep in any::<bool>(),
        rounding in rounding(),
        masks in prop::collection::vec(prop_oneof![Just(u32::MAX), 1u32.., Just(0xffff)], 1..5),
        together in any::<bool>(),
    ) {
        // Mostly values that make no NaN, or code would be left at once.
        let value = |w: u32| match tame && w >> 23 & 0xff > 160 { true => w & 0xbfff_ffff, false => w };
        let mut arena: Vec<u8> = words.iter().flat_map(|&w| value(w).to_le_bytes()).collect();
        place_addresses(&mut arena, &addresses);
        let count = seeds.len() as u32;
        let ops = seeds.iter().map(|s| op(s, count, wide)).collect();
        let mut program = program(ops, &arena);
        program.general_bytes = PREDICATES;
        let mode = FloatMode { keep_single: keep, keep_double: together, rounding, ..FloatMode::default() };
        let run = |native| left(&program, &masks, mode, (native, true), together);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        prop_assert_eq!(&native.1, &steps.1, "{:?}", program.ops);
        for (native, steps) in native.0.iter().zip(&steps.0) {
            let differ = (0..BYTES).find(|&i| native.0[i] != steps.0[i]);
            prop_assert_eq!((differ, native.1, native.2), (None, steps.1, steps.2), "{:#?}", program.ops);
        }
    }
}

/// An op that is no code and reads sixteen dwords.
fn look_at(row: u32) -> Op {
    let operand = |region| Source {
        region,
        ty: Type::Ud,
        modifier: None,
    };
    Op::Alu(Box::new(Alu {
        opcode: Opcode::Avg,
        lanes: Lanes {
            count: 16,
            offset: 0,
            no_mask: true,
        },
        guard: None,
        dst: Dest {
            region: Region::Dense(row),
            ty: Type::Ud,
        },
        dst2: None,
        overflow: None,
        src: vec![
            operand(Region::Dense(row)),
            operand(Region::Scalar(CONSTANTS)),
        ],
        saturate: false,
        function: 0,
        precisions: None,
    }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(10_000), max_shrink_iters: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is read in the end is there, whatever else was not stored.
    #[test]
    fn what_nobody_reads_need_not_be_stored(
        words in prop::collection::vec(dword(), BYTES / 4),
        seeds in prop::collection::vec(seed(), 3..24),
        wide in prop::bool::weighted(0.3),
        keep in any::<bool>(),
        rows in prop::collection::vec((0..PREDICATES / 64).prop_map(|row| 64 * row), 1..4),
        masks in prop::collection::vec(prop_oneof![Just(u32::MAX), 1u32.., Just(0xffff)], 1..5),
        together in any::<bool>(),
    ) {
        // What is read through addresses may be anything.
        let direct = |shape: u8| match shape % 16 {
            10 | 11 | 15 if wide => shape & 0xf0,
            _ => shape,
        };
        let value = |w: u32| if w >> 23 & 0xff > 160 { w & 0xbfff_ffff } else { w };
        let arena: Vec<u8> = words.iter().flat_map(|&w| value(w).to_le_bytes()).collect();
        let count = seeds.len() as u32;
        let seeds = seeds.iter().map(|s| Seed { shapes: s.shapes.map(direct), ..s.clone() });
        let ops = seeds.map(|s| op(&s, count, wide));
        let looks = rows.iter().map(|&row| look_at(row));
        let mut program = program(ops.chain(looks).collect(), &arena);
        program.general_bytes = PREDICATES;
        let mode = FloatMode { keep_single: keep, keep_double: together, ..FloatMode::default() };
        let run = |native, kept| left(&program, &masks, mode, (native, kept), together);
        let (native, steps) = (run(NativeCode::Always, false), run(NativeCode::Never, true));
        prop_assert_eq!(&native.1, &steps.1, "{:?}", program.ops);
        // Where a thread has run for too long, what is read in the end may yet be written anew.
        let looked = native.1.is_none();
        for (native, steps) in native.0.iter().zip(&steps.0) {
            prop_assert_eq!((native.1, native.2), (steps.1, steps.2), "{:#?}", program.ops);
            for &row in rows.iter().filter(|_| looked) {
                let own = row as usize..row as usize + 64;
                prop_assert_eq!(&native.0[own.clone()], &steps.0[own], "{:#?}", program.ops);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(4_000), max_shrink_iters: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A thread in the memory of another one leaves what it leaves in its own, but where it writes nothing.
    #[test]
    fn what_need_not_be_fresh_is_never_seen(
        words in prop::collection::vec(dword(), BYTES / 4),
        seeds in prop::collection::vec(seed(), 3..24),
        wide in prop::bool::weighted(0.3),
        mask in prop_oneof![Just(u32::MAX), 1u32.., Just(0xffff)],
    ) {
        let image: Vec<u8> = words.iter().flat_map(|&w| w.to_le_bytes()).collect();
        let count = seeds.len() as u32;
        let ops = seeds.iter().map(|s| op(s, count, wide)).collect();
        let mut program = program(ops, &image);
        program.general_bytes = PREDICATES;
        let run = |before: &dyn Fn(&mut [u8])| {
            let (code, plans) = (Decoded::new(&program), SitePlans::new(&program));
            let resources = Resources::new(&Bindings::default());
            let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
            let allowance = Allowance::new(u64::MAX, None);
            let environment = environment((&code, &plans, &resources), (&slm, &named, &allowance), NativeCode::Never);
            let mut thread = Thread::new(&program, ThreadId::default(), mask);
            before(&mut thread.arena[..program.image.len()]);
            let start = thread.arena.to_vec();
            let trap = thread.run(&environment, &mut Silent).is_err();
            (start, thread.arena.to_vec(), thread.executed, trap)
        };
        let reset = Reset::new(&program, mask, 0);
        let (own, used) = (run(&|_| {}), run(&|arena| reset.spoil(arena)));
        prop_assert_eq!((own.2, own.3), (used.2, used.3), "{:#?}", program.ops);
        // Bits that differ in the end are as they were.
        let changed = |run: &(Vec<u8>, Vec<u8>, _, _), i: usize| run.0[i] ^ run.1[i];
        let differ = (0..BYTES).find(|&i| {
            (own.1[i] ^ used.1[i]) & (changed(&own, i) | changed(&used, i)) != 0
        });
        prop_assert_eq!(differ, None, "{:?} {:#?}", reset.of_any, program.ops);
    }
}

/// The end of a loop from `again` on: `I` and `P1` are its own.
const FIVE_TIMES: &str = "add (M1_NM, 1) I(0,0)<1> I(0,0)<0;1,0> 0x1:d
cmp.lt (M1_NM, 1) P1 I(0,0)<0;1,0> 0x5:d
(P1) goto (M1, 1) again
ret (M1, 1)\n";

/// A loop that pins as many rows as there may be, `N` moves whose results are in registers, and products that wait to be
/// asked whether they have an order until one has two of the former as sources.
fn crowded(products: usize, [a, b]: [usize; 2]) -> Program {
    let mut text = String::from(".version 3.6\n.kernel \"k\"\n.decl P1 v_type=P num_elts=1\n");
    text += ".decl I v_type=G type=d num_elts=1 align=GRF\n";
    text += ".decl J v_type=G type=d num_elts=1 align=GRF\n";
    for (name, count) in [("A", 20), ("H", 8), ("T", 9)] {
        for n in 0..count {
            text += &format!(".decl {name}{n} v_type=G type=f num_elts=16 align=GRF\n");
        }
    }
    // Denormals are kept: where they are flushed each is asked by itself.
    text += "or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud\n";
    for n in 0..20 {
        let start = (1.0 + n as f32 / 8.0).to_bits();
        text += &format!("mov (M1, 16) A{n}(0,0)<1> {start:#x}:f\n");
    }
    text += "again:\n";
    let whole = "(0,0)<1;1,0>";
    for n in 0..20 {
        let own = format!("A{n}{whole}");
        text += &format!("mad (M1, 16) A{n}(0,0)<1> {own} 0x3c000000:f {own}\n");
    }
    for n in 0..8 {
        text += &format!("mov (M1, 16) H{n}(0,0)<1> A{n}{whole}\n");
    }
    for n in 0..products {
        let next = n + 1;
        text += &format!("mul (M1, 16) T{n}(0,0)<1> A{n}{whole} A{next}{whole}\n");
    }
    // In front of the last one a number is moved, and found in another register than it goes to.
    text += "mov (M1_NM, 1) J(0,0)<1> (-)I(0,0)<0;1,0>\n";
    text += &format!("mul (M1, 16) T8(0,0)<1> H{a}{whole} H{b}{whole}\n");
    text += FIVE_TIMES;
    lowered(text)
}

#[test]
fn a_loop_with_more_rows_than_registers_is_code() {
    for (products, sources) in (3..8).flat_map(|n| (0..7).map(move |at| (n, [at, at + 1]))) {
        assert_same(&crowded(products, sources));
    }
}

/// A thread of all lanes leaves the same bytes with native code and without.
fn assert_same(program: &Program) {
    let run = |native, makes_nan| {
        let (code, plans) = (Decoded::new(program), SitePlans::new(program));
        if makes_nan {
            // As if many had left code for one.
            code.left_for_nan().store(u32::MAX, Relaxed);
        }
        let resources = Resources::new(&Bindings::default());
        let (slm, named) = (Memory::zeroed(0), NamedBarriers::default());
        let allowance = Allowance::new(u64::MAX, None);
        let around = (&slm, &named, &allowance);
        let environment = environment((&code, &plans, &resources), around, native);
        let mut thread = Thread::new(program, ThreadId::default(), u32::MAX);
        let ran = thread.run(&environment, &mut Silent);
        ran.unwrap_or_else(|trap| panic!("{trap:?}"));
        thread.arena.to_vec()
    };
    let steps = run(NativeCode::Never, false);
    assert!(run(NativeCode::Always, false) == steps);
    assert!(run(NativeCode::Always, true) == steps);
}

/// The same of a head and lines behind it, beginning with each of them and going on by so many, so that each comes behind many
/// others.
fn assert_same_in_orders(head: &str, lines: &[&str], steps: &[usize]) {
    for first in 0..lines.len() {
        for step in steps {
            let order = (0..lines.len()).map(|n| lines[(first + step * n) % lines.len()]);
            let body: Vec<&str> = order.collect();
            let text = format!("{head}{}\nret (M1, 1)\n", body.join("\n"));
            assert_same(&lowered(text));
        }
    }
}

/// A loop of two results for each of 32 lanes, beside so many rows that are pinned.
fn paired(rows: usize) -> Program {
    let mut text = String::from(".version 3.6\n.kernel \"k\"\n.decl P1 v_type=P num_elts=1\n");
    text += ".decl I v_type=G type=d num_elts=1 align=GRF\n";
    for n in 0..rows {
        text += &format!(".decl A{n} v_type=G type=ud num_elts=16 align=GRF\n");
    }
    for name in ["Q", "X", "Y", "Z", "S", "T"] {
        text += &format!(".decl {name} v_type=G type=ud num_elts=64 align=GRF\n");
    }
    let whole = "(0,0)<1;1,0>";
    for (n, name) in ["Q", "X", "Y", "Z", "S", "T"].into_iter().enumerate() {
        text += &format!("mov (M1_NM, 32) {name}(0,0)<1> 0x{n}2345679:ud\n");
        text += &format!("mov (M1_NM, 32) {name}(4,0)<1> 0xfedc{n}a98:ud\n");
    }
    text += "again:\n";
    for n in 0..rows {
        text += &format!("add (M1, 16) A{n}(0,0)<1> A{n}{whole} 0x{:x}:ud\n", n + 1);
    }
    text += &format!("add (M1, 16) X(0,0)<1> X{whole} 0x7654321:ud\n");
    // A row of the result is the second one of a source.
    text += &format!(
        "addc (M1, 32) X(2,0)<1> Y(0,0)<1> X{whole} Z{whole}
mov (M1, 32) S(0,0)<1> X{whole}
mov (M1, 32) T(0,0)<1> Z{whole}
madw (M1_NM, 32) Q(0,0)<1> S{whole} T{whole} Y{whole}
subb (M1, 32) Z(4,0)<1> T(4,0)<1> Z{whole} S{whole}
"
    );
    text += FIVE_TIMES;
    lowered(text)
}

#[test]
fn two_results_of_rows_that_are_pinned_or_crowded_out_are_code() {
    for rows in 0..20 {
        assert_same(&paired(rows));
    }
}

/// A loop that pins as many rows as there may be, whose qwords are made of halves: `lines` from registers that all hold
/// something.
fn halves_among_pins(lines: &str) -> Program {
    let mut text = String::from(
        ".version 3.6\n.kernel \"k\"\n.decl P1 v_type=P num_elts=1
.decl I v_type=G type=d num_elts=1 align=GRF
.decl Q v_type=G type=uq num_elts=4 align=GRF
.decl q v_type=G type=ud num_elts=8 align=GRF alias=<Q, 0>
.decl R v_type=G type=uq num_elts=32 align=GRF
.decl r v_type=G type=ud num_elts=64 align=GRF alias=<R, 0>
.decl B v_type=G type=ud num_elts=32 align=GRF
.decl b v_type=G type=ub num_elts=128 align=GRF alias=<B, 0>
.decl w v_type=G type=uw num_elts=64 align=GRF alias=<B, 0>
.decl c v_type=G type=b num_elts=128 align=GRF alias=<B, 0>\n",
    );
    for n in 0..9 {
        text += &format!(".decl A{n} v_type=G type=ud num_elts=32 align=GRF\n");
    }
    for (name, float) in [("X", "x"), ("Y", "y"), ("Z", "z")] {
        text += &format!(".decl {name} v_type=G type=ud num_elts=32 align=GRF\n");
        text += &format!(".decl {float} v_type=G type=f num_elts=32 align=GRF alias=<{name}, 0>\n");
    }
    let whole = "(0,0)<1;1,0>";
    for n in 0..9 {
        text += &format!("mov (M1, 32) A{n}(0,0)<1> 0x{n}1234567:ud\n");
    }
    text += "again:\n";
    // More often than anything else.
    for n in (0..9).chain(0..9).chain(0..9).chain(0..9) {
        let own = format!("A{n}{whole}");
        text += &format!("mad (M1, 32) A{n}(0,0)<1> {own} {own} {own}\n");
    }
    text += lines;
    text += FIVE_TIMES;
    lowered(text)
}

#[test]
fn halves_find_registers_where_few_are_left() {
    let whole = "(0,0)<1;1,0>";
    let mut rows = String::new();
    for first in [0, 1] {
        for (n, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            rows += &format!("add (M1, 32) {name}(0,0)<1> A{n}{whole} A3{whole}\n");
        }
        rows += &format!("mad (M1, 32) r(0,{first})<2> X{whole} Y{whole} Z{whole}\n");
        rows += &format!("add (M1, 32) r(0,{first})<2> X{whole} Y{whole}\n");
        rows += &format!("add (M1, 32) Z(0,0)<1> r(0,{first})<2;1,0> X{whole}\n");
    }
    assert_same(&halves_among_pins(&rows));
    let mut single = String::new();
    for n in 0..6 {
        single += &format!("add (M1_NM, 1) q(0,{n})<1> I(0,0)<0;1,0> 0x{n}7654321:ud\n");
    }
    single += "mad (M1_NM, 1) Q(0,3)<1> Q(0,0)<0;1,0> Q(0,1)<0;1,0> Q(0,2)<0;1,0>\n";
    single += "add (M1, 32) R(0,0)<1> R(0,0)<1;1,0> Q(0,3)<0;1,0>\n";
    assert_same(&halves_among_pins(&single));
    assert_same(&halves_among_pins(&(rows + &single)));
}

#[test]
fn functions_find_registers_where_few_are_left() {
    let whole = "(0,0)<1;1,0>";
    let inputs = |own: &str| {
        let mut rows = String::new();
        for (n, name) in ["X", "Y", "Z"].into_iter().enumerate() {
            rows += &format!("and (M1, 32) {name}(0,0)<1> A{n}{whole} 0x3fffffff:ud\n");
        }
        rows + own + "\n"
    };
    for own in [
        "pow (M1, 32) z(0,0)<1> x(0,0)<1;1,0> y(0,0)<1;1,0>",
        "pow (M1, 32) z(0,0)<1> x(0,0)<1;1,0> (-)y(0,0)<1;1,0>",
        "lrp (M1, 32) z(0,0)<1> x(0,0)<1;1,0> y(0,0)<1;1,0> z(0,0)<1;1,0>",
        "lrp (M1, 32) x(0,0)<1> (-)x(0,0)<1;1,0> (abs)y(0,0)<1;1,0> z(0,0)<1;1,0>",
        "exp (M1, 32) z(0,0)<1> x(0,0)<1;1,0>",
        "sin (M1, 32) y(0,0)<1> x(0,0)<1;1,0>",
    ] {
        assert_same(&halves_among_pins(&inputs(own)));
        assert_same(&halves_among_pins(&inputs(own).repeat(3)));
    }
}

#[test]
fn parts_find_registers_where_few_are_left() {
    let whole = "(0,0)<1;1,0>";
    let mut rows = String::new();
    for (n, name) in ["X", "Y", "Z", "B"].into_iter().enumerate() {
        rows += &format!("add (M1, 32) {name}(0,0)<1> A{n}{whole} A4{whole}\n");
    }
    for first in [0, 1] {
        rows += &format!("add (M1, 32) r(0,{first})<2> X{whole} A5{whole}\n");
    }
    let lines = [
        format!("mad (M1, 32) b(0,1)<4> X{whole} Y{whole} Z{whole}"),
        format!("bfn.xca (M1, 32) w(0,1)<2> X{whole} Y{whole} B{whole}"),
        "add (M1, 32) X(0,0)<1> r(0,0)<2;1,0> r(0,1)<2;1,0>".to_string(),
        "add (M1, 32) b(0,2)<4> b(0,1)<4;1,0> w(0,1)<2;1,0>".to_string(),
        "mad (M1, 32) b(0,3)<4> r(0,0)<2;1,0> r(0,1)<2;1,0> b(0,2)<4;1,0>".to_string(),
        format!("addc (M1, 32) Y(0,0)<1> Z(0,0)<1> r(0,1)<2;1,0> B{whole}"),
        format!("addc (M1, 32) r(2,0)<1> Z(0,0)<1> r(0,0)<2;1,0> X{whole}"),
        "add (M1, 32) b(0,0)<1> b(0,1)<2;1,0> w(0,0)<1;1,0>".to_string(),
        "mov (M1, 32) b(0,1)<2> b(0,0)<1;1,0>".to_string(),
        format!("cmp.lt (M1, 32) w(0,1)<2> X{whole} Y{whole}"),
        // A register has more than the byte.
        "add (M1, 32) b(0,0)<1> w(0,0)<1;1,0> w(0,1)<2;1,0>".to_string(),
        format!("add (M1, 32) X(0,0)<1> b(0,0)<1;1,0> Y{whole}"),
        format!("add (M1, 32) Z(0,0)<1> c(0,0)<1;1,0> Y{whole}"),
    ];
    for line in &lines {
        assert_same(&halves_among_pins(&format!("{rows}{line}\n")));
    }
    // Qwords that are pinned, and results in their place.
    for line in [
        "add (M1, 32) r(4,0)<1> r(0,0)<2;1,0> A0(0,0)<1;1,0>",
        "mov (M1_NM, 16) r(2,0)<1> r(0,0)<2;1,0>",
        "mov (M1_NM, 16) r(2,0)<1> r(0,1)<2;1,0>",
        "mad (M1_NM, 16) r(0,0)<1> r(0,0)<2;1,0> r(0,1)<2;1,0> A1(0,0)<1;1,0>",
    ] {
        let other = "add (M1, 32) r(0,0)<1> r(0,0)<1;1,0> A2(0,0)<1;1,0>";
        assert_same(&halves_among_pins(&format!("{line}\n{other}\n").repeat(18)));
    }
    assert_same(&halves_among_pins(&(rows + &lines.join("\n") + "\n")));
}

#[test]
fn qwords_are_what_their_halves_are() {
    // A qword `Q` that all lanes have and qwords `R` of lanes, with their halves as dwords `q` and `r`.
    let head = ".version 3.6\n.kernel \"k\"\n.decl P1 v_type=P num_elts=32
.decl Q v_type=G type=uq num_elts=4 align=GRF
.decl q v_type=G type=ud num_elts=8 align=GRF alias=<Q, 0>
.decl S v_type=G type=q num_elts=4 align=GRF alias=<Q, 0>
.decl R v_type=G type=uq num_elts=32 align=GRF
.decl r v_type=G type=ud num_elts=64 align=GRF alias=<R, 0>
.decl L v_type=G type=q num_elts=32 align=GRF alias=<R, 0>
.decl T v_type=G type=ud num_elts=32 align=GRF
.decl D v_type=G type=ud num_elts=4 align=GRF
mov (M1_NM, 32) T(0,0)<1> 0x89abcdef:ud
mul (M1_NM, 16) T(0,0)<1> T(0,0)<1;1,0> 0x01234567:ud
mov (M1_NM, 1) q(0,0)<1> 0x87654321:ud
mov (M1_NM, 1) q(0,1)<1> 0x9abcdef0:ud
setp (M1_NM, 32) P1 0x5a0f3ce5:ud
add (M1_NM, 1) D(0,1)<1> q(0,1)<0;1,0> 0x77:ud
mov (M1_NM, 1) q(0,3)<1> D(0,1)<0;1,0>
mov (M1_NM, 1) q(0,2)<1> q(0,0)<0;1,0>\n";
    // Each after the others, too.
    let lines = [
        "mov (M1, 32) R(0,0)<1> Q(0,1)<0;1,0>",
        "add (M1_NM, 1) Q(0,0)<1> Q(0,1)<0;1,0> Q(0,0)<0;1,0>",
        "asr (M1_NM, 1) S(0,2)<1> S(0,0)<0;1,0> 0x45:ud",
        "asr (M1, 32) L(0,0)<1> L(0,0)<1;1,0> 0x63:ud",
        "shr (M1, 32) R(0,0)<1> R(0,0)<1;1,0> 0x44:ud",
        "shl (M1_NM, 1) Q(0,3)<1> Q(0,2)<0;1,0> 0x9:ud",
        "(P1) sel (M1_NM, 1) Q(0,1)<1> Q(0,0)<0;1,0> Q(0,3)<0;1,0>",
        "add (M1, 32) R(0,0)<1> R(0,0)<1;1,0> Q(0,1)<0;1,0>",
        "mov (M1_NM, 1) q(0,2)<1> D(0,1)<0;1,0>",
        "mov (M1, 32) r(0,0)<2> T(0,0)<1;1,0>",
        "mov (M1, 32) r(0,1)<2> T(0,0)<1;1,0>",
        "(P1) mov (M1, 32) r(0,1)<2> T(0,0)<1;1,0>",
        "mov (M1, 32) T(0,0)<1> r(0,0)<2;1,0>",
        "mov (M1, 32) T(0,0)<1> r(0,1)<2;1,0>",
        "add (M1, 16) T(0,0)<1> T(0,0)<1;1,0> r(0,1)<2;1,0>",
        "mov (M1, 8) r(0,1)<2> T(1,0)<1;1,0>",
        "mov (M1, 8) r(0,0)<2> T(1,0)<1;1,0>",
        // Beside the first and the last half of rows of qwords.
        "mov (M1_NM, 1) r(0,0)<1> D(0,1)<0;1,0>",
        "add (M1_NM, 1) r(1,7)<1> q(0,5)<0;1,0> 0x13:ud",
        "mov (M1_NM, 1) r(3,7)<1> D(0,1)<0;1,0>",
        "add (M1_NM, 1) r(4,0)<1> q(0,5)<0;1,0> 0x17:ud",
        "mov (M1, 1) q(0,5)<1> T(0,0)<0;1,0>",
        "add (M1, 1) Q(0,1)<1> Q(0,2)<0;1,0> Q(0,0)<0;1,0>",
    ];
    assert_same_in_orders(head, &lines, &[1, 5, 7, 11, 13, 17]);
}

#[test]
fn what_one_lane_alone_moves_through_an_address_goes_where_it_belongs() {
    // An array `V` of rows, and where in it each lane writes.
    let head = ".version 3.6\n.kernel \"k\"
.decl P1 v_type=P num_elts=32
.decl P2 v_type=P num_elts=32
.decl V v_type=G type=ud num_elts=256 align=GRF
.decl T v_type=G type=ud num_elts=32 align=GRF
.decl W v_type=G type=uw num_elts=32 align=GRF
.decl S v_type=G type=w num_elts=32 align=GRF alias=<T, 0>
.decl Q v_type=G type=uq num_elts=16 align=GRF alias=<T, 0>
.decl A0 v_type=A num_elts=16
.decl A1 v_type=A num_elts=16
mov (M1_NM, 8) W(0,0)<1> 0x31520746:v
mov (M1_NM, 8) W(0,8)<1> 0x72163504:v
mov (M1_NM, 16) W(1,0)<1> W(0,0)<1;1,0>
mul (M1_NM, 32) T(0,0)<1> W(0,0)<1;1,0> 0x01234567:ud
mul (M1_NM, 32) W(0,0)<1> W(0,0)<1;1,0> 0x40:uw
addr_add (M1_NM, 16) A0(0)<1> &V W(0,0)<1;1,0>
addr_add (M1_NM, 16) A1(0)<1> &V W(1,0)<1;1,0>
setp (M1_NM, 32) P1 0x40010:ud
setp (M1_NM, 32) P2 0x0:ud\n";
    let lines = [
        "setp (M1_NM, 32) P1 0x8:ud",
        "setp (M1_NM, 16) P2 0x8000:ud",
        "setp (M5_NM, 16) P2 0x20:ud",
        "setp (M1_NM, 16) P1 0xfffe:ud",
        "setp (M1_NM, 32) P2 T(0,3)<0;1,0>",
        "(P1) mov (M1, 16) r[A0(3),0]<1>:ud T(0,3)<0;1,0>",
        "(P2) mov (M1, 16) r[A0(15),0]<1>:ud T(1,7)<0;1,0>",
        "(P2) mov (M5, 16) r[A1(5),0]<1>:ud T(2,5)<0;1,0>",
        "(P1) mov (M1_NM, 16) r[A1(0),32]<1,0>:ud T(2,0)<1;1,0>",
        "(!P1) mov (M1, 16) r[A0(0),64]<1,0>:ud 0x55:ud",
        "(P2) mov (M1, 32) r[A0(7),0]<1>:ud T(0,0)<1;1,0>",
        "(P1) mov (M1, 16) r[A0(3),1]<1>:ub 0x7:ub",
        "(P2) mov (M1, 16) r[A0(15),3]<1>:b W(0,5)<0;1,0>",
        "(P2) mov (M5, 16) r[A1(5),2]<1>:w T(2,0)<1;1,0>",
        "(P1) mov (M1, 16) r[A0(3),8]<1>:d S(0,0)<1;1,0>",
        "(P1) mov (M1, 16) r[A0(3),12]<1>:ud T(0,0)<2;1,0>",
        "(P2) mov (M1, 16) r[A0(15),16]<1>:ud Q(0,0)<1;1,0>",
        "add (M1, 16) T(0,0)<1> T(0,0)<1;1,0> r[A0(0),0]<1,0>:ud",
        "add (M5, 16) T(2,0)<1> T(2,0)<1;1,0> V(4,0)<1;1,0>",
        "mul (M1, 32) T(0,0)<1> T(0,0)<1;1,0> 0x11:ud",
    ];
    assert_same_in_orders(head, &lines, &[1, 3, 7, 9, 11, 13]);
}

#[test]
fn functions_of_the_ends_of_the_line_are_those_of_the_steps() {
    const INFINITY: f32 = f32::INFINITY;
    const USUAL: [f32; 7] = [1.0, f32::MAX, f32::MIN_POSITIVE, 0.45, 3.0, 0.5, 1000.0];
    // What code does of each, and what it leaves to the steps, which is then done by them in all lanes.
    let of_one: [(&str, &[f32], &[f32]); 4] = [
        ("log", &[0.0, -0.0, INFINITY, 1e-40], &[-1.0, -INFINITY]),
        ("rsqrt", &[0.0, -0.0, INFINITY, 1e-40], &[-1.0, -INFINITY]),
        ("rsqtm", &[0.0, -0.0, INFINITY], &[-1e-40, -INFINITY]),
        (
            "exp",
            &[0.0, -0.0, INFINITY, -INFINITY, 1e-40, -1000.0],
            &[],
        ),
    ];
    for (function, own, left) in of_one {
        assert_function(
            &|to| format!("{function} (M1, 16) {to} A(0,0)<1;1,0>"),
            own,
            left,
        );
    }
    let powers: [(&[f32], &[f32], &[f32]); 2] = [
        (
            &[1.0, -1.0, 0.45, -0.45, 3.0, -2.0, 1000.0, 1e-30],
            &[0.0, -0.0, INFINITY, -1.0, -3.0, 1e-40, -1e-40],
            &[-INFINITY],
        ),
        (
            &[0.0, -0.0],
            &[-1.0, -3.0],
            &[0.0, -0.0, INFINITY, -INFINITY],
        ),
    ];
    for (powers, own, left) in powers {
        for power in powers {
            let power = power.to_bits();
            let line = |to: &str| format!("pow (M1, 16) {to} A(0,0)<1;1,0> 0x{power:x}:f");
            assert_function(&line, own, left);
        }
    }

    /// Loops over the same line, with usual values beside those of its own, and with one that code leaves.
    fn assert_function(line: &dyn Fn(&str) -> String, own: &[f32], left: &[f32]) {
        let inputs = std::iter::once(None).chain(left.iter().map(Some));
        for (input, mode) in inputs.flat_map(|input| [(input, "0x0"), (input, "0x4c0")]) {
            let all = own.iter().chain(&USUAL).chain(input);
            let mut text = String::from(
                ".version 3.6\n.kernel \"k\"\n.decl P1 v_type=P num_elts=1
.decl I v_type=G type=d num_elts=1 align=GRF
.decl A v_type=G type=f num_elts=16 align=GRF
.decl C v_type=G type=f num_elts=128 align=GRF\n",
            );
            text += &format!("or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> {mode}:ud\n");
            text += "mov (M1_NM, 16) A(0,0)<1> 0x3f800000:f\n";
            for (lane, value) in all.enumerate() {
                let place = format!("A({},{})<1>", lane / 8, lane % 8);
                text += &format!("mov (M1_NM, 1) {place} 0x{:x}:f\n", value.to_bits());
            }
            text += "again:\n";
            for row in 0..8 {
                text += &line(&format!("C({},0)<1>", 2 * row));
                text += "\n";
            }
            text += FIVE_TIMES;
            assert_same(&lowered(text));
        }
    }
}

#[test]
fn what_moves_among_arithmetic_is_moved_once() {
    // The last product has no order: the steps do the others again, and the move with them.
    for own in ["(-)C(0,0)<0;1,0>", "W(0,1)<0;1,0>", "D(0,0)<0;1,0>"] {
        let text = format!(
            ".version 3.6\n.kernel \"k\"
.decl X v_type=G type=f num_elts=16 align=GRF
.decl Y v_type=G type=f num_elts=16 align=GRF
.decl Z v_type=G type=f num_elts=16 align=GRF
.decl C v_type=G type=d num_elts=1 align=GRF
.decl W v_type=G type=w num_elts=2 alias=<C, 0>
.decl D v_type=G type=d num_elts=1 align=GRF
or (M1_NM, 1) %cr0(0,0)<1> %cr0(0,0)<0;1,0> 0x4c0:ud
mov (M1, 16) X(0,0)<1> 0x7f800000:f
mov (M1_NM, 1) C(0,0)<1> 0x70005:d
mov (M1_NM, 1) D(0,0)<1> C(0,0)<0;1,0>
mul (M1, 16) Y(0,0)<1> X(0,0)<1;1,0> X(0,0)<1;1,0>
mov (M1_NM, 1) C(0,0)<1> {own}
mul (M1, 16) Z(0,0)<1> Y(0,0)<1;1,0> X(0,0)<1;1,0>
mul (M1, 16) Z(0,0)<1> Z(0,0)<1;1,0> 0x0:f
add (M1_NM, 1) D(0,0)<1> C(0,0)<0;1,0> D(0,0)<0;1,0>
ret (M1, 1)\n"
        );
        assert_same(&lowered(text));
    }
}

/// An op of arithmetic on whole rows, by four numbers.
fn arithmetic([kind, to, a, b]: [u8; 4], wide: bool) -> Op {
    let opcode = [Opcode::Add, Opcode::Mul, Opcode::Mad][usize::from(kind % 3)];
    let (count, offset) = match kind / 3 % 4 {
        0 if wide => (32, 0),
        1 if wide => (16, 16),
        2 => (8, 0),
        _ => (16, 0),
    };
    let row = |n: u8| 128 * u32::from(n % 8) + 64 * u32::from(n / 8 % 2);
    let source = |n: u8| Source {
        region: match n / 16 {
            0 => Region::Scalar(row(n)),
            _ => Region::Dense(row(n)),
        },
        ty: Type::F,
        modifier: modifier(n, false).filter(|_| n.is_multiple_of(3)),
    };
    Op::Alu(Box::new(Alu {
        opcode,
        lanes: Lanes {
            count,
            offset,
            no_mask: kind >= 200,
        },
        guard: None,
        dst: Dest {
            region: Region::Dense(row(to)),
            ty: Type::F,
        },
        dst2: None,
        overflow: None,
        src: [a, b, to]
            .into_iter()
            .take(sources(opcode))
            .map(source)
            .collect(),
        saturate: false,
        function: 0,
        precisions: None,
    }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(3_000), failure_persistence: None, ..ProptestConfig::default() })]

    /// Results without an order are those of the reference, wherever among other results they come up.
    #[test]
    fn native_arithmetic_finds_what_has_no_order(
        values in prop::collection::vec(-3i8..4, BYTES / 4),
        odd in prop::collection::vec((0..BYTES / 4, prop::sample::select(&[
            0x7f80_0000u32, 0xff80_0000, 0x7fc0_1234, 0xffa0_0001, 0x7f7f_ffff, 0,
        ][..])), 0..5),
        numbers in prop::collection::vec(any::<[u8; 4]>(), 3..20),
        wide in any::<bool>(),
        masks in prop::collection::vec(prop_oneof![4 => Just(u32::MAX), 1 => 1u32..], 1..4),
    ) {
        let mut words: Vec<u32> = values.iter().map(|v| f32::from(*v).to_bits()).collect();
        for (at, bits) in odd {
            words[at] = bits;
        }
        let arena: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let mut program = program(numbers.iter().map(|n| arithmetic(*n, wide)).collect(), &arena);
        program.general_bytes = PREDICATES;
        let mode = FloatMode { keep_single: true, ..FloatMode::default() };
        let run = |native| left(&program, &masks, mode, (native, true), true);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        for (native, steps) in native.0.iter().zip(&steps.0) {
            let differ = (0..BYTES).find(|&i| native.0[i] != steps.0[i]);
            prop_assert_eq!((differ, native.1), (None, steps.1), "{:#?}", program.ops);
        }
    }
}

/// Finite halves, many of which are near each other, or near the halves of last places of others.
fn half() -> impl Strategy<Value = u16> {
    prop_oneof![
        4 => (any::<bool>(), 7u16..23, 0u16..1024)
            .prop_map(|(s, e, m)| u16::from(s) << 15 | e << 10 | m),
        2 => (any::<bool>(), 4u16..27, prop::sample::select(vec![0u16, 1, 2, 3, 512, 1020, 1021, 1022, 1023]))
            .prop_map(|(s, e, m)| u16::from(s) << 15 | e << 10 | m),
        1 => any::<u16>().prop_filter("finite", |v| v >> 10 & 31 < 31),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(3_000), failure_persistence: None, ..ProptestConfig::default() })]

    /// Halves are those of the reference, wherever the last place of a result hangs on bits far below.
    #[test]
    fn native_halves_are_rounded_once(
        values in prop::collection::vec(half(), BYTES / 2),
        odd in prop::collection::vec((0..320usize, prop::sample::select(&[
            0x7c00u16, 0xfc00, 0x7c00, 0xfc00, 0x7e12, 0xfd01,
        ][..])), 0..4),
        ops in prop::collection::vec((0..FLOATS.len() + 8, any::<[u8; 3]>(), any::<u8>()), 3..12),
        keep in any::<bool>(),
        keep_half in any::<bool>(),
    ) {
        let mut values = values;
        for (at, bits) in odd {
            values[at] = bits;
        }
        let arena: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let halves = |(opcode, src, flags): &(usize, [u8; 3], u8)| {
            let opcode = *FLOATS.get(*opcode).filter(|own| **own != Opcode::Sel).unwrap_or(&Opcode::Mad);
            // Results go where nothing is read, so that what is read stays finite.
            let source = |n: u8| Source {
                region: Region::Dense(2 * u32::from(n)),
                ty: Type::Hf,
                modifier: modifier(n / 2, false).filter(|_| n.is_multiple_of(2)),
            };
            Op::Alu(Box::new(Alu {
                opcode,
                lanes: Lanes { count: 32, offset: 0, no_mask: true },
                guard: None,
                dst: Dest { region: Region::Dense(640 + 64 * u32::from(flags % 15)), ty: Type::Hf },
                dst2: None,
                overflow: None,
                src: src[..sources(opcode)].iter().map(|n| source(*n)).collect(),
                saturate: *flags >= 240,
                function: 0,
                precisions: None,
            }))
        };
        let mut program = program(ops.iter().map(halves).collect(), &arena);
        program.general_bytes = PREDICATES;
        let mode = FloatMode { keep_single: keep, keep_half, ..FloatMode::default() };
        let run = |native| left(&program, &[u32::MAX], mode, (native, true), true);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        let differ = (0..BYTES).find(|&i| native.0[0].0[i] != steps.0[0].0[i]);
        prop_assert_eq!((differ, native.0[0].1), (None, steps.0[0].1), "{:#?}", program.ops);
    }
}

/// Doubles near one, and those whose products, sums and differences are hardly normal.
fn double() -> impl Strategy<Value = u64> {
    let of = |exponents: std::ops::Range<u64>| {
        (any::<bool>(), exponents, any::<u64>())
            .prop_map(|(s, e, m)| u64::from(s) << 63 | e << 52 | m >> 12)
    };
    prop_oneof![
        8 => of(1000..1046),
        1 => of(1020..1100),
        1 => of(500..524),
        1 => of(1..4),
        1 => any::<bool>().prop_map(|s| u64::from(s) << 63),
        1 => prop::sample::select(&[
            0x7ff0_0000_0000_0000u64, 0xfff0_0000_0000_0000, 0x7ff8_0000_0000_1234, 0xfff0_0000_0000_0001,
        ][..]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(1_000), failure_persistence: None, ..ProptestConfig::default() })]

    /// Doubles are those of the reference, fused where they are there, flushed where the mode says so; so is what they become.
    #[test]
    fn native_doubles_are_rounded_and_flushed_alike(
        values in prop::collection::vec(double(), BYTES / 8),
        ops in prop::collection::vec((0u8..13, any::<[u8; 3]>(), any::<u8>()), 3..12),
        keep in any::<bool>(),
        rounding in rounding(),
    ) {
        let arena: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let doubles = |(opcode, src, flags): &(u8, [u8; 3], u8)| {
            use Opcode::*;
            use Type::*;
            let at = usize::from(*opcode);
            let opcode = [Mad, Mul, Add, Div, Inv, Sqrtm, Min, Max, Mov, Mov, Mov, Mov, Mov][at];
            let ty = [Df, Df, Df, Df, Df, Df, Df, Df, F, D, Ud, Q, Uq][at];
            // Results go where nothing is read.
            let source = |n: u8| Source {
                region: Region::Dense(8 * u32::from(n % 64)),
                ty: Df,
                modifier: modifier(n / 64, false),
            };
            Op::Alu(Box::new(Alu {
                opcode,
                lanes: Lanes { count: [8, 8, 16, 1][usize::from(flags / 64)], offset: 0, no_mask: true },
                guard: None,
                dst: Dest { region: Region::Dense(640 + 64 * u32::from(flags % 14)), ty },
                dst2: None,
                overflow: None,
                src: src[..sources(opcode)].iter().map(|n| source(*n)).collect(),
                saturate: false,
                function: 0,
                precisions: None,
            }))
        };
        // What one lane has is seen by others.
        let spread = |(_, _, flags): &(u8, [u8; 3], u8)| {
            let row = |n: u8| 640 + 64 * u32::from(n % 14);
            Op::Alu(Box::new(Alu {
                opcode: Opcode::Mov,
                lanes: Lanes { count: 16, offset: 0, no_mask: true },
                guard: None,
                dst: Dest { region: Region::Dense(row(flags / 5)), ty: Type::D },
                dst2: None,
                overflow: None,
                src: vec![Source { region: Region::Scalar(row(*flags)), ty: Type::D, modifier: None }],
                saturate: false,
                function: 0,
                precisions: None,
            }))
        };
        let mut program = program(ops.iter().flat_map(|op| [doubles(op), spread(op)]).collect(), &arena);
        program.general_bytes = PREDICATES;
        let single = rounding != Rounding::Nearest;
        let mode = FloatMode { keep_double: keep, keep_single: single, rounding, ..FloatMode::default() };
        let run = |native| left(&program, &[u32::MAX], mode, (native, true), true);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        let differ = (0..BYTES).find(|&i| native.0[0].0[i] != steps.0[0].0[i]);
        prop_assert_eq!((differ, native.0[0].1), (None, steps.0[0].1), "{:#?}", program.ops);
    }
}

/// Angles that are code: of any size, next to multiples of an eighth of a turn, the least and the greatest.
fn angle() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => -7.0f32..7.0,
        2 => -1024.0f32..1024.0,
        1 => (10u32..30, 0u32..1 << 23, any::<bool>()).prop_map(|(exponent, bits, sign)| {
            f32::from_bits((exponent + 127) << 23 | bits | u32::from(sign) << 31)
        }),
        3 => (prop_oneof![2 => -1400i32..1400, 1 => -1_335_000i32..1_335_000, 1 => -1_367_000_000i32..1_367_000_000], -3i32..4).prop_map(|(eighths, ulps)| {
            let near = (f64::from(eighths) * std::f64::consts::FRAC_PI_4) as f32;
            f32::from_bits(near.to_bits().wrapping_add_signed(ulps))
        }),
        1 => (0u32..0x3f80_0000, any::<bool>()).prop_map(|(bits, sign)| {
            f32::from_bits(bits | u32::from(sign) << 31)
        }),
        // Next to so many quarter turns that what is left is a little more than 2^-20, or less.
        1 => prop::sample::select(vec![
            3_271.968_8f32, 120_530.34, 149_800.56, 384_317.3, 957_521.3,
            1_719_612.0, 6_409_414.5, 30_223_290.0, 35_814.156, 192_158.66,
        ]),
        1 => prop::sample::select(vec![0.0f32, -0.0, 1_073_741_760.0, -1_073_741_760.0]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(3_000), failure_persistence: None, ..ProptestConfig::default() })]

    /// Sines and cosines are those of the reference, whatever their last places hang on.
    #[test]
    fn native_sines_are_rounded_alike(
        angles in prop::collection::vec(angle(), 32),
        large in (0..320usize, prop::sample::select(&[1_073_741_824.0f32, -1e30, f32::INFINITY][..])),
        keep in any::<bool>(),
        lanes in any::<u32>(),
    ) {
        let mut angles = angles;
        if let Some(angle) = angles.get_mut(large.0) {
            *angle = large.1;
        }
        let mut values = vec![0; BYTES];
        let bytes = angles.iter().flat_map(|v| v.to_le_bytes());
        values.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        let op = |opcode, to| Op::Alu(Box::new(Alu {
            opcode,
            lanes: Lanes { count: 32, offset: 0, no_mask: false },
            guard: None,
            dst: Dest { region: Region::Dense(to), ty: Type::F },
            dst2: None,
            overflow: None,
            src: vec![Source { region: Region::Dense(0), ty: Type::F, modifier: None }],
            saturate: false,
            function: 0,
            precisions: None,
        }));
        // So many that code pays.
        let ops = (0..8u32).map(|n| op([Opcode::Sin, Opcode::Cos][n as usize % 2], 128 + 128 * (n % 2)));
        let program = program(ops.collect(), &values);
        let mode = FloatMode { keep_single: keep, ..FloatMode::default() };
        let run = |native| left(&program, &[lanes], mode, (native, true), true);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        let differ = (0..BYTES).find(|&i| native.0[0].0[i] != steps.0[0].0[i]);
        prop_assert_eq!((differ, native.0[0].1), (None, steps.0[0].1));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(300), failure_persistence: None, ..ProptestConfig::default() })]

    /// The least dword, negated, is one more than the greatest.
    #[test]
    fn the_least_dword_is_negated_alike(
        words in prop::collection::vec(prop::sample::select(&[i32::MIN, i32::MAX, -5, 0, 5][..]), 64),
        (relation, ..) in prop::sample::select(Condition::ALL),
        modifiers in prop::array::uniform2(prop::sample::select(&[None, Some(Modifier::Neg), Some(Modifier::Abs), Some(Modifier::NegAbs)][..])),
        lanes in any::<u32>(),
    ) {
        let mut values = vec![0; BYTES];
        let bytes = words.iter().flat_map(|v| v.to_le_bytes());
        values.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        let own = Lanes { count: 32, offset: 0, no_mask: false };
        let source = |k: usize| Source {
            region: Region::Dense(128 * k as u32),
            ty: Type::D,
            modifier: modifiers[k],
        };
        let compare = |to| Op::Compare {
            relation,
            lanes: own,
            dst: CompareDest::General(Dest { region: Region::Dense(to), ty: Type::D }),
            src: Box::new([source(0), source(1)]),
        };
        let single = |to| Op::Alu(Box::new(Alu {
            opcode: Opcode::Mov,
            lanes: own,
            guard: None,
            dst: Dest { region: Region::Dense(to), ty: Type::F },
            dst2: None,
            overflow: None,
            src: vec![source(0)],
            saturate: false,
            function: 0,
            precisions: None,
        }));
        // So many that code pays.
        let ops = (0..4).flat_map(|_| [compare(256), single(384)]);
        let program = program(ops.collect(), &values);
        let run = |native| left(&program, &[lanes], FloatMode::default(), (native, true), true);
        let (native, steps) = (run(NativeCode::Always), run(NativeCode::Never));
        let differ = (0..BYTES).find(|&i| native.0[0].0[i] != steps.0[0].0[i]);
        prop_assert_eq!((differ, native.0[0].1), (None, steps.0[0].1));
    }
}

/// Whether all lines of a body are code.
fn is_code(body: &str) -> bool {
    let text = format!(
        ".version 3.6\n.kernel \"k\"
.decl A v_type=G type=d num_elts=32 align=GRF
.decl U v_type=G type=ud num_elts=32 align=GRF
.decl V v_type=G type=ud num_elts=32 align=GRF
.decl Y v_type=G type=ud num_elts=64 align=GRF
.decl F v_type=G type=f num_elts=32 align=GRF
.decl W v_type=G type=w num_elts=32 align=GRF
.decl Q v_type=G type=q num_elts=16
.decl B v_type=G type=b num_elts=32 align=GRF
.decl D v_type=G type=df num_elts=16 align=GRF
.decl H v_type=G type=hf num_elts=32 align=GRF
.decl A0 v_type=A num_elts=16
.decl P1 v_type=P num_elts=16
{body}"
    );
    let program = lowered(text);
    let entered = vec![false; program.ops.len() + 1];
    let native = Native::new(
        (&program, &program.image),
        &entered,
        (Rounds::Kept, false),
        (Seen::Bytes, 0),
        |_| true,
        |_, _| None,
    );
    // What is refused is left out.
    assert_eq!(program.ops.len(), body.lines().count() + 1);
    // The end that every body has is a thread's own.
    let ops = 0..program.ops.len() as u32 - 1;
    native.is_some_and(|native| ops.into_iter().all(|pc| native.covers(pc)))
}

#[test]
fn what_real_kernels_do_is_code() {
    if !NativeCode::is_possible() {
        return;
    }
    let body = "add (M1, 16) F(0,0)<1> F(0,0)<1;1,0> (-)F(0,0)<0;1,0>
mad (M1, 8) F(0,0)<1> F(0,0)<1;1,0> F(0,1)<0;1,0> 0x3f800000:f
mul (M1, 16) A(0,0)<1> A(0,0)<1;1,0> 0x5:d
add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> W(0,0)<8;8,1>
mov (M1, 16) A(0,0)<1> 0x0:d
mov (M1, 16) A(0,0)<1> F(0,0)<1;1,0>
mov (M1, 16) F(0,0)<1> W(0,0)<1;1,0>
mov (M1, 16) F(0,0)<1> (-)A(0,0)<1;1,0>
mov (M1, 16) F(0,0)<1> (abs)A(0,0)<1;1,0>
cmp.lt (M1, 16) P1 F(0,0)<1;1,0> 0x0:f
mul (M1_NM, 1) A(0,0)<1> A(0,1)<0;1,0> A(0,2)<0;1,0>
mov (M1, 16) Q(0,0)<1> W(0,0)<1;1,0>
mov (M1, 16) A(0,0)<1> Q(0,0)<1;1,0>
mov (M1_NM, 1) A(0,0)<1> Q(0,1)<0;1,0>
add (M1, 16) Q(0,0)<1> Q(0,0)<1;1,0> (-)Q(0,0)<0;1,0>
cmp.lt (M1, 16) P1 Q(0,0)<1;1,0> Q(0,0)<0;1,0>
(P1) sel (M1, 16) F(0,0)<1> (-)F(0,0)<1;1,0> (abs)F(0,0)<0;1,0>
(P1) sel (M1, 16) Q(0,0)<1> Q(0,0)<1;1,0> Q(0,0)<0;1,0>
(P1) sel (M1, 16) A(0,0)<1> 0x5:q Q(0,0)<1;1,0>
cmp.eq (M1, 16) P1 A(0,0)<1;1,0> (-)A(0,1)<0;1,0>
cmp.lt (M1, 16) A(0,0)<1> (abs)A(0,0)<1;1,0> W(0,0)<1;1,0>
mulh (M1, 16) U(0,0)<1> U(0,0)<1;1,0> 0xaaaaaaab:ud
mulh (M1_NM, 1) A(0,0)<1> U(0,0)<0;1,0> A(0,1)<0;1,0>
addc (M1, 16) U(0,0)<1> V(0,0)<1> U(0,0)<1;1,0> V(0,0)<0;1,0>
addc (M1_NM, 1) U(0,0)<1> V(0,0)<1> U(0,1)<0;1,0> V(0,1)<0;1,0>
subb (M1, 16) U(0,0)<1> V(0,0)<1> U(0,0)<1;1,0> V(0,0)<1;1,0>
madw (M1, 16) Y(0,0)<1> U(0,0)<1;1,0> U(0,0)<1;1,0> V(0,0)<1;1,0>
div (M1, 16) A(0,0)<1> A(0,0)<1;1,0> A(0,1)<0;1,0>
mod (M1_NM, 1) U(0,0)<1> U(0,1)<0;1,0> W(0,0)<0;1,0>
dp4a (M1, 16) A(0,0)<1> A(0,0)<1;1,0> U(0,0)<1;1,0> A(0,0)<1;1,0>
dp4a (M1_NM, 1) U(0,0)<1> U(0,1)<0;1,0> U(0,0)<0;1,0> B(0,0)<0;1,0>
lzd (M1, 16) U(0,0)<1> U(0,0)<1;1,0>
cbit (M1, 16) U(0,0)<1> U(0,0)<1;1,0>
fbl (M1_NM, 1) U(0,0)<1> U(0,0)<0;1,0>
fbh (M1, 16) U(0,0)<1> A(0,0)<1;1,0>
bfrev (M1, 8) U(0,0)<1> U(0,0)<1;1,0>
rol (M1, 16) U(0,0)<1> U(0,0)<1;1,0> 0x7:ud
ror (M1, 16) A(0,0)<1> U(0,0)<1;1,0> A(0,0)<1;1,0>
setp (M1_NM, 16) P1 U(0,0)<0;1,0>
setp (M1_NM, 16) P1 0xff00:ud
setp (M1, 16) P1 W(0,0)<1;1,0>
mov (M1, 8) B(0,0)<1> B(0,0)<2;1,0>
mov (M1, 8) B(0,0)<2> B(0,0)<1;1,0>
add (M1, 8) A(0,0)<4> A(0,0)<4;1,0> A(0,0)<2;1,0>
mov (M1, 16) F(0,0)<1> H(0,0)<1;1,0>
mov (M1, 16) H(0,0)<1> F(0,0)<1;1,0>
mov (M1, 16) H(0,0)<1> W(0,0)<1;1,0>
mov (M1, 16) A(0,0)<1> H(0,0)<1;1,0>
add (M1, 16) H(0,0)<1> H(0,0)<1;1,0> (-)H(0,0)<0;1,0>
mul.sat (M1, 16) H(0,0)<1> H(0,0)<1;1,0> 0x3c00:hf
mad (M1, 16) H(0,0)<1> H(0,0)<1;1,0> H(0,0)<1;1,0> H(1,0)<1;1,0>
max (M1, 16) H(0,0)<1> H(0,0)<1;1,0> H(1,0)<1;1,0>
cmp.lt (M1, 16) P1 H(0,0)<1;1,0> 0x0:hf
mov (M1, 8) D(0,0)<1> F(0,0)<1;1,0>
mad (M1, 8) D(0,0)<1> D(0,0)<1;1,0> (-)D(0,0)<0;1,0> D(0,0)<1;1,0>
add (M1_NM, 1) D(0,0)<1> D(0,0)<0;1,0> D(0,1)<0;1,0>
mov.sat (M1, 16) B(0,0)<1> A(0,0)<1;1,0>
mov.sat (M1, 16) W(0,0)<1> U(0,0)<1;1,0>
asr.sat (M1, 16) B(0,0)<1> A(0,0)<1;1,0> 0x4:d
add.sat (M1, 16) B(0,0)<1> B(0,0)<1;1,0> B(0,0)<1;1,0>
mul.sat (M1, 16) W(0,0)<1> B(0,0)<1;1,0> W(0,0)<0;1,0>
mov (M1, 16) F(0,0)<1> D(0,0)<1;1,0>
mov (M1_NM, 1) A(0,0)<1> D(0,0)<0;1,0>
mov (M1, 8) W(0,0)<2> (-)D(0,0)<1;1,0>
mov (M1, 8) D(0,0)<1> Q(0,0)<1;1,0>
mov (M1, 8) Q(0,0)<1> D(0,0)<1;1,0>
cmp.lt (M1, 8) P1 D(0,0)<1;1,0> (abs)D(0,0)<0;1,0>
max (M1, 8) D(0,0)<1> D(0,0)<1;1,0> (-)D(0,0)<0;1,0>
(P1) sel (M1, 8) D(0,0)<1> D(0,0)<1;1,0> D(0,0)<0;1,0>
addr_add (M1, 16) A0(0)<1> &F W(0,0)<1;1,0>
mov (M1, 16) F(0,0)<1> r[A0(0),0]<1,0>:f
mov (M1, 16) A(0,0)<1> r[A0(0),32]<1;1,0>:b
mov (M1_NM, 1) U(0,0)<1> r[A0(0),0]<0;1,0>:ud
add (M1, 8) F(0,0)<1> (-)r[A0(0),0]<4,1>:f F(0,0)<1;1,0>
(P1) mov (M1, 1) r[A0(0),0]<1>:f F(0,0)<0;1,0>
mov (M1, 16) r[A0(0),0]<1>:d W(0,0)<1;1,0>
(P1) mov (M1, 16) r[A0(0),0]<1>:b A(0,0)<1;1,0>
add (M1, 16) A(0,0)<1> A(0,0)<16;8,2> A(0,0)<4;2,1>
cos (M1, 16) F(0,0)<1> (-)F(0,0)<1;1,0>
sin (M1_NM, 1) F(0,0)<1> F(0,1)<0;1,0>
";
    assert_eq!(is_code(body), true);
    // What the reference alone computes.
    assert_eq!(
        is_code(&format!(
            "{body}avg (M1, 16) A(0,0)<1> A(0,0)<1;1,0> A(0,1)<0;1,0>\n"
        )),
        false
    );
}
