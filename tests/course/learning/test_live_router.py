"""The router in the page: what the book says of it, and where a reader is led to it."""

from __future__ import annotations

import csv
import re

import pytest

from ppslab.core import paths
from ppslab.course.site.directives import page_router_counts

BOOK = paths.project_root() / "book"


def test_the_page_says_why_its_fast_path_costs_more_than_plain_routing() -> None:
    """Its figures are those of the table: another count must change the sentences, too."""
    with page_router_counts.FILE.open(encoding="utf-8", newline="") as file:
        names = [row["condition"] for row in csv.DictReader(file)]
    known = dict(zip(names, page_router_counts.counts(), strict=True))
    fast, fast_once, fast_steps = known["Routing, fast path"]
    plain, plain_once, plain_steps = known["Routing, slow path"]
    text = (BOOK / "live-router.md").read_text(encoding="utf-8")
    said = re.findall(r"(\d+) (?:instructions|further steps)?,? ?against (\d+)", text)
    assert fast > plain and fast_once + fast_steps < plain_once + plain_steps
    assert [(int(above), int(below)) for above, below in said] == [
        (fast, plain), (fast_steps, plain_steps),
        (fast_once + fast_steps, plain_once + plain_steps),
    ]  # fmt: skip


def test_the_two_emulators_agree_where_a_string_instruction_is_one() -> None:
    with page_router_counts.FILE.open(encoding="utf-8", newline="") as file:
        differences = [float(row["difference"].rstrip(" %")) for row in csv.DictReader(file)]
    for (page, once, _), difference in zip(page_router_counts.counts(), differences, strict=True):
        assert 100 * (page / once - 1) == pytest.approx(difference, abs=0.1)
        assert abs(difference) < 5
    # With the further steps they are far apart: it is these that explain it.
    page, once, steps = page_router_counts.counts()[0]
    assert (once + steps) / page > 1.2
