//! What a run gives its program: surfaces, sampler states, values of variables.

use super::remarks::Remarks;
use super::windows::Windows;
use crate::dataport::typed::Writer;
use crate::dataport::untyped::Window;
use crate::diagnostic::counted;
use crate::lower::{SLM, STATELESS};
use crate::sampler::SamplerState;
use crate::sampler::avs::AvsSampler;
use crate::sampler::deinterlace::DeinterlaceState;
use crate::sampler::unorm::UnormSampler;
use crate::surface::{Memory, Surface};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// A sampler state; each kind of message requires its own.
#[derive(Clone, Debug)]
pub enum Sampler {
    /// For `avs` and the `sample_8x8` message.
    Avs(Arc<AvsSampler>),
    /// For `sample…`, `gather4…` and `lod`.
    Texture(Arc<SamplerState>),
    /// For `sample_unorm`.
    Unorm(UnormSampler),
    /// For the `deinterlace` message.
    Deinterlace(Arc<DeinterlaceState>),
}

impl Sampler {
    /// What it is, for messages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Sampler::Avs(_) => "an AVS state",
            Sampler::Texture(_) => "a 3D sampler state",
            Sampler::Unorm(_) => "a sample_unorm state",
            Sampler::Deinterlace(_) => "a deinterlace state",
        }
    }
}

/// Everything bound for a run. Cheap to clone: surfaces share their memory.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Surfaces by binding table index. A declared `T` variable starts with its own index, counted
    /// from 6 (`T6` is 6 when it is the first declared), so a text without `movs` finds `T6` at 6.
    /// Planes of a surface are consecutive indices unless bound otherwise.
    pub surfaces: BTreeMap<u32, Arc<Surface>>,
    /// Sampler states by sampler index. A declared `S` variable starts with its own index, from 0.
    pub samplers: BTreeMap<u32, Sampler>,
    /// Memory at 64-bit addresses. Surfaces may share the same memory: both ways see the same bytes.
    pub memory: Vec<FlatRange>,
    /// Addresses at which every thread finds memory of its own.
    pub own: Option<OwnRange>,
    /// Start values of variables by name, little-endian bytes from element 0 on: general variables,
    /// built-ins (`%r0`), address and predicate variables, and the indices in surface and sampler
    /// variables (4 bytes each). They win over payload and defaults. Fewer bytes than the variable
    /// has leave the rest zero.
    pub variables: IndexMap<String, Vec<u8>>,
    /// What messages call the memory.
    pub names: MemoryNames,
}

/// What bound memory is for people, where somebody has names for it: the arguments of a compiled kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryNames {
    /// Names of memories by the address of their first byte.
    pub memory: BTreeMap<u64, String>,
    /// What would appear at binding table indices that nothing is bound to: a null pointer.
    pub surfaces: BTreeMap<u32, String>,
    /// What has no address: null pointers.
    pub null: Vec<String>,
    /// Where pointers in the data of the program lead to is unknown.
    pub unrelocated: bool,
}

/// A memory and the 64-bit address of its first byte.
#[derive(Clone, Debug)]
pub struct FlatRange {
    /// Address of byte 0.
    pub address: u64,
    /// The bytes.
    pub memory: Arc<Memory>,
}

/// Addresses after which every thread has memory of its own: private memory of compiled kernels.
/// Source: launch reference 7, "Private arrays".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnRange {
    /// Address of byte 0.
    pub address: u64,
    /// Bytes of each thread.
    pub bytes: usize,
}

/// A thread's own memory, made when it is first touched.
#[derive(Debug)]
pub struct OwnMemory {
    range: OwnRange,
    memory: OnceLock<Option<Memory>>,
}

impl OwnMemory {
    /// Memory that has not been touched.
    pub fn new(range: OwnRange) -> OwnMemory {
        OwnMemory {
            range,
            memory: OnceLock::new(),
        }
    }

