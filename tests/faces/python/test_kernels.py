"""Kernels of the corpus, as Intel's compiler wrote them, on fresh inputs, against models in numpy."""

from pathlib import Path

import numpy as np
import pytest

import visim

CORPUS = Path(__file__).parents[2] / "corpus" / "kernels"
DEVICES = ["skl", "tgllp", "dg2"]


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def launch(kernel, device, args):
    """Runs a kernel of the corpus with arguments of our own; the memory of its arguments."""
    folder = CORPUS / kernel
    text = folder / f"kernel.{device}.visaasm"
    return visim.run(text, launch=folder / "launch.json", args=args).arguments


def test_dilate_vec_u8(device, rng):
    stride = 72
    src = rng.integers(0, 256, 4752, np.uint8)
    left = launch("dilate_vec_u8", device, {"src": src, "dst": np.zeros((16, 64), np.uint8), "stride": stride})
    rows = src[: 66 * stride].reshape(66, stride)
    model = np.maximum.reduce([rows[0:16, :64], rows[1:17, :64], rows[2:18, :64], rows[1:17, 1:65]])
    np.testing.assert_array_equal(left["dst"], model)
    assert left["dst"].dtype == np.uint8 and left["dst"].shape == (16, 64)


def test_erode_cross(device, rng):
    src = rng.integers(0, 256, (21, 37), np.uint8)
    left = launch("erode_cross", device, {"src": src, "dst": np.zeros_like(src), "w": 37, "h": 21})
    wide = np.pad(src, 1, constant_values=255)
    model = np.minimum.reduce([wide[1:-1, 1:-1], wide[:-2, 1:-1], wide[2:, 1:-1], wide[1:-1, :-2], wide[1:-1, 2:]])
    np.testing.assert_array_equal(left["dst"], model)


def test_emboss_threshold(device, rng):
    src = rng.integers(0, 256, (26, 42), np.uint8)
    low, high = np.uint8(50), np.uint8(190)
    args = {"src": src, "dst": np.zeros((24, 40), np.uint8), "lo": low, "hi": high}
    left = launch("emboss_threshold", device, args)
    value = src[:-2, :-2].astype(int) - src[2:, 2:] + 128
    model = np.where(value < low, 0, np.where(value > high, 255, value)).astype(np.uint8)
    np.testing.assert_array_equal(left["dst"], model)


def test_rgba_to_gray(device, rng):
    src = rng.integers(0, 256, (1000, 4), np.uint8)
    left = launch("rgba_to_gray", device, {"src": src, "dst": np.full(1024, 7, np.uint8), "n": 1000})
    model = (src[:, :3].astype(int) @ [77, 150, 29] + 128) >> 8
    np.testing.assert_array_equal(left["dst"][:1000], model)
    assert (left["dst"][1000:] == 7).all()


def test_int_sad_blocks(device, rng):
    pitch = 44
    cur, ref = rng.integers(0, 256, (2, 36, pitch), np.uint8)
    args = {"cur": cur, "ref": ref, "dst": np.zeros((8, 10), np.uint32), "pitch": pitch}
    left = launch("int_sad_blocks", device, args)
    model = np.full((8, 10), 0xFFFFFFFF, np.uint32)
    for dy in range(4):
        for dx in range(4):
            far = np.abs(cur[:32, :40].astype(int) - ref[dy : dy + 32, dx : dx + 40])
            sums = far.reshape(8, 4, 10, 4).sum((1, 3))
            model = np.minimum(model, (sums << 8 | dy * 4 + dx).astype(np.uint32))
    np.testing.assert_array_equal(left["dst"], model)


def rotated(values, by):
    by = by & np.uint32(31)
    return (values << by) | (values >> ((np.uint32(32) - by) & np.uint32(31)))


def test_int_rotate_shift(device, rng):
    a, b = rng.integers(0, 1 << 32, (2, 256), np.uint32)
    left = launch("int_rotate_shift", device, {"a": a, "b": b, "dst": np.zeros((4, 256), np.uint32)})
    by = b & np.uint32(31)
    signed = (a.view(np.int32) >> by.astype(np.int32)).view(np.uint32)
    model = [
        rotated(a, b),
        (a << by) | (a >> ((0 - b) & np.uint32(31))),
        signed ^ (a >> np.uint32(7)) ^ (a << np.uint32(11)),
        rotated(a, np.uint32(13)) + rotated(b, np.uint32(5)),
    ]
    np.testing.assert_array_equal(left["dst"], model)


