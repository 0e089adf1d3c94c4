"""The published numbers of the lab fastpath are those of its sources, and claims speak of them."""

import re
from collections import Counter

import pytest

from ppslab.analysis import claims
from ppslab.base import units
from ppslab.lab import published
from tests.system.labs.fastpath.words import CLAIMS, FASTPATH, NUMBERS

# Every number of the article's outputs, typed from the article and not from published.csv.
ARTICLE_OUTPUTS = """
185 422|91.9Mbps|185 190|88.8Mbps|232|3.0Mbps|16us
213 397|105.8Mbps|212 747|102.1Mbps|650|3.7Mbps|10.6us
186 245|92.3Mbps|186 185|89.3Mbps|60|3.0Mbps|16.4us
213 685|105.9Mbps|212 961|102.2Mbps|724|3.7Mbps|10.8us
249 142|119.5Mbps|180 400|86.5Mbps|68 742|32.9Mbps|13.2us
249 141|119.5Mbps|193 158|92.7Mbps|55 983|26.8Mbps|11.1us
1 297 032|635.3Mbps|1 170 641|561.9Mbps|126 391|73.4Mbps|10.6us
1 235 620|481 094|487 045|267 469
0|0|0|0
0|0|0|0
593.0Mbps|230.9Mbps|233.7Mbps|128.3Mbps
1 233 862|360 750|360 402|512 692
0|0|0|0
0|0|0|0
603.9Mbps|178.9Mbps|178.7Mbps|246.0Mbps
249 793|123.8Mbps|127 410|61.1Mbps|122 383|62.7Mbps|3.22ms
249 791|123.8Mbps|87 232|41.8Mbps|162 559|82.0Mbps|5.2ms
249 792|123.8Mbps|127 424|61.1Mbps|122 368|62.7Mbps|3.15ms
249 792|123.8Mbps|87 219|41.8Mbps|162 573|82.0Mbps|5.18ms
249 792|119.9Mbps|40 492|19.4Mbps|209 300|100.4Mbps|5.54ms
249 791|119.8Mbps|46 736|22.4Mbps|203 055|97.4Mbps|5.41ms
1 498 751|735.3Mbps|516 513|247.9Mbps|982 238|487.4Mbps|3.15ms
40Mbps
13 926 377|1138.0...|2 586 802|206.9Mbps|11 339 575|215.3Mbps|41.6us
16 309 055|1142.4...|2 978 839|204.2Mbps|13 330 216|324.5Mbps|53.3us
300|500|500
200|500|500
"""

TABLE = """
1,299.1|15,776.3|3,759.0|15,396.9|23,808.0|12,189.7
1,299.1|15,776.3|3,759.0|15,396.9|5,704.8|2,920.9
1,299.1|15,776.3|3,759.0|15,396.9|23,808.0|12,189.7
1,299.1|15,776.3|3,759.0|15,396.9|8,353.1|4,276.8
1,299.1|15,776.3|3,392.9|13,897.3|3,481.8|1,782.7
"""


def cells(text: str) -> Counter[str]:
    return Counter(cell for line in text.split("\n") if line for cell in line.split("|"))


def number_of(printed: str) -> float:
    found = re.match(r"[\d ,]*\d(?:\.\d+)?", printed)
    assert found
    return float(re.sub("[ ,]", "", found.group()))


# --- published.csv ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text"),
    [("mikrotik-traffic-generator", ARTICLE_OUTPUTS), ("ufone-ccr-tuning", TABLE)],
)
def test_every_number_of_the_source_stands_once(source: str, text: str) -> None:
    printed = Counter(row.printed for row in NUMBERS.values() if row.source == source)
    assert printed == cells(text)


@pytest.mark.parametrize("row", NUMBERS.values(), ids=NUMBERS)
def test_the_value_is_the_number_as_printed(row: published.Published) -> None:
    assert row.value == number_of(row.printed)
    suffix = {"Mbps": "Mbit/s", "us": "us", "ms": "ms"}
    for ending, unit in suffix.items():
        if row.printed.endswith(ending):
            assert row.unit == unit


