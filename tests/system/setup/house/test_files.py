"""The files that a visitor and a machine look for first."""

from __future__ import annotations

import os
import re
from pathlib import Path

import yaml

from tests.system.setup.conftest import Run


def test_ci_runs_make_test(run: Run, root: Path) -> None:
    script = root / ".ci/run"
    assert os.access(script, os.X_OK)
    text = script.read_text()
    assert "set -euo pipefail" in text
    assert text.rstrip().endswith("\nmake test")
    assert run("git", "ls-files", "-s", ".ci/run").stdout.startswith("100755")


def test_every_script_may_be_run(run: Run) -> None:
    listed = run("git", "ls-files", "-s", "scripts").stdout
    for line in listed.splitlines():
        mode, name = line.split()[0], line.split("\t")[1]
        assert (mode == "100755") == (not name.endswith((".txt", ".md", ".patch", ".json"))), line


def test_links_of_the_readme_lead_somewhere(root: Path) -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        for link in re.findall(r"\]\(([^)#:]+)\)", (root / page).read_text()):
            assert (root / link).exists(), f"{page}: {link}"


def test_make_targets_of_the_prose_exist(run: Run, root: Path) -> None:
    targets = set(re.findall(r"^  make (\S+)", run("make").stdout, re.MULTILINE))
    for page in ("README.md", "CONTRIBUTING.md"):
        text = (root / page).read_text()
        named = set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", text, re.MULTILINE))
        assert named and named <= targets, f"{page}: {named - targets}"


def test_the_citation_names_this_version(root: Path) -> None:
    citation = yaml.safe_load((root / "CITATION.cff").read_text())
    version = re.search(r'^version = "(.+)"$', (root / "pyproject.toml").read_text(), re.MULTILINE)
    assert version and citation["version"] == version[1]
    assert citation["license"] == "Apache-2.0"


def test_uv_is_pinned_with_its_hashes(root: Path) -> None:
    pins = (root / "scripts/setup/uv.txt").read_text()
    assert re.match(r"uv==\d+\.\d+\.\d+ \\\n", pins)
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", pins)) > 5
