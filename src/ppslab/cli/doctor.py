"""`ppslab doctor`: what this machine can do, and how to get what is missing.

With `--router`: what spoils the numbers of the router that an inventory names.
"""

from __future__ import annotations

import ipaddress
import os
import platform
import socket
from collections.abc import Mapping
from pathlib import Path

import typer
from rich.markup import escape
from rich.table import Table

from ppslab.cli.printing import Printer, left_out
from ppslab.core.errors import CannotHereError, PpslabError, UsageError
from ppslab.core.text.terminal import Console
from ppslab.model.lab import lab
from ppslab.model.lab.lab import Lab
from ppslab.testbed.backends.capabilities import features, tools
from ppslab.testbed.backends.capabilities.cpus import cpu_facts, cpu_plan, steal_share
from ppslab.testbed.backends.capabilities.features import Feature
from ppslab.testbed.backends.capabilities.guest_kernel import guest_kernel
from ppslab.testbed.backends.capabilities.tools import KvmAnswer, Tool
from ppslab.testbed.backends.vm.qemu import kvm_boots
from ppslab.testbed.routers import bench_inventory
from ppslab.testbed.routers.routeros.api import Api
from ppslab.testbed.routers.routeros.checks import Needs, State, check, spoiled
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.script import Statement

NO = "[red]no[/]"
ANSWERS = {True: "[green]yes[/]", False: NO, None: "[yellow]?[/]"}


def doctor(
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
        raise typer.Exit(router_report(inventory, lab_name=of_lab, here=here))
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
    code = doctor_report({**needs, **unreadable}, kvm=kvm)
    wrong = left_out(unreadable)
    raise typer.Exit(code or wrong)


def doctor_report(
    labs: Mapping[str, frozenset[str] | PpslabError],
    *,
    kvm: bool = False,
    console: Console | None = None,
) -> int:
    """Print the machine, its features and tools, and the backend of each lab.

    `labs`: name to all that its conditions need, or to what is wrong with its file.  Returns 0 if
    at least one backend works here, else 3.
    """
    console = console or Printer()
    if kvm:
        note = Console(stderr=True)
        kvm_boots(guest_kernel(note.print), note.print)
    backends = [features.usable(name) for name in features.BACKENDS if name != "auto"]
    found = (*tools.vm_tools(), *tools.containerlab_tools())
    console.print(_machine())
    console.print(_features())
    answer = tools.known()
    boots = answer or KvmAnswer(None, "/dev/kvm opens; not tried yet: ppslab doctor --kvm")
    programs = [
        *((tool.name, ANSWERS[tool.present], escape(tool.detail)) for tool in found),
        ("KVM boots a guest", ANSWERS[boots.boots], escape(boots.why)),
    ]
    console.print(_table("Programs and devices", ("name", "here", "version, or reason"), *programs))
    states = ((each.backend, ANSWERS[each.usable], escape(each.why)) for each in backends)
    console.print(_table("Backends", ("backend", "usable", "why"), *states))
    if labs:
        rows = (_lab(name, needs) for name, needs in sorted(labs.items()))
        console.print(_table("Labs", ("lab", "uses", "because"), *rows))
    missing: dict[str, list[str]] = {}
    things: list[Feature | Tool] = [*features.host_features().values(), *found]
    for thing in things:
        if not thing.present and thing.remedy:
            missing.setdefault(thing.remedy, []).append(thing.name)
    if missing:
        lines = ((", ".join(names), escape(command)) for command, names in missing.items())
        console.print(_table("Missing parts", ("missing", "remedy"), *lines))
    return 0 if any(each.usable for each in backends) else 3


def _machine() -> Table:
    facts, plan = cpu_facts(), cpu_plan()
    try:
        system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        system = platform.system()
    threads = f", {len(facts.siblings)} of them hyper-threads" if facts.siblings else ""
    router = "coupled with it" if plan.coupled else f"CPU {plan.router} routes"
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return _table(
        "This machine",
        (),
        ("system", f"{system}, kernel {platform.release()}, {platform.machine()}"),
        ("CPUs", f"{len(facts.allowed)} of {facts.online}{threads}"),
        ("CPU", facts.model),
        ("plan", f"CPU {plan.sender} sends, {router}, CPU {plan.reader} reads"),
        ("memory", f"{memory / 2**30:.1f} GiB"),
        ("CPU steal", f"{steal_share():.1%} just now"),
        ("user", "not root: user namespaces, if allowed" if os.geteuid() else "root"),
        ("Python", platform.python_version()),
    )


def _features() -> Table:
    try:
        guest = features.guest_features()
    except UsageError:  # $PPSLAB_KERNEL names no kernel: the row of the guest kernel says so
        guest = None
    table = _table(
        "Kernel features (each tested)",
        ("feature", "here", "in the guest", "use, or reason"),
        *(
            (
                name,
                ANSWERS[feature.present],
                ANSWERS[guest[name].present if guest else None],
                feature.meaning if feature.present else escape(feature.why),
            )
            for name, feature in features.host_features().items()
        ),
    )
    if not guest:
        table.caption = "in the guest: tested when the vm backend first boots this guest kernel"
    return table


def _lab(name: str, needs: frozenset[str] | PpslabError) -> tuple[str, str, str]:
    """The backend that a lab takes, and why; or why there is none."""
    if isinstance(needs, PpslabError):
        return name, NO, escape(str(needs))
    try:
        choice = features.choose(needs)
    except CannotHereError as error:
        return name, NO, escape(error.reason)
    except UsageError as error:
        return name, NO, escape(str(error))
    return name, choice.backend, escape(choice.reason)


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
    rows = ((each.name, STATES[each.state], escape(each.said)) for each in findings)
    console.print(_table(f"Router {escape(router.host)}", ("check", "state", "finding"), *rows))
    for finding in findings:
        if finding.remedy and finding.state != "ok":
            # On one line, so that a command can be copied.
            console.print(f"{finding.name}: {finding.remedy}", markup=False, soft_wrap=True)
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
