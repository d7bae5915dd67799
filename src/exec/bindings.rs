//! What a run gives its program: surfaces, sampler states, values of variables.

use crate::sampler::avs::AvsSampler;
use crate::surface::Surface;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A sampler state; each kind of message wants its own.
#[derive(Clone, Debug)]
pub enum Sampler {
    /// For `avs`.
    Avs(Arc<AvsSampler>),
}

impl Sampler {
    /// What it is, for messages.
    pub const fn kind(&self) -> &'static str {
        match self {
            Sampler::Avs(_) => "an AVS state",
        }
    }
}

/// Everything bound for a run. Cheap to clone: surfaces share their memory.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Surfaces by binding table index. A declared `T` variable starts with its own index, counted
    /// from 6 (`T6` is 6 when it is the first declared), so a text without `movs` finds `T6` at 6.
    /// Planes of a surface are consecutive indices unless bound otherwise.
    pub surfaces: BTreeMap<u32, Arc<Surface>>,
    /// Sampler states by sampler index. A declared `S` variable starts with its own index, from 0.
    pub samplers: BTreeMap<u32, Sampler>,
    /// Start values of variables by name, little-endian bytes from element 0 on: general variables,
    /// built-ins (`%r0`), address and predicate variables, and the indices in surface and sampler
    /// variables (4 bytes each). They win over payload and defaults. Fewer bytes than the variable
    /// has leave the rest zero.
    pub variables: IndexMap<String, Vec<u8>>,
}

/// [`Bindings`] as threads see them, found by index without a search.
pub struct Resources {
    surfaces: Vec<Option<Arc<Surface>>>,
    samplers: BTreeMap<u32, Sampler>,
}

/// Indices above this are looked up nowhere: a binding table has 256 entries.
const TABLE: usize = 256;

impl Resources {
    /// Spreads the bindings into tables.
    pub fn new(bindings: &Bindings) -> Resources {
        let mut surfaces = vec![None; TABLE];
        for (&index, surface) in &bindings.surfaces {
            if let Some(slot) = surfaces.get_mut(index as usize) {
                *slot = Some(Arc::clone(surface));
            }
        }
        Resources {
            surfaces,
            samplers: bindings.samplers.clone(),
        }
    }

    /// The state at a sampler index.
    pub fn sampler(&self, index: u32) -> Option<&Sampler> {
        self.samplers.get(&index)
    }

    /// The surface at a binding table index.
    #[inline]
    pub fn surface(&self, index: u32) -> Option<&Surface> {
        self.surfaces.get(index as usize)?.as_deref()
    }

    /// The bound indices, for messages.
    pub fn bound(&self) -> impl Iterator<Item = usize> {
        (0..TABLE).filter(|&i| self.surfaces[i].is_some())
    }
}
