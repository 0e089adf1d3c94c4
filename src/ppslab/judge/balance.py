"""The spread of a TCP transfer over the ports of a bond, beside the one that its hash predicts.

Everything is in the record: the bond, its policy and its MAC address in the router's read-back,
the generators' MAC addresses in the condition's files, the connections' ports in the transfer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

from ppslab.core.text.quantities import Content, Quantity, Sentence
from ppslab.core.text.tables import Table, cells
from ppslab.judge import goodput
from ppslab.judge.costs import NoDataError
from ppslab.model.bonding import POLICIES, RULES, Packet, Policy, connections, loads, port_of
from ppslab.model.bonding import evenness as evenness_of
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Lab
from ppslab.model.results import ConditionRecord, TcpDirection, TcpRecord, Transfer, Way

_NEIGHBOUR = re.compile(r"^neighbour \w+ (\S+) lladdr (\S+) ", re.MULTILINE)

# A frame less its data: Ethernet 14, IPv4 20, TCP 20, timestamps 12; that is also what an
# acknowledgement without data is.
_HEADERS = 66
_SEGMENTS_AN_ACKNOWLEDGEMENT = 2
"""RFC 1122 section 4.2.3.2: at least every second full segment is acknowledged."""


@dataclass(frozen=True)
class Bond:
    """The router's bond as it said of itself: `ports` in the order in which they joined."""

    name: str
    mode: str
    policy: Policy | None
    mac: str
    ports: tuple[str, ...]


@dataclass(frozen=True)
class Share:
    """One port's share of the bytes that the bond sent, 0 to 1; `predicted` by its policy."""

    port: str
    measured: float
    predicted: float
    connections: int


def bond_of(condition: ConditionRecord) -> Bond:
    """The bond of the router's read-back; NoDataError where it had none."""
    links = _links(condition.read_back)
    for link in links:
        about = link.get("linkinfo", {})
        if about.get("info_kind") != "bond":
            continue
        data = about.get("info_data", {})
        # It is printed for every mode; only the modes that hash go by it.
        hashes = data.get("mode") in ("802.3ad", "balance-xor")
        policy = next((p for p in POLICIES if p == data.get("xmit_hash_policy")), None)
        return Bond(
            name=link["ifname"],
            mode=str(data.get("mode")),
            policy=policy if hashes else None,
            mac=link["address"],
            ports=tuple(one["ifname"] for one in links if one.get("master") == link["ifname"]),
        )
    raise NoDataError(f"{condition.name}: the router's read-back has no bond")


def shares(condition: ConditionRecord, transfer: Transfer) -> list[Share]:
    """Each port's share of one transfer, measured and predicted; NoDataError without a bond.

    Predicted are the data of every connection towards its server and its acknowledgements towards
    its client, each by the port that the hash says.  A bond that does not hash sends as much by
    every port.
    """
    bond = bond_of(condition)
    assert transfer.router is not None
    sent = {port: transfer.router.links[port].tx_bytes for port in bond.ports}
    total = sum(sent.values())
    expected = dict.fromkeys(bond.ports, 0.0)
    connections = dict.fromkeys(bond.ports, 0)
    if bond.policy is None:
        expected = dict.fromkeys(bond.ports, 1.0)
    else:
        macs = neighbours(condition.configuration.values())
        for way in transfer.ways:
            for packet, size, is_data in packets(way, bond.mac, macs):
                port = bond.ports[port_of(packet, bond.policy, len(bond.ports))]
                expected[port] += size
                connections[port] += is_data
    whole = sum(expected.values())
    return [
        Share(
            port=port,
            measured=sent[port] / total if total else 0.0,
            predicted=expected[port] / whole if whole else 0.0,
            connections=connections[port],
        )
        for port in bond.ports
    ]


def of_condition(
    record: TcpRecord, name: str, direction: TcpDirection = "both"
) -> list[list[Share]]:
    """The shares of each valid transfer of a condition, by round."""
    condition = next((one for one in record.conditions if one.name == name), None)
    transfers = goodput.rounds(record, name, direction)
    if condition is None or not transfers:
        raise NoDataError(f"no valid transfer of {name}, {direction}")
    return [shares(condition, transfer) for transfer in transfers.values()]


def error(counted: list[Share]) -> float:
    """By how much the prediction missed: the share of the bytes that left through another port."""
    return sum(abs(share.measured - share.predicted) for share in counted) / 2


def evenness(counted: list[Share]) -> float:
    """The mean port's bytes over the busiest port's, 1/n to 1: of n ports' speed so much is used.

    A bond is full when its busiest port is.
    """
    return evenness_of([share.measured for share in counted])


def neighbours(files: Iterable[str]) -> dict[str, str]:
    """The MAC addresses that a condition's files name, by IP address."""
    return dict(_NEIGHBOUR.findall("\n".join(files)))


