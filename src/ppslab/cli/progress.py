"""`ppslab progress`: what a learner has done here, and the file of it that the site imports."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.errors import UsageError
from ppslab.learning import kept
from ppslab.learning.kept import Progress
from ppslab.numbers import plural
from ppslab.tasks import state


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("progress")(show_progress)


def show_progress(
    output: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write it here ({kept.NAME}), for the site's page of progress to import.",
    ),
) -> None:
    """Show the tasks that you solved and the runs that you made on this machine.

    A file that is there already is added to: what you exported from the site stays in it.
    """
    found = kept.collect(state.finished())
    if output is None:
        typer.echo("\n".join(_lines(found)))
        return
    if output.is_dir():
        raise UsageError(f"--output {output}: this is a folder, a file is wanted")
    if output.exists():
        found = kept.merged(found, kept.load(output))
    kept.save(found, output)
    things = f"{plural(len(found.done), 'thing')} done"
    typer.echo(f"{output}: {things}, your own figures of {plural(len(found.figures), 'run')}")


def _lines(found: Progress) -> list[str]:
    lines = [f"{plural(len(found.done), 'task')} solved"]
    lines += [f"  {time[:10]}  {name.replace('/task/', ': ')}" for name, time in found.done.items()]
    lines.append(f"{plural(len(found.figures), 'run')} of your own")
    for figure in found.figures:
        lines.append(f"  {figure.started[:10]}  {figure.title}")
        lines += [f"    {name}: {value}" for name, value in figure.rows]
    lines.append(f"ppslab progress --output {kept.NAME} writes them for the page of progress.")
    return lines
