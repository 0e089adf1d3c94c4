"""The files that a visitor looks for first are right."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from ppslab.judge.claims import keys
from ppslab.model.lab import published

ROOT = Path(__file__).resolve().parents[3]


def test_links_of_the_readme_lead_somewhere(root: Path) -> None:
    for page in ("README.md", "CONTRIBUTING.md"):
        for link in re.findall(r"\]\(([^)#:]+)\)", (root / page).read_text()):
            assert (root / link).exists(), f"{page}: {link}"


def test_the_citation_names_this_version(root: Path) -> None:
    citation = yaml.safe_load((root / "CITATION.cff").read_text())
    version = re.search(r'^version = "(.+)"$', (root / "pyproject.toml").read_text(), re.MULTILINE)
    assert version and citation["version"] == version[1]


def test_the_templates_readme_knows_the_columns_and_the_keys_of_every_judge(root: Path) -> None:
    text = (root / "labs/_template/README.md").read_text()
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    columns = {name.strip() for cell in cells for name in cell.split(",")}
    assert set(published.COLUMNS) <= columns
    assert keys.with_tables(text) == text, "python -m ppslab.judge.claims.keys makes it anew"
    described = re.findall(r"^\| \w+ \| .* \| (.*) \|$", keys.tables(), re.MULTILINE)
    assert all(described), "a key of a judge has no description in the model"
