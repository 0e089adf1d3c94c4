"""Measurements of RouterOS by others: the rows of `measurements.csv` that decide claims.

A claim names a row by its `id`.  Every measured row says how its figure came about: `routeros` the
version, `streams` the traffic, `loss` the loss rule, `repeats` the factor by which the source's
repeated runs differ, `printed` the figure as its source prints it, `where` the place.  What a
source leaves out is `not said`, never empty.  Where it tried rates step by step, `lost_at` is the
next one, in kpps, at which more was lost than its rule allows: the limit lies between the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ppslab.core import documents
from ppslab.model import devices

METHOD = ("routeros", "streams", "loss", "repeats", "printed", "where")
"""The columns that say how a figure came about."""

NOT_SAID = "not said"


@dataclass(frozen=True)
class Measured:
    """One rate that somebody else measured on a RouterOS router, with the method.

    `pps` in packets a second; `at_least`: a port or the tester was the limit.
    `lost_at`: the next rate that was tried, in packets a second, at which more was lost.
    `repeats` is 1 where the source does not say how far its repeated runs differ.
    """

    id: str
    device: str
    configuration: str
    frame_bytes: int
    pps: float
    at_least: bool
    routeros: str
    streams: str
    loss: str
    repeats: float
    printed: str
    where: str
    source: devices.Source
    lost_at: float | None = None

    @property
    def measurement(self) -> tuple[str, int, str]:
        """What two rows must share to make a ratio: source, frame size and device."""
        return self.source.id, self.frame_bytes, self.device

    @property
    def version(self) -> str:
        """As `RouterOS 7.20.7`, or that the source does not say it."""
        known = self.routeros != NOT_SAID
        return f"RouterOS {self.routeros}" if known else "RouterOS version not said"


@lru_cache(maxsize=1)
def load() -> dict[str, Measured]:
    """Every row with an id, by it; FileError with the line of a measurement without its method."""
    found: dict[str, Measured] = {}
    path = devices.FOLDER / "measurements.csv"
    for figure, row in zip(devices.measurements(), documents.read_csv(path), strict=True):
        name = row["id"]
        missing = [column for column in METHOD if not row[column]]
        if figure.quality == "measured" and missing:
            raise row.error(f"measured, without {', '.join(missing)}: write {NOT_SAID!r}")
        if not name:
            continue
        if name in found:
            raise row.error(f"id {name!r} appears twice")
        if figure.quality != "measured":
            raise row.error(f"{name} is {figure.quality}: only what was measured decides a claim")
        if figure.kpps is None or figure.frame_bytes is None:
            raise row.error(f"{name} needs kpps and frame_bytes")
        texts = {column: row[column] for column in METHOD if column != "repeats"}
        found[name] = Measured(
            name,
            figure.device,
            figure.configuration,
            figure.frame_bytes,
            figure.kpps * 1000,
            figure.at_least,
            **texts,
            repeats=_factor(row),
            source=figure.source,
            lost_at=_lost_at(row, figure.kpps),
        )
    return found


def _factor(row: documents.Row) -> float:
    if row["repeats"] == NOT_SAID:
        return 1.0
    if (factor := _number(row["repeats"])) < 1:
        raise row.error(f"repeats is a factor of 1 or more, or {NOT_SAID!r}: {row['repeats']!r}")
    return factor


def _lost_at(row: documents.Row, kpps: float) -> float | None:
    if not row["lost_at"]:
        return None
    if (rate := _number(row["lost_at"])) <= kpps:
        raise row.error(f"lost_at is a rate above {kpps:g} kpps, or empty: {row['lost_at']!r}")
    return rate * 1000


def _number(text: str) -> float:
    """The number; 0, which neither column takes, for what is none."""
    try:
        return float(text)
    except ValueError:
        return 0.0
