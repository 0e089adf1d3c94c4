"""`ppslab progress`: what a learner has done here, and the file of it that the site imports."""

from __future__ import annotations

from pathlib import Path

import typer

from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import plural
from ppslab.core.text.terminal import echo
from ppslab.course.learning import progress_file
from ppslab.course.learning.progress_file import Progress
from ppslab.course.tasks import state


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("progress")(show_progress)


def show_progress(
    output: Path | None = typer.Option(
        None,
        "--output",
        "-o",
        metavar="FILE",
        help=f"Write it here ({progress_file.NAME}), for the site's page of progress to import.",
    ),
) -> None:
    """Show the tasks that you solved and the runs that you made on this machine.

    An existing file is added to: what you exported from the site stays in it.
    """
    found = progress_file.collect(state.finished())
    if output is None:
        echo("\n".join(_lines(found)))
        return
    if output.is_dir():
        raise UsageError(f"--output {output}: this is a folder; name a file")
    if output.exists():
        found = progress_file.merged(found, progress_file.load(output))
    progress_file.save(found, output)
    things = f"{plural(len(found.done), 'thing')} done"
    echo(f"{output}: {things}, your own figures of {plural(len(found.figures), 'run')}")


def _lines(progress: Progress) -> list[str]:
    lines = [f"{plural(len(progress.done), 'task')} solved"]
    lines += [
        f"  {time[:10]}  {name.replace('/task/', ': ')}" for name, time in progress.done.items()
    ]
    lines.append(f"{plural(len(progress.figures), 'run')} of your own")
    for figure in progress.figures:
        lines.append(f"  {figure.started[:10]}  {figure.title}")
        lines += [f"    {name}: {value}" for name, value in figure.rows]
    lines.append(
        f"ppslab progress --output {progress_file.NAME} writes them for the page of progress."
    )
    return lines
