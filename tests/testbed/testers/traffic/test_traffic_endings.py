"""How ppstraffic ends: interrupts, links that go away, frames files that do."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.testbed.testers.traffic.cable import Namespace, counts, replay, trial_argv
from tests.testbed.testers.traffic.under_way import ended, started

pytestmark = [pytest.mark.live, pytest.mark.alone]


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
    seconds = 6 if change == "ip link set t2 down" else 30
    argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 1000, "--duration", seconds)
    running = started(namespace, [*argv, "--send", method])
    namespace.sh(change)
    done = ended(running)
    found = counts(done, 1)
    assert found["aborted"] is True
    assert found["reason"].startswith("t1: ") or found["reason"].startswith("t2: ")
    assert found["offered"] < found["intended"]
    assert found["received"] <= found["offered"]


@pytest.mark.timed(why="the frames refused are the time that the link is down, by the rate")
def test_a_link_that_comes_back(
    ppstraffic_asan: Path, namespace: Namespace, tmp_path: Path
) -> None:
    """What the driver dropped while there was no carrier is lost, as RFC 6201 counts it."""
    file = tmp_path / "frames"
    for method in ("xdp", "mmsg"):
        argv = trial_argv(ppstraffic_asan, "--size", 64, "--rate", 2000, "--duration", 2)
        argv += ["--frames", str(file)]
        running = started(namespace, [*argv, "--send", method])
        namespace.sh("ip link set t2 down; sleep 0.4; ip link set t2 up")
        found = counts(ended(running))
        assert found["send_errors"] > 0
        # 0.4 s at 2000 a second fell into the gap, and more while the kernel took the link up.
        assert 700 <= found["refused"] <= 1400, method
        assert found["offered"] + found["refused"] == pytest.approx(4000, abs=100)
        assert found["offered"] - found["received"] < 400, method
        # Lost numbers are lost times: a sequence number stays a place in the schedule.
        rows = replay(ppstraffic_asan, file)
        assert {int(row["intended_ns"]) for row in rows} == {
            500_000 * int(row["sequence"]) for row in rows
        }
        assert max(int(row["sequence"]) for row in rows) > found["offered"]


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
