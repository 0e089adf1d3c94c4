"""The role for a number of a record, or of a source, in a sentence."""

from __future__ import annotations

from dataclasses import replace

from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import short
from ppslab.core.text.quantities import Content, Quantity, for_pages
from ppslab.course.site.directives.sources import NumberRole, Source, find
from ppslab.judge import agreement, claims, costs, goodput, scoreboard
from ppslab.judge.claims import vendor
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import Lab
from ppslab.model.results import Record, TcpRecord
from ppslab.show import record_tables
from ppslab.show.figures.gains import times

FORMS = (
    "LAB cost CONDITION SIZE, LAB ratio CONDITION CONDITION SIZE, "
    "LAB times CONDITION CONDITION SIZE, LAB noise SIZE, "
    "LAB share CONDITION COUNTER SIZE, "
    "LAB goodput CONDITION CONDITION, LAB smallest, "
    "LAB published ROW, LAB mikrotik CONDITION CONDITION SIZE, LAB claim ID, LAB measured"
)
NO_RUN = "not measured yet"


class Number(NumberRole):
    """`{ppslab-number}`: one of FORMS.

    SIZE in bytes, or `smallest`: the size of the newest run that its figures and guesses have.
    """

    forms = FORMS

    def number(self, words: list[str]) -> tuple[str, ...]:
        """The number, its interval, and the record or the source that it is from."""
        lab, *rest = words
        return number(find(self.env, lab), rest)


class Agreement(NumberRole):
    """`{ppslab-agreement}`factor|same|repeats|…`: what decides that sizes agree, from its place."""

    forms = "factor, same, repeats, kernels, counting"

    def number(self, words: list[str]) -> tuple[str, str]:
        """The number, and the file that it is from."""
        (name,) = words
        if name not in self.forms.split(", "):
            raise KeyError(name)
        return f"{getattr(agreement, name.upper()):g}", "ppslab/judge/agreement.py"


class Decided(NumberRole):
    """`{ppslab-decided}`routeros|documented|measured|all`: how many claims each decides.

    `routeros`: RouterOS, by MikroTik or a reader.  `documented`: its manual.  `measured`: RouterOS,
    as others measured it.  `all`: how many claims there are.  `ratios`, `in-size`, `in-direction`:
    how many published ratios the Linux router was asked for, and how many of them it reproduces.
    """

    forms = "routeros, documented, measured, all, ratios, in-size, in-direction"

    def number(self, words: list[str]) -> tuple[str, str]:
        (kind,) = words
        if kind in ("ratios", "in-size", "in-direction"):
            outcomes = [find(self.env, lab).outcome for lab in labs.names()]
            of = scoreboard.reproduced(scoreboard.entries(outcomes))
            counts = {"ratios": of.asked, "in-size": of.in_size, "in-direction": of.in_direction}
            return str(counts[kind]), "the published ratios, and the runs of the Linux router"
        judged = [each for lab in labs.names() for each in find(self.env, lab).judged]
        kinds = {
            "routeros": (claims.ROUTEROS, claims.PUBLISHED),
            "measured": (claims.MEASURED,),
            "documented": (claims.DOCUMENTED,),
            "all": None,
        }
        evidence = kinds[kind]
        if evidence is None:
            return str(len(judged)), "the claims of all labs"
        decided = [each for each in judged if each.verdict in (claims.CONFIRMED, claims.REFUTED)]
        return str(sum(each.evidence in evidence for each in decided)), " or ".join(evidence)


def number(source: Source, words: list[str]) -> tuple[str, ...]:
    """One of FORMS behind the lab, its interval if it has one, and what it is from.

    UsageError for words that are none.
    """
    record = source.record
    match words:
        case ["published", row]:
            number = source.published[row]
            return number.shown, f"{number.source}, {number.where}"
        case ["mikrotik", above, below, size]:
            tables = vendor.Results(source.published.values())
            ratio = tables.ratio((above, int(size)), (below, int(size)))
            if ratio is None:
                raise UsageError(
                    f"MikroTik's tables do not have both {above} and {below} at {size}"
                )
            kind = claims.least_to_greatest(ratio.count)
            routers = tables.routers_of(None, [int(size)])
            shown = f"{ratio.low:.2g} to {ratio.high:.2g}"
            return shown, f"{kind}, MikroTik's own tables of {routers}"
        case ["claim", name]:
            judged = next((each for each in source.judged if each.id == name), None)
            if judged is None:
                raise UsageError(f"no claim {name!r} of {source.lab.name}")
            reason = for_pages(judged.why(source.lab.titles))
            source_of_it = f"{reason} ({judged.evidence or 'no run'})"
            return _said(judged.quantity, source_of_it, judged.interval_kind)
        case ["goodput", above, below]:
            return _goodput(source.lab, above, below)
        case [("cost" | "ratio" | "times" | "noise" | "share" | "measured" | "smallest"), *_]:
            if record is None:
                return NO_RUN, "make book measures"
            smallest = f"{min(record.frame_sizes)}"
            words = [smallest if word == "smallest" else word for word in words]
            alone = words == [smallest]
            content: Content = smallest if alone else _measured(source, record, words)
            return _said(content, record.provenance().sentence)
    raise UsageError("no such number")


def _goodput(lab: Lab, above: str, below: str) -> tuple[str, ...]:
    """How many times the TCP goodput of one condition another has, in the newest TCP run."""
    path = results.newest_path_of(TcpRecord, lab.name)
    if path is None:
        return NO_RUN, f"ppslab tcp {lab.name} measures"
    record = results.load_as(path, TcpRecord)
    pair = (lab.condition(above).name, lab.condition(below).name)
    direction = goodput.directions(record)[0]
    noise = goodput.a_a_interval(record, direction).noise_factor
    ratio = goodput.ratio(record, *pair, direction).as_wide_as(noise)
    return _said(Quantity.of(ratio), record.provenance().sentence)


def _said(content: Content, source: str, kind: str = "95 % interval") -> tuple[str, ...]:
    """A number for a sentence: its interval, of a `kind`, is shown with its source."""
    if not isinstance(content, Quantity) or content.interval is None:
        return str(content), source
    low, high = content.interval
    alone = replace(content, low=None, high=None)
    ends = f"{replace(alone, value=low, unit='', remark='')} to {replace(alone, value=high)}"
    return str(alone), f"{kind}: {ends}", source


def _measured(source: Source, record: Record, words: list[str]) -> Content:
    match words:
        case ["measured"]:
            return f"{record.started:%d %B %Y, %H:%M} UTC"
        case ["cost", condition, size]:
            return record_tables.cost(record, source.lab.condition(condition).name, int(size))
        case ["ratio", above, below, size]:
            pair = (source.lab.condition(above).name, source.lab.condition(below).name)
            return record_tables.ratio(record, *pair, int(size))
        case ["times", above, below, size]:
            pair = (source.lab.condition(above).name, source.lab.condition(below).name)
            return times(costs.ratio(record, *pair, int(size)).estimate)
        case ["share", condition, *counter, size]:
            shares = costs.counter_shares(record, source.lab.condition(condition).name, int(size))
            return Quantity.of(shares[" ".join(counter)], "%", scale=100, digits=3)
        case ["noise", size]:
            # Its ends are the number: what is between them is noise.
            noise = costs.a_a_interval(record, int(size))
            return f"{short(noise.low)} to {short(noise.high)}"
    raise UsageError("no such number")
