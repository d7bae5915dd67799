//! `launch.json`: a kernel, its arguments, and for each device what the compiler says. The schema is in
//! `grammar/launch.schema.json`.

use super::argument::{Argument, SamplerChoice, Size};
use super::description::{
    Compiler, Content, Description, Handle, ImageQuery, Piece, SamplerSlot, SurfaceSlot,
};
use super::image::{self, Image, KINDS, Shape, USUAL};
use super::values::contents;
use super::{Refused, refuse, schema};
use crate::diagnostic::{Code, nearest};
use crate::isa::Platform;
use crate::surface::Memory;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The whole file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Launch {
    /// The kernel's name.
    pub name: String,
    /// Its name in the source.
    pub kernel: String,
    /// 1, 2 or 3.
    pub work_dim: Option<u32>,
    /// Work-items.
    pub global_size: Vec<u32>,
    /// Work-items of a group.
    pub local_size: Vec<u32>,
    /// First global id.
    pub global_offset: Vec<u32>,
    /// The last groups may have fewer work-items than the others.
    pub partial_groups: bool,
    /// Arguments in the order of the source.
    pub args: Vec<Arg>,
    /// What is expected of arguments afterwards.
    pub outputs: Vec<Output>,
    /// Text without expected output.
    pub form_only: bool,
    /// What the compiler says, by device.
    pub devices: BTreeMap<String, Device>,
}

/// An argument.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Arg {
    /// `buffer`, `image`, `sampler`, `local`, `value` or `null`.
    pub kind: String,
    /// Its name in the source.
    pub name: Option<String>,
    /// How the kernel reaches an image: `read_only`, `write_only`, `read_write`.
    pub access: Option<String>,
    /// The file with its bytes, buffers and images.
    pub input: Option<String>,
    /// The bytes of a value, two digits each.
    pub hex: Option<String>,
    /// The bytes of a buffer or image as values: `int:1,2,3`.
    pub values: Option<String>,
    /// Size of a buffer.
    pub bytes: Option<u64>,
    /// Bytes of local memory.
    pub size: Option<u32>,
    /// The image.
    pub image: Option<Shape>,
    /// Of a sampler.
    pub addressing: Option<String>,
    /// Of a sampler.
    pub filter: Option<String>,
    /// Of a sampler.
    pub normalized: bool,
}

/// What is expected of an argument.
#[derive(Clone, Debug, Deserialize)]
pub struct Output {
    /// Its number.
    pub arg: usize,
    /// The file with the bytes expected, or a picture of an image.
    pub file: Option<String>,
    /// The bytes expected as values: `int:1,2,3`.
    pub values: Option<String>,
    /// Elements that are not looked at: `7`, `8..16`.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Element type; that of the values where it is left out.
    #[serde(default)]
    pub dtype: String,
    /// How near is near enough.
    #[serde(default)]
    pub compare: Compare,
}

/// How an output is compared.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Compare {
    /// `exact`, `ulp` or `absrel`.
    pub mode: String,
    /// Units in the last place.
    pub max: f64,
    /// Distance.
    pub abs: f64,
    /// Distance as a part of the expected value.
    pub rel: f64,
}

/// What the compiler says for one device.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Device {
    /// The text.
    pub visaasm: String,
    /// Files with functions that the text calls, by name.
    pub functions: BTreeMap<String, String>,
    /// `scalar` or `vector`.
    pub compiler: String,
    simd: u32,
    slm_bytes: u32,
    private_bytes_per_work_item: u32,
    scratch_bytes_per_thread: u32,
    scratch_slot1_bytes_per_thread: u32,
    required_work_group_size: Vec<u32>,
    local_ids: bool,
    cross_thread_base: u32,
    payload_correction: Option<Correction>,
    payload: Vec<Entry>,
    surfaces: Vec<Slot>,
    samplers: Vec<Sampler>,
    /// The file with the program's constants.
    pub const_data: Option<String>,
    /// The file with the program's writable globals.
    pub global_data: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Correction {
    from: u32,
    bytes: u32,
}

