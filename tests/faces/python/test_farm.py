"""The farm against `visim test`: the same reports, nothing lost, nothing twice, whatever happens to a worker."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from visim import farm

PROGRAM = """// SET V32 = {number}:d
// EXPECT V32 dec: two more
//   {wanted}
.version 4.1
.kernel "k"
.decl V32 v_type=G type=d num_elts=1 align=dword
    add (M1, 1) V32(0,0)<1> V32(0,0)<0;1,0> 2:d
    ret (M1, 1)
"""

COUNT = int(os.environ.get("VISIM_FARM_TESTS", "10000"))


def generate(folder, count):
    """So many tests, of which one of 97 fails, and one of 101 is known to."""
    for number in range(count):
        home = folder / "tests" / f"{number // 500:03}"
        home.mkdir(parents=True, exist_ok=True)
        wanted = number + 2 + (number % 97 == 0) + (number % 101 == 0)
        text = PROGRAM.format(number=number, wanted=wanted)
        if number % 101 == 0:
            text = "// known-failing because: generated so\n" + text
        (home / f"t{number:05}.visa").write_text(text)


def reports(folder, name):
    """The reports of a run, without times."""
    told = json.loads((folder / f"{name}.json").read_text())
    for case in told["cases"]:
        case.pop("time")
    xml = (folder / f"{name}.xml").read_text()
    return told, re.sub(r' (time|timestamp|uuid)="[^"]*"', "", xml)


def words(module, name):
    """A run of the tests with two reports."""
    command = [sys.executable, "-m", *module, "tests"]
    return [*command, "-q", f"--report=json={name}.json", f"--report=junit={name}.xml"]


def ancestors(process):
    """The processes that led to one, itself first."""
    while process > 1:
        yield process
        stat = Path(f"/proc/{process}/stat").read_text()
        process = int(stat.rsplit(")", 1)[1].split()[1])


def busy_worker_of(process):
    """A worker of the Ray that a process has started, which has a task, or None."""
    for entry in Path("/proc").iterdir():
        try:
            if (entry / "cmdline").read_bytes().startswith(b"ray::_work") and process in ancestors(int(entry.name)):
                return int(entry.name)
        except (OSError, ValueError):
            continue
    return None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="workers are looked for in /proc")
def test_ten_thousand_tests_and_a_worker_that_is_killed(tmp_path):
    pytest.importorskip("ray")
    generate(tmp_path, COUNT)
    alone = subprocess.run([*words(["visim", "test"], "alone"), "--jobs=2"], cwd=tmp_path)
    # Workers of Ray give way to all others; here nothing else should be waited for.
    surroundings = os.environ | {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    run = [*words(["visim.farm"], "farm"), "--workers=2", "--records=farm.jsonl"]
    with subprocess.Popen(run, cwd=tmp_path, env=surroundings, stderr=subprocess.PIPE, text=True) as running:
        growing = tmp_path / "farm.jsonl.part"
        killed = None
        while running.poll() is None and killed is None:
            under_way = growing.exists() and growing.stat().st_size > 0
            if under_way and (worker := busy_worker_of(running.pid)):
                os.kill(worker, signal.SIGKILL)
                killed = worker
            time.sleep(0.01)
        said = running.stderr.read()
    assert killed, said
    assert "run again" in said, said
    assert alone.returncode == running.returncode == 1, said
    assert reports(tmp_path, "farm") == reports(tmp_path, "alone")
    names = [json.loads(line)["name"] for line in (tmp_path / "farm.jsonl").read_text().splitlines()]
    assert len(names) == len(set(names)) == COUNT and names == sorted(names)
    assert not growing.exists()


class Workers:
    """Workers of which some tests are the end."""

    def __init__(self, deadly):
        self.deadly = deadly
        self.most = 0

    def start(self, batch):
        return id(batch), tuple(batch.files)

    def finish(self, handles):
        self.most = max(self.most, len(handles))
        # The last one first: records come in another order than tests.
        handle = handles[-1]

        def records():
            if self.deadly & set(handle[1]):
                raise farm.Lost("killed")
            return "".join(json.dumps({"name": file, "status": "passed"}) + "\n" for file in handle[1])

        return handle, records


def run_all(tmp_path, count, deadly):
    spool = farm.Spool(str(tmp_path / "records.jsonl"))
    lines = (json.dumps({"name": f"t{n}", "test": f"t{n}"}) for n in range(count))
    workers, said = Workers(deadly), []
    farm.run_all(farm._batches(lines, 8), workers.start, workers.finish, 4, spool, said.append)
    spool.end()
    records = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    return workers, records


def test_a_test_that_takes_its_worker_with_it_fails_alone(tmp_path):
    _, records = run_all(tmp_path, 61, {"t0", "t13", "t60"})
    assert [record["name"] for record in records] == [f"t{n}" for n in range(61)]
    failed = {record["name"]: record["message"] for record in records if record["status"] == "failed"}
    assert failed == {name: "its worker was lost 2 times: killed" for name in ("t0", "t13", "t60")}


def test_no_more_is_under_way_than_asked_for(tmp_path):
    workers, records = run_all(tmp_path, 1000, set())
    assert workers.most == 4 and len(records) == 1000


def test_records_that_are_missing_are_not_passed_over(tmp_path):
    spool = farm.Spool(str(tmp_path / "records.jsonl"))
    with pytest.raises(RuntimeError, match="2 tests from a on gave 1 records"):
        spool.add(farm.Batch(0, ["a", "b"]), "{}\n")
    spool.close()


def test_what_cannot_be_listed_ends_as_visim_test_does(tmp_path):
    run = subprocess.run([sys.executable, "-m", "visim.farm", "missing"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 2 and "missing" in run.stderr
