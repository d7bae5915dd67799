//! Video by the messages of the media sampler: how good it is, and the command.
//!
//! `cargo test --test cli video -- --nocapture` prints the numbers.

use std::path::Path;
use std::process::{Command, Output};
use visim::internals::sampler::avs::IefState;
use visim::internals::sampler::deinterlace::DeinterlaceState;
use visim::internals::video::{
    Fields, Filter, Kind, Picture, Range, Raw, Reader, Sampling, Scale, Stop, VideoError, Writer,
    files::Draft, scale,
};

fn grey(width: u32, height: u32, code: impl Fn(i32, i32) -> i32) -> Picture {
    let mut picture = Picture::new(width, height, Sampling::Grey).unwrap();
    let pixels = (0..height as i32).flat_map(|y| (0..width as i32).map(move |x| (x, y)));
    picture.planes[0] = pixels
        .map(|(x, y)| code(x, y).clamp(0, 255) as u8)
        .collect();
    picture
}

/// Luma of a picture of the lessons.
fn photo(name: &str) -> Picture {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("samples/images")
        .join(name);
    let rgb = Reader::open(&path, None, None)
        .unwrap()
        .read()
        .unwrap()
        .unwrap();
    let pixels = rgb.rgb(Range::Full);
    let luma = |[r, g, b]: [u8; 3]| (2 * i32::from(r) + 5 * i32::from(g) + i32::from(b)) / 8;
    let width = rgb.width as i32;
    grey(rgb.width, rgb.height, |x, y| {
        luma(pixels[(y * width + x) as usize])
    })
}

#[test]
fn polyphase_keeps_more_of_a_photo_than_bilinear() {
    // A photograph, whose origin samples/images/README.md tells, and the computed landscape.
    keeps_more("cat.png");
    keeps_more("photo.png");
}

fn keeps_more(name: &str) {
    let photo = photo(name);
    let size = (photo.width, photo.height);
    let there_and_back = |filter, adaptive| {
        let run = |picture: &Picture, size| {
            let options = scale::Options {
                size: Some(size),
                filter,
                adaptive,
                ..scale::Options::default()
            };
            let from = (picture.width, picture.height);
            Scale::new(&options, from).unwrap().run(picture).unwrap()
        };
        let half = run(&photo, (size.0 / 2, size.1 / 2));
        run(&half, size).psnr(&photo, 0)
    };
    let sharp = there_and_back(Filter::Polyphase, false);
    let adaptive = there_and_back(Filter::Polyphase, true);
    let bilinear = there_and_back(Filter::Bilinear, false);
    println!(
        "{name}, 2:1 and back: polyphase {sharp:.2} dB, adaptive {adaptive:.2} dB, bilinear {bilinear:.2} dB"
    );
    assert!(
        sharp > bilinear && adaptive > bilinear,
        "{name}: {sharp} {adaptive} {bilinear}"
    );
}

const WIDTH: u32 = 96;
const HEIGHT: u32 = 64;

/// A scene at a time counted in fields: fine still lines, and a bright disc that moves across.
fn scene(t: i32) -> Picture {
    grey(WIDTH, HEIGHT, |x, y| {
        let (dx, dy) = (x - 20 - 3 * t, y - 32 - t / 2);
        if dx * dx + dy * dy < 15 * 15 {
            200 + dx
        } else {
            60 + 50 * (y % 2) + x / 4
        }
    })
}

/// Frame `n` as a camera with fields takes it: even rows at time 2n, odd rows at 2n + 1.
fn interlaced(n: i32) -> Picture {
    let fields = [scene(2 * n), scene(2 * n + 1)];
    let row = WIDTH as i32;
    grey(WIDTH, HEIGHT, |x, y| {
        i32::from(fields[(y % 2) as usize].planes[0][(y * row + x) as usize])
    })
}

/// One field of a frame, its missing rows the mean of those above and below.
fn bob(frame: &Picture, parity: i32) -> Picture {
    let at = |x: i32, y: i32| i32::from(frame.planes[0][(y * WIDTH as i32 + x) as usize]);
    let last = HEIGHT as i32 - 1;
    grey(WIDTH, HEIGHT, |x, y| {
        if y % 2 == parity {
            return at(x, y);
        }
        let above = if y > 0 { y - 1 } else { y + 1 };
        let below = if y < last { y + 1 } else { y - 1 };
        (at(x, above) + at(x, below) + 1) >> 1
    })
}

