//! What the compiler says of a kernel. Source: launch reference 1, 2 and 6.

use super::argument::SamplerChoice;
use crate::exec::bindings::{FIRST_HANDLE, STATE_BYTES};
use crate::isa::Platform;
use std::collections::{BTreeMap, BTreeSet};

/// Which of the two compilers wrote the text. Source: launch reference, head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compiler {
    /// OpenCL C: one lane for each work-item.
    #[default]
    Scalar,
    /// CM-style code: one thread for each work-item.
    Vector,
}

/// What has to be known of a kernel to launch it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// Whose rules apply.
    pub compiler: Compiler,
    /// Lanes of a thread.
    pub simd: u32,
    /// Bytes of static shared local memory.
    pub slm_bytes: u32,
    /// Bytes of private memory of a work-item, at `private_base`.
    pub private_bytes: u32,
    /// Bytes of scratch memory of a thread.
    pub scratch_bytes: u32,
    /// The group size the source asks for; zeros if it asks for none.
    pub required_local: [u32; 3],
    /// What fills the registers.
    pub pieces: Vec<Piece>,
    /// What binding table indices lead to.
    pub surfaces: Vec<(u32, SurfaceSlot)>,
    /// What sampler indices lead to.
    pub samplers: Vec<(u32, SamplerSlot)>,
    /// Kinds of image arguments by number, where they are known; [`super::image::KINDS`] has those that visim has.
    pub images: BTreeMap<u32, String>,
    /// Arguments by number, where their names are known.
    pub names: BTreeMap<u32, String>,
    /// Types of arguments in OpenCL C by number, where they are known: `float`, `uchar3`, `long*`.
    pub types: BTreeMap<u32, String>,
    /// Arguments that the kernel only reads, where that is known: images and buffers.
    pub read_only: BTreeSet<u32>,
    /// Texts that `printf` names by number; without them it names addresses.
    pub strings: BTreeMap<u32, String>,
}

/// Some bytes of the register file and what fills them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Offset from byte 0 of `r0`.
    pub offset: u32,
    /// Bytes; what the content has beyond them is cut off.
    pub size: u32,
    /// What fills them.
    pub content: Content,
}

/// What fills a piece. Source: launch reference 4 and 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Local ids of one dimension, 16 bits for each lane.
    LocalId {
        /// 0 for x, 1 for y, 2 for z.
        dim: usize,
        /// The lane that the first 16 bits belong to.
        first_lane: u32,
    },
    /// The local id of a thread that is one work-item: three times 16 bits.
    LocalIdXyz,
    /// The global offset of one dimension.
    GlobalOffset(usize),
    /// The global size.
    GlobalSize(usize),
    /// The size of the thread's group.
    LocalSize(usize),
    /// The group size that was asked for: that of groups which are not cut off at the end.
    EnqueuedLocalSize(usize),
    /// The number of groups.
    GroupCount(usize),
    /// 1, 2 or 3.
    WorkDim,
    /// Bytes of an argument from `from` on.
    Value {
        /// The number of the argument.
        arg: u32,
        /// The first byte of it.
        from: u32,
    },
    /// The address of a buffer.
    BufferAddress(u32),
    /// How far a buffer lies after the start of its surface: visim binds surfaces at the buffer, 0.
    BufferOffset,
    /// Where a local argument starts in shared local memory.
    SlmOffset {
        /// The number of the argument.
        arg: u32,
        /// What its start is a multiple of, in bytes.
        alignment: u32,
    },
    /// A property of an image argument.
    Image {
        /// The number of the argument.
        arg: u32,
        /// Which property.
        query: ImageQuery,
    },
    /// All ones if a sampler is nearest with a border.
    SamplerSnap(u32),
    /// 8 if a sampler takes normalised coordinates.
    SamplerNormalized(u32),
    /// The address mode of a sampler as a number.
    SamplerAddressing(u32),
    /// The address of the program's constants.
    ConstBase,
    /// The address of the program's writable globals.
    GlobalBase,
    /// The address of private memory.
    PrivateBase,
    /// The address of the buffer of `printf`.
    PrintfBuffer,
    /// What names a surface or a sampler that no table has.
    Handle(Handle),
    /// Bytes that no instruction of the text reads.
    Unread,
}

/// What a handle names. Texts copy handles and set bit 0 of those of samplers; that is all they do with them.
/// Source: Xe2 reference 3.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The surface of a buffer or image argument.
    Surface(u32),
    /// The surface of the program's constants.
    Constants,
    /// The surface of the program's writable globals.
    Globals,
    /// A sampler argument.
    Sampler(u32),
    /// A sampler that the program declares, by its index.
    InlineSampler(u32),
}

impl Handle {
    /// Bit 0, which texts set in handles of samplers before they use them.
    pub const SAMPLER_BIT: u32 = 1;

    /// The value: the offset of a state from which no index of a binding table is made.
    pub const fn value(self) -> u32 {
        let state = match self {
            Handle::Constants => 0,
            Handle::Globals => 1,
            Handle::Surface(number) | Handle::Sampler(number) => 2 + (number & 0xfff),
            Handle::InlineSampler(index) => 0x1002 + (index & 0xfff),
        };
        FIRST_HANDLE + STATE_BYTES * state
    }
}

