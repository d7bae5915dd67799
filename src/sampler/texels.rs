//! Where the texels of a message come from: elements in memory, blocks, or the format table.
//!
//! | path | formats | surfaces |
//! | --- | --- | --- |
//! | elements | those of [`element`](mod@super::element) | a [`Plane`] |
//! | blocks | block-compressed ones; decoded blocks are kept while the message is served | a [`Plane`] |
//! | table | all others that decode | every one |
//!
//! For each format and number of lanes one function is compiled, which reads and decodes a texel for each lane. All else
//! that a message does with texels is compiled once.

use super::axis::Positions;
use super::element::*;
use super::lanes::{Block, Level, by_lane, channels, filter, merge, window};
use super::plane::Plane;
use super::{Channels, Lanes};
use crate::math::simd::Wide;
use crate::surface::block::{BlockDecoder, bc1_palette};
use crate::surface::format::{Returns, SubKind};
use crate::surface::sampled::Select;
use crate::surface::texel::Rgba;
use crate::surface::{CellBytes, Format, Memory, Surface};

/// How texels are fetched; tells tests what ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchPath {
    /// Whole words, decoded in vector code.
    Elements,
    /// Blocks, decoded once for the texels that share them.
    Blocks,
    /// Texel by texel through the format table.
    Table,
}

/// The texels of one image of a surface.
#[derive(Clone, Copy)]
struct Texels<const N: usize> {
    level: u32,
    slice: u32,
    decoding: Decoding,
    source: Source<N>,
}

/// A coordinate as it was sent, and what is added. What wraps around is far outside either way: sizes are
/// at most 2^27, offsets at most 8.
#[derive(Clone, Copy)]
pub struct Coordinate<'a> {
    /// Of all lanes, if it was sent.
    pub lanes: Option<&'a Lanes>,
    /// The bits of 16-bit parameters, which are unsigned.
    pub mask: u32,
    /// What is added.
    pub offset: u32,
}

impl Coordinate<'_> {
    /// Where there is no such axis.
    pub const ORIGIN: Coordinate<'static> = Coordinate {
        lanes: None,
        mask: 0,
        offset: 0,
    };

    #[inline(always)]
    pub fn texels<const N: usize>(&self, base: usize) -> [u32; N] {
        let lanes = self.lanes.map_or([0; N], |lanes| window(lanes, base));
        by_lane(|lane| (lanes[lane] & self.mask).wrapping_add(self.offset))
    }
}

/// Lanes of a load by column and row, some perhaps outside the image.
pub struct Load<'a> {
    /// Texels across and down.
    pub size: (u32, u32),
    /// Columns.
    pub x: Coordinate<'a>,
    /// Rows.
    pub y: Coordinate<'a>,
    /// The result outside.
    pub outside: [u32; 4],
    /// The first lane.
    pub base: usize,
    /// A bit for each channel that is returned.
    pub channels: u8,
    /// A bit for each lane of the message that is served.
    pub active: u32,
}

/// Columns and rows inside an image.
pub struct Found<const N: usize> {
    /// Columns.
    pub x: [u32; N],
    /// Rows.
    pub y: [u32; N],
    /// All bits for lanes inside, or none. Lanes outside read texel 0, whose result is not used.
    pub inside: [u32; N],
}

impl<const N: usize> Found<N> {
    /// Of an image of so many texels across and down.
    #[inline(always)]
    pub fn new(x: &[u32; N], y: &[u32; N], (width, height): (u32, u32)) -> Found<N> {
        let inside: [u32; N] = by_lane(|lane| {
            let within = (x[lane] < width) & (y[lane] < height);
            0u32.wrapping_sub(u32::from(within))
        });
        Found {
            x: by_lane(|lane| x[lane] & inside[lane]),
            y: by_lane(|lane| y[lane] & inside[lane]),
            inside,
        }
    }
}

/// Gives lanes that are not inside the result of those outside.
#[inline(always)]
pub fn put_outside<const N: usize>(block: &mut Block<N>, inside: &[u32; N], outside: &[u32; 4]) {
    if inside.iter().fold(u32::MAX, |all, one| all & one) == 0 {
        for (channel, outside) in block.iter_mut().zip(outside) {
            for (value, inside) in channel.iter_mut().zip(inside) {
                *value = *value & inside | outside & !inside;
            }
        }
    }
}

