//! Patch tokens: the description inside a device program. Source: launch reference 1, second column of
//! the table.
//!
//! ```text
//!  program header, 7 dwords │ program patch list │ kernel, kernel, …
//!  kernel: header, 10 dwords │ name │ kernel, general, dynamic, surface state heaps │ patch list
//!  token: number, size (of all of it), body
//! ```

use super::argument::{Addressing, SamplerChoice};
use super::binary::{Compiled, SHARED, word};
use super::data::{DataKind, ProgramData};
use super::description::{Compiler, SamplerSlot, SurfaceSlot};
use super::image;
use super::json::Entry;
use super::{Refused, refuse};
use crate::base::order;
use crate::diagnostic::Code;
use std::collections::BTreeMap;

const PROGRAM_HEADER: usize = 28;
const KERNEL_HEADER: usize = 40;

fn short() -> Refused {
    refuse(Code::E0640, "the compiled program ends too soon")
}

/// A cursor over bytes.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, len: usize) -> Result<&'b [u8], Refused> {
        let (own, rest) = self.0.split_at_checked(len).ok_or_else(short)?;
        self.0 = rest;
        Ok(own)
    }
}

fn dword(bytes: &[u8], index: usize) -> u32 {
    word(bytes, 4 * index).unwrap_or(0)
}

/// The tokens of a list with their bodies, and for two of them the data that follows.
fn tokens(mut list: &[u8]) -> Vec<(u32, &[u8], &[u8])> {
    let mut found = Vec::new();
    while let (Some(token), Some(size)) = (word(list, 0), word(list, 4)) {
        let size = size as usize;
        if size < 8 || size > list.len() {
            break;
        }
        let (own, rest) = list.split_at(size);
        let body = &own[8..];
        // The program's constants and globals carry their bytes after the token.
        let length = match token {
            42 => dword(body, 1),
            41 => dword(body, 2),
            _ => 0,
        } as usize;
        let (data, rest) = rest.split_at(length.min(rest.len()));
        found.push((token, body, data));
        list = rest;
    }
    found
}

/// The data of a program, with the pointers in them.
///
/// # Errors
/// `E0640`: a pointer where the data have no bytes.
fn data_of(list: &[u8]) -> Result<ProgramData, Refused> {
    let mut data = ProgramData {
        relocated: true,
        ..ProgramData::default()
    };
    // Data are in front of the tokens that tell of pointers in them, but nothing says that they have to.
    for (token, _, bytes) in tokens(list) {
        match token {
            42 => data.constants = Some(bytes.to_vec()),
            41 => data.globals = Some(bytes.to_vec()),
            _ => {}
        }
    }
    for (token, body, _) in tokens(list) {
        let part = match token {
            47 => DataKind::Globals,
            48 => DataKind::Constants,
            _ => continue,
        };
        // Number of the data, 64 bits of offset; kind of the data led to, and their number.
        let target = match dword(body, 3) {
            0 => DataKind::Globals,
            _ => DataKind::Constants,
        };
        let offset = u64::from(dword(body, 1)) | u64::from(dword(body, 2)) << 32;
        data.relocate(part, offset, target.address(), None)?;
    }
    Ok(data)
}

