//! Runs a `.tld` file: textures, registers and expectations by the directives that vISA files use.
//!
//! ```text
//! // SURFACE T3: photo.png as R8G8B8A8_UNORM bank=0x28 block=4      header 3, named by word 0x28 of the bank
//! // SURFACE T4: R8_UNORM 64x32 pitch=64, byte(x,y) = x + y        a PITCH texture
//! // THREADS 64,48                                                 one thread for each result
//! // SET R4 = x:d                                                  each thread's column; y, x-8, y+1
//! // SET R6 = 0 1 2 3:d                                            a value for each thread, or one for all
//! // SET P0 = 1:ub                                                 a predicate
//! // EXPECT R0 float: …    // DUMP R0 hex                          a row for each row of threads
//! // SAVE R0 = out.png                                             R0…R3 of all threads as a picture
//! ```
//!
//! Keys of SURFACE: `bank` word of the texture bank; `block` log2 of the block's height in GOBs, and of its
//! depth (`4` or `1-3`); `pitch` bytes of a row, for a PITCH texture; `layout=buffer`; `levels`, the
//! smaller ones taking every second texel; `view=1-3`; `type=TWO_D_ARRAY`; `swizzle=RGB1`; `address`;
//! `samples` 2, 4 or 8, or a mode's name as `MODE_4X2_D3D`, told apart by `s` in the formula;
//! `sparse=0x200-0x400` bytes from the texture's first that are sparse and not mapped (fetches from there set
//! Ps); `maximum_index`, of the header pool: one texture says it, and pointers above it are invalid (without
//! it the greatest header is the last). A third number of the size makes slices, or layers with
//! `type=TWO_D_ARRAY`.

use super::bind::{Layer, Problem};
use super::contents;
use super::directive::{Directives, Location, Origin, Setting, SurfaceBinding, ViewWords};
use super::session::Table;
use super::values::{NumberFormat, View};
use crate::diagnostic::{Code, Diagnostic, any_fatal};
use crate::isa::Type;
use crate::source::{Span, Spanned};
use crate::surface::{Description, Format, Surface};
use crate::tld::block_linear::Block;
use crate::tld::component::from_format;
use crate::tld::header::{Header, Layout, MultiSample, Swizzle, TextureType};
use crate::tld::machine::{MAX_THREADS, Machine, Target, little};
use crate::tld::{Pred, Reg, Strictness, parse};

type Wrong = Box<Diagnostic>;

fn wrong(span: Span, label: impl Into<String>) -> Wrong {
    Box::new(Diagnostic::new(Code::E0705).at(span, label))
}

/// Reads the statements of the first layer and makes the textures and registers of all layers; with warnings.
///
/// # Errors
/// All problems.
pub fn start(
    layers: &[Layer],
    found: Vec<Diagnostic>,
    strictness: Strictness,
) -> Result<(Machine, Vec<Problem>), Vec<Problem>> {
    let (statements, more) = parse(&layers[0].source, strictness);
    let of_file = |diagnostic| Problem {
        layer: 0,
        diagnostic,
    };
    let mut problems: Vec<Problem> = found.into_iter().chain(more).map(of_file).collect();
    let directives = || layers.iter().map(|l| &l.directives);
    let grid = directives()
        .rev()
        .find_map(|d| d.threads)
        .map_or((1, 1), |t| t.node);
    let count = grid
        .0
        .checked_mul(grid.1)
        .filter(|&n| n <= MAX_THREADS)
        .unwrap_or(0);
    let mut asked = layers.iter().enumerate().rev();
    let asked: Option<(usize, Span)> =
        asked.find_map(|(at, layer)| Some((at, layer.directives.threads?.span)));
    if let (0, Some((layer, span))) = (count, asked) {
        let diagnostic = *wrong(span, format!("more than {MAX_THREADS} threads"));
        problems.push(Problem { layer, diagnostic });
    }
    let numbers = directives()
        .flat_map(|d| &d.surfaces)
        .filter_map(|s| number(&s.name.node, 'T'));
    let grid = if count == 0 { (0, 0) } else { grid };
    let last = match maximum_index(layers) {
        Ok(said) => said.or(numbers.max()).unwrap_or(0),
        Err((layer, diagnostic)) => {
            problems.push(Problem {
                layer,
                diagnostic: *diagnostic,
            });
            0
        }
    };
    let mut machine = match Machine::new(statements, grid, last) {
        Ok(machine) => machine,
        Err(short) => {
            let (layer, diagnostic) = match asked {
                Some((layer, span)) => (
                    layer,
                    short
                        .diagnostic()
                        .at(span, "of the registers of all threads"),
                ),
                None => (0, short.diagnostic()),
            };
            problems.push(Problem { layer, diagnostic });
            return Err(problems);
        }
    };
    for (layer, at) in layers.iter().zip(0..) {
        let mut push = |result: Result<(), Wrong>| {
            problems.extend(result.err().map(|d| Problem {
                layer: at,
                diagnostic: *d,
            }));
        };
        for without in without_effect(&layer.directives) {
            push(Err(without));
        }
        for surface in &layer.directives.surfaces {
            push(texture(&mut machine, layer, surface));
        }
        for setting in &layer.directives.settings {
            push(set(&mut machine, setting));
        }
    }
    if problems
        .iter()
        .any(|p| any_fatal(std::slice::from_ref(&p.diagnostic)))
    {
        return Err(problems);
    }
    Ok((machine, problems))
}

