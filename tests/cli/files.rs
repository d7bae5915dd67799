//! Surfaces from texture files and pictures, and their parts into files.

use ddsfile::{
    AlphaMode, D3D10ResourceDimension, D3DFormat, Dds, DxgiFormat, NewD3dParams, NewDxgiParams,
};
use pretty_assertions::assert_eq;
use std::path::Path;
use visim::internals::harness::run_result::RunResult;
use visim::internals::harness::session::{Options, file_layer, start};
use visim::internals::source::Source;
use visim::internals::surface::file::{ALL_LEVELS, encode_picture, load_picture};
use visim::internals::surface::texture::{is_texture, load_texture};
use visim::internals::surface::{Description, Format, Image, Kind, Picture, Surface, Tiling};

fn start_state() -> Description {
    Description::d2(Format::R8_UNORM, 0, 0)
}

fn load(bytes: &[u8]) -> Result<Surface, String> {
    assert!(is_texture(bytes));
    load_texture(Path::new("t"), bytes, &start_state(), None).map_err(|e| e.what)
}

/// The bytes 1, 2, 3 … as the texels of a file.
fn counted(len: usize) -> Vec<u8> {
    (1..=len).map(|i| i as u8).collect()
}

fn dxgi(
    format: DxgiFormat,
    size: (u32, u32),
    depth: Option<u32>,
    levels: u32,
    layers: u32,
    cube: bool,
) -> Vec<u8> {
    let dimension = match depth {
        Some(_) => D3D10ResourceDimension::Texture3D,
        None => D3D10ResourceDimension::Texture2D,
    };
    let mut dds = Dds::new_dxgi(NewDxgiParams {
        height: size.1,
        width: size.0,
        depth,
        format,
        mipmap_levels: Some(levels),
        array_layers: Some(layers),
        caps2: None,
        is_cubemap: cube,
        resource_dimension: dimension,
        alpha_mode: AlphaMode::Unknown,
    })
    .expect("a texture");
    dds.data = counted(4096);
    let mut bytes = Vec::new();
    dds.write(&mut bytes).expect("written");
    bytes
}

/// The texels of every image of a surface, in the order of the file, are the bytes 1, 2, 3 ….
fn in_order(surface: &Surface, order: impl Iterator<Item = Image>) {
    let mut next = 1u8;
    for image in order {
        assert!(surface.has_image(image), "{image:?}");
        for byte in surface.image(image) {
            assert_eq!(byte, next, "{image:?}");
            next = next.wrapping_add(1);
        }
    }
}

fn image(level: u32, slice: u32) -> Image {
    Image {
        level,
        slice,
        sample: 0,
    }
}

#[test]
fn dds_cubes_arrays_volumes_and_blocks_keep_their_texels() {
    // A cube counts as one element of an array in the header.
    let mut bytes = dxgi(DxgiFormat::R8_UNorm, (8, 8), None, 4, 1, true);
    let cube = load(&bytes).expect("a cube");
    assert_eq!((cube.kind(), cube.description().levels), (Kind::Cube, 4));
    in_order(
        &cube,
        (0..6).flat_map(|face| (0..4).map(move |level| image(level, face))),
    );

    let array = load(&dxgi(DxgiFormat::R16_UNorm, (5, 3), None, 3, 3, false)).expect("an array");
    assert!(array.description().array);
    in_order(
        &array,
        (0..3).flat_map(|slice| (0..3).map(move |level| image(level, slice))),
    );

    let volume = load(&dxgi(DxgiFormat::R8_UNorm, (6, 4), Some(5), 3, 1, false)).expect("a volume");
    assert_eq!(volume.kind(), Kind::D3);
    let depths = [5, 2, 1];
    in_order(
        &volume,
        (0..3).flat_map(|level| (0..depths[level as usize]).map(move |z| image(level, z))),
    );

    let blocks = load(&dxgi(
        DxgiFormat::BC7_UNorm_sRGB,
        (10, 9),
        None,
        4,
        1,
        false,
    ))
    .expect("blocks");
    assert_eq!(blocks.format().name, "BC7_UNORM_SRGB");
    in_order(&blocks, (0..4).map(|level| image(level, 0)));

    // The same elements under another name, in tiles.
    bytes = dxgi(DxgiFormat::R8G8B8A8_UNorm, (8, 8), None, 1, 1, false);
    let twin = Format::named("R8G8B8A8_UNORM_SRGB").expect("format");
    let tiled = Description {
        tiling: Tiling::Y,
        ..start_state()
    };
    let srgb = load_texture(Path::new("t"), &bytes, &tiled, Some(twin)).expect("a twin");
    assert_eq!(
        (srgb.format(), srgb.description().tiling),
        (twin, Tiling::Y)
    );
    in_order(&srgb, std::iter::once(image(0, 0)));
    let other = load_texture(Path::new("t"), &bytes, &tiled, Some(Format::R8_UNORM));
    assert!(other.expect_err("refused").what.contains("elements"));
}

