"""The files that a visitor and a machine look for first."""

from __future__ import annotations

import re
from pathlib import Path

import yaml


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