#[test]
fn deinterlacing_beats_bob_and_weave() {
    let mut fields = Fields::new(DeinterlaceState {
        dn_enable: false,
        ..DeinterlaceState::default()
    });
    let frames: Vec<Picture> = (0..10).map(interlaced).collect();
    let mut made: Vec<Picture> = frames
        .iter()
        .flat_map(|f| fields.push(f).unwrap())
        .collect();
    made.extend(fields.finish(&frames[9]).unwrap());
    assert_eq!(made.len(), 20, "two frames of each");
    // Once motion has been learnt; the last one has no field after it.
    let times = 8..20;
    let mean =
        |of: &dyn Fn(i32) -> f64| times.clone().map(of).sum::<f64>() / times.clone().count() as f64;
    let truth = |t: i32| scene(t);
    let ours = mean(&|t| made[t as usize].mse(&truth(t), 0));
    let bob = mean(&|t| bob(&frames[t as usize / 2], t % 2).mse(&truth(t), 0));
    let weave = mean(&|t| frames[t as usize / 2].mse(&truth(t), 0));
    let db = |mse: f64| 10.0 * (255.0 * 255.0 / mse).log10();
    println!(
        "deinterlaced {:.2} dB, bob {:.2} dB, weave {:.2} dB",
        db(ours),
        db(bob),
        db(weave)
    );
    assert!(ours < bob && ours < weave, "{ours} {bob} {weave}");
    let last = made[19].mse(&truth(19), 0);
    let woven = frames[9].mse(&truth(19), 0);
    assert!(last < woven, "{last} {woven}");
}

#[test]
fn denoising_lowers_the_error() {
    let clean = grey(128, 96, |x, y| 60 + x / 2 + 40 * ((x / 32 + y / 32) & 1));
    let mut seed = 7u32;
    let mut noise = || {
        // A sum of uniform numbers, -9 to 9.
        (0..3)
            .map(|_| {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (seed >> 24) as i32 % 7 - 3
            })
            .sum::<i32>()
    };
    let mut fields = Fields::new(DeinterlaceState {
        di_enable: false,
        progressive_dn: true,
        temporal_th: 16,
        low_temporal_th: 6,
        ..DeinterlaceState::default()
    });
    let (mut before, mut after) = (0.0, 0.0);
    for n in 0..12 {
        let mut noisy = clean.clone();
        for code in &mut noisy.planes[0] {
            *code = (i32::from(*code) + noise()).clamp(0, 255) as u8;
        }
        let made = fields.push(&noisy).unwrap().remove(0);
        if n >= 4 {
            before += noisy.mse(&clean, 0) / 8.0;
            after += made.mse(&clean, 0) / 8.0;
        }
    }
    println!("noise: mean square error {before:.2}, denoised {after:.2}");
    assert!(after < before / 2.0, "{after} of {before}");
}

fn visim(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_visim"))
        .current_dir(folder)
        .arg("video")
        .args(arguments)
        .output()
        .expect("visim runs")
}

fn y4m(path: &Path, frames: &[Picture]) {
    let first = &frames[0];
    let kind = Kind::new((first.width, first.height), first.sampling);
    let mut writer = Writer::create(path, None, &kind).unwrap();
    frames.iter().for_each(|frame| writer.push(frame).unwrap());
    writer.finish().unwrap();
}

/// Colour frames whose planes count.
fn colour(n: u8) -> Picture {
    let mut picture = Picture::new(64, 32, Sampling::S420).unwrap();
    for (plane, bytes) in picture.planes.iter_mut().enumerate() {
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = ((i * 5 / (plane + 1)) as u8 / 2).wrapping_add(40 + n);
        }
    }
    picture
}

