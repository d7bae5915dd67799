//! Arguments of compiled kernels from words: `--arg 0=image:in.png`, `--arg 1=buffer:out.bin:size=4096`,
//! `--arg 2=int:5`.
//!
//! ```text
//!  N=buffer:PATH                    the bytes of a file
//!  N=buffer:int:1,2,3               values (crate::launch::kernel::values), size=BYTES and out=PATH as below
//!  N=buffer:PATH:size=BYTES         zeros, written to PATH after the run, over what was there
//!  N=buffer:PATH:out=PATH           a file's bytes, written to another after the run
//!  N=image:PICTURE                  a picture; keys type= order= channel= size=
//!  N=image:PATH:size=64x48          zeros, written to PATH after the run
//!  N=sampler:clamp:linear:normalized
//!  N=local:BYTES   N=int:5   N=float4:1,0.5,0,1   N=hex:0500   N=null
//! ```

use super::kernel::{Refused, read};
use super::words::{clause, cut, key_help, nearest};
use crate::diagnostic::{Code, Diagnostic, counted};
use crate::files::Disk;
use crate::launch::kernel::argument::SCALARS;
use crate::launch::kernel::image::{self, Image, PICTURES, Shape, USUAL, is_depth};
use crate::launch::kernel::json::{MAX_BUFFER, bytes_of, holding, zeros};
use crate::launch::kernel::values::{contents, is_scalar, scalar_bytes};
use crate::launch::kernel::{Argument, Description, SamplerChoice};
use crate::surface::Picture;
use crate::surface::file::{encode_picture, read_picture};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One `--arg`, to be made when it is known what the kernel takes.
#[derive(Clone, Debug)]
pub struct ArgumentOption {
    /// A number, or a name.
    key: String,
    /// What it is.
    kind: String,
    /// The words after the kind.
    words: String,
    /// The whole option.
    text: String,
}

fn wrong(what: impl Into<String>) -> Refused {
    Box::new(
        Diagnostic::with_message(Code::E0642, what)
            .help("0=image:in.png, 1=buffer:out.bin:size=4096, 2=int:5, 3=sampler:clamp:linear"),
    )
}

impl ArgumentOption {
    /// Reads one `--arg`.
    ///
    /// # Errors
    /// `E0642`: it names no argument.
    pub fn read(text: &str) -> Result<ArgumentOption, Refused> {
        let Some((key, rest)) = text.split_once('=') else {
            return Err(wrong(format!("`{text}` is not NUMBER=WHAT or NAME=WHAT")));
        };
        let (kind, words) = rest.split_once(':').unwrap_or((rest, ""));
        Ok(ArgumentOption {
            key: key.trim().to_string(),
            kind: kind.to_string(),
            words: words.to_string(),
            text: text.to_string(),
        })
    }

    /// The argument.
    ///
    /// * `image`: the kind of image that the kernel takes here, where it is known.
    ///
    /// # Errors
    /// `E0642`: the words have no meaning; `E0644`: no such image; `E0702`: a file cannot be used; `L0640`.
    fn given(&self, image: Option<&str>) -> Result<Given, Refused> {
        given(&self.kind, &self.words, image).map_err(|mut refused| {
            refused.notes.push(format!("in `{}`", self.text));
            refused
        })
    }

    /// The words after the kind for an argument that is only read: the file that was named is read.
    fn input(&self) -> String {
        let all = || self.words.split(':').filter(|word| !word.is_empty());
        let path = all().find(|word| !word.contains('='));
        let buffer = self.kind == "buffer";
        // A picture and a file of a buffer have their sizes in them.
        let sized = path.is_some_and(|path| buffer || is_picture(Path::new(path)));
        let filled = all().any(|word| word.starts_with("in="));
        let words = all().filter_map(|word| match word.split_once('=') {
            Some(("out", _)) => None,
            Some(("size", _)) if sized => None,
            None if sized => Some(word.to_string()),
            None => (!filled).then(|| format!("in={word}")),
            Some(_) => Some(word.to_string()),
        });
        words.collect::<Vec<String>>().join(":")
    }

