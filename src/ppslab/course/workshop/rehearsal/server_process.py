"""The server as a process of its own, on one CPU, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from ppslab.base.errors import CannotHereError

TICK = os.sysconf("SC_CLK_TCK")
STARTING = "from ppslab.start import main; main()"


@dataclass
class ServerProcess:
    """`ppslab workshop start` on a folder and a site; plain HTTP, for this machine alone."""

    folder: Path
    site: Path
    cpu: int | None = None
    port: int = 0
    words: tuple[str, ...] = ("--seats", "1")
    """More words of the command; the board has its own seats already."""
    cpu_seconds: float = 0.0
    """Of those that have ended."""
    most_pss: int = 0
    """Bytes: the proportional set size, the highest that was looked at."""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    def start(self) -> None:
        """Start it, at the same port as before; CannotHereError where it says no address."""
        words = ["workshop", "start", "--plain", "--host", "127.0.0.1", "--name", "127.0.0.1"]
        words += ["--folder", str(self.folder), "--site", str(self.site), "--port", str(self.port)]
        process = subprocess.Popen(
            [sys.executable, "-c", STARTING, *words, *self.words],
            stdout=subprocess.PIPE,
            text=True,
            # The rehearsal's own Ctrl-C is not the server's: that is stopped after the learners.
            start_new_session=True,
        )
        if self.cpu is not None:
            os.sched_setaffinity(process.pid, {self.cpu})
        assert process.stdout
        for line in process.stdout:
            address = line.removeprefix("The class: http://127.0.0.1:")
            if address != line:
                self.port = int(address.partition("/")[0])
                self._process = process
                return
        raise CannotHereError(f"the server ended at once, with {process.wait()}")

    def look(self) -> None:
        """Note its memory."""
        if self._process is not None:
            text = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text(encoding="ascii")
            row = next(line for line in text.splitlines() if line.startswith("Pss:"))
            self.most_pss = max(self.most_pss, int(row.split()[1]) * 1024)

    def kill(self) -> None:
        """As a power cut ends it, with the hub that it has started."""
        if self._process is not None:
            # The hub is of its session; the hub's proxy has one of its own, and goes on.
            os.killpg(self._process.pid, signal.SIGKILL)
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """As Ctrl-C does."""
        self._end(signal.SIGINT)

    def _end(self, how: int) -> None:
        if self._process is None:
            return
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")
        user, system = fields[2].split()[11:13]
        self.cpu_seconds += (int(user) + int(system)) / TICK
        self._process.send_signal(how)
        self._process.wait(timeout=30)
        assert self._process.stdout
        self._process.stdout.close()
        self._process = None
