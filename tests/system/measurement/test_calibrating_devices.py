"""A tester that is a device of its own is calibrated too, as far as it can be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.core.errors import BackendError, UsageError
from ppslab.measure import calibration
from ppslab.measure.calibration.experiment import Options, calibrate
from ppslab.measure.calibration.wire import climb
from ppslab.model import results
from ppslab.testbed.backends import capabilities
from ppslab.testbed.testers.contract import Outcome
from ppslab.testbed.testers.counts import TrialCounts
from tests.support.doubles import routeros_rest
from tests.support.factory import make_counts

pytestmark = [pytest.mark.live, pytest.mark.alone]

MOST = 60_000.0
"""Frames per second over both streams of the calibration."""


def test_a_device_carries_what_it_carried_when_asked_for_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not capabilities.usable("namespaces").usable:
        pytest.skip("namespaces are needed: ppslab doctor")
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    device = routeros_rest.Device(user="lab", password="secret-word")
    device.most = MOST / 2  # of a stream
    file = tmp_path / "testers.yml"
    with routeros_rest.Server(device) as server:
        file.write_text(
            f"routeros:\n  url: {server.url}\n  user: lab\n  password: secret-word\n"
            "  ports: {left: ether2, right: ether3}\n"
        )
        record, path = calibrate(
            Options(backend="namespaces", tester="routeros", tester_config=file, sizes=(64,))
        )
    (carried,) = record.carried
    assert carried.rate == pytest.approx(MOST, rel=0.05)
    assert calibration.limited(record, 64, 0.95 * MOST) is not None
    assert calibration.limited(record, 64, 0.5 * MOST) is None
    assert {each.what for each in record.not_shown} == {
        "timers, clocks, the sender alone",
        "send jitter and delay resolution",
        "the receiver's zero-drop rate",
    }
    assert calibration.delay_resolution(record) is None
    text = path.read_text()
    assert "secret-word" not in text
    assert server.url not in text


class Refusing:
    """A wire whose tester refuses what is more than `line`, and carries `most`."""

    def __init__(self, line: float, most: float) -> None:
        self.line, self.most = line, most
        self.asked: list[float] = []

    def valid(
        self, size: int, seconds: float, arrangement: results.Arrangement, *, rate: float
    ) -> tuple[results.Trial, Outcome]:
        self.asked.append(rate)
        if rate > self.line:
            raise UsageError("more than the speed of the port")
        intended, came = round(rate * seconds), round(min(rate, self.most) * seconds)
        counts = make_counts(1e9 * seconds / came, size, came) | {"intended": intended}
        trial = results.Trial(
            number=0, purpose="tester", condition=None, frame_size=size, arrangement=arrangement,
            intended_load=rate, intended_duration=seconds, at_seconds=0.0, state="completed",
            valid=True, counts=counts,
        )  # fmt: skip
        return trial, Outcome(TrialCounts.of(counts))


@pytest.mark.parametrize("line", [81_274.0, 1_488_095.0, 14_880_952.0])
def test_the_speed_of_a_port_is_found_from_below(line: float) -> None:
    wire = Refusing(line, most=2 * line)
    trial, _ = climb(wire, 64, 1.0, "separate")  # type: ignore[arg-type]
    assert 0.9 * line <= trial.forwarding_rate <= line
    assert len(wire.asked) <= 16


def test_a_tester_that_falls_behind_is_asked_no_more() -> None:
    wire = Refusing(1e7, most=50_000.0)
    trial, _ = climb(wire, 64, 1.0, "separate")  # type: ignore[arg-type]
    assert trial.forwarding_rate == pytest.approx(50_000.0)
    assert wire.asked == [10_000.0, 20_000.0, 40_000.0, 80_000.0]


def test_a_tester_that_refuses_everything_says_why() -> None:
    with pytest.raises((UsageError, BackendError), match="speed of the port"):
        climb(Refusing(1.0, most=1.0), 64, 1.0, "separate")  # type: ignore[arg-type]