    /// Why an argument that the kernel only reads goes to no file: what lies there would be lost for nothing.
    fn no_output(&self, argument: &str, to: &Path) -> Refused {
        let to = to.display().to_string();
        let mut refused = wrong(format!(
            "{argument} is only read by the kernel: nothing of it goes to {to}"
        ));
        refused.help = Some(format!("--arg {}={}:{}", self.key, self.kind, self.input()));
        refused.notes.push(format!("in `{}`", self.text));
        refused
    }
}

/// The kinds that are not values.
const KINDS: &[&str] = &["buffer", "image", "sampler", "local", "hex", "null"];

/// An argument of a kind, from the words after it.
fn given(kind: &str, words: &str, taken: Option<&str>) -> Result<Given, Refused> {
    Ok(match kind {
        "buffer" => buffer(words)?,
        "image" => image(words, taken)?,
        "sampler" => (sampler(words)?, None),
        "local" => {
            let bytes = u32::try_from(number_of_bytes(words)?);
            let bytes = bytes.map_err(|_| wrong(format!("`{words}` bytes are too many")))?;
            if bytes == 0 {
                return Err(wrong("local memory has 1 byte at least"));
            }
            (Argument::Local(bytes), None)
        }
        "hex" => (Argument::Value(bytes_of(words)?), None),
        "null" if words.is_empty() => (Argument::Null, None),
        _ => (Argument::Typed(kind.to_string(), value(kind, words)?), None),
    })
}

/// A number of bytes, decimal or hexadecimal.
fn number_of_bytes(text: &str) -> Result<u64, Refused> {
    let bytes = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    bytes.ok_or_else(|| wrong(format!("`{text}` is not a number of bytes")))
}

/// A path and `key=value` words after it.
fn words<'t>(
    text: &'t str,
    keys: &[&str],
) -> Result<(Option<&'t str>, BTreeMap<&'t str, &'t str>), Refused> {
    let mut path = None;
    let mut found = BTreeMap::new();
    for word in cut(text, 0, &[':']) {
        match clause(word) {
            Some((key, value)) if keys.contains(&key.node) => {
                found.insert(key.node, value.node);
            }
            None if path.is_none() => path = Some(word.node),
            mistyped => {
                let what = format!("`{}` has no meaning here", word.node);
                let key = mistyped.map_or("", |(key, _)| key.node);
                let mut refused = wrong(what);
                refused.help = Some(key_help(key, keys));
                return Err(refused);
            }
        }
    }
    Ok((path, found))
}

/// An argument, and where its bytes go after the run.
type Given = (Argument, Option<PathBuf>);

fn buffer(text: &str) -> Result<Given, Refused> {
    // `int:1,2,3`, then keys; a file may be called `int`, too.
    let values = text.split_once(':').filter(|(first, _)| is_scalar(first));
    let values = values.map(|(scalar, rest)| (scalar, rest.split_once(':').unwrap_or((rest, ""))));
    if let Some((scalar, (items, rest))) = values.filter(|(_, (items, _))| !items.contains('=')) {
        let (path, keys) = words(rest, &["size", "out"])?;
        if let Some(path) = path {
            return Err(wrong(format!("`{path}` has no meaning here: out={path}?")));
        }
        let size = keys
            .get("size")
            .map(|size| number_of_bytes(size))
            .transpose()?;
        let made = contents(&format!("{scalar}:{items}"), size)?;
        if !made.skipped.is_empty() || made.bytes.is_empty() {
            return Err(wrong(format!(
                "`{scalar}:{items}` are no values to begin with"
            )));
        }
        let out = keys.get("out").map(PathBuf::from);
        return Ok((holding(&made.bytes)?, out));
    }
    let (path, keys) = words(text, &["size", "out"])?;
    let out = keys.get("out").map(PathBuf::from);
    if let Some(size) = keys.get("size") {
        let bytes = number_of_bytes(size)?;
        if bytes == 0 {
            return Err(wrong("a buffer has 1 byte at least"));
        }
        let out = out.or(path.map(PathBuf::from));
        return Ok((zeros(bytes)?, out));
    }
    let path = path.ok_or_else(|| wrong("a buffer needs a file or `size=`"))?;
    let bytes = read(Path::new(path), MAX_BUFFER)?;
    Ok((holding(&bytes)?, out))
}

