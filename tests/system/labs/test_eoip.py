"""The EoIP lab: what its conditions do to packets, counted in the core between the two routers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles
from ppslab.model.results import Trial
from ppslab.model.tunnels.overhead import Stack, parse
from ppslab.model.validity import Cause
from ppslab.testbed.backends import capabilities
from tests.conftest import Opened

pytestmark = pytest.mark.guest

EOIP = lab.find("eoip")
SIZE = 1518
PACKET = SIZE - 18
"""What a frame holds without its header and its frame check sequence."""

WANTED = TrialSpec("cost", None, SIZE, 0.1, round_number=0)

COUNT = """table ip counted {
  chain forward {
    type filter hook forward priority 0; policy accept;
    ip protocol gre ip frag-off & 0x3fff == 0 counter comment "gre"
    ip protocol esp ip frag-off & 0x3fff == 0 counter comment "esp"
    ip frag-off & 0x3fff != 0 counter comment "fragment"
  }
}
"""


ATTEMPTS = 5
"""Of a trial that other work on the machine spoils."""
LOADS = (500.0, 1000.0, 2000.0, 4000.0, 8000.0)
"""Frames a second."""
PASSES = 3
"""How often the loads rise: two of the guest's CPUs must work at once, on a host that has two."""


@pytest.fixture(scope="module")
def testbed(opened: Opened) -> Iterator[FrameTestbed]:
    missing = {"gretap", "esp", "tc-bpf"} - capabilities.features_of("vm")
    if missing or not capabilities.usable("vm").usable:
        pytest.skip("no guest that could have these tunnels: ppslab doctor")
    with ExitStack() as stack:
        yield stand(stack, opened("vm"), EOIP, profiles.load("quick"))


def measured(testbed: FrameTestbed, name: str) -> tuple[Trial, dict[str, tuple[int, float]]]:
    """A valid trial, and what crossed the core meanwhile: packets, and bytes a packet."""
    condition = testbed.lab.condition(name)
    core = testbed.router.others["core"].node
    # The core's own rules are no part of these conditions, so nothing takes them away.
    testbed.router.apply(condition)
    assert testbed.router.read_back(condition).problems == ()
    for _ in range(ATTEMPTS):
        core.run(["nft", "-f", "-"], input=f"flush ruleset\n{COUNT}")
        made = testbed.trial(replace(WANTED, condition=condition))
        if made.valid or Cause.ROUTER_STATE in made.causes:
            break
    assert made.valid, made.invalid_because
    listing = core.run(["nft", "list", "ruleset"]).stdout
    core.run(["nft", "flush", "ruleset"])
    found = re.findall(r'counter packets (\d+) bytes (\d+) comment "(\w+)"', listing)
    assert len(found) == 3, listing
    return made, {kind: (int(n), int(size) / max(1, int(n))) for n, size, kind in found}


def test_a_frame_crosses_the_core_as_long_as_the_calculator_says(testbed: FrameTestbed) -> None:
    trial, core = measured(testbed, "eoip")
    assert trial.counters["fragments"] == 0
    assert core["gre"][0] >= trial.counts["offered"]
    assert core["esp"][0] == core["fragment"][0] == 0
    assert core["gre"][1] == PACKET + 14 + 28


def test_an_encrypted_tunnel_shows_no_gre(testbed: FrameTestbed) -> None:
    trial, core = measured(testbed, "eoip-ipsec")
    assert core["gre"][0] == core["fragment"][0] == 0
    assert core["esp"][0] >= trial.counts["offered"]
    # The smallest path that carries it whole.
    length = core["esp"][1]
    layers = parse(("eoip", "ipsec"))
    assert Stack(layers, int(length)).inner_mtu >= PACKET > Stack(layers, int(length) - 1).inner_mtu
    assert trial.counts["reordered"] == 0


def test_on_a_narrow_path_every_frame_is_two_fragments(testbed: FrameTestbed) -> None:
    condition = testbed.lab.condition("eoip-fragments")
    for _ in range(ATTEMPTS):
        made = testbed.trial(replace(WANTED, condition=condition))
        if made.valid and made.counts["received"] == made.counts["offered"]:
            break
    assert made.valid, made.invalid_because
    learning = testbed.profile.waits.learning_frames
    offered = made.counts["offered"]
    assert made.counts["received"] == offered
    assert 2 * offered <= made.counters["fragments"] <= 2 * (offered + 2 * learning)


def test_packets_that_two_cpus_decrypt_change_places(testbed: FrameTestbed) -> None:
    """Of one queue none ever does, so each that does was worked on beside another.

    How much load makes two packets meet depends on how busy the machine is: on a quiet one a packet
    is decrypted before the next one comes, on a busy one half of them are dropped.  So the load
    rises until they do meet.  A tester that was late is no matter: the frames changed places.
    """
    condition = testbed.lab.condition("eoip-ipsec-spread")
    asked = replace(WANTED, condition=condition, intended_duration=0.5)
    seen = []
    for load in LOADS * PASSES:
        counts = testbed.trial(replace(asked, intended_load=load)).counts
        assert counts is not None
        seen.append((load, counts["received"], counts["reordered"]))
        if counts["reordered"] > 0.01 * counts["received"] > 0:
            return
    pytest.fail(f"no two packets met: {seen}")


def test_what_is_taken_away_is_gone(testbed: FrameTestbed) -> None:
    reference = testbed.lab.condition("no-tunnel")
    testbed.router.apply(reference)
    assert testbed.router.read_back(reference).problems == ()
    for router in (testbed.router, *testbed.router.others.values()):
        answer = router.node.run(["sh", "-c", "ip link; ip xfrm state; ip xfrm policy"]).stdout
        assert "eoip1@" not in answer and "br-lan" not in answer and "proto esp" not in answer
    masks = testbed.router.others["r2"].node.run(
        ["cat", "/sys/class/net/eth2/queues/rx-0/rps_cpus"]
    )
    assert int(masks.stdout, 16) == 0
