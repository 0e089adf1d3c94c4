"""Trials over a cable: frames at even times, at the rate, each of them counted; and their end."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scapy.layers.inet import TCP
from scapy.layers.l2 import Ether

from ppslab.measure.trial import every_frame
from ppslab.model.results import Delays, EveryFrame
from ppslab.testbed.testers import frames
from tests.testbed.testers.traffic.cable import (
    LATE,
    V6,
    Namespace,
    counts,
    counts_once,
    ended,
    flow,
    quiet_counts,
    replay,
    started,
    trial_argv,
    watching,
)
from tests.testbed.testers.traffic.forwarder import arrivals, fate

pytestmark = [pytest.mark.live, pytest.mark.alone]


@pytest.mark.parametrize("method", ["xdp", "mmsg"])
@pytest.mark.parametrize(
    ("size", "addresses"), [(64, {}), (84, V6), (1518, {}), (4018, V6), (9216, {})]
)
def test_a_cable_loses_nothing(
    ppstraffic_asan: Path, namespace: Namespace, method: str, size: int, addresses: dict[str, str]
) -> None:
    flows = [flow(**addresses)]
    argv = trial_argv(ppstraffic_asan, "--size", size, "--rate", 5000, "--count", 500, flows=flows)
    if method == "xdp":
        probe = namespace.run(*argv, "--count", "1", "--send", method)
        if probe.returncode == 3:
            pytest.skip(probe.stderr)
    found = quiet_counts(namespace, [*argv, "--learn", "3", "--settle", "10", "--send", method])
    assert (found["intended"], found["offered"], found["received"]) == (500, 500, 500)
    harms = "duplicates reordered misdelivered foreign corrupt send_errors kernel_drops"
    assert {name: found[name] for name in harms.split()} == dict.fromkeys(harms.split(), 0)
    assert found["learning_received"] == 3
    assert found["send_method"] == method
    assert found["version"] == 1 and found["aborted"] is False
    assert found["duration"] == pytest.approx(0.1)
    assert found["delay_ns"]["count"] == found["delay_actual_ns"]["count"] == 500
    assert 0 < found["delay_actual_ns"]["min"] <= found["delay_ns"]["min"]
    order = [found["delay_ns"][k] for k in ("min", "p50", "p90", "p99", "p999", "max")]
    assert order == sorted(order)


@pytest.mark.timed(why="a rate against the kernel's clock; when each frame is due is tested too")
def test_the_rate_is_kept(ppstraffic: Path, namespace: Namespace, tmp_path: Path) -> None:
    """Within 0.1 %, as the kernel's own receive times say."""
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 12345, "--duration", 1)
    found = counts(namespace.run(*argv, "--frames", str(file)))
    assert found["intended"] == 12345
    # Frames that a busy machine held up say nothing of the pace: the quickest tenth of them does.
    rows = [
        (int(row["received_ns"]) - int(row["intended_ns"]), int(row["sequence"]),
         int(row["received_ns"]))
        for row in replay(ppstraffic, file)
    ]  # fmt: skip
    quickest = [(number, at) for _, number, at in sorted(rows)[: len(rows) // 10]]
    assert len(quickest) > 100
    nanoseconds_each = np.polyfit(*zip(*quickest, strict=True), 1)[0]
    assert 1e9 / nanoseconds_each == pytest.approx(12345, rel=0.001)


def test_who_sleeps_sends_all_and_leaves_the_cpu(
    ppstraffic_asan: Path, namespace: Namespace
) -> None:
    argv = trial_argv(ppstraffic_asan, "--size", 128, "--rate", 1000, "--count", 500)

    def fine(found: dict[str, Any]) -> bool:
        """The quietest of twenty: one that does not sleep takes its CPU for as long as it sends."""
        whole = found["intended"] == found["offered"] == found["received"]
        return whole and found["send_cpu_seconds"] < 0.25

    found = counts_once(namespace, [*argv, "--sleep"], fine)
    assert found["offered"] == found["received"] == 500
    late = found["max_lateness_ns"] / 1e9
    assert found["send_seconds"] >= 0.49 - late, "each frame waits for its turn"
    assert found["send_cpu_seconds"] < 0.25


def test_frames_that_were_not_sent_in_time_are_unsent(
    ppstraffic: Path, namespace: Namespace
) -> None:
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 50e6, "--duration", 0.1, *LATE)
    found = counts_once(namespace, argv, lambda found: found["send_seconds"] > 0.1)
    assert found["intended"] == 5_000_000
    assert 1000 < found["offered"] < 4_000_000
    assert found["received"] + found["kernel_drops"] == found["offered"]
    # What is late is caught up with, until a grace of 10 ms has passed.
    assert 0.1 < found["send_seconds"] <= found["elapsed_seconds"]
    assert found["max_lateness_ns"] > 1_000_000


def test_what_does_not_fit_the_ring_is_counted(ppstraffic: Path, namespace: Namespace) -> None:
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 400_000, "--duration", 0.2)
    # A slow sender, or a reader with a CPU to itself, leaves room in the ring.
    found = counts_once(
        namespace, [*argv, "--ring-mb", "1", *LATE], lambda found: found["kernel_drops"]
    )
    assert found["kernel_drops"] > 0
    assert found["received"] + found["kernel_drops"] == found["offered"]


