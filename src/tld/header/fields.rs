//! Where each field of a header lies, and what a value of it is called.

use super::super::component::Components;
use super::kinds::{DataType, Layout, MultiSample, Swizzle, TextureType};
use super::{Words, layout};
use crate::base::bits::{Codes as Table, Field, Meaning::*, Number};

/// A field of the header.
#[derive(Clone, Copy, Debug)]
pub struct HeaderField {
    /// Its bits; the name is the class header's, the text "must be 0" if the model refuses anything else.
    pub field: Field,
    /// The layouts that have it: `B`locklinear, `P`itch, `O`ne-d buffer.
    pub layouts: &'static str,
}

impl std::ops::Deref for HeaderField {
    type Target = Field;

    fn deref(&self) -> &Field {
        &self.field
    }
}

pub(super) const MUST_BE_ZERO: &str = "must be 0";

impl HeaderField {
    /// Its value; low bits that are not stored are zero.
    pub fn get(&self, words: &Words) -> u64 {
        self.raw(words) << self.shift()
    }

    /// Replaces its bits; those that are not stored are dropped.
    pub fn set(&self, words: &mut Words, value: u64) {
        self.set_raw(words, value >> self.shift());
    }
}

const VERSIONS: &[(u32, &str)] = &[
    (0, "ONE_D_BUFFER"),
    (1, "PITCH_COLORKEY"),
    (2, "PITCH"),
    (3, "BLOCKLINEAR"),
    (4, "BLOCKLINEAR_COLORKEY"),
];

/// The names of an enumeration whose values are its indices.
macro_rules! names_of {
    ($($table:ident $kind:ident $what:literal;)+) => {
        $(static $table: Table = Table {
            what: $what,
            name: |code| Some($kind::ALL.get(usize::try_from(code).ok()?)?.name()),
            code: |name| {
                let mut all = $kind::ALL.iter();
                Some(all.position(|v| v.name().eq_ignore_ascii_case(name))? as u64)
            },
        };)+
    };
}

names_of! {
    NUMBERS DataType "a data type";
    SWIZZLES Swizzle "a source";
    SHAPES TextureType "a texture type";
    SAMPLE_MODES MultiSample "a sample mode";
}

/// Component sizes have codes of their own, some of them not modelled.
static SIZES: Table = Table {
    what: "component sizes",
    name: |code| match Components::from_code(u8::try_from(code).ok()?) {
        Ok(components) => Some(components.name()),
        Err((_, name)) => Some(name),
    },
    code: |name| {
        let mut all = Components::ALL.iter();
        let found = all.find(|c| c.name().eq_ignore_ascii_case(name))?;
        Some(found.code().into())
    },
};

macro_rules! fields {
    ($($name:ident $text:literal $layouts:literal [$hi:literal:$lo:literal] $doc:tt $($kind:ident($value:expr))?;)+) => {
        $(pub(super) const $name: HeaderField = HeaderField {
            field: Field::new($text, $lo / 32, $hi - $lo / 32 * 32, $lo % 32, $doc)$(.$kind($value))?,
            layouts: $layouts,
        };)+

        /// Every field of the three layouts.
        pub static FIELDS: &[HeaderField] = &[$($name),+];
    };
}

