"""`ppslab explain`: the path of an export's packets, and the line that decides it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import typer

from ppslab.cli.printing import console
from ppslab.core import documents
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.terminal import echo
from ppslab.model.packet_path import export_files as files
from ppslab.show import explained
from rosexplain import Export, printed, remedy, report, text, tried
from rosexplain.base import LONG, uncollected
from rosexplain.base import base as rule_base
from rosexplain.interfaces import NoInterfaceError
from rosexplain.printed import Printed
from rosexplain.report import Answer
from rosexplain.summary import asks_for_change, summary


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
    hide_addresses: bool = typer.Option(
        False, "--hide-addresses", help="Mask public addresses too."
    ),
    share: bool = typer.Option(
        False,
        "--share",
        help="Replace names, public addresses and hardware addresses, to show the answer to "
        "others.",
    ),
    html: Path | None = typer.Option(
        None, metavar="FILE", help="Write the answer as an HTML page."
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
    --html.

    Below the changes stands what else the export shows, such as rules that no packet reaches.

    With --try, or with two exports, the answer is what the change makes faster and slower, what
    is lost by it (guards, encryption, NAT, limits), and what stays the same.  No router is changed.

    Exit code 0: there is nothing to do.  Exit code 1: there is something to do, or the router's
    output contradicts the answer; changes that are optional, or that take away what you may want
    to keep, do not count.  Of a change that is tried, 1: something gets slower or is lost, else 0.
    Exit code 2: a file or an option is wrong.
    """
    read = [files.export_of(path) for path in exports]
    count = sum(len(export.commands) for export in read)
    if count > LONG:
        echo(f"ppslab: a long export, {count} commands: please wait", err=True)
    outputs = [_printed(path) for path in print_]
    gone = _lines(without, read)
    if change or (len(read) > 1 and not parts):
        if packet or html or svg:
            raise UsageError("a comparison takes no --packet, no --html and no --svg")
        try:
            plain = tried.comparison(
                read, change, _text, rule_base(), gone, outputs, share, hide_addresses
            )
        except ValueError as error:
            raise UsageError(str(error)) from None
        if as_json:
            echo(json.dumps(plain, indent=1, ensure_ascii=False))
        else:
            _print(text.tried(plain, _width()))
        raise typer.Exit(1 if plain["worse"] else 0)
    answer = report.answered(read, outputs, gone, rule_base(), share, hide_addresses)
    plain = explained.with_costs(answer.plain())
    if packet:
        plain["packet"] = _packet(answer, packet)
    plain["summary"] = summary(report.named(plain), explained.published())
    if svg:
        drawn = report.picture(report.named(plain), plain["summary"]["class"])
        if not drawn:
            raise UsageError(f"--svg {svg}: {report.NO_PICTURE}")
        documents.write_atomic(svg, drawn + "\n")
    if html:
        documents.write_atomic(html, explained.page(plain, answer))
    if as_json:
        echo(json.dumps(plain, indent=1, ensure_ascii=False))
    else:
        _show(plain, whole)
    raise typer.Exit(1 if asks_for_change(plain) else 0)


def _text(path: str) -> str:
    return documents.read_text(Path(path))


def _printed(path: Path) -> Printed:
    """A router's output; UsageError where nothing of it can be read."""
    output = printed.read(documents.read_text(path), str(path))
    if output.commands or output.seen:
        return output
    why = f"{path}: it is empty"
    for line in output.unread[:1]:
        why = f"{line.file}:{line.number}: {line.begins + ': ' if line.begins else ''}{line.why}"
    raise UsageError(f"{why}; --print reads {report.READ_BACK}")


def _lines(words: list[str], exports: list[Export]) -> list[tuple[str, int]]:
    """The commands to leave out, by file and first line; UsageError where there is none."""
    lines = []
    names = [export.file for export in exports]
    for word in words:
        file, _, number = word.rpartition(":")
        if not number.isdecimal() or len(number) > 9:
            raise UsageError(f"--without {word}: give a line, such as 12 or FILE:12")
        if file and file not in names:
            near = did_you_mean(file, names) or f"; there is {', '.join(names)}"
            raise UsageError(f"--without {word}: {file} is not one of the exports{near}")
        asked = [export for export in exports if file in ("", export.file)]
        gone = [line for export in asked for line in remedy.lines_of(export, int(number))]
        if not gone:
            where = " or ".join(export.file for export in asked)
            why = f"line {int(number)} of {where} has no setting"
            raise UsageError(f"--without {word}: {why}; give the line of an add or a set")
        lines += gone
    return lines


def _packet(answer: Answer, asked: str) -> dict[str, Any]:
    try:
        return answer.traced(asked)
    except NoInterfaceError as error:
        near = did_you_mean(error.name, error.known)
        raise UsageError(f"--packet: {error}{near}") from None
    except ValueError as error:
        raise UsageError(f"--packet: {error}") from None


def _show(plain: dict[str, Any], whole: bool) -> None:
    _print(text.answered(plain, plain["summary"], _width(), whole))


def _width() -> int:
    """The columns of the window, or those that COLUMNS says."""
    return shutil.get_terminal_size((text.WIDTH, 24)).columns


def _print(rows: list[str]) -> None:
    for row in rows:
        console.print(row, markup=False, soft_wrap=True)
