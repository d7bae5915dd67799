//! Where variables lie: one arena for each hardware thread (the picture is in [`crate::program`]).

use crate::check::{Step, Storage, Unit, VarId, Variable};
use crate::isa::predefined::{PREDEFINED, SURFACES, elements};
use crate::isa::{Opcode, Platform};
use crate::program::{Symbol, SymbolClass};
use crate::syntax::ast::Operand;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Where a variable lies in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Element 0.
    pub offset: u32,
    /// One past the last byte that belongs to the root variable: an alias that runs past its base
    /// sees nothing there.
    pub end: u32,
}

/// The places of one unit's variables.
#[derive(Clone, Debug)]
pub struct UnitLayout {
    /// Parallel to [`Unit::variables`].
    pub places: Vec<Extent>,
    /// The unit's own bytes, built-ins left out.
    pub frame: Vec<Range<u32>>,
}

/// General variables of a unit while other units are still to be placed.
#[derive(Clone, Debug)]
pub struct GeneralPlaces {
    places: Vec<Option<Extent>>,
    frame: Vec<Range<u32>>,
}

/// The arena while it is being laid out.
pub struct Layout {
    /// Bytes at thread start.
    pub image: Vec<u8>,
    /// One past the last byte that indirect operands reach.
    pub general_bytes: u32,
    /// Eight zero bytes that outside reads see.
    pub zero: u32,
    /// Eight bytes that outside writes fall into.
    pub sink: u32,
    builtins: Vec<Extent>,
    constants: HashMap<Vec<u8>, u32>,
    grf: u32,
}

/// The binding table index a built-in surface starts with: `%slm` 254, `%scratch` 255, and the
/// reserved ones, which no binding reaches. Source: lowering reference 1.6.
pub const fn builtin_surface_index(index: u32) -> u32 {
    match index {
        0 => SLM,
        4 => BINDLESS,
        5 => STATELESS,
        _ => RESERVED,
    }
}

/// Bytes of a line of the host's cache: variables that fill one begin at one.
const LINE: u32 = 64;

/// Shared local memory.
pub const SLM: u32 = 254;
/// Stateless memory: `%scratch`.
pub const STATELESS: u32 = 255;
/// `%bss`.
pub const BINDLESS: u32 = 252;
/// `T1`, `T2`, `TSS`.
pub const RESERVED: u32 = 253;

/// Views of the thread header: id of the built-in, byte of `%r0`. Source: vISA text reference 3.
const HEADER_VIEWS: &[(u32, u32)] = &[(1, 4), (2, 6), (3, 4), (4, 24), (5, 28)];
/// Id of `%r0`.
const R0: u32 = 7;

impl Layout {
    /// Places the built-ins: `%r0` is register 0, the others follow.
    pub fn new(platform: Platform) -> Layout {
        let grf = platform.grf_bytes();
        let mut layout = Layout {
            image: vec![0; grf as usize],
            general_bytes: 0,
            zero: 0,
            sink: 0,
            builtins: Vec::new(),
            constants: HashMap::new(),
            grf,
        };
        for row in PREDEFINED {
            let (id, ty) = (row.0, row.2);
            let bytes = ty.bytes() * elements(row, grf);
            let view = HEADER_VIEWS.iter().find(|v| v.0 == u32::from(id));
            let offset = match view {
                Some(&(_, byte)) => byte,
                None if u32::from(id) == R0 => 0,
                None => layout.reserve(bytes, 8),
            };
            layout.builtins.push(Extent {
                offset,
                end: offset + bytes,
            });
        }
        layout
    }

    /// Bytes laid out so far.
    pub fn bytes(&self) -> u32 {
        self.image.len() as u32
    }

    /// Takes `bytes` bytes; a variable smaller than a register does not straddle two.
    fn reserve(&mut self, bytes: u32, align: u32) -> u32 {
        let align = match bytes {
            LINE.. => align.max(LINE),
            _ if bytes >= self.grf => align.max(self.grf),
            _ => align,
        };
        let mut offset = self.bytes().next_multiple_of(align);
        if bytes < self.grf && offset % self.grf + bytes > self.grf {
            offset = offset.next_multiple_of(self.grf).next_multiple_of(align);
        }
        self.image.resize((offset + bytes) as usize, 0);
        offset
    }

    /// Places the general variables of all units: those whose address is taken first, so that
    /// 16-bit addresses reach them.
    ///
    /// `None` if they take more than `limit` bytes.
    pub fn place_general(&mut self, units: &[&Unit], limit: u32) -> Option<Vec<GeneralPlaces>> {
        let mut all: Vec<GeneralPlaces> = units
            .iter()
            .map(|u| GeneralPlaces {
                places: vec![None; u.variables.len()],
                frame: Vec::new(),
            })
            .collect();
        for low in [true, false] {
            for (unit, GeneralPlaces { places, frame }) in units.iter().zip(&mut all) {
                let taken = address_taken(unit);
                let stored = stored_as_blocks(unit);
                let start = self.bytes();
                for (i, variable) in unit.variables.iter().enumerate() {
                    let Storage::General {
                        ty,
                        elements,
                        align,
                        root,
                        ..
                    } = variable.storage
                    else {
                        continue;
                    };
                    if variable.predefined {
                        places[i] = self.builtins.get(i).copied();
                    } else if root.0 as usize == i && taken.contains(&root) == low {
                        let bytes = ty.bytes() * elements;
                        if self.bytes().checked_add(bytes + 256)? > limit {
                            return None;
                        }
                        // The rest of its register goes with it.
                        let room = match stored.contains(&root) && bytes < self.grf {
                            true => self.grf,
                            false => bytes,
                        };
                        let offset = self.reserve(room, align);
                        places[i] = Some(Extent {
                            offset,
                            end: offset + bytes,
                        });
                    }
                }
                frame.push(start..self.bytes());
            }
        }
        Some(all)
    }

