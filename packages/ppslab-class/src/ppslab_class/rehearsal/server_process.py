"""The server as a process of its own, on one CPU, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from ppslab.base.errors import CannotHereError
from ppslab_class.hub import left_over

STOP_SECONDS = 3 * left_over.STOP_SECONDS
"""After Ctrl-C, for the server and its hub, which may itself take a third of it."""
STUCK = f"The server had not ended {STOP_SECONDS} s after Ctrl-C, and was killed."

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
    stopped: bool = True
    """Whether it ended by itself whenever it was stopped."""
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
        """Note its memory; CannotHereError where it has ended by itself."""
        if self._process is not None:
            try:
                text = Path(f"/proc/{self._process.pid}/smaps_rollup").read_text(encoding="ascii")
            except ProcessLookupError:  # it has ended: nobody has waited for it yet
                self._note_cpu(self._process.pid)
                code = self._process.wait()
                self._forget(self._process)
                raise CannotHereError(f"the server ended in mid-class, with {code}") from None
            row = next(line for line in text.splitlines() if line.startswith("Pss:"))
            self.most_pss = max(self.most_pss, int(row.split()[1]) * 1024)

    def kill(self) -> None:
        """As a power cut ends it, with the hub that it has started."""
        if self._process is not None:
            self._note_cpu(self._process.pid)
            self._kill(self._process)
            self._forget(self._process)

    def stop(self) -> None:
        """As Ctrl-C does; where that does not end it in time, it is killed, and `stopped` False."""
        if self._process is not None:
            self._note_cpu(self._process.pid)
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.stopped = False
                self._kill(self._process)
            self._forget(self._process)
        # Its hub and the proxy of that, where it was killed, or ended before it could end them.
        left_over.end(self.folder)

    def _kill(self, process: subprocess.Popen[str]) -> None:
        # The hub is of its session; the hub's proxy has one of its own, and goes on.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()  # nothing outlives that signal

    def _note_cpu(self, pid: int) -> None:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")
        user, system = fields[2].split()[11:13]
        self.cpu_seconds += (int(user) + int(system)) / TICK

    def _forget(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        process.stdout.close()
        self._process = None