/// An entry of the cross-thread data.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) kind: String,
    pub(super) offset: u32,
    pub(super) size: u32,
    #[serde(default)]
    pub(super) arg: u32,
    #[serde(default)]
    pub(super) dim: usize,
    #[serde(default)]
    pub(super) source_offset: u32,
    #[serde(default)]
    pub(super) alignment: u32,
}

#[derive(Clone, Debug, Deserialize)]
struct Slot {
    bti: u32,
    kind: String,
    #[serde(default)]
    arg: u32,
    /// Kind of an image.
    image_type: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Sampler {
    index: u32,
    arg: Option<u32>,
    inline: Option<Fixed>,
}

#[derive(Clone, Debug, Deserialize)]
struct Fixed {
    addressing: String,
    filter: String,
    normalized: bool,
}

impl Entry {
    /// What fills the entry.
    ///
    /// # Errors
    /// `N0640`: a kind that visim does not fill.
    pub(super) fn content(&self) -> Result<Content, Refused> {
        let dim = self.dim.min(2);
        let arg = self.arg;
        let image = |query| Content::Image { arg, query };
        Ok(match self.kind.as_str() {
            "global_offset" => Content::GlobalOffset(dim),
            "global_size" => Content::GlobalSize(dim),
            "local_size" => Content::LocalSize(dim),
            "enqueued_local_size" => Content::EnqueuedLocalSize(dim),
            "group_count" => Content::GroupCount(dim),
            "work_dim" => Content::WorkDim,
            "arg_value" => Content::Value {
                arg,
                from: self.source_offset,
            },
            "buffer_address" => Content::BufferAddress(arg),
            "buffer_offset" => Content::BufferOffset,
            "slm_offset" => Content::SlmOffset {
                arg,
                alignment: self.alignment,
            },
            "image_width" => image(ImageQuery::Width),
            "image_height" => image(ImageQuery::Height),
            "image_depth" => image(ImageQuery::Depth),
            "image_array_size" => image(ImageQuery::ArraySize),
            "image_channel_data_type" => image(ImageQuery::ChannelType),
            "image_channel_order" => image(ImageQuery::ChannelOrder),
            "image_srgb_channel_order" => image(ImageQuery::SrgbChannelOrder),
            "image_num_mip_levels" => image(ImageQuery::Levels),
            "image_num_samples" => image(ImageQuery::Samples),
            "sampler_snap_wa" => Content::SamplerSnap(arg),
            "sampler_normalized" => Content::SamplerNormalized(arg),
            "sampler_address_mode" => Content::SamplerAddressing(arg),
            "const_base" => Content::ConstBase,
            "global_base" => Content::GlobalBase,
            "private_base" => Content::PrivateBase,
            "printf_buffer" => Content::PrintfBuffer,
            "surface_handle" => Content::Handle(Handle::Surface(arg)),
            "const_handle" => Content::Handle(Handle::Constants),
            "global_handle" => Content::Handle(Handle::Globals),
            "sampler_handle" => Content::Handle(Handle::Sampler(arg)),
            "inline_sampler" => Content::Handle(Handle::InlineSampler(self.source_offset)),
            "indirect_data_pointer" | "scratch_pointer" => Content::Unread,
            other => {
                let what = format!("payload entry `{other}` is not modelled");
                let mut refused = refuse(Code::N0640, what);
                refused.help = nearest(other, schema::PAYLOAD.iter().copied())
                    .map(|meant| format!("did you mean `{meant}`?"));
                return Err(refused);
            }
        })
    }
}

/// Registers that a payload may reach: more than any device has.
const MAX_REGISTER_BYTES: u32 = 1 << 16;

/// Where cross-thread data lies in the register file, and the pieces it becomes.
pub(super) fn pieces(
    entries: &[Entry],
    base: u32,
    correction: Option<(u32, u32)>,
) -> Result<Vec<Piece>, Refused> {
    entries
        .iter()
        .map(|entry| {
            // From the first corrected register on everything lies further on.
            let shift = match correction {
                Some((from, bytes)) if entry.offset >= from.saturating_sub(bytes) => bytes,
                _ => 0,
            };
            let offset = entry.offset.checked_add(base.saturating_add(shift));
            let offset = offset.filter(|o| o.saturating_add(entry.size) <= MAX_REGISTER_BYTES);
            let Some(offset) = offset else {
                return Err(refuse(
                    Code::E0640,
                    format!("payload offset {} lies after all registers", entry.offset),
                ));
            };
            Ok(Piece {
                offset,
                size: entry.size,
                content: entry.content()?,
            })
        })
        .collect()
}

/// The pieces of a thread's own data, of so many rows in scalar code. Source: launch reference 2 and 4; Xe2
/// reference 3.1.
pub(super) fn local_ids(description: &Description, platform: Platform, rows: u32) -> Vec<Piece> {
    let grf = platform.grf_bytes();
    if description.compiler == Compiler::Vector {
        return vec![Piece {
            offset: grf,
            size: 6,
            content: Content::LocalIdXyz,
        }];
    }
    let row = description.local_id_row(platform);
    let piece = |dim: u32| Piece {
        offset: grf + dim * row,
        size: row,
        content: Content::LocalId {
            dim: dim as usize,
            first_lane: 0,
        },
    };
    (0..rows.min(3)).map(piece).collect()
}

impl Device {
    /// What the compiler says, in visim's own words.
    ///
    /// # Errors
    /// `E0640`: a field has a value that cannot be; `N0640`: a payload entry that visim does not fill.
    pub fn description(&self, platform: Platform) -> Result<Description, Refused> {
        let compiler = match self.compiler.as_str() {
            "" | "scalar" => Compiler::Scalar,
            "vector" => Compiler::Vector,
            other => {
                return Err(refuse(
                    Code::E0640,
                    format!("`{other}` is not a compiler: scalar or vector"),
                ));
            }
        };
        let simd = if compiler == Compiler::Vector {
            1
        } else {
            self.simd
        };
        if !matches!(simd, 1 | 8 | 16 | 32) {
            return Err(refuse(
                Code::E0640,
                format!("a thread has 8, 16 or 32 lanes, not {simd}"),
            ));
        }
        let mut description = Description {
            compiler,
            simd,
            slm_bytes: self.slm_bytes,
            private_bytes: self.private_bytes_per_work_item,
            scratch_bytes: self
                .scratch_bytes_per_thread
                .saturating_add(self.scratch_slot1_bytes_per_thread),
            required_local: triple(&self.required_work_group_size, 0),
            ..Description::default()
        };
        let correction = self.payload_correction.as_ref().map(|c| (c.from, c.bytes));
        description.pieces = pieces(&self.payload, self.cross_thread_base, correction)?;
        if self.local_ids || compiler == Compiler::Vector {
            let own = local_ids(&description, platform, 3);
            description.pieces.extend(own);
        }
        for slot in &self.surfaces {
            let what = match slot.kind.as_str() {
                "image" | "buffer" => SurfaceSlot::Argument(slot.arg),
                "const_base" => SurfaceSlot::Constants,
                "global_base" => SurfaceSlot::Globals,
                "printf_buffer" => SurfaceSlot::Printf,
                "private_base" | "reserved" | "unknown" => SurfaceSlot::Reserved,
                other => {
                    let what = format!(
                        "`{other}` is not a kind of surface: image, buffer, const_base, global_base, \
                         private_base, printf_buffer, reserved or unknown"
                    );
                    return Err(refuse(Code::E0640, what));
                }
            };
            description.surfaces.push((slot.bti, what));
            if let (SurfaceSlot::Argument(arg), Some(kind)) = (what, &slot.image_type) {
                description.images.insert(arg, image::described(kind));
            }
        }
        for sampler in &self.samplers {
            let what = match (&sampler.arg, &sampler.inline) {
                (Some(arg), _) => SamplerSlot::Argument(*arg),
                (None, Some(fixed)) => SamplerSlot::Fixed(SamplerChoice::read(
                    &fixed.addressing,
                    &fixed.filter,
                    fixed.normalized,
                )?),
                (None, None) => continue,
            };
            description.samplers.push((sampler.index, what));
        }
        Ok(description)
    }
}

fn triple(list: &[u32], missing: u32) -> [u32; 3] {
    std::array::from_fn(|i| list.get(i).copied().unwrap_or(missing))
}

impl Launch {
    /// Reads the text of the file.
    ///
    /// # Errors
    /// `E0640` with the line that does not read.
    pub fn read(text: &str) -> Result<Launch, Refused> {
        Launch::read_named(text, None)
    }

