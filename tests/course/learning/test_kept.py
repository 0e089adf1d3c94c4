"""The file of a learner's progress: own runs and solved tasks, written, read and added to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab import cli
from ppslab.core.errors import FileError
from ppslab.course.learning import progress_file
from ppslab.judge import costs
from ppslab.model import results
from ppslab.model.lab import lab
from ppslab.show import record_tables
from tests.support.factory import make_record

TASKS = [("fastpath", "first", "2026-01-02T03:04:05+00:00")]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "results" / "local"


def _keep(folder: Path, **more: object) -> results.Record:
    record = make_record().model_copy(update=more)
    results.save(record, folder / "fastpath-20260102T030405Z-namespaces.json")
    return record


def test_own_runs_and_tasks_are_written_and_read(own: Path, tmp_path: Path) -> None:
    # What came with the course is nobody's own; a broken-off run is passed over.
    _keep(own.parent)
    assert progress_file.collect([]).figures == ()
    _keep(own, state="aborted")
    assert progress_file.collect([]).figures == ()
    record = _keep(own)
    found = progress_file.collect(TASKS)
    assert found.done == {"fastpath/task/first": TASKS[0][2]}
    (figure,) = found.figures
    assert (figure.lab, figure.provenance) == ("fastpath", record.provenance().sentence)
    size = min(record.frame_sizes)
    for name in costs.measured_conditions(record):
        title = lab.find("fastpath").conditions[name].title
        assert (title, str(record_tables.cost(record, name, size))) in figure.rows
    progress_file.save(found, tmp_path / "mine.json")
    assert progress_file.load(tmp_path / "mine.json") == found
    assert json.loads((tmp_path / "mine.json").read_text())["ppslab-progress"] == 1


def test_the_earlier_time_and_the_newer_run_stay() -> None:
    def own_run(started: str) -> progress_file.Own:
        return progress_file.Own(
            lab="fastpath", title="t", started=started, provenance="p", rows=()
        )

    def told(time: str, answer: str, started: str) -> progress_file.Progress:
        data = {"ppslab-progress": 1, "done": {"a/quiz/b": time}, "answers": {"x": answer}}
        return progress_file.Progress.model_validate({**data, "figures": [own_run(started)]})

    both = progress_file.merged(
        told("2026-02", "ours", "2026-02"), told("2026-01", "theirs", "2026-01")
    )
    assert both.done == {"a/quiz/b": "2026-01"}
    assert both.answers == {"x": "ours"}
    assert both.figures[0].started == "2026-02"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "ppslab-progress"),
        ('{"ppslab-progress": 2}', "ppslab-progress"),
        ('{"ppslab-progress": 1, "done": {"a": 5}}', "done"),
        ('{"ppslab-progress": 1, "more": 1}', "unknown key"),
        ("[", "not JSON"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(FileError, match=said):
        progress_file.load(file)


def test_the_command_shows_and_writes(own: Path, tmp_path: Path) -> None:
    record = _keep(own)
    shown = CliRunner().invoke(cli.app, ["progress"])
    assert shown.exit_code == 0
    assert "0 tasks solved" in shown.output
    assert str(record_tables.cost(record, "routing-plain", 64)) in shown.output
    file = tmp_path / "mine.json"
    file.write_text('{"ppslab-progress": 1, "done": {"eoip/quiz/mss": "2026-01"}}')
    written = CliRunner().invoke(cli.app, ["progress", "--output", str(file)])
    assert written.exit_code == 0, written.output
    found = progress_file.load(file)
    assert list(found.done) == ["eoip/quiz/mss"]
    assert [each.lab for each in found.figures] == ["fastpath"]
