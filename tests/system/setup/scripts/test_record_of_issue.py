"""A stranger's record: scripts/records/record-of-issue checks it, the workflow record answers."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from ppslab.model import results
from tests.support import scripts
from tests.support.factory import make_record
from tests.support.waiting import PATIENCE

ROUTER = {"name": "routeros", "cannot_show": "no switch chip"}
FILE = "https://github.com/user-attachments/files/12345/record.json"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return scripts.load("records/record-of-issue")


@pytest.fixture(autouse=True)
def sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """results/sent of a checkout of its own."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results" / results.SENT


def text_of(**changes: Any) -> bytes:
    """A record of a CHR with some fields changed."""
    record = make_record(rounds=2).model_copy(update={"router": ROUTER, **changes})
    return record.model_dump_json(by_alias=True).encode()


EARLY = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
WEST = timezone(timedelta(hours=-12))


def broken(method: int) -> bytes:
    """A zip whose index is whole and whose member's data is not what it was packed as."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        archive.writestr("a.json", b"{}" * 9999)
    data = bytearray(made.getvalue())
    start = 30 + len("a.json") + (9 if method == zipfile.ZIP_LZMA else 2)
    data[start : start + 8] = b"\xff\x00\xff\xa5" * 2
    return bytes(data)


@pytest.fixture
def take(script: ModuleType, tmp_path: Path) -> Callable[[bytes], Path]:
    def take(data: bytes) -> Path:
        (tmp_path / "came").write_bytes(data)
        made: Path = script.take(tmp_path / "came", 42, tmp_path / "out")
        return made

    return take


@pytest.fixture
def refusal(script: ModuleType, take: Any, tmp_path: Path) -> Callable[[bytes], str]:
    def refusal(data: bytes) -> str:
        with pytest.raises(script.RefusedError) as caught:
            take(data)
        assert not (tmp_path / "out").exists(), "what was refused leaves nothing"
        return str(caught.value)

    return refusal


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


# --- which file -------------------------------------------------------------------------------


def event(folder: Path, body: Any) -> Path:
    path = folder / "event.json"
    path.write_text(json.dumps({"action": "opened", "issue": {"number": 42, "body": body}}))
    return path


@pytest.mark.parametrize(
    "body", [f"### Record\n\n[record.json]({FILE})\n", f"{FILE} {FILE}", f"<a href='{FILE}'>"]
)
def test_the_address_of_the_file_is_found(script: ModuleType, tmp_path: Path, body: str) -> None:
    assert script.link(event(tmp_path, body)) == FILE


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("no file", "carries no file"),
        (None, "carries no file"),
        ("https://github.com.example/user-attachments/files/1/a.json", "carries no file"),
        ("http://github.com/user-attachments/files/1/a.json", "carries no file"),
        (f"{FILE} {FILE}.zip", "carries 2 files"),
    ],
)
def test_no_file_or_two_are_refused(
    script: ModuleType, tmp_path: Path, body: str | None, said: str
) -> None:
    with pytest.raises(script.RefusedError, match=said):
        script.link(event(tmp_path, body))


def test_of_an_address_nothing_but_plain_characters_goes_to_a_shell(
    script: ModuleType, tmp_path: Path
) -> None:
    found = script.link(event(tmp_path, f"{FILE};$(id)`id`"))
    assert found == FILE


# --- what is in it ----------------------------------------------------------------------------


def test_a_record_is_written_anew_under_a_name_of_ours(take: Any, tmp_path: Path) -> None:
    path = take(text_of())
    record = results.load(path)
    assert record.router == ROUTER
    expected = results.sent_path(record.lab, record.started, record.backend).name
    assert path == tmp_path / "out" / expected
    said = (tmp_path / "out/said.md").read_text()
    assert "#42 carries" in said and f"{len(record.trials)}, of which" in said
    assert "| what it cannot show | no switch chip |" in said


def test_a_zip_of_one_record_will_do(take: Any) -> None:
    data = text_of()
    assert results.load(take(zipped(**{"../../evil.json": data, "readme.txt": b"x"})))


def newer_run_here(folder: Path) -> None:
    """A run of the same lab and backend, made here after the one that is sent."""
    newer = make_record(rounds=2)
    later = newer.started + timedelta(days=1)
    results.save(newer, folder / f"fastpath-{later:%Y%m%dT%H%M%SZ}-{newer.backend}.json")


@pytest.mark.parametrize("newer", [False, True], ids=["alone", "a newer run here"])
def test_a_sent_record_is_taken_once(
    take: Any, refusal: Any, sent: Path, tmp_path: Path, newer: bool
) -> None:
    path = take(text_of())
    sent.mkdir(parents=True)
    path.rename(sent / path.name)
    if newer:
        newer_run_here(sent.parent)
    (tmp_path / "out/said.md").unlink()
    (tmp_path / "out").rmdir()
    assert "sent before" in refusal(text_of())


def test_a_strangers_words_become_plain_words(take: Any, tmp_path: Path) -> None:
    evil = "@everyone | <img src=x> `x` [a](http://b) #1\n## heading"
    take(text_of(router={**ROUTER, "cannot_show": evil}, environment={"cpu": evil}))
    table = (tmp_path / "out/said.md").read_text()
    assert not set("@<`[") & set(table.replace("`ppslab validate`", ""))
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert all(line.count("|") == 3 for line in rows)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"hello", "no record. Line 1: not JSON"),
        (b"", "the file is empty"),
        (b"\xff\xfe\x00", "no record"),
        (b"[" * 100_000, "no record"),
        (b'{"schema": "ppslab/other/1"}', "schema is"),
        (b'{"schema": "ppslab/record/2"}', "no record"),
        (text_of(lab="nosuch@lab"), "is no lab's name"),
        (text_of(backend="../../x"), "no backend"),
        (text_of(state="aborted"), "stopped before its end"),
        (text_of(router={"name": "linux", "cannot_show": ""}), "not RouterOS"),
        (text_of(started=datetime.now(UTC) + timedelta(days=3)), "from the future"),
        (text_of(started=datetime(2026, 1, 2, 3, 4, 5)), "should have timezone"),
        (text_of(started=EARLY), "no year that can be"),
        (text_of(finished=datetime(9999, 12, 31, 23, 59, tzinfo=WEST)), "no year that can be"),
        (text_of(finished=datetime(2026, 1, 1, tzinfo=UTC)), "ended before it began"),
        (text_of().replace(b'"title":"', b'"title":"\\ud800', 1), "half of a character"),
        (text_of().replace(b'"seed":', b'"seed":1e30,"x":', 1), "no record"),
        (broken(zipfile.ZIP_DEFLATED), "damaged"),
        (broken(zipfile.ZIP_LZMA), "damaged"),
        (broken(zipfile.ZIP_BZIP2), "damaged"),
        (b'{"more": 1,' + text_of()[1:], "no record"),
        (zipped(), "0 files"),
        (zipped(**{"a.json": b"{}", "b.json": b"{}"}), "2 files"),
        (zipped(**{"a.json": b"0" * 30_000_000}), "more than 10 million"),
        (zipped(**{"a.json": b"{}" * 999})[:-90] + b"x" * 90, "no record"),
    ],
    ids=range(25),
)
def test_what_is_no_record_of_routeros_is_refused(refusal: Any, data: bytes, said: str) -> None:
    assert said in refusal(data)


def test_a_refusal_quotes_strangers_in_a_block(script: ModuleType) -> None:
    shown = script.fenced("line ``` @all\n" + "x" * 1000 + "\x1b[0m\n" * 40)
    assert shown.startswith("```text\n") and shown.endswith("\n```")
    assert shown.count("```") == 2 and "\x1b" not in shown
    assert len(shown.splitlines()) == 22 and max(map(len, shown.splitlines())) == 300


# --- the workflow, run with a curl and a gh of our own ---------------------------------------


NAME = re.compile(r"fastpath-[0-9]{8}T[0-9]{6}Z-[a-z]+\.json")

CURL = """#!/bin/sh
while [ "$1" != --output ]; do shift; done
cp "$HOME/attached" "$2"
"""
# Answers what GitHub would, and writes down what it was asked and given.
GH = """#!/bin/sh
{ echo "gh $*"; case "$*" in *"--input -"*) cat; echo ;; esac; } >>"$HOME/asked"
case "$*" in
  *"/comments?"*length) cat "$HOME/given" 2>/dev/null || echo 0 ;;
  *"/comments?"*) cat "$HOME/last" 2>/dev/null || true ;;
  *"git/ref/heads/main"*) echo 1111 ;;
  *"git/commits/1111"*) echo 2222 ;;
  *"git/blobs/"*) base64 <"$HOME/old" ;;
  *"git/blobs"*) echo 3333 ;;
  *"commits/record-42"*".sha"*) cat "$HOME/old-blob" ;;
  *"commits/record-42"*".filename"*) cat "$HOME/old-name" ;;
  *"git/trees"*) echo 4444 ;;
  *"git/commits "*) echo 5555 ;;
  *"git/ref/heads/record-"*) [ -e "$HOME/renewed" ] ;;
  *"--method GET"*) [ ! -e "$HOME/renewed" ] || echo 7 ;;
  *"issue comment 7 "*) [ ! -e "$HOME/silent" ] ;;
  *"/pulls "*) echo https://github.com/o/r/pull/7 ;;
