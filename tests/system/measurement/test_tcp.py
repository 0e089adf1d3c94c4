"""TCP through a router whose truth is known, between hosts of their own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppslab.judge import costs, goodput
from ppslab.measure import tcp
from ppslab.measure.tcp import TcpTestbed, stand_tcp
from ppslab.model.lab import lab, profiles
from ppslab.model.results import TcpRecord, Transfer, load_as
from ppslab.model.validity import Cause
from ppslab.testbed.backends import capabilities, open_backend

FOLDER = Path(__file__).with_name("tcp")

pytestmark = [
    pytest.mark.live,
    pytest.mark.alone,
    pytest.mark.skipif(
        shutil.which("iperf3") is None
        or not capabilities.usable("namespaces").usable
        or bool({"nft", "htb"} - capabilities.features_of("namespaces")),
        reason="iperf3, and namespaces with nft and htb, are needed: ppslab doctor",
    ),
]

NOISY = 5
NOISE = frozenset({Cause.STEAL, Cause.CPU_QUEUES})
"""Other programs took a CPU, or filled the CPUs' queues: that passes."""

# Of a frame of 1514 bytes, as the queue counts it, 1448 are data.
LIMIT = 100e6 * 1448 / 1514


@pytest.fixture(scope="module")
def testbed() -> Iterator[TcpTestbed]:
    found = lab.load(FOLDER)
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("namespaces"))
        yield stand_tcp(stack, backend, found, profiles.load("quick"))


def transfer(
    testbed: TcpTestbed,
    condition: str,
    direction: tcp.TcpDirection = "there",
    noise: frozenset[Cause] = NOISE | {Cause.IPERF3},
    seconds: int = 1,
) -> Transfer:
    """A transfer that nothing spoiled, or that something other than `noise` did, of a few."""
    found = lab.load(FOLDER)
    assert found.spec.tcp
    wanted = tcp.TransferSpec(
        found.spec.tcp, seconds, "transfer", found.condition(condition), direction, round_number=0
    )
    for _ in range(NOISY):
        made = tcp.transfer(testbed, found, wanted)
        if noise.isdisjoint(made.causes):
            return made
    if NOISE.isdisjoint(made.causes):
        return made  # an iperf3 that fails each time is no noise
    pytest.skip(f"the machine is too busy: {made.invalid_because}")


def passed(testbed: TcpTestbed) -> tuple[int, int]:
    """Bytes that the limit's class has let through, and packets that its full queue has dropped."""
    said = testbed.router.node.run(["tc", "-s", "-j", "qdisc", "show", "dev", "eth2"]).stdout
    (queue,) = (each for each in json.loads(said) if each["kind"] == "pfifo")
    return queue["bytes"], queue["drops"]


def test_a_limits_queue_overflows_and_what_it_lets_through_arrives(testbed: TcpTestbed) -> None:
    """By the kernel's own counters, whatever the rate was."""
    for _ in range(NOISY):
        testbed.configure(lab.load(FOLDER).condition("limit-100m"))
        before = passed(testbed)
        found = transfer(testbed, "limit-100m")
        assert found.valid, found.invalid_because
        let_through, dropped = (now - was for now, was in zip(passed(testbed), before, strict=True))
        if dropped:
            break
    assert dropped, "a queue that never was full limits nothing"
    assert found.retransmits > 0, "the queue overflows: that is how TCP finds the rate"
    (way,) = found.ways
    assert len(way.received_bytes) == 6
    assert 0 < sum(way.received_bytes) < let_through
    assert 1 / 6 <= way.fairness <= 1
    assert way.congestion == "cubic"


@pytest.mark.timed(why="goodput is a rate, and the round-trip time is a time")
def test_a_limit_is_the_goodput_and_its_queue_the_round_trip_time(testbed: TcpTestbed) -> None:
    found = transfer(testbed, "limit-100m", seconds=2)
    for _ in range(NOISY):
        # Noise takes from a goodput and never adds to it: the limit holds each time.  But iperf3's
        # server counts what arrives while it ends: 6 to 12 % of these two seconds, at this rate.
        assert found.valid, found.invalid_because
        assert found.goodput < 1.2 * LIMIT
        if found.goodput > 0.9 * LIMIT:
            break
        found = max(found, transfer(testbed, "limit-100m", seconds=2), key=lambda one: one.goodput)
    # On a machine with five times more to do than CPUs, the best of six was 0.7 of the limit.
    assert found.goodput > 0.5 * LIMIT
    (way,) = found.ways
    # 200 packets of 1514 bytes wait 24 ms; a queue that overflows is nearly full most of the time.
    assert 8_000 < way.round_trip.median < 40_000


