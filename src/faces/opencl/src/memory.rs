//! Buffers, sub-buffers and images, and what commands do with their bytes.
//!
//! ```text
//!  buffer ─┬─ sub-buffer            the same bytes, from an offset on
//!          └─ image of a buffer     the same bytes, as texels
//!  image                            rows of texels, each at its pitch
//! ```
//!
//! The bytes of an object lie in one [`Memory`]; a map hands out their address, unless the host lent its own.

use crate::context::Context;
use crate::host::{Ending, HostMemory};
use crate::info::{self, Info};
use crate::object::{Object, Result, class, lock};
use crate::sys::*;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, OnceLock};
use visim::internals::launch::kernel::Buffer;
use visim::internals::launch::kernel::image::{Image, Shape};
use visim::internals::surface::Memory;

/// A memory object.
pub struct Mem {
    /// Its context.
    pub context: Arc<Object<Context>>,
    /// `CL_MEM_…`.
    pub flags: cl_mem_flags,
    /// What it is a part of.
    pub parent: Option<Arc<Object<Mem>>>,
    /// What it is.
    pub content: Content,
    /// As the host gave them.
    properties: Vec<cl_mem_properties>,
    /// What the host lent.
    host: Option<HostMemory>,
    maps: Mutex<Vec<Map>>,
    /// Whom to tell when it ends.
    pub ending: Ending,
    _address: Option<Address>,
}

class!(Mem, CL_INVALID_MEM_OBJECT);

/// The bytes of a memory object.
pub enum Content {
    /// As they are.
    Buffer(Buffer),
    /// As texels.
    Image(Texels),
}

/// An image with what the host said of it.
pub struct Texels {
    /// What kernels see.
    pub image: Image,
    /// Its format.
    pub format: cl_image_format,
    /// Its sizes.
    pub sizes: Sizes,
}

/// Sizes of an image: `cl_image_desc` without pointers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    /// `CL_MEM_OBJECT_IMAGE…`.
    pub kind: cl_mem_object_type,
    /// Texels in each direction.
    pub texels: [usize; 3],
    /// Layers of an array.
    pub layers: usize,
    /// Bytes from row to row and from slice to slice of the host's texels; 0: without gaps.
    pub pitches: [usize; 2],
    /// Mip levels and samples, as given.
    pub levels: cl_uint,
    /// See there.
    pub samples: cl_uint,
}

/// A part that the host has mapped.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    /// What the host got.
    pointer: usize,
    flags: cl_map_flags,
    region: Region,
}

/// A box of bytes or texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Where it begins: of a buffer the byte, of an image the texel.
    pub origin: [usize; 3],
    /// How large it is.
    pub size: [usize; 3],
}

impl Region {
    /// Bytes of a buffer.
    pub const fn bytes(origin: usize, size: usize) -> Region {
        Region {
            origin: [origin, 0, 0],
            size: [size, 1, 1],
        }
    }

    /// Whether two have something in common.
    pub fn meets(&self, other: &Region) -> bool {
        (0..3).all(|at| {
            self.origin[at] < other.origin[at].saturating_add(other.size[at])
                && other.origin[at] < self.origin[at].saturating_add(self.size[at])
        })
    }
}

/// Addresses of buffers on the device. They stay for the life of a buffer, so that kernels may compare and keep them.
struct Addresses {
    next: u64,
    taken: BTreeMap<u64, u64>,
}

/// Where buffers lie: private memory and data of programs are behind it, as `launch::kernel::payload` says.
const FIRST: u64 = 0x10_0000_0000;
const LAST: u64 = 0x90_0000_0000;
/// Buffers begin at multiples of it, with at least as much between them.
const STEP: u64 = 1 << 16;

static ADDRESSES: Mutex<Addresses> = Mutex::new(Addresses {
    next: FIRST,
    taken: BTreeMap::new(),
});

impl Addresses {
    fn take(&mut self, bytes: u64) -> Option<u64> {
        let room = bytes.checked_next_multiple_of(STEP)?.checked_add(STEP)?;
        for _ in 0..2 {
            // Over what lies in the way, from the last address on and once more from the first.
            while let Some(end) = self.next.checked_add(room).filter(|&end| end <= LAST) {
                let before = self.taken.range(..end).next_back();
                match before.filter(|(_, taken)| **taken > self.next) {
                    Some((_, &taken)) => self.next = taken,
                    None => {
                        let start = self.next;
                        self.taken.insert(start, end);
                        self.next = end;
                        return Some(start);
                    }
                }
            }
            self.next = FIRST;
        }
        None
    }
}

