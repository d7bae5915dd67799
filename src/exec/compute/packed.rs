//! Surfaces by way of their packed state: what a run reads is what the words of a surface state say.
//!
//! ```text
//!  Surface ─ pack ─▶ SURFACE_STATE ─ describe ─▶ Surface over the same memory
//! ```
//!
//! A structure has no place for palettes, control words of compressed samples, and what belongs to
//! the other structure of a media picture: those travel beside the words, as they do on hardware.
//!
//! Source: surface reference 5.2 to 5.4.

use crate::diagnostic::Code;
use crate::exec::state::bindings::{Bindings, Sampler};
use crate::isa::Platform;
use crate::sampler::SamplerState;
use crate::surface::{Description, Invalid, Planes, Surface, state};
use std::sync::Arc;

/// The surface that the packed state of `surface` describes, over the same memory.
///
/// # Errors
/// [`Invalid`] if no structure of its generation holds it.
pub fn surface(surface: &Surface) -> Result<Surface, Invalid> {
    let asked = surface.description();
    let (words, media) = match state::pack(asked) {
        Ok(words) => (words, false),
        // Formats that only the media structure has.
        Err(why) if why.code == Code::E0746 => (state::media::pack(asked)?, true),
        Err(why) => return Err(why),
    };
    let said = if media {
        state::media::describe(asked.generation, &words)?
    } else {
        state::describe(asked.generation, &words)?
    };
    Surface::new(beside(asked, said), Arc::clone(surface.memory()))
}

/// Adds what travels beside the words.
fn beside(asked: &Description, said: Description) -> Description {
    let planes = match (asked.planes, said.planes) {
        (Some(asked), Some(said)) => Some(Planes {
            offset_v: asked.offset_v,
            half_pitch: asked.half_pitch,
            ..said
        }),
        (_, said) => said,
    };
    Description {
        planes,
        mcs: asked.mcs.clone(),
        palette: asked.palette.clone(),
        media_row: asked.media_row,
        mirror: asked.mirror,
        ..said
    }
}

/// All surfaces and sampler states by way of their words; those that no structure holds stay as they are.
pub fn bindings(bindings: &Bindings) -> Bindings {
    let mut packed = bindings.clone();
    for bound in packed.surfaces.values_mut() {
        if let Ok(said) = surface(bound) {
            *bound = Arc::new(said);
        }
    }
    for bound in packed.samplers.values_mut() {
        if let Sampler::Texture(state) = bound
            && let Some(said) = sampler(state)
        {
            *state = Arc::new(said);
        }
    }
    packed
}

/// The sampler state that the words of `state` say, in the first structure that holds it.
fn sampler(state: &SamplerState) -> Option<SamplerState> {
    let (skylake, ironlake) = (Platform::default(), Platform::OF_SENDS);
    let mut generations = [skylake, ironlake].map(|p| p.generation).into_iter();
    generations.find_map(|generation| state.pack(generation).ok()?.unpack(generation).ok())
}

/// The bound surfaces that no structure holds, with the reason.
pub fn unpacked(bindings: &Bindings) -> Vec<(u32, Invalid)> {
    let why = |bound: &Arc<Surface>| surface(bound).err();
    bindings
        .surfaces
        .iter()
        .filter_map(|(&index, bound)| Some((index, why(bound)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Format, Generation, LineStride, Memory, Tiling};

    fn made(description: Description) -> Surface {
        Surface::new(description, Arc::new(Memory::zeroed(1 << 20))).expect("a legal surface")
    }

    /// Formats, sizes and tilings as a run binds them.
    fn pictures() -> Vec<Description> {
        let mut all = Vec::new();
        for format in Format::all() {
            for tiling in [Tiling::Linear, Tiling::X, Tiling::Y] {
                let base = Description::d2(format, 64, 32);
                // Gen8 drops 4:1:1 and statistics from its media formats.
                let early = ["PLANAR_411_8", "STMM_DN_STATISTICS"].contains(&format.name);
                let generation = match early {
                    true => Generation::Gen5,
                    false => base.generation,
                };
                all.push(Description {
                    tiling,
                    generation,
                    ..base
                });
            }
        }
        all
    }

    #[test]
    fn a_surface_comes_back_from_its_state() {
        let mut came_back = 0;
        for asked in pictures() {
            // Not every format has every tiling; such a surface cannot be bound.
            let Ok(bound) = Surface::new(asked.clone(), Arc::new(Memory::zeroed(1 << 20))) else {
                continue;
            };
            let said = surface(&bound).unwrap_or_else(|why| panic!("{asked:?}: {}", why.what));
            for (x, y) in [(0, 0), (1, 0), (0, 1), (17, 9), (63, 31)] {
                assert_eq!(said.address(x, y), bound.address(x, y), "{asked:?}");
            }
            assert_eq!(said.format(), bound.format());
            came_back += 1;
        }
        assert!(came_back > 200, "{came_back}");
    }

    #[test]
    fn fields_levels_and_origins_come_back() {
        let base = Description::d2(Format::R8_UNORM, 64, 32);
        for asked in [
            Description {
                line_stride: LineStride::BottomField,
                height: 16,
                ..base.clone()
            },
            Description {
                levels: 4,
                ..base.clone()
            },
            Description {
                array: true,
                depth: 3,
                ..base.clone()
            },
            Description {
                base: 4096,
                ..base.clone()
            },
        ] {
            let bound = made(asked.clone());
            let said = surface(&bound).expect("a state holds it");
            let (a, b) = (said.description(), bound.description());
            assert_eq!(
                (a.line_stride, a.levels, a.depth, a.base),
                (b.line_stride, b.levels, b.depth, b.base)
            );
        }
    }

    #[test]
    fn what_no_state_holds_stays_and_is_told() {
        let swizzled = made(Description {
            tiling: Tiling::X,
            bit6_swizzle: true,
            ..Description::d2(Format::R8_UNORM, 64, 32)
        });
        let mut bound = Bindings::default();
        bound.surfaces.insert(6, Arc::new(swizzled));
        let found = unpacked(&bound);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0, found[0].1.code), (6, Code::E0745));
        assert!(bindings(&bound).surfaces[&6].description().bit6_swizzle);
    }
}
