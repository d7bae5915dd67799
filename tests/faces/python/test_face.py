"""What the package takes and gives: texts, arrays, shapes, errors, threads."""

import inspect
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import visim

ROOT = Path(__file__).parents[3]

ADD = """.version 4.1
.kernel "add"
.decl V32 v_type=G type=d num_elts=8 align=GRF
    add (M1, 8) V32(0,0)<1> V32(0,0)<1;1,0> 2:d
    ret (M1, 1)
"""

INVERT = """.version 4.1
.kernel "invert"
.decl V32 v_type=G type=ub num_elts=32 align=GRF
.decl T6 v_type=T num_elts=1
    media_ld.nomod (8,4) T6 0 0:ud 0:ud V32.0
    not (M1, 32) V32(0,0)<1> V32(0,0)<1;1,0>
    media_st.nomod (8,4) T6 0 0:ud 0:ud V32.0
    ret (M1, 1)
"""


def test_a_run_is_shown_as_a_page(tmp_path):
    outcome = visim.run(ADD, registers={"V32": np.arange(8)}, steps=True)
    assert list(outcome.registers["V32"]) == list(range(2, 10))
    page = outcome.show(height=400)
    frame = page._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and 'height="400"' in frame
    assert "<script" not in frame and "&lt;script" in frame
    page.save(tmp_path / "page.html")
    assert "add (M1, 8) V32(0,0)" in (tmp_path / "page.html").read_text("utf-8")
    same = visim.Program(ADD, platform="dg2").run(steps=True)
    assert '"platform":"dg2"' in same.show().html
    with pytest.raises(ValueError, match="steps=True"):
        visim.run(ADD).show()
    with pytest.raises(visim.Error):
        visim.run("nonsense\nnonsense", steps=True)


def test_registers_go_in_and_come_back():
    values = np.arange(8, dtype=np.int32)
    outcome = visim.run(ADD, registers={"V32": values})
    np.testing.assert_array_equal(outcome.registers["V32"], values + 2)
    assert outcome.registers["V32"].dtype == np.int32
    assert (outcome.thread_count, outcome.instruction_count) == (1, 2)
    assert "V32" in outcome.registers and "V99" not in outcome.registers


def test_numbers_become_what_the_variable_is():
    assert visim.run(ADD, registers={"V32": [1, 2, 3]}).registers["V32"][:4].tolist() == [3, 4, 5, 2]
    wide = np.arange(8, dtype=np.int64)
    np.testing.assert_array_equal(visim.run(ADD, registers={"V32": wide}).registers["V32"], wide + 2)
    bits = np.full(8, 1.5, np.float32)
    np.testing.assert_array_equal(visim.run(ADD, registers={"V32": bits}).registers["V32"], bits.view(np.int32) + 2)
    for wrong in ([0.5], [1 << 40], np.array([1 << 40])):
        with pytest.raises(ValueError, match="V32"):
            visim.run(ADD, registers={"V32": wrong})


def test_registers_look_into_the_run_without_a_copy():
    outcome = visim.run(ADD)
    first, second = outcome.registers["V32"], outcome.registers["V32"]
    assert first.__array_interface__["data"] == second.__array_interface__["data"]
    with pytest.raises(ValueError):
        first[0] = 1
    del outcome, second
    assert first.tolist() == [2] * 8


def test_a_program_runs_many_times():
    program = visim.Program(ADD, platform="dg2")
    assert (program.name, program.platform) == ("add", "dg2")
    assert program.variables["V32"] == visim.Variable("V32", np.dtype(np.int32), 8)
    for n in range(3):
        assert program.run(registers={"V32": np.int32(n)}).registers["V32"][0] == n + 2


def test_all_threads():
    text = ADD.replace("2:d", "%thread_x(0,0)<0;1,0>")
    outcome = visim.run(text, threads=(3, 2), all_threads=True)
    assert [int(outcome.registers_of(n)["V32"][0]) for n in range(6)] == [0, 1, 2, 0, 1, 2]
    with pytest.raises(KeyError):
        visim.run(text, threads=(3, 2)).registers_of(5)["V32"]


