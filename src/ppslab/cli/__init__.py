"""The command line `ppslab`.

Exit codes: 0 done; 1 a check or claim failed; 2 wrong usage or bad file; 3 this machine cannot.
"""

from __future__ import annotations

import signal
import sys
from types import FrameType

import typer
from rich.console import Console

import ppslab
from ppslab import credentials
from ppslab.backends import registry
from ppslab.cli import (
    calibrate,
    claims,
    compare,
    doctor,
    faults,
    kube,
    labs,
    measure,
    overhead,
    plan,
    profile,
    progress,
    report,
    rfc2544,
    task,
    tcp,
    validate,
)
from ppslab.errors import PpslabError

errors = Console(stderr=True, highlight=False, soft_wrap=True)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Measure how fast a router forwards packets, and judge what was published.",
)
doctor.register(app)
labs.register(app)
measure.register(app)
rfc2544.register(app)
tcp.register(app)
profile.register(app)
calibrate.register(app)
report.register(app)
compare.register(app)
claims.register(app)
validate.register(app)
faults.register(app)
overhead.register(app)
plan.register(app)
kube.register(app)
progress.register(app)
task.register(app)


@app.callback(invoke_without_command=True)
def root(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    """Find and remove what a killed command left, before anything else."""
    if version:
        typer.echo(ppslab.__version__)
        raise typer.Exit
    registry.sweep()


def _terminate(_number: int, _frame: FrameType | None) -> None:
    """Treat SIGTERM as Ctrl-C: the same unwinding, nothing left behind."""
    raise KeyboardInterrupt


def main() -> None:
    """Run the command; every foreseen failure is one message and its exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    credentials.keep()
    try:
        app(standalone_mode=True)
    except PpslabError as error:
        errors.print(f"ppslab: {error}", style="red", markup=False)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        errors.print("ppslab: stopped; everything that was started is removed", style="yellow")
        sys.exit(130)
