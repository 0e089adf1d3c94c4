"""What a RouterOS device has of itself: ports, services, queues, interrupts, routes.

Recorded: the fields of a port, of a service, of an interrupt; the interfaces of a CHR in
containerlab.  [INF] the queue of a port, the users of its interrupts and its row of RPS.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from tests.support.doubles import routeros_shapes

if TYPE_CHECKING:
    from tests.support.doubles.routeros_menus import Item, Menus
    from tests.support.doubles.routeros_rest import Device


def furnish(device: Device) -> None:
    """Put into a new device what it comes with."""
    tree = device.tree
    for number, name, port, disabled in routeros_shapes.SERVICES:
        item = {"address": "", "disabled": disabled, "invalid": "false", "name": name}
        tree.put("/ip/service", {**item, "port": port, "vrf": "main"}, number)
    for menu in ("/ppp/profile", "/ip/ipsec/proposal"):
        default = {**routeros_shapes.DEFAULTS[menu], "name": "default", "default": "true"}
        tree.put(menu, default, "*0")
    for name in ("default", "default-small", "ethernet-default", "only-hardware-queue"):
        tree.put("/queue/type", {"kind": "pfifo", "name": name, "default": "true"})
    multi = {"kind": "mq-pfifo", "name": "multi-queue-ethernet-default", "default": "true"}
    tree.put("/queue/type", multi)
    for cpu in range(device.cpus):
        row = {"cpu": f"cpu{cpu}", "disk": "0", "irq": "0", "load": "0"}
        tree.put("/system/resource/cpu", row, f"*{cpu:X}")
    tree.put("/system/resource/irq", {**routeros_shapes.IRQ, "irq": "1", "users": "i8042"})
    if device.words.version < (7, 18):
        six = tree.singles["/ipv6/settings"]
        for word in [word for word in six if "fast" in word]:
            del six[word]
    if device.hardware:
        tree.put(
            "/interface/ethernet/switch", {"name": "switch1", "l3-hw-offloading": "false"}, "*0"
        )
        tree.singles["/interface/ethernet/switch/l3hw-settings"] = {
            "autorestart": "false", "fasttrack-hw": "true", "hw-supports-fasttrack": "true",
            "icmp-reply-on-error": "true", "ipv6-hw": "false",
        }  # fmt: skip
    ports(device)


def ports(device: Device) -> None:
    """The ports, as the test's `interfaces` say; what was configured of one stays."""
    tree = device.tree
    there = {
        item["default-name"]: number for number, item in tree.items("/interface/ethernet").items()
    }
    for name in set(there) - set(device.interfaces):
        del tree.items("/interface/ethernet")[there[name]]
    for name in device.interfaces:
        if name not in there:
            numbers = (f"*{number:X}" for number in range(2, 1000))
            free = next(each for each in numbers if each not in tree.items("/interface/ethernet"))
            _port(device, tree, free, name)


def _port(device: Device, tree: Menus, number: str, name: str) -> None:
    mac = f"0C:00:0F:87:79:{int(number[1:], 16) - 2:02X}"
    own = {"default-name": name, "mac-address": mac, "name": name, "orig-mac-address": mac}
    tree.put("/interface/ethernet", {**routeros_shapes.ETHERNET, **own}, number)
    queue = "only-hardware-queue"
    item = {"interface": name, "queue": queue, "active-queue": queue, "default-queue": queue}
    tree.put("/queue/interface", item)
    tree.put("/system/resource/irq/rps", {"name": name, "disabled": "true"})
    for queue_number in range(device.queues):
        irq = str(24 + len(tree.items("/system/resource/irq")))
        users = name if device.queues == 1 else f"{name}-{queue_number}"
        row = {**routeros_shapes.IRQ, "irq": irq, "users": users}
        tree.put("/system/resource/irq", row)
    if device.card:
        tree.put("/system/resource/hardware", {**routeros_shapes.CARDS[device.card]})
    if device.hardware:
        port = {"name": name, "switch": "switch1", "l3-hw-offloading": "false"}
        tree.put("/interface/ethernet/switch/port", port)


def licence(device: Device) -> Item:
    """/system/license."""
    if device.level is None:
        return {"features": "", "nlevel": "6", "software-id": "ABCD-EF12"}
    if device.level == "free":
        return dict(routeros_shapes.LICENSE)
    return {**routeros_shapes.PAID, "level": device.level}


def listed(device: Device, menu: str, number: str, item: Item) -> Item:
    """An interface as /interface lists it."""
    kind = routeros_shapes.KINDS[menu]
    row = {".id": number, **routeros_shapes.INTERFACE, "type": kind, "name": item["name"]}
    row |= {word: item[word] for word in row if word in item}
    row |= {word: item[word] for word in ("default-name", "mac-address", "comment") if word in item}
    if row["mtu"].isdigit():
        row["actual-mtu"] = row["mtu"]
    if item.get("default-name", item["name"]) in device.down or item.get("disabled") == "true":
        row["running"] = "false"
    return row


def connected(device: Device) -> list[Item]:
    """The routes that addresses make (fields as the manual lists them [INF])."""
    made = []
    for number, item in device.tree.items("/ip/address").items():
        if item["disabled"] == "false":
            network = ipaddress.IPv4Interface(item["address"]).network
            made.append({
                ".id": f"*4000{number[1:]}", "active": "true", "connect": "true",
                "disabled": "false", "distance": "0", "dst-address": str(network),
                "dynamic": "true", "gateway": item["interface"],
                "immediate-gw": item["interface"], "inactive": "false", "routing-table": "main",
                "scope": "10", "target-scope": "5",
            })  # fmt: skip
    return made
