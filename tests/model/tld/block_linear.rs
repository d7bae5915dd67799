//! Block-linear memory: from a texel's column, row and slice to its byte, as pure functions.

use visim::internals::tld::block_linear::{Block, Level, layer, shrunk};
#[test]
fn the_worked_2d_image() {
    let level = Level::new(
        [100, 37, 1],
        4,
        Block {
            height: 2,
            depth: 0,
        },
    );
    assert_eq!((level.blocks, level.bytes()), ([7, 2, 1], 0x7000));
    for (x, y, offset) in [
        (0, 0, 0x0),
        (1, 0, 0x4),
        (4, 0, 0x20),
        (8, 0, 0x100),
        (16, 0, 0x800),
        (0, 1, 0x10),
        (0, 2, 0x40),
        (0, 8, 0x200),
        (0, 32, 0x3800),
        (83, 30, 0x2ecc),
        (99, 36, 0x688c),
    ] {
        assert_eq!(level.offset(x * 4, y, 0), offset, "{x},{y}");
    }
}

#[test]
fn the_worked_3d_image() {
    let block = Block {
        height: 1,
        depth: 3,
    };
    let level = Level::new([40, 24, 20], 4, block);
    assert_eq!((level.blocks, level.bytes()), ([3, 2, 3], 0x24000));
    for (x, y, z, offset) in [
        (0, 0, 1, 0x400),
        (0, 8, 0, 0x200),
        (16, 0, 0, 0x2000),
        (0, 16, 0, 0x6000),
        (0, 0, 8, 0xc000),
        (39, 23, 19, 0x22cfc),
    ] {
        assert_eq!(level.offset(x * 4, y, z), offset, "{x},{y},{z}");
    }
    let extent = |l| [40, 24, 20].map(|n| shrunk(n, l));
    let (levels, _) = layer(extent, 4, block, 3);
    let sizes: Vec<_> = levels.iter().map(|(_, level)| level.bytes()).collect();
    assert_eq!(sizes, [0x24000, 0x8000, 0x1000, 0x400]);
    let blocks: Vec<_> = levels
        .iter()
        .map(|(_, l)| (l.block.height, l.block.depth))
        .collect();
    assert_eq!(blocks, [(1, 3), (1, 3), (0, 3), (0, 1)]);
}

#[test]
fn the_worked_levels() {
    let extent = |l| [200, 75, 1].map(|n| shrunk(n, l));
    let (levels, pitch) = layer(
        extent,
        4,
        Block {
            height: 4,
            depth: 0,
        },
        5,
    );
    let rows: Vec<_> = levels
        .iter()
        .map(|&(at, level)| (level.block.height, level.bytes(), at))
        .collect();
    let expected = [
        (4, 0x1a000, 0x0),
        (3, 0x7000, 0x1a000),
        (2, 0x2000, 0x21000),
        (1, 0x800, 0x23000),
        (0, 0x200, 0x23800),
        (0, 0x200, 0x23a00),
    ];
    assert_eq!(rows, expected);
    assert_eq!(pitch, 0x24000);
}
