"""Media blocks and the video scaler against models in numpy."""

import numpy as np
import pytest

import visim

READ = """.version 4.1
.kernel "read"
.decl X v_type=G type=d num_elts=1 align=dword
.decl Y v_type=G type=d num_elts=1 align=dword
.decl V32 v_type=G type=ub num_elts=64 align=GRF
.decl T6 v_type=T num_elts=1
    media_ld.nomod (16,4) T6 0 X(0,0)<0;1,0> Y(0,0)<0;1,0> V32.0
    ret (M1, 1)
"""


@pytest.mark.parametrize("x, y", [(0, 0), (8, 3), (-4, -2), (24, 14), (31, 15), (-40, 90)])
def test_a_media_block_is_a_slice_of_the_array_with_its_edge_repeated(x, y):
    picture = np.random.default_rng(1).integers(0, 256, (16, 32), np.uint8)
    outcome = visim.run(READ, surfaces={"T6": picture}, registers={"X": x, "Y": y})
    rows = np.clip(np.arange(y, y + 4), 0, 15)
    # Outside, the dword at the edge is repeated; of one-byte texels each is the texel at the edge itself.
    columns = np.clip(np.arange(x, x + 16), 0, 31)
    np.testing.assert_array_equal(outcome.registers["V32"].reshape(4, 16), picture[np.ix_(rows, columns)])


WRITE = """.version 4.1
.kernel "tiles"
.decl V32 v_type=G type=ub num_elts=32 align=GRF
.decl P v_type=G type=ud num_elts=2 align=GRF
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
    mov (M1, 1) P(0,0)<1> %thread_x(0,0)<0;1,0>
    mov (M1, 1) P(0,1)<1> %thread_y(0,0)<0;1,0>
    shl (M1, 1) P(0,0)<1> P(0,0)<0;1,0> 3:ud
    shl (M1, 1) P(0,1)<1> P(0,1)<0;1,0> 2:ud
    media_ld.nomod (8,4) T6 0 P(0,0)<0;1,0> P(0,1)<0;1,0> V32.0
    not (M1, 32) V32(0,0)<1> V32(0,0)<1;1,0>
    media_st.nomod (8,4) T7 0 P(0,0)<0;1,0> P(0,1)<0;1,0> V32.0
    ret (M1, 1)
"""


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("tiling", ["linear", "X", "Y"])
def test_a_grid_inverts_a_picture_from_tiles_to_rows(jobs, tiling):
    picture = np.random.default_rng(2).integers(0, 256, (24, 40), np.uint8)
    surfaces = {"T6": visim.Surface(picture, f"tiling={tiling}"), "T7": "R8_UNORM 40x24"}
    outcome = visim.run(WRITE, surfaces=surfaces, threads=(5, 6), jobs=jobs)
    np.testing.assert_array_equal(outcome.surfaces["T7"], ~picture)
    np.testing.assert_array_equal(outcome.surfaces["T6"], picture)
    assert outcome.thread_count == 30


AVS = """.version 4.1
.kernel "avs"
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl U v_type=G type=f num_elts=1 align=dword
.decl V v_type=G type=f num_elts=1 align=dword
.decl OUT v_type=G type=uw num_elts=256 align=GRF
    avs.RGBA T6 S0 U(0,0)<0;1,0> V(0,0)<0;1,0> 0.03125:f 0.0625:f 0.0:f 0:ud 0:ud AVS_16_FULL 0.0:f AVS_16x4 0:ub OUT.0
    ret (M1, 1)
"""


@pytest.mark.parametrize("x, y", [(2, 1), (0, 0), (9, 7)])
def test_avs_packs_a_channel_after_the_other_and_eight_bits_after_the_point(x, y):
    picture = np.random.default_rng(3).integers(0, 256, (16, 32, 4), np.uint8)
    outcome = visim.run(
        AVS,
        surfaces={"T6": picture},
        samplers={"S0": "avs table0x=bilinear table0y=bilinear table1x=bilinear table1y=bilinear"},
        registers={"U": x / 32, "V": y / 16},
    )
    # Steps of one texel from a texel's place: no filter. 16 bits a pixel, the code in the upper eight. A channel has
    # 16 by 4 pixels, in blocks of 16 by 4.
    packed = outcome.registers["OUT"].reshape(4, 4, 16)
    rows, columns = np.clip(np.arange(y, y + 4), 0, 15), np.clip(np.arange(x, x + 16), 0, 31)
    model = picture[np.ix_(rows, columns)].astype(np.uint16) << 8
    np.testing.assert_array_equal(packed, np.moveaxis(model, 2, 0))


SAMPLE = """.version 4.1
.kernel "sample"
.decl U v_type=G type=f num_elts=8 align=GRF
.decl V v_type=G type=f num_elts=8 align=GRF
.decl OUT v_type=G type=f num_elts=16 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
    sample_lz.RG (M1, 8) 0x0:uw S0 T6 OUT.0 U.0 V.0
    ret (M1, 1)
"""


def test_a_linear_sample_is_the_mean_of_four_texels():
    texels = np.random.default_rng(4).integers(0, 64, (4, 8, 2)).astype(np.float32)
    u, v = (np.arange(8) % 7 + 1) / 8, np.array([1, 2, 3, 1, 2, 3, 1, 2]) / 4
    outcome = visim.run(
        SAMPLE,
        surfaces={"T6": texels},
        samplers={"S0": visim.Sampler("filter=linear address=clamp")},
        registers={"U": u, "V": v},
    )
    x, y = (u * 8).astype(int), (v * 4).astype(int)
    model = (texels[y, x] + texels[y - 1, x] + texels[y, x - 1] + texels[y - 1, x - 1]) / 4
    np.testing.assert_array_equal(outcome.registers["OUT"].reshape(2, 8), model.T)