impl Load<'_> {
    #[inline(always)]
    fn find<const N: usize>(&self) -> Found<N> {
        let (x, y) = (self.x.texels(self.base), self.y.texels(self.base));
        Found::new(&x, &y, self.size)
    }

    #[inline(always)]
    fn put<const N: usize>(&self, block: &mut Block<N>, inside: &[u32; N], out: &mut Channels) {
        put_outside(block, inside, &self.outside);
        merge(block, self.base, self.channels, self.active, out);
    }
}

/// Where texels are, and the function that decodes them.
#[derive(Clone, Copy)]
enum Source<const N: usize> {
    Elements(Plane, Fetch<N>),
    Bc1(Plane, Bc1, Decode<N>),
    Codes(Plane, Codes, Decode<N>),
    Numbers(Plane, Numbers),
    Table,
}

/// Reads the elements at byte offsets from a start on, which lie inside, and decodes them.
pub type Fetch<const N: usize> = fn(Wide, &Memory, usize, &[u32; N]) -> Block<N>;

/// Decodes four bytes for each lane.
type Decode<const N: usize> = fn(Wide, &[u32; N]) -> Block<N>;

/// What is compiled for an element, and what else there is to know of it.
#[derive(Clone, Copy)]
pub struct Elements<const N: usize> {
    /// Its function.
    pub fetch: Fetch<N>,
    /// Its channels.
    pub decoding: Decoding,
}

impl<const N: usize> Elements<N> {
    /// Those of a format, if it has a kernel.
    pub fn of(format: Format) -> Option<Elements<N>> {
        Some(match format {
            Format::R8_UNORM => Elements::new::<R8Unorm>(),
            Format::R8_UINT => Elements::new::<R8Uint>(),
            Format::A8_UNORM => Elements::new::<A8Unorm>(),
            Format::L8_UNORM => Elements::new::<L8Unorm>(),
            Format::R8G8_UNORM => Elements::new::<R8g8Unorm>(),
            Format::R16_UNORM => Elements::new::<R16Unorm>(),
            Format::R16_FLOAT => Elements::new::<R16Float>(),
            Format::R16G16_UNORM => Elements::new::<R16g16Unorm>(),
            Format::R32_FLOAT => Elements::new::<R32Float>(),
            Format::R32_UINT => Elements::new::<R32Uint>(),
            Format::R8G8B8A8_UNORM => Elements::new::<Rgba8Unorm>(),
            Format::R8G8B8A8_UINT => Elements::new::<Rgba8Uint>(),
            Format::B8G8R8A8_UNORM => Elements::new::<Bgra8Unorm>(),
            Format::R8G8B8A8_UNORM_SRGB => Elements::new::<Rgba8Srgb>(),
            Format::B8G8R8A8_UNORM_SRGB => Elements::new::<Bgra8Srgb>(),
            Format::R16G16B16A16_FLOAT => Elements::new::<Rgba16Float>(),
            Format::R16G16B16A16_UNORM => Elements::new::<Rgba16Unorm>(),
            Format::R32G32_FLOAT => Elements::new::<R32g32Float>(),
            Format::R32G32B32A32_FLOAT => Elements::new::<Rgba32Float>(),
            Format::R32G32B32A32_UINT => Elements::new::<Rgba32Uint>(),
            _ => return None,
        })
    }

    fn new<E: Element>() -> Elements<N> {
        Elements {
            fetch: fetch::<E, N>,
            decoding: Decoding::of::<E>(),
        }
    }
}

fn fetch<E: Element, const N: usize>(
    wide: Wide,
    memory: &Memory,
    start: usize,
    at: &[u32; N],
) -> Block<N> {
    wide.run(
        #[inline(always)]
        || channels::<E, N>(&words(memory, start, at)),
    )
}

fn decode<E: Element, const N: usize>(wide: Wide, words: &[E::Word; N]) -> Block<N> {
    wide.run(
        #[inline(always)]
        || channels::<E, N>(words),
    )
}

/// Reads the texels of a surface, image by image, for one message.
pub struct Reader<'a, const N: usize> {
    surface: &'a Surface,
    wide: Wide,
    texels: Option<Texels<N>>,
    kept: Kept,
}

