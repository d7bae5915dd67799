//! A message being served: its way to registers, to surfaces and to traps.

use crate::diagnostic::{Class, Code, Diagnostic};
use crate::exec::compute::general;
use crate::exec::state::bindings::Resources;
use crate::exec::state::observer::Observer;
use crate::exec::state::thread::Thread;
use crate::exec::state::trap::Trap;
use crate::program::{Raw, Registers, Send};
use crate::surface::{Refused, Surface};

/// A request's way to registers: which op asks on which lanes, and what is beside it.
#[derive(Clone, Copy)]
pub struct Call<'s> {
    /// Index of the op.
    pub pc: u32,
    /// Arena offset of the surface index; `None` where a descriptor has it.
    pub surface: Option<u32>,
    /// Arena offset of the sampler index.
    pub sampler: Option<u32>,
    /// Lanes of rows of registers.
    pub count: u32,
    /// Execution-mask bit of lane 0.
    pub offset: u8,
    /// Active lanes.
    pub mask: u32,
    /// What is added to the address of every lane, in the unit of the offsets.
    pub base: u64,
    /// Registers of the payload and of the answer.
    pub registers: &'s Registers,
}

impl<'s> Call<'s> {
    /// That of an instruction on the lanes of `mask`.
    pub fn new(thread: &Thread<'_>, send: &'s Send, mask: u32, pc: u32) -> Call<'s> {
        Call::with_base(send, base(thread, send), mask, pc)
    }

    /// As [`Call::new`], where what is added to addresses is known.
    pub fn with_base(send: &'s Send, base: u64, mask: u32, pc: u32) -> Call<'s> {
        Call {
            pc,
            surface: send.surface,
            sampler: send.sampler,
            count: send.lanes.count.into(),
            offset: send.lanes.offset,
            mask,
            base,
            registers: &send.operands.registers,
        }
    }
}

/// What an instruction adds to the address of every lane.
pub fn base(thread: &Thread<'_>, send: &Send) -> u64 {
    let bases = send.operands.bases();
    bases
        .map(|source| general::scalar(thread, source))
        .fold(0, u64::wrapping_add)
}

/// The trap of a message whose sampler index has no state of the kind it needs.
pub fn no_sampler(
    thread: &Thread<'_>,
    resources: &Resources,
    call: &Call<'_>,
    number: u32,
    kind: &str,
) -> Box<Trap> {
    // A message made of words names its sampler by index alone.
    let raw = call.sampler.is_none();
    let own = format!("S{number}");
    let name = match raw {
        true => own.as_str(),
        false => name(&thread.program.sampler_names, call.sampler),
    };
    let bound = match resources.sampler(number) {
        None => "nothing is bound there".to_string(),
        Some(other) => format!("{} is bound there", other.kind()),
    };
    let example = match kind {
        "a sample_unorm" => "unorm",
        "a deinterlace" => "deinterlace",
        kind if kind.contains("3D") => "filter=linear",
        _ => "avs",
    };
    let diagnostic = Diagnostic::with_message(
        Code::E0604,
        format!("no sampler state for {kind} message is bound at index {number}"),
    )
    .note(match raw {
        true => format!("the descriptor names sampler index {number}; {bound}"),
        false => format!("`{name}` holds {number} here; {bound}"),
    })
    .help(format!(
        "bind a state to the name or to the number, as in `// SAMPLER {name}: {example}` or `// SAMPLER {number}: {example}`"
    ))
    .see(match thread.program.platform.is_gen5() {
        true => "lowering reference 18.2; PRM 4.11.1.1",
        false => "vISA text reference 4.8",
    });
    thread.trap(call.pc, call.mask, diagnostic)
}

/// The value of a state variable.
pub fn state(thread: &Thread<'_>, slot: Option<u32>) -> u32 {
    slot.map_or(0, |at| thread.dword(at))
}

