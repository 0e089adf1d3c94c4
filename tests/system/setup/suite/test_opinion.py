"""Which tests are red, and what the last lines of a run say of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.suite import kept, opinion
from tests.suite.ending import LINES, Ending, Row
from tests.suite.opinion import Test, judge
from tests.suite.parts import Ended

LIVE = frozenset({"live"})
ROOT = Path(__file__).resolve().parents[4]


def test(name: str, outcome: str, marks: frozenset[str] = LIVE) -> Test:
    return Test(f"tests/{name}", outcome, marks, why=f"{name} was {outcome}")


test.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("first", "second", "last", "again"),
    [
        ("passed", None, "passed", False),
        ("failed", None, "failed", False),
        ("failed", "passed", "passed", True),
        ("failed", "failed", "failed", False),
        # Nobody saw it work.
        ("failed", "skipped", "failed", False),
        # Its neighbour was red, so that it ran again, and it is worth a look too.
        ("passed", "failed", "passed", True),
        ("passed", "passed", "passed", False),
        ("unsteady", "passed", "unsteady", False),
    ],
)
def test_green_in_one_of_two_tries_is_green_and_told(
    first: str, second: str | None, last: str, again: bool
) -> None:
    tries = [[test("a.py::t", first)], [test("a.py::t", second)] if second else []]
    judged = judge(tries)
    assert [one.outcome for one in judged.tests] == [last]
    assert [one.outcome for one in judged.again] == (["failed"] if again else [])


def test_red_in_all_of_three_tries_is_red_and_in_two_of_them_is_not() -> None:
    red, green = test("a.py::t", "failed"), test("a.py::t", "passed")
    assert judge([[red], [red], [red]]).of("failed")
    assert not judge([[red], [red], [green]]).of("failed")


def test_a_file_is_looked_at_again_once_and_what_needs_only_python_never() -> None:
    tests = [
        test("a.py::one", "failed"),
        test("a.py::two", "failed"),
        test("b.py::one", "passed"),
        test("c.py::one", "unsteady"),
        test("pure.py::one", "failed", frozenset({"long"})),
        test("quiet.py::one", "failed", frozenset({"frames", "live"})),
        Test("notebooks/n.ipynb::Cell 5", "failed", frozenset({"notebook"})),
    ]
    assert opinion.files_again(tests) == ["tests/a.py", "tests/quiet.py", "notebooks/n.ipynb"]


def test_a_test_that_ended_its_worker_has_the_marks_of_its_file() -> None:
    """xdist reports it without any."""
    ended = Test("tests/backends/vm/test_vm.py::test_x", "failed", frozenset())
    assert ended.disturbed
    assert not Test(
        "tests/system/setup/suite/test_opinion.py::test_x", "failed", frozenset()
    ).disturbed


def test_there_is_no_second_look_where_there_is_no_time_or_too_much_is_red() -> None:
    files = [f"tests/{number}.py" for number in range(opinion.FILES + 1)]
    assert opinion.too_many(files[1:], opinion.LATEST) == ""
    assert opinion.too_many(files, 0.0)
    assert opinion.too_many(files[:1], opinion.LATEST + 1.0)


def test_outcomes_are_read_up_to_the_line_at_which_pytest_was_killed(tmp_path: Path) -> None:
    def report(name: str, when: str, outcome: str, **more: object) -> dict[str, object]:
        return {"event": "report", "test": name, "when": when, "outcome": outcome, "why": "",
                "seconds": 1.0, "marks": ["live"], **more}  # fmt: skip

    lines = [
        {"event": "start", "test": "a"}, report("a", "setup", "passed"),
        report("a", "call", "failed", why="no", stolen=0.5, speed=2.0, folders=["/x"]),
        report("a", "teardown", "passed"),
        {"event": "start", "test": "s"}, report("s", "setup", "skipped"),
        report("s", "teardown", "passed"),
        {"event": "start", "test": "hangs"}, report("hangs", "setup", "passed"),
    ]  # fmt: skip
    path = tmp_path / "outcomes.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + '\n{"event": "sta')
    tests, running = opinion.read(path)
    assert [(one.id, one.outcome) for one in tests] == [
        ("a", "failed"), ("s", "skipped"), ("hangs", "passed"),
    ]  # fmt: skip
    assert (tests[0].why, tests[0].stolen, tests[0].folders) == ("no", 0.5, ("/x",))
    assert running == ["hangs"]


def ending(tests: list[Test], broken: tuple[str, ...] = ()) -> Ending:
    judged = judge([tests])
    rows = [Row(Ended("together", 1500.0, 0.012), tests)]
    return Ending(rows, judged, 2, broken, "2 CPUs", Path("/kept"), 1500.0)


def test_the_end_fits_a_screen_names_what_is_red_and_counts() -> None:
    many = [test(f"{number}.py::t", "failed") for number in range(200)]
    few = [test("u.py::t", "unsteady"), test("p.py::t", "passed"), test("s.py::t", "skipped")]
    lines = ending([*many, *few]).lines()
    assert len(lines) <= LINES
    assert lines[-1] == "1 passed, 200 failed, 1 skipped"
    assert any(line.startswith("FAILED tests/0.py::t - ") for line in lines)
    assert len(ending([*many, *few]).lines(named=200)) > 200


def test_over_budget_is_not_red() -> None:
    assert replace(ending([test("a.py::t", "passed")]), seconds=1565.0, budget=1500.0).green


def test_a_part_that_did_not_end_is_red_though_no_test_is() -> None:
    whole = ending([test("a.py::t", "passed")])
    assert whole.green and "FAILED" not in "\n".join(whole.lines())
    broken = ending([test("a.py::t", "passed")], ("part alone - no test ended for 15 minutes",))
    assert not broken.green
    assert "FAILED part alone - no test ended for 15 minutes" in broken.lines()
    assert broken.lines()[-1] == "1 passed, 1 failed, 0 skipped"


def test_the_records_of_red_tests_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "of-the-test"
    (folder / "results").mkdir(parents=True)
    (folder / "results/run.aborted.json").write_text("{}")
    (folder / "program").write_text("no record")
    (folder / "large.json").write_text(" " * (kept.LARGEST + 1))
    red = Test("tests/a.py::t", "failed", LIVE, "why", folders=(str(folder), str(tmp_path / "no")))
    assert kept.trials(tmp_path / "kept", [red]) == 1
    assert (tmp_path / "kept/trials/0-0/results/run.aborted.json").is_file()
    assert (tmp_path / "kept/trials/0.txt").read_text() == "tests/a.py::t\nwhy\n"


def test_the_newest_ten_runs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "cache_dir", lambda: tmp_path)
    for number in range(12):
        (tmp_path / f"tests/commit{number // 6}/2026-01-{number + 1:02}T00-00-00").mkdir(
            parents=True
        )
    made = kept.folder(ROOT)
    left = sorted(path.name for path in tmp_path.glob("tests/*/*"))
    assert len(left) == kept.RUNS and made.name in left
    assert "2026-01-03T00-00-00" not in left and "2026-01-04T00-00-00" in left
