"""Checks of a RouterOS router for settings that spoil its numbers, each with a remedy.

The conditions that close a fast path are the rules that `ppslab explain` reads
(packages/rosexplain/rules), asked of the router's rows.  Some cannot be seen over REST, as they are
commands that somebody runs; they are named where the fast path is closed and nothing else explains
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from ppslab.core.errors import BackendError, UsageError
from ppslab.testbed.backends.capabilities.tools import KvmAnswer, known
from ppslab.testbed.routers.routeros.api import Api, Row, explained
from ppslab.testbed.routers.routeros.read_back import TRIAL, licence
from ppslab.testbed.routers.routeros.rest import RefusedError
from ppslab.testbed.routers.routeros.rsc import versions
from ppslab.testbed.routers.routeros.rsc.script import Statement
from rosexplain import matching
from rosexplain.base import rules

UNSEEN = (
    "somebody runs /tool/torch, /tool/mac-scan or /tool/ip-scan, or the cards' drivers have no "
    "fast path"
)

WHOLE = "only-hardware-queue"
"""The queue of an interface with which a packet leaves on the fast path too."""


class _Once:
    """A router that is asked once for each menu: for one check, in which it counts as unchanged.

    None stands for a menu that it has not.
    """

    def __init__(self, api: Api) -> None:
        self.settings = cache(api.settings_or_none)
        self.rows = cache(api.rows_or_none)


def of_ipv4(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """The IPv4 fast path, and why it is closed."""
    asked = _Once(api)
    settings = asked.settings("/ip/settings") or {}
    yield from _judged(
        "fast path IPv4",
        settings.get("ipv4-fast-path-active"),
        list(_closed(asked, facts, "/ip", "active-ipv4")),
    )


def of_ipv6(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """The IPv6 fast path (RouterOS 7.18 and later)."""
    asked = _Once(api)
    settings = asked.settings("/ipv6/settings")
    if settings is None or settings.get("disable-ipv6") == "true":
        return
    if "ipv6-fast-path-active" not in settings:
        said = f"RouterOS {facts.version} has none: it came with 7.18"
        remedy = "/system/package/update/install"
        yield Finding("fast path IPv6", "warns", said, remedy, "tree-ipv6-fast-path")
        return
    yield from _judged(
        "fast path IPv6",
        settings["ipv6-fast-path-active"],
        list(_closed(asked, facts, "/ipv6", "active-ipv6")),
    )


def of_bridge(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """The fast path of bridges, where there is one."""
    menu = "/interface/bridge"
    asked = _Once(api)
    bridges = [row for row in _rows(asked, menu) if _on(menu, row)]
    if not bridges:
        return
    settings = asked.settings("/interface/bridge/settings") or {}
    yield from _judged(
        "fast path of bridges",
        settings.get("bridge-fast-path-active"),
        list(_closed_bridge(asked, facts)),
    )


def of_interface_queues(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether a port's queue takes packets off the fast path on their way out."""
    rows = api.rows_or_none("/queue/interface")
    if rows is None:
        return
    ports = {port.get("name") for port in facts.ports}
    mine = [row for row in rows if row.get("interface") in ports]
    slow = [row for row in mine if row.get("active-queue", row.get("queue")) != WHOLE]
    if not mine:
        yield Finding("interface queues", "unknown", "the router lists no queue for its ports")
    elif slow:
        named = ", ".join(f"{row['interface']} {row.get('queue', '?')}" for row in slow)
        yield Finding(
            "interface queues",
            "warns",
            f"{named}: a packet leaves the fast path in the last step, which costs little",
            f"/queue/interface/set [find where interface=PORT] queue={WHOLE}, "
            "if the driver supports it",
        )
    else:
        yield Finding("interface queues", "ok", f"every port has {WHOLE}")


Reason = tuple[str, str, str]
"""The cause that closes a path, the command that opens it, and the fact that says so."""