/// MaximumIndex of the header pool, from the one key that says it; with the layer of a wrong one.
fn maximum_index(layers: &[Layer]) -> Result<Option<u32>, (usize, Wrong)> {
    let mut said: Option<u32> = None;
    for (at, layer) in layers.iter().enumerate() {
        let keys = layer.directives.surfaces.iter().flat_map(|s| &s.keys);
        for (_, value) in keys.filter(|(key, _)| key.node == "maximum_index") {
            let number = integer(value).map_err(|wrong| (at, wrong))?;
            let number = u32::try_from(number).ok().filter(|&n| n < 1 << 22);
            let number = number.ok_or_else(|| {
                let label = "MaximumIndex has 22 bits: 0 to 0x3fffff";
                (at, wrong(value.span, label))
            })?;
            match said {
                Some(before) if before != number => {
                    let label = format!("another texture says maximum_index={before}");
                    let help = "the pool has one MaximumIndex: say it once";
                    return Err((at, Box::new(wrong(value.span, label).help(help))));
                }
                _ => said = Some(number),
            }
        }
    }
    Ok(said)
}

/// A key's value: a count of samples, or the name of a mode.
fn samples(word: &Spanned<String>) -> Result<MultiSample, Wrong> {
    let mode = match word.node.as_str() {
        "1" => Some(MultiSample::Mode1x1),
        "2" => Some(MultiSample::Mode2x1),
        "4" => Some(MultiSample::Mode2x2),
        "8" => Some(MultiSample::Mode4x2),
        name => MultiSample::ALL.iter().copied().find(|m| m.name() == name),
    };
    mode.ok_or_else(|| {
        let names: Vec<_> = MultiSample::ALL.iter().map(|m| m.name()).collect();
        let label = format!("`{}` is no number of samples", word.node);
        Box::new(wrong(word.span, label).help(format!("1, 2, 4, 8, or {}", names.join(", "))))
    })
}

/// Directives that say nothing to a program of texture loads.
fn without_effect(directives: &Directives) -> Vec<Wrong> {
    let one = [
        directives.platform.as_ref().map(|d| ("PLATFORM", d.span)),
        directives.kernel.as_ref().map(|d| ("KERNEL", d.span)),
        directives.groups.as_ref().map(|d| ("GROUPS", d.span)),
    ];
    let samplers = directives.samplers.iter().map(|d| ("SAMPLER", d.span));
    let found = one.into_iter().flatten().chain(samplers);
    let say = |(word, span): (&str, Span)| {
        Box::new(
            Diagnostic::new(Code::W0715)
                .at(span, format!("{word} has no meaning in a .tld program"))
                .help("leave it out; THREADS makes the grid, SURFACE the textures"),
        )
    };
    found.map(say).collect()
}

/// `T3` as 3.
fn number(name: &str, letter: char) -> Option<u32> {
    name.strip_prefix(letter)?
        .parse()
        .ok()
        .filter(|&n: &u32| n <= 0xf_ffff)
}

/// A key's value: decimal or hexadecimal.
fn integer(word: &Spanned<String>) -> Result<u64, Wrong> {
    let read = match word.node.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => word.node.parse().ok(),
    };
    read.ok_or_else(|| wrong(word.span, format!("`{}` is not a number", word.node)))
}

