"""Numbers of worked examples: calculated from published rates and from recorded costs."""

from __future__ import annotations

import pytest

from ppslab.core.errors import UsageError
from ppslab.course.site.directives import worked
from ppslab.course.site.directives.sources import Source
from ppslab.model.lab import lab as labs
from tests.support.factory import make_record


@pytest.fixture
def source() -> Source:
    return Source(labs.find("fastpath"), make_record())


def test_times_of_published_rates(source: Source) -> None:
    fast, ruled = "hex-routing-fast-path-64", "hex-routing-25-ip-filter-rules-64"
    assert worked.of_times(source, [fast])[0] == "0.97 µs"  # 1 / 1035.0 kpps
    assert worked.of_times(source, [ruled, "-", fast, "/", "25"])[0] == "0.39 µs"
    text, where = worked.number(source, ["percent", ruled, fast])
    assert text == "9.1 %" and "slide 14" in where


def test_a_core_has_its_share_of_a_published_rate(source: Source) -> None:
    row = "ccr1036-routing-25-ip-filter-rules-512"
    assert worked.number(source, ["rate", row, "/", "36"])[0] == "94 kpps"  # 3392.9 / 36
    assert worked.number(source, ["rate", f"{row}-bits", "/", "36"])[0] == "386 Mbit/s"
    with pytest.raises(UsageError, match="no such number"):
        worked.number(source, ["rate", row, "-", row])


def test_costs_are_added_up_and_divided(source: Source) -> None:
    def cost(*words: str) -> float:
        return float(worked.of_costs(source, list(words))[0].split()[0].replace("\u202f", ""))

    plain = cost("1", "routing-plain", "64")
    fast = cost("1", "routing-fast-path", "64")
    assert cost("3", "routing-plain", "-1", "routing-fast-path", "64", "/", "2") == pytest.approx(
        (3 * plain - fast) / 2, rel=0.01
    )


@pytest.mark.parametrize(
    "words",
    [["hex-routing-fast-path-64", "hex-routing-fast-path-64"], ["rb1100-bridging-64-intended"]],
)
def test_what_is_no_rate_or_no_difference_is_refused(source: Source, words: list[str]) -> None:
    with pytest.raises(UsageError):
        worked.of_times(source, words)


def test_without_a_run_it_says_so() -> None:
    nothing = Source(labs.find("fastpath"), None)
    assert worked.of_costs(nothing, ["1", "routing-plain", "64"])[0] == worked.NO_RUN