def _judged(name: str, active: str | None, closed: list[Reason]) -> Iterator[Finding]:
    """The router's own word decides; the conditions say why."""
    if active == "true":
        yield Finding(name, "ok", "the router reports that the fast path is open")
        return
    if active != "false":
        yield Finding(name, "unknown", "the router does not report whether the fast path is open")
        return
    if not closed:
        yield Finding(name, "spoils", f"closed by a cause that this check cannot see: {UNSEEN}")
    for said, remedy, fact in closed:
        yield Finding(name, "spoils", f"closed by {said}", remedy, fact)


def _closed(asked: _Once, facts: Facts, menu: str, tracked: str) -> Iterator[Reason]:
    """Find what closes a family's fast path.  `menu`: /ip or /ipv6; `tracked`: its word there."""
    family = 4 if menu == "/ip" else 6
    yield from _settings(asked, facts, "allow" if family == 4 else "allow-ipv6")
    yield from _by_rules(asked, facts, "ip", family)
    tracking = asked.settings("/ip/firewall/connection/tracking") or {}
    # Older versions say only what they were told.
    if tracking.get(tracked, tracking.get("enabled")) == "yes":
        told = tracking.get("enabled", "yes")
        because = ", from the first rule of a firewall on" if told == "auto" else ""
        remedy = "/ip/firewall/connection/tracking/set enabled=no"
        yield f"connection tracking (enabled={told}{because})", remedy, "fast-path-tracking"


def _closed_bridge(asked: _Once, facts: Facts) -> Iterator[Reason]:
    yield from _settings(asked, facts, "bridge-allow")
    yield from _by_rules(asked, facts, "bridge", None)


SINGLE = ("/ip/settings", "/ipv6/settings", "/interface/bridge/settings", "/tool/sniffer",
          "/tool/traffic-generator", "/ip/accounting")  # fmt: skip
"""Menus that have settings and no rows."""

COMMANDS = ("/tool/torch", "/tool/ip-scan", "/tool/mac-scan")
"""Menus of a command that runs in a terminal: REST shows nothing of it (UNSEEN)."""


def _by_rules(asked: _Once, facts: Facts, path: str, family: int | None) -> Iterator[Reason]:
    """Every rule of the rule base that closes a path in this version, where a row meets it."""
    for name, rule in rules().items():
        fact = rule["closes"].get(path)
        about = rule["family"] in (None, family) or family is None
        if fact and about and name not in LAN_ONLY:
            yield from _met(asked, facts, rule, fact)


LAN_ONLY = ("bridge-port-before-6-29",)
"""Rules that hold only where a packet crosses a bridge: not for the whole router."""


def _settings(asked: _Once, facts: Facts, name: str) -> Iterator[Reason]:
    """A rule that is about one setting."""
    rule = rules()[name]
    yield from _met(asked, facts, rule, rule["facts"][0])


def _met(asked: _Once, facts: Facts, rule: dict[str, Any], fact: str) -> Iterator[Reason]:
    """The rows of this router that meet a rule: what they are called, and how many they are."""
    if not matching.in_force(rule, matching.numbers(facts.version)):
        return
    words = rule["label"] or ", ".join(f"{name}={value}" for name, value in rule["where"].items())
    for menu in rule["menus"]:
        if menu in COMMANDS:
            continue
        rows = _single(asked, menu) if menu in SINGLE else _rows(asked, menu)
        met = [row for row in rows if _on(menu, row) and matching.meets(rule, row.get)]
        if not met:
            continue
        remedy = next((line for line in rule["remedy"][:1] if "{" not in line), "")
        if menu in SINGLE:
            yield words, remedy or f"{menu}/print", fact
            continue
        names = [row["name"] for row in met if row.get("name")]
        named = f" ({', '.join(names[:MOST_NAMED])})" if names else ""
        look = f"{menu}/print, and disable what is not needed"
        yield f"{words}: {len(met)} in {menu}{named}", look, fact


MOST_NAMED = 3


def _single(asked: _Once, menu: str) -> list[Row]:
    row = asked.settings(menu)
    return [] if row is None else [row]


