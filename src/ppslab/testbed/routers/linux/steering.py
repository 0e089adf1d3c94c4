"""Which CPUs route what a node's ports receive, and by how many queues the ports send.

Linux: Documentation/networking/scaling.rst.  A hash of addresses, protocol and ports says which of
several CPUs takes a packet (receive packet steering), as in a card that has a queue for each of
them.  When a CPU's backlog is full it drops packets, as a card with a full ring does, and the
sender does not notice.  A veth has as many queues as its kernel has CPUs, of which one is in use;
those that receive make no difference, as it forgets by which one a packet came.

A network card has queues that both receive and send (ethtool's `combined`).  If as many are in use
as there are CPUs, virtio_net gives each queue's interrupts to a CPU of its own
(virtnet_set_affinity() in drivers/net/virtio_net.c).  Whoever fills the card, here the host,
chooses the queue of a frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ppslab.core.errors import CannotHereError
from ppslab.model.lab.conditions import PortQueues
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
    """How the ports' queues differ from the words, by what `questions` got."""
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
