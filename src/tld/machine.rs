//! The machine that runs texture loads: a grid of threads, a texture bank, headers and memory.
//!
//! ```text
//!  statement ─▶ for each thread: guard, operands ─ fetch ─▶ registers
//!                                     │ bank word ─▶ header ─▶ texels in memory
//! ```
//!
//! A texture is put in with [`Machine::add`], which lays the texels of a surface out as its header says.
//! Not here: the directives from which a machine is made.

use super::block_linear::shrunk;
use super::header::{Header, TextureType};
use super::{
    AddressSpace, Fetch, HeaderPool, Inputs, Pred, Reg, Residency, Statement, Textures, Thread,
    fetch,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::surface::ledger::{Charge, Ledger, Short};
use crate::surface::{Description, Format, MAX_BYTES, Picture, Surface, TexelPosition};
use std::collections::BTreeMap;
use std::ops::Range;

/// Threads a run may have.
pub const MAX_THREADS: u32 = 1 << 20;

/// Pieces of memory, none overlapping, and what of it is sparse and not mapped.
#[derive(Debug, Default)]
struct Pieces(BTreeMap<u64, Vec<u8>>, Vec<Range<u64>>);

impl AddressSpace for Pieces {
    fn read(&self, address: u64, out: &mut [u8]) -> Residency {
        if self.1.iter().any(|pages| pages.contains(&address)) {
            return Residency::Sparse;
        }
        let piece = self.0.range(..=address).next_back();
        let found = piece.and_then(|(start, bytes)| {
            let at = usize::try_from(address - start).ok()?;
            bytes.get(at..at.checked_add(out.len())?)
        });
        match found {
            Some(bytes) => {
                out.copy_from_slice(bytes);
                Residency::Mapped
            }
            None => Residency::Absent,
        }
    }
}

/// Threads and textures, ready to run.
#[derive(Debug)]
pub struct Machine {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Threads across and down.
    pub grid: (u32, u32),
    /// Registers of every thread, row by row.
    pub threads: Vec<Thread>,
    /// Words of the texture bank.
    pub bank: BTreeMap<u16, u32>,
    /// Headers.
    pub pool: HeaderPool,
    /// The texels of each header as the vISA sampler sees them.
    pub surfaces: BTreeMap<u32, Surface>,
    memory: Pieces,
    /// What registers and textures take of the run's memory.
    charges: Vec<Charge>,
}

/// Why a texture is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The code.
    pub code: Code,
    /// What is wrong.
    pub what: String,
    /// What to do about it; empty where that is said already.
    pub help: String,
}

impl From<Short> for Refused {
    fn from(short: Short) -> Refused {
        Refused {
            code: short.code(),
            what: short.to_string(),
            help: short.help(),
        }
    }
}

fn refused(what: impl Into<String>) -> Refused {
    Refused {
        code: Code::E0705,
        what: what.into(),
        help: String::new(),
    }
}

/// A register or a predicate of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A general register.
    Reg(Reg),
    /// A predicate.
    Pred(Pred),
}

impl Machine {
    /// Threads of a grid with statements to run, and headers 0 to `last` to be set.
    ///
    /// # Errors
    /// There is no memory for their registers.
    pub fn new(statements: Vec<Statement>, grid: (u32, u32), last: u32) -> Result<Machine, Short> {
        let threads = grid.0.saturating_mul(grid.1).min(MAX_THREADS);
        let charge = Ledger::take(u64::from(threads) * size_of::<Thread>() as u64)?;
        Ok(Machine {
            statements,
            grid,
            threads: vec![Thread::default(); threads as usize],
            bank: BTreeMap::new(),
            pool: HeaderPool::new(last),
            surfaces: BTreeMap::new(),
            memory: Pieces::default(),
            charges: charge.into_iter().collect(),
        })
    }

    /// An address past all textures, for the next one.
    pub fn free(&self) -> u64 {
        let last = self.memory.0.last_key_value();
        last.map_or(0x10_0000, |(at, bytes)| {
            (at + bytes.len() as u64).next_multiple_of(0x1_0000)
        })
    }