#[test]
fn the_command_scales_sharpens_and_compares() {
    let folder = tempfile::tempdir().unwrap();
    let frames: Vec<Picture> = (0..3).map(colour).collect();
    y4m(&folder.path().join("in.y4m"), &frames);
    let all = [
        "in.y4m",
        "--scale",
        "32x20",
        "--sharpen",
        "--denoise",
        "--deinterlace",
        "-o",
        "out.y4m",
        "--compare",
        "seen.png",
    ];
    let done = visim(folder.path(), &all);
    assert!(done.status.success(), "{done:?}");
    assert_eq!(
        String::from_utf8_lossy(&done.stdout),
        "3 frames read, 6 written to out.y4m\n"
    );
    let mut reader = Reader::open(&folder.path().join("out.y4m"), None, None).unwrap();
    let kind = reader.kind();
    assert_eq!(
        (kind.size, kind.sampling, kind.rate),
        ((32, 20), Sampling::S420, (50, 1))
    );
    let mut count = 0;
    while reader.read().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 6);
    let seen = Reader::open(&folder.path().join("seen.png"), None, None).unwrap();
    assert_eq!(seen.kind().size, (96, 20));
    // Nothing asked: the same frames.
    assert!(
        visim(folder.path(), &["in.y4m", "-o", "same.y4m"])
            .status
            .success()
    );
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("in.y4m"), bytes("same.y4m"));
    // Pictures, by number, and back.
    assert!(
        visim(
            folder.path(),
            &["in.y4m", "-o", "p%02d.png", "--scale", "16x8"]
        )
        .status
        .success()
    );
    assert!(folder.path().join("p02.png").exists());
}

#[test]
fn the_standard_input_is_a_stream_or_raw_frames() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    y4m(&at("in.y4m"), &[colour(1), colour(2)]);
    let read = |name: &str, options: &[&str]| {
        let done = Command::new(env!("CARGO_BIN_EXE_visim"))
            .current_dir(folder.path())
            .args(["video", "-", "--denoise"])
            .args(options)
            .stdin(std::fs::File::open(at(name)).unwrap())
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    read("in.y4m", &["-o", "piped.y4m"]);
    let named = ["in.y4m", "--denoise", "-o", "named.y4m"];
    assert!(visim(folder.path(), &named).status.success());
    let bytes = |name: &str| std::fs::read(at(name)).unwrap();
    assert!(bytes("piped.y4m") == bytes("named.y4m"));
    assert!(
        visim(folder.path(), &["in.y4m", "-o", "in.nv12"])
            .status
            .success()
    );
    read(
        "in.nv12",
        &["--raw", "nv12", "--size", "64x32", "-o", "piped.i420"],
    );
    assert_eq!(bytes("piped.i420").len(), 2 * 64 * 32 * 3 / 2);
}

#[test]
fn the_standard_output_gets_the_stream() {
    use std::io::Read;
    use std::process::Stdio;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    y4m(&at("in.y4m"), &[colour(1), colour(2)]);
    let named = visim(
        folder.path(),
        &["in.y4m", "--scale", "512x512", "-o", "named.y4m"],
    );
    assert!(named.status.success());
    let command = ["in.y4m", "--scale", "512x512", "-o", "-"];
    let piped = visim(folder.path(), &command);
    assert!(piped.status.success(), "{piped:?}");
    assert!(piped.stdout == std::fs::read(at("named.y4m")).unwrap());
    let said = String::from_utf8_lossy(&piped.stderr);
    assert!(said.contains("2 frames read, 2 written to -"), "{said}");
    let json = visim(folder.path(), &["in.y4m", "--format", "json", "-o", "-"]);
    assert_eq!(json.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&json.stdout).contains("JSON is written there"));

    // Who has seen enough stops the command, which is not an error of its own.
    let mut child = Command::new(env!("CARGO_BIN_EXE_visim"))
        .current_dir(folder.path())
        .arg("video")
        .args(command)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut head = [0; 9];
    child.stdout.take().unwrap().read_exact(&mut head).unwrap();
    assert_eq!(&head, b"YUV4MPEG2");
    let done = child.wait_with_output().unwrap();
    assert_ne!(done.status.code(), Some(0));
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(said.contains("stopped"), "{said}");
}

#[test]
fn the_command_takes_raw_frames() {
    let folder = tempfile::tempdir().unwrap();
    let frame = colour(9);
    for raw in [Raw::I420, Raw::Nv12] {
        let kind = Kind::new((64, 32), Sampling::S420);
        let mut writer = Writer::create(&folder.path().join("in.yuv"), Some(raw), &kind).unwrap();
        writer.push(&frame).unwrap();
        writer.finish().unwrap();
        let name = Raw::NAMES.iter().find(|(_, r)| *r == raw).unwrap().0;
        let arguments = [
            "in.yuv", "--raw", name, "--size", "64x32", "--scale", "128x64", "-o", "out.yuv",
        ];
        assert!(visim(folder.path(), &arguments).status.success());
        let length = std::fs::metadata(folder.path().join("out.yuv"))
            .unwrap()
            .len();
        assert_eq!(length, 128 * 64 * 3 / 2);
    }
}

