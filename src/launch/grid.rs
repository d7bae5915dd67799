//! Which threads there are, and what each finds in its registers.

use super::kernel::Size;
use crate::exec::{Header, ThreadId};
use crate::program::Program;
use std::ops::Range;

/// The threads of a run.
///
/// ```text
///  media    threads x y, each a group of its own   r0.1 = x | y << 16
///  compute  groups x y z of `threads` each         r0.1 = x, r0.6 = y, r0.7 = z, r0.2 = thread
/// ```
#[derive(Default)]
pub struct Grid<'a> {
    /// Number of groups: x, y, z; for media threads x, y, 1.
    pub count: [u32; 3],
    /// Threads of each group.
    pub threads: u32,
    /// The layout of the header.
    pub media: bool,
    /// What each thread starts with; without it the header alone.
    pub payload: Option<&'a Payload<'a>>,
    /// Threads of the same number in their groups get the same payload, so that it need not be asked for
    /// again.
    pub alike: bool,
    /// The last groups have fewer threads than the others.
    pub partial: Option<Partial>,
}

/// Groups at the end of a grid that have fewer work-items than the others.
#[derive(Clone, Copy, Debug)]
pub struct Partial {
    /// Work-items of the grid and of its groups.
    pub size: Size,
    /// Work-items of a thread.
    pub lanes: u32,
}

/// Gives each thread its payload and its lanes.
pub type Payload<'a> = dyn Fn(ThreadId) -> ThreadStart + Sync + 'a;

/// What a thread starts with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadStart {
    /// Registers from byte 0 of `%r0` on; `.input` offsets count in it. The header's dwords are
    /// filled in by the launch where they are zero here.
    pub payload: Vec<u8>,
    /// Lanes that are dispatched.
    pub mask: u32,
}