def leading_zeros(values):
    return np.array([32 - int(v).bit_length() for v in values], np.uint32)


def test_int_bit_counts(device, rng):
    a, b = rng.integers(0, 1 << 32, (2, 256), np.uint32)
    left = launch("int_bit_counts", device, {"a": a, "b": b, "dst": np.zeros((4, 256), np.uint32)})
    model = [
        leading_zeros(a >> (b & np.uint32(31))) + 100 * np.bitwise_count(a ^ b).astype(np.uint32),
        leading_zeros(a & np.uint32(0xFFFF)) + np.bitwise_count(b),
        a & (0 - a),
        leading_zeros(a & b & (b << np.uint32(3)) & (a >> np.uint32(2))),
    ]
    np.testing.assert_array_equal(left["dst"], model)


def test_flow_collatz(device, rng):
    src = rng.integers(1, 5000, 200, np.uint32)
    left = launch("flow_collatz", device, {"src": src, "dst": np.zeros((200, 2), np.uint32), "limit": np.uint32(90)})
    model = []
    for n in map(int, src):
        steps, top = 0, n
        while n != 1 and steps < 90:
            n = 3 * n + 1 if n & 1 else n >> 1
            top, steps = max(top, n), steps + 1
        model.append((steps, top))
    np.testing.assert_array_equal(left["dst"], model)


def test_math_mandelbrot(device):
    x0, y0, step = np.float32(-1.75), np.float32(-0.875), np.float32(0.046875)
    args = {"dst": np.zeros((36, 48), np.uint8), "x0": float(x0), "y0": y0, "step": step, "limit": 40}
    left = launch("math_mandelbrot", device, args)
    cx = x0 + np.arange(48, dtype=np.float32) * step
    cy = (y0 + np.arange(36, dtype=np.float32) * step)[:, None]
    x, y = np.zeros((2, 36, 48), np.float32)
    count = np.zeros((36, 48), np.uint8)
    for _ in range(40):
        inside = x * x + y * y <= 4
        x, y = np.where(inside, x * x - y * y + cx, x), np.where(inside, 2 * x * y + cy, y)
        count += inside
    np.testing.assert_array_equal(left["dst"], count)


def test_matmul_naive(device, rng):
    a, b = rng.integers(-64, 64, (2, 24, 24)).astype(np.float32)
    left = launch("matmul_naive", device, {"a": a, "b": b, "c": np.zeros((24, 24), np.float32), "n": 24})
    # Whole numbers: each sum is exact in any order.
    np.testing.assert_array_equal(left["c"], a @ b)


def test_arguments_in_order_and_the_caller_s_own_array_is_left_alone():
    src = np.arange(4000, dtype=np.uint8)
    folder = CORPUS / "rgba_to_gray"
    dst = np.zeros(1024, np.uint8)
    outcome = visim.run(folder / "kernel.skl.visaasm", launch=folder / "launch.json", args=[src, dst, 1000])
    assert outcome.arguments[1].any() and not dst.any()
    np.testing.assert_array_equal(outcome.arguments["1"], outcome.arguments["dst"])
    assert list(outcome.arguments) == ["0", "1"]


def test_an_argument_that_the_kernel_does_not_have():
    with pytest.raises(visim.Error) as refused:
        launch("rgba_to_gray", "skl", {"scr": np.zeros(4000, np.uint8)})
    (diagnostic,) = refused.value.report
    assert diagnostic.code == "E0643" and diagnostic.help == "did you mean src?"


def test_a_program_with_its_text_inside():
    program = CORPUS.parents[2] / "samples" / "kernels" / "52-soften.bin"
    values = np.array([0, 8, 8, 0], np.float32)
    what = {"global_size": 4, "args": {"in": values, "out": np.zeros(4, np.float32)}}
    for outcome in (visim.run(program, **what), visim.run(program.read_bytes(), **what)):
        assert outcome.arguments["out"][1] == 6
        assert outcome.printed == "4 values, the first becomes 2.00\n"
