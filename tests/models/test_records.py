"""The records' widget against the analysis of the same files, and a reader's own file."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from ppslab import analysis, goodput, paths, published, recorded, results, views
from ppslab import lab as labs
from ppslab.models import record_rows
from ppslab.results import Record, TcpRecord
from ppslab.widgets import facts
from tests.models.both import ask, both


def runs() -> dict[str, Any]:
    return {run["id"]: run for run in facts.of("records")["runs"]}


def fastpath() -> str:
    first: str = facts.of("records")["first"]
    return first


def path_of(name: str) -> Path:
    """The record, which may be one of this machine's own."""
    return next(paths.results_dir().glob(f"**/{name}.json"))


def text(name: str) -> str:
    return path_of(name).read_text(encoding="utf-8")


def figure(name: str, wanted: str) -> dict[str, list[Any]]:
    found = next(each for each in runs()[name]["figures"] if each["id"] == wanted)
    return {row[0]: row for row in found["rows"]}


def test_the_first_run_is_the_fast_paths() -> None:
    newest = results.newest_path("fastpath")
    assert newest is not None
    assert newest.stem == fastpath()
    assert ask("records")["values"]["figure"] == "time"


def test_times_and_ratios_are_those_of_the_analysis() -> None:
    for name, run in runs().items():
        if run["schema"] != "ppslab/record/1":
            continue
        record = results.load(path_of(name))
        plain = json.loads(text(name))
        for size in record.frame_sizes:
            for condition in record.conditions:
                rounds = analysis.router_costs(record, condition.name, size)
                assert record_rows.costs_of(plain, condition.name, size) == rounds
                rates = analysis.forwarding_rates(record, condition.name, size)
                assert record_rows.rates_of(plain, condition.name, size) == rates
                if rounds:
                    row = figure(name, "time")[f"{condition.name}, {size} bytes"]
                    wanted = analysis.cost(record, condition.name, size)
                    assert row[1:4] == pytest.approx(
                        [wanted.estimate, wanted.low, wanted.high], rel=1e-4
                    )


def test_a_router_of_its_own_has_its_times_from_rates() -> None:
    """As analysis has it: 1 over the forwarding rate, and none where the tester was the limit."""
    plain = json.loads(text(fastpath()))
    plain["baseline"] = "none"
    for limit in (1e9, 1.0):
        plain["tester"] |= {"back_to_back": {"64": limit}, "into_the_router": {}}
        record = Record.model_validate(plain)
        found = record_rows.costs_of(plain, "routing-plain", 64)
        try:
            assert found == analysis.router_costs(record, "routing-plain", 64)
        except analysis.NoDataError:
            assert found == {}


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
    wanted = views.beside(lab, published.load(lab), record)
    rows = list(figure(fastpath(), "published").values())
    assert [row[5] for row in rows] == pytest.approx([pair.published for pair in wanted], rel=1e-4)
    assert [row[1] for row in rows] == pytest.approx(
        [pair.measured.estimate for pair in wanted if pair.measured], rel=1e-4
    )


def test_every_record_of_the_suite_is_shown() -> None:
    name = next(name for name in runs() if name.startswith("rfc2544-"))
    plain = json.loads(text(name))
    rows = figure(name, "throughput")
    goals = [goal for each in plain["throughput"] for goal in each["goals"]]
    assert [row[1] for row in rows.values()] == pytest.approx(
        [goal["throughput"] for goal in goals], rel=1e-4
    )
    assert len(figure(name, "loss")) == len(plain["frame_loss"])


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
    assert len({run["schema"] for run in runs().values()}) == len(record_rows.READ)


def test_a_filter_keeps_and_leaves_out() -> None:
    rows = ask("records", only="64 bytes -routing")["values"]["rows"]
    assert [row[0] for row in rows] == [
        "bridging-fast-path, 64 bytes",
        "bridging-plain, 64 bytes",
        "bridging-25-bridge-filter-rules, 64 bytes",
    ]
    assert ask("records", only="nothing has this")["problem"]["input"] == "only"


def test_a_figure_that_a_run_has_not_is_told() -> None:
    answer = ask("records", figure="goodput")
    assert answer["values"]["figure"] == "time"
    assert "This run has no such figure" in answer["says"][0]


def slower(times: float) -> str:
    """The newest run as if the router had taken so many times as long."""
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
    assert "the sign test's" in other["warns"][1]
    drawn = [answer["figures"][0]["svg"] for answer in (ask("records", only="64"), other)]
    assert "the file" not in drawn[0]
    assert "the file" in drawn[1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{not json", "is not JSON"),
        ("[]", "is no record of ppslab"),
        ('{"schema": "ppslab/record/9"}', "does not know"),
        ({"lab": "fasttrack"}, "of the lab fasttrack"),
        ({"trials": [{}]}, "is no whole record"),
        ({"conditions": 3}, "is no whole record"),
        ({"environment": None}, "is no whole record"),
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
    assert "this run was aborted" in answer["warns"][1]


@pytest.mark.parametrize("count", [6, 7, 9, 16])
def test_the_sign_tests_interval_holds_the_median(count: int) -> None:
    """Against its definition: at least 95 in 100 samples of any distribution."""
    chance = random.Random(count)
    held = 0
    for _ in range(2000):
        _, low, high = recorded.around_median([chance.expovariate(1.0) for _ in range(count)])
        held += low <= 0.6931472 <= high
    assert held / 2000 >= 0.94
