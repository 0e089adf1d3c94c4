"""An interface of this machine, and whether a test may take it from the machine."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppslab.core.errors import CannotHereError, UsageError, did_you_mean


@dataclass(frozen=True)
class Interface:
    """An interface of this machine.

    `speed` in bits per second, None where the driver does not say (or there is no link).
    `used_by`: why a test must not have it; empty where it may.
    """

    name: str
    mac: str
    speed: int | None
    used_by: str


def look(name: str) -> Interface:
    """An interface as it is now.  UsageError where this machine has none of that name."""
    links = {link["ifname"]: link for link in ip("-d", "link", "show")}
    if name not in links:
        near = did_you_mean(name, links) or f" (there are: {', '.join(links)})"
        raise UsageError(f"this machine has no interface {name}{near}")
    link = links[name]
    return Interface(
        name=name,
        mac=str(link.get("address", "")),
        speed=_speed(name),
        used_by=_used_by(link, links.values()),
    )


def check(names: list[str]) -> None:
    """UsageError for the first interface that is in use, or not there."""
    for name in names:
        used = look(name).used_by
        if used:
            raise UsageError(
                f"interface {name} {used}: a test would take it away from this machine; free it, "
                "or enter another interface in the inventory"
            )


def _used_by(link: dict[str, Any], links: Iterable[dict[str, Any]]) -> str:
    name = link["ifname"]
    if link.get("link_type") != "ether":
        return "is no Ethernet interface"
    if "master" in link:
        return f"is a port of {link['master']}"
    if Path("/sys/class/net", name, "wireless").exists():
        return "is wireless"
    # The other end of a veth pair names it too, but does not use it.
    upon = [
        other["ifname"]
        for other in links
        if other.get("link") == name and other.get("linkinfo", {}).get("info_kind") != "veth"
    ]
    if upon:
        return f"carries {', '.join(upon)}"
    return next(_ways(name), "")


def _ways(name: str) -> Iterator[str]:
    """The addresses and routes that an interface has, but the kernel's own."""
    for entry in ip("address", "show", "dev", name):
        for address in entry.get("addr_info", ()):
            if address.get("scope") == "global":
                yield f"has the address {address['local']}/{address['prefixlen']}"
    for family in ("-4", "-6"):
        for route in ip(family, "route", "show", "dev", name):
            if route.get("protocol") != "kernel":
                yield f"has the route {route['dst']}"


def _speed(name: str) -> int | None:
    try:
        megabits = int(Path("/sys/class/net", name, "speed").read_text())
    except (OSError, ValueError):  # EINVAL where there is no link, or no such thing
        return None
    return megabits * 1_000_000 if megabits > 0 else None


def ip(*argv: str) -> list[dict[str, Any]]:
    """The answer of `ip -j`, e.g. to `link show`; CannotHereError where there is none."""
    try:
        done = subprocess.run(
            ["ip", "-j", *argv], capture_output=True, text=True, check=True, timeout=10
        )
    except FileNotFoundError:
        raise CannotHereError("there is no program `ip` here", "apt install iproute2") from None
    except subprocess.SubprocessError as error:
        raise CannotHereError(f"ip {' '.join(argv)}: {error}") from None
    return [entry for entry in json.loads(done.stdout or "[]") if entry]