/// Blocks of the image that was read last.
enum Kept {
    None,
    Bc1(Blocks<Bc1>),
    Codes(Blocks<Codes>),
    Numbers(Blocks<Numbers>),
}

impl<'a, const N: usize> Reader<'a, N> {
    /// A reader that has read nothing. Inlined, because it is large and mostly not filled in.
    #[inline(always)]
    pub fn new(surface: &'a Surface, wide: Wide) -> Reader<'a, N> {
        Reader {
            surface,
            wide,
            texels: None,
            kept: Kept::None,
        }
    }

    /// Turns to a level, counted in memory, of an array slice or 3D slice; `None` for formats that do not
    /// decode.
    #[inline]
    pub fn turn_to(&mut self, level: u32, slice: u32) -> Option<(Decoding, FetchPath)> {
        if let Some(texels) = &self.texels
            && (texels.level, texels.slice) == (level, slice)
        {
            return Some((texels.decoding, texels.path()));
        }
        let texels = Texels::new(self.surface, level, slice)?;
        self.texels = Some(texels);
        match texels.source {
            Source::Elements(..) | Source::Table => {}
            Source::Bc1(plane, block, _) => {
                self.kept = Kept::Bc1(Blocks::new(self.surface, plane, block));
            }
            Source::Codes(plane, block, _) => {
                self.kept = Kept::Codes(Blocks::new(self.surface, plane, block));
            }
            Source::Numbers(plane, block) => {
                self.kept = Kept::Numbers(Blocks::new(self.surface, plane, block));
            }
        }
        Some((texels.decoding, texels.path()))
    }

    /// Serves lanes of a load from the image that was turned to.
    #[inline]
    pub fn load(&mut self, load: &Load<'_>, out: &mut Channels) {
        let wide = self.wide;
        let found = wide.run(
            #[inline(always)]
            || load.find(),
        );
        let mut block = self.nearest(&found.x, &found.y);
        wide.run(
            #[inline(always)]
            || load.put(&mut block, &found.inside, out),
        );
    }

    /// The texel of each lane by column and row, all inside the image that was turned to.
    pub fn nearest(&mut self, x: &[u32; N], y: &[u32; N]) -> Block<N> {
        let Some(texels) = &mut self.texels else {
            return [[0; N]; 4];
        };
        let (wide, memory) = (self.wide, self.surface.memory());
        match (&texels.source, &mut self.kept) {
            (Source::Elements(plane, fetch), _) => {
                let at = wide.run(
                    #[inline(always)]
                    || plane.offsets(*x, *y),
                );
                fetch(wide, memory, plane.start, &at)
            }
            (Source::Bc1(.., decode), Kept::Bc1(kept)) => {
                decode(wide, &kept.codes(wide, memory, x, y))
            }
            (Source::Codes(.., decode), Kept::Codes(kept)) => {
                decode(wide, &kept.codes(wide, memory, x, y))
            }
            (Source::Numbers(..), Kept::Numbers(kept)) => {
                transposed(|lane| kept.texel(memory, x[lane], y[lane]))
            }
            _ => transposed(|lane| {
                let (level, slice) = (texels.level, texels.slice);
                let rgba = self.surface.load_texel(level, slice, x[lane], y[lane], 0);
                // The format has been checked: it decodes.
                select(self.surface, rgba.unwrap_or_default())
            }),
        }
    }

    /// The texels at two columns and two rows for each lane, in the order (0,0), (1,0), (0,1), (1,1).
    pub fn corners(&mut self, [u, v]: &[Positions<N>; 2]) -> [Block<N>; 4] {
        [
            self.nearest(&u.first, &v.first),
            self.nearest(&u.next, &v.first),
            self.nearest(&u.first, &v.next),
            self.nearest(&u.next, &v.next),
        ]
    }

    /// One level, or two of which the second one has `beta` 256ths, of a format that blends.
    pub fn filter(&self, first: &Level<N>, second: Option<(&Level<N>, &[u32; N])>) -> Block<N> {
        match &self.texels {
            Some(texels) => filter(self.wide, &texels.decoding, first, second),
            None => [[0; N]; 4],
        }
    }
}

impl<const N: usize> Texels<N> {
    fn new(surface: &Surface, level: u32, slice: u32) -> Option<Texels<N>> {
        let format = surface.format();
        let (source, decoding) = match Plane::new(surface, level, slice) {
            Some(plane) => match Elements::of(format) {
                Some(Elements { fetch, decoding }) => (Source::Elements(plane, fetch), decoding),
                None if format.is_compressed() => blocks(surface, plane)?,
                None => table(surface)?,
            },
            None => table(surface)?,
        };
        Some(Texels {
            level,
            slice,
            decoding,
            source,
        })
    }

