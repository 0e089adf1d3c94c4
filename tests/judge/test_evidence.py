"""Which evidence decides, in whose words: RouterOS, MikroTik's tables and manual, a stand-in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from ppslab.core.errors import FileError
from ppslab.judge import claims
from ppslab.judge.claims import Comparison
from ppslab.judge.claims.vendor import Results
from ppslab.model.lab import lab, published
from tests.judge.made_claims import judged, made_lab
from tests.support.factory import make_record

FASTPATH = lab.find("fastpath")
RULES, QUEUES = "routing-25-ip-filter-rules", "routing-25-simple-queues"
NUMBERS = published.load(FASTPATH)
STAND_IN = (claims.TIMED, claims.EVENTS, claims.COUNTED)
ROUTEROS = (claims.ROUTEROS, claims.PUBLISHED, claims.DOCUMENTED)


@pytest.mark.parametrize("evidence", get_args(claims.Evidence))
@pytest.mark.parametrize("comparison", Comparison)
def test_only_routeros_confirms_or_refutes(
    evidence: claims.Evidence, comparison: Comparison
) -> None:
    verdict = claims.verdict_of(evidence, comparison)
    if verdict in (claims.CONFIRMED, claims.REFUTED):
        assert evidence in ROUTEROS
    if verdict in (claims.IN_SIZE, claims.IN_DIRECTION, claims.DIFFERS):
        assert evidence in STAND_IN
    if verdict in (claims.CONSISTENT, claims.INCONSISTENT):
        assert evidence == claims.ARITHMETIC
    if evidence == claims.BY_CONSTRUCTION:
        assert verdict == claims.NO_VERDICT
    if evidence == claims.EMULATED:
        assert verdict == claims.CANNOT_TELL


@pytest.mark.parametrize(
    ("evidence", "comparison", "verdict"),
    [
        (claims.ROUTEROS, Comparison.ORDER, claims.CONFIRMED),
        (claims.ROUTEROS, Comparison.AGAINST, claims.REFUTED),
        # Another model of RouterOS has another size.
        (claims.PUBLISHED, Comparison.DIRECTION, claims.CANNOT_TELL),
        (claims.COUNTED, Comparison.AGAINST, claims.DIFFERS),
        # An order has no size to agree in.
        (claims.TIMED, Comparison.ORDER, claims.IN_DIRECTION),
        (claims.EVENTS, Comparison.SIZE, claims.IN_SIZE),
        (claims.ARITHMETIC, Comparison.AGAINST, claims.INCONSISTENT),
    ],
)
def test_a_verdict_is_its_evidences_word(
    evidence: claims.Evidence, comparison: Comparison, verdict: str
) -> None:
    assert claims.verdict_of(evidence, comparison) == verdict


@pytest.mark.parametrize(
    ("above", "below", "size", "least", "middle", "most"),
    [
        # By hand from the slides: hEX 1035.0 / 93.8, RB1100AHx2 the least, RB4011 5092.3 / 564.6.
        (RULES, "routing-fast-path", 64, 5.38, 9.02, 11.03),
        (RULES, "routing-fast-path", 512, 2.69, 3.09, 4.72),
        (RULES, QUEUES, 64, 1.70, 1.83, 2.35),
        ("bridging-25-bridge-filter-rules", "bridging-fast-path", 64, 4.10, 4.78, 5.96),
    ],
)
def test_the_five_tables_of_mikrotik(
    above: str, below: str, size: int, least: float, middle: float, most: float
) -> None:
    ratio = Results(NUMBERS.values()).ratio((above, size), (below, size))
    assert ratio and ratio.count == 5
    assert (ratio.low, ratio.estimate, ratio.high) == pytest.approx(
        (least, middle, most), abs=0.006
    )


def test_two_years_of_one_router_are_never_in_one_ratio() -> None:
    """A page was measured anew: a third of the rate went, and nothing of the ratio."""
    rows = [row for row in NUMBERS.values() if row.id.startswith("hex-routing-")]
    later = [
        replace(row, source="mikrotik-results-2025", said=row.said.times(0.69)) for row in rows
    ]
    both = Results([*rows, *later])
    (old, new) = both.ratios((RULES, 64), ("routing-fast-path", 64)).values()
    assert old == pytest.approx(new) == pytest.approx(1035.0 / 93.8)
    halved = Results([*rows, *(row for row in later if row.condition == RULES)])
    assert len(halved.ratios((RULES, 64), ("routing-fast-path", 64))) == 1


def test_mikrotiks_tables_decide_before_a_stand_in_that_differs() -> None:
    record = make_record(costs={RULES: 100.0, QUEUES: 900.0})
    found = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(record))}
    ratio = found["ratio-of-filter-rules-to-queues"]
    assert (ratio.evidence, ratio.verdict) == (claims.PUBLISHED, claims.CONFIRMED)
    assert [(other.evidence, other.verdict) for other in ratio.others] == [
        (claims.TIMED, claims.DIFFERS)
    ]


def test_tables_of_routers_that_disagree_are_no_noise() -> None:
    """By hand from the slides: 0.833 times on one router, 1.59 times on another."""
    record = make_record()
    found = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(record))}
    order = found["queues-cost-less-than-bridge-filter-rules"]
    assert (order.evidence, order.verdict) == (claims.PUBLISHED, claims.CANNOT_TELL)
    assert "the routers' tables disagree" in order.reason and "noise" not in order.reason


def test_rows_that_a_claim_names_are_each_of_one_router() -> None:
    """By hand from the slides: 94.1 / 43.7, and 561.8 / 200.5 beside 262.0 / 93.5."""
    eoip = lab.find("eoip")
    numbers = published.load(eoip)
    (claim,) = (each for each in claims.load(eoip) if each.tables)
    assert claim.tables
    results = Results(numbers.values())
    (ratio, _), *others = results.named(claim.tables).steps
    assert not others
    assert (ratio.low, ratio.estimate, ratio.high) == pytest.approx((2.153, 2.802, 2.802), abs=1e-3)
    (found,) = (each for each in claims.judge_all(eoip) if each.id == claim.id)
    assert (found.evidence, found.verdict) == (claims.PUBLISHED, claims.CONFIRMED)
    assert list(results.faults(claim.tables)) == []
    turned = claim.tables.model_copy(update={"dearer": claim.tables.dearer[::-1]})
    assert "of one router's table" in next(results.faults(turned))
    fewer = claim.tables.model_copy(update={"dearer": claim.tables.dearer[1:]})
    assert list(results.faults(fewer)) == ["each dearer row stands against one cheaper row"]
    article = claim.tables.model_copy(
        update={"dearer": ("ccr1036-eoip-ipsec",), "cheaper": ("ccr1036-eoip-ipsec",)}
    )
    assert "of one router's table" in next(results.faults(article))
    unknown = claim.tables.model_copy(update={"dearer": ("hex-ipsec",)})
    assert next(results.faults(unknown)).startswith("published.csv has no row 'hex-ipsec'")


DOCUMENTED = """not_testable: {needs: "a router or CHR"}
    documented:
      facts: [%s]"""


def test_what_the_manual_says_is_documented_and_what_follows_is_not(tmp_path: Path) -> None:
    found = judged(tmp_path, DOCUMENTED % "fast-path-firewall")
    assert (found.evidence, found.verdict) == (claims.DOCUMENTED, claims.CONFIRMED)
    contrary = judged(tmp_path, DOCUMENTED % "fast-path-firewall" + "\n      holds: false")
    assert contrary.verdict == claims.REFUTED
    conflicting = judged(tmp_path, DOCUMENTED % "fast-path-firewall" + "\n      holds: open")
    assert (conflicting.evidence, conflicting.verdict) == (claims.DOCUMENTED, claims.CANNOT_TELL)
    with pytest.raises(FileError, match=r"claims.yml:\d+: .*fast-path-icmp is inferred"):
        claims.load(made_lab(tmp_path, DOCUMENTED % "fast-path-icmp"))


def test_an_emulated_clock_decides_nothing(tmp_path: Path) -> None:
    words = "ratio: {numerator: routing-3-rules, denominator: routing-fast-path, size: 64}"
    record = make_record()
    emulated = record.model_copy(update={"environment": {**record.environment, "emulation": "tcg"}})
    assert judged(tmp_path, words, record, published="[fast, slow]").evidence == claims.TIMED
    found = judged(tmp_path, words, emulated, published="[fast, slow]")
    assert (found.evidence, found.verdict) == (claims.EMULATED, claims.CANNOT_TELL)
    assert found.times_more is None


def test_no_number_of_rounds_is_promised_where_another_kernel_decides(tmp_path: Path) -> None:
    """1.05 repeats to a per cent, and another kernel may say 1.39 times that, or as many less."""
    words = "order: {conditions: [routing-fast-path, routing-3-rules], size: 64}"
    record = make_record(costs={"routing-fast-path": 400.0, "routing-3-rules": 420.0})
    found = judged(tmp_path, words, record)
    assert found.interval and found.repeatability
    assert found.interval[0] < 1 < found.repeatability[0]
    assert found.verdict == claims.CANNOT_TELL and found.times_more == float("inf")


def test_what_counting_exaggerates_reaches_towards_1_and_not_past_it(tmp_path: Path) -> None:
    """A count of 1.5 may be 1.08 on another kernel, and nothing added on a real CPU: not less."""
    words = "order: {conditions: [routing-fast-path, routing-3-rules], size: 64}"
    record = make_record(
        costs={"routing-fast-path": 400.0, "routing-3-rules": 600.0}, noise=0.0001
    ).model_copy(update={"measure": "counted"})
    found = judged(tmp_path, words, record)
    assert found.evidence == claims.COUNTED and found.interval
    assert found.interval[0] == pytest.approx(1.0)
    assert found.interval[1] == pytest.approx(1.5 * 1.39, rel=0.02)
    far = make_record(
        costs={"routing-fast-path": 400.0, "routing-3-rules": 1600.0}, noise=0.0001
    ).model_copy(update={"measure": "counted"})
    wide = judged(tmp_path, words, far)
    assert wide.interval and wide.interval[0] == pytest.approx(4 / 1.39 / 1.47, rel=0.02)
    assert wide.verdict == claims.IN_DIRECTION