#[test]
fn wrong_commands_are_told_and_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let odd = {
        let mut picture = Picture::new(5, 3, Sampling::S420).unwrap();
        picture.planes[0].fill(50);
        picture
    };
    y4m(&folder.path().join("odd.y4m"), &[odd]);
    let told = |arguments: &[&str], words: &str| {
        let done = visim(folder.path(), arguments);
        let text = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(2), "{text}");
        assert!(text.contains(words), "{text}");
        assert!(!folder.path().join("out.y4m").exists());
    };
    told(&["no.y4m", "-o", "out.y4m"], "no.y4m");
    told(&["no/", "-o", "out.y4m"], "No such file");
    told(&["odd.y4m", "--scale", "9000x9", "-o", "out.y4m"], "9000x9");
    told(&["odd.y4m", "--scale", "9by9", "-o", "out.y4m"], "1280x720");
    told(&["odd.y4m", "-o", "out.mkv"], ".y4m");
    told(&["odd.y4m", "-o", "no/out.y4m"], "no/out.y4m");
    told(&["odd.y4m", "-o", "out.nv12"], "even sides");
    told(&["odd.y4m", "-o", "out.y4m", "--size", "5x3"], "--scale");
    told(&["odd.y4m", "-o", "out.y4m", "--frames", "0"], "--frames");
    told(&["odd.y4m", "-o", "out.y4m", "--adaptive"], "--scale");
    told(
        &["odd.y4m", "-o", "two.png", "--deinterlace"],
        "two-%04d.png",
    );
    // A frame that ends early leaves nothing; what was said of raw frames must be enough.
    let whole = std::fs::read(folder.path().join("odd.y4m")).unwrap();
    std::fs::write(folder.path().join("cut.y4m"), &whole[..whole.len() - 3]).unwrap();
    std::fs::write(folder.path().join("cut.raw"), [0; 100]).unwrap();
    told(&["cut.y4m", "-o", "out.y4m"], "incomplete");
    told(&["cut.y4m", "-o", "new/"], "incomplete");
    let left = folder.path().join("new").exists();
    assert!(!left, "an empty folder");
    let raw = ["cut.raw", "--raw", "nv12", "-o", "out.y4m"];
    told(&raw, "--size");
    told(&[&raw[..], &["--size", "8x6"]].concat(), "incomplete");
    told(&[&raw[..], &["--size", "7x6"]].concat(), "even sides");
    let raw = [
        "cut.raw", "--raw", "yuy2", "--size", "6x2", "--scale", "5x2",
    ];
    std::fs::write(folder.path().join("cut.raw"), [0; 24]).unwrap();
    told(&[&raw[..], &["-o", "out.raw"]].concat(), "even sides");
    // Streams that are broken further on.
    for (name, text, words) in [
        (
            "twice",
            "YUV4MPEG2 W2 H2 W4 Cmono\nFRAME\nabcd",
            "W4 is given twice",
        ),
        ("ends", "YUV4MPEG2 W2 H2 Cmono\r\nFRAME\r\nabcd", "CR LF"),
        (
            "marker",
            "YUV4MPEG2 W2 H2 Cmono\nFRAME\nabcdFRAMX\nabcd",
            "frame 2 does not begin with FRAME",
        ),
    ] {
        let name = format!("{name}.y4m");
        std::fs::write(folder.path().join(&name), text).unwrap();
        told(&[&name, "-o", "out.y4m"], words);
    }
    // The comparison must not take the place of the input or the output.
    let whole = std::fs::read(folder.path().join("odd.y4m")).unwrap();
    for name in ["odd.y4m", "nowhere/seen.png"] {
        told(
            &["odd.y4m", "-o", "out.y4m", "--compare", name],
            "--compare",
        );
    }
    told(
        &["odd.y4m", "-o", "p-%d.png", "--compare", "p-3.png"],
        "one of the pictures",
    );
    std::fs::create_dir(folder.path().join("in")).unwrap();
    std::fs::create_dir(folder.path().join("dir.png")).unwrap();
    let compared = ["odd.y4m", "-o", "out.y4m", "--compare", "dir.png"];
    told(&compared, "directory");
    let one = folder.path().join("in/one.png");
    let picture = Draft::png(&one, &[9; 16], (2, 2));
    picture.and_then(Draft::keep).unwrap();
    let kept = std::fs::read(&one).unwrap();
    told(
        &["in", "-o", "out.y4m", "--compare", "in/one.png"],
        "one of the pictures",
    );
    told(&["in", "-o", "in/"], "read as a whole");
    assert_eq!(std::fs::read(&one).unwrap(), kept);
    let png = ["--compare", "out.png", "-o", "out.png"];
    std::fs::write(folder.path().join("out.png"), "kept").unwrap();
    told(&[&["odd.y4m"][..], &png].concat(), "a different name");
    assert_eq!(
        std::fs::read(folder.path().join("out.png")).unwrap(),
        b"kept"
    );
    assert_eq!(std::fs::read(folder.path().join("odd.y4m")).unwrap(), whole);
    // Odd sizes are scaled and deinterlaced all the same.
    for how in [&["--scale", "1x1"][..], &["--deinterlace", "--denoise"]] {
        let arguments = [&["odd.y4m"], how, &["-o", "one.y4m"]].concat();
        let done = visim(folder.path(), &arguments);
        assert!(done.status.success(), "{done:?}");
    }
}