def test_memory_does_not_grow_with_the_trial(ppstraffic: Path, namespace: Namespace) -> None:
    """A ring of 8 MB is read while the trial runs: 150 000 frames would need 24 MB."""
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 100_000, "--duration", 1.5)
    # A reader that does not get its CPU for a while drops frames, as it should.
    found = counts_once(
        namespace,
        [*argv, "--ring-mb", "8"],
        lambda found: found["received"] == found["offered"] > 75_000,
    )
    assert found["received"] == found["offered"] > 75_000
    assert found["kernel_drops"] == 0


# --- routers whose truth is known -----------------------------------------------------------------


def test_every_harm_is_counted(ppstraffic_asan: Path, harmful: Namespace, tmp_path: Path) -> None:
    """Drops, duplicates, damage, strangers, the wrong port, the wrong order: all at once."""
    total, file = 1500, tmp_path / "frames"
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 2000, "--count", total)
    argv += ["--learn", "2", "--frames", str(file), "--drain", "3000"]
    found = quiet_counts(harmful, argv, lossy=True)
    assert found["intended"] == found["offered"] == total
    fates = [fate(n) for n in range(total)]
    arrived = arrivals(total)
    assert found["received"] == len(set(arrived)) > 0
    assert found["duplicates"] == len(arrived) - len(set(arrived)) == fates.count("duplicate")
    assert found["reordered"] == _rfc4737(arrived) > 100
    assert found["corrupt"] == fates.count("corrupt")
    assert found["foreign"] == fates.count("foreign")
    assert found["misdelivered"] == fates.count("back")
    assert found["unrelated"] == fates.count("unrelated")
    assert found["learning_received"] == 2
    assert found["flows"][0]["reordered"] == found["reordered"]

    rows = replay(ppstraffic_asan, file)
    verdicts = [row["verdict"] for row in rows]
    for verdict in ("duplicate", "reordered", "corrupt", "foreign", "misdelivered", "learning"):
        key = {"duplicate": "duplicates", "learning": "learning_received"}.get(verdict, verdict)
        assert verdicts.count(verdict) == found[key], verdict
    assert verdicts.count("received") == found["received"] - found["reordered"]

    again = every_frame.count(file.read_bytes())
    agree(again, found)
    order = list(dict.fromkeys(arrived))
    extents = [
        i - next(j for j in range(i) if order[j] > number)
        for i, number in enumerate(order)
        if any(earlier > number for earlier in order[:i])
    ]
    assert (again.reordering.reordered, again.reordering.max_extent) == (len(extents), max(extents))
    lost = sorted(set(range(total)) - set(order))
    assert again.first_lost_seconds == pytest.approx(lost[0] / 2000, abs=2e-9)
    assert again.last_lost_seconds == pytest.approx(lost[-1] / 2000, abs=2e-9)
    assert again.ipdv.count == sum(number + 1 in order for number in order)


def _rfc4737(arrived: list[int]) -> int:
    """Reordered packets by RFC 4737 section 3.3; a duplicate's later copies are not looked at."""
    expected = reordered = 0
    for sequence in dict.fromkeys(arrived):
        if sequence >= expected:
            expected = sequence + 1
        else:
            reordered += 1
    return reordered


def test_replies_are_learned_too(ppstraffic_asan: Path, namespace: Namespace) -> None:
    """From the receiving port, also where no flow sends from it: seen at both ends."""
    reply = flow(reply_src_mac="02:00:c6:12:02:02", reply_dst_mac="02:00:c6:12:01:02")
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 1000, "--count", 10, flows=[reply])
    found = quiet_counts(namespace, [*argv, "--learn", "4"])
    assert found["learning_received"] == 8
    assert found["received"] == 10


