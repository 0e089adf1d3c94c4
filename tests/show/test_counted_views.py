"""A counted record is shown in instructions wherever a cost is shown, and never in time."""

from __future__ import annotations

import pytest

from ppslab.core import measures
from ppslab.model.results import Record
from ppslab.model.statistics import Interval
from ppslab.show import record_tables
from ppslab.show.figures import costs_figure
from ppslab.show.figures.teaching import race_figure
from ppslab.show.report import parts, rows
from ppslab.show.report.comparing import quantities
from tests.support import factory


@pytest.fixture
def counted() -> Record:
    return factory.make_record().model_copy(update={"measure": "counted"})


def test_an_amount_has_its_unit_and_as_many_digits_as_two_runs_agree_in() -> None:
    found = Interval(4332.4, 4330.6, 4334.9, 3)
    assert str(record_tables.amount(found, "counted")) == "4332 [4331, 4335] instructions"
    assert str(record_tables.amount(found, "timed")) == "4330 [4330, 4330] ns"


@pytest.mark.long
def test_no_table_figure_report_or_row_of_a_counted_record_speaks_of_nanoseconds(
    counted: Record,
) -> None:
    figure = costs_figure(counted)
    race = race_figure(counted, [condition.name for condition in counted.conditions])
    for text in (
        record_tables.costs(counted).plain(),
        " ".join((figure.title, figure.alt, figure.svg, *map(str, figure.lines))),
        " ".join((race.title, race.alt, race.svg)),
        " ".join(f"{row.quantity} {row.unit}" for row in rows.of_record(counted)),
    ):
        assert "instructions" in text
        assert " ns" not in text and "nanosecond" not in text and "time per packet" not in text


def test_what_counting_cannot_see_stands_beside_its_costs(counted: Record) -> None:
    assert measures.BLIND in record_tables.costs(counted).notes
    assert any(measures.BLIND in text for text in parts.cost_method(counted))
    assert measures.BLIND not in record_tables.costs(factory.make_record()).notes


def test_instructions_and_time_are_compared_by_their_ratios_only(counted: Record) -> None:
    timed = factory.make_record()
    name = counted.conditions[-1].name
    found = list(quantities._costs_across(counted, timed, name, name, counted.frame_sizes[0]))
    absolute = next(row for row in found if row.group == "time")
    assert absolute.why_not == quantities.OTHER_MEASURE
    assert "instructions" in absolute.quantity and "time" in absolute.quantity


def test_both_measures_together_say_what_an_instruction_took() -> None:
    timed = factory.make_record()
    counted = timed.model_copy(update={"measure": "counted"})
    table = record_tables.both_measures(counted, timed)
    assert "ns an instruction" in table.header
    column = table.header.index("ns an instruction")
    # The same clock read as 2 ns an instruction.
    measured = [row for row in table.rows if row[column].text != "-"]
    assert measured
    assert all(row[column].text.startswith("2 [") for row in measured)
    assert table.provenance is not None
    assert [run.measure for run in table.provenance.runs] == ["counted", "timed"]