/// What is not a file is written to unchanged.
#[cfg(unix)]
#[test]
fn pipes_and_links_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    y4m(&at("in.y4m"), &[colour(1), colour(2)]);
    let written = visim(folder.path(), &["in.y4m", "-o", "plain.y4m"]);
    assert!(written.status.success());
    let wanted = std::fs::read(at("plain.y4m")).unwrap();

    let made = Command::new("mkfifo").arg(at("pipe.y4m")).status().unwrap();
    assert!(made.success());
    let pipe = at("pipe.y4m");
    let reader = std::thread::spawn(move || std::fs::read(pipe).unwrap());
    let written = visim(folder.path(), &["in.y4m", "-o", "pipe.y4m"]);
    assert!(written.status.success());
    assert!(reader.join().unwrap() == wanted);

    std::fs::write(at("real.y4m"), "before").unwrap();
    std::os::unix::fs::symlink("real.y4m", at("link.y4m")).unwrap();
    let written = visim(folder.path(), &["in.y4m", "-o", "link.y4m"]);
    assert!(written.status.success());
    assert!(std::fs::read(at("real.y4m")).unwrap() == wanted);
    assert!(
        std::fs::symlink_metadata(at("link.y4m"))
            .unwrap()
            .is_symlink()
    );
}

/// Grey noise on a still colour picture of odd sides, frame by frame as numbered pictures.
#[test]
fn pictures_are_denoised_and_deinterlaced_like_video() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in");
    std::fs::create_dir(&input).unwrap();
    let (width, height) = (37, 21);
    let clean = |x: u32, y: u32| [60 + 2 * x as u8, 120, 90 + 3 * y as u8];
    let mut seed = 3u32;
    for n in 0..6 {
        let mut texels = Vec::new();
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = (seed >> 24) % 9;
            texels.extend(clean(x, y).map(|code| code + noise as u8 - 4));
            texels.push(200);
        }
        let name = input.join(format!("{n:03}.png"));
        let picture = Draft::png(&name, &texels, (width, height));
        picture.and_then(Draft::keep).unwrap();
    }
    let read = |name: &str| {
        let path = folder.path().join(name);
        Reader::open(&path, None, None)
            .unwrap()
            .read()
            .unwrap()
            .unwrap()
    };
    let error = |picture: &Picture| {
        let places = (0..height).flat_map(|y| (0..width).map(move |x| clean(x, y)));
        let squares = picture
            .rgb(Range::Full)
            .into_iter()
            .zip(places)
            .map(|(found, wanted)| {
                let square = |(a, b): (u8, u8)| (f64::from(a) - f64::from(b)).powi(2);
                found.into_iter().zip(wanted).map(square).sum::<f64>() / 3.0
            });
        squares.sum::<f64>() / f64::from(width * height)
    };
    let done = visim(folder.path(), &["in", "--denoise", "-o", "still-%d.png"]);
    assert!(done.status.success(), "{done:?}");
    let (before, after) = (error(&read("in/005.png")), error(&read("still-5.png")));
    println!("pictures: mean square error {before:.2}, denoised {after:.2}");
    assert!(after < before / 1.5, "{after} of {before}");
    let last = read("still-5.png");
    assert_eq!((last.width, last.height), (width, height));
    assert!(
        last.planes[0]
            .iter()
            .skip(3)
            .step_by(4)
            .all(|&alpha| alpha == 200)
    );
    assert!(!folder.path().join("still-6.png").exists());
    // Two for each: of a still picture all fields are alike, so the frames are, too.
    let done = visim(
        folder.path(),
        &["in", "--deinterlace", "-o", "field-%d.png"],
    );
    assert!(done.status.success(), "{done:?}");
    assert!(folder.path().join("field-11.png").exists());
    assert!(!folder.path().join("field-12.png").exists());
    assert!(error(&read("field-9.png")) < before + 4.0);
}

