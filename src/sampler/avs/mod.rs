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
//! bytes go out. Source: AVS reference 1 to 3.

mod blended;
pub mod filters;
mod key;
#[cfg(test)]
mod laws;
mod pack;
pub mod plan;
mod position;
pub mod reference;
mod sharp;
pub mod state;
pub mod tables;
pub mod view;
mod window;

pub use key::ChromaKey;
pub use pack::{Block, packed_bytes};
pub use plan::{Kernel, Kernels, Plan};
pub use position::Positions;
pub use state::{AvsSampler, FilterType, TapMode};
pub use view::{Edge, MediaFormat, MediaView, Place, media_format};

use crate::message::AvsRequest;
use crate::surface::{Format, Surface};
use pack::Packing;
use plan::Scratch;
use std::cell::RefCell;

/// Why a message has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AvsError {
    /// Not modelled; `section` of the AVS reference defines it.
    #[error("{what} is not modelled (AVS reference, section {section})")]
    Unsupported {
        /// What was asked for.
        what: String,
        /// Where it is defined.
        section: &'static str,
    },
    /// Not among the formats of AVS reference 3.3.
    #[error("the media sampler does not read surfaces of format {0} (AVS reference 3.3)")]
    Format(Format),
    /// A buffer, an array of samples, ....
    #[error("the media sampler reads 2D surfaces with one sample only (AVS reference 3.3)")]
    Kind,
    /// The destination is too small.
    #[error("the message returns {need} bytes, the destination has {have}")]
    Destination {
        /// Bytes of [`packed_bytes`].
        need: usize,
        /// Bytes given.
        have: usize,
    },
}

thread_local! {
    static SCRATCH: RefCell<(Scratch, Block)> = RefCell::new((Scratch::default(), Block::new(0)));
}

/// Scales a block of `surface` and packs it into `dst`, which it writes as [`run_view`] does.
///
/// # Errors
/// [`AvsError`]: no surface for the media sampler; the destination is too small; the state asks for
/// what is not modelled.
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
/// [`AvsError`]: the destination is too small, or the state asks for what is not modelled.
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
    if sampler.ief_enable && !request.ief_bypass {
        return Err(AvsError::Unsupported {
            what: "the image enhancement filter".to_owned(),
            section: "4",
        });
    }
    let positions = Positions::new(request, view.width, view.height, 0);
    let plan = Plan::new(view, sampler, kernels);
    SCRATCH.with_borrow_mut(|(scratch, block)| {
        plan.run(
            &positions,
            request.channels,
            request.control.decimates(),
            scratch,
            block,
        );
        packing.write(block, dst);
    });
    Ok(())
}
