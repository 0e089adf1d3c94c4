"""What commands of a RouterOS device answer over REST, where POST runs them.

Recorded (CHR 7.22.1): a command that goes on answers with a row a second and `.section` for
`duration`, with one row and no `.section` for `once`, and else not at all; `/execute` answers
{"ret": ...} at once with `as-string`, and its failures too, with 200; licence errors come with 200
in the last row; `device-mode/update` answers nothing until it is confirmed, then 400.
[INF] the rows of /tool/profile, /system/resource/cpu and /system/resource/monitor: names from the
manual, form as of all other commands; what /export and /system/backup/save answer.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from tests.support.doubles.routeros_words import RefusedError, bad

if TYPE_CHECKING:
    from tests.support.doubles.routeros_rest import Device

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


def rows(device: Device, words: dict[str, str], one: list[dict[str, str]]) -> list[dict[str, str]]:
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
    return rows(device, words, one)


def _profile(device: Device, words: dict[str, str]) -> Any:
    cpus = int(device.resource["cpu-count"])
    which = [str(n) for n in range(cpus)] if words.get("cpu") == "all" else ["all"]
    one = [
        {"name": name, "cpu": cpu, "usage": usage}
        for cpu in which
        for name, usage in device.profile.items()
    ]
    return rows(device, words, one)


def _resource(device: Device, words: dict[str, str]) -> Any:
    cpus = int(device.resource["cpu-count"])
    load = device.resource["cpu-load"]
    one = {
        "cpu-used": load, "cpu-used-per-core": ",".join([load] * cpus),
        "free-memory": device.resource["free-memory"],
    }  # fmt: skip
    return rows(device, words, [one])


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
