//! Modules made from the tables: any instruction of any row, any directive, in any order.
//!
//! Not all of it is legal; all of it is text that reads.

mod lsc;
mod suffixes;

use lsc::*;
use suffixes::suffix;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use visim::internals::isa::{
    AtomicOp, AvsControl, AvsMode, ChannelMask, Condition, Exec, ExecUse, Extension, MediaMode,
    Modifier, OPCODES, OpInfo, Slot, SuffixSlot, Type, UnormFormat,
};
use visim::internals::source::{Span, Spanned};
use visim::internals::syntax::ast::*;

pub fn at<T>(node: T) -> Spanned<T> {
    Spanned::new(node, Span::default())
}

/// A name that is not a reserved word: those are all lower or all upper case.
fn name() -> impl Strategy<Value = String> {
    "[A-Z_][a-z0-9_]{0,5}[0-9]".prop_filter("V0 is %null", |name| name != "V0")
}

/// A general variable, sometimes a built-in one.
fn variable() -> impl Strategy<Value = String> {
    prop_oneof![4 => name(), 1 => select(vec!["%null", "%r0", "%arg"]).prop_map(str::to_owned)]
}

/// Label characters, so that some need quotes where they are referred to; some are mnemonics.
fn label() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => name(),
        1 => "[A-Za-z_$@?][A-Za-z0-9_$@?-]{0,6}",
        1 => select(OPCODES).prop_map(|row| row.mnemonic.replace('.', "-")),
    ]
}

/// Quoted text with all that has to be escaped.
fn text() -> impl Strategy<Value = String> {
    "[ -~\\n\\t\\x00\\x7f\u{80}-\u{ff}→\"\\\\]{0,12}"
}

fn small() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0u32..40, 1 => any::<u32>()]
}

/// A row or a column: eight bits.
fn position() -> impl Strategy<Value = u32> {
    any::<u8>().prop_map(u32::from)
}

fn immediate() -> impl Strategy<Value = Operand> {
    (select(Type::ALL), any::<u64>()).prop_map(|((ty, _), bits)| {
        let bits = match ty {
            Type::Hf => bits & 0xffff,
            ty if ty.bytes() == 8 => bits,
            _ => bits & 0xffff_ffff,
        };
        Operand::Immediate(Immediate { bits, ty })
    })
}

fn modifier() -> impl Strategy<Value = Option<Modifier>> {
    option::of(select(Modifier::ALL).prop_map(|m| m.0))
}

fn destination_region() -> impl Strategy<Value = Spanned<Region>> {
    small().prop_map(|stride| at(Region::Destination { stride }))
}

fn source_region() -> impl Strategy<Value = Spanned<Region>> {
    (small(), small(), small()).prop_map(|(vertical, width, horizontal)| {
        at(Region::Source {
            vertical,
            width,
            horizontal,
        })
    })
}

fn general(
    modifier: impl Strategy<Value = Option<Modifier>>,
    region: impl Strategy<Value = Spanned<Region>>,
) -> impl Strategy<Value = Operand> {
    (modifier, variable(), position(), position(), region).prop_map(
        |(modifier, var, row, column, region)| {
            Operand::General(General {
                modifier,
                var: at(var),
                row,
                column,
                region,
            })
        },
    )
}

fn indirect(
    modifier: impl Strategy<Value = Option<Modifier>>,
    region: impl Strategy<Value = Spanned<Region>>,
) -> impl Strategy<Value = Operand> {
    (
        modifier,
        name(),
        small(),
        any::<i32>(),
        region,
        select(Type::ALL),
    )
        .prop_map(|(modifier, address, element, offset, region, (ty, _))| {
            let address = at(address);
            Operand::Indirect(Indirect {
                modifier,
                address,
                element,
                offset,
                region,
                ty,
            })
        })
}

fn destination() -> BoxedStrategy<Operand> {
    prop_oneof![
        4 => general(Just(None), destination_region()),
        1 => indirect(Just(None), destination_region()),
    ]
    .boxed()
}

fn source() -> BoxedStrategy<Operand> {
    let multi = (small(), small())
        .prop_map(|(width, horizontal)| at(Region::MultiAddress { width, horizontal }));
    prop_oneof![
        4 => general(modifier(), source_region()),
        1 => indirect(modifier(), prop_oneof![source_region(), multi]),
        2 => immediate(),
    ]
    .boxed()
}

