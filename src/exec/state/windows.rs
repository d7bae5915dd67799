//! Memory as native code finds it: addresses on the host.

use crate::dataport::untyped::Window;
use crate::surface::Memory;
use std::sync::Arc;

/// The key of a window that no surface has.
pub const NO_SURFACE: u64 = u64::MAX;

/// Address bits that count in shared local memory.
pub const SHARED_BITS: u32 = 0x0fff_ffff;

/// Bytes of a window that are reached at most: offsets into it have 31 bits, and an element more is no overflow.
const MOST_BYTES: usize = (1 << 31) - 64;

/// Bytes that messages reach, on the host.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct HostWindow {
    /// Where they are on the host.
    pub host: u64,
    /// The 64-bit address of the first one, for messages that have such.
    pub address: u64,
    /// How many there are.
    pub bytes: u64,
    /// The binding table index or handle by which messages find them, if they are those of a surface.
    pub surface: u64,
}

impl HostWindow {
    /// Nothing.
    pub const NONE: HostWindow = HostWindow {
        host: 0,
        address: 0,
        bytes: 0,
        surface: 0,
    };

    /// That of no surface.
    pub const OF_NONE: HostWindow = HostWindow {
        surface: NO_SURFACE,
        ..HostWindow::NONE
    };

    fn new(window: &Window<'_>) -> HostWindow {
        let Some((memory, start)) = window.part(0, window.len()) else {
            return HostWindow::NONE;
        };
        // Dwords at multiples of four of an offset have to be at such of the memory.
        if !start.is_multiple_of(4) {
            return HostWindow::NONE;
        }
        HostWindow {
            host: (memory.host_address() + start) as u64,
            bytes: window.len().min(MOST_BYTES) as u64,
            ..HostWindow::NONE
        }
    }

    /// All bytes of a memory.
    pub fn whole(memory: &Memory) -> HostWindow {
        HostWindow::new(&Window::whole(memory))
    }
}

/// The windows of a run: those of surfaces, then those of 64-bit addresses. They keep their memory alive.
#[derive(Debug, Default)]
pub struct Windows {
    all: Vec<HostWindow>,
    /// How many of them are of surfaces; they ascend.
    surfaces: usize,
    _owners: Vec<Arc<Memory>>,
}

impl Windows {
    /// * `surfaces`: what untyped messages see of each, by ascending index or handle, and its memory.
    /// * `flat`: memory by ascending address.
    pub fn new<'a>(
        surfaces: impl Iterator<Item = (u32, Window<'a>, &'a Arc<Memory>)>,
        flat: impl Iterator<Item = (u64, &'a Arc<Memory>)>,
    ) -> Windows {
        let mut windows = Windows::default();
        for (surface, window, memory) in surfaces {
            let window = HostWindow::new(&window);
            windows.all.push(HostWindow {
                surface: surface.into(),
                ..window
            });
            windows._owners.push(Arc::clone(memory));
        }
        windows.surfaces = windows.all.len();
        for (address, memory) in flat {
            let mut window = HostWindow::whole(memory);
            (window.address, window.surface) = (address, NO_SURFACE);
            let flat = &mut windows.all[windows.surfaces..];
            if let Some(before) = flat.last_mut() {
                // Of two that overlap, the later one has what is in both.
                let apart = address - before.address;
                before.bytes = before.bytes.min(apart);
            }
            windows.all.push(window);
            windows._owners.push(Arc::clone(memory));
        }
        windows
    }

    /// All of them.
    pub fn all(&self) -> &[HostWindow] {
        &self.all
    }

    /// Which one a surface has.
    pub fn of_surface(&self, surface: u32) -> Option<u32> {
        let surfaces = &self.all[..self.surfaces];
        let found = surfaces.binary_search_by_key(&surface.into(), |window| window.surface);
        found.ok().map(|at| at as u32)
    }

    /// Which one an address lies in.
    pub fn of_address(&self, address: u64) -> Option<u32> {
        let flat = &self.all[self.surfaces..];
        let before = flat
            .partition_point(|w| w.address <= address)
            .checked_sub(1)?;
        let inside = address - flat[before].address < flat[before].bytes;
        inside.then_some((self.surfaces + before) as u32)
    }
}
