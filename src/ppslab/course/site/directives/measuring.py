"""Figures and tables of the chapter "Measuring": computed at the build, or read from records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from ppslab.core.text.display import TextBlock
from ppslab.core.text.tables import Table
from ppslab.course import measuring
from ppslab.course.site.directives.sources import LabDirective, NotRecordedError
from ppslab.course.site.directives.views import View, Views, figure, table
from ppslab.model import meters, simulated
from ppslab.model.results import CalibrationRecord
from ppslab.model.results.kinds import FaultsRecord
from ppslab.show.figures import Figure
from ppslab.show.figures.teaching import pause_figure
from ppslab.show.record_tables import calibration as calibration_tables
from ppslab.show.record_tables.faults import fault_table, pause_table

LAB = "fastpath"
ROUTER = simulated.EXAMPLES["loss spikes"]


@lru_cache(maxsize=1)
def _compared() -> measuring.Comparison:
    """Twenty searches of each kind take seconds, and are the same every time."""
    return measuring.compare(ROUTER)


def _held_up() -> simulated.Frames:
    """Two seconds on a router that makes its tester wait."""
    return simulated.EXAMPLES["back pressure"](1).frames(seconds=2.0, load=80_000)


TABLES: Mapping[str, Callable[[], Table]] = {
    "wire": measuring.wire,
    "ports": measuring.ports,
    "meters": meters.table,
    "searches": lambda: _compared().table(),
    "back-pressure": lambda: measuring.two_delays(_held_up()),
}
FIGURES: Mapping[str, Callable[[], Figure]] = {
    "goals": lambda: measuring.loss_curve(ROUTER),
    "trace": lambda: measuring.watch(ROUTER).figure(),
    "search-spread": lambda: _compared().figure(),
}
"""Figures that need no record."""


def _calculated(make: Callable[[], Table | Figure]) -> View:
    def view(page: LabDirective) -> Table | Figure:
        page.env.note_dependency(str(meters.FILE))
        return make()

    return view


for _views, _makers in ((table, TABLES), (figure, FIGURES)):
    assert isinstance(_views, Views)
    for _name, _make in _makers.items():
        _views(_name)(_calculated(_make))


@table("published-meters")
def published_meters(page: LabDirective, like: str = "dut") -> Table:
    """Bytes a packet of the published numbers whose id holds `like`."""
    page.env.note_dependency(str(meters.FILE))
    return measuring.published_meters(like)


@table("noise")
def noise(page: LabDirective) -> Table:
    """The reference against itself in the newest run."""
    page.source(LAB)
    shown = measuring.noise(LAB)
    if isinstance(shown, TextBlock):
        raise NotRecordedError.of_run(LAB)
    return shown


Drawn = TypeVar("Drawn", Table, Figure)


def _of_faults(page: LabDirective, view: Callable[[FaultsRecord], Drawn | None]) -> Drawn:
    shown = view(page.newest(FaultsRecord, LAB, f"break {LAB}"))
    if shown is None:
        raise NotRecordedError(f"The newest run of ppslab break {LAB} had no late tester.")
    return shown


table("faults")(lambda page: _of_faults(page, fault_table))
table("pause")(lambda page: _of_faults(page, pause_table))
figure("pause")(lambda page: _of_faults(page, pause_figure))


@table("calibration")
def calibration(page: LabDirective) -> list[Table]:
    """Tables of the tester's newest calibration."""
    record = page.newest(CalibrationRecord, "ppstraffic", "calibrate")
    *first, last = calibration_tables.tables(record)
    return [*(replace(each, provenance=None) for each in first), last]
