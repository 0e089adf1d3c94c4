"""`ppslab doctor`: what this machine can do, and how to get what is missing.

With `--router`: what spoils the numbers of the router that an inventory names.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Mapping
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
from ppslab.testbed.routers.bench_inventory import BenchInventory
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.checks import Finding, Needs, State, check, spoiled
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.script import Statement

YES, NO, UNKNOWN = "[green]yes[/]", "[red]no[/]", "[yellow]?[/]"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("doctor")(doctor)


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
        for table in (_machine(facts), _features(facts), _tools(facts), _backends(facts)):
            console.print(table)
        if facts["labs"]:
            console.print(_labs(facts))
        packages = remedies(facts)
        if packages:
            console.print(_remedies(packages))
    return 0 if works else 3


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_header=bool(columns))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _machine(found: Mapping[str, Any]) -> Table:
    facts, plan = found["machine"], found["machine"]["cpu_plan"]
    table = _table("This machine")
    table.add_row("system", f"{facts['system']}, kernel {facts['kernel']}, {facts['architecture']}")
    smt = f", {len(facts['cpu_siblings'])} of them hyper-threads" if facts["cpu_siblings"] else ""
    table.add_row("CPUs", f"{len(facts['cpus_allowed'])} of {facts['cpus_online']}{smt}")
    table.add_row("CPU", facts["cpu"])
    router = "coupled with it" if plan["coupled"] else f"CPU {plan['router']} routes"
    table.add_row("plan", f"CPU {plan['sender']} sends, {router}, CPU {plan['reader']} reads")
    table.add_row("memory", f"{facts['memory_bytes'] / 2**30:.1f} GiB")
    table.add_row("CPU steal", f"{facts['steal_share']:.1%} just now")
    table.add_row("user", "root" if facts["root"] else "not root: user namespaces, if allowed")
    table.add_row("Python", facts["python"])
    return table


def _features(facts: Mapping[str, Any]) -> Table:
    guest = {feature["name"]: feature for feature in facts["guest"] or ()}
    table = _table(
        "Kernel features (each tested)", "feature", "here", "in the guest", "use, or reason"
    )
    for feature in facts["features"]:
        inside = guest.get(feature["name"])
        table.add_row(
            feature["name"],
            YES if feature["present"] else NO,
            UNKNOWN if inside is None else YES if inside["present"] else NO,
            feature["meaning"] if feature["present"] else _plain(feature["why"]),
        )
    if not guest:
        table.caption = "in the guest: tested when the vm backend first boots this guest kernel"
    return table


def _tools(facts: Mapping[str, Any]) -> Table:
    table = _table("Programs and devices", "name", "here", "version, or reason")
    for tool in facts["tools"]:
        table.add_row(tool["name"], YES if tool["present"] else NO, _plain(tool["detail"]))
    answer = facts["kvm"]
    boots = {True: YES, False: NO, None: UNKNOWN}[answer["boots"]]
    table.add_row("KVM boots a guest", boots, _plain(answer["why"]))
    return table


def _backends(facts: Mapping[str, Any]) -> Table:
    table = _table("Backends", "backend", "usable", "why")
    for backend in facts["backends"]:
        table.add_row(backend["backend"], YES if backend["usable"] else NO, _plain(backend["why"]))
    return table


def _labs(facts: Mapping[str, Any]) -> Table:
    table = _table("Labs", "lab", "uses", "because")
    for row in facts["labs"]:
        table.add_row(row["name"], row["backend"] or NO, _plain(row["reason"]))
    return table


def _remedies(wanted: Mapping[str, list[str]]) -> Table:
    table = _table("Missing parts", "missing", "remedy")
    for command, names in wanted.items():
        table.add_row(", ".join(names), _plain(command))
    return table


def _plain(text: str) -> str:
    """Text from elsewhere: its square brackets are not rich markup."""
    return escape(text)


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
        console.print(_router_table(router, findings))
        for finding in findings:
            if finding.remedy and finding.state != "ok":
                _router_remedy(console, finding)
    return 1 if spoiled(findings) else 0


def _statements(of: Lab) -> list[Statement]:
    """What the lab's conditions configure on the router, each file once."""
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


def _router_table(router: BenchInventory, findings: list[Finding]) -> Table:
    table = Table(title=f"Router {escape(router.host)}", title_justify="left", title_style="bold")
    for column in ("check", "state", "finding"):
        table.add_column(column, overflow="fold")
    for finding in findings:
        table.add_row(finding.name, STATES[finding.state], escape(finding.said))
    return table


def _router_remedy(console: Console, finding: Finding) -> None:
    """On one line, so that a command can be copied."""
    line = f"{finding.name}: {finding.remedy}"
    console.print(line, markup=False, soft_wrap=True)
