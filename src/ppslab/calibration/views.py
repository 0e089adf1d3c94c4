"""What a calibration looks like as tables, for the command line and for pages."""

from __future__ import annotations

from collections.abc import Iterable

from ppslab.calibration.use import delay_resolution, spread, warnings
from ppslab.numbers import percent_text, plural, time_text
from ppslab.results import CalibrationRecord, Carried, Paced, Percentile, Sent
from ppslab.tables import Table, cells
from ppslab.units import human_rate

NOTHING = "-"
SHARES = (0.5, 0.99, 0.9999)
"""Of the frames, at which delays and lateness are shown."""


def tables(record: CalibrationRecord) -> list[Table]:
    """Every table of a calibration."""
    made = [back_to_back(record)] if record.carried else []
    if record.paced:
        made += [jitter(record), delays(record)]
    return [*made, machine(record)]


def back_to_back(record: CalibrationRecord) -> Table:
    """What the tester carries without a router, by frame size and arrangement."""
    arrangements = list(dict.fromkeys(each.arrangement for each in record.carried))
    found = {(each.frame_size, each.arrangement): each for each in record.carried}
    header = ["bytes"]
    for arrangement in arrangements:
        header += [f"{arrangement}, received a second", "lost on the way"]
    header.append("sent a second, alone")
    alone = {each.frame_size: each for each in record.sent}
    rows = []
    for size in dict.fromkeys(each.frame_size for each in record.carried):
        row = [str(size)]
        for arrangement in arrangements:
            row += _carried(found.get((size, arrangement)))
        row.append(_range(alone.get(size)))
        rows.append(cells(*row))
    return Table(
        title="The tester back to back, as fast as it can: median of the trials and their range",
        header=tuple(header),
        rows=tuple(rows),
        notes=(
            "Separate: what the wire carries is received by a CPU of its own, the router's in a "
            "run. Coupled: the CPU that sends also receives. Alone: nobody receives; that much the "
            "tester can send into a router that is busy.",
        ),
        provenance=record.provenance(),
    )


def _carried(found: Carried | None) -> tuple[str, str]:
    if found is None:
        return NOTHING, NOTHING
    return _range(found), percent_text(found.loss_ratio)


def _range(found: Carried | Sent | None) -> str:
    if found is None:
        return NOTHING
    rate, low, high = (f"{each / 1e3:.4g}" for each in (found.rate, found.lowest, found.highest))
    return f"{rate} [{low}, {high}] kpps"


def jitter(record: CalibrationRecord) -> Table:
    """How late frames leave at paced loads."""
    return Table(
        title="Send jitter: how long after its intended time a frame leaves",
        header=("load", "frames", *_share_words(), "latest", "not received"),
        rows=tuple(
            cells(
                _load(each),
                f"{each.from_actual.count}",
                *(_time(_at(each.lateness, share)) for share in SHARES),
                time_text(each.latest_ns),
                f"{each.lost}",
            )
            for each in record.paced
        ),
        provenance=record.provenance(),
    )


def delays(record: CalibrationRecord) -> Table:
    """What the wire's own delay spreads over at paced loads."""
    resolution = delay_resolution(record)
    said = "Of all frames, from the actual send time."
    if resolution is not None:
        said += (
            f" The last column is the resolution of one-way delays: 99 % of the frames lie within "
            f"it. At the coarsest load it is {time_text(resolution)}."
        )
    return Table(
        title="Delay of the wire, which has none of its own: what the instrument adds",
        header=("load", "least", *_share_words(), "most", "p99 less least"),
        rows=tuple(
            cells(
                _load(each),
                _time(each.from_actual.min),
                *(_time(_at(each.from_actual.percentiles, share)) for share in SHARES),
                _time(each.from_actual.max),
                _time(spread(each.from_actual)),
            )
            for each in record.paced
        ),
        notes=(said,),
        provenance=record.provenance(),
    )


def machine(record: CalibrationRecord) -> Table:
    """The receiver, the timers and the clocks; below it what a reader must know."""
    rows = [*_receiver(record), *_timer(record), *_clocks(record)]
    rows += [(each.what, f"not shown: {each.reason}") for each in record.not_shown]
    return Table(
        title="Receiver, timers and clocks",
        header=("what", "here"),
        rows=tuple(cells(*row) for row in rows),
        notes=warnings(record),
        provenance=record.provenance(),
    )


def _receiver(record: CalibrationRecord) -> Iterable[tuple[str, str]]:
    found = record.receiver
    if found is None:
        return
    rate = human_rate(found.rate) if found.rate else "none that was tried"
    if found.dropped_at is None:
        rate = f"at least {rate}: {plural(found.senders, 'sender')} could not send more"
    yield f"receiver's highest rate without a drop, {found.frame_size} bytes", rate
    if found.dropped_at is not None:
        yield "receiver dropped at", human_rate(found.dropped_at)
    yield (
        "how long, and in a ring of what size",
        f"{found.seconds:g} s, {found.ring_bytes >> 20} MiB",
    )


def _timer(record: CalibrationRecord) -> Iterable[tuple[str, str]]:
    found = record.timer
    if found is None:
        return
    yield (
        "clock resolution: told, smallest step seen",
        f"{time_text(found.resolution_ns)}, {time_text(found.step_ns)}",
    )
    late = ", ".join(
        f"{word} {_time(_at(found.sleep_late, share))}"
        for word, share in zip(_share_words(), SHARES, strict=True)
    )
    yield f"a sleep of {time_text(found.sleep_ns)} ends late by", late
    yield (
        f"CPU taken away for more than {time_text(found.away_ns)}",
        f"{found.away} times in {found.spun_seconds:.1f} s, {percent_text(found.away_share)} "
        f"of the time, longest {time_text(found.longest_away_ns)}",
    )


def _clocks(record: CalibrationRecord) -> Iterable[tuple[str, str]]:
    found = record.clocks
    if found is None:
        return
    step = time_text(found.step_ns) if found.step_ns else "none"
    yield "clock source", found.source
    yield "monotonic and wall clock can be compared within", time_text(found.uncertainty_ns)
    yield f"steps of the wall clock in {found.watched_seconds:.0f} s", step
    yield "monotonic clock slewed by", f"{found.slew_ppm:+.2g} ppm"


def _load(found: Paced) -> str:
    share = f", {found.share:.0%}" if found.share is not None else ""
    return f"{found.arrangement}, {human_rate(found.rate)}{share}"


def _share_words() -> tuple[str, ...]:
    return tuple(f"p{100 * share:g}" for share in SHARES)


def _at(percentiles: Iterable[Percentile], share: float) -> int | None:
    return next((each.ns for each in percentiles if each.share == share), None)


def _time(nanoseconds: float | None) -> str:
    return NOTHING if nanoseconds is None else time_text(nanoseconds)
