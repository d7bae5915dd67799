//! What the caller gives a kernel.

use super::image::Image;
use super::{Refused, refuse};
use crate::diagnostic::{Code, counted};
use crate::sampler::settings::{Address, Filter, SamplerState};
use crate::surface::Memory;
use std::sync::Arc;

/// Global or constant memory, or a part of it.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The bytes, of which it is a part.
    pub memory: Arc<Memory>,
    /// Address of the first byte of the memory; `None` for one that the launch gives out.
    pub address: Option<u64>,
    /// Its first byte in the memory.
    pub offset: usize,
    /// Its bytes.
    pub bytes: usize,
}

impl Buffer {
    /// A copy of its bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes];
        self.memory.read(self.offset, &mut bytes);
        bytes
    }
}

impl From<Arc<Memory>> for Buffer {
    fn from(memory: Arc<Memory>) -> Buffer {
        Buffer {
            address: None,
            offset: 0,
            bytes: memory.len(),
            memory,
        }
    }
}

/// One argument, ready.
#[derive(Clone, Debug)]
pub enum Argument {
    /// Global or constant memory.
    Buffer(Buffer),
    /// An image.
    Image(Image),
    /// A sampler.
    Sampler(SamplerChoice),
    /// Shared local memory, bytes.
    Local(u32),
    /// The bytes of the OpenCL argument: a `float3` has 16.
    Value(Vec<u8>),
    /// A value of a type by its name in OpenCL C, with its bytes.
    Typed(String, Vec<u8>),
    /// A null pointer.
    Null,
    /// Not given.
    Missing,
}

impl Argument {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Argument::Buffer(_) => "a buffer",
            Argument::Image(_) => "an image",
            Argument::Sampler(_) => "a sampler",
            Argument::Local(_) => "local memory",
            Argument::Value(_) | Argument::Typed(..) => "a value",
            Argument::Null => "null",
            Argument::Missing => "missing",
        }
    }

    /// The bytes of a value.
    pub fn value(&self) -> Option<&[u8]> {
        match self {
            Argument::Value(bytes) | Argument::Typed(_, bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The bytes after it, tight; `None` for what has no memory.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Argument::Buffer(buffer) => Some(buffer.to_vec()),
            Argument::Image(image) => Some(image.bytes()),
            _ => None,
        }
    }
}

/// The scalar types of OpenCL C: name, bytes, whether it is a float.
pub const SCALARS: &[(&str, u32, bool)] = &[
    ("char", 1, false),
    ("uchar", 1, false),
    ("short", 2, false),
    ("ushort", 2, false),
    ("int", 4, false),
    ("uint", 4, false),
    ("long", 8, false),
    ("ulong", 8, false),
    ("half", 2, true),
    ("float", 4, true),
    ("double", 8, true),
];

/// A scalar type or a vector of one by its name, `uchar3`: bytes of a component, whether it is a float, and
/// components; `None` for structures and other names.
pub fn value_type(name: &str) -> Option<(u32, bool, u32)> {
    let digits = name.find(|c: char| c.is_ascii_digit());
    let (scalar, count) = name.split_at(digits.unwrap_or(name.len()));
    let count = match count {
        "" => 1,
        "2" | "3" | "4" | "8" | "16" => count.parse().ok()?,
        _ => return None,
    };
    let &(_, bytes, float) = SCALARS.iter().find(|row| row.0 == scalar)?;
    Some((bytes, float, count))
}

/// Address mode of a sampler, with its number in the payload. Source: launch reference 5 and 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addressing {
    /// Coordinates stay inside: as clamp to edge.
    #[default]
    None = 0,
    /// Transparent black outside.
    Clamp = 1,
    /// The texel at the edge.
    ClampToEdge = 2,
    /// Repeated.
    Repeat = 3,
    /// Repeated, every second time mirrored.
    MirroredRepeat = 4,
}