    /// Completes a unit: aliases, then address elements, predicates and state elements.
    pub fn finish_unit(&mut self, unit: &Unit, general: GeneralPlaces) -> UnitLayout {
        let GeneralPlaces {
            places: general,
            mut frame,
        } = general;
        let start = self.bytes();
        let places = unit
            .variables
            .iter()
            .enumerate()
            .map(|(i, variable)| match variable.storage {
                Storage::General { root, offset, .. } => {
                    let base = general[root.0 as usize].or(general[i]).unwrap_or(Extent {
                        offset: self.sink,
                        end: self.sink,
                    });
                    Extent {
                        offset: base.offset.saturating_add(offset),
                        end: base.end,
                    }
                }
                Storage::Address { elements } => self.take(elements, &[0; 2]),
                Storage::Predicate { .. } => self.take(1, &[0; 4]),
                Storage::Sampler { elements, index } => {
                    self.take_indices(elements, (!variable.predefined).then_some(index))
                }
                Storage::Surface { elements, index } => {
                    let place = self.take_indices(elements, Some(index));
                    if variable.predefined {
                        let index = SURFACES
                            .iter()
                            .find(|s| s.1 == variable.name)
                            .map_or(RESERVED, |s| builtin_surface_index(s.0));
                        self.image[place.offset as usize..][..4]
                            .copy_from_slice(&index.to_le_bytes());
                    }
                    place
                }
            })
            .collect();
        frame.push(start..self.bytes());
        UnitLayout { places, frame }
    }

    fn take(&mut self, count: u32, element: &[u8]) -> Extent {
        let offset = self.bytes().next_multiple_of(element.len() as u32);
        self.image.resize(offset as usize, 0);
        for _ in 0..count {
            self.image.extend_from_slice(element);
        }
        Extent {
            offset,
            end: self.bytes(),
        }
    }

    /// State elements: each starts with its own index, so that an unbound text runs with `T6` at
    /// binding 6 and `S0` at sampler 0.
    fn take_indices(&mut self, elements: u32, first: Option<u32>) -> Extent {
        let place = self.take(elements, &[0; 4]);
        if let Some(first) = first {
            for k in 0..elements {
                let at = (place.offset + 4 * k) as usize;
                self.image[at..at + 4].copy_from_slice(&(first + k).to_le_bytes());
            }
        }
        place
    }

    /// Ends the general area; what follows cannot be reached indirectly.
    pub fn close_general(&mut self) {
        self.general_bytes = self.bytes();
        self.zero = self.take(1, &[0; 8]).offset;
        self.sink = self.take(1, &[0; 8]).offset;
    }

    /// The arena offset of constant bytes, aligned to eight.
    pub fn constant(&mut self, bytes: Vec<u8>) -> u32 {
        if let Some(&offset) = self.constants.get(&bytes) {
            return offset;
        }
        let offset = self.bytes().next_multiple_of(8);
        self.image.resize(offset as usize, 0);
        self.image.extend_from_slice(&bytes);
        self.constants.insert(bytes, offset);
        offset
    }
}

/// Roots of the variables whose address the unit takes.
fn address_taken(unit: &Unit) -> HashSet<VarId> {
    let mut taken = HashSet::new();
    for step in &unit.steps {
        let Step::Instruction(instruction) = step else {
            continue;
        };
        for (i, operand) in instruction.operands.iter().enumerate() {
            let var = match &operand.node {
                Operand::AddressOf { var, .. } => var.node,
                // The base of addr_add: the address of the element, not its value.
                Operand::General(g) if *instruction.opcode == Opcode::AddrAdd && i == 1 => {
                    g.var.node
                }
                _ => continue,
            };
            if let Storage::General { root, .. } = unit.variable(var).storage {
                taken.insert(root);
            }
        }
    }
    taken
}

/// Roots of variables that block stores take, which may be shorter than the block.
fn stored_as_blocks(unit: &Unit) -> HashSet<VarId> {
    let instructions = unit.steps.iter().filter_map(|step| match step {
        Step::Instruction(i) if matches!(*i.opcode, Opcode::SvmBlockSt | Opcode::OwordSt) => {
            Some(i)
        }
        _ => None,
    });
    let raws = instructions
        .flat_map(|i| &i.operands)
        .filter_map(|o| match &o.node {
            Operand::Raw(raw) => Some(raw.var.node),
            _ => None,
        });
    raws.filter_map(|var| match unit.variable(var).storage {
        Storage::General { root, .. } => Some(root),
        _ => None,
    })
    .collect()
}

/// What is known of a variable by name.
pub fn symbol(variable: &Variable, place: Extent) -> Symbol {
    let (class, elements) = match variable.storage {
        Storage::General { ty, elements, .. } => (
            SymbolClass::General(ty),
            // An alias that runs past its base ends with it.
            elements.min(place.end.saturating_sub(place.offset) / ty.bytes()),
        ),
        Storage::Address { elements } => (SymbolClass::Address, elements),
        Storage::Predicate { bits } => (SymbolClass::Predicate, bits),
        Storage::Sampler { elements, .. } => (SymbolClass::Sampler, elements),
        Storage::Surface { elements, .. } => (SymbolClass::Surface, elements),
    };
    Symbol {
        class,
        offset: place.offset,
        elements,
    }
}
