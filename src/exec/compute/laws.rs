//! Steps equal the reference, bit for bit, and the loops of real kernels have steps of their own.

use super::decoded::Decoded;
use crate::check::{CheckOptions, check};
use crate::exec::state::float_mode::FloatMode;
use crate::exec::state::thread::{Thread, ThreadId};
use crate::isa::{Condition, Modifier, Opcode, Platform, Type};
use crate::lower::{LowerOptions, lower};
use crate::program::{
    Alu, CompareDest, Dest, Group, Guard, Lanes, Memo, Op, Program, Region, Source,
};
use crate::syntax::{ParseOptions, parse};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// Bytes of an arena.
const BYTES: usize = 1024;

/// How many programs a law of native code makes: `all`, or a quarter of them with `VISIM_LAWS=short`, for a run beside
/// one that makes all.
pub(crate) fn cases(all: u32) -> u32 {
    match std::env::var("VISIM_LAWS").as_deref() {
        Ok("short") => all / 4,
        _ => all,
    }
}

/// The op that goes on where this one ends, with the lanes after its own.
fn next(op: &Op) -> Op {
    let on = |region: &Region, size: u32, lanes: Lanes| match *region {
        Region::Dense(at) => Region::Dense(at + size * u32::from(lanes.count)),
        Region::Strided { offset, stride } => Region::Strided {
            offset: offset + stride * u32::from(lanes.count),
            stride,
        },
        ref other => other.clone(),
    };
    let next = |lanes: Lanes| Lanes {
        offset: lanes.offset + lanes.count,
        ..lanes
    };
    let mut op = op.clone();
    match &mut op {
        Op::Alu(alu) => {
            let lanes = alu.lanes;
            alu.lanes = next(lanes);
            alu.dst.region = on(&alu.dst.region, alu.dst.ty.bytes(), lanes);
            for source in &mut alu.src {
                source.region = on(&source.region, source.ty.bytes(), lanes);
            }
        }
        Op::Compare { lanes, src, .. } => {
            for source in src.iter_mut() {
                source.region = on(&source.region, source.ty.bytes(), *lanes);
            }
            *lanes = next(*lanes);
        }
        _ => {}
    }
    op
}

/// A program over an arena of random bytes.
pub(crate) fn program(ops: Vec<Op>, arena: &[u8]) -> Program {
    Program {
        name: String::new(),
        platform: Platform::default(),
        text: Default::default(),
        ops,
        sites: Vec::new(),
        symbols: Default::default(),
        image: arena.to_vec(),
        // The last bytes are after it, like constants and predicates.
        general_bytes: 768,
        sink: 1020,
        zero: 1016,
        owners: Vec::new(),
        inputs: Vec::new(),
        simd_size: 32,
        slm_bytes: 0,
        functions: Vec::new(),
        memo: Memo::default(),
        surface_names: Vec::new(),
        sampler_names: Vec::new(),
    }
}

pub(crate) const FLOATS: &[Opcode] = &[
    Opcode::Add,
    Opcode::Mul,
    Opcode::Mad,
    Opcode::Lrp,
    Opcode::Min,
    Opcode::Max,
    Opcode::Sel,
    Opcode::Mov,
    Opcode::Frc,
    Opcode::Rndd,
    Opcode::Rndu,
    Opcode::Rnde,
    Opcode::Rndz,
    Opcode::Inv,
    Opcode::Invm,
    Opcode::Div,
    Opcode::Divm,
    Opcode::Sqrt,
    Opcode::Sqrtm,
    Opcode::Rsqrt,
    Opcode::Rsqtm,
    Opcode::Exp,
    Opcode::Log,
    Opcode::Sin,
    Opcode::Cos,
    Opcode::Pow,
];

pub(crate) const INTEGERS: &[Opcode] = &[
    Opcode::Add,
    Opcode::Add3,
    Opcode::Mul,
    Opcode::Mad,
    Opcode::And,
    Opcode::Or,
    Opcode::Xor,
    Opcode::Not,
    Opcode::Bfn,
    Opcode::Shl,
    Opcode::Shr,
    Opcode::Asr,
    Opcode::Rol,
    Opcode::Ror,
    Opcode::Min,
    Opcode::Max,
    Opcode::Sel,
    Opcode::Mov,
];

pub(crate) const TYPES: &[Type] = &[
    Type::Ud,
    Type::D,
    Type::Uw,
    Type::W,
    Type::Ub,
    Type::B,
    Type::Uq,
    Type::Q,
];