/// A key's value: `a` or `a-b`: a comma would begin the formula.
fn two(word: &Spanned<String>) -> Result<(u64, Option<u64>), Wrong> {
    let part = |text: &str| integer(&Spanned::new(text.to_owned(), word.span));
    match word.node.split_once('-') {
        Some((a, b)) => Ok((part(a)?, Some(part(b)?))),
        None => Ok((part(&word.node)?, None)),
    }
}

fn swizzle(word: &Spanned<String>) -> Result<[Swizzle; 4], Wrong> {
    let all: Option<Vec<Swizzle>> = word
        .node
        .chars()
        .map(|c| match c {
            '0' => Some(Swizzle::Zero),
            '1' => Some(Swizzle::OneFloat),
            'R' => Some(Swizzle::R),
            'G' => Some(Swizzle::G),
            'B' => Some(Swizzle::B),
            'A' => Some(Swizzle::A),
            _ => None,
        })
        .collect();
    all.and_then(|all| all.try_into().ok())
        .ok_or_else(|| wrong(word.span, "a swizzle is four of R G B A 0 1, as RGB1"))
}

/// Makes a texture, a header and memory of a SURFACE directive.
fn texture(machine: &mut Machine, layer: &Layer, asked: &SurfaceBinding) -> Result<(), Wrong> {
    let Some(pointer) = number(&asked.name.node, 'T') else {
        return Err(wrong(
            asked.name.span,
            "a texture is named by its header's number: T0 to T1048575",
        ));
    };
    if machine.surfaces.contains_key(&pointer) {
        return Err(wrong(
            asked.name.span,
            format!("header {pointer} is already there"),
        ));
    }
    let word = asked.format.as_ref();
    let Some(word) = word else {
        return Err(wrong(
            asked.span,
            "the format is missing: photo.png as R8G8B8A8_UNORM",
        ));
    };
    let known = Format::named(&word.node).and_then(|f| Some((f, from_format(f)?)));
    let Some((format, (types, components, sources, srgb))) = known else {
        return Err(wrong(
            word.span,
            format!("no component sizes and types make {}", word.node),
        ));
    };
    let size = asked
        .size
        .as_ref()
        .map_or(&[0, 0][..], |s| s.node.as_slice());
    let (width, height) = (size[0], size.get(1).copied().unwrap_or(1));
    let depth = size.get(2).copied().unwrap_or(1);
    let mut header = Header {
        components,
        types,
        sources,
        srgb,
        texture_type: if depth > 1 {
            TextureType::ThreeD
        } else {
            TextureType::TwoD
        },
        layout: Layout::BlockLinear {
            block: Block {
                height: 4,
                depth: 0,
            },
        },
        ..Header::default()
    };
    let (mut bank, mut address, mut view, mut sparse) = (None, None, None, None);
    let free = machine.free();
    for (key, value) in &asked.keys {
        match key.node.as_str() {
            "bank" => bank = Some(integer(value)?),
            "address" => address = Some(integer(value)?),
            "block" => {
                let (h, d) = two(value)?;
                let d = d.unwrap_or(0);
                if h > 5 || d > 5 {
                    return Err(wrong(value.span, "log2 of GOBs and slices: 0 to 5"));
                }
                header.layout = Layout::BlockLinear {
                    block: Block {
                        height: h as u32,
                        depth: d as u32,
                    },
                };
            }
            "pitch" => {
                let pitch = integer(value)?;
                if pitch % 32 != 0 || pitch >= 1 << 21 || pitch == 0 {
                    return Err(wrong(
                        value.span,
                        "a pitch is a multiple of 32 below 0x200000",
                    ));
                }
                header.layout = Layout::Pitch {
                    pitch: pitch as u32,
                };
                header.texture_type = TextureType::TwoDNoMipmap;
            }
            "layout" if value.node == "buffer" => {
                header.layout = Layout::Buffer;
                header.texture_type = TextureType::OneDBuffer;
                header.normalized = false;
            }
            "levels" => match integer(value)? {
                n @ 1..=16 => header.max_mip_level = n as u8 - 1,
                _ => return Err(wrong(value.span, "1 to 16 levels")),
            },
            "view" => view = Some((two(value)?, value.span)),
            "type" => match TextureType::ALL.iter().find(|t| t.name() == value.node) {
                Some(&shape) => header.texture_type = shape,
                None => return Err(wrong(value.span, "no such texture type")),
            },
            "swizzle" => header.sources = swizzle(value)?,
            "samples" => header.samples = samples(value)?,
            "sparse" => match two(value)? {
                (from, Some(to)) if from < to => sparse = Some((from..to, value.span)),
                _ => {
                    return Err(wrong(
                        value.span,
                        "first byte and the one after the last, as 0-64",
                    ));
                }
            },
            // Of the whole pool: `maximum_index` read it.
            "maximum_index" => {}
            other => {
                let help = "bank= block= pitch= layout=buffer levels= view= type= swizzle= address= \
                     samples= sparse= maximum_index=";
                let label = format!("textures have no key `{other}`");
                return Err(Box::new(wrong(key.span, label).help(help)));
            }
        }
    }
    header.view = match view {
        Some(((first @ 0..=15, Some(last @ 0..=15)), _)) => [first as u8, last as u8],
        Some((_, span)) => return Err(wrong(span, "first and last level, as 1-3")),
        None => [0, header.max_mip_level],
    };
    let levels = u32::from(header.max_mip_level) + 1;
    let shape = header.texture_type;
    let kind = match shape {
        TextureType::ThreeD => Description::d3(format, width, height, depth),
        _ if shape.is_array() => Description::d2_array(format, width, height, depth),
        TextureType::Cubemap | TextureType::CubemapArray => {
            return Err(wrong(asked.span, "TLD cannot fetch from a cube"));
        }
        _ => Description::d2(format, width, height),
    };
    let description = Description {
        levels: if shape == TextureType::OneDBuffer {
            1
        } else {
            levels
        },
        samples: header.samples.places().len() as u32,
        ..kind
    };
    let surface = match &asked.origin {
        Origin::New => Surface::zeroed(description).map_err(|e| match e.too_large() {
            true => Box::new(Diagnostic::new(e.code).at(asked.span, e.what).help(e.help)),
            false => wrong(asked.span, e.what),
        })?,
        Origin::Picture(path) => contents::picture(layer, asked, path, description, false)?,
        _ => {
            return Err(wrong(
                asked.span,
                "a texture requires a picture or a formula",
            ));
        }
    };
    if let Some(formula) = &asked.formula {
        contents::fill(&surface, formula)?;
    }
    let made = surface.description();
    header.width = made.width.into();
    (header.height, header.depth) = (made.height, made.depth);
    if header.layout == Layout::Buffer {
        (header.height, header.depth) = (1, 1);
    }
    header.address = address.unwrap_or(free);
    let bank = match bank.map(u16::try_from) {
        Some(Ok(bank @ 0..=0x1fff)) => Some(bank),
        Some(_) => return Err(wrong(asked.span, "the bank has 0x2000 words")),
        None => None,
    };
    let added = machine.add(pointer, &header, surface);
    added.map_err(|why| {
        let refused = Diagnostic::new(why.code).at(asked.span, why.what);
        Box::new(match why.help.is_empty() {
            true => refused,
            false => refused.help(why.help),
        })
    })?;
    if let Some((bytes, span)) = sparse {
        let size = machine.bytes_at(header.address);
        if bytes.end > size {
            let label = format!("the texture has {size:#x} bytes");
            return Err(wrong(span, label));
        }
        machine.unmap(header.address + bytes.start..header.address + bytes.end);
    }
    if let Some(bank) = bank {
        machine.bank.insert(bank, pointer);
    }
    Ok(())
}

