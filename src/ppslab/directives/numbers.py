"""The role for a number of a record, or of a source, in a sentence."""

from __future__ import annotations

from ppslab import analysis, counted, views
from ppslab.directives.roles import NumberRole
from ppslab.directives.sources import Source, find
from ppslab.errors import UsageError
from ppslab.results import Record

FORMS = (
    "LAB cost CONDITION SIZE, LAB ratio CONDITION CONDITION SIZE, LAB noise SIZE, "
    "LAB share CONDITION COUNTER SIZE, "
    "LAB published ROW, LAB claims VERDICT, LAB measured"
)
NO_RUN = "not measured yet"


class Number(NumberRole):
    """`{ppslab-number}`: one of FORMS."""

    forms = FORMS

    def number(self, words: list[str]) -> tuple[str, str]:
        """The number, and the record or the source that it is from."""
        lab, *rest = words
        return _number(find(self.env, lab), rest)


def _number(source: Source, words: list[str]) -> tuple[str, str]:
    record = source.record
    match words:
        case ["published", row]:
            number = source.published[row]
            return number.shown, f"{number.source}, {number.where}"
        case ["claims", *verdict]:
            count = sum(each.verdict == " ".join(verdict) for each in source.judged)
            return str(count), source.provenance or NO_RUN
        case [("cost" | "ratio" | "noise" | "share" | "measured"), *_]:
            if record is None:
                return NO_RUN, "make book measures"
            return _measured(source, record, words), record.provenance()
    raise UsageError("no such number")


def _measured(source: Source, record: Record, words: list[str]) -> str:
    match words:
        case ["measured"]:
            return f"{record.started:%d %B %Y, %H:%M} UTC"
        case ["cost", condition, size]:
            return views.cost_text(record, source.lab.condition(condition).name, int(size))
        case ["ratio", above, below, size]:
            pair = (source.lab.condition(above).name, source.lab.condition(below).name)
            return views.ratio_text(record, *pair, int(size))
        case ["share", condition, *counter, size]:
            found = counted.shares(record, source.lab.condition(condition).name, int(size))
            return str(found[" ".join(counter)])
        case ["noise", size]:
            return str(analysis.null_interval(record, int(size)))
    raise UsageError("no such number")
