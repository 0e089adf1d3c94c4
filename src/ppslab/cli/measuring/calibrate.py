"""`ppslab calibrate`: what the tester, its receiver and its clocks can do on this machine."""

from __future__ import annotations

from ppslab.cli.measuring.terminal import close, measured
from ppslab.cli.options import measuring
from ppslab.cli.printing import console
from ppslab.measure import calibration
from ppslab.measure.calibration.experiment import Options, calibrate
from ppslab.show.record_tables.calibration import tables


@measuring(
    Options, without=("shares", "tester", "tester_config"), backend="auto, namespaces or vm."
)
def calibrate_tester(options: Options) -> None:
    """Measure the tester: back-to-back rate, jitter, receiver and clocks."""
    record, path = measured(calibrate, options)
    for table in tables(record):
        console.print(table)
    for warning in calibration.warnings(record):
        console.print(warning, style="yellow", markup=False)
    close(record, path)
