//! Mistakes in `launch.json` that its types do not show: fields that are not there, values that cannot be. The schema
//! is in `grammar/launch.schema.json`.

use super::json::Launch;
use super::{Refused, refuse};
use crate::diagnostic::{Code, counted, nearest};
use serde_json::Value;
use std::collections::BTreeSet;

/// Fields of an object, and what it is.
type Fields = [&'static str];

const LAUNCH: &Fields = &[
    "name",
    "kernel",
    "work_dim",
    "global_size",
    "local_size",
    "global_offset",
    "partial_groups",
    "args",
    "outputs",
    "form_only",
    "devices",
    "launches",
];

const ARGUMENT: &Fields = &[
    "kind",
    "name",
    "access",
    "input",
    "hex",
    "values",
    "bytes",
    "size",
    "image",
    "addressing",
    "filter",
    "normalized",
];

const IMAGE: &Fields = &[
    "type", "order", "channel", "width", "height", "depth", "layers",
];

const OUTPUT: &Fields = &["arg", "file", "values", "ignore", "dtype", "compare"];

const COMPARE: &Fields = &["mode", "max", "abs", "rel", "reason"];

const DEVICE: &Fields = &[
    "visaasm",
    "functions",
    "compiler",
    "simd",
    "slm_bytes",
    "private_bytes_per_work_item",
    "scratch_bytes_per_thread",
    "scratch_slot1_bytes_per_thread",
    "required_work_group_size",
    "local_ids",
    "cross_thread_base",
    "payload_correction",
    "payload",
    "surfaces",
    "samplers",
    "const_data",
    "global_data",
];

const ENTRY: &Fields = &[
    "kind",
    "offset",
    "size",
    "arg",
    "dim",
    "source_offset",
    "alignment",
];

const SURFACE: &Fields = &["bti", "kind", "arg", "image_type"];

const SAMPLER: &Fields = &["index", "arg", "inline"];

/// Kinds of payload entries.
pub(super) const PAYLOAD: &[&str] = &[
    "global_offset",
    "global_size",
    "local_size",
    "enqueued_local_size",
    "group_count",
    "work_dim",
    "arg_value",
    "buffer_address",
    "buffer_offset",
    "slm_offset",
    "image_width",
    "image_height",
    "image_depth",
    "image_array_size",
    "image_channel_data_type",
    "image_channel_order",
    "image_srgb_channel_order",
    "image_num_mip_levels",
    "image_num_samples",
    "sampler_snap_wa",
    "sampler_normalized",
    "sampler_address_mode",
    "const_base",
    "global_base",
    "private_base",
    "printf_buffer",
    "surface_handle",
    "const_handle",
    "global_handle",
    "sampler_handle",
    "inline_sampler",
    "indirect_data_pointer",
    "scratch_pointer",
];

/// Fields that are not known are ignored, unless they look like one that is not there.
///
/// # Errors
/// `E0640`: one does.
pub(super) fn fields(launch: &Value) -> Result<(), Refused> {
    object(launch, LAUNCH, "a launch")?;
    let mut names = BTreeSet::new();
    for (name, own) in launches(launch) {
        if own.get("launches").is_some() {
            return Err(refuse(
                Code::E0640,
                format!("launch `{name}` has launches of its own"),
            ));
        }
        fields(own)?;
        if !names.insert(name.clone()) {
            return Err(refuse(
                Code::E0763,
                format!("two launches are called `{name}`"),
            ));
        }
    }
    for (number, arg) in list(launch, "args") {
        object(arg, ARGUMENT, &format!("argument {number}"))?;
        object(
            &arg["image"],
            IMAGE,
            &format!("the image of argument {number}"),
        )?;
    }
    for (number, output) in list(launch, "outputs") {
        object(output, OUTPUT, &format!("output {number}"))?;
        object(
            &output["compare"],
            COMPARE,
            &format!("`compare` of output {number}"),
        )?;
    }
    for (name, device) in launch["devices"].as_object().into_iter().flatten() {
        object(device, DEVICE, &format!("device {name}"))?;
        let parts = [
            ("payload", ENTRY),
            ("surfaces", SURFACE),
            ("samplers", SAMPLER),
        ];
        for (part, known) in parts {
            for (number, entry) in list(device, part) {
                object(entry, known, &format!("`{part}` {number} of device {name}"))?;
            }
        }
    }
    Ok(())
}

/// The launches of a file with several, with their names: a number where there is no other.
pub(super) fn launches(file: &Value) -> Vec<(String, &Value)> {
    let name = |(number, own): (usize, &Value)| {
        let given = own["name"].as_str().map(str::to_string);
        given.unwrap_or_else(|| number.to_string())
    };
    let all = list(file, "launches");
    all.map(|(number, own)| (name((number, own)), own))
        .collect()
}

/// Puts the fields of the launch called `name` in place of those of the file; whether the file has several.
///
/// # Errors
/// `E0763`: no launch of this name, or several and none is named.
pub(super) fn named(file: &mut Value, name: Option<&str>) -> Result<bool, Refused> {
    let all = launches(file);
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let refuse = |what: String| {
        let mut refused = refuse(Code::E0763, what);
        refused
            .notes
            .push(format!("its launches: {}", names.join(", ")));
        refused.help = names
            .first()
            .map(|first| format!("--launch FILE.json::{first}"));
        refused
    };
    let own = match (name, &all[..]) {
        (None, []) => return Ok(false),
        (Some(name), []) => {
            return Err(refuse(format!(
                "the description is one launch, not several with one called `{name}`"
            )));
        }
        (None, [(_, one)]) => *one,
        (None, _) => return Err(refuse("the description has several launches".to_string())),
        (Some(name), all) => match all.iter().find(|(own, _)| own == name) {
            Some((_, own)) => *own,
            None => return Err(refuse(format!("the description has no launch `{name}`"))),
        },
    };
    let own = own.as_object().cloned().unwrap_or_default();
    if let Some(fields) = file.as_object_mut() {
        fields.remove("launches");
        fields.extend(own);
    }
    Ok(true)
}

/// The elements of a list, with their numbers.
fn list<'v>(of: &'v Value, name: &str) -> impl Iterator<Item = (usize, &'v Value)> {
    of[name].as_array().into_iter().flatten().enumerate()
}

