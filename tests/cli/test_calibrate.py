"""`ppslab calibrate` from the command line, to its end and stopped in the middle."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest

from ppslab import calibration, capabilities, results
from tests.cli.conftest import PPSLAB, ROOT, Run, environment

pytestmark = pytest.mark.skipif(
    not capabilities.usable("namespaces").usable, reason="namespaces are needed: ppslab doctor"
)

HERE = ["--backend", "namespaces", "--size", "64"]


def test_a_calibration_is_kept_and_used(
    ppslab: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    done = ppslab("calibrate", *HERE, "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    path = Path(said["file"])
    assert path.parent == tmp_path / "local"
    jsonschema.validate(json.loads(path.read_text()), results.schema(results.CalibrationRecord))
    record = results.load_as(path, results.CalibrationRecord)
    assert record.state == "completed"
    assert calibration.newest_for(record.environment, "namespaces") == record
    assert calibration.newest_for(record.environment | {"kernel": "9"}, "namespaces") is None

    assert {each.frame_size for each in record.carried} == {64}
    known = calibration.limits(record, 64)
    assert known is not None
    assert calibration.limited(record, 64, known.sends) is not None
    assert calibration.limited(record, 64, 0.5 * known.sends) is None
    assert said["delay_resolution_ns"] == calibration.delay_resolution(record)
    for each in record.paced:
        assert each.from_actual.min is not None
        assert 0 < each.from_actual.min < 1e9
        assert each.from_actual.count + each.lost == pytest.approx(
            each.rate * record.trials[each.trials[0]].intended_seconds, abs=2
        )
        lateness = [one.ns for one in each.lateness]
        assert lateness == sorted(lateness)
    assert record.receiver is not None
    assert record.receiver.rate
    assert record.receiver.unexplained == 0
    assert record.timer is not None
    assert record.clocks is not None
    assert ppslab("validate", str(path)).returncode == 0


def test_a_calibration_that_is_stopped_is_not_used(
    ppslab: Run, runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    process = subprocess.Popen(
        [str(PPSLAB), "calibrate", *HERE],
        cwd=ROOT,
        env=environment(runtime),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    for line in process.stdout:
        if "paced loads" in line:
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    (aborted,) = tmp_path.glob("**/*.json")
    record = results.load_as(aborted, results.CalibrationRecord)
    assert record.state == "aborted"
    assert record.carried
    assert calibration.newest_for(record.environment, "namespaces") is None
    assert "nothing is up" in ppslab("status").stdout


def test_a_tester_that_there_is_not_is_one_message(ppslab: Run) -> None:
    done = ppslab("calibrate", "--tester", "ppstrafic")
    assert done.returncode == 2
    assert 'did you mean "ppstraffic"?' in done.stderr
    assert "Traceback" not in done.stderr
