"""One QEMU process: its command line, its start, its end, and whether KVM truly boots a guest."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ppslab.backends.vm_initramfs import initramfs
from ppslab.backends.vm_kernel import GuestKernel, Progress, uncompressed
from ppslab.errors import CannotHereError
from ppslab.paths import cache_dir

Emulation = Literal["tcg", "kvm"]
PROGRAM = "qemu-system-x86_64"
#: A guest that has not said "the kernel boots" by then hangs; on KVM that works it takes about 1 s.
KVM_TIME_LIMIT = 20.0
#: A kernel that runs at all prints within this time; one that hangs in early boot never does.
KVM_FIRST_WORD = 8.0


@dataclass(frozen=True)
class Guest:
    """What one guest is made of.  `shares`: 9p tag to (host folder, writable)."""

    kernel: GuestKernel
    emulation: Emulation
    folder: Path
    cpus: int = 2
    memory_mb: int = 2048
    shares: tuple[tuple[str, Path, bool], ...] = ()
    channel: Path | None = None

    @property
    def console(self) -> Path:
        """The file that the guest's serial console goes to."""
        return self.folder / "console.log"


def find_qemu() -> str:
    """QEMU's path; CannotHereError where there is none."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise CannotHereError(
            f"the vm backend needs {PROGRAM}, and it is not here",
            "sudo apt-get install qemu-system-x86 busybox-static kmod zstd",
        )
    return found


def qemu_version() -> str:
    """QEMU's version as it prints it, such as "7.2.22"."""
    done = subprocess.run([find_qemu(), "--version"], capture_output=True, text=True, check=True)
    found = re.search(r"version (\S+)", done.stdout)
    return found.group(1) if found else done.stdout.strip()


def command_line(guest: Guest, initrd: Path) -> list[str]:
    """QEMU's arguments for a guest."""
    image = guest.kernel.image
    quiet = "console=ttyS0 loglevel=5 panic=-1 net.ifnames=0 ipv6.autoconf=0"
    argv = [find_qemu(), "-name", "ppslab", "-nodefaults", "-no-user-config", "-display", "none"]
    if guest.emulation == "kvm":
        argv += ["-accel", "kvm", "-cpu", "host"]
    else:
        # Emulation: five-level page tables only add a level to each look-up; mitigations guard a
        # CPU that is not there; the time stamp counter is the host's, so it is reliable, and
        # without that word Linux reads a far slower clock for every packet. Unpacking itself takes
        # an xz-compressed kernel 3 s of the 7 s to the first answer, so the host does that once.
        argv += ["-accel", "tcg,thread=multi", "-cpu", "max,la57=off"]
        image = uncompressed(guest.kernel)
        quiet += " mitigations=off tsc=reliable clocksource=tsc no_timer_check"
    argv += ["-machine", "q35,usb=off,vmport=off,hpet=off", "-no-reboot"]
    argv += ["-smp", str(guest.cpus), "-m", f"{guest.memory_mb}M"]
    argv += ["-kernel", str(image), "-initrd", str(initrd), "-append", quiet]
    argv += ["-serial", f"file:{guest.console}", "-device", "virtio-rng-pci"]
    for tag, folder, writable in guest.shares:
        access = "" if writable else ",readonly=on"
        path = str(folder).replace(",", ",,")
        argv += [
            "-fsdev",
            f"local,id={tag},path={path},security_model=none,multidevs=remap{access}",
        ]
        argv += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
    if guest.channel is not None:
        argv += ["-chardev", f"socket,id=agent,path={guest.channel},server=on,wait=off"]
        argv += ["-device", "virtio-serial-pci"]
        argv += ["-device", "virtserialport,chardev=agent,name=agent"]
    return argv


