"""From an interval to a verdict, and which evidence decides, in whose words."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from ppslab.core.errors import FileError
from ppslab.judge import claims, kernels
from ppslab.judge.claims import Comparison
from ppslab.judge.claims.deciding import Size, decide
from ppslab.judge.claims.vendor import Results, Tables
from ppslab.judge.claims.verdicts import Finding
from ppslab.model import results
from ppslab.model.lab import lab, published
from ppslab.model.lab.published import Value
from ppslab.model.statistics import Interval
from tests.judge.made_claims import judged, made_lab
from tests.support.factory import make_record

INF = math.inf


def verdict(finding: Finding) -> str:
    """What a stand-in's counts make of it."""
    return claims.verdict_of(claims.COUNTED, finding.comparison)


def near(estimate: float) -> Interval:
    return Interval(estimate, estimate * 0.99, estimate * 1.01, 9)


@pytest.mark.parametrize(
    ("value", "measured", "expected"),
    [
        # A bound is a bound: what is above it has its direction, and no size.
        (Value(2.85, INF), 2.2, claims.IN_DIRECTION),
        (Value(2.85, INF), 2.9, claims.IN_DIRECTION),
        (Value(2.85, INF), 2.85, claims.CANNOT_TELL),
        (Value(2.85, INF), 1.0, claims.DIFFERS),
        (Value(2.85, INF), 0.5, claims.DIFFERS),
        (Value(0, 5), 4.9, claims.IN_DIRECTION),
        (Value(0, 5), 5.5, claims.DIFFERS),
        # A number has a factor to both sides.
        (Value(2.27, 2.27), 1.6, claims.IN_SIZE),
        (Value(2.27, 2.27), 3.3, claims.IN_SIZE),
        (Value(2.27, 2.27), 1.4, claims.IN_DIRECTION),
        (Value(2.27, 2.27), 4.0, claims.IN_DIRECTION),
        (Value(2.27, 2.27), 0.9, claims.DIFFERS),
        (Value(2.27, 2.27), 1.05, claims.DIFFERS),
        # Near 1 half of the difference is asked for: no difference is not 1.2, nor is 1.05.
        (Value(1.2, 1.2), 1.12, claims.IN_SIZE),
        (Value(1.2, 1.2), 1.03, claims.IN_DIRECTION),
        (Value(1.2, 1.2), 1.0, claims.DIFFERS),
        (Value(1.2, 1.2), 0.9, claims.DIFFERS),
        (Value(1.2, 1.2), 1.5, claims.IN_DIRECTION),
        # Below 1 the other way round.
        (Value(0.5, 0.5), 0.6, claims.IN_SIZE),
        (Value(0.5, 0.5), 0.8, claims.IN_DIRECTION),
        (Value(0.5, 0.5), 1.2, claims.DIFFERS),
        # A range.
        (Value(2, 4), 5.0, claims.IN_SIZE),
        (Value(2, 4), 7.0, claims.IN_DIRECTION),
    ],
)
def test_a_size_and_its_direction(value: Value, measured: float, expected: str) -> None:
    assert verdict(decide(Size(near(measured), value))) == expected


def test_an_interval_across_the_bound_is_inconclusive_though_the_direction_holds() -> None:
    found = decide(Size(Interval(1.6, 1.3, 1.9, 5), Value(2.27, 2.27)))
    assert verdict(found) == claims.CANNOT_TELL
    assert "the direction holds" in found.reason


def test_a_size_that_is_excluded_differs_though_the_direction_is_open() -> None:
    found = decide(Size(Interval(1.1, 0.6, 2.0, 5), Value(3.5, 3.5)))
    assert verdict(found) == claims.DIFFERS
    assert "at most 2;" in found.reason and "the direction is open" in found.reason
    # Another RouterOS router may have another size: that refutes nothing.
    assert claims.verdict_of(claims.ROUTEROS, found.comparison) == claims.CANNOT_TELL
    assert verdict(decide(Size(Interval(1.0, 0.9, 1.1, 5), Value(3.5, 3.5)))) == claims.DIFFERS


FASTPATH = lab.find("fastpath")
RULES, QUEUES = "routing-25-ip-filter-rules", "routing-25-simple-queues"
NUMBERS = published.load(FASTPATH)
STAND_IN = (claims.TIMED, claims.EVENTS, claims.COUNTED)
ROUTEROS = (claims.ROUTEROS, claims.PUBLISHED, claims.DOCUMENTED, claims.MEASURED)


