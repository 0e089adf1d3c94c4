"""Choosing a tester; the shares of a load."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

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
AT_ONCE = "tester late: 3000 frames at once"


@pytest.mark.parametrize(
    ("offered", "refused", "cpu_share", "late_ns", "said"),
    [
        (10_000, 0, 1.0, 0, None),
        (10_000, 0, 0.9, 60_000_000, AT_ONCE),
        # Asked for more than it can: busy all the time.
        (3_000, 0, 1.0, 400_000_000, None),
        # Kept from sending: an ordinary user's tester on a machine with a load of ten.
        (659, 0, 0.44, 8_716_521, STARVED.format(44, 9341)),
        (6_270, 0, 0.15, 135_816_752, STARVED.format(15, 3730)),
        # Another tester, which cannot tell.
        (6_270, 0, None, 135_816_752, None),
        # Frames that the link refused were sent: a queue that is full is the load's doing.
        (4_000, 6_000, 1.0, 50_000, None),
        # Six thousand frames are more than ten bursts of 590 can explain.
        (4_000, 6_000, 1.0, 11_800_000, None),
        # Unless the tester came with all at once.
        (4_000, 6_000, 1.0, 60_000_000, AT_ONCE),
    ],
)  # fmt: skip
def test_the_pace_of_a_trial_at_50_kpps(
    offered: int, refused: int, cpu_share: float | None, late_ns: int, said: str | None
) -> None:
    printed = make_counts(20_000.0, offered=10_000)
    printed |= {"offered": offered, "received": offered, "refused": refused}
    printed |= {"max_lateness_ns": late_ns}
    printed["send_cpu_seconds"] = cpu_share and cpu_share * printed["send_seconds"]
    found = judging.of_pace(50_000.0, TrialCounts.of(printed), judging.BEARABLE_BURST)
    assert (found and found.sentence) == said


# --- the frames file as Python reads and writes it ------------------------------------------------

FLOWS = (FlowFrames("there", 4, 3, weight=2, tx=0, rx=1), FlowFrames("back", 2, 2, tx=1, rx=0))


def some() -> Frames:
    rows = frames_file.rows(
        {"received_ns": [10, 20, 35], "sequence": [0, 1, 0], "flow": [0, 0, 1], "port": [1, 1, 0]}
    )
    return Frames(FLOWS, ("p1", "p2"), 64, rows, (Paced(6.0, 3), Paced(2.0, 3)), epoch=99)


def test_what_is_written_is_read() -> None:
    back = frames.read(frames_file.write(some()))
    for word in ("flows", "ports", "size", "steps", "epoch"):
        assert getattr(back, word) == getattr(some(), word)
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


def altered(at: int, form: str, value: int) -> bytes:
    return WHOLE[:at] + struct.pack(form, value) + WHOLE[at + struct.calcsize(form) :]


@pytest.mark.parametrize(
    "data",
    [b"", b"X" + WHOLE[1:], WHOLE[:8], WHOLE[:-1], WHOLE[:100], altered(8, "<I", 1),
     altered(12, "<I", 80), altered(16, "<I", 31), altered(22, "<H", 0)],
)  # fmt: skip
def test_a_file_that_is_none(data: bytes) -> None:
    with pytest.raises(FileError):
        frames.read(data, "trial-7.frames")
