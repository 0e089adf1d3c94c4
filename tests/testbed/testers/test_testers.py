"""Choosing a tester; the shares of a load."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.measure.trial import judging
from ppslab.testbed.testers import frames, testers
from ppslab.testbed.testers.contract import Load
from ppslab.testbed.testers.counts import TrialCounts
from ppslab.testbed.testers.frames import FlowFrames, Frames, Paced
from tests.support import frames_file
from tests.support.factory import make_counts
from tests.support.flow_factory import make_flow


def test_shares_leave_no_frame_over() -> None:
    flows = (make_flow(), make_flow(name="r21"))
    load = Load(flows, {"p1": "eth1", "p2": "eth2"}, 64, 0.1, 10_000.0, weights={"r21": 3})
    assert load.shares(1000) == [250, 750]
    assert replace(load, flows=(flows[0],) * 3).shares(7) == [2, 2, 3]


class Trex:
    abilities = frozenset({"ipv6"})
    needs = frozenset({"nft"})
    is_device = True

    def __init__(self, node: object, config: Path | None) -> None:
        self.node, self.config = node, config


def test_a_package_brings_a_tester_by_an_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trex-1.dist-info").mkdir()
    (tmp_path / "trex-1.dist-info/METADATA").write_text("Name: trex\nVersion: 1\n")
    (tmp_path / "trex-1.dist-info/entry_points.txt").write_text(
        f"[{testers.GROUP}]\ntrex = {__name__}:Trex\nppstraffic = {__name__}:Trex\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    testers.brought.cache_clear()
    try:
        chosen = testers.chosen("trex", tmp_path / "trex.yml")
        assert (chosen.abilities, chosen.needs) == ({"ipv6"}, {"nft"})
        made = chosen.make(object())  # type: ignore[arg-type]
        assert isinstance(made, Trex) and made.config == tmp_path / "trex.yml"
        for backend in ("namespaces", "vm"):
            with pytest.raises(CannotHereError):
                chosen.must_reach(backend)
            testers.chosen("ppstraffic").must_reach(backend)
        chosen.must_reach("containerlab")
        with pytest.raises(UsageError, match="trex"):
            chosen.must_send_at_full_speed()
        assert testers.chosen("ppstraffic").brought is None, "a name that is taken stays ours"
    finally:
        testers.brought.cache_clear()


# --- a tester that was kept from sending is told from a load that is too high ---------------------

STARVED = "tester late: it had its CPU for {}% of the time, {} frames unsent"


def said_of(printed: dict[str, Any]) -> list[str]:
    """What is said of the pace at 50 kpps."""
    found = judging.of_pace(50_000.0, TrialCounts.of(printed), judging.BEARABLE_BURST)
    return [found.sentence] if found else []


@pytest.mark.parametrize(
    ("offered", "cpu_share", "late_ns", "said"),
    [
        (10_000, 1.0, 0, []),
        (10_000, 0.9, 60_000_000, ["tester late: 3000 frames at once"]),
        # Asked for more than it can: busy all the time.
        (3_000, 1.0, 400_000_000, []),
        # Kept from sending: an ordinary user's tester on a machine with a load of ten.
        (659, 0.44, 8_716_521, [STARVED.format(44, 9341)]),
        (6_270, 0.15, 135_816_752, [STARVED.format(15, 3730)]),
        # Another tester, which cannot tell.
        (6_270, None, 135_816_752, []),
    ],
)  # fmt: skip
def test_the_pace_of_a_trial(
    offered: int, cpu_share: float | None, late_ns: int, said: list[str]
) -> None:
    printed = make_counts(20_000.0, offered=10_000)
    printed |= {"offered": offered, "received": offered, "max_lateness_ns": late_ns}
    printed["send_cpu_seconds"] = cpu_share and cpu_share * printed["send_seconds"]
    assert said_of(printed) == said


@pytest.mark.parametrize(
    ("late_ns", "said"),
    [
        (50_000, []),
        # Six thousand frames are more than ten bursts of 590 can explain.
        (11_800_000, []),
        (60_000_000, ["tester late: 3000 frames at once"]),
    ],
)
def test_frames_that_the_link_refused_were_sent(late_ns: int, said: list[str]) -> None:
    """A queue that is full is the load's doing, unless the tester came with all at once."""
    printed = make_counts(20_000.0, offered=10_000)
    printed |= {"offered": 4_000, "received": 4_000, "refused": 6_000, "max_lateness_ns": late_ns}
    assert said_of(printed) == said


def test_what_was_not_sent_is_lost() -> None:
    """Else a tester that is too slow makes a router look better than it is."""
    counts = TrialCounts.of(make_counts(20_000.0) | {"offered": 90_000, "received": 80_000})
    assert (counts.lost, counts.loss_ratio) == (20_000, 0.2)


# --- the frames file as Python reads and writes it ------------------------------------------------

FLOWS = (FlowFrames("there", 4, 3, weight=2, tx=0, rx=1), FlowFrames("back", 2, 2, tx=1, rx=0))


def some() -> Frames:
    rows = frames_file.rows(
        {"received_ns": [10, 20, 35], "sequence": [0, 1, 0], "flow": [0, 0, 1], "port": [1, 1, 0]}
    )
    return Frames(FLOWS, ("p1", "p2"), 64, rows, (Paced(6.0, 3), Paced(2.0, 3)), epoch=99)


def test_what_is_written_is_read() -> None:
    back = frames.read(frames_file.write(some()))
    assert (back.flows, back.ports, back.size, back.steps, back.epoch) == (
        FLOWS,
        ("p1", "p2"),
        64,
        (Paced(6.0, 3), Paced(2.0, 3)),
        99,
    )
    assert back.rows.tolist() == some().rows.tolist()
    assert back.rows["lateness_ns"].tolist() == [0, 0, 0]


def test_every_frame_is_due_at_its_turn() -> None:
    """Turns there, back, there, at 6 a second; then the same again at 2 a second."""
    found = some()
    there = found.due(0, np.arange(4))
    back = found.due(1, np.arange(2))
    assert there is not None and back is not None
    assert there.tolist() == [0, 333_333_333, 500_000_000, 1_500_000_000]
    assert back.tolist() == [166_666_666, 1_000_000_000]
    as_fast = Frames(FLOWS, ("p1", "p2"), 64, found.rows)
    assert as_fast.due(0, np.arange(4)) is None


WHOLE = frames_file.write(some())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"X" + WHOLE[1:],
        WHOLE[:8],
        WHOLE[:-1],
        WHOLE[:100],
        WHOLE[:8] + struct.pack("<I", 1) + WHOLE[12:],
        WHOLE[:12] + struct.pack("<I", 80) + WHOLE[16:],
        WHOLE[:16] + struct.pack("<I", 31) + WHOLE[20:],
        WHOLE[:22] + struct.pack("<H", 0) + WHOLE[24:],
    ],
)
def test_a_file_that_is_none(data: bytes) -> None:
    with pytest.raises(FileError):
        frames.read(data, "trial-7.frames")
