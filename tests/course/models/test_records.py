"""The records' widget against the analysis of the same files, and a reader's own file.

The records are made up (conftest.py); of any kept one, the page and the analysis say the same.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from ppslab import results
from ppslab.analysis import costs, goodput
from ppslab.base import paths
from ppslab.course.models import record_rows
from ppslab.course.widgets import facts
from ppslab.lab import lab as labs
from ppslab.lab import published
from ppslab.presentation import record_tables
from ppslab.results import Record, TcpRecord
from ppslab.theory import recorded, rounds
from ppslab.theory.rounds import Plain
from tests.course.models.both import ask, both
from tests.results import committed

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
        rows = figure(name, "time")
        for size in record.frame_sizes:
            for condition in record.conditions:
                label = f"{condition.name}, {size} bytes"
                try:
                    wanted = costs.cost(record, condition.name, size)
                except costs.NoDataError:
                    assert label not in rows
                    continue
                ends = [wanted.estimate, *wanted.finite]
                assert rows[label][1:4] == pytest.approx(ends, rel=1e-4)


def same_costs(plain: dict[str, Any], record: Record) -> None:
    """What the page reckons from the JSON is what the analysis reckons from the record."""
    for size in record.frame_sizes:
        for condition in record.conditions:
            shown = rounds.router_costs(Plain(plain), condition.name, size, "cost")
            try:
                found = costs.router_costs(record, condition.name, size)
            except costs.NoDataError:
                # The router was quicker than the tester in every round.
                assert shown == {}
                continue
            assert shown == found
            rates = costs.forwarding_rates(record, condition.name, size)
            assert rounds.forwarding_rates(Plain(plain), condition.name, size, "cost") == rates


@pytest.mark.long
@pytest.mark.parametrize("path", committed.paths(), ids=lambda path: path.stem)
def test_any_kept_record_is_to_the_page_what_it_is_to_the_analysis(path: Path) -> None:
    plain = json.loads(path.read_text(encoding="utf-8"))
    record = results.load_any(path)
    assert isinstance(record, results.Run | results.CalibrationRecord)
    # The page reads a reader's own file in MicroPython, where no record can be loaded.
    assert record_rows.provenance_of(plain) == record.provenance().data()
    assert all(each["rows"] for each in record_rows.figures_of(plain))
    if isinstance(record, Record):
        same_costs(plain, record)


@pytest.mark.long
def test_a_router_of_its_own_has_its_times_from_rates() -> None:
    """As analysis has it: 1 over the forwarding rate, and none where the tester was the limit."""
    plain = json.loads(text(fastpath()))
    plain["baseline"] = "none"
    for limit in (1e9, 1.0):
        plain["tester"] |= {"back_to_back": {"64": limit}, "into_the_router": {}}
        record = Record.model_validate(plain)
        found = rounds.router_costs(Plain(plain), "routing-plain", 64, "cost")
        try:
            assert found == costs.router_costs(record, "routing-plain", 64)
        except costs.NoDataError:
            assert found == {}


@pytest.mark.parametrize("dearer", [0.0, 1e6])
def test_a_round_below_nothing_counts_in_the_page_as_in_the_analysis(dearer: float) -> None:
    """Noise can make a round cost less than the tester alone: its ratio is 0, or infinite."""
    plain = json.loads(text(fastpath()))
    first = min(t["round"] for t in plain["trials"] if t["round"] is not None)
    for trial in plain["trials"]:
        if trial["round"] == first and trial["condition"] == "routing-fast-path":
            trial["counts"]["send_cpu_seconds"] *= dearer
            trial["counts"]["send_seconds"] *= dearer or 1e-9
    wanted = costs.ratio(Record.model_validate(plain), "routing-plain", "routing-fast-path", 64)
    found = record_rows.ratio_of(plain, "routing-plain", "routing-fast-path", 64)
    assert found is not None
    assert found[0] == pytest.approx(wanted.estimate)


def test_goodput_is_that_of_the_tcp_record() -> None:
    record = results.newest_of(TcpRecord, "fastpath")
    assert record is not None
    name = next(name for name in runs() if name.startswith("tcp-fastpath"))
    rows = figure(name, "goodput")
    for condition in record.conditions:
        for direction in goodput.directions(record):
            if found := goodput.rounds(record, condition.name, direction):
                wanted = recorded.median([each.goodput for each in found.values()])
                label = f"{condition.name}, {goodput.NAMES[direction].replace(' at once', '')}"
                assert rows[label][1] == pytest.approx(wanted / 1e6, rel=1e-4)


def test_published_stands_beside_measured_as_on_the_pages() -> None:
    lab, record = labs.find("fastpath"), results.newest("fastpath")
    wanted = record_tables.beside(lab, published.load(lab), record)
    rows = list(figure(fastpath(), "published").values())
    assert [row[5] for row in rows] == pytest.approx(
        [pair.published.ends[0] for pair in wanted], rel=1e-4
    )
    assert [row[1] for row in rows] == pytest.approx(
        [pair.measured.estimate for pair in wanted if pair.measured], rel=1e-4
    )


def test_every_record_of_the_suite_is_shown() -> None:
    name = next(name for name in runs() if name.startswith("rfc2544-"))
    plain = json.loads(text(name))
    rows = figure(name, "throughput")
    goals = [goal for each in plain["throughput"] for goal in each["goals"]]
    assert [row[1] for row in rows.values()] == pytest.approx(
        [goal["conditional_throughput"] for goal in goals], rel=1e-4
    )
    assert len(figure(name, "loss")) == len(plain["frame_loss"])


def test_what_made_a_run_is_read_from_its_json_as_from_its_record() -> None:
    for name, run in runs().items():
        record = results.load_as(path_of(name), results.KINDS[run["schema"]])
        assert isinstance(record, results.Run | results.CalibrationRecord)
        assert run["provenance"] == record.provenance().data()
    plain = json.loads(text(fastpath()))
    plain["router"]["name"] = "routeros"
    plain["environment"]["routeros"] = {"version": "7.20.8", "board-name": "CHR"}
    made = Record.model_validate(plain).provenance()
    assert record_rows.provenance_of(plain) == made.data()
    assert "router: routeros 7.20.8 CHR" in made.sentence


@pytest.mark.long
def test_every_run_and_figure_is_shown_and_both_hosts_say_the_same() -> None:
    asked: list[dict[str, Any]] = [
        {"record": run["id"], "figure": each["id"]}
        for run in runs().values()
        for each in run["figures"]
    ]
    own = {"name": "mine.json", "text": text(fastpath())}
    asked += [
        {"figure": "published", "file": own},
        {"figure": "goodput"},
        {"only": "64 -routing"},
        {"file": {"name": "x", "text": "{"}},
    ]
    answers = both("records", asked)
    for wanted, answer in zip(asked[:-3], answers, strict=False):
        assert answer["values"]["figure"] == wanted["figure"]
    assert {run["schema"] for run in runs().values()} == record_rows.READ.keys()


def test_a_filter_keeps_and_leaves_out() -> None:
    rows = ask("records", only="64 bytes -routing")["values"]["rows"]
    assert [row[0] for row in rows] == [
        "bridging-fast-path, 64 bytes",
        "bridging-plain, 64 bytes",
        "bridging-25-bridge-filter-rules, 64 bytes",
        "bridging-25-bridge-filter-rules-13-met, 64 bytes",
    ]
    assert ask("records", only="nothing has this")["problem"]["input"] == "only"


def test_a_figure_that_a_run_has_not_is_told() -> None:
    answer = ask("records", figure="goodput")
    assert answer["values"]["figure"] == "time"
    assert "This run has no such figure" in answer["says"][0]


def slower(times: float) -> str:
    """Fast Path's run as if the router had taken so many times as long."""
    plain = json.loads(text(fastpath()))
    for trial in plain["trials"]:
        if trial["counts"] and trial["condition"] is not None:
            for key in ("send_seconds", "send_cpu_seconds"):
                trial["counts"][key] *= times
    return json.dumps(plain)


