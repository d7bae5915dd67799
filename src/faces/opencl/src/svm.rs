//! Shared virtual memory, coarse-grained: blocks whose addresses are the same for the host and for kernels.

use crate::object::lock;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex};
use visim::internals::exec::FlatRange;
use visim::internals::launch::kernel::Buffer;
use visim::internals::surface::Memory;

/// Alignment of a block where none is asked for: that of the largest type of OpenCL C.
const USUAL: usize = 128;

/// One block.
#[derive(Clone, Debug)]
struct Allocation {
    memory: Arc<Memory>,
    /// First byte of the block in the memory, which begins before it so that it is aligned.
    offset: usize,
    bytes: usize,
}

/// The blocks of a context by their addresses.
#[derive(Debug, Default)]
pub struct Allocations(Mutex<BTreeMap<usize, Allocation>>);

impl Allocations {
    /// A new block; `None` without memory or with an alignment that cannot be.
    pub fn allocate(&self, bytes: usize, alignment: usize) -> Option<*mut c_void> {
        let alignment = if alignment == 0 { USUAL } else { alignment };
        if !alignment.is_power_of_two() || alignment > USUAL {
            return None;
        }
        let memory = Memory::allot(bytes.checked_add(alignment)?).ok()?;
        let start = memory.host_address();
        let address = start.next_multiple_of(alignment);
        let block = Allocation {
            memory: Arc::new(memory),
            offset: address - start,
            bytes,
        };
        lock(&self.0).insert(address, block);
        Some(std::ptr::with_exposed_provenance_mut(address))
    }

    /// Gives a block back; what still uses it keeps it. `false` if there is none at the address.
    pub fn free(&self, address: *mut c_void) -> bool {
        lock(&self.0).remove(&address.addr()).is_some()
    }

    /// What lies at an address, from there to the end of its block.
    pub fn find(&self, address: usize) -> Option<Buffer> {
        let all = lock(&self.0);
        let (&start, block) = all.range(..=address).next_back()?;
        let inside = address - start;
        (inside < block.bytes).then(|| Buffer {
            memory: Arc::clone(&block.memory),
            address: Some((start - block.offset) as u64),
            offset: block.offset + inside,
            bytes: block.bytes - inside,
        })
    }

    /// All blocks, for kernels that follow pointers.
    pub fn all(&self) -> Vec<FlatRange> {
        let one = |(&start, block): (&usize, &Allocation)| FlatRange {
            address: (start - block.offset) as u64,
            memory: Arc::clone(&block.memory),
        };
        lock(&self.0).iter().map(one).collect()
    }
}
