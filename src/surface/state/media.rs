//! Surface states of the media sampler's messages: AVS, `sample_unorm`, deinterlacing.
//!
//! Source: surface reference 5.3; PRM 4.10.2.2; AVS reference 3.3.

use super::super::format::media as codes;
use super::super::{Description, Format, Generation, Invalid, LineStride, Planes, Tiling};
use super::field::Structure;
use super::tables::{MEDIA_GEN5, MEDIA_GEN9};
use crate::diagnostic::Code;

/// How far chroma lies below luma, in quarter rows; the third bit is Gen8's.
const OFFSET_V: &str = "Cr(V)/Cb(U) Pixel Offset V Direction";
const OFFSET_V_MSB: &str = "Cr(V)/Cb(U) Pixel Offset V Direction MSB";
/// How far it lies to the right, in half columns.
const OFFSET_U: &str = "Cr(V)/Cb(U) Pixel Offset U Direction";

/// The media structure of a generation.
///
/// # Errors
/// `N0752` for a generation whose layout is not known here.
pub fn structure(generation: Generation) -> Result<&'static Structure, Invalid> {
    let all = [MEDIA_GEN5, MEDIA_GEN9].into_iter();
    let mut known = all.filter(|structure| structure.generations.contains(generation));
    known.next().ok_or_else(|| {
        let what = format!("the media surface state of {generation} is not known to visim");
        Invalid::new(Code::N0752, what)
    })
}

/// What a packed media surface state describes.
///
/// # Errors
/// `E0748` for a reserved format, `N0752` for what is not modelled (rotation, formats of video analytics).
pub fn describe(generation: Generation, words: &[u32]) -> Result<Description, Invalid> {
    let structure = structure(generation)?;
    let get = |name: &str| structure.get(words, name) as u32;
    let code = get("Surface Format") as u16;
    let Some(name) = codes::name(generation, code) else {
        let what = format!("format {code} of a media surface state is reserved");
        return Err(Invalid::new(Code::E0748, what));
    };
    let format = Format::named(name).ok_or_else(|| {
        let what = format!("the format {name} of a media surface state is not modelled");
        Invalid::new(Code::N0752, what)
    })?;
    if get("Rotation") != 0 {
        let what = format!("Rotation {} is not modelled", get("Rotation"));
        return Err(Invalid::new(Code::N0752, what));
    }
    let (width, height) = (get("Width") + 1, get("Height") + 1);
    let old = generation.short_surface_state;
    let tiling = match (
        old,
        get("Tiled Surface"),
        get("Tile Walk"),
        get("Tile Mode"),
    ) {
        (true, 0, ..) | (false, _, _, 0) => Tiling::Linear,
        (true, _, 0, _) | (false, _, _, 2) => Tiling::X,
        (true, ..) | (false, _, _, 3) => Tiling::Y,
        (false, _, _, mode) => {
            return Err(Invalid::new(
                Code::E0748,
                format!("Tile Mode {mode} is reserved"),
            ));
        }
    };
    let planes = format.is_planar().then(|| Planes {
        interleaved: get("Interleave Chroma") == 1,
        half_pitch: get("Half Pitch for Chroma") == 1,
        u: (get("X Offset for U(Cb)"), get("Y Offset for U(Cb)")),
        v: (get("X Offset for V(Cr)"), get("Y Offset for V(Cr)")),
        offset_v: (get(OFFSET_V) + 4 * get(OFFSET_V_MSB)) as u8,
        offset_u: get(OFFSET_U) as u8,
    });
    Ok(Description {
        generation,
        tiling,
        planes,
        pitch: get("Surface Pitch") + 1,
        base: structure.get(words, "Surface Base Address"),
        x_offset: 4 * get("X Offset"),
        y_offset: 4 * get("Y Offset"),
        mirror: get("Address Control") == 1,
        line_stride: LineStride::from_fields(
            get("Vertical Line Stride"),
            get("Vertical Line Stride Offset"),
        ),
        ..Description::d2(format, width, height)
    })
}