@pytest.mark.parametrize("addresses", [{}, V6], ids=["ipv4", "ipv6"])
def test_every_connection_is_met_in_both_directions(
    ppstraffic_asan: Path, namespace: Namespace, addresses: dict[str, str]
) -> None:
    """What passes the cable while learning, frame by frame: TCP's handshake, then data."""
    back = {"reply_src_mac": "02:00:c6:12:02:02", "reply_dst_mac": "02:00:c6:12:01:02"}
    back["reply_dst"] = "2001:2:0:9::9" if addresses else "198.18.9.9"
    segment = flow(protocol=6, sport_count=3, hold=2, **back, **addresses)
    argv = trial_argv(ppstraffic_asan, "--size", 96, "--rate", 100, "--count", 1, flows=[segment])
    seen: list[tuple[str, str, int, str]] = []
    with watching(namespace) as frames:
        found = counts(namespace.run(*map(str, argv), "--learn", "1"))
        passed = frames()
    for frame in passed:
        packet = Ether(frame)
        tcp = packet[TCP]
        seen.append((packet.payload.src, packet.payload.dst, tcp.sport, str(tcp.flags)))
        assert (tcp.seq, tcp.ack) == {"S": (0, 0), "SA": (0, 1), "PA": (1, 1)}[str(tcp.flags)]
    here, there = addresses.get("src", "198.18.1.2"), addresses.get("dst", "198.18.2.2")
    wanted = [
        (*ends, port, flags)
        for flags in ("S", "SA", "PA", "PA reply")
        for ends in [(there, back["reply_dst"]) if flags in {"SA", "PA reply"} else (here, there)]
        for port in ([7] * 3 if flags in {"SA", "PA reply"} else [49184, 49185, 49186])
    ]
    assert seen == [
        (src, dst, port, flags.removesuffix(" reply")) for src, dst, port, flags in wanted
    ] + [(here, there, 49184, "PA")]
    assert found["learning_received"] == 12
    assert found["received"] == 1


# --- endings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_still_gives_the_result(
    ppstraffic_asan: Path, namespace: Namespace, tmp_path: Path, number: signal.Signals
) -> None:
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 1000, "--duration", 30)
    running = started(namespace, [*argv, "--frames", str(file)])
    running.send_signal(number)
    done = ended(running)
    found = counts(done, 1)
    assert found["aborted"] is True and found["reason"] == "interrupted"
    assert 0 < found["offered"] == found["received"] < found["intended"] == 30000
    assert "the trial failed: interrupted" in done.stderr
    assert file.exists() and not file.with_name("frames.partial").exists()


@pytest.mark.parametrize("change", ["ip link set t2 down", "ip link set t1 down", "ip link del t1"])
@pytest.mark.parametrize("method", ["xdp", "mmsg"])
def test_a_link_that_goes_away(
    ppstraffic_asan: Path, namespace: Namespace, change: str, method: str
) -> None:
    # A sender whose own port is there goes on to the end: the wire may come back.
    seconds = 2 if change == "ip link set t2 down" else 30
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 1000, "--duration", seconds)
    running = started(namespace, [*argv, "--send", method])
    namespace.sh(change)
    done = ended(running)
    found = counts(done, 1)
    assert found["aborted"] is True
    assert found["reason"].startswith("t1: ") or found["reason"].startswith("t2: ")
    assert found["offered"] < found["intended"]
    assert found["received"] <= found["offered"]


@pytest.mark.timed(why="the time that a link is down, by the rate and by both methods of RFC 6201")
@pytest.mark.parametrize("method", ["xdp", "mmsg"])
def test_a_link_that_comes_back(
    ppstraffic: Path, namespace: Namespace, tmp_path: Path, method: str
) -> None:
    """What the driver dropped while there was no carrier is lost, as RFC 6201 counts it."""
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 2000, "--duration", 2)
    running = started(namespace, [*argv, "--frames", str(file), "--send", method])
    namespace.sh("ip link set t2 down; sleep 0.4; ip link set t2 up")
    said = counts(ended(running))
    assert said["send_errors"] > 0
    # 0.4 s at 2000 a second fell into the gap, and more while the kernel took the link up.
    assert 700 <= said["refused"] <= 1400
    assert said["offered"] + said["refused"] == pytest.approx(4000, abs=100)
    assert said["offered"] - said["received"] < 400
    # Lost numbers are lost times: a sequence number stays a place in the schedule.
    rows = frames.read(file.read_bytes()).rows
    assert (rows["intended_ns"] == 500_000 * rows["sequence"].astype(np.int64)).all()
    assert rows["sequence"].max() > said["offered"]
    assert (np.diff(rows["sequence"].astype(np.int64)) > 0).all()
    found = every_frame.count(file.read_bytes())
    agree(found, said)
    assert found.longest_gap_seconds is not None and found.first_lost_seconds is not None
    assert found.last_lost_seconds is not None
    # RFC 6201 section 1.3: both methods see the outage.  A busy machine may add to it.
    assert 0.4 <= found.longest_gap_seconds < 1.2
    assert 0.4 <= found.lost / 2000 < 1.2
    assert found.last_lost_seconds - found.first_lost_seconds >= 0.39


