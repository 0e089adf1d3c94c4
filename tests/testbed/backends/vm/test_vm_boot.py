"""Booting a guest: what it has in its memory, and what happens where QEMU ends too early."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
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


class Double:
    """A QEMU that is told to end, and says how it ended."""

    def __init__(self) -> None:
        self.killed = False

    def kill(self) -> None:
        self.killed = True

    def wait(self, seconds: float) -> bool:
        return True

    def ending(self) -> str:
        return "QEMU was killed by SIGKILL"

    def last_words(self) -> str:
        return "    its last words"


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
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answers: list[bool | None], killed: list[bool], ends: list[str],
) -> None:  # fmt: skip
    channel = tmp_path / "channel"
    guest = Guest(cast("GuestKernel", None), "tcg", tmp_path / "c", tmp_path / "l", channel=channel)
    begun: list[Double] = []
    said: list[str] = []
    with ExitStack() as stack:

        def start() -> Qemu:
            begun.append(Double())
            return cast("Qemu", begun[-1])

        def connect(*_: object) -> socket.socket:
            ours, agent = socket.socketpair()
            stack.enter_context(agent)
            answer = answers[len(begun) - 1]
            monkeypatch.setitem(vm_guest.SILENT_SECONDS, "tcg", PATIENCE)
            if answer:
                agent.sendall(b'{"id": 0, "result": {}}\n')
            elif answer is None:
                monkeypatch.setitem(vm_guest.SILENT_SECONDS, "tcg", 0.1)
            else:
                agent.shutdown(socket.SHUT_WR)
            return ours

        monkeypatch.setattr(vm_guest, "connect", connect)
        try:
            stack.enter_context(vm_guest._boot(start, guest, said.append)[1])
        except BackendError as error:
            said.append(str(error))
    assert [each.killed for each in begun] == killed
    assert len(said) == len(ends)
    assert all(words.endswith(end) for words, end in zip(said, ends, strict=True))


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
