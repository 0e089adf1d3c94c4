"""Booting a guest: what it has in its memory, and what happens where QEMU ends too early."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest

import ppslab
from ppslab.core.errors import BackendError
from ppslab.testbed.backends.capabilities.guest_kernel import GuestKernel
from ppslab.testbed.backends.vm import guest as vm_guest
from ppslab.testbed.backends.vm import initramfs
from ppslab.testbed.backends.vm.initramfs import in_memory
from ppslab.testbed.backends.vm.qemu import Guest, Qemu
from tests.support.waiting import PATIENCE


class Dying:
    """A QEMU whose agent answers, or which ends when it is asked, or hangs (None)."""

    def __init__(self, channel: Path, *, answers: bool | None) -> None:
        channel.unlink(missing_ok=True)
        self.killed = False
        self._over = threading.Event()
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(channel))
        self._server.listen()
        threading.Thread(target=self._serve, args=[answers], daemon=True).start()

    def _serve(self, answers: bool | None) -> None:
        with self._server, self._server.accept()[0] as end:
            assert json.loads(end.recv(1000))["op"] == "facts"
            if answers:
                end.sendall(b'{"id": 0, "result": {}}\n')
            elif answers is None:
                self._over.wait()

    def alive(self) -> bool:
        return not self.killed

    def kill(self) -> None:
        self.killed = True
        self._over.set()

    def wait(self, seconds: float) -> bool:
        return True

    def ending(self) -> str:
        return "QEMU was killed by SIGKILL"

    def last_words(self) -> str:
        return "    its last words"


@contextmanager
def booted(tmp_path: Path, answers: list[bool | None]) -> Iterator[tuple[list[Dying], list[str]]]:
    """The QEMUs that were started, one for each of `answers` as far as they were needed.

    The one that hangs is given up soon; one that answers has all the time that it takes.
    """
    channel = tmp_path / "channel"
    guest = Guest(cast("GuestKernel", None), "tcg", tmp_path / "c", tmp_path / "l", channel=channel)
    begun: list[Dying] = []
    said: list[str] = []

    def start() -> Qemu:
        answer = answers[len(begun)]
        patch.setitem(vm_guest.SILENT_SECONDS, "tcg", 0.1 if answer is None else PATIENCE)
        begun.append(Dying(channel, answers=answer))
        return cast("Qemu", begun[-1])

    with pytest.MonkeyPatch.context() as patch:
        try:
            _, end, _ = vm_guest._boot(start, guest, said.append)
        except BackendError as error:
            said.append(str(error))
        else:
            end.close()
    yield begun, said


ONCE_MORE = "while it booted: starting it once more"
LAST_WORDS = ":\n    its last words"


@pytest.mark.parametrize(
    ("answers", "killed", "ends"),
    [
        ([True], [False], []),
        ([False, True], [True, False], [ONCE_MORE]),
        ([False, False], [True, True], [ONCE_MORE, LAST_WORDS]),
        # QEMU lives, its console says nothing new and its agent does not answer.
        ([None, True], [True, False], [ONCE_MORE]),
        ([None, None], [True, True], [ONCE_MORE, LAST_WORDS]),
    ],
)
def test_a_guest_that_ends_or_hangs_while_it_boots_is_started_once_more(
    tmp_path: Path, answers: list[bool | None], killed: list[bool], ends: list[str]
) -> None:
    with booted(tmp_path, answers) as (begun, said):
        assert [each.killed for each in begun] == killed
        assert [words.endswith(end) for words, end in zip(said, ends, strict=True)] == [True] * len(
            ends
        )


@pytest.mark.parametrize(
    ("script", "ending"),
    [("kill -KILL $$", "SIGKILL"), ("kill -SEGV $$", "SIGSEGV"), ("exit 3", "3")],
)
def test_how_qemu_ended_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, ending: str
) -> None:
    monkeypatch.setattr(
        "ppslab.testbed.backends.vm.qemu.command_line", lambda *_: ["sh", "-c", script]
    )
    guest = Guest(cast("GuestKernel", None), "tcg", tmp_path / "console", tmp_path / "log")
    qemu = Qemu(guest, b"", tmp_path / "image")
    assert qemu.wait(PATIENCE)
    assert ending in qemu.ending()


def test_ctrl_c_while_qemu_starts_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes after the start was asked for, and before anybody has its number."""
    monkeypatch.setattr(
        "ppslab.testbed.backends.vm.qemu.command_line", lambda *_: ["sleep", "4750"]
    )
    begun: list[Qemu] = []
    keep = Qemu._keep

    def slow(qemu: Qemu) -> None:
        begun.append(qemu)
        signal.raise_signal(signal.SIGINT)
        keep(qemu)

    monkeypatch.setattr(Qemu, "_keep", slow)
    guest = Guest(cast("GuestKernel", None), "tcg", tmp_path / "console", tmp_path / "log")
    with pytest.raises(KeyboardInterrupt):
        Qemu(guest, b"", tmp_path / "image")
    assert not begun[0].alive()
    assert begun[0].ending().startswith("QEMU was killed by SIGKILL")


def test_what_a_guest_mounts_is_named_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guest mounts while its root is the initramfs: there an absolute link leads nowhere."""
    modules = tmp_path / "disk/kernel/6.1/lib/modules/6.1"
    modules.mkdir(parents=True)
    (tmp_path / "cache").symlink_to(tmp_path / "disk")
    monkeypatch.setenv("PPSLAB_CACHE", str(tmp_path / "cache"))
    linked = tmp_path / "cache" / modules.relative_to(tmp_path / "disk")
    told = vm_guest._settings(GuestKernel("6.1", linked, linked, "its own file"))
    assert told["modules"] == str(modules)
    assert told["scratch"] == str(tmp_path / "disk/scratch")
    assert all(not folder or Path(folder) == Path(folder).resolve() for folder in told.values())
    assert vm_guest._settings(GuestKernel("6.1", linked, None, "its own file"))["modules"] == ""


# --- its memory -----------------------------------------------------------------------------------


def test_a_shell_is_there_with_all_that_it_opens() -> None:
    found = in_memory()
    assert Path(shutil.which("sh") or "").resolve() in found
    assert Path("/etc/ld.so.cache") in found
    assert any(path.name.startswith("libc.so") for path in found)
    assert any(path.name.startswith("ld-linux") for path in found)
    # Nothing that is not opened again and again: it is read at every start.
    assert sum(path.stat().st_size for path in found if not path.is_symlink()) < 30e6


def test_the_agent_runs_from_its_byte_code_alone(tmp_path: Path) -> None:
    package = Path(ppslab.__file__).parent
    for name, code in initramfs.of_agent(package).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(code)
    imported = (
        "import sys, ppslab.testbed.backends.agent.agent\n"
        "print(*{m.__file__ for n, m in sys.modules.items() if n.startswith('ppslab')}, sep='\\n')"
    )
    found = subprocess.run(
        [sys.executable, "-c", imported],
        env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert len(found) > 10
    assert all(Path(file).is_relative_to(tmp_path) for file in found)
