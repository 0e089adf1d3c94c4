"""`ppslab new-lab`: what it writes, what it leaves alone, what it refuses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import PpslabError, UsageError
from ppslab.course import lab_template
from ppslab.course.learning import quiz
from ppslab.model.lab import lab
from tests.system.labs import checkouts


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command reads and writes, under git."""
    made = tmp_path_factory.mktemp("committed")
    checkouts.checkout(made)
    # A second name for a file changes its ctime, and git would read it again.
    trusted = ["config", "core.trustctime", "false"]
    for words in (["init", "-q"], trusted, ["add", "-A"], ["commit", "-qm", "all"]):
        who = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
        subprocess.run(["git", *who, *words], cwd=made, check=True)
    return made


@pytest.fixture
def checkout(committed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same files, which a test may replace, compared with that commit."""
    checkouts.checkout(tmp_path)
    (tmp_path / ".git").write_text(f"gitdir: {committed}/.git\n")
    monkeypatch.setenv("PPSLAB_ROOT", str(tmp_path))
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def changed(checkout: Path) -> str:
    # Without optional locks: nothing of these files' times gets into the other folder's index.
    asked = ["git", "--no-optional-locks", "status", "--short"]
    done = subprocess.run(asked, cwd=checkout, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_new_lab_is_valid_at_once_and_nothing_else_changed(checkout: Path) -> None:
    made = CliRunner().invoke(app, ["new-lab", "planted", "--title", "A Demo"])
    assert made.exit_code == 0, made.output
    lines = changed(checkout).splitlines()
    assert lines == [
        " M _toc.yml",
        "?? book/planted/",
        "?? labs/planted/",
        "?? notebooks/planted.ipynb",
    ]
    checked = CliRunner().invoke(app, ["validate", "labs/planted"])
    assert checked.exit_code == 0, checked.output
    assert lab.find("planted").title == "A Demo"
    assert quiz.find("planted").questions
    names = [*(checkout / "labs/planted").rglob("*"), *(checkout / "book/planted").rglob("*")]
    text = "".join(path.read_text() for path in names if path.is_file())
    assert "mylab" not in text and "Blank Lab" not in text


def test_a_lab_that_breaks_a_rule_is_not_valid(checkout: Path) -> None:
    lab_template.start("planted", "A Demo", "numa")
    assert lab.find("planted").spec.topology == "numa"
    page = checkout / "book/planted/index.md"
    page.write_text(page.read_text().replace("{ppslab-predict} planted", "{x}"))
    checked = CliRunner().invoke(app, ["validate", "labs/planted"])
    assert checked.exit_code == UsageError.exit_code
    assert "book/planted/index.md: " in checked.output


REFUSED = {
    "fastpath": "labs/fastpath",
    "measuring": "book/measuring",
    "method": "book/method.md",
    "meters": "meters",
    "Demo": "'Demo'",
    "../planted": "'../planted'",
    "_demo": "'_demo'",
    "planted --topology fastpth": "no topology 'fastpth' (did you mean \"fastpath\"?)",
    "planted --topology eoip": "topology eoip: ",
}


def test_what_is_refused_changes_nothing(checkout: Path) -> None:
    for words, said in REFUSED.items():
        done = CliRunner().invoke(app, ["new-lab", *words.split()])
        assert isinstance(done.exception, UsageError), words
        assert said in str(done.exception)
    assert changed(checkout) == ""


def test_a_lab_that_could_not_be_finished_leaves_nothing(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, count = lab_template.documents.write_atomic, 0

    def fails(path: Path, text: str) -> None:
        nonlocal count
        count += 1
        if count == 5:
            raise PpslabError("the disk is full")
        write(path, text)

    monkeypatch.setattr(lab_template.documents, "write_atomic", fails)
    with pytest.raises(PpslabError, match="the disk is full"):
        lab_template.start("planted")
    assert changed(checkout) == ""
