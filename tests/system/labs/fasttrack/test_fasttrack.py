"""The lab fasttrack: its pairs differ in FastTrack alone, and on a
real flowtable each packet is counted where it must be."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles
from ppslab.model.results import Trial
from ppslab.model.results.shapes import Counts
from ppslab.testbed.backends import capabilities
from tests.conftest import Opened
from tests.system.labs import draining

pytestmark = pytest.mark.guest

FASTTRACK = lab.find("fasttrack")
PAIRS = {
    "rules": "fasttrack",
    "rules-25": "fasttrack-25",
    "nat": "fasttrack-nat",
    "queue": "fasttrack-queue",
    "interface-queue": "half-fasttrack",
    "rules-tcp": "fasttrack-tcp",
    "rules-other-protocol": "fasttrack-other-protocol",
    "rules-short-connections": "fasttrack-short-connections",
    "rules-unanswered": "fasttrack-unanswered",
    "rules-ipv6": "fasttrack-ipv6",
}
ALONE = {"fasttrack-vlan"}
"""Beside `fasttrack` itself, on other wires: whether Linux's flowtable takes them is asked."""


def test_conditions_come_in_pairs_that_differ_in_fasttrack_alone() -> None:
    assert sorted([*PAIRS, *PAIRS.values(), *ALONE]) == sorted(FASTTRACK.conditions)
    for without, fast in PAIRS.items():
        slow, quick = FASTTRACK.condition(without), FASTTRACK.condition(fast)
        assert quick.linux.nft == ("linux/fasttrack.nft", *slow.linux.nft)
        assert (quick.flows, quick.linux.tc) == (slow.flows, slow.linux.tc)
        added = [file for file in quick.routeros if file not in slow.routeros]
        assert len(added) == 1 and "fasttrack" in added[0]
        place = quick.routeros.index(added[0])
        # FastTrack's rule stands in front of every other filter rule.
        assert not any("rules" in f or "filter" in f for f in quick.routeros[:place])
        assert slow.linux.expect.rules is not None
        assert quick.linux.expect.rules == slow.linux.expect.rules + 1


def test_the_two_routers_have_the_same_rules() -> None:
    for name, pattern in (
        ("filter-25", r"198\.19\.\d+\.\d+"),
        ("rules", r"established,related|invalid|accept|drop"),
    ):
        linux = re.findall(r"(?m)^ {8}(?!type)(\S.*)$", FASTTRACK.text(f"linux/{name}.nft"))
        routeros = re.findall(r"(?m)^add (.*)$", FASTTRACK.text(f"routeros/{name}.rsc"))
        assert len(linux) == len(routeros) > 1
        for ours, theirs in zip(linux, routeros, strict=True):
            said = ours.partition(" comment ")[0].replace("name accepted", "")
            assert Counter(re.findall(pattern, said)) == Counter(re.findall(pattern, theirs))


@pytest.fixture(scope="module")
def testbed(opened: Opened) -> Iterator[FrameTestbed]:
    """The lab on a kernel that has a flowtable: this one, or a guest's."""
    needs = {feature for c in FASTTRACK.conditions.values() for feature in c.needs}
    able = [n for n in ("namespaces", "vm") if needs <= capabilities.features_of(n)]
    able = [name for name in able if capabilities.usable(name).usable]
    if not able:
        pytest.skip("no backend has a flowtable here: ppslab doctor")
    with ExitStack() as stack:
        yield stand(stack, opened(able[0]), FASTTRACK, profiles.load("quick"))


def whole(testbed: FrameTestbed, condition: str, frames: int = 400) -> Trial:
    """A trial at a low rate of which every frame came back."""
    wanted = TrialSpec("search", FASTTRACK.condition(condition), 128, frames / 1600, 1600.0)

    def came_back(counts: Counts) -> bool:
        return counts["received"] == counts["intended"] == frames

    trial = draining.until(testbed, wanted, came_back)
    assert trial.counts and came_back(trial.counts), trial.counts
    return trial


LEARNT = 16 + 5 + 16
"""Learning frames: one of each connection there and back, and five of the stream back."""


def test_without_fasttrack_the_firewall_and_the_queue_count_every_packet(
    testbed: FrameTestbed,
) -> None:
    accepted = whole(testbed, "rules").counters["accepted"]
    # The first packet of each connection is new, unless it was met by a trial before.
    assert accepted in (400 + LEARNT - 16, 400 + LEARNT)
    limited = whole(testbed, "queue").counters["limited"]
    assert limited == 400 + LEARNT


def test_with_fasttrack_they_count_the_packets_that_open_a_connection(
    testbed: FrameTestbed,
) -> None:
    trial = whole(testbed, "fasttrack-queue")
    # Sixteen new packets and the sixteen that were answered with.
    assert trial.counters["limited"] <= 32
    assert whole(testbed, "fasttrack-25").counters["accepted"] <= 16


@pytest.mark.parametrize("condition", ["fasttrack-nat", "fasttrack-ipv6", "half-fasttrack"])
def test_what_is_fast_tracked_arrives_whole(testbed: FrameTestbed, condition: str) -> None:
    counts = whole(testbed, condition).counts
    assert counts
    assert (counts["corrupt"], counts["misdelivered"], counts["duplicates"]) == (0, 0, 0)
    assert testbed.router.offloaded_connections() == 16


def test_tcp_is_an_open_connection_to_the_router(testbed: FrameTestbed) -> None:
    whole(testbed, "rules-tcp")
    listed = testbed.router.node.run(["conntrack", "-L", "-p", "tcp"]).stdout
    states = Counter(line.split()[3] for line in listed.splitlines())
    assert states == {"ESTABLISHED": 16}
    rules = testbed.router.node.run(["nft", "list", "chain", "inet", "filter", "forward"]).stdout
    assert "invalid counter packets 0 bytes 0 drop" in rules
    whole(testbed, "fasttrack-tcp")
    assert testbed.router.offloaded_connections() == 16


def test_another_protocol_stays_with_the_firewall(testbed: FrameTestbed) -> None:
    accepted = whole(testbed, "fasttrack-other-protocol").counters["accepted"]
    assert accepted >= 400
    assert testbed.router.offloaded_connections() == 0


def test_a_short_connection_has_eight_packets(testbed: FrameTestbed) -> None:
    whole(testbed, "rules-short-connections")
    assert testbed.router.tracked_connections() == 400 / 8
