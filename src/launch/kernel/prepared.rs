//! Description and arguments together: what [`crate::launch::run`] requires.

use super::argument::{Argument, Buffer, Size, value_type};
use super::data::ProgramMemory;
use super::description::{Compiler, Content, Description, Handle, SamplerSlot, SurfaceSlot};
use super::image::{self, KINDS, Shape, is_depth};
use super::payload::{BUFFERS, CONSTANTS, GLOBALS, PRINTF, PRIVATE, Registers, STEP, STRINGS};
use super::{Refused, printf, refuse};
use crate::diagnostic::{Code, counted};
use crate::exec::{Bindings, FlatRange, OwnRange, Sampler};
use crate::launch::grid::Partial;
use crate::launch::{Grid, RunOptions, ThreadId};
use crate::program::Program;
use crate::surface::{Description as SurfaceDescription, Format, Memory, Surface};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A launch, ready to run.
pub struct PreparedLaunch {
    /// Surfaces, samplers, memory at addresses.
    pub bindings: Bindings,
    /// Registers of each thread.
    pub registers: Registers,
    /// Groups of each dimension.
    pub groups: [u32; 3],
    /// Work-items, and those of groups.
    size: Size,
    /// The arguments, whose memory the run changes.
    pub arguments: Vec<Argument>,
    /// The buffer of `printf`.
    printf: Option<Arc<Memory>>,
    /// Texts that `printf` names by number.
    strings: BTreeMap<u32, String>,
    /// Bytes of shared local memory that belong to something.
    slm_bytes: u32,
    scratch_bytes: usize,
}

/// Bytes of a text that `printf` prints at most, as of the compute runtime.
const MOST_TEXT: usize = 16 << 10;

/// Bytes that `printf` may write.
const PRINTF_BYTES: usize = 1 << 20;

/// Private memory of a thread that vector code counts on: `%hw_id` << 13.
const VECTOR_PRIVATE: u32 = 8 << 10;

/// The most private or scratch memory of one thread.
const MAX_OWN: u64 = 16 << 20;

/// Shared local memory that a group may have.
const MAX_SLM: u64 = 256 << 10;

