"""Where a run's numbers come from is on a page once, and one action away from each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from ppslab.core.provenance import INTERVALS
from ppslab.core.text.display import NUMBERS
from ppslab.core.text.quantities import Quantity
from ppslab.core.text.tables import Table, cells
from ppslab.course.site.directives.frame import once
from ppslab.course.site.directives.nodes import made_at, shown
from tests.core.test_provenance import LINUX
from tests.course.site.small_site import Site
from tests.support import made

NOTE = "A count leaves out " + "what a real CPU waits for, " * 5 + "so compare what each step adds."


def table(title: str, notes: tuple[str, ...] = (), **facts: Any) -> Table:
    """A table of LINUX's run, or of one that differs in these facts."""
    run = replace(LINUX, **facts)
    return Table(title, ("a",), (cells("1"),), notes=notes, provenance=run)


def page(*things: Table | nodes.Node) -> nodes.document:
    document = new_document("page")
    document += shown(*things)
    return document


def signs(document: nodes.document) -> list[str]:
    return made.said("".join(each.astext() for each in document.findall(nodes.raw)))


def marks(document: nodes.document) -> list[str]:
    """Where the marks lead, each behind the title of its table."""
    return [f"{mark.parent.astext()}: {mark['refid']}" for mark in document.findall(made_at)]


def test_the_second_table_of_a_run_has_a_mark_that_leads_into_the_first_s_sign() -> None:
    other = table("Third", name="routeros", board="CHR")
    document = page(table("First"), table("Second"), other, table("Fourth"))
    once.signs(document)
    assert ["routeros" in said for said in signs(document)] == [False, True]
    assert marks(document) == ["Second: ppslab-made-1", "Fourth: ppslab-made-1"]
    sign, _ = document.findall(nodes.raw)
    html = BeautifulSoup(sign.astext(), "html.parser")
    assert html.select_one("details #ppslab-made-1"), "a browser opens a fold for what is in it"


def with_interval(title: str, ends: str) -> Table:
    return replace(table(title), rows=(cells(Quantity(1.0, 0.9, 1.1)),), ends=ends)


OF_A_COST, OF_A_CLAIM = INTERVALS


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((OF_A_COST, OF_A_COST), OF_A_COST),
        ((OF_A_COST, OF_A_CLAIM), f"{OF_A_COST}; {OF_A_CLAIM}"),
        ((OF_A_CLAIM, OF_A_CLAIM), OF_A_CLAIM),
    ],
)
def test_one_sign_says_what_the_intervals_of_each_table_are(
    ends: tuple[str, str], words: str
) -> None:
    document = page(*(with_interval(f"Table {n}", each) for n, each in enumerate(ends)))
    once.signs(document)
    [said] = signs(document)
    assert f"interval: {words}" in said and ("95 %" in said) == (OF_A_COST in ends)
    # So does an output of a notebook.
    output = new_document("notebook")
    table = with_interval("First", ends[0])
    output += once.output(table._repr_mimebundle_()[NUMBERS], table.html())
    once.signs(output)
    [said] = signs(output)
    assert f"interval: {ends[0]}" in said


def number(text: str, source: str, interval: str = "") -> nodes.abbreviation:
    made = nodes.abbreviation("", text, classes=["ppslab-number"])
    made["source_of"], made["interval"], made["explanation"] = source, interval, source
    return made


def test_a_number_in_a_sentence_leads_to_its_source_which_stands_once() -> None:
    run, interval = "router: linux; profile: quick", "95 % interval: 11 ns to 13 ns"
    label = nodes.inline("", "", number("4", run), control=True)
    document = page(
        nodes.paragraph("", "", number("12 ns", run, interval), number("3", run)),
        nodes.paragraph("", "", label),
    )
    once.numbers(document)
    leads = [(each["refid"], each.astext()) for each in document.findall(nodes.reference)]
    assert leads == [("ppslab-number-1", "12 ns"), ("ppslab-number-1", "3")]
    [fold] = document.findall(once.fold_of_sources)
    assert fold["sources"] == {run: (f"12 ns ({interval})", "3")}
    assert fold.astext() == "", "the search indexes no source"


def test_a_long_note_stands_once_and_a_short_one_by_each_table() -> None:
    document = page(*[table(title, (NOTE, "Short.")) for title in ("First", "Second")])
    once.notes(document)
    texts = [each.astext() for each in document.findall(nodes.paragraph)]
    assert texts.count(NOTE) == 1 and texts.count("Short.") == 2


def test_an_output_of_a_notebook_has_the_same_from_its_data() -> None:
    document = new_document("notebook")
    for title in ("First", "Second"):
        shown = table(title, (NOTE,))
        document += once.output(shown._repr_mimebundle_()[NUMBERS], shown.html())
    once.notes(document)
    once.signs(document)
    assert len(signs(document)) == 1 and len(list(document.findall(made_at))) == 1
    assert document.astext().count(NOTE) == 1
    for mark in document.findall(made_at):
        mark.replace_self(nodes.raw("", "<a></a>", format="html"))
    for each in document.findall(nodes.paragraph):
        each.replace_self(nodes.raw("", "<p>note</p>", format="html"))
    html = BeautifulSoup("".join(each.astext() for each in document.children), "html.parser")
    assert [each.get_text() for each in html.select("caption:has(a)")] == ["Second"]


@pytest.mark.long
def test_every_mark_of_a_page_leads_somewhere(site: Site) -> None:
    site.record()
    page, _, _ = site.build()
    html = BeautifulSoup(page, "html.parser")
    for mark in ("ppslab-made-at", "ppslab-number"):
        leads = {str(link["href"]) for link in html.select(f"a.{mark}")}
        assert leads and all(len(html.select(each)) == 1 for each in leads)
    every = made.said(page)
    assert len(set(every)) == len(every)
