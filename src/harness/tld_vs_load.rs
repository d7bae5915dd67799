//! The same texel through both front ends: each TLD beside the `load_3d` that asks for it.
//!
//! ```text
//!  TLD.LL.AOFFI R0, R8, R16, 0x28, ARRAY_2D      ld   u = s   v = t   lod = LOD   r = array
//!                a s t    LOD offsets                 offsets U, V, R = u, v, w
//! ```
//!
//! The surface is the one the texture was made from, so that what differs is the rule, not the texel.
//! Source: TLD reference 6; surface reference 4.13.

use crate::isa::ChannelMask;
use crate::message::{ReturnFormat, SamplerOp, SamplerRequest};
use crate::sampler::fetch::load_reference;
use crate::surface::{Description, Surface};
use crate::tld::machine::Machine;
use crate::tld::{End, Fetch, Inputs, Lod, Tld};

/// The texture of a header as the other front end's surface, of the same levels.
///
/// # Errors
/// A sentence: there is none.
pub fn view(machine: &Machine, pointer: u32) -> Result<Surface, String> {
    let Some(surface) = machine.surfaces.get(&pointer) else {
        return Err(format!("no surface is bound for header {pointer}"));
    };
    // The view's first level is the surface's Min LOD, its last one the MIP Count.
    let texture = machine
        .pool
        .texture(pointer)
        .map_err(|_| "no such header")?;
    let [first, last] = texture.header().view;
    let described = Description {
        min_lod: first.into(),
        levels: u32::from(last.saturating_sub(first)) + 1,
        ..surface.description().clone()
    };
    Surface::new(described, surface.memory().clone()).map_err(|e| e.what)
}

/// What `load_3d` returns where `fetched` was returned, or why there is nothing to compare.
///
/// # Errors
/// A sentence: there is no such surface, or no such load.
pub fn load_3d(
    machine: &Machine,
    tld: &Tld,
    inputs: &Inputs,
    fetched: &Fetch,
) -> Result<[u32; 4], String> {
    let surface = view(machine, fetched.pointer)?;
    if tld.ms {
        return Err("ld2dms_w requires a control surface in addition to the image".to_owned());
    }
    let lanes = |value: u32| [value; 32];
    let [s, t, r] = inputs.at.map(|c| lanes(c.cast_unsigned()));
    let array = lanes(inputs.array);
    let (v, r) = match (tld.dim.is_array(), tld.dim.coordinates()) {
        (true, 1) => (array, lanes(0)),
        (true, _) => (t, array),
        (false, _) => (t, r),
    };
    let (op, params) = match tld.lod {
        Lod::Zero => (SamplerOp::LdLz, [s, v, r, lanes(0)]),
        Lod::Given => (SamplerOp::Ld, [s, v, lanes(inputs.lod), r]),
    };
    let request = SamplerRequest {
        op,
        surface: 0,
        sampler: 0,
        channels: ChannelMask::RGBA,
        lanes: 8,
        offsets: [0, 1, 2].map(|axis| {
            if tld.aoffi {
                inputs.offset(axis) as i8
            } else {
                0
            }
        }),
        coarse: false,
        pixel_null_mask: false,
        params16: false,
        returns: ReturnFormat::Bits32,
        params: 4,
    };
    let mut out = [[0; 32]; 4];
    load_reference(&surface, &request, &params, 1, &mut out).map_err(|e| e.what)?;
    Ok(out.map(|channel| channel[0]))
}

/// Why two results differ, by the rule that decided the TLD.
pub fn reason(tld: &Tld, inputs: &Inputs, fetched: &Fetch) -> &'static str {
    match fetched.end {
        End::InvalidHeader => "an invalid header gives four zeroes; load_3d has no such number",
        End::Mismatch => {
            "TLD returns zeros where coordinate counts differ; load_3d uses the surface's type"
        }
        End::PastLevels(_) => {
            "past the last level TLD gives border, whose ONE sources stay one; load_3d gives 0, alpha by format"
        }
        End::PastLayers(_) => "TLD gives border past the last layer, of the index's low 16 bits",
        End::Outside(_) => {
            "outside, TLD's alpha follows the header's W source; load_3d's alpha follows the format"
        }
        End::Sparse(_) => "the page is not mapped",
        End::Texel { .. } if tld.dim.is_array() && inputs.array > 0xffff => {
            "the array index is cut to its low 16 bits"
        }
        End::Texel { .. } if tld.cl => "`.CL` clamps to the edge; load_3d has no such mode",
        End::Texel { .. } if tld.dim.is_array() => {
            "the array index is ignored on a texture without layers"
        }
        End::Texel { .. } => "the header's swizzle differs from the format's own channels",
    }
}