/// The address of a buffer, free for others when this is dropped.
struct Address(u64);

impl Drop for Address {
    fn drop(&mut self) {
        lock(&ADDRESSES).taken.remove(&self.0);
    }
}

/// Rows of bytes, of the host's or of a memory object.
#[derive(Clone)]
pub struct Block {
    place: Place,
    /// The first byte of the first row.
    start: usize,
    /// Bytes from row to row, and from slice to slice.
    row: usize,
    slice: usize,
}

#[derive(Clone)]
enum Place {
    Host(HostMemory),
    Device(Arc<Memory>),
}

impl Block {
    /// Rows of the host's, from byte `start` on.
    pub fn of_host(host: HostMemory, start: usize, [row, slice]: [usize; 2]) -> Block {
        Block {
            place: Place::Host(host),
            start,
            row,
            slice,
        }
    }

    fn read(&self, at: usize, out: &mut [u8]) {
        match &self.place {
            Place::Host(host) => host.read(at, out),
            Place::Device(memory) => memory.read(at, out),
        }
    }

    fn write(&self, at: usize, bytes: &[u8]) {
        match &self.place {
            Place::Host(host) => host.write(at, bytes),
            Place::Device(memory) => memory.write(at, bytes),
        }
    }

    /// Where the rows of so many slices begin.
    fn starts(&self, [_, rows, slices]: [usize; 3]) -> impl Iterator<Item = usize> + use<> {
        let (start, row, slice) = (self.start, self.row, self.slice);
        (0..slices).flat_map(move |z| (0..rows).map(move |y| start + z * slice + y * row))
    }

    /// Copies rows of `size[0]` bytes from another block.
    pub fn copy(&self, from: &Block, size: [usize; 3]) {
        let mut bytes = vec![0; size[0].min(PIECE)];
        for (to, at) in self.starts(size).zip(from.starts(size)) {
            for (start, length) in pieces(size[0], PIECE) {
                let piece = &mut bytes[..length];
                from.read(at + start, piece);
                self.write(to + start, piece);
            }
        }
    }

    /// Fills rows of `size[0]` bytes with a pattern.
    pub fn fill(&self, pattern: &[u8], size: [usize; 3]) {
        let most = size[0].min(PIECE.next_multiple_of(pattern.len()));
        let bytes: Vec<u8> = pattern.iter().copied().cycle().take(most).collect();
        for at in self.starts(size) {
            for (start, length) in pieces(size[0], most) {
                self.write(at + start, &bytes[..length]);
            }
        }
    }
}

/// Bytes that are moved at once: what moves lies in a cache in between.
const PIECE: usize = 64 << 10;

/// The pieces of a row: where each begins, and its length.
fn pieces(bytes: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let starts = (0..bytes).step_by(most.max(1));
    starts.map(move |start| (start, most.min(bytes - start)))
}

/// Everything a memory object may be asked to be.
const KNOWN: cl_mem_flags = CL_MEM_READ_WRITE
    | CL_MEM_WRITE_ONLY
    | CL_MEM_READ_ONLY
    | CL_MEM_USE_HOST_PTR
    | CL_MEM_ALLOC_HOST_PTR
    | CL_MEM_COPY_HOST_PTR
    | HOST_ACCESS
    | CL_MEM_KERNEL_READ_AND_WRITE;
const ACCESS: cl_mem_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
const HOST_ACCESS: cl_mem_flags =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
const HOST_POINTER: cl_mem_flags = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

/// Flags go together.
///
/// # Errors
/// `CL_INVALID_VALUE`.
pub fn check_flags(flags: cl_mem_flags) -> Result<()> {
    let several = |of: cl_mem_flags| (flags & of).count_ones() > 1;
    let lent_twice = flags & CL_MEM_USE_HOST_PTR != 0
        && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR) != 0;
    match flags & !KNOWN != 0 || several(ACCESS) || several(HOST_ACCESS) || lent_twice {
        true => Err(CL_INVALID_VALUE),
        false => Ok(()),
    }
}

/// A pointer of the host's is there exactly if the flags say so.
///
/// # Errors
/// `CL_INVALID_HOST_PTR`.
pub fn check_host(flags: cl_mem_flags, host: *const c_void) -> Result<()> {
    match (flags & HOST_POINTER != 0) != host.is_null() {
        true => Ok(()),
        false => Err(CL_INVALID_HOST_PTR),
    }
}

