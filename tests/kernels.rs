//! Whole kernels as a compiler printed them: launched, and their output buffers compared.
//!
//! Each folder has the text for several devices, a `launch.json` that says what every input register
//! holds, the memory before and the memory expected afterwards. One test for each kernel and device;
//! one that reaches something not modelled counts as ignored, with the instruction named.

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use visim::check::{CheckOptions, Checked, check};
use visim::diagnostic::{Class, Diagnostic};
use visim::isa::Platform;
use visim::launch::{
    self, Bindings, FlatRange, Grid, Keep, RunOptions, Silent, ThreadId, ThreadStart,
};
use visim::lower::{LowerOptions, lower};
use visim::source::Source;
use visim::surface::{Description, Format, Memory, Surface};
use visim::syntax::{ParseOptions, parse};

/// Where the cases lie; another folder may be named by the environment.
fn folder() -> PathBuf {
    std::env::var_os("VISIM_KERNELS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/kernels"),
        PathBuf::from,
    )
}

fn main() {
    let mut trials = Vec::new();
    let mut folders: Vec<PathBuf> = fs::read_dir(folder())
        .map(|entries| entries.filter_map(|e| Some(e.ok()?.path())).collect())
        .unwrap_or_default();
    folders.sort();
    for case in folders {
        let Ok(text) = fs::read_to_string(case.join("launch.json")) else {
            continue;
        };
        let description: Value = serde_json::from_str(&text).expect("launch.json is JSON");
        let Some(devices) = description["devices"].as_object() else {
            continue;
        };
        for device in devices.keys() {
            let name = format!("{}.{device}", description["name"].as_str().unwrap_or("?"));
            let (case, description, device) = (case.clone(), description.clone(), device.clone());
            trials.push(Trial::test(name, move || {
                Case {
                    case: &case,
                    all: &description,
                    device: &device,
                }
                .run()
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// One kernel on one device.
struct Case<'a> {
    case: &'a Path,
    all: &'a Value,
    device: &'a str,
}

/// The memory of an argument.
enum Argument {
    Buffer(Arc<Memory>),
    Image(Arc<Surface>, Tight),
    None,
}

/// How an image's bytes lie in its file: no padding anywhere.
#[derive(Clone, Copy)]
struct Tight {
    row_bytes: usize,
    rows: u32,
    slices: u32,
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Why a case did not come to its end.
struct Stopped {
    class: Class,
    message: String,
    rendered: String,
}

impl Stopped {
    fn by(diagnostic: &Diagnostic, text: &str, name: &str) -> Stopped {
        Stopped {
            class: diagnostic.class(),
            message: diagnostic.message.clone(),
            rendered: visim::diagnostic::render(diagnostic, &Source::new(name, text), false),
        }
    }
}

impl<E: ToString> From<E> for Stopped {
    fn from(error: E) -> Stopped {
        Stopped {
            class: Class::Error,
            message: error.to_string(),
            rendered: error.to_string(),
        }
    }
}

fn first(diagnostics: &[Diagnostic], text: &str, name: &str) -> Option<Stopped> {
    let fatal = diagnostics.iter().find(|d| d.class().is_fatal())?;
    Some(Stopped::by(fatal, text, name))
}

const BUFFERS: u64 = 0x10_0000_0000;
const STEP: u64 = 0x1000_0000;
const PRIVATE: u64 = 0x90_0000_0000;
const CONSTANT: u64 = 0xa0_0000_0000;
const PRIVATE_BYTES: usize = 1 << 20;

impl Case<'_> {
    fn device(&self) -> &Value {
        &self.all["devices"][self.device]
    }

    fn platform(&self) -> Platform {
        Platform::from_name(self.device).expect("a platform")
    }

    fn checked(&self, file: &str) -> Result<(Checked, String), Stopped> {
        let text = fs::read_to_string(self.case.join(file))?;
        let platform = self.platform();
        let grf_bytes = platform.grf_bytes();
        let source = Source::new(file, text.clone());
        let parsed = parse(&source, &ParseOptions { grf_bytes });
        if let Some(failed) = first(&parsed.diagnostics, &text, file) {
            return Err(failed);
        }
        let (checked, said) = check(
            &parsed.module,
            &CheckOptions {
                platform,
                finalizer: true,
            },
        );
        match first(&said, &text, file) {
            Some(failed) => Err(failed),
            None => Ok((checked, text)),
        }
    }

    /// Runs the case; what visim does not model is named and passes, unless `VISIM_STRICT` is set.
    fn run(&self) -> Result<(), Failed> {
        let outcome = self.outcome();
        if let Err(Stopped {
            class: Class::Unsupported,
            message,
            ..
        }) = &outcome
            && std::env::var_os("VISIM_STRICT").is_none()
        {
            println!("not modelled: {}: {message}", self.case.display());
            return Ok(());
        }
        Ok(outcome.map_err(|stopped| stopped.rendered)?)
    }

    fn outcome(&self) -> Result<(), Stopped> {
        let device = self.device();
        let main = device["visaasm"].as_str().unwrap_or_default();
        let (checked, text) = self.checked(main)?;
        let functions = device["functions"].as_object().into_iter().flatten();
        let libraries = functions
            .map(|(_, file)| Ok(self.checked(file.as_str().unwrap_or_default())?.0))
            .collect::<Result<Vec<_>, Stopped>>()?;
        let libraries: Vec<&Checked> = libraries.iter().collect();
        let options = LowerOptions {
            libraries: &libraries,
            ..LowerOptions::default()
        };
        let program = match lower(&checked, "", &options) {
            Ok(program) => program,
            Err(said) => return Err(first(&said, &text, main).expect("a reason")),
        };
        if self.all["form_only"].as_bool() == Some(true) {
            return Ok(());
        }
        let arguments = self.arguments()?;
        let bindings = self.bindings(&arguments)?;
        let local = self.triple("local_size");
        let global = self.triple("global_size");
        let groups = std::array::from_fn(|i| global[i].div_ceil(local[i]));
        let vector = device["compiler"] == "vector";
        let lanes = if vector {
            1
        } else {
            number(&device["simd"]) as u32
        };
        let size: u32 = local.iter().product();
        let payload = |id: ThreadId| self.start(id, local, lanes, vector);
        let grid = Grid::compute(groups, size.div_ceil(lanes)).with_payload(&payload);
        let options = RunOptions {
            keep: Keep::None,
            slm_bytes: 1 << 16,
            ..RunOptions::default()
        };
        if let Err(trap) = launch::run(&program, &bindings, &grid, &options, |_| Silent) {
            return Err(Stopped::by(&trap.diagnostic, &text, main));
        }
        for output in self.all["outputs"].as_array().into_iter().flatten() {
            let index = number(&output["arg"]) as usize;
            let expected = fs::read(self.case.join(output["file"].as_str().unwrap_or_default()))?;
            let got = match &arguments[index] {
                Argument::Buffer(memory) => memory.to_vec(),
                Argument::Image(surface, tight) => rows(surface, *tight),
                Argument::None => Vec::new(),
            };
            compare(output, &expected, &got).map_err(|e| format!("argument {index}: {e}"))?;
        }
        Ok(())
    }

    fn triple(&self, key: &str) -> [u32; 3] {
        std::array::from_fn(|i| {
            (number(&self.all[key][i]) as u32).max(u32::from(key != "global_offset"))
        })
    }

    fn arguments(&self) -> Result<Vec<Argument>, Stopped> {
        let all = self.all["args"].as_array().into_iter().flatten();
        all.map(|argument| {
            let Some(file) = argument["input"].as_str() else {
                return Ok(Argument::None);
            };
            let bytes = fs::read(self.case.join(file))?;
            Ok(match argument["kind"].as_str() {
                Some("buffer") => Argument::Buffer(Arc::new(Memory::from_bytes(&bytes))),
                _ => image(&argument["image"], &bytes)?,
            })
        })
        .collect()
    }

    fn bindings(&self, arguments: &[Argument]) -> Result<Bindings, Stopped> {
        let mut bindings = Bindings::default();
        let private = Arc::new(Memory::zeroed(PRIVATE_BYTES));
        let constant = match self.device()["const_data"].as_str() {
            Some(file) => Memory::from_bytes(&fs::read(self.case.join(file))?),
            None => Memory::zeroed(64),
        };
        let constant = Arc::new(constant);
        let mut flat = |address, memory: &Arc<Memory>| {
            let memory = Arc::clone(memory);
            bindings.memory.push(FlatRange { address, memory });
        };
        for (i, argument) in arguments.iter().enumerate() {
            if let Argument::Buffer(memory) = argument {
                flat(BUFFERS + i as u64 * STEP, memory);
            }
        }
        flat(PRIVATE, &private);
        flat(CONSTANT, &constant);
        for surface in self.device()["surfaces"].as_array().into_iter().flatten() {
            let bound = match surface["kind"].as_str() {
                Some("buffer") | Some("image") => {
                    match &arguments[number(&surface["arg"]) as usize] {
                        Argument::Buffer(memory) => buffer(memory)?,
                        Argument::Image(surface, _) => Arc::clone(surface),
                        Argument::None => continue,
                    }
                }
                Some("private_base") => buffer(&private)?,
                Some("const_base" | "global_base") => buffer(&constant)?,
                _ => continue,
            };
            bindings
                .surfaces
                .insert(number(&surface["bti"]) as u32, bound);
        }
        Ok(bindings)
    }

    /// The registers of a thread before its first instruction.
    fn start(&self, id: ThreadId, local: [u32; 3], lanes: u32, vector: bool) -> ThreadStart {
        let device = self.device();
        let mut payload = vec![0; 64];
        let size: u32 = local.iter().product();
        let at = |item: u32| {
            [
                item % local[0],
                item / local[0] % local[1],
                item / local[0] / local[1],
            ]
        };
        for input in device["inputs"].as_array().into_iter().flatten() {
            let start = number(&input["offset"]) as usize;
            let end = start + number(&input["size"]) as usize;
            if payload.len() < end {
                payload.resize(end, 0);
            }
            for piece in input["content"].as_array().into_iter().flatten() {
                let mut put = |offset: usize, bytes: &[u8]| {
                    let first = start + offset;
                    let len = bytes.len().min(end.saturating_sub(first));
                    payload[first..first + len].copy_from_slice(&bytes[..len]);
                };
                let dim = number(&piece["dim"]) as usize;
                let place = number(&piece["at"]) as usize;
                match piece["kind"].as_str() {
                    Some("local_id") => {
                        let first_lane = number(&piece["first_lane"]) as u32;
                        for lane in 0..number(&piece["lanes"]) as u32 {
                            let item = id.local * lanes + first_lane + lane;
                            put(2 * lane as usize, &(at(item)[dim] as u16).to_le_bytes());
                        }
                    }
                    Some("local_id_xyz") => {
                        for (i, n) in at(id.local).into_iter().enumerate() {
                            put(2 * i, &(n as u16).to_le_bytes());
                        }
                    }
                    Some(kind) => {
                        let bytes = self.value(kind, piece, dim, local);
                        let size = number(&piece["size"]) as usize;
                        put(place, &bytes[..bytes.len().min(size)]);
                    }
                    None => {}
                }
            }
        }
        let mask = if vector {
            u32::MAX
        } else {
            let left = size - (id.local * lanes).min(size);
            u32::MAX >> (32 - left.min(lanes).min(32))
        };
        ThreadStart { payload, mask }
    }

    /// The bytes of a payload entry that is the same for all threads.
    fn value(&self, kind: &str, piece: &Value, dim: usize, local: [u32; 3]) -> Vec<u8> {
        let dword = |v: u32| v.to_le_bytes().to_vec();
        let qword = |v: u64| v.to_le_bytes().to_vec();
        let global = self.triple("global_size");
        let index = number(&piece["arg"]);
        let argument = &self.all["args"][index as usize];
        let image = |key: &str| dword((number(&argument["image"][key]) as u32).max(1));
        match kind {
            "global_offset" => dword(self.triple("global_offset")[dim]),
            "global_size" => dword(global[dim]),
            "local_size" | "enqueued_local_size" => dword(local[dim]),
            "group_count" => dword(global[dim].div_ceil(local[dim])),
            "work_dim" => dword(number(&self.all["work_dim"]) as u32),
            "arg_value" => {
                let hex = argument["hex"].as_str().unwrap_or_default();
                let bytes =
                    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16));
                let mut bytes: Vec<u8> = bytes.map(|b| b.expect("hex")).collect();
                let skip = (number(&piece["source_offset"]) as usize).min(bytes.len());
                bytes.drain(..skip);
                bytes
            }
            "buffer_address" => qword(BUFFERS + index * STEP),
            "private_base" => qword(PRIVATE),
            "const_base" | "global_base" => qword(CONSTANT),
            "image_width" => image("width"),
            "image_height" => image("height"),
            "image_depth" => image("depth"),
            "image_array_size" => image("layers"),
            "image_channel_data_type" => dword(match argument["image"]["channel"].as_str() {
                Some("SNORM_INT8") => 0x10d0,
                Some("SNORM_INT16") => 0x10d1,
                Some("UNORM_INT8") => 0x10d2,
                Some("UNORM_INT16") => 0x10d3,
                Some("SIGNED_INT8") => 0x10d7,
                Some("SIGNED_INT16") => 0x10d8,
                Some("SIGNED_INT32") => 0x10d9,
                Some("UNSIGNED_INT8") => 0x10da,
                Some("UNSIGNED_INT16") => 0x10db,
                Some("UNSIGNED_INT32") => 0x10dc,
                Some("HALF_FLOAT") => 0x10dd,
                _ => 0x10de,
            }),
            "image_channel_order" => dword(match argument["image"]["order"].as_str() {
                Some("R") => 0x10b0,
                Some("BGRA") => 0x10b6,
                _ => 0x10b5,
            }),
            "sampler_snap_wa" => {
                let snaps = argument["filter"] == "nearest" && argument["addressing"] == "clamp";
                dword(if snaps { u32::MAX } else { 0 })
            }
            "slm_offset" => dword(self.local_offset(index)),
            _ => Vec::new(),
        }
    }

    /// Local arguments follow the static memory in argument order, each aligned.
    fn local_offset(&self, wanted: u64) -> u32 {
        let device = self.device();
        let mut next = number(&device["slm_bytes"]);
        for argument in self.all["args"].as_array().into_iter().flatten() {
            if argument["kind"] != "local" {
                continue;
            }
            let entries = device["payload"].as_array().into_iter().flatten();
            let align = entries
                .filter(|e| e["kind"] == "slm_offset" && e["arg"] == argument["index"])
                .map(|e| number(&e["alignment"]))
                .find(|&a| a > 0)
                .unwrap_or(16);
            next = next.next_multiple_of(align);
            if number(&argument["index"]) == wanted {
                return next as u32;
            }
            next += number(&argument["size"]);
        }
        0
    }
}

fn buffer(memory: &Arc<Memory>) -> Result<Arc<Surface>, Stopped> {
    let format = Format::named("R8_UINT").ok_or("no R8_UINT")?;
    let description = Description::buffer(format, memory.len() as u32);
    let surface = Surface::new(description, Arc::clone(memory)).map_err(|e| e.to_string())?;
    Ok(Arc::new(surface))
}

fn image(image: &Value, bytes: &[u8]) -> Result<Argument, Stopped> {
    let (order, channel) = (
        image["order"].as_str().unwrap_or_default(),
        image["channel"].as_str().unwrap_or_default(),
    );
    let (number_type, bits) = match channel {
        "FLOAT" => ("FLOAT", 32),
        "HALF_FLOAT" => ("FLOAT", 16),
        _ => {
            let bits = channel.rsplit("INT").next().and_then(|b| b.parse().ok());
            let number_type = match channel.split('_').next() {
                Some("UNORM") => "UNORM",
                Some("SNORM") => "SNORM",
                Some("SIGNED") => "SINT",
                _ => "UINT",
            };
            (number_type, bits.unwrap_or(8))
        }
    };
    let letters: String = order.chars().map(|c| format!("{c}{bits}")).collect();
    let name = format!("{letters}_{number_type}");
    let format = Format::named(&name).ok_or(format!("no format {name}"))?;
    let size = |key: &str| (number(&image[key]) as u32).max(1);
    let (width, height) = (size("width"), size("height"));
    let (description, slices) = match image["type"].as_str() {
        Some("1d") => (Description::d1(format, width), 1),
        Some("1d_array") => {
            let description = Description {
                array: true,
                depth: size("layers"),
                ..Description::d1(format, width)
            };
            (description, size("layers"))
        }
        Some("1d_buffer") => (Description::buffer(format, width), 1),
        Some("2d_array") => {
            let layers = size("layers");
            (Description::d2_array(format, width, height, layers), layers)
        }
        Some("3d") => {
            let depth = size("depth");
            (Description::d3(format, width, height, depth), depth)
        }
        _ => (Description::d2(format, width, height), 1),
    };
    let surface = Surface::zeroed(description).map_err(|e| e.to_string())?;
    let tight = Tight {
        row_bytes: number(&image["row_pitch"]) as usize,
        rows: height,
        slices,
    };
    for (address, row) in row_addresses(&surface, tight).zip(bytes.chunks_exact(tight.row_bytes)) {
        surface.memory().write(address, row);
    }
    Ok(Argument::Image(Arc::new(surface), tight))
}

fn row_addresses(surface: &Surface, tight: Tight) -> impl Iterator<Item = usize> {
    (0..tight.slices).flat_map(move |slice| {
        (0..tight.rows).map(move |y| {
            let place = surface.place(0, slice, 0, y, 0);
            surface.address(place.x, place.y)
        })
    })
}

fn rows(surface: &Surface, tight: Tight) -> Vec<u8> {
    let mut out = Vec::new();
    for address in row_addresses(surface, tight) {
        let mut row = vec![0; tight.row_bytes];
        surface.memory().read(address, &mut row);
        out.extend(row);
    }
    out
}

/// Compares as the case says: exactly, by units in the last place, or by absolute and relative error.
fn compare(output: &Value, expected: &[u8], got: &[u8]) -> Result<(), String> {
    if expected.len() != got.len() {
        return Err(format!(
            "{} bytes expected, {} there",
            expected.len(),
            got.len()
        ));
    }
    let rule = &output["compare"];
    let dtype = output["dtype"].as_str().unwrap_or("u8");
    let size = match dtype {
        "f64" | "u64" | "i64" => 8,
        "f32" | "u32" | "i32" => 4,
        "f16" | "u16" | "i16" => 2,
        _ => 1,
    };
    for (i, (e, g)) in expected.chunks(size).zip(got.chunks(size)).enumerate() {
        if e == g {
            continue;
        }
        let mut bits = [0; 8];
        let mut value = |bytes: &[u8]| {
            bits = [0; 8];
            bits[..size].copy_from_slice(bytes);
            let raw = u64::from_le_bytes(bits);
            match dtype {
                "f64" => f64::from_bits(raw),
                "f32" => f64::from(f32::from_bits(raw as u32)),
                "f16" => half::f16::from_bits(raw as u16).to_f64(),
                "i32" => f64::from(raw as i32),
                "i16" => f64::from(raw as i16),
                "i8" => f64::from(raw as i8),
                _ => raw as f64,
            }
        };
        let (e, g) = (value(e), value(g));
        let float = dtype.starts_with('f');
        if float && e.is_nan() && g.is_nan() {
            continue;
        }
        let near = match rule["mode"].as_str() {
            Some("absrel") => {
                let limit = |key: &str| rule[key].as_f64().unwrap_or(0.0);
                (e - g).abs() <= limit("abs") + limit("rel") * e.abs()
            }
            Some("ulp") => {
                let unit = match dtype {
                    "f64" => e.abs().next_up() - e.abs(),
                    _ => f64::from((e.abs() as f32).next_up()) - e.abs(),
                };
                e == g || (e - g).abs() <= rule["max"].as_f64().unwrap_or(0.0) * unit
            }
            _ => false,
        };
        if !near {
            return Err(format!("element {i}: expected {e} ({dtype}), got {g}"));
        }
    }
    Ok(())
}
