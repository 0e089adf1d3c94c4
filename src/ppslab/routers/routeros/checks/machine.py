"""Checks of what the router runs on: licence, device-mode, memory, CPUs, cards, its host.

Sources: MikroTik's manual (CHR licensing, CHR installation, device-mode, interrupts), the property
names of a CHR 7.22.3 (github.com/tikoci/restraml, deep-inspect).
[INF] marks what no real device has confirmed to us.
"""

from __future__ import annotations

from collections.abc import Iterator

from ppslab.backends.capabilities.tools import KvmAnswer, known
from ppslab.routers.routeros.api import Api, Row
from ppslab.routers.routeros.checks.findings import Facts, Finding, Needs, State
from ppslab.routers.routeros.licence import TRIAL, licence

MIB = 1 << 20

RECOMMENDED_MIB = 1024

SLACK_MIB = 16
"""What a virtual machine's firmware keeps for itself of the memory that it was given."""

BUSY_PERCENT = 10

NICS = {"1af4": "virtio", "15ad": "vmxnet3"}
"""Vendors of cards with a fast path on a CHR (manual, CHR installation), by their PCI number."""

ETHERNET = "ethernet"


def of_licence(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Whether the licence limits what the router sends."""
    found = licence(api)
    if found is None:
        yield Finding("licence", "unknown", "the router says no licence level that is known")
    elif found.bits is None:
        yield Finding("licence", "ok", found.said)
    else:
        state: State = "spoils" if found.counters_only else "warns"
        yield Finding("licence", state, found.said, TRIAL)


def of_device_mode(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Whether device-mode keeps something from working that the run wants."""
    mode = api.settings_or_none("/system/device-mode")
    if mode is None:
        yield Finding("device-mode", "ok", "this version has none: nothing is forbidden")
        return
    if mode.get("flagged") == "true":
        yield Finding(
            "device-mode",
            "warns",
            "RouterOS suspects its configuration (flagged=yes) and has switched tools off",
            "look the configuration through, then /system/device-mode/update flagged=no and "
            + _confirm(facts),
        )
    allowed = mode.get("traffic-gen")
    if not needs.generator:
        yield Finding("device-mode", "ok", f"mode {mode.get('mode', 'unnamed')}")
    elif allowed is None:
        yield Finding("device-mode", "unknown", "the router does not say whether traffic-gen is on")
    elif allowed == "true":
        yield Finding("device-mode", "ok", "the traffic generator is allowed")
    else:
        yield Finding(
            "device-mode",
            "spoils",
            "the traffic generator is off, as it is in every mode of a new device",
            "/system/device-mode/update traffic-gen=yes, then within five minutes "
            + _confirm(facts),
        )


def _confirm(facts: Facts) -> str:
    if facts.chr:
        return (
            "reset its virtual machine, hard (QEMU's monitor: system_reset; under containerlab: "
            "docker exec NODE touch /reset)"
        )
    return "press its button, or switch it off and on"


def of_memory(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Whether a CHR has the memory that MikroTik asks for: 512 + 8 x CPUs x (interfaces - 1) MB."""
    if not facts.chr:
        return
    total, cpus = facts.number("total-memory"), facts.number("cpu-count")
    if total is None or cpus is None:
        yield Finding("memory", "unknown", "the router does not say its memory and CPUs")
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
    """Whether each port's packets can go to more than one CPU."""
    cpus = facts.number("cpu-count")
    if cpus == 1:
        yield Finding("queues", "ok", "one CPU: a port needs no more than one queue")
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
        f"one queue each: {', '.join(single)}; one of {cpus} CPUs takes all that such a port hears"
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
    """Whether a CHR's cards are of the kinds that have a fast path."""
    if not facts.chr:
        return
    rows = api.rows_or_none("/system/resource/hardware")
    # [INF] the form of the rows; the names of their properties are those of a real CHR.
    cards = [row for row in rows or () if ETHERNET in _card(row) or "network" in _card(row)]
    if not cards:
        said = "the router does not say what its cards are; virtio and vmxnet3 have a fast path"
        yield Finding("cards", "unknown", said, "/system/resource/hardware/print")
        return
    slow = [row for row in cards if row.get("vendor-id", "").lower()[-4:] not in NICS]
    if slow:
        names = ", ".join(sorted({row.get("name", "unnamed") for row in slow}))
        said = f"MikroTik says of virtio and vmxnet3 that they have a fast path, and not of {names}"
        remedy = "give the virtual machine virtio-net or vmxnet3"
        yield Finding("cards", "warns", said, remedy, "chr-fast-path")
    else:
        kinds = sorted({NICS[row["vendor-id"].lower()[-4:]] for row in cards})
        yield Finding("cards", "ok", f"{' and '.join(kinds)}, which have a fast path")


def _card(row: Row) -> str:
    return f"{row.get('category', '')} {row.get('name', '')}".lower()


def of_kvm(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Whether the host of a CHR runs it on its CPU, not by emulation."""
    if not facts.chr:
        return
    if needs.here is None:
        said = "which machine runs this CHR is not known, nor whether it has KVM"
        yield Finding("kvm", "unknown", said, "on that machine: ls -l /dev/kvm")
    elif not needs.here:
        said = "this CHR is on another machine, of which only that one can tell whether it has KVM"
        yield Finding("kvm", "unknown", said, "on that machine: ls -l /dev/kvm")
    else:
        yield _kvm_here(known())


def _kvm_here(answer: KvmAnswer | None) -> Finding:
    if answer is None:
        said = "/dev/kvm opens on this machine; whether a guest boots under it was not tried"
        return Finding("kvm", "unknown", said, "ppslab doctor --kvm")
    if answer.boots:
        return Finding("kvm", "ok", "a guest boots under KVM on this machine")
    said = f"{answer.why}: without KVM the CHR is emulated, and its rates are the emulator's"
    remedy = "switch virtualization on in the firmware, or nested virtualization in the cloud"
    return Finding("kvm", "spoils", said, remedy)


def of_load(api: Api, facts: Facts, needs: Needs) -> Iterator[Finding]:
    """Whether the router is idle before the run."""
    load = facts.number("cpu-load")
    if load is None:
        yield Finding("load", "unknown", "the router does not say its load")
    elif load > BUSY_PERCENT:
        said = f"its CPU is {load} % busy before the run sends anything"
        yield Finding("load", "warns", said, "/tool/profile duration=5s says with what")
    else:
        yield Finding("load", "ok", f"its CPU is {load} % busy")
