"""A CHR of the test's own: its disk in a virtual machine, its ports at sockets of ours.

QEMU's user networking carries REST to the first port and lets nothing out.  Each further
port is a wire of UDP datagrams on loopback, a datagram a frame: no privileges, no bridge.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ppslab.core.errors import BackendError, CannotHereError, UsageError
from ppslab.testbed.backends.capabilities.tools import known, kvm_openable

QEMU = "qemu-system-x86_64"
MEMORY_MB = 1024
PORTS = 9
"""Test ports: ether2 to ether10."""


class Wires:
    """The far ends of the test ports' wires."""

    def __init__(self, ports: Sequence[str]) -> None:
        self.ends = {port: _udp() for port in ports}
        self.theirs = {port: _free(socket.SOCK_DGRAM) for port in ports}

    def send(self, port: str, frames: Sequence[bytes], pause: float = 0.001) -> None:
        """Put frames (without FCS) on a port's wire, at most one each `pause` seconds.

        So that an emulated port takes each; a busy machine's pauses are longer.
        """
        for frame in frames:
            self.ends[port].sendto(frame, ("127.0.0.1", self.theirs[port]))
            time.sleep(pause)

    def heard(self, port: str, seconds: float = 1.0) -> list[bytes]:
        """Frames that came out of a port, until it is silent for so long."""
        end, found = self.ends[port], []
        end.settimeout(seconds)
        while True:
            try:
                found.append(end.recv(65536))
            except TimeoutError:
                return found

    def close(self) -> None:
        """Let go of the sockets."""
        for end in self.ends.values():
            end.close()


@dataclass
class Machine:
    """The virtual machine, from `start` to `stop`; `folder` keeps what it says."""

    image: Path
    folder: Path
    wires: Wires
    web: int = field(default_factory=lambda: _free(socket.SOCK_STREAM))
    accelerated: bool = field(default_factory=lambda: (known() or kvm_openable()).boots)
    """By KVM."""
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where its REST interface is."""
        return f"http://127.0.0.1:{self.web}"

    def start(self) -> None:
        """Boot it from a copy on write, made anew: the disk itself stays as it is."""
        overlay = self.folder / "disk.qcow2"
        format_ = disk_format(self.image)
        subprocess.run(
            ["qemu-img", "create", "-q", "-f", "qcow2", "-F", format_, "-b",
             str(self.image.resolve()), str(overlay)],
            check=True,
        )  # fmt: skip
        log = (self.folder / "qemu.log").open("wb")
        # It ends with us, also where we are killed.
        argv = ["setpriv", "--pdeathsig", "KILL", QEMU, *self.arguments(overlay)]
        self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def boot(self, answers: Callable[[], object], seconds: float) -> None:
        """Start it and wait for `answers`, which raises until then; emulated where KVM fails.

        /dev/kvm that opens proves nothing: in some clouds QEMU dies on it.  The last error of
        `answers` after so many seconds.
        """
        self.start()
        until = time.monotonic() + seconds
        while True:
            try:
                answers()
                return
            except (BackendError, CannotHereError):
                if self.accelerated and not self.alive():
                    self.accelerated = False
                    self.start()
                elif not self.alive() or time.monotonic() > until:
                    raise
                time.sleep(1)  # it boots for half a minute: no need to ask at once again

    def arguments(self, disk: Path) -> list[str]:
        """QEMU's command line.  virtio-net, as containerlab's CHR has it, for its fast path."""
        forward = f"hostfwd=tcp:127.0.0.1:{self.web}-:80"
        words = [
            "-name", "ppslab-chr", "-machine", "pc", "-accel", "kvm" if self.accelerated
            else "tcg", "-cpu", "max", "-smp", "1", "-m", str(MEMORY_MB),
            "-nodefaults", "-display", "none", "-serial", f"file:{self.folder / 'console.log'}",
            "-drive", f"file={disk},format=qcow2,if=ide",
            "-netdev", f"user,id=management,restrict=on,{forward}",
            "-device", "virtio-net-pci,netdev=management,mac=52:54:00:c6:12:01",
        ]  # fmt: skip
        for number, (port, end) in enumerate(self.wires.ends.items(), start=2):
            ours, theirs = end.getsockname()[1], self.wires.theirs[port]
            words += [
                "-netdev",
                f"socket,id={port},udp=127.0.0.1:{ours},localaddr=127.0.0.1:{theirs}",
                "-device", f"virtio-net-pci,netdev={port},mac=52:54:00:c6:12:{number:02x}",
            ]  # fmt: skip
        return words

    def alive(self) -> bool:
        """Whether QEMU runs."""
        return self._process is not None and self._process.poll() is None

    def stop(self) -> None:
        """Switch it off; nothing of it is kept."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self.wires.close()

    def last_words(self) -> str:
        """What QEMU and the console said last."""
        said = ""
        for name in ("qemu.log", "console.log"):
            path = self.folder / name
            text = path.read_text(errors="replace") if path.exists() else ""
            said += f"{name}:\n" + "\n".join(text.splitlines()[-15:]) + "\n"
        return said


def disk_format(image: Path) -> str:
    """What kind of disk it is.  UsageError for what is no disk, CannotHereError without QEMU."""
    if not image.is_file():
        raise UsageError(f"PPSLAB_CHR_IMAGE: no file {image}")
    if image.suffix == ".zip":
        raise UsageError(f"PPSLAB_CHR_IMAGE: unpack {image} first: unzip {image}")
    for program in ("qemu-img", QEMU, "setpriv"):
        if shutil.which(program) is None:
            raise CannotHereError(f"no {program} here", "sudo apt-get install qemu-system-x86")
    done = subprocess.run(
        ["qemu-img", "info", "--output=json", str(image)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise UsageError(f"PPSLAB_CHR_IMAGE: {done.stderr.strip()}")
    return str(json.loads(done.stdout)["format"])


def _udp() -> socket.socket:
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    end.bind(("127.0.0.1", 0))
    return end


def _free(kind: int) -> int:
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
