"""A hub whose `start` was killed alone: the next start ends it, and nothing that is not its own."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ppslab.base.errors import CannotHereError
from ppslab.base.processes import start_time
from ppslab_class.commands import server_seats
from ppslab_class.hub import configuration, left_over, ports, proxy
from ppslab_class.hub.ports import Port
from tests.support.waiting import PATIENCE

# In place of a hub: it listens at a free port of the loopback, and says at which.
LISTENS = """
import signal, socket, sys
if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    signal.pause()
"""
# In place of `ppslab workshop start`, which is killed alone.
STARTS = """
import subprocess, sys
from pathlib import Path
from ppslab_class.hub import running
popen = subprocess.Popen
def hub(words, **more):
    return popen([sys.executable, "-c", sys.argv[2]], **more | {"stdout": sys.stdout})
running.subprocess.Popen = hub
with running.running({}, Path(sys.argv[1])) as process:
    print(process.pid, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "day"
    made.mkdir()
    return made


Start = Callable[..., tuple[subprocess.Popen[str], int]]


@pytest.fixture
def listens() -> Iterator[Start]:
    """A function that starts a program that listens; it returns it with its port."""
    begun: list[subprocess.Popen[str]] = []

    def start(cwd: Path, *words: str) -> tuple[subprocess.Popen[str], int]:
        process = subprocess.Popen(
            [sys.executable, "-c", LISTENS, *words], cwd=cwd, stdout=subprocess.PIPE, text=True
        )
        begun.append(process)
        assert process.stdout
        return process, int(process.stdout.readline())

    yield start
    for process in begun:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


def wanted(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """The hub of this test wants this port."""
    monkeypatch.setattr(ports, "of_a_hub", lambda *_: (Port("the hub's own port", "", port),))


def asked(folder: Path) -> server_seats.Asked:
    return server_seats.Asked(folder, "", "127.0.0.1", 8000, 512, 512)


@pytest.mark.long
def test_the_hub_of_a_start_that_was_killed_alone_is_ended_by_the_next(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = subprocess.Popen(
        [sys.executable, "-c", STARTS, str(folder), LISTENS],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert start.stdout and start.stdin
    numbers = {int(start.stdout.readline()), int(start.stdout.readline())}
    start.kill()
    start.wait()
    (left,) = left_over.found(folder)
    try:
        (port,) = numbers - {left.pid}
        assert [each.pid for each in ports.listening(port)] == [left.pid]
        wanted(monkeypatch, port)
        server_seats.make_room(asked(folder))
        assert capsys.readouterr().out == (
            f"Ended the hub that the last start left behind (process {left.pid}).\n"
        )
        assert start_time(left.pid) is None and not ports.listening(port)
        server_seats.make_room(asked(folder))
        assert capsys.readouterr().out == "", "there is nothing more to end"
    finally:
        with suppress(ProcessLookupError):
            left_over._end(left)
        start.stdout.close()
        start.stdin.close()


def test_a_hub_that_does_not_listen_to_reason_is_killed(
    folder: Path, listens: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_over, "STOP_SECONDS", 0.1)
    hub, _ = listens(folder, "stubborn")
    left_over.note(folder, hub.pid)
    assert [each.pid for each in left_over.end(folder)] == [hub.pid]
    assert hub.wait(PATIENCE) == -9


@pytest.mark.parametrize("wrong", ["boot", "started", "folder", "not JSON", "a list"])
def test_a_number_alone_is_no_hub(folder: Path, listens: Start, wrong: str) -> None:
    hub, _ = listens(folder)
    left_over.note(folder, hub.pid)
    assert left_over.found(folder), "it is one so far"
    path = folder / configuration.PROCESS
    told = json.loads(path.read_text())
    if wrong == "folder":  # a copy of the folder, whose original is being served
        folder = Path(shutil.copytree(folder, folder.with_name("copy")))
    elif wrong == "not JSON":
        path.write_text("{")
    else:
        path.write_text("[1]" if wrong == "a list" else json.dumps(told | {wrong: "other"}))
    assert left_over.end(folder) == [] and hub.poll() is None


def test_a_foreign_program_at_the_port_is_named_and_refused(
    folder: Path, listens: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, port = listens(folder)
    wanted(monkeypatch, port)
    with pytest.raises(CannotHereError) as refused:
        server_seats.make_room(asked(folder))
    said = refused.value.reason
    assert said.startswith(f"the hub's own port, {port}: taken by `{sys.executable} -c ")
    assert said.endswith(f"(process {other.pid})") and refused.value.remedy
    assert other.poll() is None


def test_a_proxy_that_was_left_is_ended_and_who_has_its_old_number_is_not(
    folder: Path, listens: Start, tmp_path: Path
) -> None:
    path = folder / configuration.PROXY_ID
    left, _ = listens(folder)
    path.write_text(str(left.pid))
    assert [each.what for each in left_over.end(folder)] == ["hub's proxy"]
    assert left.wait(PATIENCE) == -15
    other, _ = listens(tmp_path)
    path.write_text(str(other.pid))
    assert left_over.end(folder) == [] and other.poll() is None
    assert not path.exists(), "JupyterHub would end it by this number"


def test_the_doctor_tells_a_foreign_program_from_what_was_left(
    folder: Path, listens: Start
) -> None:
    hub, port = listens(folder)
    wanted = (Port("the hub's own port", "127.0.0.1", port, "end that program"),)
    (point,) = ports.points(wanted, folder)
    assert (point.state, point.remedy) == ("missing", "end that program")
    assert f"process {hub.pid}" in point.found
    left_over.note(folder, hub.pid)
    (point,) = ports.points(wanted, folder)
    assert point.state == "warning" and "ends that hub" in point.remedy
    left_over.end(folder)
    (point,) = ports.points(wanted, folder)
    assert point.state == "ready"


def test_an_address_that_is_not_this_machines_is_told_as_such() -> None:
    with pytest.raises(CannotHereError, match="the seats' port, 8000: Cannot assign"):
        ports.must_be_free((Port("the seats' port", "192.0.2.1", 8000),))


def test_every_port_that_the_hub_is_told_is_tried(tmp_path: Path) -> None:
    place = configuration.Place(tmp_path, 8000, None, None, host="192.0.2.1")
    seats = configuration.Seats(title="", names=("seat-01",))
    told = configuration.configuration(seats, place)
    addresses = {
        told["JupyterHub"]["bind_url"],
        told["JupyterHub"]["hub_bind_url"],
        told["ConfigurableHTTPProxy"]["api_url"],
    }
    tried = ports.of_a_hub(place.host, place.port)
    assert addresses == {f"http://{each.host}:{each.number}" for each in tried}


@pytest.mark.skipif(shutil.which("node") is None, reason="no node in PATH")
@pytest.mark.parametrize("wrapped", [True, False])
def test_the_proxy_ends_with_the_process_that_the_hub_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrapped: bool
) -> None:
    """Also where the node in PATH is a wrapper, which waits for the real one."""
    real = subprocess.run(
        ["node", "-p", "process.execPath"], capture_output=True, text=True, check=True
    ).stdout.strip()
    (tmp_path / "first").mkdir()
    node = tmp_path / "first/node"
    if wrapped:
        node.write_text(f'#!/bin/sh\n{real} "$@"\nexit $?\n')
        node.chmod(0o755)
    else:
        node.symlink_to(real)
    program = tmp_path / "first" / proxy.PROGRAM
    program.write_text(
        "#!/usr/bin/env node\n"
        "const server = require('net').createServer();\n"
        "server.listen(0, '127.0.0.1', () => console.log(server.address().port, process.pid));\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'first'}:/usr/bin:/bin")
    command = proxy.command()
    assert (command == (str(program),)) is not wrapped
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    port, pid = map(int, process.stdout.readline().split())
    process.terminate()  # as JupyterHub does
    process.wait(PATIENCE)
    process.stdout.close()
    with socket.socket() as tried:
        assert tried.connect_ex(("127.0.0.1", port)) != 0, f"node, process {pid}, goes on"