    /// As [`Launch::read`], the one called `name` of a file with several: its fields in place of those of the file.
    ///
    /// # Errors
    /// As [`Launch::read`]; `E0763`: no launch of this name, or several and none is named.
    pub fn read_named(text: &str, name: Option<&str>) -> Result<Launch, Refused> {
        let unread = |error| refuse(Code::E0640, format!("launch description: {error}"));
        let mut value: Value = serde_json::from_str(text).map_err(unread)?;
        schema::fields(&value)?;
        let own = schema::named(&mut value, name)?;
        // Read again from the text where it can be, so that mistakes are reported by line and column.
        let launch: Launch = match own {
            true => serde_json::from_value(value).map_err(unread)?,
            false => serde_json::from_str(text).map_err(unread)?,
        };
        schema::values(&launch)?;
        Ok(launch)
    }

    /// Names of the launches of a file with several; none if it is one launch.
    ///
    /// # Errors
    /// `E0640`: it does not read.
    pub fn names_in(text: &str) -> Result<Vec<String>, Refused> {
        let unread = |error| refuse(Code::E0640, format!("launch description: {error}"));
        let value: Value = serde_json::from_str(text).map_err(unread)?;
        schema::fields(&value)?;
        Ok(schema::launches(&value)
            .into_iter()
            .map(|(name, _)| name)
            .collect())
    }

