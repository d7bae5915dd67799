//! A surface of the media sampler as people write it in a file, under the names of AVS reference 8.

use super::super::{Description, Format, Generation, Invalid, LineStride, Planes, Tiling};
use crate::diagnostic::Code;
use serde::Deserialize;

/// The fields; what is missing is that of a linear frame, interleaved chroma below luma.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MediaFields {
    format: String,
    width: u32,
    height: u32,
    /// 0: the smallest legal.
    pitch: u32,
    /// Where the surface lies.
    base: u64,
    tiling: Tiles,
    address_control: Edges,
    lines: Lines,
    x_offset: u32,
    y_offset: u32,
    interleave_chroma: Option<bool>,
    half_pitch_chroma: Option<bool>,
    u_x: Option<u32>,
    u_y: Option<u32>,
    v_x: Option<u32>,
    v_y: Option<u32>,
    cr_cb_offset_v: u8,
    cr_cb_offset_u: u8,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tiles {
    #[default]
    Linear,
    X,
    Y,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Edges {
    #[default]
    Clamp,
    Mirror,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Lines {
    #[default]
    Frame,
    Top,
    Bottom,
}

impl MediaFields {
    /// What the fields describe.
    ///
    /// # Errors
    /// `E0746` for a format that does not exist, and what a surface must not be.
    pub fn description(&self, generation: Generation) -> Result<Description, Invalid> {
        let format = Format::named(&self.format).ok_or_else(|| {
            let what = match self.format.as_str() {
                "" => "`format` is missing".to_string(),
                name => format!("no format is called {name}"),
            };
            Invalid::new(Code::E0746, what)
        })?;
        let planes = format.is_planar().then(|| {
            let usual = Planes::nv12(self.height);
            let place = |x: Option<u32>, y: Option<u32>, usual: (u32, u32)| {
                (x.unwrap_or(usual.0), y.unwrap_or(usual.1))
            };
            Planes {
                interleaved: self.interleave_chroma.unwrap_or(usual.interleaved),
                half_pitch: self.half_pitch_chroma.unwrap_or(usual.half_pitch),
                u: place(self.u_x, self.u_y, usual.u),
                v: place(self.v_x, self.v_y, usual.v),
                offset_v: self.cr_cb_offset_v,
                offset_u: self.cr_cb_offset_u,
            }
        });
        let described = Description {
            generation,
            planes,
            pitch: self.pitch,
            base: self.base,
            tiling: match self.tiling {
                Tiles::Linear => Tiling::Linear,
                Tiles::X => Tiling::X,
                Tiles::Y => Tiling::Y,
            },
            mirror: self.address_control == Edges::Mirror,
            line_stride: match self.lines {
                Lines::Frame => LineStride::Frame,
                Lines::Top => LineStride::TopField,
                Lines::Bottom => LineStride::BottomField,
            },
            x_offset: self.x_offset,
            y_offset: self.y_offset,
            ..Description::d2(format, self.width, self.height)
        };
        // The smallest legal pitch is filled in where none is given.
        let (resolved, _) = super::rules::at_home(described).resolve()?;
        Ok(Description {
            base: self.base,
            ..resolved
        })
    }
}