@pytest.mark.parametrize(
    "dtype, channels, name",
    [
        (np.uint8, 1, "R8_UNORM"), (np.uint8, 4, "R8G8B8A8_UNORM"), (np.uint16, 2, "R16G16_UNORM"), (np.int8, 1, "R8_SNORM"),
        (np.uint32, 1, "R32_UINT"), (np.int32, 4, "R32G32B32A32_SINT"), (np.float16, 4, "R16G16B16A16_FLOAT"),
        (np.float32, 1, "R32_FLOAT"),
    ],
)  # fmt: skip
def test_the_dtype_names_the_format(dtype, channels, name):
    shape = (4, 32) if channels == 1 else (4, 32, channels)
    texels = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    outcome = visim.run(INVERT, surfaces={"T6": texels})
    assert outcome.surface("T6").format() == name
    assert outcome.surface("T6").size() == (32, 4)
    assert outcome.surfaces["T6"].shape == shape and outcome.surfaces["T6"].dtype == dtype
    model = texels.copy()
    model.view(np.uint8).reshape(4, -1)[:, :8] ^= 0xFF
    np.testing.assert_array_equal(outcome.surfaces["T6"].view(np.uint8), model.view(np.uint8))


@pytest.mark.parametrize(
    "words, shape, dtype",
    [
        ("R8_UNORM 16x8", (8, 16), np.uint8), ("R16G16_FLOAT 16x8", (8, 16, 2), np.float16),
        ("R10G10B10A2_UNORM 16x8", (8, 16), np.uint32), ("BC1_UNORM 16x8", (64,), np.uint8),
        ("R8_UINT 16x8 depth=3 type=2d array=3", None, None),
    ],
)  # fmt: skip
def test_surfaces_of_words_have_the_shape_of_their_format(words, shape, dtype):
    text = ADD.replace('"add"\n', '"add"\n.decl T6 v_type=T num_elts=1\n')
    if shape is None:
        with pytest.raises(visim.Error):
            visim.run(text, surfaces={"T6": words})
        return
    texels = visim.run(text, surfaces={"T6": words}).surfaces["T6"]
    assert texels.shape == shape and texels.dtype == dtype


def test_order_and_strides_of_an_array_do_not_matter():
    texels = np.random.default_rng(5).integers(0, 256, (8, 4), np.uint8).T
    outcome = visim.run(INVERT, surfaces={"T6": texels})
    np.testing.assert_array_equal(outcome.surfaces["T6"], ~texels)
    big = np.arange(8, dtype=">i4")
    np.testing.assert_array_equal(visim.run(ADD, registers={"V32": big}).registers["V32"], big + 2)


def test_a_surface_goes_from_run_to_run_in_place():
    first = visim.run(INVERT, surfaces={"T6": np.zeros((4, 8), np.uint8)})
    second = visim.run(INVERT, surfaces={"T6": first.surface("T6")})
    assert not second.surfaces["T6"].any() and not first.surfaces["T6"].any()
    with pytest.raises(KeyError):
        first.surface("T9")


def test_an_error_carries_the_report():
    with pytest.raises(visim.Error) as refused:
        visim.run(ADD.replace("V32(0,0)<1> V32", "V33(0,0)<1> V32"))
    (diagnostic,) = refused.value.report
    assert (diagnostic.code, diagnostic.class_, diagnostic.line) == ("E0202", "error", 4)
    assert "<text>:4:17" in str(refused.value)
    again = pickle.loads(pickle.dumps(refused.value))
    assert str(again) == str(refused.value) and again.diagnostics[0] == diagnostic


def test_what_cannot_be_taken_is_named():
    with pytest.raises(FileNotFoundError):
        visim.run("missing.visa")
    with pytest.raises(ValueError, match="it knows"):
        visim.run(ADD, platform="voodoo")
    with pytest.raises(TypeError, match="float64"):
        visim.run(INVERT, surfaces={"T6": np.zeros((4, 8))})
    with pytest.raises(ValueError, match="channels"):
        visim.run(INVERT, surfaces={"T6": np.zeros((4, 8, 3), np.uint8)})
    with pytest.raises(TypeError, match="numbers"):
        visim.run(INVERT, surfaces={"T6": np.array(["a"])})
    with pytest.raises(visim.Error) as refused:
        visim.run(INVERT, surfaces={"T6": "R8_UNORN 8x4"})
    assert refused.value.report[0].line == 1


