//! Where each field of a header lies, and what a value of it is called.

use super::super::component::Components;
use super::kinds::{DataType, Layout, MultiSample, Swizzle, TextureType};
use super::{Words, layout};

/// A field of the header: pieces `(lo, hi, shift)` whose bits go to the value from `shift` upwards.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The class header's name.
    pub name: &'static str,
    /// The layouts that have it: `B`locklinear, `P`itch, `O`ne-d buffer.
    pub layouts: &'static str,
    /// Where its bits are.
    pub pieces: &'static [(u32, u32, u32)],
    /// What it says; "must be 0" if the model refuses anything else.
    pub doc: &'static str,
}

pub(super) const MUST_BE_ZERO: &str = "must be 0";

impl Field {
    /// Its value.
    pub fn get(&self, words: &Words) -> u64 {
        self.pieces.iter().fold(0, |value, &(lo, hi, shift)| {
            (lo..=hi).fold(value, |value, bit| {
                let set = words[bit as usize / 32] >> (bit % 32) & 1;
                value | u64::from(set) << (bit - lo + shift)
            })
        })
    }

    /// Replaces its bits.
    pub fn set(&self, words: &mut Words, value: u64) {
        for &(lo, hi, shift) in self.pieces {
            for bit in lo..=hi {
                let word = &mut words[bit as usize / 32];
                let set = (value >> (bit - lo + shift) & 1) as u32;
                *word = *word & !(1 << (bit % 32)) | set << (bit % 32);
            }
        }
    }
}

macro_rules! fields {
    ($($name:ident $text:literal $layouts:literal [$($piece:expr),+] $doc:expr;)+) => {
        $(pub(super) const $name: Field =
            Field { name: $text, layouts: $layouts, pieces: &[$($piece),+], doc: $doc };)+

        /// Every field of the three layouts.
        pub static FIELDS: &[Field] = &[$($name),+];
    };
}

#[rustfmt::skip]
fields! {
    COMPONENTS       "COMPONENTS"            "BPO" [(0, 6, 0)]       "component sizes";
    R_TYPE           "R_DATA_TYPE"           "BPO" [(7, 9, 0)]       "how R is read";
    G_TYPE           "G_DATA_TYPE"           "BPO" [(10, 12, 0)]     "how G is read";
    B_TYPE           "B_DATA_TYPE"           "BPO" [(13, 15, 0)]     "how B is read";
    A_TYPE           "A_DATA_TYPE"           "BPO" [(16, 18, 0)]     "how A is read";
    X_SOURCE         "X_SOURCE"              "BPO" [(19, 21, 0)]     "what X takes";
    Y_SOURCE         "Y_SOURCE"              "BPO" [(22, 24, 0)]     "what Y takes";
    Z_SOURCE         "Z_SOURCE"              "BPO" [(25, 27, 0)]     "what Z takes";
    W_SOURCE         "W_SOURCE"              "BPO" [(28, 30, 0)]     "what W takes";
    PACK_COMPONENTS  "PACK_COMPONENTS"       "BPO" [(31, 31, 0)]     MUST_BE_ZERO;
    GOB_DEPTH_OFFSET "GOB_DEPTH_OFFSET"      "B"   [(37, 38, 0)]     MUST_BE_ZERO;
    ADDRESS_B        "ADDRESS"               "B"   [(41, 63, 9), (64, 79, 32)] "first byte, a multiple of 512";
    ADDRESS_P        "ADDRESS"               "P"   [(37, 63, 5), (64, 79, 32)] "first byte, a multiple of 32";
    ADDRESS_O        "ADDRESS"               "O"   [(32, 63, 0), (64, 79, 32)] "first byte";
    VERSION          "HEADER_VERSION"        "BPO" [(85, 87, 0)]     "which layout";
    BLOCK_WIDTH      "GOBS_PER_BLOCK_WIDTH"  "B"   [(96, 98, 0)]     MUST_BE_ZERO;
    BLOCK_HEIGHT     "GOBS_PER_BLOCK_HEIGHT" "B"   [(99, 101, 0)]    "log2, 0 to 5";
    BLOCK_DEPTH      "GOBS_PER_BLOCK_DEPTH"  "B"   [(102, 104, 0)]   "log2, 0 to 5";
    SPARSE           "SPARSE_ENABLE"         "B"   [(105, 105, 0)]   "no effect: residency belongs to memory";
    TILE_WIDTH       "TILE_WIDTH_IN_GOBS"    "B"   [(106, 108, 0)]   MUST_BE_ZERO;
    GOB3D            "GOB3D"                 "B"   [(109, 109, 0)]   MUST_BE_ZERO;
    PITCH            "PITCH"                 "P"   [(96, 111, 5)]    "bytes from row to row, a multiple of 32";
    DEPTH_TEXTURE    "DEPTH_TEXTURE"         "BP"  [(123, 123, 0)]   "no effect on TLD";
    MAX_MIP          "MAX_MIP_LEVEL"         "BP"  [(124, 127, 0)]   "last level of the image";
    WIDTH            "WIDTH_MINUS_ONE"       "BP"  [(128, 143, 0)]   "texels across, less one";
    WIDTH_O          "WIDTH_MINUS_ONE"       "O"   [(128, 143, 0), (96, 111, 16)] "texels, less one";
    SRGB             "S_R_G_B_CONVERSION"    "BPO" [(150, 150, 0)]   "colours through the sRGB curve";
    TEXTURE_TYPE     "TEXTURE_TYPE"          "BPO" [(151, 154, 0)]   "shape";
    PROMOTION        "SECTOR_PROMOTION"      "BPO" [(155, 156, 0)]   "no effect on values";
    BORDER_SIZE      "BORDER_SIZE"           "BP"  [(157, 159, 0)]   "7 = border colour from the sampler";
    HEIGHT           "HEIGHT_MINUS_ONE"      "BP"  [(160, 175, 0)]   "rows, less one";
    DEPTH            "DEPTH_MINUS_ONE"       "BP"  [(176, 189, 0)]   "slices or layers, less one";
    NORMALIZED       "NORMALIZED_COORDS"     "BP"  [(191, 191, 0)]   "no effect on TLD";
    VIEW_MIN         "RES_VIEW_MIN_MIP_LEVEL" "BP" [(224, 227, 0)]   "first level of the view";
    VIEW_MAX         "RES_VIEW_MAX_MIP_LEVEL" "BP" [(228, 231, 0)]   "last level of the view";
    SAMPLES          "MULTI_SAMPLE_COUNT"    "BP"  [(232, 235, 0)]   "samples and their places";
    MIN_LOD_CLAMP    "MIN_LOD_CLAMP"         "BP"  [(236, 247, 0)]   MUST_BE_ZERO;
    // Pascal gave reserved bits a meaning; a header that sets them is not a Maxwell header.
    WIDE_ADDRESS     "ADDRESS bit 48 (Pascal)" "BP" [(80, 80, 0)]    MUST_BE_ZERO;
    WIDE_SIZES       "17-bit sizes (Pascal)" "BP"  [(144, 146, 0)]   MUST_BE_ZERO;
}

