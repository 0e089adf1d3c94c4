"""The trainer's day: its minutes, the keys in the instructor's book, and the file to download."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from ppslab.core import paths
from ppslab.core.errors import FileError
from ppslab.course import practice
from ppslab.course.learning.chapters import files
from ppslab.course.widgets.facts.sources import EXPORTS
from ppslab.testbed.routers.routeros.rsc import lint
from ppslab_class import book, day, download, paper, slides
from rosexplain import Export, read_export, typed
from rosexplain.rows import rows_of
from tests.support import sphinx_site

TODAY = day.load()
CASES = [slot.part.case for slot in TODAY.slots if slot.part.case]
DRILLS = [slot.part.drill for slot in TODAY.slots if slot.part.drill]


def test_the_class_types_for_half_of_six_hours_at_most_and_nobody_sits_too_long() -> None:
    """Of eight seats in the rehearsal, five did not pass the first task in twelve minutes."""
    assert 2 * TODAY.hands_on >= TODAY.working
    assert TODAY.end - TODAY.slots[0].at <= 6 * 60
    breaks = [slot.minutes for slot in TODAY.slots if slot.part.kind == "break"]
    assert TODAY.working == TODAY.end - TODAY.slots[0].at - sum(breaks)
    assert next(slot.minutes for slot in TODAY.slots if slot.part.drill) == 16
    sat = 0
    for slot in TODAY.slots:
        sat = 0 if slot.part.kind == "break" else sat + slot.minutes
        assert sat <= 90, slot.title


PLAN = """
title: A day
start: "09:30"
parts:
  - {kind: welcome, title: Seats and cards, minutes: 10, how: Hand out the cards.}
  - {kind: slides, chapter: fasttrack, slides: [Guess, The way out], script: [
      {after: Guess, minutes: 3, do: Start a download., see: It is fast enough.},
      {after: The way out, minutes: 2, do: Start an upload., see: It is fast enough.}]}
  - {kind: drill, drill: fasttrack-keep-one-out}
  - {kind: case, case: 05-calls}
"""


HOW = ", how: Hand out., script: [{minutes: 1, do: Start a download., see: It is fast.}]"


@pytest.mark.parametrize(
    ("good", "bad", "line"),
    [
        ("chapter: fasttrack", "chapter: fasttracks", 6),
        ("[Guess,", "[Gues,", 6),
        ("after: Guess, ", "", 6),
        ("after: Guess, ", "after: What a packet costs, ", 6),
        ("[Guess, The way out]", "[The way out, Guess]", 6),
        ("minutes: 3, ", "", 6),
        (", how: Hand out the cards.", HOW, 5),
        ("fasttrack-keep-one-out", "fasttrack-keep-one", 9),
        ("05-calls", "05-call", 10),
        ("fasttrack-keep-one-out}", "fasttrack-keep-one-out, minutes: 8}", 9),
        ("minutes: 10", "late: yes", 5),
        (", how: Hand out the cards.", "", 5),
    ],
)
def test_a_name_or_a_key_that_is_wrong_has_its_line(
    tmp_path: Path, good: str, bad: str, line: int
) -> None:
    file = tmp_path / "day.yml"
    file.write_text(PLAN)
    assert [slot.minutes for slot in day.load(file).slots] == [10, 14, 16, 15]
    file.write_text(PLAN.replace(good, bad))
    with pytest.raises(FileError, match=rf"day\.yml:{line}\b"):
        day.load(file)


def test_slides_and_demonstrations_fill_their_part_and_the_notes_say_when() -> None:
    decks = {chapter.name: chosen for chapter, chosen in download.decks(TODAY)}
    page = sections(book.instructor)
    for slot in (slot for slot in TODAY.slots if slot.part.kind == "slides"):
        turns, now = TODAY.turns(slot), slot.at
        for turn in turns:
            assert turn.at == now and turn.minutes
            now += turn.minutes
        assert now == slot.at + slot.minutes
        assert [turn.ask for turn in turns if turn.number] == [s.do for s in slot.part.script]
        rows = page[day.name(slot)].table.find_all("tr")[1:]
        assert [row.td.get_text() for row in rows] == [day.clock(turn.at) for turn in turns]
        notes_of = {slide.title: slide.notes for slide in decks[slot.part.chapter]}
        for step in slot.part.script:
            assert f"{step.minutes} minutes: {step.do}" in notes_of[step.after]


SCRIPTS = {"the evening before": TODAY.setup} | {
    day.name(slot): slot.part.script for slot in TODAY.slots if slot.part.script
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_demonstration_types_is_routeros(name: str) -> None:
    for step in SCRIPTS[name]:
        # The second router's commands are typed after the first's: a ping needs an earlier step.
        assert not ("/ping" in step.type and step.second)
        for text in filter(None, (step.type, step.second, step.undo, step.undo_second)):
            assert [*lint.check(step.do, f"{text}\n", hardware=True)] == []


ROUTER = """
/interface ethernet
set [ find default-name=ether1 ] name=ether1
/interface bridge
add name=bridge
/ip pool
add name=default-dhcp ranges=192.168.88.10-192.168.88.254
/queue interface
set [ find interface=ether1 ] queue=only-hardware-queue
/ip address
add address=192.168.88.1/24 interface=bridge network=192.168.88.0
/ip dhcp-server network
add address=192.168.88.0/24 dns-server=192.168.88.1 gateway=192.168.88.1
"""
"""What the demonstrations change of MikroTik's default configuration."""


