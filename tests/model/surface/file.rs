//! Surfaces from files and to files: pictures (PNG, BMP, PNM), and plain rows (raw, NV12, P010, I420, YUY2 …)..

use std::path::Path;
use visim::internals::files::Disk;
use visim::internals::surface::file::{
    encode_picture, load_picture, load_rows, plain_description, read_picture,
};
use visim::internals::surface::pattern::photo;
use visim::internals::surface::{Description, Format, Picture};
fn save(picture: &Picture, path: &Path) {
    std::fs::write(path, encode_picture(picture).unwrap()).unwrap();
}
use pretty_assertions::assert_eq;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn pictures_come_back_from_png_in_every_shape() {
    let folder = folder();
    let path = folder.path().join("p.png");
    let colour = photo(31, 17, 3);
    let mut shapes = vec![colour.clone()];
    shapes.push(Picture {
        pixels: colour
            .pixels
            .iter()
            .map(|p| [p[0], p[0], p[0], 65535])
            .collect(),
        ..colour
    });
    let through: Vec<_> = shapes[0]
        .pixels
        .iter()
        .map(|p| [p[0], p[1], p[2], p[1]])
        .collect();
    shapes.push(Picture {
        pixels: through,
        ..shapes[0]
    });
    shapes.push(Picture {
        pixels: shapes[0].pixels.iter().map(|p| p.map(|v| v ^ 1)).collect(),
        ..shapes[0]
    });
    for picture in shapes {
        save(&picture, &path);
        assert_eq!(read_picture(&Disk, &path).unwrap(), picture);
    }
}

#[test]
fn surfaces_take_their_size_from_the_picture() {
    let folder = folder();
    let path = folder.path().join("p.png");
    let picture = photo(32, 16, 1);
    save(&picture, &path);
    let surface = load_picture(
        &Disk,
        &path,
        Description::d2(Format::B8G8R8A8_UNORM, 0, 0),
        false,
    )
    .unwrap();
    assert_eq!(
        (surface.description().width, surface.description().height),
        (32, 16)
    );
    assert_eq!(Picture::of(&surface).unwrap(), picture);
    let nv12 = load_picture(
        &Disk,
        &path,
        Description::d2(Format::PLANAR_420_8, 0, 0),
        false,
    )
    .unwrap();
    assert_eq!(nv12.plain_bytes(), 32 * 16 * 3 / 2);
    let wrong =
        load_picture(&Disk, &path, Description::d2(Format::R8_UNORM, 8, 8), false).unwrap_err();
    assert_eq!(wrong.what, "the picture has 32×16 texels, not 8×8");
    let bc1 = Format::named("BC1_UNORM").unwrap();
    assert!(load_picture(&Disk, &path, Description::d2(bc1, 0, 0), false).is_err());
}

#[test]
fn plain_files_hold_whole_frames() {
    let folder = folder();
    let path = folder.path().join("video.nv12");
    std::fs::write(&path, (0..48).collect::<Vec<u8>>()).unwrap();
    let nv12 = || plain_description("nv12", 4, 4).unwrap();
    let frame = |n| {
        load_rows(&Disk, &path, nv12(), n)
            .map(|s| s.to_rows())
            .map_err(|e| e.what)
    };
    assert_eq!(frame(1).unwrap(), (24..48).collect::<Vec<u8>>());
    assert_eq!(
        frame(2).unwrap_err(),
        "frame 2 does not exist: the file has 2"
    );
    let null = Description {
        kind: visim::internals::surface::Kind::Null,
        ..plain_description("raw", 6, 8).unwrap()
    };
    let none = load_rows(&Disk, &path, null, 0).unwrap_err();
    assert_eq!(none.what, "a null surface cannot be loaded from a file");
    let short = load_rows(&Disk, &path, plain_description("yuy2", 6, 6).unwrap(), 0).unwrap_err();
    assert_eq!(short.what, "the file has 48 bytes; 6×6 YCRCB_NORMAL are 72");
    assert_eq!(frame(0).unwrap(), (0..24).collect::<Vec<u8>>());
}

#[test]
fn damaged_and_missing_files_say_so() {
    let folder = folder();
    let path = folder.path().join("bad.png");
    assert!(
        read_picture(&Disk, &path)
            .unwrap_err()
            .help
            .contains("name")
    );
    save(&photo(32, 32, 0), &path);
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(
        read_picture(&Disk, &path)
            .unwrap_err()
            .help
            .contains("cut short")
    );
    std::fs::write(&path, b"hello").unwrap();
    assert!(read_picture(&Disk, &path).is_err());
    // A header that promises far too much is refused before anything is allocated.
    std::fs::write(&path, b"P6 60000 60000 255\n").unwrap();
    assert_eq!(
        read_picture(&Disk, &path).unwrap_err().what,
        "the picture has 60000×60000 texels"
    );
}
