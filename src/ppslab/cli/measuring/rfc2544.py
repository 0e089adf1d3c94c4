"""`ppslab rfc2544`: the suite of RFC 2544 on a lab, a table a test, and the record."""

from __future__ import annotations

from collections.abc import Sequence

from ppslab.cli.measuring.terminal import close, measured, show_steps
from ppslab.cli.options import DryRun, LabName, measuring
from ppslab.cli.printing import console
from ppslab.measure.rfc2544.suite import Options, rehearse_suite, run_suite
from ppslab.model.lab import lab
from ppslab.model.results import Subject
from ppslab.show.record_tables.rfc2544 import TESTS


@measuring(
    Options,
    conditions="Only this condition; may be repeated. Default: the conditions that the lab lists.",
)
def rfc2544(name: LabName, options: Options, dry_run: DryRun = False) -> None:
    """Run the tests of RFC 2544: throughput, latency, loss, bursts, recovery, reset."""
    chosen_lab = lab.find(name)
    if dry_run:
        show_steps(rehearse_suite(chosen_lab, options))
        return
    record, path = measured(run_suite, chosen_lab, options)
    for field, test in TESTS.items():
        results: Sequence[Subject] = getattr(record, field)
        if results:
            console.print(test.title, style="bold", markup=False)
        for condition in dict.fromkeys(result.condition for result in results):
            for table in test.tables:
                console.print(table(record, condition))
    for warning in record.warnings:
        console.print(warning, style="yellow")
    close(record, path, record.skipped)
    console.print(f"to write a report: ppslab report {path} --html")
