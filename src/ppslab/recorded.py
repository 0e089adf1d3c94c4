"""What the counts of a record say: times, rates, medians; for results, analysis and the page."""

from __future__ import annotations

from typing import Any


def nanoseconds_each(counts: dict[str, Any], clock: str) -> float:
    """Time per offered frame by the sender's CPU time ("cpu") or the wall clock ("wall")."""
    key = "send_cpu_seconds" if clock == "cpu" else "send_seconds"
    return float(counts[key]) * 1e9 / float(counts["offered"])


def forwarding_rate(counts: dict[str, Any]) -> float:
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


def provenance(
    router: str, backend: str, emulation: str | None, kernel: str, profile: str, when: str
) -> str:
    """One line that stands beside every number; `when` as `2026-11-21 08:29`."""
    where = backend
    if emulation not in ("none", None):
        where += f" ({emulation} emulation)" if emulation == "tcg" else f" ({emulation})"
    return (
        f"router: {router}; backend: {where}; kernel {kernel}; "
        f"profile {profile}; measured {when} UTC"
    )


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