class Qemu:
    """A running QEMU.  Ends with its owner, unless `detached`: the kernel kills it (prctl(2),
    PR_SET_PDEATHSIG), also when the owner was killed with kill -9.
    """

    def __init__(self, guest: Guest, initrd: bytes, *, detached: bool = False) -> None:
        self.guest = guest
        guest.folder.mkdir(parents=True, exist_ok=True)
        image = guest.folder / "initramfs.cpio"
        image.write_bytes(initrd)
        argv = command_line(guest, image)
        if not detached:
            argv = ["setpriv", "--pdeathsig", "KILL", "--", *argv]
        self._argv = argv
        self._started = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._error: OSError | None = None
        # PDEATHSIG follows the thread that forked, not the process: a notebook or a progress bar
        # may well start a guest in a thread that ends. This thread ends with QEMU only.
        threading.Thread(target=self._keep, name="ppslab-qemu", daemon=True).start()
        self._started.wait()
        if self._error is not None:
            raise CannotHereError(f"cannot start QEMU: {self._error}", "") from self._error

    def _keep(self) -> None:
        try:
            with (self.guest.folder / "qemu.log").open("wb") as log:
                # A session of its own: Ctrl-C in the terminal is for ppslab, which then stops QEMU.
                self._process = subprocess.Popen(
                    self._argv,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            self._error = error
            return
        finally:
            self._started.set()
        self._process.wait()

    @property
    def pid(self) -> int:
        """QEMU's process id."""
        assert self._process is not None
        return self._process.pid

    def alive(self) -> bool:
        """Whether QEMU still runs."""
        return self._process is not None and self._process.returncode is None

    def kill(self) -> None:
        """Stop QEMU at once and wait until it is gone. The guest keeps nothing worth a shutdown."""
        if self.alive():
            os.kill(self.pid, signal.SIGKILL)
        self.wait(10)

    def wait(self, seconds: float) -> bool:
        """Whether QEMU ended within `seconds`."""
        end = time.monotonic() + seconds
        while self.alive() and time.monotonic() < end:
            time.sleep(0.01)
        return not self.alive()

    def last_words(self, lines: int = 15) -> str:
        """QEMU's own complaints, then the tail of the guest's console."""
        said = [_text(self.guest.folder / "qemu.log"), _text(self.guest.console)]
        tail = "\n".join(text for text in said if text.strip()).splitlines()[-lines:]
        return "\n".join(f"    {line.rstrip()}" for line in tail) or "    (nothing)"

    def complaint(self) -> str:
        """The first line in which QEMU itself says what is wrong."""
        said = _text(self.guest.folder / "qemu.log").splitlines()
        wrong = [line for line in said if "warning" not in line]
        return (wrong or ["no message"])[0].removeprefix(f"{PROGRAM}: ")


def kvm_answer(kernel: GuestKernel) -> tuple[bool, str] | None:
    """What a probe on this boot of this host with this kernel found, None if there was none."""
    try:
        found = json.loads(_kvm_file(kernel).read_text())
        return bool(found["boots"]), str(found["why"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def kvm_boots(kernel: GuestKernel, progress: Progress = lambda _: None) -> tuple[bool, str]:
    """Whether this kernel boots under KVM here, found by booting it; and why (not).

    /dev/kvm that opens and makes a VM proves nothing: on some clouds' nested virtualisation the
    kernel then hangs in early boot. The answer is remembered until the host boots again.
    """
    known = kvm_answer(kernel)
    if known is not None:
        return known
    answer = _probe_kvm(kernel, progress)
    path = _kvm_file(kernel)
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps({"boots": answer[0], "why": answer[1]}))
    fresh.replace(path)
    return answer


def _probe_kvm(kernel: GuestKernel, progress: Progress) -> tuple[bool, str]:
    if not Path("/dev/kvm").exists():
        return False, "no /dev/kvm"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False, "no permission for /dev/kvm (sudo adduser $USER kvm, then log in again)"
    progress(f"probing whether KVM boots a guest (once; at most {KVM_TIME_LIMIT:.0f} s)")
    with tempfile.TemporaryDirectory(prefix="ppslab-kvm-") as folder:
        guest = Guest(kernel, "kvm", Path(folder), cpus=1, memory_mb=512)
        qemu = Qemu(guest, initramfs(kernel, {"probe": "yes"}, []))
        start = time.monotonic()
        try:
            while (spent := time.monotonic() - start) < KVM_TIME_LIMIT:
                said = _text(guest.console)
                if "ppslab: the kernel boots" in said:
                    return True, f"booted in {spent:.1f} s"
                if not qemu.alive():
                    return False, f"QEMU ended: {qemu.complaint()}"
                if not said and spent > KVM_FIRST_WORD:
                    return False, f"/dev/kvm opens, but the kernel said nothing for {spent:.0f} s"
                time.sleep(0.05)
            return False, f"the kernel did not finish booting in {KVM_TIME_LIMIT:.0f} s"
        finally:
            qemu.kill()


def _kvm_file(kernel: GuestKernel) -> Path:
    boot = _text(Path("/proc/sys/kernel/random/boot_id")).strip()
    return cache_dir() / "kvm" / f"{platform.release()}-{boot}-{kernel.version}.json"


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
