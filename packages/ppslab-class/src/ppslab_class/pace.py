"""How long the blocks of a day take those who sit in it: what they read, type, wait and think.

Words and keys are counted, waits were measured, and the rest is assumed: the constants say which.
No class of people has been timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Final, Literal, TypeAlias

from ppslab.core import documents, paths
from ppslab.course import cases
from ppslab.course.learning import quiz
from ppslab.course.own_seat import Told
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import Variant, Without
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab_class import content, slides
from ppslab_class.content import CASE_MINUTES, CASES, Content
from ppslab_class.timetable import Category, Slot
from rosexplain import explain, read_export, report, text
from rosexplain.summary import summary

# --- assumed --------------------------------------------------------------------------------------

WORDS_A_MINUTE: Final = 200
"""Reading, the speed behind the minutes of the course's pages."""
KEYS_A_MINUTE: Final = 150
"""Typing commands: 30 words of five characters."""
WIFI_MINUTES: Final = 2.0
"""To find a seat and the Wi-Fi."""
EXPORT_MINUTES: Final = 1.0
"""To drop an export that was made at home."""
ALOUD: Final = 2
"""So many answers are read aloud to all."""
FAILS: Final = (0, 0, 1, 1, 2, 4)
"""Failed checks of a task before it passes; each is as likely."""
HELP_AFTER: Final = 4
"""Failed checks of one task: one more than those after which the board calls a seat stuck."""
HINTS: Final = 0.3
"""Of the tasks so many are done with a hint, without a failed check."""
AFTER_FAIL_MINUTES: Final = 1.0
"""Of thought, after a failed check."""
QUESTION_MINUTES: Final = 0.5
"""Of thought, for a question of a quiz."""
LINE: Final = "What I will look at on my router tomorrow."
"""Of an exit ticket."""
MOVES: Final = (0, 0, 1, 2)
"""Of a case above its par."""

# --- measured -------------------------------------------------------------------------------------

START_SECONDS: Final = (12.8, 109.8)
CHECK_SECONDS: Final = (15.0, 21.1)
"""Of a lab's start and a task's check, median and 99 %: eight seats on a server with two slow
virtual CPUs, 26 November 2026 (book/hall-reference.md, "Rehearsals").

The last seat has the 99 %, the others the median.
"""

# --------------------------------------------------------------------------------------------------

Basis: TypeAlias = Literal["counted", "measured", "assumed"]

MEASURED_PAGE: Final = slides.MEASURED_PAGE
NOT_TOLD: Final = (MEASURED_PAGE, "tasks.md")


@dataclass(frozen=True)
class Step:
    """A part of a block: `page` is loaded first, `tells` goes to the board at its end."""

    minutes: float
    basis: Basis
    tells: tuple[Told, ...] = ()
    page: str = ""


def page_name(address: str) -> str:
    """A page as seat.js names it.

    >>> page_name("/book/fastpath/index.html"), page_name("/index.html")
    ('book/fastpath', 'index')
    """
    bare = address.removeprefix("/").removesuffix(".html").removesuffix("index")
    return bare.rstrip("/") or "index"


