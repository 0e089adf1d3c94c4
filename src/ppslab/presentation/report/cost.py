"""The report of `ppslab run`: what a packet costs by condition, and the throughput."""

from __future__ import annotations

from ppslab.base import measures
from ppslab.base.provenance_line import CLOCKS
from ppslab.base.text.numbers import plural
from ppslab.presentation import record_tables
from ppslab.presentation.figures import costs_figure
from ppslab.presentation.report.document import Section, Text
from ppslab.results import Record


def summary(record: Record) -> Section:
    """The table of what a packet costs the router."""
    return Section("Summary", (record_tables.costs(record),))


def method(record: Record) -> tuple[str, ...]:
    """How the cost of a packet was measured."""
    rounds = {
        size: len({t.round for t in record.trials if t.purpose == "cost" and t.frame_size == size})
        for size in record.frame_sizes
    }
    rounds_text = ", ".join(f"{plural(n, 'round')} at {size} bytes" for size, n in rounds.items())
    sentences = [
        "Every round holds a trial of each condition"
        + ("" if record.baseline == "none" else ", of both baselines")
        + f" and, once more, of the reference condition, in random order: {rounds_text}.",
        "A trial sends as fast as the tester can. " + _subtracted(record),
        _read(record),
        "Intervals are 95 %, by bootstrap over the rounds; ratios are paired by round.",
    ]
    if any(search.goals for search in record.searches):
        sentences.append("Throughput is searched by MLRsearch (RFC 9971).")
    return tuple(sentences)


def _read(record: Record) -> str:
    if record.measure == "counted":
        return (
            "Instructions are counted by the guest's clock, which each of them moves on by "
            f"{measures.INSTRUCTION_NS:g} ns; it is read from {CLOCKS[record.clock]}. "
            + measures.BLIND
        )
    return f"Time is read from {CLOCKS[record.clock]}."


def _subtracted(record: Record) -> str:
    if record.baseline == "none":
        return str(record_tables.baseline_line(record, min(record.frame_sizes)))
    return (
        "The router's part is what a packet of a trial cost, less that of the baseline of the same "
        f"round: the tester {record_tables.BASELINES[record.baseline]}."
    )


def tests(record: Record) -> tuple[Section, ...]:
    """The figure of the costs, and the results of the searches."""
    sections = [
        Section(
            measures.cost_title(record.measure),
            (
                costs_figure(record),
                *(
                    Text(str(record_tables.a_a_line(record, size)))
                    for size in record.frame_sizes[1:]
                ),
            ),
        )
    ]
    if record.searches:
        sections.append(Section("Throughput", (record_tables.throughputs(record),)))
    return tuple(sections)