@pytest.mark.parametrize(
    ("measured", "value", "end", "factor"),
    [
        (Interval(2.44, 1.1, 4.942, 5), Value(5, INF), "at most 4.95", "2.44, is a factor of 2.05"),
        (Interval(9.0, 8.008, 10, 5), Value(2, 4), "at least 8", "9, is a factor of 2.25"),
        (Interval(9.0, 8.0, 10.0, 5), Value(2, 4), "at least 8", "9, is a factor of 2.25"),
        (Interval(0.8, 0.75, 0.85, 5), Value(0.5, 0.5), "at least 0.75", "0.8, is a factor of 1.6"),
    ],
)
def test_the_factor_is_the_estimate_s_and_not_that_of_the_interval_s_end(
    measured: Interval, value: Value, end: str, factor: str
) -> None:
    reason = decide(Size(measured, value)).reason
    assert f"{end}; the estimate, {factor} " in reason


ON_LINUX = (claims.IN_SIZE, claims.IN_DIRECTION, claims.DIFFERS, claims.HOLDS, claims.DOES_NOT_HOLD)
WORDS = {
    claims.ARITHMETIC: (claims.CONSISTENT, claims.INCONSISTENT),
    claims.BY_CONSTRUCTION: (),
    claims.EMULATED: (),
    **dict.fromkeys(ROUTEROS, (claims.CONFIRMED, claims.REFUTED)),
    **dict.fromkeys(STAND_IN, ON_LINUX),
}
"""What each kind of evidence may say beside that nothing is known."""


def test_only_routeros_confirms_or_refutes() -> None:
    assert set(WORDS) == set(get_args(claims.Evidence))
    for evidence, comparison in product(WORDS, Comparison):
        none = claims.NO_VERDICT if evidence == claims.BY_CONSTRUCTION else claims.CANNOT_TELL
        verdict = claims.verdict_of(evidence, comparison)
        assert verdict in (*WORDS[evidence], none), (evidence, comparison)


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
    ("above", "below", "size", "measurements", "least", "middle", "most"),
    [
        # By hand from the slides: hEX 1035.0 / 93.8, RB1100AHx2 the least; between them
        # RB3011 1437.6 / 188.4 and RB1100AHx4 5092.3 / 564.6, which the RB4011's sheet repeats.
        (RULES, "routing-fast-path", 64, 4, 5.38, 8.33, 11.03),
        (RULES, "routing-fast-path", 512, 5, 2.69, 3.09, 4.72),
        (RULES, QUEUES, 64, 4, 1.70, 2.03, 2.35),
        ("bridging-25-bridge-filter-rules", "bridging-fast-path", 64, 4, 4.10, 4.58, 5.96),
    ],
)
def test_the_measurements_of_mikrotik(
    above: str, below: str, size: int, measurements: int, least: float, middle: float, most: float
) -> None:
    ratio = Results(NUMBERS.values()).ratio((above, size), (below, size))
    assert ratio and ratio.count == measurements
    assert (ratio.low, ratio.estimate, ratio.high) == pytest.approx(
        (least, middle, most), abs=0.006
    )


@pytest.mark.parametrize(
    ("copying", "measurements", "middle"),
    [
        ((), 5, 9.02),
        (("rb4011",), 4, 8.33),
        (("rb4011", "rb3011"), 3, 9.02),
        (("rb4011", "rb3011", "hex"), 2, 7.20),
    ],
)
def test_a_measurement_that_two_tables_print_counts_once(
    copying: tuple[str, ...], measurements: int, middle: float
) -> None:
    rows = [
        replace(row, same_as="rb1100ahx4-x" if row.id.split("-")[0] in copying else "")
        for row in NUMBERS.values()
    ]
    ratio = Results(rows).ratio((RULES, 64), ("routing-fast-path", 64))
    assert ratio and ratio.count == measurements
    assert ratio.estimate == pytest.approx(middle, abs=0.006)


def test_what_is_another_routers_measurement_is_named_for_no_claim() -> None:
    (claim,) = (each for each in claims.load(FASTPATH) if each.tables)
    assert claim.tables
    results = Results(NUMBERS.values())
    assert list(results.faults(claim.tables)) == []
    copies = {
        "dearer": (*claim.tables.dearer, "rb4011-routing-25-ip-filter-rules-64"),
        "cheaper": (*claim.tables.cheaper, "rb4011-bridging-25-bridge-filter-rules-64"),
    }
    faults = list(results.faults(claim.tables.model_copy(update=copies)))
    assert len(faults) == 2 and "rb1100ahx4-routing-25-ip-filter-rules-64" in faults[0]