impl Mem {
    fn object(context: Arc<Object<Context>>, flags: cl_mem_flags, content: Content) -> Mem {
        let flags = match flags & ACCESS {
            0 => flags | CL_MEM_READ_WRITE,
            _ => flags,
        };
        Mem {
            context,
            flags,
            parent: None,
            content,
            properties: Vec::new(),
            host: None,
            maps: Mutex::default(),
            ending: Ending::default(),
            _address: None,
        }
    }

    fn made(self) -> Arc<Object<Mem>> {
        let object = Object::new(self);
        object.ending.of(object.handle());
        object
    }

    /// A buffer.
    ///
    /// * `host`: its first bytes, of which there are as many; lent with `CL_MEM_USE_HOST_PTR`.
    ///
    /// # Errors
    /// `CL_INVALID_BUFFER_SIZE`; `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn buffer(
        context: Arc<Object<Context>>,
        flags: cl_mem_flags,
        bytes: usize,
        host: Option<HostMemory>,
        properties: Vec<cl_mem_properties>,
    ) -> Result<Arc<Object<Mem>>> {
        let most = context.devices.iter().map(|d| d.limits.buffer).max();
        if bytes == 0 || bytes as u64 > most.unwrap_or(0) {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        let svm = host.filter(|_| flags & CL_MEM_USE_HOST_PTR != 0);
        let svm = svm.and_then(|host| context.svm.find(host.start().addr()));
        if let Some(shared) = svm {
            if shared.bytes < bytes {
                return Err(CL_INVALID_BUFFER_SIZE);
            }
            // The same bytes for both, at the same address.
            let buffer = Content::Buffer(Buffer { bytes, ..shared });
            return Ok(Mem {
                properties,
                ..Mem::object(context, flags, buffer)
            }
            .made());
        }
        let room = match crate::launch::is_sanitized() {
            true => bytes,
            false => (bytes + LEAST_BEHIND).next_multiple_of(PAGE),
        };
        let memory = Memory::allot(room).map_err(|_| CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        let address = lock(&ADDRESSES).take(room as u64);
        let address = address.ok_or(CL_MEM_OBJECT_ALLOCATION_FAILURE)?;
        let memory = Arc::new(memory);
        if let Some(host) = host {
            let whole = [bytes, 1, 1];
            let to = Block::of_device(&memory, 0, [0, 0]);
            to.copy(&Block::of_host(host, 0, [0, 0]), whole);
        }
        let buffer = Buffer {
            memory,
            address: Some(address),
            offset: 0,
            bytes,
        };
        let own = Mem::object(context, flags, Content::Buffer(buffer));
        Ok(Mem {
            host: host.filter(|_| flags & CL_MEM_USE_HOST_PTR != 0),
            properties,
            _address: Some(Address(address)),
            ..own
        }
        .made())
    }

    /// A part of a buffer.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT`: not a buffer, or a part of one; `CL_INVALID_VALUE`; `CL_INVALID_BUFFER_SIZE`;
    /// `CL_MISALIGNED_SUB_BUFFER_OFFSET`.
    pub fn part(
        parent: Arc<Object<Mem>>,
        flags: cl_mem_flags,
        origin: usize,
        size: usize,
    ) -> Result<Arc<Object<Mem>>> {
        check_flags(flags)?;
        let (Content::Buffer(whole), None) = (&parent.content, &parent.parent) else {
            return Err(CL_INVALID_MEM_OBJECT);
        };
        let own = parent.flags;
        // What the parent may not do, its part may not either.
        let more = |has: cl_mem_flags, asks: cl_mem_flags| own & has != 0 && flags & asks != 0;
        if flags & (HOST_POINTER | CL_MEM_ALLOC_HOST_PTR) != 0
            || more(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)
            || more(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)
            || more(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY)
            || more(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY)
            || more(
                CL_MEM_HOST_NO_ACCESS,
                CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY,
            )
            || origin.checked_add(size).is_none_or(|end| end > whole.bytes)
        {
            return Err(CL_INVALID_VALUE);
        }
        if size == 0 {
            return Err(CL_INVALID_BUFFER_SIZE);
        }
        if !origin.is_multiple_of(PART_ALIGNMENT) {
            return Err(CL_MISALIGNED_SUB_BUFFER_OFFSET);
        }
        let mut inherited = flags;
        for group in [ACCESS, HOST_ACCESS] {
            if flags & group == 0 {
                inherited |= own & group;
            }
        }
        inherited |= own & (HOST_POINTER | CL_MEM_ALLOC_HOST_PTR);
        let buffer = Buffer {
            offset: whole.offset + origin,
            bytes: size,
            ..whole.clone()
        };
        let object = Mem::object(
            Arc::clone(&parent.context),
            inherited,
            Content::Buffer(buffer),
        );
        let host = parent.host.map(|host| host.after(origin, size));
        Ok(Mem {
            host,
            parent: Some(parent),
            ..object
        }
        .made())
    }

    /// An image.
    ///
    /// * `source`: the buffer or image whose bytes it has.
    /// * `host`: its texels at the pitches of `sizes`.
    ///
    /// # Errors
    /// `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR`, `CL_IMAGE_FORMAT_NOT_SUPPORTED`, `CL_INVALID_IMAGE_DESCRIPTOR`,
    /// `CL_INVALID_IMAGE_SIZE`, `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    pub fn image(
        context: Arc<Object<Context>>,
        flags: cl_mem_flags,
        format: cl_image_format,
        sizes: Sizes,
        source: Option<Arc<Object<Mem>>>,
        host: Option<HostMemory>,
        properties: Vec<cl_mem_properties>,
    ) -> Result<Arc<Object<Mem>>> {
        let shape = shape(&context, &format, &sizes)?;
        let image = match &source {
            Some(source) => {
                let (memory, offset, bytes, pitch) = match &source.content {
                    Content::Buffer(whole) => {
                        (&whole.memory, whole.offset, whole.bytes, sizes.pitches[0])
                    }
                    Content::Image(own) => {
                        let (memory, start) =
                            (own.image.surface.memory(), own.image.address_of(0, 0));
                        (memory, start, memory.len() - start, own.row_pitch())
                    }
                };
                let image = Image::over(shape, Arc::clone(memory), offset, pitch);
                let image = image.map_err(|_| CL_INVALID_IMAGE_DESCRIPTOR)?;
                let rows = image.rows_of_slice() as usize;
                let last = image.address_of(0, rows as u32 - 1) - offset;
                if last + sizes.texels[0] * image.texel_bytes() > bytes {
                    return Err(match sizes.kind {
                        CL_MEM_OBJECT_IMAGE1D_BUFFER => CL_INVALID_IMAGE_SIZE,
                        _ => CL_INVALID_IMAGE_SIZE,
                    });
                }
                image
            }
            None => Image::zeroed(shape).map_err(|refused| match refused.class() {
                visim::internals::diagnostic::Class::Limit => CL_MEM_OBJECT_ALLOCATION_FAILURE,
                _ => CL_INVALID_IMAGE_SIZE,
            })?,
        };
        let mut sizes = sizes;
        let texel = image.texel_bytes();
        let tight = sizes.texels[0] * texel;
        if host.is_some() {
            let rows = image.rows_of_slice() as usize;
            if sizes.pitches[0] == 0 {
                sizes.pitches[0] = tight;
            }
            if sizes.pitches[1] == 0 {
                sizes.pitches[1] = sizes.pitches[0] * rows;
            }
        }
        let texels = Texels {
            image,
            format,
            sizes,
        };
        let region = texels.whole();
        if let Some(host) = host {
            let [row, slice] = texels.host_pitches();
            let to = texels.block(&region);
            to.copy(&Block::of_host(host, 0, [row, slice]), texels.rows(&region));
        }
        let object = Mem::object(context, flags, Content::Image(texels));
        Ok(Mem {
            host: host.filter(|_| flags & CL_MEM_USE_HOST_PTR != 0),
            parent: source,
            properties,
            ..object
        }
        .made())
    }

    /// Its bytes, if it is a buffer.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT`.
    pub fn as_buffer(&self) -> Result<&Buffer> {
        match &self.content {
            Content::Buffer(buffer) => Ok(buffer),
            Content::Image(_) => Err(CL_INVALID_MEM_OBJECT),
        }
    }

    /// Its texels, if it is an image.
    ///
    /// # Errors
    /// `CL_INVALID_MEM_OBJECT`.
    pub fn as_image(&self) -> Result<&Texels> {
        match &self.content {
            Content::Image(texels) => Ok(texels),
            Content::Buffer(_) => Err(CL_INVALID_MEM_OBJECT),
        }
    }

    /// The host may read it, or write it.
    ///
    /// # Errors
    /// `CL_INVALID_OPERATION`.
    pub fn host_may(&self, read: bool, write: bool) -> Result<()> {
        let none = self.flags & CL_MEM_HOST_NO_ACCESS != 0;
        let no_read = none || self.flags & CL_MEM_HOST_WRITE_ONLY != 0;
        let no_write = none || self.flags & CL_MEM_HOST_READ_ONLY != 0;
        match read && no_read || write && no_write {
            true => Err(CL_INVALID_OPERATION),
            false => Ok(()),
        }
    }

    /// Rows of a region of it, and how many bytes and rows they are.
    fn rows(&self, region: &Region) -> (Block, [usize; 3]) {
        match &self.content {
            Content::Buffer(buffer) => {
                (buffer_block(buffer, region.origin[0], [0, 0]), region.size)
            }
            Content::Image(texels) => (texels.block(region), texels.rows(region)),
        }
    }

    /// The same rows where the host has lent them.
    fn lent(&self, region: &Region) -> Option<Block> {
        let host = self.host?;
        Some(match &self.content {
            Content::Buffer(_) => Block::of_host(host, region.origin[0], [0, 0]),
            Content::Image(texels) => {
                let [row, slice] = texels.host_pitches();
                let [x, y, z] = region.origin;
                let start = x * texels.image.texel_bytes() + y * row + z * slice;
                Block::of_host(host, start, [row, slice])
            }
        })
    }

    /// Maps a region: where the host finds it, and its pitches.
    pub fn map(&self, flags: cl_map_flags, region: Region) -> (*mut c_void, [usize; 2]) {
        let (block, _) = self.rows(&region);
        let block = self.lent(&region).unwrap_or(block);
        let start = match &block.place {
            Place::Host(host) => host.start().addr() + block.start,
            Place::Device(memory) => memory.host_address() + block.start,
        };
        lock(&self.maps).push(Map {
            pointer: start,
            flags,
            region,
        });
        let pitches = match &self.content {
            Content::Image(texels) if texels.is_row_of_layers() => [0, block.row],
            _ => [block.row, block.slice],
        };
        (std::ptr::with_exposed_provenance_mut(start), pitches)
    }

    /// Lets the host see a region that it maps.
    pub fn show(&self, flags: cl_map_flags, region: &Region) {
        if flags & CL_MAP_WRITE_INVALIDATE_REGION == 0
            && let Some(lent) = self.lent(region)
        {
            let (block, size) = self.rows(region);
            lent.copy(&block, size);
        }
    }

    /// Ends a map.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: nothing is mapped at the address.
    pub fn unmap(&self, pointer: *mut c_void) -> Result<Map> {
        let mut maps = lock(&self.maps);
        let at = maps.iter().position(|map| map.pointer == pointer.addr());
        Ok(maps.remove(at.ok_or(CL_INVALID_VALUE)?))
    }

    /// Takes over what the host has written into memory of its own.
    pub fn take_back(&self, map: &Map) {
        let writes = map.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION) != 0;
        if let Some(lent) = self.lent(&map.region).filter(|_| writes) {
            let (block, size) = self.rows(&map.region);
            block.copy(&lent, size);
        }
    }

    /// `clGetMemObjectInfo`'s size.
    fn bytes(&self) -> usize {
        match &self.content {
            Content::Buffer(buffer) => buffer.bytes,
            Content::Image(texels) => {
                let [_, rows, slices] = texels.rows(&texels.whole());
                let block = texels.block(&texels.whole());
                let row = match texels.is_row_of_layers() {
                    true => block.row,
                    false => texels.row_pitch(),
                };
                row * rows * slices
            }
        }
    }
}