fn set(machine: &mut Machine, setting: &Setting) -> Result<(), Wrong> {
    let name = &setting.place.name;
    let target = target(name)?;
    let view = View {
        ty: setting.ty.node,
        form: NumberFormat::of_type(setting.ty.node),
        pitch: 4,
    };
    let (across, _) = machine.grid;
    let read = |word: &Spanned<String>, thread: usize| -> Result<u32, Wrong> {
        let (column, row) = (thread as u32 % across.max(1), thread as u32 / across.max(1));
        let base = match word.node.chars().next() {
            Some('x') => column,
            Some('y') => row,
            _ => {
                let bits = view.read(&word.node);
                let bits =
                    bits.map_err(|why| Box::new(Diagnostic::new(Code::E0706).at(word.span, why)))?;
                return Ok(sign_extended(view.ty, bits));
            }
        };
        let shift = match &word.node[1..] {
            "" => Ok(0),
            rest => rest.trim_start_matches('+').parse::<i32>(),
        };
        let shift = shift.map_err(|_| wrong(word.span, "x, y, x-8 or y+1"))?;
        Ok(base.wrapping_add_signed(shift))
    };
    let chosen = chosen(machine, &setting.place)?;
    let values = &setting.values;
    if values.len() != 1 && values.len() != chosen.len() {
        let label = format!(
            "{} values for {} threads: give one, or one for each",
            values.len(),
            chosen.len()
        );
        return Err(Box::new(
            Diagnostic::new(Code::E0706).at(setting.ty.span, label),
        ));
    }
    for (&thread, word) in chosen.iter().zip(values.iter().cycle()) {
        let value = read(word, thread)?;
        machine.set(thread, target, value);
    }
    Ok(())
}

