//! Where the texels of a message come from: elements in memory, blocks, or the format table.
//!
//! | path | formats | surfaces |
//! | --- | --- | --- |
//! | elements | those of [`element`](mod@super::element) | a [`Plane`] |
//! | blocks | block-compressed ones; decoded blocks are kept while the message is served | a [`Plane`] |
//! | table | all others that decode | every one |
//!
//! A few functions are compiled for each format: loads, a texel for each lane, the four around, and those
//! weighed by distance. What else a message does with texels is compiled once.

use super::axis::Positions;
use super::element::{Decoding, Element, Rgba8Srgb, Rgba8Unorm, Rgba32Float, Rgba32Uint};
use super::element::{WithElement, Word, with_element};
use super::lanes::{Block, Level, Quad, by_lane, channels, filter, filtered, weights};
use super::lanes::{merge, window};
use super::plane::Plane;
use super::{Channels, Lanes};
use crate::math::simd::Wide;
use crate::surface::block::{BlockDecoder, bc1_palette};
use crate::surface::format::{Returns, SubKind};
use crate::surface::sampled::Select;
use crate::surface::texel::Rgba;
use crate::surface::{CellBytes, Memory, Surface};

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
struct Found<const N: usize> {
    x: [u32; N],
    y: [u32; N],
    /// All bits for lanes inside, or none. Lanes outside read texel 0, whose result is not used.
    inside: [u32; N],
}

impl Load<'_> {
    #[inline(always)]
    fn find<const N: usize>(&self) -> Found<N> {
        let (width, height) = self.size;
        let (x, y) = (self.x.texels::<N>(self.base), self.y.texels::<N>(self.base));
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

    #[inline(always)]
    fn put<const N: usize>(&self, mut block: Block<N>, inside: &[u32; N], out: &mut Channels) {
        if inside.iter().fold(u32::MAX, |all, one| all & one) == 0 {
            for (channel, outside) in block.iter_mut().zip(self.outside) {
                for (value, inside) in channel.iter_mut().zip(inside) {
                    *value = *value & inside | outside & !inside;
                }
            }
        }
        merge(&block, self.base, self.channels, self.active, out);
    }
}

/// What is fetched, and the functions for it.
#[derive(Clone, Copy)]
enum Source<const N: usize> {
    Elements(Plane, Functions<Plane, N>),
    Bc1(Plane, Bc1, Functions<Blocks<Bc1>, N>),
    Codes(Plane, Codes, Functions<Blocks<Codes>, N>),
    Numbers(Plane, Numbers),
    Table,
}

/// What is done with the texels of a format; `F` is what they are fetched from.
struct Functions<F, const N: usize> {
    load: fn(Wide, &mut F, &Memory, &Load<'_>, &mut Channels),
    nearest: fn(Wide, &mut F, &Memory, &[u32; N], &[u32; N]) -> Block<N>,
    corners: fn(Wide, &mut F, &Memory, &[Positions<N>; 2]) -> [Block<N>; 4],
    linear: fn(Wide, &mut F, &Memory, &[Positions<N>; 2]) -> Block<N>,
}

impl<F, const N: usize> Clone for Functions<F, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F, const N: usize> Copy for Functions<F, N> {}

impl<F, const N: usize> Functions<F, N> {
    fn of<E: Element>() -> Functions<F, N>
    where
        F: Fetch<E::Word, N>,
    {
        Functions {
            load: load::<F, E, N>,
            nearest: nearest::<F, E, N>,
            corners: corners::<F, E, N>,
            linear: linear::<F, E, N>,
        }
    }
}

/// Fetches the words of texels.
trait Fetch<W, const N: usize> {
    /// The words at columns and rows.
    fn words(&mut self, memory: &Memory, x: &[u32; N], y: &[u32; N]) -> [W; N];

