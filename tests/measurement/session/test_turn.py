"""One measurement at a time: the second is told, and waits or is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ppslab.base.errors import CannotHereError
from ppslab.measurement.session import turn
from ppslab.measurement.session.queue import Place, Queue
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.long

HOLD = """
import sys, time
from ppslab.measurement.session import turn
with turn.measuring("a measurement of eoip", print):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path))


@pytest.fixture
def holder() -> subprocess.Popen[str]:
    return started(HOLD)


def test_the_second_is_refused_and_told_who_measures(holder: subprocess.Popen[str]) -> None:
    with pytest.raises(CannotHereError) as refused, turn.measuring("x", print, wait=False):
        pass
    assert "a measurement of eoip" in refused.value.reason
    assert str(holder.pid) in refused.value.reason
    holder.communicate(timeout=PATIENCE)
    with turn.measuring("x", print, wait=False):
        pass


def test_the_second_waits_and_is_told_now_and_every_minute(holder: subprocess.Popen[str]) -> None:
    told: list[str] = []
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 130:
            holder.kill()  # who is killed holds nothing
            holder.wait()

    with turn.measuring("x", told.append, sleep=sleep):
        assert len(slept) >= 130
    assert len(told) == 3
    assert all("a measurement of eoip" in line for line in told)


def test_children_of_the_holder_do_not_keep_it() -> None:
    """A lab's nodes are held by processes that outlive the one that was killed."""
    script = HOLD.replace(
        'print("held"', 'import os\n    if os.fork() == 0: time.sleep(30)\n    print("held"'
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "held\n"
    process.kill()
    process.wait()
    with turn.measuring("x", print, wait=False):
        pass


def test_one_after_the_other_in_one_process() -> None:
    for _ in range(2):
        with turn.measuring("x", print, wait=False):
            assert '"what": "x"' in turn.lock_file().read_text()
        assert turn.lock_file().read_text() == ""


def test_one_that_failed_leaves_no_signature() -> None:
    """Whoever came next was told to wait for a measurement that had long ended."""
    with pytest.raises(KeyboardInterrupt), turn.measuring("x", print, wait=False):
        raise KeyboardInterrupt
    assert turn.lock_file().read_text() == ""


COUNT = HOLD.replace("print)", "print, alone=False)").replace("of eoip", "of {lab}")


@pytest.fixture
def two_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})


def counting(lab: str) -> subprocess.Popen[str]:
    """One that counts."""
    return started(COUNT.replace("{lab}", lab))


def started(script: str) -> subprocess.Popen[str]:
    """A process that measures until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "held\n"
    return process


def test_those_that_count_go_side_by_side_as_many_as_there_are_cpus(two_cpus: None) -> None:
    first = counting("eoip")
    with turn.measuring("x", print, wait=False, alone=False):
        pass
    second = counting("pppoe")
    refused = pytest.raises(CannotHereError, match=str(first.pid))
    with refused, turn.measuring("x", print, wait=False, alone=False):
        pass
    first.communicate(timeout=PATIENCE)
    with turn.measuring("x", print, wait=False, alone=False):
        pass
    second.communicate(timeout=PATIENCE)


def test_time_is_not_taken_while_others_count_nor_the_other_way_round(
    two_cpus: None, holder: subprocess.Popen[str]
) -> None:
    refused = pytest.raises(CannotHereError, match=str(holder.pid))
    with refused, turn.measuring("x", print, wait=False, alone=False):
        pass
    holder.communicate(timeout=PATIENCE)
    counter = counting("pppoe")
    refused = pytest.raises(CannotHereError, match=str(counter.pid))
    with refused, turn.measuring("x", print, wait=False):
        pass
    counter.communicate(timeout=PATIENCE)


WAIT = """
import sys
from ppslab.measurement.session import turn
with turn.measuring("a measurement of {lab}", lambda text: print(text, flush=True)):
    print("held {lab}", flush=True)
    sys.stdin.read()
"""


def waiting(lab: str) -> subprocess.Popen[str]:
    """Somebody who waits, and has been told so."""
    process = subprocess.Popen(
        [sys.executable, "-c", WAIT.replace("{lab}", lab)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    return process


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().rstrip()


def test_who_comes_first_measures_first_and_each_is_told_its_place(
    holder: subprocess.Popen[str],
) -> None:
    first = waiting("pppoe")
    assert line(first).endswith("place 1 in the queue")
    second = waiting("queues")
    assert line(second).endswith("place 2 in the queue")
    third = waiting("numa")
    assert line(third).endswith("place 3 in the queue")
    second.kill()  # who is killed waits no more
    second.communicate()
    holder.communicate(timeout=PATIENCE)
    assert line(first) == "held pppoe"
    with pytest.raises(CannotHereError), turn.measuring("x", print, wait=False):
        pass
    first.communicate(timeout=PATIENCE)
    assert line(third) == "held numa"
    third.communicate(timeout=PATIENCE)
    assert not list(turn.folder().glob("*.ticket"))


def test_whoever_does_not_wait_goes_before_nobody_that_does(tmp_path: Path) -> None:
    with Queue(tmp_path).waiting("somebody"):
        # Its own process sees its lock as free: ask as another process would.
        script = (
            "from ppslab.measurement.session import turn\n"
            "with turn.measuring('x', print, wait=False): print('held')"
        )
        asked = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=False
        )
    assert asked.returncode != 0 and "CannotHereError" in asked.stderr


def test_the_wait_is_expected_by_what_it_took_before(tmp_path: Path) -> None:
    queue = Queue(tmp_path)
    for seconds in (100, 200, 300, 400, 500, 600):
        queue.took("a", seconds)
    queue.took("b", 60)
    assert queue.usual("a") == 400, "the median of the last five"
    assert queue.place("", "a", 100) == Place(0, 300)
    assert queue.place("", "a", 1000) == Place(0, 0), "later than usual: any moment"
    assert queue.place("", "unknown", 0) == Place(0, None)
    (tmp_path / f"durations-{os.geteuid()}.json").write_text("{broken")
    assert queue.usual("a") is None


def test_no_time_is_taken_without_the_turn() -> None:
    with pytest.raises(CannotHereError):
        turn.lease()
    with turn.measuring("x", print, alone=False), pytest.raises(CannotHereError):
        turn.lease()
    with turn.measuring("x", print):
        held = turn.lease()
    assert held.holder.endswith(": x") and held.workshop == ""
    assert set(held.cpus) == os.sched_getaffinity(0)
    with pytest.raises(CannotHereError):
        turn.lease()


def test_a_folder_may_be_shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setenv("PPSLAB_TURN", str(shared))
    with turn.measuring("x", print):
        assert turn.lock_file() == shared / "measuring.lock"
        assert "x" in turn.lock_file().read_text()


@pytest.mark.parametrize("alone", [True, False])
def test_who_measures_is_told_and_not_who_was_killed(alone: bool, two_cpus: None) -> None:
    """A time was taken, and one counted, by runs that were killed; now two others count."""
    for start in (counting, holding):
        killed = start("killed")
        killed.kill()
        killed.wait()
    both = [counting("eoip"), counting("pppoe")]
    refused = pytest.raises(CannotHereError, match=str(both[0].pid))
    with refused, turn.measuring("x", print, wait=False, alone=alone):
        pass
    for each in both:
        each.communicate(timeout=PATIENCE)


def holding(lab: str) -> subprocess.Popen[str]:
    """One that takes time."""
    return started(HOLD.replace("of eoip", f"of {lab}"))
