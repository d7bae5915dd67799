//! One fetch, step by step: operands in, four outputs and the sparse predicate out.
//!
//! ```text
//!  guard false ─────────────────────────────────────────▶ nothing is written, Ps included
//!  header pointer = 20 bits of the handle
//!  pointer > MaximumIndex ──────────────────────────────▶ 0, 0, 0, 0
//!  coordinate counts disagree ──────────────────────────▶ 0, 0, 0, 0
//!  level = view's first + LOD; past the last ───────────▶ border
//!  layer, coordinates + offsets; .CL clamps, else out ──▶ border        comp ─ swizzle ─▶ out
//!  address ─ page sparse and unmapped ──────────────────▶ border, Ps = true
//!  texel ───────────────────────────────────────────────▶ R, G, B, A
//! ```
//!
//! `border` is four zero *components*, which then pass the swizzle: a source that is ONE still delivers
//! one. The four zeroes of an invalid or mismatched header do not pass it. Where the vendor page leaves
//! a result open, the decision is one of the functions [`array_index`], [`moved`], [`sample_number`].
//!
//! Source: TLD reference 3, which says for each rule where it comes from.

use super::header::{HeaderProblem, Layout};
use super::instruction::{Dim, Handle, Lod, Pred, Reg, Tld};
use super::packing::{self, Param};
use super::texture::Texture;
use std::collections::BTreeMap;

/// What a page of memory has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Residency {
    /// The bytes were read.
    Mapped,
    /// Marked sparse: valid, not mapped. Nothing was read.
    Sparse,
    /// No memory is there: the fetch cannot go on.
    Absent,
}

/// The memory texels lie in, by 64-bit address.
pub trait AddressSpace {
    /// Reads `out.len()` bytes, 16 at most, from `address` on.
    ///
    /// A run that touches a sparse page is sparse; one that touches no memory is absent.
    fn read(&self, address: u64, out: &mut [u8]) -> Residency;
}

/// The texture headers, by number; 32 bytes each in hardware.
#[derive(Clone, Debug, Default)]
pub struct HeaderPool {
    maximum_index: u32,
    textures: BTreeMap<u32, Result<Texture, Vec<HeaderProblem>>>,
}

impl HeaderPool {
    /// An empty pool under SetTexHeaderPoolC.MaximumIndex; only its 22 bits exist.
    pub fn new(maximum_index: u32) -> HeaderPool {
        HeaderPool {
            maximum_index: maximum_index & 0x3f_ffff,
            textures: BTreeMap::new(),
        }
    }

    /// The greatest valid header pointer.
    pub fn maximum_index(&self) -> u32 {
        self.maximum_index
    }

    /// Puts a header at `number`; what is wrong with it is kept until a fetch uses it.
    pub fn set(&mut self, number: u32, words: &super::header::Words) {
        let texture = super::header::Header::decode(words).map(Texture::new);
        self.textures.insert(number, texture);
    }

    /// The texture of `number`, or why its header cannot be fetched from. A header never set is
    /// 32 zero bytes.
    pub fn texture(&self, number: u32) -> Result<&Texture, Vec<HeaderProblem>> {
        match self.textures.get(&number) {
            Some(Ok(texture)) => Ok(texture),
            Some(Err(problems)) => Err(problems.clone()),
            None => match super::header::Header::decode(&[0; 8]) {
                Ok(header) => unreachable!("a header of zeros is not a texture: {header:?}"),
                Err(problems) => Err(problems),
            },
        }
    }

    /// Whether a header was put at `number`.
    pub fn is_set(&self, number: u32) -> bool {
        self.textures.contains_key(&number)
    }
}

/// Everything a fetch can reach.
pub struct Textures<'m> {
    /// Words of the texture bank; those not listed are 0.
    pub bank: BTreeMap<u16, u32>,
    /// The headers.
    pub pool: HeaderPool,
    /// The texels.
    pub memory: &'m dyn AddressSpace,
}

/// Registers and predicates of one thread; what was never set is 0 or false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    regs: [u32; 255],
    preds: [bool; 7],
}

impl Default for Thread {
    fn default() -> Thread {
        Thread {
            regs: [0; 255],
            preds: [false; 7],
        }
    }
}

impl Thread {
    /// The register; `RZ` reads 0.
    pub fn reg(&self, reg: Reg) -> u32 {
        self.regs.get(usize::from(reg.0)).copied().unwrap_or(0)
    }

    /// Writes a register; `RZ` discards.
    pub fn set_reg(&mut self, reg: Reg, value: u32) {
        if let Some(place) = self.regs.get_mut(usize::from(reg.0)) {
            *place = value;
        }
    }

    /// The predicate; `PT` is true.
    pub fn pred(&self, pred: Pred) -> bool {
        self.preds
            .get(usize::from(pred.number()))
            .copied()
            .unwrap_or(true)
    }

