"""What a chapter takes and leaves, read from its pages: minutes, goals, key points, tasks, quiz."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ppslab.core import documents, paths
from ppslab.core.errors import FileError, UsageError, did_you_mean
from ppslab.course.learning import quiz
from ppslab.course.learning.chapters import files, listed
from ppslab.model.lab import lab as labs
from ppslab_class.content import TaskWords, tasks_of

QUESTION_MINUTES = 1
"""For one question of a quiz, and why its wrong answers are wrong."""

_BOX = re.compile(r":::\{ppslab-(goals|keys)\}\n(.*?)\n:::", re.DOTALL)
_OPTION = re.compile(r"^:(\w+): *(.+)$", re.MULTILINE)
_LABEL = re.compile(r"^\((\S+)\)=$", re.MULTILINE)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Chapter:
    """A chapter as a day needs it.

    `name`: its folder or file below `book/`; `label`: by which other chapters name it; `exercises`:
    minutes of its own exercises, where it has no tasks.
    """

    name: str
    title: str
    label: str
    after: tuple[str, ...]
    reading: int
    running: int
    exercises: int
    goals: tuple[str, ...]
    keys: tuple[str, ...]
    tasks: tuple[TaskWords, ...]
    questions: tuple[quiz.Question, ...]

    @property
    def least(self) -> int:
        """Minutes without any task."""
        return self.reading + self.running + self.quiz_minutes

    @property
    def quiz_minutes(self) -> int:
        """Minutes of its quiz."""
        return len(self.questions) * QUESTION_MINUTES


def names() -> list[str]:
    """Every chapter that names minutes, in the order of the table of contents."""
    return [name for name in listed() if _goals(_page(name)) is not None]


def load(name: str) -> Chapter:
    """A chapter by its folder or file; UsageError where there is none that names minutes."""
    page = _page(name)
    goals = _goals(page) if name in listed() else None
    if goals is None:
        known = names()
        near = did_you_mean(name, known)
        raise UsageError(f"no chapter {name!r}{near}: there are {', '.join(known)}")
    text = documents.read_text(page)
    minutes, points = goals
    title, label = _TITLE.search(text), _LABEL.search(text)
    if title is None:
        raise FileError(page, None, "has no title: a line that begins with '# '")
    return Chapter(
        name=name,
        title=title[1].strip(),
        label=label[1] if label else name,
        after=tuple(minutes.get("after", "").split()),
        reading=_minutes(minutes, "reading") + _minutes(minutes, "planning"),
        running=_minutes(minutes, "running"),
        exercises=_minutes(minutes, "exercises"),
        goals=points,
        keys=_keys(name),
        tasks=_tasks(name),
        questions=_questions(name),
    )


def _page(name: str) -> Path:
    book = paths.project_root() / "book"
    folder = book / name / "index.md"
    return folder if folder.is_file() else book / f"{name}.md"


def _boxes(page: Path, kind: str) -> list[str]:
    if not page.is_file():
        return []
    return [body for word, body in _BOX.findall(documents.read_text(page)) if word == kind]


def _goals(page: Path) -> tuple[dict[str, str], tuple[str, ...]] | None:
    boxes = _boxes(page, "goals")
    return (dict(_OPTION.findall(boxes[0])), _points(boxes[0])) if boxes else None


def pages(name: str) -> list[Path]:
    """The pages of a chapter, in the order of the table of contents.

    Of a folder's chapter all of its pages, but for those that are chapters of their own.
    """
    page = _page(name)
    if page.name != "index.md":
        return [page]
    found = [
        paths.project_root() / "book" / f"{each}.md"
        for each in files()
        if each.startswith(f"{name}/")
    ]
    return [each for each in found if each == page or _goals(each) is None]


def _keys(name: str) -> tuple[str, ...]:
    """Any page of a chapter may hold them, as a rule the last."""
    return tuple(
        point for each in pages(name) for box in _boxes(each, "keys") for point in _points(box)
    )


def _points(body: str) -> tuple[str, ...]:
    lines = [line.strip() for line in body.splitlines()]
    return tuple(line[2:].rstrip(",.") for line in lines if line.startswith("- "))


def _minutes(options: dict[str, str], kind: str) -> int:
    return int(options.get(kind, "0"))


def _tasks(name: str) -> tuple[TaskWords, ...]:
    return tasks_of(labs.find(name)) if name in labs.names() else ()


def _questions(name: str) -> tuple[quiz.Question, ...]:
    stem = Path(name).name
    if stem not in quiz.names():
        return ()
    return tuple(quiz.find(stem).questions.values())
