"""What a visitor looks for and types first: the Makefile, and files that name others."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
import yaml

from ppslab.judge.claims import keys
from ppslab.model.lab import published
from tests.system.setup.conftest import Run

ROOT = Path(__file__).resolve().parents[3]


def targets(text: str) -> set[str]:
    return set(re.findall(r"^  make (\S+) +\S", text, re.MULTILINE))


NAMING = [
    *sorted((ROOT / ".github/workflows").glob("*.yml")),
    ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / ".devcontainer/start",
]  # fmt: skip


@pytest.mark.parametrize("path", NAMING, ids=lambda path: path.name)
def test_what_is_named_elsewhere_exists(run: Run, path: Path) -> None:
    """Targets of make, and in a workflow scripts and tests too; in prose between backticks."""
    text = re.sub(r"^\s*#.*", "", path.read_text(), flags=re.MULTILINE)
    before = r"\bmake (?:[A-Z-]\S* )*" if path.name == "start" else r"(?:`|^|run: |^ +)make "
    named = set(re.findall(rf"{before}([a-z][a-z-]*)", text, re.MULTILINE))
    assert named <= targets(run("make").stdout)
    assert named or path.suffix == ".yml"
    if path.suffix == ".yml":
        for name in re.findall(r"(?:^|\s)((?:scripts|\.ci|tests)/[\w./*-]+)", text):
            assert list(ROOT.glob(name)), name


def test_a_second_setup_does_nothing(run: Run) -> None:
    done = run("make", "--question", "setup")
    assert done.returncode == 0, f"make setup would do again:\n{run('make', '-n', 'setup').stdout}"


@pytest.mark.parametrize(
    "changed", ["uv.lock", "traffic/Makefile", "images/linux-router/bpf/fib_forward.bpf.c"]
)
def test_what_changed_is_made_again(run: Run, changed: str) -> None:
    assert run("make", "--question", f"--what-if={changed}", "setup").returncode == 1


def test_elsewhere_than_linux_it_says_what_to_do(run: Run, tmp_path: Path) -> None:
    uname = tmp_path / "uname"
    uname.write_text("#!/bin/sh\necho Darwin\n")
    uname.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    refused = run("make", "setup", env=env)
    assert refused.returncode != 0
    assert "WSL2" in refused.stderr
    # The site needs only Python: no package but Python's is asked for.
    asked = run("make", "--dry-run", "--always-make", "site", env=env).stdout
    assert re.findall(r"system-packages (\w+)", asked) == ["python"]


@pytest.mark.long
def test_it_works_in_a_folder_with_spaces(run: Run, root: Path, tmp_path: Path) -> None:
    there = tmp_path / "a lab of my own"
    (there / "images/linux-router/bpf").mkdir(parents=True)
    for name in ("Makefile", "scripts"):
        source = root / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, there / name)
    for source in (root / "images/linux-router/bpf").iterdir():
        shutil.copy(source, there / "images/linux-router/bpf")
    done = run("make", "bpf", cwd=there)
    assert done.returncode == 0, done.stderr
    assert (there / "_build/bpf/fib_forward.o").stat().st_size > 0
    again = run("make", "bpf", cwd=there)
    assert "Nothing to be done" in again.stdout


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
