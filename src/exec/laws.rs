//! Dense loops equal the general executor, bit for bit, and lowering chooses them.

use super::float::FloatMode;
use super::thread::{Thread, ThreadId};
use super::{dense, general};
use crate::check::{CheckOptions, check};
use crate::isa::{Condition, Modifier, Opcode, Platform, Type};
use crate::lower::{LowerOptions, lower};
use crate::program::{Alu, Dest, Kernel, Lanes, Op, Program, Region, Source};
use crate::syntax::{ParseOptions, parse};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

/// A program without ops over an arena of 512 random bytes.
fn empty(arena: &[u8]) -> Program {
    Program {
        name: String::new(),
        platform: Platform::default(),
        ops: Vec::new(),
        sites: Vec::new(),
        symbols: Default::default(),
        image: arena.to_vec(),
        general_bytes: arena.len() as u32,
        sink: 0,
        zero: 0,
        owners: Vec::new(),
        inputs: Vec::new(),
        simd_size: 32,
        slm_bytes: 0,
        functions: Vec::new(),
        surface_names: Vec::new(),
        sampler_names: Vec::new(),
    }
}

const OPS: &[Opcode] = &[
    Opcode::Add,
    Opcode::Mul,
    Opcode::Mad,
    Opcode::And,
    Opcode::Or,
    Opcode::Xor,
    Opcode::Not,
    Opcode::Shl,
    Opcode::Shr,
    Opcode::Asr,
    Opcode::Min,
    Opcode::Max,
    Opcode::Sel,
];

fn modifier(n: u8) -> Option<Modifier> {
    [
        None,
        Some(Modifier::Neg),
        Some(Modifier::Abs),
        Some(Modifier::NegAbs),
    ][usize::from(n % 4)]
}

