"""`ppslab case` as a learner types it, with words and at a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from ppslab import cli
from ppslab.cli import case as command
from ppslab.cli import printing
from ppslab.core.errors import UsageError
from ppslab.course import practice
from ppslab.course.learning import progress_file
from ppslab.course.practice import attempts

ONE = "01-call-centre"
CAUSE = practice.case(ONE).cause.name

Case = Callable[..., Result]


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    """`ppslab case ...`, with a memory of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    app = typer.Typer(pretty_exceptions_enable=False)
    cli.add(app, "case")

    def run(*words: str, given: str = "") -> Result:
        return CliRunner().invoke(app, list(words), input=given)

    return run


def written(tmp_path: Path, text: str) -> str:
    path = tmp_path / "remedy.rsc"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("1",), 0),
        (("1", "--ask", "/ip/settings/print"), 0),
        (("01", "--ask", "/log/print"), 2),
        ((ONE, "--ask", "/export", "--ask", "nonsense"), 2),
        (("1", "--cause", CAUSE), 0),
        (("1", "--cause", "cable"), 1),
        (("1", "--hint"), 0),
        (("1", "--solve"), 0),
    ],
)
def test_exit_codes(case: Case, words: tuple[str, ...], code: int) -> None:
    assert case(*words).exit_code == code


@pytest.mark.parametrize(
    "words",
    [
        ("99",),
        ("1", "--cause", "cabel"),
        ("1", "--remedy", "-"),
        ("1", "--cause", CAUSE, "--remedy", "/nowhere.rsc"),
    ],
)
def test_a_wrong_word_is_told(case: Case, words: tuple[str, ...]) -> None:
    result = case(*words)
    assert isinstance(result.exception, UsageError)


def test_a_remedy_is_judged_and_each_failure_is_a_move(case: Case, tmp_path: Path) -> None:
    one = practice.case(ONE)
    assert (
        case("1", "--ask", "/export", "--ask", "/ip settings print", "--ask", "/exp").exit_code == 0
    )
    assert case("1", "--cause", "cable").exit_code == 1
    wrong = case("1", "--cause", CAUSE, "--remedy", "-", given=one.mistakes[0].run)
    assert wrong.exit_code == 1
    assert one.mistakes[0].fails in wrong.output
    assert case("1", "--remedy", "-", given="make it fast\n").exit_code == 2
    right = case("1", "--remedy", written(tmp_path, one.solutions[1]))
    assert right.exit_code == 0
    assert "4 moves" in right.output
    assert one.debrief.split(".")[0] in right.output.replace("\n", " ")
    kept = json.loads((tmp_path / f"ppslab/cases/{ONE}.json").read_text())
    assert kept["asked"] == ["/export", "/ip/settings/print"]
    progress = progress_file.collect([], attempts.solved())
    assert progress.done.keys() == {f"cases/case/{ONE}", f"cases/unaided/{ONE}"}
    assert progress.answers == {f"cases/moves/{ONE}": "4"}


@pytest.mark.parametrize("help_", ["--hint", "--solve"])
def test_who_was_helped_did_not_solve_it_unaided(case: Case, tmp_path: Path, help_: str) -> None:
    assert case("1", help_).exit_code == 0
    remedy = written(tmp_path, practice.case(ONE).solutions[0])
    result = case("1", "--cause", CAUSE, "--remedy", remedy)
    assert "unaided" in result.output
    assert progress_file.collect([], attempts.solved()).done.keys() == {f"cases/case/{ONE}"}
    assert case("1", "--anew").exit_code == 0
    assert not attempts.load(ONE).begun
    assert case("1", "--cause", CAUSE, "--remedy", remedy).exit_code == 0
    assert attempts.load(ONE).read, "who has seen a hint has seen it"
    assert progress_file.collect([], attempts.solved()).done.keys() == {f"cases/case/{ONE}"}


def test_to_begin_anew_keeps_the_first_solution(case: Case, tmp_path: Path) -> None:
    remedy = written(tmp_path, practice.case(ONE).solutions[0])
    case("1", "--ask", "/export", "--cause", CAUSE, "--remedy", remedy)
    before = progress_file.collect([], attempts.solved())
    first = attempts.load(ONE).first
    assert first is not None
    anew = case("1", "--anew")
    assert first.when[:10] in anew.output
    assert not attempts.load(ONE).begun
    assert f"next: ppslab case {ONE}" not in case().output
    case("1", "--hint", "--hint", "--cause", CAUSE, "--remedy", remedy)
    assert attempts.load(ONE).first == first
    assert case("1", "--anew").exit_code == 0
    assert progress_file.collect([], attempts.solved()) == before


def test_hints_of_a_solved_case_are_all_there_and_cost_nothing(case: Case, tmp_path: Path) -> None:
    remedy = written(tmp_path, practice.case(ONE).solutions[0])
    case("1", "--cause", CAUSE, "--remedy", remedy)
    shown = " ".join(case("1", "--hint").output.split())
    for hint in practice.case(ONE).hints:
        assert " ".join(hint.split()) in shown
    assert attempts.load(ONE).hints == 0


def test_what_is_solved_stays_as_it_was(case: Case, tmp_path: Path) -> None:
    remedy = written(tmp_path, practice.case(ONE).solutions[0])
    case("1", "--ask", "/export", "--cause", CAUSE, "--remedy", remedy)
    before = attempts.load(ONE)
    case("1", "--hint", "--solve", "--ask", "/tool/profile cpu=all", "--cause", "cable")
    assert attempts.load(ONE) == before


def test_a_file_that_is_not_ours_is_told(case: Case, tmp_path: Path) -> None:
    path = tmp_path / f"ppslab/cases/{ONE}.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    result = case("1")
    assert isinstance(result.exception, UsageError)
    assert "begin anew" in str(result.exception)


def test_at_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    lines: Iterator[str] = iter(
        [
            *("help", "/tool profile cpu=all", "remedy", "cause", "cause cable", f"cause {CAUSE}"),
            *("hint", "remedy", "/ip firewall filter", "disable 8", "done"),
            *("remedy", *practice.case(ONE).solutions[1].splitlines(), ""),
        ]
    )
    monkeypatch.setattr(printing.Printer, "input", lambda *_, **__: next(lines))
    one = practice.case(ONE)
    assert command._talk(attempts.load(ONE), one) == 0
    assert next(lines, None) is None
    assert attempts.load(ONE).solved
