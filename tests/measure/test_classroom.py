"""A class on this machine: one queue for its seats, and CPUs that their shells leave alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.measure import turn
from ppslab.model import results
from tests.support.factory import make_record
from tests.support.waiting import PATIENCE

CPUS = sorted(os.sched_getaffinity(0))
needs_two = pytest.mark.skipif(len(CPUS) < 2, reason="one CPU cannot be kept from the other seats")
SEAT = [f"{sys.prefix}/bin/ppslab", "workshop", "shell"]
SLEEP = "import os, sys; print(sorted(os.sched_getaffinity(0)), flush=True); sys.stdin.read()"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path / "run"))
    monkeypatch.delenv("PPSLAB_TURN", raising=False)
    monkeypatch.delenv("PPSLAB_SEAT", raising=False)


@pytest.fixture
def taught() -> Iterator[turn.Class]:
    with turn.open_class("A day", CPUS[-1:]) as made:
        yield made


@pytest.fixture
def seat(taught: turn.Class) -> Iterator[subprocess.Popen[str]]:
    """A seat's shell, in which a program runs."""
    process = subprocess.Popen(
        [*SEAT, "seat-07", sys.executable, "-c", SLEEP],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process
    process.communicate(timeout=PATIENCE)


def told(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


@pytest.mark.long
@needs_two
def test_a_seats_shell_leaves_the_measuring_cpus_and_the_turn_takes_them(
    seat: subprocess.Popen[str],
) -> None:
    assert told(seat) == str(CPUS[:-1])
    heard: list[str] = []
    with turn.measuring("a measurement of eoip", heard.append):
        lease = turn.lease()
        assert os.sched_getaffinity(0) == {CPUS[-1]}
    assert (lease.cpus, lease.kept_free) == ((CPUS[-1],), (CPUS[-1],))
    assert lease.workshop == "A day" and not heard
    assert os.sched_getaffinity(0) == set(CPUS), "given back with the turn"


@pytest.mark.long
@needs_two
def test_a_shell_that_took_the_measuring_cpus_is_told_and_recorded(
    seat: subprocess.Popen[str],
) -> None:
    told(seat)
    os.sched_setaffinity(seat.pid, CPUS)
    heard: list[str] = []
    with turn.measuring("a measurement of eoip", heard.append):
        assert turn.lease().kept_free == ()
    assert len(heard) == 1 and f"CPU {CPUS[-1]}" in heard[0]


@pytest.mark.long
@needs_two
def test_the_one_who_measures_is_the_seat_in_whose_shell_it_runs(taught: turn.Class) -> None:
    script = (
        "from ppslab.measure import turn\n"
        "with turn.measuring('a measurement of eoip', print):\n"
        "    print(turn.lease().model_dump_json())"
    )
    command = [*SEAT, "seat-03", sys.executable, "-c", script]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    lease = json.loads(answer.stdout)
    assert lease["holder"] == "seat-03: a measurement of eoip"
    assert (lease["cpus"], lease["kept_free"]) == ([CPUS[-1]], [CPUS[-1]])


@pytest.mark.long
@needs_two
def test_two_who_measure_in_a_class_take_turns(taught: turn.Class) -> None:
    script = "with turn.measuring('x', print, wait=False): print('held')"
    with turn.measuring("a measurement of eoip", print):
        command = [sys.executable, "-c", f"from ppslab.measure import turn\n{script}"]
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert asked.returncode and "a measurement of eoip" in asked.stderr


@needs_two
def test_a_queue_of_ones_own_is_no_turn_in_a_class(
    taught: turn.Class, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PPSLAB_TURN", str(tmp_path))
    refused = pytest.raises(CannotHereError)
    with refused as error, turn.measuring("x", print):
        pass
    assert "unset PPSLAB_TURN" in error.value.remedy
    with turn.measuring("x", print, timed=False):
        pass  # counting disturbs nobody


@needs_two
def test_a_class_that_begins_meanwhile_refuses_the_record_as_timed() -> None:
    with turn.measuring("x", print):
        turn.lease()
        with (
            turn.open_class("A day", CPUS[-1:]),
            pytest.raises(CannotHereError) as refused,
        ):
            turn.lease()
        assert "count instructions" in refused.value.remedy
        assert turn.held() is not None, "what was measured in part keeps it"


def test_a_class_ends_with_its_server() -> None:
    with turn.open_class("A day"):
        found = turn.current_class()
        assert found and found.title == "A day"
        assert turn.folder() == found.queue
    assert turn.current_class() is None and turn.folder() != found.queue
    (found.queue.parent / turn.FILE).write_text('{"title": "Gone", "cpus": []}')
    assert turn.current_class() is None, "its server was killed"
    with turn.open_class("The next day"):
        assert turn.current_class()


@pytest.mark.parametrize(("cpus", "message"), [([4095], "no CPU 4095"), (CPUS, "seats")])
def test_cpus_that_cannot_be_kept_are_refused(cpus: list[int], message: str) -> None:
    with pytest.raises(UsageError, match=message), turn.open_class("A day", cpus):
        pass


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes two other users")
def test_two_users_share_the_queue_and_none_holds_what_the_other_left(tmp_path: Path) -> None:
    queue = tmp_path / "queue"
    queue.mkdir()
    queue.chmod(turn.STICKY)
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o011)
    script = (
        "import os, sys\n"
        "from ppslab.measure import turn\n"
        "os.setgid(65534); os.setuid(int(sys.argv[1])); os.umask(0o077)\n"
        "os.environ['PPSLAB_RUNTIME'] += sys.argv[1]\n"
        "with turn.measuring('first', print, wait=False, timed=False):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script.replace(", timed=False", ""), "65533"]
    environment = {**os.environ, "PPSLAB_TURN": str(queue), "LOGNAME": "seat"}
    environment["PPSLAB_RUNTIME"] = f"{queue}/run-"
    first = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )
    assert told(first) == "held"
    other = [sys.executable, "-c", script, "65532"]
    seen = subprocess.run(other, capture_output=True, text=True, check=False, env=environment)
    assert f"another measurement runs: first (process {first.pid})" in seen.stderr
    first.kill()
    first.communicate()
    seen = subprocess.run(
        other, capture_output=True, text=True, check=True, env=environment, input=""
    )
    assert seen.stdout == "held\n"
    assert len(list(queue.glob("*.ticket"))) == 1, "the other user's, which counts no more"


LEASE = results.Lease(
    holder="seat-07: a measurement of fastpath",
    since=make_record(rounds=2).started - timedelta(seconds=1),
    cpus=(2, 3),
    kept_free=(2,),
    workshop="A day",
)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"since": LEASE.since + timedelta(hours=1)}, "began"),
        ({"kept_free": (5,)}, "CPU 5"),
    ],
)
def test_a_turn_that_is_none_is_refused(
    tmp_path: Path, changed: dict[str, object], message: str
) -> None:
    lease = LEASE.model_copy(update=changed)
    results.save(make_record(rounds=2).model_copy(update={"lease": lease}), tmp_path / "r.json")
    with pytest.raises(FileError, match=message):
        results.load(tmp_path / "r.json")


def test_a_counted_record_takes_no_turn(tmp_path: Path) -> None:
    record = make_record(rounds=2).model_copy(update={"lease": LEASE, "measure": "counted"})
    results.save(record, tmp_path / "r.json")
    with pytest.raises(FileError, match="turn"):
        results.load(tmp_path / "r.json")
