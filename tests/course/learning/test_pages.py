"""What every page of the book must have for its reader, read from the sources."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from ppslab.core import paths
from ppslab.course.learning import chapters, glossary, quiz
from ppslab.course.site.directives.frame import head
from ppslab.course.site.directives.learning import items
from ppslab.model.lab import lab

ROOT = paths.project_root()
BOOK = ROOT / "book"
WITHOUT_GOALS = {
    "index", "claims", "questions", "progress", "certificate", "glossary", "commands", "manual",
    "explain", "fast", "paste", "slow", "cases", "routeros", "live-router",
}  # fmt: skip
"""The front page, and pages that answer a question of the reader's own or are a tool."""


@cache
def _sources() -> dict[str, str]:
    """The pages of the table of contents below book/, by name."""
    toc = (ROOT / "_toc.yml").read_text(encoding="utf-8")
    named = re.findall(r"(?:file|root): book/(\S+)", toc)
    return {name: (BOOK / f"{name}.md").read_text(encoding="utf-8") for name in named}


def _pages() -> list[str]:
    """The pages that promise something; a chapter's first page does it for all five."""
    return [name for name in _whole() if name not in WITHOUT_GOALS]


@cache
def _whole() -> dict[str, str]:
    """The pages by name, and a chapter's pages as one, in the order of the table of contents."""
    made: dict[str, str] = {}
    for name, text in _sources().items():
        folder, _, page = name.rpartition("/")
        first = f"{folder}/index" if folder and page in chapters.PAGES else name
        made[first] = f"{made[first]}\n{text}" if first in made else text
    return made


@pytest.mark.parametrize("name", _pages())
def test_a_page_has_its_goals_and_what_to_take_away(name: str) -> None:
    text = _whole()[name]
    goals = re.search(r"^:::\{ppslab-goals\}\n(.*?)^:::$", text, re.MULTILINE | re.DOTALL)
    assert goals, "no goals"
    assert re.search(r"^- \w", goals[1], re.MULTILINE)
    keys = re.search(r"^:::\{ppslab-keys\}\n(- .*?)^:::$", text, re.MULTILINE | re.DOTALL)
    assert keys, "no key points"


@pytest.mark.parametrize("name", _pages())
def test_exercises_on_paper_have_their_minutes(name: str) -> None:
    text = _whole()[name]
    if re.search(r"^## Exercise|\} Exercise", text, re.MULTILINE):
        assert re.search(r"^:exercises: \d+$", text, re.MULTILINE)


@pytest.mark.parametrize("name", _pages())
def test_what_is_to_be_read_before_comes_before(name: str) -> None:
    order = list(_sources())
    labels = {
        label: page
        for page, text in _sources().items()
        for label in re.findall(r"^\(([\w-]+)\)=$", text.split("\n# ")[0], re.MULTILINE)
    }
    after = re.search(r"^:after: (.*)$", _sources()[name], re.MULTILINE)
    for label in after[1].split() if after else ():
        assert order.index(labels[label]) < order.index(name)


def test_every_quiz_is_asked_on_one_page() -> None:
    asked = Counter(
        found
        for text in _sources().values()
        for found in re.findall(r"^```\{ppslab-quiz\} ([\w-]+)$", text, re.MULTILINE)
    )
    assert asked == Counter(quiz.names())


def test_every_lab_has_a_quiz_and_a_prediction() -> None:
    for name in lab.names():
        text = _whole()[f"{name}/index"]
        assert f"{{ppslab-quiz}} {name}\n" in text
        assert re.search(r"\{ppslab-(?:predict|guess)\} ", text)


def test_every_question_has_a_name_of_its_own_in_its_chapter() -> None:
    named = Counter(
        (items.chapter_of(f"book/{page}"), question)
        for page, text in _sources().items()
        for name in re.findall(r"\{ppslab-quiz\} ([\w-]+)", text)
        for question in quiz.find(name).questions
    )
    assert [each for each, count in named.items() if count > 1] == []


def test_every_guess_meets_what_came_out() -> None:
    text = "\n".join(_sources().values())
    asked = Counter(re.findall(r"\{ppslab-guess\} ([\w-]+ [\w-]+)", text))
    told = Counter(re.findall(r"\{ppslab-guessed\} ([\w-]+ [\w-]+)", text))
    assert asked == told
    assert set(asked.values()) == {1}


def test_costs_are_guessed_before_they_are_shown() -> None:
    for name, text in _whole().items():
        for each in re.findall(r"\{ppslab-predict\} ([\w-]+)", text):
            guess, beside = f"{{ppslab-predict}} {each}\n", f"{{ppslab-table}} guesses {each}\n"
            places = [
                text.find(found) for found in (guess, f"{{ppslab-table}} costs {each}\n", beside)
            ]
            assert -1 < places[0] < places[1] < places[2], name


def test_terms_lead_to_pages_that_are_there() -> None:
    labels = set(re.findall(r"^\(([\w-]+)\)=$", "\n".join(_sources().values()), re.MULTILINE))
    assert {each.page for each in glossary.load() if each.page} <= labels


def test_the_table_of_contents_has_every_page() -> None:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    named = {Path(name) for name in re.findall(r"book/[\w/-]+", yaml.safe_dump(toc))}
    there = {path.relative_to(ROOT).with_suffix("") for path in BOOK.rglob("*.md")}
    assert there == named


def test_a_group_of_the_sidebar_shows_at_most_ten_entries_at_first() -> None:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    for part in toc["parts"]:
        assert part["caption"]
        assert len(part["chapters"]) <= 10, "put a chapter below another"
        assert all(each.get("title") for each in part["chapters"])
    shown = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["html"]
    assert shown["home_page_in_navbar"] is False, "it would be one entry more; the logo leads home"


def test_a_chapter_below_another_has_the_row_of_its_own_pages() -> None:
    env = SimpleNamespace(
        toctree_includes={
            "book/eoip/index": ["book/eoip/why", "notebooks/eoip", "book/pppoe/index"],
            "book/pppoe/index": ["book/pppoe/why", "notebooks/pppoe"],
        }
    )
    for name in ("eoip", "pppoe"):
        row = [f"book/{name}/index", f"book/{name}/why", f"notebooks/{name}"]
        for page in row:
            assert [each for each, _ in head.pages_of(cast("Any", env), page)] == row


def _worked_through() -> dict[str, list[str]]:
    """The chapters that have more of the five pages than their first, and all pages of each."""
    folders: dict[str, list[str]] = {}
    for name in _sources():
        folder, _, page = name.rpartition("/")
        folders.setdefault(folder, []).append(page)
    five = set(chapters.PAGES)
    return {name: pages for name, pages in folders.items() if len(five & set(pages)) > 1}


def test_every_chapter_but_measuring_has_the_five_pages_in_their_order() -> None:
    """Measuring has a page for each question of its own; EoIP has one more after its first."""
    five = list(chapters.PAGES)
    begun = {
        name: [page for page in pages if page in five] for name, pages in _worked_through().items()
    }
    assert begun == dict.fromkeys((*lab.names(), "wans"), five)
