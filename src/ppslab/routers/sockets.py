"""What a machine of several sockets shows of itself, for the record of a run.

`lscpu`, the nodes and their distances, and of each card the node that it is on, its driver, its
queues and its interrupts: the same commands that one types on a server.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ppslab.backends import Node
from ppslab.lab.machine import Machine, plug

_MACHINE = """echo '## lscpu'; lscpu
echo '## distances'; cat /sys/devices/system/node/node*/distance
echo '## cpus'; cat /sys/devices/system/node/node*/cpulist
echo '## interrupts'; grep -E 'CPU|virtio[0-9]*-(in|out)put' /proc/interrupts
"""
_CARD = """echo '## {port} numa_node'; cat /sys/class/net/{port}/device/../numa_node
echo '## {port} local_cpulist'; cat /sys/class/net/{port}/device/../local_cpulist
echo '## {port} driver'; ethtool -i {port}
echo '## {port} channels'; ethtool -l {port}
echo '## {port} rings'; ethtool -g {port}
"""


def shown(node: Node, ports: Sequence[str]) -> dict[str, str]:
    """The answers of the router's node by heading, such as `lscpu` or `eth1 numa_node`."""
    script = _MACHINE + "".join(_CARD.format(port=port) for port in ports)
    answer = node.run(["sh"], input=script).stdout
    printed: dict[str, str] = {}
    heading = ""
    for line in answer.splitlines():
        if line.startswith("## "):
            heading = line[3:]
            printed[heading] = ""
        else:
            printed[heading] += f"{line}\n"
    return printed


def built(machine: Machine) -> dict[str, Any]:
    """The machine as it was ordered: its words, and the slot of every card."""
    return {
        **machine.model_dump(mode="json"),
        "slots": {
            f"{each.topology} {each.end.node}:{each.end.interface}": each.port
            for each in plug(machine)
        },
    }
