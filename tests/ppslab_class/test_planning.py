"""Before the day: a timetable that keeps to its hours, handouts, and slides."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core import paths
from ppslab.core.errors import FileError, UsageError
from ppslab.core.text.quantities import Quantity
from ppslab.course.learning import quiz
from ppslab.course.tasks import reading
from ppslab.course.tasks.schema import Without
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.show import record_tables
from ppslab_class import audiences, content, sheets, slides, timetable
from ppslab_class.content import Chapter, TaskWords
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
    assert counts == [2, 2]
    assert day.of("task") == 4 * found[0].tasks[0].in_class and day.of("quiz") == 2
    assert "a: 7 more tasks (70 minutes)" in day.left_out


def test_what_was_dealt_last_is_left_out_first_and_the_first_task_of_a_chapter_never() -> None:
    found = [chapter("a", 10, 0, [5] * 3), chapter("b", 10, 0, [5] * 3)]
    day = timetable.plan(2, 15 * 60, found, given=True)
    tasks = [slot.what for slot in day.when_late if slot.category == "task"]
    assert tasks == ["b: t2", "a: t2", "b: t1", "a: t1"]
    assert any("b: t2 (10); a: t2 (20)" in str(note) for note in day.table().notes)


TOLD = ("telling", "running")


@pytest.mark.parametrize("name", audiences.load())
def test_a_day_for_people_of_one_kind_fits_and_has_its_parts_around_the_chapters(name: str) -> None:
    people = audiences.find(name)
    for names in (people.chapters, *_exchanged(people)):
        day = people.day(6, 9 * 60, names)
        kinds = [slot.category for slot in day.slots if slot.category != "break"]
        assert kinds[1 : 1 + len(people.before)] == [part.kind for part in people.before]
        assert kinds[-1 - len(people.after) : -1] == [part.kind for part in people.after]
        for each in names:
            assert any(s.chapter == each and s.category == "task" for s in day.slots), each
            told = sum(s.minutes for s in day.slots if s.chapter == each and s.category in TOLD)
            assert told == sum(slide.minutes for slide in slides.of(each)), each


def _exchanged(people: audiences.Audience) -> list[tuple[str, ...]]:
    return [
        tuple(other if each == name else each for each in people.chapters)
        for name, others in people.instead.items()
        for other in others
    ]


def test_the_instructor_has_of_each_task_the_usual_mistake_and_what_to_show() -> None:
    page = sheets.instructor([content.chapter("fasttrack")], audiences.find("mum").parts)
    for task in reading.load(labs.find("fasttrack")).all:
        assert sheets._text(task.title) in page
        for variant in ("linux", "routeros"):
            if not isinstance(side := task.side(variant), Without):
                assert sheets._text(side.mistake.says) in page
    assert "/ip/firewall/filter print where chain=forward" in page
    assert sheets._text(audiences.find("mum").before[0].how) in page
    first, second, *_ = content.chapter("fasttrack").tasks
    one = sheets.instructor([content.chapter("fasttrack")], planned={first.name})
    assert sheets._text(first.title) in one and sheets._text(second.title) not in one


@pytest.mark.parametrize("name", labs.names())
def test_a_chapter_projects_what_to_type_at_a_router(name: str) -> None:
    marked_there = slides.marked(paths.project_root() / "book" / name / "router.md")
    assert marked_there or slides.on_a_router(name)


def test_chapters_that_were_asked_for_must_fit() -> None:
    with pytest.raises(UsageError, match="121 minutes"):
        timetable.plan(1, 15 * 60, [chapter("a", 85, 0, [5])], given=True)


def test_every_lab_is_a_chapter_with_minutes_and_what_to_take_away() -> None:
    found = {
        name: content.chapter(name) for name in content.chapter_names() if name in labs.names()
    }
    assert found.keys() == set(labs.names())
    for each in found.values():
        assert each.reading and each.goals and each.keys and each.tasks, each.name
    with pytest.raises(UsageError, match="fastpath"):
        content.chapter("fastpaht")


def test_a_ticket_has_the_answers_to_tick_and_says_of_none_that_it_is_right() -> None:
    found = [content.chapter(name) for name in ("fastpath", "fasttrack")]
    page = sheets.exit_ticket(found)
    for question in (each.questions[0] for each in found):
        for answer in question.answers.values():
            assert sheets._text(answer.says) in page
            assert sheets._text(answer.because) not in page


def test_a_handout_has_commands_and_the_figures_of_the_newest_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    record = make_record()
    results.save(record, tmp_path / "fastpath-20261121T030000Z-namespaces.json")
    page = sheets.handouts([content.chapter("fastpath")])
    assert "/interface/bridge/settings print" in page
    for condition in ("routing-fast-path", "routing-plain"):
        cost = record_tables.cost(record, condition, 64)
        assert isinstance(cost, Quantity)
        assert escape(str(replace(cost, low=None, high=None))) in page
    before, _, after = page.partition('class="fold"')
    assert after
    quoted = sheets.key_figures("fastpath")
    assert quoted
    for sentence in quoted:
        assert sentence.partition(" costs")[0] not in before


# --- slides --------------------------------------------------------------------------------------

PAGE = """# A page

::::{ppslab-slide} A title
:minutes: 4
:ask: Why?
:wrong: Nobody knows.
:guess:

See [the method](../method.md).

:::{note}
Inside.
:::
::::

No slide.
"""


@cache
def every_deck() -> dict[str, list[slides.Slide]]:
    """What the chapters' pages mark, read once for all tests."""
    return {name: slides.of(name) for name in slides.names()}


def marked(tmp_path: Path, text: str) -> list[slides.Slide]:
    page = tmp_path / "page.md"
    page.write_text(text)
    return slides.marked(page)


def test_an_example_of_a_mark_is_no_slide(tmp_path: Path) -> None:
    assert marked(tmp_path, f"````md\n{PAGE}````\n\n{PAGE}") == marked(tmp_path, PAGE)
    assert "hall" not in every_deck()


@pytest.mark.parametrize(
    "text",
    [
        PAGE.replace(":minutes:", ":minute:"),
        PAGE.replace("4", "some"),
        PAGE.replace(" A title", ""),
        PAGE.replace("Inside", "## Inside").replace(":::{note}\n", ""),
        PAGE.replace("\n::::\n", "\n"),
    ],
)
def test_a_bad_mark_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileError, match=r"page\.md:"):
        marked(tmp_path, text)


def test_every_lab_has_a_deck_with_a_guess_and_notes_on_every_slide() -> None:
    assert set(labs.names()) <= set(every_deck())
    for name, deck in every_deck().items():
        assert all(each.minutes and each.ask and each.wrong for each in deck), name
        text = slides.markdown(content.chapter(name), deck)
        asked = sum(each.guess for each in deck)
        assert text.count(slides.HALL_CLASS) == asked
        assert asked or name not in labs.names(), name


def test_building_replaces_nothing_but_slides(tmp_path: Path) -> None:
    (tmp_path / "thesis.md").write_text("mine")
    with pytest.raises(UsageError):
        slides.build(["method"], tmp_path)
    assert (tmp_path / "thesis.md").read_text() == "mine"