fn scalar() -> BoxedStrategy<Operand> {
    prop_oneof![general(Just(None), source_region()), immediate()].boxed()
}

fn predicate() -> BoxedStrategy<Operand> {
    name().prop_map(|var| Operand::Predicate(at(var))).boxed()
}

fn address() -> BoxedStrategy<Operand> {
    (name(), small(), small())
        .prop_map(|(var, element, stride)| Operand::Address {
            var: at(var),
            element,
            stride,
        })
        .boxed()
}

fn address_of() -> BoxedStrategy<Operand> {
    (name(), prop_oneof![Just(0i64), -64i64..64, any::<i64>()])
        .prop_map(|(var, offset)| Operand::AddressOf {
            var: at(var),
            offset,
        })
        .boxed()
}

fn state() -> BoxedStrategy<Operand> {
    (name(), small())
        .prop_map(|(var, element)| Operand::State {
            var: at(var),
            element,
        })
        .boxed()
}

fn state_pair() -> impl Strategy<Value = Operand> {
    let element = option::of((0u32..256, 0u32..256));
    (name(), element, small()).prop_map(|(base, element, index)| Operand::StatePair {
        base: at(base),
        element,
        index,
    })
}

fn raw() -> BoxedStrategy<Raw> {
    (variable(), small())
        .prop_map(|(var, offset)| Raw {
            // The null variable has no bytes after its first.
            offset: if var == "%null" { 0 } else { offset },
            var: at(var),
        })
        .boxed()
}

/// Operands for one slot: one, or for a few slots several.
fn slot(slot: Slot) -> BoxedStrategy<Vec<Operand>> {
    let number = || prop_oneof![small().prop_map(u64::from), any::<u64>()];
    let one = match slot {
        Slot::Dst => destination(),
        Slot::DstMov => prop_oneof![destination(), address()].boxed(),
        Slot::DstOrPred => prop_oneof![destination(), predicate()].boxed(),
        Slot::DstPred => predicate(),
        Slot::Src | Slot::Scalar | Slot::Offsets => source(),
        Slot::SrcMov => prop_oneof![source(), predicate(), address(), address_of()].boxed(),
        Slot::SrcOrPred => prop_oneof![source(), predicate()].boxed(),
        Slot::DstAddress => address(),
        Slot::AddressBase => prop_oneof![address_of(), address(), source()].boxed(),
        Slot::StateOrDst => prop_oneof![state(), destination()].boxed(),
        Slot::StateOrSrc => prop_oneof![state(), source()].boxed(),
        Slot::Surface => prop_oneof![
            8 => prop_oneof![name(), Just("%slm".to_owned())]
                .prop_map(|var| Operand::Surface(at(var))),
            1 => state_pair(),
        ]
        .boxed(),
        Slot::Sampler => prop_oneof![
            8 => name().prop_map(|var| Operand::Sampler(at(var))),
            1 => state_pair(),
        ]
        .boxed(),
        Slot::SamplerAndSurface => {
            return (name(), name())
                .prop_map(|(sampler, surface)| {
                    vec![Operand::Sampler(at(sampler)), Operand::Surface(at(surface))]
                })
                .boxed();
        }
        Slot::RawDst | Slot::RawSrc | Slot::LscRaw => raw().prop_map(Operand::Raw).boxed(),
        Slot::Params { min, max } => {
            // A null parameter in front would be the paired surface of the newer form.
            return (vec(raw(), usize::from(min)..=usize::from(max)), name())
                .prop_map(|(mut params, first)| {
                    params[0].var = at(first);
                    params.into_iter().map(Operand::Raw).collect()
                })
                .boxed();
        }
        Slot::TargetParams => {
            let one = prop_oneof![raw().prop_map(Operand::Raw), scalar()];
            return vec(one, 1..6).boxed();
        }
        Slot::Plane | Slot::Number | Slot::Hex => number().prop_map(Operand::Number).boxed(),
        Slot::Block => (number(), number())
            .prop_map(|(width, height)| Operand::Block { width, height })
            .boxed(),
        Slot::AvsControl => select(AvsControl::ALL)
            .prop_map(|v| Operand::AvsControl(v.0))
            .boxed(),
        Slot::AvsMode => select(AvsMode::ALL)
            .prop_map(|v| Operand::AvsMode(v.0))
            .boxed(),
        Slot::Label | Slot::Function => label().prop_map(Operand::Label).boxed(),
        // Names without quotes.
        Slot::Callee => name().prop_map(Operand::Label).boxed(),
        Slot::LabelList => vec(name().prop_map(at), 1..5)
            .prop_map(Operand::Labels)
            .boxed(),
        Slot::Text => text().prop_map(Operand::Text).boxed(),
        Slot::Variable => name().prop_map(|var| Operand::Variable(at(var))).boxed(),
        Slot::Origin => (name(), position(), position())
            .prop_map(|(var, row, column)| Operand::Origin {
                var: at(var),
                row,
                column,
            })
            .boxed(),
        Slot::LscData => lsc_data(),
        Slot::LscAddress => lsc_address(vec(lsc_part(lsc_lanes()), 1..=4).boxed()),
        Slot::LscStridedAddress => {
            let stride = option::of(lsc_part(lsc_scalar()).prop_map(plain));
            let parts = (lsc_part(lsc_lanes()), stride)
                .prop_map(|(base, stride)| std::iter::once(base).chain(stride).collect());
            lsc_address(parts.boxed())
        }
        Slot::LscSurface => (
            lsc_stateful(),
            vec(lsc_part(lsc_lanes()).prop_map(plain), 0..2),
        )
            .prop_map(|(model, parts)| Operand::LscAddress(Box::new(lsc_around(model, parts))))
            .boxed(),
        Slot::LscBlockData => lsc_block_data(),
        Slot::LscBlockAddress => lsc_block_address(),
        Slot::OptionalScalars(count) => {
            let all = vec(source(), usize::from(count));
            return prop_oneof![Just(Vec::new()), all].boxed();
        }
        Slot::PayloadDst | Slot::PayloadSrc => (raw(), small())
            .prop_map(|(raw, bytes)| Operand::Payload(raw, bytes))
            .boxed(),
        Slot::NumberPair => (number(), number())
            .prop_map(|(a, b)| Operand::Pair(a, b))
            .boxed(),
        Slot::ScalarTriple => (scalar(), scalar(), scalar())
            .prop_map(|(a, b, c)| Operand::Triple(Box::new([at(a), at(b), at(c)])))
            .boxed(),
    };
    one.prop_map(|operand| vec![operand]).boxed()
}

