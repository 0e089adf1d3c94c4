"""The published numbers of the lab fastpath add up; its claims compare rows of their conditions."""

import pytest

from ppslab.core import units
from ppslab.judge import claims
from tests.system.labs.fastpath.words import CLAIMS, NUMBERS


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


def test_the_rows_of_a_cost_belong_to_its_conditions() -> None:
    costs = [
        c
        for c in CLAIMS.values()
        if isinstance(c.judge.word, claims.Ratio | claims.LittleChange) and c.published
    ]
    judged = [claim for claim in costs if len(claim.published) == 2]
    assert judged
    for claim in judged:
        dearer, cheaper = (NUMBERS[name] for name in claim.published)
        word = claim.judge.word
        assert (dearer.condition, cheaper.condition) == word.conditions
        assert (dearer.frame_size,) == (cheaper.frame_size,) == word.frame_sizes


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
