"""The server of a rehearsal: its end is waited for, and it is killed where it does not end."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.base.errors import CannotHereError
from ppslab.base.processes import start_time
from ppslab_class.hub import left_over
from ppslab_class.rehearsal import rehearsing, server_process
from ppslab_class.rehearsal.learner import Log
from ppslab_class.rehearsal.on_server.rehearsing import OnServer, Rehearsed
from ppslab_class.rehearsal.rehearsing import Rehearsal
from ppslab_class.rehearsal.server_process import STUCK, ServerProcess
from tests.support.waiting import until

# In place of the server: it has a child, as the server has its hub.
SERVES = """
import signal, subprocess, sys, time
from pathlib import Path
hub = subprocess.Popen(["sleep", "600"])
Path(sys.argv[sys.argv.index("--folder") + 1], "child").write_text(str(hub.pid))
{at_interrupt}
print("The class: http://127.0.0.1:7/workshop until Ctrl-C", flush=True)
while True:
    time.sleep(600)
"""
DEAF = "signal.signal(signal.SIGINT, signal.SIG_IGN)"
ENDS = "signal.signal(signal.SIGINT, lambda *_: (hub.kill(), hub.wait(), sys.exit(0)))"


def served(folder: Path, monkeypatch: pytest.MonkeyPatch, at_interrupt: str) -> ServerProcess:
    monkeypatch.setattr(server_process, "STARTING", SERVES.format(at_interrupt=at_interrupt))
    server = ServerProcess(folder, folder)
    server.start()
    assert server.port == 7
    return server


def gone(folder: Path) -> None:
    """The hub got the same signal, but it is nobody's child any more whom one could wait for."""
    hub = int((folder / "child").read_text())
    until(lambda: start_time(hub) is None, "the end of the hub")


def test_a_server_that_ends_is_not_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = served(tmp_path, monkeypatch, ENDS)
    server.stop()
    assert server.stopped
    server.stop()  # there is none any more


def test_a_server_that_does_not_end_is_killed_with_its_hub_and_the_proxy_of_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_process, "STOP_SECONDS", 0.2)
    ended: list[Path] = []
    monkeypatch.setattr(left_over, "end", ended.append)
    server = served(tmp_path, monkeypatch, DEAF)
    server.stop()
    assert not server.stopped and ended == [tmp_path]
    gone(tmp_path)


def test_a_kill_is_no_fault_of_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = served(tmp_path, monkeypatch, DEAF)
    server.kill()
    assert server.stopped
    gone(tmp_path)


def test_a_server_that_ended_by_itself_is_told_and_its_hub_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Path] = []
    monkeypatch.setattr(left_over, "end", ended.append)
    server = served(tmp_path, monkeypatch, "print('The class: http://127.0.0.1:7/', flush=True); "
                    "hub.kill(); sys.exit(4)")  # fmt: skip
    with pytest.raises(CannotHereError, match="the server ended in mid-class, with 4"):
        until(server.look, "its end")
    server.look()  # there is none any more
    server.stop()
    assert ended == [tmp_path]


def test_a_server_that_says_no_address_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_process, "STARTING", "raise SystemExit(3)")
    with pytest.raises(CannotHereError, match="ended at once, with 3"):
        ServerProcess(tmp_path, tmp_path).start()


def test_a_class_whose_server_had_to_be_killed_is_not_well_and_says_so() -> None:
    for stopped in (True, False):
        pages = rehearsing.Rehearsed(Rehearsal(1, 0), Log(), 1.0, 0.1, 1, 0, 0, 0, stopped)
        seats = Rehearsed(OnServer(1), 1, seconds=1.0, stopped=stopped)
        for done in (pages, seats):
            assert done.well is stopped
            assert (STUCK in done.table().plain()) is not stopped
        assert seats.told()["stopped"] is stopped
