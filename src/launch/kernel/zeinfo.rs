//! `.ze_info`: the readable description. Source: launch reference 1, third column of the table.

use super::argument::{Addressing, SamplerChoice};
use super::binary::{ArgumentInfo, Compiled, SHARED, word};
use super::description::{Compiler, SamplerSlot, SurfaceSlot};
use super::image;
use super::json::Entry;
use super::{Refused, refuse};
use crate::diagnostic::Code;
use yaml_rust2::parser::{MarkedEventReceiver, Parser};
use yaml_rust2::{Event, Yaml, YamlLoader};

/// The product family in the compatibility notes of a program.
pub fn product(notes: &[u8]) -> Option<u32> {
    let mut at = 0;
    loop {
        let (name, value) = (word(notes, at)? as usize, word(notes, at + 4)? as usize);
        let kind = word(notes, at + 8)?;
        let body = at.checked_add(12)?.checked_add(name.next_multiple_of(4))?;
        if kind == 1 && value >= 4 {
            return word(notes, body);
        }
        at = body.checked_add(value.next_multiple_of(4))?;
    }
}

fn number(map: &Yaml, key: &str) -> u32 {
    let value = map[key].as_i64().unwrap_or(0);
    u32::try_from(value).unwrap_or(0)
}

fn text<'y>(map: &'y Yaml, key: &str) -> &'y str {
    map[key].as_str().unwrap_or("")
}

fn list<'y>(map: &'y Yaml, key: &str) -> &'y [Yaml] {
    map[key].as_vec().map_or(&[], Vec::as_slice)
}

/// Reads a text that is as the compiler writes it: without references, each of which stands for a whole copy, so
/// that a few lines could fill the memory, and without lists in lists in lists, which are read one inside the
/// other. Both are found while it is read, for that takes its time.
fn documents(source: &str) -> Result<YamlLoader, String> {
    /// A description has five.
    const DEEPEST: usize = 32;
    let mut parser = Parser::new_from_str(source);
    let mut loader = YamlLoader::default();
    let (mut depth, mut documents) = (0_usize, 0);
    loop {
        let (event, mark) = parser.next_token().map_err(|error| error.to_string())?;
        match event {
            Event::StreamEnd => break,
            Event::Alias(_) => {
                let line = mark.line();
                return Err(format!("a reference to another part, line {line}"));
            }
            Event::SequenceStart(..) | Event::MappingStart(..) => depth += 1,
            Event::SequenceEnd | Event::MappingEnd => depth = depth.saturating_sub(1),
            Event::DocumentEnd => documents += 1,
            _ => {}
        }
        if depth > DEEPEST {
            let line = mark.line();
            return Err(format!(
                "more than {DEEPEST} parts in each other, line {line}"
            ));
        }
        loader.on_event(event, mark);
    }
    // The loader keeps what it does not like to itself.
    if loader.documents().len() < documents {
        YamlLoader::load_from_str(source).map_err(|error| error.to_string())?;
    }
    Ok(loader)
}

/// The text without what it says of other kernels than `kernel`: a module may describe hundreds, of which a launch runs
/// one. `None` if it does not name that kernel, or if some line is not of the few kinds that compilers write: what such
/// a line means hangs on others, so that none can go. What is left out is not looked at any further.
fn part_of(source: &str, kernel: &str) -> Option<String> {
    let (mut part, mut found, mut keeps) = (String::new(), false, true);
    let mut are_kernels = false;
    for line in source.lines() {
        if !stands_alone(line) {
            return None;
        }
        if let Some(name) = line.strip_prefix("  - name:") {
            keeps = name.trim().trim_matches('\'') == kernel;
            found |= keeps && are_kernels;
        } else if !line.starts_with("   ") {
            keeps = true;
            are_kernels = line.trim_end() == "kernels:";
        }
        if keeps {
            part.push_str(line);
            part.push('\n');
        }
    }
    found.then_some(part)
}

/// Whether a line is a document's border, or a key with at most one value that ends where the line does.
fn stands_alone(line: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-');
    // Lists that are not set in have other depths.
    if line.starts_with("- ") {
        return false;
    }
    let entry = line.trim_start_matches(' ');
    let entry = entry.strip_prefix("- ").unwrap_or(entry);
    let Some((key, value)) = entry.split_once(':') else {
        return matches!(line, "---" | "...");
    };
    let key_is_word = !key.is_empty() && key.bytes().all(is_word) && !key.starts_with('-');
    let text = value.trim_start_matches(' ');
    let apart = text.is_empty() || text.len() < value.len();
    let unquoted = || text.strip_prefix('\'')?.strip_suffix('\'');
    let listed = || text.strip_prefix('[')?.strip_suffix(']');
    let value_ends = match (unquoted(), listed()) {
        (Some(quoted), _) => !quoted.contains('\''),
        (_, Some(list)) => list.bytes().all(|b| is_word(b) || matches!(b, b',' | b' ')),
        _ => {
            let words = text.bytes().all(|b| is_word(b) || b == b' ');
            words && text != "-" && !text.starts_with("- ")
        }
    };
    key_is_word && apart && value_ends
}

