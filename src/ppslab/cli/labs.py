"""`ppslab labs`, `up`, `shell`, `down`, `status`: the lab for hands-on work."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table

from ppslab import capabilities, lab, topology
from ppslab.backends import attach, open_backend, registry, shell
from ppslab.errors import UsageError, did_you_mean
from ppslab.machine import FEATURE

console = Console(highlight=False)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command("labs")(list_labs)
    app.command("up")(up)
    app.command("shell")(open_shell)
    app.command("down")(down)
    app.command("status")(status)


def list_labs() -> None:
    """List the labs of this checkout."""
    shown = Table()
    for column in ("lab", "title", "conditions", "frame sizes"):
        shown.add_column(column)
    for name in lab.names():
        found = lab.find(name)
        sizes = ", ".join(str(size) for size in found.words.frame_sizes)
        shown.add_row(name, found.title, str(len(found.conditions)), sizes)
    console.print(shown)


def up(
    name: str = typer.Argument(metavar="LAB", help="The lab to stand up."),
    backend: str = typer.Option("auto", help="auto, namespaces, vm or containerlab."),
) -> None:
    """Stand a lab up and leave it running until `ppslab down LAB`."""
    found = lab.find(name)
    if _standing(name):
        raise UsageError(f"lab {name} is up already: `ppslab down {name}` takes it down")
    wiring = topology.find(found.words.topology)
    machine = found.words.machine
    choice = capabilities.choose({FEATURE} if machine else frozenset(), backend)
    with console.status(f"starting {choice.backend}"):
        started = open_backend(choice.backend, detach=True, machine=machine)
        try:
            started.deploy(wiring, run_id=name)
        except BaseException:
            started.stop()
            raise
        started.close()
    nodes = " | ".join(wiring.nodes)
    console.print(f"{name} is up on {choice.backend}: ppslab shell {name} [{nodes}]", markup=False)
    console.print(f"take it down with: ppslab down {name}")


def open_shell(
    name: str = typer.Argument(metavar="LAB"),
    node: str = typer.Argument(metavar="NODE", help="The node to sit at."),
) -> None:
    """Open a shell on a node of a lab that is up."""
    with attach(_entry(name)) as backend:
        nodes = backend.deployments()[name].nodes
        if node not in nodes:
            near = did_you_mean(node, nodes)
            raise UsageError(f"lab {name} has no node {node!r}{near}: {', '.join(nodes)}")
        code = shell.shell(nodes[node])
    raise typer.Exit(code)


def down(name: str = typer.Argument(metavar="LAB")) -> None:
    """Take a lab down."""
    attach(_entry(name)).stop()
    console.print(f"{name} is down")


def status() -> None:
    """Show what is up; nothing where nothing is."""
    entries = registry.live()
    if not entries:
        console.print("nothing is up")
        return
    shown = Table()
    for column in ("run", "topology", "backend", "process", "stays"):
        shown.add_column(column)
    for entry in entries:
        stays = "until ppslab down" if entry.detached else "while its command runs"
        for run, wired in (entry.runs or {"-": "-"}).items():
            shown.add_row(run, wired, entry.backend, str(entry.pid), stays)
    console.print(shown)


def _standing(name: str) -> registry.Entry | None:
    """The agent that `ppslab up` left for this lab."""
    return next((e for e in registry.live() if e.detached and name in e.runs), None)


def _entry(name: str) -> registry.Entry:
    entry = _standing(name)
    if entry is None:
        lab.find(name)
        raise UsageError(f"lab {name} is not up: `ppslab up {name}` stands it up")
    return entry
