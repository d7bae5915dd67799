//! Directives meet the program: names are looked up, files read, surfaces made.
//!
//! What is asked for comes in [`Layer`]s: the file's comments first, then one for each option of the
//! command line. A later layer wins over an earlier one, and every problem is reported in the layer
//! that asked, at its own words.

use super::contents;
use super::directive::{Directives, Location, Origin, SamplerBinding, Setting, SurfaceBinding};
use super::language::Language;
use super::shape;
use super::states;
use super::values::{NumberFormat, View};
use super::words::nearest;
use crate::diagnostic::{Code, Diagnostic, counted};
use crate::exec::{Bindings, Sampler};
use crate::files::{Disk, Files};
use crate::isa::predefined::{BINDLESS_SAMPLER, PREDEFINED};
use crate::isa::{AvsControl, AvsMode, Platform, Type};
use crate::message::Request;
use crate::program::{Op, Program, Symbol, SymbolClass};
use crate::source::{Source, Span, Spanned};
use crate::surface::file::plain_description;
use crate::surface::{Description, Format, Generation, Kind, Surface};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Directives, the text they were read from, and the folder that their paths start from.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The program, or the text of one option.
    pub source: Source,
    /// What it asks for.
    pub directives: Directives,
    /// Where relative paths start.
    pub folder: PathBuf,
    /// What the text is written in, where it is a program.
    pub language: Language,
    /// Where the files that it names are read from.
    pub files: Arc<dyn Files>,
}

impl Layer {
    /// A layer of one option: relative paths start in the working folder of the process.
    pub fn option(source: Source, directives: Directives) -> Layer {
        Layer {
            source,
            directives,
            folder: PathBuf::new(),
            language: Language::default(),
            files: Arc::new(Disk),
        }
    }

    /// A layer that asks for a platform and nothing else.
    pub fn of_platform(platform: Platform) -> Layer {
        let directives = Directives {
            platform: Some(Spanned::new(platform, Span::default())),
            ..Directives::default()
        };
        Layer::option(Source::new("platform", platform.name), directives)
    }

    /// A layer that names a kernel and nothing else.
    pub fn of_kernel(name: &str) -> Layer {
        let directives = Directives {
            kernel: Some(Spanned::new(name.to_string(), Span::default())),
            ..Directives::default()
        };
        Layer::option(Source::new("kernel", name), directives)
    }
}

/// Something wrong in a layer.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Which layer.
    pub layer: usize,
    /// What.
    pub diagnostic: Diagnostic,
}

/// Binds everything that the layers ask for, over what a launch has bound, if it is one; with the bindings, what packed states
/// deserve to be said of though they can be used.
///
/// # Errors
/// All problems, in the order of the layers.
pub fn bind(
    program: &Program,
    layers: &[Layer],
    launch: Option<&Bindings>,
) -> Result<(Bindings, Vec<Problem>), Vec<Problem>> {
    let mut binder = Binder {
        program,
        described: launch.map(|start| start.surfaces.keys().copied().collect()),
        bindings: launch.cloned().unwrap_or_default(),
        owners: BTreeMap::new(),
        remarks: Vec::new(),
        problems: Vec::new(),
    };
    for (number, layer) in layers.iter().enumerate() {
        let mut problems = Vec::new();
        for surface in &layer.directives.surfaces {
            problems.extend(binder.surface(number, layer, surface).err());
        }
        for sampler in &layer.directives.samplers {
            problems.extend(binder.sampler(number, layer, sampler).err());
        }
        if layer.files.is_closed() {
            // A file that is not opened may be there.
            problems.retain(|problem| problem.code != Code::E0702);
        }
        for setting in &layer.directives.settings {
            problems.extend(binder.setting(setting).err());
        }
        binder
            .problems
            .extend(problems.into_iter().map(|d| Problem {
                layer: number,
                diagnostic: *d,
            }));
    }
    if binder.problems.is_empty() {
        Ok((binder.bindings, binder.remarks))
    } else {
        Err(binder.problems)
    }
}