/// Memory of a card comes in pages, and drivers leave some behind a buffer: pointers that lead a few bytes past its end find
/// memory. Programs do that and never know, such as those that load four bytes of a pixel of three. The sanitizer has
/// buffers to the byte.
const PAGE: usize = 4096;
/// Bytes that are behind each buffer at least.
const LEAST_BEHIND: usize = 64;

/// Parts of buffers begin at multiples of it: `CL_DEVICE_MEM_BASE_ADDR_ALIGN` in bytes.
const PART_ALIGNMENT: usize = 128;

impl Block {
    fn of_device(memory: &Arc<Memory>, start: usize, [row, slice]: [usize; 2]) -> Block {
        Block {
            place: Place::Device(Arc::clone(memory)),
            start,
            row,
            slice,
        }
    }
}

/// Rows of a buffer from a byte of it on.
pub fn buffer_block(buffer: &Buffer, start: usize, pitches: [usize; 2]) -> Block {
    Block::of_device(&buffer.memory, buffer.offset + start, pitches)
}

impl Texels {
    /// Each layer is one row: the second number of an origin is a layer.
    fn is_row_of_layers(&self) -> bool {
        self.sizes.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY
    }

    /// Its texels in each direction, layers where they are counted.
    pub fn extent(&self) -> [usize; 3] {
        let [width, height, depth] = self.sizes.texels.map(|n| n.max(1));
        let layers = self.sizes.layers.max(1);
        match self.sizes.kind {
            CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER => [width, 1, 1],
            CL_MEM_OBJECT_IMAGE1D_ARRAY => [width, layers, 1],
            CL_MEM_OBJECT_IMAGE2D => [width, height, 1],
            CL_MEM_OBJECT_IMAGE2D_ARRAY => [width, height, layers],
            _ => [width, height, depth],
        }
    }

