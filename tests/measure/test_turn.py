"""One timed run at once: the second learns which run it waits for, and waits or is refused."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, FileError
from ppslab.measure import turn
from ppslab.model import results
from tests.support.factory import make_record
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.long

RUN = """
import subprocess, sys
from ppslab.measure import turn
with turn.measuring("a measurement of {lab}", lambda text: print(text, flush=True), timed={timed}):
    print("held {lab}", flush=True)
    {act}
"""


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path))


def started(
    lab: str, *, timed: bool = True, act: str = "sys.stdin.read()"
) -> subprocess.Popen[str]:
    """A process that measures until its input ends."""
    script = RUN.format(lab=lab, timed=timed, act=act)
    return subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().rstrip()


def holder(lab: str = "eoip", *, timed: bool = True) -> subprocess.Popen[str]:
    process = started(lab, timed=timed)
    assert line(process) == f"held {lab}"
    return process


def refused(by: subprocess.Popen[str], *, timed: bool = True) -> str:
    """What a run that does not wait is refused with."""
    match = rf"^another measurement runs: .* \(process {by.pid}\), since 20[\d-]+ [\d:]+ UTC"
    with (
        pytest.raises(CannotHereError, match=match) as error,
        turn.measuring("x", print, wait=False, timed=timed),
    ):
        pass
    assert error.value.exit_code == 3
    return error.value.reason


def goes(*, timed: bool = True) -> None:
    with turn.measuring("x", print, wait=False, timed=timed):
        pass


def test_a_run_that_does_not_wait_is_refused_until_the_holder_ends() -> None:
    first = holder()
    assert "a measurement of eoip" in refused(first)
    first.communicate(timeout=PATIENCE)
    goes()


def test_a_holder_that_is_killed_frees_the_turn_though_what_it_started_goes_on() -> None:
    act = "print(subprocess.Popen(['sleep', '60']).pid, flush=True); sys.stdin.read()"
    first = started("eoip", act=act)
    assert line(first) == "held eoip"
    child = int(line(first))
    second = started("pppoe")
    assert "a measurement of eoip" in line(second)
    first.kill()
    first.wait()
    assert line(second) == "held pppoe"
    os.kill(child, signal.SIGKILL)
    second.communicate(timeout=PATIENCE)
    goes()
    assert not list(turn.folder().glob("*.ticket")), "the next run removes what a kill left"


def test_who_comes_first_measures_first_and_ctrl_c_leaves_the_queue() -> None:
    first = holder("fastpath")
    waiting = []
    for number, lab in enumerate(("pppoe", "queues", "hundred", "numa"), start=1):
        waiting.append(started(lab))
        runs = "1 run" if number == 1 else f"{number} runs"
        assert re.search(
            rf"waiting, for .* of fastpath .* UTC; {runs} before this one$", line(waiting[-1])
        )
    second, third, fourth, fifth = waiting
    third.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in third.communicate(timeout=PATIENCE)[1]
    fourth.kill()
    fourth.communicate()
    first.communicate(timeout=PATIENCE)
    assert line(second) == "held pppoe"
    refused(second)
    second.communicate(timeout=PATIENCE)
    assert line(fifth) == "held numa"
    fifth.communicate(timeout=PATIENCE)


def test_runs_that_come_at_once_go_one_by_one(tmp_path: Path) -> None:
    """Two seats that measure again and again: no run begins before the last one's end."""
    log = tmp_path / "log"
    script = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from ppslab.measure import turn\n"
        "turn.LOOK_SECONDS = 0.002\n"
        "ready = Path(sys.argv[1]).with_name(f'{os.getpid()}.ready')\n"
        "ready.touch()\n"
        "while len(list(ready.parent.glob('*.ready'))) < 2:\n"
        "    time.sleep(0.002)\n"
        "for number in range(30):\n"
        "    with turn.measuring('x', str), open(sys.argv[1], 'a', buffering=1) as log:\n"
        "        for end in 'begin', 'end':\n"
        "            log.write(f'{os.getpid()} {end}\\n')\n"
        "            time.sleep(0.002)\n"
    )
    seats = [subprocess.Popen([sys.executable, "-c", script, str(log)]) for _ in range(2)]
    assert [seat.wait(PATIENCE) for seat in seats] == [0, 0]
    lines = log.read_text().splitlines()
    begins, ends = lines[::2], lines[1::2]
    assert len(begins) == 60
    assert [text.replace("begin", "end") for text in begins] == ends
    changes = sum(a != b for a, b in pairwise(begins))
    assert changes > 2, "they alternate"


def test_the_notice_comes_again_every_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    first = holder()
    notices: list[str] = []
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 130:
            first.communicate(timeout=PATIENCE)

    monkeypatch.setattr(turn.time, "sleep", sleep)
    with turn.measuring("x", notices.append):
        assert len(notices) == 3


def test_those_that_count_go_side_by_side_as_many_as_there_are_cpus(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    first = holder("eoip", timed=False)
    goes(timed=False)
    assert "a measurement of eoip" in refused(first), "a timed run waits for it"
    second = holder("pppoe", timed=False)
    refused(first, timed=False)
    first.communicate(timeout=PATIENCE)
    goes(timed=False)
    second.communicate(timeout=PATIENCE)
    third = holder("queues")
    refused(third, timed=False)
    third.communicate(timeout=PATIENCE)


def test_no_time_is_taken_without_the_turn() -> None:
    with turn.measuring("x", print, timed=False), pytest.raises(CannotHereError):
        turn.lease()
    with pytest.raises(KeyboardInterrupt), turn.measuring("x", print, wait=False):
        raise KeyboardInterrupt
    assert not list(turn.folder().glob("*.ticket"))
    with turn.measuring("x", print):
        lease = turn.lease()
    assert lease.holder.endswith(": x")
    assert set(lease.cpus) == os.sched_getaffinity(0)
    with pytest.raises(CannotHereError):
        turn.lease()


@pytest.mark.parametrize("own", [True, False])
def test_users_of_a_class_share_its_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    monkeypatch.setattr(turn, "SHARED", tmp_path / "class")
    if not own:
        monkeypatch.delenv("PPSLAB_RUNTIME")
    assert turn.folder() != turn.SHARED, "no class has made it"
    turn.SHARED.mkdir()
    assert (turn.folder() == turn.SHARED) is not own


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes two other users")
def test_two_users_share_the_queue_and_none_holds_what_the_other_left(tmp_path: Path) -> None:
    queue = tmp_path / "queue"
    queue.mkdir()
    queue.chmod(0o1777)
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
    assert line(first) == "held"
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


@pytest.mark.parametrize(
    ("late", "changed", "message"),
    [(timedelta(hours=1), {}, "began"), (timedelta(), {"measure": "counted"}, "turn")],
)
def test_a_turn_that_is_none_is_refused(
    tmp_path: Path, late: timedelta, changed: dict[str, object], message: str
) -> None:
    record = make_record(rounds=2)
    lease = results.Lease(holder="seat-07: eoip", since=record.started + late, cpus=(2, 3))
    results.save(record.model_copy(update={"lease": lease, **changed}), tmp_path / "r.json")
    with pytest.raises(FileError, match=message):
        results.load(tmp_path / "r.json")