pub(super) type Wrong = Box<Diagnostic>;

/// The symbol of a name.
///
/// # Errors
/// `E0704` with the nearest name of the program.
pub fn symbol(program: &Program, name: &Spanned<String>) -> Result<Symbol, Wrong> {
    symbol_of(program, name, |_| true)
}

/// A variable has an element at the offset of a place.
///
/// # Errors
/// `E0705`: it ends before.
pub fn inside(place: &Location, symbol: &Symbol, ty: Type) -> Result<(), Wrong> {
    let (offset, element) = (u64::from(place.offset), u64::from(ty.bytes()));
    let bytes = u64::from(symbol.bytes());
    if offset + element <= bytes {
        return Ok(());
    }
    let (name, size) = (&place.name.node, counted(bytes, "byte"));
    let label = format!("`{name}` has {size}: no {ty} at byte {offset}");
    Err(wrong(place.name.span, label))
}

/// [`symbol()`] where only some classes of variables make sense: the name that is suggested is one of them.
fn symbol_of(
    program: &Program,
    name: &Spanned<String>,
    wanted: fn(SymbolClass) -> bool,
) -> Result<Symbol, Wrong> {
    // Built-in names are one slip away from most short names; who means one writes it right.
    let names = program
        .symbols
        .iter()
        .filter(|(_, symbol)| wanted(symbol.class));
    let names = names.map(|(name, _)| name.as_str());
    let builtin = |name: &&str| {
        let number = name.strip_prefix('V').and_then(|n| n.parse::<usize>().ok());
        let sampler = *name == BINDLESS_SAMPLER;
        sampler || name.starts_with('%') || number.is_some_and(|n| n < PREDEFINED.len())
    };
    let names = names.filter(|name| !builtin(name));
    program.symbols.get(&name.node).copied().ok_or_else(|| {
        let unknown = Diagnostic::new(Code::E0704).at(
            name.span,
            format!("kernel `{}` declares no `{}`", program.name, name.node),
        );
        Box::new(match nearest(&name.node, names) {
            Some(meant) => unknown.help(format!("did you mean {meant}?")),
            None => unknown,
        })
    })
}

/// A name that is a number: an index of the binding table or of the table of sampler states.
fn number(name: &Spanned<String>) -> Option<Result<u32, Wrong>> {
    if name.node.is_empty() || !name.node.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let index = name.node.parse().ok().filter(|&index| index <= LAST_INDEX);
    Some(index.ok_or_else(|| wrong(name.span, format!("indices go from 0 to {LAST_INDEX}"))))
}

/// The last index that a descriptor can name. Source: lowering reference 1.2.
const LAST_INDEX: u32 = 255;

/// The binding table index a surface variable starts with, or the index itself.
pub fn surface_index(program: &Program, name: &Spanned<String>) -> Result<u32, Wrong> {
    if let Some(index) = number(name) {
        return index;
    }
    let found = symbol_of(program, name, |class| class == SymbolClass::Surface)?;
    if found.class != SymbolClass::Surface {
        let label = format!("`{}` is {}, not a surface", name.node, class(found.class));
        return Err(Box::new(Diagnostic::new(Code::E0705).at(name.span, label)));
    }
    Ok(dword(program, found))
}

/// The number a sampler variable starts with, or the number itself.
fn sampler_index(program: &Program, name: &Spanned<String>) -> Result<u32, Wrong> {
    if let Some(index) = number(name) {
        return index;
    }
    let found = symbol_of(program, name, |class| class == SymbolClass::Sampler)?;
    if found.class != SymbolClass::Sampler {
        let label = format!("`{}` is {}, not a sampler", name.node, class(found.class));
        return Err(wrong(name.span, label));
    }
    Ok(dword(program, found))
}

