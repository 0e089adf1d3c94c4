"""Rules on how a lab is taught: tasks, chapter, notebook, quiz, a recorded run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ppslab.core import documents, paths
from ppslab.core.errors import PpslabError
from ppslab.course.lab_rules.findings import ADVICE, FAULT, TO_WRITE, Finding
from ppslab.course.learning import quiz
from ppslab.course.tasks import reading
from ppslab.model import results
from ppslab.model.lab.lab import Lab
from ppslab.model.results import Record, TcpRecord

MARK = "TO WRITE"
"""What `ppslab new-lab` leaves where only a human knows the words."""
ENOUGH = 6
"""Tasks of a lab.  One that is proven teaches more than six that only fill; so it is advice."""


def chapter_of(lab: Lab) -> Path:
    """The lab's first page."""
    return paths.project_root() / "book" / lab.name / "index.md"


def pages_of(lab: Lab) -> list[Path]:
    """The pages of the lab's chapter that are written, the first one first."""
    first = chapter_of(lab)
    others = sorted(each for each in first.parent.glob("*.md") if each != first)
    return [each for each in (first, *others) if each.is_file()]


def notebook_of(lab: Lab) -> Path:
    """The lab's notebook."""
    return paths.project_root() / "notebooks" / f"{lab.name}.ipynb"


def tasks_are_there(lab: Lab) -> Iterator[Finding]:
    """One task at least, since a chapter without is read and not done."""
    path = lab.folder / reading.FILE
    if not reading.has(lab):
        yield Finding(TO_WRITE, path, None, "no tasks: what does a learner do at the router?")
        return
    count = len(reading.load(lab).all)
    if count < ENOUGH:
        message = f"{count} of about {ENOUGH} tasks: let each condition be done by hand once"
        yield Finding(ADVICE, path, None, message)


def pages_are_listed(lab: Lab) -> Iterator[Finding]:
    """A chapter and a notebook, both in the table of contents."""
    toc = paths.project_root() / "_toc.yml"
    listed = set(re.findall(r"file: (\S+)", documents.read_text(toc)))
    for path in (chapter_of(lab), *pages_of(lab)[1:], notebook_of(lab)):
        name = path.relative_to(paths.project_root()).with_suffix("")
        if not path.is_file():
            yield Finding(FAULT, path, None, f"lab {lab.name} has no such page")
        elif str(name) not in listed:
            yield Finding(FAULT, toc, None, f"no entry `file: {name}`")


def the_chapter_teaches(lab: Lab) -> Iterator[Finding]:
    """What one will know, in how many minutes; a guess before the result; a quiz; key points."""
    path = chapter_of(lab)
    if not path.is_file():
        return
    text = documents.read_text(path)
    whole = "\n".join(documents.read_text(each) for each in pages_of(lab))
    goals = re.search(r"^:::\{ppslab-goals\}\n(.*?)^:::$", text, re.MULTILINE | re.DOTALL)
    for said, where, pattern in (
        ("begins with no :::{ppslab-goals}", text, r"^:::\{ppslab-goals\}$"),
        (
            "asks for no guess: ppslab-predict or ppslab-guess",
            whole,
            r"\{ppslab-(?:predict|guess)\} ",
        ),
        (f"has no quiz: ppslab-quiz {lab.name}", whole, rf"\{{ppslab-quiz\}} {lab.name}$"),
        ("ends with no :::{ppslab-keys}", whole, r"^:::\{ppslab-keys\}\n- "),
    ):
        if not re.search(pattern, where, re.MULTILINE):
            yield Finding(FAULT, path, None, f"the chapter {said}")
    if goals:
        line = text[: goals.start()].count("\n") + 1
        for said, pattern in (
            ("how many minutes it is to read (:reading: N)", r"^:reading: \d+$"),
            ("what the reader will know", r"^- \w"),
        ):
            if not re.search(pattern, goals[1], re.MULTILINE):
                yield Finding(FAULT, path, line, f"the goals do not say {said}")


def the_quiz_fits(lab: Lab) -> Iterator[Finding]:
    """Questions that stand on sentences of the chapter."""
    try:
        if lab.name not in quiz.names():
            message = f"lab {lab.name} has no quiz: labs/_template/quiz.yml shows one"
            yield Finding(TO_WRITE, quiz.path_of(lab.name), None, message)
            return
        quiz.find(lab.name)
    except PpslabError as error:
        path = getattr(error, "path", quiz.path_of(lab.name))
        yield Finding(
            FAULT, path, getattr(error, "line", None), getattr(error, "message", str(error))
        )


def a_run_is_recorded(lab: Lab) -> Iterator[Finding]:
    """What the pages show until somebody measures."""
    kept = [
        path
        for kind in (Record, TcpRecord)
        for path in results.stored(lab.name, kind)
        if path.parent.name != "local"
    ]
    if not kept:
        message = f"no run in results/: ppslab run {lab.name} --out results/NAME.json measures one"
        yield Finding(TO_WRITE, lab.folder, None, message)


def nothing_is_left_to_write(lab: Lab) -> Iterator[Finding]:
    """The words that `ppslab new-lab` could not know."""
    files = [p for p in sorted(lab.folder.rglob("*")) if p.suffix in (".yml", ".rsc", ".csv")]
    for path in (*files, quiz.path_of(lab.name), *pages_of(lab), notebook_of(lab)):
        if not path.is_file():
            continue
        for number, line in enumerate(documents.read_text(path).splitlines(), 1):
            if MARK in line:
                said = line.split(MARK, 1)[1].strip(' :"\\n,-.`')
                yield Finding(TO_WRITE, path, number, said)