esac
"""


@dataclass
class Runner:
    """A hosted runner as far as the workflow's steps know it."""

    home: Path
    steps: dict[str, dict[str, Any]]
    outputs: dict[str, str] = field(default_factory=dict)

    def step(self, name: str, **env: str) -> None:
        """Run one step as GitHub does, in a folder where the checkout's programs are."""
        out = self.home / "output"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-euo", "pipefail", "-c", self.steps[name]["run"]],
            cwd=self.home / "work",
            env={
                **os.environ,
                "PATH": f"{self.home / 'fake'}:{os.environ['PATH']}",
                "HOME": str(self.home),
                "GITHUB_OUTPUT": str(out),
                "GITHUB_EVENT_PATH": str(self.home / "event.json"),
                "ISSUE": "42",
                "GH_REPO": "o/r",
                "BASE": "main",
                "MOST_ANSWERS": "5",
                **env,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        if out.exists():
            self.outputs = dict(line.split("=", 1) for line in out.read_text().splitlines())

    def issue(self, body: str, attached: bytes = b"") -> None:
        (self.home / "event.json").write_text(json.dumps({"issue": {"body": body}}))
        (self.home / "attached").write_bytes(attached)

    @property
    def asked(self) -> str:
        return (self.home / "asked").read_text()


@pytest.fixture
def runner(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path / "results"))
    workflow = yaml.safe_load((root / ".github/workflows/record.yml").read_text())
    steps = {s["name"]: s for job in workflow["jobs"].values() for s in job["steps"] if "run" in s}
    (tmp_path / "work").mkdir()
    for part in (".venv", "scripts"):
        (tmp_path / "work" / part).symlink_to(root / part)
    (tmp_path / "fake").mkdir()
    for name, text in {"curl": CURL, "gh": GH}.items():
        (tmp_path / "fake" / name).write_text(text)
        (tmp_path / "fake" / name).chmod(0o755)
    return Runner(tmp_path, steps)


