"""The command line `ppslab`.

Exit codes: 0 done; 1 a check or claim failed; 2 wrong usage or bad file; 3 this machine cannot.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

from ppslab.core import credentials
from ppslab.core.errors import CannotHereError, PpslabError, UsageError, shortened
from ppslab.core.text.terminal import Console, echo, prepare, printable
from ppslab.core.version import VERSION
from ppslab.testbed.backends import registry

errors = Console(stderr=True, soft_wrap=True)

COMMANDS = {
    "doctor": "doctor:doctor",
    "labs": "labs:list_labs",
    "up": "labs:up",
    "shell": "labs:open_shell",
    "exec": "labs:execute",
    "down": "labs:down",
    "status": "labs:status",
    "new-lab": "labs:new_lab",
    "run": "measuring.run:run_lab",
    "rfc2544": "measuring.rfc2544:rfc2544",
    "tcp": "measuring.tcp:tcp",
    "profile": "measuring.profile:profile",
    "calibrate": "measuring.instrument:calibrate_tester",
    "report": "records:make_report",
    "compare": "records:compare",
    "claims": "claims:show_claims",
    "validate": "validate:validate",
    "break": "measuring.instrument:break_instrument",
    "overhead": "planning.overhead:overhead",
    "plan": "planning:plan",
    "fast": "fast:fast",
    "explain": "explain:explain_",
    "progress": "task:show_progress",
    "task": "task:task",
    "translate": "translate:translate",
}
"""The commands of this room: module and function, or group of commands.  All modules take a second
of CPU to import, which is far more than most commands need, so a command's line imports its own.
"""

# Everything after NODE belongs to the node's command, with its dashes.
SETTINGS = {"exec": {"allow_interspersed_args": False}}

ADDED = "ppslab.commands"
"""The entry points by which another package adds commands: a name, and its `register(app)`."""

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""A disk that is full, read-only or broken: standard output's, or that of a file of ours."""


class _StoppedError(Exception):
    """A command was stopped: its cause is the KeyboardInterrupt."""


class _Commands(TyperGroup):
    """Typer takes a KeyboardInterrupt for an exit with 130, and tells nobody (0.29)."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; _StoppedError where Ctrl-C or SIGTERM stopped it."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            raise _StoppedError from stopped


def application(words: Sequence[str] = ()) -> typer.Typer:
    """`ppslab` with the command that `words` begin with; with all of them where that is none."""
    app = typer.Typer(
        cls=_Commands,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="Measure how fast a router forwards packets, and judge published claims.",
    )
    app.callback(invoke_without_command=True)(root)
    name = words[0] if words else ""
    added = [] if name in COMMANDS else sorted(entry_points(group=ADDED))
    foreign = [each for each in added if each.name == name]
    for each in [name] if name in COMMANDS else [] if foreign else COMMANDS:
        add(app, each)
    for entry in foreign or added:
        entry.load()(app)
    return app


def add(app: typer.Typer, name: str) -> None:
    """Import a command of this room, and add it to an application."""
    module, _, attribute = COMMANDS[name].partition(":")
    command = getattr(import_module(f"{__name__}.{module}"), attribute)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name, context_settings=SETTINGS.get(name))(command)


def __getattr__(name: str) -> Any:
    """`app`, with all commands, for a program that calls several."""
    if name == "app":
        return application()
    raise AttributeError(f"module {__name__} has no attribute {name}")


def root(
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    """Remove the leftovers of a killed command before anything else."""
    if version:
        echo(VERSION)
        raise typer.Exit
    registry.sweep()


def _terminate(_number: int, _frame: FrameType | None) -> None:
    """Treat SIGTERM as Ctrl-C: the same unwinding, nothing left behind."""
    raise KeyboardInterrupt


def _run() -> int:
    """Run the command, whose usage errors quote the words that were typed; its exit code."""
    try:
        command = application(sys.argv[1:])
        # Until here a signal ended it at once (start.py): in the middle of an import there may be
        # nobody to unwind, and Python would only say that it ignored the exception.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, _terminate)
        return int(command(standalone_mode=False) or 0)
    except typer.TyperException as error:
        error.message = printable(shortened(error.message, 2000))
        shown: Any = error  # what is raised has show(), which prints the command's usage too
        shown.show()
        return error.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None


def main() -> None:
    """Run the command; every foreseen failure is one message and its exit code."""
    credentials.keep()
    prepare()
    try:
        code = _run()
        sys.stdout.flush()  # here, where its failure has a message
        sys.exit(code)
    except PpslabError as error:
        errors.print(f"ppslab: {error}", style="red", markup=False)
        _print_notes(error)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno == errno.EPIPE:
            _discard_output()  # who read it has read enough, as `head` has
            sys.exit(1)
        if error.errno in UNWRITABLE:
            _discard_output()
            what = shortened(str(error.filename)) if error.filename else "the output"
            errors.print(
                f"ppslab: {what} cannot be written: {error.strerror}; "
                "free some space there, or write the output elsewhere",
                style="red",
                markup=False,
            )
            sys.exit(CannotHereError.exit_code)
        # Asking whether there is such a file is enough for this one.
        if error.errno != errno.ENAMETOOLONG:
            raise
        name = shortened(str(error.filename))
        errors.print(f"ppslab: {name}: the name is too long for a file", style="red", markup=False)
        sys.exit(UsageError.exit_code)
    except (_StoppedError, KeyboardInterrupt) as stopped:
        errors.print(
            "ppslab: stopped; ppslab has removed everything that it started", style="yellow"
        )
        _print_notes(stopped.__cause__ or stopped)
        sys.exit(130)


def _discard_output() -> None:
    """Discard what waits for standard output: Python would try again at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _print_notes(error: BaseException) -> None:
    """Print an error's notes: where its record is, what to do next."""
    for note in getattr(error, "__notes__", ()):
        if note not in str(error):
            errors.print(note, style="yellow", markup=False, soft_wrap=True)