/// The first dword of a symbol at the start of a thread.
fn dword(program: &Program, symbol: Symbol) -> u32 {
    let bytes = program.image.get(symbol.range()).unwrap_or_default();
    super::values::bits(bytes.get(..4).unwrap_or_default()) as u32
}

/// What is doubtful of the bindings though the program can run: AVS blocks whose sampler's state asks for what the
/// page does not have, or says in two ways; the latter once for a program.
///
/// Source: vISA AVS, "IEFBypass" and "Notes"; AVS reference D1, D4, D5.
pub fn doubts(program: &Program, bindings: &Bindings) -> Vec<Diagnostic> {
    let bound = |slot: u32| {
        let (_, name) = program.sampler_names.iter().find(|(at, _)| *at == slot)?;
        let symbol = program.symbols.get(name)?;
        match bindings.samplers.get(&dword(program, *symbol))? {
            Sampler::Avs(state) => Some((name, state)),
            _ => None,
        }
    };
    let mut said = BTreeSet::new();
    let mut found = Vec::new();
    for (op, site) in program.ops.iter().zip(&program.sites) {
        let Op::Send(send) = op else { continue };
        let Request::Avs(asked) = &send.request else {
            continue;
        };
        let Some((name, state)) = send.sampler.and_then(bound) else {
            continue;
        };
        let (red, blue) = (asked.channels.has(0), asked.channels.has(2));
        let decimated = asked.control == AvsControl::DownSample8 && !state.output_shuffle;
        let mut doubt = |code: Code, label: String, note: &str, see: &str| {
            if code == Code::W0720 || said.insert(code.to_string()) {
                let mut doubt = Diagnostic::new(code)
                    .at(site.span, label)
                    .note(note)
                    .see(see);
                doubt.help = (code == Code::W0720).then(|| "AVS_16x4, twice".to_string());
                found.push(doubt);
            }
        };
        if asked.mode == AvsMode::M16x8 && state.output_shuffle {
            let label = format!("the state bound to {name} has output shuffle");
            doubt(
                Code::W0720,
                label,
                "the block is packed as without",
                "vISA AVS, \"Notes\"; AVS reference D4",
            );
        }
        if state.ief_enable {
            let label = format!("the state bound to {name} enables the filter");
            let note = "the page bypasses it where bit 0 is 0, which this run does; the message where its bit is 1, and Intel's finalizer copies the bit";
            doubt(
                Code::W0648,
                label,
                note,
                "vISA AVS, \"IEFBypass\"; AVS reference D1",
            );
        }
        if decimated && red != blue {
            let absent = if red { 'B' } else { 'R' };
            let label = format!("no space is kept for {absent}: {name} has no output shuffle");
            let note = "the page keeps the space of the absent one of R and B in its paragraph of output shuffle, and has \"no gap\" before";
            doubt(
                Code::W0649,
                label,
                note,
                "vISA AVS, \"Notes\"; AVS reference D5",
            );
        }
    }
    found
}

fn class(class: SymbolClass) -> String {
    match class {
        SymbolClass::General(ty) => format!("a general variable of {ty}"),
        SymbolClass::Address => "an address variable".to_string(),
        SymbolClass::Predicate => "a predicate".to_string(),
        SymbolClass::Surface => "a surface".to_string(),
        SymbolClass::Sampler => "a sampler".to_string(),
    }
}

/// A binding that cannot be, at `at`.
pub(super) fn wrong(at: crate::source::Span, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0705).at(at, label))
}

struct Binder<'p> {
    program: &'p Program,
    /// The binding table indices that a launch has taken.
    described: Option<BTreeSet<u32>>,
    bindings: Bindings,
    /// Which surface of which layer holds a binding table index, and with which of its planes.
    owners: BTreeMap<u32, (usize, String, u32)>,
    remarks: Vec<Problem>,
    problems: Vec<Problem>,
}