/// The first line of a file.
fn header(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let line = bytes.split(|&b| b == b'\n').next().unwrap();
    String::from_utf8(line.to_vec()).unwrap()
}

/// Frames that move, in a stream whose header says `words`.
fn stream(folder: &Path, words: &str) {
    let frames: Vec<Picture> = (0..3).map(interlaced).collect();
    y4m(&folder.join("in.y4m"), &frames);
    let bytes = std::fs::read(folder.join("in.y4m")).unwrap();
    let end = bytes.iter().position(|&b| b == b'\n').unwrap();
    let line = [&bytes[..end], words.as_bytes(), &bytes[end..]].concat();
    std::fs::write(folder.join("in.y4m"), line).unwrap();
}

#[test]
fn the_header_says_which_field_is_first() {
    let folder = tempfile::tempdir().unwrap();
    let made = |words: &str, options: &[&str]| {
        stream(folder.path(), words);
        let arguments = [&["in.y4m", "-o", "out.y4m"], options].concat();
        let done = visim(folder.path(), &arguments);
        assert!(done.status.success(), "{done:?}");
        let bytes = std::fs::read(folder.path().join("out.y4m")).unwrap();
        let end = bytes.iter().position(|&b| b == b'\n').unwrap();
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        (bytes[end..].to_vec(), told)
    };
    let (top, told) = made(" It A4:3", &["--deinterlace"]);
    assert_eq!(told, "");
    assert_eq!(
        header(&folder.path().join("out.y4m")),
        "YUV4MPEG2 W96 H64 F50:1 Cmono Ip A4:3"
    );
    let (bottom, _) = made(" Ib", &["--deinterlace"]);
    assert_ne!(top, bottom);
    assert_eq!(made("", &["--deinterlace"]).0, top);
    assert_eq!(made("", &["--deinterlace", "--bottom-first"]).0, bottom);
    assert_eq!(made(" It", &["--deinterlace", "--bottom-first"]).0, bottom);
    assert_eq!(made(" Im", &["--deinterlace", "--top-first"]).0, top);
    let (progressive, told) = made(" Ip", &["--deinterlace"]);
    assert_eq!(progressive, top);
    assert!(told.contains("(Ip)"), "{told}");
    // Noise is looked for within fields where there are fields.
    let (fields, _) = made(" Ib", &["--denoise"]);
    assert_ne!(fields, made(" Ip", &["--denoise"]).0);
    assert_eq!(fields, made("", &["--denoise", "--top-first"]).0);
    // Without deinterlacing fields stay, unless rows are made of other rows.
    let (_, told) = made(" Ib A1:1", &["--scale", "48x64"]);
    assert_eq!(told, "");
    assert_eq!(
        header(&folder.path().join("out.y4m")),
        "YUV4MPEG2 W48 H64 F25:1 Cmono Ib A2:1"
    );
    let (_, told) = made(" Ib A1:1", &["--scale", "48x32"]);
    assert!(told.contains("which scaling mixes"), "{told}");
    assert_eq!(
        header(&folder.path().join("out.y4m")),
        "YUV4MPEG2 W48 H32 F25:1 Cmono A1:1"
    );
    let done = visim(folder.path(), &["in.y4m", "-o", "none.y4m", "--top-first"]);
    assert_eq!(done.status.code(), Some(2));
    stream(folder.path(), " Im");
    let done = visim(
        folder.path(),
        &["in.y4m", "-o", "none.y4m", "--deinterlace"],
    );
    assert!(String::from_utf8_lossy(&done.stderr).contains("(Im)"));
    assert!(!folder.path().join("none.y4m").exists());
}

#[test]
fn denoising_leaves_colours_alone() {
    let folder = tempfile::tempdir().unwrap();
    // Chroma changes from column to column, luma does not: there is nothing to smooth.
    let mut frame = Picture::new(16, 8, Sampling::S444).unwrap();
    frame.planes[0].fill(90);
    for plane in 1..3 {
        let codes = frame.planes[plane].iter_mut().enumerate();
        codes.for_each(|(i, code)| *code = 100 + 50 * ((i + plane) % 2) as u8);
    }
    y4m(&folder.path().join("in.y4m"), &[frame.clone(), frame]);
    let done = visim(folder.path(), &["in.y4m", "--denoise", "-o", "out.y4m"]);
    assert!(done.status.success(), "{done:?}");
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(bytes("in.y4m") == bytes("out.y4m"));
}

