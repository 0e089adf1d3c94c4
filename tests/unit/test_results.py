"""A record is whole, readable, and of the schema that the package publishes."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from ppslab import results
from ppslab.errors import FileError
from tests.factory import make_record


@pytest.mark.parametrize("name", results.KINDS)
def test_the_published_schema_is_that_of_the_classes(name: str) -> None:
    _, word, version = name.split("/")
    file = resources.files("ppslab.results").joinpath(f"schemas/{word}-{version}.json")
    kept = json.loads(file.read_text())
    assert kept == results.schema(results.KINDS[name]), "write it anew: python -m ppslab.results"


def test_a_saved_record_reads_back_equal_and_fits_the_schema(tmp_path: Path) -> None:
    record = make_record()
    path = tmp_path / "fastpath-20261121T000000Z-namespaces.json"
    results.save(record, path)
    assert results.load(path) == record
    jsonschema.validate(json.loads(path.read_text()), results.schema())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("", "empty"),
        ("[]", "schema is None"),
        ('{"schema": "ppslab/record/9"}', "is wanted"),
        ('{"schema": "ppslab/record/1", "id": 3}', "id"),
    ],
)
def test_what_is_no_record_is_one_message(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(FileError, match=said) as caught:
        results.load(path)
    assert str(path) in str(caught.value)


def test_the_newest_completed_record_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    older, newer = make_record(seed=1), make_record(seed=2)
    aborted = make_record(seed=3).model_copy(update={"state": "aborted"})
    results.save(older, tmp_path / "local" / "fastpath-20261101T000000Z-namespaces.json")
    results.save(newer, tmp_path / "fastpath-20261102T000000Z-vm.json")
    results.save(aborted, tmp_path / "fastpath-20261103T000000Z-vm.aborted.json")
    found = results.newest("fastpath")
    assert found is not None
    assert found.seed == 2
    assert results.newest("eoip") is None


def test_provenance_names_what_made_the_number() -> None:
    said = make_record().provenance()
    for word in ("router: linux", "backend:", "kernel", "profile quick", "UTC"):
        assert word in said


def test_a_trial_that_sent_nothing_says_nothing_of_the_clock() -> None:
    trial = make_record().trials[0]
    nothing = {**trial.counts, "offered": 0, "send_seconds": 0.0, "send_cpu_seconds": 0.0}
    idle = trial.model_copy(update={"valid": False, "counts": nothing})
    assert results.clock_of([idle]) == "wall"
    assert results.clock_of([idle, trial]) == results.clock_of([trial])


def test_a_run_of_a_part_counts_only_where_there_is_no_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    whole = make_record(seed=1)
    part = make_record(seed=2).model_copy(update={"frame_sizes": (64,)})
    results.save(part, tmp_path / "fastpath-20270101T000000Z-namespaces.json")
    assert results.newest("fastpath") == part
    results.save(whole, tmp_path / "fastpath-20260101T000000Z-namespaces.json")
    assert results.newest("fastpath") == whole


def test_an_old_file_that_is_no_record_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    part = make_record().model_copy(update={"frame_sizes": (64,)})
    results.save(part, tmp_path / "fastpath-20270101T000000Z-namespaces.json")
    (tmp_path / "fastpath-20260101T000000Z-namespaces.json").write_text("{}")
    assert results.newest("fastpath") == part
    (tmp_path / "fastpath-20280101T000000Z-namespaces.json").write_text("{}")
    with pytest.raises(FileError):
        results.newest("fastpath")
