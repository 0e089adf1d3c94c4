"""CPUs that route what a node's ports receive, and queues by which the ports send.

Linux: Documentation/networking/scaling.rst.  A hash of addresses, protocol and ports says which of
several CPUs takes a packet (receive packet steering), as in a card that has a queue for each of
them.  When a CPU's backlog is full it drops packets, as a card with a full ring does, and the
sender does not notice.  A veth has as many queues as its kernel has CPUs, of which one is in use;
those that receive make no difference, as it forgets by which one a packet came.

A network card has queues that both receive and send (ethtool's `combined`).  If as many are in use
as there are CPUs, virtio_net gives each queue's interrupts to a CPU of its own
(virtnet_set_affinity() in drivers/net/virtio_net.c).  Whoever fills the card, here the host,
chooses the queue of a frame.

The tables of a switch chip, as maps of a BPF program, filled as RouterOS fills a chip's.

The program is l3_offload (images/linux-router/bpf).  What goes into its tables is chosen from the
node's own routes and neighbours by `model.switch_chip`, the same code that plans for a real
device: longest prefixes first, until the chip's table is full.  The maps are pinned by name, so
all ports share them, and bpftool finds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.core.errors import BackendError, CannotHereError
from ppslab.model.lab.conditions import LinuxSpec, PortQueues, SwitchChip
from ppslab.model.switch_chip import chips, filling, routes
from ppslab.model.switch_chip.filling import PINS, Tables
from ppslab.testbed.backends import Node

HEADING = "port queues"


def give(queues: Mapping[str, PortQueues]) -> list[str]:
    """Shell lines that give ports their queues, and the CPUs that take what they receive."""
    lines = []
    for port, own in queues.items():
        here = f"/sys/class/net/{port}/queues"
        count, kind = (own.combined, "combined") if own.combined else (own.transmit, "tx")
        # Only what changes anything: ethtool fails where nothing is to be changed.
        lines.append(
            f"[ -e {here}/tx-{count - 1} ] && [ ! -e {here}/tx-{count} ] || "
            f"ethtool -L {port} {kind} {count}"
        )
        if own.combined:
            lines.append(f"for q in {here}/rx-*; do echo {_mask(own.cpus)} >$q/rps_cpus; done")
        else:
            lines.append(f"echo {_mask(own.cpus)} >{here}/rx-0/rps_cpus")
    return lines


def take(queues: Mapping[str, PortQueues]) -> str:
    """Shell lines that leave each port one queue, and packets to the CPU that they come by."""
    bare = {port: PortQueues(combined=own.combined and 1) for port, own in queues.items()}
    return "".join(f"{line}\n" for line in give(bare))


def questions(queues: Mapping[str, PortQueues]) -> str:
    """Shell lines that ask for every queue of the ports, under a heading."""
    lines = (
        f"echo '## {HEADING}'\n"
        f"for p in {' '.join(queues)}; do for q in /sys/class/net/$p/queues/*; do\n"
        'm=; [ ! -e $q/rps_cpus ] || read m <$q/rps_cpus; echo "$p ${q##*/} $m"\n'
        "done; done\n"
    )
    cards = " ".join(port for port, own in queues.items() if own.combined)
    if cards:
        # ethtool lists what the card has, and then what is in use.
        lines += (
            f"for p in {cards}; do\n"
            "ethtool -l $p | while read k n; do\n"
            '[ "$k" != Combined: ] || echo "$p combined $n"\n'
            "done; done\n"
        )
    return lines


def problems(queues: Mapping[str, PortQueues], answer: str) -> Iterable[str]:
    """Find differences of the ports' queues from the words, in the answer to `questions`."""
    found: dict[str, dict[str, str]] = {port: {} for port in queues}
    for line in answer.splitlines():
        port, queue, *mask = line.split()
        # `combined` comes twice, and the later one is in use.
        found[port][queue] = mask[0] if mask else ""
    for port, own in queues.items():
        if own.combined is not None:
            used = found[port].get("combined", "no")
            if used != str(own.combined):
                yield f"card {port} uses {used} queues, not {own.combined}"
        sending = sum(name.startswith("tx-") for name in found[port])
        if sending != (own.combined or own.transmit):
            yield f"port {port} sends by {sending} queues, not {own.combined or own.transmit}"
        receiving = [name for name in found[port] if name.startswith("rx-")]
        # A veth's queues that receive make no difference but the first.
        for name in receiving if own.combined else ("rx-0",):
            # Of more than 32 CPUs a mask has commas.
            shown = found[port].get(name, "").replace(",", "") or "0"
            wanted = _mask(own.cpus)
            if int(shown, 16) != int(wanted, 16):
                yield f"port {port}: CPUs {shown} take what it receives, not {wanted} (masks)"


def steer(node: Node, ports: Sequence[str], cpu: int | None) -> None:
    """Let `cpu` route what the ports receive; None: the CPU that sends does (coupled)."""
    mask = f"{1 << cpu:x}" if cpu is not None else "0"
    lines = [f"echo {mask} > /sys/class/net/{p}/queues/rx-0/rps_cpus" for p in ports]
    answer = node.run(["sh", "-e"], input="\n".join(lines), check=False)
    if answer.returncode != 0:
        raise CannotHereError(
            "packets cannot be steered to a CPU of their own here: "
            + answer.stderr.strip().splitlines()[-1],
            "run as root, or with --backend vm",
        )


def _mask(cpus: Sequence[int]) -> str:
    return f"{sum(1 << cpu for cpu in set(cpus)):x}"


# --- the tables of a switch chip ------------------------------------------------------------------


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
    return "\n".join(routes.commands(path, PROTOCOL))


def fill(node: Node, tables: Tables) -> None:
    """Write the tables; BackendError with the kernel's words where it refuses an entry."""
    answer = node.run(["bpftool", "batch", "file", "-"], input=tables.batch, check=False)
    if answer.returncode != 0:
        errors = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
        raise BackendError(
            f"router {node.name}: the chip's tables: {errors[-1] if errors else 'bpftool failed'}"
        )


def tables(node: Node, chip: SwitchChip, ports: Sequence[str] | None = None) -> Tables:
    """Choose the chip's tables from the node's routes and neighbours as they are now.

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


def chip_questions(spec: LinuxSpec) -> str:
    """Shell lines that ask what the tables hold, for a condition with a switch chip."""
    if spec.switch_chip is None:
        return ""
    counts = "".join(f"{_COUNT.format(pin=f'{PINS}/l3_ipv{n}')}\n" for n in (4, 6))
    return f"echo '## chip'\n{counts}bpftool map lookup pinned {PINS}/l3_settings key 0 0 0 0\n"


def chip_problems(spec: LinuxSpec, dump: str, wanted: Tables | None) -> Iterator[str]:
    """Find differences of the tables from those chosen, a sentence each; `dump`: the answer."""
    if spec.switch_chip is None:
        return
    counts = [line for line in dump.split() if line.isdigit()][:2]
    if wanted is None or counts != [str(wanted.ipv4), str(wanted.ipv6)]:
        chosen = f"{wanted.ipv4} and {wanted.ipv6}" if wanted else "no"
        yield f"the chip's tables hold {' and '.join(counts) or 'no'} prefixes, not {chosen}"
    overflowed = '"value": 1' in dump
    if wanted is not None and overflowed != spec.switch_chip.icmp_reply_on_error:
        yield f"the chip's icmp-reply-on-error is {'yes' if overflowed else 'no'}"
