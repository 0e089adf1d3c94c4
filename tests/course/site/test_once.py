"""Where a run's numbers come from is on a page once, and one action away from each of them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ppslab.core.text.tables import Table, cells
from ppslab.course.site.directives.frame import once
from tests.core.test_provenance import LINUX
from tests.course.site.small_site import Site
from tests.support import made

NOTE = "A count leaves out " + "what a real CPU waits for, " * 5 + "so compare what each step adds."


def table(title: str, content: str = "1", notes: tuple[str, ...] = (), **facts: object) -> str:
    """A table of LINUX's run, or of one that differs in these facts."""
    run = replace(LINUX, **facts)  # type: ignore[arg-type]
    return Table(title, ("a",), (cells(content),), notes=notes, provenance=run).html()


def test_the_second_table_of_a_run_has_a_mark_that_leads_into_the_first_s_sign() -> None:
    page = once.signs(table("First") + table("Second", notes=("A note.",)))
    assert len(made.said(page)) == 1
    [mark] = re.findall(r'href="#(ppslab-made-\d+)"', page)
    sign = page.index("<details")
    assert sign < page.index(f'id="{mark}"') < page.index("</details>")
    caption = page[page.index("<caption>Second") :]
    assert mark in caption[: caption.index("</caption>")]


def test_another_run_keeps_its_own() -> None:
    other = table("Third", name="routeros", board="CHR")
    page = once.signs(table("First") + table("Second") + other + table("Fourth"))
    assert ["routeros" in said for said in made.said(page)] == [False, True]
    assert re.findall(r'href="#(ppslab-made-\d+)"', page) == ["ppslab-made-1"] * 2


def test_one_sign_says_what_only_some_of_its_tables_have() -> None:
    page = once.signs(table("First") + table("Second", clock="wall"))
    [said] = made.said(page)
    assert "clock: wall time" in said and "kernel: 6.1" in said


def number(text: str, source: str) -> str:
    return f'<abbr class="ppslab-number" title="{source}">{text}</abbr>'


def test_a_number_in_a_sentence_leads_to_its_source_which_stands_once() -> None:
    run = "router: linux; profile: quick"
    page = once.numbers(
        "<p>" + number("12 ns", f"95 % interval: 11 ns to 13 ns; {run}") + number("3", run) + "</p>"
        "<label>" + number("4", run) + "</label>"
    )  # fmt: skip
    assert re.findall(r'<a [^>]*href="#([^"]+)"[^>]*>(.*?)</a>', page) == [
        ("ppslab-number-1", "12 ns"),
        ("ppslab-number-1", "3"),
    ]
    assert page.count('<li id="ppslab-number-1">') == 1
    fold = page[page.index("<details>") :]
    assert fold.count(run) == 1 and "95 % interval: 11 ns to 13 ns" in fold
    assert once.numbers("<p>None.</p>") == "<p>None.</p>"


def test_a_long_note_stands_once_and_a_short_one_by_each_table() -> None:
    both = table("First", notes=(NOTE, "Short.")) + table("Second", notes=(NOTE, "Short."))
    page = once.notes(both)
    assert page.count("so compare what each step adds") == 1
    assert page.count("Short.") == 2


@pytest.mark.long
def test_every_mark_of_a_page_leads_somewhere(site: Site) -> None:
    site.record()
    page, _, _ = site.build()
    marks = set(re.findall(r'href="#(ppslab-made-\d+)"', page))
    assert marks and all(page.count(f'id="{mark}"') == 1 for mark in marks)
    every = made.said(page)
    assert len(set(every)) == len(every)
