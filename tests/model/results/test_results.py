"""A record is whole, readable, and of the schema that the package publishes."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from ppslab.core.errors import FileError
from ppslab.judge import costs
from ppslab.model import results
from tests.support.factory import make_record


@pytest.mark.parametrize("name", results.KINDS)
def test_the_published_schema_is_that_of_the_classes(name: str) -> None:
    _, word, version = name.split("/")
    file = resources.files("ppslab.model.results").joinpath(f"schemas/{word}-{version}.json")
    kept = json.loads(file.read_text())
    assert kept == results.schema(results.KINDS[name]), (
        "write it anew: python -m ppslab.model.results"
    )


@pytest.mark.long
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
        ('{"schema": "ppslab/record/2", "id": 3}', "id"),
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
    said = make_record().provenance().sentence
    for word in ("router: linux", "backend:", "kernel", "profile: quick", "UTC"):
        assert word in said


def test_a_trial_that_sent_nothing_says_nothing_of_the_clock() -> None:
    trial = make_record().trials[0]
    nothing = {**trial.counts, "offered": 0, "send_seconds": 0.0, "send_cpu_seconds": 0.0}
    idle = trial.model_copy(update={"valid": False, "counts": nothing})
    assert results.clock_of([idle]) == "wall"
    assert results.clock_of([idle, trial]) == results.clock_of([trial])


def test_counted_a_condition_whose_threads_work_takes_the_wall_clock() -> None:
    """Of two conditions one works in the sender's time and one, as WireGuard, in its own threads.

    Timed, the whole of one CPU shows that the kernel counts all work; the other's neighbours had
    the rest.  Counted there are no neighbours: what the sender has not used, the router has.
    """
    whole, part = _trial("plain", 0.997), _trial("threads", 0.21)
    assert results.clock_of([whole, part]) == "cpu"
    assert results.clock_of([whole, part], "counted") == "wall"
    assert results.clock_of([whole], "counted") == "cpu"
    # Something else took the CPU of one trial, and not of the next: that is no thread's work.
    assert results.clock_of([whole, _trial("plain", 0.899)], "counted") == "cpu"


def _trial(condition: str, cpu: float, threads: float | None = None) -> results.Trial:
    """A coupled trial of a second: what the sender used of it, and the kernel's own threads."""
    trial = make_record().trials[0]
    counts = {**trial.counts, "offered": 1000, "send_seconds": 1.0, "send_cpu_seconds": cpu}
    if threads is not None:
        counts |= {"kernel_thread_seconds": threads}
    return trial.model_copy(update={"condition": condition, "counts": counts})


def test_where_the_tester_counts_the_kernels_threads_the_cpus_clock_has_their_work() -> None:
    """WireGuard's threads go on when the sender has stopped, which the wall clock does not see.

    Of a condition that leaves nothing to threads, what they do is housekeeping, and not counted.
    """
    plain, threads = _trial("plain", 0.997, 0.005), _trial("threads", 0.21, 1.4)
    assert results.clock_of([plain, threads], "counted") == "cpu"
    record = make_record().model_copy(
        update={"trials": (plain, threads), "clock": "cpu", "measure": "counted"}
    )
    size, purpose, number = plain.frame_size, plain.purpose, plain.round
    assert number is not None
    seen = {name: costs.raw_costs(record, name, size, purpose) for name in ("plain", "threads")}
    # A thousand frames; an instruction takes two nanoseconds.
    assert seen["plain"][number] == pytest.approx(0.997e6 / 2)
    assert seen["threads"][number] == pytest.approx(1.61e6 / 2)


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


def test_pages_show_the_labs_own_measure_and_a_real_router_before_the_stand_ins_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    timed = make_record(seed=1)
    counted = make_record(seed=2).model_copy(update={"measure": "counted"})
    chr_ = make_record(seed=3).model_copy(update={"router": {**timed.router, "name": "routeros"}})
    results.save(timed, tmp_path / "fastpath-20270101T000000Z-namespaces.json")
    assert results.newest("fastpath") == timed
    results.save(counted, tmp_path / "fastpath-20260101T000000Z-vm.json")
    assert results.newest("fastpath") == counted
    assert results.newest("fastpath", "timed") == timed
    results.save(chr_, tmp_path / "fastpath-20280101T000000Z-containerlab.json")
    assert results.newest("fastpath") == chr_
    assert results.newest("fastpath", "counted") == counted


def test_a_new_timed_record_changes_no_counted_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where the counted one has a part of the lab, which has got new conditions since."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    counted = make_record(seed=2).model_copy(update={"measure": "counted", "frame_sizes": (64,)})
    assert not counted.is_whole(counted.lab_now())
    results.save(counted, tmp_path / "fastpath-20260101T000000Z-vm.json")
    results.save(make_record(seed=1), tmp_path / "fastpath-20270101T000000Z-namespaces.json")
    assert results.newest("fastpath") == counted
    whole = make_record(seed=3).model_copy(update={"measure": "counted"})
    results.save(whole, tmp_path / "fastpath-20250101T000000Z-vm.json")
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
