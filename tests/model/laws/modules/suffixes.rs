//! The dotted words after a mnemonic.

use super::*;

fn words(
    all: &'static [&'static str],
    count: std::ops::Range<usize>,
) -> BoxedStrategy<Vec<String>> {
    vec(select(all).prop_map(str::to_owned), count).boxed()
}

fn word(all: &'static [&'static str]) -> BoxedStrategy<Suffix> {
    select(all).prop_map(|w| Suffix::Word(w.to_owned())).boxed()
}

/// A suffix for one slot, `None` where it may be left out and is.
pub fn suffix(slot: SuffixSlot) -> BoxedStrategy<Option<Suffix>> {
    let flag = |suffix: Suffix| option::of(Just(suffix)).boxed();
    let always = |one: BoxedStrategy<Suffix>| one.prop_map(Some).boxed();
    match slot {
        SuffixSlot::Saturate => flag(Suffix::Saturate),
        SuffixSlot::PixelNullMask => flag(Suffix::PixelNullMask),
        SuffixSlot::Cps => flag(Suffix::Cps),
        SuffixSlot::DivS => flag(Suffix::DivS),
        SuffixSlot::Mod => flag(Suffix::Mod),
        SuffixSlot::Bits16 => flag(Suffix::Bits(16)),
        SuffixSlot::Bits16Or64 => option::of(select(vec![16, 64]).prop_map(Suffix::Bits)).boxed(),
        SuffixSlot::Aligned => option::of(any::<bool>().prop_map(Suffix::Aligned)).boxed(),
        SuffixSlot::FenceFlags => option::of((1u8..64).prop_map(Suffix::FenceFlags)).boxed(),
        SuffixSlot::LscCache => option::of(
            words(&["df", "uc", "ca", "wb", "wt", "st", "cc", "ri"], 1..4)
                .prop_map(Suffix::LscCache),
        )
        .boxed(),
        SuffixSlot::LscFlags => {
            option::of(words(&["ov", "msaa"], 1..3).prop_map(Suffix::LscFlags)).boxed()
        }
        SuffixSlot::RegisterShape => always(word(&["b32", "b16v2", "b8v4"])),
        SuffixSlot::SharedFunction => always(word(&["ugm", "null", "smpl"])),
        SuffixSlot::Downscale => always(
            (
                select(vec!["hftoint4", "bftoe2m1"]),
                select(vec!["mode0", "mode3"]),
                select(vec!["rne", "srnd"]),
            )
                .prop_map(|(conversion, mode, rounding)| Suffix::Downscale {
                    conversion: conversion.to_owned(),
                    mode: mode.to_owned(),
                    rounding: rounding.to_owned(),
                })
                .boxed(),
        ),
        SuffixSlot::CallFlags => {
            option::of(words(&["uniform", "noreturn"], 1..3).prop_map(Suffix::CallFlags)).boxed()
        }
        SuffixSlot::TargetFlags => option::of(
            words(&["RTI", "A", "O", "Z", "CM", "LRTW"], 1..4).prop_map(Suffix::TargetFlags),
        )
        .boxed(),
        SuffixSlot::Condition => always(
            select(Condition::ALL)
                .prop_map(|v| Suffix::Condition(v.0))
                .boxed(),
        ),
        SuffixSlot::MediaMode => always(
            select(MediaMode::ALL)
                .prop_map(|v| Suffix::MediaMode(v.0))
                .boxed(),
        ),
        SuffixSlot::AtomicOp => always(
            select(AtomicOp::ALL)
                .prop_map(|v| Suffix::AtomicOp(v.0))
                .boxed(),
        ),
        SuffixSlot::UnormFormat => always(
            select(UnormFormat::ALL)
                .prop_map(|v| Suffix::UnormFormat(v.0))
                .boxed(),
        ),
        SuffixSlot::Channels => always(
            (1u8..16)
                .prop_map(|m| Suffix::Channels(ChannelMask(m)))
                .boxed(),
        ),
        SuffixSlot::Channel => always(
            (0u8..4)
                .prop_map(|c| Suffix::Channels(ChannelMask(1 << c)))
                .boxed(),
        ),
        SuffixSlot::ElementBytes => always(small().prop_map(Suffix::ElementBytes).boxed()),
        SuffixSlot::Blocks => always(
            (small(), small())
                .prop_map(|(bytes, count)| Suffix::Blocks { bytes, count })
                .boxed(),
        ),
        SuffixSlot::BooleanFunction => {
            always(any::<u8>().prop_map(Suffix::BooleanFunction).boxed())
        }
        SuffixSlot::Systolic => {
            let precision = || select(vec!["u2", "s8", "bf", "tf32"]).prop_map(str::to_owned);
            let all = (precision(), precision(), small(), 1u32..=8);
            always(
                all.prop_map(|(a, b, depth, rows)| Suffix::Systolic { a, b, depth, rows })
                    .boxed(),
            )
        }
        SuffixSlot::SendSizes => always(vec(small(), 3..=4).prop_map(Suffix::SendSizes).boxed()),
        SuffixSlot::LscFunction => always(
            select(vec![
                LscFunction::Ugm,
                LscFunction::Ugml,
                LscFunction::Slm,
                LscFunction::Tgm,
            ])
            .prop_map(Suffix::LscFunction)
            .boxed(),
        ),
        SuffixSlot::LscFence => always(
            (
                select(vec!["none", "evict", "flushl3"]),
                select(vec!["group", "gpu", "sysrel"]),
            )
                .prop_map(|(op, scope)| Suffix::LscFence {
                    op: op.to_owned(),
                    scope: scope.to_owned(),
                })
                .boxed(),
        ),
    }
}
