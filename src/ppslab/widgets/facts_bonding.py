"""Facts of the bond: the lab's servers and pairs, and what its newest run sent by each link."""

from __future__ import annotations

from typing import Any

from ppslab import balance, goodput, results, topology
from ppslab import lab as labs
from ppslab.analysis import NoDataError
from ppslab.lab import Lab
from ppslab.results import ConditionRecord, TcpRecord, Transfer

LAB = "hundred"


def facts() -> dict[str, Any]:
    """What ppslab.models.bonding wants; `runs` is empty where no run is recorded."""
    lab = labs.find(LAB)
    macs = balance.neighbours(lab.configuration(lab.condition("lacp-layer3-4")).values())
    assert lab.words.tcp is not None and lab.words.port_speed is not None
    pairs = lab.words.tcp.pairs["article"]
    servers = {end.host: str(end.address) for pair in pairs for end in pair}
    return {
        "router": _router_mac(lab),
        "port_speed": lab.words.port_speed / 1e9,
        "servers": [[name, address, macs[address]] for name, address in servers.items()],
        "pairs": [[end.host for end in pair] for pair in pairs],
        **_measured(results.newest_of(TcpRecord, LAB)),
    }


def _router_mac(lab: Lab) -> str:
    """The bond has the address of the port that joined it first."""
    node = topology.find(lab.words.topology).nodes[lab.words.router]
    words = next(line.split() for line in node.exec if "dev eth1 address" in line)
    return words[-1]


def _measured(record: TcpRecord | None) -> dict[str, Any]:
    """Of each condition that hashes: policy, the links' measured shares, the connections."""
    runs = []
    for condition in record.conditions if record else ():
        assert record is not None
        try:
            bond = balance.bond_of(condition)
            found = next(iter(goodput.rounds(record, condition.name, "both").values()), None)
            if bond.policy and found:
                shares = balance.shares(condition, found)
                connections = _connections(condition, found, bond.mac)
                runs.append([bond.policy, [round(s.measured, 4) for s in shares], connections])
        except NoDataError:
            continue
    return {"runs": runs, "record": record.id if record and runs else ""}


def _connections(condition: ConditionRecord, transfer: Transfer, mac: str) -> list[list[Any]]:
    """Client, server, its port, the server's port, bytes of data, bytes of acknowledgements."""
    macs = balance.neighbours(condition.configuration.values())
    made: list[list[Any]] = []
    for way in transfer.ways:
        for packet, size, is_data in balance.packets(way, mac, macs):
            if is_data:
                made.append([packet.source, packet.target, *(packet.ports or ()), round(size)])
            else:
                made[-1].append(round(size))
    return made