class Pace:
    """The steps of each seat in each block of a day, with the pages of a built site."""

    def __init__(self, course: Content, site: Path, seats: int, slots: Sequence[Slot]) -> None:
        self.course = course
        self.site = site
        self.seats = seats
        self.ticket = tuple(
            f"{name}/quiz/{next(iter(quiz.find(name).questions))}"
            for name in dict.fromkeys(slot.chapter for slot in slots if slot.category == "quiz")
        )[:3]
        """The questions of the exit ticket: the first of each quiz of the day."""
        self._begun: set[tuple[int, str]] = set()
        self._words = cache(self._words_of)

    def address(self, slot: Slot) -> str:
        """The page that the class is at in a block; empty: none."""
        if slot.chapter:
            page = {"running": MEASURED_PAGE, "task": "tasks.md"}.get(slot.category, "index.md")
            return f"/book/{slot.chapter}/{page.removesuffix('.md')}.html"
        pages: dict[Category, str] = {
            "welcome": "/index.html",
            "exports": "/book/explain.html",
            "cases": "/book/cases.html",
        }
        return pages.get(slot.category, "")

    def steps(self, slot: Slot, seat: int, dice: Random) -> list[Step]:
        """What a seat (from 0) does in a block; nothing in a break."""
        kinds: Mapping[Category, Callable[[Slot, int, Random], Iterator[Step]]] = {
            "welcome": self._welcome,
            "exports": self._exports,
            "telling": self._telling,
            "running": self._running,
            "task": self._task,
            "quiz": self._quiz,
            "cases": self._cases,
            "exit": self._exit,
        }
        return list(kinds[slot.category](slot, seat, dice)) if slot.category in kinds else []

    def _welcome(self, slot: Slot, seat: int, dice: Random) -> Iterator[Step]:
        yield Step(WIFI_MINUTES, "assumed")
        yield typed("https://192.0.2.7:8443 K7PM-3XWD")
        yield from self._read(self.address(slot))

    def _exports(self, slot: Slot, seat: int, dice: Random) -> Iterator[Step]:
        """The export stays in the browser: only that the page is open is told."""
        yield from self._read(self.address(slot))
        yield Step(EXPORT_MINUTES, "assumed")
        seconds, words = _answer(seat)
        yield Step(seconds / 60, "measured")
        yield Step(words / WORDS_A_MINUTE, "counted")
        aloud = sum(_answer(other)[1] for other in range(ALOUD))
        yield Step(aloud / WORDS_A_MINUTE, "counted")

    def _telling(self, slot: Slot, seat: int, dice: Random) -> Iterator[Step]:
        pages = [page for page in content.chapter_pages(slot.chapter) if page.name not in NOT_TOLD]
        steps = [step for page in pages for step in self._read(_address(page))]
        question, figure = self._question(slot.chapter)
        guess = f"{figure * dice.lognormvariate(0, 0.5):.2g}"
        steps.insert(2, Step(0, "counted", (("guess", question, guess),)))
        yield from steps
        yield _rest(slides.minutes(slot.chapter)[0], steps)

    def _running(self, slot: Slot, seat: int, dice: Random) -> Iterator[Step]:
        """The run was started when the telling began."""
        told, together = slides.minutes(slot.chapter)
        record = results.newest(slot.chapter)
        if record is not None:
            ran = (record.finished - record.started).total_seconds() / 60
            yield Step(max(0.0, ran - told), "measured")
        steps = list(self._read(self.address(slot)))
        yield from steps
        question, figure = self._question(slot.chapter)
        value = f"{figure * dice.gauss(1, 0.02):.3g}"
        yield Step(0, "counted", (("measured", question, value),))
        yield _rest(together, steps)

    def _task(self, slot: Slot, seat: int, dice: Random) -> Iterator[Step]:
        tasks = reading.load(labs.find(slot.chapter))
        task = tasks.task(slot.task.rpartition("/")[2])
        variant: Variant = "linux" if isinstance(task.routeros, Without) else "routeros"
        page = page_name(self.address(slot))
        slow = seat == self.seats - 1
        check = CHECK_SECONDS[slow] / 60
        if (seat, slot.chapter) not in self._begun:
            self._begun.add((seat, slot.chapter))
            yield Step(START_SECONDS[slow] / 60, "measured")
        yield Step(0, "counted", (("at", page, ""),), self.address(slot))
        yield read(task.text_for(variant))
        yield Step(task.minutes, "assumed")
        solution = typed(*(lines for _, lines in tasks.solution(task, variant)))
        yield solution
        fails = dice.choice(FAILS)
        hints = iter(task.hints_for(variant))
        for number in range(1, fails + 1):
            asks: tuple[Told, ...] = (("help", page, "asked"),) if number == HELP_AFTER else ()
            yield Step(check, "measured", (("tried", slot.task, "fail"), *asks))
            if hint := next(hints, ""):
                yield Step(read(hint).minutes, "counted", (("hint", slot.task, ""),))
            yield Step(AFTER_FAIL_MINUTES, "assumed")
            yield solution
        if not fails and dice.random() < HINTS:
            yield Step(read(next(hints)).minutes, "counted", (("hint", slot.task, ""),))
        eased: tuple[Told, ...] = (("help", page, "withdrawn"),) if fails >= HELP_AFTER else ()
        passed: tuple[Told, ...] = (("tried", slot.task, "pass"), ("done", slot.task, ""))
        yield Step(check, "measured", (*passed, *eased))

    def _quiz(self, slot: Slot, seat: int, dice: Random) -> Iterator[Step]:
        for name, question in quiz.find(slot.chapter).questions.items():
            answers = question.answers.values()
            yield read(question.ask, *(f"{one.says} {one.because}" for one in answers))
            done: Told = ("done", f"{slot.chapter}/quiz/{name}", "")
            yield Step(QUESTION_MINUTES, "assumed", (done,))

    def _cases(self, slot: Slot, seat: int, dice: Random) -> Iterator[Step]:
        """Each pair two cases of its own: one of difficulty 1, one of 2; who asked tells it."""
        yield from self._read(self.address(slot))
        pair, turn = divmod(seat, 2)
        alone = turn == 0 and seat == self.seats - 1
        for number, difficulty in enumerate((1, 2)):
            known = [name for name, each in cases.every() if each.difficulty == difficulty]
            name = known[pair % len(known)]
            case = cases.load(name)
            asked = [f"{one.command} {one.prints}" for one in case.outputs[: case.par]]
            yield read(case.symptom, *asked, *(cause.text for cause in case.causes))
            yield Step(CASE_MINUTES[difficulty], "assumed")
            moves = case.par + dice.choice(MOVES)
            solved: Told = ("tried", f"{CASES}/task/{name}", f"pass {moves}")
            tells = (solved,) if alone or number == turn else ()
            yield Step(typed(case.solutions[0]).minutes, "counted", tells)
            yield read(case.debrief)

    def _exit(self, slot: Slot, seat: int, dice: Random) -> Iterator[Step]:
        for what in self.ticket:
            asked = self.course.quizzes[what]
            yield read(asked.ask, *(says for _, says in asked.answers))
            letter = dice.choice([letter for letter, _ in asked.answers])
            yield Step(QUESTION_MINUTES, "assumed", (("exit", what, letter),))
        yield Step(typed(LINE).minutes, "counted", (("exit", "day/exit/line", LINE),))

    def _read(self, address: str) -> Iterator[Step]:
        yield Step(0, "counted", (("at", page_name(address), ""),), address)
        yield Step(self._words(address) / WORDS_A_MINUTE, "counted")

    def _words_of(self, address: str) -> int:
        path = self.site / address.removeprefix("/")
        return visible_words(documents.read_text(path)) if path.is_file() else 0

    def question(self, chapter: str) -> str:
        """What is guessed and measured in a chapter."""
        return self._question(chapter)[0]

    def _question(self, chapter: str) -> tuple[str, float]:
        name = next(key for key in self.course.questions if key.startswith(f"{chapter}/"))
        figures = [each.value for each in self.course.questions[name].beside if each.value]
        return name, figures[-1] if figures else 1.0