def test_the_totals_are_the_sums_of_their_streams() -> None:
    for run in ("rb1100-fast-path", "rb1100-connection-tracking"):
        for quantity in ("tx", "rx", "lost"):
            streams = [NUMBERS[f"{run}-stream-{n}-{quantity}"].value for n in range(6)]
            assert NUMBERS[f"{run}-total-{quantity}"].value == sum(streams)
        smallest = min(NUMBERS[f"{run}-stream-{n}-latency"].value for n in range(6))
        assert NUMBERS[f"{run}-total-latency"].value == smallest


def test_what_was_sent_was_received_or_lost() -> None:
    rows = [key.removesuffix("-tx") for key in NUMBERS if key.endswith("-tx") and "dut" not in key]
    assert len(rows) == 2 * 7 + 2
    for row in rows:
        sent, received, lost = (NUMBERS[f"{row}-{word}"].value for word in ("tx", "rx", "lost"))
        assert sent == received + lost


def test_the_generator_counts_sixty_bytes_of_a_frame_of_sixty_four() -> None:
    for run in ("rb1100-fast-path", "rb1100-connection-tracking"):
        rate, bits = NUMBERS[f"{run}-total-rx"].value, NUMBERS[f"{run}-total-rx-bits"].value
        assert bits * 1e6 / 8 / rate == pytest.approx(64 - units.FCS_BYTES, rel=0.001)


def test_the_table_counts_frames_with_their_check_sequence() -> None:
    rates = [row for row in NUMBERS.values() if f"{row.id}-bits" in NUMBERS and row.unit == "kpps"]
    assert len(rates) == 15
    for row in rates:
        assert row.frame_size
        bits = NUMBERS[f"{row.id}-bits"].value
        # 3,481.8 kpps of 64 bytes are 1,782.68 Mbit/s; the table has 1,782.7.
        assert units.frame_bits_per_second(row.value * 1e3, row.frame_size) / 1e6 == pytest.approx(
            bits, rel=1e-4
        )


def test_each_row_says_where_it_stands() -> None:
    for row in NUMBERS.values():
        assert all([row.document, row.hardware, row.version, row.mode, row.quantity, row.where])
        mode = FASTPATH.conditions[row.condition].flows if row.condition else row.mode
        assert row.mode == mode


# --- claims.yml ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "ratio"),
    [
        ("ratio-of-tracking-to-the-fast-path", "2.27"),
        ("the-first-three-rules-cost-40-megabit", "1.20"),
        ("more-rules-change-almost-nothing", "1.01"),
        ("small-frames-are-bound-by-packets", "1.03"),
        ("ratio-of-filter-rules-to-queues", "2.40"),
        ("least-ratio-of-queues-to-the-fast-path", "2.85"),
        ("least-ratio-of-filter-rules-to-the-fast-path", "6.84"),
        ("least-ratio-of-bridge-filter-rules-to-the-fast-path", "4.17"),
    ],
)
def test_the_published_rows_make_the_ratio_that_is_spoken_of(claim: str, ratio: str) -> None:
    dearer, cheaper = (NUMBERS[name] for name in CLAIMS[claim].published)
    assert f"{cheaper.value / dearer.value:.2f}" == ratio
    word = CLAIMS[claim].judge.word
    if isinstance(word, claims.Costs):
        assert (dearer.condition, cheaper.condition) == (word.numerator, word.denominator)
        assert dearer.frame_size == cheaper.frame_size == word.size


def test_the_rows_of_an_order_belong_to_its_conditions() -> None:
    orders = [c for c in CLAIMS.values() if isinstance(c.judge.word, claims.Order) and c.published]
    assert orders
    for claim in orders:
        rows = [NUMBERS[name] for name in claim.published]
        if len(rows) == len(claim.judge.word.conditions):
            # A variant of a condition differs in what the source does not print.
            mine = tuple(name.removesuffix("-13-met") for name in claim.judge.word.conditions)
            assert tuple(row.condition for row in rows) == mine
            assert rows == sorted(rows, key=lambda row: -row.value)
            assert len({row.quantity for row in rows}) == 1


def test_every_condition_is_spoken_of_by_a_claim() -> None:
    spoken: set[str] = set()
    for claim in CLAIMS.values():
        word = claim.judge.word
        for key in ("conditions", "condition", "numerator", "denominator"):
            found = getattr(word, key, ())
            spoken.update([found] if isinstance(found, str) else found)
    assert spoken == set(FASTPATH.conditions)
