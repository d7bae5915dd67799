//! Files of frames: Y4M, raw bytes, numbered PNG pictures.

use visim::internals::video::colour::Range;
use visim::internals::video::files::{Kind, Reader, Scan, Writer};
use visim::internals::video::picture::{Picture, Sampling};
use visim::internals::video::raw::Raw;
fn counted(width: u32, height: u32, sampling: Sampling) -> Picture {
    let mut picture = Picture::new(width, height, sampling).unwrap();
    let mut code = 0u8;
    for byte in picture.planes.iter_mut().flatten() {
        code = code.wrapping_add(7);
        *byte = code;
    }
    picture
}

fn kind(picture: &Picture) -> Kind {
    Kind {
        rate: (30, 1),
        ..Kind::new((picture.width, picture.height), picture.sampling)
    }
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("a.y4m", None, Sampling::S420),
        ("b.y4m", None, Sampling::S422),
        ("c.y4m", None, Sampling::Grey),
        ("d.y4m", None, Sampling::S444),
        ("e.raw", Some(Raw::Nv12), Sampling::S420),
        ("f.raw", Some(Raw::I420), Sampling::S420),
        ("g.raw", Some(Raw::Yuy2), Sampling::S422),
        ("h.raw", Some(Raw::Grey), Sampling::Grey),
    ];
    for (name, raw, sampling) in cases {
        let picture = counted(6, 4, sampling);
        let path = folder.path().join(name);
        let mut writer = Writer::create(&path, raw, &kind(&picture)).unwrap();
        writer.push(&picture).unwrap();
        writer.push(&picture).unwrap();
        assert!(!path.exists(), "{name} appears when it is complete");
        writer.finish().unwrap();
        let mut reader = Reader::open(&path, raw, raw.map(|_| (6, 4))).unwrap();
        assert_eq!(reader.kind().frames, Some(2), "{name}");
        assert_eq!(reader.read().unwrap().as_ref(), Some(&picture), "{name}");
        assert_eq!(reader.read().unwrap().as_ref(), Some(&picture), "{name}");
        assert_eq!(reader.read().unwrap(), None, "{name}");
    }
    let picture = counted(5, 3, Sampling::Rgba);
    let path = folder.path().join("p-%03d.png");
    let mut writer = Writer::create(&path, None, &kind(&picture)).unwrap();
    writer.push(&picture).unwrap();
    writer.finish().unwrap();
    assert!(folder.path().join("p-000.png").exists());
    let mut reader = Reader::open(folder.path(), None, None).unwrap();
    assert_eq!(reader.read().unwrap(), Some(picture));
}

#[test]
fn broken_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let open = |bytes: &[u8]| {
        let path = folder.path().join("x.y4m");
        std::fs::write(&path, bytes).unwrap();
        Reader::open(&path, None, None).and_then(|mut r| r.read())
    };
    assert!(open(b"").is_err());
    assert!(open(b"YUV4MPEG2 W99999999999999999999 H2\nFRAME\n").is_err());
    assert!(open(b"YUV4MPEG2 W100000 H100000\nFRAME\n").is_err());
    assert!(open(b"YUV4MPEG2 W4 H4 C420p10\nFRAME\n").is_err());
    // A frame that is not there is the end.
    assert!(matches!(open(b"YUV4MPEG2 W4 H4\n"), Ok(None)));
    let told = |bytes: &[u8], words: &str| {
        let text = open(bytes).unwrap_err().to_string();
        assert!(text.contains(words), "{text}");
    };
    told(b"YUV4MPEG W4 H4\n", "is not a Y4M stream");
    told(b"YUV4MPEG2 W4 H4", "is not a Y4M stream");
    told(b"YUV4MPEG2 W4\nFRAME\n", "no height");
    told(b"YUV4MPEG2 W4 H-4\nFRAME\n", "H-4");
    told(
        b"YUV4MPEG2 W4 H4 C411\nFRAME\n",
        "C411: visim reads Cmono, C420",
    );
    told(b"YUV4MPEG2 W4 H4 F0:0\nFRAME\n", "F0:0 is not a frame rate");
    told(b"YUV4MPEG2 W4 H4 F25\nFRAME\n", "F25 is not a frame rate");
    told(
        b"YUV4MPEG2 W4 H4 F4294967295:1\nFRAME\n",
        "not a frame rate",
    );
    told(
        b"YUV4MPEG2 W4 H4 A1:0\nFRAME\n",
        "A1:0 is not a pixel aspect",
    );
    told(
        b"YUV4MPEG2 W4 H4 Ix\nFRAME\n",
        "Ix is not a kind of interlacing",
    );
    let raw = folder.path().join("x.raw");
    std::fs::write(&raw, [0; 30]).unwrap();
    let mut reader = Reader::open(&raw, Some(Raw::I420), Some((4, 4))).unwrap();
    assert!(reader.read().unwrap().is_some());
    assert!(reader.read().is_err());
    assert!(Reader::open(&raw, Some(Raw::I420), Some((3, 4))).is_err());
    assert!(Reader::open(&raw, Some(Raw::I420), None).is_err());
    assert!(Reader::open(&folder.path().join("no.y4m"), None, None).is_err());
}