/// Reads what a device program says of `kernel`.
///
/// # Errors
/// `E0640`: it ends too soon; `E0645`: no kernel of that name; `N0640`: as for payload entries.
pub fn read(program: &[u8], kernel: &str) -> Result<Compiled, Refused> {
    let mut bytes = Bytes(program);
    let header = bytes.take(PROGRAM_HEADER)?;
    let list = bytes.take(dword(header, 6) as usize)?;
    let data = data_of(list)?;
    let mut names = Vec::new();
    let mut found = None;
    let mut symbols = BTreeMap::new();
    for _ in 0..dword(header, 4) {
        let header = bytes.take(KERNEL_HEADER)?;
        let field = |n| dword(header, n) as usize;
        let name = bytes.take(field(3))?;
        let name = name.split(|&b| b == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        bytes.take(field(5))?;
        bytes.take(field(6))?;
        let dynamic = bytes.take(field(7))?;
        let surfaces = bytes.take(field(8))?;
        let list = bytes.take(field(4))?;
        let tables = tokens(list);
        let tables = tables.iter().filter(|(token, ..)| *token == 53);
        tables.for_each(|(_, body, _)| symbols_in(body, &mut symbols));
        if name == kernel && found.is_none() {
            let compiled = found.insert(Compiled {
                name,
                ..Compiled::default()
            });
            Kernel {
                compiled,
                dynamic,
                surfaces,
                at: BTreeMap::new(),
                samplers: BTreeMap::new(),
                table: None,
                sampler_table: (0, 0),
            }
            .read(list);
            continue;
        }
        if name != SHARED {
            names.push(name);
        }
    }
    if let Some(compiled) = found {
        return Ok(Compiled {
            data,
            symbols,
            ..compiled
        });
    }
    let mut refused = refuse(
        Code::E0645,
        format!("the compiled program has no kernel `{kernel}`"),
    );
    refused
        .notes
        .push(format!("its kernels: {}", names.join(", ")));
    Err(refused)
}

/// Bytes of an entry of the table of symbols: kind, offset, size, and room for the name.
const SYMBOL: usize = 12 + 1024;

/// The addresses of data in a table of symbols, which is with the kernel that holds functions of the program.
fn symbols_in(table: &[u8], symbols: &mut BTreeMap<String, u64>) {
    let entries = table.get(4..).unwrap_or_default().chunks_exact(SYMBOL);
    for entry in entries.take(dword(table, 0) as usize) {
        let part = match dword(entry, 0) {
            3 => DataKind::Globals,
            4 => DataKind::Constants,
            _ => continue,
        };
        let name = entry[12..].split(|&b| b == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        symbols.insert(name, part.address() + u64::from(dword(entry, 1)));
    }
}

/// One kernel while its list is read.
struct Kernel<'k> {
    compiled: &'k mut Compiled,
    dynamic: &'k [u8],
    surfaces: &'k [u8],
    /// What surface states lead to, by their offset in the heap.
    at: BTreeMap<u32, SurfaceSlot>,
    /// Arguments after sampler states, by their offset in the heap.
    samplers: BTreeMap<u32, u32>,
    /// Offset and count of the binding table.
    table: Option<(u32, u32)>,
    /// Offset and count of the sampler states.
    sampler_table: (u32, u32),
}

impl Kernel<'_> {
    fn read(&mut self, list: &[u8]) {
        for (token, body, _) in tokens(list) {
            self.token(token, body);
        }
        self.tables();
        let payload = &mut self.compiled.facts.payload;
        order::sort_by_key(payload, |e| e.offset);
    }

    fn entry(&mut self, kind: &str, offset: u32, size: u32, arg: u32) {
        self.compiled.facts.payload.push(Entry {
            kind: kind.to_string(),
            offset,
            size,
            arg,
            dim: 0,
            source_offset: 0,
            alignment: 0,
        });
    }

    fn token(&mut self, token: u32, body: &[u8]) {
        let field = |n| dword(body, n);
        let facts = &mut self.compiled.facts;
        match token {
            5 => self.sampler_table = (field(0), field(1)),
            8 => self.table = Some((field(0), field(1))),
            11 => {
                self.at.insert(field(1), SurfaceSlot::Argument(field(0)));
            }
            12 => {
                self.at.insert(field(2), SurfaceSlot::Argument(field(0)));
                if let Some(kind) = image::numbered(field(1)) {
                    let images = &mut facts.description.images;
                    images.insert(field(0), kind.to_string());
                }
            }
            15 => facts.description.slm_bytes = field(1),
            16 => {
                self.samplers.insert(field(2), field(0));
            }
            17 => self.parameter(body),
            18 | 55 => {
                let scratch = &mut facts.description.scratch_bytes;
                *scratch = scratch.saturating_add(field(1));
            }
            22 => {
                facts.local_ids = field(1) != 0 || field(2) != 0 || field(3) != 0;
                facts.unused_register = Some(field(6) != 0);
                facts.inline_bytes = if field(14) != 0 { 32 } else { 0 };
            }
            23 => {
                facts.description.required_local = [field(0), field(1), field(2)];
                facts.description.simd = field(3);
                if field(3) == 1 {
                    facts.description.compiler = Compiler::Vector;
                }
            }
            26 => self.argument_names(body),
            28 => {
                let text = body.get(8..).unwrap_or_default();
                let text = &text[..text.len().min(field(1) as usize)];
                let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
                let text = String::from_utf8_lossy(text).into_owned();
                facts.description.strings.insert(field(0), text);
            }
            30 | 31 => {
                self.entry("buffer_address", field(2), field(3), field(0));
                self.at.insert(field(1), SurfaceSlot::Argument(field(0)));
            }
            33 => {
                self.entry("printf_buffer", field(2), field(3), 0);
                self.at.insert(field(1), SurfaceSlot::Printf);
            }
            38 => {
                facts.description.private_bytes = field(3);
                self.entry("private_base", field(1), field(2), 0);
                self.at.insert(field(0), SurfaceSlot::Reserved);
            }
            43 => {
                self.entry("global_base", field(2), field(3), 0);
                self.at.insert(field(1), SurfaceSlot::Globals);
            }
            44 => {
                self.entry("const_base", field(2), field(3), 0);
                self.at.insert(field(1), SurfaceSlot::Constants);
            }
            _ => {}
        }
    }

    /// A value of the payload: type, argument, offset, size, source offset.
    fn parameter(&mut self, body: &[u8]) {
        let field = |n| dword(body, n);
        let kind = match field(0) {
            1 => "arg_value",
            2 => "local_size",
            3 => "global_size",
            4 => "group_count",
            5 => "work_dim",
            8 => "slm_offset",
            9 => "image_width",
            10 => "image_height",
            11 => "image_depth",
            12 => "image_channel_data_type",
            13 => "image_channel_order",
            14 => "sampler_address_mode",
            15 => "sampler_normalized",
            16 => "global_offset",
            18 => "image_array_size",
            20 => "image_num_samples",
            21 => "sampler_snap_wa",
            27 => "image_num_mip_levels",
            28 => "enqueued_local_size",
            39 => "image_srgb_channel_order",
            42 => "buffer_offset",
            // Whether a buffer is reached through its surface: no bytes of the payload.
            43 => return,
            _ => "parameter",
        };
        self.entry(kind, field(2), field(3), field(1));
        let source = field(4);
        if let Some(entry) = self.compiled.facts.payload.last_mut() {
            entry.dim = (source / 4) as usize;
            (entry.source_offset, entry.alignment) = (source, source);
        }
    }

    /// Five lengths, then five texts: address space, access, name, type, qualifiers.
    fn argument_names(&mut self, body: &[u8]) {
        // After the number are the lengths of five texts, then these: two qualifiers, name, type, another.
        let text = |nth: usize| {
            let skip: usize = (1..nth).map(|n| dword(body, n) as usize).sum();
            let text = body.get(24 + skip..);
            let text = text.and_then(|b| b.get(..dword(body, nth) as usize));
            let text = text
                .unwrap_or_default()
                .split(|&b| b == 0 || b == b';')
                .next();
            String::from_utf8_lossy(text.unwrap_or_default()).into_owned()
        };
        let (access, name, ty) = (text(2), text(3), text(4));
        if access.trim_start_matches('_') == "read_only" {
            let read_only = &mut self.compiled.facts.description.read_only;
            read_only.insert(dword(body, 0));
        }
        if !name.is_empty() {
            self.compiled.names.insert(dword(body, 0), name);
        }
        if !ty.is_empty() {
            self.compiled.types.insert(dword(body, 0), ty);
        }
    }

    /// The binding table and the sampler states lead to what indices lead to.
    fn tables(&mut self) {
        let description = &mut self.compiled.facts.description;
        let (start, count) = self.table.unwrap_or((0, 0));
        for index in 0..count.min(256) {
            let at = start as usize + 4 * index as usize;
            let Some(state) = word(self.surfaces, at) else {
                break;
            };
            let slot = self.at.get(&(state & !63)).copied();
            let slot = slot.unwrap_or(SurfaceSlot::Reserved);
            description.surfaces.push((index, slot));
        }
        let (start, count) = self.sampler_table;
        for index in 0..count.min(256) {
            let at = start.saturating_add(16 * index);
            let slot = match self.samplers.get(&at) {
                Some(&arg) => SamplerSlot::Argument(arg),
                None => {
                    let state = self.dynamic.get(at as usize..).unwrap_or_default();
                    SamplerSlot::Fixed(fixed(state))
                }
            };
            description.samplers.push((index, slot));
        }
    }
}

