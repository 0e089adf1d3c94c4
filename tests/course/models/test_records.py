"""The records' widget against the analysis of the same files, and a reader's own file.

The records are made up (conftest.py); of any kept one, the page and the analysis say the same.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from ppslab.core import paths
from ppslab.course.models import record_rows
from ppslab.course.widgets import facts
from ppslab.judge import costs, goodput
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.results import Record, TcpRecord
from ppslab.show import record_tables, report
from ppslab.show.report import rows
from tests.course.models.both import ask, both
from tests.model.results import committed

pytestmark = pytest.mark.usefixtures("made_up")


def runs() -> dict[str, Any]:
    return {run["id"]: run for run in facts.of("records")["runs"]}


def fastpath() -> str:
    first: str = facts.of("records")["first"]
    return first


def path_of(name: str) -> Path:
    """The record."""
    return paths.results_dir() / f"{name}.json"


def text(name: str) -> str:
    return path_of(name).read_text(encoding="utf-8")


def reported(record: str) -> str:
    """What `ppslab report --json` makes of a record's text: a reader's own file."""
    loaded = Record.model_validate_json(record)
    return report.json([report.Source(loaded, Path("mine.json"), "")])


def figure(name: str, wanted: str) -> dict[str, list[Any]]:
    found = next(each for each in runs()[name]["figures"] if each["id"] == wanted)
    return {row[0]: row for row in found["rows"]}


@pytest.mark.long
def test_the_first_run_is_the_fast_paths() -> None:
    newest = results.newest_path("fastpath")
    assert newest is not None
    assert newest.stem == fastpath()
    assert ask("records")["values"]["figure"] == "time"


@pytest.mark.long
def test_times_are_those_of_the_analysis() -> None:
    for name, run in runs().items():
        if run["schema"] != "ppslab/record/2":
            continue
        record = results.load(path_of(name))
        shown = figure(name, "time")
        for size in record.frame_sizes:
            for condition in record.conditions:
                label = f"{condition.name}, {size} bytes"
                try:
                    wanted = costs.cost(record, condition.name, size)
                except costs.NoDataError:
                    assert label not in shown
                    continue
                ends = [wanted.estimate, *wanted.finite]
                assert shown[label][1:4] == pytest.approx(ends, rel=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("path", committed.paths(), ids=lambda path: path.stem)
def test_every_kept_record_has_figures(path: Path) -> None:
    record = results.load_any(path)
    assert isinstance(record, results.Run | results.CalibrationRecord)
    figures = record_rows.figures_of([rows.plain(row) for row in rows.results_of(record)])
    assert figures and all(each["rows"] for each in figures)


def test_goodput_is_that_of_the_tcp_record() -> None:
    record = results.newest_of(TcpRecord, "fastpath")
    assert record is not None
    name = next(name for name in runs() if name.startswith("tcp-fastpath"))
    shown = figure(name, "goodput")
    for condition in record.conditions:
        for direction in goodput.directions(record):
            if found := goodput.rounds(record, condition.name, direction):
                wanted = median([each.goodput for each in found.values()])
                label = f"{condition.name}, {goodput.NAMES[direction].replace(' at once', '')}"
                assert shown[label][1] == pytest.approx(wanted / 1e6, rel=1e-4)


def test_published_stands_beside_measured_as_on_the_pages() -> None:
    lab, record = labs.find("fastpath"), results.newest("fastpath")
    wanted = record_tables.beside(lab, published.load(lab), record)
    shown = list(figure(fastpath(), "published").values())
    assert [row[5] for row in shown] == pytest.approx(
        [pair.published.ends[0] for pair in wanted], rel=1e-4
    )
    assert [row[1] for row in shown] == pytest.approx(
        [pair.measured.estimate for pair in wanted if pair.measured], rel=1e-4
    )


def test_every_record_of_the_suite_is_shown() -> None:
    name = next(name for name in runs() if name.startswith("rfc2544-"))
    plain = json.loads(text(name))
    shown = figure(name, "throughput")
    goals = [goal for each in plain["throughput"] for goal in each["goals"]]
    assert [row[1] for row in shown.values()] == pytest.approx(
        [goal["conditional_throughput"] for goal in goals], rel=1e-4
    )
    assert len(figure(name, "loss")) == len(plain["frame_loss"])


def test_a_run_carries_the_provenance_of_its_record() -> None:
    for name, run in runs().items():
        record = results.load_as(path_of(name), results.KINDS[run["schema"]])
        assert isinstance(record, results.Run | results.CalibrationRecord)
        assert run["provenance"] == record.provenance().data()


@pytest.mark.long
def test_every_run_and_figure_is_shown_and_both_hosts_say_the_same() -> None:
    asked: list[dict[str, Any]] = [
        {"record": run["id"], "figure": each["id"]}
        for run in runs().values()
        for each in run["figures"]
    ]
    own = {"name": "mine.json", "text": reported(text(fastpath()))}
    asked += [
        {"figure": "time", "file": own},
        {"figure": "goodput"},
        {"only": "64 -routing"},
        {"file": {"name": "x", "text": "{"}},
    ]
    answers = both("records", asked)
    for wanted, answer in zip(asked[:-3], answers, strict=False):
        assert answer["values"]["figure"] == wanted["figure"]
    assert {results.KINDS[run["schema"]] for run in runs().values()} == rows.KINDS.keys()


def test_a_filter_keeps_and_leaves_out() -> None:
    kept = ask("records", only="64 bytes -routing")["values"]["rows"]
    assert [row[0] for row in kept] == [
        "bridging-fast-path, 64 bytes",
        "bridging-plain, 64 bytes",
        "bridging-25-bridge-filter-rules, 64 bytes",
        "bridging-25-bridge-filter-rules-13-met, 64 bytes",
    ]
    assert ask("records", only="nothing has this")["problem"]["input"] == "only"


def test_a_figure_that_a_run_has_not_is_told() -> None:
    answer = ask("records", figure="goodput")
    assert answer["values"]["figure"] == "time"


def slower(times: float) -> str:
    """Fast Path's run as if the router had taken so many times as long."""
    plain = json.loads(text(fastpath()))
    for trial in plain["trials"]:
        if trial["counts"] and trial["condition"] is not None:
            for key in ("send_seconds", "send_cpu_seconds"):
                trial["counts"][key] *= times
    return json.dumps(plain)