impl PreparedLaunch {
    /// The records that `printf` wrote: the buffer's first dword is the next free byte. Source: launch
    /// reference 5.
    pub fn printed(&self) -> Vec<u8> {
        let Some(memory) = &self.printf else {
            return Vec::new();
        };
        let bytes = memory.to_vec();
        let next = bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b)) as usize;
        bytes
            .get(4..next.min(bytes.len()))
            .unwrap_or_default()
            .to_vec()
    }

    /// What `printf` wrote, as text, in the order in which the threads came to it.
    ///
    /// # Errors
    /// What could be read before a record that cannot.
    pub fn printed_text(&self) -> Result<String, String> {
        let numbered = !self.strings.is_empty();
        printf::text(&self.printed(), numbered, |name| match numbered {
            true => self.strings.get(&u32::try_from(name).ok()?).cloned(),
            false => self.text_at(name),
        })
    }

    /// The text, ended by a byte of 0, at an address.
    fn text_at(&self, address: u64) -> Option<String> {
        let ranges = self.bindings.memory.iter();
        let range = ranges
            .filter(|r| r.address <= address)
            .max_by_key(|r| r.address)?;
        let at = usize::try_from(address - range.address).ok()?;
        let length = range.memory.len().checked_sub(at)?.min(MOST_TEXT);
        let mut bytes = vec![0; length];
        range.memory.read(at, &mut bytes);
        let end = bytes.iter().position(|&byte| byte == 0)?;
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    /// Puts a launch together.
    ///
    /// * `more`: memory that is bound beside the arguments, which pointers lead to.
    ///
    /// # Errors
    /// `E0641`: sizes that cannot be; `E0642`: an argument is missing or of another kind than the kernel
    /// uses it; `L0640`: more memory than visim gives.
    pub fn new(
        description: &Description,
        arguments: Vec<Argument>,
        size: &Size,
        data: &ProgramMemory,
        more: &[FlatRange],
    ) -> Result<PreparedLaunch, Refused> {
        let groups = size.groups(description.required_local)?;
        let items = size.group_items()?;
        kinds(description, &arguments)?;
        pointers(description)?;
        let locals = local_offsets(description, &arguments)?;
        // Compiled code adds the static bytes to the offsets of arguments by itself, so that the last
        // argument ends that much further on.
        let slm_bytes = match locals.last() {
            Some(last) => last.2 + description.slm_bytes,
            None => description.slm_bytes,
        };
        let addresses = addresses(&arguments);
        let registers = Registers::new(
            description,
            size,
            items,
            &arguments,
            |arg| addresses.get(arg as usize).copied().unwrap_or(0),
            |arg| locals.iter().find(|l| l.0 == arg).map_or(0, |l| l.1),
        );
        let mut prepared = PreparedLaunch {
            bindings: Bindings::default(),
            registers,
            groups,
            size: *size,
            printf: None,
            strings: description.strings.clone(),
            slm_bytes,
            scratch_bytes: own_bytes(u64::from(description.scratch_bytes))?,
            arguments,
        };
        prepared.bind(description, &addresses, data, more)?;
        Ok(prepared)
    }

    fn bind(
        &mut self,
        description: &Description,
        addresses: &[u64],
        data: &ProgramMemory,
        more: &[FlatRange],
    ) -> Result<(), Refused> {
        let has = |content| description.pieces.iter().any(|p| p.content == content);
        let (constants, globals) = (&data.constants, &data.globals);
        let (memory, names) = (&mut self.bindings.memory, &mut self.bindings.names);
        names.unrelocated = data.unrelocated;
        memory.extend(more.iter().cloned());
        let mut flat = |address: u64, bytes: &Arc<Memory>, name: String| {
            // A memory that several arguments are parts of is there once.
            let same = |own: &FlatRange| own.address == address && Arc::ptr_eq(&own.memory, bytes);
            if !memory.iter().any(same) {
                memory.push(FlatRange {
                    address,
                    memory: Arc::clone(bytes),
                });
            }
            names.memory.entry(address).or_insert(name);
        };
        for (number, (argument, &address)) in (0..).zip(self.arguments.iter().zip(addresses)) {
            if let Argument::Buffer(buffer) = argument {
                let start = address - buffer.offset as u64;
                flat(start, &buffer.memory, description.argument(number));
            }
        }
        flat(CONSTANTS, constants, "the constants".into());
        flat(GLOBALS, globals, "the globals".into());
        if let Some(strings) = &data.strings {
            flat(STRINGS, strings, "the texts of the program".into());
        }
        if has(Content::PrintfBuffer) {
            let mut start = vec![0; PRINTF_BYTES];
            // The next free byte: after this dword. Launch reference 5.
            start[0] = 4;
            let printf = Arc::new(Memory::from_bytes(&start));
            flat(PRINTF, &printf, "the buffer of printf".into());
            self.printf = Some(printf);
        }
        let all = (0..).zip(&self.arguments);
        let null = all.filter(|(_, argument)| matches!(argument, Argument::Null));
        let null: Vec<u32> = null.map(|(number, _)| number).collect();
        names.null = null.iter().map(|&n| description.argument(n)).collect();
        for (index, slot) in description.all_surfaces() {
            if let SurfaceSlot::Argument(arg) = slot
                && null.contains(&arg)
            {
                names.surfaces.insert(index, description.argument(arg));
            }
        }
        let lanes = match description.compiler {
            Compiler::Scalar => description.simd,
            Compiler::Vector => 1,
        };
        let private = u64::from(description.private_bytes) * u64::from(lanes);
        let private = own_bytes(private.max(u64::from(VECTOR_PRIVATE)))?;
        self.bindings.own = Some(OwnRange {
            address: PRIVATE,
            bytes: private,
        });
        for (index, slot) in description.all_surfaces() {
            let surface = match slot {
                SurfaceSlot::Argument(arg) => match self.arguments.get(arg as usize) {
                    Some(Argument::Buffer(own)) => buffer(own)?,
                    Some(Argument::Image(image)) => Arc::clone(&image.surface),
                    _ => continue,
                },
                SurfaceSlot::Constants => buffer(&Arc::clone(constants).into())?,
                SurfaceSlot::Globals => buffer(&Arc::clone(globals).into())?,
                SurfaceSlot::Printf => match &self.printf {
                    Some(printf) => buffer(&Arc::clone(printf).into())?,
                    None => continue,
                },
                SurfaceSlot::Reserved => continue,
            };
            self.bindings.surfaces.insert(index, surface);
        }
        for (index, slot) in description.all_samplers() {
            let choice = match slot {
                SamplerSlot::Fixed(choice) => choice,
                SamplerSlot::Argument(arg) => match self.arguments.get(arg as usize) {
                    Some(Argument::Sampler(choice)) => *choice,
                    _ => continue,
                },
            };
            let state = Arc::new(choice.state());
            self.bindings
                .samplers
                .insert(index, Sampler::Texture(state));
        }
        Ok(())
    }

    /// The grid; `payload` is [`PreparedLaunch::payload`].
    pub fn grid<'a>(&self, payload: &'a crate::launch::Payload<'a>) -> Grid<'a> {
        let partial = self.size.has_partial_groups();
        let grid = Grid::compute(self.groups, self.registers.threads()).with_payload(payload);
        Grid {
            alike: !partial,
            partial: partial.then_some(Partial {
                size: self.size,
                lanes: self.registers.lanes(),
            }),
            ..grid
        }
    }

    /// What gives each thread its registers.
    pub fn payload(&self) -> impl Fn(ThreadId) -> crate::launch::ThreadStart + Sync + '_ {
        |id| self.registers.start(id)
    }

    /// Options with the memory that the kernel needs.
    pub fn options(&self, program: &Program, options: RunOptions) -> RunOptions {
        RunOptions {
            // Groups get whole KiB.
            slm_bytes: (self.slm_bytes.next_multiple_of(1024)).saturating_sub(program.slm_bytes),
            slm_used: Some(self.slm_bytes),
            scratch_bytes: match self.scratch_bytes {
                0 => options.scratch_bytes,
                bytes => bytes,
            },
            ..options
        }
    }
}

