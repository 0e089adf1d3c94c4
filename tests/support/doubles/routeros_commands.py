"""What a RouterOS device answers over REST: of itself, of its menus, and to commands.

Recorded: see tests/support/doubles/README.md.  GET, PUT, PATCH and DELETE on menus are of CHR
7.23.2 and 7.24rc2.  Commands are of CHR 7.22.1: one that goes on answers with a row a second and
`.section` for `duration`, with one row and no `.section` for `once`, and else not at all;
`/execute` answers {"ret": ...} at once with `as-string`, and its failures too, with 200; licence
errors come with 200 in the last row; `device-mode/update` answers nothing until it is confirmed,
then 400.
[INF] the queue of a port, the users of its interrupts and its row of RPS; `unset`, and that GET
takes a name in the place of an id; the rows of /tool/profile, /system/resource/cpu and
/system/resource/monitor: names from the manual, form as of all other commands; what /export and
/system/backup/save answer.
"""

from __future__ import annotations

import ipaddress
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.support.doubles import routeros_shapes
from tests.support.doubles.routeros_menus import Item, Menus, RefusedError, bad, gone

if TYPE_CHECKING:
    from tests.support.doubles.routeros_rest import Device

# --- what it has of itself -------------------------------------------------------------------


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


# --- menus -----------------------------------------------------------------------------------


COUNTERS = ("bytes", "packets")


def answer(
    device: Device,
    method: str,
    menu: str,
    rest: list[str],
    asked: list[tuple[str, str]],
    words: Any,
) -> Any:
    """What a request that is no command is answered with."""
    if method == "GET":
        return _get(device, menu, rest, asked)
    if method == "PUT" and not rest:
        return _one(device, menu, device.tree.add(menu, words))
    if method == "PATCH" and rest:
        number = _own(device, menu, rest[0], lambda at, each: device.tree.set(at, each, words))
        return _one(device, menu, number)
    if method == "DELETE" and rest:
        _own(device, menu, rest[0], device.tree.remove)
        return None
    raise RefusedError(406, "Not Acceptable", f"no such command or directory ({method})")


def has(menu: str, command: str) -> bool:
    """Whether this module runs the command."""
    return command in COMMANDS and (menu, command) != ("/system/device-mode", "print")


def command(device: Device, menu: str, name: str, words: Any) -> Any:
    """What POST <menu>/<command> is answered with."""
    if not isinstance(words, dict):
        raise bad("malformed body")
    return COMMANDS[name](device, menu, words)


def _add(device: Device, menu: str, words: Item) -> Any:
    return {"ret": device.tree.add(menu, words)}


def _set(device: Device, menu: str, words: Item) -> Any:
    if device.words.single(menu):
        device.tree.set(menu, "", words)
        return []
    return _each(device, menu, words, lambda at, number: device.tree.set(at, number, words))


def _remove(device: Device, menu: str, words: Item) -> Any:
    return _each(device, menu, words, device.tree.remove)


def _unset(device: Device, menu: str, words: Item) -> Any:
    word = words.get("value-name", "")
    return _each(device, menu, words, lambda at, number: device.tree.unset(at, number, word))


def _disable(device: Device, menu: str, words: Item) -> Any:
    told = {"disabled": "yes"}
    return _each(device, menu, words, lambda at, number: device.tree.set(at, number, told))


def _enable(device: Device, menu: str, words: Item) -> Any:
    told = {"disabled": "no"}
    return _each(device, menu, words, lambda at, number: device.tree.set(at, number, told))


def _reset_counters(device: Device, menu: str, words: Item) -> Any:
    def reset(at: str, number: str) -> None:
        item = device.tree.items(at)[device.tree.find(at, number)]
        item |= {word: "0" for word in item if word in COUNTERS or word.startswith(("rx-", "tx-"))}

    return _each(device, menu, words, reset)


