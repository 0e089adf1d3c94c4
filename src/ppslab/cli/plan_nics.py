"""`ppslab plan nics INVENTORY`: which ports to bond, and where the CHR's guest goes."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table as RichTable

from ppslab import documents, tables
from ppslab.errors import FileError, UsageError, did_you_mean
from ppslab.planning import cards, lspci, lstopo, nics, servers, views
from ppslab.planning.machine import Machine
from ppslab.planning.placement import place, shared_groups
from ppslab.planning.placement.writers import WRITERS

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False, soft_wrap=True)

ALL = "all"
NONE = "none"


def register(plan: typer.Typer) -> None:
    """Add the command to the group."""
    plan.command("nics")(plan_nics)


def plan_nics(
    inventory: Path = typer.Argument(
        metavar="INVENTORY",
        help="What `lstopo --of xml FILE.xml` or, as root, `lspci -vv` says of the server.",
    ),
    hypervisor: str = typer.Option(
        NONE, "--for", help=f"Print the placement for: {', '.join(WRITERS)}, all or none."
    ),
    bare: bool = typer.Option(False, "--bare", help="Print the placement only, to pipe it on."),
    node: int | None = typer.Option(None, help="Place the guest on this NUMA node."),
    keep: list[str] = typer.Option([], help="A port that stays with the host; may be repeated."),
    speed: list[str] = typer.Option(
        [], help="VENDOR:DEVICE=GBITS, for a card that nobody knows; may be repeated."
    ),
    cpus: Path | None = typer.Option(
        None, help="Beside lspci: what lscpu -p=CPU,CORE,SOCKET,NODE says."
    ),
    numa_nodes: Path | None = typer.Option(
        None, help="Beside lspci: what grep . /sys/bus/pci/devices/*/numa_node says."
    ),
    chassis: str | None = typer.Option(None, help="Show the slots of this chassis too: r730."),
    payload: int = typer.Option(256, help="MaxPayload in bytes, where the inventory has none."),
    host_cores: int = typer.Option(1, help="Cores of the node that stay with the host."),
    memory: int | None = typer.Option(None, help="MiB for the guest; RouterOS's need otherwise."),
    name: str = typer.Option("chr", help="What to call the guest."),
) -> None:
    """Say which ports share a CPU, what their links carry, which to bond, and place the guest."""
    chosen = _writers(hypervisor, bare)
    machine = read(inventory, cpus, numa_nodes, cards.told(speed))
    made = nics.plan(machine, node=node, keep=keep, payload=payload)
    if not bare:
        for table in views.tables(made, payload):
            console.print(rich_table(table))
        if chassis:
            console.print(rich_table(views.slot_table(servers.chassis(chassis))))
    warnings = list(made.warnings)
    placements = {}
    if chosen:
        guest = place(made, name=_guest_name(name), host_cores=host_cores, memory=memory)
        warnings += shared_groups(machine, guest)
        placements = {each: WRITERS[each](guest) for each in chosen}
    elif made.node is None and made.chosen is not None and not bare:
        warnings.append("No placement can be made of this inventory: it does not say enough.")
    for warning in warnings:
        errors.print(f"! {warning}", style="yellow", markup=False)
    for each, text in placements.items():
        if not bare:
            console.print(f"\n{each}:", style="bold")
        typer.echo(text, nl=False)


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
        if cpus or numa_nodes:
            raise UsageError("--cpus and --numa-nodes stand beside lspci; lstopo says both itself")
        return lstopo.parse(text, inventory, speeds)
    if lspci.is_lspci(text):
        beside = lspci.Beside(
            lspci.read_numa_nodes(numa_nodes) if numa_nodes else {},
            lspci.read_cpus(cpus) if cpus else (),
        )
        return lspci.parse(text, inventory, beside, speeds)
    raise FileError(
        inventory,
        1,
        "neither what `lstopo --of xml FILE.xml` writes, nor what `lspci -vv` does",
    )


def rich_table(table: tables.Table) -> RichTable:
    """The table for a terminal; its notes below."""
    shown = RichTable(title=table.title, title_justify="left", title_style="bold")
    for column in table.header:
        shown.add_column(column, overflow="fold")
    for row in table.rows:
        shown.add_row(*(cell.text.replace("[", "\\[") for cell in row))
    if table.notes:
        shown.caption = "\n".join(table.notes).replace("[", "\\[")
        shown.caption_justify = "left"
    return shown


def _writers(hypervisor: str, bare: bool) -> tuple[str, ...]:
    known = (*WRITERS, ALL, NONE)
    if hypervisor not in known:
        near = did_you_mean(hypervisor, known)
        raise UsageError(f"--for {hypervisor}{near}: there are {', '.join(known)}")
    if bare and hypervisor in (ALL, NONE):
        raise UsageError(f"--bare wants one hypervisor: --for {', '.join(WRITERS)}")
    if hypervisor == ALL:
        return tuple(WRITERS)
    return () if hypervisor == NONE else (hypervisor,)


def _guest_name(name: str) -> str:
    if not name or not all(letter.isalnum() or letter in "-_." for letter in name):
        raise UsageError(f"--name {name!r}: letters, digits, -, _ and . are wanted")
    return name
