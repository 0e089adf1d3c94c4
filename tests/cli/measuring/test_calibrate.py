"""`ppslab calibrate` from the command line, to its end and stopped in the middle."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import jsonschema
import pytest
from click.testing import Result
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.cli.measuring import calibrate as command
from ppslab.measure import calibration
from ppslab.measure.calibration.experiment import Options, calibrate
from ppslab.model import results
from ppslab.testbed.backends import capabilities
from tests.cli.conftest import PPSLAB, ROOT, Run, environment
from tests.support.calibration_factory import make_calibration, make_timer
from tests.support.waiting import PATIENCE

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not capabilities.usable("namespaces").usable, reason="namespaces are needed: ppslab doctor"
    ),
]

HERE = ["--backend", "namespaces", "--size", "64"]


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
    assert calibration.newest_for(record.environment | {"kernel": "9"}, "namespaces") is None

    assert {each.frame_size for each in record.carried} == {64}
    known = calibration.limits(record, 64)
    assert known is not None
    assert calibration.limited(record, 64, known.sends) is not None
    assert calibration.limited(record, 64, 0.5 * known.sends) is None
    assert known.sends >= known.carries
    for each in record.paced:
        assert each.from_actual.min is not None
        assert 0 < each.from_actual.min < 1e9
        assert each.from_actual.count + each.lost == pytest.approx(
            each.rate * record.trials[each.trials[0]].intended_duration, abs=2
        )
        lateness = [one.ns for one in each.lateness]
        assert lateness == sorted(lateness)
    assert record.receiver is not None
    assert record.receiver.rate
    assert record.receiver.unexplained == 0
    assert record.timer is not None
    assert record.clocks is not None


def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *argv: str) -> Result:
    """What the command says of a calibration that the test knows."""
    kept = tmp_path / "calibration.json"

    def made(options: Options, _progress: object) -> tuple[results.CalibrationRecord, Path]:
        assert options.sizes == (64, 1518)
        return make_calibration(timer=make_timer(longest_away_ns=49_000_000)), kept

    monkeypatch.setattr(command, "calibrate", made)
    return CliRunner().invoke(app, ["calibrate", "--size", "64", "--size", "1518", *argv])


def test_the_tables_and_what_the_reader_must_know_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = told(tmp_path, monkeypatch)
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "The tester back to back" in text
    assert "Send jitter" in text
    assert "for up to 49.0 ms" in text
    assert make_calibration().provenance().sentence in text
    assert str(tmp_path / "calibration.json") in done.output.replace("\n", "")


def test_json_holds_what_is_concluded_and_no_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = told(tmp_path, monkeypatch, "--json")
    said = json.loads(done.output)
    assert said["delay_resolution_ns"] == calibration.delay_resolution(make_calibration())
    assert len(said["warnings"]) == 1
    assert said["file"] == str(tmp_path / "calibration.json")
    assert "trials" not in said
    assert said["schema"] == "ppslab/calibration/2"


@pytest.mark.alone
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
        if "the sender alone" in line:
            break
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
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