/// Bytes of a thread's own memory, within what visim gives.
fn own_bytes(bytes: u64) -> Result<usize, Refused> {
    if bytes > MAX_OWN {
        return Err(refuse(
            Code::L0640,
            format!("{bytes} bytes of private memory for each thread, at most {MAX_OWN} are given"),
        ));
    }
    Ok((bytes as usize).next_multiple_of(1024))
}

/// Memory lies at addresses of 64 bits.
fn pointers(description: &Description) -> Result<(), Refused> {
    let narrow = description.pieces.iter().find(|piece| {
        let address = matches!(
            piece.content,
            Content::BufferAddress(_)
                | Content::ConstBase
                | Content::GlobalBase
                | Content::PrivateBase
                | Content::PrintfBuffer
        );
        address && (1..8).contains(&piece.size)
    });
    let Some(piece) = narrow else {
        return Ok(());
    };
    let what = format!(
        "the kernel takes an address of {} bytes at byte {} of its payload: visim has those of 8",
        piece.size, piece.offset
    );
    let mut refused = refuse(Code::N0640, what);
    refused.help = Some("compile it for pointers of 64 bits, without -32".to_string());
    Err(refused)
}

/// Every argument that the kernel uses is there and of the kind that it is used as.
fn kinds(description: &Description, arguments: &[Argument]) -> Result<(), Refused> {
    let check = |arg: u32, wanted: &str, fits: &dyn Fn(&Argument) -> bool| {
        let argument = arguments.get(arg as usize).unwrap_or(&Argument::Missing);
        if fits(argument) {
            return Ok(());
        }
        let mut refused = refuse(
            Code::E0642,
            format!(
                "{} is {}, the kernel takes {wanted}",
                description.argument(arg),
                argument.kind()
            ),
        );
        let key = description.names.get(&arg);
        let key = key.map_or_else(|| arg.to_string(), String::clone);
        let like = match wanted {
            "a value" => "int:5",
            "local memory" => "local:1024",
            "an image" => match description.images.get(&arg).map(|kind| image::sizes(kind)) {
                Some(Some(1)) => "image:size=64:in=texels.bin",
                Some(Some(3)) => "image:size=64x48x4:in=texels.bin",
                _ => "image:in.png",
            },
            "memory" => "buffer:in.bin, or image:in.png",
            "a sampler" => "sampler:clamp:linear:normalized",
            _ => "buffer:in.bin",
        };
        refused.help = Some(format!("--arg {key}={like}"));
        Err(refused)
    };
    for piece in &description.pieces {
        match piece.content {
            Content::Value { arg, from } => {
                check(arg, "a value", &|a| a.value().is_some())?;
                if let Some(argument) = arguments.get(arg as usize) {
                    fits(description, argument, arg, (from, piece.size))?;
                }
            }
            Content::BufferAddress(arg) => check(arg, "a buffer", &|a| {
                matches!(a, Argument::Buffer(_) | Argument::Null)
            })?,
            Content::SlmOffset { arg, .. } => {
                check(arg, "local memory", &|a| matches!(a, Argument::Local(_)))?;
            }
            Content::Image { arg, .. } => {
                check(arg, "an image", &|a| matches!(a, Argument::Image(_)))?;
            }
            Content::Handle(Handle::Surface(arg)) => check(arg, "memory", &|a| {
                matches!(a, Argument::Buffer(_) | Argument::Image(_) | Argument::Null)
            })?,
            Content::Handle(Handle::Sampler(arg))
            | Content::SamplerSnap(arg)
            | Content::SamplerNormalized(arg)
            | Content::SamplerAddressing(arg) => {
                check(arg, "a sampler", &|a| matches!(a, Argument::Sampler(_)))?;
            }
            _ => {}
        }
    }
    for (&arg, kind) in &description.images {
        check(arg, "an image", &|a| {
            matches!(a, Argument::Image(_) | Argument::Null)
        })?;
        if let Some(Argument::Image(image)) = arguments.get(arg as usize) {
            image_kind(description, arg, kind, &image.shape)?;
        }
    }
    for &(_, slot) in &description.surfaces {
        if let SurfaceSlot::Argument(arg) = slot {
            check(arg, "memory", &|a| {
                matches!(a, Argument::Buffer(_) | Argument::Image(_) | Argument::Null)
            })?;
        }
    }
    for &(_, slot) in &description.samplers {
        if let SamplerSlot::Argument(arg) = slot {
            check(arg, "a sampler", &|a| matches!(a, Argument::Sampler(_)))?;
        }
    }
    Ok(())
}