@pytest.mark.long
@pytest.mark.parametrize("newer", [False, True], ids=["alone", "a newer run here"])
def test_a_record_becomes_a_file_in_results_sent(runner: Runner, newer: bool) -> None:
    if newer:
        results.save(
            make_record(), runner.home / "results/fastpath-20991231T000000Z-namespaces.json"
        )
    runner.issue(f"### Record\n\n[record.json]({FILE})\n$(touch pwned) `touch pwned`\n", text_of())
    runner.step("Take the record")
    assert runner.outputs["accepted"] == "true" and NAME.fullmatch(runner.outputs["name"])
    assert not list(runner.home.rglob("pwned")), "nothing of the issue is run"
    answer = runner.home / "work/answer"
    assert {path.name for path in answer.iterdir()} == {"said.md", runner.outputs["name"]}
    if shutil.which("jq") is None:
        pytest.skip("jq is not here: what the second job asks of GitHub is not looked at")
    for path in answer.iterdir():  # as download-artifact lays it
        path.rename(runner.home / "work" / path.name)
    runner.step("Open the pull request, or renew it", NAME=runner.outputs["name"])
    asked = runner.asked
    given = re.findall(r"^\{.*?^\}", asked, re.MULTILINE | re.DOTALL)
    blob, tree, commit = (json.loads(text) for text in given)
    assert results.Record.model_validate_json(blob["content"]).lab == "fastpath"
    assert tree["tree"][0]["path"] == f"results/{results.SENT}/{runner.outputs['name']}"
    assert (tree["base_tree"], commit["parents"], commit["tree"]) == ("2222", ["1111"], "4444")
    assert "gh api repos/o/r/git/refs -f ref=refs/heads/record-42 -f sha=5555" in asked
    assert "gh issue comment 42 --body Thank you" in asked
    (runner.home / "asked").unlink()
    (runner.home / "renewed").touch()
    (runner.home / "old").write_text("the record that somebody has read")
    (runner.home / "old-blob").write_text("6666\n")
    (runner.home / "old-name").write_text(f"results/sent/{runner.outputs['name']}\n")
    renew = partial(runner.step, "Open the pull request, or renew it", NAME=runner.outputs["name"])
    renew()
    pushed = "--method PATCH repos/o/r/git/refs/heads/record-42 -f sha=5555"
    comment = "gh issue comment 7 --body-file replaced.md"
    assert 0 < runner.asked.index(comment) < runner.asked.index(pushed), "first it is said"
    assert "issue comment 42" not in runner.asked, "an answer is given once"
    told = (runner.home / "work/replaced.md").read_text()
    assert "Replaced" in told
    for file in ("old", f"work/{runner.outputs['name']}"):
        assert hashlib.sha256((runner.home / file).read_bytes()).hexdigest() in told
    assert "--method PATCH repos/o/r/pulls/7 -F body=@said.md" in runner.asked, "its table too"

    (runner.home / "asked").unlink()
    (runner.home / "silent").touch()
    with pytest.raises(AssertionError):
        renew()
    assert pushed not in runner.asked, "what cannot be said is not replaced"

    (runner.home / "asked").unlink()
    (runner.home / "old-blob").write_text("3333\n")  # the issue's words were edited, not its file
    renew()
    assert pushed not in runner.asked and comment not in runner.asked


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "attached", "said"),
    [("no file", b"", "carries no file"), (FILE, b"{}", "This is no record")],
)
def test_what_is_refused_is_answered(runner: Runner, body: str, attached: bytes, said: str) -> None:
    runner.issue(body, attached)
    runner.step("Take the record")
    assert runner.outputs == {"accepted": "false"}
    (answer,) = (runner.home / "work/answer").iterdir()
    assert said in answer.read_text()
    answer.rename(runner.home / "work/said.md")
    runner.step("Say why it is refused")
    assert said in (runner.home / "work/answer.md").read_text()
    assert runner.asked.splitlines()[-1] == "gh issue comment 42 --body-file answer.md"
    (runner.home / "asked").unlink()
    (runner.home / "last").write_text((runner.home / "work/answer.md").read_text())
    runner.step("Say why it is refused")
    assert "issue comment" not in runner.asked, "what was said before is not said again"
    (runner.home / "last").unlink()
    (runner.home / "given").write_text("5\n")
    runner.step("Say why it is refused")
    assert "issue comment" not in runner.asked, "who edits without end is not answered without end"


@pytest.mark.long
@pytest.mark.parametrize("program", ["import sys; sys.exit(1)", "raise ValueError", "exit(10)"])
def test_a_program_that_dies_refuses_nothing(runner: Runner, program: str) -> None:
    """An exit code that is no answer, or a refusal without a reason, fails the job."""
    runner.issue(FILE, b"{}")
    scripts = runner.home / "work/scripts"
    scripts.unlink()
    (scripts / "records").mkdir(parents=True)
    (scripts / "records/record-of-issue").write_text(program)
    with pytest.raises(AssertionError):
        runner.step("Take the record")
    assert "accepted" not in (
        (runner.home / "output").read_text() if (runner.home / "output").exists() else ""
    )


@pytest.mark.long
def test_a_name_that_is_no_records_writes_nothing(runner: Runner) -> None:
    with pytest.raises(AssertionError):
        runner.step("Open the pull request, or renew it", NAME="../../.github/workflows/x.json")
    assert not (runner.home / "asked").exists()
