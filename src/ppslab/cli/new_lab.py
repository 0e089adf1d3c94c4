"""`ppslab new-lab NAME`: start a lab of one's own, and say what is to write."""

from __future__ import annotations

import typer

from ppslab.core import paths
from ppslab.core.text.terminal import Console
from ppslab.course import lab_rules, lab_template
from ppslab.model.lab import lab

console = Console(soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("new-lab")(new_lab)


def new_lab(
    name: str = typer.Argument(metavar="NAME", help="Lowercase letters, digits and dashes."),
    title: str = typer.Option("", help="The title on pages; default: made from the name."),
    topology: str = typer.Option("fastpath", help="Its topology, one of topologies/."),
) -> None:
    """Create a lab: its folder, chapter and notebook, and its place in the table of contents."""
    for path in lab_template.start(name, title, topology):
        console.print(str(path.relative_to(paths.project_root())), markup=False)
    left = [each for each in lab_rules.findings(lab.find(name)) if each.kind == lab_rules.TO_WRITE]
    console.print(
        f"\nIt runs as it is: ppslab run {name}\n"
        f"{len(left)} places are to write: ppslab validate labs/{name} lists them.",
        markup=False,
    )