fn is_picture(path: &Path) -> bool {
    path.to_str().is_some_and(image::is_picture)
}

/// An image; of the kind that the kernel takes, if that is known and no other is given.
fn image(text: &str, taken: Option<&str>) -> Result<Given, Refused> {
    let (path, keys) = words(text, &["size", "type", "order", "channel", "out", "in"])?;
    let key = |name: &str, usual: &str| keys.get(name).copied().unwrap_or(usual).to_string();
    let kind = key("type", taken.unwrap_or(USUAL));
    let (order, channel) = match is_depth(&kind) {
        true => ("DEPTH", "FLOAT"),
        false => ("RGBA", "UNORM_INT8"),
    };
    let mut shape = Shape {
        kind,
        order: key("order", order),
        channel: key("channel", channel),
        ..Shape::default()
    };
    let out = keys.get("out").map(PathBuf::from);
    let input = keys.get("in").copied();
    if let Some(size) = keys.get("size") {
        let numbers: Option<Vec<u32>> = size.split('x').map(|n| n.parse().ok()).collect();
        let numbers = numbers.filter(|n| n.len() <= 3 && !n.contains(&0));
        let numbers = numbers.ok_or_else(|| {
            let mut refused = wrong(format!("`{size}` is not a size such as 64x48"));
            refused
                .notes
                .push("up to three numbers from 1 on".to_string());
            refused
        })?;
        let wanted = image::sizes(&shape.kind).unwrap_or(numbers.len());
        let few = numbers.len() < wanted;
        if few || numbers.iter().skip(wanted).any(|&n| n > 1) {
            let kind = &shape.kind;
            let many = counted(wanted, "size");
            let mut refused = wrong(format!("`{size}`: an image of type {kind} has {many}"));
            refused.help = Some(match taken {
                _ if few => format!("size={size}{}", "x1".repeat(wanted - numbers.len())),
                Some(taken) => format!("the kernel requires an image of type {taken}"),
                None => "add type=2d_array or type=3d, as in the kernel".to_string(),
            });
            return Err(refused);
        }
        let number = |at: usize| numbers.get(at).copied().unwrap_or(1);
        (shape.width, shape.height) = (number(0), number(1));
        match shape.kind.as_str() {
            "1d_array" => (shape.height, shape.layers) = (1, number(1)),
            "2d_array" | "2d_array_depth" => shape.layers = number(2),
            _ => shape.depth = number(2),
        }
        // With a size the path is where the image goes, unless it is given apart.
        let (from, to) = match (input, out) {
            (Some(input), out) => (Some(input), out.or(path.map(PathBuf::from))),
            (None, Some(out)) => (path, Some(out)),
            (None, None) => (None, path.map(PathBuf::from)),
        };
        to.as_deref().map_or(Ok(()), no_other_picture)?;
        let image = match from {
            Some(from) => Image::new(shape, &read(Path::new(from), MAX_BUFFER)?)?,
            None => Image::zeroed(shape)?,
        };
        return Ok((Argument::Image(image), to));
    }
    let path = path.or(input).map(Path::new);
    let Some(path) = path.filter(|p| is_picture(p)) else {
        let known = PICTURES.join(" .");
        let what = format!("an image needs a picture file (.{known}), or `size=`");
        return Err(wrong(what));
    };
    let unusable = |what: String| Box::new(Diagnostic::with_message(Code::E0702, what));
    let picture =
        read_picture(&Disk, path).map_err(|e| unusable(format!("{}: {}", e.path, e.what)))?;
    (shape.width, shape.height) = (picture.width, picture.height);
    if shape.kind == "1d_buffer" || shape.kind.starts_with("1d") && picture.height > 1 {
        let (kind, rows) = (&shape.kind, picture.height);
        let what = format!(
            "a picture of {} cannot be an image of type {kind}",
            counted(rows, "row")
        );
        let mut refused = wrong(what);
        let width = picture.width;
        refused.help = Some(format!(
            "its texels in a file: image:size={width}:in=texels.bin"
        ));
        return Err(refused);
    }
    out.as_deref().map_or(Ok(()), no_other_picture)?;
    let image = Image::zeroed(shape)?;
    picture
        .store(&image.surface)
        .map_err(|refused| unusable(format!("{}: {refused}", path.display())))?;
    Ok((Argument::Image(image), out))
}

