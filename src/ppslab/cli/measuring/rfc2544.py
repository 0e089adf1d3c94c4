"""`ppslab rfc2544`: the suite of RFC 2544 on a lab, a table a test, and the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ppslab.cli.measuring.terminal import close, measured, show_steps
from ppslab.cli.options import DryRun, LabName, measuring
from ppslab.cli.printing import console
from ppslab.core.text.tables import Table
from ppslab.measure.rfc2544 import Options, rehearse_suite, run_suite
from ppslab.model.lab import lab
from ppslab.model.results import Subject, SuiteRecord
from ppslab.show.record_tables import rfc2544 as suite_tables
from ppslab.show.record_tables.rfc2544 import latency_table, variation_table


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
    show(record)
    for warning in record.warnings:
        console.print(warning, style="yellow")
    close(record, path, record.skipped)
    console.print(f"to write a report: ppslab report {path} --html")


def show(record: SuiteRecord) -> None:
    """Print the report's tables, test by test in the order of RFC 2544 section 26."""
    for test, title in suite_tables.SECTIONS.items():
        results: Sequence[Subject] = getattr(record, test)
        if results:
            console.print(title, style="bold", markup=False)
        for condition in dict.fromkeys(result.condition for result in results):
            for table in TABLES[test]:
                console.print(table(record, condition))


TABLES: Mapping[str, Sequence[Callable[[SuiteRecord, str], Table]]] = {
    "throughput": (suite_tables.throughput_table,),
    "latency": (latency_table, variation_table),
    "frame_loss": (suite_tables.loss_table,),
    "back_to_back": (suite_tables.bursts_table,),
    "recovery": (suite_tables.recovery_table,),
    "reset": (suite_tables.reset_table,),
}
"""By the field of the record that has a test's results."""