/// Reads what the text says of `kernel`.
///
/// # Errors
/// `E0640`: no YAML; `E0645`: no kernel of that name; `N0640`: a way to hand over an argument that visim
/// does not have.
pub fn read(source: &str, kernel: &str) -> Result<Compiled, Refused> {
    let unreadable = |why: String| refuse(Code::E0640, format!("`.ze_info`: {why}"));
    let part = part_of(source, kernel).and_then(|part| documents(&part).ok());
    if let Some(Ok(compiled)) = part.map(|part| described(&part, kernel)) {
        return Ok(compiled);
    }
    let whole = documents(source).map_err(unreadable)?;
    described(&whole, kernel)
}

/// What a text that was read says of `kernel`.
fn described(loader: &YamlLoader, kernel: &str) -> Result<Compiled, Refused> {
    let documents = loader.documents();
    let kernels = documents.first().map_or(&[][..], |d| list(d, "kernels"));
    let Some(found) = kernels.iter().find(|k| text(k, "name") == kernel) else {
        let names = kernels.iter().map(|k| text(k, "name"));
        let names: Vec<&str> = names.filter(|n| !n.is_empty() && *n != SHARED).collect();
        let mut refused = refuse(
            Code::E0645,
            format!("the description has no kernel `{kernel}`"),
        );
        refused.notes.push(match names.is_empty() {
            true => "it describes no kernel at all".to_string(),
            false => format!("its kernels: {}", names.join(", ")),
        });
        return Err(refused);
    };
    let mut compiled = Compiled {
        name: kernel.to_string(),
        ..Compiled::default()
    };
    environment(&mut compiled, found);
    for argument in list(found, "payload_arguments") {
        payload(&mut compiled, argument)?;
    }
    for slot in list(found, "binding_table_indices") {
        let arg = SurfaceSlot::Argument(number(slot, "arg_index"));
        let surfaces = &mut compiled.facts.description.surfaces;
        surfaces.push((number(slot, "bti_value"), arg));
    }
    for sampler in list(found, "inline_samplers") {
        let choice = SamplerChoice {
            addressing: match text(sampler, "addrmode") {
                "repeat" => Addressing::Repeat,
                "clamp_edge" => Addressing::ClampToEdge,
                "clamp_border" => Addressing::Clamp,
                "mirror" => Addressing::MirroredRepeat,
                _ => Addressing::None,
            },
            linear: text(sampler, "filtermode") == "linear",
            normalized: sampler["normalized"].as_bool().unwrap_or(false),
        };
        let samplers = &mut compiled.facts.description.samplers;
        samplers.push((number(sampler, "sampler_index"), SamplerSlot::Fixed(choice)));
    }
    let all = documents
        .first()
        .map_or(&[][..], |d| list(d, "kernels_misc_info"));
    if let Some(misc) = all.iter().find(|k| text(k, "name") == kernel) {
        for argument in list(misc, "args_info") {
            let name = text(argument, "name").to_string();
            let index = number(argument, "index");
            compiled.names.insert(index, name.clone());
            // `float;4`: the type and its bytes.
            let typed = text(argument, "type_name");
            let (ty, bytes) = typed.split_once(';').unwrap_or((typed, ""));
            if !ty.is_empty() {
                compiled.types.insert(index, ty.to_string());
            }
            let word = |key: &str| text(argument, key).to_string();
            let info = ArgumentInfo {
                name,
                type_name: ty.to_string(),
                bytes: bytes.parse().unwrap_or(0),
                address_qualifier: word("address_qualifier"),
                access_qualifier: word("access_qualifier"),
                type_qualifiers: word("type_qualifiers"),
            };
            compiled.arguments.insert(index, info);
        }
    }
    compiled.attributes = attributes(&found["user_attributes"]);
    let own = list(found, "payload_arguments").iter();
    let own = own.filter_map(|a| u32::try_from(a["arg_index"].as_i64()?).ok());
    let last = own.chain(compiled.arguments.keys().copied()).max();
    compiled.argument_count = last.map_or(0, |last| last.saturating_add(1).min(MOST_ARGUMENTS));
    Ok(compiled)
}