/// Dwords that reach the corners: zeros, denormals, infinities, NaN, ends of ranges, and anything.
fn dword() -> impl Strategy<Value = u32> {
    prop_oneof![
        3 => any::<u32>(),
        1 => prop::sample::select(vec![
            0, 0x8000_0000, 1, 0x007f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0x7f7f_ffff,
            0x3f80_0000, u32::MAX, 0x7fff_ffff, 0x0080_0000, 0x3f00_0000,
        ]),
        2 => 0x3f00_0000u32..0x4100_0000,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn dense_loops_equal_the_general_one(
        words in prop::collection::vec(dword(), 128),
        op in prop::sample::select(OPS.to_vec()),
        kernel in 0u8..3,
        shape in 0u8..8,
        modifiers in any::<[u8; 3]>(),
        signs in any::<[bool; 4]>(),
        count in prop::sample::select(vec![8u8, 16, 32]),
        (mask, chosen) in any::<(u32, u32)>(),
        (saturate, keep, plain) in any::<(bool, bool, bool)>(),
    ) {
        let arena: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let logic = matches!(
            op,
            Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not | Opcode::Shl | Opcode::Shr | Opcode::Asr
        );
        // Floats have no logic, and their `sel` copies bits the general way.
        let kernel = if logic || op == Opcode::Sel { kernel.max(1) } else { kernel };
        let float = kernel == 0;
        let ty = |signed: bool| match (kernel, signed) {
            (0, _) => Type::F,
            (1, false) => Type::Ud,
            (1, true) => Type::D,
            (_, false) => Type::Uw,
            (_, true) => Type::W,
        };
        // What lowering asks of operands of a dense op.
        let exact = matches!(op, Opcode::Min | Opcode::Max);
        let bare = !float && (exact || matches!(op, Opcode::Sel | Opcode::Shr | Opcode::Asr) || kernel == 2);
        let source = |k: usize| Source {
            region: if shape >> k & 1 == 0 {
                Region::Dense(128 * k as u32)
            } else {
                Region::Scalar(128 * k as u32 + 8)
            },
            ty: ty(if exact { signs[0] } else { signs[k] }),
            modifier: if bare { None } else { modifier(modifiers[k]) },
        };
        let alu = Alu {
            opcode: op,
            lanes: Lanes { count, offset: 0, no_mask: false },
            guard: None,
            // Overlaps source 1, to see that sources are read first.
            dst: Dest { region: Region::Dense(132), ty: ty(if exact { signs[0] } else { signs[3] }) },
            dst2: None,
            src: (0..3).map(source).collect(),
            saturate: saturate && float,
            function: 0,
            kernel: [Kernel::DenseF, Kernel::DenseDword, Kernel::DenseWord][usize::from(kernel)],
        };
        let mask = if plain { u32::MAX } else { mask } & alu.lanes.all();
        let program = empty(&arena);
        let mut thread = Thread::new(&program, ThreadId::default(), u32::MAX);
        thread.mode = FloatMode { keep_single: keep, ..FloatMode::default() };
        let mut fast = arena.clone();
        dense::alu(&mut fast, &alu, mask, chosen, thread.mode);
        general::alu(&mut thread, &alu, mask, chosen);
        prop_assert_eq!(&fast, &thread.arena, "{:?}", alu);

        let pair = [source(0), Source { ty: source(0).ty, modifier: source(0).modifier.filter(|_| float), ..source(1) }];
        let pair = if float { pair } else { pair.map(|s| Source { modifier: None, ..s }) };
        for &(relation, _, _) in Condition::ALL {
            let n = u32::from(count);
            let fast = dense::compare(&arena, relation, &pair, alu.kernel, n, thread.mode);
            let mut thread = Thread::new(&program, ThreadId::default(), u32::MAX);
            thread.mode = FloatMode { keep_single: keep, ..FloatMode::default() };
            prop_assert_eq!(fast, general::compare(&thread, relation, &pair, n));
        }
    }
}

/// The kernels that lowering chooses for the lines of a body.
fn kernels(body: &str) -> Vec<Kernel> {
    let text = format!(
        ".version 3.6\n.kernel \"k\"
.decl A v_type=G type=d num_elts=32 align=GRF
.decl F v_type=G type=f num_elts=32 align=GRF
.decl W v_type=G type=w num_elts=32 align=GRF
.decl P1 v_type=P num_elts=16
{body}"
    );
    let parsed = parse(
        &crate::source::Source::new("t", text),
        &ParseOptions::default(),
    );
    let (checked, _) = check(&parsed.module, &CheckOptions::default());
    let program = lower(&checked, "", &LowerOptions::default()).expect("lowers");
    let kernel = |op: &Op| match op {
        Op::Alu(alu) => Some(alu.kernel),
        Op::Compare { kernel, .. } => Some(*kernel),
        _ => None,
    };
    program.ops.iter().filter_map(kernel).collect()
}

#[test]
fn lowering_chooses_the_fast_loops() {
    let chosen = kernels(
        "add (M1, 16) F(0,0)<1> F(0,0)<1;1,0> (-)F(0,0)<0;1,0>
mad (M1, 8) F(0,0)<1> F(0,0)<1;1,0> F(0,1)<0;1,0> 0x3f800000:f
mul (M1, 16) A(0,0)<1> A(0,0)<1;1,0> 0x5:d
add (M1, 16) W(0,0)<1> W(0,0)<1;1,0> W(0,0)<8;8,1>
mov (M1, 16) A(0,0)<1> 0x0:d
mov (M1, 16) A(0,0)<1> F(0,0)<1;1,0>
cmp.lt (M1, 16) P1 F(0,0)<1;1,0> 0x0:f
add (M1, 16) A(0,0)<1> A(0,0)<1;1,0> W(0,0)<1;1,0>
add (M1, 4) A(0,0)<1> A(0,0)<1;1,0> A(0,0)<1;1,0>
",
    );
    use Kernel::*;
    let wanted = [
        DenseF, DenseF, DenseDword, DenseWord, Copy, General, DenseF, General, General,
    ];
    assert_eq!(chosen, wanted);
}
