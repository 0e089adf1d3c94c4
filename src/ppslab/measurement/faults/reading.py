"""The newest run through the faults: for pages and notebooks, on any machine."""

from __future__ import annotations

from ppslab import results
from ppslab.base.errors import FileError
from ppslab.results.kinds.faults import FaultsRecord


def newest(lab: str) -> FaultsRecord | None:
    """The newest run through all faults; through some of them where there is no whole one."""
    partial: FaultsRecord | None = None
    for path in results.stored(lab, FaultsRecord):
        try:
            record = results.load_as(path, FaultsRecord)
        except FileError:
            continue  # of an earlier ppslab; `ppslab validate results/` says what is wrong with it
        if record.lab != lab or record.state != "completed":
            continue
        if record.is_whole():
            return record
        partial = partial or record
    return partial