TABLES = (1.701, 2.353)
"""MikroTik's least and greatest ratio of 25 filter rules to 25 queues; the slides print 2.4."""


@pytest.mark.parametrize(
    ("published", "ends", "verdict"),
    [
        (Value(2.4, 2.4), TABLES, claims.CANNOT_TELL),
        (Value(2.36, 2.36), TABLES, claims.CANNOT_TELL),
        (Value(2.35, 2.35), TABLES, claims.CONFIRMED),
        (Value(1.91, 1.91), (1.9, 2.1), claims.CONFIRMED),
        (Value(1.89, 1.89), (1.9, 2.1), claims.CANNOT_TELL),
        (Value(0.52, 0.52), (0.45, 0.5), claims.CANNOT_TELL),
        (Value(0.48, 0.48), (0.45, 0.5), claims.CONFIRMED),
        # A range that the measurements reach, and one that they do not.
        (Value(2.3, 2.5), TABLES, claims.CONFIRMED),
        (Value(2.36, 2.5), TABLES, claims.CANNOT_TELL),
        # A bound is an order.
        (Value(1.7, INF), TABLES, claims.CONFIRMED),
        (Value(1.8, INF), TABLES, claims.CANNOT_TELL),
    ],
)
def test_a_number_outside_of_what_was_measured_is_not_confirmed(
    published: Value, ends: tuple[float, float], verdict: str
) -> None:
    low, high = ends
    question = Size(Interval(math.sqrt(low * high), low, high, 4), published)
    comparison = decide(question).comparison
    for evidence in (claims.PUBLISHED, claims.ROUTEROS):
        assert claims.verdict_of(evidence, comparison) == verdict
    # A stand-in may be as far off as the factor.
    near = comparison == Comparison.NEAR
    assert not near or claims.verdict_of(claims.TIMED, comparison) == claims.IN_SIZE


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
    judged = found["ratio-of-filter-rules-to-queues"]
    assert (judged.evidence, judged.verdict) == (claims.PUBLISHED, claims.CANNOT_TELL)
    assert [(other.evidence, other.verdict) for other in judged.others] == [
        (claims.TIMED, claims.DIFFERS)
    ]


def test_mikrotiks_tables_are_asked_where_the_condition_has_another_name() -> None:
    """By hand: 174.3 / 93.8 of the hEX, 348.6 / 188.4, 1153.2 / 564.6, and of the RB1100AHx2."""
    found = {j.id: j for j in claims.judge_all(FASTPATH, claims.Runs.of(make_record()))}
    judged = found["bridge-filter-rules-cost-less-than-ip-filter-rules"]
    assert (judged.evidence, judged.verdict) == (claims.PUBLISHED, claims.CONFIRMED)
    assert judged.interval == pytest.approx((1.482, 2.043), abs=0.001)
    assert judged.measured == pytest.approx(1.854, abs=0.001)
    assert judged.interval_kind == "least to greatest of 4 measurements"


ORDER = "order: {conditions: [routing-fast-path, routing-3-rules], size: 64}"


@pytest.mark.parametrize(
    ("timed", "counted", "verdict"),
    [
        # The timed run crosses 1; a count of four times as much, or of half, changes nothing.
        (405.0, 1600.0, claims.CANNOT_TELL),
        (405.0, 100.0, claims.CANNOT_TELL),
        (1600.0, 405.0, claims.IN_DIRECTION),
        (100.0, 1600.0, claims.DIFFERS),
        (None, 1600.0, claims.IN_DIRECTION),
    ],
)
def test_evidence_is_chosen_by_strength_and_not_by_what_it_says(
    tmp_path: Path, timed: float | None, counted: float, verdict: str
) -> None:
    runs = [
        make_record(costs={"routing-fast-path": 400.0, "routing-3-rules": cost}, noise=0.001)
        .model_copy(update={"measure": measure})
        for cost, measure in ((timed, "timed"), (counted, "counted"))
        if cost
    ]  # fmt: skip
    (found,) = claims.judge_all(made_lab(tmp_path, ORDER), claims.Runs.of(*runs))
    assert found.verdict == verdict
    assert found.evidence == (claims.TIMED if timed else claims.COUNTED)
    assert [other.evidence for other in found.others] == [claims.COUNTED] * bool(timed)