    /// Names of arguments by number.
    pub fn names(&self) -> BTreeMap<u32, String> {
        let args = (0..).zip(&self.args);
        args.filter_map(|(number, arg)| Some((number, arg.name.clone()?)))
            .collect()
    }

    /// Numbers of the arguments that the kernel only reads.
    pub fn read_only(&self) -> impl Iterator<Item = u32> {
        let args = (0..).zip(&self.args);
        args.filter_map(|(number, arg)| {
            (arg.access.as_deref() == Some("read_only")).then_some(number)
        })
    }

    /// Sizes; what is left out is 1, but a group size that is left out whole is zeros, for [`Size::grouped`] to
    /// find. `None` if the number of work-items is not given.
    pub fn size(&self) -> Option<Size> {
        let work_dim = self.work_dim.unwrap_or(self.global_size.len() as u32);
        (!self.global_size.is_empty()).then(|| Size {
            work_dim: work_dim.clamp(1, 3),
            global: triple(&self.global_size, 1),
            local: match self.local_size.is_empty() {
                true => [0; 3],
                false => triple(&self.local_size, 1),
            },
            offset: triple(&self.global_offset, 0),
            partial: self.partial_groups,
        })
    }

    /// The arguments; `file` reads one beside the description.
    ///
    /// * `images`: kinds of images that the kernel takes, for those whose kind is not given.
    ///
    /// # Errors
    /// `E0642`: one cannot be made of what is there; what `file` says.
    pub fn arguments(
        &self,
        images: &BTreeMap<u32, String>,
        file: impl Fn(&str) -> Result<Vec<u8>, Refused>,
    ) -> Result<Vec<Argument>, Refused> {
        let argument = |(index, arg): (u32, &Arg)| {
            let kind = images.get(&index).map_or(USUAL, String::as_str);
            arg.argument(kind, &file).map_err(|mut refused| {
                let name = arg.name.as_deref().map(|n| format!(", `{n}`"));
                let note = format!("argument {index}{}", name.unwrap_or_default());
                refused.notes.push(note);
                refused
            })
        };
        (0..).zip(&self.args).map(argument).collect()
    }
}

impl Arg {
    /// The argument; an image whose kind is not given is of `kind`.
    fn argument(
        &self,
        kind: &str,
        file: &impl Fn(&str) -> Result<Vec<u8>, Refused>,
    ) -> Result<Argument, Refused> {
        let wrong = |what: &str| refuse(Code::E0642, what);
        Ok(match self.kind.as_str() {
            "buffer" if self.values.is_some() => {
                let made = self.values_for(self.bytes)?;
                holding(&made)?
            }
            "buffer" => match (&self.input, self.bytes) {
                (Some(input), bytes) => {
                    let content = file(input)?;
                    if let Some(bytes) = bytes.filter(|&bytes| bytes != content.len() as u64) {
                        let own = content.len();
                        return Err(wrong(&format!("`bytes` is {bytes}, `{input}` has {own}")));
                    }
                    holding(&content)?
                }
                (None, Some(0)) => return Err(wrong("a buffer has 1 byte at least")),
                (None, Some(bytes)) => zeros(bytes)?,
                (None, None) => {
                    return Err(wrong(
                        "a buffer needs `input`, `bytes`, or `values` as \"int:1,2,3\"",
                    ));
                }
            },
            "null" => Argument::Null,
            "image" => {
                let Some(mut shape) = self.image.clone() else {
                    return Err(wrong("an image argument needs `image`"));
                };
                if shape.kind.is_empty() {
                    shape.kind = kind.to_string();
                }
                if KINDS.contains(&shape.kind.as_str()) {
                    shape.sized()?;
                }
                Argument::Image(match (&self.input, &self.values) {
                    (Some(input), None) => Image::of_file(shape, input, &file(input)?)?,
                    (_, Some(_)) => {
                        let bytes = Image::zeroed(shape.clone())?.len() as u64;
                        Image::new(shape, &self.values_for(Some(bytes))?)?
                    }
                    (None, None) => Image::zeroed(shape)?,
                })
            }
            "sampler" => Argument::Sampler(SamplerChoice::read(
                self.addressing.as_deref().unwrap_or("none"),
                self.filter.as_deref().unwrap_or("nearest"),
                self.normalized,
            )?),
            "local" => match self.size {
                Some(0) => return Err(wrong("local memory has 1 byte at least")),
                Some(bytes) => Argument::Local(bytes),
                None => return Err(wrong("`size` is missing, the bytes of local memory")),
            },
            "value" => {
                let hex = self
                    .hex
                    .as_deref()
                    .ok_or_else(|| wrong("`hex` is missing, the bytes of a value"))?;
                Argument::Value(bytes_of(hex)?)
            }
            other => {
                return Err(wrong(&format!(
                    "unknown kind of argument `{other}`: buffer, image, sampler, local, value or null"
                )));
            }
        })
    }
}

impl Arg {
    /// The bytes of `values`, for so much memory where it is known.
    fn values_for(&self, size: Option<u64>) -> Result<Vec<u8>, Refused> {
        if self.input.is_some() {
            return Err(refuse(
                Code::E0642,
                "`input` and `values` are given, one of them is right",
            ));
        }
        let made = contents(self.values.as_deref().unwrap_or_default(), size)?;
        match made.bytes.is_empty() || !made.skipped.is_empty() {
            true => Err(refuse(Code::E0642, "`values` has no values to begin with")),
            false => Ok(made.bytes),
        }
    }
}

/// The bytes that an output is expected to have, and its elements that are not looked at.
pub type Expected = (Vec<u8>, Vec<Range<usize>>);

impl Output {
    /// What is expected of an argument; `file` reads one beside the description.
    ///
    /// # Errors
    /// `E0642`: values that do not fit; `E0702`: a picture that does not; what `file` says.
    pub fn expected(
        &self,
        argument: &Argument,
        file: impl Fn(&str) -> Result<Vec<u8>, Refused>,
    ) -> Result<Expected, Refused> {
        let mut skipped = self.ignored().map_err(|what| refuse(Code::E0640, what))?;
        let Some(values) = &self.values else {
            let name = self.file.as_deref().unwrap_or_default();
            let bytes = file(name)?;
            return Ok((
                match argument {
                    Argument::Image(image) if image::is_picture(name) => {
                        Image::of_file(image.shape.clone(), name, &bytes)?.bytes()
                    }
                    _ => bytes,
                },
                skipped,
            ));
        };
        let size = match argument {
            Argument::Buffer(buffer) => Some(buffer.bytes as u64),
            Argument::Image(image) => Some(image.len() as u64),
            _ => None,
        };
        let made = contents(values, size)?;
        skipped.extend(made.skipped);
        Ok((made.bytes, skipped))
    }
}

/// A description of a launch, as `launch.json` has it, of what a kernel was given.
///
/// * `sizes`: work-items, and those of a group; zeros where those are to be found.
/// * `file`: the name of the file with the bytes of an argument that is a buffer or an image.
pub fn described(
    kernel: Option<&str>,
    arguments: &[Argument],
    (global, local): ([u32; 3], [u32; 3]),
    file: impl Fn(usize) -> String,
) -> Value {
    let digits = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
    let one = |(number, argument): (usize, &Argument)| match argument {
        Argument::Buffer(_) => json!({"kind": "buffer", "input": file(number)}),
        Argument::Image(image) => {
            let Shape {
                kind,
                order,
                channel,
                width,
                height,
                depth,
                layers,
            } = &image.shape;
            let mut shape = json!({"order": order, "channel": channel, "width": width});
            for (name, size) in [("height", height), ("depth", depth), ("layers", layers)] {
                if *size > 0 {
                    shape[name] = json!(size);
                }
            }
            if !kind.is_empty() {
                shape["type"] = json!(kind);
            }
            json!({"kind": "image", "image": shape, "input": file(number)})
        }
        Argument::Sampler(choice) => json!({
            "kind": "sampler", "addressing": choice.addressing.name(),
            "filter": if choice.linear { "linear" } else { "nearest" }, "normalized": choice.normalized,
        }),
        Argument::Local(bytes) => json!({"kind": "local", "size": bytes}),
        Argument::Value(bytes) | Argument::Typed(_, bytes) => {
            json!({"kind": "value", "hex": digits(bytes)})
        }
        Argument::Null | Argument::Missing => json!({"kind": "null"}),
    };
    let mut launch = json!({
        "global_size": global,
        "args": arguments.iter().enumerate().map(one).collect::<Vec<_>>(),
    });
    if local[0] > 0 {
        launch["local_size"] = json!(local);
    }
    if let Some(kernel) = kernel {
        launch["kernel"] = json!(kernel);
    }
    launch
}

/// Bytes written as pairs of digits.
///
/// # Errors
/// `E0642`.
pub fn bytes_of(hex: &str) -> Result<Vec<u8>, Refused> {
    let digits: Option<Vec<u32>> = hex.chars().map(|c| c.to_digit(16)).collect();
    match digits {
        Some(digits) if digits.len() % 2 == 0 => {
            let pairs = digits.chunks_exact(2);
            Ok(pairs.map(|pair| (pair[0] * 16 + pair[1]) as u8).collect())
        }
        _ => Err(refuse(
            Code::E0642,
            format!("`{hex}` is not an even number of hexadecimal digits"),
        )),
    }
}

/// A buffer's size, within what visim gives.
///
/// # Errors
/// `L0640`.
pub fn limited(bytes: u64) -> Result<usize, Refused> {
    if bytes > MAX_BUFFER {
        return Err(refuse(
            Code::L0640,
            format!(
                "a buffer of {bytes} bytes; {MAX_BUFFER} (1 GiB) are the most that visim has memory for"
            ),
        ));
    }
    Ok(bytes as usize)
}

/// A buffer of zeros, as far as the run may have them.
///
/// # Errors
/// `L0640`, `L0606`.
pub fn zeros(bytes: u64) -> Result<Argument, Refused> {
    let memory = Memory::allot(limited(bytes)?);
    let memory = memory.map_err(|short| Box::new(short.diagnostic()))?;
    Ok(Argument::Buffer(Arc::new(memory).into()))
}

/// A buffer that begins with these bytes.
///
/// # Errors
/// `L0606`.
pub fn holding(bytes: &[u8]) -> Result<Argument, Refused> {
    let memory = Memory::copy_of(bytes);
    let memory = memory.map_err(|short| Box::new(short.diagnostic()))?;
    Ok(Argument::Buffer(Arc::new(memory).into()))
}

/// The greatest buffer: 1 GiB, as for surfaces.
pub const MAX_BUFFER: u64 = 1 << 30;
