//! Names and their numbers in one kernel or function.

use crate::isa::Type;
use crate::isa::predefined::{PREDEFINED, SURFACES};
use indexmap::IndexMap;

/// Number of the first general variable that is declared. Source: vISA binary reference 1.5.
pub(super) const FIRST_GENERAL: u32 = 32;
/// Number of the first predicate.
pub(super) const FIRST_PREDICATE: u32 = 1;
/// Number of the first surface.
pub(super) const FIRST_SURFACE: u32 = 6;
/// The bindless sampler.
const BINDLESS_SAMPLER: u32 = 31;

/// What instructions name by numbers.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// General variables in the order of declaration, with their types.
    pub general: IndexMap<String, Type>,
    /// Address variables.
    pub addresses: IndexMap<String, ()>,
    /// Predicates.
    pub predicates: IndexMap<String, ()>,
    /// Samplers.
    pub samplers: IndexMap<String, ()>,
    /// Surfaces.
    pub surfaces: IndexMap<String, ()>,
    /// Labels; whether one begins a subroutine.
    pub labels: IndexMap<String, bool>,
    /// All strings: the kernel's name first.
    pub strings: IndexMap<String, ()>,
    /// The strings of an object that was read, which may hold one twice.
    pub listed: Vec<String>,
}

/// The number of a name after `first`.
fn number<T>(names: &IndexMap<String, T>, name: &str, first: u32) -> Option<u32> {
    let at = names.get_index_of(name)?;
    Some(first + at as u32)
}

/// The name of a number after `first`.
fn name<T>(names: &IndexMap<String, T>, number: u32, first: u32) -> Option<&str> {
    let at = number.checked_sub(first)? as usize;
    names.get_index(at).map(|(name, _)| name.as_str())
}

impl Names {
    /// The names and strings that every object begins with.
    pub fn of(kernel: &str) -> Names {
        let mut names = Names::default();
        names.string(kernel);
        for row in PREDEFINED.iter().filter(|row| row.0 <= 20) {
            names.string(&format!("%{}", row.1));
        }
        for (_, surface) in SURFACES {
            names.string(surface);
        }
        names.string("S31");
        names
    }

    /// The index of a string, which is added if it is new.
    pub fn string(&mut self, text: &str) -> u32 {
        self.strings.insert_full(text.to_string(), ()).0 as u32
    }

    pub fn general_number(&self, name: &str) -> Option<u32> {
        let predefined = || {
            let name = name.strip_prefix('%')?;
            let row = PREDEFINED.iter().find(|row| row.1 == name && row.0 <= 20)?;
            Some(u32::from(row.0))
        };
        number(&self.general, name, FIRST_GENERAL).or_else(predefined)
    }

    pub fn general_name(&self, number: u32) -> Option<String> {
        let predefined = || {
            let row = PREDEFINED.iter().find(|row| u32::from(row.0) == number)?;
            Some(format!("%{}", row.1))
        };
        let declared = name(&self.general, number, FIRST_GENERAL);
        declared.map(str::to_string).or_else(predefined)
    }

    /// The type of a general variable.
    pub fn general_type(&self, name: &str) -> Option<Type> {
        let predefined = || {
            let name = name.strip_prefix('%')?;
            PREDEFINED.iter().find(|row| row.1 == name).map(|row| row.2)
        };
        self.general.get(name).copied().or_else(predefined)
    }

    pub fn address_number(&self, name: &str) -> Option<u32> {
        number(&self.addresses, name, 0)
    }

    pub fn address_name(&self, number: u32) -> Option<String> {
        name(&self.addresses, number, 0).map(str::to_string)
    }

    pub fn predicate_number(&self, name: &str) -> Option<u32> {
        number(&self.predicates, name, FIRST_PREDICATE)
    }

    pub fn predicate_name(&self, number: u32) -> Option<String> {
        name(&self.predicates, number, FIRST_PREDICATE).map(str::to_string)
    }

    pub fn sampler_number(&self, name: &str) -> Option<u32> {
        let bindless = || (name == "S31").then_some(BINDLESS_SAMPLER);
        number(&self.samplers, name, 0).or_else(bindless)
    }

    pub fn sampler_name(&self, number: u32) -> Option<String> {
        let bindless = || (number == BINDLESS_SAMPLER).then(|| "S31".to_string());
        let declared = name(&self.samplers, number, 0);
        declared.map(str::to_string).or_else(bindless)
    }

    pub fn surface_number(&self, name: &str) -> Option<u32> {
        let predefined = || SURFACES.iter().find(|row| row.1 == name).map(|row| row.0);
        number(&self.surfaces, name, FIRST_SURFACE).or_else(predefined)
    }

    pub fn surface_name(&self, number: u32) -> Option<String> {
        let predefined = || SURFACES.iter().find(|row| row.0 == number);
        let declared = name(&self.surfaces, number, FIRST_SURFACE).map(str::to_string);
        declared.or_else(|| predefined().map(|row| row.1.to_string()))
    }

    pub fn label_number(&self, name: &str) -> Option<u32> {
        number(&self.labels, name, 0)
    }

    pub fn label_name(&self, at: u32) -> Option<String> {
        name(&self.labels, at, 0).map(str::to_string)
    }

    pub fn string_at(&self, at: u32) -> Option<String> {
        let listed = || self.listed.get(at as usize).map(String::as_str);
        name(&self.strings, at, 0)
            .or_else(listed)
            .map(str::to_string)
    }
}
