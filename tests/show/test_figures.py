"""Figures: the same for the same record, with their numbers in words."""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

import pytest

from ppslab.core import paths
from ppslab.core.text.grouping import grouped
from ppslab.judge import costs
from ppslab.model import results
from ppslab.model.lab import lab, published, topology
from ppslab.model.results import Record
from ppslab.show import record_tables
from ppslab.show.figures import Figure, beside_figure, gains, gains_figure, style, wiring_figure
from tests.support.factory import make_record

NUMBER = re.compile(r"[\d.]+ \[[\d.]+, [\d.]+\]")


NAMES = ("gains", "beside", "wiring-fastpath", "wiring-back-to-back")


def every_figure() -> list[Figure]:
    record = make_record()
    fastpath = lab.find("fastpath")
    pairs = record_tables.beside(fastpath, published.load(fastpath), record)
    return [
        gains_figure(record, fastpath),
        beside_figure(pairs, record),
        wiring_figure(topology.find("fastpath"), {"dut": "router <under> test"}),
        wiring_figure(topology.find("back-to-back")),
    ]


@cache
def drawn() -> dict[str, Figure]:
    made = {figure.name: figure for figure in every_figure()}
    assert tuple(made) == NAMES
    return made


@pytest.fixture(params=NAMES)
def figure(request: pytest.FixtureRequest) -> Figure:
    return drawn()[request.param]


def test_a_drawing_is_svg_with_name_and_words(figure: Figure) -> None:
    root = ElementTree.fromstring(figure.accessible())
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    named = root.get("aria-labelledby", "").split()
    title, words = root.find(f"{space}title"), root.find(f"{space}desc")
    assert title is not None
    assert words is not None
    assert named == [title.get("id"), words.get("id")]
    assert words.text == figure.alt


def test_a_drawing_takes_the_pages_colour_and_has_no_date(figure: Figure) -> None:
    assert "currentColor" in figure.svg
    assert "#000000" not in figure.svg
    assert "DejaVu" not in figure.svg, "the letters of a drawing are the page's"
    assert not re.search(r"<dc:date|\d{4}-\d\d-\d\dT", figure.accessible())


def test_the_drawing_of_a_wide_page_stays_hidden_where_nothing_chooses_it() -> None:
    html = drawn()["gains"].html()
    shown, hidden = re.findall(r"<svg [^>]*>", html)
    assert "display: none" in hidden and "display: none" not in shown


def test_ids_of_a_page_are_one_figure_s_and_every_reference_leads_to_one() -> None:
    assert drawn()["gains"].html() == gains_figure(make_record(), lab.find("fastpath")).html()
    every: list[str] = []
    for figure in drawn().values():
        html = figure.html()
        ids = re.findall(r'\bid="([^"]+)"', html)
        assert set(re.findall(r'(?:url\(|href=")#([^)"]+)', html)) <= set(ids)
        every += ids
    assert len(every) == len(set(every))


def test_costs_say_every_number_in_words() -> None:
    record, figure = make_record(), drawn()["gains"]
    for name in set(costs.measured_conditions(record)) - {record.reference}:
        shown = str(record_tables.cost(record, name, 64))
        assert f"{record.named(name).title}: {shown}" in map(str, figure.lines)
        assert shown in figure.alt
    assert record.provenance().sentence in repr(figure)
    assert record.router["cannot_show"] in figure.html()


def test_a_condition_that_was_not_measured_is_left_out() -> None:
    """Of a record whose lab is not here, too."""
    for known in (lab.find("fastpath"), None):
        figure = gains_figure(make_record(without=("routing-3-rules",)), known)
        assert figure.lines
        assert "Routing, 3 filter rules" not in figure.alt + figure.svg


def test_published_stands_beside_measured() -> None:
    fastpath = lab.find("fastpath")
    pairs = record_tables.beside(fastpath, published.load(fastpath), make_record())
    said = repr(beside_figure(pairs, make_record()))
    line = "routing-connection-tracking against routing-fast-path, 64 bytes, RB1100AHx2"
    assert re.search(rf"{line}: published 2\.27, measured {NUMBER.pattern}", said)
    assert "published at least 6.84" in said


def test_a_node_stands_as_far_right_as_it_is_wires_away() -> None:
    """A switch between router and generators was once drawn as if they were wired to the router."""
    first, *others = wiring_figure(topology.find("fastpath")).lines
    assert "198.18.1.254/24" in str(first) and len(others) == 2
    svg = wiring_figure(topology.find("hundred")).svg
    boxes = [float(x) for x in re.findall(r'<rect x="([\d.]+)"', svg)]
    router, switch, *generators = boxes
    assert router < switch < generators[0]
    assert len(generators) == 12
    assert len(set(generators)) == 1


def newest(name: str) -> Record:
    """The newest counted run of a lab."""
    return results.load(max((paths.project_root() / "results").glob(f"{name}-2*-vm.json")))


@pytest.mark.parametrize(("name", "paired"), [("fasttrack", True), ("queues", False)])
def test_the_longest_bar_comes_first_and_is_the_title(name: str, paired: bool) -> None:
    record, found = newest(name), lab.find(name)
    rows = gains.gains(record, found)
    factors = [row.ratio if paired else 1 / row.ratio for row in rows]
    assert len(rows) > 8
    base = {"fasttrack": ("fasttrack-nat", "nat", 128), "queues": (rows[0].name, "no-queue", 64)}
    of, without, size = base[name]
    (row,) = (row for row in rows if row.name == of)
    assert row.without == costs.cost(record, without, size)
    assert "fasttrack-vlan" not in {row.name for row in rows}, "nothing is there to compare with"
    assert factors == sorted(factors, reverse=True)
    figure = gains_figure(record, found)
    assert str(rows[0].title) in str(figure.title)
    for row in rows:
        assert row.title in figure.svg and row.title in figure.wide
        assert grouped(f"{row.cost.estimate:.0f}") in figure.svg


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(0.951, "0.95 times"), (0.996, "as much"), (1.04, "as much"), (1.06, "1.1 times")],
)
def test_a_ratio_of_one_is_as_much(ratio: float, words: str) -> None:
    assert gains.times(ratio).startswith(words)


@pytest.mark.parametrize(("name", "colour"), [("linux", style.LINUX), ("routeros", style.ROUTEROS)])
def test_figures_and_pages_have_one_colour_for_each_router(name: str, colour: str) -> None:
    css = (paths.project_root() / "book/assets/book.css").read_text(encoding="utf-8")
    assert re.findall(rf"^\s+--{name}: (.*);$", css, re.MULTILINE) == [colour]
