"""`ppslab explain`: the path of an export's packets, and the line that decides it."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import typer

from ppslab.cli.printing import console
from ppslab.core.errors import UsageError
from ppslab.core.text.terminal import echo
from ppslab.show import explained
from rosexplain import __main__ as command
from rosexplain.base import uncollected


@uncollected()
def explain_(
    exports: list[Path] = typer.Argument(
        metavar="EXPORT...",
        help="The output of /export from RouterOS 6 or 7. Two exports are compared: the router "
        "before a change and after it.",
    ),
    change: str = typer.Option(
        "",
        "--try",
        metavar="COMMANDS",
        help="Show what RouterOS commands would change, one a line or behind a semicolon; @FILE "
        "reads them from a file.",
    ),
    parts: bool = typer.Option(False, "--parts", help="Several exports are parts of one router's."),
    packet: str = typer.Option(
        "", help='Follow one packet, rule by rule: "in=ether2 dst=1.1.1.1:443/tcp established".'
    ),
    print_: list[Path] = typer.Option(
        [],
        "--print",
        metavar="FILE",
        help="Output of the running router as additional evidence, such as /ip/settings/print.",
    ),
    without: list[str] = typer.Option(
        [], metavar="LINE", help="Ignore this line of the export: 12, or FILE:12."
    ),
    share: bool = typer.Option(
        False,
        "--share",
        help="Replace names, public addresses and hardware addresses, to show the answer to "
        "others.",
    ),
    svg: Path | None = typer.Option(
        None, metavar="FILE", help="Draw the path of the most important packets."
    ),
    whole: bool = typer.Option(False, "--all", help="Print every class of packets, with sources."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Show the path of each class of packets through a router, and the line that decides it.

    The answer starts with the most important finding and at most three changes.  Each change has
    its commands, its price, and the commands that undo it.  --all prints everything.

    No data leaves this machine.  Passwords, keys, serial numbers, comments and other free text are
    masked first.  Your own names are shown; --share replaces them, in the text, in --json and in
    --svg.

    Below the changes stands what else the export shows, such as rules that no packet reaches.

    With --try, or with two exports, the answer is what the change makes faster and slower, what
    is lost by it (guards, encryption, NAT, limits), and what stays the same.  No router is changed.

    Exit code 0: there is nothing to do.  Exit code 1: there is something to do, or the router's
    output contradicts the answer; changes that are optional, or that take away what you may want
    to keep, do not count.  Of a change that is tried, 1: something gets slower or is lost, else 0.
    Exit code 2: a file or an option is wrong.
    """
    options = Namespace(
        exports=exports, change=change, parts=parts, packet=packet, prints=print_, without=without,
        share=share, whole=whole, json=as_json, svg=svg,
        name="ppslab",
    )  # fmt: skip
    try:
        plain = command.answered(options, explained.with_costs, explained.published())
    except command.WrongError as error:
        raise UsageError(str(error)) from None
    for row in command.shown(plain, options):
        if as_json:
            echo(row)
        else:
            console.print(row, markup=False, soft_wrap=True)
    raise typer.Exit(command.exit_code(plain))
