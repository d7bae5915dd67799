//! Lowered messages as JSON: the schema of the lowering corpus.
//!
//! Source: README of the lowering corpus.

use super::value::Value;
use super::{Context, Destination, Flow, Lowered, Send, messages};
use crate::check::{Step, Unit};
use crate::diagnostic::Diagnostic;
use crate::isa::Platform;
use crate::message::extended::extended_layout;
use crate::message::fields::extended_gen11;
use crate::source::Source;
use serde_json::{Map, Value as Json, json};

/// Lowers a whole unit and prints it as the corpus does: statements without sends are left out.
/// The second result is everything the lowering had to say.
pub fn unit(
    unit: &Unit,
    source: &Source,
    platform: Platform,
    release: super::Release,
) -> (Json, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let mut flow = Flow::new(unit);
    let mut context = Context::new(release);
    let mut instructions = Vec::new();
    for (index, step) in unit.steps.iter().enumerate() {
        match step {
            // A function and the label of its name are one step, and count as one.
            Step::Function(_) => {
                context.enter();
                context.forget();
            }
            Step::Label(_) => context.forget(),
            Step::Instruction(i) => match messages(unit, &i.node, &context, platform) {
                Ok(lowered) => {
                    context.observe(unit, &i.node, platform);
                    if !lowered.sends.is_empty() || !lowered.native.is_empty() {
                        let text = statement(source, i.span.start);
                        instructions
                            .push(instruction(&lowered, &flow, unit, index, &text, platform));
                        flow.apply(&lowered);
                    }
                    diagnostics.extend(lowered.warnings);
                }
                Err(diagnostic) => diagnostics.push(*diagnostic),
            },
        }
    }
    let json = json!({
        "file": source.name(),
        "grf_bytes": platform.grf_bytes(),
        "instructions": instructions,
        "platform": platform.finalizer,
        "status": "ok",
    });
    (json, diagnostics)
}