def test_rows_that_a_claim_names_are_each_of_one_router() -> None:
    """By hand from the slides: 94.1 / 43.7, 561.8 / 200.5 beside 262.0 / 93.5; 6.4 / 1.7 / 1.5."""
    eoip = lab.find("eoip")
    numbers = published.load(eoip)
    by_id = {each.id: each for each in claims.load(eoip)}
    claim = by_id["encryption-makes-a-packet-dearer"]
    assert claim.tables
    results = Results(numbers.values())
    rows = [numbers[name] for name in claim.published]
    asked = results.named(claim.tables, claim.judge.word, rows)
    (ratio,) = asked.intervals
    assert (ratio.low, ratio.estimate) == pytest.approx((2.153, 2.802), abs=1e-3)
    # The unencrypted packets pass 25 rules: without those they are cheaper still.
    assert ratio.high == INF
    (found,) = (each for each in claims.judge_all(eoip) if each.id == claim.id)
    assert (found.evidence, found.verdict) == (claims.PUBLISHED, claims.CANNOT_TELL)
    assert found.interval == pytest.approx((2.153, 2.802), abs=1e-3)  # as the tables have them
    assert min(asked.bounds, key=lambda bound: abs(bound - ratio.low)) == pytest.approx(
        2.510, abs=1e-3
    )
    of_own_bound = claim.tables.model_copy(update={"at_least": 2.0})
    assert 2.0 in results.named(of_own_bound, claim.judge.word, rows).bounds
    order = next(each.judge.word for each in claims.load(FASTPATH) if each.judge.name == "order")
    assert 1.0 in results.named(claim.tables, order, ()).bounds
    assert list(results.faults(claim.tables)) == []
    turned = claim.tables.model_copy(update={"dearer": claim.tables.dearer[::-1]})
    assert list(results.faults(turned))
    fewer = {**claim.tables.model_dump(), "dearer": claim.tables.dearer[1:]}
    with pytest.raises(ValidationError, match="one cheaper row"):
        Tables(**fewer)
    article = claim.tables.model_copy(
        update={"dearer": ("ccr1036-eoip-ipsec",), "cheaper": ("ccr1036-eoip-ipsec",)}
    )
    assert list(results.faults(article))
    unknown = claim.tables.model_copy(update={"dearer": ("hex-ipsec",)})
    assert "hex-ipsec" in next(results.faults(unknown))


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


def test_the_manual_does_not_judge_itself(tmp_path: Path) -> None:
    lab = made_lab(tmp_path, DOCUMENTED % "fast-path-firewall")
    claims_of_it = lab.folder / "claims.yml"
    text = claims_of_it.read_text()
    claims_of_it.write_text(text.replace("source: one", "source: mikrotik-manual-fast-path"))
    with pytest.raises(FileError, match=r"claims.yml:\d+: .*its source and its evidence"):
        claims.load(lab)


def test_rows_that_repeat_a_number_stand_with_the_claim_and_do_not_judge_it(tmp_path: Path) -> None:
    """Two rows make the ratio of 6.4 Gbit/s to 3.2; a third would make none."""
    words = "rate_ratio: {numerator: routing-plain, denominator: routing-fast-path, size: 64}"
    lab = made_lab(tmp_path, words, "[slow, fast]\n    repeated: [fast]")
    (claim,) = claims.load(lab)
    assert claim.rows == ("slow", "fast", "fast")
    assert claims.judge_all(lab)[0].published == "2"
    with pytest.raises(FileError, match=r"published.csv has no row 'fest'"):
        claims.load(made_lab(tmp_path, words, "[slow, fast]\n    repeated: [fest]"))


def test_an_emulated_clock_decides_nothing(tmp_path: Path) -> None:
    words = "ratio: {numerator: routing-3-rules, denominator: routing-fast-path, size: 64}"
    record = make_record()
    emulated = record.model_copy(update={"environment": {**record.environment, "emulation": "tcg"}})
    assert judged(tmp_path, words, record, published="[fast, slow]").evidence == claims.TIMED
    found = judged(tmp_path, words, emulated, published="[fast, slow]")
    assert (found.evidence, found.verdict) == (claims.EMULATED, claims.CANNOT_TELL)
    assert found.times_more is None


