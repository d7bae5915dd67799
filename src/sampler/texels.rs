//! Where the texels of a message come from: elements in memory, blocks, or the format table.
//!
//! | way | formats | surfaces |
//! | --- | --- | --- |
//! | [`Cells`] | those of [`element`](mod@super::element) | a [`Plane`] |
//! | [`Blocks`] | block-compressed ones; decoded blocks are kept while the message is served | a [`Plane`] |
//! | [`Decoded`] | all others that decode | every one |

use super::element::{self, Element, WithElement, Word, with_element};
use super::lanes::by_lane;
use super::plane::Plane;
use super::sample::select;
use crate::math::simd;
use crate::surface::block::{BlockDecoder, bc1_palette};
use crate::surface::format::{Returns, SubKind};
use crate::surface::{CellBytes, Memory, Surface};
use std::marker::PhantomData;

/// How texels are fetched; tells tests what ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Whole words, decoded in vector code.
    Elements,
    /// Blocks, decoded once for the texels that share them.
    Blocks,
    /// Texel by texel through the format table.
    Decoded,
}

/// Fetches the words of texels by column and row.
pub trait Texels {
    /// How words decode.
    type Element: Element;

    /// The same for another image of the surface.
    fn on(&self, level: u32, slice: u32) -> Option<Self>
    where
        Self: Sized;

    /// Prepares columns for [`Texels::fetch`].
    fn columns<const N: usize>(&self, x: &mut [u32; N]);

    /// Prepares rows.
    fn rows<const N: usize>(&self, y: &mut [u32; N]);

    /// The words at prepared columns and rows, all inside the image.
    fn fetch<const N: usize>(
        &mut self,
        x: &[u32; N],
        y: &[u32; N],
    ) -> [<Self::Element as Element>::Word; N];

    /// The words at two columns of each row: those at `x[0]`, then those at `x[1]`.
    #[inline(always)]
    fn pairs<const N: usize>(
        &mut self,
        x: &[[u32; N]; 2],
        y: &[u32; N],
    ) -> [[<Self::Element as Element>::Word; N]; 2] {
        [self.fetch(&x[0], y), self.fetch(&x[1], y)]
    }
}

/// What a caller does with the texels it is handed.
pub trait Use {
    /// What comes back.
    type Result;
    /// Runs for one format, inlined all the way into vector code. `FUSED`: the host multiplies and adds in
    /// one instruction.
    fn run<T: Texels, const FUSED: bool>(self, texels: T) -> Self::Result;
}

fn run<U: Use, T: Texels>(what: U, texels: T) -> U::Result {
    match simd::wide() {
        Some(wide) => wide.run(
            #[inline(always)]
            || what.run::<T, true>(texels),
        ),
        None => what.run::<T, { simd::FUSED }>(texels),
    }
}

/// One image of a surface.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    /// The surface; its format decodes.
    pub surface: &'a Surface,
    /// Counted in memory.
    pub level: u32,
    /// Array slice or 3D slice.
    pub slice: u32,
}

/// Hands the texels of an image to `what`; `None` for formats that do not decode.
pub fn with_texels<U: Use>(image: Image<'_>, what: U) -> Option<(U::Result, Way)> {
    let surface = image.surface;
    let Some(plane) = Plane::new(surface, image.level, image.slice) else {
        return decoded(image, what);
    };
    let cells = CellsFor {
        surface,
        plane,
        what,
    };
    match with_element(surface.format(), cells) {
        Ok(result) => Some((result, Way::Elements)),
        Err(other) if surface.format().is_compressed() => blocks(surface, plane, other.what),
        Err(other) => decoded(image, other.what),
    }
}

/// A user of texels on its way to the element of its format.
struct CellsFor<'a, U> {
    surface: &'a Surface,
    plane: Plane,
    what: U,
}

impl<U: Use> WithElement for CellsFor<'_, U> {
    type Result = U::Result;

    fn run<E: Element>(self) -> U::Result {
        let cells = Cells {
            surface: self.surface,
            memory: self.surface.memory(),
            plane: self.plane,
            element: PhantomData::<E>,
        };
        run(self.what, cells)
    }
}

/// Elements of a power of two bytes.
struct Cells<'a, E> {
    surface: &'a Surface,
    memory: &'a Memory,
    plane: Plane,
    element: PhantomData<E>,
}

