"""Every committed record is read, whatever its age, and says what it said when it was made."""

from __future__ import annotations

import copy
import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from ppslab import results
from ppslab.base.errors import FileError
from ppslab.theory import recorded
from tests.results import committed

EXPECTED = json.loads(committed.EXPECTED.read_text(encoding="utf-8"))


def test_every_committed_record_is_listed() -> None:
    assert [path.name for path in committed.paths()] == sorted(EXPECTED), (
        "records came or went: python -m tests.results.committed, and look at the difference"
    )


@pytest.mark.parametrize("path", committed.paths(), ids=lambda path: path.stem)
def test_it_says_what_it_said(path: Path) -> None:
    assert committed.told(path) == EXPECTED[path.name]


@pytest.mark.long
@pytest.mark.parametrize("path", committed.paths(), ids=lambda path: path.stem)
def test_it_fits_the_published_schema_that_it_names_and_todays_once_renewed(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    for version in (data, recorded.renewed(data)):
        _, word, number = version["schema"].split("/")
        file = resources.files("ppslab.results").joinpath(f"schemas/{word}-{number}.json")
        jsonschema.validate(version, json.loads(file.read_text(encoding="utf-8")))
    assert recorded.renewed(data)["schema"] in results.KINDS


def test_a_record_of_version_1_has_mlrsearchs_names_once_it_is_read() -> None:
    old = {
        "schema": "ppslab/record/1",
        "profile": {"name": "quick", "search": {"initial_trial_seconds": 0.2}},
        "trials": [{"purpose": "null", "intended_rate": None, "intended_seconds": 0.3}],
        "searches": [{"goals": [{"throughput": 1.0, "lower_bound": 2.0, "upper_bound": None}]}],
    }
    kept = copy.deepcopy(old)
    assert recorded.renewed(old) == {
        "schema": "ppslab/record/2",
        "profile": {"name": "quick", "search": {"initial_trial_duration": 0.2}},
        "trials": [{"purpose": "a-a", "intended_load": None, "intended_duration": 0.3}],
        "searches": [
            {
                "goals": [
                    {
                        "conditional_throughput": 1.0,
                        "relevant_lower_bound": 2.0,
                        "relevant_upper_bound": None,
                    }
                ]
            }
        ],
    }
    assert old == kept, "what was read stays as it was"


@pytest.mark.parametrize(
    "odd",
    [
        None,
        [],
        {},
        {"schema": 3},
        {"schema": "ppslab/record/2", "trials": [{"intended_rate": 1}]},
        {"schema": "ppslab/failure/1"},
    ],
)
def test_what_is_no_record_of_version_1_stays_as_it_is(odd: object) -> None:
    assert recorded.renewed(odd) is odd


def test_a_record_of_version_1_that_is_out_of_shape_is_one_message(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    for odd in ({"trials": 3}, {"trials": [3]}, {"searches": [{"goals": 1}]}, {"profile": []}):
        path.write_text(json.dumps({"schema": "ppslab/record/1", **odd}))
        with pytest.raises(FileError, match=r"odd\.json"):
            results.load(path)
