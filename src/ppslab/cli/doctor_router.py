"""`ppslab doctor --router`: what spoils the numbers of the router that an inventory names."""

from __future__ import annotations

import ipaddress
import json
import socket
from dataclasses import asdict
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from ppslab.cli.printing import Printer
from ppslab.core.errors import UsageError
from ppslab.core.text.terminal import Console
from ppslab.model.lab import lab
from ppslab.model.lab.lab import Lab
from ppslab.testbed.routers import bench_inventory
from ppslab.testbed.routers.bench_inventory import BenchInventory
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.checks import Finding, Needs, State, check, spoiled
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.statement import Statement

SHOWN: dict[State, str] = {
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
    generator: bool = False,
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
            "--router checks a RouterOS router: name it with --dut FILE "
            "(book/bring-your-router.md has an example of such a file)"
        )
    router = bench_inventory.load(inventory)
    needs = Needs(
        generator=generator,
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
        console.print(_table(router, findings))
        for finding in findings:
            if finding.remedy and finding.state != "ok":
                _remedy(console, finding)
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


def _table(router: BenchInventory, findings: list[Finding]) -> Table:
    table = Table(title=f"Router {escape(router.host)}", title_justify="left", title_style="bold")
    for column in ("check", "state", "what the router says"):
        table.add_column(column, overflow="fold")
    for finding in findings:
        table.add_row(finding.name, SHOWN[finding.state], escape(finding.said))
    return table


def _remedy(console: Console, finding: Finding) -> None:
    """On one line, so that a command can be copied."""
    line = f"{finding.name}: {finding.remedy}"
    console.print(line, markup=False, soft_wrap=True)