    /// The memory that holds `bytes` bytes from `address` on, and their offset in it; `None` as well where the run
    /// may have no more, which its [`Ledger`](crate::surface::Ledger) knows.
    pub fn find(&self, address: u64, bytes: usize) -> Option<(Window<'_>, u64)> {
        let offset = address.checked_sub(self.range.address)?;
        let end = offset.checked_add(bytes as u64)?;
        if end > self.range.bytes as u64 {
            return None;
        }
        let made = || Memory::allot(self.range.bytes).ok();
        let memory = self.memory.get_or_init(made).as_ref()?;
        Some((Window::whole(memory), offset))
    }
}

/// All memory at 64-bit addresses.
#[derive(Clone, Debug, Default)]
pub struct FlatMemory {
    /// By address; where two overlap, the later start wins.
    ranges: Vec<FlatRange>,
    names: MemoryNames,
}

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Bytes past the end of a memory from which on an access has nothing to do with it.
const FAR: u64 = 1 << 28;

impl FlatMemory {
    fn new(bindings: &Bindings) -> FlatMemory {
        let mut ranges = bindings.memory.clone();
        ranges.sort_by_key(|r| r.address);
        let names = bindings.names.clone();
        FlatMemory { ranges, names }
    }

    /// Notes for an access of `bytes` bytes at `address` that meets no memory: which named memory lies in front of
    /// it, and what is null.
    pub fn near(&self, address: u64, bytes: usize) -> Vec<String> {
        let after = self.ranges.partition_point(|r| r.address <= address);
        let range = after.checked_sub(1).map(|before| &self.ranges[before]);
        let named = range.and_then(|r| Some((r, self.names.memory.get(&r.address)?)));
        let Some((range, name)) = named else {
            let null = |name: &String| format!("{name} is null");
            let null = self.names.null.iter().map(null);
            let unrelocated = self.names.unrelocated && address <= u64::from(u32::MAX);
            let unrelocated = unrelocated.then(|| {
                "pointers in the program's constants and globals are as small: `launch.json` does not say what they \
                 lead to, the compiler's program does (--zebin)"
                    .to_string()
            });
            return null.chain(unrelocated).collect();
        };
        let (len, start) = (range.memory.len() as u64, range.address);
        let past = (address - start).saturating_sub(len);
        if past > FAR {
            return Vec::new();
        }
        let place = match address - start < len {
            true => format!(
                "{} of them lie past its end",
                bytes as u64 - (len - (address - start))
            ),
            false if past == 0 => "the access begins right past its end".to_string(),
            false => format!("the access begins {} past its end", counted(past, "byte")),
        };
        vec![format!("{name} has {len} bytes at {start:#x}: {place}")]
    }

    /// What would appear at a binding table index that nothing is bound to.
    pub fn absent(&self, index: u32) -> Option<&str> {
        self.names.surfaces.get(&index).map(String::as_str)
    }

    /// As [`FlatMemory::find`], for reads: what follows a memory up to the end of its last page reads as 0, since
    /// drivers allocate whole pages, and compilers load four elements where three are asked for.
    pub fn find_readable(&self, address: u64, bytes: usize) -> Option<(Window<'_>, u64)> {
        let after = self.ranges.partition_point(|r| r.address <= address);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        let end = range.address.checked_add(range.memory.len() as u64)?;
        let pages = end.checked_next_multiple_of(PAGE)?;
        let inside = address.checked_add(bytes as u64)? <= pages;
        inside.then(|| (Window::whole(&range.memory), address - range.address))
    }

    /// The one memory that holds `bytes` bytes at each address from `low` to `high`, and the offset of the first.
    pub fn find_span(&self, low: u64, high: u64, bytes: usize) -> Option<(Window<'_>, u64)> {
        let after = |address: u64| self.ranges.partition_point(|r| r.address <= address);
        if after(low) != after(high) {
            return None;
        }
        let span = usize::try_from(high - low).ok()?.checked_add(bytes)?;
        self.find(low, span)
    }

    /// The memory that holds `bytes` bytes from `address` on, and their offset in it.
    pub fn find(&self, address: u64, bytes: usize) -> Option<(Window<'_>, u64)> {
        let after = self.ranges.partition_point(|r| r.address <= address);
        let range = self.ranges.get(after.checked_sub(1)?)?;
        let offset = address - range.address;
        let end = offset.checked_add(bytes as u64)?;
        (end <= range.memory.len() as u64).then(|| (Window::whole(&range.memory), offset))
    }
}