    /// The words at two columns and two rows, in the order (0,0), (1,0), (0,1), (1,1).
    fn corners(&mut self, memory: &Memory, at: &[Positions<N>; 2]) -> [[W; N]; 4];
}

fn load<F: Fetch<E::Word, N>, E: Element, const N: usize>(
    wide: Wide,
    from: &mut F,
    memory: &Memory,
    load: &Load<'_>,
    out: &mut Channels,
) {
    wide.run(
        #[inline(always)]
        || {
            let found = load.find();
            let block = channels::<E, N>(&from.words(memory, &found.x, &found.y));
            load.put(block, &found.inside, out);
        },
    );
}

fn nearest<F: Fetch<E::Word, N>, E: Element, const N: usize>(
    wide: Wide,
    from: &mut F,
    memory: &Memory,
    x: &[u32; N],
    y: &[u32; N],
) -> Block<N> {
    wide.run(
        #[inline(always)]
        || channels::<E, N>(&from.words(memory, x, y)),
    )
}

fn corners<F: Fetch<E::Word, N>, E: Element, const N: usize>(
    wide: Wide,
    from: &mut F,
    memory: &Memory,
    at: &[Positions<N>; 2],
) -> [Block<N>; 4] {
    wide.run(
        #[inline(always)]
        || {
            let words = from.corners(memory, at);
            [
                channels::<E, N>(&words[0]),
                channels::<E, N>(&words[1]),
                channels::<E, N>(&words[2]),
                channels::<E, N>(&words[3]),
            ]
        },
    )
}

fn linear<F: Fetch<E::Word, N>, E: Element, const N: usize>(
    wide: Wide,
    from: &mut F,
    memory: &Memory,
    at: &[Positions<N>; 2],
) -> Block<N> {
    wide.run(
        #[inline(always)]
        || weighed::<F, E, N>(from, memory, at),
    )
}

#[inline(always)]
fn weighed<F: Fetch<E::Word, N>, E: Element, const N: usize>(
    from: &mut F,
    memory: &Memory,
    at: &[Positions<N>; 2],
) -> Block<N> {
    if !E::BLENDS {
        // Integers have one way only; the constant keeps the code of the other one away.
        return channels::<E, N>(&from.words(memory, &at[0].first, &at[1].first));
    }
    let quad = Quad {
        words: from.corners(memory, at),
        weights: weights(&at[0].beta, &at[1].beta),
    };
    [
        filtered::<E, N>(&quad, 0),
        filtered::<E, N>(&quad, 1),
        filtered::<E, N>(&quad, 2),
        filtered::<E, N>(&quad, 3),
    ]
}

/// Elements of a power of two bytes.
impl<W: Word, const N: usize> Fetch<W, N> for Plane {
    #[inline(always)]
    fn words(&mut self, memory: &Memory, x: &[u32; N], y: &[u32; N]) -> [W; N] {
        let (mut x, mut y) = (*x, *y);
        self.columns(&mut x);
        self.rows(&mut y);
        let at = by_lane(|lane| x[lane] + y[lane]);
        words(memory, self.start, &at)
    }

    #[inline(always)]
    fn corners(&mut self, memory: &Memory, [u, v]: &[Positions<N>; 2]) -> [[W; N]; 4] {
        let (mut x, mut y) = ([u.first, u.next], [v.first, v.next]);
        for x in &mut x {
            self.columns(x);
        }
        for y in &mut y {
            self.rows(y);
        }
        let [above, below] = [
            pairs(memory, self.start, &row(&x, &y[0])),
            pairs(memory, self.start, &row(&x, &y[1])),
        ];
        [above[0], above[1], below[0], below[1]]
    }
}

/// Byte offsets of two columns in a row.
#[inline(always)]
fn row<const N: usize>([first, next]: &[[u32; N]; 2], y: &[u32; N]) -> [[u32; N]; 2] {
    [
        by_lane(|lane| first[lane] + y[lane]),
        by_lane(|lane| next[lane] + y[lane]),
    ]
}

/// Block-compressed texels, as 8-bit codes.
impl<B: Layout<Texel = u32>, const N: usize> Fetch<u32, N> for Blocks<B> {
    #[inline(always)]
    fn words(&mut self, memory: &Memory, x: &[u32; N], y: &[u32; N]) -> [u32; N] {
        // A loop, because a closure is not inlined into vector code.
        let mut words = [0; N];
        for (word, (x, y)) in words.iter_mut().zip(x.iter().zip(y)) {
            *word = self.texel(memory, *x, *y);
        }
        words
    }