/// An image is of the kind that the kernel was compiled for.
fn image_kind(
    description: &Description,
    arg: u32,
    kind: &str,
    given: &Shape,
) -> Result<(), Refused> {
    let argument = description.argument(arg);
    if !KINDS.contains(&kind) {
        let what = format!("{argument} is an image of type {kind}, which is not modelled");
        return Err(refuse(Code::N0640, what));
    }
    let Some(why) = given.contradicts(kind) else {
        return Ok(());
    };
    let Shape {
        kind: own, order, ..
    } = given;
    let what =
        format!("{argument} is an image of type {own}, order {order}; the kernel takes {kind}");
    let mut refused = refuse(Code::E0642, what);
    refused.notes.push(format!(
        "the compiler's description has it as {kind}: {why}"
    ));
    refused.help = Some(match is_depth(kind) && !is_depth(own) {
        true => format!("type={kind} order=DEPTH channel=FLOAT"),
        false => format!("type={kind}, or leave the type out"),
    });
    Err(refused)
}

/// A value has the bytes that the kernel reads, and is of the type that the kernel takes.
///
/// * `read`: first byte and bytes of the piece that is read.
fn fits(
    description: &Description,
    argument: &Argument,
    arg: u32,
    read: (u32, u32),
) -> Result<(), Refused> {
    let wrong = |what: String| {
        let what = format!("{} {what}", description.argument(arg));
        Err(refuse(Code::E0642, what))
    };
    let taken = description.types.get(&arg);
    if let (Some(taken), Argument::Typed(ty, _)) = (taken, argument)
        && let (Some(wanted), Some(given)) = (value_type(taken), value_type(ty))
        && wanted != given
    {
        let key = description.names.get(&arg);
        let key = key.map_or_else(|| arg.to_string(), String::clone);
        return wrong(format!("takes `{taken}`, not `{ty}`")).map_err(|mut refused| {
            refused.help = Some(format!("--arg {key}={taken}:…"));
            refused
        });
    }
    let given = argument.value().unwrap_or_default().len() as u64;
    let (from, size) = (u64::from(read.0), u64::from(read.1));
    // A piece of a dword may hold less; what lies beyond the end of the argument is zero: launch reference 5.
    if given < from + if size > 4 { size } else { 1 } {
        let last = from + size - 1;
        return wrong(format!(
            "has {}, the kernel reads bytes {from} to {last}",
            counted(given, "byte")
        ));
    }
    let own = |content| matches!(content, Content::Value { arg: other, .. } if other == arg);
    let alone = description.pieces.iter().filter(|p| own(p.content)).count() == 1;
    // Three components take the room of four; a structure may have members that are never read.
    let most = size.max(4).next_power_of_two();
    match argument {
        Argument::Typed(ty, _) if taken.is_none() && alone && from == 0 && given > most => {
            let size = counted(size, "byte");
            wrong(format!("has {size}, a value of `{ty}` has {given}"))
        }
        _ => Ok(()),
    }
}

