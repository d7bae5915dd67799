//! The adaptive video scaler: one AVS message, a block of scaled samples.
//!
//! ```text
//!  AvsRequest ─ position ─▶ where the pixels lie          8.8 texel positions
//!  Surface ──── view ─────▶ planes of texels ─ window ─▶ the texels needed, edges resolved
//!  AvsSampler ─ filters ──▶ taps and weights
//!                            └─ plan ─▶ sharp | blended | reference ─▶ Block ─ pack ─▶ bytes
//! ```
//!
//! Start with [`reference`](mod@reference), the definition of a sample; [`plan`] picks the kernel that computes
//! the same bits quickly. It does not know instructions, masks or registers: a request comes in,
//! bytes go out. [`ief`] sharpens or smooths the scaled luma. Source: AVS reference 1 to 4.

mod blended;
mod block;
pub mod filters;
pub mod groups;
pub mod ief;
mod key;
mod known;
mod lanes;
mod pack;
pub mod packed;
mod picked;
pub mod plan;
pub mod position;
pub mod reference;
mod scaler;
mod sharp;
pub mod skin;
pub mod state;
pub mod tables;
pub mod view;
mod window;

pub use block::{COLUMNS, Lines, MOST as MOST_SAMPLE, SHIFT as SAMPLE_SHIFT, SOURCES};
pub use ief::{IefFilter, IefState};
pub use key::ChromaKey;
pub use pack::{Block, PackedRow, Packing, packed_bytes};
pub use picked::{MakesBlocks, PickedBlock, Picks, TEXELS};
pub use plan::{Kernel, Kernels, Plan};
pub use position::{Positions, Raster, texel_position};
pub use scaler::Scaler;
pub use state::{AvsSampler, FilterType, TapMode, argb};
pub use view::{Edge, MediaFormat, MediaView, PlaneLayout, media_format};
pub use window::FOOTPRINT;

use crate::isa::ChannelMask;
use crate::message::{AvsRequest, Scale8x8Request};
use crate::sampler::Read;
use crate::surface::{Format, Kind, Surface};
use packed::fields::SAMPLE_8X8_GEN5;
use plan::Scratch;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use tables::PHASES;

/// Why a message has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AvsError {
    /// Not among the formats of AVS reference 3.3.
    #[error("the media sampler does not read surfaces of format {0} (AVS reference 3.3)")]
    Format(Format),
    /// A format that Gen5 does not scale.
    #[error("the sample_8x8 message does not read surfaces of format {0} (PRM 4.10.2.2)")]
    Format8x8(Format),
    /// A buffer, an array of samples, ....
    #[error("the media sampler reads 2D surfaces with one sample only (AVS reference 3.3)")]
    Kind,
    /// Half of a pair at the end of rows.
    #[error(
        "the media sampler reads {0} of a width that is a multiple of 2; this one is {1} (PRM 4.10.2.2)"
    )]
    Width(Format, u32),
    /// The destination is too small.
    #[error("the message returns {need} bytes, the destination has {have}")]
    Destination {
        /// Bytes of [`packed_bytes`].
        need: usize,
        /// Bytes given.
        have: usize,
    },
}

/// What messages of one thread use again and again. The contents never matter.
struct Buffers {
    scratch: Scratch,
    block: Block,
    wide: Block,
}

thread_local! {
    static SCRATCH: RefCell<Buffers> = RefCell::new(Buffers {
        scratch: Scratch::default(),
        block: Block::new(0),
        wide: Block::new(0),
    });
}

/// Scales a block of `surface` and packs it into `dst`, which it writes as [`run_view`] does.
///
/// # Errors
/// [`AvsError`]: no surface for the media sampler, or the destination is too small.
pub fn run(
    surface: &Surface,
    sampler: &AvsSampler,
    request: &AvsRequest,
    dst: &mut [u8],
) -> Result<(), AvsError> {
    let view = MediaView::of(surface)?;
    run_view(&view, sampler, request, Kernels::Fast, dst)
}

/// Scales a block of `view` and packs it into `dst`.
///
/// Exactly the bytes of AVS reference 2 are written; channels that keep space without being enabled,
/// and everything from [`packed_bytes`] on, stay as they are (D2).
///
/// # Errors
/// [`AvsError::Destination`].
pub fn run_view(
    view: &MediaView,
    sampler: &AvsSampler,
    request: &AvsRequest,
    kernels: Kernels,
    dst: &mut [u8],
) -> Result<(), AvsError> {
    let packing = Packing::new(request, sampler.output_shuffle);
    let (need, have) = (packing.bytes(), dst.len());
    let dst = dst
        .get_mut(..need)
        .ok_or(AvsError::Destination { need, have })?;
    let asked = BlockRequest::of(request, sampler);
    asked.run(view, sampler, kernels, |block| packing.write(block, dst));
    Ok(())
}

