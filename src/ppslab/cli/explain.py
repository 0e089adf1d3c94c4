"""`ppslab explain`: which path the packets of an export take, and the line that decides it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from ppslab.base import documents
from ppslab.base.errors import UsageError
from ppslab.base.text.terminal import echo
from ppslab.cli.printing import console
from ppslab.presentation import explained
from ppslab.theory.packet_path import rules
from ppslab.theory.packet_path.explain import answering, one_packet, packets
from ppslab.theory.packet_path.explain.answering import Answer, because, place
from ppslab.theory.packet_path.explain.asking import Explained, explain
from ppslab.theory.packet_path.explain.traffic import DECISIVE
from ppslab.theory.packet_path.exports import files, printed
from ppslab.theory.packet_path.exports.reading import Command

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
        [], "--print", metavar="FILE", help="What the router printed, as further evidence."
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
    Exits with 0 where all forwarded packets take a fast path, with 1 where some do not, or may not.
    """
    read = [files.export_of(path) for path in exports]
    commands, seen = _evidence(print_)
    found = explain(read, rules.plain(), _lines(without, exports), commands)
    found.seen = seen
    answer = Answer(found, hide_addresses)
    plain = explained.with_costs(answer.plain())
    if packet:
        plain["packet"] = _packet(found, answer, packet)
    if html:
        documents.write_atomic(html, explained.page(plain, answer))
    if as_json:
        echo(json.dumps(plain, indent=1, ensure_ascii=False))
    else:
        _show(plain)
    raise typer.Exit(0 if found.fast else 1)


def _evidence(files_: list[Path]) -> tuple[list[Command], list[dict[str, Any]]]:
    commands: list[Command] = []
    seen: list[dict[str, Any]] = []
    for path in files_:
        more, said = printed.read(documents.read_text(path), str(path))
        if not more and not said:
            raise UsageError(
                f"{path}: no output that ppslab knows; it reads /ip/settings/print, "
                "/interface/bridge/settings/print, /tool/sniffer/print, "
                "/ip/firewall/connection/print count-only and /tool/profile"
            )
        commands += more
        seen += said
    return commands, seen


def _lines(words: list[str], exports: list[Path]) -> list[tuple[str, int]]:
    found = []
    for word in words:
        file, _, number = word.rpartition(":")
        if not number.isdecimal() or len(number) > 9:
            raise UsageError(f"--without {word}: give a line, as 12 or FILE:12")
        found += [(str(path), int(number)) for path in exports if file in ("", str(path))]
    return found


def _packet(found: Explained, answer: Answer, text: str) -> dict[str, Any]:
    try:
        asked = packets.parsed(text)
    except ValueError as error:
        raise UsageError(f"--packet: {error}") from None
    walked = one_packet.walked(found.net, asked)
    for step in walked["steps"]:
        step["line"] = answer.line(step.pop("command"))
    return {"asked": text, **walked}


def _show(plain: dict[str, Any]) -> None:
    for line in answering.opening(plain):
        console.print(line, markup=False)
    shown = Table(title="Which path", title_justify="left")
    for column in ("packets", "path", "line", "because"):
        shown.add_column(column, overflow="fold")
    for each in plain["classes"]:
        colour = COLOURS[each["answer"]]
        path = escape(answering.paths_in_words(each["paths"], each["answer"]))
        first = each["reasons"][0] if each["reasons"] else None
        where = ", ".join(_places(first)) if first else ""
        why = escape(because(first)) if first else ""
        shown.add_row(escape(each["title"]), f"[{colour}]{path}[/]", escape(where), why)
    console.print(shown)
    for each in plain["classes"]:
        _more(each)
    for note in plain["notes"]:
        _note(note)
    for each in plain["offload"]:
        where = ", ".join(place(line) for line in each["lines"]) or "the export"
        console.print(f"Switch chip: {where}: {each['says']}", markup=False, soft_wrap=True)
    _evidence_shown(plain["evidence"])
    if "packet" in plain:
        _packet_shown(plain["packet"])
    _unread(plain["unread"])
    defaults = ", ".join(f"{d['menu']} {d['property']}={d['value']}" for d in plain["defaults"])
    if defaults:
        console.print(
            f"Not in the export, so RouterOS's defaults are assumed: {defaults}", style="dim"
        )
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
    paid = answering.costs_in_words(each["paths"], each["costs"])
    if each["kind"] not in DECISIVE or (each["answer"] == "yes" and not each["asks"] + paid):
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
        promised = answering.promised(change)
        if promised:
            console.print(f"    {promised}", markup=False, soft_wrap=True)
        console.print(f"    you lose: {change['loses']}", markup=False, soft_wrap=True)
    if each["together"]:
        said = answering.promised(each["together"])
        console.print(f"  with all of these {said}", markup=False, soft_wrap=True)
    for ask in each["asks"]:
        console.print(f"  ask the router: {ask}", markup=False, soft_wrap=True)


def _note(note: dict[str, Any]) -> None:
    where = ", ".join(_places(note))
    console.print(f"\nWorth knowing: {note['says']}", markup=False, soft_wrap=True)
    console.print(f"  {where} [{'; '.join(note['facts'])}]", markup=False, soft_wrap=True)
    for command in note["commands"]:
        console.print(f"  would change it: {command}", markup=False, soft_wrap=True)
    if note["loses"]:
        console.print(f"    you lose: {note['loses']}", markup=False, soft_wrap=True)


def _evidence_shown(seen: list[dict[str, Any]]) -> None:
    for each in seen:
        console.print(f"The router printed: {each['what']}: {each['value']}", markup=False)


def _packet_shown(packet: dict[str, Any]) -> None:
    shown = Table(title=f"The packet {escape(packet['asked'])}", title_justify="left")
    for column in ("rule", "chain", "matches", "action", "why"):
        shown.add_column(column, overflow="fold")
    for step in packet["steps"]:
        chain = f"{step['table']} {step['chain']}"
        matches = step["verdict"] if step["sure"] else f"{step['verdict']}, if it gets here"
        why = escape(", ".join(step["why"]))
        shown.add_row(escape(place(step["line"])), escape(chain), matches, step["action"], why)
    console.print(shown)
    if packet["left"]:
        console.print(f"{packet['left']} more rules are not shown.")
    end = packet["ended"]
    console.print(
        f"The packet ends with: {end}. Fast-tracked: {packet['fasttrack']}.", markup=False
    )


def _unread(unread: list[dict[str, Any]]) -> None:
    for each in unread[:MOST_UNREAD]:
        said = f"Not read: {each['file']}:{each['line']} {each['begins']}: {each['why']}"
        console.print(said, markup=False, soft_wrap=True)
    if len(unread) > MOST_UNREAD:
        console.print(f"{len(unread) - MOST_UNREAD} more were not read; --json has all of them.")