def state(router: list[Export]) -> dict[str, list[dict[str, str]]]:
    """A router's menus with their rows."""
    rows = rows_of(router)
    return {
        menu: [{key: value[0] for key, value in row.values.items()} for row in rows.all_of(menu)]
        for menu in rows.menus
        if rows.all_of(menu)
    }


def typed_at(router: list[Export], text: str) -> list[Export]:
    """The router after the lines that configure it; ValueError for one that changes nothing."""
    for line in text.splitlines():
        if read_export(line, "typed").commands:
            router = [*router, typed.applied(router, line, "typed")]
    return router


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_a_demonstration_changes_its_undo_takes_back(name: str) -> None:
    script = SCRIPTS[name]
    for column, of_router in enumerate((("type", "undo"), ("second", "undo_second"))):
        router = typed_at([read_export(ROUTER, "router")], texts_of(TODAY.setup, of_router[0]))
        if script is TODAY.setup:
            before = state([read_export(ROUTER, "router")])
        else:
            before, router = state(router), typed_at(router, texts_of(script, of_router[0]))
        assert state(typed_at(router, day.undo(script)[column])) == before


def texts_of(script: tuple[day.Step, ...], key: str) -> str:
    return "\n".join(getattr(step, key) for step in script)


# --- the papers ----------------------------------------------------------------------------------


@cache
def parsed(write: Callable[[day.Day], str]) -> BeautifulSoup:
    """A paper of the day, as a browser reads it; the tests change nothing in it."""
    return BeautifulSoup(write(TODAY), "html.parser")


@cache
def papers(site: str = "") -> dict[str, str]:
    """The papers of the file to download, or of a site."""
    return download.papers(TODAY, site)


def text_of(write: Callable[[day.Day], str]) -> str:
    return parsed(write).get_text()


def texts(write: Callable[[day.Day], str], tag: str) -> list[str]:
    return [each.get_text() for each in parsed(write).find_all(tag)]


@cache
def plain(markdown: str) -> str:
    return BeautifulSoup(paper.text(markdown), "html.parser").get_text()


def test_the_instructors_book_has_the_key_of_every_case_and_of_the_days_drills() -> None:
    commands, words = texts(book.instructor, "pre"), text_of(book.instructor)
    for name, case in practice.cases().items():
        said = [case.cause.text, *case.hints]
        assert case.solutions[0].strip() in commands, name
        assert f"Par: {case.par} moves" in words and all(plain(s) in words for s in said), name
    for drill in map(practice.drill, DRILLS):
        keys = {drill.solutions[0].strip(), *(mistake.run.strip() for mistake in drill.mistakes)}
        assert keys <= set(commands), drill.title


def sections(write: Callable[[day.Day], str]) -> dict[str, BeautifulSoup]:
    """The sections of a paper by their titles; a paper's two breaks have one title."""
    return {each.h1.get_text(): each for each in parsed(write).find_all("section")}


