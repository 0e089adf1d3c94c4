"""The whole answers to the seen exports, and what a change of rosexplain moves in them."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path

from benchmarks.complaints.scoring import ROOT
from benchmarks.complaints.sheets import HERE, SEEN, read
from rosexplain import read_export, report, sentences, text
from rosexplain.base import base, uncollected
from rosexplain.summary import summary

KEPT = HERE / SEEN / "answers.txt"
"""A digest of the answer, and the sheet, of exports that execute each line of rosexplain."""


def exports() -> dict[str, str]:
    """The seen exports by their sheets."""
    files = sorted((HERE / SEEN).glob("*.yml"))
    return {sheet.id: sheet.export for file in files for sheet in read(file) if sheet.export}


def answer(name: str, export: str) -> str:
    """The short answer and the one with `--all`, as the terminal prints them."""
    with uncollected():
        asked = report.answered([read_export(export, f"{name}.rsc")], [], [], base(), False)
        plain = report.with_costs(asked.plain(), {})
        plain["summary"] = summary(sentences.named(plain), None)
    rows = [row for whole in (False, True)
            for row in text.answered(plain, plain["summary"], text.WIDTH, whole)]  # fmt: skip
    return "\n".join([*rows, ""])


def digest(answered: str) -> str:
    """A short name of an answer's text."""
    return hashlib.sha256(answered.encode()).hexdigest()[:16]


def kept() -> dict[str, str]:
    """The digests by sheet."""
    rows = (line.split() for line in KEPT.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in rows}


def keep() -> None:
    """Write the digests of the same sheets anew."""
    now = exports()
    rows = [f"{digest(answer(name, now[name]))} {name}\n" for name in kept() if name in now]
    KEPT.write_text("".join(rows), encoding="utf-8")


def all_answers() -> dict[str, str]:
    """Every seen export's answer."""
    now = exports()
    with Pool() as pool:
        return dict(zip(now, pool.starmap(answer, now.items(), chunksize=8), strict=True))


def changes(revision: str) -> Iterator[str]:
    """The lines of a diff: the answers of rosexplain as committed there, and as it is now.

    CalledProcessError: git has no such revision, or its rosexplain is called otherwise.
    """
    with tempfile.TemporaryDirectory() as folder:
        package = "packages/rosexplain/src"
        archive = subprocess.run(["git", "archive", revision, package], cwd=ROOT, check=True,
                                 stdout=subprocess.PIPE).stdout  # fmt: skip
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        path = str(Path(folder) / package)
        asked = [sys.executable, "-m", __name__]
        then = subprocess.run(asked, cwd=ROOT, check=True, stdout=subprocess.PIPE,
                              env=os.environ | {"PYTHONPATH": path})  # fmt: skip
    before, now = json.loads(then.stdout), all_answers()
    for name, answered in now.items():
        yield from difflib.unified_diff(
            before[name].splitlines(), answered.splitlines(), name, name, n=0, lineterm=""
        )


if __name__ == "__main__":
    json.dump(all_answers(), sys.stdout)
