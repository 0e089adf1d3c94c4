"""`ppslab tcp`: TCP through a lab's router, as the CHR article measured it."""

from __future__ import annotations

from ppslab.cli.measuring.terminal import close, measured
from ppslab.cli.options import LabName, measuring
from ppslab.cli.printing import console
from ppslab.core.text.numbers import plural
from ppslab.measure.tcp import Options, run
from ppslab.model.lab import lab
from ppslab.show import invalid
from ppslab.show.record_tables.tcp import direction_tables


@measuring(
    Options,
    without=("router", "tester", "tester_config", "dut", "isolated"),
    seed="Seed for the order of the transfers; default: random.",
)
def tcp(name: LabName, options: Options) -> None:
    """Measure a lab with TCP (iperf3): goodput, retransmits, round-trip time, fairness."""
    record, path = measured(run, lab.find(name), options)
    for table in direction_tables(record):
        console.print(table)
    console.print(
        f"{plural(record.instances, 'instance')} of {plural(record.streams, 'stream')} each way, "
        f"{record.seconds} s, offloads off, {record.arrangement}"
    )
    for sentence in record.explanations:
        console.print(sentence)
    for reason in invalid.reasons("transfer", record.transfers):
        console.print(f"not valid, {reason}", style="yellow", markup=False)
    close(record, path, record.skipped)
