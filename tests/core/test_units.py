"""Rates against the tables of RFC 2544 appendix B and the CCR1036's published rows."""

from __future__ import annotations

import pytest

from ppslab.core.units import frame_bits_per_second, human_rate, line_rate, nanoseconds_each


@pytest.mark.parametrize(
    ("size", "frames_per_second"),
    [(64, 14880), (128, 8445), (256, 4528), (512, 2349), (768, 1586), (1024, 1197), (1280, 961)],
)
def test_ten_megabit_ethernet_as_in_rfc_2544_appendix_b(size: int, frames_per_second: int) -> None:
    assert int(line_rate(size, 10e6)) == frames_per_second


@pytest.mark.parametrize(
    ("size", "gigabits", "frames_per_second"),
    [(64, 1, 1_488_095), (1518, 1, 81_274), (64, 10, 14_880_952), (1518, 10, 812_743)],
)
def test_what_everybody_knows_of_faster_links(
    size: int, gigabits: int, frames_per_second: int
) -> None:
    assert int(line_rate(size, gigabits * 1e9)) == frames_per_second


def test_mikrotik_counts_frames_without_what_the_wire_adds() -> None:
    # CCR1036: 23 808.0 kpps of 64 bytes are printed as 12 189.7 Mbps.
    assert frame_bits_per_second(23_808_000, 64) / 1e6 == pytest.approx(12189.7, abs=0.05)


def test_a_million_packets_a_second_leave_a_microsecond_each() -> None:
    assert nanoseconds_each(1e6) == 1000


@pytest.mark.parametrize(
    ("rate", "text"), [(1_170_641, "1.17 Mpps"), (98_851, "98.9 kpps"), (730, "730 pps")]
)
def test_rates_for_reading(rate: float, text: str) -> None:
    assert human_rate(rate) == text