def _rows(asked: _Once, menu: str) -> list[Row]:
    """The rows of a menu; none where this router has no such menu."""
    return asked.rows(menu) or []


def _on(menu: str, row: Row) -> bool:
    """Return whether a row is in force.

    RouterOS's own rule that shows FastTrack's counters is dynamic, and closes nothing.
    """
    own = "/firewall/" in menu and row.get("dynamic") == "true"
    return row.get("disabled") != "true" and not own


State = Literal["ok", "spoils", "warns", "unknown"]


@dataclass(frozen=True)
class Finding:
    """The answer of one check.

    `spoils`: numbers of this router would be of something else; `warns`: they would say less than
    they seem to; `unknown`: the router does not tell.  `remedy`: what to do, as a command where
    there is one.  `fact`: what RouterOS does that it follows from, an id of rosexplain's facts.
    """

    name: str
    state: State
    said: str
    remedy: str = ""
    fact: str = ""


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
        return self.resource.get("board-name", "").startswith("CHR")

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

NICS = {"1af4": "virtio", "15ad": "vmxnet3"}
"""Vendors of cards with a fast path on a CHR (manual, CHR installation), by their PCI number."""

ETHERNET = "ethernet"


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


def of_device_mode(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether device-mode keeps something from working that the run wants."""
    mode = api.settings_or_none("/system/device-mode")
    if mode is None:
        yield Finding("device-mode", "ok", "this version has no device-mode: all tools are allowed")
        return
    if mode.get("flagged") == "true":
        yield Finding(
            "device-mode",
            "warns",
            "RouterOS suspects its configuration (flagged=yes) and has turned off tools",
            "check the configuration, then type /system/device-mode/update flagged=no and "
            + _confirm(facts),
        )
    yield Finding("device-mode", "ok", f"mode {mode.get('mode', 'unnamed')}")


def _confirm(facts: Facts) -> str:
    if facts.chr:
        return (
            "do a hard reset of its virtual machine (QEMU's monitor: system_reset; under "
            "containerlab: docker exec NODE touch /reset)"
        )
    return "press its button, or switch it off and on"


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


def of_queues(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether each port's packets can go to more than one CPU."""
    cpus = facts.number("cpu-count")
    if cpus == 1:
        yield Finding("queues", "ok", "the router has one CPU, so one queue per port is enough")
        return
    rows = api.rows_or_none("/system/resource/irq", "irq", "users", "active-cpu")
    counts = {port["name"]: _queues(port, rows or ()) for port in facts.ports if "name" in port}
    seen = {name: count for name, count in counts.items() if count}
    if not seen:
        # [INF] that an interrupt's `users` name its port: recorded is one of a serial line only.
        said = f"{cpus} CPUs, but no interrupt in /system/resource/irq names a port"
        yield Finding("queues", "unknown", said, "/system/resource/irq/print, and compare by hand")
        return
    single = [name for name, count in seen.items() if count == 1]
    if not single:
        least = min(seen.values())
        yield Finding("queues", "ok", f"every port has {least} interrupts or more for {cpus} CPUs")
        return
    remedy = (
        "give each virtual card as many queues as there are CPUs (QEMU: -netdev tap,queues=N and "
        "-device virtio-net-pci,mq=on,vectors=2N+2; vrnetlab gives one), or let one CPU route"
    )
    said = (
        f"one queue each: {', '.join(single)}; only one of {cpus} CPUs handles the packets that "
        "such a port receives"
    )
    yield Finding("queues", "warns", said, remedy if facts.chr else "")


def _queues(port: Row, rows: tuple[Row, ...] | list[Row]) -> int:
    names = {port["name"], port.get("default-name", port["name"])}

    def is_of(users: str) -> bool:
        return any(
            user == name or user.startswith((f"{name}-", f"{name}.", f"{name}:"))
            for user in users.replace(",", " ").split()
            for name in names
        )

    return sum(is_of(row.get("users", "")) for row in rows)


def of_cards(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether a CHR's cards are of the kinds that have a fast path."""
    if not facts.chr:
        return
    rows = api.rows_or_none("/system/resource/hardware")
    # [INF] the form of the rows; the names of their properties are those of a real CHR.
    cards = [row for row in rows or () if ETHERNET in _card(row) or "network" in _card(row)]
    if not cards:
        said = "the router does not report its cards; virtio and vmxnet3 have a fast path"
        yield Finding("cards", "unknown", said, "/system/resource/hardware/print")
        return
    slow = [row for row in cards if row.get("vendor-id", "").lower()[-4:] not in NICS]
    if slow:
        names = ", ".join(sorted({row.get("name", "unnamed") for row in slow}))
        said = f"MikroTik's manual names virtio and vmxnet3 as cards with a fast path, not {names}"
        remedy = "give the virtual machine virtio-net or vmxnet3"
        yield Finding("cards", "warns", said, remedy, "chr-fast-path")
    else:
        kinds = sorted({NICS[row["vendor-id"].lower()[-4:]] for row in cards})
        yield Finding("cards", "ok", f"{' and '.join(kinds)}, which have a fast path")


def _card(row: Row) -> str:
    return f"{row.get('category', '')} {row.get('name', '')}".lower()


def of_kvm(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Check whether the host of a CHR runs it on its CPU, not by emulation."""
    if not facts.chr:
        return
    if needs.here is None:
        said = "the machine that runs this CHR is unknown, and so is its KVM"
        yield Finding("kvm", "unknown", said, "on that machine: ls -l /dev/kvm")
    elif not needs.here:
        said = "this CHR is on another machine, which may or may not have KVM"
        yield Finding("kvm", "unknown", said, "on that machine: ls -l /dev/kvm")
    else:
        yield _kvm_here(known())


def _kvm_here(answer: KvmAnswer | None) -> Finding:
    if answer is None:
        said = "/dev/kvm opens on this machine; ppslab has not tried to boot a guest under KVM"
        return Finding("kvm", "unknown", said, "ppslab doctor --kvm")
    if answer.boots:
        return Finding("kvm", "ok", "a guest boots under KVM on this machine")
    said = f"{answer.why}: without KVM, the CHR is emulated, and its rates are the emulator's"
    remedy = "turn on virtualization in the firmware, or nested virtualization in the cloud"
    return Finding("kvm", "spoils", said, remedy)


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
    known: dict[tuple[str, str], frozenset[str] | None] = {}
    platform: versions.Platform = "chr" if facts.chr else "hardware"
    said: set[tuple[str, str, str]] = set()
    for statement in needs.statements:
        at = (statement.menu, statement.command)
        if at not in known:
            known[at] = words_of(api, *at)
        for word in _unknown(statement, known[at]):
            if (*at, word) in said:
                continue
            said.add((*at, word))
            why = versions.lacking(*at, [word], facts.version, platform=platform)
            yield Finding(
                NAME,
                "spoils",
                f"{statement.where}: RouterOS {facts.version} has no {word or 'such menu'} "
                f"in {statement.menu}/{statement.command}",
                why[0].change.instead if why else _instead(facts, word),
            )


def _unknown(statement: Statement, known: frozenset[str] | None) -> list[str]:
    """The statement's words that the router lacks; an empty one: the command itself."""
    if known is None:
        return []
    if not known:
        return [""]
    return [word for word, _ in statement.properties if word.lstrip("!") not in known]


def _instead(facts: Facts, word: str) -> str:
    if facts.chr and not word:
        return (
            "a CHR has no switch chip: leave such conditions out (--condition names those to run)"
        )
    return "leave it out, or use the version for which the condition was written"


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
    ("device-mode", of_device_mode),
    ("version", of_version),
    ("memory", of_memory),
    ("kvm", of_kvm),
    ("cards", of_cards),
    ("queues", of_queues),
    ("load", of_load),
    ("fast path IPv4", of_ipv4),
    ("fast path IPv6", of_ipv6),
    ("fast path of bridges", of_bridge),
    ("interface queues", of_interface_queues),
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
