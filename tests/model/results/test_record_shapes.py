"""A record that is read can be shown: what it may not hold is refused with the value's path."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import paths
from ppslab.core.errors import FileError
from ppslab.model import results
from tests.support.factory import make_record

ROOT = paths.project_root()


def at(*keys: Any, is_now: Any) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        for key in keys[:-1]:
            data = data[key]
        data[keys[-1]] = is_now

    return change


@pytest.fixture
def plain(tmp_path: Path) -> Any:
    path = tmp_path / "record.json"
    results.save(make_record(rounds=2), path)
    return json.loads(path.read_text())


WRONG = [
    (at("trials", 3, "counts", "offered", is_now="many"), "trials[3].counts: offered: "),
    (at("trials", 3, "counts", "offered", is_now="100000"), "trials[3].counts: offered: "),
    (at("trials", 3, "counts", "offered", is_now=-1), "trials[3].counts: offered: "),
    (at("trials", 3, "counts", "offered", is_now=0), "trials[3].counts.offered: "),
    (at("trials", 3, "counts", "received", is_now=1e30), "trials[3].counts.received: 1e+30"),
    (at("trials", 3, "counts", "send_seconds", is_now=0.0), "trials[3].counts.send_seconds: "),
    (at("trials", 3, "counts", "delay_ns", is_now={}), "trials[3].counts.delay_ns: key "),
    (at("trials", 3, "counts", is_now=None), "trials[3].counts: the trial is valid"),
    (at("trials", 3, "counts", is_now={}), "trials[3].counts: key "),
    (at("trials", 3, "condition", is_now="nobody"), "no condition 'nobody'"),
    (at("trials", 3, "at_seconds", is_now=10**400), "trials[3].at_seconds: "),
    (at("profile", is_now={}), 'profile: key "name" is missing'),
    (at("profile", "name", is_now=7), "profile: name: should be a valid string"),
    (at("router", is_now={}), "router: key "),
    (at("environment", "kernel", is_now=["6.1"]), "environment: kernel: "),
    (at("environment", "routeros", is_now="7.20"), "environment: routeros: "),
    (at("environment", "machine", is_now={}), "environment"),
    (at("environment", "unheard-of", is_now=1e300), "environment.unheard-of: 1e+300"),
    (at("started", is_now="2026-11-21T05:27:34"), "started: should have timezone info"),
    (at("finished", is_now="2026-11-21T05:27:34"), "finished: should have timezone info"),
    (at("lab", is_now="../../../../etc/passwd"), "lab: '../../../../etc/passwd' is no lab's name"),
    (at("seed", is_now=10**30), "seed: 1000000000"),
]


@pytest.mark.parametrize(("change", "said"), WRONG, ids=[said for _, said in WRONG])
def test_what_cannot_be_shown_is_refused_with_its_path(
    plain: Any, tmp_path: Path, change: Callable[[Any], None], said: str
) -> None:
    change(plain)
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(plain, indent=1))
    with pytest.raises(FileError) as caught:
        results.load_any(path)
    assert said in str(caught.value)
    assert caught.value.line is not None and caught.value.line > 1


def test_words_that_are_not_known_are_kept_in_their_order(plain: Any, tmp_path: Path) -> None:
    plain["environment"] = {"unheard-of": {"x": [1, None]}, "kernel": "6.1"}
    plain["trials"][3]["counts"] = {"unheard-of": 1, **plain["trials"][3]["counts"]}
    path = tmp_path / "record.json"
    path.write_text(json.dumps(plain, indent=1))
    again = json.loads(results.load(path).model_dump_json(by_alias=True))
    assert list(again["environment"]) == ["unheard-of", "kernel"]
    assert json.dumps(again["trials"][3]["counts"]) == json.dumps(plain["trials"][3]["counts"])


@pytest.mark.parametrize(
    "path", sorted((ROOT / "results").glob("*.json")), ids=lambda path: path.stem
)
def test_kept_records_are_read_as_before(path: Path) -> None:
    """Open dictionaries come out as they went in, number for number, by the names of today."""
    record = results.load_any(path)
    kept = json.loads(path.read_text(encoding="utf-8"))
    again = json.loads(record.model_dump_json(by_alias=True))  # type: ignore[attr-defined]

    def digest(data: Any) -> str:
        return hashlib.sha256(json.dumps(data).encode()).hexdigest()

    for word in ("environment", "profile", "router"):
        assert digest(again.get(word)) == digest(kept.get(word))
    counts = [[trial["counts"] for trial in each["trials"]] for each in (again, kept)]
    assert digest(counts[0]) == digest(counts[1])


@pytest.mark.parametrize("name", [None, 3, [], {"ppslab/record/2": 1}, "ppslab/none/1"])
def test_a_schema_that_is_none_of_ours_is_one_message(name: Any, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"schema": name}))
    with pytest.raises(FileError, match="this ppslab reads ppslab/"):
        results.load_any(path)
