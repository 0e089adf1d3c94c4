"""A record is whole, readable, of its kind's schema, and says what it said when it was made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ppslab.core.errors import FileError
from ppslab.judge import costs
from ppslab.model import results
from ppslab.model.results import failures
from ppslab.model.results.kinds import Failure
from ppslab.model.results.storing import kept_only
from tests.model.results import committed
from tests.support.factory import make_record
from tests.support.tcp_factory import make_tcp_record


@pytest.mark.long
def test_a_saved_record_reads_back_equal_and_fits_the_schema(tmp_path: Path) -> None:
    record = make_record()
    path = tmp_path / "fastpath-20261121T000000Z-namespaces.json"
    results.save(record, path)
    assert results.load(path) == record
    data = json.loads(path.read_text())
    jsonschema.validate(data, results.schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, results.schema(results.SuiteRecord))


def test_the_names_of_conditions_are_those_of_the_lab_and_not_those_of_the_run(
    tmp_path: Path,
) -> None:
    record = make_record()
    old = tuple(each.model_copy(update={"title": "An old name"}) for each in record.conditions)
    path = tmp_path / "fastpath-20261121T000000Z-namespaces.json"
    results.save(record.model_copy(update={"conditions": old}), path)
    assert results.load(path).titles == record.titles
    results.save(record.model_copy(update={"conditions": old, "lab": "gone"}), path)
    assert set(results.load(path).titles.values()) == {"An old name"}


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


@pytest.mark.parametrize(
    ("command", "record", "other"),
    [("run", make_record(), make_tcp_record()), ("tcp", make_tcp_record(), make_record())],
    ids=["run", "tcp"],
)
def test_a_measurement_by_hand_settles_a_failure(
    command: Any, record: Any, other: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A completed record of the same command that began after it."""
    monkeypatch.setenv("PPSLAB_RESULTS", str(tmp_path))
    failed = Failure(
        schema="ppslab/failure/1", command=command, lab="fastpath", when=record.started,
        exit_code=1, reason="no", to_do="again",
    )  # fmt: skip
    failures.keep(failed)
    kind = "" if command == "tcp" else "tcp-"
    results.save(other, tmp_path / "local" / f"{kind}fastpath-20200101T000000Z-vm.json")
    assert (failures.older(failed), failures.current()) == (None, [failed])
    kind = "tcp-" if command == "tcp" else ""
    results.save(record, tmp_path / "local" / f"{kind}fastpath-20200101T000001Z-vm.json")
    assert (failures.older(failed), failures.current()) == (record.started, [failed])
    failures.keep(failed.model_copy(update={"when": record.started - timedelta(seconds=1)}))
    assert failures.current() == []
    failures.forget(command, "fastpath")
    assert failures.kept() == []


@pytest.mark.parametrize(
    ("failed", "typed"),
    [
        ({"command": "run", "measure": "timed"}, "ppslab run eoip --measure timed"),
        ({"command": "tcp"}, "ppslab tcp eoip"),
        ({"command": "calibrate"}, "ppslab calibrate"),
    ],
)
def test_a_failure_names_the_command_that_measures_it_again(failed: Any, typed: str) -> None:
    assert Failure.model_construct(lab="eoip", **failed).measurement == typed


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
    (at("seed", is_now=2**64 + 1), "seed: 18446744073709551617"),
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


def test_the_largest_counter_is_a_number_of_a_record(plain: Any, tmp_path: Path) -> None:
    at("seed", is_now=2**64)(plain)
    plain["environment"]["least"] = -(2**64)
    path = tmp_path / "largest.json"
    path.write_text(json.dumps(plain))
    assert results.load(path).seed == 2**64


def test_reordering_statistics_of_older_records_are_left_out() -> None:
    older = {"reordered": 3, "max_extent": 2, "ratio": 0.1, "density": {"0": 1.0}}
    assert results.Reordering.model_validate(older).model_dump() == {
        "reordered": 3,
        "max_extent": 2,
    }


def kept_records() -> list[Any]:
    """The kept records; of those of one command and lab, `make check` reads the newest."""
    newest = {path.name.split("-20")[0]: path for path in committed.paths()}
    return [pytest.param(path, id=path.stem, marks=[] if path in newest.values() else
                         [pytest.mark.long]) for path in committed.paths()]  # fmt: skip


@pytest.fixture(scope="module", params=kept_records())
def path(request: pytest.FixtureRequest) -> Path:
    """Of the module: all tests of one record run one after another, and it is read once."""
    return request.param


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


EXPECTED = json.loads(committed.EXPECTED.read_text(encoding="utf-8"))


def test_every_committed_record_is_listed() -> None:
    assert [path.name for path in committed.paths()] == sorted(EXPECTED), (
        "records came or went: python -m tests.model.results.committed, and look at the difference"
    )


def test_it_says_what_it_said(path: Path) -> None:
    assert committed.told(path) == EXPECTED[path.name]


@pytest.mark.long
def test_it_fits_the_schema_of_its_kind(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(data, results.schema(results.KINDS[data["schema"]]))


NAME = "fastpath-2026110{}T030000Z-namespaces.json"


def test_what_was_measured_here_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, own = make_record(seed=1), make_record(seed=2)
    folder = tmp_path / "results"
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    results.save(kept, folder / NAME.format(1))
    results.save(kept, folder / "sent" / NAME.format(3))
    assert kept_only(tmp_path / "links") == folder, "nothing is to be left out"
    results.save(own, folder / "local" / NAME.format(2))
    assert results.newest("fastpath") == own
    monkeypatch.setenv("PPSLAB_RESULTS", str(kept_only(tmp_path / "links")))
    assert results.newest("fastpath") == kept
    assert {path.parent.name for path in (tmp_path / "links").rglob("*.json")} == {"links", "sent"}
    # A second time too, and what has gone meanwhile is gone.
    (folder / "sent" / NAME.format(3)).unlink()
    monkeypatch.setenv("PPSLAB_RESULTS", str(folder))
    kept_only(tmp_path / "links")
    assert len(list((tmp_path / "links").rglob("*.json"))) == 1