    fn path(&self) -> FetchPath {
        match self.source {
            Source::Elements(..) => FetchPath::Elements,
            Source::Bc1(..) | Source::Codes(..) | Source::Numbers(..) => FetchPath::Blocks,
            Source::Table => FetchPath::Table,
        }
    }
}

fn table<const N: usize>(surface: &Surface) -> Option<(Source<N>, Decoding)> {
    let format = surface.format();
    if surface.decoder().is_none() && !format.is_planar() {
        return None;
    }
    let decoding = match format.returns {
        Returns::AsFloat => Decoding::of::<Rgba32Float>(),
        _ => Decoding::of::<Rgba32Uint>(),
    };
    Some((Source::Table, decoding))
}

/// Channel by channel what is given lane by lane.
fn transposed<const N: usize>(mut of: impl FnMut(usize) -> Rgba) -> Block<N> {
    let mut block = [[0; N]; 4];
    for lane in 0..N {
        for (channel, value) in block.iter_mut().zip(of(lane)) {
            channel[lane] = value;
        }
    }
    block
}

/// The words at byte offsets `at` from `start` on, which lie inside.
#[inline(always)]
pub fn words<W: Word, const N: usize>(memory: &Memory, start: usize, at: &[u32; N]) -> [W; N] {
    let first = at[0];
    let size = size_of::<W>() as u32;
    let mut misses = 0;
    for (lane, at) in at.iter().enumerate() {
        misses |= at ^ first.wrapping_add(lane as u32 * size);
    }
    if misses == 0
        && let Some(words) = W::run(memory, start + first as usize)
    {
        return words;
    }
    by_lane(|lane| W::load(memory, start + at[lane] as usize))
}

fn blocks<const N: usize>(surface: &Surface, plane: Plane) -> Option<(Source<N>, Decoding)> {
    let (codes, curve, opaque) = match surface.decoder()?.block()? {
        (BlockDecoder::Codes(codes), curve, opaque) => (codes, curve, opaque),
        (BlockDecoder::Numbers(numbers), ..) => {
            let source = Source::Numbers(plane, Numbers(numbers));
            return Some((source, Decoding::of::<Rgba32Float>()));
        }
    };
    let (decode, decoding): (Decode<N>, _) = match curve {
        false => (decode::<Rgba8Unorm, N>, Decoding::of::<Rgba8Unorm>()),
        true => (decode::<Rgba8Srgb, N>, Decoding::of::<Rgba8Srgb>()),
    };
    let source = match surface.format().subkind {
        SubKind::Bc1 => Source::Bc1(plane, Bc1 { opaque }, decode),
        _ => Source::Codes(plane, Codes { codes, opaque }, decode),
    };
    Some((source, decoding))
}

/// What is kept of a block, and how a texel is taken from it.
trait Layout: Copy {
    type Kept: Copy + Default;
    type Texel: Copy + Default;
    fn keep(&self, memory: &Memory, at: usize, bytes: usize) -> Self::Kept;
    fn texel(&self, kept: &Self::Kept, x: u32, y: u32) -> Self::Texel;
}

/// BC1: two bits choose one of four colours.
#[derive(Clone, Copy)]
struct Bc1 {
    opaque: bool,
}

impl Layout for Bc1 {
    type Kept = ([u32; 4], u32);
    type Texel = u32;

    #[inline]
    fn keep(&self, memory: &Memory, at: usize, _: usize) -> ([u32; 4], u32) {
        let block = u64::load(memory, at);
        let colours = bc1_palette(block as u32, self.opaque);
        (colours, (block >> 32) as u32)
    }

