//! [`SamplerState`] from its packed structure, and back.
//!
//! Source: surface reference 5.5, 5.6; PRM 4.10.3.

use super::settings::{
    Address, Border, ChromaKey, Filter, KeyMode, MipFilter, Reduction, SamplerState, Shadow,
};
use super::state::{BORDER_GEN5, SAMPLER_GEN5, structure};
use crate::diagnostic::Code;
use crate::surface::state::field::StateField;
use crate::surface::{Generation, Invalid};

/// What a packed sampler state points to or shares with others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// The border colour structure: 4 or 12 dwords, zeros if absent.
    pub border: &'a [u32],
    /// Low and high value of each entry of the chroma key table.
    pub keys: [(u32, u32); 4],
    /// Size set by 3DSTATE_MONOFILTER_SIZE, which wins over the state (Ironlake on).
    pub mono: Option<(u32, u32)>,
}

impl SamplerState {
    /// Reads a packed state: four dwords.
    ///
    /// # Errors
    /// A sentence naming the field whose value is reserved, or not modelled.
    pub fn unpack(
        generation: Generation,
        words: [u32; 4],
        beside: &Beside<'_>,
    ) -> Result<SamplerState, String> {
        let structure = structure(generation);
        let get = |name: &str| structure.get(&words, name) as u32;
        let reserved = |name: &str| format!("{name} {} is reserved", get(name));
        // s4.6, u4.6 and u4.1, or s4.8 and u4.8, in 1/256.
        let value = |name: &str| {
            let field = structure.field(name);
            field.map_or(0, |f| (f.value(&words) * 256.0) as i32)
        };
        let filter = |name: &str| Filter::from_code(get(name)).ok_or_else(|| reserved(name));
        let mode = |name: &str| Address::from_code(get(name)).ok_or_else(|| reserved(name));
        let rounding = |kind: &str| {
            ["U", "V", "R"]
                .map(|axis| get(&format!("{axis} Address {kind} Filter Rounding Enable")) == 1)
        };
        if get("Texture Border Color Mode") == 1 {
            return Err("Texture Border Color Mode DX9 is not modelled".into());
        }
        let enabled = get("ChromaKey Enable") == 1;
        let (low, high) = beside.keys[get("ChromaKey Index") as usize & 3];
        let key = ChromaKey {
            mode: match get("ChromaKey Mode") {
                0 => KeyMode::Kill,
                _ => KeyMode::Black,
            },
            low,
            high,
        };
        let word = |i: usize| beside.border.get(i).copied().unwrap_or(0);
        let reduction = match (get("Reduction Type Enable"), get("Reduction Type")) {
            (1, 2) => Reduction::Minimum,
            (1, 3) => Reduction::Maximum,
            _ => Reduction::Standard,
        };
        let own = (
            get("Monochrome Filter Width"),
            get("Monochrome Filter Height"),
        );
        let (width, height) = beside.mono.unwrap_or(own);
        let state = SamplerState {
            disable: get("Sampler Disable") == 1,
            min: filter("Min Mode Filter")?,
            mag: filter("Mag Mode Filter")?,
            mip: MipFilter::from_code(get("Mip Mode Filter"))
                .ok_or_else(|| reserved("Mip Mode Filter"))?,
            address: [
                mode("TCX Address Control Mode")?,
                mode("TCY Address Control Mode")?,
                mode("TCZ Address Control Mode")?,
            ],
            round_mag: rounding("Mag"),
            round_min: rounding("Min"),
            border: match BORDER_GEN5.generations.contains(generation) {
                true => Border::Encodings(std::array::from_fn(word)),
                false => Border::Channels(std::array::from_fn(word)),
            },
            lod_bias: value("Texture LOD Bias"),
            min_lod: value("Min LOD"),
            max_lod: value("Max LOD"),
            base_level: value("Base Mip Level"),
            preclamp: get("LOD PreClamp Enable") == 1 || get("LOD PreClamp Mode") == 2,
            clamp_magnified: get("LOD Clamp Magnification Mode") == 1,
            max_anisotropy: 2 * (get("Maximum Anisotropy") + 1),
            shadow: Shadow::from_code(get("Shadow Function"))
                .ok_or_else(|| reserved("Shadow Function"))?,
            key: enabled.then_some(key),
            cube_override: get("Cube Surface Control Mode") == 1,
            mono: (width.max(1), height.max(1)),
            unnormalized: get("Non-normalized Coordinate Enable") == 1,
            reduction,
        };
        state.check()?;
        Ok(state)
    }

    /// The words of the state: four dwords, the border colour's four or twelve, and the key table with this
    /// state's key in entry 0.
    ///
    /// # Errors
    /// A sentence naming what the structure of the generation has no place for.
    pub fn pack(&self, generation: Generation) -> Result<Packed, String> {
        let words = self.words(generation).map_err(|why| why.what)?;
        let mut keys = [(0, 0); 4];
        if let Some(key) = self.key {
            keys[0] = (key.low, key.high);
        }
        let border = match self.border {
            Border::Channels(words) => words.to_vec(),
            Border::Encodings(words) => words.to_vec(),
        };
        let packed = Packed {
            words,
            border,
            keys,
            mono: self.mono,
        };
        // What the structure does not hold shows on the way back.
        match packed.unpack(generation) {
            Ok(back) if back == *self => Ok(packed),
            _ => Err(format!(
                "the sampler state of {generation} has no place for some of these fields"
            )),
        }
    }

