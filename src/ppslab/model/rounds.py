"""The rounds of a record: which trials count, what a packet cost in each, ratios round by round.

Written once for CPython and for the MicroPython of a page: a record is whatever has the attributes
of `results.Record` or `results.TcpRecord`, and `Plain` gives them to a record's JSON.
"""

from __future__ import annotations

from typing import Any

from ppslab.core import measures
from ppslab.model import recorded

INFINITE = float("inf")

AS_THEY_ARE = ("counts", "back_to_back", "into_the_router")
"""Values of a record that are looked up by key, in models too."""


class Plain:
    """A JSON object that is read as a model is: by attributes."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def __getattr__(self, name: str) -> Any:
        if name not in self.values:
            raise AttributeError(name)
        found = self.values[name]
        made = found if name in AS_THEY_ARE else _plain(found)
        setattr(self, name, made)  # the next time it is found without asking here
        return made


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return Plain(value)
    return [_plain(each) for each in value] if isinstance(value, list) else value


def trials(record: Any, condition: str | None, size: int, purpose: str) -> dict[int, Any]:
    """The valid trials by round; of repeated ones the last, which was kept."""
    found = {
        trial.round: trial
        for trial in record.trials
        if trial.valid
        and trial.purpose == purpose
        and trial.condition == condition
        and trial.frame_size == size
        and trial.round is not None
    }
    return {number: found[number] for number in sorted(found)}


def transfers(record: Any, condition: str, direction: str, purpose: str) -> dict[int, Any]:
    """The valid TCP transfers by round; of repeated ones the last, which was kept."""
    return {
        transfer.round: transfer
        for transfer in record.transfers
        if transfer.valid
        and transfer.purpose == purpose
        and transfer.condition == condition
        and transfer.direction == direction
    }


def raw_costs(record: Any, condition: str | None, size: int, purpose: str) -> dict[int, float]:
    """What a packet cost tester and router together, by round; `condition` None: tester alone.

    Nanoseconds, or instructions where they were counted.
    """
    measure = getattr(record, "measure", "timed")
    kept = trials(record, condition, size, purpose)
    threads = record.clock == "cpu" and works_in_threads(record, condition)
    return {
        number: measures.of_nanoseconds(
            recorded.nanoseconds_each(kept[number].counts, record.clock, threads), measure
        )
        for number in kept
    }


def works_in_threads(record: Any, condition: str | None) -> bool:
    """Whether a condition's packets are worked on in threads of the kernel's, at some frame size.

    What else those threads do is small, and not the router's: a condition that leaves its work in
    the sender's time is read from that alone.
    """
    best: dict[int, float] = {}
    for trial in record.trials:
        if trial.valid and trial.condition == condition and trial.intended_load is None:
            share = recorded.sender_share(trial.counts)
            if share is not None:
                best[trial.frame_size] = max(share, best.get(trial.frame_size, 0.0))
    return bool(best) and min(best.values()) < recorded.SENDERS_SHARE


def forwarding_rates(record: Any, condition: str, size: int, purpose: str) -> dict[int, float]:
    """Frames per second at the maximum offered load by round (RFC 2285 section 3.6.2)."""
    kept = trials(record, condition, size, purpose)
    return {
        number: recorded.forwarding_rate(kept[number].counts)
        for number in kept
        if kept[number].intended_load is None
    }


def router_costs(
    record: Any, condition: str, size: int, purpose: str, baseline: str | None = None
) -> dict[int, float]:
    """What a packet cost the router alone, by round.

    `baseline`: "cable" or "drop"; without it the record's own, and "drop" where the router
    delivers nothing: no frame then costs the tester's receiver anything.  Where the record's is
    "none", the time from one forwarded packet to the next, in the rounds in which the tester was
    not the limit.
    """
    if record.baseline == "none":
        rates = forwarding_rates(record, condition, size, purpose)
        limit = tester_limit(record.tester, size)
        return recorded.times_of_rates(rates, limit, recorded.TESTER_SHARE)
    if baseline is None:
        dropping = [c.name for c in record.conditions if getattr(c, "delivers", "") == "none"]
        baseline = "drop" if condition in dropping else record.baseline
    return recorded.less(
        raw_costs(record, condition, size, purpose), raw_costs(record, None, size, baseline)
    )


def tester_limit(tester: Any, size: int) -> float | None:
    """The highest rate that the tester was seen to keep up at a frame size, in frames per second.

    A receiver that idles between frames must be woken for each, which slows the sender down; a
    busy router is awake.  So the cable alone can read too low.
    """
    tables = [getattr(tester, name, {}) for name in ("back_to_back", "into_the_router")]
    # JSON has no keys that are numbers.
    seen = [float(had[key]) for had in tables for key in (size, str(size)) if key in had]
    return max(seen) if seen else None


def paired(above: dict[int, float], below: dict[int, float]) -> list[float]:
    """The ratios of two costs in the rounds that both have: how many times `below` is `above`."""
    return [ratio(above[number], below[number]) for number in above if number in below]


def ratio(above: float, below: float) -> float:
    """The ratio of two costs: 0 or infinite where noise made one of them less than nothing."""
    if above > 0 and below > 0:
        return above / below
    return INFINITE if above > below else 0.0


def middle(ratios: list[float]) -> float | None:
    """The ratio in the middle; None where no round has a positive one.

    Where some are 0 or infinite it is one that was seen: half-way to infinity is no number.
    """
    known = [each for each in ratios if 0 < each < INFINITE]
    if not known:
        return None
    if len(known) == len(ratios):
        return recorded.median(ratios)
    seen = sorted(ratios)[len(ratios) // 2]
    return seen if 0 < seen < INFINITE else recorded.median(known)


def retransmitted(record: Any, ways: Any) -> float:
    """Segments sent again, as a share of the full segments that the received bytes took."""
    again = sum([sum(way.retransmits) for way in ways])
    segments = sum(
        [
            sum(way.received_bytes) / (getattr(way, "segment_size", 0) or record.segment_size)
            for way in ways
        ]
    )
    return again / segments if segments else 0.0