/// The surface of a binding table index, or the trap that says how to bind one.
pub fn surface<'r>(
    thread: &Thread<'_>,
    resources: &'r Resources,
    call: &Call<'_>,
    index: u32,
) -> Result<&'r Surface, Box<Trap>> {
    resources.surface(index).ok_or_else(|| {
        // A message made of words names its surface by binding table index alone.
        let raw = call.surface.is_none();
        let own = format!("T{index}");
        let name = match raw {
            true => own.as_str(),
            false => name(&thread.program.surface_names, call.surface),
        };
        let bound: Vec<String> = resources.bound().map(|i| i.to_string()).collect();
        let bound = if bound.is_empty() {
            "nothing is bound in this run".to_string()
        } else {
            format!("bound indices: {}", bound.join(", "))
        };
        // A plane of a surface is the index behind the surface's own that the plane says.
        let first = if raw { index } else { state(thread, call.surface) };
        let plane = index.wrapping_sub(first);
        let diagnostic = Diagnostic::with_message(
            Code::E0603,
            format!("no surface is bound at index {index}"),
        )
        .note(match (raw, plane) {
            (true, _) => format!("the descriptor names binding table index {index}; {bound}"),
            (false, 0) => format!("`{name}` holds {index} here; {bound}"),
            (false, _) => format!(
                "`{name}` holds {first} here, and its plane {plane} is index {index}; {bound}"
            ),
        })
        .help(match (resources.flat.absent(index), plane) {
            (Some(argument), _) => format!("give {argument} memory: it is null"),
            (None, 0) => format!(
                "bind one to the name or to the number, as in `// SURFACE {name}: R8_UNORM 64x32` or `// SURFACE {index}: …`"
            ),
            (None, _) => format!(
                "bind a planar surface that has plane {plane} to the name, or the plane alone to its number, as in `// SURFACE {index}: R8_UNORM 64x32`"
            ),
        })
        .see(if raw && thread.program.platform.is_gen5() {
            "lowering reference 18.5; PRM 5.10.2.1"
        } else {
            "vISA text reference 3, built-in surfaces, and 4.8"
        });
        thread.trap(call.pc, call.mask, diagnostic)
    })
}

/// The name of a state variable.
fn name(names: &[(u32, String)], slot: Option<u32>) -> &str {
    let found = names.iter().find(|(at, _)| Some(*at) == slot);
    found.map_or("?", |(_, name)| name)
}

/// The trap of a message, called `name`, that takes registers of `%null`, so many if that is known.
pub fn takes_null(thread: &Thread<'_>, name: &str, registers: Option<u32>, pc: u32) -> Box<Trap> {
    let count = match registers {
        None => "registers".to_string(),
        Some(1) => "1 register".to_string(),
        Some(n) => format!("{n} registers"),
    };
    let diagnostic = Diagnostic::with_message(
        Code::U0322,
        format!("{name} takes {count} of %null, which has none"),
    )
    .note("what the receiver is sent in their place is not defined")
    .see("lowering reference 1.8");
    thread.trap(pc, u32::MAX, diagnostic)
}

/// What a shared function refuses, as a trap.
pub fn refuse(
    thread: &Thread<'_>,
    call: &Call<'_>,
    index: u32,
    mask: u32,
    refused: Refused,
) -> Box<Trap> {
    let code = match refused.class {
        Class::Undefined => Code::U0601,
        Class::Unsupported => Code::N0602,
        _ => Code::E0607,
    };
    let name = match call.surface {
        None => String::new(),
        slot => format!("surface `{}`, ", name(&thread.program.surface_names, slot)),
    };
    let diagnostic = Diagnostic::with_message(code, refused.what)
        .note(format!("{name}binding table index {index}"))
        .see(refused.see);
    thread.trap(call.pc, mask, diagnostic)
}

/// Copies registers out; what lies past the variable's end is zero.
pub fn read_raw(thread: &Thread<'_>, raw: Raw, out: &mut [u8]) {
    let have = (raw.end.saturating_sub(raw.offset) as usize).min(out.len());
    if have > 0 {
        out[..have].copy_from_slice(&thread.arena[raw.offset as usize..][..have]);
    }
}

/// Copies into registers; what lies past the variable's end vanishes.
pub fn write_raw<O: Observer>(
    thread: &mut Thread<'_>,
    raw: Raw,
    bytes: &[u8],
    pc: u32,
    observer: &mut O,
) {
    let have = (raw.end.saturating_sub(raw.offset) as usize).min(bytes.len());
    if have == 0 {
        return;
    }
    thread.arena[raw.offset as usize..][..have].copy_from_slice(&bytes[..have]);
    if O::ACTIVE {
        observer.wrote(thread.at(pc), raw.offset, &bytes[..have]);
    }
}
