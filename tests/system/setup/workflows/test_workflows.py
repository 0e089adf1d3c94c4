"""What runs on GitHub names things that exist here, and may do no more than it must."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.suite import marks
from tests.system.setup.conftest import Run

ROOT = Path(__file__).resolve().parents[4]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEMPLATES = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def read(path: Path) -> dict[Any, Any]:
    data = yaml.safe_load(path.read_text())
    assert isinstance(data, dict)
    return data


def steps(workflow: dict[Any, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.fixture(scope="session")
def targets(run: Run) -> set[str]:
    return set(re.findall(r"^  make (\S+)", run("make").stdout, re.MULTILINE))


def test_all_of_them_are_here() -> None:
    assert {path.stem for path in WORKFLOWS} == {
        "code-scanning", "containerlab", "links", "record", "test", "weekly",
    }  # fmt: skip


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_make_target_and_script_exists(path: Path, targets: set[str]) -> None:
    found = 0
    for step in steps(read(path)):
        for line in step.get("run", "").splitlines():
            words = line.split()
            if words[:1] == ["make"]:
                asked = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
                assert asked and set(asked) <= targets, line
                found += 1
            for script in re.findall(r"(?:^|\s)((?:scripts|\.ci)/[\w-]+)", line):
                assert (ROOT / script).exists(), line
                found += 1
            for tests in re.findall(r"\s(tests/\S+)", line):
                assert list(ROOT.glob(tests)), line
    assert found or path.stem == "code-scanning", f"{path.name} runs nothing of ours"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_their_commit(path: Path) -> None:
    """A tag can be moved to another commit; the tag beside it is what Dependabot turns."""
    lines = [line for line in path.read_text().splitlines() if "uses:" in line]
    action = r"(?:actions/[\w-]+|github/codeql-action/(?:init|analyze))"
    for line in lines:
        assert re.search(rf"uses: {action}@[0-9a-f]{{40}} # v\d+\.\d+\.\d+$", line), line
    assert len(lines) == sum("uses" in step for step in steps(read(path)))


def test_an_action_is_the_same_commit_everywhere() -> None:
    pins: dict[str, set[str]] = {}
    for path in WORKFLOWS:
        for name, pin in re.findall(r"uses: (\S+)@(.+)", path.read_text()):
            pins.setdefault(name, set()).add(pin)
    assert len(pins) >= 6 and all(len(each) == 1 for each in pins.values()), pins


def test_containers_are_pinned_by_their_digest() -> None:
    named = [
        job["container"]["image"]
        for path in WORKFLOWS
        for job in read(path)["jobs"].values()
        if "container" in job
    ]
    assert named and all(re.fullmatch(r"debian:12@sha256:[0-9a-f]{64}", each) for each in named)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_only_jobs_that_run_nothing_of_ours_may_write(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        if "permissions" not in job:
            continue
        if job["permissions"] == {"contents": "read", "security-events": "write"}:
            assert not any("run" in step for step in job["steps"])
            continue
        assert not any(step.get("uses", "").startswith("actions/checkout") for step in job["steps"])
        assert not any("make " in step.get("run", "") for step in job["steps"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_failure_in_a_pipe_is_a_failure(path: Path) -> None:
    workflow = read(path)
    assert "-euo pipefail" in workflow["defaults"]["run"]["shell"]
    assert not any("shell" in step or step.get("continue-on-error") for step in steps(workflow))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_job_ends(path: Path) -> None:
    assert all("timeout-minutes" in job for job in read(path)["jobs"].values())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_script_holds_what_a_stranger_wrote(path: Path) -> None:
    for step in steps(read(path)):
        assert not re.search(r"\$\{\{[^}]*(body|title|head_ref|comment)", step.get("run", ""))


def test_every_mark_has_a_job_and_what_has_none_is_checked() -> None:
    jobs = read(ROOT / ".github/workflows/test.yml")["jobs"]
    taken = set(jobs["measured"]["strategy"]["matrix"]["mark"])
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    taken |= {mark for mark in marks.NEEDS if f"make test ONLY={mark}" in commands}
    assert taken == marks.KNOWN - {"alone", "frames", "timed"}
    assert 'make test ONLY="$MARK"' in commands
    assert "make check" in commands
    assert ".ci/run" in commands
    weekly = read(ROOT / ".github/workflows/weekly.yml")["jobs"]["timed"]
    assert "make test-timed" in [step.get("run") for step in weekly["steps"]]


@pytest.mark.parametrize(
    ("base", "changed", "live"),
    [
        ("main", ["book/method.md", "README.md"], "false"),
        ("main", ["book/method.md", "src/ppslab/lab/lab.py"], "true"),
        ("main", ["book/inventory.example.yml"], "true"),
        ("main", ["labs/fastpath/README.txt"], "true"),
        # A push onto main.
        ("", ["book/method.md"], "true"),
    ],
)
def test_only_where_nothing_but_prose_changed_is_nothing_measured(
    tmp_path: Path, base: str, changed: list[str], live: str
) -> None:
    workflow = read(ROOT / ".github/workflows/test.yml")
    (step,) = [s for s in workflow["jobs"]["changes"]["steps"] if s.get("id") == "look"]
    assert "needs.changes.outputs.live == 'true'" in workflow["jobs"]["measured"]["if"]
    assert "if" not in workflow["jobs"]["check"] and "if" not in workflow["jobs"]["browser"]
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]

    def git(*argv: str) -> None:
        subprocess.run(["git", *author, *argv], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    git("commit", "--allow-empty", "-m", "before")
    git("switch", "-c", "change")
    for name in changed:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x\n")
    git("add", ".")
    git("commit", "-m", "change")
    output = tmp_path / "output"
    told = {"BASE": base, "PROSE": workflow["env"]["PROSE"], "GITHUB_OUTPUT": str(output)}
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-euo", "pipefail", "-c", step["run"]],
        cwd=tmp_path, env={**os.environ, **told}, check=True,
    )  # fmt: skip
    assert output.read_text() == f"live={live}\n"


def test_the_chr_is_the_one_that_the_topologies_name() -> None:
    job = read(ROOT / ".github/workflows/containerlab.yml")["jobs"]["chr"]
    named = {
        version
        for path in (ROOT / "topologies").glob("*.clab.yml")
        for version in re.findall(r"image: vrnetlab/mikrotik_routeros:(\S+)", path.read_text())
    }
    assert named == {job["env"]["VERSION"]}


def test_the_label_of_the_template_starts_the_workflow() -> None:
    form = read(ROOT / ".github/ISSUE_TEMPLATE/chr-record.yml")
    condition = read(ROOT / ".github/workflows/record.yml")["jobs"]["check"]["if"]
    (label,) = form["labels"]
    assert f"'{label}'" in condition


def test_each_template_asks_something_that_must_be_answered() -> None:
    forms = [path for path in TEMPLATES if path.name != "config.yml"]
    assert len(forms) == 4
    for path in forms:
        form = read(path)
        assert form["name"] and form["description"]
        required = [part for part in form["body"] if part.get("validations", {}).get("required")]
        assert required, path.name


def test_dependabot_turns_every_kind_of_pin() -> None:
    updates = read(ROOT / ".github/dependabot.yml")["updates"]
    kinds = {each["package-ecosystem"]: each for each in updates}
    assert set(kinds) == {"devcontainers", "github-actions", "uv", "pip", "npm"}
    locks = subprocess.run(
        ["git", "ls-files", "*package-lock.json"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert {f"/{Path(lock).parent}" for lock in locks} == set(kinds["npm"]["directories"])


def test_whoever_changes_a_workflow_or_a_lock_asks_its_owner() -> None:
    lines = (ROOT / ".github/CODEOWNERS").read_text().splitlines()
    owned = {line.split()[0]: line.split()[1:] for line in lines if line and line[0] != "#"}
    assert {"/.github/", "/scripts/", "uv.lock", "package-lock.json"} <= set(owned)
    assert all(owner.startswith("@") for owners in owned.values() for owner in owners)


def test_a_build_brings_nothing_that_is_not_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    builds = [*project["build-system"]["requires"]]
    builds += project["tool"]["uv"]["build-constraint-dependencies"]
    assert builds and all("==" in each for each in builds)


def test_every_hook_runs_a_tool_of_the_locked_environment() -> None:
    (repo,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repo["repo"] == "local"
    for hook in repo["hooks"]:
        tool = ROOT / hook["entry"].split()[0]
        assert tool.exists(), f"{hook['id']}: {tool}"
