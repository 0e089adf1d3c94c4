"""A number keeps its interval and its unit until it is shown, and comes back from JSON."""

from __future__ import annotations

import json
from math import inf

import pytest

from ppslab.core.text.quantities import (
    Content,
    Outcome,
    Quantity,
    Sentence,
    as_data,
    from_data,
    quantity,
)
from ppslab.model.statistics import Interval


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Quantity(2.2664, 2.1, 2.41), "2.27 [2.1, 2.41]"),
        (Quantity(1347.2, 1300, inf, unit="ns"), "1347 [1300, inf] ns"),
        (Quantity(4331.6, 4330.9, 4334.2, unit="instructions", digits=4),
         "4332 [4331, 4334] instructions"),
        (Quantity(1_540_000, unit="pps"), "1.54 Mpps"),
        (Quantity(410_000, unit="pps", remark="(tester-limited)"), "410 kpps (tester-limited)"),
        (Quantity(24.61, unit="%", digits=3), "24.6 %"),
        (Quantity(0.5), "0.5"),
    ],
)  # fmt: skip
def test_the_text_is_made_from_the_number(number: Quantity, text: str) -> None:
    assert str(number) == text


def test_an_interval_is_scaled_with_its_estimate() -> None:
    interval = Interval(2e9, 1e9, 3e9, 5)
    assert str(quantity(interval, "Gbit/s", scale=1e-9)) == "2 [1, 3] Gbit/s"
    assert quantity(None) == "-"


@pytest.mark.parametrize(
    "content",
    [
        "words",
        Quantity(1.5, 1.25, 2.0),
        Quantity(1.5, -inf, inf, unit="ns", digits=3),
        Quantity(1e6, unit="pps", remark="(tester-limited)"),
        Outcome("undecided", decided=False),
        Sentence(("A/A: ", Quantity(1.0, 0.5, 2.0), ", order ", Outcome("holds"))),
    ],
)
def test_content_comes_back_from_json(content: Content) -> None:
    written = json.dumps(as_data(content), allow_nan=False)
    assert from_data(json.loads(written)) == content