impl Addressing {
    /// The name in `launch.json`.
    pub const fn name(self) -> &'static str {
        match self {
            Addressing::None => "none",
            Addressing::Clamp => "clamp",
            Addressing::ClampToEdge => "clamp_to_edge",
            Addressing::Repeat => "repeat",
            Addressing::MirroredRepeat => "mirrored_repeat",
        }
    }

    /// By the name in `launch.json`.
    pub fn named(name: &str) -> Option<Addressing> {
        Some(match name {
            "none" => Addressing::None,
            "clamp" | "clamp_border" => Addressing::Clamp,
            "clamp_to_edge" | "clamp_edge" => Addressing::ClampToEdge,
            "repeat" => Addressing::Repeat,
            "mirrored_repeat" | "mirror" => Addressing::MirroredRepeat,
            _ => return None,
        })
    }
}

/// An OpenCL sampler: three choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplerChoice {
    /// What lies outside.
    pub addressing: Addressing,
    /// Linear filter, else nearest.
    pub linear: bool,
    /// Coordinates run from 0 to 1, else over texels.
    pub normalized: bool,
}

impl SamplerChoice {
    /// The state it becomes. Source: launch reference 6.
    pub fn state(&self) -> SamplerState {
        let address = match self.addressing {
            Addressing::None | Addressing::ClampToEdge => Address::Clamp,
            Addressing::Clamp => Address::Border,
            // Repetition needs coordinates from 0 to 1; OpenCL leaves it open for others.
            _ if !self.normalized => Address::Clamp,
            Addressing::Repeat => Address::Wrap,
            Addressing::MirroredRepeat => Address::Mirror,
        };
        let filter = match self.linear {
            true => Filter::Linear,
            false => Filter::Nearest,
        };
        SamplerState {
            address: [address; 3],
            unnormalized: !self.normalized,
            ..SamplerState::default().filtered(filter, filter)
        }
    }

    /// From the words of `launch.json` and of the command line.
    ///
    /// # Errors
    /// `E0642`: a word has no meaning.
    pub fn read(
        addressing: &str,
        filter: &str,
        normalized: bool,
    ) -> Result<SamplerChoice, Refused> {
        let linear = match filter {
            "linear" => true,
            "nearest" => false,
            other => {
                return Err(refuse(
                    Code::E0642,
                    format!("`{other}` is not a filter: nearest or linear"),
                ));
            }
        };
        let Some(addressing) = Addressing::named(addressing) else {
            return Err(refuse(
                Code::E0642,
                format!(
                    "`{addressing}` is no address mode: none, clamp, clamp_to_edge, repeat or \
                     mirrored_repeat"
                ),
            ));
        };
        Ok(SamplerChoice {
            addressing,
            linear,
            normalized,
        })
    }
}

/// How many work-items, and how they are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// 1, 2 or 3.
    pub work_dim: u32,
    /// Work-items of each dimension.
    pub global: [u32; 3],
    /// Work-items of a group; zeros where it is to be found ([`Size::grouped`]).
    pub local: [u32; 3],
    /// The first global id.
    pub offset: [u32; 3],
    /// The last groups of a dimension may have fewer work-items than the others.
    pub partial: bool,
}

impl Size {
    /// The same with the group size that the kernel asks for, or one that divides the global size, where none is
    /// given (zeros): as many work-items of the first dimension as a thread may have lanes.
    pub fn grouped(self, required: [u32; 3]) -> Size {
        let local = match (self.local, required) {
            ([0, 0, 0], [0, 0, 0]) => {
                let x = (1..=32).rev().find(|n| self.global[0].is_multiple_of(*n));
                [x.unwrap_or(1), 1, 1]
            }
            ([0, 0, 0], required) => required,
            (given, _) => given,
        };
        Size { local, ..self }
    }

