//! Bit fields: which bits of some 32-bit words hold a value, and how the value is written for people.

use visim::internals::base::bits::{Field, Meaning, Number};
#[test]
fn fields_run_on_into_the_next_words() {
    let field = Field::new("ADDRESS", 1, 47, 9, "").number(Number::Address);
    let mut words = [u32::MAX; 4];
    assert_eq!(field.parse("0x0123456789ab"), None);
    let raw = field.parse("0x012345678a00").unwrap();
    field.put_raw(&mut words, raw).unwrap();
    assert_eq!(words, [u32::MAX, 0x4567_8bff, 0xffff_0123, u32::MAX]);
    assert_eq!(field.raw(&words), raw);
    assert_eq!(field.spelled(&words), "0x12345678a00");
    assert_eq!([1, 2, 3].map(|dw| field.mask_in(dw)), [!0x1ff, 0xffff, 0]);
    let wide = field.put_raw(&mut words, 1 << 39).unwrap_err();
    assert_eq!(
        wide.to_string(),
        "549755813888 does not fit ADDRESS (bits 47:9)"
    );
    assert!(field.put(&mut words[..2], 0).is_err());
}

#[test]
fn values_are_spelled_and_parsed_alike() {
    let names = Meaning::Names(&[(0, "1D"), (1, "2D")]);
    for (field, raw, text) in [
        (Field::new("type", 0, 31, 29, "").means(names), 1, "2D"),
        (
            Field::new("width", 0, 18, 6, "").means(Meaning::LessOne("texels")),
            63,
            "64 texels",
        ),
        (
            Field::new("block", 0, 5, 3, "").means(Meaning::Log2("GOB")),
            2,
            "4 GOBs",
        ),
        (
            Field::new("pitch", 3, 15, 0, "").number(Number::Scaled(5)),
            13,
            "416",
        ),
        (
            Field::new("bias", 0, 12, 0, "").number(Number::SignedFixed(8)),
            0x1fc0,
            "-0.25",
        ),
        (
            Field::new("all", 1, 63, 0, ""),
            u64::MAX >> 11,
            "9007199254740991",
        ),
    ] {
        let mut words = [0; 4];
        field.put_raw(&mut words, raw).unwrap();
        assert_eq!(field.spelled(&words), text);
        assert_eq!(field.parse(text), Some(raw), "{field}");
    }
}

#[test]
fn one_line_for_people() {
    let length = Field::new("message length", 0, 28, 25, "registers");
    assert_eq!(
        length.line(&[2 << 25], 16),
        "28:25  message length   2        registers"
    );
}