#[test]
fn old_dds_headers_name_their_formats_too() {
    for (format, name) in [
        (D3DFormat::A8R8G8B8, "B8G8R8A8_UNORM"),
        (D3DFormat::DXT5, "BC3_UNORM"),
        (D3DFormat::L8, "L8_UNORM"),
        (D3DFormat::R5G6B5, "B5G6R5_UNORM"),
    ] {
        let params = NewD3dParams {
            height: 8,
            width: 8,
            depth: None,
            format,
            mipmap_levels: None,
            caps2: None,
        };
        let mut bytes = Vec::new();
        Dds::new_d3d(params)
            .expect("a texture")
            .write(&mut bytes)
            .expect("written");
        if format == D3DFormat::L8 {
            // The flags: the writer leaves "luminance" out.
            bytes[80..84].copy_from_slice(&0x2_0000u32.to_le_bytes());
        }
        assert_eq!(load(&bytes).expect(name).format().name, name);
    }
}

/// A KTX2 file: header, index of levels, the levels themselves (VkFormat 9 is R8_UNORM).
fn ktx2(format: u32, size: (u32, u32, u32), layers: u32, faces: u32, levels: &[usize]) -> Vec<u8> {
    let mut bytes = b"\xabKTX 20\xbb\r\n\x1a\n".to_vec();
    for word in [
        format,
        1,
        size.0,
        size.1,
        size.2,
        layers,
        faces,
        levels.len() as u32,
        0,
    ] {
        bytes.extend(word.to_le_bytes());
    }
    // Data format descriptor, key values, global data: a descriptor of just its size.
    let index = 80 + 24 * levels.len() as u32;
    for word in [index, 4, 0, 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend([0; 16]);
    let mut at = u64::from(index) + 4;
    for len in levels {
        for word in [at, *len as u64, *len as u64] {
            bytes.extend(word.to_le_bytes());
        }
        at += *len as u64;
    }
    bytes.extend(4u32.to_le_bytes());
    bytes.extend(counted(levels.iter().sum()));
    bytes
}

#[test]
fn ktx2_levels_hold_all_slices() {
    let bytes = ktx2(9, (4, 4, 0), 3, 1, &[48, 12, 3]);
    let array = load(&bytes).expect("an array");
    assert_eq!(
        (array.format(), array.description().depth),
        (Format::R8_UNORM, 3)
    );
    in_order(
        &array,
        (0..3).flat_map(|level| (0..3).map(move |slice| image(level, slice))),
    );
    let cube = load(&ktx2(9, (2, 2, 0), 0, 6, &[24])).expect("a cube");
    assert_eq!(cube.kind(), Kind::Cube);
    let volume = load(&ktx2(9, (2, 2, 2), 0, 1, &[8, 1])).expect("a volume");
    assert_eq!((volume.kind(), volume.level_size(1)), (Kind::D3, (1, 1, 1)));
    let bc7 = load(&ktx2(145, (4, 4, 0), 0, 1, &[16])).expect("blocks");
    assert_eq!(bc7.format().name, "BC7_UNORM");
}

#[test]
fn damaged_textures_are_refused_and_allocate_nothing() {
    let whole = dxgi(DxgiFormat::R8_UNorm, (64, 64), None, 7, 2, false);
    assert!(load(&whole[..whole.len() - 4096]).is_err());
    assert!(load(&whole[..40]).is_err());
    let mut huge = whole.clone();
    // Height and width.
    huge[12..20].copy_from_slice(&[0, 64, 0, 0, 0, 64, 0, 0]);
    assert!(load(&huge).expect_err("refused").contains("the file"));
    let texture = ktx2(9, (4, 4, 0), 3, 1, &[48, 12, 3]);
    let mut seed = 1u32;
    for whole in [&whole, &texture] {
        for _ in 0..2000 {
            let mut bytes = whole[..whole.len().min(400)].to_vec();
            for _ in 0..3 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = 12 + (seed >> 8) as usize % 136;
                bytes[at] = (seed >> 24) as u8;
            }
            let _ = load(&bytes);
        }
    }
    let mut squeezed = texture.clone();
    squeezed[44] = 2;
    assert!(
        load(&squeezed)
            .expect_err("refused")
            .contains("supercompressed")
    );
}