#[rustfmt::skip]
fields! {
    COMPONENTS       "COMPONENTS"             "BPO" [6:0]     "component sizes" means(Codes(&SIZES));
    R_TYPE           "R_DATA_TYPE"            "BPO" [9:7]     "how R is read" means(Codes(&NUMBERS));
    G_TYPE           "G_DATA_TYPE"            "BPO" [12:10]   "how G is read" means(Codes(&NUMBERS));
    B_TYPE           "B_DATA_TYPE"            "BPO" [15:13]   "how B is read" means(Codes(&NUMBERS));
    A_TYPE           "A_DATA_TYPE"            "BPO" [18:16]   "how A is read" means(Codes(&NUMBERS));
    X_SOURCE         "X_SOURCE"               "BPO" [21:19]   "what X takes" means(Codes(&SWIZZLES));
    Y_SOURCE         "Y_SOURCE"               "BPO" [24:22]   "what Y takes" means(Codes(&SWIZZLES));
    Z_SOURCE         "Z_SOURCE"               "BPO" [27:25]   "what Z takes" means(Codes(&SWIZZLES));
    W_SOURCE         "W_SOURCE"               "BPO" [30:28]   "what W takes" means(Codes(&SWIZZLES));
    PACK_COMPONENTS  "PACK_COMPONENTS"        "BPO" [31:31]   MUST_BE_ZERO;
    GOB_DEPTH_OFFSET "GOB_DEPTH_OFFSET"       "B"   [38:37]   MUST_BE_ZERO;
    ADDRESS_B        "ADDRESS"                "B"   [79:41]   "first byte, a multiple of 512" number(Number::Address);
    ADDRESS_P        "ADDRESS"                "P"   [79:37]   "first byte, a multiple of 32" number(Number::Address);
    ADDRESS_O        "ADDRESS"                "O"   [79:32]   "first byte" number(Number::Address);
    VERSION          "HEADER_VERSION"         "BPO" [87:85]   "which layout" means(Names(VERSIONS));
    BLOCK_WIDTH      "GOBS_PER_BLOCK_WIDTH"   "B"   [98:96]   MUST_BE_ZERO;
    BLOCK_HEIGHT     "GOBS_PER_BLOCK_HEIGHT"  "B"   [101:99]  "log2, 0 to 5" means(Log2("GOB"));
    BLOCK_DEPTH      "GOBS_PER_BLOCK_DEPTH"   "B"   [104:102] "log2, 0 to 5" means(Log2("GOB"));
    SPARSE           "SPARSE_ENABLE"          "B"   [105:105] "no effect: residency belongs to memory";
    TILE_WIDTH       "TILE_WIDTH_IN_GOBS"     "B"   [108:106] MUST_BE_ZERO;
    GOB3D            "GOB3D"                  "B"   [109:109] MUST_BE_ZERO;
    PITCH            "PITCH"                  "P"   [111:96]  "bytes from row to row, a multiple of 32" number(Number::Scaled(5));
    DEPTH_TEXTURE    "DEPTH_TEXTURE"          "BP"  [123:123] "no effect on TLD";
    MAX_MIP          "MAX_MIP_LEVEL"          "BP"  [127:124] "last level of the image";
    WIDTH            "WIDTH_MINUS_ONE"        "BP"  [143:128] "texels across, less one" means(LessOne("texels"));
    WIDTH_O          "WIDTH_MINUS_ONE 15:0"  "O"   [143:128] "texels, less one: bits 15:0";
    WIDTH_O_HIGH     "WIDTH_MINUS_ONE 31:16" "O"   [111:96]  "texels, less one: bits 31:16";
    SRGB             "S_R_G_B_CONVERSION"     "BPO" [150:150] "colours through the sRGB curve";
    TEXTURE_TYPE     "TEXTURE_TYPE"           "BPO" [154:151] "shape" means(Codes(&SHAPES));
    PROMOTION        "SECTOR_PROMOTION"       "BPO" [156:155] "no effect on values";
    BORDER_SIZE      "BORDER_SIZE"            "BP"  [159:157] "7 = border colour from the sampler";
    HEIGHT           "HEIGHT_MINUS_ONE"       "BP"  [175:160] "rows, less one" means(LessOne("rows"));
    DEPTH            "DEPTH_MINUS_ONE"        "BP"  [189:176] "slices or layers, less one" means(LessOne("slices"));
    NORMALIZED       "NORMALIZED_COORDS"      "BP"  [191:191] "no effect on TLD";
    VIEW_MIN         "RES_VIEW_MIN_MIP_LEVEL" "BP"  [227:224] "first level of the view";
    VIEW_MAX         "RES_VIEW_MAX_MIP_LEVEL" "BP"  [231:228] "last level of the view";
    SAMPLES          "MULTI_SAMPLE_COUNT"     "BP"  [235:232] "samples and their places" means(Codes(&SAMPLE_MODES));
    MIN_LOD_CLAMP    "MIN_LOD_CLAMP"          "BP"  [247:236] MUST_BE_ZERO;
    // Pascal gave reserved bits a meaning; a header that sets them is not a Maxwell header.
    WIDE_ADDRESS     "ADDRESS bit 48 (Pascal)" "BP"  [80:80]   MUST_BE_ZERO;
    WIDE_SIZES       "17-bit sizes (Pascal)"  "BP"  [146:144] MUST_BE_ZERO;
}

pub(super) const TYPES: [HeaderField; 4] = [R_TYPE, G_TYPE, B_TYPE, A_TYPE];
pub(super) const SOURCES: [HeaderField; 4] = [X_SOURCE, Y_SOURCE, Z_SOURCE, W_SOURCE];

/// The header field by field, one line each, whatever its values, in groups by dword.
///
/// Fields of the layout that HEADER_VERSION names; all of them if it names none.
pub fn dump(words: &Words) -> String {
    let letter = layout(words).ok().map(Layout::letter);
    let mut text = String::new();
    let present = |f: &&HeaderField| letter.is_none_or(|letter| f.layouts.contains(letter));
    let mut dw = usize::MAX;
    for field in FIELDS.iter().filter(present) {
        if field.dw != dw {
            dw = field.dw;
            text += &format!("  {dw:>2}  {:08x}\n", words[dw]);
        }
        text += &format!("      {}\n", field.line(words, 24));
    }
    text
}
