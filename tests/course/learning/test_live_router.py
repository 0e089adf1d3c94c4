"""The router in the page: what the book says of it, and where a reader is led to it."""

from __future__ import annotations

import re

from ppslab.core import paths
from ppslab.course.site.directives import page_router_counts

BOOK = paths.project_root() / "book"


def test_the_page_says_why_its_fast_path_costs_more_than_plain_routing() -> None:
    """Its figures are those of the table: another count must change the sentences, too."""
    known = {each.condition: each for each in page_router_counts.counts()}
    fast, plain = known["routing-fast-path"], known["routing-plain"]
    text = (BOOK / "live-router.md").read_text(encoding="utf-8")
    said = re.findall(r"(\d+) (?:instructions|further steps)?,? ?against (\d+)", text)
    assert fast.page > plain.page and fast.once + fast.steps < plain.once + plain.steps
    assert said == [
        (f"{fast.page:.0f}", f"{plain.page:.0f}"),
        (f"{fast.steps:.0f}", f"{plain.steps:.0f}"),
        (f"{fast.once + fast.steps:.0f}", f"{plain.once + plain.steps:.0f}"),
    ]


def test_the_two_emulators_agree_where_a_string_instruction_is_one() -> None:
    counts = page_router_counts.counts()
    assert {count.lab for count in counts} == {"fastpath", "fasttrack"}
    assert max(abs(count.error) for count in counts) < 0.05
    # With the further steps they are far apart: it is these that explain it.
    plain = next(count for count in counts if count.condition == "routing-plain")
    assert (plain.once + plain.steps) / plain.page > 1.2
