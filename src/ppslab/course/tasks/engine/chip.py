"""The switch chip of a lab's tasks: does what a driver does when a learner changes a setting.

Where RouterOS has /interface/ethernet/switch, a Linux router has a file, `SETTINGS`, with the same
words, a line each.  Before anything is looked at, `follow` does what they say: the program that
stands in for the chip is put in front of the ports' stack, or taken away, and its tables are filled
from the routes that the node has by then.  What came of it stands in `MONITOR`, under the names of
RouterOS's l3hw-settings/monitor.

Requests that are yielded: (TELL, argv, input) for the node with the chip, to be sent back (exit
code, output, errors).
"""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from ppslab.course.tasks.engine.judging import Steps
from ppslab.model.switch_chip import filling

TELL = "tell"

SETTINGS = "/run/l3hw-settings"
MONITOR = "/run/l3hw-monitor"
DONE = "/run/l3hw-done"
"""File of the settings and routes as applied: counters of a chip that need not change stay."""
FORGET = ("rm", "-f", SETTINGS, MONITOR, DONE)
"""As where nobody has set anything."""

_PORTS = "ports"
_WORDS = ("l3-hw-offloading", "ipv6-hw", "icmp-reply-on-error", _PORTS)


class WrongSettingError(ValueError):
    """A line of SETTINGS is none."""


class RefusedError(Exception):
    """The node refused a step, for the reason that it gave."""


class Settings:
    """RouterOS's settings of a switch chip, with its defaults.

    `ports`: those that have l3-hw-offloading of their own; a packet is forwarded in hardware where
    both of its ports have it (MikroTik's manual, L3 Hardware Offloading).  A real chip may forward
    also what comes in by a port without it; the program here hands that to the CPU.
    """

    def __init__(self, text: str, ports: Sequence[str]) -> None:
        """Of lines such as `ipv6-hw=yes`; WrongSettingError with the line where one is none.

        `ports`: the router's, which have it where no line says which.  A later line counts.
        """
        on = {"l3-hw-offloading": False, "ipv6-hw": False, "icmp-reply-on-error": True}
        self.ports = list(ports)
        for index, whole in enumerate(text.split("\n")):
            line = whole.strip()
            if not line or line.startswith("#"):
                continue
            key, sign, value = [part.strip() for part in line.partition("=")]
            where = f"{SETTINGS}, line {index + 1}"
            if not sign or key not in _WORDS:
                raise WrongSettingError(
                    f"{where}: no setting '{key}' (there are: {', '.join(_WORDS)}); "
                    "a line is such as ipv6-hw=no"
                )
            if key == _PORTS:
                self.ports = [name.strip() for name in value.split(",") if name.strip()]
                for name in self.ports:
                    if name not in ports:
                        known = ", ".join(ports)
                        raise WrongSettingError(f"{where}: no port '{name}'; the ports are {known}")
            elif value not in ("yes", "no"):
                raise WrongSettingError(f"{where}: {key} is yes or no, not '{value}'")
            else:
                on[key] = value == "yes"
        self.offloading = on["l3-hw-offloading"]
        self.ipv6_hw = on["ipv6-hw"]
        self.icmp_reply_on_error = on["icmp-reply-on-error"]


def follow(chip: Mapping[str, Any]) -> Steps:
    """Apply a node's settings; does nothing where they are applied already.

    `chip`: `facts` of chips.Chip; `ports`, the router's interfaces; shell lines: `away` takes the
    program away, `attach` puts it at a port, by the port's name, and then `load` loads it.
    """
    _, text, _ = yield (TELL, ["cat", SETTINGS], "")
    settings = Settings(text, chip["ports"])
    wanted, monitor, tables = "off", "l3-hw-offloading: no\n", None
    if settings.offloading and settings.ports:
        asked = yield from _told("sh -e", filling.ASK, "its routes")
        tables = filling.tables(
            filling.listed(asked), chip["facts"],
            settings.ipv6_hw, settings.icmp_reply_on_error, settings.ports,
        )  # fmt: skip
        wanted = _digest(",".join(settings.ports) + "\n" + tables.batch)
        monitor = _monitor(tables)
    _, done, _ = yield (TELL, ["cat", DONE], "")
    if done.strip() == wanted:
        return
    script = f"rm -f {DONE}\n{chip['away']}"
    if tables is not None:
        script += "\n".join([chip["attach"][port] for port in settings.ports])
        script += "\n" + chip["load"]
    yield from _told("sh -e", script + "\n", "the chip's program")
    if tables is not None:
        yield from _told("bpftool batch file -", tables.batch, "the chip's tables")
    noted = f"cat >{MONITOR} <<'PPSLAB'\n{monitor}PPSLAB\necho {wanted} >{DONE}\n"
    yield from _told("sh -e", noted, "the chip's monitor")


def _told(command: str, given: str, what: str) -> Steps:
    """The output of a command that has to succeed."""
    code, output, errors = yield (TELL, command.split(" "), given)
    if code:
        lines = (errors.strip() or output.strip()).split("\n")
        raise RefusedError(f"{what}: {lines[-1] or f'exit code {code}'}")
    return output


def _monitor(tables: filling.Tables) -> str:
    """The chip's contents.  Hosts count as routes, as they do on chips with one table for both."""
    lines = ["state: ok"]
    for family in (4, 6):
        there = tables.count(family, tables.hardware)
        left = tables.count(family, tables.cpu)
        lines += [
            f"ipv{family}-routes-total: {there + left}",
            f"ipv{family}-routes-hw: {there}",
            f"ipv{family}-routes-cpu: {left}",
        ]
        shortest = tables.shortest(family)
        if shortest is not None:
            lines.append(f"ipv{family}-shortest-hw-prefix: {shortest}")
    return "\n".join(lines) + "\n"


def _digest(text: str) -> str:
    return binascii.hexlify(hashlib.sha256(text.encode()).digest()).decode()