pub(super) const TYPES: [Field; 4] = [R_TYPE, G_TYPE, B_TYPE, A_TYPE];
pub(super) const SOURCES: [Field; 4] = [X_SOURCE, Y_SOURCE, Z_SOURCE, W_SOURCE];

/// The header field by field, one line each, whatever its values: `NAME bits value  meaning`.
///
/// Fields of the layout that HEADER_VERSION names; all of them if it names none.
pub fn dump(words: &Words) -> String {
    let letter = layout(words).ok().map(Layout::letter);
    let mut text = String::new();
    for field in FIELDS {
        if letter.is_some_and(|letter| !field.layouts.contains(letter)) {
            continue;
        }
        let value = field.get(words);
        let bits: Vec<_> = field
            .pieces
            .iter()
            .rev()
            .map(|&(lo, hi, _)| format!("{hi}:{lo}"))
            .collect();
        let meaning = meaning(field, value).unwrap_or_else(|| field.doc.to_owned());
        text += &format!(
            "{:<24} {:>14}  {:#x}  {meaning}\n",
            field.name,
            bits.join(" "),
            value
        );
    }
    text
}

/// A value in words, where its field has names for it.
fn meaning(field: &Field, value: u64) -> Option<String> {
    fn named<T: Copy>(all: &[T], value: u64, name: fn(T) -> &'static str) -> Option<String> {
        all.get(value as usize).map(|&v| name(v).to_owned())
    }
    match field.name {
        "COMPONENTS" => Some(match Components::from_code(value as u8) {
            Ok(components) => components.name().to_owned(),
            Err((_, name)) => name.to_owned(),
        }),
        "HEADER_VERSION" => Some(
            match value {
                0 => "ONE_D_BUFFER",
                1 => "PITCH_COLORKEY",
                2 => "PITCH",
                3 => "BLOCKLINEAR",
                4 => "BLOCKLINEAR_COLORKEY",
                _ => "no layout",
            }
            .to_owned(),
        ),
        "TEXTURE_TYPE" => named(TextureType::ALL, value, TextureType::name),
        "MULTI_SAMPLE_COUNT" => named(MultiSample::ALL, value, MultiSample::name),
        name if name.ends_with("DATA_TYPE") => named(DataType::ALL, value, DataType::name),
        name if name.ends_with("SOURCE") => named(Swizzle::ALL, value, Swizzle::name),
        name if name.ends_with("MINUS_ONE") => Some(format!("{}", value + 1)),
        name if name.starts_with("GOBS_PER_BLOCK") && field.doc != MUST_BE_ZERO => {
            Some(format!("{} GOBs", 1u64 << value))
        }
        _ => None,
    }
}