#[test]
fn streams_without_frames_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let empty = "YUV4MPEG2 W8 H8 F25:1 C420\n";
    std::fs::write(folder.path().join("in.y4m"), empty).unwrap();
    let arguments = ["in.y4m", "-o", "out.y4m", "--compare", "seen.png"];
    let done = visim(folder.path(), &arguments);
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(
        String::from_utf8_lossy(&done.stderr),
        "visim: in.y4m: there is no frame in it; nothing is written\n"
    );
    let entries = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(entries, 1, "neither a result nor a comparison");
}

/// Who asks for the stop does not wait for the frame, of which nothing comes out.
#[test]
fn a_stop_ends_inside_a_frame() {
    let stop = Stop::default();
    let options = scale::Options {
        size: Some((8192, 8192)),
        sharpen: Some(IefState::default()),
        ..scale::Options::default()
    };
    let scale = Scale::new(&options, (64, 32)).unwrap().until(&stop);
    let asks = {
        let stop = stop.clone();
        std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(20));
            stop.ask()
        })
    };
    assert!(matches!(scale.run(&colour(1)), Err(VideoError::Stopped)));
    assert!(!asks.join().unwrap(), "nobody had asked before");
    let stream = || Fields::new(DeinterlaceState::default());
    assert!(matches!(
        stream().until(&stop).push(&colour(1)),
        Err(VideoError::Stopped)
    ));
    assert!(stream().push(&colour(1)).is_ok());
}

/// Ctrl-C inside a frame that takes long: what there is is whole, or there is nothing.
#[cfg(unix)]
#[test]
fn an_interrupted_frame_is_not_kept() {
    use std::time::Duration;
    const FRAMES: usize = 8;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    y4m(&at("in.y4m"), &[1; FRAMES].map(colour));
    let child = Command::new(env!("CARGO_BIN_EXE_visim"))
        .current_dir(folder.path())
        .args(["video", "in.y4m", "--scale", "8192x8192", "--sharpen"])
        .args(["-o", "out.y4m"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let entries = || std::fs::read_dir(folder.path()).unwrap().count();
    // Work has begun where the unfinished file is there.
    for _ in 0..600 {
        if entries() > 1 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(500));
    let interrupted = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    let done = child.wait_with_output().unwrap();
    match done.status.code() {
        Some(2) => {
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(said.contains("stopped before the first frame"), "{said}");
            assert_eq!(entries(), 1, "no temporary file is left");
        }
        // A machine that makes a frame of that size in half a second.
        Some(1) => {
            let mut reader = Reader::open(&at("out.y4m"), None, None).unwrap();
            let mut count = 0;
            while reader.read().unwrap().is_some() {
                count += 1;
            }
            assert!((1..FRAMES).contains(&count), "{count}");
        }
        other => panic!("{other:?}: {done:?}"),
    }
}

/// Ctrl-C after the first of two frames, the other being waited for: one is there, the file is whole, the command says that it stopped.
#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_whole_frames() {
    interrupted_by("-INT");
    interrupted_by("-TERM");
}

#[cfg(unix)]
fn interrupted_by(signal: &str) {
    use std::io::{BufRead, BufReader, Write};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    y4m(&at("two.y4m"), &[colour(1), colour(2)]);
    let bytes = std::fs::read(at("two.y4m")).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_visim"))
        .current_dir(folder.path())
        .args(["video", "-", "-o", "out.y4m"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let frame = 64 * 32 * 3 / 2 + 6;
    let head = bytes.len() - 2 * frame;
    pipe.write_all(&bytes[..head + frame]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    // The second frame does not come: the pipe stays open and empty.
    let interrupted = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    let done = child.wait_with_output().unwrap();
    drop(pipe);
    assert_eq!(done.status.code(), Some(1));
    let first = BufReader::new(&done.stdout[..])
        .lines()
        .next()
        .unwrap()
        .unwrap();
    assert!(first.starts_with("stopped: "), "{first}");
    let mut reader = Reader::open(&at("out.y4m"), None, None).unwrap();
    let mut count = 0;
    while reader.read().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 1);
    let entries = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(entries, 2, "no temporary file is left");
}

/// The picture itself is the best reference there is, and another alignment is a worse one.
#[test]
fn results_are_measured_against_a_reference() {
    let folder = tempfile::tempdir().unwrap();
    let photo = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/images/photo.png");
    let run = |more: &[&str], out: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_visim"))
            .current_dir(folder.path())
            .arg("video")
            .arg(&photo)
            .args(["--scale", "96x64", "--filter", "bilinear", "-o", out])
            .args(more)
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout) + &text(&output.stderr),
        )
    };
    assert_eq!(run(&["--align", "centre"], "centre.png").0, Some(0));
    let (code, same) = run(&["--align", "centre", "--reference", "centre.png"], "a.png");
    assert_eq!(code, Some(0), "{same}");
    assert!(same.contains("PSNR inf dB  SSIM 1.00000"), "{same}");
    let (code, other) = run(&["--reference", "centre.png"], "b.png");
    assert_eq!(code, Some(0), "{other}");
    assert!(other.contains("SSIM 0."), "{other}");
    let (code, size) = run(&["--reference", &photo.display().to_string()], "c.png");
    assert_eq!(code, Some(2), "{size}");
    assert!(size.contains("only the same can be compared"), "{size}");
}