/// Attributes as the source has them: `reqd_work_group_size(2,3,4) vec_type_hint(uchar2)`.
fn attributes(map: &Yaml) -> String {
    let word = |value: &Yaml| match value {
        Yaml::String(text) | Yaml::Real(text) => text.clone(),
        value => value.as_i64().map_or(String::new(), |n| n.to_string()),
    };
    let own = map.as_hash().into_iter().flatten();
    let own = own.filter_map(|(name, value)| {
        // What the compiler has chosen is told among them.
        let name = name
            .as_str()
            .filter(|name| *name != "intel_reqd_workgroup_walk_order")?;
        let values = match value.as_vec() {
            Some(values) => values.iter().map(word).collect::<Vec<_>>().join(","),
            None => word(value),
        };
        Some(match values.is_empty() {
            true => name.to_string(),
            false => format!("{name}({values})"),
        })
    });
    own.collect::<Vec<_>>().join(" ")
}

/// Arguments of a kernel at most: 2 KiB of values are what a card takes.
const MOST_ARGUMENTS: u32 = 2048;

/// What the kernel runs in.
fn environment(compiled: &mut Compiled, kernel: &Yaml) {
    let facts = &mut compiled.facts;
    let description = &mut facts.description;
    let environment = &kernel["execution_env"];
    description.simd = number(environment, "simd_size");
    description.slm_bytes = number(environment, "slm_size");
    facts.inline_bytes = number(environment, "inline_data_payload_size");
    let required = list(environment, "required_work_group_size");
    for (own, given) in description.required_local.iter_mut().zip(required) {
        *own = given
            .as_i64()
            .and_then(|n| u32::try_from(n).ok())
            .unwrap_or(0);
    }
    for own in list(kernel, "per_thread_payload_arguments") {
        match text(own, "arg_type") {
            "packed_local_ids" => description.compiler = Compiler::Vector,
            _ => {
                facts.local_ids = true;
                facts.local_id_bytes = number(own, "size");
            }
        }
    }
    if description.simd == 1 {
        description.compiler = Compiler::Vector;
    }
    for memory in list(kernel, "per_thread_memory_buffers") {
        let bytes = number(memory, "size");
        match text(memory, "type") {
            "scratch" => {
                description.scratch_bytes = description.scratch_bytes.saturating_add(bytes);
            }
            _ => description.private_bytes = description.private_bytes.max(bytes),
        }
    }
}