    /// Number of groups of each dimension.
    ///
    /// * `required`: the group size that the kernel was compiled for; zeros if for none.
    ///
    /// # Errors
    /// `E0641`: a size is zero, groups do not fill the global size, or are not those that are required.
    pub fn groups(&self, required: [u32; 3]) -> Result<[u32; 3], Refused> {
        let compiled_for = || {
            let groups = self.words(required);
            format!("the kernel was compiled for groups of {groups} and takes no others")
        };
        if required != [0; 3] && required != self.local {
            let what = format!("groups of {} for this kernel", self.words(self.local));
            let mut refused = refuse(Code::E0641, what);
            refused.notes.push(compiled_for());
            let size = self.words(required);
            refused.help = Some(format!("--local {size}, or leave the group size out"));
            return Err(refused);
        }
        let mut groups = [0; 3];
        for (dim, count) in groups.iter_mut().enumerate() {
            let (global, local) = (self.global[dim], self.local[dim]);
            let fills = global.is_multiple_of(local) || self.partial;
            if global == 0 || local == 0 || !fills {
                let items = counted(global, "work-item");
                let what = format!("{items} cannot be split into groups of {local}");
                let mut refused = refuse(Code::E0641, what);
                refused.notes.push(format!(
                    "dimension {}: the global size is a multiple of the group size, and neither is 0",
                    ["x", "y", "z"][dim]
                ));
                if self.global.contains(&0) {
                    let one = self.global.map(|n| n.max(1));
                    refused.help = Some(format!("--global {}", self.words(one)));
                } else if required == [0; 3] {
                    refused.help = self
                        .divisors()
                        .map(|n| format!("--local {}", self.words(n)));
                } else {
                    refused.notes.push(compiled_for());
                    refused.help = self.multiples(dim);
                }
                return Err(refused);
            }
            *count = global.div_ceil(local);
        }
        Ok(groups)
    }

    /// The greatest group size within this one that fills the global size; `None` if there is nothing to fill.
    fn divisors(&self) -> Option<[u32; 3]> {
        let fits = |dim: usize| {
            let (global, most) = (self.global[dim], self.local[dim]);
            // Divisors come in pairs, the lesser of which is at most the root.
            let lesser = (1..=global.isqrt()).filter(|n| global.is_multiple_of(*n));
            let all = lesser.flat_map(|n| [n, global / n]);
            all.filter(|&n| n <= most).max().unwrap_or(1)
        };
        let filled = self.global.iter().all(|&n| n > 0);
        filled.then(|| std::array::from_fn(fits))
    }

    /// The global sizes next to this one that groups fill in a dimension.
    fn multiples(&self, dim: usize) -> Option<String> {
        let (global, local) = (self.global[dim], self.local[dim]);
        let below = global.checked_div(local)? * local;
        let sizes = [Some(below).filter(|&n| n > 0), below.checked_add(local)];
        let sizes = sizes.into_iter().flatten().map(|n| {
            let mut size = self.global;
            size[dim] = n;
            format!("--global {}", self.words(size))
        });
        Some(sizes.collect::<Vec<_>>().join(", or "))
    }

    /// A size as options give it, without dimensions of 1 that this one does not have.
    fn words(&self, size: [u32; 3]) -> String {
        let used = |dim: usize| size[dim] != 1 || self.global[dim] != 1 || self.local[dim] > 1;
        let last = (0..3).rev().find(|&dim| used(dim)).unwrap_or(0);
        let numbers: Vec<String> = size[..=last].iter().map(u32::to_string).collect();
        numbers.join("x")
    }

    /// Whether some groups have fewer work-items than the others.
    pub fn has_partial_groups(&self) -> bool {
        let fills = |dim: usize| self.global[dim].is_multiple_of(self.local[dim].max(1));
        !(0..3).all(fills)
    }

    /// Work-items of a group in each dimension: those at the end may have fewer.
    pub fn items_of(&self, group: [u32; 3]) -> [u32; 3] {
        std::array::from_fn(|dim| {
            let before = group[dim].saturating_mul(self.local[dim]);
            self.local[dim].min(self.global[dim].saturating_sub(before))
        })
    }

    /// Work-items of a group.
    ///
    /// # Errors
    /// `E0641`: more than any device takes, 4096.
    pub fn group_items(&self) -> Result<u32, Refused> {
        let items = self.local.iter().map(|&n| u64::from(n));
        let items = items.fold(1, u64::saturating_mul);
        if items > MAX_GROUP {
            let what = format!("a group has {items} work-items, at most {MAX_GROUP} are possible");
            let mut refused = refuse(Code::E0641, what);
            refused.help = Some("a smaller --local, or none".to_string());
            return Err(refused);
        }
        Ok(items as u32)
    }
}

/// Work-items of a group: more than any device takes.
const MAX_GROUP: u64 = 4096;
