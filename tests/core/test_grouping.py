"""Large numbers have one form, whoever wrote them."""

from __future__ import annotations

from ppslab.core.text.grouping import APART, grouped
from ppslab.core.text.numbers import short, time_text
from ppslab.core.text.quantities import Quantity
from ppslab.core.text.typed_numbers import regrouped
from ppslab.course.models.drawn import drawing


def test_every_text_of_a_number_groups_alike() -> None:
    wanted = f"28{APART}232"
    assert short(28232) == drawing.short(28232) == str(Quantity(28232)) == wanted
    assert str(Quantity(28232, unit="ns", digits=5)) == f"{wanted} ns"
    assert time_text(28232e9) == f"{wanted} s"


def test_four_digits_stay_together() -> None:
    assert short(1518) == drawing.short(1518) == grouped("1518") == "1518"
    assert regrouped("1 925 Mbps, 1,299.1 kpps") == "1925 Mbps, 1299.1 kpps"


def test_what_is_no_number_in_parts_stays() -> None:
    for text in ("RFC 2544 100", "1500 576", "10.0.0.1 198", "v7 120x", "64, 512", "64,512,1518"):
        assert regrouped(text) == text
