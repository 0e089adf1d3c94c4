"""The workflow `record`: what it does with an issue, run here with a curl and a gh of our own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.model import results
from tests.support.factory import make_record
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.long

FILE = "https://github.com/user-attachments/files/12345/record.json"
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
  *"git/blobs"*) echo 3333 ;;
  *"git/trees"*) echo 4444 ;;
  *"git/commits "*) echo 5555 ;;
  *"git/ref/heads/record-"*) [ -e "$HOME/renewed" ] ;;
  *"--method GET"*) [ ! -e "$HOME/renewed" ] || echo https://github.com/o/r/pull/7 ;;
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


def record() -> bytes:
    router = {"name": "routeros", "cannot_show": "no switch chip"}
    made = make_record(rounds=2).model_copy(update={"router": router})
    return made.model_dump_json(by_alias=True).encode()


@pytest.mark.parametrize("newer", [False, True], ids=["alone", "a newer run here"])
def test_a_record_becomes_a_file_in_results_sent(runner: Runner, newer: bool) -> None:
    if newer:
        results.save(
            make_record(), runner.home / "results/fastpath-20991231T000000Z-namespaces.json"
        )
    runner.issue(f"### Record\n\n[record.json]({FILE})\n$(touch pwned) `touch pwned`\n", record())
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
    runner.step("Open the pull request, or renew it", NAME=runner.outputs["name"])
    assert "--method PATCH repos/o/r/git/refs/heads/record-42 -f sha=5555" in runner.asked
    assert "issue comment" not in runner.asked, "an answer is given once"


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


def test_a_name_that_is_no_records_writes_nothing(runner: Runner) -> None:
    with pytest.raises(AssertionError):
        runner.step("Open the pull request, or renew it", NAME="../../.github/workflows/x.json")
    assert not (runner.home / "asked").exists()
