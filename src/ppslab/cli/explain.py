"""`ppslab explain`: which path the packets of an export take, and the line that decides it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from ppslab.cli.printing import console
from ppslab.core import documents
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.terminal import echo
from ppslab.model.packet_path import export_files as files
from ppslab.model.packet_path import rules
from ppslab.show import explained
from rosexplain import firewall, printed, remedy, report
from rosexplain.classify import Explanation, explain, trace_packet
from rosexplain.parse import Export
from rosexplain.printed import Printed
from rosexplain.report import Answer, because, place
from rosexplain.trace import NoInterfaceError
from rosexplain.traffic import DECISIVE

COLOURS = {"yes": "green", "no": "red", "depends": "yellow", "unknown": "yellow"}
MOST_UNREAD = 20


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("explain")(explain_)


def explain_(
    exports: list[Path] = typer.Argument(
        metavar="EXPORT...",
        help="What /export of RouterOS 6 or 7 prints; several exports of one router are fine.",
    ),
    packet: str = typer.Option(
        "", help='One packet, rule by rule: "in=ether2 dst=1.1.1.1:443/tcp established".'
    ),
    print_: list[Path] = typer.Option(
        [],
        "--print",
        metavar="FILE",
        help="What the router printed, as further evidence: /ip/settings/print and so on.",
    ),
    without: list[str] = typer.Option(
        [], metavar="LINE", help="Answer as if this line were gone: 12, or FILE:12."
    ),
    hide_addresses: bool = typer.Option(
        False, "--hide-addresses", help="Strike out public addresses too."
    ),
    html: Path | None = typer.Option(
        None, metavar="FILE", help="Write the answer as a page of HTML."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Say which path each kind of packet takes through a router, and which line decides it.

    Nothing is sent anywhere.  Passwords, keys and serial numbers are struck out first.

    Exits with 0 if established TCP and UDP connections (IPv4 and IPv6, between the LAN and the
    WAN, by forwarded ports, and between networks of the LAN), what bridges forward, what tunnels,
    sessions of PPP servers and containers send through the router, and MPLS packets all take a fast
    path.  The first packets of connections, ICMP, GRE, ESP, packets for the router itself and what
    an IPsec policy encrypts do not count.

    Exits with 1 if any of those that count is dropped, does not take a fast path, or may not, also
    because the export cannot say or the running router contradicts; with 2 if a file or an option
    is wrong.
    """
    read = [files.export_of(path) for path in exports]
    printed_ = [_printed(path) for path in print_]
    commands = printed.news(read, [command for each in printed_ for command in each.commands])
    found = explain(read, rules.plain(), _lines(without, read), commands)
    found.seen = [said for each in printed_ for said in each.seen]
    answer = Answer(found, hide_addresses, [line for each in printed_ for line in each.unread])
    plain = explained.with_costs(answer.plain())
    if packet:
        plain["packet"] = _packet(found, answer, packet)
    if html:
        documents.write_atomic(html, explained.page(plain, answer))
    if as_json:
        echo(json.dumps(plain, indent=1, ensure_ascii=False))
    else:
        _show(plain)
    raise typer.Exit(0 if plain["fast"] else 1)


def _printed(path: Path) -> Printed:
    """What a router printed; UsageError where nothing of it can be read."""
    read = printed.read(documents.read_text(path), str(path))
    if read.commands or read.seen:
        return read
    why = f"{path}: it is empty"
    for line in read.unread[:1]:
        why = f"{line.file}:{line.number}: {line.begins + ': ' if line.begins else ''}{line.why}"
    raise UsageError(f"{why}; --print reads {report.READ_BACK}")


def _lines(given: list[str], exports: list[Export]) -> list[tuple[str, int]]:
    """The commands to leave out, by file and first line; UsageError where there is none."""
    found = []
    names = [export.file for export in exports]
    for word in given:
        file, _, number = word.rpartition(":")
        if not number.isdecimal() or len(number) > 9:
            raise UsageError(f"--without {word}: give a line, as 12 or FILE:12")
        if file and file not in names:
            near = did_you_mean(file, names) or f"; there is {', '.join(names)}"
            raise UsageError(f"--without {word}: {file} is none of the exports{near}")
        asked = [export for export in exports if file in ("", export.file)]
        gone = [each for export in asked for each in remedy.lines_of(export, int(number))]
        if not gone:
            where = " or ".join(export.file for export in asked)
            why = f"line {int(number)} of {where} configures nothing"
            raise UsageError(f"--without {word}: {why}; give the line of an add or a set")
        found += gone
    return found