def test_every_part_of_the_day_has_a_section_that_says_what_to_do() -> None:
    there = parsed(book.instructor).find_all("section")
    at = {(each.h1.get_text(), each.p.get_text().partition(",")[0]): each for each in there}
    for slot in TODAY.slots:
        section = at[plain(day.name(slot)), day.clock(slot.at)]
        texts_below = [each.get_text() for each in section.find_all(["p", "td", "pre"])[1:]]
        assert len(" ".join(texts_below)) > 60, slot.title


def test_the_key_of_the_ticket_is_in_the_instructors_book_and_is_the_quizzes() -> None:
    asked = parsed(book.ticket)
    (slot,) = (slot for slot in TODAY.slots if slot.part.kind == "ticket")
    section = sections(book.instructor)[slot.title]
    keys = [title.get_text() for title in section.find_all("h2")]
    chapters = [chapter for chapter, _ in TODAY.chapters.values()]
    titles = [title.get_text() for title in asked.find_all("h2")]
    assert len(keys) == len(chapters) == len(titles) - 2  # the last two ask about the day
    for chapter, key, boxes in zip(chapters, keys, asked.select(".boxes"), strict=True):
        question = chapter.questions[0]
        assert key == f"{chapter.title}: {' and '.join(question.right)}"
        ticked = {each.get_text()[0]: each.get_text()[3:] for each in boxes.find_all("li")}
        assert ticked == {name: plain(each.says) for name, each in question.answers.items()}
        for answer in question.answers.values():
            assert plain(answer.because) in section.get_text()


def test_each_guess_has_a_line_on_the_handouts_and_its_answer_in_the_instructors_book() -> None:
    there, text = sections(book.handouts), text_of(book.instructor)
    for chapter, chosen in TODAY.chapters.values():
        sheet = there[chapter.title]
        guesses = [slide for slide in chosen if slide.guess]
        asked = [each for slide in guesses for each in slide.questions]
        rows = sheet.select(".guesses tr:has(td)")
        assert [row.td.get_text() for row in rows] == [plain(each) for each in asked]
        assert all("".join(td.get_text() for td in row.find_all("td")[1:]) == "" for row in rows)
        assert len(asked) >= 2 or not guesses, chapter.title
        for slide in guesses:
            assert plain(slide.lead) in sheet.get_text() and plain(slide.answer) in text
            assert "{ppslab-number}" in slide.answer  # of the newest record, not typed
    leads = {name: s.lead for name in TODAY.chapters for s in slides.of(name) if s.guess}
    assert "costs one unit" in leads["fasttrack"] and leads["eoip"] == ""
    (first,) = (slot for slot in TODAY.slots if slot.part.kind == "exports")
    assert day.place(first.part) in next(iter(there.values())).get_text()


def test_the_examples_of_the_page_of_exports_have_the_answers_that_it_gives() -> None:
    """One has an open fast path, and one an accept rule that closes FastTrack, with its remedy."""
    every = {each.title: each for each in book.examples()}
    assert list(every) == list(EXPORTS)
    assert not every["A home router"].change
    closed = every["An accept rule before the FastTrack rule"]
    assert "slow path" in closed.answer and "action=accept" in closed.answer
    assert "FastTrack instead of slow path" in closed.change and closed.loses
    page = text_of(book.instructor)
    assert all(each.answer in page and each.change in page for each in every.values())


def test_each_drill_and_case_of_the_day_has_room_on_the_sheet_of_the_chapter_before_it() -> None:
    there = sections(book.handouts)
    names = [name for name in TODAY.chapters for _ in TODAY.exercises(name)]
    assert len(names) == len(CASES) + len(DRILLS) and set(names) == set(TODAY.chapters)
    for name, (chapter, _) in TODAY.chapters.items():
        rows = there[chapter.title].select(".write tr:has(td)")
        exercises = TODAY.exercises(name)
        assert len(rows) == len(exercises)
        text = there[chapter.title].get_text()
        assert all(plain(each.title) in text and each.page in text for each in exercises)
        assert all(row.find_all("td")[-1].get_text() == "" for row in rows)


