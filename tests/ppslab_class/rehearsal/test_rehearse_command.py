"""`ppslab workshop rehearse`: from start to report in one command, and its exit codes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab_class import content
from ppslab_class.board import Board
from ppslab_class.rehearsal import rehearsing
from ppslab_class.rehearsal.learner import Log
from tests.ppslab_class.class_room import site
from tests.support.waiting import PATIENCE


def row(text: str, first: str) -> list[str]:
    """The cells of the row of a table that begins so."""
    line = next(line for line in text.splitlines() if line.strip().startswith(first))
    return re.split(r"\s{2,}", line.strip())


@pytest.mark.long
def test_one_command_goes_from_start_to_report(tmp_path: Path) -> None:
    pages = site(tmp_path / "site")
    asked = "workshop rehearse --seats 2 --chapters fastpath --pace 0 --site".split()
    done = subprocess.run(
        [f"{sys.prefix}/bin/ppslab", *asked, str(pages)],
        capture_output=True, text=True, check=False, timeout=PATIENCE, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for task in content.load().tasks["fastpath"]:
        told = row(done.stdout, task.name.replace("/task/", ": "))
        assert told[1] == "2 of 2" and told[-1] == str(task.minutes)
    assert "2 of 2 seats told something." in done.stdout
    assert "exit ticket" in done.stdout and " of 2" in row(done.stdout, "fastpath/quiz/")[2]
    for kind in ("join", "page", "tell"):
        number, _, *times = row(done.stdout, kind)[1:]
        assert int(number) >= 2 and all(float(each) > 0 for each in times), kind
    last = done.stdout.strip().splitlines()[-1]
    assert re.fullmatch(
        r"Of \d+ events 0 are not on the board, and 0 are that nobody told; "
        r"0 tasks are not shown as done\.",
        last,
    )
    assert not [each for each in tmp_path.iterdir() if each != pages], "its day leaves nothing"


def rehearsed(monkeypatch: pytest.MonkeyPatch, pages: Path, *words: str, missing: int = 0) -> Any:
    """What the command says of a class that came out like this."""

    def held(asked: rehearsing.Rehearsal, folder: Path, *_: object) -> rehearsing.Rehearsed:
        Board(folder).close()
        return rehearsing.Rehearsed(asked, Log(), 1.0, 0.1, 1, missing, 0, 0)

    monkeypatch.setattr(rehearsing, "rehearse", held)
    return CliRunner().invoke(app, ["workshop", "rehearse", "--site", str(pages), *words])


@pytest.mark.long
def test_a_lost_event_is_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = site(tmp_path)
    assert rehearsed(monkeypatch, pages).exit_code == 0
    lost = rehearsed(monkeypatch, pages, missing=1)
    assert lost.exit_code == 1 and "1 are not on the board" in lost.output


@pytest.mark.long
def test_a_chapter_without_tasks_is_told_with_those_that_have_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = rehearsed(monkeypatch, site(tmp_path), "--chapters", "fastpth")
    assert wrong.exit_code != 0
    assert "no tasks of 'fastpth'" in str(wrong.exception) and "fastpath" in str(wrong.exception)
