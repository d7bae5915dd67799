//! Surfaces and sampler states as a host gives them: in the words of the directives `SURFACE` and `SAMPLER`.

use crate::surface;
use std::sync::Arc;

/// Memory with a format and a shape, to be bound to a surface variable.
///
/// The words are those of the `SURFACE` directive: format and size in texels, then `key=value` for tiling, levels,
/// slices and all else, then, after a comma, a formula that fills it. `visim explain SURFACE` lists them. They are
/// read when the run starts, for its platform; what is wrong with them comes in the [`Report`](crate::Report).
///
/// ```
/// use visim::{Simulator, Source, Surface};
///
/// let text = r#".version 4.1
/// .kernel "invert"
/// .decl V32 v_type=G type=ub num_elts=32 align=GRF
/// .decl T6 v_type=T num_elts=1
///     media_ld.nomod (8,4) T6 0 0:ud 0:ud V32.0
///     not (M1, 32) V32(0,0)<1> V32(0,0)<1;1,0>
///     media_st.nomod (8,4) T6 0 0:ud 0:ud V32.0
///     ret (M1, 1)
/// "#;
/// let picture = Surface::from_rows("R8_UNORM 8x4", (0..32).collect::<Vec<u8>>());
/// let outcome = Simulator::new(Source::new("invert.visa", text)).surface("T6", &picture).run()?;
/// assert_eq!(outcome.surface("T6").unwrap().rows()[..3], [255, 254, 253]);
/// # Ok::<(), visim::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct Surface(pub(super) Contents);

/// Where a surface comes from.
#[derive(Clone, Debug)]
pub(super) enum Contents {
    /// Words, and rows that they are filled with.
    Words(String, Option<Arc<[u8]>>),
    /// A surface of a run.
    Made(Arc<surface::Surface>),
}

impl Surface {
    /// A surface of zeros, or of what a formula or a file in its words says: `"R8_UNORM 64x32"`,
    /// `"R32_FLOAT 16x16 tiling=y, float(x,y) = x + 16*y"`, `"photo.png as R8G8B8A8_UNORM"` (see
    /// [`Simulator::files`](crate::Simulator::files)).
    pub fn new(words: impl Into<String>) -> Surface {
        Surface(Contents::Words(words.into(), None))
    }

    /// A surface with these texels: rows from the top without padding, little-endian; planes and slices one after the
    /// other, level 0 alone. There are exactly as many bytes as the words ask for.
    pub fn from_rows(words: impl Into<String>, rows: impl Into<Arc<[u8]>>) -> Surface {
        Surface(Contents::Words(words.into(), Some(rows.into())))
    }

    /// The texels as [`Surface::from_rows`] takes them, once a run has made the surface; before that what was given.
    pub fn rows(&self) -> Vec<u8> {
        match &self.0 {
            Contents::Words(_, rows) => rows.as_deref().unwrap_or_default().to_vec(),
            Contents::Made(surface) => surface.to_rows(),
        }
    }

    /// The name of its format, once a run has made the surface: `"R8G8B8A8_UNORM"`.
    pub fn format(&self) -> Option<&'static str> {
        match &self.0 {
            Contents::Words(..) => None,
            Contents::Made(surface) => Some(surface.description().format.name),
        }
    }

    /// Width and height of level 0 in texels, once a run has made the surface.
    pub fn size(&self) -> Option<(u32, u32)> {
        match &self.0 {
            Contents::Words(..) => None,
            Contents::Made(surface) => {
                let description = surface.description();
                Some((description.width, description.height))
            }
        }
    }
}

/// What a sampler does between texels and at edges, to be bound to a sampler variable.
///
/// The words are those of the `SAMPLER` directive: `filter=linear address=wrap` for the 3D sampler, `avs …` for the
/// video scaler, `unorm …`, `deinterlace …`. `visim explain SAMPLER` lists them. They are read when the run starts.
///
/// ```
/// use visim::{SamplerState, Simulator, Source, Surface};
///
/// let text = r#".version 4.1
/// .kernel "between"
/// .decl V32 v_type=G type=f num_elts=8 align=GRF
/// .decl V33 v_type=G type=f num_elts=8 align=GRF
/// .decl T6 v_type=T num_elts=1
/// .decl S0 v_type=S num_elts=1
///     mov (M1, 8) V32(0,0)<1> 0.5:f
///     sample_lz.R (M1, 8) 0x0:uw S0 T6 V33.0 V32.0 V32.0
///     ret (M1, 1)
/// "#;
/// let outcome = Simulator::new(Source::new("between.visa", text))
///     .surface("T6", &Surface::new("R32_FLOAT 2x1, float(x,y) = x"))
///     .sampler("S0", &SamplerState::new("filter=linear address=clamp"))
///     .run()?;
/// assert_eq!(outcome.register("V33").unwrap()[..4], 0.5f32.to_le_bytes());
/// # Ok::<(), visim::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct SamplerState(pub(super) String);

impl SamplerState {
    /// The state that these words describe.
    pub fn new(words: impl Into<String>) -> SamplerState {
        SamplerState(words.into())
    }
}