    /// The packed state alone: four dwords.
    ///
    /// # Errors
    /// `E0749`, `E0756`: the structure of the generation has no such field, or the field no such value.
    ///
    /// Source: surface reference 5.5.
    pub fn words(&self, generation: Generation) -> Result<[u32; 4], Invalid> {
        let structure = structure(generation);
        let old = structure.generations == SAMPLER_GEN5.generations;
        for (said, name, otherwise) in [
            (
                self.base_level != 0,
                "Base Mip Level",
                "0; the surface state has it from Gen8 on",
            ),
            (
                self.clamp_magnified,
                "LOD Clamp Magnification Mode",
                "off; it begins with Gen8",
            ),
            (
                self.unnormalized,
                "Non-normalized Coordinate Enable",
                "normalized coordinates; the others begin with Gen8",
            ),
            (
                self.reduction != Reduction::Standard,
                "Reduction Type",
                "the standard one; others begin with Gen8",
            ),
        ] {
            if said && structure.field(name).is_none() {
                let what = format!("the sampler state of {generation} has no {name}");
                return Err(Invalid::new(Code::E0749, what).fix(&[], otherwise));
            }
        }
        if old && self.address.contains(&Address::HalfBorder) {
            let what = format!("address mode HALF_BORDER; {generation} has none");
            let help = "address mode CLAMP_BORDER; HALF_BORDER begins with Gen8";
            return Err(Invalid::new(Code::E0756, what).fix(&[], help));
        }
        let mut words = [0; 4];
        for (name, value) in [
            ("Texture LOD Bias", self.lod_bias),
            ("Min LOD", self.min_lod),
            ("Max LOD", self.max_lod),
            ("Base Mip Level", self.base_level),
        ] {
            if let Some(field) = structure.field(name) {
                field.set_raw(&mut words, level(field, f64::from(value) / 256.0)?);
            }
        }
        let mut fit = Ok(());
        let mut put = |name: &str, raw: u64| {
            if let Err(why) = structure.put(&mut words, name, raw)
                && fit.is_ok()
            {
                fit = Err(why);
            }
        };
        put("Sampler Disable", self.disable.into());
        put("Mip Mode Filter", self.mip.code().into());
        put("Mag Mode Filter", self.mag.code().into());
        put("Min Mode Filter", self.min.code().into());
        put("Shadow Function", self.shadow.code().into());
        put("Cube Surface Control Mode", self.cube_override.into());
        put("Maximum Anisotropy", (self.max_anisotropy / 2 - 1).into());
        for (axis, mode) in ["X", "Y", "Z"].iter().zip(self.address) {
            put(
                &format!("TC{axis} Address Control Mode"),
                mode.code().into(),
            );
        }
        for (kind, rounds) in [("Mag", self.round_mag), ("Min", self.round_min)] {
            for (axis, round) in ["U", "V", "R"].iter().zip(rounds) {
                put(
                    &format!("{axis} Address {kind} Filter Rounding Enable"),
                    round.into(),
                );
            }
        }
        if let Some(key) = self.key {
            put("ChromaKey Enable", 1);
            put("ChromaKey Mode", u64::from(key.mode == KeyMode::Black));
        }
        if old {
            put("LOD PreClamp Enable", self.preclamp.into());
        } else {
            put("LOD PreClamp Mode", if self.preclamp { 2 } else { 0 });
            put("LOD Clamp Magnification Mode", self.clamp_magnified.into());
            put("Non-normalized Coordinate Enable", self.unnormalized.into());
            put(
                "Reduction Type Enable",
                u64::from(self.reduction != Reduction::Standard),
            );
            put(
                "Reduction Type",
                match self.reduction {
                    Reduction::Standard => 0,
                    Reduction::Minimum => 2,
                    Reduction::Maximum => 3,
                },
            );
        }
        fit?;
        Ok(words)
    }
}

/// The bits of a field that counts levels of detail.
///
/// # Errors
/// `E0749`: outside its range, or between its steps.
pub fn level(field: &StateField, value: f64) -> Result<u64, Invalid> {
    field.of_value(value).ok_or_else(|| {
        let takes = field.takes();
        let what = format!("{} {value}; the field has {takes}", field.name);
        Invalid::new(Code::E0749, what).fix(&[], takes)
    })
}

/// The greatest Max LOD of a generation's state, in 1/256 levels.
pub fn most_lod(generation: Generation) -> i32 {
    structure(generation).field("Max LOD").map_or(0, |field| {
        let mut words = [0; 4];
        field.set_raw(&mut words, field.most);
        (field.value(&words) * 256.0) as i32
    })
}

/// A sampler state in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// SAMPLER_STATE.
    pub words: [u32; 4],
    /// SAMPLER_BORDER_COLOR_STATE.
    pub border: Vec<u32>,
    /// The chroma key table.
    pub keys: [(u32, u32); 4],
    /// Size of the monochrome filter.
    pub mono: (u32, u32),
}

impl Packed {
    /// The state these words say.
    ///
    /// # Errors
    /// As [`SamplerState::unpack`].
    pub fn unpack(&self, generation: Generation) -> Result<SamplerState, String> {
        let beside = Beside {
            border: &self.border,
            keys: self.keys,
            mono: Some(self.mono),
        };
        SamplerState::unpack(generation, self.words, &beside)
    }
}
