"""`ppslab profile`: where a condition's nanoseconds go."""

from __future__ import annotations

from dataclasses import replace

from ppslab.cli.measuring.terminal import close, measured
from ppslab.cli.options import LabName, measuring
from ppslab.cli.printing import console
from ppslab.core import documents
from ppslab.core.errors import UsageError
from ppslab.measure.profiling.experiment import Options, run
from ppslab.model.lab import lab
from ppslab.show.record_tables.stations import stations_table

RECORD = "profile.json"


@measuring(
    Options,
    without=("router", "tester", "tester_config", "dut", "isolated"),
    conditions="Profile this condition; with two conditions, also show their difference.",
    out="Write the record and the graphs to this folder.",
)
def profile(name: LabName, options: Options) -> None:
    """Show the time that a packet takes at each station, with a flame graph."""
    out = options.out
    if out and out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: this is a file; name a folder")
    options = replace(
        options,
        conditions=tuple(dict.fromkeys(options.conditions)),
        out=out / RECORD if out else None,
    )
    record, path = measured(run, lab.find(name), options)
    folder = out or path.with_suffix("")
    from ppslab.show.figures.flamegraph import graphs  # noqa: PLC0415  (half a second)
    from ppslab.show.figures.stations import stations_figure  # noqa: PLC0415

    drawn = graphs(record)
    if drawn:
        drawn["stations.svg"] = stations_figure(record).accessible() + "\n"
    for file, svg in drawn.items():
        documents.write_atomic(folder / file, svg)
    console.print(stations_table(record))
    console.print(
        f"The sender's thread, which routes too (coupled); {record.frequency} samples a second, "
        "± two standard errors. Time with interrupts off counts for the code that turns them on.",
        style="dim",
        markup=False,
    )
    close(record, path, record.skipped)
    for file in drawn:
        console.print(f"graph: {folder / file}")
