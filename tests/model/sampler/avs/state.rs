//! Sampler state as the scaler reads it.

use visim::internals::sampler::avs::state::{AvsSampler, FilterType, TapMode};
use visim::internals::sampler::avs::tables::Table;
#[test]
fn an_empty_object_is_the_default() {
    let state: AvsSampler = serde_json::from_str("{}").unwrap();
    assert_eq!(state, AvsSampler::default());
}

#[test]
fn fields_are_read_by_the_names_of_the_reference() {
    let text = r#"{"tap_mode": 3, "avs_filter_type": "nearest", "table0x": "polyphase 0.5",
        "chroma_key_enable": true, "chroma_key_low": "0x00102030", "chroma_key_high": 4294967295}"#;
    let state: AvsSampler = serde_json::from_str(text).unwrap();
    let expected = AvsSampler {
        tap_mode: TapMode::EightAdaptive,
        avs_filter_type: FilterType::Nearest,
        table0x: Table::polyphase(0.5),
        chroma_key_enable: true,
        chroma_key_low: 0x0010_2030,
        chroma_key_high: 0xffff_ffff,
        ..AvsSampler::default()
    };
    assert_eq!(state, expected);
}

#[test]
fn a_wrong_field_says_what_is_wrong() {
    let message = |text| {
        serde_json::from_str::<AvsSampler>(text)
            .unwrap_err()
            .to_string()
    };
    assert!(message(r#"{"tap_mode": 4}"#).contains("tap_mode is 0..=3, not 4"));
    assert!(message(r#"{"transition_8": 8}"#).contains("0..=7, not 8"));
    assert!(message(r#"{"chroma_key_index": 4}"#).contains("0..=3, not 4"));
    assert!(message(r#"{"table1y": [[1]]}"#).contains("17 rows"));
    assert!(message(r#"{"sharpness": 1}"#).contains("unknown field `sharpness`"));
    assert!(message(r#"{"chroma_key_low": "12"}"#).contains("0xAARRGGBB"));
}