/// The choices in a sampler state of 4 dwords.
fn fixed(state: &[u8]) -> SamplerChoice {
    SamplerChoice {
        addressing: match dword(state, 3) >> 6 & 7 {
            0 => Addressing::Repeat,
            1 => Addressing::MirroredRepeat,
            4 | 6 => Addressing::Clamp,
            _ => Addressing::ClampToEdge,
        },
        linear: dword(state, 0) >> 14 & 7 == 1,
        normalized: dword(state, 3) >> 10 & 1 == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::kernel::payload::{CONSTANTS, GLOBALS};

    fn token(number: u32, body: &[u32], data: &[u8]) -> Vec<u8> {
        let size = 8 + 4 * body.len() as u32;
        let dwords = [&[number, size], body].concat();
        let dwords: Vec<u8> = dwords.iter().flat_map(|d| d.to_le_bytes()).collect();
        [&dwords, data].concat()
    }

    #[test]
    fn pointers_in_data_lead_into_data() {
        // Constants: 4 bytes, then a pointer to byte 12 of the globals; globals: a pointer to byte 4 of the constants.
        let constants = [&[7; 4][..], &12_u64.to_le_bytes()].concat();
        let globals = 4_u64.to_le_bytes();
        let list = [
            token(42, &[0, 12], &constants),
            token(41, &[0, 0, 8], &globals),
            token(48, &[0, 4, 0, 0, 0], &[]),
            token(47, &[0, 0, 0, 1, 0], &[]),
        ];
        let data = data_of(&list.concat()).expect("it reads");
        let relocated = [&[7; 4][..], &(GLOBALS + 12).to_le_bytes()].concat();
        assert_eq!(data.constants, Some(relocated));
        assert_eq!(data.globals, Some((CONSTANTS + 4).to_le_bytes().to_vec()));
        // Before the data, past their end, and without any.
        for (offset, data) in [(5, 12), (0, 7), (u32::MAX, 12)] {
            let list = [
                token(48, &[0, offset, 0, 1, 0], &[]),
                token(42, &[0, data], &constants[..data as usize]),
            ];
            let refused = data_of(&list.concat()).expect_err("no such bytes");
            assert_eq!(refused.code, Code::E0640);
        }
        assert!(data_of(&token(47, &[0, 0, 0, 0, 0], &[])).is_err());
    }

    #[test]
    fn symbols_are_data_of_a_program() {
        let entry = |kind: u32, offset: u32, name: &str| {
            let mut entry = [kind, offset, 4].map(u32::to_le_bytes).concat();
            entry.extend(name.bytes());
            entry.resize(SYMBOL, 0);
            entry
        };
        let entries = [entry(4, 16, "mp"), entry(3, 8, "acc"), entry(2, 0, "f")];
        let table = [3_u32.to_le_bytes().to_vec(), entries.concat()].concat();
        let mut symbols = BTreeMap::new();
        symbols_in(&table, &mut symbols);
        let wanted = [("acc", GLOBALS + 8), ("mp", CONSTANTS + 16)];
        let wanted = wanted.map(|(name, at)| (name.to_string(), at));
        assert_eq!(symbols, BTreeMap::from(wanted));
        // A count that is too large, and an entry cut off.
        let mut cut = BTreeMap::new();
        symbols_in(
            &[&[9, 0, 0, 0], &table[4..4 + SYMBOL + 5]].concat(),
            &mut cut,
        );
        assert_eq!(cut.len(), 1);
    }
}
