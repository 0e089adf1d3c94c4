"""The tables of a switch chip, as maps of a BPF program, filled as RouterOS fills a chip's.

The program is l3_offload (images/linux-router/bpf).  What goes into its tables is chosen from the
node's own routes and neighbours by `theory.switch_chip`, the same code that plans for a real
device: longest prefixes first, until the chip's table is full.  The maps are pinned by name, so
all ports share them, and bpftool finds them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.core.errors import BackendError
from ppslab.model.lab.conditions import LinuxSpec, SwitchChip
from ppslab.model.switch_chip import chips, filling, route_files
from ppslab.model.switch_chip.filling import PINS, Tables
from ppslab.testbed.backends import Node

FORGET = f"rm -f {PINS}/l3_*\n"
"""Shell line: the tables go with the last program that uses them."""

PROTOCOL = 198
"""Marks the routes of a condition, so that they can be taken away together (rtnetlink(7))."""

FORGET_ROUTES = f"ip route flush proto {PROTOCOL}\nip -6 route flush proto {PROTOCOL}\n"
"""Shell lines: those routes, and only those."""

# bpftool prints each key twice: as bytes, and as the struct that it is.
_COUNT = 'bpftool -j map dump pinned {pin} | grep -oF \'"key":["\' | wc -l'


def routes_of(path: Path) -> str:
    """Lines for `ip -batch` of a file of routes (`ppslab.model.switch_chip.routes`)."""
    return _routes_of(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _routes_of(path: Path, _changed: int) -> str:
    # Every trial of a condition loads the same thousands of lines.
    return "\n".join(route_files.commands(path, PROTOCOL))


def fill(node: Node, tables: Tables) -> None:
    """Write the tables; BackendError with the kernel's words where it refuses an entry."""
    answer = node.run(["bpftool", "batch", "file", "-"], input=tables.batch, check=False)
    if answer.returncode != 0:
        errors = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
        raise BackendError(
            f"router {node.name}: the chip's tables: {errors[-1] if errors else 'bpftool failed'}"
        )


def tables(node: Node, chip: SwitchChip, ports: Sequence[str] | None = None) -> Tables:
    """What the chip's tables are to hold of the node's routes and neighbours as they are now.

    `ports`: those that the chip forwards to; None: all.
    """
    asked = filling.listed(node.run(["sh", "-e"], input=filling.ASK).stdout)
    return of_kernel(asked, chip, ports)


def of_kernel(asked: Sequence[Any], chip: SwitchChip, ports: Sequence[str] | None = None) -> Tables:
    """The same of what `filling.listed` has read."""
    facts = chips.of(chip.device).facts
    try:
        return filling.tables(asked, facts, chip.ipv6_hw, chip.icmp_reply_on_error, ports)
    except filling.TooManyError as error:
        raise BackendError(str(error)) from None


def questions(spec: LinuxSpec) -> str:
    """Shell lines that ask what the tables hold, for a condition with a switch chip."""
    if spec.switch_chip is None:
        return ""
    counts = "".join(f"{_COUNT.format(pin=f'{PINS}/l3_ipv{n}')}\n" for n in (4, 6))
    return f"echo '## chip'\n{counts}bpftool map lookup pinned {PINS}/l3_settings key 0 0 0 0\n"


def compare(spec: LinuxSpec, dump: str, wanted: Tables | None) -> Iterator[str]:
    """How the tables differ from what was chosen, a sentence each; `dump`: what was answered."""
    if spec.switch_chip is None:
        return
    counts = [line for line in dump.split() if line.isdigit()][:2]
    if wanted is None or counts != [str(wanted.ipv4), str(wanted.ipv6)]:
        chosen = f"{wanted.ipv4} and {wanted.ipv6}" if wanted else "no"
        yield f"the chip's tables hold {' and '.join(counts) or 'no'} prefixes, not {chosen}"
    overflowed = '"value": 1' in dump
    if wanted is not None and overflowed != spec.switch_chip.icmp_reply_on_error:
        yield f"the chip's icmp-reply-on-error is {'yes' if overflowed else 'no'}"
