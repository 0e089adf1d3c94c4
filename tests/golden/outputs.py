"""The commands whose output is kept, and the text of the site's pages."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import typer
import yaml
from bs4 import BeautifulSoup
from typer.testing import CliRunner

from ppslab.cli import app
from ppslab.core.errors import PpslabError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# NumPy adds in the order that suits a CPU's vectors: two machines differ in the last of 17 digits.
_EXACT = re.compile(r"\d+\.\d{12,}(?:e[+-]\d+)?")


@dataclass(frozen=True)
class Case:
    """Command lines, run at the project's root, and the file of what they printed."""

    commands: tuple[tuple[str, ...], ...]
    expected: Path


def cases() -> Iterator[Case]:
    """Every command's help, and the commands of each row of commands.yml."""
    helps = ((*command, "--help") for command in _commands(typer.main.get_command(app), ()))
    yield Case(tuple(helps), HERE / "help.txt")
    rows = yaml.safe_load((HERE / "commands.yml").read_text(encoding="utf-8"))
    for name, lines in rows.items():
        commands = tuple(tuple(shlex.split(line)) for line in lines)
        yield Case(commands, HERE / "outputs" / f"{name}.txt")


def output(case: Case, records: Path) -> str:
    """What the commands print of these records; of several, each below its command line."""
    if len(case.commands) == 1:
        return _printed(case.commands[0], records)
    return "\n".join(
        f"$ {shlex.join(('ppslab', *words))}\n{_printed(words, records)}" for words in case.commands
    )


def _printed(words: Sequence[str], records: Path) -> str:
    """What a command prints, 100 columns wide, to 12 digits; and its exit code."""
    settings = {"COLUMNS": "100", "NO_COLOR": "1", "PPSLAB_RESULTS": str(records)}
    with patch.dict(os.environ, settings):
        result = CliRunner().invoke(app, list(words), prog_name="ppslab")
    error, code = result.exception, result.exit_code
    if isinstance(error, PpslabError):
        code = error.exit_code
    elif error and not isinstance(error, SystemExit):
        raise error
    text = _EXACT.sub(lambda number: f"{float(number[0]):.12g}", result.output)
    lines = [line.rstrip() for line in text.splitlines()]
    if isinstance(error, PpslabError):
        lines.append(f"ppslab: {error}")
    return "\n".join([*lines, f"exit {code}", ""])


def write_pages(folder: Path) -> None:
    """Write the text of each page of _build/html, without scripts and drawings.

    The text depends on what was measured: compare sites that were built from the same records.
    """
    site = ROOT / "_build/html"
    for page in sorted(site.rglob("*.html")):
        soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
        article = soup.find("article") or soup.body
        if article is None:
            continue
        for hidden in article.find_all(["script", "style", "svg"]):
            hidden.decompose()
        text = [line.strip() for line in article.get_text("\n").splitlines() if line.strip()]
        target = folder / page.relative_to(site).with_suffix(".txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join([*text, ""]), encoding="utf-8")


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words of every command; typer brings click's classes along, under a private name."""
    yield path
    below = getattr(command, "commands", {})
    for name in sorted(below):
        yield from _commands(below[name], (*path, name))
