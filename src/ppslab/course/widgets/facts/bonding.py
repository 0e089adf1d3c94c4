"""Facts of the bond: the lab's servers and pairs, and what its newest run sent by each link."""

from __future__ import annotations

from typing import Any

from ppslab.judge import balance, goodput
from ppslab.judge.costs import NoDataError
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.model.results import ConditionRecord, TcpRecord, Transfer

LAB = "hundred"


def facts() -> dict[str, Any]:
    """The facts of ppslab.course.models.bonding; `runs` is empty where no run is recorded."""
    lab = labs.find(LAB)
    macs = balance.neighbours(lab.configuration(lab.condition("lacp-layer3-4")).values())
    assert lab.spec.tcp is not None and lab.spec.port_speed is not None
    pairs = lab.spec.tcp.pairs["article"]
    servers = {end.host: str(end.address) for pair in pairs for end in pair}
    return {
        "router": _router_mac(lab),
        "port_speed": lab.spec.port_speed / 1e9,
        "servers": [[name, address, macs[address]] for name, address in servers.items()],
        "pairs": [[end.host for end in pair] for pair in pairs],
        **_measured(results.newest_of(TcpRecord, LAB)),
    }


def _router_mac(lab: Lab) -> str:
    """The bond has the address of the port that joined it first."""
    node = topology.find(lab.spec.topology).nodes[lab.spec.router]
    words = next(line.split() for line in node.exec if "dev eth1 address" in line)
    return words[-1]


def _measured(record: TcpRecord | None) -> dict[str, Any]:
    """Of each condition that hashes: policy, the links' measured shares, the connections."""
    runs = []
    for condition in record.conditions if record else ():
        assert record is not None
        try:
            bond = balance.bond_of(condition)
            transfer = next(iter(goodput.rounds(record, condition.name, "both").values()), None)
            if bond.policy and transfer:
                shares = balance.shares(condition, transfer)
                connections = _connections(condition, transfer, bond.mac)
                runs.append([bond.policy, [round(s.measured, 4) for s in shares], connections])
        except NoDataError:
            continue
    return {"runs": runs, "record": record.id if record and runs else ""}


def _connections(condition: ConditionRecord, transfer: Transfer, mac: str) -> list[list[Any]]:
    """Client, server, its port, the server's port, bytes of data, bytes of acknowledgements."""
    macs = balance.neighbours(condition.configuration.values())
    rows: list[list[Any]] = []
    for way in transfer.ways:
        for packet, size, is_data in balance.packets(way, mac, macs):
            if is_data:
                rows.append([packet.source, packet.target, *(packet.ports or ()), round(size)])
            else:
                rows[-1].append(round(size))
    return rows
