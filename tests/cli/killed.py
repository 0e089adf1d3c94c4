"""Kill `ppslab run` at a seeded random moment; see that the next command leaves nothing."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ppslab.core.errors import FileError
from ppslab.measure import turn
from ppslab.model import results

PPSLAB = Path(sys.executable).with_name("ppslab")
FEW = ("--size", "64", "--no-search", "--seed", "1")
ONE = {"fastpath": "routing-plain", "queues": "no-queue"}
"""A condition of each lab that is run."""
GONE_SECONDS = 20.0
"""A process that was told to end may take so long; under emulation it does."""

STAYS = r"\d{8}\.ticket"
"""Tickets of runs that were killed, held by nobody: the next run removes them."""

GUEST_SECONDS = 4.0
"""How long a guest measures once its first trial is kept."""

LATEST = {"namespaces": 20.0, "vm": 90.0, "pair": 25.0}
"""Seconds after the start until which a kill comes."""


def one(kind: str, chance: random.Random) -> dict[str, Any]:
    """One run, or two at once, killed at a random moment; what the next command left."""
    number = chance.choice((signal.SIGKILL, signal.SIGINT))
    with tempfile.TemporaryDirectory(prefix="k") as name:
        place = Place(Path(name))
        labs = ("fastpath", "queues") if kind == "pair" else ("fastpath",)
        backend = "namespaces" if kind == "namespaces" else "vm"
        begun = time.monotonic()
        running = [place.run(lab, backend) for lab in labs]
        try:
            if kind == "vm":
                _measuring(place, running[0])
            moment = chance.uniform(0.0, LATEST[kind] if kind != "vm" else GUEST_SECONDS)
            killed_at = time.monotonic() + moment
            while time.monotonic() < killed_at and any(r.poll() is None for r in running):
                time.sleep(0.02)
            trials = sum(text.count(b"\n") - 1 for text in place.journals())
            struck = sum(r.poll() is None for r in running)
            for each in running:
                if each.poll() is None:
                    each.send_signal(number)
            seconds = time.monotonic() - begun
            for each in running:
                try:
                    each.wait(timeout=180)
                except subprocess.TimeoutExpired:
                    each.kill()
                    each.wait()
        finally:
            for each in running:  # this script itself was stopped
                if each.poll() is None:
                    each.send_signal(signal.SIGINT)
                    each.wait()
        place.next_command()
        left = place.left()
        return {
            "kind": kind,
            "signal": number.name,
            "struck": struck,
            "seconds": round(seconds, 2),
            "trials": max(0, trials),
            "left": left,
            "torn": place.torn(),
        }


class Place:
    """Folders of one kill: whatever lives or is kept, lives and is kept here."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runtime = folder / "r"
        self.results = folder / "results"
        self.environment = {
            **os.environ,
            "PPSLAB_RUNTIME": str(self.runtime),
            "PPSLAB_RESULTS": str(self.results),
            "PPSLAB_KILLS": str(folder),  # by which its processes are known
        }

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start ppslab in a session of its own, so that a signal is its alone."""
        return subprocess.Popen(
            [str(PPSLAB), *words], env=self.environment, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def run(self, lab: str, backend: str) -> subprocess.Popen[bytes]:
        """Start the shortest run of a lab."""
        return self.start("run", lab, "--condition", ONE[lab], *FEW, "--backend", backend)

    def next_command(self) -> None:
        """The shortest run that there is: it sweeps what is alive and what is kept."""
        before = self._journal_files()
        running = self.run("fastpath", "namespaces")
        try:
            # It has swept when it has a journal of its own, or is done.
            while running.poll() is None and not self._journal_files() - before:
                time.sleep(0.05)
            running.send_signal(signal.SIGINT)
            running.wait(timeout=60)
        finally:
            if running.poll() is None:
                running.kill()
                running.wait()

    def journals(self) -> list[bytes]:
        """What the journals hold."""
        return [file.read_bytes() for file in self._journal_files()]

    def _journal_files(self) -> set[Path]:
        return set(self.results.rglob("*.partial.jsonl"))

    def left(self) -> list[str]:
        """What is there and ought not to be; processes are given some time to end."""
        deadline = time.monotonic() + GONE_SECONDS
        while True:
            found = [*self._alive(), *self._files()]
            if not found or time.monotonic() > deadline:
                return found
            time.sleep(0.2)

    def _alive(self) -> list[str]:
        """Processes of this place: QEMU, agents, and the holders of its namespaces."""
        mark = f"PPSLAB_KILLS={self.folder}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "environ").read_bytes().split(b"\0")
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if mark in words or (command and str(self.folder) in command):
                found.append(f"process {entry.name}: {command[:80]}")
        return found

    def _files(self) -> list[str]:
        kept = [path for path in self.results.rglob("*") if path.is_file()]
        found = [str(p.relative_to(self.folder)) for p in kept if p.suffix != ".json"]
        if self.runtime.exists():
            for path in self.runtime.iterdir():
                if re.fullmatch(STAYS, path.name) is None:
                    found.append(f"runtime: {path.name}")
                elif turn.signed(path):
                    found.append(f"{path.name} is held")
        return found

    def torn(self) -> list[str]:
        """Records that cannot be read."""
        found = []
        for path in self.results.rglob("*.json"):
            try:
                results.load_any(path)
            except FileError as error:
                found.append(str(error))
        return found


def _measuring(place: Place, running: subprocess.Popen[bytes]) -> None:
    """Wait until the guest measures: the journal has a trial."""
    deadline = time.monotonic() + LATEST["vm"] * 4
    while running.poll() is None and time.monotonic() < deadline:
        if any(text.count(b"\n") > 1 for text in place.journals()):
            return
        time.sleep(0.1)