pub(crate) fn sources(opcode: Opcode) -> usize {
    use Opcode::*;
    match opcode {
        Mad | Lrp | Add3 | Bfn | Madw | Dp4a => 3,
        Add | Mul | Mulh | Addc | Subb | And | Or | Xor | Shl | Shr | Asr | Rol | Ror | Min
        | Max | Sel | Avg | Div | Divm | Mod | Pow => 2,
        _ => 1,
    }
}

/// Dwords that reach the corners: zeros, denormals, infinities, NaN, ends of ranges, and anything.
pub(crate) fn dword() -> impl Strategy<Value = u32> {
    prop_oneof![
        3 => any::<u32>(),
        1 => prop::sample::select(vec![
            0, 0x8000_0000, 1, 0x007f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0x7f7f_ffff,
            0x3f80_0000, u32::MAX, 0x7fff_ffff, 0x0080_0000, 0x3f00_0000, 0x7f80_0001, 0xffa0_0000,
        ]),
        2 => 0x3f00_0000u32..0x4100_0000,
        1 => 0u32..40,
    ]
}

/// A way through the arena: `n` says which, `k` where it begins.
fn region(n: u8, k: u32, size: u32, count: u8, destination: bool) -> Region {
    let at = 192 * k;
    match n % 8 {
        0..=2 => Region::Dense(at),
        3 if !destination => Region::Scalar(at + 2 * size),
        // A constant, or at least no variable.
        4 if !destination => Region::Scalar(960),
        5 => Region::Strided {
            offset: at + size,
            stride: 2 * size,
        },
        6 => {
            // <16;8,2> and such: rows that leave the walk.
            let lane = |i: u32| at + size * (i / 4 * 6 + i % 4);
            Region::List((0..u32::from(count)).map(lane).collect())
        }
        _ => Region::Dense(at + size),
    }
}

pub(crate) fn modifier(n: u8, logic: bool) -> Option<Modifier> {
    match n % 8 {
        1 if logic => Some(Modifier::Not),
        1 => Some(Modifier::Neg),
        2 if !logic => Some(Modifier::Abs),
        3 if !logic => Some(Modifier::NegAbs),
        _ => None,
    }
}