    /// Writes a predicate; `PT` discards.
    pub fn set_pred(&mut self, pred: Pred, value: bool) {
        if let Some(place) = self.preds.get_mut(usize::from(pred.number())) {
            *place = value;
        }
    }
}

/// The operands' values, each 0 where the instruction has no such operand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Array index, all 32 bits of its register.
    pub array: u32,
    /// s, t, r.
    pub at: [i32; 3],
    /// Handle; for a bound texture the word of the bank.
    pub handle: u32,
    /// LOD.
    pub lod: u32,
    /// Offsets, packed.
    pub offsets: u32,
    /// Sample.
    pub sample: u32,
}

impl Inputs {
    /// Reads them as `tld` packs them.
    pub fn gather(tld: &Tld, thread: &Thread, bank: &BTreeMap<u16, u32>) -> Inputs {
        let mut inputs = Inputs::default();
        if let Handle::Bound(index) = tld.handle {
            inputs.handle = bank.get(&index).copied().unwrap_or(0);
        }
        for (param, reg) in packing::sources(tld) {
            let value = thread.reg(reg);
            match param {
                Param::Array => inputs.array = value,
                Param::S => inputs.at[0] = value.cast_signed(),
                Param::T => inputs.at[1] = value.cast_signed(),
                Param::R => inputs.at[2] = value.cast_signed(),
                Param::Handle => inputs.handle = value,
                Param::Lod => inputs.lod = value,
                Param::Offsets => inputs.offsets = value,
                Param::Sample => inputs.sample = value,
            }
        }
        inputs
    }

    /// The header pointer: bits 19:0; the sampler above it plays no part.
    pub const fn pointer(&self) -> u32 {
        self.handle & 0xf_ffff
    }

    /// The offset of coordinate `axis`: a nibble in two's complement, −8…7.
    pub const fn offset(&self, axis: usize) -> i64 {
        ((self.offsets >> (4 * axis)) as i64) << 60 >> 60
    }
}

/// How a fetch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The pointer is above MaximumIndex.
    InvalidHeader,
    /// The instruction and the texture count coordinates differently.
    Mismatch,
    /// The level, given here, is past the view's or the image's last.
    PastLevels(u64),
    /// The layer, given here, is past the last.
    PastLayers(u64),
    /// The coordinate of this axis is outside.
    Outside(usize),
    /// The texel at this address is on a sparse page that is not mapped.
    Sparse(u64),
    /// A texel was read.
    Texel {
        /// Its first byte.
        address: u64,
        /// Its bytes; the texture says how many count.
        bytes: [u8; 16],
    },
}

/// A finished fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The header pointer used.
    pub pointer: u32,
    /// The level read, once it is known to exist.
    pub level: u32,
    /// The layer read.
    pub layer: u64,
    /// The coordinates with their offsets, before and after `.CL`.
    pub wanted: [i64; 3],
    /// The texel read, inside the level.
    pub at: [u64; 3],
    /// The sample read.
    pub sample: u32,
    /// How it ended.
    pub end: End,
    /// R, G, B, A after decoding.
    pub components: [u32; 4],
    /// X, Y, Z, W after the swizzle.
    pub outputs: [u32; 4],
}

impl Fetch {
    /// What Ps receives.
    pub const fn sparse(&self) -> bool {
        matches!(self.end, End::Sparse(_))
    }
}

/// A fetch that cannot be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trap {
    /// The header asks for something that is not modelled or not defined.
    Header {
        /// Its number.
        pointer: u32,
        /// Whether anybody put a header there.
        set: bool,
        /// What is wrong.
        problems: Vec<HeaderProblem>,
    },
    /// The texel lies where there is no memory.
    NoMemory {
        /// The header's number.
        pointer: u32,
        /// The texel.
        at: [u64; 3],
        /// Its address.
        address: u64,
    },
}

/// The layer meant by an array operand: bits 15:0, higher bits dropped.
///
/// The vendor page calls it a U16 integer at `array[15:0]`; compilers saturate to 0xffff before TLD
/// because the instruction does not. Source: TLD reference 2.4.
pub const fn array_index(operand: u32) -> u64 {
    (operand & 0xffff) as u64
}

/// A coordinate with its offset: without wrap-around, so a sum past 2^31 − 1 is out of range.
///
/// Source: TLD reference 2.4 (a choice; question 7 of its section 9 asks the hardware).
pub const fn moved(coordinate: i32, offset: i64) -> i64 {
    coordinate as i64 + offset
}

/// The sample read: an excessive number wraps, which stays inside the texel.
///
/// Source: TLD reference 2.4 (a choice; Direct3D and Vulkan leave it undefined). Without `.MS` the
/// operand is 0, and so is the sample.
pub const fn sample_number(operand: u32, samples: usize) -> u32 {
    operand % samples as u32
}

/// Whether an instruction of this description reads from such a texture: their coordinate counts agree.
///
/// Arrays and non-arrays mix freely. Source: vendor page; TLD reference 3.3.
pub const fn matches_header(dim: Dim, shape: super::header::TextureType) -> bool {
    !dim.is_reserved() && dim.coordinates() == shape.coordinates()
}