/// The packed media state of a described surface.
///
/// # Errors
/// [`Invalid`] if a value does not fit, or the structure has no place for it.
pub fn pack(d: &Description) -> Result<Vec<u32>, Invalid> {
    let structure = structure(d.generation)?;
    let mut words = vec![0; structure.dwords];
    let code = d.format.media_code(d.generation).ok_or_else(|| {
        let what = format!(
            "{} is not a format of media surface states of {}",
            d.format, d.generation
        );
        Invalid::new(Code::E0746, what)
    })?;
    let mode = match d.tiling {
        Tiling::Linear => 0,
        Tiling::X => 2,
        Tiling::Y => 3,
        other => {
            let what = format!("tiling {other:?} has no place in a media surface state");
            return Err(Invalid::new(Code::E0745, what));
        }
    };
    let old = structure.dwords == MEDIA_GEN5.dwords;
    let mut put = |name: &str, value: u32| structure.put(&mut words, name, value.into());
    put("Surface Format", code.into())?;
    put("Width", d.width.saturating_sub(1))?;
    put("Height", d.height.saturating_sub(1))?;
    put("Surface Pitch", d.pitch.saturating_sub(1))?;
    if old {
        put("Tiled Surface", u32::from(mode != 0))?;
        put("Tile Walk", u32::from(mode == 3))?;
        let shown = d.line_stride.skips() || d.x_offset + d.y_offset > 0 || d.mirror;
        if shown {
            let what = "fields, origins inside a tile and reflection have no place in this state";
            return Err(Invalid::new(Code::E0745, what));
        }
    } else {
        put("Tile Mode", mode)?;
        if d.x_offset % 4 + d.y_offset % 4 > 0 {
            let what = "origins inside a tile count units of 4";
            return Err(Invalid::new(Code::E0749, what));
        }
        put("X Offset", d.x_offset / 4)?;
        put("Y Offset", d.y_offset / 4)?;
        put("Address Control", u32::from(d.mirror))?;
        put("Vertical Line Stride", u32::from(d.line_stride.skips()))?;
        let bottom = d.line_stride == LineStride::BottomField;
        put("Vertical Line Stride Offset", u32::from(bottom))?;
    }
    if let Some(planes) = d.planes {
        put("Interleave Chroma", u32::from(planes.interleaved))?;
        put("Half Pitch for Chroma", u32::from(planes.half_pitch))?;
        put("X Offset for U(Cb)", planes.u.0)?;
        put("Y Offset for U(Cb)", planes.u.1)?;
        put("X Offset for V(Cr)", planes.v.0)?;
        put("Y Offset for V(Cr)", planes.v.1)?;
        let (offset_v, offset_u) = (u32::from(planes.offset_v), u32::from(planes.offset_u));
        if old {
            put(OFFSET_V, offset_v)?;
            if offset_u > 0 {
                let what = "this state cannot hold chroma next to luma";
                return Err(Invalid::new(Code::E0745, what));
            }
        } else {
            put(OFFSET_V, offset_v % 4)?;
            put(OFFSET_V_MSB, offset_v / 4)?;
            put(OFFSET_U, offset_u)?;
        }
    }
    structure.put(&mut words, "Surface Base Address", d.base)?;
    Ok(words)
}

/// Every rule that a packed media state breaks, as [`super::rules::check`]. No memory is allocated.
pub fn check(generation: Generation, words: &[u32]) -> Vec<Invalid> {
    let structure = match structure(generation) {
        Ok(structure) => structure,
        Err(broken) => return vec![broken],
    };
    let mut broken = structure.check(generation, words);
    if broken.iter().any(|b| b.code == Code::E0750) {
        return broken;
    }
    match describe(generation, words) {
        Ok(d) => {
            // V has no place of its own where pairs are at U.
            let starts = |p: Planes| [Some(p.u), (!p.interleaved).then_some(p.v)];
            let starts = d.planes.map_or([None; 2], starts).into_iter().flatten();
            let odd = |number: u32| number % 2 == 1;
            if starts.clone().any(|(_, row)| odd(row)) {
                let what = "the rows of the U and V planes are even";
                broken.push(Invalid::new(Code::E0755, what));
            }
            let halved = matches!(d.format, Format::PLANAR_420_8 | Format::PLANAR_422_8);
            if halved && starts.clone().any(|(column, _)| odd(column)) {
                let what = "the columns of the U and V planes of 4:2:0 and 4:2:2 are even";
                broken.push(Invalid::new(Code::E0755, what));
            }
            super::rules::extend(&mut broken, d);
        }
        Err(why) if broken.iter().any(|b| b.code == why.code) => {}
        Err(why) => broken.push(why),
    }
    broken
}
