"""`ppslab doctor`: what this machine can do, and how to get what is missing.

With `--router`: what spoils the numbers of the router that an inventory names.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from ppslab.cli.printing import Printer, left_out
from ppslab.core.errors import PpslabError, UsageError
from ppslab.core.text.terminal import Console
from ppslab.model.lab import lab
from ppslab.model.lab.lab import Lab
from ppslab.testbed.backends.capabilities.features import remedies, report
from ppslab.testbed.backends.capabilities.guest_kernel import guest_kernel
from ppslab.testbed.backends.vm.qemu import kvm_boots
from ppslab.testbed.routers import bench_inventory
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.checks import Needs, State, check, spoiled
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.script import Statement

NO = "[red]no[/]"
ANSWERS = {True: "[green]yes[/]", False: NO, None: "[yellow]?[/]"}


def doctor(
    as_json: bool = typer.Option(False, "--json", help="Print one JSON object."),
    kvm: bool = typer.Option(
        False,
        "--kvm",
        help="Test whether KVM boots a guest (downloads a kernel; takes up to 20 s).",
    ),
    router: bool = typer.Option(
        False, "--router", help="Check a RouterOS router for settings that would spoil its numbers."
    ),
    inventory: Path = typer.Option(
        None,
        "--dut",
        metavar="FILE",
        help="With --router: the inventory with the router's address.",
    ),
    of_lab: str = typer.Option(
        None,
        "--lab",
        metavar="LAB",
        help="With --router: check that the router knows every command of this lab.",
    ),
    here: bool = typer.Option(
        None,
        "--here/--elsewhere",
        help="With --router: the router is (or is not) a CHR on this machine; default: by address.",
    ),
) -> None:
    """Check the abilities of this machine, list the backend of each lab, and show what to install.

    With --router: find settings on a RouterOS router that would spoil its numbers.
    """
    if router:
        raise typer.Exit(router_report(inventory, lab_name=of_lab, here=here, as_json=as_json))
    if any(option is not None for option in (inventory, of_lab, here)):
        raise UsageError("--dut, --lab and --here need --router")
    try:
        readable, unreadable = lab.tried()
    except PpslabError:
        readable, unreadable = [], {}  # outside a checkout the machine can still be examined
    needs = {
        each.name: frozenset[str]().union(*(one.needs for one in each.conditions.values()))
        for each in readable
    }
    code = doctor_report({**needs, **unreadable}, as_json=as_json, kvm=kvm)
    wrong = left_out(unreadable)
    raise typer.Exit(code or wrong)


def doctor_report(
    labs: Mapping[str, frozenset[str] | PpslabError],
    *,
    as_json: bool = False,
    kvm: bool = False,
    console: Console | None = None,
) -> int:
    """Print the report; 0 if at least one backend works here, else 3."""
    console = console or Printer()
    if kvm:
        note = Console(stderr=True)
        kvm_boots(guest_kernel(note.print), note.print)
    facts = report(labs)
    works = any(backend["usable"] for backend in facts["backends"])
    if as_json:
        console.print_json(json.dumps(facts), indent=1)
    else:
        for table in _tables(facts):
            console.print(table)
    return 0 if works else 3


def _tables(facts: Mapping[str, Any]) -> Iterator[Table]:
    machine, plan = facts["machine"], facts["machine"]["cpu_plan"]
    threads = len(machine["cpu_siblings"])
    router = "coupled with it" if plan["coupled"] else f"CPU {plan['router']} routes"
    yield _table(
        "This machine",
        (),
        ("system", f"{machine['system']}, kernel {machine['kernel']}, {machine['architecture']}"),
        (
            "CPUs",
            f"{len(machine['cpus_allowed'])} of {machine['cpus_online']}"
            + (f", {threads} of them hyper-threads" if threads else ""),
        ),
        ("CPU", machine["cpu"]),
        ("plan", f"CPU {plan['sender']} sends, {router}, CPU {plan['reader']} reads"),
        ("memory", f"{machine['memory_bytes'] / 2**30:.1f} GiB"),
        ("CPU steal", f"{machine['steal_share']:.1%} just now"),
        ("user", "root" if machine["root"] else "not root: user namespaces, if allowed"),
        ("Python", machine["python"]),
    )
    guest = {feature["name"]: feature["present"] for feature in facts["guest"] or ()}
    features = _table(
        "Kernel features (each tested)",
        ("feature", "here", "in the guest", "use, or reason"),
        *(
            (
                feature["name"],
                ANSWERS[feature["present"]],
                ANSWERS[guest.get(feature["name"])],
                feature["meaning"] if feature["present"] else escape(feature["why"]),
            )
            for feature in facts["features"]
        ),
    )
    if not guest:
        features.caption = "in the guest: tested when the vm backend first boots this guest kernel"
    yield features
    kvm = facts["kvm"]
    yield _table(
        "Programs and devices",
        ("name", "here", "version, or reason"),
        *((t["name"], ANSWERS[t["present"]], escape(t["detail"])) for t in facts["tools"]),
        ("KVM boots a guest", ANSWERS[kvm["boots"]], escape(kvm["why"])),
    )
    yield _table(
        "Backends",
        ("backend", "usable", "why"),
        *((b["backend"], ANSWERS[b["usable"]], escape(b["why"])) for b in facts["backends"]),
    )
    if facts["labs"]:
        yield _table(
            "Labs",
            ("lab", "uses", "because"),
            *((lab["name"], lab["backend"] or NO, escape(lab["reason"])) for lab in facts["labs"]),
        )
    if missing := remedies(facts):
        yield _table(
            "Missing parts",
            ("missing", "remedy"),
            *((", ".join(names), escape(command)) for command, names in missing.items()),
        )


def _table(title: str, header: tuple[str, ...], *rows: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_header=bool(header))
    for column in header:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


STATES: dict[State, str] = {
    "ok": "[green]ok[/]",
    "spoils": "[red]spoils[/]",
    "warns": "[yellow]warns[/]",
    "unknown": "[yellow]?[/]",
}

SILENT = "check the url in {}, and /ip/service on the router: http is www, https is www-ssl"


def router_report(
    inventory: Path | None,
    *,
    lab_name: str | None = None,
    here: bool | None = None,
    as_json: bool = False,
    console: Console | None = None,
) -> int:
    """Print the findings; 0 where nothing spoils a number, else 1.  The router is not changed.

    `here`: whether the router is a virtual machine of this machine; None: what its address says.
    UsageError without an inventory, or where the router lets nobody in; CannotHereError where
    nobody answers.
    """
    if inventory is None:
        raise UsageError(
            "--router needs the inventory of a RouterOS router: --dut FILE "
            "(book/bring-your-router.md has an example of such a file)"
        )
    router = bench_inventory.load(inventory)
    needs = Needs(
        here=_is_here(router.host) if here is None else here,
        statements=_statements(lab.find(lab_name)) if lab_name else (),
    )
    api = Api(router.device, remedy=SILENT.format(inventory), login=router.remedy)
    try:
        findings = check(api, needs)
    finally:
        api.close()
    console = console or Printer()
    if as_json:
        console.print_json(json.dumps([asdict(finding) for finding in findings]), indent=1)
    else:
        rows = ((each.name, STATES[each.state], escape(each.said)) for each in findings)
        header = ("check", "state", "finding")
        console.print(_table(f"Router {escape(router.host)}", header, *rows))
        for finding in findings:
            if finding.remedy and finding.state != "ok":
                # On one line, so that a command can be copied.
                line = f"{finding.name}: {finding.remedy}"
                console.print(line, markup=False, soft_wrap=True)
    return 1 if spoiled(findings) else 0


def _statements(of: Lab) -> list[Statement]:
    """Parse the RouterOS files of the lab's conditions, each once."""
    files = {file: None for each in of.conditions.values() for file in of.routeros(each)}
    return [
        statement
        for file in files
        for statement in script.read(of.folder / file, f"{of.name}/{file}")
    ]


def _is_here(host: str) -> bool | None:
    """True for an address of this machine itself; None: where that address is, is unknown."""
    try:
        addresses = {info[4][0] for info in socket.getaddrinfo(host, None)}
        return True if all(ipaddress.ip_address(each).is_loopback for each in addresses) else None
    except (OSError, ValueError):
        return None