impl Binder<'_> {
    /// Whose rules states and layouts follow that do not say.
    fn generation(&self) -> Generation {
        self.program.platform.generation
    }

    fn remark(&mut self, layer: usize, found: Vec<Diagnostic>) {
        let found = found.into_iter();
        let problems = found.map(|diagnostic| Problem { layer, diagnostic });
        self.remarks.extend(problems);
    }

    fn sampler(&mut self, number: usize, layer: &Layer, ask: &SamplerBinding) -> Result<(), Wrong> {
        let index = sampler_index(self.program, &ask.name)?;
        let (state, remarks) = super::sampler::state(layer, ask, self.generation())?;
        self.remark(number, remarks);
        self.bindings.samplers.insert(index, state);
        Ok(())
    }

    fn surface(&mut self, number: usize, layer: &Layer, ask: &SurfaceBinding) -> Result<(), Wrong> {
        let first = surface_index(self.program, &ask.name)?;
        let (surface, mut remarks) = make(layer, ask, self.generation())?;
        remarks.extend(self.idle(first, &ask.name));
        self.remark(number, remarks);
        // The planes of a planar surface are consecutive binding table indices: vISA text reference 5.6.
        let planes = if surface.format().is_planar() { 3 } else { 1 };
        let parts = (0..planes).filter_map(|p| Some((first.checked_add(p)?, surface.plane(p)?)));
        // Messages of Gen5 read planes through the whole surface, and the deinterlace message has the frame before at
        // the next index (AVS reference 5.1): planes give way to surfaces there.
        let yields = |plane: u32| plane > 0 && self.program.platform.is_gen5();
        for (index, part) in parts.collect::<Vec<_>>() {
            let plane = index - first;
            if let Some((other, owner, theirs)) = self.owners.get(&index)
                && *owner != ask.name.node
            {
                if yields(plane) {
                    continue;
                }
                if *other == number && !yields(*theirs) {
                    return Err(self.taken(index, ask, plane, (owner, *theirs)));
                }
            }
            self.owners
                .insert(index, (number, ask.name.node.clone(), plane));
            // The whole surface at the first index: the scaler reads all planes through it, and media
            // blocks see its first plane.
            let part = if plane == 0 { surface.clone() } else { part };
            self.bindings.surfaces.insert(index, Arc::new(part));
        }
        Ok(())
    }

    /// Two surfaces, or planes of them, want one binding table index: `ask` for its `plane`, and one that has it.
    fn taken(
        &self,
        index: u32,
        ask: &SurfaceBinding,
        plane: u32,
        (owner, theirs): (&str, u32),
    ) -> Wrong {
        let name = &ask.name.node;
        let part = |name: &str, plane: u32| match plane {
            0 => format!("`{name}`"),
            _ => format!("plane {plane} of `{name}`"),
        };
        let label = format!(
            "{} and {} are both index {index}",
            part(owner, theirs),
            part(name, plane)
        );
        let mut refused = Diagnostic::new(Code::E0705).at(ask.name.span, label);
        // A planar surface moves to indices that nothing has; one without planes, two names of one index, cannot.
        if let Some(planar) = [(name.as_str(), plane), (owner, theirs)]
            .iter()
            .find(|(_, plane)| *plane > 0)
        {
            let free = self
                .owners
                .keys()
                .max()
                .map_or(0, |last| last + 1)
                .max(index + 1);
            let variable = match planar.0.parse::<u32>() {
                Ok(_) => "the surface variable".to_string(),
                Err(_) => planar.0.to_string(),
            };
            refused = refused
                .note("the planes of a planar surface are consecutive binding table indices")
                .help(format!(
                    "bind {} at free indices, `// SURFACE {free}: …`, and have the program choose them: `movs (M1_NM, 1) {variable}(0) 0x{free:x}:ud`",
                    planar.0
                ))
                .see("vISA text reference 5.6; vISA MEDIA_LD, \"Plane\"");
        }
        Box::new(refused)
    }

    /// Compiled kernels set their surface variables themselves, to the indices that their description has.
    fn idle(&self, index: u32, name: &Spanned<String>) -> Option<Diagnostic> {
        let described = self.described.as_ref()?;
        if described.contains(&index) {
            return None;
        }
        let taken: Vec<String> = described.iter().map(u32::to_string).collect();
        let (note, help) = match taken.first() {
            Some(first) => (
                format!("it has arguments at {}", taken.join(", ")),
                format!("--surface {first}=…, or --arg"),
            ),
            None => (
                "it has none at all: arguments are reached by their addresses".to_string(),
                "--arg 0=buffer:in.bin".to_string(),
            ),
        };
        let label = format!("the kernel's description has nothing at binding table index {index}");
        let diagnostic = Diagnostic::new(Code::W0653)
            .at(name.span, label)
            .note(note)
            .help(help);
        Some(diagnostic)
    }

    fn setting(&mut self, ask: &Setting) -> Result<(), Wrong> {
        let symbol = symbol(self.program, &ask.place.name)?;
        let view = View {
            ty: ask.ty.node,
            form: NumberFormat::of_type(ask.ty.node),
            pitch: 1,
        };
        // Bytes are shown in hexadecimal but set like any other number.
        let view = View {
            form: if view.ty.is_float() {
                NumberFormat::Float
            } else {
                NumberFormat::Decimal
            },
            ..view
        };
        let mut bytes = Vec::new();
        for value in &ask.values {
            let bits = view
                .read(value)
                .map_err(|why| Diagnostic::new(Code::E0706).at(value.span, why))?;
            bytes.extend(&bits.to_le_bytes()[..view.ty.bytes() as usize]);
        }
        let offset = ask.place.offset as usize;
        let (room, end) = (symbol.bytes() as usize, offset.saturating_add(bytes.len()));
        if end > room {
            let label = format!(
                "these end at byte {end}, `{}` has {room}",
                ask.place.name.node
            );
            let span = ask
                .values
                .first()
                .map_or(ask.ty.span, |v| v.span.to(ask.ty.span));
            return Err(Box::new(Diagnostic::new(Code::E0706).at(span, label)));
        }
        let name = ask.place.name.node.clone();
        let value = self.bindings.variables.entry(name).or_default();
        value.resize(value.len().max(end), 0);
        value[offset..end].copy_from_slice(&bytes);
        Ok(())
    }
}

