"""`ppslab plan queues`: how many queues a guest's virtual cards get, in a hypervisor's words."""

from __future__ import annotations

import typer

from ppslab.cli.printing import console
from ppslab.core.text.terminal import echo
from ppslab.model.planning import queues

MOST_PORTS = 256
"""More than any hypervisor gives a guest, where each port has a line of its own."""


def plan_queues(
    cpus: int = typer.Option(min=1, help="The number of the guest's CPUs."),
    ports: int = typer.Option(
        2, min=1, max=MOST_PORTS, help="The number of its virtual ports that carry packets."
    ),
    hypervisor: str = typer.Option(
        "proxmox", "--for", help=f"{', '.join(queues.data()['hypervisors'])}."
    ),
) -> None:
    """Give each virtual port of a CHR one queue per CPU, and show the memory for these queues."""
    made = queues.plan(cpus, ports)
    lines = queues.lines(made, hypervisor)
    for sentence in queues.sentences(made, hypervisor):
        console.print(sentence, markup=False)
    console.print(f"\n{hypervisor}:", style="bold")
    for line in lines:
        echo(line)