def _print(device: Device, menu: str, words: Item) -> Any:
    found = rows(device, menu)
    wanted = words.get(".proplist", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(found, dict):
        return _projected(found, wanted)
    for asked in words.get(".query", []):
        word, _, value = asked.partition("=")
        found = [row for row in found if row.get(word) == value]
    if "count-only" in words:  # [INF]
        return {"ret": str(len(found))}
    return [_projected(row, wanted) for row in found]


COMMANDS: dict[str, Callable[[Device, str, Item], Any]] = {
    "add": _add, "set": _set, "remove": _remove, "unset": _unset, "print": _print,
    "enable": _enable, "disable": _disable, "reset-counters": _reset_counters,
}  # fmt: skip


def _each(device: Device, menu: str, words: Item, do: Callable[[str, str], None]) -> list[Any]:
    told = str(words.get("numbers", words.get(".id", "")))
    numbers = [each for each in told.split(",") if each]
    if not numbers:
        raise bad("missing =.id=")
    for number in numbers:
        _own(device, menu, number, do)
    return []


def _own(device: Device, menu: str, number: str, do: Callable[[str, str], None]) -> str:
    """Do something to an item, and say its id; one of /interface is one of its own menu."""
    if menu != "/interface":
        each = device.tree.find(menu, number)
        do(menu, each)
        return each
    for at, each, item in list(device.tree.interfaces()):
        if number in (each, item["name"]):
            do(at, each)
            return each
    raise gone()


def _one(device: Device, menu: str, number: str) -> Item:
    for row in rows(device, menu):
        if number in (row[".id"], row.get("name")):
            found: Item = row
            return found
    raise gone()


def _get(device: Device, menu: str, rest: list[str], asked: list[tuple[str, str]]) -> Any:
    if rest:
        if device.words.single(menu):
            raise bad(f"no such command or directory ({rest[0]})")
        return _one(device, menu, rest[0])
    wanted = [value for word, value in asked if word == ".proplist"]
    found = rows(device, menu)
    if isinstance(found, dict):
        return _projected(found, wanted)
    for word, value in asked:
        if word != ".proplist":
            found = [row for row in found if row.get(word) == value]
    return [_projected(row, wanted) for row in found]


OF_ITSELF: dict[str, Callable[[Device], Any]] = {
    "/system/resource": lambda device: device.resource,
    "/system/license": licence,
    "/system/device-mode": lambda device: (
        device.device_mode | {"traffic-gen": "true" if device.allowed else "false"}
    ),
    "/interface": lambda device: [listed(device, *each) for each in device.tree.interfaces()],
    "/file": lambda device: _numbered([{"name": name} for name in device.files]),
}
"""Menus that are not configured, or not only."""


def rows(device: Device, menu: str) -> Any:
    """All that a menu has: a list, or one object."""
    if menu in OF_ITSELF:
        return OF_ITSELF[menu](device)
    if device.words.single(menu):
        return dict(device.tree.singles.get(menu, {}))
    items = [{".id": number, **item} for number, item in device.tree.items(menu).items()]
    return items + (connected(device) if menu == "/ip/route" else [])


def _numbered(items: list[Item]) -> list[Item]:
    return [{".id": f"*{n:X}", **item} for n, item in enumerate(items, 1)]


def _projected(row: Item, wanted: list[str]) -> Item:
    names = {name for each in wanted for name in each.split(",")}
    return {word: value for word, value in row.items() if not names or word in names}


# --- commands --------------------------------------------------------------------------------


LIMIT = 60.0
"""Seconds after which RouterOS breaks a call off (MAN:developer-guides/rest-api)."""

CLOSED = "Session closed"
"""What it says then (terraform-provider-routeros, resource_actions.go)."""

LEVELS = ("p1", "p10", "p-unlimited")


def run(device: Device, menu: str, command: str, words: Any) -> Any:
    """What POST <menu>/<command> answers, for what is not a matter of a list."""
    known = {
        ("/interface", "monitor-traffic"): _monitor,
        ("/tool", "profile"): _profile,
        ("/system/resource", "monitor"): _resource,
        ("/system/license", "renew"): _renew,
        ("/system/device-mode", "update"): _update,
        ("/system/backup", "save"): _backup,
        ("/console", "inspect"): _inspect,
        ("/system", "reboot"): _reboot,
        ("/tool/sniffer", "start"): lambda device, _: _sniff(device, True),
        ("/tool/sniffer", "stop"): lambda device, _: _sniff(device, False),
    }
    if (menu, command) in known:
        if not isinstance(words, dict):
            raise bad("malformed body")
        return known[menu, command](device, words)
    if (menu, command) == ("/system/device-mode", "print"):
        raise RefusedError(500, "Internal Server Error")
    raise bad(f"no such command or directory ({command})")


def seconds(device: Device, words: dict[str, str]) -> int | None:
    """Wait for `duration`, and say how long that was; None for `once`.

    Refused after LIMIT, as is a call that would never end.
    """
    if "once" in words and words["once"] != "false":
        return None
    told = re.fullmatch(r"(\d+)s", words.get("duration", "")) if "duration" in words else None
    if "duration" in words and not told:
        raise bad("value of duration is not a time")
    asked = int(told[1]) if told else LIMIT + 1
    time.sleep(min(asked, LIMIT) * device.pace)
    if asked > LIMIT:
        raise bad(CLOSED)
    return int(asked)


def each_second(
    device: Device, words: dict[str, str], one: list[dict[str, str]]
) -> list[dict[str, str]]:
    """The rows of every second, or of one."""
    lasted = seconds(device, words)
    if lasted is None:
        return one
    return [{".section": str(n), **row} for n in range(max(1, lasted)) for row in one]


def _monitor(device: Device, words: dict[str, str]) -> Any:
    named = [device.tree.named(name) for name in words.get("interface", "").split(",")]
    if not all(named):
        raise bad("input does not match any value of interface")
    one = [
        {"name": port["name"], "rx-bits-per-second": "512", "tx-bits-per-second": "336"}
        for port in named
        if port
    ]
    return each_second(device, words, one)


def _profile(device: Device, words: dict[str, str]) -> Any:
    cpus = int(device.resource["cpu-count"])
    which = [str(n) for n in range(cpus)] if words.get("cpu") == "all" else ["all"]
    one = [
        {"name": name, "cpu": cpu, "usage": usage}
        for cpu in which
        for name, usage in device.profile.items()
    ]
    return each_second(device, words, one)


def _resource(device: Device, words: dict[str, str]) -> Any:
    cpus = int(device.resource["cpu-count"])
    load = device.resource["cpu-load"]
    one = {
        "cpu-used": load, "cpu-used-per-core": ",".join([load] * cpus),
        "free-memory": device.resource["free-memory"],
    }  # fmt: skip
    return each_second(device, words, [one])


def _renew(device: Device, words: dict[str, str]) -> Any:
    for word in ("account", "password", "level"):
        if word not in words:
            raise bad(f"missing ={word}=")
    if words["level"] not in LEVELS:
        raise bad("input does not match any value of level")
    said = ["connecting"]
    if device.licence_error:
        said += ["renewing", f"ERROR: {device.licence_error}"]
    else:
        device.level = words["level"]
        said += ["done"]
    return [{".section": str(n), "status": status} for n, status in enumerate(said)]


def _update(device: Device, words: dict[str, str]) -> Any:
    """Blocks, and with it all of REST, until `activation-timeout`; a reset would confirm it."""
    if "mode" in words and words["mode"] not in ("home", "basic", "advanced", "rose"):
        raise bad("input does not match any value of mode")
    for word in words:
        if word not in device.device_mode and word != "activation-timeout":
            raise bad(f"unknown parameter {word}")
    told = re.fullmatch(r"(\d+)(s|m)", words.get("activation-timeout", "5m"))
    lasts = int(told[1]) * (60 if told[2] == "m" else 1) if told else 0
    if not 10 <= lasts <= 86400:
        raise bad("value of activation-timeout is out of range (00:00:10 .. 1d00:00:00)")
    device.pending = {k: v for k, v in words.items() if k != "activation-timeout"}
    until = time.monotonic() + lasts * device.pace
    while time.monotonic() < until and device.pending:
        time.sleep(0.01)
    if device.pending:
        device.device_mode["attempt-count"] = str(int(device.device_mode["attempt-count"]) + 1)
    device.pending = {}
    raise bad("update canceled")


def _backup(device: Device, words: dict[str, str]) -> list[Any]:
    name = words.get("name", "backup")
    device.files[f"{name}.backup"] = "backup"
    return []


def _reboot(device: Device, words: dict[str, str]) -> list[Any]:
    """It goes, and is there again a moment later, with its uptime begun anew."""
    device.fault("hangs-up", times=2)
    device.booted = time.monotonic()
    return []


def _inspect(device: Device, words: dict[str, str]) -> list[dict[str, str]]:
    """What lies below a path of the command tree, itself first."""
    if words.get("request") != "child":
        raise bad("input does not match any value of request")
    parts = words.get("path", "").split(",")
    return [
        {"name": name, "node-type": kind, "type": "child"}
        for name, kind in device.words.below("/" + "/".join(parts[:-1]), parts[-1])
    ]


def _sniff(device: Device, running: bool) -> list[Any]:
    device.tree.singles["/tool/sniffer"]["running"] = str(running).lower()
    return []


def execute(device: Device, words: Any) -> Any:
    """/rest/execute: a few commands of the console; an error comes with 200."""
    if not isinstance(words, dict) or "script" not in words:
        raise bad("missing =script=")
    if "as-string" not in words:
        return {"ret": "*B546"}
    script = str(words["script"]).strip()
    if script.startswith(":put "):
        return {"ret": script.removeprefix(":put ").strip('"') + "\r\n"}
    if re.fullmatch(r"/?export( .*)?", script):
        return {"ret": export(device)}
    head = script.split("=")[0].split()[0] if script else ""
    return {"ret": f"bad command name {head.strip('/')} (line 1 column 1)"}


def export(device: Device) -> str:
    """The configuration as `/export` prints it, as far as a test wants to see it [INF]."""
    lines = [f"# by RouterOS {device.resource['version'].split()[0]}"]
    for menu, items in sorted(device.tree.lists.items()):
        there = [item for item in items.values() if item.get("dynamic") != "true"]
        if there:
            lines.append(menu.replace("/", " ").strip().join(("/", "")))
        for item in there:
            words = " ".join(f'{word}="{value}"' for word, value in sorted(item.items()))
            lines.append(f"add {words}")
    return "\r\n".join(lines) + "\r\n"
