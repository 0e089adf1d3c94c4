"""The meters of Linux count what meters.csv says, frame for frame, through a real router."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model import meters
from ppslab.model.lab import lab, profiles
from ppslab.testbed.backends import capabilities, open_backend

pytestmark = [pytest.mark.live, pytest.mark.alone]

RULES = """table ip counting {
  chain forward {
    type filter hook forward priority 0; policy accept;
    udp dport 200 counter
  }
}
"""


@pytest.fixture(scope="module")
def testbed() -> Iterator[FrameTestbed]:
    missing = {"nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("namespaces"))
        yield stand(stack, backend, lab.find("fastpath"), profiles.load("quick"))


def interface(testbed: FrameTestbed) -> tuple[int, int]:
    """Packets and bytes that the router's ports have received."""
    shown = testbed.router.node.run(["ip", "-j", "-s", "link", "show"]).stdout
    ports = [link for link in json.loads(shown) if link["ifname"] in testbed.router.ports]
    received = [link["stats64"]["rx"] for link in ports]
    return sum(rx["packets"] for rx in received), sum(rx["bytes"] for rx in received)


def rule(testbed: FrameTestbed) -> tuple[int, int]:
    """Packets and bytes that the rule has counted."""
    listing = json.loads(testbed.router.node.run(["nft", "-j", "list", "ruleset"]).stdout)
    rules = [entry["rule"] for entry in listing["nftables"] if "rule" in entry]
    counter = next(part["counter"] for part in rules[0]["expr"] if "counter" in part)
    return counter["packets"], counter["bytes"]


@pytest.mark.parametrize("size", [64, 512, 1518])
def test_bytes_over_packets_are_those_of_the_list(testbed: FrameTestbed, size: int) -> None:
    plain = testbed.lab.condition("routing-plain")
    testbed.router.apply(plain)
    # The router takes away what its conditions loaded, and this rule is none of theirs.
    testbed.router.node.run(["nft", "-f", "-"], input=f"flush ruleset\n{RULES}")
    before = interface(testbed)
    # Not by FrameTestbed.trial: its read-back would say that this rule is none of the condition's.
    outcome = testbed.send(TrialSpec("cost", plain, size, 0.1, 20_000.0)).outcome
    after = interface(testbed)
    packets, octets = after[0] - before[0], after[1] - before[1]
    learning = testbed.profile.waits.learning_frames * len(testbed.lab.flows(plain))
    sent = outcome.counts.offered + learning
    # For some seconds after a port came up its kernel reports the multicast groups that it is in.
    strays = packets - sent
    assert 0 <= strays <= 20
    beyond = octets - sent * meters.load()["linux-interface"].counted(size)
    assert 40 * strays <= beyond <= 200 * strays
    packets, octets = rule(testbed)
    assert packets >= outcome.counts.received > 0
    assert octets / packets == meters.load()["linux-nft"].counted(size)