    /// All of it.
    pub fn whole(&self) -> Region {
        Region {
            origin: [0; 3],
            size: self.extent(),
        }
    }

    /// A region lies inside.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`.
    pub fn check(&self, region: &Region) -> Result<()> {
        let extent = self.extent();
        let inside = |at: usize| {
            let end = region.origin[at].checked_add(region.size[at]);
            region.size[at] > 0 && end.is_some_and(|end| end <= extent[at])
        };
        match (0..3).all(inside) {
            true => Ok(()),
            false => Err(CL_INVALID_VALUE),
        }
    }

    /// Bytes of a row, rows and slices of a region.
    pub fn rows(&self, region: &Region) -> [usize; 3] {
        let [width, rows, slices] = region.size;
        [width * self.image.texel_bytes(), rows, slices]
    }

    /// Bytes from row to row in its memory.
    pub fn row_pitch(&self) -> usize {
        match self.image.rows_of_slice() {
            0 | 1 => self.sizes.texels[0] * self.image.texel_bytes(),
            _ => self.image.address_of(0, 1) - self.image.address_of(0, 0),
        }
    }

    fn slice_pitch(&self) -> usize {
        match self.image.slices() {
            0 | 1 => 0,
            _ => self.image.address_of(1, 0) - self.image.address_of(0, 0),
        }
    }