#[test]
fn ten_bits_go_through_files_and_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let (width, height) = (32u16, 16u16);
    let mut clip = b"YUV4MPEG2 W32 H16 F25:1 Ip A1:1 C420p10\n".to_vec();
    clip.extend(b"FRAME\n");
    let luma = (0..height).flat_map(|y| (0..width).map(move |x| 20 * x + 7 * y));
    clip.extend(luma.flat_map(u16::to_le_bytes));
    clip.extend((0..2 * 16 * 8).flat_map(|_| 512u16.to_le_bytes()));
    let from = folder.path().join("in.y4m");
    std::fs::write(&from, &clip).unwrap();
    let visim = |arguments: &[&str]| -> Output {
        Command::new(env!("CARGO_BIN_EXE_visim"))
            .current_dir(folder.path())
            .args(arguments)
            .output()
            .unwrap()
    };
    let same = visim(&["video", "in.y4m", "-o", "same.y4m", "--reference", "in.y4m"]);
    let text = String::from_utf8_lossy(&same.stdout);
    assert!(text.contains("PSNR inf dB  SSIM 1.00000"), "{same:?}");
    let made = std::fs::read(folder.path().join("same.y4m")).unwrap();
    let frames = |clip: &[u8]| {
        let header = clip.iter().position(|byte| *byte == b'\n').unwrap();
        clip[header..].to_vec()
    };
    assert!(frames(&made) == frames(&clip), "the codes are others");
    let twice = [
        "video",
        "in.y4m",
        "-o",
        "twice.y4m",
        "--scale",
        "64x32",
        "--filter",
        "bilinear",
    ];
    assert!(visim(&twice).status.success());
    let made = std::fs::read(folder.path().join("twice.y4m")).unwrap();
    let header = String::from_utf8_lossy(&made[..60]).into_owned();
    assert!(
        header.contains("W64 H32") && header.contains("C420p10"),
        "{header}"
    );
    let start = made.windows(6).position(|w| w == b"FRAME\n").unwrap() + 6;
    let codes = made[start..]
        .as_chunks::<2>()
        .0
        .iter()
        .map(|c| u16::from_le_bytes(*c));
    let codes: Vec<u16> = codes.collect();
    assert_eq!(codes.len(), 64 * 32 + 2 * 32 * 16);
    // Corners are the same, and every second pixel lies half-way between two.
    assert_eq!(codes[..4], [0, 10, 20, 30]);
    assert_eq!(codes[64..68], [4, 14, 24, 34]);
    // Bytes for pictures; fields are made of bytes alone.
    assert!(
        visim(&["video", "in.y4m", "-o", "one.png"])
            .status
            .success()
    );
    let denoised = visim(&["video", "in.y4m", "-o", "n.y4m", "--denoise"]);
    assert!(String::from_utf8_lossy(&denoised.stderr).contains("10 bits"));
    assert_eq!(denoised.status.code(), Some(2));
    let at = clip.len() - 1;
    clip[at] = 0xff;
    std::fs::write(&from, &clip).unwrap();
    let wide = visim(&["video", "in.y4m", "-o", "n.y4m"]);
    assert!(
        String::from_utf8_lossy(&wide.stderr).contains("1023"),
        "{wide:?}"
    );
}
