"""A real bond in a guest spreads TCP as the Python of its hash says; packets in turn overtake."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from ppslab.core import documents
from ppslab.judge import balance, goodput
from ppslab.measure import tcp
from ppslab.measure.tcp import TcpTestbed, stand_tcp
from ppslab.model import results
from ppslab.model.lab import lab, profiles
from ppslab.model.results import ConditionRecord, TcpRecord
from ppslab.model.validity import PASSING
from ppslab.testbed.backends.backend import Node
from ppslab.testbed.backends.capabilities import usable
from tests.conftest import Opened

STATE = usable("vm")
pytestmark = [
    pytest.mark.guest,
    pytest.mark.weekly,
    pytest.mark.skipif(not STATE.usable, reason=f"no vm backend here: {STATE.why}"),
    pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3 is needed: ppslab doctor"),
]

LAB = lab.find("hundred")
# The hash of layer 2 is a part of that of layer 2+3.
POLICIES = {"lacp-layer3-4": "layer3+4", "lacp-layer2-3": "layer2+3"}
SECONDS = 2
ATTEMPTS = 5
"""Of a transfer: what is hashed and what overtakes shows only where enough was carried."""
BYTES = 200_000
"""What a transfer must have carried to be judged: with a few segments a connection there is more
of TCP's opening and closing in the counters than of data."""


@pytest.fixture(scope="module")
def testbed(opened: Opened) -> Iterator[TcpTestbed]:
    """The whole lab, in a guest."""
    with ExitStack() as stack:
        yield stand_tcp(stack, opened("vm"), LAB, profiles.load("quick"))


def transfer(testbed: TcpTestbed, name: str) -> tuple[ConditionRecord, results.Transfer]:
    """Two of the article's pairs, five connections each way."""
    pairs = {"some": LAB.spec.tcp.pairs["article"][:2]}
    words = testbed.tcp_spec.model_copy(update={"pairs": pairs, "instances": 1, "streams": 5})
    condition = LAB.condition(name)
    wanted = tcp.TransferSpec(words, SECONDS, "transfer", condition, "both", 0)
    made = tcp.transfer(testbed, LAB, wanted)
    assert PASSING.issuperset(made.causes), made.invalid_because
    said = ConditionRecord(
        name=name,
        title=condition.title,
        configuration=LAB.configuration(condition),
        read_back=testbed.read_backs[name],
    )
    return said, made


def once(
    testbed: TcpTestbed, name: str, wrong: Callable[[ConditionRecord, results.Transfer], str]
) -> None:
    """Whether a few transfers have one that carried enough, and of which nothing is `wrong`.

    Two guest CPUs must work at once, on a host that may have no more and does other work.
    """
    said = []
    for _ in range(ATTEMPTS):
        condition, made = transfer(testbed, name)
        if not made.valid or made.router is None:
            said.append("; ".join(made.invalid_because))
            continue
        sent = sum(link.tx_bytes for link in made.router.links.values())
        why = wrong(condition, made) if sent > BYTES else f"only {sent} bytes were sent"
        if not why:
            return
        said.append(why)
    pytest.fail("\n".join(said))


@pytest.mark.parametrize("name", POLICIES)
def test_every_port_carries_what_the_hash_says(testbed: TcpTestbed, name: str) -> None:
    def wrong(condition: ConditionRecord, made: results.Transfer) -> str:
        bond = balance.bond_of(condition)
        assert (bond.mode, len(bond.ports)) == ("802.3ad", 8)
        assert bond.policy == POLICIES[name]
        shares = balance.shares(condition, made)
        # Where nothing is sent by a port, nothing was to be.
        elsewhere = any(share.measured > 0.02 and not share.predicted for share in shares)
        right = balance.error(shares) < 2 * balance.PREDICTED and not elsewhere
        return "" if right else f"not as predicted: {shares}"

    once(testbed, name, wrong)


def test_each_generator_has_the_bond_of_its_netplan_and_sends_by_both_ports(
    testbed: TcpTestbed,
) -> None:
    network = documents.load_yaml(LAB.folder / "generator.netplan.yaml").data["network"]
    ((name, bond),) = network["bonds"].items()
    words = bond["parameters"]
    for host in testbed.hosts.values():
        said = host.run(["cat", f"/proc/net/bonding/{name}"]).stdout
        assert "IEEE 802.3ad" in said
        assert f"Transmit Hash Policy: {words['transmit-hash-policy']}" in said
        assert f"LACP rate: {words['lacp-rate']}" in said
        assert f"MII Polling Interval (ms): {words['mii-monitor-interval']}" in said
        # The switch has answered: without a partner, each port is an aggregator of its own.
        assert f"Number of ports: {len(bond['interfaces'])}" in said
        assert f" mtu {bond['mtu']} " in host.run(["ip", "link", "show", name]).stdout
    first = testbed.hosts["s01a"]
    address = first.run(["ip", "-4", "address", "show", name]).stdout
    assert bond["addresses"][0] in address
    route = first.run(["ip", "route", "show", "default"]).stdout
    assert f"via {bond['routes'][0]['via']} dev {name}" in route

    def wrong(condition: ConditionRecord, made: results.Transfer) -> str:
        sent = {port: _sent(first, port) - before[port] for port in before}
        return "" if min(sent.values()) > BYTES / 10 else f"s01a sent {sent}"

    before = {port: _sent(first, port) for port in ("eth1", "eth2")}
    once(testbed, "lacp-layer3-4", wrong)


def _sent(host: Node, port: str) -> int:
    return int(host.run(["cat", f"/sys/class/net/{port}/statistics/tx_bytes"]).stdout)


def test_packets_in_turn_use_all_ports_and_are_sent_again(testbed: TcpTestbed) -> None:
    record = TcpRecord.model_construct(segment_size=testbed.mtu - tcp.HEADERS)

    def wrong(condition: ConditionRecord, made: results.Transfer) -> str:
        even = balance.evenness(balance.shares(condition, made))
        # Every second packet ends at another CPU than the one before it.
        again = goodput.retransmitted(record, made)
        right = even > 0.85 and again > 0.02
        return "" if right else f"evenness {even:.2f}, sent again {again:.3f}"

    once(testbed, "balance-rr", wrong)