/// Local arguments follow the static memory in argument order, each aligned: argument, start, end.
/// Source: launch reference 7.
fn local_offsets(
    description: &Description,
    arguments: &[Argument],
) -> Result<Vec<(u32, u32, u32)>, Refused> {
    let mut next = u64::from(description.slm_bytes);
    if next > MAX_SLM {
        return Err(too_much_slm(next));
    }
    let mut offsets = Vec::new();
    for (arg, argument) in arguments.iter().enumerate() {
        let Argument::Local(bytes) = argument else {
            continue;
        };
        let alignment = description.pieces.iter().find_map(|p| match p.content {
            Content::SlmOffset {
                arg: own,
                alignment,
            } if own as usize == arg => Some(alignment),
            _ => None,
        });
        let alignment = alignment.filter(|&a| a > 0).unwrap_or(16);
        let start = next.next_multiple_of(u64::from(alignment));
        next = start + u64::from(*bytes);
        if next > MAX_SLM {
            return Err(too_much_slm(next));
        }
        offsets.push((arg as u32, start as u32, next as u32));
    }
    Ok(offsets)
}

fn too_much_slm(bytes: u64) -> Refused {
    refuse(
        Code::L0640,
        format!("{bytes} bytes of shared local memory, at most {MAX_SLM} are given"),
    )
}

/// The address of each argument that is a buffer: its own, or one of those that follow each other from [`BUFFERS`] on,
/// over what has one already.
fn addresses(arguments: &[Argument]) -> Vec<u64> {
    let buffers = arguments.iter().filter_map(|argument| match argument {
        Argument::Buffer(buffer) => Some(buffer),
        _ => None,
    });
    let taken = buffers.filter_map(|own| Some((own.address?, own.memory.len() as u64)));
    let taken: Vec<(u64, u64)> = taken.collect();
    let mut next = BUFFERS;
    let mut one = |argument: &Argument| {
        let Argument::Buffer(buffer) = argument else {
            return next;
        };
        let offset = buffer.offset as u64;
        if let Some(own) = buffer.address {
            return own + offset;
        }
        // Each has a gap after it; a large one takes several steps.
        let room = (buffer.memory.len() as u64 / STEP + 1) * STEP;
        let in_the_way = |start: u64| {
            let meets = |&&(own, bytes): &&(u64, u64)| own < start + room && start < own + bytes;
            taken.iter().find(meets)
        };
        while let Some((own, bytes)) = in_the_way(next) {
            next = (own + bytes).next_multiple_of(STEP) + STEP;
        }
        let start = next;
        next += room;
        start + offset
    };
    arguments.iter().map(&mut one).collect()
}

/// A buffer of bytes over a part of a memory.
fn buffer(part: &Buffer) -> Result<Arc<Surface>, Refused> {
    let description = match u32::try_from(part.bytes) {
        Ok(0) | Err(_) => SurfaceDescription::null(),
        Ok(bytes) => SurfaceDescription {
            base: part.offset as u64,
            ..SurfaceDescription::buffer(Format::R8_UINT, bytes)
        },
    };
    let surface = Surface::new(description, Arc::clone(&part.memory))
        .map_err(|invalid| refuse(Code::L0640, invalid.what))?;
    Ok(Arc::new(surface))
}
