"""What the counts of a record say: times, rates, medians; for results, analysis and the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TESTER_SHARE = 0.9
"""A rate above this share of what the tester can says nothing of the router."""

KERNEL_THREADS = "kernel_thread_seconds"
"""Of a trial's counts: what the kernel's own threads used, where the tester read it."""


SENDERS_SHARE = 0.97
"""A sender that did this part of its and the kernel threads' work did all of its router's: 0.98 and
more of it is left where nothing is queued for a thread, and 0.96 at most where ciphers are."""


def sender_share(counts: Mapping[str, Any]) -> float | None:
    """The part of its time that the sender and the kernel's threads had; None: nobody read them."""
    if counts.get(KERNEL_THREADS) is None or counts["send_cpu_seconds"] is None:
        return None
    whole = float(counts["send_cpu_seconds"]) + float(counts[KERNEL_THREADS])
    return float(counts["send_cpu_seconds"]) / whole if whole else None


def nanoseconds_each(counts: Mapping[str, Any], clock: str, threads: bool = False) -> float:
    """Time per offered frame by the sender's CPU time ("cpu") or the wall clock ("wall").

    `threads`: with what the kernel's own threads used, where the tester read that.
    """
    if clock == "cpu":
        seconds = float(counts["send_cpu_seconds"])
        if threads:
            seconds += float(counts.get(KERNEL_THREADS) or 0.0)
    else:
        seconds = float(counts["send_seconds"])
    return seconds * 1e9 / float(counts["offered"])


def forwarding_rate(counts: Mapping[str, Any]) -> float:
    """Distinct frames received, per second of the sending (RFC 2285 section 3.6.1)."""
    return float(counts["received"]) / float(counts["send_seconds"])


def goodput(received_bytes: Any, seconds: float) -> float:
    """Bits per second that arrived once and in order (RFC 2647 section 3.17)."""
    return 8.0 * float(sum(received_bytes)) / seconds


def less(raw: dict[int, float], alone: dict[int, float]) -> dict[int, float]:
    """What is left of each round when the tester's own time is taken off."""
    return {number: raw[number] - alone[number] for number in sorted(raw) if number in alone}


def times_of_rates(rates: dict[int, float], limit: float | None, share: float) -> dict[int, float]:
    """Nanoseconds a packet, in the rounds where the tester (`limit` a second) was not the limit."""
    return {
        number: 1e9 / rates[number]
        for number in sorted(rates)
        if rates[number] > 0 and (limit is None or rates[number] < share * limit)
    }


def median(values: list[float]) -> float:
    """The middle of the values, or the mean of the two in the middle."""
    ranked = sorted(values)
    half = len(ranked) // 2
    return ranked[half] if len(ranked) % 2 else (ranked[half - 1] + ranked[half]) / 2


def around_median(values: list[float]) -> list[float]:
    """Median, and the narrowest pair of values that holds it 95 times in 100 (sign test).

    Needs no resampling, so a page can do it.  Of fewer than six values it is their whole range,
    which holds the median less often.
    """
    ranked = sorted(values)
    count = len(ranked)
    inside, chance, ways = 0, 0.0, 1.0
    # The chance that all but `inside` values on one side lie on the other side of the median.
    for below in range(count // 2):
        chance += ways / 2**count
        if 2 * chance > 0.05:
            break
        inside = below
        ways = ways * (count - below) / (below + 1)
    return [median(ranked), ranked[inside], ranked[count - 1 - inside]]
