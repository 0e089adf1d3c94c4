"""The meters of Linux count what meters.csv says, frame for frame, through a real router."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ppslab import capabilities, lab, meters, profiles
from ppslab.backends import open_backend
from ppslab.standing import stand
from ppslab.trial import Bench, Wanted

RULES = """table ip counting {
  chain forward {
    type filter hook forward priority 0; policy accept;
    udp dport 200 counter
  }
}
"""


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    missing = {"nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("namespaces"))
        yield stand(stack, backend, lab.find("fastpath"), profiles.load("quick"))


def interface(bench: Bench) -> tuple[int, int]:
    """Packets and bytes that the router's ports have received."""
    shown = bench.router.node.run(["ip", "-j", "-s", "link", "show"]).stdout
    ports = [link for link in json.loads(shown) if link["ifname"] in bench.router.ports]
    received = [link["stats64"]["rx"] for link in ports]
    return sum(rx["packets"] for rx in received), sum(rx["bytes"] for rx in received)


def rule(bench: Bench) -> tuple[int, int]:
    """Packets and bytes that the rule has counted."""
    listing = json.loads(bench.router.node.run(["nft", "-j", "list", "ruleset"]).stdout)
    rules = [entry["rule"] for entry in listing["nftables"] if "rule" in entry]
    counter = next(part["counter"] for part in rules[0]["expr"] if "counter" in part)
    return counter["packets"], counter["bytes"]


@pytest.mark.parametrize("size", [64, 512, 1518])
def test_bytes_over_packets_are_those_of_the_list(bench: Bench, size: int) -> None:
    plain = bench.lab.condition("routing-plain")
    bench.router.apply(plain)
    # The router takes away what its conditions loaded, and this rule is none of theirs.
    bench.router.node.run(["nft", "-f", "-"], input=f"flush ruleset\n{RULES}")
    before = interface(bench)
    # Not by Bench.trial: its read-back would say that this rule is none of the condition's.
    outcome = bench._send(Wanted("cost", plain, size, 0.1, 20_000.0))
    after = interface(bench)
    packets, octets = after[0] - before[0], after[1] - before[1]
    learning = bench.profile.waits.learning_frames * len(bench.lab.flows(plain))
    sent = outcome.counts.offered + learning
    # For some seconds after a port came up its kernel reports the multicast groups that it is in.
    strays = packets - sent
    assert 0 <= strays <= 20
    beyond = octets - sent * meters.load()["linux-interface"].counted(size)
    assert 40 * strays <= beyond <= 200 * strays
    packets, octets = rule(bench)
    assert packets >= outcome.counts.received > 0
    assert octets / packets == meters.load()["linux-nft"].counted(size)