    /// A texel of a colour: four floats or integers by the format, or one float of a depth.
    ///
    /// # Errors
    /// `CL_IMAGE_FORMAT_NOT_SUPPORTED`: the format cannot be written.
    pub fn texel(&self, colour: &[u8]) -> Result<Vec<u8>> {
        let (words, _) = colour.as_chunks::<4>();
        let word = |at: usize| words.get(at).map_or(0, |w| u32::from_ne_bytes(*w));
        let texel = self.image.texel_of(std::array::from_fn(word));
        texel.ok_or(CL_IMAGE_FORMAT_NOT_SUPPORTED)
    }

    /// The rows of a region in its memory.
    pub fn block(&self, region: &Region) -> Block {
        let [x, y, z] = region.origin;
        let (row, slice, start) = match self.is_row_of_layers() {
            true => (self.slice_pitch(), 0, self.image.address_of(y as u32, 0)),
            false => (
                self.row_pitch(),
                self.slice_pitch(),
                self.image.address_of(z as u32, y as u32),
            ),
        };
        let start = start + x * self.image.texel_bytes();
        Block::of_device(self.image.surface.memory(), start, [row, slice])
    }

    /// Pitches of the host's texels, the layers of a row each as rows.
    fn host_pitches(&self) -> [usize; 2] {
        match self.is_row_of_layers() {
            true => [self.sizes.pitches[1], 0],
            false => self.sizes.pitches,
        }
    }
}

impl Mem {
    /// Bytes of a row where the host has mapped an image whose layers are rows.
    pub fn mapped_row(&self) -> usize {
        match (&self.content, self.host) {
            (Content::Image(texels), Some(_)) => texels.sizes.pitches[0],
            (Content::Image(texels), None) => texels.row_pitch(),
            (Content::Buffer(_), _) => 0,
        }
    }
}

/// Bytes of a texel of a format.
///
/// # Errors
/// `CL_INVALID_IMAGE_FORMAT_DESCRIPTOR`.
pub fn texel_bytes(format: &cl_image_format) -> Result<usize> {
    let (order, channel) = (format.image_channel_order, format.image_channel_data_type);
    let wrong = CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    let (order, channel) = Shape::named(order, channel).ok_or(wrong)?;
    let shape = Shape {
        kind: "1d".to_string(),
        order: order.to_string(),
        channel: channel.to_string(),
        width: 1,
        ..Shape::default()
    };
    let image = Image::zeroed(shape).map_err(|_| wrong)?;
    Ok(image.texel_bytes())
}