    #[inline(always)]
    fn texel(&self, (colours, indices): &([u32; 4], u32), x: u32, y: u32) -> u32 {
        colours[(indices >> (2 * (4 * y + x)) & 3) as usize]
    }
}

/// The bytes of a block, for its decoder.
fn cell(memory: &Memory, at: usize, bytes: usize) -> CellBytes {
    let mut cell = CellBytes::default();
    memory.read(at, &mut cell[..bytes]);
    cell
}

/// Formats that decode to 8-bit codes.
#[derive(Clone, Copy)]
struct Codes {
    codes: fn(&CellBytes, u32, u32) -> [u8; 4],
    opaque: bool,
}

impl Layout for Codes {
    type Kept = CellBytes;
    type Texel = u32;

    fn keep(&self, memory: &Memory, at: usize, bytes: usize) -> CellBytes {
        cell(memory, at, bytes)
    }

    fn texel(&self, kept: &CellBytes, x: u32, y: u32) -> u32 {
        let alpha = if self.opaque { 0xff00_0000 } else { 0 };
        u32::from_le_bytes((self.codes)(kept, x, y)) | alpha
    }
}

/// Formats that decode to numbers.
#[derive(Clone, Copy)]
struct Numbers(fn(&CellBytes, u32, u32) -> Rgba);

impl Layout for Numbers {
    type Kept = CellBytes;
    type Texel = Rgba;

    fn keep(&self, memory: &Memory, at: usize, bytes: usize) -> CellBytes {
        cell(memory, at, bytes)
    }

    fn texel(&self, kept: &CellBytes, x: u32, y: u32) -> Rgba {
        (self.0)(kept, x, y)
    }
}

/// Blocks that lanes share: sixteen are kept, by their place.
const KEPT: usize = 16;

/// Block-compressed texels.
struct Blocks<B: Layout> {
    plane: Plane,
    block: B,
    /// Shifts that part a column and a row from their blocks, and the bytes of a block.
    shift: (u32, u32),
    bytes: usize,
    places: [(u32, u32); KEPT],
    kept: [B::Kept; KEPT],
}

impl<B: Layout> Blocks<B> {
    #[inline(always)]
    fn new(surface: &Surface, plane: Plane, block: B) -> Blocks<B> {
        let cell = surface.format().cell();
        Blocks {
            plane,
            block,
            shift: (cell.across.trailing_zeros(), cell.down.trailing_zeros()),
            bytes: cell.bytes as usize,
            // No image has such a block.
            places: [(u32::MAX, u32::MAX); KEPT],
            kept: [B::Kept::default(); KEPT],
        }
    }

    #[inline(always)]
    fn texel(&mut self, memory: &Memory, x: u32, y: u32) -> B::Texel {
        let (across, down) = self.shift;
        let place = (x >> across, y >> down);
        let slot = (place.0 & 7 | (place.1 & 1) << 3) as usize;
        if self.places[slot] != place {
            let (mut column, mut row) = ([place.0], [place.1]);
            self.plane.columns(&mut column);
            self.plane.rows(&mut row);
            let at = self.plane.start + (column[0] + row[0]) as usize;
            self.kept[slot] = self.block.keep(memory, at, self.bytes);
            self.places[slot] = place;
        }
        let (x, y) = (x & ((1 << across) - 1), y & ((1 << down) - 1));
        self.block.texel(&self.kept[slot], x, y)
    }
}

impl<B: Layout<Texel = u32>> Blocks<B> {
    /// The texel of each lane, as 8-bit codes.
    fn codes<const N: usize>(
        &mut self,
        wide: Wide,
        memory: &Memory,
        x: &[u32; N],
        y: &[u32; N],
    ) -> [u32; N] {
        wide.run(
            #[inline(always)]
            || {
                // A loop, because a closure is not inlined into vector code.
                let mut codes = [0; N];
                for (code, (x, y)) in codes.iter_mut().zip(x.iter().zip(y)) {
                    *code = self.texel(memory, *x, *y);
                }
                codes
            },
        )
    }
}

/// The channels the surface state asks for. Source: surface reference 1.2, Shader Channel Select.
pub(super) fn select(surface: &Surface, rgba: Rgba) -> Rgba {
    let select = surface.description().sampled.select;
    if select == Select::PLAIN {
        return rgba;
    }
    let one = match surface.format().returns {
        Returns::AsFloat => 1.0f32.to_bits(),
        _ => 1,
    };
    select.map(|source| match source {
        Select::Zero => 0,
        Select::One => one,
        Select::Red => rgba[0],
        Select::Green => rgba[1],
        Select::Blue => rgba[2],
        Select::Alpha => rgba[3],
    })
}
