"""A shell in a node, on a real terminal: Python's pty stands for the window."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.model.lab.topology import load
from ppslab.testbed.backends import attach, open_backend, registry
from tests.support.waiting import PATIENCE, a_long_time, running, until
from tests.testbed.backends.conftest import LONE

pytestmark = pytest.mark.live

CODE = """
import sys
from ppslab.testbed.backends import attach, registry
from ppslab.testbed.backends.shell import shell
entry = next(e for e in registry.live() if e.name == sys.argv[1])
with attach(entry) as backend:
    node = backend.deployments()["lone-s"].node("n")
    sys.exit(shell(node, *([sys.argv[2:]] if sys.argv[2:] else [])))
"""


@pytest.fixture(scope="module")
def entry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[registry.Entry]:
    path = tmp_path_factory.mktemp("shell") / "t.clab.yml"
    path.write_text(LONE)
    with open_backend("namespaces", detach=True) as backend:
        backend.deploy(load(path), "lone-s")
    yield backend.entry
    attach(backend.entry).stop()


class Window:
    """A terminal with a program in it."""

    def __init__(self, entry: registry.Entry, *argv: str) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(30, 100)
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [sys.executable, "-c", CODE, entry.name, *argv],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        self.seen = ""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def until(self, text: str, seconds: float = PATIENCE) -> str:
        """What the terminal shows up to a text."""
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.master], [], [], 0.1)
            if ready:
                self.seen += os.read(self.master, 65536).decode()
            assert time.monotonic() < deadline, f"no {text!r} in {self.seen!r}"
        shown, self.seen = self.seen.split(text, 1)
        return shown + text

    def is_raw(self) -> bool:
        return not termios.tcgetattr(self.slave)[3] & termios.ICANON

    def is_restored(self) -> bool:
        return termios.tcgetattr(self.slave) == self.before

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def window(entry: registry.Entry) -> Iterator[Window]:
    opened = Window(entry)
    yield opened
    opened.close()


def test_a_session(window: Window) -> None:
    window.until("n# ")
    assert window.is_raw()
    window.type("hostname; tty; stty size\r")
    shown = window.until("30 100")
    assert "\rn\r\n" in shown and "/dev/pts/" in shown
    window.resize(50, 132)

    def size() -> str:
        window.type("stty size\r")
        return window.until("n# ")

    until(lambda: "50 132" in size(), "the node's window to have the new size")
    window.type("echo $((6 * 7)); exit 3\r")
    window.until("42")
    assert window.process.wait(PATIENCE) == 3
    assert window.is_restored()


@pytest.mark.parametrize(
    ("argv", "code"), [(("sh", "-c", "kill -9 $$"), 128 + 9), (("nosuch",), 127)]
)
def test_a_command_of_ones_own(entry: registry.Entry, argv: tuple[str, ...], code: int) -> None:
    window = Window(entry, *argv)
    assert window.process.wait(PATIENCE) == code
    window.close()


def test_ctrl_c_goes_to_the_node(window: Window) -> None:
    window.until("n# ")
    asleep = ("sleep", a_long_time())
    window.type(f"{' '.join(asleep)}; echo code $?\r")
    until(lambda: running(*asleep), "the node's program")
    window.type("\x03")
    window.until("n# ")
    assert window.process.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_terminal(window: Window, number: signal.Signals) -> None:
    window.until("n# ")
    window.process.send_signal(number)
    assert window.process.wait(PATIENCE) == 128 + number
    assert window.is_restored()


def test_the_agent_dies_under_it(tmp_path: Path) -> None:
    path = tmp_path / "t.clab.yml"
    path.write_text(LONE)
    with open_backend("namespaces", detach=True) as backend:
        backend.deploy(load(path), "lone-s")
    window = Window(backend.entry)
    try:
        window.until("n# ")
        assert backend.entry.agent_pid
        os.kill(backend.entry.agent_pid, signal.SIGKILL)
        window.until("the agent died while the shell was open")
        assert window.process.wait(PATIENCE) == 1
        assert window.is_restored()
    finally:
        window.close()
        registry.sweep()


def test_the_window_is_closed(entry: registry.Entry) -> None:
    """kill -9 of the client: what ran in the shell's foreground goes too."""
    window = Window(entry)
    window.until("n# ")
    window.type("exec sleep 4741\r")
    with attach(entry) as backend:
        node = backend.deployments()["lone-s"].node("n")
        until(lambda: "4741" in node.run(["ps", "ax"]).stdout, "the program")
        window.close()
        until(lambda: "4741" not in node.run(["ps", "ax"]).stdout, "the program's end")


def test_without_a_terminal(entry: registry.Entry) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, entry.name],
        input="hostname; echo $((6 * 7))\nexit 5",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "42" in done.stdout
    assert done.returncode == 5


def test_a_flood_arrives_whole(entry: registry.Entry) -> None:
    window = Window(entry, "sh", "-c", "stty -opost; seq 1 300000")
    shown = window.until("\n300000\n")
    assert shown == "".join(f"{number}\n" for number in range(1, 300_001))
    assert window.process.wait(PATIENCE) == 0
    window.close()