    #[inline(always)]
    fn corners(&mut self, memory: &Memory, [u, v]: &[Positions<N>; 2]) -> [[u32; N]; 4] {
        [
            Fetch::words(self, memory, &u.first, &v.first),
            Fetch::words(self, memory, &u.next, &v.first),
            Fetch::words(self, memory, &u.first, &v.next),
            Fetch::words(self, memory, &u.next, &v.next),
        ]
    }
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
        let (wide, memory) = (self.wide, self.surface.memory());
        let source = self.texels.as_mut().map(|texels| &mut texels.source);
        match (source, &mut self.kept) {
            (Some(Source::Elements(plane, of)), _) => (of.load)(wide, plane, memory, load, out),
            (Some(Source::Bc1(.., of)), Kept::Bc1(kept)) => {
                (of.load)(wide, kept, memory, load, out);
            }
            (Some(Source::Codes(.., of)), Kept::Codes(kept)) => {
                (of.load)(wide, kept, memory, load, out);
            }
            _ => {
                let found = load.find();
                let block = self.nearest(&found.x, &found.y);
                load.put(block, &found.inside, out);
            }
        }
    }

    /// The texel of each lane by column and row, all inside the image that was turned to.
    #[inline]
    pub fn nearest(&mut self, x: &[u32; N], y: &[u32; N]) -> Block<N> {
        let Some(texels) = &mut self.texels else {
            return [[0; N]; 4];
        };
        let (wide, memory) = (self.wide, self.surface.memory());
        match (&mut texels.source, &mut self.kept) {
            (Source::Elements(plane, of), _) => (of.nearest)(wide, plane, memory, x, y),
            (Source::Bc1(.., of), Kept::Bc1(kept)) => (of.nearest)(wide, kept, memory, x, y),
            (Source::Codes(.., of), Kept::Codes(kept)) => (of.nearest)(wide, kept, memory, x, y),
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
    pub fn corners(&mut self, at: &[Positions<N>; 2]) -> [Block<N>; 4] {
        let (wide, memory) = (self.wide, self.surface.memory());
        let source = self.texels.as_mut().map(|texels| &mut texels.source);
        match (source, &mut self.kept) {
            (Some(Source::Elements(plane, of)), _) => (of.corners)(wide, plane, memory, at),
            (Some(Source::Bc1(.., of)), Kept::Bc1(kept)) => (of.corners)(wide, kept, memory, at),
            (Some(Source::Codes(.., of)), Kept::Codes(kept)) => {
                (of.corners)(wide, kept, memory, at)
            }
            _ => {
                let [u, v] = at;
                [
                    self.nearest(&u.first, &v.first),
                    self.nearest(&u.next, &v.first),
                    self.nearest(&u.first, &v.next),
                    self.nearest(&u.next, &v.next),
                ]
            }
        }
    }

    /// Two levels, `beta` 256ths of the second one.
    pub fn blend(&self, levels: &[Level<N>; 2], beta: &[u32; N]) -> Block<N> {
        let [first, second] = levels;
        match &self.texels {
            Some(texels) => filter(self.wide, &texels.decoding, first, Some((second, beta))),
            None => [[0; N]; 4],
        }
    }

    /// Four texels for each lane, weighed by distance; one, where formats do not blend.
    #[inline]
    pub fn linear(&mut self, at: &[Positions<N>; 2]) -> Block<N> {
        let (wide, memory) = (self.wide, self.surface.memory());
        let source = self.texels.as_mut().map(|texels| &mut texels.source);
        match (source, &mut self.kept) {
            (Some(Source::Elements(plane, of)), _) => (of.linear)(wide, plane, memory, at),
            (Some(Source::Bc1(.., of)), Kept::Bc1(kept)) => (of.linear)(wide, kept, memory, at),
            (Some(Source::Codes(.., of)), Kept::Codes(kept)) => (of.linear)(wide, kept, memory, at),
            _ => {
                let decoding = self.texels.as_ref().map(|texels| texels.decoding);
                match decoding {
                    Some(decoding) if decoding.blends => {
                        let level = Level::Linear(self.corners(at), [at[0].beta, at[1].beta]);
                        filter(wide, &decoding, &level, None)
                    }
                    _ => self.nearest(&at[0].first, &at[1].first),
                }
            }
        }
    }
}

impl<const N: usize> Texels<N> {
    fn new(surface: &Surface, level: u32, slice: u32) -> Option<Texels<N>> {
        let format = surface.format();
        let (source, decoding) = match Plane::new(surface, level, slice) {
            Some(plane) => match with_element(format, CellsOf::<N>) {
                Ok((cells, decoding)) => (Source::Elements(plane, cells), decoding),
                Err(_) if format.is_compressed() => blocks(surface, plane)?,
                Err(_) => table(surface)?,
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

/// Chooses the functions of a format.
struct CellsOf<const N: usize>;

impl<const N: usize> WithElement for CellsOf<N> {
    type Result = (Functions<Plane, N>, Decoding);

    fn run<E: Element>(self) -> Self::Result {
        (Functions::of::<E>(), Decoding::of::<E>())
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

/// The words at two byte offsets for each lane, as [`words`].
#[inline(always)]
pub fn pairs<W: Word, const N: usize>(
    memory: &Memory,
    start: usize,
    [at, next]: &[[u32; N]; 2],
) -> [[W; N]; 2] {
    let size = size_of::<W>() as u32;
    let mut misses = 0;
    for lane in 0..N {
        let place = at[0].wrapping_add(lane as u32 * size);
        misses |= at[lane] ^ place | next[lane] ^ place.wrapping_add(size);
    }
    // Neighbours of neighbours are one run, and one word more.
    if misses == 0
        && let Some(words) = W::run::<N>(memory, start + at[0] as usize)
    {
        let mut shifted = words;
        shifted.copy_within(1.., 0);
        shifted[N - 1] = W::load(memory, start + next[N - 1] as usize);
        return [words, shifted];
    }
    [at, next].map(|at| words(memory, start, at))
}

fn blocks<const N: usize>(surface: &Surface, plane: Plane) -> Option<(Source<N>, Decoding)> {
    let (codes, curve, opaque) = match surface.decoder()?.block()? {
        (BlockDecoder::Codes(codes), curve, opaque) => (codes, curve, opaque),
        (BlockDecoder::Numbers(numbers), ..) => {
            let source = Source::Numbers(plane, Numbers(numbers));
            return Some((source, Decoding::of::<Rgba32Float>()));
        }
    };
    let bc1 = surface.format().subkind == SubKind::Bc1;
    let source = match (bc1, curve) {
        (true, false) => Source::Bc1(plane, Bc1 { opaque }, Functions::of::<Rgba8Unorm>()),
        (true, true) => Source::Bc1(plane, Bc1 { opaque }, Functions::of::<Rgba8Srgb>()),
        (false, false) => Source::Codes(
            plane,
            Codes { codes, opaque },
            Functions::of::<Rgba8Unorm>(),
        ),
        (false, true) => {
            Source::Codes(plane, Codes { codes, opaque }, Functions::of::<Rgba8Srgb>())
        }
    };
    let decoding = match curve {
        false => Decoding::of::<Rgba8Unorm>(),
        true => Decoding::of::<Rgba8Srgb>(),
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
