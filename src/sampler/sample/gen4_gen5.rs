//! What the messages of Gen4 and Gen5 require of a surface beyond what later ones do.
//!
//! Later parts sample integers with the nearest filter; these refuse them with any.
//! Source: PRM 4.11.1.4, programming notes.

use crate::message::{SamplerOp, SamplerRequest};
use crate::surface::format::{Kind as Numbers, Returns};
use crate::surface::{Kind, Refused, Surface};

const SEE: &str = "PRM 4.11.1.4, \"Programming Notes\"";

/// Formats that are undefined with comparisons on cubes.
const NO_CUBE: [&str; 6] = [
    "I24X8_UNORM",
    "L24X8_UNORM",
    "A24X8_UNORM",
    "I32_FLOAT",
    "L32_FLOAT",
    "A32_FLOAT",
];

/// Refuses what a sample message of Gen4 or Gen5 cannot read.
///
/// # Errors
/// [`Refused`]: an integer format; MONO8 without a level of detail in the message; a comparison on an
/// array or, undefined, on a cube of some formats. What no part compares is refused before.
pub fn check(surface: &Surface, request: &SamplerRequest) -> Result<(), Refused> {
    let d = surface.description();
    if !d.generation.loads_integers_only || request.op == SamplerOp::Lod {
        return Ok(());
    }
    let format = surface.format();
    let name = request.op.name();
    if matches!(format.returns, Returns::AsUint | Returns::AsSint) {
        let what = format!("{name} from {format}: integers are loaded, not sampled");
        return Err(Refused::error(what, SEE));
    }
    let by_level = matches!(request.op, SamplerOp::SampleL | SamplerOp::SampleLz);
    if format.kind == Numbers::Mono && !by_level {
        let what = format!("{name} from {format}, which only sample_l reads");
        return Err(Refused::error(what, SEE));
    }
    if !request.op.compares() {
        return Ok(());
    }
    if d.array && d.kind != Kind::Cube {
        return Err(Refused::error(format!("{name} from an array"), SEE));
    }
    if d.kind == Kind::Cube && NO_CUBE.contains(&format.name) {
        let what = format!("{name} from a cube of {format}");
        return Err(Refused::undefined(what, SEE));
    }
    Ok(())
}
