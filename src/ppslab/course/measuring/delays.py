"""Delays of simulated frames, counted from two times."""

from __future__ import annotations

import math
from collections.abc import Callable

from ppslab.core.text.tables import Table, cells
from ppslab.model.simulated import Frames, Row

SHARES = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("longest", 1.0))
SINCE: tuple[tuple[str, Callable[[Row], int]], ...] = (
    ("the intended send time", lambda row: row.intended_ns),
    ("the actual send time", lambda row: row.sent_ns),
)


def two_delays(frames: Frames) -> Table:
    """The delays within which shares of the frames arrived, counted from both send times.

    A percentile is the smallest delay that so many of the frames that arrived did not exceed.
    """
    rows = []
    for since, sent in SINCE:
        delays = sorted(row.received_ns - sent(row) for row in frames.rows)
        shown = [delays[max(0, math.ceil(share * len(delays)) - 1)] for _, share in SHARES]
        rows.append(cells(since, *(f"{delay / 1e6:.2f} ms" for delay in shown)))
    intended = sum(flow.intended for flow in frames.flows)
    lost = intended - len({(row.flow, row.sequence) for row in frames.rows})
    return Table(
        f"Delay of {len(frames.rows)} simulated frames, counted from two times",
        ("counted from", *(name for name, _ in SHARES)),
        tuple(rows),
        notes=(f"Of {intended} intended frames {lost} did not arrive.",),
    )
