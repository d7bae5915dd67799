//! Render target writes: colours of up to sixteen slots become pixels.

use pretty_assertions::assert_eq;
use visim::internals::dataport::target::Pixels;
use visim::internals::dataport::touch::TouchLog;
use visim::internals::diagnostic::Class;
use visim::internals::surface::{
    Description, Format, Generation, LineStride, Refused, Surface, Tiling,
};

/// Without an observer.
fn write(surface: &Surface, pixels: &Pixels) -> Result<(), Refused> {
    visim::internals::dataport::target::write(surface, pixels, TouchLog::NONE)
}

/// Four subspans side by side from x on, each slot with a red of slot/16 and full alpha.
fn pixels(x: u32, y: u32) -> Pixels {
    Pixels {
        enables: 0xffff,
        corners: [0, 2, 4, 6].map(|dx| (x + dx, y)),
        index: 0,
        colours: std::array::from_fn(|slot| [slot as f32 / 15.0, 0.0, 0.5, 1.0].map(f32::to_bits)),
        replicated: false,
    }
}

fn reds(surface: &Surface) -> Vec<u8> {
    surface.to_rows().chunks(4).map(|p| p[0]).collect()
}

#[test]
fn slots_lie_in_subspans_of_two_by_two() {
    let target = Surface::zeroed(Description::d2(Format::R8G8B8A8_UNORM, 8, 2)).unwrap();
    write(&target, &pixels(0, 0)).unwrap();
    // Red of slot n is n/15 · 255 = 17 n; 0.5 · 255 = 127.5 rounds to 128.
    let expected = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15].map(|n| 17 * n);
    assert_eq!(reds(&target), expected);
    assert_eq!(target.to_rows()[4..8], [17, 0, 128, 255]);
}

#[test]
fn only_enabled_pixels_inside_are_written() {
    let target = Surface::zeroed(Description::d2(Format::R8_UNORM, 4, 1)).unwrap();
    let mut some = pixels(1, 0);
    some.enables = 0b0011_0010;
    write(&target, &some).unwrap();
    // Slot 1 at x = 2, slot 4 at x = 3; slot 5 at x = 4 and all of row 1 are outside.
    assert_eq!(target.to_rows(), [0, 0, 17, 68]);
    some.corners = [(u32::from(u16::MAX), u32::from(u16::MAX)); 4];
    write(&target, &some).unwrap();
    assert_eq!(target.to_rows(), [0, 0, 17, 68]);
}

#[test]
fn an_array_index_out_of_range_becomes_the_first_element() {
    let array = Description::d2_array(Format::R8_UNORM, 8, 2, 2);
    let target = Surface::zeroed(array).unwrap();
    for (index, slice) in [(0, 0), (1, 1), (2, 0), (2047, 0)] {
        let mut one = pixels(0, 0);
        (one.enables, one.index) = (1 << 15, index);
        target.memory().write(0, &vec![0; target.memory().len()]);
        write(&target, &one).unwrap();
        let found = target.load_texel(0, slice, 7, 1, 0).unwrap()[0];
        assert_eq!(f32::from_bits(found), 1.0, "{index}");
    }
}

#[test]
fn the_level_written_is_the_one_of_the_field() {
    let levels = Description {
        levels: 2,
        ..Description::d2(Format::R8_UNORM, 16, 4)
    };
    let target = Surface::zeroed(levels).unwrap();
    let mut one = pixels(0, 0);
    one.enables = 1 << 15;
    write(&target, &one).unwrap();
    // Slot 15 is at (7, 1), the lower right texel of level 1.
    let found = target.load_texel(1, 0, 7, 1, 0).unwrap()[0];
    assert_eq!(f32::from_bits(found), 1.0);
    assert_eq!(target.load_texel(0, 0, 7, 1, 0).unwrap()[0], 0);
}

