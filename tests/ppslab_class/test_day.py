"""The trainer's day: its minutes, the keys in the instructor's book, and the file to download."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from ppslab.core import paths
from ppslab.core.errors import FileError
from ppslab.course import practice
from ppslab.course.tasks import reading
from ppslab.model.lab import lab as labs
from ppslab.testbed.routers.routeros.rsc import lint
from ppslab_class import book, day, download, notes

TODAY = day.load()
CASES = [slot.part.case for slot in TODAY.slots if slot.part.case]
DRILLS = [slot.part.drill for slot in TODAY.slots if slot.part.drill]


def test_the_class_types_for_at_least_half_of_a_day_of_at_most_six_hours() -> None:
    assert 2 * TODAY.hands_on >= TODAY.working
    assert TODAY.end - TODAY.slots[0].at <= 6 * 60
    assert TODAY.working == sum(
        slot.minutes for slot in TODAY.slots if slot.part.kind in ("welcome", "slides", "ticket")
    ) + sum(slot.minutes for slot in TODAY.slots if slot.part.kind in day.HANDS_ON)


def test_the_first_drill_leaves_time_to_find_the_way_and_nobody_sits_too_long() -> None:
    """Of eight seats in the rehearsal, five did not pass the first task in twelve minutes."""
    assert next(slot.minutes for slot in TODAY.slots if slot.part.drill) == 16
    sat = 0
    for slot in TODAY.slots:
        sat = 0 if slot.part.kind == "break" else sat + slot.minutes
        assert sat <= 90, slot.title


PLAN = """
title: A day
start: "09:30"
parts:
  - {kind: welcome, title: Seats and cards, minutes: 10}
  - {kind: slides, chapter: fasttrack, slides: [Guess]}
  - {kind: drill, drill: fasttrack-keep-one-out}
  - {kind: case, case: 05-calls}
"""


@pytest.mark.parametrize(
    ("good", "bad", "line"),
    [
        ("chapter: fasttrack", "chapter: fasttracks", 6),
        ("[Guess]", "[Gues]", 6),
        ("fasttrack-keep-one-out", "fasttrack-keep-one", 7),
        ("05-calls", "05-call", 8),
        ("fasttrack-keep-one-out}", "fasttrack-keep-one-out, minutes: 8}", 7),
        ("minutes: 10", "late: yes", 5),
    ],
)
def test_a_name_or_a_key_that_is_wrong_has_its_line(
    tmp_path: Path, good: str, bad: str, line: int
) -> None:
    file = tmp_path / "day.yml"
    file.write_text(PLAN)
    assert [slot.minutes for slot in day.load(file).slots] == [10, 5, 16, 15]
    file.write_text(PLAN.replace(good, bad))
    with pytest.raises(FileError, match=rf"day\.yml:{line}\b"):
        day.load(file)


def test_what_a_demonstration_types_is_routeros() -> None:
    steps = [step for slot in TODAY.slots for step in slot.part.script if step.type]
    assert steps
    for step in steps:
        assert [*lint.check(step.do, f"{step.type}\n", hardware=True)] == []


# --- the papers ----------------------------------------------------------------------------------


def texts(page: str, tag: str) -> list[str]:
    return [each.get_text() for each in BeautifulSoup(page, "html.parser").find_all(tag)]


def plain(markdown: str) -> str:
    return BeautifulSoup(notes.text(markdown), "html.parser").get_text()


def test_the_instructors_book_has_the_key_of_every_case_and_of_the_days_drills() -> None:
    page = book.instructor(TODAY)
    commands, words = texts(page, "pre"), BeautifulSoup(page, "html.parser").get_text()
    for name, case in practice.cases().items():
        assert case.solutions[0].strip() in commands, name
        assert plain(case.cause.text) in words, name
        assert f"Par: {case.par} moves" in words, name
        assert all(plain(hint) in words for hint in case.hints), name
    for name in DRILLS:
        drill = practice.drill(name)
        assert drill.solutions[0].strip() in commands, name
        assert {mistake.run.strip() for mistake in drill.mistakes} <= set(commands), name


@pytest.mark.parametrize("paper", ["handouts.html", "ticket.html", "index.html"])
def test_what_the_class_sees_has_no_key(paper: str) -> None:
    page = download.papers(TODAY)[paper]
    text = BeautifulSoup(page, "html.parser").get_text()
    exercises = [*map(practice.case, CASES), *map(practice.drill, DRILLS)]
    assert not [each.title for each in exercises if each.solutions[0].strip() in text]
    assert not [name for name in CASES if plain(practice.case(name).cause.text) in text]


def test_each_page_that_the_class_opens_is_in_the_book() -> None:
    named = re.findall(r"(book/[\w/-]+)\.html(?:#([\w-]+))?", download.papers(TODAY)["index.html"])
    assert len(named) == sum(slot.part.kind in day.HANDS_ON for slot in TODAY.slots)
    for page, anchor in named:
        text = (paths.project_root() / f"{page}.md").read_text(encoding="utf-8")
        assert not anchor or f"({anchor})=\n" in text, page


@pytest.mark.parametrize("name", labs.names())
def test_notes_print_what_a_person_types(name: str) -> None:
    """A checker's own code has pipes, variables and awk; what a person types has none."""
    checks = [check for task in reading.load(labs.find(name)).all for check in task.linux.check]
    assert checks
    for check in checks:
        assert not set(notes.to_show(check)) & set("|;$`{\n"), notes.to_show(check)
        assert "awk" not in notes.to_show(check)


# --- the file ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("download")
    assert download.make(folder / "day.zip") < 6e6
    with zipfile.ZipFile(folder / "day.zip") as archive:
        assert {each.date_time[0] for each in archive.infolist()} == {1980}
        archive.extractall(folder)
    return folder / download.NAME


_ADDRESS = re.compile(r"""<(?:a|link|script|img)\b[^>]*?\s(?:href|src)=["']([^"'#]+)""")


@pytest.mark.long
def test_the_file_opens_offline_and_every_link_in_it_leads_somewhere(unpacked: Path) -> None:
    reached, waiting = set[Path](), [unpacked / "index.html"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        for address in _ADDRESS.findall(page.read_text(encoding="utf-8")):
            if urlsplit(address).scheme:
                assert urlsplit(address).scheme in ("https", "data"), f"{page.name}: {address}"
                continue
            to = (page.parent / unquote(urlsplit(address).path)).resolve()
            assert to.is_file(), f"{page.name}: {address}"
            if to.suffix == ".html" and to not in reached:
                waiting.append(to)
    assert {unpacked / name for name in download.papers(TODAY)} <= reached


@pytest.mark.long
def test_a_deck_of_the_day_has_the_days_slides_and_drills_alone(unpacked: Path) -> None:
    for name, (chapter, chosen) in TODAY.chapters.items():
        page = (unpacked / "slides" / f"{name.replace('/', '-')}.html").read_text(encoding="utf-8")
        titles = texts(page, "h2")
        assert [each for each in titles if each in {slide.title for slide in chosen}] == [
            slide.title for slide in chosen
        ]
        text = BeautifulSoup(page, "html.parser").get_text()
        for task in chapter.tasks:
            planned = task.title in {drill.title for drill in TODAY.drills(name)}
            assert (task.title in text) == planned, task.title