impl<E: Element> Texels for Cells<'_, E> {
    type Element = E;

    fn on(&self, level: u32, slice: u32) -> Option<Self> {
        let plane = Plane::new(self.surface, level, slice)?;
        Some(Cells { plane, ..*self })
    }

    #[inline(always)]
    fn columns<const N: usize>(&self, x: &mut [u32; N]) {
        self.plane.columns(x);
    }

    #[inline(always)]
    fn rows<const N: usize>(&self, y: &mut [u32; N]) {
        self.plane.rows(y);
    }

    #[inline(always)]
    fn fetch<const N: usize>(&mut self, x: &[u32; N], y: &[u32; N]) -> [E::Word; N] {
        let at: [u32; N] = by_lane(|lane| x[lane] + y[lane]);
        words(self.memory, self.plane.start, &at)
    }

    #[inline(always)]
    fn pairs<const N: usize>(
        &mut self,
        [first, next]: &[[u32; N]; 2],
        y: &[u32; N],
    ) -> [[E::Word; N]; 2] {
        let at = [
            by_lane(|lane| first[lane] + y[lane]),
            by_lane(|lane| next[lane] + y[lane]),
        ];
        pairs(self.memory, self.plane.start, &at)
    }
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

/// The words at two byte offsets for each lane, as [`words`].
#[inline(always)]
pub fn pairs<W: Word, const N: usize>(
    memory: &Memory,
    start: usize,
    [at, behind]: &[[u32; N]; 2],
) -> [[W; N]; 2] {
    let size = size_of::<W>() as u32;
    let mut misses = 0;
    for lane in 0..N {
        let place = at[0].wrapping_add(lane as u32 * size);
        misses |= at[lane] ^ place | behind[lane] ^ place.wrapping_add(size);
    }
    // Neighbours of neighbours are one run, and one word more.
    if misses == 0
        && let Some(words) = W::run::<N>(memory, start + at[0] as usize)
    {
        let mut shifted = words;
        shifted.copy_within(1.., 0);
        shifted[N - 1] = W::load(memory, start + behind[N - 1] as usize);
        return [words, shifted];
    }
    [at, behind].map(|at| words(memory, start, at))
}

fn blocks<U: Use>(surface: &Surface, plane: Plane, what: U) -> Option<(U::Result, Way)> {
    let format = surface.format();
    let decoder = surface.decoder()?.block()?;
    let (codes, curve, opaque) = match decoder {
        (BlockDecoder::Codes(decode), curve, opaque) => (decode, curve, opaque),
        (BlockDecoder::Numbers(decode), ..) => {
            let blocks = Blocks::<_, element::Rgba32Float>::new(surface, plane, Numbers(decode));
            return Some((run(what, blocks), Way::Blocks));
        }
    };
    let bc1 = matches!(format.subkind, SubKind::Bc1);
    let result = match (bc1, curve) {
        (true, false) => run(
            what,
            Blocks::<_, element::Rgba8Unorm>::new(surface, plane, Bc1 { opaque }),
        ),
        (true, true) => run(
            what,
            Blocks::<_, element::Rgba8Srgb>::new(surface, plane, Bc1 { opaque }),
        ),
        (false, curve) => {
            let codes = Codes { codes, opaque };
            match curve {
                false => run(
                    what,
                    Blocks::<_, element::Rgba8Unorm>::new(surface, plane, codes),
                ),
                true => run(
                    what,
                    Blocks::<_, element::Rgba8Srgb>::new(surface, plane, codes),
                ),
            }
        }
    };
    Some((result, Way::Blocks))
}

/// What is kept of a block, and how a texel is taken from it.
trait Block: Copy {
    type Kept: Copy + Default;
    type Texel: Word;
    fn keep(&self, memory: &Memory, at: usize, bytes: usize) -> Self::Kept;
    fn texel(&self, kept: &Self::Kept, x: u32, y: u32) -> Self::Texel;
}

/// BC1: two bits choose one of four colours.
#[derive(Clone, Copy)]
struct Bc1 {
    opaque: bool,
}

impl Block for Bc1 {
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

impl Block for Codes {
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
struct Numbers(fn(&CellBytes, u32, u32) -> [u32; 4]);

impl Block for Numbers {
    type Kept = CellBytes;
    type Texel = u128;

    fn keep(&self, memory: &Memory, at: usize, bytes: usize) -> CellBytes {
        cell(memory, at, bytes)
    }