fn sampler(text: &str) -> Result<Argument, Refused> {
    let (mut addressing, mut filter, mut normalized) = ("none", "nearest", false);
    for word in text.split(':').filter(|w| !w.is_empty()) {
        match word {
            "linear" | "nearest" => filter = word,
            "normalized" => normalized = true,
            "unnormalized" => normalized = false,
            other => addressing = other,
        }
    }
    Ok(Argument::Sampler(SamplerChoice::read(
        addressing, filter, normalized,
    )?))
}

/// A picture of a kind that visim does not write would hold plain texels under its name.
fn no_other_picture(path: &Path) -> Result<(), Refused> {
    const OTHERS: &[&str] = &["jpg", "jpeg", "gif", "webp", "tif", "tiff"];
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if !OTHERS.contains(&ending.to_ascii_lowercase().as_str()) {
        return Ok(());
    }
    let what = format!("{}: pictures are not written as .{ending}", path.display());
    let mut refused = wrong(what);
    let named = path.with_extension("png");
    refused.help = Some(format!("{}; .bin for plain texels", named.display()));
    Err(refused)
}

/// `int:5`, `float4:1,2,3,4`: the bytes of an OpenCL value; three components take the room of four.
fn value(kind: &str, text: &str) -> Result<Vec<u8>, Refused> {
    let (scalar, count) = match kind.find(|c: char| c.is_ascii_digit()) {
        Some(at) => {
            let (scalar, count) = kind.split_at(at);
            (scalar, count.parse().unwrap_or(0))
        }
        None => (kind, 1),
    };
    let known = SCALARS.iter().any(|row| row.0 == scalar);
    if !known || !matches!(count, 1 | 2 | 3 | 4 | 8 | 16) {
        let mut refused = wrong(format!("unknown kind of argument `{kind}`"));
        let kinds = KINDS.iter().copied().chain(SCALARS.iter().map(|row| row.0));
        let meant = nearest(scalar, kinds).filter(|_| !known);
        if let Some(meant) = meant {
            let digits = kind.strip_prefix(scalar).unwrap_or_default();
            refused.help = Some(format!("did you mean {meant}{digits}?"));
        }
        return Err(refused);
    }
    let wrong = |what: String| {
        let mut refused = wrong(what);
        let values: Vec<String> = (1..=count).map(|n: u32| n.to_string()).collect();
        refused.help = Some(format!("{kind}:{}", values.join(",")));
        refused
    };
    if text.is_empty() {
        return Err(wrong(format!("`{kind}` has no value")));
    }
    let mut bytes = Vec::new();
    let mut values = 0;
    for word in text.split(',').map(str::trim) {
        let value = scalar_bytes(scalar, word);
        bytes.extend(value.ok_or_else(|| wrong(format!("`{word}` is not a {scalar}")))?);
        values += 1;
    }
    if values != count {
        let all = counted(count, "component");
        return Err(wrong(format!("`{kind}` has {all}, given: {values}")));
    }
    if count == 3 {
        bytes.resize(bytes.len() / 3 * 4, 0);
    }
    Ok(bytes)
}

/// The bytes of an argument as a file takes them: a picture by the file's name, else plain.
///
/// # Errors
/// `E0702`: it shows no picture.
pub fn file(argument: &Argument, path: &Path) -> Result<Vec<u8>, Refused> {
    if let Argument::Image(image) = argument
        && is_picture(path)
    {
        let picture = Picture::of(&image.surface).map_err(|e| e.to_string());
        return picture.and_then(|p| encode_picture(&p)).map_err(|why| {
            let what = format!("{}: {why}", path.display());
            Box::new(Diagnostic::with_message(Code::E0702, what))
        });
    }
    Ok(argument.bytes().unwrap_or_default())
}

/// Arguments of a kernel: more than any has, which together take a few KiB at most.
const MOST_ARGUMENTS: u32 = 4096;