@pytest.mark.parametrize(
    ("three_rules", "noise"),
    [
        (420.0, 0.005),  # what is left of the noise is nothing beside the kernels
        (520.0, 0.05),  # the noise reaches nearly as far as the kernels
        (600.0, 0.1),  # and farther
        (640.0, 0.1),  # the same noise, of a ratio that no kernel brings to 1
    ],
)
def test_no_number_of_rounds_is_promised_where_another_kernel_decides(
    tmp_path: Path, three_rules: float, noise: float
) -> None:
    """Another kernel may say 1.39 times the ratio, or as many less, however many rounds it is."""
    words = "order: {conditions: [routing-fast-path, routing-3-rules], size: 64}"
    costs = {"routing-fast-path": 400.0, "routing-3-rules": three_rules}
    found = judged(tmp_path, words, make_record(costs=costs, noise=noise))
    assert found.verdict == claims.CANNOT_TELL
    assert found.measured and found.interval and found.repeatability and found.times_more
    assert found.interval[0] < 1
    if found.measured < KERNELS:
        assert found.times_more == INF
        assert "no reasonable number of rounds" in found.reason
    else:
        reach = math.log(found.measured / found.repeatability[0])
        assert found.times_more == pytest.approx((reach / math.log(found.measured)) ** 2)


def counted(ratio: float) -> results.Record:
    """A run that counted three rules at so many times the fast path, without noise."""
    costs = {"routing-fast-path": 400.0, "routing-3-rules": 400.0 * ratio}
    return make_record(costs=costs, noise=0.0001).model_copy(update={"measure": "counted"})


KERNELS, COUNTING = 1.39, 1.57
"""What agreement.py says of a pair that one kernel counted, and nobody timed."""


@pytest.mark.parametrize(
    ("ratio", "bias", "down", "up", "verdict"),
    [
        # Nobody timed the pair: as far to either side, past 1 too.
        (1.5, None, COUNTING, COUNTING, claims.CANNOT_TELL),
        (4.0, None, COUNTING, COUNTING, claims.IN_DIRECTION),
        (0.25, None, COUNTING, COUNTING, claims.DIFFERS),
        # It was timed, too: counting exaggerates by 1.3 to 1.6, or hides as much.
        (4.0, (1.3, 1.6), 1.6, 1.0, claims.IN_DIRECTION),
        (2.0, (1.3, 1.6), 1.6, 1.0, claims.CANNOT_TELL),
        # As of the bridge with and without its fast path: 0.816 [0.714, 0.865].
        (2.0, (0.714, 0.865), 1.0, 1 / 0.714, claims.IN_DIRECTION),
        (1.3, (0.714, 0.865), 1.0, 1 / 0.714, claims.CANNOT_TELL),
        (0.6, (0.714, 0.865), 1.0, 1 / 0.714, claims.CANNOT_TELL),
        (2.0, (0.0, 1.2), 1.2, INF, claims.IN_DIRECTION),
    ],
)
def test_the_bias_of_counting_reaches_both_ways(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ratio: float,
    bias: tuple[float, float] | None,
    down: float,
    up: float,
    verdict: str,
) -> None:
    own = Interval(1.0, *bias, 9) if bias else None
    monkeypatch.setattr(kernels, "bias", lambda *_: own)
    found = judged(tmp_path, ORDER, counted(ratio))
    assert found.evidence == claims.COUNTED and found.interval
    ends = (ratio / KERNELS / down, ratio * KERNELS * up)
    assert found.interval == pytest.approx(ends, rel=0.02)
    assert found.verdict == verdict


SAME = "little_change: {numerator: routing-3-rules, denominator: routing-fast-path, size: 64}"


@pytest.mark.parametrize(
    ("ratio", "bias", "verdict"),
    [
        (1.04, (0.97, 1.03), claims.IN_SIZE),
        (1.04, (0.90, 1.03), claims.CANNOT_TELL),
        (1.04, (0.97, 1.30), claims.CANNOT_TELL),
        # Nobody timed the pair: a count alone shows of no two costs that they are the same.
        (1.04, None, claims.CANNOT_TELL),
        (1.00, None, claims.CANNOT_TELL),
        (0.96, None, claims.CANNOT_TELL),
        (2.0, None, claims.DIFFERS),
    ],
)
def test_two_costs_are_the_same_where_the_whole_interval_says_so(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ratio: float,
    bias: tuple[float, float] | None,
    verdict: str,
) -> None:
    monkeypatch.setattr(kernels, "across_kernels", lambda *words, **_: words[4].as_wide_as(1.02))
    own = Interval(1.0, *bias, 9) if bias else None
    monkeypatch.setattr(kernels, "bias", lambda *_: own)
    assert judged(tmp_path, SAME, counted(ratio)).verdict == verdict


