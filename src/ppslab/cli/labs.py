"""`ppslab labs`, `up`, `shell`, `exec`, `down`, `status`, `new-lab`: labs for hands-on work."""

from __future__ import annotations

import sys

import typer
from rich.table import Table

from ppslab.cli.printing import console, left_out
from ppslab.core import paths
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.terminal import Console
from ppslab.model.lab import lab, topology
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.machine import FEATURE
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import (
    Backend,
    Node,
    attach,
    capabilities,
    open_backend,
    registry,
    shell,
)

lines = Console(soft_wrap=True)

DAY = 86_400.0
"""Seconds that a command on a node may take."""


def list_labs() -> None:
    """List the labs of this checkout; the exit code is 2 if a file of a lab is wrong."""
    readable, unreadable = lab.tried()
    shown = Table()
    for column in ("lab", "title", "conditions", "frame sizes"):
        shown.add_column(column)
    for each in readable:
        sizes = ", ".join(str(size) for size in each.spec.frame_sizes)
        shown.add_row(each.name, each.title, str(len(each.conditions)), sizes)
    console.print(shown)
    raise typer.Exit(left_out(unreadable))


def up(
    name: str = typer.Argument(metavar="LAB", help="The lab to bring up."),
    backend: str = typer.Option("auto", help="auto, namespaces, vm or containerlab."),
) -> None:
    """Bring a lab up and leave it running until `ppslab down LAB`."""
    chosen_lab = lab.find(name)
    wiring = topology.find(chosen_lab.spec.topology)
    with registry.changing(name):
        used = _bring_up(chosen_lab, wiring, backend)
    nodes = " | ".join(wiring.nodes)
    console.print(f"{name} is up on {used}: ppslab shell {name} [{nodes}]", markup=False)
    console.print(f"for one command: ppslab exec {name} NODE -- COMMAND", markup=False)
    console.print(f"to take the lab down: ppslab down {name}")


def _bring_up(chosen_lab: Lab, wiring: Topology, backend: str) -> str:
    """Deploy it and leave it; returns the backend on which it stands."""
    name = chosen_lab.name
    if registry.standing(name):
        raise UsageError(f"lab {name} is up already: `ppslab down {name}` takes it down")
    machine = chosen_lab.spec.machine
    choice = capabilities.choose({FEATURE} if machine else frozenset(), backend)
    with console.status(f"starting {choice.backend}"):
        started = open_backend(choice.backend, detach=True, machine=machine)
        try:
            started.deploy(wiring, run_id=name)
        except BaseException:
            started.stop()
            raise
        started.close()
    return choice.backend


def open_shell(
    name: str = typer.Argument(metavar="LAB"),
    node: str = typer.Argument(metavar="NODE", help="The node to open a shell on."),
) -> None:
    """Open a shell on a node of a lab that is up."""
    entry = _entry(name)
    if not sys.stdin.isatty():
        raise UsageError(
            f"a shell needs a terminal, but stdin is not a terminal; for a script: "
            f"ppslab exec {name} {node} -- sh < SCRIPT; for one command: "
            f"ppslab exec {name} {node} -- COMMAND"
        )
    with attach(entry) as backend:
        code = shell.shell(_node(backend, name, node))
    raise typer.Exit(code)


def execute(
    name: str = typer.Argument(metavar="LAB"),
    node: str = typer.Argument(metavar="NODE", help="The node to run the command on."),
    command: list[str] = typer.Argument(
        metavar="-- COMMAND...", help="The command and its arguments, not a shell line."
    ),
) -> None:
    """Run one command on a node of a lab that is up, and exit with its exit code.

    Input from a pipe or a file becomes the command's stdin.  The output is printed when the
    command ends, up to 8 MiB of text.  For a shell line with pipes: -- sh -c 'LINE'.
    """
    words = command[1:] if command[:1] == ["--"] else command
    if not words:
        raise UsageError(f"no command given: ppslab exec {name} {node} -- COMMAND")
    entry = _entry(name)
    with attach(entry) as backend:
        done = _node(backend, name, node).run(words, input=_stdin(), timeout=DAY, check=False)
    sys.stdout.write(done.stdout)
    sys.stdout.flush()
    sys.stderr.write(done.stderr)
    # As a shell returns it: 128 plus the signal.
    raise typer.Exit(done.returncode if done.returncode >= 0 else 128 - done.returncode)


def _stdin() -> str | None:
    """All of stdin where it is no terminal; UsageError where it is no text."""
    if sys.stdin is None or sys.stdin.isatty():
        return None
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"stdin is not UTF-8 text (byte {error.start}): pass text") from None


def _node(backend: Backend, name: str, node: str) -> Node:
    """A node of the lab by name; UsageError names the nodes that exist."""
    nodes = backend.deployments()[name].nodes
    if node not in nodes:
        near = did_you_mean(node, nodes)
        raise UsageError(f"lab {name} has no node {node!r}{near}: {', '.join(nodes)}")
    return nodes[node]


def down(name: str = typer.Argument(metavar="LAB")) -> None:
    """Take a lab down."""
    _entry(name)
    with registry.changing(name):
        attach(_entry(name)).stop()
    console.print(f"{name} is down")


def status() -> None:
    """Show which labs are up."""
    entries = registry.live()
    if not entries:
        console.print("no lab is up")
        return
    shown = Table()
    for column in ("run", "topology", "backend", "process", "stays up"):
        shown.add_column(column)
    for entry in entries:
        stays = "until ppslab down" if entry.detached else "while its command runs"
        for run, wired in (entry.runs or {"-": "-"}).items():
            shown.add_row(run, wired, entry.backend, str(entry.pid), stays)
    console.print(shown)


def new_lab(
    name: str = typer.Argument(metavar="NAME", help="Lowercase letters, digits and dashes."),
    title: str = typer.Option("", help="The title on pages; default: made from the name."),
    topology: str = typer.Option("fastpath", help="The topology, one of those in topologies/."),
) -> None:
    """Create a lab: its folder, chapter and notebook, and its place in the table of contents."""
    # Imported here: what a lab of one's own is checked by takes most of a second.
    from ppslab.course import lab_rules, lab_template  # noqa: PLC0415

    for path in lab_template.start(name, title, topology):
        lines.print(str(path.relative_to(paths.project_root())), markup=False)
    left = [each for each in lab_rules.findings(lab.find(name)) if each.kind == lab_rules.TO_WRITE]
    lines.print(
        f"\nThe lab can run now: ppslab run {name}\n"
        f"{len(left)} things are still to do: ppslab validate labs/{name} lists them.",
        markup=False,
    )


def _entry(name: str) -> registry.Entry:
    entry = registry.standing(name)
    if entry is None:
        lab.find(name)
        raise UsageError(f"lab {name} is not up: `ppslab up {name}` brings it up")
    return entry
