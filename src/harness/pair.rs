//! Two programs over the same images: the loads of a vISA program beside the fetches of a file of texture loads.
//!
//! ```text
//!  a.visa   load_3d, lane 0 1 2 …, thread after thread ──┐
//!                                                        ├─ the n-th load and the n-th TLD, lane by lane
//!  b.tld    TLD, thread 0 1 2 …  ────────────────────────┘
//! ```
//!
//! The images are the textures of the second file: `T3` is bound to the variable `T3` of the first one, or,
//! where each side has one only, to that one whatever its name. The other directives of the first file
//! hold. Source: TLD reference 6.

use super::bind::{Layer, Problem, bind, surface_index};
use super::front::Front;
use super::session::platform;
use super::tld_vs_load::view;
use crate::diagnostic::{Code, Diagnostic, any_fatal};
use crate::exec::observer::{At, Running};
use crate::isa::ChannelMask;
use crate::isa::predefined::SURFACES;
use crate::launch::{Grid, Keep, Observer, RunOptions, run};
use crate::lower::{LowerOptions, lower};
use crate::message::{Request, SamplerOp, SamplerRequest};
use crate::program::{Op, Program, SymbolClass};
use crate::sampler::fetch::{asked, load_reference};
use crate::source::{Span, Spanned};
use crate::tld::machine::Machine;
use crate::tld::{Fetch, Inputs, Lod, Tld};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Loads of a thread that are kept: a table of more is nothing to read, and a loop need not end soon.
const MOST_LOADS: usize = 256;

/// One lane of one load.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// The header whose texture was read, if the surface is one of the textures.
    pub pointer: Option<u32>,
    /// u, v, r with the offsets added.
    pub at: [i64; 3],
    /// The level, relative to the view.
    pub lod: i64,
    /// Channels returned.
    pub channels: ChannelMask,
    /// R, G, B, A.
    pub values: [u32; 4],
}

/// A load of the program: where it is, and its lanes by number over all threads; lanes that were switched
/// off are missing.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// The statement in the text; the first one's, where threads differ.
    pub span: Span,
    /// Lane number to lane.
    pub lanes: BTreeMap<u32, Lane>,
}

/// Every load of the program in the order in which each thread makes them.
///
/// # Errors
/// All problems of the program; `L0721` if a thread makes more loads than are kept.
pub fn loads(
    layers: &[Layer],
    found: Vec<Diagnostic>,
    machine: &Machine,
) -> Result<Vec<Load>, Vec<Problem>> {
    let of_file = |diagnostic| Problem {
        layer: 0,
        diagnostic,
    };
    let front = Front::new(&layers[0].source, platform(layers));
    let diagnostics: Vec<_> = found.into_iter().chain(front.diagnostics).collect();
    if any_fatal(&diagnostics) {
        return Err(diagnostics.into_iter().map(of_file).collect());
    }
    let kernel = layers[0].directives.kernel.as_ref();
    let kernel = kernel.map_or(String::new(), |k| k.node.clone());
    let program = lower(&front.checked, &kernel, &LowerOptions::default())
        .map_err(|all| all.into_iter().map(of_file).collect::<Vec<_>>())?;
    let names = names(&program, machine);
    // The variables the textures are bound to need no image of its own.
    let mut layers = layers.to_vec();
    for layer in &mut layers {
        let surfaces = &mut layer.directives.surfaces;
        surfaces.retain(|s| !names.contains_key(&s.name.node));
    }
    let (mut bindings, _) = bind(&program, &layers, None)?;
    let mut pointers = BTreeMap::new();
    for (name, &pointer) in &names {
        let nowhere = Spanned::new(name.clone(), Span::default());
        let index = surface_index(&program, &nowhere).map_err(|d| vec![of_file(*d)])?;
        let surface = view(machine, pointer)
            .map_err(|why| vec![of_file(Diagnostic::with_message(Code::E0703, why))])?;
        bindings.surfaces.insert(index, Arc::new(surface));
        pointers.insert(index, pointer);
    }
    let (x, y) = layers[0]
        .directives
        .threads
        .as_ref()
        .map_or((1, 1), |t| t.node);
    let options = RunOptions {
        keep: Keep::None,
        ..RunOptions::default()
    };
    let outcome = run(&program, &bindings, &Grid::media(x, y), &options, |_| {
        PairObserver::default()
    })
    .map_err(|trap| vec![of_file(trap.diagnostic)])?;
    if let Some(span) = outcome.observers.iter().find_map(|(_, watch)| watch.beyond) {
        let limit = Diagnostic::new(Code::L0721)
            .at(span, format!("load {} of a thread", MOST_LOADS + 1))
            .help("compare a program with fewer loads, or its loop turn by turn");
        return Err(vec![of_file(limit)]);
    }
    let mut all: Vec<Load> = Vec::new();
    for (thread, (_, watch)) in outcome.observers.iter().enumerate() {
        for (number, seen) in watch.seen.iter().enumerate() {
            if all.len() == number {
                all.push(Load {
                    span: seen.span,
                    ..Load::default()
                });
            }
            let Some(surface) = bindings.surfaces.get(&seen.request.surface) else {
                continue;
            };
            let whole = SamplerRequest {
                channels: ChannelMask::RGBA,
                ..seen.request
            };
            let mut out = [[0; 32]; 4];
            // The run has made the same load, and would have trapped.
            if load_reference(surface, &whole, &seen.params, seen.mask, &mut out).is_err() {
                continue;
            }
            let width = seen.request.lanes as usize;
            for lane in (0..width).filter(|lane| seen.mask >> lane & 1 == 1) {
                let [u, v, r, lod] = asked(&seen.request, &seen.params, lane);
                let [du, dv, dr] = seen.request.offsets.map(i64::from);
                let known = Lane {
                    pointer: pointers.get(&seen.request.surface).copied(),
                    at: [u + du, v + dv, r + dr],
                    lod,
                    channels: seen.request.channels,
                    values: out.map(|channel| channel[lane]),
                };
                let place = thread as u64 * width as u64 + lane as u64;
                all[number]
                    .lanes
                    .insert(u32::try_from(place).unwrap_or(u32::MAX), known);
            }
        }
    }
    Ok(all)
}