def test_a_run_that_is_too_long_ends():
    with pytest.raises(visim.Error) as refused:
        visim.run(FOR_EVER, max_instructions=1000)
    assert refused.value.report[0].code == "L0602"


FOR_EVER = ADD.replace("    add", "again:\n    add").replace("    ret", "    jmp (M1, 1) again\n    ret")


def test_other_threads_go_on_during_a_run():
    """Without the GIL released the main thread would stand still for the whole run."""
    seen = []

    def work():
        begin = time.perf_counter()
        with pytest.raises(visim.Error):
            visim.run(FOR_EVER, max_instructions=200_000)
        seen.append((begin, time.perf_counter()))

    thread = threading.Thread(target=work)
    ticks = []
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    ((begin, end),) = seen
    gaps = np.diff([begin] + [t for t in ticks if begin < t < end] + [end])
    assert gaps.max() < (end - begin) / 2, f"{gaps.max():.3f} s of {end - begin:.3f} s"


def test_runs_side_by_side_are_those_in_turn():
    program = visim.Program(ADD)
    left = [None] * 8

    def work(n):
        left[n] = [int(program.run(registers={"V32": [n * m]}).registers["V32"][0]) for m in range(20)]

    threads = [threading.Thread(target=work, args=[n]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert left == [[n * m + 2 for m in range(20)] for n in range(8)]


def test_files_are_found_from_the_program_s_own_folder(tmp_path, monkeypatch):
    picture = np.arange(32, dtype=np.uint8)
    (tmp_path / "in.raw").write_bytes(picture.tobytes())
    (tmp_path / "k.visa").write_text("// SURFACE T6: raw in.raw R8_UNORM 8x4\n" + INVERT)
    outcome = visim.run(tmp_path / "k.visa")
    np.testing.assert_array_equal(outcome.registers["V32"], ~picture)
    monkeypatch.chdir(tmp_path)
    np.testing.assert_array_equal(visim.run("k.visa").registers["V32"], ~picture)


def test_the_blocks_of_the_readme_run(monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = (ROOT / "README.md").read_text("utf-8").split("```python\n")[1:]
    assert blocks
    for block in blocks:
        exec(compile(block.split("\n```")[0], "README.md", "exec"), {})


def test_every_sample_runs():
    for path in sorted((ROOT / "samples").glob("*.visa")):
        known_to_stop = "//~" in path.read_text()
        if not known_to_stop:
            assert visim.run(path).instruction_count > 0, path


def test_the_command_line_is_in_the_package(tmp_path):
    run = [sys.executable, "-m", "visim"]
    passed = subprocess.run([*run, "test", str(ROOT / "samples" / "01-first-mov.visa")], capture_output=True, text=True)
    assert passed.returncode == 0 and "1 passed" in passed.stdout, passed.stderr
    assert subprocess.run([*run, "nonsense"], capture_output=True).returncode == 2


def test_everything_public_is_documented_and_typed():
    package = Path(visim.__file__).parent
    assert (package / "py.typed").is_file() and (package / "_visim.pyi").is_file()
    for name in visim.__all__:
        own = getattr(visim, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(own), name
        for member, value in vars(own).items() if inspect.isclass(own) else []:
            if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{member}"


def test_the_stub_has_the_names_of_the_module():
    from visim import _visim

    stub = (Path(visim.__file__).parent / "_visim.pyi").read_text()
    for name in dir(_visim):
        own = getattr(_visim, name)
        if not name.startswith("_") and name != "Bytes":
            assert f"class {name}" in stub or f"def {name}(" in stub, name
        for member in vars(own) if inspect.isclass(own) else []:
            if not member.startswith("_"):
                assert f"def {member}(" in stub, f"{name}.{member}"