/// [`Bindings`] as threads see them, found by index without a search.
pub struct Resources {
    surfaces: Vec<Option<Arc<Surface>>>,
    /// What is known beforehand of images that may be written.
    writers: Vec<Option<Writer>>,
    samplers: BTreeMap<u32, Sampler>,
    /// Memory at 64-bit addresses.
    pub flat: FlatMemory,
    /// Addresses after which every thread has memory of its own.
    pub own: Option<OwnRange>,
    /// What threads have to say.
    pub remarks: Remarks,
    /// All of this memory as native code finds it.
    pub(crate) windows: Windows,
    /// Stateless memory of Gen5 that no surface is bound for, made when it is first touched.
    general_state: OnceLock<Memory>,
}

/// Entries of a binding table.
const TABLE: usize = 256;

/// Bytes of a surface state: handles are multiples of it, the least one past the table. Source: Xe2 reference 3.2.
pub const STATE_BYTES: u32 = 64;

/// The least handle of a surface.
pub const FIRST_HANDLE: u32 = TABLE as u32 * STATE_BYTES;

/// Surfaces that handles may name at most.
const HANDLES: usize = 1 << 16;

/// Where a surface is found by its index or handle.
#[inline]
const fn place(index: u32) -> usize {
    match index < FIRST_HANDLE || !index.is_multiple_of(STATE_BYTES) {
        true if index < TABLE as u32 => index as usize,
        true => usize::MAX,
        false => (index / STATE_BYTES) as usize,
    }
}

/// The other way round: the index or handle of a place.
const fn index(place: usize) -> u32 {
    match place < TABLE {
        true => place as u32,
        false => place as u32 * STATE_BYTES,
    }
}

impl Resources {
    /// Spreads the bindings into tables.
    pub fn new(bindings: &Bindings) -> Resources {
        let mut surfaces = vec![None; TABLE];
        for (&index, surface) in &bindings.surfaces {
            let place = place(index);
            if (surfaces.len()..HANDLES).contains(&place) {
                surfaces.resize(place + 1, None);
            }
            if let Some(slot) = surfaces.get_mut(place) {
                *slot = Some(Arc::clone(surface));
            }
        }
        let writer = |surface: &Option<Arc<Surface>>| Writer::new(surface.as_deref()?);
        let flat = FlatMemory::new(bindings);
        let seen = surfaces.iter().enumerate().filter_map(|(place, surface)| {
            let surface = surface.as_deref()?;
            // Messages find no surface at these.
            if [SLM, STATELESS].contains(&index(place)) {
                return None;
            }
            Some((index(place), Window::of(surface), surface.memory()))
        });
        let ranges = flat.ranges.iter().map(|r| (r.address, &r.memory));
        Resources {
            windows: Windows::new(seen, ranges),
            writers: surfaces.iter().map(writer).collect(),
            surfaces,
            samplers: bindings.samplers.clone(),
            flat,
            own: bindings.own,
            remarks: Remarks::default(),
            general_state: OnceLock::new(),
        }
    }

    /// The memory above General State Base Address, one for all threads, where nothing is bound at index 255.
    /// Source: PRM 5.3.2.
    pub fn general_state(&self, bytes: usize) -> &Memory {
        self.general_state.get_or_init(|| Memory::zeroed(bytes))
    }

    /// The state at a sampler index.
    pub fn sampler(&self, index: u32) -> Option<&Sampler> {
        self.samplers.get(&index)
    }

    /// The surface at a binding table index.
    #[inline]
    pub fn surface(&self, index: u32) -> Option<&Surface> {
        self.surfaces.get(place(index))?.as_deref()
    }

    /// How texels of the surface at a binding table index are written, if there is a short way.
    #[inline]
    pub fn writer(&self, index: u32) -> Option<&Writer> {
        self.writers.get(place(index))?.as_ref()
    }

    /// The bound indices, for messages.
    pub fn bound(&self) -> impl Iterator<Item = usize> {
        (0..TABLE).filter(|&i| self.surfaces[i].is_some())
    }
}
