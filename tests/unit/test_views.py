"""Tables of a record: the numbers of the analysis, in one fixed form."""

from __future__ import annotations

import re

from ppslab import analysis, claims, lab, published, views
from ppslab.tables import Cell, Table
from tests.factory import make_record


def test_a_table_is_the_same_in_text_and_html() -> None:
    table = Table("T", ("a", "b"), ((Cell("x<y"), Cell("1 [0, 2] ns")),), ("A note.",), "made")
    assert table.plain().splitlines() == [
        "T", "a    b", "---  -----------", "x<y  1 [0, 2] ns", "A note.", "provenance: made",
    ]  # fmt: skip
    html = table.html()
    assert "x&lt;y" in html
    assert '<td class="ppslab-interval">1 [0, 2] ns</td>' in html
    assert '<p class="ppslab-provenance" data-aside>made</p>' in html


def test_columns_of_words_that_change_are_not_in_the_text() -> None:
    table = Table("T", ("a", "why"), ((Cell("x"), Cell("since 3")),), asides=frozenset({"why"}))
    assert "since" not in table.plain()
    assert "<td data-aside>since 3</td>" in table.html()


def test_costs_are_those_of_the_analysis() -> None:
    record = make_record()
    said = views.costs(record).plain()
    for name in analysis.measured_conditions(record):
        for size in record.frame_sizes:
            assert views.nanoseconds(analysis.cost(record, name, size)) in said
    assert str(analysis.null_interval(record, 64)) in said


def test_a_condition_without_a_valid_trial_has_a_dash() -> None:
    said = views.costs(make_record(without=("routing-13-rules",))).plain()
    row = next(line for line in said.splitlines() if line.startswith("routing-13-rules"))
    assert set(row.removeprefix("routing-13-rules").split()) == {"-"}


def test_an_order_that_flips_is_broken() -> None:
    fastpath = lab.find("fastpath")
    good = views.orders(fastpath, make_record()).plain()
    assert "bridging-fast-path < bridging-plain: order holds" in good
    costs = {"bridging-fast-path": 210.0, "bridging-plain": 140.0}
    bad = views.orders(fastpath, make_record(costs=costs)).plain()
    assert "bridging-fast-path < bridging-plain: order broken" in bad


def test_a_step_within_the_noise_is_undecided() -> None:
    steps = views.order_steps(
        make_record(costs={"routing-plain": 200.0, "routing-3-rules": 200.5}),
        ["routing-plain", "routing-3-rules"],
        64,
    )
    assert [step.says for step in steps] == [views.UNDECIDED]


def test_every_claim_has_its_row_and_its_verdict() -> None:
    fastpath = lab.find("fastpath")
    judged = claims.judge_all(fastpath, make_record())
    table = views.claims_table(judged, "made")
    assert [row[0].text for row in table.rows] == [each.id for each in judged]
    counts = views.verdict_counts(judged)
    assert sum(int(row[1].text) for row in counts.rows) == len(judged)


def test_published_numbers_are_shown_as_printed() -> None:
    numbers = published.load(lab.find("fastpath"))
    said = views.published_table(numbers, "mikrotik-traffic-generator").plain()
    assert re.search(r"rb1100-fast-path-total-rx .* 1 170 641 pps", said)
    assert "206.9Mbps Mbit/s" not in said
    assert "ccr1036" not in said
