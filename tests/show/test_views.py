"""Tables of a record: the numbers of the analysis, in one fixed form."""

from __future__ import annotations

import re
from dataclasses import replace

from ppslab.core.provenance_line import INTERVAL
from ppslab.core.text.grouping import APART
from ppslab.core.text.quantities import Quantity
from ppslab.core.text.tables import Cell, Table
from ppslab.judge import claims
from ppslab.judge import costs as analysis
from ppslab.model.lab import lab, published
from ppslab.show import record_tables
from tests.support import made
from tests.support.factory import make_record


def test_a_table_is_the_same_in_text_and_html() -> None:
    origin = replace(make_record().provenance(), kernel="6 & <7>")
    table = Table(
        "T", ("a", "b"), ((Cell("x<y"), Cell(Quantity(1, 0, 2, unit="ns"))),), ("A note.",), origin
    )
    assert "x<y  1 [0, 2] ns" in table.plain() and origin.sentence in table.plain()
    html = table.html()
    assert "x&lt;y" in html
    assert ">b, ns<" in html and ">1 [0, 2]<" in html
    (said,) = made.said(html)
    assert said.startswith(origin.sentence) and "6 & <7>" in said
    assert INTERVAL in said


def test_columns_of_words_that_change_are_not_in_the_text() -> None:
    table = Table("T", ("a", "why"), ((Cell("x"), Cell("since 3")),), asides=frozenset({"why"}))
    assert "since" not in table.plain()
    assert "<td data-aside>since 3</td>" in table.html()


def test_readers_have_titles_where_commands_have_ids() -> None:
    table = Table(
        "T",
        ("condition", "times routing-plain"),
        ((Cell("routing-plain", under="routing-plain"), Cell("well-known")),),
        notes=("plain against itself: 1 170 641",),
        titles={"routing-plain": "Routing, slow path", "plain": "Plain <routing>"},
    )
    html = table.html()
    assert '<th scope="col">times “Routing, slow path”</th>' in html
    assert (
        '<th scope="row">Routing, slow path<p class="ppslab-under">routing-plain</p></th>' in html
    )
    assert "<td>well-known</td>" in html
    assert f"“Plain &lt;routing&gt;” against itself: 1{APART}170{APART}641" in html
    assert "Routing, slow path" not in table.plain()


def test_costs_are_those_of_the_analysis() -> None:
    record = make_record()
    said = record_tables.costs(record).plain()
    for name in analysis.measured_conditions(record):
        for size in record.frame_sizes:
            assert str(record_tables.cost(record, name, size)) in said
    assert str(analysis.a_a_interval(record, 64)) in said


def test_a_condition_without_a_valid_trial_has_a_dash() -> None:
    said = record_tables.costs(make_record(without=("routing-13-rules",))).plain()
    row = next(line for line in said.splitlines() if line.startswith("routing-13-rules"))
    assert set(row.removeprefix("routing-13-rules").split()) == {"-"}


def test_an_order_that_flips_is_broken() -> None:
    fastpath = lab.find("fastpath")
    good = record_tables.orders(fastpath, make_record()).plain()
    assert "bridging-fast-path < bridging-plain: order holds" in good
    costs = {"bridging-fast-path": 210.0, "bridging-plain": 140.0}
    bad = record_tables.orders(fastpath, make_record(costs=costs)).plain()
    assert "bridging-fast-path < bridging-plain: order broken" in bad


def test_a_step_within_the_noise_is_undecided() -> None:
    steps = record_tables.order_steps(
        make_record(costs={"routing-plain": 200.0, "routing-3-rules": 200.5}),
        ["routing-plain", "routing-3-rules"],
        64,
    )
    assert [step.says for step in steps] == [record_tables.UNDECIDED]


def test_every_claim_has_its_row_and_its_verdict() -> None:
    fastpath = lab.find("fastpath")
    record = make_record()
    judged = claims.judge_all(fastpath, claims.Runs.of(record))
    table = record_tables.claims_table(judged, record.provenance(), conditions=record.titles)
    assert [row[0].text for row in table.rows] == [each.id for each in judged]
    assert [row[4].text for row in table.rows] == [each.evidence or "-" for each in judged]


def test_published_numbers_are_shown_as_printed() -> None:
    numbers = published.load(lab.find("fastpath"))
    said = record_tables.published_table(numbers, "mikrotik-traffic-generator").plain()
    assert re.search(rf"RB1100AHx2 .* 1{APART}170{APART}641 pps", said)
    assert "206.9Mbps Mbit/s" not in said
    assert "ccr1036" not in said