impl<'a> Grid<'a> {
    /// One thread.
    pub fn single() -> Grid<'a> {
        Grid::media(1, 1)
    }

    /// `x` by `y` media threads; `%thread_x` and `%thread_y` tell them apart.
    pub fn media(x: u32, y: u32) -> Grid<'a> {
        Grid {
            count: [x, y, 1],
            threads: 1,
            media: true,
            payload: None,
            alike: true,
            partial: None,
        }
    }

    /// `groups` work-groups of `threads` threads; `%group_id_x` … tell groups apart.
    pub fn compute(groups: [u32; 3], threads: u32) -> Grid<'a> {
        Grid {
            count: groups,
            threads,
            media: false,
            payload: None,
            alike: true,
            partial: None,
        }
    }

    /// The same grid with payloads.
    pub fn with_payload(self, payload: &'a Payload<'a>) -> Grid<'a> {
        Grid {
            payload: Some(payload),
            alike: false,
            ..self
        }
    }

    /// Number of groups.
    pub fn groups(&self) -> u64 {
        let [x, y, z] = self.count.map(u64::from);
        x.saturating_mul(y).saturating_mul(z)
    }

    /// Number of threads.
    pub fn threads(&self) -> u64 {
        self.groups().saturating_mul(u64::from(self.threads))
    }

    /// Threads of the group of a thread.
    pub fn threads_of(&self, id: ThreadId) -> u32 {
        let group = u64::from(id.index / self.threads.max(1));
        self.ids(group).count() as u32
    }

    /// The threads of group number `group`, x fastest.
    pub fn ids(&self, group: u64) -> impl Iterator<Item = ThreadId> + use<> {
        let at = self.place(group);
        let first = (group * u64::from(self.threads)) as u32;
        (0..self.started(at)).map(move |local| ThreadId {
            index: first + local,
            group: at,
            local,
        })
    }

    /// The thread of a number in launch order.
    pub fn thread(&self, index: u32) -> ThreadId {
        let threads = self.threads.max(1);
        ThreadId {
            index,
            group: self.place((index / threads).into()),
            local: index % threads,
        }
    }

    /// Where group number `group` is.
    fn place(&self, group: u64) -> [u32; 3] {
        let [x, y, _] = self.count.map(|n| n.max(1));
        let (row, column) = divided(group, x);
        let (slice, row) = divided(row, y);
        [column, row, slice as u32]
    }

    /// Threads of a group that are there.
    fn started(&self, group: [u32; 3]) -> u32 {
        match &self.partial {
            Some(partial) => {
                let items: u32 = partial.size.items_of(group).iter().product();
                items.div_ceil(partial.lanes.max(1)).min(self.threads)
            }
            None => self.threads,
        }
    }

    /// The threads of these groups, in order.
    pub fn walk(&self, groups: Range<u64>) -> Walk<'_, 'a> {
        let mut walk = Walk {
            grid: self,
            at: self.place(groups.start),
            first: (groups.start * u64::from(self.threads)) as u32,
            groups,
            local: 0,
            started: 0,
        };
        walk.started = self.started(walk.at);
        walk.go_on();
        walk
    }

    /// Turns `start` into the payload of a thread, without what [`Grid::fill`] adds; its memory is used
    /// again.
    pub fn start(&self, program: &Program, id: ThreadId, start: &mut ThreadStart) {
        match self.payload {
            Some(payload) => *start = payload(id),
            None => {
                start.payload.clear();
                start.mask = match program.simd_size {
                    32.. => u32::MAX,
                    lanes => (1 << lanes) - 1,
                };
            }
        }
        let bytes = &mut start.payload;
        let grf = program.platform.grf_bytes() as usize;
        if bytes.len() < grf {
            bytes.resize(grf, 0);
        }
    }

    /// Fills in the dwords of a header that are zero. Source: launch reference 3; vISA text reference 3.
    pub fn fill(&self, id: ThreadId, bytes: &mut [u8]) {
        let header = self.header(id);
        let dwords = bytes.chunks_exact_mut(4).zip(header);
        let filled = dwords.enumerate().filter(|(n, _)| self.fills(*n));
        for (_, (dword, value)) in filled.filter(|(_, (dword, _))| **dword == [0; 4]) {
            dword.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// What is filled in; dword 1 counts on from group to group of a row. Of the others all threads of a group have the same,
    /// but their numbers in dword 2.
    #[inline]
    pub fn header(&self, id: ThreadId) -> Header {
        let [x, y, z] = id.group;
        match self.media {
            true => [0, x & 0xffff | y << 16, 0, 0, 0, 0, 0, 0],
            false => [0, x, id.local & 0xff, 0, 0, 0, y, z],
        }
    }

    /// Whether a dword is filled in where it is zero.
    pub fn fills(&self, dword: usize) -> bool {
        match self.media {
            true => dword == 1,
            false => matches!(dword, 1 | 2 | 6 | 7),
        }
    }
}

/// The threads of groups that follow each other.
pub struct Walk<'g, 'a> {
    grid: &'g Grid<'a>,
    /// The group at hand, and those after it.
    groups: Range<u64>,
    at: [u32; 3],
    /// The number of its first thread, the next of its threads, and how many there are.
    first: u32,
    local: u32,
    started: u32,
}

impl Walk<'_, '_> {
    /// The group of the next thread, if there is one.
    pub fn group(&self) -> Option<u64> {
        (self.groups.start < self.groups.end).then_some(self.groups.start)
    }

    /// The threads that are left of the group at hand, which are then behind.
    #[inline]
    pub fn rest_of_group(&mut self) -> impl ExactSizeIterator<Item = ThreadId> + Clone + use<> {
        let (group, first) = (self.at, self.first);
        let locals = match self.groups.is_empty() {
            true => 0..0,
            false => self.local..self.started,
        };
        self.local = self.started;
        self.go_on();
        locals.map(move |local| ThreadId {
            index: first.wrapping_add(local),
            group,
            local,
        })
    }

    /// How many groups follow each other in a row, the one at hand first, of which no thread is behind and whose columns the
    /// header counts.
    #[inline]
    pub fn groups_of_row(&self) -> u64 {
        if self.local != 0 {
            return 0;
        }
        let columns = match self.grid.media {
            true => self.grid.count[0].min(1 << 16),
            false => self.grid.count[0],
        };
        let row = u64::from(columns.saturating_sub(self.at[0]));
        row.min(self.groups.end.saturating_sub(self.groups.start))
    }

    /// So many of them are behind.
    #[inline]
    pub fn go_past(&mut self, groups: u64) {
        // The group at hand is the last one that is behind.
        let Some(more) = groups.checked_sub(1) else {
            return;
        };
        self.groups.start += more;
        self.at[0] += more as u32;
        self.first = self.first.wrapping_add(more as u32 * self.grid.threads);
        self.local = self.started;
        self.go_on();
    }

    /// The first thread of the group at hand.
    #[inline]
    pub fn first(&self) -> ThreadId {
        ThreadId {
            index: self.first,
            group: self.at,
            local: 0,
        }
    }

    /// Goes on to a group that has threads left.
    #[inline]
    fn go_on(&mut self) {
        while self.local >= self.started && self.groups.start < self.groups.end {
            self.groups.start += 1;
            self.first = self.first.wrapping_add(self.grid.threads);
            let [x, y, z] = &mut self.at;
            *x += 1;
            if *x >= self.grid.count[0] {
                (*x, *y) = (0, *y + 1);
                if *y >= self.grid.count[1] {
                    (*y, *z) = (0, *z + 1);
                }
            }
            (self.local, self.started) = (0, self.grid.started(self.at));
        }
    }
}

impl Iterator for Walk<'_, '_> {
    type Item = ThreadId;

    #[inline(always)]
    fn next(&mut self) -> Option<ThreadId> {
        if self.groups.start >= self.groups.end {
            return None;
        }
        let id = ThreadId {
            index: self.first.wrapping_add(self.local),
            group: self.at,
            local: self.local,
        };
        self.local += 1;
        self.go_on();
        Some(id)
    }
}

/// Quotient and remainder; of small numbers, which most are, in far less time.
fn divided(of: u64, by: u32) -> (u64, u32) {
    match u32::try_from(of) {
        Ok(of) => (u64::from(of / by), of % by),
        Err(_) => (of / u64::from(by), (of % u64::from(by)) as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_numbered_x_fastest() {
        let grid = Grid::compute([2, 3, 2], 4);
        let ids: Vec<ThreadId> = (0..grid.groups()).flat_map(|g| grid.ids(g)).collect();
        assert_eq!(ids.len(), 48);
        // Group 7 = (7 mod 2, 3 mod 3, 7 / 6) = (1, 0, 1); its thread 2 is number 7·4 + 2.
        let wanted = ThreadId {
            index: 30,
            group: [1, 0, 1],
            local: 2,
        };
        assert_eq!(ids[30], wanted);
        assert_eq!(grid.thread(30), wanted);
    }

    #[test]
    fn a_walk_goes_through_the_threads_of_groups() {
        let partial = Partial {
            size: Size {
                work_dim: 3,
                global: [20, 5, 2],
                local: [8, 2, 1],
                offset: [0; 3],
                partial: true,
            },
            lanes: 4,
        };
        let grids = [
            Grid::compute([2, 3, 2], 4),
            Grid::media(5, 3),
            Grid {
                partial: Some(partial),
                ..Grid::compute([3, 3, 2], 4)
            },
        ];
        for grid in &grids {
            let mut walk = grid.walk(1..3);
            walk.next();
            let rest: Vec<ThreadId> = walk.rest_of_group().chain(walk.rest_of_group()).collect();
            assert_eq!(
                rest,
                grid.ids(1).skip(1).chain(grid.ids(2)).collect::<Vec<_>>()
            );
            assert_eq!(walk.rest_of_group().count(), 0);
            for groups in [0..grid.groups(), 1..grid.groups() - 1, 4..4] {
                let ids: Vec<ThreadId> = groups.clone().flat_map(|g| grid.ids(g)).collect();
                assert_eq!(grid.walk(groups).collect::<Vec<_>>(), ids);
            }
        }
    }
}