/// The values of a register or predicate, one for each thread, or for the one named.
fn values(machine: &Machine, place: &Location) -> Result<Vec<u32>, Wrong> {
    let target = target(&place.name)?;
    let threads = chosen(machine, place)?;
    Ok(threads
        .into_iter()
        .map(|thread| machine.value(thread, target))
        .collect())
}

/// The threads that a place names: all, or the one in its column and row.
fn chosen(machine: &Machine, place: &Location) -> Result<Vec<usize>, Wrong> {
    let Some((x, y)) = place.thread else {
        return Ok((0..machine.threads.len()).collect());
    };
    let thread = machine.thread((x, y)).ok_or_else(|| {
        wrong(
            place.name.span,
            format!("the grid has no thread ({x}, {y})"),
        )
    })?;
    Ok(vec![thread])
}

/// A register or predicate of all threads, a row for each row of threads; of the one thread named.
///
/// # Errors
/// `E0704`, `E0705`: no such register, no such thread.
pub fn table(machine: &Machine, place: &Location, words: ViewWords) -> Result<Table, Wrong> {
    let ty = match (words.ty, words.form) {
        (Some(ty), _) => ty,
        (None, Some(NumberFormat::Float)) => Type::F,
        (None, _) => Type::Ud,
    };
    let default_format = match words.ty {
        Some(ty) => NumberFormat::of_type(ty),
        None => NumberFormat::Hex,
    };
    Ok(Table {
        view: View {
            ty,
            form: words.form.unwrap_or(default_format),
            pitch: words.pitch.unwrap_or(machine.grid.0.max(1) * 4),
        },
        bytes: little(&values(machine, place)?),
    })
}

/// Four registers from the named one on, of all threads, as a surface of R, G, B, A.
///
/// # Errors
/// `E0704`, `E0705`: not a register.
pub fn picture(machine: &Machine, name: &Spanned<String>) -> Result<Surface, Wrong> {
    surface_of(name, |first| machine.picture(first))
}

/// [`picture`] with eight bits to a channel, as in a picture file.
///
/// # Errors
/// As [`picture`].
pub fn eight_bits(machine: &Machine, name: &Spanned<String>) -> Result<Surface, Wrong> {
    surface_of(name, |first| machine.eight_bits(first))
}

fn surface_of(
    name: &Spanned<String>,
    make: impl FnOnce(Reg) -> Result<Surface, String>,
) -> Result<Surface, Wrong> {
    match target(name)? {
        Target::Reg(first) => make(first).map_err(|why| wrong(name.span, why)),
        Target::Pred(_) => Err(wrong(name.span, "a picture is made of registers")),
    }
}

fn sign_extended(ty: Type, bits: u64) -> u32 {
    let spare = 64 - 8 * ty.bytes();
    match ty.is_signed() && !ty.is_float() {
        true => (((bits << spare) as i64) >> spare) as u32,
        false => bits as u32,
    }
}

fn target(name: &Spanned<String>) -> Result<Target, Wrong> {
    let reg = number(&name.node, 'R')
        .filter(|&n| n < 255)
        .map(|n| Target::Reg(Reg(n as u8)));
    let pred = number(&name.node, 'P')
        .filter(|&n| n < 7)
        .map(|n| Target::Pred(Pred::new(n as u8)));
    reg.or(pred).ok_or_else(|| {
        Box::new(Diagnostic::new(Code::E0704).at(name.span, "R0 to R254 and P0 to P6 are there"))
    })
}
