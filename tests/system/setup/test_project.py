"""What is brought from elsewhere is pinned; the files that a visitor looks for first are right."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from ppslab.judge.claims import keys
from ppslab.model import results
from ppslab.model.lab import published

ROOT = Path(__file__).resolve().parents[3]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
DOCKERFILES = sorted((ROOT / "images").glob("*/Dockerfile"))
DEVCONTAINER = ROOT / ".devcontainer"


def read(path: Path) -> dict[Any, Any]:
    data = yaml.safe_load(path.read_text())
    assert isinstance(data, dict)
    return data


def test_containers_are_pinned_by_their_digest() -> None:
    named = [
        job["container"]["image"]
        for path in WORKFLOWS
        for job in read(path)["jobs"].values()
        if "container" in job
    ]
    assert named and all(re.fullmatch(r"debian:12@sha256:[0-9a-f]{64}", each) for each in named)


def test_images_stand_on_one_base_by_its_digest_and_on_one_day() -> None:
    text = "\n".join(path.read_text() for path in DOCKERFILES)
    both = text + (DEVCONTAINER / "Dockerfile").read_text()
    (base,) = set(re.findall(r"^ARG BASE=(.*)", both, re.M))
    assert re.fullmatch(r"debian:bookworm-slim@sha256:[0-9a-f]{64}", base)
    (day,) = set(re.findall(r"^ARG SNAPSHOT=(.*)", text, re.M))
    assert re.fullmatch(r"20\d{6}T000000Z", day)
    # Every package comes by images/install, which takes that day's.
    assert "apt-get" not in re.sub(r"^#.*", "", text, flags=re.M)


def test_a_feature_of_the_devcontainer_is_pinned() -> None:
    features = json.loads((DEVCONTAINER / "devcontainer.json").read_text())["features"]
    assert all(re.fullmatch(r"ghcr\.io/\S+:\d+\.\d+\.\d+", each) for each in features)


def test_a_build_brings_nothing_that_is_not_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    builds = [*project["build-system"]["requires"]]
    builds += project["tool"]["uv"]["build-constraint-dependencies"]
    assert builds and all("==" in each for each in builds)


def test_uv_is_pinned_with_its_hashes() -> None:
    pins = (ROOT / "scripts/setup/uv.txt").read_text()
    assert re.match(r"uv==\d+\.\d+\.\d+ \\\n", pins)
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", pins)) > 5


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_only_jobs_that_run_nothing_of_ours_may_write(path: Path) -> None:
    for job in read(path)["jobs"].values():
        if "permissions" not in job:
            continue
        if job["permissions"] == {"contents": "read", "security-events": "write"}:
            assert not any("run" in step for step in job["steps"])
            continue
        assert not any(step.get("uses", "").startswith("actions/checkout") for step in job["steps"])
        assert not any("make " in step.get("run", "") for step in job["steps"])


def test_links_of_the_readme_lead_somewhere(root: Path) -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        for link in re.findall(r"\]\(([^)#:]+)\)", (root / page).read_text()):
            assert (root / link).exists(), f"{page}: {link}"


def test_the_citation_names_this_version(root: Path) -> None:
    citation = yaml.safe_load((root / "CITATION.cff").read_text())
    version = re.search(r'^version = "(.+)"$', (root / "pyproject.toml").read_text(), re.MULTILINE)
    assert version and citation["version"] == version[1]


def test_the_label_of_the_template_starts_the_workflow(root: Path) -> None:
    form = yaml.safe_load((root / ".github/ISSUE_TEMPLATE/chr-record.yml").read_text())
    workflow = yaml.safe_load((root / ".github/workflows/record.yml").read_text())
    (label,) = form["labels"]
    assert f"'{label}'" in workflow["jobs"]["check"]["if"]


def test_what_runs_on_a_push_or_decides_over_records_has_an_owner(root: Path) -> None:
    lines = (root / ".github/CODEOWNERS").read_text().splitlines()
    rules = [line.split() for line in lines if line and not line.startswith("#")]
    for rule, *owners in rules:
        assert owners and all(owner.startswith("@") for owner in owners), rule
        there = rule.strip("/")
        assert (root / there).is_dir() or there == f"results/{results.SENT}", rule
    for path in ("/.github/workflows/record.yml", "/scripts/records/record-of-issue"):
        assert (root / path.strip("/")).is_file()
        assert any(path.startswith(rule) for rule, *_ in rules), path


@pytest.fixture
def copied(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The template under a lab's name, in a checkout that holds nothing else."""
    shutil.copytree(root / "labs/_template", tmp_path / "labs/mylab")
    shutil.copytree(root / "topologies", tmp_path / "topologies")
    monkeypatch.setenv("PPSLAB_ROOT", str(tmp_path))
    return tmp_path / "labs/mylab"


def test_its_readme_knows_the_columns_and_the_keys_of_every_judge(copied: Path) -> None:
    text = (copied / "README.md").read_text()
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    columns = {name.strip() for cell in cells for name in cell.split(",")}
    assert set(published.COLUMNS) <= columns
    assert keys.with_tables(text) == text, "python -m ppslab.judge.claims.keys makes it anew"
    described = re.findall(r"^\| \w+ \| .* \| (.*) \|$", keys.tables(), re.MULTILINE)
    assert all(described), "a key of a judge has no description in the model"
