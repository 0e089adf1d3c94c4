"""The report of `ppslab soak`: how long one load was held, and in which legs frames were lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ppslab.base.text.grouping import count_text
from ppslab.base.text.numbers import plural, time_text
from ppslab.base.text.tables import Table, cells
from ppslab.base.units import human_rate, human_span
from ppslab.presentation.report.document import Block, Items, Section, Text
from ppslab.presentation.report.rows import Row
from ppslab.results import Leg, SoakRecord

MOST_LEGS = 20
"""So many legs are shown, those that lost the most; the record holds all."""


def summary(record: SoakRecord) -> Section:
    """How long it went, at which load, and what was lost."""
    title = record.titles.get(record.condition, record.condition)
    whole = [leg for leg in record.legs if leg.valid]
    losing = sum(leg.lost > 0 for leg in whole)
    rows = (
        cells("condition", title),
        cells("frames", f"{record.frame_size} bytes, {human_rate(record.load)}"),
        cells("legs run", record.extent),
        cells("planned", human_span(record.planned * record.leg_seconds)),
        cells("frames to be sent in valid legs", count_text(record.intended)),
        cells("frames lost in valid legs", count_text(record.lost)),
        cells("valid legs that lost frames", str(losing)),
    )
    return Section("Summary", (Table("The soak", ("what", "as recorded"), rows),))


def method(record: SoakRecord) -> tuple[str, ...]:
    """How it was done."""
    sittings = len({leg.sitting for leg in record.legs})
    return (
        f"One load in legs of {record.leg_seconds:g} s, in {plural(sittings, 'sitting')}; the "
        "router is read back before each leg.",
        "No leg is repeated. One that something disturbed is not valid, and its frames are in no "
        "sum.",
        "A frame that was not sent counts as lost.",
    )


def tests(record: SoakRecord) -> tuple[Section, ...]:
    """The legs that lost the most, or a sentence where none lost any."""
    losing = sorted((leg for leg in record.legs if leg.valid and leg.lost), key=_by_loss)
    blocks: tuple[Block, ...] = (Text("No valid leg lost a frame."),)
    if losing:
        blocks = (_table(losing),)
    return (Section("Legs that lost frames", blocks),)


def _by_loss(leg: Leg) -> tuple[int, int]:
    return -leg.lost, leg.number


def _table(losing: list[Leg]) -> Table:
    left_out = len(losing) - MOST_LEGS
    return Table(
        "Legs that lost frames, the most first",
        ("leg", "begun", "lost", "of", "median delay", "99.9 % of the frames within"),
        tuple(
            cells(
                str(leg.number + 1),
                f"{leg.started:%Y-%m-%d %H:%M:%S} UTC",
                count_text(leg.lost),
                count_text(leg.intended),
                *(
                    "" if delay is None else time_text(delay)
                    for delay in (leg.delay_p50_ns, leg.delay_p999_ns)
                ),
            )
            for leg in losing[:MOST_LEGS]
        ),
        notes=(f"{plural(left_out, 'leg')} that lost less are left out.",) if left_out > 0 else (),
    )


def trials(record: SoakRecord) -> Section:
    """How many legs were valid, and why the others were not."""
    why = Counter(reason for leg in record.legs for reason in leg.invalid_because)
    spoiled = sum(not leg.valid for leg in record.legs)
    blocks: list[Block] = [
        Text(f"{plural(len(record.legs), 'leg')}, of which {spoiled} were not valid.")
    ]
    if why:
        blocks.append(Items(tuple(f"{plural(n, 'leg')}: {r}" for r, n in why.most_common(20))))
    return Section("Legs", tuple(blocks))


def rows(record: SoakRecord) -> Iterator[Row]:
    """What each leg lost, and its delays; a leg that is not valid has a remark and no value."""
    for leg in record.legs:
        about = Row(
            "soak", "", "", record.condition, record.frame_size,
            remark=f"leg {leg.number + 1}, begun {leg.started.isoformat()}",
        )  # fmt: skip
        if not leg.valid:
            reasons = "; ".join((about.remark, *leg.invalid_because))
            yield replace(about, quantity="frames lost", unit="frames", remark=reasons)
            continue
        yield replace(about, quantity="frames lost", unit="frames", value=float(leg.lost))
        for quantity, delay in (
            ("median delay", leg.delay_p50_ns),
            ("delay that one frame in a thousand exceeds", leg.delay_p999_ns),
        ):
            if delay is not None:
                yield replace(about, quantity=quantity, unit="ns", value=delay)