#[test]
fn pixels_that_share_chroma_are_written_together() {
    let packed = Description::d2(Format::named("YCRCB_NORMAL").unwrap(), 8, 2);
    let class = |d: &Description, pixels: &Pixels| {
        write(&Surface::zeroed(d.clone()).unwrap(), pixels).map_err(|r| r.class)
    };
    let target = Surface::zeroed(packed.clone()).unwrap();
    let mut some = pixels(0, 0);
    some.colours[1][1] = 1.0f32.to_bits();
    write(&target, &some).unwrap();
    // Y of each pixel from its green, Cb and Cr of the even one's blue and red: slots 0 and 1, then 4 and 5.
    assert_eq!(target.to_rows()[..8], [0, 128, 255, 0, 0, 128, 0, 68]);
    assert_eq!(class(&packed, &pixels(1, 0)), Err(Class::Undefined));
    // The lower left pixel of subspan 1 without the one beside it.
    let mut killed = pixels(0, 0);
    killed.enables = 0xffff & !(1 << 7);
    assert_eq!(class(&packed, &killed), Err(Class::Undefined));
    killed.enables &= !(1 << 6);
    assert_eq!(class(&packed, &killed), Ok(()));
    let disabled = Description {
        write_disable: 1,
        ..packed
    };
    assert_eq!(class(&disabled, &pixels(0, 0)), Err(Class::Error));
}

#[test]
fn disabled_components_keep_their_bits() {
    let disabled = Description {
        write_disable: 0b1001,
        ..Description::d2(Format::B8G8R8A8_UNORM, 8, 2)
    };
    let target = Surface::zeroed(disabled).unwrap();
    target.memory().write(0, &[0x55; 64]);
    write(&target, &pixels(0, 0)).unwrap();
    // B G R A in memory; R and A are kept.
    assert_eq!(target.to_rows()[60..], [128, 0, 0x55, 0x55]);
    let narrow = Description {
        write_disable: 0b0010,
        ..Description::d2(Format::named("B5G6R5_UNORM").unwrap(), 8, 2)
    };
    let target = Surface::zeroed(narrow).unwrap();
    target.memory().write(0, &[0xff; 32]);
    write(&target, &pixels(0, 0)).unwrap();
    // Slot 15, red 31, blue 0.5 · 31 = 15.5 rounds to 16, the six bits of green as they were.
    let last = u16::from_le_bytes([target.to_rows()[30], target.to_rows()[31]]);
    assert_eq!(last, 31 << 11 | 63 << 5 | 16);
}

#[test]
fn what_cannot_be_is_refused_by_class() {
    let class = |d: Description, pixels: &Pixels| {
        write(&Surface::zeroed(d).unwrap(), pixels).map_err(|r| r.class)
    };
    let plain = Description::d2(Format::R8G8B8A8_UNORM, 8, 8);
    let field = Description {
        line_stride: LineStride::TopField,
        ..plain.clone()
    };
    assert_eq!(class(field, &pixels(0, 0)), Err(Class::Error));
    let blend = Description {
        blend: true,
        ..plain.clone()
    };
    assert_eq!(class(blend, &pixels(0, 0)), Err(Class::Unsupported));
    let replicated = Pixels {
        replicated: true,
        ..pixels(0, 0)
    };
    assert_eq!(class(plain.clone(), &replicated), Err(Class::Undefined));
    let tiled = Description {
        tiling: Tiling::X,
        ..plain
    };
    assert_eq!(class(tiled, &replicated), Ok(()));
    let line = Description::d1(Format::R8_UNORM, 8);
    assert_eq!(class(line.clone(), &pixels(0, 1)), Err(Class::Undefined));
    assert_eq!(class(line, &pixels(0, 0)), Ok(()));
    let wide = Description {
        tiling: Tiling::Y,
        generation: Generation::Gen5,
        ..Description::d2(Format::R32G32B32A32_FLOAT, 8, 8)
    };
    assert_eq!(class(wide.clone(), &pixels(0, 0)), Err(Class::Undefined));
    let later = Description {
        generation: Generation::Gen9,
        ..wide
    };
    assert_eq!(class(later, &pixels(0, 0)), Ok(()));
    let compressed = Description::d2(Format::named("BC1_UNORM").unwrap(), 8, 8);
    assert_eq!(class(compressed, &pixels(0, 0)), Err(Class::Error));
    assert_eq!(write(&Surface::null(), &pixels(0, 0)), Ok(()));
}