/// One entry of the payload, or an argument that is bound.
fn payload(compiled: &mut Compiled, argument: &Yaml) -> Result<(), Refused> {
    let arg = number(argument, "arg_index");
    let (offset, size) = (number(argument, "offset"), number(argument, "size"));
    let entry = |kind: &str| Entry {
        kind: kind.to_string(),
        offset,
        size,
        arg,
        dim: 0,
        source_offset: match text(argument, "arg_type") {
            "inline_sampler" => number(argument, "sampler_index"),
            _ => number(argument, "source_offset"),
        },
        alignment: number(argument, "slm_alignment"),
    };
    let description = &mut compiled.facts.description;
    if text(argument, "access_type") == "readonly" {
        description.read_only.insert(arg);
    }
    let kind = text(argument, "arg_type");
    let kind = match kind {
        "arg_bypointer" => match text(argument, "addrmode") {
            "slm" => "slm_offset",
            "stateless" => "buffer_address",
            "stateful" => {
                match text(argument, "addrspace") {
                    "sampler" => {
                        let index = number(argument, "sampler_index");
                        let slot = SamplerSlot::Argument(arg);
                        description.samplers.push((index, slot));
                    }
                    "image" => {
                        let kind = text(argument, "image_type");
                        if !kind.is_empty() {
                            description.images.insert(arg, image::described(kind));
                        }
                    }
                    _ => {}
                }
                return Ok(());
            }
            "bindless" => match text(argument, "addrspace") {
                "sampler" => "sampler_handle",
                space => {
                    let kind = text(argument, "image_type");
                    if space == "image" && !kind.is_empty() {
                        description.images.insert(arg, image::described(kind));
                    }
                    "surface_handle"
                }
            },
            other => {
                return Err(refuse(
                    Code::N0640,
                    format!("argument {arg} is passed by `{other}`, which is not modelled"),
                ));
            }
        },
        // The handle of a surface over them, beside the address.
        "const_base" if text(argument, "addrmode") == "bindless" => "const_handle",
        "global_base" if text(argument, "addrmode") == "bindless" => "global_handle",
        "sampler_address" => "sampler_address_mode",
        "global_id_offset" => "global_offset",
        "work_dimensions" => "work_dim",
        "arg_byvalue" => "arg_value",
        "private_base_stateless" => "private_base",
        "const_base" | "data_const_buffer" => "const_base",
        "global_base" | "data_global_buffer" => "global_base",
        other => other,
    };
    // The program's data are a surface too: Xe2 reference 3.2.
    let data = match kind {
        "const_base" => Some(SurfaceSlot::Constants),
        "global_base" => Some(SurfaceSlot::Globals),
        _ => None,
    };
    if let Some(slot) = data
        && argument["bti_value"].as_i64().is_some()
    {
        description
            .surfaces
            .push((number(argument, "bti_value"), slot));
    }
    for field in ["offset", "size"] {
        if argument[field].as_i64().is_none() {
            let what = format!("`.ze_info`: `{kind}` of the payload has no `{field}`");
            return Err(refuse(Code::E0640, what));
        }
    }
    let triple = matches!(
        kind,
        "global_offset" | "global_size" | "local_size" | "enqueued_local_size" | "group_count"
    );
    if !triple {
        compiled.facts.payload.push(entry(kind));
        return Ok(());
    }
    for dim in 0..(size / 4).min(3) {
        compiled.facts.payload.push(Entry {
            offset: offset.saturating_add(4 * dim),
            size: 4,
            dim: dim as usize,
            ..entry(kind)
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use std::path::{Path, PathBuf};

    /// All descriptions of a folder.
    fn descriptions(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => descriptions(&path, found),
                false if path.extension().is_some_and(|e| e == "zeinfo") => found.push(path),
                false => {}
            }
        }
    }

    #[test]
    fn a_part_says_of_its_kernel_what_the_whole_says() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut files = Vec::new();
        for folder in ["benches/kernels", "tests/corpus", "samples"] {
            descriptions(&root.join(folder), &mut files);
        }
        let (mut kernels, mut shorter) = (0, 0);
        for file in files {
            let source = std::fs::read_to_string(&file).expect("a description");
            let whole = documents(&source).expect("a description");
            for kernel in list(&whole.documents()[0], "kernels") {
                let name = text(kernel, "name");
                let part = part_of(&source, name).expect("a compiler has written it");
                let read = documents(&part).expect("part of a description");
                let said = |loader| described(loader, name).map_err(|refused| refused.message);
                let [part_says, whole_says] =
                    [&read, &whole].map(|loader| format!("{:?}", said(loader)));
                assert_eq!(part_says, whole_says, "{name} of {}", file.display());
                kernels += 1;
                shorter += usize::from(part.len() < source.len());
            }
        }
        assert!(kernels > 500 && shorter > 10, "{shorter} of {kernels}");
    }

    #[test]
    fn lines_that_hang_on_others_are_not_cut() {
        let module = |line: &str| {
            format!("kernels:\n  - name: a\n    {line}\n  - name: b\n    simd_size: 8\n")
        };
        for line in [
            "size: 16",
            "- type: [ 1, 2 ]",
            "name: 'x;4'",
            "at: -1",
            "of: two words",
        ] {
            let cut = "kernels:\n  - name: b\n    simd_size: 8\n".to_string();
            assert_eq!(part_of(&module(line), "b"), Some(cut), "{line}");
        }
        let hangs = [
            "text: |",
            "text: >-",
            "a: &b 1",
            "a: *b",
            "a: !t 1",
            "a: {b: 1}",
            "a: 'b",
            "a: \"b\"",
            "a: [ 1,",
            "word",
            "a: b # c",
            "a: - b",
            "? a",
            "\ta: b",
            "a: b: c",
            "'a': b",
            "<<: a",
            "a:b",
            "a: 'b' c'",
        ];
        for line in hangs {
            assert_eq!(part_of(&module(line), "b"), None, "{line}");
        }
        assert_eq!(part_of(&module("size: 16"), "c"), None);
        // Names in quotes, what is called like a function, and lists that are not set in.
        let quoted = "kernels:\n  - name: 'a'\n  - name: b\n";
        assert_eq!(
            part_of(quoted, "a").as_deref(),
            Some("kernels:\n  - name: 'a'\n")
        );
        assert_eq!(
            part_of("kernels:\n  - name: a\nfunctions:\n  - name: f\n", "f"),
            None
        );
        assert_eq!(part_of("kernels:\n- name: a\n  - name: b\n", "b"), None);
    }
}