def packets(way: Way, mac: str, macs: Mapping[str, str]) -> Iterator[tuple[Packet, float, bool]]:
    """Data and acknowledgements of each connection, as the router sends them on, with bytes."""
    if way.addresses is None:
        raise NoDataError("the record is old, and does not contain the connections' ports")
    client, server = way.addresses
    for each in (client, server):
        if each not in macs:
            raise NoDataError(f"no file of the condition names the neighbour {each}")
    for (here, there), received in zip(way.ports, way.received_bytes, strict=True):
        segments = received / (way.segment_size or 1)
        data = Packet(mac, macs[server], client, server, (here, there))
        yield data, received + _HEADERS * segments, True
        answer = Packet(mac, macs[client], server, client, (there, here))
        yield answer, _HEADERS * segments / _SEGMENTS_AN_ACKNOWLEDGEMENT, False


def article(lab: Lab, streams: int, *, greedy: bool = False) -> list[tuple[Packet, float]]:
    """The packets of the lab's pairs as its router sends them on, each with its share of traffic.

    As `connections` makes them of the lab's addresses.
    """
    assert lab.spec.tcp is not None
    macs = neighbours(lab.configuration(lab.condition("lacp-layer3-4")).values())
    node = topology.find(lab.spec.topology).nodes[lab.spec.router]
    # The bond has the address of the port that joined it first.
    router = next(line.split()[-1] for line in node.exec if "dev eth1 address" in line)
    pairs = [(str(one.address), str(other.address)) for one, other in lab.spec.tcp.pairs["article"]]
    return connections(pairs, macs, router, streams, greedy=greedy)


def rules_table(lab: Lab, links: int = 8) -> Table:
    """One row for each number of the article's connections, one column a rule."""
    traffic = {
        "12, one from each generator": article(lab, 1),
        "120": article(lab, 10),
        "360, as in the article": article(lab, 30),
        "360, every tenth with 20 times the traffic": article(lab, 30, greedy=True),
    }
    rows = []
    for title, flows in traffic.items():
        carried = [loads(flows, rule, links) for rule in RULES]
        used = [f"{sum(load > 0 for load in one)} ports, {evenness_of(one):.0%}" for one in carried]
        rows.append(cells(title, *used))
    return Table(
        title=f"A bond of {links} ports, calculated: ports used, and share of the bond's capacity",
        header=("connections", *RULES),
        rows=tuple(rows),
        notes=("Share: the traffic of all ports when the busiest port is full.",),
    )


def _links(read_back: str) -> list[dict[str, Any]]:
    """Parse `ip -j -d link` out of a read-back: the router's links, none of the other nodes'."""
    own = read_back.split("# node ", 1)[0]
    _, _, rest = own.partition("## links\n")
    text = rest.split("\n## ", 1)[0].strip()
    return [link for link in json.loads(text) if link] if text else []


PREDICTED = 0.1
"""A prediction that misses by less than this share of the bytes holds: it knows the data of every
connection, but not what was sent again, and its acknowledgements only by half of the segments."""


def table(record: TcpRecord, direction: TcpDirection = "both") -> Table:
    """Table of the shares of a bond's ports: one row a condition, medians over the rounds."""
    bonds: list[tuple[ConditionRecord, list[list[Share]]]] = []
    for condition in record.conditions:
        with suppress(NoDataError):
            bonds.append((condition, of_condition(record, condition.name, direction)))

    def middle(of: Callable[[list[Share]], float], rounds: list[list[Share]]) -> float:
        return median(map(of, rounds))

    return Table.of(
        "The ports of the router's bond",
        bonds,
        {
            "condition": lambda bond: record.named(bond[0].name),
            "ports used": lambda bond: f"{middle(_used, bond[1]):.0f}",
            "busiest port": lambda bond: _percent(middle(_busiest, bond[1])),
            "of the bond's speed": lambda bond: _percent(middle(evenness, bond[1])),
            "chosen by": lambda bond: _rule(bond[0]),
            "as predicted": lambda bond: _as_predicted(middle(error, bond[1])),
        },
        "Busiest port: share of the bytes that the router sent through it.",
        "Of the bond's speed: traffic of all ports when the busiest port is full, as a share "
        "of their capacity.",
        f"As predicted: less than {PREDICTED:.0%} of the bytes left through another port "
        "than the kernel's rule predicts.",
        provenance=record.provenance(),
    )


def _busiest(shares: list[Share]) -> float:
    return max(share.measured for share in shares)


def _used(shares: list[Share]) -> int:
    """Ports with more than the LACP frames and what else is no data: a thousandth of the bytes."""
    return sum(share.measured > 0.001 for share in shares)


def _rule(condition: ConditionRecord) -> str:
    bond = bond_of(condition)
    return f"hash of {bond.policy}" if bond.policy else "turn"


def _as_predicted(missed: float) -> Content:
    if missed < PREDICTED:
        return "yes"
    return Sentence(("no, ", _percent(missed), " left through another port"))


def _percent(share: float) -> Quantity:
    return Quantity(100 * share, unit="%", digits=3)
