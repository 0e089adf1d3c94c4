"""The commands that measure, as a reader types them: to their end, stopped, and killed."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest

from ppslab.judge import costs
from ppslab.measure import calibration
from ppslab.measure.calibration.experiment import Options, calibrate
from ppslab.model import results
from ppslab.model.results import journal
from ppslab.testbed.backends import capabilities
from tests.cli.conftest import PPSLAB, ROOT, Run, environment
from tests.support.factory import make_record
from tests.support.waiting import PATIENCE, until

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable, reason="namespaces are needed: ppslab doctor"
    ),
]


def needs(*features: str) -> pytest.MarkDecorator:
    """Skip where the kernel lacks one of these features."""
    usable = capabilities.usable("namespaces").usable
    missing = set(features) - (capabilities.features_of("namespaces") if usable else set())
    return pytest.mark.skipif(
        bool(missing), reason=f"this kernel has no {', '.join(sorted(missing))}: ppslab doctor"
    )


FEW = ["--condition", "routing-plain", "--condition", "routing-connection-tracking", "--size", "64"]


def of_few_rounds(folder: Path, rounds: int) -> Path:
    """The project, but of the profile's sixteen rounds these conditions have so many."""
    copy = folder / "project"
    for name in ("labs", "topologies", "images"):
        shutil.copytree(ROOT / name, copy / name)
    (copy / "_build").symlink_to(ROOT / "_build")
    lab = copy / "labs/fastpath/lab.yml"
    names = "|".join(FEW[1:4:2])
    text, count = re.subn(
        rf"(?m)^  - name: ({names})$",
        rf"\g<0>\n    rounds: {rounds}",
        lab.read_text(encoding="utf-8"),
    )
    assert count == 2
    lab.write_text(text, encoding="utf-8")
    return copy