    fn texel(&self, kept: &CellBytes, x: u32, y: u32) -> u128 {
        joined((self.0)(kept, x, y))
    }
}

/// Four channels as one word.
fn joined(rgba: [u32; 4]) -> u128 {
    rgba.iter()
        .rev()
        .fold(0, |all, &c| all << 32 | u128::from(c))
}

/// Blocks that lanes share: sixteen are kept, by their place.
const KEPT: usize = 16;

/// Block-compressed texels.
struct Blocks<'a, B: Block, E> {
    surface: &'a Surface,
    plane: Plane,
    block: B,
    /// Shifts that part a column and a row from their blocks, and the bytes of a block.
    shift: (u32, u32),
    bytes: usize,
    places: [(u32, u32); KEPT],
    kept: [B::Kept; KEPT],
    element: PhantomData<E>,
}

impl<'a, B: Block, E> Blocks<'a, B, E> {
    fn new(surface: &'a Surface, plane: Plane, block: B) -> Blocks<'a, B, E> {
        let cell = surface.format().cell();
        Blocks {
            surface,
            plane,
            block,
            shift: (cell.across.trailing_zeros(), cell.down.trailing_zeros()),
            bytes: cell.bytes as usize,
            // No image has such a block.
            places: [(u32::MAX, u32::MAX); KEPT],
            kept: [B::Kept::default(); KEPT],
            element: PhantomData,
        }
    }

    #[inline(always)]
    fn texel(&mut self, x: u32, y: u32) -> B::Texel {
        let (across, down) = self.shift;
        let place = (x >> across, y >> down);
        let slot = (place.0 & 7 | (place.1 & 1) << 3) as usize;
        if self.places[slot] != place {
            let (mut column, mut row) = ([place.0], [place.1]);
            self.plane.columns(&mut column);
            self.plane.rows(&mut row);
            let at = self.plane.start + (column[0] + row[0]) as usize;
            self.kept[slot] = self.block.keep(self.surface.memory(), at, self.bytes);
            self.places[slot] = place;
        }
        let (x, y) = (x & ((1 << across) - 1), y & ((1 << down) - 1));
        self.block.texel(&self.kept[slot], x, y)
    }
}

impl<B: Block, E: Element<Word = B::Texel>> Texels for Blocks<'_, B, E> {
    type Element = E;

    fn on(&self, level: u32, slice: u32) -> Option<Self> {
        let plane = Plane::new(self.surface, level, slice)?;
        Some(Blocks::new(self.surface, plane, self.block))
    }

    #[inline(always)]
    fn columns<const N: usize>(&self, _: &mut [u32; N]) {}

    #[inline(always)]
    fn rows<const N: usize>(&self, _: &mut [u32; N]) {}

    #[inline(always)]
    fn fetch<const N: usize>(&mut self, x: &[u32; N], y: &[u32; N]) -> [E::Word; N] {
        let mut words = [<E::Word as Default>::default(); N];
        for (word, (x, y)) in words.iter_mut().zip(x.iter().zip(y)) {
            *word = self.texel(*x, *y);
        }
        words
    }
}

fn decoded<U: Use>(image: Image<'_>, what: U) -> Option<(U::Result, Way)> {
    let format = image.surface.format();
    if image.surface.decoder().is_none() && !format.is_planar() {
        return None;
    }
    let result = match format.returns {
        Returns::AsFloat => run(
            what,
            Decoded {
                image,
                element: PhantomData::<element::Rgba32Float>,
            },
        ),
        _ => run(
            what,
            Decoded {
                image,
                element: PhantomData::<element::Rgba32Uint>,
            },
        ),
    };
    Some((result, Way::Decoded))
}

/// Texels as the format table decodes them, their channels chosen as the surface state says.
struct Decoded<'a, E> {
    image: Image<'a>,
    element: PhantomData<E>,
}

impl<E: Element<Word = u128>> Texels for Decoded<'_, E> {
    type Element = E;

    fn on(&self, level: u32, slice: u32) -> Option<Self> {
        let image = Image {
            level,
            slice,
            ..self.image
        };
        Some(Decoded { image, ..*self })
    }

    fn columns<const N: usize>(&self, _: &mut [u32; N]) {}

    fn rows<const N: usize>(&self, _: &mut [u32; N]) {}

    fn fetch<const N: usize>(&mut self, x: &[u32; N], y: &[u32; N]) -> [u128; N] {
        let Image {
            surface,
            level,
            slice,
        } = self.image;
        by_lane(|lane| {
            let rgba = surface.load_texel(level, slice, x[lane], y[lane], 0);
            // The format has been checked: it decodes.
            joined(select(surface, rgba.unwrap_or_default()))
        })
    }
}