def test_a_second_run_stands_beside_the_first() -> None:
    same = ask("records", only="64", file={"name": "mine", "text": text(fastpath())})
    for _, value, second, _ in same["values"]["rows"]:
        assert second == pytest.approx(value, rel=1e-4)
    other = ask("records", only="64", file={"name": "mine", "text": slower(3)})
    assert all(second > value for _, value, second, _ in other["values"]["rows"])
    assert len(other["tables"][0]["header"]) == 6
    assert "by the sign test" in str(other["made"][1])
    drawn = [answer["figures"][0]["svg"] for answer in (ask("records", only="64"), other)]
    assert "the file" not in drawn[0]
    assert "the file" in drawn[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{not json", "is not JSON"),
        ("[]", "is not a ppslab record"),
        ('{"schema": "ppslab/record/9"}', "does not know"),
        ({"lab": "fasttrack"}, "of the lab fasttrack"),
        ({"trials": [{}]}, "is not a complete record"),
        ({"conditions": 3}, "is not a complete record"),
        ({"environment": None}, "is not a complete record"),
    ],
)
def test_a_file_that_is_no_such_run_is_told(content: Any, said: str) -> None:
    if isinstance(content, dict):
        content = json.dumps({**json.loads(text(fastpath())), **content})
    problem = ask("records", file={"name": "mine.json", "text": content})["problem"]
    assert problem["input"] == "file"
    assert problem["says"].startswith("mine.json ")
    assert said in problem["says"]


def test_what_a_file_says_is_text_and_no_page() -> None:
    plain = json.loads(text(fastpath()))
    evil = "<script>alert(1)</script>"
    plain["environment"] = copy.deepcopy(plain["environment"]) | {"kernel": evil}
    name = plain["conditions"][0]["name"]
    answer = ask("records", file={"name": evil, "text": json.dumps(plain).replace(name, evil)})
    assert evil not in answer["figures"][0]["svg"]


def test_an_aborted_run_is_told() -> None:
    plain = json.loads(text(fastpath())) | {"state": "aborted"}
    answer = ask("records", file={"name": "mine", "text": json.dumps(plain)})
    assert ["state", "this run was aborted"] in answer["made"][1]["parts"][-1]


@pytest.mark.parametrize("count", [6, 7, 9, 16])
def test_the_sign_tests_interval_holds_the_median(count: int) -> None:
    """Against its definition: at least 95 in 100 samples of any distribution."""
    chance = random.Random(count)
    held = 0
    for _ in range(2000):
        _, low, high = recorded.around_median([chance.expovariate(1.0) for _ in range(count)])
        held += low <= 0.6931472 <= high
    assert held / 2000 >= 0.94