/// Makes the surface that a directive describes; with it, what its packed state deserves to be said of.
fn make(
    layer: &Layer,
    ask: &SurfaceBinding,
    generation: Generation,
) -> Result<(Surface, Vec<Diagnostic>), Wrong> {
    let mut remarks = Vec::new();
    let at = |start| Description {
        generation,
        ..start
    };
    let surface = match &ask.origin {
        Origin::Null => null(ask)?,
        Origin::New => {
            let start = at(Description::d2(format(ask)?, 0, 0));
            let shape = shape::read(layer, ask, start, &size(ask)?)?;
            let description = shape.description;
            Surface::zeroed(description).map_err(|e| contents::broken(ask, &e))?
        }
        Origin::Picture(path) => {
            let format = match ask.format {
                Some(_) => format(ask)?,
                None => Format::R8G8B8A8_UNORM,
            };
            // Without a size the picture's own is taken.
            let size = ask.size.as_ref().map_or(vec![0, 0], |s| s.node.clone());
            let shape = shape::read(layer, ask, at(Description::d2(format, 0, 0)), &size)?;
            null_of(ask, shape.description.kind)?;
            let named = ask.format.is_some().then_some(format);
            match contents::texture(layer, ask, path, &shape.description, named)? {
                Some(surface) => surface,
                None => contents::picture(layer, ask, path, shape.description, shape.mips)?,
            }
        }
        Origin::Plain(kind, path) => {
            let size = size(ask)?;
            let (width, height) = (size.first().copied(), size.get(1).copied());
            let (width, height) = (width.unwrap_or(1), height.unwrap_or(1));
            let start = match kind.node.as_str() {
                "raw" => Some(Description::d2(format(ask)?, width, height)),
                kind => plain_description(kind, width, height),
            };
            let start = start.ok_or_else(|| wrong(kind.span, "no such kind of file"))?;
            let shape = shape::read(layer, ask, at(start), &size)?;
            let mut d = shape.description;
            let frame = match d.line_stride.skips() {
                true => d.height.saturating_mul(2),
                false => d.height,
            };
            d.planes = d.planes.map(|planes| planes.behind_tiles(frame, d.tiling));
            contents::plain(layer, Some(ask), path, d, shape.frame)?
        }
        Origin::Memory(path) => {
            let start = at(Description::d2(format(ask)?, 0, 0));
            let shape = shape::read(layer, ask, start, &size(ask)?)?;
            states::memory(layer, ask, path, shape.description)?
        }
        Origin::Rows(rows) => {
            let start = at(Description::d2(format(ask)?, 0, 0));
            let shape = shape::read(layer, ask, start, &size(ask)?)?;
            let surface = Surface::zeroed(shape.description);
            let surface = surface.map_err(|e| contents::broken(ask, &e))?;
            let (given, plain) = (rows.len(), surface.plain_bytes());
            if given != plain {
                let label = format!("{plain} bytes of texels, not the {given} that were given");
                return Err(wrong(ask.span, label));
            }
            surface.set_rows(rows);
            surface
        }
        Origin::Made(surface) => Surface::clone(surface),
        Origin::State(state) => {
            let made = states::surface(layer, ask, state, generation)?;
            remarks = made.1;
            made.0
        }
    };
    null_of(ask, surface.kind())?;
    if let Some(formula) = &ask.formula {
        contents::fill(&surface, formula)?;
    }
    Ok((surface, remarks))
}