/// Fetches one texel for one thread. The guard is not looked at.
///
/// # Errors
/// [`Trap`] if the header is not one visim can read, or the texel has no memory.
pub fn fetch(tld: &Tld, inputs: &Inputs, textures: &Textures) -> Result<Fetch, Trap> {
    let pointer = inputs.pointer();
    let mut result = Fetch {
        pointer,
        level: 0,
        layer: 0,
        wanted: [0; 3],
        at: [0; 3],
        sample: 0,
        end: End::InvalidHeader,
        components: [0; 4],
        outputs: [0; 4],
    };
    if pointer > textures.pool.maximum_index() {
        return Ok(result);
    }
    let texture = textures
        .pool
        .texture(pointer)
        .map_err(|problems| Trap::Header {
            pointer,
            set: textures.pool.is_set(pointer),
            problems,
        })?;
    let header = texture.header();
    if !matches_header(tld.dim, header.texture_type) {
        result.end = End::Mismatch;
        return Ok(result);
    }
    match locate(tld, inputs, texture, &mut result) {
        Err(outside) => result.end = outside,
        Ok(address) => {
            let mut bytes = [0; 16];
            let length = header.components.bytes();
            match textures.memory.read(address, &mut bytes[..length]) {
                Residency::Sparse => result.end = End::Sparse(address),
                Residency::Absent => {
                    return Err(Trap::NoMemory {
                        pointer,
                        at: result.at,
                        address,
                    });
                }
                Residency::Mapped => {
                    result.end = End::Texel { address, bytes };
                    result.components = texture.decode(&bytes[..length]);
                }
            }
        }
    }
    result.outputs = texture.swizzle(result.components);
    Ok(result)
}

/// Level, layer, coordinates and sample; the texel's address, or why there is none.
fn locate(tld: &Tld, inputs: &Inputs, texture: &Texture, result: &mut Fetch) -> Result<u64, End> {
    let header = texture.header();
    let lod = match tld.lod {
        // A buffer has one level whatever is asked for.
        Lod::Given if header.layout != Layout::Buffer => u64::from(inputs.lod),
        _ => 0,
    };
    let level = u64::from(header.view[0]) + lod;
    if level > u64::from(header.view[1].min(header.max_mip_level)) {
        return Err(End::PastLevels(level));
    }
    result.level = level as u32;
    if tld.dim.is_array() && header.texture_type.is_array() {
        let layer = array_index(inputs.array);
        let layers = u64::from(header.depth);
        match (layer < layers, tld.cl) {
            (true, _) => result.layer = layer,
            (false, true) => result.layer = layers - 1,
            (false, false) => return Err(End::PastLayers(layer)),
        }
    }
    let extent = texture.extent(result.level);
    for (axis, size) in extent
        .into_iter()
        .enumerate()
        .take(tld.dim.coordinates().into())
    {
        let wanted = moved(inputs.at[axis], inputs.offset(axis));
        result.wanted[axis] = wanted;
        result.at[axis] = match u64::try_from(wanted) {
            Ok(inside) if inside < size => inside,
            _ if !tld.cl => return Err(End::Outside(axis)),
            Ok(_) => size - 1,
            Err(_) => 0,
        };
    }
    let samples = header.samples.places();
    result.sample = sample_number(inputs.sample, samples.len());
    Ok(texture.address(result.level, result.layer, result.at, result.sample))
}

/// Carries out `tld` for one thread: guard, operands, fetch, results. `None` if the guard is false.
///
/// All operands are read before anything is written, so Rd may overlap Ra and Rb.
///
/// # Errors
/// As [`fetch`]; the thread is then unchanged.
pub fn execute(tld: &Tld, thread: &mut Thread, textures: &Textures) -> Result<Option<Fetch>, Trap> {
    if thread.pred(tld.guard.pred) == tld.guard.negated {
        return Ok(None);
    }
    let inputs = Inputs::gather(tld, thread, &textures.bank);
    let fetched = fetch(tld, &inputs, textures)?;
    for (component, reg) in packing::results(tld) {
        thread.set_reg(reg, fetched.outputs[component]);
    }
    thread.set_pred(tld.ps, fetched.sparse());
    Ok(Some(fetched))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_signed_nibbles() {
        let inputs = Inputs {
            offsets: 0xffff_f978,
            ..Inputs::default()
        };
        let all: Vec<_> = (0..3).map(|axis| inputs.offset(axis)).collect();
        assert_eq!(all, [-8, 7, -7]);
    }

    #[test]
    fn rz_and_pt_take_nothing() {
        let mut thread = Thread::default();
        thread.set_reg(Reg::RZ, 7);
        thread.set_pred(Pred::PT, false);
        assert_eq!(thread, Thread::default());
        assert_eq!((thread.reg(Reg::RZ), thread.pred(Pred::PT)), (0, true));
    }
}
