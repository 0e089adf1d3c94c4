"""A calibration as tables, for the command line and for pages."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ppslab.core.text.numbers import percent_text, plural, time_text
from ppslab.core.text.quantities import NOTHING, Content, Quantity
from ppslab.core.text.tables import Table, cells
from ppslab.core.units import human_rate
from ppslab.measure.calibration import delay_resolution, spread, warnings
from ppslab.model.results import CalibrationRecord, Carried, Paced, Percentile, Sent

SHARES = {"p50": 0.5, "p99": 0.99, "p99.99": 0.9999}
"""Of the frames, at which delays and lateness are shown."""


def tables(record: CalibrationRecord) -> list[Table]:
    """Return every table of a calibration."""
    shown = [back_to_back(record)] if record.carried else []
    if record.paced:
        shown += [jitter(record), delays(record)]
    return [*shown, machine(record)]


def back_to_back(record: CalibrationRecord) -> Table:
    """Return what the tester carries without a router, by frame size and arrangement."""
    arrangements = list(dict.fromkeys(carried.arrangement for carried in record.carried))
    carried = {(one.frame_size, one.arrangement): one for one in record.carried}
    alone = {sent.frame_size: sent for sent in record.sent}
    header = ["bytes"]
    for arrangement in arrangements:
        header += [f"{arrangement}, received per second", "lost on the way"]
    rows = []
    for size in dict.fromkeys(one.frame_size for one in record.carried):
        row: list[Content] = [str(size)]
        for arrangement in arrangements:
            measured = carried.get((size, arrangement))
            row += [_range(measured), percent_text(measured.loss_ratio) if measured else NOTHING]
        rows.append(cells(*row, _range(alone.get(size))))
    return Table(
        title="The tester back to back at full speed: median and range of the trials",
        header=(*header, "sent per second, alone"),
        rows=tuple(rows),
        notes=(
            "Separate: a second CPU receives, the router's CPU in a run. Coupled: the sending "
            "CPU also receives. Alone: frames are sent and not received; this is the rate that "
            "the tester can send into a busy router.",
        ),
        provenance=record.provenance(),
    )


def _range(measured: Carried | Sent | None) -> Quantity | str:
    if measured is None:
        return NOTHING
    ends = (measured.lowest / 1e3, measured.highest / 1e3)
    return Quantity(measured.rate / 1e3, *ends, unit="kpps", digits=4)


def jitter(record: CalibrationRecord) -> Table:
    """Return how late frames leave at paced loads."""
    return Table.of(
        "Send jitter: delay of frames after their intended send time",
        record.paced,
        {
            "load": _load,
            "frames": lambda paced: str(paced.from_actual.count),
            **{name: partial(_late, share) for name, share in SHARES.items()},
            "latest": lambda paced: time_text(paced.latest_ns),
            "not received": lambda paced: str(paced.lost),
        },
        provenance=record.provenance(),
    )


def delays(record: CalibrationRecord) -> Table:
    """Return how the wire's own delay spreads at paced loads."""
    resolution = delay_resolution(record)
    note = "Delays of all frames, counted from the actual send time."
    if resolution is not None:
        note += (
            f" The last column is the resolution of one-way delays: 99 % of the frames lie within "
            f"it. At the coarsest load it is {time_text(resolution)}."
        )
    return Table.of(
        "Delay added by the instrument (the link itself adds none)",
        record.paced,
        {
            "load": _load,
            "least": lambda paced: _time(paced.from_actual.min),
            **{name: partial(_delay, share) for name, share in SHARES.items()},
            "most": lambda paced: _time(paced.from_actual.max),
            "p99 less least": lambda paced: _time(spread(paced.from_actual)),
        },
        note,
        provenance=record.provenance(),
    )


def machine(record: CalibrationRecord) -> Table:
    """The receiver, the timers and the clocks; below it what a reader must know."""
    rows = [*_receiver(record), *_timer(record), *_clocks(record)]
    rows += [(gap.what, f"not shown: {gap.reason}") for gap in record.not_shown]
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
    rate = human_rate(receiver.rate) if receiver.rate else "none of those tried"
    if receiver.dropped_at is None:
        rate = f"at least {rate}: {plural(receiver.senders, 'sender')} could not send more"
    yield f"receiver's highest rate without a drop, {receiver.frame_size} bytes", rate
    if receiver.dropped_at is not None:
        yield "receiver dropped at", human_rate(receiver.dropped_at)
    ring = f"{receiver.seconds:g} s, {receiver.ring_bytes >> 20} MiB"
    yield "duration, and size of the ring", ring


def _timer(record: CalibrationRecord) -> Iterable[tuple[str, str]]:
    timer = record.timer
    if timer is None:
        return
    steps = f"{time_text(timer.resolution_ns)}, {time_text(timer.step_ns)}"
    yield "clock resolution: reported, smallest step seen", steps
    late = ", ".join(f"{name} {_at(share, timer.sleep_late)}" for name, share in SHARES.items())
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
    yield "uncertainty between monotonic and wall clock", time_text(clocks.uncertainty_ns)
    yield f"steps of the wall clock in {clocks.watched_seconds:.0f} s", step
    yield "monotonic clock slewed by", f"{clocks.slew_ppm:+.2g} ppm"


def _load(paced: Paced) -> str:
    share = f", {paced.share:.0%}" if paced.share is not None else ""
    return f"{paced.arrangement}, {human_rate(paced.rate)}{share}"


def _late(share: float, paced: Paced) -> str:
    return _at(share, paced.lateness)


def _delay(share: float, paced: Paced) -> str:
    return _at(share, paced.from_actual.percentiles)


def _at(share: float, percentiles: Iterable[Percentile]) -> str:
    return _time(next((each.ns for each in percentiles if each.share == share), None))


def _time(nanoseconds: float | None) -> str:
    return NOTHING if nanoseconds is None else time_text(nanoseconds)
