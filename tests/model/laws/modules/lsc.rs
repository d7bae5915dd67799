//! Operands of LSC messages: data, lane addresses and block addresses.

use super::*;

fn lsc_element() -> impl Strategy<Value = String> {
    select(vec![
        "d8", "d16", "d32", "d64", "d8c32", "d16c32", "d16c32h", "d8u32", "d16u32h", "u8", "u32",
        "u16c32h",
    ])
    .prop_map(str::to_owned)
}

pub fn lsc_data() -> BoxedStrategy<Operand> {
    (
        raw(),
        lsc_element(),
        1u32..64,
        any::<bool>(),
        option::of(1u8..16),
    )
        .prop_map(|(raw, element, vector, transposed, channels)| {
            let channels = channels.map(ChannelMask);
            let block = None;
            Operand::LscData(LscData {
                raw,
                element,
                vector,
                transposed,
                channels,
                block,
            })
        })
        .boxed()
}

pub fn lsc_block_data() -> BoxedStrategy<Operand> {
    (
        raw(),
        lsc_element(),
        small(),
        small(),
        small(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(raw, element, blocks, width, height, transposed, vnni)| {
            Operand::LscData(LscData {
                raw,
                element,
                vector: 1,
                transposed: false,
                channels: None,
                block: Some(LscBlock {
                    blocks,
                    width,
                    height,
                    transposed,
                    vnni,
                }),
            })
        })
        .boxed()
}

pub fn lsc_lanes() -> BoxedStrategy<Operand> {
    raw().prop_map(Operand::Raw).boxed()
}

/// The first element of a variable, a later one, or a constant.
pub fn lsc_scalar() -> BoxedStrategy<Operand> {
    let first = variable().prop_map(|var| {
        Operand::Raw(Raw {
            var: at(var),
            offset: 0,
        })
    });
    let later =
        (variable(), position(), position()).prop_map(|(var, row, column)| Operand::Origin {
            var: at(var),
            row,
            column,
        });
    prop_oneof![first, later, any::<u64>().prop_map(Operand::Number)].boxed()
}

/// A part with what is added to it; nothing is added to a constant.
pub fn lsc_part(operand: BoxedStrategy<Operand>) -> BoxedStrategy<LscPart> {
    let offset = prop_oneof![Just(0), -64i64..64, any::<i64>()];
    (operand, offset)
        .prop_map(|(operand, offset)| LscPart {
            offset: if matches!(operand, Operand::Number(_)) {
                0
            } else {
                offset
            },
            operand: at(operand),
        })
        .boxed()
}

pub fn plain(part: LscPart) -> LscPart {
    LscPart { offset: 0, ..part }
}

/// A model that names a surface, and the index after it.
pub fn lsc_stateful() -> impl Strategy<Value = (LscModel, u32)> {
    let surface = || lsc_scalar().prop_map(at);
    let model = prop_oneof![
        surface().prop_map(LscModel::Bti),
        surface().prop_map(LscModel::Ss),
        surface().prop_map(LscModel::Bss),
        surface().prop_map(LscModel::Surf),
    ];
    (model, small())
}

pub fn lsc_model() -> impl Strategy<Value = (LscModel, u32)> {
    prop_oneof![
        Just((LscModel::Flat, 0)),
        Just((LscModel::Arg, 0)),
        (lsc_scalar(), small()).prop_map(|(o, n)| (LscModel::FlatBase(at(o)), n)),
        lsc_stateful(),
    ]
}

pub fn lsc_around((model, index): (LscModel, u32), parts: Vec<LscPart>) -> LscAddress {
    LscAddress {
        model,
        index,
        scale: 1,
        parts,
        block_offset: None,
        bits: 0,
        extend: None,
    }
}

pub fn lsc_address(parts: BoxedStrategy<Vec<LscPart>>) -> BoxedStrategy<Operand> {
    let size = select(vec![
        (16u32, None),
        (32, None),
        (32, Some(Extension::Signed)),
        (32, Some(Extension::Unsigned)),
        (64, None),
    ]);
    (lsc_model(), small(), parts, size)
        .prop_map(|(model, scale, parts, (bits, extend))| {
            Operand::LscAddress(Box::new(LscAddress {
                scale,
                bits,
                extend,
                ..lsc_around(model, parts)
            }))
        })
        .boxed()
}

pub fn lsc_block_address() -> BoxedStrategy<Operand> {
    let part = || lsc_part(lsc_scalar());
    let flat = vec(part(), 6).prop_map(|mut parts| {
        for part in parts.iter_mut().take(4) {
            part.offset = 0;
        }
        lsc_around((LscModel::Flat, 0), parts)
    });
    let typed = (lsc_stateful(), vec(part(), 2)).prop_map(|(m, parts)| lsc_around(m, parts));
    let one_register = (variable(), any::<i32>(), any::<i32>()).prop_map(|(var, x, y)| {
        let operand = at(Operand::Raw(Raw {
            var: at(var),
            offset: 0,
        }));
        LscAddress {
            block_offset: Some((x, y)),
            ..lsc_around((LscModel::Flat, 0), vec![LscPart { operand, offset: 0 }])
        }
    });
    prop_oneof![flat, typed, one_register]
        .prop_map(|address| Operand::LscAddress(Box::new(address)))
        .boxed()
}
