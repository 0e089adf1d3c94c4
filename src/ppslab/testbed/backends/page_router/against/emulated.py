"""Both machines: booted from the files of the built router, asked over the second serial line."""

from __future__ import annotations

import base64
import gzip
import json
import mmap
import os
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ppslab.core import measures
from ppslab.core.errors import CannotHereError
from ppslab.testbed.backends.page_router.building import manifest_of

HERE = Path(__file__).parent
PLUGIN = HERE / "instructions.c"
BROWSER = HERE / "browser.mjs"
QEMU = "qemu-system-i386"

BOOT_SECONDS = 600
SCRIPT_SECONDS = 300
CHUNK = 256
"""Bytes at a time: what comes faster than it is read is lost."""


def in_browsers_emulator(
    folder: Path, emulator: Path, clock: Path, node: Path, asked: Sequence[Asked], rounds: int
) -> Iterator[tuple[str, Counted]]:
    """Count under v86, one condition after the other.

    `folder`: of the built router; `emulator`: of npm's v86; `clock`: web/src/router/clock.mjs.
    Raises CannotHereError where it does not boot, or a script fails.
    """
    manifest = manifest_of(folder)
    told = {"emulator": str(emulator), "clock": str(clock), "folder": str(folder),
            "words": _words(manifest), "memory_mb": manifest["memory_mb"], "rounds": rounds,
            "asked": [asdict(each) for each in asked]}  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="ppslab-against-") as place:
        file = Path(place, "asked.json")
        file.write_text(json.dumps(told), encoding="utf-8")
        command = [str(node), str(BROWSER), str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for line in process.stdout:
                said = json.loads(line)
                yield said["name"], _counted(said["rounds"])
        if process.returncode:
            raise CannotHereError("the router did not count under v86; its words stand above", "")


def in_qemu(folder: Path, asked: Sequence[Asked], rounds: int) -> Iterator[tuple[str, Counted]]:
    """Count under QEMU, one condition after the other; the book's way, and with the plug-in.

    Raises CannotHereError where it does not boot, or a script fails.
    """
    with (
        tempfile.TemporaryDirectory(prefix="ppslab-against-") as place,
        _guest(manifest_of(folder), folder, Path(place)) as guest,
    ):
        for each in asked:
            for script in each.before:
                guest.ask(script)
            said = [dict(zip(("output", "marks"), guest.ask(each.round), strict=True))
                    for _ in range(rounds)]  # fmt: skip
            guest.ask(each.after)
            yield each.name, _counted(said)


def _counted(rounds: list[dict[str, Any]]) -> Counted:
    found = tuple(round_of([Mark(*mark) for mark in each["marks"]]) for each in rounds)
    return Counted(found, any(escaped(each["output"]) for each in rounds))


def _words(manifest: dict[str, Any]) -> str:
    return f"{' '.join(manifest['words'].split())} ppslab.cold"


class _Guest:
    """The second serial line of the machine under QEMU, and the plug-in's two numbers."""

    def __init__(self, line: socket.socket, numbers: mmap.mmap) -> None:
        self._line = line.makefile("rwb")
        self._numbers = numbers
        self._asked = 0

    def boot(self) -> None:
        """Wait until it asks what to do."""
        while self._heard() != ["READY"]:
            pass

    def _heard(self) -> list[str]:
        try:
            line = self._line.readline()
        except TimeoutError:
            line = b""
        if not line:
            raise CannotHereError("the guest under QEMU ended, or says nothing any more", "")
        return line.decode(errors="replace").split()

    def ask(self, script: str) -> tuple[str, list[Mark]]:
        """Its output, and the marks that it set."""
        self._asked += 1
        packed = base64.b64encode(gzip.compress(script.encode(), mtime=0)).decode()
        request = f"{self._asked} {packed}\n".encode()
        for at in range(0, len(request), CHUNK):
            self._line.write(request[at : at + CHUNK])
            self._line.flush()
            time.sleep(0.02)
        marks = []
        while True:
            said = self._heard()
            if said[:1] == ["mark"]:
                # The guest sends nothing more before the burst is over: the numbers stand still.
                marks.append(Mark(said[1], int(said[2]), *struct.unpack_from("2Q", self._numbers)))
            elif said[:1] == [str(self._asked)]:
                output = base64.b64decode("".join(said[2:])).decode()
                if said[1] != "0":
                    raise CannotHereError(f"a script failed ({said[1]}): {output}\n{script}", "")
                return output, marks


@contextmanager
def _guest(manifest: dict[str, Any], folder: Path, place: Path) -> Iterator[_Guest]:
    plugin, numbers, line = place / "instructions.so", place / "numbers", place / "line"
    compiling = ["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", str(plugin), str(PLUGIN)]
    subprocess.run(compiling, check=True)
    numbers.write_bytes(bytes(mmap.PAGESIZE))
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(line))
    listening.listen()
    listening.settimeout(30)
    # As ppslab.testbed.backends.vm.qemu counts, but on the page's own kind of machine.
    command = [
        QEMU, "-nodefaults", "-no-user-config", "-display", "none", "-machine", "pc,hpet=off",
        "-accel", "tcg,thread=single", "-cpu", "max,erms=off,fsrm=off",
        "-icount", f"shift={measures.SHIFT},sleep=on", "-m", str(manifest["memory_mb"]),
        "-kernel", str(folder / "vmlinuz"), "-initrd", str(folder / "initramfs.gz"),
        "-append", _words(manifest), "-serial", "null",
        "-chardev", f"socket,id=line,path={line}", "-serial", "chardev:line",
        "-plugin", str(plugin),
    ]  # fmt: skip
    process = subprocess.Popen(command, env={**os.environ, "PPSLAB_COUNT": str(numbers)})
    try:
        with numbers.open("r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
            connection, _ = listening.accept()
            connection.settimeout(BOOT_SECONDS)
            guest = _Guest(connection, shared)
            guest.boot()
            connection.settimeout(SCRIPT_SECONDS)
            yield guest
    except TimeoutError as error:
        raise CannotHereError(f"{QEMU} did not start", "") from error
    finally:
        process.kill()
        process.wait()
        listening.close()


class Round(NamedTuple):
    """Instructions a packet in one round, each step of a string instruction counted, or none."""

    routed: float
    dropped: float
    routed_steps: float
    dropped_steps: float
    """Of those instructions, the steps of string instructions after each one's first."""


@dataclass(frozen=True)
class Asked:
    """One condition: its name, and the scripts before its rounds."""

    name: str
    before: tuple[str, ...]
    round: str
    after: str


@dataclass(frozen=True)
class Counted:
    """What a machine counted of a condition."""

    rounds: tuple[Round, ...]
    escaped: bool
    """Packets came through that were to be dropped: something takes them before."""


class Mark(NamedTuple):
    """A burst begins or ends here."""

    what: str
    packets: int
    instructions: int
    steps: int


def round_of(marks: Sequence[Mark]) -> Round:
    """Of the two longest bursts of a kind, what a packet more takes."""
    routed, routed_steps = _slope([mark for mark in marks if mark.what == "routed"])
    dropped, dropped_steps = _slope([mark for mark in marks if mark.what == "dropped"])
    return Round(routed, dropped, routed_steps, dropped_steps)


def _slope(marks: Sequence[Mark]) -> tuple[float, float]:
    (short, short_end, long, long_end) = marks[-4:]
    more = long.packets - short.packets
    instructions = (long_end.instructions - long.instructions) - (
        short_end.instructions - short.instructions
    )
    steps = (long_end.steps - long.steps) - (short_end.steps - short.steps)
    return instructions / more, steps / more


def escaped(output: str) -> bool:
    """Whether packets arrived in the bursts that were to be dropped; `output`: of a round."""
    _, after, end = map(int, output.split())
    return end > after