/// The image that visim makes of a format and sizes.
fn shape(context: &Context, format: &cl_image_format, sizes: &Sizes) -> Result<Shape> {
    let (order, channel) = (format.image_channel_order, format.image_channel_data_type);
    let known = Shape::named(order, channel).ok_or(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    let limit = |of: fn(&crate::device::Limits) -> usize| {
        context
            .devices
            .iter()
            .map(|d| of(&d.limits))
            .max()
            .unwrap_or(0)
    };
    let (image, layers) = (limit(|l| l.image), limit(|l| l.layers));
    if sizes.levels > 0 || sizes.samples > 0 {
        return Err(CL_INVALID_IMAGE_DESCRIPTOR);
    }
    let [width, height, depth] = sizes.texels;
    let (kind, most) = match sizes.kind {
        CL_MEM_OBJECT_IMAGE1D => ("1d", [image, 0, 0, 0]),
        CL_MEM_OBJECT_IMAGE1D_BUFFER => ("1d_buffer", [1 << 26, 0, 0, 0]),
        CL_MEM_OBJECT_IMAGE1D_ARRAY => ("1d_array", [image, 0, 0, layers]),
        CL_MEM_OBJECT_IMAGE2D if order == CL_DEPTH => ("2d_depth", [image, image, 0, 0]),
        CL_MEM_OBJECT_IMAGE2D => ("2d", [image, image, 0, 0]),
        CL_MEM_OBJECT_IMAGE2D_ARRAY if order == CL_DEPTH => {
            ("2d_array_depth", [image, image, 0, layers])
        }
        CL_MEM_OBJECT_IMAGE2D_ARRAY => ("2d_array", [image, image, 0, layers]),
        CL_MEM_OBJECT_IMAGE3D => ("3d", [layers, layers, layers, 0]),
        _ => return Err(CL_INVALID_IMAGE_DESCRIPTOR),
    };
    for (size, most) in [width, height, depth, sizes.layers].into_iter().zip(most) {
        if most > 0 && (size == 0 || size > most) {
            return Err(CL_INVALID_IMAGE_SIZE);
        }
    }
    let used = |size: usize, most: usize| if most > 0 { size as u32 } else { 0 };
    Ok(Shape {
        kind: kind.to_string(),
        order: known.0.to_string(),
        channel: known.1.to_string(),
        width: width as u32,
        height: used(height, most[1]),
        depth: used(depth, most[2]),
        layers: used(sizes.layers, most[3]),
    })
}

/// Orders that Intel's runtime offers; visim has more. Source: `CL_RGB` of 24 bits and its like are no formats of a card.
const OFFERED: &[cl_channel_order] = &[
    CL_R,
    CL_A,
    CL_RG,
    CL_RGBA,
    CL_BGRA,
    CL_INTENSITY,
    CL_LUMINANCE,
    CL_DEPTH,
    CL_sRGBA,
    CL_sBGRA,
];

/// Formats of images of a kind, by what kernels do with them.
pub fn formats(kind: cl_mem_object_type, flags: cl_mem_flags) -> Vec<cl_image_format> {
    let writes = flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE | CL_MEM_KERNEL_READ_AND_WRITE)
        != 0
        || flags & CL_MEM_READ_ONLY == 0;
    let two = matches!(kind, CL_MEM_OBJECT_IMAGE2D | CL_MEM_OBJECT_IMAGE2D_ARRAY);
    let offered = |order: cl_channel_order, channel: cl_channel_type| {
        let depth = order == CL_DEPTH;
        let srgb = [CL_sRGBA, CL_sBGRA].contains(&order);
        OFFERED.contains(&order)
            && !(depth && !(two && matches!(channel, CL_UNORM_INT16 | CL_FLOAT)))
            && !(srgb && writes)
            && !(writes && matches!(order, CL_INTENSITY | CL_LUMINANCE | CL_A))
    };
    // Each image that is made asks for them.
    static ALL: OnceLock<Vec<cl_image_format>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let format = |(_, order, _, channel)| cl_image_format {
            image_channel_order: order,
            image_channel_data_type: channel,
        };
        Shape::formats().map(format).collect()
    });
    let fits = |f: &&cl_image_format| offered(f.image_channel_order, f.image_channel_data_type);
    all.iter().filter(fits).copied().collect()
}

