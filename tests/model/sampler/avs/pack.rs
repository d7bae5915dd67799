//! How a block of samples lies in the destination.

use pretty_assertions::assert_eq;
use visim::internals::isa::{AvsControl, AvsMode, ChannelMask};
use visim::internals::message::AvsRequest;
use visim::internals::sampler::avs::{Block, Packing, packed_bytes};

fn request(channels: &str, control: u8, mode: u8) -> AvsRequest {
    let mask = |mask, c| mask | 1 << "RGBA".find(c).unwrap();
    AvsRequest {
        channels: ChannelMask(channels.chars().fold(0, mask)),
        control: AvsControl::ALL[usize::from(control)].0,
        mode: AvsMode::ALL[usize::from(mode)].0,
        ..AvsRequest::ORIGIN
    }
}

#[test]
fn sizes_are_those_of_the_table() {
    // AVS reference 2.2; columns 16x4, 8x4, 16x8, 4x4.
    let table: &[(&str, u8, bool, [usize; 4])] = &[
        ("G", 0, false, [128, 64, 256, 32]),
        ("RB", 0, false, [256, 128, 512, 64]),
        ("RGB", 0, false, [384, 192, 768, 96]),
        ("RGBA", 0, false, [512, 256, 1024, 128]),
        ("RGBA", 1, false, [384, 192, 768, 96]),
        ("RGBA", 2, false, [256, 128, 512, 64]),
        ("RGBA", 3, false, [192, 96, 384, 48]),
        ("RGB", 3, false, [128, 64, 256, 32]),
        ("RG", 3, false, [96, 48, 192, 24]),
        ("RG", 3, true, [128, 64, 192, 32]),
        ("R", 3, true, [64, 32, 64, 16]),
        ("GA", 3, false, [128, 64, 256, 32]),
        ("GA", 3, true, [128, 64, 256, 32]),
    ];
    for &(channels, control, shuffle, sizes) in table {
        let found = [0, 1, 2, 3].map(|m| packed_bytes(&request(channels, control, m), shuffle));
        assert_eq!(found, sizes, "{channels} {control} {shuffle}");
    }
}

/// The picture of AVS reference 2.3: R = 16y + x, G, B, A 40h, 80h, c0h more.
fn picture() -> Block {
    let mut block = Block::new(16);
    for (c, samples) in block.channels.iter_mut().enumerate() {
        for (i, sample) in samples.iter_mut().take(128).enumerate() {
            *sample = ((i + 0x40 * c) as u16 & 0xff) << 8;
        }
    }
    block
}

fn pack(request: &AvsRequest, shuffle: bool) -> Vec<u8> {
    let packing = Packing::new(request, shuffle);
    let mut dst = vec![0xee; packing.bytes() + 4];
    packing.write(&picture(), &mut dst);
    assert_eq!(dst.split_off(packing.bytes()), [0xee; 4]);
    dst
}

#[test]
fn a_decimated_channel_that_is_not_enabled_keeps_its_space_when_shuffled() {
    // AVS reference 2.3 (c): RG, 16x4, 8-bit decimated, shuffle on.
    let dst = pack(&request("RG", 3, 0), true);
    assert_eq!(dst[..8], [0x00, 0x02, 0x04, 0x06, 0x10, 0x12, 0x14, 0x16]);
    assert_eq!(
        dst[0x10..0x1a],
        [0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x50, 0x51]
    );
    assert_eq!(dst[0x30..0x40], [0xee; 16]);
    assert_eq!(dst[0x40..0x45], [0x08, 0x0a, 0x0c, 0x0e, 0x18]);
    assert_eq!(dst[0x50..0x52], [0x48, 0x49]);
    assert_eq!(dst[0x70..], [0xee; 16]);
}

#[test]
fn rows_four_to_seven_come_after_all_channels() {
    // AVS reference 2.3 (e): RGBA, 16x8, 16 bits: channels at 000h, 080h, ... and 200h, ...
    let dst = pack(&request("RGBA", 0, 2), false);
    let word = |at: usize| u16::from_le_bytes([dst[at], dst[at + 1]]);
    assert_eq!(
        [word(0), word(2), word(0x20), word(0x80)],
        [0, 0x100, 0x1000, 0x4000]
    );
    assert_eq!(
        [word(0x200), word(0x280), word(0x300), word(0x3fe)],
        [0x4000, 0x8000, 0xc000, 0x3f00]
    );
}

#[test]
fn small_blocks_are_rasters_of_their_own_width() {
    // AVS reference 2.3 (f), RB, 8x4: B row r at 40h + 10h r. The picture's rows are 16 apart.
    let dst = pack(&request("RB", 0, 1), true);
    assert_eq!(
        (dst[0x11], dst[0x1f], dst[0x41], dst[0x51]),
        (0x10, 0x17, 0x80, 0x90)
    );
}
