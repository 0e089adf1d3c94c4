"""What a calibration looks like as tables, for the command line and for pages."""

from __future__ import annotations

from collections.abc import Iterable

from ppslab.core.text.numbers import percent_text, plural, time_text
from ppslab.core.text.quantities import NOTHING, Content, Quantity
from ppslab.core.text.tables import Table, cells
from ppslab.core.units import human_rate
from ppslab.measure.calibration.use import delay_resolution, spread, warnings
from ppslab.model.results import CalibrationRecord, Carried, Paced, Percentile, Sent

SHARES = (0.5, 0.99, 0.9999)
"""Of the frames, at which delays and lateness are shown."""


def tables(record: CalibrationRecord) -> list[Table]:
    """Every table of a calibration."""
    shown = [back_to_back(record)] if record.carried else []
    if record.paced:
        shown += [jitter(record), delays(record)]
    return [*shown, machine(record)]


def back_to_back(record: CalibrationRecord) -> Table:
    """What the tester carries without a router, by frame size and arrangement."""
    arrangements = list(dict.fromkeys(each.arrangement for each in record.carried))
    carried = {(each.frame_size, each.arrangement): each for each in record.carried}
    header = ["bytes"]
    for arrangement in arrangements:
        header += [f"{arrangement}, received a second", "lost on the way"]
    header.append("sent a second, alone")
    alone = {each.frame_size: each for each in record.sent}
    rows = []
    for size in dict.fromkeys(each.frame_size for each in record.carried):
        row: list[Content] = [str(size)]
        for arrangement in arrangements:
            row += _carried(carried.get((size, arrangement)))
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


def _carried(carried: Carried | None) -> tuple[Content, str]:
    if carried is None:
        return NOTHING, NOTHING
    return _range(carried), percent_text(carried.loss_ratio)


def _range(measured: Carried | Sent | None) -> Quantity | str:
    if measured is None:
        return NOTHING
    ends = (measured.lowest / 1e3, measured.highest / 1e3)
    return Quantity(measured.rate / 1e3, *ends, unit="kpps", digits=4)


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
    note = "Of all frames, from the actual send time."
    if resolution is not None:
        note += (
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
        notes=(note,),
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
    receiver = record.receiver
    if receiver is None:
        return
    rate = human_rate(receiver.rate) if receiver.rate else "none that was tried"
    if receiver.dropped_at is None:
        rate = f"at least {rate}: {plural(receiver.senders, 'sender')} could not send more"
    yield f"receiver's highest rate without a drop, {receiver.frame_size} bytes", rate
    if receiver.dropped_at is not None:
        yield "receiver dropped at", human_rate(receiver.dropped_at)
    yield (
        "how long, and in a ring of what size",
        f"{receiver.seconds:g} s, {receiver.ring_bytes >> 20} MiB",
    )


def _timer(record: CalibrationRecord) -> Iterable[tuple[str, str]]:
    timer = record.timer
    if timer is None:
        return
    yield (
        "clock resolution: told, smallest step seen",
        f"{time_text(timer.resolution_ns)}, {time_text(timer.step_ns)}",
    )
    late = ", ".join(
        f"{word} {_time(_at(timer.sleep_late, share))}"
        for word, share in zip(_share_words(), SHARES, strict=True)
    )
    yield f"a sleep of {time_text(timer.sleep_ns)} ends late by", late
    yield (
        f"CPU taken away for more than {time_text(timer.away_ns)}",
        f"{timer.away} times in {timer.spun_seconds:.1f} s, {percent_text(timer.away_share)} "
        f"of the time, longest {time_text(timer.longest_away_ns)}",
    )


def _clocks(record: CalibrationRecord) -> Iterable[tuple[str, str]]:
    clocks = record.clocks
    if clocks is None:
        return
    step = time_text(clocks.step_ns) if clocks.step_ns else "none"
    yield "clock source", clocks.source
    yield "monotonic and wall clock can be compared within", time_text(clocks.uncertainty_ns)
    yield f"steps of the wall clock in {clocks.watched_seconds:.0f} s", step
    yield "monotonic clock slewed by", f"{clocks.slew_ppm:+.2g} ppm"


def _load(paced: Paced) -> str:
    share = f", {paced.share:.0%}" if paced.share is not None else ""
    return f"{paced.arrangement}, {human_rate(paced.rate)}{share}"


def _share_words() -> tuple[str, ...]:
    return tuple(f"p{100 * share:g}" for share in SHARES)


def _at(percentiles: Iterable[Percentile], share: float) -> int | None:
    return next((each.ns for each in percentiles if each.share == share), None)


def _time(nanoseconds: float | None) -> str:
    return NOTHING if nanoseconds is None else time_text(nanoseconds)