fn execution(form: ExecUse) -> BoxedStrategy<Option<Spanned<Exec>>> {
    match form {
        ExecUse::None => Just(None).boxed(),
        ExecUse::Lanes => (small(), 0u8..8, any::<bool>())
            .prop_map(|(size, k, no_mask)| {
                Some(at(Exec {
                    size,
                    offset: 4 * k,
                    no_mask,
                }))
            })
            .boxed(),
        // A count has no mask.
        ExecUse::Count | ExecUse::OptionalCount => small()
            .prop_map(|size| {
                Some(at(Exec {
                    size,
                    offset: 0,
                    no_mask: false,
                }))
            })
            .boxed(),
    }
}

/// Any instruction of a row.
pub fn instruction(row: OpInfo) -> impl Strategy<Value = Statement> {
    let group = option::of(select(vec![PredicateGroup::Any, PredicateGroup::All]));
    let predicate = option::of((name(), any::<bool>(), group).prop_map(
        |(var, inverted, group)| {
            at(Predicate {
                var,
                inverted,
                group,
            })
        },
    ));
    let suffixes: Vec<_> = row.suffixes.iter().map(|s| suffix(*s)).collect();
    let operands: Vec<_> = row.slots.iter().map(|s| slot(*s)).collect();
    // Up to version 4.1, which the modules here have, only the null variable is read as one.
    let paired = row
        .slots
        .iter()
        .any(|s| matches!(s, Slot::Params { .. }))
        .then(|| Raw {
            var: at("%null".to_owned()),
            offset: 0,
        });
    let paired = option::of(Just(paired)).prop_map(Option::flatten);
    (predicate, suffixes, execution(row.exec), operands, paired).prop_map(
        move |(predicate, suffixes, exec, operands, paired)| {
            Statement::Instruction(Instruction {
                opcode: at(row.opcode),
                predicate,
                suffixes: suffixes.into_iter().flatten().map(at).collect(),
                exec,
                operands: operands.into_iter().flatten().map(at).collect(),
                paired: paired.map(at),
            })
        },
    )
}

