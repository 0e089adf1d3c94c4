"""Checks of a RouterOS router for settings that spoil its numbers, each with a remedy.

Whether a fast path is open is the router's own word; what closes it is what `ppslab explain` reads
in its export.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ppslab.core.errors import BackendError, UsageError
from ppslab.testbed.backends.capabilities.tools import known
from ppslab.testbed.routers.routeros.api import Api, RefusedError, Row, explained
from ppslab.testbed.routers.routeros.read_back import TRIAL, is_chr, licence
from ppslab.testbed.routers.routeros.rsc import versions
from ppslab.testbed.routers.routeros.rsc.script import Statement

EXPLAIN = (
    "/export file=router, then `ppslab explain router.rsc` names what closes it; if nothing there "
    "does, somebody runs /tool/torch, /tool/mac-scan or /tool/ip-scan, or the cards' drivers have "
    "no fast path"
)


def of_ipv4(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether the IPv4 fast path is open."""
    settings = api.settings_or_none("/ip/settings") or {}
    yield _fast_path("fast path IPv4", settings.get("ipv4-fast-path-active"))


def of_ipv6(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether the IPv6 fast path is open (RouterOS 7.18 and later)."""
    settings = api.settings_or_none("/ipv6/settings")
    if settings is None or settings.get("disable-ipv6") == "true":
        return
    if "ipv6-fast-path-active" not in settings:
        said = f"RouterOS {facts.version} has none: it came with 7.18"
        yield Finding("fast path IPv6", "warns", said, "/system/package/update/install")
        return
    yield _fast_path("fast path IPv6", settings["ipv6-fast-path-active"])


def of_bridge(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether the fast path of bridges is open, where there is a bridge."""
    bridges = api.rows_or_none("/interface/bridge") or []
    if any(row.get("disabled") != "true" for row in bridges):
        settings = api.settings_or_none("/interface/bridge/settings") or {}
        yield _fast_path("fast path of bridges", settings.get("bridge-fast-path-active"))


def _fast_path(name: str, active: str | None) -> Finding:
    if active == "true":
        return Finding(name, "ok", "the router reports that the fast path is open")
    if active == "false":
        return Finding(name, "spoils", "the router reports that the fast path is closed", EXPLAIN)
    return Finding(name, "unknown", "the router does not report whether the fast path is open")


State = Literal["ok", "spoils", "warns", "unknown"]


@dataclass(frozen=True)
class Finding:
    """The answer of one check.

    `spoils`: numbers of this router would be of something else; `warns`: they would say less than
    they seem to; `unknown`: the router does not tell.  `remedy`: what to do, as a command where
    there is one.
    """

    name: str
    state: State
    said: str
    remedy: str = ""


@dataclass(frozen=True)
class Needs:
    """A run's needs of the router.

    `here`: whether it is a virtual machine of this machine, None: nobody knows; `statements`: what
    the run is going to configure.
    """

    here: bool | None = None
    statements: Sequence[Statement] = ()


@dataclass(frozen=True)
class Facts:
    resource: Row
    ports: tuple[Row, ...]
    """Rows of /interface/ethernet."""

    @property
    def chr(self) -> bool:
        """Return whether it is a Cloud Hosted Router, a virtual machine."""
        return is_chr(self.resource)

    @property
    def version(self) -> str:
        """`7.20.8`, without the channel."""
        return self.resource["version"].split()[0]

    def number(self, key: str) -> int | None:
        """A number of /system/resource; None where it says none."""
        text = self.resource.get(key, "")
        return int(text) if text.isdigit() else None


Check = Callable[[Api, Facts, Needs], Iterator[Finding]]


def facts_of(api: Api) -> Facts:
    """Ask it.  BackendError where what answers is no RouterOS."""
    resource = api.settings("/system/resource")
    if not resource.get("version", "").split() or "board-name" not in resource:
        raise BackendError(
            f"{api.where} reports neither version nor board; perhaps it is still starting"
        )
    return Facts(resource, tuple(api.rows("/interface/ethernet")))


MIB = 1 << 20

RECOMMENDED_MIB = 1024

SLACK_MIB = 16
"""Memory that a virtual machine's firmware keeps for itself."""

BUSY_PERCENT = 10


def of_licence(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether the licence limits what the router sends."""
    found = licence(api)
    if found is None:
        yield Finding("licence", "unknown", "ppslab does not know the router's licence level")
    elif found.bits is None:
        yield Finding("licence", "ok", found.said)
    else:
        state: State = "spoils" if found.counters_only else "warns"
        yield Finding("licence", state, found.said, TRIAL)


def of_memory(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check a CHR's memory: MikroTik asks for 512 + 8 x CPUs x (interfaces - 1) MB."""
    if not facts.chr:
        return
    total, cpus = facts.number("total-memory"), facts.number("cpu-count")
    if total is None or cpus is None:
        yield Finding("memory", "unknown", "the router does not report its memory and CPUs")
        return
    has = total / MIB
    least = 512 + 8 * cpus * max(0, len(facts.ports) - 1)
    said = f"{has:.0f} MB for {cpus} CPUs and {len(facts.ports)} interfaces"
    remedy = (
        f"give the virtual machine {max(least, RECOMMENDED_MIB)} MB or more (containerlab: "
        f"env QEMU_MEMORY: {max(least, RECOMMENDED_MIB)}; vrnetlab's own 256 are too few)"
    )
    if has + SLACK_MIB < least:
        yield Finding("memory", "spoils", f"{said}: at least {least} are needed", remedy)
    elif has + SLACK_MIB < RECOMMENDED_MIB:
        said = f"{said}: at least {least} are needed, {RECOMMENDED_MIB} recommended"
        yield Finding("memory", "warns", said, remedy)
    else:
        yield Finding("memory", "ok", said)


def of_kvm(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether the host of a CHR runs it on its CPU, not by emulation."""
    answer = known() if needs.here else None
    if not facts.chr:
        return
    if not needs.here:
        said = "this CHR is on another machine, or an unknown one, which may or may not have KVM"
        yield Finding("kvm", "unknown", said, "on that machine: ls -l /dev/kvm")
    elif answer is None:
        said = "/dev/kvm opens on this machine; ppslab has not tried to boot a guest under KVM"
        yield Finding("kvm", "unknown", said, "ppslab doctor --kvm")
    elif answer.boots:
        yield Finding("kvm", "ok", "a guest boots under KVM on this machine")
    else:
        said = f"{answer.why}: without KVM, the CHR is emulated, and its rates are the emulator's"
        remedy = "turn on virtualization in the firmware, or nested virtualization in the cloud"
        yield Finding("kvm", "spoils", said, remedy)


def of_load(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether the router is idle before the run."""
    load = facts.number("cpu-load")
    if load is None:
        yield Finding("load", "unknown", "the router does not report its load")
    elif load > BUSY_PERCENT:
        said = f"its CPU is {load} % busy before the run sends anything"
        yield Finding("load", "warns", said, "/tool/profile duration=5s shows the tasks")
    else:
        yield Finding("load", "ok", f"its CPU is {load} % busy")


NAME = "version"

MOST = 8
"""More findings than these are counted."""


def of_version(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether it is one that the labs are for, and knows every word of the run."""
    try:
        number = versions.parse(facts.version)
    except UsageError:
        yield Finding(NAME, "unknown", f"RouterOS calls itself {facts.resource['version']}")
        return
    table = versions.table()
    if number < versions.parse(table.oldest):
        said = f"RouterOS {facts.version}: the labs are for {table.oldest} and later"
        yield Finding(NAME, "warns", said, "/system/package/update/install")
    lacks = list(_lacks(api, facts, needs))
    yield from lacks[:MOST]
    if len(lacks) > MOST:
        yield Finding(NAME, "spoils", f"{len(lacks) - MOST} more statements that it does not know")
    if not lacks:
        words = f", which knows every word of {len(needs.statements)} statements"
        said = f"RouterOS {facts.version}{words if needs.statements else ''}"
        yield Finding(NAME, "ok", said)


def _lacks(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Each word that the router lacks, once; an empty one: the command itself."""
    platform: versions.Platform = "chr" if facts.chr else "hardware"
    known: dict[tuple[str, str], frozenset[str] | None] = {}
    told: set[tuple[str, str, str]] = set()
    for statement in needs.statements:
        at = (statement.menu, statement.command)
        if at not in known:
            known[at] = words_of(api, *at)
        words = known[at]
        if words is None:
            continue
        used = [word for word, _ in statement.properties if word.lstrip("!") not in words]
        for word in used if words else [""]:
            if (*at, word) in told:
                continue
            told.add((*at, word))
            why = versions.lacking(*at, [word], facts.version, platform=platform)
            instead = "leave it out, or use the version for which the condition was written"
            if facts.chr and not word:
                instead = "a CHR has no switch chip: leave such conditions out (--condition)"
            yield Finding(
                NAME,
                "spoils",
                f"{statement.where}: RouterOS {facts.version} has no {word or 'such menu'} "
                f"in {statement.menu}/{statement.command}",
                why[0].change.instead if why else instead,
            )


def words_of(api: Api, menu: str, command: str) -> frozenset[str] | None:
    """The words that a command takes on this router; empty where it has no such command.

    None where it does not tell.
    """
    path = ",".join([*menu.strip("/").split("/"), command])
    asked = {"request": "child", "path": path}
    try:
        found = api.run("/console/inspect", asked)
    except RefusedError:
        return None
    if not isinstance(found, list):
        return None
    rows = [row for row in found if isinstance(row, dict)]
    return frozenset(str(row["name"]) for row in rows if row.get("node-type") == "arg")


CHECKS: tuple[tuple[str, Check], ...] = (
    ("licence", of_licence),
    ("version", of_version),
    ("memory", of_memory),
    ("kvm", of_kvm),
    ("load", of_load),
    ("fast path IPv4", of_ipv4),
    ("fast path IPv6", of_ipv6),
    ("fast path of bridges", of_bridge),
)
"""By the name of their findings, in the order in which a reader wants them."""


def check(api: Api, needs: Needs | None = None) -> list[Finding]:
    """All findings.  Nothing is changed on the router.

    Where it refuses to answer one check, that one says so; CannotHereError where nobody answers,
    UsageError where it lets nobody in.
    """
    facts = facts_of(api)
    findings: list[Finding] = []
    for name, ask in CHECKS:
        try:
            findings += ask(api, facts, needs or Needs())
        except RefusedError as refused:
            said = f"the router refuses to answer: {explained(refused)}"
            remedy = "give the user the policies read and rest-api: /user/group/print"
            findings.append(Finding(name, "unknown", said, remedy))
    return findings


def spoiled(findings: list[Finding]) -> list[Finding]:
    """Those that spoil numbers."""
    return [finding for finding in findings if finding.state == "spoils"]