/// Puts the options in the places of the arguments of a kernel: by number, or by name.
///
/// # Errors
/// `E0643`: no such argument; `E0642`, `E0644`, `E0702`, `L0640`: one cannot be made.
pub fn place(
    arguments: &mut Vec<Argument>,
    options: &[ArgumentOption],
    kernel: &Description,
) -> Result<Vec<(usize, PathBuf)>, Refused> {
    let mut outs = Vec::new();
    let mut placed = BTreeSet::new();
    for option in options {
        let number = number_of(&option.key, arguments.len(), kernel)?;
        if !placed.insert(number) {
            let what = format!("argument `{}` is given twice", option.key);
            return Err(Box::new(Diagnostic::with_message(Code::E0643, what)));
        }
        let taken = kernel.images.get(&number).map(String::as_str);
        let taken = taken.filter(|kind| image::KINDS.contains(kind));
        let (argument, out) = option.given(taken)?;
        if let (Some(to), true) = (&out, kernel.read_only.contains(&number)) {
            return Err(option.no_output(&kernel.argument(number), to));
        }
        set(arguments, number, argument);
        outs.extend(out.map(|out| (number as usize, out)));
    }
    Ok(outs)
}

/// Puts arguments that a host has made in their places: by number, or by name. Each has memory of its own.
///
/// # Errors
/// `E0643`: no such argument.
pub fn give(
    arguments: &mut Vec<Argument>,
    given: &[(String, Argument)],
    kernel: &Description,
) -> Result<(), Refused> {
    for (key, argument) in given {
        let number = number_of(key, arguments.len(), kernel)?;
        let own = match argument {
            Argument::Buffer(buffer) => holding(&buffer.to_vec())?,
            other => other.clone(),
        };
        set(arguments, number, own);
    }
    Ok(())
}

fn set(arguments: &mut Vec<Argument>, number: u32, argument: Argument) {
    let number = number as usize;
    if arguments.len() <= number {
        arguments.resize(number + 1, Argument::Missing);
    }
    arguments[number] = argument;
}