/// The arenas that an op leaves on two threads with other values and other lanes: by its step, with and
/// without wide instructions, and by the reference.
fn both(program: &Program, mode: FloatMode, em: u32) -> Option<[Vec<u8>; 2]> {
    let run = |code: Option<&Decoded>| {
        let mut threads = [em, em.rotate_left(5)].map(|em| {
            let mut thread = Thread::new(program, ThreadId::default(), em);
            thread.mode = mode;
            thread
        });
        let general = program.general_bytes as usize;
        threads[1].arena[..general].rotate_left(64);
        match code {
            Some(code) => {
                let step = &code.steps(program, mode)[0];
                (step.run)(&mut threads, step);
            }
            None => threads.iter_mut().for_each(|t| t.compute(0)),
        }
        threads.map(|t| t.arena[..BYTES].to_vec()).concat()
    };
    let code = Decoded::new(program);
    if !code.steps(program, mode)[0].fast {
        return None;
    }
    Some([run(Some(&code)), run(None)])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: Some(Box::new(FileFailurePersistence::Direct("tests/seeds/exec.txt"))), ..ProptestConfig::default() })]

    #[test]
    fn steps_equal_the_reference(
        words in prop::collection::vec(dword(), BYTES / 4),
        op in any::<prop::sample::Index>(),
        float in any::<bool>(),
        types in any::<[prop::sample::Index; 4]>(),
        same in any::<bool>(),
        shapes in any::<[u8; 4]>(),
        modifiers in any::<[u8; 3]>(),
        count in prop::sample::select(vec![1u8, 2, 4, 8, 16, 32]),
        (em, guarded, group, inverted) in (prop_oneof![Just(u32::MAX), any::<u32>()], any::<bool>(), 0u8..3, any::<bool>()),
        (saturate, keep, relation) in (prop::bool::weighted(0.2), any::<bool>(), any::<prop::sample::Index>()),
        (flags, predicate, bits) in (any::<bool>(), any::<bool>(), prop::bool::weighted(0.05)),
    ) {
        let arena: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let opcode = *op.get(if float { FLOATS } else { INTEGERS });
        let moves = opcode == Opcode::Mov && float;
        let ty = |k: usize| match (float, same) {
            // Moves between floats and integers, both ways.
            (true, _) if moves && k == usize::from(same) => *types[k].get(TYPES),
            (true, _) => Type::F,
            (false, true) => *types[0].get(TYPES),
            (false, false) => *types[k].get(TYPES),
        };
        let logic = matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not);
        let source = |k: usize| Source {
            region: region(shapes[k], k as u32, ty(k).bytes(), count, false),
            ty: ty(k),
            modifier: modifier(modifiers[k], logic),
        };
        let lanes = Lanes { count, offset: if count <= 16 { 4 } else { 0 }, no_mask: false };
        let guard = Guard {
            offset: 980,
            bits: 16,
            inverted,
            group: [Group::Each, Group::Any, Group::All][usize::from(group)],
        };
        // The destination overlaps source 1, to see that sources are read first.
        let dst = Dest { region: region(shapes[3], 1, ty(3).bytes(), count, true), ty: ty(3) };
        let op = if bits {
            let opcodes = [Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Not];
            let opcode = opcodes[usize::from(shapes[0] % 4)];
            Op::PredicateLogic { opcode, lanes, dst: 984, src: [988, 992] }
        } else if flags {
            Op::Compare {
                relation: relation.get(Condition::ALL).0,
                lanes,
                dst: if predicate { CompareDest::Predicate(984) } else { CompareDest::General(dst) },
                src: Box::new([source(0), source(1)]),
            }
        } else {
            Op::Alu(Box::new(Alu {
                opcode,
                lanes,
                guard: (guarded || opcode == Opcode::Sel).then_some(guard),
                dst,
                dst2: None,
                overflow: None,
                src: (0..sources(opcode)).map(source).collect(),
                saturate,
                function: words[0] as u8,
                precisions: None,
            }))
        };
        let two = program(vec![op.clone(), next(&op)], &arena);
        let program = program(vec![op], &arena);
        let mode = FloatMode { keep_single: keep, ..FloatMode::default() };
        if let Some([fast, reference]) = both(&program, mode, em) {
            let differ = (0..2 * BYTES).find(|&i| fast[i] != reference[i]);
            prop_assert_eq!(differ, None, "{:?}", program.ops);
        }
        let code = Decoded::new(&two);
        let joined = &code.joined(&two, mode)[0];
        if joined.ops == 2 {
            let [mut fast, mut slow] = [0; 2].map(|_| {
                let mut thread = Thread::new(&two, ThreadId::default(), em);
                thread.mode = mode;
                thread
            });
            (joined.run)(std::slice::from_mut(&mut fast), joined);
            slow.compute(0);
            slow.compute(1);
            let differ = (0..BYTES).find(|&i| fast.arena[i] != slow.arena[i]);
            prop_assert_eq!(differ, None, "{:?}", two.ops);
        }
    }
}

/// The program of a text.
pub(crate) fn lowered(text: impl Into<String>) -> Program {
    let parsed = parse(
        &crate::source::Source::new("t", text.into()),
        &ParseOptions::default(),
    );
    let options = CheckOptions {
        platform: Platform::Tgl,
        ..CheckOptions::default()
    };
    let (checked, _) = check(&parsed.module, &options);
    lower(&checked, "", &LowerOptions::default()).expect("lowers")
}

/// Which lines of a body have steps of their own.
fn fast(body: &str) -> Vec<bool> {
    let text = format!(
        ".version 3.6\n.kernel \"k\"
.decl A v_type=G type=d num_elts=32 align=GRF
.decl F v_type=G type=f num_elts=32 align=GRF
.decl W v_type=G type=w num_elts=32 align=GRF
.decl Q v_type=G type=q num_elts=32 align=GRF
.decl P1 v_type=P num_elts=16
{body}"
    );
    let program = lowered(text);
    let code = Decoded::new(&program);
    let steps = code.steps(&program, FloatMode::default());
    let computes = |op: &Op| matches!(op, Op::Alu(_) | Op::Compare { .. });
    let ops = program.ops.iter().zip(steps);
    ops.filter(|(op, _)| computes(op))
        .map(|(_, s)| s.fast)
        .collect()
}

