"""Wrong usage and bad files: one clear message, the right exit code, never a traceback."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.testbed.backends.capabilities import usable
from tests.cli.conftest import PPSLAB, Inside, environment
from tests.support.factory import make_record
from tests.support.waiting import PATIENCE
from tests.system.labs.checkouts import with_a_broken_lab


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    results.save(make_record(), folder / "a.json")
    (folder / "bad.json").write_text('{"schema": "ppslab/record/2"}')
    return folder


@pytest.mark.long
@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["run", "fastpth"], 2, '"fastpath"'),
        (["run", "fastpath", "--condition", "routing-plane"], 2, '"routing-plain"'),
        (["run", "fastpath", "--size", "10"], 2, "9216"),
        (["run", "fastpath", "--router", "cisco"], 2, "'cisco'"),
        (["run", "fastpath", "--out", "results"], 2, "results"),
        (["run", "fastpath", "--backend", "docker"], 2, "'docker'"),
        (["run", "fastpath", "--backend", "containerlab"], 3, "containerlab"),
        (["run"], 2, ""),
        (["walk"], 2, "walk"),
        (["explain", "packages/rosexplain/examples/home.rsc", "--svg", "/dev/full"], 2, "device"),
        (["explain", "packages/rosexplain/examples/home.rsc", "--svg", "book"], 2, "folder"),
        (["plan", "queues", "--cpus", "4", "--ports", "257"], 2, "--ports"),
        (["plan", "queues", "--cpus", "1000000000"], 2, "64 CPUs"),
        (["tcp", "fastpath", "--backend", "containerlab"], 3, "containerlab"),
        (["profile", "fastpath", "--condition", "plain"], 2, "'plain'"),
        (["profile", "fastpath", "--out", "README.md"], 2, "README.md"),
        (["rfc2544", "fastpath", "--size", "63"], 2, "63"),
        (["rfc2544", "fastpath", "--tester", "pstraffic"], 2, '"ppstraffic"'),
        (["break", "--fault", "late-testr"], 2, '"late-tester"'),
        (["break", "--out", "results"], 2, "results"),
        (["shell", "fastpath", "tester"], 2, "ppslab up fastpath"),
        (["down", "fastpath"], 2, "fastpath"),
        (["validate", "/nowhere"], 2, "/nowhere"),
        (["report", "nowhere"], 2, "'nowhere'"),
        (["report", "{}/bad.json"], 2, "bad.json"),
        (["report", "{}/a.json", "--csv", "--pdf"], 2, "--csv"),
        (["report", "{}/a.json", "--out", "results"], 2, "folder"),
        (["report", "{}/a.json", "--out", "x.docx"], 2, ".html"),
        (["report", "{}/a.json", "--out", "/proc/nowhere/x.html"], 2, "/proc/nowhere"),
        (["compare", "{}/a.json", "{}/a.json"], 2, "conditions"),
    ],
)
def test_wrong_usage(inside: Inside, records: Path, argv: list[str], code: int, said: str) -> None:
    done = inside(*(word.format(records) for word in argv))
    assert done.returncode == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.long
def test_validate_names_file_and_line(inside: Inside, tmp_path: Path) -> None:
    topology = tmp_path / "eoip.clab.yml"
    topology.write_text("name: eoip\ntopology:\n  nodes:\n    r1:\n      kind: linx\n")
    record = tmp_path / "record.json"
    record.write_text('{"schema": "ppslab/record/2"')
    done = inside("validate", str(topology), str(record), "labs/fastpath")
    assert done.returncode == 2
    assert f'{topology}:5: node r1: unknown kind "linx" (did you mean "linux"?)' in done.stderr
    assert f"{record}:1: " in done.stderr
    assert f"lab fastpath, {len(lab.find('fastpath').conditions)} conditions" in done.stdout
    results.save(make_record(), record)
    right = inside("validate", "topologies/fastpath.clab.yml", str(record))
    assert right.returncode == 0, right.stderr
    # Who runs a lab of others runs its commands as root.
    assert "sudo sh" in right.stdout and "sudo sh" not in inside("validate", str(record)).stdout


def test_claims_as_json(inside: Inside, tmp_path: Path) -> None:
    results.save(make_record(), tmp_path / "fastpath-20261121T000000Z-namespaces.json")
    done = inside("claims", "--json", PPSLAB_RESULTS=str(tmp_path))
    claims = json.loads(done.stdout)
    wanted = {
        "id", "lab", "source", "statement", "published", "measured", "interval", "verdict", "reason"
    }  # fmt: skip
    assert all(wanted <= claim.keys() for claim in claims)
    refuted = any(claim["verdict"] == "refuted" for claim in claims)
    assert done.returncode == int(refuted)


def test_claims_of_the_others_are_shown_where_a_lab_is_not_judged(
    inside: Inside, tmp_path: Path
) -> None:
    (tmp_path / "fastpath-20260101T000000Z-namespaces.json").write_text("{}")
    done = inside("claims", "--json", PPSLAB_RESULTS=str(tmp_path))
    assert done.returncode == 1
    assert "fastpath " in done.stderr
    assert "Traceback" not in done.stderr
    judged = {each["lab"] for each in json.loads(done.stdout)}
    assert "eoip" in judged and "fastpath" not in judged
    alone = inside("claims", "fastpath", "--json", PPSLAB_RESULTS=str(tmp_path))
    assert alone.returncode == 2 and "fastpath-20260101T000000Z" in alone.stderr


BROKEN = "{}/labs/broken/lab.yml:2: "


@pytest.mark.parametrize("words", [("labs",), ("claims",), ("claims", "--json")])
def test_a_lab_of_which_a_file_is_wrong_hides_no_other(
    words: tuple[str, ...], inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_broken_lab(tmp_path, monkeypatch)
    done = inside(*words, PPSLAB_RESULTS=str(tmp_path))
    assert "eoip" in done.stdout and "broken" not in done.stdout
    assert words[-1] != "--json" or json.loads(done.stdout)
    assert BROKEN.format(tmp_path) in done.stderr
    assert done.returncode == 2


@pytest.mark.long
def test_doctor_looks_at_the_machine_and_at_the_other_labs(
    inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_broken_lab(tmp_path, monkeypatch)
    done = inside("doctor")
    labs = done.stdout[done.stdout.index("Labs") :].split()
    assert labs.index("broken") < labs.index("eoip")
    assert BROKEN.format(tmp_path) in done.stderr
    works = any(usable(name).usable for name in ("namespaces", "vm", "containerlab"))
    assert done.returncode == (2 if works else 3)


@pytest.mark.long
@pytest.mark.parametrize(
    ("argv", "to", "code"), [("labs", "> /dev/full", 3), ("--version", "> /dev/full", 3),
                             ("labs", "| true", 0)]
)  # fmt: skip
def test_output_that_cannot_be_written_is_no_traceback(
    runtime: Path, argv: str, to: str, code: int
) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{PPSLAB} {argv} {to}"],
        env=environment(runtime),
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE,
        check=False,
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    said = done.stderr.splitlines()
    assert len(said) == (1 if code else 0) and all("No space left" in line for line in said)
