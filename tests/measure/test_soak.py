"""A soak: its legs, what a stopped one leaves, and how it goes on; on a router of doubles."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ppslab.cli import application
from ppslab.cli.measuring.soak import summary
from ppslab.core.errors import BackendError, UsageError
from ppslab.measure import soak
from ppslab.measure.soak import Options
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model import results
from ppslab.model.lab import lab, profiles
from ppslab.show.report import rows

FASTPATH = lab.find("fastpath")
SECONDS = Options(
    condition="routing-plain", load=1000.0, soak="seconds", backend="namespaces", seed=1
)


def again(path: Path, **words: Any) -> Options:
    return Options(**{**SECONDS.__dict__, "resume": path, **words})


def test_the_article_s_soak_lasts_eight_hours() -> None:
    found = profiles.load_soak("eight-hours")
    assert found.legs * found.seconds == 8 * 3600
    with pytest.raises(UsageError, match='"eight-hours"'):
        profiles.load_soak("eight-hour")


def test_all_legs_are_run_and_the_record_holds_what_they_counted(begun: list[str]) -> None:
    record, path = soak.run(FASTPATH, SECONDS)
    assert results.load_as(path, results.SoakRecord) == record
    jsonschema.validate(json.loads(path.read_text()), results.schema(results.SoakRecord))
    assert (record.state, record.done, record.trials) == ("completed", True, ())
    assert [leg.number for leg in record.legs] == [0, 1, 2]
    for leg in record.legs:
        assert leg.valid and leg.intended == 200
    assert record.intended == sum(leg.intended for leg in record.legs)


@pytest.fixture
def stops(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let the router vanish at a trial, counted from 0."""

    def stop(at: int) -> None:
        trial = FrameTestbed.trial

        def stopping(testbed: FrameTestbed, spec: Any, **words: Any) -> results.Trial:
            if len(testbed.trials) == at:
                raise BackendError("gone")
            return trial(testbed, spec, **words)

        monkeypatch.setattr(FrameTestbed, "trial", stopping)

    return stop


def test_what_a_stopped_soak_has_run_is_kept_and_no_other_soak_goes_on_with_it(
    begun: list[str], tmp_path: Path, stops: Callable[[int], None]
) -> None:
    stops(2)
    with pytest.raises(BackendError, match="gone"):
        soak.run(FASTPATH, SECONDS)
    (left,) = (tmp_path / "results").rglob("*.json")
    before = results.load_as(left, results.SoakRecord)
    assert (before.state, before.done, len(before.legs)) == ("aborted", False, 2)
    assert before.extent == "2 of 3 legs, 0.4 s"

    with pytest.raises(UsageError, match=r"1000\.0.*2000"):
        soak.run(FASTPATH, again(left, load=2000.0))
    with pytest.raises(UsageError, match="routing-plain"):
        soak.run(FASTPATH, again(left, condition="routing-3-rules"))


def test_what_is_validated_says_how_long_it_went(
    begun: list[str],
    tmp_path: Path,
    stops: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    stops(1)
    with pytest.raises(BackendError):
        soak.run(FASTPATH, SECONDS)
    (left,) = (tmp_path / "results").rglob("*.json")
    application(["validate"])(["validate", str(left)], standalone_mode=False)
    assert "1 of 3 legs, 0.2 s" in capsys.readouterr().out


def test_who_stops_it_is_told_where_it_is_kept_and_how_to_go_on(
    begun: list[str], tmp_path: Path, stops: Callable[[int], None]
) -> None:
    stops(1)
    asked = "soak fastpath --condition routing-plain --load 1000 --soak seconds"
    with pytest.raises(BackendError) as stopped:
        application(["soak"])(asked.split(), standalone_mode=False)
    (left,) = (tmp_path / "results").rglob("*.json")
    notes = "\n".join(stopped.value.__notes__)
    assert str(left) in notes and "--resume" in notes


def test_a_soak_that_is_killed_has_left_its_legs(
    begun: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is unwound then: what is on disk when a leg begins is what the next sitting has."""
    found: list[int] = []
    trial = FrameTestbed.trial

    def looking(testbed: FrameTestbed, spec: Any, **words: Any) -> results.Trial:
        left = list((tmp_path / "results").rglob("*.json"))
        found.append(sum(len(results.load_as(each, results.SoakRecord).legs) for each in left))
        return trial(testbed, spec, **words)

    monkeypatch.setattr(FrameTestbed, "trial", looking)
    _, path = soak.run(FASTPATH, SECONDS)
    assert found == [0, 1, 2]
    assert list((tmp_path / "results").rglob("*.json*")) == [path]


def test_the_legs_of_both_sittings_are_one_soak(begun: list[str], tmp_path: Path) -> None:
    whole, path = soak.run(FASTPATH, SECONDS)
    part = whole.model_copy(update={"state": "aborted", "legs": whole.legs[:2]})
    results.save(part, tmp_path / "part.json")
    record, _ = soak.run(FASTPATH, again(tmp_path / "part.json"))
    assert record.legs[:2] == part.legs
    assert [leg.number for leg in record.legs] == [0, 1, 2] and record.done
    with pytest.raises(UsageError, match="3 legs"):
        soak.run(FASTPATH, again(path))


def test_it_wants_a_load_and_streams() -> None:
    with pytest.raises(UsageError, match="--load"):
        soak.run(FASTPATH, Options(condition="routing-plain"))
    eoip = lab.find("eoip")
    with pytest.raises(UsageError, match="routed-clamped"):
        soak.run(eoip, Options(condition="routed-clamped", load=1000.0))


def test_what_is_said_names_the_leg_that_lost_most(begun: list[str]) -> None:
    record, _ = soak.run(FASTPATH, SECONDS)
    leg = record.legs[1]
    uneven = {"r12": 10, "r13": 4, "r21": 9}
    worse = leg.model_copy(update={"received": leg.intended - 7, "streams": uneven})
    legs = (record.legs[0], worse, record.legs[2])
    sentences = summary(record.model_copy(update={"legs": legs}))
    assert " 7 of" in sentences[1]
    assert "leg 1," in sentences[2]
    assert "40.0%" in sentences[3]


def test_a_report_gives_what_its_legs_lost(begun: list[str]) -> None:
    record, _ = soak.run(FASTPATH, SECONDS)
    legs = [
        leg.model_copy(update={"received": leg.intended - lost})
        for leg, lost in zip(record.legs, (0, 7, 2), strict=True)
    ]
    changed = record.model_copy(update={"legs": tuple(legs)})
    row, *_ = rows.results_of(changed)
    assert (row.condition, row.frame_size, row.value) == ("routing-plain", 64, 2)