RATES = "rate_ratio: {numerator: routing-3-rules, denominator: routing-fast-path, size: 64}"
LOST = "frames: {of: lost, condition: routing-3-rules, size: 64, at_most: 0}"
STAND_IN_RANGE = "the range that another stand-in may show"


@pytest.mark.parametrize(
    ("words", "router", "measure", "kind"),
    [
        (ORDER, "linux", "timed", STAND_IN_RANGE),
        (ORDER, "linux", "counted", STAND_IN_RANGE),
        (ORDER, "routeros", "timed", "95 % confidence interval"),
        (RATES, "linux", "timed", STAND_IN_RANGE),
        (RATES, "routeros", "timed", "bounds of the searches"),
        (LOST, "linux", "timed", "repeatability of 2 runs"),
    ],
)
def test_an_interval_has_its_own_name(
    tmp_path: Path, words: str, router: str, measure: str, kind: str
) -> None:
    runs = [
        record.model_copy(update={"router": {**record.router, "name": router}, "measure": measure})
        for record in (make_record(seed=1), make_record(seed=2))
    ]
    (found,) = claims.judge_all(made_lab(tmp_path, words, "[fast, slow]"), claims.Runs.of(*runs))
    assert found.interval and found.interval_kind == kind
    assert found.plain()["interval_kind"] == kind


def test_no_number_of_rounds_brings_a_router_to_a_size_that_it_has_not(tmp_path: Path) -> None:
    """RouterOS at 2.3 times, where 2 is published: near, and not confirmed by any precision."""
    words = SAME.replace("little_change", "ratio")
    record = make_record(costs={"routing-fast-path": 400.0, "routing-3-rules": 920.0}, noise=0.001)
    record = record.model_copy(update={"router": {**record.router, "name": "routeros"}})
    found = judged(tmp_path, words, record, published="[slow, fast]")
    assert found.published == "2" and found.evidence == claims.ROUTEROS
    assert found.verdict == claims.CANNOT_TELL
    assert found.times_more == INF


ROWS = [
    ("pppoe", "the-wire-is-the-limit", "ccr1036-plain-tracking-6-8rc1-1280", 0.99),
    ("hundred", "almost-ten-million-packets", "chr-mtu", 0.5),
    ("fastpath", "the-total-latency-is-the-quickest", "rb1100-fast-path-stream-2-lost", 1.1),
    ("fastpath", "the-total-latency-is-the-quickest",
     "rb1100-connection-tracking-total-rx-bits", 1.004),
    ("fastpath", "the-total-latency-is-the-quickest",
     "rb1100-connection-tracking-total-latency", 1.1),
    ("fastpath", "only-ip-filter-rules-show-at-512-bytes",
     "ccr1036-routing-25-ip-filter-rules-512", 1.02),
    ("bridges", "the-rb3011-bridges-twice-one-lane-per-chip",
     "rb3011-bridging-fast-path-1518", 0.5),
    ("bridges", "the-rb4011-bridges-ten-gigabit", "rb4011-lane", 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "claim", "row", "times"), ROWS, ids=[each[2] for each in ROWS])
def test_the_rows_decide_it_and_another_number_otherwise(
    monkeypatch: pytest.MonkeyPatch, name: str, claim: str, row: str, times: float
) -> None:
    assert verdict_on(name, claim, claims.Runs()) == claims.CONSISTENT
    numbers = dict(published.load(lab.find(name)))
    numbers[row] = changed(numbers[row], times)
    monkeypatch.setattr(published, "load", lambda _: numbers)
    assert verdict_on(name, claim, claims.Runs()) == claims.INCONSISTENT


def changed(row: published.Published, times: float) -> published.Published:
    """The row with another number."""
    return replace(row, said=row.said.times(times))


def verdict_on(name: str, claim: str, of_runs: claims.Runs) -> str:
    """The verdict on one claim."""
    found = lab.find(name)
    return next(each.verdict for each in claims.judge_all(found, of_runs) if each.id == claim)
