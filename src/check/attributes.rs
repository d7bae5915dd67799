//! `.kernel_attr`: the values that mean something to a run, and doubts about the rest.
//!
//! Source: vISA text reference 2.4.

use super::names::most_like;
use super::unit::UnitBuilder;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{AttributeValue, Name};
use std::collections::HashMap;

/// Attributes without a meaning for a run; `Scratch…` stands for a family of them.
const WITHOUT_MEANING: &[&str] = &[
    "ArgSize",
    "RetValSize",
    "SpillMemOffset",
    "NumGRF",
    "NoBarrier",
    "Entry",
    "Callable",
    "Caller",
    "Composable",
    "Extern",
    "AllLaneActive",
    "OutputAsmPath",
    "AsmName",
    "SepSpillPvtSS",
    "LTO_InvokeOptTarget",
    "MaxRegThreadDispatch",
];

/// Attributes with one.
const WITH_MEANING: &[&str] = &[
    "Target",
    "SimdSize",
    "SLMSize",
    "PerThreadInputSize",
    "CrossThreadInputSize",
    "NBarrierCnt",
];

/// Reads the attributes of one unit; remembers those that may be given once.
#[derive(Default)]
pub(super) struct AttributeReader {
    given: HashMap<&'static str, Span>,
}

impl AttributeReader {
    /// One `.kernel_attr` line.
    pub fn read(
        &mut self,
        builder: &mut UnitBuilder<'_>,
        name: &Spanned<Name>,
        value: Option<&AttributeValue>,
        span: Span,
    ) {
        let Some(known) = WITH_MEANING.iter().find(|k| **k == name.node) else {
            if !WITHOUT_MEANING.contains(&name.node.as_str()) && !name.node.starts_with("Scratch") {
                unknown(builder, name);
            }
            return;
        };
        if *known == "Target" {
            let fine = match value {
                Some(AttributeValue::Number(n)) => matches!(n, 0 | 1),
                Some(AttributeValue::Text(t)) => matches!(t.as_str(), "cm" | "3d"),
                None => false,
            };
            if !fine {
                builder.say(bad(name, span, "\"cm\", \"3d\", 0 or 1", "Target=\"cm\""));
            }
            return;
        }
        let number = match value {
            Some(AttributeValue::Number(n)) => u32::try_from(*n).ok(),
            _ => None,
        };
        let Some(number) = number else {
            let fix = format!("{known}=16");
            return builder.say(bad(name, span, "a number of at most 32 bits", &fix));
        };
        if matches!(*known, "SLMSize" | "NBarrierCnt") {
            if let Some(first) = self.given.get(known) {
                let d = Diagnostic::with_message(Code::E0220, format!("{known} is given twice"))
                    .at(span, "given again here")
                    .and_at(*first, "first given here")
                    .see("vISA text reference 2.4");
                return builder.say(d);
            }
            self.given.insert(known, span);
        }
        let attributes = &mut builder.unit.attributes;
        match *known {
            "SimdSize" if !matches!(number, 0 | 1 | 8 | 16 | 32) => {
                builder.say(bad(name, span, "0, 1, 8, 16 or 32", "SimdSize=16"));
            }
            // 0 is what producers write that do not dispatch lanes: the same as saying nothing.
            "SimdSize" => attributes.simd_size = (number != 0).then_some(number),
            "SLMSize" => match number.checked_mul(1024) {
                Some(bytes) => attributes.slm_bytes = bytes,
                None => builder.say(bad(name, span, "a size in KB below 4 GB", "SLMSize=64")),
            },
            "PerThreadInputSize" => attributes.per_thread_bytes = Some(number),
            "CrossThreadInputSize" => attributes.cross_thread_bytes = Some(number),
            _ => attributes.named_barriers = number,
        }
    }
}

fn bad(name: &Spanned<Name>, span: Span, wanted: &str, fix: &str) -> Diagnostic {
    Diagnostic::with_message(
        Code::E0218,
        format!("{} does not take this value", name.node),
    )
    .at(span, format!("expected {wanted}"))
    .help(format!(".kernel_attr {fix}"))
    .see("vISA text reference 2.4")
}

fn unknown(builder: &mut UnitBuilder<'_>, name: &Spanned<Name>) {
    let known = WITH_MEANING.iter().chain(WITHOUT_MEANING).copied();
    let mut d = Diagnostic::with_message(
        Code::W0219,
        format!("{} is not a known kernel attribute", name.node),
    )
    .at(name.span, "ignored")
    .see("vISA text reference 2.4");
    if let Some(close) = most_like(&name.node, known) {
        d = d.help(format!(".kernel_attr {close}"));
    }
    builder.say(d);
}