impl Content {
    /// The argument it comes from.
    pub fn argument(self) -> Option<u32> {
        match self {
            Content::Value { arg, .. }
            | Content::BufferAddress(arg)
            | Content::SlmOffset { arg, .. }
            | Content::Image { arg, .. }
            | Content::SamplerSnap(arg)
            | Content::SamplerNormalized(arg)
            | Content::SamplerAddressing(arg)
            | Content::Handle(Handle::Surface(arg) | Handle::Sampler(arg)) => Some(arg),
            _ => None,
        }
    }

    /// Whether it differs from thread to thread.
    pub fn is_of_thread(self) -> bool {
        matches!(self, Content::LocalId { .. } | Content::LocalIdXyz)
    }
}

/// What a kernel may ask of an image; answered by the payload, never by a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum ImageQuery {
    Width,
    Height,
    Depth,
    ArraySize,
    ChannelType,
    ChannelOrder,
    SrgbChannelOrder,
    Levels,
    Samples,
}

/// What a binding table index leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceSlot {
    /// The memory of a buffer or image argument.
    Argument(u32),
    /// The program's constants.
    Constants,
    /// The program's writable globals.
    Globals,
    /// The buffer of `printf`.
    Printf,
    /// Private memory, or nothing: no text reaches it this way.
    Reserved,
}

/// What a sampler index leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SamplerSlot {
    /// A sampler argument.
    Argument(u32),
    /// A sampler that the program declares.
    Fixed(SamplerChoice),
}

impl Description {
    /// An argument for people: its number, and its name if that is known.
    pub fn argument(&self, number: u32) -> String {
        match self.names.get(&number) {
            Some(name) => format!("argument {number}, `{name}`,"),
            None => format!("argument {number}"),
        }
    }

    /// What handles name.
    fn handles(&self) -> impl Iterator<Item = Handle> {
        self.pieces.iter().filter_map(|piece| match piece.content {
            Content::Handle(handle) => Some(handle),
            _ => None,
        })
    }

    /// Whether arguments are passed by handles.
    pub fn has_handles(&self) -> bool {
        self.handles().next().is_some()
    }

    /// Surfaces by the number that messages name them by: an index or a handle.
    pub fn all_surfaces(&self) -> impl Iterator<Item = (u32, SurfaceSlot)> {
        let handles = self.handles().filter_map(|handle| {
            let slot = match handle {
                Handle::Surface(arg) => SurfaceSlot::Argument(arg),
                Handle::Constants => SurfaceSlot::Constants,
                Handle::Globals => SurfaceSlot::Globals,
                Handle::Sampler(_) | Handle::InlineSampler(_) => return None,
            };
            Some((handle.value(), slot))
        });
        self.surfaces.iter().copied().chain(handles)
    }

    /// Samplers by the number that messages name them by: an index or a handle, with and without its bit 0.
    pub fn all_samplers(&self) -> impl Iterator<Item = (u32, SamplerSlot)> {
        let handles = self.handles().filter_map(|handle| {
            let slot = match handle {
                Handle::Sampler(arg) => SamplerSlot::Argument(arg),
                Handle::InlineSampler(index) => self.samplers.iter().find(|s| s.0 == index)?.1,
                _ => return None,
            };
            Some([0, Handle::SAMPLER_BIT].map(|bit| (handle.value() | bit, slot)))
        });
        self.samplers.iter().copied().chain(handles.flatten())
    }

    /// Bytes of one row of local ids. Source: launch reference 4.
    pub fn local_id_row(&self, platform: Platform) -> u32 {
        if self.simd == 32 || platform.grf_bytes() == 64 {
            64
        } else {
            32
        }
    }

    /// Why an input of the text, a register byte and a size, is not where the compiler puts inputs on a platform;
    /// `None` if it may be. Source: launch reference 2 and 4.
    ///
    /// An input that lies in no piece at all has a value that does not matter, or is a surface.
    pub fn misfit(&self, (offset, size): (u32, u32), platform: Platform) -> Option<String> {
        let grf = platform.grf_bytes();
        if offset < grf {
            return Some(format!("r0 has {grf} bytes on {platform}"));
        }
        let end = offset.saturating_add(size);
        let covers = |p: &&Piece| p.offset <= offset && offset < p.offset.saturating_add(p.size);
        let piece = self.pieces.iter().find(covers)?;
        let last = piece.offset.saturating_add(piece.size);
        let fits = match piece.content {
            // Members of a structure that follow each other may be one piece, and inputs of their own.
            Content::Value { .. } | Content::LocalId { .. } | Content::LocalIdXyz => end <= last,
            _ => piece.offset == offset,
        };
        let what = if piece.content.is_of_thread() {
            "a row of local ids"
        } else {
            "a part of the payload"
        };
        let range = format!("bytes {} to {}", piece.offset, last.saturating_sub(1));
        (!fits).then(|| format!("{what} takes {range} on {platform}"))
    }

    /// Number of arguments that some piece or slot names.
    pub fn arguments(&self) -> u32 {
        let pieces = self.pieces.iter().filter_map(|p| p.content.argument());
        let surfaces = self.surfaces.iter().filter_map(|(_, slot)| match slot {
            SurfaceSlot::Argument(arg) => Some(*arg),
            _ => None,
        });
        let samplers = self.samplers.iter().filter_map(|(_, slot)| match slot {
            SamplerSlot::Argument(arg) => Some(*arg),
            SamplerSlot::Fixed(_) => None,
        });
        let last = pieces.chain(surfaces).chain(samplers).max();
        last.map_or(0, |n| n.saturating_add(1))
    }
}
