"""Programs and launches as tests of pytest."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
pytest_plugins = ["pytester"]

PROGRAM = """// SET V32 = 40:d
// EXPECT V32 dec: two more
//   {}
.version 4.1
.kernel "k"
.decl V32 v_type=G type=d num_elts=1 align=dword
    add (M1, 1) V32(0,0)<1> V32(0,0)<0;1,0> 2:d
    ret (M1, 1)
"""


@pytest.fixture
def folder(pytester):
    pytester.plugins = []
    (pytester.path / "right.visa").write_text(PROGRAM.format(42))
    return pytester


def run(folder, *options):
    return folder.runpytest_subprocess("-q", *options)


def test_a_program_is_a_test(folder):
    (folder.path / "notes.txt").write_text("not a program")
    run(folder).assert_outcomes(passed=1)


def test_a_failure_has_the_report(folder):
    (folder.path / "wrong.visaasm").write_text(PROGRAM.format(43))
    result = run(folder)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*error[[]E0710]*", "*wrong.visaasm:3:*"])


def test_what_is_known_to_fail_and_what_expects_nothing(folder):
    known = "// known-failing because: the model is not written\n" + PROGRAM.format(43)
    (folder.path / "known.visa").write_text(known)
    (folder.path / "empty.visa").write_text("".join(PROGRAM.splitlines(True)[3:]))
    run(folder).assert_outcomes(passed=1, xfailed=1, failed=1)
    run(folder, "-o", "visim_options=--allow-empty").assert_outcomes(passed=2, xfailed=1)


def test_a_wrong_option_is_named(folder):
    result = run(folder, "-o", "visim_options=--no-such-option")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*--no-such-option*"])


def test_launches_are_tests(folder):
    kernels = ROOT / "samples" / "kernels"
    for name in ("52-soften.bin", "52-soften.launch.json", "52-in.bin", "52-out.bin"):
        shutil.copy(kernels / name, folder.path)
    sums = [path for path in kernels.iterdir() if path.name.startswith("28-")]
    for path in sums:
        shutil.copy(path, folder.path)
    # Data files and descriptions are none.
    run(folder).assert_outcomes(passed=3)
    (folder.path / "52-out.bin").write_bytes(bytes(32))
    run(folder).assert_outcomes(passed=2, failed=1)
