"""TCP through a router whose truth is known, between hosts of their own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ppslab.analysis import goodput
from ppslab.backends import capabilities, open_backend
from ppslab.lab import lab, profiles
from ppslab.measurement.tcp import measuring
from ppslab.measurement.tcp.testbed import TcpTestbed, stand_tcp
from ppslab.results import TcpRecord, load_as

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

# Of a frame of 1514 bytes, as the queue counts it, 1448 are data.
LIMIT = 100e6 * 1448 / 1514


@pytest.fixture(scope="module")
def testbed() -> Iterator[TcpTestbed]:
    found = lab.load(FOLDER)
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("namespaces"))
        yield stand_tcp(stack, backend, found, profiles.load("quick"), offloads=False)


def transfer(testbed: TcpTestbed, condition: str, direction: measuring.TcpDirection = "there"):
    found = lab.load(FOLDER)
    assert found.spec.tcp
    wanted = measuring.TransferSpec(
        found.spec.tcp, 2, "transfer", found.condition(condition), direction, round_number=0
    )
    # Whoever else measures on this machine shares the CPUs' queues; that passes.
    for _ in range(NOISY):
        made = measuring.transfer(testbed, found, wanted)
        if not any(said.startswith("CPU ") for said in made.invalid_because):
            return made
    pytest.skip(f"the machine is too busy: {made.invalid_because}")


def test_a_limit_is_the_goodput_and_its_queue_the_round_trip_time(testbed: TcpTestbed) -> None:
    found = transfer(testbed, "limit-100m")
    for _ in range(NOISY):
        # Noise takes from a goodput and never adds to it: the limit holds each time.  But iperf3's
        # server counts what arrives while it ends: 6 to 12 % of these two seconds, at this rate.
        assert found.valid, found.invalid_because
        assert found.goodput < 1.2 * LIMIT
        if found.goodput > 0.9 * LIMIT:
            break
        found = max(found, transfer(testbed, "limit-100m"), key=lambda one: one.goodput)
    # On a machine with five times more to do than CPUs, the best of six was 0.7 of the limit.
    assert found.goodput > 0.5 * LIMIT
    (way,) = found.ways
    assert len(way.received_bytes) == 6
    # 200 packets of 1514 bytes wait 24 ms; a queue that overflows is nearly full most of the time.
    assert 8_000 < way.round_trip.median < 40_000
    assert found.retransmits > 0, "the queue overflows: that is how TCP finds the rate"
    assert 1 / 6 <= way.fairness <= 1
    assert way.congestion == "cubic"


def test_a_known_loss_is_what_is_sent_again(testbed: TcpTestbed) -> None:
    found = transfer(testbed, "loss-1-percent")
    assert found.valid, found.invalid_because
    segments = sum(found.ways[0].received_bytes) / (testbed.mtu - measuring.HEADERS)
    assert found.retransmits / segments == pytest.approx(0.01, rel=0.3)


def test_both_ways_are_measured_at_once(testbed: TcpTestbed) -> None:
    found = transfer(testbed, "plain", "both")
    assert found.valid, found.invalid_because
    assert [(way.client, way.server) for way in found.ways] == [
        ("host1", "host2"),
        ("host2", "host1"),
    ]
    assert all(way.goodput > 10e6 for way in found.ways)
    assert found.router is not None
    # Data and acknowledgements pass the router; with offloads off no packet is a bundle.
    data = sum(sum(way.received_bytes) for way in found.ways)
    assert found.router.packets > data / (testbed.mtu - measuring.HEADERS)
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
    found = transfer(testbed, "closed")
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
    options = measuring.Options(
        conditions=("plain", "limit-100m"), backend="namespaces", seed=3, out=out
    )
    record, path = measuring.run(lab.Lab(FOLDER, words), options)
    assert path == out
    assert load_as(out, TcpRecord) == record
    assert record.tester.name == "iperf3"
    assert len(record.transfers) >= 2 * 3
    slow = [row for row in goodput.rows(record, "there") if row.condition == "limit-100m"]
    # Where the machine was too busy for a valid pair, there is no ratio, and no number.
    assert all(row.ratio is None or row.ratio.estimate < 0.8 for row in slow)
    assert record.environment["tester"]["streams"] == "3"
