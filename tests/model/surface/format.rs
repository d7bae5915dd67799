//! Surface formats: what an element means.

use visim::internals::surface::format::{Cell, ChannelType, Format, Origin, Use};
#[test]
fn names_and_codes_are_unique_and_found() {
    assert_eq!(Format::all().count(), 266 + 5);
    for format in Format::all() {
        assert_eq!(Format::named(format.name), Some(format));
        if format.origin != Origin::Media {
            assert_eq!(Format::from_code(format.code), Some(format));
        }
    }
    // Reserved codes have a row with the reason, and no use.
    assert!(Format::from_code(0x0dd).unwrap().is_reserved());
    assert_eq!(Format::from_code(0x40a), None);
}

#[test]
fn support_counts_are_those_of_the_reference() {
    // Surface reference 1.1: 125 sampler-readable, 57 render targets, 16 with shadow compare and
    // 16 with chroma key on Ironlake.
    let count = |what| Format::all().filter(|f| f.used_for(what)).count();
    assert_eq!(count(Use::Sample), 125);
    assert_eq!(count(Use::RenderTarget), 57);
    assert_eq!(count(Use::Shadow), 16);
    assert_eq!(count(Use::ChromaKey), 16);
}

#[test]
fn channels_lie_where_the_row_says() {
    let format = Format::named("B5G6R5_UNORM").unwrap();
    let red = format.channel(b'R').unwrap();
    assert_eq!((red.ty, red.bits, red.shift), (ChannelType::Unorm, 5, 11));
    assert_eq!(Format::YCRCB_SWAPY.channel(b'y').unwrap().shift, 24);
    assert_eq!(
        Format::YCRCB_SWAPY.cell(),
        Cell {
            across: 2,
            down: 1,
            bytes: 4
        }
    );
    assert!(!Format::YCRCB_SWAPY.has_alpha() && Format::R8G8B8A8_UNORM.has_alpha());
}