#[test]
fn lower_levels_are_means_in_linear_light() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("p.png");
    let column = |x: u32| {
        if x.is_multiple_of(2) {
            [0, 0, 0, 65535]
        } else {
            [65535; 4]
        }
    };
    let pixels = (0..12).map(|i| column(i % 4)).collect();
    let picture = Picture {
        width: 4,
        height: 3,
        pixels,
    };
    let encoded = encode_picture(&picture).expect("a picture");
    std::fs::write(&path, encoded).expect("written");
    let levels = |name: &str| {
        let format = Format::named(name).expect("format");
        let d = Description {
            levels: ALL_LEVELS,
            ..Description::d2(format, 0, 0)
        };
        let surface = load_picture(&visim::internals::files::Disk, &path, d, true).expect("loaded");
        assert_eq!(surface.description().levels, 3);
        [1, 2].map(|level| surface.image(image(level, 0))[0])
    };
    // Half the light: code 128 where codes are light, 188 where they are sRGB's.
    assert_eq!(levels("R8G8B8A8_UNORM"), [128, 128]);
    assert_eq!(levels("R8G8B8A8_UNORM_SRGB"), [188, 188]);
}

#[test]
fn parts_of_a_surface_are_saved() {
    let text = "\
// SURFACE T6: new 4x4 R8_UNORM slices=3 levels=2
// SAVE T6 level=1 slice=2 = part.raw
// SAVE T6 level=1 = part.png
// SAVE T6=all.raw
// SAVE T6 slice=3 = none.raw
// SAVE T6 plane=1 = none.raw
// SAVE T6 sample=1 = none.raw
.version 4.1
.kernel \"k\"
.decl T6 v_type=T num_elts=1
    ret (M1, 1)
";
    let (layer, found) = file_layer(Source::new("k.visa", text), Path::new("k.visa"));
    let layers = [layer];
    let session = start(&layers, found, &Options::default()).unwrap_or_else(|r| panic!("{r:?}"));
    let surface = session.bindings.surfaces.values().next().expect("bound");
    surface.set_image(image(1, 2), &[1, 2, 3, 4]);
    let saves = &layers[0].directives.saves;
    let saved = |n: usize| session.saved(&saves[n]).map_err(|d| d.code);
    assert_eq!(saved(0), Ok(vec![1, 2, 3, 4]));
    assert!(saved(1).expect("a picture").starts_with(b"\x89PNG"));
    assert_eq!(saved(2).expect("rows").len(), 48);
    for n in 3..6 {
        assert_eq!(saved(n), Err(visim::internals::diagnostic::Code::E0757));
    }
    let (_, found) = file_layer(
        Source::new("k.visa", "// SAVE T6 levle=1 = x.raw"),
        Path::new("k"),
    );
    assert_eq!(found[0].help.as_deref(), Some("did you mean level=1?"));
}

