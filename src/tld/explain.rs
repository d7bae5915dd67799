//! A fetch in words: the diagnostic of one that cannot be, and the steps of one that was.

use super::fetch::{End, Fetch, Inputs, Textures, Trap};
use super::header::Layout;
use super::instruction::{Handle, Lod, Pred, Tld};
use super::packing::{self, Param};
use super::word;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;
use std::fmt::Write;

impl Trap {
    /// What is wrong, at the statement that fetched.
    pub fn diagnostic(&self, statement: Span) -> Diagnostic {
        match self {
            Trap::Header {
                pointer,
                set,
                problems,
            } => {
                let code = match problems.iter().all(|p| p.defined) {
                    true => Code::N0820,
                    false => Code::E0821,
                };
                let label = match set {
                    true => format!("this fetches through header {pointer}"),
                    false => format!("header {pointer} was not set and is 32 zero bytes"),
                };
                let named = Diagnostic::new(code).at(statement, label);
                let all = problems
                    .iter()
                    .fold(named, |d, p| d.note(format!("header {pointer}: {p}")));
                all.see("TLD reference 4.2")
            }
            Trap::NoMemory {
                pointer,
                at,
                address,
            } => {
                let [x, y, z] = at;
                Diagnostic::new(Code::E0822)
                    .at(
                        statement,
                        format!("texel ({x}, {y}, {z}) of header {pointer}"),
                    )
                    .note(format!("its address is {address:#x}"))
                    .see("TLD reference 4.4")
            }
        }
    }
}

/// The fields of the instruction's word, one to a line.
pub fn word_fields(tld: &Tld) -> String {
    let bits = word::encode(tld);
    let mut text = format!("word {bits:#018x}\n");
    for field in word::FIELDS {
        let _ = writeln!(text, "  {}", field.line(&word::dwords(bits), 14));
    }
    text
}

/// The steps of one fetch, in the order of TLD reference 3: operands, header, level, texel, result.
pub fn steps(tld: &Tld, inputs: &Inputs, fetched: &Fetch, textures: &Textures) -> String {
    let mut text = String::new();
    let mut line = |name: &str, what: String| {
        let _ = writeln!(text, "  {name:<12}{what}");
    };
    for (param, reg) in packing::sources(tld) {
        let value = match param {
            Param::Array => format!(
                "{} of {:#x}: bits 15:0",
                inputs.array & 0xffff,
                inputs.array
            ),
            Param::S => inputs.at[0].to_string(),
            Param::T => inputs.at[1].to_string(),
            Param::R => inputs.at[2].to_string(),
            Param::Handle => format!("{:#x}", inputs.handle),
            Param::Lod => inputs.lod.to_string(),
            Param::Offsets => {
                let [u, v, w] = [0, 1, 2].map(|axis| inputs.offset(axis));
                format!("{u:+}, {v:+}, {w:+} from {:#x}", inputs.offsets)
            }
            Param::Sample => inputs.sample.to_string(),
        };
        line(&format!("{param}"), format!("{reg} = {value}"));
    }
    let from = match tld.handle {
        Handle::Bound(index) => format!("bank[{index:#x}] = {:#x}", inputs.handle),
        Handle::Bindless => "the handle".to_owned(),
    };
    line("header", format!("{} from {from}", fetched.pointer));
    if let Ok(texture) = textures.pool.texture(fetched.pointer) {
        let header = texture.header();
        let [w, h, d] = texture.extent(0);
        let layout = match header.layout {
            Layout::BlockLinear { block } => format!(
                "block-linear, blocks of {} GOBs × {} slices",
                1u32 << block.height,
                1u32 << block.depth
            ),
            Layout::Pitch { pitch } => format!("pitch {pitch:#x}"),
            Layout::Buffer => "buffer".to_owned(),
        };
        let sources = header.sources.map(|s| s.name()).join(" ");
        let types = header.types[0];
        line(
            "texture",
            format!(
                "{} {w}×{h}×{d}, {layout}, at {:#x}",
                header.texture_type, header.address
            ),
        );
        line(
            "format",
            format!("{} {types}, swizzle {sources}", header.components.name()),
        );
        if tld.lod == Lod::Given || header.view[0] > 0 {
            let [first, last] = header.view;
            line(
                "level",
                format!("view {first}…{last}, fetched {}", fetched.level),
            );
        }
    }
    let coordinates = usize::from(tld.dim.coordinates());
    let (wanted, at) = (&fetched.wanted[..coordinates], &fetched.at[..coordinates]);
    line(
        "end",
        match fetched.end {
            End::InvalidHeader => format!(
                "header pointer above MaximumIndex {}: four zeroes",
                textures.pool.maximum_index()
            ),
            End::Mismatch => format!("{} does not fit the texture: four zeroes", tld.dim),
            End::PastLevels(level) => format!("level {level} is past the last: border"),
            End::PastLayers(layer) => format!("layer {layer} is past the last: border"),
            End::Outside(axis) => {
                format!(
                    "{} = {} is outside: border",
                    ["s", "t", "r"][axis],
                    wanted[axis]
                )
            }
            End::Sparse(address) => format!("{address:#x} is sparse and not mapped: border"),
            End::Texel { address, bytes } => {
                let length = textures
                    .pool
                    .texture(fetched.pointer)
                    .map_or(0, |t| t.header().components.bytes());
                let bytes: Vec<_> = bytes[..length].iter().map(|b| format!("{b:02x}")).collect();
                let clamped = if wanted.iter().zip(at).any(|(&w, &a)| w != a as i64) {
                    format!(", clamped from {wanted:?}")
                } else {
                    String::new()
                };
                format!("texel {at:?}{clamped} at {address:#x}: {}", bytes.join(" "))
            }
        },
    );
    let words = |values: [u32; 4]| values.map(|v| format!("{v:08x}")).join(" ");
    line("R G B A", words(fetched.components));
    line("X Y Z W", words(fetched.outputs));
    for (component, reg) in packing::results(tld) {
        let value = fetched.outputs[component];
        line(
            &format!("{reg}"),
            format!("{value:#010x}  {:?}", f32::from_bits(value)),
        );
    }
    if tld.ps != Pred::PT {
        line(&format!("{}", tld.ps), fetched.sparse().to_string());
    }
    text
}
