"""What a calibration says of a measurement: only that of this machine, and only what it saw."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.core.errors import BackendError
from ppslab.measure import calibration
from ppslab.measure.calibration import experiment, probe
from ppslab.model import results
from ppslab.model.metrics import delays
from tests.support.calibration_factory import (
    HERE,
    make_calibration,
    make_carried,
    make_clocks,
    make_delays,
    make_paced,
    make_receiver,
    make_sent,
    make_timer,
)
from tests.support.waiting import PATIENCE


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which records are kept."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    return tmp_path


def keep(folder: Path, stamp: str, tester: str = "ppstraffic", **words: object) -> str:
    """Keep a calibration, and say its id."""
    record = make_calibration(stamp=stamp, **words)
    results.save(record, folder / f"calibration-{tester}-{stamp}-{record.backend}.json")
    return record.id


@pytest.mark.parametrize(
    "other",
    [
        {"environment": HERE | {"kernel": "6.18.0"}},
        {"environment": HERE | {"cpu": "another"}},
        {"environment": HERE | {"cpus": 4}},
        {"environment": HERE | {"emulation": "tcg"}},
        {"environment": HERE | {"user_namespace": True}},
        {"backend": "vm"},
        {"state": "aborted"},
        {"tester": "routeros"},
    ],
)
def test_a_calibration_of_anything_else_is_not_used(kept: Path, other: dict[str, object]) -> None:
    words = dict(other)
    keep(kept, "20261102T000000Z", str(words.pop("tester", "ppstraffic")), **words)
    (kept / "calibration-ppstraffic-20261103T000000Z-namespaces.json").write_text("{")
    assert calibration.newest_for(HERE, "namespaces") is None
    wanted = keep(kept, "20261101T000000Z")
    found = calibration.newest_for(HERE, "namespaces")
    assert found is not None
    assert found.id == wanted, "an older one of this machine is"


def test_a_saved_calibration_reads_back_equal_and_fits_its_schema(tmp_path: Path) -> None:
    record = make_calibration()
    path = tmp_path / "calibration.json"
    results.save(record, path)
    assert results.load_any(path) == record
    jsonschema.validate(json.loads(path.read_text()), results.schema(results.CalibrationRecord))


def test_the_resolution_is_what_the_wires_delay_spreads_over() -> None:
    record = make_calibration()
    assert calibration.delay_resolution(record) == 90_000, "at the coarsest load"
    assert calibration.delay_resolution(record, rate=5e3) == 5_000, "below the lowest load"
    assert calibration.delay_resolution(record, rate=1e4) == 5_000
    assert calibration.delay_resolution(record, rate=5e4) == 30_000, "the coarser neighbour"
    assert calibration.delay_resolution(record, rate=5e6) == 90_000, "above the highest load"
    assert calibration.spread(record.paced[0].from_actual, 0.9) == 0, "of nine frames in ten"


def test_without_a_calibration_nothing_is_claimed() -> None:
    assert calibration.delay_resolution(None) is None
    assert calibration.delay_resolution(make_calibration(paced=())) is None
    assert calibration.limited(None, 64, 1e9) is None
    assert len(calibration.warnings(None)) == 1


numbers = st.lists(st.integers(0, 10_000_000), min_size=200, max_size=200)


@pytest.mark.long
@given(numbers, numbers, st.sampled_from([0.9, 0.99]), st.sampled_from([0.01, 0.5, 0.9]))
def test_a_percentile_through_the_instrument_is_wrong_by_no_more_than_the_spread(
    own: list[int], routers: list[int], share: float, quantile: float
) -> None:
    found = calibration.spread(make_delays(own), share)
    assert found is not None
    seen = np.sort(np.array(own) + np.array(routers)) - min(own)
    true = np.sort(np.array(routers))

    def at(values: delays.Integers, wanted: float) -> int:
        return delays.percentiles(values, [min(1.0, wanted)])[0].ns

    assert at(true, quantile) <= at(seen, quantile) <= at(true, quantile + 1 - share) + found


BOTH_WAYS = (make_carried(64, 5e5), make_carried(64, 9e5, arrangement="coupled"))
ALONE = (make_sent(64, 1.2e6), make_sent(1518, 1.3e6))
DROPPING = make_receiver(rate=3e5, dropped_at=4e5)


@pytest.mark.parametrize(
    ("words", "size", "rate", "said"),
    [
        ({}, 64, 0.89e6, None),
        ({}, 64, 0.91e6, "1 Mpps"),
        # A size that was not calibrated: the next larger.
        ({}, 65, 0.71e6, None),
        ({}, 65, 0.73e6, "800 kpps"),
        ({}, 9000, 1e9, None),
        # The best that a sender was seen to do.
        ({"carried": BOTH_WAYS}, 64, 0.8e6, None),
        ({"carried": BOTH_WAYS}, 64, 0.82e6, "900 kpps"),
        ({"carried": BOTH_WAYS, "sent": ALONE}, 64, 1.07e6, None),
        ({"carried": BOTH_WAYS, "sent": ALONE}, 64, 1.09e6, "1.2 Mpps"),
        ({"receiver": DROPPING}, 64, 2.9e5, None),
        ({"receiver": DROPPING}, 64, 3.1e5, "300 kpps"),
        ({"receiver": make_receiver(rate=3e5)}, 64, 5e5, None),
    ],
)
def test_a_rate_that_is_the_tester_s_own(
    words: dict[str, object], size: int, rate: float, said: str | None
) -> None:
    record = make_calibration(**words)
    sentence = calibration.limited(record, size, rate)
    assert (sentence is None) if said is None else (sentence and said in sentence)
    assert sentence is None or record.id in sentence


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"clocks": make_clocks(step_ns=2_000_000)}, "2000 us"),
        ({"timer": make_timer(longest_away_ns=49_000_000)}, "49.0 ms"),
        ({"paced": (make_paced(1e4, 10, least=-700),)}, "700 ns"),
        ({"receiver": make_receiver(rate=3e5, dropped_at=4e5)}, "400 kpps"),
        ({"receiver": make_receiver(unexplained=7)}, "7"),
    ],
)
def test_a_fault_of_the_machine_is_said(words: dict[str, object], said: str) -> None:
    assert calibration.warnings(make_calibration()) == ()
    (warning,) = calibration.warnings(make_calibration(**words))
    assert said in warning


@pytest.fixture(scope="module")
def probed() -> dict[str, object]:
    argv = [sys.executable, "-I", "-S", str(Path(probe.__file__)), "-1", "0.2"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=PATIENCE)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_time_that_the_cpu_was_away_is_added_up(probed: dict[str, object]) -> None:
    found = probed | {"spun_ns": 1_000_000_000, "aways_ns": [50_000_000, 150_000_000]}
    timer = experiment.timer_of(found)
    assert (timer.away, timer.longest_away_ns) == (2, 150_000_000)
    assert timer.away_share == pytest.approx(0.2)
    with pytest.raises(BackendError, match="stands still"):
        experiment.timer_of(probed | {"steps_ns": [0, 0, 0]})


def moment(offset: int, monotonic: int, raw: int) -> dict[str, object]:
    return {
        "clocks": {
            "source": "tsc", "uncertainty_ns": 50.0, "offset_ns": offset,
            "monotonic_ns": monotonic, "raw_ns": raw,
        }
    }  # fmt: skip


def test_a_step_of_the_wall_clock_is_found_whoever_saw_it() -> None:
    first, last = moment(1_000, 0, 0), moment(1_080, 10**9, 10**9)
    assert experiment.clocks_of(first, last, [0, 0]).step_ns == 0, "within the uncertainty"
    assert experiment.clocks_of(first, last, [0, -7_000]).step_ns == 7_000, "a trial saw it"
    moved = moment(2_001_000, 10**9, 10**9)
    assert experiment.clocks_of(first, moved, [0, 0]).step_ns == 2_000_000, "the probes saw it"
    slewed = experiment.clocks_of(moment(0, 0, 0), moment(0, 1_000_020_000, 10**9), [])
    assert slewed.slew_ppm == pytest.approx(20.0)
    assert slewed.watched_seconds == pytest.approx(1.00002)