    /// Adds a texture: header `pointer`, and the texels of level 0 of `surface` in memory as it says.
    ///
    /// # Errors
    /// `E0705`: the header is not valid, or its texture overlaps another. `L0713`: it is too large; `L0606`, `L0761`: too
    /// large, or too late, for the run.
    pub fn add(&mut self, pointer: u32, header: &Header, surface: Surface) -> Result<(), Refused> {
        let words = header.encode();
        let checked = Header::decode(&words).map_err(|problems| {
            let all: Vec<_> = problems.iter().map(|p| p.to_string()).collect();
            refused(all.join("; "))
        })?;
        if checked != *header {
            return Err(refused(
                "address, size or pitch do not fit the header's fields",
            ));
        }
        self.pool.set(pointer, &words);
        self.fill(pointer, &surface)?;
        self.surfaces.insert(pointer, surface);
        Ok(())
    }

    /// Bytes of the texture at `address`; 0 where none begins.
    pub fn bytes_at(&self, address: u64) -> u64 {
        self.memory
            .0
            .get(&address)
            .map_or(0, |bytes| bytes.len() as u64)
    }

    /// Marks bytes of memory as pages that are sparse and not mapped: a fetch from them answers with the
    /// border and sets its predicate.
    pub fn unmap(&mut self, bytes: Range<u64>) {
        self.memory.1.push(bytes);
    }

    /// Lays the texels of `surface` out as header `pointer` says, all levels, and completes the surface's
    /// own smaller levels.
    fn fill(&mut self, pointer: u32, surface: &Surface) -> Result<(), Refused> {
        let Ok(texture) = self.pool.texture(pointer) else {
            return Ok(());
        };
        let header = texture.header();
        let size = texture.bytes();
        if size > MAX_BYTES {
            let label = format!("{size} bytes are more than {MAX_BYTES}");
            return Err(Refused {
                code: Code::L0713,
                ..refused(label)
            });
        }
        let (start, end) = (header.address, header.address + size);
        if self
            .memory
            .0
            .iter()
            .any(|(&at, bytes)| at < end && start < at + bytes.len() as u64)
        {
            return Err(refused(format!(
                "{start:#x}…{end:#x} overlaps another texture"
            )));
        }
        self.charges.extend(Ledger::take(size)?);
        let mut bytes = vec![0; size as usize];
        let texel = header.components.bytes();
        let solid = header.texture_type == TextureType::ThreeD;
        let layers = if header.texture_type.is_array() {
            header.depth
        } else {
            1
        };
        let levels = surface.description().levels;
        let samples = header.samples.places().len() as u32;
        for (level, sample) in (0..levels).flat_map(|level| (0..samples).map(move |s| (level, s))) {
            let [w, h, d] = texture.extent(level);
            for (layer, z) in (0..layers).flat_map(|layer| (0..d as u32).map(move |z| (layer, z))) {
                for (y, x) in (0..h as u32).flat_map(|y| (0..w as u32).map(move |x| (y, x))) {
                    if x == 0 {
                        Ledger::on_time()?;
                    }
                    let slice = if solid {
                        deep(z, level, header.depth)
                    } else {
                        layer
                    };
                    let (sx, sy) = (
                        deep(x, level, header.width as u32),
                        deep(y, level, header.height),
                    );
                    let cell = surface.read_cell(surface.place(TexelPosition {
                        level: 0,
                        slice,
                        x: sx,
                        y: sy,
                        sample,
                    }));
                    if level > 0 {
                        let to = if solid { z } else { layer };
                        surface.write_cell(
                            surface.place(TexelPosition {
                                level,
                                slice: to,
                                x,
                                y,
                                sample,
                            }),
                            &cell[..texel],
                        );
                    }
                    let at = [x, y, z].map(u64::from);
                    let offset = texture.address(level, layer.into(), at, sample) - start;
                    if let Some(to) = bytes.get_mut(offset as usize..offset as usize + texel) {
                        to.copy_from_slice(&cell[..texel]);
                    }
                }
            }
        }
        self.memory.0.insert(start, bytes);
        Ok(())
    }