/// The texels that the result of [`run`] depends on.
///
/// # Errors
/// As [`run`].
pub fn reads(
    surface: &Surface,
    sampler: &AvsSampler,
    request: &AvsRequest,
) -> Result<BTreeSet<Read>, AvsError> {
    let view = MediaView::of(surface)?;
    Ok(BlockRequest::of(request, sampler).reads(&view, sampler))
}

/// Bytes that a `sample_8x8` message returns: four registers for each channel.
pub const fn bytes_8x8(request: &Scale8x8Request) -> usize {
    request.channels.count() as usize * groups::bytes(8, 8)
}

/// Scales a block of 8 by 8 pixels of `surface`: the message of Gen5, in whose order the block is returned.
///
/// That part has one tap mode and no shuffle, and adapts luma only: what `sampler` says of those does not
/// count. Source: AVS reference 2.4 and 3.1.
///
/// # Errors
/// As [`run`].
pub fn run_8x8(
    surface: &Surface,
    sampler: &AvsSampler,
    request: &Scale8x8Request,
    kernels: Kernels,
    dst: &mut [u8],
) -> Result<(), AvsError> {
    let view = view_8x8(surface)?;
    let (need, have) = (bytes_8x8(request), dst.len());
    let dst = dst
        .get_mut(..need)
        .ok_or(AvsError::Destination { need, have })?;
    let sampler = of_gen5(sampler);
    let asked = BlockRequest::of_gen5(request, &sampler);
    asked.run(&view, &sampler, kernels, |block| {
        groups::write(block, asked.channels, (8, 8), dst);
    });
    Ok(())
}

/// The texels that the result of [`run_8x8`] depends on.
///
/// # Errors
/// As [`run`].
pub fn reads_8x8(
    surface: &Surface,
    sampler: &AvsSampler,
    request: &Scale8x8Request,
) -> Result<BTreeSet<Read>, AvsError> {
    let view = view_8x8(surface)?;
    let sampler = of_gen5(sampler);
    Ok(BlockRequest::of_gen5(request, &sampler).reads(&view, &sampler))
}

/// A picture that Gen5 scales: its 8-bit and 10-bit formats, less those that only the `deinterlace` message reads.
/// Source: PRM 4.10.2.2, Surface Format; 4.11.1.4.
fn view_8x8(surface: &Surface) -> Result<MediaView<'_>, AvsError> {
    let format = surface.format();
    let frames_only = matches!(format, Format::PLANAR_411_8 | Format::PLANAR_422_8);
    let own = SAMPLE_8X8_GEN5.generations.first().unwrap_or_default();
    if frames_only || format.media_code(own).is_none() {
        return Err(AvsError::Format8x8(format));
    }
    MediaView::of(surface)
}

/// What Gen5 knows of a state.
fn of_gen5(sampler: &AvsSampler) -> Cow<'_, AvsSampler> {
    let newer = sampler.tap_mode != TapMode::EightOnGreen
        || sampler.adaptive_all_channels
        || sampler.rgb_adaptive;
    if newer {
        Cow::Owned(AvsSampler {
            tap_mode: TapMode::EightOnGreen,
            adaptive_all_channels: false,
            rgb_adaptive: false,
            ..sampler.clone()
        })
    } else {
        Cow::Borrowed(sampler)
    }
}

/// What the manual forbids of the taps of table 0X for a surface of an early generation: 32-bit RGB formats have the
/// inner four alone. Source: PRM 4.10.4, "Must be zero if the format is R10G10B10A2_UNORM or R8G8B8A8_UNORM".
pub fn outer_taps(surface: &Surface, sampler: &AvsSampler) -> Option<String> {
    let d = surface.description();
    let format = d.format;
    let deep = [Format::R10G10B10A2_UNORM, Format::R8G8B8A8_UNORM].contains(&format);
    if !deep || !d.generation.short_surface_state {
        return None;
    }
    let table = &sampler.table0x;
    let rows = 0..PHASES as u8;
    let mut taps = rows.flat_map(|row| [0, 1, 6, 7].map(|tap| (row, tap)));
    let (row, tap) = taps.find(|&(row, tap)| table.row(row)[tap] != 0)?;
    Some(format!(
        "table 0X has {} in row {row}, tap {tap}: the outer taps must be 0 for {format}",
        table.row(row)[tap]
    ))
}

