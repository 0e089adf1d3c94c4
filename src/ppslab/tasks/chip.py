"""The switch chip of a lab's tasks: what a switch's driver does when a learner changes a setting.

Where RouterOS has /interface/ethernet/switch, a Linux router has a file, `SETTINGS`, with the same
words, a line each.  Before anything is looked at, `follow` does what they say: the program that
stands in for the chip is put in front of the ports' stack, or taken away, and its tables are filled
from the routes that the node has by then.  What came of it stands in `MONITOR`, under the names of
RouterOS's l3hw-settings/monitor.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ppslab.backends import Node
from ppslab.conditions import LinuxWords, SwitchChip
from ppslab.errors import BackendError, UsageError, did_you_mean
from ppslab.routers import bpf_maps, steps

SETTINGS = "/run/l3hw-settings"
MONITOR = "/run/l3hw-monitor"
_DONE = "/run/l3hw-done"
"""What was made of which settings and routes: the counters of a chip that need not change stay."""

PROGRAM = "l3_offload"

_SWITCHES = ("l3-hw-offloading", "ipv6-hw", "icmp-reply-on-error")
_PORTS = "ports"
_WORDS = (*_SWITCHES, _PORTS)


@dataclass(frozen=True)
class Settings:
    """RouterOS's settings of a switch chip, with its defaults.

    `ports`: those that have l3-hw-offloading of their own; a packet is forwarded in hardware where
    both of its ports have it (MikroTik's manual, L3 Hardware Offloading).
    """

    offloading: bool = False
    ports: tuple[str, ...] = ()
    ipv6_hw: bool = False
    icmp_reply_on_error: bool = True

    @classmethod
    def read(cls, text: str, ports: Sequence[str]) -> Settings:
        """Of lines such as `ipv6-hw=yes`; UsageError with the line where one is none of these.

        `ports`: the router's, which have it where no line says which.  A later line counts.
        """
        on = {"l3-hw-offloading": False, "ipv6-hw": False, "icmp-reply-on-error": True}
        given = tuple(ports)
        for number, line in enumerate(map(str.strip, text.splitlines()), 1):
            if not line or line.startswith("#"):
                continue
            key, sign, value = (part.strip() for part in line.partition("="))
            where = f"{SETTINGS}, line {number}"
            if not sign or key not in _WORDS:
                near = did_you_mean(key, _WORDS) or f" (there are: {', '.join(_WORDS)})"
                raise UsageError(f"{where}: no setting {key!r}{near}; a line is such as ipv6-hw=no")
            if key == _PORTS:
                given = tuple(filter(None, (name.strip() for name in value.split(","))))
                for name in given:
                    if name not in ports:
                        known = ", ".join(ports)
                        raise UsageError(f"{where}: no port {name!r}; the ports are {known}")
            elif value not in ("yes", "no"):
                raise UsageError(f"{where}: {key} is yes or no, not {value!r}")
            else:
                on[key] = value == "yes"
        return cls(on["l3-hw-offloading"], given, on["ipv6-hw"], on["icmp-reply-on-error"])


def follow(node: Node, device: str, ports: Sequence[str], objects: Path) -> None:
    """Do on a node what its settings say; nothing where that is done already.

    `device`: whose chip; `ports`: the router's interfaces; `objects`: the folder of BPF programs.
    UsageError where a setting is none; BackendError with the node's words where a step fails.
    """
    text = node.run(["cat", SETTINGS], check=False).stdout
    settings = Settings.read(text, ports)
    chip = SwitchChip(
        device=device,
        ipv6_hw=settings.ipv6_hw,
        icmp_reply_on_error=settings.icmp_reply_on_error,
    )
    words = LinuxWords(bpf=PROGRAM, switch_chip=chip, bpf_ports=settings.ports)
    if not settings.offloading or not settings.ports:
        wanted, monitor, tables = "off", "l3-hw-offloading: no\n", None
    else:
        tables = bpf_maps.tables(node, chip, settings.ports)
        wanted = hashlib.sha256(f"{settings}\n{tables.batch}".encode()).hexdigest()
        monitor = _monitor(tables)
    done = node.run(["cat", _DONE], check=False).stdout.strip()
    if done == wanted:
        return
    script = f"rm -f {_DONE}\n" + steps.take_away(words, ports)
    if tables is not None:
        script += "\n".join(steps.attach(words, ports, objects, "tc"))
    answer = node.run(["sh", "-e"], input=script + "\n", check=False)
    if answer.returncode != 0:
        raise BackendError(f"router {node.name}: the chip's program: {answer.stderr.strip()}")
    if tables is not None:
        bpf_maps.fill(node, tables)
    node.run(
        ["sh", "-e"], input=f"{steps.feed(f'cat >{MONITOR}', monitor)}echo {wanted} >{_DONE}\n"
    )


def _monitor(tables: bpf_maps.Tables) -> str:
    """What the chip holds.  Hosts count as routes, as they do on chips with one table for both."""
    lines = ["state: ok"]
    for family in (4, 6):
        there = sum(route.prefix.family == family for route in tables.choice.hardware)
        left = sum(route.prefix.family == family for route in tables.choice.cpu)
        lines += [
            f"ipv{family}-routes-total: {there + left}",
            f"ipv{family}-routes-hw: {there}",
            f"ipv{family}-routes-cpu: {left}",
        ]
        shortest = tables.choice.shortest(family)
        if shortest is not None:
            lines.append(f"ipv{family}-shortest-hw-prefix: {shortest}")
    return "\n".join(lines) + "\n"