/// The line without its comment, blanks folded.
fn statement(source: &Source, at: u32) -> String {
    let line = source.line_text(source.line_of(at));
    let line = line.split("//").next().unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One instruction.
fn instruction(
    lowered: &Lowered,
    flow: &Flow,
    unit: &Unit,
    index: usize,
    text: &str,
    platform: Platform,
) -> Json {
    let sends: Vec<Json> = lowered
        .sends
        .iter()
        .enumerate()
        .map(|(i, s)| send(s, flow.next_send() + i, flow, unit, platform))
        .collect();
    let writes: serde_json::Map<String, Json> = flow
        .writes(lowered)
        .into_iter()
        .map(|(var, runs)| (unit.variable(var).name.clone(), json!(runs)))
        .collect();
    let mut fields = json!({
        "visa_index": index,
        "visa": text,
        "sends": sends,
        "writes": writes,
    });
    // As in the corpus only where there are some.
    if let (false, Some(fields)) = (lowered.native.is_empty(), fields.as_object_mut()) {
        fields.insert("native".into(), json!(lowered.native));
    }
    fields
}

/// JSON as the corpus is written: keys in order, small values on one line.
pub fn pretty(value: &Json, indent: usize) -> String {
    let one = flat(value);
    if one.len() + indent <= WIDTH {
        return one;
    }
    let pad = " ".repeat(indent + 1);
    let close = " ".repeat(indent);
    let block = |open: char, items: Vec<String>, end: char| {
        format!("{open}\n{}\n{close}{end}", items.join(",\n"))
    };
    match value {
        Json::Object(fields) => {
            let fields = in_order(fields);
            let item = |(key, value): (&String, &Json)| {
                format!("{pad}{}: {}", json!(key), pretty(value, indent + 1))
            };
            block('{', fields.into_iter().map(item).collect(), '}')
        }
        Json::Array(items) => {
            let item = |value| format!("{pad}{}", pretty(value, indent + 1));
            block('[', items.iter().map(item).collect(), ']')
        }
        _ => one,
    }
}

/// Columns of a line.
const WIDTH: usize = 100;

/// The fields of an object by name.
fn in_order(fields: &Map<String, Json>) -> Vec<(&String, &Json)> {
    let mut fields: Vec<_> = fields.iter().collect();
    fields.sort_by_key(|(key, _)| *key);
    fields
}

fn flat(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let fields = in_order(fields);
            let item = |(key, value): (&String, &Json)| format!("{}: {}", json!(key), flat(value));
            let items: Vec<String> = fields.into_iter().map(item).collect();
            format!("{{{}}}", items.join(", "))
        }
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(flat).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// Bits of an extended descriptor that an instruction of Gen9 and Gen11 has no room for.
const NO_ROOM: u32 = 0xfc00;

/// One send.
pub fn send(send: &Send, id: usize, flow: &Flow, unit: &Unit, platform: Platform) -> Json {
    let hex = |value: u32| format!("0x{value:08X}");
    let number = |value: &Value| value.constant().map(hex);
    let expression = |value: &Value| match value {
        Value::Const(_) => None,
        other => Some(flow.text(other)),
    };
    // Bits that the instruction has no room for make a constant go through a register, as the finalizer was
    // seen to do; later parts' instruction tells of that.
    let fields = extended_layout(platform).fields;
    let named = !fields.contains(&extended_gen11::SFID);
    let through_register = |value: u32| match platform.split_send && !named {
        true => value & NO_ROOM != 0,
        false => send.options.contains(&"ExBSO"),
    };
    let ex_desc_expr = match send.ex_desc.constant() {
        Some(value) => through_register(value).then(|| "a0.2".into()),
        None => expression(&send.ex_desc),
    };
    // A descriptor wholly in a register leaves its fields, and so the payload, unknown; later parts have
    // the function in the mnemonic all the same, then the second length in the instruction too. Source: lowering reference 17.
    let known = send.desc.constant_part().is_some();
    let extended = send.ex_desc.constant_part().is_some() || platform.lsc.is_some();
    let counted = |on: bool, value: u32| on.then_some(value);
    let named = extended || named;
    let [first, second] = send.counted();
    let payload: Vec<String> = [("src0", first, known), ("src1", second, known && extended)]
        .into_iter()
        .filter(|(_, _, known)| *known)
        .map(|(part, registers, _)| (part, registers))
        .flat_map(|(part, registers)| {
            registers
                .iter()
                .map(move |r| format!("{part}: {}", flow.register(r)))
        })
        .collect();
    let header = send
        .header_present
        .then(|| send.header.iter().map(|v| flow.text(v)).collect::<Vec<_>>());
    let destination = match send.destination {
        // A message of the load/store pipe prints its own name, and a store no destination.
        Destination::Null => {
            let stores = send.mnemonic_is_own() && !send.mnemonic.starts_with("atomic");
            (!stores).then(|| "null".into())
        }
        _ if !known || send.response_length == 0 => None,
        Destination::Variable(var, offset) => Some(format!("{}+{offset}", unit.variable(var).name)),
        Destination::Temporary => Some("temp".into()),
    };
    let mut options = send.options.clone();
    options.extend(send.eot.then_some("EOT"));
    let mut fields = json!({
        // The corpus has the disassembler's own words here, which follow no rule that is stated.
        "comment": "",
        "desc": number(&send.desc),
        "desc_expr": expression(&send.desc),
        "desc_fixed_bits": send.desc.constant_part().map(hex),
        "dst": destination,
        "eot": send.eot,
        "ex_desc": number(&send.ex_desc),
        "ex_desc_expr": ex_desc_expr,
        "ex_message_length": counted(extended, send.extended_length),
        "exec_size": send.exec.size,
        "header": header,
        "header_present": send.header_present,
        "id": format!("S{id}"),
        "lsc": send.sfid.is_lsc(),
        "mask_offset": format!("M{}", send.exec.offset),
        "message_length": counted(known, send.message_length),
        "mnemonic": send.mnemonic,
        "no_mask": send.exec.no_mask,
        "options": options.join(","),
        "payload": payload,
        "predicate": send.guard(unit, platform),
        "response_length": counted(known, send.response_length),
        "sfid": named.then(|| send.sfid.name()),
        "sfid_num": named.then(|| send.sfid.number(platform)),
    });
    let Some(rest) = fields.as_object_mut() else {
        return fields;
    };
    if send.gathers {
        rest.insert("gather".into(), true.into());
    }
    if platform.dialect.state_addresses() {
        // One descriptor of 47 bits.
        let word = |value: &Value| u64::from(value.constant().unwrap_or(0));
        let desc = json!(format!(
            "0x{:012X}",
            word(&send.ex_desc) << 32 | word(&send.desc)
        ));
        rest.insert("desc".into(), desc.clone());
        rest.insert("desc_fixed_bits".into(), desc);
        rest.insert("ex_desc".into(), Json::Null);
        let indirect: Vec<String> = send.indirect.iter().map(|v| flow.text(v)).collect();
        rest.insert("indirect".into(), json!(indirect));
    }
    fields
}