def of_few(ppslab: Run, tmp_path: Path, rounds: int) -> results.Record:
    """The record of a run of two conditions."""
    out = tmp_path / "fastpath-20261121T000000Z-namespaces.json"
    done = ppslab(
        "run", "fastpath", *FEW, "--backend", "namespaces", "--no-search", "--seed", "7",
        "--out", str(out), PPSLAB_ROOT=str(of_few_rounds(tmp_path, rounds)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert str(out) in done.stdout
    jsonschema.validate(json.loads(out.read_text()), results.schema())
    return results.load(out)


@needs("nft", "conntrack")
@pytest.mark.alone
def test_a_run_writes_a_record_that_says_what_it_measured(ppslab: Run, tmp_path: Path) -> None:
    record = of_few(ppslab, tmp_path, rounds=2)
    assert record.seed == 7
    assert record.environment["kernel"]
    assert record.conditions[0].configuration
    assert "tracking" in "".join(record.conditions[1].configuration)
    order = [t.condition or t.purpose for t in record.trials if t.purpose in ("cost", "cable")]
    assert order != sorted(order), "the trials of a round are interleaved"
    conditions = {t.condition for t in record.trials if t.purpose == "cost"}
    assert conditions == {"routing-plain", "routing-connection-tracking"}


@needs("nft", "conntrack")
@pytest.mark.timed(why="its costs are times; system/measurement counts instructions in a guest")
def test_the_record_of_a_run_shows_what_connection_tracking_costs(
    ppslab: Run, tmp_path: Path
) -> None:
    record = of_few(ppslab, tmp_path, rounds=6)
    found = costs.ratio(record, "routing-connection-tracking", "routing-plain", 64)
    assert found.estimate > 1.05, "connection tracking costs"


def _testers() -> set[int]:
    """The processes of ppstraffic."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().split(b"\0")[0].endswith(b"/ppstraffic"):
                found.add(int(path.parent.name))
    return found


def start(runtime: Path, kept: Path) -> subprocess.Popen[str]:
    """A run in the middle of a trial."""
    process = subprocess.Popen(
        [str(PPSLAB), "run", "fastpath", *FEW, "--backend", "namespaces"],
        cwd=ROOT,
        env=environment(runtime, PPSLAB_RESULTS=str(kept)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    for line in process.stdout:
        if "cost rounds" in line:
            break
    until(lambda: _testers() or process.poll() is not None, "a tester")
    assert process.poll() is None
    return process


def children(name: str, runtime: Path) -> list[int]:
    """Processes of this test that run `name`: those whose environment has our runtime folder."""
    mine = f"PPSLAB_RUNTIME={runtime}".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if name.encode() in (folder / "cmdline").read_bytes():
                environ = (folder / "environ").read_bytes().split(b"\0")
                found += [int(folder.name)] if mine in environ else []
        except OSError:
            continue
    return found


def namespaces() -> set[str]:
    """The network namespaces that processes of this machine are in, and those with a name."""
    found = {path.name for path in Path("/run/netns").glob("*ppslab*")}
    for link in Path("/proc").glob("[0-9]*/ns/net"):
        with suppress(OSError):
            found.add(str(link.readlink()))
    return found


@needs("nft", "conntrack")
@pytest.mark.alone
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_leaves_nothing(
    ppslab: Run, runtime: Path, tmp_path: Path, how: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = tmp_path / "fastpath-20261101T000000Z-namespaces.json"
    results.save(make_record(), earlier)
    kept = earlier.read_bytes()
    before = namespaces()
    process = start(runtime, tmp_path)
    assert children("ppslab.testbed.backends.agent.agent", runtime)
    process.send_signal(how)
    process.communicate(timeout=PATIENCE)
    if how != signal.SIGKILL:
        assert process.returncode == 130
        aborted = list(tmp_path.glob("**/*.aborted.json"))
        assert len(aborted) == 1, "what was measured is kept, as an aborted record"
        assert results.load(aborted[0]).state == "aborted"
    status = ppslab("status")
    assert "no lab is up" in status.stdout
    until(lambda: not namespaces() - before, "the end of the run's namespaces")
    assert not children("ppslab.testbed.backends.agent.agent", runtime)
    until(lambda: not _testers(), "the end of its testers")
    assert earlier.read_bytes() == kept
    if how == signal.SIGKILL:  # its trials are kept until the next run, which says so
        (kept_trials,) = tmp_path.glob("**/*.partial.jsonl")
        monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
        (told,) = journal.sweep()
        assert "a run was killed" in told and kept_trials.name in told
    leftovers = [p for p in tmp_path.glob("**/*") if p.is_file() and p.suffix != ".json"]
    assert not leftovers, "no half-written record"


@needs("nft", "conntrack", "rps")
@pytest.mark.skipif(capabilities.cpu_plan().coupled, reason="the router needs a CPU of its own")
@pytest.mark.timed(why="latency, and a reset's length by loss and by time, are times")
def test_the_suite_writes_a_record_of_every_test(ppslab: Run, tmp_path: Path) -> None:
    out = tmp_path / "rfc2544-fastpath-20261121T000000Z-namespaces.json"
    done = ppslab(
        "rfc2544", "fastpath", "--condition", "routing-25-ip-filter-rules", "--size", "64",
        "--backend", "namespaces", "--seed", "7", "--out", str(out),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    record = results.load_as(out, results.SuiteRecord)
    jsonschema.validate(json.loads(out.read_text()), results.schema(results.SuiteRecord))
    assert ppslab("validate", str(out)).returncode == 0
    for title in ("26.1", "26.2", "26.3", "26.4", "26.5", "26.6"):
        assert title in done.stdout
    assert "RFC 6815" in done.stdout
    assert {f.direction for f in record.throughput} == {"lab", "one-way", "both-ways"}
    assert [p.share for p in record.latency] == [1.0, 0.9, 0.5, 0.1]
    assert record.latency[-1].from_intended.count > 1000
    assert record.frame_loss and record.back_to_back and record.recovery
    assert record.reset[0].by_loss_seconds, record.reset[0].why_none
    by_loss, by_time = record.reset[0].by_loss_seconds[0], record.reset[0].by_time_seconds[0]
    assert 0 < by_loss < 1 and by_loss == pytest.approx(by_time, rel=0.5, abs=0.02)


@needs("nft")
@pytest.mark.timed(why="a fault is told from noise by a tester that keeps its schedule")
def test_one_fault_is_broken_shown_and_recorded(ppslab: Run, tmp_path: Path) -> None:
    record = tmp_path / "faults.json"
    done = ppslab("break", "--backend", "namespaces", "--fault", "rules-gone", "--out", str(record))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "caught" in done.stdout
    assert "router state not as configured" in done.stdout
    assert ppslab("validate", str(record)).returncode == 0


@pytest.mark.timed(why="a calibration is what this machine carries a second, and how late")
def test_a_calibration_is_kept_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one frame size and two loads; the rest is the same again."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    made, path = calibrate(Options(backend="namespaces", sizes=(64,), shares=(0.1, 0.5)))
    assert path.parent == tmp_path / "local"
    jsonschema.validate(json.loads(path.read_text()), results.schema(results.CalibrationRecord))
    record = results.load_as(path, results.CalibrationRecord)
    assert record == made
    assert record.state == "completed"
    assert calibration.newest_for(record.environment, "namespaces") == record
    most = max(measured.rate for measured in (*record.carried, *record.sent))
    assert calibration.limited(record, 64, most) is not None
    for each in record.paced:
        assert each.from_actual.min is not None
        assert 0 < each.from_actual.min < 1e9
        assert each.from_actual.count + each.lost == pytest.approx(
            each.rate * record.trials[each.trials[0]].intended_duration, abs=2
        )
    assert record.receiver and record.receiver.rate and record.receiver.unexplained == 0
    assert record.timer and record.clocks
