"""What runs on GitHub names things that exist here, and may do no more than it must."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.setup.conftest import Run

ROOT = Path(__file__).resolve().parents[2]
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
        "containerlab", "links", "record", "test", "weekly",
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
    assert found, f"{path.name} runs nothing of ours"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_their_full_tag(path: Path) -> None:
    for step in steps(read(path)):
        if "uses" in step:
            assert re.fullmatch(r"actions/[\w-]+@v\d+\.\d+\.\d+", step["uses"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_only_jobs_that_run_nothing_of_ours_may_write(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        if "permissions" not in job:
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
    kinds = {each["package-ecosystem"] for each in read(ROOT / ".github/dependabot.yml")["updates"]}
    assert kinds == {"devcontainers", "github-actions", "uv", "pip"}


def test_every_hook_runs_a_tool_of_the_locked_environment() -> None:
    (repo,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repo["repo"] == "local"
    for hook in repo["hooks"]:
        tool = ROOT / hook["entry"].split()[0]
        assert tool.exists(), f"{hook['id']}: {tool}"
