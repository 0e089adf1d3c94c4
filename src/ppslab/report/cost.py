"""The report of `ppslab run`: router time per packet by condition, and the throughput."""

from __future__ import annotations

from ppslab import views
from ppslab.figures import costs_figure
from ppslab.numbers import plural
from ppslab.report.document import Section, Text
from ppslab.results import Record


def summary(record: Record) -> Section:
    """The table of the router's time per packet."""
    return Section("Summary", (views.costs(record),))


def method(record: Record) -> tuple[str, ...]:
    """How the time of a packet was found."""
    rounds = {
        size: len({t.round for t in record.trials if t.purpose == "cost" and t.frame_size == size})
        for size in record.frame_sizes
    }
    shown = ", ".join(f"{plural(n, 'round')} at {size} bytes" for size, n in rounds.items())
    said = [
        "Every round holds a trial of each condition"
        + ("" if record.baseline == "none" else ", of both baselines")
        + f" and, once more, of the reference condition, in random order: {shown}.",
        "A trial sends as fast as the tester can. " + _subtracted(record),
        f"Time is read from {views.CLOCKS[record.clock]}.",
        "Intervals are 95 %, by bootstrap over the rounds; ratios are paired by round.",
    ]
    if any(search.goals for search in record.searches):
        said.append("Throughput is searched by MLRsearch (RFC 9971).")
    return tuple(said)


def _subtracted(record: Record) -> str:
    if record.baseline == "none":
        return views.baseline_line(record, min(record.frame_sizes))
    return (
        "The router's time is the time per packet less that of the baseline of the same round: "
        f"the tester {views.BASELINES[record.baseline]}."
    )


def tests(record: Record) -> tuple[Section, ...]:
    """The figure of the costs, and what the searches found."""
    made = [
        Section(
            "Router time per packet",
            (
                costs_figure(record),
                *(Text(views.null_line(record, size)) for size in record.frame_sizes[1:]),
            ),
        )
    ]
    if record.searches:
        made.append(Section("Throughput", (views.throughputs(record),)))
    return tuple(made)
