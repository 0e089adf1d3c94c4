"""A tester that is a device of its own is calibrated too, as far as it can be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.measure import calibration
from ppslab.measure.calibration.experiment import Options, calibrate
from ppslab.testbed.backends import capabilities
from tests.support.doubles import routeros_rest

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