/// An object, or nothing, has no field that looks like one that is not there.
fn object(value: &Value, known: &Fields, what: &str) -> Result<(), Refused> {
    if !value.is_object() && !value.is_null() {
        let what = format!("launch description: {what} is an object, `{{ … }}`");
        return Err(refuse(Code::E0640, what));
    }
    let keys = value.as_object().into_iter().flat_map(|o| o.keys());
    for key in keys.filter(|key| !known.contains(&key.as_str())) {
        let absent = known.iter().filter(|field| value.get(field).is_none());
        if let Some(meant) = nearest(key, absent.copied()) {
            let what = format!("`{key}` is not a field of {what}");
            let mut refused = refuse(Code::E0640, what);
            refused.help = Some(format!("did you mean `{meant}`?"));
            return Err(refused);
        }
    }
    Ok(())
}

/// What types alone do not say of the fields.
///
/// # Errors
/// `E0640`: a size, a number or an output that cannot be.
pub(super) fn values(launch: &Launch) -> Result<(), Refused> {
    let wrong = |what: String| Err(refuse(Code::E0640, what));
    let sizes = [
        ("global_size", &launch.global_size),
        ("local_size", &launch.local_size),
        ("global_offset", &launch.global_offset),
    ];
    for (name, size) in sizes {
        if size.len() > 3 {
            return wrong(format!("`{name}` has {} elements, at most 3", size.len()));
        }
    }
    if let Some(work_dim) = launch.work_dim
        && !(1..=3).contains(&work_dim)
    {
        return wrong(format!("`work_dim` is {work_dim}: 1, 2 or 3"));
    }
    for (number, output) in launch.outputs.iter().enumerate() {
        let Some(arg) = launch.args.get(output.arg) else {
            let given = format!("`arg` of output {number} is {}", output.arg);
            let all = counted(launch.args.len(), "argument");
            return wrong(format!("{given}, but the launch has {all}"));
        };
        if matches!(arg.kind.as_str(), "sampler" | "local" | "value") {
            let (own, kind) = (output.arg, &arg.kind);
            return wrong(format!(
                "output {number}: argument {own} is of kind {kind}; only buffers and images are outputs"
            ));
        }
        if let Err(what) = output.readable() {
            return wrong(format!("output {number}: {what}"));
        }
    }
    Ok(())
}