/// `kind=null` beside a file or a formula, which would be lost.
fn null_of(ask: &SurfaceBinding, kind: Kind) -> Result<(), Wrong> {
    let lost = match &ask.origin {
        Origin::Picture(path) | Origin::Plain(_, path) | Origin::Memory(path) => Some(path.span),
        _ => ask.formula.as_ref().map(|formula| formula.span),
    };
    match lost.filter(|_| kind == Kind::Null) {
        Some(span) => {
            let label = "not allowed for a null surface";
            Err(Box::new((*wrong(span, label)).help("leave kind=null out")))
        }
        None => Ok(()),
    }
}

/// The null surface, of which there is nothing more to say.
fn null(ask: &SurfaceBinding) -> Result<Surface, Wrong> {
    let format = ask.format.as_ref().map(|format| format.span);
    let key = ask.keys.first().map(|(key, _)| key.span);
    let size = ask.size.as_ref().map(|size| size.span);
    let formula = ask.formula.as_ref().map(|formula| formula.span);
    match format.or(size).or(key).or(formula) {
        Some(more) => Err(wrong(more, "not allowed for a null surface")),
        None => Ok(Surface::null()),
    }
}

/// The format that was named.
fn format(ask: &SurfaceBinding) -> Result<Format, Wrong> {
    let Some(name) = &ask.format else {
        let missing = wrong(ask.span, "the format is missing");
        return Err(Box::new(
            missing.help(format!("SURFACE {}: R8_UNORM 64x32", ask.name.node)),
        ));
    };
    Format::named(&name.node).ok_or_else(|| {
        let unknown = wrong(name.span, "no such format");
        let upper = name.node.to_ascii_uppercase();
        let names: Vec<&str> = Format::all().map(|f| f.name).collect();
        match nearest(&upper, names) {
            Some(meant) => Box::new(unknown.help(format!("did you mean {meant}?"))),
            None => unknown,
        }
    })
}

fn size(ask: &SurfaceBinding) -> Result<Vec<u32>, Wrong> {
    match &ask.size {
        Some(size) => Ok(size.node.clone()),
        None => Err(wrong(ask.span, "the size is missing, as `64x32`")),
    }
}
