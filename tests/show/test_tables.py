"""Tables of records, of published numbers and of claims: the numbers of the judges, in one form."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import isinf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core import measures
from ppslab.core.provenance import INTERVAL
from ppslab.core.text.grouping import APART
from ppslab.core.text.quantities import Named, Quantity, Sentence, for_pages
from ppslab.core.text.tables import Cell, Table
from ppslab.judge import claims, costs, outcome
from ppslab.judge.port_limits import stream_of
from ppslab.model import devices
from ppslab.model.devices import RULES, needs
from ppslab.model.lab import lab, published
from ppslab.model.results import Delays, Percentile, Record
from ppslab.model.statistics import FEWEST, Interval
from ppslab.show import device_tables, record_tables, rows
from ppslab.show.figures import Figure, gains_figure
from ppslab.show.figures import rfc2544 as figures
from ppslab.show.figures.teaching import race_figure
from ppslab.show.record_tables import rfc2544
from ppslab.show.report import parts
from tests.show import words
from tests.support import factory, made
from tests.support.factory import make_record
from tests.support.suite_factory import make_suite


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


def test_pages_have_titles_where_commands_have_ids() -> None:
    slow = Named("routing-plain", "Routing, slow path")
    table = Table(
        Sentence(("Of ", slow)),
        ("condition", Sentence(("times ", slow))),
        ((Cell(slow, under="routing-plain"), Cell("well-known")),),
        notes=(Sentence((Named("plain", "Plain <routing>"), " against itself: 1 170 641")),),
    )
    html = table.html()
    assert "<caption>Of “Routing, slow path”</caption>" in html
    assert '<th scope="col">times “Routing, slow path”</th>' in html
    assert (
        '<th scope="row">Routing, slow path<p class="ppslab-under">routing-plain</p></th>' in html
    )
    assert "<td>well-known</td>" in html
    assert f"“Plain &lt;routing&gt;” against itself: 1{APART}170{APART}641" in html
    assert "Routing, slow path" not in table.plain() + json.dumps(table.data())
    assert table.data()["header"] == ["condition", "times routing-plain"]


def test_costs_are_those_of_the_analysis_and_a_dash_where_no_trial_is_valid(
    counted: Record,
) -> None:
    record = make_record(without=("routing-13-rules",))
    table = record_tables.costs(record)
    rows = {row[0].text: [cell.text for cell in row[2:]] for row in table.rows}
    assert set(rows["routing-13-rules"]) == {"-"}
    for name in costs.measured_conditions(record):
        assert rows[name] == [str(record_tables.cost(record, name, s)) for s in record.frame_sizes]
    assert str(costs.a_a_interval(record, 64)) in table.plain()
    others = tuple(each for each in record.conditions if each.name != record.reference)
    alone = record.model_copy(update={"conditions": others, "trials": ()})
    assert "in this run" in str(record_tables.a_a_line(alone, 64))
    assert measures.BLIND in record_tables.costs(counted).notes
    assert measures.BLIND not in table.notes


def test_an_order_that_flips_is_broken() -> None:
    fastpath = lab.find("fastpath")
    cheaper, dearer = "bridging-25-bridge-filter-rules-13-met", "routing-25-ip-filter-rules"
    for cost, word in ((140.0, "holds"), (900.0, "broken")):
        text = record_tables.orders(fastpath, make_record(costs={cheaper: cost})).plain()
        [row] = [x for x in text.splitlines() if x.startswith(f"{cheaper} < {dearer} ")]
        assert row.endswith(word)
    noise = make_record(costs={"routing-plain": 200.0, "routing-3-rules": 200.5})
    (step,) = record_tables.order_steps(noise, ["routing-plain", "routing-3-rules"], 64)
    assert step.says == record_tables.UNDECIDED


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


@pytest.fixture
def counted() -> Record:
    return factory.make_record().model_copy(update={"measure": "counted"})


def test_an_amount_has_its_unit_and_as_many_digits_as_two_runs_agree_in() -> None:
    found = Interval(4332.4, 4330.6, 4334.9, 3)
    assert str(record_tables.amount(found, "counted")) == "4332 [4331, 4335] instructions"
    assert str(record_tables.amount(found, "timed")) == "4330 [4330, 4330] ns"


@pytest.mark.long
def test_no_table_figure_report_or_row_of_a_counted_record_speaks_of_nanoseconds(
    counted: Record,
) -> None:
    figure = gains_figure(counted, lab.find(counted.lab))
    race = race_figure(counted, [condition.name for condition in counted.conditions])
    for text in (
        record_tables.costs(counted).plain(),
        " ".join((figure.title, figure.alt, figure.svg, *map(str, figure.lines))),
        " ".join((race.title, race.alt, race.svg)),
        " ".join(f"{row.quantity} {row.unit}" for row in rows.of(counted)),
    ):
        assert "instructions" in text
        assert " ns" not in text and "nanosecond" not in text and "time per packet" not in text


def test_both_measures_together_say_what_an_instruction_took() -> None:
    timed = factory.make_record()
    counted = timed.model_copy(update={"measure": "counted"})
    table = record_tables.both_measures(counted, timed)
    assert "ns per instruction" in table.header
    column = table.header.index("ns per instruction")
    # The same clock read as 2 ns an instruction.
    measured = [row for row in table.rows if row[column].text != "-"]
    assert measured
    assert all(row[column].text.startswith("2 [") for row in measured)
    assert table.provenance is not None
    assert [run.measure for run in table.provenance.runs] == ["counted", "timed"]


@pytest.mark.parametrize(("number", "interval"), [(0, ""), (FEWEST - 1, "range"), (FEWEST, "95 %")])
def test_few_medians_have_their_range_and_enough_an_interval(number: int, interval: str) -> None:
    values = [float(value) for value in range(1, number + 1)]
    row = rows.of_medians(rows.Row("latency"), values, seed=1)
    assert (row.interval, row.count) == (interval, number)
    assert (row.low, row.high) == (None, None) if not values else row.low != row.high


@given(st.floats(-9, 9), st.floats(0), st.floats(0), st.integers(1, 9))
def test_a_row_keeps_both_ends_of_its_interval(
    middle: float, below: float, above: float, count: int
) -> None:
    """Of infinite ends, too, which no column has."""
    interval = Interval(middle, middle - below, middle + above, count)
    row = rows.of_interval(rows.Row("cost"), interval)
    assert row.estimate == interval
    assert (row.low is None, row.high is None) == (isinf(below), isinf(above))


@pytest.mark.parametrize(
    ("bursts", "cells"),
    [
        ((), ["-", "-", "-", "-", "-"]),
        ((4,), ["4", "4", "4", "-", "1"]),
        ((4, 8), ["6", "4", "8", "3", "2"]),
        ((4, 10), ["7", "4", "10 (longest tried)", "4", "2"]),
    ],
)
def test_a_burst_as_long_as_the_longest_tried_says_so(
    bursts: tuple[int, ...], cells: list[str]
) -> None:
    suite = make_suite(sizes=(64,))
    burst = suite.back_to_back[0].model_copy(update={"bursts": bursts, "longest_tried": 10})
    table = rfc2544.bursts_table(
        suite.model_copy(update={"back_to_back": (burst,)}), burst.condition
    )
    assert [cell.text for cell in table.rows[0][3:8]] == cells


@pytest.mark.parametrize(("beyond", "enough"), [(9, False), (10, True)])
def test_a_percentile_that_rests_on_few_frames_is_hollow(beyond: int, enough: bool) -> None:
    percentile = Percentile(share=0.9, ns=5, beyond=beyond)
    delays = Delays(count=100, min=1, max=9, mean=2.0, percentiles=(percentile,))
    assert [mark[2] for mark in figures.points(delays)] == [True, enough]


@pytest.mark.long
@pytest.mark.parametrize(("sizes", "drawn"), [((64,), 1), ((64, 512), 1), ((64, 512, 1518), 2)])
def test_a_stream_of_two_frame_sizes_has_no_figure_of_its_own(
    sizes: tuple[int, ...], drawn: int
) -> None:
    suite = make_suite(sizes=(64, 512, 1518))
    first = [each for each in suite.throughput if stream_of(each) == ("ipv4", "lab")]
    other = [
        each.model_copy(update={"family": "ipv6"}) for each in first if each.frame_size in sizes
    ]
    tests = parts.suite_tests(suite.model_copy(update={"throughput": (*first, *other)}))
    blocks = tests[rfc2544.TESTS["throughput"].title]
    assert sum(isinstance(block, Figure) for block in blocks) == drawn


@pytest.mark.long
@pytest.mark.parametrize("name", lab.names())
def test_no_reason_names_an_id(name: str) -> None:
    found = lab.find(name)
    judged = outcome.of(found).judged
    table = record_tables.claims_table(judged, None, conditions=found.titles)
    reason = table.header.index("reason")
    shown = {row[0].text: table.words(reason, row[reason]) for row in table.rows}
    assert len(shown) == len(claims.load(found))
    assert {each: bad for each, text in shown.items() if (bad := words.ids_in(text))} == {}


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("eoip carries 0.5 times as much as plain", "“A” carries 0.5 times as much as “B”"),
        (
            "smallest step: plain costs 6 [5, 7] times eoip",
            "smallest step: “B” costs 6 [5, 7] times “A”",
        ),
        ("no trials of some-other, under load", "no trials of “C”, under load"),
        (
            "a well-known route in some-other-place/plain",
            "a well-known route in some-other-place/plain",
        ),
    ],
)
def test_a_reason_names_conditions_by_their_titles(reason: str, shown: str) -> None:
    """One word is an id where the claim compares that condition; `load` and `route` are none."""
    judged = claims.judge_all(lab.find("fastpath"), claims.Runs.of(make_record()))[0]
    titles = {"eoip": "A", "plain": "B", "some-other": "C", "load": "D", "route": "E"}
    asked = replace(judged, reason=reason, conditions=("eoip", "plain"))
    assert for_pages(asked.why(titles)) == shown


# --- the sentences on a device --------------------------------------------------------------------


HEX = devices.find("hEX")


def rate_of(device: devices.Device, size: int) -> devices.Result:
    found = needs.routing(device, RULES, size)
    assert found
    return found


@pytest.mark.parametrize(
    ("more", "at_least", "says"),
    [
        (0.0, False, ": enough for {} Mbit/s"),
        (0.1, False, ": too slow for {} Mbit/s"),
        (0.1, True, ": {} Mbit/s was not tried"),
    ],
)
def test_a_figure_is_enough_up_to_itself(more: float, at_least: bool, says: str) -> None:
    rate = replace(rate_of(HEX, 512), at_least=at_least)
    wanted = (rate.mbps or 0.0) + more
    sentence = device_tables.headline(replace(HEX, given=(rate,)), wanted)[1]
    assert sentence.endswith(says.format(f"{wanted:g}"))


def test_large_frames_have_the_figure_of_the_same_source() -> None:
    device = devices.find("RB4011iGS+RM")
    small, large = rate_of(device, 512), rate_of(device, 1518)
    assert small.source == large.source
    words = f"25 filter rules, 1518 bytes: {device_tables.rate(large)} ({large.when})"
    assert words in device_tables.headline(device)
