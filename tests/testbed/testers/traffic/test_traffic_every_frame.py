"""What Python counts in a frames file is what ppstraffic counted while it received."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppslab.measure.trial import every_frame
from ppslab.model.results import Delays, EveryFrame
from ppslab.testbed.testers import frames
from tests.testbed.testers.traffic.cable import Namespace, counts, flow, quiet_counts, trial_argv
from tests.testbed.testers.traffic.forwarder import arrivals
from tests.testbed.testers.traffic.under_way import ended, started

pytestmark = [pytest.mark.live, pytest.mark.alone]


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


def test_a_router_that_harms(ppstraffic: Path, harmful: Namespace, tmp_path: Path) -> None:
    """Losses, duplicates and disorder of a router whose every frame's fate is known."""
    total, file = 1500, tmp_path / "frames"
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 2000, "--count", total, "--learn", 2)
    said = quiet_counts(harmful, [*argv, "--frames", file, "--drain", "3000"], lossy=True)
    found = every_frame.count(file.read_bytes())
    agree(found, said)
    order = list(dict.fromkeys(arrivals(total)))
    extents = Counter(
        i - next(j for j in range(i) if order[j] > number)
        for i, number in enumerate(order)
        if any(earlier > number for earlier in order[:i])
    )
    assert found.reordering.extent == extents
    displaced = Counter(ri - number for ri, number in zip(sorted(order), order, strict=True))
    assert found.reordering.density == {d: n / len(order) for d, n in sorted(displaced.items())}
    lost = sorted(set(range(total)) - set(order))
    assert found.first_lost_seconds == pytest.approx(lost[0] / 2000, abs=2e-9)
    assert found.last_lost_seconds == pytest.approx(lost[-1] / 2000, abs=2e-9)
    neighbours = set(order)
    assert found.ipdv.count == sum(number + 1 in neighbours for number in order)


def test_many_flows_both_ways_in_two_steps(
    ppstraffic: Path, namespace: Namespace, tmp_path: Path
) -> None:
    file = tmp_path / "frames"
    flows = [
        flow(name="there", weight=3, sport_count=100),
        flow(name="back", tx="p2", rx="p1", src_count=50),
        flow(name="more", weight=2),
    ]
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 20_000, "--count", 4000, flows=flows)
    said = quiet_counts(namespace, [*argv, "--then", "5000:0.1", "--frames", file])
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


def test_as_fast_as_it_can(ppstraffic: Path, namespace: Namespace, tmp_path: Path) -> None:
    """Without a schedule; a ring that is too small loses some."""
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", "max", "--duration", 0.2)
    said = counts(namespace.run(*argv, "--ring-mb", "1", "--frames", str(file)))
    found = every_frame.count(file.read_bytes())
    agree(found, said)
    assert said["kernel_drops"] == found.lost
    if found.lost:
        assert found.first_lost_seconds is not None and found.last_lost_seconds is not None
        elapsed = said["elapsed_seconds"]
        assert 0 <= found.first_lost_seconds <= found.last_lost_seconds <= elapsed


@pytest.mark.timed(why="the length of an interruption is a time, by both methods of RFC 6201")
def test_an_interruption_shows_in_its_length(
    ppstraffic: Path, namespace: Namespace, tmp_path: Path
) -> None:
    """A link that is down for 0.3 s: by the longest gap, and by frames lost over the rate."""
    file = tmp_path / "frames"
    argv = trial_argv(ppstraffic, "--size", 64, "--rate", 2000, "--duration", 1.5)
    running = started(namespace, [*argv, "--frames", str(file)])
    namespace.sh("ip link set t2 down; sleep 0.3; ip link set t2 up")
    said = counts(ended(running))
    found = every_frame.count(file.read_bytes())
    agree(found, said)
    assert found.longest_gap_seconds is not None and found.first_lost_seconds is not None
    assert found.last_lost_seconds is not None
    # RFC 6201 section 1.3: both methods see the outage.  A busy machine may add to it.
    assert 0.3 <= found.longest_gap_seconds < 1
    assert 0.3 <= found.lost / 2000 < 1
    assert found.last_lost_seconds - found.first_lost_seconds >= 0.29
    read = frames.read(file.read_bytes())
    assert all(b > a for a, b in pairwise(read.rows["sequence"].tolist()))
