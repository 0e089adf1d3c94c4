"""`ppslab plan nics INVENTORY`: which ports to bond, and where the CHR's guest goes."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.cli.printing import console
from ppslab.core.errors import PpslabError
from ppslab.core.text.terminal import Console, echo
from ppslab.model.planning.nics import cards, grouping, lstopo
from ppslab.model.planning.nics.placement import Guest, place
from ppslab.show import nic_tables

errors = Console(stderr=True, soft_wrap=True)


def plan_nics(
    inventory: Path = typer.Argument(
        metavar="INVENTORY",
        help="Output of `lstopo --of xml FILE.xml` on the server.",
    ),
    libvirt: bool = typer.Option(
        False, "--libvirt", help="Print only the guest's libvirt domain XML, ready for a pipe."
    ),
    node: int | None = typer.Option(None, help="Place the guest on this NUMA node."),
    keep: list[str] = typer.Option([], help="Leave this port to the host; may be repeated."),
    speed: list[str] = typer.Option(
        [],
        help="VENDOR:DEVICE=GBITS (8086:10fb=10): the speed of one port of a card that ppslab "
        "does not know; may be repeated.",
    ),
    host_cores: int = typer.Option(1, help="Leave this number of the node's cores to the host."),
) -> None:
    """Show ports that share a CPU, link capacities and ports to bond, and place the guest."""
    machine = lstopo.read(inventory, cards.speeds_of(speed))
    plan = grouping.plan(machine, node=node, keep=keep)
    warnings = list(plan.warnings)
    guest: Guest | None = None
    try:
        guest = place(plan, host_cores=host_cores)
    except PpslabError as error:
        # The tables are worth reading without a placement; whoever asks for one gets the error.
        if libvirt or host_cores != 1:
            raise
        if plan.chosen is not None:
            reason = f"{error}".replace("\n", ": ")
            warnings.append(f"{reason[0].upper()}{reason[1:]}.")
    if not libvirt:
        for table in nic_tables.tables(plan):
            console.print(table)
        if guest:
            console.print(nic_tables.placement_table(guest))
    for warning in warnings:
        errors.print(f"! {warning}", style="yellow", markup=False)
    if libvirt and guest:
        echo(nic_tables.libvirt_domain(guest), nl=False)
