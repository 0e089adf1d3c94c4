"""Stored and new numbers agree where their intervals do, and only there."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_output

from ppslab.core.provenance import Provenance
from ppslab.core.text.display import NUMBERS, Shown, TextBlock
from ppslab.core.text.quantities import Content, Outcome, Quantity, Sentence
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.course.notebook.nbval_intervals import Disagreement, disagreements, reconcile
from ppslab.show.figures import Figure

RUN = Provenance(
    started="2026-01-02 00:00",
    subject="router",
    name="linux",
    backend="vm",
    kernel="6.18",
    emulation="tcg",
)
COUNTED = replace(RUN, measure="counted")


def times(estimate: float, low: float, high: float) -> Quantity:
    return Quantity(estimate, low, high)


def with_unit(unit: str, estimate: float, low: float, high: float) -> Quantity:
    return Quantity(estimate, low, high, unit=unit)


def table(content: Content, provenance: Provenance | None = RUN) -> Table:
    return Table("Costs", ("condition", "measured"), (cells("a", content),), provenance=provenance)


def compared(stored: Shown, new: Shown, **more: float) -> list[Disagreement]:
    return disagreements(stored.data(), new.data(), **more)


RATIO = times(1.8, 1.7, 1.9)
HOLDS, BROKEN = Outcome("holds"), Outcome("broken")
UNDECIDED = Outcome("undecided", decided=False)


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        (RATIO, times(1.95, 1.9, 2.0)),
        (RATIO, times(2.2, 2.1, 2.3)),  # apart, but by less than the tolerance
        (RATIO, times(9.0, 1.5, inf)),  # it knows nothing
        (with_unit("ns", 213, 205, 222), with_unit("ns", 640, 600, 680)),  # absolute times drift
        (Quantity(1.54e6, unit="pps"), Quantity(4.1e5, unit="pps", remark="(tester-limited)")),
        (HOLDS, UNDECIDED),
        (UNDECIDED, BROKEN),
        (Sentence(("A/A: ", RATIO, ".")), Sentence(("A/A: ", times(1.9, 1.8, 2.0), "."))),
    ],
)
def test_noise_agrees(stored: Content, new: Content) -> None:
    assert compared(table(stored), table(new)) == []


@pytest.mark.parametrize(
    ("stored", "new", "why"),
    [
        (RATIO, times(3.1, 3.0, 3.2), "intervals differ"),
        (RATIO, times(0.55, 0.5, 0.6), "intervals differ"),
        (RATIO, "-", "one side only"),
        (with_unit("ns", 213, 205, 222), "-", "one side only"),
        (with_unit("ns", 213, 205, 222), with_unit("instructions", 213, 205, 222), "unit"),
        (RATIO, with_unit("ns", 1.8, 1.7, 1.9), "unit"),
        (RATIO, Quantity(1.8), "interval on one side"),
        (HOLDS, BROKEN, "verdict moved"),
        (Outcome("reproduced"), Outcome("direction only"), "verdict moved"),
        (UNDECIDED, "not testable here", "words differ"),
        ("2.27", "2.72", "words differ"),
        (Sentence(("x: order ", HOLDS)), Sentence(("x: order ", BROKEN)), "verdict moved"),
        (Sentence(("x: order ", HOLDS)), Sentence(("y: order ", HOLDS)), "words differ"),
    ],
)
def test_more_than_noise_does_not(stored: Content, new: Content, why: str) -> None:
    found = compared(table(stored), table(new))
    assert [each.where for each in found] == ["a, measured"]
    assert why in str(found[0])


def test_a_row_is_named_by_as_many_words_as_tell_it_from_the_others() -> None:
    def counters(forwarded: float) -> Table:
        rows = (
            cells("offload", "chip forwarded", Quantity(forwarded)),
            cells("offload", "CPU forwarded", Quantity(0.0)),
            cells("cpu", "CPU forwarded", Quantity(1 - forwarded)),
        )
        return Table("Counters", ("condition", "counter", "64 bytes"), rows, provenance=RUN)

    found = compared(counters(1.0), counters(0.0))
    assert [each.where for each in found] == ["offload, chip forwarded, 64 bytes", "cpu, 64 bytes"]


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Cost"},
        {"header": ("condition", "times")},
        {"rows": ()},
        {"notes": ("more",)},
        {"provenance": None},
        {"provenance": replace(RUN, subject="tester")},
        {"asides": frozenset({"measured"})},
    ],
)
def test_the_frame_of_a_table_must_be_the_same(change: dict[str, Any]) -> None:
    assert compared(table(RATIO), replace(table(RATIO), **change))


def test_a_column_that_is_an_aside_is_not_compared() -> None:
    stored, new = (replace(table(word), asides=frozenset({"measured"})) for word in "ab")
    assert compared(stored, new) == []


def test_a_zero_tolerance_leaves_the_intervals_as_they_are() -> None:
    assert compared(table(RATIO), table(times(2.0, 1.95, 2.1)), tolerance=0.0)
    assert not compared(table(RATIO), table(times(2.0, 1.9, 2.1)), tolerance=0.0)


def test_a_figure_is_compared_by_its_lines() -> None:
    stored, same, other = (
        Figure("costs", "Costs", "<svg/>", "", lines=(Sentence(("a: ", number)),))
        for number in (RATIO, times(1.9, 1.8, 2.0), times(9, 8, 10))
    )
    assert compared(stored, same) == []
    assert compared(stored, other)


def test_of_a_summary_the_title_is_compared_and_no_date() -> None:
    stored = TextBlock("10 of 10 conditions measured", ["measured 2026"], aside=True)
    later = TextBlock("10 of 10 conditions measured", ["measured 2027"], aside=True)
    fewer = TextBlock("9 of 10 conditions measured", ["measured 2027"], aside=True)
    assert compared(stored, later) == []
    assert "9 of 10" in str(compared(stored, fewer)[0])


@pytest.mark.parametrize(("kernel", "agree"), [("6.18", False), ("6.1.0-44-amd64", True)])
def test_another_kernel_may_differ_more(kernel: str, agree: bool) -> None:
    new = table(times(2.7, 2.6, 2.8), replace(RUN, kernel=kernel))
    assert (compared(table(RATIO), new) == []) is agree


@pytest.mark.parametrize(
    ("new", "agree"),
    [
        (with_unit("instructions", 4332, 4331, 4334), True),
        (with_unit("instructions", 4350, 4349, 4352), True),
        (with_unit("instructions", 4400, 4399, 4401), False),
        (with_unit("instructions", 4300, 4200, 4400), True),  # it knows its number less well
    ],
)
def test_counts_agree_to_less_than_a_per_cent(new: Quantity, agree: bool) -> None:
    stored = table(with_unit("instructions", 4332, 4331, 4334), COUNTED)
    assert (compared(stored, table(new, COUNTED)) == []) is agree


def test_ratios_of_counts_agree_to_less_than_a_per_cent() -> None:
    stored = table(times(1.52, 1.52, 1.52), COUNTED)
    assert not compared(stored, table(times(1.53, 1.525, 1.535), COUNTED))
    assert compared(stored, table(times(1.6, 1.59, 1.61), COUNTED))
    timed = replace(COUNTED, measure="timed")
    assert not compared(replace(stored, provenance=timed), table(times(1.6, 1.59, 1.61), timed))


def output(shown: Shown) -> NotebookNode:
    text = {"text/plain": shown.plain(), "text/html": shown.html()}
    return new_output("execute_result", {**text, NUMBERS: shown.data()})


def test_outputs_that_agree_become_the_stored_ones() -> None:
    stored, new = [output(table(RATIO))], [output(table(times(1.9, 1.8, 2.0)))]
    assert reconcile(stored, new) == []
    assert new == stored


def test_outputs_that_disagree_are_named_and_their_text_stays() -> None:
    stored, new = [output(table(RATIO))], [output(table(times(9, 8, 10)))]
    assert "9 [8, 10]" in str(reconcile(stored, new)[0])
    assert "9 [8, 10]" in new[0].data["text/plain"]


def test_numbers_that_round_to_the_same_text_are_still_compared() -> None:
    stored, new = (output(table(times(v, v, v), COUNTED)) for v in (0.01004, 0.01004 * 1.02))
    assert "differ" in str(reconcile([stored], [new])[0])


def test_outputs_without_numbers_are_left_to_nbval() -> None:
    stored = [new_output("stream", name="stdout", text="a 1.8 [1.7, 1.9]\n")]
    new = [new_output("stream", name="stdout", text="a 1.81 [1.7, 1.9]\n")]
    assert reconcile(stored, new) == []
    assert new[0]["text"] == "a 1.81 [1.7, 1.9]\n"
    plain = [new_output("execute_result", {"text/plain": "a"})]
    assert reconcile([output(table(RATIO))], plain) == []
    assert plain[0].data == {"text/plain": "a"}


def test_a_cell_with_an_interval_stays_in_one_line() -> None:
    assert Cell(RATIO, kind="x").classes == "x ppslab-interval"
    assert Cell(Quantity(1.8)).classes == ""
    assert Cell("1.8 [1.7, 1.9]").classes == ""


def test_only_what_a_run_measured_brings_its_numbers_along() -> None:
    assert NUMBERS in table(RATIO)._repr_mimebundle_()
    assert table("words", None)._repr_mimebundle_() == {}
    assert NUMBERS in TextBlock("a", ["measured 2026"], aside=True)._repr_mimebundle_()
    assert TextBlock("a", ["b"])._repr_mimebundle_() == {}
