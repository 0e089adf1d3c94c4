"""Stored and new numbers agree where their intervals do, and only there."""

from __future__ import annotations

from dataclasses import replace
from math import inf

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


AGREE = [
    (RATIO, times(1.95, 1.9, 2.0)),
    (RATIO, times(2.2, 2.1, 2.3)),  # apart, but by less than the tolerance
    (RATIO, times(9.0, 1.5, inf)),  # it knows nothing
    (with_unit("ns", 213, 205, 222), with_unit("ns", 640, 600, 680)),  # absolute times drift
    (Quantity(1.54e6, unit="pps"), Quantity(4.1e5, unit="pps", remark="(tester-limited)")),
    (HOLDS, UNDECIDED),
    (UNDECIDED, BROKEN),
    (Sentence(("A/A: ", RATIO, ".")), Sentence(("A/A: ", times(1.9, 1.8, 2.0), "."))),
]
DIFFER = [
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
    (Sentence(("x: order ", HOLDS)), Sentence(("x: order ", HOLDS, ".")), "words differ"),
]


@pytest.mark.parametrize(("stored", "new", "why"), [*((*pair, "") for pair in AGREE), *DIFFER])
def test_noise_agrees_and_more_than_noise_does_not(stored: Content, new: Content, why: str) -> None:
    found = compared(table(stored), table(new))
    assert [each.where for each in found] == (["a, measured"] if why else [])
    assert all(why in str(each) for each in found)


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


def counted(estimate: float, low: float, high: float) -> Table:
    return table(with_unit("instructions", estimate, low, high), COUNTED)


def figure(number: Quantity) -> Figure:
    return Figure("costs", "Costs", "<svg/>", "", lines=(Sentence(("a: ", number)),))


def summary(title: str, year: int) -> TextBlock:
    return TextBlock(title, [f"measured {year}"], aside=True)


ASIDE = {"asides": frozenset({"measured"})}
OTHER_KERNEL = replace(RUN, kernel="6.1.0-44-amd64")


@pytest.mark.parametrize(
    ("stored", "new", "agree"),
    [
        # The frame of a table must be the same.
        (table(RATIO), replace(table(RATIO), title="Cost"), False),
        (table(RATIO), replace(table(RATIO), header=("condition", "times")), False),
        (table(RATIO), replace(table(RATIO), rows=()), False),
        (table(RATIO), replace(table(RATIO), notes=("more",)), False),
        (table(RATIO), table(RATIO, None), False),
        (table(RATIO), table(RATIO, replace(RUN, subject="tester")), False),
        (table(RATIO), replace(table(RATIO), **ASIDE), False),
        (replace(table("a"), **ASIDE), replace(table("b"), **ASIDE), True),
        (figure(RATIO), figure(times(1.9, 1.8, 2.0)), True),
        (figure(RATIO), figure(times(9, 8, 10)), False),
        # Of a summary no date is compared.
        (summary("10 of 10 conditions", 2026), summary("10 of 10 conditions", 2027), True),
        (summary("10 of 10 conditions", 2026), summary("9 of 10 conditions", 2026), False),
        # Another kernel may differ more.
        (table(RATIO), table(times(2.7, 2.6, 2.8)), False),
        (table(RATIO), table(times(2.7, 2.6, 2.8), OTHER_KERNEL), True),
        # Counts, and ratios of them, agree to less than a per cent.
        (counted(4332, 4331, 4334), counted(4350, 4349, 4352), True),
        (counted(4332, 4331, 4334), counted(4400, 4399, 4401), False),
        (counted(4332, 4331, 4334), counted(4300, 4200, 4400), True),  # it knows it less well
        (table(times(1.52, 1.52, 1.52), COUNTED), table(times(1.53, 1.525, 1.535), COUNTED), True),
        (table(times(1.52, 1.52, 1.52), COUNTED), table(times(1.6, 1.59, 1.61), COUNTED), False),
        (table(times(1.52, 1.52, 1.52)), table(times(1.6, 1.59, 1.61)), True),
    ],
)
def test_the_frame_and_how_far_numbers_may_differ(stored: Shown, new: Shown, agree: bool) -> None:
    assert (compared(stored, new) == []) is agree


@pytest.mark.parametrize(("low", "agree"), [(1.95, False), (1.9, True)])
def test_a_zero_tolerance_leaves_the_intervals_as_they_are(low: float, agree: bool) -> None:
    assert (compared(table(RATIO), table(times(2.0, low, 2.1)), tolerance=0.0) == []) is agree


def output(shown: Shown) -> NotebookNode:
    text = {"text/plain": shown.plain(), "text/html": shown.html()}
    return new_output("execute_result", {**text, NUMBERS: shown.data()})


def test_outputs_that_agree_become_the_stored_ones_and_others_are_named() -> None:
    stored, new = [output(table(RATIO))], [output(table(times(1.9, 1.8, 2.0)))]
    assert reconcile(stored, new) == [] and new == stored
    new = [output(table(times(9, 8, 10)))]
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