/// `clGetMemObjectInfo`.
///
/// # Errors
/// `CL_INVALID_VALUE`: no such query.
pub fn query(mem: &Object<Mem>, name: cl_mem_info) -> Result<Info> {
    let null = std::ptr::null_mut();
    let parent = mem.parent.as_ref();
    Ok(match name {
        CL_MEM_TYPE => info::uint(match &mem.content {
            Content::Buffer(_) => CL_MEM_OBJECT_BUFFER,
            Content::Image(texels) => texels.sizes.kind,
        }),
        CL_MEM_FLAGS => info::ulong(mem.flags),
        CL_MEM_SIZE => info::size(mem.bytes()),
        CL_MEM_HOST_PTR => info::pointer(mem.host.map_or(null, HostMemory::start)),
        CL_MEM_MAP_COUNT => info::uint(lock(&mem.maps).len() as u32),
        CL_MEM_REFERENCE_COUNT => info::uint(mem.references()),
        CL_MEM_CONTEXT => info::pointer(mem.context.handle()),
        CL_MEM_ASSOCIATED_MEMOBJECT => info::pointer(parent.map_or(null, |p| p.handle())),
        CL_MEM_OFFSET => info::size(match (&mem.content, parent.map(|p| &p.content)) {
            (Content::Buffer(own), Some(Content::Buffer(whole))) => own.offset - whole.offset,
            _ => 0,
        }),
        CL_MEM_USES_SVM_POINTER => {
            let host = mem.host.map(|host| host.start().addr());
            let own = match &mem.content {
                Content::Buffer(buffer) => Some(buffer.memory.host_address() + buffer.offset),
                Content::Image(_) => None,
            };
            let found = host.or(own).and_then(|at| mem.context.svm.find(at));
            info::boolean(found.is_some())
        }
        CL_MEM_PROPERTIES => info::ulongs(&mem.properties),
        _ => return Err(CL_INVALID_VALUE),
    })
}

/// `clGetImageInfo`.
///
/// # Errors
/// `CL_INVALID_MEM_OBJECT`: not an image; `CL_INVALID_VALUE`: no such query.
pub fn query_image(mem: &Object<Mem>, name: cl_image_info) -> Result<Info> {
    let texels = mem.as_image()?;
    let sizes = &texels.sizes;
    let lent = mem.host.is_some();
    let has = |yes: bool, n: usize| info::size(if yes { n } else { 0 });
    let flat = matches!(
        sizes.kind,
        CL_MEM_OBJECT_IMAGE1D | CL_MEM_OBJECT_IMAGE1D_BUFFER | CL_MEM_OBJECT_IMAGE1D_ARRAY
    );
    let layered = matches!(
        sizes.kind,
        CL_MEM_OBJECT_IMAGE1D_ARRAY | CL_MEM_OBJECT_IMAGE2D_ARRAY | CL_MEM_OBJECT_IMAGE3D
    );
    Ok(match name {
        CL_IMAGE_FORMAT => {
            let format = &texels.format;
            let order = format.image_channel_order.to_ne_bytes();
            Info([order, format.image_channel_data_type.to_ne_bytes()].concat())
        }
        CL_IMAGE_ELEMENT_SIZE => info::size(texels.image.texel_bytes()),
        CL_IMAGE_ROW_PITCH if lent => info::size(sizes.pitches[0]),
        CL_IMAGE_ROW_PITCH => info::size(texels.row_pitch()),
        CL_IMAGE_SLICE_PITCH if lent => has(layered, sizes.pitches[1]),
        CL_IMAGE_SLICE_PITCH => {
            let rows = texels.image.rows_of_slice() as usize;
            has(layered, texels.row_pitch() * rows)
        }
        CL_IMAGE_WIDTH => info::size(sizes.texels[0]),
        CL_IMAGE_HEIGHT => has(!flat, sizes.texels[1]),
        CL_IMAGE_DEPTH => has(sizes.kind == CL_MEM_OBJECT_IMAGE3D, sizes.texels[2]),
        CL_IMAGE_ARRAY_SIZE => has(layered && sizes.kind != CL_MEM_OBJECT_IMAGE3D, sizes.layers),
        CL_IMAGE_BUFFER => {
            let parent = mem.parent.as_ref();
            info::pointer(parent.map_or(std::ptr::null_mut(), |p| p.handle()))
        }
        CL_IMAGE_NUM_MIP_LEVELS | CL_IMAGE_NUM_SAMPLES => info::uint(0),
        _ => return Err(CL_INVALID_VALUE),
    })
}
