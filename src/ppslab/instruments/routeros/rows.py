"""The rows that RouterOS's traffic generator prints: one a second and stream, then totals.

A row has seq, id, tx-packet, rx-packet, rx-ooo, rx-bad-csum, lat-min, lat-avg, lat-max and more
(MikroTik's manual, /tool/traffic-generator/quick); of a total, seq or id or both are TOT.  Over
REST every value is a string [INF: by analogy with all other commands over REST].
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ppslab.base.errors import BackendError

TOTAL = -1
"""Where the sum over all streams stands."""

NAMES = {"TOT": TOTAL}

UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}


@dataclass(frozen=True)
class Row:
    """Frames and delays of one stream, over the whole trial; None: the rows do not say."""

    sent: int
    received: int
    reordered: int | None
    corrupt: int | None
    least_ns: int | None
    mean_ns: float | None
    most_ns: int | None


@dataclass(frozen=True)
class Totals:
    """What the rows add up to; `seconds_sent`: in how many of its seconds something was sent."""

    streams: dict[int, Row]
    seconds_sent: int


def read(rows: Any, ids: Iterable[int]) -> Totals:
    """The totals of streams `ids` and of all of them (`TOTAL`).

    BackendError where the rows are of another form, or where their sums do not agree: then some
    were left out.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BackendError(f"RouterOS answers with no rows: {str(rows)[:200]}")
    try:
        return _totals(
            [{**row, "seq": _index(row["seq"]), "id": _index(row["id"])} for row in rows], ids
        )
    except (KeyError, ValueError) as error:
        raise BackendError(f"RouterOS answers with rows of another form: {error}") from None


def _totals(rows: list[dict[str, Any]], ids: Iterable[int]) -> Totals:
    streams: dict[int, Row] = {}
    names = list(ids)
    whole = [row for row in rows if row["seq"] == TOTAL and row["id"] == TOTAL]
    for number in names:
        mine = [row for row in rows if row["id"] == number]
        summed = [row for row in mine if row["seq"] == TOTAL] or (whole if len(names) == 1 else [])
        streams[number] = _row(summed[-1]) if summed else _sum([_row(row) for row in mine])
    every = _sum(list(streams.values()))
    if not whole and len(streams) > 1:
        raise BackendError("RouterOS's rows have no total over all streams")
    total = _row(whole[-1]) if whole else every
    if (total.sent, total.received) != (every.sent, every.received):
        raise BackendError(
            f"RouterOS counts {total.sent} sent and {total.received} received, but its streams "
            f"{every.sent} and {every.received}: rows were left out"
        )
    streams[TOTAL] = total
    sending = {row["seq"] for row in rows if row["seq"] != TOTAL and _number(row["tx-packet"])}
    return Totals(streams, len(sending))


def _row(row: dict[str, Any]) -> Row:
    least, most = _time(row.get("lat-min")), _time(row.get("lat-max"))
    return Row(
        sent=_number(row["tx-packet"]),
        received=_number(row["rx-packet"]),
        reordered=_number(row["rx-ooo"]) if row.get("rx-ooo") else None,
        corrupt=_number(row["rx-bad-csum"]) if row.get("rx-bad-csum") else None,
        least_ns=round(least) if least is not None else None,
        mean_ns=_time(row.get("lat-avg")),
        most_ns=round(most) if most is not None else None,
    )


def _sum(rows: list[Row]) -> Row:
    timed = [row for row in rows if row.mean_ns is not None and row.received]
    received = sum(row.received for row in timed)
    means = sum((row.mean_ns or 0.0) * row.received for row in timed)
    return Row(
        sent=sum(row.sent for row in rows),
        received=sum(row.received for row in rows),
        reordered=_added([row.reordered for row in rows]),
        corrupt=_added([row.corrupt for row in rows]),
        least_ns=min((row.least_ns for row in timed if row.least_ns is not None), default=None),
        mean_ns=means / received if received else None,
        most_ns=max((row.most_ns for row in timed if row.most_ns is not None), default=None),
    )


def _added(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _index(text: Any) -> int:
    return NAMES[text] if text in NAMES else int(text)


def _number(text: Any) -> int:
    """`1 297 032` as the console prints it, or `1297032`."""
    return int(str(text).replace(" ", ""))


def _time(text: Any) -> float | None:
    """Nanoseconds of `16us`, `3.22ms`, `1s500ms`, `00:00:00.000016`; None of nothing."""
    duration = str(text or "").strip()
    if not duration:
        return None
    clock = re.fullmatch(r"(\d+):(\d+):(\d+(?:\.\d+)?)", duration)
    if clock:
        return (int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3])) * 1e9
    parts = re.findall(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m)", duration)
    if not parts or "".join(a + b for a, b in parts) != duration:
        raise ValueError(f"{duration!r} is no time")
    return sum(float(value) * UNITS[unit] for value, unit in parts)