fn attribute_value() -> impl Strategy<Value = Option<AttributeValue>> {
    option::of(prop_oneof![
        any::<i64>().prop_map(AttributeValue::Number),
        text().prop_map(AttributeValue::Text),
    ])
}

fn count() -> impl Strategy<Value = Spanned<u64>> {
    prop_oneof![small().prop_map(u64::from), 0u64..=i64::MAX as u64].prop_map(at)
}

fn declaration() -> impl Strategy<Value = Statement> {
    let align = prop_oneof![
        select(vec![2u32, 4, 8, 16, 32, 64, 128]).prop_map(Align::Bytes),
        Just(Align::Grf),
        Just(Align::GrfX2),
    ];
    let alias = (variable(), count()).prop_map(|(base, offset)| Alias {
        base: at(base),
        offset,
    });
    let v_name = || option::of(name().prop_map(at));
    let class = prop_oneof![
        4 => (select(Type::ALL), option::of(align.prop_map(at)), option::of(alias)).prop_map(
            |((ty, _), align, alias)| DeclarationClass::General { ty: at(ty), align, alias },
        ),
        1 => Just(DeclarationClass::Address),
        1 => Just(DeclarationClass::Predicate),
        1 => v_name().prop_map(|v_name| DeclarationClass::Sampler { v_name }),
        1 => v_name().prop_map(|v_name| DeclarationClass::Surface { v_name }),
    ];
    (
        name(),
        count(),
        class,
        vec((name().prop_map(at), attribute_value()), 0..3),
    )
        .prop_map(|(name, elements, class, attributes)| {
            Statement::Declaration(Declaration {
                name: at(name),
                elements,
                class,
                attributes,
            })
        })
}

fn directive() -> impl Strategy<Value = Statement> {
    let word = select(vec![
        "input",
        "parameter",
        "implicit_LOCAL_SIZE",
        "implicit_UNDEFINED_12",
    ]);
    let input = (word, name(), option::of(count()), option::of(count()));
    prop_oneof![
        4 => declaration(),
        1 => text().prop_map(|n| Statement::Kernel(at(n))),
        1 => text().prop_map(|n| Statement::GlobalFunction(at(n))),
        1 => text().prop_map(|n| Statement::FuncDecl(at(n))),
        1 => text().prop_map(|n| Statement::Function(at(n))),
        1 => (name(), attribute_value())
            .prop_map(|(name, value)| Statement::Attribute { name: at(name), value }),
        1 => input.prop_map(|(directive, name, offset, size)| {
            let offset = offset.filter(|_| directive != "parameter");
            Statement::Input(Input { directive: directive.to_owned(), name: at(name), offset, size })
        }),
        1 => label().prop_map(|n| Statement::Label(at(n))),
        1 => Just(Statement::OpenScope),
        1 => Just(Statement::CloseScope),
    ]
}

fn comment() -> impl Strategy<Value = Option<Spanned<String>>> {
    let line = "//[ -~→]{0,12}".prop_map(|c| c.trim_end().to_owned());
    let block = "/\\*[ -.0-~\\n]{0,12}\\*/";
    let parts = prop_oneof![
        line.clone(),
        block,
        (block, line).prop_map(|(block, line)| format!("{block} {line}")),
    ];
    option::of(parts.prop_map(at))
}

pub fn module() -> impl Strategy<Value = Module> {
    let any_row = select(OPCODES).prop_flat_map(instruction);
    let statement = option::of(prop_oneof![2 => any_row, 1 => directive()].prop_map(at));
    let line = (statement, comment()).prop_map(|(statement, comment)| Line { statement, comment });
    (0u32..4, any::<u32>(), vec(line, 0..12)).prop_map(|(major, minor, mut lines)| {
        let version = Some(at(Statement::Version { major, minor }));
        lines.insert(
            0,
            Line {
                statement: version,
                comment: None,
            },
        );
        Module {
            lines,
            ..Module::default()
        }
    })
}