def test_a_cut_off_frames_file(ppstraffic_asan: Path, namespace: Namespace, tmp_path: Path) -> None:
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 1000, "--count", 20)
    counts(namespace.run(*argv, "--frames", str(file)))
    whole = file.read_bytes()
    for wrong, said in (
        (whole[:-1], "ends too early"),
        (whole[:60], "ends too early"),
        (b"X" + whole[1:], "no frames file"),
        (whole[:8] + b"\x09" + whole[9:], "version 9"),
    ):
        file.write_bytes(wrong)
        done = subprocess.run(
            [ppstraffic_asan, "replay", file], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert f"{file}: " in done.stderr and said in done.stderr


# --- the frames file ------------------------------------------------------------------------------


def agree(found: EveryFrame, said: dict[str, Any]) -> None:
    """Everything that both count is equal."""
    both = ("intended", "offered", "received", "duplicates")
    assert [getattr(found, name) for name in both] == [said[name] for name in both]
    assert found.lost == said["intended"] - said["received"]
    assert found.reordering.reordered == said["reordered"]
    for ours, theirs in ((found.from_intended, "delay_ns"), (found.from_actual, "delay_actual_ns")):
        same_delays(ours, said[theirs])


def same_delays(ours: Delays, theirs: dict[str, Any]) -> None:
    assert (ours.count, ours.min, ours.max) == tuple(theirs[key] for key in ("count", "min", "max"))
    assert ours.mean == pytest.approx(theirs["mean"], abs=0.1)
    at = {one.share: one.ns for one in ours.percentiles}
    for key, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
        assert at[share] == pytest.approx(theirs[key], rel=0.0005, abs=0.5), key


@pytest.mark.parametrize("senders", [1, 2])
def test_many_flows_both_ways_in_two_steps(
    ppstraffic_asan: Path, namespace: Namespace, tmp_path: Path, senders: int
) -> None:
    file = tmp_path / "frames"
    flows = [
        flow(name="there", weight=3, sport_count=100),
        flow(name="back", tx="p2", rx="p1", src_count=50),
        flow(name="six", weight=2, **V6),
    ]
    argv = trial_argv(ppstraffic_asan, "--size", 128, "--rate", 8000, "--count", 800, flows=flows)
    argv += ["--then", "2000:0.1995", "--frames", str(file), "--senders", str(senders)]
    said = quiet_counts(namespace, argv)
    # 1199 turns: 199 whole rounds of six, and the next without its last turn.
    assert said["intended"] == said["offered"] == said["received"] == 1199
    assert {one["name"]: one["intended"] for one in said["flows"]} == {
        "there": 599, "back": 200, "six": 400,
    }  # fmt: skip
    for one in said["flows"]:
        assert one["intended"] == one["offered"] == one["received"]
        assert one["duplicates"] == one["reordered"] == 0
    assert (said["intended_rate"], said["duration"]) == (8000, 0.1)
    assert said["then"] == {"intended_rate": 2000, "duration": 0.1995}
    late = said["max_lateness_ns"] / 1e9
    assert 0.297 - late < said["send_seconds"] <= said["elapsed_seconds"]

    read = frames.read(file.read_bytes())
    found = every_frame.of(read)
    agree(found, said)
    assert [(way.sent_from, way.received_at) for way in found.by_ports] == [
        ("p1", "p2"),
        ("p2", "p1"),
    ]
    assert sum(way.received for way in found.by_ports) == found.received
    # The schedule that Python derives is the one that was sent, to the nanosecond.
    for number in range(3):
        rows = read.rows[read.rows["flow"] == number]
        due = read.due(number, rows["sequence"].astype(np.int64))
        assert due is not None and (due == rows["intended_ns"]).all()
    truth = [n * 1e9 / 8000 for n in range(800)] + [1e8 + n * 5e5 for n in range(399)]
    assert np.abs(np.sort(read.rows["intended_ns"]) - truth).max() <= 1


def test_as_fast_as_it_can(ppstraffic: Path, namespace: Namespace, tmp_path: Path) -> None:
    """Without a schedule; a ring that is too small loses some."""
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", "max", "--duration", 0.2)
    said = counts(namespace.run(*argv, "--ring-mb", "1", "--frames", str(file)))
    found = every_frame.count(file.read_bytes())
    agree(found, said)
    assert said["intended_rate"] is None and said["max_lateness_ns"] == 0
    assert said["intended"] == said["offered"] > 1000
    assert said["kernel_drops"] == found.lost
    if found.lost:
        assert found.first_lost_seconds is not None and found.last_lost_seconds is not None
        elapsed = said["elapsed_seconds"]
        assert 0 <= found.first_lost_seconds <= found.last_lost_seconds <= elapsed
