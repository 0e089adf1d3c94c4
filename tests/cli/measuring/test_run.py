"""A run from the command line, to its end and stopped in the middle."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest

from ppslab.judge import costs
from ppslab.model import results
from ppslab.model.results import journal
from ppslab.testbed.backends import capabilities
from tests.cli.conftest import PPSLAB, ROOT, Run, environment
from tests.support.factory import make_record
from tests.support.waiting import PATIENCE, until

FEW = ["--condition", "routing-plain", "--condition", "routing-connection-tracking", "--size", "64"]

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable
        or bool({"nft", "conntrack"} - capabilities.features_of("namespaces")),
        reason="namespaces with nft and conntrack are needed: ppslab doctor",
    ),
]


def of_few_rounds(folder: Path) -> Path:
    """The project, but of the profile's sixteen rounds these conditions have six."""
    copy = folder / "project"
    for name in ("labs", "topologies", "images"):
        shutil.copytree(ROOT / name, copy / name)
    (copy / "_build").symlink_to(ROOT / "_build")
    lab = copy / "labs/fastpath/lab.yml"
    names = "|".join(FEW[1:4:2])
    text, count = re.subn(
        rf"(?m)^  - name: ({names})$", r"\g<0>\n    rounds: 6", lab.read_text(encoding="utf-8")
    )
    assert count == 2
    lab.write_text(text, encoding="utf-8")
    return copy


def of_few(ppslab: Run, tmp_path: Path) -> results.Record:
    """The record of a run of two conditions."""
    out = tmp_path / "fastpath-20261121T000000Z-namespaces.json"
    done = ppslab(
        "run", "fastpath", *FEW, "--backend", "namespaces", "--no-search", "--seed", "7",
        "--out", str(out), PPSLAB_ROOT=str(of_few_rounds(tmp_path)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert str(out) in done.stdout
    jsonschema.validate(json.loads(out.read_text()), results.schema())
    return results.load(out)


@pytest.mark.alone
def test_a_run_writes_a_record_that_says_what_it_measured(ppslab: Run, tmp_path: Path) -> None:
    record = of_few(ppslab, tmp_path)
    assert record.seed == 7
    assert record.environment["kernel"]
    assert record.conditions[0].configuration
    assert "tracking" in "".join(record.conditions[1].configuration)
    order = [t.condition or t.purpose for t in record.trials if t.purpose in ("cost", "cable")]
    assert order != sorted(order), "the trials of a round are interleaved"
    conditions = {t.condition for t in record.trials if t.purpose == "cost"}
    assert conditions == {"routing-plain", "routing-connection-tracking"}


@pytest.mark.timed(why="its costs are times; system/measurement counts instructions in a guest")
def test_the_record_of_a_run_shows_what_connection_tracking_costs(
    ppslab: Run, tmp_path: Path
) -> None:
    record = of_few(ppslab, tmp_path)
    found = costs.ratio(record, "routing-connection-tracking", "routing-plain", 64)
    assert found.estimate > 1.05, "connection tracking costs"


def _testers() -> set[int]:
    """The processes of ppstraffic."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            program = path.read_bytes().split(b"\0")[0]
        except OSError:
            continue
        if program.endswith(b"/ppstraffic"):
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


def network_namespaces() -> set[str]:
    """The network namespaces that processes of this machine are in."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/ns/net"):
        try:
            found.add(str(link.readlink()))
        except OSError:
            continue
    return found


def named_namespaces() -> set[str]:
    """The named namespaces of this machine that may be a lab's."""
    said = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=False).stdout
    return {line.split()[0] for line in said.splitlines() if "ppslab" in line}


@pytest.mark.alone
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_leaves_nothing(
    ppslab: Run,
    runtime: Path,
    tmp_path: Path,
    how: signal.Signals,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    earlier = tmp_path / "fastpath-20261101T000000Z-namespaces.json"
    results.save(make_record(), earlier)
    kept = earlier.read_bytes()
    before, named = network_namespaces(), named_namespaces()
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
    assert "nothing is up" in status.stdout
    until(lambda: not network_namespaces() - before, "the end of the run's namespaces")
    assert not children("ppslab.testbed.backends.agent.agent", runtime)
    until(lambda: not _testers(), "the end of its testers")
    assert named_namespaces() <= named
    assert earlier.read_bytes() == kept
    if how == signal.SIGKILL:  # its trials are kept until the next run, which says so
        (kept_trials,) = tmp_path.glob("**/*.partial.jsonl")
        journal.trials_of(kept_trials)
        monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
        (told,) = journal.sweep()
        assert "a run was killed" in told and kept_trials.name in told
    leftovers = [p for p in tmp_path.glob("**/*") if p.is_file() and p.suffix != ".json"]
    assert not leftovers, "no half-written record"


def test_a_lab_for_hands_on_work(ppslab: Run, runtime: Path) -> None:
    up = ppslab("up", "fastpath")
    assert up.returncode == 0, up.stderr
    try:
        assert ppslab("up", "fastpath").returncode == 2
        assert "fastpath" in ppslab("status").stdout
        typed = subprocess.run(
            [str(PPSLAB), "exec", "fastpath", "tester", "--", "sh"],
            cwd=ROOT,
            env=environment(runtime),
            input="ip -brief address show eth1; exit 5\n",
            capture_output=True,
            text=True,
            timeout=5 * PATIENCE,
            check=False,
        )
        assert "198.18.1.254/24" in typed.stdout
        assert typed.returncode == 5
        assert ppslab("shell", "fastpath", "testr").returncode == 2
    finally:
        assert ppslab("down", "fastpath").returncode == 0
    assert "nothing is up" in ppslab("status").stdout