/// The number of the argument that a key names, or is; `described` of them are given already.
fn number_of(key: &str, described: usize, kernel: &Description) -> Result<u32, Refused> {
    let names = &kernel.names;
    let named = names
        .last_key_value()
        .map_or(0, |(last, _)| last.saturating_add(1));
    let count = kernel.arguments().max(named).max(described as u32);
    let count = count.min(MOST_ARGUMENTS);
    let by_name = names.iter().find(|(_, name)| *name == key);
    let number = match by_name {
        Some((&number, _)) => Some(number),
        None => key.parse::<u32>().ok(),
    };
    if let Some(number) = number.filter(|&n| n < count) {
        return Ok(number);
    }
    let all: Vec<&str> = names.values().map(String::as_str).collect();
    let what = format!("the kernel has no argument `{key}`");
    let mut refused = Box::new(Diagnostic::with_message(Code::E0643, what));
    refused.notes.push(match all.is_empty() {
        true if count == 0 => "it uses no argument".to_string(),
        true => format!("it uses arguments 0 to {}", count - 1),
        false => format!("its arguments: {}", all.join(", ")),
    });
    refused.help = nearest(key, all).map(|meant| format!("did you mean {meant}?"));
    Err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The argument of an option, for a kernel that is not described.
    fn argument(text: &str) -> Result<Argument, Refused> {
        Ok(ArgumentOption::read(text)?.given(None)?.0)
    }

    fn bytes(text: &str) -> Vec<u8> {
        match argument(text) {
            Ok(Argument::Value(bytes) | Argument::Typed(_, bytes)) => bytes,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn values_have_the_bytes_of_opencl() {
        assert_eq!(bytes("0=int:-2"), [0xfe, 0xff, 0xff, 0xff]);
        assert_eq!(bytes("n=uint:0xffffffff"), [0xff; 4]);
        assert_eq!(bytes("n=half:1.5"), [0x00, 0x3e]);
        assert_eq!(bytes("n=hex:0102"), [1, 2]);
        let buffer = argument("n=buffer:size=0x100").map(|made| made.bytes().map(|b| b.len()));
        assert_eq!(buffer.expect("hexadecimal"), Some(256));
        assert!(matches!(argument("n=local:0x40"), Ok(Argument::Local(64))));
        // Three components take the room of four.
        let three = bytes("n=float3:1,2,3");
        assert_eq!((three.len(), &three[8..12]), (16, &3f32.to_le_bytes()[..]));
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for text in [
            "5",
            "0=int:x",
            "0=uchar:256",
            "0=int2:1",
            "0=int5:1,2,3,4,5",
            "0=rubber:1",
            "0=buffer:size=x",
            "0=buffer",
            "0=local:-1",
            "0=local:0",
            "0=buffer:out.bin:size=0",
            "0=image:out.png:size=0x4",
            "0=image:out.png:size=4x4x4x4",
            "0=sampler:around",
            "0=hex:123",
            "0=image:a.bin",
        ] {
            let refused = argument(text).expect_err(text);
            assert_eq!(refused.code, Code::E0642, "{text}");
        }
        let kind = argument("0=image:size=4x4:type=4d").expect_err("no such kind");
        assert_eq!(kind.code, Code::E0644);
        let large = argument("0=buffer:size=99999999999").expect_err("too large");
        assert_eq!(large.code, Code::L0640);
    }

    #[test]
    fn images_of_depths_are_made_as_others() {
        for (kind, size, bytes) in [("2d_depth", "4x4", 64), ("2d_array_depth", "4x4x2", 128)] {
            let text = format!("0=image:size={size}:type={kind}:order=DEPTH:channel=FLOAT");
            let made = argument(&text).expect(kind).bytes();
            assert_eq!(made.map(|b| b.len()), Some(bytes), "{kind}");
        }
        for (kind, size, ending) in [
            ("2d", "4x4x2", "2 sizes"),
            ("2d_depth", "4x4x2", "2 sizes"),
            ("1d", "4x4", "1 size"),
            ("2d", "4", "2 sizes"),
            ("3d", "4x4", "3 sizes"),
        ] {
            let refused = argument(&format!("0=image:size={size}:type={kind}")).expect_err(kind);
            assert!(refused.message.ends_with(ending), "{refused:?}");
        }
        let unknown = argument("0=image:size=4x4:type=2d_deep").expect_err("no such kind");
        assert!(unknown.help.is_some_and(|help| help.contains("2d_depth")));
    }

    #[test]
    fn arguments_are_found_by_number_and_name() {
        let kernel = Description {
            names: BTreeMap::from(
                [(0, "src"), (1, "n"), (u32::MAX, "far")].map(|(n, s)| (n, s.to_string())),
            ),
            ..Description::default()
        };
        let mut arguments = Vec::new();
        let mut place = |text| {
            let option = ArgumentOption::read(text).expect(text);
            place(&mut arguments, &[option], &kernel)
        };
        let placed = place("far=int:3");
        assert_eq!(placed.expect_err("too far").code, Code::E0643);
        let placed = place("n=int:3");
        assert!(placed.is_ok_and(|outs| outs.is_empty()));
        let placed = place("m=int:3");
        assert_eq!(placed.expect_err("no such name").code, Code::E0643);
        let placed = place("4096=int:3");
        assert_eq!(placed.expect_err("no such number").code, Code::E0643);
        assert!(arguments[1].value().is_some());
    }

    #[test]
    fn images_are_of_the_kind_that_the_kernel_takes_unless_another_is_given() {
        let made = |text: &str, taken| {
            let option = ArgumentOption::read(text).expect(text);
            match option.given(taken).expect(text).0 {
                Argument::Image(image) => image.shape,
                other => panic!("{other:?}"),
            }
        };
        let array = made("0=image:size=4x4x3", Some("2d_array"));
        assert_eq!((array.kind.as_str(), array.layers), ("2d_array", 3));
        let deep = made("0=image:size=4x4x3", Some("3d"));
        assert_eq!((deep.kind.as_str(), deep.depth), ("3d", 3));
        let depths = made("0=image:size=4x4", Some("2d_depth"));
        assert_eq!(
            (depths.order.as_str(), depths.channel.as_str()),
            ("DEPTH", "FLOAT")
        );
        let given = made("0=image:size=4x4:type=2d:order=R", Some("2d_depth"));
        assert_eq!((given.kind.as_str(), given.order.as_str()), ("2d", "R"));
        assert_eq!(made("0=image:size=4x4", None).kind, "2d");
    }
}
