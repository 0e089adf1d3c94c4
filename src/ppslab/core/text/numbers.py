"""Numbers for reading: times, shares, percentiles, counts.  Rates are in `units`."""

from __future__ import annotations

import re
from decimal import Decimal

from ppslab.core.text.grouping import grouped


def time_text(nanoseconds: float) -> str:
    """A time for reading: three digits that matter.

    >>> time_text(213), time_text(28232), time_text(2_000_000), time_text(-1500)
    ('213 ns', '28.2 µs', '2 ms', '-1.5 µs')
    """
    size = abs(nanoseconds)
    for limit, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if size >= limit:
            return f"{_digits(nanoseconds / limit)} {unit}"
    return f"{_digits(nanoseconds)} ns"


def seconds_text(seconds: float) -> str:
    """A time that is kept in seconds.

    >>> seconds_text(0.0213), seconds_text(0), seconds_text(61.5)
    ('21.3 ms', '0 s', '61.5 s')
    """
    return "0 s" if seconds == 0 else time_text(seconds * 1e9)


def percent_text(share: float) -> str:
    """A share as a percentage, to three digits that matter; never 0 for what is not nothing.

    >>> percent_text(0.0), percent_text(0.5), percent_text(0.00001), percent_text(0.98765)
    ('0 %', '50 %', '0.001 %', '98.8 %')
    """
    return f"{_digits(100 * share)} %"


def percentile_text(share: float) -> str:
    """A percentile by its share.

    >>> percentile_text(0.0), percentile_text(0.5), percentile_text(0.9999), percentile_text(1.0)
    ('least', 'p50', 'p99.99', 'most')
    """
    if share <= 0:
        return "least"
    return "most" if share >= 1 else f"p{round(100 * share, 6):g}"


def short(value: float) -> str:
    """A number for reading: three digits that matter, never an exponent for what is in thousands.

    >>> short(2.2664), short(1347.2), short(0.0512)
    ('2.27', '1347', '0.0512')
    """
    return grouped(f"{value:.0f}") if abs(value) >= 100 else f"{value:.3g}"


def plural(count: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> plural(1, "trial"), plural(3, "trial"), plural(2, "search", "searches")
    ('1 trial', '3 trials', '2 searches')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


_TYPED = re.compile(r"(?<![\w.,:/-])\d{1,3}([ ,\u00a0])\d{3}(?:\1\d{3})*(?!\w|,\d)")


def regrouped(text: str) -> str:
    """Text whose numbers, typed or printed by others, have their thousands apart as all others.

    >>> regrouped("with 1 000 routes, 942,326 of them").split(chr(0x202F))
    ['with 1000 routes, 942', '326 of them']
    """
    return _TYPED.sub(lambda found: grouped(re.sub(r"[ ,\u00a0]", "", found[0])), text)


def _digits(value: float) -> str:
    """Whole from 100 upwards, else three digits that matter (two below 0.001); no exponent."""
    if abs(value) >= 100:
        return grouped(f"{value:.0f}")
    return f"{Decimal(f'{value:.3g}' if abs(value) >= 1e-3 else f'{value:.2g}'):f}"