def read(*texts: str) -> Step:
    """Texts, read once."""
    return Step(sum(len(one.split()) for one in texts) / WORDS_A_MINUTE, "counted")


def typed(*texts: str) -> Step:
    """Lines, typed once; they are indented by the editor."""
    lines = [line.strip() for one in texts for line in one.splitlines()]
    return Step(sum(len(line) + 1 for line in lines) / KEYS_A_MINUTE, "counted")


def _rest(minutes: float, steps: Iterable[Step]) -> Step:
    """What is left of the slides when the pages are read: their minutes are the author's."""
    return Step(max(0.0, minutes - sum(step.minutes for step in steps)), "assumed")


def _address(page: Path) -> str:
    book = page.relative_to(paths.project_root() / "book").with_suffix("")
    return f"/book/{book}.html"


@cache
def _answer(seat: int) -> tuple[float, int]:
    """Seconds that the export checker needs for a seat's own export, and the words of its answer.

    The exports are those of the cases.
    """
    every = [case for _, case in cases.every()]
    begun = time.perf_counter()
    explained = explain([read_export(every[seat % len(every)].export, "router.rsc")])
    plain = report.with_costs(report.Answer(explained, False, []).plain(), {})
    lines = text.answered(plain, summary(report.named(plain)))
    return time.perf_counter() - begun, sum(len(line.split()) for line in lines)


# --- the words of a page --------------------------------------------------------------------------

_VOID: Final = frozenset("area br col embed hr img input link meta source track wbr".split())
_UNREAD: Final = frozenset("aside details math pre script style svg table".split())
_UNREAD_CLASSES: Final = ("highlight", "tag_hide", "tag_remove", "toggle")


class _Article(HTMLParser):
    """The prose of a page: without code, tables, figures, and what is folded."""

    def __init__(self) -> None:
        super().__init__()
        self.words = 0
        self._open: list[tuple[str, bool]] = []
        """The tags that are open, and whether each is read."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        classes = dict(attrs).get("class") or ""
        inside = self._open[-1][1] if self._open else False
        unread = tag in _UNREAD or any(name in classes for name in _UNREAD_CLASSES)
        self._open.append((tag, (inside or tag == "article") and not unread))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if any(tag == name for name, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1][1]:
            self.words += len(data.split())


def visible_words(page: str) -> int:
    """Words of prose that a page shows at first: those of its article.

    >>> visible_words("<p>no</p><article><p>two<br> words</p><pre>no code</pre></article>")
    2
    """
    article = _Article()
    article.feed(page)
    return article.words
