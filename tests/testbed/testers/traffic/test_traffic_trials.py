"""Trials over a cable: frames at even times, at the rate, and each of them counted."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy
import pytest

from tests.support.flow_factory import make_flow
from tests.testbed.testers.traffic.cable import (
    LATE,
    V6,
    Namespace,
    counts,
    counts_once,
    flow,
    quiet_counts,
    replay,
    trial_argv,
)

pytestmark = [pytest.mark.live, pytest.mark.alone]


@pytest.mark.parametrize("method", ["xdp", "mmsg"])
@pytest.mark.parametrize(("size", "addresses"), [(64, {}), (84, V6), (1518, {}), (4018, V6)])
def test_a_cable_loses_nothing(
    ppstraffic_asan: Path,
    namespace: Namespace,
    method: str,
    size: int,
    addresses: dict[str, str],
) -> None:
    flows = [flow(**addresses)]
    argv = trial_argv(ppstraffic_asan, "--size", size, "--rate", 5000, "--count", 500, flows=flows)
    if method == "xdp":
        probe = namespace.run(*argv, "--count", "1", "--send", method)
        if probe.returncode == 3:
            pytest.skip(probe.stderr)
    found = quiet_counts(namespace, [*argv, "--learn", "3", "--settle", "10", "--send", method])
    assert (found["intended"], found["offered"], found["received"]) == (500, 500, 500)
    for none in (
        "duplicates",
        "reordered",
        "misdelivered",
        "foreign",
        "corrupt",
        "send_errors",
        "kernel_drops",
    ):
        assert found[none] == 0, none
    assert found["learning_received"] == 3
    assert found["send_method"] == method
    assert found["version"] == 1 and found["aborted"] is False
    assert found["duration"] == pytest.approx(0.1)
    assert found["delay_ns"]["count"] == found["delay_actual_ns"]["count"] == 500
    assert 0 < found["delay_actual_ns"]["min"] <= found["delay_ns"]["min"]
    order = [found["delay_ns"][k] for k in ("min", "p50", "p90", "p99", "p999", "max")]
    assert order == sorted(order)


@pytest.mark.parametrize("senders", [1, 2])
def test_many_flows_in_both_directions(
    ppstraffic_asan: Path, namespace: Namespace, senders: int
) -> None:
    flows = [
        flow(name="there", weight=3, sport_count=100),
        flow(name="back", tx="p2", rx="p1", src_count=50),
        flow(name="six", weight=2, **V6),
    ]
    argv = trial_argv(ppstraffic_asan, "--size", 128, "--rate", 8000, "--count", 1199, flows=flows)
    found = quiet_counts(namespace, [*argv, "--senders", str(senders)])
    by_flow = {one["name"]: one for one in found["flows"]}
    # 1199 turns: 199 whole rounds of six, and the next without its last turn.
    assert found["intended"] == found["offered"] == found["received"] == 1199
    assert {k: v["intended"] for k, v in by_flow.items()} == {"there": 599, "back": 200, "six": 400}
    for one in found["flows"]:
        assert one["intended"] == one["offered"] == one["received"]
        assert one["duplicates"] == one["reordered"] == 0


def test_largest_frame(ppstraffic_asan: Path, namespace: Namespace) -> None:
    argv = trial_argv(ppstraffic_asan, "--size", 9216, "--rate", 2000, "--count", 100)
    found = quiet_counts(namespace, argv)
    assert found["received"] == found["offered"] == 100
    assert found["corrupt"] == 0


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
    nanoseconds_each = numpy.polyfit(*zip(*quickest, strict=True), 1)[0]
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


def test_frames_are_intended_at_even_times(
    ppstraffic_asan: Path, namespace: Namespace, tmp_path: Path
) -> None:
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 3000, "--count", 300)
    quiet_counts(namespace, [*argv, "--frames", str(file)])
    rows = replay(ppstraffic_asan, file)
    for number, row in enumerate(rows):
        assert abs(int(row["intended_ns"]) - number * 1e9 / 3000) <= 1
    assert all(int(r["intended_ns"]) <= int(r["actual_ns"]) < int(r["received_ns"]) for r in rows)
    assert {row["verdict"] for row in rows} == {"received"}
    assert {(row["flow"], row["port"], row["size"]) for row in rows} == {("f", "p2", "64")}


def test_a_second_load_follows_without_a_pause(
    ppstraffic_asan: Path, namespace: Namespace, tmp_path: Path
) -> None:
    file = tmp_path / "frames"
    flows = [flow(name="there", weight=2), flow(name="back", tx="p2", rx="p1")]
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 3000, "--duration", 0.1, flows=flows)
    found = quiet_counts(namespace, [*argv, "--then", "1000:0.2", "--frames", str(file)])
    assert found["intended"] == found["offered"] == found["received"] == 500
    assert (found["intended_rate"], found["duration"]) == (3000, 0.1)
    assert found["then"] == {"intended_rate": 1000, "duration": 0.2}
    late = found["max_lateness_ns"] / 1e9
    assert 0.298 - late < found["send_seconds"] <= found["elapsed_seconds"]
    assert [one["intended"] for one in found["flows"]] == [333, 167]
    due = sorted(int(row["intended_ns"]) for row in replay(ppstraffic_asan, file))
    truth = [n * 1e9 / 3000 for n in range(300)] + [1e8 + n * 1e6 for n in range(200)]
    assert len(due) == 500
    assert all(abs(one - other) <= 1 for one, other in zip(due, truth, strict=True))


def test_percentiles_are_those_of_the_frames(
    ppstraffic: Path, namespace: Namespace, tmp_path: Path
) -> None:
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 100000, "--duration", 0.2)
    found = quiet_counts(namespace, [*argv, "--frames", str(file)])
    rows = replay(ppstraffic, file)
    for name, start in (("delay_ns", "intended_ns"), ("delay_actual_ns", "actual_ns")):
        delays = sorted(int(row["received_ns"]) - int(row[start]) for row in rows)
        said = found[name]
        assert (said["count"], said["min"], said["max"]) == (len(rows), delays[0], delays[-1])
        assert said["mean"] == pytest.approx(sum(delays) / len(delays), abs=0.1)
        for key, share in (("p50", 500), ("p90", 900), ("p99", 990), ("p999", 999)):
            exact = delays[-(-len(delays) * share // 1000) - 1]
            assert said[key] == pytest.approx(exact, rel=0.0005, abs=0.5), key


def test_as_fast_as_possible(ppstraffic: Path, namespace: Namespace) -> None:
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", "max", "--duration", 0.2, *LATE)
    # A sender that gets its CPU late has the less time for all it can.
    found = counts_once(namespace, argv, lambda found: found["send_seconds"] > 0.1)
    assert found["intended_rate"] is None
    assert found["intended"] == found["offered"] > 1000
    assert found["received"] + found["kernel_drops"] == found["offered"]
    assert 0.1 < found["send_seconds"] <= found["elapsed_seconds"]
    assert found["max_lateness_ns"] == 0


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


def test_the_python_wrapper_reads_what_it_prints(
    ppstraffic: Path, namespace: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ppslab.testbed.testers import ppstraffic as instrument

    class Node:
        def run(
            self, argv: list[str], *, timeout: float = 60.0, check: bool = True
        ) -> subprocess.CompletedProcess[str]:
            return namespace.run(*argv, timeout=timeout)

    monkeypatch.setenv("PPSTRAFFIC", str(ppstraffic))
    tester = instrument.Tester(Node())
    stream = make_flow(name="f", dst_mac="02:00:c6:12:02:02", src_port=49184, dst_port=7)
    ports = {"p1": "t1", "p2": "t2"}
    for _ in range(5):
        load = instrument.Load((stream,), ports, 64, 0.1, 5000, drain_seconds=0.05)
        found = tester.trial(load).counts
        if found.received == found.offered == found.intended:  # see quiet_counts()
            break
    assert (found.intended, found.offered, found.received, found.lost) == (500, 500, 500, 0)
    assert found.flows[0].received == 500 and found.loss_ratio == 0
    assert not found.aborted and found.reason is None
    assert found.delay_ns.p50 is not None and found.delay_ns.count == 500
    assert json.loads(json.dumps(found.plain())) == found.plain()
    assert tester.version().count(".") == 2