#[test]
fn what_real_kernels_do_is_fast() {
    let body = "add (M1, 16) F(0,0)<1> F(0,0)<1;1,0> (-)F(0,0)<0;1,0>
mad (M1, 8) F(0,0)<1> F(0,0)<1;1,0> F(0,1)<0;1,0> 0x3f800000:f
mul (M1, 16) A(0,0)<1> A(0,0)<1;1,0> 0x5:d
add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> W(0,0)<8;8,1>
mov (M1, 16) A(0,0)<1> 0x0:d
mov (M1, 16) A(0,0)<1> F(0,0)<1;1,0>
mov (M1, 16) F(0,0)<1> W(0,0)<1;1,0>
cmp.lt (M1, 16) P1 F(0,0)<1;1,0> 0x0:f
add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> W(0,0)<16;8,2>
add (M1, 4) A(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
mul (M1_NM, 1) A(0,0)<1> A(0,1)<0;1,0> A(0,2)<0;1,0>
mov (M1, 8) Q(0,0)<1> Q(1,0)<1;1,0>
add (M1, 8) Q(0,0)<1> Q(0,0)<1;1,0> A(0,0)<1;1,0>
shl (M1, 8) Q(0,0)<1> Q(0,0)<1;1,0> 0x2:uw
";
    assert_eq!(fast(body), [true; 14]);
}

#[test]
fn the_rest_goes_to_the_reference() {
    // Exact values that no dword holds, and results that must not wrap.
    let body = "add.sat (M1, 16) A(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
min (M1, 16) A(0,0)<1> A(0,0)<1;1,0> (-)A(0,0)<1;1,0>
min (M1, 8) Q(0,0)<1> Q(0,0)<1;1,0> A(0,0)<1;1,0>
";
    assert_eq!(fast(body), [false; 3]);
}

#[test]
fn halves_on_registers_side_by_side_are_one_step() {
    let text = ".version 3.6\n.kernel \"k\"
.decl A v_type=G type=d num_elts=16 align=GRF
.decl B v_type=G type=d num_elts=16 align=GRF
.decl W v_type=G type=w num_elts=32 align=GRF
mov (M1, 16) A(0,0)<1> W(0,0)<1;1,0>
mov (M5, 16) B(0,0)<1> W(1,0)<1;1,0>
add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> 0x1:w
add (M5, 16) B(0,0)<1> B(0,0)<1;1,0> 0x1:w
add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
add (M5, 16) B(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
";
    let program = lowered(text);
    let code = Decoded::new(&program);
    let steps = code.joined(&program, FloatMode::default());
    // The last two read what the first of them writes.
    let ops: Vec<u32> = steps[..6].iter().map(|s| s.ops).collect();
    assert_eq!(ops, [2, 1, 2, 1, 1, 1]);
}

#[test]
fn a_state_that_is_held_already_is_not_moved_again() {
    let text = ".version 3.6\n.kernel \"k\"
.decl A v_type=G type=ud num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
.decl P2 v_type=P num_elts=8
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=2
movs (M1_NM, 1) S0(0) 0x0:ud
movs (M1_NM, 1) T6(0) 0x1:ud
movs (M1_NM, 1) S0(0) 0x0:ud
movs (M1_NM, 1) T6(1) 0x1:ud
movs (M1_NM, 1) T6(0) 0x1:ud
movs (M1_NM, 1) T6(0) A(0,0)<0;1,0>
movs (M1_NM, 1) T6(0) 0x1:ud
movs (M1, 1) S0(0) 0x0:ud
movs (M1_NM, 1) S0(0) 0x0:ud
loop:
movs (M1_NM, 1) S0(0) 0x0:ud
movs (M1_NM, 1) S0(0) 0x1:ud
(P1) goto (M1, 8) out
movs (M1_NM, 1) S0(0) 0x0:ud
(P2) goto (M1, 8) loop
movs (M1_NM, 1) S0(0) 0x0:ud
out:
movs (M1_NM, 1) S0(0) 0x0:ud
";
    let program = lowered(text);
    let code = Decoded::new(&program);
    let steps = code.steps(&program, FloatMode::default());
    let joined = code.joined(&program, FloatMode::default());
    let moves = |op: &Op| matches!(op, Op::Alu(_));
    let steps = program.ops.iter().zip(steps.iter().zip(joined));
    let idle: Vec<bool> = steps
        .filter(|(op, _)| moves(op))
        .map(|(_, (step, joined))| !std::ptr::fn_addr_eq(step.run, joined.run))
        .collect();
    let (held, moved) = (true, false);
    let straight = [moved, moved, held, moved, held, moved, moved, moved, moved];
    // Lanes that were first out of the loop left 1 in S0 for those that wait after it.
    let loops = [moved, moved, moved, moved, moved];
    assert_eq!(idle, [&straight[..], &loops].concat());
}