def _packet(found: Explanation, answer: Answer, text: str) -> dict[str, Any]:
    try:
        walked = trace_packet(found, firewall.parsed(text))
    except NoInterfaceError as error:
        near = did_you_mean(error.name, error.known)
        raise UsageError(f"--packet: {error}{near}") from None
    except ValueError as error:
        raise UsageError(f"--packet: {error}") from None
    for step in walked["steps"]:
        step["line"] = answer.line(step.pop("command"))
    return {"asked": text, **walked}


def _show(plain: dict[str, Any]) -> None:
    if "packet" in plain:
        _packet_shown(plain["packet"])
    for line in report.opening(plain):
        console.print(line, markup=False)
    shown = Table(title="Which path", title_justify="left")
    for column in ("packets", "path", "line", "because"):
        shown.add_column(column, overflow="fold")
    for each in plain["classes"]:
        colour = COLOURS[each["answer"]]
        path = escape(report.paths_in_words(each["paths"], each["answer"]))
        first = each["reasons"][0] if each["reasons"] else None
        where = ", ".join(_places(first)) if first else ""
        why = escape(because(first)) if first else ""
        shown.add_row(escape(each["title"]), f"[{colour}]{path}[/]", escape(where), why)
    console.print(shown)
    for each in plain["classes"]:
        _more(each)
    for note in plain["notes"]:
        _note(note)
    for line in report.offload(plain):
        console.print(f"Switch chip: {line}", markup=False, soft_wrap=True)
    for line in report.evidence(plain):
        console.print(f"The router printed: {line}", markup=False, soft_wrap=True)
    _unread(plain["unread"])
    for line in report.defaults(plain):
        said = f"Not in the export, so the default is taken: {line}"
        console.print(said, style="dim", markup=False, soft_wrap=True)
    base = plain["rules"]
    console.print(
        f"Rules {base['version']}, read for RouterOS {base['read_for']} on {base['read']}; "
        "no router has confirmed this.",
        style="dim",
    )


def _places(reason: dict[str, Any]) -> list[str]:
    more = [f"{reason['more']} more"] if reason["more"] else []
    return [place(line) for line in reason["lines"]] + more


def _more(each: dict[str, Any]) -> None:
    """What else decides, what it costs, and what would change it."""
    paid = report.costs_in_words(each["paths"], each["costs"])
    told = each["answer"] != "yes" or each["asks"] or paid or each["changes"]
    if each["kind"] not in DECISIVE or not told:
        return
    console.print(f"\n{each['title']}", style="bold", markup=False)
    for reason in each["reasons"]:
        where = ", ".join(_places(reason))
        said = f"  {where + ': ' if where else ''}{because(reason)} [{reason['cited']}]"
        console.print(said, markup=False, soft_wrap=True)
        if reason["cost"]:
            cost = reason["cost"]
            said = f"    costs {cost['cost']} as much as without it ({cost['of']})"
            console.print(said, markup=False, soft_wrap=True)
    for line in paid:
        console.print(f"  a packet costs, {line}", markup=False, soft_wrap=True)
    for change in each["changes"]:
        for command in change["commands"]:
            console.print(f"  would change it: {command}", markup=False, soft_wrap=True)
        promised = report.promised(change)
        if promised:
            console.print(f"    {promised}", markup=False, soft_wrap=True)
        console.print(f"    you lose: {change['loses']}", markup=False, soft_wrap=True)
    for ask in report.asks(each):
        console.print(f"  ask the router: {ask}", markup=False, soft_wrap=True)


def _note(note: dict[str, Any]) -> None:
    where = ", ".join(_places(note))
    console.print(f"\nWorth knowing: {note['says']}", markup=False, soft_wrap=True)
    console.print(f"  {where} [{'; '.join(note['facts'])}]", markup=False, soft_wrap=True)
    for command in note["commands"]:
        console.print(f"  would change it: {command}", markup=False, soft_wrap=True)
    if note["loses"]:
        console.print(f"    you lose: {note['loses']}", markup=False, soft_wrap=True)
    for ask in report.asks(note):
        console.print(f"  ask the router: {ask}", markup=False, soft_wrap=True)


def _packet_shown(packet: dict[str, Any]) -> None:
    shown = Table(title=f"The packet {escape(packet['asked'])}", title_justify="left")
    for column in report.PACKET:
        shown.add_column(column, overflow="fold")
    for row in report.packet_rows(packet):
        shown.add_row(*map(escape, row))
    console.print(shown)
    for line in report.packet_end(packet):
        console.print(line, markup=False, soft_wrap=True)


def _unread(unread: list[dict[str, Any]]) -> None:
    for each in unread[:MOST_UNREAD]:
        console.print(f"Not read: {report.unread(each)}", markup=False, soft_wrap=True)
    if len(unread) > MOST_UNREAD:
        console.print(f"{len(unread) - MOST_UNREAD} more were not read; --json has all of them.")