def lost(testbed: TcpTestbed) -> int:
    """Packets that the rule with the known loss has dropped."""
    said = testbed.router.node.run(["nft", "list", "table", "ip", "truth"]).stdout
    return int(said.partition("counter packets ")[2].split()[0])


def test_every_hundredth_packet_is_lost_and_sent_again(testbed: TcpTestbed) -> None:
    """By the rule's own counter: TCP has sent again at least what was dropped, but for the end."""
    testbed.configure(lab.load(FOLDER).condition("loss-1-percent"))
    before, first = lost(testbed), len(testbed.trials)
    found = transfer(testbed, "loss-1-percent")
    dropped = lost(testbed) - before
    assert found.valid, found.invalid_because
    tried = testbed.trials[first:]
    counted = [one.router for one in tried if one.router]
    sent_on = sum(router.links["eth2"].tx_packets for router in counted)
    # The rule counts from one drop to the next; the router has a few packets of its own; and for
    # what it let pass the next CPU's queue may have had no room.
    spare = 100 * (1 + len(tried))
    beyond = 100 * dropped - (sent_on + dropped)
    assert -spare <= beyond <= spare + sum(router.port_drops for router in counted)
    assert sum(one.retransmits for one in tried) >= 0.8 * dropped > 0


def test_both_ways_are_measured_at_once(testbed: TcpTestbed) -> None:
    found = transfer(testbed, "plain", "both")
    assert found.valid, found.invalid_because
    assert [(way.client, way.server) for way in found.ways] == [
        ("host1", "host2"),
        ("host2", "host1"),
    ]
    assert all(min(way.received_bytes) > 0 for way in found.ways)
    assert found.router is not None
    # Data and acknowledgements pass the router; with offloads off no packet is a bundle.
    data = sum(sum(way.received_bytes) for way in found.ways)
    assert found.router.packets > data / (testbed.mtu - tcp.HEADERS)
    assert found.router.bytes / found.router.packets <= testbed.mtu + 14


def test_a_server_that_died_is_told_and_replaced(testbed: TcpTestbed) -> None:
    assert transfer(testbed, "plain").valid
    testbed.hosts["host2"].run(["sh", "-c", "kill -9 $(tr -d '\\0' </run/iperf3-5102.pid)"])
    before = len(testbed.trials)
    found = transfer(testbed, "plain")
    failed, *_ = testbed.trials[before:]
    assert not failed.valid
    assert "Connection refused" in failed.invalid_because[0]
    assert found.valid, found.invalid_because


def test_a_router_that_lets_nothing_through_gives_no_goodput(testbed: TcpTestbed) -> None:
    found = transfer(testbed, "closed", noise=NOISE)
    assert not found.valid
    assert not found.ways
    assert all(said.startswith("iperf3 from host1 to host2") for said in found.invalid_because)


def test_a_run_writes_a_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = profiles.load("quick").model_copy(
        update={"tcp": profiles.TcpProfile(seconds=1, rounds=2)}
    )
    monkeypatch.setattr(profiles, "load", lambda name: short)
    found = lab.load(FOLDER)
    short_tcp = {"seconds": 1, "directions": ("there",)}
    words = found.spec.model_copy(update={"tcp": found.spec.tcp.model_copy(update=short_tcp)})
    out = tmp_path / "tcp-truth-20261121T000000Z-namespaces.json"
    options = tcp.Options(conditions=("plain", "limit-100m"), backend="namespaces", seed=3, out=out)
    record, path = tcp.run(lab.Lab(FOLDER, words), options)
    assert path == out
    assert load_as(out, TcpRecord) == record
    assert record.tester.name == "iperf3"
    assert len(record.transfers) >= 2 * 3
    # Where the machine was too busy for a valid pair, there is no ratio, and no number.
    ratio = costs.or_none(goodput.ratio, record, "limit-100m", "plain", "there")
    assert ratio is None or ratio.estimate < 1
    assert record.environment["tester"]["streams"] == "3"