def test_what_the_class_sees_has_no_key() -> None:
    exercises = [*map(practice.case, CASES), *map(practice.drill, DRILLS)]
    answers = [a for chapter, _ in TODAY.chapters.values() for a in
               chapter.questions[0].answers.values()]  # fmt: skip
    keys = [each.solutions[0].strip() for each in exercises]
    keys += [plain(practice.case(name).cause.text) for name in CASES]
    keys += [plain(answer.because) for answer in answers]
    for name in ("handouts.html", "ticket.html", "index.html"):
        text = BeautifulSoup(papers()[name], "html.parser").get_text()
        assert not [key for key in keys if key in text], name


SITE = "https://example.org/course"


def anchors(page: str) -> set[str]:
    """The anchors of a page of the book that papers may name."""
    text = (paths.project_root() / f"{page}.md").read_text(encoding="utf-8")
    drills = re.findall(r"\{ppslab-drills\} (\S+)", text)
    cases = practice.cases() if "{ppslab-cases}" in text else ()
    return {name for chapter in drills for name in practice.drills(f"{chapter}-")} | {*cases}


def test_each_page_of_the_site_that_a_paper_names_is_in_the_book_with_its_anchor() -> None:
    alone, beside = papers(), papers(f"{SITE}/")
    for file in ("index.html", "instructor.html", "handouts.html"):
        named = BeautifulSoup(alone[file], "html.parser").select("[data-page]")
        pages = [each["data-page"] for each in named]
        linked = BeautifulSoup(beside[file], "html.parser")
        addresses = [
            a["href"] for a in linked.select(f"a[href^='{SITE}/']") if a["href"] != f"{SITE}/"
        ]
        assert addresses == [f"{SITE}/{page}" for page in pages]
        for page, _, anchor in (str(each).partition("#") for each in pages):
            stem = page.removesuffix(".html")
            assert stem in {f"book/{each}" for each in files()}, page
            assert not anchor or anchor in anchors(stem), f"{page}#{anchor}"
    opened = {day.place(slot.part) for slot in TODAY.slots if slot.part.kind in day.HANDS_ON}
    assert "" not in opened
    front = book.front(TODAY)
    named = BeautifulSoup(front, "html.parser").select("[data-page]")
    assert opened <= {each["data-page"] for each in named}
    assert book.ATTENDEES in front


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
    assert {unpacked / name for name in papers()} <= reached


@pytest.mark.long
def test_a_deck_of_the_day_has_the_days_slides_and_drills_alone(unpacked: Path) -> None:
    for name, (chapter, chosen) in TODAY.chapters.items():
        page = (unpacked / "slides" / f"{name.replace('/', '-')}.html").read_text(encoding="utf-8")
        read = BeautifulSoup(page, "html.parser")
        titles = [each.get_text() for each in read.find_all("h2")]
        assert [each for each in titles if each in {slide.title for slide in chosen}] == [
            slide.title for slide in chosen
        ]
        assert slides.GUESSED not in titles
        text = read.get_text()
        assert all(each.page in text for each in TODAY.exercises(name))
        for task in chapter.tasks:
            planned = task.title in {each.title for each in TODAY.exercises(name)}
            assert (task.title in text) == planned, task.title


@pytest.mark.long
def test_a_page_links_the_days_file_with_or_without_the_timetable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = paths.project_root() / "LICENSE"  # in the place of the day's file, which no test builds
    monkeypatch.setattr(download, "path", lambda: file)
    (tmp_path / "conf.py").write_text(
        'extensions = ["myst_parser", "ppslab.course.site.directives", "ppslab_class.site"]\n'
        'html_theme = "basic"\n'
    )
    shutil.copyfile(file, tmp_path / file.name)
    (tmp_path / "index.md").write_text("# A page\n\n```{ppslab-day}\n```\n")
    (tmp_path / "file.md").write_text(
        "---\norphan: true\n---\n# A file\n\n```{ppslab-day}\n:file:\n```\n"
    )
    sphinx_site.build(tmp_path, tmp_path / "out")
    for name, tables in (("index", 1), ("file", 0)):
        page = BeautifulSoup((tmp_path / f"out/{name}.html").read_text(), "html.parser")
        assert len(page.select("table:has(th)")) == tables
        (link,) = page.select("a[download]")
        assert f"{file.stat().st_size / 1e6:.1f} MB" in link.get_text()
        assert (tmp_path / "out" / link["href"]).is_file()
