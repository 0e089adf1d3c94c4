"""`ppslab workshop shell`: a seat's program, off the CPUs that measure for the class."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import typer

from ppslab.base import paths
from ppslab.base.errors import UsageError
from ppslab.base.text.terminal import echo

PROFILE = """# ppslab, and what its labs call: /etc/profile has set PATH anew by now.
PATH={programs}:$PATH:/usr/local/sbin:/usr/sbin:/sbin
"""
GREEDY = {"ignore_unknown_options": True, "allow_interspersed_args": False}


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("shell", context_settings=GREEDY)(shell)


def shell(
    words: list[str] = typer.Argument(
        None, metavar="SEAT [COMMAND...]", help="Such as seat-07; without a command, your shell."
    ),
    hub: bool = typer.Option(
        False, "--hub", help="A JupyterHub starts it: the seat is $JUPYTERHUB_USER."
    ),
) -> None:
    """Start a seat's shell or JupyterLab on the machine on which the class measures.

    It leaves the measuring CPUs alone; `ppslab run` in it waits for its turn, and then uses them.
    """
    from ppslab.measurement import turn  # noqa: PLC0415

    told = list(words or [])
    seat = os.environ.get("JUPYTERHUB_USER", "") if hub else (told.pop(0) if told else "")
    if not seat:
        raise UsageError("no seat: ppslab workshop shell seat-07, or in a JupyterHub --hub")
    command = told or [os.environ.get("SHELL", "/bin/sh")]
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"no program {command[0]}: give a path or a name in PATH")
    os.environ["PPSLAB_SEAT"] = seat
    if hub:
        _furnish(seat)
    if (workshop := turn.enter(seat)) is None:
        echo("no class is taught on this machine, so no CPU is kept for it", err=True)
    elif workshop.cpus and set(workshop.cpus) & os.sched_getaffinity(0):
        echo(f"{seat} may use no CPU but those that measure", err=True)
    os.execv(program, command)


def _furnish(seat: str) -> None:
    """Make a home that can be worked in: notebooks, records, programs, the board's seat."""
    from ppslab.course.workshop import own_seat  # noqa: PLC0415

    home = Path.home()
    _copied(paths.project_root() / "notebooks", home / "notebooks", shutil.copy2)
    # The course's own records are read where they are; the seat's lie beside the links.
    _copied(paths.results_dir(), home / "results", os.symlink)
    # A terminal of JupyterLab is a login shell.
    profile = home / ".profile"
    if not profile.exists():
        profile.write_text(PROFILE.format(programs=Path(sys.executable).parent), encoding="utf-8")
    os.environ["PPSLAB_RESULTS"] = str(home / "results")
    if board := os.environ.pop("PPSLAB_BOARD", ""):
        try:
            own_seat.take(board)
        except (ValueError, TypeError) as error:
            echo(f"{seat} tells no board: {error}", err=True)


def _copied(course: Path, mine: Path, copy: Callable[[str, str], object]) -> None:
    if course.is_dir() and not mine.exists():
        hidden = shutil.ignore_patterns(".*", "local")
        shutil.copytree(course, mine, ignore=hidden, copy_function=copy)