/// Which header's texture is bound to which surface variable.
fn names(program: &Program, machine: &Machine) -> BTreeMap<String, u32> {
    let built_in = |name: &str| SURFACES.iter().any(|(_, other)| *other == name);
    let variables: Vec<&String> = (program.symbols.iter())
        .filter(|(name, s)| s.class == SymbolClass::Surface && !built_in(name))
        .map(|(name, _)| name)
        .collect();
    let same = machine.surfaces.keys().map(|&n| (format!("T{n}"), n));
    let same: BTreeMap<_, _> = same.filter(|(name, _)| variables.contains(&name)).collect();
    match (
        same.is_empty(),
        variables.as_slice(),
        machine.surfaces.first_key_value(),
    ) {
        (true, [only], Some((&pointer, _))) if machine.surfaces.len() == 1 => {
            BTreeMap::from([((*only).clone(), pointer)])
        }
        _ => same,
    }
}

/// A load as it was made.
#[derive(Debug)]
struct Seen {
    span: Span,
    request: SamplerRequest,
    mask: u32,
    params: Vec<[u32; 32]>,
}

/// Watches the loads of a thread.
#[derive(Debug, Default)]
struct PairObserver {
    /// Lanes and parameters of the message that is about to be served.
    next: (u32, Vec<[u32; 32]>),
    seen: Vec<Seen>,
    /// The first load that is not kept.
    beyond: Option<Span>,
}

impl Observer for PairObserver {
    fn before(&mut self, _: At, op: &Op, on: Running, arena: &[u8]) {
        let Op::Send(send) = op else { return };
        let (Request::Sampler(template), operands) = (&send.request, &send.operands) else {
            return;
        };
        let size = if template.params16 { 2 } else { 4 };
        let read = |raw: &Option<crate::program::Raw>| {
            std::array::from_fn(|lane| {
                let Some(raw) = raw.filter(|_| lane < template.lanes as usize) else {
                    return 0;
                };
                // Registers past the variable's end read as zero.
                let at = raw.offset as usize + lane * size;
                let byte = |i: usize| match arena.get(at + i) {
                    Some(&byte) if i < size && at + i < raw.end as usize => byte,
                    _ => 0,
                };
                u32::from_le_bytes([0, 1, 2, 3].map(byte))
            })
        };
        let params = operands.registers.params();
        self.next = (on.mask, params.iter().map(read).collect());
    }

    fn message(&mut self, at: At, request: &Request) {
        let Request::Sampler(request) = request else {
            return;
        };
        let load = matches!(request.op, SamplerOp::Ld | SamplerOp::LdLz);
        if load && self.seen.len() == MOST_LOADS {
            self.beyond = self.beyond.or(Some(at.site.span));
        } else if load {
            let (mask, params) = std::mem::take(&mut self.next);
            self.seen.push(Seen {
                span: at.site.span,
                request: *request,
                mask,
                params,
            });
        }
    }
}

/// Why a lane and a thread that returned different values do not ask for the same texel, if so.
///
/// An array index is compared whole: that TLD cuts it to sixteen bits is a rule, not another question.
pub fn asks_otherwise(lane: &Lane, tld: &Tld, inputs: &Inputs, fetched: &Fetch) -> Option<String> {
    if lane
        .pointer
        .is_some_and(|pointer| pointer != fetched.pointer)
    {
        return Some(format!(
            "another texture: TLD reads header {}, load_3d {}",
            fetched.pointer,
            lane.pointer.unwrap_or_default()
        ));
    }
    let coordinates = usize::from(tld.dim.coordinates());
    let axis = |i: usize| i64::from(inputs.at[i]) + if tld.aoffi { inputs.offset(i) } else { 0 };
    let mut wanted: Vec<i64> = (0..coordinates).map(axis).collect();
    if tld.dim.is_array() {
        wanted.push(inputs.array.into());
    }
    let lod = match tld.lod {
        Lod::Zero => 0,
        Lod::Given => i64::from(inputs.lod.cast_signed()),
    };
    let other = &lane.at[..wanted.len().min(3)];
    (wanted != other || lod != lane.lod).then(|| {
        format!(
            "different texels: TLD {wanted:?} level {lod}, load_3d {other:?} level {}",
            lane.lod
        )
    })
}