def test_a_second_run_stands_beside_the_first() -> None:
    same = ask("records", only="64", file={"name": "mine", "text": reported(text(fastpath()))})
    for _, value, second, _ in same["values"]["rows"]:
        assert second == pytest.approx(value, rel=1e-4)
    other = ask("records", only="64", file={"name": "mine", "text": reported(slower(3))})
    assert all(second > value for _, value, second, _ in other["values"]["rows"])
    assert len(other["tables"][0]["header"]) == 6
    drawn = [answer["figures"][0]["svg"] for answer in (ask("records", only="64"), other)]
    assert "the file" not in drawn[0]
    assert "the file" in drawn[1]


@pytest.mark.parametrize(
    "content",
    [
        "{not json",
        "[]",
        '{"schema": "ppslab/record/2"}',
        {"records": []},
        {"results": [{}]},
        {"results": 3},
    ],
)
def test_a_file_that_is_no_such_run_is_told(content: Any) -> None:
    if isinstance(content, dict):
        content = json.dumps({**json.loads(reported(text(fastpath()))), **content})
    problem = ask("records", file={"name": "mine.json", "text": content})["problem"]
    assert problem["input"] == "file"
    assert problem["says"].startswith("mine.json ")


def test_what_a_file_says_is_text_and_no_page() -> None:
    plain = json.loads(text(fastpath()))
    evil = "<script>alert(1)</script>"
    plain["environment"] = copy.deepcopy(plain["environment"]) | {"kernel": evil}
    name = plain["conditions"][0]["name"]
    answer = ask(
        "records", file={"name": evil, "text": reported(json.dumps(plain)).replace(name, evil)}
    )
    assert evil not in answer["figures"][0]["svg"]


def test_an_aborted_run_is_told() -> None:
    plain = json.loads(text(fastpath())) | {"state": "aborted"}
    answer = ask("records", file={"name": "mine", "text": reported(json.dumps(plain))})
    assert "state" in [name for name, _ in answer["made"][1]["parts"][-1]]