/// The binary form: a text is written, read by every command, taken apart; a file cut short is told as that.
#[test]
fn binaries_are_written_and_read() {
    use super::folder::{folder, holds, said};
    let text = "\
.version 4.1
.kernel \"sum\"
.decl V32 v_type=G type=d num_elts=8 align=GRF
.decl P1 v_type=P num_elts=8
    mov (M1, 8) V32(0,0)<1> 0x28:d
    (P1) add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 0x2:d
    add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 0x2:d
    ret (M1, 1)
";
    let folder = folder(&[("k.visa", text)]);
    let listed = said(&folder, &["encode", "k.visa:5"], 0);
    holds(
        &listed,
        &[
            "opcode     29",
            "Dst        002000000000000002",
            "Src0       050128000000",
        ],
    );
    holds(
        &said(&folder, &["encode", "k.visa", "-o", "k.isa"], 0),
        &["wrote k.isa"],
    );
    holds(
        &said(&folder, &["run", "k.isa", "--dump", "V32"], 0),
        &["42 42 42 42"],
    );
    holds(
        &said(&folder, &["fmt", "k.isa"], 0),
        &["add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 0x2:d"],
    );
    for command in ["check", "lower"] {
        said(&folder, &[command, "k.isa"], 0);
    }
    let record = "290300000020000000000000020501280000 00";
    let decoded = ["decode", "--visa", record, "--declarations", "k.visa"];
    holds(
        &said(&folder, &decoded, 0),
        &["mov (M1, 8) V32(0,0)<1> 0x28:d"],
    );
    holds(
        &said(&folder, &["decode", "--visa", record], 1),
        &["E0660", "--declarations FILE"],
    );
    holds(
        &said(&folder, &["decode", "--visa", "29"], 1),
        &["E0660", "the bytes end here"],
    );
    holds(
        &said(&folder, &["decode", "--visa", "290"], 2),
        &["a byte has two digits, here are 3"],
    );
    holds(
        &said(&folder, &["decode", "--visa", "2"], 2),
        &["hexadecimal"],
    );
    holds(
        &said(&folder, &["explain", "k.visa:5"], 0),
        &["binary    version 4.1", "Exec_size"],
    );
    // The oldest of the two versions, and one that is not written.
    said(
        &folder,
        &["encode", "k.visa", "-o", "old.isa", "--version", "3.6"],
        0,
    );
    holds(&said(&folder, &["fmt", "old.isa"], 0), &[".version 3.6"]);
    said(&folder, &["encode", "k.visa", "--version", "4.2"], 2);
    // Records without their last fields.
    let bytes = std::fs::read(folder.path().join("k.isa")).expect("written");
    std::fs::write(folder.path().join("short.isa"), &bytes[..bytes.len() - 9]).expect("written");
    let short = said(&folder, &["check", "short.isa"], 2);
    holds(&short, &["short.isa", "lies outside the file"]);
    let newer = text.replace(
        "    ret",
        "    lsc_load.ugm (M1, 8) V32:d32 flat[V32]:a32\n    ret",
    );
    std::fs::write(folder.path().join("new.visa"), newer).expect("written");
    holds(
        &said(&folder, &["encode", "new.visa"], 1),
        &["N0661", "no record of `lsc_load`"],
    );
    let large = text.replace("num_elts=8 align=GRF", "num_elts=70000 align=GRF");
    std::fs::write(folder.path().join("large.visa"), large).expect("written");
    holds(
        &said(&folder, &["encode", "large.visa"], 1),
        &["E0661", "16 bits"],
    );
}
