"""`ppslab plan nics INVENTORY`: which ports to bond, and where the CHR's guest goes."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.cli.printing import console
from ppslab.core import documents
from ppslab.core.errors import FileError, UsageError, did_you_mean
from ppslab.core.text.terminal import Console, echo
from ppslab.model.planning import views
from ppslab.model.planning.nics import cards, grouping, servers
from ppslab.model.planning.nics.inventories import lspci, lspci_lists, lstopo
from ppslab.model.planning.nics.machine import Machine
from ppslab.model.planning.nics.placement import lacking, place, shared_groups
from ppslab.model.planning.nics.placement.writers import WRITERS

errors = Console(stderr=True, soft_wrap=True)

ALL = "all"
NONE = "none"


def register(plan: typer.Typer) -> None:
    """Add the command to the group."""
    plan.command("nics")(plan_nics)


def plan_nics(
    inventory: Path = typer.Argument(
        metavar="INVENTORY",
        help="Output of `lstopo --of xml FILE.xml` or, as root, of `lspci -nnvv` on the server.",
    ),
    hypervisor: str = typer.Option(
        NONE, "--for", help=f"Print the placement for: {', '.join(WRITERS)}, all or none."
    ),
    bare: bool = typer.Option(False, "--bare", help="Print the placement only, to pipe it on."),
    node: int | None = typer.Option(None, help="Place the guest on this NUMA node."),
    keep: list[str] = typer.Option([], help="A port that stays with the host; may be repeated."),
    speed: list[str] = typer.Option(
        [],
        help="VENDOR:DEVICE=GBITS or ADDRESS=GBITS (8086:10fb=10, 04:00.0=10): the speed of one "
        "port of a card that ppslab does not know; may be repeated.",
    ),
    cpus: Path | None = typer.Option(
        None, help="With lspci: the output of lscpu -p=CPU,CORE,SOCKET,NODE."
    ),
    numa_nodes: Path | None = typer.Option(
        None,
        help="The output of grep . /sys/bus/pci/devices/*/numa_node, for cards without a node.",
    ),
    chassis: str | None = typer.Option(None, help="Show the slots of this chassis too: r730."),
    payload: int = typer.Option(256, help="MaxPayload in bytes, where the inventory has none."),
    host_cores: int = typer.Option(1, help="Cores of the node that stay with the host."),
    memory: int | None = typer.Option(
        None, help="MiB for the guest; default: what RouterOS needs."
    ),
    name: str = typer.Option("chr", help="What to call the guest."),
) -> None:
    """Say which ports share a CPU, what their links carry, which to bond, and place the guest."""
    chosen = _writers(hypervisor, bare)
    machine = read(inventory, cpus, numa_nodes, cards.told(speed))
    made = grouping.plan(machine, node=node, keep=keep, payload=payload)
    if not bare:
        for table in views.tables(made, payload):
            console.print(table)
        if chassis:
            console.print(views.slot_table(servers.chassis(chassis)))
    warnings = list(made.warnings)
    placements = {}
    if chosen:
        guest = place(made, name=_guest_name(name), host_cores=host_cores, memory=memory)
        warnings += shared_groups(machine, guest)
        placements = {each: WRITERS[each](guest) for each in chosen}
    elif made.node is None and made.chosen is not None and not bare:
        lack = lacking(made)
        warnings.append(f"{lack.reason[0].upper()}{lack.reason[1:]}: {lack.remedy}.")
    for warning in warnings:
        errors.print(f"! {warning}", style="yellow", markup=False)
    for each, text in placements.items():
        if not bare:
            console.print(f"\n{each}:", style="bold")
        echo(text, nl=False)


def read(
    inventory: Path,
    cpus: Path | None = None,
    numa_nodes: Path | None = None,
    speeds: dict[str, float] | None = None,
) -> Machine:
    """The machine of an inventory of either kind; FileError where it is neither."""
    text = documents.read_text(inventory)
    if not text.strip():
        raise FileError(inventory, None, "the file is empty")
    if lstopo.is_lstopo(text):
        if cpus:
            raise UsageError("--cpus goes with lspci; lstopo has the CPUs itself")
        return lstopo.parse(
            text, inventory, speeds, lspci_lists.read_numa_nodes(numa_nodes) if numa_nodes else None
        )
    if lspci.is_lspci(text):
        beside = lspci_lists.Beside(
            lspci_lists.read_numa_nodes(numa_nodes) if numa_nodes else {},
            lspci_lists.read_cpus(cpus) if cpus else (),
        )
        return lspci.parse(text, inventory, beside, speeds)
    raise FileError(
        inventory,
        1,
        "neither what `lstopo --of xml FILE.xml` writes, nor what `lspci -nnvv` does",
    )


def _writers(hypervisor: str, bare: bool) -> tuple[str, ...]:
    known = (*WRITERS, ALL, NONE)
    if hypervisor not in known:
        near = did_you_mean(hypervisor, known)
        raise UsageError(f"--for {hypervisor}{near}: there are {', '.join(known)}")
    if bare and hypervisor in (ALL, NONE):
        raise UsageError(f"--bare needs one hypervisor: --for {', '.join(WRITERS)}")
    if hypervisor == ALL:
        return tuple(WRITERS)
    return () if hypervisor == NONE else (hypervisor,)


def _guest_name(name: str) -> str:
    if not name or not all(letter.isalnum() or letter in "-_." for letter in name):
        raise UsageError(f"--name {name!r}: use letters, digits, -, _ and . only")
    return name
