"""The file of a learner's progress: own runs and solved tasks, written, read and added to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab import analysis, cli, lab, results, views
from ppslab.errors import FileError
from ppslab.learning import kept
from tests.factory import make_record

TASKS = [("fastpath", "first", "2026-01-02T03:04:05+00:00")]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "results" / "local"


def _keep(folder: Path, stamp: str) -> results.Record:
    record = make_record()
    results.save(record, folder / f"fastpath-{stamp}-namespaces.json")
    return record


def test_own_runs_and_tasks(own: Path) -> None:
    record = _keep(own, "20260102T030405Z")
    found = kept.collect(TASKS)
    assert found.done == {"fastpath/task/first": TASKS[0][2]}
    (figure,) = found.figures
    assert (figure.lab, figure.provenance) == ("fastpath", record.provenance())
    size = min(record.frame_sizes)
    for name in analysis.measured_conditions(record):
        title = lab.find("fastpath").conditions[name].title
        assert (title, views.cost_text(record, name, size)) in figure.rows


def test_what_came_with_the_course_is_nobody_s_own(own: Path) -> None:
    _keep(own.parent, "20260102T030405Z")
    assert kept.collect([]).figures == ()


def test_a_broken_off_run_is_passed_over(own: Path) -> None:
    record = make_record().model_copy(update={"state": "aborted"})
    results.save(record, own / "fastpath-20260102T030405Z-namespaces.json")
    assert kept.collect([]).figures == ()


def test_written_and_read(own: Path, tmp_path: Path) -> None:
    _keep(own, "20260102T030405Z")
    found = kept.collect(TASKS)
    kept.save(found, tmp_path / "mine.json")
    assert kept.load(tmp_path / "mine.json") == found
    assert json.loads((tmp_path / "mine.json").read_text())["ppslab-progress"] == 1


def test_the_earlier_time_and_the_newer_run_stay() -> None:
    def own_run(started: str) -> kept.Own:
        return kept.Own(lab="fastpath", title="t", started=started, provenance="p", rows=())

    def told(time: str, answer: str, started: str) -> kept.Progress:
        data = {"ppslab-progress": 1, "done": {"a/quiz/b": time}, "answers": {"x": answer}}
        return kept.Progress.model_validate({**data, "figures": [own_run(started)]})

    both = kept.merged(told("2026-02", "ours", "2026-02"), told("2026-01", "theirs", "2026-01"))
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
        kept.load(file)


def test_the_command_shows_and_writes(own: Path, tmp_path: Path) -> None:
    record = _keep(own, "20260102T030405Z")
    shown = CliRunner().invoke(cli.app, ["progress"])
    assert shown.exit_code == 0
    assert "0 tasks solved" in shown.output
    assert views.cost_text(record, "routing-plain", 64) in shown.output
    file = tmp_path / "mine.json"
    file.write_text('{"ppslab-progress": 1, "done": {"eoip/quiz/mss": "2026-01"}}')
    written = CliRunner().invoke(cli.app, ["progress", "--output", str(file)])
    assert written.exit_code == 0, written.output
    found = kept.load(file)
    assert list(found.done) == ["eoip/quiz/mss"]
    assert [each.lab for each in found.figures] == ["fastpath"]
