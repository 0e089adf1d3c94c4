"""The role for the numbers of a worked example: calculated from published or measured ones."""

from __future__ import annotations

from ppslab.core import measures
from ppslab.core.errors import UsageError
from ppslab.core.text.grouping import grouped
from ppslab.course.site.directives.numbers import NO_RUN
from ppslab.course.site.directives.sources import NumberRole, Source, find
from ppslab.judge import costs
from ppslab.model import statistics
from ppslab.model.lab.published import Published

FORMS = (
    "LAB cost N CONDITION [N CONDITION ...] SIZE [/ N], LAB time ROW [- ROW] [/ N], "
    "LAB percent ROW ROW, LAB rate ROW [/ N], LAB busiest STREAMS CORES"
)
PPS = {"pps": 1.0, "kpps": 1e3, "Kpps": 1e3, "Mpps": 1e6}
MICROSECONDS = 1e6


class Worked(NumberRole):
    """`{ppslab-worked}`: one of FORMS.

    `cost`: so many times what a packet costs in each condition, added up; `time`: how long a
    published rate gives each packet, or by how much that differs between two; `percent`: a
    published number as a share of another; `rate`: a published rate.  `/ N` divides.  `busiest`:
    the mean share of the busiest core, if a hash deals streams as dice would.
    """

    forms = FORMS

    def number(self, words: list[str]) -> tuple[str, str]:
        lab, *rest = words
        return number(find(self.env, lab), rest)


def number(source: Source, words: list[str]) -> tuple[str, str]:
    """One of FORMS behind the lab, and what it is from; UsageError for words that are none."""
    match words:
        case ["cost", *terms]:
            return of_costs(source, terms)
        case ["time", *terms]:
            return of_times(source, terms)
        case ["percent", part, whole]:
            rows = [source.published[name] for name in (part, whole)]
            return f"{_short(100 * _rate(rows[0]) / _rate(rows[1]))} %", _from(rows)
        case ["rate", name] | ["rate", name, "/", _]:
            row, share = source.published[name], _divided(words)[-1]
            return f"{_short(row.said.low / int(share))} {row.unit}", _from([row])
        case ["busiest", streams, cores]:
            share = f"{_short(100 * statistics.busiest_share(int(streams), int(cores)))} %"
            dealt = f"if dice dealt {int(streams)} streams to {int(cores)} cores"
            return share, f"calculated: the mean, {dealt}"
    raise UsageError("no such number")


def of_costs(source: Source, words: list[str]) -> tuple[str, str]:
    """The sum of costs, in the unit of the newest record's measure."""
    record = source.record
    if record is None:
        return NO_RUN, "make book measures"
    *terms, size, share = _divided(words)
    if len(terms) % 2:
        raise UsageError("each condition has a number before it")
    total = sum(
        int(count) * costs.cost(record, source.lab.condition(name).name, int(size)).estimate
        for count, name in zip(terms[::2], terms[1::2], strict=True)
    )
    text = f"{_short(total / int(share))} {measures.unit(record.measure)}"
    return text, f"calculated from: {record.provenance().sentence}"


def of_times(source: Source, words: list[str]) -> tuple[str, str]:
    """Microseconds of the whole router for one packet at a published rate, or their difference."""
    *terms, share = _divided(words)
    if len(terms) not in (1, 3) or terms[1:2] not in ([], ["-"]):
        raise UsageError("a time is ROW, or ROW - ROW")
    rows = [source.published[name] for name in terms[::2]]
    time = MICROSECONDS / _rate(rows[0])
    if len(rows) > 1:
        time -= MICROSECONDS / _rate(rows[1])
    return f"{_short(time / int(share))} µs", _from(rows)


def _divided(words: list[str]) -> list[str]:
    """The words with what they are divided by as the last, 1 where nothing is said."""
    return [*words[:-2], words[-1]] if words[-2:-1] == ["/"] else [*words, "1"]


def _rate(row: Published) -> float:
    """Packets a second."""
    if row.unit not in PPS:
        raise UsageError(f"published {row.id} is in {row.unit}, not in {', '.join(PPS)}")
    return row.said.low * PPS[row.unit]


def _from(rows: list[Published]) -> str:
    parts = (f"{row.shown} ({row.source}, {row.where})" for row in rows)
    return f"calculated from {' and '.join(parts)}"


def _short(value: float) -> str:
    """Two digits, or whole numbers from ten up.

    >>> _short(0.3876), _short(52.3), _short(2404.1)
    ('0.39', '52', '2404')
    """
    return f"{value:.2g}" if abs(value) < 10 else grouped(f"{value:.0f}")
