"""Cost of a packet in the page's router: the scripts that send the counted packets.

The kernel's own packet generator sends bursts of one UDP frame from one host to another, and a word
on the second serial line before and after each says to the page when to read the emulator's count
of instructions.  The same bursts again, dropped at the router's ingress, are what sending costs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ppslab.core.errors import FileError
from ppslab.model.lab.topology import Topology

PACKETS = (100, 500, 1500)
"""Of the bursts.  The first lets end what the commands before it left to do, and is not used."""

BACKLOG = 2 * sum(PACKETS)
"""Packets that may wait between two namespaces while bursts are counted (the kernel's own is 1000).

Where the kernel lets its softirqs wait while the generator sends on, a burst that is longer than
that would be cut, and the count would be that of fewer packets.
"""

_BACKLOG = "/proc/sys/net/core/netdev_max_backlog"

_UP = """\
{down}
set -e
cat {backlog_file} >/tmp/.backlog
echo {backlog} >{backlog_file}
{receiver} nft -f - <<'END'
table netdev ppslab_cost {{
  chain arrived {{
    type filter hook ingress device {receiver_port} priority -500; policy drop;
  }}
}}
END
cat >/tmp/.pktgen <<'END'
set -e
echo add_device {sender_port} >/proc/net/pktgen/kpktgend_0
for word in "pkt_size 60" "delay 0" "dst {destination}" "dst_mac $1" \\
    "src_min {source}" "src_max {source}"; do
    echo "$word" >/proc/net/pktgen/{sender_port}
done
END
{sender} dash /tmp/.pktgen $({router} cat /sys/class/net/{router_port}/address)
cat >/tmp/.burst <<'END'
set -e
what=$1
shift
for packets; do
    echo "count $packets" >/proc/net/pktgen/{sender_port}
    echo "mark $what $packets" >/dev/ttyS1
    echo start >/proc/net/pktgen/pgctrl
    echo "mark $what $packets" >/dev/ttyS1
done
END
"""

_ANSWER = """\
set -e
cat >/tmp/.answer <<'END'
set -e
echo add_device {receiver_port} >/proc/net/pktgen/kpktgend_0
for word in "pkt_size 60" "delay 0" "count 3" "dst {source}" "dst_mac $1" \\
    "src_min {destination}" "src_max {destination}"; do
    echo "$word" >/proc/net/pktgen/{receiver_port}
done
echo start >/proc/net/pktgen/pgctrl
echo rem_device_all >/proc/net/pktgen/kpktgend_0
END
cat >/tmp/.ask <<'END'
echo "count 3" >/proc/net/pktgen/{sender_port}
echo start >/proc/net/pktgen/pgctrl
END
{sender} dash /tmp/.ask
{receiver} dash /tmp/.answer $({router} cat /sys/class/net/{beyond_port}/address)
{sender} dash /tmp/.ask
"""

_ROUND = """\
set -e
{receiver} cat /sys/class/net/{receiver_port}/statistics/rx_packets
{sender} dash /tmp/.burst routed {packets}
{receiver} cat /sys/class/net/{receiver_port}/statistics/rx_packets
{router} nft -f - <<'END'
table netdev ppslab_cost {{
  chain dropped {{
    type filter hook ingress device {router_port} priority -500; policy drop;
  }}
}}
END
{sender} dash /tmp/.burst dropped {packets}
{receiver} cat /sys/class/net/{receiver_port}/statistics/rx_packets
{router} nft delete table netdev ppslab_cost
"""

_DOWN = """\
if test -s /tmp/.backlog; then cat /tmp/.backlog >{backlog_file}; rm /tmp/.backlog; fi
{{
{router} nft delete table netdev ppslab_cost
{receiver} nft delete table netdev ppslab_cost
{sender} dash -c 'echo rem_device_all >/proc/net/pktgen/kpktgend_0'
}} 2>/dev/null || true
"""


@dataclass(frozen=True)
class Count:
    """Scripts for the router in the page."""

    up: str
    """Before the first round; it clears away what an interrupted count left."""
    answer: str
    """After `up`: the receiver answers, so that FastTrack takes the connection."""
    round: str
    """A burst of each length, routed and then dropped; it prints how many packets had arrived at
    the receiver before the first, after the last that was routed, and at the end."""
    down: str
    packets: tuple[int, ...]
    flow: str
    """In words: from where to where."""


def count(topology: Topology, sender: str, receiver: str) -> Count:
    """The scripts for packets from a host through its router to another host.

    Raises FileError where the topology has no such hosts at one router, or one has no address.
    """
    router, router_port, sender_port = _wire(topology, sender)
    beyond, beyond_port, receiver_port = _wire(topology, receiver)
    if beyond != router:
        raise FileError(
            topology.path, None, f"{sender} hangs on {router}, but {receiver} on {beyond}"
        )
    destination = _address(topology, receiver, receiver_port)
    told = {
        "sender": sender,
        "sender_port": sender_port,
        "router": router,
        "router_port": router_port,
        "beyond_port": beyond_port,
        "receiver": receiver,
        "receiver_port": receiver_port,
        "source": _address(topology, sender, sender_port),
        "destination": destination,
        "packets": " ".join(map(str, PACKETS)),
        "backlog": BACKLOG,
        "backlog_file": _BACKLOG,
    }
    down = _DOWN.format(**told)
    return Count(
        up=_UP.format(**told, down=down),
        answer=_ANSWER.format(**told),
        round=_ROUND.format(**told),
        down=down,
        packets=PACKETS,
        flow=f"from {sender} through {router} to {receiver}",
    )


def _wire(topology: Topology, host: str) -> tuple[str, str, str]:
    """The node at the other end of a host's first link, its port there, and the host's own."""
    for link in topology.links:
        for here, there in ((link.a, link.b), (link.b, link.a)):
            if here.node == host:
                return there.node, there.interface, here.interface
    raise FileError(topology.path, None, f'no link of a node "{host}"')


def _address(topology: Topology, host: str, port: str) -> str:
    for command in topology.nodes[host].exec:
        found = re.fullmatch(rf"ip address add ([\d.]+)/\d+ dev {re.escape(port)}", command)
        if found:
            return found[1]
    raise FileError(topology.path, None, f"node {host} has no IPv4 address on {port}")