    /// Everything a fetch can reach.
    pub fn textures(&self) -> Textures<'_> {
        Textures {
            bank: self.bank.clone(),
            pool: self.pool.clone(),
            memory: &self.memory,
        }
    }

    /// Runs every statement for every thread; `seen` observes each fetch.
    ///
    /// # Errors
    /// The first fetch that cannot be carried out; `L0761`.
    pub fn run(
        &mut self,
        mut seen: impl FnMut(&Statement, usize, &Inputs, &Fetch),
    ) -> Result<(), Box<Diagnostic>> {
        let textures = Textures {
            bank: self.bank.clone(),
            pool: self.pool.clone(),
            memory: &self.memory,
        };
        for statement in &self.statements {
            for (number, thread) in self.threads.iter_mut().enumerate() {
                if let Err(late) = Ledger::on_time_at(number) {
                    return Err(Box::new(
                        late.diagnostic()
                            .at(statement.tld.span, "the loads have come to here"),
                    ));
                }
                let inputs = Inputs::gather(&statement.tld, thread, &textures.bank);
                let fetched =
                    fetch::execute(&statement.tld, thread, &textures).map_err(|trap| {
                        let (x, y) = (number as u32 % self.grid.0, number as u32 / self.grid.0);
                        Box::new(
                            trap.diagnostic(statement.tld.span)
                                .note(format!("thread ({x}, {y})")),
                        )
                    })?;
                if let Some(fetched) = fetched {
                    seen(statement, number, &inputs, &fetched);
                }
            }
        }
        Ok(())
    }

    /// The value of a register or predicate in a thread.
    pub fn value(&self, thread: usize, target: Target) -> u32 {
        match target {
            Target::Reg(reg) => self.threads[thread].reg(reg),
            Target::Pred(pred) => self.threads[thread].pred(pred).into(),
        }
    }

    /// Sets a register or predicate of a thread.
    pub fn set(&mut self, thread: usize, target: Target, value: u32) {
        match target {
            Target::Reg(reg) => self.threads[thread].set_reg(reg, value),
            Target::Pred(pred) => self.threads[thread].set_pred(pred, value != 0),
        }
    }

    /// The number of the thread in this column and row; `None` outside the grid.
    pub fn thread(&self, (x, y): (u32, u32)) -> Option<usize> {
        let inside = x < self.grid.0 && y < self.grid.1;
        inside.then_some(y as usize * self.grid.0 as usize + x as usize)
    }

    /// R, G, B, A from four registers on, of all threads, as a surface.
    ///
    /// # Errors
    /// A sentence: a surface cannot have the size of the grid.
    pub fn picture(&self, first: Reg) -> Result<Surface, String> {
        let described = Description::d2(Format::R32G32B32A32_FLOAT, self.grid.0, self.grid.1);
        let surface = Surface::zeroed(described).map_err(|e| e.what)?;
        for (thread, number) in self.threads.iter().zip(0..) {
            let texel = [0, 1, 2, 3].map(|i| thread.reg(first.plus(i).unwrap_or(Reg::RZ)));
            let place = surface.place(TexelPosition {
                level: 0,
                slice: 0,
                x: number % self.grid.0,
                y: number / self.grid.0,
                sample: 0,
            });
            surface.write_cell(place, &little(&texel));
        }
        Ok(surface)
    }

    /// [`Machine::picture`] with eight bits to a channel, as a picture file holds it.
    ///
    /// # Errors
    /// As [`Machine::picture`].
    pub fn eight_bits(&self, first: Reg) -> Result<Surface, String> {
        let surface = self.picture(first)?;
        let described = Description::d2(Format::R8G8B8A8_UNORM, self.grid.0, self.grid.1);
        let narrow = Surface::zeroed(described).map_err(|e| e.what)?;
        let picture = Picture::of(&surface).map_err(|e| e.what)?;
        picture.store(&narrow).map_err(|e| e.what)?;
        Ok(narrow)
    }
}

/// The texel of level 0 that texel `at` of `level` is a copy of.
fn deep(at: u32, level: u32, size: u32) -> u32 {
    debug_assert!(u64::from(at) < shrunk(size.into(), level));
    (at << level).min(size - 1)
}

/// Words as bytes in memory order.
pub fn little(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
