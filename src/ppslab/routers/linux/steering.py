"""Which CPUs route what a node's ports receive, and by how many queues the ports send.

Linux: Documentation/networking/scaling.rst.  A hash of addresses, protocol and ports says which of
several CPUs takes a packet (receive packet steering), as in a card that has a queue for each of
them.  When a CPU's backlog is full it drops packets, as a card with a full ring does, and the
sender does not notice.  A veth has as many queues as its kernel has CPUs, of which one is in use;
those that receive make no difference, as it forgets by which one a packet came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ppslab.backends import Node
from ppslab.base.errors import CannotHereError
from ppslab.lab.conditions import PortQueues

HEADING = "port queues"


def give(queues: Mapping[str, PortQueues]) -> list[str]:
    """Shell lines that give ports their queues, and the CPUs that take what they receive."""
    lines = []
    for port, own in queues.items():
        here = f"/sys/class/net/{port}/queues"
        # Only what changes anything: ethtool fails where nothing is to be changed.
        lines.append(
            f"[ -e {here}/tx-{own.transmit - 1} ] && [ ! -e {here}/tx-{own.transmit} ] || "
            f"ethtool -L {port} tx {own.transmit}"
        )
        lines.append(f"echo {_mask(own.cpus)} >{here}/rx-0/rps_cpus")
    return lines


def take(ports: Sequence[str]) -> str:
    """Shell lines that leave each port one queue, and packets to the CPU that they come by."""
    return "".join(f"{line}\n" for line in give(dict.fromkeys(ports, PortQueues())))


def questions(ports: Iterable[str]) -> str:
    """Shell lines that ask for every queue of the ports, under a heading."""
    return (
        f"echo '## {HEADING}'\n"
        f"for p in {' '.join(ports)}; do for q in /sys/class/net/$p/queues/*; do\n"
        'm=; [ ! -e $q/rps_cpus ] || read m <$q/rps_cpus; echo "$p ${q##*/} $m"\n'
        "done; done\n"
    )


def problems(queues: Mapping[str, PortQueues], answer: str) -> Iterable[str]:
    """How the ports' queues differ from the words, by what `questions` got."""
    found: dict[str, dict[str, str]] = {port: {} for port in queues}
    for line in answer.splitlines():
        port, queue, *mask = line.split()
        found[port][queue] = mask[0] if mask else ""
    for port, own in queues.items():
        sending = sum(name.startswith("tx-") for name in found[port])
        if sending != own.transmit:
            yield f"port {port} sends by {sending} queues, not {own.transmit}"
        # Of more than 32 CPUs a mask has commas.
        shown = found[port].get("rx-0", "").replace(",", "") or "0"
        if int(shown, 16) != int(_mask(own.cpus), 16):
            yield f"port {port}: CPUs {shown} take what it receives, not {_mask(own.cpus)} (masks)"


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