/// What of a message goes beyond the manual's limits; it has a result all the same. Source: AVS reference 1.5.
pub fn limits(surface: &Surface, delta_v: f32) -> Option<String> {
    let d = surface.description();
    if d.kind == Kind::Null {
        return None;
    }
    if let Some(images) = d.several_images() {
        return Some(images);
    }
    let step = (f64::from(delta_v) * f64::from(d.height)).abs();
    if d.width < 4 {
        return Some(format!(
            "the surface is {} texels wide, 4 are the least",
            d.width
        ));
    }
    // No number is not below 16 either.
    let within = step < 16.0;
    (!within).then(|| format!("rows are {step} texels apart, less than 16 are allowed"))
}

/// What messages of every generation ask of the scaler.
struct BlockRequest {
    raster: Raster,
    channels: ChannelMask,
    decimate: bool,
    /// The enhancement filter runs.
    enhance: bool,
}

impl BlockRequest {
    fn of(request: &AvsRequest, sampler: &AvsSampler) -> BlockRequest {
        BlockRequest {
            raster: Raster::from(request),
            channels: request.channels,
            decimate: request.control.decimates(),
            enhance: sampler.ief_enable && !request.ief_bypass,
        }
    }

    fn of_gen5(request: &Scale8x8Request, sampler: &AvsSampler) -> BlockRequest {
        BlockRequest {
            raster: Raster::from(request),
            channels: ChannelMask(request.channels.0 & 0xf),
            decimate: false,
            enhance: sampler.ief_enable,
        }
    }

    /// Whether a channel is returned at even columns only.
    fn decimates(&self, channel: usize) -> bool {
        self.decimate && (channel == view::R || channel == view::B)
    }

    /// The channels that are computed, and whether chroma is at even columns only.
    fn computed(&self, sampler: &AvsSampler) -> (ChannelMask, bool) {
        if self.enhance && sampler.ief.skin_tone.is_some() {
            // Skin is judged by the colour of every pixel.
            let colours = 1 << view::R | 1 << view::B;
            return (ChannelMask(self.channels.0 | colours), false);
        }
        (self.channels, self.decimate)
    }

    /// Pixels of the block and, with a margin, those that the enhancement filter sees.
    fn positions(&self, view: &MediaView) -> (Positions, Option<Positions>) {
        let around = |margin| Positions::new(&self.raster, view.width, view.height, margin);
        (around(0), self.enhance.then(|| around(MARGIN as u32)))
    }

    /// What the block depends on.
    fn reads(&self, view: &MediaView, sampler: &AvsSampler) -> BTreeSet<Read> {
        let (positions, around) = self.positions(view);
        let plan = Plan::new(view, sampler, Kernels::Fast);
        let (channels, decimate) = self.computed(sampler);
        let mut found = BTreeSet::new();
        plan.reads(&positions, channels, decimate, &mut found);
        if let Some(around) = around {
            plan.reads(&around, ChannelMask(1 << view::G), false, &mut found);
        }
        found
    }

    /// Computes the block and hands it to `done`.
    fn run(
        &self,
        view: &MediaView,
        sampler: &AvsSampler,
        kernels: Kernels,
        done: impl FnOnce(&Block),
    ) {
        let (positions, around) = self.positions(view);
        let plan = Plan::new(view, sampler, kernels);
        SCRATCH.with_borrow_mut(
            |Buffers {
                 scratch,
                 block,
                 wide,
             }| {
                let (channels, decimate) = self.computed(sampler);
                plan.run(&positions, channels, decimate, scratch, block);
                if let Some(around) = around {
                    plan.run(&around, ChannelMask(1 << view::G), false, scratch, wide);
                    enhance(&sampler.ief, wide, block, positions.v().len());
                } else if sampler.ief.vsa {
                    block.channels[view::A].fill(0);
                }
                done(block);
            },
        );
    }
}

/// Pixels that the enhancement filter sees beyond the block on every side.
const MARGIN: usize = 2;

/// Replaces luma of `block`, of `rows` rows, by what the filter makes of `wide`, the same with a margin.
///
/// Source: AVS reference 4.1; 4.5 for alpha.
fn enhance(state: &IefState, wide: &Block, block: &mut Block, rows: usize) {
    for row in 0..rows {
        for column in 0..block.stride {
            let around = std::array::from_fn(|j| {
                let from = (row + j) * wide.stride + column;
                std::array::from_fn(|i| i64::from(wide.channels[view::G][from + i] >> 6))
            });
            let at = row * block.stride + column;
            let code = |channel: usize| i64::from(block.channels[channel][at] >> 8);
            let centre = wide.channels[view::G][(row + MARGIN) * wide.stride + column + MARGIN];
            let ycc = [i64::from(centre >> 8), code(view::B), code(view::R)];
            let enhanced = state.filter(&around, ycc);
            block.channels[view::G][at] = ((enhanced.luma << 6) as u16).min(view::ONE);
            if state.vsa {
                block.channels[view::A][at] = (enhanced.index << 8) as u16;
            }
        }
    }
}
