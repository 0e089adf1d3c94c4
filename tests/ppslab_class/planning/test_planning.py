"""A timetable keeps to its hours; outlines name what there is; a handout is a page."""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core import paths
from ppslab.core.errors import UsageError
from ppslab.course.learning import quiz
from ppslab.course.tasks import reading
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.show import record_tables
from ppslab_class.content import TaskWords
from ppslab_class.planning import chapters as all_chapters
from ppslab_class.planning import outlines, sheets, timetable
from ppslab_class.planning.chapters import Chapter
from ppslab_class.slides import decks
from tests.support.factory import make_record

QUIZ = tuple(quiz.find("fastpath").questions.values())[:1]


def chapter(name: str, reads: int, runs: int, tasks: list[int], after: str = "") -> Chapter:
    words = tuple(TaskWords(f"{name}/task/{n}", f"t{n}", each) for n, each in enumerate(tasks))
    return Chapter(name, name, name, tuple(after.split()), reads, runs, 0, (), (), words, QUIZ)


MADE = st.builds(
    chapter,
    st.sampled_from("abcdef"),
    st.integers(1, 40),
    st.integers(0, 10),
    st.lists(st.integers(1, 10), max_size=9),
)


@pytest.mark.long
@given(
    st.floats(1, 12),
    st.integers(7, 15),
    st.lists(MADE, min_size=1, max_size=6, unique_by=lambda each: each.name),
)
def test_a_day_keeps_to_its_hours_and_nobody_sits_too_long(
    hours: float, start: int, found: list[Chapter]
) -> None:
    try:
        day = timetable.plan(hours, start * 60, found, given=False)
    except UsageError:
        return
    assert day.minutes <= round(hours * 60)
    sat = 0
    for slot in day.slots[:-1]:
        sat = 0 if slot.category == "break" else sat + slot.minutes
        assert sat <= timetable.SITTING
    for one, other in pairwise(day.slots):
        assert not one.category == other.category == "break"
    told = {slot.chapter for slot in day.slots if slot.category == "telling"}
    for each in found:
        tasks = [
            slot.what for slot in day.slots if slot.chapter == each.name and slot.category == "task"
        ]
        assert tasks == [f"{each.name}: {t.title}" for t in each.tasks][: len(tasks)]
        assert each.name in told or any(each.title in left for left in day.left_out)


def test_what_is_left_over_goes_to_every_chapter_in_turn() -> None:
    found = [chapter("a", 10, 0, [5] * 9), chapter("b", 10, 0, [5] * 9)]
    day = timetable.plan(1.5, 15 * 60, found, given=True)
    counts = [sum(s.chapter == name and s.category == "task" for s in day.slots) for name in "ab"]
    assert counts == [5, 4]
    assert day.of("task") == 45 and day.of("quiz") == 2
    assert "a: 4 more tasks (20 minutes)" in day.left_out


def test_a_chapter_waits_for_those_that_it_builds_on() -> None:
    found = [chapter("late", 5, 0, [5], after="missing"), chapter("base", 5, 0, [5])]
    day = timetable.plan(2, 9 * 60, found, given=False)
    assert day.left_out == ("late (builds on missing)",)


def test_chapters_that_were_asked_for_must_fit() -> None:
    with pytest.raises(UsageError, match="121 minutes"):
        timetable.plan(1, 15 * 60, [chapter("a", 85, 0, [5])], given=True)


def test_lunch_is_once_and_at_noon() -> None:
    found = [chapter(name, 60, 0, [9] * 9) for name in "abcde"]
    day = timetable.plan(9, 9 * 60, found, given=True)
    now, lunches = day.start, []
    for slot in day.slots:
        if slot.what == "Lunch":
            lunches.append(now)
        now += slot.minutes
    assert len(lunches) == 1 and 11 * 60 + 30 <= lunches[0] <= 13 * 60 + 30


def test_every_lab_is_a_chapter_with_minutes_and_what_to_take_away() -> None:
    found = {name: all_chapters.load(name) for name in all_chapters.names() if name in labs.names()}
    assert found.keys() == set(labs.names())
    for each in found.values():
        assert each.reading and each.goals and each.keys and each.tasks, each.name
    with pytest.raises(UsageError, match="fastpath"):
        all_chapters.load("fastpaht")


@pytest.mark.long
def test_a_handout_is_one_page_a_chapter_and_a_ticket_one_in_all() -> None:
    import weasyprint  # here: each worker would import it, only to find the tests

    found = [all_chapters.load(name) for name in decks.names()]
    assert {each.name for each in found} >= set(labs.names())
    made = weasyprint.HTML(string=sheets.handouts(found)).render()
    assert len(made.pages) == len(found)
    assert len(weasyprint.HTML(string=sheets.exit_ticket(found[:4])).render().pages) == 1
    assert "{ppslab" not in sheets.handouts(found), "a role that only a page can fill"


def test_a_ticket_has_the_answers_to_tick_and_says_of_none_that_it_is_right() -> None:
    found = [all_chapters.load(name) for name in ("fastpath", "fasttrack")]
    page = sheets.exit_ticket(found)
    for question in (each.questions[0] for each in found):
        for answer in question.answers.values():
            assert sheets._text(answer.says) in page
            assert sheets._text(answer.because) not in page
    assert page.count("Tick one.") == page.count("Tick all that are right.") == 1


def test_a_handout_has_commands_and_the_figures_of_the_newest_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    record = make_record()
    results.save(record, tmp_path / "fastpath-20261121T030000Z-namespaces.json")
    page = sheets.handouts([all_chapters.load("fastpath")])
    assert "/interface/bridge/settings print" in page
    for condition in ("routing-fast-path", "routing-plain"):
        assert escape(str(record_tables.cost(record, condition, 64))) in page
    before, _, after = page.partition("Fold the page here")
    assert "What I guess" in before and "Measured in this course" in after
    quoted = sheets.key_figures("fastpath")
    assert quoted
    for sentence in quoted:
        assert sentence.partition(" costs")[0] not in before


@pytest.mark.parametrize("name", outlines.load().mapped)
def test_an_outline_names_chapters_and_tasks_that_exist(name: str) -> None:
    toc = (paths.project_root() / "_toc.yml").read_text(encoding="utf-8")
    known = {page.removesuffix("/index") for page in re.findall(r"file: book/(\S+)", toc)}
    for lab in map(labs.find, labs.names()):
        known |= {f"{lab.name}/{task.name}" for task in reading.load(lab).all}
    for point in outlines.load().mapped[name].points:
        assert set(point.where) <= known, point
        assert bool(point.where) == (point.extent != "none"), point
        assert point.extent != "part" or point.note, f"{point}: which part?"
    count = len(outlines.load().mapped[name].points)
    assert f"Of {count} points" in outlines.find(name.lower()).table(name).plain()


@pytest.mark.parametrize("name", outlines.load().unread)
def test_an_outline_that_nobody_read_is_not_mapped_and_says_why(name: str) -> None:
    with pytest.raises(UsageError, match="read") as refused:
        outlines.find(name.lower())
    assert outlines.load().unread[name].source in str(refused.value)
    assert name not in outlines.load().mapped
