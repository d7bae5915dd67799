//! Whether the platform has an instruction (a column of [`crate::isa::OPCODES`]), and has it for these types.
//!
//! Source: vISA text reference 5.14 and 7.8; lowering reference 4 and 18.

use super::rules::{Context, Found};
use crate::diagnostic::Code;
use crate::isa::availability::{NOT_ON_IRONLAKE, who_has, who_to_ask};
use crate::isa::{Family, Opcode, Platform, Type};
use crate::syntax::ast::Suffix;

const SECTION: &str = "vISA text reference 5.14, \"Platform floor\"";

/// Whether a platform has what is asked for.
type Has<'a> = dyn Fn(Platform) -> bool + 'a;

/// Whether the platform has the instruction, and has it for these types.
pub(super) fn availability(cx: &Context<'_>, found: &mut Found<'_>) {
    let opcode = cx.opcode();
    let row = opcode.info().availability;
    if cx.allow_removed && row.was_lost_on(cx.platform) {
        let d = cx
            .complaint(Code::W0434, format!("{} has lost {opcode}", cx.platform))
            .at(cx.mnemonic(), who_has(|p| row.on(p)))
            .note("it runs here as on the last platform that has it; the hardware would not")
            .see(SECTION);
        return found.push(d);
    }
    if !row.on(cx.platform) {
        return missing(
            cx,
            found,
            &opcode.to_string(),
            &|p| row.on(p),
            row.instead(cx.platform),
        );
    }
    if cx.platform.is_gen5() {
        ironlake(cx, found);
    }
    if opcode == Opcode::Srnd {
        let d = cx
            .complaint(Code::E0428, format!("{} has no srnd", cx.platform))
            .at(
                cx.mnemonic(),
                "later parts than pvc have it, none of which visim models",
            )
            .help("add the random bits, then and, shr and mov")
            .see("vISA text reference 5.1");
        return found.push(d);
    }
    let ty = |index: usize| cx.operand(index).and_then(|o| cx.type_of(&o.node));
    let (dst, src) = (ty(0), ty(1));
    let integer = dst.is_some_and(|t| t.is_integer());
    let quad = [dst, src]
        .iter()
        .any(|t| matches!(t, Some(Type::Uq | Type::Q)));
    let needed: Option<(String, &Has<'_>, &str)> = match opcode {
        Opcode::Divm | Opcode::Sqrtm => Some((
            opcode.to_string(),
            &|p| p.ieee_macros,
            "div and sqrt with a correction step",
        )),
        Opcode::Inv | Opcode::Div | Opcode::Sqrt if dst == Some(Type::Df) => Some((
            format!("{opcode} of df"),
            &|p| p.ieee_macros,
            "f, or an iteration of mad",
        )),
        Opcode::Div | Opcode::Mod if integer => Some((
            format!("{opcode} of integers"),
            &|p| p.integer_divide,
            "inv and a correction step",
        )),
        Opcode::Rol | Opcode::Ror if quad => Some((
            format!("{opcode} of 64 bits"),
            &|p| p.int64 && Opcode::Rol.info().availability.on(p),
            "shl, shr and or",
        )),
        _ => None,
    };
    if let Some((what, has, instead)) = needed {
        if !has(cx.platform) {
            missing(cx, found, &what, has, instead);
        }
        return;
    }
    match opcode {
        Opcode::Shl | Opcode::Shr | Opcode::Sel | Opcode::Mul if quad && !cx.platform.int64 => {
            let d = cx
                .complaint(
                    Code::W0429,
                    format!("{} has no 64-bit {opcode}", cx.platform),
                )
                .at(cx.mnemonic(), "64-bit integers")
                .note("it is not documented, Intel's checker accepts it; visim computes it")
                .help("two 32-bit steps")
                .see(SECTION);
            found.push(d);
        }
        _ if opcode.info().family == Family::Sampler3d
            && !cx.platform.has_sampler
            && !found.remarked.no_sampler =>
        {
            found.remarked.no_sampler = true;
            let before = Platform::ALL.iter().take_while(|p| **p != cx.platform);
            let other = before.filter(|p| p.has_sampler).last().copied();
            let d = cx
                .complaint(Code::W0430, format!("{} has no sampler", cx.platform))
                .at(cx.mnemonic(), "a sampler message")
                .note("Intel's finalizer still encodes it, with 64-byte registers; visim runs it like that")
                .help(format!("--platform {}", other.unwrap_or_default()))
                .see(SECTION);
            found.push(d);
        }
        _ => {}
    }
}

fn missing(cx: &Context<'_>, found: &mut Found<'_>, what: &str, has: &Has<'_>, instead: &str) {
    let title = format!("{} has no {what}", cx.platform);
    // Intel's finalizer makes an ordinary sample of these (lowering reference 4).
    let d = match cx.opcode() {
        Opcode::Sample4Po | Opcode::Sample4PoC => cx.page_rule(Code::E0428, title),
        _ => cx.complaint(Code::E0428, title),
    };
    let d = d.at(cx.mnemonic(), who_has(has));
    let d = match instead {
        "" => d,
        instead => d.note(format!("elsewhere: {instead}")),
    };
    let see = match cx.platform.is_gen5() {
        true => cx.instruction.opcode.info().family.on_ironlake(),
        false => SECTION,
    };
    let lost = cx.opcode().info().availability.was_lost_on(cx.platform);
    let d = match who_to_ask(has) {
        Some(platform) if lost => d.help(format!(
            "--platform {platform}, or --allow-removed to run it all the same"
        )),
        Some(platform) => d.help(format!("--platform {platform}")),
        None => d,
    };
    found.push(d.see(see));
}

/// Forms of instructions that Ironlake has in others: messages of bytes and words, masks of null pixels, more
/// than colours and depth in a render target write. Source: lowering reference 18.3, 18.5, 18.6.
fn ironlake(cx: &Context<'_>, found: &mut Found<'_>) {
    let later: &Has<'_> = &|p| !p.is_gen5();
    let bytes = cx.instruction.suffix(|s| match s {
        Suffix::ElementBytes(bytes) => Some(*bytes),
        _ => None,
    });
    let opcode = cx.opcode();
    match opcode {
        Opcode::Gather | Opcode::Scatter if bytes.is_some_and(|bytes| bytes != 4) => {
            let what = format!("{opcode} of bytes and words");
            missing(cx, found, &what, later, &format!("{opcode}.4"));
        }
        _ if cx.instruction.has(&Suffix::PixelNullMask) => {
            missing(cx, found, "pixel null mask", later, "");
        }
        Opcode::RtWrite3d => {
            let flags = cx.instruction.suffix(|s| match s {
                Suffix::TargetFlags(flags) => Some(flags.clone()),
                _ => None,
            });
            let flags = flags.unwrap_or_default();
            let absent = |row: &&(&str, &str)| flags.iter().any(|flag| *flag == *row.0);
            if let Some((flag, what)) = NOT_ON_IRONLAKE.iter().find(absent) {
                let what = format!("{what} in a render target write (<{flag}>)");
                missing(cx, found, &what, later, "");
            }
        }
        _ => {}
    }
}