#[test]
fn header_words_are_kept_and_follow_the_frames() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("a.y4m"), folder.path().join("b.y4m"));
    let frame = [&b"FRAME\n"[..], &[7; 24]].concat();
    let header = |words: &str| {
        std::fs::write(&first, [words.as_bytes(), b"\n", &frame].concat()).unwrap();
        let mut reader = Reader::open(&first, None, None).unwrap();
        assert_eq!(reader.kind().frames, Some(1));
        let picture = reader.read().unwrap().unwrap();
        (reader.kind().clone(), picture)
    };
    let again = |kind: &Kind, picture: &Picture| {
        let mut writer = Writer::create(&second, None, kind).unwrap();
        writer.push(picture).unwrap();
        writer.finish().unwrap();
        let bytes = std::fs::read(&second).unwrap();
        let line = bytes.split(|&b| b == b'\n').next().unwrap();
        String::from_utf8(line.to_vec()).unwrap()
    };
    let (kind, picture) =
        header("YUV4MPEG2 W4 H4 F30000:1001 Ib A59:54 C420mpeg2 XCOLORRANGE=FULL Xmore");
    assert_eq!((kind.scan, kind.range()), (Scan::BottomFirst, Range::Full));
    assert_eq!(
        again(&kind, &picture),
        "YUV4MPEG2 W4 H4 F30000:1001 XCOLORRANGE=FULL Xmore C420mpeg2 Ib A59:54"
    );
    // Nothing said: nothing written. 1:1 is not the same as nothing.
    let (kind, picture) = header("YUV4MPEG2 W4 H4 F25:1 A0:0 I?");
    assert_eq!(again(&kind, &picture), "YUV4MPEG2 W4 H4 F25:1 C420");
    let (kind, picture) = header("YUV4MPEG2 W4 H4 A1:1 Ip C420jpeg");
    assert_eq!(
        again(&kind, &picture),
        "YUV4MPEG2 W4 H4 F25:1 C420jpeg Ip A1:1"
    );
    // Half as wide, a quarter as high: pixels are twice as wide and four times as high, 1:2.
    assert_eq!(kind.clone().scaled((2, 1)).aspect, Some((1, 2)));
    assert_eq!(kind.scaled((4, 4)).aspect, Some((1, 1)));
    // Fields survive another width, but not another height.
    let fields = Kind {
        scan: Scan::TopFirst,
        ..Kind::new((8, 4), Sampling::S420)
    };
    assert_eq!(fields.clone().scaled((4, 4)).scan, Scan::TopFirst);
    assert_eq!(fields.scaled((8, 8)).scan, Scan::Unknown);
}

#[test]
fn planes_become_what_a_file_holds() {
    let folder = tempfile::tempdir().unwrap();
    let mut red = Picture::new(4, 2, Sampling::Rgba).unwrap();
    let (texels, _) = red.planes[0].as_chunks_mut::<4>();
    texels.fill([255, 0, 0, 255]);
    for (name, raw, sampling) in [
        ("a.y4m", None, Sampling::S444),
        ("b.nv12", None, Sampling::S420),
        ("c.yuy2", None, Sampling::S422),
        ("d.i420", None, Sampling::S420),
        ("e.yuv", Some(Raw::Nv12), Sampling::S420),
    ] {
        let path = folder.path().join(name);
        let mut writer = Writer::create(&path, raw, &kind(&red)).unwrap();
        assert!(writer.drops_alpha());
        writer.push(&red).unwrap();
        writer.finish().unwrap();
        let size = (raw.is_some() || name != "a.y4m").then_some((4, 2));
        let mut reader = Reader::open(&path, raw, size).unwrap();
        let found = reader.read().unwrap().unwrap();
        assert_eq!(found.sampling, sampling, "{name}");
        let pixels: Vec<u8> = found.planes.iter().map(|plane| plane[0]).collect();
        assert_eq!(pixels, [82, 90, 240], "{name}: red of BT.601");
    }
}

#[test]
fn pictures_go_to_a_name_a_folder_or_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let frame = counted(5, 3, Sampling::Rgba);
    let write = |name: &str, count: usize| {
        let mut writer = Writer::create(&at(name), None, &kind(&frame))?;
        (0..count).try_for_each(|_| writer.push(&frame))?;
        writer.finish()
    };
    write("one.png", 1).unwrap();
    assert!(at("one.png").is_file());
    let two = write("two.png", 2).unwrap_err().to_string();
    assert!(
        two.contains("two-%04d.png") && two.contains("two/"),
        "{two}"
    );
    assert!(!at("two.png").exists());
    write("new/", 3).unwrap();
    assert!(at("new/0002.png").is_file() && !at("new/0003.png").exists());
    let mut reader = Reader::open(&at("new/%04d.png"), None, None).unwrap();
    assert_eq!(reader.kind().frames, Some(3));
    assert_eq!(reader.read().unwrap(), Some(frame.clone()));
    // Pictures that are read are not written over.
    let writer = Writer::create(&at("new"), None, &kind(&frame)).unwrap();
    assert!(writer.replaces(&at("new/0001.png")) && !writer.replaces(&at("one.png")));
    assert!(Reader::open(&at("no-%d.png"), None, None).is_err());
    assert!(Reader::open(folder.path(), None, Some((5, 3))).is_err());
}
